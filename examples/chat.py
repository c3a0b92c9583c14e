"""A chat in the browser. The text of the model appears as it arrives, and high-risk calls wait for a click.

    LLM_MODEL=... LLM_API_KEY=... python -m examples.chat

Chats are kept in memory. There is no login, so the server listens only on this machine.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from os import environ
from pathlib import Path
from typing import Annotated

import uvicorn
from fastapi import Body, FastAPI
from fastapi.responses import FileResponse
from fastapi.sse import EventSourceResponse, ServerSentEvent

from examples.chat_conversation import Chat
from examples.connection import session
from generated.sessions import AsyncSession


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
            chat.events = asyncio.Queue()
            run = asyncio.create_task(chat.answer(model, text))
            try:
                while (event := await chat.events.get()) is not None:
                    yield event
            finally:  # a browser that leaves ends the run
                run.cancel()
                with suppress(asyncio.CancelledError):
                    await run

    @app.post("/chats/{name}/calls/{call_id}")
    async def decide(name: str, call_id: str, allow: Annotated[bool, Body(embed=True)]) -> None:
        if name in chats:
            chats[name].decide(call_id, allow)

    return app


if __name__ == "__main__":
    uvicorn.run(make_app(session()), port=int(environ.get("PORT", "8000")))
