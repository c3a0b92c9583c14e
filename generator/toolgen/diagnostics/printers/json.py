"""Findings for a program: one JSON array of objects, all of the same form, in ASCII."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from toolgen.diagnostics.finding import Finding
from toolgen.diagnostics.printers.common import first, more
from toolgen.diagnostics.span import Span


def print_json(findings: Iterable[Finding], texts: Mapping[str, str]) -> str:
    """Return a JSON array. Where findings are left out, a last object of code `more-findings` says how many."""
    del texts  # a program has the sources
    shown, left = first(findings)
    rows = [_row(finding) for finding in shown]
    if left:
        rows.append(_row(Finding(Span(""), "more-findings", "note", more(left))))
    return json.dumps(rows, indent=2) + "\n"


def _row(finding: Finding) -> dict[str, object]:
    related = [_placed(each.span) | {"message": each.message} for each in finding.related]
    return _placed(finding.span) | {
        "level": finding.level,
        "code": finding.code,
        "message": finding.message,
        "hint": finding.hint,
        "related": related,
    }


def _placed(span: Span) -> dict[str, object]:
    return {
        "path": span.path,
        "line": span.line,
        "column": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }
