"""The flat schemas of schemas, held against the library's own."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator, Draft201909Validator, Draft202012Validator

from tests.support.repository import ROOT
from toolgen.resolve.dialect import METASCHEMAS

BASES: dict[Any, Any] = {
    "draft-07": Draft7Validator,
    "2019-09": Draft201909Validator,
    "2020-12": Draft202012Validator,
}
KEYWORDS = [k for base in BASES.values() for k in (*base.META_SCHEMA["properties"], *base.VALIDATORS)]
WRONG: list[Any] = [None, True, -1, 1.5, "x", "a b", [], ["a", "a"], [{}], {}, {"a": 1}, {"a": ["b"]}, {"type": "word"}]


def _spoiled(value: Any, chance: random.Random) -> Any:
    """A schema with members of the wrong kind, and keywords where none were."""
    if isinstance(value, dict):
        members = {k: chance.choice(WRONG) if chance.random() < 0.06 else _spoiled(v, chance) for k, v in value.items()}
        return members | ({chance.choice(KEYWORDS): chance.choice(WRONG)} if chance.random() < 0.1 else {})
    return [_spoiled(item, chance) for item in value] if isinstance(value, list) else value


def _schemas() -> list[Any]:
    path: Path = ROOT / "tests" / "corpus" / "declarations.jsonl"
    parameters = [json.loads(line)["parameters"] for line in path.read_text("utf-8").splitlines()]
    return [*parameters, *(base.META_SCHEMA for base in BASES.values()), *WRONG]


@pytest.mark.parametrize("dialect", BASES)
def test_they_find_what_the_library_finds(dialect: Any) -> None:
    chance, faulty = random.Random(dialect), 0
    whole = BASES[dialect](BASES[dialect].META_SCHEMA)
    for schema in _schemas():
        for probe in (schema, _spoiled(schema, chance), _spoiled(schema, chance)):
            expected = {(tuple(e.absolute_path), e.message) for e in whole.iter_errors(probe)}
            assert {(tuple(e.absolute_path), e.message) for e in METASCHEMAS[dialect].iter_errors(probe)} == expected
            faulty += bool(expected)
    assert faulty > 30
