"""The tools on offer, on a wire that has no tool choice: what may not be called is not offered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...models import AllowedToolChoice, ToolChoice, ToolDefinition
from ..conversion.lists import write_list
from ..conversion.residue import ABSENT
from ..conversion.writer import Writer
from ..paths import Path
from . import choices

__all__ = ["offered_kind", "write_offer"]

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
