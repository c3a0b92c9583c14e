"""The functions of a module that check values: one for each check of the plan, and those that they call.

A light schema is written inline as a condition, a heavy one becomes a function. An operand that cannot change a
condition is not printed, so functions that only it would call are left out.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from toolgen.plan.assertion_keywords import FAMILIES, FAMILY_OF, asserted_keywords, list_declared_types
from toolgen.plan.classes import Check
from toolgen.render.checks.expressions import (
    FALSE,
    TRUE,
    Condition,
    Precedence,
    Scope,
    comparison,
    conjunction,
    disjunction,
    negation,
)
from toolgen.render.checks.keywords import (
    ARRAY_CONDITIONS,
    OBJECT_CONDITIONS,
    SCALAR_CONDITIONS,
    EvaluatedKind,
    KeywordCondition,
    evaluated_items,
    evaluated_properties,
    literal_condition,
    type_condition,
)
from toolgen.render.checks.messages import expectation_text
from toolgen.render.literals import python_string
from toolgen.resolve.identifiers import distinct_name, identifier_words
from toolgen.resolve.references import reachable
from toolgen.resolve.schema_locations import PREFIX, find_target, stated_types, subschemas

LIGHT = 4
"""The largest cost of a schema that is written inline."""


def inline_cost(schema: Any) -> int:
    """Return how many keywords of a schema and its subschemas can refuse values; counting stops above `LIGHT`."""
    total, stack = 0, [schema]
    while stack and total <= LIGHT:
        part = stack.pop()
        if isinstance(part, Mapping):
            total += len(asserted_keywords(part)) + len(part.get("required", ())) // 3
            stack.extend(sub for _, sub in subschemas(part))
    return total


def inline_condition(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    """Return the condition that a value satisfies a schema, written inline."""
    keywords = asserted_keywords(schema)
    if "type" not in keywords:
        return conjunction(
            keyword_condition(schema, keyword, value, scope, with_type_guard=True) for keyword in keywords
        )
    by_type = _typed(schema, keywords, value, scope)
    for_any_type = [k for k in keywords if k != "type" and k not in FAMILY_OF]
    demands = (keyword_condition(schema, k, value, scope, with_type_guard=True) for k in for_any_type)
    return conjunction([by_type, *demands])


def _typed(schema: Mapping[str, Any], keywords: tuple[str, ...], value: str, scope: Scope) -> Condition:
    """Return the condition that a value has one of the types and satisfies the keywords of that type."""
    types = stated_types(schema)
    if "number" in types:
        types = [t for t in types if t != "integer"]
    alternatives = []
    for kind in dict.fromkeys(types):
        family = FAMILIES.get("number" if kind == "integer" else kind, ())
        demands = [keyword_condition(schema, k, value, scope, with_type_guard=False) for k in keywords if k in family]
        alternatives.append(conjunction([type_condition(kind, value, scope), *demands]))
    return disjunction(alternatives)


def keyword_condition(
    schema: Mapping[str, Any], keyword: str, value: str, scope: Scope, *, with_type_guard: bool
) -> Condition:
    """Return the condition of one keyword; `with_type_guard` if it does not apply to every type that the value may have."""
    demand = _CONDITIONS[keyword](schema, value, scope)
    family = FAMILY_OF.get(keyword)
    if family is None or not with_type_guard:
        return demand
    return disjunction([negation(type_condition(family, value, scope)), demand])


def _type(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    return disjunction(type_condition(kind, value, scope) for kind in stated_types(schema))


def _one_of(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    """Return the condition that exactly one member holds. Members that always or never hold are not printed."""
    members = [member for member in _members(schema, "oneOf", value, scope) if member != FALSE]
    if TRUE in members:
        return FALSE if members.count(TRUE) > 1 else conjunction(negation(m) for m in members if m != TRUE)
    if len(members) < 2:
        return members[0] if members else FALSE
    if len(members) == 2:
        return comparison(members[0].as_operand(Precedence.ATOM), "!=", members[1].as_operand(Precedence.ATOM))
    return comparison(f"sum([{', '.join(member.text for member in members)}])", "==", "1")


def _members(schema: Mapping[str, Any], keyword: str, value: str, scope: Scope) -> list[Condition]:
    """Return the condition of each schema in a list; duplicates are kept."""
    names = {"allOf": "part", "anyOf": "option", "oneOf": "option"}
    return [scope.inner(f"{names[keyword]}{i}").condition(sub, value) for i, sub in enumerate(schema[keyword], 1)]


def _if(schema: Mapping[str, Any], value: str, scope: Scope) -> Condition:
    """Return the condition of `if`, `then` and `else`, as simple as its parts allow."""
    premise = scope.inner("if").condition(schema["if"], value)
    consequence = scope.inner("then").condition(schema.get("then", True), value)
    alternative = scope.inner("else").condition(schema.get("else", True), value)
    if consequence == alternative:
        return consequence
    if alternative == TRUE:
        return disjunction([negation(premise), consequence])
    if consequence == TRUE:
        return disjunction([premise, alternative])
    return Condition(f"({consequence.text} if {premise.text} else {alternative.text})")


_CONDITIONS: Mapping[str, KeywordCondition] = {
    "type": _type,
    "const": lambda schema, value, scope: literal_condition([schema["const"]], value, scope),
    "enum": lambda schema, value, scope: literal_condition(schema["enum"], value, scope),
    "$ref": lambda schema, value, scope: Condition(
        f"{scope.functions.referenced_validator_name(schema['$ref'], scope)}({value})"
    ),
    "allOf": lambda schema, value, scope: conjunction(_members(schema, "allOf", value, scope)),
    "anyOf": lambda schema, value, scope: disjunction(_members(schema, "anyOf", value, scope)),
    "oneOf": _one_of,
    "not": lambda schema, value, scope: negation(scope.inner("not").condition(schema["not"], value)),
    "if": _if,
    **SCALAR_CONDITIONS,
    **ARRAY_CONDITIONS,
    **OBJECT_CONDITIONS,
}


def count_names(expressions: Iterable[str]) -> Counter[str]:
    """Count how often expressions use each name."""
    nodes = (node for text in expressions for node in ast.walk(ast.parse(text, mode="eval")))
    return Counter(node.id for node in nodes if isinstance(node, ast.Name))


class CheckStep(NamedTuple):
    """A condition under which a value is refused, and the expression of what was expected."""

    condition: str
    expectation: str


@dataclass(frozen=True, slots=True)
class CheckFunction:
    """A function to print: `returns` is the type of its result. If no condition of a step holds, `result` is returned."""

    name: str
    doc: str
    returns: str
    result: str
    steps: tuple[CheckStep, ...] = ()
    memoized: bool = False


FunctionKind = Literal["is", "evaluated_properties", "evaluated_items"]
"""What a function that a check calls does: test a value, or collect what a schema has evaluated of it."""


class WaitingFunction(NamedTuple):
    """A function that is called, and not made yet."""

    kind: FunctionKind
    name: str
    schema: Any
    scope: Scope


class Target(NamedTuple):
    """The target of a reference: the name of the definition, and its schema."""

    key: str
    schema: Any


@dataclass(slots=True)
class CheckFunctionCollector:
    """Collects the functions of one module. `uses` are the names of the runtime that they call."""

    uses: set[str] = field(default_factory=set)
    _functions: list[CheckFunction] = field(default_factory=list)
    _names: set[str] = field(default_factory=set)
    _called_names: dict[tuple[FunctionKind, int], str] = field(default_factory=dict)
    _called_schemas: list[Any] = field(default_factory=list)
    _waiting: list[WaitingFunction] = field(default_factory=list)

    def add_check(self, name: str, check: Check) -> str | None:
        """Add the function that describes what was expected instead of a value of `name`, and return its name.

        Return None if every value fits.
        """
        function = self._new_name("check", name)
        scope = Scope(check.root, self, (name,))
        steps: list[CheckStep] = []
        result = "None"
        schema = check.schema if isinstance(check.schema, Mapping) else {"not": True}
        types = list_declared_types(schema)
        for keyword in check.keywords:
            is_for_all = types is not None and len(set(types)) == 1 and keyword in FAMILIES.get(types[0], ())
            fits = keyword_condition(schema, keyword, "value", scope, with_type_guard=not is_for_all)
            expectation = python_string(expectation_text(schema, keyword, check.root))
            if fits == FALSE:
                result = expectation
                break
            if fits != TRUE:
                steps.append(CheckStep(negation(fits).text, expectation))
        if not steps and result == "None":
            return None
        same = next((f for f in self._functions if (f.steps, f.result) == (tuple(steps), result)), None)
        if same is not None:
            return same.name
        self._make_waiting_functions()
        doc = f"Describe what was expected instead of a value of {name}; None if it fits."
        self._functions.append(CheckFunction(function, doc, "str | None", result, tuple(steps)))
        return function

    def functions(self) -> list[CheckFunction]:
        """Return the functions, each before those that call it except in cycles."""
        names = {
            function.name: count_names([*(step.condition for step in function.steps), function.result])
            for function in self._functions
        }
        checks = [function.name for function in self._functions if function.returns == "str | None"]
        needed = reachable(checks, lambda name: [called for called in names[name] if called in names])
        calls = sum((names[name] for name in needed), Counter[str]())
        functions = [
            replace(function, memoized=function.returns == "bool" and calls[function.name] > 1)
            for function in self._functions
            if function.name in needed
        ]
        self.uses &= calls.keys()
        if any(function.memoized for function in functions):
            self.uses.add("memoized")
        return functions

    def condition(self, schema: Any, value: str, scope: Scope) -> Condition:
        """Return the condition that a value satisfies a schema; for a heavy schema, a call of a function."""
        if not isinstance(schema, Mapping):
            return FALSE if schema is False else TRUE
        if inline_cost(schema) > LIGHT:
            return Condition(f"{self._called_name('is', schema, scope)}({value})")
        return inline_condition(schema, value, scope)

    def referenced_validator_name(self, ref: str, scope: Scope) -> str:
        """Return the name of the function that checks values against the target of a reference."""
        key, schema = self._target(ref, scope)
        return self._called_name("is", schema, Scope(scope.root, self, (key,)))

    def evaluated_collector_name(self, schema: Any, scope: Scope, kind: EvaluatedKind) -> str:
        """Return the name of the function that collects what a schema, or the target of a reference, has evaluated."""
        if isinstance(schema, str):
            key, schema = self._target(schema, scope)
            scope = Scope(scope.root, self, (key,))
        return self._called_name("evaluated_items" if kind == "items" else "evaluated_properties", schema, scope)

    def _target(self, ref: str, scope: Scope) -> Target:
        """Follow a reference, past schemas that are only references, and return the key and schema of its target."""
        while True:
            key = ref.removeprefix(PREFIX) if ref.startswith(PREFIX) else "root"
            schema = find_target(ref, scope.root)
            if asserted_keywords(schema) != ("$ref",):
                return Target(key, schema)
            ref = schema["$ref"]

    def _called_name(self, kind: FunctionKind, schema: Any, scope: Scope) -> str:
        """Return the name of the function of this kind for a schema. Its first call makes it wait for being made."""
        key = kind, id(schema)
        if key not in self._called_names:
            self._called_schemas.append(schema)  # keeps its identity, which is its key, from being reused
            self._called_names[key] = self._new_name(kind, *scope.names)
            self._waiting.append(WaitingFunction(kind, self._called_names[key], schema, scope))
        return self._called_names[key]

    def _make_waiting_functions(self) -> None:
        """Make the functions that are still waiting, and those that these call."""
        functions = []
        while self._waiting:
            waiting = self._waiting.pop()
            scope = Scope(waiting.scope.root, self, waiting.scope.names)
            functions.append(_make_function(waiting.kind, waiting.name, waiting.schema, scope))
        self._functions += reversed(functions)

    def _new_name(self, kind: str, *names: str) -> str:
        """Return a name for a function that no other of the module has."""
        words = "_".join(identifier_words("_".join(names))).lower()[:60].strip("_") or "value"
        name = distinct_name(f"_{kind}_{words}", self._names, lambda n: f"_{kind}_{words}_{n}")
        self._names.add(name)
        return name


def _make_function(kind: FunctionKind, name: str, schema: Any, scope: Scope) -> CheckFunction:
    """Return the function of this kind for a schema."""
    location = " ".join(identifier_words(" ".join(scope.names))) or "a value"
    if kind == "is":
        if not isinstance(schema, Mapping):
            schema = {"not": True} if schema is False else {}
        fits = inline_condition(schema, "value", scope)
        text = f"bool({fits.text})" if fits.precedence is Precedence.COMPARED else fits.text
        return CheckFunction(name, f"Check a value against its schema: {location}.", "bool", text)
    doc = f"Collect what a schema has evaluated: {location}."
    if kind == "evaluated_properties":
        return CheckFunction(name, doc, "set[str]", evaluated_properties(schema, "value", scope) or "set[str]()")
    return CheckFunction(name, doc, "set[int]", evaluated_items(schema, "value", scope) or "set[int]()")
