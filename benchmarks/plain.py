"""The slotted classes of the hand-written side: careful code that expects every body to be regular."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]
dumps = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, check_circular=False).encode


def is_json(value: Any) -> bool:
    """Return whether a value is JSON."""
    kind = type(value)
    if kind is dict:
        for key, item in value.items():
            if type(key) is not str:
                return False
            if not is_json(item):
                return False
        return True
    if kind is list:
        return all(map(is_json, value))
    return kind is str or kind is int or kind is bool or value is None or (kind is float and value - value == 0.0)


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


class Completion:
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
    """Return a conversation in the classes of this module."""
    messages: list[Any] = []
    for message in conversation:
        role, content = message["role"], message.get("content")
        if role == "system":
            messages.append(System(content))
        elif role == "user":
            messages.append(
                User(content)
                if isinstance(content, str)
                else User(content[0]["text"], content[1]["data"], content[1]["mediaType"])
            )
        elif role == "assistant":
            calls = [] if isinstance(content, str) else [Call(**p["call"]) for p in content if p["type"] == "tool_call"]
            messages.append(Assistant(content if isinstance(content, str) else content[0]["text"], calls))
        else:
            messages += [Result(r["toolCallId"], r["name"], r["kind"], r["value"]) for r in message["results"]]
    return messages
