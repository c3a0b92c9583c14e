"""Chunks of Chat Completions as gateways send them: calls in pieces, without index or id, ends that are late."""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

import pytest

from tests.apis.openai_chat.chunks import CALLS, FORMS, WITHOUT_IDS, chunk, head, in_turn, more, piece
from tests.providers import laws
from tests.support.every_row import over
from tests.support.generated import Package

PROVIDER = "openai_chat"


def played(sample: Package, *events: Any) -> Any:
    return laws.played(sample, PROVIDER, list(events))


def check(sample: Package, events: list[Any], ids: list[str]) -> None:
    completion, emitted = played(
        sample, chunk({"role": "assistant", "content": None}), *events, chunk(reason="tool_calls")
    )
    calls = laws.calls_of(sample, completion)
    assert [(c.id, c.name, c.arguments) for c in calls] == [
        (identifier, name, json.loads(text)) for identifier, (_, name, text) in zip(ids, CALLS, strict=True)
    ]
    assert [c.invalid for c in calls] == [None] * 3
    laws.adds_up(sample, completion, emitted)


@over("cut", range(21))
@pytest.mark.parametrize("form", FORMS)
def test_calls_cut_at_every_byte_are_the_same_calls(sample: Package, form: str, cut: int) -> None:
    ids = ["call_0_0", "call_0_1", "call_0_2"] if form in WITHOUT_IDS else [c[0] for c in CALLS]
    check(sample, in_turn(form, cut), ids)


@pytest.mark.safety("7.5")
@pytest.mark.parametrize("form", ["good index", "no id", "empty id", "id on each", "late id"])
@over("seed", range(12))
def test_calls_that_come_side_by_side_are_the_same_calls(sample: Package, form: str, seed: int) -> None:
    """The pieces of a call in order, those of several calls mixed; some chunks hold two pieces."""
    random_ = random.Random(f"{form}{seed}")
    lanes = []
    for i, (identifier, name, text) in enumerate(CALLS):
        start = head({"no id": None, "late id": None, "empty id": ""}.get(form, identifier), name)
        lane = [{"index": i, **start}]
        for character in text:
            with_id = {"id": identifier} if form in ("id on each", "late id") else {}
            lane.append({"index": i, **with_id, **more(character)})
        lanes.append(lane)
    first = [lane.pop(0) for lane in lanes]
    mixed = []
    while any(lanes):
        mixed.append(random_.choice([lane for lane in lanes if lane]).pop(0))
    events = [chunk({"tool_calls": first})]
    while mixed:
        pieces_of_chunk = [mixed.pop(0) for _ in range(min(len(mixed), random_.choice([1, 1, 2])))]
        events.append(chunk({"tool_calls": pieces_of_chunk}))
    ids = ["call_0_0", "call_0_1", "call_0_2"] if form in ("no id", "empty id") else [c[0] for c in CALLS]
    check(sample, events, ids)


def test_an_id_twice_makes_two_calls_and_the_second_is_marked(sample: Package) -> None:
    events = [piece(head("call_a", "now", '{"a":1}'), index=0), piece(head("call_a", "now", '{"a":2}'), index=1)]
    completion, _ = played(sample, *events, chunk(reason="tool_calls"))
    calls = laws.calls_of(sample, completion)
    assert [c.arguments for c in calls] == [{"a": 1}, {"a": 2}]
    assert calls[0].id == "call_a" != calls[1].id
    assert [c.invalid and c.invalid.reason for c in calls] == [None, "duplicate_id"]


@pytest.mark.parametrize("provider", ["openai_chat", "openai_compatible", "mistral"])
def test_calls_with_one_id_may_come_side_by_side(sample: Package, provider: str) -> None:
    lanes = [[head("call_a", "now", '{"a":'), more(f"{i}}}")] for i in range(3)]
    events = [piece(lane[step], index=i) for step in range(2) for i, lane in enumerate(lanes)]
    completion, emitted = laws.played(sample, provider, [*events, chunk(reason="tool_calls")])
    calls = laws.calls_of(sample, completion)
    assert [c.arguments for c in calls] == [{"a": 0}, {"a": 1}, {"a": 2}]
    assert [c.invalid and c.invalid.reason for c in calls] == [None, "duplicate_id", "duplicate_id"]
    laws.adds_up(sample, completion, emitted)


EMPTY = [None, "", " ", "\n", "{}"]


@pytest.mark.parametrize("text", EMPTY)
@over("reason", ["tool_calls", "stop", "function_call"])
def test_empty_arguments_are_none(sample: Package, text: str | None, reason: str) -> None:
    function = {"name": "now"} if text is None else {"name": "now", "arguments": text}
    completion, emitted = played(
        sample, piece({"id": "call_a", "type": "function", "function": function}, index=0), chunk(reason=reason)
    )
    (call,) = laws.calls_of(sample, completion)
    assert (call.arguments, call.invalid, completion.finish_reason) == ({}, None, "tool_calls")
    laws.adds_up(sample, completion, emitted)


@pytest.mark.parametrize("reason", ["tool_calls", "stop", "length", "content_filter"])
@over("text", ['"{\\"a\\": 1}"', "[1]", "7", '{"a":', '{"a": 1} {"a": 2}', '{"a": NaN}', '{"a":1,"a":2}'])
def test_arguments_that_are_no_object_make_a_call_that_cannot_be_run(sample: Package, text: str, reason: str) -> None:
    """Text that was encoded twice is one of them: it is not decoded after the model's back."""
    completion, emitted = played(sample, piece(head("call_a", "now", text), index=0), chunk(reason=reason))
    (call,) = laws.calls_of(sample, completion)
    assert call.invalid is not None
    assert call.invalid.text == text
    assert completion.finish_reason == {"stop": "tool_calls"}.get(reason, reason)
    body, _ = laws.next_request(sample, PROVIDER, completion)
    assert body["messages"][1]["tool_calls"][0]["function"]["arguments"] == text
    assert [e for e in emitted if type(e).__name__ == "ToolCallEvent" and reason in ("length", "content_filter")] == []


def test_truncation_at_every_byte_is_never_run(sample: Package) -> None:
    text = '{"city": "Oslo", "days": 1}'
    for cut in range(len(text) + 1):
        completion, emitted = played(sample, piece(head("call_a", "now", text[:cut]), index=0), chunk(reason="length"))
        (call,) = laws.calls_of(sample, completion)
        assert call.invalid.reason == "truncated"
        assert "ToolCallEvent" not in [type(e).__name__ for e in emitted]


def test_usage_may_come_behind_the_end_and_more_than_once(sample: Package) -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    events = [chunk({"content": "Hi"}), chunk(reason="stop")]
    for late in (
        [{**chunk(), "choices": [], "usage": usage}],
        [{**chunk(), "choices": [], "usage": None}, {"choices": [], "usage": usage}],
        [chunk(usage={**usage, "completion_tokens": 1}), {"usage": usage}],
    ):
        completion, emitted = played(sample, *events, *late)
        usage_read = completion.usage
        assert (usage_read.input_tokens, usage_read.output_tokens, usage_read.total_tokens) == (3, 4, 7)
        assert [type(e).__name__ for e in emitted] == ["TextDelta", "CompletedEvent"]


def test_usage_on_its_own_ends_a_response_without_a_reason(sample: Package) -> None:
    """The API gives none for audio, and tells after the usage when the audio expires."""
    usage = {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}}
    audio = [chunk({"audio": {"id": "a", "data": "AA=="}}), usage, chunk({"audio": {"expires_at": 9}})]
    completion, emitted = played(sample, *audio)
    assert (completion.finish_reason, [type(e).__name__ for e in emitted]) == ("other", ["CompletedEvent"])
    completion, emitted = played(sample, *audio, chunk({"content": "H"}))
    assert completion.finish_reason == "error"
    called = piece(head("call_a", "now", "{}"), index=0)
    completion, emitted = played(sample, chunk({"role": "assistant"}), called, usage)
    assert [call.invalid for call in laws.calls_of(sample, completion)] == [None]
    assert "ToolCallEvent" in [type(e).__name__ for e in emitted]


@pytest.mark.parametrize("noise", [{}, {"choices": []}, {"choices": None}, {"choices": [None]}, {"choices": [{}]}])
def test_chunks_with_nothing_in_them_change_nothing(sample: Package, noise: Any) -> None:
    events = [chunk({"content": "H"}), chunk({"content": "i"}), chunk(reason="stop")]
    plain, _ = played(sample, *events)
    for at in range(len(events) + 1):
        completion, emitted = played(sample, *events[:at], noise, *events[at:])
        assert completion.message == plain.message
        assert completion.finish_reason == "stop"
        assert [type(e).__name__ for e in emitted] == ["TextDelta", "TextDelta", "CompletedEvent"]


@pytest.mark.parametrize("first", [{}, {"role": "assistant"}])
def test_a_first_chunk_without_content_costs_no_text(sample: Package, first: Any) -> None:
    for end in ([], [chunk(reason="stop")]):
        completion, emitted = played(sample, chunk(first), chunk({"content": "Hal"}), chunk({"content": "lo"}), *end)
        assert laws.joined(completion, "TextPart") == "Hallo"
        laws.adds_up(sample, completion, emitted)


def test_arguments_may_come_as_an_object(sample: Package) -> None:
    call = {"id": "call_a", "function": {"name": "now", "arguments": {"a": [1, None]}}}
    completion, emitted = played(sample, piece(call, index=0), chunk(reason="tool_calls"))
    assert [c.arguments for c in laws.calls_of(sample, completion)] == [{"a": [1, None]}]
    laws.adds_up(sample, completion, emitted)


def test_a_filters_first_chunk_has_no_choice(sample: Package) -> None:
    first = {
        "id": "",
        "object": "",
        "created": 0,
        "model": "",
        "prompt_filter_results": [{"prompt_index": 0}],
        "choices": [],
    }
    completion, _ = played(sample, first, chunk({"content": "Hi"}), chunk(reason="stop"))
    assert laws.joined(completion, "TextPart") == "Hi"
    assert (completion.id, completion.model) == ("chatcmpl-1", "m")


def test_an_error_inside_a_stream_is_told_and_what_came_stays(sample: Package) -> None:
    completion, emitted = played(sample, chunk({"content": "Hal"}), {"error": {"message": "overloaded", "code": 503}})
    assert [type(e).__name__ for e in emitted] == ["TextDelta", "ErrorEvent", "CompletedEvent"]
    assert emitted[1].message == "overloaded"
    assert (laws.joined(completion, "TextPart"), completion.finish_reason) == ("Hal", "error")


def test_further_choices_do_not_mix_with_the_first(sample: Package) -> None:
    events = []
    for index, text in itertools.product((0, 1), "ab"):
        event = chunk({"content": f"{text}{index}"})
        event["choices"][0]["index"] = index
        events.append(event)
    completion, emitted = played(sample, *events, chunk(reason="stop"))
    assert laws.joined(completion, "TextPart") == "a0b0"
    assert "a1b1" in laws.exact(completion.metadata)
    assert [e.text for e in emitted if type(e).__name__ == "TextDelta"] == ["a0", "b0"]


@pytest.mark.parametrize("pieces", [["a", {"b": 1}], [{"b": 1}, "a"], [["a"], ["b"]], ["a", 7, "b"]])
def test_input_of_a_custom_call_that_is_no_text_is_told_as_an_error(sample: Package, pieces: list[Any]) -> None:
    events = [
        piece({"id": "call_a", "type": "custom", "custom": {"name": "shell", "input": text}}, index=0)
        for text in pieces
    ]
    completion, emitted = played(sample, *events, chunk({"content": "Hi"}), chunk(reason="tool_calls"))
    assert [type(e).__name__ for e in emitted] == ["TextDelta", "ErrorEvent", "CompletedEvent"]
    assert "custom.input: must be a string" in emitted[1].message
    assert completion.finish_reason == "error"


def test_input_of_a_custom_call_may_be_an_object_if_nothing_is_joined_to_it(sample: Package) -> None:
    calls = [{"custom": {"name": "shell", "input": {"b": 1}}}, {"custom": {"name": "shell"}}]
    events = [piece({"id": "call_a", "type": "custom", **call}, index=0) for call in calls]
    completion, emitted = played(sample, *events, chunk(reason="tool_calls"))
    assert [type(e).__name__ for e in emitted] == ["CompletedEvent"]
    assert completion.message.content[0].value["custom"] == {"name": "shell", "input": {"b": 1}}


THOUGHT = {"type": "thinking", "thinking": [{"type": "text", "text": "so"}]}
TEXT = {"type": "text", "text": "Hallo"}
IMAGE = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
CITED = {"type": "text", "text": "!", "annotations": [{"start": 1}]}


@pytest.mark.parametrize("provider", ["openai_chat", "openai_compatible", "openrouter"])
@over(
    "deltas, content",
    [
        ([[TEXT]], [TEXT]),
        ([[{**TEXT, "text": "Hal"}], [{**TEXT, "text": "lo"}]], [TEXT]),
        (["Hal", [{**TEXT, "text": "lo"}]], [TEXT]),
        ([[{**TEXT, "text": "Hal"}], "lo"], [TEXT]),
        ([[THOUGHT], "Hal", "lo"], [THOUGHT, TEXT]),
        ([[THOUGHT], [TEXT, CITED], [THOUGHT]], [THOUGHT, TEXT, CITED, THOUGHT]),
        ([[{**THOUGHT, "thinking": [{"type": "text", "text": piece}]}] for piece in "so"], [THOUGHT]),
        ([[{"type": "thinking", "thinking": piece}] for piece in ("s", "", "o")], [{**THOUGHT, "thinking": "so"}]),
        (["Hallo", [IMAGE], [CITED]], [TEXT, IMAGE, CITED]),
        (
            [[THOUGHT, TEXT], [{"type": "thinking", "thinking": [], "closed": True}]],
            [{**THOUGHT, "closed": True}, TEXT],
        ),
        ([["Hallo", None, 7]], ["Hallo", None, 7]),
    ],
)
def test_content_may_come_as_lists(sample: Package, provider: str, deltas: list[Any], content: list[Any]) -> None:
    """Then it says what the whole list says: the parts in their order, and each text once."""
    models = sample.module("models")
    first = {"role": "assistant", "content": ""}
    events = [chunk(first), *(chunk({"content": delta}) for delta in deltas), chunk(reason="stop")]
    completion, emitted = laws.played(sample, provider, events)
    whole = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": whole, "finish_reason": "stop"}
    body = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    assert models.dump(completion) == models.dump(laws.completion_of(sample, provider, body))
    laws.adds_up(sample, completion, emitted)


@pytest.mark.parametrize("provider", ["openai_chat", "openai_compatible", "groq"])
def test_a_name_that_each_chunk_repeats_is_one_and_equal_pieces_of_text_are_joined(
    sample: Package, provider: str
) -> None:
    deltas = [{"content": text, "name": "assistant", "channel": "final", "x_text": text} for text in ("ha", "ha", ".")]
    completion, _ = laws.played(sample, provider, [*map(chunk, deltas), chunk(reason="stop")])
    assert completion.message.name == "assistant"
    assert completion.message.content == "haha."
    rejected_in_requests = {"name": {"$whole": "assistant"}} if provider == "groq" else {}
    assert completion.message.metadata == {provider: {"channel": "final", "x_text": "haha.", **rejected_in_requests}}


@pytest.mark.parametrize("provider", ["openai_compatible", "openai_chat", "mistral"])
@over("identifier", ["null", "None", "", None])
@over("numbered", [True, False])
def test_calls_whose_id_stands_for_none_are_calls_of_their_own(
    sample: Package, provider: str, identifier: str | None, numbered: bool
) -> None:
    wires = [head(identifier, "now", f'{{"a":{i}}}') for i in range(2)]
    numbers = [{"index": i} if numbered else {} for i in range(2)]
    events = [piece(wire, **number) for wire, number in zip(wires, numbers, strict=True)]
    completion, emitted = laws.played(sample, provider, [*events, chunk(reason="tool_calls")])
    laws.adds_up(sample, completion, emitted)
    converter = sample.provider(provider)
    message = {"role": "assistant", "content": None, "tool_calls": wires}
    response = {"id": "a", "model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    for calls in (laws.calls_of(sample, completion), converter.from_tool_calls(response)):
        assert [(c.id, c.arguments, c.invalid) for c in calls] == [
            ("call_0_0", {"a": 0}, None),
            ("call_0_1", {"a": 1}, None),
        ]


@pytest.mark.parametrize("provider", ["openai_compatible", "openai_chat", "mistral"])
@pytest.mark.parametrize("identifier", ["null", "", "call_a"])
def test_results_of_calls_with_one_id_are_matched_in_order(sample: Package, provider: str, identifier: str) -> None:
    calls = [head(identifier, name, "{}") for name in ("now", "get_weather")]
    results = [{"role": "tool", "tool_call_id": identifier, "content": content} for content in ("noon", "rain")]
    user = {"role": "user", "content": "Hi"}
    body = {"model": "m", "messages": [user, {"role": "assistant", "content": "", "tool_calls": calls}, *results, user]}
    converter = sample.provider(provider)
    request = converter.from_request(body)
    asked = [part.call.id for part in request.messages[1].content if hasattr(part, "call")]
    paired = [(result.tool_call_id, result.name) for m in request.messages for result in getattr(m, "results", ())]
    assert paired == list(zip(asked, ["now", "get_weather"], strict=True))
    assert converter.to_request(request) == body


@pytest.mark.parametrize("provider", ["gemini", "vertex", "mistral", "ollama"])
@over("order", [("b", "a"), ("a", "b"), ("b", "a", "a"), ("a", "b", "a")])
def test_results_of_calls_with_one_id_are_matched_by_their_names(sample: Package, provider: str, order: Any) -> None:
    names = sorted(order)
    if provider in ("gemini", "vertex"):
        calls = [{"functionCall": {"id": "x", "name": name, "args": {}}} for name in names]
        results = [{"functionResponse": {"id": "x", "name": name, "response": {"output": name}}} for name in order]
        user, turns = {"role": "user", "parts": [{"text": "Hi"}]}, [{"role": "user", "parts": results}]
        body: Any = {"contents": [user, {"role": "model", "parts": calls}, *turns]}
    else:
        text, key = ({}, "tool_name") if provider == "ollama" else ("{}", "name")
        entries = [{"id": "x", "type": "function", "function": {"name": name, "arguments": text}} for name in names]
        turns = [{"role": "tool", "tool_call_id": "x", key: name, "content": name} for name in order]
        assistant = {"role": "assistant", "content": "", "tool_calls": entries}
        body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}, assistant, *turns]}
    converter = sample.provider(provider)
    request = converter.from_request(body)
    named = {part.call.id: part.call.name for part in request.messages[1].content}
    results_read = [result for message in request.messages for result in getattr(message, "results", ())]
    assert [(named[result.tool_call_id], result.name, result.value) for result in results_read] == [
        (n, n, n) for n in order
    ]
    assert len({result.tool_call_id for result in results_read}) == len(order)
    assert converter.to_request(request) == body


def test_calls_after_the_stop_reason_are_told_when_they_are_complete(sample: Package) -> None:
    """Together sends it after each call. A call whose arguments are not whole by then is told at the end."""
    first, second = (head(f"call_{i}", "now", '{"a":') for i in range(2))
    events = [
        chunk({"tool_calls": [{"index": 0, **head("call_0", "now", '{"a":0}')}]}, reason="tool_calls"),
        piece(second, index=1),
        chunk({"tool_calls": [{"index": 1, **more("1}")}]}, reason="tool_calls"),
    ]
    for sequence in (
        events,
        [chunk({"tool_calls": [{"index": 0, **first}]}, reason="tool_calls"), piece(more("0}"), index=0), *events[1:]],
    ):
        completion, emitted = played(sample, *sequence)
        assert [e.call for e in emitted if type(e).__name__ == "ToolCallEvent"] == laws.calls_of(sample, completion)
        assert [c.arguments for c in laws.calls_of(sample, completion)] == [{"a": 0}, {"a": 1}]
        laws.adds_up(sample, completion, emitted)


@pytest.mark.parametrize("numbered", [True, False])
def test_a_whole_call_that_comes_twice_is_one_call(sample: Package, numbered: bool) -> None:
    """A chunk may be sent twice. Another call with the same id is one that cannot be run."""
    number = {"index": 0} if numbered else {}
    first, again = (piece(head("call_a", "now", '{"a":0}'), **number) for _ in range(2))
    completion, emitted = played(sample, first, again, chunk(reason="tool_calls"))
    assert [(c.arguments, c.invalid) for c in laws.calls_of(sample, completion)] == [({"a": 0}, None)]
    laws.adds_up(sample, completion, emitted)
    different = piece(head("call_a", "now", '{"a":1}'), **number)
    completion, _ = played(sample, first, different, chunk(reason="tool_calls"))
    assert [(c.arguments, c.invalid and c.invalid.reason) for c in laws.calls_of(sample, completion)] == [
        ({"a": 0}, None),
        ({"a": 1}, "duplicate_id"),
    ]
    nested = [piece(head("call_a", "now", text), index=0) for text in ('{"a":', '{"a":', "1}}")]
    completion, _ = played(sample, *nested, chunk(reason="tool_calls"))
    assert [c.arguments for c in laws.calls_of(sample, completion)] == [{"a": {"a": 1}}]


@pytest.mark.parametrize("provider", ["openai_chat", "openai_compatible", "mistral"])
@over("absent", [{}, {"index": None, "id": None}, {"id": "null"}, {"id": "", "index": 0}])
@over("text", ["", None, "absent"])
@over("between", [None, "Hm"])
def test_calls_of_one_tool_without_an_index_or_id_begin_with_their_names(
    sample: Package, provider: str, absent: Any, text: str | None, between: str | None
) -> None:
    """The name comes alone, and the arguments after it. Text between them changes nothing."""
    events = []
    for i in range(3):
        function = {"name": "now"} if text == "absent" else {"name": "now", "arguments": text}
        events.append(piece({**absent, "type": "function", "function": function}))
        events += [] if between is None else [chunk({"content": between})]
        events += [piece({**absent, **more(half)}) for half in ('{"a":', f"{i}}}")]
    completion, emitted = laws.played(sample, provider, [*events, chunk(reason="tool_calls")])
    calls = laws.calls_of(sample, completion)
    assert [(c.id, c.name, c.arguments, c.invalid) for c in calls] == [
        (f"call_0_{i}", "now", {"a": i}, None) for i in range(3)
    ]
    laws.adds_up(sample, completion, emitted)


@pytest.mark.parametrize("arguments", ["", None, " \n"])
def test_a_name_that_comes_again_without_arguments_begins_no_call(sample: Package, arguments: str | None) -> None:
    """Some servers repeat it in each chunk, also in those after the arguments."""
    texts = ["", '{"a":', "1}", arguments, arguments]
    events = [piece({"type": "function", "function": {"name": "now", "arguments": text}}) for text in texts]
    completion, emitted = played(sample, *events, chunk(reason="tool_calls"))
    assert [(c.arguments, c.invalid) for c in laws.calls_of(sample, completion)] == [({"a": 1}, None)]
    laws.adds_up(sample, completion, emitted)


def test_pieces_of_one_call_may_share_a_chunk_without_an_index(sample: Package) -> None:
    events = []
    for identifier, name, text in CALLS:
        pieces = [head(identifier, name), *(more(text[i : i + 3]) for i in range(0, len(text), 3))]
        events.append(chunk({"tool_calls": pieces}))
    check(sample, events, [identifier for identifier, _, _ in CALLS])


@pytest.mark.safety("7.5")
def test_pieces_that_repeat_id_and_name_are_examined_once(sample: Package, monkeypatch: pytest.MonkeyPatch) -> None:
    fields, examined = sample.module("runtime.apis.openai_chat.stream"), []
    is_object_text = fields.is_object_text

    def counted(text: str) -> bool:
        examined.append(text)
        return bool(is_object_text(text))

    monkeypatch.setattr(fields, "is_object_text", counted)
    stream = sample.provider("openai_chat").Stream()
    pieces = ['{"a": "\\', '"}', *["} "] * 200, '"', "}"]
    for text in pieces:
        call = {"index": 0, "id": "c", "type": "function", "function": {"name": "now", "arguments": text}}
        stream.feed({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})
    stream.finish()
    (part,) = stream.result().message.content
    assert part.call.arguments == {"a": '"}' + "} " * 200}
    assert sum(map(len, examined)) < 3 * len("".join(pieces))


@pytest.mark.parametrize("index", [-1, None], ids=["-1", "null"])
@pytest.mark.parametrize("provider", ["openai_chat", "openai_compatible", "groq", "mistral", "vllm"])
def test_an_id_of_its_own_is_a_further_call_whatever_the_index(sample: Package, provider: str, index: Any) -> None:
    def piece(index: Any, text: str, **head: Any) -> dict[str, Any]:
        name = {"name": "now"} if head else {}
        return {"index": index, **head, "function": {**name, "arguments": text}}

    def chunk(*pieces: Any, reason: str | None = None) -> dict[str, Any]:
        delta = {"tool_calls": list(pieces)} if pieces else {}
        return {"id": "a", "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    for pieces in (
        [[piece(0, '{"a":', id="a")], [piece(index, "{}", id="b")], [piece(0, "1}")]],
        [[piece(0, '{"a":1}', id="a"), piece(index, "{}", id="b")]],
        [[piece(0, '{"a":1}', id="a")], [piece(index, "{", id="b")], [piece(index, "}")]],
    ):
        stream = sample.provider(provider).Stream()
        for each in pieces:
            stream.feed(chunk(*each))
        stream.feed(chunk(reason="tool_calls"))
        stream.finish()
        calls = [part.call for part in stream.result().message.content if part.type == "tool_call"]
        assert [(call.arguments, call.invalid) for call in calls] == [({"a": 1}, None), ({}, None)]
