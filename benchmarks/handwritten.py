"""The measure: plain Python for the same work on regular bodies, as fast as one would write it by hand.

It reads and writes slotted classes of its own, checks nothing, keeps nothing that it does not know, and trusts every
body to be regular. Streams give the same deltas that ours do.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]
dumps = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, check_circular=False).encode


class System:
    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class User:
    __slots__ = ("data", "media", "text")

    def __init__(self, text: str, data: str | None = None, media: str | None = None) -> None:
        self.text = text
        self.data = data
        self.media = media


class Call:
    __slots__ = ("arguments", "id", "name", "signature")

    def __init__(self, id: str, name: str, arguments: Json, signature: str | None = None) -> None:
        self.id = id
        self.name = name
        self.arguments = arguments
        self.signature = signature


class Assistant:
    __slots__ = ("calls", "text")

    def __init__(self, text: str, calls: list[Call]) -> None:
        self.text = text
        self.calls = calls


class Result:
    __slots__ = ("call", "kind", "name", "value")

    def __init__(self, call: str, name: str, kind: str, value: Any) -> None:
        self.call = call
        self.name = name
        self.kind = kind
        self.value = value


class Usage:
    __slots__ = ("cached", "input", "output", "reasoning", "total")

    def __init__(self, input: int, output: int, total: int, cached: int | None, reasoning: int | None) -> None:
        self.input = input
        self.output = output
        self.total = total
        self.cached = cached
        self.reasoning = reasoning


class Answer:
    __slots__ = ("finish", "id", "model", "parts", "stop", "usage")

    def __init__(self, id: str, model: str, parts: list[Any], stop: str, finish: str, usage: Usage | None) -> None:
        self.id = id
        self.model = model
        self.parts = parts
        self.stop = stop
        self.finish = finish
        self.usage = usage


class Delta:
    __slots__ = ("id", "index", "name", "text", "type")

    def __init__(self, type: str, text: str, index: int = 0, id: str | None = None, name: str | None = None) -> None:
        self.type = type
        self.text = text
        self.index = index
        self.id = id
        self.name = name


def neutral(conversation: list[Json]) -> list[Any]:
    """The conversation in the classes of this module."""
    found: list[Any] = []
    for message in conversation:
        role, content = message["role"], message.get("content")
        if role == "system":
            found.append(System(content))
        elif role == "user":
            found.append(
                User(content)
                if isinstance(content, str)
                else User(content[0]["text"], content[1]["data"], content[1]["mediaType"])
            )
        elif role == "assistant":
            calls = [] if isinstance(content, str) else [Call(**p["call"]) for p in content if p["type"] == "tool_call"]
            found.append(Assistant(content if isinstance(content, str) else content[0]["text"], calls))
        else:
            found += [Result(r["toolCallId"], r["name"], r["kind"], r["value"]) for r in message["results"]]
    return found


# messages out


def chat_messages(messages: list[Any]) -> list[Json]:
    """Write Chat Completions."""
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


def anthropic_messages(messages: list[Any]) -> list[Json]:
    """Write Anthropic's Messages."""
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
            blocks: list[Json] = [{"type": "text", "text": m.text}]
            for c in m.calls:
                blocks.append({"type": "tool_use", "id": c.id, "name": c.name, "input": c.arguments})
            out.append({"role": "assistant", "content": blocks})
        elif kind is User:
            blocks = [{"type": "text", "text": m.text}]
            if m.data is not None:
                blocks.append({"type": "image", "source": {"type": "base64", "media_type": m.media, "data": m.data}})
            out.append({"role": "user", "content": blocks})
    return out


def gemini_messages(messages: list[Any]) -> list[Json]:
    """Write Gemini's contents."""
    out: list[Json] = []
    results: list[Json] | None = None
    for m in messages:
        kind = type(m)
        if kind is Result:
            response = {"error": m.value} if m.kind == "error" else m.value if m.kind == "data" else {"output": m.value}
            part = {"functionResponse": {"id": m.call, "name": m.name, "response": response}}
            if results is None:
                results = [part]
                out.append({"role": "user", "parts": results})
            else:
                results.append(part)
            continue
        results = None
        if kind is Assistant:
            parts: list[Json] = [{"text": m.text}]
            for c in m.calls:
                parts.append({"functionCall": {"id": c.id, "name": c.name, "args": c.arguments}})
            out.append({"role": "model", "parts": parts})
        elif kind is User:
            parts = [{"text": m.text}]
            if m.data is not None:
                parts.append({"inlineData": {"mimeType": m.media, "data": m.data}})
            out.append({"role": "user", "parts": parts})
    return out


# responses in


def chat_response(body: Json) -> Answer:
    """Read a Chat Completions response."""
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
    return Answer(body["id"], body["model"], parts, stop, "tool_calls" if len(parts) > 1 else stop, counts)


def anthropic_response(body: Json) -> Answer:
    """Read an Anthropic response."""
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
    return Answer(body["id"], body["model"], parts, stop, "tool_calls" if calls else stop, counts)


def gemini_response(body: Json) -> Answer:
    """Read a Gemini response."""
    candidate = body["candidates"][0]
    parts: list[Any] = []
    calls = False
    for i, part in enumerate(candidate["content"]["parts"]):
        if "text" in part:
            parts.append(part["text"])
        elif "functionCall" in part:
            call = part["functionCall"]
            parts.append(
                Call(call.get("id") or f"call_0_{i}", call["name"], call["args"], part.get("thoughtSignature"))
            )
            calls = True
    usage, stop = body["usageMetadata"], candidate["finishReason"]
    thoughts = usage["thoughtsTokenCount"]
    counts = Usage(
        usage["promptTokenCount"], usage["candidatesTokenCount"] + thoughts, usage["totalTokenCount"], None, thoughts
    )
    return Answer(body["responseId"], body["modelVersion"], parts, stop, "tool_calls" if calls else stop, counts)


# streams in


class ChatStream:
    """Join Chat Completions chunks."""

    __slots__ = ("calls", "last", "stop", "text")

    def __init__(self) -> None:
        self.text: list[str] = []
        self.calls: dict[int, tuple[str, str, list[str]]] = {}
        self.stop: str | None = None
        self.last: Json = {}

    def feed(self, chunk: Json) -> list[Delta]:
        """Take a chunk."""
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

    def finish(self) -> Answer:
        """Give the answer."""
        parts: list[Any] = ["".join(self.text)] if self.text else []
        parts += [Call(i, n, json.loads("".join(p))) for i, n, p in self.calls.values()]
        usage = self.last["usage"]
        counts = Usage(usage["prompt_tokens"], usage["completion_tokens"], usage["total_tokens"], None, None)
        return Answer(self.last["id"], self.last["model"], parts, str(self.stop), "tool_calls", counts)


class AnthropicStream:
    """Join Anthropic's events."""

    __slots__ = ("blocks", "message", "output", "stop")

    def __init__(self) -> None:
        self.blocks: list[tuple[Json, list[str], int]] = []
        self.message: Json = {}
        self.stop = ""
        self.output = 0

    def feed(self, event: Json) -> list[Delta]:
        """Take an event."""
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

    def finish(self) -> Answer:
        """Give the answer."""
        parts: list[Any] = []
        for block, pieces, _ in self.blocks:
            text = "".join(pieces)
            parts.append(text if block["type"] == "text" else Call(block["id"], block["name"], json.loads(text)))
        given = self.message["usage"]["input_tokens"]
        counts = Usage(given, self.output, given + self.output, None, None)
        return Answer(self.message["id"], self.message["model"], parts, self.stop, "tool_calls", counts)


class GeminiStream:
    """Join Gemini's chunks."""

    __slots__ = ("last", "parts", "stop", "text")

    def __init__(self) -> None:
        self.parts: list[Any] = []
        self.text: list[str] = []
        self.stop = ""
        self.last: Json = {}

    def feed(self, chunk: Json) -> list[Delta]:
        """Take a chunk."""
        self.last = chunk
        out: list[Delta] = []
        candidate = chunk["candidates"][0]
        for part in candidate["content"]["parts"]:
            if "text" in part:
                self.text.append(part["text"])
                out.append(Delta("text", part["text"]))
            elif "functionCall" in part:
                if self.text:
                    self.parts.append("".join(self.text))
                    self.text = []
                call = part["functionCall"]
                self.parts.append(Call(call["id"], call["name"], call["args"], part.get("thoughtSignature")))
                out.append(Delta("call", dumps(call["args"]), len(self.parts), call["id"], call["name"]))
        if candidate.get("finishReason"):
            self.stop = candidate["finishReason"]
        return out

    def finish(self) -> Answer:
        """Give the answer."""
        usage = self.last["usageMetadata"]
        counts = Usage(usage["promptTokenCount"], usage["candidatesTokenCount"], usage["totalTokenCount"], None, None)
        return Answer(self.last["responseId"], self.last["modelVersion"], self.parts, self.stop, "tool_calls", counts)


MESSAGES: dict[str, Callable[[list[Any]], list[Json]]] = {
    "openai_chat": chat_messages,
    "anthropic": anthropic_messages,
    "gemini": gemini_messages,
}
RESPONSES: dict[str, Callable[[Json], Answer]] = {
    "openai_chat": chat_response,
    "anthropic": anthropic_response,
    "gemini": gemini_response,
}
STREAMS: dict[str, Any] = {"openai_chat": ChatStream, "anthropic": AnthropicStream, "gemini": GeminiStream}
