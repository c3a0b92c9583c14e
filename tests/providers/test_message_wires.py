"""Wires that have messages, and no requests that hold them: the laws on what apps have in them, and the tables."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.providers import laws, message_laws
from tests.support.every_row import grouped
from tests.support.generated import Package
from tests.support.hostile import spoiled_everywhere
from tests.support.repository import MESSAGING, OWN_CODE, recordings, table
from tests.support.requests import CONVERSATIONS, SCENARIOS
from tests.support.wires import MARK, MESSAGE_WIRES

each_provider = pytest.mark.parametrize("provider", MESSAGING)


def histories(key: str) -> Any:
    parameters = [pytest.param(p, r[key], id=f"{p}-{r['id']}") for p in MESSAGING for r in recordings(p) if r.get(key)]
    return grouped(f"provider, {key}", parameters)


each_history = histories("messages")
each_response = histories("response")
each_offer = histories("tools")


@each_history
def test_a_history_is_of_the_wires_types(provider: str, messages: Any) -> None:
    """But for what is there to be unknown."""
    strange = [fault for message in messages for fault in MESSAGE_WIRES[provider].message_faults(message)]
    assert strange == [] or "x_" in json.dumps(messages)


@each_history
def test_law_1_what_was_read_is_written_as_it_came(sample: Package, provider: str, messages: Any) -> None:
    message_laws.wire_comes_back(sample, provider, messages)


@each_history
def test_laws_2_and_4_what_was_written_is_read_as_it_was(sample: Package, provider: str, messages: Any) -> None:
    message_laws.format_comes_back(sample, provider, messages)


@each_offer
def test_laws_1_and_2_definitions_come_back(sample: Package, provider: str, tools: Any) -> None:
    message_laws.tools_come_back(sample, provider, tools)
    message_laws.tools_come_back(sample, provider, message_laws.with_unknown(tools, MESSAGE_WIRES[provider]))
    module = sample.provider(provider)
    for tool in module.to_tools([laws.bare(definition) for definition in module.from_tools(tools)]):
        assert MESSAGE_WIRES[provider].tool_faults(tool) == []


@each_history
def test_law_5_what_is_unknown_is_kept(sample: Package, provider: str, messages: Any) -> None:
    message_laws.unknown_is_kept(sample, provider, messages)


@each_provider
def test_law_5_kinds_that_nobody_knows_come_back(sample: Package, provider: str) -> None:
    for message in MESSAGE_WIRES[provider].foreign():
        message_laws.wire_comes_back(sample, provider, [message])
        assert MARK in laws.exact(
            message_laws.written(sample, provider, message_laws.read(sample, provider, [message]))
        )


@each_response
def test_law_7_a_response_comes_back(sample: Package, provider: str, response: Any) -> None:
    message_laws.response_comes_back(sample, provider, response)
    message_laws.response_comes_back(sample, provider, message_laws.with_unknown(response, MESSAGE_WIRES[provider]))
    for changed in MESSAGE_WIRES[provider].unknown_responses(response):
        message_laws.response_comes_back(sample, provider, changed)


@each_response
def test_a_response_goes_back_in_the_next_history(sample: Package, provider: str, response: Any) -> None:
    """Its messages are those of the history that the app would have made of them."""
    message = sample.provider(provider).from_response(copy.deepcopy(response)).message
    again = message_laws.stored(sample, "AssistantMessage", message)
    losses: list[Any] = []
    assert laws.exact(message_laws.written(sample, provider, [again], losses)) == laws.exact(response["messages"])
    assert losses == []


SOURCES = [pytest.param(source, target, id=f"{source}-{target}") for source in OWN_CODE for target in MESSAGING]


@pytest.mark.parametrize(("source", "target"), SOURCES)
def test_law_6_a_history_of_any_provider_goes_out_and_on(sample: Package, source: str, target: str) -> None:
    models = sample.module("models")
    for recording in recordings(source):
        request = laws.read(sample, source, recording["request"])
        back = message_laws.hand_over(sample, source, target, request)
        again = models.Request(back, model="m", max_output_tokens=9)
        for provider in ("openai_chat", "anthropic", "gemini"):
            laws.write(sample, provider, again)


@pytest.mark.parametrize(("source", "target"), SOURCES)
def test_law_2_a_history_of_any_provider_comes_back(sample: Package, source: str, target: str) -> None:
    for recording in recordings(source):
        request = laws.read(sample, source, recording["request"])
        wire = message_laws.history_comes_back(sample, target, request.messages)
        assert [fault for message in wire for fault in MESSAGE_WIRES[target].message_faults(message)] == []


@pytest.mark.parametrize("scenario", SCENARIOS)
@each_provider
def test_law_2_the_scenarios_come_back(sample: Package, models: Any, provider: str, scenario: str) -> None:
    request = models.load(models.Request, SCENARIOS[scenario])
    message_laws.history_comes_back(sample, provider, request.messages)


@pytest.mark.parametrize(("source", "target"), SOURCES)
def test_law_7_a_response_of_any_provider_is_written(sample: Package, source: str, target: str) -> None:
    done = 0
    for recording in recordings(source):
        if recording["response"] is None or recording["status"] != 200:
            continue
        completion = sample.provider(source).from_response(copy.deepcopy(recording["response"]))
        message_laws.completion_comes_back(sample, target, completion)
        done += 1
    assert done > 0


@pytest.mark.parametrize("name", CONVERSATIONS)
@each_provider
def test_messages_are_spelled_as_the_table_says(sample: Package, models: Any, provider: str, name: str) -> None:
    row, losses = table(provider)["conversations"][name], []
    messages = [models.load(models.Message, message) for message in CONVERSATIONS[name]]
    wire = sample.provider(provider).to_messages(messages, on_loss=losses.append)
    assert laws.exact(wire) == laws.exact(row["wire"])
    assert sorted(loss.path for loss in losses) == row.get("lost", [])
    assert [fault for message in wire for fault in MESSAGE_WIRES[provider].message_faults(message)] == []


RESULTS = [
    pytest.param(p, kind, row, id=f"{p}-{kind}-{i}")
    for p in MESSAGING
    for kind, rows in table(p)["results"].items()
    for i, row in enumerate(rows)
]


@grouped("provider, kind, row", RESULTS)
def test_a_result_is_sent_and_read_as_the_table_says(
    sample: Package, models: Any, provider: str, kind: str, row: Any
) -> None:
    module, losses = sample.provider(provider), []
    head = {"toolCallId": "call_a", "name": "now"}
    result = models.load(models.ToolResult, {**head, "kind": kind, "value": row["value"]})
    wire = module.to_tool_result(result, on_loss=losses.append)
    assert laws.exact(wire) == laws.exact(row["wire"])
    assert losses == []
    assert MESSAGE_WIRES[provider].message_faults(wire) == []
    if "read" in row:
        result.kind, result.value = row["read"]
    assert module.from_messages([wire])[0].results == [result]


@each_provider
def test_a_call_is_spelled_as_the_table_says(sample: Package, models: Any, provider: str) -> None:
    module, row = sample.provider(provider), table(provider)["call"]
    call = models.load(models.ToolCall, row["value"])
    assert laws.exact(module.to_tool_call(call)) == laws.exact(row["wire"])
    message = models.AssistantMessage([models.ToolCallPart(call)])
    assert module.from_messages(module.to_messages([message])) == [message]


@each_provider
def test_ids_that_were_used_before_are_told_apart(sample: Package, provider: str) -> None:
    """Each result is that of the call before it; the wire keeps its spelling."""
    wire = table(provider)["call"]["wire"]
    result = table(provider)["results"]["text"][0]["wire"]
    turn = [{"role": "assistant", "content": None, "tool_calls": [wire]}, result]
    messages_read = message_laws.read(sample, provider, [*turn, *turn])
    assert [call.id for m in messages_read for call in sample.module("messages").tool_calls_of(m)] == [
        "call_a",
        "call_1_0",
    ]
    assert [r.tool_call_id for m in messages_read for r in getattr(m, "results", [])] == ["call_a", "call_1_0"]
    message_laws.wire_comes_back(sample, provider, [*turn, *turn])


def spoiled(value: Any) -> Iterator[Any]:
    """Copies in each of which one member is another value; but a call without id or arguments, for it is given them."""
    for way, replacement, changed in spoiled_everywhere(value):
        if not (way[-1] in ("id", "arguments") and replacement is None):
            yield changed


def comes_back(value: Any, back: Any, losses: list[Any]) -> bool:
    """Whether a value came back as it was, if it was JSON; a name that the wire would refuse is renamed."""
    renamed = any(loss.what == "a tool's name" for loss in losses)
    text = json.dumps(value, sort_keys=True)
    return renamed or json.dumps(back, sort_keys=True) == text or "NaN" in text


@each_history
def test_hostile_values_are_read_or_refused_at_their_place(
    sample: Package, models: Any, provider: str, messages: Any
) -> None:
    """What was read goes out again as it came, if it was JSON, and a name that the wire would take."""
    done = 0
    for changed in spoiled(messages):
        losses: list[Any] = []
        try:
            messages_read = sample.provider(provider).from_messages(copy.deepcopy(changed))
            back = message_laws.written(sample, provider, messages_read, losses)
        except models.ConversionError:
            continue
        done += 1
        assert comes_back(changed, back, losses)
    assert done > 0


@each_response
def test_hostile_responses_are_read_or_refused_at_their_place(
    sample: Package, models: Any, provider: str, response: Any
) -> None:
    module, done = sample.provider(provider), 0
    for changed in spoiled(response):
        losses: list[Any] = []
        try:
            completion = module.from_response(copy.deepcopy(changed))
            back = module.to_response(completion, on_loss=losses.append, on_unsupported="weaken")
        except models.ConversionError:
            continue
        done += 1
        assert comes_back(changed, back, losses)
    assert done > 0
