"""What another provider cannot have is told key by key, and by weight; what is only spelled otherwise is no loss."""

from __future__ import annotations

from typing import Any

import pytest

from tests.providers import laws
from tests.support.every_row import over
from tests.support.generated import Package
from tests.support.repository import CONVERSING
from toolgen_runtime.shipped_providers import API_OF

HELLO = {"role": "user", "content": "Hello"}
PARAMETERS = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
FUNCTION = {"name": "f", "description": "A function.", "parameters": PARAMETERS}
ARGUMENTS = '{"a":"b"}'
OUTPUT = {**PARAMETERS, "additionalProperties": False}
ANSWERED = {"role": "assistant", "content": "Yes."}


def chat(**more: Any) -> dict[str, Any]:
    return {"model": "m", "max_tokens": 9, "messages": [HELLO, ANSWERED, HELLO], **more}


def called(call: dict[str, Any] | None = None, message: Any = None, result: Any = None) -> dict[str, Any]:
    function = {"id": "call_0001", "type": "function", "function": {"name": "f", "arguments": ARGUMENTS}}
    return chat(
        messages=[
            HELLO,
            {"role": "assistant", "content": None, "tool_calls": [function | (call or {})], **(message or {})},
            {"role": "tool", "tool_call_id": "call_0001", "content": "done", **(result or {})},
        ],
        tools=[{"type": "function", "function": FUNCTION}],
    )


def typed(**more: Any) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": OUTPUT, **more}}


SPACED = {"function": {"name": "f", "arguments": '{ "a": "b" }'}}
SPELLED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "spaces in arguments": (called(SPACED), called()),
    "the role developer": (
        chat(messages=[{"role": "developer", "content": "Be brief."}, HELLO]),
        chat(messages=[{"role": "system", "content": "Be brief."}, HELLO]),
    ),
    "one stop text": (chat(stop="END"), chat(stop=["END"])),
    "the format text": (chat(response_format={"type": "text"}), chat()),
    "the modality text": (chat(modalities=["text"]), chat()),
    "no bias": (chat(logit_bias={}), chat()),
    "one choice": (chat(n=1), chat()),
    "no log probabilities": (chat(logprobs=False, top_logprobs=0), chat()),
    "nulls": (chat(store=None, verbosity=None, user=None, stop=None, audio=None), chat()),
    "the name of a result": (called(result={"name": "f"}), called()),
    "empty content beside calls": (called(message={"content": ""}), called()),
    "what a client has parsed": (
        called(
            {"index": 0, "function": {"name": "f", "arguments": ARGUMENTS, "parsed_arguments": {"a": "b"}}},
            {"parsed": None, "refusal": None, "annotations": [], "audio": None, "function_call": None},
        ),
        called(),
    ),
    "strict null": (chat(tools=[{"type": "function", "function": {**FUNCTION, "strict": None}}]), called() | {"messages": chat()["messages"]}),
    "labels in an output schema": (
        chat(response_format=typed(schema={"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "T", **OUTPUT})),
        chat(response_format=typed()),
    ),
    "a choice without tools": (chat(tool_choice="auto", parallel_tool_calls=True), chat()),
    "no calls at once without tools": (chat(parallel_tool_calls=False), chat()),
    "no tools": (chat(tools=[], tool_choice="none"), chat()),
}  # fmt: skip
"""Bodies of Chat Completions that say the same in two spellings."""


@pytest.mark.parametrize("provider", CONVERSING)
@over("case", list(SPELLED))
def test_a_spelling_is_no_loss(sample: Package, provider: str, case: str) -> None:
    """Whatever the second body loses, the first loses nothing more."""
    spelled, plain = (laws.read(sample, "openai_chat", body) for body in SPELLED[case])
    losses: list[Any] = []
    plain_losses: list[Any] = []
    written = laws.write(sample, provider, spelled, losses)
    expected = laws.write(sample, provider, plain, plain_losses)
    assert [(loss.path, loss.what) for loss in losses] == [(loss.path, loss.what) for loss in plain_losses]
    assert written.keys() >= expected.keys() - {"tools"}


@over("strict", [None, True])
@pytest.mark.parametrize("source", CONVERSING)
def test_the_version_of_a_schema_is_no_loss(sample: Package, source: str, strict: bool | None) -> None:
    """Clients write `$schema`, and a strict dialect leaves it out; the schema of the format has all of it."""
    models, version = sample.module("models"), {"$schema": "http://json-schema.org/draft-07/schema#"}
    tool = models.ToolDefinition("f", "", OUTPUT, strict=strict)
    output = models.OutputSchema(OUTPUT, name="f", strict=strict)
    request = models.Request([models.UserMessage("Hi")], model="m", tools=[tool], output_format=output)
    body = with_version(laws.write(sample, source, request, []), version)
    again = laws.read(sample, source, body)
    for target in CONVERSING:
        losses: list[Any] = []
        laws.write(sample, target, again, losses)
        assert [loss.path for loss in losses if loss.what == "$schema" and loss.severity != "note"] == [], target


def with_version(wire: Any, version: dict[str, Any]) -> Any:
    """Return a body whose schemas of objects say the version of JSON Schema."""
    if isinstance(wire, list):
        return [with_version(value, version) for value in wire]
    if not isinstance(wire, dict):
        return wire
    members = {key: with_version(value, version) for key, value in wire.items()}
    return {**version, **members} if "properties" in wire else members


TOLD: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "verbosity": ("openai_chat", chat(verbosity="low"), "verbosity", "warning"),
    "log probabilities": ("openai_chat", chat(logprobs=True), "logprobs", "warning"),
    "several choices": ("openai_chat", chat(n=2), "n", "warning"),
    "an unknown key": ("openai_chat", chat(x_key=1), "x_key", "warning"),
    "an unknown switch": ("openai_chat", chat(x_key={}), "x_key", "warning"),
    "an unknown key of a message": ("openai_chat", chat(messages=[{**HELLO, "x_key": 1}]), "x_key", "warning"),
    "an unknown key of a function": (
        "openai_chat",
        called({"function": {"name": "f", "arguments": ARGUMENTS, "x_key": 1}}),
        "x_key",
        "warning",
    ),
    "what is stored": ("openai_chat", chat(store=True), "store", "note"),
    "the user": ("openai_chat", chat(user="u"), "user", "note"),
    "metadata": ("openai_chat", chat(metadata={"a": "b"}), "metadata", "note"),
    "an unknown key of an output schema": (
        "openai_chat",
        chat(response_format=typed(x_key=1)),
        "x_key",
        "warning",
    ),
    "a setting of Anthropic": (
        "anthropic",
        {"model": "m", "max_tokens": 9, "messages": [HELLO], "mcp_servers": [{"type": "url", "url": "u", "name": "n"}]},
        "mcp_servers",
        "warning",
    ),
    "the account of Anthropic": (
        "anthropic",
        {"model": "m", "max_tokens": 9, "messages": [HELLO], "metadata": {"user_id": "u"}},
        "metadata",
        "note",
    ),
    "a signature of Gemini": (
        "gemini",
        {
            "contents": [
                {"role": "user", "parts": [{"text": "Hello"}]},
                {"role": "model", "parts": [{"text": "Hi.", "thoughtSignature": "c2ln"}]},
                {"role": "user", "parts": [{"text": "Bye"}]},
            ]
        },
        "thoughtSignature",
        "note",
    ),
    "modalities of Gemini": (
        "gemini",
        {
            "contents": [{"role": "user", "parts": [{"text": "Hello"}]}],
            "generationConfig": {"temperature": 0.5, "responseModalities": ["IMAGE"]},
        },
        "responseModalities",
        "warning",
    ),
    "fields of Bedrock": (
        "bedrock",
        {
            "messages": [{"role": "user", "content": [{"text": "Hello"}]}],
            "additionalModelRequestFields": {"top_k": 5},
        },
        "additionalModelRequestFields",
        "warning",
    ),
    "documents of Cohere": (
        "cohere",
        {"model": "m", "messages": [HELLO], "documents": ["a"]},
        "documents",
        "warning",
    ),
    "a summary in Responses": (
        "openai_responses",
        {"model": "m", "input": "Hello", "reasoning": {"effort": "low", "summary": "auto"}},
        "summary",
        "note",
    ),
    "a response that continues": (
        "openai_responses",
        {"model": "m", "input": "Hello", "previous_response_id": "resp_1"},
        "previous_response_id",
        "warning",
    ),
}
"""By case: the provider whose body it is, the key that others cannot have, and how severe the loss is."""

HOSTS = {provider for provider in CONVERSING if API_OF[provider] == "openai_chat"}


@pytest.mark.parametrize("provider", CONVERSING)
@over("case", list(TOLD))
def test_a_key_that_another_provider_cannot_have_is_told_by_name(sample: Package, provider: str, case: str) -> None:
    source, body, key, severity = TOLD[case]
    if API_OF[source] == API_OF[provider]:
        return
    losses: list[Any] = []
    laws.write(sample, provider, laws.read(sample, source, body), losses)
    lost = [loss for loss in losses if f"metadata.{source}" in loss.path]
    if provider == "modular_prompt" and "response_format" in body:  # it has no output schemas at all
        assert "outputFormat" in {loss.path for loss in losses}
        return
    assert [(loss.what, loss.severity, loss.action) for loss in lost] == [(key, severity, "dropped")]
    assert lost[0].path.endswith(f".{key}")


@pytest.mark.parametrize("provider", sorted(HOSTS - {"openai_chat"}))
def test_a_host_takes_what_chat_completions_takes(sample: Package, provider: str) -> None:
    body = called(SPACED) | {"store": True, "user": "u", "verbosity": "low", "logit_bias": {"5": 1}, "n": 2}
    losses: list[Any] = []
    written = laws.write(sample, provider, laws.read(sample, "openai_chat", body), losses)
    refused = {"logit_bias"} if provider == "groq" else set()
    sent = {key: body[key] for key in ("store", "user", "verbosity", "logit_bias", "n") if key not in refused}
    assert {key: written.get(key) for key in sent} == sent
    assert written["messages"][1]["tool_calls"][0]["function"]["arguments"] == SPACED["function"]["arguments"]
    assert {loss.what for loss in losses if "metadata" in loss.path} == refused


def test_openai_gets_no_key_of_a_host_that_it_rejects(sample: Package) -> None:
    body = chat(provider={"order": ["a"]}, reasoning={"enabled": True}, user="u")
    losses: list[Any] = []
    written = laws.write(sample, "openai_chat", laws.read(sample, "openai_compatible", body), losses)
    assert written["user"] == "u"
    assert written.keys().isdisjoint({"provider", "reasoning"})
    assert {(loss.what, loss.severity) for loss in losses} == {("provider", "note"), ("reasoning", "warning")}


def test_state_of_a_host_stays_with_it(sample: Package) -> None:
    details = [{"type": "reasoning.encrypted", "data": "x", "index": 0}]
    message = {**ANSWERED, "reasoning": "Hm.", "reasoning_details": details}
    losses: list[Any] = []
    request = laws.read(sample, "openrouter", chat(messages=[HELLO, message, HELLO]))
    written = laws.write(sample, "vllm", request, losses)
    assert "reasoning_details" not in written["messages"][1]
    assert "reasoning_details" in {loss.what for loss in losses}


def test_what_an_app_adds_is_a_note(sample: Package, models: Any) -> None:
    losses: list[Any] = []
    message = models.UserMessage("Hello", metadata={"app": {"trace": "t"}})
    laws.write(sample, "anthropic", models.Request([message], max_output_tokens=9), losses)
    assert [(loss.path, loss.what, loss.severity) for loss in losses] == [
        ("messages[0].metadata.app.trace", "trace", "note")
    ]


@pytest.mark.parametrize("wire", ["openai_chat", "openai_responses"])
def test_a_description_beside_an_output_schema_goes_into_it(sample: Package, models: Any, wire: str) -> None:
    """Where an API has no place beside the schema, the model still reads the description."""
    schema = {**OUTPUT, "description": "Inside."}
    formats = {
        "openai_chat": {"response_format": typed(schema=schema, description="Beside.")},
        "openai_responses": {"text": {"format": {**typed()["json_schema"], "type": "json_schema", "schema": schema, "description": "Beside."}}},
    }  # fmt: skip
    body = {"openai_chat": chat(), "openai_responses": {"model": "m", "input": "Hello"}}[wire] | formats[wire]
    laws.body_comes_back(sample, wire, body)
    request = laws.read(sample, wire, body)
    assert request.output_format.schema["description"] == "Beside.\n\nInside."
    written = laws.write(sample, "gemini", request)
    assert "Beside." in laws.exact(written)
