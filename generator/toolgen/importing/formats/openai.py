"""OpenAI: the array of tools of Chat Completions or of the Responses API, or a request body that has it.

Chat Completions puts a function under `function`, the Responses API has it flat, and so had the former `functions`.
Tools of another type (hosted ones, custom tools with free text) have no schema of arguments: they are skipped with a
warning. Members that a declaration has no key for become the patch of the wire they came from.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.importing.reader import Entry, ImportedTool, Reader
from toolgen.load import Pointer

TITLE = "an array of tools of Chat Completions or Responses, or a request body with one"

_CHAT = ("openai_chat", "openai_responses")
_RESPONSES = ("openai_responses", "openai_chat")
_KNOWN = frozenset(["name", "description", "parameters", "strict"])


def read(reader: Reader) -> Iterator[ImportedTool]:
    """Read the functions of a request."""
    value = reader.document.value
    former = isinstance(value, dict) and "tools" not in value and "functions" in value
    if isinstance(value, dict) and "tools" in value:
        reader.dropped((), value, ["functions"])
    for at, entry in reader.entries("functions" if former else "tools", _is_tool):
        tool = _tool(reader, at, entry)
        if tool is not None:
            yield tool


def _is_tool(entry: Entry) -> bool:
    return "tools" not in entry and ("name" in entry or entry.get("type") == "function")


def _tool(reader: Reader, at: Pointer, entry: Entry) -> ImportedTool | None:
    if "function" in entry and entry.get("type", "function") == "function":
        function = entry["function"]
        if not isinstance(function, dict):
            reader.wrong((*at, "function"), function, "an object")
            return None
        inner = (*at, "function")
        # In a patch these two are the function's own.
        reader.dropped(at, entry, ["name", "description"])
        beside = reader.rest(at, entry, frozenset(["type", "function", "name", "description"]))
        patch = reader.rest(inner, function, _KNOWN)
        return _function(reader, inner, function, _CHAT, {**beside, **({"function": patch} if patch else {})})
    if entry.get("type", "function") != "function":
        reader.skipped(at, entry)
        return None
    sources = _RESPONSES if "type" in entry else _CHAT
    return _function(reader, at, entry, sources, reader.rest(at, entry, _KNOWN | {"type"}))


def _function(reader: Reader, at: Pointer, entry: Entry, sources: tuple[str, ...], patch: Entry) -> ImportedTool | None:
    name = reader.name(at, entry)
    tool = ImportedTool(
        at,
        name or "",
        sources,
        description=reader.text(at, entry, "description"),
        parameters=reader.parameters(at, entry, "parameters", demanded=False),
        strict=reader.flag(at, entry, "strict"),
        patch=patch,
    )
    return None if name is None else tool
