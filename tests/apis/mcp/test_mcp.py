"""What only the Model Context Protocol has: values inside objects, servers and clients of the official package, imports."""

from __future__ import annotations

import asyncio
import copy
import json
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
import yaml
from jsonschema import Draft202012Validator
from mcp import Client, MCPError, StdioServerParameters, types
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer

from tests.apis.mcp.server import VALUES, server_of
from tests.providers import laws
from tests.support.commands import toolgen
from tests.support.generated import Package, compiled, write_project
from tests.support.repository import recordings
from tests.support.wires.mcp import result_faults, tool_faults

PROVIDER = "mcp"

TREE = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#"}}]}
TOOLS: tuple[dict[str, Any], ...] = (
    {
        "name": "get_weather",
        "description": "Current weather.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        "result": {"$ref": "../types/forecast.yaml"},
        "display_name": "Weather",
        "annotations": {"readOnlyHint": True},
        "providers": {"mcp": {"name": "weather.get", "icons": [{"src": "https://example.com/i.png"}]}},
    },
    {"name": "primes", "description": "Some primes.", "result": {"type": "array", "items": {"type": "integer"}}},
    {"name": "greet", "description": "Says hello.", "result": {"type": "string"}},
    {"name": "tree", "description": "A tree.", "result": TREE},
    {"name": "find", "description": "May find nothing.", "result": {"type": ["object", "null"]}},
    {
        "name": "measure",
        "description": "Has a result of its own.",
        "result": {"type": "object", "properties": {"result": {"type": "number"}}, "required": ["result"]},
    },
    {"name": "anything", "description": "Gives anything.", "result": True},
    {"name": "draw", "description": "Draws."},
    {"name": "fail", "description": "Fails.", "result": {"type": "object"}},
)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Package:
    folder = tmp_path_factory.mktemp("served")
    return Package(compiled(write_project(folder, TOOLS), [PROVIDER]), folder)


async def used(package: Package, target: Any, mode: Any) -> None:
    """List the tools of a server, and call each: every result comes back as it was given."""
    module, models = package.provider(PROVIDER), package.module("models")
    async with Client(target, mode=mode) as client:
        listed = (await client.list_tools()).tools
        definitions = module.from_tools([t.model_dump(by_alias=True, exclude_unset=True, mode="json") for t in listed])
        assert laws.exact(module.to_tools(definitions)) == laws.exact(module.TOOLS)
        declared = package.module("tools").DEFINITIONS
        assert {d.name: laws.exact(d.result) for d in definitions} == {
            n: laws.exact(declared[n].result) for n in declared
        }
        for name, (kind, value) in VALUES.items():
            call = models.ToolCall("call_a", name, {"city": "Oslo"} if name == "get_weather" else {})
            returned = await client.call_tool(**module.to_sdk(call))
            for tools in ((), definitions):
                result = models.dump(module.from_tool_result(returned, call.id, name, tools=tools))
                result.pop("metadata", None)
                expected = {"toolCallId": "call_a", "name": name, "kind": kind, "value": value}
                assert laws.exact(result) == laws.exact(expected)
        with pytest.raises(MCPError) as caught:
            await client.call_tool("nothing")
        error = module.from_error(0, caught.value.error.model_dump(mode="json"))
        assert (error.kind, error.message, error.retryable) == ("invalid_request", "Unknown tool: nothing", False)


each_mode = pytest.mark.parametrize("mode", ["auto", "legacy"])
"""The newest revision that both sides know, and the handshake of the older ones."""


@each_mode
def test_declared_tools_are_served_in_memory(served: Package, mode: str) -> None:
    asyncio.run(used(served, server_of(served), mode))


_PROGRAM = """
import asyncio, sys
from pathlib import Path
sys.path[:0] = {paths!r}
from mcp.server.stdio import stdio_server
from tests.apis.mcp.server import server_of
from tests.support.generated import Package

async def main():
    server = server_of(Package({{}}, Path({folder!r}), {name!r}))
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())

asyncio.run(main())
"""


@pytest.mark.slow
def test_declared_tools_are_served_by_a_program(served: Package, tmp_path: Path) -> None:
    program = tmp_path / "server.py"
    paths = [str(Path(p).resolve()) for p in sys.path]
    program.write_text(_PROGRAM.format(paths=paths, name=served.name, folder=str(served.folder.parent)), "utf-8")
    asyncio.run(used(served, StdioServerParameters(command=sys.executable, args=[str(program)]), "auto"))


@contextmanager
def listening(server: Server[Any]) -> Iterator[str]:
    """The address of a server over HTTP on this machine."""
    with socket.create_server(("127.0.0.1", 0)) as held:
        web = uvicorn.Server(uvicorn.Config(server.streamable_http_app(), log_level="error"))
        thread = threading.Thread(target=web.run, kwargs={"sockets": [held]})
        thread.start()
        try:
            while not web.started:
                time.sleep(0.01)
            yield f"http://127.0.0.1:{held.getsockname()[1]}/mcp"
        finally:
            web.should_exit = True
            thread.join()


@each_mode
def test_declared_tools_are_served_over_http(served: Package, monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with listening(server_of(served)) as address:
        asyncio.run(used(served, address, mode))


def test_declared_tools_are_accepted_by_both_revisions(served: Package) -> None:
    module = served.provider(PROVIDER)
    assert [fault for tool in module.TOOLS for fault in tool_faults(tool)] == []
    schemas = {tool["name"]: tool.get("outputSchema") for tool in module.TOOLS}
    for name, (kind, value) in VALUES.items():
        models, losses = served.module("models"), []
        fields = {"toolCallId": "call_a", "name": name, "kind": kind, "value": value}
        wire = module.to_tool_result(models.load(models.ToolResult, fields), on_loss=losses.append)
        assert result_faults(wire) == []
        assert losses == []
        schema = schemas[module.WIRE.wire_name(name)]
        assert (schema is None or kind == "error") == ("structuredContent" not in wire)
        if "structuredContent" in wire:
            Draft202012Validator(schema).validate(wire["structuredContent"])


def test_what_a_declaration_says_beyond_the_definition_has_its_keys(served: Package) -> None:
    entry = served.provider(PROVIDER).tools("get_weather")[0]
    assert entry["name"] == "weather.get"
    assert entry["title"] == "Weather"
    assert entry["annotations"] == {"readOnlyHint": True}
    assert entry["icons"] == [{"src": "https://example.com/i.png"}]
    assert "$" not in "".join(entry)


def test_another_name_is_known_on_this_wire_alone(served: Package) -> None:
    module, models = served.provider(PROVIDER), served.module("models")
    call = models.ToolCall("call_a", "get_weather", {"city": "Oslo"})
    assert module.to_tool_call(call)["name"] == module.to_sdk(call)["name"] == "weather.get"
    assert module.from_tool_call({"name": "weather.get", "arguments": {"city": "Oslo"}}, "call_a") == call
    assert module.from_tools(module.tools("get_weather"))[0].name == "get_weather"
    assert "get_weather" in module.ToolName.__args__


SCHEMAS: list[tuple[Any, Any]] = [
    ({"type": "object"}, {"type": "object"}),
    (True, {"type": "object", "properties": {"result": True}, "required": ["result"]}),
    ({}, {"type": "object", "properties": {"result": {}}, "required": ["result"]}),
    (
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"type": "object"}}},
        {"type": "object", "$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"type": "object"}}},
    ),
    (
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}},
        {
            "type": "object",
            "properties": {"result": {"$ref": "#/$defs/a"}},
            "required": ["result"],
            "$defs": {"a": {"$ref": "#/$defs/a"}},
        },
    ),
    (
        {"$schema": "https://json-schema.org/draft/2020-12/schema", **TREE},
        {
            "type": "object",
            "properties": {
                "result": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/properties/result"}}]}
            },
            "required": ["result"],
            "$schema": "https://json-schema.org/draft/2020-12/schema",
        },
    ),
    (
        {
            "prefixItems": [{"$ref": "#/prefixItems/1"}, {"enum": [{"$ref": "#"}]}],
            "properties": {"$ref": {"$ref": "#here"}},
        },
        {
            "type": "object",
            "properties": {
                "result": {
                    "prefixItems": [{"$ref": "#/properties/result/prefixItems/1"}, {"enum": [{"$ref": "#"}]}],
                    "properties": {"$ref": {"$ref": "#here"}},
                }
            },
            "required": ["result"],
        },
    ),
    (
        {"$id": "https://example.com/s", "type": "string", "$defs": {"a": {"$ref": "#"}}},
        {
            "type": "object",
            "properties": {"result": {"$id": "https://example.com/s", "type": "string", "$defs": {"a": {"$ref": "#"}}}},
            "required": ["result"],
        },
    ),
    (
        {"type": "object", "properties": {"result": {"type": "number"}}, "required": ["result"]},
        {
            "type": "object",
            "properties": {
                "result": {"type": "object", "properties": {"result": {"type": "number"}}, "required": ["result"]}
            },
            "required": ["result"],
        },
    ),
    (
        {"type": "object", "properties": {"result": {"type": "number"}}, "required": ["result"], "title": "T"},
        {"type": "object", "properties": {"result": {"type": "number"}}, "required": ["result"], "title": "T"},
    ),
]


@pytest.mark.parametrize(("schema", "wire"), SCHEMAS)
def test_a_schema_that_admits_more_than_objects_is_put_into_one(
    sample: Package, models: Any, schema: Any, wire: Any
) -> None:
    module = sample.provider(PROVIDER)
    copied = copy.deepcopy(schema)
    (entry,) = module.to_tools([models.ToolDefinition("t", result=copied)])
    assert laws.exact(entry["outputSchema"]) == laws.exact(wire)
    assert tool_faults(entry) == []
    (back,) = module.from_tools([entry])
    assert laws.exact(back.result) == laws.exact(copied) == laws.exact(schema)
    assert back.metadata is None


def test_a_schema_that_only_looks_wrapped_stays_as_it_came(sample: Package) -> None:
    """Values of such a tool are objects with one member."""
    module = sample.provider(PROVIDER)
    recording = next(r for r in recordings(PROVIDER) if "object-of-result" in r["id"])
    definitions = module.from_tools(recording["tools"])
    assert definitions[0].result == recording["tools"][0]["outputSchema"]
    result = module.from_tool_result(recording["result"], "call_a", "measure", tools=definitions)
    assert result.value == {"result": {"a": 1}}
    alone = {"content": [], "structuredContent": {"result": {"a": 1}}}
    assert module.from_tool_result(alone, "call_a", "measure", tools=definitions).value == {"result": {"a": 1}}


def test_a_value_without_its_text_is_unwrapped_where_the_tool_is_known(sample: Package, models: Any) -> None:
    module, wire = sample.provider(PROVIDER), {"content": [], "structuredContent": {"result": [1]}}
    definition = models.ToolDefinition("t", result={"type": "array"})
    assert module.from_tool_result(wire, "call_a", "t").value == {"result": [1]}
    result = module.from_tool_result(wire, "call_a", "t", tools=[definition])
    assert result.value == [1]
    assert module.to_tool_result(result, tools=[definition]) == wire
    result.value = [2]
    changed = module.to_tool_result(result, tools=[definition])
    assert changed == {"content": [{"type": "text", "text": "[2]"}], "structuredContent": {"result": [2]}}


READ = {
    "object-alone": ("data", {"degrees": 4}),
    "object-spaced": ("data", {"degrees": 4}),
    "object-told": ("data", {"degrees": 4}),
    "server-list": ("data", [2, 3, 5]),
    "server-text": ("text", "Hello, Ada"),
    "failure": ("error", "There is no city called Atlantis."),
    "failure-empty": ("error", ""),
    "nothing": ("text", ""),
    "embedded-text": ("text", "print(1)\n"),
    "annotated-text": ("text", "7 degrees"),
}


@pytest.mark.parametrize("name", READ)
def test_results_of_servers_are_read_by_what_they_mean(sample: Package, name: str) -> None:
    recording = next(r for r in recordings(PROVIDER) if r["id"].endswith(f"-{name}"))
    result = sample.provider(PROVIDER).from_tool_result(recording["result"], "call_a", "t")
    assert (result.kind, result.value) == READ[name]


def test_blocks_become_the_parts_that_their_media_types_say(sample: Package) -> None:
    module = sample.provider(PROVIDER)
    kinds = {}
    for name in ("embedded-blob", "links", "media-and-value"):
        recording = next(r for r in recordings(PROVIDER) if r["id"].endswith(f"-{name}"))
        parts = module.from_tool_result(recording["result"], "call_a", "t").value
        kinds[name] = [(part.type, getattr(part, "name", None)) for part in parts]
    assert kinds == {
        "embedded-blob": [("text", None), ("document", "the plan.pdf"), ("image", "1"), ("document", None)],
        "links": [("document", "a.pdf"), ("image", "b"), ("document", "c"), ("video", "d")],
        "media-and-value": [("image", None), ("text", None)],
    }


def test_what_the_official_server_makes_of_functions_is_read(sample: Package) -> None:
    server = MCPServer("functions")

    @server.tool()
    def primes(below: int) -> list[int]:
        return [n for n in (2, 3, 5, 7) if n < below]

    @server.tool()
    def settings() -> dict[str, Any]:
        return {"depth": 1}

    async def call() -> None:
        module = sample.provider(PROVIDER)
        async with Client(server) as client:
            listed = (await client.list_tools()).tools
            wire = [t.model_dump(by_alias=True, exclude_unset=True, mode="json") for t in listed]
            assert laws.exact(module.to_tools(module.from_tools(wire))) == laws.exact(wire)
            for name, arguments, value in (("primes", {"below": 6}, [2, 3, 5]), ("settings", {}, {"depth": 1})):
                returned = await client.call_tool(name, arguments)
                result = module.from_tool_result(returned, "call_a", name)
                assert (result.kind, result.value) == ("data", value)
            failed = module.from_tool_result(await client.call_tool("primes", {}), "call_a", "primes")
            assert failed.kind == "error"

    asyncio.run(call())


@pytest.mark.parametrize("depth", [200, 700])
def test_values_of_any_depth_are_read_or_refused(sample: Package, models: Any, depth: int) -> None:
    module, text = sample.provider(PROVIDER), '{"a":' * depth + "1" + "}" * depth
    for content in (text, "something else"):
        wire = {"content": [{"type": "text", "text": content}], "structuredContent": json.loads(text)}
        if depth > 300:
            with pytest.raises(models.ConversionError, match=r"nested too deeply|cannot be written"):
                module.to_tool_result(module.from_tool_result(wire, "call_a", "t"))
        else:
            assert module.to_tool_result(module.from_tool_result(wire, "call_a", "t")) == wire


@pytest.mark.parametrize("value", [float("nan"), {1}, {"a": object()}, "\ud800"])
def test_a_value_that_json_cannot_hold_is_refused(sample: Package, models: Any, value: Any) -> None:
    module, result = sample.provider(PROVIDER), models.ToolResult("call_a", "t", "data", value)
    if isinstance(value, str):
        assert json.dumps(module.to_tool_result(result)["structuredContent"]) == '{"result": "\\ud800"}'
        return
    with pytest.raises(models.ConversionError, match="cannot be written as JSON"):
        module.to_tool_result(result)
    for kind in ("text", "error", "multimodal"):
        with pytest.raises(models.ConversionError, match=r"^value: must be"):
            module.to_tool_result(models.ToolResult("call_a", "t", kind, 1))


def test_a_demand_for_input_is_no_result(sample: Package, models: Any) -> None:
    recording = next(r for r in recordings(PROVIDER) if "input_required" in r["tags"])
    module = sample.provider(PROVIDER)
    assert types.InputRequiredResult.model_validate(recording["result"])
    with pytest.raises(models.ConversionError, match="resultType: asks for input"):
        module.from_tool_result(recording["result"], "call_a", "book")
    with pytest.raises(models.ConversionError, match="content: must be an array, found nothing"):
        module.from_tool_result({"resultType": "complete"}, "call_a", "book")


def test_a_call_that_must_not_be_run_is_not_sent(sample: Package, models: Any) -> None:
    module, losses = sample.provider(PROVIDER), []
    invalid = models.InvalidCall('{"a": 1', "truncated")
    call = models.ToolCall("call_a", "now", {"a": 1}, invalid)
    for write in (module.to_tool_call, module.to_sdk):
        with pytest.raises(models.ConversionError, match="the server would run it as it is"):
            write(call)
    written = module.to_tool_call(call, on_loss=losses.append, on_unsupported="weaken")
    assert written == {"name": "now", "arguments": {"a": 1}}
    assert [(loss.path, loss.severity) for loss in losses] == [("invalid", "behaviour")]


def test_params_that_the_client_has_no_keyword_for_are_reported(sample: Package, models: Any) -> None:
    module, losses = sample.provider(PROVIDER), []
    params = {"name": "now", "arguments": {}, "_meta": {"a": 1}, "requestState": "s", "task": {"ttl": 1}}
    keywords = module.to_sdk(module.from_tool_call(params), on_loss=losses.append)
    assert keywords == {"name": "now", "arguments": {}, "meta": {"a": 1}, "request_state": "s"}
    assert [(loss.path, loss.severity) for loss in losses] == [("task", "warning")]


def test_a_result_without_the_value_that_the_schema_promises_is_reported(served: Package) -> None:
    module, models = served.provider(PROVIDER), served.module("models")
    for name, kind, value in (("get_weather", "text", "x"), ("primes", "multimodal", [models.TextPart("a")] * 2)):
        losses: list[Any] = []
        module.to_tool_result(models.ToolResult("call_a", name, kind, value), on_loss=losses.append)
        assert [(loss.path, loss.severity) for loss in losses] == [("kind", "warning")]
    losses = []
    module.to_tool_result(models.ToolResult("call_a", "primes", "error", "x"), on_loss=losses.append)
    assert losses == []


def test_media_without_a_type_or_a_name_get_what_the_wire_demands(sample: Package, models: Any) -> None:
    module, losses = sample.provider(PROVIDER), []
    parts = [
        models.ImagePart(data="AA=="),
        models.ImagePart(url="https://example.com/a%20b.png?x=1"),
        models.ImagePart(url="data:image/gif;base64,AA=="),
        models.DocumentPart(data="AA=="),
        models.VideoPart(data="AA==", name="f.mp4"),
        models.ImagePart(),
    ]
    wire = module.to_tool_result(models.ToolResult("a", "t", "multimodal", parts), on_loss=losses.append)
    assert wire["content"] == [
        {"type": "image", "data": "AA==", "mimeType": "image/png"},
        {"type": "resource_link", "uri": "https://example.com/a%20b.png?x=1", "name": "a b.png", "mimeType": "image/*"},
        {"type": "image", "data": "AA==", "mimeType": "image/gif"},
        {"type": "resource", "resource": {"uri": "attachment:///document", "blob": "AA=="}},
        {"type": "resource", "resource": {"uri": "attachment:///f.mp4", "mimeType": "video/*", "blob": "AA=="}},
        {"type": "text", "text": "[image]"},
    ]
    assert result_faults(wire) == []
    assert [(loss.path, loss.action) for loss in losses] == [
        ("value[0].mediaType", "defaulted"),
        ("value[1].name", "defaulted"),
        ("value[3].name", "defaulted"),
        ("value[5]", "described"),
    ]
    back = module.from_tool_result(wire, "a", "t").value
    assert [part.type for part in back] == ["image", "image", "image", "document", "video", "text"]
    assert [part.media_type for part in back[:5]] == ["image/png", None, "image/gif", None, None]


def test_the_payload_is_imported_as_the_same_declarations(served: Package, tmp_path: Path) -> None:
    """Under the names of this wire: it knows no others."""
    tools = served.provider(PROVIDER).TOOLS
    (tmp_path / "tools.json").write_text(json.dumps({"tools": tools}), "utf-8")
    result = toolgen("import", "mcp", tmp_path / "tools.json", "--out", tmp_path / "schemas")
    assert result.returncode == 0, result.stderr
    again = [yaml.safe_load(p.read_text("utf-8")) for p in sorted((tmp_path / "schemas/tools").glob("*.yaml"))]
    definitions = served.module("tools").DEFINITIONS
    for tool in again:
        name = {"weather_get": "get_weather"}.get(tool["name"], tool["name"])
        assert laws.exact(tool.get("result")) == laws.exact(definitions[name].result)
        assert tool["description"] == definitions[name].description
    assert len(again) == len(tools)
    (tmp_path / "schemas" / "toolgen.yaml").write_text("providers: [mcp]\n", "utf-8")
    built = Package(compiled(tmp_path / "schemas"), tmp_path).provider(PROVIDER)
    assert sorted(map(laws.exact, built.TOOLS)) == sorted(map(laws.exact, tools))


BOOM, PNG = {"type": "text", "text": "The disk is full."}, {"type": "image", "data": "aQ==", "mimeType": "image/png"}
SPLIT: dict[str, tuple[dict[str, Any], tuple[str, Any], set[str]]] = {
    "a message beside a value": (
        {"content": [BOOM], "structuredContent": {"code": 1}, "isError": True},
        ("error", "The disk is full."),
        {"structuredContent"},
    ),
    "a blank text beside a value": (
        {"content": [{"type": "text", "text": " "}], "structuredContent": {"code": 1}, "isError": True},
        ("data", {"code": 1}),
        set(),
    ),
    "a failed value": (
        {"content": [{"type": "text", "text": '{"code":1}'}], "structuredContent": {"code": 1}, "isError": True},
        ("data", {"code": 1}),
        set(),
    ),
    "a text beside a value": (
        {"content": [BOOM], "structuredContent": {"code": 1}},
        ("data", {"code": 1}),
        {"content"},
    ),
    "spaces in the text of a value": (
        {"content": [{"type": "text", "text": '{ "code": 1 }'}], "structuredContent": {"code": 1}},
        ("data", {"code": 1}),
        set(),
    ),
    "an image beside a value": (
        {"content": [PNG], "structuredContent": {"code": 1}, "isError": True},
        ("multimodal", ["image"]),
        {"structuredContent"},
    ),
}


@pytest.mark.parametrize("case", SPLIT)
@pytest.mark.parametrize("provider", ["openai_chat", "anthropic", "gemini", "ollama"])
def test_what_a_result_says_beside_its_value_is_told(sample: Package, models: Any, provider: str, case: str) -> None:
    """A model reads the message of a failed call. What it does not read is a note, and goes back to MCP."""
    wire, expected, left_out = SPLIT[case]
    result = sample.provider(PROVIDER).from_tool_result(wire, "call_a", "now")
    value = [part.type for part in result.value] if result.kind == "multimodal" else result.value
    assert (result.kind, value) == expected
    assert (result.kind == "error" or bool(result.is_error)) == wire.get("isError", False)
    assert laws.exact(sample.provider(PROVIDER).to_tool_result(result)) == laws.exact(wire)
    call = models.AssistantMessage([models.ToolCallPart(models.ToolCall("call_a", "now", {}))])
    request = models.Request([models.UserMessage("Hi"), call, models.ToolMessage([result])], model="m")
    losses: list[Any] = []
    laws.write(sample, provider, request, losses)
    told = {(loss.what, loss.severity) for loss in losses if "metadata.mcp" in loss.path}
    assert told == {(key, "note") for key in left_out}
