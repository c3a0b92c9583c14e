"""The id of the call that a result answers, and beside it the name of its tool, which may be left out."""

from __future__ import annotations

from typing import Any

from ...conversion.reader import Reader
from ...conversion.residue import Residue
from ...conversion.values import optional_text
from ...conversion.writer import Writer
from ...errors import wrong_type
from ...paths import Path

__all__ = ["read_named_result", "write_named_result"]

_ID, _NAME = "toolCallId", "name"


def read_named_result(wire: dict[str, Any], at: Path, reader: Reader) -> tuple[str, str, Residue]:
    """Read the id of the call, and the name of the tool: that of the result, else that of the call.

    A name that we would write otherwise is kept, with the name that it stood for; so is that there was none.

    Raises:
        ConversionError: the id is no text, or the name is neither text nor null.
    """
    spelled = wire.get(_ID)
    if type(spelled) is not str:
        raise wrong_type((at, _ID), "a string", spelled)
    said = optional_text(wire, _NAME, at)
    identifier, called = reader.call_of(spelled)
    name = reader.tool_name(said) if said else called
    if said == (reader.wire.spelling(name) if name else None) and (said or _NAME not in wire):
        return identifier, name, {}
    return identifier, name, {"$name": [name, said] if _NAME in wire else [name]}


def write_named_result(identifier: str, name: str, own: Residue, at: Path, writer: Writer) -> dict[str, Any]:
    """Write the id as it stands with the call, and the name, as it came while it stands for the same."""
    written: dict[str, Any] = {_ID: writer.call_id(identifier)}
    kept = own.get("$name")
    if type(kept) is list and kept[:1] == [name]:
        return written if len(kept) == 1 else {**written, _NAME: kept[1]}
    return written | ({_NAME: writer.tool_name(name, (at[0], "name"))} if name else {})
