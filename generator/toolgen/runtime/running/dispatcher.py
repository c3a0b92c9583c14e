"""From a call to its result: checked, run by its handler, and turned into what the model is told.

What a model did never raises. What a handler did goes to `on_error`, and to the model as the name of its exception
alone. Runs of low-risk calls go side by side; a high-risk call waits for all before it and holds all after it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeAlias

from pydantic import BaseModel

from ..conversion.writer import OnLoss
from ..models import InvalidCall, ToolCall, ToolResult
from ..tools.arguments import ArgumentsError
from ..tools.call_arguments import parsed_call
from ..tools.tool_entries import ToolEntry
from .handler_calls import Cancellation, HandlerTimeoutError, call_handler
from .handlers import Allow, Deny, Edit, Review, check_methods, check_timeout
from .json_values import json_value
from .results import (
    ToolError,
    denied_text,
    error_result,
    failure_text,
    invalid_arguments_text,
    invalid_call_text,
    invalid_result_text,
    result_of_return,
    timeout_text,
    unknown_tool_text,
)
from .sync_runner import run_blocking

__all__ = ["Dispatcher", "OnError", "OnResult"]

OnError: TypeAlias = Callable[[BaseException], object]
"""Hears each exception of a handler or a review; a note on it names the tool and the call."""

OnResult: TypeAlias = Callable[[ToolResult], object]
"""Hears each result as soon as there is one."""

_LOG = logging.getLogger(__name__)


@dataclass(slots=True)
class _Ready:
    """A call that may run: its tool, and the model of its arguments."""

    call: ToolCall
    entry: ToolEntry
    arguments: BaseModel


class Dispatcher:
    """Runs calls of declared tools with the app's handlers.

    `timeout` is in seconds, for each handler. `offered` are the names of the tools that may run, all where it is None.
    `inline` says that the event loop serves nobody else: a handler that is not async may block it while it is alone.
    """

    def __init__(
        self,
        entries: Mapping[str, ToolEntry],
        low_risk: Collection[str],
        protocol: type,
        handlers: object,
        *,
        timeout: float | None = None,
        on_error: OnError | None = None,
        on_result: OnResult | None = None,
        on_loss: OnLoss | None = None,
        offered: Collection[str] | None = None,
        inline: bool = False,
    ) -> None:
        """Check the handlers.

        Raises:
            TypeError: a tool has no handler, or the timeout is not a number.
            ValueError: the timeout is NaN.
        """
        check_methods(entries, protocol, handlers)
        check_timeout(timeout)
        known = entries if offered is None else {name: entries[name] for name in entries if name in offered}
        self._entries = known
        self._low = low_risk
        self._handlers = handlers
        self._timeout = timeout
        self._on_error = on_error
        self._on_result = on_result
        self._on_loss = on_loss
        self._inline = inline

    async def one(self, call: ToolCall) -> ToolResult:
        """Run one call."""
        ready = self._ready(call)
        if isinstance(ready, ToolResult):
            return self._told(ready)
        return await self._run(ready, self._inline)

    def one_here(self, call: ToolCall) -> ToolResult:
        """Run one call from code that is not async."""
        return run_blocking(self.one(call))

    async def all(
        self, calls: Iterable[ToolCall], review: Review | None = None, max_parallel: int = 8
    ) -> list[ToolResult]:
        """Run calls, and return one result a call, in their order.

        Raises:
            ValueError: `max_parallel` is less than 1.
        """
        if max_parallel < 1:
            raise ValueError("max_parallel must be at least 1")
        ready = [self._ready(call) for call in _unique(calls)]
        results: list[ToolResult] = []
        for low, run in groupby(ready, self._is_low):
            if low:
                results += await self._side_by_side(list(run), max_parallel)
            else:
                results += [await self._reviewed(one, review) for one in run if isinstance(one, _Ready)]
        return results

    def _is_low(self, ready: _Ready | ToolResult) -> bool:
        """Whether nothing has to wait for a call: it is low-risk by its declaration, or does not run at all."""
        return isinstance(ready, ToolResult) or ready.entry.name in self._low

    def _ready(self, call: ToolCall) -> _Ready | ToolResult:
        if call.invalid is not None:
            return error_result(call, invalid_call_text(call.invalid))
        entry = self._entries.get(call.name) if isinstance(call.name, str) else None
        if entry is None:
            return error_result(call, unknown_tool_text(str(call.name), self._entries.keys()))
        try:
            return _Ready(call, entry, parsed_call(self._entries, call, self._on_loss))
        except ArgumentsError as error:
            return error_result(call, invalid_arguments_text(entry.name, error))

    async def _side_by_side(self, run: list[_Ready | ToolResult], max_parallel: int) -> list[ToolResult]:
        alone = self._inline and sum(isinstance(one, _Ready) for one in run) == 1
        limit = asyncio.Semaphore(max_parallel)

        async def limited(one: _Ready | ToolResult) -> ToolResult:
            if isinstance(one, ToolResult):
                return self._told(one)
            async with limit:
                return await self._run(one, alone)

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(limited(one)) for one in run]
        except BaseExceptionGroup as raised:  # of a callback of the app's: the first one, as it was
            raise raised.exceptions[0] from None
        return [task.result() for task in tasks]

    async def _reviewed(self, ready: _Ready, review: Review | None) -> ToolResult:
        if review is not None:
            cancellation = Cancellation()
            try:
                verdict = review(ready.call, ready.arguments)
                if not isinstance(verdict, Allow | Deny | Edit):
                    verdict = await verdict
                reviewed = self._judged(ready, verdict)
            except BaseException as error:  # whatever a review raises, the call must not run
                if cancellation.goes_up(error):
                    raise
                self._failed(ready, error)
                return self._told(error_result(ready.call, "The review of the call failed. The call was not run."))
            if isinstance(reviewed, ToolResult):
                return self._told(reviewed)
            ready = reviewed
        return await self._run(ready, self._inline)

    def _judged(self, ready: _Ready, verdict: Allow | Deny | Edit) -> _Ready | ToolResult:
        """A call as its review leaves it.

        Raises:
            ArgumentsError: the arguments of an edit do not fit.
            TypeError: the verdict is none.
        """
        if isinstance(verdict, Allow):
            return ready
        if isinstance(verdict, Deny):
            return error_result(ready.call, denied_text(verdict.reason))
        if not isinstance(verdict, Edit):
            raise TypeError("a review returns Allow, Deny or Edit")
        given = verdict.arguments
        return _Ready(ready.call, ready.entry, given if ready.entry.is_model(given) else ready.entry.parsed(given))

    async def _run(self, ready: _Ready, inline: bool) -> ToolResult:
        """Call the handler. A cancellation is raised again, after the result was told where there is one."""
        cancellation = Cancellation()
        try:
            handler = getattr(self._handlers, ready.entry.module)
            result = self._result(ready, await call_handler(handler, ready.arguments, self._timeout, inline))
        except BaseException as error:  # whatever a handler raises, the call has a result
            if cancellation.goes_up(error):
                raise
            result = self._failure(ready, error)
        self._told(result)
        if cancellation.was_asked:
            raise asyncio.CancelledError
        return result

    def _result(self, ready: _Ready, value: object) -> ToolResult:
        """What a handler returned. Reading it may run code of the app's, which may raise anything.

        Raises:
            ToolError: the handler raised it while its value was read.
        """
        try:
            return result_of_return(ready.call, ready.entry, value)
        except ToolError:
            raise
        except Exception as error:  # noqa: BLE001 - the tool ran, and the model must know that it did
            self._failed(ready, error)
            return error_result(ready.call, invalid_result_text(ready.entry.name))

    def _failure(self, ready: _Ready, error: BaseException) -> ToolResult:
        """What the model is told of what a handler raised."""
        if isinstance(error, HandlerTimeoutError):
            return error_result(ready.call, timeout_text(ready.entry.name, self._timeout))
        if isinstance(error, ToolError):
            try:
                return error_result(ready.call, json_value(str(error)))
            except Exception as raised:  # noqa: BLE001 - a text of the app's own making
                error = raised
        self._failed(ready, error)
        return error_result(ready.call, failure_text(ready.entry.name, error))

    def _failed(self, ready: _Ready, error: BaseException) -> None:
        error.add_note(f"in the tool {ready.entry.name}, call {ready.call.id!r}")
        if self._on_error is None:
            _LOG.error("the tool %s failed", ready.entry.name, exc_info=error)
        else:
            self._on_error(error)

    def _told(self, result: ToolResult) -> ToolResult:
        if self._on_result is not None:
            self._on_result(result)
        return result


def _unique(calls: Iterable[ToolCall]) -> list[ToolCall]:
    """The calls, a second one with the id of an earlier one marked: only one of them can have a result."""
    met: set[str] = set()
    marked = []
    for call in calls:
        again = call.id in met and call.invalid is None
        marked.append(replace(call, invalid=InvalidCall("", "duplicate_id")) if again else call)
        met.add(call.id)
    return marked
