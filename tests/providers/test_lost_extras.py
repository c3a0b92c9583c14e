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
    "what an account does anyway": (chat(store=False, service_tier="auto", metadata={}), chat()),
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


SAID = {"role": "user", "content": [{"type": "text", "text": "Hello"}]}
PDF = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "AAAA"}, "title": "t"}
CLAUDE_TOOL = {"name": "f", "description": "A function.", "input_schema": PARAMETERS}
FUNCTION_CALL = {"type": "function_call", "call_id": "call_0001", "name": "f", "arguments": ARGUMENTS}
OUTPUT_ITEM = {"type": "function_call_output", "call_id": "call_0001", "output": "done"}


def claude(content: Any = (), tool: Any = None, **more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": [*SAID["content"], *content]}]
    return {"model": "m", "max_tokens": 9, "messages": messages, "tools": [CLAUDE_TOOL | (tool or {})], **more}


def items(call: Any = None, tool: Any = None, **more: Any) -> dict[str, Any]:
    tools = [{"type": "function", **FUNCTION, "strict": False, **(tool or {})}]
    return {"model": "m", "input": [HELLO, FUNCTION_CALL | (call or {}), OUTPUT_ITEM], "tools": tools, **more}


def contents(tool: Any = None, mode: Any = None, **config: Any) -> dict[str, Any]:
    body = {
        "contents": [{"role": "user", "parts": [{"text": "Hello"}]}],
        "tools": [{"functionDeclarations": [{"name": "f", "parametersJsonSchema": PARAMETERS, **(tool or {})}]}],
        "generationConfig": {"temperature": 0.5, **config},
    }
    return body | ({"toolConfig": {"functionCallingConfig": mode}} if mode else {})


def converse(document: Any = None, **more: Any) -> dict[str, Any]:
    pdf = {"format": "pdf", "name": "n", "source": {"bytes": "AAAA"}, **(document or {})}
    return {"messages": [{"role": "user", "content": [{"text": "Hello"}, {"document": pdf}]}], **more}


DEFAULTS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "account of Anthropic": ("anthropic", claude(service_tier="auto", metadata={}), claude()),
    "tool of Anthropic": (
        "anthropic",
        claude(tool={"defer_loading": False, "allowed_callers": ["direct"], "eager_input_streaming": False}),
        claude(),
    ),
    "document of Anthropic": ("anthropic", claude([{**PDF, "citations": {"enabled": False}}]), claude([PDF])),
    "account of Responses": ("openai_responses", items(store=True, service_tier="auto", metadata={}), items()),
    "tool of Responses": (
        "openai_responses",
        items(tool={"defer_loading": False, "allowed_callers": ["direct"]}, call={"caller": {"type": "direct"}}),
        items(),
    ),
    "settings of Gemini": (
        "gemini",
        contents(responseLogprobs=False, mediaResolution="MEDIA_RESOLUTION_UNSPECIFIED", thinkingConfig={"thinkingLevel": "LOW", "includeThoughts": False}),
        contents(thinkingConfig={"thinkingLevel": "LOW"}),
    ),
    "tool of Gemini": ("gemini", contents({"behavior": "BLOCKING"}), contents()),
    "no mode of Gemini": ("gemini", contents(mode={"mode": "MODE_UNSPECIFIED"}), contents()),
    "a mode of Gemini that validates": ("gemini", contents(mode={"mode": "VALIDATED"}), contents(mode={"mode": "AUTO"})),
    "settings of Bedrock": (
        "bedrock",
        converse(performanceConfig={"latency": "standard"}, serviceTier={"type": "default"}, promptVariables={}, requestMetadata={}),
        converse(),
    ),
    "document of Bedrock": ("bedrock", converse({"citations": {"enabled": False}}), converse()),
    "thinking of Mistral": (
        "mistral",
        chat(messages=[HELLO, {"role": "assistant", "content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}], "closed": True}]}, HELLO]),
        chat(messages=[HELLO, {"role": "assistant", "content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]}, HELLO]),
    ),
    "options of Ollama": (
        "ollama",
        {"model": "m", "messages": [HELLO], "tool_choice": "auto", "options": {"temperature": 0.5, "num_predict": -1}},
        {"model": "m", "messages": [HELLO], "options": {"temperature": 0.5}},
    ),
    "priority of Cohere": ("cohere", chat(priority=0), chat()),
    "an empty list of stop texts": ("openai_chat", chat(stop=[]), chat()),
}  # fmt: skip
"""By case: the provider, a body that says what the API does anyway, and the same one without it."""


@pytest.mark.parametrize("provider", CONVERSING)
@over("case", list(DEFAULTS))
def test_what_an_api_does_anyway_is_no_loss(sample: Package, provider: str, case: str) -> None:
    """Of a key with a field, such as `stop`, the note that it is left out stays."""
    source, stated, plain = DEFAULTS[case]
    losses: list[Any] = []
    plain_losses: list[Any] = []
    laws.write(sample, provider, laws.read(sample, source, stated), losses)
    laws.write(sample, provider, laws.read(sample, source, plain), plain_losses)
    told = {(loss.path, loss.what, loss.severity) for loss in losses}
    told -= {(loss.path, loss.what, loss.severity) for loss in plain_losses}
    assert {loss for loss in told if loss[2] != "note" or "metadata" in loss[0]} == set()


@pytest.mark.parametrize("provider", [p for p in CONVERSING if API_OF[p] != "anthropic"])
def test_thinking_of_anthropic_is_lost_once_and_only_where_there_is_no_budget(sample: Package, provider: str) -> None:
    losses: list[Any] = []
    body = claude(max_tokens=4000, thinking={"type": "enabled", "budget_tokens": 2000})
    laws.write(sample, provider, laws.read(sample, "anthropic", body), losses)
    assert "thinking" not in {loss.what for loss in losses}
    shown = {**body, "thinking": {**body["thinking"], "display": "omitted"}}
    losses.clear()
    laws.write(sample, provider, laws.read(sample, "anthropic", shown), losses)
    assert [(loss.path, loss.what) for loss in losses if "metadata" in loss.path] == [
        ("metadata.anthropic.thinking.display", "display")
    ]


@pytest.mark.parametrize("provider", ["openai_chat", "openai_responses", "gemini", "bedrock"])
def test_citations_that_a_document_shall_have_are_a_warning(sample: Package, provider: str) -> None:
    losses: list[Any] = []
    body = claude([{**PDF, "citations": {"enabled": True}}])
    laws.write(sample, provider, laws.read(sample, "anthropic", body), losses)
    assert [loss.severity for loss in losses if loss.what == "citations"] == ["warning"]


@pytest.mark.parametrize("config", [{"includeThoughts": True}, {"thinkingBudget": -1, "includeThoughts": True}])
def test_vertex_reads_how_gemini_thinks(sample: Package, config: dict[str, Any]) -> None:
    losses: list[Any] = []
    written = laws.write(sample, "vertex", laws.read(sample, "gemini", contents(thinkingConfig=config)), losses)
    assert written["generationConfig"]["thinkingConfig"] == config
    assert "thinkingConfig" not in {loss.what for loss in losses}


@pytest.mark.parametrize("provider", ["openai_chat", "openai_responses", "groq", "mistral", "ollama"])
def test_a_budget_of_no_tokens_is_the_effort_none(sample: Package, provider: str) -> None:
    losses: list[Any] = []
    request = laws.read(sample, "gemini", contents(thinkingConfig={"thinkingBudget": 0}))
    written = laws.write(sample, provider, request, losses)
    assert laws.read(sample, provider, written).reasoning.effort == "none"
    assert [(loss.action, loss.severity) for loss in losses if loss.what == "budgetTokens"] == [("rewritten", "note")]


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
    "citations in a text": (
        "anthropic",
        {"model": "m", "max_tokens": 9, "messages": [HELLO, {"role": "assistant", "content": [{"type": "text", "text": "Yes.", "citations": [{"type": "char_location"}]}]}, HELLO]},
        "citations",
        "note",
    ),
    "the voice of Chat": ("openai_chat", chat(audio={"voice": "alloy", "format": "wav"}), "audio", "warning"),
    "log probabilities of an answer": (
        "openai_responses",
        {"model": "m", "input": [HELLO, {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Yes.", "annotations": [], "logprobs": [{"token": "Y", "logprob": -1}]}]}, HELLO]},
        "logprobs",
        "note",
    ),
    "a response that continues": (
        "openai_responses",
        {"model": "m", "input": "Hello", "previous_response_id": "resp_1"},
        "previous_response_id",
        "warning",
    ),
}  # fmt: skip
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
    told = {"store": True, "user": "u", "verbosity": "low", "logit_bias": {"5": 1}, "n": 2, "audio": {"voice": "alloy"}}
    body = called(SPACED) | told
    losses: list[Any] = []
    written = laws.write(sample, provider, laws.read(sample, "openai_chat", body), losses)
    refused = {"logit_bias"} if provider == "groq" else set()
    sent = {key: value for key, value in told.items() if key not in refused}
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
