"""Strict JSON: one value, no duplicate keys, no NaN, no overflow, bounded in size and depth, encodable again."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

__all__ = ["MAX_DEPTH", "MAX_SIZE", "JSONError", "loads", "loads_as_spelled"]

MAX_SIZE = 8_000_000
"""Characters of a text that is read."""

MAX_DEPTH = 200
"""Objects and lists inside each other."""

_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]', re.DOTALL)


class JSONError(ValueError):
    """A text is no strict JSON. The message says why, without the text."""


def loads(text: str | bytes | bytearray) -> Any:
    """Read a JSON text.

    Raises:
        JSONError: the text is no strict JSON.
    """
    return loads_as_spelled(text)[0]


def loads_as_spelled(text: str | bytes | bytearray) -> tuple[Any, bool]:
    """Read a JSON text, and whether it is sure to be spelled as `compact` would spell it.

    Raises:
        JSONError: the text is no strict JSON.
    """
    if len(text) > MAX_SIZE:
        raise JSONError(f"more than {MAX_SIZE} characters")
    if not isinstance(text, str):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError:
            raise JSONError("not UTF-8") from None
    if "\\" not in text and text.isascii():
        try:
            value, end = _PLAIN(text, 0)
            keys, length = _measure(value, MAX_DEPTH)
            if end == len(text) and keys == text.count(":"):
                return value, length == end
        except (RecursionError, StopIteration, ValueError):
            pass  # it is no JSON, or one that is read with care
    if text.count("{") + text.count("[") > MAX_DEPTH:
        _check_depth(text)
    try:
        value = _DECODER.decode(text)
    except JSONError:
        raise
    except json.JSONDecodeError as error:
        raise JSONError(f"{error.msg} (character {error.pos})") from None
    except ValueError:
        raise JSONError("a number with too many digits") from None
    _check_encodable(text, value)
    return value, False


_UNSURE = -1_000_000_000
"""A number of keys, or of characters, that no text has."""


def _measure(value: Any, depth: int) -> tuple[int, int]:
    """The number of keys inside a value, and of characters that `compact` would write for plain ASCII.

    As many colons in a text as keys: no key is given twice, none stands in a string. Where a number overflowed, or
    the depth is used up, the first number is one that no text has; the second one is where it holds a number that may
    be spelled otherwise.
    """
    kind = type(value)
    if kind is str:
        return 0, len(value) + 2
    if kind is dict:
        if not depth:
            return _UNSURE, 0
        keys = len(value)
        length = 2 * keys + 1 if keys else 2
        for key, item in value.items():
            if type(item) is str:
                length += len(key) + len(item) + 4
            else:
                inner, size = _measure(item, depth - 1)
                keys += inner
                length += len(key) + size + 2
        return keys, length
    if kind is list:
        if not depth:
            return _UNSURE, 0
        keys, length = 0, len(value) + 1 if value else 2
        for item in value:
            inner, size = _measure(item, depth - 1)
            keys += inner
            length += size
        return keys, length
    if kind is float:
        return (0 if value - value == 0.0 else _UNSURE), _UNSURE
    if kind is int:
        return 0, len(repr(value))
    return 0, 5 if value is False else 4


def _check_depth(text: str) -> None:
    depth = 0
    for match in _BRACKETS.finditer(text):
        char = match.group()[0]
        if char in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise JSONError(f"nested more than {MAX_DEPTH} deep")
        elif char in "]}":
            depth -= 1


def _check_encodable(text: str, value: Any) -> None:
    """Refuse surrogates without their other half: no such text can be sent on."""
    try:
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        elif not text.isascii():
            text.encode("utf-8")
    except UnicodeEncodeError:
        raise JSONError("half of a surrogate pair") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise JSONError("a duplicate key")
    return found


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise JSONError("a number beyond the range of numbers")
    return value


def _no_constant(_: str) -> Any:
    raise JSONError("NaN or Infinity, which JSON does not have")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite, parse_constant=_no_constant)
_PLAIN_DECODER: Any = json.JSONDecoder(parse_constant=_no_constant)
_PLAIN: Callable[[str, int], tuple[Any, int]] = _PLAIN_DECODER.scan_once
