"""Run coroutines from synchronous code, and close iterators when a run ends."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from asyncio import _get_running_loop as running_loop
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Coroutine, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from types import TracebackType
from typing import Any, Generic, NamedTuple, ParamSpec, Self, TypeVar

__all__ = [
    "ENDING",
    "Outcome",
    "SyncRunner",
    "aclosing",
    "call_in_current_thread",
    "close_if_closable",
    "closing",
    "run_blocking",
]

P = ParamSpec("P")
T = TypeVar("T")

ENDING = (KeyboardInterrupt, SystemExit, GeneratorExit)
"""Exceptions that end the program, not only the code that raised them."""


class Outcome(NamedTuple, Generic[T]):
    """What a call did elsewhere: the value that it returned, or the exception that it raised."""

    value: T | None
    error: BaseException | None

    def unwrap(self) -> T:
        """Return the value.

        Raises:
            BaseException: The exception of the call.
        """
        if self.error is not None:
            raise self.error
        return self.value  # type: ignore[return-value]  # without an error there is a value


_RUNNER: contextvars.ContextVar[SyncRunner | None] = contextvars.ContextVar("runner", default=None)
"""The runner whose coroutine this context belongs to."""


class SyncRunner:
    """Runs coroutines for the thread that calls it, all on one event loop, as a context manager.

    The loop stands still while synchronous code of the app runs (`call_in_current_thread`), so this code may run a loop
    of its own, and an interrupt hits it directly. If the thread already has a running loop, as in a notebook,
    everything runs in another thread, and that loop is blocked.
    """

    def __enter__(self) -> Self:
        """Create the loop. The coroutines share a copy of the current context."""
        self._context = contextvars.copy_context()
        self._context.run(_RUNNER.set, self)
        self._thread = None if running_loop() is None else ThreadPoolExecutor(1, "tools")
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)  # no other code can get this loop
        self.loop = self._runner.get_loop()
        self._task: asyncio.Task[Any] | None = None
        self._driving_thread: int | None = None
        self._waiting_calls: deque[Callable[[], None]] = deque()
        self._wake = asyncio.Event()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the loop."""
        self._driving_thread = None
        if self._thread is None:
            self._runner.close()
        else:
            self._thread.submit(self._runner.close).result()
            self._thread.shutdown()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine, or a step of an asynchronous generator, to its end.

        An interrupt cancels it, and is raised after the coroutine has ended.
        """
        if self._thread is None:
            return self._run_to_end(work, self._context)
        try:
            return self._thread.submit(self._run_to_end, work, self._context).result()
        except BaseException:
            self.loop.call_soon_threadsafe(self._cancel, work)
            raise

    @property
    def stands_still_here(self) -> bool:
        """Whether the loop stands still while a function that it handed over runs in this thread."""
        return self._driving_thread == threading.get_ident() and running_loop() is None

    def run_while_standing(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine for a function that is called while the loop stands still."""
        outer_task = self._task
        try:
            return self._run_to_end(work, contextvars.copy_context())
        finally:
            self._task = outer_task

    def _cancel(self, work: Coroutine[Any, Any, Any]) -> None:
        if self._task is not None and self._task.get_coro() is work:
            self._task.cancel()

    def _run_to_end(self, work: Coroutine[Any, Any, T], context: contextvars.Context) -> T:
        """Run the loop until a coroutine has ended, and return its value."""
        self._driving_thread = threading.get_ident()
        self._task = task = self.loop.create_task(work, context=context)
        task.add_done_callback(lambda _: self._wake.set())
        try:
            self._drive(task)
        except BaseException as raised:
            self._waiting_calls.clear()  # they are no longer called
            task.cancel()
            self._drive(task)
            error = None if task.cancelled() else task.exception()
            if error is not None and error is not raised:
                raise raised from error
            raise
        return task.result()

    def _drive(self, task: asyncio.Task[Any]) -> None:
        """Run the loop until a task is done. Call the functions that were handed over while it stands still."""
        while not task.done():
            self._runner.run(self._wait_until_needed())
            while self._waiting_calls and not task.done():
                self._waiting_calls.popleft()()

    async def _wait_until_needed(self) -> None:
        """Wait until a function is handed over, or a task is done."""
        if not self._waiting_calls:
            await self._wake.wait()
        self._wake.clear()

    async def call_while_standing(self, function: Callable[[], T]) -> T:
        """Call a function while the loop stands still, and wait for its value. It is not called after a cancellation."""
        done: asyncio.Future[Outcome[T]] = self.loop.create_future()
        context = contextvars.copy_context()

        def call() -> None:
            """Call the function, unless the code that waits for it was cancelled."""
            if done.done():
                return
            try:
                outcome = Outcome(context.run(function), None)
            except ENDING:  # the waiting code is cancelled
                raise
            except BaseException as raised:  # noqa: BLE001 - the waiting code raises it again
                outcome = Outcome(None, raised)
            done.set_result(outcome)

        self._waiting_calls.append(call)
        self._wake.set()
        try:
            await done
        except asyncio.CancelledError:
            if done.cancelled():
                raise
            if (current := asyncio.current_task()) is not None:
                current.cancel()  # the value is known, so the next step is cancelled instead
        return done.result().unwrap()


async def call_in_current_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function that may block: while the loop of a `SyncRunner` stands still, directly on any other loop."""
    runner = _RUNNER.get()
    if runner is None or runner.loop is not running_loop():
        return function(*args, **kwargs)
    return await runner.call_while_standing(lambda: function(*args, **kwargs))


def run_blocking(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end from synchronous code: on the loop of the run that calls this code, or on a new one."""
    runner = _RUNNER.get()
    if runner is not None and runner.stands_still_here:
        return runner.run_while_standing(work)
    with SyncRunner() as own_runner:
        return own_runner.run(work)


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
