"""A model server on this machine that costs little: Anthropic Messages and Chat Completions, whole and streamed.

  python benchmarks/felt/fake_model.py PORT

If the conversation ends with results of tools, the response is text, otherwise three calls. A stream has 180 chunks of
text and one call. They are written at once, or one every 2 ms if the request has the word "slowly". Each chunk of text
holds the time when it was sent, in nanoseconds of the monotonic clock.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

TEXT_CHUNKS, ARGUMENT_CHUNKS = 180, 15
PAUSE = 0.002
"""The seconds between the chunks of a slow stream."""

CALLS: list[tuple[str, Json]] = [
    ("get_weather", {"city": "Oslo"}),
    ("convert", {"amount": 12.5, "to": "EUR"}),
    ("find_notes", {"query": "trip"}),
]
ANSWER = "It is 21 degrees in Oslo, 12.50 dollars are 11.40 euros, and you have one note about the trip."


def anthropic_response(calls: list[tuple[str, Json]], text: str) -> Json:
    """Return a response of Anthropic Messages."""
    content: list[Json] = [{"type": "text", "text": text}]
    content += [{"type": "tool_use", "id": f"toolu_{i}", "name": n, "input": a} for i, (n, a) in enumerate(calls)]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "fake",
        "content": content,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 300, "output_tokens": 60},
    }


def chat_response(calls: list[tuple[str, Json]], text: str) -> Json:
    """Return a response of Chat Completions."""
    message: Json = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {"id": f"call_{i}", "type": "function", "function": {"name": n, "arguments": json.dumps(a)}}
            for i, (n, a) in enumerate(calls)
        ]
    reason = "tool_calls" if calls else "stop"
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "fake",
        "choices": [{"index": 0, "message": message, "finish_reason": reason, "logprobs": None}],
        "usage": {"prompt_tokens": 300, "completion_tokens": 60, "total_tokens": 360},
    }


def argument_pieces() -> list[str]:
    """Return the arguments of the streamed call in pieces."""
    text = json.dumps({"city": "O" * 100})
    step = -(-len(text) // ARGUMENT_CHUNKS)
    return [text[start : start + step] for start in range(0, len(text), step)]


def anthropic_events() -> Iterator[str]:
    """Yield the events of a stream of Anthropic. STAMP stands for the time."""

    def event(kind: str, **values: Any) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **values})}\n\n"

    yield event("message_start", message={**anthropic_response([], ""), "content": [], "stop_reason": None})
    yield event("content_block_start", index=0, content_block={"type": "text", "text": ""})
    for _ in range(TEXT_CHUNKS):
        yield event("content_block_delta", index=0, delta={"type": "text_delta", "text": "at STAMP;"})
    yield event("content_block_stop", index=0)
    block = {"type": "tool_use", "id": "toolu_0", "name": "get_weather", "input": {}}
    yield event("content_block_start", index=1, content_block=block)
    for piece in argument_pieces():
        yield event("content_block_delta", index=1, delta={"type": "input_json_delta", "partial_json": piece})
    yield event("content_block_stop", index=1)
    yield event("message_delta", delta={"stop_reason": "tool_use", "stop_sequence": None}, usage={"output_tokens": 200})
    yield event("message_stop")


def chat_events() -> Iterator[str]:
    """Yield the same as chunks of Chat Completions."""

    def chunk(delta: Json, reason: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
        fixed = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "fake"}
        return f"data: {json.dumps({**fixed, 'choices': [choice]})}\n\n"

    yield chunk({"role": "assistant", "content": ""})
    for _ in range(TEXT_CHUNKS):
        yield chunk({"content": "at STAMP;"})
    function = {"name": "get_weather", "arguments": ""}
    yield chunk({"tool_calls": [{"index": 0, "id": "call_0", "type": "function", "function": function}]})
    for piece in argument_pieces():
        yield chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
    yield chunk({}, "tool_calls")
    yield "data: [DONE]\n\n"


def whole(body: Json) -> bytes:
    """Return an HTTP response with a body."""
    data = json.dumps(body).encode()
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(data), data)


MESSAGES, CHAT = "/v1/messages", "/v1/chat/completions"
WHOLE = {
    (path, is_last): whole(write([], ANSWER) if is_last else write(CALLS, "I look that up."))
    for path, write in ((MESSAGES, anthropic_response), (CHAT, chat_response))
    for is_last in (False, True)
}
"""The responses by path, and by whether the conversation ends with results."""

EVENTS = {
    MESSAGES: [event.encode() for event in anthropic_events()],
    CHAT: [event.encode() for event in chat_events()],
}
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
END = b"0\r\n\r\n"


def chunked(event: bytes) -> bytes:
    """Return an event as a chunk of HTTP, with the time."""
    data = event.replace(b"STAMP", b"%d" % time.monotonic_ns())
    return b"%x\r\n%b\r\n" % (len(data), data)


class Connection(asyncio.Protocol):
    """One connection of the server, which understands only what the clients here send."""

    def __init__(self) -> None:
        self.received = b""
        self.tasks: set[asyncio.Task[None]] = set()
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Respond as soon as a request is complete."""
        self.received += data
        head, end, rest = self.received.partition(b"\r\n\r\n")
        if not end:
            return
        first, *lines = head.decode().lower().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines if ": " in line)
        length = int(headers.get("content-length", 0))
        if len(rest) < length:
            return
        text, self.received = rest[:length], rest[length:]
        body = json.loads(text or b"{}")
        path = first.split(" ")[1].partition("?")[0]
        if not body.get("stream"):
            last = (body.get("messages") or [{}])[-1]
            is_last = last.get("role") == "tool" or "tool_result" in json.dumps(last)
            self.transport.write(WHOLE[path, is_last])
        elif b"slowly" in text:
            task = asyncio.get_running_loop().create_task(self.write_slowly(EVENTS[path]))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)
        else:
            self.transport.write(HEAD + b"".join(map(chunked, EVENTS[path])) + END)

    async def write_slowly(self, events: list[bytes]) -> None:
        """Write the chunks with pauses."""
        self.transport.write(HEAD)
        for event in events:
            await asyncio.sleep(PAUSE)
            self.transport.write(chunked(event))
        self.transport.write(END)


async def main() -> None:
    """Serve until this process is terminated."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Connection, "127.0.0.1", int(sys.argv[1]), backlog=256)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
