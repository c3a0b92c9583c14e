"""JSON text that we write, and what is the same in it."""

from __future__ import annotations

import json
import json.encoder
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["compact", "is_json", "loose", "same"]

_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False)


def compact(value: Any) -> str:
    """Write a JSON value without blanks; text stays as it is.

    Raises:
        ValueError: a number is not finite.
        TypeError: a value is none of JSON's.
        RecursionError: it is nested too deeply, or holds itself.
    """
    return "".join(_chunks(value, 0))


def is_json(value: Any, apart_from: str | None = None) -> bool:
    """Whether JSON can hold a value, with text alone as keys, and no key is the one given."""
    try:
        return _holds(value, apart_from)
    except RecursionError:
        return False


def _holds(value: Any, apart_from: str | None) -> bool:
    kind = type(value)
    if kind is dict:
        for key, item in value.items():
            if type(key) is not str or key == apart_from:
                return False
            kind = type(item)
            if kind is str or kind is int or item is None or kind is bool:
                continue
            if not (item - item == 0.0 if kind is float else _holds(item, apart_from)):
                return False
        return True
    if kind is list:
        for item in value:
            kind = type(item)
            if kind is str or kind is int or item is None or kind is bool:
                continue
            if not (item - item == 0.0 if kind is float else _holds(item, apart_from)):
                return False
        return True
    if kind is float:
        return bool(value - value == 0.0)
    return kind is str or kind is int or kind is bool or value is None


_loose = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def loose(value: Any) -> str:
    """Write what a parser gave as `compact` does, and NaN and Infinity as Python's parser takes them: it is not sent."""
    return _loose.encode(value)


def _chunks_of(encoder: json.JSONEncoder) -> Callable[[Any, int], Iterable[str]]:
    """The encoder's own inner function, made once: `encode` makes it anew for each value."""
    make: Any = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return lambda value, level: (encoder.encode(value),)
    text = json.encoder.encode_basestring
    chunks: Callable[[Any, int], Iterable[str]] = make(None, encoder.default, text, None, ":", ",", False, False, False)
    return chunks


_chunks = _chunks_of(_encoder)


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
