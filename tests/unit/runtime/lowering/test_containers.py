"""Arrays and objects, dialect by dialect: what is sent, and what keeps strict mode from being chosen."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.support.dialects import CHECKERS
from tests.unit.runtime.lowering.lowered_schemas import (
    NODE,
    OPENAPI,
    STRICT,
    TEXT,
    admits,
    every_dialect,
    lowered,
    of,
    sent,
    there_and_back,
)

ARRAYS: dict[str, Any] = {
    "nothing said": {"type": "array"},
    "an empty schema": {"type": "array", "items": {}},
    "true": {"type": "array", "items": True},
    "false": {"type": "array", "items": False},
    "a tuple": {"type": "array", "prefixItems": [TEXT, {"type": "integer"}], "items": False, "minItems": 2},
    "a tuple with a tail": {"type": "array", "prefixItems": [TEXT], "items": {"type": "integer"}},
    "an open tuple": {"type": "array", "prefixItems": [TEXT]},
}


@pytest.mark.parametrize("array", ARRAYS)
@every_dialect
def test_arrays_of_every_kind_are_sent_or_refused(dialect: tuple[str, str], array: str) -> None:
    lowering = lowered(of(ARRAYS[array], "a"), dialect)
    if lowering.unsupported_changes:
        assert array not in ("a tuple", "a tuple with a tail")
        return
    for value in ([], ["x", 1], ["x"]):
        if not Draft202012Validator(ARRAYS[array]).is_valid(value):
            continue
        spelled, returned = there_and_back(lowering, {"a": value})
        assert returned == {"a": value}
        assert admits(lowering, spelled, openapi=dialect == OPENAPI)


STOPPED: dict[str, tuple[Any, str]] = {
    "an optional text": (of(TEXT), ""),
    "an optional object": (of(of(TEXT, "a")), ""),
    "an object in anyOf": (of({"anyOf": [of(TEXT), {"type": "integer"}]}, "a"), ""),
    "recursive": (of({"$ref": "#/$defs/N"}, **{"$defs": {"N": {**NODE, "additionalProperties": False}}}), ""),
    "a map": (of({"type": "object", "additionalProperties": {"type": "integer"}}, "a"), "a map"),
    "a free object": (of({"type": "object"}, "a"), "a map"),
    "any value": (of({}, "a"), "a value of any type"),
    "optional or null": (of({"type": ["string", "null"]}), "an optional property that may be null"),
}


@pytest.mark.parametrize("case", STOPPED)
def test_strict_says_all_of_a_tool_or_why_it_cannot(case: str) -> None:
    schema, stopping = STOPPED[case]
    lowering = lowered(schema, STRICT)
    assert [record.what for record in lowering.changes if record.blocks_strict] == ([stopping] if stopping else [])


def test_a_map_goes_as_pairs_where_the_author_says_so() -> None:
    lowering = lowered(of({"type": "object", "additionalProperties": {"type": "integer"}}), STRICT, maps="pairs")
    assert list(CHECKERS[STRICT](lowering.schema)) == []
    assert not any(record.blocks_strict for record in lowering.changes)
    assert there_and_back(lowering, {"a": {"x": 1}}) == ({"a": [{"key": "x", "value": 1}]}, {"a": {"x": 1}})
    assert there_and_back(lowering, {}) == ({"a": None}, {})


@pytest.mark.parametrize("dialect", [("gemini", "open"), ("vertex", "open"), ("gemini", "openapi")], ids="-".join)
def test_gemini_gets_names_that_it_takes_and_each_required_property(dialect: tuple[str, str]) -> None:
    source = {"type": ["object"], "properties": {"a b": {"type": "string"}}, "required": ["a b", "c"]}
    lowering = lowered(source, dialect)
    assert str(lowering.schema["type"]).lower() == "object"
    assert (list(lowering.schema["properties"]), lowering.schema["required"]) == (["a_b", "c"], ["a_b", "c"])
    assert {(record.what, record.action) for record in lowering.changes} >= {
        ("a property's name", "rewritten"),
        ("c", "rewritten"),
    }
    spelled, back = there_and_back(lowering, {"a b": "x", "c": 1})
    assert (list(spelled), back) == (["a_b", "c"], {"a b": "x", "c": 1})


@every_dialect
def test_a_root_type_in_a_list_goes_as_a_text(dialect: tuple[str, str]) -> None:
    lowering = lowered({"type": ["object"], "properties": {"a": {"type": "string"}}, "required": ["a"]}, dialect)
    assert lowering.unsupported_changes or str(lowering.schema.get("type", "object")).lower() == "object"


@every_dialect
def test_declared_properties_are_not_encoded_like_further_ones(dialect: tuple[str, str]) -> None:
    properties = {"b": {"type": "boolean"}, "n": {"type": "string"}}
    lowering = lowered(of({"type": "object", "properties": properties, "additionalProperties": {}}, "a"), dialect)
    value = {"a": {"b": True, "n": "5"}}
    spelled, returned = there_and_back(lowering, value)
    assert returned == value
    assert lowering.unsupported_changes or admits(lowering, spelled, openapi=dialect == OPENAPI)


def test_further_properties_of_any_type_go_as_json_text_beside_declared_ones() -> None:
    inner = {"type": "object", "properties": {"n": {"type": "string"}}, "additionalProperties": {}}
    lowering = lowered(of(inner, "a"), OPENAPI)
    value = {"a": {"n": "5", "x": "7", "y": [1]}}
    assert there_and_back(lowering, value) == ({"a": {"n": "5", "x": '"7"', "y": "[1]"}}, value)


@every_dialect
def test_lists_have_items_where_recursion_ends(dialect: tuple[str, str]) -> None:
    node = {"type": "array", "items": {"$ref": "#/$defs/L"}}
    assert lowered(of({"$ref": "#/$defs/L"}, "a", **{"$defs": {"L": node}}), dialect).schema


def closed_unless_open(schema: Any) -> Any:
    """A schema as xAI reads it: an object without `additionalProperties` has no further ones."""
    if isinstance(schema, list):
        return [closed_unless_open(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    members = {key: closed_unless_open(value) for key, value in schema.items()}
    return {"additionalProperties": False, **members} if "object" in str(schema.get("type")) else members


@pytest.mark.parametrize(
    ("inner", "value"),
    [
        ({"type": "object", "patternProperties": {"^x": {"type": "string", "contentEncoding": "base64"}}}, {"x": "YQ==", "y": 1}),
        ({"type": "object", "patternProperties": {"^x": {"type": "object"}}, "additionalProperties": False}, {"x": {"y": 1}}),
        ({"type": "object", "patternProperties": {"^x": {"contains": {"const": 1}}}, "additionalProperties": {"type": "array"}}, {"x": [1], "y": []}),
        ({"$ref": "#/$defs/N"}, {"n": {"n": {"n": {"n": {"n": {}}}}}}),
        ({"type": "object", "patternProperties": {"^x": {"type": "object", "properties": {"p q": {"enum": [1]}}, "additionalProperties": False}}}, {"x": {"p q": 1}}),
    ],
)  # fmt: skip
def test_objects_stay_open_where_a_provider_closes_them_unless_they_say_otherwise(inner: Any, value: Any) -> None:
    node = {"type": "object", "properties": {"n": {"$ref": "#/$defs/N"}}, "additionalProperties": False}
    lowering = lowered(of(inner, "a", **{"$defs": {"N": node}}), ("xai", "open"))

    assert Draft202012Validator(closed_unless_open(lowering.schema)).is_valid({"a": value})
    assert [change for change in lowering.changes if change.action == "narrowed"] == []


@pytest.mark.parametrize("dialect", [("xai", "open"), ("agent_sdk", "open")])
def test_a_keyword_inside_pattern_properties_does_not_cost_the_others(dialect: tuple[str, str]) -> None:
    patterns = {
        "^x": {"type": "string", "minLength": 1},
        "^y": {"type": "array", "minItems": 1, "unevaluatedItems": False},
    }
    patterns = {name: {**schema, "description": name} for name, schema in patterns.items()}
    schema_sent = sent({"type": "object", "patternProperties": patterns, "additionalProperties": False}, dialect)

    assert schema_sent["patternProperties"]["^x"] == patterns["^x"]
    assert {**schema_sent["patternProperties"]["^y"], "unevaluatedItems": False} == patterns["^y"]
    assert schema_sent["additionalProperties"] is False
