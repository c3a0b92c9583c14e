"""What only Anthropic's Messages have: blocks in an order of their own, failed results with media, hosted tools."""

from __future__ import annotations

from typing import Any

import pytest

from tests.providers import laws
from tests.support.generated import Package
from tests.support.places import put
from tests.support.repository import CONVERSING, table
from tests.support.requests import PIXEL
from tests.support.wires import WIRES

PROVIDER = "anthropic"

BLOCKS = [
    {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
    {"type": "text", "text": "Let me see."},
    {"type": "tool_use", "id": "toolu_1", "name": "now", "input": {}},
    {"type": "text", "text": "And?"},
]


@pytest.mark.parametrize("streaming", [False, True])
def test_blocks_keep_their_order(sample: Package, streaming: bool) -> None:
    body = put(put(table(PROVIDER)["response"], ["content"], BLOCKS), ["stop_reason"], "tool_use")
    if streaming:
        completion, _ = laws.played(sample, PROVIDER, WIRES[PROVIDER].split(body))
    else:
        completion = laws.completion_of(sample, PROVIDER, body)
    kinds = [type(part).__name__ for part in completion.message.content]
    assert kinds == ["ReasoningPart", "TextPart", "ToolCallPart", "TextPart"]
    assert sample.provider(PROVIDER).to_response(completion)["content"] == BLOCKS
    sent, _ = laws.next_request(sample, PROVIDER, completion)
    assert sent["messages"][1]["content"] == BLOCKS


def test_only_a_response_has_thinking_without_a_signature(sample: Package, models: Any) -> None:
    provider = sample.provider(PROVIDER)
    message = models.AssistantMessage([models.ReasoningPart("Hm."), models.TextPart("Hi.")])
    losses: list[Any] = []
    body = provider.to_response(models.Completion(message, "stop"))
    assert body["content"][0] == {"type": "thinking", "thinking": "Hm.", "signature": ""}
    read = provider.from_response(body).message
    assert [part.text for part in read.content] == ["Hm.", "Hi."]
    (sent,) = provider.to_messages([read], on_loss=losses.append)
    assert sent["content"] == [{"type": "text", "text": "Hi."}]
    assert [(loss.path, loss.action) for loss in losses] == [("[0].content[0]", "dropped")]


@pytest.mark.parametrize("kind", ["error", "multimodal", "data"])
def test_a_failed_result_without_text_gets_one(sample: Package, models: Any, kind: str) -> None:
    """The API's words: content cannot be empty if `is_error` is true."""
    values = {"error": " ", "multimodal": [models.TextPart("")], "data": ""}
    result = models.ToolResult("c", "now", kind, values[kind], True if kind != "error" else None)
    call = models.AssistantMessage([models.ToolCallPart(models.ToolCall("c", "now", {}))])
    losses: list[Any] = []
    messages = [models.UserMessage("Hi"), call, models.ToolMessage([result])]
    *_, last = sample.provider(PROVIDER).to_messages(messages, on_loss=losses.append)
    expected = '""' if kind == "data" else "(empty)"
    assert last["content"] == [{"type": "tool_result", "tool_use_id": "c", "content": expected, "is_error": True}]
    defaulted = [loss.path for loss in losses if loss.action == "defaulted"]
    assert defaulted == ([] if kind == "data" else ["[2].results[0].value"])


def test_a_failed_result_may_hold_an_image(sample: Package, models: Any) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    content = [{"type": "text", "text": "Out of paper."}, image]
    failed = {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": True, "content": content}
    body = {
        "model": "m",
        "max_tokens": 9,
        "messages": [
            {"role": "user", "content": "Print."},
            {"role": "assistant", "content": [BLOCKS[2]]},
            {"role": "user", "content": [failed]},
        ],
    }
    request = laws.read(sample, PROVIDER, body)
    result = request.messages[2].results[0]
    assert (result.kind, result.is_error) == ("multimodal", True)
    assert [type(part).__name__ for part in result.value] == ["TextPart", "ImagePart"]
    assert laws.write(sample, PROVIDER, request) == body
    assert laws.exact(laws.write(sample, PROVIDER, laws.bare(request))) == laws.exact(body)


def test_a_hosted_tool_keeps_its_place_and_stays_at_home(sample: Package) -> None:
    own = [{"name": name, "input_schema": {"type": "object", "properties": {}}} for name in ("first", "last")]
    hosted = {"type": "web_search_20250305", "name": "web_search", "max_uses": 3}
    body = {
        "model": "m",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "Hi"}],
        "tools": [own[0], hosted, own[1]],
    }
    request = laws.read(sample, PROVIDER, body)
    assert laws.exact(laws.write(sample, PROVIDER, request)["tools"]) == laws.exact(body["tools"])
    for target in CONVERSING:
        if target == PROVIDER:
            continue
        losses: list[Any] = []
        written = laws.write(sample, target, request, losses)
        assert "web_search" not in laws.exact(written)
        assert [loss.path for loss in losses if loss.path.startswith("tools")] == ["tools[1]"]


SENT = {
    "A": {"type": "tool_result", "tool_use_id": "toolu_A", "content": "a"},
    "B": {"type": "tool_result", "tool_use_id": "toolu_B", "content": "b"},
    "text": {"type": "text", "text": "And now?"},
}


@pytest.mark.parametrize(
    "turns",
    ["A B text, text", "A B, text", "A B, text, text", "A B text, text, text", "A, B", "A, B, text", "A, B text"],
)
def test_messages_of_the_user_after_results_stay_apart(sample: Package, turns: str) -> None:
    """The API joins them. Whoever sent them separately gets them back so."""
    calls = [{"type": "tool_use", "id": f"toolu_{name}", "name": "now", "input": {}} for name in "AB"]
    results = [{"role": "user", "content": [SENT[kind] for kind in turn.split()]} for turn in turns.split(", ")]
    wire = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": calls}, *results]
    module, losses = sample.provider("anthropic"), []
    messages = module.from_messages(wire)
    assert module.to_messages(messages, on_loss=losses.append) == wire
    for message in messages:
        message.metadata = None
    bare = module.to_messages(messages, on_loss=losses.append)
    assert len(module.from_messages(bare)) == len(messages) - turns.startswith("A, B")
    assert losses == []


@pytest.mark.parametrize("text", ["", " \n"])
def test_blank_text_is_not_sent(sample: Package, models: Any, text: str) -> None:
    call = models.ToolCall("toolu_1", "now", {})
    result = models.ToolMessage([models.ToolResult("toolu_1", "now", "text", "noon")])
    question = models.UserMessage("When?")
    messages = [
        models.SystemMessage([models.TextPart(text), models.TextPart("Be brief.")]),
        models.UserMessage(text),
        question,
        models.AssistantMessage([models.TextPart(text), models.ToolCallPart(call)]),
        result,
        models.UserMessage(text),
        models.AssistantMessage(text),
        models.UserMessage([models.TextPart(text), models.TextPart("Thanks.")]),
    ]
    losses: list[Any] = []
    body = sample.provider(PROVIDER).to_request(models.Request(messages, model="m"), on_loss=losses.append)
    block = {"type": "tool_use", "id": "toolu_1", "name": "now", "input": {}}
    assert body["system"] == [{"type": "text", "text": "Be brief."}]
    assert body["messages"] == [
        {"role": "user", "content": "When?"},
        {"role": "assistant", "content": [block]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "noon"}],
        },
        {"role": "user", "content": [{"type": "text", "text": "Thanks."}]},
    ]
    dropped = [loss.what for loss in losses if loss.action == "dropped"]
    assert sorted(dropped) == ["an empty message"] * 3 + ["blank text"] * 3


def test_blank_text_of_a_response_stays(sample: Package) -> None:
    content = [{"type": "text", "text": "\n\n"}, BLOCKS[2]]
    body = put(put(table(PROVIDER)["response"], ["content"], content), ["stop_reason"], "tool_use")
    completion = laws.completion_of(sample, PROVIDER, body)
    assert sample.provider(PROVIDER).to_response(completion)["content"] == content
    sent, _ = laws.next_request(sample, PROVIDER, completion)
    assert sent["messages"][1]["content"] == [BLOCKS[2]]
