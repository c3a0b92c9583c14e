"""Requests for a gateway, sent without an HTTP library, so that the load itself costs little."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import time
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]

KEY = "sk-" + "0" * 64
"""A key for LiteLLM's proxy, which does not start without one. The other servers ignore it."""

QUESTIONS = (
    "How warm is it in Oslo?",
    "And what are 12.50 dollars in euros?",
    "Find my notes, and check the weather again.",
)
ANSWERS = ("It is 21 degrees in Oslo.", "12.50 dollars are 11.40 euros.")
CALLS: tuple[tuple[str, Json, Json], ...] = (
    ("get_weather", {"city": "Oslo"}, {"degrees": 21}),
    ("convert", {"amount": 12.5, "to": "EUR"}, {"amount": 11.4}),
)
"""The calls of the conversation: name, arguments and result."""

PARAMETERS: dict[str, Json] = {
    "get_weather": {
        "city": {"type": "string", "description": "The city."},
        "unit": {"type": "string", "enum": ["c", "f"]},
    },
    "convert": {"amount": {"type": "number", "minimum": 0}, "to": {"type": "string"}, "day": {"type": "string"}},
    "find_notes": {
        "query": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "limit": {"type": "integer"},
    },
}
SYSTEM = "You are a helpful assistant. Use the tools when they help."


def schema(properties: Json) -> Json:
    """Return the schema of a tool's arguments. The first is required."""
    return {"type": "object", "properties": properties, "required": list(properties)[:1]}


def compact(value: Json) -> str:
    """Return JSON text without blanks."""
    return json.dumps(value, separators=(",", ":"))


def chat_body() -> Json:
    """Return a request of Chat Completions: three tools, and ten messages with two calls and their results."""
    messages: list[Json] = [{"role": "system", "content": SYSTEM}]
    for i, (name, arguments, result) in enumerate(CALLS):
        function = {"name": name, "arguments": compact(arguments)}
        call = {"id": f"call_{i}", "type": "function", "function": function}
        messages += [
            {"role": "user", "content": QUESTIONS[i]},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": compact(result)},
            {"role": "assistant", "content": ANSWERS[i]},
        ]
    functions = [
        {"name": name, "description": f"Does {name}.", "parameters": schema(properties)}
        for name, properties in PARAMETERS.items()
    ]
    return {
        "model": "fake",
        "messages": [*messages, {"role": "user", "content": QUESTIONS[-1]}],
        "tools": [{"type": "function", "function": function} for function in functions],
    }


def messages_body() -> Json:
    """Return the same as a request of Anthropic Messages."""
    messages: list[Json] = []
    for i, (name, arguments, result) in enumerate(CALLS):
        call = {"type": "tool_use", "id": f"toolu_{i}", "name": name, "input": arguments}
        outcome = {"type": "tool_result", "tool_use_id": call["id"], "content": compact(result)}
        messages += [
            {"role": "user", "content": QUESTIONS[i]},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [outcome]},
            {"role": "assistant", "content": ANSWERS[i]},
        ]
    return {
        "model": "fake",
        "max_tokens": 4096,
        "system": SYSTEM,
        "messages": [*messages, {"role": "user", "content": QUESTIONS[-1]}],
        "tools": [
            {"name": name, "description": f"Does {name}.", "input_schema": schema(properties)}
            for name, properties in PARAMETERS.items()
        ],
    }


BODIES = {"chat": ("/v1/chat/completions", chat_body()), "messages": ("/v1/messages", messages_body())}


def request(api: str, is_stream: bool, is_slow: bool = False) -> bytes:
    """Return the bytes of a request to an API. A slow one asks the model server to pause between its chunks."""
    path, fixed = BODIES[api]
    messages = list(fixed["messages"])
    if is_slow:
        messages[-1] = {"role": "user", "content": f"{QUESTIONS[-1]} Write slowly."}
    body = json.dumps({**fixed, "messages": messages, "stream": is_stream}).encode()
    lines = (
        f"POST {path} HTTP/1.1",
        "host: 127.0.0.1",
        "content-type: application/json",
        "anthropic-version: 2023-06-01",
        f"authorization: Bearer {KEY}",
        f"content-length: {len(body)}",
    )
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def is_whole(data: bytes) -> bool:
    """Return whether the response is complete.

    Raises:
        RuntimeError: The server refuses the request.
    """
    head, end, body = data.partition(b"\r\n\r\n")
    if not end:
        return False
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(data[:1000].decode(errors="replace"))
    length = re.search(rb"(?i)content-length: (\d+)", head)
    return len(body) >= int(length[1]) if length else data.endswith(b"0\r\n\r\n")


class Connection:
    """One connection that stays open."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.settimeout(60)

    def ask(self, data: bytes, received: Callable[[bytes], None] = lambda piece: None) -> None:
        """Send a request, and wait until its response is complete. Each piece is passed to `received`."""
        self.socket.sendall(data)
        answer = b""
        while not is_whole(answer):
            piece = self.socket.recv(1 << 16)
            if not piece:
                raise RuntimeError("the server closed the connection")
            received(piece)
            answer += piece


def request_seconds(port: int, data: bytes, count: int) -> list[float]:
    """Return the seconds of each of a number of requests on one connection."""
    connection, seconds = Connection(port), []
    for _ in range(count):
        began = time.perf_counter()
        connection.ask(data)
        seconds.append(time.perf_counter() - began)
    return seconds


def chunk_seconds(port: int, data: bytes, count: int) -> list[float]:
    """Return the seconds of each chunk of text, from the model server to here, of a number of streams."""
    seconds: list[float] = []

    def received(piece: bytes) -> None:
        now = time.monotonic_ns()
        seconds.extend((now - int(sent)) / 1e9 for sent in re.findall(rb"at (\d+);", piece))

    connection = Connection(port)
    for _ in range(count):
        connection.ask(data, received)
    return seconds


async def answered(port: int, data: bytes, count: int, connections: int) -> float:
    """Send a number of requests over many connections. Return the seconds of all."""
    remaining = count

    async def connection() -> None:
        nonlocal remaining
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while remaining > 0:
            remaining -= 1
            writer.write(data)
            answer = b""
            while not is_whole(answer):
                piece = await reader.read(1 << 16)
                if not piece:
                    raise RuntimeError("the server closed the connection")
                answer += piece
        writer.close()

    began = time.perf_counter()
    await asyncio.gather(*(connection() for _ in range(connections)))
    return time.perf_counter() - began
