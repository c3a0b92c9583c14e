"""Paths in JSON values: the keys and indexes that lead to a value."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any


def at(value: Any, way: Iterable[Any]) -> Any:
    """Return the value at a path."""
    for step in way:
        value = value[step]
    return value


def put(value: Any, way: list[Any], new: Any) -> Any:
    """Return a value with a different one at a path; with additional members if the path is empty."""
    if not way:
        return {**value, **new}
    changed = copy.deepcopy(value)
    inner = changed
    for step in way[:-1]:
        inner = inner[step]
    inner[way[-1]] = new
    return changed


def ways(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of all values inside a value."""
    if not isinstance(value, dict | list):
        return
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*way, key)
        yield from ways(inner, (*way, key))
