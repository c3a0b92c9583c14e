"""Clients that block, for async code: in threads of the session's own, with streams that are read ahead."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from tests.running.scripts import completion
from tests.support.generated import Package

MANY = 40
"""Calls at once: more than asyncio's own threads on any machine that tests run on (at most 32)."""


def test_calls_run_at_once(runnable: Package) -> None:
    meeting = threading.Barrier(MANY)
    response = runnable.provider("bedrock").to_response(completion(runnable, "Hello."), id="a", created=1)

    def converse(**keywords: Any) -> Any:
        meeting.wait(20)
        return response

    async def run() -> list[Any]:
        async with runnable.module("sessions.bedrock").AsyncSession(SimpleNamespace(converse=converse), "m") as session:
            return await asyncio.gather(*(session.send("Hello") for _ in range(MANY)))

    assert len(asyncio.run(run())) == MANY


def threads(runnable: Package) -> Any:
    return runnable.module("runtime.sessions.call_threads").CallThreads()


def test_a_stream_comes_whole_and_in_order_and_ends_with_its_error(runnable: Package) -> None:
    def source() -> Iterator[int]:
        yield from range(5000)
        raise ConnectionError("cut")

    items: list[int] = []

    async def run() -> None:
        async for item in threads(runnable).items(source()):
            items.append(item)

    with pytest.raises(ConnectionError, match="cut"):
        asyncio.run(run())
    assert items == list(range(5000))


def test_items_are_handed_on_in_batches(runnable: Package) -> None:
    """A stream whose events are there already does not cost the loop a turn for each."""

    async def run() -> int:
        turns = 0

        async def count() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        counting = asyncio.create_task(count())
        ready = threading.Event()

        def source() -> Iterator[int]:
            yield 0
            yield from range(200)
            ready.set()

        items = threads(runnable).items(source())
        await anext(items)
        await asyncio.to_thread(ready.wait, 20)
        turns = 0
        assert [item async for item in items] == list(range(200))
        counting.cancel()
        return turns

    assert asyncio.run(run()) < 20


def test_a_stream_is_read_ahead_so_far_and_no_further_than_somebody_listens(runnable: Package) -> None:
    pulled: list[int] = []
    ended = threading.Event()

    def source() -> Iterator[int]:
        try:
            for number in range(10_000):
                pulled.append(number)
                yield number
        finally:
            ended.set()

    async def run() -> None:
        items = threads(runnable).items(source())
        assert [await anext(items) for _ in range(3)] == [0, 1, 2]
        await asyncio.sleep(0.2)
        assert len(pulled) <= 300
        await items.aclose()
        assert await asyncio.to_thread(ended.wait, 20)

    asyncio.run(run())
    assert len(pulled) <= 300


def test_a_loop_that_is_gone_lets_the_thread_end(runnable: Package) -> None:
    go, ended = threading.Event(), threading.Event()

    def source() -> Iterator[int]:
        try:
            yield 0
            go.wait(20)
            yield from range(10)
        finally:
            ended.set()

    threaded = threads(runnable)
    loop = asyncio.new_event_loop()
    items = threaded.items(source())
    assert loop.run_until_complete(anext(items)) == 0
    loop.close()
    go.set()
    assert ended.wait(20)


def test_calls_have_the_context_of_who_asked(runnable: Package) -> None:
    who: contextvars.ContextVar[str] = contextvars.ContextVar("who")

    async def run() -> tuple[str, str]:
        who.set("me")
        threaded = threads(runnable)
        items = threaded.items(iter(who.get, None))
        values = await anext(items), await threaded.run(who.get)
        await items.aclose()
        return values

    assert asyncio.run(run()) == ("me", "me")
