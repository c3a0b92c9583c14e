"""A text in a block of its own, or in a resource that the result embeds."""

from __future__ import annotations

from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT, Residue, leftovers
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..paths import Path

__all__ = ["read", "write"]

_TEXT = frozenset(["text"])


def read(block: dict[str, Any], at: Path, reader: Reader) -> tuple[str, Residue]:
    """Read the text; what else a resource holds is kept with it.

    Raises:
        ConversionError: it is no text.
    """
    embedded = block["type"] == "resource"
    holder, place = (block["resource"], (at, "resource")) if embedded else (block, at)
    text = holder.get("text", ABSENT)
    if type(text) is not str:
        raise wrong_type((place, "text"), "a string", text)
    if embedded:
        rest: Residue = {"type": "resource", "resource": leftovers(holder, _TEXT)}
        return text, rest | {key: block[key] for key in _TEXT if key in block}
    return text, {key: block[key] for key in ("resource",) if key in block}


def write(text: str, own: Residue, at: Path, writer: Writer) -> dict[str, Any]:
    """Write the text where it stood."""
    if own.get("type") == "resource":
        return {"type": "resource", "resource": {"text": text}}
    return {"type": "text", "text": text}
