"""OpenAI's Chat Completions API in front of any other provider, for clients that speak only this API.

    LLM_MODEL=... LLM_API_KEY=... python -m examples.gateway
    OPENAI_BASE_URL=http://127.0.0.1:8001/v1 OPENAI_API_KEY=none some-openai-program

The gateway does not check keys, so it listens only on this machine. It refuses a request that the provider cannot fulfil completely.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from os import environ
from typing import Any, cast
from uuid import uuid4

import uvicorn
from fastapi import FastAPI
from fastapi import Request as HttpRequest
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response, StreamingResponse
from starlette.exceptions import HTTPException

from examples.connection import report, session
from examples.gateway_errors import NO_RESPONSE, error_body, explain, failure, refusal
from examples.gateway_requests import read_request, refuse
from generated.errors import ConversionError
from generated.models import ApiError, ErrorEvent, Request, StreamEvent
from generated.providers import openai_chat
from generated.sessions import AsyncSession, SessionError


def make_app(model: AsyncSession) -> FastAPI:
    """Create the app. `model` responds to all requests, whatever model they name."""
    app, model.on_loss = FastAPI(), refuse

    @app.post("/v1/chat/completions")
    async def complete(body: dict[str, Any]) -> Response:
        try:
            request = read_request(body)
        except ConversionError as error:
            return refusal(error)
        try:
            return await complete_chat(model, body, request)
        except SessionError as error:
            return failure(error.status if error.status >= 400 else 502, error.error, error.retry_after)
        except ConversionError as error:
            if error.loss is None:  # it is not the request that cannot be converted
                return failure(502, NO_RESPONSE)
            return refusal(explain(error.path, error.loss, body, request))
        except Exception:  # noqa: BLE001 - the client may raise anything, such as a connection error
            return failure(502, NO_RESPONSE)

    @app.get("/v1/models")
    async def models() -> dict[str, Any]:
        only = {"id": model.model, "object": "model", "created": 0, "owned_by": "gateway"}
        return {"object": "list", "data": [only]}

    @app.exception_handler(RequestValidationError)
    async def unreadable(_: HttpRequest, error: RequestValidationError) -> JSONResponse:
        return refusal(ConversionError("", "the body must be a JSON object"))

    @app.exception_handler(HTTPException)
    async def unknown(_: HttpRequest, error: HTTPException) -> JSONResponse:
        return failure(error.status_code, ApiError("invalid_request", str(error.detail), False))

    return app


async def complete_chat(model: AsyncSession, body: dict[str, Any], request: Request) -> Response:
    """Respond to a request."""
    identifier, created = f"chatcmpl-{uuid4().hex}", int(time.time())
    if not request.stream:
        completion = replace(await model.complete(request), id=None)  # the gateway sets the id, as in the chunks below
        return JSONResponse(openai_chat.to_response(completion, id=identifier, created=created, on_loss=report))
    events = model.stream(request)
    first = await anext(events)  # raises if the request is refused, while a status can still be sent
    if isinstance(first, ErrorEvent):
        return failure(502, first.error or NO_RESPONSE)
    writer = openai_chat.StreamWriter(id=identifier, created=created, model=model.model, on_loss=report)
    options = body.get("stream_options")
    usage = isinstance(options, dict) and options.get("include_usage") is True
    return StreamingResponse(framed(first, events, writer, usage), media_type="text/event-stream")


async def framed(
    first: StreamEvent, events: AsyncIterator[StreamEvent], writer: openai_chat.StreamWriter, usage: bool
) -> AsyncIterator[str]:
    """Write events as lines of a stream. Only clients that asked for it get the chunk with the usage, which has no choices.

    Nothing follows an error.
    """
    event: StreamEvent | None = first
    async with aclosing(cast("AsyncGenerator[StreamEvent]", events)):
        while event is not None:
            if isinstance(event, ErrorEvent):
                yield line(error_body(502, event.error or NO_RESPONSE))
                return
            for chunk in writer.write(event):
                if usage or chunk.get("choices") != []:
                    yield line(chunk)
            event = await anext(events, None)
    yield "data: [DONE]\n\n"


def line(chunk: dict[str, Any]) -> str:
    """Write a chunk as a server-sent event."""
    return f"data: {json.dumps(chunk)}\n\n"


if __name__ == "__main__":
    uvicorn.run(make_app(session()), port=int(environ.get("PORT", "8001")))
