"""A text that the wire demands: an empty one stands for none."""

from __future__ import annotations

from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT, marked
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..paths import Path

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader) -> tuple[str | None, Any]:
    """Read the text; that there was none at all is kept.

    Raises:
        ConversionError: it is neither text nor null.
    """
    if value is ABSENT:
        return None, {"$absent": True}
    if value is None:
        return None, None
    if type(value) is not str:
        raise wrong_type(at, "a string", value)
    return value or None, ABSENT


def write(text: str | None, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the text, an empty one where there is none, if it did not come otherwise."""
    if text is not None:
        return text
    return ABSENT if kept is None or marked(kept) else ""
