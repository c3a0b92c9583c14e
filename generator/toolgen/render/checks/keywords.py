"""Conditions of keywords (types, numbers, strings, constants, arrays, objects), and what schemas have evaluated.

The properties or items that `unevaluated…` skips are set expressions. They are correct for values that satisfy the
schema; see JSON Schema 2020-12, sections 11.2 and 11.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from toolgen.render.checks.expressions import (
    FALSE,
    TRUE,
    Condition,
    Precedence,
    Scope,
    comparison,
    conjunction,
    disjunction,
    empty_condition,
    invertible_comparison,
    negation,
)
from toolgen.render.literals import python_literal, python_string

EvaluatedKind = Literal["properties", "items"]
"""What a schema has evaluated: properties of an object, or items of an array."""


def names_expression(names: Iterable[str]) -> str:
    """Return a set of names."""
    listed = ", ".join(python_string(name) for name in names)
    return f"{{{listed}}}" if listed else "set[str]()"


def evaluated_properties(schema: Any, value: str, scope: Scope) -> str:
    """Return the set of property names of an object that a schema has evaluated; an empty string if there are none."""
    return _joined(_evaluated_properties(schema, value, scope))


def evaluated_items(schema: Any, value: str, scope: Scope) -> str:
    """Return the set of indexes of an array that a schema has evaluated; an empty string if there are none."""
    return _joined(_evaluated_items(schema, value, scope))


def _joined(terms: Iterator[str]) -> str:
    return " | ".join(dict.fromkeys(terms))


def _evaluated_properties(schema: Any, value: str, scope: Scope) -> Iterator[str]:
    """Yield expressions of the sets of property names that a schema evaluates."""
    if not isinstance(schema, Mapping):
        return
    if "additionalProperties" in schema or "unevaluatedProperties" in schema:
        yield f"set({value})"
        return
    if schema.get("properties"):
        yield names_expression(schema["properties"])
    for pattern in schema.get("patternProperties", ()):
        key = scope.bind("key").variable
        matches = scope.use_runtime_name("matches")
        yield f"{{{key} for {key} in {value} if {matches}({python_string(pattern)}, {key})}}"
    for name, sub in schema.get("dependentSchemas", {}).items():
        inner = _part(sub, value, scope.inner("with", name), "properties")
        if inner:
            yield f"({inner} if {python_string(name)} in {value} else set())"
    yield from _in_place(schema, value, scope, "properties")


def _evaluated_items(schema: Any, value: str, scope: Scope) -> Iterator[str]:
    """Yield expressions of the sets of indexes that a schema evaluates."""
    if not isinstance(schema, Mapping):
        return
    if "items" in schema or "unevaluatedItems" in schema:
        yield f"set(range(len({value})))"
        return
    if schema.get("prefixItems"):
        yield f"set(range({len(schema['prefixItems'])}))"
    if "contains" in schema:
        i, inner = scope.inner("contained").bind("i")
        fits = inner.condition(schema["contains"], f"{value}[{i}]")
        yield f"{{{i} for {i} in range(len({value})) if {fits.text}}}"
    yield from _in_place(schema, value, scope, "items")


def _in_place(schema: Mapping[str, Any], value: str, scope: Scope, kind: EvaluatedKind) -> Iterator[str]:
    """Yield what the subschemas of the same value have evaluated; of a choice, only those that the value satisfies."""
    if "$ref" in schema:
        yield f"{scope.functions.evaluated_collector_name(schema['$ref'], scope, kind)}({value})"
    for i, sub in enumerate(schema.get("allOf", ()), 1):
        inner = _part(sub, value, scope.inner(f"part{i}"), kind)
        if inner:
            yield inner
    for keyword in ("anyOf", "oneOf"):
        for i, sub in enumerate(schema.get(keyword, ()), 1):
            yield from _if_fits(sub, sub, value, scope.inner(f"option{i}"), kind)
    if "if" in schema:
        yield from _if_fits(schema["if"], schema["if"], value, scope.inner("if"), kind)
        yield from _if_fits(schema["if"], schema.get("then"), value, scope.inner("then"), kind)
        inner = _part(schema.get("else"), value, scope.inner("else"), kind)
        premise = scope.inner("if").condition(schema["if"], value)
        if inner and premise != TRUE:
            yield f"(set() if {premise.text} else {inner})"


def _if_fits(premise: Any, sub: Any, value: str, scope: Scope, kind: EvaluatedKind) -> Iterator[str]:
    """Yield what a subschema has evaluated, if the value satisfies the premise."""
    inner = _part(sub, value, scope, kind)
    fits = scope.condition(premise, value)
    if inner and fits != FALSE:
        yield inner if fits == TRUE else f"({inner} if {fits.text} else set())"


def _part(sub: Any, value: str, scope: Scope, kind: EvaluatedKind) -> str:
    """Return a call for what a subschema has evaluated; an empty string if it cannot evaluate anything."""
    if not isinstance(sub, Mapping) or sub.keys().isdisjoint(_LOOKING[kind] | _IN_PLACE):
        return ""
    return f"{scope.functions.evaluated_collector_name(sub, scope, kind)}({value})"


_LOOKING = {
    "properties": {
        "properties",
        "patternProperties",
        "additionalProperties",
        "unevaluatedProperties",
        "dependentSchemas",
    },
    "items": {"items", "prefixItems", "contains", "unevaluatedItems"},
}
_IN_PLACE = {"$ref", "allOf", "anyOf", "oneOf", "if"}


KeywordCondition = Callable[[Mapping[str, Any], str, Scope], Condition]
"""A function that makes the condition of a keyword, from the schema with the keyword, the value and the location."""

_TESTS = {
    "array": "is_array",
    "boolean": "is_boolean",
    "integer": "is_integer",
    "null": "is_null",
    "number": "is_number",
    "object": "is_object",
    "string": "is_text",
}


def type_condition(kind: str, value: str, scope: Scope) -> Condition:
    """Return the condition that a value has a type."""
    return Condition(f"{scope.use_runtime_name(_TESTS[kind])}({value})")


def literal_condition(values: Sequence[Any], value: str, scope: Scope) -> Condition:
    """Return the condition that a value is one of several."""
    texts = [v for v in values if isinstance(v, str)]
    if len(texts) < 2:
        return _one_of_values(values, value, scope)
    without_texts = [v for v in values if not isinstance(v, str)]
    return disjunction([_one_of_texts(texts, value, scope), _one_of_values(without_texts, value, scope)])


def _one_of_values(values: Sequence[Any], value: str, scope: Scope) -> Condition:
    """Return the condition that a value is equal to one of several; false if there are none."""
    if not values:
        return FALSE
    if len(values) > 1:
        return Condition(f"{scope.use_runtime_name('equals_one_of')}({value}, {python_literal(values)})")
    if values[0] is None:
        return type_condition("null", value, scope)
    return Condition(f"{scope.use_runtime_name('json_equal')}({value}, {python_literal(values[0])})")


def _one_of_texts(texts: list[str], value: str, scope: Scope) -> Condition:
    listed = "{" + ", ".join(python_string(text) for text in dict.fromkeys(texts)) + "}"
    return Condition(f"{scope.use_runtime_name('is_text')}({value}) and {value} in {listed}", Precedence.AND)


def _bound(operator: str, keyword: str) -> KeywordCondition:
    def condition(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
        return comparison(value, operator, python_literal(schema[keyword]))

    return condition


def length_condition(operator: str, keyword: str) -> KeywordCondition:
    """Return the function that makes the condition of a bound on a length."""

    def condition(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
        return invertible_comparison(f"len({value})", operator, python_literal(schema[keyword]))

    return condition


SCALAR_CONDITIONS: Mapping[str, KeywordCondition] = {
    "minimum": _bound(">=", "minimum"),
    "maximum": _bound("<=", "maximum"),
    "exclusiveMinimum": _bound(">", "exclusiveMinimum"),
    "exclusiveMaximum": _bound("<", "exclusiveMaximum"),
    "multipleOf": lambda schema, value, scope: Condition(
        f"{scope.use_runtime_name('is_multiple')}({value}, {python_literal(schema['multipleOf'])})"
    ),
    "minLength": length_condition(">=", "minLength"),
    "maxLength": length_condition("<=", "maxLength"),
    "pattern": lambda schema, value, scope: Condition(
        f"{scope.use_runtime_name('matches')}({python_string(schema['pattern'])}, {value})"
    ),
    "format": lambda schema, value, scope: Condition(
        f"{scope.use_runtime_name('is_format')}({python_string(schema['format'])}, {value})"
    ),
}


def _prefix_items(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    parts = []
    for i, sub in enumerate(schema["prefixItems"]):
        demand = scope.inner(f"item{i + 1}").condition(sub, f"{value}[{i}]")
        is_absent = invertible_comparison(f"len({value})", "<=", str(i))
        parts.append(demand if demand == TRUE else disjunction([is_absent, demand]))
    return conjunction(parts)


def _items(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    size = len(schema.get("prefixItems", ()))
    if schema["items"] is False:
        return invertible_comparison(f"len({value})", "<=", str(size))
    item, inner = scope.inner("item").bind("item")
    demand = inner.condition(schema["items"], item)
    return every_condition(demand, item, f"{value}[{size}:]" if size else value)


def _contains(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    item, inner = scope.inner("contained").bind("item")
    demand = inner.condition(schema["contains"], item)
    least, most = schema.get("minContains", 1), schema.get("maxContains")
    if most is None and least == 1:
        return Condition(f"any({demand.text} for {item} in {value})")
    count = f"sum({demand.text} for {item} in {value})"
    bounds = []
    if least:
        bounds.append(invertible_comparison(count, ">=", python_literal(least)))
    if most is not None:
        bounds.append(invertible_comparison(count, "<=", python_literal(most)))
    return conjunction(bounds)


def _unevaluated_items(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    index, inner = scope.inner("further").bind("i")
    demand = inner.condition(schema["unevaluatedItems"], f"{value}[{index}]")
    evaluated = evaluated_items({k: v for k, v in schema.items() if k != "unevaluatedItems"}, value, scope)
    unevaluated = f"set(range(len({value})))" + (f" - ({evaluated})" if evaluated else "")
    return empty_condition(unevaluated) if demand == FALSE else every_condition(demand, index, unevaluated)


def every_condition(demand: Condition, name: str, values: str) -> Condition:
    """Return the condition that each of several values satisfies a condition on a name."""
    return TRUE if demand == TRUE else Condition(f"all({demand.text} for {name} in {values})")


ARRAY_CONDITIONS: Mapping[str, KeywordCondition] = {
    "minItems": length_condition(">=", "minItems"),
    "maxItems": length_condition("<=", "maxItems"),
    "prefixItems": _prefix_items,
    "items": _items,
    "contains": _contains,
    "uniqueItems": lambda schema, value, scope: Condition(f"{scope.use_runtime_name('all_unique')}({value})"),
    "unevaluatedItems": _unevaluated_items,
}


def key_present_condition(name: str, value: str) -> Condition:
    """Return the condition that an object has a property."""
    return comparison(python_string(name), "in", value)


def _lacks(name: str, value: str) -> Condition:
    return negation(key_present_condition(name, value))


def _required(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    names = list(dict.fromkeys(schema["required"]))
    if len(names) > 2:
        return comparison(f"{value}.keys()", ">=", names_expression(names))
    return conjunction(key_present_condition(name, value) for name in names)


def _properties(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    parts = []
    for name, sub in schema["properties"].items():
        demand = scope.inner(name).condition(sub, f"{value}[{python_string(name)}]")
        parts.append(demand if demand == TRUE else disjunction([_lacks(name, value), demand]))
    return conjunction(parts)


def _pattern_properties(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    parts = []
    for pattern, sub in schema["patternProperties"].items():
        key, inner = scope.inner("matching").bind("key")
        match = Condition(f"{scope.use_runtime_name('matches')}({python_string(pattern)}, {key})")
        demand = inner.condition(sub, f"{value}[{key}]")
        if demand == FALSE:
            parts.append(negation(Condition(f"any({match.text} for {key} in {value})")))
        else:
            parts.append(every_condition(demand, key, f"{value} if {match.text}"))
    return conjunction(parts)


def _additional(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    names = list(schema.get("properties", ()))
    patterns = list(schema.get("patternProperties", ()))
    if schema["additionalProperties"] is False and not patterns:
        return comparison(f"{value}.keys()", "<=", names_expression(names)) if names else empty_condition(value)
    key, inner = scope.inner("further").bind("key")
    parts = [comparison(key, "not in", names_expression(names))] if names else []
    parts += [negation(Condition(f"{scope.use_runtime_name('matches')}({python_string(p)}, {key})")) for p in patterns]
    is_additional = conjunction(parts)
    demand = inner.condition(schema["additionalProperties"], f"{value}[{key}]")
    if demand == FALSE:
        return negation(Condition(f"any({is_additional.text} for {key} in {value})"))
    return every_condition(demand, key, value if is_additional == TRUE else f"{value} if {is_additional.text}")


def _property_names(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    key, inner = scope.inner("name").bind("key")
    demand = inner.condition(schema["propertyNames"], key)
    return empty_condition(value) if demand == FALSE else every_condition(demand, key, value)


def _dependent_required(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    return conjunction(
        disjunction(
            [_lacks(name, value), conjunction(key_present_condition(needed, value) for needed in dict.fromkeys(needs))]
        )
        for name, needs in schema["dependentRequired"].items()
        if needs
    )


def _dependent_schemas(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    parts = []
    for name, sub in schema["dependentSchemas"].items():
        demand = scope.inner("with", name).condition(sub, value)
        parts.append(demand if demand == TRUE else disjunction([_lacks(name, value), demand]))
    return conjunction(parts)


def _unevaluated_properties(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    key, inner = scope.inner("further").bind("key")
    demand = inner.condition(schema["unevaluatedProperties"], f"{value}[{key}]")
    evaluated = evaluated_properties({k: v for k, v in schema.items() if k != "unevaluatedProperties"}, value, scope)
    if demand == FALSE:
        return comparison(f"{value}.keys()", "<=", f"({evaluated})") if evaluated else empty_condition(value)
    return every_condition(demand, key, f"{value}.keys() - ({evaluated})" if evaluated else value)


OBJECT_CONDITIONS: Mapping[str, KeywordCondition] = {
    "required": _required,
    "minProperties": length_condition(">=", "minProperties"),
    "maxProperties": length_condition("<=", "maxProperties"),
    "propertyNames": _property_names,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional,
    "dependentRequired": _dependent_required,
    "dependentSchemas": _dependent_schemas,
    "unevaluatedProperties": _unevaluated_properties,
}
