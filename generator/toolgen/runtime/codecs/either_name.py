"""A tool's name, on a wire whose objects have it under one of two keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT, Residue, spelling
from ..conversion.writer import Writer
from ..paths import Path
from . import tool_name

__all__ = ["read", "write"]


def read(wire: dict[str, Any], at: Path, reader: Reader, keys: Mapping[str, str]) -> tuple[str, Residue]:
    """Read the name that the app knows the tool by. `keys` has the `usual` key and the `other`, which is kept.

    Raises:
        ConversionError: it is no text.
    """
    usual, other = keys["usual"], keys["other"]
    if wire.get(usual) is None and other in wire:
        return tool_name.read(wire[other], (at, other), reader)[0], {"$as": {usual: other}}
    name = tool_name.read(wire.get(usual, ABSENT), (at, usual), reader)[0]
    return name, {other: wire[other]} if other in wire else {}


def write(name: str, own: Residue, at: Path, writer: Writer, keys: Mapping[str, str]) -> dict[str, Any]:
    """Write the name under the key that it had, else under the usual one."""
    return {spelling(own, keys["usual"]): writer.tool_name(name, at)}
