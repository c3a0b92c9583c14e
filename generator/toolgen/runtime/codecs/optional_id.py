"""The id of a call, on a wire that also matches by name and order."""

from __future__ import annotations

from typing import Any

from ..conversion.residue import ABSENT
from ..conversion.writer import Writer
from ..paths import Path
from .call_id import read

__all__ = ["read", "write"]


def write(identifier: str, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the id: as it came while it is the one that was made for it; one that was made for none is not sent."""
    if type(kept) is dict and kept.get("$synthetic") == identifier:
        spelling = kept.get("$wire")
        if type(spelling) is str:
            writer.keep_id(identifier, spelling)
            return spelling
        writer.leave_out(identifier)
        return ABSENT
    return writer.call_id(identifier)
