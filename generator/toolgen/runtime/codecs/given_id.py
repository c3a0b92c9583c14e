"""The id of a call, on a wire that takes ids of one form only, and back what it gave whatever its form.

One of the wire's words stands for no id at all.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..conversion.writer import Writer
from ..paths import Path
from . import optional_id

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader, none: Collection[str]) -> tuple[str, Any]:
    """Read the id; one that is missing or used before is made here, and one that we would rename is kept with it.

    Raises:
        ConversionError: it is neither text nor null.
    """
    if value is None or (type(value) is str and value in none):
        identifier, _ = reader.call_id(None, at)
        return identifier, {"$synthetic": identifier, "$wire": value}
    identifier, kept = optional_id.read(value, at, reader)
    if kept is ABSENT and not reader.wire.legal_id(identifier):
        return identifier, identifier
    return identifier, kept


def write(identifier: str, kept: Any, at: Path, writer: Writer, none: Collection[str]) -> Any:
    """Write the id: as it came while it is the same; renamed where it comes from elsewhere and would be refused."""
    if type(kept) is str and kept == identifier:
        writer.keep_id(identifier, kept)
        return kept
    written = optional_id.write(identifier, kept, at, writer)
    return None if written is ABSENT and "$wire" in kept else written
