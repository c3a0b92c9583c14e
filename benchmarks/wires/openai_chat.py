"""OpenAI's Chat Completions: a response, a stream, and plain Python for the same work."""

from __future__ import annotations

import json
from typing import Any

from conversation import TEXT, WORDS, argument_pieces, arguments
from plain import Assistant, Call, Completion, Delta, Result, Usage, User, dumps

Json = dict[str, Any]


def response() -> Json:
    """Return a response with three calls."""
    calls = [
        {
            "id": f"call{k:05}",
            "type": "function",
            "function": {"name": f"look_up_{WORDS[k]}", "arguments": json.dumps(arguments(k))},
        }
        for k in range(3)
    ]
    message = {"role": "assistant", "content": TEXT, "refusal": None, "annotations": [], "tool_calls": calls}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1790000000,
        "model": "some-model",
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "tool_calls"}],
        "usage": {
            "prompt_tokens": 1200,
            "completion_tokens": 180,
            "total_tokens": 1380,
            "prompt_tokens_details": {"cached_tokens": 1024, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 32, "audio_tokens": 0},
        },
        "service_tier": "default",
    }


def events(n: int) -> list[Json]:
    """Return about `n` chunks: some text, then the pieces of three calls in turn."""
    top = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1790000000, "model": "some-model"}

    def chunk(delta: Json, reason: str | None = None) -> Json:
        return {**top, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    chunks = [chunk({"role": "assistant", "content": ""})] + [chunk({"content": f"word{i} "}) for i in range(n // 10)]
    pieces = argument_pieces(n - n // 10)
    for k in range(3):
        function = {"name": f"look_up_{WORDS[k]}", "arguments": ""}
        chunks.append(
            chunk({"tool_calls": [{"index": k, "id": f"call{k:05}", "type": "function", "function": function}]})
        )
    for i in range(max(map(len, pieces))):
        for k in range(3):
            if i < len(pieces[k]):
                chunks.append(chunk({"tool_calls": [{"index": k, "function": {"arguments": pieces[k][i]}}]}))
    chunks.append(chunk({}, "tool_calls"))
    return [
        *chunks,
        {**top, "choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": n, "total_tokens": n + 9}},
    ]


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
                message["tool_calls"] = [
                    {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": dumps(c.arguments)}}
                    for c in m.calls
                ]
            out.append(message)
        elif kind is User:
            if m.data is None:
                out.append({"role": "user", "content": m.text})
            else:
                url = f"data:{m.media};base64,{m.data}"
                out.append(
                    {
                        "role": "user",
                        "content": [{"type": "text", "text": m.text}, {"type": "image_url", "image_url": {"url": url}}],
                    }
                )
        else:
            out.append({"role": "system", "content": m.text})
    return out


def response_in(body: Json) -> Completion:
    """Read a response."""
    choice = body["choices"][0]
    message, usage = choice["message"], body["usage"]
    parts: list[Any] = []
    if message["content"]:
        parts.append(message["content"])
    for call in message.get("tool_calls") or ():
        function = call["function"]
        parts.append(Call(call["id"], function["name"], json.loads(function["arguments"])))
    stop = choice["finish_reason"]
    cached = usage["prompt_tokens_details"]["cached_tokens"]
    reasoning = usage["completion_tokens_details"]["reasoning_tokens"]
    counts = Usage(usage["prompt_tokens"], usage["completion_tokens"], usage["total_tokens"], cached, reasoning)
    return Completion(body["id"], body["model"], parts, stop, "tool_calls" if len(parts) > 1 else stop, counts)


class Stream:
    """Joins the chunks of a stream."""

    __slots__ = ("calls", "last", "stop", "text")

    def __init__(self) -> None:
        self.text: list[str] = []
        self.calls: dict[int, tuple[str, str, list[str]]] = {}
        self.stop: str | None = None
        self.last: Json = {}

    def feed(self, chunk: Json) -> list[Delta]:
        """Read a chunk, and return its deltas."""
        self.last = chunk
        choices = chunk["choices"]
        if not choices:
            return []
        choice = choices[0]
        delta = choice["delta"]
        out: list[Delta] = []
        content = delta.get("content")
        if content:
            self.text.append(content)
            out.append(Delta("text", content))
        for piece in delta.get("tool_calls") or ():
            function, index = piece["function"], piece["index"]
            call = self.calls.get(index)
            if call is None:
                self.calls[index] = (piece["id"], function["name"], [function["arguments"]])
                out.append(Delta("call", function["arguments"], index, piece["id"], function["name"]))
            else:
                call[2].append(function["arguments"])
                out.append(Delta("call", function["arguments"], index))
        if choice["finish_reason"] is not None:
            self.stop = choice["finish_reason"]
        return out

    def finish(self) -> Completion:
        """Return the response."""
        parts: list[Any] = ["".join(self.text)] if self.text else []
        parts += [Call(i, n, json.loads("".join(p))) for i, n, p in self.calls.values()]
        usage = self.last["usage"]
        counts = Usage(usage["prompt_tokens"], usage["completion_tokens"], usage["total_tokens"], None, None)
        return Completion(self.last["id"], self.last["model"], parts, str(self.stop), "tool_calls", counts)
