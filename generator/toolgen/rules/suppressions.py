"""The findings that a project wants: levels by code, and comments `# toolgen: allow CODE` in a source.

A comment after a key concerns its line. One on a line of its own concerns the next line with content.
One above all content of a file concerns the whole file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from toolgen.diagnostics import CODES, Finding, Findings, Span
from toolgen.diagnostics.codes import BY_STAGE, CHANGES
from toolgen.diagnostics.finding import did_you_mean
from toolgen.load import Document, Sources
from toolgen.load.comments import find_comments
from toolgen.rules.lint import RULES, Levels

_ALLOW = re.compile(r"toolgen:\s*allow\b\s*(.*)")
_CODE = re.compile(r"[^\s,]+")

_ELSEWHERE = frozenset(row.id for stage in ("breaking", "importing", "write") for row in BY_STAGE[stage])
"""Codes of findings that are no subject of `lint`: those of `toolgen breaking` and of `toolgen import`, and of writing."""


@dataclass(frozen=True, slots=True)
class Suppression:
    """One code that a comment allows, with its location. `line` is the line it concerns; None is the file."""

    code: str
    span: Span
    line: int | None

    def covers(self, finding: Finding) -> bool:
        """Return whether the suppression concerns the finding."""
        is_same = finding.code == self.code and finding.span.path == self.span.path
        return is_same and self.line in (None, finding.span.line)


def find_suppressions(sources: Sources) -> tuple[Suppression, ...]:
    """Return the suppressions in the comments of a project's own YAML sources."""
    documents = (*sources.tools, *sources.types, *sources.providers, *sources.formats, sources.config)
    paths = dict.fromkeys(d.path for d in documents if d is not None and not d.is_shipped)
    return tuple(
        allow
        for path in paths
        if not path.lower().endswith(".json") and "toolgen:" in sources.texts[path]
        for allow in _in_text(path, sources.texts[path])
    )


def _in_text(path: str, text: str) -> Iterator[Suppression]:
    """Yield the suppressions in the comments of one source."""
    lines = text.split("\n")
    comments = list(find_comments(text))
    comment_lines = {comment.line for comment in comments if comment.alone}
    content_lines = [n for n, line in enumerate(lines, 1) if n not in comment_lines and line.strip() not in ("", "---")]
    for comment in comments:
        match = _ALLOW.match(comment.text)
        if match is None:
            continue
        line: int | None = comment.line
        if comment.alone:
            is_above_all = not content_lines or comment.line < content_lines[0]
            line = None if is_above_all else next((n for n in content_lines if n > comment.line), comment.line)
        start = lines[comment.line - 1].index(comment.text, comment.column) + match.start(1)
        for code in _CODE.finditer(match[1]):
            first, end = start + code.start() + 1, start + code.end() + 1
            yield Suppression(code[0], Span(path, comment.line, first, comment.line, end), line)


def is_suppressible(code: str) -> bool:
    """Return whether a level or a comment may change findings of a code: it is that of a rule, or not an error."""
    return code in RULES or CODES[code].level != "error"


def apply_suppressions(
    findings: Findings,
    levels: Levels,
    suppressions: tuple[Suppression, ...],
) -> frozenset[Suppression]:
    """Apply the project's levels to the findings and remove suppressed ones. Return the used suppressions."""
    remaining: list[Finding] = []
    used: set[Suppression] = set()
    for finding in findings.items:
        if not is_suppressible(finding.code):
            remaining.append(finding)
            continue
        covering = [allow for allow in suppressions if allow.covers(finding)]
        used.update(covering)
        level = levels.get(finding.code)
        if not covering and level != "off":
            remaining.append(finding if level is None else replace(finding, level=level))
    findings.items[:] = remaining
    return frozenset(used)


def check_suppressions(
    sources: Sources,
    suppressions: tuple[Suppression, ...],
    used: frozenset[Suppression],
    findings: Findings,
) -> None:
    """Report levels and comments without effect: for an unknown code, for an error of a build, or with no finding."""
    levels = _levels(sources.config, findings) if sources.config is not None else {}
    for allow in suppressions:
        if allow.code not in CODES:
            findings.add("allow-unknown", allow.span, name=allow.code, hint=did_you_mean(allow.code, CODES))
        elif not is_suppressible(allow.code):
            findings.add("error-not-silenced", allow.span, name=allow.code)
        elif allow not in used and levels.get(allow.code) != "off":
            findings.add("allow-unused", allow.span, name=allow.code)


def _levels(config: Document, findings: Findings) -> Mapping[str, str]:
    """Return the levels of a configuration. Report those that change nothing: for an error of a build, or elsewhere."""
    levels: Mapping[str, str] = config.value.get("lint", {})
    for code, level in levels.items():
        if code in _ELSEWHERE:
            hint = f"set it under `breaking` in {config.path}" if code in CHANGES else None
            findings.add("level-without-effect", config.key_span("lint", code), hint=hint, name=code)
        elif code in CODES and not is_suppressible(code) and level != "error":
            findings.add("error-not-silenced", config.key_span("lint", code), name=code)
    return levels
