"""A word of the wire, read in any case, for a word of the format; what has none is reported and left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..conversion.writer import Writer
from ..paths import Path
from . import words

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader, table: Mapping[str, str]) -> tuple[str | None, Any]:
    """Read a word; one that the table lacks is kept as it is.

    Raises:
        ConversionError: the value is neither text nor null.
    """
    if type(value) is str and value.upper() in table:
        return table[value.upper()], ABSENT if value.isupper() else value
    return words.read(value, at, reader, table)


def write(word: str | None, kept: Any, at: Path, writer: Writer, table: Mapping[str, str]) -> Any:
    """Write a word, in the case in which it came."""
    if word is None:
        return kept
    if type(kept) is str and table.get(kept.upper()) == word:
        return kept
    for spelling, meaning in table.items():
        if meaning == word:
            return spelling
    writer.no_place(at, at[1], "warning")
    return ABSENT
