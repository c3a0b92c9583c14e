"""Levels of a project and comments that allow a finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.linting import linted, written
from toolgen.diagnostics import Findings
from toolgen.pipeline import check_project

CODE = "parameter-without-description"

TOOL = """\
name: now
description: The time in a time zone.
parameters:
  type: object
  properties:
    zone: {type: string}
    place:
      type: string
"""


def lines(folder: Path, text: str, **more: str) -> list[tuple[str, int]]:
    """Codes and lines of the findings of one tool while building."""
    sources = {"tools/now.yaml": text, **{f"{name}.yaml": value for name, value in more.items()}}
    findings = Findings()
    assert check_project(written(folder, sources), findings) is not None
    return [(f.code, f.span.line) for f in findings]


def commented(line: int, comment: str, *, after: bool) -> str:
    rows = TOOL.split("\n")
    if after:
        rows[line - 1] += f" # {comment}"
    else:
        rows.insert(line - 1, f"    # {comment}")
    return "\n".join(rows)


def test_without_a_comment_both_are_found(tmp_path: Path) -> None:
    assert lines(tmp_path, TOOL) == [(CODE, 6), (CODE, 7)]


@pytest.mark.parametrize(
    ("text", "remaining"),
    [
        (commented(6, f"toolgen: allow {CODE}", after=True), [7]),
        (commented(6, f"toolgen: allow {CODE}", after=False), [8]),
        (commented(7, f"toolgen: allow {CODE}", after=True), [6]),
        (commented(8, f"toolgen: allow {CODE}", after=True), [6, 7]),
        (commented(6, f"toolgen:allow  array-without-items , {CODE}", after=True), [7]),
        (commented(6, f"toolgen: allow array-without-items {CODE}", after=True), [7]),
        (commented(6, f"toolgen: allows {CODE}", after=True), [6, 7]),
        (commented(6, f"see toolgen: allow {CODE}", after=True), [6, 7]),
        (f"# toolgen: allow {CODE}\n{TOOL}", []),
        (f"# About time.\n\n# toolgen: allow {CODE}\n---\n{TOOL}", []),
        (commented(6, f"toolgen: allow {CODE}", after=False).replace("    zone", "\n    # More.\n\n    zone"), [11]),
        (TOOL.replace("The time in a time zone.", f"'The time in a time zone. # toolgen: allow {CODE}'"), [6, 7]),
        (TOOL.replace("The time in a time zone.", f"|\n  # toolgen: allow {CODE}"), [7, 8]),
    ],
)
def test_a_comment_allows_its_line_the_next_one_or_the_file(tmp_path: Path, text: str, remaining: list[int]) -> None:
    assert lines(tmp_path, text) == [(CODE, line) for line in remaining]


def test_a_comment_in_one_file_says_nothing_of_another(tmp_path: Path) -> None:
    later = TOOL.replace("now", "later")
    sources = {"tools/a.yaml": f"# toolgen: allow {CODE}\n{TOOL}", "tools/b.yaml": later}
    assert {f.span.path for f in linted(tmp_path, sources) if f.code == CODE} == {"schemas/tools/b.yaml"}


def test_a_warning_of_build_can_be_allowed_and_have_another_level(tmp_path: Path) -> None:
    null = TOOL.replace("{type: string}", "{type: string, description: Zone., default: null}")
    assert ("default-null", 6) in lines(tmp_path / "a", null)
    allowed = null.replace("null}", "null} # toolgen: allow default-null")
    assert ("default-null", 6) not in lines(tmp_path / "b", allowed)
    config = "providers: [anthropic]\nlint: {default-null: off, parameter-without-description: off}\n"
    assert lines(tmp_path / "c", null, toolgen=config) == []


def test_a_comment_wins_over_a_level(tmp_path: Path) -> None:
    config = f"providers: [anthropic]\nlint: {{{CODE}: error}}\n"
    sources = {"tools/now.yaml": f"# toolgen: allow {CODE}\n{TOOL}", "toolgen.yaml": config}
    assert linted(tmp_path, sources) == []


def test_an_error_of_build_stays_one(tmp_path: Path) -> None:
    text = TOOL.replace("{type: string}", "{type: string, const: 5} # toolgen: allow value-contradicts")
    config = "lint: {value-contradicts: off}\n"
    findings = Findings()
    assert check_project(written(tmp_path, {"tools/now.yaml": text, "toolgen.yaml": config}), findings) is None
    assert [f.code for f in findings if f.level == "error"] == ["value-contradicts"]


def test_json_has_no_comments(tmp_path: Path) -> None:
    text = '{"name": "now", "description": "# toolgen: allow tool-without-description"}'
    findings = linted(tmp_path, {"tools/now.json": text, "tools/later.yaml": text.replace("now", "later")})
    assert [f.code for f in findings] == ["description-duplicated"]
