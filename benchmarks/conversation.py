"""The data of the benchmarks: a conversation of forty messages, a response's text and calls, and pieces of calls."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]

WORDS = ("ferry", "berth", "tide", "ledger", "beacon", "harbour")
PIXELS = "iVBORw0KGgoAAAANSUhEUg" * 180
TEXT = "I will check the ledger, the berths and the tide gauge. " * 5


def arguments(k: int, turn: int = 0) -> Json:
    """Return the arguments of a call."""
    return {
        "query": f"{WORDS[k]} {turn}",
        "limit": 10 + k,
        "tags": ["dawn", "tide"],
        "where": {"lat": 51.5, "lon": -0.12},
    }


def conversation() -> list[Json]:
    """Return forty messages of the format as JSON: six times a question, three calls, their results and a reply."""
    messages: list[Json] = [{"role": "system", "content": "You run a small harbour office. " * 6}]
    for turn in range(6):
        question = f"Round {turn}: what changed since dawn? " * 3
        content: Any = question
        if turn % 2 == 0:
            content = [{"type": "text", "text": question}, {"type": "image", "data": PIXELS, "mediaType": "image/png"}]
        messages.append({"role": "user", "content": content})
        calls = [
            {"id": f"call{turn:02}{k:03}", "name": f"look_up_{WORDS[k]}", "arguments": arguments(k, turn)}
            for k in range(3)
        ]
        parts: list[Json] = [{"type": "text", "text": f"Let me look at three sources for round {turn}."}]
        messages.append({"role": "assistant", "content": parts + [{"type": "tool_call", "call": c} for c in calls]})
        rows = [{"id": r, "berth": f"B{r}", "free": r % 2 == 0} for r in range(8)]
        outcomes = [("text", "Two arrivals and one late departure. " * 4), ("data", {"rows": rows, "next": None})]
        outcomes.append(("error", "the tide gauge did not answer"))
        results = [
            {"toolCallId": c["id"], "name": c["name"], "kind": kind, "value": value}
            for c, (kind, value) in zip(calls, outcomes, strict=True)
        ]
        messages.append({"role": "tool", "results": results})
        messages.append({"role": "assistant", "content": f"Round {turn}: two arrivals; the gauge is down. " * 2})
    messages += [{"role": "user", "content": "Thanks."}, {"role": "assistant", "content": "Only the gauge."}]
    return [*messages, {"role": "user", "content": "Write a handover note."}]


def argument_pieces(n: int) -> list[list[str]]:
    """Return the arguments of three calls in pieces of twenty characters, `n` pieces in all."""
    pieces = []
    for k in range(3):
        size = (n // 3) * 20
        text = json.dumps({"query": WORDS[k], "body": "x" * (size - 40)}, separators=(",", ":"))
        pieces.append([text[i : i + 20] for i in range(0, len(text), 20)])
    return pieces


def tools(n: int) -> list[Json]:
    """Return tools as JSON, as an app gets them at run time: names, descriptions and schemas of eight parameters."""
    declarations = []
    for i in range(n):
        word = WORDS[i % len(WORDS)]
        parameters: Json = {
            f"{word}_id": {
                "type": "integer",
                "minimum": 0,
                "maximum": 500 + i,
                "description": f"Number of the {word}.",
            },
            "size": {"type": "string", "enum": [f"{word}_small", f"{word}_large"], "description": "The size."},
            "tags": {"type": "array", "items": {"type": "string"}, "description": "Labels."},
            "weight": {"anyOf": [{"type": "number"}, {"type": "null"}], "default": None, "description": "In tons."},
            "where": {
                "type": "object",
                "properties": {"lat": {"type": "number"}, "lon": {"type": "number"}},
                "required": ["lat", "lon"],
            },
            "note": {"type": "string", "description": f"What to write into the {word}'s file."},
            "urgent": {"type": "boolean", "default": False},
            "since": {"type": "string", "description": "The first day, as in 2026-11-01."},
        }
        schema: Json = {"type": "object", "properties": parameters, "required": [f"{word}_id", "size"]}
        declarations.append({"name": f"update_{word}_{i}", "description": f"Updates a {word}.", "parameters": schema})
    return declarations
