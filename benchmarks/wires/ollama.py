"""Ollama's own chat: a response, a stream, and plain Python for the same work."""

from __future__ import annotations

from typing import Any

from conversation import TEXT, WORDS, arguments
from plain import Assistant, Call, Completion, Delta, Result, Usage, User, dumps

Json = dict[str, Any]


def _calls() -> list[Json]:
    return [
        {"id": f"call_{k}", "function": {"index": k, "name": f"look_up_{WORDS[k]}", "arguments": arguments(k)}}
        for k in range(3)
    ]


def response() -> Json:
    """Return a response with a text and three calls."""
    return {
        "model": "some-model",
        "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": TEXT, "tool_calls": _calls()},
        "done_reason": "stop",
        "done": True,
        "total_duration": 900_000_000,
        "prompt_eval_count": 1200,
        "eval_count": 180,
    }


def events(n: int) -> list[Json]:
    """Return about `n` lines of text, then one with three complete calls."""
    top = {"model": "some-model", "created_at": "2026-01-01T00:00:00Z"}
    lines: list[Json] = [
        {**top, "message": {"role": "assistant", "content": f"word{i} "}, "done": False} for i in range(n)
    ]
    lines.append({**top, "message": {"role": "assistant", "content": "", "tool_calls": _calls()}, "done": False})
    end = {"done_reason": "stop", "done": True, "prompt_eval_count": 9, "eval_count": n}
    return [*lines, {**top, "message": {"role": "assistant", "content": ""}, **end}]


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
            out.append({"role": "tool", "content": value, "tool_name": m.name, "tool_call_id": m.call})
        elif kind is Assistant:
            message: Json = {"role": "assistant", "content": m.text}
            if m.calls:
                message["tool_calls"] = [
                    {"id": c.id, "function": {"name": c.name, "arguments": c.arguments}} for c in m.calls
                ]
            out.append(message)
        elif kind is User:
            message = {"role": "user", "content": m.text}
            if m.data is not None:
                message["images"] = [m.data]
            out.append(message)
        else:
            out.append({"role": "system", "content": m.text})
    return out


def response_in(body: Json) -> Completion:
    """Read a response."""
    message = body["message"]
    parts: list[Any] = [message["content"]]
    for call in message.get("tool_calls") or ():
        function = call["function"]
        parts.append(Call(call["id"], function["name"], function["arguments"]))
    input_tokens, output_tokens = body["prompt_eval_count"], body["eval_count"]
    counts = Usage(input_tokens, output_tokens, input_tokens + output_tokens, None, None)
    finish = "tool_calls" if len(parts) > 1 else body["done_reason"]
    return Completion("", body["model"], parts, body["done_reason"], finish, counts)


class Stream:
    """Joins the lines of a stream."""

    __slots__ = ("calls", "last", "text")

    def __init__(self) -> None:
        self.text: list[str] = []
        self.calls: list[Call] = []
        self.last: Json = {}

    def feed(self, line: Json) -> list[Delta]:
        """Read a line, and return its deltas."""
        self.last = line
        message = line["message"]
        out: list[Delta] = []
        text = message["content"]
        if text:
            self.text.append(text)
            out.append(Delta("text", text))
        for call in message.get("tool_calls") or ():
            function = call["function"]
            self.calls.append(Call(call["id"], function["name"], function["arguments"]))
            whole = dumps(function["arguments"])
            out.append(Delta("call", whole, len(self.calls) - 1, call["id"], function["name"]))
        return out

    def finish(self) -> Completion:
        """Return the response."""
        input_tokens, output_tokens = self.last["prompt_eval_count"], self.last["eval_count"]
        counts = Usage(input_tokens, output_tokens, input_tokens + output_tokens, None, None)
        parts = ["".join(self.text), *self.calls]
        return Completion("", self.last["model"], parts, self.last["done_reason"], "tool_calls", counts)
