"""Declarations that stand together in one tool of the wire, between tools of other kinds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...models import OpaquePart, ToolDefinition
from ..conversion.lists import Write
from ..conversion.reader import Reader
from ..conversion.residue import Residue, within
from ..conversion.writer import Writer
from ..paths import Path

__all__ = ["begin_group", "write_grouped"]


def begin_group(entries: Sequence[ToolDefinition], before: Sequence[Any], rest: Residue, reader: Reader) -> None:
    """Mark the first of a tool's declarations, where the tool is not the first with any, or holds more than them."""
    if entries and (rest or any(type(tool) is ToolDefinition for tool in before)):
        first = entries[0]
        first.metadata = reader.metadata({**within(first.metadata or {}, reader.wire.name), "$begins": rest})


def write_grouped(definitions: Sequence[Any], at: Path, writer: Writer, key: str, write: Write) -> list[Any]:
    """Write declarations into one tool under `key`, at the place of the first; one that began a tool begins one again.

    Another provider's tool has no place here, nor one that the API refuses; one of this provider stays between the tools.
    """
    wires: list[Any] = []
    group: list[Any] | None = None
    for i, tool in enumerate(definitions):
        if type(tool) is OpaquePart:
            if tool.provider != writer.wire.name or not writer.takes(tool.value):
                writer.no_place((at, i), "a provider's own tool", "warning")
                continue
            wires.append(tool.value)
            if group is not None and _joins_later(definitions[i + 1 :], writer):
                writer.lost((at, i), "a provider's own tool", "moved", "note", "declarations stand together, before it")
            continue
        rest = within(tool.metadata or {}, writer.wire.name).get("$begins")
        written = write(tool, (at, i), writer)
        if group is None or type(rest) is dict:
            group = []
            wires.append({key: group, **(writer.accepted(rest, ((at, i), "metadata")) if rest else {})})
        group.append(written)
    return wires


def _joins_later(definitions: Sequence[Any], writer: Writer) -> bool:
    following = next((tool for tool in definitions if type(tool) is ToolDefinition), None)
    return following is not None and "$begins" not in within(following.metadata or {}, writer.wire.name)
