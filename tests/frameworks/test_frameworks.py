"""The declared tools in other frameworks: their own runners, with scripted models, call the handlers."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from agents import Agent as OpenAIAgent
from agents import OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from mcp import Client, MCPError
from openai import AsyncOpenAI
from pydantic_ai import Agent, BinaryContent, DeferredToolRequests, DeferredToolResults, ToolDenied
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from tests.support.commands import toolgen
from tests.support.exchanges import whole
from tests.support.generated import Package, compiled, write_project
from tests.support.loopback import Loopback

FRAMEWORKS = ("langchain", "mcp", "openai_agents", "pydantic_ai")

TOOLS: tuple[dict[str, Any], ...] = (
    {
        "name": "get_weather",
        "description": "The weather in a city.",
        "risk": "low",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "config": {"type": "integer"}, "self": {"type": "string"}},
            "required": ["city"],
        },
        "providers": {"mcp": {"name": "weather.get"}},
    },
    {"name": "take-photo", "description": "Takes a photo.", "risk": "low"},
    {"name": "delete_file", "description": "Deletes a file.", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}},
    {"name": "old", "description": "The former one.", "deprecated": True, "risk": "low"},
)  # fmt: skip

PIXEL = "iVBORw0KGgo="


class App:
    """Handlers that say what they were given."""

    def __init__(self, models: Any) -> None:
        self.models = models
        self.deleted: list[str] = []

    def get_weather(self, args: Any) -> dict[str, Any]:
        if args.city == "Atlantis":
            raise ValueError("no such place")
        return {"city": args.city, "config": args.config}

    async def take_photo(self, args: Any) -> list[Any]:
        return [self.models.TextPart("Here:"), self.models.ImagePart(data=PIXEL, media_type="image/png")]

    def delete_file(self, args: Any) -> str:
        self.deleted.append(args.path)
        return f"deleted {args.path}"

    def old(self, args: Any) -> None:
        raise AssertionError


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Package:
    folder = tmp_path_factory.mktemp("frameworks")
    schemas = write_project(folder, TOOLS, {}, ("openai_chat", "mcp"))
    config = {"providers": ["openai_chat", "mcp"], "frameworks": list(FRAMEWORKS)}
    (schemas / "toolgen.yaml").write_text(json.dumps(config), "utf-8")
    return Package(compiled(schemas), folder)


@pytest.fixture
def app(package: Package) -> App:
    return App(package.module("models"))


def scripted(*responses: list[Any]) -> FunctionModel:
    """A model of Pydantic AI that gives these responses, whatever it is told."""
    remaining = list(responses)

    def respond(messages: list[Any], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=remaining.pop(0))

    return FunctionModel(respond)


def called(name: str, arguments: Any, id: str = "c1") -> ToolCallPart:
    return ToolCallPart(name, arguments, id)


def test_pydantic_ai_runs_the_handlers(package: Package, app: App) -> None:
    tools = package.module("frameworks.pydantic_ai").tools(app)
    assert [(tool.name, tool.requires_approval) for tool in tools] == [
        ("delete_file", True),
        ("get_weather", False),
        ("take-photo", False),
    ]
    calls = [
        called("get_weather", {"city": "Oslo", "config": 3, "self": "x"}, "c1"),
        called("get_weather", {"city": 7}, "c2"),
        called("get_weather", '{"city": "Atlantis"}', "c3"),
        called("take-photo", {}, "c4"),
    ]
    agent = Agent(scripted(calls, [TextPart("done")]), tools=tools)
    result = asyncio.run(agent.run("?"))
    (request,) = [
        m for m in result.all_messages() if isinstance(m, ModelRequest) and isinstance(m.parts[0], ToolReturnPart)
    ]
    parts = {part.tool_call_id: part for part in request.parts if isinstance(part, ToolReturnPart)}
    assert parts["c1"].content == {"city": "Oslo", "config": 3}
    assert ("/city" in str(parts["c2"].content), parts["c2"].outcome) == (True, "failed")
    assert ("ValueError" in str(parts["c3"].content), parts["c3"].outcome) == (True, "failed")
    shown = [parts["c4"].content, *(part.content for part in request.parts if isinstance(part, UserPromptPart))]
    assert any(
        isinstance(each, BinaryContent)
        for content in shown
        for each in (content if isinstance(content, list) else [content])
    )
    assert result.output == "done"


def test_pydantic_ai_asks_before_a_risky_call(package: Package, app: App) -> None:
    tools = package.module("frameworks.pydantic_ai").tools(app, "delete_file")
    risky = [called("delete_file", {"path": "a"}, "c1"), called("delete_file", {"path": "b"}, "c2")]
    agent: Any = Agent(scripted(risky, [TextPart("done")]), tools=tools, output_type=[str, DeferredToolRequests])
    asked = asyncio.run(agent.run("?"))
    assert [call.tool_call_id for call in asked.output.approvals] == ["c1", "c2"]
    assert app.deleted == []
    verdicts = DeferredToolResults(approvals={"c1": True, "c2": ToolDenied("no")})
    done = asyncio.run(agent.run(message_history=asked.all_messages(), deferred_tool_results=verdicts))
    assert (done.output, app.deleted) == ("done", ["a"])
    assert not package.module("frameworks.pydantic_ai").tools(app, approval=False)[0].requires_approval


class Scripted(GenericFakeChatModel):
    """A model of LangChain that gives these responses, whatever it is told."""

    def bind_tools(self, tools: Any, **more: Any) -> Any:
        return self


def lang_call(name: str, arguments: Any, id: str) -> Any:
    return {"name": name, "args": arguments, "id": id, "type": "tool_call"}


@pytest.mark.parametrize("later", [False, True])
def test_langchain_runs_the_handlers(package: Package, app: App, later: bool) -> None:
    tools = package.module("frameworks.langchain").tools(app)
    calls = [
        lang_call("get_weather", {"city": "Oslo", "config": 3, "self": "x"}, "c1"),
        lang_call("get_weather", {"city": 7}, "c2"),
        lang_call("take-photo", {}, "c3"),
    ]
    model = Scripted(messages=iter([AIMessage(content="", tool_calls=calls), AIMessage(content="done")]))
    agent = create_agent(model, tools)
    state = {"messages": [{"role": "user", "content": "?"}]}
    result = asyncio.run(agent.ainvoke(state)) if later else agent.invoke(state)  # type: ignore[call-overload]
    results = {m.tool_call_id: m for m in result["messages"] if isinstance(m, ToolMessage)}
    assert json.loads(str(results["c1"].content)) == {"city": "Oslo", "config": 3}
    assert results["c1"].artifact.value == {"city": "Oslo", "config": 3}
    assert ("/city" in str(results["c2"].content), results["c2"].status) == (True, "error")
    assert results["c3"].content == [
        {"type": "text", "text": "Here:"},
        {"type": "image", "base64": PIXEL, "mime_type": "image/png"},
    ]
    assert result["messages"][-1].content == "done"
    shape = tools[1].tool_call_schema
    assert {key: shape[key] for key in ("type", "properties", "required")} == TOOLS[0]["parameters"]


def test_langchain_asks_before_a_risky_call(package: Package, app: App) -> None:
    module = package.module("frameworks.langchain")
    assert module.APPROVALS == {"delete_file": True}
    calls = [lang_call("delete_file", {"path": "a"}, "c1")]
    model = Scripted(messages=iter([AIMessage(content="", tool_calls=calls), AIMessage(content="done")]))
    asking: Any = HumanInTheLoopMiddleware(interrupt_on=module.APPROVALS)
    agent: Any = create_agent(model, module.tools(app), middleware=[asking], checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "1"}}
    assert "__interrupt__" in agent.invoke({"messages": [("user", "?")]}, thread)
    assert app.deleted == []
    done = agent.invoke(Command(resume={"decisions": [{"type": "approve"}]}), thread)
    assert (done["messages"][-1].content, app.deleted) == ("done", ["a"])


def chat(**message: Any) -> Any:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
    return whole({"id": "r", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]})


def chat_call(name: str, arguments: str, id: str) -> Any:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


@asynccontextmanager
async def openai_agent(server: Loopback, tools: Any) -> AsyncIterator[OpenAIAgent[Any]]:
    set_tracing_disabled(True)
    async with AsyncOpenAI(base_url=server.address, api_key="none") as client:
        yield OpenAIAgent(name="A", tools=tools, model=OpenAIChatCompletionsModel("m", client))


def test_the_agents_sdk_runs_the_handlers(package: Package, app: App) -> None:
    server = Loopback()
    calls = [
        chat_call("get_weather", '{"city": "Oslo", "config": 3}', "c1"),
        chat_call("get_weather", '{"city": 7}', "c2"),
        chat_call("get_weather", '{"city', "c3"),
    ]
    server.replies += [chat(content=None, tool_calls=calls), chat(content="done")]
    tools = package.module("frameworks.openai_agents").tools(app, "get_weather", "take-photo")

    async def main() -> Any:
        async with openai_agent(server, tools) as agent:
            return await Runner.run(agent, "?")

    done = asyncio.run(main())
    sent = {m["tool_call_id"]: m["content"] for m in server.heard[1].body["messages"] if m["role"] == "tool"}
    assert json.loads(sent["c1"]) == {"city": "Oslo", "config": 3}
    assert "/city" in sent["c2"]
    assert "JSON" in sent["c3"]
    assert done.final_output == "done"
    offered = {tool["function"]["name"]: tool["function"] for tool in server.heard[0].body["tools"]}
    assert offered["get_weather"]["parameters"] == {"type": "object", **TOOLS[0]["parameters"]}
    server.close()


def test_the_agents_sdk_asks_before_a_risky_call(package: Package, app: App) -> None:
    server = Loopback()
    calls = [chat_call("delete_file", '{"path": "a"}', "c1")]
    server.replies += [chat(content=None, tool_calls=calls), chat(content="done")]
    tools = package.module("frameworks.openai_agents").tools(app)

    async def main() -> Any:
        async with openai_agent(server, tools) as agent:
            held = await Runner.run(agent, "?")
            assert (len(held.interruptions), app.deleted) == (1, [])
            state = held.to_state()
            state.approve(held.interruptions[0])
            return await Runner.run(agent, state)

    assert (asyncio.run(main()).final_output, app.deleted) == ("done", ["a"])
    server.close()


def test_a_server_of_mcp_offers_the_tools(package: Package, app: App) -> None:
    async def main() -> None:
        async with Client(package.module("frameworks.mcp").server("probe", app)) as client:
            listed = (await client.list_tools()).tools
            assert [tool.name for tool in listed] == ["delete_file", "weather.get", "take-photo"]
            good = await client.call_tool("weather.get", {"city": "Oslo", "config": 3})
            assert (good.structured_content, good.is_error) == ({"city": "Oslo", "config": 3}, False)
            assert (await client.call_tool("weather.get", {"city": 7})).is_error
            photo = await client.call_tool("take-photo", {})
            assert [block.type for block in photo.content] == ["text", "image"]
            with pytest.raises(MCPError):
                await client.call_tool("old", {})

    asyncio.run(main())


def test_a_run_has_the_tools_of_a_server(package: Package, app: App, tmp_path: Path) -> None:
    far = (
        {
            "name": "far_weather",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
            "annotations": {"readOnlyHint": True},
        },
        {"name": "far_delete"},
    )
    schemas = write_project(tmp_path, far, {}, ("mcp",))
    (schemas / "toolgen.yaml").write_text('{"providers": ["mcp"], "frameworks": ["mcp"]}', "utf-8")
    far_package = Package(compiled(schemas), tmp_path)

    class Far:
        def far_weather(self, args: Any) -> Any:
            if args.city == "Atlantis":
                raise ValueError
            return {"city": args.city}

        def far_delete(self, args: Any) -> Any:
            return "deleted"

    module, models, running = (package.module(name) for name in ("frameworks.mcp", "models", "running"))
    calls = [
        models.ToolCall("c1", "far_weather", {"city": "Oslo"}),
        models.ToolCall("c2", "far_weather", {"city": "Atlantis"}),
        models.ToolCall("c3", "far_delete", {}),
    ]
    session = package.module("sessions").AsyncScriptedSession([calls, "Done."])

    def review(call: Any, arguments: Any) -> Any:
        return running.Deny("no")

    async def main() -> Any:
        async with Client(far_package.module("frameworks.mcp").server("far", Far())) as client:
            remote = await module.remote_tools(client)
            assert (sorted(remote.others), remote.read_only) == (["far_delete", "far_weather"], ["far_weather"])
            request = models.Request([models.UserMessage("?")], tools=remote.tools)
            return await running.arun(
                session, request, app, others=remote.others, low_risk=remote.read_only, review=review
            )

    result = asyncio.run(main())
    first, second, third = (each for m in result.messages if m.role == "tool" for each in m.results)
    assert (first.kind, first.value) == ("data", {"city": "Oslo"})
    assert (second.kind == "error" or second.is_error) is True
    assert (third.kind, "no" in str(third.value), result.text) == ("error", True, "Done.")


def test_a_tool_that_needs_a_task_is_left_out_by_name(package: Package) -> None:
    from mcp import types

    class Remote:
        async def list_tools(self, cursor: str | None = None) -> types.ListToolsResult:
            tools = [
                {"name": name, "inputSchema": {"type": "object"}, "execution": {"taskSupport": support}}
                for name, support in (("far_now", "optional"), ("far_later", "required"))
            ]
            return types.ListToolsResult.model_validate({"tools": tools})

    remote = asyncio.run(package.module("frameworks.mcp").remote_tools(Remote()))
    assert ([tool.name for tool in remote.tools], [*remote.others], remote.left_out) == (
        ["far_now"],
        ["far_now"],
        ["far_later"],
    )


def test_a_server_tells_its_version(package: Package, app: App) -> None:
    server = package.module("frameworks.mcp").server
    assert server("a", app).create_initialization_options().server_version == "0.1.0"
    assert server("a", app, version="3.2").create_initialization_options().server_version == "3.2"


@pytest.mark.parametrize("name", [n for n in FRAMEWORKS if n != "mcp"])
def test_names_and_handlers_that_are_wrong_are_refused_at_once(package: Package, app: App, name: str) -> None:
    tools = package.module(f"frameworks.{name}").tools
    with pytest.raises(ValueError, match="unknown tool get_wether"):
        tools(app, "get_wether")
    with pytest.raises(TypeError, match="delete_file"):
        tools(object(), "delete_file")


def test_a_framework_is_there_where_it_is_asked_for_and_needs_what_runs_calls(tmp_path: Path) -> None:
    schemas = write_project(tmp_path, TOOLS, {}, ("openai_chat",))
    assert [path for path in compiled(schemas) if "frameworks" in path] == []
    for config, needed in (
        ({"frameworks": ["mcp"], "providers": ["openai_chat"]}, "the provider 'mcp'"),
        ({"frameworks": ["pydantic_ai"], "parts": ["tools", "converters"]}, "the part 'running'"),
    ):
        (schemas / "toolgen.yaml").write_text(json.dumps(config), "utf-8")
        result = toolgen("build", cwd=tmp_path)
        assert (
            result.returncode,
            f"framework-needs]: the framework '{config['frameworks'][0]}' needs {needed}" in result.stderr,
        ) == (2, True)
    config = {"frameworks": ["langchain"], "providers": ["openai_chat"]}
    (schemas / "toolgen.yaml").write_text(json.dumps(config), "utf-8")
    assert {path for path in compiled(schemas) if "frameworks" in path} == {
        "frameworks/__init__.py",
        "frameworks/langchain.py",
    }
    (schemas / "toolgen.yaml").write_text(json.dumps({**config, "runtime": "copied"}), "utf-8")
    assert {path for path in compiled(schemas) if "frameworks" in path} == {
        "frameworks/__init__.py",
        "frameworks/langchain.py",
        "runtime/frameworks/__init__.py",
        "runtime/frameworks/calls.py",
        "runtime/frameworks/langchain.py",
    }


@pytest.mark.slow
@pytest.mark.parametrize("checker", [("mypy", "--strict"), ("pyright", "--pythonpath", sys.executable)])
def test_a_checker_takes_the_modules(package: Package, checker: tuple[str, ...], tmp_path: Path) -> None:
    code = f"""
from {package.name}.frameworks import langchain, mcp, openai_agents, pydantic_ai
from {package.name}.tools import Handlers

def every_condition(app: Handlers) -> None:
    pydantic_ai.tools(app, "get_weather", approval=False)
    langchain.tools(app)
    openai_agents.tools(app, "take-photo", timeout=3)
    mcp.server("probe", app)
"""
    (package.folder.parent / "use.py").write_text(code, "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", *checker, "use.py", f"{package.name}/frameworks"],
        cwd=package.folder.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
