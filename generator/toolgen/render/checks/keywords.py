"""Conditions of keywords (types, numbers, strings, constants, arrays, objects), and what schemas have evaluated.

The properties or items that `unevaluated…` skips are set expressions. They are correct for values that satisfy the
schema; see JSON Schema 2020-12, sections 11.2 and 11.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

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
    if not isinstance(schema, Mapping):
        return
    if "additionalProperties" in schema or "unevaluatedProperties" in schema:
        yield f"set({value})"
        return
    if schema.get("properties"):
        yield names_expression(schema["properties"])
    for pattern in schema.get("patternProperties", ()):
        key, _ = scope.make_variable_and_scope("key")
        yield f"{{{key} for {key} in {value} if {scope.runtime_name('matches')}({python_string(pattern)}, {key})}}"
    for name, sub in schema.get("dependentSchemas", {}).items():
        inner = _part(sub, value, scope.inner("with", name), "properties")
        if inner:
            yield f"({inner} if {python_string(name)} in {value} else set())"
    yield from _in_place(schema, value, scope, "properties")


def _evaluated_items(schema: Any, value: str, scope: Scope) -> Iterator[str]:
    if not isinstance(schema, Mapping):
        return
    if "items" in schema or "unevaluatedItems" in schema:
        yield f"set(range(len({value})))"
        return
    if schema.get("prefixItems"):
        yield f"set(range({len(schema['prefixItems'])}))"
    if "contains" in schema:
        i, inner = scope.inner("contained").make_variable_and_scope("i")
        fits = inner.condition(schema["contains"], f"{value}[{i}]")
        yield f"{{{i} for {i} in range(len({value})) if {fits.text}}}"
    yield from _in_place(schema, value, scope, "items")


def _in_place(schema: Mapping[str, Any], value: str, scope: Scope, kind: str) -> Iterator[str]:
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
        given = scope.inner("if").condition(schema["if"], value)
        if inner and given != TRUE:
            yield f"(set() if {given.text} else {inner})"


def _if_fits(given: Any, sub: Any, value: str, scope: Scope, kind: str) -> Iterator[str]:
    inner = _part(sub, value, scope, kind)
    fits = scope.condition(given, value)
    if inner and fits != FALSE:
        yield inner if fits == TRUE else f"({inner} if {fits.text} else set())"


def _part(sub: Any, value: str, scope: Scope, kind: str) -> str:
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
    return Condition(f"{scope.runtime_name(_TESTS[kind])}({value})")


def literal_condition(values: Sequence[Any], value: str, scope: Scope) -> Condition:
    """Return the condition that a value is one of several."""
    texts = [v for v in values if isinstance(v, str)]
    others = values if len(texts) < 2 else [v for v in values if not isinstance(v, str)]
    parts = [_one_of_texts(texts, value, scope)] if len(texts) > 1 else []
    if len(others) == 1:
        only = others[0]
        parts.append(
            type_condition("null", value, scope)
            if only is None
            else Condition(f"{scope.runtime_name('json_equal')}({value}, {python_literal(only)})")
        )
    elif others:
        parts.append(Condition(f"{scope.runtime_name('equals_one_of')}({value}, {python_literal(others)})"))
    return disjunction(parts)


def _one_of_texts(texts: list[str], value: str, scope: Scope) -> Condition:
    listed = "{" + ", ".join(python_string(text) for text in dict.fromkeys(texts)) + "}"
    return Condition(f"{scope.runtime_name('is_text')}({value}) and {value} in {listed}", Precedence.AND)


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
        f"{scope.runtime_name('is_multiple')}({value}, {python_literal(schema['multipleOf'])})"
    ),
    "minLength": length_condition(">=", "minLength"),
    "maxLength": length_condition("<=", "maxLength"),
    "pattern": lambda schema, value, scope: Condition(
        f"{scope.runtime_name('matches')}({python_string(schema['pattern'])}, {value})"
    ),
    "format": lambda schema, value, scope: Condition(
        f"{scope.runtime_name('is_format')}({python_string(schema['format'])}, {value})"
    ),
}


def _prefix_items(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    parts = []
    for i, sub in enumerate(schema["prefixItems"]):
        demand = scope.inner(f"item{i + 1}").condition(sub, f"{value}[{i}]")
        parts.append(
            TRUE if demand == TRUE else disjunction([invertible_comparison(f"len({value})", "<=", str(i)), demand])
        )
    return conjunction(parts)


def _items(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    size = len(schema.get("prefixItems", ()))
    if schema["items"] is False:
        return invertible_comparison(f"len({value})", "<=", str(size))
    item, inner = scope.inner("item").make_variable_and_scope("item")
    demand = inner.condition(schema["items"], item)
    return every_condition(demand, item, f"{value}[{size}:]" if size else value)


def _contains(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    item, inner = scope.inner("contained").make_variable_and_scope("item")
    demand = inner.condition(schema["contains"], item)
    least, most = schema.get("minContains", 1), schema.get("maxContains")
    if most is None and least == 1:
        return Condition(f"any({demand.text} for {item} in {value})")
    count = f"sum({demand.text} for {item} in {value})"
    parts = [invertible_comparison(count, ">=", python_literal(least))] if least else []
    return conjunction(
        [*parts, *([invertible_comparison(count, "<=", python_literal(most))] if most is not None else [])]
    )


def _unevaluated_items(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    item, inner = scope.inner("further").make_variable_and_scope("i")
    demand = inner.condition(schema["unevaluatedItems"], f"{value}[{item}]")
    evaluated = evaluated_items({k: v for k, v in schema.items() if k != "unevaluatedItems"}, value, scope)
    rest = f"set(range(len({value})))" + (f" - ({evaluated})" if evaluated else "")
    return empty_condition(rest) if demand == FALSE else every_condition(demand, item, rest)


def every_condition(demand: Condition, name: str, values: str) -> Condition:
    """Return the condition that each of several values satisfies a condition on a name."""
    return TRUE if demand == TRUE else Condition(f"all({demand.text} for {name} in {values})")


ARRAY_CONDITIONS: Mapping[str, KeywordCondition] = {
    "minItems": length_condition(">=", "minItems"),
    "maxItems": length_condition("<=", "maxItems"),
    "prefixItems": _prefix_items,
    "items": _items,
    "contains": _contains,
    "uniqueItems": lambda schema, value, scope: Condition(f"{scope.runtime_name('all_unique')}({value})"),
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
        key, inner = scope.inner("matching").make_variable_and_scope("key")
        match = Condition(f"{scope.runtime_name('matches')}({python_string(pattern)}, {key})")
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
    key, inner = scope.inner("further").make_variable_and_scope("key")
    parts = [comparison(key, "not in", names_expression(names))] if names else []
    parts += [negation(Condition(f"{scope.runtime_name('matches')}({python_string(p)}, {key})")) for p in patterns]
    left = conjunction(parts)
    demand = inner.condition(schema["additionalProperties"], f"{value}[{key}]")
    if demand == FALSE:
        return negation(Condition(f"any({left.text} for {key} in {value})"))
    return every_condition(demand, key, value if left == TRUE else f"{value} if {left.text}")


def _names(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    key, inner = scope.inner("name").make_variable_and_scope("key")
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
    key, inner = scope.inner("further").make_variable_and_scope("key")
    demand = inner.condition(schema["unevaluatedProperties"], f"{value}[{key}]")
    evaluated = evaluated_properties({k: v for k, v in schema.items() if k != "unevaluatedProperties"}, value, scope)
    if demand == FALSE:
        return comparison(f"{value}.keys()", "<=", f"({evaluated})") if evaluated else empty_condition(value)
    return every_condition(demand, key, f"{value}.keys() - ({evaluated})" if evaluated else value)


OBJECT_CONDITIONS: Mapping[str, KeywordCondition] = {
    "required": _required,
    "minProperties": length_condition(">=", "minProperties"),
    "maxProperties": length_condition("<=", "maxProperties"),
    "propertyNames": _names,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional,
    "dependentRequired": _dependent_required,
    "dependentSchemas": _dependent_schemas,
    "unevaluatedProperties": _unevaluated_properties,
}
