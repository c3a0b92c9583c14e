"""The loop: send, run the calls of the answer, send their results, until the model has no more calls.

    result = run(session, "What is the weather in Oslo?", handlers)

A turn is an answer, all its calls run, and the results sent. The loop goes on while an answer has calls to run and did not
end early. Calls that the model can fix (their arguments are not valid JSON) are answered with an error; those that were cut off, held
back or not trusted have one too, but alone they are no reason to go on. Without `tools` a request offers every declared tool that is not deprecated. Only
what is offered runs, and of that what the choice among tools leaves; one that forces a call does so for the first answer only.

All by hand: `session.complete(request)`, `dispatch_all(tool_calls_of(completion.message), handlers)`, both messages
appended, and again.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator, Sequence
from contextvars import copy_context
from dataclasses import replace
from inspect import isawaitable
from typing import Any, Generic, TypeVar, Unpack

from ..models import AgentEvent, CompletedEvent, Request, StreamEvent, ToolCall, ToolResult
from ..sessions.base import AsyncSession, Session, ToolMode
from ..tools.runnable_tools import RunnableTools
from .dispatcher import Dispatcher, OnResult
from .handlers import Review, Verdict
from .run_settings import RunResult, RunSettings, check_settings, check_tools, with_output
from .sync_runner import Blocking, aclosing, between_steps, close
from .tool_loop import Asked, ToolLoop

__all__ = ["AsyncRunStream", "Loop", "RunStream"]

H = TypeVar("H")


class Loop(Generic[H]):
    """Runs requests with the tools of a package; its `running.py` has one."""

    def __init__(self, tools: RunnableTools[H]) -> None:
        self._tools = tools

    def run(self, session: Session, request: Request | str, handlers: H, **settings: Unpack[RunSettings]) -> RunResult:
        """Run a request to its end; text stands for what the user says.

        A handler that is not async runs in this thread where it is the only one that runs, else beside the others.

        Args:
            session: the session that sends the requests.
            request: the request to write.
            handlers: an object with one method for each tool, as `Handlers` declares them.
            **settings: limits, review and callbacks, as `RunSettings` names them.

        Raises:
            TypeError: a tool has no handler, a high-risk one has no review, or a word is not a setting.
            ValueError: a limit is less than 1, or a verdict or a result is for no call that waits.
        """

        async def asked(one: Request) -> AsyncIterator[StreamEvent]:
            yield CompletedEvent(copy_context().run(session.complete, one))  # stepped by hand: no loop runs here

        rounds = self._rounds(session, asked, request, handlers, True, settings)
        for _ in RunStream(rounds):
            pass
        return rounds.ended()

    def run_stream(
        self, session: Session, request: Request | str, handlers: H, **settings: Unpack[RunSettings]
    ) -> RunStream:
        """Run a request, and tell what happens while the answers come: events of the stream, and those of the run.

        Args:
            session: the session that sends the requests.
            request: the request to write.
            handlers: an object with one method for each tool, as `Handlers` declares them.
            **settings: limits, review and callbacks, as `RunSettings` names them.

        Raises:
            TypeError: a tool has no handler, a high-risk one has no review, or a word is not a setting.
            ValueError: a limit is less than 1, or a verdict or a result is for no call that waits.
        """

        async def asked(one: Request) -> AsyncIterator[StreamEvent]:
            told = copy_context().run(session.stream, one)  # as above
            try:
                events = iter(told)
                while (event := copy_context().run(next, events, None)) is not None:
                    yield event
            finally:
                copy_context().run(close, told)

        return RunStream(self._rounds(session, asked, request, handlers, True, settings))

    async def arun(
        self, session: AsyncSession, request: Request | str, handlers: H, **settings: Unpack[RunSettings]
    ) -> RunResult:
        """Run a request as `run` does. Cancelled, it cancels what runs and raises again; `on_message` has heard it all.

        Args:
            session: the session that sends the requests.
            request: the request to write.
            handlers: an object with one method for each tool, as `Handlers` declares them.
            **settings: limits, review and callbacks, as `RunSettings` names them.

        Raises:
            TypeError: a tool has no handler, a high-risk one has no review, or a word is not a setting.
            ValueError: a limit is less than 1, or a verdict or a result is for no call that waits.
        """

        async def asked(one: Request) -> AsyncIterator[StreamEvent]:
            yield CompletedEvent(await session.complete(one))

        return await _drained(self._rounds(session, asked, request, handlers, False, settings))

    def arun_stream(
        self, session: AsyncSession, request: Request | str, handlers: H, **settings: Unpack[RunSettings]
    ) -> AsyncRunStream:
        """Run a request as `run_stream` does, for async code.

        Args:
            session: the session that sends the requests.
            request: the request to write.
            handlers: an object with one method for each tool, as `Handlers` declares them.
            **settings: limits, review and callbacks, as `RunSettings` names them.

        Raises:
            TypeError: a tool has no handler, a high-risk one has no review, or a word is not a setting.
            ValueError: a limit is less than 1, or a verdict or a result is for no call that waits.
        """

        async def asked(one: Request) -> AsyncIterator[StreamEvent]:
            async with aclosing(session.stream(one)) as events:
                async for event in events:
                    yield event

        return AsyncRunStream(self._rounds(session, asked, request, handlers, False, settings))

    def _rounds(
        self,
        session: Session | AsyncSession,
        asked: Asked,
        request: Request | str,
        handlers: H,
        inline: bool,
        settings: RunSettings,
    ) -> ToolLoop:
        if isinstance(session, AsyncSession if inline else Session):
            said = "async code: use `arun`" if inline else "synchronous code: use `run`, in a thread"
            raise TypeError(f"{type(session).__name__} is a session for {said}")
        definitions = self._tools.definitions
        check_settings(settings)
        made = session.prepared(request)
        if made.tools is None:
            names = [name for name in definitions if name not in self._tools.deprecated]
            allowed = names if session.offered is None else [name for name in names if name in session.offered]
            made = replace(made, tools=[definitions[name] for name in allowed])
        check_tools(made, definitions, self._tools.low_risk, settings)
        output = settings.get("output")
        if output is not None:
            made = with_output(made, output, in_text=session.tool_mode is ToolMode.PROMPT_BASED)
        review = settings.get("review")

        def dispatching(on_result: OnResult, offered: Sequence[str]) -> Dispatcher:
            theirs = settings.get("on_result")

            def heard(result: ToolResult) -> None:
                on_result(result)
                if theirs is not None:
                    theirs(result)

            return self._tools.dispatcher(
                handlers,
                timeout=settings.get("timeout"),
                on_error=settings.get("on_error"),
                on_result=heard,
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
            _between(review) if inline and review is not None else review,
            session.paused,
        )


def _between(review: Review) -> Review:
    """A review whose code may block: it asks a person, for one."""

    async def reviewed(call: ToolCall, arguments: Any) -> Verdict:
        verdict = await between_steps(review, call, arguments)
        return await verdict if isawaitable(verdict) else verdict

    return reviewed


async def _drained(rounds: ToolLoop) -> RunResult:
    """Carry a run out to its end, with nobody to watch it."""
    async with contextlib.aclosing(rounds.events()) as events:
        async for _ in events:
            pass
    return rounds.ended()


class RunStream:
    """A run that tells what happens; `result` is there once it has been read to its end, or left."""

    def __init__(self, rounds: ToolLoop) -> None:
        """Take the rounds; nothing happens before they are read."""
        self._rounds = rounds

    @property
    def result(self) -> RunResult | None:
        """What the run came to; None before its end."""
        return self._rounds.result

    def __iter__(self) -> Iterator[StreamEvent | AgentEvent]:
        """Carry the run out."""
        events = self._rounds.events()
        with Blocking() as blocking:
            try:
                while True:
                    yield blocking.run(events.asend(None))
            except StopAsyncIteration:
                return
            finally:
                blocking.run(events.aclose())


class AsyncRunStream:
    """The same for async code."""

    def __init__(self, rounds: ToolLoop) -> None:
        """Take the rounds; nothing happens before they are read."""
        self._rounds = rounds
        self._events = rounds.events()

    @property
    def result(self) -> RunResult | None:
        """What the run came to; None before its end."""
        return self._rounds.result

    def __aiter__(self) -> AsyncIterator[StreamEvent | AgentEvent]:
        """Carry the run out."""
        return self._events

    async def aclose(self) -> None:
        """End a run that is left early: what runs is cancelled. `async with contextlib.aclosing(run)` calls it."""
        await self._events.aclose()
