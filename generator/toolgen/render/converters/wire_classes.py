"""A provider's class and its module, and the methods for unions, whose objects have several mappings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from toolgen.plan.mapping_plans import MemberPlan, UnionPlan
from toolgen.plan.provider import ClassAttribute, ProviderPlan, import_converter_class
from toolgen.render.converters.code import Method, Statement, block, call, get
from toolgen.render.converters.objects import reader_method, writer_method
from toolgen.render.literals import python_literal, python_string


def union_reader_method(union: UnionPlan) -> Method:
    """Return the method that reads an object by its mapping."""
    kind = f"kind = {call(union.by, 'wire') if union.by else get('wire', union.tag)}"
    members = [kind] if union.by or union.tag else []
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


def _read_member(member: MemberPlan) -> Statement:
    read = f"return self.read_{member.mapping}(wire, at, reader)"
    if member.value is None:
        return read
    value = python_string(member.value)
    test = f"kind in ({value}, None)" if member.may_lack_tag else f"kind == {value}"
    if member.needs:
        test += f" and {call('has_value_at', 'wire', *map(python_string, member.needs))}"
    return block(f"if {test}", read)


def union_writer_method(union: UnionPlan, *, rejects: bool) -> Method:
    """Return the method that writes a value by its type; `rejects` if the API refuses what related APIs accept."""
    return Method(
        f"write_{union.name}",
        ("value: Any", "at: Path", "writer: Writer"),
        "Any",
        "Write one of several values. An unsupported value is reported.",
        tuple(_write_union(union, rejects)),
    )


def _write_union(union: UnionPlan, rejects: bool) -> Iterator[Statement]:
    for member in union.members:
        yield block(f"if type(value) is {member.type}", f"return self.write_{member.mapping}(value, at, writer)")
    ours = "type(value) is OpaquePart and value.provider == writer.wire.name"
    yield block(f"if {ours} and writer.is_accepted(value.value)" if rejects else f"if {ours}", "return value.value")
    text = next((member.mapping for member in union.members if member.type == "TextPart"), None)
    if text is not None and "ContentPart" in union.types:
        yield f"return self.write_{text}(writer.describe_part(value, at), at, writer)"
        return
    yield 'writer.report_unsupported(at, writer.part_class_name(value, at), "warning")'
    yield "return ABSENT"


@dataclass(frozen=True, slots=True)
class WireClass:
    """A provider's class to print: its bases, attributes and methods, and the constants that they use.

    `converter` is the class of its API: the only base, unless this class is derived from another provider's class.

    Constants, attributes and methods are stored by name: Python text, or a tree of statements for a method.
    """

    name: str
    converter: str
    bases: tuple[str, ...]
    constants: Mapping[str, str]
    attributes: Mapping[str, str]
    methods: Mapping[str, Method]

    def derived_from(self, parent: WireClass) -> WireClass | None:
        """Return this class as a subclass of another one, with only what differs; None if it would behave differently.

        It would if the other class has attributes that this one lacks or has with another type, or if the API of this
        one is not based on that of the other. Methods of the other class that this one lacks are never called.
        """
        own, other = import_converter_class(self.converter), import_converter_class(parent.converter)
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
            if method != parent.methods.get(name) or not changed.isdisjoint(_names(*method.body_lines))
        }
        used = _names(*attributes.values(), *(line for method in methods.values() for line in method.body_lines))
        constants = {name: text for name, text in self.constants.items() if name in used}
        bases = (parent.name,) if own is other else (self.converter, parent.name)
        return WireClass(self.name, self.converter, bases, constants, attributes, methods)


def wire_class(plan: ProviderPlan) -> WireClass:
    """Return the class of a provider, derived from the class of its API."""
    converter = str(plan.facts["converter"])
    return WireClass(
        plan.class_name,
        converter,
        (converter,),
        dict(_constants(plan)),
        {fact.name: _attribute(fact) for fact in plan.class_attributes},
        {method.name: method for method in _methods(plan)},
    )


def _names(*texts: str) -> set[str]:
    """Return the words in texts that may be names of constants."""
    return {name for text in texts for name in re.findall(r"\b_[A-Z][A-Z0-9_]*", text)}


def _constants(plan: ProviderPlan) -> Iterator[tuple[str, str]]:
    """Yield the constants of the module: the known keys of each object, and the tables of field readers and writers."""
    for mapping in plan.mappings.values():
        yield from ((name, f"{name}: frozenset[str] = {_frozenset(keys)}") for name, keys in mapping.known.items())
    for name, table in plan.tables.items():
        kind = "list[str]" if isinstance(table, list) else "dict[str, Any]"
        yield name, f"{name}: {kind} = {python_literal(table)}"


def _attribute(fact: ClassAttribute) -> str:
    """Return an attribute with the type that the class of the API declares."""
    return f"{fact.name}{f': {fact.annotation}' if fact.annotation else ''} = {_value(fact)}"


def _methods(plan: ProviderPlan) -> Iterator[Method]:
    """Yield the methods of the class: one per direction for each union and mapping."""
    for union in plan.unions.values():
        yield from (union_reader_method(union), union_writer_method(union, rejects="rejects" in plan.facts))
    for mapping in plan.mappings.values():
        yield from (reader_method(mapping), writer_method(mapping))


def _frozenset(keys: Iterable[str]) -> str:
    return call("frozenset", python_literal(list(keys)))


def _value(fact: ClassAttribute) -> str:
    if not fact.call:
        return fact.reference or python_literal(fact.arguments[0])
    keywords = (f"{name}={python_literal(value)}" for name, value in fact.keywords.items())
    return call(fact.call, *map(python_literal, fact.arguments), *keywords)
