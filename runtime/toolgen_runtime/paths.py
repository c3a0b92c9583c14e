"""Paths of values, as nested tuples that cost nothing until they are formatted."""

from __future__ import annotations

from typing import Any, TypeAlias

__all__ = ["ROOT", "Path", "format_path", "path_of_non_finite", "without_path"]

Path: TypeAlias = tuple[Any, ...]
"""`()` for the value itself, otherwise `(path of the container, key or index)`."""

ROOT: Path = ()

_CONTAINERS = frozenset([dict, list])


def format_path(at: Path) -> str:
    """Format a path as `messages[0].content[1]`. The path of the root value is empty."""
    steps: list[str | int] = []
    while at:
        at, step = at
        steps.append(step)
    text = ""
    for step in reversed(steps):
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text


def without_path(value: Any, steps: list[str]) -> Any:
    """Copy a JSON value without the value at a path, or return None if there is no value at that path.

    `steps` are at least one key or index (in digits), from the outermost inwards.
    """
    step, *further = steps
    copied: Any
    key: Any
    if type(value) is list and step.isdigit() and int(step) < len(value):
        copied, key = list(value), int(step)
    elif type(value) is dict and step in value:
        copied, key = dict(value), step
    else:
        return None
    if not further:
        del copied[key]
        return copied
    copied[key] = without_path(value[key], further)
    return None if copied[key] is None else copied


def path_of_non_finite(data: Any) -> Path | None:
    """Return the path of a NaN or infinity in data, because JSON has neither. None if there is none."""
    waiting: list[tuple[Any, Path]] = [(data, ROOT)]
    visited: set[int] = set()
    while waiting:
        value, at = waiting.pop()
        if type(value) is float:
            if value - value != 0.0:
                return at
        elif type(value) in _CONTAINERS and id(value) not in visited:
            visited.add(id(value))
            inside = value.items() if type(value) is dict else enumerate(value)
            waiting += [(item, (at, step)) for step, item in inside if type(item) is float or type(item) in _CONTAINERS]
    return None
