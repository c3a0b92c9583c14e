"""Stream and stream writer for OpenAI's Responses, whose items are added, extended and completed, each at its index."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...conversion.responses import is_completion_read_from_wire
from ...conversion.stream_writers import BaseStreamWriter
from ...conversion.streams import BaseStream, IndexedBlocks, OpenCall, read_hashable_index
from ...json_text import is_object_text
from ...models import Completion, ReasoningDelta, StreamEvent, TextDelta, ToolCallDelta
from ...paths import ROOT
from .fields import reasoning_text

__all__ = ["ResponsesStream", "ResponsesStreamWriter"]


class _GrowingText(NamedTuple):
    """Where an event adds text: the type of the item, its list, the event's index into it, the part, and its key."""

    item: str
    holder: str
    index_key: str
    part: str
    key: str


_GROWING = {
    "response.output_text": _GrowingText("message", "content", "content_index", "output_text", "text"),
    "response.refusal": _GrowingText("message", "content", "content_index", "refusal", "refusal"),
    "response.reasoning_text": _GrowingText("reasoning", "content", "content_index", "reasoning_text", "text"),
    "response.reasoning_summary_text": _GrowingText("reasoning", "summary", "summary_index", "summary_text", "text"),
}
"""The texts that events add to, by the beginning of the event's type."""

_MEMBERS = {
    "response.custom_tool_call_input": "input",
    "response.mcp_call_arguments": "arguments",
    "response.code_interpreter_call_code": "code",
}
"""Events that extend a key of the item itself."""

_ENDS = {"response.completed": "completed", "response.incomplete": "incomplete", "response.failed": "failed"}
_LASTING = ("id", "object", "created_at", "model")
"""Keys that a host may send only at the start."""

_STARTS = ("response.created", "response.queued", "response.in_progress")


class _Part:
    """A part of an item: what it is, and the text that was added."""

    __slots__ = ("head", "key", "pieces", "streams_text")

    def __init__(self, head: dict[str, Any], key: str, streams_text: bool) -> None:
        self.head = head
        self.key = key
        self.pieces: list[str] = []
        self.streams_text = streams_text

    def assemble(self) -> dict[str, Any]:
        return {**self.head, self.key: "".join(self.pieces)} if self.pieces else self.head


class _Item:
    """An item of the stream. `done` is the item that the API sends at its end."""

    __slots__ = ("call", "done", "grown", "head", "parts")

    def __init__(self, head: dict[str, Any]) -> None:
        self.head = head
        self.call: OpenCall | None = None
        self.parts: dict[tuple[str, Any], _Part] = {}
        self.grown: dict[str, list[str]] = {}
        self.done: dict[str, Any] | None = None

    def part(self, holder: str, index: Any, kind: str, key: str) -> _Part:
        """Return the part at an index of `content` or `summary` (`holder`). It is added if it is new."""
        part = self.parts.get((holder, index))
        if part is None:
            part = self.parts[holder, index] = _Part({"type": kind, key: ""}, key, kind == "output_text")
        return part

    def is_start_of_another_item(self, head: dict[str, Any]) -> bool:
        """Return whether the start of an item at the index of this one is that of another item."""
        key = "id" if self.call is None else "call_id"
        identifier = self.head.get(key)
        is_known = identifier is not None and identifier == head.get(key)
        is_open = self.done is None and (
            self.call is None or identifier is None
        )  # some hosts change the id of an open item
        return self.head.get("type") != head.get("type") or not (is_known or is_open)

    def assemble(self) -> dict[str, Any]:
        """Return the complete item: as the server sent it at its end, else what its deltas amount to."""
        if self.done is not None and (self.call is None or self.done.get("arguments")):
            return self.done
        item = {**(self.done or self.head)}
        if self.call is not None and self.call.pieces:
            item["arguments"] = "".join(self.call.pieces)
        for member, pieces in self.grown.items():
            item[member] = "".join(pieces)
        for holder in ("content", "summary"):
            places = [key for key in self.parts if key[0] == holder]
            if places:
                item[holder] = [self.parts[key].assemble() for key in sorted(places, key=_sort_key)]
        return item


class ResponsesStream(BaseStream):
    """Joins events into a response. The last event, if it arrives, has the complete response."""

    def __init__(self, turn: int = 0, *, tools: Any = ()) -> None:
        super().__init__(turn, tools=tools)
        self._top: dict[str, Any] = {}
        self._items = IndexedBlocks()
        self._index_by_id: dict[str, Any] = {}
        self._final: list[Any] | None = None
        self._text: list[str] = []
        self._thought: list[str] = []
        self._end = False

    def _read_event(self, event: dict[str, Any]) -> list[StreamEvent]:
        """Take one event of the stream, and return the events of the format that follow from it."""
        kind = event.get("type")
        if type(kind) is not str:
            return self._fail(event["error"]) if event.get("error") else []
        name, _, step = kind.rpartition(".")
        if name in _GROWING:
            return self._grow(event, step, _GROWING[name])
        if name == "response.function_call_arguments":
            item = self._item_of(event, "function_call")
            text = event.get("delta" if step == "delta" else "arguments")
            if type(text) is str:
                return self._argue(item, text, step == "done")
            if item.call is not None:
                item.call.malformed = True
            return []
        if name == "response.output_item" and type(event.get("item")) is dict:
            return self._put(event, event["item"], done=step == "done")
        if name == "response.content_part" and type(event.get("part")) is dict:
            return self._head(event, "content", "content_index", event["part"])
        if name in _MEMBERS:
            key = _MEMBERS[name]
            piece = event.get("delta" if step == "delta" else key)
            if type(piece) is str:
                grown = self._item_of(event, name.split(".")[1].rpartition("_")[0]).grown.setdefault(key, [])
                grown.append(piece if step == "delta" else _unstreamed(piece, "".join(grown)))
        elif kind in _ENDS or kind in _STARTS:
            return self._read_response(event.get("response"), _ENDS.get(kind))
        elif kind == "error":
            error = event.get("error") or {k: v for k, v in event.items() if k not in ("type", "sequence_number")}
            return self._fail(error)
        return []

    def _item_of(self, event: dict[str, Any], kind: str) -> _Item:
        """Return the item of an event. If its start was lost, it is started here."""
        index = self._index_of(event)
        item = self._items.get(index)
        if item is None:
            head: dict[str, Any] = {"type": kind}
            if type(event.get("item_id")) is str:
                head["id"] = event["item_id"]
            if kind == "message":
                head |= {"role": "assistant", "content": []}
            elif kind == "reasoning":
                head["summary"] = []
            elif kind == "function_call":
                head |= {"call_id": None, "name": "", "arguments": ""}
            item = self._begin(index, head)
        return item

    def _index_of(self, event: dict[str, Any]) -> Any:
        """Return the index of an item. The index comes before the id because some hosts change ids between events."""
        index = read_hashable_index(event.get("output_index"), (ROOT, "output_index"))
        if index is None:
            identifier = event.get("item_id")
            if type(event.get("item")) is dict:
                identifier = event["item"].get("id")
            index_of_item = self._index_by_id.get(identifier) if type(identifier) is str else None
            return index_of_item if index_of_item is not None else len(self._items)
        return index

    def _begin(self, index: Any, head: dict[str, Any]) -> _Item:
        """Start an item. A second one at the same index is another item."""
        is_new = index not in self._items
        item: _Item = self._items.add(index, _Item(head))
        if type(head.get("id")) is str:
            self._index_by_id[head["id"]] = index
        if head.get("type") == "function_call":
            item.call = OpenCall(len(self._calls), head)
            item.call.wire_index = index if type(index) is int and is_new else None
            self._calls.append(item.call)
            _name(item.call, head)
        return item

    def _grow(self, event: dict[str, Any], step: str, place: _GrowingText) -> list[StreamEvent]:
        """Add text to a part. The complete text at the end of a part adds only what is missing."""
        text = event.get("delta" if step == "delta" else place.key)
        if step not in ("delta", "done") or type(text) is not str:
            return []
        index = read_hashable_index(event.get(place.index_key, 0), (ROOT, place.index_key))
        part = self._item_of(event, place.item).part(place.holder, index, place.part, place.key)
        if step == "done":
            text = _unstreamed(text, "".join(part.pieces))
        if not text:
            return []
        part.pieces.append(text)
        return self._tell(place.part, text)

    def _tell(self, part_kind: str, text: str) -> list[StreamEvent]:
        """Return the event for text of a part, and record that it was returned. A refusal has none."""
        if part_kind == "output_text":
            self._text.append(text)
            return [TextDelta(text)]
        if part_kind == "refusal":
            return []
        self._thought.append(text)
        return [ReasoningDelta(text)]

    def _head(self, event: dict[str, Any], holder: str, index_key: str, head: dict[str, Any]) -> list[StreamEvent]:
        """Store everything that a part has besides its text."""
        kind = head.get("type")
        key = "refusal" if kind == "refusal" else "text"
        index = read_hashable_index(event.get(index_key, 0), (ROOT, index_key))
        item = self._item_of(event, "reasoning" if kind == "reasoning_text" else "message")
        item.part(holder, index, str(kind), key).head = head
        return []

    def _argue(self, item: _Item, text: str, whole: bool) -> list[StreamEvent]:
        """Add arguments. Complete arguments add only what is missing."""
        call = item.call
        if call is None:
            return []
        if whole:
            text = _unstreamed(text, "".join(call.pieces))
        if not text:
            return []
        call.add(text)
        return [self._delta(call, text)]

    def _put(self, event: dict[str, Any], head: dict[str, Any], *, done: bool) -> list[StreamEvent]:
        """Start or end an item, and return events for its content that was not streamed."""
        index = self._index_of(event)
        item = self._items.get(index)
        if item is None or (not done and item.is_start_of_another_item(head)):
            item = self._begin(index, head)
        item.head = head
        events: list[StreamEvent] = []
        if item.call is not None:
            text = head.get("arguments")
            if not done and not item.call.pieces and type(text) is str and is_object_text(text):
                text = None  # deltas may repeat complete arguments; otherwise the end of the item tells them
            events += self._update_call(item.call, head, text)
        elif done:
            streamed = "".join(piece for part in item.parts.values() if part.streams_text for piece in part.pieces)
            events += self._stream_rest("output_text", _message_text(head), streamed)
            if head.get("type") == "reasoning":
                events += self._stream_rest("reasoning_text", reasoning_text(head), join_streamed_reasoning(item))
        if done:
            item.done = head
        return events

    def _update_call(self, call: OpenCall, head: dict[str, Any], text: Any) -> list[StreamEvent]:
        """Add id and name of a call, and its complete arguments, if `text` is a string. Return an event for what is new."""
        was_announced = call.was_announced
        _name(call, head)
        unstreamed = _unstreamed(text, "".join(call.pieces)) if type(text) is str else ""
        if unstreamed:
            call.add(unstreamed)
        return [self._delta(call, unstreamed or None)] if unstreamed or not was_announced else []

    def _stream_rest(self, kind: str, text: str, streamed: str) -> list[StreamEvent]:
        unstreamed = _unstreamed(text, streamed)
        return self._tell(kind, unstreamed) if unstreamed else []

    def _read_response(self, response: Any, end: str | None) -> list[StreamEvent]:
        """Read the response so far. The last one replaces all before it."""
        if end is not None:
            if self._end and self._top.get("status") != "completed":
                return []  # a response that was cut off stays so, whatever follows
            self._end = True
            self._top = {key: self._top[key] for key in _LASTING if key in self._top}
            if type(response) is not dict:
                self._top["status"] = end
        if type(response) is dict:
            self._top |= {
                key: value for key, value in response.items() if key != "output" and (end is not None or value != "")
            }
        if end is None:
            return []
        events: list[StreamEvent] = []
        output = response.get("output") if type(response) is dict else None
        if type(output) is list and output:
            self._final = output
            events += self._catch_up([item for item in output if type(item) is dict])
        else:
            for item in self._items.in_order():
                text = item.head.get("arguments")
                if type(text) is str and item.call is not None and not item.call.pieces:
                    events += self._argue(item, text, whole=True)
        if end == "failed":
            self._fail(self._top.get("error"))
        elif self._calls and all(call.was_announced for call in self._calls):
            events += self._call_events()
        return events

    def _catch_up(self, output: list[dict[str, Any]]) -> list[StreamEvent]:
        """Return events for what only the complete response contains."""
        events = self._stream_rest("output_text", "".join(map(_message_text, output)), "".join(self._text))
        thought = "".join(reasoning_text(item) for item in output if item.get("type") == "reasoning")
        events += self._stream_rest("reasoning_text", thought, "".join(self._thought))
        heads = [item for item in output if item.get("type") == "function_call"]
        for i, head in enumerate(heads):
            if i == len(self._calls):
                self._calls.append(OpenCall(i, head))
            events += self._update_call(self._calls[i], head, head.get("arguments"))
        return events

    def _fail(self, error: Any) -> list[StreamEvent]:
        """Record an error of the stream, also as that of the response if it has none."""
        self._record_error(error)
        if self._top.get("error") is None:
            self._top["error"] = error
        return []

    def _body(self) -> dict[str, Any]:
        """Return the response so far as the body that the API would have returned as a whole."""
        if not self._top and not self._items:
            return {}
        items = self._items.in_order()
        if self._final is None:
            return {**self._top, "output": [item.assemble() for item in items]}
        ended = [item.done for item in items if item.done is not None]
        return {**self._top, "output": _with_streamed_items(self._final, ended)}

    def _ended(self) -> bool:
        return self._end


def _with_streamed_items(final: list[Any], ended: list[dict[str, Any]]) -> list[Any]:
    """Return the items of the complete response, after those that ended in the stream if it lacks a type of them.

    Some hosts send items only in the stream.
    """
    kinds = [item.get("type") for item in final if type(item) is dict]
    if all(item.get("type") in kinds for item in ended):
        return final
    return [*ended, *(item for item in final if item not in ended)]


def join_streamed_reasoning(item: _Item) -> str:
    """Return the streamed text of a reasoning item: its own text, then the summary."""
    held = [part for _, part in sorted(item.parts.items(), key=lambda entry: _sort_key(entry[0]))]
    return "".join(piece for part in held for piece in part.pieces)


def _name(call: OpenCall, head: dict[str, Any]) -> None:
    """Give a call the id and the name of an item, as far as they are missing. Another name makes the call malformed."""
    if not call.wire_id and type(head.get("call_id")) is str:
        call.wire_id = head["call_id"]
    name = head.get("name")
    if type(name) is str and name:
        call.malformed |= bool(call.name) and call.name != name
        call.name = call.name or name


def _message_text(item: dict[str, Any]) -> str:
    """Return the text of a message, or an empty string for any other item."""
    content = item.get("content")
    if item.get("type") != "message" or type(content) is not list:
        return ""
    texts = [part.get("text") for part in content if type(part) is dict and part.get("type") == "output_text"]
    return "".join(text for text in texts if type(text) is str)


def _unstreamed(text: str, streamed: str) -> str:
    """Return the part of a text that was not streamed yet, or nothing if the streamed text differs."""
    return text[len(streamed) :] if text.startswith(streamed) else ""


def _sort_key(key: tuple[str, Any]) -> tuple[str, bool, Any]:
    """Return the key by which parts are sorted: numbers first, then other indexes as text."""
    holder, index = key
    return (holder, False, index) if type(index) is int else (holder, True, str(index))


_END_EVENTS = {"failed": "response.failed", "incomplete": "response.incomplete"}
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
"""What the client's types require of a response that has just begun (`openai.types.responses.Response`, SDK 3.57.0)."""

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
        """Create the state of what was sent: the items, those of calls by their index, and how many are done."""
        self._number = 0
        self._items: list[_Sent] = []
        self._done_count = 0
        self._by_call: dict[int, _Sent] = {}
        self._begun = False

    def _event(self, kind: str, **members: Any) -> dict[str, Any]:
        """Return an event with the next sequence number."""
        number = self._number
        self._number += 1
        return {"type": kind, "sequence_number": number, **members}

    def _start(self) -> list[dict[str, Any]]:
        """Return the events that start the response, before any other event. Empty if they were sent."""
        if self._begun:
            return []
        self._begun = True
        response: dict[str, Any] = {"id": self.id or "", "object": "response"}
        if self.created is not None:
            response["created_at"] = self.created
        response |= {"status": "in_progress", **_DEMANDED, "model": self.model or ""}
        return [self._event(kind, response=response) for kind in ("response.created", "response.in_progress")]

    def _open(self, head: dict[str, Any]) -> tuple[_Sent, list[dict[str, Any]]]:
        """Start an item with this head. Return it, and the events for the end of complete items and for its start."""
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
        """Return the events for a piece of text of an item of this type. It starts if the last item has another."""
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
        """Return the event that adds a piece of text to an item."""
        at = {"item_id": item.head["id"], "output_index": item.index}
        if item.head["type"] == "message":
            return self._event("response.output_text.delta", **at, content_index=0, delta=text, logprobs=[])
        return self._event("response.reasoning_summary_text.delta", **at, summary_index=0, delta=text)

    def _part_event(self, item: _Sent, step: str, text: str) -> dict[str, Any]:
        """Return the event for a `step` (`added` or `done`) of the only part of an item, with its text so far."""
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
        """Return the events for a piece of a call. Its item starts with the delta that has its id and its name."""
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
        """Return the event that adds text to the arguments of a call."""
        item.text += text
        at = {"item_id": item.head["id"], "output_index": item.index}
        return self._event("response.function_call_arguments.delta", **at, delta=text)

    def _has_error(self, body: dict[str, Any]) -> bool:
        """Return False: an error is always an event of its own, also if the response has it."""
        return False

    def _error(self, message: str) -> list[dict[str, Any]]:
        code = self._error_code("server_error")
        return [*self._start(), self._event("error", code=code, message=message, param=None)]

    def _completed(self, body: dict[str, Any], completion: Completion) -> list[dict[str, Any]]:
        """Return the events for what was not sent, and for the end of the response."""
        error = body.get("error")
        if self._failure is not None and type(error) is dict and not self.writer.can_read(completion.metadata):
            body = {**body, "error": {**error, "message": self._failure}}
        events = self._start()
        unsent = [item for item in body.get("output") or [] if type(item) is dict]
        content = completion.message.content
        is_own = is_completion_read_from_wire(completion, content if type(content) is list else [], self.writer)
        if not is_own and self.id is not None:
            body = {**body, "id": self.id}
        renamed: dict[int, dict[str, Any]] = {}
        for item in list(self._items):
            final = self._take_final_item(item, unsent, renamed, keeps_id=is_own)
            if item.index >= self._done_count:
                events += self._rest(item, final)
                events += self._done(item, final)
        for index, whole in enumerate(unsent, len(self._items)):
            events.append(self._event("response.output_item.added", output_index=index, item=whole))
            events.append(self._event("response.output_item.done", output_index=index, item=whole))
        body = {**body, "output": [renamed.get(id(item), item) for item in body.get("output") or []]}
        end = _END_EVENTS.get(str(body.get("status")), "response.completed")
        return [*events, self._event(end, response=body)]

    def _take_final_item(
        self, item: _Sent, unsent: list[dict[str, Any]], renamed: dict[int, dict[str, Any]], *, keeps_id: bool
    ) -> dict[str, Any]:
        """Return an item as it ends, and remove from `unsent` the complete item, and those that were sent with it.

        `renamed` gets the complete item with its final id, by the identity of the one in the response: its own id if it
        `keeps_id`, else the one that was sent.
        """
        whole = _whole_item(item, unsent)
        if whole is None:
            return self._as_sent(item)
        unsent.remove(whole)
        final = renamed[id(whole)] = whole if keeps_id else {**whole, "id": item.head["id"]}
        joined = _sent_together(item.text, whole, unsent)
        if not joined:
            return final
        del unsent[: len(joined)]
        members = {key: value for key, value in final.items() if key not in ("content", "summary")}
        return {**self._as_sent(item), **members}

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
        unsent = text[len(item.text) :] if text.startswith(item.text) else ""
        if not unsent:
            return []
        if item.head["type"] == "function_call":
            return [self._argue(item, unsent)]
        item.text += unsent
        return [self._delta(item, unsent)]

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


def _whole_item(item: _Sent, unsent: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the complete item of the response for one that was sent: the first of its type that has the sent text.

    If none has it, return the first of its type, or None if there is none.
    """
    first_of_type = None
    for whole in unsent:
        if whole.get("type") == item.head["type"]:
            if _text_of(whole).startswith(item.text):
                return whole
            first_of_type = first_of_type or whole
    return first_of_type


def _sent_together(text: str, first: dict[str, Any], items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the items whose text was sent in one item with that of the first, because no event separated them."""
    joined: list[dict[str, Any]] = []
    sent = _text_of(first)
    for item in items:
        more = _text_of(item)
        if sent == text or item.get("type") != first.get("type") or not text.startswith(sent + more):
            break
        joined.append(item)
        sent += more
    return joined if sent == text and first.get("type") != "function_call" else []


def _text_of(item: dict[str, Any]) -> str:
    """Return the text of an item: its arguments, its reasoning, or the joined texts of its content."""
    if item.get("type") == "function_call":
        return item["arguments"] if type(item.get("arguments")) is str else ""
    if item.get("type") == "reasoning":
        return reasoning_text(item)
    content = item.get("content")
    texts = [part.get("text") for part in content if type(part) is dict] if type(content) is list else []
    return "".join(text for text in texts if type(text) is str)
