"""References, dialect by dialect: resolved, kept, and in circles."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.support.schema_references import dangling
from tests.unit.runtime.lowering.lowered_schemas import (
    DIALECTS,
    NODE,
    OPENAPI,
    TEXT,
    admits,
    every_dialect,
    lowered,
    of,
    there_and_back,
)
from toolgen_runtime.apis.gemini.fields import from_openapi


@every_dialect
def test_references_lead_somewhere_or_are_resolved_with_the_words_beside_them(dialect: tuple[str, str]) -> None:
    schema = of(
        {"$ref": "#/$defs/P", "description": "Where to."},
        "a",
        **{"$defs": {"P": of({"$ref": "#/$defs/T"}, "a"), "T": {**TEXT, "description": "A text."}}},
    )
    schema["properties"]["b"] = {"type": "array", "items": {"$ref": "#/$defs/T"}}
    schema["properties"]["c"] = {"anyOf": [{"$ref": "#/$defs/P"}, {"type": "integer"}]}
    schema["required"] = ["a", "b", "c"]
    lowering = lowered(schema, dialect)
    assert "Where to." in str(lowering.schema["properties"]["a"])
    if DIALECTS[dialect].refs == "inline":
        assert "$ref" not in str(lowering.schema)
    for value, valid in (({"a": {"a": "x"}, "b": ["y"], "c": 1}, True), ({"a": {"a": 1}, "b": ["y"], "c": 1}, False)):
        spelled, returned = there_and_back(lowering, value)
        assert returned == value
        assert admits(lowering, spelled, openapi=dialect == OPENAPI) == valid


@every_dialect
def test_names_of_definitions_that_mean_something_in_a_pointer_lead_to_them_all_the_same(
    dialect: tuple[str, str],
) -> None:
    refs = {"a": "#/$defs/x~1y", "b": "#/$defs/x_y", "c": "#/$defs/50%25~0"}
    schema = of(TEXT, "a", "b", "c", **{"$defs": {"x/y": of(TEXT, "a"), "x_y": {"type": "integer"}, "50%~": TEXT}})
    schema["properties"] = {name: {"$ref": ref} for name, ref in refs.items()}
    lowering = lowered(schema, dialect)
    judge = Draft202012Validator(from_openapi(lowering.schema) if dialect == OPENAPI else lowering.schema)
    assert judge.is_valid({"a": {"a": "x"}, "b": 1, "c": "x"})
    for wrong in ({"a": 1, "b": 1, "c": "x"}, {"a": {"a": "x"}, "b": "x", "c": "x"}, {"a": {"a": "x"}, "b": 1, "c": 1}):
        assert not judge.is_valid(wrong)


NODES = {"type": "array", "items": {"$ref": "#/$defs/N"}}
MANY = {"type": "object", "properties": {"v": TEXT, "kids": NODES}, "required": ["v", "kids"]}


@pytest.mark.parametrize(
    ("definitions", "expected"),
    [
        ({"N": MANY}, {"N": {**MANY, "required": ["v"], "description": "Needs kids."}}),
        ({"N": {**MANY, "required": ["v"]}}, {"N": {**MANY, "required": ["v"]}}),
        (
            {"N": {**MANY, "required": ["kids"], "description": "A node"}},
            {"N": {"type": "object", "properties": MANY["properties"], "description": "A node. Needs kids."}},
        ),
        (
            {"N": of({"$ref": "#/$defs/M"}, "a"), "M": of({"anyOf": [{"$ref": "#/$defs/N"}, {"type": "null"}]}, "a")},
            {
                "N": {
                    "type": "object",
                    "properties": {"a": {"$ref": "#/$defs/M"}},
                    "additionalProperties": False,
                    "description": "Needs a.",
                },
                "M": of({"anyOf": [{"$ref": "#/$defs/N"}, {"type": "null"}]}, "a"),
            },
        ),
        (
            {"N": of({"$ref": "#/$defs/M"}, "a"), "M": of({"anyOf": [{"$ref": "#/$defs/N"}, {"type": "null"}]})},
            {"N": of({"$ref": "#/$defs/M"}, "a"), "M": {**of({"anyOf": [{"$ref": "#/$defs/N"}, {"type": "null"}]})}},
        ),
    ],
    ids=["list", "optional", "description", "two types", "two types, one optional"],
)
def test_a_recursion_of_gemini_has_an_optional_property(definitions: Any, expected: Any) -> None:
    schema = of({"$ref": "#/$defs/N"}, "a", **{"$defs": definitions})
    lowering = lowered(schema, ("gemini", "open"))
    plain = {
        name: {key: value for key, value in definition.items() if value != []} for name, definition in expected.items()
    }
    assert {
        n: {k: v for k, v in definition.items() if v != []} for n, definition in lowering.schema["$defs"].items()
    } == plain
    changed = [(change.pointer, change.what, change.action) for change in lowering.changes]
    name = "a" if "M" in definitions else "kids"
    assert changed == [(("$defs", "N", "required"), name, "described")] * (definitions != expected)


CIRCLES: dict[str, Any] = {
    "one type": {"$defs": {"N": NODE}},
    "two types": {"$defs": {"N": of({"$ref": "#/$defs/M"}), "M": of({"$ref": "#/$defs/N"})}},
    "through anyOf": {"$defs": {"N": of({"anyOf": [{"$ref": "#/$defs/N"}, {"type": "null"}]})}},
    "through a map": {"$defs": {"N": {"type": "object", "additionalProperties": {"$ref": "#/$defs/N"}}}},
    "no object": {
        "$defs": {
            "N": {
                "anyOf": [
                    TEXT,
                    {"type": "array", "items": {"$ref": "#/$defs/N"}},
                    {"type": "object", "additionalProperties": {"$ref": "#/$defs/N"}},
                ]
            }
        }
    },
}


@pytest.mark.parametrize("circle", CIRCLES)
@every_dialect
def test_a_type_inside_of_itself_ends_or_stays_or_is_refused(dialect: tuple[str, str], circle: str) -> None:
    lowering = lowered(of({"$ref": "#/$defs/N"}, "a", **CIRCLES[circle]), dialect)
    assert len(repr(lowering.schema)) < 20_000
    if lowering.unsupported_changes or "$ref" in repr(lowering.schema):
        return
    assert any("recursion is expanded" in r.reason or r.what == "additionalProperties" for r in lowering.changes)


@pytest.mark.slow
@every_dialect
def test_recursion_through_a_union_that_is_not_sent_ends(dialect: tuple[str, str]) -> None:
    """The first union is kept. The properties of the other one, which lead back to both, are declared next to it."""
    unions = {
        "parts": {"allOf": [{"anyOf": [of(TEXT), {}]}, {"anyOf": [{"$ref": "#/$defs/M"}, {}]}]},
        "both": {"anyOf": [of(TEXT), {}], "oneOf": [{"$ref": "#/$defs/M"}, {"required": ["z"]}]},
        "nested": {"anyOf": [{"type": "object", "oneOf": [{"$ref": "#/$defs/M"}, {}]}, {}]},
        "condition": {"if": {"required": ["z"]}, "then": {"$ref": "#/$defs/M"}},
    }
    for name, union in unions.items():
        union = {"type": "object", "properties": {"z": TEXT}, **union}
        definitions = {"T": union, "M": {"properties": {"next": union}, "required": ["next"]}}
        lowering = lowered(
            {"type": "object", "properties": {"t": {"$ref": "#/$defs/T"}}, "$defs": definitions}, dialect
        )
        if name == "condition" and DIALECTS[dialect].supports("if"):
            continue
        assert "'next'" in str(lowering.schema), name
        assert DIALECTS[dialect].plain or [c for c in lowering.changes if "recursion is" in c.reason], name


def doubling() -> dict[str, Any]:
    """Forty definitions, each of which refers to the next one twice."""
    names = [f"D{i}" for i in range(40)]
    definitions = {n: of({"$ref": f"#/$defs/D{i + 1}"}) for i, n in enumerate(names)}
    for i, name in enumerate(names):
        definitions[name]["properties"]["b"] = {"$ref": f"#/$defs/D{i + 1}"}
    return of({"$ref": "#/$defs/D0"}, **{"$defs": {**definitions, "D40": TEXT}})


def test_references_that_double_at_each_step_do_not_grow_without_end() -> None:
    lowering = lowered(doubling(), ("ollama", "open"))
    assert len(repr(lowering.schema)) < 200_000
    assert [record.reason for record in lowering.changes] == ["it is too large after references are inlined"]


def test_a_schema_that_is_too_large_is_not_strict() -> None:
    lowering = lowered(doubling(), ("openai_chat", "strict"), refs="inline", recursion="unroll")
    assert [(c.action, c.blocks_strict) for c in lowering.unsupported_changes] == [("narrowed", True)]


@every_dialect
def test_a_union_at_the_root_that_leads_back_to_itself_has_its_other_branches(dialect: tuple[str, str]) -> None:
    branch = {"type": "object", "properties": {"x": TEXT}, "required": ["x"], "additionalProperties": False}
    union = {"anyOf": [{"$ref": "#/$defs/U"}, {"oneOf": [{"$ref": "#/$defs/U"}, branch]}]}
    lowering = lowered({"type": "object", "$ref": "#/$defs/U", "$defs": {"U": union}}, dialect)
    if lowering.schema.get("properties"):
        assert list(lowering.schema["properties"]) == lowering.schema["required"] == ["x"]
    else:
        assert DIALECTS[dialect].plain


@pytest.mark.parametrize(
    "definitions",
    [
        {"A": {"anyOf": [{"$ref": "#/$defs/A"}, {"allOf": [{"type": "array"}, TEXT]}]}},
        {
            "A": {"$ref": "#/$defs/B", "description": "B."},
            "B": {"oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]},
        },
    ],
)
@every_dialect
def test_a_definition_that_leads_only_to_itself_admits_nothing(definitions: Any, dialect: tuple[str, str]) -> None:
    schema = of({"anyOf": [{"$ref": "#/$defs/A"}, {"type": "integer"}]}, "a", **{"$defs": definitions})
    lowering = lowered(schema, dialect)
    if DIALECTS[dialect].plain:
        assert lowering.schema["properties"] == schema["properties"]
    elif DIALECTS[dialect].refs == "keep" and DIALECTS[dialect].recursion != "unroll":
        assert "$ref" not in str(lowering.schema["properties"])
        assert admits(lowering, {"a": 1})
        assert not admits(lowering, {"a": "x"})
    else:
        assert any("recursion is expanded" in change.reason for change in lowering.changes)


GROUPED: dict[str, Any] = {
    "type": "object",
    "properties": {"a": {"$ref": "#/definitions/geo/point"}},
    "definitions": {
        "geo": {
            "description": "Places.",
            "point": {"type": "object", "properties": {"x": {"$ref": "#/definitions/geo/units/degree"}, "next": {"$ref": "#/definitions/geo/point"}}},
            "units": {"degree": {"type": "array"}, "metre": {"type": "number"}},
        },
        "unused": {"$ref": "#/definitions/unused_too"},
        "unused_too": {"type": "string"},
    },
}  # fmt: skip
"""Definitions in groups, of which one refers to itself."""


@every_dialect
def test_definitions_in_groups_are_definitions(dialect: tuple[str, str]) -> None:
    lowering = lowered(GROUPED, dialect)
    assert "a" in lowering.schema["properties"]
    assert "it cannot be resolved" not in {change.reason for change in lowering.changes}
    assert "the schema" not in {change.what for change in lowering.changes}
    assert list(dangling(lowering.schema)) == []


@every_dialect
def test_definitions_that_nothing_refers_to_are_left_out(dialect: tuple[str, str]) -> None:
    assert "unused" not in str(lowered(GROUPED, dialect).schema)
    alone = {"type": "object", "properties": {"a": TEXT}, "$defs": {"unused": {"$ref": "#/$defs/unused"}}}
    lowering = lowered(alone, dialect)
    assert "$defs" not in lowering.schema
    assert "$ref" not in {change.what for change in lowering.changes}


def test_definitions_stay_where_it_is_not_known_what_refers_to_them() -> None:
    for reference in ({"$ref": "other.json#/$defs/A"}, {"$dynamicRef": "#a"}):
        schema = {"type": "object", "properties": {"a": reference}, "$defs": {"A": {"$dynamicAnchor": "a"}}}
        assert lowered(schema, ("mcp", "open")).schema == schema


def test_rules_in_groups_are_adapted() -> None:
    leaf = lowered(GROUPED, ("openai_chat", "open")).schema["definitions"]["geo"]["units"]["degree"]
    assert leaf == {"type": "array", "items": {}}
