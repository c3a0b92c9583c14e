"""A chat in the browser: what the model says comes as it says it, and calls that are not harmless wait for a click.

    LLM_MODEL=... LLM_API_KEY=... python -m examples.chat

Chats are kept in memory. There is no login, so the server listens on this machine alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from os import environ
from pathlib import Path
from typing import Annotated, Any

import uvicorn
from fastapi import Body, FastAPI
from fastapi.responses import FileResponse
from fastapi.sse import EventSourceResponse, ServerSentEvent

from examples.connecting import session
from examples.workshop import Workshop
from generated import models
from generated.messages import repair
from generated.running import arun_stream
from generated.runtime.errors import ConversionError
from generated.sessions import AsyncSession, SessionError
from generated.tools import LOW_RISK, Allow, Deny

SHOWN = models.TextDelta | models.AgentToolCall | models.AgentToolResult | models.ErrorEvent
"""The events that the page has a use for; of the others `generated.models` knows what they say."""


class Chat:
    """One conversation, with a workshop of its own."""

    def __init__(self) -> None:
        """Begin with nothing said."""
        self.workshop = Workshop()
        self.messages: list[models.Message] = []
        self.turn = asyncio.Lock()
        self._verdicts: dict[str, asyncio.Future[bool]] = {}

    def verdict(self, call_id: str) -> asyncio.Future[bool]:
        """What the user says to a call, once it is said."""
        return self._verdicts.setdefault(call_id, asyncio.get_running_loop().create_future())

    async def review(self, call: models.ToolCall, arguments: object) -> Allow | Deny:
        """Wait for the user, who sees the call already: its event comes before its review."""
        return Allow() if await self.verdict(call.id) else Deny("The user does not want this call to run.")


def make_app(model: AsyncSession) -> FastAPI:
    """Make the app; any session will do."""
    app, chats = FastAPI(), dict[str, Chat]()

    @app.get("/")
    async def page() -> FileResponse:
        return FileResponse(Path(__file__).with_suffix(".html"))

    @app.post("/chats/{name}", response_class=EventSourceResponse)
    async def say(name: str, text: Annotated[str, Body(embed=True)]) -> AsyncIterator[ServerSentEvent]:
        chat = chats.setdefault(name, Chat())
        async with chat.turn:
            # A run that ended at a limit leaves calls without results, which no API takes in a history.
            chat.messages = [*repair(chat.messages)[0], models.UserMessage(text)]
            run = arun_stream(
                model, models.Request(chat.messages), chat.workshop, review=chat.review, on_message=chat.messages.append
            )
            try:
                async with aclosing(run):  # a browser that leaves ends the run
                    async for event in run:
                        if isinstance(event, SHOWN):
                            yield ServerSentEvent(event=event.type, data=told(event))
            except (SessionError, ConversionError) as error:
                yield ServerSentEvent(event="error", data={"message": str(error)})
            except Exception as error:  # noqa: BLE001 - whatever the client raises: mostly that nobody was there
                yield ServerSentEvent(event="error", data={"message": f"No answer: {type(error).__name__}"})
            yield ServerSentEvent(event="end", data={"stoppedBy": run.result.stopped_by if run.result else "error"})

    @app.post("/chats/{name}/calls/{call_id}")
    async def decide(name: str, call_id: str, allow: Annotated[bool, Body(embed=True)]) -> None:
        if name in chats and not chats[name].verdict(call_id).done():
            chats[name].verdict(call_id).set_result(allow)

    return app


def told(event: models.TextDelta | models.AgentToolCall | models.AgentToolResult | models.ErrorEvent) -> dict[str, Any]:
    """Say what the page shows of an event, and whether it shall ask."""
    return {**models.dump(event), "ask": isinstance(event, models.AgentToolCall) and event.tool not in LOW_RISK}


if __name__ == "__main__":
    uvicorn.run(make_app(session()), port=int(environ.get("PORT", "8000")))
