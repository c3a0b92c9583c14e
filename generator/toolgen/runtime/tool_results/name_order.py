"""The order of results on a wire that pairs them with calls by the tool's name where ids are not sent."""

from __future__ import annotations

from collections.abc import Iterator

from ...models import Message, ToolResult
from ..conversion.writer import Writer
from ..messages.arrange import call_ids
from ..paths import Path

__all__ = ["in_order_of_name"]


def in_order_of_name(
    results: Iterator[tuple[ToolResult, Path]], before: Message | None, writer: Writer
) -> list[tuple[ToolResult, Path]]:
    """The results, those of one tool in the order of its calls where these were sent without ids."""
    found = list(results)
    if before is None or not writer.unsent:
        return found
    order = {identifier: i for i, identifier in enumerate(call_ids(before))}
    places: dict[str, list[int]] = {}
    for i, (result, _) in enumerate(found):
        if result.tool_call_id in writer.unsent and result.tool_call_id in order:
            places.setdefault(result.name, []).append(i)
    ordered = list(found)
    for one_name in places.values():
        by_call = sorted(one_name, key=lambda i: order[found[i][0].tool_call_id])
        for i, taken in zip(one_name, by_call, strict=True):
            ordered[i] = found[taken]
            if i != taken:
                writer.lost(found[i][1], "a result", "moved", "note", "results of one tool stand in the order of its calls")
    return ordered
