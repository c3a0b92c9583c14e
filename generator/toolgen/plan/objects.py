"""Objects as one: a schema and everything it combines with `$ref` and `allOf`, seen as the fields of a class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolgen.plan.assertions import types_of, unsaid

Lookup = Callable[[str], Any]
"""From a reference of a self-contained schema to its target."""


@dataclass(slots=True)
class ObjectView:
    """The properties of an object. `extra` is False where it is closed, else the schema of further properties.

    The view admits at least what the schema admits: of several schemas for one property it holds the first.
    `said` are the keywords of the schema that the view has in full.
    """

    properties: dict[str, Any] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    extra: Any = True
    description: str | None = None
    said: frozenset[str] = frozenset({"type"})


def object_view(schema: Any, lookup: Lookup, *, assume: bool = False) -> ObjectView | None:
    """The view of a schema that admits objects only, or None. With `assume`, a missing type means object."""
    parts = conjuncts(schema, lookup)
    if not any(part.get("type") in ("object", ["object"]) for part in parts) and not assume:
        return None
    view = ObjectView()
    shaped = [p for p in parts if "properties" in p or "patternProperties" in p or "additionalProperties" in p]
    whole = True
    for part in parts:
        for name, sub in part.get("properties", {}).items():
            whole &= view.properties.setdefault(name, sub) == sub
        view.required.update(part.get("required", ()))
        view.description = view.description or part.get("description")
    if len(shaped) == 1 and "patternProperties" not in shaped[0]:
        view.extra = shaped[0].get("additionalProperties", True)
    for name in sorted(view.required - view.properties.keys()):
        view.properties[name] = view.extra
    view.said = _said(parts, len(shaped) < 2, whole)
    return view


def _said(parts: list[Mapping[str, Any]], one_shape: bool, whole: bool) -> frozenset[str]:
    """The keywords of the first schema that the fields of a class say, given all schemas that make it up."""
    first, *others = parts
    said = {"type", "properties", "required"}
    if one_shape and "patternProperties" not in first:
        said.add("additionalProperties")
    full = {*said, "$ref", "allOf"}
    if whole and all(_objects(p) and not unsaid(p, frozenset(full)) for p in others):
        said |= {"$ref", "allOf"}
    return frozenset(said) if _objects(first) else frozenset(said - {"type"})


def _objects(schema: Mapping[str, Any]) -> bool:
    """Whether the type of a schema admits objects."""
    types = types_of(schema)
    return types is None or "object" in types


def conjuncts(schema: Any, lookup: Lookup) -> list[Mapping[str, Any]]:
    """The schemas that a value has to satisfy all: this one, its reference's target, and those of `allOf`."""
    found: list[Mapping[str, Any]] = []
    seen: set[int] = set()
    stack: list[Any] = [schema]
    while stack:
        part: Any = stack.pop()
        if part is False:
            part = {"not": True}
        if not isinstance(part, Mapping) or id(part) in seen:
            continue
        seen.add(id(part))
        found.append(part)
        stack.extend(reversed(part.get("allOf", ())))
        if "$ref" in part:
            stack.append(lookup(part["$ref"]))
    return found
