"""What a lowered schema excludes is reported, and a strict tool can always be called."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.unit.runtime.lowering.lowered_schemas import (
    DIALECTS,
    STRICT,
    TEXT,
    admits,
    every_dialect,
    lowered,
    of,
    there_and_back,
)
from toolgen_runtime.conversion.encoding import Encoding
from toolgen_runtime.lowering.coercion import coercions
from toolgen_runtime.lowering.lower import lower
from toolgen_runtime.lowering.schemas import conditional_schemas

METHOD = {"properties": {"method": {"enum": ["card", "bank"], "type": "string"}}, "required": ["method"]}
CARD = {"properties": {"method": {"const": "card"}}}
NUMBER = {"properties": {"number": TEXT}, "required": ["number"]}
IBAN = {"properties": {"iban": TEXT}, "required": ["iban"]}
CLOSED = {"additionalProperties": False}
FREE = {"type": "object", "additionalProperties": False, "patternProperties": {"^x-": {}}}
NEVER = {"allOf": [{"type": "array"}, {"type": "string"}]}
NOTHING = {"$ref": "#/$defs/A"}
DEFINED = {
    "$defs": {
        "A": NEVER,
        "B": {"anyOf": [NOTHING, NEVER]},
        "C": {"type": "object", "properties": {"none": NOTHING, "next": {"$ref": "#/$defs/C"}}},
    }
}

CASES: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "then and else": (
        {**METHOD, "if": CARD, "then": NUMBER, "else": IBAN},
        [{"method": "card", "number": "4"}, {"method": "bank", "iban": "N"}],
    ),
    "several conditions": (
        {**METHOD, "allOf": [{"if": CARD, "then": NUMBER}, {"if": {"not": CARD}, "then": IBAN}]},
        [{"method": "card", "number": "4"}, {"method": "bank", "iban": "N"}],
    ),
    "a condition in a reference": (
        {**METHOD, "if": CARD, "then": {"$ref": "#/$defs/N"}, "$defs": {"N": {"allOf": [NUMBER]}}},
        [{"method": "card", "number": "4"}],
    ),
    "dependent schemas": ({**METHOD, "dependentSchemas": {"method": NUMBER}}, [{"method": "card", "number": "4"}]),
    "dependent names": ({**METHOD, "dependentRequired": {"method": ["b"]}}, [{"method": "card", "b": 1}]),
    "a union of names": ({"properties": {"z": TEXT}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, [{"a": 1}]),
    "one branch requires what the other declares": (
        {"anyOf": [{"required": ["a"]}, {"properties": {"a": TEXT, "b": TEXT}, "required": ["b"]}]},
        [{"a": 1}, {"b": "x"}],
    ),
    "a required name that one branch declares": (
        {"required": ["c"], "oneOf": [{"properties": {"b": TEXT}}, {"properties": {"c": TEXT, "b": {"type": "null"}}}]},
        [{"c": 1, "b": "x"}, {"c": "x", "b": None}],
    ),
    "a union of a name and an object": (
        {"anyOf": [{"required": ["a"]}, {"properties": {"b": TEXT}, "required": ["b"]}]},
        [{"a": 1}, {"b": "x"}],
    ),
    "one branch declares it": (
        {
            "properties": {"kind": TEXT},
            "required": ["kind"],
            "oneOf": [
                {"properties": {"kind": {"const": "user"}, "id": {"type": "integer"}}, "required": ["id"]},
                {"properties": {"kind": {"const": "team"}}},
            ],
        },
        [{"kind": "user", "id": 1}, {"kind": "team", "id": "T"}],
    ),
    "patterns in branches": (
        {"anyOf": [{**FREE, **NUMBER}, {**FREE, **IBAN}]},
        [{"number": "4", "x-a": 1}, {"iban": "N"}],
    ),
    "additional properties in a branch": (
        {"anyOf": [{"properties": {}}, {"additionalProperties": {"type": "number"}}]},
        [{"x": 1}],
    ),
    "additional properties in one of two": (
        {
            "oneOf": [
                {**NUMBER, "additionalProperties": False},
                {"additionalProperties": {"type": "number"}, "minProperties": 1},
            ]
        },
        [{"x": 1}],
    ),
    "a union in a union": (
        {
            "anyOf": [
                {"properties": {"id": TEXT}, "oneOf": [{**CLOSED, **NUMBER}, {"anyOf": [{**CLOSED, **IBAN}, False]}]},
                {**CLOSED, **METHOD},
            ]
        },
        [{"number": "4"}, {"iban": "N"}, {"method": "card"}],
    ),
    "two unions in a branch": (
        {"anyOf": [{"anyOf": [{"required": ["number"]}, {"type": "array"}], "oneOf": [{**CLOSED, **NUMBER}]}]},
        [{"number": "4"}],
    ),
    "a union next to a choice of names": (
        of({"anyOf": [{"required": ["x"]}, METHOD], "oneOf": [NUMBER, IBAN], "type": "object"}, "a"),
        [{"a": {"x": 1, "iban": "N"}}, {"a": {"number": "4", "method": "card"}}],
    ),
    "a union next to another": (
        of({"anyOf": [NUMBER, IBAN], "oneOf": [{"$ref": "#/$defs/K"}, {"type": "object"}], "type": "object"}, "a")
        | {"$defs": {"K": {"properties": {"kind": TEXT}, "required": ["kind"]}}},
        [{"a": {"number": "4"}}, {"a": {"iban": "N"}}],
    ),
    "anything or a name": ({**CLOSED, **CARD, "anyOf": [True, {"required": ["method"]}]}, [{}]),
    "true or 1": (
        {"anyOf": [{**CLOSED, "properties": {"a": {"const": True}}}, {**CLOSED, "properties": {"a": {"const": 1}}}]},
        [{"a": True}, {"a": 1}],
    ),
    "unevaluated properties": (
        {"properties": {"a": TEXT}, "unevaluatedProperties": {"type": "integer"}},
        [{"a": "x", "b": 1}],
    ),
    "unevaluated properties of a part": (
        {"properties": {"a": TEXT}, "allOf": [{"properties": {"b": TEXT}, "unevaluatedProperties": True}]},
        [{"a": "x", "c": 1}],
    ),
    "unevaluated properties of a branch": (
        {"anyOf": [{**NUMBER, "unevaluatedProperties": {"type": "integer"}}, NUMBER]},
        [{"number": "4", "b": 1}],
    ),
    "unevaluated properties next to a union": (
        of({"type": "object", "unevaluatedProperties": TEXT, "anyOf": [NUMBER, IBAN]}, "a"),
        [{"a": {"number": "4", "x": "y"}}],
    ),
    "no unevaluated properties": ({"properties": {"a": TEXT}, "unevaluatedProperties": False}, [{"a": "x"}]),
    "null or an object with a condition": (
        of({"oneOf": [{"type": "object", **METHOD, "if": CARD, "then": {"type": "object"}}, {"type": "null"}]}, "a"),
        [{"a": None}, {"a": {"method": "card"}}],
    ),
    "a map or a property with another name": (
        of(
            {
                "anyOf": [
                    {"type": "object", "properties": {"k": {}}, "additionalProperties": TEXT},
                    {"type": "object", "properties": {"a-b": {"type": "integer"}}, **CLOSED},
                ]
            },
            "a",
        ),
        [{"a": {"a-b": 2}}, {"a": {"x": "y"}}, {"a": {"a-b": "y", "k": 1}}],
    ),
    "any additional properties in a branch": ({"anyOf": [{"additionalProperties": True}, NUMBER]}, [{"x": 1}]),
    "a branch allows more": (
        {"properties": {"a": TEXT}, "unevaluatedProperties": False, "anyOf": [{"additionalProperties": True}]},
        [{"a": "x"}, {"a": "x", "b": 1}],
    ),
    "more properties than declared": ({"properties": {"a": TEXT}, "minProperties": 2}, [{"a": "x", "b": 1}]),
    "a name without a schema": ({"properties": {"a": TEXT}, "required": ["a", "b"]}, [{"a": "x", "b": 1}]),
    "a keyword without a type": ({"properties": {"a": {"minimum": 1}}, "required": ["a"]}, [{"a": 1}, {"a": "x"}]),
    "text or false": (
        {"properties": {"a": {"anyOf": [TEXT, {"const": False}]}}, "required": ["a"]},
        [{"a": "x"}, {"a": False}],
    ),
    "text or false in a union": (
        of({"anyOf": [{"anyOf": [TEXT, {"type": "null"}]}, {"anyOf": [{"const": False}, {"type": "integer"}]}]}, "a"),
        [{"a": "x"}, {"a": False}, {"a": None}, {"a": 1}],
    ),
    "text or any value": (of({"anyOf": [TEXT, {}]}, "a"), [{"a": "x"}, {"a": False}]),
    "null is listed next to a union": (
        of({"anyOf": [TEXT, {"type": "null"}], "enum": ["x", None]}, "a"),
        [{"a": "x"}, {"a": None}],
    ),
    "an optional reference to null": (
        of({"anyOf": [{"$ref": "#/$defs/N"}, TEXT]}, **{"$defs": {"N": {"type": ["integer", "null"]}}}),
        [{}, {"a": None}, {"a": "x"}],
    ),
    "all branches require a name without a schema": (
        {"anyOf": [{"properties": {"a": TEXT}, "required": ["u"]}, {"properties": {"b": TEXT}, "required": ["u"]}]},
        [{"a": "x", "u": 1}],
    ),
    "only null is left": (
        of({"type": ["number", "null"], "oneOf": [{"type": ["string", "null"]}]}, "a"),
        [{"a": None}],
    ),
    "no item is possible": (of({"type": "array", "items": {"allOf": [TEXT, {"type": "integer"}]}}, "a"), [{"a": []}]),
    "a definition that admits nothing": (of(NOTHING, **DEFINED), [{}]),
    "a described reference to nothing": (of({**NOTHING, "description": "None."}, **DEFINED), [{}]),
    "a definition of definitions that admit nothing": (of({"$ref": "#/$defs/B"}, **DEFINED), [{}]),
    "nothing in a circle": (of({"$ref": "#/$defs/C"}, "a", **DEFINED), [{"a": {"next": {}}}]),
    "nothing or text": (of({"anyOf": [NOTHING, TEXT]}, "a", **DEFINED), [{"a": "x"}]),
    "items of a definition that admits nothing": (of({"type": "array", "items": NOTHING}, "a", **DEFINED), [{"a": []}]),
    "a map of a definition that admits nothing": (
        of({"type": "object", "additionalProperties": NOTHING}, "a", **DEFINED),
        [{"a": {}}],
    ),
    "a tuple with an end": (
        of({"type": "array", "prefixItems": [TEXT, NEVER, TEXT]}, "a"),
        [{"a": ["x"]}, {"a": []}],
    ),
    "a tuple that ends at once": (
        of({"type": "array", "prefixItems": [NOTHING], "items": False}, "a", **DEFINED),
        [{"a": []}],
    ),
    "a tuple without more items": (of({"type": "array", "prefixItems": [TEXT], "items": NEVER}, "a"), [{"a": ["x"]}]),
    "a required property that admits nothing": (of(NOTHING, "a", **DEFINED), []),
    "a forbidden property": ({**METHOD, "if": CARD, "then": {"properties": {"x": False}}}, [{"method": "card"}]),
}


@every_dialect
@pytest.mark.parametrize("case", CASES)
def test_a_valid_value_that_cannot_be_sent_is_reported(case: str, dialect: tuple[str, str]) -> None:
    schema, values = CASES[case]
    schema = {"type": "object", **schema}
    lowering = lowered(schema, dialect)
    narrowed = [change for change in lowering.changes if change.action == "narrowed"]
    openapi = dialect[1] == "openapi"
    for value in values:
        assert Draft202012Validator(schema).is_valid(value)
        sent, returned = there_and_back(lowering, value)
        exact = admits(lowering, sent, openapi=openapi) and returned == value
        assert exact or narrowed, (lowering.schema, value)


@every_dialect
@pytest.mark.parametrize("case", CASES)
def test_a_schema_that_may_be_strict_admits_a_valid_value(case: str, dialect: tuple[str, str]) -> None:
    schema, values = CASES[case]
    lowering = lowered({"type": "object", **schema}, dialect)
    if any(change.blocks_strict for change in lowering.changes) or not DIALECTS[dialect].closed:
        return
    assert any(admits(lowering, there_and_back(lowering, value)[0]) for value in values), lowering.schema


OPEN = ("unevaluated properties", "unevaluated properties of a part", "unevaluated properties of a branch")


@every_dialect
@pytest.mark.parametrize("case", [*OPEN, "unevaluated properties next to a union"])
def test_an_object_with_a_rule_for_unevaluated_properties_is_not_closed(case: str, dialect: tuple[str, str]) -> None:
    schema = CASES[case][0]
    lowering = lowered({"type": "object", **schema}, dialect)
    if DIALECTS[dialect].closed:
        assert any(change.blocks_strict for change in lowering.changes)
    if DIALECTS[dialect].says_open and case in OPEN[:2]:
        assert lowering.schema["additionalProperties"] in (True, {"type": "integer"})


@every_dialect
def test_a_property_that_admits_no_value_is_reported_where_the_object_is_open(dialect: tuple[str, str]) -> None:
    schema = {"type": "object", "properties": {"a": {"allOf": [TEXT, {"type": "integer"}]}, "b": TEXT}}
    lowering = lowered(schema, dialect)

    if admits(lowering, {"a": 1}, openapi=dialect[1] == "openapi"):
        assert [c.action for c in lowering.changes if c.pointer == ("properties", "a")] == ["dropped"]
    closed = lowered(schema | {"additionalProperties": False}, dialect)
    assert [c for c in closed.changes if c.pointer == ("properties", "a")] == []


@pytest.mark.parametrize(
    ("more", "value"),
    [({"enum": [True, False]}, "true"), ({"type": "object"}, '{"a":1}'), ({"enum": [1, 2, 3]}, "1")],
)
def test_a_declared_property_is_not_read_as_an_additional_one(more: Any, value: str) -> None:
    table = coercions(of({"type": "object", "properties": {"any": {}, "op": TEXT}, "additionalProperties": more}))
    assert table is not None
    assert Encoding(table).decode({"a": {"any": value, "op": value}}) == {"a": {"any": value, "op": value}}
    assert Encoding(table).decode({"a": {"new": value}}) != {"a": {"new": value}}


@every_dialect
def test_a_list_ends_before_the_first_item_that_is_not_possible(dialect: tuple[str, str]) -> None:
    lowering = lowered(of({"type": "array", "prefixItems": [TEXT, NEVER]}, "a"), dialect)
    admitted = admits(lowering, {"a": ["x", "y"]}, openapi=dialect[1] == "openapi")
    assert not admitted or "At most 1 item" in str(lowering.schema) or lowering.changes
    assert [c for c in lowering.changes if c.is_unsupported] == []


@every_dialect
def test_a_required_property_that_admits_nothing_is_reported(dialect: tuple[str, str]) -> None:
    lowering = lowered(of(NOTHING, "a", **DEFINED), dialect)
    if "a" not in lowering.schema["properties"]:
        assert [(c.action, c.blocks_strict) for c in lowering.changes if c.pointer == ("properties", "a")] == [
            ("dropped", True)
        ]


@every_dialect
@pytest.mark.parametrize(
    ("inner", "value"),
    [
        ({"type": "array", "items": False}, ["x"]),
        ({"type": "array", "prefixItems": [TEXT], "items": False}, ["x", "y"]),
        ({"type": "array", "prefixItems": [TEXT, NEVER]}, ["x", "y"]),
    ],
)
def test_a_length_that_is_not_sent_is_reported(inner: Any, value: Any, dialect: tuple[str, str]) -> None:
    lowering = lowered(of(inner, "a"), dialect)
    if admits(lowering, {"a": value}, openapi=dialect[1] == "openapi"):
        reported = [
            (c.action, c.checked) for c in lowering.changes if c.pointer == ("properties", "a") and c.what == "items"
        ]
        assert reported == [("described", "parse_arguments")]


@every_dialect
@pytest.mark.parametrize(
    "root",
    [
        {"enum": ["a"]},
        {"const": 1},
        {"allOf": [False]},
        {"properties": {"a": TEXT}, "allOf": [False]},
        {"$ref": "#/$defs/N"},
    ],
)
def test_a_root_that_admits_nothing_is_an_empty_object(root: Any, dialect: tuple[str, str]) -> None:
    lowering = lowered({"type": "object", **root, "$defs": {"N": {"type": "object", "enum": [1]}}}, dialect)
    if not DIALECTS[dialect].plain:
        assert (lowering.schema["type"].lower(), lowering.schema.get("properties", {})) == ("object", {})


def test_of_two_unions_the_one_with_more_properties_is_kept() -> None:
    schema, values = CASES["a union next to a choice of names"]
    lowering = lowered(schema, ("openai_chat", "strict"))
    assert "'iban'" in str(lowering.schema)
    assert [c.what for c in lowering.changes if c.action == "narrowed" and c.blocks_strict] == ["x"]
    assert {"method", "number"} == set(lowering.schema["properties"]["a"]["anyOf"][0]["properties"])
    assert {"method", "iban"} == set(lowering.schema["properties"]["a"]["anyOf"][1]["properties"])
    sent, returned = there_and_back(lowering, values[1])
    assert admits(lowering, sent)
    assert returned == values[1]


A = {"type": "object", "properties": {"a": TEXT}, "required": ["a"]}
B = {"type": "object", "properties": {"b": {"type": "integer"}}, "required": ["b"]}
C = {"type": "object", "properties": {"c": {"type": "boolean"}}, "required": ["c"]}
TYPED = {"properties": {"kind": {"const": "text"}, "b": TEXT}, "required": ["kind"]}
COUNTED = {"properties": {"kind": {"const": "count"}, "v": {"type": "integer"}}, "required": ["kind"]}
OBJECT = {"type": "object"}
X = {"type": "object", "properties": {"x": TEXT}}
UNIONS: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "anyOf": ({**X, "allOf": [{"anyOf": [A, {}]}, {"anyOf": [B, {}]}]}, [{"x": "y", "a": "z", "b": 1}, {"b": 1}]),
    "oneOf": (
        {**X, "allOf": [{"oneOf": [A, B]}, {"oneOf": [{"required": ["x"]}, C]}]},
        [{"a": "z", "c": True}, {"b": 1, "x": "y"}],
    ),
    "references": (
        {**X, "allOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/BC"}, {"$ref": "#/$defs/A"}]},
        [{"a": "z", "c": True}, {"b": 1}],
    ),
    "a reference beside a union": ({**X, "$ref": "#/$defs/A", "anyOf": [B, C]}, [{"a": "z", "c": True}, {"b": 1}]),
    "a reference beside a union in a part": (
        {**X, "allOf": [{"$ref": "#/$defs/A", "anyOf": [B, C]}]},
        [{"a": "z", "c": True}, {"b": 1}],
    ),
    "a union beside the parts": (
        {**X, "anyOf": [A, {}], "allOf": [{"anyOf": [B, {}]}, {"anyOf": [C, {}]}]},
        [{"a": "z", "b": 1, "c": True}, {}],
    ),
    "anyOf and oneOf": ({**X, "anyOf": [A, OBJECT], "oneOf": [B, C]}, [{"a": "z", "b": 1}, {"c": True}]),
    "some branches of anyOf and of oneOf have it": (
        {**X, "anyOf": [A, {}], "oneOf": [{"properties": {"a": {"type": "integer"}}, "required": ["x"]}, C]},
        [{"a": 1, "x": "y"}, {"a": "z", "c": True}],
    ),
    "all branches of oneOf have it": (
        {**X, "anyOf": [A, {}], "oneOf": [{"properties": {"a": {"type": kind}}} for kind in ("integer", "boolean")]},
        [{"a": 1}, {"a": True}],
    ),
    "a condition has it besides anyOf and oneOf": (
        {
            **X,
            "anyOf": [A, {}],
            "oneOf": [{"properties": {"a": {"type": "integer"}}, "required": ["a"]}, C],
            "if": C,
            "then": {"properties": {"a": {"type": "boolean"}}},
        },
        [{"a": 1}, {"a": True, "c": True}],
    ),
    "anyOf, oneOf and a part": (
        {**X, "anyOf": [A, {}], "oneOf": [B, {"required": ["x"]}], "allOf": [{"oneOf": [{"required": ["a"]}, C]}]},
        [{"a": "z", "b": 1}, {"x": "y", "c": True}],
    ),
    "parts of parts": (
        {**X, "allOf": [{"allOf": [{"anyOf": [A, {}]}]}, {"allOf": [{"anyOf": [B, {}]}]}, {"allOf": [C]}]},
        [{"a": "z", "b": 1, "c": True}, {"c": True}],
    ),
    "without a type beside them": ({"allOf": [{"oneOf": [A, B]}, {"oneOf": [OBJECT, C]}]}, [{"a": "z"}, {"b": 1}]),
    "some branches of both have it": (
        {**X, "allOf": [{"anyOf": [TYPED, COUNTED]}, {"anyOf": [B, {"required": ["x"]}]}]},
        [{"kind": "text", "b": "z", "x": "y"}, {"kind": "count", "b": 1}, {"kind": "count", "v": 1, "x": "y"}],
    ),
    "all branches of both have it": (
        {**X, "allOf": [{"anyOf": [TYPED, COUNTED]}, {"anyOf": [{"properties": {"kind": {"enum": ["text"]}}}, C]}]},
        [{"kind": "text", "b": "z"}, {"kind": "count", "v": 1, "c": True}],
    ),
    "different types in two parts": (
        {**X, "allOf": [{"anyOf": [A, {}]}, {"anyOf": [B, {}]}, {"oneOf": [{"properties": {"b": TEXT}}, B]}]},
        [{"b": 1}, {"b": "z"}],
    ),
    "a condition has it, too": (
        {**X, "allOf": [{"anyOf": [A, {}]}, {"anyOf": [B, {}]}, {"if": A, "then": {"properties": {"b": TEXT}}}]},
        [{"b": 1}, {"a": "z", "b": "z"}],
    ),
    "a condition in a branch": (
        {**X, "allOf": [{"anyOf": [A, {}]}, {"anyOf": [{"if": A, "then": B}, C]}]},
        [{"a": "z", "b": 1}, {"c": True}],
    ),
}
WITH_DEFINITIONS = {"$defs": {"A": {"anyOf": [A, OBJECT]}, "BC": {"anyOf": [B, {"$ref": "#/$defs/C"}]}, "C": C}}


@every_dialect
@pytest.mark.parametrize("place", ["root", "a property", "a list"])
@pytest.mark.parametrize("case", UNIONS)
def test_the_properties_of_every_union_can_be_sent(case: str, place: str, dialect: tuple[str, str]) -> None:
    schema, values = UNIONS[case]
    names = {name for value in values for name in value}
    if place == "root":
        schema = {**OBJECT, **schema, **WITH_DEFINITIONS}
    else:
        schema = of(schema if place == "a property" else {"type": "array", "items": schema}, "a", **WITH_DEFINITIONS)
        values = [{"a": value if place == "a property" else [value]} for value in values]
    rules = DIALECTS[dialect]
    lowering = lowered(schema, dialect)
    assert all(f"'{name}': " in str(lowering.schema) for name in names)
    for value in values:
        assert Draft202012Validator(schema).is_valid(value)
        sent, returned = there_and_back(lowering, value)
        assert returned == value
        if rules.closed or rules.says_open:
            assert admits(lowering, sent), (lowering.schema, sent)
    if rules.closed:
        assert [c for c in lowering.changes if c.action == "narrowed" and c.blocks_strict] == []
        assert [c for c in lowering.changes if c.what in ("anyOf", "oneOf") and c.checked == "parse_arguments"]


def test_a_schema_under_a_condition_is_visited_once() -> None:
    union: dict[str, Any] = {"anyOf": [A, B]}
    union["anyOf"] += [union, {"allOf": [union, union]}]
    visited = list(conditional_schemas({"if": True, "then": union}, lambda schema: schema))
    assert [visited.count(A), visited.count(B), len(visited)] == [1, 1, 4]


KIND = {"type": "object", "properties": {"kind": TEXT}}
TREE = {"properties": {"child": {"$ref": "#/$defs/Tree"}}}
IF_KIND = {"if": {"required": ["kind"]}}
COUNT = {"properties": {"count": {"type": "integer"}}}


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        ({**KIND, **IF_KIND, "then": {"properties": {"child": {"$ref": "#"}}}}, "child"),
        ({**KIND, **IF_KIND, "else": {"$ref": "#/$defs/Tree"}, "$defs": {"Tree": TREE}}, "child"),
        ({**KIND, "if": {"$ref": "#/$defs/Tree"}, "then": COUNT, "$defs": {"Tree": TREE}}, "count"),
        ({**KIND, "dependentSchemas": {"kind": COUNT}}, "count"),
        ({**KIND, "dependencies": {"kind": COUNT}}, "count"),
        ({**KIND, "allOf": [{**IF_KIND, "then": {"required": ["kind"]}}, {"if": COUNT, "then": COUNT}]}, "count"),
        ({**KIND, "allOf": [{"dependentSchemas": {"kind": {}}}, {"dependentSchemas": {"a": COUNT}}]}, "count"),
    ],
)
@every_dialect
def test_a_property_under_a_condition_that_is_not_sent_is_declared(
    schema: dict[str, Any], name: str, dialect: tuple[str, str]
) -> None:
    """Whichever part of the condition cannot be sent: it is circular, or the second one, or its keyword is not known."""
    lowering = lowered(schema, dialect)
    if lowering.unsupported_changes:
        return
    assert f"'{name}': " in str(lowering.schema)
    if not DIALECTS[dialect].plain and DIALECTS[dialect].keywords is not None:
        assert name in lowering.schema["properties"]


@pytest.mark.parametrize("mode", [("agent_sdk", "open"), STRICT])
def test_keywords_next_to_a_circular_reference_are_kept_once(mode: tuple[str, str]) -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}}}
    beside = {"$ref": "#/$defs/N", "properties": {"count": {"type": "integer"}}, "required": ["count"]}
    lowering = lowered(of(beside, "a", **{"$defs": {"N": node}}), mode)
    inner = lowering.schema["properties"]["a"]
    assert inner["properties"].keys() == {"next", "count"}
    assert "count" in inner["required"]
    assert "#/$defs/N" in str(inner["properties"]["next"])
    endless = lowered(of({"$ref": "#/$defs/N"}, **{"$defs": {"N": {**node, "properties": {"next": beside}}}}), mode)
    assert [change.reason for change in endless.changes if change.what == "required"] == [
        "it is next to a circular reference"
    ]


STRINGS = {"properties": {"count": TEXT}}


@pytest.mark.parametrize(
    "condition",
    [
        {**IF_KIND, "then": COUNT, "else": STRINGS},
        {**IF_KIND, "then": {"anyOf": [COUNT, STRINGS]}, "else": {"allOf": [{"$ref": "#/$defs/C"}]}},
        {"anyOf": [{"properties": {"z": TEXT}}, {"properties": {"z": TEXT, "y": TEXT}}], "oneOf": [COUNT, STRINGS]},
        {"allOf": [{"anyOf": [COUNT, STRINGS]}, {"anyOf": [{"properties": {"z": TEXT}}, {"required": ["kind"]}]}]},
    ],
)
@every_dialect
def test_a_property_that_all_branches_declare_is_under_no_condition(
    condition: dict[str, Any], dialect: tuple[str, str]
) -> None:
    lowering = lowered(of({**KIND, **condition}, "a", **{"$defs": {"C": COUNT}}), dialect)
    assert [c for c in lowering.changes if c.what == "a property" and c.pointer[-1] == "count"] == []
    for value in ({"kind": "k", "count": 1}, {"kind": "k", "count": "x"}):
        if DIALECTS[dialect].closed:
            assert admits(lowering, there_and_back(lowering, {"a": value})[0])


def test_a_property_that_one_branch_declares_is_under_a_condition() -> None:
    for branches in ({"then": COUNT}, {"then": COUNT, "else": True}, {"else": STRINGS}):
        lowering = lowered(of({**KIND, **IF_KIND, **branches}), STRICT)
        assert [c.action for c in lowering.changes if c.what == "a property"] == ["rewritten"]


@pytest.mark.parametrize("word", ["patternProperties", "additionalProperties", "unevaluatedProperties"])
def test_properties_that_only_a_merged_branch_has_are_narrowed_where_objects_are_closed(word: str) -> None:
    more = {"^x": TEXT} if word == "patternProperties" else TEXT
    root = {"type": "object", "oneOf": [{**COUNT, word: more}, {**STRINGS, "additionalProperties": False}]}
    for dialect, rules in DIALECTS.items():
        if "oneOf" in rules.root.get("without", ()) and rules.unions == "merged":
            changes = [c for c in lowered(root, dialect).changes if c.what == word and c.pointer == ("oneOf",)]
            closed = rules.closed
            assert [(c.action, c.blocks_strict) for c in changes] == [("narrowed" if closed else "dropped", closed)]


@pytest.mark.parametrize("place", [{"$ref": "#/$defs/E"}, {"type": "array", "items": {"$ref": "#/$defs/E"}}])
def test_an_empty_closed_object_is_sent_as_it_is(place: dict[str, Any]) -> None:
    """No rule of strict mode speaks against it. A map that would become one is refused."""
    empty = {"type": "object", "properties": {}, "additionalProperties": False}
    lowering = lower(of(place, "a", **{"$defs": {"E": empty}}), DIALECTS[STRICT])
    assert lowering.changes == ()
    assert admits(lowering, {"a": [{}] if "items" in place else {}})


@pytest.mark.parametrize("rule", [{"const": {"count": 1}}, {"enum": [{"count": 1}, {}]}, {"allOf": [{"const": {}}]}])
@every_dialect
def test_a_root_with_listed_objects_is_an_object(rule: dict[str, Any], dialect: tuple[str, str]) -> None:
    """Also where listed objects are sent as texts."""
    lowering = lowered({"type": "object", **COUNT, **rule}, dialect)
    assert lowering.schema.get("type", "object") in ("object", "OBJECT")


@every_dialect
def test_a_union_in_a_branch_tells_it_from_the_others(dialect: tuple[str, str]) -> None:
    """Also with a type beside it: the values of the other branch are spelled as this branch lists them."""
    kinds = [{"properties": {"kind": {"const": kind}}, "required": ["kind"]} for kind in ("x", "y", "z")]
    listed = {"properties": {"kind": {"const": "z"}, "count": {"enum": [{}, {"count": 1}]}}, "required": ["kind"]}
    union = {"type": "object", "anyOf": [{"oneOf": kinds[:2]}, listed]}
    lowering = lowered(of(union, "a"), dialect)
    for value in ({"kind": "z", "count": {}}, {"kind": "x"}):
        spelled, back = there_and_back(lowering, {"a": value})
        assert back == {"a": value}
        if not lowering.unsupported_changes:
            assert admits(lowering, spelled, openapi=dialect[1] == "openapi")


@pytest.mark.parametrize("root", [{"type": "array", "items": TEXT}, {"type": ["string", "null"]}])
@every_dialect
def test_a_root_of_another_type_is_reported(root: dict[str, Any], dialect: tuple[str, str]) -> None:
    lowering = lowered(root, dialect)
    if str(lowering.schema.get("type")).lower() == "object":
        assert [(c.action, c.blocks_strict) for c in lowering.changes if c.what == "type"] == [("narrowed", True)]


def test_a_schema_is_as_large_as_the_api_permits() -> None:
    """Half of the properties are optional, so each of them is a union with null."""
    names = [f"p{i}" for i in range(5000)]
    schema = {"type": "object", "properties": dict.fromkeys(names, TEXT), "required": names[::2], **CLOSED}
    lowering = lower(schema, DIALECTS[("deepseek", "strict")])
    assert len(lowering.schema["properties"]) == 5000
    assert lowering.unsupported_changes == ()
