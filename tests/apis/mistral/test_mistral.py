"""What only Mistral has: content in chunks, thoughts among them, ids of nine characters, and its order of messages."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest

from tests.providers import laws
from tests.support.every_row import over
from tests.support.generated import Package
from tests.support.repository import spelled, table
from tests.support.wires import WIRES

PROVIDER = "mistral"
WIRE = WIRES[PROVIDER]

USER = {"role": "user", "content": "Hello"}
SYSTEM = {"role": "system", "content": "Be brief."}
SAID = {"role": "assistant", "content": "Hi."}
CALL = {"id": "aB3dE5gH7", "type": "function", "function": {"name": "now", "arguments": "{}"}}
ASKED = {"role": "assistant", "content": "", "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "aB3dE5gH7", "content": "noon"}


def text(value: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": value, **more}


def thought(*texts: str, **more: Any) -> dict[str, Any]:
    return {"type": "thinking", "thinking": [text(t) for t in texts], **more}


def body(*messages: Any) -> dict[str, Any]:
    return {"model": "m", "messages": list(messages)}


def response(**message: Any) -> Any:
    answer = copy.deepcopy(table(PROVIDER)["response"])
    answer["choices"][0]["message"] = {"role": "assistant", **message}
    return answer


def event(delta: Any, reason: str | None = None) -> Any:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {"id": "an-id", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}


def parts(completion: Any) -> list[tuple[str, Any]]:
    return [(p.type, p.value if p.type == "opaque" else p.text) for p in completion.message.content]


def comes_back(package: Package, body: Any) -> Any:
    """The request that a body stands for, after it was written back exactly."""
    request = laws.read(package, PROVIDER, body)
    assert laws.exact(laws.write(package, PROVIDER, request)) == laws.exact(body)
    return request


CONTENTS = {
    "a thought": [thought("Hm.")],
    "texts of a thought": [thought("H", "m."), text("So.")],
    "a thought with more": [thought("Hm.", closed=True, signature="c2ln"), text("So.")],
    "a thought without text": [{"type": "thinking", "thinking": []}, text("So.")],
    "a reference in a thought": [{"type": "thinking", "thinking": [text("a"), {"type": "reference"}, text("b")]}],
    "a thought as text": [{"type": "thinking", "thinking": "Hm."}],
    "a thought of none": [{"type": "thinking"}],
    "thoughts between texts": [text("a"), thought("b"), text("c"), thought("d")],
    "texts": [text("a"), text("b")],
    "a text": [text("a")],
    "a text with more": [text("a", x=1)],
    "nothing in a list": [],
    "a reference": [{"type": "reference", "reference_ids": [1, "a"]}],
    "a text alone": "Hi.",
    "no text": "",
    "null": None,
}


@over("calls", [{}, {"tool_calls": None}, {"tool_calls": []}, {"tool_calls": [CALL]}])
@over("name", list(CONTENTS))
def test_content_keeps_its_form_and_its_order(sample: Package, name: str, calls: Any) -> None:
    whole = response(content=CONTENTS[name], **calls)
    laws.response_is_read(sample, PROVIDER, whole) if name not in ("a thought of none", "a thought as text") else None
    laws.response_comes_back(sample, PROVIDER, whole)
    after = [RESULT] if calls.get("tool_calls") else [USER]
    if CONTENTS[name] or calls:
        comes_back(sample, body(USER, whole["choices"][0]["message"], *after))


@pytest.mark.parametrize("content", [[], "", None])
def test_an_assistant_message_that_says_nothing_is_not_sent(sample: Package, models: Any, content: Any) -> None:
    """The API: "Assistant message must have either content or tool_calls, but not none"."""
    request = laws.read(sample, PROVIDER, body(USER, USER))
    request.messages.insert(1, models.AssistantMessage(content))
    losses: list[Any] = []
    assert laws.write(sample, PROVIDER, request, losses) == body(USER, USER)
    assert [(loss.path, loss.action) for loss in losses] == [("messages[1]", "dropped")]


def test_a_message_may_lack_its_content(sample: Package) -> None:
    request = comes_back(sample, body(USER, {"role": "assistant", "tool_calls": [CALL]}, RESULT))
    assert [p.type for p in request.messages[1].content] == ["tool_call"]


def test_thoughts_of_others_go_out_as_chunks_without_their_signatures(sample: Package, models: Any) -> None:
    signed = models.ReasoningPart("Hm.", metadata={"anthropic": {"signature": "c2ln"}})
    losses: list[Any] = []
    message = models.AssistantMessage([signed, models.TextPart("So.")])
    request = models.Request([models.UserMessage("Hello"), message, models.UserMessage("Why?")], model="m")
    sent = laws.write(sample, PROVIDER, request, losses)
    assert sent["messages"][1]["content"] == [thought("Hm."), text("So.")]
    assert [(loss.path, loss.action) for loss in losses] == [
        ("messages[1].content[0].text", "rewritten"),
        ("messages[1].content[0].metadata.anthropic.signature", "dropped"),
    ]


def test_an_edited_thought_goes_out_as_it_is_now(sample: Package) -> None:
    request_body = body(USER, {"role": "assistant", "content": [thought("H", "m.", closed=True), text("So.")]}, USER)
    request = laws.read(sample, PROVIDER, request_body)
    request.messages[1].content[0].text = "Well."
    written = laws.write(sample, PROVIDER, request)
    assert written["messages"][1]["content"][0] == thought("Well.", closed=True)


# Streams


@pytest.mark.parametrize("cut", range(6))
def test_pieces_of_thoughts_and_texts_are_joined_where_they_are(sample: Package, cut: int) -> None:
    answer, thinking = "answer"[:cut] or "a", "Hmmmmm"[cut:] or "H"
    events = [
        event({"role": "assistant", "content": ""}),
        *(event({"content": [thought(piece)]}) for piece in thinking),
        event({"content": [thought("", closed=True)]}),
        *(event({"content": piece}) for piece in answer),
        event({"content": [{"type": "reference", "reference_ids": [1]}]}),
        event({"content": [text("be")]}),
        event({"content": "hind"}),
        event({"content": ""}, "stop"),
    ]
    completion, emitted = laws.played(sample, PROVIDER, events)
    reference = {"type": "reference", "reference_ids": [1]}
    expected = [("reasoning", thinking), ("text", answer), ("opaque", reference), ("text", "behind")]
    assert parts(completion) == expected
    assert completion.message.content[0].metadata == {PROVIDER: {"closed": True}}
    laws.adds_up(sample, completion, emitted)


def test_what_is_said_of_a_thought_afterwards_belongs_to_it(sample: Package) -> None:
    events = [
        event({"content": [thought("Hm.")]}),
        event({"content": "So."}),
        event({"content": [thought(closed=True)]}),
    ]
    completion, _ = laws.played(sample, PROVIDER, [*events, event({}, "stop")])
    assert parts(completion) == [("reasoning", "Hm."), ("text", "So.")]
    assert completion.message.content[0].metadata == {PROVIDER: {"closed": True}}


@pytest.mark.parametrize("item", [["a"], [{}], []])
def test_a_list_in_a_thought_is_told_as_an_error(sample: Package, item: list[Any]) -> None:
    events = [event({"content": [{"type": "thinking", "thinking": [item, text("Hm.")]}]}), event({"content": "So."})]
    completion, emitted = laws.played(sample, PROVIDER, [*events, event({}, "stop")])
    (error,) = [e for e in emitted if type(e).__name__ == "ErrorEvent"]
    assert "thinking[0]: must be an object, found an array" in error.message
    assert completion.finish_reason == "error"


def test_a_stream_can_be_asked_at_any_time(sample: Package) -> None:
    """Asking does not change what comes."""
    pieces = [
        event({"content": [thought("H")]}),
        event({"content": [thought("m", signature="c2ln")]}),
        event({"content": "So"}),
    ]
    asked, unasked = (sample.provider(PROVIDER).Stream() for _ in range(2))
    for piece in [*pieces, event({"content": "."}, "stop")]:
        asked.feed(piece)
        unasked.feed(piece)
        assert asked.result() == asked.result()
    asked.finish()
    unasked.finish()
    assert asked.result() == unasked.result()


PIECES = {
    "two in a delta": [[{**CALL, "id": "a" * 9}, {**CALL, "id": "b" * 9}]],
    "one a delta": [[{**CALL, "id": "a" * 9}], [{**CALL, "id": "b" * 9}]],
    "all at 0": [[{**CALL, "id": "a" * 9, "index": 0}], [{**CALL, "id": "b" * 9, "index": 0}]],
    "in pieces": [
        [{"id": "a" * 9, "index": 0, "function": {"name": "now", "arguments": ""}}],
        [{"id": "null", "index": 0, "function": {"name": "", "arguments": "{"}}],
        [{"id": "null", "index": 0, "function": {"name": "", "arguments": "}"}}],
        [{"id": "b" * 9, "index": 1, "function": {"name": "now", "arguments": {}}}],
    ],
}


@pytest.mark.parametrize("name", PIECES)
def test_calls_come_in_each_form(sample: Package, name: str) -> None:
    deltas = [event({"tool_calls": pieces}) for pieces in PIECES[name]]
    completion, emitted = laws.played(sample, PROVIDER, [*deltas, event({"tool_calls": None}, "tool_calls")])
    calls = laws.calls_of(sample, completion)
    assert [(c.id, c.name, c.arguments, c.invalid) for c in calls] == [(i * 9, "now", {}, None) for i in "ab"]
    laws.adds_up(sample, completion, emitted)


@pytest.mark.parametrize("spelling", [{}, {"id": "null"}])
def test_calls_without_ids_are_the_same_in_a_stream(sample: Package, spelling: Any) -> None:
    calls = [{"index": i, **spelling, "function": {"name": "now", "arguments": "{}"}} for i in range(2)]
    completion, emitted = laws.played(
        sample, PROVIDER, [event({"role": "assistant", "tool_calls": calls}, "tool_calls")]
    )
    whole = event({}, "tool_calls") | {"object": "chat.completion"}
    (choice,) = whole["choices"]
    del choice["delta"]
    choice["message"] = {"role": "assistant", "content": None, "tool_calls": calls}
    assert completion == laws.completion_of(sample, PROVIDER, whole)
    assert [c.id for c in laws.calls_of(sample, completion)] == ["call_0_0", "call_0_1"]
    laws.adds_up(sample, completion, emitted)


@pytest.mark.parametrize("error", [table(PROVIDER)["bare_error"], {"error": {"message": "oops"}}, {"detail": "oops"}])
def test_an_error_in_a_stream_ends_it(sample: Package, error: Any) -> None:
    completion, emitted = laws.played(sample, PROVIDER, [event({"content": "Hal"}), error])
    assert [type(e).__name__ for e in emitted] == ["TextDelta", "ErrorEvent", "CompletedEvent"]
    assert (completion.finish_reason, laws.joined(completion, "TextPart")) == ("error", "Hal")


def test_a_writer_sends_thoughts_as_they_come_and_calls_whole(sample: Package, models: Any) -> None:
    call = models.ToolCall("aB3dE5gH7", "now", {})
    content = [models.ReasoningPart("Hm."), models.TextPart("So."), models.ToolCallPart(call)]
    usage = models.Usage(1, 2, 3)
    completion = models.Completion(models.AssistantMessage(content), "tool_calls", "an-id", "m", "tool_calls", usage)
    events = [
        models.ReasoningDelta("H"),
        models.ReasoningDelta("m."),
        models.TextDelta("So."),
        models.ToolCallDelta(0, "aB3dE5gH7", "now", "{}"),
        models.ToolCallEvent(call),
        models.CompletedEvent(completion),
    ]
    sent = laws.written(sample, PROVIDER, events)
    deltas = [e["choices"][0]["delta"] for e in sent]
    first = {"role": "assistant", "content": [thought("H")]}
    assert deltas[:3] == [first, {"content": [thought("m.")]}, {"content": "So."}]
    assert deltas[3:] == [{"content": [], "tool_calls": [CALL]}]
    assert sent[-1]["usage"] == {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
    assert laws.bare(laws.played(sample, PROVIDER, sent)[0]) == laws.bare(completion)


def test_a_writer_sends_late_what_came_too_late(sample: Package, models: Any) -> None:
    """A chunk that no event speaks of stands after what was sent, and that is told."""
    reference = models.OpaquePart(PROVIDER, {"type": "reference", "reference_ids": [1]})
    content = [models.TextPart("So "), reference, models.TextPart("it is.")]
    completion = models.Completion(models.AssistantMessage(content), "stop", "an-id", "m", "stop")
    losses: list[Any] = []
    writer = sample.provider(PROVIDER).StreamWriter(on_loss=losses.append)
    sent = [*writer.write(models.TextDelta("So it is.")), *writer.write(models.CompletedEvent(completion))]
    read_back, _ = laws.played(sample, PROVIDER, sent)
    assert parts(read_back) == [("text", "So it is."), ("opaque", reference.value)]
    reported = [(loss.path, loss.action) for loss in losses]
    assert reported == [("message.content[1]", "moved"), ("usage", "defaulted")]


def test_the_clients_chunks_of_unknown_kinds_are_what_the_api_sent(sample: Package) -> None:
    from mistralai.client.models import ChatCompletionResponse, CompletionEvent

    odd = {"type": "x_chunk", "x": {"a": [1, None]}}
    answer = response(content=[odd, text("Hi.")])
    completion = sample.provider(PROVIDER).from_response(ChatCompletionResponse.model_validate(answer))
    assert parts(completion) == [("opaque", odd), ("text", "Hi.")]
    stream = sample.provider(PROVIDER).Stream()
    stream.feed(CompletionEvent.model_validate({"data": event({"content": [odd]}, "stop")}))
    assert parts(stream.result()) == [("opaque", odd)]


# Ids and results


def test_ids_of_other_wires_are_renamed_once_and_stay_paired(sample: Package, models: Any) -> None:
    ids = ["call_a", "call_b", "toolu_01", "call_0_0", "D9WYdiHxV"]
    calls = [models.ToolCall(i, "now", {}) for i in ids]
    results = [models.ToolResult(i, "now", "text", i) for i in reversed(ids)]
    message = models.AssistantMessage([models.ToolCallPart(c) for c in calls])
    sent = laws.write(
        sample, PROVIDER, models.Request([models.UserMessage("Hello"), message, models.ToolMessage(results)])
    )
    ids_sent = [c.id for c in WIRE.calls(sent)]
    assert ids_sent[0] == spelled(PROVIDER, "call_a")
    assert ids_sent[-1] == "D9WYdiHxV"
    assert len(set(ids_sent)) == len(ids)
    assert all(re.fullmatch("[a-zA-Z0-9]{9}", i) for i in ids_sent)
    assert {r.id: r.value for r in WIRE.results(sent)} == dict(zip(ids_sent, ids, strict=True))


def test_an_id_of_another_form_goes_back_to_the_api_that_gave_it(sample: Package, models: Any) -> None:
    odd = {**CALL, "id": "call_of_another_form"}
    request_body = body(USER, {**ASKED, "tool_calls": [odd]}, {**RESULT, "tool_call_id": "call_of_another_form"})
    request = comes_back(sample, request_body)
    assert request.messages[1].content[0].call.id == "call_of_another_form"
    request.messages[1].content[0].call.id = request.messages[2].results[0].tool_call_id = "call_b"
    assert [c.id for c in WIRE.calls(laws.write(sample, PROVIDER, request))] == [spelled(PROVIDER, "call_b")]


@pytest.mark.parametrize("spelling", [{}, {"id": None}, {"id": "null"}])
def test_calls_without_ids_are_told_apart_and_get_results_by_name_and_order(sample: Package, spelling: Any) -> None:
    calls = [{**spelling, "function": {"name": name, "arguments": "{}"}} for name in ("now", "get_weather", "now")]
    pairing = {} if not spelling else {"tool_call_id": spelling["id"]}
    results = [
        {"role": "tool", "name": c["function"]["name"], "content": str(i), **pairing} for i, c in enumerate(calls)
    ]
    request = comes_back(sample, body(USER, {**ASKED, "tool_calls": calls}, *results))
    calls_read = [part.call for part in request.messages[1].content]
    assert [(c.id, c.invalid) for c in calls_read] == [(f"call_0_{i}", None) for i in range(3)]
    assert [(r.tool_call_id, r.value) for r in request.messages[2].results] == [
        (f"call_0_{i}", str(i)) for i in range(3)
    ]


def test_the_name_of_a_result_is_sent_where_it_came_and_spelled_as_the_tool_is(sample: Package) -> None:
    """Of a tool that is called otherwise on this wire."""
    call = {**CALL, "function": {"name": "orders-place", "arguments": "{}"}}
    asked = {**ASKED, "tool_calls": [call]}
    request = comes_back(sample, body(USER, asked, {**RESULT, "name": "orders-place"}))
    assert request.messages[2].results[0].name == "place_order"
    request.messages[2].results[0].name = "now"
    assert laws.write(sample, PROVIDER, request)["messages"][2]["name"] == "now"
    assert comes_back(sample, body(USER, asked, RESULT)).messages[2].results[0].name == "place_order"


RESULTS = ["noon", "", None, [], [text("a")], [text("a"), text("b")], [{"type": "x", "x": 1}]]


@pytest.mark.parametrize("content", RESULTS)
def test_results_come_in_each_form(sample: Package, content: Any) -> None:
    comes_back(sample, body(USER, ASKED, {**RESULT, "content": content}))


def test_media_stay_inside_of_a_result_where_they_came_so(sample: Package) -> None:
    """Only the newest servers take them there, so that those of others follow after."""
    image = {"type": "image_url", "image_url": "https://e.com/a.png"}
    request_body = body(USER, ASKED, {**RESULT, "content": [text("A map:"), image]})
    request = comes_back(sample, request_body)
    assert [p.type for p in request.messages[2].results[0].value] == ["text", "image"]
    losses: list[Any] = []
    after = laws.write(sample, PROVIDER, laws.bare(request), losses)["messages"]
    assert after[2]["content"] == "A map:"
    assert after[3] == {"role": "user", "content": [image]}
    assert [(loss.path, loss.action) for loss in losses] == [("messages[2].results[0].value[1]", "moved")]


@pytest.mark.parametrize("arguments", ['{"a": 1}', {"a": 1}, {"a": [None, {"b": True}]}, {}, ""])
def test_arguments_are_text_or_an_object_both_ways(sample: Package, arguments: Any) -> None:
    call = {**CALL, "function": {"name": "now", "arguments": arguments}}
    request = comes_back(sample, body(USER, {**ASKED, "tool_calls": [call]}, RESULT))
    call_read = request.messages[1].content[0].call
    assert call_read.arguments == (json.loads(arguments or "{}") if isinstance(arguments, str) else arguments)
    call_read.arguments = {"b": 2}
    sent = laws.write(sample, PROVIDER, request)["messages"][1]["tool_calls"][0]
    assert sent["function"]["arguments"] == '{"b":2}'


# Order


ORDERS = {
    "after an assistant message": ([USER, SAID, SYSTEM, USER], [USER, SYSTEM, SAID, USER]),
    "after a result": ([USER, ASKED, RESULT, SYSTEM, USER], [USER, SYSTEM, ASKED, RESULT, USER]),
    "at the end": ([USER, SYSTEM], [SYSTEM, USER]),
    "at the end, after an assistant message": ([USER, SAID, USER, SYSTEM], [USER, SYSTEM, SAID, USER]),
    "at the end, after a result": ([USER, ASKED, RESULT, SYSTEM], [USER, SYSTEM, ASKED, RESULT]),
    "after an assistant message that is first": ([SAID, SYSTEM, USER], [SYSTEM, SAID, USER]),
    "alone": ([SYSTEM], [SYSTEM]),
    "legal": ([SYSTEM, SYSTEM, USER, SYSTEM, USER, SAID, USER], [SYSTEM, SYSTEM, USER, SYSTEM, USER, SAID, USER]),
}


@pytest.mark.parametrize("name", ORDERS)
def test_a_message_of_the_system_stands_where_the_api_takes_it(sample: Package, name: str) -> None:
    messages, expected = ORDERS[name]
    losses: list[Any] = []
    sent = laws.write(sample, PROVIDER, laws.read(sample, PROVIDER, body(*messages)), losses)
    assert sent["messages"] == expected
    assert WIRE.order_faults(sent) == []
    assert [loss.action for loss in losses] == ([] if messages == expected else ["moved"])


def test_several_messages_of_the_system_keep_their_order(sample: Package) -> None:
    systems = [{**SYSTEM, "content": str(i)} for i in range(3)]
    sent = laws.write(sample, PROVIDER, laws.read(sample, PROVIDER, body(USER, SAID, *systems)))
    assert [m["content"] for m in sent["messages"]] == ["Hello", "0", "1", "2", "Hi."]


def test_an_assistant_message_at_the_end_is_the_beginning_of_the_next(sample: Package, models: Any) -> None:
    request = models.Request([models.UserMessage("A colour?"), models.AssistantMessage("The colour")], model="m")
    sent = laws.write(sample, PROVIDER, request)
    assert sent["messages"][-1] == {"role": "assistant", "content": "The colour", "prefix": True}
    assert laws.read(sample, PROVIDER, sent) == request
    request.messages.append(models.UserMessage("Go on."))
    assert "prefix" not in laws.write(sample, PROVIDER, request)["messages"][1]
    assert "prefix" not in sample.provider(PROVIDER).to_messages(request.messages[:2])[-1]


@pytest.mark.parametrize("prefix", [{}, {"prefix": False}, {"prefix": True}, {"prefix": None}])
def test_an_assistant_message_at_the_end_goes_back_as_it_came(sample: Package, prefix: Any) -> None:
    comes_back(sample, body(USER, {**SAID, **prefix}))
    comes_back(sample, body(USER, {**SAID, **prefix}, USER))
    comes_back(sample, body(USER, {**ASKED, **prefix}))


# What is sent beside the messages, and how content is spelled


PARTS = [
    {"type": "image_url", "image_url": "https://e.com/a.png"},
    {"type": "image_url", "image_url": {"url": "https://e.com/a.png"}},
    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA==", "detail": "low", "x": 1}},
    {"type": "document_url", "document_url": "https://e.com/a.pdf", "document_name": "a.pdf"},
    {"type": "document_url", "document_url": "data:application/pdf;base64,AA==", "document_name": None},
    {"type": "input_audio", "input_audio": "AA=="},
    {"type": "input_audio", "input_audio": "https://e.com/a.mp3"},
    {"type": "input_audio", "input_audio": "data:audio/wav;base64,AA=="},
]


@pytest.mark.parametrize("part", PARTS)
def test_media_keep_their_spelling(sample: Package, part: Any) -> None:
    request = comes_back(sample, body({"role": "user", "content": [text("See:"), part]}))
    media = request.messages[0].content[1]
    assert media.type == part["type"].removesuffix("_url").removeprefix("input_")
    assert (media.url is None) != (media.data is None)


def test_null_is_nothing_said(sample: Package) -> None:
    request = comes_back(sample, body({"role": "user", "content": None}))
    assert request.messages[0].content == ""
    request.messages[0].content = "Hello"
    assert laws.write(sample, PROVIDER, request)["messages"] == [USER]


@pytest.mark.parametrize("word", ["any", "required"])
def test_a_forced_call_has_two_words(sample: Package, word: str) -> None:
    tools = [{"function": {"name": "now", "parameters": {"type": "object", "properties": {}}}}]
    request = comes_back(sample, {**body(USER), "tools": tools, "tool_choice": word})
    assert request.tool_choice == "required"
    request.tool_choice = "none"
    assert laws.write(sample, PROVIDER, request)["tool_choice"] == "none"
    request.tool_choice = None
    assert "tool_choice" not in laws.write(sample, PROVIDER, request)


def test_what_the_client_has_no_keyword_for_is_reported(sample: Package) -> None:
    request_body = {**body(USER), "x_unknown": {"a": 1}, "safe_prompt": True, "random_seed": 7}
    losses: list[Any] = []
    words = sample.provider(PROVIDER).to_sdk(laws.read(sample, PROVIDER, request_body), on_loss=losses.append)
    assert words == {"model": "m", "messages": [USER], "safe_prompt": True, "random_seed": 7}
    assert [(loss.path, loss.severity) for loss in losses] == [("x_unknown", "warning")]


WRONG = [
    body({"role": "assistant", "content": 7}),
    body({"role": "assistant", "content": [{"type": "thinking", "thinking": 7}]}),
    body({"role": "assistant", "content": [{"type": "thinking", "thinking": [7]}]}),
    body({"role": "assistant", "content": [{"type": "thinking", "thinking": [text("a") | {"text": 7}]}]}),
    body({"role": "user", "content": [{"type": "image_url", "image_url": 7}]}),
    body({"role": "user", "content": [{"type": "image_url", "image_url": {"url": None}}]}),
    body({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u", "detail": 7}}]}),
    body({"role": "user", "content": [{"type": "input_audio", "input_audio": {}}]}),
    body(ASKED, {**RESULT, "tool_call_id": 7}),
    body(ASKED, {**RESULT, "name": 7}),
    body(ASKED, {**RESULT, "content": 7}),
    body({**ASKED, "tool_calls": [{**CALL, "id": 7}]}),
]


@pytest.mark.parametrize("request_body", WRONG)
def test_a_value_of_the_wrong_type_is_told_by_its_place(sample: Package, models: Any, request_body: Any) -> None:
    with pytest.raises(models.ConversionError, match=r"messages\[\d\]"):
        laws.read(sample, PROVIDER, request_body)


@pytest.mark.parametrize("identifier", ["c1", "functions.f:0"])
def test_a_result_before_its_call_or_without_one_keeps_its_id(sample: Package, identifier: str) -> None:
    user = {"role": "user", "content": "Hi"}
    result = {"role": "tool", "tool_call_id": identifier, "content": "noon"}
    function = {"name": "now", "arguments": "{}"}
    message = {"role": "assistant", "content": "", "tool_calls": [{"id": identifier, "function": function}]}
    for messages in ([user, result, user], [user, result, message, user], [result, user]):
        body = {"model": "m", "messages": messages}
        assert laws.write(sample, "mistral", laws.read(sample, "mistral", body)) == body
