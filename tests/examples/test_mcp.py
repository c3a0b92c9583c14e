"""The MCP server with the official client, and the client with that server and a model."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters, types

from examples.mcp_server import make_server
from examples.workshop import Workshop
from generated.providers import mcp
from tests.examples.responses import REFUSED, reply
from tests.support.loopback import Loopback
from tests.support.repository import ROOT

pytestmark = pytest.mark.slow

SERVER = StdioServerParameters(command=sys.executable, args=["-W", "error", "-m", "examples.mcp_server"], cwd=str(ROOT))
Use = Callable[[Client], Awaitable[None]]


def used(target: Any, mode: Any, use: Use) -> None:
    async def run() -> None:
        async with Client(target, mode=mode) as client:
            await use(client)

    asyncio.run(run())


@pytest.fixture(params=["program", "auto", "legacy"])
def server(request: pytest.FixtureRequest) -> Callable[[Use], None]:
    """Connects the official client: to the program, and in memory with both revisions of the protocol."""
    if request.param == "program":
        return lambda use: used(SERVER, "auto", use)
    return lambda use: used(make_server(Workshop()), request.param, use)


def text(result: types.CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    return block.text


def test_the_tools_are_listed(server: Callable[[Use], None]) -> None:
    async def use(client: Client) -> None:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(listed) == {tool["name"] for tool in mcp.TOOLS} - {"run_query"}
        assert listed["weather.get"].input_schema["required"] == ["city"]
        annotations = listed["write_file"].annotations
        assert annotations is not None
        assert annotations.destructive_hint is True

    server(use)


def test_calls_give_values_and_texts(server: Callable[[Use], None]) -> None:
    async def use(client: Client) -> None:
        forecast = await client.call_tool("weather.get", {"city": "Lima", "unit": "fahrenheit"})
        assert (forecast.structured_content, forecast.is_error) == ({"place": "Lima", "temperature": 66.2}, False)
        zones = await client.call_tool("list_time_zones")
        assert zones.structured_content is not None
        assert "Europe/Oslo" in zones.structured_content["result"]
        await client.call_tool("write_file", {"path": "a.txt", "content": "one\ntwo\n"})
        assert text(await client.call_tool("read_file", {"path": "a.txt", "start_line": 2})) == "two\n"

    server(use)


def test_what_the_model_did_wrong_is_a_result_that_says_it(server: Callable[[Use], None]) -> None:
    async def use(client: Client) -> None:
        unfit = await client.call_tool("weather.get", {"city": 5})
        assert unfit.is_error
        assert unfit.structured_content is None
        assert "/city" in text(unfit)
        failed = await client.call_tool("weather.get", {"city": "Nowhere"})
        assert failed.is_error
        assert text(failed) == "No weather station there. There are stations in Oslo, Lagos, Lima."

    server(use)


@pytest.mark.parametrize("name", ["no_such_tool", "run_query", "get_weather"])
def test_a_tool_that_is_not_offered_is_an_error(server: Callable[[Use], None], name: str) -> None:
    async def use(client: Client) -> None:
        with pytest.raises(MCPError) as caught:
            await client.call_tool(name, {})
        assert caught.value.error.code == types.INVALID_PARAMS

    server(use)


COMMAND = (sys.executable, "-m", "examples.mcp_server")
Example = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.parametrize("provider", ["anthropic", "openai_responses"])
def test_the_client_lets_a_model_use_the_server(
    example: Example, environment: dict[str, str], upstream: Loopback, provider: str
) -> None:
    environment["LLM_INTERFACE"] = provider
    calls = (("get_weather", {"city": "Oslo"}), ("no_such_tool", {}), ("get_weather", {}))
    upstream.replies.extend([reply(provider, *calls), reply(provider, "It is cold.")])
    done = example("mcp_client", "Weather?", *COMMAND)
    assert (done.stdout, done.stderr, done.returncode) == ("It is cold.\n", "", 0)
    first, second = (sent.body for sent in upstream.heard)
    assert len(first["tools"]) == len(mcp.TOOLS) - 1
    sent = str(second)
    assert [word in sent for word in ("4.0", "Unknown tool", "/city")] == [True] * 3


@pytest.mark.parametrize(("typed", "ran"), [("y\n", True), ("n\n", False), ("", False)])
def test_the_client_asks_before_a_call_that_is_not_harmless(
    example: Example, upstream: Loopback, typed: str, ran: bool
) -> None:
    write = ("write_file", {"path": "a.txt", "content": "x"})
    upstream.replies.extend([reply("anthropic", write), reply("anthropic", "Well.")])
    done = example("mcp_client", "Write.", *COMMAND, typed=typed)
    assert (done.returncode, "write_file" in done.stderr) == (0, True)
    assert ('"characters"' in str(upstream.heard[1].body)) == ran


def test_the_client_says_how_it_is_called(example: Example) -> None:
    done = example("mcp_client", "Weather?")
    assert done.returncode == 1
    assert "python -m examples.mcp_client" in done.stderr


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["no-such-server"], "The server cannot be started: there is no program no-such-server\n"),
        (["/no/such/python", "server.py"], "The server cannot be started: there is no program /no/such/python\n"),
        ([sys.executable, "-c", "pass"], "The server does not serve: Connection closed\n"),
    ],
)
def test_a_server_that_does_not_start_is_told(example: Example, command: list[str], message: str) -> None:
    done = example("mcp_client", "Weather?", *command)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", message)


def test_what_the_api_refuses_is_told(example: Example, upstream: Loopback) -> None:
    upstream.replies.append(REFUSED)
    done = example("mcp_client", "Weather?", *COMMAND)
    assert (done.returncode, done.stderr) == (1, "anthropic: invalid_request (status 400): no such model\n")


def test_a_host_starts_the_server_from_any_folder_as_the_readme_says(tmp_path: Path) -> None:
    (text,) = re.findall(r"```json\n(.*?)```", (ROOT / "examples" / "README.md").read_text("utf-8"), re.DOTALL)
    started = json.loads(
        text.replace("/path/to/checkout/.venv/bin/python", sys.executable).replace("/path/to/checkout", str(ROOT))
    )
    server = StdioServerParameters(**started["mcpServers"]["workshop"], cwd=str(tmp_path))

    async def use(client: Client) -> None:
        assert "weather.get" in [tool.name for tool in (await client.list_tools()).tools]

    used(server, "auto", use)
