"""What a handler returned, as JSON: one rule for every Python type.

None, booleans, integers and texts   themselves; a lone surrogate becomes U+FFFD
float                                itself; NaN and the infinities are the texts "NaN", "Infinity", "-Infinity"
Enum                                 its value
bytes, bytearray, memoryview         base64 text (RFC 4648, with padding)
mapping                              an object; a key that is not a string is what its value would be as text
pydantic model                       an object by alias; a field that nobody set, and that is None, is left out
dataclass                            an object of its fields; types of the format as `dump` has them
list, tuple, other sequences         an array
path                                 its text
set                                  an array, in the order of its items' JSON text
all else                             as pydantic writes it: ISO 8601 for dates and times, texts for UUID and Decimal

What cannot be written as JSON is refused: functions, exceptions, files, values that hold themselves, keys that fall together, integers
and depths that no strict reader of JSON takes.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from pathlib import PurePath
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_jsonable_python

from ..json_text import MAX_DEPTH, too_deep
from ..serialization import PYDANTIC, dump

__all__ = ["PLAIN", "NoJSONError", "json_value"]

PLAIN = frozenset([dict, str, int, float, bool, type(None)])
"""Types whose values are always data."""

_SURE_BITS = 2000
"""Bits of integers that can be written with any digit limit of the interpreter, which is at least 640."""


class NoJSONError(ValueError):
    """A value that cannot be written as JSON. The message names locations and types, never values."""


def json_value(value: Any) -> Any:
    """Return a value as plain JSON data, a new tree.

    Raises:
        NoJSONError: The value cannot be written as JSON, or contains itself.
    """
    try:
        made = _plain(value)
    except RecursionError:
        raise NoJSONError("it is nested too deeply, or contains itself") from None
    if too_deep(made):
        raise NoJSONError(f"it is nested more than {MAX_DEPTH} levels deep")
    return made


def _plain(value: Any) -> Any:
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is str:
        return value if value.isascii() else _text(value)
    if kind is int:
        return _integer(value)
    if kind is dict:
        return _object(value)
    if kind is list:
        return [_plain(item) for item in value]
    if kind is float:
        return value if math.isfinite(value) else _not_finite(value)
    if isinstance(value, Enum):
        return _plain(value.value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        return _integer(int(value))
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else _not_finite(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, PurePath):
        return _text(str(value))
    if isinstance(value, Mapping):
        return _object(value)
    if isinstance(value, BaseModel):
        return _plain(_said(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _plain(dump(value) if _is_of_format(value) else _fields(value))
    if isinstance(value, AbstractSet):
        return sorted((_plain(item) for item in value), key=lambda item: json.dumps(item, sort_keys=True))
    if isinstance(value, Sequence):
        return [_plain(item) for item in value]
    return _other(value)


def _integer(value: int) -> int:
    if value.bit_length() > _SURE_BITS:
        try:
            str(value)
        except ValueError:
            raise NoJSONError("an integer has too many digits") from None
    return value


def _text(value: str) -> str:
    """Return a string that can be encoded. A lone surrogate is replaced."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return str(value)


def _not_finite(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _object(value: Mapping[Any, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, item in value.items():
        name = key if type(key) is str and key.isascii() else _plain(key)
        if not isinstance(name, str):
            if isinstance(name, list | dict):
                raise NoJSONError(f"a key is of type {type(key).__name__}")
            name = json.dumps(name)
        if name in made:
            raise NoJSONError("two keys become the same string")
        made[name] = item if type(item) is str and item.isascii() else _plain(item)
    return made


def _said(model: BaseModel) -> Any:
    """Return the fields of a model. Unset fields are included unless they are None: defaults have a meaning."""
    try:
        whole = model.model_dump(by_alias=True, warnings=False)
        said = model.model_dump(by_alias=True, warnings=False, exclude_unset=True)
    except (PydanticSerializationError, ValueError) as error:
        raise NoJSONError(f"a model of type {type(model).__name__} cannot be dumped") from error
    return _without_unset(whole, said)


def _without_unset(whole: Any, said: Any) -> Any:
    if isinstance(whole, dict) and isinstance(said, dict):
        return {k: _without_unset(v, said.get(k)) for k, v in whole.items() if v is not None or k in said}
    if isinstance(whole, list) and isinstance(said, list) and len(whole) == len(said):
        return [_without_unset(*pair) for pair in zip(whole, said, strict=True)]
    return whole


def _is_of_format(value: Any) -> bool:
    return getattr(value, "__pydantic_config__", None) is PYDANTIC


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def _other(value: Any) -> Any:
    try:
        made = to_jsonable_python(value, by_alias=True)
    except (PydanticSerializationError, ValueError) as error:
        raise NoJSONError(f"a value of type {type(value).__name__} cannot be written as JSON") from error
    if type(made) is type(value):
        raise NoJSONError(f"a value of type {type(value).__name__} cannot be written as JSON")
    return _plain(made)
