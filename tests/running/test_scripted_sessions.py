"""Sessions that give responses from a list."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.generated import Package
from tests.support.runnable_project import Handlers


def script(package: Package) -> list[Any]:
    models = package.module("models")
    return [[models.ToolCall("c1", "read_file", {"path": "a"})], "Done."]


def test_a_run_without_a_model(runnable: Package) -> None:
    session = runnable.module("sessions").ScriptedSession(script(runnable), "m")
    handlers = Handlers()
    result = runnable.module("running").run(session, "?", handlers, review=runnable.module("running").allow_all)
    assert (result.text, result.stopped_by, result.turns) == ("Done.", "end", 1)
    assert [(sent.model, len(sent.messages)) for sent in session.requests] == [("m", 1), ("m", 3)]


def test_streams_and_async_code(runnable: Package) -> None:
    sessions, running = runnable.module("sessions"), runnable.module("running")
    kinds = [event.type for event in sessions.ScriptedSession(["Hello."]).stream("?")]
    assert kinds == ["text_delta", "completed"]
    session = sessions.AsyncScriptedSession(script(runnable))
    result = asyncio.run(running.arun(session, "?", Handlers(), review=running.allow_all))
    assert (result.text, len(session.requests)) == ("Done.", 2)


def test_what_is_raised_and_what_is_not_there(runnable: Package) -> None:
    sessions, models = runnable.module("sessions"), runnable.module("models")
    completion = models.Completion(models.AssistantMessage("Whole."), "length")
    session = sessions.ScriptedSession([ConnectionError("gone"), completion])
    with pytest.raises(ConnectionError):
        session.complete("?")
    assert session.complete("?") is completion
    with pytest.raises(LookupError, match="no response for request 3"):
        session.complete("?")
