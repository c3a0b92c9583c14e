"""The methods that read and write objects of several shapes."""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.plan.mapping_plans import MemberPlan, UnionPlan
from toolgen.render.converters.code import Method, Statement, block, call, get
from toolgen.render.literals import python_string


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
