"""Law 8a on the JSON Schema Test Suite: a value is accepted if and only if its schema accepts it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.generated import Package
from tests.support.schema_suite import PATTERNS, REFUSED, ROWS, asserts_formats

DIALECT = {row for row, *_ in PATTERNS}


def test_what_is_refused_is_listed_with_its_reason(refused: dict[int, set[str]]) -> None:
    assert {ROWS[i]["id"]: codes for i, codes in refused.items()} == {row: {code} for row, code, _ in REFUSED}
    assert all(reason for _, _, reason in REFUSED)


def _judged(suite: Package, refused: dict[int, set[str]]) -> Iterator[tuple[str, bool, bool]]:
    """Each case that builds: its row, whether the schema accepts it, whether the tool does, as object and as text."""
    tools = suite.module("tools")
    for position, row in enumerate(ROWS):
        for case in row["tests"] if position not in refused else ():
            if not asserts_formats(row, case):
                value = {"value": case["data"]}
                for form in (value, json.dumps(value), json.dumps(value, indent=1)):
                    yield row["id"], case["valid"], accepts(tools, f"t{position}", form)


def accepts(tools: Any, name: str, value: Any) -> bool:
    """Whether the arguments of a tool are taken."""
    try:
        tools.parse_arguments(name, value)
    except tools.ArgumentsError:
        return False
    return True


def test_every_value_is_decided_as_its_schema_says(suite: Package, refused: dict[int, set[str]]) -> None:
    judged = list(_judged(suite, refused))

    assert len(judged) > 5000
    assert [row for row, expected, actual in judged if expected is not actual and row not in DIALECT] == []


def test_the_dialect_of_patterns_differs_where_it_is_listed(suite: Package, refused: dict[int, set[str]]) -> None:
    differing = {row for row, expected, actual in _judged(suite, refused) if expected is not actual}

    assert differing == DIALECT


@pytest.mark.parametrize("broken", ["all_unique", "json_equal", "is_integer", "is_multiple", "matches"])
def test_a_broken_check_is_noticed(
    suite: Package, refused: dict[int, set[str]], broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mutation check of law 8a: where a check says yes to all, a value passes that ought not to."""
    monkeypatch.setattr(suite.module("types"), broken, lambda *_: True)

    assert any(actual and not expected for _, expected, actual in _judged(suite, refused))


@pytest.mark.slow
@pytest.mark.parametrize("words", [["check"], ["format", "--check"]], ids=lambda words: words[0])
def test_ruff_takes_the_generated_checks(suite: Package, words: list[str]) -> None:
    """`test_composed_code.py` has the type checkers."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "ruff",
            *words,
            "--isolated",
            "--no-cache",
            f"{suite.name}/tools",
            f"{suite.name}/types.py",
        ],
        cwd=suite.folder.parent,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout[-3000:]
