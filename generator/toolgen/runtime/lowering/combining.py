"""Several schemas that hold at once, as one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..json_texts.text import same

__all__ = ["both", "kinds_of"]

_HIGHER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains")
_LOWER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains")
_WORDS = ("title", "description", "default", "examples", "$comment", "deprecated", "readOnly", "writeOnly")
_SCHEMAS = ("items", "additionalProperties", "propertyNames", "contains")
_OF_ALL = ("string", "number", "integer", "boolean", "object", "array", "null")


def both(one: dict[str, Any], other: dict[str, Any], lost: list[str]) -> dict[str, Any]:
    """One schema for two that hold at once; the first one's words win.

    What cannot be said together is left to the first one, and its keyword is added to `lost`: the result admits what
    both admit, and perhaps more.
    """
    joined = dict(one)
    for keyword, value in other.items():
        if keyword not in joined:
            joined[keyword] = value
        elif keyword in _WORDS or same(joined[keyword], value):
            continue
        elif keyword == "type":
            joined[keyword] = _common_types(joined[keyword], value)
        elif keyword == "properties" and type(value) is dict and type(joined[keyword]) is dict:
            joined[keyword] = _joined(joined[keyword], value)
        elif keyword == "required" and type(value) is list and type(joined[keyword]) is list:
            joined[keyword] = list(dict.fromkeys([*joined[keyword], *value]))
        elif keyword == "enum" and type(value) is list and type(joined[keyword]) is list:
            joined[keyword] = [item for item in joined[keyword] if any(same(item, found) for found in value)]
        elif keyword in _HIGHER and _are_numbers(joined[keyword], value):
            joined[keyword] = max(joined[keyword], value)
        elif keyword in _LOWER and _are_numbers(joined[keyword], value):
            joined[keyword] = min(joined[keyword], value)
        elif keyword in _SCHEMAS:
            joined[keyword] = _both_of(joined[keyword], value)
        elif keyword == "uniqueItems":
            joined[keyword] = True
        else:
            lost.append(keyword)
    return joined


def kinds_of(schema: dict[str, Any]) -> tuple[str, ...]:
    """The types that a schema names; none where it names none."""
    named = schema.get("type")
    if type(named) is str:
        return (named,)
    return tuple(dict.fromkeys(name for name in named if type(name) is str)) if type(named) is list else ()


def _joined(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    found = dict(one)
    for name, schema in other.items():
        found[name] = _both_of(found[name], schema) if name in found else schema
    return found


def _both_of(one: Any, other: Any) -> Any:
    if one is False or other is False:
        return False
    if type(one) is not dict or one == {}:
        return other
    if type(other) is not dict or other == {} or same(one, other):
        return one
    return {"allOf": [one, other]}


def _common_types(one: Any, other: Any) -> Any:
    left, right = (set(_with_integers(kinds_of({"type": value}))) for value in (one, other))
    common = [kind for kind in _OF_ALL if kind in left and kind in right]
    if "number" in common:
        common = [kind for kind in common if kind != "integer"]
    return common[0] if len(common) == 1 else common


def _with_integers(kinds: Iterable[str]) -> Iterable[str]:
    found = list(kinds)
    return [*found, "integer"] if "number" in found else found


def _are_numbers(*values: Any) -> bool:
    return all(type(value) is int or type(value) is float for value in values)
