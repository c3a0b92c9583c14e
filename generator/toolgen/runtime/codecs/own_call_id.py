"""The id of a call, on a wire whose many servers give ids that not all of them would take."""

from __future__ import annotations

from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..paths import Path
from . import call_id
from .call_id import write

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader) -> tuple[str, Any]:
    """Read the id; one that the server gave goes back to it as it is, also where another server would refuse it.

    Raises:
        ConversionError: it is neither text nor null.
    """
    identifier, kept = call_id.read(value, at, reader)
    if kept is ABSENT and identifier == value and not reader.wire.legal_id(identifier):
        return identifier, {"$synthetic": identifier, "$wire": identifier}
    return identifier, kept
