"""Stream for Cohere's chat. Content, calls and citations each have their own index."""

from __future__ import annotations

from typing import Any

from ...conversion.streams import BaseStream, IndexedBlocks, OpenCall, read_hashable_index
from ...models import ReasoningDelta, StreamEvent, TextDelta
from ...paths import ROOT

__all__ = ["CohereStream"]

_GROWING = ("text", "thinking")
"""Keys of a content block whose text arrives in pieces."""
_ASSUMED_CALL = {"type": "function"}
"""The start of a call before it has arrived."""


class _Block:
    """A content block of the stream: what it started with, and what was added since.

    `started` means that its start has arrived.
    """

    __slots__ = ("grown", "head", "started")

    def __init__(self, head: dict[str, Any], *, started: bool = True) -> None:
        self.started = started
        self.head = {key: value for key, value in head.items() if key not in _GROWING or type(value) is not str}
        self.grown: dict[str, list[str]] = {
            key: [head[key]] for key in _GROWING if key in head and type(head[key]) is str
        }

    def start(self, head: _Block) -> None:
        """Take the start of the block, which arrived after some of its deltas."""
        self.started = True
        self.head |= head.head
        for key, pieces in head.grown.items():
            self.grown[key] = [*pieces, *self.grown.get(key, ())]

    def assemble(self) -> dict[str, Any]:
        """Return the complete block."""
        return {**self.head, **{key: "".join(pieces) for key, pieces in self.grown.items()}}


class CohereStream(BaseStream):
    """Joins the events of a stream into a response."""

    def __init__(self, turn: int = 0, *, tools: Any = ()) -> None:
        super().__init__(turn, tools=tools)
        self._top: dict[str, Any] = {}
        self._message: dict[str, Any] = {}
        self._plan: list[str] = []
        self._blocks = IndexedBlocks()
        self._entries = IndexedBlocks()
        self._citations: list[Any] = []
        self._logprobs: list[Any] = []
        self._whole: dict[str, Any] | None = None
        self._end = False

    def _read_event(self, event: dict[str, Any]) -> list[StreamEvent]:
        kind = event.get("type")
        delta = event.get("delta")
        if type(delta) is not dict:
            delta = {}
        if kind == "message-end":
            return self._close(event, delta)
        message = delta.get("message")
        if type(message) is not dict:
            message = {}
        if kind == "message-start":
            return self._begin(event, message)
        index = read_hashable_index(event.get("index", 0), (ROOT, "index"))
        if kind == "tool-plan-delta":
            return self._take_plan(message.get("tool_plan"))
        if kind == "content-start":
            return self._start(index, message.get("content"))
        if kind == "content-delta":
            if event.get("logprobs") is not None:
                self._logprobs.append(event["logprobs"])
            return self._grow(index, message.get("content"))
        if kind == "tool-call-start":
            return self._call(index, message.get("tool_calls"))
        if kind == "tool-call-delta":
            return self._argue(index, message.get("tool_calls"))
        if kind == "citation-start" and "citations" in message:
            self._citations.append(message["citations"])
        return []

    def _begin(self, event: dict[str, Any], message: dict[str, Any]) -> list[StreamEvent]:
        """Begin the message. It already has the keys that later events fill, usually empty."""
        self._top.update({key: value for key, value in event.items() if key not in ("type", "delta")})
        events = self._take_plan(message.get("tool_plan"))
        for key, take in (("content", self._start), ("tool_calls", self._call)):
            found = message.get(key)
            for i, head in enumerate(found if type(found) is list else ()):
                events += take(i, head)
        citations = message.get("citations")
        self._citations += citations if type(citations) is list else []
        known = ("citations", "content", "tool_calls", "tool_plan")
        self._message.update({key: value for key, value in message.items() if key not in known})
        return events

    def _take_plan(self, piece: Any) -> list[StreamEvent]:
        if type(piece) is not str or not piece:
            return []
        self._plan.append(piece)
        return [ReasoningDelta(piece)]

    def _start(self, index: Any, head: Any) -> list[StreamEvent]:
        if type(head) is not dict:
            return []
        block = _Block(head)
        events = _text_events(block, {key: pieces[0] for key, pieces in block.grown.items()})
        before = self._blocks.get(index)
        if before is not None and not before.started:
            before.start(block)
        else:
            self._blocks.add(index, block)
        return events

    def _grow(self, index: Any, delta: Any) -> list[StreamEvent]:
        if type(delta) is not dict:
            return []
        block = self._blocks.get(index)
        if block is None:  # its start was lost
            kind = "thinking" if "thinking" in delta else "text"
            block = self._blocks.add(index, _Block({"type": kind}, started=False))
        pieces = {key: delta[key] for key in _GROWING if type(delta.get(key)) is str}
        for key, piece in pieces.items():
            block.grown.setdefault(key, []).append(piece)
        block.head.update({key: value for key, value in delta.items() if key not in _GROWING and key != "type"})
        return _text_events(block, pieces)

    def _call(self, index: Any, head: Any) -> list[StreamEvent]:
        if type(head) is not dict:
            return []
        function = head.get("function")
        if type(function) is not dict:
            function = {}
        is_function = head.get("type", "function") == "function"
        before = self._entries.get(index)
        if before is not None and (
            before.head is _ASSUMED_CALL or (before.wire_id and before.wire_id == head.get("id"))
        ):
            call = before
            call.head = head
        else:
            call = self._entries.add(index, OpenCall(len(self._calls) if is_function else -1, head))
            call.wire_index = index if type(index) is int and before is None else None
            if not is_function:
                return []
            self._calls.append(call)
        text = function.get("arguments")
        call.wire_id = head["id"] if type(head.get("id")) is str else None
        call.name = function["name"] if type(function.get("name")) is str else None
        if type(text) is str and text:
            call.add(text)
            return [self._delta(call, text)]
        return [self._delta(call, None)]

    def _argue(self, index: Any, delta: Any) -> list[StreamEvent]:
        function = delta.get("function") if type(delta) is dict else None
        piece = function.get("arguments") if type(function) is dict else None
        if type(piece) is not str and index in self._entries:
            self._entries[index].malformed = True
        if type(piece) is not str or not piece:
            return []
        if index not in self._entries:  # its start was lost
            self._call(index, _ASSUMED_CALL)
        call = self._entries[index]
        call.add(piece)
        return [self._delta(call, piece)] if call.index >= 0 else []

    def _close(self, event: dict[str, Any], delta: dict[str, Any]) -> list[StreamEvent]:
        """End the response. Toolgen's own writer adds the complete message here if the other events do not suffice."""
        if type(event.get("id")) is str:
            self._top["id"] = event["id"]
        if type(delta.get("message")) is dict:
            self._whole = delta["message"]
        before = self._top.get("finish_reason")
        self._top.update({key: value for key, value in delta.items() if key != "message"})
        if before is not None:
            self._top["finish_reason"] = self._final_stop_reason(before, self._top["finish_reason"])
        error = delta.get("error")
        if error:
            self._failure = error if type(error) is str else "the stream reported an error"
        self._end = True
        return self._call_events() if self._calls and all(call.was_announced for call in self._calls) else []

    def _body(self) -> dict[str, Any]:
        body = {**self._top}
        if self._logprobs:
            body.setdefault("logprobs", self._logprobs)
        body["message"] = self._whole if self._whole is not None else self._joined()
        return body

    def _joined(self) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", **self._message}
        if self._plan:
            message["tool_plan"] = "".join(self._plan)
        if self._blocks:
            message["content"] = [block.assemble() for block in self._blocks.in_order()]
        if self._entries:
            message["tool_calls"] = [_whole_call(call) for call in self._entries.in_order()]
        if self._citations:
            message["citations"] = self._citations
        return message

    def _ended(self) -> bool:
        return self._end


def _text_events(block: _Block, pieces: dict[str, str]) -> list[StreamEvent]:
    """Return the events for new text of a block."""
    kind = block.head.get("type")
    piece = pieces.get(kind) if kind in _GROWING else None
    if not piece:
        return []
    return [TextDelta(piece) if kind == "text" else ReasoningDelta(piece)]


def _whole_call(call: OpenCall) -> dict[str, Any]:
    """Return the complete call."""
    if call.index < 0:
        return call.head
    function = call.head.get("function")
    whole: dict[str, Any] = {"name": "", **(function if type(function) is dict else {})}
    if call.pieces:
        whole["arguments"] = "".join(call.pieces)
    return {**call.head, "function": whole}
