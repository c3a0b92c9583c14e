"""Rules of Anthropic's requests that a neutral request knows nothing of. What is changed for them is reported."""

from __future__ import annotations

from typing import Any

import pytest

from tests.providers import laws
from tests.support.generated import Package

PROVIDER = "anthropic"


def written(sample: Package, models: Any, **request: Any) -> tuple[dict[str, Any], list[str]]:
    """The body of a request, and what was done to which field."""
    losses: list[Any] = []
    request = {"messages": [{"role": "user", "content": "Hi."}], "model": "m", **request}
    body = laws.write(sample, PROVIDER, models.load(models.Request, request), losses)
    return body, [f"{loss.path} {loss.action}" for loss in losses]


@pytest.mark.parametrize(
    ("reasoning", "limit", "thinking", "most", "reported"),
    [
        ({"budgetTokens": 5000}, None, ("enabled", 5000), 9096, ["maxOutputTokens defaulted"]),
        ({"budgetTokens": 500}, 9000, ("enabled", 1024), 9000, ["reasoning.budgetTokens rewritten"]),
        ({"budgetTokens": 5000}, 3000, ("enabled", 2999), 3000, ["reasoning.budgetTokens rewritten"]),
        ({"budgetTokens": 5000}, 1024, (None, None), 1024, ["reasoning dropped"]),
        ({"budgetTokens": 0}, 9, ("disabled", None), 9, []),
        ({"effort": "none"}, 9, ("disabled", None), 9, []),
    ],
)
def test_a_budget_fits_the_limit_of_all_tokens(
    sample: Package, models: Any, reasoning: Any, limit: int | None, thinking: Any, most: int, reported: list[str]
) -> None:
    more = {"maxOutputTokens": limit} if limit is not None else {}
    body, losses = written(sample, models, reasoning=reasoning, **more)
    sent = body.get("thinking", {})
    assert ((sent.get("type"), sent.get("budget_tokens")), body["max_tokens"], losses) == (thinking, most, reported)


@pytest.mark.parametrize("signed", [False, True])
def test_thinking_is_left_out_if_the_last_calls_came_without_it(sample: Package, models: Any, signed: bool) -> None:
    thought = {"type": "reasoning", "text": "Hm.", "metadata": {"anthropic": {"signature": "c2ln"}}}
    call = {"type": "tool_call", "call": {"id": "c1", "name": "now", "arguments": {}}}
    messages = [
        {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": [*([thought] if signed else []), call]},
        {"role": "tool", "results": [{"toolCallId": "c1", "name": "now", "kind": "text", "value": "12"}]},
    ]
    limits = {"reasoning": {"budgetTokens": 2000}, "maxOutputTokens": 4000}
    body, losses = written(sample, models, messages=messages, **limits)
    assert ("thinking" in body, losses) == (signed, [] if signed else ["reasoning dropped"])
    body, losses = written(sample, models, messages=messages[:1], **limits)
    assert ("thinking" in body, losses) == (True, [])


@pytest.mark.parametrize(("model", "is_forced"), [("claude-opus-4-6", False), ("claude-opus-4-8", True), ("new", True)])
def test_a_stored_adaptive_thinking_frees_the_choice_of_models_that_cannot_be_forced_then(
    sample: Package, model: str, is_forced: bool
) -> None:
    """langchain-ai/langchain-aws#1151, up to Claude 4.7."""
    tools = [{"name": "now", "input_schema": {"type": "object", "properties": {}}}]
    body = {
        "model": model,
        "max_tokens": 9,
        "thinking": {"type": "adaptive"},
        "messages": [{"role": "user", "content": "Hi."}],
    }
    request = sample.provider(PROVIDER).from_request({**body, "tools": tools, "tool_choice": {"type": "any"}})
    sent = laws.write(sample, PROVIDER, request)
    assert sent["tool_choice"] == {"type": "any" if is_forced else "auto"}


def test_a_system_message_may_have_only_settings(sample: Package) -> None:
    module = sample.provider("anthropic")
    user = {"role": "user", "content": "Hi."}
    for content in ({}, {"content": None}, {"content": []}):
        settings = {"role": "system", **content, "output_config": {"effort": "low"}}
        body = {"model": "m", "max_tokens": 9, "messages": [user, settings]}
        request = module.from_request(body)
        assert module.to_request(request) == body
        for other in ("openai_chat", "openai_responses", "mistral"):
            losses: list[Any] = []
            sent = sample.provider(other).to_request(request, on_loss=losses.append)
            assert sent.get("messages", sent.get("input")) == [user]
            assert "a system message" in [loss.what for loss in losses if loss.action == "dropped"]


@pytest.mark.parametrize(("content", "sent"), [("", None), (None, None), ("So far.", "So far.")])
def test_an_empty_summary_of_a_response_goes_back_as_null(
    sample: Package, models: Any, content: str | None, sent: str | None
) -> None:
    module = sample.provider("anthropic")
    block = {"type": "compaction", "content": content, "signature": "c2ln"}
    response = {"id": "a", "model": "m", "role": "assistant", "stop_reason": "compaction", "content": [block]}
    completion = module.from_response({**response, "type": "message", "usage": {"input_tokens": 1, "output_tokens": 1}})
    assert module.to_response(completion)["content"] == [block]
    request = models.Request([models.UserMessage("Hi."), completion.message], model="m", max_output_tokens=9)
    losses: list[Any] = []
    body = module.to_request(request, on_loss=losses.append)
    assert body["messages"][1]["content"] == [{**block, "content": sent}]
    assert [loss.action for loss in losses] == ["rewritten"] * (content == "")


def test_at_most_four_parts_are_marked_for_caching(sample: Package, models: Any) -> None:
    system = {"role": "system", "content": [{"type": "text", "text": "s", "cache": True}]}
    user = {"role": "user", "content": [{"type": "text", "text": f"f{n}", "cache": True} for n in range(5)]}
    body, losses = written(sample, models, messages=[system, user], maxOutputTokens=9)
    blocks = [*body["system"], *body["messages"][0]["content"]]
    assert ["cache_control" in block for block in blocks] == [False, False, True, True, True, True]
    assert losses == [" dropped"]
    body, losses = written(
        sample, models, messages=[system, {**user, "content": user["content"][:3]}], maxOutputTokens=9
    )
    assert (sum("cache_control" in b for b in [*body["system"], *body["messages"][0]["content"]]), losses) == (4, [])


def test_the_last_text_of_the_assistant_ends_without_white_space(sample: Package, models: Any) -> None:
    for content in ("Once upon \n", [{"type": "text", "text": "Once upon \n"}]):
        messages = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": content}]
        body, losses = written(sample, models, messages=messages, maxOutputTokens=9)
        sent = body["messages"][1]["content"]
        assert (sent if isinstance(sent, str) else sent[0]["text"]) == "Once upon"
        assert losses == ["messages dropped"]


def test_pictures_of_the_assistant_are_dropped_and_common_names_of_media_types_understood(
    sample: Package, models: Any
) -> None:
    picture = {"type": "image", "data": "iVBO", "mediaType": "image/JPG"}
    messages = [
        {"role": "user", "content": [picture]},
        {"role": "assistant", "content": [{"type": "text", "text": "Here."}, picture]},
        {"role": "user", "content": "Bigger."},
    ]
    body, losses = written(sample, models, messages=messages, maxOutputTokens=9)
    assert body["messages"][0]["content"][0]["source"]["media_type"] == "image/jpeg"
    assert body["messages"][1]["content"] == [{"type": "text", "text": "Here."}]
    assert losses == ["messages[0].content[0].mediaType rewritten", "messages[1].content[1] dropped"]


def test_an_output_schema_is_closed_and_one_that_was_read_stays(sample: Package, models: Any) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer", "default": 0}}, "title": "A"}
    body, losses = written(sample, models, outputFormat={"schema": schema}, maxOutputTokens=9)
    sent = body["output_config"]["format"]["schema"]
    assert sent["additionalProperties"] is False
    assert sent["properties"]["a"] == {"type": "integer", "description": "Default: 0."}
    assert set(losses) == {
        "outputFormat.schema rewritten",
        "outputFormat.schema narrowed",
        "outputFormat.schema.properties.a.default described",
    }
    body["output_config"]["format"]["schema"] = schema
    assert laws.write(sample, PROVIDER, laws.read(sample, PROVIDER, body)) == body


@pytest.mark.parametrize("blank", [" ", [{"type": "text", "text": " "}]])
def test_blank_text_that_the_api_accepted_is_sent_again(sample: Package, blank: Any) -> None:
    call = {"type": "tool_use", "id": "toolu_1", "name": "now", "input": {}}
    content = blank if isinstance(blank, str) else [*blank, call]
    messages = [{"role": "user", "content": blank}, {"role": "assistant", "content": content}]
    body = {"model": "m", "max_tokens": 9, "messages": [*messages, {"role": "user", "content": "x"}]}
    assert laws.write(sample, PROVIDER, laws.read(sample, PROVIDER, body)) == body


THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
HELLO = {"role": "user", "content": "Hi."}


def called(identifier: str, *before: Any, **more: Any) -> list[dict[str, Any]]:
    """A message with a call, and the message with its result."""
    call = {"type": "tool_use", "id": identifier, "name": "now", "input": {}, **more}
    result = {"type": "tool_result", "tool_use_id": identifier, "content": "12"}
    return [{"role": "assistant", "content": [*before, call]}, {"role": "user", "content": [result]}]


def test_a_turn_that_starts_with_thinking_may_go_on_without_it(sample: Package) -> None:
    messages = [HELLO, *called("toolu_1", THOUGHT), *called("toolu_2")]
    body = {"model": "m", "max_tokens": 4000, "thinking": {"type": "enabled", "budget_tokens": 2000}}
    for more in ([], [{"role": "system", "content": "Be brief."}]):
        laws.body_comes_back(sample, PROVIDER, {**body, "messages": [*messages, *more]})
    request = laws.read(sample, PROVIDER, {**body, "messages": [*messages, {"role": "user", "content": "And now?"}]})
    request.messages += laws.read(sample, PROVIDER, {"messages": called("toolu_3")}).messages
    losses: list[Any] = []
    assert "thinking" not in laws.write(sample, PROVIDER, request, losses)
    assert [loss.path for loss in losses] == ["reasoning"]


def test_marks_inside_results_and_beside_the_messages_count(sample: Package, models: Any) -> None:
    parts = [{"type": "text", "text": f"f{n}", "cache": True} for n in range(4)]
    messages = laws.read(sample, PROVIDER, {"messages": [HELLO, *called("toolu_1")]}).messages
    result = {"toolCallId": "toolu_1", "name": "now", "kind": "multimodal", "value": parts}
    messages[2] = models.load(models.ToolMessage, {"role": "tool", "results": [result]})
    last = models.load(models.UserMessage, {"role": "user", "content": parts[:1]})
    metadata = {PROVIDER: {"cache_control": {"type": "ephemeral"}}}
    request = models.Request([*messages, last], model="m", max_output_tokens=9, metadata=metadata)
    losses: list[Any] = []
    content = laws.write(sample, PROVIDER, request, losses)["messages"][2]["content"]
    assert ["cache_control" in block for block in content[0]["content"]] == [False, False, True, True]
    assert "cache_control" in content[1]
    assert [loss.path for loss in losses] == [""]


@pytest.mark.parametrize("text", ["", " \n"])
def test_blank_instructions_and_refusals_are_dropped_unless_they_were_read(
    sample: Package, models: Any, text: str
) -> None:
    refused = {"role": "assistant", "content": [{"type": "refusal", "text": text}]}
    conversation = [{"role": "system", "content": text}, {"role": "user", "content": "x"}, refused]
    body, losses = written(sample, models, messages=conversation, maxOutputTokens=9)
    assert body == {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}]}
    assert {"messages[0] dropped", "messages[2].content[0] rewritten", "messages[2] dropped"} == set(losses)
    read = {**body, "system": text}
    laws.body_comes_back(sample, PROVIDER, read)
    laws.body_comes_back(sample, PROVIDER, {**read, "system": [{"type": "text", "text": text}]})


def test_a_change_of_tools_that_would_come_first_is_dropped(sample: Package) -> None:
    change = {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "now"}}
    inline = {"role": "system", "content": [change, {"type": "text", "text": "Be brief."}]}
    body = {"model": "m", "max_tokens": 9, "messages": [HELLO, inline, {"role": "assistant", "content": "Hello."}]}
    laws.body_comes_back(sample, PROVIDER, body)
    request = laws.read(sample, PROVIDER, body)
    del request.messages[0]
    losses: list[Any] = []
    assert laws.write(sample, PROVIDER, request, losses)["system"] == [inline["content"][1]]
    reported = [("messages[0].content[0]", "dropped", "warning")]
    assert [(loss.path, loss.action, loss.severity) for loss in losses] == reported
    del request.messages[0].content[1]
    assert "system" not in laws.write(sample, PROVIDER, request)


def test_a_result_repeats_the_toolset_of_its_call(sample: Package, models: Any) -> None:
    messages = [HELLO, *called("toolu_1", toolset_name="computer")]
    body = {"model": "m", "max_tokens": 9, "messages": messages}
    laws.body_comes_back(sample, PROVIDER, body)
    request = laws.read(sample, PROVIDER, body)
    request.messages[2] = models.ToolMessage([models.ToolResult("toolu_1", "now", "text", "12")])
    (result,) = laws.write(sample, PROVIDER, request)["messages"][2]["content"]
    assert result == {**messages[2]["content"][0], "toolset_name": "computer"}
