"""A number of which every negative one means that there is no limit."""

from __future__ import annotations

from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..paths import Path

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader) -> tuple[int | None, Any]:
    """Read the limit; a negative number is none, and kept.

    Raises:
        ConversionError: it is neither an integer nor null.
    """
    if value is None or value is ABSENT:
        return None, ABSENT
    if type(value) is not int:
        raise wrong_type(at, "an integer", value)
    return (None, value) if value < 0 else (value, ABSENT)


def write(value: int | None, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the limit."""
    return kept if value is None else value
