"""Bodies of Chat Completions with rare members, and those of servers that leave some out: they come back as they were."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.providers import laws
from tests.support.every_row import over
from tests.support.generated import Package
from tests.support.places import put
from tests.support.repository import table
from tests.support.requests import HELLO

PROVIDERS = ("openai_chat", "openai_compatible")
REFUSAL = {"type": "refusal", "refusal": "No."}
TEXT = {"type": "text", "text": "Well."}
CALL = {"id": "call_1", "type": "function", "function": {"name": "now", "arguments": "{}"}}

MESSAGES: dict[str, dict[str, Any]] = {
    "a refusal as content": {"role": "assistant", "content": [REFUSAL]},
    "text and a refusal as content": {"role": "assistant", "content": [TEXT, REFUSAL]},
    "a refusal in both places": {"role": "assistant", "content": [REFUSAL], "refusal": "No."},
    "a refusal beside text": {"role": "assistant", "content": "Well.", "refusal": "No."},
}
CHOICES: dict[str, dict[str, Any]] = {
    **{name: {"index": 0, "message": message} for name, message in MESSAGES.items()},
    "no role": {"index": 0, "message": {"content": "x"}},
    "neither role nor content": {"index": 0, "message": {"tool_calls": [CALL]}},
    "another role": {"index": 0, "message": {"role": "model", "content": "x"}},
    "no index": {"message": {"role": "assistant", "content": "x"}},
    "another index": {"index": 1, "message": {"role": "assistant", "content": "x"}},
}


@pytest.mark.parametrize("case", MESSAGES)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_refusal_stays_where_it_was(sample: Package, provider: str, case: str) -> None:
    module, losses = sample.provider(provider), []
    wire = [{"role": "user", "content": "Go."}, MESSAGES[case]]
    assert module.to_messages(module.from_messages(wire), on_loss=losses.append) == wire
    assert losses == []


@pytest.mark.parametrize("beside", [{"tool_calls": [CALL]}, {"refusal": "No."}], ids=["calls", "a refusal"])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_empty_list_as_content_comes_back(sample: Package, provider: str, beside: dict[str, Any]) -> None:
    module, losses = sample.provider(provider), []
    wire = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": [], **beside}]
    assert module.to_messages(module.from_messages(wire), on_loss=losses.append) == wire
    assert losses == []


@over("named", ["with its kind", "without it"])
@over("case", list(CHOICES))
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
    emitted = [event for wire in events for event in stream.feed(wire)] + stream.finish()
    assert "".join(event.text for event in emitted if type(event) is models.TextDelta) == "aaa"


NAMES = [
    ("ada", "ada"),
    ("John Smith", "John_Smith"),
    ("Page[int]", "Page_int_"),
    ("x" * 70, "x" * 64),
]


@pytest.mark.parametrize(("name", "spelling"), NAMES)
@pytest.mark.parametrize("role", ["system", "user", "assistant"])
def test_a_name_of_a_message_has_legal_characters(
    sample: Package, models: Any, role: str, name: str, spelling: str
) -> None:
    losses: list[Any] = []
    request = models.load(models.Request, {"messages": [{"role": role, "content": "x", "name": name}]})
    written = laws.write(sample, "openai_chat", request, losses)["messages"]
    assert written == [{"role": role, "content": "x", "name": spelling}]
    lost = [("messages[0].name", "rewritten", "note")] if name != spelling else []
    assert [(loss.path, loss.action, loss.severity) for loss in losses] == lost
    body = {"messages": [{"role": role, "content": "x", "name": name}]}
    read = laws.read(sample, "openai_chat", body)
    assert laws.exact(laws.write(sample, "openai_chat", read)) == laws.exact(body)
    read.messages[0].name = None
    assert laws.write(sample, "openai_chat", read)["messages"] == [{"role": role, "content": "x"}]


@pytest.mark.parametrize(("name", "spelling"), NAMES)
@pytest.mark.parametrize("provider", ["openai_chat", "openai_responses", "mistral"])
def test_a_name_of_a_schema_has_legal_characters(
    sample: Package, models: Any, provider: str, name: str, spelling: str
) -> None:
    def name_in(body: Any) -> Any:
        holder = body["text"]["format"] if "text" in body else body["response_format"]["json_schema"]
        return holder["name"]

    losses: list[Any] = []
    fields = {"messages": [HELLO], "outputFormat": {"schema": {"type": "object"}, "name": name}}
    body = laws.write(sample, provider, models.load(models.Request, fields), losses)
    assert name_in(body) == spelling
    lost = [("outputFormat.name", "rewritten", "note")] if name != spelling else []
    assert [(loss.path, loss.action, loss.severity) for loss in losses if loss.path.endswith("name")] == lost
    respelled = json.loads(json.dumps(body).replace(json.dumps(spelling), json.dumps(name)))
    assert laws.exact(laws.write(sample, provider, laws.read(sample, provider, respelled))) == laws.exact(respelled)


def test_names_without_a_legal_character_stay_different(sample: Package, models: Any) -> None:
    messages = [{"role": "user", "content": "x", "name": name} for name in ("山田", "佐藤", "山田")]
    request = models.load(models.Request, {"messages": messages})
    first, second, third = (m["name"] for m in laws.write(sample, "openai_chat", request, [])["messages"])
    assert first == third != second


def test_chunks_name_the_model_if_it_is_known(sample: Package, models: Any) -> None:
    writer = sample.provider("openai_chat").StreamWriter(id="a", created=1)
    writer.model = "m"
    message = models.AssistantMessage([models.TextPart("Hi")])
    done = models.CompletedEvent(models.Completion(message, "stop", model="m-2"))
    chunks = [*writer.write(models.TextDelta("Hi")), *writer.write(done), *writer.finish()]
    assert [chunk["model"] for chunk in chunks] == ["m", "m"]


@pytest.mark.parametrize("provider", ["openai_chat", "openai_compatible", "mistral"])
@pytest.mark.parametrize("streamed", [True, False])
def test_the_first_chunk_alone_has_the_role(sample: Package, models: Any, provider: str, streamed: bool) -> None:
    writer = sample.provider(provider).StreamWriter()
    done = models.CompletedEvent(models.Completion(models.AssistantMessage([models.TextPart("Hi")]), "stop"))
    events = [models.TextDelta("H"), models.TextDelta("i"), done] if streamed else [done]
    deltas = [choice["delta"] for event in events for chunk in writer.write(event) for choice in chunk["choices"]]
    assert [delta.get("role") for delta in deltas] == ["assistant", *[None] * (len(deltas) - 1)]


@pytest.mark.parametrize("strict", [None, True])
def test_only_an_enforced_output_schema_is_kept_as_it_was(sample: Package, strict: bool | None) -> None:
    """A schema that is not lowered has nothing to restore, so another provider loses nothing."""
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    inner = {"name": "a", "schema": schema, **({"strict": strict} if strict else {})}
    body = {"model": "m", "messages": [], "response_format": {"type": "json_schema", "json_schema": inner}}
    request = laws.read(sample, "openai_chat", body)
    assert (request.output_format.metadata is None) == (strict is None)
    assert laws.write(sample, "openai_chat", request) == body


@pytest.mark.parametrize("provider", ["openai_chat", "openai_compatible", "azure"])
def test_a_call_in_the_deprecated_form_is_kept_and_is_not_the_end(sample: Package, provider: str) -> None:
    module = sample.provider(provider)
    message = {"role": "assistant", "content": None, "function_call": {"name": "now", "arguments": '{"a": 1}'}}
    choice = {"index": 0, "message": message, "finish_reason": "function_call"}
    body = {"id": "a", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    completion = module.from_response(body)
    assert (completion.finish_reason, completion.stop_reason) == ("tool_calls", "function_call")
    assert module.from_tool_calls(body) == []
    assert laws.exact(module.to_response(completion)) == laws.exact(body)
    request = {
        "model": "m",
        "messages": [{"role": "user", "content": "x"}, message, {"role": "function", "name": "now", "content": "noon"}],
        "functions": [{"name": "now", "parameters": {"type": "object"}}],
        "function_call": {"name": "now"},
    }
    assert laws.exact(module.to_request(module.from_request(request))) == laws.exact(request)
    start, *pieces = ({"name": "now", "arguments": ""}, {"arguments": '{"a":'}, {"arguments": " 1}"})
    deltas = [{"role": "assistant", "content": None, "function_call": start}, *({"function_call": p} for p in pieces)]
    choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": "function_call"})
    head = {"id": "a", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    streamed, _ = laws.played(sample, provider, [{**head, "choices": [choice]} for choice in choices])
    assert streamed == completion


@pytest.mark.parametrize("provider", ["openai_chat", "azure"])
def test_reasoning_that_a_deployment_adds_is_reasoning(sample: Package, models: Any, provider: str) -> None:
    module, losses = sample.provider(provider), []
    message = {"role": "assistant", "content": "42", "reasoning_content": "Six times seven."}
    body = {"id": "x", "object": "chat.completion", "model": "m", "choices": [{"index": 0, "message": message}]}
    body["choices"][0]["finish_reason"] = "stop"
    read = module.from_response(body)
    assert [(part.type, part.text) for part in read.message.content] == [
        ("reasoning", "Six times seven."),
        ("text", "42"),
    ]
    assert module.to_messages([read.message], on_loss=losses.append) == [message]
    assert (module.to_response(read, on_loss=losses.append), losses) == (body, [])
    stream, deltas = module.Stream(), [{"reasoning_content": "Six "}, {"reasoning_content": "times seven."}]
    deltas += [{"role": None, "content": "42", "reasoning_content": None}, {}]
    emitted = [event for delta in deltas for event in stream.feed(chunk(delta, None if delta else "stop"))]
    assert "".join(event.text for event in emitted if event.type == "reasoning_delta") == "Six times seven."
    emitted += stream.finish()
    assert stream.result().message == read.message
    writer, again = module.StreamWriter(), module.Stream()
    for wire in [wire for event in emitted for wire in writer.write(event)] + writer.finish():
        again.feed(wire)
    assert again.result().message == read.message
    foreign = models.AssistantMessage([models.ReasoningPart("Hm."), models.TextPart("42")])
    assert module.to_messages([foreign], on_loss=losses.append) == [{"role": "assistant", "content": "42"}]
    assert [(loss.path, loss.what) for loss in losses] == [("[0].content[0]", "reasoning")]


def chunk(delta: dict[str, Any], reason: str | None) -> dict[str, Any]:
    """A chunk with one choice."""
    return {"id": "x", "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


ROLE_PATHS = {
    "openai_chat": ["choices", 0, "message", "role"],
    "mistral": ["choices", 0, "message", "role"],
    "cohere": ["message", "role"],
    "ollama": ["message", "role"],
    "gemini": ["candidates", 0, "content", "role"],
}


@over("role", ["user", "system", "", "absent"])
@pytest.mark.parametrize("provider", ROLE_PATHS)
def test_a_response_comes_back_with_its_role(sample: Package, provider: str, role: str) -> None:
    """Servers give others, or none. The next request has the one of the API."""
    module, path = sample.provider(provider), ROLE_PATHS[provider]
    body = put(table(provider)["response"], path, role)
    if provider == "gemini":  # its table has an answer without parts, which is not sent
        body = put(body, [*path[:-1], "parts"], [{"text": "Hello"}])
    if role == "absent":
        holder = body
        for step in path[:-1]:
            holder = holder[step]
        del holder["role"]
    completion = module.from_response(body)
    assert laws.exact(module.to_response(completion)) == laws.exact(body)
    (sent,) = module.to_messages([completion.message])
    assert sent["role"] == ("model" if provider == "gemini" else "assistant")


@pytest.mark.parametrize("choices", [None, []])
@pytest.mark.parametrize("provider", ["openai_chat", "openai_compatible", "mistral"])
def test_choices_that_are_not_there_come_back(sample: Package, models: Any, provider: str, choices: Any) -> None:
    """What an app adds to such a response is sent."""
    module = sample.provider(provider)
    body = {**table("openai_chat")["response"], "choices": choices}
    completion = module.from_response(body)
    assert completion.finish_reason == "error"
    losses: list[Any] = []
    assert laws.exact(module.to_response(completion, on_loss=losses.append)) == laws.exact(body)
    completion.message = models.AssistantMessage("Hi")
    (choice,) = module.to_response(completion, on_loss=losses.append)["choices"]
    assert choice["message"]["content"] == "Hi"


@pytest.mark.parametrize("provider", ["openai_chat", "azure"])
def test_a_long_id_that_the_server_gave_comes_back(sample: Package, models: Any, provider: str) -> None:
    long = "call_" + "x" * 59
    called = {"role": "assistant", "content": None, "tool_calls": [{**CALL, "id": long}]}
    result = {"role": "tool", "tool_call_id": long, "content": "noon"}
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}, called, result]}
    laws.body_comes_back(sample, provider, body)
    completion = laws.completion_of(
        sample, provider, put(table(provider)["response"], ["choices", 0, "message"], called)
    )
    sent, _ = laws.next_request(sample, provider, completion)
    assert [m.get("tool_call_id") for m in sent["messages"]] == [None, None, long]
    elsewhere = sample.provider("anthropic").to_request(models.Request(laws.read(sample, provider, body).messages))
    assert long in json.dumps(elsewhere)
    foreign = models.ToolCallPart(models.ToolCall(long, "now", {}))
    written = sample.provider(provider).to_request(models.Request([models.AssistantMessage([foreign])], model="m"))
    assert len(written["messages"][0]["tool_calls"][0]["id"]) <= 40


EFFORTS = [
    ("gpt-5.3", {None: None, "high": "high", "none": "none"}),
    ("gpt-5.4-2026-03-05", {None: None, "high": "none", "none": "none"}),
    ("gpt-5.6", {None: "none", "high": "none", "none": "none"}),
    ("ft:gpt-5.10:org", {None: "none", "high": "none", "none": "none"}),
    ("o3", {None: None, "high": "high", "none": "low"}),
    (None, {None: None, "high": "high", "none": "none"}),
]
"""A model, and what it is sent beside tools for each effort of a request."""


@pytest.mark.parametrize(("model", "sent_for"), EFFORTS)
@pytest.mark.parametrize("provider", ["openai_chat", "azure"])
def test_newer_models_get_no_effort_beside_tools(
    sample: Package, models: Any, provider: str, model: str | None, sent_for: dict[str | None, str | None]
) -> None:
    tools = [models.ToolDefinition("now")]
    for effort, sent in sent_for.items():
        reasoning = None if effort is None else models.Reasoning(effort)
        request, losses = models.Request([models.UserMessage("Hi")], model=model, tools=tools, reasoning=reasoning), []
        body = laws.write(sample, provider, request, losses)
        assert body.get("reasoning_effort") == sent
        action = "defaulted" if effort is None else "rewritten"
        assert [loss.action for loss in losses] == ([] if effort == sent else [action])
        read = {key: value for key, value in body.items() if key != "reasoning_effort"}
        stored = [{} if effort is None else {"reasoning_effort": effort}]
        for effort_key in [*stored, {"reasoning_effort": None}] if effort is None else stored:
            if effort == sent:
                laws.body_comes_back(sample, provider, {**read, **effort_key})
            else:  # what the model refuses goes out otherwise, although the body was kept
                stored_request = laws.read(sample, provider, {**read, **effort_key})
                assert laws.write(sample, provider, stored_request)["reasoning_effort"] == sent
        request.tools = None
        alone = "low" if model == "o3" and effort == "none" else effort
        assert laws.write(sample, provider, request).get("reasoning_effort") == alone


FLAT_FORMATS: list[dict[str, Any]] = [
    {"type": "json_schema", "schema": {"type": "object", "properties": {}}},
    {"type": "json_schema", "schema": {"type": "object", "properties": {}}, "name": "n", "strict": True},
    {"type": "json_schema", "json_schema": None, "schema": {"type": "object", "properties": {}}},
    {"type": "json_object", "schema": {"type": "object", "properties": {}}},
]


@over("written", FLAT_FORMATS)
@pytest.mark.parametrize("provider", [*PROVIDERS, "groq", "mistral", "openrouter", "vllm"])
def test_a_schema_may_stand_beside_the_type_of_the_output(
    sample: Package, models: Any, provider: str, written: dict[str, Any]
) -> None:
    body = {"model": "m", "messages": [HELLO], "response_format": written}
    output = sample.provider(provider).from_request(body).output_format
    read = (output.schema, output.name, output.strict)
    assert read == (written["schema"], written.get("name"), written.get("strict"))
    laws.body_comes_back(sample, provider, body)


@pytest.mark.parametrize(("total", "output"), [(6, 5), (9, 8)], ids=["included", "separate"])
@pytest.mark.parametrize("provider", [*PROVIDERS, "groq", "openrouter", "vllm"])
def test_reasoning_tokens_may_stand_beside_the_other_counts(
    sample: Package, provider: str, total: int, output: int
) -> None:
    counts = {"prompt_tokens": 1, "completion_tokens": 5, "total_tokens": total, "reasoning_tokens": 3}
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "x"}}
    body = {"id": "a", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    module = sample.provider(provider)
    for details in ({}, {"completion_tokens_details": {"reasoning_tokens": 3}}):
        completion = module.from_response({**body, "usage": {**counts, **details}})
        assert (completion.usage.output_tokens, completion.usage.reasoning_tokens) == (output, 3)
        assert module.to_response(completion)["usage"] == {**counts, **details}
