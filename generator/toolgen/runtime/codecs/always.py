"""A value that the API wants to be said, though it may be left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT, marked
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..paths import Path

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader, table: Mapping[str, Any]) -> tuple[Any, Any]:
    """Read the value; that it was not there, or null, is kept.

    Raises:
        ConversionError: it is of another type than what `table` has to stand for it.
    """
    if value is ABSENT:
        return None, {"$absent": True}
    if value is None:
        return None, None
    if type(value) is not type(table["value"]):
        raise wrong_type(at, "a boolean" if type(table["value"]) is bool else "a string", value)
    return value, ABSENT


def write(value: Any, kept: Any, at: Path, writer: Writer, table: Mapping[str, Any]) -> Any:
    """Write the value, or that of the table where there is none and it did not come so."""
    if value is not None:
        return value
    if kept is None:
        return None
    if marked(kept):
        return ABSENT
    default = table["value"]
    writer.lost(at, "a value that the API wants", "defaulted", "note", f"it is written as {default}")
    return default
