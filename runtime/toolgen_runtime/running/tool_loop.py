"""The turns of the tool loop as events, for synchronous and async sessions, with and without streams."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from ..conversion.responses import mark_calls_invalid
from ..conversion.wire import synthetic_id
from ..history import calls_without_result, tool_calls_of
from ..json_text import dump_allowing_nan
from ..models import (
    AgentEvent,
    AgentFinal,
    AgentStepComplete,
    AgentStepStart,
    AgentToolCall,
    ApiError,
    AssistantMessage,
    CompletedEvent,
    Completion,
    ErrorEvent,
    InvalidCall,
    Message,
    Request,
    StreamEvent,
    ToolCall,
    ToolDefinition,
    ToolMessage,
    ToolResult,
    Usage,
)
from .dispatcher import Dispatcher, OnResult
from .handler_calls import EndingError, await_if_awaitable, carry_ending
from .handlers import Review, callable_names, relax_tool_choice
from .results import (
    CANCELLED,
    NO_MORE_TURNS,
    NOT_RUN,
    checked_result,
    error_result,
    invalid_call_text,
    make_text_and_reasoning_events,
    result_event,
)
from .run_settings import RunResult, RunSettings, StoppedBy, correction_message, parse_output, total_usage
from .sync_runner import ENDING, aclosing

__all__ = ["Send", "ToolLoop"]

Send: TypeAlias = Callable[[Request], AsyncIterator[StreamEvent]]
"""Sends a request, and yields the events of the response. The last one is `completed`."""

_CORRECTABLE = ("malformed", "not_an_object", "duplicate_id")
"""Reasons of invalid calls that a model can correct."""


class ToolLoop:
    """One run of the tool loop. `events` runs it, and sets `result` at the end."""

    def __init__(
        self,
        send: Send,
        request: Request,
        dispatcher: Callable[[OnResult, Sequence[str]], Dispatcher],
        display_name: Callable[[str], str | None],
        settings: RunSettings,
        review: Review | None,
        paused: Collection[str] = (),
    ) -> None:
        """Prepare a run. `paused` are the stop reasons that mean that the provider interrupted its own turn.

        Raises:
            TypeError: A tool has no handler.
            ValueError: A limit is less than 1, or a verdict or result does not belong to a waiting call.
        """
        self._limit = settings.get("max_tool_turns", 10)
        self._max_parallel = settings.get("max_parallel", 8)
        if self._limit < 1:
            raise ValueError("max_tool_turns must be at least 1")
        if self._max_parallel < 1:
            raise ValueError("max_parallel must be at least 1")
        self._asked = send
        self._request = request
        self._settings = settings
        self._dispatching = dispatcher
        self._dispatcher = dispatcher(self._on_result, callable_names(request))
        self._titles = display_name
        self._review = review
        self._paused = paused
        self._on_message = settings.get("on_message")
        self._cancelled = settings.get("cancelled") or (lambda: False)
        self._messages = list(request.messages)
        self._open = calls_without_result(self._messages)
        self._given = {result.tool_call_id: result for result in map(checked_result, settings.get("results", ()))}
        self._check_waiting()
        self._results: dict[str, ToolResult] = {}
        self._queue: asyncio.Queue[ToolResult | None] = asyncio.Queue()
        self._turns = 0
        self._last = False
        self._corrected = False
        self._output: Any = None
        self._error: ApiError | None = None
        self._used: list[Usage] = []
        self._completion: Completion | None = None
        self.result: RunResult | None = None

    def _check_waiting(self) -> None:
        """Check that each given verdict and result belongs to a waiting call.

        Raises:
            ValueError: Some calls are not waiting. The message lists their ids.
        """
        waiting = {call.id for _, calls in self._open for call in calls}
        given = [*self._settings.get("verdicts", {}), *self._given]
        if ids := [identifier for identifier in given if identifier not in waiting]:
            raise ValueError(f"no call in the history is waiting for a verdict or result: {', '.join(map(repr, ids))}")

    async def events(self) -> AsyncGenerator[StreamEvent | AgentEvent, None]:
        """Run, and yield the events."""
        step = 0
        try:
            if self._open:
                async with aclosing(self._add_missing_results()) as added:
                    async for event in added:
                        yield event
            while self.result is None:
                step += 1
                async with aclosing(self._step(step)) as events:
                    async for one in events:
                        yield one
        except (asyncio.CancelledError, *ENDING):
            self._abandon()
            raise
        except Exception as error:
            self._note_progress(error)
            raise
        yield AgentFinal(self.finished_result().text)

    async def _step(self, step: int) -> AsyncGenerator[StreamEvent | AgentEvent, None]:
        """Send a request, and run the calls of its response."""
        began = time.monotonic()
        status: Literal["completed", "error"] = "error"
        name = f"step_{step}"
        yield AgentStepStart(name, f"Step {step}", step)
        completion: Completion | None = None
        try:
            async with aclosing(self._asked(await self._next_request())) as events:
                async for event in events:
                    if isinstance(event, CompletedEvent):
                        completion = self._receive(event.completion)  # who leaves at this event has the response
                    elif isinstance(event, ErrorEvent):
                        self._error = event.error
                    yield event
            if completion is None:
                raise RuntimeError("the session's stream ended without a completion")
            for agent_event in make_text_and_reasoning_events(completion):
                yield agent_event
            if (on_answer := self._settings.get("on_answer")) is not None:
                await await_if_awaitable(on_answer(completion))
            calls = tool_calls_of(completion.message)
            stopped = self._stopped(completion, calls)
            if stopped is None and calls and not self._last:
                async with aclosing(self._called(calls, self._dispatcher, len(self._messages))) as results:
                    async for result in results:
                        yield result
                self._unforce()
            if stopped is None:
                self._turns += 1
                stopped = await self._stopped_after()
            failed = any(self._results[c.id].kind == "error" for c in calls if c.id in self._results)
            status = "error" if failed or completion.finish_reason == "error" else "completed"
            self._results.clear()
            if stopped is not None:
                self._end(completion, stopped)
        except (asyncio.CancelledError, *ENDING):
            raise
        except Exception:
            yield AgentStepComplete(name, "error", _since(began))
            raise
        yield AgentStepComplete(name, status, _since(began))

    async def _add_missing_results(self) -> AsyncGenerator[AgentEvent, None]:
        """Add results for the calls of the history that have none, directly after each turn.

        Calls of the last turn are run, or get the app's results. Older calls get the result that they were not run.
        """
        last = max(i for i, message in enumerate(self._messages) if isinstance(message, AssistantMessage))
        added = 0
        for turn, calls in self._open:
            response = self._messages[turn + added]
            index = _after_results(self._messages, turn + added)
            known = [replace(self._given[c.id], name=c.name) for c in calls if c.id in self._given]
            rest = [call for call in calls if call.id not in self._given]
            if turn != last:
                known += [error_result(call, NOT_RUN) for call in rest]
                rest = []
            if known:
                self._add(ToolMessage(known), index)
                index, added = index + 1, added + 1
            if rest and isinstance(response, AssistantMessage):
                self._completion = Completion(response, "tool_calls")
                names = [tool.name for tool in self._request.tools or () if isinstance(tool, ToolDefinition)]
                dispatcher = self._dispatching(self._on_result, names)
                async with aclosing(self._called(rest, dispatcher, index)) as results:
                    async for result in results:
                        yield result
                self._results.clear()
                if dispatcher.held:
                    self._dispatcher.held = dispatcher.held
                    self._end(self._completion, "held")

    async def _next_request(self) -> Request:
        """Return the next request, after the app's `prepare`."""
        request = replace(self._request, messages=list(self._messages))
        if self._last:
            request = replace(request, tool_choice="none" if request.tools else None)
        prepare = self._settings.get("prepare")
        return request if prepare is None else await await_if_awaitable(prepare(request))

    async def _stopped_after(self) -> StoppedBy | None:
        """Return why the run ends after a turn. None if it continues."""
        if self._dispatcher.held:
            return "held"
        if self._cancelled():
            return "cancelled"
        stop = self._settings.get("stop")
        if stop is not None and await await_if_awaitable(stop(total_usage(self._used), self._turns)):
            return "stop"
        return None

    def finished_result(self) -> RunResult:
        """Return the result of the run.

        Raises:
            RuntimeError: The run has not ended.
        """
        if self.result is None:
            raise RuntimeError("the run did not end")
        return self.result

    def _unforce(self) -> None:
        """Stop forcing a call after the first response."""
        before = callable_names(self._request)
        self._request = replace(self._request, tool_choice=relax_tool_choice(self._request.tool_choice))
        after = callable_names(self._request)
        if after != before:
            self._dispatcher = self._dispatching(self._on_result, after)

    def _receive(self, completion: Completion) -> Completion:
        """Add the response to the conversation, and return it."""
        self._completion = completion
        mark_calls_invalid(completion.message, completion.finish_reason)  # an app's own session may not have done it
        self._make_ids_unique(tool_calls_of(completion.message))
        if completion.usage is not None:
            self._used.append(completion.usage)
        self._add(completion.message)
        return completion

    def _make_ids_unique(self, calls: Sequence[ToolCall]) -> None:
        """Give calls a new id if they have none, or that of an earlier call. Some APIs count again in each response.

        A call that repeats an id of the same response becomes invalid, because the two cannot be distinguished.
        """
        earlier = {call.id for message in self._messages for call in tool_calls_of(message)}
        taken = earlier | {call.id for call in calls}
        turn = sum(isinstance(message, AssistantMessage) for message in self._messages)
        here: set[str] = set()
        for position, call in enumerate(calls):
            given = call.id if isinstance(call.id, str) else ""  # an app's own session may have none
            if given in earlier or given in here or not given.strip():
                call.id = synthetic_id(turn, position)
                while call.id in taken:
                    call.id += "_"
                taken.add(call.id)
            if given in here and given.strip() and call.invalid is None:
                call.invalid = InvalidCall(dump_allowing_nan(call.arguments), "duplicate_id")
            here.add(given)

    def _add(self, message: Message, index: int | None = None) -> None:
        self._messages.insert(len(self._messages) if index is None else index, message)
        if self._on_message is not None:
            self._on_message(message)

    def _stopped(self, completion: Completion, calls: Sequence[ToolCall]) -> StoppedBy | None:
        """Return why the run ends with this response. None if it continues."""
        reason = completion.finish_reason
        if reason == "length" or reason == "content_filter" or reason == "error":
            return reason
        if not any(call.invalid is None or call.invalid.reason in _CORRECTABLE for call in calls):
            errors = [error_result(call, invalid_call_text(call.invalid)) for call in calls if call.invalid is not None]
            if errors:  # no API accepts a history with a call that has no result
                self._add(ToolMessage(errors))
            if self._last:
                return "limit"
            if not calls and completion.stop_reason in self._paused and self._turns < self._limit:
                return None
            return "end" if self._fits(completion) else None
        if self._cancelled():
            self._add(ToolMessage([self._result(call) for call in calls]))
            return "cancelled"
        if self._turns < self._limit and not self._last:
            return None
        if self._settings.get("at_limit") == "answer":
            self._add(ToolMessage([error_result(call, NO_MORE_TURNS) for call in calls]))
            if not self._last:
                self._last = True
                return None
        return "limit"

    def _fits(self, completion: Completion) -> bool:
        """Return whether the response matches the requested output. The first one that does not match is sent back."""
        output = self._settings.get("output")
        if output is None:
            return True
        from pydantic import ValidationError

        try:
            self._output = parse_output(output, completion.message)
        except ValidationError as error:
            if self._corrected:
                return True
            self._corrected = True
            self._add(correction_message(error))
            return False
        return True

    def _end(self, completion: Completion, stopped: StoppedBy) -> None:
        usage = total_usage(self._used)
        pending = list(self._dispatcher.held) if stopped == "held" else []
        self.result = RunResult(
            completion, self._messages, self._turns, stopped, usage, pending, self._output, self._error
        )

    def _note_progress(self, error: Exception) -> None:
        """Attach the conversation and usage before a failure to the exception, as `messages` and `usage`."""
        with contextlib.suppress(AttributeError, TypeError):
            error.messages = list(self._messages)  # type: ignore[attr-defined]
            error.usage = total_usage(self._used)  # type: ignore[attr-defined]

    def _abandon(self) -> None:
        """End a cancelled run. Every call gets a result."""
        if self.result is None and self._completion is not None:
            for turn, calls in calls_without_result(self._messages):
                self._add(ToolMessage([self._result(call) for call in calls]), _after_results(self._messages, turn))
            self._end(self._completion, "cancelled")

    def _result(self, call: ToolCall) -> ToolResult:
        return self._results.get(call.id) or error_result(call, CANCELLED)

    def _on_result(self, result: ToolResult) -> None:
        self._results[result.tool_call_id] = result
        self._queue.put_nowait(result)

    async def _called(self, calls: Sequence[ToolCall], dispatcher: Dispatcher, index: int) -> AsyncIterator[AgentEvent]:
        """Run calls, yield the event of each result as soon as it is available, and add all results to the messages."""
        for call in calls:
            yield AgentToolCall(call.name, call.arguments, call.id, self._titles(call.name))
        verdicts = self._settings.get("verdicts", {})
        task = asyncio.create_task(carry_ending(dispatcher.run_all(calls, self._review, self._max_parallel, verdicts)))
        task.add_done_callback(lambda done: self._queue.put_nowait(None))
        try:
            while (result := await self._queue.get()) is not None:
                yield result_event(result)
            if results := await task:
                self._add(ToolMessage(results), index)
        except EndingError as error:
            raise error.ending from None
        finally:
            task.cancel()
            while not task.done():
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait([task])


def _after_results(messages: Sequence[Message], turn: int) -> int:
    """Return the index after a response and its results."""
    index = turn + 1
    while index < len(messages) and isinstance(messages[index], ToolMessage):
        index += 1
    return index


def _since(began: float) -> float:
    """Return the milliseconds since a moment."""
    return (time.monotonic() - began) * 1000
