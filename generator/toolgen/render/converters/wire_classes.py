"""A provider's class and its module, and the methods for unions and arrays, whose objects have several mappings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from toolgen.plan.mapping_plans import PLAIN_FORMS, FastPathObject, ListPlan, MemberPlan, ObjectMapping, UnionPlan
from toolgen.plan.provider import ClassAttribute, ProviderPlan, import_converter_class
from toolgen.render.converters.code import Block, Method, Statement, block, call, get, key_path_literal
from toolgen.render.converters.objects import (
    all_extras,
    extras_of_call,
    reader_method,
    regular_object_expression,
    regular_value_expression,
    tool_call_expression,
    tool_call_read_conditions,
    tool_call_write_conditions,
    writer_method,
)
from toolgen.render.converters.usage import usage_keys_constant_name, usage_reader_method, usage_writer_method
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
        yield from (
            (f"{name}_LEAST", f"{name}_LEAST: frozenset[str] = {_frozenset(keys)}")
            for name, keys in mapping.least.items()
        )
    for name, table in plan.tables.items():
        kind = "list[str]" if isinstance(table, list) else "dict[str, Any]"
        yield name, f"{name}: {kind} = {python_literal(table)}"
    if plan.usage is not None:
        for holder, keys in plan.usage.known.items():
            name = usage_keys_constant_name(holder)
            yield name, f"{name}: frozenset[str] = {_frozenset(keys)}"


def _attribute(fact: ClassAttribute) -> str:
    """Return an attribute with the type that the class of the API declares."""
    return f"{fact.name}{f': {fact.annotation}' if fact.annotation else ''} = {_value(fact)}"


def _methods(plan: ProviderPlan) -> Iterator[Method]:
    """Yield the methods of the class: one per direction for the usage and for each union, array and mapping."""
    if plan.usage is not None:
        yield from (usage_reader_method(plan.usage), usage_writer_method(plan.usage))
    for union in plan.unions.values():
        yield from (union_reader_method(union), union_writer_method(union, rejects="rejects" in plan.facts))
    for each in plan.lists.values():
        if "read" in each.directions:
            yield list_reader_method(each)
        if "write" in each.directions:
            yield list_writer_method(each)
    for mapping in plan.mappings.values():
        yield from (reader_method(mapping), writer_method(mapping))


def _frozenset(keys: Iterable[str]) -> str:
    return call("frozenset", python_literal(list(keys)))


def _value(fact: ClassAttribute) -> str:
    if not fact.call:
        return fact.reference or python_literal(fact.arguments[0])
    keywords = (f"{name}={python_literal(value)}" for name, value in fact.keywords.items())
    return call(fact.call, *map(python_literal, fact.arguments), *keywords)


def list_reader_method(plan: ListPlan) -> Method:
    """Return the method that reads an array."""
    one_by_one = call("read_list_or_null", "value", "at", "reader", f"self.read_{plan.item}")
    item = call(f"self.read_{plan.item}", "wire", "(at, len(found))", "reader")
    members = [_read_regular(plan, mapping, mapping.plain) for mapping in plan.members if mapping.plain is not None]
    if len(members) == 1 and not plan.tag:
        members = [block(f"if type(wire) is dict and {members[0].head}", *members[0].body)]
    elif members:
        kind = [f"kind = {get('wire', plan.tag)}"] if plan.tag else []
        members = [block("if type(wire) is dict", *kind, *_chain(members))]
    return Method(
        f"read_{plan.name}",
        ("value: Any", "at: Path", "reader: Reader"),
        "list[Any] | None",
        "Read an array, or null; regular objects in it at once.",
        (
            block("if type(value) is not list", f"return {one_by_one}"),
            "found: list[Any] = []",
            block(
                "for wire in value",
                *members,
                f"found.append({item})",
            ),
            "return found",
        ),
    )


def _chain(blocks: list[Block]) -> Iterator[Block]:
    """Chain blocks so that only the first one whose condition holds is run."""
    for i, each in enumerate(blocks):
        yield block(f"{'elif' if i else 'if'} {each.head}", *each.body)


def _read_regular(plan: ListPlan, mapping: ObjectMapping, plain: FastPathObject) -> Block:
    """Return the block that reads a regular object of a mapping; its head distinguishes the object from others."""
    first = next(iter(mapping.objects[1:]), None)
    key = first.key if first is not None else plain.keys[0].key
    expected = python_string(str(dict(mapping.tag).get(plan.tag)))
    if not plan.tag:
        test = f"{python_string(key)} in wire"
    else:
        test = f"kind in ({expected}, None)" if plan.tag == mapping.untagged else f"kind == {expected}"
    gets = [f"{key.variable} = {get(key.holder, key.key)}" for key in plain.keys]
    holders = [f"type({held.variable}) is dict" for held in mapping.objects[1:]]
    inside: list[Statement] = [f"{held.variable} = {get(held.parent, held.key)}" for held in mapping.objects[1:]]
    if mapping.type == "ToolCall":
        tests, made = _listed_call(mapping, plain, exact=plan.exact)
        read: list[Statement] = [
            block(
                f"if {' and '.join(tests)}",
                *made,
                block("if call is not None", "found.append(ToolCallPart(call))", "continue"),
            )
        ]
    else:
        exact = [f"len(wire) == {plain.sizes['wire']}"] if plain.open else []
        tests = [*exact, *plain.conditions_to_read]
        read = [
            block(f"if {' and '.join(tests)}", f"found.append({regular_value_expression(mapping, plain)})", "continue")
        ]
    inside += [block(f"if {' and '.join(holders)}", *gets, *read)] if holders else [*gets, *read]
    return block(test, *inside)


def _listed_call(mapping: ObjectMapping, plain: FastPathObject, *, exact: bool) -> tuple[list[str], list[Statement]]:
    """Return the tests of a regular call's object in an array, and the statements that make the call.

    Results may follow it, so it is noted. Its tag was used to choose the mapping. An object that lacks the tag or the
    id, where others may have it, is as regular, and the extras of its call say so.
    """
    if exact:
        whole = [f"len({held.variable}) == {plain.sizes[held.variable]}" for held in mapping.objects]
        tests = [*whole, *(test for test in tool_call_read_conditions(plain) if test not in whole)]
        return tests, [f"call = {_pending_call(mapping, 'None')}"]
    extras, lengths = extras_of_call(mapping, plain, has_tag=True)
    identifier = next(key for key in mapping.keys if key.variables[0] == "id")
    may_lack_id = bool(lengths) and PLAIN_FORMS[identifier.reads.removeprefix("read_")].may_lack_id
    made: list[Statement] = []
    if mapping.untagged or may_lack_id:
        sizes = {held: str(size) for held, size in plain.sizes.items()}
        if may_lack_id:
            made.append(f"has_id = {python_string(identifier.key)} in {identifier.holder}")
            sizes[identifier.holder] = f"{plain.sizes[identifier.holder] - 1} + has_id"
        untagged = "kind is None" if mapping.untagged else ""
        irregular = [*([untagged] if untagged else []), *(f"len({held}) != {size}" for held, size in sizes.items())]
        absent = f'extras["$absent"] = [{python_string(mapping.untagged)}]'
        made += [
            "extras: Extras | None = None",
            block(
                f"if {' or '.join(irregular)}",
                f"extras = {all_extras(mapping)}",
                *([block(f"if {untagged}", absent)] if untagged else []),
            ),
        ]
        extras = "extras"
    noted = f"call = {_pending_call(mapping, extras)}"
    if may_lack_id:
        key_path = key_path_literal(identifier.key_path)
        without = call("reader.make_pending_call_with_synthetic_id", "name", "arguments", extras, key_path)
        made += [block("if has_id", noted), block("else", f"call = {without}")]
    else:
        made.append(noted)
    return [test for test in tool_call_read_conditions(plain) if test not in lengths], made


def _pending_call(mapping: ObjectMapping, extras: str) -> str:
    functions = "reader.make_pending_call_if_regular", "make_pending_call_from_json_if_regular"
    return tool_call_expression(mapping, extras, *functions)


def list_writer_method(plan: ListPlan) -> Method:
    """Return the method that writes an array."""
    members = [_write_regular(each, each.plain_to_write) for each in plan.members if each.plain_to_write is not None]
    return Method(
        f"write_{plan.name}",
        ("parts: Iterable[Any]", "at: Path", "writer: Writer"),
        "list[Any]",
        "Write an array; regular values in it at once.",
        (
            "found: list[Any] = []",
            block(
                "for i, part in enumerate(parts)",
                *_chain(members),
                f"written = {call('write_or_describe', 'part', '(at, i)', 'writer', f'self.write_{plan.item}')}",
                block("if written is not ABSENT", "found.append(written)"),
            ),
            "return found",
        ),
    )


def _write_regular(mapping: ObjectMapping, plain: FastPathObject) -> Block:
    """Return the block that writes a regular value. Blank text is not regular, because many APIs refuse it."""
    written = f"found.append({regular_object_expression(mapping, plain, 'wire')})"
    if mapping.type == "ToolResult":
        regular = block(f"if {' and '.join(plain.conditions_to_write)}", written, "continue")
        return block("type(part) is ToolResult", "result = part", regular)
    if mapping.type != "ToolCall":
        tests = [
            *plain.conditions_to_write,
            *(["part.text", "not part.text.isspace()"] if mapping.type == "TextPart" else []),
        ]
        return block(" and ".join([f"type(part) is {mapping.type}", *tests]), written, "continue")
    tests = ["part.metadata is None", *tool_call_write_conditions(mapping, plain)]
    return block(
        "type(part) is ToolCallPart",
        "call = part.call",
        block(f"if {' and '.join(tests)}", written, "continue"),
    )
