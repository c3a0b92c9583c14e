"""OpenAI's Responses: a response, a stream, and plain Python for the same work."""

from __future__ import annotations

import json
from typing import Any

from conversation import TEXT, WORDS, argument_pieces, arguments
from plain import Assistant, Call, Completion, Delta, Result, Usage, User, dumps

Json = dict[str, Any]


def _top(output: list[Json], usage: Json | None, status: str) -> Json:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1790000000,
        "model": "some-model",
        "status": status,
        "error": None,
        "incomplete_details": None,
        "output": output,
        "usage": usage,
    }


def _usage(n: int) -> Json:
    return {
        "input_tokens": 1200,
        "input_tokens_details": {"cached_tokens": 1024},
        "output_tokens": n,
        "output_tokens_details": {"reasoning_tokens": 32},
        "total_tokens": 1200 + n,
    }


def _message(text: str) -> Json:
    content = [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}]
    return {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": content}


def _call(k: int, text: str, status: str = "completed") -> Json:
    return {
        "id": f"fc_{k}",
        "type": "function_call",
        "status": status,
        "call_id": f"call_{k}",
        "name": f"look_up_{WORDS[k]}",
        "arguments": text,
    }


def response() -> Json:
    """Return a response with a text and three calls."""
    calls = [_call(k, json.dumps(arguments(k))) for k in range(3)]
    return _top([_message(TEXT), *calls], _usage(180), "completed")


def events(n: int) -> list[Json]:
    """Return about `n` events: a message, then three calls one after the other."""
    stream: list[Json] = [{"type": "response.created", "response": _top([], None, "in_progress")}]
    item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
    stream.append({"type": "response.output_item.added", "output_index": 0, "item": item})
    at = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
    stream.append({"type": "response.content_part.added", **at, "part": part})
    words = [f"word{i} " for i in range(n // 10)]
    stream += [{"type": "response.output_text.delta", **at, "delta": word, "logprobs": []} for word in words]
    message = _message("".join(words))
    stream.append({"type": "response.output_text.done", **at, "text": "".join(words), "logprobs": []})
    stream.append({"type": "response.content_part.done", **at, "part": message["content"][0]})
    stream.append({"type": "response.output_item.done", "output_index": 0, "item": message})
    calls = []
    for k, pieces in enumerate(argument_pieces(n - n // 10)):
        where = {"item_id": f"fc_{k}", "output_index": k + 1}
        added = {"type": "response.output_item.added", "output_index": k + 1, "item": _call(k, "", "in_progress")}
        stream.append(added)
        stream += [{"type": "response.function_call_arguments.delta", **where, "delta": piece} for piece in pieces]
        calls.append(_call(k, "".join(pieces)))
        stream.append({"type": "response.function_call_arguments.done", **where, "arguments": "".join(pieces)})
        stream.append({"type": "response.output_item.done", "output_index": k + 1, "item": calls[-1]})
    stream.append({"type": "response.completed", "response": _top([message, *calls], _usage(n), "completed")})
    return [{**event, "sequence_number": i} for i, event in enumerate(stream)]


def tools_out(tools: list[Json]) -> list[Json]:
    """Write tools that come at run time."""
    return [
        {"type": "function", "name": t["name"], "description": t["description"], "parameters": t["parameters"]}
        for t in tools
    ]


def messages_out(messages: list[Any]) -> list[Json]:
    """Write the items of `input`. A system message at the beginning is elsewhere in a request."""
    out: list[Json] = []
    for m in messages:
        kind = type(m)
        if kind is Result:
            value = m.value
            if m.kind == "data":
                value = dumps(value)
            elif m.kind == "error":
                value = dumps({"error": value})
            out.append({"type": "function_call_output", "call_id": m.call, "output": value})
        elif kind is Assistant:
            out.append({"role": "assistant", "content": m.text})
            for c in m.calls:
                text = dumps(c.arguments)
                out.append({"type": "function_call", "call_id": c.id, "name": c.name, "arguments": text})
        elif kind is User:
            if m.data is None:
                out.append({"role": "user", "content": m.text})
            else:
                image = {"type": "input_image", "detail": "auto", "image_url": f"data:{m.media};base64,{m.data}"}
                out.append({"role": "user", "content": [{"type": "input_text", "text": m.text}, image]})
    return out


def response_in(body: Json) -> Completion:
    """Read a response."""
    parts: list[Any] = []
    calls = False
    for item in body["output"]:
        if item["type"] == "message":
            parts += [part["text"] for part in item["content"]]
        elif item["type"] == "function_call":
            parts.append(Call(item["call_id"], item["name"], json.loads(item["arguments"])))
            calls = True
    usage = body["usage"]
    cached = usage["input_tokens_details"]["cached_tokens"]
    reasoning = usage["output_tokens_details"]["reasoning_tokens"]
    counts = Usage(usage["input_tokens"], usage["output_tokens"], usage["total_tokens"], cached, reasoning)
    return Completion(body["id"], body["model"], parts, body["status"], "tool_calls" if calls else "stop", counts)


class Stream:
    """Joins the events of a stream."""

    __slots__ = ("body", "calls")

    def __init__(self) -> None:
        self.calls: dict[int, int] = {}
        self.body: Json = {}

    def feed(self, event: Json) -> list[Delta]:
        """Read an event, and return its deltas."""
        kind = event["type"]
        if kind == "response.output_text.delta":
            return [Delta("text", event["delta"])]
        if kind == "response.function_call_arguments.delta":
            return [Delta("call", event["delta"], self.calls[event["output_index"]])]
        if kind == "response.output_item.added":
            item = event["item"]
            if item["type"] == "function_call":
                call = self.calls[event["output_index"]] = len(self.calls)
                return [Delta("call", "", call, item["call_id"], item["name"])]
        elif kind == "response.completed":
            self.body = event["response"]
        return []

    def finish(self) -> Completion:
        """Return the response."""
        return response_in(self.body)
