"""The turns of the tool loop as events, for synchronous and async sessions, with and without streams."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from ..conversion.responses import mark_calls_invalid
from ..conversion.wire import synthetic_id
from ..history import calls_without_result, tool_calls_of
from ..hooks import EndingError, call_hook, carry_ending
from ..json_text import compact, dump_allowing_nan
from ..models import (
    AgentEvent,
    AgentFinal,
    AgentReasoning,
    AgentStepComplete,
    AgentStepStart,
    AgentText,
    AgentToolCall,
    AgentToolResult,
    ApiError,
    AssistantMessage,
    CompletedEvent,
    Completion,
    ErrorEvent,
    ImagePart,
    InvalidCall,
    Message,
    ReasoningPart,
    Request,
    StreamEvent,
    TextPart,
    ToolCall,
    ToolDefinition,
    ToolMessage,
    ToolResult,
    Usage,
)
from .dispatcher import Dispatcher, OnResult
from .handlers import Review, callable_names, relax_tool_choice
from .results import CANCELLED, NO_MORE_TURNS, NOT_RUN, checked_result, error_result, invalid_call_text
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
        *,
        make_dispatcher: Callable[[OnResult, Sequence[str]], Dispatcher],
        display_name: Callable[[str], str | None],
        settings: RunSettings,
        review: Review | None,
        paused: Collection[str] = (),
        forbids_calls: bool = True,
        error_of: Callable[[Completion], ApiError | None] = lambda completion: None,
    ) -> None:
        """Prepare a run.

        Args:
            send: Sends a request, and yields the events of the response.
            request: The first request.
            make_dispatcher: Returns a dispatcher that passes its results to a function, and runs the tools of a list.
            display_name: Returns the name that user interfaces show for a tool.
            settings: The settings, which were checked.
            review: Used instead of that in the settings.
            paused: Stop reasons that mean that the provider interrupted its own turn.
            forbids_calls: Whether a request with tools can forbid calls.
            error_of: Returns the API's error in a response.

        Raises:
            TypeError: A tool has no handler.
            ValueError: A limit is less than 1, or a verdict or result does not belong to a waiting call.
        """
        self._max_turns = settings.get("max_tool_turns", 10)
        self._max_parallel = settings.get("max_parallel", 8)
        if self._max_turns < 1:
            raise ValueError("max_tool_turns must be at least 1")
        if self._max_parallel < 1:
            raise ValueError("max_parallel must be at least 1")
        self._send = send
        self._request = request
        self._settings = settings
        self._make_dispatcher = make_dispatcher
        self._dispatcher = make_dispatcher(self._on_result, callable_names(request))
        self._display_name = display_name
        self._review = review
        self._paused = paused
        self._forbids_calls = forbids_calls
        self._error_of = error_of
        self._on_message = settings.get("on_message")
        self._messages = list(request.messages)
        self._waiting = calls_without_result(self._messages)
        self._app_results = {result.tool_call_id: result for result in map(checked_result, settings.get("results", ()))}
        self._check_waiting()
        self._results: dict[str, ToolResult] = {}
        self._queue: asyncio.Queue[ToolResult | None] = asyncio.Queue()
        self._turns = 0
        self._is_last_request = False
        self._was_corrected = False
        self._output: Any = None
        self._error: ApiError | None = None
        self._usages: list[Usage] = []
        self._completion: Completion | None = None
        self.result: RunResult | None = None

    def _check_waiting(self) -> None:
        """Check that each verdict and result of the app belongs to a waiting call.

        Raises:
            ValueError: Some calls are not waiting. The message lists their ids.
        """
        waiting_ids = {call.id for _, calls in self._waiting for call in calls}
        decided_ids = [*self._settings.get("verdicts", {}), *self._app_results]
        if unknown := [identifier for identifier in decided_ids if identifier not in waiting_ids]:
            ids = ", ".join(map(repr, unknown))
            raise ValueError(f"no call in the history is waiting for a verdict or result: {ids}")

    async def events(self) -> AsyncGenerator[StreamEvent | AgentEvent, None]:
        """Run, and yield the events."""
        step = 0
        try:
            if self._waiting:
                async with aclosing(self._add_missing_results()) as agent_events:
                    async for agent_event in agent_events:
                        yield agent_event
            while self.result is None:
                step += 1
                async with aclosing(self._step(step)) as events:
                    async for event in events:
                        yield event
        except (asyncio.CancelledError, *ENDING):
            await self._abandon()
            raise
        except Exception as error:
            self._note_progress(error)
            raise
        yield AgentFinal(self.finished_result().text)

    def finished_result(self) -> RunResult:
        """Return the result of the run.

        Raises:
            RuntimeError: The run has not ended.
        """
        if self.result is None:
            raise RuntimeError("the run did not end")
        return self.result

    async def _step(self, step: int) -> AsyncGenerator[StreamEvent | AgentEvent, None]:
        """Send a request, and run the calls of its response."""
        began = time.monotonic()
        name = f"step_{step}"
        yield AgentStepStart(name, f"Step {step}", step)
        completion: Completion | None = None
        try:
            async with aclosing(self._send(await self._next_request())) as events:
                async for event in events:
                    if isinstance(event, CompletedEvent):
                        completion = event.completion
                        await self._receive(completion)  # before the event: who leaves at it has the response
                        self._error = self._error or self._error_of(completion)
                    elif isinstance(event, ErrorEvent):
                        self._error = event.error
                    yield event
            if completion is None:
                raise RuntimeError("the session's stream ended without a completion")
            async with aclosing(self._take_turn(completion)) as agent_events:
                async for agent_event in agent_events:
                    yield agent_event
            has_failed = completion.finish_reason == "error" or any(
                result.kind == "error" or result.is_error for result in self._results.values()
            )
            self._results.clear()
        except (asyncio.CancelledError, *ENDING):
            raise
        except Exception:
            yield AgentStepComplete(name, "error", _milliseconds_since(began))
            raise
        yield AgentStepComplete(name, "error" if has_failed else "completed", _milliseconds_since(began))

    async def _take_turn(self, completion: Completion) -> AsyncGenerator[AgentEvent, None]:
        """Report a response, run its calls, and end the run if it does not continue after them."""
        for event in _text_and_reasoning_events(completion):
            yield event
        await call_hook(self._settings.get("on_answer"), completion)
        calls = tool_calls_of(completion.message)
        stopped_by = await self._decide_on_response(completion, calls)
        if stopped_by is None and calls and not self._is_last_request:
            async with aclosing(self._run_calls(calls, self._dispatcher, len(self._messages))) as events:
                async for event in events:
                    yield event
            self._relax_tool_choice()
        if stopped_by is None:
            self._turns += 1
            stopped_by = await self._stopped_by_after_turn()
        if stopped_by is not None:
            self._end(completion, stopped_by)

    async def _next_request(self) -> Request:
        """Return the next request, after the app's `prepare`."""
        request = replace(self._request, messages=list(self._messages))
        if self._is_last_request:
            request = replace(request, tool_choice="none" if request.tools and self._forbids_calls else None)
        prepare = self._settings.get("prepare")
        return request if prepare is None else await call_hook(prepare, request)

    async def _receive(self, completion: Completion) -> None:
        """Add the response to the conversation."""
        self._completion = completion
        mark_calls_invalid(completion.message, completion.finish_reason)  # an app's own session may not have done it
        self._make_ids_unique(tool_calls_of(completion.message))
        if completion.usage is not None:
            self._usages.append(completion.usage)
        await self._add_message(completion.message)

    def _make_ids_unique(self, calls: Sequence[ToolCall]) -> None:
        """Give calls a new id if they have none, or that of an earlier call. Some APIs count again in each response.

        A call that repeats an id of the same response becomes invalid, because the two cannot be distinguished.
        """
        earlier_ids = {call.id for message in self._messages for call in tool_calls_of(message)}
        used_ids = earlier_ids | {call.id for call in calls}
        turn = sum(isinstance(message, AssistantMessage) for message in self._messages)
        original_ids: set[str] = set()
        for position, call in enumerate(calls):
            original_id = call.id if isinstance(call.id, str) else ""  # an app's own session may have none
            is_blank = not original_id.strip()
            is_repeated = original_id in original_ids
            original_ids.add(original_id)
            if is_blank or is_repeated or original_id in earlier_ids:
                call.id = synthetic_id(turn, position)
                while call.id in used_ids:
                    call.id += "_"
                used_ids.add(call.id)
            if is_repeated and not is_blank and call.invalid is None:
                call.invalid = InvalidCall(dump_allowing_nan(call.arguments), "duplicate_id")

    async def _decide_on_response(self, completion: Completion, calls: Sequence[ToolCall]) -> StoppedBy | None:
        """Return why the run ends with this response, or None if it continues.

        Calls that will not be run because of that get their results. A response that does not match the requested
        output is sent back once.
        """
        reason = completion.finish_reason
        if reason == "length" or reason == "content_filter" or reason == "error":
            return reason
        if not any(call.invalid is None or call.invalid.reason in _CORRECTABLE for call in calls):
            return await self._decide_without_calls(completion, calls)
        if await self._is_cancelled():
            await self._add_message(ToolMessage([self._result_or_cancelled(call) for call in calls]))
            return "cancelled"
        if self._turns < self._max_turns and not self._is_last_request:
            return None
        if self._settings.get("at_limit") == "answer":
            await self._add_message(ToolMessage([error_result(call, NO_MORE_TURNS) for call in calls]))
        return self._decide_at_limit()

    def _decide_at_limit(self) -> StoppedBy | None:
        """Return that the run ends at its limit, or None if there is one more request, without calls."""
        if self._settings.get("at_limit") != "answer" or self._is_last_request:
            return "limit"
        self._is_last_request = True
        return None

    async def _decide_without_calls(
        self, completion: Completion, invalid_calls: Sequence[ToolCall]
    ) -> StoppedBy | None:
        """Decide as `_decide_on_response`, if the response has no calls that can be run or corrected."""
        errors = [
            error_result(call, invalid_call_text(call.invalid)) for call in invalid_calls if call.invalid is not None
        ]
        if errors:  # no API accepts a history with a call that has no result
            await self._add_message(ToolMessage(errors))
        if self._is_last_request:
            return "limit"
        if not invalid_calls and completion.stop_reason in self._paused:
            return None if self._turns < self._max_turns else self._decide_at_limit()
        return "end" if await self._accept_output(completion) else None

    async def _accept_output(self, completion: Completion) -> bool:
        """Store the requested output. The first response that does not match it is sent back, and False returned."""
        output = self._settings.get("output")
        if output is None:
            return True
        from pydantic import ValidationError

        try:
            self._output = parse_output(output, completion.message)
        except ValidationError as error:
            if not self._was_corrected:
                self._was_corrected = True
                await self._add_message(correction_message(error))
                return False
        return True

    async def _stopped_by_after_turn(self) -> StoppedBy | None:
        """Return why the run ends after a turn. None if it continues."""
        if self._dispatcher.held:
            return "held"
        if await self._is_cancelled():
            return "cancelled"
        stop = self._settings.get("stop")
        if stop is not None and await call_hook(stop, total_usage(self._usages), self._turns):
            return "stop"
        return None

    async def _is_cancelled(self) -> bool:
        """Return whether the app ends the run."""
        return bool(await call_hook(self._settings.get("cancelled")))

    def _relax_tool_choice(self) -> None:
        """Stop forcing a call after the first response."""
        names_before = callable_names(self._request)
        self._request = replace(self._request, tool_choice=relax_tool_choice(self._request.tool_choice))
        names = callable_names(self._request)
        if names != names_before:
            self._dispatcher = self._make_dispatcher(self._on_result, names)

    async def _add_missing_results(self) -> AsyncGenerator[AgentEvent, None]:
        """Add results for the calls of the history that have none, directly after each turn.

        Calls of the last turn are run, or get the app's results. Older calls get the result that they were not run.
        """
        last_turn = max(i for i, message in enumerate(self._messages) if isinstance(message, AssistantMessage))
        added_count = 0
        for turn, calls in self._waiting:
            response = self._messages[turn + added_count]
            index = _index_after_results(self._messages, turn + added_count)
            results: list[ToolResult] = []
            to_run: list[ToolCall] = []
            for call in calls:
                if call.id in self._app_results:
                    results.append(replace(self._app_results[call.id], name=call.name))
                else:
                    to_run.append(call)
            if turn != last_turn:
                results += [error_result(call, NOT_RUN) for call in to_run]
                to_run = []
            if results:
                await self._add_message(ToolMessage(results), index)
                index, added_count = index + 1, added_count + 1
            if to_run and isinstance(response, AssistantMessage):
                async with aclosing(self._run_waiting_calls(response, to_run, index)) as events:
                    async for event in events:
                        yield event

    async def _run_waiting_calls(
        self, response: AssistantMessage, calls: Sequence[ToolCall], index: int
    ) -> AsyncGenerator[AgentEvent, None]:
        """Run calls of the history. The tool choice, which applies to the next response, does not exclude any."""
        self._completion = Completion(response, "tool_calls")
        names = [tool.name for tool in self._request.tools or () if isinstance(tool, ToolDefinition)]
        dispatcher = self._make_dispatcher(self._on_result, names)
        async with aclosing(self._run_calls(calls, dispatcher, index)) as events:
            async for event in events:
                yield event
        self._results.clear()
        if dispatcher.held:
            self._dispatcher.held = dispatcher.held
            self._end(self._completion, "held")

    async def _run_calls(
        self, calls: Sequence[ToolCall], dispatcher: Dispatcher, index: int
    ) -> AsyncGenerator[AgentEvent, None]:
        """Run calls, yield the event of each result as soon as it is available, and add all results to the messages."""
        for call in calls:
            yield AgentToolCall(call.name, call.arguments, call.id, self._display_name(call.name))
        verdicts = self._settings.get("verdicts", {})
        task = asyncio.create_task(carry_ending(dispatcher.run_all(calls, self._review, self._max_parallel, verdicts)))
        task.add_done_callback(lambda _: self._queue.put_nowait(None))
        try:
            while (result := await self._queue.get()) is not None:
                yield _result_event(result)
            if results := await task:
                await self._add_message(ToolMessage(results), index)
        except EndingError as error:
            raise error.ending from None
        finally:
            task.cancel()
            while not task.done():
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait([task])

    def _on_result(self, result: ToolResult) -> None:
        self._results[result.tool_call_id] = result
        self._queue.put_nowait(result)

    def _result_or_cancelled(self, call: ToolCall) -> ToolResult:
        """Return the result of a call. If there is none, return the error result that it was cancelled."""
        return self._results.get(call.id) or error_result(call, CANCELLED)

    async def _add_message(self, message: Message, index: int | None = None) -> None:
        """Add a message to the conversation, by default at its end."""
        self._messages.insert(len(self._messages) if index is None else index, message)
        await call_hook(self._on_message, message)

    def _end(self, completion: Completion, stopped_by: StoppedBy) -> None:
        """Set the result of the run."""
        self.result = RunResult(
            completion=completion,
            messages=self._messages,
            turns=self._turns,
            stopped_by=stopped_by,
            usage=total_usage(self._usages),
            pending=list(self._dispatcher.held) if stopped_by == "held" else [],
            output=self._output,
            error=self._error,
        )

    async def _abandon(self) -> None:
        """End a cancelled run. Every call gets a result."""
        if self.result is not None or self._completion is None:
            return
        added: list[ToolMessage] = []
        for turn, calls in calls_without_result(self._messages):
            message = ToolMessage([self._result_or_cancelled(call) for call in calls])
            self._messages.insert(_index_after_results(self._messages, turn + len(added)), message)
            added.append(message)
        self._end(self._completion, "cancelled")
        for message in added:
            await call_hook(self._on_message, message)

    def _note_progress(self, error: Exception) -> None:
        """Attach the conversation and usage before a failure to the exception, as `messages` and `usage`."""
        with contextlib.suppress(AttributeError, TypeError):
            error.messages = list(self._messages)  # type: ignore[attr-defined]  # exceptions take any attribute
            error.usage = total_usage(self._usages)  # type: ignore[attr-defined]  # likewise


def _index_after_results(messages: Sequence[Message], turn: int) -> int:
    """Return the index after a response and its results."""
    index = turn + 1
    while index < len(messages) and isinstance(messages[index], ToolMessage):
        index += 1
    return index


def _milliseconds_since(moment: float) -> float:
    """Return the milliseconds since a moment of the monotonic clock."""
    return (time.monotonic() - moment) * 1000


def _text_and_reasoning_events(completion: Completion) -> list[AgentEvent]:
    """Return the events for the text and reasoning of a response."""
    now = time.time() * 1000
    content = completion.message.content
    events: list[AgentEvent] = []
    for part in [TextPart(content)] if isinstance(content, str) else content or []:
        if isinstance(part, TextPart) and part.text:
            events.append(AgentText(part.text, now))
        elif isinstance(part, ReasoningPart) and part.text:
            events.append(AgentReasoning(part.text, now))
    return events


def _result_event(result: ToolResult) -> AgentToolResult:
    """Return the event for a result, as a user interface shows it: its text and its first image."""
    is_error = True if result.kind == "error" or result.is_error else None
    if result.kind != "multimodal":
        text = compact(result.value) if result.kind == "data" else result.value
        return AgentToolResult(result.name, text, result.tool_call_id, is_error)
    text = "".join(part.text for part in result.value if isinstance(part, TextPart))
    images = [part.data for part in result.value if isinstance(part, ImagePart) and part.data]
    return AgentToolResult(result.name, text, result.tool_call_id, is_error, images[0] if images else None)
