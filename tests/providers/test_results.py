"""Results on every wire: the four kinds, their order, and what is after them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.providers import laws
from tests.support.every_row import over
from tests.support.generated import Package, wire_name
from tests.support.places import at
from tests.support.repository import OWN_CODE, spelled, table
from tests.support.requests import HELLO, PAIR, PIXEL, SCENARIOS, one_result, result
from tests.support.wires import WIRES

each_provider = pytest.mark.parametrize("provider", OWN_CODE)
KINDS = ("text", "data", "error", "multimodal")


@over("kind", KINDS)
@each_provider
def test_a_result_is_sent_as_the_table_says(sample: Package, models: Any, provider: str, kind: str) -> None:
    row = table(provider)["results"][kind]
    body = laws.write(sample, provider, one_result(models, kind, row["value"]))
    messages = body[table(provider)["messages"]]
    assert messages[-len(row["wire"]) :] == row["wire"]
    assert len(messages) == 2 + len(row["wire"])


@over("kind", KINDS)
@each_provider
def test_a_result_on_its_own_is_that_of_the_request(sample: Package, models: Any, provider: str, kind: str) -> None:
    row = table(provider)["results"][kind]
    request = one_result(models, kind, row["value"])
    module, heard = sample.provider(provider), []
    written = module.to_tool_result(request.messages[2].results[0], on_loss=heard.append, on_unsupported="weaken")
    assert written == at(row["wire"][0], table(provider)["result"])
    lost = kind == "multimodal" and table(provider).get("no_media", False)
    assert (len(row["wire"]) > 1 or lost) == any(loss.action in ("dropped", "moved", "described") for loss in heard)


@over("kind", KINDS)
@each_provider
def test_kinds_that_the_wire_can_tell_are_read_back(sample: Package, models: Any, provider: str, kind: str) -> None:
    row = table(provider)["results"][kind]
    body = laws.write(sample, provider, one_result(models, kind, row["value"]))
    back = laws.read(sample, provider, body).messages[2].results[0]
    if kind in table(provider)["kept"]:
        dumped = models.dump(back)
        assert (dumped["kind"], dumped["value"]) == (kind, row["value"])
    else:
        assert back.kind == "text"
    assert (back.tool_call_id, back.name) == (spelled(provider, "call_a"), "get_weather")


@each_provider
def test_media_follow_all_results_of_the_turn(sample: Package, models: Any, provider: str) -> None:
    image = {"type": "image", "url": "https://e.com/a.png"}
    if not table(provider).get("addresses", True):
        image = {"type": "image", "data": PIXEL, "mediaType": "image/png"}
    request = models.load(
        models.Request,
        {
            "messages": [
                HELLO,
                {"role": "assistant", "content": PAIR},
                {
                    "role": "tool",
                    "results": [
                        result("call_a", "get_weather", "multimodal", [image]),
                        result("call_b", "place_order", "text", "done"),
                    ],
                },
            ]
        },
    )
    losses: list[Any] = []
    body = laws.write(sample, provider, request, losses)
    assert [seen_result.id for seen_result in WIRES[provider].results(body)] == [
        spelled(provider, i) for i in ("call_a", "call_b")
    ]
    assert WIRES[provider].order_faults(body) == []
    after = len(table(provider)["results"]["multimodal"]["wire"]) > 1
    messages = body[table(provider)["messages"]]
    if table(provider).get("no_addresses") or table(provider).get("no_media"):
        assert ("messages[2].results[0].value[0]", "warning") in [(loss.path, loss.severity) for loss in losses]
    else:
        assert image.get("url", PIXEL) in str(messages[-1] if after else messages)
    alone = table(provider).get("media_alone")
    assert all(
        seen_result.value or (alone is not None and seen_result.value == alone)
        for seen_result in WIRES[provider].results(body)
    )


@each_provider
def test_calls_keep_ids_names_arguments_and_order(sample: Package, models: Any, provider: str) -> None:
    scenario, ids = json.dumps(SCENARIOS["calls"]), ["call_a", "call_b"]
    for identifier in ids:
        scenario = scenario.replace(identifier, spelled(provider, identifier))
    request = models.load(models.Request, json.loads(scenario))
    body = laws.write(sample, provider, request)
    calls = WIRES[provider].calls(body)
    assert [c.id for c in calls] == [spelled(provider, identifier) for identifier in ids]
    assert [c.name for c in calls] == ["get_weather", wire_name(provider)]
    assert laws.read(sample, provider, body).messages[1] == request.messages[1]
    module = sample.provider(provider)
    message = module.to_messages(request.messages)[1]
    assert module.to_tool_call(request.messages[1].content[0].call) == at(message, table(provider)["call"])


@pytest.mark.parametrize("target", ["anthropic", "bedrock"])
@pytest.mark.parametrize("source", ["openai_chat", "openai_compatible", "cohere"])
def test_an_error_that_was_json_text_is_reported_as_rewritten(sample: Package, source: str, target: str) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "now", "arguments": "{}"}}
    wire = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": '{"error": "not found"}'},
    ]
    losses: list[Any] = []
    messages = sample.provider(source).from_messages(wire)
    written = sample.provider(target).to_messages(messages, on_loss=losses.append)
    assert "not found" in str(written[2])
    reported = [(loss.action, loss.severity) for loss in losses if loss.path == "[2].results[0].kind"]
    assert reported == [("rewritten", "note")]
