"""Stream and stream writer for copilot-quorum, whose events are tagged variants."""

from __future__ import annotations

from typing import Any

from ...conversion.fields import INVALID_ARGUMENTS_KEY
from ...conversion.stream_writers import BaseStreamWriter
from ...conversion.streams import BaseStream, OpenCall, read_hashable_index
from ...conversion.values import optional_text, to_plain_object
from ...errors import wrong_type
from ...json_text import dump_allowing_nan, loads
from ...models import Completion, StreamEvent, TextDelta, ToolCallDelta
from ...paths import ROOT, Path

__all__ = ["CopilotQuorumStream", "CopilotQuorumStreamWriter"]


def _variant(value: Any, at: Path) -> dict[str, Any]:
    """Return an event as an object. A variant without a value is a string, and means nothing for the response."""
    return {} if type(value) is str else to_plain_object(value, at)


class CopilotQuorumStream(BaseStream):
    """Joins events into one response. A complete response at the end wins over what was streamed."""

    _plain = staticmethod(_variant)

    def __init__(self, turn: int = 0, *, tools: Any = ()) -> None:
        super().__init__(turn, tools=tools)
        self._parts: list[list[str] | OpenCall] = []
        self._slots: dict[Any, OpenCall] = {}
        self._streamed: list[str] = []
        self._text: str | None = None
        self._whole: dict[str, Any] | None = None

    def _read_event(self, event: dict[str, Any]) -> list[StreamEvent]:
        """Take one event, which is an object with a single key. Any other event is ignored.

        Raises:
            ConversionError: The value of a known key has the wrong type.
        """
        if len(event) != 1:
            return []
        ((kind, value),) = event.items()
        at = (ROOT, kind)
        if kind in ("Delta", "Completed", "Error"):
            if type(value) is not str:
                raise wrong_type(at, "a string", value)
            return self._take_text(kind, value)
        if kind in ("ToolCallDelta", "CompletedResponse"):
            if type(value) is not dict:
                raise wrong_type(at, "an object", value)
            return self._take_call(value, at) if kind == "ToolCallDelta" else self._take_whole(value, at)
        return []

    def _take_text(self, kind: str, text: str) -> list[StreamEvent]:
        """Take an event whose value is a text: a piece of text, all of it, or the message of an error."""
        if kind == "Error":
            self._failure = self._failure or text or "the stream reported an error"
            return []
        if kind == "Completed":
            self._text = text
            return self._stream_rest(text)
        if not text:
            return []
        last = self._parts[-1] if self._parts else None
        if isinstance(last, list):
            last.append(text)
        else:
            self._parts.append([text])
        self._streamed.append(text)
        return [TextDelta(text)]

    def _take_call(self, piece: dict[str, Any], at: Path) -> list[StreamEvent]:
        """Take a piece of a call. The first event of a call says that it has started, even without arguments."""
        call = self._call_at(read_hashable_index(piece.get("index"), (at, "index")))
        identifier, name = optional_text(piece, "id", at), optional_text(piece, "name", at)
        text = optional_text(piece, "arguments_delta", at)
        call.wire_id, call.name = call.wire_id or identifier, call.name or name
        if text:
            call.add(text)
        announced = call.was_announced
        delta = self._delta(call, text or None)
        return [delta] if text or call.was_announced != announced else []

    def _call_at(self, index: Any) -> OpenCall:
        """Return the call at an index, which is a new one if no event had this index."""
        call = self._slots.get(index)
        if call is None:
            call = OpenCall(len(self._calls), {})
            self._slots[index] = call
            self._calls.append(call)
            self._parts.append(call)
        return call

    def _take_whole(self, body: dict[str, Any], at: Path) -> list[StreamEvent]:
        """Read the complete response, and return events for what was not streamed."""
        blocks = body.get("content")
        if type(blocks) is not list:
            raise wrong_type((at, "content"), "an array", blocks)
        self._whole = body
        variants = [block for block in blocks if type(block) is dict]
        texts = [block["Text"] for block in variants if type(block.get("Text")) is str]
        events = self._stream_rest("".join(texts))
        calls = [block["ToolUse"] for block in variants if type(block.get("ToolUse")) is dict]
        for i, tool_use in enumerate(calls):
            if i == len(self._calls):
                self._call_at(("whole", i))
            call = self._calls[i]
            identifier, name = optional_text(tool_use, "id", at), optional_text(tool_use, "name", at)
            call.wire_id, call.name = call.wire_id or identifier, call.name or name
            text = None if call.pieces else dump_allowing_nan(tool_use.get("input") or {})
            if text is not None:
                call.add(text)
            announced = call.was_announced
            delta = self._delta(call, text)
            if text is not None or call.was_announced != announced:
                events.append(delta)
        return [*events, *self._call_events()] if self._failure is None else events

    def _stream_rest(self, text: str) -> list[StreamEvent]:
        """Return an event for the part of a text that was not streamed."""
        streamed = "".join(self._streamed)
        if not text.startswith(streamed) or text == streamed:
            return []
        self._streamed = [text]
        return [TextDelta(text[len(streamed) :])]

    def _body(self) -> dict[str, Any]:
        """Return the response as it was given as a whole, else what the events so far amount to."""
        if self._whole is not None:
            return self._whole
        blocks: list[dict[str, Any]] = []
        if self._text is not None:
            blocks.append({"Text": self._text})
        for part in self._parts:
            if isinstance(part, OpenCall):
                arguments = _arguments("".join(part.pieces))
                blocks.append({"ToolUse": {"id": part.wire_id, "name": part.name or "", "input": arguments}})
            elif self._text is None:
                blocks.append({"Text": "".join(part)})
        return {"content": blocks, "stop_reason": None, "model": None}

    def _ended(self) -> bool:
        """Return whether the complete response, or its complete text, has arrived."""
        return self._whole is not None or self._text is not None


def _arguments(text: str) -> dict[str, Any]:
    """Parse the text of arguments. Text that is not a map becomes the value of a special key."""
    if not text or text.isspace():
        return {}
    try:
        arguments = loads(text)
    except ValueError:
        return {INVALID_ARGUMENTS_KEY: text}
    return arguments if type(arguments) is dict else {INVALID_ARGUMENTS_KEY: text}


class CopilotQuorumStreamWriter(BaseStreamWriter):
    """Writes deltas as they arrive, and the complete response at the end. After an error it has no stop reason."""

    failed = False

    def _text(self, text: str) -> list[dict[str, Any]]:
        return [{"Delta": text}]

    def _call(self, event: ToolCallDelta) -> list[dict[str, Any]]:
        """Return the event for a piece of a call."""
        piece = {
            "index": event.index,
            "id": None if event.id is None else self.writer.call_id(event.id),
            "name": None if event.name is None else self.writer.tool_name(event.name, ROOT),
            "arguments_delta": event.arguments_delta,
        }
        return [{"ToolCallDelta": piece}]

    def _error(self, message: str) -> list[dict[str, Any]]:
        self.failed = True
        return [{"Error": message}]

    def _completed(self, body: dict[str, Any], completion: Completion) -> list[dict[str, Any]]:
        if self.failed and completion.stop_reason is None:
            body = {**body, "stop_reason": None}
        return [{"CompletedResponse": body}]
