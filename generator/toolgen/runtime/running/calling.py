"""Calls one handler, and waits until it is done or cancelled."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import threading
from collections.abc import Callable
from typing import Any

from .blocking import between_steps

__all__ = ["Cancellation", "NotInTimeError", "call_handler", "is_async"]


Handler = Callable[[Any], Any]


class NotInTimeError(Exception):
    """A handler did not end in its time."""


class Cancellation:
    """Tells whether this task was asked to end since this was made: whoever cancels counts, not what code raises."""

    def __init__(self) -> None:
        """Begin to watch."""
        self._task = asyncio.current_task()
        self._before = self._task.cancelling() if self._task else 0

    @property
    def was_asked(self) -> bool:
        """Whether the task was cancelled."""
        return self._task is not None and self._task.cancelling() > self._before

    def goes_up(self, error: BaseException) -> bool:
        """Whether an exception ends the task, or the program, and is no failure of the code that raised it."""
        if isinstance(error, asyncio.CancelledError):
            return self._task is None or self.was_asked
        return isinstance(error, KeyboardInterrupt | SystemExit | GeneratorExit)


def is_async(handler: Handler) -> bool:
    """Whether calling a handler makes a coroutine."""
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(type(handler).__call__)


async def call_handler(handler: Handler, arguments: object, timeout: float | None, inline: bool) -> Any:
    """Call a handler and return what it gives; `timeout` is in seconds.

    `inline` calls one that is not async on this very thread, between two steps of the loop, for which nothing else waits.

    Raises:
        NotInTimeError: it did not end in its time.
    """
    loop = asyncio.get_running_loop()
    cancellation = Cancellation()
    end = None if timeout is None else loop.time() + timeout
    if is_async(handler):
        value = handler(arguments)
    elif inline and timeout is None:
        value = await between_steps(lambda: _whole(handler(arguments)))
    else:
        value = await _beside(loop, handler, arguments, end)
    if not inspect.isawaitable(value):
        return value
    if cancellation.was_asked:
        _drop(value)
        raise asyncio.CancelledError
    limit = asyncio.timeout_at(end)
    try:
        async with limit:
            return await value
    except TimeoutError:
        if limit.expired():
            raise NotInTimeError from None
        raise


def _whole(value: Any) -> Any:
    """What a handler gave; the items of a generator, whose code is the handler's and runs where that does."""
    return list(value) if inspect.isgenerator(value) else value


def _drop(value: Any) -> None:
    """Leave what a handler gave and nobody waits for: a coroutine is never begun, a task is ended."""
    if inspect.iscoroutine(value):
        value.close()
    elif isinstance(value, asyncio.Future):
        value.cancel()


async def _beside(loop: asyncio.AbstractEventLoop, handler: Handler, arguments: object, end: float | None) -> Any:
    """Call a handler in a thread of its own, until a time of the loop.

    Raises:
        NotInTimeError: it did not end in its time; the thread goes on.
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
            value = context.run(lambda: _whole(handler(arguments)))
        except BaseException as raised:  # noqa: BLE001 - raised again by whoever waits
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits
            loop.call_soon_threadsafe(finish, value, error)

    threading.Thread(target=work, name="tool", daemon=True).start()
    try:
        await _ended(loop, done, end)
    except NotInTimeError:
        done.cancel()
        raise
    value, error = done.result()
    if error is not None:
        raise error
    return value


async def _ended(loop: asyncio.AbstractEventLoop, done: asyncio.Future[Any], end: float | None) -> None:
    """Wait for a thread, through cancellations too; whoever cancels is told when it is done.

    Raises:
        NotInTimeError: the time was over before.
    """
    while not done.done():
        left = None if end is None else end - loop.time()
        if left is not None and left <= 0:
            raise NotInTimeError
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([done], timeout=left)
