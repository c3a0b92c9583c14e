"""modular-prompt: the definitions that the options of a query have under `tools`, or such options.

A definition is a function under `function`, and its type says so. One of another type, for which the specification leaves
room, is skipped with a warning. Members that a declaration has no key for become the patch for `modular_prompt`.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.importing.reader import Entry, ImportedTool, Reader

TITLE = "an array of tool definitions, or the options of a query with one"

_KNOWN = frozenset(["name", "description", "parameters", "strict"])


def read(reader: Reader) -> Iterator[ImportedTool]:
    """Read the functions of a query."""
    for at, entry in reader.entries("tools", _is_tool):
        if entry.get("type", "function") != "function":
            reader.skipped(at, entry)
            continue
        function, inner = entry.get("function"), (*at, "function")
        if not isinstance(function, dict):
            reader.wrong(inner if "function" in entry else at, function, "an object: the function")
            continue
        name = reader.name(inner, function)
        # In a patch these two are the function's own.
        reader.dropped(at, entry, ["name", "description"])
        beside = reader.rest(at, entry, frozenset(["type", "function", "name", "description"]))
        patch = reader.rest(inner, function, _KNOWN)
        tool = ImportedTool(
            inner,
            name or "",
            ("modular_prompt",),
            description=reader.text(inner, function, "description"),
            parameters=reader.parameters(inner, function, "parameters", demanded=False),
            strict=reader.flag(inner, function, "strict"),
            patch={**beside, **({"function": patch} if patch else {})},
        )
        if name is not None:
            yield tool


def _is_tool(entry: Entry) -> bool:
    return "tools" not in entry and ("function" in entry or "type" in entry)
