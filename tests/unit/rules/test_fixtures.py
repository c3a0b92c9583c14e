"""Every lint rule: sources that it speaks of, at the lines marked `# here`, and sources that it leaves alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.linting import linted, of_declarations
from toolgen.diagnostics import Finding
from toolgen.diagnostics.codes import BY_STAGE
from toolgen.rules import RULES

FIXTURES = Path(__file__).parent / "fixtures"

CASES = sorted(p for p in FIXTURES.glob("*/*.yaml") if not p.name.endswith(".toolgen.yaml"))

OF_DECLARATIONS = {rule.code for rule in RULES.values() if rule.check is not None}


def config_of(case: Path) -> Path:
    return case.with_suffix(".toolgen.yaml")


def source_of(case: Path) -> tuple[str, str]:
    """Where a fixture's tools go, and their text; tools of fixtures that share a project get names of their own."""
    text = case.read_text("utf-8")
    if not config_of(case).is_file() and not case.parent.name.startswith("name-"):
        text = re.sub(r"^(name: \w+)", rf"\1_{CASES.index(case)}", text, flags=re.MULTILINE)
    return f"tools/{case.parent.name}-{case.stem}.yaml", text


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> list[Finding]:
    """The findings of all fixtures without a configuration, which are one project."""
    plain = [case for case in CASES if not config_of(case).is_file()]
    return linted(tmp_path_factory.mktemp("shared"), dict(map(source_of, plain)))


@pytest.mark.parametrize("kind", ["failing", "passing"])
def test_every_code_of_the_rules_has_a_fixture(kind: str) -> None:
    assert {case.parent.name for case in CASES if case.name.startswith(kind)} == {row.id for row in BY_STAGE["rules"]}


def test_every_rule_has_a_row() -> None:
    assert RULES.keys() <= {row.id for row in BY_STAGE["rules"]}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.stem}")
def test_a_rule_speaks_of_the_marked_lines(tmp_path: Path, case: Path, request: pytest.FixtureRequest) -> None:
    path, text = source_of(case)
    sources = {path: text}
    if config_of(case).is_file():
        sources["toolgen.yaml"] = config_of(case).read_text("utf-8")
        findings = (linted if case.parent.name not in OF_DECLARATIONS else of_declarations)(tmp_path, sources)
    else:
        findings = request.getfixturevalue("shared")
    marked = {
        (f"schemas/{source}", number)
        for source, lines in sources.items()
        for number, line in enumerate(lines.split("\n"), 1)
        if line.endswith("# here")
    }
    assert bool(marked) == case.name.startswith("failing")
    reported = {(f.span.path, f.span.line) for f in findings if f.code == case.parent.name}
    assert {place for place in reported if place[0] in {f"schemas/{source}" for source in sources}} == marked
