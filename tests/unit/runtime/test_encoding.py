"""Values of lowered schemas, encoded and decoded: null for what is absent, and the branch that a value goes by."""

from __future__ import annotations

from tests.unit.runtime.lowering.lowered_schemas import OPENAPI, STRICT, TEXT, lowered, of, there_and_back
from toolgen_runtime.conversion.encoding import Encoding


def test_null_for_what_may_be_absent_comes_back_as_absent_and_other_nulls_stay() -> None:
    schema = {
        "type": "object",
        "properties": {
            "optional": TEXT,
            "default": {"type": "integer", "default": 3},
            "nullable": {"type": ["string", "null"]},
            "both": {"type": ["string", "null"]},
        },
        "required": ["nullable"],
    }
    lowering = lowered(schema, STRICT)
    every = {"optional": None, "default": None, "nullable": None, "both": None}
    assert Encoding(lowering.encoding_table or {}).encode({"nullable": None}) == every
    assert Encoding(lowering.encoding_table or {}).decode(every) == {"nullable": None, "both": None}
    values = {"optional": "x", "default": 1, "nullable": "y", "both": "z"}
    assert there_and_back(lowering, values) == (values, values)


def test_a_value_goes_by_the_branch_that_has_a_place_for_all_of_it() -> None:
    open_one = {"type": "object", "properties": {"ok": {"type": "boolean"}}}
    renamed = {"type": "object", "properties": {"a b": {"type": "integer"}, "c": TEXT}, "required": ["a b"]}
    lowering = lowered(of({"anyOf": [open_one, renamed]}, "a"), STRICT, properties="[a-z_]+")
    for value, spelled in (
        ({"a b": 1}, {"a_b": 1, "c": None}),
        ({"a b": 1, "c": "x"}, {"a_b": 1, "c": "x"}),
        ({"ok": True}, {"ok": True}),
        ({}, {"ok": None}),
        ({"a b": 1, "other": 2}, {"a b": 1, "other": 2, "ok": None}),
    ):
        assert Encoding(lowering.encoding_table or {}).encode({"a": value}) == {"a": spelled}
        assert Encoding(lowering.encoding_table or {}).decode({"a": spelled}) == {"a": value} or "other" in value


def test_a_branch_is_recognized_by_what_the_rules_next_to_the_union_add() -> None:
    both = {"type": "object", "properties": {"on": {"type": "boolean"}, "n": TEXT}, "required": ["on"]}
    off = {"properties": {"on": {"enum": [False]}, "n": {"type": "null"}}}
    lowering = lowered(of({**both, "anyOf": [off, {"properties": {"on": {"enum": [True]}}}]}, "a"), ("gemini", "open"))
    for value, spelled in (({"on": True, "n": "x"}, {"on": "true", "n": "x"}), ({"on": False}, {"on": "false"})):
        assert there_and_back(lowering, {"a": value}) == ({"a": spelled}, {"a": value})


def test_a_branch_with_null_in_it_is_recognized_where_null_is_a_flag() -> None:
    branch = of({}, "a") | {"properties": {"a": {}, "n": {"type": ["boolean", "null"]}, "e": {"enum": ["x", None]}}}
    lowering = lowered(of({"anyOf": [branch, of(TEXT, "a")]}, "a"), OPENAPI)
    value = {"a": {"a": {"k": 1}, "n": None, "e": None}}
    assert there_and_back(lowering, value) == ({"a": {"a": '{"k":1}', "n": None, "e": None}}, value)
