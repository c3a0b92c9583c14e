"""Calls one handler, and waits until it ends or is cancelled."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine
from types import FunctionType
from typing import Any, TypeVar

from .results import PLAIN
from .sync_runner import ENDING, call_in_current_thread

__all__ = [
    "CancellationWatch",
    "EndingError",
    "HandlerTimeoutError",
    "await_if_awaitable",
    "call_handler",
    "carry_ending",
    "is_async",
]

T = TypeVar("T")

Handler = Callable[[Any], Any]


class HandlerTimeoutError(Exception):
    """A handler did not finish in time."""


class EndingError(Exception):
    """Carries an exception that ends the program out of a task: asyncio would stop its loop as soon as one leaves a task."""

    def __init__(self, ending: BaseException) -> None:
        """Set the exception that ends the program."""
        super().__init__(ending)
        self.ending = ending


async def carry_ending(work: Awaitable[T]) -> T:
    """Await what runs in a task of its own.

    Raises:
        EndingError: It raised an exception that ends the program.
    """
    try:
        return await work
    except (KeyboardInterrupt, SystemExit) as error:
        raise EndingError(error) from None


class CancellationWatch:
    """Detects whether this task was cancelled since the object was created. Raised exceptions alone do not count."""

    __slots__ = ("_before", "_task")

    def __init__(self) -> None:
        """Start to watch the current task."""
        self._task = asyncio.current_task()
        self._before = 0 if self._task is None else self._task.cancelling()

    @property
    def was_requested(self) -> bool:
        """Whether the task was cancelled."""
        return self._task is not None and self._task.cancelling() > self._before

    def should_propagate(self, error: BaseException) -> bool:
        """Return whether an exception ends the task or the program, and is not a failure of the code that raised it."""
        return self.was_requested if isinstance(error, asyncio.CancelledError) else isinstance(error, ENDING)


def is_async(handler: Handler) -> bool:
    """Return whether calling a handler returns a coroutine."""
    function = getattr(handler, "__func__", handler)
    if type(function) is FunctionType and not function.__dict__:  # its code object says everything
        return bool(function.__code__.co_flags & inspect.CO_COROUTINE)
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(type(handler).__call__)


async def call_handler(handler: Handler, arguments: object, timeout: float | None, inline: bool) -> Any:
    """Call a handler and return its value. `timeout` is in seconds.

    If `inline` is set, a synchronous handler without a time limit is called in this thread.

    Raises:
        HandlerTimeoutError: The handler did not finish in time.
    """
    later = is_async(handler)
    if later and timeout is None:
        return await _in_own_task(handler(arguments))
    cancellation = CancellationWatch()
    end = None if timeout is None else asyncio.get_running_loop().time() + timeout
    if later:
        value = handler(arguments)
    elif inline and timeout is None:
        value = await call_in_current_thread(_whole, handler, arguments)
    else:
        value = await _call_in_thread(asyncio.get_running_loop(), handler, arguments, end)
    if not _is_awaitable(value):
        return value
    if cancellation.was_requested:
        _drop(value)
        raise asyncio.CancelledError
    limit = asyncio.timeout_at(end)
    try:
        async with limit:
            return await _in_own_task(value)
    except TimeoutError:
        if limit.expired():
            raise HandlerTimeoutError from None
        raise


async def await_if_awaitable(value: Any) -> Any:
    """Return the value of one of the app's functions, and await it if it is awaitable."""
    return await _in_own_task(value) if _is_awaitable(value) else value


def _is_awaitable(value: object) -> bool:
    return type(value) not in PLAIN and inspect.isawaitable(value)


async def _in_own_task(work: Awaitable[T]) -> T:
    """Await code of the app, which may leave its task cancelled: before Python 3.13 a `TaskGroup` that failed does.

    A cancellation of this task cancels that one.
    """
    try:
        return await _started(carry_ending(work))
    except EndingError as carried:
        raise carried.ending from None
    finally:
        _drop(work)  # a task that is cancelled before its first step never starts it


def _started(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Start a task, if possible at once: code that waits for nothing then does not wait for the event loop."""
    loop = asyncio.get_running_loop()
    if sys.version_info >= (3, 12) and loop.get_task_factory() is None:
        return asyncio.Task(work, loop=loop, eager_start=True)
    return loop.create_task(work)


def _whole(handler: Handler, arguments: object) -> Any:
    """Call a handler and return its value. A generator becomes a list, because iterating it runs the handler's code."""
    value = handler(arguments)
    return list(value) if inspect.isgenerator(value) else value


def _drop(value: Any) -> None:
    """Abandon the value of a handler: close a coroutine, and cancel a task."""
    if inspect.iscoroutine(value):
        value.close()
    elif isinstance(value, asyncio.Future):
        value.cancel()


async def _call_in_thread(
    loop: asyncio.AbstractEventLoop, handler: Handler, arguments: object, end: float | None
) -> Any:
    """Call a handler in a thread of its own. `end` is its time limit, as a time of the loop.

    Raises:
        HandlerTimeoutError: The handler did not finish in time. Its thread continues.
    """
    done: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()
    context = contextvars.copy_context()

    def finish(value: Any, error: BaseException | None) -> None:
        if not done.cancelled():
            done.set_result((value, error))
        else:
            _drop(value)

    def work() -> None:
        value, error = None, None
        try:
            value = context.run(_whole, handler, arguments)
        except BaseException as raised:  # noqa: BLE001 - the waiting code raises it again
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop is closed, so nobody waits
            loop.call_soon_threadsafe(finish, value, error)

    threading.Thread(target=work, name="tool", daemon=True).start()
    try:
        await _ended(loop, done, end)
    except HandlerTimeoutError:
        done.cancel()
        raise
    value, error = done.result()
    if error is not None:
        raise error
    return value


async def _ended(loop: asyncio.AbstractEventLoop, done: asyncio.Future[Any], end: float | None) -> None:
    """Wait for a thread, even if this task is cancelled. The cancellation takes effect when the thread is done.

    Raises:
        HandlerTimeoutError: The time limit is over.
    """
    while not done.done():
        left = None if end is None else end - loop.time()
        if left is not None and left <= 0:
            raise HandlerTimeoutError
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([done], timeout=left)
