"""Read and write calls and results as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..conversion.extras import inner_extras
from ..conversion.tool_results import ResultKind, wrong_kind
from ..conversion.writer import describe_as_text
from ..errors import ConversionError, wrong_type
from ..json_text import JSONError, compact, dump_allowing_nan, loads
from ..models import InvalidCall, OpaquePart, TextPart, ToolDefinition, ToolResult
from ..paths import ROOT
from .tool_blocks import json_line

__all__ = [
    "ParsedTextCall",
    "ResultEntry",
    "accepted_names",
    "find_text_calls",
    "make_result",
    "read_result_entries",
    "read_results_text",
    "result_entries_text",
    "results_text",
    "write_result_entry",
]

_BEGIN = "Results of your calls, each one JSON on a line:\n"
_KINDS: dict[str, ResultKind] = {
    "text": "text",
    "data": "data",
    "error": "error",
    "texts": "multimodal",
}
"""The kind of a result, by the key of its value."""


class ResultEntry(NamedTuple):
    """A line with a result: the id of the call, if it has one, the name of the tool, and the value."""

    identifier: str | None
    name: str
    kind: ResultKind
    value: Any
    failed: bool


def write_result_entry(result: ToolResult) -> dict[str, Any]:
    """Return the line of a result as a JSON object. Text parts become their text, other parts a description.

    Raises:
        ConversionError: The value does not have the type of its kind.
    """
    entry: dict[str, Any] = {"id": result.tool_call_id, "name": result.name}
    kind, value = result.kind, result.value
    if kind == "multimodal":
        if type(value) is not list:
            raise wrong_type((ROOT, "value"), "an array", value)
        entry["texts"] = [describe_as_text(part) for part in value]
    elif kind not in ("text", "data", "error"):
        raise wrong_kind((ROOT, "value"))
    elif kind != "data" and type(value) is not str:
        raise wrong_type((ROOT, "value"), "a string", value)
    else:
        entry[kind] = value
    if result.is_error and kind != "error":
        entry["failed"] = True
    return entry


def result_entries_text(entries: Sequence[dict[str, Any]]) -> str:
    """Write the lines of results, below an introduction.

    Raises:
        ConversionError: A value cannot be written as JSON.
    """
    return _BEGIN + "".join("\n" + json_line(entry, f"results[{i}].value") for i, entry in enumerate(entries))


def results_text(results: Iterable[ToolResult]) -> str:
    """Write results as the text of a user message.

    Raises:
        ConversionError: A value does not have the type of its kind, or cannot be written as JSON.
    """
    return result_entries_text([write_result_entry(result) for result in results])


def read_result_entries(text: str) -> list[ResultEntry] | None:
    """Read the lines of results. None for any other text."""
    if not text.startswith(_BEGIN + "\n"):
        return None
    try:
        entries = [loads(line) for line in text[len(_BEGIN) + 1 :].split("\n")]
        if any(type(entry) is not dict for entry in entries) or result_entries_text(entries) != text:
            return None
    except (JSONError, ConversionError):
        return None
    found = [_entry(entry) for entry in entries]
    whole = [entry for entry in found if entry is not None]
    return whole if len(whole) == len(found) else None


def read_results_text(text: str) -> list[ToolResult] | None:
    """Read results that `results_text` wrote. None for any other text."""
    entries = read_result_entries(text)
    if entries is None:
        return None
    return [make_result(entry, entry.identifier or "") for entry in entries]


def make_result(entry: ResultEntry, tool_call_id: str) -> ToolResult:
    """Return the result of a line, as the result of the call with this id."""
    value = [TextPart(text) for text in entry.value] if entry.kind == "multimodal" else entry.value
    return ToolResult(tool_call_id, entry.name, entry.kind, value, entry.failed or None)


def _entry(entry: dict[str, Any]) -> ResultEntry | None:
    """Read a line. None if it contains anything else."""
    keys = [key for key in entry if key in _KINDS]
    failed = entry.get("failed")
    if len(keys) != 1 or list(entry) != [key for key in ("id", "name", keys[0], "failed") if key in entry]:
        return None
    (key,) = keys
    value = entry[key]
    fits = {
        "text": type(value) is str,
        "error": type(value) is str and failed is None,
        "data": True,
        "texts": type(value) is list and all(type(text) is str for text in value),
    }
    if not fits[key] or (failed is not None and failed is not True) or type(entry.get("name")) is not str:
        return None
    identifier = entry.get("id")
    if "id" in entry and type(identifier) is not str:
        return None
    return ResultEntry(identifier, entry["name"], _KINDS[key], value, failed is True)


_STRING = r'"(?:[^"\\]|\\.)*+"'
_FIRST_NAME = rf'\s*+\{{(?:\s*+"(?:id|reasoning)"\s*+:\s*+{_STRING}\s*+,)*\s*+"(?:name|tool)"\s*+:\s*+({_STRING})'
_ANY_NAME = rf'"(?:name|tool)"\s*+:\s*+({_STRING})'


class ParsedTextCall(NamedTuple):
    """A call in text: the tool's name as written (`wire_name`) and as declared, and the `identifier` of the call.

    `text` is the object as compact JSON, or the original text if it was not a JSON object.
    """

    wire_name: str
    name: str
    arguments: dict[str, Any]
    invalid: InvalidCall | None
    reasoning: str | None
    identifier: str | None
    text: str


def accepted_names(tools: Iterable[ToolDefinition | OpaquePart]) -> dict[str, str]:
    """Map each name that a call may use to that of its tool: the name itself, and aliases of only one tool."""
    named = [tool for tool in tools if type(tool) is ToolDefinition]
    aliased: dict[str, str | None] = {}
    for tool in named:
        aliases = inner_extras(tool.metadata or {}, "declaration").get("$aliases")
        for alias in aliases if type(aliases) is list else ():
            if type(alias) is str:
                aliased[alias] = tool.name if aliased.get(alias, tool.name) == tool.name else None
    found = {alias: name for alias, name in aliased.items() if name is not None}
    return found | {tool.name: tool.name for tool in named}


def find_text_calls(body: str, names: Mapping[str, str] | None, *, explicit: bool) -> list[ParsedTextCall]:
    """Return the calls in a block that contains one object or a list of objects. Empty if it contains anything else.

    `explicit` means that the block can only mean calls. If `names` is None, every name is accepted.
    """
    try:
        value = loads(body.strip(" \t\r\n"))
    except JSONError:
        return _broken(body, names) if explicit else []
    found = [_parsed_call(item, names, explicit) for item in (value if type(value) is list else [value])]
    calls = [call for call in found if call is not None]
    return calls if len(calls) == len(found) else []


def _parsed_call(value: Any, names: Mapping[str, str] | None, explicit: bool) -> ParsedTextCall | None:
    """Return the call that an object describes. None if it is not a call."""
    if type(value) is not dict:
        return None
    given_names = [value[key] for key in ("name", "tool") if key in value]
    given = [value[key] for key in ("arguments", "args") if key in value]
    if not given_names or type(given_names[0]) is not str or not given_names[0].strip():
        return None
    wire_name = given_names[0]
    if not explicit and (len(given_names) > 1 or len(given) != 1 or (names is not None and wire_name not in names)):
        return None
    text = compact(value)
    arguments, invalid = _arguments(given[0]) if given else ({}, None)
    if len(given_names) > 1 or len(given) > 1:
        arguments, invalid = {}, InvalidCall(text, "malformed")
    reasoning, identifier = (value.get(key) for key in ("reasoning", "id"))
    return ParsedTextCall(
        wire_name,
        (names or {}).get(wire_name, wire_name),
        arguments,
        invalid,
        reasoning if type(reasoning) is str else None,
        identifier if type(identifier) is str else None,
        text,
    )


def _arguments(value: Any) -> tuple[dict[str, Any], InvalidCall | None]:
    """Return arguments as an object, or as an invalid call with their text. null means no arguments."""
    if type(value) is dict:
        return value, None
    if value is None:
        return {}, None
    if type(value) is not str:
        return {}, InvalidCall(dump_allowing_nan(value), "not_an_object")
    try:
        read = loads(value)
    except JSONError:
        return {}, InvalidCall(value, "malformed")
    return (read, None) if type(read) is dict else ({}, InvalidCall(value, "not_an_object"))


def _broken(body: str, names: Mapping[str, str] | None) -> list[ParsedTextCall]:
    """Return the invalid call of a text that is not valid JSON, if it names a tool."""
    found = re.match(_FIRST_NAME, body, re.DOTALL) or re.search(_ANY_NAME, body, re.DOTALL)
    try:
        wire_name = loads(found[1]) if found else ""
    except JSONError:
        wire_name = ""
    if not wire_name.strip():
        return []
    return [
        ParsedTextCall(
            wire_name, (names or {}).get(wire_name, wire_name), {}, InvalidCall(body, "malformed"), None, None, body
        )
    ]
