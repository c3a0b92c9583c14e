"""Responses and streams of the Gemini wire."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace
from typing import Any

import pytest

SIGNATURE = "CiQB+/e-_w=="


def chunk(*parts: Any, **candidate: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "index": 0, **candidate}]}


def call(name: str | None = "f", args: Any = None, **more: Any) -> dict[str, Any]:
    named = {"name": name} if name else {}
    return {"functionCall": {**named, **({} if args is None else {"args": args}), **more}}


def fed(generated: SimpleNamespace, chunks: list[Any], **options: Any) -> tuple[Any, list[dict[str, Any]]]:
    stream = generated.gemini.Stream(**options)
    events = [event for item in chunks for event in stream.feed(item)] + stream.finish()
    return stream.result(), [generated.models.dump(event) for event in events]


def calls_of(generated: SimpleNamespace, completion: Any) -> list[dict[str, Any]]:
    parts = generated.models.dump(completion.message).get("content")
    return [part["call"] for part in parts if part["type"] == "tool_call"] if isinstance(parts, list) else []


def deltas(events: list[dict[str, Any]]) -> dict[int, dict[str, Any]]:
    """Id, name and arguments by index, as an app adds them up."""
    calls: dict[int, dict[str, Any]] = {}
    for event in events:
        if event["type"] == "tool_call_delta":
            slot = calls.setdefault(event["index"], {"id": None, "name": None, "text": ""})
            slot["id"] = slot["id"] or event.get("id")
            slot["name"] = slot["name"] or event.get("name")
            slot["text"] += event.get("argumentsDelta", "")
    return calls


A, B = {"a": 1}, {"a": 2}
WHOLE_CALLS = {
    "one chunk": [chunk(call("f", A), call("f", B), finishReason="STOP")],
    "a chunk each": [chunk(call("f", A)), chunk(call("f", B)), chunk({"text": ""}, finishReason="STOP")],
    "same id twice": [chunk(call("f", A, id="1")), chunk(call("f", B, id="1"), finishReason="STOP")],
    "snake case": [
        {"candidates": [{"content": {"parts": [{"function_call": {"name": "f", "args": A}}]}}]},
        chunk(call("f", B), finishReason="STOP"),
    ],
}


@pytest.mark.parametrize("chunks", WHOLE_CALLS.values(), ids=WHOLE_CALLS.keys())
def test_calls_stand_in_the_order_in_which_they_came(generated: SimpleNamespace, chunks: list[Any]) -> None:
    completion, events = fed(generated, chunks, turn=2)
    calls = calls_of(generated, completion)
    assert [c["arguments"] for c in calls] == [A, B]
    assert len({c["id"] for c in calls}) == 2
    assert completion.finish_reason == "tool_calls"
    added = deltas(events)
    assert [(s["id"], s["name"], json.loads(s["text"])) for _, s in sorted(added.items())] == [
        (c["id"], c["name"], c["arguments"]) for c in calls
    ]


@pytest.mark.parametrize("args", [None, {}], ids=["absent", "empty"])
def test_a_call_without_arguments_is_a_call(generated: SimpleNamespace, args: Any) -> None:
    completion, events = fed(generated, [chunk(call("f", args), finishReason="STOP")])
    assert calls_of(generated, completion)[0]["arguments"] == {}
    assert json.loads(deltas(events)[0]["text"]) == {}
    assert [e["type"] for e in events][-2:] == ["tool_call", "completed"]


def partial(*updates: Any, name: str | None = None, more: bool = True, **fields: Any) -> dict[str, Any]:
    args = {"partialArgs": list(updates)} if updates else {}
    return chunk(call(name, **args, **({"willContinue": True} if more else {}), **fields))


def leaf(path: str, **value: Any) -> dict[str, Any]:
    return {"jsonPath": path, **value}


END = chunk(finishReason="STOP")
PARTIAL = {
    "text in pieces, empty end": (
        [
            partial(name="f", id="1"),
            partial(leaf("$.city", stringValue="Os", willContinue=True)),
            partial(),
            partial(leaf("$.city", stringValue='l"o', willContinue=True)),
            partial(leaf("$.city")),
            partial(more=False),
        ],
        {"city": 'Osl"o'},
    ),
    "the last update ends the call": (
        [
            partial(name="f", id="1"),
            partial(leaf("$.a[0]", stringValue="x"), leaf("$.a[1]", numberValue=2.0)),
            partial(leaf("$.a[2].b", boolValue=False), more=False),
        ],
        {"a": ["x", 2, {"b": False}]},
    ),
    "all kinds, nested": (
        [
            partial(
                leaf("$.a.b", nullValue="NULL_VALUE"),
                leaf("$.a['c d']", numberValue=1.5),
                leaf("$.e", boolValue=True),
                leaf("$.f", stringValue=""),
                name="f",
                id="1",
            ),
            partial(more=False),
        ],
        {"a": {"b": None, "c d": 1.5}, "e": True, "f": ""},
    ),
    "nothing": ([partial(name="f", id="1"), partial(more=False)], {}),
    "some of it whole": (
        [
            partial(name="f", id="1", args={"a": {"b": 1}}),
            partial(leaf("$.c", numberValue=2)),
            partial(more=False, args={"d": []}),
        ],
        {"a": {"b": 1}, "c": 2, "d": []},
    ),
    "an empty end too many": (
        [partial(leaf("$.a", numberValue=1), name="f", id="1", more=False), partial(more=False)],
        {"a": 1},
    ),
}


@pytest.mark.parametrize(("chunks", "arguments"), PARTIAL.values(), ids=PARTIAL.keys())
def test_arguments_in_pieces_add_up(generated: SimpleNamespace, chunks: list[Any], arguments: Any) -> None:
    completion, events = fed(generated, [*chunks, END])
    assert calls_of(generated, completion) == [{"id": "1", "name": "f", "arguments": arguments}]
    assert deltas(events) == {0: {"id": "1", "name": "f", "text": deltas(events)[0]["text"]}}
    assert json.loads(deltas(events)[0]["text"]) == arguments


@pytest.mark.parametrize(("chunks", "arguments"), PARTIAL.values(), ids=PARTIAL.keys())
def test_a_stream_cut_anywhere_gives_no_call_to_run(
    generated: SimpleNamespace, chunks: list[Any], arguments: Any
) -> None:
    for end in range(len(chunks) + 1):
        completion, events = fed(generated, chunks[:end])
        assert all(c["invalid"]["reason"] == "truncated" for c in calls_of(generated, completion))
        assert completion.finish_reason == "error"
        assert [e["type"] for e in events][-2:] == ["error", "completed"]


def test_a_call_that_was_never_closed_cannot_be_run(generated: SimpleNamespace) -> None:
    completion, events = fed(
        generated, [partial(leaf("$.a", stringValue="x", willContinue=True), name="f", id="1"), END]
    )
    assert calls_of(generated, completion)[0]["invalid"]["reason"] == "truncated"
    assert "tool_call" not in [event["type"] for event in events]


def test_two_calls_in_pieces_follow_one_another(generated: SimpleNamespace) -> None:
    chunks = [
        partial(leaf("$.a", numberValue=1), name="f", id="1"),
        partial(leaf("$.b", numberValue=2), name="g", id="2"),
        partial(more=False),
        END,
    ]
    completion, events = fed(generated, chunks)
    assert [(c["name"], c["arguments"]) for c in calls_of(generated, completion)] == [("f", {"a": 1}), ("g", {"b": 2})]
    assert [json.loads(s["text"]) for s in deltas(events).values()] == [{"a": 1}, {"b": 2}]


def test_a_signature_comes_with_any_piece(generated: SimpleNamespace) -> None:
    for signed in range(4):
        chunks = [
            partial(name="f", id="1"),
            partial(leaf("$.a", numberValue=1)),
            partial(leaf("$.b", numberValue=2), more=False),
            partial(more=False),
        ]
        chunks[signed]["candidates"][0]["content"]["parts"][0]["thoughtSignature"] = SIGNATURE
        completion, _ = fed(generated, [*chunks, END])
        (call_read,) = calls_of(generated, completion)
        assert (call_read["arguments"], call_read["metadata"]) == (
            A | {"b": 2},
            {"gemini": {"thoughtSignature": SIGNATURE}},
        )


STRAY = {
    "a path that is none": [partial(leaf("$..a", numberValue=1), name="f", id="1"), partial(more=False)],
    "a piece that comes late": [
        partial(name="f", id="1"),
        partial(more=False),
        partial(leaf("$.a", numberValue=1), more=False),
    ],
}


@pytest.mark.parametrize("chunks", STRAY.values(), ids=STRAY.keys())
def test_a_call_with_a_piece_that_has_no_place_cannot_be_run(generated: SimpleNamespace, chunks: list[Any]) -> None:
    completion, events = fed(generated, [*chunks, chunk(call("g", A)), END])
    stray, second = calls_of(generated, completion)
    assert (stray["name"], stray["arguments"], stray["invalid"]["reason"]) == ("f", {}, "malformed")
    assert '"numberValue":1' in stray["invalid"]["text"]
    assert (second["name"], second["arguments"]) == ("g", A)
    assert "invalid" not in second
    assert "invalid" in next(event["call"] for event in events if event["type"] == "tool_call")


WRONG: dict[str, dict[str, Any]] = {
    "updates": {"partialArgs": {}},
    "an update": {"partialArgs": [1]},
    "a value": {"partialArgs": [{"jsonPath": "$.a", "stringValue": 1}]},
    "arguments": {"args": []},
}


@pytest.mark.parametrize("piece", WRONG.values(), ids=WRONG.keys())
def test_a_call_with_a_piece_of_the_wrong_type_cannot_be_run(generated: SimpleNamespace, piece: dict[str, Any]) -> None:
    stream = generated.gemini.Stream()
    stream.feed(partial(name="f", id="1"))
    assert stream.feed(chunk({"functionCall": {**piece, "willContinue": True}})) == []
    failed, completed = stream.finish()
    assert re.search(r"functionCall\.(args|partialArgs)", failed.message)
    assert [call["invalid"]["reason"] for call in calls_of(generated, completed.completion)] == ["truncated"]


def test_a_result_that_was_given_does_not_grow(generated: SimpleNamespace) -> None:
    stream = generated.gemini.Stream()
    stream.feed(partial(leaf("$.a", numberValue=1), name="f", id="1"))
    before = stream.result()
    stream.feed(partial(leaf("$.b", numberValue=1)))
    assert calls_of(generated, before)[0]["arguments"] == A


def test_partial_arguments_are_there_on_demand(generated: SimpleNamespace) -> None:
    stream = generated.gemini.Stream()
    stream.feed(partial(leaf("$.city", stringValue="Os", willContinue=True), name="f", id="1"))
    assert stream.partial_arguments(0) == {"city": "Os"}
    assert stream.partial_arguments(7) == {}


def test_an_update_out_of_order_counts_in_the_value(generated: SimpleNamespace) -> None:
    chunks = [
        partial(
            leaf("$.a.b", numberValue=1), leaf("$.c", numberValue=2), leaf("$.a.d", numberValue=3), name="f", id="1"
        ),
        partial(more=False),
        END,
    ]
    completion, _ = fed(generated, chunks)
    assert calls_of(generated, completion)[0]["arguments"] == {"a": {"b": 1, "d": 3}, "c": 2}


def test_text_joins_up_to_a_signature(generated: SimpleNamespace) -> None:
    chunks = [
        chunk({"text": "t", "thought": True}),
        chunk({"text": "u", "thought": True}),
        chunk({"text": "a"}),
        chunk({"text": "b"}),
        chunk({"text": "c", "thoughtSignature": SIGNATURE}),
        chunk({"text": "d"}),
        chunk({"text": "", "thoughtSignature": SIGNATURE}, finishReason="STOP"),
    ]
    completion, events = fed(generated, chunks)
    signed = {"gemini": {"thoughtSignature": SIGNATURE}}
    assert generated.models.dump(completion.message.content) == [
        {"type": "reasoning", "text": "tu"},
        {"type": "text", "text": "ab"},
        {"type": "text", "text": "c", "metadata": signed},
        {"type": "text", "text": "d"},
        {"type": "text", "text": "", "metadata": signed},
    ]
    assert [e["text"] for e in events if e["type"] == "text_delta"] == ["a", "b", "c", "d"]
    assert [e["text"] for e in events if e["type"] == "reasoning_delta"] == ["t", "u"]


def test_the_last_usage_counts_and_thoughts_are_output(generated: SimpleNamespace) -> None:
    counts = {"promptTokenCount": 5, "toolUsePromptTokenCount": 2, "totalTokenCount": 14}
    last = {
        **counts,
        "candidatesTokenCount": 3,
        "thoughtsTokenCount": 4,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 1}, {"modality": "IMAGE", "tokenCount": 4}],
    }
    chunks = [{**chunk({"text": "a"}), "usageMetadata": counts}, {**END, "usageMetadata": last}]
    completion, _ = fed(generated, chunks)
    usage = generated.models.dump(completion.usage)
    del usage["metadata"]
    assert usage == {
        "inputTokens": 7,
        "outputTokens": 7,
        "totalTokens": 14,
        "reasoningTokens": 4,
        "inputImageTokens": 4,
    }
    assert generated.gemini.to_response(completion)["usageMetadata"] == last


BLOCKED = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 3, "totalTokenCount": 3}}


def test_a_blocked_prompt_is_no_crash(generated: SimpleNamespace) -> None:
    completion = generated.gemini.from_response(BLOCKED)
    assert (completion.finish_reason, completion.stop_reason) == ("content_filter", "SAFETY")
    assert completion.metadata["gemini"]["promptFeedback"] == {"blockReason": "SAFETY"}
    assert generated.gemini.to_response(completion) == BLOCKED
    streamed, events = fed(generated, [BLOCKED])
    assert streamed == completion
    assert [e["type"] for e in events] == ["completed"]


REASONS = {
    "STOP": ("stop", "tool_calls"),
    "MAX_TOKENS": ("length", "length"),
    "SAFETY": ("content_filter", "content_filter"),
    "MALFORMED_FUNCTION_CALL": ("error", "error"),
    "SOMETHING_NEW": ("other", "tool_calls"),
}


@pytest.mark.parametrize(("word", "meanings"), REASONS.items(), ids=REASONS.keys())
def test_reasons(generated: SimpleNamespace, word: str, meanings: tuple[str, str]) -> None:
    for parts, meaning in zip(([{"text": "a"}], [call("f")]), meanings, strict=True):
        completion = generated.gemini.from_response(chunk(*parts, finishReason=word))
        assert (completion.finish_reason, completion.stop_reason) == (meaning, word)
        runnable = all("invalid" not in c for c in calls_of(generated, completion))
        assert runnable == (meaning in ("stop", "tool_calls", "other") or parts[0].get("text") == "a")


RESPONSES = {
    "text": chunk({"text": "a"}, finishReason="STOP"),
    "several parts": chunk(
        {"text": "a"}, {"text": "b"}, {**call("f", A), "thoughtSignature": SIGNATURE}, finishReason="STOP"
    ),
    "no content": {"candidates": [{"finishReason": "SAFETY", "index": 0}]},
    "empty content": {"candidates": [{"content": {}, "finishReason": "RECITATION"}]},
    "content without parts": {
        "candidates": [{"content": {"role": "model", "parts": []}, "finishReason": "MAX_TOKENS"}]
    },
    "two candidates": {"candidates": [*chunk({"text": "a"}, finishReason="STOP")["candidates"], {"index": 1}]},
    "more": {**chunk({"text": "a"}), "responseId": "r", "modelVersion": "m", "createTime": "t"},
    "image": chunk({"inlineData": {"mimeType": "image/png", "data": "AA=="}}, finishReason="STOP"),
}


@pytest.mark.parametrize("wire", RESPONSES.values(), ids=RESPONSES.keys())
def test_a_response_comes_back_as_it_was(generated: SimpleNamespace, wire: dict[str, Any]) -> None:
    gemini = generated.gemini
    assert gemini.to_response(gemini.from_response(wire)) == wire


def test_a_completion_of_elsewhere_ends_with_stop(generated: SimpleNamespace) -> None:
    models, gemini = generated.models, generated.gemini
    part = {"type": "tool_call", "call": {"id": "1", "name": "f", "arguments": {}}}
    completion = models.load(
        models.Completion, {"message": {"role": "assistant", "content": [part]}, "finishReason": "tool_calls"}
    )
    wire = gemini.to_response(completion, id="r")
    assert wire["candidates"][0]["finishReason"] == "STOP"
    assert wire["responseId"] == "r"


WRITTEN = {
    **WHOLE_CALLS,
    **{name: [*chunks, END] for name, (chunks, _) in PARTIAL.items()},
    "text and a signature": [
        chunk({"text": "t", "thought": True}),
        chunk({"text": "a"}),
        chunk({"text": "b", "thoughtSignature": SIGNATURE}, finishReason="STOP"),
    ],
    "text and calls": [
        chunk({"text": "a"}),
        chunk({**call("f", A), "thoughtSignature": SIGNATURE}, finishReason="STOP"),
    ],
    "blocked": [BLOCKED],
    "nothing": [{"candidates": [{"content": {}, "finishReason": "SAFETY"}]}],
}


@pytest.mark.parametrize("chunks", WRITTEN.values(), ids=WRITTEN.keys())
def test_what_a_writer_writes_reads_the_same(generated: SimpleNamespace, chunks: list[Any]) -> None:
    stream, writer = generated.gemini.Stream(), generated.gemini.StreamWriter()
    events = [event for item in chunks for event in stream.feed(item)] + stream.finish()
    written = [item for event in events for item in writer.write(event)] + writer.finish()
    assert fed(generated, written)[0] == stream.result()


def test_a_writer_sends_text_as_it_comes(generated: SimpleNamespace) -> None:
    models, writer = generated.models, generated.gemini.StreamWriter(id="r")
    sent = [writer.write(models.TextDelta(word)) for word in "abc"]
    assert [len(chunks) for chunks in sent] == [0, 1, 1]
    texts = [
        {"candidates": [{"content": {"role": "model", "parts": [{"text": word}]}}], "responseId": "r"} for word in "ac"
    ]
    assert sent[1] == texts[:1]
    last, failure = writer.finish()
    assert last == texts[1]
    assert "error" in failure


def test_an_error_in_a_stream_is_told(generated: SimpleNamespace) -> None:
    refusal = {"error": {"code": 503, "message": "busy"}}
    completion, events = fed(generated, [chunk({"text": "a"}), refusal])
    assert completion.finish_reason == "error"
    metadata = {"gemini": {"status": 503, "body": refusal}}
    error = {"kind": "overloaded", "message": "busy", "retryable": True, "metadata": metadata}
    assert events[-2] == {"type": "error", "message": "busy", "error": error}


def test_an_unknown_part_and_event_change_nothing_else(generated: SimpleNamespace) -> None:
    completion, events = fed(generated, [{"xNew": 1}, chunk({"xPart": 2}), chunk({"text": "a"}, finishReason="STOP")])
    assert generated.models.dump(completion.message.content) == [
        {"type": "opaque", "provider": "gemini", "value": {"xPart": 2}},
        {"type": "text", "text": "a"},
    ]
    assert completion.metadata["gemini"]["xNew"] == 1
    assert events[0] == {"type": "text_delta", "text": "a"}
