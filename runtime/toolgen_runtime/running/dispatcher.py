"""Runs calls: validates their arguments, calls their handlers, and converts the return values to results.

A mistake of a model never raises. Exceptions of a handler are passed to `on_error`; the model sees only the name of
their class. Calls of low-risk tools run concurrently. A high-risk call waits for all calls before it, and all calls
wait for it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from itertools import groupby
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

from ..conversion.extras import merge_extras_into
from ..conversion.writer import OnLoss
from ..hooks import EndingError, call_hook, carry_ending
from ..models import InvalidCall, Loss, ToolCall, ToolResult
from ..tools.argument_errors import ArgumentsError
from ..tools.tool_entries import ToolEntry, find_tool_name, name_note, parse_call_arguments
from .handler_calls import CancellationWatch, HandlerTimeoutError, call_handler
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
"""Called with each exception of a handler or review, and may be async. A note on it names the tool and the call."""

OnResult: TypeAlias = Callable[[ToolResult], object]
"""Called with each result as soon as it is available. It may be async."""

_LOG = logging.getLogger(__name__)

Around: TypeAlias = Callable[[ToolCall, Any, Callable[[Any], Awaitable[Any]]], object]
"""Called instead of each handler, with the call, its arguments and a function: `await proceed(arguments)` runs it."""

T = TypeVar("T")

_CURRENT: ContextVar[ToolCall | None] = ContextVar("current_call", default=None)


def current_call() -> ToolCall | None:
    """Return the call whose handler is running. None outside of handlers."""
    return _CURRENT.get()


@dataclass(slots=True)
class _PreparedCall:
    """A call that may run, with its tool and its arguments as an instance of the tool's model.

    `name` is that of the tool, which may differ from that of the call. If the tool is not declared, `entry` is None and
    `arguments` is an object. `edited` says whether the arguments differ from those of the call.
    """

    call: ToolCall
    name: str
    entry: ToolEntry | None
    arguments: Any
    edited: bool = False


_EMPTY: Mapping[str, Any] = MappingProxyType({})


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
        aliases: Mapping[str, str] = _EMPTY,
        timeouts: Mapping[str, float] = _EMPTY,
        others: Mapping[str, OtherHandler] = _EMPTY,
        around: Around | None = None,
    ) -> None:
        """Check the handlers.

        Raises:
            TypeError: A tool has no handler, or the timeout is not a number.
            ValueError: The timeout is NaN.
        """
        self._entries = _only_offered(entries, offered)
        self._others = _only_offered(others, offered)
        check_handlers(self._entries, protocol, handlers)
        check_timeout(timeout)
        self.held: list[ToolCall] = []
        self.low_risk_names = low_risk
        self._aliases = aliases
        self._timeouts = timeouts
        self._around = around
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
        (prepared,) = await self._prepare_all([_require_call(call)])
        if isinstance(prepared, ToolResult):
            return await self._report_result(prepared)
        return await self._run(prepared, self._inline)

    def run_one_blocking(self, call: ToolCall) -> ToolResult:
        """Run one call from synchronous code."""
        with SyncRunner() as runner:
            return runner.run(self.run_one(call))

    async def run_all(
        self,
        calls: Iterable[ToolCall],
        review: Review | None = None,
        max_parallel: int = 8,
        verdicts: Mapping[str, Verdict] = _EMPTY,
    ) -> list[ToolResult]:
        """Run calls, and return one result for each in the same order. Held calls have no result.

        `verdicts` has decisions by call id, which are used instead of a review.

        Raises:
            ValueError: `max_parallel` is less than 1.
        """
        if max_parallel < 1:
            raise ValueError("max_parallel must be at least 1")
        self.held = []
        prepared_calls = await self._prepare_all(_invalidate_repeated_ids(calls))
        results: list[ToolResult] = []
        for is_concurrent, group in groupby(prepared_calls, lambda item: self._may_run_concurrently(item, verdicts)):
            if is_concurrent:
                results += await self._run_concurrently(list(group), max_parallel)
                continue
            for prepared in group:
                if isinstance(prepared, _PreparedCall):  # results are always in the other groups
                    result = await self._review_and_run(prepared, review, verdicts.get(prepared.call.id))
                    if result is not None:
                        results.append(result)
        return results

    def _may_run_concurrently(self, prepared: _PreparedCall | ToolResult, verdicts: Mapping[str, Verdict]) -> bool:
        """Return whether no other call has to wait for this one: it is low-risk, or does not run at all."""
        if isinstance(prepared, ToolResult):
            return True
        return prepared.name in self.low_risk_names and prepared.call.id not in verdicts

    async def _prepare_all(self, calls: Iterable[ToolCall]) -> list[_PreparedCall | ToolResult]:
        """Prepare calls, and pass what was converted in their arguments to `on_loss`."""
        losses: list[Loss] = []
        prepared_calls = [self._prepare(call, losses.append) for call in calls]
        for loss in losses:
            await call_hook(self._on_loss, loss)
        return prepared_calls

    def _prepare(self, call: ToolCall, on_loss: OnLoss) -> _PreparedCall | ToolResult:
        """Find the tool of a call, and check its arguments. A call that cannot run has an error result."""
        if call.invalid is not None:
            return error_result(call, invalid_call_text(call.invalid))
        name = find_tool_name(call.name, {*self._entries, *self._others}, self._aliases)
        if name is not None and name in self._others:
            if name != call.name:
                on_loss(name_note(name))
            return _PreparedCall(call, name, None, call.arguments)
        entry = None if name is None else self._entries.get(name)
        if entry is None:
            return error_result(call, unknown_tool_text(str(call.name), self.tool_names))
        try:
            arguments = parse_call_arguments(self._entries, call, on_loss, self._aliases)
        except ArgumentsError as error:
            return error_result(call, invalid_arguments_text(entry.name, error))
        return _PreparedCall(call, entry.name, entry, arguments)

    async def _run_concurrently(
        self, prepared_calls: list[_PreparedCall | ToolResult], max_parallel: int
    ) -> list[ToolResult]:
        """Run calls at the same time, at most `max_parallel` of them, and return one result for each."""
        count = sum(isinstance(prepared, _PreparedCall) for prepared in prepared_calls)
        inline = self._inline and min(count, max_parallel) == 1  # otherwise each handler needs a thread
        limit = asyncio.Semaphore(max_parallel)

        async def run(prepared: _PreparedCall | ToolResult) -> ToolResult:
            """Run a call when the limit permits it. A call that has its result already is only reported."""
            if isinstance(prepared, ToolResult):
                return await self._report_result(prepared)
            async with limit:
                return await self._run(prepared, inline)

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(carry_ending(run(prepared))) for prepared in prepared_calls]
        except BaseExceptionGroup as raised:  # from a handler or callback: the first exception is raised unchanged
            endings = [error.ending for error in raised.exceptions if isinstance(error, EndingError)]
            raise (endings or raised.exceptions)[0] from None
        return [task.result() for task in tasks]

    async def _review_and_run(
        self, prepared: _PreparedCall, review: Review | None, verdict: Verdict | None
    ) -> ToolResult | None:
        """Run a call as its verdict or its review decides. None if the call is held."""
        if verdict is None and review is None:
            return await self._run(prepared, self._inline)
        cancellation = CancellationWatch()
        try:
            decision: Any = verdict
            if decision is None:
                decision = await call_hook(review, prepared.call, prepared.arguments)
            if isinstance(decision, Hold):
                self.held.append(prepared.call)
                return None
            reviewed = _apply_verdict(prepared, decision)
        except BaseException as error:  # whatever a review raises, the call must not run
            if cancellation.should_propagate(error):
                raise
            await self._report_error(prepared, error, "the review of a call of ")
            text = "The review of the call failed. The call was not run."
            return await self._report_result(error_result(prepared.call, text))
        if isinstance(reviewed, ToolResult):
            return await self._report_result(reviewed)
        return await self._run(reviewed, self._inline)

    async def _run(self, prepared: _PreparedCall, inline: bool) -> ToolResult:
        """Call the handler. A cancellation is raised again after the result, if there is one, was reported."""
        cancellation = CancellationWatch()
        try:
            value = await self._call_with_around(prepared, inline)
            result = await self._make_result(prepared, value)
        except BaseException as error:  # whatever a handler raises, the call has a result
            if cancellation.should_propagate(error):
                raise
            result = await self._make_failure_result(prepared, error)
        if prepared.edited:
            merge_extras_into(result, "running", {"arguments": to_json_value(prepared.arguments)})
        if cancellation.was_requested:
            with suppress(asyncio.CancelledError):  # it may not have arrived yet, and the hook must get the result
                await asyncio.sleep(0)
        await self._report_result(result)
        if cancellation.was_requested:
            raise asyncio.CancelledError
        return result

    async def _call_with_around(self, prepared: _PreparedCall, inline: bool) -> Any:
        """Call the handler, or the app's function around it."""
        if self._around is None:
            return await self._call(prepared, inline)

        async def proceed(arguments: Any) -> Any:
            """Call the handler. Arguments that `around` has changed are validated again."""
            if arguments is not prepared.arguments:
                validated = _validate_arguments(prepared.entry, arguments)
                if validated is not prepared.arguments:
                    prepared.arguments, prepared.edited = validated, True
            return await self._call(prepared, inline)

        return await call_hook(self._around, prepared.call, prepared.arguments, proceed)

    async def _call(self, prepared: _PreparedCall, inline: bool) -> Any:
        """Call the handler. `current_call` returns the call while it runs."""
        if prepared.entry is not None:
            handler, argument = getattr(self._handlers, prepared.entry.module), prepared.arguments
        else:
            handler = self._others[prepared.name]
            argument = replace(prepared.call, arguments=dict(prepared.arguments))
        outer_call = _CURRENT.get()
        _CURRENT.set(prepared.call)
        try:
            return await call_handler(handler, argument, self._timeout_of(prepared), inline)
        finally:
            _CURRENT.set(outer_call)

    def _timeout_of(self, prepared: _PreparedCall) -> float | None:
        """Return the time limit of the handler, in seconds: that of the run, otherwise that of the tool."""
        return self._timeouts.get(prepared.name) if self._timeout is None else self._timeout

    async def _make_result(self, prepared: _PreparedCall, value: object) -> ToolResult:
        """Convert the return value of a handler to a result. This may run code of the app, which may raise anything.

        Raises:
            ToolError: The handler raised it while its value was read.
        """
        try:
            return result_from_return_value(prepared.call, prepared.entry, value)
        except ToolError:
            raise
        except Exception as error:  # noqa: BLE001 - the tool ran, and the model must know that it did
            await self._report_error(prepared, error)
            return error_result(prepared.call, invalid_result_text(prepared.name))

    async def _make_failure_result(self, prepared: _PreparedCall, error: BaseException) -> ToolResult:
        """Return the error result for an exception of a handler, and report the exception if it is unexpected."""
        if isinstance(error, HandlerTimeoutError):
            return error_result(prepared.call, timeout_text(prepared.name, self._timeout_of(prepared)))
        if isinstance(error, ToolError):
            try:
                return error_result(prepared.call, to_json_value(str(error)))
            except Exception as raised:  # noqa: BLE001 - the text is made by code of the app
                error = raised
        await self._report_error(prepared, error)
        return error_result(prepared.call, failure_text(prepared.name, error))

    async def _report_error(self, prepared: _PreparedCall, error: BaseException, source: str = "") -> None:
        """Pass an exception to `on_error`, or log it. `source` precedes the name of the tool."""
        error.add_note(f"in {source}the tool {prepared.name}, call {prepared.call.id!r}")
        if self._on_error is None:
            _LOG.error("%sthe tool %s failed", source, prepared.name, exc_info=error)
        else:
            await call_hook(self._on_error, error)

    async def _report_result(self, result: ToolResult) -> ToolResult:
        """Pass a result to `on_result`, and return it."""
        await call_hook(self._on_result, result)
        return result


def _only_offered(by_name: Mapping[str, T], offered: Collection[str] | None) -> Mapping[str, T]:
    """Return the tools that may run; all of them if `offered` is None."""
    return by_name if offered is None else {name: by_name[name] for name in by_name if name in offered}


def _apply_verdict(prepared: _PreparedCall, verdict: object) -> _PreparedCall | ToolResult:
    """Return a call as its review decided: prepared, with edited arguments, or denied.

    Raises:
        ArgumentsError: The arguments of an edit do not fit.
        TypeError: The value is not a verdict.
    """
    if isinstance(verdict, Allow):
        return prepared
    if isinstance(verdict, Deny):
        return error_result(prepared.call, denied_text(verdict.reason))
    if not isinstance(verdict, Edit):
        raise TypeError(f"review must return Allow, Deny, Edit or Hold, not {type(verdict).__name__}")
    arguments = _validate_arguments(prepared.entry, verdict.arguments)
    return _PreparedCall(prepared.call, prepared.name, prepared.entry, arguments, edited=True)


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


def _require_call(call: ToolCall) -> ToolCall:
    """Return a call.

    Raises:
        TypeError: It is not a call, but for example a dict of an app that stores calls as JSON.
    """
    if not hasattr(call, "arguments"):
        hint = "; `load(ToolCall, …)` of `models` makes one of it" if isinstance(call, dict) else ""
        raise TypeError(f"a call must be a ToolCall, not a {type(call).__name__}{hint}")
    return call


def _invalidate_repeated_ids(calls: Iterable[ToolCall]) -> list[ToolCall]:
    """Return the calls. A repeated id makes a call invalid, because only one of the calls can have a result."""
    ids: set[str] = set()
    checked: list[ToolCall] = []
    for call in calls:
        is_repeated = _require_call(call).id in ids
        ids.add(call.id)
        if is_repeated and call.invalid is None:
            call = replace(call, invalid=InvalidCall("", "duplicate_id"))
        checked.append(call)
    return checked
