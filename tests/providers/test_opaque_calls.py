"""Calls that only one provider knows: on its own wire they keep their results, elsewhere the results become text."""

from __future__ import annotations

from typing import Any

import pytest

from tests.providers import laws
from tests.support.every_row import grouped, over
from tests.support.generated import Package
from tests.support.repository import CONVERSING, OWN_CODE, extended
from tests.support.wires import WIRES

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


@over("order", list(HISTORIES))
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
    """It may be the result of a call that the server keeps, so it stays a result."""
    for messages in ([result(OTHER, "noon"), called(CUSTOM), result(OWN, "rows")], [result(OTHER, "noon")]):
        body = {"model": "m", "messages": messages}
        assert laws.write(sample, "openai_chat", laws.read(sample, "openai_chat", body)) == body
    output = {"type": "function_call_output", "call_id": "c", "output": "noon"}
    stateful = {"model": "m", "previous_response_id": "resp_1", "input": [output]}
    assert laws.write(sample, "openai_responses", laws.read(sample, "openai_responses", stateful)) == stateful


PAIRS = [(source, target) for source in ENTRIES for target in CONVERSING if target != source]


@over("order", list(HISTORIES))
@grouped("source, target", PAIRS)
def test_no_result_goes_out_without_its_call(sample: Package, source: str, target: str, order: str) -> None:
    losses: list[Any] = []
    request = laws.read(sample, source, chat_body(order))
    wire = WIRES[target]
    body = laws.write(sample, target, request, losses)
    assert wire.order_faults(body) == []
    calls, results = wire.calls(body), wire.results(body)
    assert sorted(str(r.id) for r in results) == sorted(str(c.id) for c in calls)
    assert "rows" in wire.texts(body)
    assert "rows" not in laws.exact([r.value for r in results])
    places = [
        f"messages[{i}].results[{j}]"
        for i, message in enumerate(request.messages)
        if message.role == "tool"
        for j, result in enumerate(message.results)
        if result.value == "rows"
    ]
    assert [loss.path for loss in losses if loss.what == "a result" and loss.action == "described"] == places


@pytest.mark.parametrize("target", [p for p in CONVERSING if p != "openai_responses"])
def test_the_result_of_a_call_that_the_server_keeps_is_text_elsewhere(
    sample: Package, models: Any, target: str
) -> None:
    call = {"type": "function_call", "call_id": "call_b", "name": "now", "arguments": "{}"}
    outputs = [{"type": "function_call_output", "call_id": f"call_{name}", "output": f"noon {name}"} for name in "ba"]
    for items, count in ((outputs[1:], 0), ([call, *outputs], 1)):
        stateful = {
            "model": "m",
            "previous_response_id": "resp_1",
            "input": [*items, {"role": "user", "content": "And?"}],
        }
        request, losses = laws.read(sample, "openai_responses", stateful), []
        request = models.load(models.Request, models.dump(request))
        body = laws.write(sample, target, request, losses)
        wire = WIRES[target]
        assert wire.order_faults(body) == []
        assert len(wire.calls(body)) == len(wire.results(body)) == count
        assert "noon a" in wire.texts(body)
        assert [loss.severity for loss in losses if loss.what == "a result"] == ["warning"]
        assert laws.write(sample, "openai_responses", request) == stateful


EMPTY = {"an empty text": "", "a blank text": " \n"}


@over("text", list(EMPTY))
@pytest.mark.parametrize("target", [p for p in OWN_CODE if p != "openai_chat"])
def test_an_empty_result_without_its_call_is_no_empty_message(sample: Package, target: str, text: str) -> None:
    body = {"model": "m", "messages": [HELLO, called(CUSTOM), result(OWN, EMPTY[text])]}
    sent = laws.write(sample, target, laws.read(sample, "openai_chat", body))
    assert WIRES[target].order_faults(sent) == []
    assert "[empty result]" in WIRES[target].texts(sent)


def test_a_repeated_id_belongs_to_the_last_call_that_has_it(sample: Package) -> None:
    again = [called(CUSTOM), result(OWN, "rows"), called(entry(OWN)), result(OWN, "noon")]
    for messages in (again, [*again[2:], *again[:2]]):
        request = laws.read(sample, "openai_chat", {"model": "m", "messages": [HELLO, *messages]})
        sent = laws.write(sample, "anthropic", request)
        assert [r.value for r in WIRES["anthropic"].results(sent)] == ["noon"]
        assert "rows" in WIRES["anthropic"].texts(sent)


@over("order", list(HISTORIES))
@pytest.mark.parametrize("target", [p for p in CONVERSING if p != "openai_responses"])
def test_an_output_of_its_own_type_goes_along_as_text(sample: Package, target: str, order: str) -> None:
    request, losses = laws.read(sample, "openai_responses", items_body(order)), []
    wire = WIRES[target]
    body = laws.write(sample, target, request, losses)
    assert wire.order_faults(body) == []
    assert "rows" in wire.texts(body)
    assert "rows" not in laws.exact([r.value for r in wire.results(body)])
    assert "described" in [loss.action for loss in losses]


@pytest.mark.parametrize("provider", ENTRIES)
def test_a_result_without_a_call_keeps_its_place_among_others(sample: Package, provider: str) -> None:
    turn = [called(FUNCTION, entry(THIRD)), result(OTHER, "noon"), result("nothingaa", "?"), result(THIRD, "midnight")]
    body = {"model": "m", "messages": [HELLO, *turn, {"role": "user", "content": "And?"}]}
    sent = laws.write(sample, provider, laws.read(sample, provider, body))
    assert [m["tool_call_id"] for m in sent["messages"] if m["role"] == "tool"] == [OTHER, "nothingaa", THIRD]


SAID = {
    "output": {"type": "custom_tool_call_output", "call_id": "c", "output": "rows"},
    "shell": {"type": "shell_call_output", "call_id": "c", "output": [{"stdout": "rows", "stderr": "", "outcome": {}}]},
    "parts": {"type": "custom_tool_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "rows"}]},
}


@pytest.mark.parametrize("item", SAID)
def test_what_an_output_says_is_its_text_elsewhere(sample: Package, item: str) -> None:
    request = laws.read(sample, "openai_responses", {"model": "m", "input": [SAID[item]]})
    for target in OWN_CODE:
        if target != "openai_responses":
            assert "rows" in WIRES[target].texts(laws.write(sample, target, request)).splitlines()


def test_a_picture_in_an_output_is_no_text_elsewhere(sample: Package) -> None:
    item = {"type": "x_output", "call_id": "c", "output": "data:image/png;base64,AAAA"}
    request = laws.read(sample, "openai_responses", {"model": "m", "input": [item]})
    assert WIRES["anthropic"].texts(laws.write(sample, "anthropic", request)) == "[x_output]"


def test_a_result_of_the_first_function_calls_is_text_elsewhere(sample: Package) -> None:
    """Chat Completions once had `function_call`, and results of the role `function`."""
    message = {"role": "assistant", "content": None, "function_call": {"name": "now", "arguments": "{}"}}
    body = {"model": "m", "messages": [HELLO, message, {"role": "function", "name": "now", "content": "noon"}]}
    request = laws.read(sample, "openai_chat", body)
    assert laws.write(sample, "openai_chat", request) == body
    for target in OWN_CODE:
        if target != "openai_chat":
            assert "noon" in WIRES[target].texts(laws.write(sample, target, request))
