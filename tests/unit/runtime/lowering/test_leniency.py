"""What models send where a schema says otherwise: it is read as what is meant, where that is beyond doubt."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.schema_values import valid_values
from tests.unit.runtime.lowering.lowered_schemas import TEXT, of
from toolgen_runtime.conversion.encoding import Encoding
from toolgen_runtime.json_values import same_json
from toolgen_runtime.lowering.coercion import coercions


def tagged(*tags: Any) -> dict[str, Any]:
    """An object that says by `t` what it is; `a` may be absent, and `n` is a listed number."""
    tag = {"const": tags[0]} if len(tags) == 1 else {"enum": list(tags)}
    return {**of(TEXT), "properties": {"t": tag, "a": TEXT, "n": {"enum": [1, 3]}}, "required": ["t"]}


def nullable(*tags: Any) -> dict[str, Any]:
    """Such an object where `a` may be null."""
    schema = tagged(*tags)
    schema["properties"]["a"] = {"type": ["string", "null"]}
    return schema


LENIENT: dict[str, tuple[Any, Any, Any]] = {
    "null for absent": (TEXT, None, ...),
    "null that is a value": ({"type": ["string", "null"]}, None, None),
    "null where anything goes": ({}, None, None),
    "a number as text": ({"enum": [1, 3]}, "3", 3),
    "a text that is a value": ({"enum": [1, "1"]}, "1", "1"),
    "an object as text": (of(TEXT), '{"a": "x"}', {"a": "x"}),
    "a text as text": (TEXT, '{"a": "x"}', '{"a": "x"}'),
    "a list as text": ({"type": "array"}, "[1]", "[1]"),
    "either as text": ({"type": ["object", "string"]}, "{}", "{}"),
    "pairs for a map": (
        {"type": "object", "additionalProperties": TEXT},
        [{"key": "k", "value": "v"}],
        {"k": "v"},
    ),
    "no pairs": ({"type": "object"}, [{"key": "k"}], [{"key": "k"}]),
    "inside of a union": ({"anyOf": [of(TEXT), {"type": "integer"}]}, '{"a": "x"}', '{"a": "x"}'),
    "after a reference": ({"$ref": "#/$defs/O"}, '{"a": null}', {}),
    "an object or null": ({"anyOf": [{"$ref": "#/$defs/O"}, {"type": "null"}]}, {"a": None}, {}),
    "one of an object and null": ({"oneOf": [{"type": "null"}, of(TEXT)]}, {"a": None}, {}),
    "null beside an object": ({"oneOf": [{"type": "null"}, of(TEXT)]}, None, None),
    "an object as text, or null": ({"oneOf": [{"type": "null"}, of(TEXT)]}, '{"a": null}', {}),
    "all of one": ({"allOf": [{"$ref": "#/$defs/O"}], "description": "An O."}, {"a": None}, {}),
    "an object or a text": ({"anyOf": [TEXT, of(TEXT)]}, {"a": None}, {}),
    "a text beside an object": ({"anyOf": [TEXT, of(TEXT)]}, '{"a": null}', '{"a": null}'),
    "a list of objects or an object": (
        {"anyOf": [of(TEXT), {"type": "array", "items": of(TEXT)}]},
        [{"a": None}],
        [{}],
    ),
    "two objects": ({"anyOf": [of(TEXT), of({"type": ["string", "null"]})]}, {"a": None}, {"a": None}),
    "an object or anything": ({"anyOf": [of(TEXT), {}]}, {"a": None}, {"a": None}),
    "an object or one of no type": ({"anyOf": [of(TEXT), {"minLength": 1}]}, {"a": None}, {"a": None}),
    "told apart by a constant": ({"oneOf": [tagged("x"), tagged("y", "z")]}, {"t": "z", "a": None}, {"t": "z"}),
    "told apart, and nullable": ({"oneOf": [tagged("x"), nullable("y")]}, {"t": "y", "a": None}, {"t": "y", "a": None}),
    "told apart after references": (
        {"anyOf": [{"$ref": "#/$defs/X"}, {"$ref": "#/$defs/Y"}, {"type": "null"}]},
        {"t": "x", "a": None, "n": "3"},
        {"t": "x", "n": 3},
    ),
    "told apart by what is not there": ({"oneOf": [tagged("x"), tagged("y")]}, {"a": None}, {"a": None}),
    "told apart by another value": (
        {"oneOf": [tagged("x"), tagged("y")]},
        {"t": "q", "a": None},
        {"t": "q", "a": None},
    ),
    "one constant twice": ({"anyOf": [tagged("x"), nullable("x", "y")]}, {"t": "x", "a": None}, {"t": "x", "a": None}),
    "constants that are numbers": ({"anyOf": [tagged(1), nullable(1.0)]}, {"t": 1, "a": None}, {"t": 1, "a": None}),
    "one of two is needed": ({**of(TEXT), "anyOf": [{"required": ["a"]}, {"minProperties": 0}]}, {"a": None}, {}),
    "a branch that admits null where the whole does not": (
        {**of(TEXT), "anyOf": [of({"type": "null"}), {}]},
        {"a": None},
        {},
    ),
    "names by a pattern": (
        {"type": "object", "patternProperties": {"^x": TEXT}, "additionalProperties": {"enum": [1, 2]}},
        {"x": "1"},
        {"x": "1"},
    ),
}


LENIENT_DEFS = {"$defs": {"O": of(TEXT), "X": tagged("x"), "Y": tagged("y")}}


@pytest.mark.parametrize("case", LENIENT)
def test_what_is_meant_beyond_doubt_is_read_as_that(case: str) -> None:
    schema, value, meant = LENIENT[case]
    table = coercions(of(schema, **LENIENT_DEFS))
    decoded = {"a": value} if table is None else Encoding(table).decode({"a": value})
    assert decoded == ({} if meant is ... else {"a": meant})


def test_being_lenient_changes_no_value_that_is_valid() -> None:
    for schema in [schema for schema, _, _ in LENIENT.values()]:
        for whole in (of(schema, **LENIENT_DEFS), {**schema, **LENIENT_DEFS}):
            table = coercions(whole)
            for value in valid_values(whole, seed=len(repr(schema)), tries=30):
                assert table is None or type(value) is not dict or same_json(Encoding(table).decode(value), value)


def test_a_union_at_the_root_is_read_by_the_branch_that_a_value_tells() -> None:
    schema = {"oneOf": [tagged("x"), {"$ref": "#/$defs/Y"}], **LENIENT_DEFS}
    table = coercions(schema)
    assert table is not None
    assert Encoding(table).decode({"t": "y", "a": None, "n": "1"}) == {"t": "y", "n": 1}
    assert Encoding(table).decode({"a": None}) == {"a": None}
    assert coercions({"$ref": "#/$defs/Y", **LENIENT_DEFS}) is not None


def test_unions_of_many_branches_are_given_up_in_time() -> None:
    branches = [{**of(TEXT), "properties": {f"p{i}": {} for i in range(200)}} for _ in range(3_000)]
    assert coercions(of({"anyOf": branches})) is None
    nest: Any = TEXT
    for _ in range(5_000):
        nest = {"anyOf": [nest, {"type": "null"}]}
    table = coercions(of(nest))
    assert table is None or Encoding(table).decode({"a": None}) == {"a": None}
