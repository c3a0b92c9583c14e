"""The wire of plain texts: the laws on its composed exchanges, histories handed to it, and what its table says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.providers import laws
from tests.support.every_row import grouped, over
from tests.support.generated import Package
from tests.support.recorded import history
from tests.support.repository import OWN_CODE, recordings, table
from tests.support.requests import CONVERSATIONS, HELLO, PAIR, SCENARIOS, WEATHER, result
from tests.support.wires import WIRES

PROVIDER = "prompt"
RECORDINGS = recordings(PROVIDER)
WIRE = WIRES[PROVIDER]

each_recording = over("recording", {recording["id"]: recording for recording in RECORDINGS})

REQUEST_LAWS: list[Callable[[Package, str, Any], None]] = [
    laws.pure,
    laws.body_comes_back,
    laws.bare_request_comes_back,
    laws.body_has_legal_types,
    laws.body_keeps_order,
    laws.unknown_is_kept,
]
RESPONSE_LAWS: list[Callable[[Package, str, Any], None]] = [
    laws.response_is_read,
    laws.stream_says_what_the_whole_says,
    laws.response_comes_back,
    laws.unknown_in_a_response_is_kept,
]
STREAM_LAWS: list[Callable[[Package, str, Any], None]] = [
    laws.stream_is_read,
    laws.stream_comes_back,
    laws.unknown_in_a_stream_changes_nothing,
    laws.cut_anywhere,
]


def named(law: Callable[..., None]) -> str:
    return law.__name__


@pytest.mark.parametrize("law", REQUEST_LAWS, ids=named)
@each_recording
def test_laws_of_requests(sample: Package, recording: Any, law: Callable[[Package, str, Any], None]) -> None:
    law(sample, PROVIDER, recording["request"])


@each_recording
def test_law_2_a_request_comes_back(sample: Package, recording: Any) -> None:
    laws.request_comes_back(sample, PROVIDER, laws.read(sample, PROVIDER, recording["request"]))


@pytest.mark.parametrize("law", RESPONSE_LAWS, ids=named)
@each_recording
def test_laws_of_responses(sample: Package, recording: Any, law: Callable[[Package, str, Any], None]) -> None:
    law(sample, PROVIDER, recording["response"])


@pytest.mark.parametrize("law", STREAM_LAWS, ids=named)
@each_recording
def test_laws_of_streams(sample: Package, recording: Any, law: Callable[[Package, str, Any], None]) -> None:
    law(sample, PROVIDER, recording["events"] or WIRE.split(recording["response"]))


@each_recording
def test_a_response_goes_back(sample: Package, recording: Any) -> None:
    completion = laws.completion_of(sample, PROVIDER, recording["response"])
    if not any(call.invalid for call in laws.calls_of(sample, completion)):
        laws.completion_goes_back(sample, PROVIDER, completion, WIRE.read_response(recording["response"]))


HISTORIES = [
    pytest.param(source, target, recording["request"], id=f"{source}-{target}-{recording['id']}")
    for source, target in [
        *((name, PROVIDER) for name in OWN_CODE),
        *((PROVIDER, name) for name in OWN_CODE),
    ]
    for recording in history(source)[:20]
]


@grouped("source, target, body", HISTORIES)
def test_law_6_a_history_goes_from_and_to_every_wire(sample: Package, source: str, target: str, body: Any) -> None:
    laws.hand_over(sample, source, target, body)


@each_recording
def test_a_stream_passes_a_gateway(sample: Package, recording: Any) -> None:
    """Calls that cannot be run are told in each wire's own way; they have tests of their own."""
    events = recording["events"] or WIRE.split(recording["response"])
    calls = laws.calls_of(sample, laws.completion_of(sample, PROVIDER, recording["response"]))
    for target in OWN_CODE if not any(call.invalid for call in calls) else ():
        laws.stream_passes_a_gateway(sample, PROVIDER, target, events)


@pytest.mark.parametrize("body", WIRE.foreign({"model": "m", "messages": []}))
def test_law_5_unknown_kinds_come_back(sample: Package, body: Any) -> None:
    laws.body_comes_back(sample, PROVIDER, body)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_law_4_scenarios_are_texts_in_order(sample: Package, models: Any, scenario: str) -> None:
    body = laws.write(sample, PROVIDER, models.load(models.Request, SCENARIOS[scenario]))
    assert WIRE.type_faults(body) + WIRE.order_faults(body) == []


@pytest.mark.parametrize("scenario", [name for name in SCENARIOS if name != "everything"])
def test_law_2_scenarios_come_back(sample: Package, models: Any, scenario: str) -> None:
    """A choice that is what silence means is not said."""
    request = {key: value for key, value in SCENARIOS[scenario].items() if value != "auto"}
    laws.request_comes_back(sample, PROVIDER, models.load(models.Request, request))


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_conversations_are_spelled_as_the_table_says(sample: Package, models: Any, name: str) -> None:
    row, losses = table(PROVIDER)["conversations"][name], []
    request = models.load(models.Request, {"messages": CONVERSATIONS[name]})
    assert laws.write(sample, PROVIDER, request, losses) == {"messages": row["wire"]}
    assert [loss.path for loss in losses] == row["lost"]


@pytest.mark.parametrize("kind", ["text", "data", "error", "multimodal"])
def test_a_result_is_what_the_user_says(sample: Package, models: Any, kind: str) -> None:
    row, module = table(PROVIDER)["results"][kind], sample.provider(PROVIDER)
    messages = [HELLO, {"role": "assistant", "content": PAIR[:1]}]
    messages.append({"role": "tool", "results": [result("call_a", "get_weather", kind, row["value"])]})
    request = models.load(models.Request, {"messages": messages})
    body = module.to_request(request)
    assert body["messages"][2] == {"role": "user", "content": row["wire"]}
    assert module.to_tool_result(request.messages[2].results[0]) == row["wire"]
    assert module.from_request(body) == request


def test_tools_are_text_in_front_of_what_the_system_says(sample: Package, models: Any) -> None:
    module = sample.provider(PROVIDER)
    request = models.load(
        models.Request, {"messages": [{"role": "system", "content": "Be brief."}], "tools": [WEATHER]}
    )
    (message,) = module.to_request(request)["messages"]
    text = module.to_tools(request.tools)
    assert message == {"role": "system", "content": f"{text}\nBe brief."}
    assert all(laws.exact(WEATHER[key])[1:-1] in text.replace('":"', '": "') for key in ("name", "description"))
    assert '"parameters":{"type":"object"' in text
    assert module.from_tools(text) == request.tools
    assert module.from_request({"messages": [message]}) == request


def test_tools_that_may_not_be_called_are_left_out(sample: Package, models: Any) -> None:
    module = sample.provider(PROVIDER)
    tools = [WEATHER, {"name": "now"}]
    for choice, offered in (("none", []), ({"names": ["now"]}, ["now"]), ("auto", ["get_weather", "now"])):
        request = models.load(models.Request, {"messages": [HELLO], "tools": tools, "toolChoice": choice})
        losses: list[Any] = []
        body = module.to_request(request, on_loss=losses.append)
        assert [tool.name for tool in module.from_request(body).tools or []] == offered
        assert ("toolChoice" in [loss.path for loss in losses]) == (choice != "auto")
    for key, value in (("toolChoice", "required"), ("parallelToolCalls", False)):
        with pytest.raises(models.ConversionError, match="weaken"):
            module.to_request(models.load(models.Request, {"messages": [HELLO], "tools": tools, key: value}))


@pytest.mark.parametrize("role", ["system", "user"])
def test_texts_that_look_like_ours_do_not_come_back_as_more(sample: Package, models: Any, role: str) -> None:
    """A user who writes results has said words, and a system text that lists tools offers none."""
    module, losses = sample.provider(PROVIDER), []
    text = {"system": module.TOOLS, "user": table(PROVIDER)["results"]["text"]["wire"]}[role]
    request = models.load(models.Request, {"messages": [{"role": role, "content": text}]})
    back = module.from_request(module.to_request(request, on_loss=losses.append))
    assert (back.tools, type(back.messages[0]), back.messages[0].content) == (
        None,
        type(request.messages[0]),
        " " + text,
    )
    assert [(loss.path, loss.severity) for loss in losses] == [("messages[0].content", "warning")]


@pytest.mark.parametrize(
    "text",
    [
        '```tool\n{"name":"now","arguments":{}}\n```',
        'See:\n```json\n{"name": "now", "arguments": {}}\n```',
        '<tool_call>{"name": "now", "arguments": {}}</tool_call>',
        '{"name": "now", "arguments": {}}',
    ],
)
def test_words_that_look_like_a_call_do_not_become_one(sample: Package, models: Any, text: str) -> None:
    module, losses = sample.provider(PROVIDER), []
    body = module.to_request(models.Request([models.AssistantMessage(text)]), on_loss=losses.append)
    (message,) = module.from_request(body).messages
    assert type(message.content) is str
    assert message.content.replace("    ", "") == text
    assert [loss.path for loss in losses] == ["messages[0].content"]


def test_words_before_a_call_do_not_hide_it(sample: Package, models: Any) -> None:
    module, call = sample.provider(PROVIDER), models.ToolCall("a", "now", {})
    message = models.AssistantMessage([models.TextPart("````\nopen"), models.ToolCallPart(call)])
    body = module.to_request(models.Request([message]), on_loss=lambda loss: None)
    assert laws.calls_of(sample, module.from_response(body["messages"][0])) == [call]


def test_an_edited_message_goes_out_edited(sample: Package, models: Any) -> None:
    module = sample.provider(PROVIDER)
    body = {"messages": [{"role": "assistant", "content": '```json\n{"name": "now", "args": {}}\n```'}]}
    request = module.from_request(body)
    request.messages[0].content[0].call.arguments = {"a": 1}
    written = module.to_request(request)["messages"][0]["content"]
    assert written == '```tool\n{"name":"now","arguments":{"a":1}}\n```'


def test_a_call_keeps_its_result_when_the_history_is_cut(sample: Package, models: Any) -> None:
    recording = next(r for r in RECORDINGS if r["id"].endswith("-other-spellings"))
    module = sample.provider(PROVIDER)
    request = module.from_request(recording["request"])
    request.messages = request.messages[3:]
    back = module.from_request(module.to_request(request))
    assert back.messages[0].content[0].call.id == back.messages[1].results[0].tool_call_id == "call_1_0"


def test_a_text_is_parsed_with_the_declared_tools_or_those_given(package: Package) -> None:
    module, models = package.provider(PROVIDER), package.module("models")
    text = '```json\n{"name": "getWeather", "arguments": {"city": "Oslo"}}\n```'
    (part,) = module.parse_text(text).content
    assert (part.call.name, part.call.id) == ("get_weather", "call_0_0")
    assert part.call.metadata[PROVIDER]["$synthetic"] == "call_0_0"
    assert module.parse_text(text, [models.ToolDefinition("now")]).content == text
    assert module.parse_text(text, untrusted=[text]).content[0].call.invalid.reason == "untrusted"
    completion = module.from_response("No call.")
    assert (completion.message.content, completion.finish_reason) == ("No call.", "stop")


@pytest.mark.parametrize("names", [(), ("get_weather",), ("write_file",)], ids=["nothing", "the tool", "another tool"])
def test_an_alias_means_its_tool_whichever_tools_are_given(package: Package, names: tuple[str, ...]) -> None:
    module, definitions = package.provider(PROVIDER), package.module("tools").DEFINITIONS
    tools = [definitions[name] for name in names]
    text = '{"tool": "weather", "args": {"city": "Oslo"}}'
    messages = [{"role": "user", "content": "Hm."}, {"role": "assistant", "content": text}]
    stream = module.Stream(tools=tools)
    emitted = [event.name for event in stream.feed(text) + stream.finish() if event.type == "tool_call_delta"]
    messages_read = [
        module.from_response(text, tools=tools).message,
        stream.result().message,
        list(module.iter_events([text], tools=tools))[-1].completion.message,
        module.from_request({"messages": messages}, tools=tools).messages[1],
        *([module.parse_text(text, tools)] if "get_weather" in names else []),
    ]
    assert {part.call.name for message in messages_read for part in message.content} == {"get_weather"}
    assert [call.name for call in module.from_tool_calls(text, tools=tools)] == ["get_weather"]
    assert set(emitted) - {None} == {"get_weather"}


def test_a_bare_error_is_no_response(sample: Package, models: Any) -> None:
    with pytest.raises(models.ConversionError, match="from_error"):
        sample.provider(PROVIDER).from_response(table(PROVIDER)["bare_error"])


@pytest.mark.parametrize("value", [None, 7, ["x"], {"content": 7}, {"content": ["x"]}])
def test_what_is_no_text_is_refused(sample: Package, models: Any, value: Any) -> None:
    module = sample.provider(PROVIDER)
    for read in (module.from_response, module.from_tools):
        with pytest.raises(models.ConversionError):
            read(value)
    assert module.Stream().finish(ValueError())[-1].completion.finish_reason == "error"
    if isinstance(value, dict):
        stream = module.Stream()
        assert [event.type for event in [*stream.feed(value), *stream.finish()]] == ["error", "completed"]
    with pytest.raises(models.ConversionError):
        module.from_request({"messages": [{"role": "user", "content": value}]})


def test_the_client_gets_the_body_as_arguments(sample: Package, models: Any) -> None:
    module, request = sample.provider(PROVIDER), models.Request([models.UserMessage("Hi")], model="m")
    assert module.to_sdk(request) == module.to_request(request)
    assert module.to_sdk(request).keys() == {"messages", "model"}


@pytest.mark.parametrize(("reason", "fault"), [("length", "truncated"), ("content_filter", "filtered")])
def test_a_call_that_was_cut_off_is_no_call_in_the_text(sample: Package, models: Any, reason: str, fault: str) -> None:
    module, losses = sample.provider(PROVIDER), []
    call = models.ToolCall("call_1", "now", {"a": 1}, models.InvalidCall('{"a":1}', fault))
    message = models.AssistantMessage([models.TextPart("Well."), models.ToolCallPart(call)])
    written = module.to_response(models.Completion(message, reason), on_loss=losses.append)
    assert laws.calls_of(sample, module.from_response(written)) == []
    assert written == "Well."
    assert ("message.content[1]", "dropped", "warning") in [(loss.path, loss.action, loss.severity) for loss in losses]


def test_a_stream_that_failed_is_written_up_to_the_failure(sample: Package, models: Any) -> None:
    losses: list[Any] = []
    writer = sample.provider(PROVIDER).StreamWriter(on_loss=losses.append)
    call = models.ToolCall("call_1", "now", {}, models.InvalidCall('{"a":', "truncated"))
    message = models.AssistantMessage([models.TextPart("Well."), models.ToolCallPart(call)])
    events = [
        models.TextDelta("Well."),
        models.ToolCallDelta(0, "call_1", "now", '{"a":'),
        models.ErrorEvent("gone"),
        models.CompletedEvent(models.Completion(message, "error")),
    ]
    assert [piece for event in events for piece in writer.write(event)] == ["Well."]
    assert writer.finish() == []
    assert "an error" in [loss.what for loss in losses]


@pytest.mark.parametrize("identifier", ["null", "None"])
def test_an_id_that_stands_for_none_elsewhere_is_an_id_in_text(sample: Package, models: Any, identifier: str) -> None:
    module, call = sample.provider("prompt"), models.ToolCall(identifier, "now", {})
    messages = [
        models.UserMessage("Hi"),
        models.AssistantMessage([models.ToolCallPart(call)]),
        models.ToolMessage([models.ToolResult(identifier, "now", "text", "noon")]),
    ]
    body = module.to_request(models.Request(messages, model="m"))
    read = module.from_request(body)
    assert (read.messages[1].content[0].call.id, read.messages[2].results[0].tool_call_id) == (identifier, identifier)
    assert module.to_request(read) == body
    completion = models.Completion(messages[1], "tool_calls")
    stream = module.Stream()
    stream.feed(module.to_response(completion))
    stream.finish()
    assert [c.id for c in module.from_tool_calls(module.to_response(completion))] == [identifier]
    assert [part.call.id for part in stream.result().message.content] == [identifier]
