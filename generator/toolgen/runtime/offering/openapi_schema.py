"""Schemas in the OpenAPI subset of protocol buffers (`STRING`, `nullable`, `ref`), read as JSON Schema."""

from __future__ import annotations

import math
import re
from typing import Any

__all__ = ["from_openapi"]

_BOUNDS = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
_NUMBERS = {"INTEGER": int, "NUMBER": float}
_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]{0,18})")
_NUMBER = re.compile(_WHOLE.pattern + r"(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?")
"""How JSON spells a number, at a length that everybody reads."""
_MAPS = ("properties", "defs")


def from_openapi(schema: Any) -> Any:
    """Read a schema. The order of properties that it may name is left out: objects keep theirs here."""
    if type(schema) is not dict:
        return schema
    found: dict[str, Any] = {}
    kind = str(schema.get("type") or "").upper()
    for keyword, value in schema.items():
        if value is None or keyword in ("nullable", "propertyOrdering"):
            continue
        if keyword == "type":
            if kind != "TYPE_UNSPECIFIED":
                found["type"] = kind.lower()
        elif keyword in _MAPS and type(value) is dict:
            found["$defs" if keyword == "defs" else keyword] = {name: from_openapi(inner) for name, inner in value.items()}
        elif keyword == "anyOf" and type(value) is list:
            found["anyOf"] = [from_openapi(inner) for inner in value]
        elif keyword in ("items", "additionalProperties"):
            found[keyword] = from_openapi(value)
        elif keyword == "ref":
            found["$ref"] = str(value).replace("#/defs/", "#/$defs/")
        elif keyword == "example":
            found["examples"] = [value]
        elif keyword == "enum" and type(value) is list:
            found["enum"] = [_number(item, kind) for item in value]
        elif keyword in _BOUNDS and type(value) is str and _WHOLE.fullmatch(value):
            found[keyword] = int(value)
        elif not (keyword == "format" and value == "enum"):
            found[keyword] = value
    return _nullable(found) if schema.get("nullable") is True else found


def _number(item: Any, kind: str) -> Any:
    """A value of an enum, which is spelled as text whatever its type."""
    if type(item) is str and kind in _NUMBERS and (_WHOLE if kind == "INTEGER" else _NUMBER).fullmatch(item):
        value = _NUMBERS[kind](item)
        return value if math.isfinite(value) else item
    return item


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    if "type" in schema:
        wider = {**schema, "type": [schema["type"], "null"]}
        if "enum" in schema:
            wider["enum"] = [*schema["enum"], None]
        return wider
    if "anyOf" in schema:
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    return schema
