"""A provider's class and its module, and the methods for unions, whose objects have several mappings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from toolgen.plan.mapping_plans import MemberPlan, UnionPlan
from toolgen.plan.provider import ClassAttribute, ProviderPlan, declared_attributes, import_converter_class
from toolgen.render.converters.code import Method, Statement, block, call, call_by_line, get
from toolgen.render.converters.objects import reader_method, writer_method
from toolgen.render.literals import python_literal, python_string
from toolgen_runtime.json_values import apply_merge_patch, same_json


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


def union_writer_method(union: UnionPlan) -> Method:
    """Return the method that writes a value by its type."""
    return Method(
        f"write_{union.name}",
        ("value: Any", "at: Path", "writer: Writer"),
        "Any",
        "Write one of several values. An unsupported value is reported.",
        tuple(_write_union(union)),
    )


def _write_union(union: UnionPlan) -> Iterator[Statement]:
    for member in union.members:
        yield block(f"if type(value) is {member.type}", f"return self.write_{member.mapping}(value, at, writer)")
    yield block("if type(value) is OpaquePart and writer.is_sendable(value)", "return value.value")
    text = next((member.mapping for member in union.members if member.type == "TextPart"), None)
    if text is not None and "ContentPart" in union.types:
        yield f"return self.write_{text}(writer.describe_part(value, at), at, writer)"
        return
    yield 'writer.report_unsupported(at, writer.part_class_name(value, at), "warning")'
    yield "return ABSENT"


@dataclass(frozen=True, slots=True)
class WireClass:
    """A provider's class to print: attributes by name, and methods by name.

    `converter` is the class of its API: the only base, unless the class is derived from that of another provider, its
    `parent`. Then it has only what differs.
    """

    name: str
    converter: str
    facts: Mapping[str, Any]
    attributes: Mapping[str, ClassAttribute]
    methods: Mapping[str, Method]
    parent: WireClass | None = None

    @property
    def bases(self) -> list[str]:
        """Return the names of the base classes."""
        if self.parent is None:
            return [self.converter]
        return [*([self.converter] if self.converter != self.parent.converter else []), self.parent.name]

    @property
    def attribute_lines(self) -> list[str]:
        """Return the attributes. A table of the parent is changed by a merge patch if that is shorter than a new one."""
        lines = [f"FACTS = {self._facts()}"]
        for fact in self.attributes.values():
            inherited = self.parent.attributes.get(fact.name) if self.parent else None
            value = _value(fact)
            if self.parent and inherited and not fact.call:
                patch = merge_patch(inherited.value, fact.value)
                changed = call("apply_merge_patch", f"{self.parent.name}.{fact.name}", python_literal(patch))
                value = changed if patch is not None and len(changed) < len(value) else value
            lines.append(f"{fact.name}{f': {fact.annotation}' if fact.annotation else ''} = {value}")
        return lines

    def _facts(self) -> str:
        patch = merge_patch(self.parent.facts, self.facts) if self.parent else None
        function = "WireFacts" if patch is None or self.parent is None else f"{self.parent.name}.FACTS.patched"
        values = self.facts if patch is None else patch
        return call_by_line(function, *(f"{name}={python_literal(value)}" for name, value in values.items()))

    def derived_from(self, parent: WireClass) -> WireClass | None:
        """Return this class as a subclass of another one, with only what differs; None if it would behave differently.

        It would if the other class has attributes that this one lacks or has with another type, or if the API of this
        one is not based on that of the other. Methods of the other class that this one lacks are never called, and
        neither are their tables used.
        """
        own, other = import_converter_class(self.converter), import_converter_class(parent.converter)
        overridden = {name for base in own.__mro__ if base not in other.__mro__ for name in vars(base)}
        if not issubclass(own, other) or not overridden.isdisjoint([*parent.attributes, *parent.methods]):
            return None
        declared = declared_attributes(own)
        for name, inherited in parent.attributes.items():
            fact = self.attributes.get(name)
            if fact is None and (name in declared or not inherited.annotation):
                return None
            if fact is not None and (
                fact.annotation != inherited.annotation or not (fact.annotation or fact == inherited)
            ):
                return None
        attributes = {name: fact for name, fact in self.attributes.items() if fact != parent.attributes.get(name)}
        methods = {name: method for name, method in self.methods.items() if method != parent.methods.get(name)}
        return replace(self, attributes=attributes, methods=methods, parent=parent)


def merge_patch(base: Any, value: Any) -> dict[str, Any] | None:
    """Return the merge patch (RFC 7396) that makes one object into another; None if there is none.

    A patch cannot write null, and the keys that it adds come last. The order of some tables counts.
    """
    if not isinstance(base, Mapping) or not isinstance(value, Mapping):
        return None
    patch: dict[str, Any] = {key: None for key in base if key not in value}
    for key, member in value.items():
        if isinstance(member, Mapping) and isinstance(base.get(key), Mapping):
            inner = merge_patch(base[key], member)
            if inner is None:
                return None
            patch |= {key: inner} if inner else {}
        elif key not in base or not same_json(member, base[key]):
            patch[key] = member
    patched = apply_merge_patch(base, patch)
    return patch if same_json(patched, value) and [*patched] == [*value] else None


def wire_class(plan: ProviderPlan) -> WireClass:
    """Return the class of a provider, derived from the class of its API."""
    return WireClass(
        plan.class_name,
        str(plan.facts["converter"]),
        plan.wire_facts,
        {fact.name: fact for fact in plan.class_attributes},
        {method.name: method for method in _methods(plan)},
    )


def _methods(plan: ProviderPlan) -> Iterator[Method]:
    """Yield the methods of the class: one per direction for each union and mapping."""
    for union in plan.unions.values():
        yield from (union_reader_method(union), union_writer_method(union))
    for mapping in plan.mappings.values():
        yield from (reader_method(mapping), writer_method(mapping))


def _value(fact: ClassAttribute) -> str:
    if not fact.call:
        return fact.reference or python_literal(fact.value)
    keywords = (f"{name}={python_literal(value)}" for name, value in fact.keywords.items())
    return call(fact.call, *map(python_literal, fact.arguments), *keywords)
