"""Tools that are sent again and again: written once, alike each time, never stale, and never shared."""

from __future__ import annotations

import copy
import json
import re
import warnings
from typing import Any

import pytest

from tests.providers import laws
from tests.support.every_row import over
from tests.support.generated import Package
from tests.support.repository import CONVERSING, PROFILES, TEXTS, hosts_of, profile
from tests.support.requests import HELLO, WEATHER
from toolgen_runtime.conversion.cache import Cache, from_bytes, to_bytes

each_provider = pytest.mark.parametrize("provider", PROFILES)


def declared(package: Package, provider: str) -> list[Any]:
    """Copies of the declared tools that a provider may get."""
    definitions, module = package.module("tools").DEFINITIONS, package.provider(provider)
    return [copy.deepcopy(definitions[name]) for name in definitions if name in module.ToolName.__args__]


def scribbled(value: Any) -> None:
    """Change everything inside of a JSON value."""
    if type(value) in (dict, list):
        for inner in list(value.values()) if type(value) is dict else value:
            scribbled(inner)
        value.clear()


@each_provider
def test_declared_tools_are_alike_each_time_and_a_changed_result_changes_no_other(
    package: Package, provider: str
) -> None:
    module, definitions = package.provider(provider), declared(package, provider)
    wanted = json.dumps(module.TOOLS)
    for _ in range(3):
        written = module.to_tools(definitions, on_loss=[].append, on_unsupported="weaken")
        assert json.dumps(written) == wanted
        scribbled(written)
    assert json.dumps(module.TOOLS) == wanted


@each_provider
def test_a_definition_that_was_changed_goes_out_as_it_is_now(package: Package, provider: str) -> None:
    module = package.provider(provider)
    tool = declared(package, provider)[0]

    def sent() -> str:
        return json.dumps(module.to_tools([tool], on_loss=[].append, on_unsupported="weaken"))

    before = sent()
    tool.description = "Changed."
    described = sent()
    assert described != before
    assert "Changed." in described
    tool.parameters["properties"] = {"level": {"type": "integer", "description": "One.", "enum": [1]}}
    as_number = sent()
    tool.parameters["properties"] = {"level": {"description": "One.", "type": "integer", "enum": [1]}}
    assert sorted(sent()) == sorted(as_number)  # the same in another order
    tool.parameters["properties"] = {"level": {"type": "boolean", "description": "One.", "enum": [True]}}
    assert sent() != as_number
    assert "level" in as_number


@pytest.mark.parametrize("provider", CONVERSING)
def test_losses_of_a_tool_made_at_run_time_are_told_each_time(package: Package, provider: str) -> None:
    models, module = package.module("models"), package.provider(provider)
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "anyOf": [{"required": ["a"]}, {"not": {}}]}
    tool = models.ToolDefinition("t", "Does it.", schema, metadata={"another": {"kept": 1}})
    reported: list[list[Any]] = []
    for _ in range(3):
        reported.append([])
        module.to_tools([tool], on_loss=reported[-1].append)
    assert reported[0] != []
    assert reported[0] == reported[1] == reported[2]


@pytest.mark.parametrize("provider", CONVERSING)
def test_losses_of_a_cached_tool_have_the_path_of_today(package: Package, provider: str) -> None:
    models, module = package.module("models"), package.provider(provider)
    schema = {"type": "object", "properties": {"b": {"type": "string"}}, "anyOf": [{"required": ["b"]}, {"not": {}}]}
    tool = models.ToolDefinition("moved", "Does it.", schema, metadata={"another": {"kept": 1}})
    plain = models.ToolDefinition("plain", "Does it.", {"type": "object", "properties": {}})

    def losses_of(tools: list[Any]) -> list[Any]:
        losses: list[Any] = []
        module.to_tools(tools, on_loss=losses.append)
        return losses

    first, alone = losses_of([tool]), losses_of([plain])
    with_path = [(loss.path.replace("[0]", "[1]", 1), loss.what, loss.reason) for loss in first]
    assert first != []
    assert [(loss.path, loss.what, loss.reason) for loss in losses_of([plain, tool])[len(alone) :]] == with_path
    assert losses_of([tool]) == first
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        module.to_tools([tool])
    assert len(caught) == sum(loss.severity != "note" for loss in first)


def test_what_fits_beside_other_tools_is_settled_anew_in_each_request(package: Package) -> None:
    models, module = package.module("models"), package.provider("anthropic")
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    tools = [
        models.ToolDefinition(
            f"t{i:02}", "Does it.", schema, metadata={"declaration": {"$declared": {"strict": "auto"}}}
        )
        for i in range(25)
    ]

    def strict(offered: list[Any]) -> list[str]:
        return [entry["name"] for entry in module.to_tools(offered) if entry.get("strict")]

    names = [tool.name for tool in tools]
    for _ in range(2):
        assert strict(tools) == names[:20]
        assert strict(tools[::-1]) == names[19::-1]  # the first by name, in any order
        assert strict(tools[20:]) == names[20:]
        assert strict([*tools[:19], *tools[22:]]) == [*names[:19], "t22"]


@pytest.mark.parametrize("provider", CONVERSING)
def test_what_is_not_json_in_a_definition_is_sent_as_it_was_the_first_time(package: Package, provider: str) -> None:
    class Number(float):
        """A number of another library."""

    models, module = package.module("models"), package.provider(provider)
    schema = {"type": "object", "properties": {"a": {"type": "number", "enum": [Number(0.5), bytearray(b"x")]}}}
    tool = models.ToolDefinition("t", "Does it.", schema)
    first, second = (module.to_tools([tool], on_loss=[].append) for _ in range(2))
    assert repr(first) == repr(second)


@pytest.mark.parametrize("provider", CONVERSING)
def test_tools_before_it_keep_no_schema_of_a_response_from_being_told_of(package: Package, provider: str) -> None:
    models, module = package.module("models"), package.provider(provider)
    schema = {"type": "object", "properties": {"a": {"type": "array", "items": [{"type": "string"}]}}}
    wanted = models.OutputSchema(schema, "answer")
    reported: list[list[Any]] = []
    for tools in (None, declared(package, provider)):
        reported.append([])
        request = models.Request(
            model="m", messages=[models.load(models.Message, HELLO)], tools=tools, output_format=wanted
        )
        module.to_request(request, on_loss=reported[-1].append, on_unsupported="weaken")
    without, with_tools = ([loss for loss in losses if loss.path.startswith("outputFormat")] for losses in reported)
    assert with_tools[: len(without)] == without
    rejected = ["outputFormat"] if provider in ("cohere", "groq") else []  # these APIs accept no format beside tools
    assert [loss.path for loss in with_tools[len(without) :]] == rejected


def test_values_that_json_tells_apart_are_remembered_apart() -> None:
    values: list[Any] = [1, 1.0, True, "1", None, {"a": 1, "b": 2}, {"b": 2, "a": 1}, [1], "é", "\ud800"]
    keys = [to_bytes(value) for value in values]
    assert None not in keys
    assert len(set(keys)) == len(values)
    assert [repr(from_bytes(key)) for key in keys if key is not None] == [repr(value) for value in values]
    deep: list[Any] = []
    deep.append(deep)
    assert to_bytes(deep) is None
    assert to_bytes(object()) is None


def test_a_memory_stays_small_whatever_is_put_into_it() -> None:
    memory: Cache[int] = Cache()
    for i in range(10_000):
        memory.put(b"%d" % i, i, 1)
    assert memory.get(b"9999") == 9999
    assert sum(memory.get(b"%d" % i) is not None for i in range(10_000)) <= 2048
    for i in range(100):
        memory.put(b"large %d" % i, i, 1_000_000)
    assert sum(memory.get(b"large %d" % i) is not None for i in range(100)) <= 16
    memory.put(b"huge", 1, 10**9)
    assert memory.get(b"huge") is None
    assert memory.get(None) is None


@each_provider
def test_a_name_that_was_told_elsewhere_in_a_request_is_told_again_in_the_next(
    sample: Package, models: Any, provider: str
) -> None:
    """Within one request a renaming is told once; what was written silently for that is not remembered as lossless."""
    module, facts = sample.provider(provider), profile(provider)["names"]
    tools = [models.ToolDefinition("with a blank"), models.ToolDefinition("with a blank", description="Twice.")]
    for offered in (tools, tools[1:]):
        heard: list[Any] = []
        module.to_tools(offered, on_loss=heard.append)
        renamed = [loss for loss in heard if loss.what == "a tool's name"]
        assert len(renamed) == (0 if re.fullmatch(facts["pattern"], "with a blank") else 1)


REFUSING = [
    *("openai_chat", *hosts_of("openai_chat"), "openai_compatible", *hosts_of("openai_compatible")),
    *("openai_responses", "gemini", "cohere"),
]
"""The APIs that reject a tool choice without tools."""
PARALLEL = [name for name in REFUSING if name not in ("gemini", "cohere")]
SEARCH = {"type": "opaque", "provider": "gemini", "value": {"googleSearch": {}}}


@over("choice", ["auto", "none", {"names": ["get_weather"], "mode": "auto"}])
@over("tools", [None, [], [SEARCH]])
@pytest.mark.parametrize("provider", REFUSING)
def test_a_choice_without_tools_is_left_out(
    sample: Package, models: Any, provider: str, tools: Any, choice: Any
) -> None:
    fields = {"messages": [HELLO]} | ({} if tools is None else {"tools": tools})
    plain = laws.write(sample, provider, models.load(models.Request, fields), [])
    losses: list[Any] = []
    request = models.load(models.Request, {**fields, "toolChoice": choice})
    assert laws.write(sample, provider, request, losses) == plain
    assert [(loss.action, loss.severity) for loss in losses if loss.path == "toolChoice"] == [("dropped", "note")]


@over("choice", ["required", {"name": "get_weather"}, {"names": ["now"], "mode": "required"}])
@over("tools", [None, [], [SEARCH]])
@pytest.mark.parametrize("provider", [*REFUSING, "bedrock"])
def test_no_call_can_be_required_without_tools(
    sample: Package, models: Any, provider: str, tools: Any, choice: Any
) -> None:
    fields = {"messages": [HELLO], "toolChoice": choice} | ({} if tools is None else {"tools": tools})
    request = models.load(models.Request, fields)
    with pytest.raises(models.ConversionError, match="toolChoice cannot be sent: the request has no tools") as caught:
        sample.provider(provider).to_request(request, on_loss=lambda loss: None)
    loss = caught.value.loss
    assert (loss.path, loss.severity, loss.reason) == ("toolChoice", "behaviour", "the request has no tools")
    body = laws.write(sample, provider, request, [])
    assert "tool_choice" not in body
    assert "toolConfig" not in body


@pytest.mark.parametrize("provider", PARALLEL)
def test_a_setting_of_calls_needs_tools(sample: Package, models: Any, provider: str) -> None:
    fields = {"messages": [HELLO], "parallelToolCalls": False}
    losses: list[Any] = []
    assert "parallel_tool_calls" not in laws.write(sample, provider, models.load(models.Request, fields), losses)
    assert [(loss.path, loss.severity) for loss in losses] == [("parallelToolCalls", "note")]
    request = models.load(models.Request, {**fields, "tools": [WEATHER], "toolChoice": "auto"})
    body = laws.write(sample, provider, request, losses)
    assert (body["parallel_tool_calls"], body["tool_choice"]) == (False, "auto")


SENT_WITHOUT_TOOLS: list[tuple[str, dict[str, Any]]] = [
    *((name, {"tool_choice": "none", "parallel_tool_calls": False}) for name in PARALLEL),
    ("openai_chat", {"tool_choice": {"type": "function", "function": {"name": "f"}, "x": 1}}),
    ("openai_responses", {"tool_choice": {"type": "function", "name": "f"}, "parallel_tool_calls": True}),
    ("cohere", {"tool_choice": "REQUIRED"}),
    ("gemini", {"toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["f"]}}}),
    ("gemini", {"tools": [{"googleSearch": {}}], "toolConfig": {"functionCallingConfig": {"mode": "AUTO", "x": 1}}}),
]


@pytest.mark.parametrize(("provider", "more"), SENT_WITHOUT_TOOLS)
def test_a_choice_that_was_read_without_tools_comes_back(sample: Package, provider: str, more: Any) -> None:
    module = sample.provider(provider)
    messages = {"gemini": "contents", "openai_responses": "input"}.get(provider, "messages")
    body = {messages: [], **more}
    request = module.from_request(body)
    losses: list[Any] = []
    assert laws.exact(module.to_request(request, on_loss=losses.append)) == laws.exact(body)
    assert losses == []
    request.tool_choice, request.parallel_tool_calls = "auto", None
    changed = module.to_request(request, on_loss=losses.append)
    request.tool_choice = None
    removed = module.to_request(request)
    remaining = {
        key: value for key, value in body.items() if key not in ("tool_choice", "parallel_tool_calls", "toolConfig")
    }
    assert removed == remaining
    if "tools" not in more:
        assert changed == remaining
        assert losses == []


@pytest.mark.parametrize("provider", [*REFUSING, "bedrock", "anthropic", "vertex", "modular_prompt", "kagami"])
def test_a_choice_names_a_tool_of_the_request(sample: Package, models: Any, provider: str) -> None:
    fields = {"messages": [HELLO], "tools": [WEATHER], "maxOutputTokens": 9}
    plain = laws.write(sample, provider, models.load(models.Request, fields), [])
    for choice in ({"name": "elsewhere"}, {"names": ["elsewhere"], "mode": "auto"}):
        request = models.load(models.Request, {**fields, "toolChoice": choice})
        with pytest.raises(models.ConversionError, match="toolChoice cannot be sent: the request has no tool that it"):
            sample.provider(provider).to_request(request, on_loss=lambda loss: None)
        assert laws.write(sample, provider, request, []) == plain
    hosted = {"type": "opaque", "provider": provider, "value": {"type": "own", "name": "elsewhere"}}
    request = models.load(models.Request, {**fields, "toolChoice": {"name": "elsewhere"}, "tools": [WEATHER, hosted]})
    losses: list[Any] = []
    laws.write(sample, provider, request, losses)
    assert "the request has no tool that it names" not in [loss.reason for loss in losses]


def chat_body(**more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [HELLO], "tools": [{"type": "function", "function": {"name": "now"}}], **more}


def responses_body(*own: dict[str, Any], **more: Any) -> dict[str, Any]:
    function = {"type": "function", "name": "now", "parameters": {"type": "object"}, "strict": False}
    return {"model": "m", "input": [HELLO], "tools": [function, *own], **more}


def claude_body(choice: dict[str, Any]) -> dict[str, Any]:
    tools = [{"name": "now", "input_schema": {"type": "object"}}, {"type": "web_search_20250305", "name": "web_search"}]
    return {"model": "m", "max_tokens": 9, "messages": [HELLO], "tools": tools, "tool_choice": choice}


SERVER = {"type": "mcp", "server_label": "s", "server_url": "https://example.com"}
CUSTOM = {"type": "custom", "name": "shell"}
ALLOWED = {
    "type": "allowed_tools",
    "tools": [{"type": "mcp", "server_label": "s"}, {"type": "function", "name": "now"}],
}
CHOSEN_OWN: dict[str, tuple[str, dict[str, Any]]] = {
    "a custom tool": ("openai_responses", responses_body(CUSTOM, tool_choice=CUSTOM)),
    "a hosted tool": (
        "openai_responses", responses_body({"type": "web_search"}, tool_choice={"type": "web_search_preview"})
    ),
    "a server": ("openai_responses", responses_body(SERVER, tool_choice={"type": "mcp", "server_label": "s"})),
    "a tool of a server": (
        "openai_responses", responses_body(SERVER, tool_choice={"type": "mcp", "server_label": "s", "name": "t"})
    ),
    "some tools, one required": ("openai_responses", responses_body(SERVER, tool_choice={**ALLOWED, "mode": "required"})),
    "some tools": ("openai_responses", responses_body(SERVER, tool_choice={**ALLOWED, "mode": "auto"})),
    "a custom tool of chat": ("openai_chat", chat_body(tool_choice={"type": "custom", "custom": {"name": "shell"}})),
    "some tools of chat": (
        "openai_chat",
        chat_body(
            tool_choice={
                "type": "allowed_tools",
                "allowed_tools": {"mode": "required", "tools": [{"type": "custom", "custom": {"name": "shell"}}]},
            }
        ),
    ),
    "a tool of the server": ("anthropic", claude_body({"type": "tool", "name": "web_search"})),
    "an unknown choice": ("anthropic", claude_body({"type": "future"})),
    "an unknown mode": (
        "gemini",
        {
            "contents": [{"role": "user", "parts": [{"text": "Hello"}]}],
            "tools": [{"functionDeclarations": [{"name": "now"}]}],
            "toolConfig": {"functionCallingConfig": {"mode": "FUTURE"}},
        },
    ),
    "a tool of Mistral": (
        "mistral",
        chat_body(
            tools=[{"type": "web_search", "function": {"name": "web_search"}}],
            tool_choice={"type": "function", "function": {"name": "web_search"}},
        ),
    ),
}  # fmt: skip


@over("name", list(CHOSEN_OWN))
@pytest.mark.parametrize("target", [*CONVERSING, *TEXTS])
def test_a_choice_of_a_providers_own_tools_is_a_loss_of_behaviour(
    sample: Package, models: Any, target: str, name: str
) -> None:
    source, body = CHOSEN_OWN[name]
    if source == target:
        laws.body_comes_back(sample, source, body)
        return
    request = laws.read(sample, source, body)
    with pytest.raises(models.ConversionError, match="toolChoice cannot be sent"):
        sample.provider(target).to_request(request, on_loss=lambda loss: None)
    losses: list[Any] = []
    sent = laws.write(sample, target, request, losses)
    lost = [(loss.path, loss.severity) for loss in losses if "hoice" in loss.path or "functionCalling" in loss.path]
    assert lost == [("toolChoice", "behaviour")]
    assert not {"tool_choice", "toolChoice"} & sent.keys()
    request.tool_choice = "auto"
    losses.clear()
    laws.write(sample, target, request, losses)
    assert "behaviour" not in [loss.severity for loss in losses if loss.path == "toolChoice"]


@over("choice", [None, {}, {"mode": "MODE_UNSPECIFIED"}, {"mode": 0}, {"streamFunctionCallArguments": True}])
def test_a_setting_of_vertex_without_a_mode_is_no_choice(sample: Package, choice: Any) -> None:
    body = {
        "contents": [{"role": "user", "parts": [{"text": "Hello"}]}],
        "tools": [{"functionDeclarations": [{"name": "now"}]}],
        "toolConfig": {"functionCallingConfig": choice},
    }
    losses: list[Any] = []
    laws.write(sample, "openai_chat", laws.read(sample, "vertex", body), losses)
    assert "toolChoice" not in [loss.path for loss in losses]


def test_a_choice_of_another_tool_that_was_read_comes_back(sample: Package) -> None:
    tool = {"name": "now", "input_schema": {"type": "object", "properties": {}}}
    choice = {"type": "tool", "name": "elsewhere", "disable_parallel_tool_use": True}
    body = {"model": "m", "max_tokens": 9, "messages": [HELLO], "tools": [tool], "tool_choice": choice}
    laws.body_comes_back(sample, "anthropic", body)
    request = laws.read(sample, "anthropic", body)
    request.tool_choice = sample.module("models").NamedToolChoice("nowhere")
    sent = laws.write(sample, "anthropic", request, [])
    assert sent["tool_choice"] == {"type": "auto", "disable_parallel_tool_use": True}


@pytest.mark.parametrize("provider", ["anthropic", "bedrock"])
def test_two_tools_of_one_name_are_one(sample: Package, models: Any, provider: str) -> None:
    first, second = models.ToolDefinition("now", "A."), models.ToolDefinition("now", "B.")
    module = sample.provider(provider)
    losses: list[Any] = []
    assert module.to_tools([first, first, second], on_loss=losses.append) == module.to_tools([first])
    reported = [(loss.path, loss.action, loss.severity) for loss in losses if loss.what == "a tool"]
    assert reported == [("[1]", "dropped", "note"), ("[2]", "dropped", "warning")]
