"""The schema of a tool's parameters, on a wire where every tool must have one and none is strict."""

from __future__ import annotations

from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT, marked
from ..conversion.writer import Writer
from ..paths import Path
from . import dialect

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader) -> tuple[dict[str, Any] | None, Any]:
    """Read the schema; that there was none is kept.

    Raises:
        ConversionError: it is neither an object nor null.
    """
    if value is ABSENT:
        return None, {"$absent": True}
    return dialect.read(value, at, reader, None)


def write(parameters: dict[str, Any] | None, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the schema; that of a tool without parameters is an object without properties, if none came otherwise."""
    if parameters is not None:
        return dialect.write(parameters, kept, at, writer, None)
    return ABSENT if kept is None or marked(kept) else {"type": "object", "properties": {}}
