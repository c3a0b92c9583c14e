"""Declared tools, tool choices, names and ids, on every wire."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

import pytest

from tests.providers import laws
from tests.support.every_row import grouped, over
from tests.support.generated import PROBES, Package, wire_name
from tests.support.repository import CONVERSING, MESSAGING, PROFILES, UNSAID, names_tools, profile, spelled, table
from tests.support.requests import HELLO
from tests.support.wires import WIRES

each_provider = pytest.mark.parametrize("provider", PROFILES)
each_with_conversations = pytest.mark.parametrize("provider", CONVERSING)


CHOICES = [
    pytest.param(provider, choice, wire, id=f"{provider}-{i}")
    for provider in (*CONVERSING, *MESSAGING)
    for i, (choice, wire) in enumerate(table(provider)["tool_choice"])
]


@each_provider
def test_declared_tools_are_lowered_at_build_time_as_at_run_time(package: Package, provider: str) -> None:
    definitions = package.module("tools").DEFINITIONS
    module = package.provider(provider)
    heard: list[Any] = []
    offered = [definitions[name] for name in definitions if name in module.ToolName.__args__]
    assert offered != []
    assert module.to_tools(offered, on_loss=heard.append, on_unsupported="weaken") == module.TOOLS


@each_provider
def test_the_small_projects_tools_are_lowered_alike(sample: Package, provider: str) -> None:
    definitions = sample.module("tools").DEFINITIONS
    module = sample.provider(provider)
    offered = [definitions[t["name"]] for t in PROBES if provider not in t.get("unsupported", ())]
    offered.sort(key=lambda definition: definition.name)
    assert [definition.name for definition in offered] == list(module.ToolName.__args__)
    assert module.to_tools(offered) == module.TOOLS


@each_provider
def test_a_modules_wire_spells_the_declared_names_as_its_payload_does(sample: Package, provider: str) -> None:
    module = sample.provider(provider)
    assert module.WIRE.name == provider
    names = list(module.ToolName.__args__)
    for name in names:
        spelled_name = module.WIRE.wire_name(name)
        assert module.WIRE.tool_names.get(spelled_name, spelled_name) == name
        assert spelled_name in compact(module.tools(name))


@each_provider
def test_tools_gives_entries_in_the_order_asked_for(sample: Package, provider: str) -> None:
    module = sample.provider(provider)
    written = module.tools("place_order", "get_weather")
    assert [t.name for t in module.from_tools(written)] == ["place_order", "get_weather"]
    assert [d.name for d in module.from_tools(module.TOOLS)] == list(module.ToolName.__args__)
    assert module.to_tools(module.from_tools(written)) == written
    assert not module.tools()
    assert hashlib.sha256(compact(module.TOOLS).encode()).hexdigest() == module.FINGERPRINT


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@each_provider
def test_a_tool_kept_from_a_provider_is_not_in_its_payload(sample: Package, provider: str) -> None:
    assert "hidden" not in str(sample.provider(provider).TOOLS)


@each_provider
def test_a_tool_kept_from_a_provider_is_refused_at_run_time(sample: Package, models: Any, provider: str) -> None:
    module, hidden = sample.provider(provider), sample.module("tools").DEFINITIONS["hidden"]
    with pytest.raises(models.ConversionError):
        module.to_tools([hidden])


@each_with_conversations
def test_a_tool_kept_from_a_provider_cannot_be_chosen(sample: Package, models: Any, provider: str) -> None:
    with pytest.raises(models.ConversionError):
        sample.provider(provider).to_tool_choice(models.NamedToolChoice("hidden"))


@each_provider
def test_a_patch_of_a_declaration_is_applied_last(sample: Package, provider: str) -> None:
    assert "Order things." in str(sample.provider(provider).tools("place_order"))


@grouped("provider, choice, wire", CHOICES)
def test_a_tool_choice_is_spelled_as_the_provider_has_it(
    sample: Package, models: Any, provider: str, choice: Any, wire: Any
) -> None:
    module, neutral = sample.provider(provider), models.load(models.ToolChoice, choice)
    losses: list[Any] = []
    if wire == UNSAID:
        assert module.to_tool_choice(neutral, on_loss=losses.append) is None
        assert [(loss.action, loss.severity) for loss in losses] == [("defaulted", "note")]
        assert module.from_tool_choice(None) is None
        return
    if wire is None:
        with pytest.raises(models.ConversionError):
            module.to_tool_choice(neutral)
        assert module.to_tool_choice(neutral, on_loss=losses.append, on_unsupported="weaken") is None
        assert [(loss.action, loss.severity) for loss in losses] == [("dropped", "behaviour")]
        return
    assert module.to_tool_choice(neutral) == wire
    assert module.from_tool_choice(wire) == neutral


@each_with_conversations
def test_every_form_of_choice_is_in_the_table(provider: str) -> None:
    rows = table(provider)["tool_choice"]
    choices = {c if isinstance(c, str) else next(iter(c)) for c, wire in rows if wire is not None}
    words = {"named": "name", "allowed": "names"}
    assert choices == {
        words.get(form, form) for form in profile(provider)["tool_choice"] if form not in ("also", "modes")
    }


@each_with_conversations
def test_a_declared_tools_name_on_the_wire_is_spelled_back(sample: Package, models: Any, provider: str) -> None:
    module = sample.provider(provider)
    call = models.ToolCall(spelled(provider, "call_a"), "place_order", {})
    request = models.Request(
        [
            models.load(models.Message, HELLO),
            models.AssistantMessage([models.ToolCallPart(call)]),
            models.ToolMessage([models.ToolResult(call.id, "place_order", "text", "done")]),
        ],
        tools=[sample.module("tools").DEFINITIONS["place_order"]],
        tool_choice=models.NamedToolChoice("place_order") if names_tools(provider) else None,
    )
    body = module.to_request(request)
    assert [seen_call.name for seen_call in WIRES[provider].calls(body)] == [wire_name(provider)]
    # Results have the name, too, on some wires.
    assert str(body).count(wire_name(provider)) >= 2 + names_tools(provider)
    assert "place_order" not in str(body)
    assert module.from_request(body).messages == request.messages
    assert module.from_request(body).tool_choice == request.tool_choice


AWKWARD = [
    "a" * 65,
    "a" * 66,
    "with.dot",
    "with_dot",
    "with dot",
    "é",
    "",
    "1",
    "x" * 64,
    "with-dot",
    "\n",
    "工具",
    "工",
    "get weather",
]


@each_provider
def test_names_are_renamed_one_to_one(sample: Package, models: Any, provider: str) -> None:
    module, facts = sample.provider(provider), profile(provider)["names"]
    heard: list[Any] = []
    definitions = [models.ToolDefinition(name) for name in AWKWARD]
    wire = module.to_tools(definitions, on_loss=heard.append)
    assert wire == module.to_tools(definitions, on_loss=lambda loss: None)
    written = [t.name for t in module.from_tools(wire)]
    assert len(set(written)) == len(AWKWARD)
    assert [n for n in written if not re.fullmatch(facts["pattern"], n)] == []
    changed = [name for name, spelling in zip(AWKWARD, written, strict=True) if name != spelling]
    assert [name for name in changed if re.fullmatch(facts["pattern"], name)] == []
    assert len([loss for loss in heard if loss.action == "rewritten"]) == len(changed)


IDS = ["call_a", "x" * 40, "x" * 41, "x" * 500, "x" * 501, "é", "call a", "call_a\n", "a|b", "toolu_01", "工具" * 30]


@each_with_conversations
def test_ids_are_renamed_one_to_one_and_pairs_stay(sample: Package, models: Any, provider: str) -> None:
    module, wire = sample.provider(provider), WIRES[provider]
    calls = [models.ToolCall(identifier, "now", {"i": i}) for i, identifier in enumerate(IDS)]
    results = [models.ToolResult(c.id, "now", "text", str(i)) for i, c in enumerate(calls)]
    request = models.Request(
        [
            models.UserMessage("Hello"),
            models.AssistantMessage([models.ToolCallPart(call) for call in calls]),
            models.ToolMessage(results),
        ]
    )
    body = laws.write(sample, provider, request)
    spelled = [seen_call.id for seen_call in wire.calls(body)]
    assert len(set(spelled)) == len(IDS)
    assert [s for s in spelled if not re.fullmatch(profile(provider)["ids"]["pattern"], s, re.DOTALL)] == []
    assert [seen_result.id for seen_result in wire.results(body)] == spelled
    values = [
        seen_result.value if isinstance(seen_result.value, str) else seen_result.value["output"]
        for seen_result in wire.results(body)
    ]
    assert values == [str(i) for i in range(len(IDS))]
    assert wire.order_faults(body) == []
    assert body == laws.write(sample, provider, request)
    assert module.from_request(body).messages[2].results[0].name == "now"


@each_with_conversations
def test_ids_that_repeat_from_turn_to_turn_are_told_apart(sample: Package, models: Any, provider: str) -> None:
    module, wire = sample.provider(provider), WIRES[provider]
    turn = [
        models.AssistantMessage([models.ToolCallPart(models.ToolCall("call_0", "now", {}))]),
        models.ToolMessage([models.ToolResult("call_0", "now", "text", "x")]),
    ]
    body = laws.write(sample, provider, models.Request([models.UserMessage("Hello"), *turn, *turn]))
    request = module.from_request(body)
    calls = [m.content[0].call for m in request.messages if type(m) is models.AssistantMessage]
    results = [m.results[0] for m in request.messages if type(m) is models.ToolMessage]
    assert len({call.id for call in calls}) == 2
    assert [result.tool_call_id for result in results] == [call.id for call in calls]
    assert laws.exact(module.to_request(request)) == laws.exact(body)
    assert [seen_call.id for seen_call in wire.calls(body)] == [spelled(provider, "call_0")] * 2


@over("schema", [True, False])
@each_provider
def test_results_of_any_value_or_of_none_are_offered(sample: Package, models: Any, provider: str, schema: bool) -> None:
    module = sample.provider(provider)
    reported: list[Any] = []
    wire = module.to_tools([models.ToolDefinition("probe", "A probe.", result=schema)], on_loss=reported.append)
    json.dumps(wire, allow_nan=False)
    (read,) = module.from_tools(wire)
    assert read.name == "probe"
    assert read.result is None or read.result == schema or reported


@over("parameters", [None, {}])
@each_provider
def test_a_schema_that_only_the_api_requires_is_reported_where_there_was_none(
    sample: Package, models: Any, provider: str, parameters: dict[str, Any] | None
) -> None:
    module, losses = sample.provider(provider), []
    definition = models.ToolDefinition("probe", "A probe.", parameters)
    (read,) = module.from_tools(module.to_tools([definition], on_loss=losses.append))
    reported = [(loss.path, loss.action, loss.severity) for loss in losses]
    was_none = parameters is None and read.parameters is not None
    assert reported[:1] == ([("[0].parameters", "defaulted", "note")] if was_none else [])
