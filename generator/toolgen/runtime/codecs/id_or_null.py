"""The id of a call, on a wire that should have one; what stood in its place goes back, null too."""

from __future__ import annotations

from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..conversion.writer import Writer
from ..paths import Path

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader) -> tuple[str, Any]:
    """Read the id; one that is missing, blank or used before is made here.

    Raises:
        ConversionError: it is neither text nor null.
    """
    identifier, _ = reader.call_id(value, at)
    if identifier == value:
        return identifier, ABSENT
    made = {"$synthetic": identifier}
    return identifier, made if value is ABSENT else {**made, "$wire": value}


def write(identifier: str, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the id, or what stood in its place."""
    if type(kept) is dict and kept.get("$synthetic") == identifier:
        return kept.get("$wire", ABSENT)
    return writer.call_id(identifier)
