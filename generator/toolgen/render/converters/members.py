"""What a provider's class and its module consist of, and the methods that choose among objects of several shapes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from toolgen.plan.mapping_plans import MemberPlan, UnionPlan
from toolgen.plan.provider import ClassFact, ProviderPlan, converter_class
from toolgen.render.converters.code import Method, Statement, block, call, get
from toolgen.render.converters.lists import read_items, write_items
from toolgen.render.converters.objects import read_shape, write_shape
from toolgen.render.converters.usage import known_counts, read_usage, write_usage
from toolgen.render.literals import python_literal, python_string


def read_union(union: UnionPlan) -> Method:
    """The method that reads an object by its shape."""
    members = [_kind(union)] if union.by or union.tag else []
    return Method(
        f"read_{union.name}",
        ("wire: Any", "at: Path", "reader: Reader"),
        " | ".join(union.types),
        "Read one of several objects. Any other value becomes an opaque part.",
        (
            block("if type(wire) is dict", *members, *(_read_member(member) for member in union.members)),
            "return OpaquePart(reader.wire.name, wire)",
        ),
    )


def _kind(union: UnionPlan) -> str:
    return f"kind = {call(union.by, 'wire') if union.by else get('wire', union.tag)}"


def _read_member(member: MemberPlan) -> Statement:
    read = f"return self.read_{member.shape}(wire, at, reader)"
    if member.word is None:
        return read
    word = python_string(member.word)
    test = f"kind in ({word}, None)" if member.may_lack_tag else f"kind == {word}"
    if member.needs:
        test += f" and {call('has_value_at', 'wire', *map(python_string, member.needs))}"
    return block(f"if {test}", read)


def write_union(union: UnionPlan, *, rejects: bool) -> Method:
    """The method that writes a value by its type; `rejects` where the API refuses what its relatives take."""
    return Method(
        f"write_{union.name}",
        ("value: Any", "at: Path", "writer: Writer"),
        "Any",
        "Write one of several values. An unsupported value is reported.",
        tuple(_write_union(union, rejects)),
    )


def _write_union(union: UnionPlan, rejects: bool) -> Iterator[Statement]:
    for member in union.members:
        yield block(f"if type(value) is {member.type}", f"return self.write_{member.shape}(value, at, writer)")
    ours = "type(value) is OpaquePart and value.provider == writer.wire.name"
    yield block(f"if {ours} and writer.accepts(value.value)" if rejects else f"if {ours}", "return value.value")
    text = next((member.shape for member in union.members if member.type == "TextPart"), None)
    if text is not None and "ContentPart" in union.types:
        yield f"return self.write_{text}(writer.described(value, at), at, writer)"
        return
    yield 'writer.report_unsupported(at, writer.kind_of(value), "warning")'
    yield "return ABSENT"


@dataclass(frozen=True, slots=True)
class WireClass:
    """A provider's class as it is printed: its bases, its attributes and methods, and the constants that these use.

    `converter` is the class of its API, which is the only base unless it is derived from another provider's class.

    Each is held by its name, as Python text; a method as a tree of statements.
    """

    name: str
    converter: str
    bases: tuple[str, ...]
    constants: Mapping[str, str]
    attributes: Mapping[str, str]
    methods: Mapping[str, Method]

    def derived_from(self, parent: WireClass) -> WireClass | None:
        """This class as a subclass of another one, with what differs; None where it would behave otherwise so.

        That is where the other class has attributes that this one lacks, or of another type, or is of an API that this
        one's is not based on. A method that this one lacks is called by none of its methods.
        """
        own, other = converter_class(self.converter), converter_class(parent.converter)
        overridden = {name for base in own.__mro__ if base not in other.__mro__ for name in vars(base)}
        if not issubclass(own, other) or not overridden.isdisjoint([*parent.attributes, *parent.methods]):
            return None
        if not parent.attributes.keys() <= self.attributes.keys():
            return None
        untyped = [name for name, text in self.attributes.items() if text.startswith(f"{name} =")]
        if any(parent.attributes.get(name, self.attributes[name]) != self.attributes[name] for name in untyped):
            return None
        changed = {
            name
            for name in (*self.constants, *parent.constants)
            if self.constants.get(name) != parent.constants.get(name)
        }
        attributes = {
            name: text
            for name, text in self.attributes.items()
            if text != parent.attributes.get(name) or not changed.isdisjoint(_names(text))
        }
        methods = {
            name: method
            for name, method in self.methods.items()
            if method != parent.methods.get(name) or not changed.isdisjoint(_names(*method.lines))
        }
        used = _names(*attributes.values(), *(line for method in methods.values() for line in method.lines))
        constants = {name: text for name, text in self.constants.items() if name in used}
        bases = (parent.name,) if own is other else (self.converter, parent.name)
        return WireClass(self.name, self.converter, bases, constants, attributes, methods)


def wire_class(plan: ProviderPlan) -> WireClass:
    """The class of a provider, on the class of its API."""
    converter = str(plan.facts["converter"])
    return WireClass(
        plan.class_name,
        converter,
        (converter,),
        dict(_constants(plan)),
        {fact.name: _attribute(fact) for fact in plan.class_facts},
        {method.name: method for method in _methods(plan)},
    )


def _names(*texts: str) -> set[str]:
    """The words in texts that may be names of constants."""
    return {word for text in texts for word in re.findall(r"\b_[A-Z][A-Z0-9_]*", text)}


def _constants(plan: ProviderPlan) -> Iterator[tuple[str, str]]:
    """The module's constants: the keys of each object that are known, and the tables of readers and writers."""
    for shape in plan.shapes.values():
        yield from ((name, f"{name}: frozenset[str] = {_frozenset(keys)}") for name, keys in shape.known.items())
        yield from (
            (f"{name}_LEAST", f"{name}_LEAST: frozenset[str] = {_frozenset(keys)}")
            for name, keys in shape.least.items()
        )
    for name, table in plan.tables.items():
        kind = "list[str]" if isinstance(table, list) else "dict[str, Any]"
        yield name, f"{name}: {kind} = {python_literal(table)}"
    if plan.usage is not None:
        for holder, keys in plan.usage.known.items():
            yield known_counts(holder), f"{known_counts(holder)} = {_frozenset(keys)}"


def _attribute(fact: ClassFact) -> str:
    """An attribute, as the class of the API declares it."""
    return f"{fact.name}{f': {fact.annotation}' if fact.annotation else ''} = {_value(fact)}"


def _methods(plan: ProviderPlan) -> Iterator[Method]:
    """The class's methods: two for the usage, and two for each union, array and shape, one a direction."""
    if plan.usage is not None:
        yield from (read_usage(plan.usage), write_usage(plan.usage))
    for union in plan.unions.values():
        yield from (read_union(union), write_union(union, rejects="rejects" in plan.facts))
    for each in plan.lists.values():
        if "read" in each.directions:
            yield read_items(each)
        if "write" in each.directions:
            yield write_items(each)
    for shape in plan.shapes.values():
        yield from (read_shape(shape, says_strict=plan.says_strict), write_shape(shape))


def _frozenset(keys: Iterable[str]) -> str:
    return call("frozenset", python_literal(list(keys)))


def _value(fact: ClassFact) -> str:
    if not fact.call:
        return fact.reference or python_literal(fact.arguments[0])
    keywords = (f"{name}={python_literal(value)}" for name, value in fact.keywords.items())
    return call(fact.call, *map(python_literal, fact.arguments), *keywords)
