"""Findings for a person: the one line of the contract, the place in the source, the hint, and related places."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping

from toolgen.diagnostics.finding import Finding
from toolgen.diagnostics.printers.common import escaped, first, more, safe
from toolgen.diagnostics.span import Span

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
