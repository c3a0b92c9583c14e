"""The id of the call that a result answers, on a wire that says no more of the call."""

from __future__ import annotations

from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..paths import Path

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader) -> tuple[str, str, Any]:
    """Read the id of the call, and the name of the tool that it called; empty where the call is not there.

    Raises:
        ConversionError: it is no text.
    """
    if type(value) is not str:
        raise wrong_type(at, "a string", None if value is ABSENT else value)
    identifier, name = reader.call_of(value)
    return identifier, name, ABSENT


def write(identifier: str, name: str, kept: Any, at: Path, writer: Writer) -> str:
    """Write the id as it stands with the call."""
    return writer.call_id(identifier)
