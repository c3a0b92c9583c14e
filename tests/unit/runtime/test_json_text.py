"""Whether a text is our own spelling is told without writing it, and told right."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen_runtime.json_text import JSONError, dump_deep, is_compact, loads
from toolgen_runtime.json_values import MAX_DEPTH, is_json, is_too_deep

numbers = st.from_regex(r"-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,4})?([eE][+-]?[0-9]{1,2})?", fullmatch=True)
strings = st.text(st.sampled_from('ab": ,{}[]\\/\x7fé🚀\n'), max_size=6).flatmap(
    lambda text: st.sampled_from([json.dumps(text), json.dumps(text, ensure_ascii=False)])
)
blanks = st.sampled_from(["", "", "", " ", "\n"])


def spelled(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    lists = st.tuples(st.lists(inner, max_size=4), blanks).map(lambda x: f"[{f',{x[1]}'.join(x[0])}{x[1]}]")
    members = st.lists(st.tuples(strings, blanks, inner), max_size=4, unique_by=lambda m: json.loads(m[0]))
    objects = members.map(
        lambda entries: "{" + ",".join(f"{key}:{blank}{value}" for key, blank, value in entries) + "}"
    )
    return lists | objects


texts = st.recursive(numbers | strings | st.sampled_from(["true", "false", "null"]), spelled, max_leaves=12)


@given(texts)
def test_a_text_is_compact_exactly_if_it_is_what_we_write(text: str) -> None:
    value = loads(text)
    assert is_compact(text, value) is (json.dumps(value, ensure_ascii=False, separators=(",", ":")) == text)


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ('{"a":1,"b":[true,null,"x: y"],"c":{}}', True),
        ('{"a":51.5,"b":-0.12}', True),
        ('{"a":"\\n"}', True),
        ('{"a":"\\u00e9"}', False),
        ('{"a": 1}', False),
        ('{"": 1}', False),
        ('{": ":true}', True),
        ('{"a":": ","b": 1}', False),
        ('{"a":1} ', False),
        ('{"a":1e0}', False),
        ('{"a":1e-2}', False),
        ('{"a":1.0}', True),
        ('{"a":1.50,"b":1e1}', False),
        ('{"a":1.50,"b":1.50,"c":1e2}', False),
        ('{"a":-0}', False),
        ('{"a":-0.0}', True),
        ("[1, 2]", False),
    ],
)
def test_spellings(text: str, ours: bool) -> None:
    assert is_compact(text, loads(text)) is ours


@pytest.mark.parametrize(
    "text", ['{"a":1,"a":1}', '{"a":{"b":1,"b":2}}', '{"a":1e999}', '{"a":NaN}', "", " ", "[1", "[1]]"]
)
def test_what_is_no_strict_json(text: str) -> None:
    with pytest.raises(JSONError):
        loads(text)


def test_a_value_may_stand_between_blanks() -> None:
    value: Any = loads(' \n{"a": 1}\t')
    assert value == {"a": 1}


def test_many_brackets_are_no_depth() -> None:
    flat = [{"a": [i]} for i in range(2 * MAX_DEPTH)]
    assert loads(json.dumps(flat)) == flat
    deepest = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert loads(deepest) == json.loads(deepest)


@pytest.mark.parametrize(
    "text",
    [
        "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1),
        '{"a":' * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1),
        "[" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        "[" * (MAX_DEPTH + 1) + "NaN" + "]" * (MAX_DEPTH + 1),
        "[" * (MAX_DEPTH + 1) + '{"a":1,"a":1}',
    ],
    ids=["lists", "objects", "open", "closed", "with NaN", "with a duplicate key"],
)
def test_depth_is_what_is_told_of_a_text_that_is_too_deep(text: str) -> None:
    with pytest.raises(JSONError, match=f"^nested more than {MAX_DEPTH} deep$"):
        loads(text)


def test_deep_text_holds_what_a_parser_gives() -> None:
    assert dump_deep(json.loads('{"a": [NaN, -Infinity, "é", null, {}]}')) == '{"a":[NaN,-Infinity,"é",null,{}]}'


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9007199254740993.0", 9007199254740993),
        ("-9007199254740993.00", -9007199254740993),
        ("9007199254740992.0", 9007199254740992.0),
        ("9007199254740993.5", 9007199254740994.0),
        ("1e300", 1e300),
        ("2.0", 2.0),
    ],
)
def test_a_whole_number_that_no_float_is_keeps_its_value(text: str, value: float) -> None:
    assert (loads(text), type(loads(text))) == (value, type(value))


def nested(depth: int, kind: type) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"a": value} if kind is dict else [value]
    return value


@pytest.mark.parametrize("kind", [dict, list])
@pytest.mark.parametrize("depth", [0, 1, 2, MAX_DEPTH, MAX_DEPTH + 1, 100_000])
def test_what_is_nested_further_than_the_limit_is_too_deep(depth: int, kind: type) -> None:
    assert is_too_deep(nested(depth, kind)) is (depth > MAX_DEPTH)


class Text(str):
    """A subclass of a type of JSON, which may be written otherwise."""


@pytest.mark.parametrize(
    "value",
    [None, True, 0, -1.5, 10**400, "", "\ud800", [], {}, {"a": [{"b": None}, 1e300]}, {"$ref": 1}, nested(300, dict)],
)
def test_what_is_json(value: Any) -> None:
    assert is_json(value)
    assert is_json([value])
    assert is_json({"a": value})


@pytest.mark.parametrize(
    "value",
    [math.nan, math.inf, -math.inf, (), (1,), b"", 1j, set(), object(), Text("a"), {1: 1}, {None: 1}, {Text("a"): 1},
     nested(100_000, dict), nested(100_000, list)],
)  # fmt: skip
def test_what_is_no_json(value: Any) -> None:
    assert not is_json(value)
    assert not is_json([1, value])
    assert not is_json({"a": 1, "b": value})


def test_an_object_that_holds_itself_is_no_json() -> None:
    endless: dict[str, Any] = {}
    endless["a"] = [endless]
    assert not is_json(endless)


@pytest.mark.parametrize("value", [{"$ref": 1}, {"a": {"$ref": None}}, [1, {"$ref": []}]])
def test_a_forbidden_key_is_forbidden_at_any_depth(value: Any) -> None:
    assert is_json(value)
    assert not is_json(value, "$ref")
    assert is_json(value, "ref")
