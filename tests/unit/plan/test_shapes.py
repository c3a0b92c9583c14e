from __future__ import annotations

from typing import Any

import pytest

from toolgen.plan.classes import AliasPlan, ClassPlan
from toolgen.plan.names import ClassName
from toolgen.plan.order import MAX_CIRCLE, ordered
from toolgen.plan.shapes import Shaper

NULL = {"type": "null"}


def _shape(schema: Any, **definitions: Any) -> Any:
    shaper = Shaper({"$defs": definitions}, ClassName("Root"), {}, {"Root"})
    return shaper.shape(schema, "Root", "p")


@pytest.mark.parametrize(
    ("schema", "shape"),
    [
        (True, {}),
        (False, {}),
        ({"minLength": 3}, {}),
        ({"type": "string", "format": "email", "title": "x", "default": "y"}, {"type": "string"}),
        ({"type": "string", "customTypePath": "a.b", "x-python-type": "c", "minLength": 2}, {"type": "string", "minLength": 2}),
        ({"type": ["null", "integer"], "minimum": 0.5}, {"anyOf": [{"type": "integer", "minimum": 1}, NULL]}),
        ({"type": "integer", "exclusiveMaximum": 2.5}, {"type": "integer", "maximum": 2}),
        ({"type": "number", "multipleOf": 0.1}, {"type": "number"}),
        ({"enum": ["a", None]}, {"anyOf": [{"type": "string", "enum": ["a"]}, NULL]}),
        ({"enum": [1, True]}, {}),
        ({"enum": [1.5]}, {}),
        ({"enum": [{}]}, {}),
        ({"type": "string", "enum": ["a"]}, {"type": "string", "enum": ["a"]}),
        ({"const": 3}, {"type": "integer", "enum": [3]}),
        ({"type": "array"}, {"type": "array", "items": {}}),
        ({"type": "array", "prefixItems": [{"type": "string"}]}, {"type": "array", "items": {}}),
        ({"type": "object"}, {"type": "object"}),
        ({"type": "object", "additionalProperties": {"type": "string"}}, {"type": "object", "additionalProperties": {"type": "string"}}),
        ({"type": "object", "additionalProperties": {"type": "string"}, "patternProperties": {"x": True}}, {"type": "object"}),
        ({"oneOf": [{"type": "string"}, {"type": "string"}, NULL]}, {"anyOf": [{"type": "string"}, NULL]}),
        ({"anyOf": [{"type": "string"}, {}]}, {}),
        ({"allOf": [{"description": "d"}, {"type": "string"}]}, {"type": "string"}),
        ({"properties": {"a": {"type": "string"}}}, {}),
        ({"not": {"type": "string"}}, {}),
    ],
)  # fmt: skip
def test_shapes_admit_at_least_what_the_schema_admits(schema: Any, shape: Any) -> None:
    assert _shape(schema) == shape


def test_recursive_plain_definitions_end_in_any_value() -> None:
    tree = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/$defs/tree"}}]}

    assert _shape({"$ref": "#/$defs/tree"}, tree=tree) == {
        "anyOf": [{"type": "string"}, {"type": "array", "items": {}}]
    }


def test_shared_definitions_do_not_multiply() -> None:
    definitions = {
        f"d{i}": {
            "type": "array",
            "prefixItems": [{"$ref": f"#/$defs/d{i + 1}"}] * 2,
            "items": False,
            "minItems": 2,
        }
        for i in range(60)
    }

    assert len(str(_shape({"$ref": "#/$defs/d0"}, **definitions, d60={"type": "string"}))) < 50_000


def _ring(count: int) -> list[ClassPlan | AliasPlan]:
    root = {
        "$defs": {
            f"n{i}": {
                "type": "object",
                "properties": {"next": {"$ref": f"#/$defs/n{(i + 1) % count}"}},
            }
            for i in range(count)
        },
        "properties": {"start": {"$ref": "#/$defs/n0"}},
    }
    shaper = Shaper(root, ClassName("Root"), {}, {"Root"})
    shaper.object_root(None)
    return list(shaper.classes.values())


def test_leaves_come_first_and_long_circles_are_broken() -> None:
    short, long = ordered(_ring(20), {}), ordered(_ring(MAX_CIRCLE + 1), {})

    assert short.items[-1].name == "Root"
    assert len(short.rebuilt) == 1
    assert len(short.items) == 21
    assert long.rebuilt == ()
