"""Runs calls: validates their arguments, calls their handlers, and converts the return values to results.

A mistake of a model never raises. Exceptions of a handler are passed to `on_error`; the model sees only the name of
their class. Calls of low-risk tools run concurrently. A high-risk call waits for all calls before it, and all calls
wait for it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, replace
from inspect import isawaitable
from itertools import groupby
from types import MappingProxyType
from typing import Any, TypeAlias

from ..conversion.extras import merge_extras_into
from ..conversion.writer import OnLoss
from ..models import InvalidCall, ToolCall, ToolResult
from ..tools.argument_errors import ArgumentsError
from ..tools.tool_entries import ToolEntry, parse_call_arguments
from .handler_calls import (
    CancellationWatch,
    EndingError,
    HandlerTimeoutError,
    await_if_awaitable,
    call_handler,
    carry_ending,
)
from .handlers import Allow, Deny, Edit, Hold, OtherHandler, Review, Verdict, check_handlers, check_timeout
from .results import (
    ToolError,
    denied_text,
    error_result,
    failure_text,
    invalid_arguments_text,
    invalid_call_text,
    invalid_result_text,
    result_from_return_value,
    timeout_text,
    to_json_value,
    unknown_tool_text,
)
from .sync_runner import SyncRunner

__all__ = ["Around", "Dispatcher", "OnError", "OnResult", "current_call"]

OnError: TypeAlias = Callable[[BaseException], object]
"""Called with each exception of a handler or review. A note on it names the tool and the call."""

OnResult: TypeAlias = Callable[[ToolResult], object]
"""Called with each result as soon as it is available."""

_LOG = logging.getLogger(__name__)

Around: TypeAlias = Callable[[ToolCall, Any, Callable[[Any], Awaitable[Any]]], object]
"""Called instead of each handler, with the call, its arguments and a function: `await proceed(arguments)` runs it."""

_CURRENT: ContextVar[ToolCall | None] = ContextVar("current_call", default=None)


def current_call() -> ToolCall | None:
    """Return the call whose handler is running. None outside of handlers."""
    return _CURRENT.get()


@dataclass(slots=True)
class _Ready:
    """A call that may run, with its tool and model of arguments: None and an object if the tool is not declared."""

    call: ToolCall
    entry: ToolEntry | None
    arguments: Any
    edited: bool = False

    @property
    def name(self) -> str:
        return self.call.name if self.entry is None else self.entry.name


_NONE: Mapping[str, Any] = MappingProxyType({})


class Dispatcher:
    """Runs calls of declared tools with the app's handlers.

    `timeout` is the time limit of each handler in seconds. If None, `timeouts` has the limits that the tools declare.
    `offered` has the names of the tools that may run, or None for all. `others` handles tools that are not declared.
    `inline` means that nothing else uses the event loop, so a single synchronous handler runs in its thread. `held` has
    the held calls of the last `run_all`.
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
        aliases: Mapping[str, str] = _NONE,
        timeouts: Mapping[str, float] = _NONE,
        others: Mapping[str, OtherHandler] = _NONE,
        around: Around | None = None,
    ) -> None:
        """Check the handlers.

        Raises:
            TypeError: A tool has no handler, or the timeout is not a number.
            ValueError: The timeout is NaN.
        """
        known = entries if offered is None else {name: entries[name] for name in entries if name in offered}
        check_handlers(known, protocol, handlers)
        check_timeout(timeout)
        self._entries = known
        self._aliases = aliases
        self._timeouts = timeouts
        self._others = others if offered is None else {name: others[name] for name in others if name in offered}
        self._around = around
        self.held: list[ToolCall] = []
        self.low_risk_names = low_risk
        self._handlers = handlers
        self._timeout = timeout
        self._on_error = on_error
        self._on_result = on_result
        self._on_loss = on_loss
        self._inline = inline

    @property
    def tool_names(self) -> list[str]:
        """The names of the tools that may run."""
        return [*self._entries, *self._others]

    async def run_one(self, call: ToolCall) -> ToolResult:
        """Run one call."""
        ready = self._ready(_checked(call))
        if isinstance(ready, ToolResult):
            return self._report_result(ready)
        return await self._run(ready, self._inline)

    def run_one_blocking(self, call: ToolCall) -> ToolResult:
        """Run one call from synchronous code."""
        with SyncRunner() as runner:
            return runner.run(self.run_one(call))

    async def run_all(
        self,
        calls: Iterable[ToolCall],
        review: Review | None = None,
        max_parallel: int = 8,
        verdicts: Mapping[str, Verdict] = _NONE,
    ) -> list[ToolResult]:
        """Run calls, and return one result for each in the same order. Held calls have no result.

        `verdicts` has decisions by call id, which are used instead of a review.

        Raises:
            ValueError: `max_parallel` is less than 1.
        """
        if max_parallel < 1:
            raise ValueError("max_parallel must be at least 1")
        self.held = []
        ready = [self._ready(call) for call in _distinct(calls)]
        results: list[ToolResult] = []
        for low, run in groupby(ready, lambda one: self._is_low(one, verdicts)):
            if low:
                results += await self._run_concurrently(list(run), max_parallel)
                continue
            for one in run:
                if isinstance(one, _Ready):
                    result = await self._reviewed(one, review, verdicts.get(one.call.id))
                    results += [] if result is None else [result]
        return results

    def _is_low(self, ready: _Ready | ToolResult, verdicts: Mapping[str, Verdict]) -> bool:
        """Return whether no other call has to wait for this one: it is low-risk, or does not run at all."""
        return isinstance(ready, ToolResult) or (ready.name in self.low_risk_names and ready.call.id not in verdicts)

    def _ready(self, call: ToolCall) -> _Ready | ToolResult:
        if call.invalid is not None:
            return error_result(call, invalid_call_text(call.invalid))
        if isinstance(call.name, str) and call.name in self._others:
            return _Ready(call, None, call.arguments)
        name = self._aliases.get(call.name, call.name) if isinstance(call.name, str) else None
        entry = None if name is None else self._entries.get(name)
        if entry is None:
            return error_result(call, unknown_tool_text(str(call.name), [*self._entries, *self._others]))
        try:
            return _Ready(call, entry, parse_call_arguments(self._entries, call, self._on_loss, self._aliases))
        except ArgumentsError as error:
            return error_result(call, invalid_arguments_text(entry.name, error))

    async def _run_concurrently(self, run: list[_Ready | ToolResult], max_parallel: int) -> list[ToolResult]:
        alone = self._inline and sum(isinstance(one, _Ready) for one in run) == 1
        limit = asyncio.Semaphore(max_parallel)

        async def limited(one: _Ready | ToolResult) -> ToolResult:
            if isinstance(one, ToolResult):
                return self._report_result(one)
            async with limit:
                return await self._run(one, alone)

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(carry_ending(limited(one))) for one in run]
        except BaseExceptionGroup as raised:  # from a handler or callback: the first exception is raised unchanged
            endings = [error.ending for error in raised.exceptions if isinstance(error, EndingError)]
            raise (endings or raised.exceptions)[0] from None
        return [task.result() for task in tasks]

    async def _reviewed(self, ready: _Ready, review: Review | None, verdict: Verdict | None) -> ToolResult | None:
        """Run a call as its review decides. None if the call is held."""
        if verdict is not None or review is not None:
            cancellation = CancellationWatch()
            try:
                decision: Any = (
                    verdict if verdict is not None or review is None else review(ready.call, ready.arguments)
                )
                if isawaitable(decision):
                    decision = await decision
                if isinstance(decision, Hold):
                    self.held.append(ready.call)
                    return None
                reviewed = self._apply_verdict(ready, decision)
            except BaseException as error:  # whatever a review raises, the call must not run
                if cancellation.should_propagate(error):
                    raise
                self._failed(ready, error, "the review of a call of ")
                return self._report_result(
                    error_result(ready.call, "The review of the call failed. The call was not run.")
                )
            if isinstance(reviewed, ToolResult):
                return self._report_result(reviewed)
            ready = reviewed
        return await self._run(ready, self._inline)

    def _apply_verdict(self, ready: _Ready, verdict: Allow | Deny | Edit) -> _Ready | ToolResult:
        """Return a call as its review decided: ready, with edited arguments, or denied.

        Raises:
            ArgumentsError: The arguments of an edit do not fit.
            TypeError: The value is not a verdict.
        """
        if isinstance(verdict, Allow):
            return ready
        if isinstance(verdict, Deny):
            return error_result(ready.call, denied_text(verdict.reason))
        if not isinstance(verdict, Edit):
            raise TypeError(f"review must return Allow, Deny, Edit or Hold, not {type(verdict).__name__}")
        return _Ready(ready.call, ready.entry, _validate_arguments(ready.entry, verdict.arguments), edited=True)

    async def _run(self, ready: _Ready, inline: bool) -> ToolResult:
        """Call the handler. A cancellation is raised again after the result, if there is one, was reported."""
        cancellation = CancellationWatch()
        try:
            if self._around is None:
                value = await self._proceeded(ready, ready.arguments, inline)
            else:
                value = await self._called(ready, self._around, inline)
            result = self._result(ready, value)
        except BaseException as error:  # whatever a handler raises, the call has a result
            if cancellation.should_propagate(error):
                raise
            result = self._failure(ready, error)
        if ready.edited:
            merge_extras_into(result, "running", {"arguments": to_json_value(ready.arguments)})
        self._report_result(result)
        if cancellation.was_requested:
            raise asyncio.CancelledError
        return result

    async def _called(self, ready: _Ready, around: Around, inline: bool) -> Any:
        """Call the function around the handler."""

        async def proceed(arguments: Any) -> Any:
            return await self._proceeded(ready, arguments, inline)

        return await await_if_awaitable(around(ready.call, ready.arguments, proceed))

    async def _proceeded(self, ready: _Ready, arguments: Any, inline: bool) -> Any:
        """Call the handler with arguments, which may differ from those of the call."""
        if arguments is not ready.arguments:
            fit = _validate_arguments(ready.entry, arguments)
            if fit is not ready.arguments:
                ready.arguments, ready.edited = fit, True
        if ready.entry is not None:
            handler, given = getattr(self._handlers, ready.entry.module), ready.arguments
        else:
            handler, given = self._others[ready.call.name], replace(ready.call, arguments=dict(ready.arguments))
        outer = _CURRENT.get()
        _CURRENT.set(ready.call)
        try:
            return await call_handler(handler, given, self._timeout_of(ready), inline)
        finally:
            _CURRENT.set(outer)

    def _timeout_of(self, ready: _Ready) -> float | None:
        """Return the time limit of the handler, in seconds: that of the run, otherwise that of the tool."""
        if self._timeout is not None or not self._timeouts:
            return self._timeout
        return self._timeouts.get(ready.name)

    def _result(self, ready: _Ready, value: object) -> ToolResult:
        """Convert the return value of a handler to a result. This may run code of the app, which may raise anything.

        Raises:
            ToolError: The handler raised it while its value was read.
        """
        try:
            return result_from_return_value(ready.call, ready.entry, value)
        except ToolError:
            raise
        except Exception as error:  # noqa: BLE001 - the tool ran, and the model must know that it did
            self._failed(ready, error)
            return error_result(ready.call, invalid_result_text(ready.name))

    def _failure(self, ready: _Ready, error: BaseException) -> ToolResult:
        """Return the error result for an exception of a handler."""
        if isinstance(error, HandlerTimeoutError):
            return error_result(ready.call, timeout_text(ready.name, self._timeout_of(ready)))
        if isinstance(error, ToolError):
            try:
                return error_result(ready.call, to_json_value(str(error)))
            except Exception as raised:  # noqa: BLE001 - the text is made by code of the app
                error = raised
        self._failed(ready, error)
        return error_result(ready.call, failure_text(ready.name, error))

    def _failed(self, ready: _Ready, error: BaseException, what: str = "") -> None:
        error.add_note(f"in {what}the tool {ready.name}, call {ready.call.id!r}")
        if self._on_error is None:
            _LOG.error("%sthe tool %s failed", what, ready.name, exc_info=error)
        else:
            self._on_error(error)

    def _report_result(self, result: ToolResult) -> ToolResult:
        if self._on_result is not None:
            self._on_result(result)
        return result


def _validate_arguments(entry: ToolEntry | None, arguments: Any) -> Any:
    """Return valid arguments: an instance of the tool's model, or an object if the tool is not declared.

    Raises:
        ArgumentsError: The arguments are not valid.
        TypeError: The arguments are not an object.
    """
    if entry is not None:
        return arguments if entry.is_model(arguments) else entry.parse(arguments)
    if not isinstance(arguments, Mapping):
        raise TypeError("the arguments of a tool without a declaration must be an object")
    return arguments


def _checked(call: ToolCall) -> ToolCall:
    """Return a call.

    Raises:
        TypeError: It is not a call, but for example a dict of an app that stores calls as JSON.
    """
    if not hasattr(call, "arguments"):
        hint = "; `load(ToolCall, …)` of `models` makes one of it" if isinstance(call, dict) else ""
        raise TypeError(f"a call must be a ToolCall, not a {type(call).__name__}{hint}")
    return call


def _distinct(calls: Iterable[ToolCall]) -> list[ToolCall]:
    """Return the calls. A repeated id makes a call invalid, because only one of the calls can have a result."""
    met: set[str] = set()
    marked = []
    for call in map(_checked, calls):
        again = call.id in met and call.invalid is None
        marked.append(replace(call, invalid=InvalidCall("", "duplicate_id")) if again else call)
        met.add(call.id)
    return marked
