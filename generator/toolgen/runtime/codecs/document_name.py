"""The name of a document, where the API demands one of few characters, and each only once."""

from __future__ import annotations

import re
from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT, marked
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..paths import Path, spelled

__all__ = ["read", "write"]

_LEGAL = re.compile(r"[a-zA-Z0-9_()\[\]-]+( [a-zA-Z0-9_()\[\]-]+)*")
_LENGTH = 200


def read(value: Any, at: Path, reader: Reader) -> tuple[str | None, Any]:
    """Read the name; one that we would spell otherwise is kept, for the API took it.

    Raises:
        ConversionError: it is neither text nor null.
    """
    if value is None or value is ABSENT:
        return None, {"$absent": True} if value is ABSENT else None
    if type(value) is not str:
        raise wrong_type(at, "a string", value)
    return value, ABSENT if _is_legal(value) else value


def write(name: str | None, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the name: one without its illegal characters, or one made of the document's place, where there is none."""
    if name is None:
        if kept is None or marked(kept):
            return ABSENT
        made = "document " + "-".join(re.findall(r"\d+", spelled(at)))
        writer.lost(at, "name", "defaulted", "note", "a document must be named")
        return made.rstrip()
    if name == kept or _is_legal(name):
        return name
    writer.lost(at, "name", "rewritten", "note", "the API refuses some of its characters")
    spelling = re.sub(r"[^a-zA-Z0-9_()\[\]-]+", "-", name)[:_LENGTH].strip("-")
    return spelling or write(None, ABSENT, at, writer)


def _is_legal(name: str) -> bool:
    return len(name) <= _LENGTH and _LEGAL.fullmatch(name) is not None
