"""Kagami: an array of its tools, or a request of one turn that has it.

A tool has a name, a description and parameters, which are JSON Schema in few words. An empty description, which its type
demands where there is nothing to say, is none. Members that a declaration has no key for become the patch for `kagami`.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.importing.reader import Entry, ImportedTool, Reader

TITLE = "an array of tools, or a request of one turn with one"

_KNOWN = frozenset(["name", "description", "parameters"])


def read(reader: Reader) -> Iterator[ImportedTool]:
    """Read the tools of a request."""
    for at, entry in reader.entries("tools", _is_tool):
        name = reader.name(at, entry)
        tool = ImportedTool(
            at,
            name or "",
            ("kagami",),
            description=reader.text(at, entry, "description") or None,
            parameters=reader.parameters(at, entry, "parameters", demanded=True),
            patch=reader.rest(at, entry, _KNOWN),
        )
        if name is not None:
            yield tool


def _is_tool(entry: Entry) -> bool:
    return "name" in entry and "tools" not in entry
