"""Shapes: as much of a schema as tells the branches of a union apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..json_texts.text import same
from .combining import kinds_of

__all__ = ["fits", "shape_of"]

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
    "number": (int, float),
    "integer": (int,),
}
_DEEPEST = 3
"""Levels of a schema that tell branches apart."""

Resolve = Callable[[Any], Any]


def fits(value: Any, shape: Mapping[str, Any]) -> bool:
    """Whether a value has a shape."""
    kinds = shape.get("type")
    if kinds is not None and not any(_is(value, kind) for kind in kinds):
        return False
    if "enum" in shape and not any(same(item, value) for item in shape["enum"]):
        return False
    if "any" in shape and not any(fits(value, branch) for branch in shape["any"]):
        return False
    if type(value) is dict:
        if any(name not in value for name in shape.get("required", ())):
            return False
        if "only" in shape and not value.keys() <= set(shape["only"]):
            return False
        inner = shape.get("properties", {})
        return all(fits(item, inner[name]) for name, item in value.items() if name in inner)
    return type(value) is not list or "items" not in shape or all(fits(item, shape["items"]) for item in value)


def _is(value: Any, kind: str) -> bool:
    if kind == "integer" and type(value) is float:
        return value.is_integer()
    return type(value) in _TYPES.get(kind, ())


def shape_of(schema: Any, resolve: Resolve, depth: int = 0) -> dict[str, Any]:
    """The shape of a schema; `resolve` gives what a reference leads to, or None."""
    if type(schema) is not dict or depth > _DEEPEST:
        return {}
    steps = 0
    while "$ref" in schema and steps < 8:
        schema = resolve(schema["$ref"])
        if type(schema) is not dict:
            return {}
        steps += 1
    found: dict[str, Any] = {}
    if kinds := kinds_of(schema):
        found["type"] = list(kinds)
    if "const" in schema:
        found["enum"] = [schema["const"]]
    elif type(schema.get("enum")) is list:
        found["enum"] = schema["enum"]
    if type(schema.get("required")) is list:
        found["required"] = list(schema["required"])
    properties = schema.get("properties")
    if type(properties) is dict:
        inner = {name: shape_of(value, resolve, depth + 1) for name, value in properties.items()}
        if inner := {name: shape for name, shape in inner.items() if shape}:
            found["properties"] = inner
        if schema.get("additionalProperties") is False and not schema.get("patternProperties"):
            found["only"] = list(properties)
    items = shape_of(schema.get("items"), resolve, depth + 1) if "prefixItems" not in schema else {}
    if items:
        found["items"] = items
    branches = schema.get("anyOf") or schema.get("oneOf")
    if type(branches) is list and "type" not in found:
        shapes = [shape_of(branch, resolve, depth + 1) for branch in branches]
        if all(shapes):
            found["any"] = shapes
    return found
