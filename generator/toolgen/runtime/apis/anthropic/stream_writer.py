"""Events of an answer as events of Anthropic's Messages."""

from __future__ import annotations

from typing import Any

from ...conversion.writer import OnLoss
from ...json_text import compact
from ...models import Completion, ToolCallDelta
from ...paths import ROOT
from ...streams import BaseStreamWriter

__all__ = ["AnthropicStreamWriter"]


class AnthropicStreamWriter(BaseStreamWriter):
    """Writes blocks as they come; what only the end knows of them (signatures, citations) comes before their stop.

    Text of one kind in a row is one block. A block of the whole answer that did not come in pieces is written whole
    at the end; so is one whose pieces came in another order than the answer has.
    """

    def __init__(self, *, id: str | None = None, created: int | None = None, on_loss: OnLoss | None = None) -> None:
        super().__init__(id=id, created=created, on_loss=on_loss)
        self._started = False
        self._blocks: list[dict[str, Any]] = []
        self._places: dict[int, int] = {}

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
                "message": {"id": self.id or "", **message, "model": "", "usage": usage},
            }
        ]

    def _open(self, head: dict[str, Any]) -> tuple[int, list[dict[str, Any]]]:
        index = len(self._blocks)
        self._blocks.append({**head})
        return index, [{"type": "content_block_start", "index": index, "content_block": head}]

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
        call = self.sent(event.index)
        if event.index not in self._places:
            if event.id is None or event.name is None:
                return events
            head = {
                "type": "tool_use",
                "id": self.writer.call_id(event.id),
                "name": self.writer.tool_name(event.name, ROOT),
                "input": {},
            }
            self._places[event.index], started = self._open(head)
            call.named = True
            events += started
        if event.arguments_delta:
            call.arguments += event.arguments_delta
            delta = {"type": "input_json_delta", "partial_json": event.arguments_delta}
            events.append({"type": "content_block_delta", "index": self._places[event.index], "delta": delta})
        return events

    def _error(self, message: str) -> list[dict[str, Any]]:
        return [
            *self._begin(),
            {"type": "error", "error": {"type": "api_error", "message": message}},
        ]

    def _completed(self, body: dict[str, Any], completion: Completion) -> list[dict[str, Any]]:
        events = self._begin()
        calls = {place: self.calls[index] for index, place in self._places.items()}
        content = body.get("content") or []
        if not self.writer.kept_extras(completion.metadata):
            content = self._as_sent(content)
        for index, block in enumerate(content):
            events += self._rest(index, block, calls.get(index))
        for index in range(len(self._blocks)):
            events.append({"type": "content_block_stop", "index": index})
        top = {k: v for k, v in body.items() if k not in ("content", "stop_reason", "stop_sequence", "usage", "error")}
        delta = {"stop_reason": body.get("stop_reason"), "stop_sequence": body.get("stop_sequence")}
        end: dict[str, Any] = {"type": "message_delta", "delta": {**delta, **top}}
        if "usage" in body:
            end["usage"] = body["usage"]
        events.append(end)
        if body.get("error"):
            events.append({"type": "error", "error": body["error"]})
        events.append({"type": "message_stop"})
        return events

    def _as_sent(self, content: list[Any]) -> list[Any]:
        """Another provider's parts as the blocks that were sent: texts in a row are one, unsigned reasoning stays."""
        blocks: list[Any] = []
        for block in content:
            place = len(blocks)
            if place < len(self._blocks) and self._blocks[place]["type"] == "thinking" != block["type"]:
                blocks.append(self._blocks[place])
            last = blocks[-1] if blocks else {}
            if block.keys() == {"type", "text"} == last.keys():
                blocks[-1] = {"type": "text", "text": last["text"] + block["text"]}
            else:
                blocks.append(block)
        return blocks

    def _rest(self, index: int, block: dict[str, Any], call: Any) -> list[dict[str, Any]]:
        """What of a block was not sent yet."""
        if index >= len(self._blocks) or self._blocks[index].get("type") != block.get("type"):
            return self._replace(index, block)
        sent = self._blocks[index]
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

    def _replace(self, index: int, block: dict[str, Any]) -> list[dict[str, Any]]:
        """Start a block again, as a whole."""
        head = {**block}
        if index < len(self._blocks):
            self._blocks[index] = head
        else:
            self._blocks.append(head)
        return [{"type": "content_block_start", "index": index, "content_block": head}]


def _delta(index: int, delta: dict[str, Any]) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": delta}
