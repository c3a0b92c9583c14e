"""The id of the call that a result answers, beside the tool's name, which tells the call where there is no id.

The name says nothing that the id does not: it is sent where it came, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import Residue
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..paths import Path

__all__ = ["read", "write"]


def read(wire: dict[str, Any], at: Path, reader: Reader, none: Collection[str]) -> tuple[str, str, Residue]:
    """Read the id of the call and the name of the tool; the name is empty where neither the result nor a call has it.

    Raises:
        ConversionError: one of them is neither text nor null.
    """
    for key in ("tool_call_id", "name"):
        if wire.get(key) is not None and type(wire[key]) is not str:
            raise wrong_type((at, key), "a string", wire[key])
    found, said = wire.get("tool_call_id"), wire.get("name")
    rest: Residue = {} if said is None else {"name": said}
    name = reader.tool_name(said) if said else ""
    if found and found not in none:
        identifier, called = reader.call_of(found)
        reader.closed(identifier)
        return identifier, name or called, rest
    identifier = reader.answered(name) or name
    rest["tool_call_id"] = {"$synthetic": identifier, **({"$wire": found} if "tool_call_id" in wire else {})}
    return identifier, name, rest


def write(
    identifier: str, name: str, own: Residue, at: Path, writer: Writer, none: Collection[str]
) -> dict[str, Any]:
    """Write the id as it stands with the call, and the name where the result came with one."""
    written: dict[str, Any] = {}
    kept, said = own.get("tool_call_id"), own.get("name")
    if type(kept) is dict and kept.get("$synthetic") == identifier:
        if "$wire" in kept:
            written["tool_call_id"] = kept["$wire"]
    elif not writer.left_out(identifier):
        written["tool_call_id"] = writer.call_id(identifier)
    if type(said) is str:
        written["name"] = writer.tool_name(name, (at[0], "name")) if name else said
    return written
