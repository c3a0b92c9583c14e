"""A text that the API refuses where it is empty."""

from __future__ import annotations

from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..paths import Path

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader) -> tuple[str | None, Any]:
    """Read the text; that an empty one stood there is kept.

    Raises:
        ConversionError: it is neither text nor null.
    """
    if value is None or value is ABSENT:
        return None, ABSENT
    if type(value) is not str:
        raise wrong_type(at, "a string", value)
    return value, ABSENT if value else value


def write(text: str | None, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the text; an empty one goes where it came from alone."""
    if text or (text is not None and kept == text):
        return text
    if text is not None:
        writer.lost(at, "an empty text", "dropped", "note", "the API refuses it")
    return ABSENT
