"""The comments of a YAML text, found between the tokens of PyYAML's scanner.

A number sign in a quoted string, in a block scalar or inside a word starts no comment. The scanner distinguishes these.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from toolgen.load.yaml_reader import is_valid_json


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment without its number sign. `alone`: nothing else is on its line. Lines and columns count from 1."""

    line: int
    column: int
    text: str
    alone: bool


def find_comments(text: str) -> Iterator[Comment]:
    """Yield the comments of a valid YAML text, in order."""
    if "#" not in text or (text.lstrip().startswith("{") and is_valid_json(text)):
        return
    lines = text.split("\n")
    covered = _columns_of_tokens(text)
    for number, line in enumerate(lines):
        start = _start(line, covered.get(number, []))
        if start is not None:
            yield Comment(number + 1, start + 1, line[start + 1 :].strip(), alone=not line[:start].strip())


def _columns_of_tokens(text: str) -> dict[int, list[tuple[int, int | None]]]:
    """Map each line to the columns that belong to tokens. None is the end of the line."""
    covered: dict[int, list[tuple[int, int | None]]] = {}
    for token in yaml.scan(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        first, last = token.start_mark, token.end_mark
        if isinstance(token, yaml.ScalarToken) and token.style in ("|", ">"):
            # The end mark is where the next token starts. The line of `|` may have a comment; the lines below are text.
            covered.setdefault(first.line, []).append((first.column, first.column + 1))
            for number in range(first.line + 1, last.line):
                covered.setdefault(number, []).append((0, None))
            if last.column:
                covered.setdefault(last.line, []).append((0, last.column))
            continue
        for number in range(first.line, last.line + 1):
            start = first.column if number == first.line else 0
            covered.setdefault(number, []).append((start, last.column if number == last.line else None))
    return covered


def _start(line: str, covered: list[tuple[int, int | None]]) -> int | None:
    """Return where the comment of a line starts: at a number sign outside tokens, at column 0 or after a blank."""
    at = line.find("#")
    while at != -1:
        inside = any(start <= at and (end is None or at < end) for start, end in covered)
        if not inside and (at == 0 or line[at - 1] in " \t"):
            return at
        at = line.find("#", at + 1)
    return None
