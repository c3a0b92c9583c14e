"""What the benchmarks convert: a conversation of forty messages, answers with three calls, and streams of any length."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]

WORDS = ("ferry", "berth", "tide", "ledger", "beacon", "harbour")
PIXELS = "iVBORw0KGgoAAAANSUhEUg" * 180
TEXT = "I will check the ledger, the berths and the tide gauge. " * 5


def arguments(k: int, turn: int = 0) -> Json:
    """The arguments of a call."""
    return {
        "query": f"{WORDS[k]} {turn}",
        "limit": 10 + k,
        "tags": ["dawn", "tide"],
        "where": {"lat": 51.5, "lon": -0.12},
    }


def conversation() -> list[Json]:
    """Forty messages of the format as JSON: six rounds of a question, three calls, their results and an answer."""
    messages: list[Json] = [{"role": "system", "content": "You run a small harbour office. " * 6}]
    for turn in range(6):
        question = f"Round {turn}: what changed since dawn? " * 3
        content: Any = question
        if turn % 2 == 0:
            content = [{"type": "text", "text": question}, {"type": "image", "data": PIXELS, "mediaType": "image/png"}]
        messages.append({"role": "user", "content": content})
        calls = [
            {"id": f"call_{turn}_{k}", "name": f"look_up_{WORDS[k]}", "arguments": arguments(k, turn)} for k in range(3)
        ]
        parts: list[Json] = [{"type": "text", "text": f"Let me look at three sources for round {turn}."}]
        messages.append({"role": "assistant", "content": parts + [{"type": "tool_call", "call": c} for c in calls]})
        rows = [{"id": r, "berth": f"B{r}", "free": r % 2 == 0} for r in range(8)]
        given = [("text", "Two arrivals and one late departure. " * 4), ("data", {"rows": rows, "next": None})]
        given.append(("error", "the tide gauge did not answer"))
        results = [
            {"toolCallId": c["id"], "name": c["name"], "kind": kind, "value": value}
            for c, (kind, value) in zip(calls, given, strict=True)
        ]
        messages.append({"role": "tool", "results": results})
        messages.append({"role": "assistant", "content": f"Round {turn}: two arrivals; the gauge is down. " * 2})
    messages += [{"role": "user", "content": "Thanks."}, {"role": "assistant", "content": "Only the gauge."}]
    return [*messages, {"role": "user", "content": "Write a handover note."}]


def chat_response() -> Json:
    """An answer with three calls, as Chat Completions gives it."""
    calls = [
        {
            "id": f"call_{k}",
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


def anthropic_response() -> Json:
    """The same as Anthropic gives it."""
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


def gemini_response() -> Json:
    """The same as Gemini gives it."""
    calls = [{"functionCall": {"id": f"g{k}", "name": f"look_up_{WORDS[k]}", "args": arguments(k)}} for k in range(3)]
    calls[0]["thoughtSignature"] = "c2lnbmF0dXJl"  # type: ignore[assignment]
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


def argument_pieces(n: int) -> list[list[str]]:
    """The arguments of three calls in pieces of twenty characters, `n` pieces in all."""
    pieces = []
    for k in range(3):
        size = (n // 3) * 20
        text = json.dumps({"query": WORDS[k], "body": "x" * (size - 40)}, separators=(",", ":"))
        pieces.append([text[i : i + 20] for i in range(0, len(text), 20)])
    return pieces


def chat_stream(n: int) -> list[Json]:
    """About `n` chunks: some text, then three calls, their pieces in turn."""
    top = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1790000000, "model": "some-model"}

    def chunk(delta: Json, reason: str | None = None) -> Json:
        return {**top, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    chunks = [chunk({"role": "assistant", "content": ""})] + [chunk({"content": f"word{i} "}) for i in range(n // 10)]
    pieces = argument_pieces(n - n // 10)
    for k in range(3):
        function = {"name": f"look_up_{WORDS[k]}", "arguments": ""}
        chunks.append(
            chunk({"tool_calls": [{"index": k, "id": f"call_{k}", "type": "function", "function": function}]})
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


def anthropic_stream(n: int) -> list[Json]:
    """About `n` events: a block of text, then three calls one after the other."""
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


def gemini_stream(n: int) -> list[Json]:
    """About `n` chunks of text, then three whole calls, a chunk each."""

    def chunk(part: Json, **more: Any) -> Json:
        return {
            "candidates": [{"content": {"parts": [part], "role": "model"}, "index": 0, **more}],
            "modelVersion": "some-model",
            "responseId": "r1",
        }

    chunks = [chunk({"text": f"word{i} "}) for i in range(n - 3)]
    for k in range(3):
        chunks.append(chunk({"functionCall": {"id": f"g{k}", "name": f"look_up_{WORDS[k]}", "args": arguments(k)}}))
    chunks[-1]["candidates"][0]["finishReason"] = "STOP"
    chunks[-1]["usageMetadata"] = {"promptTokenCount": 9, "candidatesTokenCount": n, "totalTokenCount": n + 9}
    return chunks
