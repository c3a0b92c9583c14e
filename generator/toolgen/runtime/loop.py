"""The loop: send, run the calls of the answer, send their results, until the model has no more calls.

    result = run(session, "What is the weather in Oslo?", handlers)

A turn is an answer, all its calls run, and the results sent. The loop goes on while an answer has calls to run and did not
end early. Calls that the model can mend (their arguments are no JSON) are answered with an error; those that were cut off, held
back or not trusted have one too, but alone they are no reason to go on. Without `tools` a request offers every declared tool that is not deprecated. Only
what is offered runs, and of that what the choice among tools leaves; one that forces a call does so for the first answer only.

All by hand: `session.complete(request)`, `dispatch_all(tool_calls_of(completion.message), handlers)`, both messages
appended, and again.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from ..models import CompletedEvent, Request, StreamEvent, ToolCall, ToolResult
from .running.blocking import between_steps, run_blocking
from .running.dispatching import Dispatcher, OnResult
from .running.reviews import Allow, Deny, Edit, Review
from .running.rounds import Asked, Rounds
from .running.run_results import RunResult
from .running.run_settings import RunSettings, check_settings, check_tools
from .running.run_streams import AsyncRunStream, RunStream
from .sessions.base import AsyncSession, Session
from .streams.leaving import close, closed_at_end

if TYPE_CHECKING:
    from pydantic import BaseModel

    from ..tools import Handlers

__all__ = ["AsyncRunStream", "RunResult", "RunSettings", "RunStream", "arun", "arun_stream", "run", "run_stream"]


def run(session: Session, request: Request | str, handlers: Handlers, **settings: Unpack[RunSettings]) -> RunResult:
    """Run a request to its end; text stands for what the user says.

    A handler that is not async runs in this thread where it is the only one that runs, else beside the others.

    Raises:
        TypeError: a tool has no handler, or a word is no setting.
        ValueError: a limit is less than 1.
    """

    async def asked(one: Request) -> AsyncIterator[StreamEvent]:
        yield CompletedEvent(await between_steps(session.complete, one))

    return run_blocking(_drained(_rounds(session, asked, request, handlers, True, settings)))


def run_stream(
    session: Session, request: Request | str, handlers: Handlers, **settings: Unpack[RunSettings]
) -> RunStream:
    """Run a request, and tell what happens while the answers come: events of the stream, and those of the run.

    Raises:
        TypeError: a tool has no handler, or a word is no setting.
        ValueError: a limit is less than 1.
    """

    async def asked(one: Request) -> AsyncIterator[StreamEvent]:
        told = await between_steps(session.stream, one)
        try:
            events = iter(told)
            while (event := await between_steps(next, events, None)) is not None:
                yield event
        finally:
            await between_steps(close, told)

    return RunStream(_rounds(session, asked, request, handlers, True, settings))


async def arun(
    session: AsyncSession, request: Request | str, handlers: Handlers, **settings: Unpack[RunSettings]
) -> RunResult:
    """Run a request as `run` does. Cancelled, it cancels what runs and raises again; `on_message` has heard it all.

    Raises:
        TypeError: a tool has no handler, or a word is no setting.
        ValueError: a limit is less than 1.
    """

    async def asked(one: Request) -> AsyncIterator[StreamEvent]:
        yield CompletedEvent(await session.complete(one))

    return await _drained(_rounds(session, asked, request, handlers, False, settings))


def arun_stream(
    session: AsyncSession, request: Request | str, handlers: Handlers, **settings: Unpack[RunSettings]
) -> AsyncRunStream:
    """Run a request as `run_stream` does, for async code.

    Raises:
        TypeError: a tool has no handler, or a word is no setting.
        ValueError: a limit is less than 1.
    """

    async def asked(one: Request) -> AsyncIterator[StreamEvent]:
        async with closed_at_end(session.stream(one)) as events:
            async for event in events:
                yield event

    return AsyncRunStream(_rounds(session, asked, request, handlers, False, settings))


def _rounds(
    session: Session | AsyncSession,
    asked: Asked,
    request: Request | str,
    handlers: Handlers,
    inline: bool,
    settings: RunSettings,
) -> Rounds:
    from ..tools import DEFINITIONS, DEPRECATED, DISPLAY_NAMES, dispatcher

    check_settings(settings)
    made = session.prepared(request)
    if made.tools is None:
        names = [name for name in DEFINITIONS if name not in DEPRECATED]
        allowed = names if session.offered is None else [name for name in names if name in session.offered]
        made = replace(made, tools=[DEFINITIONS[name] for name in allowed])
    check_tools(made, DEFINITIONS)
    review = settings.get("review")

    def dispatching(on_result: OnResult, offered: Sequence[str]) -> Dispatcher:
        theirs = settings.get("on_result")

        def heard(result: ToolResult) -> None:
            on_result(result)
            if theirs is not None:
                theirs(result)

        return dispatcher(
            handlers,
            timeout=settings.get("timeout"),
            on_error=settings.get("on_error"),
            on_result=heard,
            on_loss=settings.get("on_loss"),
            offered=offered,
            inline=inline,
        )

    return Rounds(
        asked,
        made,
        dispatching,
        DISPLAY_NAMES.get,
        max_tool_turns=settings.get("max_tool_turns", 10),
        max_parallel=settings.get("max_parallel", 8),
        review=_between(review) if inline and review is not None else review,
        on_message=settings.get("on_message"),
        cancelled=settings.get("cancelled"),
    )


def _between(review: Review) -> Review:
    """A review whose code may block: it asks a person, for one."""

    async def reviewed(call: ToolCall, arguments: BaseModel) -> Allow | Deny | Edit:
        verdict = await between_steps(review, call, arguments)
        return verdict if isinstance(verdict, Allow | Deny | Edit) else await verdict

    return reviewed


async def _drained(rounds: Rounds) -> RunResult:
    """Carry a run out to its end, with nobody to watch it."""
    async with contextlib.aclosing(rounds.events()) as events:
        async for _ in events:
            pass
    if rounds.result is None:
        raise RuntimeError("the run has no end")
    return rounds.result
