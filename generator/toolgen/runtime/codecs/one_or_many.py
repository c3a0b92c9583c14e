"""A list of texts that may be spelled as a single text."""

from __future__ import annotations

from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..paths import Path

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader) -> tuple[list[str] | None, Any]:
    """Read the texts.

    Raises:
        ConversionError: the value is neither a text, nor a list of texts, nor null.
    """
    if value is None or value is ABSENT:
        return None, ABSENT
    if type(value) is str:
        return [value], value
    if type(value) is not list:
        raise wrong_type(at, "a string or an array", value)
    for i, text in enumerate(value):
        if type(text) is not str:
            raise wrong_type((at, i), "a string", text)
    return value, ABSENT


def write(texts: list[str] | None, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the texts, a single one as it came."""
    if texts is None:
        return ABSENT
    return kept if type(kept) is str and texts == [kept] else texts
