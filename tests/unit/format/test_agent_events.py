"""The events of an agent's run: which there are, what they need, how they are told apart."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.support.repository import SCHEMAS

EVENTS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "text": ("AgentText", {"content": "Hi", "timestamp": 1700000000000.5}, {}),
    "reasoning": ("AgentReasoning", {"content": "Hm", "timestamp": 1700000000000}, {}),
    "step_start": ("AgentStepStart", {"stepId": "s1", "title": "Look", "stepNumber": 1}, {}),
    "agent_tool_call": (
        "AgentToolCall",
        {"tool": "now", "args": {"a": [1, None]}, "toolCallId": "c1"},
        {"displayName": "Clock"},
    ),
    "tool_result": (
        "AgentToolResult",
        {"tool": "now", "result": "noon", "toolCallId": "c1"},
        {"isError": True, "screenshotBase64": "AA=="},
    ),
    "step_complete": ("AgentStepComplete", {"stepId": "s1", "status": "completed", "durationMs": 12}, {}),
    "hidden_user_message": ("AgentHiddenUserMessage", {"content": "Go on."}, {}),
    "final": ("AgentFinal", {"content": "Done."}, {}),
}
"""By tag: the type, the fields that it needs, and those that it may have."""


@pytest.mark.parametrize("tag", EVENTS)
def test_the_tag_says_which_event_it_is(models: Any, tag: str) -> None:
    name, needed, free = EVENTS[tag]
    for members in ({"type": tag, **needed}, {"type": tag, **needed, **free}):
        event = models.load(models.AgentEvent, members)
        assert type(event).__name__ == name
        assert models.dump(event) == members


@pytest.mark.parametrize("tag", EVENTS)
def test_an_event_needs_its_fields_and_their_types(models: Any, tag: str) -> None:
    _, needed, free = EVENTS[tag]
    for field in needed:
        with pytest.raises(models.ConversionError, match=field):
            models.load(models.AgentEvent, {"type": tag, **{k: v for k, v in needed.items() if k != field}})
    for field in {**needed, **free}:
        with pytest.raises(models.ConversionError, match=field):
            models.load(models.AgentEvent, {"type": tag, **needed, field: {1}})


def test_units_of_time_are_stated() -> None:
    types = yaml.safe_load((SCHEMAS / "format" / "agent.yaml").read_text("utf-8"))["$defs"]
    fields = {name: field for definition in types.values() for name, field in definition.get("properties", {}).items()}
    assert set(types["AgentText"]["properties"]) == set(types["AgentReasoning"]["properties"])
    assert set(types["AgentText"]["properties"]) == {"type", "content", "timestamp"}
    assert [n for n in ("timestamp", "durationMs") if "milliseconds" not in fields[n]["description"]] == []


def test_an_unknown_event_is_named(models: Any) -> None:
    with pytest.raises(models.ConversionError, match="'nap'"):
        models.load(models.AgentEvent, {"type": "nap", "content": "x"})


@pytest.mark.parametrize(("status", "legal"), [("completed", True), ("error", True), ("skipped", False), ("", False)])
def test_a_step_ends_in_one_of_two_ways(models: Any, status: str, legal: bool) -> None:
    members = {"type": "step_complete", "stepId": "s1", "status": status, "durationMs": 12}
    if legal:
        assert models.load(models.AgentEvent, members).status == status
        return
    with pytest.raises(models.ConversionError, match="status"):
        models.load(models.AgentEvent, members)


@pytest.mark.parametrize("tag", EVENTS)
def test_pydantic_tells_events_apart_as_load_does(models: Any, tag: str) -> None:
    from pydantic import TypeAdapter, ValidationError

    adapter = TypeAdapter(models.AgentEvent)
    members = {"type": tag, **EVENTS[tag][1]}
    assert adapter.validate_python(members) == models.load(models.AgentEvent, members)
    with pytest.raises(ValidationError):
        adapter.validate_python({**members, "type": "nap"})
