"""Declared tools on every wire, by the names that the wires have for them: nobody has to give them to a converter."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.generated import Package, compiled, write_project
from tests.support.repository import CONVERSING, PROFILES

NAMES = ("a-b", "1st", "_c", "d" * 64, "-")
"""Names that a declaration may have, each of which some wire refuses."""
KEPT = "kept-here"
"""A tool that no provider may get, but that histories have calls of."""
TOOLS: tuple[dict[str, Any], ...] = (
    *({"name": name, "description": "A tool.", "parameters": {"type": "object", "properties": {}}} for name in NAMES),
    {"name": KEPT, "description": "A tool.", "unsupported": list(PROFILES)},
)

each_name = pytest.mark.parametrize("name", [*NAMES, KEPT])


@pytest.fixture(scope="module")
def declared(tmp_path_factory: pytest.TempPathFactory) -> Package:
    folder = tmp_path_factory.mktemp("declared")
    return Package(compiled(write_project(folder, TOOLS, {})), folder)


@each_name
@pytest.mark.parametrize("provider", CONVERSING)
def test_a_history_has_a_declared_tools_own_name(declared: Package, provider: str, name: str) -> None:
    module, models, losses = declared.provider(provider), declared.module("models"), []
    request = models.Request(
        [
            models.UserMessage("Go."),
            models.AssistantMessage([models.ToolCallPart(models.ToolCall("toolu_abc", name, {}))]),
            models.ToolMessage([models.ToolResult("toolu_abc", name, "text", "done")]),
        ],
        max_output_tokens=9,
    )
    body = json.loads(json.dumps(module.to_request(request, on_loss=losses.append)))
    _, asked, answered = module.from_request(body).messages
    assert (asked.content[0].call.name, answered.results[0].name) == (name, name)
    assert [loss.what for loss in losses if loss.what == "a tool's name"] == []


@each_name
@pytest.mark.parametrize("provider", PROFILES)
def test_a_model_calls_a_declared_tool_by_its_name_on_the_wire(declared: Package, provider: str, name: str) -> None:
    module, models = declared.provider(provider), declared.module("models")
    if not hasattr(module, "to_response"):
        wire = json.loads(json.dumps(module.to_tool_call(models.ToolCall("call_a", name, {}))))
        assert [call.name for call in module.from_tool_calls([wire])] == [name]
        return
    message = models.AssistantMessage([models.ToolCallPart(models.ToolCall("call_a", name, {}))])
    answer = models.Completion(message, "tool_calls", "r", "m", usage=models.Usage(1, 1, 2))
    body = json.loads(json.dumps(module.to_response(answer, on_loss=lambda loss: None)))
    assert [call.name for call in module.from_tool_calls(body)] == [name]
    if not hasattr(module, "StreamWriter"):
        return
    writer, stream = module.StreamWriter(), module.Stream()
    events = [*writer.write(models.CompletedEvent(answer)), *writer.finish()]
    told = [event for piece in json.loads(json.dumps(events)) for event in stream.feed(piece)] + stream.finish()
    names = {
        (event.call.name if event.type == "tool_call" else event.name)
        for event in told
        if event.type in ("tool_call", "tool_call_delta")
    }
    assert names - {None} == {name}
    assert [part.call.name for part in stream.result().message.content] == [name]
