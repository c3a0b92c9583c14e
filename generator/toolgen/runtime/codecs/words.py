"""A word of the wire for a word of the format, by a table of the profile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..conversion.unsayable import UnsayableError
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..paths import Path

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader, table: Mapping[str, str]) -> tuple[str | None, Any]:
    """Read a word; one that the table lacks is kept as it is.

    Raises:
        ConversionError: the value is neither text nor null.
    """
    if value is None or value is ABSENT:
        return None, ABSENT
    if type(value) is not str:
        raise wrong_type(at, "a string", value)
    meaning = table.get(value)
    return meaning, value if meaning is None else ABSENT


def write(word: str | None, kept: Any, at: Path, writer: Writer, table: Mapping[str, str]) -> Any:
    """Write a word.

    Raises:
        UnsayableError: the wire has no word for it.
    """
    if word is None:
        return kept
    for spelling, meaning in table.items():
        if meaning == word:
            return spelling
    raise UnsayableError("it has no word for it")
