"""The formats that can be imported, by name, and the modules that read them.

A module has `FORMATS`: for each format a title, `read(reader)`, which yields the tools and the types that they share,
and maybe `describe_source(document)`, which returns what the file says about itself. Later imports recognize the source
by its `title`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from toolgen.importing.reader import ImportedTool, ImportedType, ImportReader
    from toolgen.load import Document

MODULES = {
    "agent_sdk": "tool_arrays",
    "anthropic": "tool_arrays",
    "copilot_quorum": "copilot_quorum",
    "gemini": "gemini",
    "kagami": "tool_arrays",
    "mcp": "mcp",
    "modular_prompt": "tool_arrays",
    "openai": "tool_arrays",
    "openapi": "openapi",
}
"""The module of each format, sorted. A module is imported when its format is needed."""

SERVER_FORMATS = ("mcp",)
"""The formats that can be read from a running server."""

TAGGED_FORMATS = ("openapi",)
"""The formats whose tools have tags."""


SCHEMA_KEYS = {
    "inputSchema": "mcp",
    "input_schema": "anthropic",
    "parameters": "openai",
    "parametersJsonSchema": "gemini",
    "parameters_json_schema": "gemini",
}
"""The formats of an import by the key that they have the schema of the arguments under."""

TOOL_KEYS = {"function": "openai", "functionDeclarations": "gemini", "function_declarations": "gemini"}
"""The formats of an import by the key that they have whole tools under."""


def _nothing(document: Document) -> dict[str, str]:
    """Return nothing: most files do not say anything about themselves."""
    del document
    return {}


class Format(NamedTuple):
    """A format: a phrase for its files, the function that reads them, and the one that describes their source."""

    title: str
    read: Callable[[ImportReader], Iterable[ImportedTool | ImportedType]]
    describe_source: Callable[[Document], dict[str, str]] = _nothing


def load_format(name: str) -> Format:
    """Return a format by its name.

    Raises:
        KeyError: There is no format with that name.
    """
    format: Format = importlib.import_module(f"{__name__}.{MODULES[name]}").FORMATS[name]
    return format
