"""Gateways: text, reasoning and calls that a stream interleaves are each written once by every provider's writer.

Some wires join all text of a response, so the completion at the end of their stream has the parts in another order.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from tests.providers import laws
from tests.support.every_row import grouped, over
from tests.support.generated import Package
from tests.support.repository import CONVERSING, having

Json = dict[str, Any]
Step = tuple[str, str]

TURNS = [
    "text call text",
    "call text",
    "call text call text call",
    "text text call text text",
    "text reasoning text",
    "reasoning text reasoning text",
    "text reasoning text reasoning text",
    "reasoning text call reasoning text call text",
    "call reasoning call reasoning",
    "text reasoning call",
]
"""The order in which a stream sends its pieces. Neighbours of one kind are two pieces of one text."""


def steps_of(turn: str) -> list[Step]:
    """The pieces of a turn, each with a text that no other has. A call has it as its id, and in its arguments."""
    return [(kind, f"{kind[:4]}{number:05}") for number, kind in enumerate(turn.split())]


def joined(steps: list[Step], kind: str) -> str:
    return "".join(text for step_kind, text in steps if step_kind == kind)


def arguments(name: str) -> Json:
    return {"city": f"{name}, Japan"}


def argument_text(name: str) -> str:
    return json.dumps(arguments(name), separators=(",", ":"))


def chunks(steps: list[Step], delta_of: Callable[[str, str, int], Json]) -> list[Json]:
    """A stream of chunks with deltas, as Chat Completions has them."""
    deltas = [delta_of(kind, text, number) for number, (kind, text) in enumerate(steps)]
    head = {"id": "chat-1", "object": "chat.completion.chunk", "created": 1, "model": "some-model"}
    reason = "tool_calls" if joined(steps, "call") else "stop"
    events = [{**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    return [*events, {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}]


def chat_call(text: str, index: int) -> Json:
    function = {"name": "get_weather", "arguments": argument_text(text)}
    return {"tool_calls": [{"index": index, "id": text, "type": "function", "function": function}]}


def compatible(steps: list[Step]) -> list[Json]:
    keys = {"text": "content", "reasoning": "reasoning_content"}
    return chunks(steps, lambda kind, text, i: chat_call(text, i) if kind == "call" else {keys[kind]: text})


def mistral(steps: list[Step]) -> list[Json]:
    def delta_of(kind: str, text: str, index: int) -> Json:
        if kind == "reasoning":
            return {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": text}]}]}
        return chat_call(text, index) if kind == "call" else {"content": text}

    return chunks(steps, delta_of)


def ollama(steps: list[Step]) -> list[Json]:
    def message_of(kind: str, text: str) -> Json:
        if kind == "call":
            function = {"name": "get_weather", "arguments": arguments(text)}
            return {"content": "", "tool_calls": [{"id": text, "function": function}]}
        return {"content": text} if kind == "text" else {"content": "", "thinking": text}

    head = {"model": "some-model", "created_at": "2026-01-01T00:00:00Z"}
    events = [{**head, "message": {"role": "assistant", **message_of(*step)}, "done": False} for step in steps]
    last = {"role": "assistant", "content": ""}
    return [*events, {**head, "message": last, "done": True, "done_reason": "stop"}]


def ollama_joined(steps: list[Step]) -> list[Json]:
    """Lines with text and reasoning in one message, where they are neighbours."""
    lines: list[Json] = []
    for line in ollama(steps):
        message = line["message"]
        before = lines[-1]["message"] if lines else {}
        if "thinking" in message and before.get("content") and "thinking" not in before:
            before["thinking"] = message["thinking"]
        else:
            lines.append(line)
    return lines


def cohere(steps: list[Step]) -> list[Json]:
    events: list[Json] = [{"type": "message-start", "id": "c-1", "delta": {"message": {"role": "assistant"}}}]

    def send(kind: str, index: int, **member: Any) -> None:
        events.append({"type": kind, "index": index, "delta": {"message": member}})

    blocks, calls = 0, 0
    for kind, text in steps:
        if kind == "call":
            head = {"id": text, "type": "function", "function": {"name": "get_weather", "arguments": ""}}
            send("tool-call-start", calls, tool_calls=head)
            send("tool-call-delta", calls, tool_calls={"function": {"arguments": argument_text(text)}})
            calls += 1
            continue
        key = "text" if kind == "text" else "thinking"
        send("content-start", blocks, content={"type": key, key: ""})
        send("content-delta", blocks, content={key: text})
        blocks += 1
    reason = "TOOL_CALL" if calls else "COMPLETE"
    return [*events, {"type": "message-end", "delta": {"finish_reason": reason}}]


def cohere_plan(steps: list[Step]) -> list[Json]:
    """The reasoning is a plan, whose pieces are one text beside the content."""
    reasons = iter(text for kind, text in steps if kind == "reasoning")
    events = []
    for event in cohere(steps):
        content = event["delta"].get("message", {}).get("content", {})
        if "thinking" not in content:
            events.append(event)
        elif event["type"] == "content-delta":
            events.append({"type": "tool-plan-delta", "delta": {"message": {"tool_plan": next(reasons)}}})
    return events


def anthropic_blocks(steps: list[Step], place: Callable[[int, str], int]) -> list[Json]:
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "some-model", "content": []}
    events: list[Json] = [{"type": "message_start", "message": {**message, "stop_reason": None}}]
    begun: set[int] = set()
    for number, (kind, text) in enumerate(steps):
        index = place(number, kind)
        heads = {
            "text": {"type": "text", "text": ""},
            "reasoning": {"type": "thinking", "thinking": "", "signature": ""},
            "call": {"type": "tool_use", "id": text, "name": "get_weather", "input": {}},
        }
        deltas = {
            "text": {"type": "text_delta", "text": text},
            "reasoning": {"type": "thinking_delta", "thinking": text},
            "call": {"type": "input_json_delta", "partial_json": argument_text(text)},
        }
        if index not in begun:
            events.append({"type": "content_block_start", "index": index, "content_block": heads[kind]})
        begun.add(index)
        events.append({"type": "content_block_delta", "index": index, "delta": deltas[kind]})
    reason = "tool_use" if joined(steps, "call") else "end_turn"
    end = {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}}
    return [*events, end, {"type": "message_stop"}]


def bedrock_blocks(steps: list[Step], place: Callable[[int, str], int]) -> list[Json]:
    events: list[Json] = [{"messageStart": {"role": "assistant"}}]
    for number, (kind, text) in enumerate(steps):
        at = {"contentBlockIndex": place(number, kind)}
        if kind == "call":
            head = {"toolUse": {"toolUseId": text, "name": "get_weather"}}
            events.append({"contentBlockStart": {**at, "start": head}})
        deltas = {
            "text": {"text": text},
            "reasoning": {"reasoningContent": {"text": text}},
            "call": {"toolUse": {"input": argument_text(text)}},
        }
        events.append({"contentBlockDelta": {**at, "delta": deltas[kind]}})
    reason = "tool_use" if joined(steps, "call") else "end_turn"
    return [*events, {"messageStop": {"stopReason": reason}}]


def own_place(number: int, kind: str) -> int:
    """Each piece is a block."""
    return number


def shared_place(number: int, kind: str) -> int:
    """All text is one block, and so is all reasoning. They grow while other blocks begin."""
    return {"text": 0, "reasoning": 1}.get(kind, 2 + number)


def gemini(steps: list[Step]) -> list[Json]:
    def part_of(kind: str, text: str) -> Json:
        if kind == "call":
            return {"functionCall": {"id": text, "name": "get_weather", "args": arguments(text)}}
        return {"text": text} if kind == "text" else {"text": text, "thought": True}

    def chunk(parts: list[Json], **more: Any) -> Json:
        return {"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0, **more}], "responseId": "g"}

    return [*(chunk([part_of(*step)]) for step in steps), chunk([{"text": ""}], finishReason="STOP")]


def openai_responses(steps: list[Step]) -> list[Json]:
    events: list[Json] = []
    output: list[Json] = []
    for kind, text in steps:
        heads: Mapping[str, Json] = {
            "text": {"type": "message", "id": f"msg_{text}", "role": "assistant", "content": []},
            "reasoning": {"type": "reasoning", "id": f"rs_{text}", "summary": []},
            "call": {"type": "function_call", "id": f"fc_{text}", "call_id": text, "name": "get_weather"},
        }
        wholes: Mapping[str, Json] = {
            "text": {"content": [{"type": "output_text", "text": text, "annotations": []}], "status": "completed"},
            "reasoning": {"summary": [{"type": "summary_text", "text": text}]},
            "call": {"arguments": argument_text(text), "status": "completed"},
        }
        deltas: Mapping[str, Json] = {
            "text": {"type": "response.output_text.delta", "content_index": 0, "delta": text},
            "reasoning": {"type": "response.reasoning_summary_text.delta", "summary_index": 0, "delta": text},
            "call": {"type": "response.function_call_arguments.delta", "delta": argument_text(text)},
        }
        at = {"output_index": len(output)}
        empty = {"arguments": ""} if kind == "call" else {}
        output.append({**heads[kind], **wholes[kind]})
        events.append({"type": "response.output_item.added", **at, "item": {**heads[kind], **empty}})
        events.append({**deltas[kind], **at, "item_id": heads[kind]["id"]})
        events.append({"type": "response.output_item.done", **at, "item": output[-1]})
    head = {"id": "resp_1", "object": "response", "created_at": 1, "model": "some-model", "status": "completed"}
    return [*events, {"type": "response.completed", "response": {**head, "output": output}}]


SOURCES: Mapping[str, tuple[str, Callable[[list[Step]], list[Json]]]] = {
    "openai_chat": ("openai_chat", compatible),
    "openai_compatible": ("openai_compatible", compatible),
    "deepseek": ("deepseek", compatible),
    "mistral": ("mistral", mistral),
    "ollama": ("ollama", ollama),
    "ollama, text and reasoning in one line": ("ollama", ollama_joined),
    "cohere": ("cohere", cohere),
    "cohere, with a plan": ("cohere", cohere_plan),
    "anthropic": ("anthropic", lambda steps: anthropic_blocks(steps, own_place)),
    "anthropic, growing blocks": ("anthropic", lambda steps: anthropic_blocks(steps, shared_place)),
    "bedrock": ("bedrock", lambda steps: bedrock_blocks(steps, own_place)),
    "bedrock, growing blocks": ("bedrock", lambda steps: bedrock_blocks(steps, shared_place)),
    "gemini": ("gemini", gemini),
    "openai_responses": ("openai_responses", openai_responses),
}

TARGETS = [*having("stream", CONVERSING), "copilot_quorum", "prompt"]
IN_ORDER = ("anthropic", "bedrock", "openai_responses")
"""The wires that have calls between texts, also in a stream."""


def has_reasoning(sample: Package, provider: str) -> bool:
    """Whether the streams of a wire have reasoning. In `prompt`, some of it can be a part of a call."""
    losses: list[Any] = []
    writer = sample.provider(provider).StreamWriter(on_loss=losses.append)
    writer.write(sample.module("models").ReasoningDelta("Hm."))
    return losses == [] and provider != "prompt"


def turns(with_reasoning: bool) -> Iterator[list[Step]]:
    for turn in TURNS:
        if with_reasoning or "reasoning" not in turn:
            yield steps_of(turn)


def merged(steps: list[Step]) -> list[Step]:
    """The steps as parts of a message: neighbours of one kind are one part, unless they are calls. None is empty."""
    parts: list[Step] = []
    for kind, text in steps:
        if kind != "call" and parts and parts[-1][0] == kind:
            parts[-1] = (kind, parts[-1][1] + text)
        elif text:
            parts.append((kind, text))
    return parts


def parts_of(completion: Any) -> list[Step]:
    kinds = {"TextPart": "text", "ReasoningPart": "reasoning", "ToolCallPart": "call"}
    return [
        (kinds[type(part).__name__], part.call.id if hasattr(part, "call") else part.text)
        for part in completion.message.content
    ]


def sent(wires: list[Any]) -> str:
    """What the events of a writer say, but for those at the end of something that say it all again."""
    new = []
    for event in wires:
        kind = event.get("type", "") if type(event) is dict else ""
        if kind in ("message-end", "response.completed") or kind.endswith(".done") or "CompletedResponse" in event:
            continue
        new.append({**event, "content": ""} if "content" in event and type(wires[0]) is str else event)
    return json.dumps(new)


@grouped(
    "source, target",
    [(source, target) for source, (provider, _) in SOURCES.items() for target in TARGETS if target != provider],
)
def test_what_a_stream_interleaves_is_written_once(sample: Package, source: str, target: str) -> None:
    provider, events_of = SOURCES[source]
    for steps in turns(has_reasoning(sample, provider)):
        completion, emitted = laws.played(sample, provider, events_of(steps))
        assert laws.joined(completion, "TextPart") == joined(steps, "text")
        assert laws.joined(completion, "ReasoningPart") == joined(steps, "reasoning")
        wires = laws.written(sample, target, emitted, id="an-id", created=7)
        again, told_again = laws.played(sample, target, wires)
        laws.adds_up(sample, again, told_again)
        assert laws.outline(sample, again) == laws.outline(sample, completion)
        calls = [text for kind, text in steps if kind == "call"]
        assert [call.id for call in laws.calls_of(sample, again)] == calls
        once = [arguments(call)["city"] for call in calls] + [text for kind, text in steps if kind == "text"]
        if has_reasoning(sample, target):
            assert laws.joined(again, "ReasoningPart") == joined(steps, "reasoning")
            once += [text for kind, text in steps if kind == "reasoning"]
        assert [text for text in once if sent(wires).count(text) != 1] == []
        if target in IN_ORDER:
            assert merged(parts_of(again)) == merged(steps)


@pytest.mark.parametrize("provider", having("stream", CONVERSING))
def test_a_model_that_is_stated_is_in_every_event_that_has_one(sample: Package, models: Any, provider: str) -> None:
    module = sample.provider(provider)
    losses: list[Any] = []
    writer = module.StreamWriter(id="a", created=1, model="some-model", on_loss=losses.append)
    done = models.CompletedEvent(models.Completion(models.AssistantMessage("Hello"), "stop"))
    events = [*writer.write(models.TextDelta("Hel")), *writer.write(models.TextDelta("lo")), *writer.write(done)]
    stream = module.Stream()
    for event in events:
        stream.feed(event)
    stream.finish()
    models_sent = [model for event in events for model in models_in(event)]
    assert set(models_sent) <= {"some-model"}
    if "model" in [loss.path for loss in losses]:
        assert models_sent == []
    else:
        assert models_sent[:1] == models_in(events[0])
        assert stream.result().model == "some-model"


@pytest.mark.parametrize("provider", having("stream", CONVERSING))
def test_what_a_gateway_states_is_the_same_in_every_event(sample: Package, models: Any, provider: str) -> None:
    """A client knows a stream by its id, so the completion's own id and model do not replace those of earlier events."""
    writer = sample.provider(provider).StreamWriter(id="mine", created=1, model="alias", on_loss=lambda loss: None)
    done = models.Completion(
        models.AssistantMessage("Hello"), "stop", id="theirs", model="real", usage=models.Usage(1, 1, 2)
    )
    events = [*writer.write(models.TextDelta("Hello")), *writer.write(models.CompletedEvent(done))]
    assert "theirs" not in json.dumps(events)
    assert set(models_in(events)) <= {"alias"}


def models_in(value: Any) -> list[Any]:
    """The models that a value of the wire names."""
    if isinstance(value, list):
        return [model for item in value for model in models_in(item)]
    if not isinstance(value, dict):
        return []
    return [
        *(item for key, item in value.items() if key in ("model", "modelVersion")),
        *(model for item in value.values() for model in models_in(item)),
    ]


BLOCKS = ("anthropic", "bedrock", "openai_responses")
"""The wires on which calls are in the order in which they begin."""


@over("deltas", ["all", "those of the last", "none"])
@pytest.mark.parametrize("provider", having("stream", CONVERSING))
def test_calls_that_begin_in_another_order_keep_their_arguments(
    sample: Package, models: Any, provider: str, deltas: str
) -> None:
    """The second call has its id before the first one, or the first ones are only in the completion."""
    module = sample.provider(provider)
    calls = [models.ToolCall(f"call0000{i}", "get_weather", {"city": f"c{i}"}) for i in range(3)]
    texts = [json.dumps(call.arguments, separators=(",", ":")) for call in calls]
    starts = [models.ToolCallDelta(i, call.id, call.name, texts[i][:4]) for i, call in enumerate(calls)]
    rests = [models.ToolCallDelta(i, arguments_delta=texts[i][4:]) for i in range(3)]
    chosen = {"all": [*reversed(starts), *rests], "those of the last": [starts[2], rests[2]], "none": []}[deltas]
    message = models.AssistantMessage([models.TextPart("Hm"), *map(models.ToolCallPart, calls)])
    events = [*chosen, models.TextDelta("Hm"), models.CompletedEvent(models.Completion(message, "tool_calls"))]
    writer, stream = module.StreamWriter(id="a", created=1), module.Stream()
    for event in events:
        for written in writer.write(event):
            stream.feed(written)
    stream.finish()
    calls_read = [(call.id, call.arguments, call.invalid) for call in laws.calls_of(sample, stream.result())]
    meant = [(call.id, call.arguments, None) for call in calls]
    assert (sorted(calls_read) if provider in BLOCKS else calls_read) == meant
