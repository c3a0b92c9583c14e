"""The events of an agent's run, on the wires that have them: snake_case there, and the same events."""

from __future__ import annotations

from typing import Any

import pytest

from tests.providers import laws
from tests.support.generated import Package
from tests.support.repository import PROFILES, profile

PROVIDERS_WITH_EVENTS = [name for name in PROFILES if "agent_events" in profile(name)]
each_provider = pytest.mark.parametrize("provider", PROVIDERS_WITH_EVENTS)

EVENTS: list[Any] = [
    {"type": "text", "content": "Hi", "timestamp": 1700000000000},
    {"type": "reasoning", "content": "Hm", "timestamp": 1700000000000.5},
    {"type": "step_start", "step_id": "s1", "title": "Look", "step_number": 1},
    {"type": "tool_call", "tool": "now", "args": {"a": [1, None]}, "tool_call_id": "c1"},
    {"type": "tool_call", "tool": "now", "args": {}, "tool_call_id": "c1", "display_name": "Clock"},
    {"type": "tool_result", "tool": "now", "result": "noon", "tool_call_id": "c1"},
    {
        "type": "tool_result",
        "tool": "t",
        "result": "",
        "tool_call_id": "c",
        "is_error": False,
        "screenshot_base64": "AA==",
    },
    {"type": "tool_result", "tool": "t", "result": "gone", "tool_call_id": "c", "is_error": True},
    {"type": "step_complete", "step_id": "s1", "status": "completed", "duration_ms": 12},
    {"type": "step_complete", "step_id": "s1", "status": "error", "duration_ms": 0.5},
    {"type": "hidden_user_message", "content": "Go on."},
    {"type": "final", "content": "Done."},
]
each_event = pytest.mark.parametrize("wire", [pytest.param(e, id=f"{i}-{e['type']}") for i, e in enumerate(EVENTS)])


@each_event
@each_provider
def test_an_event_comes_back(sample: Package, models: Any, provider: str, wire: Any) -> None:
    module = sample.provider(provider)
    event = module.from_agent_event(wire)
    assert event == models.load(models.AgentEvent, models.dump(event))
    assert laws.exact(module.to_agent_event(event)) == laws.exact(wire)
    assert next(iter(module.to_agent_event(event))) == "type"


@each_event
@each_provider
def test_a_later_member_is_left_out_and_reported(sample: Package, provider: str, wire: Any) -> None:
    module, losses = sample.provider(provider), []
    event = module.from_agent_event({**wire, "meta": {"a": 1}}, on_loss=losses.append)
    assert event == module.from_agent_event(wire)
    assert [(loss.path, loss.action, loss.severity) for loss in losses] == [("meta", "dropped", "note")]


@each_provider
def test_null_is_no_screenshot(sample: Package, provider: str) -> None:
    module = sample.provider(provider)
    wire = {"type": "tool_result", "tool": "t", "result": "r", "tool_call_id": "c"}
    assert module.from_agent_event({**wire, "screenshot_base64": None}) == module.from_agent_event(wire)


@pytest.mark.parametrize(
    "wire", [None, [], "text", {}, {"type": None}, {"type": ["text"]}, {"type": "nap", "content": "x"}]
)
@each_provider
def test_what_is_no_event_is_refused(sample: Package, models: Any, provider: str, wire: Any) -> None:
    with pytest.raises(models.ConversionError):
        sample.provider(provider).from_agent_event(wire)


@each_event
@each_provider
def test_a_member_that_is_missing_or_of_another_type_is_named(
    sample: Package, models: Any, provider: str, wire: Any
) -> None:
    module = sample.provider(provider)
    free = {"type", "display_name", "is_error", "screenshot_base64"}
    for key in wire.keys() - free:
        with pytest.raises(models.ConversionError, match=key):
            module.from_agent_event({k: v for k, v in wire.items() if k != key})
    for key in wire.keys() - {"type"}:
        with pytest.raises(models.ConversionError, match=key):
            module.from_agent_event({**wire, key: {1}})
