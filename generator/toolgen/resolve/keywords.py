"""Where schemas sit inside a schema. Data (`default`, `const`, `enum`, `examples`) is no place for one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolgen.load import Pointer

ONE = frozenset(
    [
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    ]
)
LIST = frozenset(["allOf", "anyOf", "items", "oneOf", "prefixItems"])
NAMED = frozenset(["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"])
IN_PLACE = frozenset(["allOf", "anyOf", "dependencies", "dependentSchemas", "else", "if", "not", "oneOf", "then"])
"""Keywords whose schemas judge the same value as the schema around them."""


def is_schema(value: object) -> bool:
    """Whether a value has the shape of a schema."""
    return isinstance(value, dict | bool)


def subschemas(schema: Any) -> Iterator[tuple[Pointer, Any]]:
    """The schemas directly inside a schema, each with the way to it. Misshapen keywords are passed over."""
    if not isinstance(schema, dict):
        return
    for key, value in schema.items():
        if key in ONE and is_schema(value):
            yield (key,), value
        elif key in LIST and isinstance(value, list):
            yield from (((key, i), sub) for i, sub in enumerate(value) if is_schema(sub))
        elif key in NAMED and isinstance(value, dict):
            yield from (((key, name), sub) for name, sub in value.items() if is_schema(sub))


def walk(schema: Any, at: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    """A schema and every schema inside it, in the order of the source."""
    stack: list[tuple[Pointer, Any]] = [(at, schema)]
    while stack:
        pointer, here = stack.pop()
        yield pointer, here
        stack.extend(reversed([(pointer + way, sub) for way, sub in subschemas(here)]))


def in_place(schema: Any, at: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    """A schema and the schemas inside it that judge the same value."""
    stack: list[tuple[Pointer, Any]] = [(at, schema)]
    while stack:
        pointer, here = stack.pop()
        yield pointer, here
        stack.extend((pointer + way, sub) for way, sub in subschemas(here) if way[0] in IN_PLACE)
