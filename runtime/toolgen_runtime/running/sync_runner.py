"""Run coroutines and blocking code from synchronous code, and close iterators when a run ends.

A coroutine that waits for nothing needs no event loop: it is stepped by hand. Code that needs a loop checks whether
`running_loop()` is None, and then requests one with `await resume_on_event_loop()`.
"""

from __future__ import annotations

import asyncio
import contextvars
from asyncio import _get_running_loop as running_loop
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Coroutine, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from types import TracebackType, coroutine
from typing import Any, ParamSpec, Self, TypeVar

__all__ = [
    "ENDING",
    "SyncRunner",
    "aclosing",
    "call_in_current_thread",
    "close_if_closable",
    "closing",
    "resume_on_event_loop",
    "run_blocking",
    "running_loop",
]

P = ParamSpec("P")
T = TypeVar("T")

ENDING = (KeyboardInterrupt, SystemExit, GeneratorExit)
"""Exceptions that end the program, not only the code that raised them."""

_DRIVERS: dict[asyncio.AbstractEventLoop, SyncRunner] = {}
"""The runner of each loop that was created here."""


@coroutine
def resume_on_event_loop() -> Generator[None, None, None]:
    """Continue on a running event loop, from code that is stepped by hand."""
    yield


class SyncRunner:
    """Runs coroutines, as a context manager: by hand, or all of them on one loop as soon as one of them requests it.

    If the thread already has a running loop, as in a notebook, another thread is used, and that loop is blocked.
    """

    def __init__(self, context: contextvars.Context | None = None) -> None:
        """Set the context of all steps. By default, it is a copy of the caller's context."""
        self._context = contextvars.copy_context() if context is None else context
        self._runner: asyncio.Runner | None = None

    def __enter__(self) -> Self:
        """Prepare to run coroutines. The loop is created on demand."""
        self._beside: ThreadPoolExecutor | None = None
        if running_loop() is not None:
            self._beside = ThreadPoolExecutor(1, "tools")
            self._beside.submit(int).result()  # start the thread now, so that no interrupt can hit its start
        return self

    def run(self, awaitable: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine, or a step of an asynchronous generator, to its end.

        An interrupt cancels it, and is raised after the coroutine has ended.
        """
        try:
            if self._beside is None:
                self._context.run(awaitable.send, None)
            else:
                self._beside.submit(lambda: self._context.run(awaitable.send, None)).result()
        except StopIteration as end:
            value: T = end.value
            return value
        return self.resume_on_loop(awaitable)

    def resume_on_loop(self, awaitable: Coroutine[Any, Any, T]) -> T:
        """Continue a coroutine on the loop that it requested."""
        if self._runner is None:
            self._open()
        task = self._loop.create_task(_rest(awaitable), context=self._context)
        task.add_done_callback(self._wake)
        if self._beside is None:
            return self._driven(task)
        try:
            return self._beside.submit(self._driven, task).result()
        except BaseException:
            self._loop.call_soon_threadsafe(task.cancel)
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the loop, if one was created."""
        if self._beside is None:
            self._close()
        else:
            self._beside.submit(self._close).result()
            self._beside.shutdown()

    def _open(self) -> None:
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)  # no other code can get this loop
        self._loop = self._runner.get_loop()
        self._waiting: deque[tuple[Callable[[], Any], asyncio.Future[Any]]] = deque()
        self._wanted: asyncio.Future[None] | None = None
        _DRIVERS[self._loop] = self

    def _close(self) -> None:
        if self._runner is not None:
            del _DRIVERS[self._loop]
            self._runner.close()

    def _driven(self, task: asyncio.Task[T]) -> T:
        try:
            self._drive(task)
        except BaseException as raised:
            self._waiting.clear()  # waiting functions are no longer called
            task.cancel()
            self._drive(task)
            error = None if task.cancelled() else task.exception()
            if error is not None and error is not raised:
                raise raised from error
            raise
        return task.result()

    def _drive(self, task: asyncio.Task[Any]) -> None:
        """Run the loop until a task is done. Between its steps, call the functions that were handed over."""
        assert self._runner is not None
        while not task.done():
            self._runner.run(self._pause(task))
            while self._waiting and not task.done():
                function, done = self._waiting.popleft()
                if done.done():
                    continue
                try:
                    value, error = function(), None
                except ENDING:  # the waiting code is cancelled
                    raise
                except BaseException as raised:  # noqa: BLE001 - the waiting code raises it again
                    value, error = None, raised
                done.set_result((value, error))

    async def _pause(self, task: asyncio.Task[Any]) -> None:
        """Wait until a task is done or a function was handed over."""
        self._wanted = self._loop.create_future()
        if not self._waiting and not task.done():
            await self._wanted

    def _wake(self, *_: object) -> None:
        if self._wanted is not None and not self._wanted.done():
            self._wanted.set_result(None)

    async def call_between_steps(self, function: Callable[[], T]) -> T:
        """Call a function between steps of the loop, and wait for its value. It is not called after a cancellation."""
        done: asyncio.Future[tuple[Any, BaseException | None]] = self._loop.create_future()
        context = contextvars.copy_context()
        self._waiting.append((lambda: context.run(function), done))
        self._wake()
        try:
            await done
        except asyncio.CancelledError:
            if done.cancelled():
                raise
            if (current := asyncio.current_task()) is not None:
                current.cancel()  # the value is known, so the next step is cancelled instead
        found: tuple[T, BaseException | None] = done.result()
        if found[1] is not None:
            raise found[1]
        return found[0]


@coroutine
def _going_on(steps: Coroutine[Any, Any, T]) -> Generator[Any, Any, T]:
    value: T = yield from steps
    return value


async def _rest(steps: Coroutine[Any, Any, T]) -> T:
    """Run the remaining steps of a coroutine that has started, because it cannot be awaited directly."""
    return await _going_on(steps)


async def call_in_current_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function that may block: between steps of a loop that was created here, directly on any other loop."""
    loop = running_loop()
    if loop is None:
        return contextvars.copy_context().run(function, *args, **kwargs)
    driver = _DRIVERS.get(loop)
    if driver is None:
        return function(*args, **kwargs)
    return await driver.call_between_steps(lambda: function(*args, **kwargs))


def run_blocking(awaitable: Coroutine[Any, Any, T]) -> T:
    """Run one coroutine to its end, and return its value."""
    if running_loop() is not None:
        with SyncRunner() as blocking:
            return blocking.run(awaitable)
    context = contextvars.copy_context()
    try:
        context.run(awaitable.send, None)
    except StopIteration as end:
        value: T = end.value
        return value
    with SyncRunner(context) as blocking:
        return blocking.resume_on_loop(awaitable)


def close_if_closable(items: Any) -> None:
    """Call the `close` method of an object, if it has one."""
    method: Any = getattr(items, "close", None)
    if method is not None:
        method()


@contextmanager
def closing(items: Iterable[T]) -> Generator[Iterable[T], None, None]:
    """Close an iterator after use."""
    try:
        yield items
    finally:
        close_if_closable(items)


@asynccontextmanager
async def aclosing(items: AsyncIterable[T]) -> AsyncGenerator[AsyncIterable[T], None]:
    """Close an asynchronous iterator after use."""
    try:
        yield items
    finally:
        method: Any = getattr(items, "aclose", None)
        if method is not None:
            await method()
