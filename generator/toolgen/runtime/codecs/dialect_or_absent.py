"""The schema of a tool's parameters, on a wire where a tool without parameters has none."""

from __future__ import annotations

from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..conversion.writer import Writer
from ..paths import Path
from . import dialect

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader) -> tuple[dict[str, Any] | None, Any]:
    """Read the schema; an empty one says nothing, and is kept.

    Raises:
        ConversionError: it is neither an object nor null.
    """
    return (None, {}) if value == {} else dialect.read(value, at, reader, None)


def write(parameters: dict[str, Any] | None, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the schema; none where it is empty."""
    return dialect.write(parameters, kept, at, writer, None) if parameters else ABSENT
