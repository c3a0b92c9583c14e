"""Ask a model that can use the tools of any MCP server. The loop is written by hand, because these tools are known only at run time.

    LLM_MODEL=... LLM_API_KEY=... python -m examples.mcp_client "What is the weather in Oslo?" python -m examples.mcp_server

After the question comes the command that starts the server. Use a server that you trust: tools that it calls read-only run
without asking. For all others you are asked at the terminal.
"""

from __future__ import annotations

import asyncio
import shutil
import sys

from mcp import Client, MCPError, StdioServerParameters

from examples.connection import session
from generated.errors import ConversionError
from generated.messages import text_of, tool_calls_of
from generated.models import OpaquePart, Request, ToolCall, ToolDefinition, ToolMessage, ToolResult, UserMessage
from generated.providers import mcp
from generated.sessions import AsyncSession, SessionError

MAX_TURNS = 10

Tools = list[ToolDefinition | OpaquePart]


async def ask(model: AsyncSession, client: Client, question: str) -> str:
    """Let the model use the tools of a server: send its calls to the server, and the results to the model."""
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
    return "The model wanted to make more calls than it may."


async def run(client: Client, call: ToolCall, tools: Tools, risky: list[str]) -> ToolResult:
    """Run one call on the server. A call that the server refuses gives an error result."""
    if call.invalid is not None:
        return ToolResult(call.id, call.name, "error", f"The call was not run: {call.invalid.reason}.")
    keywords = mcp.to_sdk(call)
    if keywords["name"] in risky and not await asyncio.to_thread(allowed, call):
        return ToolResult(call.id, call.name, "error", "The user does not want this call to run.")
    try:
        returned = await client.call_tool(**keywords)
    except MCPError as error:
        return ToolResult(call.id, call.name, "error", error.error.message)
    return mcp.from_tool_result(returned, call.id, call.name, tools=tools)


def allowed(call: ToolCall) -> bool:
    """Ask the user at the terminal."""
    print(f"{call.name} {call.arguments}\nRun it? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() == "y"


async def main(question: str, command: str, *arguments: str) -> int:
    """Start a server, ask, and print the reply, or why there is none."""
    try:
        async with session() as model, Client(StdioServerParameters(command=command, args=list(arguments))) as client:
            print(await ask(model, client, question))
    except Exception as error:  # noqa: BLE001 - the clients of the model and of the server may raise anything
        for reason in reasons(error):
            print(reason, file=sys.stderr)
        return 1
    return 0


def reasons(error: Exception) -> list[str]:
    """Return why there is no reply. The client of the server raises groups of exceptions."""
    if isinstance(error, ExceptionGroup):
        return [reason for inner in error.exceptions for reason in reasons(inner)]
    if isinstance(error, MCPError):
        return [f"The server does not serve: {error.error.message}"]
    return [str(error) if isinstance(error, (SessionError, ConversionError)) else f"No answer: {type(error).__name__}"]


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if shutil.which(sys.argv[2]) is None:
        sys.exit(f"The server cannot be started: there is no program {sys.argv[2]}")
    sys.exit(asyncio.run(main(*sys.argv[1:])))
