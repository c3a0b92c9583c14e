"""Streams that contradict themselves: no call runs that nobody knows the whole of, and calls stand in their order."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.every_row import grouped, over
from tests.support.generated import Package
from tests.support.repository import OWN_CODE, hosts_of

CHAT = ["openai_chat", "openai_compatible", "mistral", "groq"]
ID, OTHER = "abcdefghi", "abcdefghj"


def completed(package: Package, provider: str, events: list[Any]) -> Any:
    stream, heard = package.provider(provider).Stream(), []
    for event in events:
        heard += stream.feed(event)
    heard += stream.finish()
    assert [event.type for event in heard].count("completed") == 1
    emitted = [event.call for event in heard if event.type == "tool_call"]
    completion = heard[-1].completion
    assert all(call.invalid is None or call in calls(completion) for call in emitted)
    return completion


def calls(completion: Any) -> list[Any]:
    return [part.call for part in completion.message.content if part.type == "tool_call"]


def reason(completion: Any) -> Any:
    (call,) = calls(completion)
    return call.invalid and call.invalid.reason


def chat(*deltas: Any, reasons: tuple[str, ...] = ("tool_calls",)) -> list[Any]:
    def chunk(delta: Any, word: str | None) -> Any:
        return {"id": "1", "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": word}]}

    return [chunk(delta, None) for delta in deltas] + [chunk({}, word) for word in reasons]


def piece(index: int, identifier: str | None = None, **function: Any) -> Any:
    head = {"id": identifier, "type": "function"} if identifier else {}
    return {"tool_calls": [{"index": index, **head, "function": function}]}


def anthropic(*deltas: Any, reasons: tuple[str, ...] = ("tool_use",)) -> list[Any]:
    message = {"id": "m", "type": "message", "role": "assistant", "model": "x", "content": [], "stop_reason": None}
    block = {"type": "tool_use", "id": "t1", "name": "f", "input": {}}
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": 0},
        *({"type": "message_delta", "delta": {"stop_reason": word}} for word in reasons),
        {"type": "message_stop"},
    ]


def bedrock(*deltas: Any, reasons: tuple[str, ...] = ("tool_use",)) -> list[Any]:
    start = {"toolUse": {"toolUseId": "t", "name": "f"}}
    return [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockStart": {"contentBlockIndex": 0, "start": start}},
        *({"contentBlockDelta": {"contentBlockIndex": 0, "delta": delta}} for delta in deltas),
        {"contentBlockStop": {"contentBlockIndex": 0}},
        *({"messageStop": {"stopReason": word}} for word in reasons),
    ]


def cohere(*deltas: Any) -> list[Any]:
    head = {"id": "c", "type": "function", "function": {"name": "f", "arguments": ""}}
    return [
        {"type": "message-start", "id": "x", "delta": {"message": {"role": "assistant"}}},
        {"type": "tool-call-start", "index": 0, "delta": {"message": {"tool_calls": head}}},
        *({"type": "tool-call-delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "tool-call-end", "index": 0},
        {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}},
    ]


def responses(*events: Any, status: str = "completed") -> list[Any]:
    body = {"id": "r", "object": "response", "model": "m", "output": []}
    item = {"type": "function_call", "id": "fc", "call_id": "c1", "name": "f", "arguments": ""}
    return [
        {"type": "response.created", "response": {**body, "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        *events,
        {"type": f"response.{status}", "response": {**body, "status": status}},
    ]


def arguments(kind: str, **members: Any) -> Any:
    return {"type": f"response.function_call_arguments.{kind}", "output_index": 0, "item_id": "fc", **members}


GEMINI = {"candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"a": 1}}}]}}]}


@grouped(
    "provider, events",
    [
        *[(provider, chat(piece(0, ID, name="f", arguments=""), piece(0, arguments=5))) for provider in CHAT],
        *[
            (provider, chat(piece(0, ID, name="f", arguments='{"a":'), piece(0, arguments=5), piece(0, arguments="}")))
            for provider in CHAT
        ],
        *[(provider, chat(piece(0, ID, name="f"), {"tool_calls": [{"index": 0, "function": 7}]})) for provider in CHAT],
        *[
            (provider, chat(piece(0, ID, name="f", arguments='{"a":'), piece(0, name="g", arguments="1}")))
            for provider in CHAT
        ],
        ("anthropic", anthropic({"type": "input_json_delta", "partial_json": 5})),
        ("anthropic", anthropic({"type": "input_json_delta", "partial_json": None})),
        ("anthropic", anthropic(None)),
        ("bedrock", bedrock({"toolUse": {"input": 5}})),
        ("bedrock", bedrock({"toolUse": 5})),
        ("bedrock", bedrock(None)),
        ("cohere", cohere({"message": {"tool_calls": {"function": {"arguments": 5}}}})),
        ("cohere", cohere(None)),
        ("openai_responses", responses(arguments("delta", delta=5))),
        ("openai_responses", responses(arguments("delta", delta="{}"), arguments("done", arguments=5))),
    ],
)
def test_a_call_with_a_piece_of_the_wrong_type_is_malformed(sample: Package, provider: str, events: Any) -> None:
    assert reason(completed(sample, provider, events)) == "malformed"


@pytest.mark.parametrize(
    ("provider", "events"),
    [
        *[
            (provider, chat(piece(0, ID, name="f", arguments='{"a":1}'), reasons=("length", "tool_calls")))
            for provider in CHAT
        ],
        (
            "anthropic",
            anthropic({"type": "input_json_delta", "partial_json": "{}"}, reasons=("max_tokens", "tool_use")),
        ),
        ("bedrock", bedrock({"toolUse": {"input": "{}"}}, reasons=("max_tokens", "tool_use"))),
        (
            "gemini",
            [
                {"candidates": [{**GEMINI["candidates"][0], "finishReason": "MAX_TOKENS"}]},
                {"candidates": [{"finishReason": "STOP"}]},
            ],
        ),
    ],
)
def test_a_second_reason_does_not_heal_a_cut_call(sample: Package, provider: str, events: Any) -> None:
    completion = completed(sample, provider, events)
    assert (completion.finish_reason, reason(completion)) == ("length", "truncated")


@pytest.mark.parametrize("provider", CHAT)
def test_calls_stand_in_the_order_of_their_index(sample: Package, provider: str) -> None:
    events = chat(piece(1, OTHER, name="g", arguments='{"b":1}'), piece(0, ID, name="f", arguments='{"a":1}'))
    assert [call.name for call in calls(completed(sample, provider, events))] == ["f", "g"]


@pytest.mark.parametrize("provider", ["openai_chat", "openai_compatible"])
def test_values_of_the_wrong_type_are_left_out_and_reported(sample: Package, provider: str) -> None:
    """What stands beside the message may be lost; what is inside of it may hold what nobody knows, and nothing runs."""
    call = piece(0, ID, name="f", arguments="{}")
    for events, reason_given, runnable in (
        ([*chat(call), {"choices": [], "usage": "x"}], "tool_calls", True),
        ([{"id": 5, "choices": []}, *({**event, "id": 5} for event in chat(call))], "tool_calls", True),
    ):
        stream, heard = sample.provider(provider).Stream(), []
        for event in events:
            heard += stream.feed(event)
        heard += stream.finish()
        completion = heard[-1].completion
        assert completion.finish_reason == reason_given
        assert [call_read.invalid is None for call_read in calls(completion)] == [runnable]
        assert [event.type for event in heard].count("error") == 1


FAILED_STREAMS: dict[str, list[dict[str, Any]]] = {
    "anthropic": [{"type": "error", "error": {"type": "overloaded_error", "message": "Too many"}}],
    "bedrock": [{"messageStart": {"role": "assistant"}}, {"throttlingException": {"message": "Too many"}}],
    "openai_chat": [{"error": {"message": "Too many", "code": 429}}],
    "gemini": [{"error": {"code": 429, "message": "Too many", "status": "RESOURCE_EXHAUSTED"}}],
    "ollama": [{"error": "Too many"}],
    "cohere": [{"type": "message-end", "delta": {"finish_reason": "ERROR", "error": "Too many"}}],
}


@pytest.mark.parametrize("provider", FAILED_STREAMS)
def test_an_error_is_written_once_as_the_api_gave_it(sample: Package, provider: str) -> None:
    """Clients raise the first error of a stream, so nothing more general may come before it."""
    module = sample.provider(provider)
    stream, writer = module.Stream(), module.StreamWriter()
    emitted = [event for wire in FAILED_STREAMS[provider] for event in stream.feed(wire)] + stream.finish()
    written = [wire for event in emitted for wire in writer.write(event)] + writer.finish()
    errors = [wire for wire in written if "Too many" in json.dumps(wire)]
    assert len(errors) == 1
    last = FAILED_STREAMS[provider][-1]
    assert {**errors[0], **last} == errors[0] or provider == "cohere"


CODED = ["anthropic", "openai_responses", "mistral", "openai_chat", *hosts_of("openai_chat"), "openai_compatible"]
CODED += hosts_of("openai_compatible")


@over("kind", ["rate_limit", "overloaded", "server", "authentication"])
@pytest.mark.parametrize("provider", CODED)
def test_an_error_of_a_stream_keeps_its_kind(sample: Package, provider: str, kind: str) -> None:
    models, module = sample.module("models"), sample.provider(provider)
    error = models.ApiError(kind, "Too many", kind != "authentication")
    writer = module.StreamWriter(id="x", created=1)
    written = [*writer.write(models.TextDelta("Hi")), *writer.write(models.ErrorEvent("Too many", error=error))]
    read = [event.error for event in module.iter_events([*written, *writer.finish()]) if event.type == "error"]
    assert [(e.kind, e.message, e.retryable) for e in read] == [(kind, "Too many", kind != "authentication")]


BARE: dict[str, list[dict[str, Any]]] = {
    "anthropic": [
        {"error": {"type": "overloaded_error", "message": "Too many"}},
        {"error": {"message": "Too many", "type": None, "code": "503"}},
    ],
    "cohere": [{"message": "Too many"}, {"error": "Too many"}, {"error": {"message": "Too many"}}],
    "openai_chat": [{"error": {"message": "Too many"}}],
    "openai_responses": [{"error": {"message": "Too many"}}],
    "mistral": [{"object": "error", "message": "Too many"}],
    "gemini": [{"error": {"message": "Too many"}}],
    "ollama": [{"error": "Too many"}],
}
"""By provider: bodies of API errors, which servers and gateways send as an event of a stream that has begun."""

BEGUN = {
    "anthropic": [
        {"type": "message_start", "message": {"type": "message", "role": "assistant", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "a", "name": "f", "input": {}}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
    ],
    "cohere": [{"type": "message-start", "id": "x", "delta": {"message": {"role": "assistant"}}}],
}  # fmt: skip


@pytest.mark.parametrize("provider", BARE)
@pytest.mark.parametrize("begun", [False, True])
def test_the_body_of_an_error_is_an_error_of_the_stream(sample: Package, provider: str, begun: bool) -> None:
    for error in BARE[provider]:
        stream = sample.provider(provider).Stream()
        wires = [*(BEGUN.get(provider, []) if begun else []), error]
        events = [event for wire in wires for event in stream.feed(wire)] + stream.finish()
        assert [event.message for event in events if event.type == "error"] == ["Too many"]
        assert stream.result().finish_reason == "error"
        parts = stream.result().message.content or []
        assert [part.call.invalid is not None for part in parts] == [True for _ in parts]


@pytest.mark.parametrize("target", OWN_CODE)
def test_an_error_of_another_api_is_written_as_an_error(sample: Package, target: str) -> None:
    source, module = sample.provider("anthropic"), sample.provider(target)
    stream, writer = source.Stream(), module.StreamWriter()
    emitted = [event for wire in FAILED_STREAMS["anthropic"] for event in stream.feed(wire)] + stream.finish()
    written = [wire for event in emitted for wire in writer.write(event)] + writer.finish()
    again = module.Stream()
    events = [event for wire in written for event in again.feed(wire)] + again.finish()
    (message,) = [event.message for event in events if type(event).__name__ == "ErrorEvent"]
    assert message == "Too many" or target == "modular_prompt"  # it has no place for a message
    assert again.result().finish_reason == "error"
