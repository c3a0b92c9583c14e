"""Code that may block, run between the steps of a loop, and iterators closed when a run ends."""

from __future__ import annotations

import asyncio
import contextvars
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Coroutine, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

__all__ = ["Blocking", "between_steps", "close", "closed", "closed_at_end", "run_blocking"]

P = ParamSpec("P")
T = TypeVar("T")

_ENDING = (KeyboardInterrupt, SystemExit, GeneratorExit)
"""What ends the program, and not only the code that raised it."""

_DRIVERS: dict[asyncio.AbstractEventLoop, Blocking] = {}
"""What runs each loop that was made here."""


class Blocking:
    """One event loop for several coroutines, used as a context manager.

    In a thread whose loop is running (a notebook's, for one) they run in a thread beside it, which keeps that loop waiting.
    """

    def __enter__(self) -> Self:
        """Make the loop."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            self._beside = None
        else:
            self._beside = ThreadPoolExecutor(1, "tools")
            self._beside.submit(int).result()  # its thread is there before anything can be interrupted in it
        self._context = contextvars.copy_context()
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)  # no other code of the thread gets this loop
        self._loop = self._runner.get_loop()
        self._waiting: deque[tuple[Callable[[], Any], asyncio.Future[Any]]] = deque()
        self._wanted: asyncio.Future[None] | None = None
        _DRIVERS[self._loop] = self
        return self

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end. An interrupt cancels it, and is raised when it has ended."""
        task = self._loop.create_task(coroutine, context=self._context)
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
        """Close the loop."""
        if self._beside is None:
            self._close()
        else:
            self._beside.submit(self._close).result()
            self._beside.shutdown()

    def _close(self) -> None:
        del _DRIVERS[self._loop]
        self._runner.close()

    def _driven(self, task: asyncio.Task[T]) -> T:
        try:
            self._drive(task)
        except BaseException as raised:
            self._waiting.clear()  # what was not called yet is not called any more
            task.cancel()
            self._drive(task)
            error = None if task.cancelled() else task.exception()
            if error is not None and error is not raised:
                raise raised from error
            raise
        return task.result()

    def _drive(self, task: asyncio.Task[Any]) -> None:
        """Run the loop until a task is done, and between its steps what the task has handed over."""
        while not task.done():
            self._runner.run(self._pause(task))
            while self._waiting and not task.done():
                function, done = self._waiting.popleft()
                if done.done():
                    continue
                try:
                    value, error = function(), None
                except _ENDING:  # whoever waits is cancelled
                    raise
                except BaseException as raised:  # noqa: BLE001 - raised again by whoever waits
                    value, error = None, raised
                done.set_result((value, error))

    async def _pause(self, task: asyncio.Task[Any]) -> None:
        """Wait until a task is done, or has handed something over."""
        self._wanted = self._loop.create_future()
        if not self._waiting and not task.done():
            await self._wanted

    def _wake(self, *_: object) -> None:
        if self._wanted is not None and not self._wanted.done():
            self._wanted.set_result(None)

    async def handed_over(self, function: Callable[[], T]) -> T:
        """Wait for what a function gives that is called between steps; one that was not called before a cancellation never is."""
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
                current.cancel()  # what it gave is known, so the next step is the one that is cancelled
        found: tuple[T, BaseException | None] = done.result()
        if found[1] is not None:
            raise found[1]
        return found[0]


async def between_steps(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function that may block; on a loop that was not made here it is called as it is."""
    driver = _DRIVERS.get(asyncio.get_running_loop())
    if driver is None:
        return function(*args, **kwargs)
    return await driver.handed_over(lambda: function(*args, **kwargs))


def run_blocking(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run one coroutine to its end."""
    with Blocking() as loop:
        return loop.run(coroutine)


def close(items: Any) -> None:
    """Close what can be closed."""
    method: Any = getattr(items, "close", None)
    if method is not None:
        method()


@contextmanager
def closed(items: Iterable[T]) -> Generator[Iterable[T], None, None]:
    """Close items once they are no longer read."""
    try:
        yield items
    finally:
        close(items)


@asynccontextmanager
async def closed_at_end(items: AsyncIterable[T]) -> AsyncGenerator[AsyncIterable[T], None]:
    """The same for items that come asynchronously."""
    try:
        yield items
    finally:
        method: Any = getattr(items, "aclose", None)
        if method is not None:
            await method()
