"""A chat in the browser. The text of the model appears as it arrives, and high-risk calls wait for a click.

    LLM_MODEL=... LLM_API_KEY=... python -m examples.chat

Chats are kept in memory. There is no login, so the server listens only on this machine.
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

from examples.connection import session
from examples.workshop import Workshop
from generated import models
from generated.errors import ConversionError
from generated.messages import repair
from generated.running import Allow, Deny, arun_stream
from generated.sessions import AsyncSession, SessionError
from generated.tools import LOW_RISK

SHOWN = models.TextDelta | models.AgentToolCall | models.AgentToolResult | models.ErrorEvent
"""The events that the page shows. `generated.models` describes all events."""


class Chat:
    """One conversation with its own workshop."""

    def __init__(self) -> None:
        """Start an empty conversation."""
        self.workshop = Workshop()
        self.messages: list[models.Message] = []
        self.turn = asyncio.Lock()
        self._verdicts: dict[str, asyncio.Future[bool]] = {}

    def verdict(self, call_id: str) -> asyncio.Future[bool]:
        """Return a future for the user's decision about a call."""
        return self._verdicts.setdefault(call_id, asyncio.get_running_loop().create_future())

    async def review(self, call: models.ToolCall, arguments: object) -> Allow | Deny:
        """Wait for the user, who already sees the call: its event comes before its review."""
        return Allow() if await self.verdict(call.id) else Deny("The user does not want this call to run.")


def make_app(model: AsyncSession) -> FastAPI:
    """Create the app. It works with any session."""
    app, chats = FastAPI(), dict[str, Chat]()

    @app.get("/")
    async def page() -> FileResponse:
        return FileResponse(Path(__file__).with_suffix(".html"))

    @app.post("/chats/{name}", response_class=EventSourceResponse)
    async def say(name: str, text: Annotated[str, Body(embed=True)]) -> AsyncIterator[ServerSentEvent]:
        chat = chats.setdefault(name, Chat())
        async with chat.turn:
            # A run that ended at a limit leaves calls without results, and APIs refuse a history with those.
            chat.messages = [*repair(chat.messages)[0], models.UserMessage(text)]
            run = arun_stream(
                model, models.Request(chat.messages), chat.workshop, review=chat.review, on_message=chat.messages.append
            )
            try:
                async with aclosing(run):  # a browser that leaves ends the run
                    async for event in run:
                        if isinstance(event, SHOWN):
                            yield ServerSentEvent(event=event.type, data=event_data(event))
            except (SessionError, ConversionError) as error:
                yield ServerSentEvent(event="error", data={"message": str(error)})
            except Exception as error:  # noqa: BLE001 - the client may raise anything, such as a connection error
                yield ServerSentEvent(event="error", data={"message": f"No answer: {type(error).__name__}"})
            yield ServerSentEvent(event="end", data={"stoppedBy": run.result.stopped_by if run.result else "error"})

    @app.post("/chats/{name}/calls/{call_id}")
    async def decide(name: str, call_id: str, allow: Annotated[bool, Body(embed=True)]) -> None:
        if name in chats and not chats[name].verdict(call_id).done():
            chats[name].verdict(call_id).set_result(allow)

    return app


def event_data(
    event: models.TextDelta | models.AgentToolCall | models.AgentToolResult | models.ErrorEvent,
) -> dict[str, Any]:
    """Return what the page shows of an event, and whether it asks the user."""
    return {**models.dump(event), "ask": isinstance(event, models.AgentToolCall) and event.tool not in LOW_RISK}


if __name__ == "__main__":
    uvicorn.run(make_app(session()), port=int(environ.get("PORT", "8000")))
