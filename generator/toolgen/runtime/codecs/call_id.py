"""The id of a call, where the wire's API wants one."""

from __future__ import annotations

from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..conversion.writer import Writer
from ..paths import Path

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader) -> tuple[str, Any]:
    """Read the id; one that is missing, blank or used before is made here, and the wire's spelling kept with it.

    Raises:
        ConversionError: it is neither text nor null.
    """
    if reader.takes(value):
        return value, ABSENT
    identifier, spelling = reader.call_id(value, at)
    if spelling is ABSENT and value is identifier:
        return identifier, ABSENT
    return identifier, {"$synthetic": identifier} if spelling is ABSENT else {
        "$synthetic": identifier,
        "$wire": spelling,
    }


def write(identifier: str, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the id: as it came while it is the one that was made for it, renamed where the wire would refuse it."""
    if type(kept) is dict and kept.get("$synthetic") == identifier and type(kept.get("$wire")) is str:
        writer.keep_id(identifier, kept["$wire"])
        return kept["$wire"]
    return writer.call_id(identifier)
