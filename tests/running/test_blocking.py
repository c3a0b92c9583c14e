"""Code that is not async in a run: it runs where no loop does, and an interrupt stops it at once."""

from __future__ import annotations

import asyncio
import contextvars
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.running.scripts import completion, native
from tests.support.generated import Package
from tests.support.runnable_project import Handlers, reviewed


@pytest.fixture(autouse=True)
def _heeding_interrupts() -> Iterator[None]:
    """Interrupts count, also where the tests were started in the background, which ignores them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


READ = ("read_file", {"path": "a"})
COMMAND = ("run_command", {"command": "a"})

PLACES = ["send", "stream", "pieces", "handler", "review", "dispatch_sync"]
"""Where code of the app's runs that is not async."""


def watched(package: Package, place: str, code: Callable[[], Any], heard: list[Any]) -> tuple[Any, list[Any]]:
    """Run the code at a place of a run; the stream of the run, where there is one, and its events."""
    models, loop = package.module("models"), reviewed(package)
    base, running = package.module("runtime.sessions.base"), package.module("running")
    completions = [completion(package, COMMAND), completion(package, "Done.")]
    session, handlers, review = native(package, completions), Handlers(), running.allow_all
    if place == "dispatch_sync":
        call = models.ToolCall("c1", *COMMAND)
        return None, [running.dispatch_sync(call, Handlers(run_command=lambda args: code()))]
    if place == "send":
        session.send = lambda request: models.Completion(models.AssistantMessage(code()), "stop")
    elif place == "stream":
        session.stream = lambda request: iter([models.TextDelta(code()), models.CompletedEvent(completions[1])])
    elif place == "pieces":

        def pieces(self: Any, request: Any) -> Any:
            yield code()

        session = type("Pieces", (base.Session,), {"pieces": pieces})()
    elif place == "handler":
        handlers = Handlers(run_command=lambda args: code())
    else:

        def review(call: Any, arguments: Any) -> Any:
            return running.Deny(code())

    stream = loop.run_stream(session, "Hi", handlers, review=review, on_message=heard.append)
    return stream, list(stream) if place != "send" else [loop.run(session, "Hi", handlers, on_message=heard.append)]


@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside a loop"])
@pytest.mark.parametrize("place", PLACES)
def test_code_that_is_not_async_may_run_a_loop_of_its_own(runnable: Package, place: str, beside: bool) -> None:
    ran: list[str] = []

    async def inner() -> str:
        await asyncio.sleep(0)
        ran.append("inner")
        return "text"

    async def main() -> Any:
        return watched(runnable, place, lambda: asyncio.run(inner()), [])

    _, events = asyncio.run(main()) if beside else watched(runnable, place, lambda: asyncio.run(inner()), [])
    assert ran == ["inner"]
    last = events[-1]
    if place == "dispatch_sync":
        assert (last.kind, last.value) == ("text", "text")
    elif place == "send":
        assert (last.stopped_by, last.text) == ("end", "text")
    else:
        assert last.type == "final"
        emitted = [event.result for event in events if event.type == "tool_result"]
        assert emitted == {"handler": ["text"], "review": ["The call was refused: text"]}.get(place, [])


@pytest.mark.parametrize("place", PLACES)
def test_an_interrupt_stops_code_at_once(runnable: Package, place: str) -> None:
    reached: list[str] = []
    heard: list[Any] = []

    def interrupted() -> str:
        reached.append("before")
        signal.raise_signal(signal.SIGINT)
        reached.append("after")
        return "text"

    with pytest.raises(KeyboardInterrupt):
        watched(runnable, place, interrupted, heard)
    assert reached == ["before"]
    if place in ("handler", "review"):
        assert [message.role for message in heard] == ["assistant", "tool"]
        assert [(r.kind, r.value) for r in heard[1].results] == [("error", "The call was cancelled.")]
    else:
        assert heard == []


def test_an_interrupt_cancels_an_async_handler(runnable: Package) -> None:
    ended: list[str] = []

    class Slow(Handlers):
        async def run_command(self, args: Any) -> Any:
            signal.raise_signal(signal.SIGINT)
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("cancelled")

    stream = reviewed(runnable).run_stream(native(runnable, [completion(runnable, READ, COMMAND)]), "Hi", Slow())
    with pytest.raises(KeyboardInterrupt):
        list(stream)
    assert ended == ["cancelled"]
    assert stream.result.stopped_by == "cancelled"
    assert [r.kind for r in stream.result.messages[-1].results] == ["text", "error"]


def test_what_was_told_is_read_before_the_next_handler_begins(runnable: Package) -> None:
    handlers = Handlers()
    session = native(runnable, [completion(runnable, READ, COMMAND, COMMAND), completion(runnable, "Done.")])
    stream = reviewed(runnable).run_stream(session, "Hi", handlers)
    events = iter(stream)
    for begun in (["+read_file"], ["+read_file", "+run_command"]):
        while next(events).type != "tool_result":
            pass
        assert [entry for entry in handlers.log if entry[0] == "+"] == begun
    events.close()
    assert handlers.log.count("+run_command") == 1
    assert [r.kind for r in stream.result.messages[-1].results] == ["text", "data", "error"]


def test_what_ends_the_program_ends_the_run(runnable: Package) -> None:
    def leave(args: Any) -> Any:
        raise SystemExit(3)

    heard: list[Any] = []
    session = native(runnable, [completion(runnable, READ, COMMAND)])
    with pytest.raises(SystemExit) as raised:
        reviewed(runnable).run(session, "Hi", Handlers(run_command=leave), on_message=heard.append)
    assert raised.value.code == 3
    assert [r.kind for r in heard[-1].results] == ["text", "error"]


def test_code_sees_the_context_of_the_caller_and_no_loop(runnable: Package) -> None:
    observed: list[Any] = []
    variable = contextvars.ContextVar[str]("variable", default="none")

    def look(args: Any) -> Any:
        observed.append((variable.get(), threading.get_ident()))
        with pytest.raises(RuntimeError, match="no running event loop"):
            asyncio.get_running_loop()
        return 1

    variable.set("set")
    session = native(runnable, [completion(runnable, COMMAND), completion(runnable, "Done.")])
    result = reviewed(runnable).run(session, "Hi", Handlers(run_command=look))
    assert [r.kind for r in result.messages[2].results] == ["data"]
    assert observed == [("set", threading.get_ident())]


def test_a_run_inside_of_a_handler_is_a_run_of_its_own(runnable: Package) -> None:
    loop = reviewed(runnable)
    inner = native(runnable, [completion(runnable, READ), completion(runnable, "Inner.")])

    def again(args: Any) -> Any:
        return loop.run(inner, "Hi", Handlers()).text

    outer = native(runnable, [completion(runnable, COMMAND), completion(runnable, "Outer.")])
    result = loop.run(outer, "Hi", Handlers(run_command=again))
    assert (result.text, result.messages[2].results[0].value) == ("Outer.", "Inner.")


def test_a_dispatcher_on_a_loop_of_the_app_s_calls_as_it_is(runnable: Package) -> None:
    tools = runnable.module("tools")
    call = runnable.module("models").ToolCall("c1", *COMMAND)

    def again(args: Any) -> Any:
        return asyncio.run(tools.dispatcher(Handlers(), inline=True).run_one(call)).value

    assert tools.dispatch_sync(call, Handlers(run_command=again)).value == 0


def test_an_interrupt_beside_a_loop_cancels_the_run(runnable: Package, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[str] = []
    heard: list[Any] = []
    began = threading.Event()

    class Slow(Handlers):
        async def run_command(self, args: Any) -> Any:
            began.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("cancelled")

    class Interrupted(ThreadPoolExecutor):
        def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
            future = super().submit(function, *args, **kwargs)
            while not future.done():
                if began.wait(0.01):
                    began.clear()
                    raise KeyboardInterrupt
            return future

    async def main() -> None:
        session = native(runnable, [completion(runnable, COMMAND)])
        reviewed(runnable).run(session, "Hi", Slow(), on_message=heard.append)

    monkeypatch.setattr(runnable.module("runtime.running.sync_runner"), "ThreadPoolExecutor", Interrupted)
    own = asyncio.new_event_loop()
    with pytest.raises(KeyboardInterrupt):
        own.run_until_complete(main())
    own.close()
    assert ended == ["cancelled"]
    assert [r.kind for r in heard[-1].results] == ["error"]
