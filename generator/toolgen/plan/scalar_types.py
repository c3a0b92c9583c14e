"""Shapes of texts, numbers and enumerations: the keywords that pydantic enforces as JSON Schema means them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from toolgen.runtime.tools.checks import is_format
from toolgen.runtime.tools.formats import FORMATS

Shape = dict[str, Any]
"""A schema of the few keywords that the model backend is trusted with. `{}` is any value."""

_EXACT = 2**53


def literal_shape(schema: Mapping[str, Any]) -> Shape | None:
    """The shape of `enum` and `const`: texts, whole numbers, true, false and null. None where there are others."""
    values = [_whole(v) for v in ([schema["const"]] if "const" in schema else schema["enum"])]
    named = schema.get("type")
    if named is not None:
        types = named if isinstance(named, list) else [named]
        values = [v for v in values if _type(v) in types or (_type(v) == "integer" and "number" in types)]
    if schema.get("format") in FORMATS:
        values = [v for v in values if not isinstance(v, str) or is_format(schema["format"], v)]
    shapes: list[Shape] = []
    for kind in ("string", "integer", "boolean"):
        members = list(dict.fromkeys(v for v in values if _type(v) == kind))
        if members:
            shapes.append(
                {"type": kind} if len(members) == 2 and kind == "boolean" else {"type": kind, "enum": members}
            )
    if any(v is None for v in values):
        shapes.append({"type": "null"})
    if not shapes or any(_type(v) in ("number", "array", "object") for v in values):
        return None
    if {"integer", "boolean"} <= {shape["type"] for shape in shapes}:
        return None
    return union(shapes)


def _whole(value: Any) -> Any:
    """A float without a fraction as the integer that it is in JSON."""
    return int(value) if type(value) is float and value.is_integer() else value


def _type(value: Any) -> str:
    if value is None:
        return "null"
    return {str: "string", int: "integer", bool: "boolean", float: "number", list: "array"}.get(type(value), "object")


def text_shape(schema: Mapping[str, Any]) -> Shape:
    """A string with its length and pattern, or with its format: a type of Python's has neither length nor pattern."""
    shape: Shape = {"type": "string"}
    if schema.get("format") in FORMATS:
        return {**shape, "format": schema["format"]}
    shape |= _counts(schema, "minLength", "maxLength")
    if "pattern" in schema:
        shape["pattern"] = schema["pattern"]
    return shape


def number_shape(schema: Mapping[str, Any], kind: str) -> tuple[Shape, frozenset[str]]:
    """A number with its bounds, and the keywords that are said by them.

    Bounds of whole numbers are made whole; a step is kept for whole numbers only.
    """
    shape: Shape = {"type": kind}
    said = {"type"}
    for bounding in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        keyword, bound = bounding, schema.get(bounding)
        if bound is None or abs(bound) > _EXACT:
            continue
        said.add(bounding)
        if kind == "integer" and isinstance(bound, float):
            low = keyword.endswith("inimum")
            if not bound.is_integer():
                keyword = "minimum" if low else "maximum"
            bound = math.ceil(bound) if low else math.floor(bound)
        if keyword in shape:
            bound = max(bound, shape[keyword]) if keyword == "minimum" else min(bound, shape[keyword])
        shape[keyword] = bound
    step = schema.get("multipleOf")
    if kind == "integer" and step is not None and step == int(step) and step < _EXACT:
        shape["multipleOf"] = int(step)
        said.add("multipleOf")
    return shape, frozenset(said)


def array_counts(schema: Mapping[str, Any]) -> Shape:
    """The bounds of an array's length."""
    return _counts(schema, "minItems", "maxItems")


def _counts(schema: Mapping[str, Any], *keywords: str) -> Shape:
    return {
        k: int(schema[k])
        for k in keywords
        if (k in schema and 0 < schema[k] < 2**31) or (schema.get(k) == 0 and k.startswith("max"))
    }


MAX_UNION = 100
"""Members of a union. More are not a type that anybody reads, and beyond some thousand no Python either."""


def union(shapes: list[Shape]) -> Shape:
    """The shape that admits what any of the shapes admits."""
    flat: list[Shape] = []
    for shape in shapes:
        for member in shape.get("anyOf", [shape]):
            if member == {} or len(flat) > MAX_UNION:
                return {}
            if member not in flat:
                flat.append(member)
    null = {"type": "null"}
    if null in flat:
        flat.remove(null)
        flat.append(null)
    if not flat:
        return {}
    return flat[0] if len(flat) == 1 else {"anyOf": flat}
