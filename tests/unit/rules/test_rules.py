"""Rules and settings of a project, while building."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from toolgen.diagnostics import Findings
from toolgen.pipeline import check_project

GOOD: dict[str, Any] = {
    "name": "now",
    "description": "The time.",
    "parameters": {"type": "object", "properties": {"zone": {"type": "string", "description": "Time zone."}}},
}


def notes(folder: Path, declaration: dict[str, Any]) -> list[tuple[str, int]]:
    tools = folder / "schemas" / "tools"
    tools.mkdir(parents=True)
    (tools / "now.json").write_text(json.dumps(declaration, indent=2), encoding="utf-8")
    findings = Findings()
    assert check_project(folder / "schemas", findings) is not None
    return [(f.code, f.span.line) for f in findings]


def test_nothing_is_said_of_a_good_declaration(tmp_path: Path) -> None:
    assert notes(tmp_path, GOOD) == []


def test_the_projects_default_for_strict_stands_in_where_a_declaration_says_nothing(tmp_path: Path) -> None:
    tools = tmp_path / "schemas" / "tools"
    tools.mkdir(parents=True)
    (tools / "a.json").write_text(json.dumps({**GOOD, "name": "a"}), encoding="utf-8")
    (tools / "b.json").write_text(json.dumps({**GOOD, "name": "b", "strict": "never"}), encoding="utf-8")
    settings = "strict: always\ndefaults: {anthropic: {max_tokens: 77}}\n"
    (tmp_path / "schemas" / "toolgen.yaml").write_text(settings, encoding="utf-8")
    project = check_project(tmp_path / "schemas", Findings())
    assert project is not None
    assert [(t.name, t.strict) for t in project.catalog.tools] == [("a", "always"), ("b", "never")]
    profiles = {p.name: p.facts.get("defaults") for p in project.catalog.profiles}
    assert profiles["anthropic"] == {"max_tokens": 77, "result": "(empty)"}
