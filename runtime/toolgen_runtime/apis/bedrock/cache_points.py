"""Cache points of Converse: entries of their own after the part, call, result or tool that they mark."""

from __future__ import annotations

from typing import Any

from ...conversion.extras import ABSENT, inner_extras, merge_extras_into, objects_in
from ...conversion.reader import Reader
from ...conversion.writer import Writer
from ...models import ToolCall, ToolCallPart, ToolDefinition, ToolResult
from ...paths import Path

__all__ = [
    "attach_cache_point",
    "cache_points_after",
    "has_surplus_cache_points",
    "limit_cache_points",
    "mark_last_block",
    "shared_cache_point",
]

_MOST_POINTS = 4  # documented for the models of Anthropic and Amazon

_TTLS = ("5m", "1h")  # botocore 1.44.8, CacheTTL


def attach_cache_point(block: Any, before: Any, reader: Reader) -> bool:
    """Attach a cache point to what stands before it. Return False if that has one or can have none, or it is no point.

    `before` is a part, a result or a tool. A part has a field for it; of the others it is an extra.
    """
    if type(block) is not dict or type(block.get("cachePoint")) is not dict:
        return False
    marked = _marked(before)
    if type(marked) in _HAVE_NO_FIELD:
        if "cachePoint" in inner_extras(marked.metadata or {}, reader.wire.name):
            return False
        # no field says it, so it counts as lost where it cannot be sent
        merge_extras_into(marked, reader.wire.name, {"cachePoint": {**block, "$read": True}})
        return True
    if getattr(marked, "cache", True) is not None:
        return False
    marked.cache = True
    if block != _point(ABSENT):
        merge_extras_into(marked, reader.wire.name, {"cachePoint": {"$whole": block}})
    return True


def cache_points_after(item: Any, at: Path, writer: Writer) -> list[dict[str, Any]]:
    """Return the cache point of a part, result or tool: one or none. It may come from Anthropic's mark."""
    marked = _marked_inside(item, writer)
    own, shared = _marks_of(marked, writer)
    if type(marked) not in _HAVE_NO_FIELD and not getattr(marked, "cache", None):
        return []
    if type(own) is dict:
        return [own]
    if type(marked) in _HAVE_NO_FIELD and type(shared) is not dict:
        return []
    return [shared_cache_point(shared, at, writer)]


def shared_cache_point(shared: Any, at: Path, writer: Writer) -> dict[str, Any]:
    """Return the cache point for a mark of Anthropic, which may say for how long."""
    ttl = shared.get("ttl", ABSENT) if type(shared) is dict else ABSENT
    if ttl is not ABSENT and ttl not in _TTLS:
        reason = f"the API has {' and '.join(_TTLS)}, so its default holds"
        writer.report_loss((at, "metadata"), "ttl", "dropped", reason)
        ttl = ABSENT
    return _point(ttl)


def mark_last_block(message: dict[str, Any], point: dict[str, Any]) -> None:
    """Mark the end of a message, as Anthropic's mark beside the messages does, unless it is marked."""
    content = message.get("content")
    if type(content) is list and content and not (type(content[-1]) is dict and "cachePoint" in content[-1]):
        message["content"] = [*content, point]


_HAVE_NO_FIELD = frozenset([ToolCall, ToolDefinition, ToolResult])
"""The classes without a field for the mark."""


def _marks_of(value: Any, writer: Writer) -> tuple[Any, Any]:
    """Return the cache point that a value was read with, and the mark of Anthropic. ABSENT for each that it lacks."""
    metadata = getattr(value, "metadata", None)
    own = inner_extras(writer.peek_extras(metadata), "cachePoint")
    block = own.get("$whole") if "$whole" in own else {key: member for key, member in own.items() if key != "$read"}
    return block or ABSENT, writer.shared_extra(metadata)


def _marked(item: Any) -> Any:
    """Return what can have the mark: the call of a part, otherwise the item itself."""
    return item.call if type(item) is ToolCallPart else item


def _marked_inside(item: Any, writer: Writer) -> Any:
    """Return what has the mark: for a result without one, its last marked part, because no point can be inside."""
    if (
        type(item) is ToolResult
        and item.kind == "multimodal"
        and not any(type(m) is dict for m in _marks_of(item, writer))
    ):
        return next((part for part in reversed(item.value) if getattr(part, "cache", None)), item)
    return _marked(item)


def _point(ttl: Any) -> dict[str, Any]:
    return {"cachePoint": {"type": "default"} if ttl is ABSENT else {"type": "default", "ttl": ttl}}


def _lists_with_points(wire: dict[str, Any]) -> list[list[Any]]:
    """Return the lists of a body that can have cache points, in the order in which the API caches them."""
    config = wire.get("toolConfig")
    lists = [config.get("tools") if type(config) is dict else None, wire.get("system")]
    lists += [message.get("content") for message in objects_in(wire.get("messages"))]
    return [entries for entries in lists if type(entries) is list]


def _positions(wire: dict[str, Any]) -> list[tuple[list[Any], int]]:
    """Return the lists and indexes of all cache points of a body."""
    return [
        (entries, i)
        for entries in _lists_with_points(wire)
        for i, entry in enumerate(entries)
        if type(entry) is dict and "cachePoint" in entry
    ]


def has_surplus_cache_points(wire: dict[str, Any]) -> bool:
    """Return whether a body has more cache points than the API accepts of most models."""
    return len(_positions(wire)) > _MOST_POINTS


def limit_cache_points(wire: dict[str, Any], at: Path, writer: Writer) -> None:
    """Remove the first cache points of a body that has too many. Later ones cover what they covered."""
    surplus = _positions(wire)[:-_MOST_POINTS]
    if not surplus:
        return
    reason = f"the API accepts {_MOST_POINTS} cache points, so the first ones were removed"
    writer.report_loss(at, "cache", "dropped", reason)
    for entries, i in reversed(surplus):
        del entries[i]
