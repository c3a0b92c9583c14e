"""Events of Anthropic's Messages: blocks that start, grow and stop, each at its place."""

from __future__ import annotations

from typing import Any

from ...json_text import loads
from ...models import ReasoningDelta, StreamEvent, TextDelta, ToolCallDelta
from ...paths import ROOT
from ...streams import BaseStream, OpenCall, place_of

__all__ = ["AnthropicStream"]

_GROWING = {"text_delta": "text", "thinking_delta": "thinking", "compaction_delta": "content"}
"""Deltas of text, and the member of the block that grows."""


class _Block:
    """A block that is coming: what it started with, and what grew since."""

    __slots__ = ("call", "grown", "head", "text", "texts")

    def __init__(self, head: dict[str, Any]) -> None:
        self.head = head
        self.grown: dict[str, list[str]] = {}
        self.text: list[str] = []
        self.texts: list[str] | None = None
        self.call: OpenCall | None = None

    def grow(self, key: str, piece: str) -> None:
        if key not in self.grown:
            start = self.head.get(key)
            self.grown[key] = [start] if type(start) is str and start else []
        self.grown[key].append(piece)
        if key == "text" and self.head.get("type") == "text":
            self.texts = self.grown[key]


class AnthropicStream(BaseStream):
    """Joins events into a message."""

    def __init__(self, turn: int = 0, *, tools: Any = ()) -> None:
        super().__init__(turn, tools=tools)
        self._message: dict[str, Any] = {}
        self._blocks: dict[Any, _Block] = {}
        self._usage: dict[str, Any] = {}
        self._end = False
        self._rewritten = False

    def feed(self, event: Any) -> list[StreamEvent]:
        """Read one event, in constant time.

        Args:
            event: An event of the stream: a dict, or the client's object.

        Returns:
            The events of the neutral format that it gives; often none.

        Raises:
            ConversionError: The event is neither of them.
        """
        try:
            if event["type"] == "content_block_delta":
                delta = event["delta"]
                block = self._blocks[event["index"]]
                call = block.call
                if len(delta) != 2:
                    pass
                elif call is not None:
                    piece = delta["partial_json"]
                    if type(piece) is str and piece and call.told:
                        call.pieces.append(piece)
                        return [ToolCallDelta(call.index, None, None, piece)]
                elif block.texts is not None:
                    text = delta["text"]
                    if type(text) is str and text:
                        block.texts.append(text)
                        return [TextDelta(text)]
        except (KeyError, TypeError):
            pass  # an event of another form, which is read with care
        return super().feed(event)

    def _take(self, event: dict[str, Any]) -> list[StreamEvent]:
        kind = event.get("type")
        if kind == "content_block_delta":
            delta = event.get("delta")
            if type(delta) is not dict:
                self._spoil(event.get("index", 0))
                return []
            return self._grow(place_of(event.get("index", 0), (ROOT, "index")), delta)
        if kind == "content_block_start":
            return self._start(place_of(event.get("index", 0), (ROOT, "index")), event.get("content_block"))
        if kind == "message_start":
            message = event.get("message")
            if type(message) is dict:
                self._message = {**message}
                self._merge_usage(message.get("usage"))
                self._start_with(message.get("content"))
        elif kind == "message_delta":
            return self._close(event)
        elif kind == "error":
            self._fail(event.get("error"))
        return []

    def _start_with(self, content: Any) -> None:
        if type(content) is list:
            for i, block in enumerate(content):
                self._start(i, block)

    def _start(self, index: Any, head: Any) -> list[StreamEvent]:
        """Begin a block. One that begins again is written anew, with all after it: its text was told before."""
        if type(head) is not dict:
            return []
        self._rewritten = self._rewritten or index in self._blocks
        block = self._blocks[index] = _Block(head)
        kind = head.get("type")
        if kind == "tool_use":
            if self._rewritten:
                block.call = next((call for call in self._calls if call.wire_id == head.get("id")), None)
                if block.call is not None:
                    return []
            call = block.call = OpenCall(len(self._calls), head)
            self._calls.append(call)
            call.place = index if type(index) is int else None
            call.wire_id = head["id"] if type(head.get("id")) is str else None
            call.name = head["name"] if type(head.get("name")) is str else None
            return [self._delta(call, None)]
        text = head.get("text") if kind == "text" else head.get("thinking") if kind == "thinking" else None
        if type(text) is str and text and not self._rewritten:
            return [TextDelta(text) if kind == "text" else ReasoningDelta(text)]
        return []

    def _grow(self, index: Any, delta: dict[str, Any]) -> list[StreamEvent]:
        block = self._blocks.get(index)
        if block is None:
            block = self._blocks[index] = _Block(_assumed(delta))
        kind = delta.get("type")
        if kind == "input_json_delta":
            piece = delta.get("partial_json")
            if type(piece) is not str:
                self._spoil(index)
                return []
            if not piece:
                return []
            if block.call is None:
                block.text.append(piece)
                return []
            block.call.add(piece)
            return [self._delta(block.call, piece)]
        key = _GROWING.get(kind) if type(kind) is str else None
        if key is not None:
            piece = delta.get(key)
            if type(piece) is not str:
                return []
            block.grow(key, piece)
            if key == "content" or not piece:
                return []
            return [TextDelta(piece) if key == "text" else ReasoningDelta(piece)]
        if kind == "signature_delta":
            block.head = {**block.head, "signature": delta.get("signature")}
        elif kind == "citations_delta":
            known = block.head.get("citations")
            block.head = {
                **block.head,
                "citations": [*(known if type(known) is list else []), delta.get("citation")],
            }
        return []

    def _spoil(self, index: Any) -> None:
        """A piece of a block is of the wrong type: what is missing of a call nobody knows."""
        block = self._blocks.get(index) if type(index) is int else None
        if block is not None and block.call is not None:
            block.call.malformed = True

    def _close(self, event: dict[str, Any]) -> list[StreamEvent]:
        delta = event.get("delta")
        if type(delta) is dict:
            before = self._message.get("stop_reason")
            self._message.update(delta)
            self._message["stop_reason"] = self._lasting(before, self._message.get("stop_reason"))
        self._merge_usage(event.get("usage"))
        self._message.update({k: v for k, v in event.items() if k not in ("type", "delta", "usage", "p")})
        if self._message.get("stop_reason") is None:
            return []
        self._end = True
        return self._tell_calls() if self._calls and all(call.told for call in self._calls) else []

    def _merge_usage(self, usage: Any) -> None:
        """Later counts replace earlier ones; a member that is not there again keeps its value."""
        if type(usage) is dict:
            self._usage.update({k: v for k, v in usage.items() if v is not None or k not in self._usage})

    def _fail(self, error: Any) -> None:
        message = error.get("message") if type(error) is dict else error
        self._failure = message if type(message) is str else "the stream reported an error"
        self._message["error"] = error

    def _body(self) -> dict[str, Any]:
        body = {
            **self._message,
            "content": [_whole(self._blocks[i]) for i in sorted(self._blocks, key=_place)],
        }
        if self._usage:
            body["usage"] = self._usage
        return body

    def _ended(self) -> bool:
        return self._end


def _place(index: Any) -> tuple[bool, Any]:
    return (False, index) if type(index) is int else (True, str(index))


def _assumed(delta: dict[str, Any]) -> dict[str, Any]:
    """What a block must have started with whose start was lost."""
    if delta.get("type") == "input_json_delta":
        return {"type": "tool_use", "id": None, "name": "", "input": {}}
    if delta.get("type") in ("thinking_delta", "signature_delta"):
        return {"type": "thinking", "thinking": ""}
    return {"type": "text", "text": ""}


def _whole(block: _Block) -> dict[str, Any]:
    """The block as it stands in a whole message; arguments that are not valid JSON stay text."""
    whole = {**block.head}
    for key, pieces in block.grown.items():
        whole[key] = "".join(pieces)
    pieces = block.call.pieces if block.call is not None else block.text
    if pieces:
        text = "".join(pieces)
        try:
            whole["input"] = loads(text) if text.strip() else {}
        except ValueError:
            whole["input"] = text
        if type(whole["input"]) is not dict:
            whole["input"] = text
    return whole
