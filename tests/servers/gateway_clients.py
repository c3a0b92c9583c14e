"""The clients that people use, in front of `examples/gateway.py`, with fakes of the APIs behind it.

Each client does what it is for, whole and streamed: text, a tool loop, typed output, an image. It is told which of its
keys an API cannot do.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.running.clients import replied
from tests.servers.common import FOLDER, CannotBeSetUp, Report, free_port, node_packages, python_environment, serving
from tests.support.generated import Package
from tests.support.loopback import Loopback, Reply, Sent
from tests.support.repository import ROOT

PYTHON_PACKAGES = [
    "openai==2.54.0",
    "langchain-openai==1.7.4",
    "pydantic-ai-slim[openai]==2.31.1",
    "openai-agents==0.20.0",
    "instructor==1.17.0",
    "litellm==1.106.12",
    "llm==0.32.1",
]
AIDER_PACKAGES = ["aider-chat==0.86.2"]
"""In an environment of its own, because it needs exact versions of what others need too."""
NODE_PACKAGES = [
    "openai@6.49.0",
    "ai@6.0.326",
    "@ai-sdk/openai@3.0.141",
    "@ai-sdk/openai-compatible@2.0.92",
    "zod@4.6.7",
]
GIGABYTES = 1.0

PYTHON_CLIENTS = ("openai", "langchain-openai", "pydantic-ai", "openai-agents", "instructor", "litellm", "llm")
NODE_CLIENTS = ("openai", "ai-sdk", "ai-sdk-compatible")

BACKENDS = {
    "anthropic": ("anthropic", ""),
    "openai_responses": ("openai_responses", "/v1"),
    "gemini": ("genai", ""),
    "openai_compatible": ("openai_compatible", "/v1"),
}
"""The interface, and the end of the address, of each API behind the gateway."""

ADDRESS_VARIABLES = {"genai": "GOOGLE_GEMINI_BASE_URL"}
"""The variables of official clients whose address a configuration does not have."""

ANSWERS = {
    "text": "Hello.",
    "tools": "They say: low in Bergen",
    "typed": "clear",
    "image": "I see an image.",
    "refused": "logit_bias: ",
}
REFUSED = (("aider", "anthropic", "temperature: "),)
"""Clients that always send a key which an API does not have, and how they are told."""
ADDRESS = "ADDRESS"
"""Stands for the address of a gateway in a command."""

DRIVERS = Path(__file__).with_name("clients")

Command = list[str]


class Model(Loopback):
    """A model behind the gateway. It calls the tool `tide`, and any other tool for typed output."""

    def __init__(self, provider: str) -> None:
        super().__init__()
        self._package = Package({}, ROOT, "generated")
        self._provider = provider

    def reply_to(self, sent: Sent) -> Reply:
        """Respond as the API does."""
        models = self._package.module("models")
        request = self._package.provider(self._provider).from_request(sent.body)
        part = self._answer(request)
        reason = "tool_calls" if isinstance(part, models.ToolCallPart) else "stop"
        message, usage = models.AssistantMessage([part]), models.Usage(10, 5, 15)
        completion = models.Completion(message, reason, id="r_1", model="m", usage=usage)
        is_stream = bool(request.stream) or "streamGenerateContent" in sent.path
        return replied(self._package, self._provider, completion, is_stream)

    def _answer(self, request: Any) -> Any:
        """Return the only part of the answer to a request."""
        models = self._package.module("models")
        names = [tool.name for tool in request.tools or ()]
        results = [result for message in request.messages if message.role == "tool" for result in message.results]
        if results:
            value = results[-1].value
            return models.TextPart(f"They say: {value['output'] if isinstance(value, dict) else value}")
        if request.output_format is not None:
            return models.TextPart('{"sky": "clear"}')
        if names == ["tide"]:
            return models.ToolCallPart(models.ToolCall("call_1", "tide", {"harbour": "Bergen"}))
        if names:
            return models.ToolCallPart(models.ToolCall("call_2", names[0], {"sky": "clear"}))
        return models.TextPart("I see an image." if "image" in kinds_of(request) else "Hello.")


def kinds_of(request: Any) -> set[str]:
    """Return the types of the parts that users sent."""
    contents = [message.content for message in request.messages if message.role == "user"]
    return {part.type for content in contents if isinstance(content, list) for part in content}


def python_commands() -> Iterator[tuple[str, Command]]:
    """Install the clients of Python, and yield their names and commands."""
    python = python_environment("clients", PYTHON_PACKAGES, GIGABYTES) / "python"
    for name in PYTHON_CLIENTS:
        yield name, [str(python), str(DRIVERS / "drive.py"), name, ADDRESS]


def aider_command() -> Iterator[tuple[str, Command]]:
    """Install aider, and yield its name and command."""
    python = python_environment("aider", AIDER_PACKAGES, GIGABYTES) / "python"
    yield "aider", [str(python), str(DRIVERS / "drive.py"), "aider", ADDRESS]


def node_commands() -> Iterator[tuple[str, Command]]:
    """Install the clients of npm, and yield their names and commands."""
    folder = node_packages("clients-npm", NODE_PACKAGES, GIGABYTES)
    for name in NODE_CLIENTS:
        yield f"npm {name}", ["node", str(DRIVERS / "drive.mjs"), name, ADDRESS, str(folder)]


INSTALLERS: dict[str, Callable[[], Iterator[tuple[str, Command]]]] = {
    "the clients of Python": python_commands,
    "aider": aider_command,
    "the clients of npm": node_commands,
}


def installed(report: Report) -> dict[str, Command]:
    """Return the commands of the clients that can be installed. The report says which cannot, and why."""
    commands: dict[str, Command] = {}
    for title, install in INSTALLERS.items():
        try:
            commands.update(install())
        except CannotBeSetUp as reason:
            report.figures.append(f"skipped: {title}. {reason}")
    return commands


def results_of(command: Command, address: str) -> list[dict[str, Any]]:
    """Run a client, and return what it says of its tasks.

    Raises:
        RuntimeError: It failed outside of a task.
    """
    filled = [address if word == ADDRESS else word for word in command]
    done = subprocess.run(filled, capture_output=True, text=True, check=False, timeout=300)
    lines = [line.removeprefix("RESULT ") for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    results = [json.loads(line) for line in lines]
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return results


def expected_answer(client: str, task: str, backend: str) -> str:
    """Return the answer to a task, or the beginning of the reason for which it is refused."""
    for refused_client, refusing_backend, reason in REFUSED:
        if (client, backend) == (refused_client, refusing_backend):
            return reason
    if task == "refused" and backend == "openai_compatible":  # the same API, which takes the key
        task = "text"
    return ANSWERS["typed" if client == "instructor" and task != "refused" else task]


def drive(report: Report, backend: str, address: str, commands: dict[str, Command]) -> None:
    """Run all clients against a gateway, and add a line of the table for each."""
    for client, command in commands.items():
        outcomes: Counter[str] = Counter()
        try:
            results = results_of(command, address)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            report.check(False, f"{client} to {backend}: {error}")
            continue
        for result in results:
            task, answer = result["task"], str(result.get("answer", result.get("error", "")))
            wanted = expected_answer(client, task, backend)
            holds = wanted in answer if wanted.endswith(": ") else "error" not in result and answer == wanted
            kind = "streamed" if result["streaming"] else "whole"
            report.check(holds, f"{client} to {backend}, {task}, {kind}: {answer!r}, expected {wanted!r}")
            outcomes[f"{task}{'' if holds else ' FAILS'}"] += 1
        report.check(bool(outcomes), f"{client} to {backend}: no results")
        report.figures.append(f"{backend:18}{client:22}{', '.join(f'{task} {n}' for task, n in outcomes.items())}")


def run(report: Report) -> None:
    """Run the part."""
    commands = installed(report)
    if not commands:
        raise CannotBeSetUp("No client can be installed.")
    for backend, (interface, path) in BACKENDS.items():
        model, port = Model(backend), free_port()
        address = f"http://127.0.0.1:{port}/v1"
        environment = {
            "LLM_INTERFACE": interface,
            "LLM_MODEL": "some-model",
            "LLM_API_KEY": "none",
            ADDRESS_VARIABLES.get(interface, "LLM_BASE_URL"): f"{model.address}{path}",
            "PORT": str(port),
            "PYTHONPATH": str(ROOT),
            "NO_PROXY": "127.0.0.1",
        }
        gateway = [sys.executable, "-m", "examples.gateway"]
        try:
            with serving(gateway, f"{address}/models", FOLDER / f"gateway-{backend}.log", 60, environment):
                drive(report, backend, address, commands)
        except CannotBeSetUp as reason:
            report.check(False, f"the gateway to {backend}: {reason}")
        finally:
            model.close()
