"""`oneOf` that becomes `anyOf`: whether a value may match several branches, and what is said of it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.every_row import over
from tests.unit.runtime.lowering.lowered_schemas import DIALECTS, NODE, TEXT, of
from toolgen_runtime.lowering.lower import lower

REWRITING = [name for name, dialect in DIALECTS.items() if not dialect.plain and dialect.supports("anyOf")]
NUMBER = {"type": "number"}


def tagged(value: str, *required: str, **more: Any) -> dict[str, Any]:
    """An object with a property that has one value."""
    return {"type": "object", "properties": {"kind": {"const": value}, **more}, "required": ["kind", *required]}


DISJOINT: dict[str, Any] = {
    "types": {"oneOf": [TEXT, NUMBER, {"type": ["boolean", "null"]}]},
    "values": {"oneOf": [{"enum": ["a", "b"]}, {"const": "c"}]},
    "values and a type": {"oneOf": [{"enum": [1, 2]}, TEXT]},
    "a tag": {"oneOf": [tagged("a"), tagged("b", x=TEXT), tagged("c")]},
    "a tag of one branch that must have it": {
        "oneOf": [tagged("a"), {"type": "object", "properties": {"kind": {"const": "b"}}}]
    },
    "a tag beside which the type is": {
        "type": "object",
        "oneOf": [{key: value for key, value in tagged(tag).items() if key != "type"} for tag in "ab"],
    },
    "a tag inside": {
        "oneOf": [
            {"type": "object", "properties": {"in": tagged(tag)}, "required": ["in"]} for tag in ("a", "b")
        ]
    },
    "a property that one does not have": {
        "oneOf": [of(TEXT, "a"), {"type": "object", "properties": {"b": TEXT}, "required": ["b"], "additionalProperties": False}]
    },
    "references": {"oneOf": [{"$ref": "#/$defs/A"}, {"allOf": [{"$ref": "#/$defs/B"}]}]},
    "unions": {"oneOf": [{"anyOf": [TEXT, NUMBER]}, {"anyOf": [{"type": "boolean"}, {"type": "array", "items": TEXT}]}]},
    "nothing": {"oneOf": [TEXT, False]},
    "one branch": {"oneOf": [TEXT]},
}  # fmt: skip
OVERLAPPING: dict[str, Any] = {
    "a wider type": {"oneOf": [NUMBER, {"type": "integer"}]},
    "the same type": {"oneOf": [{**TEXT, "minLength": 2}, {**TEXT, "maxLength": 4}]},
    "a value of both": {"oneOf": [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}]},
    "null in both": {"oneOf": [{"type": ["string", "null"]}, {"type": ["number", "null"]}]},
    "a tag that may be absent": {
        "oneOf": [{"type": "object", "properties": {"kind": {"const": tag}}} for tag in ("a", "b")]
    },
    "open objects": {"oneOf": [{"type": "object", "properties": {p: TEXT}, "required": [p]} for p in ("a", "b")]},
    "a branch for anything": {"oneOf": [TEXT, {}]},
    "a recursion": {"oneOf": [{"$ref": "#/$defs/N"}, {"$ref": "#/$defs/N", "description": "Again."}]},
}
DEFINITIONS = {"A": tagged("a"), "B": tagged("b"), "N": NODE}


def said(schema: Any, dialect: tuple[str, str]) -> list[tuple[str, str]]:
    """What is recorded of `oneOf`: the action, and what checks the rule."""
    parameters = of(schema, "a", **{"$defs": DEFINITIONS})
    changes = lower(parameters, DIALECTS[dialect]).changes
    return [(change.action, change.checked) for change in changes if change.what == "oneOf"]


@pytest.mark.parametrize("dialect", REWRITING, ids="-".join)
@over("schema", DISJOINT)
def test_branches_that_exclude_each_other_lose_nothing(dialect: tuple[str, str], schema: Any) -> None:
    assert said(schema, dialect) == [("rewritten", "parse_arguments")]


@pytest.mark.parametrize("dialect", REWRITING, ids="-".join)
@over("schema", OVERLAPPING)
def test_branches_that_a_value_may_share_are_a_loss(dialect: tuple[str, str], schema: Any) -> None:
    assert said(schema, dialect) == [("dropped", "parse_arguments")]


def test_comparing_branches_leaves_no_trace_and_has_an_end() -> None:
    conflicting = {"oneOf": [{"allOf": [{**TEXT, "pattern": "a"}, {"pattern": "b"}]}, NUMBER]}
    changes = lower(of(conflicting, "a"), DIALECTS["cohere", "open"]).changes
    assert [change.pointer for change in changes if change.what == "pattern"] == [("properties", "a", "oneOf", 0)]
    assert said({"oneOf": [tagged(f"t{i}") for i in range(120)]}, ("cohere", "open")) == [
        ("rewritten", "parse_arguments")
    ]
    deep: dict[str, Any] = {"oneOf": [TEXT] * 3}
    for _ in range(5):
        deep = {"oneOf": [deep, {"anyOf": [deep] * 3}, TEXT]}
    assert ("dropped", "parse_arguments") in said(deep, ("cohere", "open"))
