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
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from inspect import isawaitable
from typing import Any, Generic, TypeVar, Unpack

from ..hooks import OnLossHooks, call_hooks, loss_hooks, loss_hooks_of_run
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

        async def send(request: Request) -> AsyncIterator[StreamEvent]:
            yield CompletedEvent(await call_in_current_thread(session.complete, request))

        loop = self._make_loop(session, send, request, handlers, settings, is_async=False)
        with SyncRunner() as runner:
            runner.run(_run_to_end(loop))
        return loop.finished_result()

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

        async def send(request: Request) -> AsyncIterator[StreamEvent]:
            """Return the events of one response. The stream of the session is closed with them."""
            source = await call_in_current_thread(session.stream, request)
            try:
                events = iter(source)
                while (event := await call_in_current_thread(next, events, None)) is not None:
                    yield event
            finally:
                await call_in_current_thread(close_if_closable, source)

        return RunStream(self._make_loop(session, send, request, handlers, settings, is_async=False))

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

        async def send(request: Request) -> AsyncIterator[StreamEvent]:
            yield CompletedEvent(await session.complete(request))

        loop = self._make_loop(session, send, request, handlers, settings, is_async=True)
        await _run_to_end(loop)
        return loop.finished_result()

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

        async def send(request: Request) -> AsyncIterator[StreamEvent]:
            async with aclosing(session.stream(request)) as events:
                async for event in events:
                    yield event

        return AsyncRunStream(self._make_loop(session, send, request, handlers, settings, is_async=True))

    def _make_loop(
        self,
        session: Session | AsyncSession,
        send: Send,
        request: Request | str,
        handlers: H,
        settings: RunSettings,
        *,
        is_async: bool,
    ) -> ToolLoop:
        """Check everything that the app passed, and return the loop of a run, which has not started."""
        _check_session(session, is_async)
        check_settings(settings)
        prepared = self._offer_declared_tools(session.prepare_request(request), session.offered)
        check_other_handlers_and_review(prepared, self._tools.definitions, self._tools.low_risk, settings)
        output = settings.get("output")
        if output is not None:
            is_accepted = session.accepts_output_schema(prepared)
            in_text = session.tool_mode is ToolMode.PROMPT_BASED or not is_accepted
            has_schemas = is_accepted or session.output_schemas  # a later request may have one
            prepared = add_output_format(prepared, output, in_text=in_text, has_schemas=has_schemas)
        review = settings.get("review")
        if review is not None and not is_async:
            review = _in_current_thread(review)

        hooks = loss_hooks(settings.get("on_loss"), session.on_loss)

        def make_dispatcher(on_result: OnResult, offered: Sequence[str]) -> Dispatcher:
            return self._make_dispatcher(handlers, settings, on_result, hooks, offered, inline=not is_async)

        return ToolLoop(
            _with_loss_hooks(send, hooks) if hooks else send,
            prepared,
            make_dispatcher=make_dispatcher,
            display_name=self._tools.display_names.get,
            settings=settings,
            review=review,
            paused=session.paused,
            forbids_calls=session.forbids_calls,
            error_of=session.error_of,
        )

    def _offer_declared_tools(self, request: Request, offered: Collection[str] | None) -> Request:
        """Return the request. Without `tools`, it offers each declared tool that is not deprecated and may be offered."""
        if request.tools is not None:
            return request
        definitions = self._tools.definitions  # each is imported when it is first used
        names = [name for name in definitions if name not in self._tools.deprecated]
        if offered is not None:
            names = [name for name in names if name in offered]
        return replace(request, tools=[definitions[name] for name in names])

    def _make_dispatcher(
        self,
        handlers: H,
        settings: RunSettings,
        on_result: OnResult,
        hooks: OnLossHooks,
        offered: Sequence[str],
        *,
        inline: bool,
    ) -> Dispatcher:
        """Return a dispatcher with the settings of a run. Each result goes to the loop first, then to the app."""
        on_result_of_app = settings.get("on_result")

        def report_result(result: ToolResult) -> object:
            on_result(result)
            return None if on_result_of_app is None else on_result_of_app(result)

        return self._tools.make_dispatcher(
            handlers,
            timeout=settings.get("timeout"),
            on_error=settings.get("on_error"),
            on_result=report_result,
            on_loss=partial(call_hooks, hooks) if hooks else None,
            offered=offered,
            inline=inline,
            others=settings.get("others"),
            low_risk=settings.get("low_risk", ()),
            around=settings.get("around"),
        )


def _with_loss_hooks(send: Send, hooks: OnLossHooks) -> Send:
    """Return the function that sends requests. Their losses go to the hooks, whatever session converts them."""

    async def send_with_loss_hooks(request: Request) -> AsyncIterator[StreamEvent]:
        async with aclosing(send(request)) as source:
            events = aiter(source)
            while True:
                with loss_hooks_of_run(hooks):  # left before the event: the code that gets it may send requests too
                    event = await anext(events, None)
                if event is None:
                    return
                yield event

    return send_with_loss_hooks


async def _run_to_end(loop: ToolLoop) -> None:
    """Run a tool loop without showing its events."""
    async with contextlib.aclosing(loop.events()) as events:
        async for _ in events:
            pass


def _check_session(session: object, is_async: bool) -> None:
    """Check that a session is of the kind that a run needs.

    Raises:
        TypeError: It is of the other kind, or no session.
    """
    if isinstance(session, Session if is_async else AsyncSession):
        hint = "synchronous code: use `run`, in a thread" if is_async else "async code: use `arun`"
        raise TypeError(f"{type(session).__name__} is a session for {hint}")
    if not isinstance(session, AsyncSession if is_async else Session):
        raise TypeError(f"{type(session).__name__} is not a session: pass a client to `Session` or `AsyncSession`")


def _in_current_thread(review: Review) -> Review:
    """Wrap a review that may block, for example to ask a person, so that it is called in the thread of the caller."""

    async def review_in_current_thread(call: ToolCall, arguments: Any) -> Verdict:
        verdict = await call_in_current_thread(review, call, arguments)
        return await verdict if isawaitable(verdict) else verdict

    return review_in_current_thread


class RunStream:
    """A run as an iterator of events. `result` is set after the last event, or when the iteration is stopped early."""

    def __init__(self, loop: ToolLoop) -> None:
        """Set the tool loop. Nothing runs before the iteration starts."""
        self._loop = loop
        self._events = loop.events()

    @property
    def result(self) -> RunResult | None:
        """The result of the run; None before its end."""
        return self._loop.result

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

    def __init__(self, loop: ToolLoop) -> None:
        """Set the tool loop. Nothing runs before the iteration starts."""
        self._loop = loop
        self._events = loop.events()

    @property
    def result(self) -> RunResult | None:
        """The result of the run; None before its end."""
        return self._loop.result

    def __aiter__(self) -> AsyncIterator[StreamEvent | AgentEvent]:
        """Run, and yield the events."""
        return self._events

    async def aclose(self) -> None:
        """End the run early, and cancel what is running. `async with contextlib.aclosing(run)` calls this."""
        await self._events.aclose()
