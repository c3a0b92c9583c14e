"""Printers: findings as text for a person, JSON for a program, commands for GitHub's log. Sorted as they are given.

Text is safe in a terminal and on one line. JSON is one array of objects, all of the same form, in ASCII.
GitHub shows its workflow commands beside the changed lines. They are escaped as in https://github.com/actions/toolkit,
`packages/core/src/command.ts`: a value that could end its place in the command, or begin another command on a new line,
is percent-encoded.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterable, Mapping

from toolgen.diagnostics.finding import Finding, Level, Span

MAX_FINDINGS = 100
"""Findings of one run that are printed; how many more there are is said in one line."""


def first(findings: Iterable[Finding]) -> tuple[list[Finding], int]:
    """Return the findings to print, and how many more there are: where there are too many, the gravest, in their order."""
    every = list(findings)
    gravest = sorted(range(len(every)), key=lambda i: _RANK[every[i].level])[:MAX_FINDINGS]
    return [every[i] for i in sorted(gravest)], max(0, len(every) - MAX_FINDINGS)


_RANK: Mapping[Level, int] = {"error": 0, "warning": 1, "note": 2}


def more(count: int) -> str:
    """The line that says how many findings are left out."""
    return f"and {count} more finding{'s' if count != 1 else ''}"


def safe(text: str) -> str:
    """Text with everything escaped that does not print: controls, direction marks, surrogates, line separators."""
    return text if text.isprintable() else "".join(map(escaped, text))


def escaped(char: str) -> str:
    """A character, or its escape where it does not print."""
    return char if char.isprintable() else char.encode("unicode_escape").decode("ascii")


WIDTH = 160
"""Columns of an excerpt; a longer line is cut around the place that is meant."""

_BEFORE = 60
"""Columns that are kept to the left of the place, in a line that is cut."""


def print_text(findings: Iterable[Finding], texts: Mapping[str, str]) -> str:
    """Return `path:line:column: level[code]: message` for each finding, with an excerpt and what may help."""
    shown, left = first(findings)
    lines: dict[str, list[str]] = {}
    parts = [_block(finding, texts, lines) for finding in shown]
    if left:
        parts.append(f"{more(left)}\n")
    return "".join(parts)


def _block(finding: Finding, texts: Mapping[str, str], lines: dict[str, list[str]]) -> str:
    span = finding.span
    if span.path in texts and span.path not in lines:
        lines[span.path] = texts[span.path].split("\n")
    head = f"{_place(span)}: {finding.level}[{finding.code}]: {safe(finding.message)}"
    block = [head, *_excerpt(span, lines.get(span.path, []))]
    if finding.hint:
        block.append(f"  hint: {safe(finding.hint)}")
    block += [f"  {_place(each.span)}: {safe(each.message)}" for each in finding.related]
    return "\n".join(block) + "\n"


def _place(span: Span) -> str:
    return f"{safe(span.path)}:{span.line}:{span.column}"


def _excerpt(span: Span, lines: list[str]) -> list[str]:
    """The line of the source and the marks under it; nothing for a whole file or a line that is blank."""
    whole = (span.line, span.column, span.end_line, span.end_column) == (1, 1, 1, 1)
    if whole or not 0 < span.line <= len(lines) or not lines[span.line - 1].strip():
        return []
    line = lines[span.line - 1]
    start = min(span.column - 1, len(line))
    end = span.end_column - 1 if span.end_line == span.line else len(line)
    end = max(start, min(end, len(line)))
    cut = max(0, start - _BEFORE) if len(line) > WIDTH else 0
    before = _shown(line[cut:start], "…" if cut else "")
    room = max(1, WIDTH - _columns(before))
    marked = _fitting(_shown(line[start : min(end, start + WIDTH)]), room)
    after = _fitting(_shown(line[end : end + WIDTH]), max(0, room - _columns(marked)))
    clipped = end - start > len(marked) or len(line) - end > len(after)
    number = str(span.line)
    return [
        f"  {number} | {before}{marked}{after}{'…' if clipped else ''}",
        f"  {' ' * len(number)} | {' ' * _columns(before)}{'^' * max(1, _columns(marked))}",
    ]


def _shown(text: str, mark: str = "") -> str:
    return mark + "".join(" " if c == "\t" else escaped(c) for c in text)


def _fitting(text: str, room: int) -> str:
    """As much of the text as fits into so many columns."""
    used = 0
    for at, char in enumerate(text):
        used += _columns(char)
        if used > room:
            return text[:at]
    return text


def _columns(text: str) -> int:
    """How many columns of a terminal the text takes."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)


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


PRINTERS: dict[str, Callable[[Iterable[Finding], Mapping[str, str]], str]] = {
    "text": print_text,
    "json": print_json,
    "github": print_github,
}
"""By the word after `--format`: findings and the texts of their sources, by path, become what is printed."""
