"""The rounds of the loop, told event by event: the same for sync and async sessions, with streams and without."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from ..conversion.wire import synthetic_id
from ..history import tool_calls_of
from ..json_text import dump_loosely
from ..models import (
    AgentEvent,
    AgentFinal,
    AgentStepComplete,
    AgentStepStart,
    AgentToolCall,
    AssistantMessage,
    CompletedEvent,
    Completion,
    InvalidCall,
    Message,
    Request,
    StreamEvent,
    ToolCall,
    ToolMessage,
    ToolResult,
    Usage,
)
from .dispatcher import Dispatcher, OnResult
from .handlers import Review, callable_names, relax_tool_choice
from .results import CANCELLED, answer_events, error_result, invalid_call_text, result_event
from .run_settings import RunResult, StoppedBy, total_usage
from .sync_runner import ENDING, a_loop, closed_at_end, running_loop

__all__ = ["Asked", "ToolLoop"]

Asked: TypeAlias = Callable[[Request], AsyncIterator[StreamEvent]]
"""Sends a request, and gives the events of the answer; `completed` is the last one."""

_MENDABLE = ("malformed", "not_an_object", "duplicate_id")
"""Why calls cannot be run that a model can send again as they should be."""


class ToolLoop:
    """One run. `events` carries it out; `result` is there at its end."""

    def __init__(
        self,
        asked: Asked,
        request: Request,
        dispatcher: Callable[[OnResult, Sequence[str]], Dispatcher],
        titles: Callable[[str], str | None],
        *,
        max_tool_turns: int,
        review: Review | None,
        max_parallel: int,
        on_message: Callable[[Message], object] | None,
        cancelled: Callable[[], bool] | None,
    ) -> None:
        """Prepare a run.

        Raises:
            TypeError: a tool has no handler.
            ValueError: a limit is less than 1.
        """
        if max_tool_turns < 1:
            raise ValueError("max_tool_turns must be at least 1")
        if max_parallel < 1:
            raise ValueError("max_parallel must be at least 1")
        self._asked = asked
        self._request = request
        self._dispatching = dispatcher
        self._dispatcher = dispatcher(self._heard, callable_names(request))
        self._titles = titles
        self._limit = max_tool_turns
        self._review = review
        self._max_parallel = max_parallel
        self._on_message = on_message
        self._cancelled = cancelled or (lambda: False)
        self._messages = list(request.messages)
        self._results: dict[str, ToolResult] = {}
        self._queue: asyncio.Queue[ToolResult | None] = asyncio.Queue()
        self._turns = 0
        self._used: list[Usage] = []
        self._completion: Completion | None = None
        self.result: RunResult | None = None

    async def events(self) -> AsyncGenerator[StreamEvent | AgentEvent, None]:
        """Carry the run out, and tell what happens."""
        step = 0
        while self.result is None:
            step += 1
            began = time.monotonic()
            status: Literal["completed", "error"] = "error"
            name = f"step_{step}"
            yield AgentStepStart(name, f"Step {step}", step)
            answer: Completion | None = None
            try:
                asked = self._asked(replace(self._request, messages=list(self._messages)))
                async with closed_at_end(asked) as told:
                    async for event in told:
                        yield event
                        if isinstance(event, CompletedEvent):
                            answer = event.completion
                completion = self._answered(answer)
                for said in answer_events(completion):
                    yield said
                calls = tool_calls_of(completion.message)
                stopped = self._stopped(completion, calls)
                if stopped is None:
                    async with closed_at_end(self._called(calls)) as results:
                        async for result in results:
                            yield result
                    self._unforce()
                    self._turns += 1
                    stopped = "cancelled" if self._cancelled() else None
                failed = any(self._results[c.id].kind == "error" for c in calls if c.id in self._results)
                status = "error" if failed or completion.finish_reason == "error" else "completed"
                self._results.clear()
                if stopped is not None:
                    self._end(completion, stopped)
            except (asyncio.CancelledError, *ENDING):
                self._abandon()
                raise
            except Exception:
                yield AgentStepComplete(name, "error", _since(began))
                raise
            yield AgentStepComplete(name, status, _since(began))
        yield AgentFinal(self.result.text)

    def ended(self) -> RunResult:
        """What the run came to.

        Raises:
            RuntimeError: it has not come to its end.
        """
        if self.result is None:
            raise RuntimeError("the run has no end")
        return self.result

    def _unforce(self) -> None:
        """Leave the model free: it was made to call once."""
        before = callable_names(self._request)
        self._request = replace(self._request, tool_choice=relax_tool_choice(self._request.tool_choice))
        after = callable_names(self._request)
        if after != before:
            self._dispatcher = self._dispatching(self._heard, after)

    def _answered(self, completion: Completion | None) -> Completion:
        """Take the answer into the conversation.

        Raises:
            RuntimeError: there was none, which is a fault of the session.
        """
        if completion is None:
            raise RuntimeError("the session's answer did not end in a completion")
        self._completion = completion
        self._distinguish(tool_calls_of(completion.message))
        if completion.usage is not None:
            self._used.append(completion.usage)
        self._add(completion.message)
        return completion

    def _distinguish(self, calls: Sequence[ToolCall]) -> None:
        """Give calls ids of their own where others have the same, for some APIs count anew in each answer.

        A call whose id stood in the same answer before cannot be told from the other, and is marked.
        """
        earlier = {call.id for message in self._messages for call in tool_calls_of(message)}
        taken = earlier | {call.id for call in calls}
        turn = sum(isinstance(message, AssistantMessage) for message in self._messages)
        here: set[str] = set()
        for position, call in enumerate(calls):
            given = call.id
            if given in earlier or given in here or not given.strip():
                call.id = synthetic_id(turn, position)
                while call.id in taken:
                    call.id += "_"
                taken.add(call.id)
            if given in here and given.strip() and call.invalid is None:
                call.invalid = InvalidCall(dump_loosely(call.arguments), "duplicate_id")
            here.add(given)

    def _add(self, message: Message) -> None:
        self._messages.append(message)
        if self._on_message is not None:
            self._on_message(message)

    def _stopped(self, completion: Completion, calls: Sequence[ToolCall]) -> StoppedBy | None:
        """Why the run ends with this answer; None where it goes on."""
        reason = completion.finish_reason
        if reason == "length" or reason == "content_filter" or reason == "error":
            return reason
        if not any(call.invalid is None or call.invalid.reason in _MENDABLE for call in calls):
            told = [error_result(call, invalid_call_text(call.invalid)) for call in calls if call.invalid is not None]
            if told:  # no API takes a call without a result in a history
                self._add(ToolMessage(told))
            return "end"
        if self._cancelled():
            self._add(ToolMessage([self._result(call) for call in calls]))
            return "cancelled"
        return "limit" if self._turns >= self._limit else None

    def _end(self, completion: Completion, stopped: StoppedBy) -> None:
        self.result = RunResult(completion, self._messages, self._turns, stopped, total_usage(self._used))

    def _abandon(self) -> None:
        """End a run that was cancelled: no call is left without a result."""
        if self.result is None and self._completion is not None:
            calls = tool_calls_of(self._messages[-1])
            if calls:
                self._add(ToolMessage([self._result(call) for call in calls]))
            self._end(self._completion, "cancelled")

    def _result(self, call: ToolCall) -> ToolResult:
        return self._results.get(call.id) or error_result(call, CANCELLED)

    def _heard(self, result: ToolResult) -> None:
        self._results[result.tool_call_id] = result
        self._queue.put_nowait(result)

    async def _next_result(self) -> ToolResult | None:
        if running_loop() is None:
            await a_loop()
        return await self._queue.get()

    async def _called(self, calls: Sequence[ToolCall]) -> AsyncIterator[AgentEvent]:
        """Run the calls of an answer, and tell each result as soon as there is one."""
        for call in calls:
            yield AgentToolCall(call.name, call.arguments, call.id, self._titles(call.name))
        if running_loop() is None:
            await a_loop()
        task = asyncio.create_task(self._dispatcher.all(calls, self._review, self._max_parallel))
        task.add_done_callback(lambda done: self._queue.put_nowait(None))
        try:
            while (result := await self._next_result()) is not None:
                yield result_event(result)
            self._add(ToolMessage(await task))
        finally:
            task.cancel()
            if running_loop() is None:
                await a_loop()
            while not task.done():
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait([task])


def _since(began: float) -> float:
    """Milliseconds since a moment."""
    return (time.monotonic() - began) * 1000
