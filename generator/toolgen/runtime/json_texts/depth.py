"""How deep values may be that came as values: as deep as texts of JSON are read.

Nothing here recurses deeper than that, so that it holds for values of any depth.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from .strict_json import MAX_DEPTH, JSONError

__all__ = ["copied", "deep_text", "too_deep", "walked"]

_CONTAINERS = frozenset([dict, list])
_encoder = json.JSONEncoder(ensure_ascii=False)


def too_deep(value: Any) -> bool:
    """Whether objects and lists stand more than `MAX_DEPTH` deep inside each other."""
    return type(value) in _CONTAINERS and _goes_below(value, MAX_DEPTH)


def _goes_below(holder: Any, left: int) -> bool:
    """Whether objects and lists stand more than so many deep inside each other; it recurses no further than that."""
    if not left:
        return True
    for item in holder.values() if type(holder) is dict else holder:
        if (type(item) is dict or type(item) is list) and _goes_below(item, left - 1):
            return True
    return False


def walked(value: Any) -> Iterator[Any]:
    """What a parser gave: the value, and each that stands in it."""
    left = [value]
    while left:
        one = left.pop()
        yield one
        if type(one) is dict:
            left += one.values()
        elif type(one) is list:
            left += one


def copied(value: Any) -> Any:
    """A value that is not too deep, with objects and lists of its own."""
    if type(value) is dict:
        return {name: copied(item) if type(item) in _CONTAINERS else item for name, item in value.items()}
    if type(value) is list:
        return [copied(item) if type(item) in _CONTAINERS else item for item in value]
    return value


def deep_text(value: Any) -> str:
    """Write what a parser gave as JSON without blanks, whatever its depth.

    Raises:
        JSONError: it holds itself.
    """
    written: list[str] = []
    inside: list[tuple[int, Iterable[tuple[str, Any]], str]] = [(0, iter([("", value)]), "")]
    within: set[int] = set()
    while inside:
        identity, members, end = inside[-1]
        for before, item in members:
            written.append(before)
            if type(item) is dict or type(item) is list:
                if id(item) in within:
                    raise JSONError("a value that holds itself")
                within.add(id(item))
                written.append("{" if type(item) is dict else "[")
                inside.append((id(item), _members(item), "}" if type(item) is dict else "]"))
                break
            written.append(_encoder.encode(item))
        else:
            written.append(end)
            within.discard(identity)
            inside.pop()
    return "".join(written)


def _members(value: Any) -> Iterator[tuple[str, Any]]:
    """What stands inside a value, each with what is written before it."""
    comma = ""
    if type(value) is dict:
        for name, item in value.items():
            yield f"{comma}{_encoder.encode(name)}:", item
            comma = ","
    else:
        for item in value:
            yield comma, item
            comma = ","
