"""Stream for an agent's session until it is idle: messages of the model, and requests for the app's tools.

The agent runs on the other side. It requests a tool of the app in the middle of its stream, and waits. A call event is
therefore returned at the request, and the stream may end with a waiting call as well as with `session.idle`. What the
agent ran itself is not a call. Events of its sub-agents do not belong to the response.

A session knows the names of the app's tools and passes them as `own`. The response then ends as soon as all calls of
these tools in the last message are waiting, whatever else the agent runs itself, and no other call counts as one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from ...conversion.extras import inner_extras, merge_extras_into
from ...conversion.reader import Reader
from ...conversion.responses import FinishReason, mark_calls_invalid, read_count
from ...conversion.streams import BaseStream, OpenCall
from ...conversion.values import optional_text
from ...errors import wrong_type
from ...json_text import dump_allowing_nan
from ...models import (
    AssistantMessage,
    Completion,
    OpaquePart,
    ReasoningDelta,
    StreamEvent,
    TextDelta,
    TextPart,
    ToolCallDelta,
    ToolCallEvent,
    ToolCallPart,
)
from ...paths import ROOT, Path
from .tool_requests import SessionMessage, has_call_id, is_app_tool_request, unstreamed_text

if TYPE_CHECKING:
    from .converter import CopilotConverter

__all__ = ["CopilotStream"]

_DATA: Path = (ROOT, "data")
_TOKENS = ("inputTokens", "outputTokens", "reasoningTokens", "cacheReadTokens", "cacheWriteTokens")
_AMOUNTS = ("cost", "duration")
_CALL_FAILURE = "model.call_failure"
_REQUEST = frozenset(["arguments", "name", "toolCallId", "toolName"])


class CopilotStream(BaseStream):
    """Joins events into one response, with the parts of all its messages in order."""

    converter: ClassVar[CopilotConverter]

    def __init__(self, turn: int = 0, *, tools: Any = (), own: Collection[str] | None = None) -> None:
        super().__init__(turn, tools=tools)
        self._own = own
        self._calls_complete = False
        self._messages: list[SessionMessage] = []
        self._by_id: dict[str, OpenCall] = {}
        self._asked: dict[str, dict[str, Any]] = {}
        self._requests: dict[Any, str] = {}
        self._answered: set[str] = set()
        self._run_there: set[str] = set()
        self._usage: dict[str, Any] = {}
        self._stop_reason: str | None = None
        self._filtered = False
        self._idle = False
        self._details: dict[str, Any] = {}

    def _read_event(self, event: dict[str, Any]) -> list[StreamEvent]:
        """Take one event of the session. Events after its turn has ended, and those of other agents, change nothing."""
        kind, data = event.get("type"), event.get("data")
        take = _TAKES.get(kind) if type(kind) is str else None
        if take is None or self._idle or (event.get("agentId") is not None and not self._is_app_request(kind)):
            return []
        if type(data) is not dict:
            raise wrong_type(_DATA, "an object", data)
        return take(self, event, data)

    @property
    def ended(self) -> bool:
        """Return whether the response is complete: nothing more arrives before its calls have results."""
        return self._ended()

    def stop_collecting_calls(self) -> None:
        """Treat the waiting calls, if any, as all calls. A call requested later is in another response."""
        self._calls_complete = not self._asked.keys() <= self._answered

    def _is_app_request(self, kind: Any) -> bool:
        """Return whether an event of a sub-agent is read: tool requests are with `own`, or it would wait forever."""
        return self._own is not None and kind in ("external_tool.requested", "external_tool.completed")

    def _open(self, identifier: str | None = None) -> SessionMessage:
        """Return the open message, or a new one if the last message is done or another id is given."""
        last = self._messages[-1] if self._messages else None
        if last is not None and last.done is None and identifier in (None, last.identifier):
            return last
        if last is not None and last.done is None and last.identifier is None:
            last.identifier = identifier
            return last
        self._messages.append(SessionMessage(identifier))
        return self._messages[-1]

    def _start(self, event: dict[str, Any], data: dict[str, Any]) -> list[StreamEvent]:
        self._open(optional_text(data, "messageId", _DATA))
        return []

    def _text(self, event: dict[str, Any], data: dict[str, Any]) -> list[StreamEvent]:
        """Take a piece of text. One of a message that was already returned as a whole is ignored."""
        piece, identifier = optional_text(data, "deltaContent", _DATA), optional_text(data, "messageId", _DATA)
        if not piece or any(m.done is not None and m.identifier == identifier is not None for m in self._messages):
            return []
        self._open(identifier).pieces.append(piece)
        return [TextDelta(piece)]

    def _think(self, event: dict[str, Any], data: dict[str, Any]) -> list[StreamEvent]:
        """Take a piece of reasoning. Each thought of a message begins a paragraph."""
        piece = optional_text(data, "deltaContent", _DATA)
        if not piece:
            return []
        thoughts = self._open().thoughts
        identifier = optional_text(data, "reasoningId", _DATA)
        new = bool(thoughts) and identifier not in thoughts
        thoughts.setdefault(identifier, []).append(piece)
        return [ReasoningDelta(f"\n\n{piece}" if new else piece)]

    def _thought(self, event: dict[str, Any], data: dict[str, Any]) -> list[StreamEvent]:
        """Read a complete thought. Most of its text was already streamed."""
        text, identifier = optional_text(data, "content", _DATA), optional_text(data, "reasoningId", _DATA)
        last = self._messages[-1] if self._messages else None
        if not text or (last is not None and last.done is not None and last.done["data"].get("reasoningText")):
            return []
        streamed = "".join(self._open().thoughts.get(identifier, ()))
        return self._think(event, {"deltaContent": unstreamed_text(text, streamed), "reasoningId": identifier})

    def _argue(self, event: dict[str, Any], data: dict[str, Any]) -> list[StreamEvent]:
        """Take a piece of the arguments of a call. Calls of tools that take free text are ignored."""
        identifier, piece = _call_id(data), optional_text(data, "inputDelta", _DATA) or ""
        name = optional_text(data, "toolName", _DATA)
        call = self._by_id.get(identifier)
        if data.get("toolType") == "custom" or (call is not None and not piece and call.name):
            return []
        return [self._grow(self._open() if call is None else None, identifier, name, piece)]

    def _grow(
        self, message: SessionMessage | None, identifier: str, name: str | None, piece: str | None
    ) -> ToolCallDelta:
        """Start or extend a call. The first delta has its id, and its name follows once it is known."""
        call = self._by_id.get(identifier)
        first = call is None
        if call is None:
            call = self._by_id[identifier] = OpenCall(len(self._calls), {})
            call.wire_id, call.was_announced = identifier, True
            self._calls.append(call)
            if message is not None:
                message.calls.append(call)
        tool_name = None if call.name or not name else self._names.tool_name(name)
        call.name = call.name or name
        if piece:
            call.add(piece)
        return ToolCallDelta(call.index, identifier if first else None, tool_name, piece or None)

    def _whole(self, event: dict[str, Any], data: dict[str, Any]) -> list[StreamEvent]:
        """Read a complete message, and return events for what was not streamed."""
        text, thought = optional_text(data, "content", _DATA), optional_text(data, "reasoningText", _DATA)
        requests = data.get("toolRequests")
        if requests is not None and type(requests) is not list:
            raise wrong_type((_DATA, "toolRequests"), "an array", requests)
        self.converter.read_response(event, ROOT, Reader(self.wire, self._turn, self._tools))
        message = self._open(optional_text(data, "messageId", _DATA))
        events: list[StreamEvent] = []
        if message.thoughts and not thought:
            data = {**data, "reasoningText": message.reasoning_text()}
        elif thought and (unstreamed := unstreamed_text(thought, message.reasoning_text())):
            events.append(ReasoningDelta(unstreamed))
        if text and (unstreamed := unstreamed_text(text, "".join(message.pieces))):
            events.append(TextDelta(unstreamed))
        message.done = {**event, "data": data}
        self._details.pop(_CALL_FAILURE, None)
        for request in requests or ():
            if type(request) is dict and is_app_tool_request(request) and has_call_id(request):
                events += self._requested(message, request)
        return events

    def _requested(self, message: SessionMessage, request: dict[str, Any]) -> list[StreamEvent]:
        """Read a call of a complete message or request, and return the parts of it that were not streamed."""
        identifier = _call_id(request)
        call = self._by_id.get(identifier)
        name = request.get("name") if type(request.get("name")) is str else request.get("toolName")
        arguments = request.get("arguments")
        streamed = arguments is None or (call is not None and call.pieces)
        if call is not None and call.name and streamed:
            return []
        return [self._grow(message, identifier, str(name), None if streamed else dump_allowing_nan(arguments))]

    def _ask(self, event: dict[str, Any], data: dict[str, Any]) -> list[StreamEvent]:
        """Read a request for a tool of the app. A repeated request is still one call."""
        identifier = _call_id(data)
        if identifier in self._asked:
            return []
        call = self.converter.read_tool_call(data, _DATA, Reader(self.wire, self._turn, self._tools))
        self._asked[identifier] = data
        self._requests[optional_text(data, "requestId", _DATA)] = identifier
        last = self._messages[-1] if self._messages else None
        events: list[StreamEvent] = []
        events += self._requested(self._open() if last is None else last, data)
        events.append(ToolCallEvent(call))
        return events

    def _complete_request(self, event: dict[str, Any], data: dict[str, Any]) -> list[StreamEvent]:
        """Record that a request of the app has its result."""
        identifier = self._requests.get(optional_text(data, "requestId", _DATA))
        self._answered |= {identifier} if identifier is not None else set()
        return []

    def _run(self, event: dict[str, Any], data: dict[str, Any]) -> list[StreamEvent]:
        """Record that the host runs a call, or has run it."""
        identifier = _call_id(data)
        self._run_there.add(identifier)
        if event["type"] == "tool.execution_complete":
            self._answered.add(identifier)
        return []

    def _count(self, event: dict[str, Any], data: dict[str, Any]) -> list[StreamEvent]:
        """Add the usage of one call of the model. A response of several calls has their total."""
        total = {**self._usage, **data}
        for key in (*_TOKENS, *_AMOUNTS):
            before: Any = self._usage.get(key)
            more: Any = read_count(data, key, _DATA) if key in _TOKENS else data.get(key)
            if type(before) in (int, float) and type(more) in (int, float):
                total[key] = before + more
            elif more is None and before is not None:
                total[key] = before
        self._stop_reason = optional_text(data, "finishReason", _DATA)
        self._filtered = data.get("contentFilterTriggered") is True
        self._usage = total
        return []

    def _fail_call(self, event: dict[str, Any], data: dict[str, Any]) -> list[StreamEvent]:
        """Record that a call of the model failed. It may be repeated, and is no failure if a message follows."""
        self._details |= {_CALL_FAILURE: data} if data.get("source", "top_level") == "top_level" else {}
        return []

    def _fail(self, event: dict[str, Any], data: dict[str, Any]) -> list[StreamEvent]:
        """Record that the session failed or was aborted."""
        self._details[event["type"]] = data
        message = data.get("message") if event["type"] == "session.error" else f"aborted: {data.get('reason')}"
        self._failure = message if type(message) is str and message else "the session reported an error"
        return []

    def _end(self, event: dict[str, Any], data: dict[str, Any]) -> list[StreamEvent]:
        """Take the end of the turn: a failure if it was aborted, or if its last request to the model failed."""
        self._idle = True
        failed = self._details.get(_CALL_FAILURE)
        if data.get("aborted") is True and self._failure is None:
            self._failure = "aborted"
        elif failed is not None and self._failure is None and not (self._messages and self._messages[-1].is_last()):
            self._failure = optional_text(failed, "errorMessage", _DATA) or "a call of the model failed"
        return []

    def _ended(self) -> bool:
        """Return whether the session is idle, or all that the last message requested waits for the app."""
        last = self._messages[-1] if self._messages else None
        if self._idle or last is None:
            return self._idle
        if self._own is None:
            waits = {call.wire_id for call in last.calls} - self._run_there.difference(self._asked)
        else:
            own = () if self._calls_complete else self._own
            waits = {c.wire_id for c in last.calls if c.name in own or c.wire_id in self._asked} - self._answered
        return (
            bool(waits - self._answered) and waits <= self._asked.keys() and (last.done is not None or not last.pieces)
        )

    def result(self) -> Completion:
        """Return the response so far. A call can be run once it has been requested, or is complete."""
        reader = Reader(self.wire, self._turn, self._tools)
        messages = self._messages or [SessionMessage(None)]
        completions = [self._read(message, reader) for message in messages]
        completion = completions[-1]
        open_calls = self._invalidate_calls(completion)
        if len(completions) > 1:
            parts = [part for each in completions for part in _parts(each.message)]
            earlier = [inner_extras(each.metadata or {}, self.wire.name) for each in completions[:-1] if each.metadata]
            completion.message = AssistantMessage(parts, metadata=completion.message.metadata)
            completion.model = next((each.model for each in reversed(completions) if each.model is not None), None)
            merge_extras_into(completion, self.wire.name, {"$messages": earlier} if earlier else {})
        if self._usage:
            counted = {key: value for key, value in self._usage.items() if key not in ("finishReason", "model")}
            completion.usage = self.converter.USAGE.read(counted, ROOT, reader)
            model = self._usage.get("model")
            completion.model = completion.model or (model if type(model) is str else None)
        completion.stop_reason = self._stop_reason
        completion.finish_reason = self._reason(open_calls)
        merge_extras_into(completion, self.wire.name, {f"${kind}": data for kind, data in self._details.items()})
        return completion

    def _reason(self, open_calls: bool) -> FinishReason:
        """Return why the model stopped. `open_calls` says whether calls wait for results of the app."""
        reason: FinishReason = "stop"
        if self._stop_reason is not None:
            reason = self.converter.FINISH_REASONS.get(self._stop_reason, "other")
        if self._filtered:
            reason = "content_filter"
        if reason == "content_filter":
            return reason
        if (unfinished := self._outcome().reason) is not None:
            return unfinished
        if reason in ("length", "error"):
            return reason
        if open_calls:
            return "tool_calls"
        return "stop" if reason == "tool_calls" else reason

    def _invalidate_calls(self, completion: Completion) -> bool:
        """Mark the calls of the last message that must not be run, and return whether the app has calls to run."""
        calls = [part for part in _parts(completion.message) if type(part) is ToolCallPart]
        waiting = [part for part in calls if part.call.id not in self._answered]
        reason = self._reason(bool(waiting))
        if waiting:
            held = "error" if reason == "other" and not self._ended() else reason
            mark_calls_invalid(AssistantMessage([*waiting]), held)
        return bool(waiting)

    def _read(self, message: SessionMessage, reader: Reader) -> Completion:
        """Read a message, with what later events reported about its calls."""
        wire = message.assemble()
        completion = self.converter.read_response(wire, ROOT, reader)
        content: Any = completion.message.content
        listed = [r for r in wire["data"].get("toolRequests") or () if type(r) is dict and is_app_tool_request(r)]
        called = [i for i, part in enumerate(_parts(completion.message)) if type(part) is ToolCallPart]
        for i, request in zip(called, listed, strict=False):
            part = content[i]
            asked = self._asked.get(part.call.id)
            if asked is not None and (self._own is None or part.call.id not in self._answered):
                call = self.converter.read_tool_call(asked, _DATA, Reader(self.wire, self._turn, self._tools))
                call.invalid = part.call.invalid if part.call.invalid is not None else call.invalid
                extras = {key: value for key, value in request.items() if key not in _REQUEST}
                content[i] = ToolCallPart(call, metadata=reader.as_metadata(extras))
            elif self._own is not None or part.call.id in self._run_there:
                content[i] = OpaquePart(self.wire.name, request)
        return completion

    def _call_events(self, completion: Completion | None = None) -> list[StreamEvent]:
        """Return events, at the end, for the calls that were never requested from the app."""
        events = super()._call_events(completion)
        return [e for e in events if type(e) is not ToolCallEvent or e.call.id not in self._asked]


def _call_id(data: dict[str, Any]) -> str:
    """Return the call id of an event. The events of a session are never matched by order.

    Raises:
        ConversionError: There is no id.
    """
    if not has_call_id(data):
        raise wrong_type((_DATA, "toolCallId"), "an id", data.get("toolCallId"))
    return str(data["toolCallId"])


def _parts(message: AssistantMessage) -> list[Any]:
    """Return the content of a message as parts. Empty text is none."""
    content = message.content
    if type(content) is list:
        return content
    return [TextPart(content)] if type(content) is str and content else []


_TAKES: Mapping[str, Callable[[CopilotStream, dict[str, Any], dict[str, Any]], list[StreamEvent]]] = {
    "assistant.message_start": CopilotStream._start,
    "assistant.message_delta": CopilotStream._text,
    "assistant.message": CopilotStream._whole,
    "assistant.reasoning_delta": CopilotStream._think,
    "assistant.reasoning": CopilotStream._thought,
    "assistant.tool_call_delta": CopilotStream._argue,
    "assistant.usage": CopilotStream._count,
    "external_tool.requested": CopilotStream._ask,
    "external_tool.completed": CopilotStream._complete_request,
    "tool.execution_start": CopilotStream._run,
    "tool.execution_complete": CopilotStream._run,
    "session.error": CopilotStream._fail,
    "abort": CopilotStream._fail,
    _CALL_FAILURE: CopilotStream._fail_call,
    "session.idle": CopilotStream._end,
}
"""The method that reads each type of event."""
