"""Stream and stream writer for Ollama's chat."""

from __future__ import annotations

from typing import Any

from ...conversion.responses import format_rfc3339
from ...conversion.stream_writers import BaseStreamWriter
from ...conversion.streams import BaseStream, OpenCall
from ...errors import wrong_type
from ...json_text import dump_allowing_nan
from ...models import Completion, ReasoningDelta, StreamEvent, TextDelta, ToolCallDelta
from ...paths import ROOT, Path

__all__ = ["OllamaStream", "OllamaStreamWriter"]

_MESSAGE: Path = (ROOT, "message")


class OllamaStream(BaseStream):
    """Joins chunks into one response. Texts and lists grow; calls arrive complete in any chunk, even the last."""

    def __init__(self, turn: int = 0, *, tools: Any = ()) -> None:
        super().__init__(turn, tools=tools)
        self._top: dict[str, Any] = {}
        self._message: dict[str, Any] = {}
        self._texts: dict[str, list[str]] = {}
        self._done = False

    def _read_event(self, event: dict[str, Any]) -> list[StreamEvent]:
        """Take one line of the stream, and return the events of its message."""
        message = event.get("message")
        error = event.get("error")
        if type(message) is not dict and type(event.get("done")) is not bool and not error:
            return []
        self._merge_top(event)
        self._done = self._done or event.get("done") is True
        if error:
            self._record_error(error)
        if type(message) is not dict:
            return []
        return [event for key, value in message.items() for event in self._read_member(key, value)]

    def _read_member(self, key: str, value: Any) -> list[StreamEvent]:
        """Add a member of a chunk's message to the message so far. Return the events for its text or its calls."""
        if key in ("content", "thinking"):
            return self._read_text(key, value)
        if key == "role":
            self._message[key] = value
            return []
        self._message[key] = _join_chunk_values(self._message.get(key), value)
        if key != "tool_calls" or type(value) is not list:
            return []
        return [event for call in value for event in self._read_call(call)]

    def _read_text(self, key: str, value: Any) -> list[StreamEvent]:
        """Add a piece of the content or of the thinking. Null is kept until there is text.

        Raises:
            ConversionError: The value is neither a string nor null.
        """
        if value is None:
            self._message.setdefault(key, None)
            return []
        if type(value) is not str:
            raise wrong_type((_MESSAGE, key), "a string", value)
        self._texts.setdefault(key, []).append(value)
        if not value:
            return []
        return [TextDelta(value) if key == "content" else ReasoningDelta(value)]

    def _read_call(self, call: Any) -> list[StreamEvent]:
        """Read a call, which arrives complete. Anything except a function call is only part of the response."""
        function = call.get("function") if type(call) is dict else None
        if type(function) is not dict:
            return []
        open_call = OpenCall(len(self._calls), call)
        self._calls.append(open_call)
        identifier = self._names.assign_call_id(call.get("id"), ((_MESSAGE, "tool_calls"), open_call.index))
        open_call.was_announced = type(function.get("name")) is str
        open_call.add(dump_allowing_nan(function.get("arguments") or {}))
        name = self._names.tool_name(function["name"]) if open_call.was_announced else None
        return [ToolCallDelta(open_call.index, identifier, name, "".join(open_call.pieces))]

    def _merge_top(self, event: dict[str, Any]) -> None:
        """Merge the keys beside the message."""
        for key, value in event.items():
            if key != "message" and (value is not None or key not in self._top):
                before = self._top.get(key)
                latest = self._final_stop_reason(before, value) if key == "done_reason" else value
                self._top[key] = _join_chunk_values(before, latest) if type(latest) is list else latest

    def _body(self) -> dict[str, Any]:
        """Return the response so far."""
        texts = {key: "".join(pieces) for key, pieces in self._texts.items()}
        return {**self._top, "message": {**self._message, **texts}}

    def _ended(self) -> bool:
        """Return whether the last chunk has arrived."""
        return self._done


def _join_chunk_values(old: Any, new: Any) -> Any:
    """Join the values of two chunks: texts and lists grow, other values replace, and null replaces nothing."""
    if type(old) is type(new) and type(new) in (str, list):
        return old + new
    return old if new is None else new


class OllamaStreamWriter(BaseStreamWriter):
    """Writes a chunk for each piece of text. The last chunk has all calls, complete, and is the only one with usage."""

    def _line(self, key: str, text: str) -> list[dict[str, Any]]:
        """Return a chunk with a piece of text under a key of its message."""
        line: dict[str, Any] = {} if self.model is None else {"model": self.model}
        if self.created is not None:
            line["created_at"] = format_rfc3339(self.created)
        message = {"role": "assistant", "content": "", key: text}
        return [{**line, "message": message, "done": False}]

    def _text(self, text: str) -> list[dict[str, Any]]:
        return self._line("content", text)

    def _reasoning(self, text: str) -> list[dict[str, Any]]:
        return self._line("thinking", text)

    def _call(self, event: ToolCallDelta) -> list[dict[str, Any]]:
        """Return nothing: the last chunk has the calls."""
        return []

    def _error(self, message: str) -> list[dict[str, Any]]:
        return [{"error": message}]

    def _completed(self, body: dict[str, Any], completion: Completion) -> list[dict[str, Any]]:
        """Return the last chunk: the response without the text that was already sent."""
        message = dict(body.get("message") or {})
        for key, sent in (("content", "".join(self.text)), ("thinking", "".join(self.reasoning))):
            text = message.get(key)
            if type(text) is not str:
                continue
            if not text.startswith(sent):
                self.writer.report_loss((ROOT, "message"), key, "dropped", "other text was already sent", "warning")
            unsent = text[len(sent) :] if text.startswith(sent) else ""
            if unsent or key == "content":
                message[key] = unsent
            else:
                del message[key]
        return [{**body, "message": message}]
