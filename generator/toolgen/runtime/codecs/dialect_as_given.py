"""The schema of a tool's parameters, on a wire that wants one and also takes null."""

from __future__ import annotations

from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT, marked
from ..conversion.writer import Writer
from ..paths import Path
from . import dialect

__all__ = ["read", "write"]


def read(
    value: Any, at: Path, reader: Reader, strict: bool | None = None
) -> tuple[dict[str, Any] | None, Any]:
    """Read the schema; that there was none, or null, is kept.

    Raises:
        ConversionError: it is neither an object nor null.
    """
    if value is None or value is ABSENT:
        return None, {"$absent": True} if value is ABSENT else None
    return dialect.read(value, at, reader, strict)


def write(
    parameters: dict[str, Any] | None,
    kept: Any,
    at: Path,
    writer: Writer,
    strict: bool | None = None,
) -> Any:
    """Write the schema; that of a tool without parameters is an object without properties, if none came otherwise."""
    if parameters is not None:
        return dialect.write(parameters, kept, at, writer, strict)
    if kept is None:
        return None
    return ABSENT if marked(kept) else {"type": "object", "properties": {}}
