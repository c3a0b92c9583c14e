"""Schemas in a normalized form, their types, and sample values that they may admit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from toolgen.resolve.dialect import ANNOTATIONS
from toolgen.resolve.value_checks import TooManyStepsError, ValueValidator

__all__ = [
    "MAX_SAMPLES",
    "TYPES",
    "identify_branch",
    "is_same_branch",
    "json_key",
    "normalize",
    "sample_values",
    "types_of",
    "wrap_in_matching_union",
]

TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")
"""The types of JSON Schema."""

MAX_SAMPLES = 400
"""The maximum number of sample values of one schema."""


def sample_values(schema: Any, root: Any, depth: int = 4) -> list[Any]:
    """Return values that a schema may admit: listed values, values around bounds, with and without optional ones."""
    if depth < 0 or schema is False:
        return []
    if not isinstance(schema, Mapping):
        return ["a", 1, True, None]
    if "$ref" in schema:
        ref = schema["$ref"]
        return sample_values(root["$defs"][ref[8:]] if ref.startswith("#/$defs/") else root, root, depth - 1)
    found: list[Any] = list(schema.get("examples", ()))
    found += [schema["default"]] if "default" in schema else []
    if "const" in schema:
        return [schema["const"], *found]
    if "enum" in schema:
        return [*schema["enum"], *found]
    for keyword in ("anyOf", "oneOf"):
        for branch in schema.get(keyword, ()):
            found += sample_values(branch, root, depth - 1)
    kinds = types_of(schema) if "type" in schema else _guessed(schema)
    for kind in TYPES:
        if kind in kinds:
            found += _samples_of(kind, schema, root, depth)
    return found[:MAX_SAMPLES]


def _guessed(schema: Mapping[str, Any]) -> set[str]:
    if "properties" in schema or "required" in schema:
        return {"object"}
    if "items" in schema:
        return {"array"}
    return (
        set() if "anyOf" in schema or "oneOf" in schema else {"null", "boolean", "integer", "string", "array", "object"}
    )


def _samples_of(kind: str, schema: Mapping[str, Any], root: Any, depth: int) -> list[Any]:
    if kind == "null":
        return [None]
    if kind == "boolean":
        return [True, False]
    if kind in ("integer", "number"):
        bounds = [schema[k] for k in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum") if k in schema]
        step = schema.get("multipleOf", 1)
        near = [b + d for b in bounds for d in (0, 1, -1)]
        whole = [0, 1, -1, 7, 1000, -1000, 10**6, step, 2 * step, 3 * step, *near]
        return whole if kind == "integer" else [*whole, 0.5, -2.25, *(b + 0.5 for b in bounds)]
    if kind == "string":
        low, high = schema.get("minLength", 0), schema.get("maxLength", 40)
        texts = [
            "a",
            "",
            "abc",
            "A1",
            "hello world",
            "2026-01-02",
            "2026-01-02T03:04:05Z",
            "user@example.com",
            "0",
            "x-y_z",
            "é",
        ]
        sizes = {n for n in (low, low + 1, high, high - 1, 1, 5, 20, 60) if 0 <= n <= 4096}
        return [*texts, *("a" * n for n in sorted(sizes))]
    if kind == "array":
        items = sample_values(schema.get("items", True), root, depth - 1)[:12]
        low = schema.get("minItems", 0)
        sizes = {n for n in (low, low + 1, schema.get("maxItems", low + 2), 0, 1, 2, 3, 20) if 0 <= n <= 64}
        one = items[:1] or ["a"]
        return [*([item] for item in items), *((one * n) for n in sorted(sizes)), items[:3]]
    return _objects(schema, root, depth)


def _objects(schema: Mapping[str, Any], root: Any, depth: int) -> list[Any]:
    properties = schema.get("properties", {})
    inner = {name: sample_values(sub, root, depth - 1) or ["a"] for name, sub in properties.items()}
    fitting = {name: _first_fit(values, properties[name], root) for name, values in inner.items()}
    needed = {name: fitting.get(name, "a") for name in schema.get("required", ())}
    found: list[Any] = [needed, {**fitting, **needed}]
    for name, values in inner.items():
        for value in values[:24]:
            found.append({**needed, name: value})
    if schema.get("additionalProperties", True) is not False:
        found.append({**needed, "other": "a"})
    return found


def _first_fit(values: list[Any], schema: Any, root: Any) -> Any:
    judge = ValueValidator(root)
    for value in values[:40]:
        try:
            if judge.reason(value, schema) is None:
                return value
        except TooManyStepsError:
            break
    return values[0]


def types_of(schema: Mapping[str, Any]) -> set[str]:
    """Return the types that a schema admits. `number` includes `integer`."""
    kind = schema.get("type")
    if kind is None and "enum" in schema:
        return {_type_of(value) for value in schema["enum"]}
    found = set(TYPES) if kind is None else set(kind) if isinstance(kind, list) else {kind}
    return found | {"integer"} if "number" in found else found


def _type_of(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    kinds = {int: "integer", float: "number", str: "string", list: "array"}
    return kinds.get(type(value), "object")


def normalize(schema: Any) -> Any:
    """Return a schema in one form of several equal ones: `const` as `enum`, `anyOf` with null as a further type."""
    if not isinstance(schema, Mapping):
        return schema
    found = {key: value for key, value in schema.items() if key not in ("$defs", "examples", "$schema", "$comment")}
    if "const" in found:
        found["enum"] = [found.pop("const")]
    for keyword in ("allOf", "anyOf", "oneOf"):
        both = found.get(keyword)
        only = both[0] if isinstance(both, list) and len(both) == 1 else None
        if isinstance(only, Mapping) and not (found.keys() - {keyword}) & only.keys():
            del found[keyword]
            found |= normalize(only)
    for keyword in ("anyOf", "oneOf"):
        branches = found.get(keyword)
        if isinstance(branches, list) and {"type": "null"} in branches and len(branches) == 2:
            other = next(branch for branch in branches if branch != {"type": "null"})
            if (
                isinstance(other, Mapping)
                and "type" in other
                and "enum" not in other
                and not found.keys() & other.keys()
            ):
                del found[keyword]
                kinds = other["type"] if isinstance(other["type"], list) else [other["type"]]
                found |= {**other, "type": [*kinds, "null"]}
    return found


def wrap_in_matching_union(old: Any, new: Any, old_root: Any, new_root: Any) -> tuple[Any, Any]:
    """If one schema is a union with a branch like the other schema, convert the other to a union of one branch.

    Args:
        old: A normalized schema.
        new: The normalized schema to compare it with.
        old_root: The schema that the references in `old` lead into.
        new_root: The schema that the references in `new` lead into.
    """
    sides, roots = [old, new], (old_root, new_root)
    for i, (one, other) in enumerate(((old, new), (new, old))):
        keyword = next((k for k in ("oneOf", "anyOf") if k in other), "")
        if not keyword or "oneOf" in one or "anyOf" in one or other.keys() - ANNOTATIONS != {keyword}:
            continue
        branch = {key: value for key, value in one.items() if key not in ANNOTATIONS}
        tags = [identify_branch(each, roots[1 - i]) for each in other[keyword]]
        if identify_branch(branch, roots[i]) in tags:
            sides[i] = {**{key: one[key] for key in one.keys() & ANNOTATIONS}, keyword: [branch]}
    return sides[0], sides[1]


def is_same_branch(old: Any, new: Any) -> bool:
    """Return whether two branches are one that was edited: they share a property, and no constant tells them apart."""
    if not isinstance(old, Mapping) or not isinstance(new, Mapping) or types_of(old) != types_of(new):
        return False
    before, after = old.get("properties", {}), new.get("properties", {})
    shared = before.keys() & after.keys()
    return bool(shared) and not any(_is_constant(before[name]) and _is_constant(after[name]) for name in shared)


def _is_constant(schema: Any) -> bool:
    return isinstance(schema, Mapping) and ("const" in schema or len(schema.get("enum", ())) == 1)


def identify_branch(branch: Any, root: Any) -> str:
    """Return what identifies a branch of a union: the constants of its properties, its reference or type, or itself."""
    if isinstance(branch, Mapping) and "$ref" in branch:
        target = root.get("$defs", {}).get(str(branch["$ref"])[8:])
        tag = identify_branch(target, root) if isinstance(target, Mapping) else ""
        return tag if tag.startswith("{") else str(branch["$ref"])
    if isinstance(branch, Mapping):
        constants = {
            name: sub["const"] if "const" in sub else sub["enum"][0]
            for name, sub in branch.get("properties", {}).items()
            if _is_constant(sub)
        }
        if constants:
            return json_key(constants)
        kind = branch.get("type")
        if isinstance(kind, str) and kind != "object":
            return f"type {kind}"
    return json_key(branch)


def json_key(value: Any) -> str:
    """Return a string that is equal for values that are equal in JSON."""
    return json.dumps(value, sort_keys=True, default=str)
