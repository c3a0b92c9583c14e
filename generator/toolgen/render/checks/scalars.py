"""Conditions of types, numbers, texts and constants."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toolgen.render.checks.condition import Binding, Condition, bounded, compared, some
from toolgen.render.checks.scope import Scope
from toolgen.render.literals import python_literal, python_string

Of = Callable[[Any, str, Scope], Condition]
"""The condition of a schema inside the one whose keyword is at hand."""

Conditions = Mapping[str, Callable[[Mapping[str, Any], str, Scope, Of], Condition]]

_TESTS = {
    "array": "is_array",
    "integer": "is_integer",
    "number": "is_number",
    "object": "is_object",
    "string": "is_text",
}


def test_of(kind: str, value: str, scope: Scope) -> Condition:
    """Whether a value is of a type."""
    if kind == "null":
        return compared(value, "is", "None")
    if kind == "boolean":
        return Condition(f"isinstance({value}, bool)")
    return Condition(f"{scope.using(_TESTS[kind])}({value})")


def literal_condition(values: Sequence[Any], value: str, scope: Scope) -> Condition:
    """Whether a value is one of several."""
    plain = [v for v in values if isinstance(v, str)]
    parts: list[Condition] = []
    if len(plain) == 1:
        parts.append(compared(value, "==", python_string(plain[0])))
    elif plain:
        parts.append(_one_of_texts(plain, value, scope))
    if None in values:
        parts.append(compared(value, "is", "None"))
    parts += [compared(value, "is", str(v)) for v in (True, False) if any(v is other for other in values)]
    others = [v for v in values if not isinstance(v, str | bool) and v is not None]
    if len(others) == 1:
        parts.append(Condition(f"{scope.using('equal')}({value}, {python_literal(others[0])})"))
    elif others:
        parts.append(Condition(f"{scope.using('listed')}({value}, {python_literal(others)})"))
    return some(parts)


def _one_of_texts(texts: list[str], value: str, scope: Scope) -> Condition:
    listed = "{" + ", ".join(python_string(text) for text in dict.fromkeys(texts)) + "}"
    return Condition(f"{scope.using('is_text')}({value}) and {value} in {listed}", Binding.AND)


def _bound(sign: str, keyword: str) -> Callable[[Mapping[str, Any], str, Scope, Of], Condition]:
    def condition(schema: Mapping[str, Any], value: str, scope: Scope, of: Of) -> Condition:
        return compared(value, sign, python_literal(schema[keyword]))

    return condition


def counted(sign: str, keyword: str) -> Callable[[Mapping[str, Any], str, Scope, Of], Condition]:
    """The condition of a bound on a length."""

    def condition(schema: Mapping[str, Any], value: str, scope: Scope, of: Of) -> Condition:
        return bounded(f"len({value})", sign, python_literal(schema[keyword]))

    return condition


def _multiple(schema: Mapping[str, Any], value: str, scope: Scope, of: Of) -> Condition:
    return Condition(f"{scope.using('is_multiple')}({value}, {python_literal(schema['multipleOf'])})")


def _pattern(schema: Mapping[str, Any], value: str, scope: Scope, of: Of) -> Condition:
    return Condition(f"{scope.using('matches')}({python_string(schema['pattern'])}, {value})")


SCALAR_CONDITIONS: Conditions = {
    "minimum": _bound(">=", "minimum"),
    "maximum": _bound("<=", "maximum"),
    "exclusiveMinimum": _bound(">", "exclusiveMinimum"),
    "exclusiveMaximum": _bound("<", "exclusiveMaximum"),
    "multipleOf": _multiple,
    "minLength": counted(">=", "minLength"),
    "maxLength": counted("<=", "maxLength"),
    "pattern": _pattern,
}
