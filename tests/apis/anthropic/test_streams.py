"""Events of Anthropic's Messages that come late, twice, or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from tests.providers import laws
from tests.support.generated import Package

PROVIDER = "anthropic"


def start(**message: Any) -> dict[str, Any]:
    fresh = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None}
    return {"type": "message_start", "message": {**fresh, "usage": {"input_tokens": 9, "output_tokens": 1}, **message}}


def opened(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, kind: str, **more: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **more}}


def stop(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def end(reason: str | None = "end_turn", **usage: Any) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage}


CALL = opened(0, type="tool_use", id="toolu_1", name="now", input={})
DONE = {"type": "message_stop"}


def played(sample: Package, *events: Any) -> Any:
    return laws.played(sample, PROVIDER, list(events))


@pytest.mark.parametrize("pieces", [[], [""], ["", ""], ["{}"], ["{", "}"], [" "]])
def test_an_empty_buffer_is_no_arguments(sample: Package, pieces: list[str]) -> None:
    deltas = [delta(0, "input_json_delta", partial_json=p) for p in pieces]
    completion, emitted = played(sample, start(), CALL, *deltas, stop(0), end("tool_use"), DONE)
    (call,) = laws.calls_of(sample, completion)
    assert (call.id, call.name, call.arguments, call.invalid) == ("toolu_1", "now", {}, None)
    assert completion.finish_reason == "tool_calls"
    laws.adds_up(sample, completion, emitted)


@pytest.mark.parametrize(
    ("text", "reason"),
    [('{"a":', "malformed"), ("[1]", "not_an_object"), ('{"a":1,"a":2}', "malformed"), ('{"a":NaN}', "malformed")],
)
def test_arguments_that_are_no_object_are_kept_as_text(sample: Package, text: str, reason: str) -> None:
    piece = delta(0, "input_json_delta", partial_json=text)
    completion, _ = played(sample, start(), CALL, piece, stop(0), end("tool_use"), DONE)
    (call,) = laws.calls_of(sample, completion)
    assert (call.invalid.text, call.invalid.reason) == (text, reason)
    body, _ = laws.next_request(sample, PROVIDER, completion)
    assert body["messages"][1]["content"][0]["input"] == {"INVALID_JSON": text}


def test_a_call_that_the_limit_cut_is_not_run(sample: Package) -> None:
    text = '{"city": "Oslo", "days": 1}'
    for cut in range(len(text) + 1):
        piece = delta(0, "input_json_delta", partial_json=text[:cut])
        completion, emitted = played(sample, start(), CALL, piece, stop(0), end("max_tokens"), DONE)
        (call,) = laws.calls_of(sample, completion)
        assert call.invalid.reason == "truncated"
        assert completion.finish_reason == "length"
        assert [type(e).__name__ for e in emitted].count("ToolCallEvent") == 0


@pytest.mark.parametrize("order", ["in turn", "side by side", "the second first"])
def test_pieces_go_to_the_call_of_their_index(sample: Package, order: str) -> None:
    """Two calls of one name; each has its arguments in three pieces."""
    lanes = [
        [opened(i, type="tool_use", id=f"toolu_{i}", name="now", input={})]
        + [delta(i, "input_json_delta", partial_json=piece) for piece in ('{"a"', ": ", f"{i}}}")]
        + [stop(i)]
        for i in (0, 1)
    ]
    if order == "side by side":
        events = [event for pair in zip(*lanes, strict=True) for event in pair]
    else:
        events = [event for lane in (lanes if order == "in turn" else lanes[::-1]) for event in lane]
    completion, emitted = played(sample, start(), *events, end("tool_use"), DONE)
    assert [(c.id, c.arguments) for c in laws.calls_of(sample, completion)] == [
        ("toolu_0", {"a": 0}),
        ("toolu_1", {"a": 1}),
    ]
    laws.adds_up(sample, completion, emitted)


def test_a_signature_is_that_of_its_own_block_and_the_last_one_counts(sample: Package) -> None:
    completion, _ = played(
        sample,
        start(),
        opened(0, type="thinking", thinking="", signature=""),
        opened(1, type="thinking", thinking="", signature=""),
        delta(1, "signature_delta", signature="s1"),
        delta(0, "thinking_delta", thinking="hm"),
        delta(0, "signature_delta", signature="half"),
        delta(0, "signature_delta", signature="s0"),
        stop(0),
        stop(1),
        end(),
        DONE,
    )
    body, _ = laws.next_request(sample, PROVIDER, completion)
    assert body["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "hm", "signature": "s0"},
        {"type": "thinking", "thinking": "", "signature": "s1"},
    ]


@pytest.mark.parametrize("reason", [None, ...])
def test_a_response_that_stops_without_a_reason_is_whole(sample: Package, reason: Any) -> None:
    """The stream and the whole response agree, and the call can be run. Without `message_stop` the stream broke."""
    last = [] if reason is ... else [end(reason)]
    completion, emitted = played(sample, start(), CALL, stop(0), *last, DONE)
    body = {**start()["message"], "content": [{"type": "tool_use", "id": "toolu_1", "name": "now", "input": {}}]}
    assert completion.finish_reason == laws.completion_of(sample, PROVIDER, body).finish_reason == "tool_calls"
    assert [type(event).__name__ for event in emitted] == ["ToolCallDelta", "ToolCallEvent", "CompletedEvent"]
    completion, emitted = played(sample, start(), CALL, stop(0), *last)
    assert completion.finish_reason == "error"
    assert [call.invalid.reason for call in laws.calls_of(sample, completion)] == ["truncated"]


def test_a_failure_that_is_written_has_no_end(sample: Package, models: Any) -> None:
    writer = sample.provider(PROVIDER).StreamWriter(on_loss=lambda loss: None)
    events = writer.write(models.CompletedEvent(models.Completion(models.AssistantMessage("Hi"), "error")))
    assert "message_stop" not in [event["type"] for event in events]
    assert played(sample, *events)[0].finish_reason == "error"


def test_usage_of_the_end_replaces_that_of_the_start_and_keeps_the_rest(sample: Package) -> None:
    first = start(usage={"input_tokens": 9, "cache_read_input_tokens": 5, "output_tokens": 1})
    completion, _ = played(sample, first, end("end_turn", output_tokens=20, cache_read_input_tokens=None), DONE)
    usage = completion.usage
    assert (usage.input_tokens, usage.output_tokens, usage.input_cached_tokens) == (14, 20, 5)


def test_an_error_inside_a_stream_is_told_and_what_came_stays(sample: Package) -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    text = [opened(0, type="text", text=""), delta(0, "text_delta", text="Hal")]
    completion, emitted = played(sample, start(), *text, error)
    assert [type(e).__name__ for e in emitted[-2:]] == ["ErrorEvent", "CompletedEvent"]
    assert emitted[-2].message == "Overloaded"
    assert (laws.joined(completion, "TextPart"), completion.finish_reason) == ("Hal", "error")


def test_starts_and_ends_may_be_missing(sample: Package) -> None:
    completion, _ = played(sample, delta(0, "text_delta", text="a"), delta(0, "text_delta", text="b"), end())
    assert (laws.joined(completion, "TextPart"), completion.finish_reason) == ("ab", "stop")
    completion, _ = played(sample, start(), CALL, end("tool_use"))
    assert [c.id for c in laws.calls_of(sample, completion)] == ["toolu_1"]


def test_blocks_stand_by_their_index_not_as_they_came(sample: Package) -> None:
    completion, emitted = played(
        sample,
        start(),
        opened(1, type="text", text="b"),
        opened(0, type="text", text="a"),
        stop(1),
        stop(0),
        end(),
        DONE,
    )
    assert [part.text for part in completion.message.content] == ["a", "b"]
    assert type(emitted[-1]).__name__ == "CompletedEvent"


def test_a_block_that_is_written_anew_is_not_told_again(sample: Package) -> None:
    """So a gateway writes what it learns only at the end: a block of the provider's own between two texts."""
    own = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    body = [
        opened(0, type="text", text=""),
        delta(0, "text_delta", text="a"),
        stop(0),
        opened(1, **own),
        stop(1),
        opened(2, type="text", text=""),
        delta(2, "text_delta", text="b"),
        stop(2),
    ]
    completion, emitted = played(sample, start(), *body, end(), DONE)
    again, told_again = played(sample, *laws.written(sample, PROVIDER, emitted))
    assert again.message == completion.message
    assert "".join(e.text for e in told_again if type(e).__name__ == "TextDelta") == "ab"


@pytest.mark.parametrize("first", [{"content": None}, {"content": None, "encrypted_content": None}, {"content": ""}])
@pytest.mark.parametrize(
    "deltas",
    [
        [{"content": "so far", "encrypted_content": "E=="}],
        [{"content": "so "}, {"content": "far", "encrypted_content": "E=="}],
        [{"content": "so far", "encrypted_content": "E=="}, {"content": None, "encrypted_content": None}],
    ],
)
def test_a_compaction_has_all_that_its_deltas_have(sample: Package, first: Any, deltas: list[Any]) -> None:
    whole = {"type": "compaction", "content": "so far", "encrypted_content": "E=="}
    events = [delta(0, "compaction_delta", **more) for more in deltas]
    completion, emitted = played(sample, start(), opened(0, type="compaction", **first), *events, stop(0), end(), DONE)
    body = {**start()["message"], "content": [whole], "stop_reason": "end_turn"}
    assert completion.message == laws.completion_of(sample, PROVIDER, body).message
    assert [type(e).__name__ for e in emitted] == ["CompletedEvent"]
    lost, _ = played(sample, start(), *events, stop(0), end(), DONE)
    assert lost.message == completion.message


def test_a_compaction_that_failed_keeps_what_is_encrypted(sample: Package) -> None:
    failed = {"content": None, "encrypted_content": "E=="}
    completion, _ = played(
        sample,
        start(),
        opened(0, type="compaction", content=None),
        delta(0, "compaction_delta", **failed),
        stop(0),
        end("compaction"),
        DONE,
    )
    assert [part.value for part in completion.message.content] == [{"type": "compaction", **failed}]


@pytest.mark.parametrize("stops", [[stop(0), stop(1)], []])
@pytest.mark.parametrize("deltas", [[], ["", ""]])
def test_arguments_at_the_start_of_a_call_are_told_once(sample: Package, stops: list[Any], deltas: list[str]) -> None:
    blocks = [
        {"type": "tool_use", "id": "toolu_1", "name": "now", "input": {"a": [1, None], "b": "\u00e9"}},
        {"type": "tool_use", "id": "toolu_2", "name": "now", "input": {}},
    ]
    empty = [delta(0, "input_json_delta", partial_json=piece) for piece in deltas]
    heads = [opened(0, **blocks[0]), *empty, opened(1, **blocks[1])]
    completion, emitted = played(sample, start(), *heads, *stops, end("tool_use"), DONE)
    body = {**start()["message"], "content": blocks, "stop_reason": "tool_use"}
    assert completion.message == laws.completion_of(sample, PROVIDER, body).message
    laws.adds_up(sample, completion, emitted)
    pieces = [
        (e.index, e.arguments_delta) for e in emitted if type(e).__name__ == "ToolCallDelta" and e.arguments_delta
    ]
    assert pieces == [(0, '{"a":[1,null],"b":"\u00e9"}')]
    again, _ = played(sample, *laws.written(sample, PROVIDER, emitted))
    assert again.message == completion.message


def test_arguments_at_the_start_of_a_call_give_way_to_its_deltas(sample: Package) -> None:
    begun = opened(0, type="tool_use", id="toolu_1", name="now", input={"a": 1})
    pieces = [delta(0, "input_json_delta", partial_json=piece) for piece in ('{"a"', ": 1}")]
    completion, emitted = played(sample, start(), begun, *pieces, stop(0), end("tool_use"), DONE)
    assert [call.arguments for call in laws.calls_of(sample, completion)] == [{"a": 1}]
    laws.adds_up(sample, completion, emitted)


@pytest.mark.parametrize("provider", ["openai_chat", "mistral", "cohere", "openai_responses"])
def test_the_arguments_of_a_call_that_was_cut_before_them_are_not_completed(sample: Package, provider: str) -> None:
    """`{}` would be a call that a client can run."""
    stream = sample.provider(PROVIDER).Stream()
    events = [emitted for event in (start(), CALL) for emitted in stream.feed(event)] + stream.finish(
        ConnectionError("reset")
    )
    (call,) = laws.calls_of(sample, stream.result())
    assert (call.arguments, call.invalid.text, call.invalid.reason) == ({}, "", "truncated")
    written = laws.written(sample, provider, events)
    assert "{}" not in [value for event in written for value in _texts(event)]


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return [text for each in inner for text in _texts(each)]
    return [value] if isinstance(value, str) else []
