"""Dialects that take every keyword but a few: the schema is sent as it is, without what the API refuses."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support.dialects import CHECKERS
from tests.support.every_row import over
from tests.unit.runtime.lowering.lowered_schemas import DIALECTS, TEXT, admits, lowered, of, sent
from toolgen_runtime.conversion.encoding import Encoding
from toolgen_runtime.lowering.lower import lower

OPEN = ("openai_chat", "open")
LIKE_OPENAI = sorted(name for name in CHECKERS if DIALECTS[name].facts.get("refused") == ["propertyNames"])
every_like_openai = over("dialect", {"-".join(name): name for name in LIKE_OPENAI})

NAMES = {"type": "object", "propertyNames": {"pattern": "^x_"}, "additionalProperties": TEXT}
ANY_ITEM = "every array needs items, so it says that any value may be one"


def causes(inner: Any, dialect: tuple[str, str], **more: Any) -> list[tuple[str, str, str]]:
    """What changed below the property `a`, without what strict mode always changes."""
    changes = lowered(of(inner, "a", **more), dialect).changes
    return [(change.what, change.action, change.checked) for change in changes]


def test_all_wires_like_that_of_openai_are_examined() -> None:
    named = {"openai_chat", "openai_responses", "azure", "openai_compatible", "openrouter", "groq", "deepseek"}
    assert {name for name, _ in LIKE_OPENAI} >= named | {"copilot", "copilot_quorum"}


@every_like_openai
@pytest.mark.parametrize(
    "names", [TEXT, True, {}, {"type": ["string", "null"], "title": "Name"}, {"$ref": "#/$defs/Name"}]
)
def test_names_that_may_be_any_text_go_without_a_word(dialect: tuple[str, str], names: Any) -> None:
    parameters = of({"type": "object", "propertyNames": names, "additionalProperties": TEXT}, "a")
    lowering = lowered({**parameters, "$defs": {"Name": TEXT}}, dialect)
    assert lowering.schema["properties"]["a"] == {"type": "object", "additionalProperties": TEXT}
    assert lowering.changes == ()


@pytest.mark.parametrize(
    "dialect", [name for name in DIALECTS if not DIALECTS[name].supports("propertyNames")], ids="-".join
)
def test_names_that_may_be_any_text_are_no_loss_anywhere(dialect: tuple[str, str]) -> None:
    for names in (TEXT, True, {"title": "Name"}):
        parameters = of({"type": "object", "propertyNames": names, "additionalProperties": TEXT}, "a")
        assert "propertyNames" not in {change.what for change in lower(parameters, DIALECTS[dialect]).changes}


SENTENCES: dict[str, tuple[Any, str]] = {
    "a pattern": ({"pattern": "^x_"}, "Each name of a property: Matches ^x_"),
    "listed names": ({"enum": ["a", "b"]}, 'Each name of a property: One of: "a", "b".'),
    "two rules": ({**TEXT, "minLength": 2, "maxLength": 4}, "Each name of a property: At least 2 characters. At most 4 characters."),
    "a union": ({"anyOf": [{"const": "a"}]}, 'Each name of a property is valid for {"anyOf":[{"const":"a"}]}.'),
    "no name": (False, "No properties."),
}  # fmt: skip


@every_like_openai
@over("case", SENTENCES)
def test_other_rules_for_names_are_described(dialect: tuple[str, str], case: tuple[Any, str]) -> None:
    names, sentence = case
    inner = {"type": "object", "propertyNames": names, "description": "A map"}
    assert sent(inner, dialect) == {"type": "object", "description": f"A map. {sentence}"}
    assert causes(inner, dialect) == [("propertyNames", "described", "parse_arguments")]


def test_names_are_described_in_strict_mode_too() -> None:
    inner = {"type": "object", "properties": {"x_a": TEXT}, "required": ["x_a"], "propertyNames": {"pattern": "^x_"}, "additionalProperties": False}  # fmt: skip
    for provider in ("openai_chat", "openai_responses", "azure", "deepseek", "anthropic", "bedrock"):
        assert causes(inner, (provider, "strict")) == [("propertyNames", "described", "parse_arguments")]
        assert "^x_" in sent(inner, (provider, "strict"))["description"]


ARRAYS: dict[str, tuple[Any, Any]] = {
    "no items": ({"type": "array", "minItems": 1}, {"type": "array", "minItems": 1, "items": {}}),
    "among types": ({"type": ["string", "array"]}, {"type": ["string", "array"], "items": {}}),
    "a branch": ({"anyOf": [{"type": "array"}, TEXT]}, {"anyOf": [{"type": "array", "items": {}}, TEXT]}),
    "an item": ({"type": "array", "items": {"type": "array"}}, {"type": "array", "items": {"type": "array", "items": {}}}),
    "an open tuple": ({"type": "array", "prefixItems": [TEXT]}, {"type": "array", "prefixItems": [TEXT], "items": {}}),
    "a tuple of no type": ({"prefixItems": [TEXT]}, {"prefixItems": [TEXT], "items": {}}),
    "values of a map": (
        {"type": "object", "additionalProperties": {"type": "array"}},
        {"type": "object", "additionalProperties": {"type": "array", "items": {}}},
    ),
}  # fmt: skip


@every_like_openai
@over("case", ARRAYS)
def test_every_array_says_what_its_items_are(dialect: tuple[str, str], case: tuple[Any, Any]) -> None:
    source, written = case
    assert sent(source, dialect) == written
    (change,) = lowered(of(source, "a"), dialect).changes
    assert (change.what, change.action, change.reason) == ("items", "rewritten", ANY_ITEM)


@pytest.mark.parametrize("provider", ["openai_chat", "openai_responses", "azure"])
@pytest.mark.parametrize("source", [{"type": "array"}, {"type": "array", "prefixItems": [TEXT]}], ids=["list", "tuple"])
def test_an_array_of_anything_is_no_strict_schema(provider: str, source: Any) -> None:
    (change,) = lower(of(source, "a"), DIALECTS[provider, "strict"]).unsupported_changes
    assert (change.what, change.reason) == ("a value of any type", "every value needs a type")
    assert change.blocks_strict


def test_what_no_other_item_may_be_becomes_items() -> None:
    alone = {"type": "array", "prefixItems": [TEXT], "unevaluatedItems": False}
    assert sent(alone, OPEN) == {"type": "array", "prefixItems": [TEXT], "items": False}
    assert causes(alone, OPEN) == [("unevaluatedItems", "rewritten", "")]
    beside = {**alone, "contains": {"const": "b"}}
    assert sent(beside, OPEN) == {"type": "array", "prefixItems": [TEXT], "contains": {"const": "b"}, "items": {}}
    assert causes(beside, OPEN) == [("unevaluatedItems", "dropped", "parse_arguments"), ("items", "rewritten", "")]


WIDER: dict[str, tuple[Any, list[Any]]] = {
    "not": ({"type": "object", "not": NAMES}, [{"y": "a"}]),
    "if": ({"type": "object", "if": NAMES, "then": {"maxProperties": 1}, "else": {"minProperties": 2}}, [{"y": "a", "z": "b"}]),
    "contains": ({"type": "array", "items": True, "contains": NAMES, "maxContains": 1}, [[{"x_a": "1"}, {"y": "1"}]]),
    "oneOf": ({"oneOf": [NAMES, {"type": "object", "required": ["y"]}]}, [{"y": "a"}, {"x_y": "b"}]),
    "anyOf beside oneOf": ({"anyOf": [{"type": "object"}], "oneOf": [NAMES, {"required": ["y"]}]}, [{"y": "a"}]),
    "a reference": ({"not": {"$ref": "#/$defs/Names"}}, [{"y": "a"}]),
    "patterns": ({"type": "object", "patternProperties": {"^\\p{L}": TEXT}, "additionalProperties": False}, [{"a": "b"}]),
    "unevaluated": ({"type": "object", "patternProperties": {"^\\p{L}": TEXT}, "unevaluatedProperties": False}, [{"a": "b"}]),
}  # fmt: skip


@over("case", WIDER)
def test_a_schema_without_a_rule_excludes_nothing_that_the_source_admits(case: tuple[Any, list[Any]]) -> None:
    source, values = case
    lowering = lowered(of(source, "a", **{"$defs": {"Names": NAMES}}), OPEN)
    for value in values:
        assert admits(lowering, {"a": value})
    assert {change.checked for change in lowering.changes} == {"parse_arguments"}


def test_what_is_left_out_with_a_rule_says_why() -> None:
    parameters = of({"not": NAMES}, "a"), of({"patternProperties": {"\\p{L}": {}}, "additionalProperties": False}, "a")
    changes = [change for each in parameters for change in lowered(each, OPEN).changes]
    assert [(change.what, change.reason) for change in changes] == [
        ("not", "a rule in it is not supported by this provider"),
        ("patternProperties", "this provider does not support these patterns"),
        ("additionalProperties", "it would apply to the properties that patternProperties matches"),
    ]


@every_like_openai
@pytest.mark.parametrize("pattern", ["^\\p{L}+$", "(?<year>\\d{4})", "\\u{1F600}", "^[]$", "^(?!x)", "(?<=a)b"])
def test_patterns_that_the_api_does_not_compile_are_described(dialect: tuple[str, str], pattern: str) -> None:
    assert sent({**TEXT, "pattern": pattern}, dialect) == {**TEXT, "description": f"Matches {pattern}"}
    assert causes({**TEXT, "pattern": pattern}, dialect) == [("pattern", "described", "parse_arguments")]
    assert sent({**TEXT, "pattern": "^[a-z]{2,}$"}, dialect) == {**TEXT, "pattern": "^[a-z]{2,}$"}


@pytest.mark.parametrize("provider", ["openai_chat", "openai_responses", "groq", "deepseek", "agent_sdk"])
@pytest.mark.parametrize("pattern", ["^(?!x)a", "^P(?=\\d)\\d+D$", "(?<!a)b"])
def test_strict_schemas_have_no_patterns_that_the_api_does_not_compile(provider: str, pattern: str) -> None:
    schema = sent({**TEXT, "pattern": pattern}, (provider, "strict"))
    assert "pattern" not in schema
    assert pattern in schema["description"]


@pytest.mark.parametrize("provider", ["openai_chat", "anthropic", "bedrock", "copilot", "mcp"])
def test_older_forms_of_keywords_become_those_of_the_newest_draft(provider: str) -> None:
    dialect = (provider, "open")
    older = {"type": "array", "items": [{"type": "number", "minimum": 1, "exclusiveMinimum": True}], "additionalItems": False}  # fmt: skip
    newest = {"type": "array", "prefixItems": [{"type": "number", "exclusiveMinimum": 1}], "items": False}
    assert sent(older, dialect) == newest


def test_mistral_gets_bounds_as_numbers_and_tuples_as_draft_7_has_them() -> None:
    """The API: "True is not of type 'number'"."""
    older = {"type": "array", "items": [{"type": "number", "minimum": 1, "exclusiveMinimum": True}], "additionalItems": False}  # fmt: skip
    newer = {**older, "items": [{"type": "number", "exclusiveMinimum": 1}]}
    assert sent(older, ("mistral", "open")) == newer


@pytest.mark.parametrize("provider", ["openai_chat", "anthropic", "bedrock", "copilot", "groq", "mcp", "mistral"])
def test_empty_tuples_which_no_draft_has_are_left_out(provider: str) -> None:
    """Zod writes `z.tuple([])` like this."""
    dialect = (provider, "open")
    array = {"type": "array", "items": {}}
    assert sent({"type": "array", "prefixItems": [], "items": False, "maxItems": 0}, dialect) == {**array, "items": False, "maxItems": 0}  # fmt: skip
    assert sent({"type": "array", "items": [], "additionalItems": TEXT}, dialect) == {**array, "items": TEXT}
    assert sent({"type": "array", "items": []}, dialect) == array


@pytest.mark.parametrize("provider", ["openai_chat", "anthropic", "gemini", "mistral", "vllm", "xai"])
def test_counts_are_integers(provider: str) -> None:
    """`llguidance`: "Expected positive integer for 'minLength', got 2.0"."""
    counted = {"type": "array", "items": {"type": "string", "minLength": 2.0}, "maxItems": 3.0}
    schema = sent(counted, (provider, "open"))
    assert (repr(schema["items"]["minLength"]), repr(schema["maxItems"])) == ("2", "3")
    assert sent({**TEXT, "minLength": 2.0}, ("openai_chat", "strict"))["description"] == "At least 2 characters."


def test_words_that_are_no_schemas_stay() -> None:
    """A property or a value may have the name of a keyword."""
    inner = {
        "type": "object",
        "properties": {
            "propertyNames": TEXT,
            "pattern": {"const": {"propertyNames": {"pattern": "a"}, "type": "array"}},
        },
        "default": {"propertyNames": {"pattern": "\\p{L}"}, "type": "array"},
    }
    assert sent(inner, OPEN) == inner
    assert causes(inner, OPEN) == []


def test_groq_gets_the_properties_of_what_requires_some() -> None:
    inner = {"type": "object", "required": ["x"]}
    assert sent(inner, ("groq", "open")) == {**inner, "properties": {}}
    assert sent(inner, OPEN) == inner


def test_mistral_gets_references_without_the_identifier_that_it_refuses() -> None:
    identifier = "https://example.org/tool"
    parameters = {"$id": identifier, "$schema": "https://json-schema.org/draft/2020-12/schema", **of({"$ref": f"{identifier}#/$defs/T"}), "$defs": {"T": TEXT}}  # fmt: skip
    lowering = lowered(parameters, ("mistral", "open"))
    assert lowering.schema == {**of({"$ref": "#/$defs/T"}), "$defs": {"T": TEXT}}
    assert lowering.changes == ()


@pytest.mark.parametrize("provider", ["anthropic", "bedrock", "copilot"])
def test_names_that_the_api_of_anthropic_refuses_are_changed_and_read_back(provider: str) -> None:
    """The API: "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'", for the request with all of its tools."""
    arguments = {"filter[id]": "a", "$top": "b", "x" * 65: "c", "a.b-c": "d"}
    lowering = lower({"type": "object", "properties": dict.fromkeys(arguments, TEXT)}, DIALECTS[provider, "open"])
    assert lowering.encoding_table is not None
    spelled = Encoding(lowering.encoding_table).encode(arguments)
    assert set(spelled) == set(lowering.schema["properties"])
    assert all(re.fullmatch("[a-zA-Z0-9_.-]{1,64}", name) for name in spelled)
    assert Encoding(lowering.encoding_table).decode(spelled) == arguments


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf", "allOf", "not", "enum", "const"])
def test_copilot_gets_no_composition_at_the_root(keyword: str) -> None:
    """It passes schemas on, and the API of OpenAI refuses these keywords at the root."""
    branch = {"type": "object", "properties": {"a": TEXT}, "required": ["a"]}
    rule: Any = {"not": branch, "enum": [{"a": "x"}], "const": {"a": "x"}}.get(keyword, [branch, {"type": "object"}])
    lowering = lower({"type": "object", "properties": {"a": TEXT}, keyword: rule}, DIALECTS["copilot", "open"])
    assert keyword not in lowering.schema
    assert lowering.schema["properties"]["a"] in (TEXT, {})
    assert any(change.what == keyword for change in lowering.changes)
