"""JSON text that we write, and what is the same in it."""

from __future__ import annotations

import json
import json.encoder
from collections.abc import Callable, Iterable
from typing import Any

from .strict import deep_text

__all__ = ["compact", "is_compact", "is_json", "loose", "same"]

_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False)


def compact(value: Any) -> str:
    """Write a JSON value without blanks; text stays as it is.

    Raises:
        ValueError: a number is not finite.
        TypeError: a value is none of JSON's.
        RecursionError: it is nested too deeply, or holds itself.
    """
    return "".join(_chunks(value, 0))


def is_compact(text: str, value: Any) -> bool:
    """Whether a strict JSON text is spelled as `compact` spells the value that was read from it."""
    if "\\" not in text:
        if text[:2] == '{"' and text.startswith('": ', text.find('"', 2)):
            return False
        length = _length(value)
        if length >= 0:
            return length == len(text)
    return compact(value) == text


_UNSURE = -(10**12)
"""A length that no text makes up for."""


def _length(value: Any) -> int:
    """The length of a value that is written without blanks and escapes; below 0 where it holds a number that has shorter spellings.

    No other spelling of what is in it is as short, so that a text of this length is that one. Numbers with an exponent
    may be: 1e1 is 10.0, and 1e-2 is as long as 0.01.
    """
    kind = type(value)
    if kind is str:
        return len(value) + 2
    if kind is dict:
        length = 2 * len(value) + 1 if value else 2
        for key, item in value.items():
            if type(item) is str:
                length += len(key) + len(item) + 4
            else:
                length += len(key) + 2 + _length(item)
        return length
    if kind is list:
        return len(value) + 1 + sum(map(_length, value)) if value else 2
    if kind is float:
        return len(repr(value)) if 0.1 <= abs(value) < 1e16 and not value.is_integer() else _UNSURE
    if kind is int:
        return len(repr(value))
    return 5 if value is False else 4


def is_json(value: Any, apart_from: str | None = None) -> bool:
    """Whether JSON can hold a value, with text alone as keys, and no key is the one given."""
    try:
        return _holds(value, apart_from)
    except RecursionError:
        return False


def _holds(value: Any, apart_from: str | None) -> bool:
    kind = type(value)
    if kind is dict:
        for key in value:
            if type(key) is not str or key == apart_from:
                return False
        inside = value.values()
    elif kind is list:
        inside = value
    elif kind is float:
        return bool(value - value == 0.0)
    else:
        return kind is str or kind is int or kind is bool or value is None
    for item in inside:
        kind = type(item)
        if kind is str or kind is int or item is None or kind is bool:
            continue
        if not (item - item == 0.0 if kind is float else _holds(item, apart_from)):
            return False
    return True


_loose = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def loose(value: Any) -> str:
    """Write what a parser gave as `compact` does, of any depth, and NaN and Infinity as Python's parser takes them: it is not sent."""
    try:
        return _loose.encode(value)
    except RecursionError:
        return deep_text(value)


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
