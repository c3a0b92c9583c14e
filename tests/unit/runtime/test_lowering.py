"""Lowering, dialect by dialect: what goes out, what is recorded, and how values are spelled forth and back."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.support.dialects import CHECKERS
from tests.support.repository import profile
from tests.support.schema_values import valid_values
from toolgen.runtime.apis.gemini.tools import from_openapi
from toolgen.runtime.json_texts.text import same
from toolgen.runtime.lowering.dialects import Dialect
from toolgen.runtime.lowering.leniency import leniency
from toolgen.runtime.lowering.lowered import lower
from toolgen.runtime.lowering.records import Lowered
from toolgen.runtime.lowering.spelling import back, forth

DIALECTS = {(name, mode): Dialect(profile(name)["dialects"][mode]) for name, mode in CHECKERS}
STRICT, CLAUDE, OPENAPI = ("openai_chat", "strict"), ("anthropic", "strict"), ("gemini", "openapi")
every_dialect = pytest.mark.parametrize("dialect", CHECKERS, ids="-".join)

TEXT = {"type": "string"}


def of(inner: Any, *required: str, **more: Any) -> dict[str, Any]:
    """A closed object with one property, `a`."""
    return {
        "type": "object",
        "properties": {"a": inner},
        "required": list(required),
        "additionalProperties": False,
        **more,
    }


def lowered(schema: Any, dialect: tuple[str, str], **more: Any) -> Lowered:
    """A lowered schema, which the provider's documentation does not speak against."""
    found = lower(schema, Dialect({**DIALECTS[dialect].facts, **more}))
    if not more and not found.refusals:
        assert list(CHECKERS[dialect](found.schema)) == []
    return found


def sent(inner: Any, dialect: tuple[str, str], **more: Any) -> Any:
    """The property `a` of an object that requires it, as it is sent."""
    return lowered(of(inner, "a"), dialect, **more).schema["properties"]["a"]


def there_and_back(found: Lowered, value: Any) -> tuple[Any, Any]:
    table = found.spelling
    spelled = value if table is None else forth(value, table)
    return spelled, spelled if table is None else back(spelled, table)


def admits(found: Lowered, value: Any, *, openapi: bool = False) -> bool:
    return bool(Draft202012Validator(from_openapi(found.schema) if openapi else found.schema).is_valid(value))


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
        lambda one: {"type": "object", "properties": {"p": one}, "required": ["p"]},
        lambda one: {"type": "array", "items": one},
        lambda one: {"anyOf": [one, TEXT]},
        lambda one: {"type": "array", "prefixItems": [one], "items": False},
    )
    for level in range(depth):
        inner = holders[level % len(holders)](inner)
    return of(inner, "a")


@pytest.mark.pain("P01", "P10")
@pytest.mark.parametrize("depth", range(5))
@every_dialect
def test_no_keyword_that_a_provider_does_not_know_is_sent_and_each_that_went_is_recorded(
    dialect: tuple[str, str], depth: int
) -> None:
    found = lowered(nested(depth), dialect)
    gone = {
        record.what for record in found.records if record.action in ("described", "dropped", "rewritten", "narrowed")
    }
    text = repr(found.schema)
    quiet = {"$comment", "title", "x-of-our-own"}
    assert [
        k for k in EVERY_KEYWORD if f"'{k}'" not in text and k not in gone and k not in quiet
    ] == [] or found.refusals


NODE = {"type": "object", "properties": {"v": TEXT, "next": {"$ref": "#/$defs/N"}}, "required": ["v"]}


@pytest.mark.pain("P02")
@every_dialect
def test_references_lead_somewhere_or_are_resolved_with_the_words_beside_them(dialect: tuple[str, str]) -> None:
    schema = of(
        {"$ref": "#/$defs/P", "description": "Where to."},
        "a",
        **{"$defs": {"P": of({"$ref": "#/$defs/T"}, "a"), "T": {**TEXT, "description": "A text."}}},
    )
    schema["properties"]["b"] = {"type": "array", "items": {"$ref": "#/$defs/T"}}
    schema["properties"]["c"] = {"anyOf": [{"$ref": "#/$defs/P"}, {"type": "integer"}]}
    schema["required"] = ["a", "b", "c"]
    found = lowered(schema, dialect)
    assert "Where to." in str(found.schema["properties"]["a"])
    if DIALECTS[dialect].refs == "inline":
        assert "$ref" not in str(found.schema)
    for value, valid in (({"a": {"a": "x"}, "b": ["y"], "c": 1}, True), ({"a": {"a": 1}, "b": ["y"], "c": 1}, False)):
        spelled, returned = there_and_back(found, value)
        assert returned == value
        assert admits(found, spelled, openapi=dialect == OPENAPI) == valid


@pytest.mark.pain("P02")
@every_dialect
def test_names_of_definitions_that_mean_something_in_a_pointer_lead_to_them_all_the_same(
    dialect: tuple[str, str],
) -> None:
    refs = {"a": "#/$defs/x~1y", "b": "#/$defs/x_y", "c": "#/$defs/50%25~0"}
    schema = of(TEXT, "a", "b", "c", **{"$defs": {"x/y": of(TEXT, "a"), "x_y": {"type": "integer"}, "50%~": TEXT}})
    schema["properties"] = {name: {"$ref": ref} for name, ref in refs.items()}
    found = lowered(schema, dialect)
    judge = Draft202012Validator(from_openapi(found.schema) if dialect == OPENAPI else found.schema)
    assert judge.is_valid({"a": {"a": "x"}, "b": 1, "c": "x"})
    for wrong in ({"a": 1, "b": 1, "c": "x"}, {"a": {"a": "x"}, "b": "x", "c": "x"}, {"a": {"a": "x"}, "b": 1, "c": 1}):
        assert not judge.is_valid(wrong)


CIRCLES: dict[str, Any] = {
    "one type": {"$defs": {"N": NODE}},
    "two types": {"$defs": {"N": of({"$ref": "#/$defs/M"}), "M": of({"$ref": "#/$defs/N"})}},
    "through anyOf": {"$defs": {"N": of({"anyOf": [{"$ref": "#/$defs/N"}, {"type": "null"}]})}},
    "through a map": {"$defs": {"N": {"type": "object", "additionalProperties": {"$ref": "#/$defs/N"}}}},
    "no object": {
        "$defs": {
            "N": {
                "anyOf": [
                    TEXT,
                    {"type": "array", "items": {"$ref": "#/$defs/N"}},
                    {"type": "object", "additionalProperties": {"$ref": "#/$defs/N"}},
                ]
            }
        }
    },
}


@pytest.mark.pain("P03")
@pytest.mark.parametrize("circle", CIRCLES)
@every_dialect
def test_a_type_inside_of_itself_ends_or_stays_or_is_refused(dialect: tuple[str, str], circle: str) -> None:
    found = lowered(of({"$ref": "#/$defs/N"}, "a", **CIRCLES[circle]), dialect)
    assert len(repr(found.schema)) < 20_000
    if found.refusals or "$ref" in repr(found.schema):
        return
    assert any("unrolled" in r.reason or r.what == "additionalProperties" for r in found.records)


def test_references_that_double_at_each_step_do_not_grow_without_end() -> None:
    names = [f"D{i}" for i in range(40)]
    definitions = {n: of({"$ref": f"#/$defs/D{i + 1}"}) for i, n in enumerate(names)}
    for i, name in enumerate(names):
        definitions[name]["properties"]["b"] = {"$ref": f"#/$defs/D{i + 1}"}
    found = lowered(of({"$ref": "#/$defs/D0"}, **{"$defs": {**definitions, "D40": TEXT}}), ("ollama", "open"))
    assert len(repr(found.schema)) < 200_000
    assert [record.reason for record in found.records] == ["it is too large once its references are followed"]


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


@pytest.mark.pain("P04")
@pytest.mark.row("T42")
@pytest.mark.parametrize("spelling", NULLS)
@pytest.mark.parametrize("schema", SIX, ids=lambda schema: str(schema["type"]))
@pytest.mark.parametrize("dialect", [name for name in CHECKERS if not DIALECTS[name].plain], ids="-".join)
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


@pytest.mark.row("T42")
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


@pytest.mark.pain("P06")
@pytest.mark.row("K02")
@pytest.mark.parametrize("values", ENUMS)
@every_dialect
def test_listed_values_go_as_they_can_and_come_back_typed(dialect: tuple[str, str], values: str) -> None:
    found = lowered(of({"enum": ENUMS[values]}, "a"), dialect)
    for value in ENUMS[values]:
        spelled, returned = there_and_back(found, {"a": value})
        assert admits(found, spelled, openapi=dialect == OPENAPI)
        assert (returned, type(returned["a"])) == ({"a": value}, type(value))


@pytest.mark.row("K02")
def test_listed_integers_are_texts_in_the_openapi_subset() -> None:
    found = lowered(of({"type": "integer", "enum": [1, 3, 7]}, "a"), OPENAPI)
    assert found.schema["properties"]["a"] == {"type": "STRING", "enum": ["1", "3", "7"], "format": "enum"}
    assert back({"a": "3"}, found.spelling or {}) == {"a": 3}
    assert back({"a": 3}, found.spelling or {}) == {"a": 3}


RULES: list[tuple[Any, Any]] = [
    ({"const": "x"}, {"type": "STRING", "enum": ["x"], "format": "enum"}),
    ({"type": "integer", "exclusiveMinimum": 0}, {"type": "INTEGER", "minimum": 1}),
    ({"type": "integer", "exclusiveMaximum": 9.5, "maximum": 20}, {"type": "INTEGER", "maximum": 9}),
    ({"type": "number", "exclusiveMinimum": 0}, {"type": "NUMBER", "description": "More than 0."}),
    ({"type": "string", "format": "uri"}, {"type": "STRING", "description": "Format: uri."}),
    ({"type": "string", "format": "date"}, {"type": "STRING", "format": "date"}),
    ({"oneOf": [TEXT, {"type": "integer"}]}, {"anyOf": [{"type": "STRING"}, {"type": "INTEGER"}]}),
    ({"type": "integer", "multipleOf": 5, "description": "Steps"}, {"type": "INTEGER", "description": "Steps. A multiple of 5."}),
    ({"type": "array", "items": TEXT, "uniqueItems": True}, {"type": "ARRAY", "items": {"type": "STRING"}, "description": "No item twice."}),
]  # fmt: skip


@pytest.mark.pain("P07")
@pytest.mark.parametrize(("schema", "wire"), RULES, ids=lambda value: str(value)[:40])
def test_a_rule_is_said_by_another_keyword_or_in_words(schema: Any, wire: Any) -> None:
    assert sent(schema, OPENAPI) == wire


ARRAYS: dict[str, Any] = {
    "nothing said": {"type": "array"},
    "an empty schema": {"type": "array", "items": {}},
    "true": {"type": "array", "items": True},
    "false": {"type": "array", "items": False},
    "a tuple": {"type": "array", "prefixItems": [TEXT, {"type": "integer"}], "items": False, "minItems": 2},
    "a tuple with a tail": {"type": "array", "prefixItems": [TEXT], "items": {"type": "integer"}},
    "an open tuple": {"type": "array", "prefixItems": [TEXT]},
}


@pytest.mark.pain("P08")
@pytest.mark.parametrize("array", ARRAYS)
@every_dialect
def test_arrays_of_every_kind_are_sent_or_refused(dialect: tuple[str, str], array: str) -> None:
    found = lowered(of(ARRAYS[array], "a"), dialect)
    if found.refusals:
        assert array not in ("a tuple", "a tuple with a tail")
        return
    for value in ([], ["x", 1], ["x"]):
        if not Draft202012Validator(ARRAYS[array]).is_valid(value):
            continue
        spelled, returned = there_and_back(found, {"a": value})
        assert returned == {"a": value}
        assert admits(found, spelled, openapi=dialect == OPENAPI)


STOPPED: dict[str, tuple[Any, str]] = {
    "an optional text": (of(TEXT), ""),
    "an optional object": (of(of(TEXT, "a")), ""),
    "an object in anyOf": (of({"anyOf": [of(TEXT), {"type": "integer"}]}, "a"), ""),
    "recursive": (of({"$ref": "#/$defs/N"}, **{"$defs": {"N": {**NODE, "additionalProperties": False}}}), ""),
    "a map": (of({"type": "object", "additionalProperties": {"type": "integer"}}, "a"), "a map"),
    "a free object": (of({"type": "object"}, "a"), "a map"),
    "any value": (of({}, "a"), "a value of any type"),
    "optional or null": (of({"type": ["string", "null"]}), "an optional property that may be null"),
}


@pytest.mark.pain("P09", "P12")
@pytest.mark.parametrize("case", STOPPED)
def test_strict_says_all_of_a_tool_or_why_it_cannot(case: str) -> None:
    schema, stopping = STOPPED[case]
    found = lowered(schema, STRICT)
    assert [record.what for record in found.records if record.stops] == ([stopping] if stopping else [])


def test_a_map_goes_as_pairs_where_the_author_says_so() -> None:
    found = lowered(of({"type": "object", "additionalProperties": {"type": "integer"}}), STRICT, maps="pairs")
    assert list(CHECKERS[STRICT](found.schema)) == []
    assert not any(record.stops for record in found.records)
    assert there_and_back(found, {"a": {"x": 1}}) == ({"a": [{"key": "x", "value": 1}]}, {"a": {"x": 1}})
    assert there_and_back(found, {}) == ({"a": None}, {})


@pytest.mark.pain("P11")
def test_null_for_what_may_be_absent_comes_back_as_absent_and_other_nulls_stay() -> None:
    schema = {
        "type": "object",
        "properties": {
            "optional": TEXT,
            "default": {"type": "integer", "default": 3},
            "nullable": {"type": ["string", "null"]},
            "both": {"type": ["string", "null"]},
        },
        "required": ["nullable"],
    }
    found = lowered(schema, STRICT)
    every = {"optional": None, "default": None, "nullable": None, "both": None}
    assert forth({"nullable": None}, found.spelling or {}) == every
    assert back(every, found.spelling or {}) == {"nullable": None, "both": None}
    said = {"optional": "x", "default": 1, "nullable": "y", "both": "z"}
    assert there_and_back(found, said) == (said, said)


def test_a_value_goes_by_the_branch_that_has_a_place_for_all_of_it() -> None:
    open_one = {"type": "object", "properties": {"ok": {"type": "boolean"}}}
    renamed = {"type": "object", "properties": {"a b": {"type": "integer"}, "c": TEXT}, "required": ["a b"]}
    found = lowered(of({"anyOf": [open_one, renamed]}, "a"), STRICT, properties="[a-z_]+")
    for value, spelled in (
        ({"a b": 1}, {"a_b": 1, "c": None}),
        ({"a b": 1, "c": "x"}, {"a_b": 1, "c": "x"}),
        ({"ok": True}, {"ok": True}),
        ({}, {"ok": None}),
        ({"a b": 1, "other": 2}, {"a b": 1, "other": 2, "ok": None}),
    ):
        assert forth({"a": value}, found.spelling or {}) == {"a": spelled}
        assert back({"a": spelled}, found.spelling or {}) == {"a": value} or "other" in value


ROOTS: dict[str, tuple[Any, str]] = {
    "one of two is needed": (
        {"type": "object", "properties": {"a": TEXT, "b": TEXT}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        "Needs a, or b.",
    ),
    "a union of objects": ({"oneOf": [of(TEXT, "a"), {**of(TEXT), "properties": {"b": TEXT}, "required": ["b"]}]}, "Needs a, or b."),
    "all of two": ({"allOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}], "$defs": {"A": {"properties": {"a": TEXT}}, "B": {"properties": {"b": TEXT}}}}, ""),
}  # fmt: skip


TAKING = ("mcp", "copilot", "mistral", "modular_prompt", "prompt")
"""The wires that take a composed root as it is."""


@pytest.mark.pain("P13")
@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("dialect", [d for d in CHECKERS if d[0] not in TAKING], ids="-".join)
def test_a_composed_root_is_one_object_with_a_sentence(dialect: tuple[str, str], root: str) -> None:
    schema, sentence = ROOTS[root]
    found = lowered(schema, dialect)
    assert str(found.schema["type"]).lower() == "object"
    if dialect != ("xai", "open") or "anyOf" not in found.schema:
        assert not {"anyOf", "oneOf", "allOf"} & found.schema.keys()
    assert list(found.schema["properties"]) == ["a", "b"]
    if dialect[0] != "ollama":
        assert sentence in found.schema.get("description", "")


@pytest.mark.pain("P14")
@pytest.mark.parametrize("schema", [{"type": "object"}, {"type": "object", "properties": {}}, {}], ids=str)
@every_dialect
def test_no_parameters_are_an_object_without_properties(dialect: tuple[str, str], schema: Any) -> None:
    found = lowered(schema, dialect)
    assert found.schema.get("properties", {}) == {}
    assert not found.refusals


@pytest.mark.parametrize(("schema", "same"), [(True, {}), (False, {"not": {}})], ids=["true", "false"])
@every_dialect
def test_true_and_false_are_lowered_as_the_objects_that_mean_the_same(
    dialect: tuple[str, str], schema: bool, same: dict[str, Any]
) -> None:
    assert lower(schema, DIALECTS[dialect]) == lower(same, DIALECTS[dialect])


PLAIN: list[tuple[Any, Any, Any, Any]] = [
    (TEXT, {"type": "string", "description": ""}, "x", "x"),
    ({"type": "string", "description": "A name.", "minLength": 2}, {"type": "string", "description": "A name. At least 2 characters."}, "xy", "xy"),
    ({"type": ["string", "integer"]}, {"type": "string", "description": "One of these types: string, integer. Any JSON value, as JSON text."}, 7, "7"),
    ({"type": ["string", "integer", "null"]}, {"type": "string", "description": "One of these types: string, integer. Any JSON value, as JSON text."}, None, "null"),
    ({}, {"type": "string", "description": "Any JSON value, as JSON text."}, {"b": [1]}, '{"b":[1]}'),
    ({"type": "null"}, {"type": "string", "description": "Any JSON value, as JSON text."}, None, "null"),
    ({"enum": ["x", None]}, {"type": "string", "enum": ["x", "null"], "description": ""}, None, "null"),
    ({"type": "boolean", "const": True}, {"type": "string", "enum": ["true"], "description": ""}, True, "true"),
    ({"type": "number", "enum": [1, 0.5]}, {"type": "number", "enum": [1, 0.5], "description": ""}, 0.5, 0.5),
    ({"type": "object", "additionalProperties": TEXT}, {"type": "object", "properties": {}, "description": ""}, {"b": "x"}, {"b": "x"}),
    ({"type": "array"}, {"type": "array", "items": {"type": "string", "description": "Any JSON value, as JSON text."}, "description": ""}, [1, "x"], ["1", '"x"']),
    ({"type": "array", "items": False}, {"type": "array", "items": {"type": "string", "description": ""}, "description": "At most 0 items."}, [], []),
    ({"type": "array", "items": {"type": "integer", "enum": []}}, {"type": "array", "items": {"type": "string", "description": "There is no such value."}, "description": ""}, [], []),
    ({"type": "array", "prefixItems": [TEXT, {"type": "integer"}], "items": False}, {"type": "array", "items": {"type": "string", "description": "Any JSON value, as JSON text."}, "description": "At most 2 items. In this order: string, integer."}, ["x", 1], ['"x"', "1"]),
    ({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]}, {"type": "integer", "description": "At least 1."}, 3, 3),
]  # fmt: skip


@pytest.mark.row("K01", "K02", "K03", "K04", "K05", "K06")
@pytest.mark.parametrize(("inner", "expected", "value", "spelled"), PLAIN)
def test_a_dialect_of_six_types_says_every_type_and_description(
    inner: Any, expected: Any, value: Any, spelled: Any
) -> None:
    """What has several types, or any, goes as JSON text; a null that is not listed cannot be said, and that is recorded."""
    found = lowered(of(inner, "a"), ("kagami", "open"))
    assert found.schema["properties"]["a"] == expected
    assert there_and_back(found, {"a": value}) == ({"a": spelled}, {"a": value})
    assert "description" not in found.schema


@pytest.mark.row("K06")
def test_a_description_that_is_lacking_is_recorded_and_so_is_null() -> None:
    found = lowered(of({"type": ["string", "null"]}, "a"), ("kagami", "open"))
    assert [(r.way, r.what, r.action) for r in found.records if r.way] == [
        (("properties", "a"), "description", "defaulted"),
        (("properties", "a"), "null", "narrowed"),
    ]


def test_recursion_ends_in_json_text_in_a_dialect_of_six_types() -> None:
    found = lowered({"type": "object", "properties": {"me": {"$ref": "#"}}}, ("kagami", "open"))
    value: Any = {}
    for _ in range(6):
        value = {"me": value}
    spelled, returned = there_and_back(found, value)
    assert returned == value
    assert admits(found, spelled)
    assert '{"me":' in str(spelled)


def tagged(*tags: Any) -> dict[str, Any]:
    """An object that says by `t` what it is; `a` may be absent, and `n` is a listed number."""
    tag = {"const": tags[0]} if len(tags) == 1 else {"enum": list(tags)}
    return {**of(TEXT), "properties": {"t": tag, "a": TEXT, "n": {"enum": [1, 3]}}, "required": ["t"]}


def nullable(*tags: Any) -> dict[str, Any]:
    """Such an object where `a` may be null."""
    found = tagged(*tags)
    found["properties"]["a"] = {"type": ["string", "null"]}
    return found


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
    "behind a reference": ({"$ref": "#/$defs/O"}, '{"a": null}', {}),
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
    "told apart behind references": (
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


@pytest.mark.pain("P11", "P29")
@pytest.mark.parametrize("case", LENIENT)
def test_what_is_meant_beyond_doubt_is_read_as_that(case: str) -> None:
    schema, value, meant = LENIENT[case]
    table = leniency(of(schema, **LENIENT_DEFS))
    found = {"a": value} if table is None else back({"a": value}, table)
    assert found == ({} if meant is ... else {"a": meant})


def test_being_lenient_changes_no_value_that_is_valid() -> None:
    for schema in [schema for schema, _, _ in LENIENT.values()]:
        for whole in (of(schema, **LENIENT_DEFS), {**schema, **LENIENT_DEFS}):
            table = leniency(whole)
            for value in valid_values(whole, seed=len(repr(schema)), tries=30):
                assert table is None or type(value) is not dict or same(back(value, table), value)


@pytest.mark.pain("P11", "P13")
def test_a_union_at_the_root_is_read_by_the_branch_that_a_value_tells() -> None:
    schema = {"oneOf": [tagged("x"), {"$ref": "#/$defs/Y"}], **LENIENT_DEFS}
    table = leniency(schema)
    assert table is not None
    assert back({"t": "y", "a": None, "n": "1"}, table) == {"t": "y", "n": 1}
    assert back({"a": None}, table) == {"a": None}
    assert leniency({"$ref": "#/$defs/Y", **LENIENT_DEFS}) is not None


def test_unions_of_many_branches_are_given_up_in_time() -> None:
    branches = [{**of(TEXT), "properties": {f"p{i}": {} for i in range(200)}} for _ in range(3_000)]
    assert leniency(of({"anyOf": branches})) is None
    nest: Any = TEXT
    for _ in range(5_000):
        nest = {"anyOf": [nest, {"type": "null"}]}
    table = leniency(of(nest))
    assert table is None or back({"a": None}, table) == {"a": None}
