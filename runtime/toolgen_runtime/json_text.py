"""JSON text: strict reading, and compact writing.

`loads` is the only reader. Python's own reader accepts more than JSON: it keeps the last of two equal keys, reads NaN and
Infinity, and makes infinity of a number that no float can represent. Two programs can then read the same text as
different values. Its hooks reject all this while it parses. After it, the depth and lone surrogates are checked, but only
in texts that are long enough or have the characters for it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .json_values import MAX_DEPTH, is_too_deep

__all__ = [
    "MAX_SIZE",
    "JSONError",
    "compact",
    "dump_allowing_nan",
    "dump_deep",
    "dump_strict_or_none",
    "is_compact",
    "is_null_text",
    "is_object_text",
    "is_utf8_encodable",
    "loads",
]


def is_utf8_encodable(value: Any) -> bool:
    """Return whether the strings and keys of a value, which must not be too deep, contain no lone surrogate."""
    kind = type(value)
    if kind is str:
        return value.isascii() or _encodes(value)
    if kind is dict:
        for key in value:
            if type(key) is str and not key.isascii() and not _encodes(key):
                return False
        value = value.values()
    elif kind is not list:
        return True
    for item in value:
        kind = type(item)
        if kind is str:
            if not item.isascii() and not _encodes(item):
                return False
        elif (kind is dict or kind is list) and not is_utf8_encodable(item):
            return False
    return True


def _encodes(text: str) -> bool:
    """Return whether a text can be encoded. It cannot if it contains half of a surrogate pair."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def dump_deep(value: Any) -> str:
    """Write a parsed JSON value without blanks, at any depth.

    Raises:
        JSONError: The value contains itself.
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
                    raise JSONError("a value that contains itself")
                within.add(id(item))
                written.append("{" if type(item) is dict else "[")
                inside.append((id(item), _members(item), "}" if type(item) is dict else "]"))
                break
            written.append(_loose.encode(item))
        else:
            written.append(end)
            within.discard(identity)
            inside.pop()
    return "".join(written)


def _members(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the values inside a value, each with the text that precedes it."""
    comma = ""
    if type(value) is dict:
        for name, item in value.items():
            yield f"{comma}{_loose.encode(name)}:", item
            comma = ","
    else:
        for item in value:
            yield comma, item
            comma = ","


MAX_SIZE = 8_000_000
"""Maximum number of characters of a text."""


_TOO_DEEP = f"nested more than {MAX_DEPTH} deep"
_EXACT = 2.0**53
"""Every integer below this is a float of the same value."""
_BRACKETS = r'(?s:"(?:[^"\\]|\\.)*"?|[\[{]|[\]}])'


class JSONError(ValueError):
    """A text that is not strict JSON. The message states why, without the text."""


def loads(text: str | bytes | bytearray) -> Any:
    """Read a JSON text.

    Raises:
        JSONError: The text is not strict JSON.
    """
    if len(text) > MAX_SIZE:
        raise JSONError(f"more than {MAX_SIZE} characters")
    if not isinstance(text, str):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError:
            raise JSONError("bytes that are not UTF-8") from None
    try:
        try:
            value, end = _SCAN(text, 0)
        except StopIteration:
            value, end = None, -1
        if end != len(text):  # blanks surround the value, or it is wrong
            value = _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        if _has_many_brackets(text):  # the depth is reported before any other error
            _check_depth(text)
        if isinstance(error, JSONError | RecursionError):
            raise
        if isinstance(error, json.JSONDecodeError):
            raise JSONError(f"a syntax error at character {error.pos} ({error.msg})") from None
        raise JSONError("a number with too many digits") from None
    if len(text) > _LONGEST_FLAT and _has_many_brackets(text) and is_too_deep(value):
        raise JSONError(_TOO_DEEP)
    if not text.isascii() or "\\u" in text:
        _check_encodable(text, value)
    return value


def is_null_text(text: str) -> bool:
    """Return whether a text is the JSON value null."""
    return text.strip() == "null"


def is_object_text(text: str) -> bool:
    """Return whether a text is strict JSON, and an object."""
    try:
        return type(loads(text)) is dict
    except JSONError:
        return False


_LONGEST_FLAT = 2 * MAX_DEPTH
"""A valid text of up to this many characters is not too deep, because each level has two brackets."""


def _has_many_brackets(text: str) -> bool:
    return text.count("{") + text.count("[") > MAX_DEPTH


def _check_depth(text: str) -> None:
    """Check the depth of a text that may not be valid JSON."""
    depth = 0
    for match in re.finditer(_BRACKETS, text):
        char = match.group()[0]
        if char in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise JSONError(_TOO_DEEP)
        elif char in "]}":
            depth -= 1


def _check_encodable(text: str, value: Any) -> None:
    """Check that a text has no lone surrogates, because such text cannot be sent."""
    try:
        (json.dumps(value, ensure_ascii=False) if "\\u" in text else text).encode("utf-8")
    except UnicodeEncodeError:
        raise JSONError("half of a surrogate pair") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of an object as a dict, if no key occurs twice."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise JSONError("a duplicate key")
    return members


def _finite(digits: str) -> float | int:
    """Return a number with a fraction or an exponent. A whole number that no float can represent becomes an integer."""
    value = float(digits)
    if -_EXACT < value < _EXACT:
        return value
    if value - value != 0.0:
        raise JSONError("a number out of range")
    if "e" not in digits and "E" not in digits:
        whole, _, fraction = digits.partition(".")
        if not fraction.strip("0") and int(whole) != value:  # 9007199254740993.0, which no float can represent
            return int(whole)
    return value


def _no_constant(_: str) -> Any:
    raise JSONError("NaN or Infinity, which JSON does not have")


_DECODER: Any = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite, parse_constant=_no_constant)
_SCAN: Callable[[str, int], tuple[Any, int]] = _DECODER.scan_once


def compact(value: Any) -> str:
    """Write a JSON value without blanks. Text is not escaped to ASCII.

    Raises:
        ValueError: A number is not finite.
        TypeError: A value is not a JSON value.
        RecursionError: The value is nested too deeply, or contains itself.
    """
    return _strict.encode(value)


def is_compact(text: str, value: Any) -> bool:
    """Return whether a strict JSON text is identical to what `compact` writes for its value."""
    return compact(value) == text


def dump_strict_or_none(value: Any) -> str | None:
    """Return the strict JSON text of a value. None if it cannot be written, or is too deep to be read again."""
    try:
        text = compact(value)
    except (TypeError, ValueError, RecursionError):
        return None
    return None if len(text) > _LONGEST_FLAT and _has_many_brackets(text) and is_too_deep(value) else text


_strict = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False)
_loose = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def dump_allowing_nan(value: Any) -> str:
    """Write a parsed value like `compact`, but at any depth and with NaN and Infinity. The text must not be sent."""
    try:
        return _loose.encode(value)
    except RecursionError:
        return dump_deep(value)
