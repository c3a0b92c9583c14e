"""What the choice among tools leaves: those that may be called, for an answer and for the rest of a run.

`none` and a list of names say what may be called at all, so they hold for every answer of a run. `required` and a tool that is
named force a call; that holds for one answer, for it would force calls for ever.
"""

from __future__ import annotations

from dataclasses import replace

from ...models import (
    AllowedToolChoice,
    NamedToolChoice,
    OpaquePart,
    Request,
    ToolChoice,
    ToolDefinition,
)

__all__ = ["callable_names", "callable_tools", "unforced"]


def callable_tools(request: Request) -> list[ToolDefinition | OpaquePart]:
    """The tools of a request that its answer may call; a provider's own tools are none of a list of names."""
    tools, choice = request.tools or [], request.tool_choice
    if choice == "none":
        return []
    if isinstance(choice, NamedToolChoice):
        names = [choice.name]
    elif isinstance(choice, AllowedToolChoice):
        names = choice.names
    else:
        return list(tools)
    return [tool for tool in tools if isinstance(tool, ToolDefinition) and tool.name in names]


def callable_names(request: Request) -> list[str]:
    """The names of the app's own tools among them."""
    return [tool.name for tool in callable_tools(request) if isinstance(tool, ToolDefinition)]


def unforced(choice: ToolChoice | None) -> ToolChoice | None:
    """The choice of all answers behind the first one: it allows what it allowed, and forces nothing."""
    if isinstance(choice, AllowedToolChoice):
        return replace(choice, mode="auto") if choice.mode == "required" else choice
    return choice if choice in (None, "auto", "none") else "auto"
