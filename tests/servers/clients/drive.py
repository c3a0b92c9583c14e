"""Drive a gateway with one Python client. Run by the Python of the clients, which has nothing of this repository.

    python drive.py CLIENT ADDRESS

It prints a line of JSON for each task: its name, whether it was streamed, and what the client returned or raised. A
client that cannot do a task has no function for it.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ADDRESS = sys.argv[2]
os.environ.update(OPENAI_API_KEY="none", OPENAI_BASE_URL=ADDRESS, OPENAI_API_BASE=ADDRESS, NO_PROXY="127.0.0.1")
os.environ.update(LITELLM_LOCAL_MODEL_COST_MAP="True", OPENAI_AGENTS_DISABLE_TRACING="1")
logging.disable()

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
HELLO: list[Any] = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello?"}]
IMAGE: list[Any] = [
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "What is this?"},
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
        ],
    }
]
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "tide",
        "description": "The tide.",
        "strict": True,
        "parameters": {
            "type": "object",
            "properties": {"harbour": {"type": "string"}},
            "required": ["harbour"],
            "additionalProperties": False,
        },
    },
}
BIAS = {"1": 5}
"""The logit bias, which only Chat Completions has."""


def tide(harbour: str) -> str:
    """The tide.

    Args:
        harbour: The harbour.
    """
    return f"low in {harbour}"


def sky() -> type:
    """The type of typed output."""
    from pydantic import BaseModel, Field

    class Sky(BaseModel):
        """The sky."""

        sky: str = Field(description="What it looks like.")

    return Sky


class OpenAI:
    """The official client, whose message objects go back as they are."""

    def __init__(self) -> None:
        import openai

        self.create = openai.AsyncOpenAI(max_retries=0).chat.completions
        self.Sky = sky()

    async def message(self, streaming: bool, messages: list[Any], **keywords: Any) -> Any:
        if not streaming:
            return (await self.create.create(model="any", messages=messages, **keywords)).choices[0].message
        async with self.create.stream(model="any", messages=messages, **keywords) as stream:
            return (await stream.get_final_completion()).choices[0].message

    async def text(self, streaming: bool) -> Any:
        return (await self.message(streaming, HELLO, temperature=1, top_p=1, max_tokens=100)).content

    async def tools(self, streaming: bool) -> Any:
        messages = list(HELLO)
        while (said := await self.message(streaming, messages, tools=[TOOL], tool_choice="auto")).tool_calls:
            messages.append(said)
            for call in said.tool_calls:
                text = tide(**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "name": "tide", "content": text})
        return said.content

    async def typed(self, streaming: bool) -> Any:
        if streaming:
            return (await self.message(True, HELLO, response_format=self.Sky)).parsed.sky
        return (
            (await self.create.parse(model="any", messages=HELLO, response_format=self.Sky))
            .choices[0]
            .message.parsed.sky
        )

    async def image(self, streaming: bool) -> Any:
        return (await self.message(streaming, IMAGE)).content

    async def refused(self, streaming: bool) -> Any:
        return (await self.message(streaming, HELLO, logit_bias=BIAS)).content


class LiteLLM(OpenAI):
    """LiteLLM as a library."""

    def __init__(self) -> None:
        import litellm

        litellm.suppress_debug_info = True
        self.litellm = litellm
        self.Sky = sky()

    async def message(self, streaming: bool, messages: list[Any], **keywords: Any) -> Any:
        keywords |= {"api_base": ADDRESS, "api_key": "none", "num_retries": 0, "max_retries": 0}
        response = await self.litellm.acompletion("openai/any", messages=messages, stream=streaming, **keywords)
        if streaming:
            response = self.litellm.stream_chunk_builder([chunk async for chunk in response], messages=messages)
        return response.choices[0].message

    async def typed(self, streaming: bool) -> Any:
        return json.loads((await self.message(streaming, HELLO, response_format=self.Sky)).content)["sky"]


class LangChain:
    """langchain-openai."""

    def __init__(self) -> None:
        from langchain_core.tools import tool
        from langchain_openai import ChatOpenAI

        self.chat = ChatOpenAI(model="any", base_url=ADDRESS, max_retries=0, temperature=1)
        self.tide = tool(tide)

    async def message(self, model: Any, streaming: bool, messages: list[Any]) -> Any:
        if not streaming:
            return await model.ainvoke(messages)
        said: Any = None
        async for piece in model.astream(messages):
            said = piece if said is None or not hasattr(piece, "content") else said + piece
        return said

    async def text(self, streaming: bool) -> Any:
        return (await self.message(self.chat, streaming, HELLO)).content

    async def tools(self, streaming: bool) -> Any:
        messages, model = list(HELLO), self.chat.bind_tools([self.tide])
        while (said := await self.message(model, streaming, messages)).tool_calls:
            messages.append(said)
            messages += [await self.tide.ainvoke(call) for call in said.tool_calls]
        return said.content

    async def typed(self, streaming: bool) -> Any:
        return (await self.message(self.chat.with_structured_output(sky()), streaming, HELLO)).sky

    async def image(self, streaming: bool) -> Any:
        return (await self.message(self.chat, streaming, IMAGE)).content

    async def refused(self, streaming: bool) -> Any:
        return (await self.message(self.chat.bind(logit_bias=BIAS), streaming, HELLO)).content


class PydanticAI:
    """pydantic-ai."""

    def __init__(self) -> None:
        from pydantic_ai import Agent, BinaryContent
        from pydantic_ai.models.openai import OpenAIChatModel

        self.agent = lambda **keywords: Agent(OpenAIChatModel("any"), instructions="Be brief.", retries=0, **keywords)
        self.pixel = BinaryContent.from_data_uri(f"data:image/png;base64,{PIXEL}")

    async def run(self, streaming: bool, prompt: Any = "Hello?", settings: Any = None, **keywords: Any) -> Any:
        agent = self.agent(**keywords)
        if not streaming:
            return (await agent.run(prompt, model_settings=settings)).output
        async with agent.run_stream(prompt, model_settings=settings) as stream:
            return await stream.get_output()

    async def text(self, streaming: bool) -> Any:
        return await self.run(streaming)

    async def tools(self, streaming: bool) -> Any:
        return await self.run(streaming, tools=[tide])

    async def typed(self, streaming: bool) -> Any:
        return (await self.run(streaming, output_type=sky())).sky

    async def image(self, streaming: bool) -> Any:
        return await self.run(streaming, ["What is this?", self.pixel])

    async def refused(self, streaming: bool) -> Any:
        return await self.run(streaming, settings={"logit_bias": BIAS})


class OpenAIAgents:
    """openai-agents, with its model for Chat Completions."""

    def __init__(self) -> None:
        import agents
        import openai

        self.agents = agents
        self.model = agents.OpenAIChatCompletionsModel("any", openai.AsyncOpenAI(max_retries=0))

    async def run(self, streaming: bool, prompt: Any = "Hello?", **keywords: Any) -> Any:
        agent = self.agents.Agent(name="a", instructions="Be brief.", model=self.model, **keywords)
        if not streaming:
            return (await self.agents.Runner.run(agent, prompt)).final_output
        result = self.agents.Runner.run_streamed(agent, prompt)
        async for _ in result.stream_events():
            pass
        return result.final_output

    async def text(self, streaming: bool) -> Any:
        return await self.run(streaming)

    async def tools(self, streaming: bool) -> Any:
        return await self.run(streaming, tools=[self.agents.function_tool(tide)])

    async def typed(self, streaming: bool) -> Any:
        return (await self.run(streaming, output_type=sky())).sky

    async def image(self, streaming: bool) -> Any:
        image = {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}", "detail": "auto"}
        return await self.run(streaming, [{"role": "user", "content": [image]}])

    async def refused(self, streaming: bool) -> Any:
        return await self.run(streaming, model_settings=self.agents.ModelSettings(extra_body={"logit_bias": BIAS}))


class Instructor:
    """instructor: typed output, by a tool and by a schema."""

    def __init__(self) -> None:
        import instructor
        import openai

        self.clients = [
            instructor.from_openai(openai.AsyncOpenAI(max_retries=0), mode=mode)
            for mode in (instructor.Mode.TOOLS, instructor.Mode.JSON_SCHEMA)
        ]

    async def typed(self, streaming: bool, messages: list[Any] = HELLO, **keywords: Any) -> Any:
        keywords |= {"model": "any", "messages": messages, "response_model": sky(), "max_retries": 0}
        answers = []
        for client in self.clients:
            if streaming:
                async for answer in client.chat.completions.create_partial(**keywords):
                    last = answer
                answers.append(last.sky)
            else:
                answers.append((await client.chat.completions.create(**keywords)).sky)
        return ", ".join(sorted(set(answers)))

    async def image(self, streaming: bool) -> Any:
        return await self.typed(streaming, IMAGE)

    async def refused(self, streaming: bool) -> Any:
        return await self.typed(streaming, logit_bias=BIAS)


class LLM:
    """llm, the command and library."""

    def __init__(self) -> None:
        import llm
        from llm.default_plugins.openai_models import Chat

        self.llm = llm
        self.model = Chat("any", key="none", api_base=ADDRESS, vision=True, supports_schema=True, supports_tools=True)

    async def text(self, streaming: bool) -> Any:
        return self.model.prompt("Hello?", system="Be brief.", stream=streaming).text()

    async def tools(self, streaming: bool) -> Any:
        chain = self.model.conversation(tools=[tide]).chain("Hello?", stream=streaming)
        return [response.text() for response in chain.responses()][-1]

    async def typed(self, streaming: bool) -> Any:
        return json.loads(self.model.prompt("Hello?", schema=sky(), stream=streaming).text())["sky"]

    async def image(self, streaming: bool) -> Any:
        import base64

        pixel = self.llm.Attachment(type="image/png", content=base64.b64decode(PIXEL))
        return self.model.prompt("What is this?", attachments=[pixel], stream=streaming).text()

    async def refused(self, streaming: bool) -> Any:
        return self.model.prompt("Hello?", logit_bias=json.dumps(BIAS), stream=streaming).text()


class Aider:
    """aider, a command."""

    async def text(self, streaming: bool) -> Any:
        command = [Path(sys.executable).with_name("aider"), "--model", "openai/any", "--message", "Hello?", "--yes"]
        options = "--no-git --no-show-model-warnings --no-check-update --analytics-disable --no-pretty --no-gitignore"
        stream = "--stream" if streaming else "--no-stream"
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [*map(str, command), *options.split(), stream],
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
                env={**os.environ, "HOME": folder},
            )
        return next((line for line in done.stdout.splitlines() if line == "Hello."), done.stdout[-2000:] + done.stderr)


CLIENTS: dict[str, Callable[[], Any]] = {
    "openai": OpenAI,
    "langchain-openai": LangChain,
    "pydantic-ai": PydanticAI,
    "openai-agents": OpenAIAgents,
    "instructor": Instructor,
    "litellm": LiteLLM,
    "llm": LLM,
    "aider": Aider,
}


async def main() -> None:
    """Run each task of the client, whole and streamed."""
    client = CLIENTS[sys.argv[1]]()
    for name in ("text", "tools", "typed", "image", "refused"):
        task = getattr(client, name, None)
        for streaming in (False, True) if inspect.iscoroutinefunction(task) else ():
            line: dict[str, Any] = {"task": name, "streaming": streaming}
            try:
                line["answer"] = await task(streaming)
            except Exception as error:  # noqa: BLE001 - whatever the client raises is what its user sees
                line["error"] = f"{type(error).__name__}: {error}"
            print("RESULT " + json.dumps(line), flush=True)


asyncio.run(main())
