"""Printers: findings as text for people, documents for programs, and commands for GitHub's log. They keep the order.

Text is safe in a terminal and on one line, and is cut if there is too much of it; nothing else is cut. JSON, and the
documents made of it, are in ASCII: SARIF 2.1.0 (OASIS), and the report of GitLab's Code Quality. Markdown is for
summaries. GitHub shows its workflow commands beside the changed lines. They are escaped as in
https://github.com/actions/toolkit, `packages/core/src/command.ts`: characters that could end a value of the command,
or begin another command on a new line, are percent-encoded.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from urllib.parse import quote

from toolgen import __version__
from toolgen.diagnostics.codes import CODES
from toolgen.diagnostics.finding import Finding, Level, Span, escape_char, escape_unprintable

MAX_FINDINGS = 100
"""The maximum number of findings printed as text. One line has the number of the others."""


def select_most_severe(findings: Iterable[Finding], limit: int) -> tuple[list[Finding], int]:
    """Return the findings to print, and the number of the others. If there are too many, the most severe are chosen."""
    every = list(findings)
    most_severe = sorted(range(len(every)), key=lambda i: RANK[every[i].level])[:limit]
    return [every[i] for i in sorted(most_severe)], max(0, len(every) - limit)


RANK: Mapping[Level, int] = {"error": 0, "warning": 1, "note": 2}
"""The levels, the most severe first."""


WIDTH = 160
"""The width of an excerpt in columns. A longer line is cut around the location."""

_BEFORE = 60
"""The columns to the left of the location that are kept if a line is cut."""


Paint = Callable[[str, str], str]
"""A function that returns text in the color of a role: a level, `place`, `hint`."""


def unpainted(role: str, text: str) -> str:
    """Return the text unchanged."""
    return text


def format_as_text(
    findings: Iterable[Finding], texts: Mapping[str, str], limit: int = MAX_FINDINGS, paint: Paint = unpainted
) -> str:
    """Return `path:line:column: level[code]: message` for each finding, with an excerpt, hint and related locations."""
    shown, hidden_count = select_most_severe(findings, limit)
    lines: dict[str, list[str]] = {}
    parts = [_block(finding, texts, lines, paint) for finding in shown]
    if hidden_count:
        parts.append(f"and {hidden_count} more finding{'s' if hidden_count != 1 else ''}\n")
    return "".join(parts)


def _block(finding: Finding, texts: Mapping[str, str], lines: dict[str, list[str]], paint: Paint) -> str:
    """Return a finding as text with an excerpt of its source. `lines` keeps the lines of each source that was split."""
    span = finding.span
    if span.path in texts and span.path not in lines:
        lines[span.path] = texts[span.path].split("\n")
    block = [headline(finding, paint), *_excerpt(span, lines.get(span.path, []), finding.level, paint)]
    if finding.hint:
        block.append(f"  {paint('hint', 'hint')}: {escape_unprintable(finding.hint)}")
    block += [f"  {escape_unprintable(str(each.span))}: {escape_unprintable(each.message)}" for each in finding.related]
    return "\n".join(block) + "\n"


def headline(finding: Finding, paint: Paint = unpainted) -> str:
    """Return the first line of a finding: its location, level, code and message."""
    level = paint(finding.level, f"{finding.level}[{finding.code}]")
    return f"{paint('place', escape_unprintable(str(finding.span)))}: {level}: {escape_unprintable(finding.message)}"


def _excerpt(span: Span, lines: list[str], level: str, paint: Paint) -> list[str]:
    """Return the source line and the marks under it; nothing for a whole file or a blank line."""
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
    marked = _truncate(_shown(line[start : min(end, start + WIDTH)]), room)
    after = _truncate(_shown(line[end : end + WIDTH]), max(0, room - _columns(marked)))
    clipped = end - start > len(marked) or len(line) - end > len(after)
    number = str(span.line)
    return [
        f"  {number} | {before}{marked}{after}{'…' if clipped else ''}",
        f"  {' ' * len(number)} | {' ' * _columns(before)}{paint(level, '^' * max(1, _columns(marked)))}",
    ]


def _shown(text: str, mark: str = "") -> str:
    return mark + "".join(" " if c == "\t" else escape_char(c) for c in text)


def _truncate(text: str, room: int) -> str:
    """Return the beginning of a text that fits into a number of columns."""
    used = 0
    for at, char in enumerate(text):
        used += _columns(char)
        if used > room:
            return text[:at]
    return text


def _columns(text: str) -> int:
    """Return the width of a text in a terminal, in columns."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)


def format_as_json(findings: Iterable[Finding], texts: Mapping[str, str]) -> str:
    """Return a JSON array with an object for each finding."""
    del texts  # programs have the sources
    return json.dumps([_row(finding) for finding in findings], indent=2) + "\n"


def _row(finding: Finding) -> dict[str, object]:
    """Return a finding as an object of the JSON format. Its details are members of the object."""
    related = [_placed(each.span) | {"message": each.message} for each in finding.related]
    return _placed(finding.span) | {
        "level": finding.level,
        "code": finding.code,
        "message": finding.message,
        "hint": finding.hint,
        "related": related,
        **(json.loads(finding.details) if finding.details else {}),
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


def format_as_github(findings: Iterable[Finding], texts: Mapping[str, str]) -> str:
    """Return `::error file=…,line=…,col=…,title=code::message` for each finding, the most severe first, and a count.

    The hint is a second line of the message. That of `breaking` has the id by which a change is accepted.
    GitHub shows only the first ten of each level in each step.
    """
    del texts  # GitHub shows the lines itself
    every = sorted(findings, key=lambda finding: RANK[finding.level])
    lines = [
        f"::{_COMMANDS[finding.level]} file={_property(finding.span.path)},line={finding.span.line},"
        f"col={finding.span.column},title={_property(finding.code)}::{_data(_with_hint(finding))}\n"
        for finding in every
    ]
    if len(every) > 10:
        lines.append(f"::notice::{count_by_level(every)}\n")
    return "".join(lines)


def _with_hint(finding: Finding) -> str:
    return f"{finding.message}\nhint: {finding.hint}" if finding.hint else finding.message


def count_by_level(findings: Iterable[Finding]) -> str:
    """Return the number of findings of each level, such as `1 error, 2 notes`; an empty string if there are none."""
    counts = Counter(finding.level for finding in findings)
    return ", ".join(f"{counts[level]} {level}{'s' if counts[level] != 1 else ''}" for level in RANK if counts[level])


def _data(text: str) -> str:
    """Encode a message: line ends are percent-encoded, and other characters that are not printable are escaped."""
    parts = text.replace("%", "%25").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "%0A".join(map(escape_unprintable, parts))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def fingerprints(findings: Iterable[Finding]) -> list[str]:
    """Return a digest of each finding (code, file, message, number among equals), which is the same when lines move."""
    counts: Counter[str] = Counter()
    digests = []
    for finding in findings:
        text = "\0".join((finding.code, finding.span.path, finding.message))
        counts[text] += 1
        digests.append(sha256(f"{text}\0{counts[text]}".encode("utf-8", "surrogatepass")).hexdigest())
    return digests


def _sentences(finding: Finding) -> str:
    return escape_unprintable(f"{finding.message}. {finding.hint}" if finding.hint else finding.message)


def format_as_sarif(findings: Iterable[Finding], texts: Mapping[str, str]) -> str:
    """Return a SARIF 2.1.0 log with one run. Paths are relative to `%SRCROOT%`."""
    del texts
    every = list(findings)
    used = sorted({finding.code for finding in every})
    results = [
        {
            "ruleId": finding.code,
            "ruleIndex": used.index(finding.code),
            "level": finding.level,
            "message": {"text": _sentences(finding)},
            "locations": [{"physicalLocation": _location(finding.span)}],
            "relatedLocations": [
                {"physicalLocation": _location(each.span), "message": {"text": escape_unprintable(each.message)}}
                for each in finding.related
            ],
            "partialFingerprints": {"toolgen/v1": fingerprint},
            **_properties(finding),
        }
        for finding, fingerprint in zip(every, fingerprints(every), strict=True)
    ]
    driver = {"name": "toolgen", "version": __version__, "rules": [_rule(code) for code in used]}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _properties(finding: Finding) -> dict[str, object]:
    """Return the details of a finding, its fixes, and its suppression with the reason if it was accepted."""
    details = json.loads(finding.details) if finding.details else {}
    reason, replacements = details.pop("accepted", None), details.pop("fix", None)
    properties: dict[str, object] = {"properties": details} if details else {}
    if reason is not None:
        properties["suppressions"] = [
            {"kind": "external", "status": "accepted", "justification": escape_unprintable(str(reason))}
        ]
    if replacements is not None:
        change = {
            "artifactLocation": _artifact(finding.span.path),
            "replacements": [
                {"deletedRegion": _region(Span("", *location)), "insertedContent": {"text": text}}
                for *location, text in replacements
            ],
        }
        properties["fixes"] = [
            {"description": {"text": "the change of toolgen lint --fix"}, "artifactChanges": [change]}
        ]
    return properties


def _rule(code: str) -> dict[str, object]:
    """Return a code as a rule of SARIF, with its explanation; only its id if there is none."""
    row = CODES.get(code)
    if row is None:
        return {"id": code}
    help_text = "\n\n".join(filter(None, (row.why, row.hint or row.fix))) or row.message
    examples = [("Wrong", row.example.failing), ("Right", row.example.fixed)] if row.example is not None else []
    shown = [f"**{title}**\n\n```yaml\n{text.rstrip()}\n```" for title, text in examples]
    return {
        "id": code,
        "shortDescription": {"text": row.message},
        "help": {"text": help_text, "markdown": "\n\n".join([help_text, *shown])},
        "defaultConfiguration": {"level": row.level},
    }


def _location(span: Span) -> dict[str, object]:
    return {"artifactLocation": _artifact(span.path), "region": _region(span)}


def _artifact(file: str) -> dict[str, object]:
    path = quote(file.encode("utf-8", "surrogatepass"))
    return {"uri": f"file://{path}"} if path.startswith("/") else {"uri": path, "uriBaseId": "%SRCROOT%"}


def _region(span: Span) -> dict[str, object]:
    """Return a span as a region of SARIF, which must not end before it starts."""
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": max(span.line, span.end_line),
        "endColumn": span.end_column if span.end_line > span.line else max(span.column, span.end_column),
    }


_SEVERITIES = {"error": "major", "warning": "minor", "note": "info"}


def format_as_gitlab(findings: Iterable[Finding], texts: Mapping[str, str]) -> str:
    """Return a report for GitLab's Code Quality."""
    del texts
    every = list(findings)
    rows = [
        {
            "description": _sentences(finding),
            "check_name": finding.code,
            "fingerprint": fingerprint,
            "severity": _SEVERITIES[finding.level],
            "location": {"path": finding.span.path, "lines": {"begin": finding.span.line}},
        }
        for finding, fingerprint in zip(every, fingerprints(every), strict=True)
    ]
    return json.dumps(rows, indent=2) + "\n"


def format_as_markdown(findings: Iterable[Finding], texts: Mapping[str, str]) -> str:
    """Return a table for the summary of a job or a pull request. A bot finds its comment by the first line."""
    del texts
    every = sorted(findings, key=lambda finding: RANK[finding.level])
    lines = ["<!-- toolgen -->\n", f"**toolgen: {count_by_level(every) or 'no findings'}**\n"]
    if every:
        lines += ["\n| | where | code | what |\n", "|---|---|---|---|\n"]
    for finding in every:
        hint = f"<br>{_cell(finding.hint)}" if finding.hint else ""
        lines.append(
            f"| {finding.level} | {_cell(str(finding.span))} | {finding.code} | {_cell(finding.message)}{hint} |\n"
        )
    return "".join(lines)


def _cell(text: str) -> str:
    """Return text for a cell of a table, without Markdown or HTML in it."""
    return "".join(f"&#{ord(char)};" if char in "\\`*_{}[]<>()#+!|&~@:" else char for char in escape_unprintable(text))


FORMATTERS: dict[str, Callable[[Iterable[Finding], Mapping[str, str]], str]] = {
    "text": format_as_text,
    "json": format_as_json,
    "github": format_as_github,
    "sarif": format_as_sarif,
    "gitlab": format_as_gitlab,
    "markdown": format_as_markdown,
}
"""The formatters by the argument of `--format`. They receive findings and the texts of their sources, by path."""

DOCUMENT_FORMATS = frozenset(["json", "sarif", "gitlab", "markdown"])
"""Formats that are one document. It is all that goes to stdout, even if there are no findings."""
