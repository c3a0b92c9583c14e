"""Tools as they are offered: named, lowered, with what their declarations say of one wire."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from operator import attrgetter
from typing import Any

from ..conversion.cache import from_bytes, to_bytes
from ..conversion.residue import ABSENT, within
from ..conversion.values import write_list
from ..conversion.writer import Writer
from ..json_texts.text import is_json
from ..models import AllowedToolChoice, ToolChoice, ToolDefinition
from ..paths import Path
from . import choices

__all__ = ["offered_kind", "write_offer", "write_offered"]

Write = Callable[[Any, Path, Writer], Any]


def write_offer(
    tools: Sequence[Any] | None,
    choice: ToolChoice | None,
    at: Path,
    writer: Writer,
    table: Mapping[str, Any],
    write: Write,
) -> list[Any] | Any:
    """Write the tools that the choice leaves, each with `write`; ABSENT where there are none to write.

    `at` is the place of the request. A choice that forces a call is a loss of behaviour, for the wire has no row for it
    in `table`.
    """
    allowed = choice.names if type(choice) is AllowedToolChoice else None
    if choice == "none" or (type(choice) is AllowedToolChoice and choice.mode != "required"):
        writer.lost((at, "toolChoice"), "toolChoice", "rewritten", "note", "tools that may not be called are left out")
    elif choice is not None:
        choices.write(choice, ABSENT, (at, "toolChoice"), writer, table)
    if tools is None:
        return ABSENT
    if choice == "none":
        writer.lost((at, "tools"), "tools", "dropped", "note", "none of them may be called")
        return ABSENT
    if allowed is None:
        return write_list(tools, (at, "tools"), writer, write)

    def write_allowed(tool: Any, place: Path, writer: Writer) -> Any:
        if type(tool) is ToolDefinition and tool.name in allowed:
            return write(tool, place, writer)
        writer.lost(place, "a tool", "dropped", "note", "it may not be called")
        return ABSENT

    return write_list(tools, (at, "tools"), writer, write_allowed)


def offered_kind(tool: dict[str, Any]) -> str | None:
    """What a tool is: `function` where it holds one and says nothing else of its type; None for any other."""
    said = tool.get("type", "function")
    return "function" if said == "function" and type(tool.get("function")) is dict else None


OfferedWrite = Callable[[Any, Path, Writer], Any]

_facts_of = attrgetter(*(field.name for field in fields(ToolDefinition)))


def write_offered(tool: Any, at: Path, writer: Writer, write: OfferedWrite) -> Any:
    """Write a tool. What its declaration says of this provider is in its metadata, and comes last.

    `$description` stands for the description, `$patch` is a merge patch (RFC 7396) on the entry. What the declaration
    says of the tool for any wire that has a key for it is under `declaration`. An entry that lost nothing on the way is
    remembered: what is sent with every request is written once.

    Raises:
        ConversionError: the declaration leaves this provider out, and that was not to be weakened.
    """
    if type(tool) is not ToolDefinition:
        return write(tool, at, writer)
    wire, facts, spent = writer.wire, _facts_of(tool), writer.spent
    key = to_bytes(facts)
    known = wire.entries.get(key)
    if known is not None and not wire.lowerings.over(known[1], spent):
        for what, count in known[1].items():
            spent[what] = spent.get(what, 0) + count
        return from_bytes(known[0])
    before, losses = dict(spent), writer.losses
    entry, alike = _written(tool, at, writer, write)
    renamed = writer.names.get(tool.name, tool.name) != tool.name and tool.name not in wire.names  # told once a request
    if alike and not renamed and writer.losses == losses and is_json(entry) and is_json(list(facts)):
        wanted = {what: count - before.get(what, 0) for what, count in spent.items() if count != before.get(what, 0)}
        copy = to_bytes(entry)
        if copy is not None:
            wire.entries.put(key, (copy, wanted), len(copy))
            return from_bytes(copy)
    return entry


def _written(tool: ToolDefinition, at: Path, writer: Writer, write: OfferedWrite) -> tuple[Any, bool]:
    """Write a tool, and say whether it would be the same beside any other tools.

    Raises:
        ConversionError: the declaration leaves this provider out, and that was not to be weakened.
    """
    if tool.name in writer.wire.refused:
        writer.lost(at, "a tool", "dropped", "behaviour", f"its declaration leaves out {writer.wire.title}")
        return ABSENT, False
    own = writer.kept(tool.metadata)
    said = within(tool.metadata or {}, "declaration")
    writer.known = "$strict" in said
    settled = _settled(tool, at, writer)
    if type(own.get("$description")) is str:
        settled = replace(settled, description=own["$description"])
    entry = write(settled, at, writer)
    writer.known = False
    for name, key in writer.wire.declared_keys.items():
        if f"${name}" in said and type(entry) is dict:
            entry = {**entry, key: said[f"${name}"]}
    patch = within(own, "$patch")
    if patch and type(entry) is dict:
        entry = _patched(entry, patch)
    return entry, settled.strict == tool.strict or settled.strict is True or not _crowded_out(tool, writer)


def _crowded_out(tool: ToolDefinition, writer: Writer) -> bool:
    """Whether a tool would be strict, had the tools before it left it room."""
    return bool(writer.wire.lowerings.settled(tool.parameters, {})[0])


def _settled(tool: ToolDefinition, at: Path, writer: Writer) -> ToolDefinition:
    """A tool with `strict` settled for this wire.

    Raises:
        ConversionError: its schema cannot be strict here, and that was not to be weakened.
    """
    strict = writer.wire.strictness(tool, writer.spent)
    if strict == tool.strict:
        return tool
    if tool.strict:
        refused = writer.wire.refusals(tool)
        writer.lost((at, "strict"), "strict", "dropped", "behaviour", f"{refused[0].what}: {refused[0].reason}")
        writer.loosened.add(tool.name)
    return replace(tool, strict=strict)


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
