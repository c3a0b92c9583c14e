"""Stream and stream writer for Anthropic Messages, whose blocks start, grow and stop at their index."""

from __future__ import annotations

from typing import Any

from ...conversion.stream_writers import BaseStreamWriter, OpenBlocks, SentCall
from ...conversion.streams import BaseStream, IndexedBlocks, OpenCall, read_hashable_index
from ...json_text import compact, dump_allowing_nan
from ...models import Completion, ReasoningDelta, StreamEvent, TextDelta, ToolCallDelta
from ...paths import ROOT
from .fields import StreamedBlock

__all__ = ["AnthropicStream", "AnthropicStreamWriter"]

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
            return [] if block is None else self._tell_input(block)
        if kind == "message_start":
            message = event.get("message")
            if type(message) is dict:
                self._message = {**message}
                self._merge_usage(message.get("usage"))
                content = message.get("content")
                for i, block in enumerate(content if type(content) is list else ()):
                    self._start(i, block)
        elif kind == "message_delta":
            self._take_end(event)
            if self._message.get("stop_reason") is not None:
                return self._close()
        elif kind == "message_stop":
            return self._close()  # the response is whole, even if it has no reason
        elif kind == "error":
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
        known = self._owners.get(str(head.get("id"))) if before is not None or self._rewritten else None
        if before is not None and not before.started and not replaces:
            block = before
            block.start(head)
        else:
            is_same = before is not None and known is not None and before.call is known
            block = self._blocks.add(index, StreamedBlock(head), replaces=replaces or is_same)
        if kind == "tool_use":
            if known is not None:
                block.call = known
                return []
            call = block.call = OpenCall(len(self._calls), head)
            self._calls.append(call)
            call.wire_index = index if type(index) is int and before in (None, block) else None
            call.wire_id = head["id"] if type(head.get("id")) is str else None
            call.name = head["name"] if type(head.get("name")) is str else None
            call.pieces = block.text
            return [self._delta(call, "".join(call.pieces) or None)]
        text = head.get("text") if kind == "text" else head.get("thinking") if kind == "thinking" else None
        if type(text) is str and text and not self._rewritten:
            return [TextDelta(text) if kind == "text" else ReasoningDelta(text)]
        return []

    def _grow(self, index: Any, delta: dict[str, Any]) -> list[StreamEvent]:
        block = self._blocks.get(index)
        if block is None:
            block = self._blocks.add(index, StreamedBlock(_assumed(delta), started=False))
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
        if kind == "compaction_delta":  # only the summary grows: other keys, such as `encrypted_content`, arrive once
            rest = {k: v for k, v in delta.items() if k not in ("type", "content")}
            block.head = {**block.head, **{k: v for k, v in rest.items() if v is not None or k not in block.head}}
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

    def _tell_input(self, block: StreamedBlock) -> list[StreamEvent]:
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

    def _take_end(self, event: dict[str, Any]) -> None:
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
        events = [event for block in blocks for event in self._tell_input(block)]
        if self._calls and all(call.was_announced for call in self._calls):
            events += self._call_events()
        return events

    def _merge_usage(self, usage: Any) -> None:
        """Merge usage: later counts replace earlier ones, and a missing or null count keeps its earlier value."""
        if type(usage) is dict:
            self._usage.update({k: v for k, v in usage.items() if v is not None or k not in self._usage})

    def _fail(self, error: Any) -> None:
        self._record_error(error)
        self._message["error"] = error

    def _body(self) -> dict[str, Any]:
        body = {**self._message, "content": [block.assemble() for block in self._blocks.in_order()]}
        if self._usage:
            body["usage"] = self._usage
        return body

    def _ended(self) -> bool:
        return self._end


def _assumed(delta: dict[str, Any]) -> dict[str, Any]:
    """Return the start of a block whose start event was lost."""
    if delta.get("type") == "input_json_delta":
        return {"type": "tool_use", "id": None, "name": "", "input": {}}
    if delta.get("type") in ("thinking_delta", "signature_delta"):
        return {"type": "thinking", "thinking": ""}
    if delta.get("type") == "compaction_delta":
        return {"type": "compaction", "content": None}
    return {"type": "text", "text": ""}


class AnthropicStreamWriter(BaseStreamWriter):
    """Writes blocks as they arrive. A block stops before the next one starts, unless it is a call that is not complete.

    Consecutive text of one kind is one block. Signatures and citations are known only at the end, so their deltas may
    come after the block has stopped. A block of the complete response is written at the end, as a whole, if it was not
    streamed, or if its deltas came in a different order than the response has.
    """

    HAS_BLOCKS = True

    def _set_up(self) -> None:
        self._started = False
        self._blocks: list[dict[str, Any]] = []
        self._block_indexes: dict[int, int] = {}
        self._open_blocks = OpenBlocks()

    def _begin(self) -> list[dict[str, Any]]:
        if self._started:
            return []
        self._started = True
        message: dict[str, Any] = {
            "type": "message",
            "role": "assistant",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
        }
        usage = {"input_tokens": 0, "output_tokens": 0}
        return [
            {
                "type": "message_start",
                "message": {"id": self.id or "", **message, "model": self.model or "", "usage": usage},
            }
        ]

    def _open(self, head: dict[str, Any], call: SentCall | None = None) -> tuple[int, list[dict[str, Any]]]:
        index = len(self._blocks)
        return index, self._replace(index, head, call)

    def _piece(self, kind: str, key: str, text: str) -> list[dict[str, Any]]:
        events = self._begin()
        index = len(self._blocks) - 1
        if index < 0 or self._blocks[index]["type"] != kind:
            index, started = self._open({"type": kind, key: "", **({"signature": ""} if kind == "thinking" else {})})
            events += started
        self._blocks[index][key] += text
        delta = {"type": f"{kind}_delta", key: text}
        return [*events, {"type": "content_block_delta", "index": index, "delta": delta}]

    def _text(self, text: str) -> list[dict[str, Any]]:
        return self._piece("text", "text", text)

    def _reasoning(self, text: str) -> list[dict[str, Any]]:
        return self._piece("thinking", "thinking", text)

    def _call(self, event: ToolCallDelta) -> list[dict[str, Any]]:
        events = self._begin()
        call = self.sent_call(event.index)
        if event.id is not None and event.name is not None:
            head = {
                "type": "tool_use",
                "id": self.writer.call_id(event.id),
                "name": self.writer.tool_name(event.name, ROOT),
                "input": {},
            }
            self._block_indexes[event.index], started = self._open(head, call)
            events += started
        if event.arguments_delta:
            call.arguments += event.arguments_delta
            delta = {"type": "input_json_delta", "partial_json": event.arguments_delta}
            events.append({"type": "content_block_delta", "index": self._block_indexes[event.index], "delta": delta})
        return events

    def _error(self, message: str) -> list[dict[str, Any]]:
        return [
            *self._begin(),
            {"type": "error", "error": {"type": "api_error", "message": message}},
        ]

    def _completed(self, body: dict[str, Any], completion: Completion) -> list[dict[str, Any]]:
        events = self._begin()
        calls = {block_index: self.calls[index] for index, block_index in self._block_indexes.items()}
        content = body.get("content") or []
        if not self.writer.peek_extras(completion.metadata):
            content = self._as_sent(content)
        for index in sorted(range(len(content)), key=lambda block_index: block_index not in self._open_blocks):
            events += self._rest(index, content[index], calls.get(index))
            events += map(_stop, self._open_blocks.stop([index]))
        events += map(_stop, self._open_blocks.stop(range(len(self._blocks))))
        top = {k: v for k, v in body.items() if k not in ("content", "stop_reason", "stop_sequence", "usage", "error")}
        delta = {"stop_reason": body.get("stop_reason"), "stop_sequence": body.get("stop_sequence")}
        end: dict[str, Any] = {"type": "message_delta", "delta": {**delta, **top}}
        if "usage" in body:
            end["usage"] = body["usage"]
        events.append(end)
        if body.get("error"):
            events.append({"type": "error", "error": body["error"]})
        if delta["stop_reason"] is not None or completion.finish_reason != "error":
            events.append({"type": "message_stop"})
        return events

    def _as_sent(self, content: list[Any]) -> list[Any]:
        """Match another provider's parts to the blocks that were sent: texts of one kind are joined."""
        blocks: list[Any] = []
        for block in content:
            last = blocks[-1] if blocks else {}
            key = "text" if block["type"] == "text" else "thinking"
            if key in block and block.keys() == last.keys() and block.keys() <= {"type", key, "signature"}:
                blocks[-1] = {**last, key: last[key] + block[key]}
            else:
                blocks.append(block)
        return blocks

    def _rest(self, index: int, block: dict[str, Any], call: Any) -> list[dict[str, Any]]:
        """Return the events for the part of a block that was not sent yet."""
        if index >= len(self._blocks) or self._blocks[index].get("type") != block.get("type"):
            return self._replace(index, block)
        sent = self._blocks[index]
        if sent.get("id") != block.get("id"):  # another block of the response was sent at this index
            return self._replace(index, block)
        key = "text" if block["type"] == "text" else "thinking"
        if call is not None:
            text = compact(block.get("input", {}))
            rest = text if not call.arguments and text != "{}" else ""
            whole = block.keys() <= {"type", "id", "name", "input"}
        else:
            before, after = str(sent.get(key, "")), str(block.get(key, ""))
            rest = after[len(before) :]
            whole = block.keys() <= {"type", key, "signature", "citations"} and after.startswith(before)
        if not whole:
            return self._replace(index, block)
        events: list[dict[str, Any]] = []
        if rest and call is not None:
            events.append(_delta(index, {"type": "input_json_delta", "partial_json": rest}))
        elif rest:
            events.append(_delta(index, {"type": f"{block['type']}_delta", key: rest}))
        for citation in block.get("citations") or []:
            events.append(_delta(index, {"type": "citations_delta", "citation": citation}))
        if block.get("signature"):
            events.append(_delta(index, {"type": "signature_delta", "signature": block["signature"]}))
        return events

    def _replace(self, index: int, block: dict[str, Any], call: SentCall | None = None) -> list[dict[str, Any]]:
        """Start a block, or start it again, with its complete content. Then the event says that it replaces a block."""
        stops = [_stop(stopped) for stopped in self._open_blocks.start(index, call)]
        replaces = {"replaces": True} if index < len(self._blocks) else {}
        self._blocks[index : index + 1] = [{**block}]
        return [*stops, {"type": "content_block_start", "index": index, "content_block": {**block}, **replaces}]


def _stop(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def _delta(index: int, delta: dict[str, Any]) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": delta}
