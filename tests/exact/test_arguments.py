"""Arguments as a model sends them: what is wrong is said briefly, and a text is strict JSON or refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.budgets import budget
from tests.support.generated import Package
from tests.support.package import write_package
from tests.support.sources import tool
from toolgen_runtime.json_text import JSONError, loads

OBJECT = {"type": "object", "properties": {"a": {}, "b": {}}}

FAULTS: list[tuple[Any, Any, str]] = [
    ({"type": "array", "uniqueItems": True}, [1, 1.0], "unique items, found array"),
    ({"type": "array", "contains": {"const": 3}}, [1], "an array with at least 1 of its items 3, found array"),
    ({"type": "array", "contains": {"type": "string"}, "minContains": 2, "maxContains": 3}, ["a"], "an array with 2 to 3 of its items a string, found array"),
    ({"type": "array", "prefixItems": [{"type": "string"}], "items": False}, ["a", 1], "no more than 1 items, found array"),
    ({"oneOf": [{"type": "integer"}, {"minimum": 2}]}, 3, "exactly one of: an integer; at least 2, found integer"),
    ({"not": {"type": "string"}}, "x", "anything but a string, found string"),
    ({"not": {"oneOf": [{"type": "integer"}, {"type": "null"}]}}, 1, "anything but exactly one of: an integer; null, found integer"),
    ({"not": {"minItems": 0, "items": {"type": "null"}}}, [], "another value, found array"),
    ({"type": "number", "multipleOf": 0.5}, 1.2, "a multiple of 0.5, found number"),
    ({"type": "integer", "minimum": 5, "exclusiveMinimum": 2}, 4, "greater than or equal to 5, found integer"),
    ({"type": "integer", "exclusiveMaximum": 9, "maximum": 7}, 8, "less than or equal to 7, found integer"),
    ({"enum": [1.5, "a", None]}, 2, '1.5, "a" or null, found integer'),
    ({"enum": [1, 2]}, 2**63, "1 or 2, found integer"),
    ({"enum": [1, 2**64]}, -(2**63) - 1, "1 or 18446744073709551616, found integer"),
    ({"const": {"a": 1}}, {"a": True}, '{"a": 1}, found object'),
    ({**OBJECT, "minProperties": 2}, {"a": 1}, "at least 2 properties, found object"),
    ({**OBJECT, "dependentRequired": {"a": ["b"]}}, {"a": 1}, '"b" together with "a", found object'),
    ({**OBJECT, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, {}, 'with "a" or with "b", found object'),
    ({**OBJECT, "propertyNames": {"maxLength": 1}}, {"aa": 1}, "names of properties: at most 1 characters, found object"),
    ({**OBJECT, "patternProperties": {"^x": {"type": "null"}}, "additionalProperties": False}, {"y": 1}, 'no properties other than "a" and "b", found object'),
    ({**OBJECT, "unevaluatedProperties": False}, {"c": 1}, 'no properties other than "a" and "b", found object'),
    ({"type": "integer", "if": {"minimum": 10}, "then": {"multipleOf": 10}}, 11, "a multiple of 10 if it is at least 10, found integer"),
    ({"type": "object", "additionalProperties": {"type": "string", "not": {"const": "x"}}}, {"k": "x"}, 'anything but "x", found string'),
]  # fmt: skip


def package_of(schemas: list[Any], folder: Path, name: str) -> Package:
    """A package of tools `t0`, `t1`, …, each with a schema under the property `value`."""
    files = {
        f"tools/t{i}.json": tool({"type": "object", "properties": {"value": schema}}, f"t{i}")
        for i, schema in enumerate(schemas)
    }
    return Package({}, folder, write_package(files, folder).rename(folder / name).name)


def test_a_fault_says_where_and_what_was_expected(tmp_path: Path) -> None:
    tools = package_of([schema for schema, _, _ in FAULTS], tmp_path, "faults").module("tools")

    messages = []
    for i, (_, value, _) in enumerate(FAULTS):
        with pytest.raises(tools.ArgumentsError) as refused:
            tools.parse_arguments(f"t{i}", {"value": value})
        messages.append(str(refused.value).split(": expected ", 1))

    assert messages == [
        ["/value/k" if i == len(FAULTS) - 1 else "/value", text] for i, (_, _, text) in enumerate(FAULTS)
    ]


def test_integers_of_any_size_may_be_listed(tmp_path: Path) -> None:
    large = [2**63 - 1, -(2**63), 2**63, 2**64 - 1, 10**30]
    schemas: list[Any] = [
        {"enum": [0, *large]},
        {"type": "integer", "enum": [0, *large]},
        {"enum": ["a", None, *large]},
    ]
    tools = package_of(schemas, tmp_path, "large").module("tools")

    for i in range(len(schemas)):
        for value in large:
            for form in ({"value": value}, json.dumps({"value": value})):
                assert tools.parse_arguments(f"t{i}", form).value == value
        for value in (1, 2**65, -(2**64), 1e300):
            with pytest.raises(tools.ArgumentsError, match="18446744073709551615"):
                tools.parse_arguments(f"t{i}", {"value": value})


def test_a_price_is_a_multiple_of_a_cent(tmp_path: Path) -> None:
    price = {"type": "number", "multipleOf": 0.01, "default": 19.99, "examples": [0.07, 1.15]}
    tools = package_of([price, {"not": price}], tmp_path, "prices").module("tools")

    for value in (19.99, 1.15, 4.35, 0.07, 1e20, 35 * 0.01):
        assert tools.parse_arguments("t0", {"value": value}).value == value
        assert tools.parse_arguments("t0", json.dumps({"value": value})).value == value
        with pytest.raises(tools.ArgumentsError):
            tools.parse_arguments("t1", {"value": value})
    for value in (19.999, 0.005):
        with pytest.raises(tools.ArgumentsError, match=r"a multiple of 0\.01"):
            tools.parse_arguments("t0", {"value": value})


def test_what_is_expected_is_short_and_never_code(tmp_path: Path) -> None:
    nasty = '"""\\\n{x}' + "y" * 500
    schemas = [{"not": {"const": nasty}}, {"type": "object", "properties": {nasty: {}}, "unevaluatedProperties": False}]
    tools = package_of(schemas, tmp_path, "nasty").module("tools")

    for i, value in enumerate([nasty, {"other": 1}]):
        with pytest.raises(tools.ArgumentsError) as refused:
            tools.parse_arguments(f"t{i}", {"value": value})
        assert len(str(refused.value)) < 250


TYPED: dict[str, Any] = {"type": ["string", "number", "boolean", "null"]}
TREE = {
    "type": "object",
    "properties": {"a": TYPED, "b": {"type": "array", "items": TYPED}},
    "additionalProperties": TYPED,
}


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Tools with values that are typed, free, and nested."""
    return package_of([TYPED, {}, TREE, {"type": "array", "items": {}}], tmp_path_factory.mktemp("t"), "texts").module(
        "tools"
    )


PIECES = st.sampled_from(
    ["{", "}", "[", "]", ",", ":", '"a"', '"b"', '"value"', '"\\u0061"', '"\\u003a"', '"x:null"', "null", "true", "1", "1.0", "-0",
     "1e999", "NaN", "-Infinity", '"\\ud800"', '"é"', " ", "\n", '"value":', '"value" :', '{"value":', '{"a":1,"a":2}', "1" * 400 + ".5"]
)  # fmt: skip
VALUES = st.recursive(
    PIECES,
    lambda inner: st.lists(inner, max_size=4).map(lambda p: "{" + ",".join(f'"a":{x}' for x in p) + "}"),
    max_leaves=4,
)


@settings(max_examples=budget(60, 400), derandomize=budget(True, False))
@given(
    st.one_of(
        st.lists(PIECES, max_size=9).map("".join),
        VALUES.map(lambda text: '{"value":' + text + "}"),
        st.lists(VALUES, min_size=1, max_size=3).map(lambda texts: "{" + ",".join(f'"value":{t}' for t in texts) + "}"),
    ),
    st.integers(0, 3),
)
def test_a_text_is_taken_exactly_if_it_is_strict_json_of_a_value_that_is_taken(
    texts: Any, text: str, number: int
) -> None:
    def parsed(value: Any) -> Any:
        try:
            return texts.parse_arguments(f"t{number}", value).model_dump(by_alias=True, exclude_unset=True)
        except texts.ArgumentsError:
            return None

    try:
        read = loads(text)
    except JSONError:
        expected = None
    else:
        expected = parsed(read) if isinstance(read, dict) else None
    assert json.dumps(parsed(text)) == json.dumps(expected)


def test_a_schema_that_names_no_type_takes_other_values_than_objects(tmp_path: Path) -> None:
    files = {"tools/t0.json": tool({"properties": {"a": {"type": "integer"}}, "maxItems": 2}, "t0")}
    tools = Package({}, tmp_path, write_package(files, tmp_path).rename(tmp_path / "untyped").name).module("tools")

    assert tools.parse_arguments("t0", {"a": 1}).a == 1
    for text, value in [("null", None), ("[1, 2]", [1, 2]), ('"x"', "x"), ("1.0", 1.0)]:
        assert tools.parse_arguments("t0", text).model_dump() == value
    for wrong in ("[1, 2, 3]", '{"a": "x"}', "NaN", "[}"):
        with pytest.raises(tools.ArgumentsError):
            tools.parse_arguments("t0", wrong)


DEFAULTS: list[dict[str, Any]] = [
    {"type": ["integer", "string"], "default": 1.0},
    {"type": "integer", "default": 1.0},
    {"type": "number", "default": 1.0},
    {"enum": [1, "a"], "default": 1.0},
    {"allOf": [{"type": "integer"}, {"minimum": 0}], "default": 1.0},
    {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": 1.0},
    {"type": "array", "items": {"type": "integer"}, "default": [1.0]},
    {"type": "array", "items": {"type": "number"}, "default": [1, 1.0]},
    {"type": "array", "items": {"enum": [1, None]}, "default": [1.0, None]},
    {"type": ["array", "null"], "items": {"type": "array", "items": {"type": "integer"}}, "default": [[1.0]]},
    {"type": "object", "additionalProperties": {"type": "integer"}, "default": {"a": 1.0}},
    {"type": "object", "properties": {"a": {"type": "integer"}}, "default": {"a": 1.0}},
    {"type": "array", "prefixItems": [{"type": "integer"}, {}], "items": False, "minItems": 2, "default": [1.0, 1.0]},
    {"default": [1.0]},
    {"type": "array", "default": [1.0]},
]


def test_a_default_is_the_value_that_it_would_be_if_it_was_sent(tmp_path: Path) -> None:
    tools = package_of(DEFAULTS, tmp_path, "defaults").module("tools")

    left_out = [repr(tools.parse_arguments(f"t{i}", {}).value) for i in range(len(DEFAULTS))]
    sent = [repr(tools.parse_arguments(f"t{i}", {"value": s["default"]}).value) for i, s in enumerate(DEFAULTS)]
    assert left_out == sent


def test_an_empty_object_as_a_default_is_an_instance_of_its_class(tmp_path: Path) -> None:
    number_object = {"type": "object", "properties": {"n": {"type": "integer", "default": 3}}}
    schemas = [
        {**number_object, "default": {}},
        {"anyOf": [number_object, {"type": "null"}], "default": {}},
        {"type": "object", "additionalProperties": number_object, "default": {}},
    ]
    tools = package_of(schemas, tmp_path, "empty").module("tools")
    first, second, third = (tools.parse_arguments(f"t{i}", {}).value for i in range(len(schemas)))
    assert (first.n, second.n, third) == (3, 3, {})


@pytest.mark.parametrize("default", [{}, {"v": 1}], ids=str)
def test_a_default_that_would_hold_itself_without_end_is_left_out(tmp_path: Path, default: Any) -> None:
    parts = {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/N", "default": default}}
    ending = {"others": {"type": "array", "items": {"$ref": "#/$defs/N"}, "default": []}}
    ending |= {"map": {"type": "object", "additionalProperties": {"$ref": "#/$defs/N"}, "default": {}}}
    node = {"type": "object", "properties": parts | ending}
    parameters = {"type": "object", "properties": {"n": {"$ref": "#/$defs/N"}}, "$defs": {"N": node}}
    files = {"tools/t0.json": tool(parameters, "t0")}
    tools = Package({}, tmp_path, write_package(files, tmp_path).rename(tmp_path / "endless").name).module("tools")
    node_read = tools.parse_arguments("t0", {"n": {"next": {"v": 2}}}).n
    assert (node_read.next.v, node_read.next.next, node_read.others, node_read.map) == (2, None, [], {})


def test_a_recursive_definition_may_be_combined_with_others_inside_itself(tmp_path: Path) -> None:
    node = {"allOf": [{"$ref": "#/$defs/N"}, {"type": ["object", "null"], "maxProperties": 1}]}
    entry = {"anyOf": [{"type": "object", "allOf": [{"$ref": "#/$defs/M"}], "minProperties": i} for i in range(2)]}
    definitions = {
        "N": {"type": "object", "properties": {"next": node, "other": {"allOf": [{"$ref": "#/$defs/N"}, {}]}}},
        "M": {"type": "object", "additionalProperties": entry},
    }
    parameters = {
        "type": "object",
        "properties": {"n": node, "m": {"type": "object", "allOf": [{"$ref": "#/$defs/M"}]}},
        "$defs": definitions,
    }
    files = {"tools/t0.json": tool(parameters, "t0")}
    tools = Package({}, tmp_path, write_package(files, tmp_path).rename(tmp_path / "combined").name).module("tools")
    parsed = tools.parse_arguments("t0", {"n": {"next": {"next": {}}}, "m": {"a": {"b": {"c": {}}}}})
    assert (parsed.n.next.next.other, parsed.m) == (None, {"a": {"b": {"c": {}}}})
    for wrong in ({"n": {"next": {"next": {"a": 1, "b": 2}}}}, {"n": {"next": None}}, {"m": {"a": {"b": {"c": 1}}}}):
        with pytest.raises(tools.ArgumentsError):
            tools.parse_arguments("t0", wrong)
