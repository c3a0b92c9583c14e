"""An app on the types of @modular-prompt: it moves to any provider, and none of its own lines change."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.providers import laws
from tests.support.exchanges import Exchanges
from tests.support.generated import Package
from tests.support.repository import having, table
from tests.support.responses import response_of
from tests.support.wires import WIRES

PROVIDER = "modular_prompt"
TARGETS = having("sdk")
each_target = pytest.mark.parametrize("target", TARGETS)

DEFINITIONS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "指定都市の天気を取得",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        },
    },
    {"type": "function", "function": {"name": "now", "description": "The time."}},
]


class Driver:
    """What an app calls: here a query goes out through a provider's official client."""

    def __init__(self, exchanges: Exchanges, package: Package, target: str, replies: list[Any]) -> None:
        self.exchanges, self.target, self.replies = exchanges, target, replies
        self.models = package.module("models")
        self.ours, self.theirs = package.provider(PROVIDER), package.provider(target)
        self.sent: list[Any] = []

    def _request(self, prompt: str, options: Any) -> Any:
        request = self.ours.from_request(options, "m")
        request.messages = [self.models.UserMessage(prompt), *request.messages]
        return request

    def query(self, prompt: str, options: Any) -> Any:
        words = self.theirs.to_sdk(self._request(prompt, options), on_loss=lambda loss: None)
        reply = self.exchanges.received(self.target, self.replies.pop(0), words)
        self.sent.append(self.exchanges.sent().body)
        return self.ours.to_response(self.theirs.from_response(reply), on_loss=lambda loss: None)

    def stream_query(self, prompt: str, options: Any) -> Iterator[Any]:
        """The texts, and the result after them."""
        request = self._request(prompt, {**options, "stream": True})
        words = self.theirs.to_sdk(request, on_loss=lambda loss: None)
        events = WIRES[self.target].split(self.replies.pop(0))
        writer = self.ours.StreamWriter(on_loss=lambda loss: None)
        for event in self.theirs.iter_events(self.exchanges.streamed(self.target, events, words)):
            yield from writer.write(event)
        yield from writer.finish()


def execute(name: str, arguments: Any) -> Any:
    return {"sky": f"rain in {arguments['city']}"} if name == "get_weather" else "noon"


def conversation(driver: Driver) -> tuple[Any, Any]:
    """The loop as the specification has it, line by line."""
    prompt = "Weather in Oslo, and the time?"
    result = driver.query(prompt, {"tools": DEFINITIONS})
    results = [
        {
            "role": "tool",
            "content": json.dumps(execute(call["function"]["name"], json.loads(call["function"]["arguments"]))),
            "toolCallId": call["id"],
            "name": call["function"]["name"],
        }
        for call in result["toolCalls"]
    ]
    assistant = {"role": "assistant", "content": result["content"], "toolCalls": result["toolCalls"]}
    return result, driver.query(prompt, {"tools": DEFINITIONS, "messages": [assistant, *results]})


@each_target
def test_the_loop_of_the_specification_runs_on_every_provider(
    exchanges: Exchanges, sample: Package, target: str
) -> None:
    wire = WIRES[target]
    driver = Driver(exchanges, sample, target, [response_of(target, calls=True), response_of(target)])
    first, second = conversation(driver)
    assert [call["function"]["name"] for call in first["toolCalls"]] == ["now", "get_weather"]
    assert [json.loads(call["function"]["arguments"]) for call in first["toolCalls"]] == [{}, {"city": "Oslo"}]
    assert {type(call["function"]["arguments"]) for call in first["toolCalls"]} == {str}
    assert first["finishReason"] == "tool_calls"
    asked, sent = driver.sent
    assert "get_weather" in laws.exact(asked)
    assert wire.calls(asked) == []
    calls, results = wire.calls(sent), wire.results(sent)
    assert [c.name for c in calls] == ["now", "get_weather"]
    assert [r.id for r in results] == [c.id for c in calls]
    assert "noon" in laws.exact(results[0].value)
    assert "rain in Oslo" in laws.exact(results[1].value)
    assert wire.order_faults(sent) == []
    assert second["content"] == wire.read_response(response_of(target)).text != ""
    assert "toolCalls" not in second


@pytest.mark.parametrize("target", [name for name in TARGETS if name in having("stream")])
def test_a_stream_of_every_provider_is_texts_and_a_result(exchanges: Exchanges, sample: Package, target: str) -> None:
    """Calls are in the result alone, which says what the response in one piece says."""
    stop = table(target)["finish_reasons"][0][0]
    for body in (response_of(target, stop=stop), response_of(target, calls=True, stop=stop)):
        driver = Driver(exchanges, sample, target, [body, body])
        *texts, result = driver.stream_query("Go.", {"tools": DEFINITIONS})
        assert {type(text) for text in texts} <= {str}
        assert "".join(texts) == result["content"] == WIRES[target].read_response(body).text
        whole = driver.query("Go.", {"tools": DEFINITIONS})
        assert (result.get("toolCalls"), result["finishReason"]) == (whole.get("toolCalls"), whole["finishReason"])


def test_choices_and_settings_reach_three_wires(sample: Package) -> None:
    """Each in its own words, as the specification's tables have them."""
    options = {
        "tools": DEFINITIONS,
        "toolChoice": {"type": "function", "function": {"name": "now"}},
        "maxTokens": 256,
        "messages": [{"role": "user", "content": "Go."}],
    }
    request = sample.provider(PROVIDER).from_request(options, "m")
    chat = sample.provider("openai_chat").to_request(request)
    assert (chat["tool_choice"], chat["max_completion_tokens"]) == (options["toolChoice"], 256)
    assert chat["tools"] == DEFINITIONS
    claude = sample.provider("anthropic").to_request(request, on_loss=lambda loss: None)
    assert (claude["tool_choice"], claude["max_tokens"]) == ({"type": "tool", "name": "now"}, 256)
    assert claude["tools"][0]["input_schema"] == DEFINITIONS[0]["function"]["parameters"]  # type: ignore[index]
    gemini = sample.provider("gemini").to_request(request, on_loss=lambda loss: None)
    assert gemini["toolConfig"] == {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["now"]}}
    assert gemini["generationConfig"] == {"maxOutputTokens": 256}


RESULT = {"content": "Hello there.", "finishReason": "stop"}


@pytest.mark.parametrize(
    ("events", "deltas", "content"),
    [
        (["Hello", " there.", RESULT], ["Hello", " there."], "Hello there."),
        (["Hello", RESULT], ["Hello", " there."], "Hello there."),
        ([RESULT], ["Hello there."], "Hello there."),
        (["Hello", " there.", {"finishReason": "stop"}], ["Hello", " there."], "Hello there."),
        (["<think>", RESULT], ["<think>"], "Hello there."),
    ],
    ids=["all", "a part", "none", "no content at the end", "another text"],
)
def test_the_result_has_the_last_word(sample: Package, events: list[Any], deltas: list[str], content: str) -> None:
    emitted = list(sample.provider(PROVIDER).iter_events(events))
    assert [event.text for event in emitted if event.type == "text_delta"] == deltas
    assert (emitted[-1].completion.message.content, emitted[-1].completion.finish_reason) == (content, "stop")


def test_a_result_that_failed_is_told_as_an_error(sample: Package, models: Any) -> None:
    module = sample.provider(PROVIDER)
    call = {"id": "a", "type": "function", "function": {"name": "now", "arguments": "{}"}}
    events = list(module.iter_events(["Hel", {"content": "Hel", "toolCalls": [call], "finishReason": "error"}]))
    assert [event.type for event in events[-2:]] == ["error", "completed"]
    (held,) = laws.calls_of(sample, events[-1].completion)
    assert held.invalid.reason == "truncated"
    losses: list[Any] = []
    writer = module.StreamWriter(on_loss=losses.append)
    assert [wire for event in events for wire in writer.write(event)][-1]["finishReason"] == "error"
    filtered = models.Completion(models.AssistantMessage("x"), "content_filter", stop_reason="refusal")
    assert module.to_response(filtered, on_loss=losses.append)["finishReason"] == "error"
    assert [(loss.path, loss.severity) for loss in losses] == [("finishReason", "warning")]


def test_a_writer_whose_text_is_taken_back_says_so(sample: Package, models: Any) -> None:
    losses: list[Any] = []
    writer = sample.provider(PROVIDER).StreamWriter(on_loss=losses.append)
    writer.write(models.TextDelta("Hm."))
    done = models.CompletedEvent(models.Completion(models.AssistantMessage("Hello."), "stop"))
    assert writer.write(done) == [{"content": "Hello.", "finishReason": "stop"}]
    assert [(loss.path, loss.what) for loss in losses] == [("message", "content")]


@pytest.mark.parametrize(
    ("name", "expected"),
    [({"name": "now"}, "now"), ({}, "now"), ({"name": None}, "now"), ({"name": "other"}, "other")],
    ids=["said", "left out", "null", "another"],
)
def test_a_result_may_name_its_tool(sample: Package, name: Any, expected: str) -> None:
    module = sample.provider(PROVIDER)
    call = {"id": "a", "type": "function", "function": {"name": "now", "arguments": "{}"}}
    wire = [
        {"role": "assistant", "content": "", "toolCalls": [call]},
        {"role": "tool", "toolCallId": "a", "content": "noon", **name},
    ]
    messages = module.from_messages(wire)
    assert messages[1].results[0].name == expected
    assert module.to_messages(messages) == wire
    messages[1].results[0].name = "late"
    assert module.to_messages(messages)[1]["name"] == "late"


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ({"role": "user", "content": [{"type": "text"}]}, "[0].content"),
        ({"role": "system"}, "[0].content"),
        ({"role": "tool", "content": "x"}, "[0].toolCallId"),
        ({"role": "tool", "toolCallId": "a", "content": {"a": 1}}, "[0].content"),
        ({"role": "tool", "toolCallId": "a", "content": "x", "name": 7}, "[0].name"),
        ({"role": "assistant", "content": 7}, "[0].content"),
    ],
)
def test_what_the_specification_does_not_have_is_refused_at_its_place(
    sample: Package, models: Any, message: Any, place: str
) -> None:
    with pytest.raises(models.ConversionError) as caught:
        sample.provider(PROVIDER).from_messages([message])
    assert place in str(caught.value)
