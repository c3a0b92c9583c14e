"""Conditions of arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen.render.checks.condition import FALSE, TRUE, Condition, bounded, empty, every, some
from toolgen.render.checks.scalars import Conditions, Of, counted
from toolgen.render.checks.scope import Scope
from toolgen.render.checks.seen import seen_items
from toolgen.render.literals import python_literal


def _prefix_items(schema: Mapping[str, Any], value: str, scope: Scope, of: Of) -> Condition:
    parts = []
    for i, sub in enumerate(schema["prefixItems"]):
        demand = of(sub, f"{value}[{i}]", scope.inside(f"item{i + 1}"))
        parts.append(TRUE if demand == TRUE else some([bounded(f"len({value})", "<=", str(i)), demand]))
    return every(parts)


def _items(schema: Mapping[str, Any], value: str, scope: Scope, of: Of) -> Condition:
    size = len(schema.get("prefixItems", ()))
    if schema["items"] is False:
        return bounded(f"len({value})", "<=", str(size))
    item, inner = scope.inside("item").variable("item")
    demand = of(schema["items"], item, inner)
    return all_of(demand, item, f"{value}[{size}:]" if size else value)


def _contains(schema: Mapping[str, Any], value: str, scope: Scope, of: Of) -> Condition:
    item, inner = scope.inside("contained").variable("item")
    demand = of(schema["contains"], item, inner)
    least, most = schema.get("minContains", 1), schema.get("maxContains")
    if most is None and least == 1:
        return Condition(f"any({demand.text} for {item} in {value})")
    count = f"sum({demand.text} for {item} in {value})"
    parts = [bounded(count, ">=", python_literal(least))] if least else []
    return every([*parts, *([bounded(count, "<=", python_literal(most))] if most is not None else [])])


def _unique(schema: Mapping[str, Any], value: str, scope: Scope, of: Of) -> Condition:
    return Condition(f"{scope.using('differ')}({value})")


def _unevaluated(schema: Mapping[str, Any], value: str, scope: Scope, of: Of) -> Condition:
    item, inner = scope.inside("further").variable("i")
    demand = of(schema["unevaluatedItems"], f"{value}[{item}]", inner)
    seen = seen_items({k: v for k, v in schema.items() if k != "unevaluatedItems"}, value, scope, of)
    rest = f"set(range(len({value})))" + (f" - ({seen})" if seen else "")
    return empty(f"({rest})" if seen else rest) if demand == FALSE else all_of(demand, item, rest)


def all_of(demand: Condition, name: str, values: str) -> Condition:
    """Whether each of several values satisfies a condition on a name."""
    return TRUE if demand == TRUE else Condition(f"all({demand.text} for {name} in {values})")


ARRAY_CONDITIONS: Conditions = {
    "minItems": counted(">=", "minItems"),
    "maxItems": counted("<=", "maxItems"),
    "prefixItems": _prefix_items,
    "items": _items,
    "contains": _contains,
    "uniqueItems": _unique,
    "unevaluatedItems": _unevaluated,
}
