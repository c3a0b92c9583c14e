"""A switch that is off unasked, on a wire that wants to hear of it all the same."""

from __future__ import annotations

from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT, marked
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..paths import Path

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader) -> tuple[bool | None, Any]:
    """Read the switch; off is what it is unasked. That it was not there, or null, is kept.

    Raises:
        ConversionError: it is neither a boolean nor null.
    """
    if value is ABSENT:
        return None, {"$absent": True}
    if value is None:
        return None, None
    if type(value) is not bool:
        raise wrong_type(at, "a boolean", value)
    return value or None, ABSENT


def write(value: bool | None, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the switch, off where nothing is said of it and it did not come so."""
    if value is None and kept is None:
        return None
    if value is None and marked(kept):
        return ABSENT
    if value is False and not writer.known:
        writer.lost(at, at[1], "rewritten", "note", "off is what it is unasked")
    return bool(value)
