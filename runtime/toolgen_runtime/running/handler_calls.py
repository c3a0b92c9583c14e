"""Calls one handler, and waits until it ends or is cancelled."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import threading
from collections.abc import Callable
from typing import Any

from ..hooks import abandon, await_in_own_task
from .results import PLAIN
from .sync_runner import ENDING, Outcome, call_in_current_thread

__all__ = ["CancellationWatch", "HandlerTimeoutError", "call_handler", "is_async"]

Handler = Callable[[Any], Any]


class HandlerTimeoutError(Exception):
    """A handler did not finish in time."""


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
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(type(handler).__call__)


async def call_handler(handler: Handler, arguments: object, timeout: float | None, inline: bool) -> Any:
    """Call a handler and return its value. `timeout` is in seconds.

    If `inline` is set, a synchronous handler without a time limit is called in this thread.

    Raises:
        HandlerTimeoutError: The handler did not finish in time.
    """
    is_coroutine = is_async(handler)
    if is_coroutine and timeout is None:
        return await await_in_own_task(handler(arguments))
    cancellation = CancellationWatch()
    loop = asyncio.get_running_loop()
    deadline = None if timeout is None else loop.time() + timeout
    if is_coroutine:
        value = handler(arguments)
    elif inline and timeout is None:
        value = await call_in_current_thread(_call_and_iterate, handler, arguments)
    else:
        value = await _call_in_thread(loop, handler, arguments, deadline)
    if not _is_awaitable(value):
        return value
    if cancellation.was_requested:
        abandon(value)
        raise asyncio.CancelledError
    limit = asyncio.timeout_at(deadline)
    try:
        async with limit:
            return await await_in_own_task(value)
    except TimeoutError:
        if limit.expired():
            raise HandlerTimeoutError from None
        raise


def _is_awaitable(value: object) -> bool:
    return type(value) not in PLAIN and inspect.isawaitable(value)


def _call_and_iterate(handler: Handler, arguments: object) -> Any:
    """Call a handler and return its value. A generator becomes a list, because iterating it runs the handler's code."""
    value = handler(arguments)
    return list(value) if inspect.isgenerator(value) else value


async def _call_in_thread(
    loop: asyncio.AbstractEventLoop, handler: Handler, arguments: object, deadline: float | None
) -> Any:
    """Call a handler in a thread of its own. `deadline` is its time limit, as a time of the loop.

    Raises:
        HandlerTimeoutError: The handler did not finish in time. Its thread continues.
    """
    done: asyncio.Future[Outcome[Any]] = loop.create_future()
    context = contextvars.copy_context()

    def finish(outcome: Outcome[Any]) -> None:
        """Hand over the outcome, in the event loop, unless nobody waits any longer."""
        if done.cancelled():
            abandon(outcome.value)
        else:
            done.set_result(outcome)

    def work() -> None:
        """Call the handler in the thread."""
        try:
            outcome = Outcome(context.run(_call_and_iterate, handler, arguments), None)
        except BaseException as raised:  # noqa: BLE001 - the waiting code raises it again
            outcome = Outcome(None, raised)
        with contextlib.suppress(RuntimeError):  # the loop is closed, so nobody waits
            loop.call_soon_threadsafe(finish, outcome)

    threading.Thread(target=work, name="tool", daemon=True).start()
    try:
        await _wait_despite_cancellation(loop, done, deadline)
    except HandlerTimeoutError:
        done.cancel()
        raise
    return done.result().unwrap()


async def _wait_despite_cancellation(
    loop: asyncio.AbstractEventLoop, done: asyncio.Future[Any], deadline: float | None
) -> None:
    """Wait for a thread, even if this task is cancelled. The cancellation takes effect when the thread is done.

    Raises:
        HandlerTimeoutError: The time limit is over.
    """
    while not done.done():
        seconds = None if deadline is None else deadline - loop.time()
        if seconds is not None and seconds <= 0:
            raise HandlerTimeoutError
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([done], timeout=seconds)
