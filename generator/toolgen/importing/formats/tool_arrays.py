"""Formats whose tools are definitions in an array, flat or as functions under `function`.

The agent SDK's core types, the custom tools of Anthropic's Messages API and the tools of Kagami are flat: a name, a
description and a schema of the arguments. OpenAI's Chat Completions and modular-prompt have functions under `function`;
in the Responses API, and the former `functions` of a request body, they are flat.

Tools of another type (hosted tools, tools that a provider defines, custom tools with free text) have no schema of their
arguments: they are skipped with a warning. Members without a key in declarations, such as `cache_control`, become the
patch for the wire.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from toolgen.importing.formats import Format
from toolgen.importing.reader import ImportedTool, ImportReader, JsonObject, is_definition
from toolgen.load import Pointer


def _flat_reader(
    wire: str, *further: str, schema: str = "parameters", demands_description: bool = False
) -> Callable[[ImportReader], Iterator[ImportedTool]]:
    """Return a reader for the flat definitions of a wire. `further` are more of their keys; `schema` has the arguments.

    With `demands_description`, an empty description counts as missing.
    """
    known_keys = frozenset(["name", "description", schema, *further])

    def read(reader: ImportReader) -> Iterator[ImportedTool]:
        for at, entry in reader.read_entries("tools", is_definition):
            if "type" in known_keys and entry.get("type") not in (None, "custom", "function"):
                reader.report_skipped(at, entry)
                continue
            name = reader.name(at, entry)
            description = reader.text(at, entry, "description")
            tool = ImportedTool(
                at,
                name or "",
                (wire,),
                description=description or (None if demands_description else description),
                parameters=reader.parameters(at, entry, schema, required=True),
                strict=reader.flag(at, entry, "strict") if "strict" in known_keys else None,
                patch=reader.unknown_members(at, entry, known_keys),
                locations={("parameters",): (*at, schema)},
            )
            if name is not None:
                yield tool

    return read


_CHAT = ("openai_chat", "openai_responses")
_RESPONSES = ("openai_responses", "openai_chat")
_KNOWN = frozenset(["name", "description", "parameters", "strict"])


def _read_openai(reader: ImportReader) -> Iterator[ImportedTool]:
    """Read the functions of a request."""
    value = reader.document.value
    has_functions = isinstance(value, dict) and "tools" not in value and "functions" in value
    if isinstance(value, dict) and "tools" in value:
        reader.report_dropped((), value, ["functions"])
    for at, entry in reader.read_entries("functions" if has_functions else "tools", _is_openai):
        if "function" in entry and entry.get("type", "function") == "function":
            if isinstance(entry["function"], dict):
                yield from _nested(reader, at, entry, _CHAT)
            else:
                reader.report_wrong_type((*at, "function"), entry["function"], "an object")
        elif entry.get("type", "function") != "function":
            reader.report_skipped(at, entry)
        else:
            sources = _RESPONSES if "type" in entry else _CHAT
            yield from _function(reader, at, entry, sources, reader.unknown_members(at, entry, _KNOWN | {"type"}))


def _is_openai(entry: JsonObject) -> bool:
    return "tools" not in entry and ("name" in entry or "function" in entry or entry.get("type") == "function")


def _read_modular_prompt(reader: ImportReader) -> Iterator[ImportedTool]:
    """Read the functions in the options of a query."""
    for at, entry in reader.read_entries("tools", _is_modular_prompt):
        function = entry.get("function")
        if entry.get("type", "function") != "function":
            reader.report_skipped(at, entry)
        elif isinstance(function, dict):
            yield from _nested(reader, at, entry, ("modular_prompt",))
        else:
            reader.report_wrong_type((*at, "function"), function, "an object: the function")


def _is_modular_prompt(entry: JsonObject) -> bool:
    return "tools" not in entry and ("function" in entry or "type" in entry)


def _nested(reader: ImportReader, at: Pointer, entry: JsonObject, sources: tuple[str, ...]) -> Iterator[ImportedTool]:
    """Read a function under `function`."""
    function, inner = entry["function"], (*at, "function")
    # In a patch these two keys would be the function's own.
    reader.report_dropped(at, entry, ["name", "description"])
    beside = reader.unknown_members(at, entry, frozenset(["type", "function", "name", "description"]))
    patch = reader.unknown_members(inner, function, _KNOWN)
    yield from _function(reader, inner, function, sources, {**beside, **({"function": patch} if patch else {})})


def _function(
    reader: ImportReader, at: Pointer, entry: JsonObject, sources: tuple[str, ...], patch: JsonObject
) -> Iterator[ImportedTool]:
    """Yield a function as a tool; nothing, with a finding, if its name is unusable."""
    name = reader.name(at, entry)
    tool = ImportedTool(
        at,
        name or "",
        sources,
        description=reader.text(at, entry, "description"),
        parameters=reader.parameters(at, entry, "parameters", required=False),
        strict=reader.flag(at, entry, "strict"),
        patch=patch,
    )
    if name is not None:
        yield tool


FORMATS = {
    "agent_sdk": Format(
        "an array of tool definitions, or an object with one under `tools`", _flat_reader("agent_sdk", "strict")
    ),
    "anthropic": Format(
        "an array of tools, or a request body with one",
        _flat_reader("anthropic", "type", "strict", schema="input_schema"),
    ),
    "kagami": Format("an array of tools, or a request with one", _flat_reader("kagami", demands_description=True)),
    "modular_prompt": Format("an array of tool definitions, or query options with one", _read_modular_prompt),
    "openai": Format("an array of tools of Chat Completions or Responses, or a request body with one", _read_openai),
}
