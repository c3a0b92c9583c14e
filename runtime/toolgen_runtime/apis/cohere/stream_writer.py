"""Stream writer for Cohere's chat, with a plan beside the content."""

from __future__ import annotations

from typing import Any

from ...conversion.extras import objects_in
from ...conversion.stream_writers import BaseStreamWriter, OpenBlocks
from ...json_values import same_json
from ...models import Completion, ToolCallDelta
from ...paths import ROOT

__all__ = ["CohereStreamWriter"]

_EMPTY: dict[str, Any] = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}


class CohereStreamWriter(BaseStreamWriter):
    """Writes content and calls as they arrive. Citations, and what is known only at the end, come last.

    A call ends before the next one starts, unless it is not complete.

    Consecutive text of one kind is one block. Reasoning is sent as content, because calls, which would make it their
    plan, come later. If the events cannot express the message exactly, the last event has all of it under a key
    that clients ignore.
    """

    def _set_up(self) -> None:
        self._begun = False
        self._plan = ""
        self._blocks: list[dict[str, Any]] = []
        self._open = False
        self._heads: dict[int, dict[str, Any]] = {}
        self._open_calls = OpenBlocks()

    def finish(self) -> list[dict[str, Any]]:
        """End the stream. Without a `completed` event before, it ends with an error."""
        if self.ended:
            return []
        events = super().finish()
        delta = {"finish_reason": "ERROR", "error": self._failure}
        return [*events, *self._stop(), {"type": "message-end", "delta": delta}]

    def _begin(self) -> list[dict[str, Any]]:
        if self._begun:
            return []
        self._begun = True
        start: dict[str, Any] = {"type": "message-start"}
        if self.id is not None:
            start["id"] = self.id
        return [{**start, "delta": {"message": {**_EMPTY}}}]

    def _stop(self) -> list[dict[str, Any]]:
        """End the open content block."""
        if not self._open:
            return []
        self._open = False
        return [{"type": "content-end", "index": len(self._blocks) - 1}]

    def _content(self, block: dict[str, Any]) -> list[dict[str, Any]]:
        """Start a content block."""
        events = self._stop()
        self._blocks.append(block)
        self._open = True
        start = {"type": "content-start", "index": len(self._blocks) - 1, "delta": {"message": {"content": {**block}}}}
        return [*events, start]

    def _piece(self, kind: str, text: str) -> list[dict[str, Any]]:
        events = self._begin()
        if not self._open or self._blocks[-1]["type"] != kind:
            events += self._content({"type": kind, kind: ""})
        self._blocks[-1][kind] += text
        index = len(self._blocks) - 1
        return [*events, {"type": "content-delta", "index": index, "delta": {"message": {"content": {kind: text}}}}]

    def _text(self, text: str) -> list[dict[str, Any]]:
        return self._piece("text", text)

    def _reasoning(self, text: str) -> list[dict[str, Any]]:
        return self._piece("thinking", text)

    def _call(self, event: ToolCallDelta) -> list[dict[str, Any]]:
        events = [*self._begin(), *self._stop()]
        if event.id is not None and event.name is not None:
            identifier = self.writer.call_id(event.id)
            events += self._start_call(event.index, identifier, self.writer.tool_name(event.name, ROOT))
        if event.arguments_delta:
            self.sent_call(event.index).arguments += event.arguments_delta
            events += self._argue(event.index, event.arguments_delta)
        return events

    def _start_call(self, index: int, identifier: str, name: str) -> list[dict[str, Any]]:
        head = {"id": identifier, "type": "function", "function": {"name": name, "arguments": ""}}
        self._heads[index] = head
        ends = map(_end, self._open_calls.start(index, self.sent_call(index)))
        return [*ends, {"type": "tool-call-start", "index": index, "delta": {"message": {"tool_calls": head}}}]

    def _argue(self, index: int, text: str) -> list[dict[str, Any]]:
        if not text:
            return []
        delta = {"message": {"tool_calls": {"function": {"arguments": text}}}}
        return [{"type": "tool-call-delta", "index": index, "delta": delta}]

    def _error(self, message: str) -> list[dict[str, Any]]:
        """Store the message. The API reports errors in the last event."""
        self._failure = message
        return self._begin()

    def _completed(self, body: dict[str, Any], completion: Completion) -> list[dict[str, Any]]:
        message = body.get("message")
        if type(message) is not dict:
            message = {}
        events = [*self._begin(), *self._rest(message), *self._stop()]
        for index, call in enumerate(objects_in(message.get("tool_calls"))):
            events += self._rest_of_call(index, call)
        events += map(_end, self._open_calls.stop(self._heads))
        citations = message.get("citations")
        for index, citation in enumerate(citations if type(citations) is list else ()):
            delta = {"message": {"citations": citation}}
            events.append({"type": "citation-start", "index": index, "delta": delta})
            events.append({"type": "citation-end", "index": index})
        last = {key: value for key, value in body.items() if key not in ("id", "message")}
        if completion.finish_reason == "error" and self._failure is not None:
            last.setdefault("error", self._failure)
        if not same_json(self._joined(citations), message):
            last["message"] = message
        end: dict[str, Any] = {"type": "message-end", "delta": last}
        if "id" in body and body["id"] != self.id:
            end["id"] = body["id"]
        return [*events, end]

    def _rest(self, message: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the events for the parts of plan and content that were not sent yet."""
        events: list[dict[str, Any]] = []
        plan, content = message.get("tool_plan"), message.get("content")
        if type(plan) is str and plan and not self._blocks:
            self._plan = plan
            events.append({"type": "tool-plan-delta", "delta": {"message": {"tool_plan": plan}}})
        for index, block in enumerate(content if type(content) is list else ()):
            if index == len(self._blocks) and type(block) is dict and "".join(self.text + self.reasoning) == "":
                events += self._content({**block})
            elif index == len(self._blocks) - 1 and self._open:
                events += self._rest_of_block(block)
        return events

    def _rest_of_block(self, block: Any) -> list[dict[str, Any]]:
        kind = self._blocks[-1]["type"]
        text, sent = block.get(kind) if type(block) is dict else None, self._blocks[-1][kind]
        return (
            self._piece(kind, text[len(sent) :])
            if type(text) is str and text[len(sent) :] and text.startswith(sent)
            else []
        )

    def _rest_of_call(self, index: int, call: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the events for the part of a call that was not sent yet."""
        function = call.get("function")
        if type(function) is not dict or type(function.get("arguments")) is not str:
            return []
        events: list[dict[str, Any]] = []
        if index not in self._heads:
            if type(call.get("id")) is not str or type(function.get("name")) is not str:
                return []
            events = self._start_call(index, call["id"], function["name"])
            self.sent_call(index).arguments = ""
        text, sent = function["arguments"], self.sent_call(index).arguments
        if text.startswith(sent):
            self.sent_call(index).arguments = text
            events += self._argue(index, text[len(sent) :])
        return events

    def _joined(self, citations: Any) -> dict[str, Any]:
        """Return the message that a stream makes of the events so far."""
        message: dict[str, Any] = {"role": "assistant"}
        if self._plan:
            message["tool_plan"] = self._plan
        if self._blocks:
            message["content"] = self._blocks
        if self._heads:
            message["tool_calls"] = [
                {**head, "function": {**head["function"], "arguments": self.sent_call(index).arguments}}
                for index, head in self._heads.items()
            ]
        if citations:
            message["citations"] = citations
        return message


def _end(index: int) -> dict[str, Any]:
    return {"type": "tool-call-end", "index": index}
