"""What a provider's class and its module consist of, besides the facts that the class is given as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolgen.plan.provider import ClassFact, ProviderPlan
from toolgen.render.converters.code import Method, call
from toolgen.render.converters.reading import read_shape
from toolgen.render.converters.unions import read_union, write_union
from toolgen.render.converters.usage import known_counts, read_usage, write_usage
from toolgen.render.converters.writing import write_shape
from toolgen.render.literals import python_literal


def constants(plan: ProviderPlan) -> Iterator[str]:
    """The module's constants: the keys of each object that are known, and the tables of codecs."""
    for shape in plan.shapes.values():
        yield from (f"{name}: frozenset[str] = {_frozenset(keys)}" for name, keys in shape.known.items())
        yield from (f"{name}_LEAST: frozenset[str] = {_frozenset(keys)}" for name, keys in shape.least.items())
    for name, table in plan.tables.items():
        yield f"{name}: {'list[str]' if isinstance(table, list) else 'dict[str, Any]'} = {python_literal(table)}"
    if plan.usage is not None:
        yield from (f"{known_counts(holder)} = {_frozenset(keys)}" for holder, keys in plan.usage.known.items())


def attributes(plan: ProviderPlan) -> Iterator[str]:
    """The class's attributes, as the class of the API declares them."""
    for fact in plan.class_facts:
        yield f"{fact.name}{f': {fact.annotation}' if fact.annotation else ''} = {_value(fact)}"


def methods(plan: ProviderPlan) -> Iterator[Method]:
    """The class's methods: two for the usage, and two for each union and each shape, one a direction."""
    if plan.usage is not None:
        yield from (read_usage(plan.usage), write_usage(plan.usage))
    for union in plan.unions.values():
        yield from (read_union(union), write_union(union, rejects="rejects" in plan.facts))
    for shape in plan.shapes.values():
        yield from (read_shape(shape, says_strict=plan.says_strict), write_shape(shape))


def _frozenset(keys: Iterable[str]) -> str:
    return call("frozenset", python_literal(list(keys)))


def _value(fact: ClassFact) -> str:
    if not fact.call:
        return fact.reference or python_literal(fact.arguments[0])
    keywords = (f"{name}={python_literal(value)}" for name, value in fact.keywords.items())
    return call(fact.call, *map(python_literal, fact.arguments), *keywords)
