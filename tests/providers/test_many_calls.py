"""Streams of many calls: the work grows as the number of calls does, reading and writing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.every_row import over
from tests.support.generated import Package
from tests.support.repository import OWN_CODE


def steps(action: Callable[[], Any]) -> int:
    """How many lines of Python an action runs."""
    count = 0

    def trace(frame: Any, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        action()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("provider", OWN_CODE)
def test_many_calls_cost_what_their_number_costs(sample: Package, models: Any, provider: str) -> None:
    module = sample.provider(provider)

    def written(number: int) -> list[Any]:
        writer, events = module.StreamWriter(id="one", created=1), []
        calls = [models.ToolCall(f"c{i}abcdefg", "now", {"i": i}) for i in range(number)]
        for i, call in enumerate(calls):
            events += writer.write(models.ToolCallDelta(i, call.id, call.name))
            events += writer.write(models.ToolCallDelta(i, None, None, f'{{"i":{i}}}'))
        message = models.AssistantMessage([models.ToolCallPart(call) for call in calls])
        events += writer.write(models.CompletedEvent(models.Completion(message, "tool_calls")))
        return events + writer.finish()

    def read(events: list[Any]) -> int:
        stream = module.Stream()
        for event in events:
            stream.feed(event)
        stream.finish()
        return len(stream.result().message.content)

    few, many = written(50), written(200)
    assert (read(few), read(many)) == (50, 200)
    assert steps(lambda: written(200)) < 4.6 * steps(lambda: written(50))
    assert steps(lambda: read(many)) < 4.6 * steps(lambda: read(few))


LATE = [(None, None, '{"a"'), ("c1abcdefg", None, ":"), (None, "now", "1"), (None, None, "}")]
REPEATED = [("c1abcdefg", "now", '{"a"'), ("c1abcdefg", "now", ":1"), ("c1abcdefg", None, "}")]


@over("pieces", [LATE, REPEATED])
@pytest.mark.parametrize("provider", OWN_CODE)
def test_a_call_has_its_name_once_and_all_its_arguments(
    sample: Package, models: Any, provider: str, pieces: list[tuple[str | None, str | None, str]]
) -> None:
    module = sample.provider(provider)
    call = models.ToolCall("c1abcdefg", "now", {"a": 1})
    message = models.AssistantMessage([models.ToolCallPart(call)])
    writer, stream = module.StreamWriter(id="one", created=1), module.Stream()
    events = [models.ToolCallDelta(0, *piece) for piece in pieces]
    completed = models.CompletedEvent(models.Completion(message, "tool_calls"))
    emitted: list[Any] = []
    for wire in [wire for event in [*events, completed] for wire in writer.write(event)] + writer.finish():
        emitted += stream.feed(wire)
    emitted += stream.finish()
    (call_read,) = [part.call for part in stream.result().message.content]
    assert (call_read.name, call_read.arguments, call_read.invalid) == ("now", {"a": 1}, None)
    deltas = [
        event.arguments_delta for event in emitted if type(event) is models.ToolCallDelta and event.arguments_delta
    ]
    assert "".join(deltas) in ('{"a":1}', "")
