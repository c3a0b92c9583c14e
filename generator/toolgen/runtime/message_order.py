"""The order that APIs demand of a history: the results of a turn directly after it, together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import TypeAlias

from .conversion.writer import Writer
from .models import AssistantMessage, Message, ToolCallPart, ToolMessage, ToolResult
from .paths import Path

__all__ = ["Placed", "order_as_kept", "order_by_calls", "order_for_api", "results_of"]

Placed: TypeAlias = tuple[Message, Path, tuple[Path, ...] | None]
"""A message, its place in the value given, and the places of its results where they came from elsewhere."""


def order_for_api(messages: Sequence[Message], at: Path, writer: Writer) -> list[Placed]:
    """The messages with the results of each turn directly after its calls, in one message.

    What stood between calls and results comes after them, and is reported; a result without a call before it stays
    where it is.
    """
    placed: list[Placed] = list(zip(messages, [(at, i) for i in range(len(messages))], repeat(None)))
    return placed if _in_order(messages) else _reordered(placed, writer)


def order_as_kept(messages: Sequence[Message], at: Path, writer: Writer) -> list[Placed]:
    """The messages as `order_for_api` has them, but where results came from this API apart, each after its call: they stay so."""
    if any(type(m) is ToolMessage and writer.kept_extras(m.metadata).get("$apart") for m in messages):
        called: set[str] = set()
        for message in messages:
            called.update(call_ids(message))
            if type(message) is ToolMessage and not called.issuperset(r.tool_call_id for r in message.results):
                break
        else:
            return [(message, (at, i), None) for i, message in enumerate(messages)]
    return order_for_api(messages, at, writer)


def results_of(message: ToolMessage, at: Path, places: tuple[Path, ...] | None) -> Iterator[tuple[ToolResult, Path]]:
    """The results of a message with their places."""
    if places is not None:
        return zip(message.results, places, strict=True)
    holder = (at, "results")
    return ((result, (holder, i)) for i, result in enumerate(message.results))


def order_by_calls(
    results: Iterator[tuple[ToolResult, Path]], before: Message | None, writer: Writer
) -> list[tuple[ToolResult, Path]]:
    """The results in the order of the calls where one was sent without its id, so that only the order tells them apart."""
    found = list(results)
    if before is None or not writer.unsent or writer.unsent.isdisjoint(result.tool_call_id for result, _ in found):
        return found
    order = {identifier: i for i, identifier in enumerate(call_ids(before))}
    ordered = sorted(found, key=lambda pair: order.get(pair[0].tool_call_id, len(order)))
    for (old, place), (new, _) in zip(found, ordered, strict=True):
        if old is not new:
            writer.report_loss(
                place, "a result", "moved", "note", "results without ids stand in the order of their calls"
            )
    return ordered


def call_ids(message: Message) -> list[str]:
    """The ids of the calls in a message."""
    if type(message) is not AssistantMessage or type(message.content) is not list:
        return []
    return [part.call.id for part in message.content if type(part) is ToolCallPart]


def _in_order(messages: Sequence[Message]) -> bool:
    """Whether each turn's results stand in the one message after it, and no result elsewhere has a call."""
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
    """The results of a turn's calls, in the order of the calls; the first one where a call has several."""
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
                "the results of a turn stand directly after its calls",
            )
