"""GitHub Copilot alone: a session of the official client with a runtime of ours, streams, and responses of every form."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from copilot import CopilotClient, RuntimeConnection
from copilot.generated.session_events import SessionEvent
from copilot.tools import Tool, ToolBinaryResult, ToolInvocation, ToolResult

from tests.providers import laws
from tests.support.every_row import over
from tests.support.generated import Package
from tests.support.repository import recordings
from tests.support.wires.copilot import event_faults, event_of, result_faults, tool_faults
from toolgen_runtime.apis.copilot.tool_requests import without_pending_state

PROVIDER = "copilot"
STREAMS = [r for r in recordings(PROVIDER) if r["events"] is not None]
each_stream = over("recording", {recording["id"]: recording for recording in STREAMS})


def stream_of(name: str) -> Any:
    return next(r for r in STREAMS if r["id"].endswith(f"-{name}"))["events"]


def heard(module: Any, events: list[Any]) -> list[Any]:
    return list(module.iter_events(iter(events)))


def of(kind: str, events: list[Any]) -> list[Any]:
    return [event for event in events if event.type == kind]


class Runtime:
    """A runtime on loopback: JSON-RPC with lengths in front. `script` gives the events that follow a request."""

    def __init__(self, script: Callable[[str, Any], list[Any]]) -> None:
        self.script = script
        self.heard: list[tuple[str, Any]] = []
        self.done = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        def send(message: Any) -> None:
            body = json.dumps({"jsonrpc": "2.0", **message}).encode()
            writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

        while head := await reader.readline():
            await reader.readline()
            request = json.loads(await reader.readexactly(int(head.split(b":")[1])))
            method, params = request["method"], request.get("params", {})
            self.heard.append((method, params))
            result: dict[str, Any] = {"success": True, "ok": True, "version": "1", "protocolVersion": 3}
            if method == "session.create":
                result = {"sessionId": params["sessionId"]}
            elif method == "session.send":
                result = {"messageId": "u1"}
            send({"id": request["id"], "result": result})
            for event in self.script(method, params):
                params_of = {"sessionId": params["sessionId"], "event": event}
                send({"method": "session.event", "params": params_of})
        writer.close()
        await writer.wait_closed()
        self.done.set()


async def in_session(runtime: Runtime, tools: list[Tool], handle: Callable[[Any, SessionEvent], Any]) -> None:
    """Send a prompt and hear what follows until the session is idle."""
    server = await asyncio.start_server(runtime.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    client = CopilotClient(connection=RuntimeConnection.for_uri(f"127.0.0.1:{port}"))
    idle = asyncio.Event()
    tasks: set[asyncio.Task[Any]] = set()
    try:
        session = await client.create_session(tools=tools, streaming=True)

        def take(event: SessionEvent) -> None:
            work = handle(session, event)
            if work is not None:
                tasks.add(asyncio.ensure_future(work))
            if event.type.value == "session.idle":
                idle.set()

        session.on(take)
        await session.send("Go.")
        await asyncio.wait_for(idle.wait(), 20)
        await asyncio.gather(*tasks)
    finally:
        await client.stop()
        await asyncio.wait_for(runtime.done.wait(), 20)
        server.close()
        await server.wait_closed()


def scripted(events: list[Any]) -> Callable[[str, Any], list[Any]]:
    """Events up to the request for a tool after the prompt, and the others after its result."""
    asked = next(i for i, event in enumerate(events) if event["type"] == "external_tool.requested") + 1
    parts = {"session.send": events[:asked], "session.tools.handlePendingToolCall": events[asked:]}
    return lambda method, params: parts.get(method, [])


def test_the_official_client_lists_our_tools_and_takes_the_result_of_a_request(sample: Package, models: Any) -> None:
    """The app sends the result itself, through the client's typed call."""
    from copilot.generated.rpc import HandlePendingToolCallRequest

    module = sample.provider(PROVIDER)
    stream, emitted = module.Stream(), []
    tools = [Tool(**module.to_sdk(d)) for d in module.from_tools(module.TOOLS)]

    def handle(session: Any, event: SessionEvent) -> Any:
        events = stream.feed(event)
        emitted.extend(events)
        for call in (emitted_event.call for emitted_event in events if type(emitted_event) is models.ToolCallEvent):
            result = models.ToolResult(call.id, call.name, "data", {"degrees": 7})
            params = HandlePendingToolCallRequest.from_dict(module.to_tool_result(result, calls=[call]))
            return session.rpc.tools.handle_pending_tool_call(params)
        return None

    runtime = Runtime(scripted(stream_of("text")))
    asyncio.run(in_session(runtime, tools, handle))
    sent = dict(runtime.heard)
    assert laws.exact(sent["session.create"]["tools"]) == laws.exact(module.TOOLS)
    result = sent["session.tools.handlePendingToolCall"]
    assert {key: result[key] for key in ("requestId", "result")} == {"requestId": "r1", "result": '{"degrees":7}'}
    events = [*emitted, *stream.finish()]
    assert "".join(e.text for e in of("text_delta", events)) == "It is 7 degrees and it rains."
    assert events[-1].completion.finish_reason == "stop"
    assert "error" not in {e.type for e in events}


def test_a_handler_of_the_official_client_reads_its_invocation(sample: Package, models: Any) -> None:
    """The client sends what the handler returns."""
    module, calls = sample.provider(PROVIDER), []

    def handler(invocation: ToolInvocation) -> ToolResult:
        calls.append(module.from_tool_call(invocation))
        return ToolResult("A map:", binary_results_for_llm=[ToolBinaryResult("AA==", "image/png", "image", "map")])

    definition = models.ToolDefinition("get_weather", parameters={"properties": {"city": {"type": "string"}}})
    runtime = Runtime(scripted(stream_of("text")))
    tool = Tool(**module.to_sdk(definition), handler=handler)
    asyncio.run(in_session(runtime, [tool], lambda session, event: None))
    sent = dict(runtime.heard)
    assert sent["session.create"]["tools"] == module.to_tools([definition])
    assert [(c.id, c.name, c.arguments, c.metadata["copilot"]["requestId"]) for c in calls] == [
        ("call_1", "get_weather", {"city": "Oslo"}, "r1")
    ]
    result = module.from_tool_result(sent["session.tools.handlePendingToolCall"], "call_1", "get_weather")
    image = models.ImagePart(data="AA==", media_type="image/png", name="map")
    assert (result.kind, result.value) == ("multimodal", [models.TextPart("A map:"), image])


@each_stream
def test_events_are_those_that_the_clients_types_know(recording: Any) -> None:
    assert [fault for event in recording["events"] for fault in event_faults(event)] == []


@each_stream
def test_events_add_up_to_the_result(sample: Package, recording: Any) -> None:
    module = sample.provider(PROVIDER)
    events = heard(module, recording["events"])
    assert [event.type for event in events].count("completed") == 1
    completion = events[-1].completion
    content = completion.message.content
    parts = content if isinstance(content, list) else []
    text = "".join(part.text for part in parts if part.type == "text") if parts else content or ""
    assert "".join(e.text for e in of("text_delta", events)) == text
    thoughts = "".join(part.text for part in parts if part.type == "reasoning")
    assert "".join(e.text for e in of("reasoning_delta", events)) == thoughts
    whole = "broken" not in recording["tags"] and "failed" not in recording["tags"]
    assert (of("error", events) == []) == whole
    if whole:
        calls = [part.call for part in parts if part.type == "tool_call"]
        assert [e.call for e in of("tool_call", events)] == calls


@each_stream
def test_the_clients_objects_say_the_same(sample: Package, models: Any, recording: Any) -> None:
    """As far as the client's types keep what they read: the time is spelled otherwise."""
    module = sample.provider(PROVIDER)

    def dumped(events: list[Any]) -> Any:
        text = json.dumps([models.dump(event) for event in heard(module, events)], sort_keys=True)
        return text.replace("+00:00", "Z")

    assert dumped([event_of(event) for event in recording["events"]]) == dumped(recording["events"])


@each_stream
def test_what_nobody_knows_changes_nothing_and_is_kept(sample: Package, models: Any, recording: Any) -> None:
    module = sample.provider(PROVIDER)
    added = [{**e, "data": {**e["data"], "xUnknown": {"a": None}}} for e in recording["events"]]
    plain, extended = heard(module, recording["events"]), heard(module, added)
    assert [e.type for e in extended] == [e.type for e in plain]
    bare = [laws.bare(models.load(type(e), models.dump(e))) for e in extended[:-1]]
    assert bare == [laws.bare(models.load(type(e), models.dump(e))) for e in plain[:-1]]
    for event in added:
        if event["type"] == "assistant.message":
            assert module.to_response(module.from_response(event)) == event


@each_stream
def test_half_of_a_stream_has_what_came(sample: Package, models: Any, recording: Any) -> None:
    module = sample.provider(PROVIDER)
    for cut in range(len(recording["events"])):
        stream = module.Stream()
        for event in recording["events"][:cut]:
            stream.feed(event)
        before = stream.result()
        events = stream.finish(ConnectionError("gone"))
        after = events[-1].completion
        assert (before.finish_reason != "error") or "failed" in recording["tags"]
        assert after.finish_reason in ("error", "content_filter")
        assert of("tool_call", events) == []
        assert stream.finish() == []


@each_stream
def test_a_response_is_written_as_it_was_read(sample: Package, recording: Any) -> None:
    module = sample.provider(PROVIDER)
    for event in recording["events"]:
        if event["type"] == "assistant.message":
            for wire in (event, event["data"]):
                completion = module.from_response(wire)
                assert laws.exact(module.to_response(completion)) == laws.exact(wire)
            content = completion.message.content
            parts = content if isinstance(content, list) else []
            assert module.from_tool_calls(event) == [part.call for part in parts if part.type == "tool_call"]
            assert module.from_response(event_of(event)).message == module.from_response(event).message


def test_a_call_is_told_when_the_app_is_asked_for_it(sample: Package, models: Any) -> None:
    module, events = sample.provider(PROVIDER), stream_of("several-tools")
    stream = module.Stream()
    emitted = [(event["type"], stream.feed(event)) for event in events]
    asked = [batches for kind, batches in emitted if kind == "external_tool.requested"]
    assert [[e.call.id for e in batch] for batch in asked] == [["call_1"], ["call_2"]]
    assert [batch[0].call.metadata["copilot"]["requestId"] for batch in asked] == ["r1", "r2"]
    deltas = [e for _, batch in emitted for e in of("tool_call_delta", batch)]
    assert [(e.index, e.id, e.name, e.arguments_delta) for e in deltas] == [
        (0, "call_1", "lookup_issue", None),
        (0, None, None, '{"id":"7"}'),
        (1, "call_2", "now", "{}"),
    ]
    assert stream.partial_arguments(0) == {"id": "7"}
    last = stream.finish()
    assert [e.type for e in last] == ["completed"]
    assert last[0].completion.finish_reason == "tool_calls"


def test_a_response_is_open_until_all_its_calls_wait(sample: Package) -> None:
    events = stream_of("several-tools")[:-1]
    events_heard = heard(sample.provider(PROVIDER), events)
    assert events_heard[-1].completion.finish_reason == "error"
    assert {p.call.invalid.reason for p in events_heard[-1].completion.message.content if p.type == "tool_call"} == {
        "truncated"
    }


def test_a_call_with_a_result_is_not_to_be_run_again(sample: Package) -> None:
    """A terminal tool ends the turn: nothing comes after its result."""
    module, events = sample.provider(PROVIDER), stream_of("failure")
    completed = [e for e in events if e["data"].get("messageId") != "m2"]
    assert heard(module, completed)[-1].completion.finish_reason == "stop"
    waiting = [e for e in completed if e["type"] != "external_tool.completed"]
    assert heard(module, waiting)[-1].completion.finish_reason == "tool_calls"


def test_what_the_agent_runs_itself_is_no_call(sample: Package, models: Any) -> None:
    completion = heard(sample.provider(PROVIDER), stream_of("sub-agent-and-own-tools"))[-1].completion
    assert [part.type for part in completion.message.content] == ["text", "opaque", "opaque", "opaque", "text"]
    assert completion.finish_reason == "stop"
    assert "inner" not in json.dumps(models.dump(completion))


ENDS = {
    "text": ("stop", "stop"),
    "event": ("tool_calls", None),
    "failure": ("stop", None),
    "reasoning": ("stop", "end_turn"),
    "cut": ("length", "length"),
    "cut-in-a-call": ("error", None),
    "filtered": ("content_filter", "stop"),
    "session-error": ("error", None),
    "abort": ("error", None),
    "unknown-event": ("stop", None),
}


@pytest.mark.parametrize("name", ENDS)
def test_why_a_response_ended(sample: Package, name: str) -> None:
    completion = heard(sample.provider(PROVIDER), stream_of(name))[-1].completion
    assert (completion.finish_reason, completion.stop_reason) == ENDS[name]


def test_a_response_costs_what_its_calls_of_the_model_cost(sample: Package) -> None:
    usage = heard(sample.provider(PROVIDER), stream_of("text"))[-1].completion.usage
    assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == (270, 29, 299)
    assert usage.input_cached_tokens == 64
    reasoning = heard(sample.provider(PROVIDER), stream_of("reasoning"))[-1].completion.usage
    assert (reasoning.output_tokens, reasoning.reasoning_tokens) == (30, 21)


def test_a_failure_says_what_it_was(sample: Package) -> None:
    module = sample.provider(PROVIDER)
    for name, message in (("session-error", "Too many requests"), ("abort", "aborted: user_initiated")):
        assert [e.message for e in of("error", heard(module, stream_of(name)))] == [message]
    completion = heard(module, stream_of("session-error"))[-1].completion
    assert completion.metadata["copilot"]["$session.error"]["errorType"] == "rate_limit"


FAILED = {"source": "top_level", "statusCode": 500, "errorMessage": "Overloaded"}
DONE = {"type": "session.idle", "data": {}}


@pytest.mark.parametrize(
    ("before", "failed", "after", "reason"),
    [
        ([], FAILED, [], "error"),
        ([], {"source": "top_level"}, [], "error"),
        ([], FAILED, ["said"], "stop"),
        (["said"], FAILED, [], "stop"),
        (["asks"], FAILED, [], "error"),
        ([], FAILED, ["asks"], "stop"),
        ([], {**FAILED, "source": "mcp_sampling"}, [], "stop"),
    ],
)
def test_a_failed_call_of_the_model_is_a_failure_unless_a_message_follows(
    sample: Package, before: list[str], failed: dict[str, Any], after: list[str], reason: str
) -> None:
    asked = [{"toolCallId": "c", "name": "t", "arguments": {}, "mcpServerName": "s"}]
    data = {"said": {"content": "Hi."}, "asks": {"content": "", "toolRequests": asked}}
    events_by_kind = {kind: {"type": "assistant.message", "data": {"messageId": kind, **data[kind]}} for kind in data}
    failure = {"type": "model.call_failure", "data": failed}
    events = [*(events_by_kind[kind] for kind in before), failure, *(events_by_kind[kind] for kind in after), DONE]
    events_heard = heard(sample.provider(PROVIDER), events)
    assert events_heard[-1].completion.finish_reason == reason
    messages = [failed.get("errorMessage", "a call of the model failed")] if reason == "error" else []
    assert [event.message for event in of("error", events_heard)] == messages


def test_pending_requests_are_read_as_a_list(sample: Package) -> None:
    module = sample.provider(PROVIDER)
    items = [r["call"] for r in recordings(PROVIDER) if "requestId" in r["call"]][:4]
    calls = module.from_tool_calls({"items": items})
    assert [module.to_tool_call(call) for call in calls] == items
    assert len({call.id for call in calls}) == len(calls)


def test_a_request_with_a_key_named_data_is_no_event(sample: Package) -> None:
    module = sample.provider(PROVIDER)
    wire = {"toolCallId": "c", "name": "t", "arguments": {"a": 1}, "data": {"toolCallId": "d", "name": "u"}}
    call = module.from_tool_call(wire)
    assert (call.id, call.name, call.arguments) == ("c", "t", {"a": 1})
    assert module.to_tool_call(call) == wire


def test_arguments_that_are_no_object_are_kept_and_not_run(sample: Package, models: Any) -> None:
    module = sample.provider(PROVIDER)
    for value, text in (("*** x", "*** x"), ([1], "[1]"), (7, "7"), (False, "false"), ('{"a":1}', '{"a":1}')):
        wire = {"requestId": "r1", "sessionId": "s", "toolCallId": "c", "toolName": "t", "arguments": value}
        call = module.from_tool_call(wire)
        assert (call.arguments, call.invalid) == ({}, models.InvalidCall(text, "not_an_object"))
        assert laws.exact(module.to_tool_call(call)) == laws.exact(wire)
    call = models.ToolCall("c", "t", {"a": 1}, models.InvalidCall('{"a": 1', "truncated"))
    with pytest.raises(models.ConversionError, match="the client would run it as it is"):
        module.to_tool_call(call)


def test_the_request_is_that_of_the_result_or_of_its_call(sample: Package, models: Any) -> None:
    module, losses = sample.provider(PROVIDER), []
    call = models.ToolCall("call_a", "now", {}, metadata={"copilot": {"requestId": "r5"}})
    second_call = models.ToolCall("call_b", "now", {}, metadata={"copilot": {"requestId": "r6"}})
    result = models.ToolResult("call_a", "now", "text", "x")
    assert module.to_tool_result(result, calls=[second_call, call]) == {"requestId": "r5", "result": "x"}
    assert module.to_tool_result(result, on_loss=losses.append) == {"requestId": "call_a", "result": "x"}
    assert [(loss.path, loss.action, loss.severity) for loss in losses] == [("metadata", "defaulted", "warning")]


def test_an_edited_result_does_not_say_the_old_text_again(sample: Package) -> None:
    module = sample.provider(PROVIDER)
    for name, gone in (("contents", "contents"), ("failure-with-log", "error")):
        wire = next(r["result"] for r in recordings(PROVIDER) if r["id"].endswith(f"-{name}"))
        result = module.from_tool_result(wire, "c", "t")
        result.value = "new"
        written = module.to_tool_result(result)["result"]
        assert written.keys() == wire["result"].keys() - {gone}
        assert written["textResultForLlm"] == "new"
        result.kind = "error" if result.kind == "text" else "text"
        assert module.to_tool_result(result)["result"]["resultType"] != wire["result"]["resultType"]


def test_parts_of_a_result_go_into_their_places(sample: Package, models: Any) -> None:
    module, losses = sample.provider(PROVIDER), []
    parts = [
        models.ImagePart(data="AA=="),
        models.TextPart("a"),
        models.ImagePart(url="data:image/gif;base64,AA=="),
        models.ImagePart(url="https://example.com/a.png"),
        models.DocumentPart(data="AA=="),
        models.TextPart("b"),
    ]
    own = {"copilot": {"requestId": "r"}}
    result = models.ToolResult("c", "t", "multimodal", parts, metadata=own)
    wire = module.to_tool_result(result, on_loss=losses.append)
    assert result_faults(wire) == []
    assert wire["result"]["textResultForLlm"] == "a\n[image: https://example.com/a.png]\nb"
    assert wire["result"]["binaryResultsForLlm"] == [
        {"type": "image", "data": "AA==", "mimeType": "image/png"},
        {"type": "image", "data": "AA==", "mimeType": "image/gif"},
        {"type": "resource", "data": "AA==", "mimeType": "application/octet-stream"},
    ]
    assert [(loss.path, loss.action) for loss in losses] == [
        ("value[0].mediaType", "defaulted"),
        ("value[3]", "described"),
        ("value[4].mediaType", "defaulted"),
        ("value", "moved"),
        ("kind", "rewritten"),
        ("value", "rewritten"),
    ]


def test_settings_of_a_tool_are_kept_and_a_missing_description_is_blank(sample: Package, models: Any) -> None:
    module, losses = sample.provider(PROVIDER), []
    settings = {
        "defer": "never",
        "skipPermission": True,
        "namespace": {"name": "crm"},
        "title": "T",
        "metadata": {"a": 1},
    }
    definition = models.ToolDefinition("t", metadata={"copilot": settings})
    assert module.to_tools([definition]) == [{"name": "t", "description": "", **settings}]
    assert tool_faults(module.to_tools([definition])[0]) == []
    assert module.from_tools(module.to_tools([definition])) == [definition]
    keywords = module.to_sdk(definition, on_loss=losses.append)
    assert keywords == {"name": "t", "description": "", "defer": "never", "skip_permission": True, "metadata": {"a": 1}}
    assert sorted(loss.path for loss in losses) == ["namespace", "title"]


def test_a_response_of_another_provider_is_written(sample: Package, models: Any) -> None:
    module, losses = sample.provider(PROVIDER), []
    call = models.ToolCall("c", "now", {})
    message = models.AssistantMessage([models.ReasoningPart("Hm."), models.TextPart("x"), models.ToolCallPart(call)])
    completion = models.Completion(message, "tool_calls", None, "m", "tool_use", models.Usage(3, 4, 7))
    wire = module.to_response(completion, id="m1", created=0, on_loss=losses.append)
    assert wire == {
        "type": "assistant.message",
        "data": {
            "messageId": "m1",
            "model": "m",
            "content": "x",
            "reasoningText": "Hm.",
            "toolRequests": [{"toolCallId": "c", "name": "now", "arguments": {}}],
            "outputTokens": 4,
        },
        "timestamp": "1970-01-01T00:00:00Z",
    }
    assert event_faults({**wire, "id": "7f5f2b1e-1111-4111-8111-111111111111", "parentId": None}) == []
    assert sorted(loss.path for loss in losses) == ["stopReason", "usage"]
    assert module.from_response(wire).message == message


def test_what_is_no_response_is_refused(sample: Package, models: Any) -> None:
    module = sample.provider(PROVIDER)
    for body in (
        {"code": -32603, "message": "Internal error"},
        {"error": {"code": -32601, "message": "No"}},
        stream_of("session-error")[2],
    ):
        with pytest.raises(models.ConversionError, match="from_error"):
            module.from_response(body)
    for body in ({}, {"type": "session.idle", "data": {}}, {"data": {"content": "x"}, "type": "user.message"}):
        with pytest.raises(models.ConversionError, match=r"is not an assistant\.message event"):
            module.from_response(body)
    for wire in ({}, {"requestId": "r"}, {"requestId": "r", "result": {"text": "x"}}, {"requestId": "r", "result": 1}):
        with pytest.raises(models.ConversionError):
            module.from_tool_result(wire, "c", "t")


def test_asynchronous_events_are_the_same(sample: Package) -> None:
    module = sample.provider(PROVIDER)

    async def source() -> Any:
        for event in stream_of("text"):
            yield event

    async def gathered() -> list[Any]:
        return [event async for event in module.aiter_events(source())]

    assert asyncio.run(gathered()) == heard(module, stream_of("text"))
    texts = module.iter_events(stream_of("text"), text_only=True)
    assert "".join(e.text for e in texts) == "It is 7 degrees and it rains."


def message(*requests: Any) -> Any:
    return {"type": "assistant.message", "data": {"messageId": "m1", "content": "", "toolRequests": list(requests)}}


def request(identifier: str, name: str, **data: Any) -> Any:
    asked = {
        "requestId": f"r_{identifier}",
        "sessionId": "s",
        "toolCallId": identifier,
        "toolName": name,
        "arguments": {},
    }
    return {"type": "external_tool.requested", "data": asked, **data}


def by(kind: str, identifier: str) -> Any:
    return {"type": f"tool.execution_{kind}", "data": {"toolCallId": identifier, "toolName": "t", "success": True}}


OWN = {"toolCallId": "a", "name": "mine"}
ALSO = {"toolCallId": "b", "name": "mine"}
THEIRS = {"toolCallId": "c", "name": "bash"}
NAMELESS = {"toolCallId": " ", "name": "bash"}
COMPLETED = {"type": "external_tool.completed", "data": {"requestId": "r_a"}}


@pytest.mark.parametrize(
    ("events", "ended", "kinds"),
    [
        ([message(OWN, THEIRS)], False, "oo"),
        ([message(OWN, THEIRS), by("start", "c"), request("a", "mine")], True, "co"),
        ([message(OWN, ALSO), by("start", "a"), request("a", "mine"), by("start", "b")], False, "co"),
        ([message(OWN, ALSO), request("a", "mine"), request("b", "mine")], True, "cc"),
        ([message(OWN, ALSO), request("a", "mine"), by("complete", "b")], True, "co"),
        ([message(OWN), by("complete", "a")], False, "o"),
        ([message(OWN), request("a", "mine"), COMPLETED], False, "o"),
        ([message(THEIRS), request("c", "bash")], True, "c"),
        ([message(THEIRS), request("x", "mine", agentId="sub")], True, "oc"),
        ([request("a", "mine")], True, "c"),
        ([message(NAMELESS, NAMELESS, OWN, OWN), request("a", "mine")], True, "ooco"),
    ],
)
def test_who_names_its_tools_gets_their_calls_alone(
    sample: Package, events: list[Any], ended: bool, kinds: str
) -> None:
    stream = sample.provider(PROVIDER).Stream(own={"mine"})
    for event in events:
        stream.feed(event)
    assert stream.ended is ended
    content = stream.result().message.content
    assert [{"tool_call": "c", "opaque": "o"}[part.type] for part in content] == list(kinds)


def test_calls_that_wait_can_be_taken_for_all(sample: Package) -> None:
    stream = sample.provider(PROVIDER).Stream(own={"mine"})
    stream.feed(message(OWN, ALSO))
    stream.stop_collecting_calls()
    stream.feed(request("a", "mine"))
    assert not stream.ended
    stream.stop_collecting_calls()
    assert stream.ended
    completion = stream.finish()[-1].completion
    assert [part.type for part in completion.message.content] == ["tool_call", "opaque"]
    assert completion.finish_reason == "tool_calls"


def test_a_call_of_a_message_has_no_state_of_a_request_that_waits(models: Any) -> None:
    extras = {"agentId": "a", "x_key": 1}
    call = models.ToolCall("c", "now", {}, metadata={"copilot": extras, "gemini": {"thoughtSignature": "s"}})
    plain = without_pending_state(call, "copilot")
    assert plain.metadata == {"copilot": {"x_key": 1}, "gemini": {"thoughtSignature": "s"}}
    assert call.metadata["copilot"] == extras
