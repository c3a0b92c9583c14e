"""Keywords, dialect by dialect: which are sent and which recorded, null, listed values, and rules in other words."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.dialects import CHECKERS
from tests.support.every_row import over
from tests.unit.runtime.lowering.lowered_schemas import (
    DIALECTS,
    OPENAPI,
    STRICT,
    TEXT,
    admits,
    every_dialect,
    lowered,
    of,
    sent,
    there_and_back,
)
from toolgen_runtime.conversion.encoding import Encoding
from toolgen_runtime.json_values import same_json
from toolgen_runtime.lowering.lower import lower
from toolgen_runtime.lowering.sentences import describe_rule
from toolgen_runtime.lowering.tables import encode_as_unique_texts

EVERY_KEYWORD: dict[str, Any] = {
    "$comment": "c", "title": "t", "description": "d", "default": "a", "examples": ["a"], "deprecated": True,
    "readOnly": True, "writeOnly": True, "minLength": 1, "maxLength": 9, "pattern": "a", "format": "idn-email",
    "minimum": 1, "maximum": 9, "exclusiveMinimum": 0.5, "exclusiveMaximum": 9.5, "multipleOf": 0.5, "minItems": 1,
    "maxItems": 9, "uniqueItems": True, "contains": {"type": "string"}, "minContains": 1, "maxContains": 2,
    "prefixItems": [{"type": "string"}], "items": {"type": "string"}, "unevaluatedItems": False, "minProperties": 1,
    "maxProperties": 9, "propertyNames": {"pattern": "a"}, "patternProperties": {"^x": {"type": "string"}},
    "dependentRequired": {"a": ["b"]}, "dependentSchemas": {"a": {"required": ["b"]}}, "unevaluatedProperties": False,
    "not": {"const": 0}, "if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]},
    "contentEncoding": "base64", "contentMediaType": "text/plain", "x-of-our-own": 1,
}  # fmt: skip


def nested(depth: int) -> dict[str, Any]:
    """Every keyword at a depth, through every kind of nesting."""
    inner: Any = {"type": ["string", "number", "array", "object"], **EVERY_KEYWORD}
    holders = (
        lambda inner_schema: {"type": "object", "properties": {"p": inner_schema}, "required": ["p"]},
        lambda inner_schema: {"type": "array", "items": inner_schema},
        lambda inner_schema: {"anyOf": [inner_schema, TEXT]},
        lambda inner_schema: {"type": "array", "prefixItems": [inner_schema], "items": False},
    )
    for level in range(depth):
        inner = holders[level % len(holders)](inner)
    return of(inner, "a")


@pytest.mark.parametrize("depth", range(5))
@every_dialect
def test_no_keyword_that_a_provider_does_not_know_is_sent_and_each_that_went_is_recorded(
    dialect: tuple[str, str], depth: int
) -> None:
    lowering = lowered(nested(depth), dialect)
    gone = {
        record.what for record in lowering.changes if record.action in ("described", "dropped", "rewritten", "narrowed")
    }
    text = repr(lowering.schema)
    quiet = {"$comment", "title", "x-of-our-own"}
    assert [
        k for k in EVERY_KEYWORD if f"'{k}'" not in text and k not in gone and k not in quiet
    ] == [] or lowering.unsupported_changes


NULLS = {
    "a list of types": lambda schema: {**schema, "type": [schema["type"], "null"]},
    "any of": lambda schema: {"anyOf": [schema, {"type": "null"}]},
    "one of": lambda schema: {"oneOf": [{"type": "null"}, schema]},
}
SIX = (
    TEXT,
    {"type": "integer", "minimum": 1},
    {"type": "number"},
    {"type": "boolean"},
    {"type": "array", "items": {"type": "integer"}},
    of(TEXT, "a"),
)


@pytest.mark.parametrize("spelling", NULLS)
@pytest.mark.parametrize("schema", SIX, ids=lambda schema: str(schema["type"]))
@over("dialect", {"-".join(name): name for name in CHECKERS if not DIALECTS[name].plain})
def test_null_is_spelled_as_the_dialect_has_it(dialect: tuple[str, str], schema: Any, spelling: str) -> None:
    nullable = sent(NULLS[spelling](schema), dialect)
    if dialect != ("xai", "open") and dialect[0] != "ollama":
        assert nullable == sent(NULLS["a list of types"](schema), dialect)
    plain = sent(schema, dialect)
    kind = DIALECTS[dialect].nullable
    if kind == "flag":
        assert nullable == {**plain, "nullable": True}
    elif kind == "none":
        assert nullable == plain
    elif kind == "any_of":
        words = {"description": plain.pop("description")} if "description" in plain else {}
        assert nullable == {"anyOf": [plain, {"type": "null"}], **words}
    else:
        assert nullable == {**plain, "type": [plain["type"], "null"]}


def test_null_in_both_fields_of_gemini() -> None:
    either = {"type": ["string", "null"]}
    assert sent(either, OPENAPI) == {"type": "STRING", "nullable": True}
    assert sent(either, ("gemini", "open")) == either


ENUMS: dict[str, list[Any]] = {
    "integers": [1, 3, 7],
    "numbers": [0.5, 1.5],
    "booleans": [True, False],
    "mixed": [1, "1", True, "a"],
    "with null": ["a", None],
    "one": [60],
}


LISTS: list[list[Any]] = [
    [{"enum": [1, 2], "default": 1, "examples": [2]}, {"enum": ["1", "2"]}],
    [{"type": "string", "enum": ["1", "true"]}, {"const": 1}, {"const": True, "default": True}],
    [{"enum": [1, "2"]}, {"enum": ["1", 2]}],
    [{"const": 1, "description": "The number."}, {"const": "1", "description": "The text."}, {"const": "1 (integer)"}],
]


@pytest.mark.parametrize("branches", LISTS)
@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
@every_dialect
def test_equal_texts_and_values_in_branches_of_a_union_are_told_apart(
    dialect: tuple[str, str], keyword: str, branches: list[Any]
) -> None:
    lowering = lowered(of({keyword: branches}, "a"), dialect, **({"enum": "texts"} if dialect[0] == "gemini" else {}))
    for value in [value for branch in branches for value in branch.get("enum", [branch.get("const")])]:
        spelled, returned = there_and_back(lowering, {"a": value})
        assert same_json(returned, {"a": value})
        assert admits(lowering, spelled, openapi=dialect[1] == "openapi")
    for out in lowering.schema["properties"]["a"].get("anyOf", ()):
        listed = out.get("enum", [out.get("const")])
        values = [*out.get("examples", ()), *([out["default"]] if "default" in out else [])]
        assert all(any(same_json(value, item) for item in listed) for value in values)


@pytest.mark.parametrize("values", ENUMS)
@every_dialect
def test_listed_values_go_as_they_can_and_come_back_typed(dialect: tuple[str, str], values: str) -> None:
    lowering = lowered(of({"enum": ENUMS[values]}, "a"), dialect)
    for value in ENUMS[values]:
        spelled, returned = there_and_back(lowering, {"a": value})
        assert admits(lowering, spelled, openapi=dialect == OPENAPI)
        assert (returned, type(returned["a"])) == ({"a": value}, type(value))


def test_listed_integers_are_texts_in_the_openapi_subset() -> None:
    lowering = lowered(of({"type": "integer", "enum": [1, 3, 7]}, "a"), OPENAPI)
    assert lowering.schema["properties"]["a"] == {"type": "STRING", "enum": ["1", "3", "7"], "format": "enum"}
    assert Encoding(lowering.encoding_table or {}).decode({"a": "3"}) == {"a": 3}
    assert Encoding(lowering.encoding_table or {}).decode({"a": 3}) == {"a": 3}


RULES: list[tuple[Any, Any]] = [
    ({"const": "x"}, {"type": "STRING", "enum": ["x"], "format": "enum"}),
    ({"type": "integer", "exclusiveMinimum": 0}, {"type": "INTEGER", "minimum": 1}),
    ({"type": "integer", "exclusiveMaximum": 9.5, "maximum": 20}, {"type": "INTEGER", "maximum": 9}),
    ({"type": "number", "exclusiveMinimum": 0}, {"type": "NUMBER", "description": "More than 0."}),
    ({"type": "number", "minimum": 0, "exclusiveMinimum": True}, {"type": "NUMBER", "description": "More than 0."}),
    ({"type": "integer", "maximum": 9, "exclusiveMaximum": True}, {"type": "INTEGER", "maximum": 8}),
    ({"type": "number", "minimum": 0, "exclusiveMinimum": False}, {"type": "NUMBER", "minimum": 0}),
    ({"type": "number", "exclusiveMinimum": True}, {"type": "NUMBER"}),
    ({"type": "string", "format": "uri"}, {"type": "STRING", "description": "Format: uri."}),
    ({"type": "string", "format": "date"}, {"type": "STRING", "format": "date"}),
    ({"oneOf": [TEXT, {"type": "integer"}]}, {"anyOf": [{"type": "STRING"}, {"type": "INTEGER"}]}),
    ({"type": "integer", "multipleOf": 5, "description": "Steps"}, {"type": "INTEGER", "description": "Steps. A multiple of 5."}),
    ({"type": "array", "items": TEXT, "uniqueItems": True}, {"type": "ARRAY", "items": {"type": "STRING"}, "description": "No item twice."}),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "wire"), RULES, ids=lambda value: str(value)[:40])
def test_a_rule_is_said_by_another_keyword_or_in_words(schema: Any, wire: Any) -> None:
    assert sent(schema, OPENAPI) == wire


def test_the_flags_of_draft_4_become_bounds() -> None:
    """Only of tools that are known at run time: the build converts those of declarations."""
    schema = {"type": "number", "minimum": 0, "exclusiveMinimum": True, "maximum": 9, "exclusiveMaximum": False}
    assert sent(schema, STRICT) == {"type": "number", "exclusiveMinimum": 0, "maximum": 9}


@pytest.mark.parametrize("keyword", ["default", "minimum", "multipleOf", "enum", "const", "examples"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_number_that_json_does_not_have_is_put_into_words_as_it_is(keyword: str, value: float) -> None:
    rule_value = [value, 1] if keyword in ("enum", "examples") else value
    assert any(word in describe_rule(keyword, rule_value) for word in ("NaN", "Infinity"))
    assert len(set(encode_as_unique_texts([value, 1, "NaN"]))) == 3


@every_dialect
def test_a_rule_that_goes_unchanged_has_no_keyword_that_the_provider_does_not_know(dialect: tuple[str, str]) -> None:
    """What restricts nothing is left out of the rule and recorded; a rule with another unknown keyword is left out."""
    inner = {"type": "string", "x-note": "n", "pattern": "^a"}
    narrow = {"type": "object", "dependencies": {"b": ["c"]}}
    for keyword, rule in (
        ("patternProperties", {"^p": inner}),
        ("patternProperties", {"^p": narrow}),
        ("not", {"properties": {"b": inner}, "required": ["b"]}),
        ("if", {"properties": {"b": {"type": "array", "contains": inner}}}),
    ):
        schema = {"type": "object", "properties": {"b": {}}, keyword: rule, "then": {"required": ["b"]}}
        lowering = lowered(of(schema, "a"), dialect)
        gone = {record.what for record in lowering.changes if record.action in ("dropped", "described")}
        text = repr(lowering.schema)
        assert keyword in text or keyword in gone or lowering.unsupported_changes or "patternProperties" in keyword
        assert "x-note" not in text or "x-note" not in gone


DEFAULTS: dict[str, dict[str, Any]] = {
    "a listed number": {"type": "integer", "enum": [1, 3], "default": 3},
    "a listed number or null": {"anyOf": [{"type": "integer", "enum": [1, 3]}, {"type": "null"}], "default": 3},
    "a listed object": {"enum": ["a", {"k": "v"}], "default": {"k": "v"}},
    "a property with another name": {"type": "object", "properties": {"p q": TEXT}, "default": {"p q": "x"}},
    "an optional property": {"type": "object", "properties": {"n": {"type": "integer"}}, "default": {}},
    "items": {"type": "array", "items": {"enum": [True, 1]}, "default": [1, True]},
    "any value": {"default": {"k": [1]}},
    "a union": {"anyOf": [{"type": "integer", "enum": [1, 3]}, {"type": "boolean"}], "default": 3},
    "a union with a rule beside it": {"type": ["integer", "boolean"], "oneOf": [{"enum": [1, True]}, {"enum": [3]}], "default": 3},
    "a reference": {"$ref": "#/$defs/N", "default": {"v": 3, "next": {"v": 1}}},
    "a reference with a map": {"$ref": "#/$defs/M", "default": {"m": {"x": 3}}},
    "references in an object": {"type": "object", "properties": {"n": {"$ref": "#/$defs/N"}}, "default": {"n": {"v": 1}}},
    "a reference or nothing": {"anyOf": [{"$ref": "#/$defs/N"}, {"type": "null"}], "default": {"v": 1}},
    "the root": {"type": "array", "items": {"$ref": "#"}, "default": [{"a": []}]},
}  # fmt: skip
LISTED = {"type": "integer", "enum": [1, 3]}
DEFINITIONS = {
    "N": {"type": "object", "properties": {"v": LISTED, "next": {"$ref": "#/$defs/N"}}, "required": ["v"]},
    "M": {"type": "object", "properties": {"m": {"type": "object", "additionalProperties": LISTED}, "o": {"$ref": "#/$defs/M"}}},
}  # fmt: skip


@every_dialect
@pytest.mark.parametrize("case", DEFAULTS)
def test_a_default_is_spelled_like_the_values_that_are_sent(case: str, dialect: tuple[str, str]) -> None:
    schema = {"type": "object", "properties": {"a": DEFAULTS[case]}, "required": ["a"], "additionalProperties": False}
    lowering = lowered({**schema, "$defs": DEFINITIONS}, dialect, **({"maps": "pairs"} if "map" in case else {}))
    if lowering.unsupported_changes or "default" not in lowering.schema["properties"]["a"]:
        return
    default = lowering.schema["properties"]["a"]["default"]
    assert admits(lowering, {"a": default}, openapi=dialect[1] == "openapi")
    assert there_and_back(lowering, {"a": DEFAULTS[case]["default"]})[0] == {"a": default}


def test_examples_are_spelled_like_the_values_that_are_sent() -> None:
    keywords = ["type", "properties", "required", "additionalProperties", "enum", "examples"]
    schema_sent = sent({"enum": [True, 2], "examples": [True]}, ("gemini", "open"), keywords=keywords)
    assert schema_sent == {"type": "string", "enum": ["true", "2"], "examples": ["true"]}


RULES_FOR_ANY = {"not": {"type": "string"}, "if": {"type": "integer"}, "then": {"minimum": 3}, "else": {"maxLength": 2}}


@every_dialect
def test_rules_for_a_value_of_any_type_are_sent_or_recorded(dialect: tuple[str, str]) -> None:
    for source in (RULES_FOR_ANY, {"$ref": "#/$defs/Any"}, {"allOf": [RULES_FOR_ANY], "description": "Any."}):
        lowering = lower(of(source, "a", **{"$defs": {"Any": RULES_FOR_ANY}}), DIALECTS[dialect])
        recorded = {change.what for change in lowering.changes if change.checked == "parse_arguments"}
        for keyword in RULES_FOR_ANY:
            assert f"'{keyword}'" in str(lowering.schema) or keyword in recorded, keyword
