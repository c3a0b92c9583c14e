"""Schemas that say the same in other keywords are lowered alike in every dialect."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.runtime.lowering.lowered_schemas import DIALECTS
from toolgen_runtime.lowering.coercion import coercions
from toolgen_runtime.lowering.lower import lower
from toolgen_runtime.lowering.schemas import simplified

INTEGER = {"type": "integer"}
NEVER = {"not": {}}


@pytest.mark.parametrize(
    ("schema", "simple"),
    [
        ({"additionalProperties": NEVER}, {"additionalProperties": False}),
        ({"anyOf": [INTEGER, {"not": True, "description": "d"}]}, {"anyOf": [INTEGER, False]}),
        ({"not": {"not": {}}}, {"not": False}),
        ({"patternProperties": {"^(.*)$": INTEGER}}, {"additionalProperties": INTEGER}),
        ({"patternProperties": {".*": NEVER}, "additionalProperties": True}, {"additionalProperties": False}),
    ],
)
def test_the_usual_spelling(schema: Any, simple: Any) -> None:
    assert simplified(schema) == simple


@pytest.mark.parametrize(
    "schema",
    [
        True,
        NEVER,
        {"items": {"not": INTEGER}},
        {"items": {"not": {}, "$anchor": "a"}},
        {"patternProperties": {"^.+$": INTEGER}},
        {"patternProperties": {"^$": INTEGER}},
        {"patternProperties": {"^(?:)$": INTEGER}},
        {"patternProperties": {".*": INTEGER}, "properties": {"a": {}}},
        {"patternProperties": {".*": INTEGER}, "items": {"$ref": "#/patternProperties/.*"}},
    ],
)
def test_other_schemas_stay(schema: Any) -> None:
    assert simplified(schema) is schema


@pytest.mark.parametrize("name", DIALECTS)
def test_every_dialect_gets_the_usual_spelling(name: str) -> None:
    dialect = DIALECTS[name]
    spelled = {
        "type": "object",
        "properties": {
            "map": {"type": "object", "patternProperties": {"^(.*)$": INTEGER}},
            "closed": {"type": "object", "properties": {"a": INTEGER}, "additionalProperties": NEVER},
            "list": {"type": "array", "items": NEVER},
        },
    }
    usual = simplified(spelled)

    assert usual["properties"]["map"] == {"type": "object", "additionalProperties": INTEGER}
    assert lower(spelled, dialect).schema == (spelled if dialect.plain else lower(usual, dialect).schema)
    assert coercions(spelled) == coercions(usual)
