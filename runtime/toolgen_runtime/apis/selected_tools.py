"""The tools of a request to an API without a tool choice, which gets only the tools that may be called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..conversion.extras import ABSENT
from ..conversion.request_tools import none_if_empty, write_choice
from ..conversion.values import Write, write_list
from ..conversion.writer import Writer
from ..models import AllowedToolChoice, NamedToolChoice, ToolChoice, ToolDefinition
from ..paths import Path

__all__ = ["write_selected_tools"]


def write_selected_tools(
    tools: Sequence[Any] | None,
    choice: ToolChoice | None,
    at: Path,
    writer: Writer,
    table: Mapping[str, Any],
    write: Write,
) -> list[Any] | Any:
    """Write the tools that the choice allows, each with `write`. ABSENT if there are none to write.

    `at` is the path of the request. A choice that forces a call is a loss of behaviour: `table` has no entry for it. If it
    names a tool, no other one is written.
    """
    choice = none_if_empty(choice)
    allowed = choice.names if type(choice) is AllowedToolChoice else None
    if type(choice) is NamedToolChoice and any(getattr(tool, "name", None) == choice.name for tool in tools or ()):
        allowed = [choice.name]
    excludes_tools = choice == "none" or (type(choice) is AllowedToolChoice and choice.mode != "required")
    if excludes_tools and not tools:
        writer.report_default((at, "toolChoice"), "toolChoice", "the request has no tools")
    elif excludes_tools:
        writer.report_loss((at, "toolChoice"), "toolChoice", "rewritten", "tools that must not be called were left out")
    elif choice is not None:
        write_choice(choice, (at, "toolChoice"), writer, table)
    if not tools:
        return ABSENT if tools is None else write_list(tools, (at, "tools"), writer, write)
    if choice == "none":
        writer.report_loss((at, "tools"), "tools", "dropped", "the model must not call any of them")
        return ABSENT
    if allowed is None:
        return write_list(tools, (at, "tools"), writer, write)

    def write_allowed(tool: Any, path: Path, writer: Writer) -> Any:
        """Write a tool that the choice allows. ABSENT for any other, which is reported."""
        if type(tool) is ToolDefinition and tool.name in allowed:
            return write(tool, path, writer)
        writer.report_loss(path, "a tool", "dropped", "the model must not call it")
        return ABSENT

    return write_list(tools, (at, "tools"), writer, write_allowed)
