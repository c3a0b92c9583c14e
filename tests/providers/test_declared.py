"""Declared tools on every wire, by the names and the spellings that the wires have for them: nobody has to give them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.providers import laws
from tests.support.every_row import over
from tests.support.generated import Package, compiled, write_project
from tests.support.repository import CONVERSING, PROFILES, TEXTS, profile

NAMES = ("a-b", "1st", "_c", "d" * 64, "-")
"""Names that a declaration may have, each of which some wire refuses."""
KEPT = "kept-here"
"""A tool that no provider may get, but that histories have calls of."""
MIXED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "v": {"enum": [1, "1", True, None, 1.5, [1], {"a": 1}]},
        "n": {"const": None},
        "any": True,
    },
    "required": ["v"],
}
"""Values that strict dialects spell as texts, and null for what may be absent."""
VALUES = ([1], {"a": 1}, "1", 1, None, True, 1.5)
FORECAST: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "unit": {"type": "string", "description": "The unit."}},
    "required": ["city"],
}
CROWD = 24
"""More tools that can be strict than a request may have at providers that count them."""
TOOLS: tuple[dict[str, Any], ...] = (
    *(
        {
            "name": f"another_{i}",
            "description": "A tool.",
            "parameters": {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]},
        }
        for i in range(CROWD)
    ),
    {"name": "mixed", "description": "A tool.", "parameters": MIXED},
    {"name": "forecast", "description": "A tool.", "parameters": FORECAST},
    *({"name": name, "description": "A tool.", "parameters": {"type": "object", "properties": {}}} for name in NAMES),
    {"name": KEPT, "description": "A tool.", "unsupported": list(PROFILES)},
)

REQUESTING = [name for name in PROFILES if "request" in profile(name)["mappings"]]
OFFERING = [
    name
    for name in PROFILES
    if name not in TEXTS and any(mapping["type"] == "Request" for mapping in profile(name)["mappings"].values())
]
"""Providers whose requests have the definitions of the tools, not only texts about them."""

each_name = over("name", [*NAMES, KEPT])


@pytest.fixture(scope="module")
def declared(tmp_path_factory: pytest.TempPathFactory) -> Package:
    folder = tmp_path_factory.mktemp("declared")
    return Package(compiled(write_project(folder, TOOLS, {}), PROFILES), folder)


@each_name
@pytest.mark.parametrize("provider", REQUESTING)
def test_a_history_has_a_declared_tools_own_name(declared: Package, provider: str, name: str) -> None:
    module, models, losses = declared.provider(provider), declared.module("models"), []
    request = history(models, name, {}, None)
    body = json.loads(json.dumps(module.to_request(request, on_loss=losses.append)))
    _, asked, results = module.from_request(body).messages
    assert (asked.content[0].call.name, results.results[0].name) == (name, name)
    assert [loss.what for loss in losses if loss.what == "a tool's name"] == []


@each_name
@pytest.mark.parametrize("provider", PROFILES)
def test_a_model_calls_a_declared_tool_by_its_name_on_the_wire(declared: Package, provider: str, name: str) -> None:
    module, models = declared.provider(provider), declared.module("models")
    if not hasattr(module, "to_response"):
        wire = json.loads(json.dumps(module.to_tool_call(models.ToolCall("call_a", name, {}))))
        assert [call.name for call in module.from_tool_calls([wire])] == [name]
        return
    message = models.AssistantMessage([models.ToolCallPart(models.ToolCall("call_a", name, {}))])
    completion = models.Completion(message, "tool_calls", "r", "m", usage=models.Usage(1, 1, 2))
    body = json.loads(json.dumps(module.to_response(completion, on_loss=lambda loss: None)))
    assert [call.name for call in module.from_tool_calls(body)] == [name]
    if not hasattr(module, "StreamWriter"):
        return
    writer, stream = module.StreamWriter(), module.Stream()
    events = [*writer.write(models.CompletedEvent(completion)), *writer.finish()]
    emitted = [event for piece in json.loads(json.dumps(events)) for event in stream.feed(piece)] + stream.finish()
    names = {
        (event.call.name if event.type == "tool_call" else event.name)
        for event in emitted
        if event.type in ("tool_call", "tool_call_delta")
    }
    assert names - {None} == {name}
    assert [part.call.name for part in stream.result().message.content] == [name]


@over("name", ["f.g", "my tool", "functions/f", ""])
@pytest.mark.parametrize("provider", CONVERSING)
def test_a_response_keeps_a_name_that_requests_cannot_have(declared: Package, provider: str, name: str) -> None:
    """Models invent names; whoever reads the response must see which."""
    module, models, losses = declared.provider(provider), declared.module("models"), []
    message = models.AssistantMessage([models.ToolCallPart(models.ToolCall("call_a", name, {}))])
    completion = models.Completion(message, "tool_calls", "r", "m", usage=models.Usage(1, 1, 2))
    body = json.loads(json.dumps(module.to_response(completion, on_loss=losses.append)))
    assert [call.name for call in module.from_tool_calls(body)] == [name]
    assert [loss.what for loss in losses if loss.what == "a tool's name"] == []
    if not name:
        return
    writer, stream = module.StreamWriter(), module.Stream()
    for event in [*writer.write(models.CompletedEvent(completion)), *writer.finish()]:
        stream.feed(event)
    stream.finish()
    assert [part.call.name for part in stream.result().message.content] == [name]


def history(models: Any, name: str, arguments: dict[str, Any], tools: Any) -> Any:
    """A request with a call in its history."""
    call = models.ToolCall("toolu_abc", name, arguments)
    messages = [
        models.UserMessage("Go."),
        models.AssistantMessage([models.ToolCallPart(call)]),
        models.ToolMessage([models.ToolResult("toolu_abc", name, "text", "done")]),
    ]
    return models.Request(messages, tools=tools, max_output_tokens=9)


@over("value", VALUES)
@over("offered", ["none", "alone", "after others"])
@pytest.mark.parametrize("provider", REQUESTING)
def test_a_history_is_spelled_as_its_body_offers_the_tool(
    declared: Package, provider: str, offered: str, value: Any
) -> None:
    """Whether a tool is strict may depend on those beside it; the body alone says how its calls are spelled."""
    module, models = declared.provider(provider), declared.module("models")
    definitions = declared.module("tools").DEFINITIONS
    crowd = [definitions[f"another_{i}"] for i in range(CROWD)]
    tools = {"none": None, "alone": [definitions["mixed"]], "after others": [*crowd, definitions["mixed"]]}[offered]
    arguments = {"v": value, "any": {"a": None}}
    body = json.loads(json.dumps(module.to_request(history(models, "mixed", arguments, tools), on_loss=str)))
    request = module.from_request(body)
    assert laws.exact(request.messages[1].content[0].call.arguments) == laws.exact(arguments)
    assert laws.exact(module.to_request(request, on_loss=str)) == laws.exact(body)


@over("strict", [True, False, None])
@pytest.mark.parametrize("provider", REQUESTING)
def test_a_body_comes_back_that_was_read_by_tools_of_another_place(
    declared: Package, provider: str, strict: bool | None
) -> None:
    """The request that was read has the tools as they stood in the body: these do not say how its calls were meant."""
    module, models, heard = declared.provider(provider), declared.module("models"), str
    tools = [models.ToolDefinition("elsewhere", "A tool.", MIXED, strict)]
    history_request = history(models, "elsewhere", {"v": [1], "n": None, "any": None}, tools)
    body = json.loads(json.dumps(module.to_request(history_request, on_loss=heard, on_unsupported="weaken")))
    request = module.from_request(body, tools=tools)
    stored = models.load(models.Request, json.loads(json.dumps(models.dump(request))))
    assert laws.exact(module.to_request(stored, on_loss=heard, on_unsupported="weaken")) == laws.exact(body)
    call = request.messages[1].content[0].call
    call.arguments["any"] = "edited"
    edited = module.from_request(module.to_request(request, on_loss=heard, on_unsupported="weaken"))
    assert edited.messages[1].content[0].call.arguments["any"] == "edited"


@over("strict", [True, False, None])
@pytest.mark.parametrize("provider", OFFERING)
def test_a_body_that_defines_a_declared_tool_differently_keeps_its_arguments(
    declared: Package, provider: str, strict: bool | None
) -> None:
    """A null means nothing for the declared tool, but it may mean something for another one of the same name."""
    module, models = declared.provider(provider), declared.module("models")
    unit = {"type": ["string", "null"], "description": "The unit."}
    nullable = {**FORECAST, "properties": {**FORECAST["properties"], "unit": unit, "day": {"type": "string"}}}
    reworded = {
        **FORECAST,
        "properties": {**FORECAST["properties"], "unit": {"type": "string", "description": "C or F"}},
    }
    arguments_read = []
    for schema in (nullable, reworded):
        tools = [models.ToolDefinition("forecast", "Another tool.", schema, strict)]
        request_given = history(models, "forecast", {"city": "x", "unit": "AAA"}, tools)
        body = with_null(json.loads(json.dumps(module.to_request(request_given, on_loss=str, on_unsupported="weaken"))))
        request = module.from_request(body)
        assert laws.exact(module.to_request(request, on_loss=str, on_unsupported="weaken")) == laws.exact(body)
        arguments_read.append(request.messages[1].content[0].call.arguments)
    assert arguments_read[0].items() >= {"city": "x", "unit": None}.items()  # a strict tool has a null for the day too
    assert arguments_read[1] == {"city": "x"}


def with_null(value: Any) -> Any:
    """A value with null in place of the text AAA, also in JSON texts."""
    if isinstance(value, dict):
        return {key: with_null(item) for key, item in value.items()}
    if isinstance(value, list):
        return [with_null(item) for item in value]
    if isinstance(value, str):
        return None if value == "AAA" else value.replace('"AAA"', "null")
    return value


def swapped(value: Any, texts: dict[str, str]) -> Any:
    """A value with texts in place of others, also of those that stand as JSON in a text."""
    if isinstance(value, dict):
        return {key: swapped(item, texts) for key, item in value.items()}
    if isinstance(value, list):
        return [swapped(item, texts) for item in value]
    for name, text in texts.items() if isinstance(value, str) else ():
        value = text if value in (name, json.dumps(name)) else value.replace(json.dumps(name), json.dumps(text))
    return value


@over("text", ["null", "1", '{"a":null}', "no JSON"])
@pytest.mark.parametrize("provider", REQUESTING)
def test_a_value_of_any_type_that_came_as_text_goes_back_as_it_came(
    declared: Package, provider: str, text: str
) -> None:
    module, models = declared.provider(provider), declared.module("models")
    tools = [declared.module("tools").DEFINITIONS["mixed"]]
    body = module.to_request(history(models, "mixed", {"v": "AAA", "any": "BBB"}, tools), on_loss=str)
    body = swapped(json.loads(json.dumps(body)), {"AAA": "null", "BBB": text})
    assert laws.exact(module.to_request(module.from_request(body), on_loss=str)) == laws.exact(body)


@pytest.mark.parametrize("provider", OFFERING)
def test_a_tool_that_a_provider_may_not_get_is_left_out(declared: Package, provider: str) -> None:
    module, models, losses = declared.provider(provider), declared.module("models"), []
    definitions = declared.module("tools").DEFINITIONS
    for tools in ([definitions[KEPT], definitions["forecast"]], [definitions[KEPT]]):
        request = models.Request([models.UserMessage("Hi")], model="m", tools=tools, tool_choice="required")
        body = json.dumps(module.to_request(request, on_loss=losses.append, on_unsupported="weaken"))
        assert KEPT not in body
        assert ("forecast" in body) == (len(tools) == 2)
    assert {loss.path for loss in losses if loss.severity == "behaviour"} >= {"tools[0]"}
    request = models.Request([models.UserMessage("Hi")], model="m", tools=[definitions[KEPT]], tool_choice="required")
    plain = models.Request([models.UserMessage("Hi")], model="m", tool_choice="required")
    without = laws.write(declared, provider, plain)
    assert {**laws.write(declared, provider, request), "tools": without.get("tools")} == {"tools": None, **without}
