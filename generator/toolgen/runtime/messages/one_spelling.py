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
    return value if _is_spelled(value, spelling) else _respelled(value, spelling)


def _is_spelled(value: Any, spelling: Spelling) -> bool:
    """Whether there is nothing to change."""
    kind = type(value)
    if kind is dict:
        for key, item in value.items():
            kind = type(item)
            if kind is dict or kind is list:
                if "_" in key or (key not in spelling.free and not _is_spelled(item, spelling)):
                    return False
            elif "_" in key or (key in spelling.upper and kind is str and not item.isupper()):
                return False
    elif kind is list:
        for item in value:
            if not _is_spelled(item, spelling):
                return False
    return True


def _respelled(value: Any, spelling: Spelling) -> Any:
    kind = type(value)
    if kind is list:
        return [_respelled(item, spelling) for item in value]
    if kind is not dict:
        return value
    found: dict[str, Any] = {}
    for key, item in value.items():
        name = _WORD.sub(lambda hit: hit[1].upper(), key) if "_" in key else key
        if name != key and name in value:
            name = key
        if name in spelling.free:
            found[name] = item
        elif name in spelling.maps and type(item) is dict:
            found[name] = {member: _respelled(inner, spelling) for member, inner in item.items()}
        elif name in spelling.upper and type(item) is str:
            found[name] = item.upper()
        else:
            found[name] = _respelled(item, spelling)
    return found
