"""Anthropic Messages in front of any other provider: `examples/gateway.py` the other way round.

LLM_INTERFACE=openai LLM_MODEL=... python benchmarks/felt/messages_gateway.py
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from os import environ
from pathlib import Path
from typing import Any
from uuid import uuid4

import uvicorn
from fastapi import FastAPI
from fastapi.responses import JSONResponse, Response, StreamingResponse

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from examples.connection import report, session
from generated.models import StreamEvent
from generated.providers import anthropic
from generated.sessions import AsyncSession


def make_app(model: AsyncSession) -> FastAPI:
    """Create the app. `model` responds to all requests."""
    app = FastAPI()

    @app.post("/v1/messages")
    async def complete(body: dict[str, Any]) -> Response:
        request = replace(anthropic.from_request(body), model=None)
        identifier = f"msg_{uuid4().hex}"
        if not request.stream:
            completion = replace(await model.complete(request), id=None)
            return JSONResponse(anthropic.to_response(completion, id=identifier, on_loss=report))
        writer = anthropic.StreamWriter(id=identifier, model=model.model, on_loss=report)
        return StreamingResponse(framed(model.stream(request), writer), media_type="text/event-stream")

    return app


async def framed(events: AsyncIterator[StreamEvent], writer: anthropic.StreamWriter) -> AsyncIterator[str]:
    """Write events as lines of a stream."""
    async for event in events:
        for chunk in writer.write(event):
            yield f"event: {chunk['type']}\ndata: {json.dumps(chunk)}\n\n"


if __name__ == "__main__":
    uvicorn.run(make_app(session()), port=int(environ["PORT"]))
