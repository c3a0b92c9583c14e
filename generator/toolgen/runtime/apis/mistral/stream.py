"""Chunks of Chat Completions whose content is a text or a list, by turns, with thoughts as texts in lists of their own."""

from __future__ import annotations

from typing import Any

from ...models import ReasoningDelta, StreamEvent, TextDelta
from ...streams import OpenCall, order_by_place
from ..openai_chat.stream import ChatStream
from .client import error_in, unwrapped

__all__ = ["MistralStream"]


class _Thought:
    """A thought that is coming: its object without the texts, and these: a list of pieces for each text in a row."""

    __slots__ = ("head", "items")

    def __init__(self) -> None:
        self.head: dict[str, Any] = {}
        self.items: list[Any] = []

    def take(self, item: Any) -> str:
        """Take what a piece brings, and return its text."""
        if not _is_text(item):
            self.items.append(item)
            return ""
        if not self.items or type(self.items[-1]) is not list:
            self.items.append([])
        self.items[-1].append(item["text"])
        return str(item["text"])

    def assemble(self) -> dict[str, Any]:
        """The thought as far as it came."""
        items = [_text_of(item) if type(item) is list else item for item in self.items]
        return {"type": "thinking", **self.head, "thinking": items}


class MistralStream(ChatStream):
    """Joins chunks into a `chat.completion`, with the parts of its content in the order in which they came.

    Pieces of text in a row are one text, and so are those of a thought. The last text waits in `_text`.
    """

    _plain = staticmethod(unwrapped)

    def __init__(self, turn: int = 0, *, tools: Any = ()) -> None:
        super().__init__(turn, tools=tools)
        self._parts: list[Any] = []
        self._thought: _Thought | None = None
        self._listed = False

    def _take(self, event: dict[str, Any]) -> list[StreamEvent]:
        error = error_in(event)
        if error is event:
            self._fail(error)
            return []
        return super()._take(event)

    def _take_delta(self, delta: dict[str, Any], events: list[StreamEvent]) -> None:
        content = delta.get("content")
        if "tool_calls" in delta and not delta["tool_calls"]:
            self._message.setdefault("tool_calls", delta["tool_calls"])
        if type(content) is not list:
            super()._take_delta(delta, events)
            return
        self._has_content = self._listed = True
        for part in content:
            self._take_part(part, events)
        super()._take_delta({key: value for key, value in delta.items() if key != "content"}, events)

    def _take_part(self, part: Any, events: list[StreamEvent]) -> None:
        if _is_text(part):
            if part["text"]:
                self._text.append(part["text"])
                events.append(TextDelta(part["text"]))
            return
        known = type(part) is dict
        if known and part.get("type") == "thinking" and type(part.get("thinking")) is list:
            self._take_thought(part, events)
            return
        self._close_text()
        self._parts.append(part)
        if known and part.get("type") == "text" and type(part.get("text")) is str and part["text"]:
            events.append(TextDelta(part["text"]))

    def _take_thought(self, part: dict[str, Any], events: list[StreamEvent]) -> None:
        """Take a piece of a thought; one without text says more of the last thought, whatever came after that."""
        thought = self._thought
        if thought is None or (part["thinking"] and (self._text or self._parts[-1] is not thought)):
            self._close_text()
            thought = self._thought = _Thought()
            self._parts.append(thought)
        thought.head.update({key: value for key, value in part.items() if key != "thinking"})
        for item in part["thinking"]:
            text = thought.take(item)
            if text:
                events.append(ReasoningDelta(text))

    def _close_text(self) -> None:
        """What waits is a text of its own, for something else comes after it."""
        if self._text:
            self._parts.append(_text_of(self._text))
            self._text.clear()

    def _take_call(self, piece: dict[str, Any], position: int, events: list[StreamEvent]) -> None:
        nameless = piece.get("id") == "null"  # what a piece has instead of the id that came before
        super()._take_call({**piece, "id": None} if nameless else piece, position, events)

    def _call_of(self, piece: dict[str, Any], function: dict[str, Any], position: int) -> OpenCall:
        call = super()._call_of(piece, function, position)
        if type(piece.get("index")) is int:
            call.head["index"] = piece["index"]
        return call

    def _body(self) -> dict[str, Any]:
        body = super()._body()
        return {key: value for key, value in body.items() if value != "" or key not in ("id", "model")}

    def _joined_choice(self, index: Any) -> dict[str, Any]:
        choice = super()._joined_choice(index)
        for call, entry in zip(order_by_place(self._entries), choice["message"].get("tool_calls") or (), strict=False):
            if "type" not in call.head:
                entry.pop("type", None)
        if self._listed:
            parts = [part.assemble() if type(part) is _Thought else part for part in self._parts]
            choice["message"]["content"] = parts + ([_text_of(self._text)] if self._text else [])
        return choice


def _is_text(part: Any) -> bool:
    """Whether a part is a text and nothing more."""
    return type(part) is dict and len(part) == 2 and part.get("type") == "text" and type(part.get("text")) is str


def _text_of(pieces: list[str]) -> dict[str, str]:
    return {"type": "text", "text": "".join(pieces)}
