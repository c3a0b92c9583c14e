"""JSON text: strict reading, compact writing, and comparison by value.

Reading rejects duplicate keys, numbers that JSON does not have, and nesting that is too deep.
"""

from __future__ import annotations

import json
import json.encoder
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
    "is_object_text",
    "is_utf8_encodable",
    "loads",
    "loads_checking_compact",
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


def is_object_text(text: str) -> bool:
    """Return whether a text is strict JSON, and an object."""
    try:
        return type(loads(text)) is dict
    except JSONError:
        return False


def loads_checking_compact(text: str) -> tuple[Any, bool]:
    """Read a JSON text like `loads`, and return whether it is spelled as `compact` spells its value.

    A text that is the compact form of its value has no duplicate keys and only numbers of JSON: no hooks are needed.
    """
    if _starts_with_blank_after_key(text):
        return loads(text), False
    if text[:2] == '{"':
        try:
            value, end = _UNHOOKED(text, 0)
            if end == len(text) <= MAX_SIZE and "".join(_chunks(value, 0)) == text:
                may_be_deep = len(text) > _LONGEST_FLAT and _has_many_brackets(text)
                if (text.isascii() or _encodes(text)) and not (may_be_deep and is_too_deep(value)):
                    return value, True
        except (StopIteration, ValueError, RecursionError):
            pass  # the strict reader reports what is wrong
    value = loads(text)
    return value, is_compact(text, value)


_LONGEST_FLAT = 2 * MAX_DEPTH
"""A valid text of up to this many characters is not too deep, because each level has two brackets."""


def _has_many_brackets(text: str) -> bool:
    return text.count("{") + text.count("[") > MAX_DEPTH


_starts_with_blank_after_key: Callable[[str], Any] = re.compile(r'\{"[^"\\]*": ').match
"""Whether a text begins with an object and a blank follows its first key, so it is not compact."""


def _check_depth(text: str) -> None:
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
    found = dict(pairs)
    if len(found) != len(pairs):
        raise JSONError("a duplicate key")
    return found


def _finite(digits: str) -> float | int:
    value = float(digits)
    if -_EXACT < value < _EXACT:
        return value
    if value - value != 0.0:
        raise JSONError("a number out of range")
    if "e" not in digits and "E" not in digits:
        whole, _, rest = digits.partition(".")
        if not rest.strip("0") and int(whole) != value:  # 9007199254740993.0, which no float can represent
            return int(whole)
    return value


def _no_constant(_: str) -> Any:
    raise JSONError("NaN or Infinity, which JSON does not have")


_DECODER: Any = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite, parse_constant=_no_constant)
_SCAN: Callable[[str, int], tuple[Any, int]] = _DECODER.scan_once
_UNHOOKED_DECODER: Any = json.JSONDecoder()
_UNHOOKED: Callable[[str, int], tuple[Any, int]] = _UNHOOKED_DECODER.scan_once


def compact(value: Any) -> str:
    """Write a JSON value without blanks. Text is not escaped to ASCII.

    Raises:
        ValueError: A number is not finite.
        TypeError: A value is not a JSON value.
        RecursionError: The value is nested too deeply, or contains itself.
    """
    return "".join(_chunks(value, 0))


def is_compact(text: str, value: Any) -> bool:
    """Return whether a strict JSON text is identical to what `compact` writes for its value."""
    if "\\" not in text:
        if _starts_with_blank_after_key(text):
            return False
        length = _length(value)
        if length >= 0:
            return length == len(text)
    return compact(value) == text


_UNSURE = -(10**12)
"""A length so far below 0 that adding other lengths leaves it negative."""


def _length(value: Any) -> int:
    """Return the length of a value written without blanks and escapes. Negative if a number in it can be shorter.

    No other spelling of these values is as short, so a text of this length is the compact one. Only numbers with an
    exponent can be: 1e1 is 10.0, and 1e-2 is as long as 0.01.
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


def dump_strict_or_none(value: Any) -> str | None:
    """Return the strict JSON text of a value. None if it cannot be written, or is too deep to be read again."""
    try:
        text = "".join(_chunks(value, 0))
    except (TypeError, ValueError, RecursionError):
        return None
    return None if len(text) > _LONGEST_FLAT and _has_many_brackets(text) and is_too_deep(value) else text


_loose = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def dump_allowing_nan(value: Any) -> str:
    """Write a parsed value like `compact`, but at any depth and with NaN and Infinity. The text must not be sent."""
    try:
        return _loose.encode(value)
    except RecursionError:
        return dump_deep(value)


def _chunks_of() -> Callable[[Any, int], Iterable[str]]:
    """Return the inner function of an encoder, so it is created once. `encode` would create it for each value."""
    encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False)
    make: Any = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return lambda value, level: (encoder.encode(value),)
    text = json.encoder.encode_basestring
    chunks: Callable[[Any, int], Iterable[str]] = make(None, encoder.default, text, None, ":", ",", False, False, False)
    return chunks


_chunks = _chunks_of()
