"""Stream and stream writer for Cohere's chat. Content, calls and citations each have their own index."""

from __future__ import annotations

from typing import Any

from ...conversion.extras import objects_in
from ...conversion.stream_writers import BaseStreamWriter, OpenBlocks
from ...conversion.streams import BaseStream, IndexedBlocks, OpenCall, read_hashable_index
from ...json_values import same_json
from ...models import Completion, ReasoningDelta, StreamEvent, TextDelta, ToolCallDelta
from ...paths import ROOT

__all__ = ["CohereStream", "CohereStreamWriter"]


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
        """Take one event of the stream, and return the events of the format that follow from it."""
        kind = event.get("type")
        delta = _object_at(event, "delta")
        if kind == "message-end":
            return self._end_message(event, delta)
        message = _object_at(delta, "message")
        if kind == "message-start":
            return self._start_message(event, message)
        if kind is None:
            return self._fail(event.get("error") or event.get("message"))
        index = read_hashable_index(event.get("index", 0), (ROOT, "index"))
        if kind == "tool-plan-delta":
            return self._add_to_plan(message.get("tool_plan"))
        if kind == "content-start":
            return self._start_block(index, message.get("content"))
        if kind == "content-delta":
            if event.get("logprobs") is not None:
                self._logprobs.append(event["logprobs"])
            return self._add_to_block(index, message.get("content"))
        if kind == "tool-call-start":
            return self._start_call(index, message.get("tool_calls"))
        if kind == "tool-call-delta":
            return self._add_arguments(index, message.get("tool_calls"))
        if kind == "citation-start" and "citations" in message:
            self._citations.append(message["citations"])
        return []

    def _start_message(self, event: dict[str, Any], message: dict[str, Any]) -> list[StreamEvent]:
        """Start the message. It already has the keys that later events fill, usually empty."""
        self._top.update({key: value for key, value in event.items() if key not in ("type", "delta")})
        events = self._add_to_plan(message.get("tool_plan"))
        for key, start in (("content", self._start_block), ("tool_calls", self._start_call)):
            heads = message.get(key)
            for i, head in enumerate(heads if type(heads) is list else ()):
                events += start(i, head)
        citations = message.get("citations")
        self._citations += citations if type(citations) is list else []
        filled_later = ("citations", "content", "tool_calls", "tool_plan")
        self._message.update({key: value for key, value in message.items() if key not in filled_later})
        return events

    def _add_to_plan(self, piece: Any) -> list[StreamEvent]:
        """Add a piece of the plan, which is reasoning."""
        if type(piece) is not str or not piece:
            return []
        self._plan.append(piece)
        return [ReasoningDelta(piece)]

    def _start_block(self, index: Any, head: Any) -> list[StreamEvent]:
        """Start a content block, which may already have text, or whose deltas may have come first."""
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

    def _add_to_block(self, index: Any, delta: Any) -> list[StreamEvent]:
        """Add a piece to a content block. It begins with the piece if its start was lost."""
        if type(delta) is not dict:
            return []
        block = self._blocks.get(index)
        if block is None:
            kind = "thinking" if "thinking" in delta else "text"
            block = self._blocks.add(index, _Block({"type": kind}, started=False))
        pieces = {key: delta[key] for key in _GROWING if type(delta.get(key)) is str}
        for key, piece in pieces.items():
            block.grown.setdefault(key, []).append(piece)
        block.head.update({key: value for key, value in delta.items() if key not in _GROWING and key != "type"})
        return _text_events(block, pieces)

    def _start_call(self, index: Any, head: Any) -> list[StreamEvent]:
        """Start a call, which may already have arguments. Anything except a function call is only part of the response."""
        if type(head) is not dict:
            return []
        before = self._entries.get(index)
        if before is not None and _is_start_of(head, before):
            before.head = head
            call = before
        else:
            is_function = head.get("type", "function") == "function"
            call = self._entries.add(index, OpenCall(len(self._calls) if is_function else -1, head))
            call.wire_index = index if type(index) is int and before is None else None
            if not is_function:
                return []
            self._calls.append(call)
        function = _object_at(head, "function")
        call.wire_id = head["id"] if type(head.get("id")) is str else None
        call.name = function["name"] if type(function.get("name")) is str else None
        text = function.get("arguments")
        if type(text) is not str or not text:
            return [self._delta(call, None)]
        call.add(text)
        return [self._delta(call, text)]

    def _add_arguments(self, index: Any, delta: Any) -> list[StreamEvent]:
        """Add a piece of the arguments to a call. The call begins with the piece if its start was lost."""
        function = _object_at(delta, "function") if type(delta) is dict else {}
        piece = function.get("arguments")
        if type(piece) is not str and index in self._entries:
            self._entries[index].malformed = True
        if type(piece) is not str or not piece:
            return []
        if index not in self._entries:
            self._start_call(index, _ASSUMED_CALL)
        call = self._entries[index]
        call.add(piece)
        return [self._delta(call, piece)] if call.index >= 0 else []

    def _end_message(self, event: dict[str, Any], delta: dict[str, Any]) -> list[StreamEvent]:
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
            self._record_error(error, {"message": error, "finish_reason": delta.get("finish_reason")})
        self._end = True
        return self._call_events() if self._calls and all(call.was_announced for call in self._calls) else []

    def _fail(self, error: Any) -> list[StreamEvent]:
        """Record the error of an event without a type: the body of an API error. Anything else there changes nothing."""
        text = error.get("message") if type(error) is dict else error
        if type(text) is str:
            self._record_error(text, {"message": text})
            self._top["error"] = text
        return []

    def _body(self) -> dict[str, Any]:
        """Return the response so far as the body that the API would have returned as a whole."""
        body = {**self._top}
        if self._logprobs:
            body.setdefault("logprobs", self._logprobs)
        body["message"] = self._whole if self._whole is not None else self._assembled_message()
        return body

    def _assembled_message(self) -> dict[str, Any]:
        """Return the message so far, from its pieces."""
        message: dict[str, Any] = {"role": "assistant", **self._message}
        if self._plan:
            message["tool_plan"] = "".join(self._plan)
        if self._blocks:
            message["content"] = [block.assemble() for block in self._blocks.in_order()]
        if self._entries:
            message["tool_calls"] = [_assemble_call(call) for call in self._entries.in_order()]
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


def _object_at(holder: dict[str, Any], key: str) -> dict[str, Any]:
    """Return the object at a key. Empty if there is none."""
    value = holder.get(key)
    return value if type(value) is dict else {}


def _is_start_of(head: dict[str, Any], call: OpenCall) -> bool:
    """Return whether a start belongs to a call that has begun: its own start was lost, or has the same id."""
    return call.head is _ASSUMED_CALL or bool(call.wire_id and call.wire_id == head.get("id"))


def _assemble_call(call: OpenCall) -> dict[str, Any]:
    """Return the call so far. What is no function call is as it started."""
    if call.index < 0:
        return call.head
    function: dict[str, Any] = {"name": "", **_object_at(call.head, "function")}
    if call.pieces:
        function["arguments"] = "".join(call.pieces)
    return {**call.head, "function": function}


_EMPTY: dict[str, Any] = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}


class CohereStreamWriter(BaseStreamWriter):
    """Writes content and calls as they arrive. Citations, and what is known only at the end, come last.

    A call ends before the next one starts, unless it is not complete.

    Consecutive text of one kind is one block. Reasoning is sent as content, because calls, which would make it their
    plan, come later. If the events cannot express the message exactly, the last event has all of it under a key
    that clients ignore.
    """

    def _set_up(self) -> None:
        """Create the state of what was sent: the plan, the blocks, and the starts of calls by their index."""
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
        return [*events, *self._end_block(), {"type": "message-end", "delta": delta}]

    def _begin(self) -> list[dict[str, Any]]:
        """Start the message, unless it has started."""
        if self._begun:
            return []
        self._begun = True
        start: dict[str, Any] = {"type": "message-start"}
        if self.id is not None:
            start["id"] = self.id
        return [{**start, "delta": {"message": {**_EMPTY}}}]

    def _end_block(self) -> list[dict[str, Any]]:
        """End the open content block."""
        if not self._open:
            return []
        self._open = False
        return [{"type": "content-end", "index": len(self._blocks) - 1}]

    def _start_block(self, block: dict[str, Any]) -> list[dict[str, Any]]:
        """Start a content block, after the end of the open one."""
        events = self._end_block()
        self._blocks.append(block)
        self._open = True
        start = {"type": "content-start", "index": len(self._blocks) - 1, "delta": {"message": {"content": {**block}}}}
        return [*events, start]

    def _add_text(self, kind: str, text: str) -> list[dict[str, Any]]:
        """Add text to the open block, or to a new one if the open one has another kind."""
        events = self._begin()
        if not self._open or self._blocks[-1]["type"] != kind:
            events += self._start_block({"type": kind, kind: ""})
        self._blocks[-1][kind] += text
        index = len(self._blocks) - 1
        return [*events, {"type": "content-delta", "index": index, "delta": {"message": {"content": {kind: text}}}}]

    def _text(self, text: str) -> list[dict[str, Any]]:
        return self._add_text("text", text)

    def _reasoning(self, text: str) -> list[dict[str, Any]]:
        return self._add_text("thinking", text)

    def _call(self, event: ToolCallDelta) -> list[dict[str, Any]]:
        """Return the events for a piece of a call. It starts with the delta that has its id and its name."""
        events = [*self._begin(), *self._end_block()]
        if event.id is not None and event.name is not None:
            identifier = self.writer.call_id(event.id)
            events += self._start_call(event.index, identifier, self.writer.tool_name(event.name, ROOT))
        if event.arguments_delta:
            self.sent_call(event.index).arguments += event.arguments_delta
            events.append(_arguments_event(event.index, event.arguments_delta))
        return events

    def _start_call(self, index: int, identifier: str, name: str) -> list[dict[str, Any]]:
        """Start a call, after the end of those that are complete."""
        head = {"id": identifier, "type": "function", "function": {"name": name, "arguments": ""}}
        self._heads[index] = head
        ends = map(_call_end, self._open_calls.start(index, self.sent_call(index)))
        return [*ends, {"type": "tool-call-start", "index": index, "delta": {"message": {"tool_calls": head}}}]

    def _error(self, message: str) -> list[dict[str, Any]]:
        """Store the message. The API reports errors in the last event."""
        self._failure = message
        return self._begin()

    def _completed(self, body: dict[str, Any], completion: Completion) -> list[dict[str, Any]]:
        """Return the events for what was not sent yet: content, calls, citations, and the end."""
        message = body.get("message")
        if type(message) is not dict:
            message = {}
        events = [*self._begin(), *self._unsent_plan(message.get("tool_plan"))]
        content = message.get("content")
        events += self._unsent_content(content if type(content) is list else [])
        events += self._end_block()
        for index, call in enumerate(objects_in(message.get("tool_calls"))):
            events += self._unsent_call(index, call)
        events += map(_call_end, self._open_calls.stop(self._heads))
        citations = message.get("citations")
        for index, citation in enumerate(citations if type(citations) is list else ()):
            delta = {"message": {"citations": citation}}
            events.append({"type": "citation-start", "index": index, "delta": delta})
            events.append({"type": "citation-end", "index": index})
        return [*events, self._message_end(body, message, completion)]

    def _message_end(self, body: dict[str, Any], message: dict[str, Any], completion: Completion) -> dict[str, Any]:
        """Return the last event. It has the message only if what was sent does not add up to it."""
        last = {key: value for key, value in body.items() if key not in ("id", "message")}
        if completion.finish_reason == "error" and self._failure is not None:
            last.setdefault("error", self._failure)
        if not same_json(self._sent_message(message.get("citations")), message):
            last["message"] = message
        end: dict[str, Any] = {"type": "message-end", "delta": last}
        if "id" in body and body["id"] != self.id:
            end["id"] = body["id"]
        return end

    def _unsent_plan(self, plan: Any) -> list[dict[str, Any]]:
        """Return the event for the plan, which can only be sent before content."""
        if type(plan) is not str or not plan or self._blocks:
            return []
        self._plan = plan
        return [{"type": "tool-plan-delta", "delta": {"message": {"tool_plan": plan}}}]

    def _unsent_content(self, content: list[Any]) -> list[dict[str, Any]]:
        """Return the events for blocks if no text was sent before, or else for the end of the open block."""
        events: list[dict[str, Any]] = []
        has_sent_text = any(self.text) or any(self.reasoning)
        for index, block in enumerate(content):
            if index == len(self._blocks) and type(block) is dict and not has_sent_text:
                events += self._start_block({**block})
            elif index == len(self._blocks) - 1 and self._open:
                events += self._unsent_text(block)
        return events

    def _unsent_text(self, block: Any) -> list[dict[str, Any]]:
        """Return the event for the text of the open block that was not sent yet."""
        kind = self._blocks[-1]["type"]
        sent = self._blocks[-1][kind]
        text = block.get(kind) if type(block) is dict else None
        if type(text) is not str or text == sent or not text.startswith(sent):
            return []
        return self._add_text(kind, text[len(sent) :])

    def _unsent_call(self, index: int, call: dict[str, Any]) -> list[dict[str, Any]]:
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
        if text != sent and text.startswith(sent):
            self.sent_call(index).arguments = text
            events.append(_arguments_event(index, text[len(sent) :]))
        return events

    def _sent_message(self, citations: Any) -> dict[str, Any]:
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


def _arguments_event(index: int, text: str) -> dict[str, Any]:
    """Return the event that adds text to the arguments of a call."""
    delta = {"message": {"tool_calls": {"function": {"arguments": text}}}}
    return {"type": "tool-call-delta", "index": index, "delta": delta}


def _call_end(index: int) -> dict[str, Any]:
    """Return the event that ends a call."""
    return {"type": "tool-call-end", "index": index}
