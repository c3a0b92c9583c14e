from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from toolgen.plan.classes import MAX_CIRCLE, AliasPlan, ClassPlan, sort_by_dependency
from toolgen.plan.names import ClassName
from toolgen.plan.type_planner import TypePlanner

NULL = {"type": "null"}


def _typed(schema: Any, **definitions: Any) -> tuple[Any, tuple[str, ...]]:
    """The type_schema of a schema, and the keywords that are checked beside it."""
    planner = TypePlanner({"$defs": definitions}, ClassName("Root"), "Root", {}, {"Root"})
    type_schema = planner.plan_type(schema, "p")
    named = planner.items.get(type_schema.get("$ref", "").removeprefix("#/$defs/"))
    return (named.type_schema, named.check.keywords) if isinstance(named, AliasPlan) else (type_schema, ())


@pytest.mark.parametrize(
    ("schema", "type_schema"),
    [
        (True, {}),
        ({"type": "string", "format": "email", "title": "x", "default": "y"}, {"type": "string"}),
        ({"type": "string", "customTypePath": "a.b", "x-python-type": "c", "minLength": 2}, {"type": "string", "minLength": 2}),
        ({"type": ["null", "integer"], "minimum": 0.5}, {"anyOf": [{"type": "integer", "minimum": 1}, NULL]}),
        ({"type": "integer", "exclusiveMaximum": 2.5}, {"type": "integer", "maximum": 2}),
        ({"enum": ["a", None]}, {"anyOf": [{"type": "string", "enum": ["a"]}, NULL]}),
        ({"type": "string", "enum": ["a", 1]}, {"type": "string", "enum": ["a"]}),
        ({"type": "integer", "enum": [1.0, 2, 2.5]}, {"type": "integer", "enum": [1, 2]}),
        ({"const": 3}, {"type": "integer", "enum": [3]}),
        ({"enum": [2**63 - 1, 1 - 2**63]}, {"type": "integer", "enum": [2**63 - 1, 1 - 2**63]}),
        ({"type": "array", "minItems": 0, "uniqueItems": False}, {"type": "array", "items": {}}),
        ({"type": "object", "required": [], "propertyNames": True}, {"type": "object"}),
        ({"type": "object", "additionalProperties": {"type": "string"}}, {"type": "object", "additionalProperties": {"type": "string"}}),
        ({"oneOf": [{"type": "string"}, NULL]}, {"anyOf": [{"type": "string"}, NULL]}),
        ({"anyOf": [{"type": "string"}, {}]}, {}),
        ({"allOf": [{"description": "d"}, {"type": "string"}]}, {"type": "string"}),
    ],
)  # fmt: skip
def test_shapes_say_what_types_can_say(schema: Any, type_schema: Any) -> None:
    assert _typed(schema) == (type_schema, ())


@pytest.mark.parametrize(
    ("schema", "type_schema", "keywords"),
    [
        (False, {}, ("not",)),
        ({"minLength": 3}, {}, ("minLength",)),
        ({"type": "number", "multipleOf": 0.1}, {"type": "number"}, ("multipleOf",)),
        ({"type": ["integer", "number"], "multipleOf": 2}, {"type": "number"}, ("multipleOf",)),
        ({"type": "integer", "maximum": 2**60}, {"type": "integer"}, ("maximum",)),
        ({"enum": [1, True]}, {}, ("enum",)),
        ({"enum": [1.5]}, {}, ("enum",)),
        ({"enum": [0, 2**63]}, {}, ("enum",)),
        ({"type": "integer", "enum": [0, -(2**63)]}, {"type": "integer"}, ("enum",)),
        ({"const": 10**20}, {}, ("const",)),
        ({"type": "number", "enum": [1, 2.5]}, {"type": "number"}, ("enum",)),
        ({"enum": [{}]}, {}, ("enum",)),
        ({"type": "array", "prefixItems": [{"type": "string"}]}, {"type": "array", "items": {}}, ("prefixItems",)),
        ({"type": "array", "items": {"type": "string"}, "uniqueItems": True}, {"type": "array", "items": {"type": "string"}}, ("uniqueItems",)),
        ({"type": "object", "additionalProperties": False}, {"type": "object"}, ("additionalProperties",)),
        (
            {"type": "object", "additionalProperties": {"type": "string"}, "patternProperties": {"x": {"minLength": 1}}},
            {"type": "object"},
            ("patternProperties", "additionalProperties"),
        ),
        ({"oneOf": [{"type": "string"}, {"type": "string"}, NULL]}, {"anyOf": [{"type": "string"}, NULL]}, ("oneOf",)),
        ({"allOf": [{"type": "string"}, {"enum": ["a"]}]}, {"type": "string"}, ("allOf",)),
        ({"properties": {"a": {"type": "string"}}}, {}, ("properties",)),
        ({"not": {"type": "string"}}, {}, ("not",)),
        ({"type": "string", "if": {"minLength": 2}, "then": {"maxLength": 4}}, {"type": "string"}, ("if",)),
    ],
)  # fmt: skip
def test_what_types_cannot_say_is_checked(schema: Any, type_schema: Any, keywords: tuple[str, ...]) -> None:
    assert _typed(schema) == (type_schema, keywords)


OBJECT = {"type": "object", "properties": {"a": {"type": "string"}}}


@pytest.mark.parametrize(
    ("schema", "keywords"),
    [
        (OBJECT, ()),
        ({**OBJECT, "required": ["a", "b"], "additionalProperties": {"type": "integer"}}, ()),
        ({**OBJECT, "allOf": [{"required": ["a"]}, {"type": "object", "properties": {"b": {}}}]}, ()),
        ({**OBJECT, "allOf": [{"properties": {"a": {"minLength": 1}}}]}, ("allOf",)),
        ({**OBJECT, "allOf": [{"properties": {"b": {}}, "additionalProperties": False}]}, ("allOf",)),
        ({**OBJECT, "allOf": [{"minProperties": 1}]}, ("allOf",)),
        ({**OBJECT, "minProperties": 1, "not": {"required": ["b"]}}, ("not", "minProperties")),
        ({**OBJECT, "patternProperties": {"^x": {"type": "null"}}, "additionalProperties": False}, ("patternProperties", "additionalProperties")),
        ({**OBJECT, "dependentRequired": {"a": ["b"]}, "unevaluatedProperties": False}, ("dependentRequired", "unevaluatedProperties")),
    ],
)  # fmt: skip
def test_a_class_checks_what_its_fields_do_not_say(schema: Any, keywords: tuple[str, ...]) -> None:
    planner = TypePlanner(schema, ClassName("Root"), "Root", {}, {"Root"})
    planner.plan_root_class(None)
    assert planner.items["Root"].check.keywords == keywords


def test_objects_beside_other_types_check_their_own_keywords() -> None:
    planner = TypePlanner({}, ClassName("Root"), "Root", {}, {"Root"})
    type_schema = planner.plan_type(
        {**OBJECT, "type": ["object", "null"], "minProperties": 1, "not": {"required": ["b"]}}, "p"
    )
    planner.plan_waiting_classes()

    alias = planner.items[type_schema["$ref"].removeprefix("#/$defs/")]
    assert alias.check.keywords == ("not",)
    assert [i.check.keywords for i in planner.items.values() if isinstance(i, ClassPlan)] == [("minProperties",)]


def test_recursive_plain_definitions_are_checked_inside_of_themselves() -> None:
    tree = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/$defs/tree"}}]}
    planner = TypePlanner({"$defs": {"tree": tree}}, ClassName("Root"), "Root", {}, {"Root"})

    assert planner.plan_type({"$ref": "#/$defs/tree"}, "p") == {
        "anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/$defs/RootTreeOption2Item"}}]
    }
    assert planner.items["RootTreeOption2Item"].check.keywords == ("$ref",)


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

    planner = TypePlanner(
        {"$defs": {**definitions, "d60": {"type": "string"}}}, ClassName("Root"), "Root", {}, {"Root"}
    )
    type_schema = planner.plan_type({"$ref": "#/$defs/d0"}, "p")

    assert len(str(type_schema)) + len(str(list(planner.items.values()))) < 500_000


class Counted(dict[str, Any]):
    """Definitions that refuse to be looked up without end."""

    budget = 3000

    def __getitem__(self, name: str) -> Any:
        self.budget -= 1
        assert self.budget, "looked up too often"
        return super().__getitem__(name)


def _combined(*, fields: bool) -> dict[str, Any]:
    """A definition inside itself, combined with something else each time; with `fields`, as properties of a class."""
    parts = [{"allOf": [{"$ref": "#/$defs/n"}, {"minProperties": i}]} for i in range(8)]
    if fields:
        return {"type": "object", "properties": {f"p{i}": part for i, part in enumerate(parts)}}
    return {"type": "object", "additionalProperties": {"anyOf": [{"type": "object", **part} for part in parts]}}


@pytest.mark.parametrize(("fields", "classes"), [(True, 8 + 8 * 7), (False, 0)])
def test_a_recursive_definition_that_is_combined_with_others_does_not_multiply(fields: bool, classes: int) -> None:
    definition = _combined(fields=fields)
    root = {"$defs": Counted(n=definition)}
    planner = TypePlanner(root, ClassName("Root"), "Root", {}, {"Root"})
    planner.plan_type({"allOf": [{"$ref": "#/$defs/n"}, {"maxProperties": 9}]}, "p")
    planner.plan_waiting_classes()

    assert sum(isinstance(item, ClassPlan) for item in planner.items.values()) <= 1 + classes


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
    planner = TypePlanner(root, ClassName("Root"), "Root", {}, {"Root"})
    planner.plan_root_class(None)
    return list(planner.items.values())


def test_leaves_come_first_and_long_circles_are_broken() -> None:
    short, long = sort_by_dependency(_ring(20), {}, {"Root"}), sort_by_dependency(_ring(MAX_CIRCLE + 1), {}, {"Root"})

    assert short.items[-1].name == "Root"
    assert len(short.rebuilt) == 1
    assert len(short.items) == 21
    assert long.rebuilt == ()
    assert {item.check.keywords for item in short.items} == {()}
    assert {item.check.keywords for item in long.items if item.name != "Root"} == {("type", "properties")}


def test_what_nothing_refers_to_is_left_out() -> None:
    ring = _ring(3)

    assert len(sort_by_dependency(ring, {}, {ring[0].name}).items) < len(ring) or ring[0].name == "Root"
    assert [
        item.name for item in sort_by_dependency([*ring, replace(ring[0], name=ClassName("Alone"))], {}, {"Root"}).items
    ][-1] == "Root"
