"""toolgen: a schema-first code generator for LLM tools."""

from toolgen.runtime.version import __version__ as __version__
