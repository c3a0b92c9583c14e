"""Methods of converters: what a few lines of a profile become, in both directions."""

from __future__ import annotations

import ast
from textwrap import dedent
from typing import Any

from toolgen.plan.wires import ObjectMapping, plan_mapping, plan_union
from toolgen.render.wires import Method, reader_method, union_reader_method, union_writer_method, writer_method
from toolgen.resolve import Format, FormatField, FormatType
from toolgen.resolve.profiles import camel_to_snake

STRING, INTEGER, BOOLEAN, ARRAY = ({"type": kind} for kind in ("string", "integer", "boolean", "array"))


def a_format(**types: dict[str, Any]) -> Format:
    """A format of types with these fields; a name that ends in `!` is that of a required field."""
    return Format({name: a_type(name, {**fields, "metadata": {}}) for name, fields in types.items()}, {})


def a_type(name: str, fields: dict[str, Any]) -> FormatType:
    names = {key: key.removesuffix("!") for key in fields}
    format_fields = (
        FormatField(names[key], camel_to_snake(names[key]), fields[key], key.endswith("!")) for key in fields
    )
    return FormatType(name, "", tuple(format_fields), (), {})


def write_own(value: Any, extra: Any, at: Any, writer: Any) -> Any:
    """A function of one key that has an extra."""


def write_own_of_several(value: Any, extras: Any, at: Any, writer: Any) -> Any:
    """A function of several keys that has extras."""


class Api:
    """The class of an API. These of its methods have extras of their own; all others follow the rule."""

    write_own = staticmethod(write_own)
    write_own_of_several = staticmethod(write_own_of_several)


def a_mapping(fields: dict[str, Any], keys: dict[str, Any], type: str = "TextPart", **more: Any) -> ObjectMapping:
    """The plan of a mapping `text` of a type with these fields."""
    mapping = {"type": type, "description": "a text", "keys": keys, **more}
    return plan_mapping("text", mapping, a_format(**{type: fields}), api=Api)


def reads(mapping: ObjectMapping) -> str:
    return "\n".join(reader_method(mapping).body)


def writes(mapping: ObjectMapping) -> str:
    return "\n".join(writer_method(mapping).body)


def body(text: str) -> str:
    return dedent(text).strip("\n")


def accepted_names(method: Method) -> str:
    """The method's first line."""
    return f"def {method.name}(self, {', '.join(method.parameters)}) -> {method.returns}"


PLAIN = a_mapping({"text!": STRING}, {"text": "text"}, tag={"type": "text"})


def test_an_object_is_read_and_written_key_by_key() -> None:
    assert accepted_names(reader_method(PLAIN)) == (
        "def read_text(self, wire: dict[str, Any], at: Path, reader: Reader) -> TextPart"
    )
    assert reads(PLAIN) == body("""
        source = SourceObject(wire, at, reader, "type")
        text = source.required("text", str)
        return TextPart(text, metadata=source.metadata())
    """)
    assert accepted_names(writer_method(PLAIN)) == (
        "def write_text(self, part: TextPart, at: Path, writer: Writer) -> dict[str, Any]"
    )
    assert writes(PLAIN) == body("""
        target = TargetObject(part.metadata, at, writer)
        target.unmapped(part, ("text",))
        target.required("type", "text")
        target.required("text", part.text)
        return target.finish()
    """)


def test_a_pair_of_functions_follows_the_rule_of_extras() -> None:
    mapping = a_mapping({"size!": INTEGER}, {"size": {"field": "size", "as": "rounded"}}, tag={"type": "size"})
    assert reads(mapping) == body("""
        source = SourceObject(wire, at, reader, "type")
        size = source.field("size", self.read_rounded, self.write_rounded)
        return TextPart(size, metadata=source.metadata())
    """)
    assert writes(mapping) == body("""
        target = TargetObject(part.metadata, at, writer)
        target.unmapped(part, ("size",))
        target.required("type", "size")
        target.field("size", part.size, "size", self.read_rounded, self.write_rounded)
        return target.finish()
    """)


def test_a_block_follows_the_rule_too() -> None:
    mapping = a_mapping({"size": INTEGER}, {"size": {"field": "size", "as": "picture"}})
    assert 'size = source.field("size", self.read_picture, self.write_picture)' in reads(mapping)
    assert 'target.field("size", part.size, "size", self.read_picture, self.write_picture)' in writes(mapping)


def test_several_fields_of_a_key_are_written_together() -> None:
    mapping = a_mapping({"size": INTEGER, "unit": STRING}, {"a": {"fields": ["size", "unit"], "as": "sized"}})
    assert 'size, unit = source.field("a", self.read_sized, self.write_sized)' in reads(mapping)
    assert 'target.field("a", (part.size, part.unit), "size", self.read_sized, self.write_sized)' in writes(mapping)


def test_a_function_that_takes_an_extra_has_extras_of_its_own() -> None:
    mapping = a_mapping({"size!": INTEGER}, {"size": {"field": "size", "as": "own"}})
    assert 'size = source.value_with_extra("size", self.read_own)' in reads(mapping)
    assert 'target.value_with_extra("size", (part.size,), "size", self.write_own)' in writes(mapping)


def test_a_function_of_several_keys_that_takes_extras_has_extras_of_its_own() -> None:
    keys = {"a": {"fields": ["size", "unit"], "as": "own_of_several", "beside": ["b"]}}
    mapping = a_mapping({"size": INTEGER, "unit": STRING}, keys)
    assert 'size, unit = source.values_with_extras(("a", "b"), self.read_own_of_several)' in reads(mapping)
    assert (
        'target.values_with_extras((part.size, part.unit), "size", self.write_own_of_several)' in writes(mapping)
    )  # fmt: skip


def test_names_arguments_and_containers_have_no_extras() -> None:
    mapping = a_mapping({"name!": STRING}, {"name": {"field": "name", "as": "tool_name"}})
    assert 'name = source.value("name", read_tool_name)' in reads(mapping)
    assert 'target.value("name", (part.name,), "name", write_tool_name)' in writes(mapping)


def test_an_object_inside_of_the_object_may_be_missing() -> None:
    keys = {"outer": {"keys": {"inner": {"keys": {"max": {"field": "maxItems", "as": "rounded", "with": "sizes"}}}}}}
    mapping = a_mapping({"maxItems": INTEGER}, keys)
    assert reads(mapping) == body("""
        source = SourceObject(wire, at, reader)
        outer = source.inner("outer")
        inner = outer.inner("inner")
        max_items = inner.field("max", self.read_rounded, self.write_rounded, self.SIZES)
        return TextPart(max_items, metadata=source.metadata())
    """)
    assert writes(mapping) == body("""
        target = TargetObject(part.metadata, at, writer)
        target.unmapped(part, ("max_items",))
        outer = target.inner("outer")
        inner = outer.inner("inner")
        inner.field("max", part.max_items, "maxItems", self.read_rounded, self.write_rounded, self.SIZES)
        outer.optional("inner", inner.wire or None)
        target.optional("outer", outer.wire or None)
        return target.finish()
    """)


def test_an_object_inside_of_the_object_has_to_be_there_with_a_required_field() -> None:
    mapping = a_mapping({"size!": INTEGER}, {"outer": {"keys": {"size": "size"}}})
    assert reads(mapping).splitlines()[1:3] == [
        'outer = source.required_inner("outer")',
        'size = outer.required("size", int)',
    ]
    assert writes(mapping).splitlines()[2:5] == [
        'outer = target.inner("outer")',
        'outer.required("size", part.size)',
        'target.required("outer", outer.wire)',
    ]


def line_of(text: str, start: str) -> str:
    """The one line that starts so, with what it leads to where it is a block."""
    lines = text.splitlines()
    (index,) = [i for i, line in enumerate(lines) if line.startswith(start)]
    return "\n".join(lines[index : index + 1 + lines[index].endswith(":")])


def test_a_key_may_be_spelled_otherwise() -> None:
    mapping = a_mapping({"size": INTEGER}, {"in": {"keys": {"size": {"field": "size", "names": ["size", "old_size"]}}}})
    assert line_of(reads(mapping), "size =") == "size = in_.named(self.TEXT_SIZE, int)"
    assert line_of(writes(mapping), "in_.") == "in_.named(self.TEXT_SIZE, part.size)"


def test_keys_may_carry_their_fields_together() -> None:
    keys = {"in": {"keys": {"a": {"fields": ["size", "unit"], "as": "sized", "beside": ["b"], "given": ["text"]}}}}
    mapping = a_mapping({"text!": STRING, "size": INTEGER, "unit": STRING}, {"text": "text", **keys})
    assert 'size, unit = in_.fields(("a", "b"), self.read_sized, self.write_sized, text)' in reads(mapping)
    assert (
        'in_.fields(("a", "b"), (part.size, part.unit), "size", self.read_sized, self.write_sized, part.text)'
        in writes(mapping)
    )


def test_a_pair_that_follows_the_rule_gets_none_for_a_field_without_a_key() -> None:
    fields = {"size": INTEGER, "text": STRING}
    ruled = a_mapping(fields, {"size": {"field": "size", "as": "rounded", "given": ["text"]}})
    assert 'size = source.field("size", self.read_rounded, self.write_rounded, None)' in reads(ruled)
    own = a_mapping(fields, {"size": {"field": "size", "as": "own", "given": ["text"]}})
    assert 'size = source.value_with_extra("size", self.read_own)' in reads(own)


def test_an_array_is_read_item_by_item() -> None:
    mapping = a_mapping({"parts!": ARRAY}, {"content": {"field": "parts", "text_or": "part"}})
    assert 'parts = source.text_or_list("content", self.read_part)' in reads(mapping)
    assert 'target.text_or_list("content", part.parts, "parts", self.write_part)' in writes(mapping)


def test_a_field_that_may_be_missing_is_read_by_its_type() -> None:
    mapping = a_mapping({"size": INTEGER, "any": {}}, {"size": {"field": "size"}, "any": "any"})
    assert line_of(reads(mapping), "size =") == 'size = source.optional("size", int)'
    assert line_of(reads(mapping), "any =") == 'any = source.get("any")'
    assert line_of(writes(mapping), 'target.optional("size"') == 'target.optional("size", part.size)'


def test_what_the_wire_demands_of_an_optional_field_is_an_error() -> None:
    mapping = a_mapping({"unit": STRING}, {"unit": {"field": "unit", "required": True}})
    assert line_of(reads(mapping), "unit =") == 'unit = source.required("unit", str)'
    assert line_of(writes(mapping), "target.d") == 'target.demanded("unit", part.unit)'


def test_a_value_of_any_type_must_be_there_where_it_is_required() -> None:
    mapping = a_mapping({"value!": {}}, {"data": "value"}, tag={"a": "b"}, aside=["c"])
    assert line_of(reads(mapping), "value =") == 'value = source.required_value("data")'


def test_a_word_of_the_tag_that_is_not_ours_is_extra() -> None:
    mapping = a_mapping({}, {}, tag={"role": "system"}, also={"role": ["developer"]})
    assert line_of(reads(mapping), "source.") == 'source.tag("role", "system")'
    assert line_of(writes(mapping), "target.t") == 'target.tag("role", "system")'


def test_an_object_that_came_without_its_tag_goes_out_without_it() -> None:
    mapping = a_mapping({"text": STRING}, {"text": "text"}, tag={"type": "text"}, untagged="type")
    assert reads(mapping).splitlines()[-2] == 'source.untagged("type")'
    assert writes(mapping).splitlines()[-2] == 'target.untagged("type")'


def test_fields_without_a_place_are_reported_as_what_is_lost_with_them() -> None:
    fields = {"size": INTEGER, "seen": STRING, "note": STRING, "warned": STRING, "must": BOOLEAN}
    lost = {"warned": "warning", "must": "behaviour"}
    mapping = a_mapping(fields, {"size": "size"}, lost=lost, ignored={"seen": "it is on another object"})
    unmapped = 'target.unmapped(part, ("size", "seen"), {"warned": "warning", "must": "behaviour"})'
    assert writes(mapping).splitlines()[1] == unmapped


def test_a_shape_whose_fields_the_format_does_not_have_is_tag_and_extras() -> None:
    mapping = a_mapping({}, {"text": "text"}, tag={"type": "text"})
    assert reads(mapping) == body("""
        source = SourceObject(wire, at, reader, "type")
        return TextPart(metadata=source.metadata())
    """)


def test_a_call_takes_the_spelling_of_the_tools_that_were_offered() -> None:
    mapping = a_mapping({"name!": STRING}, {"name": "name"}, type="ToolCall")
    assert "return reader.decode_call(ToolCall(name, metadata=source.metadata()))" in reads(mapping)
    assert writes(mapping).startswith("call = writer.encode_call(call, at)\n")


def test_tools_are_read_first_where_they_say_how_the_history_is_spelled() -> None:
    keys = {"messages": {"field": "messages", "text_or": "message"}, "tools": {"field": "tools", "text_or": "tool"}}
    mapping = a_mapping({"messages!": ARRAY, "tools": ARRAY}, keys, type="Request")
    _, first, offers, second, *_ = reads(mapping).splitlines()
    assert (first.split()[0], offers, second.split()[0]) == ("tools", "reader.set_offered_tools(tools)", "messages")


def test_what_stands_outside_of_the_object_is_given_by_whoever_reads_it() -> None:
    mapping = a_mapping({"id!": STRING, "text!": STRING}, {"text": "text"}, outside={"id": "the key of the object"})
    assert reader_method(mapping).parameters[-1] == "id: str"
    assert "return TextPart(id, text, metadata=source.metadata())" in reads(mapping)


HOSTILE = "a\"'\\\n\u202e{{ x }}\u0000"


def test_texts_of_a_profile_are_literals_and_nothing_else() -> None:
    keys = {
        HOSTILE: "plain",
        HOSTILE + "1": {"field": "other", "also": [HOSTILE + "2"]},
        HOSTILE + "3": {"field": "coded", "as": "codec"},
        HOSTILE + "4": {"keys": {HOSTILE + "5": {"field": "inner", "as": "codec"}}},
        HOSTILE + "6": {"field": "last", "required": True},
    }
    tag = {HOSTILE + "8": HOSTILE + "9"}
    fields = dict.fromkeys(("plain!", "other", "coded", "inner", "last"), STRING)
    mapping = a_mapping(fields, keys, tag=tag, untagged=HOSTILE + "8", also={HOSTILE + "8": ["x"]})
    for method in (reader_method(mapping), writer_method(mapping)):
        assert all(line.isprintable() for line in method.body)
        tree = ast.parse("\n".join([accepted_names(method) + ":", *(f"    {line}" for line in method.body)]))
        assert {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and "x }}" in str(n.value)} >= {
            *keys, HOSTILE + "5", HOSTILE + "8", HOSTILE + "9",
        }  # fmt: skip


PARTS = a_format(TextPart={"text!": STRING}, ImagePart={"url!": STRING})


def a_union(**keys: Any) -> list[str]:
    facts = {
        "text": {"type": "TextPart", "description": "a text", "tag": {"type": "text"}, "keys": {"text": "text"}},
        "image": {
            "type": "ImagePart",
            "description": "an image",
            "tag": {"type": "image"},
            "untagged": "type",
            "keys": {"url": "url"},
            "needs": ["url", "it's"],
        },
    }
    mappings = {name: plan_mapping(name, mapping, PARTS) for name, mapping in facts.items()}
    union = plan_union("part", {"types": ["TextPart", "ImagePart"], **keys}, {"mappings": facts}, mappings, PARTS)
    return ["\n".join(method.body) for method in (union_reader_method(union), union_writer_method(union))]


def test_objects_are_told_apart_by_their_tag() -> None:
    read, write = a_union(tag="type", mappings=["text", "image"])
    assert read == body("""
        if type(wire) is dict:
            kind = wire.get("type")
            if kind == "text":
                return self.read_text(wire, at, reader)
            if kind in ("image", None) and has_value_at(wire, "url", "it's"):
                return self.read_image(wire, at, reader)
        return OpaquePart(reader.wire.name, wire)
    """)
    assert write == body("""
        if type(value) is TextPart:
            return self.write_text(value, at, writer)
        if type(value) is ImagePart:
            return self.write_image(value, at, writer)
        if type(value) is OpaquePart and writer.is_sendable(value):
            return value.value
        writer.report_unsupported(at, writer.part_class_name(value, at), "warning")
        return ABSENT
    """)


def test_objects_are_told_apart_by_a_function() -> None:
    read, _ = a_union(by="kind_of_part", mappings={"words": "text", "picture": "image"})
    assert read == body("""
        if type(wire) is dict:
            kind = kind_of_part(wire)
            if kind == "words":
                return self.read_text(wire, at, reader)
            if kind == "picture":
                return self.read_image(wire, at, reader)
        return OpaquePart(reader.wire.name, wire)
    """)


def test_objects_of_one_shape_need_not_be_told_apart() -> None:
    read, _ = a_union(mappings=["image"])
    assert read == body("""
        if type(wire) is dict:
            return self.read_image(wire, at, reader)
        return OpaquePart(reader.wire.name, wire)
    """)
