"""Anthropic's Messages: a response, a stream, and plain Python for the same work."""

from __future__ import annotations

import json
from typing import Any

from conversation import TEXT, WORDS, argument_pieces, arguments
from plain import Assistant, Call, Completion, Delta, Result, Usage, User, dumps

Json = dict[str, Any]


def response() -> Json:
    """Return a response with a text and three calls."""
    calls = [
        {"type": "tool_use", "id": f"toolu_{k}", "name": f"look_up_{WORDS[k]}", "input": arguments(k)} for k in range(3)
    ]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "some-model",
        "content": [{"type": "text", "text": TEXT}, *calls],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 176,
            "output_tokens": 180,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 1024,
        },
    }


def events(n: int) -> list[Json]:
    """Return about `n` events: a block of text, then three calls one after the other."""
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "some-model", "content": []}
    usage = {"input_tokens": 9, "output_tokens": 1}
    events: list[Json] = [
        {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    ]
    for i in range(n // 10):
        events.append({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": f"word{i} "}})
    events.append({"type": "content_block_stop", "index": 0})
    for k, pieces in enumerate(argument_pieces(n - n // 10)):
        block = {"type": "tool_use", "id": f"toolu_{k}", "name": f"look_up_{WORDS[k]}", "input": {}}
        events.append({"type": "content_block_start", "index": k + 1, "content_block": block})
        for piece in pieces:
            delta = {"type": "input_json_delta", "partial_json": piece}
            events.append({"type": "content_block_delta", "index": k + 1, "delta": delta})
        events.append({"type": "content_block_stop", "index": k + 1})
    events.append(
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use", "stop_sequence": None},
            "usage": {"output_tokens": n},
        }
    )
    return [*events, {"type": "message_stop"}]


def tools_out(tools: list[Json]) -> list[Json]:
    """Write tools that come at run time."""
    return [{"name": t["name"], "description": t["description"], "input_schema": t["parameters"]} for t in tools]


def messages_out(messages: list[Any]) -> list[Json]:
    """Write messages for Anthropic."""
    out: list[Json] = []
    results: list[Json] | None = None
    for m in messages:
        kind = type(m)
        if kind is Result:
            block = {
                "type": "tool_result",
                "tool_use_id": m.call,
                "content": dumps(m.value) if m.kind == "data" else m.value,
            }
            if m.kind == "error":
                block["is_error"] = True
            if results is None:
                results = [block]
                out.append({"role": "user", "content": results})
            else:
                results.append(block)
            continue
        results = None
        if kind is Assistant:
            if not m.calls:
                out.append({"role": "assistant", "content": m.text})
                continue
            blocks: list[Json] = [{"type": "text", "text": m.text}]
            for c in m.calls:
                blocks.append({"type": "tool_use", "id": c.id, "name": c.name, "input": c.arguments})
            out.append({"role": "assistant", "content": blocks})
        elif kind is User:
            if m.data is None:
                out.append({"role": "user", "content": m.text})
                continue
            blocks = [{"type": "text", "text": m.text}]
            blocks.append({"type": "image", "source": {"type": "base64", "media_type": m.media, "data": m.data}})
            out.append({"role": "user", "content": blocks})
    return out


def response_in(body: Json) -> Completion:
    """Read a response."""
    parts: list[Any] = []
    calls = False
    for block in body["content"]:
        if block["type"] == "text":
            parts.append(block["text"])
        elif block["type"] == "tool_use":
            parts.append(Call(block["id"], block["name"], block["input"]))
            calls = True
    usage, stop = body["usage"], body["stop_reason"]
    cached = usage["cache_read_input_tokens"]
    total = usage["input_tokens"] + cached + usage["cache_creation_input_tokens"]
    counts = Usage(total, usage["output_tokens"], total + usage["output_tokens"], cached, None)
    return Completion(body["id"], body["model"], parts, stop, "tool_calls" if calls else stop, counts)


class Stream:
    """Joins the events of a stream."""

    __slots__ = ("blocks", "message", "output", "stop")

    def __init__(self) -> None:
        self.blocks: list[tuple[Json, list[str], int]] = []
        self.message: Json = {}
        self.stop = ""
        self.output = 0

    def feed(self, event: Json) -> list[Delta]:
        """Read an event, and return its deltas."""
        kind = event["type"]
        if kind == "content_block_delta":
            delta = event["delta"]
            block, pieces, call = self.blocks[event["index"]]
            if delta["type"] == "input_json_delta":
                text = delta["partial_json"]
                pieces.append(text)
                return [Delta("call", text, call)]
            if delta["type"] == "text_delta":
                text = delta["text"]
                pieces.append(text)
                return [Delta("text", text)]
        elif kind == "content_block_start":
            block = event["content_block"]
            call = sum(b["type"] == "tool_use" for b, _, _ in self.blocks)
            self.blocks.append((block, [], call))
            if block["type"] == "tool_use":
                return [Delta("call", "", call, block["id"], block["name"])]
        elif kind == "message_start":
            self.message = event["message"]
        elif kind == "message_delta":
            self.stop = event["delta"]["stop_reason"]
            self.output = event["usage"]["output_tokens"]
        return []

    def finish(self) -> Completion:
        """Return the response."""
        parts: list[Any] = []
        for block, pieces, _ in self.blocks:
            text = "".join(pieces)
            parts.append(text if block["type"] == "text" else Call(block["id"], block["name"], json.loads(text)))
        input_tokens = self.message["usage"]["input_tokens"]
        counts = Usage(input_tokens, self.output, input_tokens + self.output, None, None)
        return Completion(self.message["id"], self.message["model"], parts, self.stop, "tool_calls", counts)
