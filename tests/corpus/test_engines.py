"""Fifty declarations of real applications, and what a decoding engine makes of them in strict mode."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tests.corpus import engines
from tests.corpus.engines import STRICT, faults, grammar_of, sample
from tests.corpus.test_lowering import SOUND
from tests.support.every_row import over
from tests.support.schema_references import dangling
from toolgen_runtime.json_text import loads
from toolgen_runtime.lowering.lower import lower

SCHEMAS = [schema for schema in SOUND if not dangling(schema)]


@over("dialect", {"-".join(name): name for name in STRICT})
def test_strict_schemas_compile_and_what_fits_them_is_admitted(dialect: tuple[str, str]) -> None:
    assert [fault for seed, schema in enumerate(SCHEMAS) for fault in faults(schema, *dialect, seed, samples=1)] == []


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
