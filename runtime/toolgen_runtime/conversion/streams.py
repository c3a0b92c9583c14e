"""Streams: build a response body from the events of a wire.

A stream builds the body of a complete response from its events. It reads this body like `from_response`, so both
return the same completion. The arguments of a call can be read as far as their JSON text has arrived. The streams of
each API are in `apis`.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

from ..errors import ConversionError, wrong_type
from ..models import (
    ApiError,
    AssistantMessage,
    CompletedEvent,
    Completion,
    ErrorEvent,
    OpaquePart,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
    ToolCallEvent,
    ToolDefinition,
)
from ..paths import ROOT, Path, without_path
from .reader import NO_IDS, Reader
from .responses import calls_in, mark_call_invalid, mark_calls_invalid
from .values import to_plain_object
from .wire import ProviderWire

__all__ = [
    "BaseStream",
    "IndexedBlocks",
    "OpenCall",
    "PartialObject",
    "order_by_index",
    "partial_object",
    "read_hashable_index",
]


_STRING = r'(?s:"(?:[^"\\]|\\.)*("?))'
_BARE = r"[^\s,\]}:\"]+"


class PartialObject:
    """An object read from growing text. It is parsed again after growing by a quarter, so the total cost is linear."""

    __slots__ = ("_counted", "_length", "_parsed", "_value")

    def __init__(self) -> None:
        self._counted = self._length = self._parsed = 0
        self._value: dict[str, Any] = {}

    def view(self, pieces: list[str]) -> dict[str, Any]:
        """Return the object that the pieces contain so far. The list may only grow between calls."""
        self._length += sum(map(len, pieces[self._counted :]))
        self._counted = len(pieces)
        if self._length >= self._parsed + max(1, self._parsed // 4):
            self._value = partial_object("".join(pieces))
            self._parsed = self._length
        return self._value


def partial_object(text: str) -> dict[str, Any]:
    """Return the members of an incomplete object that are complete enough, or `{}` if the text is not an object.

    An incomplete string is returned as it is so far. A number or literal is returned only if something follows it.
    """
    try:
        value = json.loads(_closed(text) or "")
    except (ValueError, RecursionError):
        return {}
    return value if type(value) is dict else {}


def _closed(text: str) -> str | None:
    """Cut a text after its last complete value, and add the missing closing brackets. None if there is no such value."""
    string_at, token_at = re.compile(_STRING).match, re.compile(_BARE).match  # cached by `re`: few streams need them
    stack: list[str] = []
    keep: list[tuple[int, tuple[str, ...]]] = []
    expects_key = False
    i, n = 0, len(text)
    while i < n:
        char = text[i]
        if char in " \t\r\n":
            i += 1
        elif char in "{[":
            stack.append("}" if char == "{" else "]")
            expects_key = char == "{"
            i += 1
            keep.append((i, tuple(stack)))
        elif char in "}]":
            if not stack or stack.pop() != char:
                return None
            i += 1
            keep.append((i, tuple(stack)))
            expects_key = False
            if not stack:
                break
        elif char == ",":
            expects_key = bool(stack) and stack[-1] == "}"
            i += 1
        elif char == ":":
            expects_key = False
            i += 1
        elif char == '"':
            string = string_at(text, i)
            end = string.end() if string else n
            if not (string and string.group(1)):
                if expects_key:
                    break
                return _open_string(text[i:end], text[:i], stack)
            i = end
            if not expects_key:
                keep.append((i, tuple(stack)))
        else:
            token = token_at(text, i)
            i = token.end() if token else i + 1
            if i < n:
                keep.append((i, tuple(stack)))
        del keep[:-1]
    if not keep:
        return None
    end, open_ = keep[-1]
    return text[:end] + "".join(reversed(open_))


def _open_string(string: str, before: str, stack: list[str]) -> str:
    """Close a text that ends within a string. An escape that is not complete, or half a pair of them, is left out."""
    ends_with_backslashes = re.search(r"(?<!\\)(?:\\\\)+$", string)
    if not ends_with_backslashes:
        string = re.sub(r"\\(?:u[0-9a-fA-F]{0,3})?$", "", string)
    string = re.sub(r"\\u[dD][89abAB][0-9a-fA-F]{2}$", "", string)
    return before + string + '"' + "".join(reversed(stack))


class OpenCall:
    """An incomplete call. `head` is the wire's object without the arguments, `pieces` is their text so far.

    `wire_index` is its index on the wire. The call is `malformed` if a piece was not a string, or if its name changed.
    """

    __slots__ = ("head", "index", "malformed", "name", "partial", "pieces", "was_announced", "wire_id", "wire_index")

    def __init__(self, index: int, head: dict[str, Any]) -> None:
        self.index = index
        self.head = head
        self.wire_id: str | None = None
        self.name: str | None = None
        self.pieces: list[str] = []
        self.was_announced = self.malformed = False
        self.wire_index: int | None = None
        self.partial: PartialObject | None = None

    def add(self, piece: str) -> None:
        """Add more text of the arguments."""
        self.pieces.append(piece)


def order_by_index(calls: Sequence[OpenCall]) -> Sequence[OpenCall]:
    """Sort calls by their index if each has its own; otherwise keep the order of arrival."""
    indexes = {call.wire_index for call in calls}
    if None in indexes or len(indexes) < len(calls):
        return calls
    return sorted(calls, key=lambda call: call.wire_index or 0)


def read_hashable_index(index: Any, at: Path) -> Any:
    """Return the index of an event, after a check of its type.

    Raises:
        ConversionError: The index is an array or an object.
    """
    if type(index) in (dict, list):
        raise wrong_type(at, "a number", index)
    return index


class IndexedBlocks(dict[Any, Any]):
    """The blocks of a stream by their index. A block whose index is used again is kept, and is no longer found."""

    def __init__(self) -> None:
        self.all: list[tuple[Any, Any]] = []

    def add(self, index: Any, block: Any, *, replaces: bool = False) -> Any:
        """Add a block, and return it. It is another one than that of its index before, unless it replaces that."""
        if replaces and index in self:
            self.all.remove((index, self[index]))
        self.all.append((index, block))
        self[index] = block
        return block

    def in_order(self) -> list[Any]:
        """Return all blocks by their index, numbers first; in the order of arrival if an index was used again."""
        entries = self.all
        if len(entries) == len(self):
            entries = sorted(entries, key=lambda e: (False, e[0]) if type(e[0]) is int else (True, str(e[0])))
        return [block for _, block in entries]


_SUCCESS = 200
"""The status of a response whose stream has begun."""

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
        self._api_error: ApiError | None = None
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
            return Outcome("error", ErrorEvent(self._failure, error=self._api_error))
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

    def _record_error(self, error: Any, body: Any = None, *, unnamed: str = "the stream reported an error") -> None:
        """Record the error that an event reports.

        Args:
            error: The error: an object, or its text.
            body: The error as a body from which the converter reads its kind. By default, it is under the key `error`.
            unnamed: The message of an error without text.
        """
        message = error.get("message") if type(error) is dict else error
        self._failure = message if type(message) is str and message else unnamed
        if error:
            self._api_error = self.converter.from_error(_SUCCESS, {"error": error} if body is None else body)

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
