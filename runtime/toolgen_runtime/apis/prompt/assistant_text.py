"""Conversion between assistant messages and text.

The original text wins if it means the same. An id is only written if reading the text would make another one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...conversion.extras import Extras, inner_extras, restore_extras, unmapped_members
from ...conversion.reader import Reader
from ...conversion.values import optional_text, to_plain_object
from ...conversion.wire import synthetic_id
from ...conversion.writer import Writer
from ...errors import BareApiError
from ...history import has_tool_calls
from ...json_values import same_json
from ...models import (
    AssistantMessage,
    AssistantPart,
    Completion,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolCall,
    ToolCallPart,
)
from ...paths import ROOT, Path, format_path
from ...prompting.text_calls import ResponsePiece, call_text, join_response_text
from ...prompting.text_parser import CallMaker, parse_response_text

__all__ = [
    "AssistantTextWriter",
    "PlainStringResponse",
    "read_assistant_text",
    "read_text_response",
    "to_response_object",
    "write_text_response",
]


def read_assistant_text(text: str, names: Mapping[str, str], reader: Reader) -> AssistantMessage:
    """Read an assistant message from text in which tools have these names. The reader notes its calls."""
    message = parse_response_text(text, names, (), CallMaker(reader.turn, reader.used), reader.wire.wire_name)
    for part in message.content if type(message.content) is list else ():
        if type(part) is ToolCallPart:
            reader.decode_call(part.call)
            reader.note_call(part.call.id, part.call)
    return message


class AssistantTextWriter:
    """Writes assistant messages as text, one after the other.

    `turn` is the number of messages before the first one. None means a single response, without synthetic ids.
    """

    __slots__ = ("_turn", "_used", "_writer")

    def __init__(self, writer: Writer, turn: int | None = 0) -> None:
        self._writer = writer
        self._turn = turn
        self._used: set[str] = set()

    def write_message(self, message: AssistantMessage, extras: Extras, at: Path) -> str | None:
        """Write a message, whose own extras are `extras`. Return None if it has no content.

        Raises:
            ConversionError: The arguments of a call cannot be written as JSON.
        """
        turn = self._turn
        self._turn = None if turn is None else turn + 1
        content = message.content
        if content is None:
            return None
        parts: list[AssistantPart] = [TextPart(content)] if isinstance(content, str) else content
        calls = self._calls(parts, (at, "content"))
        text_mark = inner_extras(extras, "$text")
        original, names = text_mark.get("text"), text_mark.get("names")
        wire_names = (
            {key: self._writer.wire.wire_name(str(name)) for key, name in names.items()} if type(names) is dict else {}
        )
        if type(original) is str and self._says(original, wire_names, parts, calls, turn):
            text = original
        else:
            pieces = self._pieces(parts, calls, (at, "content"), turn)
            text = join_response_text(pieces)
            if not self._says(text, {call.name: call.name for call in calls}, parts, calls, turn):
                self._writer.report_loss((at, "content"), "content", "rewritten", "it would be read back differently")
        self._used.update(call.id for call in calls)
        return text

    def _calls(self, parts: list[AssistantPart], at: Path) -> list[ToolCall]:
        """Return the calls of a message, with the names and ids of the wire."""
        calls: list[ToolCall] = []
        for i, part in enumerate(parts):
            if type(part) is ToolCallPart:
                here = ((at, i), "call")
                call = self._writer.encode_call(part.call, here)
                name = self._writer.tool_name(call.name, (here, "name"))
                identifier = self._writer.call_id(call.id)
                calls.append(ToolCall(identifier, name, call.arguments, call.invalid, call.metadata))
        return calls

    def _says(
        self, text: str, names: Mapping[str, str], parts: list[AssistantPart], calls: list[ToolCall], turn: int | None
    ) -> bool:
        """Return whether a text, read at its position, means these parts and calls."""
        read = parse_response_text(text, names, (), CallMaker(turn or 0, set(self._used))).content
        again = [TextPart(read)] if isinstance(read, str) else read or []
        if [_text(part) for part in again] != [_text(part) for part in parts]:
            return False
        parsed_calls = [part.call for part in again if type(part) is ToolCallPart]
        if len(parsed_calls) != len(calls) or not all(map(_same_call, parsed_calls, calls)):
            return False
        return turn is None or [call.id for call in parsed_calls] == [call.id for call in calls]

    def _pieces(
        self, parts: list[AssistantPart], calls: list[ToolCall], at: Path, turn: int | None
    ) -> list[ResponsePiece]:
        """Return the texts, and the calls with the reasoning before them."""
        pieces: list[ResponsePiece] = []
        thought: str | None = None
        waiting = iter(enumerate(calls))
        for i, part in enumerate(parts):
            here = (at, i)
            if type(part) is ToolCallPart:
                position, call = next(waiting)
                self._writer.own_extras(part.metadata, here)
                self._writer.own_extras(call.metadata, (here, "call"))
                with_id = None if turn is None else call.id != synthetic_id(turn, position)
                pieces.append(ResponsePiece(call_text(call, thought, with_id=with_id), True))
                thought = None
            elif (
                type(part) is ReasoningPart and i + 1 < len(parts) and type(parts[i + 1]) is ToolCallPart and part.text
            ):
                self._writer.own_extras(part.metadata, here)
                self._writer.report_adopted_reasoning(part.metadata, here)
                thought = part.text
            elif type(part) is TextPart or type(part) is RefusalPart:
                self._text(part, pieces, bool(calls), here)
            else:
                self._writer.report_unsupported(
                    here, self._writer.part_class_name(part, here), "note" if type(part) is ReasoningPart else "warning"
                )
        return pieces

    def _text(self, part: TextPart | RefusalPart, pieces: list[ResponsePiece], beside_calls: bool, at: Path) -> None:
        """Add a text, joined to the text directly before it."""
        self._writer.write_text_part_as_string(part, at)
        if type(part) is RefusalPart:
            self._writer.report_loss(at, "refusal", "rewritten", "the format has only text")
        if beside_calls and not part.text.strip():
            self._writer.report_loss(at, "text", "dropped", "it is blank, next to calls")
        elif pieces and not pieces[-1].is_call:
            self._writer.report_loss(at[0], "content", "rewritten", "adjacent texts are joined")
            pieces[-1] = ResponsePiece(pieces[-1].text + part.text, False)
        else:
            pieces.append(ResponsePiece(part.text, False))


def _text(part: AssistantPart) -> tuple[str, str]:
    return part.type, part.text if isinstance(part, (TextPart, ReasoningPart)) else ""


def _same_call(parsed: ToolCall, expected: ToolCall) -> bool:
    """Return whether two calls have the same name and arguments, or the same invalid text."""
    if parsed.name != expected.name:
        return False
    if parsed.invalid is not None:
        return expected.invalid is not None and parsed.invalid.text == expected.invalid.text
    return same_json(parsed.arguments, expected.arguments)


class PlainStringResponse(dict[str, Any]):
    """The object for a response that is only a string."""


def to_response_object(value: Any, at: Path) -> dict[str, Any]:
    """Return the object with the `content` of a response.

    Raises:
        ConversionError: The value is neither a string nor an object.
    """
    return PlainStringResponse(content=value) if type(value) is str else to_plain_object(value, at)


_KNOWN = frozenset(["content"])


def read_text_response(wire: dict[str, Any], at: Path, reader: Reader, names: Mapping[str, str]) -> Completion:
    """Read a response in which tools have these names.

    Raises:
        BareApiError: The response is an API error.
        ConversionError: The content is not a string.
    """
    if wire.get("content") is None and wire.get("error"):
        raise BareApiError(format_path(at), wire)
    content = optional_text(wire, "content", at)
    reader.used.clear()  # as in messages
    message = AssistantMessage(None) if content is None else read_assistant_text(content, names, reader)
    extras = {} if type(wire) is PlainStringResponse else {**unmapped_members(wire, _KNOWN), "$whole": True}
    if "content" not in wire:
        extras["$absent"] = ["content"]
    return Completion(message, "tool_calls" if has_tool_calls(message) else "stop", metadata=reader.as_metadata(extras))


def write_text_response(completion: Completion, writer: Writer) -> Any:
    """Write a response as a string, or as an object if it was read from one.

    Raises:
        ConversionError: The arguments of a call cannot be written as JSON.
    """
    extras = writer.own_extras(completion.metadata, ROOT)
    for field in ("id", "model", "stopReason", "usage"):
        if getattr(completion, "stop_reason" if field == "stopReason" else field, None) is not None:
            writer.report_unsupported((ROOT, field), field)
    if completion.finish_reason not in ("stop", "tool_calls"):
        writer.report_unsupported((ROOT, "finishReason"), "finishReason", "warning")
    at = (ROOT, "message")
    message = _without_cut_off_calls(completion.message, (at, "content"), writer)
    if getattr(message, "name", None) is not None:
        writer.report_unsupported((at, "name"), "name")
    text = AssistantTextWriter(writer, None).write_message(message, writer.own_extras(message.metadata, at), at)
    if "$whole" not in extras:
        return text or ""
    wire: dict[str, Any] = {} if text is None and "$absent" in extras else {"content": text}
    restore_extras(wire, extras)
    return wire


def _without_cut_off_calls(message: AssistantMessage, at: Path, writer: Writer) -> AssistantMessage:
    """Return a message of a response without calls that were cut off or filtered. As text they could be run."""
    if type(message.content) is not list:
        return message
    parts: list[AssistantPart] = []
    for i, part in enumerate(message.content):
        if type(part) is ToolCallPart and part.call.invalid and part.call.invalid.reason in ("truncated", "filtered"):
            writer.report_loss((at, i), "a call", "dropped", "it was cut off, and text cannot say so", "warning")
        else:
            parts.append(part)
    return message if len(parts) == len(message.content) else replace(message, content=parts)
