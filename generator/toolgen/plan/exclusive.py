"""Whether at most one of several schemas can admit a value, as far as their types and constants tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from toolgen.plan.assertions import types_of
from toolgen.plan.objects import Lookup, conjuncts

MAX_COMPARED = 40
"""Schemas that are compared with one another; more of them count as not exclusive."""


def exclusive(choices: Sequence[Any], lookup: Lookup) -> bool:
    """Whether no value satisfies two of the schemas. False also where that is not plain to see."""
    if len(choices) > MAX_COMPARED:
        return False
    parts = [conjuncts(choice, lookup) for choice in choices]
    return all(_apart(one, other) for one, other in combinations(parts, 2))


def _apart(one: list[Mapping[str, Any]], other: list[Mapping[str, Any]]) -> bool:
    if _types(one).isdisjoint(_types(other)):
        return True
    here, there = _texts(one), _texts(other)
    if here is not None and there is not None and here.isdisjoint(there):
        return True
    if _types(one) != {"object"} or _types(other) != {"object"}:
        return False
    first, second = _tags(one), _tags(other)
    return any(first[name].isdisjoint(second[name]) for name in first.keys() & second.keys())


_ALL = frozenset(["array", "boolean", "null", "number", "object", "string"])


def _types(parts: list[Mapping[str, Any]]) -> frozenset[str]:
    """The types that the schemas admit together; a constant has the type of its value."""
    found = _ALL
    for part in parts:
        named = types_of(part)
        if named is not None:
            found &= frozenset(named)
        if _constants(part) is not None:
            found &= {"string"}
    return found


def _texts(parts: list[Mapping[str, Any]]) -> frozenset[str] | None:
    """The texts that are listed, where one of the schemas lists texts only."""
    for part in parts:
        found = _constants(part)
        if found is not None:
            return found
    return None


def _constants(schema: Any) -> frozenset[str] | None:
    if not isinstance(schema, Mapping):
        return None
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if not values or not all(isinstance(value, str) for value in values):
        return None
    return frozenset(values)


def _tags(parts: list[Mapping[str, Any]]) -> dict[str, frozenset[str]]:
    """The properties that an object must have, with the texts that each may be."""
    needed = {name for part in parts for name in part.get("required", ())}
    found: dict[str, frozenset[str]] = {}
    for part in parts:
        for name, schema in part.get("properties", {}).items():
            texts = _constants(schema)
            if name in needed and texts is not None:
                found.setdefault(name, texts)
    return found
