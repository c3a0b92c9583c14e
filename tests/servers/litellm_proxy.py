"""LiteLLM's proxy between the official clients and a model on this machine, in its three formats.

The clients send what our providers write, and our providers read what the proxy makes of the model's responses. The
model is also ours: it reads the proxy's requests and writes its responses with the same providers, so both ends can be
compared.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.running.clients import opened, replied
from tests.servers.common import FOLDER, Report, folder_gigabytes, free_port, python_environment, serving
from tests.support.exchanges import whole
from tests.support.generated import Package, compiled, write_project
from tests.support.loopback import Loopback, Reply, Sent
from tests.support.runnable_project import TOOLS

PACKAGE = "litellm[proxy]==1.106.12"
"""The newest version whose requirements are all published; those after it name distributions that do not exist."""

GIGABYTES = 0.7

CLIENTS = ("openai_chat", "openai_compatible", "anthropic", "openai_responses")
"""The providers whose clients talk to the proxy. The first two share a format."""

ROUTES: dict[str, dict[str, Any]] = {
    "openai": {"model": "openai/m"},
    "chat": {"model": "openai/m", "use_chat_completions_api": True},
    "hosted_vllm": {"model": "hosted_vllm/m"},
    "anthropic": {"model": "anthropic/claude-m"},
}
"""Where the proxy sends a request: the model that clients name, and what LiteLLM is configured with for it."""

PATHS = {"/chat/completions": "openai_chat", "/messages": "anthropic", "/responses": "openai_responses"}
"""The providers that the model is, by the end of the path of a request."""

ERRORS = {400: "invalid_request", 401: "authentication", 429: "rate_limit", 500: "server"}
"""Statuses of the model, and the kinds of errors that they have to become."""

LOSES_TEXT = {("anthropic", "chat")}
"""Clients and routes for which LiteLLM returns a text only in streams: it converts the response twice, to Responses and
from there to Messages, and the second conversion ignores what the first one makes of a text.
"""

JSON = '{"sky": "clear"}'

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="


class Model(Loopback):
    """A model behind the proxy: it reads two files, then says what is in them. `status` is that of its responses."""

    def __init__(self, package: Package) -> None:
        super().__init__()
        self.status = 200
        self._package = package

    def reply_to(self, sent: Sent) -> Reply:
        """Respond as the API of the path does."""
        if self.status != 200:
            error = {"type": "api_error", "code": str(self.status), "message": "The model does not respond."}
            return whole({"type": "error", "error": error}, self.status)
        models = self._package.module("models")
        request = self.read(sent)
        texts = [result.value for message in request.messages if message.role == "tool" for result in message.results]
        if texts:
            parts, reason = [models.TextPart(f"They say: {', '.join(map(str, texts))}")], "stop"
        elif not request.tools or request.tool_choice == "none":
            parts, reason = [models.TextPart(JSON)], "stop"
        elif isinstance(request.tool_choice, models.NamedToolChoice):
            call = models.ToolCall("call_c", request.tool_choice.name, json.loads(JSON))
            parts, reason = [models.ToolCallPart(call)], "tool_calls"
        else:
            calls = [models.ToolCall(f"call_{path}", "read_file", {"path": path, "lines": 3}) for path in "ab"]
            parts, reason = [models.TextPart("I look."), *map(models.ToolCallPart, calls)], "tool_calls"
        completion = models.Completion(models.AssistantMessage(parts), reason, model="m", usage=models.Usage(10, 5, 15))
        return replied(self._package, self.provider_of(sent), completion, bool(request.stream))

    def read(self, sent: Sent) -> Any:
        """Return a request of the proxy in the format's types."""
        return self._package.provider(self.provider_of(sent)).from_request(sent.body)

    def provider_of(self, sent: Sent) -> str:
        """Return the provider whose format a request has."""
        path = sent.path.partition("?")[0]
        return next(provider for end, provider in PATHS.items() if path.endswith(end))


class App:
    """Handlers that log their arguments."""

    def __init__(self) -> None:
        self.arguments: list[tuple[str, int]] = []

    def read_file(self, args: Any) -> str:
        self.arguments.append((args.path, args.lines))
        return f"text of {args.path}"

    def grep(self, args: Any) -> None:
        raise AssertionError("The model does not call it.")

    write_file = run_command = grep


@dataclass
class Proxy:
    """The proxy that runs, with what is on both of its sides."""

    address: str
    key: str
    package: Package
    model: Model
    report: Report

    @asynccontextmanager
    async def session(self, provider: str, route: str) -> AsyncIterator[Any]:
        """A session on the official client of a provider."""
        module = self.package.module(f"sessions.{provider}")
        async with opened(provider, self.address, later=True) as client:
            losses: list[Any] = []
            yield module.AsyncSession(client.with_options(api_key=self.key), route, on_loss=losses.append)
            notable = [loss for loss in losses if loss.severity != "note"]
            self.report.equal(notable, [], f"{provider} to {route}: losses")

    async def converse(self, provider: str, route: str, streaming: bool) -> None:
        """Hold a conversation with two calls, and compare both ends."""
        models, running = self.package.module("models"), self.package.module("running")
        definitions = self.package.module("tools").DEFINITIONS
        exchange = f"{provider} to {route}{', streaming' if streaming else ''}"
        handlers, texts = App(), []
        self.model.heard.clear()
        request = models.Request(
            [
                models.SystemMessage("Be brief."),
                models.UserMessage(
                    [models.TextPart("Read a and b."), models.ImagePart(data=PIXEL, media_type="image/png")]
                ),
            ],
            tools=list(definitions.values()),
            max_output_tokens=100,
        )
        async with self.session(provider, route) as session:
            if streaming:
                run = running.arun_stream(session, request, handlers, review=running.allow_all)
                texts = [event.text async for event in run if event.type == "text_delta"]
                result = run.result
            else:
                result = await running.arun(session, request, handlers, review=running.allow_all)
        equal = self.report.equal
        last_text = "" if (provider, route) in LOSES_TEXT and not streaming else "They say: text of a, text of b"
        equal(result.text, last_text, f"{exchange}: the last text")
        equal((result.turns, result.stopped_by), (1, "end"), f"{exchange}: the end of the run")
        equal(sorted(handlers.arguments), [("a", 3), ("b", 3)], f"{exchange}: arguments")
        equal((result.usage.input_tokens, result.usage.output_tokens), (20, 10), f"{exchange}: tokens")
        if streaming:
            equal("".join(texts), "I look.They say: text of a, text of b", f"{exchange}: the pieces of text")
        first, second = map(self.model.read, self.model.heard)
        module = self.package.provider(provider)
        sent_tools = module.from_tools(module.to_tools(list(definitions.values()), on_loss=lambda loss: None))
        equal(schemas_of(first.tools, route), schemas_of(sent_tools, route), f"{exchange}: the tools that arrive")
        equal(bool(first.stream), streaming, f"{exchange}: a stream is asked for")
        equal(
            [part.type for part in first.messages[-1].content], ["text", "image"], f"{exchange}: the parts that arrive"
        )
        tool_calls_of = self.package.module("messages").tool_calls_of
        calls = [call for message in second.messages if message.role == "assistant" for call in tool_calls_of(message)]
        results = [result for message in second.messages if message.role == "tool" for result in message.results]
        equal([call.arguments["path"] for call in calls], ["a", "b"], f"{exchange}: the calls that come back")
        equal(
            [result.tool_call_id for result in results], [call.id for call in calls], f"{exchange}: the ids of results"
        )

    async def choose(self, provider: str, route: str) -> None:
        """Send each tool choice, and see what arrives."""
        models = self.package.module("models")
        definitions = list(self.package.module("tools").DEFINITIONS.values())
        async with self.session(provider, route) as session:
            for choice in ("auto", "required", "none", models.NamedToolChoice("read_file")):
                self.model.heard.clear()
                request = models.Request(
                    [models.UserMessage("Hi")], tools=definitions, tool_choice=choice, max_output_tokens=9
                )
                await session.complete(request)
                arrived = self.model.read(self.model.heard[0]).tool_choice
                self.report.equal(arrived or "auto", choice, f"{provider} to {route}: the tool choice that arrives")

    async def ask_for_json(self, provider: str, route: str) -> None:
        """Ask for JSON of a schema, and see whether the schema arrives."""
        models = self.package.module("models")
        schema = {
            "type": "object",
            "properties": {"sky": {"type": "string"}},
            "required": ["sky"],
            "additionalProperties": False,
        }
        self.model.heard.clear()
        output = models.OutputSchema(schema, name="sky")
        async with self.session(provider, route) as session:
            completion = await session.complete(
                models.Request([models.UserMessage("The sky?")], output_format=output, max_output_tokens=9)
            )
        text = self.package.module("messages").text_of(completion.message)
        expected = {} if (provider, route) in LOSES_TEXT else json.loads(JSON)
        self.report.equal(json.loads(text or "{}"), expected, f"{provider} to {route}: JSON")
        arrived = self.model.read(self.model.heard[0])
        if arrived.output_format is not None:
            arrived_schema = arrived.output_format.schema
        else:  # for models that LiteLLM does not know, it asks for the call of a tool that it makes up
            (arrived_schema,) = [tool.parameters for tool in arrived.tools]
        self.report.equal(arrived_schema, schema, f"{provider} to {route}: the schema of JSON")

    async def fail(self, provider: str, route: str, streaming: bool) -> None:
        """Let the model fail, and see which kind of error arrives."""
        errors = self.package.module("runtime.sessions.api_errors")
        models = self.package.module("models")
        request = models.Request([models.UserMessage("Hi")], max_output_tokens=9)
        async with self.session(provider, route) as session:
            for status, kind in ERRORS.items():
                self.model.status = status
                try:
                    if streaming:
                        _ = [event async for event in session.stream(request)]
                    else:
                        await session.complete(request)
                    arrived = "no error"
                except errors.SessionError as error:
                    arrived = error.error.kind
                finally:
                    self.model.status = 200
                self.report.equal(arrived, kind, f"{provider} to {route}: status {status}, stream {streaming}")

    async def exchange_all(self) -> None:
        """Run all of it for each client and route."""
        for provider in CLIENTS:
            for route in ROUTES:
                exchanges = [
                    *(
                        exchange(provider, route, streaming)
                        for exchange in (self.converse, self.fail)
                        for streaming in (False, True)
                    ),
                    self.choose(provider, route),
                    self.ask_for_json(provider, route),
                ]
                for exchange in exchanges:
                    try:
                        await exchange
                    except Exception as error:  # noqa: BLE001 - whatever goes wrong is a fault, and the others still run
                        self.report.faults.append(f"{provider} to {route}: {type(error).__name__}: {error}")


def schemas_of(tools: Iterable[Any], route: str) -> dict[str, Any]:
    """Return the schemas of tools by name, as far as a route keeps them: LiteLLM opens objects for vLLM."""
    schemas = {tool.name: tool.parameters for tool in tools}
    return without_closed_objects(schemas) if route == "hosted_vllm" else schemas


def without_closed_objects(schema: Any) -> Any:
    """Return a schema without `additionalProperties`, at any depth."""
    if isinstance(schema, dict):
        return {key: without_closed_objects(value) for key, value in schema.items() if key != "additionalProperties"}
    if isinstance(schema, list):
        return [without_closed_objects(value) for value in schema]
    return schema


@contextmanager
def started(report: Report, folder: Path) -> Iterator[Proxy]:
    """Run the proxy, with a model behind it."""
    programs = python_environment("litellm", [PACKAGE], GIGABYTES)
    report.figures.append(f"{PACKAGE}, {folder_gigabytes(programs.parent):.1f} GB")
    schemas = write_project(folder, TOOLS, {}, CLIENTS)
    package = Package(compiled(schemas), folder)
    model = Model(package)
    key, port = f"sk-{secrets.token_hex(16)}", free_port()
    address = f"http://127.0.0.1:{port}"
    config = folder / "config.json"
    config.write_text(json.dumps(proxy_config(model.address)))
    environment = {"LITELLM_MASTER_KEY": key, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    command: list[str | Path] = [programs / "litellm", "--config", config, "--host", "127.0.0.1", "--port", str(port)]
    try:
        with serving(command, f"{address}/health/liveliness", FOLDER / "litellm.log", 180, environment):
            yield Proxy(address, key, package, model, report)
    finally:
        model.close()


def proxy_config(address: str) -> dict[str, Any]:
    """Return the proxy's configuration: the routes, which all lead to the model, and nothing that is sent elsewhere."""
    routes = [
        {
            "model_name": name,
            "litellm_params": {
                **settings,
                "api_base": address if name == "anthropic" else f"{address}/v1",
                "api_key": "none",
            },
        }
        for name, settings in ROUTES.items()
    ]
    return {
        "model_list": routes,
        "litellm_settings": {"telemetry": False, "num_retries": 0},
        "router_settings": {"num_retries": 0, "disable_cooldowns": True},
    }


def run(report: Report) -> None:
    """Run the part."""
    with tempfile.TemporaryDirectory() as name, started(report, Path(name)) as proxy:
        asyncio.run(proxy.exchange_all())
    exchanges = f"{2 * len(CLIENTS) * len(ROUTES)} conversations, half of them streams"
    report.figures.append(f"{len(CLIENTS)} clients, {len(ROUTES)} routes, {exchanges}")
    skipped = ", ".join(f"{provider} to {route}" for provider, route in sorted(LOSES_TEXT))
    report.figures.append(f"skipped: the text without a stream of {skipped}, which LiteLLM drops")
