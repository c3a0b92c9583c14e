"""The methods that read and write arrays, in which regular objects take no call of a method each."""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.plan.mapping_plans import ListPlan, ObjectMapping, RegularObject
from toolgen.render.converters.code import Block, Method, Statement, block, call, get
from toolgen.render.converters.objects import plain_call, plain_call_tests, plain_object, plain_value
from toolgen.render.literals import python_string


def read_items(plan: ListPlan) -> Method:
    """The method that reads an array."""
    one_by_one = call("read_list", "value", "at", "reader", f"self.read_{plan.item}")
    item = call(f"self.read_{plan.item}", "wire", "(at, len(found))", "reader")
    members = [_read_member(plan, shape, shape.plain) for shape in plan.members if shape.plain is not None]
    kind = [f"kind = {get('wire', plan.tag)}"] if plan.tag and len(members) > 1 else []
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
                *([block("if type(wire) is dict", *kind, *_chain(members))] if members else []),
                f"found.append({item})",
            ),
            "return found",
        ),
    )


def _chain(blocks: list[Block]) -> Iterator[Block]:
    """Blocks of which the first one that holds is run."""
    for i, each in enumerate(blocks):
        yield block(f"{'elif' if i else 'if'} {each.head}", *each.body)


def _read_member(plan: ListPlan, shape: ObjectMapping, plain: RegularObject) -> Block:
    """Read a regular object of a shape; the head is what tells it from others."""
    said = "kind" if len(plan.members) > 1 else get("wire", plan.tag)
    first = next(iter(shape.objects[1:]), None)
    key = first.key if first is not None else plain.keys[0].key
    word = dict(shape.tag).get(plan.tag)
    test = f"{said} == {python_string(str(word))}" if plan.tag else f"{python_string(key)} in wire"
    gets = [f"{key.variable} = {get(key.holder, key.key)}" for key in plain.keys]
    holders = [f"type({held.variable}) is dict" for held in shape.objects[1:]]
    inside: list[Statement] = [f"{held.variable} = {get(held.parent, held.key)}" for held in shape.objects[1:]]
    if shape.type == "ToolCall":
        tests, found = plain_call(shape, plain, noted=True)
        read: list[Statement] = [
            block(
                f"if {' and '.join(tests)}",
                f"call = {found}",
                block("if call is not None", "found.append(ToolCallPart(call))", "continue"),
            )
        ]
    else:
        exact = [f"len(wire) == {plain.sizes['wire']}"] if plain.open else []
        tests = [*exact, *plain.read_tests]
        read = [block(f"if {' and '.join(tests)}", f"found.append({plain_value(shape, plain)})", "continue")]
    inside += [block(f"if {' and '.join(holders)}", *gets, *read)] if holders else [*gets, *read]
    return block(test, *inside)


def write_items(plan: ListPlan) -> Method:
    """The method that writes an array."""
    members = [_write_member(shape, shape.plain) for shape in plan.members if shape.plain is not None]
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
                f"written = {call('write_one', 'part', '(at, i)', 'writer', f'self.write_{plan.item}')}",
                block("if written is not ABSENT", "found.append(written)"),
            ),
            "return found",
        ),
    )


def _write_member(shape: ObjectMapping, plain: RegularObject) -> Block:
    """Write a regular value of a shape; many APIs refuse an empty text, so that it is not one."""
    written = f"found.append({plain_object(shape, plain, 'wire')})"
    if shape.type != "ToolCall":
        tests = [*plain.write_tests, *(["part.text"] if shape.type == "TextPart" else [])]
        return block(f"type(part) is {shape.type}", block(f"if {' and '.join(tests)}", written, "continue"))
    tests = ["part.metadata is None", *plain_call_tests(shape, plain)]
    return block(
        "type(part) is ToolCallPart",
        "call = part.call",
        block(f"if {' and '.join(tests)}", written, "continue"),
    )
