"""A number that the newest API does not take any more: it goes back where it came from, and nowhere else."""

from __future__ import annotations

from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..json_texts.json_text import same
from ..paths import Path

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader) -> tuple[Any, Any]:
    """Read the number, and keep it: the body had it.

    Raises:
        ConversionError: it is neither a number nor null.
    """
    if value is None or value is ABSENT:
        return None, ABSENT
    if type(value) is not int and type(value) is not float:
        raise wrong_type(at, "a number", value)
    return value, value


def write(value: float | None, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the number where the body had it; another one has no place."""
    if value is None:
        return ABSENT
    if same(kept, value):
        return kept
    writer.no_place(at, "a sampling parameter", "warning")
    return ABSENT
