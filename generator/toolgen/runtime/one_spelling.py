"""Keys in one spelling, on wires that take `function_call` for `functionCall`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

__all__ = ["Spelling", "one_spelling"]

_WORD = re.compile(r"(?<=[^_])_([a-z0-9])")


class Spelling:
    """How keys are spelled: `free` keys have a value of the user's, objects under `maps` have names as keys.

    The words under `upper` are read in any case.
    """

    __slots__ = ("free", "maps", "upper")

    def __init__(self, free: Iterable[str], maps: Iterable[str], upper: Iterable[str] = ()) -> None:
        self.free = frozenset(free)
        self.maps = frozenset(maps)
        self.upper = frozenset(upper)


def one_spelling(value: Any, spelling: Spelling) -> Any:
    """The value with its keys in camelCase; where both spellings of a key are there, both stay.

    Nothing is changed in place; what is spelled so already is given back as it is.
    """
    kind = type(value)
    if kind is dict:
        return _object(value, spelling)
    if kind is list:
        return _members(value, spelling)
    return value


def _members(value: list[Any], spelling: Spelling) -> list[Any]:
    found = [one_spelling(item, spelling) for item in value]
    return found if any(a is not b for a, b in zip(found, value, strict=True)) else value


def _object(value: dict[str, Any], spelling: Spelling) -> dict[str, Any]:
    changed = False
    found: dict[str, Any] = {}
    for key, item in value.items():
        name = key
        if "_" in key:
            name = _WORD.sub(lambda hit: hit[1].upper(), key)
            if name != key and name in value:
                name = key
        kind = type(item)
        if name in spelling.free:
            new = item
        elif kind is dict:
            new = _named(item, spelling) if name in spelling.maps else _object(item, spelling)
        elif kind is list:
            new = _members(item, spelling)
        elif kind is str and name in spelling.upper:
            new = item.upper()
        else:
            new = item
        found[name] = new
        changed = changed or new is not item or name is not key
    return found if changed else value


def _named(value: dict[str, Any], spelling: Spelling) -> dict[str, Any]:
    """An object whose keys are names."""
    return {name: one_spelling(item, spelling) for name, item in value.items()}
