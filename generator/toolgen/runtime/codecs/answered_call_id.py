"""The id of the call that a result answers, beside the tool's name."""

from __future__ import annotations

from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..paths import Path

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader) -> tuple[str, Any]:
    """Read the id that the call has; the wire's spelling is kept where that is another one.

    Raises:
        ConversionError: it is no text.
    """
    if type(value) is not str:
        raise wrong_type(at, "a string", None if value is ABSENT else value)
    identifier, _ = reader.call_of(value)
    return identifier, ABSENT if identifier == value else {"$synthetic": identifier, "$wire": value}


def write(identifier: str, kept: Any, at: Path, writer: Writer) -> str:
    """Write the id as it stands with the call."""
    if type(kept) is dict and kept.get("$synthetic") == identifier and type(kept.get("$wire")) is str:
        return str(kept["$wire"])
    return writer.call_id(identifier)
