"""What a schema says of its types: every one of them in a dialect that has six and no union."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.runtime.lowering.lowered_schemas import TEXT, admits, every_dialect, lowered, of, there_and_back

PLAIN: list[tuple[Any, Any, Any, Any]] = [
    (TEXT, {"type": "string", "description": ""}, "x", "x"),
    ({"type": "string", "description": "A name.", "minLength": 2}, {"type": "string", "description": "A name. At least 2 characters."}, "xy", "xy"),
    ({"type": ["string", "integer"]}, {"type": "string", "description": "One of these types: string, integer. Any JSON value, as JSON text."}, 7, "7"),
    ({"type": ["string", "integer", "null"]}, {"type": "string", "description": "One of these types: string, integer. Any JSON value, as JSON text."}, None, "null"),
    ({}, {"type": "string", "description": "Any JSON value, as JSON text."}, {"b": [1]}, '{"b":[1]}'),
    ({"type": "null"}, {"type": "string", "description": "Any JSON value, as JSON text."}, None, "null"),
    ({"enum": ["x", None]}, {"type": "string", "enum": ["x", "null"], "description": ""}, None, "null"),
    ({"type": "boolean", "const": True}, {"type": "string", "enum": ["true"], "description": ""}, True, "true"),
    ({"type": "number", "enum": [1, 0.5]}, {"type": "number", "enum": [1, 0.5], "description": ""}, 0.5, 0.5),
    ({"type": "object", "additionalProperties": TEXT}, {"type": "object", "properties": {}, "description": ""}, {"b": "x"}, {"b": "x"}),
    ({"type": "array"}, {"type": "array", "items": {"type": "string", "description": "Any JSON value, as JSON text."}, "description": ""}, [1, "x"], ["1", '"x"']),
    ({"type": "array", "items": False}, {"type": "array", "items": {"type": "string", "description": ""}, "description": "At most 0 items."}, [], []),
    ({"type": "array", "items": {"type": "integer", "enum": []}}, {"type": "array", "items": {"type": "string", "description": "There is no such value."}, "description": ""}, [], []),
    ({"type": "array", "prefixItems": [TEXT, {"type": "integer"}], "items": False}, {"type": "array", "items": {"type": "string", "description": "Any JSON value, as JSON text."}, "description": "At most 2 items. In this order: string, integer."}, ["x", 1], ['"x"', "1"]),
    ({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]}, {"type": "integer", "description": "At least 1."}, 3, 3),
    ({"type": "object", "properties": {"p": TEXT}, "anyOf": [{"properties": {"q": TEXT}, "required": ["q"]}, {"$ref": "#/$defs/R"}]}, {"type": "object", "properties": {"p": {"type": "string", "description": ""}, "q": {"type": "string", "description": ""}, "r": {"type": "string", "description": ""}}, "description": "Needs q, or r."}, {"p": "x", "q": "y"}, {"p": "x", "q": "y"}),
    ({"anyOf": [{"type": "array"}, {}]}, {"type": "string", "description": "Any JSON value, as JSON text."}, 7, "7"),
    ({"oneOf": [{"$ref": "#/$defs/S"}, {"$ref": "#/$defs/T"}]}, {"type": "object", "properties": {"kind": {"type": "string", "enum": ["s", "t"], "description": ""}, "n": {"type": "integer", "description": ""}}, "required": ["kind"], "description": "Needs kind."}, {"kind": "s"}, {"kind": "s"}),
    ({"anyOf": [TEXT, {"$ref": "#/$defs/R"}, {"$ref": "#/$defs/S"}]}, {"type": "string", "description": "One of these types: string, object with r, object with kind. Any JSON value, as JSON text."}, {"r": "x"}, '{"r":"x"}'),
]  # fmt: skip
DEFINITIONS = {
    "R": {"type": "object", "properties": {"r": TEXT}, "required": ["r"]},
    "S": {"type": "object", "properties": {"kind": {"const": "s"}}, "required": ["kind"]},
    "T": {
        "type": "object",
        "properties": {"kind": {"const": "t"}, "n": {"type": "integer"}},
        "required": ["kind"],
    },
}


@pytest.mark.parametrize(("inner", "expected", "value", "spelled"), PLAIN)
def test_a_dialect_of_six_types_says_every_type_and_description(
    inner: Any, expected: Any, value: Any, spelled: Any
) -> None:
    """What has several types, or any, goes as JSON text; a null that is not listed cannot be said, and that is recorded."""
    lowering = lowered(of(inner, "a", **{"$defs": DEFINITIONS}), ("kagami", "open"))
    assert lowering.schema["properties"]["a"] == expected
    assert there_and_back(lowering, {"a": value}) == ({"a": spelled}, {"a": value})
    assert "description" not in lowering.schema


def test_a_description_that_is_lacking_is_recorded_and_so_is_null() -> None:
    lowering = lowered(of({"type": ["string", "null"]}, "a"), ("kagami", "open"))
    assert [(r.pointer, r.what, r.action) for r in lowering.changes if r.pointer] == [
        (("properties", "a"), "description", "defaulted"),
        (("properties", "a"), "null", "narrowed"),
    ]


def test_recursion_ends_in_json_text_in_a_dialect_of_six_types() -> None:
    lowering = lowered({"type": "object", "properties": {"me": {"$ref": "#"}}}, ("kagami", "open"))
    value: Any = {}
    for _ in range(6):
        value = {"me": value}
    spelled, returned = there_and_back(lowering, value)
    assert returned == value
    assert admits(lowering, spelled)
    assert '{"me":' in str(spelled)


@every_dialect
def test_a_property_of_two_types_that_exclude_each_other_is_not_sent(dialect: tuple[str, str]) -> None:
    inner = {
        "allOf": [{"properties": {"n": {"type": "null"}}}, {"type": "object", "properties": {"n": TEXT, "m": TEXT}}]
    }
    lowering = lowered(of(inner, "a"), dialect)
    assert list(lowering.schema["properties"]["a"].get("properties", {"m": TEXT})) == ["m"] or "allOf" in repr(
        lowering.schema
    )


@every_dialect
def test_a_root_union_does_not_restrict_what_only_one_branch_restricts(dialect: tuple[str, str]) -> None:
    modes = {"type": "string", "enum": ["a", "b"]}
    union = [{"properties": {"mode": {"const": "a"}, "free": {"type": "integer"}}}, {"required": ["x"]}]
    lowering = lowered(
        {**of(modes, "mode", "free"), "properties": {"mode": modes, "x": TEXT, "free": {}}, "anyOf": union}, dialect
    )
    merged = "anyOf" not in lowering.schema and not lowering.unsupported_changes
    assert not merged or lowering.schema["properties"]["mode"]["enum"][:2] == ["a", "b"]
    restricted = merged and lowering.schema["properties"]["free"].get("type") in ("integer", "INTEGER")
    reported = [r.pointer for r in lowering.changes if r.action == "narrowed" and r.what == "a property"]
    assert reported == [("properties", "free")] or not restricted


@pytest.mark.parametrize(
    ("inner", "wire", "value", "spelled"),
    [
        ({"enum": ["x", "y"]}, {"type": "string", "enum": ["x", "y"]}, "x", "x"),
        ({"const": 3}, {"type": "integer", "const": 3}, 3, 3),
        ({"enum": [1, "x"]}, {"type": ["integer", "string"], "enum": [1, "x"]}, 1, 1),
        (True, {"type": "string", "description": "Any JSON value, as JSON text."}, [1, None], "[1,null]"),
        ({"type": "array"}, {"type": "array"}, [1, "x"], [1, "x"]),
        ({"type": "array", "items": {}}, {"type": "array", "items": {}}, [1, "x"], [1, "x"]),
        ({"type": "object", "additionalProperties": {}}, {"type": "object", "additionalProperties": {}}, {"b": 1}, {"b": 1}),
    ],
)  # fmt: skip
def test_cohere_gets_a_type_for_each_property(inner: Any, wire: Any, value: Any, spelled: Any) -> None:
    """Its API refuses a property without a type; items and values of maps need none."""
    lowering = lowered(of(inner, "a"), ("cohere", "open"))
    assert lowering.schema["properties"]["a"] == wire
    assert there_and_back(lowering, {"a": value}) == ({"a": spelled}, {"a": value})


@pytest.mark.parametrize(
    ("inner", "wire", "value", "spelled"),
    [
        ({"$ref": "#/$defs/Any"}, {"type": "string", "description": "x. Any JSON value, as JSON text."}, [1], "[1]"),
        ({"$ref": "#/$defs/True"}, {"type": "string", "description": "Any JSON value, as JSON text."}, [1], "[1]"),
        ({"$ref": "#/$defs/Chain"}, {"type": "string", "description": "x. Any JSON value, as JSON text."}, 1, "1"),
        ({"allOf": [{"$ref": "#/$defs/Any"}]}, {"type": "string", "description": "x. Any JSON value, as JSON text."}, 1, "1"),
        ({"$ref": "#/$defs/Any", "description": "y"}, {"type": "string", "description": "y. Any JSON value, as JSON text."}, 1, "1"),
        ({"$ref": "#/$defs/Listed"}, {"type": "string", "enum": ["x"]}, "x", "x"),
        ({"type": "object", "properties": {"b": {"$ref": "#/$defs/True"}}}, {"type": "object", "properties": {"b": {"type": "string", "description": "Any JSON value, as JSON text."}}}, {"b": 1}, {"b": "1"}),
        ({"$ref": "#/$defs/Text"}, {"$ref": "#/$defs/Text"}, "x", "x"),
        ({"type": "array", "items": {"$ref": "#/$defs/Any"}}, {"type": "array", "items": {"$ref": "#/$defs/Any"}}, [1], [1]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("mode", ["open", "strict"])
def test_a_definition_without_a_type_is_no_type_of_a_property(
    mode: str, inner: Any, wire: Any, value: Any, spelled: Any
) -> None:
    definitions = {
        "Any": {"description": "x"},
        "True": True,
        "Chain": {"$ref": "#/$defs/Any"},
        "Listed": {"enum": ["x"]},
        "Text": {"type": "string"},
    }
    lowering = lowered(of(inner, "a") | {"$defs": definitions}, ("cohere", mode))
    assert lowering.schema["properties"]["a"] == wire
    assert there_and_back(lowering, {"a": value}) == ({"a": spelled}, {"a": value})


def test_a_property_of_a_definition_that_refers_to_itself_has_a_type() -> None:
    """Its untyped properties are sent as JSON text at each level."""
    inside = {"b": {"$ref": "#/$defs/Any"}, "next": {"$ref": "#/$defs/Node"}}
    definitions = {"Node": {"type": "object", "properties": inside}, "Any": {"not": {"type": "null"}}}
    lowering = lowered(of({"$ref": "#/$defs/Node"}, "a") | {"$defs": definitions}, ("cohere", "open"))
    assert lowering.schema["$defs"]["Node"]["properties"]["b"]["type"] == "string"
    value = {"a": {"b": [1], "next": {"b": 2}}}
    assert there_and_back(lowering, value) == ({"a": {"b": "[1]", "next": {"b": "2"}}}, value)


@pytest.mark.parametrize(
    ("rule", "names"),
    [
        ({"if": {"properties": {"b": {"const": 1}}}, "then": {"required": ["a"]}}, ["b"]),
        ({"if": {"anyOf": [{"required": ["b"]}, {"required": ["a"]}]}, "then": {"minProperties": 2}}, ["b"]),
        ({"allOf": [{"not": {"required": ["b", "c"]}}]}, ["b", "c"]),
        ({"dependentRequired": {"b": ["a"]}}, ["b"]),
        ({"dependentSchemas": {"b": {"minProperties": 2}}}, ["b"]),
        ({"if": {"required": ["a"]}, "then": {"minProperties": 1}}, []),
        ({"if": {"required": ["b"]}, "then": {"required": ["a"]}, "additionalProperties": False}, []),
    ],
)
def test_a_name_that_only_a_condition_has_cannot_be_sent_in_strict_mode(rule: Any, names: list[str]) -> None:
    source = {"type": "object", "properties": {"a": {"type": "string"}}, **rule}
    lowering = lowered({"type": "object", "properties": {"x": source}}, ("openai_chat", "strict"))
    blocked = [change.what for change in lowering.changes if change.action == "narrowed" and change.blocks_strict]
    assert blocked == names
