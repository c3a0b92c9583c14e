"""The declared tools as an MCP server, and the tools of any MCP server for a run, with the official package."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from typing import Any, NamedTuple, Protocol, TypeVar

from mcp import Client, MCPError, types
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server

from ..models import OpaquePart, ToolCall, ToolDefinition, ToolResult
from ..tools.runnable_tools import RunnableTools
from .calls import HandledTools

__all__ = ["Converters", "RemoteTools", "mcp_server", "remote_tools"]

H = TypeVar("H")
Context = ServerRequestContext[Any]


class Converters(Protocol):
    """The functions of `providers/mcp.py` that a server needs."""

    to_tools: Callable[..., list[Any]]
    from_tool_call: Callable[..., ToolCall]
    to_tool_result: Callable[..., Any]
    from_tools: Callable[..., list[ToolDefinition | OpaquePart]]
    from_tool_result: Callable[..., ToolResult]
    to_sdk: Callable[..., dict[str, Any]]


def mcp_server(
    declared: RunnableTools[H],
    converters: Converters,
    name: str,
    handlers: H,
    names: Collection[str],
    *,
    timeout: float | None,
    version: str,
) -> Server[Any]:
    """Return a server with the declared tools. Its clients are responsible for asking the user before a call.

    Args:
        declared: The declared tools.
        converters: The converters of MCP.
        name: The name of the server.
        handlers: An object with a method for each tool.
        names: Names of the tools to offer. Without names, all tools that are not deprecated.
        timeout: Time limit of each handler, in seconds. None applies the limits that the tools declare.
        version: The version that the server tells its clients.

    Returns:
        The server.

    Raises:
        ValueError: A name is not that of a declared tool.
        TypeError: A tool has no handler.
    """
    tools = HandledTools(declared, handlers, names, timeout)
    offered = converters.to_tools(tools.definitions)
    offered_names = {tool["name"] for tool in offered}

    async def list_tools(context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult.model_validate({"tools": offered})

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """Run a call of the client by its handler."""
        if params.name not in offered_names:
            raise MCPError(types.INVALID_PARAMS, "Unknown tool")  # the specification requires an error here
        call = converters.from_tool_call(params, str(context.request_id))
        return types.CallToolResult.model_validate(converters.to_tool_result(await tools.run_call(call)))

    return Server(name, version=version, on_list_tools=list_tools, on_call_tool=call_tool)


class RemoteTools(NamedTuple):
    """The tools of a server, for a run: `Request(…, tools=remote.tools)` and `run(…, others=remote.others)`."""

    tools: list[ToolDefinition | OpaquePart]
    others: dict[str, Callable[[ToolCall], Awaitable[ToolResult]]]
    read_only: list[str]
    """Names of the tools that the server calls read-only. If you trust the server, pass them as `low_risk`."""
    left_out: list[str]
    """Names on the server of the tools that can only be called as tasks, which a run cannot do."""


async def remote_tools(client: Client, converters: Converters) -> RemoteTools:
    """Return the tools of a server, for a run.

    Args:
        client: A connected client. It has to stay connected while the tools are in use.
        converters: The converters of MCP.

    Returns:
        The definitions of the tools, and functions that call them.
    """
    listed = await _list_tools(client)
    wires = [tool for tool in listed if not _requires_task(tool)]
    tools = converters.from_tools([wire.model_dump(by_alias=True, exclude_unset=True, mode="json") for wire in wires])

    async def call_tool(call: ToolCall) -> ToolResult:
        """Run a call on the server. An error of the protocol becomes the result."""
        try:
            response = await client.call_tool(**converters.to_sdk(call))
        except MCPError as error:
            return ToolResult(call.id, call.name, "error", error.error.message)
        return converters.from_tool_result(response, call.id, call.name, tools=tools)

    names = [
        tool.name if isinstance(tool, ToolDefinition) else wire.name for tool, wire in zip(tools, wires, strict=True)
    ]
    read_only = [
        name
        for name, wire in zip(names, wires, strict=True)
        if wire.annotations is not None and wire.annotations.read_only_hint
    ]
    left_out = [tool.name for tool in listed if _requires_task(tool)]
    return RemoteTools(tools, dict.fromkeys(names, call_tool), read_only, left_out)


def _requires_task(tool: types.Tool) -> bool:
    """Return whether a tool can only be called as a task."""
    return tool.execution is not None and tool.execution.task_support == "required"


async def _list_tools(client: Client) -> list[types.Tool]:
    """Return the tools of all pages of a server's list."""
    tools: list[types.Tool] = []
    cursor: str | None = None
    while True:
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        cursor = page.next_cursor
        if cursor is None:
            return tools
