"""Functions that the Gemini wire is read and written with."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen_runtime.apis.gemini.fields import from_openapi
from toolgen_runtime.apis.gemini.keys import KeyNormalization, normalize_keys
from toolgen_runtime.apis.gemini.stream import PathArguments

SCALARS = st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=8)
NAMES = st.text(st.characters(codec="utf-8"), max_size=4)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, min_size=1, max_size=3) | st.dictionaries(NAMES, inner, min_size=1, max_size=3),
)


def quoted(name: str) -> str:
    """A name as RFC 9535 spells it between single quotes, and between double ones where it is long."""
    if len(name) > 2:
        return json.dumps(name)
    return "'" + json.dumps(name, ensure_ascii=False)[1:-1].replace('\\"', '"').replace("'", "\\'") + "'"


def updates(value: Any, path: str = "$") -> list[dict[str, Any]]:
    """A value as updates of its leaves, texts in two pieces."""
    if isinstance(value, dict):
        return [u for name, inner in value.items() for u in updates(inner, f"{path}[{quoted(name)}]")]
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
def test_any_object_in_pieces_is_that_object_and_its_text(value: dict[str, Any]) -> None:
    arguments = PathArguments()
    text = "".join(arguments.add(update) for update in updates(value)) + arguments.end()
    assert arguments.value() == value
    assert json.loads(text) == value


def leaf(path: Any, **value: Any) -> dict[str, Any]:
    return {"jsonPath": path, **value}


ODD: dict[str, tuple[list[Any], Any]] = {
    "set twice": ([leaf("$.a", numberValue=1), leaf("$.a", numberValue=2)], {"a": 2}),
    "a gap": ([leaf("$.a[2]", boolValue=True)], {"a": [None, None, True]}),
    "a gap that is filled": (
        [leaf("$.a[1]", boolValue=True), leaf("$.a[0].b", numberValue=1)],
        {"a": [{"b": 1}, True]},
    ),
    "null, then an object": ([leaf("$.a", nullValue=None), leaf("$.a.b", numberValue=1)], {"a": {"b": 1}}),
    "text begun without any": ([leaf("$.a", willContinue=True), leaf("$.a", stringValue="x")], {"a": "x"}),
    "a path alone": ([leaf("$.a")], {}),
    "dots in a name": ([leaf('$["a.b"]', numberValue=0.5)], {"a.b": 0.5}),
    "blanks in brackets": ([leaf("$[ 'a' ][ 0 ]", numberValue=1)], {"a": [1]}),
    "escapes": ([leaf(r"$['it\'s \n \u0041 \ud83d\ude00 \\ \/']", numberValue=1)], {"it's \n A \U0001f600 \\ /": 1}),
    "null keys beside the value": ([leaf("$.a", stringValue=None, numberValue=1.0, boolValue=None)], {"a": 1}),
    "texts side by side": (
        [
            leaf("$.a", stringValue="x", willContinue=True),
            leaf("$.b", stringValue="y", willContinue=True),
            leaf("$.a", stringValue="z", willContinue=True),
            leaf("$.b", stringValue=""),
        ],
        {"a": "xz", "b": "y"},
    ),
    "a text that begins anew": ([leaf("$.a", stringValue="x"), leaf("$.a", stringValue="y")], {"a": "y"}),
    "a double beyond whole numbers": ([leaf("$.a", numberValue=1e300)], {"a": 1e300}),
}


@pytest.mark.parametrize(("found", "value"), ODD.values(), ids=ODD.keys())
def test_odd_updates_are_placed(found: list[Any], value: Any) -> None:
    arguments = PathArguments()
    for update in found:
        arguments.add(update)
    arguments.end()
    assert arguments.value() == value
    assert arguments.rejected == []


NOWHERE: dict[str, tuple[list[Any], Any]] = {
    "no path": ([{"stringValue": "x"}], {}),
    "the root": ([leaf("$", stringValue="x")], {}),
    "no root": ([leaf("a", stringValue="x")], {}),
    "an index at the root": ([leaf("$[0]", stringValue="x")], {}),
    "any member": ([leaf("$.*", stringValue="x")], {}),
    "any place": ([leaf("$.a[*]", stringValue="x")], {}),
    "descendants": ([leaf("$..a", stringValue="x")], {}),
    "a place from after": ([leaf("$.a[-1]", stringValue="x")], {}),
    "a filter": ([leaf("$.a[?(@.b)]", stringValue="x")], {}),
    "an open bracket": ([leaf("$['a", stringValue="x")], {}),
    "half of a character": ([leaf(r"$['\ud800']", stringValue="x")], {}),
    "another kind of container": ([leaf("$.a", numberValue=1), leaf("$.a.b", numberValue=2)], {"a": 1}),
    "an index of an object": ([leaf("$.a.b", numberValue=1), leaf("$.a[0]", numberValue=2)], {"a": {"b": 1}}),
    "a container's own place": ([leaf("$.a.b", numberValue=1), leaf("$.a", numberValue=2)], {"a": {"b": 1}}),
    "far away": ([leaf("$.a[999999999]", numberValue=1)], {}),
    "far away again and again": (
        [leaf(f"$.a[{at}]", numberValue=1) for at in (600, 1300, 601)],
        {"a": [*[None] * 600, 1, 1]},
    ),
    "far away inside": ([leaf("$.a[800].b[800]", numberValue=1)], {}),
    "too deep": ([leaf("$" + ".a" * 201, numberValue=1)], {}),
    "no number of JSON": ([leaf("$.a", numberValue="NaN"), leaf("$.b", numberValue=float("inf"))], {}),
    "a number for a text": (
        [leaf("$.a", stringValue="x", willContinue=True), leaf("$.a", numberValue=1)],
        {"a": "x"},
    ),
}


@pytest.mark.parametrize(("found", "value"), NOWHERE.values(), ids=NOWHERE.keys())
def test_updates_without_a_place_are_told(found: list[Any], value: Any) -> None:
    arguments = PathArguments()
    text = "".join(arguments.add(update) for update in found) + arguments.end()
    assert arguments.value() == json.loads(text) == value
    assert 0 < len(arguments.rejected) <= 2
    assert all(update in found for update in arguments.rejected)


WRONG: dict[str, tuple[Any, str]] = {
    "no object": (1, "must be an object"),
    "path": (leaf(1, stringValue="x"), "jsonPath: must be a string"),
    "text": (leaf("$.a", stringValue=1), "stringValue: must be a string"),
    "number": (leaf("$.a", numberValue=True), "numberValue: must be a number"),
    "flag": (leaf("$.a", boolValue="true"), "boolValue: must be true or false"),
}


@pytest.mark.parametrize(("update", "message"), WRONG.values(), ids=WRONG.keys())
def test_updates_of_wrong_types_are_refused(generated: SimpleNamespace, update: Any, message: str) -> None:
    with pytest.raises(generated.models.ConversionError, match=message):
        PathArguments().add(update)


def test_a_value_that_was_given_does_not_grow() -> None:
    arguments = PathArguments()
    arguments.add(leaf("$.a.b[0]", stringValue="x", willContinue=True))
    given = arguments.value()
    arguments.add(leaf("$.a.b[0]", stringValue="y"))
    arguments.add(leaf("$.a.b[1]", numberValue=1))
    assert given == {"a": {"b": ["x"]}}


def test_arguments_that_came_whole_are_merged() -> None:
    arguments = PathArguments()
    given = {"a": {"b": [1.0]}, "c": float("nan")}
    text = arguments.merge(given) + arguments.add(leaf("$.d", boolValue=True)) + arguments.end()
    assert json.loads(text) == {"a": {"b": [1.0]}, "d": True}
    arguments.add(leaf("$.a.e", numberValue=2))
    assert arguments.value() == {"a": {"b": [1.0], "e": 2}, "d": True}
    assert given["a"] == {"b": [1.0]}
    assert len(arguments.rejected) == 1


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
    "nullable, with no list where one is due": (
        {"type": "STRING", "enum": -1, "nullable": True},
        {"type": ["string", "null"], "enum": -1},
    ),
    "nullable union that is none": ({"anyOf": 5, "nullable": True}, {"anyOf": 5}),
    "K02 numbers as text": (
        {"type": "INTEGER", "format": "enum", "enum": ["1", "3"]},
        {"type": "integer", "enum": [1, 3]},
    ),
    "bounds as text": (
        {"type": "ARRAY", "minItems": "1", "items": {"type": "STRING"}},
        {"type": "array", "minItems": 1, "items": {"type": "string"}},
    ),
    "bounds that are not numbers": (
        {"type": "ARRAY", "minItems": "²", "maxItems": "--1", "items": {"minLength": "9" * 5000}},
        {"type": "array", "minItems": "²", "maxItems": "--1", "items": {"minLength": "9" * 5000}},
    ),
    "values that are not numbers": (
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
def test_the_openapi_subset_is_read_as_json_schema(schema: Any, wanted: Any) -> None:
    assert from_openapi(schema) == wanted


def test_spelling_keeps_what_is_given_twice_and_changes_nothing_in_place() -> None:
    spelling = KeyNormalization(["args"], ["properties"])
    value = {"a_b": 1, "aB": 2, "_c": 3, "args": {"d_e": 4}, "properties": {"f_g": {"h_i": 5}}}
    found = normalize_keys(value, spelling)
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
