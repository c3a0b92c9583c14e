"""A switch that is on unless it is said to be off, though the format takes silence for off."""

from __future__ import annotations

from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT, marked
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..paths import Path

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader) -> tuple[bool, Any]:
    """Read the switch; that it was not there, or null, is kept.

    Raises:
        ConversionError: it is neither a boolean nor null.
    """
    if value is ABSENT:
        return True, {"$absent": True}
    if value is None:
        return True, None
    if type(value) is not bool:
        raise wrong_type(at, "a boolean", value)
    return value, ABSENT


def write(value: bool | None, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the switch; where nothing is said of it, it is off, and the wire must hear so."""
    if value is None:
        writer.lost(at, at[1], "defaulted", "note", f"{writer.wire.title} takes silence for on")
        return False
    if value and marked(kept):
        return ABSENT
    return None if value and kept is None else value
