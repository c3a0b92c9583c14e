"""Streams: build a response body from the events of a wire, and write events from a body.

A stream builds the body of a complete response from its events. It reads this body like `from_response`, so both
return the same completion. The streams of each API are in `apis`.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from dataclasses import replace
from typing import Any, ClassVar, Literal, NamedTuple

from .conversion.reader import NO_IDS, Reader
from .conversion.values import to_plain_object
from .conversion.wire import ProviderWire
from .conversion.writer import OnLoss, Writer
from .errors import ConversionError
from .models import (
    ApiError,
    AssistantMessage,
    CompletedEvent,
    Completion,
    ErrorEvent,
    OpaquePart,
    ReasoningDelta,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
    ToolCallEvent,
    ToolDefinition,
)
from .paths import ROOT, without_path
from .responses import calls_in, mark_call_invalid, mark_calls_invalid
from .stream_parts import OpenCall, PartialObject, SentCall, SentOrder, order_by_index

__all__ = ["BaseStream", "BaseStreamWriter"]


UNFINISHED = "the stream ended before the response was complete"


class Outcome(NamedTuple):
    """How a response ended."""

    reason: Literal["error", "other"] | None
    """The finish reason of a response that failed (`error`) or is not complete yet (`other`). None if it is complete."""
    error: ErrorEvent | None
    """What is wrong with it. A complete response may have a value of the wrong type, which is left out."""


def _error_event(error: BaseException) -> ErrorEvent:
    """Return the event for an exception of the source. That of a session has the error of the API."""
    api_error: Any = getattr(error, "error", None)
    if type(api_error) is not ApiError:
        return ErrorEvent(f"{type(error).__name__}: {error}")
    return ErrorEvent(f"{type(error).__name__}: {api_error.message}", error=api_error)


class BaseStream:
    """A stream of one response, read event by event.

    Call `feed` for each event, and `finish` when the source ends or fails. `result` returns what has arrived so far.
    """

    converter: ClassVar[Any]
    """The provider's converter, which reads the complete response. The provider's module sets it."""
    _plain = staticmethod(to_plain_object)
    """Converts the client's events to JSON data."""

    def __init__(self, turn: int = 0, *, tools: Iterable[ToolDefinition | OpaquePart] = ()) -> None:
        self._turn = turn
        self._tools = tuple(tools)
        self.wire: ProviderWire = self.converter.wire
        self._names = Reader(self.wire, turn, self._tools)
        self._calls: list[OpenCall] = []
        self._owners: dict[str, OpenCall | None] = dict.fromkeys(NO_IDS)
        self._failure: str | None = None
        self._fault: str | None = None
        self._source_error: BaseException | None = None
        self._finished = False
        self._reported_ids: set[str] = set()

    @classmethod
    def iter_events(
        cls,
        source: Iterable[Any],
        *,
        turn: int = 0,
        tools: Iterable[ToolDefinition | OpaquePart] = (),
        text_only: bool = False,
    ) -> Iterator[StreamEvent]:
        """Read a client's stream as it arrives. The last event is `completed`, even if the stream fails.

        Args:
            source: The client's stream, or an iterable of its events.
            turn: Index of the assistant message in the conversation, from 0. Synthetic ids contain it.
            tools: Definitions of tools that the package does not declare, to decode their arguments.
            text_only: Whether to yield only text events.

        Yields:
            The events of the stream, in the neutral format.
        """
        return _events(cls(turn, tools=tools), source, text_only)

    @classmethod
    def aiter_events(
        cls,
        source: AsyncIterable[Any],
        *,
        turn: int = 0,
        tools: Iterable[ToolDefinition | OpaquePart] = (),
        text_only: bool = False,
    ) -> AsyncIterator[StreamEvent]:
        """Read a client's asynchronous stream as it arrives. The last event is `completed`, even if the stream fails.

        Args:
            source: The client's stream, or an iterable of its events.
            turn: Index of the assistant message in the conversation, from 0. Synthetic ids contain it.
            tools: Definitions of tools that the package does not declare, to decode their arguments.
            text_only: Whether to yield only text events.

        Yields:
            The events of the stream, in the neutral format.
        """
        return _aevents(cls(turn, tools=tools), source, text_only)

    def feed(self, event: Any) -> list[StreamEvent]:
        """Read one event, in constant time.

        An event with a value of the wrong type does not end the stream. The rest of the response is read, but its calls
        must not be run.

        Args:
            event: An event of the stream: a dict, or the client's object.

        Returns:
            The events of the neutral format that result from it; often none.

        Raises:
            ConversionError: The event is neither of these.
        """
        event = event if type(event) is dict else self._plain(event, ROOT)
        try:
            return self._read_event(event)
        except ConversionError as error:
            self._failure = self._failure or f"an event has a value of the wrong type: {error}"
            return []

    def finish(self, error: BaseException | None = None) -> list[StreamEvent]:
        """End the stream after its source has ended or failed.

        Args:
            error: The exception that ended the source, if there was one.

        Returns:
            The remaining events; the last one is `completed`. A second call returns an empty list.
        """
        if self._finished:
            return []
        self._finished = True
        self._source_error = error
        completion = self.result()
        outcome = self._outcome()
        events: list[StreamEvent] = [*self._announcements(completion)]
        events += self._call_events(completion) if outcome.reason is None else []
        events += [outcome.error] if outcome.error is not None else []
        return [*events, CompletedEvent(completion)]

    def result(self) -> Completion:
        """Return the response so far. Its calls must not be run before the end of the stream."""
        completion = self._read_body()
        outcome, calls = self._outcome(), order_by_index(self._calls)
        if outcome.reason is None:
            for position, call in enumerate(calls):
                if call.malformed:
                    mark_call_invalid(completion.message, position, "malformed", "".join(call.pieces))
            return completion
        if completion.finish_reason != "content_filter":
            completion.finish_reason = outcome.reason
        mark_calls_invalid(completion.message, "error")
        for cut, call in zip(calls_in(completion.message), calls, strict=False):
            if cut.invalid is not None and not (cut.arguments or call.pieces):
                cut.invalid.text = ""  # no arguments came, so `{}` is not what the model wrote
        return completion

    def _outcome(self) -> Outcome:
        """Return how the response ended, as far as it is known: what the stream reported comes before its source."""
        if self._failure is not None:
            return Outcome("error", ErrorEvent(self._failure))
        if self._source_error is not None:
            return Outcome("error", _error_event(self._source_error))
        if not self._ended():
            return Outcome("error" if self._finished else "other", ErrorEvent(UNFINISHED))
        return Outcome(None, None if self._fault is None else ErrorEvent(self._fault))

    def _announcements(self, completion: Completion) -> Iterator[StreamEvent]:
        """Yield the first event of each call that has none yet."""
        for open_call, call in zip(order_by_index(self._calls), calls_in(completion.message), strict=False):
            if not open_call.was_announced:
                open_call.was_announced = True
                yield ToolCallDelta(open_call.index, call.id, call.name)

    def _final_stop_reason(self, before: Any, stop_reason: Any) -> Any:
        """Return the stop reason that counts. A response that was cut off, filtered or failed keeps its reason."""
        table = self.converter.FINISH_REASONS
        cut = type(before) is str and table.get(before) in ("length", "content_filter", "error")
        return before if cut else stop_reason

    def _read_body(self) -> Completion:
        """Read the body so far. Values of the wrong type are omitted."""
        body: Any = self._body()
        while True:
            try:
                reader = Reader(self.wire, self._turn, self._tools)
                completion: Completion = self.converter.read_response(body, ROOT, reader)
                return completion
            except ConversionError as error:
                self._fault = self._fault or f"the response has a value of the wrong type: {error}"
                steps = error.path.replace("[", ".").replace("]", "").split(".")
                if len(steps) > 1:
                    self._failure = self._failure or self._fault
                body = without_path(body, steps)
                if body is None:
                    self._failure = self._fault
                    return Completion(AssistantMessage(), "error")

    def partial_arguments(self, index: int) -> dict[str, Any]:
        """Return the arguments of an incomplete call as far as they can be read.

        The text is only parsed again after it has grown by a quarter.

        Args:
            index: The index of the `tool_call_delta` event.

        Returns:
            The arguments so far; `{}` if there is no such call.
        """
        if not 0 <= index < len(self._calls):
            return {}
        call = self._calls[index]
        if call.partial is None:
            call.partial = PartialObject()
        return call.partial.view(call.pieces)

    def _call_events(self, completion: Completion | None = None) -> list[StreamEvent]:
        """Return events, once for each, for the calls of a response that ended normally. Some come after its reason."""
        calls = calls_in((completion or self.result()).message)
        if any(call.invalid is not None and call.invalid.reason in ("truncated", "filtered") for call in calls):
            return []
        new = [call for call in calls if call.id not in self._reported_ids]
        self._reported_ids.update(call.id for call in new)
        return [ToolCallEvent(call) for call in new]

    def _delta(self, call: OpenCall, piece: str | None) -> ToolCallDelta:
        """Return the delta of a call. The first delta for which both are known contains the id and the name."""
        if call.was_announced or not call.name:
            return ToolCallDelta(call.index, arguments_delta=piece)
        name = self._names.tool_name(call.name)
        if not call.wire_id or call.wire_id.isspace() or self._owners.setdefault(call.wire_id, call) is not call:
            return ToolCallDelta(call.index, None, None, piece)
        call.was_announced = True
        return ToolCallDelta(call.index, call.wire_id, name, piece)

    def _record_error(self, error: Any) -> None:
        """Record the error that an event reports."""
        message = error.get("message") if type(error) is dict else error
        self._failure = message if type(message) is str else "the stream reported an error"

    def _read_event(self, event: dict[str, Any]) -> list[StreamEvent]:
        raise NotImplementedError

    def _body(self) -> dict[str, Any]:
        raise NotImplementedError

    def _ended(self) -> bool:
        """Return whether the response has ended."""
        raise NotImplementedError


def _events(stream: BaseStream, source: Iterable[Any], text_only: bool) -> Iterator[StreamEvent]:
    """Feed the events of a source, and finish when it ends or fails. A failure becomes an `error` event."""
    failure: Exception | None = None
    try:
        for item in source:
            yield from _wanted(stream.feed(item), text_only)
    except Exception as error:  # noqa: BLE001 - any failure of the source is reported as an event
        failure = error
    yield from _wanted(stream.finish(failure), text_only)


async def _aevents(stream: BaseStream, source: AsyncIterable[Any], text_only: bool) -> AsyncIterator[StreamEvent]:
    """Feed the events of an asynchronous source, like `_events`."""
    failure: Exception | None = None
    try:
        async for item in source:
            for event in _wanted(stream.feed(item), text_only):
                yield event
    except Exception as error:  # noqa: BLE001 - as in `_events`
        failure = error
    for event in _wanted(stream.finish(failure), text_only):
        yield event


def _wanted(events: list[StreamEvent], text_only: bool) -> list[StreamEvent]:
    return [event for event in events if type(event) is TextDelta] if text_only else events


class BaseStreamWriter:
    """Writes the events of one response, for apps that act as the provider.

    Values that the format has only at the end (the id of the response, extras, usage) are written with the last events.
    `id`, `created` (seconds since 1970) and `model` are part of all events that have them on the wire: `id` and `model` go
    before those of the completion. What was sent as a delta is not sent again, even if the completion has its parts in
    another order (`SentOrder`).
    """

    converter: ClassVar[Any]
    """The provider's converter, which writes the complete response. The provider's module sets it."""
    HAS_BLOCKS: ClassVar[bool] = False
    """Whether a call is a block of the response, so that calls are in the order in which they begin."""

    def __init__(
        self,
        *,
        id: str | None = None,
        created: int | None = None,
        on_loss: OnLoss | None = None,
        model: str | None = None,
    ) -> None:
        self.id = id
        self.created = created
        self.model = model
        self.writer = Writer(self.converter.wire, on_loss, "weaken", is_response=True)
        self.writer.is_stream = True
        self.calls: dict[int, SentCall] = {}
        self.text: list[str] = []
        self.reasoning: list[str] = []
        self.order = SentOrder(self.HAS_BLOCKS)
        self.ended = False
        self._failure: str | None = None
        self._set_up()

    def _set_up(self) -> None:
        """Create the state that only the writer of one API has."""

    def write(self, event: StreamEvent) -> list[dict[str, Any]]:
        """Write one event. Events after `completed` are ignored.

        Args:
            event: An event of the neutral format. An error is written with `completed` or at the end, because the
                completion may have more about it.

        Returns:
            The events of the wire; often none.
        """
        if self.ended:
            return []
        if type(event) is ToolCallDelta:
            named = self.sent_call(event.index).hold_until_named(event)
            if named is None:
                return []
            self.order.add(named)
            return self._call(named)
        self.order.add(event)
        if type(event) is TextDelta:
            self.text.append(event.text)
            return self._text(event.text)
        if type(event) is ReasoningDelta:
            self.reasoning.append(event.text)
            return self._reasoning(event.text)
        if type(event) is ErrorEvent:
            self._failure = self._failure or event.message
            return []
        if type(event) is CompletedEvent:
            self.ended = True
            completion = self.order.arrange(event.completion, self.writer)
            # What earlier events said stays: clients know a stream by its id.
            if self.model is not None:
                completion = replace(completion, model=self.model)
            if self.id is not None and completion.id is not None:
                completion = replace(completion, id=self.id)
            body = self.converter.write_response(completion, self.id, self.created, self.writer)
            failed = self._failure is not None and not self._has_error(body)
            events = self._error(self._failure or "") if failed else []
            return [*events, *self._completed(body, completion)]
        if type(event) is ToolCallEvent:
            return []
        raise TypeError("not an event of a stream")

    def finish(self) -> list[dict[str, Any]]:
        """End the stream. Without a `completed` event before, it ends with an error.

        Returns:
            The remaining events of the wire.
        """
        if self.ended:
            return []
        self.ended = True
        return self._error(self._failure or "the stream ended before the response was complete")

    def _has_error(self, body: dict[str, Any]) -> bool:
        """Return whether the complete response has its provider's own error, which says more than an event."""
        return type(body) is dict and bool(body.get("error"))  # the text of `prompt` is not an object

    def sent_call(self, index: int) -> SentCall:
        """Return the part of a call that was sent so far."""
        return self.calls.setdefault(index, SentCall())

    def _text(self, text: str) -> list[dict[str, Any]]:
        raise NotImplementedError

    def _reasoning(self, text: str) -> list[dict[str, Any]]:
        self.writer.report_unsupported(ROOT, "reasoning")
        return []

    def _call(self, event: ToolCallDelta) -> list[dict[str, Any]]:
        raise NotImplementedError

    def _error(self, message: str) -> list[dict[str, Any]]:
        raise NotImplementedError

    def _completed(self, body: dict[str, Any], completion: Completion) -> list[dict[str, Any]]:
        raise NotImplementedError
