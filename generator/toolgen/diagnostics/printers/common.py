"""What all printers share: how many findings are printed, and text that is safe in a terminal and on one line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from toolgen.diagnostics.finding import Finding, Level

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
