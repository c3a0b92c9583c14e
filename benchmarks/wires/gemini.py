"""Gemini's generateContent: a response, a stream, and plain Python for the same work."""

from __future__ import annotations

from typing import Any

from conversation import TEXT, WORDS, arguments
from plain import Assistant, Call, Completion, Delta, Result, Usage, User, dumps

Json = dict[str, Any]


def response() -> Json:
    """Return a response with a text and three calls."""
    calls: list[Json] = [{"functionCall": {"name": f"look_up_{WORDS[k]}", "args": arguments(k)}} for k in range(3)]
    calls[0]["thoughtSignature"] = "c2lnbmF0dXJl"
    return {
        "candidates": [
            {"content": {"parts": [{"text": TEXT}, *calls], "role": "model"}, "finishReason": "STOP", "index": 0}
        ],
        "usageMetadata": {
            "promptTokenCount": 1200,
            "candidatesTokenCount": 148,
            "thoughtsTokenCount": 32,
            "totalTokenCount": 1380,
        },
        "modelVersion": "some-model",
        "responseId": "r1",
    }


def events(n: int) -> list[Json]:
    """Return about `n` chunks of text, then three complete calls, one in each chunk."""

    def chunk(part: Json, **more: Any) -> Json:
        return {
            "candidates": [{"content": {"parts": [part], "role": "model"}, "index": 0, **more}],
            "modelVersion": "some-model",
            "responseId": "r1",
        }

    chunks = [chunk({"text": f"word{i} "}) for i in range(n - 3)]
    for k in range(3):
        chunks.append(chunk({"functionCall": {"name": f"look_up_{WORDS[k]}", "args": arguments(k)}}))
    chunks[-1]["candidates"][0]["finishReason"] = "STOP"
    chunks[-1]["usageMetadata"] = {"promptTokenCount": 9, "candidatesTokenCount": n, "totalTokenCount": n + 9}
    return chunks


def lowered(schema: Json) -> Json:
    """Write a schema in the dialect of Gemini: without defaults, and null as `nullable`."""
    lowered_schema: Json = {}
    for key, value in schema.items():
        if key == "properties":
            lowered_schema[key] = {name: lowered(inner) for name, inner in value.items()}
        elif key == "items":
            lowered_schema[key] = lowered(value)
        elif key == "anyOf":
            branches = [branch for branch in value if branch.get("type") != "null"]
            if len(branches) == 1:
                lowered_schema.update(lowered(branches[0]))
            else:
                lowered_schema[key] = [lowered(branch) for branch in branches]
            if len(branches) != len(value):
                lowered_schema["nullable"] = True
        elif key not in ("additionalProperties", "default"):
            lowered_schema[key] = value
    return lowered_schema


def tools_out(tools: list[Json]) -> list[Json]:
    """Write tools that come at run time."""
    declarations = [
        {"name": t["name"], "description": t["description"], "parameters": lowered(t["parameters"])} for t in tools
    ]
    return [{"functionDeclarations": declarations}]


def messages_out(messages: list[Any]) -> list[Json]:
    """Write the contents of a request."""
    out: list[Json] = []
    results: list[Json] | None = None
    for m in messages:
        kind = type(m)
        if kind is Result:
            key = "error" if m.kind == "error" else "output"
            response = m.value if m.kind == "data" else {key: m.value}
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


def response_in(body: Json) -> Completion:
    """Read a response."""
    candidate = body["candidates"][0]
    parts: list[Any] = []
    calls = 0
    for part in candidate["content"]["parts"]:
        if "text" in part:
            parts.append(part["text"])
        elif "functionCall" in part:
            call = part["functionCall"]
            parts.append(
                Call(call.get("id") or f"call_0_{calls}", call["name"], call["args"], part.get("thoughtSignature"))
            )
            calls += 1
    usage, stop = body["usageMetadata"], candidate["finishReason"]
    thoughts = usage["thoughtsTokenCount"]
    counts = Usage(
        usage["promptTokenCount"], usage["candidatesTokenCount"] + thoughts, usage["totalTokenCount"], None, thoughts
    )
    return Completion(body["responseId"], body["modelVersion"], parts, stop, "tool_calls" if calls else stop, counts)


class Stream:
    """Joins the chunks of a stream."""

    __slots__ = ("calls", "last", "parts", "stop", "text")

    def __init__(self) -> None:
        self.parts: list[Any] = []
        self.text: list[str] = []
        self.stop = ""
        self.calls = 0
        self.last: Json = {}

    def feed(self, chunk: Json) -> list[Delta]:
        """Read a chunk, and return its deltas."""
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
                self.parts.append(
                    Call(
                        call.get("id") or f"call_0_{self.calls}",
                        call["name"],
                        call["args"],
                        part.get("thoughtSignature"),
                    )
                )
                self.calls += 1
                out.append(Delta("call", dumps(call["args"]), len(self.parts), self.parts[-1].id, call["name"]))
        if candidate.get("finishReason"):
            self.stop = candidate["finishReason"]
        return out

    def finish(self) -> Completion:
        """Return the response."""
        usage = self.last["usageMetadata"]
        counts = Usage(usage["promptTokenCount"], usage["candidatesTokenCount"], usage["totalTokenCount"], None, None)
        return Completion(
            self.last["responseId"], self.last["modelVersion"], self.parts, self.stop, "tool_calls", counts
        )
