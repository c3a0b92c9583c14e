"""A word of the wire for a word of the format; what has none is reported and left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..paths import Path
from ..residue import ABSENT
from ..writer import Writer
from .words import read

__all__ = ["read", "write"]


def write(word: str | None, kept: Any, at: Path, writer: Writer, table: Mapping[str, str]) -> Any:
    """Write a word."""
    if word is None:
        return kept
    for spelling, meaning in table.items():
        if meaning == word:
            return spelling
    writer.no_place(at, at[1], "warning")
    return ABSENT
