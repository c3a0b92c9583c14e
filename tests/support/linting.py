"""Sources on disk, and their lint findings."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import chdir
from pathlib import Path

from toolgen.compilation import lint_project
from toolgen.diagnostics import Finding, Findings
from toolgen.pipeline import resolve_project
from toolgen.rules import apply_rules


def written(folder: Path, sources: Mapping[str, str]) -> Path:
    """Write sources by their paths below SCHEMAS, and return SCHEMAS."""
    for path, text in sources.items():
        (folder / "schemas" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "schemas" / path).write_text(text, encoding="utf-8")
    return folder / "schemas"


def linted(folder: Path, sources: Mapping[str, str]) -> list[Finding]:
    """Return all findings of sources without errors."""
    findings = Findings()
    with chdir(written(folder, sources).parent):
        assert lint_project(Path("schemas"), findings) is not None, list(findings)
    return list(findings)


def of_declarations(folder: Path, sources: Mapping[str, str]) -> list[Finding]:
    """Return the findings of rules that need no payloads, which is faster."""
    findings = Findings()
    with chdir(written(folder, sources).parent):
        project = resolve_project(Path("schemas"), findings)
    assert project is not None, list(findings)
    apply_rules(project.catalog, findings, project.config.lint, building=False)
    return list(findings)
