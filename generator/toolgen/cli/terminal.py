"""Prints text and findings so that it works in any terminal: ASCII, a closed pipe, a full disk after stdout."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # importing typing takes as long as all else that is done where nothing changed
if TYPE_CHECKING:
    from typing import TextIO

    from toolgen.diagnostics import Finding, Findings

_CONTROLS = {code: f"\\u{code:04x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n"}


def emit(text: str, stream: TextIO | None = None) -> None:
    """Write `text` to a stream (stdout if None) and flush it.

    Characters that the stream's encoding lacks and all terminal controls become escapes. Once the reader has closed the
    stream, this and all later output is dropped, and the command keeps its own exit code.

    Raises:
        SystemExit: with 2, if the stream cannot be written for another reason, such as a full disk.
    """
    stream = sys.stdout if stream is None else stream
    # Python sets the standard streams to None, or they are closed, where a program is started without them.
    if stream is None or stream.closed:
        return
    encoding = stream.encoding or "utf-8"
    safe = text.translate(_CONTROLS).encode(encoding, "backslashreplace").decode(encoding)
    try:
        stream.write(safe)
        stream.flush()
    except BrokenPipeError:
        _silence(stream)
    except OSError as error:
        _silence(stream)
        if stream is not sys.stderr:
            emit(f"toolgen: cannot write the output: {error.strerror}\n", sys.stderr)
        raise SystemExit(2) from None


def _silence(stream: TextIO) -> None:
    """Point a stream to nowhere, so that neither its next write nor the interpreter's last flush fails."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, stream.fileno())
    finally:
        os.close(nowhere)


def report(
    findings: Findings, form: str, *, quiet: bool = False, verbose: bool = False, stream: TextIO | None = None
) -> str:
    """Print errors and warnings, and notes if `verbose`; return what was printed.

    If there are errors, text output has only the warnings of the same files, which may explain them, and counts the
    others. Documents for programs go to stdout, all other forms to stderr, and everything to `stream` if it is given.
    """
    from toolgen.diagnostics.printers import DOCUMENTS, PRINTERS

    shown: list[Finding] = [
        f for f in findings if f.level == "error" or (not quiet and (verbose or f.level == "warning"))
    ]
    faulty = {f.span.path for f in shown if f.level == "error"}
    later = 0
    if faulty and form == "text" and not verbose:
        beside = [f for f in shown if f.span.path in faulty]
        shown, later = beside, len(shown) - len(beside)
    text = PRINTERS[form](shown, findings.texts) if shown or form in DOCUMENTS else ""
    if later:
        text += f"and {later} warning{'s' if later != 1 else ''} in files without errors; -v shows all\n"
    if text:
        emit(text, stream or (sys.stdout if form in DOCUMENTS else sys.stderr))
    return text


def list_changes(findings: Findings) -> None:
    """Print all findings on stderr, one per line: they are the result of the command."""
    from toolgen.diagnostics.printers import safe

    for finding in findings:
        place = f"{finding.span.path}:{finding.span.line}:{finding.span.column}"
        emit(f"{safe(place)}: {finding.level}[{finding.code}]: {safe(finding.message)}\n", sys.stderr)
