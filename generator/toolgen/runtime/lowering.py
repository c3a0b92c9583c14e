"""Lowering: a JSON Schema as a provider's dialect takes it, keyword by keyword from an allow-list.

A keyword that the dialect does not have is dropped and reported; the tool's own validation still enforces it. The
build and `to_tools` run this same code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["lower"]

Report = Callable[[tuple[str | int, ...], str], object]
"""Called with the way to a schema and the keyword that it lost."""

_MAPS = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE = (
    "items",
    "additionalProperties",
    "additionalItems",
    "contains",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
)


def lower(schema: Mapping[str, Any], dialect: Mapping[str, Any], report: Report) -> dict[str, Any]:
    """Lower the schema of a tool's parameters.

    `dialect` has `keywords` (a list, or `any`), optionally `formats`, and `root` with the `type` that the root must
    name, the keywords that it may be `without`, and those that it `needs`.
    """
    root = dialect.get("root", {})
    lowered: dict[str, Any] = _schema(dict(schema), dialect, (), report)
    for keyword in root.get("without", ()):
        if keyword in lowered:
            del lowered[keyword]
            report((), keyword)
    if root.get("type") and lowered.get("type") != root["type"]:
        if "type" in lowered:
            report((), "type")
        lowered = {"type": root["type"], **{k: v for k, v in lowered.items() if k != "type"}}
    if "properties" in root.get("needs", ()) and "properties" not in lowered:
        lowered["properties"] = {}
        report((), "properties")
    return lowered


def _schema(schema: Any, dialect: Mapping[str, Any], way: tuple[str | int, ...], report: Report) -> Any:
    if not isinstance(schema, dict):
        return schema
    allowed = dialect["keywords"]
    lowered: dict[str, Any] = {}
    for keyword, value in schema.items():
        unknown = allowed != "any" and keyword not in allowed
        if unknown or (keyword == "format" and value not in dialect.get("formats", (value,))):
            report(way, keyword)
        elif keyword in _MAPS and isinstance(value, dict):
            lowered[keyword] = {k: _schema(v, dialect, (*way, keyword, k), report) for k, v in value.items()}
        elif keyword in _LISTS and isinstance(value, list):
            lowered[keyword] = [_schema(v, dialect, (*way, keyword, i), report) for i, v in enumerate(value)]
        elif keyword in _SINGLE:
            lowered[keyword] = _schema(value, dialect, (*way, keyword), report)
        else:
            lowered[keyword] = value
    return lowered
