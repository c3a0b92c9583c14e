"""What APIs reject is not written, unless a body had it: empty lists, choices without tools, too many stop sequences."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.providers import laws
from tests.support.every_row import over
from tests.support.generated import Package
from tests.support.repository import CONVERSING, having, hosts_of, table
from tests.support.requests import HELLO, PIXEL

each_provider = pytest.mark.parametrize("provider", CONVERSING)

WITHOUT_STOPS = {"openai_responses", "kagami", "modular_prompt"}
EMPTY_LISTS = {"gemini": [], "vertex": [], "ollama": [], "kagami": []}
"""Where an empty list of tools is the same as none, or needed."""
CHOICES = {"vertex", "kagami", "modular_prompt"}
"""Which accept a tool choice without tools."""
BARE = {*hosts_of("openai_compatible")}
CHAT_RESPONSES = ["mistral", "openai_chat", *hosts_of("openai_chat"), "openai_compatible", *sorted(BARE)]
CALLED = {"role": "assistant", "content": [{"type": "tool_call", "call": {"id": "c1", "name": "now", "arguments": {}}}]}


def written(package: Package, provider: str, losses: list[Any], **fields: Any) -> Any:
    models = package.module("models")
    request = models.load(models.Request, {"model": "m", "messages": [HELLO], **fields})
    return laws.write(package, provider, request, losses)


def texts_of(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for inner in value.values() for text in texts_of(inner)]
    return [text for inner in value for text in texts_of(inner)] if isinstance(value, list) else [value]


@each_provider
def test_stop_sequences_above_the_limit_are_reported(sample: Package, provider: str) -> None:
    losses: list[Any] = []
    stops = [f"<{i}>" for i in range(8)]
    body = written(sample, provider, losses, stop=stops)
    sent = [text for text in texts_of(body) if text in stops]
    if provider in WITHOUT_STOPS:
        assert sent == []
    else:
        assert sent == stops[: table(provider).get("stop_sequences")]
        again = laws.read(sample, provider, body)
        assert laws.write(sample, provider, again) == body
    assert [loss.path for loss in losses if loss.path == "stop"] == ["stop"] * (sent != stops)


def test_stop_sequences_that_an_api_accepted_are_kept(sample: Package) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "stop": list("abcde")}
    laws.body_comes_back(sample, "openai_chat", body)


@each_provider
def test_an_empty_list_of_tools_is_left_out(sample: Package, provider: str) -> None:
    losses: list[Any] = []
    body = written(sample, provider, losses, tools=[])
    assert body.get("tools") == EMPTY_LISTS.get(provider)
    assert ("tools" in [loss.path for loss in losses]) == (provider not in EMPTY_LISTS)
    foreign = {"type": "opaque", "provider": "elsewhere", "value": {"type": "search"}}
    assert written(sample, provider, [], tools=[foreign]).get("tools") == EMPTY_LISTS.get(provider)
    assert sample.provider(provider).to_tools([]) == []


@pytest.mark.parametrize("provider", ["openai_chat", "openai_responses", "anthropic", "mistral", "cohere"])
def test_an_empty_list_of_tools_that_was_read_is_kept(sample: Package, provider: str) -> None:
    body = {**written(sample, provider, []), "tools": []}
    laws.body_comes_back(sample, provider, body)
    request = laws.read(sample, provider, body)
    assert request.tools == []


@each_provider
@over("choice", ["auto", "required", {"name": "now"}])
def test_a_tool_choice_without_tools_is_left_out(sample: Package, provider: str, choice: Any) -> None:
    losses: list[Any] = []
    body = written(sample, provider, losses, toolChoice=choice, parallelToolCalls=False)
    plain = written(sample, provider, [])
    assert (body == plain) == (provider not in CHOICES), body
    reported = {loss.path: loss.severity for loss in losses}
    if provider not in CHOICES and choice != "auto":
        assert reported["toolChoice"] == "behaviour"
    if provider in ("anthropic", "mistral"):
        assert reported["toolChoice"] == ("note" if choice == "auto" else "behaviour")
        assert reported["parallelToolCalls"] == "note"


@pytest.mark.parametrize(
    ("provider", "keys"),
    [
        ("anthropic", {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}}),
        ("anthropic", {"tool_choice": {"type": "any"}}),
        ("mistral", {"tool_choice": "any", "parallel_tool_calls": False}),
    ],
)
def test_a_tool_choice_without_tools_that_was_read_is_kept(sample: Package, provider: str, keys: Any) -> None:
    body = {**written(sample, provider, []), **keys}
    laws.body_comes_back(sample, provider, body)
    request = laws.read(sample, provider, body)
    request.tool_choice = "none"
    request.parallel_tool_calls = None
    assert "tool_choice" not in laws.write(sample, provider, request)


@each_provider
def test_a_result_without_parts_is_no_empty_list(sample: Package, provider: str) -> None:
    result = {"toolCallId": "c1", "name": "now", "kind": "multimodal", "value": []}
    body = written(sample, provider, [], messages=[HELLO, CALLED, {"role": "tool", "results": [result]}])
    messages = body.get("messages", body.get("contents", body.get("input")))
    last = messages[-1]
    assert last.get("content", last.get("output", [1])) != []


@pytest.mark.parametrize(("provider", "key"), [("openai_chat", "content"), ("openai_responses", "output")])
def test_a_result_that_was_read_as_an_empty_list_is_kept(sample: Package, provider: str, key: str) -> None:
    result = {"toolCallId": "c1", "name": "now", "kind": "text", "value": "x"}
    body = written(sample, provider, [], messages=[HELLO, CALLED, {"role": "tool", "results": [result]}])
    (body.get("messages") or body["input"])[-1][key] = []
    laws.body_comes_back(sample, provider, body)


@over("content", [None, []])
@pytest.mark.parametrize("provider", CHAT_RESPONSES)
def test_an_empty_answer_has_no_list_as_its_content(sample: Package, provider: str, content: Any) -> None:
    """Clients of Chat Completions expect a string or null."""
    models, module = sample.module("models"), sample.provider(provider)
    body = module.to_response(models.Completion(models.AssistantMessage(content), "stop"), id="x", created=1)
    assert body["choices"][0]["message"]["content"] is None
    with_list = {**body, "choices": [{**body["choices"][0], "message": {"role": "assistant", "content": []}}]}
    assert module.to_response(module.from_response(with_list)) == with_list


@pytest.mark.parametrize("provider", sorted(BARE))
@pytest.mark.parametrize("source", ["format", "response"])
def test_a_message_of_reasoning_has_text_content(sample: Package, provider: str, source: str) -> None:
    models, module = sample.module("models"), sample.provider(provider)
    message = models.AssistantMessage([models.ReasoningPart("Hm.")])
    if source == "response":
        response = module.to_response(models.Completion(message, "length"))
        assert response["choices"][0]["message"]["content"] is None
        message = module.from_response(response).message
    request = models.Request([models.UserMessage("Hi"), message, models.UserMessage("Go on.")], model="m")
    body = laws.write(sample, provider, request)
    assert body["messages"][1]["content"] == ""
    for bare in ({"content": None}, {}):
        spelled_bare = {key: value for key, value in body["messages"][1].items() if key != "content"} | bare
        laws.body_comes_back(sample, provider, {**body, "messages": [body["messages"][0], spelled_bare]})


@each_provider
@over("only", [{"role": "system", "content": "Be brief."}, {"role": "user", "content": ""}])
def test_a_request_that_is_left_without_messages_is_reported(sample: Package, provider: str, only: Any) -> None:
    losses: list[Any] = []
    body = written(sample, provider, losses, messages=[only])
    sent = body.get("messages", body.get("contents", body.get("input")))
    assert [loss.severity for loss in losses if loss.path == "messages"] == ["warning"] * (not sent)


@each_provider
@over("role", ["system", "developer"])
def test_a_request_with_only_system_text_is_sent_with_a_message(sample: Package, provider: str, role: str) -> None:
    losses: list[Any] = []
    request = sample.provider("openai_chat").from_request({"model": "m", "messages": [{"role": role, "content": "x"}]})
    body = laws.write(sample, provider, request, losses)
    sent = body.get("messages", body.get("contents", body.get("input")))
    assert sent
    defaulted = [loss.path for loss in losses if loss.action == "defaulted" and loss.what == "a message"]
    assert defaulted == ["messages[0]"] * ("Continue." in json.dumps(sent))


@pytest.mark.parametrize("provider", having("sdk", CONVERSING))
def test_arguments_for_the_client_report_what_the_body_reports(sample: Package, provider: str) -> None:
    module, models = sample.provider(provider), sample.module("models")
    request = models.Request([models.SystemMessage("Be brief."), models.AssistantMessage([])], model="m")
    losses: dict[str, list[Any]] = {"to_request": [], "to_sdk": []}
    for name, heard in losses.items():
        getattr(module, name)(request, on_loss=heard.append)
    assert losses["to_request"] == losses["to_sdk"]


@each_provider
def test_a_body_of_another_format_is_no_response(sample: Package, provider: str) -> None:
    module, errors = sample.provider(provider), sample.module("errors")
    own = table(provider)["response"]
    for foreign in CONVERSING:
        body = table(foreign)["response"]
        if own.keys().isdisjoint(body):
            with pytest.raises(errors.ConversionError):
                module.from_response(json.loads(json.dumps(body)))
    with pytest.raises(errors.ConversionError):
        module.from_response({})


def test_the_error_about_another_format_says_what_was_expected(sample: Package) -> None:
    errors = sample.module("errors")
    body = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [{"type": "text", "text": "x"}]}
    with pytest.raises(errors.ConversionError, match=r"a response of OpenAI Chat Completions, found no key choices"):
        sample.provider("openai_chat").from_response(body)


COUNTS = {
    "totalTokens": 99,
    "inputCachedTokens": 2,
    "inputCacheCreationTokens": 1,
    "inputImageTokens": 3,
    "reasoningTokens": 4,
}


@each_provider
def test_token_counts_come_back_or_are_reported(sample: Package, provider: str) -> None:
    models, module = sample.module("models"), sample.provider(provider)
    counts = {"inputTokens": 20, "outputTokens": 10, **COUNTS}
    usage = models.load(models.Usage, counts)
    losses: list[Any] = []
    completion = models.Completion(models.AssistantMessage("Hi"), "stop", id="x", model="m", usage=usage)
    body = module.to_response(completion, on_loss=losses.append, on_unsupported="weaken")
    reported = {loss.path.rpartition(".")[2] for loss in losses if loss.path.startswith("usage")}
    back = models.dump(module.from_response(body)).get("usage") or {}
    assert {key for key, value in counts.items() if back.get(key) != value} <= reported


@pytest.mark.parametrize("provider", ["openai_compatible", *sorted(BARE)])
def test_reasoning_of_another_provider_is_in_a_response(sample: Package, provider: str) -> None:
    models, module = sample.module("models"), sample.provider(provider)
    parts = [models.ReasoningPart("Hm.", {"anthropic": {"signature": "s"}}), models.TextPart("Hi")]
    completion = models.Completion(models.AssistantMessage(parts), "stop", id="x", model="m")
    losses: list[Any] = []
    body = module.to_response(completion, on_loss=losses.append)
    assert module.from_response(body).message.content[0].text == "Hm."
    writer = module.StreamWriter(on_loss=losses.append)
    events = [models.ReasoningDelta("Hm."), models.TextDelta("Hi"), models.CompletedEvent(completion)]
    chunks = [chunk for event in events for chunk in writer.write(event)] + list(writer.finish())
    stream = module.Stream()
    for chunk in chunks:
        stream.feed(chunk)
    stream.finish()
    assert stream.result().message.content[0].text == "Hm."
    assert {loss.what for loss in losses if loss.action == "dropped"} == {"signature"}


@pytest.mark.parametrize("provider", ["openai_compatible", *sorted(BARE)])
@pytest.mark.parametrize(("word", "meaning"), [("end_turn", "stop"), ("max_tokens", "length"), ("error", "error")])
def test_a_gateway_writes_the_stop_reasons_of_chat_completions(
    sample: Package, provider: str, word: str, meaning: str
) -> None:
    models, module = sample.module("models"), sample.provider(provider)
    completion = models.Completion(models.AssistantMessage("Hi"), meaning, id="x", model="m", stop_reason=word)
    assert module.to_response(completion)["choices"][0]["finish_reason"] == meaning
    choice = {"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": word}
    own = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    assert module.to_response(module.from_response(own)) == own


@pytest.mark.parametrize("provider", ["openai_chat", "openai_compatible"])
def test_the_texts_of_a_response_are_one_string(sample: Package, provider: str) -> None:
    models, module, losses = sample.module("models"), sample.provider(provider), []
    texts = [models.TextPart("One, "), models.TextPart("two.", metadata={"anthropic": {"citations": []}})]
    completion = models.Completion(models.AssistantMessage(texts), "stop", id="x", model="m")
    assert module.to_response(completion, on_loss=losses.append)["choices"][0]["message"]["content"] == "One, two."
    assert "message.content" in [loss.path for loss in losses]
    content = [{"type": "text", "text": "One, "}, {"type": "text", "text": "two."}]
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    own = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    assert module.to_response(module.from_response(own)) == own


@pytest.mark.parametrize("provider", ["anthropic", "mistral"])
def test_a_response_has_the_usage_that_clients_need(sample: Package, provider: str) -> None:
    models, module, losses = sample.module("models"), sample.provider(provider), []
    completion = models.Completion(models.AssistantMessage("Hi"), "stop", id="x", model="m")
    body = module.to_response(completion, on_loss=losses.append)
    assert set(body["usage"].values()) == {0}
    assert ("usage", "defaulted") in [(loss.path, loss.action) for loss in losses]
    own = {key: value for key, value in body.items() if key != "usage"}
    assert "usage" not in module.to_response(module.from_response(own))


def test_the_client_reads_a_stream_without_usage(sample: Package) -> None:
    from anthropic._models import construct_type
    from anthropic.lib.streaming._messages import accumulate_event
    from anthropic.types import RawMessageStreamEvent

    models, module = sample.module("models"), sample.provider("anthropic")
    completion = models.Completion(models.AssistantMessage("Hi"), "stop", id="x", model="m")
    writer, message, texts = module.StreamWriter(), None, {}
    for event in [*writer.write(models.TextDelta("Hi")), *writer.write(models.CompletedEvent(completion))]:
        sdk_event: Any = construct_type(type_=RawMessageStreamEvent, value=event)
        message = accumulate_event(event=sdk_event, current_snapshot=message, json_bufs=texts)
    assert message is not None
    assert (message.stop_reason, message.usage.output_tokens) == ("end_turn", 0)


@each_provider
def test_an_empty_list_of_stop_sequences_is_left_out(sample: Package, provider: str) -> None:
    losses: list[Any] = []
    body = written(sample, provider, losses, stop=[])
    if provider != "bedrock":
        assert body == written(sample, provider, [])
        assert "stop" in [loss.path for loss in losses]


def test_an_empty_list_of_stop_sequences_that_was_read_is_kept(sample: Package) -> None:
    for provider, key in (("openai_chat", "stop"), ("anthropic", "stop_sequences"), ("cohere", "stop_sequences")):
        laws.body_comes_back(sample, provider, {**written(sample, provider, []), key: []})


@pytest.mark.parametrize("provider", ["gemini", "vertex"])
def test_thinking_has_a_level_or_a_number_of_tokens(sample: Package, provider: str) -> None:
    losses: list[Any] = []
    body = written(sample, provider, losses, reasoning={"effort": "high", "budgetTokens": 2000})
    assert body["generationConfig"]["thinkingConfig"] == {"thinkingBudget": 2000}
    assert "reasoning.effort" in [loss.path for loss in losses]


@pytest.mark.parametrize("output", ["json", {"schema": {"type": "object", "properties": {}}}])
def test_cohere_gets_no_output_format_beside_tools(sample: Package, output: Any) -> None:
    losses: list[Any] = []
    tool = {"name": "now", "parameters": {"type": "object", "properties": {}}}
    assert "response_format" not in written(sample, "cohere", losses, tools=[tool], outputFormat=output)
    assert ("outputFormat", "warning") in [(loss.path, loss.severity) for loss in losses]
    assert "response_format" in written(sample, "cohere", [], outputFormat=output)
    body = {**written(sample, "cohere", [], tools=[tool]), "response_format": {"type": "text"}}
    laws.body_comes_back(sample, "cohere", body)


TOOLS = [{"name": "now"}, {"name": "later"}]
FORCED: list[Any] = ["required", {"name": "now"}, {"names": ["now", "later"], "mode": "required"}]
FREE: list[Any] = [None, "auto", {"names": ["now", "later"], "mode": "auto"}]
SEARCH = {"type": "opaque", "provider": "gemini", "value": {"googleSearch": {}}}
TYPED: dict[str, tuple[str, str, dict[str, Any], bool]] = {
    "groq": ("groq", "m", {"tools": TOOLS}, False),
    "groq without tools": ("groq", "m", {"tools": []}, True),
    "groq with tools of another provider": ("groq", "m", {"tools": [SEARCH]}, True),
    "chat": ("openai_chat", "m", {"tools": TOOLS, "toolChoice": "required"}, True),
    "a server": ("openai_compatible", "m", {"tools": TOOLS, "toolChoice": "required"}, True),
    "no model": ("gemini", "", {"tools": TOOLS}, True),
    "gemini 1": ("gemini", "gemini-1.5-pro-002", {"tools": TOOLS}, False),
    "gemini 2": ("gemini", "models/gemini-2.5-flash", {"tools": TOOLS, "toolChoice": "none"}, False),
    "gemini 2 with a tool of its own": ("gemini", "gemini-2.0-flash", {"tools": [SEARCH]}, False),
    "gemini 2 without tools": ("gemini", "gemini-2.5-flash", {}, True),
    "gemini 2 on vertex": ("vertex", "publishers/google/models/gemini-2.5-pro", {"tools": TOOLS}, False),
    **{f"gemini 3 and {choice}": ("gemini", "gemini-3-flash-preview", {"tools": TOOLS, "toolChoice": choice}, True) for choice in FREE},
    **{f"gemini 3 and {choice}": ("gemini", "gemini-3-flash-preview", {"tools": TOOLS, "toolChoice": choice}, False) for choice in FORCED},
    **{f"vertex and {choice}": ("vertex", "gemini-3-pro", {"tools": TOOLS, "toolChoice": choice}, False) for choice in FORCED},
    "gemini 20": ("gemini", "gemini-20-pro", {"tools": TOOLS}, True),
}  # fmt: skip
"""Provider, model, what stands beside an output format, and whether that is sent."""


@over("name", list(TYPED))
@pytest.mark.parametrize("output", ["json", {"schema": {"type": "object", "properties": {}}, "name": "n"}])
def test_an_output_format_is_left_out_where_the_api_rejects_it_beside_tools(
    sample: Package, name: str, output: Any
) -> None:
    provider, model, fields, is_sent = TYPED[name]
    losses: list[Any] = []
    fields = {**fields, "model": model or None}
    body = written(sample, provider, losses, **fields, outputFormat=output)
    assert (body == written(sample, provider, [], **fields)) == (not is_sent)
    dropped = [loss for loss in losses if (loss.path, loss.action) == ("outputFormat", "dropped")]
    assert [loss.severity for loss in dropped] == ["warning"] * (not is_sent)
    if model.rpartition("/")[2].startswith(("gemini-1", "gemini-2.")):
        assert all(model in loss.reason for loss in dropped)
    assert written(sample, provider, [], **fields, outputFormat="text") == written(sample, provider, [], **fields)


DATA = {"image": (PIXEL, "image/png"), "document": ("JVBERi0xLjQK", "application/pdf")}


@each_provider
@over("kind", list(DATA))
def test_data_without_a_media_type_is_recognized(sample: Package, provider: str, kind: str) -> None:
    data, media_type = DATA[kind]
    part = {"type": kind, "data": data, "name": "a"}
    losses: list[Any] = []
    body = written(sample, provider, losses, messages=[{"role": "user", "content": [part]}])
    typed = written(sample, provider, [], messages=[{"role": "user", "content": [{**part, "mediaType": media_type}]}])
    assert (data in json.dumps(body)) == (data in json.dumps(typed))
    if provider not in ("ollama", "openai_responses"):
        assert body == typed
        assert ("messages[0].content[0].mediaType" in [loss.path for loss in losses]) == (data in json.dumps(body))
