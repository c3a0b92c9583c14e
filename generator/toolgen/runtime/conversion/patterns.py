"""Patterns: a value of the wire with places for names, stated once and used in both directions.

`$name` and `$mode` stand for values; a list with one pattern that holds `$name` stands for one item a name.
"""

from __future__ import annotations

from typing import Any

from .residue import ABSENT, Residue

__all__ = ["fill", "match"]


def fill(pattern: Any, mode: str, names: list[str]) -> Any:
    """The value that a pattern stands for."""
    if type(pattern) is dict:
        return {key: fill(value, mode, names) for key, value in pattern.items()}
    if type(pattern) is list and len(pattern) == 1 and _holds(pattern[0]):
        return [fill(pattern[0], mode, [name]) for name in names]
    if pattern == "$mode":
        return mode
    if pattern == "$name":
        return names[0]
    return pattern


def match(pattern: Any, value: Any) -> tuple[str | None, list[str], Residue] | None:
    """Mode, names, and the keys beside the pattern's; None where the value is something else."""
    found: dict[str, list[str]] = {"$mode": [], "$name": []}
    rest = _match(pattern, value, found)
    if rest is ABSENT:
        return None
    return found["$mode"][0] if found["$mode"] else None, found["$name"], rest


def _holds(pattern: Any) -> bool:
    if type(pattern) is dict:
        return any(map(_holds, pattern.values()))
    return bool(pattern == "$name")


def _match(pattern: Any, value: Any, found: dict[str, list[str]]) -> Any:
    if type(pattern) is dict:
        if type(value) is not dict:
            return ABSENT
        rest = {key: item for key, item in value.items() if key not in pattern}
        for key, inner in pattern.items():
            left = _match(inner, value.get(key, ABSENT), found)
            if left is ABSENT:
                return ABSENT
            if left:
                rest[key] = left
        return rest
    if type(pattern) is list and len(pattern) == 1 and _holds(pattern[0]):
        if type(value) is not list or any(_match(pattern[0], item, found) != {} for item in value):
            return ABSENT
        return {}
    if pattern in ("$mode", "$name"):
        if type(value) is not str:
            return ABSENT
        found[pattern].append(value)
        return {}
    return {} if type(value) is type(pattern) and value == pattern else ABSENT
