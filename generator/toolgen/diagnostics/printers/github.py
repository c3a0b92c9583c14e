"""Findings as GitHub's workflow commands, which show them beside the changed lines.

Escaping as in https://github.com/actions/toolkit, `packages/core/src/command.ts`: a value that could end its place in the
command, or begin another command on a new line, is percent-encoded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from toolgen.diagnostics.finding import Finding
from toolgen.diagnostics.printers.common import first, more, safe

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def print_github(findings: Iterable[Finding], texts: Mapping[str, str]) -> str:
    """Return `::error file=…,line=…,col=…,title=code::message` for each finding."""
    del texts  # GitHub shows the lines
    shown, left = first(findings)
    lines = [
        f"::{_COMMANDS[finding.level]} file={_property(finding.span.path)},line={finding.span.line},"
        f"col={finding.span.column},title={_property(finding.code)}::{_data(finding.message)}\n"
        for finding in shown
    ]
    if left:
        lines.append(f"::notice::{_data(more(left))}\n")
    return "".join(lines)


def _data(text: str) -> str:
    """A message; line ends are encoded, and what else does not print is escaped."""
    parts = text.replace("%", "%25").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "%0A".join(map(safe, parts))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
