"""Sessions that respond from a script, sync and async, and keep what they were sent."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable
from typing import Any

from tests.support.generated import Package
from tests.support.runnable_project import reviewed

Run = Callable[..., Any]


def native(package: Package, responses: list[Any], *, later: bool = False) -> Any:
    """A session whose model has tools; a response that can be called is called."""
    base = package.module("runtime.sessions.base")

    def respond(session: Any, request: Any) -> Any:
        session.sent.append(copy.deepcopy(request))
        reply = session.responses.pop(0) if len(session.responses) > 1 else session.responses[0]
        return copy.deepcopy(reply() if callable(reply) else reply)

    class Sync(base.Session):  # type: ignore[misc,name-defined]
        tool_mode = base.ToolMode.NATIVE

        def send(self, request: Any) -> Any:
            return respond(self, request)

    class Later(base.AsyncSession):  # type: ignore[misc,name-defined]
        tool_mode = base.ToolMode.NATIVE

        async def send(self, request: Any) -> Any:
            await asyncio.sleep(0)
            return respond(self, request)

    session = Later() if later else Sync()
    session.responses, session.sent = list(responses), []
    return session


def completion(package: Package, *parts: Any, reason: str | None = None, **more: Any) -> Any:
    """A completion of texts, and of calls as pairs of name and arguments."""
    models = package.module("models")
    content = []
    for i, part in enumerate(parts):
        if isinstance(part, str):
            content.append(models.TextPart(part))
        elif isinstance(part, tuple):
            content.append(models.ToolCallPart(models.ToolCall(f"{id(parts)}-{i}", *part)))
        else:
            content.append(part)
    called = any(isinstance(part, tuple) for part in parts)
    return models.Completion(models.AssistantMessage(content), reason or ("tool_calls" if called else "stop"), **more)


def all_ways(package: Package, responses: list[Any], request: Any, handlers: Any, **settings: Any) -> list[Any]:
    """The result, the session and the events of a run, in each of the four ways."""
    loop = reviewed(package)

    async def watched(session: Any, events: list[Any]) -> Any:
        run = loop.arun_stream(session, request, handlers, **settings)
        events.extend([event async for event in run])
        return run.result

    runs = []
    session = native(package, responses)
    runs.append((loop.run(session, request, handlers, **settings), session, []))
    session = native(package, responses)
    stream = loop.run_stream(session, request, handlers, **settings)
    events = list(stream)
    runs.append((stream.result, session, events))
    session = native(package, responses, later=True)
    runs.append((asyncio.run(loop.arun(session, request, handlers, **settings)), session, []))
    session, emitted = native(package, responses, later=True), []
    result = asyncio.run(watched(session, emitted))
    runs.append((result, session, emitted))
    assert [r.stopped_by for r, _, _ in runs] == [runs[0][0].stopped_by] * 4
    assert [[s.sent for _, s, _ in runs][i] == runs[0][1].sent for i in range(4)] == [True] * 4
    return runs
