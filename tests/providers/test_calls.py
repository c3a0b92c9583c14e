"""Calls in responses: names spelled back, many alike, none or odd arguments, and the turn with their results."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from tests.providers import laws
from tests.support.every_row import grouped, over
from tests.support.exchanges import Exchanges
from tests.support.generated import Package, wire_name
from tests.support.places import put
from tests.support.repository import OWN_CODE, having, table
from tests.support.responses import response_of
from tests.support.wires import WIRES, restore_object_content

each_provider = pytest.mark.parametrize("provider", OWN_CODE)
NAMES = ("get.weather", "get/weather", "get weather", "get_weather", "1st", "class", "x" * 129, "工具", "print")


def asking(provider: str, *calls: Any) -> Any:
    """The table's response with these calls of the wire."""
    return put(response_of(provider, calls=True), table(provider)["at"]["content"], list(calls))


def named(provider: str, name: str) -> Any:
    """The table's first call with another name."""
    return json.loads(json.dumps(table(provider)["calls"][0]).replace('"now"', json.dumps(name)))


@over("name", NAMES)
@each_provider
def test_a_name_is_spelled_back_wherever_a_call_comes_in(
    sample: Package, models: Any, provider: str, name: str
) -> None:
    module, definitions = sample.provider(provider), [models.ToolDefinition(name) for name in NAMES]
    written = module.from_tools(module.to_tools(definitions, on_loss=lambda loss: None))[NAMES.index(name)].name
    body = asking(provider, named(provider, written))
    assert [c.name for c in module.from_tool_calls(body, tools=definitions)] == [name]
    assert laws.calls_of(sample, module.from_response(body, tools=definitions))[0].name == name
    if provider not in having("stream"):
        return
    emitted = list(module.iter_events(WIRES[provider].split(body), tools=definitions))
    assert laws.calls_of(sample, emitted[-1].completion)[0].name == name
    assert {e.name for e in emitted if type(e).__name__ == "ToolCallDelta" and e.name is not None} == {name}


@each_provider
def test_a_declared_tools_call_has_its_declared_name(sample: Package, provider: str) -> None:
    module, body = sample.provider(provider), asking(provider, named(provider, wire_name(provider)))
    assert [c.name for c in module.from_tool_calls(body)] == ["place_order"]
    if provider not in having("stream"):
        return
    completion, emitted = laws.played(sample, provider, WIRES[provider].split(body))
    assert [c.name for c in laws.calls_of(sample, completion)] == ["place_order"]
    assert wire_name(provider) not in {getattr(event, "name", None) for event in emitted}


@each_provider
def test_a_call_of_no_tool_is_read_and_has_a_result(sample: Package, provider: str) -> None:
    """An unknown name is no reason to lose the turn: the result of the call is an error."""
    completion = laws.completion_of(sample, provider, asking(provider, named(provider, "no_such_tool")))
    (call,) = laws.calls_of(sample, completion)
    assert (call.name, call.invalid) == ("no_such_tool", None)
    body, _ = laws.next_request(sample, provider, completion)
    assert [seen_call.name for seen_call in WIRES[provider].calls(body)] == ["no_such_tool"]
    assert WIRES[provider].order_faults(body) == []


@over("count", [2, 3, 9])
@each_provider
def test_calls_that_are_alike_stay_apart(sample: Package, models: Any, provider: str, count: int) -> None:
    """Of one name, with the same arguments: in one response, and in pieces. All wires take these ids as they are."""
    calls = [models.ToolCall(f"abcdefgh{i}", "now", {"a": 1}) for i in range(count)]
    message = models.AssistantMessage([models.ToolCallPart(call) for call in calls])
    body = sample.provider(provider).to_response(models.Completion(message, "tool_calls"), id="i")
    assert laws.calls_of(sample, laws.completion_of(sample, provider, body)) == calls
    if provider not in having("stream"):
        return
    completion, emitted = laws.played(sample, provider, WIRES[provider].split(body))
    assert laws.calls_of(sample, completion) == calls
    assert [e.call for e in emitted if type(e).__name__ == "ToolCallEvent"] == calls
    laws.adds_up(sample, completion, emitted)


EMPTY = [pytest.param(p, call, id=f"{p}-{i}") for p in OWN_CODE for i, call in enumerate(table(p)["no_arguments"])]


@grouped("provider, call", EMPTY)
def test_no_arguments_are_an_empty_object(sample: Package, provider: str, call: Any) -> None:
    module, body = sample.provider(provider), asking(provider, call)
    (call_read,) = module.from_tool_calls(body)
    assert (call_read.name, call_read.arguments, call_read.invalid) == ("now", {}, None)
    completion = module.from_response(body)
    assert completion.finish_reason == "tool_calls"
    sent, _ = laws.next_request(sample, provider, completion)
    assert [restore_object_content(seen_call.value) for seen_call in WIRES[provider].calls(sent)] == [{}]
    assert WIRES[provider].type_faults(sent) == []


@each_provider
def test_text_that_holds_json_stays_text(sample: Package, models: Any, provider: str) -> None:
    arguments = {"text": '{"a": 1}', "list": "[1]", "number": "7", "null": "null"}
    message = models.AssistantMessage([models.ToolCallPart(models.ToolCall("call_a", "now", arguments))])
    body = sample.provider(provider).to_response(models.Completion(message, "tool_calls"), id="i")
    completions = [laws.completion_of(sample, provider, body)]
    if provider in having("stream"):
        completions.append(laws.played(sample, provider, WIRES[provider].split(body))[0])
    for completion in completions:
        assert [c.arguments for c in laws.calls_of(sample, completion)] == [arguments]


@each_provider
def test_two_turns_take_nothing_but_converters(
    exchanges: Exchanges, sample: Package, models: Any, provider: str
) -> None:
    """The app drives: it sends, reads the calls of the client's own object, runs them, and sends what they gave."""
    module, body = sample.provider(provider), response_of(provider, calls=True)
    tools = [models.ToolDefinition(name, "Does it.") for name in ("get_weather", "now")]
    request = models.Request([models.UserMessage("Weather in Oslo?")], model="m", tools=tools)

    def exchange() -> tuple[Any, Any]:
        """What was sent, and the response: the client's object, or the format's own where there is no client."""
        if provider not in having("sdk"):
            return module.to_request(request), copy.deepcopy(body)
        reply = exchanges.received(provider, body, module.to_sdk(request))
        return exchanges.sent().body, reply

    sent, response = exchange()
    completion = module.from_response(response)
    assert [t.name for t in module.from_request(sent).tools] == ["get_weather", "now"]
    calls = sample.module("messages").tool_calls_of(completion.message)
    handlers = {"now": lambda arguments: "noon", "get_weather": lambda arguments: f"rain in {arguments['city']}"}
    results = [models.ToolResult(c.id, c.name, "text", handlers[c.name](c.arguments)) for c in calls]
    request.messages += [completion.message, models.ToolMessage(results)]
    sent, _ = exchange()
    asked, results_seen = WIRES[provider].calls(sent), WIRES[provider].results(sent)
    assert [seen_call.name for seen_call in asked] == ["now", "get_weather"]
    assert [seen_result.id for seen_result in results_seen] == [seen_call.id for seen_call in asked]
    assert "noon" in laws.exact(results_seen[0].value)
    assert "rain in Oslo" in laws.exact(results_seen[1].value)
    assert WIRES[provider].order_faults(sent) == []


@pytest.mark.parametrize("provider", having("usage"))
def test_a_response_without_usage_has_none(sample: Package, provider: str) -> None:
    body = copy.deepcopy(response_of(provider, calls=True))
    for key in table(provider)["at"]["usage"]:
        body.pop(key, None)
    assert WIRES[provider].read_response(body).usage is None
    completion, _ = laws.played(sample, provider, WIRES[provider].split(body))
    assert completion.usage is None
    assert laws.completion_of(sample, provider, body).usage is None


@each_provider
def test_what_only_the_provider_says_is_under_its_name(sample: Package, provider: str) -> None:
    key = WIRES[provider].unknown_key
    body = {**response_of(provider), key: {"a": [1, None]}}
    completion = laws.completion_of(sample, provider, body)
    assert completion.metadata[provider][key] == {"a": [1, None]}
    assert list(completion.metadata) == [provider]


NULL_CALLS: dict[str, Any] = {
    "openai_chat": lambda f: {"choices": [{"index": 0, "message": {"role": "assistant", "tool_calls": [f]}}]},
    "cohere": lambda f: {"id": "a", "finish_reason": "TOOL_CALL", "message": {"role": "assistant", "tool_calls": [f]}},
    "openai_responses": lambda f: {
        "id": "a",
        "model": "m",
        "status": "completed",
        "output": [{"type": "function_call", "call_id": f["id"], **f["function"]}],
    },
}
"""Responses with one call, by the API."""


@pytest.mark.parametrize("text", ["null", " null\n"])
@pytest.mark.parametrize("demand", [{}, {"required": ["a"]}, {"anyOf": [{"required": ["a"]}]}, None])
@pytest.mark.parametrize("provider", ["openai_compatible", "groq", "vllm", "mistral", *NULL_CALLS])
def test_the_text_null_is_no_arguments_if_the_tool_demands_none(
    sample: Package, models: Any, provider: str, text: str, demand: Any
) -> None:
    parameters = {"type": "object", "properties": {"a": {"type": "string"}}, **(demand or {})}
    tools = [] if demand is None else [models.ToolDefinition("seek", parameters=parameters)]
    call = {"id": "call_1", "type": "function", "function": {"name": "seek", "arguments": text}}
    body = NULL_CALLS.get(provider, NULL_CALLS["openai_chat"])(call)
    completion = sample.provider(provider).from_response(body, tools=tools)
    (read,) = [part.call for part in completion.message.content if part.type == "tool_call"]
    fault = None if demand == {} else "not_an_object"
    assert (read.arguments, read.invalid and read.invalid.reason) == ({}, fault)
    extras = read.metadata[provider]
    assert extras.get("function", extras)["arguments"] == text
    written = sample.provider(provider).to_response(completion)
    again = sample.provider(provider).from_response(written, tools=tools)
    assert again.message == completion.message
