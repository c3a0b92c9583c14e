"""What only Bedrock's responses and streams have: dicts with bytes, blocks without a start, failures as events."""

from __future__ import annotations

from typing import Any

import pytest

from tests.providers import laws
from tests.support.generated import Package
from tests.support.wires import WIRES

PROVIDER = "bedrock"


def start(index: int, head: Any) -> dict[str, Any]:
    return {"contentBlockStart": {"contentBlockIndex": index, "start": head}}


def delta(index: int, piece: Any) -> dict[str, Any]:
    return {"contentBlockDelta": {"contentBlockIndex": index, "delta": piece}}


def thought(index: int, **piece: Any) -> dict[str, Any]:
    return delta(index, {"reasoningContent": piece})


STOP = {"messageStop": {"stopReason": "end_turn", "p": "abcd"}}
USAGE = {
    "metadata": {
        "usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3},
        "metrics": {"latencyMs": 7},
        "p": "ab",
    }
}


def find_blocks(sample: Package, *events: Any) -> list[Any]:
    """The blocks of a whole response with the events in it, and the law on what is written of them."""
    stream = [{"messageStart": {"role": "assistant", "p": "abc"}}, *events, STOP, USAGE]
    completion, emitted = laws.played(sample, PROVIDER, stream)
    laws.adds_up(sample, completion, emitted)
    laws.stream_comes_back(sample, PROVIDER, stream)
    body = sample.provider(PROVIDER).to_response(completion)
    assert body.keys() == {"metrics", "output", "stopReason", "usage"}
    blocks: list[Any] = body["output"]["message"]["content"]
    return blocks


def test_a_block_is_made_by_its_first_delta(sample: Package) -> None:
    assert find_blocks(
        sample,
        thought(0, text="h"),
        thought(0, text="m"),
        thought(0, signature="si"),
        thought(0, signature="g"),
        thought(1, redactedContent="cmVk"),
        delta(2, {"text": "a"}),
        delta(3, {"text": "b"}),
    ) == [
        {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "sig"}}},
        {"reasoningContent": {"redactedContent": "cmVk"}},
        {"text": "a"},
        {"text": "b"},
    ]


def test_a_call_whose_start_was_lost_is_told(sample: Package) -> None:
    completion, emitted = laws.played(sample, PROVIDER, [delta(0, {"toolUse": {"input": '{"a":1}'}}), STOP, USAGE])
    laws.adds_up(sample, completion, emitted)
    (call_read,) = laws.calls_of(sample, completion)
    assert (call_read.id, call_read.name, call_read.arguments) == ("call_0_0", "", {"a": 1})


@pytest.mark.parametrize(
    ("pieces", "whole"),
    [(["cmVk", "cmVk"], "cmVkcmVk"), (["cg==", "ZWQ="], "cmVk"), (["cg==", "!"], "cg==!"), ([b"re", b"d"], "cmVk")],
)
def test_pieces_of_base64_are_joined_as_bytes(sample: Package, pieces: list[Any], whole: str) -> None:
    blocks = find_blocks(sample, *(thought(0, redactedContent=piece) for piece in pieces))
    assert blocks == [{"reasoningContent": {"redactedContent": whole}}]


def test_text_with_sources_is_text(sample: Package) -> None:
    events = [delta(0, {"citation": {"title": "t"}}), delta(0, {"text": "a"}), delta(0, {"citation": {"title": "u"}})]
    cited = {"content": [{"text": "a"}], "citations": [{"title": "t"}, {"title": "u"}]}
    assert find_blocks(sample, *events) == [{"citationsContent": cited}]
    completion, _ = laws.played(sample, PROVIDER, events)
    assert laws.joined(completion, "TextPart") == "a"


def test_a_servers_call_stays_as_it_is(sample: Package) -> None:
    events = [
        start(0, {"toolUse": {"toolUseId": "1", "name": "x", "type": "server_tool_use"}}),
        delta(0, {"toolUse": {"input": '{"a":'}}),
        delta(0, {"toolUse": {"input": "1}"}}),
        start(1, {"toolResult": {"toolUseId": "1", "type": "x_result", "status": "success"}}),
        delta(1, {"toolResult": [{"text": "a"}]}),
        delta(1, {"toolResult": [{"json": {"b": 1}}]}),
        start(2, {"image": {"format": "png"}}),
        delta(2, {"image": {"source": {"bytes": b"png"}}}),
    ]
    call = {"toolUseId": "1", "name": "x", "type": "server_tool_use", "input": {"a": 1}}
    tool_result = {
        "toolUseId": "1",
        "type": "x_result",
        "status": "success",
        "content": [{"text": "a"}, {"json": {"b": 1}}],
    }
    image = {"image": {"format": "png", "source": {"bytes": "cG5n"}}}
    assert find_blocks(sample, *events) == [{"toolUse": call}, {"toolResult": tool_result}, image]


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        ({"modelStreamErrorException": {"message": "boom", "originalStatusCode": 500}}, "boom"),
        ({"throttlingException": {}}, "throttlingException"),
    ],
)
def test_a_failure_in_the_stream_is_told(sample: Package, failure: Any, message: str) -> None:
    events = [start(0, {"toolUse": {"toolUseId": "1", "name": "x"}}), delta(0, {"toolUse": {"input": "{}"}}), failure]
    completion, emitted = laws.played(sample, PROVIDER, events)
    assert [type(e).__name__ for e in emitted[-2:]] == ["ErrorEvent", "CompletedEvent"]
    assert emitted[-2].message == message
    assert completion.finish_reason == "error"
    assert [c.invalid.reason for c in laws.calls_of(sample, completion)] == ["truncated"]
    assert failure.items() <= completion.metadata[PROVIDER].items()
    assert failure in laws.written(sample, PROVIDER, emitted)


@pytest.mark.parametrize(
    "body",
    [
        {"message": "no"},
        {"Message": "no"},
        {"__type": "ValidationException"},
        {"Error": {"Code": "x"}},
        {"validationException": {"message": "no"}},
    ],
)
def test_an_error_is_no_response(sample: Package, models: Any, body: Any) -> None:
    with pytest.raises(models.ConversionError, match="from_error"):
        sample.provider(PROVIDER).from_response(body)


def test_what_the_client_raises_has_its_own_form(sample: Package) -> None:
    error = sample.provider(PROVIDER).from_error(
        400, {"Error": {"Code": "throttlingException", "Message": "slow down"}, "ResponseMetadata": {}}
    )
    assert (error.kind, error.message, error.retryable) == ("rate_limit", "slow down", True)


@pytest.mark.parametrize(
    ("body", "absent"),
    [
        ({"stopReason": "end_turn"}, {"output", "message", "role", "content"}),
        ({"output": {}, "stopReason": "end_turn"}, {"message", "role", "content"}),
        ({"output": {"message": {}}, "stopReason": "end_turn"}, {"role", "content"}),
        ({"output": {"message": {"role": "assistant", "content": None}}, "x": None}, {"stopReason"}),
        ({"output": {"message": {"role": "x_role", "content": []}, "x": 1}, "usage": None}, {"stopReason"}),
    ],
)
def test_a_response_without_content_comes_back(sample: Package, body: Any, absent: set[str]) -> None:
    completion = laws.completion_of(sample, PROVIDER, body)
    assert set((completion.metadata or {}).get(PROVIDER, {}).get("$absent", ())) == absent
    assert sample.provider(PROVIDER).to_response(completion) == body


def test_the_clients_dicts_are_read_as_bodies(sample: Package) -> None:
    """Bytes are base64; what the client adds is no part of the response; what it did not keep cannot be sent."""
    module = sample.provider(PROVIDER)
    unknown = {"SDK_UNKNOWN_MEMBER": {"name": "xBlock"}}
    content = [{"reasoningContent": {"redactedContent": b"red"}}, unknown, {"text": "a"}]
    answer = {
        "ResponseMetadata": {"HTTPStatusCode": 200},
        "output": {"message": {"role": "assistant", "content": content}},
    }
    completion = module.from_response({**answer, "stopReason": "end_turn"})
    assert "ResponseMetadata" not in module.to_response(completion)
    losses: list[Any] = []
    sent = module.to_messages([completion.message], on_loss=losses.append)
    assert sent[-1]["content"] == [{"reasoningContent": {"redactedContent": "cmVk"}}, {"text": "a"}]
    assert ("[0].content[1]", "warning") in [(loss.path, loss.severity) for loss in losses]
    assert WIRES[PROVIDER].signatures({"messages": sent}) == ["cmVk"]


def test_an_unknown_stop_reason_comes_back_with_calls_and_without_metrics(sample: Package) -> None:
    provider = sample.module("providers.bedrock")
    use = {"toolUse": {"toolUseId": "a", "name": "now", "input": {}}}
    body = {"output": {"message": {"role": "assistant", "content": [use]}}, "stopReason": "x_new"}
    completion = provider.from_response(body)
    assert (completion.finish_reason, completion.stop_reason) == ("tool_calls", "x_new")
    assert provider.to_response(completion) == body


def test_reasoning_of_an_unknown_kind_is_kept_and_sent_back(sample: Package) -> None:
    content = [{"reasoningContent": {"xKind": {"x": 1}}}, {"text": "Hi"}]
    body = {"output": {"message": {"role": "assistant", "content": content}}, "stopReason": "end_turn", "metrics": {}}
    completion = laws.completion_of(sample, PROVIDER, body)
    assert [type(part).__name__ for part in completion.message.content] == ["OpaquePart", "TextPart"]
    assert sample.provider(PROVIDER).to_response(completion) == body
    sent, _ = laws.next_request(sample, PROVIDER, completion)
    assert sent["messages"][1]["content"] == content
