"""Schemas for a server that decodes them into structs: what stays, what is said otherwise, and what is told of it."""

from __future__ import annotations

from typing import Any

import pytest

from toolgen.runtime.struct_schema import lower_for_structs

DIALECT = {
    "keywords": ["type", "anyOf", "items", "description", "enum", "properties", "required"],
    "root": {"type": "object", "without": ["anyOf", "description", "enum"]},
}
TEXT = {"type": "string"}


def lowered(schema: Any) -> tuple[Any, list[tuple[Any, str, str]]]:
    told: list[tuple[Any, str, str]] = []
    return lower_for_structs(schema, DIALECT, lambda *report: told.append(report)), told


def of(inner: Any, **more: Any) -> dict[str, Any]:
    """A schema with one property."""
    return {"type": "object", "properties": {"a": inner}, **more}


HERE = ("properties", "a")
CASES: dict[str, tuple[Any, Any, list[Any]]] = {
    "a const": ({"const": 1}, {"enum": [1]}, [(HERE, "const", "rewritten")]),
    "one of": ({"oneOf": [TEXT]}, {"anyOf": [TEXT]}, [(HERE, "oneOf", "rewritten")]),
    "a limit": ({**TEXT, "maxLength": 3}, TEXT, [(HERE, "maxLength", "dropped")]),
    "all of one": ({"allOf": [TEXT], "description": "d"}, {**TEXT, "description": "d"}, [(HERE, "allOf", "rewritten")]),
    "all of two": ({"allOf": [TEXT, TEXT]}, {}, [(HERE, "allOf", "dropped")]),
    "true": (True, {}, [(HERE, "a schema", "rewritten")]),
    "inside of anyOf": (
        {"anyOf": [{**TEXT, "format": "date"}]},
        {"anyOf": [TEXT]},
        [((*HERE, "anyOf", 0), "format", "dropped")],
    ),
    "inside of items": ({"items": {**TEXT, "format": "date"}}, {"items": {**TEXT, "format": "date"}}, []),
    "a property called as a keyword": (of(TEXT) | {"properties": {"$ref": TEXT, "const": TEXT}},) * 2 + ([],),
    "data that looks like a reference": ({"items": {"enum": [{"$ref": "#/x"}]}},) * 2 + ([],),
    "a reference to nowhere": ({"$ref": "#/$defs/X", **TEXT}, TEXT, [(HERE, "$ref", "rewritten")]),
    "a reference to elsewhere": ({"$ref": "https://e.com/x"}, {}, [(HERE, "$ref", "rewritten")]),
}


@pytest.mark.parametrize("case", CASES)
def test_a_property_is_said_as_the_struct_has_it(case: str) -> None:
    given, expected, told = CASES[case]
    assert lowered(of(given)) == (of(expected), told)


def test_references_are_resolved_also_under_items() -> None:
    schema = of(
        {"items": {"$ref": "#/$defs/T"}}, **{"$defs": {"T": {"$ref": "#/$defs/U"}, "U": {**TEXT, "pattern": "x"}}}
    )
    found, told = lowered(schema)
    assert found == of({"items": {**TEXT, "pattern": "x"}})
    assert {where for where, _, _ in told} == {(), (*HERE, "items")}


def test_a_circle_ends_where_it_closes() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "name": TEXT}}
    found, told = lowered(of({"$ref": "#/$defs/Node"}, **{"$defs": {"Node": node}}))
    assert found == of({"type": "object", "properties": {"next": {}, "name": TEXT}})
    assert ((*HERE, "properties", "next"), "$ref", "rewritten") in told


def test_references_that_double_at_each_step_do_not_grow_without_end() -> None:
    definitions = {f"D{i}": of({"$ref": f"#/$defs/D{i + 1}"}) for i in range(40)}
    for i, one in enumerate(definitions.values()):
        one["properties"]["b"] = {"$ref": f"#/$defs/D{i + 1}"}
    found, _ = lowered(of({"$ref": "#/$defs/D0"}, **{"$defs": {**definitions, "D40": TEXT}}))
    assert len(str(found)) < 200_000


@pytest.mark.parametrize(
    "schema", [{}, {"type": "object"}, {"properties": {}}, {"type": ["object", "null"], "properties": {}}]
)
def test_the_outermost_is_an_object_with_properties(schema: Any) -> None:
    assert lowered(schema)[0] == {"type": "object", "properties": {}}
    assert lowered(schema)[1] != []


def test_what_fits_is_left_alone() -> None:
    schema = of({**TEXT, "enum": ["x"], "description": "d"}, required=["a"])
    assert lowered(schema) == (schema, [])
