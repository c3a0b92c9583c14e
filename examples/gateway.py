"""OpenAI's Chat Completions API in front of any other provider, for clients that speak only this API.

    LLM_MODEL=... LLM_API_KEY=... python -m examples.gateway
    OPENAI_BASE_URL=http://127.0.0.1:8001/v1 OPENAI_API_KEY=none some-openai-program

The gateway does not check keys, so it listens only on this machine. It refuses a request that the provider cannot fulfil completely.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from os import environ
from typing import Any
from uuid import uuid4

import uvicorn
from fastapi import FastAPI
from fastapi import Request as HttpRequest
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response, StreamingResponse

from examples.connection import report, session
from examples.gateway_requests import refuse, without_unused_keys
from generated.errors import ConversionError
from generated.models import StreamEvent
from generated.providers import openai_chat
from generated.sessions import AsyncSession, SessionError


def make_app(model: AsyncSession) -> FastAPI:
    """Create the app. `model` responds to all requests, whatever model they name."""
    app, model.on_loss = FastAPI(), refuse

    @app.post("/v1/chat/completions")
    async def complete(body: dict[str, Any]) -> Response:
        try:
            return await complete_chat(model, body)
        except SessionError as error:
            return failure(error.status if error.status >= 400 else 502, error.error.kind, error.error.message)
        except ConversionError as error:
            return failure(400, "invalid_request", str(error))
        except Exception as error:  # noqa: BLE001 - the client may raise anything, such as a connection error
            return failure(502, "server", f"The provider did not respond: {type(error).__name__}")

    @app.exception_handler(RequestValidationError)
    async def unreadable(_: HttpRequest, error: RequestValidationError) -> JSONResponse:
        return failure(400, "invalid_request", "the body must be a JSON object")

    return app


async def complete_chat(model: AsyncSession, body: dict[str, Any]) -> Response:
    """Respond to a request."""
    request = replace(openai_chat.from_request(without_unused_keys(body)), model=None)
    identifier, created = f"chatcmpl-{uuid4().hex}", int(time.time())
    if not request.stream:
        completion = replace(await model.complete(request), id=None)  # the gateway sets the id, as in the chunks below
        return JSONResponse(openai_chat.to_response(completion, id=identifier, created=created, on_loss=report))
    events = model.stream(request)
    first = await anext(events)  # raises if the request is refused, while a status can still be sent
    writer = openai_chat.StreamWriter(id=identifier, created=created, model=model.model, on_loss=report)
    options = body.get("stream_options")
    usage = isinstance(options, dict) and options.get("include_usage") is True
    return StreamingResponse(framed(first, events, writer, usage), media_type="text/event-stream")


async def framed(
    first: StreamEvent, events: AsyncIterator[StreamEvent], writer: openai_chat.StreamWriter, usage: bool
) -> AsyncIterator[str]:
    """Write events as lines of a stream. Only clients that asked for it get the chunk with the usage, which has no choices."""
    event: StreamEvent | None = first
    while event is not None:
        for chunk in writer.write(event):
            if usage or chunk.get("choices") != []:
                yield line(chunk)
        event = await anext(events, None)
    yield "data: [DONE]\n\n"


def line(chunk: dict[str, Any]) -> str:
    """Write a chunk as a server-sent event."""
    return f"data: {json.dumps(chunk)}\n\n"


def failure(status: int, kind: str, message: str) -> JSONResponse:
    """Make an error response as OpenAI's clients expect it: `type` says whose fault it is, `code` which error."""
    fault = "invalid_request_error" if status < 500 else "server_error"
    return JSONResponse({"error": {"message": message, "type": fault, "code": kind, "param": None}}, status)


if __name__ == "__main__":
    uvicorn.run(make_app(session()), port=int(environ.get("PORT", "8001")))
