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
    "boolean": "is_boolean",
    "integer": "is_integer",
    "null": "is_null",
    "number": "is_number",
    "object": "is_object",
    "string": "is_text",
}


def test_of(kind: str, value: str, scope: Scope) -> Condition:
    """Whether a value is of a type."""
    return Condition(f"{scope.using(_TESTS[kind])}({value})")


def literal_condition(values: Sequence[Any], value: str, scope: Scope) -> Condition:
    """Whether a value is one of several."""
    texts = [v for v in values if isinstance(v, str)]
    others = values if len(texts) < 2 else [v for v in values if not isinstance(v, str)]
    parts = [_one_of_texts(texts, value, scope)] if len(texts) > 1 else []
    if len(others) == 1:
        only = others[0]
        parts.append(
            test_of("null", value, scope)
            if only is None
            else Condition(f"{scope.using('equal')}({value}, {python_literal(only)})")
        )
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
