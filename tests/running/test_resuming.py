"""Runs that stop, wait and go on: held calls, verdicts, results of the app, and calls that a crash left behind."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.running.scripts import all_ways, completion, native
from tests.support.budgets import budget
from tests.support.generated import Package
from tests.support.runnable_project import Handlers, reviewed

READ = ("read_file", {"path": "a"})
WRITE = ("write_file", {"path": "a", "text": "b"})
COMMAND = ("run_command", {"command": "ls"})


def held(package: Package, *calls: Any) -> Any:
    """The result of a run whose high-risk calls are all held."""
    running = package.module("running")
    session = native(package, [completion(package, *calls), completion(package, "Done.")])
    return running.run(session, "Hello", Handlers(), review=lambda call, arguments: running.Hold())


def resumed(package: Package, messages: Any, handlers: Any, **settings: Any) -> Any:
    """The result of a run that goes on with messages which were stored as JSON."""
    models = package.module("models")
    stored = models.load(list[models.Message], json.loads(json.dumps(models.dump(messages))))
    session = native(package, [completion(package, "Done.")])
    return reviewed(package).run(session, models.Request(stored), handlers, **settings), session


def kinds_and_values(message: Any) -> list[tuple[str, Any]]:
    return [(result.kind, result.value) for result in message.results]


def test_held_calls_end_the_run_and_the_others_run(runnable: Package) -> None:
    running, handlers = runnable.module("running"), Handlers()
    completions = [completion(runnable, WRITE, READ, COMMAND)]

    def review(call: Any, arguments: Any) -> Any:
        return running.Hold() if call.name == "write_file" else running.Allow()

    for result, session, _ in all_ways(runnable, completions, "Hello", handlers, review=review):
        assert (result.stopped_by, [call.name for call in result.pending]) == ("held", ["write_file"])
        assert [result.name for result in result.messages[-1].results] == ["read_file", "run_command"]
        assert len(session.sent) == 1
    assert "+write_file" not in handlers.log


@pytest.mark.parametrize("verdict", ["allow", "deny", "edit", "result"])
def test_a_later_run_settles_what_was_held(runnable: Package, verdict: str) -> None:
    models, running = runnable.module("models"), runnable.module("running")
    first, handlers = held(runnable, WRITE, READ), Handlers(write_file=lambda args: {"bytes": len(args.text)})
    (call,) = first.pending
    settings: dict[str, Any] = {
        "allow": {"verdicts": {call.id: running.Allow()}},
        "deny": {"verdicts": {call.id: running.Deny("Not today.")}},
        "edit": {"verdicts": {call.id: running.Edit({"path": "a", "text": "longer"})}},
        "result": {"results": [models.ToolResult(call.id, "", "text", "The user did it.")]},
    }[verdict]
    result, session = resumed(runnable, first.messages, handlers, **settings)
    assert (result.stopped_by, result.text) == ("end", "Done.")
    assert [message.role for message in result.messages] == ["user", "assistant", "tool", "tool", "assistant"]
    assert (
        kinds_and_values(result.messages[3])
        == {
            "allow": [("data", {"bytes": 1})],
            "deny": [("error", "The call was refused: Not today.")],
            "edit": [("data", {"bytes": 6})],
            "result": [("text", "The user did it.")],
        }[verdict]
    )
    (settled,) = result.messages[3].results
    assert (settled.tool_call_id, settled.name) == (call.id, "write_file")
    edited = {"running": {"arguments": {"path": "a", "text": "longer"}}} if verdict == "edit" else None
    assert settled.metadata == edited
    assert runnable.module("messages").validate(session.sent[0].messages) == []
    assert "+read_file" not in handlers.log  # it has its result already


def test_what_is_still_held_ends_the_run_before_anything_is_sent(runnable: Package) -> None:
    running = runnable.module("running")
    first = held(runnable, WRITE, COMMAND)
    verdicts = {first.pending[0].id: running.Allow()}
    review = lambda call, arguments: running.Hold()  # noqa: E731 - one of two
    result, session = resumed(runnable, first.messages, Handlers(), verdicts=verdicts, review=review)
    assert (result.stopped_by, [call.name for call in result.pending], session.sent) == ("held", ["run_command"], [])
    verdicts = {call.id: running.Deny() for call in result.pending}
    result, session = resumed(runnable, result.messages, Handlers(), verdicts=verdicts)
    assert (result.stopped_by, len(session.sent)) == ("end", 1)
    assert runnable.module("messages").validate(result.messages) == []


@pytest.mark.parametrize("setting", ["verdicts", "results"])
def test_what_is_for_no_waiting_call_is_refused(runnable: Package, setting: str) -> None:
    models, running = runnable.module("models"), runnable.module("running")
    first = held(runnable, WRITE)
    unknown_call = {"verdicts": {"other": running.Allow()}, "results": [models.ToolResult("other", "", "text", "x")]}[
        setting
    ]
    with pytest.raises(ValueError, match="'other'"):
        resumed(runnable, first.messages, Handlers(), **{setting: unknown_call})


@pytest.mark.parametrize(
    ("setting", "message"),
    [("verdicts", "a verdict must be Allow, Deny, Edit or Hold, not bool"), ("review", "review must be a function")],
)
def test_what_is_no_verdict_and_no_review_is_refused_before_anything_runs(
    runnable: Package, setting: str, message: str
) -> None:
    running, first, handlers = runnable.module("running"), held(runnable, READ, WRITE), Handlers()
    wrong: dict[str, Any] = {"verdicts": dict.fromkeys((call.id for call in first.pending), True), "review": True}
    settings = {"review": running.allow_all, setting: wrong[setting]}
    with pytest.raises(TypeError, match=message):
        resumed(runnable, first.messages, handlers, **settings)
    work = running.dispatch_all(first.pending, handlers, **settings)
    with pytest.raises(TypeError, match=message):
        asyncio.run(work)
    with pytest.raises(TypeError, match="verdicts must be a mapping of call ids to verdicts, not list"):
        resumed(runnable, first.messages, handlers, review=running.allow_all, verdicts=[running.Allow()])
    assert handlers.log == []


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"at_limit": "anser"}, ValueError, 'at_limit must be "stop" or "answer"'),
        ({"on_answer": 5}, TypeError, "on_answer must be a function, not int"),
        ({"around": "x"}, TypeError, "around must be a function, not str"),
        ({"others": {"extra": None}}, TypeError, r"others\['extra'\] must be a function, not NoneType"),
        ({"others": ["extra"]}, TypeError, "others must be a mapping of names to functions, not list"),
        ({"results": ["x"]}, TypeError, "a result must be a ToolResult, not str"),
        ({"results": "text 5"}, ValueError, "value: must be a string if kind is text"),
    ],
)
def test_settings_that_cannot_work_are_refused_before_anything_runs(
    runnable: Package, settings: dict[str, Any], error: type[Exception], message: str
) -> None:
    first, handlers, allow_all = held(runnable, READ, WRITE), Handlers(), runnable.module("running").allow_all
    if settings.get("results") == "text 5":
        settings = {"results": [runnable.module("models").ToolResult(first.pending[0].id, "", "text", 5)]}
    with pytest.raises(error, match=message):
        resumed(runnable, first.messages, handlers, review=allow_all, **settings)
    if settings.keys() <= {"around", "others"}:
        with pytest.raises(error, match=message):
            asyncio.run(runnable.module("running").dispatch_all(first.pending, handlers, review=allow_all, **settings))
    assert handlers.log == []


@pytest.mark.parametrize("stopped", [False, True])
def test_a_stream_runs_once(runnable: Package, stopped: bool) -> None:
    """A second iteration has no events, and runs no held call again."""
    running, first, handlers = runnable.module("running"), held(runnable, WRITE), Handlers()
    session = native(runnable, [completion(runnable, "Done.")])
    request = runnable.module("models").Request(first.messages)
    stream = running.run_stream(session, request, handlers, review=running.allow_all)
    for event in stream:
        if stopped and event.type == "tool_result":
            break
    result, log = stream.result, list(handlers.log)
    assert (list(stream), handlers.log, log) == ([], log, ["+write_file", "-write_file"])
    assert stream.result is result


def test_calls_that_a_limit_or_a_crash_left_run_first(runnable: Package) -> None:
    session = native(runnable, [completion(runnable, READ)])
    first = reviewed(runnable).run(session, "Hello", Handlers(), max_tool_turns=1)
    assert first.stopped_by == "limit"
    result, session = resumed(runnable, first.messages, handlers := Handlers())
    assert (result.stopped_by, handlers.log) == ("end", ["+read_file", "-read_file"])
    assert runnable.module("messages").validate(session.sent[0].messages) == []


@pytest.mark.parametrize(("reason", "fault"), [("length", "truncated"), ("content_filter", "filtered")])
def test_calls_of_a_response_that_was_cut_off_do_not_run_later(runnable: Package, reason: str, fault: str) -> None:
    """The session is the app's own: it has the stop reason, but did not mark the calls."""
    session = native(runnable, [completion(runnable, READ, reason=reason)])
    first = reviewed(runnable).run(session, "Hello", Handlers())
    assert first.stopped_by == reason
    assert [call.invalid.reason for call in runnable.module("messages").tool_calls_of(first.messages[-1])] == [fault]
    result, _ = resumed(runnable, first.messages, handlers := Handlers())
    assert (result.stopped_by, handlers.log) == ("end", [])


def test_a_result_in_another_place_is_the_result_of_its_call(runnable: Package) -> None:
    models, validate = runnable.module("models"), runnable.module("messages").validate
    asked = [
        models.AssistantMessage([models.ToolCallPart(models.ToolCall(name, *READ))]) for name in ("first", "second")
    ]
    first, second = (
        models.ToolMessage([models.ToolResult(name, "read_file", "text", "t")]) for name in ("first", "second")
    )
    for messages in ([*asked, first, second], [*asked, second, first], [first, *asked, second]):
        handlers = Handlers()
        result, _ = resumed(runnable, messages, handlers)
        assert handlers.log == []
        assert [message.role for message in result.messages[:-1]] == [message.role for message in messages]
        assert {finding.code for finding in validate(result.messages)} == {"wrong_order"}


def test_calls_of_older_turns_are_told_that_they_did_not_run(runnable: Package) -> None:
    models = runnable.module("models")
    old = completion(runnable, WRITE, READ).message
    messages = [models.UserMessage("Hello"), old, models.UserMessage("Forget it."), models.AssistantMessage("Yes.")]
    messages.append(models.UserMessage("And now?"))
    result, session = resumed(runnable, messages, handlers := Handlers())
    assert handlers.log == []
    assert [m.role for m in session.sent[0].messages] == ["user", "assistant", "tool", "user", "assistant", "user"]
    assert [kind for kind, _ in kinds_and_values(result.messages[2])] == ["error", "error"]


@pytest.mark.slow
def test_a_run_that_is_killed_at_any_await_repeats_no_recorded_call_and_loses_none(
    runnable: Package, tmp_path: Path
) -> None:
    """A process that ends at the n-th step of its event loop, and another one that goes on from what the first stored."""
    models, extras_of_messages = runnable.module("models"), runnable.module("messages")
    running = runnable.module("running")
    completions = [completion(runnable, READ, WRITE), completion(runnable, COMMAND), completion(runnable, "Done.")]
    stored, ran = tmp_path / "messages", tmp_path / "ran"

    def read() -> list[Any]:
        return [models.load(models.Message, json.loads(line)) for line in stored.read_text().splitlines()]

    def append(file: Path, text: str) -> None:
        with file.open("a") as opened:
            opened.write(text + "\n")

    class Noted(Handlers):
        async def _noted(self, name: str, value: Any) -> Any:
            await asyncio.sleep(0)
            append(ran, name)
            return value

        async def read_file(self, args: Any) -> Any:
            return await self._noted("read_file", "text")

        async def write_file(self, args: Any) -> Any:
            return await self._noted("write_file", {"bytes": 1})

        async def run_command(self, args: Any) -> Any:
            return await self._noted("run_command", 0)

    async def resume(steps: int | None) -> None:
        before = read()
        session = native(
            runnable, completions[sum(m.role == "assistant" for m in before) :] or completions[-1:], later=True
        )
        task = asyncio.ensure_future(
            running.arun(
                session,
                models.Request(before),
                Noted(),
                review=running.allow_all,
                on_message=lambda message: append(stored, json.dumps(models.dump(message))),
            )
        )
        for _ in range(steps or 0):
            await asyncio.sleep(0)
        if steps is None:
            await task

    killed = 0
    step = budget(3, 1)
    for steps in range(1, 60, step):
        stored.write_text("")
        ran.write_text("")
        append(stored, json.dumps(models.dump(models.UserMessage("Hello"))))
        child = os.fork()
        if child == 0:
            try:
                asyncio.new_event_loop().run_until_complete(resume(steps))
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        recorded = [r.name for message in read() if message.role == "tool" for r in message.results]
        before = len(ran.read_text().split())
        if read()[-1].role != "assistant" or extras_of_messages.has_tool_calls(read()[-1]):
            killed += 1
            asyncio.run(resume(None))
        assert [name for name in ran.read_text().split()[before:] if name in recorded] == [], steps
        done = [r.tool_call_id for message in read() if message.role == "tool" for r in message.results]
        asked = [call.id for message in read() for call in extras_of_messages.tool_calls_of(message)]
        assert sorted(done) == sorted(asked), steps
        assert len(asked) == 3
    assert 10 < killed * step < 59


def test_a_resumed_run_that_is_cancelled_records_what_ran(runnable: Package) -> None:
    """Otherwise the next run would run it again."""
    models, running = runnable.module("models"), runnable.module("running")
    first = held(runnable, WRITE, COMMAND)
    verdicts = {call.id: running.Allow() for call in first.pending}
    added: list[Any] = []

    class Waiting(Handlers):
        async def write_file(self, args: Any) -> Any:
            return {"bytes": 1}

        async def run_command(self, args: Any) -> Any:
            await asyncio.get_running_loop().create_future()

    async def cancelled() -> None:
        session = native(runnable, [completion(runnable, "Done.")], later=True)
        request = models.Request(list(first.messages))
        stream = running.arun_stream(
            session, request, Waiting(), review=running.allow_all, verdicts=verdicts, on_message=added.append
        )

        async def drain() -> None:
            async for event in stream:
                if event.type == "tool_result":
                    written.set()

        written = asyncio.Event()
        task = asyncio.ensure_future(drain())
        await written.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert stream.result.stopped_by == "cancelled"

    asyncio.run(cancelled())
    assert [[kind for kind, _ in kinds_and_values(message)] for message in added] == [["data", "error"]]
    result, session = resumed(runnable, [*first.messages, *added], handlers := Handlers())
    assert (result.stopped_by, handlers.log) == ("end", [])
    assert runnable.module("messages").validate(session.sent[0].messages) == []


def test_dispatch_all_takes_verdicts_and_tells_what_is_held(runnable: Package) -> None:
    models, running = runnable.module("models"), runnable.module("running")
    calls = [
        models.ToolCall(f"c{i}", *name_and_arguments) for i, name_and_arguments in enumerate((READ, WRITE, COMMAND))
    ]
    waiting: list[Any] = []
    review = lambda call, arguments: running.Hold()  # noqa: E731 - an argument of one call
    work = running.dispatch_all(calls, Handlers(), review=review, on_hold=waiting.append)
    assert [result.tool_call_id for result in asyncio.run(work)] == ["c0"]
    assert [call.id for call in waiting] == ["c1", "c2"]
    verdicts = {"c1": running.Allow(), "c2": running.Deny("No.")}
    work = running.dispatch_all(waiting, Handlers(), review=review, verdicts=verdicts)
    assert [(result.tool_call_id, result.kind) for result in asyncio.run(work)] == [("c1", "data"), ("c2", "error")]


@pytest.mark.slow
def test_ten_thousand_held_calls_go_on_in_another_process(runnable: Package, tmp_path: Path) -> None:
    """A tenth is refused, a tenth edited, a tenth has a result of the app's; each other call runs exactly once."""
    code = f"""
import json, sys
sys.path.insert(0, {str(runnable.folder.parent)!r})
from {runnable.name}.models import Message, Request, ToolCall, ToolResult, dump, load
from {runnable.name}.running import Allow, Deny, Edit, Hold, run
from {runnable.name}.sessions import ScriptedSession

class App:
    def __init__(self): self.log = []
    def write_file(self, args):
        self.log.append(args.path)
        return {{"bytes": len(args.text)}}
    def __getattr__(self, name): return self.write_file

COUNT = 10_000
"""
    hold = (
        code
        + """
calls = [ToolCall(f"c{i}", "write_file", {"path": f"p{i}", "text": "t"}) for i in range(COUNT)]
result = run(ScriptedSession([calls]), "?", App(), review=lambda call, arguments: Hold())
assert (result.stopped_by, len(result.pending)) == ("held", COUNT)
open("held.json", "w").write(json.dumps(dump(result.messages)))
"""
    )
    resume = (
        code
        + """
messages = load(list[Message], json.load(open("held.json")))
verdicts = {f"c{i}": Deny("no") if i % 10 == 0 else Edit({"path": f"e{i}", "text": "t"}) if i % 10 == 1 else Allow() for i in range(COUNT) if i % 10 != 2}
results = [ToolResult(f"c{i}", "write_file", "data", {"bytes": 0}) for i in range(2, COUNT, 10)]
app, session = App(), ScriptedSession(["Done."])
result = run(session, Request(messages), app, review=lambda call, arguments: Hold(), verdicts=verdicts, results=results)
assert result.text == "Done."
assert app.log == [f"e{i}" if i % 10 == 1 else f"p{i}" for i in range(COUNT) if i % 10 not in (0, 2)]
told = [each for message in session.requests[0].messages if message.role == "tool" for each in message.results]
assert sorted(each.tool_call_id for each in told) == sorted(f"c{i}" for i in range(COUNT))
assert sum(each.kind == "error" for each in told) == COUNT // 10
"""
    )
    for step in (hold, resume):
        done = subprocess.run([sys.executable, "-c", step], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
