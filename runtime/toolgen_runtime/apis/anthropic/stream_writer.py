"""Stream writer for Anthropic Messages."""

from __future__ import annotations

from typing import Any

from ...conversion.stream_writers import BaseStreamWriter, OpenBlocks, SentCall
from ...json_text import compact
from ...models import Completion, ToolCallDelta
from ...paths import ROOT

__all__ = ["AnthropicStreamWriter"]


class AnthropicStreamWriter(BaseStreamWriter):
    """Writes blocks as they arrive. A block stops before the next one starts, unless it is a call that is not complete.

    Consecutive text of one kind is one block. Signatures and citations are known only at the end, so their deltas may
    come after the block has stopped. A block of the complete response is written at the end, as a whole, if it was not
    streamed, or if its deltas came in a different order than the response has.
    """

    HAS_BLOCKS = True

    def _set_up(self) -> None:
        """Create the state of the blocks: what was sent of each, those of calls by the call's index, and the open ones."""
        self._started = False
        self._blocks: list[dict[str, Any]] = []
        self._block_indexes: dict[int, int] = {}
        self._open_blocks = OpenBlocks()

    def _begin(self) -> list[dict[str, Any]]:
        """Return the event that starts the response, before any other event. Empty if it was sent."""
        if self._started:
            return []
        self._started = True
        message: dict[str, Any] = {
            "id": self.id or "",
            "type": "message",
            "role": "assistant",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "model": self.model or "",
            "usage": {"input_tokens": 0, "output_tokens": 0},
        }
        return [{"type": "message_start", "message": message}]

    def _piece(self, kind: str, key: str, text: str) -> list[dict[str, Any]]:
        """Return the events for a piece of text at a key of a block. A block of another kind ends before."""
        events = self._begin()
        index = len(self._blocks) - 1
        if index < 0 or self._blocks[index]["type"] != kind:
            index += 1
            events += self._replace(index, {"type": kind, key: "", **({"signature": ""} if kind == "thinking" else {})})
        self._blocks[index][key] += text
        delta = {"type": f"{kind}_delta", key: text}
        return [*events, {"type": "content_block_delta", "index": index, "delta": delta}]

    def _text(self, text: str) -> list[dict[str, Any]]:
        return self._piece("text", "text", text)

    def _reasoning(self, text: str) -> list[dict[str, Any]]:
        return self._piece("thinking", "thinking", text)

    def _call(self, event: ToolCallDelta) -> list[dict[str, Any]]:
        """Return the events for a piece of a call. Its block starts with the delta that has its id and its name."""
        events = self._begin()
        call = self.sent_call(event.index)
        if event.id is not None and event.name is not None:
            head = {
                "type": "tool_use",
                "id": self.writer.call_id(event.id),
                "name": self.writer.tool_name(event.name, ROOT),
                "input": {},
            }
            index = self._block_indexes[event.index] = len(self._blocks)
            events += self._replace(index, head, call)
        if event.arguments_delta:
            call.arguments += event.arguments_delta
            delta = {"type": "input_json_delta", "partial_json": event.arguments_delta}
            events.append({"type": "content_block_delta", "index": self._block_indexes[event.index], "delta": delta})
        return events

    def _error(self, message: str) -> list[dict[str, Any]]:
        return [*self._begin(), {"type": "error", "error": {"type": self._error_code("api_error"), "message": message}}]

    def _completed(self, body: dict[str, Any], completion: Completion) -> list[dict[str, Any]]:
        """Return the events for what was not sent, and for the end of the response."""
        events = self._begin()
        calls = {block_index: self.calls[index] for index, block_index in self._block_indexes.items()}
        content = body.get("content") or []
        if not self.writer.peek_extras(completion.metadata):
            content = self._as_sent(content)
        for index in sorted(range(len(content)), key=lambda block_index: block_index not in self._open_blocks):
            events += self._unsent(index, content[index], calls.get(index))
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

    def _unsent(self, index: int, block: dict[str, Any], call: SentCall | None) -> list[dict[str, Any]]:
        """Return the events for the part of a block that was not sent yet."""
        if index >= len(self._blocks) or self._blocks[index].get("type") != block.get("type"):
            return self._replace(index, block)
        sent = self._blocks[index]
        if sent.get("id") != block.get("id"):  # another block of the response was sent at this index
            return self._replace(index, block)
        events: list[dict[str, Any]] = []
        if call is not None:
            if not block.keys() <= {"type", "id", "name", "input"}:
                return self._replace(index, block)
            arguments = compact(block.get("input", {}))
            if not call.arguments and arguments != "{}":
                events.append(_delta(index, {"type": "input_json_delta", "partial_json": arguments}))
        else:
            key = "text" if block["type"] == "text" else "thinking"
            before, after = str(sent.get(key, "")), str(block.get(key, ""))
            if not block.keys() <= {"type", key, "signature", "citations"} or not after.startswith(before):
                return self._replace(index, block)
            if after != before:
                events.append(_delta(index, {"type": f"{block['type']}_delta", key: after[len(before) :]}))
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
