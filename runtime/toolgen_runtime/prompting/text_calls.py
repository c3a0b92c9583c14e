"""Calls and results as text: read and write them, and write other text so that it is not read as calls."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..conversion.extras import declared_settings, inner_extras
from ..conversion.tool_results import ResultKind, wrong_kind
from ..conversion.writer import describe_as_text
from ..errors import ConversionError, wrong_type
from ..json_text import JSONError, compact, dump_allowing_nan, loads
from ..models import InvalidCall, OpaquePart, TextPart, ToolCall, ToolDefinition, ToolResult
from ..paths import ROOT
from .tool_blocks import find_blocks, find_whole_text_block, is_block_delimiter, json_line, split_lines_with_positions

__all__ = [
    "PROVIDER",
    "ParsedTextCall",
    "ResponsePiece",
    "ResultEntry",
    "accepted_names",
    "call_text",
    "find_text_calls",
    "join_response_text",
    "make_result",
    "read_result_entries",
    "read_results_text",
    "result_entries_text",
    "results_text",
    "write_result_entry",
]

PROVIDER = "prompt"
"""The key in `metadata` for the original text."""

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
    definitions = [tool for tool in tools if isinstance(tool, ToolDefinition)]
    tool_by_alias: dict[str, str | None] = {}
    for tool in definitions:
        aliases = declared_settings(tool).get("aliases")
        for alias in aliases if isinstance(aliases, list) else ():
            if isinstance(alias, str):
                is_unique = tool_by_alias.get(alias, tool.name) == tool.name
                tool_by_alias[alias] = tool.name if is_unique else None
    unique_aliases = {alias: name for alias, name in tool_by_alias.items() if name is not None}
    return unique_aliases | {tool.name: tool.name for tool in definitions}


def find_text_calls(body: str, names: Mapping[str, str] | None, *, explicit: bool) -> list[ParsedTextCall]:
    """Return the calls in a block that contains one object or a list of objects. Empty if it contains anything else.

    `explicit` means that the block can only mean calls. If `names` is None, every name is accepted.
    """
    try:
        value = loads(body.strip(" \t\r\n"))
    except JSONError:
        return _malformed_calls(body, names) if explicit else []
    calls: list[ParsedTextCall] = []
    for item in value if isinstance(value, list) else [value]:
        call = _parse_call(item, names, explicit)
        if call is None:
            return []
        calls.append(call)
    return calls


def _parse_call(value: Any, names: Mapping[str, str] | None, explicit: bool) -> ParsedTextCall | None:
    """Return the call that an object describes. None if it is not a call."""
    if not isinstance(value, dict):
        return None
    wire_names = [value[key] for key in ("name", "tool") if key in value]
    arguments_values = [value[key] for key in ("arguments", "args") if key in value]
    if not wire_names or not isinstance(wire_names[0], str) or not wire_names[0].strip():
        return None
    wire_name = wire_names[0]
    if not explicit:
        is_accepted = names is None or wire_name in names
        if len(wire_names) > 1 or len(arguments_values) != 1 or not is_accepted:
            return None
    text = compact(value)
    arguments: dict[str, Any] = {}
    invalid: InvalidCall | None = None
    if len(wire_names) > 1 or len(arguments_values) > 1:
        invalid = InvalidCall(text, "malformed")
    elif arguments_values:
        arguments, invalid = _read_arguments(arguments_values[0])
    reasoning, identifier = value.get("reasoning"), value.get("id")
    return ParsedTextCall(
        wire_name=wire_name,
        name=(names or {}).get(wire_name, wire_name),
        arguments=arguments,
        invalid=invalid,
        reasoning=reasoning if isinstance(reasoning, str) else None,
        identifier=identifier if isinstance(identifier, str) else None,
        text=text,
    )


def _read_arguments(value: Any) -> tuple[dict[str, Any], InvalidCall | None]:
    """Return arguments as an object, or as an invalid call with their text. null means no arguments."""
    if isinstance(value, dict):
        return value, None
    if value is None:
        return {}, None
    if not isinstance(value, str):
        return {}, InvalidCall(dump_allowing_nan(value), "not_an_object")
    try:
        arguments = loads(value)
    except JSONError:
        return {}, InvalidCall(value, "malformed")
    if not isinstance(arguments, dict):
        return {}, InvalidCall(value, "not_an_object")
    return arguments, None


def _malformed_calls(body: str, names: Mapping[str, str] | None) -> list[ParsedTextCall]:
    """Return the invalid call of a text that is not valid JSON, if it names a tool."""
    match = re.match(_FIRST_NAME, body, re.DOTALL) or re.search(_ANY_NAME, body, re.DOTALL)
    if match is None:
        return []
    try:
        wire_name: str = loads(match[1])
    except JSONError:
        return []
    if not wire_name.strip():
        return []
    return [
        ParsedTextCall(
            wire_name=wire_name,
            name=(names or {}).get(wire_name, wire_name),
            arguments={},
            invalid=InvalidCall(body, "malformed"),
            reasoning=None,
            identifier=None,
            text=body,
        )
    ]


_CALL_SEPARATOR = "\n\n"
"""Separator between a call and the text around it."""


def call_text(call: ToolCall, reasoning: str | None = None, *, with_id: bool | None = None) -> str:
    """Write a call as a ` ```tool ` fence. A synthetic id is omitted, unless `with_id` says otherwise.

    An invalid call is written with its original text instead of arguments, if no arguments could be read.

    Raises:
        ConversionError: The arguments cannot be written as JSON.
    """
    if with_id is None:
        with_id = inner_extras(call.metadata or {}, PROVIDER).get("$synthetic") != call.id
    entry: dict[str, Any] = {"id": call.id} if with_id else {}
    entry["name"] = call.name
    if reasoning is not None:
        entry["reasoning"] = reasoning
    entry["arguments"] = call.arguments if call.invalid is None or call.arguments else call.invalid.text
    return f"```tool\n{json_line(entry, 'arguments')}\n```"


class ResponsePiece(NamedTuple):
    """A piece of the text of a response: a written call, or any other text."""

    text: str
    is_call: bool


def join_response_text(pieces: Sequence[ResponsePiece]) -> str:
    """Join texts and calls. If any text could be read as a call, the texts are indented so that none is."""
    text, positions = _join(pieces)
    if _reads_as(text, positions):
        return text
    indented = [piece if piece.is_call else ResponsePiece(_indent(piece.text), False) for piece in pieces]
    return _join(indented)[0]


def _join(pieces: Sequence[ResponsePiece]) -> tuple[str, list[int]]:
    """Join the pieces, and return the positions of the calls."""
    parts: list[str] = []
    positions: list[int] = []
    length = 0
    previous: ResponsePiece | None = None
    for piece in pieces:
        is_beside_call = previous is not None and (piece.is_call or previous.is_call)
        separator = _CALL_SEPARATOR if is_beside_call else ""
        if piece.is_call:
            positions.append(length + len(separator))
        parts += (separator, piece.text)
        length += len(separator) + len(piece.text)
        previous = piece
    return "".join(parts), positions


def _reads_as(text: str, positions: list[int]) -> bool:
    """Return whether a text has calls at exactly these positions, whichever tools are offered."""
    blocks = find_blocks(text)
    starts = [
        block.start for block in blocks if block.kind == "tool" and find_text_calls(block.body, None, explicit=True)
    ]
    if starts or positions:
        return starts == positions
    whole = find_whole_text_block(text)
    if whole is not None:
        blocks.append(whole)
    return not any(find_text_calls(block.body, None, explicit=False) for block in blocks)


def _indent(text: str) -> str:
    """Indent lines of a text that could start or end a block."""
    indented = "\n".join(
        "    " + line if is_block_delimiter(line) else line for line, _ in split_lines_with_positions(text)
    )
    whole = find_whole_text_block(indented)
    return indented if whole is None else f"{indented[: whole.start]}    {indented[whole.start :]}"


_RESULTS_BEGIN = "Results of your calls, each one JSON on a line:\n"
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
        if not isinstance(value, list):
            raise wrong_type((ROOT, "value"), "an array", value)
        entry["texts"] = [describe_as_text(part) for part in value]
    elif kind not in ("text", "data", "error"):
        raise wrong_kind((ROOT, "value"))
    elif kind != "data" and not isinstance(value, str):
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
    lines = ["\n" + json_line(entry, f"results[{i}].value") for i, entry in enumerate(entries)]
    return _RESULTS_BEGIN + "".join(lines)


def results_text(results: Iterable[ToolResult]) -> str:
    """Write results as the text of a user message.

    Raises:
        ConversionError: A value does not have the type of its kind, or cannot be written as JSON.
    """
    return result_entries_text([write_result_entry(result) for result in results])


def read_result_entries(text: str) -> list[ResultEntry] | None:
    """Read the lines of results. None for any other text."""
    if not text.startswith(_RESULTS_BEGIN + "\n"):
        return None
    try:
        objects = [loads(line) for line in text[len(_RESULTS_BEGIN) + 1 :].split("\n")]
        if not all(isinstance(value, dict) for value in objects) or result_entries_text(objects) != text:
            return None
    except (JSONError, ConversionError):
        return None
    entries: list[ResultEntry] = []
    for value in objects:
        entry = _read_result_entry(value)
        if entry is None:
            return None
        entries.append(entry)
    return entries


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


def _read_result_entry(entry: dict[str, Any]) -> ResultEntry | None:
    """Read a line. None if it is not exactly as `write_result_entry` writes it."""
    value_keys = [key for key in entry if key in _KINDS]
    if len(value_keys) != 1:
        return None
    (key,) = value_keys
    if list(entry) != [name for name in ("id", "name", key, "failed") if name in entry]:
        return None
    failed = entry.get("failed")
    if failed is not None and (failed is not True or key == "error"):
        return None
    if not isinstance(entry.get("name"), str) or not isinstance(entry.get("id", ""), str):
        return None
    value = entry[key]
    if key in ("text", "error") and not isinstance(value, str):
        return None
    if key == "texts" and not (isinstance(value, list) and all(isinstance(text, str) for text in value)):
        return None
    return ResultEntry(entry.get("id"), entry["name"], _KINDS[key], value, failed is True)
