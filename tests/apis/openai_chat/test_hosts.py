"""What only the servers that speak Chat Completions have: reasoning beside the content, defects, and hosts as data."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.apis.openai_chat.chunks import CALLS, FORMS, WITHOUT_IDS, chunk, in_turn
from tests.providers import laws
from tests.support.every_row import over
from tests.support.generated import Package
from tests.support.places import put
from tests.support.repository import CONVERSING, PROFILES, extended, table

PROVIDER = "openai_compatible"
HOSTS = [name for name in PROFILES if extended(name) == PROVIDER]
SECRET = "c2lnLTE+/w=="
DETAILS = [
    {"type": "reasoning.text", "text": "Hm.", "signature": SECRET, "format": "anthropic-claude-v1", "index": 0},
    {"type": "reasoning.encrypted", "data": SECRET, "id": "call_1", "index": 1},
    {"type": "x_detail", "x": [1, None]},
]
CALL = {"id": "call_1", "type": "function", "function": {"name": "now", "arguments": "{}"}}
each_host = pytest.mark.parametrize("host", HOSTS)


def response(**message: Any) -> Any:
    body = put(
        table(PROVIDER)["response"], ["choices", 0, "message"], {"role": "assistant", "content": "Hi", **message}
    )
    return put(body, ["choices", 0, "finish_reason"], "tool_calls" if message.get("tool_calls") else "stop")


def asked(*messages: Any) -> Any:
    return {"model": "m", "messages": [{"role": "user", "content": "Begin."}, *messages]}


def reasoning(completion: Any) -> Any:
    (part,) = [p for p in completion.message.content if type(p).__name__ == "ReasoningPart"]
    return part


SPELLINGS: list[tuple[dict[str, Any], str]] = [
    ({"reasoning_content": "Hm."}, "Hm."),
    ({"reasoning": "Hm."}, "Hm."),
    ({"reasoning": "Hm.", "reasoning_content": None}, "Hm."),
    ({"reasoning": "", "reasoning_content": "Hm."}, "Hm."),
    ({"reasoning": "Hm.", "reasoning_content": "Hm."}, "Hm."),
    ({"reasoning_content": "Hm.", "reasoning": "In other words."}, "Hm."),
    ({"reasoning_details": DETAILS}, "Hm."),
    ({"reasoning_details": DETAILS[1:]}, ""),
    ({"reasoning": "Hm.", "reasoning_details": DETAILS}, "Hm."),
    ({"reasoning": "In short.", "reasoning_details": DETAILS}, "In short."),
    ({"reasoning_details": DETAILS, "reasoning": "In short."}, "Hm."),
    ({"reasoning": None, "reasoning_details": DETAILS[1:]}, ""),
]


@pytest.mark.parametrize(("keys", "text"), SPELLINGS, ids=range(len(SPELLINGS)))
@over("calls", [{}, {"tool_calls": [CALL]}])
def test_reasoning_comes_back_under_its_keys(sample: Package, keys: Any, text: str, calls: Any) -> None:
    body = response(**keys, **calls)
    completion = laws.completion_of(sample, PROVIDER, body)
    assert reasoning(completion).text == text
    laws.response_comes_back(sample, PROVIDER, body)
    sent, _ = laws.next_request(sample, PROVIDER, completion)
    for key, value in keys.items():
        assert laws.exact(sent["messages"][1][key]) == laws.exact(value)
    laws.body_comes_back(sample, PROVIDER, sent)
    laws.request_comes_back(sample, PROVIDER, laws.read(sample, PROVIDER, sent))


@each_host
def test_arguments_that_are_null_come_back(sample: Package, host: str) -> None:
    body = response(content=None, tool_calls=[{**CALL, "function": {"name": "now", "arguments": None}}])
    completion = laws.completion_of(sample, host, body)
    (call,) = [part.call for part in completion.message.content]
    assert (call.arguments, call.invalid) == ({}, None)
    assert call.metadata == {host: {"function": {"arguments": None}}}
    laws.response_comes_back(sample, host, body)


@each_host
def test_a_result_without_an_id_is_that_of_the_next_call(sample: Package, models: Any, host: str) -> None:
    module, losses = sample.provider(host), []
    calls = [{**CALL, "id": f"call_{i}", "function": {**CALL["function"], "name": f"tool_{i}"}} for i in range(3)]
    results = [{"tool_call_id": "call_1", "content": "b"}, {"content": "a"}, {"tool_call_id": None, "content": "c"}]
    body = asked({"role": "assistant", "content": None, "tool_calls": calls}, *({"role": "tool", **r} for r in results))
    request = module.from_request(body)
    read = [result for message in request.messages[2:] for result in message.results]
    assert [(r.tool_call_id, r.name) for r in read] == [(f"call_{i}", f"tool_{i}") for i in (1, 0, 2)]
    assert (module.to_request(request, on_loss=losses.append)["messages"], losses) == (body["messages"], [])
    with pytest.raises(models.ConversionError, match="tool_call_id"):
        module.from_request(asked({"role": "tool", "content": "a"}))


@pytest.mark.parametrize("keys", [{"reasoning": ""}, {"reasoning_details": []}, {"reasoning_content": None}])
def test_empty_reasoning_is_no_part_and_comes_back(sample: Package, keys: Any) -> None:
    completion = laws.completion_of(sample, PROVIDER, response(**keys))
    assert completion.message.content == "Hi"
    laws.response_comes_back(sample, PROVIDER, response(**keys))


@pytest.mark.parametrize("keys", [{"reasoning": 7}, {"reasoning_content": ["a"]}, {"reasoning_details": "a"}])
def test_reasoning_of_a_wrong_type_is_a_fault_at_its_place(sample: Package, models: Any, keys: Any) -> None:
    with pytest.raises(models.ConversionError, match=rf"choices\[0\]\.message\.{next(iter(keys))}\b"):
        laws.completion_of(sample, PROVIDER, response(**keys))


@pytest.mark.parametrize("keys", [keys for keys, text in SPELLINGS if text])
def test_what_is_said_of_an_edited_text_is_left_out(sample: Package, keys: Any) -> None:
    completion = laws.completion_of(sample, "openrouter", response(**keys))
    reasoning(completion).text = "Edited."
    sent, _ = laws.next_request(sample, "openrouter", completion)
    message = sent["messages"][1]
    assert [v for k, v in message.items() if k.startswith("reasoning") and v] == ["Edited."]
    assert SECRET not in laws.exact(sent)


@over("target", CONVERSING)
@pytest.mark.parametrize("host", [PROVIDER, *HOSTS])
def test_what_a_host_made_opaque_stays_at_home(sample: Package, models: Any, host: str, target: str) -> None:
    """Its words may go on, under the key of the next host; the rest is left out, and that is told."""
    body = response(reasoning="Hm.", reasoning_content="Hm.", reasoning_details=DETAILS, tool_calls=[CALL])
    completion, losses = laws.completion_of(sample, host, body), []
    assert reasoning(completion).text == "Hm."
    result = models.ToolMessage([models.ToolResult("call_1", "now", "text", "noon")])
    request = models.Request([models.UserMessage("Begin."), completion.message, result], model="m")
    sent = laws.write(sample, target, request, losses)
    if host == target:
        assert laws.exact(sent["messages"][1]["reasoning_details"]) == laws.exact(DETAILS)
        return
    assert SECRET not in laws.exact(sent)
    assert "x_detail" not in laws.exact(sent)
    assert any(loss.path.startswith("messages[1]") for loss in losses)
    if target in HOSTS:
        key = table(target)["beyond_sdk"][0]
        assert sent["messages"][1][key] == "Hm."


@each_host
def test_reasoning_from_elsewhere_goes_under_the_hosts_key(sample: Package, models: Any, host: str) -> None:
    parts = [models.ReasoningPart("One."), models.ReasoningPart("Two."), models.TextPart("Hi")]
    request = models.Request([models.UserMessage("Begin."), models.AssistantMessage(parts)], model="m")
    losses: list[Any] = []
    sent = laws.write(sample, host, request, losses)
    assert sent["messages"][1] == {"role": "assistant", "content": "Hi", table(host)["beyond_sdk"][0]: "One.Two."}
    assert [(loss.path, loss.action) for loss in losses] == [("messages[1].content[1]", "moved")]
    sent = laws.write(sample, PROVIDER, request, losses)
    assert sent["messages"][1] == {"role": "assistant", "content": "Hi"}
    assert [loss.path for loss in losses[-2:]] == ["messages[1].content[0]", "messages[1].content[1]"]


@pytest.mark.parametrize("thought", [{}, {"reasoning_content": ""}, {"reasoning_content": "Hm."}])
def test_a_key_that_is_demanded_beside_calls_is_there(sample: Package, models: Any, thought: Any) -> None:
    """What came without it goes back without; what came from elsewhere gets it."""
    result = {"role": "tool", "tool_call_id": "call_1", "content": "noon"}
    body = asked({"role": "assistant", "content": None, "tool_calls": [CALL], **thought}, result)
    laws.body_comes_back(sample, "deepseek", body)
    foreign = laws.read(
        sample, "openai_chat", asked({"role": "assistant", "content": None, "tool_calls": [CALL]}, result)
    )
    assert laws.write(sample, "deepseek", foreign)["messages"][1]["reasoning_content"] == ""
    plain = models.Request([models.AssistantMessage("Hi")], model="m")
    assert "reasoning_content" not in laws.write(sample, "deepseek", plain)["messages"][0]


USAGE = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}


@pytest.mark.parametrize(
    "place", [["usage"], ["x_groq", "usage"], ["choices", 0, "usage"]], ids=lambda place: str(place[0])
)
def test_usage_is_found_where_it_stands(sample: Package, place: list[Any]) -> None:
    body = response()
    if place[0] == "x_groq":
        body["x_groq"] = {"id": "req"}
    body = put(body, place, USAGE)
    completion = laws.completion_of(sample, PROVIDER, body)
    assert (completion.usage.input_tokens, completion.usage.output_tokens) == (3, 4)
    laws.response_comes_back(sample, PROVIDER, body)
    completion.usage.output_tokens = 5
    assert sample.provider(PROVIDER).to_response(completion)["usage"]["completion_tokens"] == 5


@pytest.mark.parametrize("place", [["error"], ["x_groq"], ["choices", 0, "error"]], ids=lambda place: str(place[0]))
def test_an_error_is_found_where_it_stands(sample: Package, place: list[Any]) -> None:
    error = {"message": "too busy", "code": 502}
    value = {"error": error} if place == ["x_groq"] else error
    body = put(response(tool_calls=[CALL]), place, value)
    completion = laws.completion_of(sample, PROVIDER, body)
    assert completion.finish_reason == "error"
    assert laws.calls_of(sample, completion)[0].invalid.reason == "truncated"
    laws.response_comes_back(sample, PROVIDER, body)
    last = put(chunk({"content": "Hal"}), place, value)
    completion, emitted = laws.played(sample, PROVIDER, [chunk({"role": "assistant"}), last])
    assert [type(e).__name__ for e in emitted] == ["TextDelta", "ErrorEvent", "CompletedEvent"]
    assert (emitted[1].message, completion.finish_reason) == ("too busy", "error")


def test_content_that_the_host_parsed_is_text_here_and_an_object_there(sample: Package) -> None:
    body = response(content={"name": "Ada", "age": 36})
    completion = laws.completion_of(sample, PROVIDER, body)
    assert completion.message.content == '{"name":"Ada","age":36}'
    laws.response_comes_back(sample, PROVIDER, body)
    assert laws.next_request(sample, PROVIDER, completion)[0]["messages"][1]["content"] == completion.message.content
    completion.message.content = '{"name":"Bob"}'
    assert sample.provider(PROVIDER).to_response(completion)["choices"][0]["message"]["content"] == '{"name":"Bob"}'


@pytest.mark.parametrize("streaming", [False, True])
def test_arguments_that_are_an_object_go_back_as_text(sample: Package, streaming: bool) -> None:
    call = {**CALL, "function": {"name": "now", "arguments": {"a": {"b": 1}}}}
    if streaming:
        events = [chunk({"tool_calls": [{"index": 0, **call}]}, "tool_calls")]
        completion, emitted = laws.played(sample, PROVIDER, events)
        laws.adds_up(sample, completion, emitted)
    else:
        completion = laws.completion_of(sample, PROVIDER, response(tool_calls=[call]))
    assert [c.arguments for c in laws.calls_of(sample, completion)] == [{"a": {"b": 1}}]
    sent, _ = laws.next_request(sample, PROVIDER, completion)
    assert sent["messages"][1]["tool_calls"][0]["function"]["arguments"] == '{"a":{"b":1}}'


def test_values_of_zero_are_nothing(sample: Package) -> None:
    """One gateway fills in every member that it does not have."""
    call = {**CALL, "custom": {"input": "", "name": ""}}
    body = response(refusal="", function_call={"name": "", "arguments": ""}, tool_calls=[call])
    body = put(body, ["choices", 0, "finish_reason"], "")
    completion = laws.completion_of(sample, PROVIDER, body)
    assert [type(p).__name__ for p in completion.message.content] == ["TextPart", "ToolCallPart"]
    assert (completion.finish_reason, completion.stop_reason) == ("tool_calls", None)
    laws.response_comes_back(sample, PROVIDER, body)


@over("cut", [0, 1, 5])
@pytest.mark.parametrize("form", FORMS)
def test_calls_in_every_form_are_the_same_calls(sample: Package, form: str, cut: int) -> None:
    events = [chunk({"role": "assistant", "reasoning": "Hm."}), *in_turn(form, cut), chunk(reason="tool_calls")]
    completion, emitted = laws.played(sample, PROVIDER, events)
    ids = ["call_0_0", "call_0_1", "call_0_2"] if form in WITHOUT_IDS else [c[0] for c in CALLS]
    calls_read = [(c.id, c.name, c.arguments) for c in laws.calls_of(sample, completion)]
    assert calls_read == [(i, name, json.loads(text)) for i, (_, name, text) in zip(ids, CALLS, strict=True)]
    laws.adds_up(sample, completion, emitted)


def test_fragments_of_a_detail_are_joined_and_details_stay_apart(sample: Package) -> None:
    def detail(kind: str, index: Any, **more: Any) -> Any:
        return chunk({"reasoning_details": [{"type": f"reasoning.{kind}", "index": index, **more}]})

    events = [
        detail("text", 0, text="Let ", format="f"),
        detail("text", 0, text="me", signature=""),
        detail("text", 0, signature=SECRET),
        detail("encrypted", 0, data="AA", id="call_1"),
        detail("encrypted", 0, data="BB", id="call_2"),
        detail("encrypted", 0, data="CC"),
        detail("summary", None, summary=" see"),
        detail("summary", None, summary="."),
        chunk({"content": "Hi"}, "stop"),
    ]
    completion, emitted = laws.played(sample, PROVIDER, events)
    assert reasoning(completion).text == "Let me see."
    assert reasoning(completion).metadata[PROVIDER]["reasoning_details"] == [
        {"type": "reasoning.text", "index": 0, "text": "Let me", "format": "f", "signature": SECRET},
        {"type": "reasoning.encrypted", "index": 0, "data": "AA", "id": "call_1"},
        {"type": "reasoning.encrypted", "index": 0, "data": "BBCC", "id": "call_2"},
        {"type": "reasoning.summary", "index": None, "summary": " see"},
        {"type": "reasoning.summary", "index": None, "summary": "."},
    ]
    laws.adds_up(sample, completion, emitted)


def test_text_that_is_said_twice_is_told_once(sample: Package) -> None:
    deltas = [{"reasoning_details": [{"type": "reasoning.text", "text": t, "index": 0}], "reasoning": t} for t in "ab"]
    completion, emitted = laws.played(sample, PROVIDER, [*map(chunk, deltas), chunk({"content": "Hi"}, "stop")])
    assert [e.text for e in emitted if type(e).__name__ == "ReasoningDelta"] == ["a", "b"]
    assert reasoning(completion).text == "ab"


def test_usage_on_its_own_ends_a_stream_that_gives_no_reason(sample: Package) -> None:
    texts = [chunk({"role": "assistant"}), chunk({"content": "Hal"})]
    end = {**chunk(), "choices": [], "usage": USAGE}
    completion, emitted = laws.played(sample, PROVIDER, [*texts, end])
    assert (completion.finish_reason, type(emitted[-2]).__name__) == ("other", "TextDelta")
    completion, emitted = laws.played(sample, PROVIDER, [*texts, end, chunk({"content": "lo"})])
    assert (completion.finish_reason, type(emitted[-2]).__name__) == ("error", "ErrorEvent")
    completion, _ = laws.played(sample, PROVIDER, [end])
    assert completion.finish_reason == "error"


def test_members_of_several_chunks_are_kept(sample: Package) -> None:
    first, last = chunk({"content": "Hi"}, x_groq={"id": "req"}), chunk(reason="stop", x_groq={"usage": USAGE})
    completion, _ = laws.played(sample, PROVIDER, [first, last])
    assert completion.metadata[PROVIDER]["x_groq"] == {"id": "req", "usage": USAGE}
    assert completion.usage.total_tokens == 7


@pytest.mark.parametrize("text", ["", " ", "{", "[1]", '{"a":1,"a":2}', '{ "a": 1 }'])
def test_a_server_that_parses_arguments_gets_an_object(sample: Package, text: str) -> None:
    call = {**CALL, "function": {"name": "now", "arguments": text}}
    request, losses = laws.read(sample, "vllm", asked({"role": "assistant", "content": None, "tool_calls": [call]})), []
    sent = laws.write(sample, "vllm", request, losses)["messages"][1]["tool_calls"][0]["function"]["arguments"]
    whole = text.strip() == "" or text == '{ "a": 1 }'
    assert json.loads(sent) == (json.loads(text.strip() or "{}") if whole else {"INVALID_JSON": text})
    assert [loss.action for loss in losses] == ([] if whole else ["rewritten"])


def test_a_response_of_a_server_that_parses_arguments_has_them_as_the_model_wrote_them(sample: Package) -> None:
    for text in ('{"zone": "Eur', "[1]", ""):
        body = response(content=None, tool_calls=[{**CALL, "function": {"name": "now", "arguments": text}}])
        losses: list[Any] = []
        completion = laws.completion_of(sample, "vllm", body)
        written = sample.provider("vllm").to_response(completion, on_loss=losses.append)
        assert (written, losses) == (body, [])


@pytest.mark.parametrize(
    ("value", "effort", "budget"),
    [
        ({"effort": "low"}, "low", None),
        ({"max_tokens": 2000, "exclude": True}, None, 2000),
        ({"effort": None, "max_tokens": 9}, None, 9),
    ],
)
def test_how_much_to_think_is_a_word_or_a_number(sample: Package, value: Any, effort: Any, budget: Any) -> None:
    body = {**asked(), "reasoning": value}
    request = laws.read(sample, "openrouter", body)
    assert (request.reasoning.effort, request.reasoning.budget_tokens) == (effort, budget)
    laws.body_comes_back(sample, "openrouter", body)


@pytest.mark.parametrize("value", [None, {}, {"enabled": True}])
def test_a_switch_for_thinking_is_kept(sample: Package, value: Any) -> None:
    assert laws.read(sample, "openrouter", {**asked(), "reasoning": value}).reasoning is None
    laws.body_comes_back(sample, "openrouter", {**asked(), "reasoning": value})


@pytest.mark.parametrize("value", ["low", {"effort": 1}, {"max_tokens": "1"}])
def test_how_much_to_think_of_a_wrong_type_is_refused(sample: Package, models: Any, value: Any) -> None:
    with pytest.raises(models.ConversionError, match="reasoning"):
        laws.read(sample, "openrouter", {**asked(), "reasoning": value})


@pytest.mark.parametrize("identifier", ["functions.add:0", "x" * 51])
def test_an_id_that_the_server_gave_goes_back_to_it(sample: Package, identifier: str) -> None:
    completion = laws.completion_of(sample, PROVIDER, response(tool_calls=[{**CALL, "id": identifier}]))
    sent, _ = laws.next_request(sample, PROVIDER, completion)
    assert (sent["messages"][1]["tool_calls"][0]["id"], sent["messages"][2]["tool_call_id"]) == (identifier, identifier)
    elsewhere = laws.bare(completion)
    sent, _ = laws.next_request(sample, PROVIDER, elsewhere)
    assert sent["messages"][1]["tool_calls"][0]["id"] == sent["messages"][2]["tool_call_id"] != identifier


STRICT = {
    "type": "object",
    "properties": {
        "a": {"type": "string", "format": "ipv4", "pattern": "^1"},
        "b": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
    },
    "required": ["a", "b"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("provider", "dropped"),
    [
        ("openai_chat", []),
        (PROVIDER, []),
        ("deepseek", ["b.maxItems"]),
        ("azure", ["a.format", "a.pattern", "b.maxItems"]),
    ],
)
def test_a_strict_tool_is_lowered_as_the_host_takes_it(
    sample: Package, models: Any, provider: str, dropped: list[str]
) -> None:
    losses: list[Any] = []
    tool = models.ToolDefinition("t", parameters=STRICT, strict=True)
    (entry,) = sample.provider(provider).to_tools([tool], on_loss=losses.append)
    assert [loss.path.split("properties.")[-1] for loss in losses if loss.what != "a schema"] == dropped
    properties = entry["function"]["parameters"]["properties"]
    present = [f"{name}.{key}" for name in STRICT["properties"] for key in properties[name] if key != "description"]
    assert set(present) == {f"{n}.{k}" for n, s in STRICT["properties"].items() for k in s} - set(dropped)


@pytest.mark.parametrize("strict", [True, False])
def test_vllm_gets_one_form_of_a_tool_and_enforces_it_if_it_is_strict(
    sample: Package, models: Any, strict: bool
) -> None:
    """Not the form of OpenAI's strict mode, which cannot have maps and makes every property required."""
    parameters = {
        "type": "object",
        "properties": {
            "path": {"type": "string", "format": "path"},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "tree": {"$ref": "#"},
            "anything": {},
        },
        "required": ["path"],
    }
    tool = models.ToolDefinition("t", parameters=parameters, strict=strict)
    (entry,) = sample.provider("vllm").to_tools([tool], on_loss=lambda loss: None)
    sent = entry["function"]
    ((name, root),) = sent["parameters"].pop("$defs").items()
    assert (sent["strict"], sent["parameters"]) == (strict, root)
    assert root == {
        **parameters,
        "properties": {
            **parameters["properties"],
            "path": {"type": "string", "description": "Format: path."},
            "tree": {"$ref": f"#/$defs/{name}"},
        },
    }


def test_tools_that_leave_it_open_are_strict_for_vllm(sample: Package) -> None:
    assert {
        entry["function"]["name"]: entry["function"]["strict"]
        for entry in sample.provider("vllm").TOOLS
        if "parameters" in entry["function"]
    } == {"get_weather": True, "orders-place": True}


@pytest.mark.parametrize("provider", [PROVIDER, *HOSTS])
def test_a_role_that_not_every_server_knows_goes_back_but_is_not_made_up(
    sample: Package, models: Any, provider: str
) -> None:
    body = {"model": "m", "messages": [{"role": "developer", "content": "Be brief."}]}
    laws.body_comes_back(sample, provider, body)
    plain = models.Request([models.SystemMessage("Be brief.")], model="m")
    assert laws.write(sample, provider, plain)["messages"] == [{"role": "system", "content": "Be brief."}]


@pytest.mark.parametrize("native", ["length", "max_tokens", "MAX_TOKENS", "max_output_tokens"])
def test_a_cut_that_only_the_model_behind_a_gateway_tells_cuts_the_call(sample: Package, native: str) -> None:
    cut = {**CALL, "function": {"name": "now", "arguments": '{"zone": "Eur'}}
    body = put(response(content=None, tool_calls=[cut]), ["choices", 0, "native_finish_reason"], native)
    completion = laws.completion_of(sample, PROVIDER, body)
    assert (completion.finish_reason, completion.stop_reason) == ("length", "tool_calls")
    (part,) = completion.message.content
    assert part.call.invalid.reason == "truncated"
    assert sample.provider(PROVIDER).to_response(completion) == body
    stream = [chunk({"tool_calls": [{"index": 0, **cut}]}), chunk(reason="tool_calls")]
    stream[-1]["choices"][0]["native_finish_reason"] = native
    completion, emitted = laws.played(sample, PROVIDER, stream)
    assert completion.finish_reason == "length"
    assert completion.message.content[0].call.invalid.reason == "truncated"
    assert [event for event in emitted if type(event).__name__ == "ToolCallEvent"] == []


def test_another_reason_of_the_model_behind_a_gateway_decides_nothing(sample: Package) -> None:
    for native in ("STOP", "tool_use", None, 1):
        body = put(response(content=None, tool_calls=[CALL]), ["choices", 0, "native_finish_reason"], native)
        assert laws.completion_of(sample, PROVIDER, body).finish_reason == "tool_calls"
    for word, reason in (("content_filter", "content_filter"), ("x_reason", "other"), (None, "other")):
        body = put(response(), ["choices", 0], {**response()["choices"][0], "native_finish_reason": "length"})
        body = put(body, ["choices", 0, "finish_reason"], word)
        assert laws.completion_of(sample, PROVIDER, body).finish_reason == reason


@pytest.mark.parametrize("empty", [{}, {"reasoning_content": None}, {"reasoning_content": ""}], ids=str)
def test_calls_without_reasoning_are_sent_with_the_key_that_a_host_needs(sample: Package, empty: Any) -> None:
    body = response(content="", tool_calls=[CALL], **empty)
    completion = laws.completion_of(sample, "deepseek", body)
    laws.response_comes_back(sample, "deepseek", body)
    sent, _ = laws.next_request(sample, "deepseek", completion)
    assert sent["messages"][1]["reasoning_content"] == ""


def test_an_empty_list_of_details_is_not_sent(sample: Package) -> None:
    for reasoning_text in (None, "Hm."):
        body = response(reasoning=reasoning_text, reasoning_details=[])
        completion = laws.completion_of(sample, "openrouter", body)
        laws.response_comes_back(sample, "openrouter", body)
        sent, _ = laws.next_request(sample, "openrouter", completion)
        assert "reasoning_details" not in sent["messages"][1]


def test_items_of_a_streamed_list_are_joined_by_their_index(sample: Package) -> None:
    run = {"index": 0, "type": "search", "arguments": '{"query":"x"}', "search_results": {"results": []}}
    second = {"index": 1, "type": "python", "arguments": "{}"}
    whole = {**run, "output": "Found.", "search_results": {"results": [{"url": "u"}]}}
    stream = sample.provider("groq").Stream()
    for delta in ({"executed_tools": [run]}, {"executed_tools": [whole, second]}, {"content": "Hi"}):
        stream.feed(chunk(delta))
    stream.feed(chunk({}, "stop"))
    stream.finish()
    assert stream.result().message.metadata == {"groq": {"executed_tools": [whole, second]}}
    texts = sample.provider("azure").Stream()
    for text in ("H", "m."):
        texts.feed(chunk({"reasoning_details": [{"index": 0, "type": "reasoning.text", "text": text}]}))
    (detail,) = texts.result().message.metadata["azure"]["reasoning_details"]
    assert detail["text"] == "Hm."


LEVELS = {
    "xai": {"none": "low", "minimal": "low", "low": "low", "medium": "medium", "xhigh": "xhigh", "max": "xhigh"},
    "groq": {"none": "none", "minimal": "low", "medium": "medium", "xhigh": "high", "max": "high"},
    "deepseek": {"none": None, "minimal": "low", "medium": "high", "high": "high", "xhigh": "max", "max": "max"},
}


@pytest.mark.parametrize(("host", "effort"), [(host, effort) for host, levels in LEVELS.items() for effort in levels])
def test_a_host_gets_one_of_its_levels(sample: Package, models: Any, host: str, effort: str) -> None:
    request, losses = models.Request([models.UserMessage("Hi")], model="m", reasoning=models.Reasoning(effort)), []
    body = laws.write(sample, host, request, losses)
    level = LEVELS[host][effort]
    assert body.get("reasoning_effort") == level
    assert body.get("thinking") == ({"type": "disabled"} if level is None else None)
    assert [loss.path for loss in losses] == (["reasoning.effort"] if level not in (None, effort) else [])
    laws.body_comes_back(sample, host, body)
    laws.body_comes_back(sample, host, {**asked(), "reasoning_effort": effort})


@pytest.mark.parametrize(
    ("keys", "effort"),
    [
        ({"thinking": {"type": "disabled"}}, "none"),
        ({"thinking": {"type": "disabled"}, "reasoning_effort": None}, "none"),
        ({"thinking": {"type": "disabled"}, "reasoning_effort": "max"}, "max"),
        ({"thinking": {"type": "enabled"}}, None),
        ({"thinking": None}, None),
    ],
)
def test_thinking_that_is_switched_off_is_no_effort(sample: Package, models: Any, keys: Any, effort: Any) -> None:
    laws.body_comes_back(sample, "deepseek", asked() | keys)
    request = laws.read(sample, "deepseek", asked() | keys)
    assert (request.reasoning and request.reasoning.effort) == effort
    request.reasoning = models.Reasoning("low")
    body = laws.write(sample, "deepseek", request)
    assert (body["reasoning_effort"], body.get("thinking")) == ("low", keys["thinking"] if effort != "none" else None)


def test_models_that_reason_get_no_stop_sequences_of_xai(sample: Package, models: Any) -> None:
    reasoning, losses = models.Reasoning("high"), []
    request = models.Request([models.UserMessage("Hi")], model="m", stop=["a"], reasoning=reasoning)
    body = laws.write(sample, "xai", request, losses)
    assert "stop" not in body
    assert [(loss.path, loss.severity) for loss in losses] == [("stop", "warning")]
    for stop in ("a", ["a"], ["a"] * 5, [], None):
        laws.body_comes_back(sample, "xai", {**body, "stop": stop})


def test_models_that_reason_get_no_penalties_of_xai(sample: Package, models: Any) -> None:
    request = models.Request([models.UserMessage("Hi")], frequency_penalty=0.5, presence_penalty=0)
    plain = laws.write(sample, "xai", request)
    assert (plain["frequency_penalty"], plain["presence_penalty"]) == (0.5, 0)
    request.reasoning, losses = models.Reasoning("high"), []
    body = laws.write(sample, "xai", request, losses)
    assert body.keys().isdisjoint(plain.keys() - {"messages"})
    assert [(loss.path, loss.severity) for loss in losses] == [
        ("frequencyPenalty", "warning"),
        ("presencePenalty", "note"),
    ]
    laws.body_comes_back(sample, "xai", {**body, "frequency_penalty": 0.5, "presence_penalty": None})


@pytest.mark.parametrize("text", ["{", "[]", "7", '{"a": 1, "a": 2}'])
@pytest.mark.parametrize("host", ["openai_compatible", "groq", "deepseek"])
def test_text_that_is_no_object_goes_back_to_its_own_server_alone(
    sample: Package, models: Any, host: str, text: str
) -> None:
    call = {**CALL, "function": {"name": "now", "arguments": text}}
    body = response(content=None, tool_calls=[call])
    completion = laws.completion_of(sample, host, body)
    laws.response_comes_back(sample, host, body)
    sent, _ = laws.next_request(sample, host, completion)
    assert sent["messages"][1]["tool_calls"][0]["function"]["arguments"] == text
    laws.body_comes_back(sample, host, sent)
    losses: list[Any] = []
    foreign = models.Request([models.UserMessage("Begin."), completion.message], model="m")
    sent = laws.write(sample, "xai", foreign, losses)
    assert json.loads(sent["messages"][1]["tool_calls"][0]["function"]["arguments"]) == {"INVALID_JSON": text}
    path = "messages[1].content[0].call"
    assert (path, "the text of an invalid call") in [(loss.path, loss.what) for loss in losses]


def test_a_strict_tool_beside_another_is_reported_where_all_must_be_strict(sample: Package, models: Any) -> None:
    schema = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    tools = [models.ToolDefinition(name, parameters=schema, strict=name != "c" or None) for name in "abc"]
    for host, offered, paths in (
        ("deepseek", tools, ["[0].strict", "[1].strict"]),
        ("deepseek", tools[:2], []),
        ("deepseek", tools[2:], []),
        ("openrouter", tools, []),
    ):
        losses: list[Any] = []
        sample.provider(host).to_tools(offered, on_loss=losses.append)
        assert [loss.path for loss in losses if loss.severity == "warning"] == paths
