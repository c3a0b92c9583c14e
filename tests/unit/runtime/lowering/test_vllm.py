"""Schemas for vLLM, whose server makes one schema of all tools, and enforces it with one of two engines."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from llguidance import LLMatcher

from tests.support.every_row import over
from tests.unit.runtime.lowering.lowered_schemas import DIALECTS, NODE, TEXT, lowered, of, sent

MODES = [("vllm", "open"), ("vllm", "strict")]
each_mode = pytest.mark.parametrize("dialect", MODES, ids="-".join)


def of_all_tools(*schemas: dict[str, Any]) -> dict[str, Any]:
    """What `tool_parsers/utils.py` of vLLM 0.32 makes of the schemas of tools, if a call of any of them is required."""
    tools, definitions = [], dict[str, Any]()
    for i, schema in enumerate(schemas):
        for name, definition in schema.get("$defs", {}).items():
            assert definitions.setdefault(name, definition) == definition, f"{name} has multiple schemas"
        parameters = {key: value for key, value in schema.items() if key != "$defs"}
        tools.append({"properties": {"name": {"enum": [f"tool_{i}"]}, "parameters": parameters}, "required": ["name", "parameters"]})  # fmt: skip
    return {"type": "array", "minItems": 1, "items": {"type": "object", "anyOf": tools}, "$defs": definitions}


def calls_are_valid(schema: dict[str, Any], name: str, arguments: Any) -> bool:
    """Whether the schema of all tools admits a call."""
    return bool(Draft202012Validator(schema).is_valid([{"name": name, "parameters": arguments}]))


@each_mode
def test_definitions_of_one_name_do_not_meet_where_they_are_collected(dialect: tuple[str, str]) -> None:
    number = {"type": "integer"}
    first, second = (
        lowered({**of({"$ref": "#/$defs/T"}, "a"), "$defs": {"T": inner}}, dialect).schema for inner in (TEXT, number)
    )
    together = of_all_tools(first, second)
    assert calls_are_valid(together, "tool_0", {"a": "x"})
    assert not calls_are_valid(together, "tool_0", {"a": 1})
    assert calls_are_valid(together, "tool_1", {"a": 1})
    assert len(together["$defs"]) == 2
    again = lowered({**of({"$ref": "#/$defs/T"}), "$defs": {"T": TEXT}}, dialect).schema
    assert again["$defs"] == first["$defs"], "what is the same has the same name"


@each_mode
def test_definitions_that_differ_in_what_they_refer_to_do_not_meet(dialect: tuple[str, str]) -> None:
    schemas = [
        lowered(
            {**of({"$ref": "#/$defs/A"}, "a"), "$defs": {"A": of({"$ref": "#/$defs/B"}, "a"), "B": inner}}, dialect
        ).schema
        for inner in (TEXT, {"type": "boolean"})
    ]
    together = of_all_tools(*schemas)
    assert calls_are_valid(together, "tool_1", {"a": {"a": True}})
    assert not calls_are_valid(together, "tool_0", {"a": {"a": True}})


@each_mode
def test_a_reference_to_the_root_leads_to_the_tool_in_any_schema(dialect: tuple[str, str]) -> None:
    tree = {"type": "object", "properties": {"v": TEXT, "next": {"$ref": "#"}}, "required": ["v"]}
    lowering = lowered(tree, dialect)
    assert '"#"' not in json.dumps(lowering.schema)
    for schema, prefix in ((lowering.schema, ()), (of_all_tools(lowering.schema), ("tool_0",))):
        for arguments, valid in (({"v": "a", "next": {"v": "b"}}, True), ({"v": "a", "next": {"v": 1}}, False)):
            assert (calls_are_valid(schema, *prefix, arguments) if prefix else Draft202012Validator(schema).is_valid(arguments)) == valid  # fmt: skip


@each_mode
def test_a_definition_named_root_stays_apart_from_the_root(dialect: tuple[str, str]) -> None:
    schema = {**of({"$ref": "#/$defs/root"}, b={"$ref": "#"}), "$defs": {"root": TEXT}}
    schema["properties"] |= {"b": {"$ref": "#"}}
    del schema["b"]
    together = of_all_tools(lowered(schema, dialect).schema)
    assert calls_are_valid(together, "tool_0", {"a": "x", "b": {"a": "y"}})
    assert not calls_are_valid(together, "tool_0", {"b": "x"})


@each_mode
def test_an_identifier_does_not_hide_the_definitions(dialect: tuple[str, str]) -> None:
    identifier = "https://example.org/t"
    schema = {"$id": identifier, **of({"$ref": f"{identifier}#/$defs/N"}), "$defs": {"N": NODE}}
    together = of_all_tools(lowered(schema, dialect).schema)
    assert "$id" not in json.dumps(together)
    assert calls_are_valid(together, "tool_0", {"a": {"v": "x", "next": {"v": "y"}}})


def test_references_in_values_are_no_references() -> None:
    value = {"$ref": "#/$defs/T"}
    schema = of({"$ref": "#/$defs/T", "default": value}, **{"$defs": {"T": {"enum": [value]}}})
    written = lowered(schema, MODES[0]).schema
    ((_, definition),) = written["$defs"].items()
    assert (definition["enum"], written["properties"]["a"]["default"]) == ([value], value)


CONSTRAINED: dict[str, tuple[Any, Any]] = {
    "a format of paths": ({**TEXT, "format": "path"}, {**TEXT, "description": "Format: path."}),
    "a format of bytes": ({**TEXT, "format": "binary"}, {**TEXT, "description": "Format: binary."}),
    "a format of patterns": ({**TEXT, "format": "regex"}, {**TEXT, "description": "Format: regex."}),
    "a format of one engine": ({**TEXT, "format": "uri-template"}, {**TEXT, "description": "Format: uri-template."}),
    "a format of both": ({**TEXT, "format": "uri"}, {**TEXT, "format": "uri"}),
    "a number": ({"type": "integer", "format": "int64"}, {"type": "integer", "format": "int64"}),
    "unique items": (
        {"type": "array", "items": TEXT, "uniqueItems": True},
        {"type": "array", "items": TEXT, "description": "No item twice."},
    ),
    "an open tuple": ({"type": "array", "prefixItems": [TEXT]}, {"type": "array", "prefixItems": [TEXT], "items": {}}),
    "any object": ({"type": "object"}, {"type": "object", "additionalProperties": True}),
    "a map": ({"type": "object", "additionalProperties": TEXT}, {"type": "object", "additionalProperties": TEXT}),
    "a required property of a map": (
        {"type": "object", "required": ["x"], "additionalProperties": TEXT},
        {"type": "object", "properties": {"x": TEXT}, "required": ["x"], "additionalProperties": TEXT},
    ),
    "a pattern inside": ({**TEXT, "pattern": "a+"}, {**TEXT, "description": "Matches a+"}),
    "a whole pattern": ({**TEXT, "pattern": "^(a|b)[0-9]{2}$"}, {**TEXT, "pattern": "^(a|b)[0-9]{2}$"}),
    "two patterns": ({**TEXT, "pattern": "^a|b$"}, {**TEXT, "description": "Matches ^a|b$"}),
    "a look ahead": ({**TEXT, "pattern": "^(?!a).*$"}, {**TEXT, "description": "Matches ^(?!a).*$"}),
    "a class of letters": ({**TEXT, "pattern": "^\\p{L}$"}, {**TEXT, "description": "Matches ^\\p{L}$"}),
    "optional": ({"type": ["string", "null"], "minLength": 2}, {"type": ["string", "null"], "minLength": 2}),
    "anything": ({}, {}),
}  # fmt: skip


@each_mode
@over("case", CONSTRAINED)
def test_both_engines_enforce_what_is_sent(dialect: tuple[str, str], case: tuple[Any, Any]) -> None:
    source, written = case
    assert sent(source, dialect) == written
    grammar = LLMatcher.grammar_from_json_schema(json.dumps(of_all_tools(lowered(of(source, "a"), dialect).schema)))
    assert not LLMatcher.validate_grammar(grammar)


def test_both_modes_are_one_dialect() -> None:
    facts = [
        {key: value for key, value in DIALECTS[mode].facts.items() if key not in ("date", "evidence")} for mode in MODES
    ]
    assert facts[0] == facts[1]


@each_mode
def test_a_required_name_that_a_closed_object_does_not_have_is_not_listed(dialect: tuple[str, str]) -> None:
    """llguidance: "Unsatisfiable schema", for the request with all of its tools."""
    closed = {"type": "object", "properties": {"b": TEXT}, "required": ["b", "c"], "additionalProperties": False}
    assert sent(closed, dialect) == {**closed, "required": ["b"]}
    assert ("c", "dropped") in {(change.what, change.action) for change in lowered(of(closed), dialect).changes}
