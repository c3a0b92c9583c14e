"""toolgen: a schema-first code generator for LLM tools."""

__version__ = "0.1.0"

INTERFACE = 1
"""The interface of toolgen-runtime that generated packages use, which the runtime of the same version has too."""
