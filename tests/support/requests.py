"""Requests of the neutral format that every provider is asked to send, as `load` reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

HELLO: Mapping[str, Any] = {"role": "user", "content": "Hello"}

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

WEATHER: Mapping[str, Any] = {
    "name": "get_weather",
    "description": "Current weather for a city.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}

PAIR = [
    {"type": "tool_call", "call": {"id": "call_a", "name": "get_weather", "arguments": {"city": "Oslo"}}},
    {"type": "tool_call", "call": {"id": "call_b", "name": "place_order", "arguments": {"lines": []}}},
]


def result(identifier: str, name: str, kind: str, value: Any, **more: Any) -> dict[str, Any]:
    return {"toolCallId": identifier, "name": name, "kind": kind, "value": value, **more}


EVERYTHING: Mapping[str, Any] = {
    "model": "some-model",
    "messages": [
        {"role": "system", "content": "Be brief.", "cache": True},
        {
            "role": "user",
            "name": "ada",
            "content": [
                {"type": "text", "text": "What is this? Grüße 🌍"},
                {"type": "image", "url": "https://example.com/cat.png", "detail": "low"},
                {"type": "image", "data": PIXEL, "mediaType": "image/png"},
                {"type": "document", "data": "JVBERi0xLjQK", "mediaType": "application/pdf", "name": "paper.pdf"},
                {"type": "audio", "data": "UklGRg==", "mediaType": "audio/wav"},
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "Let me look."}, *PAIR]},
        {
            "role": "tool",
            "results": [
                result("call_a", "get_weather", "data", {"degrees": 7.5, "sky": None}),
                result("call_b", "place_order", "error", "out of stock"),
            ],
        },
        {"role": "assistant", "content": [PAIR[0] | {"call": {**PAIR[0]["call"], "id": "call_c"}}]},
        {
            "role": "tool",
            "results": [
                result(
                    "call_c",
                    "get_weather",
                    "multimodal",
                    [{"type": "text", "text": "A map:"}, {"type": "image", "data": PIXEL, "mediaType": "image/png"}],
                )
            ],
        },
        {"role": "user", "content": "Thanks."},
    ],
    "tools": [
        WEATHER,
        {
            "name": "place_order",
            "description": "Place an order.",
            "strict": True,
            "parameters": {
                "type": "object",
                "properties": {"note": {"type": ["string", "null"], "maxLength": 80}},
                "required": ["note"],
                "additionalProperties": False,
            },
        },
        {"name": "now"},
    ],
    "toolChoice": {"names": ["get_weather", "now"], "mode": "required"},
    "parallelToolCalls": False,
    "outputFormat": {"schema": {"type": "object"}, "name": "answer", "strict": False},
    "maxOutputTokens": 256,
    "temperature": 0.5,
    "topP": 0.9,
    "stop": ["END"],
    "seed": 7,
    "reasoning": {"effort": "low", "budgetTokens": 1024},
    "stream": True,
    "topK": 40,
    "frequencyPenalty": 0.25,
    "presencePenalty": 0.5,
}

SCENARIOS: Mapping[str, Mapping[str, Any]] = {
    "everything": EVERYTHING,
    "plain": {"model": "some-model", "messages": [HELLO]},
    "calls": {
        "model": "some-model",
        "messages": [
            HELLO,
            {"role": "assistant", "content": PAIR},
            {
                "role": "tool",
                "results": [
                    result("call_a", "get_weather", "text", "7 degrees"),
                    result("call_b", "place_order", "data", [1, {"a": None}]),
                ],
            },
        ],
        "tools": [WEATHER],
        "toolChoice": "auto",
    },
    "json": {"model": "some-model", "messages": [HELLO], "outputFormat": "json", "toolChoice": "none"},
}

FIELDS: Mapping[str, Any] = {
    "model": "some-model",
    "tools": [WEATHER],
    "toolChoice": "required",
    "parallelToolCalls": False,
    "outputFormat": "json",
    "maxOutputTokens": 256,
    "temperature": 0.5,
    "topP": 0.9,
    "stop": ["END"],
    "seed": 7,
    "reasoning": {"effort": "low"},
    "stream": True,
    "topK": 40,
    "frequencyPenalty": 0.25,
    "presencePenalty": 0.5,
}
"""A value for each optional field of a request."""

DEFINITIONS: Mapping[str, list[dict[str, Any]]] = {
    "without parameters": [{"name": "t"}],
    "no properties": [
        {"name": "t", "description": "Does it.", "parameters": {"type": "object", "properties": {}}},
    ],
    "no type at the root": [{"name": "t", "parameters": {"properties": {"a": {"type": "integer"}}}}],
    "strict": [
        {
            "name": "t",
            "description": "Does it.",
            "parameters": {
                "type": "object",
                "properties": {"a": {"type": "string"}},
                "required": ["a"],
                "additionalProperties": False,
            },
            "strict": True,
        }
    ],
    "several": [{"name": name, "description": f"Does {name}."} for name in ("one", "two", "three")],
}
"""Definitions that each provider's table spells under `tools`."""

SETTINGS: Mapping[str, dict[str, Any]] = {
    "nothing": {},
    "a limit": {"maxOutputTokens": 256},
    "json": {"outputFormat": "json", "toolChoice": "auto"},
    "text": {"outputFormat": "text"},
    "sampling": {"topK": 40, "frequencyPenalty": 0.25, "presencePenalty": 0.5},
}
"""Settings of a request that each provider's table spells under `settings`."""


def _message(*content: Any, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": list(content)}


CONVERSATIONS: Mapping[str, list[Any]] = {
    "texts": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hi."},
        {"role": "user", "content": "Bye"},
    ],
    "lists of parts": [
        _message({"type": "text", "text": "Be brief."}, role="system"),
        _message({"type": "text", "text": "Hello"}),
        _message({"type": "text", "text": "Hi."}, role="assistant"),
        _message({"type": "text", "text": "Bye"}),
    ],
    "a call and its result": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hello"},
        {
            "role": "assistant",
            "content": None,
            "toolCalls": [{"id": "call_a", "name": "now", "arguments": {}}],
        },
        {"role": "tool", "results": [result("call_a", "now", "text", "noon")]},
    ],
    "a cached instruction": [{"role": "system", "content": "Be brief.", "cache": True}, dict(HELLO)],
    "names": [
        {"role": "user", "content": "Hello", "name": "ada"},
        {"role": "assistant", "content": "Hi.", "name": "bob"},
        {"role": "user", "content": "Bye"},
    ],
    "a refusal": [
        dict(HELLO),
        _message({"type": "refusal", "text": "No."}, role="assistant"),
        {"role": "user", "content": "Bye"},
    ],
    "an image by address": [
        _message({"type": "image", "url": "https://example.com/a.png", "mediaType": "image/png", "detail": "low"})
    ],
    "an image as a data address": [_message({"type": "image", "url": "data:image/png;base64,iVBORw0KGgo="})],
    "an image as data": [_message({"type": "image", "data": "R0lGODlhAQABAAAAACw=", "mediaType": "image/gif"})],
    "a document": [
        _message({"type": "document", "data": "JVBERi0xLjQK", "mediaType": "application/pdf", "name": "p.pdf"})
    ],
}
"""Messages that each provider's table spells under `conversations`."""


def one_result(models: Any, kind: str, value: Any, **more: Any) -> Any:
    """A request with one call and its result."""
    return models.load(
        models.Request,
        {
            "messages": [
                HELLO,
                {"role": "assistant", "content": PAIR[:1]},
                {"role": "tool", "results": [result("call_a", "get_weather", kind, value, **more)]},
            ]
        },
    )
