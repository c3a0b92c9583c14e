"""An app on the types of Kagami: it moves to any provider, and none of its own lines change."""

from __future__ import annotations

from typing import Any

import pytest

from tests.providers import laws
from tests.support.exchanges import Exchanges
from tests.support.generated import Package
from tests.support.repository import having
from tests.support.requests import PIXEL
from tests.support.responses import response_of
from tests.support.wires import WIRES

PROVIDER = "kagami"
each_target = pytest.mark.parametrize("target", having("sdk"))

TOOLS = [
    {
        "name": "get_weather",
        "description": "获取指定城市的天气信息",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "城市名称"},
                "unit": {"type": "string", "description": "温度单位", "enum": ["celsius", "fahrenheit"]},
            },
            "required": ["city"],
        },
    },
    {"name": "now", "description": "The time.", "parameters": {"type": "object", "properties": {}}},
]


class Provider:
    """What an app calls: here a request goes out through a provider's official client."""

    def __init__(self, exchanges: Exchanges, package: Package, target: str, replies: list[Any]) -> None:
        self.exchanges, self.target, self.replies = exchanges, target, replies
        self.ours, self.theirs = package.provider(PROVIDER), package.provider(target)
        self.sent: list[Any] = []

    def one_turn_chat(self, model: str, request: Any) -> Any:
        asked = self.ours.from_request(request, model)
        words = self.theirs.to_sdk(asked, on_loss=lambda loss: None)
        reply = self.exchanges.received(self.target, self.replies.pop(0), words)
        self.sent.append(self.exchanges.sent().body)
        return self.ours.to_response(self.theirs.from_response(reply), on_loss=lambda loss: None)


def execute(name: str, arguments: Any) -> Any:
    return {"sky": f"rain in {arguments['city']}"} if name == "get_weather" else {"output": "noon"}


@each_target
def test_the_flow_of_the_document_runs_on_every_provider(exchanges: Exchanges, sample: Package, target: str) -> None:
    """The three steps as the document has them; the app sees its own types alone."""
    wire = WIRES[target]
    provider = Provider(exchanges, sample, target, [response_of(target, calls=True), response_of(target)])
    messages: list[Any] = [{"role": "user", "content": [{"type": "text", "value": "Oslo?"}]}]
    request = {"messages": messages, "tools": TOOLS, "outputFormat": "text"}
    response = provider.one_turn_chat("m", request)
    assert [set(call) for call in response["toolCalls"]] == [{"id", "function"}] * 2
    assert [call["function"] for call in response["toolCalls"]] == [
        {"name": "now", "arguments": {}},
        {"name": "get_weather", "arguments": {"city": "Oslo"}},
    ]
    messages.append({"role": "assistant", "content": [], "toolCalls": response["toolCalls"]})
    for call in response["toolCalls"]:
        result = execute(call["function"]["name"], call["function"]["arguments"])
        name = call["function"]["name"]
        messages.append({"role": "tool", "toolCallId": call["id"], "name": name, "response": result})
    assert provider.one_turn_chat("m", request) == {"content": wire.read_response(response_of(target)).text}
    asked, sent = provider.sent
    assert wire.calls(asked) == []
    calls, results = wire.calls(sent), wire.results(sent)
    assert [c.name for c in calls] == ["now", "get_weather"]
    assert [r.id for r in results] == [c.id for c in calls]
    assert "noon" in laws.exact(results[0].value)
    assert "rain in Oslo" in laws.exact(results[1].value)
    assert wire.order_faults(sent) == []


@pytest.mark.parametrize(("word", "mode"), [("auto", "AUTO"), ("required", "ANY"), ("none", "NONE")])
def test_choice_and_format_are_mapped_as_the_document_maps_them(sample: Package, word: str, mode: str) -> None:
    body = {"messages": [], "tools": TOOLS, "outputFormat": "json", "toolChoice": word}
    request = sample.provider(PROVIDER).from_request(body, "m")
    chat = sample.provider("openai_chat").to_request(request)
    assert (chat["tool_choice"], chat["response_format"]) == (word, {"type": "json_object"})
    assert [tool["function"] for tool in chat["tools"]] == TOOLS
    gemini = sample.provider("gemini").to_request(request, on_loss=lambda loss: None)
    assert gemini["toolConfig"] == {"functionCallingConfig": {"mode": mode}}
    # The API rejects JSON in a request that requires a call.
    assert gemini.get("generationConfig") == (None if word == "required" else {"responseMimeType": "application/json"})


@pytest.mark.parametrize(
    ("response", "kind", "value", "flag"),
    [
        ({"degrees": 7}, "data", {"degrees": 7}, None),
        ({}, "data", {}, None),
        ({"output": "noon"}, "text", "noon", None),
        ({"output": [1]}, "data", [1], None),
        ({"output": {"output": 1}}, "data", {"output": 1}, None),
        ({"error": "it broke"}, "error", "it broke", None),
        ({"error": {"code": 7}}, "data", {"code": 7}, True),
        ({"error": "x", "more": 1}, "data", {"error": "x", "more": 1}, None),
    ],
)
def test_a_response_says_what_kind_of_result_it_is(
    sample: Package, response: Any, kind: str, value: Any, flag: bool | None
) -> None:
    module = sample.provider(PROVIDER)
    wire = [
        {"role": "assistant", "content": [], "toolCalls": [{"id": "a", "function": {"name": "now", "arguments": {}}}]},
        {"role": "tool", "toolCallId": "a", "name": "now", "response": response},
    ]
    messages = module.from_messages(wire)
    (result,) = messages[1].results
    assert (result.kind, result.value, result.is_error) == (kind, value, flag)
    assert module.to_messages(messages) == wire
    result.value = "other" if kind in ("text", "error") else {"other": 1}
    key = {"text": "output", "error": "error"}.get(kind)
    if key is None and flag:
        key = "error"
    expected = {key: result.value} if key else result.value
    assert module.to_messages(messages)[1]["response"] == expected


def test_results_of_several_parts_are_their_text(sample: Package, models: Any) -> None:
    image = models.ImagePart(data=PIXEL, media_type="image/png")
    parts = [models.TextPart("It broke:"), image, models.TextPart("twice.")]
    losses: list[Any] = []
    for flag, key in ((None, "output"), (True, "error")):
        result = models.ToolResult("a", "now", "multimodal", parts, flag)
        written = sample.provider(PROVIDER).to_tool_result(result, on_loss=losses.append)
        assert written["response"] == {key: "It broke:\n[image]\ntwice."}
    assert [(loss.path, loss.action) for loss in losses[:3]] == [
        ("kind", "rewritten"), ("value[1]", "described"), ("value", "rewritten")
    ]  # fmt: skip


def test_an_image_has_no_place_and_a_named_choice_no_word(sample: Package, models: Any) -> None:
    module, losses = sample.provider(PROVIDER), []
    image = models.ImagePart(url="https://example.com/a.png")
    request = models.Request([models.UserMessage([models.TextPart("What?"), image])], tools=[], output_format="text")
    body = module.to_request(request, on_loss=losses.append)
    described = {"type": "text", "value": "[image: https://example.com/a.png]"}
    assert body["messages"] == [{"role": "user", "content": [{"type": "text", "value": "What?"}, described]}]
    assert [(loss.path, loss.severity) for loss in losses] == [("messages[0].content[1]", "warning")]
    request.tool_choice = models.NamedToolChoice("now")
    with pytest.raises(models.ConversionError, match="toolChoice"):
        module.to_request(request, on_loss=lambda loss: None)


def test_a_schema_for_the_response_is_json_of_any_form(sample: Package, models: Any) -> None:
    losses: list[Any] = []
    wanted = models.OutputSchema({"type": "object"}, "answer")
    request = models.Request([models.UserMessage("Go.")], tools=[], output_format=wanted)
    assert sample.provider(PROVIDER).to_request(request, on_loss=losses.append)["outputFormat"] == "json"
    assert [(loss.path, loss.severity) for loss in losses] == [("outputFormat", "warning")]


@pytest.mark.parametrize("body", [{"messages": []}, {"messages": [], "tools": None, "outputFormat": None}])
def test_what_a_request_lacks_it_lacks_when_it_goes_back(sample: Package, body: Any) -> None:
    module = sample.provider(PROVIDER)
    request = module.from_request(body)
    assert module.to_request(request) == body
    request.output_format = "json"
    request.tools = []
    assert module.to_request(request) == {"messages": [], "tools": [], "outputFormat": "json"}


@pytest.mark.parametrize("reason", ["length", "error", "content_filter"])
def test_calls_that_may_not_be_run_are_not_given_out(sample: Package, models: Any, reason: Any) -> None:
    """A response of this format cannot say that it was cut off."""
    module, losses = sample.provider(PROVIDER), []
    call = models.ToolCallPart(models.ToolCall("a", "now", {}))
    cut = models.Completion(models.AssistantMessage([models.TextPart("Let me"), call]), reason)
    with pytest.raises(models.ConversionError, match="finishReason"):
        module.to_response(cut)
    text = models.Completion(models.AssistantMessage("Once upon"), reason)
    assert module.to_response(text, on_loss=losses.append) == {"content": "Once upon"}
    assert [(loss.path, loss.severity) for loss in losses] == [("finishReason", "warning")]


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ({"role": "user", "content": "Hello"}, "[0].content"),
        ({"role": "system"}, "[0].content"),
        ({"role": "user", "content": [{"type": "text", "text": "Hello"}]}, "[0].content[0].value"),
        ({"role": "tool", "toolCallId": "a", "response": "x"}, "[0].response"),
        ({"role": "tool", "response": {}}, "[0].toolCallId"),
        ({"role": "assistant", "content": "Hello"}, "[0].content"),
    ],
)
def test_what_the_document_does_not_have_is_refused_at_its_place(
    sample: Package, models: Any, message: Any, place: str
) -> None:
    with pytest.raises(models.ConversionError) as caught:
        sample.provider(PROVIDER).from_messages([message])
    assert place in str(caught.value)


@pytest.mark.parametrize(
    ("calls", "reason"), [([], "stop"), ([{"id": "c", "function": {"name": "now", "arguments": {}}}], "tool_calls")]
)
def test_a_response_with_calls_ends_for_them(sample: Package, calls: list[Any], reason: str) -> None:
    completion = sample.provider(PROVIDER).from_response({"content": "Hm.", "toolCalls": calls})
    assert completion.finish_reason == reason
