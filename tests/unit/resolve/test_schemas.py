from __future__ import annotations

from typing import Any

import pytest

from tests.support.sources import faults, linked, tool


def test_parameters_equal_a_source_without_references_out() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "title": "T",
        "properties": {"a": {"$ref": "#/$defs/A", "description": "kept beside"}},
        "x-vendor": {"kept": True},
        "$defs": {"A": {"type": "string"}, "unused": {"type": "integer"}},
    }

    (probe,), _ = linked({"tools/a.yaml": tool(schema)})

    assert probe.parameters == schema


def test_an_own_definition_gives_way_to_a_shared_type() -> None:
    schema = {
        "properties": {"a": {"$ref": "#/$defs/Place"}, "b": {"$ref": "../types/place.yaml"}},
        "$defs": {"Place": {"type": "integer"}},
    }

    (probe,), _ = linked({"tools/a.yaml": tool(schema), "types/place.yaml": {"type": "string"}})

    assert probe.parameters == {
        "properties": {"a": {"$ref": "#/$defs/Place_2"}, "b": {"$ref": "#/$defs/Place"}},
        "$defs": {"Place_2": {"type": "integer"}, "Place": {"type": "string"}},
    }
    assert probe.shared == ("Place",)


def test_draft_07_comes_out_as_2020_12() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {
            "pair": {"items": [{"type": "string"}], "additionalItems": {"$ref": "#/definitions/n"}},
            "open": {"additionalItems": False, "items": {"type": "string"}},
            "ref": {"$ref": "#/definitions/n", "description": "said", "minimum": 100},
        },
        "dependencies": {"pair": ["open"], "ref": {"required": ["pair"]}},
        "definitions": {"n": {"type": "integer"}},
    }

    (probe,), _ = linked({"tools/a.yaml": tool(schema)})

    assert probe.parameters == {
        "type": "object",
        "properties": {
            "pair": {"prefixItems": [{"type": "string"}], "items": {"$ref": "#/$defs/n"}},
            "open": {"items": {"type": "string"}},
            "ref": {"$ref": "#/$defs/n", "description": "said"},
        },
        "dependentRequired": {"pair": ["open"]},
        "dependentSchemas": {"ref": {"required": ["pair"]}},
        "$defs": {"n": {"type": "integer"}},
    }


def test_draft_04_comes_out_as_2020_12() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "id": "http://example.org/a",
        "type": "object",
        "properties": {
            "above": {"minimum": 1, "exclusiveMinimum": True, "maximum": 3, "exclusiveMaximum": False},
            "later": {
                "const": 1,
                "contains": {},
                "propertyNames": {},
                "if": {},
                "then": False,
                "items": {"type": "null"},
            },
            "ref": {"$ref": "#/definitions/n", "minimum": 100},
        },
        "definitions": {"n": {"type": "integer"}},
    }

    (probe,), _ = linked({"tools/a.yaml": tool(schema)})

    assert probe.parameters == {
        "type": "object",
        "properties": {
            "above": {"exclusiveMinimum": 1, "maximum": 3},
            "later": {"items": {"type": "null"}},
            "ref": {"$ref": "#/$defs/n"},
        },
        "$defs": {"n": {"type": "integer"}},
    }


@pytest.mark.parametrize(
    ("schema", "code"),
    [
        ({"minimum": 3, "maximum": 3, "exclusiveMinimum": True}, "bounds-contradict"),
        ({"exclusiveMinimum": 3, "minimum": 3}, "schema-invalid"),
        ({"required": []}, "schema-invalid"),
        ({"exclusiveMinimum": True}, "schema-invalid"),
    ],
)
def test_draft_04_is_checked_by_its_own_rules(schema: dict[str, Any], code: str) -> None:
    findings = faults({"tools/a.yaml": tool({"$schema": "http://json-schema.org/draft-04/schema#", "not": schema})})

    assert [f.code for f in findings] == [code]


def test_types_keep_their_references_to_each_other() -> None:
    files = {
        "tools/a.yaml": tool({"properties": {"p": {"$ref": "../types/a.yaml"}}}),
        "types/a.yaml": {"properties": {"b": {"$ref": "b.yaml"}, "a": {"$ref": "#"}}},
        "types/b.yaml": {"type": "array", "items": {"$ref": "a.yaml#/properties/b"}},
    }

    (probe,), types = linked(files)

    assert {t.name: t.refers for t in types} == {"A": ("B", "A"), "AB": ("B",), "B": ("AB",)}
    assert probe.shared == ("A", "AB", "B")
    assert probe.parameters is not None
    assert set(probe.parameters["$defs"]) == {"A", "AB", "B"}


@pytest.mark.parametrize(
    "schema", [{}, {"$schema": "http://json-schema.org/draft-07/schema#"}], ids=["none", "draft-07"]
)
def test_a_flag_of_draft_04_with_one_meaning_is_a_bound(schema: dict[str, Any]) -> None:
    above = {"type": "number", "minimum": 1, "exclusiveMinimum": True, "maximum": 3, "exclusiveMaximum": False}
    source = {**schema, "type": "object", "properties": {"above": above}}
    (probe,), _ = linked({"tools/a.yaml": tool(source)})
    assert probe.parameters is not None
    assert probe.parameters["properties"]["above"] == {"type": "number", "exclusiveMinimum": 1, "maximum": 3}
    assert probe.parameter_span(("properties", "above"), "exclusiveMinimum") == probe.parameter_span(
        ("properties", "above"), "minimum"
    )


def test_a_flag_of_draft_04_about_nothing_is_refused() -> None:
    findings = faults({"tools/a.yaml": tool({"type": "object", "properties": {"a": {"exclusiveMinimum": True}}})})
    assert [finding.code for finding in findings] == ["bound-invalid"]


GROUPED: dict[str, Any] = {
    "type": "object",
    "properties": {"a": {"$ref": "#/definitions/geo/point"}},
    "definitions": {
        "geo": {
            "point": {"type": "object", "properties": {"x": {"$ref": "#/definitions/geo/units/degree"}}},
            "units": {"degree": {"type": "number"}, "metre": {"type": "number"}},
        }
    },
}


def test_definitions_in_groups_become_definitions_without_their_groups() -> None:
    (probe,), _ = linked({"tools/a.yaml": tool(GROUPED)})
    assert probe.parameters == {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/point"}},
        "$defs": {
            "point": {"type": "object", "properties": {"x": {"$ref": "#/$defs/degree"}}},
            "degree": {"type": "number"},
        },
    }
