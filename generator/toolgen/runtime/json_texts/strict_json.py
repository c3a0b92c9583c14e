"""Strict JSON: one value, no duplicate keys, no NaN, no overflow, bounded in size and depth, encodable again."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

__all__ = ["MAX_DEPTH", "MAX_SIZE", "JSONError", "loads"]

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
    if len(text) > MAX_SIZE:
        raise JSONError(f"more than {MAX_SIZE} characters")
    if not isinstance(text, str):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError:
            raise JSONError("not UTF-8") from None
    if text.count("{") + text.count("[") > MAX_DEPTH:
        _check_depth(text)
    try:
        value = _decoded(text)
    except JSONError:
        raise
    except json.JSONDecodeError as error:
        raise JSONError(f"{error.msg} (character {error.pos})") from None
    except ValueError:
        raise JSONError("a number with too many digits") from None
    _check_encodable(text, value)
    return value


def _decoded(text: str) -> Any:
    """Read a text, at once where nothing stands around its value."""
    try:
        value, end = _SCAN(text, 0)
    except StopIteration:
        return _DECODER.decode(text)
    return value if end == len(text) else _DECODER.decode(text)


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
    if value - value != 0.0:
        raise JSONError("a number beyond the range of numbers")
    return value


def _no_constant(_: str) -> Any:
    raise JSONError("NaN or Infinity, which JSON does not have")


_DECODER: Any = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite, parse_constant=_no_constant)
_SCAN: Callable[[str, int], tuple[Any, int]] = _DECODER.scan_once
