"""The order of messages, and of the parts of a streamed message.

APIs require the results of a turn directly after its calls, in one message. Stream writers need the parts of a
completion in the order in which they were sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any, TypeAlias

from .conversion.writer import Writer
from .models import (
    AssistantMessage,
    Completion,
    Message,
    ReasoningDelta,
    ReasoningPart,
    StreamEvent,
    TextDelta,
    TextPart,
    ToolCallDelta,
    ToolCallPart,
    ToolMessage,
    ToolResult,
)
from .paths import ROOT, Path

__all__ = ["Placed", "SentOrder", "order_for_api", "order_keeping_separate_results", "results_of"]

Placed: TypeAlias = tuple[Message, Path, tuple[Path, ...] | None]
"""A message, its path in the given value, and the paths of its results if they came from elsewhere."""

_CONTENT: Path = ((ROOT, "message"), "content")
_TEXTS = (TextPart, ReasoningPart)

_Run = tuple[Any, list[str]]
"""A type of part, with the pieces of consecutive text of this type, or with the id of a call."""


_SEPARATE = frozenset(["$apart", "$within"])


def order_for_api(messages: Sequence[Message], at: Path, writer: Writer) -> list[Placed]:
    """Return the messages with the results of each turn directly after its calls, in one message.

    Messages between calls and results move after them, and are reported. A result without an earlier call stays where
    it is.
    """
    placed: list[Placed] = list(zip(messages, [(at, i) for i in range(len(messages))], repeat(None)))
    return placed if _in_order(messages) else _reordered(placed, writer)


def order_keeping_separate_results(messages: Sequence[Message], at: Path, writer: Writer) -> list[Placed]:
    """Return the messages like `order_for_api`, but keep results in separate messages if they were read so.

    Results were read separately from another message (`$apart`), or from the same one, after other content (`$within`).
    """
    if any(type(m) is ToolMessage and not _SEPARATE.isdisjoint(writer.peek_extras(m.metadata)) for m in messages):
        called: set[str] = set()
        for message in messages:
            called.update(call_ids(message))
            if type(message) is ToolMessage and not called.issuperset(r.tool_call_id for r in message.results):
                break
        else:
            return [(message, (at, i), None) for i, message in enumerate(messages)]
    return order_for_api(messages, at, writer)


def results_of(message: ToolMessage, at: Path, paths: tuple[Path, ...] | None) -> Iterator[tuple[ToolResult, Path]]:
    """Return the results of a message, each with its path."""
    if paths is not None:
        return zip(message.results, paths, strict=True)
    holder = (at, "results")
    return ((result, (holder, i)) for i, result in enumerate(message.results))


def call_ids(message: Message) -> list[str]:
    """Return the ids of the calls in a message."""
    if type(message) is not AssistantMessage or type(message.content) is not list:
        return []
    return [part.call.id for part in message.content if type(part) is ToolCallPart]


def _in_order(messages: Sequence[Message]) -> bool:
    """Return whether the results of each turn are in the one message after it, and no other result has a call."""
    called: set[str] = set()
    before: list[str] = []
    for message in messages:
        if type(message) is ToolMessage:
            found = [result.tool_call_id for result in message.results]
            if found != before and any(i in called or i in before for i in found) and set(found) != set(before):
                return False
        if before:
            called.update(before)
            before = []
        if type(message) is AssistantMessage and type(message.content) is list:
            before = [part.call.id for part in message.content if type(part) is ToolCallPart]
    return True


def _reordered(placed: list[Placed], writer: Writer) -> list[Placed]:
    ordered: list[Placed] = []
    taken: set[tuple[int, int]] = set()
    for i, (message, place, _) in enumerate(placed):
        if type(message) is ToolMessage:
            left = [(r, (((place, "results")), j)) for j, r in enumerate(message.results) if (i, j) not in taken]
            if len(left) == len(message.results):
                ordered.append((message, place, None))
            elif left:
                rest = ToolMessage([r for r, _ in left], message.metadata)
                ordered.append((rest, place, tuple(p for _, p in left)))
            continue
        ordered.append((message, place, None))
        ids = call_ids(message)
        if ids:
            gathered = _gather(placed, i, ids, taken)
            if gathered:
                _report(placed, i, max(j for j, _, _ in gathered), writer)
                results = [result for _, _, result in gathered]
                places = tuple(((placed[j][1], "results"), k) for j, k, _ in gathered)
                ordered.append((ToolMessage(results), placed[gathered[0][0]][1], places))
    return ordered


def _gather(
    placed: list[Placed], turn: int, ids: list[str], taken: set[tuple[int, int]]
) -> list[tuple[int, int, ToolResult]]:
    """Return the results of a turn's calls, in the order of the calls. Only the first result of a call counts."""
    found: dict[str, tuple[int, int, ToolResult]] = {}
    for j in range(turn + 1, len(placed)):
        message = placed[j][0]
        if type(message) is ToolMessage:
            for k, result in enumerate(message.results):
                key = result.tool_call_id
                if key in ids and key not in found and (j, k) not in taken:
                    found[key] = (j, k, result)
    taken.update((j, k) for j, k, _ in found.values())
    return [found[key] for key in dict.fromkeys(ids) if key in found]


def _report(placed: list[Placed], turn: int, last: int, writer: Writer) -> None:
    for j in range(turn + 1, last):
        message, place, _ = placed[j]
        if type(message) is not ToolMessage:
            writer.report_loss(
                place,
                "a message",
                "moved",
                "note",
                "the results of a turn must directly follow its calls",
            )


class SentCall:
    """The part of a call that was sent: its arguments so far, and whether its id and name were sent.

    `first` has its id and name as far as they are known, `waiting` the pieces of its arguments until both are: then it is None.
    """

    __slots__ = ("arguments", "first", "named", "waiting")

    def __init__(self) -> None:
        self.arguments = ""
        self.named = False
        self.first: tuple[str | None, str | None] = (None, None)
        self.waiting: list[str] | None = []

    def with_name(self, event: ToolCallDelta) -> ToolCallDelta | None:
        """Return a delta; the first one with id, name and all pieces until then. None if they are not known yet."""
        if self.waiting is None:
            return event
        identifier, name = self.first
        self.first = event.id if identifier is None else identifier, event.name if name is None else name
        if event.arguments_delta:
            self.waiting.append(event.arguments_delta)
        if None in self.first:
            return None
        pieces, self.waiting = self.waiting, None
        return ToolCallDelta(event.index, *self.first, "".join(pieces) or event.arguments_delta)


class SentOrder:
    """The texts, the reasoning and the calls of a stream, in the order in which they were sent.

    Many APIs join the texts of a response. Text that was sent after a call is then before it in the completion. A
    writer that compares the completion with what it sent, part by part, would send this text again.
    """

    __slots__ = ("_calls", "_runs")

    def __init__(self) -> None:
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
        if type(parts) is not list or _is_own(completion, parts, writer) or self._is_order_of(parts):
            return completion
        sent = {kind: _joined(self._runs, kind) for kind in _TEXTS}
        if not all(_joined(_runs_of(parts), kind).startswith(text) for kind, text in sent.items()):
            return completion
        calls = {part.call.id: part for part in parts if type(part) is ToolCallPart and part.call.id in self._calls}
        arranged: list[Any] = []
        for kind, pieces in self._runs:
            if kind is not ToolCallPart:
                arranged.append(kind("".join(pieces)))
            elif pieces[0] in calls:
                arranged.append(calls[pieces[0]])
        arranged += _unsent(parts, calls, {kind: len(text) for kind, text in sent.items()}, writer)
        from copy import copy  # imported here, because few streams need it

        changed = copy(completion)
        changed.message = copy(completion.message)
        changed.message.content = arranged
        return changed

    def _is_order_of(self, parts: list[Any]) -> bool:
        """Return whether the parts begin with what was sent."""
        runs = _runs_of(parts)
        if len(runs) < len(self._runs):
            return False
        for i, ((sent_as, sent), (kind, pieces)) in enumerate(zip(self._runs, runs, strict=False), 1):
            text, whole = "".join(sent), "".join(pieces)
            if sent_as is not kind or not (text == whole or (i == len(self._runs) and whole.startswith(text))):
                return False
        return True


def _unsent(parts: list[Any], calls: dict[str, Any], sent: dict[Any, int], writer: Writer) -> list[Any]:
    """Return the parts that were not sent, and the rest of texts that were sent in part.

    Metadata of texts that were sent is reported here, because the parts that are written in their place have none.

    Args:
        parts: The parts of the completion.
        calls: The calls that were sent, by id.
        sent: The length of the text that was sent, by the type of its parts.
        writer: Gets the reports.
    """
    unsent: list[tuple[int, Any]] = []
    last = -1
    for i, part in enumerate(parts):
        kind = type(part)
        if kind is ToolCallPart and calls.get(part.call.id) is part:
            last = i
        elif sent.get(kind) and part.text:
            last = i
            taken = min(sent[kind], len(part.text))
            sent[kind] -= taken
            writer.own_extras(part.metadata, (_CONTENT, i))
            if part.text[taken:]:
                unsent.append((i, kind(part.text[taken:])))
        else:
            unsent.append((i, part))
    for i, _ in unsent:
        if i < last:
            writer.report_loss((_CONTENT, i), "a part", "moved", "note", "a later part was already sent")
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
    return "".join(piece for found, pieces in runs if found is kind for piece in pieces)


def _is_own(completion: Completion, parts: list[Any], writer: Writer) -> bool:
    """Return whether a completion, or a part of it, was read from the writer's wire or one that shares its state."""
    return any(writer.can_read(value.metadata) for value in (completion, completion.message, *parts))
