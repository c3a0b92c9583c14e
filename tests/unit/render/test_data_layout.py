"""How tools and schemas are laid out in generated modules: as data of the same value, one line for each thing to review."""

from __future__ import annotations

import ast
import difflib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.render.literals import PythonLiteral, laid_out_literal

TEXTS = st.text(max_size=12) | st.sampled_from(['"', "\\", "\n# fmt: on\n", '"""', "{", "‮"])
NAMES = st.sampled_from(["properties", "$defs", "items", "anyOf", "type", "description", "enum", "a", "日"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
)

TOOL = {
    "name": "book",
    "parameters": {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "The city. " * 30},
            "days": {"type": "array", "items": {"type": "string"}},
            "guest": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
        "required": ["city", "days"],
    },
}


@given(VALUES, st.sampled_from([0, 4, 8]))
def test_the_value_stays_the_same(value: Any, indent: int) -> None:
    assert ast.literal_eval(laid_out_literal(value, indent)) == value


def test_a_schema_without_others_in_it_takes_a_line_however_long_and_two_properties_never_share_one() -> None:
    description = "The city. " * 30
    assert laid_out_literal(TOOL) == (
        "{\n"
        '    "name": "book",\n'
        '    "parameters": {\n'
        '        "type": "object",\n'
        '        "properties": {\n'
        f'            "city": {{"type": "string", "description": "{description}"}},\n'
        '            "days": {"type": "array", "items": {"type": "string"}},\n'
        '            "guest": {\n'
        '                "type": "object",\n'
        '                "properties": {\n'
        '                    "name": {"type": "string"},\n'
        "                },\n"
        '                "required": ["name"],\n'
        "            },\n"
        '            "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},\n'
        "        },\n"
        '        "required": ["city", "days"],\n'
        "    },\n"
        "}"
    )


@pytest.mark.parametrize("named", ["properties", "$defs", "patternProperties"])
def test_properties_that_are_true_have_lines_too(named: str) -> None:
    assert laid_out_literal({named: {"a": True, "b": {}}}) == (
        f'{{\n    "{named}": {{\n        "a": True,\n        "b": {{}},\n    }},\n}}'
    )


@pytest.mark.parametrize(
    ("old", "new"), [("The city. ", "The town. "), ('"days"', '"dates"'), ('"name": {', '"names": {'), ("null", "bool")]
)
def test_one_changed_word_is_one_changed_line(old: str, new: str) -> None:
    before = laid_out_literal(TOOL)
    value = ast.literal_eval(before.replace(old, new, 1))
    changed = list(difflib.ndiff(before.split("\n"), laid_out_literal(value).split("\n")))
    assert [line[0] for line in changed if line[0] in "+-"] == ["-", "+"]


def test_references_to_constants_share_a_line() -> None:
    references = {name: PythonLiteral(f'SCHEMAS["{name}"]') for name in ("Address", "Country")}
    assert laid_out_literal({"$defs": references}) == (
        '{"$defs": {"Address": SCHEMAS["Address"], "Country": SCHEMAS["Country"]}}'
    )
