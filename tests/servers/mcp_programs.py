"""MCP with the programs of npm.

Its clients and its inspector use the server of a generated package, and a run uses the tools of its servers.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.running.scripts import completion, native
from tests.servers.common import FOLDER, Report, folder_gigabytes, node_packages
from tests.servers.mcp_server import PIXEL
from tests.support.generated import PROBES, TYPES, Declaration, Package, compiled, write_project
from tests.support.repository import ROOT
from tests.support.runnable_project import TOOLS

SCOPE = "@modelcontextprotocol"

PACKAGES = (
    f"{SCOPE}/sdk@1.32.2",
    f"{SCOPE}/client@2.3.1",
    f"{SCOPE}/inspector@2.12.0",
    f"{SCOPE}/server-everything@2026.8.31",
    f"{SCOPE}/server-filesystem@2026.8.31",
    f"{SCOPE}/server-memory@2026.8.31",
    f"{SCOPE}/server-sequential-thinking@2026.8.31",
)

GIGABYTES = 0.2

CLIENTS = {
    "sdk": (f"{SCOPE}/sdk/client/index.js", f"{SCOPE}/sdk/client/stdio.js"),
    "client": (f"{SCOPE}/client", f"{SCOPE}/client/stdio"),
}
"""The modules of npm's two clients that export `Client` and `StdioClientTransport`. The second is the newer one."""

USE_SERVER = """
import { readFileSync } from "node:fs";
const { modules, server, calls } = JSON.parse(readFileSync(0, "utf8"));
const { Client } = await import(modules[0]);
const { StdioClientTransport } = await import(modules[1]);
const client = new Client({ name: "check", version: "1" });
await client.connect(new StdioClientTransport(server));
const { tools } = await client.listTools();
const outcomes = [];
for (const call of calls) {
  try { outcomes.push({ result: await client.callTool(call) }); }
  catch (error) { outcomes.push({ error: error.message, code: error.code }); }
}
console.log(JSON.stringify({ name: client.getServerVersion().name, tools, outcomes }));
await client.close();
"""
"""A program that starts a server, lists its tools and makes calls."""

INSPECTOR = f"node_modules/{SCOPE}/inspector/clients/launcher/build/index.js"


@dataclass(frozen=True)
class Expected:
    """What the server has to return for a call: texts that are in it, and members that are equal."""

    name: str
    arguments: dict[str, Any]
    text: str
    members: dict[str, Any] = field(default_factory=dict)


CALLS = (
    Expected("read_file", {"path": "a", "lines": 2}, "text of a"),
    Expected("read_file", {"lines": 0}, "path", {"isError": True}),
    Expected("grep", {"pattern": "x"}, "x"),
    Expected("write_file", {"path": "a", "text": "four"}, "bytes", {"structuredContent": {"bytes": 4}}),
    Expected("run_command", {"command": "ls"}, "ValueError", {"isError": True}),
)
"""Calls of the server of a generated package."""


@dataclass(frozen=True)
class Server:
    """A server of npm, and the calls of a run: the name of a tool, its arguments, and a text that the result contains.

    `{folder}` in them is the folder of the server. No call needs the network, or takes long.
    """

    name: str
    arguments: tuple[str, ...]
    calls: tuple[tuple[str, dict[str, Any], str], ...]
    environment: dict[str, str] = field(default_factory=dict)


SERVERS = (
    Server(
        "everything",
        (),
        (
            ("echo", {"message": "Grüße"}, "Grüße"),
            ("get-sum", {"a": 2, "b": 3.5}, "5.5"),
            ("get-sum", {"a": "two"}, "expected number"),
            ("get-tiny-image", {}, "image/png"),
            ("get-structured-content", {"location": "Chicago"}, "temperature"),
            ("get-annotated-message", {"messageType": "error", "includeImage": True}, "image/png"),
            ("get-resource-links", {"count": 2}, "demo://resource/dynamic"),
            ("get-resource-reference", {"resourceType": "Text", "resourceId": 1}, "demo://resource/dynamic/text/1"),
            ("no-such-tool", {}, "no tool with this name"),
        ),
    ),
    Server(
        "filesystem",
        ("{folder}",),
        (
            ("list_allowed_directories", {}, "{folder}"),
            ("write_file", {"path": "{folder}/a.txt", "content": "first\nsecond\n"}, "Successfully wrote"),
            ("read_text_file", {"path": "{folder}/a.txt", "head": 1}, "first"),
            ("edit_file", {"path": "{folder}/a.txt", "edits": [{"oldText": "first", "newText": "1st"}]}, "+1st"),
            ("read_text_file", {"path": "{folder}/../a.txt"}, "Access denied"),
            ("directory_tree", {"path": "{folder}"}, "a.txt"),
        ),
    ),
    Server(
        "memory",
        (),
        (
            (
                "create_entities",
                {"entities": [{"name": "Ada", "entityType": "person", "observations": ["counts"]}]},
                "Ada",
            ),
            ("create_relations", {"relations": [{"from": "Ada", "to": "Ada", "relationType": "knows"}]}, "knows"),
            ("search_nodes", {"query": "counts"}, "Ada"),
            ("open_nodes", {"names": "Ada"}, "expected array"),
            ("read_graph", {}, "knows"),
        ),
        {"MEMORY_FILE_PATH": "{folder}/memory.jsonl"},
    ),
    Server(
        "sequential-thinking",
        (),
        (
            (
                "sequentialthinking",
                {"thought": "One.", "nextThoughtNeeded": True, "thoughtNumber": 1, "totalThoughts": 2},
                "totalThoughts",
            ),
            ("sequentialthinking", {"thought": "Two."}, "thoughtNumber"),
        ),
        {"DISABLE_THOUGHT_LOGGING": "true"},
    ),
)


def use_with_clients(package: Package, node: Path, report: Report) -> None:
    """Let both clients list the tools of the generated server, and make calls."""
    calls = [{"name": call.name, "arguments": call.arguments} for call in CALLS]
    calls.append({"name": "no_such_tool", "arguments": {}})
    server = {"command": sys.executable, "args": server_arguments(package), "cwd": str(ROOT)}
    for client, modules in CLIENTS.items():
        order = json.dumps({"modules": modules, "server": server, "calls": calls})
        command = ["node", "--input-type=module", "-e", USE_SERVER]
        done = subprocess.run(command, cwd=node, input=order, capture_output=True, text=True, check=False, timeout=120)
        if done.returncode:
            report.check(False, f"{client}: {done.stderr.strip()[-500:]}")
            continue
        answer = json.loads(done.stdout)
        report.equal(answer["name"], "files", f"{client}: the name of the server")
        report.equal(answer["tools"], package.provider("mcp").TOOLS, f"{client}: the tools")
        for call, outcome in zip(CALLS, answer["outcomes"], strict=False):
            check_result(report, f"{client}: {call.name} {call.arguments}", call, outcome.get("result", outcome))
        images = [part for part in answer["outcomes"][2]["result"]["content"] if part["type"] == "image"]
        report.equal([part["data"] for part in images], [PIXEL], f"{client}: the picture")
        report.equal(answer["outcomes"][-1].get("code"), -32602, f"{client}: the error for an unknown tool")


def check_result(report: Report, what: str, call: Expected, result: Any) -> None:
    """Check the result of a call."""
    report.check(call.text in json.dumps(result.get("content")), f"{what}: {call.text} is not in {result}")
    report.equal({name: result.get(name) for name in call.members}, call.members, what)
    report.equal(bool(result.get("isError")), "isError" in call.members, f"{what}: is an error")


def use_with_inspector(package: Package, node: Path, report: Report) -> None:
    """Let the inspector list the tools of the generated server, check their schemas strictly, and make calls."""
    listed = inspected(package, node, "--method", "tools/list", "--strict")
    report.equal(listed.returncode, 0, f"inspector: the schemas ({listed.stderr.strip()[-500:]})")
    report.equal(json.loads(listed.stdout)["tools"], package.provider("mcp").TOOLS, "inspector: the tools")
    for call in CALLS:
        pairs = [f"{name}={value}" for name, value in call.arguments.items()]
        done = inspected(package, node, "--method", "tools/call", "--tool-name", call.name, "--tool-arg", *pairs)
        check_result(report, f"inspector: {call.name} {call.arguments}", call, json.loads(done.stdout))


def inspected(package: Package, node: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the inspector on the generated server."""
    server = [sys.executable, *server_arguments(package)]
    command = ["node", node / INSPECTOR, "--cli", "--cwd", ROOT, *words, "--", *server]
    return subprocess.run([*map(str, command)], cwd=node, capture_output=True, text=True, check=False, timeout=120)


def server_arguments(package: Package) -> list[str]:
    """Return the arguments of Python that start the generated server."""
    return ["-m", "tests.servers.mcp_server", str(package.folder.parent), package.name]


async def run_with_tools(package: Package, node: Path, server: Server, folder: Path, report: Report) -> None:
    """Run a scripted conversation that calls the tools of a server, one call in each turn."""

    def placed(value: Any) -> Any:
        return json.loads(json.dumps(value).replace("{folder}", str(folder)))

    folder.mkdir()
    script = node / "node_modules" / SCOPE / f"server-{server.name}" / "dist" / "index.js"
    parameters = StdioServerParameters(
        command="node", args=[str(script), *placed(server.arguments)], env=placed(server.environment), cwd=str(folder)
    )
    models, running = package.module("models"), package.module("running")
    responses = [completion(package, (name, placed(arguments))) for name, arguments, _ in server.calls]
    session = native(package, [*responses, completion(package, "Done.")], later=True)
    with (FOLDER / f"mcp-{server.name}.log").open("w") as log:
        async with Client(stdio_client(parameters, errlog=log)) as client:
            remote = await package.module("frameworks.mcp").remote_tools(client)
            request = models.Request([models.UserMessage("Try the tools.")], tools=remote.tools)
            result = await running.arun(
                session, request, object(), others=remote.others, review=running.allow_all, max_tool_turns=20
            )
    results = [result for message in result.messages if message.role == "tool" for result in message.results]
    report.equal((result.text, result.stopped_by), ("Done.", "end"), f"{server.name}: the end of the run")
    for (name, _, text), returned in zip(server.calls, results, strict=True):
        value, expected = repr(returned.value), placed(text)
        report.check(expected in value, f"{server.name}: {name}: {expected} is not in {returned.kind} {value[:500]}")
    report.figures.append(f"server-{server.name}: {len(remote.tools)} tools, {len(results)} calls")


def run(report: Report) -> None:
    """Run the part."""
    node = node_packages("mcp", PACKAGES, GIGABYTES)
    report.figures.append(f"{', '.join(PACKAGES)}: {folder_gigabytes(node):.1f} GB")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        offered = package_with(TOOLS, folder / "server")
        use_with_clients(offered, node, report)
        use_with_inspector(offered, node, report)
        package = package_with(PROBES, folder / "client")  # none of its tools has the name of a server's tool
        for server in SERVERS:
            asyncio.run(run_with_tools(package, node, server, folder / server.name, report))


def package_with(tools: tuple[Declaration, ...], folder: Path) -> Package:
    """Return a package with the functions for MCP."""
    schemas = write_project(folder, tools, TYPES, ("openai_chat", "mcp"), frameworks=["mcp"])
    return Package(compiled(schemas), folder)
