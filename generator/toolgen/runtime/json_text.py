"""JSON text: compact to write, strict to read."""

from __future__ import annotations

import json
from typing import Any, NoReturn

__all__ = ["compact", "parse", "same"]

compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
"""Write a JSON value without blanks; text stays as it is, a number that is not finite raises ValueError."""


def _constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is given twice")
    return found


_decoder = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_constant)


def parse(text: str) -> Any:
    """Read one JSON value: no second value, no repeated key, no NaN, no infinity.

    Raises:
        ValueError: the text is something else, an integer is too long to read, a surrogate stands alone, or it is
            nested too deeply.
    """
    try:
        value = _decoder.decode(text)
        if "\\ud" in text or "\\uD" in text:
            compact(value).encode()
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return value


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values are one: keys in any order, 1 and 1.0 and true are three values."""
    kind = type(left)
    if kind is not type(right):
        return False
    if kind is dict:
        return left.keys() == right.keys() and all(same(value, right[key]) for key, value in left.items())
    if kind is list:
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)
