"""The call that a result answers, on a wire that pairs them by id, by the tool's name, or by their order."""

from __future__ import annotations

from typing import Any

from ..conversion.plain import optional_text
from ..conversion.reader import Reader
from ..conversion.residue import Residue, within
from ..conversion.writer import Writer
from ..paths import Path

__all__ = ["read", "write"]

_ID, _NAME = "tool_call_id", "tool_name"


def read(wire: dict[str, Any], at: Path, reader: Reader) -> tuple[str, str, Residue]:
    """Read the id of the call and the tool's name: by the id, else the next open call with the name, else the next.

    Keys that we would write otherwise are kept, with the id that they stood for.

    Raises:
        ConversionError: one of the two is neither text nor null.
    """
    spelled_id, spelled_name = optional_text(wire, _ID, at), optional_text(wire, _NAME, at)
    name = reader.tool_name(spelled_name) if spelled_name else ""
    identifier, called = reader.call_of(spelled_id) if spelled_id else ("", "")
    if called:
        reader.closed(identifier)
        if name:
            return identifier, name, {}
    else:
        call = reader.next_open(name or None)
        identifier, called = (spelled_id or name, "") if call is None else (call.id, call.name)
    found = {key: wire[key] for key in (_NAME, _ID) if key in wire}
    return identifier, name or called, {"$synthetic": identifier, "$wire": found}


def write(identifier: str, name: str, own: Residue, at: Path, writer: Writer) -> dict[str, Any]:
    """Write both keys: the id as it stands with the call, if it does, and the name that templates look for."""
    kept = within(own, "$wire")
    unchanged = "$wire" in own and own.get("$synthetic") == identifier
    if unchanged and kept.get(_NAME) in (None, "", writer.wire.spelling(name)):
        return kept
    found: dict[str, Any] = {_NAME: writer.tool_name(name, (at[0], "name"))} if name else {}
    if not writer.left_out(identifier):
        found[_ID] = writer.call_id(identifier)
    return found
