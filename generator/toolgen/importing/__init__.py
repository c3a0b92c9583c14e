"""Import: definitions in a foreign format become declarations under SCHEMAS/tools, all of them or none.

file → document → `ImportedTool`s → named declarations → checked as a build checks them → YAML → written
"""
