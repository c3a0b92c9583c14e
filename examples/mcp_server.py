"""The declared tools as a server of the Model Context Protocol, over standard input and output.

    python -m examples.mcp_server

It needs no model and no key. A program that has both starts it, such as an editor, a desktop app or `examples/mcp_client.py`.
That program also asks its user before a call; `annotations` tell it which tools are harmless.
"""

from __future__ import annotations

import asyncio
from typing import Any

from mcp import MCPError, types
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from examples.workshop import Workshop
from generated.providers import mcp
from generated.tools import DEFINITIONS, DEPRECATED, Handlers, dispatch

OFFERED = mcp.to_tools([tool for name, tool in DEFINITIONS.items() if name not in DEPRECATED])
"""The declared tools without the deprecated ones; `mcp.TOOLS` contains all."""

Context = ServerRequestContext[Any]


def make_server(handlers: Handlers) -> Server[Any]:
    """Create the server. If a handler is missing, type checkers and the first call report it."""

    async def list_tools(context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult.model_validate({"tools": OFFERED})

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in [tool["name"] for tool in OFFERED]:
            raise MCPError(
                types.INVALID_PARAMS, "Unknown tool"
            )  # the specification demands an error here instead of a result
        call = mcp.from_tool_call(params, str(context.request_id))
        # Invalid arguments and failed handlers give error results, so the model can correct its call.
        result = await dispatch(call, handlers, timeout=60)
        return types.CallToolResult.model_validate(mcp.to_tool_result(result))

    return Server("workshop", on_list_tools=list_tools, on_call_tool=call_tool)


async def main() -> None:
    """Serve until the input ends."""
    server = make_server(Workshop())
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main())
