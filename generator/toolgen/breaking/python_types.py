"""The part of a schema that its Python type expresses, as a schema, so that two types can be compared like schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen.breaking.schema_normalization import MAX_CHAIN, normalize, types_of, without_implied_integer
from toolgen.resolve.schema_locations import find_target, map_subschemas
from toolgen_runtime.tools.formats import FORMATS

_EXPRESSED = frozenset(
    "$defs $ref type enum const anyOf oneOf allOf properties required items prefixItems additionalProperties".split()
)
_KIND = "\0kind"
"""A property of every object that has no other name: an instance of a class is no dict."""
_COMPOSED = frozenset(["$ref", "allOf", "anyOf", "oneOf"])
_MAX_MERGED = 3
"""How often a schema in `allOf` is merged that may contain the schema which is merged."""


def python_type(schema: Any, root: Any, depth: int = 0) -> Any:
    """Return a schema without what no type expresses: bounds, patterns, conditions, and formats of plain strings.

    An object with properties is a class: it has these alone, and an optional one without a default may be None.
    """
    if not isinstance(schema, Mapping):
        return schema
    definitions = {"$defs": schema["$defs"]} if "$defs" in schema else {}
    if "allOf" in schema:
        depth += 1
    if depth <= _MAX_MERGED and not schema.keys() & (
        _COMPOSED - {"allOf"}
    ):  # a reference may lead to the schema itself
        normalized = normalize(schema, root, unions=False)
        if not isinstance(normalized, Mapping):
            return normalized
        schema = {**normalized, **definitions}
    rules = {key: value for key, value in schema.items() if key in _EXPRESSED}
    if schema.get("format") in FORMATS and "enum" not in rules and "string" in types_of(rules):
        others = without_implied_integer(types_of(rules) - {"string"})
        rules = _with_format_type(rules, schema["format"], sorted(others))
    rules = map_subschemas(rules, lambda sub, _: python_type(sub, root, depth))
    if not rules.keys() & {*_COMPOSED, "enum"} and "object" in types_of(rules):
        properties, required = rules.get("properties", {}), rules.get("required", ())
        if properties:
            rules["additionalProperties"] = False
        rules["properties"] = {
            name: sub if name in required else _optional(sub, schema["properties"][name])
            for name, sub in properties.items()
            if sub is not False  # it has no values
        }
        rules["properties"][_KIND] = {"enum": ["class" if properties else "dict"]}
        rules["required"] = [*required, _KIND]
    if "oneOf" in rules:
        rules["anyOf"] = [*rules.get("anyOf", ()), *rules.pop("oneOf")]
    return rules


def _with_format_type(rules: dict[str, Any], name: str, others: list[str]) -> dict[str, Any]:
    """Return a schema of which the strings have the type of a format, beside the other types: no value of another type."""
    strings = {"enum": [{"format": name}]}
    without_strings = {**rules, "type": others}
    if not others:
        return {**rules, "type": "object", **strings}
    return {"anyOf": [strings, without_strings], **({"$defs": rules["$defs"]} if "$defs" in rules else {})}


def count_classes(schema: Any, root: Any, depth: int = 0) -> int:
    """Return how many classes the objects of a schema become: one for each branch of a union with properties."""
    if not isinstance(schema, Mapping) or depth > MAX_CHAIN:
        return 0
    if "$ref" in schema:
        return count_classes(find_target(schema["$ref"], root), root, depth + 1)
    parts = (count_classes(part, root, depth + 1) for part in schema.get("allOf", ()))
    branches = (count_classes(branch, root, depth + 1) for key in ("anyOf", "oneOf") for branch in schema.get(key, ()))
    return max(int(bool(schema.get("properties"))), min(1, sum(parts)), sum(branches))


def _optional(sub: Any, stated: Any) -> Any:
    has_default = isinstance(stated, Mapping) and "default" in stated
    return sub if has_default else {"anyOf": [sub, {"type": "null"}]}
