"""Text behind calls: the APIs of Anthropic's models reject what another API gave in this order, and keep their own."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.generated import Package

TEXT = "It may rain."
RESPONSES: dict[str, dict[str, Any]] = {
    "openai_responses": {
        "id": "r",
        "object": "response",
        "status": "completed",
        "output": [
            {"type": "function_call", "id": "fc", "call_id": "c", "name": "now", "arguments": "{}"},
            {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": TEXT}]},
        ],
    },
    "gemini": {
        "candidates": [
            {
                "content": {"role": "model", "parts": [{"functionCall": {"name": "now", "args": {}}}, {"text": TEXT}]},
                "finishReason": "STOP",
            }
        ]
    },
}
OWN: dict[str, dict[str, Any]] = {
    "anthropic": {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "First.", "signature": "s"},
            {"type": "tool_use", "id": "a", "name": "now", "input": {}},
            {"type": "thinking", "thinking": "Then.", "signature": "t"},
            {"type": "tool_use", "id": "b", "name": "now", "input": {}},
            {"type": "text", "text": TEXT},
        ],
    },
    "bedrock": {
        "role": "assistant",
        "content": [{"toolUse": {"toolUseId": "a", "name": "now", "input": {}}}, {"text": TEXT}],
    },
}


def kinds(message: dict[str, Any]) -> list[str]:
    return [block.get("type") or next(iter(block)) for block in message["content"]]


@pytest.mark.parametrize("source", RESPONSES)
@pytest.mark.parametrize("target", OWN)
def test_text_that_another_api_has_behind_a_call_comes_first(
    sample: Package, models: Any, source: str, target: str
) -> None:
    message = sample.provider(source).from_response(RESPONSES[source]).message
    (call,) = sample.module("messages").tool_calls_of(message)
    results = models.ToolMessage([models.ToolResult(call.id, "now", "text", "noon")])
    losses: list[Any] = []
    sent = sample.provider(target).to_messages([models.UserMessage("x"), message, results], on_loss=losses.append)
    assert kinds(sent[1]) == ["text", "tool_use" if target == "anthropic" else "toolUse"]
    assert [(loss.path, loss.severity) for loss in losses if loss.action == "moved"] == [("[1].content[1]", "note")]


@pytest.mark.parametrize("target", OWN)
def test_an_api_keeps_its_own_order(sample: Package, models: Any, target: str) -> None:
    module = sample.provider(target)
    user = {"role": "user", "content": [{"type": "text", "text": "x"} if target == "anthropic" else {"text": "x"}]}
    losses: list[Any] = []
    assert module.to_messages(module.from_messages([user, OWN[target]]), on_loss=losses.append) == [user, OWN[target]]
    assert losses == []
