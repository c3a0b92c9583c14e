"""The floors of a gateway: the server of `examples/gateway.py`, which passes on what it receives and converts nothing.

  python benchmarks/felt/floors.py http|client chat|messages PORT UPSTREAM

`http` passes bytes on with the HTTP library that the official clients use. `client` uses the official client of the
other API, which parses what it receives. `chat` and `messages` are the API of the requests; the model has the other one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import uvicorn
from anthropic import AsyncAnthropic
from fastapi import FastAPI
from fastapi.responses import JSONResponse, Response, StreamingResponse
from openai import AsyncOpenAI

PATHS = {"chat": "/v1/chat/completions", "messages": "/v1/messages"}


def through_http(upstream: str, path: str) -> Any:
    """Return a handler that passes on bytes."""
    client = httpx2.AsyncClient(base_url=upstream, timeout=60, limits=httpx2.Limits(max_connections=1000))

    async def complete(body: dict[str, Any]) -> Response:
        answer = await client.send(client.build_request("POST", path, json=body), stream=True)
        if body.get("stream"):
            return StreamingResponse(answer.aiter_raw(), media_type="text/event-stream")
        return Response(await answer.aread(), media_type="application/json")

    return complete


def through_client(upstream: str, api: str) -> Any:
    """Return a handler that passes on what the official client of the other API reads."""
    create: Any
    fixed: dict[str, Any] = {"model": "fake", "messages": [{"role": "user", "content": "x"}]}
    if api == "chat":
        create = AsyncAnthropic(api_key="k", base_url=upstream).messages.create
        fixed["max_tokens"] = 4096
    else:
        create = AsyncOpenAI(api_key="k", base_url=f"{upstream}/v1").chat.completions.create

    async def lines(events: Any) -> AsyncIterator[str]:
        async for event in events:
            yield f"data: {json.dumps(event.to_dict())}\n\n"

    async def complete(body: dict[str, Any]) -> Response:
        extra = {key: body[key] for key in ("messages", "tools")}
        answer = await create(**fixed, stream=bool(body.get("stream")), extra_body=extra)
        if body.get("stream"):
            return StreamingResponse(lines(answer), media_type="text/event-stream")
        return JSONResponse(answer.to_dict())

    return complete


def main() -> None:
    """Serve until this process is terminated."""
    kind, api, port, upstream = sys.argv[1:]
    other = "messages" if api == "chat" else "chat"
    app = FastAPI()
    app.post(PATHS[api])(through_http(upstream, PATHS[other]) if kind == "http" else through_client(upstream, api))
    uvicorn.run(app, port=int(port))


if __name__ == "__main__":
    main()
