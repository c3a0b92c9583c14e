"""Cohere's chat: a response, a stream, and plain Python for the same work."""

from __future__ import annotations

import json
from typing import Any

from conversation import TEXT, WORDS, argument_pieces, arguments
from plain import Assistant, Call, Completion, Delta, Result, Usage, User, dumps

Json = dict[str, Any]


def response() -> Json:
    """Return a response with a text and three calls."""
    calls = [
        {
            "id": f"call_{k}",
            "type": "function",
            "function": {"name": f"look_up_{WORDS[k]}", "arguments": json.dumps(arguments(k))},
        }
        for k in range(3)
    ]
    return {
        "id": "c1",
        "message": {"role": "assistant", "content": [{"type": "text", "text": TEXT}], "tool_calls": calls},
        "finish_reason": "TOOL_CALL",
        "usage": {"tokens": {"input_tokens": 1200, "output_tokens": 180}},
    }


def events(n: int) -> list[Json]:
    """Return about `n` events: a text, then three calls one after the other."""
    stream: list[Json] = [
        {"type": "message-start", "id": "c1", "delta": {"message": {"role": "assistant", "content": []}}},
        {"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": "text", "text": ""}}}},
    ]
    for i in range(n // 10):
        delta = {"message": {"content": {"text": f"word{i} "}}}
        stream.append({"type": "content-delta", "index": 0, "delta": delta})
    stream.append({"type": "content-end", "index": 0})
    for k, pieces in enumerate(argument_pieces(n - n // 10)):
        function = {"name": f"look_up_{WORDS[k]}", "arguments": ""}
        call = {"id": f"call_{k}", "type": "function", "function": function}
        stream.append({"type": "tool-call-start", "index": k, "delta": {"message": {"tool_calls": call}}})
        for piece in pieces:
            more = {"function": {"arguments": piece}}
            stream.append({"type": "tool-call-delta", "index": k, "delta": {"message": {"tool_calls": more}}})
        stream.append({"type": "tool-call-end", "index": k})
    end = {"finish_reason": "TOOL_CALL", "usage": {"tokens": {"input_tokens": 9, "output_tokens": n}}}
    return [*stream, {"type": "message-end", "delta": end}]


def tools_out(tools: list[Json]) -> list[Json]:
    """Write tools that come at run time."""
    return [
        {
            "type": "function",
            "function": {"name": t["name"], "description": t["description"], "parameters": t["parameters"]},
        }
        for t in tools
    ]


def messages_out(messages: list[Any]) -> list[Json]:
    """Write the messages."""
    out: list[Json] = []
    for m in messages:
        kind = type(m)
        if kind is Result:
            value = m.value
            if m.kind == "data":
                value = dumps(value)
            elif m.kind == "error":
                value = dumps({"error": value})
            out.append({"role": "tool", "tool_call_id": m.call, "content": value})
        elif kind is Assistant:
            message: Json = {"role": "assistant", "content": m.text}
            if m.calls:
                message["content"] = [{"type": "text", "text": m.text}]
                message["tool_calls"] = [
                    {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": dumps(c.arguments)}}
                    for c in m.calls
                ]
            out.append(message)
        elif kind is User:
            if m.data is None:
                out.append({"role": "user", "content": m.text})
            else:
                image = {"type": "image_url", "image_url": {"url": f"data:{m.media};base64,{m.data}"}}
                out.append({"role": "user", "content": [{"type": "text", "text": m.text}, image]})
        else:
            out.append({"role": "system", "content": m.text})
    return out


def response_in(body: Json) -> Completion:
    """Read a response."""
    message, stop = body["message"], body["finish_reason"]
    parts: list[Any] = [part["text"] for part in message["content"]]
    for call in message.get("tool_calls") or ():
        function = call["function"]
        parts.append(Call(call["id"], function["name"], json.loads(function["arguments"])))
    tokens = body["usage"]["tokens"]
    input_tokens, output_tokens = tokens["input_tokens"], tokens["output_tokens"]
    finish = "tool_calls" if message.get("tool_calls") else stop
    return Completion(
        body["id"],
        "",
        parts,
        stop,
        finish,
        Usage(input_tokens, output_tokens, input_tokens + output_tokens, None, None),
    )


class Stream:
    """Joins the events of a stream."""

    __slots__ = ("calls", "end", "id", "text")

    def __init__(self) -> None:
        self.id = ""
        self.text: list[str] = []
        self.calls: list[tuple[Json, list[str]]] = []
        self.end: Json = {}

    def feed(self, event: Json) -> list[Delta]:
        """Read an event, and return its deltas."""
        kind = event["type"]
        if kind == "tool-call-delta":
            text, index = event["delta"]["message"]["tool_calls"]["function"]["arguments"], event["index"]
            self.calls[index][1].append(text)
            return [Delta("call", text, index)]
        if kind == "content-delta":
            text = event["delta"]["message"]["content"]["text"]
            self.text.append(text)
            return [Delta("text", text)]
        if kind == "tool-call-start":
            call = event["delta"]["message"]["tool_calls"]
            self.calls.append((call, []))
            return [Delta("call", "", event["index"], call["id"], call["function"]["name"])]
        if kind == "message-start":
            self.id = event["id"]
        elif kind == "message-end":
            self.end = event["delta"]
        return []

    def finish(self) -> Completion:
        """Return the response."""
        parts: list[Any] = ["".join(self.text)]
        parts += [Call(c["id"], c["function"]["name"], json.loads("".join(p))) for c, p in self.calls]
        tokens = self.end["usage"]["tokens"]
        input_tokens, output_tokens = tokens["input_tokens"], tokens["output_tokens"]
        counts = Usage(input_tokens, output_tokens, input_tokens + output_tokens, None, None)
        return Completion(self.id, "", parts, self.end["finish_reason"], "tool_calls", counts)
