"""A project on disk from a table of files, and what loading it gives."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import chdir
from pathlib import Path

from toolgen.diagnostics import Finding, Findings
from toolgen.load import Sources, load

TOOL = "name: ok\n"


def project(root: Path, files: Mapping[str, str | bytes]) -> Path:
    schemas = root / "schemas"
    for name, content in files.items():
        path = schemas / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return schemas


def loaded(root: Path, files: Mapping[str, str | bytes]) -> tuple[Sources, list[Finding]]:
    findings = Findings()
    project(root, files)
    with chdir(root):
        return load(Path("schemas"), findings), list(findings)


def single_value(root: Path, content: str | bytes, name: str = "tools/x.yaml") -> tuple[object, list[Finding]]:
    """The value of a single document, or None, and the findings."""
    sources, findings = loaded(root, {name: content})
    every = [*sources.tools, *sources.types, *sources.providers, *sources.formats]
    return (every[0].value if every else None), findings


def brief(findings: list[Finding]) -> list[str]:
    return [f"{f.span.path}:{f.span.line}:{f.span.column}: {f.code}" for f in findings]
