"""Methods of converters: what a few lines of a profile become, in both directions."""

from __future__ import annotations

import ast
from textwrap import dedent
from typing import Any

from toolgen.plan.mapping_plans import ObjectMapping
from toolgen.plan.object_mappings import plan_mapping, plan_union
from toolgen.render.converters.code import Method, block
from toolgen.render.converters.objects import reader_method, writer_method
from toolgen.render.converters.wire_classes import union_reader_method, union_writer_method
from toolgen.resolve import Format, FormatField, FormatType
from toolgen.resolve.profiles import camel_to_snake

STRING, INTEGER, BOOLEAN, ARRAY = ({"type": kind} for kind in ("string", "integer", "boolean", "array"))


def a_format(**types: dict[str, Any]) -> Format:
    """A format of types with these fields; a name that ends in `!` is that of a required field."""
    return Format({name: a_type(name, {**fields, "metadata": {}}) for name, fields in types.items()}, {})


def a_type(name: str, fields: dict[str, Any]) -> FormatType:
    names = {key: key.removesuffix("!") for key in fields}
    made = (FormatField(names[key], camel_to_snake(names[key]), fields[key], key.endswith("!")) for key in fields)
    return FormatType(name, "", tuple(made), (), {})


def a_mapping(fields: dict[str, Any], keys: dict[str, Any], type: str = "TextPart", **more: Any) -> ObjectMapping:
    """The plan of a mapping `text` of a type with these fields."""
    mapping = {"type": type, "description": "a text", "keys": keys, **more}
    return plan_mapping("text", mapping, a_format(**{type: fields}))


def reads(mapping: ObjectMapping) -> str:
    return "\n".join(reader_method(mapping).body_lines)


def writes(mapping: ObjectMapping) -> str:
    return "\n".join(writer_method(mapping).body_lines)


def body(text: str) -> str:
    return dedent(text).strip("\n")


def accepted_names(method: Method) -> str:
    """The method's first line."""
    return f"def {method.name}(self, {', '.join(method.parameters)}) -> {method.returns}"


def test_blocks_are_indented_as_far_as_they_stand_inside_of_others() -> None:
    method = Method("m", (), "None", "Do.", (block("if a", "b", block("while c", "d")), "", "e"))
    assert method.body_lines == ["if a:", "    b", "    while c:", "        d", "", "e"]


PLAIN = a_mapping({"text!": STRING}, {"text": "text"}, tag={"type": "text"})


def test_an_object_is_read_and_written_key_by_key() -> None:
    assert accepted_names(reader_method(PLAIN)) == (
        "def read_text(self, wire: dict[str, Any], at: Path, reader: Reader) -> TextPart"
    )
    assert reads(PLAIN) == body("""
        text = wire.get("text")
        if type(text) is not str:
            raise wrong_type((at, "text"), "a string", text)
        extras = unmapped_members(wire, _TEXT)
        return TextPart(text, metadata=reader.as_metadata(extras))
    """)
    assert accepted_names(writer_method(PLAIN)) == (
        "def write_text(self, part: TextPart, at: Path, writer: Writer) -> dict[str, Any]"
    )
    assert writes(PLAIN) == body("""
        extras = writer.own_extras(part.metadata, at) if part.metadata else NO_EXTRAS
        wire: dict[str, Any] = {"type": "text", "text": part.text}
        if extras:
            restore_extras(wire, extras)
        return wire
    """)


def test_a_function_of_a_key_may_leave_an_extra() -> None:
    mapping = a_mapping({"size!": INTEGER}, {"size": {"field": "size", "as": "rounded"}}, tag={"type": "size"})
    assert reads(mapping) == body("""
        size, size_extra = read_rounded(wire.get("size", ABSENT), (at, "size"), reader)
        extras = unmapped_members(wire, _TEXT)
        if size_extra is not ABSENT:
            extras["size"] = size_extra
        return TextPart(size, metadata=reader.as_metadata(extras))
    """)
    assert (
        '"size": write_rounded(part.size, extra_at(extras, "size") if extras else ABSENT, (at, "size"), writer)'
        in writes(mapping)
    )


def test_an_object_inside_of_the_object_may_be_missing() -> None:
    keys = {"outer": {"keys": {"inner": {"keys": {"max": {"field": "maxItems", "as": "rounded", "with": "sizes"}}}}}}
    mapping = a_mapping({"maxItems": INTEGER}, keys)
    assert reads(mapping) == body("""
        outer = optional_object(wire, "outer", at)
        inner = optional_object(outer, "inner", (at, "outer"))
        max_items, max_items_extra = read_rounded(inner.get("max", ABSENT), (((at, "outer"), "inner"), "max"), reader, _SIZES)
        extras = unmapped_members(wire, _TEXT)
        outer_extras = unmapped_members(outer, _TEXT_OUTER)
        inner_extras = unmapped_members(inner, _TEXT_INNER)
        if max_items_extra is not ABSENT:
            inner_extras["max"] = max_items_extra
        keep_inner_extras(outer_extras, outer, "inner", inner_extras)
        keep_inner_extras(extras, wire, "outer", outer_extras)
        return TextPart(max_items, metadata=reader.as_metadata(extras))
    """)
    assert writes(mapping) == body("""
        extras = writer.own_extras(part.metadata, at) if part.metadata else NO_EXTRAS
        inner: dict[str, Any] = {}
        max_items = write_rounded(part.max_items, extra_at(extras, "outer", "inner", "max") if extras else ABSENT, (at, "maxItems"), writer, _SIZES)
        if max_items is not ABSENT:
            inner["max"] = max_items
        outer: dict[str, Any] = {}
        if inner:
            outer["inner"] = inner
        wire: dict[str, Any] = {}
        if outer:
            wire["outer"] = outer
        if extras:
            restore_extras(wire, extras)
        return wire
    """)


def line_of(text: str, start: str) -> str:
    """The one line that starts so, with what it leads to where it is a block."""
    lines = text.splitlines()
    (found,) = [i for i, line in enumerate(lines) if line.startswith(start)]
    return "\n".join(lines[found : found + 1 + lines[found].endswith(":")])


def test_a_key_may_be_spelled_otherwise() -> None:
    mapping = a_mapping({"size": INTEGER}, {"in": {"keys": {"size": {"field": "size", "also": ["old_size"]}}}})
    assert 'size, size_key = find_value_and_key(in_, "size", "old_size")' in reads(mapping)
    assert 'note_alias(in__extras, "size", size_key)' in reads(mapping)
    assert line_of(writes(mapping), "if part.size") == body("""
        if part.size is not None:
            in_[original_key(inner_extras(extras, "in"), "size")] = part.size
    """)


def test_keys_may_carry_their_fields_together() -> None:
    keys = {"in": {"keys": {"a": {"fields": ["size", "unit"], "as": "sized", "beside": ["b"], "given": ["text"]}}}}
    mapping = a_mapping({"text!": STRING, "size": INTEGER, "unit": STRING}, {"text": "text", **keys})
    assert 'size, unit, size_extras = read_sized(in_, (at, "in"), reader, text)' in reads(mapping)
    assert "in__extras |= size_extras" in reads(mapping)
    assert (
        'in_ |= write_sized(part.size, part.unit, inner_extras(extras, "in"), (at, "size"), writer, part.text)'
        in writes(mapping)
    )


def test_an_array_is_read_item_by_item() -> None:
    mapping = a_mapping({"parts!": ARRAY}, {"content": {"field": "parts", "text_or": "part"}})
    assert 'parts = read_text_or_list(wire.get("content"), (at, "content"), reader, self.read_part)' in reads(mapping)
    assert '"content": write_text_or_list(part.parts, (at, "parts"), writer, self.write_part)' in writes(mapping)


def test_what_may_be_missing_is_read_by_a_function_of_its_type() -> None:
    mapping = a_mapping({"size": INTEGER}, {"size": {"field": "size"}})
    assert line_of(reads(mapping), "size =") == 'size = optional_value(wire, "size", at, int)'


def test_what_the_wire_demands_of_an_optional_field_is_an_error() -> None:
    mapping = a_mapping({"unit": STRING}, {"unit": {"field": "unit", "required": True}})
    assert line_of(reads(mapping), "if type(unit)").startswith("if type(unit) is not str:")
    assert '{"unit": require_value(part.unit, "unit")}' in writes(mapping)


def test_a_value_of_any_type_must_be_there_where_it_is_required() -> None:
    assert line_of(reads(a_mapping({"value!": {}}, {"data": "value"}, tag={"a": "b"}, aside=["c"])), "if") == body("""
        if "data" not in wire:
            raise wrong_type((at, "data"), "a value", None)
    """)


def test_a_word_of_the_tag_that_is_not_ours_is_extra() -> None:
    mapping = a_mapping({}, {}, tag={"role": "system"}, also={"role": ["developer"]})
    assert line_of(reads(mapping), "if wire") == body("""
        if wire["role"] != "system":
            extras["role"] = wire["role"]
    """)
    assert 'wire: dict[str, Any] = {"role": extras.get("role", "system")}' in writes(mapping)


def test_an_object_that_came_without_its_tag_goes_out_without_it() -> None:
    mapping = a_mapping({}, {}, tag={"type": "text"}, untagged="type")
    assert line_of(reads(mapping), "if wire.get") == body("""
        if wire.get("type") is None:
            extras["$absent"] = ["type"]
    """)
    assert line_of(writes(mapping), 'if "type"') == body("""
        if "type" in extras.get("$absent", ()):
            del wire["type"]
    """)


def test_a_field_without_a_place_is_reported_as_what_is_lost_with_it() -> None:
    fields = {"note": STRING, "warned": STRING, "must": BOOLEAN, "does": STRING}
    lost = {"warned": "warning", "must": "behaviour", "does": "behaviour"}
    text = writes(a_mapping(fields, {}, lost=lost))
    assert [line.strip() for line in text.splitlines() if "report_unsupported" in line] == [
        'writer.report_unsupported((at, "note"), "note")',
        'writer.report_unsupported((at, "warned"), "warned", "warning")',
        'writer.report_unsupported((at, "must"), "must", "note" if part.must else "behaviour")',
        'writer.report_unsupported((at, "does"), "does", "behaviour")',
    ]
    assert "if part.warned is not None:" in text


def test_a_shape_whose_fields_the_format_does_not_have_is_tag_and_extras() -> None:
    mapping = a_mapping({}, {"text": "text"}, tag={"type": "text"})
    assert reads(mapping) == body("""
        extras = unmapped_members(wire, _TEXT)
        return TextPart(metadata=reader.as_metadata(extras))
    """)


def test_a_call_takes_the_spelling_of_the_tools_that_were_offered() -> None:
    mapping = a_mapping({"name!": STRING}, {"name": "name"}, type="ToolCall")
    assert "return reader.decode_call(ToolCall(name, metadata=reader.as_metadata(extras)))" in reads(mapping)
    assert writes(mapping).startswith("call = writer.encode_call(call, at)\n")


def test_tools_are_read_first_where_they_say_how_the_history_is_spelled() -> None:
    keys = {"messages": {"field": "messages", "text_or": "message"}, "tools": {"field": "tools", "text_or": "tool"}}
    mapping = a_mapping({"messages!": ARRAY, "tools": ARRAY}, keys, type="Request")
    first, offers, second, *_ = reads(mapping).splitlines()
    assert (first.split()[0], offers, second.split()[0]) == ("tools", "reader.set_offered_tools(tools)", "messages")
    assert "offers" not in reads(mapping)


def test_what_stands_outside_of_the_object_is_given_by_whoever_reads_it() -> None:
    mapping = a_mapping({"id!": STRING, "text!": STRING}, {"text": "text"}, outside={"id": "the key of the object"})
    assert reader_method(mapping).parameters[-1] == "id: str"
    assert "return TextPart(id, text, metadata=reader.as_metadata(extras))" in reads(mapping)


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
        assert all(line.isprintable() for line in method.body_lines)
        tree = ast.parse("\n".join([accepted_names(method) + ":", *(f"    {line}" for line in method.body_lines)]))
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
    return ["\n".join(method.body_lines) for method in (union_reader_method(union), union_writer_method(union))]


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
