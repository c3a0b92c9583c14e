"""The tool loop: send a request, run the calls of the response, send their results, until there are no more calls.

    result = run(session, "What is the weather in Oslo?", handlers)

A turn is a response whose calls are run and whose results are sent. The loop continues while a response has calls to
run and did not end early. A call that the model can fix, because its arguments are not valid JSON, gets an error
result. So does a call that was cut off, filtered or untrusted, but the loop does not continue for those alone. A
request without `tools` offers every declared tool that is not deprecated. Only offered tools run, as far as the tool
choice allows them. A choice that forces a call applies only to the first response.

To write the loop yourself, call `session.complete(request)` and `dispatch_all(tool_calls_of(completion.message),
handlers)`, append both messages, and repeat.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from inspect import isawaitable
from typing import Any, Generic, TypeVar, Unpack

from ..models import AgentEvent, CompletedEvent, Request, StreamEvent, ToolCall, ToolResult
from ..sessions.base import AsyncSession, Session, ToolMode
from ..tools.runnable_tools import RunnableTools
from .dispatcher import Dispatcher, OnResult
from .handlers import Review, Verdict
from .run_settings import (
    RunResult,
    RunSettings,
    add_output_format,
    check_other_handlers_and_review,
    check_settings,
)
from .sync_runner import SyncRunner, aclosing, call_in_current_thread, close_if_closable
from .tool_loop import Send, ToolLoop

__all__ = ["AsyncRunStream", "RunStream", "ToolRunner"]

H = TypeVar("H")


class ToolRunner(Generic[H]):
    """Runs requests with the tools of a package. Its `running.py` has an instance."""

    def __init__(self, tools: RunnableTools[H]) -> None:
        self._tools = tools

    def run(self, session: Session, request: Request | str, handlers: H, **settings: Unpack[RunSettings]) -> RunResult:
        """Send a request, run the calls of the response, send their results, and repeat until there are no more calls.

        A synchronous handler runs in this thread if it is the only one that is running, otherwise in its own thread.

        Args:
            session: The session that sends the requests.
            request: The request, or the text of a user message.
            handlers: An object with a method for each tool, as in `Handlers`.
            **settings: Limits, review and callbacks; see `RunSettings`.

        Returns:
            The last response, the whole conversation, and why the run ended.

        Raises:
            TypeError: A tool has no handler, a high-risk tool has no review, or a setting is unknown.
            ValueError: A limit is less than 1, or a verdict or result does not belong to a waiting call.

        Example:
            result = run(session, "What is the weather in Oslo?", handlers)
        """

        async def asked(one: Request) -> AsyncIterator[StreamEvent]:
            yield CompletedEvent(await call_in_current_thread(session.complete, one))

        rounds = self._make_loop(session, asked, request, handlers, True, settings)
        for _ in RunStream(rounds):
            pass
        return rounds.finished_result()

    def run_stream(
        self, session: Session, request: Request | str, handlers: H, **settings: Unpack[RunSettings]
    ) -> RunStream:
        """Run a request like `run`, and yield events while the responses arrive.

        Args:
            session: The session that sends the requests.
            request: The request, or the text of a user message.
            handlers: An object with a method for each tool, as in `Handlers`.
            **settings: Limits, review and callbacks; see `RunSettings`.

        Returns:
            An iterator of stream events and agent events. Its `result` is set at the end.

        Raises:
            TypeError: A tool has no handler, a high-risk tool has no review, or a setting is unknown.
            ValueError: A limit is less than 1, or a verdict or result does not belong to a waiting call.

        Example:
            for event in run_stream(session, "What is the weather in Oslo?", handlers):
                if isinstance(event, TextDelta):
                    print(event.text, end="")
        """

        async def asked(one: Request) -> AsyncIterator[StreamEvent]:
            source = await call_in_current_thread(session.stream, one)
            try:
                events = iter(source)
                while (event := await call_in_current_thread(next, events, None)) is not None:
                    yield event
            finally:
                await call_in_current_thread(close_if_closable, source)

        return RunStream(self._make_loop(session, asked, request, handlers, True, settings))

    async def arun(
        self, session: AsyncSession, request: Request | str, handlers: H, **settings: Unpack[RunSettings]
    ) -> RunResult:
        """Run a request like `run`, for async code.

        If it is cancelled, it cancels the running handlers and raises again. `on_message` has then been called with
        every message.

        Args:
            session: The session that sends the requests.
            request: The request, or the text of a user message.
            handlers: An object with a method for each tool, as in `Handlers`.
            **settings: Limits, review and callbacks; see `RunSettings`.

        Returns:
            The last response, the whole conversation, and why the run ended.

        Raises:
            TypeError: A tool has no handler, a high-risk tool has no review, or a setting is unknown.
            ValueError: A limit is less than 1, or a verdict or result does not belong to a waiting call.
        """

        async def asked(one: Request) -> AsyncIterator[StreamEvent]:
            yield CompletedEvent(await session.complete(one))

        return await _drained(self._make_loop(session, asked, request, handlers, False, settings))

    def arun_stream(
        self, session: AsyncSession, request: Request | str, handlers: H, **settings: Unpack[RunSettings]
    ) -> AsyncRunStream:
        """Run a request like `run_stream`, for async code.

        Args:
            session: The session that sends the requests.
            request: The request, or the text of a user message.
            handlers: An object with a method for each tool, as in `Handlers`.
            **settings: Limits, review and callbacks; see `RunSettings`.

        Returns:
            An asynchronous iterator of stream events and agent events. Its `result` is set at the end.

        Raises:
            TypeError: A tool has no handler, a high-risk tool has no review, or a setting is unknown.
            ValueError: A limit is less than 1, or a verdict or result does not belong to a waiting call.
        """

        async def asked(one: Request) -> AsyncIterator[StreamEvent]:
            async with aclosing(session.stream(one)) as events:
                async for event in events:
                    yield event

        return AsyncRunStream(self._make_loop(session, asked, request, handlers, False, settings))

    def _make_loop(
        self,
        session: Session | AsyncSession,
        asked: Send,
        request: Request | str,
        handlers: H,
        inline: bool,
        settings: RunSettings,
    ) -> ToolLoop:
        if isinstance(session, AsyncSession if inline else Session):
            hint = "async code: use `arun`" if inline else "synchronous code: use `run`, in a thread"
            raise TypeError(f"{type(session).__name__} is a session for {hint}")
        if not isinstance(session, Session if inline else AsyncSession):
            raise TypeError(f"{type(session).__name__} is not a session: pass a client to `Session` or `AsyncSession`")
        definitions = self._tools.definitions
        check_settings(settings)
        made = session.prepare_request(request)
        if made.tools is None:
            names = [name for name in definitions if name not in self._tools.deprecated]
            allowed = names if session.offered is None else [name for name in names if name in session.offered]
            made = replace(made, tools=[definitions[name] for name in allowed])
        check_other_handlers_and_review(made, definitions, self._tools.low_risk, settings)
        output = settings.get("output")
        if output is not None:
            in_text = session.tool_mode is ToolMode.PROMPT_BASED or not session.output_schemas
            made = add_output_format(made, output, in_text=in_text, has_schemas=session.output_schemas)
        review = settings.get("review")

        def dispatching(on_result: OnResult, offered: Sequence[str]) -> Dispatcher:
            theirs = settings.get("on_result")

            def report_result(result: ToolResult) -> None:
                on_result(result)
                if theirs is not None:
                    theirs(result)

            return self._tools.make_dispatcher(
                handlers,
                timeout=settings.get("timeout"),
                on_error=settings.get("on_error"),
                on_result=report_result,
                on_loss=settings.get("on_loss"),
                offered=offered,
                inline=inline,
                others=settings.get("others"),
                low_risk=settings.get("low_risk", ()),
                around=settings.get("around"),
            )

        return ToolLoop(
            asked,
            made,
            dispatching,
            self._tools.display_names.get,
            settings,
            _in_current_thread(review) if inline and review is not None else review,
            session.paused,
        )


def _in_current_thread(review: Review) -> Review:
    """Wrap a review that may block, for example to ask a person, so that it is called in the thread of the caller."""

    async def reviewed(call: ToolCall, arguments: Any) -> Verdict:
        verdict = await call_in_current_thread(review, call, arguments)
        return await verdict if isawaitable(verdict) else verdict

    return reviewed


async def _drained(rounds: ToolLoop) -> RunResult:
    """Run to the end without yielding events, and return the result."""
    async with contextlib.aclosing(rounds.events()) as events:
        async for _ in events:
            pass
    return rounds.finished_result()


class RunStream:
    """A run as an iterator of events. `result` is set after the last event, or when the iteration is stopped early."""

    def __init__(self, rounds: ToolLoop) -> None:
        """Set the tool loop. Nothing runs before the iteration starts."""
        self._rounds = rounds
        self._events = rounds.events()

    @property
    def result(self) -> RunResult | None:
        """The result of the run; None before its end."""
        return self._rounds.result

    def __iter__(self) -> Iterator[StreamEvent | AgentEvent]:
        """Run, and yield the events. After the end, or after an iteration that was stopped, there are none."""
        events = self._events
        with SyncRunner() as runner:
            try:
                while True:
                    yield runner.run(events.asend(None))
            except StopAsyncIteration:
                return
            finally:
                runner.run(events.aclose())


class AsyncRunStream:
    """A run as an asynchronous iterator of events."""

    def __init__(self, rounds: ToolLoop) -> None:
        """Set the tool loop. Nothing runs before the iteration starts."""
        self._rounds = rounds
        self._events = rounds.events()

    @property
    def result(self) -> RunResult | None:
        """The result of the run; None before its end."""
        return self._rounds.result

    def __aiter__(self) -> AsyncIterator[StreamEvent | AgentEvent]:
        """Run, and yield the events."""
        return self._events

    async def aclose(self) -> None:
        """End the run early, and cancel what is running. `async with contextlib.aclosing(run)` calls this."""
        await self._events.aclose()
