"""The declared tools as a server of the Model Context Protocol, on the official package."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Protocol, TypeVar

from mcp import MCPError, types
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server

from ..models import ToolCall
from ..tools.runnable_tools import RunnableTools
from .calls import HandledTools

__all__ = ["Converters", "mcp_server"]

H = TypeVar("H")
Context = ServerRequestContext[Any]


class Converters(Protocol):
    """What `providers/mcp.py` of a package has, as far as a server needs it."""

    to_tools: Callable[..., list[Any]]
    from_tool_call: Callable[..., ToolCall]
    to_tool_result: Callable[..., Any]


def mcp_server(
    declared: RunnableTools[H],
    converters: Converters,
    name: str,
    handlers: H,
    names: Collection[str],
    *,
    timeout: float | None,
) -> Server[Any]:
    """Make a server. Whoever connects to it asks its user before a call; `annotations` of a tool say which are harmless.

    Args:
        declared: the declared tools.
        converters: those of MCP.
        name: the name of the server.
        handlers: an object with a method for each tool.
        names: the tools that are offered; all that are not deprecated where none is named.
        timeout: seconds that a handler may take; None for what each tool declares.

    Raises:
        ValueError: a name is not that of a declared tool.
        TypeError: a tool has no handler.
    """
    tools = HandledTools(declared, handlers, names, timeout)
    offered = converters.to_tools(tools.definitions)
    known = {tool["name"] for tool in offered}

    async def list_tools(context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult.model_validate({"tools": offered})

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in known:
            raise MCPError(types.INVALID_PARAMS, "Unknown tool")  # by the specification an error, and no result
        call = converters.from_tool_call(params, str(context.request_id))
        return types.CallToolResult.model_validate(converters.to_tool_result(await tools.answer(call)))

    return Server(name, on_list_tools=list_tools, on_call_tool=call_tool)
