"""Calls that only one provider knows, and their results."""

from __future__ import annotations

from typing import Any

import pytest

from tests.providers import laws
from tests.support.generated import Package
from tests.support.repository import CONVERSING, extended

CHATS = [p for p in CONVERSING if p in ("openai_chat", "openai_compatible") or extended(p) == "openai_compatible"]
ENTRIES = [*CHATS, "mistral", "cohere"]
"""The wires on which a call may be of another kind than a function, and its result is a result like others."""

HELLO = {"role": "user", "content": "Hello"}


def entry(identifier: str, kind: str = "function") -> dict[str, Any]:
    if kind == "function":
        return {"id": identifier, "type": kind, "function": {"name": "now", "arguments": "{}"}}
    return {"id": identifier, "type": kind, kind: {"name": "sql", "input": "select"}}


def called(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": "Wait.", "tool_calls": list(entries)}


def result(identifier: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": identifier, "content": text}


OWN, OTHER, THIRD = "customaaa", "functionb", "functionc"
CUSTOM, FUNCTION = entry(OWN, "custom"), entry(OTHER)
HISTORIES = {
    "alone": [called(CUSTOM), result(OWN, "rows")],
    "before a function": [called(CUSTOM, FUNCTION), result(OWN, "rows"), result(OTHER, "noon")],
    "after a function": [called(FUNCTION, CUSTOM), result(OTHER, "noon"), result(OWN, "rows")],
    "in reverse": [called(FUNCTION, CUSTOM), result(OWN, "rows"), result(OTHER, "noon")],
    "between functions": [
        called(FUNCTION, CUSTOM, entry(THIRD)),
        result(THIRD, "midnight"),
        result(OWN, "rows"),
        result(OTHER, "noon"),
    ],
    "turns": [
        called(CUSTOM),
        result(OWN, "rows"),
        called(FUNCTION),
        result(OTHER, "noon"),
        {"role": "assistant", "content": "So."},
        called(entry(THIRD)),
        result(THIRD, "midnight"),
    ],
}


def chat_body(order: str) -> dict[str, Any]:
    return {"model": "m", "messages": [HELLO, *HISTORIES[order], {"role": "user", "content": "And?"}]}


def items_body(order: str) -> dict[str, Any]:
    """The same history as items, in which the custom call and its output have types of their own."""
    items: list[dict[str, Any]] = []
    for message in chat_body(order)["messages"]:
        custom = message.get("tool_call_id") == OWN
        if message["role"] == "tool":
            kind = "custom_tool_call_output" if custom else "function_call_output"
            items.append({"type": kind, "call_id": message["tool_call_id"], "output": message["content"]})
            continue
        items.append({"role": message["role"], "content": message["content"]})
        for call in message.get("tool_calls", ()):
            if call["type"] == "custom":
                items.append({"type": "custom_tool_call", "call_id": call["id"], **call["custom"]})
            else:
                items.append({"type": "function_call", "call_id": call["id"], **call["function"]})
    return {"model": "m", "input": items}


@pytest.mark.parametrize("order", HISTORIES)
@pytest.mark.parametrize("provider", ENTRIES)
def test_results_of_own_calls_keep_their_order(sample: Package, provider: str, order: str) -> None:
    body = chat_body(order)
    losses: list[Any] = []
    sent = laws.write(sample, provider, laws.read(sample, provider, body), losses)
    ids = [message.get("tool_call_id") for message in body["messages"]]
    assert [message.get("tool_call_id") for message in sent["messages"]] == ids
    assert [loss for loss in losses if loss.action in ("described", "dropped", "moved")] == []
    if provider in CHATS:
        assert sent == body


@pytest.mark.parametrize("order", HISTORIES)
@pytest.mark.parametrize("bare", [False, True])
def test_outputs_of_own_items_keep_their_order(sample: Package, order: str, bare: bool) -> None:
    """Without metadata too: an output between those of functions is one of the turn's results."""
    request, losses = laws.read(sample, "openai_responses", items_body(order)), []
    sent = laws.write(sample, "openai_responses", laws.bare(request) if bare else request, losses)
    assert sent == items_body(order)
    assert losses == []


def test_a_result_of_which_the_call_was_cut_off_comes_back(sample: Package) -> None:
    """It may answer a call that the server keeps, so it stays a result."""
    for messages in ([result(OTHER, "noon"), called(CUSTOM), result(OWN, "rows")], [result(OTHER, "noon")]):
        body = {"model": "m", "messages": messages}
        assert laws.write(sample, "openai_chat", laws.read(sample, "openai_chat", body)) == body
    output = {"type": "function_call_output", "call_id": "c", "output": "noon"}
    kept = {"model": "m", "previous_response_id": "resp_1", "input": [output]}
    assert laws.write(sample, "openai_responses", laws.read(sample, "openai_responses", kept)) == kept
