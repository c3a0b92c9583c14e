"""What only Cohere has: plans beside the content, documents as results, one turn of the system, strict for all tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.providers import laws
from tests.support.generated import Package, write_project
from tests.support.requests import HELLO, WEATHER, result
from tests.support.wires import WIRES
from tests.support.wires.cohere import split
from toolgen.compilation import compile_project
from toolgen.diagnostics import Findings

PROVIDER = "cohere"
CALL = {"id": "now_1", "type": "function", "function": {"name": "now", "arguments": "{}"}}
PART = {"type": "tool_call", "call": {"id": "now_1", "name": "now", "arguments": {}}}


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def thinking(value: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": value}


def reasoning(value: str) -> dict[str, Any]:
    return {"type": "reasoning", "text": value}


def written(sample: Package, models: Any, request: Any) -> tuple[Any, list[tuple[str, str, str]]]:
    """The body of a request that may be weakened, and its losses."""
    losses: list[Any] = []
    body = laws.write(sample, PROVIDER, models.load(models.Request, {"model": "m", **request}), losses)
    return body, [(loss.path, loss.action, loss.severity) for loss in losses]


MESSAGES = {
    "a plan": ({"tool_plan": "P", "tool_calls": [CALL]}, ["P"], ""),
    "a plan without calls": ({"tool_plan": "P"}, ["P"], ""),
    "an empty plan": ({"tool_plan": "", "content": [text("x")]}, [], "x"),
    "no plan at all": ({"tool_plan": None, "content": None, "tool_calls": [CALL]}, [], ""),
    "thinking before calls": ({"content": [thinking("T")], "tool_calls": [CALL]}, ["T"], ""),
    "thinking twice": ({"content": [thinking("T"), thinking("U")], "tool_calls": [CALL]}, ["T", "U"], ""),
    "thinking and a plan": ({"content": [thinking("T")], "tool_plan": "P", "tool_calls": [CALL]}, ["T", "P"], ""),
    "a plan and text": ({"content": [text("x")], "tool_plan": "P", "tool_calls": [CALL]}, ["P"], "x"),
    "text before thinking": (
        {"content": [text("x"), thinking("T")], "tool_plan": "P", "tool_calls": [CALL]},
        ["T", "P"],
        "x",
    ),
    "text and calls": ({"content": [text("x"), text("y")], "tool_calls": [CALL]}, [], "xy"),
    "a text alone": ({"content": "x"}, [], "x"),
    "an empty text with calls": ({"content": [text("")], "tool_calls": [CALL]}, [], ""),
    "a text with calls": ({"content": "x", "tool_calls": [CALL]}, [], "x"),
    "an empty text": ({"content": "", "tool_calls": []}, [], ""),
    "an empty list": ({"content": []}, [], ""),
    "an empty part with calls": ({"content": [text("")], "tool_calls": [CALL]}, [], ""),
    "empty parts around a text, with calls": (
        {"content": [text(""), text("x"), text("")], "tool_plan": "P", "tool_calls": [CALL]},
        ["P"],
        "x",
    ),
    "nothing": ({}, [], ""),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_plan_thinking_and_text_are_told_apart(sample: Package, models: Any, name: str) -> None:
    message, thoughts, texts = MESSAGES[name]
    body = {"id": "i", "finish_reason": "COMPLETE", "message": {"role": "assistant", **message}}
    completion = laws.completion_of(sample, PROVIDER, body)
    parts = completion.message.content if isinstance(completion.message.content, list) else []
    assert [p.text for p in parts if type(p) is models.ReasoningPart] == thoughts
    assert sample.module("messages").text_of(completion.message) == texts
    assert sample.provider(PROVIDER).to_response(completion) == body
    sent, _ = laws.next_request(sample, PROVIDER, completion)
    answer_is_sent = bool(texts or thoughts or message.get("tool_calls"))
    assert [entry for entry in sent["messages"] if entry["role"] == "assistant"] == [body["message"]] * answer_is_sent


def test_what_was_thought_last_before_calls_elsewhere_is_the_plan(sample: Package, models: Any) -> None:
    foreign = [reasoning("First."), reasoning("Then the time."), text("One moment."), PART]
    body, losses = written(sample, models, {"messages": [HELLO, {"role": "assistant", "content": foreign}]})
    assert body["messages"][1] == {
        "role": "assistant",
        "tool_plan": "Then the time.",
        "content": [thinking("First."), text("One moment.")],
        "tool_calls": [CALL],
    }
    assert losses == []
    alone = [text("Hm."), reasoning("So."), reasoning("")]
    body, losses = written(sample, models, {"messages": [HELLO, {"role": "assistant", "content": alone}]})
    assert body["messages"][1] == {"role": "assistant", "content": [text("Hm."), thinking("So.")]}
    assert losses == [("messages[1].content[2]", "dropped", "note")]
    late = [text("Hm."), reasoning("So."), PART, text("Done.")]
    body, losses = written(sample, models, {"messages": [HELLO, {"role": "assistant", "content": late}]})
    assert body["messages"][1]["content"] == [text("Hm."), text("Done.")]
    assert body["messages"][1]["tool_plan"] == "So."
    assert losses == [(f"messages[1].content[{i}]", "moved", "note") for i in (1, 3)]


def test_an_assistant_message_that_says_nothing_is_left_out(sample: Package, models: Any) -> None:
    empty = [{"role": "assistant", "content": content} for content in ("", [], None)]
    body, losses = written(sample, models, {"messages": [HELLO, *empty, HELLO]})
    assert body["messages"] == [HELLO, HELLO]
    assert losses == [(f"messages[{i}]", "dropped", "note") for i in (1, 2, 3)]


def test_the_systems_messages_become_its_one_turn(sample: Package, models: Any) -> None:
    system = [{"role": "system", "content": content} for content in ("Be brief.", [text("Be kind.")], "")]
    body, losses = written(sample, models, {"messages": [system[0], system[1], HELLO, system[2]]})
    assert body["messages"] == [{"role": "system", "content": [text("Be brief."), text("Be kind.")]}, HELLO]
    moved = [("messages[1]", "moved", "note"), ("messages[3]", "dropped", "note"), ("messages[3]", "moved", "note")]
    assert sorted(losses) == [("messages[0].content", "rewritten", "note"), *moved]
    native = {"model": "m", "messages": [{"role": "system", "content": "a"}, {"role": "system", "content": "b"}, HELLO]}
    assert laws.write(sample, PROVIDER, laws.read(sample, PROVIDER, native)) == native


DOCUMENTS = {
    "one": ([{"type": "document", "document": {"id": "a", "data": {"c": 4}}}], "data", {"c": 4}),
    "two": ([{"type": "document", "document": {"data": {"c": 4}}}, {"type": "document", "document": {"data": {}}}], "data", [{"c": 4}, {}]),
    "with a text": ([text("x"), {"type": "document", "document": {"data": {"c": 4}, "x": 1}, "y": 2}], "data", ["x", {"c": 4}]),
    "texts alone": ([text("x"), text("y")], "multimodal", None),
    "JSON text as data": ([{"type": "document", "document": {"data": '{"c": 4}'}}], "data", {"c": 4}),
    "a JSON list as data": ([{"type": "document", "document": {"data": "[1, 2]"}}], "data", [1, 2]),
    "a text as data": ([{"type": "document", "document": {"data": "It rains."}}], "data", "It rains."),
    "of both kinds": ([{"type": "document", "document": {"data": "[1]"}}, {"type": "document", "document": {"data": {}}}], "data", [[1], {}]),
    "no documents": ([], "multimodal", None),
}  # fmt: skip


def with_result(content: Any) -> dict[str, Any]:
    call = {"role": "assistant", "tool_calls": [CALL]}
    return {"model": "m", "messages": [HELLO, call, {"role": "tool", "tool_call_id": "now_1", "content": content}]}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_are_data(sample: Package, name: str) -> None:
    content, kind, value = DOCUMENTS[name]
    request = laws.read(sample, PROVIDER, with_result(content))
    (result,) = request.messages[2].results
    assert result.kind == kind
    assert kind == "multimodal" or result.value == value
    assert laws.write(sample, PROVIDER, request) == with_result(content)


def test_data_that_was_changed_goes_out_changed(sample: Package) -> None:
    content = DOCUMENTS["with a text"][0]
    for value, sent in (
        (["z", {"d": 5}], [text("z"), {"type": "document", "document": {"data": {"d": 5}, "x": 1}, "y": 2}]),
        ([{"d": 5}, "z"], '[{"d":5},"z"]'),
        ({"d": 5}, '{"d":5}'),
    ):
        request = laws.read(sample, PROVIDER, with_result(content))
        request.messages[2].results[0].value = value
        losses: list[Any] = []
        assert laws.write(sample, PROVIDER, request, losses)["messages"][2]["content"] == sent
        reported = [] if isinstance(sent, list) else [f"messages[2].results[0].{field}" for field in ("kind", "value")]
        assert [loss.path for loss in losses] == reported


@pytest.mark.parametrize(("value", "sent"), [({"d": 5}, '{"d":5}'), ("x", '"x"'), ({"c": 4}, '{"c": 4}')], ids=str)
def test_text_of_a_document_that_was_changed_goes_out_changed(sample: Package, value: Any, sent: str) -> None:
    request = laws.read(sample, PROVIDER, with_result(DOCUMENTS["JSON text as data"][0]))
    request.messages[2].results[0].value = value
    written_content = laws.write(sample, PROVIDER, request)["messages"][2]["content"]
    assert written_content == [{"type": "document", "document": {"data": sent}}]


def test_a_file_that_cannot_be_shown_leaves_no_empty_turn(sample: Package, models: Any) -> None:
    document = {"type": "document", "data": "JVBERi0xLjQK", "mediaType": "application/pdf"}
    results = [result("now_1", "now", "multimodal", [document])]
    messages = [HELLO, {"role": "assistant", "content": [PART]}, {"role": "tool", "results": results}]
    body, losses = written(sample, models, {"messages": messages})
    assert WIRES[PROVIDER].order_faults(body) == []
    assert body["messages"][-1] == {"role": "user", "content": [{"type": "text", "text": "[document]"}]}
    assert [severity for _, action, severity in losses if action == "described"] == ["warning"]


STRICT = {**WEATHER, "strict": True}


@pytest.mark.parametrize(
    ("tools", "strict", "lost"),
    [
        ([STRICT], True, []),
        ([WEATHER], None, []),
        ([WEATHER, {**STRICT, "name": "now"}], None, [("tools[1].strict", "dropped", "warning")]),
        ([STRICT, {"type": "opaque", "provider": "cohere", "value": {"type": "x"}}], True, []),
        ([], None, [("tools", "dropped", "note")]),
    ],
)
def test_tools_are_strict_all_or_none(sample: Package, models: Any, tools: Any, strict: Any, lost: Any) -> None:
    body, losses = written(sample, models, {"messages": [HELLO], "tools": tools})
    assert (body.get("strict_tools"), losses) == (strict, lost)
    assert all("strict" not in tool.get("function", {}) for tool in body.get("tools", []))
    again = laws.read(sample, PROVIDER, body)
    assert [tool.strict for tool in again.tools or [] if type(tool) is models.ToolDefinition] == [
        strict for tool in tools if "name" in tool
    ]


def test_a_strict_body_whose_tools_change_says_what_they_say(sample: Package) -> None:
    tool = {"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}}
    for strict in (True, False, None):
        body = {"model": "m", "messages": [HELLO], "tools": [tool], "strict_tools": strict}
        request = laws.read(sample, PROVIDER, body)
        assert laws.write(sample, PROVIDER, request) == body
        request.tools[0].strict = not strict
        assert laws.write(sample, PROVIDER, request).get("strict_tools") == (True if not strict else None)


OPTIONAL = {"type": "object", "properties": {"most": {"type": "integer"}}}
LOOSE = {"name": "loose", "parameters": OPTIONAL, "strict": True}
NONE_NEEDED = {"name": "none", "parameters": {"type": "object", "properties": {}}, "strict": True}


def test_a_strict_tool_needs_a_required_parameter_where_it_has_any(sample: Package, models: Any) -> None:
    module = sample.provider(PROVIDER)
    loose, strict, none = (models.load(models.ToolDefinition, tool) for tool in (LOOSE, STRICT, NONE_NEEDED))
    for tools in ([loose], [strict, loose]):
        request = models.Request(model="m", messages=[models.UserMessage("Hi")], tools=tools)
        with pytest.raises(models.ConversionError, match="at least 1 of all properties must be required"):
            module.to_request(request)
    losses: list[Any] = []
    body = module.to_request(request, on_loss=losses.append, on_unsupported="weaken")
    assert "strict_tools" not in body
    reported = [(loss.path, loss.severity) for loss in losses if loss.what == "strict"]
    assert reported == [("tools[1].strict", "behaviour"), ("tools[0].strict", "warning")]
    request.tools = [strict, none]
    assert module.to_request(request, on_loss=losses.append)["strict_tools"] is True
    request.tools = [models.load(models.ToolDefinition, {**LOOSE, "strict": False})]
    assert "strict_tools" not in module.to_request(request)


def test_a_strict_body_without_a_required_parameter_goes_back_as_it_came(sample: Package) -> None:
    tool = {"type": "function", "function": {"name": "loose", "parameters": OPTIONAL}}
    body = {"model": "m", "messages": [HELLO], "tools": [tool], "strict_tools": True}
    assert laws.write(sample, PROVIDER, laws.read(sample, PROVIDER, body)) == body


def test_a_declared_tool_that_must_be_strict_and_requires_nothing_is_an_error_of_the_build(tmp_path: Path) -> None:
    tool = {"name": "loose", "description": "Does it.", "parameters": OPTIONAL, "strict": "always"}
    findings = Findings()
    assert compile_project(write_project(tmp_path, (tool,), {}), findings, (PROVIDER,)) is None
    (error,) = [finding for finding in findings if finding.level == "error"]
    assert (error.code, "at least 1 of all properties must be required" in error.message) == ("tool-refused", True)


@pytest.mark.parametrize(
    ("choice", "offered", "choice_sent"),
    [
        ({"name": "now"}, ["now"], "REQUIRED"),
        ({"names": ["now", "get-time"], "mode": "required"}, ["now", "get_time"], "REQUIRED"),
        ({"names": ["now"], "mode": "auto"}, ["now"], None),
        ({"name": "elsewhere"}, ["get_weather", "now", "get_time"], None),
    ],
)
def test_a_weakened_choice_offers_what_it_names(
    sample: Package, models: Any, choice: Any, offered: Any, choice_sent: Any
) -> None:
    tools = [WEATHER, {"name": "now"}, {"name": "get-time"}]
    request = {"messages": [HELLO], "tools": tools, "toolChoice": choice}
    with pytest.raises(models.ConversionError):
        sample.provider(PROVIDER).to_request(models.load(models.Request, request))
    body, losses = written(sample, models, request)
    names = [tool["function"]["name"] for tool in body["tools"]]
    assert len(names) == len(offered)
    assert [name.startswith(start) for name, start in zip(names, offered, strict=True)] == [True] * len(names)
    assert body.get("tool_choice") == choice_sent
    assert ("toolChoice", "dropped", "behaviour") in losses
    assert (("tools", "narrowed", "note") in losses) == (len(offered) < 3)


@pytest.mark.parametrize(
    ("wire", "neutral"),
    [
        ({"type": "enabled", "token_budget": 512}, {"budgetTokens": 512}),
        ({"type": "disabled"}, {"effort": "none"}),
        ({"type": "enabled"}, None),
        ({"token_budget": 512}, {"budgetTokens": 512}),
        ({"type": "disabled", "token_budget": 5}, {"effort": "none", "budgetTokens": 5}),
        ({"type": "enabled", "token_budget": 512, "x": 1}, {"budgetTokens": 512}),
    ],
)
def test_how_much_to_think(sample: Package, models: Any, wire: Any, neutral: Any) -> None:
    body = {"model": "m", "messages": [HELLO], "thinking": wire}
    request = laws.read(sample, PROVIDER, body)
    assert request.reasoning == (None if neutral is None else models.load(models.Reasoning, neutral))
    assert laws.write(sample, PROVIDER, request) == body
    request.reasoning = None
    assert laws.write(sample, PROVIDER, request).get("thinking") == (wire if neutral is None else None)
    request.reasoning = models.Reasoning(budget_tokens=7)
    unread = {key: value for key, value in wire.items() if key == "x"}
    assert laws.write(sample, PROVIDER, request)["thinking"] == {"type": "enabled", "token_budget": 7, **unread}


def test_an_effort_has_no_place(sample: Package, models: Any) -> None:
    body, losses = written(sample, models, {"messages": [HELLO], "reasoning": {"effort": "low"}})
    assert ("thinking" in body, losses) == (False, [("reasoning.effort", "dropped", "warning")])
    both = {"effort": "none", "budgetTokens": 9}
    body, losses = written(sample, models, {"messages": [HELLO], "reasoning": both})
    assert (body["thinking"], losses) == ({"type": "disabled"}, [("reasoning.budgetTokens", "dropped", "note")])


def test_a_schema_keeps_its_key(sample: Package, models: Any) -> None:
    for extra in ({"schema": {"type": "object"}}, {"json_schema": {"type": "object"}, "x": 1}, {"x": 1}, {}):
        body = {"model": "m", "messages": [HELLO], "response_format": {"type": "json_object", **extra}}
        request = laws.read(sample, PROVIDER, body)
        is_schema = type(request.output_format) is models.OutputSchema
        assert is_schema == bool(extra.keys() & {"schema", "json_schema"})
        assert is_schema or request.output_format == "json"
        assert laws.write(sample, PROVIDER, request) == body
        request.output_format = "text"
        assert "response_format" not in laws.write(sample, PROVIDER, request)


def test_what_the_client_has_no_keyword_for_goes_by_its_options(sample: Package) -> None:
    body = {"model": "m", "messages": [HELLO], "stream": True, "x_new": {"a": 1}}
    request = laws.read(sample, PROVIDER, body)
    assert sample.provider(PROVIDER).to_sdk(request) == {
        "model": "m",
        "messages": [HELLO],
        "request_options": {"additional_body_parameters": {"x_new": {"a": 1}}},
    }


def started(**message: Any) -> dict[str, Any]:
    return {"type": "message-start", "id": "i", "delta": {"message": {"role": "assistant", **message}}}


def piece(kind: str, index: int, **message: Any) -> dict[str, Any]:
    return {"type": kind, "index": index, "delta": {"message": message}}


END = {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}}


def test_events_out_of_step_are_joined(sample: Package) -> None:
    """Starts that were lost, a start that has text or arguments already, calls whose pieces alternate."""
    head = {**CALL, "function": {"name": "now", "arguments": '{"a'}}
    events = [
        started(),
        piece("content-delta", 1, content={"text": "b"}),
        piece("content-delta", 0, content={"thinking": "T"}),
        piece("content-start", 2, content=text("c")),
        piece("tool-call-start", 0, tool_calls=head),
        piece("tool-call-start", 1, tool_calls={**head, "id": "now_2"}),
        piece("tool-call-delta", 1, tool_calls={"function": {"arguments": '":2}'}}),
        piece("tool-call-delta", 0, tool_calls={"function": {"arguments": '":1}'}}),
        END,
    ]
    completion, emitted = laws.played(sample, PROVIDER, events)
    assert [c.arguments for c in laws.calls_of(sample, completion)] == [{"a": 1}, {"a": 2}]
    assert laws.joined(completion, "TextPart") == "bc"
    assert laws.joined(completion, "ReasoningPart") == "T"
    laws.adds_up(sample, completion, emitted)


def test_a_message_may_start_with_something_in_it(sample: Package) -> None:
    events = [started(tool_plan="P", content=[text("x")], tool_calls=[CALL], citations=[{"start": 0}]), END]
    completion, emitted = laws.played(sample, PROVIDER, events)
    assert laws.joined(completion, "ReasoningPart") == "P"
    assert completion.message.metadata == {"cohere": {"citations": [{"start": 0}]}}
    assert completion.finish_reason == "tool_calls"
    laws.adds_up(sample, completion, emitted)


def test_probabilities_of_a_stream_are_those_of_the_response(sample: Package) -> None:
    body = {"id": "i", "finish_reason": "COMPLETE", "message": {"role": "assistant", "content": [text("ab")]}}
    events = split(body)
    probabilities = [{"token_ids": [1], "logprobs": [-0.5]}, {"token_ids": [2], "logprobs": [-0.25]}]
    delta = next(event for event in events if event["type"] == "content-delta")
    at = events.index(delta)
    halves = (
        {"logprobs": p, "delta": {"message": {"content": {"text": t}}}}
        for t, p in zip("ab", probabilities, strict=True)
    )
    events[at : at + 1] = [{**delta, **half} for half in halves]
    completion, _ = laws.played(sample, PROVIDER, events)
    assert sample.provider(PROVIDER).to_response(completion) == {**body, "logprobs": probabilities}


def test_a_call_of_another_kind_in_a_stream_stays_opaque(sample: Package, models: Any) -> None:
    odd = {"id": "x", "type": "x_kind", "x_kind": 1}
    events = [started(), piece("tool-call-start", 0, tool_calls=odd), piece("tool-call-start", 1, tool_calls=CALL), END]
    events.insert(2, piece("tool-call-delta", 0, tool_calls={"function": {"arguments": "{}"}}))
    completion, emitted = laws.played(sample, PROVIDER, events)
    assert [type(part) for part in completion.message.content] == [models.OpaquePart, models.ToolCallPart]
    laws.adds_up(sample, completion, emitted)


def test_an_error_at_the_end_is_told_and_holds_the_calls(sample: Package) -> None:
    delta = {"finish_reason": "ERROR", "error": "no good", "usage": {}}
    events = [started(), piece("tool-call-start", 0, tool_calls=CALL), {"type": "message-end", "delta": delta}]
    completion, emitted = laws.played(sample, PROVIDER, events)
    assert [e.message for e in emitted if type(e).__name__ == "ErrorEvent"] == ["no good"]
    assert completion.finish_reason == "error"
    assert [c.invalid.reason for c in laws.calls_of(sample, completion)] == ["truncated"]
    assert sample.provider(PROVIDER).to_response(completion)["error"] == "no good"


def test_a_writer_sends_pieces_in_the_clients_order(sample: Package, models: Any) -> None:
    """Blocks end before calls begin; the last event says what the pieces do not, and no more than that."""
    body = {
        "id": "i",
        "finish_reason": "TOOL_CALL",
        "message": {"role": "assistant", "content": [text("Hm.")], "tool_calls": [CALL]},
    }
    _, emitted = laws.played(sample, PROVIDER, split(body))
    sent = laws.written(sample, PROVIDER, emitted, id="i")
    assert [e["type"] for e in sent] == [
        "message-start", "content-start", "content-delta", "content-end",
        "tool-call-start", "tool-call-delta", "tool-call-end", "message-end",
    ]  # fmt: skip
    assert sent[-1] == {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}}
    planned = {**body, "message": {"role": "assistant", "tool_plan": "P", "tool_calls": [CALL]}}
    completion, emitted = laws.played(sample, PROVIDER, split(planned))
    assert laws.written(sample, PROVIDER, emitted, id="i")[-1]["delta"]["message"] == planned["message"]
    whole = laws.written(sample, PROVIDER, [models.CompletedEvent(completion)], id="i")
    assert [e["type"] for e in whole[1:3]] == ["tool-plan-delta", "tool-call-start"]
    assert "message" not in whole[-1]["delta"]


@pytest.mark.parametrize("provider", [PROVIDER, "bedrock"])
def test_a_temperature_above_one_is_lowered(sample: Package, models: Any, provider: str) -> None:
    def temperature_sent(temperature: float | None) -> tuple[Any, list[Any]]:
        losses: list[Any] = []
        request = models.load(models.Request, {"messages": [HELLO], "temperature": temperature})
        body = laws.write(sample, provider, request, losses)
        lost = [(loss.path, loss.action, loss.severity) for loss in losses]
        return body.get("inferenceConfig", body).get("temperature"), lost

    assert temperature_sent(None) == (None, [])
    assert [temperature_sent(value) for value in (0, 0.3, 1, 1.0)] == [(value, []) for value in (0, 0.3, 1, 1.0)]
    assert temperature_sent(1.5) == (1, [("temperature", "narrowed", "warning")])
    body: Any = {"messages": [], "temperature": 1.5}
    if provider == "bedrock":
        body = {"messages": [], "inferenceConfig": {"temperature": 1.5}}
    request = laws.read(sample, provider, body)
    assert laws.exact(laws.write(sample, provider, request)) == laws.exact(body)
    request.temperature = None
    assert laws.write(sample, provider, request) == {"messages": []}


def test_sampling_settings_outside_their_range_become_the_nearest_inside(sample: Package, models: Any) -> None:
    losses: list[Any] = []
    settings = {"topK": 501, "frequencyPenalty": -0.5, "presencePenalty": 2}
    body = laws.write(sample, PROVIDER, models.load(models.Request, {"messages": [HELLO], **settings}), losses)
    assert (body["k"], body["frequency_penalty"], body["presence_penalty"]) == (500, 0, 1)
    assert [(loss.path, loss.what, loss.action, loss.severity) for loss in losses] == [
        (field, field, "narrowed", "warning") for field in settings
    ]


def test_at_most_five_texts_stop(sample: Package, models: Any) -> None:
    losses: list[Any] = []
    request = models.load(models.Request, {"messages": [HELLO], "stop": list("abcdef")})
    assert laws.write(sample, PROVIDER, request, losses)["stop_sequences"] == list("abcde")
    assert [(loss.path, loss.action, loss.severity) for loss in losses] == [("stop", "narrowed", "warning")]
    request.stop = list("abcde")
    assert laws.write(sample, PROVIDER, request, losses)["stop_sequences"] == list("abcde")
    assert len(losses) == 1
    for stop in (list("abcdef"), "a", ["a"], []):
        body = {"messages": [], "stop_sequences": stop}
        read = laws.read(sample, PROVIDER, body)
        assert laws.exact(laws.write(sample, PROVIDER, read)) == laws.exact(body)
        read.stop = None
        assert laws.write(sample, PROVIDER, read) == {"messages": []}


def test_a_call_ends_before_the_next_one_starts(sample: Package, models: Any) -> None:
    calls = [{**CALL, "id": f"c{n}"} for n in range(2)]
    body = {"id": "i", "finish_reason": "TOOL_CALL", "message": {"role": "assistant", "tool_calls": calls}}
    completion, emitted = laws.played(sample, PROVIDER, split(body))
    for events in (emitted, [models.CompletedEvent(completion)]):
        sent = [event for event in laws.written(sample, PROVIDER, events, id="i") if "index" in event]
        kinds = [(event["index"], event["type"].removeprefix("tool-call-")) for event in sent]
        assert kinds == [(index, kind) for index in (0, 1) for kind in ("start", "delta", "end")]


@pytest.mark.parametrize("blank", ["", " \n", [{"type": "text", "text": " "}]])
@pytest.mark.parametrize("role", ["system", "user", "assistant"])
def test_a_blank_turn_is_left_out_unless_it_was_read(sample: Package, models: Any, role: str, blank: Any) -> None:
    losses: list[Any] = []
    request = models.load(models.Request, {"messages": [{"role": role, "content": blank}, HELLO], "model": "m"})
    assert laws.write(sample, PROVIDER, request, losses) == {"model": "m", "messages": [HELLO]}
    assert (losses[-1].path, losses[-1].action) == ("messages[0]", "dropped")
    laws.body_comes_back(sample, PROVIDER, {"model": "m", "messages": [{"role": role, "content": blank}, HELLO]})


def test_each_object_of_an_output_schema_requires_a_property(sample: Package, models: Any) -> None:
    inner = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}, "m": {"type": "string"}}}
    schema = {"type": "object", "properties": {"a": inner, "b": {"type": "array", "items": inner}}, "required": ["b"]}
    losses: list[Any] = []
    request = models.load(models.Request, {"messages": [HELLO], "outputFormat": {"schema": schema}, "model": "m"})
    sent = laws.write(sample, PROVIDER, request, losses)
    whole = {
        "type": "object",
        "properties": {"n": {"type": "integer", "description": "At least 1."}, "m": {"type": "string"}},
        "required": ["n"],
    }
    properties = {"a": whole, "b": {"type": "array", "items": whole}}
    expected = {"type": "object", "properties": properties, "required": ["b"]}
    assert sent["response_format"] == {"type": "json_object", "schema": expected}
    assert ("outputFormat.schema", "required", "narrowed") in [(loss.path, loss.what, loss.action) for loss in losses]
    read = {"model": "m", "messages": [HELLO], "response_format": {"type": "json_object", "schema": schema}}
    laws.body_comes_back(sample, PROVIDER, read)


def test_an_output_format_is_not_sent_beside_documents(sample: Package) -> None:
    request = laws.read(sample, PROVIDER, {"model": "m", "messages": [HELLO], "documents": ["d"]})
    request.output_format = "json"
    losses: list[Any] = []
    assert "response_format" not in laws.write(sample, PROVIDER, request, losses)
    assert [(loss.path, loss.action) for loss in losses] == [("outputFormat", "dropped")]


@pytest.mark.parametrize("provider", [PROVIDER, "anthropic", "bedrock", "openai_chat"])
def test_an_output_schema_without_objects_is_reported(sample: Package, models: Any, provider: str) -> None:
    schema = {"schema": {"type": "array", "items": {"type": "string"}}, "strict": True}
    losses: list[Any] = []
    laws.write(sample, provider, models.load(models.Request, {"messages": [HELLO], "outputFormat": schema}), losses)
    assert ("outputFormat.schema.type", "narrowed", "warning") in [
        (loss.path, loss.action, loss.severity) for loss in losses
    ]
