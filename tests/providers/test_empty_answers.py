"""What an answer contained is no proof that a request may: an empty answer is left out of the next request, with a note.

What a request contained was accepted, and is written again.
"""

from __future__ import annotations

import copy
from typing import Any

from tests.providers import laws
from tests.support.every_row import grouped
from tests.support.generated import Package

CHAT = [
    {"role": "assistant", "content": None},
    {"role": "assistant", "content": None, "refusal": None},
    {"role": "assistant", "content": None, "refusal": None, "annotations": []},
    {"role": "assistant", "content": None, "tool_calls": []},
    {"role": "assistant", "content": None, "tool_calls": None},
    {"role": "assistant", "content": []},
    {"role": "assistant"},
    {"role": "assistant", "content": None, "id": "m1", "provider_specific_fields": {"refusal": None}, "parsed": {}},
]
GEMINI = [
    {"role": "model"},
    {"role": "model", "parts": []},
    {"role": "model", "parts": None},
    {"role": "model", "parts": [{}]},
    {"role": "model", "parts": [{"thought": True}]},
]
MESSAGES: dict[str, list[Any]] = {
    **dict.fromkeys(
        ("openai_chat", "azure", "openai_compatible", "groq", "deepseek", "openrouter", "xai", "vllm", "mistral"), CHAT
    ),
    **dict.fromkeys(("gemini", "vertex"), GEMINI),
    "mistral": [*CHAT, {"role": "assistant", "content": ""}],
    "cohere": [
        {"role": "assistant"},
        {"role": "assistant", "content": []},
        {"role": "assistant", "content": [], "tool_calls": []},
        {"role": "assistant", "content": [{"type": "text", "text": ""}]},
    ],
    "anthropic": [
        {"role": "assistant", "content": []},
        {"role": "assistant", "content": [{"type": "text", "text": ""}]},
        {"role": "assistant", "content": [{"type": "text", "text": "", "citations": None}]},
    ],
    "bedrock": [{"role": "assistant", "content": []}, {"role": "assistant", "content": [{"text": ""}]}],
    "openai_responses": [{"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": []}],
}
CASES = [(provider, message) for provider, messages in MESSAGES.items() for message in messages]
ACCEPTED = [(provider, message) for provider, message in CASES if provider != "groq" or "refusal" not in message]
"""Those that a request may have: Groq rejects a `refusal` even if it is null."""


def answer(provider: str, message: Any) -> Any:
    """The body of an answer that consists of a message."""
    if provider in ("gemini", "vertex"):
        return {"candidates": [{"content": message, "finishReason": "STOP"}]}
    if provider == "cohere":
        return {"id": "r1", "finish_reason": "COMPLETE", "message": message}
    if provider == "anthropic":
        return {"id": "r1", "type": "message", "model": "m", "stop_reason": "end_turn", "usage": {}, **message}
    if provider == "bedrock":
        return {"output": {"message": message}, "stopReason": "end_turn"}
    if provider == "openai_responses":
        return {"id": "r1", "object": "response", "status": "completed", "output": [message]}
    return {"id": "r1", "object": "chat.completion", "choices": [{"finish_reason": "stop", "message": message}]}


def sent_messages(body: Any) -> list[Any]:
    return next(body[key] for key in ("messages", "contents", "input") if key in body)


def text_of(message: Any) -> str:
    content = message.get("content", message.get("parts"))
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


@grouped("provider, message", CASES)
def test_an_empty_answer_is_left_out_of_the_next_request(sample: Package, provider: str, message: Any) -> None:
    models, module = sample.module("models"), sample.provider(provider)
    completion = module.from_response(answer(provider, copy.deepcopy(message)))
    conversation = [models.UserMessage("Hello"), completion.message, models.UserMessage("Are you there?")]
    losses: list[Any] = []
    body = module.to_request(models.Request(conversation, "m"), on_loss=losses.append)
    assert "".join(map(text_of, sent_messages(body))) == "HelloAre you there?"
    assert all(entry.get("role") == "user" for entry in sent_messages(body))
    notes = [loss for loss in losses if loss.path.startswith("messages[1]") and loss.action == "dropped"]
    assert any("message" in loss.what and loss.severity == "note" for loss in notes)


@grouped("provider, message", ACCEPTED)
def test_an_empty_message_of_a_request_is_sent_again(sample: Package, provider: str, message: Any) -> None:
    key = {"gemini": "contents", "vertex": "contents", "openai_responses": "input"}.get(provider, "messages")
    user: dict[str, Any] = {"role": "user", "content": "Hello"}
    if provider in ("gemini", "vertex"):
        user = {"role": "user", "parts": [{"text": "Hello"}]}
    elif provider == "bedrock":
        user = {"role": "user", "content": [{"text": "Hello"}]}
    body: dict[str, Any] = {key: [user, message, user]}
    if provider == "anthropic":
        body["max_tokens"] = 100
    losses: list[Any] = []
    request = laws.read(sample, provider, copy.deepcopy(body))
    assert laws.exact(laws.write(sample, provider, request, losses)) == laws.exact(body)
    assert losses == []
