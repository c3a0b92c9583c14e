"""Fields that only modular-prompt has."""

from __future__ import annotations

from typing import Any

from ...conversion.reader import Reader
from ...conversion.residue import ABSENT
from ...conversion.values import as_one_text
from ...conversion.writer import Writer
from ...errors import wrong_type
from ...paths import Path

__all__ = ["read_text_alone", "write_text_alone"]


def read_text_alone(value: Any, at: Path, reader: Reader) -> tuple[str, Any]:
    """Read the text.

    Raises:
        ConversionError: it is none.
    """
    if type(value) is not str:
        raise wrong_type(at, "a string", None if value is ABSENT else value)
    return value, ABSENT


def write_text_alone(content: Any, kept: Any, at: Path, writer: Writer) -> str:
    """Write the texts of the content as one."""
    return as_one_text(content, at, writer)
