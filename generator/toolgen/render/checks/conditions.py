"""The condition of a whole schema, or of some keywords of it.

A schema that is light is written out in place, one that is heavy becomes a function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from toolgen.plan.assertions import FAMILIES, asserted
from toolgen.render.checks.expressions import FALSE, TRUE, Binding, Condition, Scope, compared, every, opposite, some
from toolgen.render.checks.keywords import (
    ARRAY_CONDITIONS,
    OBJECT_CONDITIONS,
    SCALAR_CONDITIONS,
    literal_condition,
    test_of,
)
from toolgen.resolve.places import subschemas

LIGHT = 4
"""The weight that is written out."""


def weight(schema: Any) -> int:
    """The keywords that refuse values in a schema and in those inside it; more than `LIGHT` are not counted."""
    total, stack = 0, [schema]
    while stack and total <= LIGHT:
        here = stack.pop()
        if isinstance(here, Mapping):
            total += len(asserted(here)) + len(here.get("required", ())) // 3
            stack.extend(sub for _, sub in subschemas(here))
    return total


_OF_FAMILY = {**SCALAR_CONDITIONS, **ARRAY_CONDITIONS, **OBJECT_CONDITIONS}
_FAMILY_OF = {keyword: kind for kind, family in FAMILIES.items() for keyword in family}


def condition_of(schema: Any, value: str, scope: Scope) -> Condition:
    """Whether a value satisfies a schema; a heavy schema is judged by a function."""
    if not isinstance(schema, Mapping):
        return FALSE if schema is False else TRUE
    if weight(schema) > LIGHT:
        return Condition(f"{scope.functions.judge(schema, scope)}({value})")
    return whole_condition(schema, value, scope)


def whole_condition(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    """Whether a value satisfies a schema, written out."""
    keywords = asserted(schema)
    if "type" not in keywords:
        return every(keyword_condition(schema, keyword, value, scope, guarded=True) for keyword in keywords)
    by_type = _typed(schema, keywords, value, scope)
    rest = [k for k in keywords if k != "type" and k not in _FAMILY_OF]
    return every([by_type, *(keyword_condition(schema, k, value, scope, guarded=True) for k in rest)])


def _typed(schema: Mapping[str, Any], keywords: tuple[str, ...], value: str, scope: Scope) -> Condition:
    """Whether a value has one of the types, and what the keywords of that type demand."""
    named = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if "number" in named:
        named = [t for t in named if t != "integer"]
    alternatives = []
    for kind in dict.fromkeys(named):
        family = FAMILIES.get("number" if kind == "integer" else kind, ())
        demands = [keyword_condition(schema, k, value, scope, guarded=False) for k in keywords if k in family]
        alternatives.append(every([test_of(kind, value, scope), *demands]))
    return some(alternatives)


def keyword_condition(schema: Mapping[str, Any], keyword: str, value: str, scope: Scope, *, guarded: bool) -> Condition:
    """Whether a value satisfies one keyword of a schema; `guarded` where it may be of a type that this one passes."""
    family = _FAMILY_OF.get(keyword)
    if family is None:
        return _GENERAL[keyword](schema, value, scope)
    demand = _OF_FAMILY[keyword](schema, value, scope, condition_of)
    return some([opposite(test_of(family, value, scope)), demand]) if guarded else demand


def _type(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    named = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return some(test_of(kind, value, scope) for kind in named)


def _const(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    return literal_condition([schema["const"]], value, scope)


def _enum(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    return literal_condition(schema["enum"], value, scope)


def _ref(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    return Condition(f"{scope.functions.target(schema['$ref'], scope)}({value})")


def _all_of(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    return every(_members(schema, "allOf", value, scope))


def _any_of(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    return some(_members(schema, "anyOf", value, scope))


def _one_of(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    members = [member for member in _members(schema, "oneOf", value, scope) if member != FALSE]
    if TRUE in members:
        return FALSE if members.count(TRUE) > 1 else every(opposite(m) for m in members if m != TRUE)
    if len(members) < 2:
        return members[0] if members else FALSE
    if len(members) == 2:
        return compared(members[0].within(Binding.ATOM), "!=", members[1].within(Binding.ATOM))
    return compared(f"sum([{', '.join(member.text for member in members)}])", "==", "1")


def _members(schema: Mapping[str, Any], keyword: str, value: str, scope: Scope) -> list[Condition]:
    """The conditions of schemas in a list; those that stand there twice count twice."""
    names = {"allOf": "part", "anyOf": "option", "oneOf": "option"}
    return [condition_of(sub, value, scope.inside(f"{names[keyword]}{i}")) for i, sub in enumerate(schema[keyword], 1)]


def _not(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    return opposite(condition_of(schema["not"], value, scope.inside("not")))


def _if(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    given = condition_of(schema["if"], value, scope.inside("if"))
    then = condition_of(schema.get("then", True), value, scope.inside("then"))
    other = condition_of(schema.get("else", True), value, scope.inside("else"))
    if then == other:
        return then
    if other == TRUE:
        return some([opposite(given), then])
    if then == TRUE:
        return some([given, other])
    return Condition(f"({then.text} if {given.text} else {other.text})")


_GENERAL: Mapping[str, Callable[[Mapping[str, Any], str, Scope], Condition]] = {
    "type": _type,
    "const": _const,
    "enum": _enum,
    "$ref": _ref,
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
    "if": _if,
}
