"""Places in JSON values: ways of keys and positions that lead to them."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any


def at(value: Any, way: Iterable[Any]) -> Any:
    """What stands at the end of a way of keys and places."""
    for step in way:
        value = value[step]
    return value


def put(value: Any, way: list[Any], new: Any) -> Any:
    """The value with something else at the end of a way; with more members where there is no way to go."""
    if not way:
        return {**value, **new}
    changed = copy.deepcopy(value)
    inner = changed
    for step in way[:-1]:
        inner = inner[step]
    inner[way[-1]] = new
    return changed


def ways(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to all places in a value, itself left out."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*way, key)
        yield from ways(inner, (*way, key))
