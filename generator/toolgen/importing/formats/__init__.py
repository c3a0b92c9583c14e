"""The formats that are imported, by name, and the modules that read them.

A module has `FORMATS`: what a file of each holds in a sentence, and `read(reader)`, which gives its tools and the types that
they share. Where a file says of itself what it is, `describe_source(document)` tells, the `title` by which a later import knows it
again among it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from toolgen.importing.reader import ImportedTool, ImportedType, ImportReader
    from toolgen.load import Document

MODULES = {
    "agent_sdk": "definitions",
    "anthropic": "definitions",
    "copilot_quorum": "copilot_quorum",
    "gemini": "gemini",
    "kagami": "definitions",
    "mcp": "mcp",
    "modular_prompt": "definitions",
    "openai": "definitions",
    "openapi": "openapi",
}
"""The module of each format, sorted; none is imported before its format is asked for."""

FROM_SERVERS = ("mcp",)
"""The formats that a running server gives."""

WITH_TAGS = ("openapi",)
"""The formats whose tools have tags."""


def _nothing(document: Document) -> dict[str, str]:
    """Most files say nothing of themselves."""
    del document
    return {}


class Format(NamedTuple):
    """A format: what a file of it holds, its reader, and what a file says of itself."""

    title: str
    read: Callable[[ImportReader], Iterable[ImportedTool | ImportedType]]
    describe_source: Callable[[Document], dict[str, str]] = _nothing


def format_named(name: str) -> Format:
    """Return a format.

    Raises:
        KeyError: there is not one of that name.
    """
    found: Format = importlib.import_module(f"{__name__}.{MODULES[name]}").FORMATS[name]
    return found
