"""Bedrock's Converse: a response, a stream, and plain Python for the same work."""

from __future__ import annotations

import json
from typing import Any

from conversation import TEXT, WORDS, argument_pieces, arguments
from plain import Assistant, Call, Completion, Delta, Result, Usage, User

Json = dict[str, Any]


def response() -> Json:
    """Return a response with a text and three calls."""
    calls = [
        {"toolUse": {"toolUseId": f"tooluse_{k}", "name": f"look_up_{WORDS[k]}", "input": arguments(k)}}
        for k in range(3)
    ]
    return {
        "output": {"message": {"role": "assistant", "content": [{"text": TEXT}, *calls]}},
        "stopReason": "tool_use",
        "usage": {"inputTokens": 1200, "outputTokens": 180, "totalTokens": 1380},
        "metrics": {"latencyMs": 900},
    }


def events(n: int) -> list[Json]:
    """Return about `n` events: a block of text, then three calls one after the other."""
    stream: list[Json] = [{"messageStart": {"role": "assistant"}}]
    for i in range(n // 10):
        stream.append({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": f"word{i} "}}})
    stream.append({"contentBlockStop": {"contentBlockIndex": 0}})
    for k, pieces in enumerate(argument_pieces(n - n // 10)):
        start = {"toolUse": {"toolUseId": f"tooluse_{k}", "name": f"look_up_{WORDS[k]}"}}
        stream.append({"contentBlockStart": {"contentBlockIndex": k + 1, "start": start}})
        for piece in pieces:
            delta = {"toolUse": {"input": piece}}
            stream.append({"contentBlockDelta": {"contentBlockIndex": k + 1, "delta": delta}})
        stream.append({"contentBlockStop": {"contentBlockIndex": k + 1}})
    stream.append({"messageStop": {"stopReason": "tool_use"}})
    usage = {"inputTokens": 9, "outputTokens": n, "totalTokens": n + 9}
    return [*stream, {"metadata": {"usage": usage, "metrics": {"latencyMs": 900}}}]


def tools_out(tools: list[Json]) -> list[Json]:
    """Write tools that come at run time."""
    return [
        {
            "toolSpec": {
                "name": t["name"],
                "description": t["description"],
                "inputSchema": {"json": t["parameters"]},
            }
        }
        for t in tools
    ]


def messages_out(messages: list[Any]) -> list[Json]:
    """Write the messages. System messages are elsewhere in a request."""
    out: list[Json] = []
    results: list[Json] | None = None
    for m in messages:
        kind = type(m)
        if kind is Result:
            content = {"json": m.value} if m.kind == "data" else {"text": m.value}
            block: Json = {"toolUseId": m.call, "content": [content]}
            if m.kind == "error":
                block["status"] = "error"
            if results is None:
                results = [{"toolResult": block}]
                out.append({"role": "user", "content": results})
            else:
                results.append({"toolResult": block})
            continue
        results = None
        if kind is Assistant:
            blocks: list[Json] = [{"text": m.text}]
            for c in m.calls:
                blocks.append({"toolUse": {"toolUseId": c.id, "name": c.name, "input": c.arguments}})
            out.append({"role": "assistant", "content": blocks})
        elif kind is User:
            blocks = [{"text": m.text}]
            if m.data is not None:
                image = {"format": m.media.removeprefix("image/"), "source": {"bytes": m.data}}
                blocks.append({"image": image})
            out.append({"role": "user", "content": blocks})
    return out


def response_in(body: Json) -> Completion:
    """Read a response."""
    parts: list[Any] = []
    calls = False
    for block in body["output"]["message"]["content"]:
        if "text" in block:
            parts.append(block["text"])
        elif "toolUse" in block:
            call = block["toolUse"]
            parts.append(Call(call["toolUseId"], call["name"], call["input"]))
            calls = True
    usage, stop = body["usage"], body["stopReason"]
    counts = Usage(usage["inputTokens"], usage["outputTokens"], usage["totalTokens"], None, None)
    return Completion("", "", parts, stop, "tool_calls" if calls else stop, counts)


class Stream:
    """Joins the events of a stream."""

    __slots__ = ("blocks", "calls", "stop", "usage")

    def __init__(self) -> None:
        self.blocks: dict[int, tuple[Json | None, list[str], int]] = {}
        self.calls = 0
        self.stop = ""
        self.usage: Json = {}

    def feed(self, event: Json) -> list[Delta]:
        """Read an event, and return its deltas."""
        if "contentBlockDelta" in event:
            inner = event["contentBlockDelta"]
            delta, index = inner["delta"], inner["contentBlockIndex"]
            if "toolUse" in delta:
                text = delta["toolUse"]["input"]
                _, pieces, call = self.blocks[index]
                pieces.append(text)
                return [Delta("call", text, call)]
            if "text" in delta:
                self.blocks.setdefault(index, (None, [], 0))[1].append(delta["text"])
                return [Delta("text", delta["text"])]
        elif "contentBlockStart" in event:
            inner = event["contentBlockStart"]
            start = inner["start"]["toolUse"]
            self.blocks[inner["contentBlockIndex"]] = (start, [], self.calls)
            self.calls += 1
            return [Delta("call", "", self.calls - 1, start["toolUseId"], start["name"])]
        elif "messageStop" in event:
            self.stop = event["messageStop"]["stopReason"]
        elif "metadata" in event:
            self.usage = event["metadata"]["usage"]
        return []

    def finish(self) -> Completion:
        """Return the response."""
        parts: list[Any] = []
        for start, pieces, _ in self.blocks.values():
            text = "".join(pieces)
            parts.append(text if start is None else Call(start["toolUseId"], start["name"], json.loads(text)))
        usage = self.usage
        counts = Usage(usage["inputTokens"], usage["outputTokens"], usage["totalTokens"], None, None)
        return Completion("", "", parts, self.stop, "tool_calls", counts)
