"""Functions that the Gemini wire is read and written with."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

SCALARS = st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=8)
NAMES = st.text(st.characters(codec="utf-8", exclude_characters="'\\"), min_size=1, max_size=4)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, min_size=1, max_size=3) | st.dictionaries(NAMES, inner, min_size=1, max_size=3),
)


def updates(value: Any, path: str = "$") -> list[dict[str, Any]]:
    """A value as updates of its leaves, texts in two pieces."""
    if isinstance(value, dict):
        return [u for name, inner in value.items() for u in updates(inner, f"{path}['{name}']")]
    if isinstance(value, list):
        return [u for i, inner in enumerate(value) for u in updates(inner, f"{path}[{i}]")]
    if value is None:
        return [{"jsonPath": path, "nullValue": "NULL_VALUE"}]
    if isinstance(value, bool):
        return [{"jsonPath": path, "boolValue": value}]
    if isinstance(value, int):
        return [{"jsonPath": path, "numberValue": float(value)}]
    half = len(value) // 2
    return [
        {"jsonPath": path, "stringValue": value[:half], "willContinue": True},
        {"jsonPath": path, "stringValue": value[half:]},
    ]


@given(st.dictionaries(NAMES, VALUES, max_size=4))
def test_any_object_in_pieces_is_that_object_and_its_text(generated: SimpleNamespace, value: dict[str, Any]) -> None:
    arguments = generated.module("partial_args").PathArguments()
    text = "".join(arguments.add(update) for update in updates(value)) + arguments.end()
    assert arguments.value() == value
    assert json.loads(text) == value


ODD = {
    "no path": ([{"stringValue": "x"}], {}),
    "the root": ([{"jsonPath": "$", "stringValue": "x"}], {}),
    "another kind of container": (
        [{"jsonPath": "$.a", "numberValue": 1}, {"jsonPath": "$.a.b", "numberValue": 2}],
        {"a": 1},
    ),
    "set twice": ([{"jsonPath": "$.a", "numberValue": 1}, {"jsonPath": "$.a", "numberValue": 2}], {"a": 2}),
    "a gap": ([{"jsonPath": "$.a[2]", "boolValue": True}], {"a": [None, None, True]}),
    "text begun without any": (
        [{"jsonPath": "$.a", "willContinue": True}, {"jsonPath": "$.a", "stringValue": "x"}],
        {"a": "x"},
    ),
    "double quotes": ([{"jsonPath": '$["a.b"]', "numberValue": 0.5}], {"a.b": 0.5}),
}


@pytest.mark.parametrize(("found", "value"), ODD.values(), ids=ODD.keys())
def test_odd_updates_do_no_harm(generated: SimpleNamespace, found: list[Any], value: Any) -> None:
    arguments = generated.module("partial_args").PathArguments()
    for update in found:
        arguments.add(update)
    arguments.end()
    assert arguments.value() == value


SCHEMAS = {
    "T42 nullable": ({"type": "STRING", "nullable": True}, {"type": ["string", "null"]}),
    "nullable enum": (
        {"type": "STRING", "format": "enum", "enum": ["C"], "nullable": True},
        {"type": ["string", "null"], "enum": ["C", None]},
    ),
    "nullable union": (
        {"anyOf": [{"type": "STRING"}], "nullable": True},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
    ),
    "K02 numbers as text": (
        {"type": "INTEGER", "format": "enum", "enum": ["1", "3"]},
        {"type": "integer", "enum": [1, 3]},
    ),
    "bounds as text": (
        {"type": "ARRAY", "minItems": "1", "items": {"type": "STRING"}},
        {"type": "array", "minItems": 1, "items": {"type": "string"}},
    ),
    "bounds that are no numbers": (
        {"type": "ARRAY", "minItems": "²", "maxItems": "--1", "items": {"minLength": "9" * 5000}},
        {"type": "array", "minItems": "²", "maxItems": "--1", "items": {"minLength": "9" * 5000}},
    ),
    "values that are no numbers": (
        {"type": "NUMBER", "enum": ["nan", "1_000", "1.5", "1e999", "inf", "²"]},
        {"type": "number", "enum": ["nan", "1_000", 1.5, "1e999", "inf", "²"]},
    ),
    "P03 references": (
        {"defs": {"A": {"properties": {"a": {"ref": "#/defs/A"}}}}, "ref": "#/defs/A"},
        {"$defs": {"A": {"properties": {"a": {"$ref": "#/$defs/A"}}}}, "$ref": "#/$defs/A"},
    ),
    "names of properties": (
        {"properties": {"nullable": {"type": "BOOLEAN"}}},
        {"properties": {"nullable": {"type": "boolean"}}},
    ),
    "order and no type": ({"type": "TYPE_UNSPECIFIED", "propertyOrdering": ["a"], "example": 1}, {"examples": [1]}),
}


@pytest.mark.parametrize(("schema", "wanted"), SCHEMAS.values(), ids=SCHEMAS.keys())
def test_the_openapi_subset_is_read_as_json_schema(generated: SimpleNamespace, schema: Any, wanted: Any) -> None:
    assert generated.module("openapi_schema").from_openapi(schema) == wanted


def test_spelling_keeps_what_is_given_twice_and_changes_nothing_in_place(generated: SimpleNamespace) -> None:
    module = generated.module("one_spelling")
    spelling = module.Spelling(["args"], ["properties"])
    value = {"a_b": 1, "aB": 2, "_c": 3, "args": {"d_e": 4}, "properties": {"f_g": {"h_i": 5}}}
    found = module.one_spelling(value, spelling)
    assert found == {"a_b": 1, "aB": 2, "_c": 3, "args": {"d_e": 4}, "properties": {"f_g": {"hI": 5}}}
    assert value["properties"] == {"f_g": {"h_i": 5}}


def test_a_foreign_tool_is_left_out_and_an_own_one_stays(generated: SimpleNamespace) -> None:
    models, gemini = generated.models, generated.gemini
    tools = [
        {"name": "a"},
        {"type": "opaque", "provider": "gemini", "value": {"googleSearch": {}}},
        {"type": "opaque", "provider": "anthropic", "value": {"type": "bash"}},
        {"name": "b"},
    ]
    request = models.load(models.Request, {"messages": [], "tools": tools})
    losses: list[Any] = []
    written = gemini.to_tools(request.tools, on_loss=losses.append)
    assert written == [{"functionDeclarations": [{"name": "a"}, {"name": "b"}]}, {"googleSearch": {}}]
    assert [(loss.path, loss.action) for loss in losses] == [("[1]", "moved"), ("[2]", "dropped")]
