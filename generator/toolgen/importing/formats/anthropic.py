"""Anthropic's Messages API: the array of tools, or a request body that has it.

Tools that Anthropic runs or defines itself have a dated `type` and no schema: they are skipped with a warning. Members
that a declaration has no key for (`cache_control`, `input_examples`, any other) become the patch for `anthropic`.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.importing.reader import Entry, ImportedTool, Reader

TITLE = "an array of tools, or a request body with one"

_KNOWN = frozenset(["type", "name", "description", "input_schema", "strict"])


def read(reader: Reader) -> Iterator[ImportedTool]:
    """Read the custom tools of a request."""
    for at, entry in reader.entries("tools", _is_tool):
        if entry.get("type") not in (None, "custom"):
            reader.skipped(at, entry)
            continue
        name = reader.name(at, entry)
        tool = ImportedTool(
            at,
            name or "",
            ("anthropic",),
            description=reader.text(at, entry, "description"),
            parameters=reader.parameters(at, entry, "input_schema", demanded=True),
            strict=reader.flag(at, entry, "strict"),
            patch=reader.rest(at, entry, _KNOWN),
            moved={("parameters",): (*at, "input_schema")},
        )
        if name is not None:
            yield tool


def _is_tool(entry: Entry) -> bool:
    return "name" in entry and "tools" not in entry
