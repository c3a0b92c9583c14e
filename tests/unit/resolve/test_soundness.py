from __future__ import annotations

from typing import Any

import pytest

from tests.support.sources import faults, linked, tool


@pytest.mark.parametrize(
    ("schema", "code", "message"),
    [
        ({"type": "float"}, "type-unknown", "float"),
        ({"type": ["string", "text"]}, "type-unknown", "text"),
        ({"type": 3}, "schema-invalid", "type"),
        ({"enum": []}, "enum-empty", "enum"),
        ({"type": "string", "enum": ["a", 1]}, "value-contradicts", "enum"),
        ({"type": "integer", "enum": [True]}, "value-contradicts", "enum"),
        ({"type": "string", "const": 1}, "value-contradicts", "const"),
        ({"type": "integer", "default": "1"}, "value-unfit", "default"),
        ({"type": "integer", "default": True}, "value-unfit", "default"),
        ({"type": "integer", "maximum": 3, "default": 4}, "value-unfit", "default"),
        ({"enum": ["a", "b"], "default": "c"}, "value-unfit", "default"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}], "default": "c"}, "value-unfit", "default"),
        ({"type": "array", "items": {"type": "string"}, "default": [1]}, "value-unfit", "default"),
        ({"type": "array", "items": {"minLength": 2}, "default": ["a"]}, "value-unfit", "default"),
        ({"type": "string", "minLength": 2, "default": "a"}, "value-unfit", "default"),
        ({"oneOf": [{"const": "a"}, {"enum": ["a", "b"]}], "default": "a"}, "value-unfit", "default"),
        ({"type": "integer", "default": None}, "default-null", "default"),
        ({"type": "string", "examples": ["a", 2]}, "value-unfit", "examples"),
        ({"minimum": 3, "maximum": 2}, "bounds-contradict", "minimum"),
        ({"exclusiveMinimum": 2, "maximum": 2}, "bounds-contradict", "exclusiveMinimum"),
        ({"minLength": 3, "maxLength": 2}, "bounds-contradict", "minLength"),
        ({"minItems": 3, "maxItems": 2}, "bounds-contradict", "minItems"),
        ({"minProperties": 3, "maxProperties": 2}, "bounds-contradict", "minProperties"),
        ({"minLength": -1}, "bound-invalid", "minLength"),
        ({"maxItems": 1.5}, "bound-invalid", "maxItems"),
        ({"minimum": "1"}, "bound-invalid", "minimum"),
        ({"minimum": True}, "bound-invalid", "minimum"),
        ({"multipleOf": 0}, "bound-invalid", "multipleOf"),
        ({"required": "a"}, "schema-invalid", "required"),
        ({"required": ["a", "a"]}, "schema-invalid", "required"),
        ({"required": ["a"], "additionalProperties": False}, "required-unknown", "required"),
        ({"required": ["a"], "additionalProperties": {"not": {}}}, "required-unknown", "required"),
        ({"required": ["a"], "properties": {"a": False}}, "required-forbidden", "required"),
        ({"required": ["a"], "properties": {"a": {"not": {}, "description": "d"}}}, "required-forbidden", "required"),
        ({"pattern": "("}, "pattern-unusable", "pattern"),
        ({"pattern": "(?=a)"}, "pattern-unusable", "pattern"),
        ({"pattern": "(a)\\1"}, "pattern-unusable", "pattern"),
        ({"patternProperties": {"(": True}}, "pattern-unusable", "pattern"),
        ({"properties": []}, "schema-invalid", "properties"),
        ({"$schema": "http://json-schema.org/draft-03/schema#"}, "dialect-unknown", "draft-03"),
    ],
)
def test_contradictions_are_named(schema: dict[str, Any], code: str, message: str) -> None:
    inside = {"properties": {"p": schema}} if "$schema" not in schema else schema

    findings = faults({"tools/a.yaml": tool(inside)})

    assert [f.code for f in findings] == [code]
    assert message in findings[0].message


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "integer", "examples": [1, "x"]}, "the value 'x' of `examples` does not match the schema around it: it is not of type integer"),
        ({"type": "string", "enum": ["a", {"b": 1}]}, "the value {\"b\": 1} of `enum` does not match the schema around it: it is not of type string"),
    ],
)  # fmt: skip
def test_a_value_that_does_not_fit_is_named_with_its_keyword(schema: dict[str, Any], message: str) -> None:
    (finding,) = faults({"tools/a.yaml": tool({"properties": {"p": schema}})})
    assert finding.message == message


@pytest.mark.parametrize("end", ["", "#"])
def test_a_schema_of_the_latest_dialect_is_read_like_one_that_names_none(end: str) -> None:
    latest = {"$schema": f"http://json-schema.org/schema{end}"}
    old = {"items": [{"type": "string"}], "additionalItems": False}
    assert not faults({"tools/a.yaml": tool({**latest, "properties": {"p": {"type": "array", **old}}})})


N = {"$ref": "#/$defs/N"}


@pytest.mark.parametrize(
    ("schema", "codes"),
    [
        ({**N, "default": {}}, ["default-in-itself"]),
        ({**N, "default": {"v": 1}}, ["default-in-itself"]),
        ({"type": "array", "items": N, "default": [{}]}, ["default-in-itself"]),
        ({"type": "array", "items": N, "default": []}, []),
        ({"type": "object", "additionalProperties": N, "default": {}}, []),
        ({"type": "array", "items": {**N, "default": {}}}, []),
    ],
)
def test_a_default_that_would_hold_itself_without_end_is_named(schema: dict[str, Any], codes: list[str]) -> None:
    node = {"type": "object", "properties": {"v": {"type": "integer"}, "p": schema}}
    parameters = {"properties": {"n": {**N, "default": {}}}, "$defs": {"N": node}}
    assert [f.code for f in faults({"tools/a.yaml": tool(parameters)})] == codes

    node["required"] = ["p"]
    assert "default-in-itself" not in [f.code for f in faults({"tools/a.yaml": tool(parameters)})]


@pytest.mark.parametrize(
    ("schema", "message", "hint"),
    [
        (
            None,
            "'p' is not valid JSON Schema: expected object or boolean, found null",
            "give it a value, or remove it",
        ),
        (5, "'p' is not valid JSON Schema: expected object or boolean, found integer", None),
        (
            "string",
            "'p' is not valid JSON Schema: expected object or boolean, found string",
            "write a schema: `{type: string}`",
        ),
        (
            {"required": True},
            "'required' is not valid JSON Schema: expected array, found boolean",
            "list the names of required properties next to `properties`: `required: [name]`",
        ),
        ({"items": "x"}, "'items' is not valid JSON Schema: expected object or boolean, found string", None),
        ({"title": True}, "'title' is not valid JSON Schema: expected string, found boolean", "put it in quotes"),
        (
            {"type": None},
            "'type' is not valid JSON Schema: null is not a valid value for it",
            "for the type null, put it in quotes; otherwise remove the keyword",
        ),
    ],
)
def test_types_have_their_json_names_and_null_a_hint(schema: Any, message: str, hint: str | None) -> None:
    (finding,) = faults({"tools/a.yaml": tool({"properties": {"p": schema}})})

    assert (finding.code, finding.message, finding.hint) == ("schema-invalid", message, hint)


@pytest.mark.parametrize("key", ["parameters", "result"])
@pytest.mark.parametrize(("value", "hint"), [(None, "give it a value, or remove it"), (5, None), ("x", None)])
def test_what_is_no_schema_at_all_is_told_once(key: str, value: Any, hint: str | None) -> None:
    (finding,) = faults({"tools/a.yaml": {"name": "a", key: value}})

    assert (finding.code, finding.hint) == ("wrong-type", hint)
    assert finding.message.startswith("expected object")


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer", "default": 1.0},
        {"type": ["string", "null"], "default": None, "enum": ["a", None]},
        {"required": ["a"], "additionalProperties": False, "patternProperties": {"^a": True}},
        {"required": ["a"]},
        {"pattern": "^\\p{L}+$", "default": "é"},
        {"minimum": 2, "maximum": 2},
        True,
    ],
)
def test_sound_schemas_pass(schema: Any) -> None:
    linked({"tools/a.yaml": tool({"properties": {"p": schema}})})


def test_faults_of_shared_types_are_reported_once_at_their_place() -> None:
    files = {
        "tools/a.yaml": tool({"properties": {"p": {"$ref": "../types/t.yaml"}}}, "a"),
        "tools/b.yaml": tool({"properties": {"p": {"$ref": "../types/t.yaml"}}}, "b"),
        "types/t.yaml": "type: integer\nconst: x\n",
    }

    (finding,) = faults(files)

    assert (finding.code, finding.span.path, finding.span.line) == (
        "value-contradicts",
        "schemas/types/t.yaml",
        2,
    )


def test_examples_are_judged_by_the_parameters() -> None:
    bad = tool({"properties": {"p": {"type": "string"}}}, examples=[{"p": "x"}, {"p": 1}])

    assert [f.code for f in faults({"tools/a.yaml": bad})] == ["example-invalid"]


def test_an_unknown_type_of_parameters_is_told_once() -> None:
    assert [f.code for f in faults({"tools/a.yaml": tool({"type": "objekt"})})] == ["type-unknown"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [("objct", "object"), ("strin", "string"), ("Int64", "integer"), ("List", "array"), ("flot", "number")],
)
def test_a_type_that_is_misspelled_names_the_nearest(name: str, meant: str) -> None:
    (fault,) = faults({"tools/a.yaml": tool({"type": name})})
    assert fault.hint == f"did you mean {meant}?"


@pytest.mark.parametrize("root", ["array", ["object", "null"], "string"])
def test_parameters_are_an_object(root: Any) -> None:
    assert [f.code for f in faults({"tools/a.yaml": tool({"type": root})})] == ["parameters-not-object"]
