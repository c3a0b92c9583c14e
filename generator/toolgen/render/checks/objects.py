"""Conditions of objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen.render.checks.arrays import all_of
from toolgen.render.checks.condition import FALSE, TRUE, Condition, compared, empty, every, opposite, some
from toolgen.render.checks.scalars import Conditions, Of, counted
from toolgen.render.checks.scope import Scope
from toolgen.render.checks.seen import seen_properties, texts
from toolgen.render.literals import python_string


def has(name: str, value: str) -> Condition:
    """Whether an object has a property."""
    return compared(python_string(name), "in", value)


def _lacks(name: str, value: str) -> Condition:
    return opposite(has(name, value))


def _required(schema: Mapping[str, Any], value: str, scope: Scope, of: Of) -> Condition:
    names = list(dict.fromkeys(schema["required"]))
    if len(names) > 2:
        return compared(f"{value}.keys()", ">=", texts(names))
    return every(has(name, value) for name in names)


def _properties(schema: Mapping[str, Any], value: str, scope: Scope, of: Of) -> Condition:
    parts = []
    for name, sub in schema["properties"].items():
        demand = of(sub, f"{value}[{python_string(name)}]", scope.inside(name))
        parts.append(demand if demand == TRUE else some([_lacks(name, value), demand]))
    return every(parts)


def _pattern_properties(schema: Mapping[str, Any], value: str, scope: Scope, of: Of) -> Condition:
    parts = []
    for pattern, sub in schema["patternProperties"].items():
        key, inner = scope.inside("matching").variable("key")
        match = Condition(f"{scope.using('matches')}({python_string(pattern)}, {key})")
        demand = of(sub, f"{value}[{key}]", inner)
        if demand == FALSE:
            parts.append(opposite(Condition(f"any({match.text} for {key} in {value})")))
        else:
            parts.append(all_of(demand, key, f"{value} if {match.text}"))
    return every(parts)


def _additional(schema: Mapping[str, Any], value: str, scope: Scope, of: Of) -> Condition:
    names = list(schema.get("properties", ()))
    patterns = list(schema.get("patternProperties", ()))
    if schema["additionalProperties"] is False and not patterns:
        return compared(f"{value}.keys()", "<=", texts(names)) if names else empty(value)
    key, inner = scope.inside("further").variable("key")
    parts = [compared(key, "not in", texts(names))] if names else []
    parts += [opposite(Condition(f"{scope.using('matches')}({python_string(p)}, {key})")) for p in patterns]
    left = every(parts)
    demand = of(schema["additionalProperties"], f"{value}[{key}]", inner)
    if demand == FALSE:
        return opposite(Condition(f"any({left.text} for {key} in {value})"))
    return all_of(demand, key, value if left == TRUE else f"{value} if {left.text}")


def _names(schema: Mapping[str, Any], value: str, scope: Scope, of: Of) -> Condition:
    key, inner = scope.inside("name").variable("key")
    demand = of(schema["propertyNames"], key, inner)
    return empty(value) if demand == FALSE else all_of(demand, key, value)


def _dependent_required(schema: Mapping[str, Any], value: str, scope: Scope, of: Of) -> Condition:
    return every(
        some([_lacks(name, value), every(has(needed, value) for needed in dict.fromkeys(needs))])
        for name, needs in schema["dependentRequired"].items()
        if needs
    )


def _dependent_schemas(schema: Mapping[str, Any], value: str, scope: Scope, of: Of) -> Condition:
    parts = []
    for name, sub in schema["dependentSchemas"].items():
        demand = of(sub, value, scope.inside("with", name))
        parts.append(demand if demand == TRUE else some([_lacks(name, value), demand]))
    return every(parts)


def _unevaluated(schema: Mapping[str, Any], value: str, scope: Scope, of: Of) -> Condition:
    key, inner = scope.inside("further").variable("key")
    demand = of(schema["unevaluatedProperties"], f"{value}[{key}]", inner)
    seen = seen_properties({k: v for k, v in schema.items() if k != "unevaluatedProperties"}, value, scope, of)
    if demand == FALSE:
        return compared(f"{value}.keys()", "<=", f"({seen})") if seen else empty(value)
    return all_of(demand, key, f"{value}.keys() - ({seen})" if seen else value)


OBJECT_CONDITIONS: Conditions = {
    "required": _required,
    "minProperties": counted(">=", "minProperties"),
    "maxProperties": counted("<=", "maxProperties"),
    "propertyNames": _names,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional,
    "dependentRequired": _dependent_required,
    "dependentSchemas": _dependent_schemas,
    "unevaluatedProperties": _unevaluated,
}
