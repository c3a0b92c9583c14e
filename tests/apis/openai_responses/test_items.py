"""What only OpenAI's Responses have: items in a row, messages in two forms, reasoning beside its calls, instructions."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.apis.openai_responses.items import CALL, CUSTOM, OUTPUT, PROVIDER, REASONING, SAID, SEARCH, response
from tests.providers import laws
from tests.support.every_row import over
from tests.support.generated import Package
from tests.support.places import put
from tests.support.repository import CONVERSING
from tests.support.requests import PIXEL
from tests.support.wires import WIRES


def body(*items: Any, **members: Any) -> Any:
    return {"model": "m", "input": list(items), **members}


def comes_back(sample: Package, wire_body: Any) -> Any:
    """The request that a body stands for, which goes back exactly."""
    request = laws.read(sample, PROVIDER, wire_body)
    assert laws.exact(laws.write(sample, PROVIDER, request)) == laws.exact(wire_body)
    return request


@pytest.mark.parametrize("streaming", [False, True])
def test_items_keep_their_order_and_go_back_byte_for_byte(sample: Package, streaming: bool) -> None:
    whole = response(*OUTPUT)
    if streaming:
        completion, _ = laws.played(sample, PROVIDER, WIRES[PROVIDER].split(whole))
    else:
        completion = laws.completion_of(sample, PROVIDER, whole)
    kinds = [type(part).__name__ for part in completion.message.content]
    texts = ["TextPart", "TextPart", "RefusalPart"]
    assert kinds == ["ReasoningPart", "OpaquePart", "ReasoningPart", *texts, "ToolCallPart"]
    assert completion.message.content[0].text == "First, the time."
    assert completion.finish_reason == "tool_calls"
    sent, _ = laws.next_request(sample, PROVIDER, completion)
    assert laws.exact(sent["input"][1:-1]) == laws.exact(OUTPUT)
    assert sent["input"][-1]["call_id"] == "call_1"
    assert WIRES[PROVIDER].order_faults(sent) == []
    for target in CONVERSING:
        if target != PROVIDER:
            foreign, losses = sample.module("models").Request([completion.message]), []
            assert "Z0FBQUFB" not in laws.exact(laws.write(sample, target, foreign, losses))
            assert losses != []


def test_reasoning_of_other_providers_stays_behind(sample: Package, models: Any) -> None:
    thought = models.ReasoningPart("Hm.", {"anthropic": {"signature": "c2ln"}})
    request, losses = models.Request([models.AssistantMessage([thought, models.TextPart("Hi")])], model="m"), []
    assert laws.write(sample, PROVIDER, request, losses)["input"] == [{"role": "assistant", "content": "Hi"}]
    assert [(loss.path, loss.action) for loss in losses][-1] == ("messages[0].content[0]", "dropped")


def test_another_text_of_reasoning_becomes_its_summary(sample: Package) -> None:
    request = comes_back(sample, body({"role": "user", "content": "Hi"}, REASONING, CALL))
    request.messages[1].content[0].text = "Another."
    sent = laws.write(sample, PROVIDER, request)["input"][1]
    assert sent == {**REASONING, "summary": [{"type": "summary_text", "text": "Another."}]}


@pytest.mark.parametrize(
    "wire_body",
    [
        {"model": "m", "input": "Hello"},
        {"model": "m"},
        {"model": "m", "input": None},
        {"model": "m", "input": []},
        body({"role": "user", "content": "Hello"}),
        body({"type": "message", "role": "user", "content": "Hello"}),
        body({"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}),
        body({"role": "developer", "content": "Be brief."}, {"role": "user", "content": "Hello"}),
        body({"role": "user", "content": "Hello"}, instructions="Be brief."),
        body({"role": "system", "content": "And?"}, {"role": "user", "content": "Hello"}, instructions="Be brief."),
        body({"role": "user", "content": "Hello"}, instructions=None, previous_response_id="resp_0", store=False),
        body({"role": "assistant", "content": "Hi"}, {"role": "assistant", "content": "there"}, SAID, SAID),
        body({"role": "assistant", "content": "Hi", "phase": "final_answer"}, {"role": "assistant", "content": ""}),
        body({"role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]}, {**SAID, "content": []}),
        body(REASONING, SAID, SEARCH, {"role": "user", "content": "Go on."}),
        body({"type": "item_reference", "id": "msg_1"}, {"type": "compaction", "encrypted_content": "e"}),
        body(CUSTOM, {"type": "custom_tool_call_output", "call_id": "call_9", "output": "x"}),
        body(CALL, CUSTOM, {"type": "custom_tool_call_output", "call_id": "call_9", "output": "x"}, {
            "type": "function_call_output", "call_id": "call_1", "output": "noon"}),
        body(CALL, {"role": "user", "content": "Well?"}, {
            "type": "function_call_output", "call_id": "call_1", "output": "noon", "id": "fco_1", "status": None}),
        body({"type": "function_call_output", "call_id": "call_0", "output": [{"type": "input_file", "file_id": "f"}]}),
        body(text={"format": {"type": "json_object"}, "verbosity": "low"}, reasoning={"effort": "low", "summary": "auto"}),
        body(text={}, reasoning={}, tools=[{"type": "function", "name": "t", "parameters": None, "strict": None}]),
        body(tools=[{"type": "function", "name": "t"}, {"type": "function", "name": "u", "strict": False}]),
        body(tools=[{"type": "web_search"}, {"type": "custom", "name": "shell"}], tool_choice={"type": "custom", "name": "shell"}),
    ],
)  # fmt: skip
def test_a_body_comes_back_exactly(sample: Package, wire_body: Any) -> None:
    before = copy.deepcopy(wire_body)
    request = comes_back(sample, wire_body)
    assert wire_body == before
    models = sample.module("models")
    stored = models.load(models.Request, models.dump(request))
    assert laws.exact(laws.write(sample, PROVIDER, stored)) == laws.exact(wire_body)


def test_a_text_input_is_one_while_it_is_one(sample: Package, models: Any) -> None:
    request = comes_back(sample, {"model": "m", "input": "Hello"})
    assert request.messages == [models.UserMessage("Hello")]
    request.messages.append(models.AssistantMessage("Hi"))
    wire = laws.write(sample, PROVIDER, request)["input"]
    assert wire == [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]


def test_the_first_text_of_the_system_is_the_instructions(sample: Package, models: Any) -> None:
    messages = [models.SystemMessage(text) for text in ("Be brief.", "Be kind.")]
    sent = laws.write(sample, PROVIDER, models.Request([*messages, models.UserMessage("Hi")]))
    assert sent["instructions"] == "Be brief."
    assert [item["role"] for item in sent["input"]] == ["system", "user"]
    assert laws.read(sample, PROVIDER, sent).messages[:2] == messages


def test_items_of_the_model_in_a_row_are_one_turn(sample: Package) -> None:
    result = {"type": "function_call_output", "call_id": "call_1", "output": "noon"}
    again = {**CALL, "arguments": "{}"}
    request = comes_back(sample, body(REASONING, CALL, result, {"role": "assistant", "content": "Hm."}, again, result))
    assert [message.role for message in request.messages] == ["assistant", "tool"] * 2
    calls = [sample.module("messages").tool_calls_of(message)[0] for message in request.messages[::2]]
    assert [call.id for call in calls] == ["call_1", "call_1_0"]
    assert [message.results[0].tool_call_id for message in request.messages[1::2]] == ["call_1", "call_1_0"]


def test_results_hold_media_themselves(sample: Package, models: Any) -> None:
    parts = [
        models.TextPart("A map:"),
        models.ImagePart(data=PIXEL, media_type="image/png"),
        models.DocumentPart(data="JVBERi0xLjQK", media_type="application/pdf"),
        models.AudioPart(data="UklGRg==", media_type="audio/wav"),
    ]
    losses: list[Any] = []
    result = models.ToolResult("call_1", "now", "multimodal", parts)
    wire = sample.provider(PROVIDER).to_tool_result(result, on_loss=losses.append)
    assert [part["type"] for part in wire["output"]] == ["input_text", "input_image", "input_file", "input_text"]
    assert wire["output"][2]["filename"] == "document.pdf"
    assert [(loss.path, loss.severity) for loss in losses] == [
        ("value[1].detail", "note"),
        ("value[2].name", "note"),
        ("value[3]", "warning"),
    ]


@pytest.mark.parametrize(
    ("status", "details", "reason", "word", "fault"),
    [
        ("incomplete", {"reason": "max_output_tokens"}, "length", "max_output_tokens", "truncated"),
        ("incomplete", {"reason": "content_filter"}, "content_filter", "content_filter", "filtered"),
        ("incomplete", {"reason": "steered"}, "other", "steered", "truncated"),
        ("incomplete", None, "other", "incomplete", "truncated"),
        ("failed", None, "error", "failed", "truncated"),
        ("completed", None, "tool_calls", "completed", None),
        ("completed", {"reason": None}, "tool_calls", "completed", None),
    ],
)
@over("streaming", [False, True])
def test_why_a_response_ended(
    sample: Package, status: str, details: Any, reason: str, word: str, fault: Any, streaming: bool
) -> None:
    error = {"code": "server_error", "message": "oops"} if status == "failed" else None
    whole = response(CALL, status=status, incomplete_details=details, error=error)
    if streaming:
        completion, emitted = laws.played(sample, PROVIDER, WIRES[PROVIDER].split(whole))
        assert [e.message for e in emitted if type(e).__name__ == "ErrorEvent"] == (["oops"] if error else [])
    else:
        completion = laws.completion_of(sample, PROVIDER, whole)
    assert (completion.finish_reason, completion.stop_reason) == (reason, word)
    (call,) = laws.calls_of(sample, completion)
    assert (call.invalid and call.invalid.reason) == fault
    assert laws.exact(sample.provider(PROVIDER).to_response(completion)) == laws.exact(whole)


@pytest.mark.parametrize(
    ("reason", "status", "details"),
    [
        ("stop", "completed", None),
        ("tool_calls", "completed", None),
        ("length", "incomplete", {"reason": "max_output_tokens"}),
        ("content_filter", "incomplete", {"reason": "content_filter"}),
        ("error", "failed", None),
    ],
)
def test_a_response_made_elsewhere_says_why_it_ended(
    sample: Package, models: Any, reason: str, status: str, details: Any
) -> None:
    written = sample.provider(PROVIDER).to_response(
        models.Completion(models.AssistantMessage("Hi"), reason, stop_reason="end_turn", model="m"), id="r", created=1
    )
    assert (written["status"], written["incomplete_details"]) == (status, details)
    WIRES[PROVIDER].client.validated(written)


@pytest.mark.parametrize("item", [CUSTOM, {"type": "shell_call", "call_id": "c", "action": {"commands": ["ls"]}}])
def test_calls_of_other_kinds_wait_for_the_app(sample: Package, item: Any) -> None:
    completion = laws.completion_of(sample, PROVIDER, response(item))
    assert completion.finish_reason == "tool_calls"
    assert completion.message.content[0].value == item
    assert laws.completion_of(sample, PROVIDER, response(SEARCH)).finish_reason == "stop"


def test_made_responses_are_what_the_types_take(sample: Package, models: Any) -> None:
    """Each text that was said in a row stands in one message, reasoning has its summary."""
    parts = [
        models.ReasoningPart("Hm."),
        models.TextPart("One, "),
        models.TextPart("two."),
        models.ToolCallPart(models.ToolCall("call_1", "now", {})),
        models.RefusalPart("No."),
    ]
    written = sample.provider(PROVIDER).to_response(
        models.Completion(models.AssistantMessage(parts), "tool_calls", model="m"), id="r", created=1
    )
    assert [item["type"] for item in written["output"]] == ["reasoning", "message", "function_call", "message"]
    assert [part["text"] for part in written["output"][1]["content"]] == ["One, ", "two."]
    assert len({item.get("id") for item in written["output"]}) == 4
    WIRES[PROVIDER].client.validated(written)
    assert laws.bare(laws.completion_of(sample, PROVIDER, written).message.content) == laws.bare(parts)


@pytest.mark.parametrize(
    ("way", "value"),
    [
        (["input"], 7),
        (["input"], [7]),
        (["instructions"], ["x"]),
        (["input"], [{**CALL, "name": 7}]),
        (["input"], [{**CALL, "call_id": 7}]),
        (["input"], [{**CALL, "arguments": 7}]),
        (["input"], [{"type": "function_call_output", "call_id": "c", "output": 7}]),
        (["input"], [{"role": "user", "content": 7}]),
        (["input"], [{"role": "user", "content": [{"type": "input_text", "text": 7}]}]),
        (["input"], [{"role": "user", "content": [{"type": "input_image", "image_url": {"url": "x"}}]}]),
        (["input"], [{"role": "user", "content": [{"type": "input_file", "file_data": 7}]}]),
        (["tools"], [{"type": "function", "name": "t", "strict": "yes"}]),
        (["text"], 7),
        (["reasoning"], {"effort": 7}),
    ],
)
def test_a_value_of_the_wrong_type_is_refused(sample: Package, models: Any, way: list[Any], value: Any) -> None:
    with pytest.raises(models.ConversionError):
        sample.provider(PROVIDER).from_request(put(body(), way, value))


@pytest.mark.parametrize("key", ["error", "detail"])
def test_an_error_of_another_host_has_its_text_as_the_message(sample: Package, key: str) -> None:
    assert sample.provider("openai_responses").from_error(400, {key: "No such model."}).message == "No such model."


def test_the_result_of_a_call_has_the_program_that_made_the_call(sample: Package, models: Any) -> None:
    program = {"type": "program", "id": "pr_1", "call_id": "call_p", "code": "x", "fingerprint": "f"}
    caller = {"type": "program", "caller_id": "call_p"}
    completion = laws.completion_of(sample, PROVIDER, response(program, {**CALL, "caller": caller}))
    sent, _ = laws.next_request(sample, PROVIDER, completion)
    assert sent["input"][-1]["caller"] == caller
    laws.body_comes_back(sample, PROVIDER, sent)
    direct = laws.completion_of(sample, PROVIDER, response({**CALL, "caller": {"type": "direct"}}))
    assert "caller" not in laws.next_request(sample, PROVIDER, direct)[0]["input"][-1]


def test_reasoning_without_the_item_it_led_to_is_not_sent(sample: Package, models: Any) -> None:
    completion = laws.completion_of(sample, PROVIDER, response(REASONING))
    first, losses = models.UserMessage("Hi"), []
    request = models.Request([first, completion.message, models.UserMessage("Go on.")], model="m")
    assert [item["content"] for item in laws.write(sample, PROVIDER, request, losses)["input"]] == ["Hi", "Go on."]
    assert ("messages[1].content", "reasoning", "dropped") in [(x.path, x.what, x.action) for x in losses]
    request = models.Request([first, completion.message, models.AssistantMessage("Well."), first], model="m")
    assert laws.write(sample, PROVIDER, request)["input"][1] == REASONING
    for following in ([], [{"role": "user", "content": "Go on."}]):
        comes_back(sample, body({"role": "user", "content": "Hi"}, REASONING, *following))


def test_reasoning_that_a_server_completed_after_the_text_is_sent(sample: Package, models: Any) -> None:
    reasoning = {**REASONING, "status": "completed"}
    completion = laws.completion_of(sample, PROVIDER, response(SAID, reasoning))
    request = models.Request([models.UserMessage("Hi"), completion.message, models.UserMessage("Go on.")], model="m")
    assert laws.write(sample, PROVIDER, request)["input"][2] == reasoning


def test_a_call_has_its_id_only_together_with_its_reasoning(sample: Package, models: Any) -> None:
    second = {**CALL, "id": "fc_2", "call_id": "call_2"}
    for items in ([REASONING, CALL, second], [CALL, REASONING, second]):
        message = laws.completion_of(sample, PROVIDER, response(*items)).message
        whole, losses = models.Request([models.UserMessage("Hi"), message], model="m"), []
        sent = laws.write(sample, PROVIDER, whole, losses)
        assert (sent["input"][1:], losses) == (items, [])
        comes_back(sample, sent)
        message.content = [part for part in message.content if type(part) is not models.ReasoningPart]
        sent = laws.write(sample, PROVIDER, whole, losses)
        assert [item.get("id") for item in sent["input"][1:]] == (
            [None, None] if items[0] is REASONING else ["fc_1", None]
        )
        assert {(loss.what, loss.action) for loss in losses} == {("the id of an item", "dropped")}


def test_assistant_messages_in_a_row_are_read_back_as_one_which_is_reported(sample: Package, models: Any) -> None:
    assistants = [models.AssistantMessage(text) for text in ("a", "b")]
    losses: list[Any] = []
    request = models.Request(
        [models.UserMessage("Hello"), assistants[0], models.UserMessage("Go on."), *assistants], model="m"
    )
    written = laws.write(sample, PROVIDER, request, losses)
    assert len(laws.read(sample, PROVIDER, written).messages) == 4
    assert [(loss.path, loss.action, loss.severity) for loss in losses] == [("messages[4]", "rewritten", "note")]
