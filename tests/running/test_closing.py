"""Sessions are closed: the connections of the official client end, and a session of one's own may have its say."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from typing import Any

import pytest

from tests.running.clients import OWN_SESSIONS, replied, session
from tests.running.scripts import completion, native
from tests.support.generated import Package
from tests.support.loopback import Loopback
from tests.support.runnable_project import Handlers, reviewed


@pytest.fixture
def server() -> Iterator[Loopback]:
    loopback = Loopback()
    yield loopback
    loopback.close()


@contextmanager
def connected(package: Package, provider: str, server: Loopback, later: bool) -> Iterator[tuple[Any, asyncio.Runner]]:
    """A session of a configuration; on a client of the tests' where its API does not accept a base_url."""
    sessions = package.module("sessions")
    client = package.provider(provider).WIRE.session.get("client", {}) if provider in sessions.INTERFACES else {}
    if client.get("address") is None:
        with session(package, provider, server, later) as opened_session:
            yield opened_session, opened_session.runner
        return
    keys = ["k"] if client.get("key") else []
    config = {"interface": provider, "api_keys": keys, "models": ["m"], "base_url": server.address}
    with asyncio.Runner() as runner:
        yield (sessions.connect_async if later else sessions.connect)(config), runner


@pytest.mark.parametrize("later", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("provider", OWN_SESSIONS)
def test_a_session_that_is_left_ends_its_connections(
    runnable: Package, server: Loopback, monkeypatch: pytest.MonkeyPatch, provider: str, later: bool
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    usage = runnable.module("models").Usage(1, 1, 2)
    reply = completion(runnable, "Hello.", id="a", model="m", usage=usage)
    server.replies.append(replied(runnable, provider, reply, False))

    async def talk(opened_session: Any) -> None:
        async with opened_session as same:
            assert same is opened_session
            await opened_session.send("Hello")
            assert not server.departures.acquire(blocking=False)

    with connected(runnable, provider, server, later) as (opened_session, runner):
        opened_session.on_loss = lambda loss: None
        if later:
            runner.run(talk(opened_session))
        else:
            with opened_session as same:
                assert same is opened_session
                opened_session.send("Hello")
                assert not server.departures.acquire(blocking=False)
        assert server.departures.acquire(timeout=60)


def test_all_clients_of_a_session_are_closed(runnable: Package, server: Loopback) -> None:
    closed: list[str] = []

    class Client:
        def __init__(self, name: str) -> None:
            self.name = name

        def close(self) -> None:
            closed.append(self.name)

    for module, way in (("Session", "close"), ("AsyncSession", "aclose")):
        opened_session = getattr(runnable.module("sessions.anthropic"), module)(Client("a"), further=[Client("b")])
        done = getattr(opened_session, way)()
        if done is not None:
            asyncio.run(done)
    assert closed == ["a", "b"] * 2


def test_a_session_without_a_client_can_be_left_too(runnable: Package) -> None:
    base = runnable.module("runtime.sessions.base")

    async def later() -> None:
        async with base.AsyncSession() as opened_session:
            assert isinstance(opened_session, base.AsyncSession)

    with base.Session() as opened_session:
        assert isinstance(opened_session, base.Session)
    asyncio.run(later())


def test_a_run_that_is_closed_early_is_cancelled(runnable: Package) -> None:
    ended: list[str] = []

    class Slow(Handlers):
        async def grep(self, args: Any) -> Any:
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("cancelled")

    completions = [completion(runnable, ("read_file", {"path": "a"}), ("grep", {"pattern": "a"}))]
    run = reviewed(runnable).arun_stream(native(runnable, completions, later=True), "Hello", Slow())

    async def watch() -> None:
        async with aclosing(run):
            async for event in run:
                if event.type == "tool_result":
                    break
        assert run.result is not None

    asyncio.run(watch())
    assert ended == ["cancelled"]
    assert run.result.stopped_by == "cancelled"
    assert [(r.name, r.kind) for r in run.result.messages[-1].results] == [("read_file", "text"), ("grep", "error")]


def test_a_run_that_is_left_waits_for_a_thread_and_records_what_it_gave(runnable: Package) -> None:
    heard: list[Any] = []
    began = threading.Event()

    def slow(args: Any) -> Any:
        began.set()
        time.sleep(0.1)
        return ["written"]

    calls = [("read_file", {"path": "a"}), ("grep", {"pattern": "a"}), ("run_command", {"command": "a"})]
    loop, completions = reviewed(runnable), [completion(runnable, *calls)]

    class Quick(Handlers):
        async def read_file(self, args: Any) -> Any:
            await asyncio.to_thread(began.wait)
            return "read"

    async def watch(run: Any) -> None:
        async with aclosing(run):
            async for event in run:
                if event.type == "tool_result":
                    break
        assert asyncio.all_tasks() == {asyncio.current_task()}

    later = loop.arun_stream(native(runnable, completions, later=True), "Hi", Quick(grep=slow), on_result=heard.append)
    asyncio.run(watch(later))
    began.clear()
    now = loop.run_stream(native(runnable, completions), "Hi", Quick(grep=slow), on_result=heard.append)
    events = iter(now)
    while next(events).type != "tool_result":
        pass
    events.close()
    for run in (later, now):
        results = [(r.kind, r.value) for r in run.result.messages[-1].results]
        assert results == [("text", "read"), ("data", ["written"]), ("error", "The call was cancelled.")]
        assert run.result.stopped_by == "cancelled"
    assert [r.name for r in heard] == ["read_file", "grep"] * 2


@pytest.mark.parametrize("kind", ["stream", "pieces"])
@pytest.mark.parametrize("later", [False, True], ids=["sync", "async"])
def test_a_run_that_is_left_closes_the_stream_of_its_session(runnable: Package, kind: str, later: bool) -> None:
    models, base = runnable.module("models"), runnable.module("runtime.sessions.base")
    closed: list[str] = []

    def item() -> Any:
        return models.TextDelta("a") if kind == "stream" else "a"

    def items(session: Any, request: Any) -> Iterator[Any]:
        try:
            while True:
                yield item()
        finally:
            closed.append("sync")

    async def aitems(session: Any, request: Any) -> AsyncIterator[Any]:
        try:
            while True:
                yield item()
        finally:
            closed.append("async")

    class Held:
        """Holds an iterator, so that nothing but a call closes it."""

    def holding(method: Any) -> Any:
        def opened(session: Any, request: Any) -> Any:
            Held.items = method(session, request)
            return Held.items

        return opened

    mode = base.ToolMode.NATIVE if kind == "stream" else base.ToolMode.PROMPT_BASED
    kinds = {"tool_mode": mode, kind: holding(aitems if later else items)}
    endless = type("Endless", (base.AsyncSession if later else base.Session,), kinds)()

    async def watch() -> None:
        run = reviewed(runnable).arun_stream(endless, "Hi", Handlers())
        async with aclosing(run):
            async for event in run:
                if event.type == "text_delta":
                    break
        assert closed == ["async"]

    if later:
        asyncio.run(watch())
        return
    events = iter(reviewed(runnable).run_stream(endless, "Hi", Handlers()))
    while next(events).type != "text_delta":
        pass
    events.close()
    assert closed == ["sync"]


def test_who_leaves_a_stream_at_the_end_of_a_response_has_it(runnable: Package) -> None:
    session = native(runnable, [completion(runnable, "Hello.")])
    stream = reviewed(runnable).run_stream(session, "?", Handlers())
    events = iter(stream)
    while next(events).type != "completed":
        pass
    events.close()
    assert stream.result is not None
    assert (stream.result.text, [message.role for message in stream.result.messages]) == (
        "Hello.",
        ["user", "assistant"],
    )
