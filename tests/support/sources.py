"""Sources in memory, with the location of every key and value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from tests.support.repository import SCHEMAS
from toolgen.diagnostics import Finding, Findings
from toolgen.diagnostics.codes import rows_of
from toolgen.load import Document, Sources
from toolgen.parse import parse
from toolgen.resolve.catalog import SharedType, Tool
from toolgen.resolve.resolution import resolve_tools


def document(source: str, value: Any) -> Document:
    """Return a document of a text (YAML, with locations) or of a value (without)."""
    values: dict[Any, Any] = {}
    keys: dict[Any, Any] = {}
    if isinstance(value, str):
        _places(yaml.compose(value), (), values, keys)
        value = yaml.safe_load(value)
    return Document(f"schemas/{source}", source, 0, value, values, keys)


def _mark(node: Any) -> tuple[int, int, int, int]:
    start, end = node.start_mark, node.end_mark
    return start.line + 1, start.column + 1, end.line + 1, end.column + 1


def _places(node: Any, at: Any, values: Any, keys: Any) -> None:
    values[at] = _mark(node)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            keys[*at, key.value] = _mark(key)
            _places(value, (*at, key.value), values, keys)
    elif isinstance(node, yaml.SequenceNode):
        for i, value in enumerate(node.value):
            _places(value, (*at, i), values, keys)


def sources(files: Mapping[str, Any]) -> Sources:
    """Return the sources of files by their path below SCHEMAS: `tools/…`, `types/…` and `toolgen.yaml`."""
    documents = [document(path, value) for path, value in sorted(files.items())]
    return Sources(
        "schemas",
        tuple(d for d in documents if d.source.startswith("tools/")),
        tuple(d for d in documents if d.source.startswith("types/")),
        config=next((d for d in documents if d.source == "toolgen.yaml"), None),
    )


def linked(files: Mapping[str, Any]) -> tuple[tuple[Tool, ...], tuple[SharedType, ...]]:
    """Return the tools and types of files without errors."""
    findings = Findings()
    parsed = parse(sources(files), findings)
    assert parsed is not None
    result = resolve_tools(parsed, findings)
    assert [finding for finding in findings if finding.level == "error"] == []
    return result


IDLE = frozenset(row.id for row in rows_of("resolve_references") if row.level == "warning")
"""Codes of keywords that have no effect; `tests/unit/resolve/test_keyword_checks.py` tests them."""


def faults(files: Mapping[str, Any], idle: bool = False) -> list[Finding]:
    """Return the findings of files, sorted; with `idle`, also those of keywords that have no effect."""
    findings = Findings()
    parsed = parse(sources(files), findings)
    assert parsed is not None
    resolve_tools(parsed, findings)
    return [finding for finding in findings if idle or finding.code not in IDLE]


def tool(parameters: Any, name: str = "probe", **more: Any) -> dict[str, Any]:
    """Return the declaration of a tool with these parameters."""
    return {"name": name, "description": "A tool.", "parameters": parameters, **more}


def samples() -> dict[str, str]:
    """Return the sample tools and types of this repository."""
    files = [p for kind in ("tools", "types") for p in (SCHEMAS / kind).rglob("*.*")]
    return {p.relative_to(SCHEMAS).as_posix(): p.read_text("utf-8") for p in files}
