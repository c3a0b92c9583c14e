"""Fifty declarations of real applications, and what a decoding engine makes of them in strict mode."""

from __future__ import annotations

import random
import sys
from dataclasses import replace
from typing import Any

import pytest

from tests.corpus import engines
from tests.corpus.engines import STRICT, faults, grammar_of, sample
from tests.corpus.lowered import DIALECTS
from tests.corpus.test_lowering import SOUND
from tests.support.every_row import over
from tests.support.schema_references import dangling
from toolgen_runtime.json_text import loads
from toolgen_runtime.lowering.lower import lower

SCHEMAS = [schema for schema in SOUND if not dangling(schema)]


@pytest.mark.slow
@over("dialect", {"-".join(name): name for name in STRICT})
def test_strict_schemas_compile_and_what_fits_them_is_admitted(dialect: tuple[str, str]) -> None:
    assert [fault for seed, schema in enumerate(SCHEMAS) for fault in faults(schema, *dialect, seed, samples=1)] == []


@over("dialect", {"-".join(name): name for name in [*STRICT, ("vllm", "open")]})
def test_rules_with_numbers_of_any_size_compile(dialect: tuple[str, str]) -> None:
    """As Zod writes `z.float32()`, and other programs the ranges of their integers."""
    rules: list[dict[str, Any]] = [
        {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1},
        {"type": ["integer", "null"], "exclusiveMinimum": -(10**30)},
        {"type": "number", "minimum": -3.4028234663852886e38, "maximum": 3.4028234663852886e38},
        {"type": "number", "exclusiveMaximum": sys.float_info.max},
        {"type": "integer", "multipleOf": 10**12},
        {"type": "string", "minLength": 2**32, "maxLength": 2**53},
        {"type": "array", "items": {"type": "string"}, "minItems": 1.0},
    ]
    for rule in rules:
        assert list(faults({"type": "object", "properties": {"a": rule}, "required": ["a"]}, *dialect, 3)) == [], rule


@over("dialect", {"-".join(name): name for name in [*STRICT, ("vllm", "open")]})
def test_references_to_definitions_of_any_name_compile(dialect: tuple[str, str]) -> None:
    """llguidance: "Invalid URI reference"; generic types and languages other than English have such names."""
    for name in ("Page<Pet>", "Map[string]int", "List`1", "a b", "größe", "日本", "A|B", 'q"t', "a\\b"):
        reference = {"$ref": f"#/$defs/{name}"}
        schema = {"type": "object", "properties": {"a": reference, "b": reference}, "$defs": {name: {"type": "string"}}}
        assert list(faults(schema, *dialect, 3)) == [], name


def test_a_rule_with_a_number_that_the_engine_does_not_know_is_described() -> None:
    bounds = {"type": "integer", "minimum": -(2**63), "maximum": 9}
    schema = {"type": "object", "properties": {"a": bounds}, "additionalProperties": False}
    lowered = lower(schema, DIALECTS["vllm", "open"])
    assert lowered.schema["properties"]["a"] == {
        "type": "integer",
        "maximum": 9,
        "description": f"At least {-(2**63)}.",
    }
    assert [(change.what, change.action) for change in lowered.changes] == [("minimum", "described")]


def test_a_schema_that_the_engine_does_not_know_is_a_fault() -> None:
    with pytest.raises(ValueError, match="dependentSchemas"):
        grammar_of({"type": "object", "dependentSchemas": {"a": {"required": ["b"]}}})


def test_lowering_that_admits_more_without_a_word_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer", "maximum": 1}}, "required": ["n"]}
    wider = {**schema, "properties": {"n": {"type": "integer", "minimum": 2}}, "additionalProperties": False}
    monkeypatch.setattr(engines, "lower", lambda _, dialect: replace(lower(wider, dialect), changes=()))
    assert any("refused without a loss" in fault for fault in faults(schema, "openai_chat", "strict", 1))


def test_samples_are_json() -> None:
    schema = {"type": "object", "properties": {"a": {"const": "x"}}, "required": ["a"], "additionalProperties": False}
    assert loads(sample(grammar_of(schema), random.Random(3)) or "") == {"a": "x"}
