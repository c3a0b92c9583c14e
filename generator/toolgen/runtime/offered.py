"""A tool as its declaration offers it to one provider: left out, described otherwise, or patched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..models import ToolDefinition
from .lowering.tools import holds
from .paths import Path
from .residue import ABSENT, Residue, within
from .writer import Writer

__all__ = ["write_offered"]

Write = Callable[[Any, Path, Writer], Any]


def write_offered(tool: Any, at: Path, writer: Writer, write: Write) -> Any:
    """Write a tool. What its declaration says of this provider is in its metadata, and comes last.

    `$description` stands for the description, `$patch` is a merge patch (RFC 7396) on the entry. What the declaration
    says of the tool for any wire that has a key for it is under `declaration`.

    Raises:
        ConversionError: the declaration leaves this provider out, and that was not to be weakened.
    """
    if type(tool) is not ToolDefinition:
        return write(tool, at, writer)
    if tool.name in writer.wire.refused:
        writer.lost(at, "a tool", "dropped", "behaviour", f"its declaration leaves out {writer.wire.title}")
        return ABSENT
    own = writer.kept(tool.metadata)
    said = within(tool.metadata or {}, "declaration")
    writer.known = "$strict" in said
    tool = _settled(tool, said, own, at, writer)
    if type(own.get("$description")) is str:
        tool = replace(tool, description=own["$description"])
    entry = write(tool, at, writer)
    for name, key in writer.wire.declared.items():
        if f"${name}" in said and type(entry) is dict:
            entry = {**entry, key: said[f"${name}"]}
    patch = within(own, "$patch")
    return _patched(entry, patch) if patch and type(entry) is dict else entry


def _settled(tool: ToolDefinition, said: Residue, own: Residue, at: Path, writer: Writer) -> ToolDefinition:
    """A tool with `strict` settled for this wire.

    Raises:
        ConversionError: its schema cannot be strict here, and that was not to be weakened.
    """
    lowerings = writer.wire.lowerings
    if tool.strict is None and said.get("$strict") == "auto":
        return replace(tool, strict=lowerings.settled(tool.parameters, writer.spent)[0])
    if not tool.strict or not lowerings.has_strict or tool.parameters is None or holds(own, tool.parameters):
        return tool
    refused = lowerings.lowered(tool.parameters, True).refusals
    if not refused:
        return tool
    writer.lost((at, "strict"), "strict", "dropped", "behaviour", f"{refused[0].what}: {refused[0].reason}")
    return replace(tool, strict=False)


def _patched(value: Any, patch: dict[str, Any]) -> dict[str, Any]:
    patched = dict(value) if type(value) is dict else {}
    for key, item in patch.items():
        if item is None:
            patched.pop(key, None)
        elif type(item) is dict:
            patched[key] = _patched(patched.get(key), item)
        else:
            patched[key] = item
    return patched
