"""What every command that reads sources does: print findings, say what was done, end with the right code."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NoReturn

from toolgen.cli.terminal import emit
from toolgen.diagnostics import Finding, Findings

FINE, FOUND, WRONG = 0, 1, 2
"""Exit codes: all is well; it worked and found something; the sources or the arguments are wrong."""


def report(findings: Findings, form: str, *, quiet: bool = False, verbose: bool = False) -> str:
    """Print the findings on stderr, errors and warnings, notes where asked for; return what was printed."""
    from toolgen.diagnostics.printers import PRINTERS

    shown: list[Finding] = [
        f for f in findings if f.level == "error" or (not quiet and (verbose or f.level == "warning"))
    ]
    text = PRINTERS[form](shown, findings.texts) if shown or form == "json" else ""
    if text:
        emit(text, sys.stderr)
    return text


def list_changes(findings: Findings) -> None:
    """Print all findings on stderr, one a line however many there are: they are what a command did."""
    from toolgen.diagnostics.printers import safe

    for finding in findings:
        place = f"{finding.span.path}:{finding.span.line}:{finding.span.column}"
        emit(f"{safe(place)}: {finding.level}[{finding.code}]: {safe(finding.message)}\n", sys.stderr)


def end(code: int) -> NoReturn:
    """End the process."""
    sys.exit(code)


def output_folder(schemas: Path, out: Path | None, configured: str | None) -> Path:
    """The folder of the generated package: the option, the configuration, or `generated` beside SCHEMAS."""
    if out is not None:
        return out
    parent = schemas / ".." if schemas.name in ("", "..") else schemas.parent
    return parent / (configured or "generated")
