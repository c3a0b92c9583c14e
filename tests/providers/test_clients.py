"""Requests through the official clients: what they send is the body, and they take what is written."""

from __future__ import annotations

from typing import Any

import pytest

from tests.providers import laws
from tests.support.every_row import grouped, over
from tests.support.exchanges import Exchanges, plain, sent
from tests.support.generated import Package, wire_name
from tests.support.repository import CONVERSING, OWN_CODE, UNSAID, having, names_tools, table
from tests.support.requests import HELLO, SCENARIOS
from tests.support.wires import WIRES


@over("scenario", list(SCENARIOS))
@pytest.mark.parametrize("provider", having("sdk", CONVERSING))
def test_the_client_sends_a_request_of_ours(
    exchanges: Exchanges, sample: Package, models: Any, provider: str, scenario: str
) -> None:
    request = models.load(models.Request, SCENARIOS[scenario])
    body = sent(exchanges, sample, provider, request)
    assert plain(provider, body) == plain(provider, laws.write(sample, provider, request))


@pytest.mark.parametrize("provider", having("sdk"))
def test_declared_tools_and_a_choice_go_through_the_client(
    exchanges: Exchanges, sample: Package, models: Any, provider: str
) -> None:
    definitions = sample.module("tools").DEFINITIONS
    offered = [definitions[name] for name in sample.provider(provider).ToolName.__args__]
    request = models.Request(
        [models.load(models.Message, HELLO)],
        model="m",
        tools=offered,
        tool_choice=models.NamedToolChoice("place_order") if names_tools(provider) else "required",
    )
    body = sent(exchanges, sample, provider, request)
    assert plain(provider, sample.provider(provider).TOOLS)[1:-1] in plain(provider, body)
    assert wire_name(provider) in laws.exact(body)
    assert '"place_order"' not in laws.exact(body)
    without = sent(exchanges, sample, provider, models.Request(request.messages, model="m"))
    assert not {"tools", "tool_choice", "toolConfig"} & {key for key, value in without.items() if value}


def choices() -> list[Any]:
    return [pytest.param(p, *row, id=f"{p}-{i}") for p in CONVERSING for i, row in enumerate(table(p)["parallel"])]


@grouped("provider, choice, parallel, keys", choices())
def test_a_choice_goes_with_the_switch_for_calls_side_by_side(
    sample: Package, models: Any, provider: str, choice: Any, parallel: bool, keys: Any
) -> None:
    fields = {"messages": [HELLO], "model": "m", "tools": [{"name": "now"}], "parallelToolCalls": parallel}
    request = models.load(models.Request, fields | ({} if choice is None else {"toolChoice": choice}))
    module, losses = sample.provider(provider), []
    if keys is None:
        with pytest.raises(models.ConversionError):
            module.to_request(request)
        laws.write(sample, provider, request, losses)
        assert ("parallelToolCalls", "behaviour") in [(loss.path, loss.severity) for loss in losses]
        return
    body = laws.write(sample, provider, request, losses)
    assert {k: v for k, v in body.items() if k in table(provider)["choice_keys"]} == keys
    assert [loss for loss in losses if loss.severity == "behaviour"] == []
    back = laws.read(sample, provider, body)
    reported = [loss.path for loss in losses]
    assert back.parallel_tool_calls == parallel or "parallelToolCalls" in reported


def forms() -> list[Any]:
    return [
        pytest.param(p, choice, wire, id=f"{p}-{i}")
        for p in OWN_CODE
        for i, (choice, wire) in enumerate(table(p)["tool_choice"])
    ]


@over("parallel", [None, True, False])
@over("reasoning", [None, {"effort": "high"}, {"budgetTokens": 2048}])
@grouped("provider, choice, wire", forms())
def test_every_choice_with_every_setting_is_kept_or_refused(
    sample: Package, models: Any, provider: str, choice: Any, wire: Any, reasoning: Any, parallel: bool | None
) -> None:
    """What is sent reads back as it was meant, or the loss says behaviour, and nothing is sent unless weakened."""
    named = [] if isinstance(choice, str) else choice.get("names") or [choice["name"]]
    fields: dict[str, Any] = {
        "messages": [HELLO],
        "model": "m",
        "tools": [{"name": name} for name in dict.fromkeys([*named, "now"])],
        "toolChoice": choice,
        "maxOutputTokens": 4096,
    }
    fields |= {} if parallel is None else {"parallelToolCalls": parallel}
    fields |= {} if reasoning is None else {"reasoning": reasoning}
    request, losses = models.load(models.Request, fields), []
    body = laws.write(sample, provider, request, losses)
    assert WIRES[provider].type_faults(body) == []
    reported = {loss.path for loss in losses if loss.severity == "behaviour"}
    back = laws.read(sample, provider, body)
    without_tools = choice in table(provider).get("said_without_tools", [])
    meant = None if wire == UNSAID else request.tool_choice
    assert (back.tool_choice == meant) == ("toolChoice" not in reported and not without_tools)
    assert (back.tools is None) == without_tools
    assert back.parallel_tool_calls == parallel or "parallelToolCalls" in [loss.path for loss in losses]
    thinking = reasoning is not None and "budgetTokens" in reasoning
    refused = (wire is None and not without_tools) or (thinking and choice in table(provider)["not_with_reasoning"])
    assert ("toolChoice" in reported) == refused
    if reported:
        with pytest.raises(models.ConversionError):
            sample.provider(provider).to_request(request, on_loss=lambda loss: None)


@pytest.mark.parametrize("provider", OWN_CODE)
def test_none_with_calls_in_the_history_keeps_the_tools(sample: Package, models: Any, provider: str) -> None:
    request, losses = models.load(models.Request, {**SCENARIOS["calls"], "toolChoice": "none"}), []
    body = laws.write(sample, provider, request, losses)
    assert len(WIRES[provider].calls(body)) == 2
    if table(provider).get("none_without_tools"):  # nothing else keeps the model from calling them
        assert laws.read(sample, provider, body).tools is None
        return
    refused = ["none", None] in table(provider)["tool_choice"]
    assert refused == (("toolChoice", "behaviour") in [(loss.path, loss.severity) for loss in losses])
    assert refused or laws.read(sample, provider, body).tool_choice == "none"
    assert [t.name for t in laws.read(sample, provider, body).tools] == ["get_weather"]
