"""Sessions on a live session of GitHub Copilot: what goes out, what comes back, and how a turn ends early."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import aclosing, contextmanager
from typing import Any

import pytest

from tests.running.clients import stateful
from tests.running.hosts import Says, Script
from tests.running.hosts.copilot import Runtime, opened, side_by_side
from tests.support.generated import Package
from tests.support.runnable_project import Handlers, reviewed

READ = ("call_1", "read_file", {"path": "a"})
GREP = ("call_2", "grep", {"pattern": "a"})
WRITE = ("call_3", "write_file", {"path": "a", "text": "b"})
OWN = ("call_4", "bash", {"command": "ls"})

HANDLE_PENDING = "session.tools.handlePendingToolCall"


@pytest.fixture
def play() -> Iterator[Callable[[Script], Runtime]]:
    """Starts a runtime that plays a script."""
    runtimes: list[Runtime] = []

    def played(script: Script) -> Runtime:
        runtimes.append(Runtime(script))
        return runtimes[-1]

    yield played
    for runtime in runtimes:
        runtime.close()


@contextmanager
def talking(package: Package, runtime: Runtime, later: bool = True, **settings: Any) -> Iterator[Any]:
    with stateful(package, "copilot", runtime.address, later, **settings) as session:
        yield session


def ran(package: Package, session: Any, handlers: Any, request: Any = "Begin.", **settings: Any) -> Any:
    loop = reviewed(package)
    if hasattr(session, "runner"):
        return session.runner.run(loop.arun(session, request, handlers, **settings))
    return loop.run(session, request, handlers, **settings)


def asked(package: Package, *texts: str, **settings: Any) -> Any:
    models = package.module("models")
    return models.Request([models.UserMessage(text) for text in texts], **settings)


def tools(package: Package, *names: str) -> list[Any]:
    return [package.module("tools").DEFINITIONS[name] for name in names]


def calls(package: Package, completion: Any) -> list[str]:
    return [call.name for call in package.module("messages").tool_calls_of(completion.message)]


def text(package: Package, completion: Any) -> str:
    return str(package.module("messages").text_of(completion.message))


@pytest.mark.parametrize("later", [False, True], ids=["sync", "async"])
def test_a_session_is_native_and_knows_its_tools(runnable: Package, play: Any, later: bool) -> None:
    sessions = runnable.module("sessions")
    with talking(runnable, play([]), later) as session:
        assert session.tool_mode is sessions.ToolMode.NATIVE
        assert (session.model, sorted(session.offered)) == ("m", ["grep", "read_file", "run_command", "write_file"])
        assert isinstance(session, sessions.AsyncSession if later else sessions.Session)


def test_all_calls_of_a_message_are_one_completion_without_those_that_the_agent_runs(
    runnable: Package, play: Any
) -> None:
    runtime = play([Says("I look.", [READ, GREP], [OWN]), Says("Done.")])
    handlers = Handlers()
    with talking(runnable, runtime) as session:
        result = ran(runnable, session, handlers)
    assert (result.text, result.turns, result.stopped_by) == ("Done.", 1, "end")
    first, results = result.messages[1:3]
    assert [part.type for part in first.content] == ["text", "tool_call", "tool_call", "opaque"]
    assert [(r.tool_call_id, r.name) for r in results.results] == [("call_1", "read_file"), ("call_2", "grep")]
    assert sorted(handlers.log) == ["+grep", "+read_file", "-grep", "-read_file"]
    assert [(params["requestId"], params["result"]) for params in runtime.calls(HANDLE_PENDING)] == [
        ("request-call_1", "text"),
        ("request-call_2", "[]"),
    ]


def test_an_agent_that_asks_for_one_call_after_the_other_is_not_waited_for(
    runnable: Package, play: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runnable.module("runtime.apis.copilot.stateful_client").AsyncInbox, "patience", 0.05)
    runtime = play([Says("I look.", [READ, GREP], serially=True), Says("Done.")])
    with talking(runnable, runtime) as session:
        result = ran(runnable, session, Handlers())
    assert [[r.name for r in m.results] for m in result.messages if m.role == "tool"] == [["read_file"], ["grep"]]
    assert [params["requestId"] for params in runtime.calls(HANDLE_PENDING)] == ["request-call_1", "request-call_2"]
    assert (result.text, result.stopped_by) == ("Done.", "end")


def test_a_model_that_thinks_for_long_is_waited_for(
    runnable: Package, play: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runnable.module("runtime.apis.copilot.stateful_client").AsyncInbox, "patience", 0.02)
    runtime = play([Says("I look.", [READ, GREP], tries=3), Says("Done.", tries=3)])
    runtime.refuses["session.tools.listPendingRequests"] = {"code": -32601, "message": "no such method"}
    with talking(runnable, runtime) as session:
        result = ran(runnable, session, Handlers())
    assert (result.text, result.turns) == ("Done.", 1)


def test_a_session_that_is_gone_is_noticed(runnable: Package, play: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runnable.module("runtime.apis.copilot.stateful_client").AsyncInbox, "patience", 0.02)
    runtime = play([Says("I look.", ends="nothing")])
    runtime.refuses["session.tools.listPendingRequests"] = {"code": -32000, "message": "no such session"}
    with talking(runnable, runtime) as session, pytest.raises(runnable.module("sessions").SessionError) as raised:
        ran(runnable, session, Handlers())
    assert raised.value.status == -32000


def test_a_call_that_was_not_permitted_is_not_run(runnable: Package, play: Any) -> None:
    runtime = play([Says("", [WRITE, READ], refused=["call_3"]), Says("", [WRITE], refused=["call_3"]), Says("Done.")])
    handlers = Handlers()
    with talking(runnable, runtime) as session:
        result = ran(runnable, session, handlers)
    assert handlers.log == ["+read_file", "-read_file"]
    assert (result.text, result.turns) == ("Done.", 1)


def test_a_call_that_review_denies_has_a_failure_as_its_result(runnable: Package, play: Any) -> None:
    runtime = play([Says("", [WRITE]), Says("", [("call_9", "no_such_tool", {})]), Says("Done.")])
    deny = runnable.module("runtime.running.handlers").Deny
    handlers = Handlers()
    with talking(runnable, runtime) as session:
        result = ran(runnable, session, handlers, review=lambda call, arguments: deny("not today"))
    assert handlers.log == []
    assert result.turns == 2
    first, second = (params["result"] for params in runtime.calls(HANDLE_PENDING))
    assert (first["resultType"], second["resultType"]) == ("failure", "failure")
    assert "not today" in first["textResultForLlm"]
    assert "There is no tool" in second["textResultForLlm"]


def test_what_a_sub_agent_asks_for_gets_a_result_too(runnable: Package, play: Any) -> None:
    data = {
        "requestId": "r1",
        "sessionId": "s",
        "toolCallId": "sub_1",
        "toolName": "grep",
        "arguments": {"pattern": "x"},
    }
    event = {"type": "external_tool.requested", "agentId": "sub", "data": data}
    quiet = {"type": "assistant.message_delta", "agentId": "sub", "data": {"messageId": "m", "deltaContent": "hidden"}}
    failed = {"type": "session.error", "agentId": "sub", "data": {"errorType": "query", "message": "theirs"}}
    runtime = play([Says("Done.", before=[quiet, failed, event])])
    with talking(runnable, runtime) as session:
        request = asked(runnable, "Begin.", tools=tools(runnable, "grep"))
        first = session.runner.run(session.send(request))
        assert calls(runnable, first) == ["grep"]
        models = runnable.module("models")
        request.messages += [first.message, models.ToolMessage([models.ToolResult("sub_1", "grep", "text", "found")])]
        assert text(runnable, session.runner.run(session.send(request))) == "Done."
    assert [params["requestId"] for params in runtime.calls(HANDLE_PENDING)] == ["r1"]


def test_tools_of_other_clients_are_left_to_them(runnable: Package, play: Any) -> None:
    runtime = play([Says("", [("call_9", "theirs", {})], ends="nothing")])
    with talking(runnable, runtime, ignored_tools=["theirs"]) as session:

        async def waits() -> None:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.2):
                    await session.send(asked(runnable, "Begin.", tools=tools(runnable, "grep")))

        session.runner.run(waits())
    assert runtime.calls(HANDLE_PENDING) == []


def test_without_tools_those_of_the_client_stay_and_it_runs_them(runnable: Package, play: Any) -> None:
    from copilot import Tool
    from copilot.tools import ToolResult

    runtime = play([Says("I look.", [READ]), Says("Done.")])
    own = Tool("read_file", "Read.", handler=lambda call: ToolResult(text_result_for_llm="theirs"))
    session = runnable.module("sessions.copilot").AsyncSession

    async def talk() -> Any:
        async with opened(runtime.address, tools=[own]) as client, session(client) as live:
            return await live.send("Begin.")

    completion = asyncio.run(talk())
    assert (text(runnable, completion), calls(runnable, completion), completion.finish_reason) == (
        "I look.Done.",
        [],
        "stop",
    )
    assert runtime.calls("session.tools.set") == []
    assert [params["result"]["textResultForLlm"] for params in runtime.calls(HANDLE_PENDING)] == ["theirs"]


def test_tools_are_replaced_where_they_differ(runnable: Package, play: Any) -> None:
    runtime = play([Says("1"), Says("2"), Says("3"), Says("4")])
    request = asked(runnable, "Begin.", tools=tools(runnable, "grep", "read_file"))
    with talking(runnable, runtime) as session:
        for change in ({}, {"tools": tools(runnable, "grep")}, {"tool_choice": "none"}, {}):
            for name, value in change.items():
                setattr(request, name, value)
            completion = session.runner.run(session.send(request))
            request.messages += [completion.message, runnable.module("models").UserMessage("More.")]
    sent = runtime.calls("session.tools.set")
    assert [[tool["name"] for tool in params["tools"]] for params in sent] == [
        [],
        ["grep", "read_file"],
        ["grep"],
        [],
    ]
    payload = {entry["name"]: entry for entry in runnable.provider("copilot").TOOLS}
    assert sent[1]["tools"] == [payload["grep"], payload["read_file"]]
    assert [params["modelId"] for params in runtime.calls("session.model.switchTo")] == ["m"]
    assert [params["prompt"] for params in runtime.calls("session.send")] == ["Begin.", "More.", "More.", "More."]


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"tool_choice": "required"}, "toolChoice"),
        ({"metadata": {"openai_responses": {"$choice": "tool_choice"}}}, "toolChoice"),
        ({"parallel_tool_calls": False}, "parallelToolCalls"),
    ],
)
def test_what_would_change_the_response_is_refused_unless_it_is_weakened(
    runnable: Package, play: Any, changes: Any, path: str
) -> None:
    runtime, reported = play([Says("Done.")]), []
    error = runnable.module("models").ConversionError
    request = asked(runnable, "Begin.", tools=tools(runnable, "grep"), **changes)
    with talking(runnable, runtime) as session:
        with pytest.raises(error, match=path):
            session.runner.run(session.send(request))
        assert runtime.calls("session.send") == []
    with talking(runnable, runtime, on_unsupported="weaken", on_loss=reported.append) as session:
        session.runner.run(session.send(request))
    assert [(loss.path, loss.severity) for loss in reported] == [(path, "behaviour")]


def test_settings_that_are_not_said_with_a_message_are_reported(runnable: Package, play: Any) -> None:
    reported: list[Any] = []
    request = asked(runnable, "Begin.", temperature=0.5, max_output_tokens=5, output_format="json", stop=["x"])
    with talking(runnable, play([Says("Done.")]), on_loss=reported.append) as session:
        session.runner.run(session.send(request))
    assert [loss.path for loss in reported] == ["outputFormat", "maxOutputTokens", "temperature", "stop"]


def test_a_history_that_the_client_does_not_know_is_refused_unless_it_is_weakened(runnable: Package, play: Any) -> None:
    models, runtime = runnable.module("models"), play([Says("1"), Says("2")])
    reported: list[Any] = []
    history = [
        models.SystemMessage("Be brief."),
        models.UserMessage("One."),
        models.AssistantMessage("Yes."),
        models.UserMessage("Two."),
    ]
    with talking(runnable, runtime) as session, pytest.raises(models.ConversionError, match=r"messages\[0\]"):
        session.runner.run(session.send(models.Request(history)))
    with talking(runnable, runtime, on_unsupported="weaken", on_loss=reported.append) as session:
        completion = session.runner.run(session.send(models.Request(history)))
        assert [loss.path for loss in reported] == ["messages[0]", "messages[1]", "messages[2]"]
        reported.clear()
        session.runner.run(session.send(models.Request([*history, completion.message, models.UserMessage("Three.")])))
        assert reported == []
    assert [params["prompt"] for params in runtime.calls("session.send")] == ["Two.", "Three."]


def test_a_system_text_beside_a_new_message_is_one_too(runnable: Package, play: Any) -> None:
    models, reported = runnable.module("models"), []
    request = models.Request(
        [models.SystemMessage("Be brief."), models.UserMessage("One."), models.UserMessage("Two.")]
    )
    runtime = play([Says("1")])
    with talking(runnable, runtime, on_unsupported="weaken", on_loss=reported.append) as session:
        session.runner.run(session.send(request))
    assert [(loss.path, loss.severity) for loss in reported] == [("messages[0]", "behaviour"), ("messages[1]", "note")]
    assert runtime.calls("session.send")[0]["prompt"] == "One.\n\nTwo."


@pytest.mark.parametrize("edit", ["begun anew", "cut", "changed"])
def test_a_conversation_that_went_another_way_is_refused(runnable: Package, play: Any, edit: str) -> None:
    models, runtime = runnable.module("models"), play([Says("1"), Says("2"), Says("3")])
    with talking(runnable, runtime) as session:
        request = asked(runnable, "One.")
        completion = session.runner.run(session.send(request))
        request.messages += [completion.message, models.UserMessage("Two.")]
        if edit == "begun anew":
            request.messages[:] = [models.UserMessage("Other.")]
        elif edit == "cut":
            del request.messages[:1]
        else:
            request.messages[0] = models.UserMessage("Uno.")
        with pytest.raises(models.ConversionError, match="messages"):
            session.runner.run(session.send(request))
    assert len(runtime.calls("session.send")) == 1


def test_a_stored_conversation_goes_on(runnable: Package, play: Any) -> None:
    models, runtime = runnable.module("models"), play([Says("1", [READ]), Says("2")])
    with talking(runnable, runtime) as session:
        request = asked(runnable, "One.", tools=tools(runnable, "read_file"))
        completion = session.runner.run(session.send(request))
        request.messages += [
            completion.message,
            models.ToolMessage([models.ToolResult("call_1", "read_file", "text", "found")]),
        ]
        stored = models.load(models.Request, models.dump(request))
        assert text(runnable, session.runner.run(session.send(stored))) == "2"
    assert runtime.calls(HANDLE_PENDING)[0]["result"] == "found"


def test_calls_that_wait_need_their_results_and_a_message_beside_them_steers(runnable: Package, play: Any) -> None:
    models, runtime = runnable.module("models"), play([Says("1", [READ]), Says("2")])
    with talking(runnable, runtime) as session:
        request = asked(runnable, "One.", tools=tools(runnable, "read_file"))
        request.messages.append(session.runner.run(session.send(request)).message)
        request.messages.append(models.UserMessage("Hurry."))
        with pytest.raises(models.ConversionError, match="are waiting for their results"):
            session.runner.run(session.send(request))
        request.messages[-1:-1] = [models.ToolMessage([models.ToolResult("call_1", "read_file", "text", "found")])]
        completion = session.runner.run(session.send(request))
        assert text(runnable, completion) == "2"
        request.messages.append(completion.message)
        with pytest.raises(models.ConversionError, match="nothing to send"):
            session.runner.run(session.send(request))
    sent = [(params["prompt"], params.get("mode")) for params in runtime.calls("session.send")]
    assert sent == [("One.", None), ("Hurry.", "immediate")]


def test_media_are_attachments_and_binary_results(runnable: Package, play: Any) -> None:
    models, reported = runnable.module("models"), []
    runtime = play([Says("1", [READ]), Says("2")])
    picture = models.ImagePart(data="AAAA", media_type="image/png", name="a.png")
    file = models.OpaquePart("copilot", {"type": "file", "path": "/a"})
    content = [
        models.TextPart("See "),
        picture,
        models.ImagePart(url="https://a/b.png"),
        file,
        models.TextPart("this."),
    ]
    with talking(runnable, runtime, on_loss=reported.append) as session:
        request = models.Request([models.UserMessage(content)], tools=tools(runnable, "read_file"))
        request.messages.append(session.runner.run(session.send(request)).message)
        request.messages.append(models.ToolMessage([models.ToolResult("call_1", "read_file", "multimodal", [picture])]))
        session.runner.run(session.send(request))
    assert [(loss.path, loss.what) for loss in reported] == [("messages[0].content[2]", "image")]
    sent = runtime.calls("session.send")[0]
    blob = {"type": "blob", "data": "AAAA", "mimeType": "image/png", "displayName": "a.png"}
    assert (sent["prompt"], sent["attachments"]) == ("See this.", [blob, {"type": "file", "path": "/a"}])
    assert runtime.calls(HANDLE_PENDING)[0]["result"]["binaryResultsForLlm"][0]["data"] == "AAAA"


@pytest.mark.parametrize(
    ("data", "kind", "status"),
    [
        ({"errorType": "rate_limit", "message": "slow down", "statusCode": 429}, "rate_limit", 429),
        ({"errorType": "context_limit", "message": "too long"}, "context_length", 0),
    ],
)
@pytest.mark.parametrize("later", [False, True], ids=["sync", "async"])
def test_a_session_that_fails_is_an_error(
    runnable: Package, play: Any, data: Any, kind: str, status: int, later: bool
) -> None:
    runtime = play([Says("", ends="error", error=data), Says("Half an ans", ends="error", error=data), Says("Done.")])
    error, loop = runnable.module("runtime.sessions.api_errors").SessionError, reviewed(runnable)
    with talking(runnable, runtime, later) as session:
        with pytest.raises(error) as raised:
            ran(runnable, session, Handlers())
        assert (raised.value.provider, raised.value.error.kind, raised.value.status) == ("copilot", kind, status)

        async def streamed() -> Any:
            run = loop.arun_stream(session, "Begin.", Handlers())
            return [event async for event in run], run.result

        def watched() -> Any:
            run = loop.run_stream(session, "Begin.", Handlers())
            return list(run), run.result

        events, result = session.runner.run(streamed()) if later else watched()
        assert [event.type for event in events][-4:] == ["completed", "text", "step_complete", "final"]
        assert (result.stopped_by, result.text) == ("error", "Half an ans")
        request = asked(runnable, "Begin.", tools=tools(runnable, "grep"))
        request.messages += [*result.messages[1:], runnable.module("models").UserMessage("Again.")]
        assert ran(runnable, session, Handlers(), request).text == "Done."
    assert runtime.calls("session.abort") == []


def test_what_the_client_refuses_is_an_error_and_changes_nothing(runnable: Package, play: Any) -> None:
    runtime = play([Says("Done.")])
    error = runnable.module("runtime.sessions.api_errors").SessionError
    with talking(runnable, runtime) as session:
        for method in ("session.tools.set", "session.send"):
            runtime.refuses[method] = {"code": -32602, "message": "no", "data": {"errorType": "authentication"}}
            with pytest.raises(error) as raised:
                ran(runnable, session, Handlers())
            assert raised.value.status == -32602
            runtime.refuses.clear()
        assert ran(runnable, session, Handlers()).text == "Done."
    assert runtime.calls("session.abort") == []


def until(heard: Callable[[], Any]) -> Any:
    async def waits() -> None:
        while not heard():
            await asyncio.sleep(0.005)

    return waits()


def test_a_run_that_is_cancelled_ends_the_turn_and_the_session_goes_on(runnable: Package, play: Any) -> None:
    runtime = play([Says("I think", ends="nothing"), Says("Done.")])

    async def cancelled(session: Any) -> None:
        task = asyncio.ensure_future(reviewed(runnable).arun(session, "Begin.", Handlers()))
        await until(lambda: runtime.calls("session.send"))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(runtime.calls("session.abort")) == 1

    with talking(runnable, runtime) as session:
        session.runner.run(cancelled(session))
        assert ran(runnable, session, Handlers()).text == "Done."


@pytest.mark.parametrize("later", [False, True], ids=["sync", "async"])
def test_a_stream_that_is_left_ends_the_turn(runnable: Package, play: Any, later: bool) -> None:
    runtime = play([Says("I think, at length", ends="nothing"), Says("Done.")])

    async def leave(session: Any) -> str:
        async with aclosing(session.stream("Begin.")) as events:
            async for event in events:
                return str(event.text)
        raise AssertionError("nothing came")

    with talking(runnable, runtime, later) as session:
        if later:
            assert session.runner.run(leave(session)) == "I think"
        else:
            events = session.stream("Begin.")
            assert next(events).text == "I think"
            events.close()
        assert len(runtime.calls("session.abort")) == 1
        assert ran(runnable, session, Handlers()).text == "Done."


def test_results_of_a_turn_that_was_ended_are_reported(runnable: Package, play: Any) -> None:
    runtime, models, reported = (
        play([Says("1", [READ]), Says("", ends="nothing"), Says("3")]),
        runnable.module("models"),
        [],
    )
    with talking(runnable, runtime, on_loss=reported.append) as session:
        request = asked(runnable, "One.", tools=tools(runnable, "read_file"))
        request.messages.append(session.runner.run(session.send(request)).message)
        request.messages.append(models.ToolMessage([models.ToolResult("call_1", "read_file", "text", "found")]))

        async def cancelled() -> None:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.1):
                    await session.send(request)

        session.runner.run(cancelled())
        request.messages.append(models.UserMessage("Two."))
        assert text(runnable, session.runner.run(session.send(request))) == "3"
    assert [(loss.path, loss.what) for loss in reported] == [("messages[2].results[0]", "a result")]


def test_a_result_that_comes_too_late_is_reported(runnable: Package, play: Any) -> None:
    runtime, models, reported = play([Says("1", [READ])]), runnable.module("models"), []
    with talking(runnable, runtime, on_loss=reported.append) as session:
        request = asked(runnable, "One.", tools=tools(runnable, "read_file"))
        request.messages.append(session.runner.run(session.send(request)).message)
        request.messages.append(models.ToolMessage([models.ToolResult("call_1", "read_file", "text", "found")]))
        session.runner.run(session.client.abort())
        completion = session.runner.run(session.send(request))
    assert completion.finish_reason == "error"
    assert [(loss.path, loss.what) for loss in reported] == [("messages[2].results[0]", "a result")]


@pytest.mark.parametrize("later", [False, True], ids=["sync", "async"])
def test_a_connection_that_is_cut_is_noticed_and_no_call_runs(
    runnable: Package, play: Any, later: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runnable.module("runtime.apis.copilot.stateful_client").AsyncInbox, "patience", 0.05)
    loop, handlers = reviewed(runnable), Handlers()
    session = runnable.module("sessions.copilot")
    runtime = play([Says("I look at it all", [READ], ends="cut")])

    async def watched() -> Any:
        async with opened(runtime.address) as client:
            run = loop.arun_stream(session.AsyncSession(client), "Begin.", handlers)
            events = [event async for event in run]
            return events, run.result

    def watch() -> Any:
        live = session.Session(lambda: opened(runtime.address))
        run = loop.run_stream(live, "Begin.", handlers)
        try:
            return list(run), run.result
        finally:
            with pytest.raises(Exception, match="exited"):
                live.close()

    if later:
        with pytest.raises(Exception, match="exited"):
            asyncio.run(watched())
        return
    events, result = watch()
    assert "error" in [event.type for event in events]
    assert (result.stopped_by, handlers.log) == ("error", [])


def test_sessions_side_by_side_do_not_mix(runnable: Package, play: Any) -> None:
    def script(name: str) -> list[Says]:
        return [Says(f"{name} begins. ", [(f"{name}_{turn}", "grep", {"pattern": name})]) for turn in range(5)] + [
            Says(f"{name} ends.")
        ]

    runtime, loop = play(script), reviewed(runnable)
    session = runnable.module("sessions.copilot").AsyncSession

    async def talk() -> list[Any]:
        async with side_by_side(runtime.address, "a", "b", "c") as clients:
            runs = [loop.arun(session(client), "Begin.", Handlers()) for client in clients]
            return list(await asyncio.gather(*runs))

    for name, result in zip("abc", asyncio.run(talk()), strict=True):
        assert (result.text, result.turns) == (f"{name} ends.", 5)
        arguments = [call.arguments for m in result.messages for call in runnable.module("messages").tool_calls_of(m)]
        assert arguments == [{"pattern": name}] * 5
    for params in runtime.calls(HANDLE_PENDING):
        assert params["requestId"].startswith(f"request-{params['sessionId']}")


@pytest.mark.parametrize("later", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("waits", [False, True], ids=["idle", "waiting"])
def test_a_session_that_is_left_lets_go_of_everything(runnable: Package, play: Any, later: bool, waits: bool) -> None:
    runtime = play([Says("1", [READ] if waits else [])])
    before = threading.active_count()
    request = asked(runnable, "One.", tools=tools(runnable, "read_file"))

    async def talk() -> None:
        async with opened(runtime.address) as client:
            async with runnable.module("sessions.copilot").AsyncSession(client) as session:
                await session.send(request)
            with pytest.raises(RuntimeError):
                client.on(lambda event: None)

    if later:
        asyncio.run(talk())
    else:
        with talking(runnable, runtime, False) as session:
            session.send(request)
        assert [t.name for t in threading.enumerate() if t.name == "copilot"] == []
    assert runtime.departures.acquire(timeout=60)
    assert len(runtime.calls("session.abort")) == int(waits)
    assert len(runtime.calls("session.detach")) == 1
    assert threading.active_count() <= before + 1


def test_a_session_that_was_not_used_opens_nothing(runnable: Package, play: Any) -> None:
    runtime = play([])
    with talking(runnable, runtime, False):
        pass
    assert runtime.heard == []


def test_a_client_that_cannot_be_opened_leaves_nothing_behind(runnable: Package, play: Any) -> None:
    runtime = play([])
    runtime.refuses["session.create"] = {"code": -32602, "message": "no"}
    session = runnable.module("sessions.copilot").Session(lambda: opened(runtime.address))
    with pytest.raises(Exception, match="no"), session:
        session.send("Hello")
    assert [t.name for t in threading.enumerate() if t.name == "copilot"] == []
    assert runtime.departures.acquire(timeout=60)


def test_a_conversation_that_the_session_keeps_goes_on(runnable: Package, play: Any) -> None:
    models, runtime = runnable.module("models"), play([Says("1", [READ]), Says("2"), Says("3")])
    with talking(runnable, runtime, False) as session:
        first = session.send_with_tools("One.", tools(runnable, "read_file"))
        assert calls(runnable, first) == ["read_file"]
        second = session.send_tool_results([models.ToolResult("call_1", "read_file", "data", {"found": 1})])
        assert text(runnable, second) == "2"
        session.send_with_tools("Two.", tools(runnable, "read_file"))
    assert runtime.calls(HANDLE_PENDING)[0]["result"] == '{"found":1}'
    assert [params["prompt"] for params in runtime.calls("session.send")] == ["One.", "Two."]


def test_a_history_that_is_nested_without_end_is_no_reason_to_fail(runnable: Package, play: Any) -> None:
    models, deep = runnable.module("models"), []
    for _ in range(5000):
        deep = [deep]
    history_known = runnable.module("runtime.apis.copilot.session_requests").KnownMessages()
    history = [models.UserMessage("One.")]
    call = models.ToolCallPart(models.ToolCall("a", "grep", {"pattern": deep}))
    message = models.AssistantMessage([call])
    history_known.record(history, message)
    assert history_known.first_new_index([*history, message, models.UserMessage("Two.")], None) == 2


def test_two_responses_at_once_are_refused(runnable: Package, play: Any) -> None:
    runtime = play([Says("1", ends="nothing")])

    async def both(session: Any) -> None:
        task = asyncio.ensure_future(session.send("One."))
        await until(lambda: runtime.calls("session.send"))
        with pytest.raises(RuntimeError, match="still being read"):
            await session.send("Two.")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with talking(runnable, runtime) as session:
        session.runner.run(both(session))
