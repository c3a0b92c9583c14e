"""Import of foreign tool definitions: convert them to declarations below SCHEMAS/tools, either all of them or none.

file → document → `ImportedTool`s → named declarations → checked as in a build → YAML → written
"""
