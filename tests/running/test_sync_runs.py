"""Runs for code that is not async: on one event loop, whose steps its caller asks for."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import signal
import threading
import traceback
from collections.abc import Iterator
from typing import Any

import pytest

from tests.running.calls import call
from tests.running.scripts import completion, native
from tests.support.every_row import over
from tests.support.generated import Package
from tests.support.runnable_project import Handlers, reviewed

READ = ("read_file", {"path": "a"})
GREP = ("grep", {"pattern": "a"})
COMMAND = ("run_command", {"command": "a"})


def streaming(package: Package, events: Any) -> Any:
    """A session that streams what a function of the number of the request gives."""
    session = native(package, [None])
    asked: list[Any] = []

    def stream(request: Any) -> Any:
        asked.append(request)
        return events(len(asked))

    session.stream = stream
    return session


@pytest.fixture
def loops(monkeypatch: pytest.MonkeyPatch) -> list[asyncio.AbstractEventLoop]:
    """The event loops that are made."""
    loops_made: list[asyncio.AbstractEventLoop] = []
    new = asyncio.new_event_loop

    def counted() -> asyncio.AbstractEventLoop:
        loops_made.append(new())
        return loops_made[-1]

    monkeypatch.setattr(asyncio, "new_event_loop", counted)
    return loops_made


def test_all_rounds_of_a_run_share_a_loop_that_is_closed_with_it(runnable: Package, loops: list[Any]) -> None:
    loops_seen: list[Any] = []

    class Later(Handlers):
        async def run_command(self, args: Any) -> Any:
            await asyncio.sleep(0)
            loops_seen.append(asyncio.get_running_loop())
            return 1

    completions = [completion(runnable, COMMAND), completion(runnable, COMMAND, GREP), completion(runnable, "Done.")]
    stream = reviewed(runnable).run_stream(native(runnable, completions), "Hi", Later())
    kinds = [event.type for event in stream]
    assert kinds.count("tool_result") == 3
    assert stream.result.text == "Done."
    assert loops == [loops_seen[0]]
    assert loops_seen[1] is loops_seen[0]
    assert loops_seen[0].is_closed()


@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside a loop"])
def test_a_plain_handler_may_give_what_needs_a_loop(runnable: Package, beside: bool) -> None:
    loops_seen: list[Any] = []

    async def later(args: Any) -> Any:
        loops_seen.append(asyncio.get_running_loop())
        await asyncio.sleep(0)
        return args.command

    def dispatched() -> Any:
        return runnable.module("tools").dispatch_sync(call(runnable, *COMMAND), Handlers(run_command=later))

    async def main() -> Any:
        loops_seen.append(asyncio.get_running_loop())
        return dispatched()

    assert (asyncio.run(main()) if beside else dispatched()).value == "a"
    assert len({id(loop) for loop in loops_seen}) == len(loops_seen) == 1 + beside


def test_a_cancellation_that_nobody_asked_for_is_a_failure_without_a_loop_too(runnable: Package) -> None:
    def broken(args: Any) -> Any:
        raise asyncio.CancelledError

    failed: list[Any] = []
    handlers = Handlers(run_command=broken)
    result = runnable.module("tools").dispatch_sync(call(runnable, *COMMAND), handlers, on_error=failed.append)
    assert (result.kind, result.value) == ("error", "run_command failed: CancelledError.")
    assert [type(error) for error in failed] == [asyncio.CancelledError]


def test_steps_share_the_context_of_the_run_and_other_code_has_copies(runnable: Package) -> None:
    variable = contextvars.ContextVar[str]("variable", default="none")
    values_seen: list[tuple[str, str]] = []
    models = runnable.module("models")

    def look(where: str, value: str) -> None:
        values_seen.append((where, variable.get()))
        variable.set(value)

    def events(number: int) -> Iterator[Any]:
        look("stream", "of a stream")
        yield models.TextDelta("a")
        look("stream", "of a stream")
        yield models.CompletedEvent(completion(runnable, *([COMMAND] if number == 1 else ["Done."])))

    variable.set("of the caller")
    stream = reviewed(runnable).run_stream(
        streaming(runnable, events),
        "Hi",
        Handlers(run_command=lambda args: look("handler", "of a handler")),
        on_message=lambda message: look(message.role, f"of {message.role}"),
    )
    for _ in stream:
        variable.set("of the caller, later")
    assert values_seen == [
        ("stream", "of the caller"),
        ("stream", "of the caller"),
        ("assistant", "of the caller"),
        ("handler", "of assistant"),
        ("tool", "of assistant"),
        ("stream", "of tool"),
        ("stream", "of tool"),
        ("assistant", "of tool"),
    ]
    assert variable.get() == "of the caller, later"


def test_a_note_of_a_lenient_reading_and_the_handler_share_a_context(runnable: Package) -> None:
    variable = contextvars.ContextVar[str]("variable", default="none")

    class Later(Handlers):
        async def run_command(self, args: Any) -> Any:
            return variable.get()

    tool_call = call(runnable, "run_command", {"command": "a", "level": "1"})
    result = runnable.module("tools").dispatch_sync(tool_call, Later(), on_loss=lambda loss: variable.set(loss.path))
    assert "level" in result.value
    assert variable.get() == "none"


class OwnError(Exception):
    """Of the app's."""


@pytest.mark.parametrize("round_of", [1, 2])
@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside a loop"])
def test_what_a_stream_raises_comes_out_as_it_is(runnable: Package, round_of: int, beside: bool) -> None:
    models = runnable.module("models")
    error = OwnError("a")

    def events(number: int) -> Iterator[Any]:
        yield models.TextDelta("a")
        if number == round_of:
            raise error
        yield models.CompletedEvent(completion(runnable, COMMAND))

    emitted: list[str] = []

    def watched() -> None:
        for event in reviewed(runnable).run_stream(streaming(runnable, events), "Hi", Handlers()):
            emitted.append(event.type)

    async def main() -> None:
        watched()

    with pytest.raises(OwnError) as raised:
        asyncio.run(main()) if beside else watched()
    assert raised.value is error
    assert (error.__cause__, error.__context__) == (None, None)
    assert traceback.extract_tb(error.__traceback__)[-1].name == "events"
    assert emitted.count("tool_result") == round_of - 1
    assert emitted[-1] == "step_complete"


def test_what_dispatching_raises_has_no_other_error_behind_it(runnable: Package) -> None:
    def heard(error: BaseException) -> None:
        raise OwnError from None

    def broken(args: Any) -> Any:
        raise ValueError

    with pytest.raises(OwnError) as raised:
        runnable.module("tools").dispatch_sync(call(runnable, *COMMAND), Handlers(run_command=broken), on_error=heard)
    assert type(raised.value.__context__) is ValueError
    assert raised.value.__context__.__context__ is None


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_the_end_of_the_program_in_a_later_response_ends_the_run(runnable: Package, error: type[BaseException]) -> None:
    models = runnable.module("models")
    closed: list[int] = []

    def events(number: int) -> Iterator[Any]:
        try:
            yield models.TextDelta("a")
            if number == 2:
                raise error
            yield models.CompletedEvent(completion(runnable, COMMAND))
        finally:
            closed.append(number)

    stream = reviewed(runnable).run_stream(streaming(runnable, events), "Hi", Handlers())
    with pytest.raises(error):
        list(stream)
    assert closed == [1, 2]
    assert stream.result.stopped_by == "cancelled"
    assert [message.role for message in stream.result.messages] == ["user", "assistant", "tool"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
@over("settings", [{}, {"timeout": 5}])
@over("calls", {"one": (GREP,), "two at once": (GREP, READ), "reviewed": (COMMAND,)})
@pytest.mark.parametrize("is_async", [False, True], ids=["sync handler", "async handler"])
@pytest.mark.parametrize("way", ["run", "stream", "arun"])
def test_a_handler_can_end_the_program(
    runnable: Package, way: str, is_async: bool, calls: Any, settings: Any, error: type[BaseException]
) -> None:
    def end(args: Any) -> Any:
        raise error

    class Later(Handlers):
        async def grep(self, args: Any) -> Any:
            raise error

        async def run_command(self, args: Any) -> Any:
            raise error

    messages: list[Any] = []
    handlers = Later() if is_async else Handlers(grep=end, run_command=end)
    session, loop = native(runnable, [completion(runnable, *calls)], later=way == "arun"), reviewed(runnable)
    settings = {**settings, "on_message": messages.append}
    ways = {
        "run": loop.run,
        "stream": lambda *arguments, **more: list(loop.run_stream(*arguments, **more)),
        "arun": lambda *arguments, **more: asyncio.run(loop.arun(*arguments, **more)),
    }
    with pytest.raises(error):
        ways[way](session, "Hi", handlers, **settings)
    assert [message.role for message in messages] == ["assistant", "tool"]
    assert messages[1].results[0].kind == "error"


def test_an_interrupt_between_two_events_closes_the_stream(runnable: Package) -> None:
    models = runnable.module("models")
    closed: list[str] = []

    def events(number: int) -> Iterator[Any]:
        try:
            while True:
                yield models.TextDelta("a")
        finally:
            closed.append("closed")

    running = iter(reviewed(runnable).run_stream(streaming(runnable, events), "Hi", Handlers()))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def watch() -> None:
        while next(running).type != "text_delta":
            pass
        signal.raise_signal(signal.SIGINT)

    try:
        with pytest.raises(KeyboardInterrupt):
            watch()
    finally:
        signal.signal(signal.SIGINT, before)
    assert closed == []
    running.close()
    assert closed == ["closed"]


@pytest.mark.parametrize("event", ["text_delta", "agent_tool_call", "tool_result"])
@pytest.mark.usefixtures("small_heap")
def test_a_stream_that_nobody_holds_any_more_ends_what_runs(runnable: Package, event: str) -> None:
    models = runnable.module("models")
    ended: list[str] = []

    class Slow(Handlers):
        async def grep(self, args: Any) -> Any:
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("handler")

    def events(number: int) -> Iterator[Any]:
        try:
            yield models.TextDelta("a")
            yield models.CompletedEvent(completion(runnable, READ, GREP))
        finally:
            ended.append("stream")

    running = iter(reviewed(runnable).run_stream(streaming(runnable, events), "Hi", Slow()))
    while next(running).type != event:
        pass
    del running
    gc.collect()
    assert ended == (["stream", "handler"] if event == "tool_result" else ["stream"])


def test_each_step_may_be_asked_for_in_another_thread(runnable: Package) -> None:
    models = runnable.module("models")

    def events(number: int) -> Iterator[Any]:
        yield models.TextDelta("a")
        yield models.CompletedEvent(completion(runnable, *([COMMAND, GREP] if number == 1 else ["Done."])))

    class Later(Handlers):
        async def grep(self, args: Any) -> Any:
            await asyncio.sleep(0)
            return []

    stream = reviewed(runnable).run_stream(streaming(runnable, events), "Hi", Later())
    steps, kinds = iter(stream), list[str]()

    def step() -> None:
        event = next(steps, None)
        kinds.append(event.type if event else "")

    while not kinds or kinds[-1]:
        thread = threading.Thread(target=step)
        thread.start()
        thread.join()
    assert kinds.count("tool_result") == 2
    assert stream.result.text == "Done."
