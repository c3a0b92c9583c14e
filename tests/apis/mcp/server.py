"""A server of the Model Context Protocol whose tools are the declared ones."""

from __future__ import annotations

from typing import Any

from mcp import MCPError, types
from mcp.server import Server

from tests.support.generated import Package

PROVIDER = "mcp"


VALUES: dict[str, tuple[str, Any]] = {
    "get_weather": ("data", {"degrees": 7.5, "sky": "rain"}),
    "primes": ("data", [2, 3, 5]),
    "greet": ("text", "Hello, Ada"),
    "tree": ("data", ["a", ["b", "c"]]),
    "find": ("data", {"result": 1}),
    "measure": ("data", {"result": 1.5}),
    "anything": ("data", None),
    "draw": (
        "multimodal",
        [{"type": "text", "text": "A dot:"}, {"type": "image", "data": "AA==", "mediaType": "image/png"}],
    ),
    "fail": ("error", "out of paper"),
}


def server_of(package: Package) -> Server[Any]:
    """A server of the declared tools; each gives its value."""
    module, models = package.provider(PROVIDER), package.module("models")

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool.model_validate(tool) for tool in module.TOOLS])

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        call = module.from_tool_call(params, str(context.request_id))
        if call.name not in VALUES:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {call.name}")
        package.module("tools").parse_arguments(call.name, call.arguments)
        kind, value = VALUES[call.name]
        result = {"toolCallId": call.id, "name": call.name, "kind": kind, "value": value}
        return types.CallToolResult.model_validate(module.to_tool_result(models.load(models.ToolResult, result)))

    return Server("declared", on_list_tools=list_tools, on_call_tool=call_tool)
