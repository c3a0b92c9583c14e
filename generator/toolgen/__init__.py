"""toolgen: a schema-first code generator for LLM tools."""

__version__ = "0.1.0"
