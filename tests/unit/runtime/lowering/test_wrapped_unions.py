"""A union at the root that stands under one property, where the author asks for that."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.support.dialects import CHECKERS
from tests.support.every_row import over
from tests.support.schema_values import valid_values
from tests.unit.runtime.lowering.lowered_schemas import DIALECTS, every_dialect
from toolgen_runtime.apis.gemini.fields import from_openapi
from toolgen_runtime.conversion.encoding import Encoding
from toolgen_runtime.json_values import same_json
from toolgen_runtime.lowering.dialects import Dialect
from toolgen_runtime.lowering.lower import lower
from toolgen_runtime.lowering.lowered_schema import LoweredSchema

TEXT = {"type": "string"}


def closed(*required: str, **properties: Any) -> dict[str, Any]:
    """A closed object."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


CIRCLE = closed("v", v=TEXT, next={"$ref": "#"})
UNIONS: dict[str, dict[str, Any]] = {
    "told apart by a constant": {
        "description": "Pay.",
        "oneOf": [
            closed("by", "number", by={"const": "card"}, number=TEXT, note=TEXT),
            closed("by", "iban", by={"const": "bank"}, iban=TEXT, level={"enum": [1, 2]}),
        ],
    },
    "told apart by their members": {"anyOf": [closed("a", a=TEXT, b=TEXT), closed("c", c={"type": "integer"}, d=TEXT)]},
    "one of two is needed": {**closed(a=TEXT, b=TEXT), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
    "after references": {
        "anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}],
        "$defs": {"A": closed("a", a=TEXT, other={"$ref": "#/$defs/B"}), "B": closed("b", b=TEXT, c=TEXT)},
    },
    "the whole after a reference": {
        "$ref": "#/$defs/U",
        "$defs": {"U": {"anyOf": [closed("a", a=TEXT), closed("b", b=TEXT, c=TEXT)]}},
    },
    "with members of all": {
        "type": "object",
        "properties": {"id": TEXT, "n": {"type": "integer"}},
        "required": ["id"],
        "anyOf": [{"properties": {"a": TEXT}, "required": ["a"]}, {"properties": {"b": TEXT}, "required": ["b"]}],
    },
    "parts of two": {
        "allOf": [{"type": "object", "properties": {"id": TEXT}}],
        "oneOf": [{"allOf": [closed("a", a=TEXT, id=TEXT)]}, closed("b", b=TEXT, id=TEXT)],
    },
    "in itself": {"anyOf": [CIRCLE, closed("w", w=TEXT, next={"$ref": "#"})]},
    "with a property of the same name": {"anyOf": [closed("value", value=closed("value", value=TEXT)), closed("b", b=TEXT)]},
    "not all of them objects": {"anyOf": [closed("a", a=TEXT), {"type": "null"}, closed("b", b=TEXT), {"type": "array"}]},
}  # fmt: skip
TAKING = ("mcp", "copilot", "mistral", "modular_prompt", "prompt")
NEVER_TAKING = ("kagami",)
REFUSING = [
    dialect for dialect in CHECKERS if dialect[0] not in (*TAKING, *NEVER_TAKING) and dialect != ("xai", "open")
]
"""The dialects that take unions, but not at the root."""
each = over("dialect", {"-".join(name): name for name in REFUSING})


def lowered(schema: dict[str, Any], dialect: tuple[str, str]) -> LoweredSchema:
    """A schema lowered as a provider takes it, with its union wrapped."""
    return lower(schema, Dialect({**DIALECTS[dialect].facts, "unions": "wrapped"}))


@cache
def valid_objects(union: str) -> list[dict[str, Any]]:
    """Objects that a union admits."""
    values = [value for value in valid_values(UNIONS[union], seed=7, tries=30) if type(value) is dict]
    assert len(values) >= 4
    assert all(map(Draft202012Validator(UNIONS[union]).is_valid, values))
    return values


@pytest.mark.parametrize("union", UNIONS)
@each
def test_a_wrapped_union_is_taken_and_its_values_go_there_and_back(dialect: tuple[str, str], union: str) -> None:
    schema = UNIONS[union]
    lowering = lowered(schema, dialect)
    if lowering.unsupported_changes:
        assert union == "in itself"
        return
    assert list(CHECKERS[dialect](lowering.schema)) == []
    wire = from_openapi(lowering.schema) if dialect[1] == "openapi" else lowering.schema
    assert list(wire["properties"]) == wire["required"] == ["value"]
    assert len(wire["properties"]["value"]["anyOf"]) == 2
    (record,) = [r for r in lowering.changes if "are wrapped in the property value" in r.reason]
    assert (record.action, record.checked, record.blocks_strict, record.is_unsupported) == (
        "rewritten",
        "",
        False,
        False,
    )
    judge = Draft202012Validator(wire)
    assert lowering.encoding_table is not None
    narrowed = any(record.action == "narrowed" for record in lowering.changes)
    for value in valid_objects(union):
        spelled = Encoding(lowering.encoding_table).encode(value)
        assert list(spelled) == ["value"]
        assert narrowed or judge.is_valid(spelled), spelled
        assert narrowed or same_json(Encoding(lowering.encoding_table).decode(spelled), value)
    assert not judge.is_valid({"value": {"none": "of them"}}) or "additionalProperties" not in str(wire["properties"])


def test_what_no_branch_admits_is_not_admitted_wrapped_either() -> None:
    lowering = lowered(UNIONS["told apart by a constant"], ("openai_chat", "strict"))
    judge = Draft202012Validator(lowering.schema)
    assert lowering.schema["description"] == "Pay."
    assert judge.is_valid({"value": {"by": "card", "number": "1", "note": None}})
    assert not judge.is_valid({"value": {"by": "card", "iban": "1", "level": None}})
    assert not judge.is_valid({"by": "card", "number": "1", "note": None})


HOSTILE: list[Any] = [
    {},
    {"value": None},
    {"value": 5},
    {"value": []},
    {"value": {"value": {}}, "more": 1},
    {"value": [{"value": 1}]},
    {"a": {"value": 1}},
    {"v": "x", "next": {"value": 3}},
    {"v": 1, "next": []},
]
for _ in range(3):
    HOSTILE += [{"value": value} for value in HOSTILE]


@pytest.mark.parametrize("union", UNIONS)
@each
def test_values_that_fit_nothing_are_read_and_written_without_an_exception(
    dialect: tuple[str, str], union: str
) -> None:
    table = lowered(UNIONS[union], dialect).encoding_table
    assert table is not None
    deep: Any = {"v": "x"}
    for _ in range(2_000):
        deep = {"value": {"v": "x", "next": deep}}
    for value in [*HOSTILE, deep]:
        assert type(Encoding(table).decode(value)) is dict
        assert type(Encoding(table).encode(value)) is dict
    assert Encoding(table).decode({"value": 5}) == {"value": 5}
    assert Encoding(table).decode({"value": {}, "more": 1}) == {"value": {}, "more": 1}


@pytest.mark.parametrize("dialect", [("mcp", "open"), ("mistral", "open")], ids="-".join)
def test_a_union_stays_where_it_is_taken(dialect: tuple[str, str]) -> None:
    lowering = lowered(UNIONS["told apart by their members"], dialect)
    assert "anyOf" in lowering.schema
    assert lowering.encoding_table is None


@each
def test_a_union_of_one_object_needs_no_wrapper(dialect: tuple[str, str]) -> None:
    lowering = lowered({"anyOf": [closed("a", a=TEXT), {"type": "null"}]}, dialect)
    assert list(lowering.schema["properties"]) == ["a"]


@pytest.mark.parametrize("required", [5, "a", {"a": 1}, None])
@every_dialect
def test_required_that_is_no_list_requires_nothing(dialect: tuple[str, str], required: Any) -> None:
    branches = [{"type": "object", "properties": {key: TEXT}} for key in "ab"]
    written = lower({"anyOf": [{**branches[0], "required": required}, branches[1]]}, DIALECTS[dialect]).schema
    without = lower({"anyOf": branches}, DIALECTS[dialect]).schema
    assert written.get("required") == without.get("required")
