"""Schemas that say the same in other keywords: their models are the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.package import write_package
from tests.support.sources import tool

INTEGER = {"type": "integer"}
CLOSED = {"type": "object", "properties": {"a": INTEGER}}

SPELLINGS: list[tuple[Any, Any]] = [
    ({**CLOSED, "additionalProperties": {"not": {}}}, {**CLOSED, "additionalProperties": False}),
    ({**CLOSED, "additionalProperties": {"not": True}}, {**CLOSED, "additionalProperties": False}),
    ({**CLOSED, "additionalProperties": {"not": {}, "title": "x"}}, {**CLOSED, "additionalProperties": False}),
    ({"type": "array", "items": {"not": {}}}, {"type": "array", "items": False}),
    ({"anyOf": [INTEGER, {"not": {}}]}, {"anyOf": [INTEGER, False]}),
    ({"type": "object", "properties": {"a": {"type": "string", "not": {}}}}, {"type": "object", "properties": {"a": False}}),
    *(
        ({"type": "object", "patternProperties": {pattern: INTEGER}}, {"type": "object", "additionalProperties": INTEGER})
        for pattern in ("", ".*", "^.*$", "^(.*)$", "^.*", ".*$", "^(?:.*)$", r"^[\s\S]*$")
    ),
    (
        {"type": "object", "patternProperties": {"^(.*)$": {"not": {}}}, "additionalProperties": INTEGER},
        {"type": "object", "additionalProperties": False},
    ),
]  # fmt: skip


def _models(schema: Any, folder: Path) -> str:
    """The module of a tool with a schema for a property, without its definition."""
    package = write_package({"tools/t.json": tool({"type": "object", "properties": {"v": schema}}, "t")}, folder)
    return (package / "tools/t.py").read_text("utf-8").partition("DEFINITION: ")[0]


@pytest.mark.parametrize(("spelled", "usual"), SPELLINGS)
def test_models_are_the_same(spelled: Any, usual: Any, tmp_path: Path) -> None:
    assert _models(spelled, tmp_path / "spelled") == _models(usual, tmp_path / "usual")


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "patternProperties": {"^.+$": INTEGER}},
        {"type": "object", "patternProperties": {"^(.*)x$": INTEGER}},
        {"type": "object", "patternProperties": {".*": INTEGER}, "properties": {"a": {}}},
        {"type": "object", "patternProperties": {".*": INTEGER, "^x": {"minimum": 1}}},
    ],
)
def test_patterns_that_say_more_are_checked(schema: Any, tmp_path: Path) -> None:
    assert "matches(" in _models(schema, tmp_path)


@pytest.mark.parametrize(
    ("schema", "annotation"),
    [
        ({"type": "string", "oneOf": [{"const": "a", "title": "A"}, {"const": "b"}]}, 'Literal["a", "b"]'),
        ({"type": "string", "anyOf": [{"enum": ["a", "b"]}, {"const": "b"}]}, 'Literal["a", "b"]'),
        ({"type": ["string", "null"], "oneOf": [{"const": "a"}, {"const": None}]}, 'Literal["a"] | None'),
        (
            {"type": "integer", "oneOf": [{"const": 1.0}, {"const": 2}, {"const": "x"}]},
            "Annotated[Literal[1, 2], Exact]",
        ),
    ],
)
def test_constants_beside_a_type_are_a_literal(schema: Any, annotation: str, tmp_path: Path) -> None:
    text = _models(schema, tmp_path)
    assert f"v: Omittable[{annotation}] = None" in text or f"v: {annotation} = None" in text
    assert "_check" not in text


def test_a_constant_of_two_exclusive_choices_is_refused(tmp_path: Path) -> None:
    schema = {"type": "string", "oneOf": [{"const": "a"}, {"enum": ["a", "b"]}]}
    assert "exactly one of" in _models(schema, tmp_path)


def test_checks_stand_behind_the_models_and_the_handler(tmp_path: Path) -> None:
    text = _models({"type": "array", "items": {"type": "string"}, "uniqueItems": True}, tmp_path)
    assert text.index("class TArguments(") < text.index("class THandler(") < text.index("def _check_tv(")
