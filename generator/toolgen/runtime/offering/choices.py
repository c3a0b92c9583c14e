"""Tool choice by a table of the profile: one row for each form that the format knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT, Residue, restore
from ..conversion.writer import Writer
from ..errors import ConversionError
from ..models import AllowedToolChoice, NamedToolChoice, ToolChoice
from ..paths import Path, spelled

__all__ = ["UNSAID", "fill", "match", "read", "write"]


def fill(pattern: Any, mode: str, names: list[str]) -> Any:
    """The value that a pattern stands for."""
    if type(pattern) is dict:
        return {key: fill(value, mode, names) for key, value in pattern.items()}
    if type(pattern) is list and len(pattern) == 1 and _holds(pattern[0]):
        return [fill(pattern[0], mode, [name]) for name in names]
    if pattern == "$mode":
        return mode
    if pattern == "$name":
        return names[0]
    return pattern


def match(pattern: Any, value: Any) -> tuple[str | None, list[str], Residue] | None:
    """Mode, names, and the keys beside the pattern's; None where the value is something else."""
    found: dict[str, list[str]] = {"$mode": [], "$name": []}
    rest = _match(pattern, value, found)
    if rest is ABSENT:
        return None
    return found["$mode"][0] if found["$mode"] else None, found["$name"], rest


def _holds(pattern: Any) -> bool:
    if type(pattern) is dict:
        return any(map(_holds, pattern.values()))
    return bool(pattern == "$name")


def _match(pattern: Any, value: Any, found: dict[str, list[str]]) -> Any:
    if type(pattern) is dict:
        if type(value) is not dict:
            return ABSENT
        rest = {key: item for key, item in value.items() if key not in pattern}
        for key, inner in pattern.items():
            left = _match(inner, value.get(key, ABSENT), found)
            if left is ABSENT:
                return ABSENT
            if left:
                rest[key] = left
        return rest
    if type(pattern) is list and len(pattern) == 1 and _holds(pattern[0]):
        if type(value) is not list or any(_match(pattern[0], item, found) != {} for item in value):
            return ABSENT
        return {}
    if pattern in ("$mode", "$name"):
        if type(value) is not str:
            return ABSENT
        found[pattern].append(value)
        return {}
    return {} if type(value) is type(pattern) and value == pattern else ABSENT


UNSAID = "$absent"
"""The row of a choice that is said by leaving it out."""

_CHOICES: tuple[Literal["auto", "none", "required"], ...] = ("auto", "none", "required")


def read(value: Any, reader: Reader, table: Mapping[str, Any]) -> tuple[ToolChoice | None, Any]:
    """Read a choice; one that no row of the table fits gives None and is kept."""
    table = {form: row for form, row in table.items() if row != UNSAID}
    for word in _CHOICES:
        if word in table and type(value) is type(table[word]) and value == table[word]:
            return word, ABSENT
    if type(value) is str and value in table.get("also", {}):
        return table["also"][value], {"$whole": value}
    if "named" in table and (found := match(table["named"], value)) and len(found[1]) == 1:
        _, names, rest = found
        return NamedToolChoice(reader.tool_name(names[0]), reader.metadata(rest)), ABSENT
    words = _words(table)
    if "allowed" in table and (found := match(table["allowed"], value)) and found[1]:
        known = [reader.tool_name(name) for name in found[1]]
        for mode in ("auto", "required"):
            if found[0] == words[mode]:
                return AllowedToolChoice(known, mode, reader.metadata(found[2])), ABSENT
    for word in _CHOICES:
        if word in table and match(table[word], value):
            return word, {"$whole": value}
    return None, value


def _words(table: Mapping[str, Any]) -> Mapping[str, str]:
    """The wire's words for whether a call may or must be made."""
    return {"auto": "auto", "required": "required", **table.get("modes", {})}


def write(choice: ToolChoice, kept: Any, at: Path, writer: Writer, table: Mapping[str, Any]) -> Any:
    """Write a choice; one that the table has no row for is a loss of behaviour, but `auto` is what silence means.

    Raises:
        ConversionError: it names a tool that this provider may not get, or the loss was not allowed.
    """
    row: str
    mode: str
    if type(choice) is NamedToolChoice:
        row, mode, names, own = "named", "required", [choice.name], writer.own(choice.metadata, at)
    elif type(choice) is AllowedToolChoice:
        row, mode, names, own = (
            "allowed",
            choice.mode or "auto",
            choice.names,
            writer.own(choice.metadata, at),
        )
    else:
        row, mode, names, own = str(choice), "", [], {}
    refused = writer.wire.refused.intersection(names)
    if refused:
        raise ConversionError(spelled(at), f"names a tool that is not offered to {writer.wire.title}")
    if row not in table:
        if row == "auto":
            return ABSENT
        writer.lost(at, "toolChoice", "dropped", "behaviour", f"{writer.wire.title} has no such choice")
        return ABSENT
    if table[row] == UNSAID:
        writer.lost(at, "toolChoice", "defaulted", "note", "it is so unasked")
        return ABSENT
    spelling = [writer.tool_name(name, (at, "name")) for name in names]
    if row == choice and type(kept) is dict:
        whole = kept.get("$whole")
        if match(table[row], whole) or (type(whole) is str and table.get("also", {}).get(whole) == row):
            return whole
    written = fill(table[row], _words(table).get(mode, mode), spelling)
    if type(written) is str and names and any(written == table.get(word) for word in _CHOICES):
        writer.lost(at, "toolChoice", "dropped", "behaviour", f"{writer.wire.title} takes this name for a choice")
        return ABSENT
    if row == "allowed" and len(names) == 1 and match(table.get("named"), written):
        writer.lost(at, "toolChoice", "rewritten", "note", "the one tool that must be called is named")
    if own and type(written) is dict:
        restore(written, own)
    return written
