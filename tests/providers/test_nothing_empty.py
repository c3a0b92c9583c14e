"""No conversion leaves a message empty, and nothing goes out without a name that the API demands."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.every_row import over
from tests.support.generated import Package
from tests.support.repository import CONVERSING
from tests.support.requests import PIXEL

FOREIGN = {"type": "opaque", "provider": "elsewhere", "value": {"type": "hosted_call", "id": "x"}}
VIDEO = {"type": "video", "url": "gs://bucket/film.mp4", "mediaType": "video/mp4"}

HISTORIES: dict[str, list[Any]] = {
    "a user with a file alone": [{"role": "user", "content": [VIDEO]}],
    "an assistant message of hosted calls alone": [
        {"role": "user", "content": "Find it."},
        {"role": "assistant", "content": [FOREIGN]},
        {"role": "user", "content": "And?"},
    ],
    "an assistant message without a word": [
        {"role": "user", "content": "Find it."},
        {"role": "assistant", "content": ""},
        {"role": "user", "content": "And?"},
    ],
    "a file in a result": [
        {"role": "user", "content": "Find it."},
        {"role": "assistant", "content": [{"type": "tool_call", "call": {"id": "c1", "name": "now", "arguments": {}}}]},
        {
            "role": "tool",
            "results": [{"toolCallId": "c1", "name": "now", "kind": "multimodal", "value": [VIDEO]}],
        },
    ],
}


@pytest.mark.parametrize("provider", ["openai_chat", "openai_responses", "mistral", "cohere"])
def test_no_list_of_parts_is_empty(sample: Package, models: Any, provider: str) -> None:
    """APIs reject an empty list where they accept an empty text, or no message."""
    messages = [
        {"role": "user", "content": "Hi"},
        {"role": "user", "content": []},
        {"role": "user", "content": "Hello"},
    ]
    losses: list[Any] = []
    request = models.load(models.Request, {"model": "m", "messages": messages})
    body = sample.provider(provider).to_request(request, on_loss=losses.append)
    assert [message for message in body.get("messages", body.get("input")) if message["content"] == []] == []
    assert [loss.action for loss in losses if loss.path == "messages[1].content"] == ["rewritten"]


def blank(message: Any) -> bool:
    """Whether a message says nothing at all."""
    inside = message.get("content", message.get("parts", message.get("output")))
    members = [
        v for k, v in message.items() if k not in ("content", "parts", "role", "name", "type", "status", "id") and v
    ]
    texts = (
        [part for part in inside if part not in ({"text": ""}, {"type": "text", "text": ""})]
        if type(inside) is list
        else inside
    )
    return not texts and not members


@over("history", list(HISTORIES))
@pytest.mark.parametrize("provider", CONVERSING)
def test_no_message_is_empty(sample: Package, models: Any, provider: str, history: str) -> None:
    request = models.load(models.Request, {"model": "m", "messages": HISTORIES[history]})
    losses: list[Any] = []
    module = sample.provider(provider)
    body = module.to_request(request, on_loss=losses.append, on_unsupported="weaken")
    messages = next(body[key] for key in ("messages", "contents", "input") if key in body)
    assert messages
    allowed = history == "an assistant message without a word" and provider not in ("mistral", "cohere", "vertex")
    assert [m for m in messages if blank(m) and not (allowed and m.get("role") in ("assistant", "model"))] == []


EMPTY: list[dict[str, Any]] = [
    {"role": "system", "content": []},
    {"role": "system", "content": ""},
    {"role": "user", "content": []},
    {"role": "user", "content": ""},
    {"role": "assistant", "content": []},
    {"role": "assistant", "content": None},
    {"role": "assistant", "content": " \n"},
    {"role": "tool", "results": []},
]


@over("place", ["first", "after system text", "later"])
@over("empty", EMPTY)
@pytest.mark.parametrize("provider", CONVERSING)
def test_an_empty_message_is_sent_or_reported(
    sample: Package, models: Any, provider: str, empty: Any, place: str
) -> None:
    before = {"first": [], "after system text": [{"role": "system", "content": "Be brief."}]}
    messages = before.get(place, [{"role": "user", "content": "Hi"}])
    module, sent = sample.provider(provider), []
    for more in ([], [{**empty, "metadata": {"elsewhere": {"x": 1}}}]):
        losses: list[Any] = []
        history = [*messages, *more, {"role": "user", "content": "And?"}]
        request = models.load(models.Request, {"model": "m", "messages": history})
        body = module.to_request(request, on_loss=losses.append, on_unsupported="weaken")
        sent.append({key: value for key, value in body.items() if key in (*KEYS, "system", "systemInstruction")})
    own = f"messages[{len(messages)}]"
    reported = [loss for loss in losses if loss.path.startswith(own) and not loss.path.endswith(".metadata")]
    assert sent[0] != sent[1] or reported
    if provider in ("openai_chat", "mistral", "azure", "cohere"):
        assert [m for m in sent[1]["messages"] if m["role"] == "user" and m["content"] == []] == []


def test_mistral_gets_no_blank_message(sample: Package) -> None:
    """Its validator refuses an assistant message without content and calls."""
    models, module = sample.module("models"), sample.provider("mistral")
    hello, losses = models.UserMessage("Hi"), []
    assert len(module.to_messages([hello, models.AssistantMessage(" "), hello], on_loss=losses.append)) == 2
    assert [(loss.path, loss.action) for loss in losses] == [("[1]", "dropped")]


KEYS = ("messages", "contents", "input", "instructions")


@pytest.mark.parametrize(
    ("provider", "body"),
    [
        ("openai_chat", {"model": "m", "messages": [{"role": "user", "content": []}]}),
        ("gemini", {"contents": [{"role": "user", "parts": [{"text": "a"}]}], "systemInstruction": {}}),
        ("gemini", {"contents": [{"role": "user", "parts": [{"text": "a"}]}], "systemInstruction": {"parts": []}}),
        ("bedrock", {"modelId": "m", "messages": [{"role": "user", "content": [{"text": "a"}]}], "system": []}),
        ("anthropic", {"messages": [{"role": "user", "content": "a"}], "system": [], "max_tokens": 5, "model": "m"}),
    ],
)
def test_an_empty_list_that_was_read_is_kept(sample: Package, provider: str, body: Any) -> None:
    module = sample.provider(provider)
    losses: list[Any] = []
    assert module.to_request(module.from_request(json.loads(json.dumps(body))), on_loss=losses.append) == body
    assert losses == []


@pytest.mark.parametrize("provider", ["openai_chat", "azure"])
def test_a_file_without_a_name_gets_one(sample: Package, models: Any, provider: str) -> None:
    part = {"type": "document", "data": PIXEL, "mediaType": "application/pdf"}
    request = models.load(models.Request, {"model": "m", "messages": [{"role": "user", "content": [part]}]})
    losses: list[Any] = []
    body = sample.provider(provider).to_request(request, on_loss=losses.append)
    (sent,) = body["messages"][0]["content"]
    assert sent["file"]["filename"] == "document"
    assert [(loss.path, loss.action) for loss in losses] == [("messages[0].content[0].name", "defaulted")]
    del sent["file"]["filename"]  # the API took it so, once
    assert json.dumps(sample.provider(provider).to_request(sample.provider(provider).from_request(body))) == json.dumps(
        body
    )


GUARDED = {"type": "opaque", "provider": "elsewhere", "value": {"guardContent": {"text": {"text": "GUARDED"}}}}
SEARCHED = {
    "type": "opaque",
    "provider": "elsewhere",
    "value": {"type": "search_result", "title": "T", "content": [{"type": "text", "text": "FOUND"}], "data": "data:x"},
}
STORED = {"type": "opaque", "provider": "elsewhere", "value": {"type": "file", "file": {"file_id": "file_7"}}}


@over("part, text", [(GUARDED, "GUARDED"), (SEARCHED, "T\nFOUND"), (STORED, "[file: file_7]")])
@pytest.mark.parametrize("provider", CONVERSING)
def test_what_another_provider_s_block_says_goes_along(
    sample: Package, models: Any, provider: str, part: Any, text: str
) -> None:
    call = {"type": "tool_call", "call": {"id": "c1", "name": "now", "arguments": {}}}
    result = {"toolCallId": "c1", "name": "now", "kind": "multimodal", "value": [part]}
    history = [
        {"role": "user", "content": [part, {"type": "text", "text": "?"}]},
        {"role": "assistant", "content": [call]},
        {"role": "tool", "results": [result]},
    ]
    losses: list[Any] = []
    request = models.load(models.Request, {"model": "m", "messages": history})
    body = sample.provider(provider).to_request(request, on_loss=losses.append, on_unsupported="weaken")
    assert json.dumps(body, ensure_ascii=False).replace("\\\\", "\\").count(json.dumps(text)[1:-1]) == 2
    described = {loss.path for loss in losses if loss.action == "described"}
    assert described == {"messages[0].content[0]", "messages[2].results[0].value[0]"}
