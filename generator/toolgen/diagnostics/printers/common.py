"""What all printers share: how many findings are printed, and text that is safe in a terminal and on one line."""

from __future__ import annotations

from collections.abc import Iterable

from toolgen.diagnostics.finding import Finding

MAX_FINDINGS = 100
"""Findings of one run that are printed; how many more there are is said in one line."""


def first(findings: Iterable[Finding]) -> tuple[list[Finding], int]:
    """Return the findings to print, and how many more there are."""
    every = list(findings)
    return every[:MAX_FINDINGS], max(0, len(every) - MAX_FINDINGS)


def more(count: int) -> str:
    """The line that says how many findings are left out."""
    return f"and {count} more finding{'s' if count != 1 else ''}"


def safe(text: str) -> str:
    """Text with everything escaped that does not print: controls, direction marks, surrogates, line separators."""
    return text if text.isprintable() else "".join(map(escaped, text))


def escaped(char: str) -> str:
    """A character, or its escape where it does not print."""
    return char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
