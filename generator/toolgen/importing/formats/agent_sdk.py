"""The agent SDK's core types: definitions of tools, an array of them or an object that has one.

A definition is flat, its `parameters` are JSON Schema of draft-07. Members that a declaration has no key for become the patch
for `agent_sdk`.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.importing.reader import Entry, ImportedTool, Reader

TITLE = "an array of tool definitions, or an object with one under `tools`"

_KNOWN = frozenset(["name", "description", "parameters", "strict"])


def read(reader: Reader) -> Iterator[ImportedTool]:
    """Read the definitions."""
    for at, entry in reader.entries("tools", _is_tool):
        name = reader.name(at, entry)
        tool = ImportedTool(
            at,
            name or "",
            ("agent_sdk",),
            description=reader.text(at, entry, "description"),
            parameters=reader.parameters(at, entry, "parameters", demanded=True),
            strict=reader.flag(at, entry, "strict"),
            patch=reader.rest(at, entry, _KNOWN),
        )
        if name is not None:
            yield tool


def _is_tool(entry: Entry) -> bool:
    return "name" in entry and "tools" not in entry
