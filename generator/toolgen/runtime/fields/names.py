"""A tool's name, as this wire spells it."""

from __future__ import annotations

from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..paths import Path

__all__ = ["read_tool_name", "write_tool_name"]


def read_tool_name(value: Any, at: Path, reader: Reader) -> tuple[str, Any]:
    """Read the name that the app knows the tool by.

    Raises:
        ConversionError: it is no text.
    """
    if type(value) is not str:
        raise wrong_type(at, "a string", None if value is ABSENT else value)
    return reader.spoken.get(value, value), ABSENT


def write_tool_name(name: str, kept: Any, at: Path, writer: Writer) -> str:
    """Write the name; one that the wire would refuse is renamed one to one, and reported."""
    return writer.tool_name(name, at)
