"""Stream writers of APIs with numbered blocks: blocks of any kinds, in any order, are read back as they were."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import pytest

from tests.providers import laws
from tests.support.every_row import over
from tests.support.generated import Package

Json = dict[str, Any]

ANTHROPIC: Mapping[str, Callable[[int], Json]] = {
    "text": lambda i: {"type": "text", "text": f"text {i}"},
    "thinking": lambda i: {"type": "thinking", "thinking": f"thought {i}", "signature": "sig"},
    "hidden thinking": lambda i: {"type": "thinking", "thinking": "", "signature": "sig"},
    "redacted": lambda i: {"type": "redacted_thinking", "data": f"data{i}"},
    "call": lambda i: {"type": "tool_use", "id": f"toolu_{i}", "name": "now", "input": {"i": i}},
    "call without arguments": lambda i: {"type": "tool_use", "id": f"toolu_{i}", "name": "now", "input": {}},
    "search": lambda i: {
        "type": "server_tool_use",
        "id": f"srvtoolu_{i}",
        "name": "web_search",
        "input": {"query": "q"},
    },
}
LOCATION = {"documentChar": {"documentIndex": 0, "start": 0, "end": 1}}
BEDROCK: Mapping[str, Callable[[int], Json]] = {
    "text": lambda i: {"text": f"text {i}"},
    "thinking": lambda i: {"reasoningContent": {"reasoningText": {"text": f"thought {i}", "signature": "sig"}}},
    "redacted": lambda i: {"reasoningContent": {"redactedContent": "ZGF0YQ=="}},
    "call": lambda i: {"toolUse": {"toolUseId": f"tooluse_{i}", "name": "now", "input": {"i": i}}},
    "call without arguments": lambda i: {"toolUse": {"toolUseId": f"tooluse_{i}", "name": "now", "input": {}}},
    "citations": lambda i: {
        "citationsContent": {
            "content": [{"text": f"text {i}"}],
            "citations": [{"title": "title", "location": LOCATION}],
        }
    },
    "image": lambda i: {"image": {"format": "png", "source": {"bytes": "aGk="}}},
}


def anthropic_response(content: list[Json]) -> Json:
    usage = {"input_tokens": 3, "output_tokens": 4}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "some-model"}
    return {**head, "content": content, "stop_reason": "tool_use", "stop_sequence": None, "usage": usage}


def bedrock_response(content: list[Json]) -> Json:
    usage = {"inputTokens": 3, "outputTokens": 4, "totalTokens": 7}
    message = {"role": "assistant", "content": content}
    return {"output": {"message": message}, "stopReason": "tool_use", "usage": usage, "metrics": {"latencyMs": 1}}


def streamed(completion: Any, models: Any) -> list[Any]:
    """The events of a stream with this completion: a delta for each text, reasoning and call that has one."""
    events: list[Any] = []
    calls = 0
    for part in completion.message.content:
        if type(part) is models.TextPart:
            events.append(models.TextDelta(part.text))
        elif type(part) is models.ReasoningPart and part.text:
            events.append(models.ReasoningDelta(part.text))
        elif type(part) is models.ToolCallPart:
            events.append(models.ToolCallDelta(calls, part.call.id, part.call.name))
            if part.call.arguments:
                text = json.dumps(part.call.arguments, separators=(",", ":"))
                events.append(models.ToolCallDelta(calls, None, None, text))
            calls += 1
    return [*events, models.CompletedEvent(completion)]


@pytest.mark.parametrize(
    ("provider", "blocks", "response"),
    [("anthropic", ANTHROPIC, anthropic_response), ("bedrock", BEDROCK, bedrock_response)],
    ids=["anthropic", "bedrock"],
)
@pytest.mark.parametrize("length", [1, 2, 3])
def test_blocks_in_any_order_are_read_back(
    sample: Package,
    models: Any,
    provider: str,
    blocks: Mapping[str, Callable[[int], Json]],
    response: Callable[[list[Json]], Json],
    length: int,
) -> None:
    module = sample.provider(provider)
    different = []
    for kinds in product(blocks, repeat=length):
        completion = module.from_response(response([blocks[kind](i) for i, kind in enumerate(kinds)]))
        writer, stream = module.StreamWriter(), module.Stream()
        for event in streamed(completion, models):
            for written in writer.write(event):
                stream.feed(written)
        for written in writer.finish():
            stream.feed(written)
        stream.finish()
        read_back = stream.result()
        if (read_back.message, read_back.finish_reason) != (completion.message, completion.finish_reason):
            different.append(kinds)
    assert different == []


def step_of(event: Json) -> tuple[str, Any]:
    """What an event does to a block, and the index of the block."""
    if "type" in event:
        return event["type"], event.get("index")
    ((kind, inner),) = event.items()
    kinds = {"Start": "content_block_start", "Delta": "content_block_delta", "Stop": "content_block_stop"}
    return kinds.get(kind.removeprefix("contentBlock"), kind), inner.get("contentBlockIndex")


def call_deltas(models: Any, index: int, *pieces: str | None) -> list[Any]:
    first = models.ToolCallDelta(index, f"call_{index}", "now", pieces[0])
    return [first, *(models.ToolCallDelta(index, arguments_delta=piece) for piece in pieces[1:])]


@pytest.mark.parametrize("provider", ["anthropic", "bedrock"])
def test_a_block_stops_before_the_next_one_starts(sample: Package, models: Any, provider: str) -> None:
    """Clients act on a block when it stops. Reasoning without a signature was streamed, so it is not reported."""
    calls = [models.ToolCall("call_0", "now", {"i": 1}), models.ToolCall("call_1", "now", {})]
    parts = [models.ReasoningPart("hm"), models.TextPart("Hi"), *map(models.ToolCallPart, calls), models.TextPart("Yo")]
    events = [
        models.ReasoningDelta("h"),
        models.ReasoningDelta("m"),
        models.TextDelta("Hi"),
        *call_deltas(models, 0, '{"i', '":1}'),
        *call_deltas(models, 1, "{}"),
        models.TextDelta("Yo"),
    ]
    losses: list[Any] = []
    writer = sample.provider(provider).StreamWriter(on_loss=losses.append)
    done = models.CompletedEvent(models.Completion(models.AssistantMessage(parts), "tool_calls"))
    open_now: list[int] = []
    stopped: list[int] = []
    for kind, index in (step_of(wire) for event in [*events, done] for wire in writer.write(event)):
        if kind == "content_block_stop":
            open_now.remove(index)
            stopped.append(index)
        elif index is not None and index not in open_now:
            assert open_now == []
            assert index not in stopped
            open_now.append(index)
    assert stopped == [0, 1, 2, 3, 4]
    assert [loss for loss in losses if "reasoning" in loss.what] == []


@pytest.mark.parametrize("provider", ["anthropic", "bedrock"])
def test_a_call_whose_pieces_are_interleaved_stops_when_it_is_complete(
    sample: Package, models: Any, provider: str
) -> None:
    writer = sample.provider(provider).StreamWriter(on_loss=lambda loss: None)
    first, second = call_deltas(models, 0, '{"i', '":0}'), call_deltas(models, 1, '{"i":1}')
    calls = [models.ToolCallPart(models.ToolCall(f"call_{i}", "now", {"i": i})) for i in (0, 1)]
    done = models.CompletedEvent(models.Completion(models.AssistantMessage(calls), "tool_calls"))
    steps = [step_of(wire) for event in [first[0], *second, first[1], done] for wire in writer.write(event)]
    assert [step for step in steps if step[1] is not None] == [
        ("content_block_start", 0),
        ("content_block_delta", 0),
        ("content_block_start", 1),
        ("content_block_delta", 1),
        ("content_block_delta", 0),
        ("content_block_stop", 0),
        ("content_block_stop", 1),
    ]


@pytest.mark.parametrize("provider", ["anthropic", "bedrock"])
def test_calls_that_start_before_their_arguments_come_stop_after_them(
    sample: Package, models: Any, provider: str
) -> None:
    """A client that acts on a stop would run such a call without its arguments."""
    writer = sample.provider(provider).StreamWriter(on_loss=lambda loss: None)
    deltas = [call_deltas(models, i, None, f'{{"i":{i}}}') for i in (0, 1)]
    calls = [models.ToolCallPart(models.ToolCall(f"call_{i}", "now", {"i": i})) for i in (0, 1)]
    done = models.CompletedEvent(models.Completion(models.AssistantMessage(calls), "tool_calls"))
    events = [deltas[0][0], deltas[1][0], deltas[0][1], deltas[1][1], done]
    steps = [step_of(wire) for event in events for wire in writer.write(event)]
    steps = [step for step in steps if step[1] is not None]
    for i in (0, 1):
        assert [kind for kind, index in steps if index == i] == [
            "content_block_start",
            "content_block_delta",
            "content_block_stop",
        ]


@pytest.mark.parametrize("provider", ["anthropic", "bedrock", "openai_responses"])
@over("arguments", ['{"i":0}', None])
@over("between", ["text", "reasoning", "call"])
def test_a_call_whose_arguments_come_after_other_parts_stops_after_them(
    sample: Package, models: Any, provider: str, arguments: str | None, between: str
) -> None:
    """It stops once, with its arguments. Without any it stops at the end."""
    module = sample.provider(provider)
    call = models.ToolCallPart(models.ToolCall("call_0", "now", json.loads(arguments or "{}")))
    parts_between = {
        "text": (models.TextPart("Hi"), models.TextDelta("Hi")),
        "reasoning": (models.ReasoningPart("Hi"), models.ReasoningDelta("Hi")),
        "call": (models.ToolCallPart(models.ToolCall("call_1", "now", {})), *call_deltas(models, 1, "{}")),
    }
    part, delta = parts_between[between]
    first, *further = call_deltas(models, 0, None, arguments)
    done = models.CompletedEvent(models.Completion(models.AssistantMessage([call, part]), "tool_calls"))
    writer, stream = module.StreamWriter(on_loss=lambda loss: None), module.Stream()
    wires = [wire for event in [first, delta, *further, done] for wire in writer.write(event)]
    for wire in wires:
        stream.feed(wire)
    stream.finish()
    assert [type(p).__name__ for p in stream.result().message.content] == ["ToolCallPart", type(part).__name__]
    assert stream.result().message.content[0].call.arguments == call.call.arguments
    steps = [
        (wire["type"].removeprefix("response."), wire.get("output_index")) for wire in wires if "output_index" in wire
    ]
    steps = steps or [step for step in map(step_of, wires) if step[1] is not None]
    own = [kind for kind, index in steps if index == 0]
    stops = [kind for kind in own if kind in ("content_block_stop", "output_item.done")]
    assert len(stops) == 1
    assert own[-1] == stops[0]


@pytest.mark.parametrize("was_streamed", [True, False])
def test_reasoning_without_a_signature_is_a_block_of_the_stream(
    sample: Package, models: Any, was_streamed: bool
) -> None:
    """It is written with an empty signature, whether it was streamed or comes with the completion."""
    losses: list[Any] = []
    writer = sample.provider("anthropic").StreamWriter(on_loss=losses.append)
    parts = [models.ReasoningPart("hm"), models.ReasoningPart("so"), models.TextPart("Hi")]
    done = models.CompletedEvent(models.Completion(models.AssistantMessage(parts), "stop"))
    stream = sample.provider("anthropic").Stream()
    for event in [models.ReasoningDelta("hmso"), models.TextDelta("Hi"), done][0 if was_streamed else 2 :]:
        for wire in writer.write(event):
            stream.feed(wire)
    stream.finish()
    content = stream.result().message.content
    assert [(type(part).__name__, part.text) for part in content] == [("ReasoningPart", "hmso"), ("TextPart", "Hi")]
    assert [loss for loss in losses if "reasoning" in loss.what] == []


UNSIGNED = {
    "anthropic": {"type": "thinking", "thinking": "hm", "signature": ""},
    "bedrock": {"reasoningContent": {"reasoningText": {"text": "hm", "signature": ""}}},
}


@pytest.mark.parametrize("provider", UNSIGNED)
def test_reasoning_that_a_client_sends_back_with_an_empty_signature_is_dropped(sample: Package, provider: str) -> None:
    """The APIs reject it. A response keeps it."""
    converter = sample.provider(provider)
    text = {"anthropic": {"type": "text", "text": "Hi"}, "bedrock": {"text": "Hi"}}[provider]
    user: Json = {"role": "user", "content": [text]}
    messages = [user, {"role": "assistant", "content": [UNSIGNED[provider], text]}, user]
    body = {"messages": messages, **({"model": "some-model", "max_tokens": 9} if provider == "anthropic" else {})}
    losses: list[Any] = []
    sent = converter.to_request(converter.from_request(body), on_loss=losses.append)
    assert sent == {**body, "messages": [user, {"role": "assistant", "content": [text]}, user]}
    assert [(loss.path, loss.action) for loss in losses] == [("messages[1].content[0]", "dropped")]
    response = {"anthropic": anthropic_response, "bedrock": bedrock_response}[provider]([UNSIGNED[provider], text])
    assert converter.to_response(converter.from_response(response)) == response


Steps = list[tuple[str, int, Any]]
"""Steps of blocks: `start` with the kind of a block, `text`, `thought` or `arguments` with a piece, and `stop`."""

Written = Callable[[str, int, Any], Json | None]
"""The event for a step on one wire; None if the wire has none."""


def anthropic_event(step: str, index: int, value: Any) -> Json | None:
    if step == "stop":
        return {"type": "content_block_stop", "index": index}
    if step == "start":
        heads = {"text": {"type": "text", "text": ""}, "thought": {"type": "thinking", "thinking": "", "signature": ""}}
        call = {"type": "tool_use", "id": value, "name": "now", "input": {}}
        return {"type": "content_block_start", "index": index, "content_block": heads.get(value, call)}
    deltas = {
        "text": {"type": "text_delta", "text": value},
        "thought": {"type": "thinking_delta", "thinking": value},
        "arguments": {"type": "input_json_delta", "partial_json": value},
    }
    return {"type": "content_block_delta", "index": index, "delta": deltas[step]}


def bedrock_event(step: str, index: int, value: Any) -> Json | None:
    at = {"contentBlockIndex": index}
    if step == "stop":
        return {"contentBlockStop": at}
    if step == "start":
        head = {"toolUse": {"toolUseId": value, "name": "now"}}
        return None if value in ("text", "thought") else {"contentBlockStart": {**at, "start": head}}
    deltas = {
        "text": {"text": value},
        "thought": {"reasoningContent": {"text": value}},
        "arguments": {"toolUse": {"input": value}},
    }
    return {"contentBlockDelta": {**at, "delta": deltas[step]}}


def cohere_event(step: str, index: int, value: Any) -> Json | None:
    def event(kind: str, **member: Any) -> Json:
        return {"type": kind, "index": index, "delta": {"message": member}}

    if step == "stop":
        return {"type": "content-end", "index": index}
    if step == "start" and value not in ("text", "thought"):
        head = {"id": value, "type": "function", "function": {"name": "now", "arguments": ""}}
        return event("tool-call-start", tool_calls=head)
    if step == "arguments":
        return event("tool-call-delta", tool_calls={"function": {"arguments": value}})
    key = {"text": "text", "thought": "thinking"}[value if step == "start" else step]
    if step == "start":
        return event("content-start", content={"type": key, key: ""})
    return event("content-delta", content={key: value})


def responses_event(step: str, index: int, value: Any) -> Json | None:
    at = {"output_index": index}
    if step == "stop":
        return None
    if step == "start":
        heads = {
            "text": {"type": "message", "role": "assistant", "content": []},
            "thought": {"type": "reasoning", "summary": []},
        }
        call = {"type": "function_call", "call_id": value, "name": "now", "arguments": ""}
        return {"type": "response.output_item.added", **at, "item": heads.get(value, call)}
    kinds = {
        "text": ("output_text", "content_index"),
        "thought": ("reasoning_summary_text", "summary_index"),
        "arguments": ("function_call_arguments", "content_index"),
    }
    kind, key = kinds[step]
    return {"type": f"response.{kind}.delta", **at, key: 0, "delta": value}


WIRES: Mapping[str, tuple[Written, list[Json], list[Json]]] = {
    "anthropic": (
        anthropic_event,
        [{"type": "message_start", "message": {**anthropic_response([]), "stop_reason": None}}],
        [{"type": "message_delta", "delta": {"stop_reason": "tool_use"}}, {"type": "message_stop"}],
    ),
    "bedrock": (
        bedrock_event,
        [{"messageStart": {"role": "assistant"}}],
        [{"messageStop": {"stopReason": "tool_use"}}],
    ),
    "cohere": (
        cohere_event,
        [{"type": "message-start", "delta": {"message": {"role": "assistant"}}}],
        [{"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}}],
    ),
    "openai_responses": (
        responses_event,
        [{"type": "response.created", "response": {"status": "in_progress"}}],
        [{"type": "response.completed", "response": {"id": "resp_1", "status": "completed"}}],
    ),
}

CALL_A: Steps = [("start", 0, "a"), ("arguments", 0, '{"i":'), ("arguments", 0, "1}")]
CALL_B: Steps = [("start", 0, "b"), ("arguments", 0, '{"i":2}')]
THOUGHT: Steps = [("start", 0, "thought"), ("thought", 0, "h"), ("thought", 0, "m")]
SAID: Steps = [("start", 0, "text"), ("text", 0, "H"), ("text", 0, "i")]
STOP: Steps = [("stop", 0, None)]


def moved(steps: Steps) -> Steps:
    return [(step, 1, value) for step, _, value in steps]


STREAMS: Mapping[str, tuple[Steps, list[Any]]] = {
    "each block at 0": (
        [*THOUGHT, *STOP, *SAID, *STOP, *CALL_A, *STOP, *CALL_B, *STOP],
        ["hm", "Hi", ("a", 1), ("b", 2)],
    ),
    "each block at 0, without stops": ([*THOUGHT, *SAID, *CALL_A, *CALL_B], ["hm", "Hi", ("a", 1), ("b", 2)]),
    "indexes from 0 again": ([*THOUGHT, *moved(CALL_A), *SAID, *moved(CALL_B)], ["hm", ("a", 1), "Hi", ("b", 2)]),
    "a start that comes twice": ([*THOUGHT, *moved(CALL_A[:1]), *moved(CALL_A)], ["hm", ("a", 1)]),
    "a start after the first delta": ([CALL_A[1], CALL_A[0], CALL_A[2], *STOP], [("a", 1)]),
    "a start after all deltas": ([*CALL_A[1:], *STOP, CALL_A[0], *moved(SAID)], [("a", 1), "Hi"]),
    "texts that start after the first delta": (
        [THOUGHT[1], THOUGHT[0], THOUGHT[2], *moved([SAID[1], SAID[0], SAID[2]])],
        ["hm", "Hi"],
    ),
    "deltas after the stop": (
        [*THOUGHT[:2], *STOP, *moved(CALL_A[:2]), *THOUGHT[2:], *moved(CALL_A[2:])],
        ["hm", ("a", 1)],
    ),
}


@over("name", list(STREAMS))
@pytest.mark.parametrize("provider", WIRES)
def test_events_that_are_out_of_order_lose_nothing(sample: Package, provider: str, name: str) -> None:
    written, start, end = WIRES[provider]
    steps, meant = STREAMS[name]
    wire_events = [event for step in steps if (event := written(*step)) is not None]
    completion, emitted = laws.played(sample, provider, [*start, *wire_events, *end])
    parts = completion.message.content
    parts = parts if isinstance(parts, list) else [sample.module("models").TextPart(parts)]
    found_parts = [(part.call.id, part.call.arguments["i"]) if hasattr(part, "call") else part.text for part in parts]
    # Cohere has its calls after its content
    assert found_parts == (sorted(meant, key=lambda part: type(part) is tuple) if provider == "cohere" else meant)
    assert [call.invalid for call in laws.calls_of(sample, completion)] == [None] * len(
        laws.calls_of(sample, completion)
    )
    laws.adds_up(sample, completion, emitted)


def test_a_signature_may_come_before_or_after_its_block(sample: Package) -> None:
    for provider, delta in (
        (
            "anthropic",
            {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "S"}},
        ),
        ("bedrock", {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"signature": "S"}}}}),
    ):
        written, start, end = WIRES[provider]
        block = [event for step in [*THOUGHT, *STOP, *moved(SAID)] if (event := written(*step)) is not None]
        for position in range(len(block) + 1):
            completion, _ = laws.played(sample, provider, [*start, *block[:position], delta, *block[position:], *end])
            thought, text = completion.message.content
            assert (thought.text, text.text) == ("hm", "Hi")
            assert '"S"' in json.dumps(thought.metadata)
