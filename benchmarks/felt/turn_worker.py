"""One library of `turn.py`: reads how many runs to make from its input, and prints the milliseconds of each kind as JSON.

  python benchmarks/felt/turn_worker.py LIBRARY ADDRESS

A run is a question, a response with three calls, the three tools, their results, and a response with text. The floor is
the same two requests, with bodies made beforehand, through the official client that the library uses.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any, Literal

QUESTION = "How warm is it in Oslo, what are 12.50 dollars in euros, and what did I note about the trip?"
LIBRARY, ADDRESS = sys.argv[1:3]
LOOP = asyncio.new_event_loop()
asyncio.set_event_loop(LOOP)


def get_weather(city: str, unit: Literal["celsius", "fahrenheit"] = "celsius") -> dict[str, Any]:
    """The current weather in a city.

    Args:
        city: Name of the city.
        unit: The unit.
    """
    return {"city": city, "degrees": 21}


def convert(amount: float, to: str) -> dict[str, Any]:
    """Convert dollars into another currency.

    Args:
        amount: How many dollars.
        to: The other currency.
    """
    return {"amount": amount * 0.912, "currency": to}


def find_notes(query: str, limit: int = 10) -> list[str]:
    """Find notes of the user.

    Args:
        query: What to look for.
        limit: How many notes at most.
    """
    return [f"a note about the {query}"]


FUNCTIONS = (get_weather, convert, find_notes)
"""The tools, for libraries that derive schemas from functions."""


class Handlers:
    """The tools as sync handlers of toolgen."""

    def get_weather(self, arguments: Any) -> Any:
        return get_weather(arguments.city)

    def convert(self, arguments: Any) -> Any:
        return convert(arguments.amount, arguments.to)

    def find_notes(self, arguments: Any) -> Any:
        return find_notes(arguments.query)


class AsyncHandlers:
    """The same, async."""

    async def get_weather(self, arguments: Any) -> Any:
        return get_weather(arguments.city)

    async def convert(self, arguments: Any) -> Any:
        return convert(arguments.amount, arguments.to)

    async def find_notes(self, arguments: Any) -> Any:
        return find_notes(arguments.query)


def on_the_loop(function: Callable[[], Awaitable[str]]) -> Callable[[], str]:
    """Return a function that awaits another on the one event loop of this process."""

    async def awaited() -> str:
        return await function()

    return lambda: LOOP.run_until_complete(awaited())


def client_of(api: str, is_async: bool) -> Any:
    """Return the official client of an API."""
    if api == "chat":
        import openai

        return (openai.AsyncOpenAI if is_async else openai.OpenAI)(api_key="k", base_url=f"{ADDRESS}/v1")
    import anthropic

    return (anthropic.AsyncAnthropic if is_async else anthropic.Anthropic)(api_key="k", base_url=ADDRESS)


def toolgen(api: str, is_async: bool) -> Callable[[], str]:
    """Return a run of toolgen, with the package `turn_tools`, which `turn.py` builds."""
    running = import_module("turn_tools.running")
    module = import_module(f"turn_tools.sessions.{'openai_chat' if api == 'chat' else 'anthropic'}")
    client = client_of(api, is_async)
    if is_async:
        later, session = AsyncHandlers(), module.AsyncSession(client, "fake")

        async def run_later() -> str:
            outcome = await running.arun(session, QUESTION, later)
            return str(outcome.text)

        return on_the_loop(run_later)
    handlers, session = Handlers(), module.Session(client, "fake")
    return lambda: str(running.run(session, QUESTION, handlers).text)


def pydantic_ai() -> Callable[[], str]:
    """Return a run of pydantic-ai."""
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    model = OpenAIChatModel("fake", provider=OpenAIProvider(openai_client=client_of("chat", True)))
    agent = Agent(model, tools=list(FUNCTIONS))

    async def run_later() -> str:
        return str((await agent.run(QUESTION)).output)

    return on_the_loop(run_later)


def langchain(is_async: bool) -> Callable[[], str]:
    """Return a run of LangChain."""
    from langchain.agents import create_agent
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(model="fake", api_key="k", base_url=f"{ADDRESS}/v1", use_responses_api=False)
    agent: Any = create_agent(model, tools=list(FUNCTIONS))
    question = {"messages": [{"role": "user", "content": QUESTION}]}

    async def run_later() -> str:
        return str((await agent.ainvoke(question))["messages"][-1].text)

    return on_the_loop(run_later) if is_async else lambda: str(agent.invoke(question)["messages"][-1].text)


def openai_agents() -> Callable[[], str]:
    """Return a run of the Agents SDK."""
    from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled

    set_tracing_disabled(True)
    model = OpenAIChatCompletionsModel(model="fake", openai_client=client_of("chat", True))
    agent = Agent(name="a", model=model, tools=[function_tool(function) for function in FUNCTIONS])

    async def run_later() -> str:
        return str((await Runner.run(agent, QUESTION)).final_output)

    return on_the_loop(run_later)


def floor(api: str, is_async: bool) -> Callable[[], str]:
    """Return the same two requests through the official client alone."""
    user = {"role": "user", "content": QUESTION}
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "unit": {"enum": ["celsius", "fahrenheit"]}},
    }
    calls: list[tuple[str, dict[str, Any]]] = [
        ("get_weather", {"city": "Oslo"}),
        ("convert", {"amount": 12.5, "to": "EUR"}),
        ("find_notes", {"query": "trip"}),
    ]
    client = client_of(api, is_async)
    fixed: dict[str, Any] = {"model": "fake"}
    tools: list[dict[str, Any]]
    asked: list[dict[str, Any]]
    if api == "chat":
        create = client.chat.completions.create
        tools = [
            {"type": "function", "function": {"name": name, "description": name, "parameters": schema}}
            for name, _ in calls
        ]
        asked = [
            {"id": f"call_{i}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for i, (name, arguments) in enumerate(calls)
        ]
        results = [{"role": "tool", "tool_call_id": call["id"], "content": '{"degrees": 21}'} for call in asked]
        second = [user, {"role": "assistant", "content": "I look that up.", "tool_calls": asked}, *results]
    else:
        create = client.messages.create
        fixed["max_tokens"] = 4096
        tools = [{"name": name, "description": name, "input_schema": schema} for name, _ in calls]
        asked = [
            {"type": "tool_use", "id": f"toolu_{i}", "name": name, "input": arguments}
            for i, (name, arguments) in enumerate(calls)
        ]
        outcomes = [{"type": "tool_result", "tool_use_id": call["id"], "content": '{"degrees": 21}'} for call in asked]
        second = [user, {"role": "assistant", "content": asked}, {"role": "user", "content": outcomes}]

    def text(answer: Any) -> str:
        return str(answer.choices[0].message.content if api == "chat" else answer.content[0].text)

    def both() -> str:
        create(**fixed, messages=[user], tools=tools)
        return text(create(**fixed, messages=second, tools=tools))

    async def both_later() -> str:
        await create(**fixed, messages=[user], tools=tools)
        return text(await create(**fixed, messages=second, tools=tools))

    return on_the_loop(both_later) if is_async else both


LIBRARIES: dict[str, tuple[Callable[[], Callable[[], str]], tuple[str, bool]]] = {
    "toolgen chat sync": (lambda: toolgen("chat", False), ("chat", False)),
    "toolgen chat async": (lambda: toolgen("chat", True), ("chat", True)),
    "toolgen anthropic sync": (lambda: toolgen("anthropic", False), ("anthropic", False)),
    "toolgen anthropic async": (lambda: toolgen("anthropic", True), ("anthropic", True)),
    "pydantic-ai": (pydantic_ai, ("chat", True)),
    "langchain sync": (lambda: langchain(False), ("chat", False)),
    "langchain async": (lambda: langchain(True), ("chat", True)),
    "openai-agents": (openai_agents, ("chat", True)),
}
"""The libraries, each with the API and the kind of client of its floor."""


def measured(run: Callable[[], str], count: int) -> float:
    """Return the milliseconds of processor time of a run, as a mean of a number of runs."""
    began = time.process_time()
    for _ in range(count):
        text = run()
        assert text.startswith("It is 21 degrees"), text
    return (time.process_time() - began) / count * 1e3


def main() -> None:
    """Measure both sides each time that a number comes in."""
    make, bare = LIBRARIES[LIBRARY]
    run, beside = make(), floor(*bare)
    for line in sys.stdin:
        print(json.dumps({"floor": measured(beside, int(line)), "run": measured(run, int(line))}), flush=True)


if __name__ == "__main__":
    main()
