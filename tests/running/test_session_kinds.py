"""Sessions for async code, and for other code: the wrong one is refused before anything is sent."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.generated import Package
from tests.support.runnable_project import Handlers


def test_a_session_of_the_other_kind_is_refused_at_once(runnable: Package) -> None:
    sessions, running = runnable.module("sessions"), runnable.module("running")
    now, later = sessions.ScriptedSession(["Hello."]), sessions.AsyncScriptedSession(["Hello."])
    settings = {"review": running.allow_all}
    for begin in (running.run, running.run_stream):
        with pytest.raises(TypeError, match="AsyncScriptedSession is a session for async code: use `arun`"):
            begin(later, "?", Handlers(), **settings)
    message = "ScriptedSession is a session for synchronous code: use `run`"
    with pytest.raises(TypeError, match=message):
        running.arun_stream(now, "?", Handlers(), **settings)
    with pytest.raises(TypeError, match=message):
        asyncio.run(running.arun(now, "?", Handlers(), **settings))
    assert (now.requests, later.requests) == ([], [])


def test_what_is_no_request_is_a_type_error(runnable: Package) -> None:
    sessions, running, models = (runnable.module(name) for name in ("sessions", "running", "models"))
    for wrong, name in (([models.UserMessage("?")], "list"), ({"messages": []}, "dict"), (None, "NoneType")):
        with pytest.raises(TypeError, match=f"a request must be a Request or a string, not {name}"):
            running.run(sessions.ScriptedSession(["Hello."]), wrong, Handlers(), review=running.allow_all)
    for wrong, path in (
        (models.Request([models.UserMessage("?")], tools=["read_file"]), r"tools\[0\]: must be a ToolDefinition"),
        (models.Request([{"role": "user", "content": "?"}]), r"messages\[0\]: must be a message such as UserMessage"),
    ):
        session = sessions.ScriptedSession(["Hello."])
        with pytest.raises(models.ConversionError, match=path):
            running.run(session, wrong, Handlers(), review=running.allow_all)
        assert session.requests == []
    settings = {"review": running.allow_all, "prepare": lambda request: None}
    with pytest.raises(TypeError, match="not NoneType"):
        running.run(sessions.ScriptedSession(["Hello."]), "?", Handlers(), **settings)


@pytest.mark.parametrize("later", [False, True])
def test_a_review_that_says_yes_lets_nothing_run(runnable: Package, later: bool) -> None:
    sessions, running, models = (runnable.module(name) for name in ("sessions", "running", "models"))
    call = models.ToolCall("c1", "write_file", {"path": "a", "text": "b"})
    heard: list[Any] = []

    def review(call: Any, arguments: Any) -> Any:
        return True

    session = (sessions.AsyncScriptedSession if later else sessions.ScriptedSession)([[call], "Done."])
    settings = {"review": review, "on_error": heard.append}
    handlers = Handlers()
    result = (
        asyncio.run(running.arun(session, "?", handlers, **settings))
        if later
        else running.run(session, "?", handlers, **settings)
    )
    assert (handlers.log, result.messages[2].results[0].kind) == ([], "error")
    assert str(heard[0]) == "review must return Allow, Deny, Edit or Hold, not bool"
