"""Finds the value in an object of the format that does not have the type that its class declares.

Conversions check only what they use. When one has failed, this says which value was wrong, and where it is.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from typing import Any, Literal

from .errors import ConversionError, is_collection, wrong_class
from .models import ContentPart, TextPart, ToolResult
from .paths import ROOT, Path
from .serialization import field_types, to_camel_case

__all__ = ["find_wrong_value"]

_LABELS: dict[Any, str] = {
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    dict: "an object",
    list: "a list",
    type(None): "null",
}


def find_wrong_value(value: Any, declared: Any) -> ConversionError | None:
    """Return the error for the first value that does not have its declared type. None if there is no such value."""
    return next(_wrong_values(value, declared, ROOT), None)


def _wrong_values(value: Any, declared: Any, at: Path) -> Iterator[ConversionError]:
    """Yield the error for each value that does not have its declared type. Nothing is checked inside such a value."""
    is_union = typing.get_origin(declared) in (types.UnionType, typing.Union)
    members = typing.get_args(declared) if is_union else (declared,)
    fitting = next((member for member in members if _fits(value, member)), None)
    if fitting is None:
        expected = "a content part" if TextPart in members else " or ".join(map(_label, members))
        yield wrong_class(at, expected, value)
    elif typing.get_origin(fitting) is list:
        for i, item in enumerate(value):
            yield from _wrong_values(item, typing.get_args(fitting)[0], (at, i))
    elif _is_class_of_format(fitting):
        for name, kind, _ in field_types(fitting):
            yield from _wrong_values(getattr(value, name), kind, (at, to_camel_case(name)))
        if isinstance(value, ToolResult) and value.kind == "multimodal":
            yield from _wrong_values(value.value, list[ContentPart], (at, "value"))


def _fits(value: Any, declared: Any) -> bool:
    """Return whether a value has a declared type, regardless of what is inside."""
    kind = typing.get_origin(declared) or declared
    if kind is Any:
        return True
    if kind is Literal:
        return type(value) is str and value in typing.get_args(declared)
    if _is_class_of_format(kind):
        return isinstance(value, kind)
    if kind is list:
        return is_collection(value)
    if kind is dict:
        return isinstance(value, dict)
    return type(value) is kind or (kind is float and type(value) is int)


def _label(declared: Any) -> str:
    """Return what a type is called in an error, with its article."""
    kind = typing.get_origin(declared) or declared
    if kind is Literal:
        return " or ".join(map(repr, typing.get_args(declared)))
    if kind in _LABELS:
        return _LABELS[kind]
    return f"{'an' if kind.__name__[0] in 'AEIOU' else 'a'} {kind.__name__}"


def _is_class_of_format(kind: Any) -> bool:
    return hasattr(kind, "__dataclass_fields__")
