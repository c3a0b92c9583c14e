"""Lowering: a JSON Schema as a provider's dialect takes it, by rules that the profile states as data.

What the dialect has no word for is said in other words, described, or dropped, and every such step is recorded; the
tool's own validation still enforces what was lost. The build and `to_tools` run this same code.
"""
