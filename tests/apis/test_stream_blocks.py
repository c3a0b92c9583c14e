"""Stream writers of APIs with numbered blocks: blocks of any kinds, in any order, are read back as they were."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import pytest

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
        found = stream.result()
        if (found.message, found.finish_reason) != (completion.message, completion.finish_reason):
            different.append(kinds)
    assert different == []
