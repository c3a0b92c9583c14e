"""What is written as YAML reads back as the same, by every reader."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings

from tests.support.budgets import budget
from tests.support.every_row import over
from toolgen.diagnostics import Findings
from toolgen.importing.yaml_text import dump_declaration
from toolgen.load.loading import read_yaml_value

from .strategies import TEXTS, VALUES

_SETTINGS = settings(
    deadline=None,
    max_examples=budget(50, 300),
    derandomize=budget(True, False),
    suppress_health_check=list(HealthCheck),
    database=None,
)

READERS = [yaml.SafeLoader, *([yaml.CSafeLoader] if hasattr(yaml, "CSafeLoader") else [])]


def same(value: Any) -> str:
    """Hold a value against what readers make of its text, and return the text."""
    text = dump_declaration(value)
    findings = Findings()
    exact = json.dumps(value)
    assert json.dumps(read_yaml_value(text, "x.yaml", findings)) == exact, (text, list(findings))
    assert [json.dumps(yaml.load(text, reader)) for reader in READERS] == [exact] * len(READERS), text
    return text


@given(TEXTS)
@_SETTINGS
def test_any_text_reads_back(value: str) -> None:
    same({"a": value, "b": [value, {"c": value}], "d": {"e": value, value: "f"}})


@given(VALUES)
@_SETTINGS
def test_any_value_reads_back(value: Any) -> None:
    same({"a": value})


@given(TEXTS)
@_SETTINGS
def test_nothing_invisible_stands_raw(value: str) -> None:
    assert (
        re.search(r"[\x00-\x09\x0b-\x1f\x7f-\xa0\u200b-\u200f\u2028-\u202e\ufeff]", dump_declaration({"a": value}))
        is None
    )


@over(
    "text",
    ["yes", "No", "ON", "off", "y", "N", "true", "False", "null", "~", "", "1e3", "1.0", ".5", "0x1", "0o7", "012", "1_000", "+1",
     "12:30:45", "2024-01-01", "2024-01-01T00:00:00Z", ".inf", ".NaN", "=", "<<", "-", "---", "...", "- a", "? a", "a: b", "a:",
     "a #b", "#a", " a", "a ", "\ta", "a\t", "&a", "*a", "!a", "|", ">", "%a", "@a", "`a", "'a'", '"a"', "[a]", "{a}",
     "a\x85b", "a\u2028b", "a\u2029b", "\ufeffa", "a\xa0b", "a\u200bb", "a\u202eb", "a\x00b", "a\x7fb", "a\rb"],
)  # fmt: skip
def test_what_a_reader_could_take_for_something_else_is_quoted(text: str) -> None:
    assert same({"a": text}).startswith('a: "')


@pytest.mark.parametrize(
    "key", ["yes", "on", "n", "1", "1e3", "", "<<", "a b", "a:", "-", "é", "\n", "x" * 2_000, "\x00" * 300]
)
def test_any_key_reads_back(key: str) -> None:
    assert re.match(r"""(\? )?["x]""", same({key: {"a": [1]}}))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("City name.", "City name."),
        ("a\nb", "|-\n  a\n  b"),
        ("a\n\n  b: #c\n", "|\n  a\n\n    b: #c"),
        ("a\nb\n\n", "|+\n  a\n  b\n"),
        (" a\nb", "|2-\n   a\n  b"),
        ("word " * 30 + "end", ">-\n" + "  " + "word " * 19 + "word\n  " + "word " * 9 + "word end"),
        ("x" * 120, "x" * 120),
        ("a\n", '"a\\n"'),
        ("a\tb\nc", '"a\\tb\\nc"'),
    ],
)
def test_readable_forms(text: str, written: str) -> None:
    assert same({"a": text}) == f"a: {written}\n"


def test_numbers_keep_their_kind_and_their_digits() -> None:
    values = [0, -1, 2**70, 1.0, -0.0, 1e16, 1e-7, 1.5e300, True, None]
    assert "1.0e+16" in same({"a": values})


def test_block_style() -> None:
    value = {"a": {"b": [], "c": {}, "d": [[1], [{"e": "f", "g": [2]}]]}}
    assert same(value) == "a:\n  b: []\n  c: {}\n  d:\n    - - 1\n    - - e: f\n        g:\n          - 2\n"
