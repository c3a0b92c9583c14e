"""The table of codes and the pages made from it: every code is explained, every hole is filled."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.every_row import over
from tests.support.sources import faults
from toolgen.compilation import lint_project
from toolgen.diagnostics import CODES, Finding, Findings, Span
from toolgen.diagnostics.codes import BY_STAGE, CHANGES, Code, rows_of
from toolgen.diagnostics.explanations import STAGES, code_list, explanation_page, similar_codes
from toolgen.pipeline import resolve_project

PACKAGE = Path(__file__).parents[3] / "generator" / "toolgen"

ADDING = {"add", "fault", "fatal", "_refuse"}
"""Methods whose first argument is a code."""

RESERVED = {"hint", "related"}

GIVEN_BY_THE_METHOD = {"_refuse": {"path"}, "_add": set()}


def holes(row: Code) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(row.message) if name is not None}


def calls() -> Iterator[tuple[str, str, set[str], str]]:
    """Calls that add a finding of a code that stands there: where, the code, the names of the holes, the method."""
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        constants = {
            node.targets[0].id: node.value.value
            for node in tree.body
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and isinstance(node.value, ast.Constant)
        }
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
                continue
            first = node.args[0]
            code = first.value if isinstance(first, ast.Constant) else constants.get(getattr(first, "id", ""))
            named = [keyword.arg for keyword in node.keywords]
            if node.func.attr in ADDING and code in CODES and None not in named:
                where = f"{path.relative_to(PACKAGE)}:{node.lineno}"
                yield where, str(code), {str(name) for name in named} - RESERVED, node.func.attr


@pytest.mark.slow
def test_findings_give_the_holes_of_their_message_and_no_others() -> None:
    report_calls = list(calls())
    assert len({code for _, code, _, _ in report_calls}) > 70
    wrong = [
        (where, code, sorted(arguments ^ holes(CODES[code])))
        for where, code, arguments, method in report_calls
        if arguments | GIVEN_BY_THE_METHOD.get(method, set()) != holes(CODES[code])
    ]
    assert wrong == []


@over("row", {row.id: row for row in CODES.values()})
def test_every_code_is_explained(row: Code) -> None:
    assert row.level in ("note", "warning", "error")
    assert len(row.why.split()) >= 6
    assert row.why.endswith(".")
    assert bool(row.hint) != bool(row.fix)
    text = explanation_page(row.id)
    assert text is not None
    assert text.startswith(f"{row.id}\n")
    assert all(f"<{name}>" in text for name in holes(row))
    assert "{" not in text.partition("How to silence it")[0].replace("`", "") or "{" in f"{row.hint}{row.fix}{row.why}"
    plain = " ".join(text.split()).lower()
    for part in (row.why, row.hint or row.fix):
        assert " ".join(part.split()).lower() in plain
    assert all(len(line) <= 100 for line in text.split("\n"))


def test_codes_are_there_once_and_belong_to_a_stage() -> None:
    rows = [row.id for table in BY_STAGE.values() for row in table]
    assert len(rows) == len(set(rows)) == len(CODES)
    assert {stage for stage, table in BY_STAGE.items() if table} == set(STAGES)
    assert all(f"  {code} " in code_list() for code in CODES)


def test_what_cannot_be_silenced_says_so() -> None:
    assert "You cannot silence an error" in (explanation_page("duplicate-key") or "")
    assert "# toolgen: allow default-null" in (explanation_page("default-null") or "")
    assert "# toolgen: allow array-without-items" in (explanation_page("array-without-items") or "")


@over("row", {row.id: row for row in BY_STAGE["breaking"]})
def test_a_page_about_a_change_names_the_settings_of_breaking(row: Code) -> None:
    page = " ".join((explanation_page(row.id) or "").split())
    assert "toolgen: allow" not in page
    assert "`lint:" not in page
    adjustable = row.id in CHANGES and row.id != "against-unreadable"
    assert (f"`breaking: {{{row.id}: off}}`" in page) == adjustable
    breaks = adjustable and bool({"B", "?"} & set(CHANGES[row.id].values()))
    assert ("--accept ID" in page) == breaks
    assert ("You cannot silence" in page) == (row.level == "error" and not adjustable)


def test_there_is_no_page_of_a_code_that_does_not_exist() -> None:
    assert explanation_page("no-such-code") is None
    assert similar_codes("dupicate_key")[0] == "duplicate-key"
    assert similar_codes("Tool-Without-Descriptions")[0] == "tool-without-description"
    assert "array-without-items" in similar_codes("items")
    assert similar_codes("") == []
    assert similar_codes("x" * 100_000) == []


EXAMPLES = {row.id: row.example for row in CODES.values() if row.example is not None}

OF_STAGE = {row.id: stage for stage, rows in BY_STAGE.items() for row in rows if row.example is not None}
"""The stage that an example is of, by code."""

TOGETHER = ("load", "parse", "rules")
"""Stages whose examples are all found in one run."""

OF_NAMES = {row.id for row in rows_of("resolve_catalog")}
"""Codes whose examples have names that matter."""


def found_in(folder: Path, texts: dict[str, str], run: Callable[[Path, Findings], object]) -> list[Finding]:
    """The findings of examples, each in a file of its own, with names of tools that are its own."""
    (folder / "schemas" / "tools").mkdir(parents=True)
    for number, (name, text) in enumerate(texts.items()):
        apart = re.sub(r"^(name: [\w.]+)", rf"\1_{number}", text, flags=re.MULTILINE) if len(texts) > 1 else text
        (folder / "schemas" / "tools" / f"{name}.yaml").write_text(apart, "utf-8")
    findings = Findings()
    run(folder / "schemas", findings)
    return list(findings)


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Finding]]:
    """The findings of the examples that share a run, by stage."""
    runs = {"load": resolve_project, "parse": resolve_project, "rules": lint_project}
    return {
        stage: found_in(
            tmp_path_factory.mktemp(stage),
            {code: EXAMPLES[code].failing for code, of in OF_STAGE.items() if of == stage},
            runs[stage],
        )
        for stage in TOGETHER
    }


def test_stages_with_sources_have_examples() -> None:
    assert set(OF_STAGE.values()) == {"load", "parse", "resolve", "rules"}
    assert len(EXAMPLES) > 50


@pytest.mark.parametrize("code", EXAMPLES)
def test_an_example_has_its_finding(tmp_path: Path, code: str, request: pytest.FixtureRequest) -> None:
    text = EXAMPLES[code].failing
    if OF_STAGE[code] in TOGETHER:
        reported = request.getfixturevalue("failing")[OF_STAGE[code]]
    elif code in OF_NAMES:
        reported = found_in(tmp_path, {code: text}, resolve_project)
    else:
        reported = [replace(f, span=Span(f"{code}.yaml")) for f in faults({f"tools/{code}.yaml": text}, idle=True)]
    assert code in {f.code for f in reported if f.span.path.endswith(f"{code}.yaml")}


def test_a_mended_example_has_neither_its_finding_nor_an_error(tmp_path: Path) -> None:
    fixed = {code: example.fixed for code, example in EXAMPLES.items()}
    reported = found_in(tmp_path, fixed, lint_project)
    assert [f for f in reported if f.level == "error" or f.code == Path(f.span.path).stem] == []
    # All of them have been through every rule: the notes of rules are there.
    assert len({f.span.path for f in reported}) > 30
