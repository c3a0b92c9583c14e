"""Stream for Anthropic Messages, whose blocks start, grow and stop at their index."""

from __future__ import annotations

from typing import Any

from ...conversion.streams import BaseStream, IndexedBlocks, OpenCall, read_hashable_index
from ...json_text import dump_allowing_nan, loads
from ...models import (
    ReasoningDelta,
    StreamEvent,
    TextDelta,
)
from ...paths import ROOT

__all__ = ["AnthropicStream"]

_GROWING = {"text_delta": "text", "thinking_delta": "thinking", "compaction_delta": "content"}
"""The key of the block that each text delta extends."""


class AnthropicStream(BaseStream):
    """Joins the events of a stream into a message."""

    def __init__(self, turn: int = 0, *, tools: Any = ()) -> None:
        super().__init__(turn, tools=tools)
        self._message: dict[str, Any] = {}
        self._blocks = IndexedBlocks()
        self._usage: dict[str, Any] = {}
        self._end = False
        self._rewritten = False

    def _read_event(self, event: dict[str, Any]) -> list[StreamEvent]:
        """Take one event of the stream, and return the events of the format that follow from it."""
        kind = event.get("type")
        if kind == "content_block_delta":
            delta = event.get("delta")
            if type(delta) is not dict:
                self._spoil(event.get("index", 0))
                return []
            return self._grow(read_hashable_index(event.get("index", 0), (ROOT, "index")), delta)
        if kind == "content_block_start":
            index = read_hashable_index(event.get("index", 0), (ROOT, "index"))
            return self._start(index, event.get("content_block"), replaces=event.get("replaces") is True)
        if kind == "content_block_stop":
            block = self._blocks.get(read_hashable_index(event.get("index", 0), (ROOT, "index")))
            return [] if block is None else self._initial_arguments(block)
        if kind == "message_start":
            message = event.get("message")
            if type(message) is dict:
                self._message = {**message}
                self._merge_usage(message.get("usage"))
                content = message.get("content")
                for i, block in enumerate(content if type(content) is list else ()):
                    self._start(i, block)
        elif kind == "message_delta":
            self._update_message(event)
            if self._message.get("stop_reason") is not None:
                return self._close()
        elif kind == "message_stop":
            return self._close()  # the response is whole, even if it has no reason
        elif kind == "error" or (kind is None and event.get("error")):  # gateways send the error alone
            self._fail(event.get("error"))
        return []

    def _start(self, index: Any, head: Any, *, replaces: bool = False) -> list[StreamEvent]:
        """Start a block. Its index may have been used before.

        If it replaces a block (`AnthropicStreamWriter`), it and those after it return no text: it was already returned.
        """
        if type(head) is not dict:
            return []
        self._rewritten = self._rewritten or replaces
        kind = head.get("type")
        before = self._blocks.get(index)
        owner = self._owners.get(str(head.get("id"))) if before is not None or self._rewritten else None
        if before is not None and not before.started and not replaces:
            block = before
            block.start(head)
        else:
            is_same_call = before is not None and owner is not None and before.call is owner
            block = self._blocks.add(index, StreamedBlock(head), replaces=replaces or is_same_call)
        if kind == "tool_use":
            if owner is not None:
                block.call = owner
                return []
            return self._start_call(block, head, index if before in (None, block) else None)
        text = head.get(kind) if kind in ("text", "thinking") else None
        if type(text) is str and text and not self._rewritten:
            return [TextDelta(text) if kind == "text" else ReasoningDelta(text)]
        return []

    def _start_call(self, block: StreamedBlock, head: dict[str, Any], index: Any) -> list[StreamEvent]:
        """Start the call of a block. `index` is that of the block, or None if another block had it before."""
        call = block.call = OpenCall(len(self._calls), head)
        self._calls.append(call)
        call.wire_index = index if type(index) is int else None
        call.wire_id = head["id"] if type(head.get("id")) is str else None
        call.name = head["name"] if type(head.get("name")) is str else None
        call.pieces = block.early_arguments
        return [self._delta(call, "".join(call.pieces) or None)]

    def _grow(self, index: Any, delta: dict[str, Any]) -> list[StreamEvent]:
        """Extend a block by a delta."""
        block = self._blocks.get(index)
        if block is None:
            block = self._blocks.add(index, StreamedBlock(_assumed_head(delta), started=False))
        kind = delta.get("type")
        if kind == "input_json_delta":
            return self._grow_arguments(block, index, delta.get("partial_json"))
        if kind == "signature_delta":
            block.head = {**block.head, "signature": delta.get("signature")}
        elif kind == "citations_delta":
            citations = block.head.get("citations")
            earlier = citations if type(citations) is list else []
            block.head = {**block.head, "citations": [*earlier, delta.get("citation")]}
        elif kind == "compaction_delta":  # only the summary grows: other keys, such as `encrypted_content`, arrive once
            members = {key: value for key, value in delta.items() if key not in ("type", "content")}
            new_members = {k: v for k, v in members.items() if v is not None or k not in block.head}
            block.head = {**block.head, **new_members}
        key = _GROWING.get(kind) if type(kind) is str else None
        piece = None if key is None else delta.get(key)
        if key is None or type(piece) is not str:
            return []
        block.grow(key, piece)
        if key == "content" or not piece:
            return []
        return [TextDelta(piece) if key == "text" else ReasoningDelta(piece)]

    def _grow_arguments(self, block: StreamedBlock, index: Any, piece: Any) -> list[StreamEvent]:
        """Extend the arguments of a call. They wait in the block until its start has arrived."""
        if type(piece) is not str:
            self._spoil(index)
            return []
        if not piece:
            return []
        if block.call is None:
            block.early_arguments.append(piece)
            return []
        block.call.add(piece)
        return [self._delta(block.call, piece)]

    def _initial_arguments(self, block: StreamedBlock) -> list[StreamEvent]:
        """Return the arguments of a complete call that had them at its start, because no delta repeats them."""
        call, arguments = block.call, block.head.get("input")
        if call is None or call.pieces or type(arguments) is not dict or not arguments:
            return []
        block.had_input = True
        text = dump_allowing_nan(arguments)
        call.add(text)
        return [self._delta(call, text)]

    def _spoil(self, index: Any) -> None:
        """Mark the call of a block as malformed: a delta has the wrong type, so part of its arguments is missing."""
        block = self._blocks.get(index) if type(index) is int else None
        if block is not None and block.call is not None:
            block.call.malformed = True

    def _update_message(self, event: dict[str, Any]) -> None:
        """Merge what is known at the end of the message: the stop reason, counts of tokens and unknown keys."""
        delta = event.get("delta")
        if type(delta) is dict:
            before = self._message.get("stop_reason")
            self._message.update(delta)
            self._message["stop_reason"] = self._final_stop_reason(before, self._message.get("stop_reason"))
        self._merge_usage(event.get("usage"))
        self._message.update({k: v for k, v in event.items() if k not in ("type", "delta", "usage", "p")})

    def _close(self) -> list[StreamEvent]:
        """End the response, unless it has ended, and return the events of its calls."""
        if self._end:
            return []
        self._end = True
        blocks = self._blocks.in_order()  # stops may be missing
        events = [event for block in blocks for event in self._initial_arguments(block)]
        if self._calls and all(call.was_announced for call in self._calls):
            events += self._call_events()
        return events

    def _merge_usage(self, usage: Any) -> None:
        """Merge usage: later counts replace earlier ones, and a missing or null count keeps its earlier value."""
        if type(usage) is dict:
            self._usage.update({k: v for k, v in usage.items() if v is not None or k not in self._usage})

    def _fail(self, error: Any) -> None:
        """Record an error of the stream, also as a member of the response."""
        self._record_error(error)
        self._message["error"] = error

    def _body(self) -> dict[str, Any]:
        """Return the response so far as the body that the API would have returned as a whole."""
        body = {**self._message, "content": [block.assemble() for block in self._blocks.in_order()]}
        if self._usage:
            body["usage"] = self._usage
        return body

    def _ended(self) -> bool:
        return self._end


class StreamedBlock:
    """A block of a stream: what it started with, and what was added since.

    `grown` has the texts that were added, by key. `early_arguments` are those of a call whose start has not arrived.
    `had_input` means that the call had its arguments at the start, so they are not read from text. `started` means
    that its start has arrived.
    """

    __slots__ = ("call", "early_arguments", "grown", "had_input", "head", "started")

    def __init__(self, head: dict[str, Any], *, started: bool = True) -> None:
        self.head = head
        self.started = started
        self.grown: dict[str, list[str]] = {}
        self.early_arguments: list[str] = []
        self.call: OpenCall | None = None
        self.had_input = False

    def grow(self, key: str, piece: str) -> None:
        """Add text to a key of the block."""
        if key not in self.grown:
            start = self.head.get(key)
            self.grown[key] = [start] if type(start) is str and start else []
        self.grown[key].append(piece)

    def start(self, head: dict[str, Any]) -> None:
        """Take the start of the block, which arrived after some of its deltas."""
        self.started = True
        self.head = {**head, **{key: value for key, value in self.head.items() if value and key != "type"}}
        for key, pieces in self.grown.items():
            if type(head.get(key)) is str:
                pieces.insert(0, head[key])

    def assemble(self) -> dict[str, Any]:
        """Return the complete block. Arguments that are not a valid JSON object stay text."""
        complete = {**self.head}
        for key, pieces in self.grown.items():
            complete[key] = "".join(pieces)
        pieces = self.call.pieces if self.call is not None else self.early_arguments
        if pieces and not self.had_input:
            text = "".join(pieces)
            try:
                complete["input"] = loads(text) if text.strip() else {}
            except ValueError:
                complete["input"] = text
            if type(complete["input"]) is not dict:
                complete["input"] = text
        return complete


def _assumed_head(delta: dict[str, Any]) -> dict[str, Any]:
    """Return the start of a block whose start event was lost."""
    if delta.get("type") == "input_json_delta":
        return {"type": "tool_use", "id": None, "name": "", "input": {}}
    if delta.get("type") in ("thinking_delta", "signature_delta"):
        return {"type": "thinking", "thinking": ""}
    if delta.get("type") == "compaction_delta":
        return {"type": "compaction", "content": None}
    return {"type": "text", "text": ""}
