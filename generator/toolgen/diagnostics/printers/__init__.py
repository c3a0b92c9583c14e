"""Printers: findings as text for a person, JSON for a program, commands for GitHub's log. Sorted as they are given."""

from collections.abc import Callable, Iterable, Mapping

from toolgen.diagnostics.finding import Finding
from toolgen.diagnostics.printers.github import print_github
from toolgen.diagnostics.printers.json import print_json
from toolgen.diagnostics.printers.text import print_text

PRINTERS: dict[str, Callable[[Iterable[Finding], Mapping[str, str]], str]] = {
    "text": print_text,
    "json": print_json,
    "github": print_github,
}
"""By the word after `--format`: findings and the texts of their sources, by path, become what is printed."""

__all__ = ["PRINTERS", "print_github", "print_json", "print_text"]
