"""The message order that APIs require: the results of a turn directly after its calls, in one message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import TypeAlias

from .conversion.writer import Writer
from .models import AssistantMessage, Message, ToolCallPart, ToolMessage, ToolResult
from .paths import Path

__all__ = ["Placed", "order_for_api", "order_keeping_separate_results", "results_of"]

Placed: TypeAlias = tuple[Message, Path, tuple[Path, ...] | None]
"""A message, its path in the given value, and the paths of its results if they came from elsewhere."""

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
