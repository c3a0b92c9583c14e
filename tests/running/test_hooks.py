"""Settings of a run: reviews that fail closed, tools known at run time, hooks, typed output and endings."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel

from tests.running.calls import call
from tests.running.scripts import all_ways, completion, native
from tests.support.generated import Package, compiled, write_project
from tests.support.runnable_project import Handlers, reviewed

READ = ("read_file", {"path": "a"})
WRITE = ("write_file", {"path": "a", "text": "b"})
REMOTE = ("remote", {"q": 1})


def offer(package: Package, *names: str) -> Any:
    models = package.module("models")
    declared = package.module("tools").DEFINITIONS
    tools = [declared[name] if name in declared else models.ToolDefinition(name, "A tool.") for name in names]
    return models.Request([models.UserMessage("Hello")], tools=tools)


def test_a_high_risk_tool_without_a_review_is_refused_before_anything_is_sent(runnable: Package) -> None:
    running = runnable.module("running")
    session = native(runnable, [completion(runnable, "Done.")])
    for request in ("Hello", offer(runnable, "read_file", "write_file")):
        with pytest.raises(TypeError, match=r"write_file.*review=\.\.\..*review=allow_all"):
            running.run(session, request, Handlers())
    with pytest.raises(TypeError, match=r"remote.*review=allow_all"):
        running.run(session, offer(runnable, "remote"), Handlers(), others={"remote": print})
    with pytest.raises(TypeError, match="write_file"):
        asyncio.run(running.dispatch_all([], Handlers()))
    assert session.sent == []
    assert running.run(session, offer(runnable, "read_file"), Handlers()).text == "Done."
    assert asyncio.run(running.dispatch_all([], Handlers(), offered=["read_file"])) == []


@pytest.mark.parametrize("later", [False, True])
def test_tools_known_at_run_time_are_served_by_functions_of_the_call(runnable: Package, later: bool) -> None:
    heard: list[Any] = []

    def serve(call: Any) -> Any:
        heard.append((call.name, call.arguments))
        return {"got": call.arguments}

    async def serve_later(call: Any) -> Any:
        await asyncio.sleep(0)
        return serve(call)

    completions = [completion(runnable, REMOTE, READ), completion(runnable, "Done.")]
    settings = {"others": {"remote": serve_later if later else serve}, "low_risk": {"remote"}}
    request = offer(runnable, "read_file", "remote")
    for result, _, _ in all_ways(runnable, completions, request, Handlers(), **settings):
        assert [(r.kind, r.value) for r in result.messages[2].results] == [
            ("data", {"got": {"q": 1}}),
            ("text", "text"),
        ]
    assert heard == [("remote", {"q": 1})] * 4


@pytest.mark.parametrize("name", ["functions.remote", "default_api:remote", "remote<|channel|>commentary"])
def test_a_call_of_such_a_tool_may_have_additions_to_its_name(runnable: Package, name: str) -> None:
    """The history keeps the name, and the loss says which tool it was."""
    losses: list[Any] = []
    completions = [completion(runnable, (name, {"q": 1})), completion(runnable, "Done.")]
    others = {"remote": lambda call: call.arguments}
    result = reviewed(runnable).run(
        native(runnable, completions), offer(runnable, "remote"), Handlers(), others=others, on_loss=losses.append
    )
    assert [(r.kind, r.name, r.value) for r in result.messages[2].results] == [("data", name, {"q": 1})]
    assert [loss.reason for loss in losses] == ["the call was taken for one of remote"]


def test_a_review_may_edit_and_refuse_calls_of_such_tools(runnable: Package) -> None:
    running = runnable.module("running")
    completions = [completion(runnable, REMOTE), completion(runnable, "Done.")]
    verdicts = iter([running.Edit({"q": 2}), running.Deny("No."), running.Edit(5)])
    values = []
    for _ in range(3):
        session = native(runnable, completions)
        result = running.run(
            session,
            offer(runnable, "remote"),
            Handlers(),
            others={"remote": lambda call: call.arguments},
            review=lambda call, arguments: next(verdicts),
            on_error=lambda error: None,
        )
        values += [(r.kind, r.value, r.metadata) for r in result.messages[2].results]
    assert values[0] == ("data", {"q": 2}, {"running": {"arguments": {"q": 2}}})
    assert [kind for kind, _, _ in values] == ["data", "error", "error"]


def test_a_tool_that_nothing_serves_is_a_type_error(runnable: Package) -> None:
    with pytest.raises(TypeError, match=r"remote.*others="):
        reviewed(runnable).run(native(runnable, [completion(runnable, "x")]), offer(runnable, "remote"), Handlers())


def test_handlers_need_the_methods_of_the_tools_on_offer_alone(runnable: Package) -> None:
    class Few:
        def read_file(self, args: Any) -> str:
            return "text"

    completions = [completion(runnable, READ), completion(runnable, "Done.")]
    for result, _, _ in all_ways(runnable, completions, offer(runnable, "read_file"), Few()):
        assert result.messages[2].results[0].value == "text"
    with pytest.raises(TypeError, match="has no method write_file"):
        reviewed(runnable).run(native(runnable, completions), offer(runnable, "read_file", "write_file"), Few())


@pytest.mark.parametrize("later", [False, True])
def test_hooks_see_the_run_and_shape_it(runnable: Package, later: bool) -> None:
    log: list[Any] = []

    def soon(value: Any) -> Any:
        async def waited() -> Any:
            await asyncio.sleep(0)
            return value

        return waited() if later else value

    def prepare(request: Any) -> Any:
        log.append("prepare")
        return soon(replace(request, max_output_tokens=7))

    def on_answer(received: Any) -> Any:
        log.append("on_answer")
        return soon(None)

    async def around(call: Any, arguments: Any, proceed: Any) -> Any:
        log.append(("around", call.name, runnable.module("running").current_call()))
        value = await proceed(arguments)
        return f"{value}!"

    def read(args: Any) -> Any:
        log.append(("handler", runnable.module("running").current_call().name))
        return "text"

    def stop(usage: Any, turns: int) -> Any:
        log.append(("stop", usage, turns))
        return soon(turns == 2)

    completions = [completion(runnable, READ), completion(runnable, READ), completion(runnable, "Done.")]
    for result, session, _ in all_ways(
        runnable,
        completions,
        "Hello",
        Handlers(read_file=read),
        prepare=prepare,
        on_answer=on_answer,
        around=around,
        stop=stop,
    ):
        assert (result.stopped_by, result.turns) == ("stop", 2)
        assert [sent.max_output_tokens for sent in session.sent] == [7, 7]
        assert result.messages[2].results[0].value == "text!"
    once = ["prepare", "on_answer", ("around", "read_file", None), ("handler", "read_file")]
    assert log == [*once, ("stop", None, 1), *once, ("stop", None, 2)] * 4
    assert runnable.module("running").current_call() is None


def test_a_handler_that_dispatches_another_call_still_has_its_own(runnable: Package) -> None:
    running, names = runnable.module("running"), []

    async def read(args: Any) -> str:
        await running.dispatch(call(runnable, "grep", {"pattern": "a"}), Handlers())
        names.append(running.current_call().name)
        return "text"

    asyncio.run(running.dispatch(call(runnable, *READ), Handlers(read_file=read)))
    assert names == ["read_file"]


def test_what_ran_instead_of_what_the_model_said_is_recorded(runnable: Package) -> None:
    async def around(call: Any, arguments: Any, proceed: Any) -> Any:
        return await proceed({"path": "b"})

    completions = [completion(runnable, READ), completion(runnable, "Done.")]
    for result, _, _ in all_ways(
        runnable, completions, "Hello", Handlers(read_file=lambda args: args.path), around=around
    ):
        (tool_result,) = result.messages[2].results
        assert (tool_result.value, tool_result.metadata) == ("b", {"running": {"arguments": {"path": "b"}}})


def test_at_the_limit_one_more_response_may_be_asked_for(runnable: Package) -> None:
    completions = [completion(runnable, READ), completion(runnable, READ), completion(runnable, "So far.")]
    for result, session, _ in all_ways(runnable, completions, "Hello", Handlers(), max_tool_turns=1, at_limit="answer"):
        assert (result.stopped_by, result.text, session.sent[-1].tool_choice) == ("limit", "So far.", "none")
        assert [m.role for m in result.messages][-3:] == ["assistant", "tool", "assistant"]
        assert runnable.module("messages").validate(result.messages) == []


def test_where_calls_cannot_be_forbidden_the_last_response_runs_none(
    runnable: Package, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runnable.module("sessions").Session, "forbids_calls", False)
    monkeypatch.setattr(runnable.module("sessions").AsyncSession, "forbids_calls", False)
    completions = [completion(runnable, READ)] * 3
    for result, session, _ in all_ways(runnable, completions, "Hello", Handlers(), max_tool_turns=1, at_limit="answer"):
        assert (result.stopped_by, len(session.sent), session.sent[-1].tool_choice) == ("limit", 3, None)
        assert runnable.module("messages").validate(result.messages) == []


class Weather(BaseModel):
    degrees: int


def test_typed_output_is_read_and_corrected_once(runnable: Package) -> None:
    good, bad = completion(runnable, '```json\n{"degrees": 3}\n```'), completion(runnable, '{"degrees": "warm"}')
    for result, session, _ in all_ways(runnable, [good], "Hello", Handlers(), output=Weather):
        assert (result.output, len(session.sent)) == (Weather(degrees=3), 1)
        assert session.sent[0].output_format.schema == Weather.model_json_schema()
    for result, session, _ in all_ways(runnable, [bad, good], "Hello", Handlers(), output=Weather):
        assert (result.output, len(session.sent)) == (Weather(degrees=3), 2)
        assert "/degrees" in session.sent[1].messages[-1].content
        assert "warm" not in session.sent[1].messages[-1].content
    for result, session, _ in all_ways(runnable, [bad, bad], "Hello", Handlers(), output=Weather):
        assert (result.output, len(session.sent), result.stopped_by) == (None, 2, "end")


class Place(BaseModel):
    name: str
    inside: Place | None = None


class Value(BaseModel):
    value: int


@pytest.mark.parametrize(
    ("output", "message", "expected"),
    [
        (list[Weather], '{"value": [{"degrees": 3}]}', [Weather(degrees=3)]),
        (list[Weather], '[{"degrees": 3}]', [Weather(degrees=3)]),
        (Weather | Value, '{"value": {"value": 3}}', Value(value=3)),
        (int, '{"value": 3}', 3),
        (dict[str, int], '{"value": 3}', {"value": 3}),
        (Value, '{"value": 3}', Value(value=3)),
        (Place, '{"name": "a", "inside": {"name": "b"}}', Place(name="a", inside=Place(name="b"))),
    ],
)
def test_the_schema_of_typed_output_is_an_object(runnable: Package, output: Any, message: str, expected: Any) -> None:
    session = native(runnable, [completion(runnable, message)])
    result = reviewed(runnable).run(session, "Hello", Handlers(), output=output)
    assert (result.output, len(session.sent)) == (expected, 1)
    assert session.sent[0].output_format.schema["type"] == "object"


@pytest.mark.parametrize("provider", ["deepseek", "copilot", "cohere", "openai_chat"])
def test_the_prompt_has_the_schema_of_typed_output_if_the_api_has_none(runnable: Package, provider: str) -> None:
    session = native(runnable, [completion(runnable, '{"degrees": 3}')])
    session.output_schemas = runnable.module(f"sessions.{provider}").Session.output_schemas
    result = reviewed(runnable).run(session, "Hello", Handlers(), output=Weather)
    (sent,) = session.sent
    assert result.output == Weather(degrees=3)
    if provider == "openai_chat":
        assert sent.output_format.schema == Weather.model_json_schema()
        assert [message.role for message in sent.messages] == ["user"]
    else:
        assert sent.output_format == "json"
        assert '"degrees"' in sent.messages[0].content


REJECTING = {
    "cohere": "command-a",
    "groq": "openai/gpt-oss-120b",
    "gemini": "gemini-2.5-flash",
    "vertex": "gemini-2.5-flash",
}


@pytest.mark.parametrize("provider", REJECTING)
def test_the_prompt_has_the_schema_of_typed_output_if_the_api_rejects_it_beside_tools(
    runnable: Package, provider: str
) -> None:
    api = runnable.module(f"sessions.{provider}").Session(None, REJECTING[provider])

    def sent(request: Any) -> Any:
        session = native(runnable, [completion(runnable, '{"degrees": 3}')])
        session.model, session.output_schemas = api.model, api.output_schemas
        session.accepts_output_schema = api.accepts_output_schema
        assert reviewed(runnable).run(session, request, Handlers(), output=Weather).output == Weather(degrees=3)
        return session.sent[0]

    assert '"degrees"' in sent(offer(runnable, "read_file")).messages[0].content
    alone = sent(offer(runnable))
    assert [message.role for message in alone.messages] == ["user"]
    assert alone.output_format.schema == Weather.model_json_schema()


@pytest.mark.parametrize("provider", ["gemini", "vertex"])
def test_a_forced_call_leaves_the_schema_of_typed_output_to_the_prompt(runnable: Package, provider: str) -> None:
    api = runnable.module(f"sessions.{provider}").Session(None, "gemini-3-flash-preview")
    request = replace(api.prepare_request(offer(runnable, "read_file")), tool_choice="required")
    assert not api.accepts_output_schema(request)
    assert api.accepts_output_schema(replace(request, tool_choice="auto"))
    assert api.accepts_output_schema(replace(request, tools=[]))


def test_a_paused_turn_goes_on(runnable: Package) -> None:
    paused = completion(runnable, "I search.", reason="other", stop_reason="pause_turn")
    completions = [paused, completion(runnable, "Done.")]
    session = native(runnable, completions)
    assert reviewed(runnable).run(session, "Hello", Handlers()).text == "I search."
    session = native(runnable, completions)
    session.paused = runnable.module("sessions.anthropic").Session.paused
    result = reviewed(runnable).run(session, "Hello", Handlers())
    assert (result.text, [m.role for m in result.messages]) == ("Done.", ["user", "assistant", "assistant"])


@pytest.mark.parametrize("reason", ["pause_turn", "compaction"])
@pytest.mark.parametrize("at_limit", ["stop", "answer"])
def test_endless_pauses_end_at_the_limit(runnable: Package, reason: str, at_limit: str, monkeypatch: Any) -> None:
    paused = runnable.module("sessions.anthropic").Session.paused
    for kind in ("Session", "AsyncSession"):
        monkeypatch.setattr(getattr(runnable.module("sessions"), kind), "paused", paused)
    completions = [completion(runnable, "I search.", reason="other", stop_reason=reason)]
    for result, session, _ in all_ways(runnable, completions, "Hello", Handlers(), max_tool_turns=2, at_limit=at_limit):
        assert (result.stopped_by, result.text) == ("limit", "I search.")
        assert len(session.sent) == (3 if at_limit == "stop" else 4)
        assert session.sent[-1].tool_choice == (None if at_limit == "stop" else "none")


def test_an_exception_has_what_arrived_before_it(runnable: Package) -> None:
    def fail() -> Any:
        raise ConnectionError("gone")

    usage = runnable.module("models").Usage(1, 2, 3)
    for streamed in (False, True):
        session = native(runnable, [completion(runnable, READ, usage=usage), fail])
        loop = reviewed(runnable)
        with pytest.raises(ConnectionError) as raised:
            list(loop.run_stream(session, "Hello", Handlers())) if streamed else loop.run(session, "Hello", Handlers())
        error: Any = raised.value
        assert [message.role for message in error.messages] == ["user", "assistant", "tool"]
        assert error.usage == usage


def test_a_run_continues_from_the_messages_of_an_error_of_the_api(runnable: Package) -> None:
    models, errors = runnable.module("models"), runnable.module("errors")
    refused = errors.SessionError("openai_chat", 429, models.ApiError("rate_limit", "Slow down.", True))
    assert (refused.messages, refused.usage) == ([], None)

    def refuse() -> Any:
        raise refused

    session = native(runnable, [completion(runnable, READ), refuse, completion(runnable, "Done.")])
    loop = reviewed(runnable)
    with pytest.raises(errors.SessionError) as raised:
        loop.run(session, "Hello", Handlers())
    result = loop.run(session, models.Request(raised.value.messages), Handlers())
    assert [message.role for message in result.messages] == ["user", "assistant", "tool", "assistant"]


def test_a_declared_timeout_holds_unless_the_run_has_its_own(tmp_path: Any) -> None:
    tool = {"name": "slow", "description": "Wait for a while.", "risk": "low", "timeout": 0.05}
    package = Package(compiled(write_project(tmp_path, (tool,), {})), tmp_path)

    class App:
        def slow(self, args: Any) -> str:
            time.sleep(0.3)
            return "done"

    call = package.module("models").ToolCall("c1", "slow", {})
    tools = package.module("tools")
    assert "within 0.05 seconds" in tools.dispatch_sync(call, App()).value
    assert tools.dispatch_sync(call, App(), timeout=5).value == "done"
