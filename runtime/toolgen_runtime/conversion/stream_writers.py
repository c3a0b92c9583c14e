"""Stream writers: write the events of a wire for a response that arrives in pieces, and record what was sent.

The stream writers of each API are in `apis`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, ClassVar

from ..json_text import is_object_text
from ..models import (
    ApiError,
    CompletedEvent,
    Completion,
    ErrorEvent,
    ReasoningDelta,
    ReasoningPart,
    StreamEvent,
    TextDelta,
    TextPart,
    ToolCallDelta,
    ToolCallEvent,
    ToolCallPart,
)
from ..paths import ROOT, Path
from .responses import is_completion_read_from_wire
from .writer import OnLoss, Writer

__all__ = ["BaseStreamWriter", "OpenBlocks", "SentCall", "SentOrder"]

_CONTENT: Path = ((ROOT, "message"), "content")
_TEXTS = (TextPart, ReasoningPart)

_Run = tuple[Any, list[str]]
"""A type of part, with the pieces of consecutive text of this type, or with the id of a call."""


class SentCall:
    """The part of a call that was sent: its arguments so far.

    `first` has its id and name as far as they are known. Until both are, nothing is sent, and `waiting` has the pieces
    of its arguments; then it is None.
    """

    __slots__ = ("arguments", "first", "waiting")

    def __init__(self) -> None:
        self.arguments = ""
        self.first: tuple[str | None, str | None] = (None, None)
        self.waiting: list[str] | None = []

    @property
    def is_begun(self) -> bool:
        """Whether the delta with the id and the name was sent."""
        return self.waiting is None

    def hold_until_named(self, event: ToolCallDelta) -> ToolCallDelta | None:
        """Return a delta, or None until the id and the name are known.

        The first one has both and all pieces until then; later ones have neither.
        """
        if self.waiting is None:
            if event.id is None and event.name is None:
                return event
            return ToolCallDelta(event.index, None, None, event.arguments_delta)
        identifier, name = self.first
        self.first = event.id if identifier is None else identifier, event.name if name is None else name
        if event.arguments_delta:
            self.waiting.append(event.arguments_delta)
        if None in self.first:
            return None
        pieces, self.waiting = self.waiting, None
        return ToolCallDelta(event.index, *self.first, "".join(pieces) or event.arguments_delta)


class OpenBlocks:
    """The blocks of a stream that started and did not stop, by their index. Those of calls have what was sent of them."""

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open: dict[int, SentCall | None] = {}

    def __contains__(self, index: int) -> bool:
        return index in self._open

    def start(self, index: int, call: SentCall | None = None) -> list[int]:
        """Record that a block starts. Return those that stop before: texts, and calls with a whole object.

        A call with nothing does not stop, because its arguments may follow, and clients run a call when it stops.
        """
        self._open.pop(index, None)
        stopped = self.stop(i for i, c in self._open.items() if c is None or is_object_text(c.arguments))
        self._open[index] = call
        return stopped

    def stop(self, indices: Iterable[int]) -> list[int]:
        """Record that blocks stop. Return those of them that were open, in order."""
        stopped = sorted(self._open.keys() & set(indices))
        for index in stopped:
            del self._open[index]
        return stopped


class SentOrder:
    """The texts, the reasoning and the calls of a stream, in the order in which they were sent.

    Many APIs join the texts of a response. Text that was sent after a call is then before it in the completion. A
    writer that compares the completion with what it sent, part by part, would send this text again. Calls among each
    other are in the order of their index, or of their start on a wire that has them as blocks (`by_start`).
    """

    __slots__ = ("_by_start", "_calls", "_runs")

    def __init__(self, by_start: bool) -> None:
        self._by_start = by_start
        self._runs: list[_Run] = []
        self._calls: set[str] = set()

    def add(self, event: StreamEvent) -> None:
        """Record an event. The place of a call is where its id and name are known, because writers start it there."""
        if type(event) is TextDelta:
            _extend(self._runs, TextPart, event.text)
        elif type(event) is ReasoningDelta:
            _extend(self._runs, ReasoningPart, event.text)
        elif (
            type(event) is ToolCallDelta
            and event.id is not None
            and event.name is not None
            and event.id not in self._calls
        ):
            self._runs.append((ToolCallPart, [event.id]))
            self._calls.add(event.id)

    def arrange(self, completion: Completion, writer: Writer) -> Completion:
        """Return a completion with its parts in the order of the stream. What was not sent comes last.

        The completion is returned as it is if it has this order, if its text is not that of the stream, or if it was
        read from this wire, because then its parts are restored exactly.
        """
        parts = completion.message.content
        if (
            type(parts) is not list
            or is_completion_read_from_wire(completion, parts, writer)
            or self._is_order_of(parts)
        ):
            return completion
        sent = {kind: _joined(self._runs, kind) for kind in _TEXTS}
        if not all(_joined(_runs_of(parts), kind).startswith(text) for kind, text in sent.items()):
            return completion
        calls = [part for part in parts if type(part) is ToolCallPart]
        sent_calls = {part.call.id: part for part in calls if part.call.id in self._calls}
        begun = [pieces[0] for kind, pieces in self._runs if kind is ToolCallPart and pieces[0] in sent_calls]
        placed = [sent_calls[identifier] for identifier in begun] if self._by_start else calls[: len(begun)]
        waiting = iter(placed)
        arranged: list[Any] = []
        for kind, pieces in self._runs:
            if kind is not ToolCallPart:
                arranged.append(kind("".join(pieces)))
            elif pieces[0] in sent_calls:
                arranged.append(next(waiting))
        arranged += _unsent(parts, set(map(id, placed)), {kind: len(text) for kind, text in sent.items()}, writer)
        return replace(completion, message=replace(completion.message, content=arranged))

    def _is_order_of(self, parts: list[Any]) -> bool:
        """Return whether the parts begin with what was sent."""
        runs = _runs_of(parts)
        if len(runs) < len(self._runs):
            return False
        for i, ((sent_as, sent), (kind, pieces)) in enumerate(zip(self._runs, runs, strict=False), 1):
            text, whole = "".join(sent), "".join(pieces)
            if sent_as is kind is ToolCallPart and not self._by_start:
                continue
            if sent_as is not kind or not (text == whole or (i == len(self._runs) and whole.startswith(text))):
                return False
        return True


def _unsent(parts: list[Any], placed: set[int], sent: dict[Any, int], writer: Writer) -> list[Any]:
    """Return the parts that were not sent, and the rest of texts that were sent in part.

    Metadata of texts that were sent is reported here, because the parts that are written in their place have none.

    Args:
        parts: The parts of the completion.
        placed: The calls that have a place, by their identity.
        sent: The length of the text that was sent, by the type of its parts.
        writer: Gets the reports.
    """
    unsent: list[tuple[int, Any]] = []
    last = -1
    for i, part in enumerate(parts):
        kind = type(part)
        if id(part) in placed:
            last = i
        elif sent.get(kind) and part.text:
            last = i
            sent_length = min(sent[kind], len(part.text))
            sent[kind] -= sent_length
            writer.own_extras(part.metadata, (_CONTENT, i))
            if part.text[sent_length:]:
                unsent.append((i, kind(part.text[sent_length:])))
        else:
            unsent.append((i, part))
    for i, _ in unsent:
        if i < last:
            writer.report_loss((_CONTENT, i), "a part", "moved", "a later part was already sent")
    return [part for _, part in unsent]


def _extend(runs: list[_Run], kind: Any, text: str) -> None:
    """Add text to the last run, or begin a run of its kind."""
    if not runs or runs[-1][0] is not kind:
        runs.append((kind, []))
    runs[-1][1].append(text)


def _runs_of(parts: Iterable[Any]) -> list[_Run]:
    """Return the parts as runs. A part that no event sends separates texts."""
    runs: list[_Run] = []
    for part in parts:
        kind = type(part)
        if kind not in _TEXTS:
            runs.append((kind, [part.call.id if kind is ToolCallPart else ""]))
        elif part.text:
            _extend(runs, kind, part.text)
    return runs


def _joined(runs: Iterable[_Run], kind: Any) -> str:
    """Return the joined text of all runs of a kind."""
    return "".join(piece for run_kind, pieces in runs if run_kind is kind for piece in pieces)


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
        self._api_error: ApiError | None = None
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
            if not self._failure:
                self._failure, self._api_error = event.message, event.error
            return []
        if type(event) is CompletedEvent:
            return self._write_completed(event.completion)
        if type(event) is ToolCallEvent:
            return []
        raise TypeError("not an event of a stream")

    def _write_completed(self, completion: Completion) -> list[dict[str, Any]]:
        """End the stream with the completion. An error from before is written if the response does not have one."""
        self.ended = True
        completion = self.order.arrange(completion, self.writer)
        # What earlier events said stays: clients know a stream by its id.
        if self.model is not None:
            completion = replace(completion, model=self.model)
        if self.id is not None and completion.id is not None:
            completion = replace(completion, id=self.id)
        body = self.converter.write_response(completion, self.id, self.created, self.writer)
        events: list[dict[str, Any]] = []
        if self._failure is not None and not self._has_error(body):
            events = self._error(self._failure)
        return [*events, *self._completed(body, completion)]

    def finish(self) -> list[dict[str, Any]]:
        """End the stream. Without a `completed` event before, it ends with an error.

        Returns:
            The remaining events of the wire.
        """
        if self.ended:
            return []
        self.ended = True
        return self._error(self._failure or "the stream ended before the response was complete")

    def _error_code(self, default: str) -> str:
        """Return the first code of the API for the kind of the error, after which a retry may help if it may for the kind.

        It is the default if it has this kind too, or if no API has reported an error. For a wrong request it is the
        default too, because its codes say what is wrong.
        """
        table = self.converter.ERRORS
        words, final = table["words"], table.get("final", ())
        kind = words[default] if self._api_error is None else self._api_error.kind
        if kind in (words[default], "invalid_request"):
            return default
        return next((code for code, word_kind in words.items() if word_kind == kind and code not in final), default)

    def _has_error(self, body: dict[str, Any]) -> bool:
        """Return whether the complete response has its provider's own error, which says more than an event."""
        return type(body) is dict and bool(body.get("error"))  # the text of `prompt` is not an object

    def sent_call(self, index: int) -> SentCall:
        """Return the part of a call that was sent so far."""
        return self.calls.setdefault(index, SentCall())

    def _text(self, text: str) -> list[dict[str, Any]]:
        """Return the events for a piece of text."""
        raise NotImplementedError

    def _reasoning(self, text: str) -> list[dict[str, Any]]:
        """Return the events for a piece of reasoning. A wire without reasoning has none."""
        self.writer.report_unsupported(ROOT, "reasoning")
        return []

    def _call(self, event: ToolCallDelta) -> list[dict[str, Any]]:
        """Return the events for a piece of a call. The first one has its id and its name, and later ones neither."""
        raise NotImplementedError

    def _error(self, message: str) -> list[dict[str, Any]]:
        """Return the events for an error."""
        raise NotImplementedError

    def _completed(self, body: dict[str, Any], completion: Completion) -> list[dict[str, Any]]:
        """Return the events for what was not sent of the complete response (`body`), and for its end."""
        raise NotImplementedError
