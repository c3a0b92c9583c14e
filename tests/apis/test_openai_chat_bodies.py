"""Bodies of Chat Completions with rare members, and those of servers that leave some out: they come back as they were."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.generated import Package

PROVIDERS = ("openai_chat", "openai_compatible")
REFUSAL = {"type": "refusal", "refusal": "No."}
TEXT = {"type": "text", "text": "Well."}
CALL = {"id": "call_1", "type": "function", "function": {"name": "now", "arguments": "{}"}}

ANSWERED: dict[str, dict[str, Any]] = {
    "a refusal as content": {"role": "assistant", "content": [REFUSAL]},
    "text and a refusal as content": {"role": "assistant", "content": [TEXT, REFUSAL]},
    "a refusal in both places": {"role": "assistant", "content": [REFUSAL], "refusal": "No."},
    "a refusal beside text": {"role": "assistant", "content": "Well.", "refusal": "No."},
}
CHOICES: dict[str, dict[str, Any]] = {
    **{name: {"index": 0, "message": message} for name, message in ANSWERED.items()},
    "no role": {"index": 0, "message": {"content": "x"}},
    "neither role nor content": {"index": 0, "message": {"tool_calls": [CALL]}},
    "another role": {"index": 0, "message": {"role": "model", "content": "x"}},
    "no index": {"message": {"role": "assistant", "content": "x"}},
    "another index": {"index": 1, "message": {"role": "assistant", "content": "x"}},
}


@pytest.mark.parametrize("case", ANSWERED)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_refusal_stays_where_it_was(sample: Package, provider: str, case: str) -> None:
    module, losses = sample.provider(provider), []
    wire = [{"role": "user", "content": "Go."}, ANSWERED[case]]
    assert module.to_messages(module.from_messages(wire), on_loss=losses.append) == wire
    assert losses == []


@pytest.mark.parametrize("named", ["with its kind", "without it"])
@pytest.mark.parametrize("case", CHOICES)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_response_comes_back_as_the_server_wrote_it(sample: Package, provider: str, case: str, named: str) -> None:
    module, losses = sample.provider(provider), []
    kind = {"object": "chat.completion"} if named == "with its kind" else {}
    body = {"id": "x", **kind, "model": "m", "choices": [{**CHOICES[case], "finish_reason": "stop"}]}
    assert module.to_response(module.from_response(body), on_loss=losses.append) == body
    assert losses == []


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_next_request_has_the_role_that_the_api_requires(sample: Package, provider: str) -> None:
    module = sample.provider(provider)
    body = {"id": "x", "model": "m", "choices": [{**CHOICES["another role"], "finish_reason": "stop"}]}
    (sent,) = module.to_messages([module.from_response(body).message])
    assert sent == {"role": "assistant", "content": "x"}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_output_format_with_a_name_alone_is_kept(sample: Package, provider: str) -> None:
    module = sample.provider(provider)
    output_format = {"type": "json_schema", "json_schema": {"name": "a"}}
    body = {"model": "m", "messages": [{"role": "user", "content": "Go."}], "response_format": output_format}
    request = module.from_request(body)
    assert request.output_format is None
    assert module.to_request(request) == body


def test_file_data_without_a_media_type_is_base64(sample: Package, models: Any) -> None:
    module, losses = sample.provider("openai_chat"), []
    part = {"type": "file", "file": {"file_data": "JVBERi0=", "filename": "a.pdf"}}
    wire = [{"role": "user", "content": [part]}]
    messages = module.from_messages(wire)
    assert (messages[0].content[0].url, messages[0].content[0].data) == (None, "JVBERi0=")
    assert module.to_messages(messages, on_loss=losses.append) == wire
    messages[0].content[0].data = "AAAA"
    (changed,) = module.to_messages(messages, on_loss=losses.append)
    assert changed["content"] == [{"type": "text", "text": "[document: a.pdf]"}]
    assert [loss.action for loss in losses] == ["described"]


@pytest.mark.parametrize("provider", ["openai_chat", "openai_compatible", "vllm", "groq", "deepseek"])
def test_a_call_without_a_type_comes_back_without_one(sample: Package, provider: str) -> None:
    module, losses = sample.provider(provider), []
    call = {"id": "call_1", "function": {"name": "now", "arguments": "{}"}}
    calls = [call, {**CALL, "id": "call_2"}, {**CALL, "id": "call_3", "type": None}]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    body = {"id": "x", "object": "chat.completion", "model": "m", "choices": [choice]}
    completion = module.from_response(body)
    assert [part.call.id for part in completion.message.content] == ["call_1", "call_2", "call_3"]
    assert module.to_response(completion, on_loss=losses.append) == body
    assert losses == []


def test_a_stream_of_content_as_a_list_has_each_text_once(sample: Package, models: Any) -> None:
    module = sample.provider("openai_compatible")
    message = {"role": "assistant", "content": [{"type": "text", "text": "aa"}, {"type": "text", "text": "a"}]}
    completion = module.from_response({"id": "x", "choices": [{"index": 0, "message": message}]})
    writer, stream = module.StreamWriter(), module.Stream()
    events = writer.write(models.TextDelta("aa")) + writer.write(models.CompletedEvent(completion)) + writer.finish()
    told = [event for wire in events for event in stream.feed(wire)] + stream.finish()
    assert "".join(event.text for event in told if type(event) is models.TextDelta) == "aaa"
