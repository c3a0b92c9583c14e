"""A question to a model that has the tools of any MCP server: a loop by hand, for these tools are known at run time only.

    LLM_MODEL=... LLM_API_KEY=... python -m examples.mcp_client "What is the weather in Oslo?" python -m examples.mcp_server

What follows the question is the command that starts the server, which should be one that you trust: the tools that it says
are read-only run by default, for all others you are asked at the terminal.
"""

from __future__ import annotations

import asyncio
import sys

from mcp import Client, MCPError, StdioServerParameters

from examples.connecting import session
from generated.messages import text_of, tool_calls_of
from generated.models import OpaquePart, Request, ToolCall, ToolDefinition, ToolMessage, ToolResult, UserMessage
from generated.providers import mcp
from generated.sessions import AsyncSession

MAX_TURNS = 10

Tools = list[ToolDefinition | OpaquePart]


async def ask(model: AsyncSession, client: Client, question: str) -> str:
    """Let the model answer, with the tools of a server: its calls are sent there, its results go back."""
    listed = (await client.list_tools()).tools
    wire = [tool.model_dump(by_alias=True, exclude_unset=True, mode="json") for tool in listed]
    tools = mcp.from_tools(wire)
    risky = [tool.name for tool in listed if not (tool.annotations and tool.annotations.read_only_hint)]
    request = Request([UserMessage(question)], tools=tools)
    for _ in range(MAX_TURNS):
        completion = await model.complete(request)
        calls = tool_calls_of(completion.message)
        if completion.finish_reason != "tool_calls":
            return text_of(completion.message)
        results = [await run(client, call, tools, risky) for call in calls]
        request.messages += [completion.message, ToolMessage(results)]
    return "The model had more calls to make than it may."


async def run(client: Client, call: ToolCall, tools: Tools, risky: list[str]) -> ToolResult:
    """Run one call at the server. A tool that fails gives a result; what the server refuses is made one."""
    if call.invalid is not None:
        return ToolResult(call.id, call.name, "error", f"The call was not run: {call.invalid.reason}.")
    keywords = mcp.to_sdk(call)
    if keywords["name"] in risky and not await asyncio.to_thread(allowed, call):
        return ToolResult(call.id, call.name, "error", "The user does not want this call to run.")
    try:
        answer = await client.call_tool(**keywords)
    except MCPError as error:
        return ToolResult(call.id, call.name, "error", error.error.message)
    return mcp.from_tool_result(answer, call.id, call.name, tools=tools)


def allowed(call: ToolCall) -> bool:
    """Ask at the terminal."""
    print(f"{call.name} {call.arguments}\nRun it? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() == "y"


async def main(question: str, command: str, *arguments: str) -> None:
    """Start a server, ask, and print the answer."""
    async with session() as model, Client(StdioServerParameters(command=command, args=list(arguments))) as client:
        print(await ask(model, client, question))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    asyncio.run(main(*sys.argv[1:]))
