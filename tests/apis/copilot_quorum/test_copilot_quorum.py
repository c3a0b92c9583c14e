"""copilot-quorum alone: responses and events as serde spells them, and an app that moves without a rewrite."""

from __future__ import annotations

import asyncio
import copy
import json
from typing import Any

import pytest

from tests.providers import laws
from tests.support.every_row import over
from tests.support.generated import Package
from tests.support.repository import OWN_CODE, recordings
from tests.support.wires.copilot_quorum import event_faults, response_faults

PROVIDER = "copilot_quorum"
RESPONSES = [r for r in recordings(PROVIDER) if r["response"] is not None]
STREAMS = [r for r in recordings(PROVIDER) if r["events"] is not None]
each_response = over("response", {recording["id"]: recording["response"] for recording in RESPONSES})
each_stream = over("recording", {recording["id"]: recording for recording in STREAMS})
MARK = "x-mark"


def stream_of(name: str) -> Any:
    return next(r for r in STREAMS if r["id"].endswith(f"-{name}"))["events"]


def of(kind: str, events: list[Any]) -> list[Any]:
    return [event for event in events if event.type == kind]


def restored(models: Any, value: Any) -> Any:
    return models.load(type(value), json.loads(json.dumps(models.dump(value))))


@each_response
def test_law_7_a_response_comes_back(sample: Package, models: Any, response: Any) -> None:
    module, losses, answer = sample.provider(PROVIDER), [], copy.deepcopy(response)
    completion = module.from_response(answer)
    assert answer == response
    assert laws.exact(module.to_response(completion, on_loss=losses.append)) == laws.exact(response)
    assert losses == []
    assert laws.exact(module.to_response(restored(models, completion))) == laws.exact(response)
    assert module.from_tool_calls(response) == laws.calls_of(sample, completion)
    texts = [block["Text"] for block in response["content"] if isinstance(block, dict) and block.keys() == {"Text"}]
    assert sample.module("messages").text_of(completion.message) == "".join(texts)
    uses = [
        block["ToolUse"] for block in response["content"] if isinstance(block, dict) and block.keys() == {"ToolUse"}
    ]
    assert [(c.id, c.name, c.arguments) for c in laws.calls_of(sample, completion)] == [
        (use["id"], use["name"], use["input"]) for use in uses
    ]


@each_response
def test_law_5_what_is_unknown_in_a_response_is_kept(sample: Package, response: Any) -> None:
    module = sample.provider(PROVIDER)
    use = {"ToolUse": {"id": "call_x", "name": "t", "input": {}, "x_unknown": [MARK, None]}}
    for changed in (
        {**response, "x_unknown": {"a": [MARK, None]}, "$odd": None},
        {**response, "content": [*response["content"], {"x_block": MARK}]},
        {**response, "content": [*response["content"], MARK, None, 7]},
        {**response, "content": [*response["content"], use]},
        {**response, "stop_reason": {"Other": MARK}},
        {**response, "stop_reason": MARK},
        {**response, "stop_reason": {"x_reason": MARK}},
    ):
        completion = module.from_response(copy.deepcopy(changed))
        assert laws.exact(module.to_response(completion)) == laws.exact(changed)
        if changed.get("stop_reason") in (MARK, {"Other": MARK}):
            assert completion.stop_reason == MARK
            assert completion.finish_reason in ("other", "tool_calls")


def test_a_text_alone_is_a_response_that_ended(sample: Package, models: Any) -> None:
    """`LlmResponse::from_text` gives no reason and no model."""
    module = sample.provider(PROVIDER)
    wire = {"content": [{"Text": "Hi"}], "stop_reason": None, "model": None}
    completion = module.from_response(wire)
    assert completion.message == models.AssistantMessage("Hi")
    assert (completion.finish_reason, completion.stop_reason, completion.model) == ("stop", None, None)
    assert module.to_response(completion) == wire


ENDS = [
    ("EndTurn", "stop", "EndTurn"),
    ("MaxTokens", "length", "MaxTokens"),
    ({"Other": "pause_turn"}, "other", "pause_turn"),
    ({"Other": "content_filter"}, "content_filter", "content_filter"),
    ({"Other": "EndTurn"}, "stop", "EndTurn"),
    ({"x_reason": 1}, "other", None),
    ("x_reason", "other", "x_reason"),
]


@pytest.mark.parametrize(("stop", "reason", "word"), ENDS)
def test_why_a_response_ended(sample: Package, stop: Any, reason: str, word: str | None) -> None:
    completion = sample.provider(PROVIDER).from_response({"content": [], "stop_reason": stop, "model": "m"})
    assert (completion.finish_reason, completion.stop_reason) == (reason, word)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"content": None},
        {"content": "text"},
        {"content": [{"Text": 5}]},
        {"content": [{"ToolUse": {"id": "a", "name": 5, "input": {}}}]},
        {"content": [{"ToolUse": {"id": "a", "name": "n", "input": [1]}}]},
        {"content": [], "stop_reason": 5},
        {"content": [], "stop_reason": ["EndTurn"]},
        {"content": [], "model": 5},
    ],
)
def test_what_is_no_response_is_refused(sample: Package, models: Any, body: Any) -> None:
    with pytest.raises(models.ConversionError):
        sample.provider(PROVIDER).from_response(body)


def test_a_block_becomes_a_call_of_the_application(sample: Package, models: Any) -> None:
    """`LlmResponse::tool_calls`: the id of the block is the `native_id`, by which the result is returned."""
    module = sample.provider(PROVIDER)
    response = {"content": [{"ToolUse": {"id": "toolu_1", "name": "read_file", "input": {"path": "/a"}}}]}
    (call,) = module.from_tool_calls(response)
    assert module.to_tool_call(call) == {"tool_name": "read_file", "arguments": {"path": "/a"}, "native_id": "toolu_1"}
    result = module.to_tool_result(models.ToolResult(call.id, call.name, "text", "x"))
    assert result == {"tool_use_id": "toolu_1", "tool_name": "read_file", "output": "x", "is_error": False}
    thought = {"tool_name": "t", "arguments": {}, "reasoning": "To see.", "native_id": None}
    call_read = module.from_tool_call(thought)
    assert call_read.id == "call_0_0"
    assert call_read.metadata[PROVIDER]["reasoning"] == "To see."
    assert "$synthetic" in call_read.metadata[PROVIDER]["native_id"]
    assert module.to_tool_call(restored(models, call_read)) == thought


def test_a_result_says_which_call_it_was(sample: Package, models: Any) -> None:
    module = sample.provider(PROVIDER)
    wire = {"tool_use_id": "toolu_1", "tool_name": "read_file", "output": "no such file", "is_error": True}
    assert module.from_tool_result(wire) == models.ToolResult("toolu_1", "read_file", "error", "no such file")
    for flag in ({}, {"is_error": None}):
        plain = {key: value for key, value in wire.items() if key != "is_error"} | flag
        result = module.from_tool_result(plain)
        assert result.kind == "text"
        assert module.to_tool_result(result) == plain
        result.kind = "error"
        assert module.to_tool_result(result)["is_error"] is True
    for key in wire:
        with pytest.raises(models.ConversionError, match=f"^{key}: "):
            module.from_tool_result({**wire, key: 7})


def test_what_a_result_cannot_hold_is_reported(sample: Package, models: Any) -> None:
    module, losses = sample.provider(PROVIDER), []
    parts = [models.TextPart("a"), models.ImagePart(data="AA==", media_type="image/png"), models.TextPart("b")]
    wire = module.to_tool_result(models.ToolResult("c", "t", "multimodal", parts, True), on_loss=losses.append)
    assert (wire["output"], wire["is_error"]) == ("a\n[image]\nb", True)
    assert [(loss.path, loss.action, loss.severity) for loss in losses] == [
        ("value[1]", "described", "warning"),
        ("kind", "rewritten", "note"),
        ("value", "rewritten", "note"),
        ("isError", "rewritten", "note"),
    ]


@each_stream
def test_streams_are_of_the_wires_types(recording: Any) -> None:
    strange = [fault for event in recording["events"] for fault in event_faults(event)]
    assert strange == [] or "unknown x_" in recording["tags"]


@each_stream
def test_law_3_a_stream_says_what_its_whole_response_says(sample: Package, models: Any, recording: Any) -> None:
    module, events = sample.provider(PROVIDER), copy.deepcopy(recording["events"])
    completion, emitted = laws.played(sample, PROVIDER, events)
    assert events == recording["events"]
    laws.adds_up(sample, completion, emitted)
    failed = {"failed", "broken"} & set(recording["tags"])
    assert bool(of("error", emitted)) == bool(failed)
    if recording["response"] is not None:
        assert laws.exact(models.dump(completion)) == laws.exact(
            models.dump(module.from_response(recording["response"]))
        )
    if failed:
        assert completion.finish_reason == "error"
        assert [c for c in laws.calls_of(sample, completion) if c.invalid is None] == []


@each_stream
def test_a_stream_that_breaks_anywhere_has_what_came(sample: Package, recording: Any) -> None:
    events = recording["events"]
    for cut in range(len(events) + 1):
        ended = any(isinstance(e, dict) and e.keys() & {"Completed", "CompletedResponse"} for e in events[:cut])
        completion, emitted = laws.played(sample, PROVIDER, events[:cut], OSError("reset"))
        assert [e.type for e in emitted[-2:]] == ["error", "completed"]
        assert completion.finish_reason in ("error", "content_filter")
        assert [c for c in laws.calls_of(sample, completion) if c.invalid is None] == []
        assert ended or of("tool_call", emitted) == []
        text = "".join(e["Delta"] for e in events[:cut] if isinstance(e, dict) and "Delta" in e)
        assert ended or laws.joined(completion, "TextPart") == text


@each_stream
def test_law_7_a_stream_comes_back(sample: Package, models: Any, recording: Any) -> None:
    completion, emitted = laws.played(sample, PROVIDER, recording["events"])
    written = laws.written(sample, PROVIDER, emitted)
    assert [fault for event in written for fault in event_faults(event)] == [] or "unknown x_" in recording["tags"]
    again, told_again = laws.played(sample, PROVIDER, written)
    assert laws.exact(models.dump(again)) == laws.exact(models.dump(completion))
    laws.adds_up(sample, again, told_again)
    assert laws.exact(laws.written(sample, PROVIDER, told_again)) == laws.exact(written)


@each_stream
def test_law_5_unknown_events_change_nothing(sample: Package, models: Any, recording: Any) -> None:
    events: list[Any] = recording["events"]
    plain, emitted = laws.played(sample, PROVIDER, events)
    mixed = [e for event in events for e in ("Ping", event, {"x_event": MARK}, {})]
    completion, told_again = laws.played(sample, PROVIDER, mixed)
    assert (completion, told_again) == (plain, emitted)


def test_a_call_is_told_in_pieces(sample: Package) -> None:
    stream = sample.provider(PROVIDER).Stream()
    emitted = [e for event in stream_of("call")[:-1] for e in stream.feed(event)]
    deltas = of("tool_call_delta", emitted)
    assert [(e.index, e.id, e.name, e.arguments_delta) for e in deltas] == [
        (0, "toolu_abc123", "read_file", None),
        (0, None, None, '{"path":'),
        (0, None, None, '"/src/main.rs"}'),
    ]
    assert stream.partial_arguments(0) == {"path": "/src/main.rs"}
    assert stream.result().finish_reason == "other"
    assert [c.invalid.reason for c in laws.calls_of(sample, stream.result())] == ["truncated"]
    (whole,) = of("tool_call", stream.feed(stream_of("call")[-1]))
    assert whole.call.arguments == {"path": "/src/main.rs"}


def test_text_alone_and_asynchronous_sources(sample: Package) -> None:
    module, events = sample.provider(PROVIDER), stream_of("call")

    async def source() -> Any:
        for event in events:
            yield event

    async def gathered() -> list[Any]:
        return [event async for event in module.aiter_events(source())]

    assert asyncio.run(gathered()) == list(module.iter_events(events))
    assert [e.text for e in module.iter_events(events, text_only=True)] == ["Let me ", "look."]


@pytest.mark.parametrize(
    "event",
    [{"Delta": 5}, {"Error": None}, {"CompletedResponse": {"content": 1}}, {"ToolCallDelta": []}],
)
def test_events_of_the_wrong_type_end_in_a_failed_response(sample: Package, event: Any) -> None:
    stream = sample.provider(PROVIDER).Stream()
    failed, completed = [*stream.feed(event), *stream.finish()]
    assert (failed.type, completed.type, completed.completion.finish_reason) == ("error", "completed", "error")


@pytest.mark.parametrize("event", [None, 5, ["Delta"]])
def test_what_is_no_event_is_refused(sample: Package, models: Any, event: Any) -> None:
    with pytest.raises(models.ConversionError):
        sample.provider(PROVIDER).Stream().feed(event)


@pytest.mark.parametrize("source", OWN_CODE)
def test_completions_of_any_provider_are_responses(sample: Package, models: Any, source: str) -> None:
    """Text, calls and the reason are there; what has no place is reported."""
    module, done = sample.provider(PROVIDER), 0
    for recording in recordings(source):
        if recording["response"] is None or recording["status"] != 200:
            continue
        losses: list[Any] = []
        completion = sample.provider(source).from_response(copy.deepcopy(recording["response"]))
        wire = module.to_response(completion, id="i", created=7, on_loss=losses.append, on_unsupported="weaken")
        assert response_faults(wire) == []
        assert laws.outline(sample, module.from_response(wire)) == laws.outline(sample, completion)
        reported = {loss.path for loss in losses}
        assert completion.usage is None or "usage" in reported
        assert completion.id is None or "id" in reported
        done += 1
    assert done > 0


@pytest.mark.parametrize("source", OWN_CODE)
def test_streams_of_any_provider_pass_a_gateway(sample: Package, models: Any, source: str) -> None:
    for recording in recordings(source):
        if recording["events"] is None:
            continue
        completion, emitted = laws.played(sample, source, recording["events"])
        written = laws.written(sample, PROVIDER, emitted, id="i", created=7)
        assert [fault for event in written for fault in event_faults(event)] == []
        again, told_again = laws.played(sample, PROVIDER, written)
        assert laws.outline(sample, again) == laws.outline(sample, completion)
        laws.adds_up(sample, again, told_again)


TOOLS = [
    {
        "name": "read_file",
        "description": "Read a file.",
        "input_schema": {
            "type": "object",
            "properties": {"path": {"type": "string", "description": "File path"}},
            "required": ["path"],
        },
    }
]


@pytest.mark.parametrize("target", ["openai_chat", "anthropic", "gemini"])
def test_an_app_moves_to_any_provider(sample: Package, models: Any, target: str) -> None:
    """A session of the app: its text and tools go out, the response comes as its response, its results go out."""
    module, target_module = sample.provider(PROVIDER), sample.provider(target)
    definitions = module.from_tools(copy.deepcopy(TOOLS))
    messages: list[Any] = [models.UserMessage("What is in /a?")]
    request = models.Request(messages, model="m", tools=definitions, max_output_tokens=9)
    first = target_module.to_request(request, on_loss=lambda loss: None)
    assert "read_file" in json.dumps(first["tools"])
    call = models.ToolCallPart(models.ToolCall("toolu_1", "read_file", {"path": "/a"}))
    completion_sent = models.Completion(
        models.AssistantMessage([models.TextPart("Look."), call]), "tool_calls", "i", "m"
    )
    body = target_module.to_response(completion_sent, on_loss=lambda loss: None)
    completion = target_module.from_response(body)
    response = module.to_response(completion, on_loss=lambda loss: None)
    use = {"id": completion.message.content[1].call.id, "name": "read_file", "input": {"path": "/a"}}
    assert response == {"content": [{"Text": "Look."}, {"ToolUse": use}], "stop_reason": "ToolUse", "model": "m"}
    results = [{"tool_use_id": use["id"], "tool_name": "read_file", "output": "fn main() {}", "is_error": False}]
    messages += [completion.message, models.ToolMessage([module.from_tool_result(result) for result in results])]
    second = json.dumps(target_module.to_request(request, on_loss=lambda loss: None))
    assert "fn main() {}" in second
    assert module.to_tools(definitions) == TOOLS
