"""Calls hooks: functions that an app passes to a run, a dispatch or a session. What they return is awaited if it can be.

Losses are reported to hooks after the conversion that found them, which is synchronous, and before the request is sent.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Awaitable, Callable, Coroutine, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias, TypeVar

from .conversion.writer import OnLoss
from .models import Loss
from .running.sync_runner import run_blocking

__all__ = [
    "EndingError",
    "OnLossHooks",
    "abandon",
    "areport_losses",
    "await_in_own_task",
    "call_hook",
    "call_hooks",
    "carry_ending",
    "loss_hooks",
    "loss_hooks_of_run",
    "report_losses",
]

T = TypeVar("T")

OnLossHooks: TypeAlias = tuple[OnLoss, ...]
"""The functions that each loss is reported to."""

_LOSS_HOOKS_OF_RUN: ContextVar[OnLossHooks] = ContextVar("loss_hooks_of_run", default=())
"""The hooks of the run that sends a request. A session may be shared by runs, so it cannot have them itself."""


async def call_hook(hook: Callable[..., Any] | None, *arguments: Any) -> Any:
    """Call a hook, and await what it returns if it is awaitable. Return its value; None without a hook."""
    value = None if hook is None else hook(*arguments)
    if value is None or not inspect.isawaitable(value):
        return value
    return await await_in_own_task(value)


async def call_hooks(hooks: Sequence[Callable[[T], object]], value: T) -> None:
    """Call hooks with a value, one after the other."""
    for hook in hooks:
        await call_hook(hook, value)


def loss_hooks(*hooks: OnLoss | None) -> OnLossHooks:
    """Return the functions that a loss is reported to: those that are not None, each once."""
    unique: OnLossHooks = ()
    for hook in hooks:
        if hook is not None and hook not in unique:
            unique = (*unique, hook)
    return unique


@contextmanager
def loss_hooks_of_run(hooks: OnLossHooks) -> Generator[None, None, None]:
    """While a request is sent, report its losses to the hooks of the run, whatever session converts it."""
    token = _LOSS_HOOKS_OF_RUN.set(hooks)
    try:
        yield
    finally:
        _LOSS_HOOKS_OF_RUN.reset(token)


def report_losses(on_loss: OnLoss | None, convert: Callable[[OnLoss | None], T]) -> T:
    """Convert a request like `areport_losses`, from synchronous code."""
    hooks = loss_hooks(*_LOSS_HOOKS_OF_RUN.get(), on_loss)
    if not hooks:
        return convert(None)
    losses: list[Loss] = []
    try:
        return convert(losses.append)
    finally:
        for loss in losses:
            for hook in hooks:
                value = hook(loss)
                if inspect.isawaitable(value):
                    run_blocking(await_in_own_task(value))


async def areport_losses(on_loss: OnLoss | None, convert: Callable[[OnLoss | None], T]) -> T:
    """Convert a request, and report its losses to the hooks of the run and to `on_loss`, the hook of the session.

    `convert` gets None if nobody listens. The losses before an exception are reported too.
    """
    hooks = loss_hooks(*_LOSS_HOOKS_OF_RUN.get(), on_loss)
    if not hooks:
        return convert(None)
    losses: list[Loss] = []
    try:
        return convert(losses.append)
    finally:
        for loss in losses:
            await call_hooks(hooks, loss)


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


async def await_in_own_task(work: Awaitable[T]) -> T:
    """Await code of the app, which may leave its task cancelled: before Python 3.13 a `TaskGroup` that failed does.

    A cancellation of this task cancels that one.
    """
    try:
        return await _start_task(carry_ending(work))
    except EndingError as carried:
        raise carried.ending from None
    finally:
        abandon(work)  # a task that is cancelled before its first step never starts it


def _start_task(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Start a task, if possible at once: code that waits for nothing then does not wait for the event loop."""
    loop = asyncio.get_running_loop()
    if sys.version_info >= (3, 12) and loop.get_task_factory() is None:
        return asyncio.Task(work, loop=loop, eager_start=True)
    return loop.create_task(work)


def abandon(value: Any) -> None:
    """Abandon what code of the app returned: close a coroutine, and cancel a task."""
    if inspect.iscoroutine(value):
        value.close()
    elif isinstance(value, asyncio.Future):
        value.cancel()
