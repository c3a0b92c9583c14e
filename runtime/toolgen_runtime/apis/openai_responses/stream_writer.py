"""Stream writer for OpenAI's Responses."""

from __future__ import annotations

from typing import Any

from ...conversion.responses import is_completion_read_from_wire
from ...conversion.stream_writers import BaseStreamWriter
from ...json_text import is_object_text
from ...models import Completion, ToolCallDelta
from ...paths import ROOT
from .fields import reasoning_text

__all__ = ["ResponsesStreamWriter"]

_ENDS = {"failed": "response.failed", "incomplete": "response.incomplete"}
_EMPTY: dict[str, dict[str, Any]] = {
    "message": {"type": "message", "role": "assistant", "status": "in_progress", "content": []},
    "reasoning": {"type": "reasoning", "summary": []},
}
_DEMANDED: dict[str, Any] = {
    "error": None,
    "incomplete_details": None,
    "instructions": None,
    "metadata": {},
    "output": [],
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
}
"""What the client's types require of a response that has just begun (`openai.types.responses.Response`, SDK 3.54.0)."""

_PREFIXES = {"message": "msg", "reasoning": "rs", "function_call": "fc"}


class _Sent:
    """An item that was started: its index, and its text or arguments so far."""

    __slots__ = ("head", "index", "text")

    def __init__(self, index: int, head: dict[str, Any]) -> None:
        self.index = index
        self.head = head
        self.text = ""


class ResponsesStreamWriter(BaseStreamWriter):
    """Writes items as they arrive. An item is done before the next one starts, if it is complete and those before it are.

    Clients take items in the order in which they are done. Reasoning is done at the end of the stream, because its
    encrypted content is known only then. An item keeps the id that it started with. If the completion was read from this
    wire, its own ids come at the end.

    Consecutive text of one kind is one item. An item of the complete response that was not streamed is written at the
    end, as a whole. The last event has the response in its own order.
    """

    HAS_BLOCKS = True

    def _set_up(self) -> None:
        self._number = 0
        self._items: list[_Sent] = []
        self._done_count = 0
        self._by_call: dict[int, _Sent] = {}
        self._begun = False

    def _event(self, kind: str, **members: Any) -> dict[str, Any]:
        number = self._number
        self._number += 1
        return {"type": kind, "sequence_number": number, **members}

    def _start(self) -> list[dict[str, Any]]:
        if self._begun:
            return []
        self._begun = True
        response: dict[str, Any] = {"id": self.id or "", "object": "response"}
        if self.created is not None:
            response["created_at"] = self.created
        response |= {"status": "in_progress", **_DEMANDED, "model": self.model or ""}
        return [self._event(kind, response=response) for kind in ("response.created", "response.in_progress")]

    def _open(self, head: dict[str, Any]) -> tuple[_Sent, list[dict[str, Any]]]:
        events = self._end_complete()
        index = len(self._items)
        item = _Sent(index, {"id": f"{_PREFIXES[head['type']]}_{index}", **head})
        self._items.append(item)
        return item, [*events, self._event("response.output_item.added", output_index=index, item=item.head)]

    def _end_complete(self) -> list[dict[str, Any]]:
        """End complete items, in order. The arguments of a call may come after the next item has started."""
        events: list[dict[str, Any]] = []
        for item in self._items[self._done_count :]:
            kind = item.head["type"]
            if kind == "reasoning" or (kind == "function_call" and not is_object_text(item.text)):
                break
            events += self._done(item, {**self._as_sent(item), "status": "completed"})
            self._done_count += 1
        return events

    def _piece(self, kind: str, text: str) -> list[dict[str, Any]]:
        events = self._start()
        item = self._items[-1] if self._items else None
        if item is None or item.head["type"] != kind:
            item, added = self._open(_EMPTY[kind])
            events += added
            events.append(self._part_event(item, "added", ""))
        item.text += text
        events.append(self._delta(item, text))
        return events

    def _delta(self, item: _Sent, text: str) -> dict[str, Any]:
        at = {"item_id": item.head["id"], "output_index": item.index}
        if item.head["type"] == "message":
            return self._event("response.output_text.delta", **at, content_index=0, delta=text, logprobs=[])
        return self._event("response.reasoning_summary_text.delta", **at, summary_index=0, delta=text)

    def _part_event(self, item: _Sent, step: str, text: str) -> dict[str, Any]:
        at = {"item_id": item.head["id"], "output_index": item.index}
        if item.head["type"] == "message":
            part = {"type": "output_text", "text": text, "annotations": []}
            return self._event(f"response.content_part.{step}", **at, content_index=0, part=part)
        part = {"type": "summary_text", "text": text}
        return self._event(f"response.reasoning_summary_part.{step}", **at, summary_index=0, part=part)

    def _text(self, text: str) -> list[dict[str, Any]]:
        return self._piece("message", text)

    def _reasoning(self, text: str) -> list[dict[str, Any]]:
        return self._piece("reasoning", text)

    def _call(self, event: ToolCallDelta) -> list[dict[str, Any]]:
        events = self._start()
        if event.id is not None and event.name is not None:
            head = {
                "type": "function_call",
                "call_id": self.writer.call_id(event.id),
                "name": self.writer.tool_name(event.name, ROOT),
                "arguments": "",
                "status": "in_progress",
            }
            self._by_call[event.index], added = self._open(head)
            events += added
        if event.arguments_delta:
            events.append(self._argue(self._by_call[event.index], event.arguments_delta))
        return events

    def _argue(self, item: _Sent, text: str) -> dict[str, Any]:
        item.text += text
        at = {"item_id": item.head["id"], "output_index": item.index}
        return self._event("response.function_call_arguments.delta", **at, delta=text)

    def _has_error(self, body: dict[str, Any]) -> bool:
        """Return False: an error is always an event of its own, also if the response has it."""
        return False

    def _error(self, message: str) -> list[dict[str, Any]]:
        return [*self._start(), self._event("error", code="server_error", message=message, param=None)]

    def _completed(self, body: dict[str, Any], completion: Completion) -> list[dict[str, Any]]:
        error = body.get("error")
        if self._failure is not None and type(error) is dict and not self.writer.can_read(completion.metadata):
            body = {**body, "error": {**error, "message": self._failure}}
        events = self._start()
        left = [item for item in body.get("output") or [] if type(item) is dict]
        content = completion.message.content
        is_own = is_completion_read_from_wire(completion, content if type(content) is list else [], self.writer)
        if not is_own and self.id is not None:
            body = {**body, "id": self.id}
        renamed: dict[int, dict[str, Any]] = {}
        for item in list(self._items):
            whole = left[0] if left else None  # usually the items are in the order in which they were sent
            if whole is None or whole.get("type") != item.head["type"] or not _text_of(whole).startswith(item.text):
                alike = [found for found in left if found.get("type") == item.head["type"]]
                begun = (found for found in alike if _text_of(found).startswith(item.text))
                whole = next(begun, alike[0] if alike else None)
            if whole is None:
                named = self._as_sent(item)
            else:
                left.remove(whole)
                named = renamed[id(whole)] = whole if is_own else {**whole, "id": item.head["id"]}
                joined = _sent_together(item.text, whole, left)
                if joined:
                    left = [other for other in left if not any(other is sent for sent in joined)]
                    rest = {key: value for key, value in named.items() if key not in ("content", "summary")}
                    named = {**self._as_sent(item), **rest}
            if item.index >= self._done_count:
                events += self._rest(item, named)
                events += self._done(item, named)
        for index, whole in enumerate(left, len(self._items)):
            events.append(self._event("response.output_item.added", output_index=index, item=whole))
            events.append(self._event("response.output_item.done", output_index=index, item=whole))
        body = {**body, "output": [renamed.get(id(item), item) for item in body.get("output") or []]}
        end = _ENDS.get(str(body.get("status")), "response.completed")
        return [*events, self._event(end, response=body)]

    def _as_sent(self, item: _Sent) -> dict[str, Any]:
        """Return an item as far as it was sent, if the response does not have it."""
        if item.head["type"] == "function_call":
            return {**item.head, "arguments": item.text, "status": "incomplete"}
        if item.head["type"] == "reasoning":
            return {**item.head, "summary": [{"type": "summary_text", "text": item.text}]}
        content = [{"type": "output_text", "text": item.text, "annotations": []}]
        return {**item.head, "status": "incomplete", "content": content}

    def _rest(self, item: _Sent, whole: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the events for the part of an item that was not sent yet."""
        text = _text_of(whole)
        rest = text[len(item.text) :] if text.startswith(item.text) else ""
        if not rest:
            return []
        if item.head["type"] == "function_call":
            return [self._argue(item, rest)]
        item.text += rest
        return [self._delta(item, rest)]

    def _done(self, item: _Sent, whole: dict[str, Any]) -> list[dict[str, Any]]:
        """End an item, and its one streamed part."""
        at = {"item_id": item.head["id"], "output_index": item.index}
        kind = item.head["type"]
        if kind == "function_call":
            events = [self._event("response.function_call_arguments.done", **at, arguments=_text_of(whole))]
        elif kind == "message":
            done = self._event("response.output_text.done", **at, content_index=0, text=item.text, logprobs=[])
            events = [done, self._part_event(item, "done", item.text)]
        else:
            done = self._event("response.reasoning_summary_text.done", **at, summary_index=0, text=item.text)
            events = [done, self._part_event(item, "done", item.text)]
        return [*events, self._event("response.output_item.done", output_index=item.index, item=whole)]


def _sent_together(text: str, first: dict[str, Any], others: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the items whose text was sent in one item with that of the first, because no event separated them."""
    found: list[dict[str, Any]] = []
    sent = _text_of(first)
    for other in others:
        more = _text_of(other)
        if sent == text or other.get("type") != first.get("type") or not text.startswith(sent + more):
            break
        found.append(other)
        sent += more
    return found if sent == text and first.get("type") != "function_call" else []


def _text_of(item: dict[str, Any]) -> str:
    if item.get("type") == "function_call":
        return item["arguments"] if type(item.get("arguments")) is str else ""
    if item.get("type") == "reasoning":
        return reasoning_text(item)
    content = item.get("content")
    texts = [part.get("text") for part in content if type(part) is dict] if type(content) is list else []
    return "".join(text for text in texts if type(text) is str)
