"""An import into a folder, and what it gave."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from toolgen.diagnostics import Finding, Findings
from toolgen.importing.importer import import_file
from toolgen.importing.selection import ImportSelection
from toolgen.write.source_writer import AddResult


@dataclass(frozen=True)
class Result:
    """What an import wrote, by file name, and said."""

    added: AddResult | None
    findings: tuple[Finding, ...]
    texts: Mapping[str, str]
    type_texts: Mapping[str, str]
    differs: bool = False

    @property
    def types(self) -> dict[str, Any]:
        """The shared schemas, by the names of their files without the extension."""
        return {name.removesuffix(".yaml"): yaml.safe_load(text) for name, text in self.type_texts.items()}

    @property
    def tools(self) -> dict[str, Any]:
        """The declarations, by name."""
        values = [yaml.safe_load(text) for text in self.texts.values()]
        return {value["name"]: value for value in values}

    @property
    def brief(self) -> list[str]:
        """The findings as place and code."""
        return [f"{f.span.line}:{f.span.column} {f.code}" for f in self.findings]

    @property
    def codes(self) -> list[str]:
        return sorted(f.code for f in self.findings)


def imported(
    root: Path,
    source: object,
    format: str = "mcp",
    name: str = "in.json",
    choice: ImportSelection | None = None,
    *,
    check: bool = False,
) -> Result:
    """Import a text, bytes or a value, which is written as JSON, into `schemas` below a folder."""
    root.mkdir(parents=True, exist_ok=True)
    text = source if isinstance(source, bytes | str) else json.dumps(source)
    (root / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    findings = Findings()
    done = import_file(
        root / name, format, root / "schemas", findings, selection=choice or ImportSelection(), check=check
    )
    assert (done is None) == findings.has_errors
    texts, types = (
        {p.name: p.read_text("utf-8") for p in sorted((root / "schemas" / folder).glob("*.yaml"))}
        for folder in ("tools", "types")
    )
    differs = done is not None and done.differs
    return Result(None if done is None else done.tools, tuple(findings), texts, types, differs)


def imported_tool(root: Path, tool: Mapping[str, Any], format: str = "mcp") -> tuple[dict[str, Any], list[str]]:
    """The declaration of a single tool, and the codes of what was said."""
    result = imported(root, [tool], format)
    (declaration,) = result.tools.values()
    return declaration, result.codes
