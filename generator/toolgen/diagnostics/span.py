"""A place in a source file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A range of characters in a source; lines and columns count from 1.

    `path` is as one would open it where the command was run, with forward slashes.
    A span of a whole file is line 1, column 1. The end is exclusive.
    """

    path: str
    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1
