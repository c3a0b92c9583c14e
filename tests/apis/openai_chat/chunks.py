"""Chunks of Chat Completions, and calls in them as one server or another sends them."""

from __future__ import annotations

from typing import Any

CALLS = [("call_a", "now", '{"a": 1}'), ("call_b", "get_weather", '{"b": "x", "c": [1]}'), ("call_c", "now", "{}")]
FORMS = (
    "good index",
    "all at 0",
    "no index",
    "no id",
    "empty id",
    "id on each",
    "id and name on each",
    "id on each, all at 0",
    "late id",
    "late name",
    "whole, no index, no id",
)
WITHOUT_IDS = ("no id", "empty id", "whole, no index, no id")


def chunk(delta: Any = None, reason: str | None = None, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": {} if delta is None else delta, "finish_reason": reason}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [choice],
        **more,
    }


def piece(call: dict[str, Any], *, index: int | None = None) -> dict[str, Any]:
    return chunk({"tool_calls": [call if index is None else {"index": index, **call}]})


def head(identifier: str | None, name: str, text: str = "") -> dict[str, Any]:
    function = {"name": name, "arguments": text}
    return {"type": "function", "function": function} | ({} if identifier is None else {"id": identifier})


def more(text: str) -> dict[str, Any]:
    return {"function": {"arguments": text}}


def halves(text: str, cut: int) -> tuple[str, str]:
    return text[:cut], text[cut:]


def in_turn(form: str, cut: int) -> list[Any]:
    """One call after the other, each cut in two: in the form in which some server sends them."""
    events = []
    for i, (identifier, name, text) in enumerate(CALLS):
        first, second = halves(text, cut % (len(text) + 1))
        if form == "good index":
            events += [piece(head(identifier, name, first), index=i), piece(more(second), index=i)]
        elif form == "all at 0":
            events += [piece(head(identifier, name, first), index=0), piece(more(second), index=0)]
        elif form == "no index":
            events += [piece(head(identifier, name, first)), piece(more(second))]
        elif form == "no id":
            events += [piece(head(None, name, first), index=i), piece(more(second), index=i)]
        elif form == "empty id":
            events += [piece(head("", name, first), index=i), piece({"id": "", **more(second)}, index=i)]
        elif form == "id on each":
            events += [
                piece(head(identifier, name, first), index=i),
                piece({"id": identifier, **more(second)}, index=i),
            ]
        elif form == "id and name on each":
            events += [piece(head(identifier, name, first), index=i), piece(head(identifier, name, second), index=i)]
        elif form == "id on each, all at 0":
            events += [
                piece(head(identifier, name, first), index=0),
                piece({"id": identifier, **more(second)}, index=0),
            ]
        elif form == "late id":
            events += [piece(head(None, name, first), index=i), piece({"id": identifier, **more(second)}, index=i)]
        elif form == "late name":
            late = {"function": {"name": name, "arguments": second}}
            events += [piece({"id": identifier, **more(first)}, index=i), piece(late, index=i)]
        elif form == "whole, no index, no id":
            events += [piece(head(None, name, text))]
        else:
            raise AssertionError(form)
    return events
