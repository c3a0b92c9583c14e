"""Paths of values, as nested tuples that cost nothing until they are formatted."""

from __future__ import annotations

from typing import Any, TypeAlias

__all__ = ["ROOT", "Path", "format_path", "path_of_non_finite", "without_path"]

Path: TypeAlias = tuple[Any, ...]
"""`()` for the value itself, otherwise `(path of the container, key or index)`."""

ROOT: Path = ()


def format_path(at: Path) -> str:
    """Format a path as `messages[0].content[1]`. The path of the root value is empty."""
    steps: list[str | int] = []
    while at:
        at, step = at
        steps.append(step)
    text = ""
    for step in reversed(steps):
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def without_path(value: Any, steps: list[str]) -> Any:
    """Copy a JSON value without the value at a path. None if there is no value at that path."""
    step, *further = steps
    if type(value) is list:
        index = int(step) if step.isdigit() and int(step) < len(value) else None
        if index is None:
            return None
        inner = without_path(value[index], further) if further else None
        if further and inner is None:
            return None
        return [*value[:index], *([inner] if further else []), *value[index + 1 :]]
    if type(value) is not dict or step not in value:
        return None
    if not further:
        return {key: item for key, item in value.items() if key != step}
    inner = without_path(value[step], further)
    return None if inner is None else {**value, step: inner}


def path_of_non_finite(data: Any) -> Path | None:
    """Return the path of a NaN or infinity in data, because JSON has neither. None if there is none."""
    waiting: list[tuple[Any, Path]] = [(data, ROOT)]
    met: set[int] = set()
    while waiting:
        value, at = waiting.pop()
        if type(value) is float:
            if value - value != 0.0:
                return at
        elif type(value) in _CONTAINERS and id(value) not in met:
            met.add(id(value))
            inside = value.items() if type(value) is dict else enumerate(value)
            waiting += [(item, (at, step)) for step, item in inside if type(item) is float or type(item) in _CONTAINERS]
    return None


_CONTAINERS = frozenset([dict, list])
