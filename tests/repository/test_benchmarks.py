"""Both sides of a benchmark do the same work, or its ratio would mean nothing."""

from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.generated import Package
from tests.support.repository import ROOT

BENCHMARKS = ROOT / "benchmarks"
WIRES = sorted(f.stem for f in (BENCHMARKS / "wires").glob("*.py"))
each_wire = pytest.mark.parametrize("name", WIRES)


@pytest.fixture(autouse=True)
def _on_the_path(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield
    for name in [
        n
        for n in sys.modules
        if n.split(".")[0] in ("wires", "plain", "conversation", "floor", "run", "running", "felt")
    ]:
        file = getattr(sys.modules[name], "__file__", None)
        if file and Path(file).is_relative_to(BENCHMARKS):
            del sys.modules[name]


def wire_of(name: str) -> Any:
    return importlib.import_module(f"wires.{name}")


class Summary(NamedTuple):
    """What a response says: its text, id, name and arguments of each call, and its input and output tokens."""

    text: str
    calls: list[tuple[Any, ...]]
    tokens: tuple[int, int]


def summary(models: Any, completion: Any) -> Summary:
    """The summary of a completion of ours."""
    content = completion.message.content
    parts = [models.TextPart(text=content)] if isinstance(content, str) else content
    calls = [p.call for p in parts if isinstance(p, models.ToolCallPart)]
    text = "".join(p.text for p in parts if isinstance(p, models.TextPart))
    usage = completion.usage
    tokens = (usage.input_tokens, usage.output_tokens)
    return Summary(text, [(c.id, c.name, c.arguments) for c in calls], tokens)


def summary_by_hand(completion: Any) -> Summary:
    calls = [(p.id, p.name, p.arguments) for p in completion.parts if not isinstance(p, str)]
    text = "".join(p for p in completion.parts if isinstance(p, str))
    return Summary(text, calls, (completion.usage.input, completion.usage.output))


@each_wire
def test_the_same_messages_are_sent(sample: Package, models: Any, name: str) -> None:
    conversation = importlib.import_module("conversation").conversation()
    ours = sample.provider(name).to_messages([models.load(models.Message, m) for m in conversation])
    theirs = wire_of(name).messages_out(importlib.import_module("plain").neutral(conversation))
    assert len(ours) == len(theirs) > 20
    assert ours == theirs


@each_wire
def test_the_same_response_is_read(sample: Package, models: Any, name: str) -> None:
    wire = wire_of(name)
    ours = summary(models, sample.provider(name).from_response(wire.response()))
    assert ours == summary_by_hand(wire.response_in(wire.response()))
    assert len(ours.calls) == 3


@each_wire
def test_the_same_stream_is_read(sample: Package, models: Any, name: str) -> None:
    wire = wire_of(name)
    ours, theirs = sample.provider(name).Stream(), wire.Stream()
    emitted: list[list[Any]] = [[], []]
    for event in wire.events(200):
        emitted[0] += [e for e in ours.feed(event) if type(e).__name__ != "ToolCallEvent"]
        emitted[1] += theirs.feed(event)
    ours.finish()
    assert summary(models, ours.result()) == summary_by_hand(theirs.finish())
    assert len(emitted[0]) == len(emitted[1]) > 30


@each_wire
def test_the_floor_makes_the_whole_response(sample: Package, name: str) -> None:
    floor = importlib.import_module("floor")
    completion = sample.provider(name).from_response(wire_of(name).response())
    copy = floor.constructors(completion)(None)
    assert copy == completion
    assert copy is not completion
    assert copy.message.content[1] is not completion.message.content[1]


def test_the_floor_of_messages_is_that_of_wires_with_objects(sample: Package, models: Any) -> None:
    floor = importlib.import_module("floor")
    names = [name for name in WIRES if floor.takes_objects(sample.provider(name), models)]
    assert names == ["anthropic", "bedrock", "gemini", "ollama"]


def test_every_case_runs(sample: Package) -> None:
    run = importlib.import_module("run")
    cases = run.cases(sample.name)
    assert len(cases) > 60
    for case in cases:
        ours, theirs = case.fresh()
        case.ours(ours)
        case.theirs(theirs)


def test_both_gateways_get_the_same_request(sample: Package, models: Any) -> None:
    load = importlib.import_module("felt.load")
    requests = [
        sample.provider(name).from_request(load.BODIES[api][1])
        for api, name in (("chat", "openai_chat"), ("messages", "anthropic"))
    ]
    calls = [
        [(part.call.name, part.call.arguments) for message in request.messages for part in tool_calls(models, message)]
        for request in requests
    ]
    assert calls[0] == calls[1] == [(name, arguments) for name, arguments, _ in load.CALLS]
    assert requests[0].tools == requests[1].tools
    assert len(requests[0].messages) == 10


def tool_calls(models: Any, message: Any) -> list[Any]:
    content = message.content if isinstance(message, models.AssistantMessage) else []
    return [] if isinstance(content, str) else [part for part in content if isinstance(part, models.ToolCallPart)]


def test_by_hand_and_by_dispatch_a_call_has_the_same_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    running = importlib.import_module("running")
    name = running.built(tmp_path, 3)
    monkeypatch.syspath_prepend(str(tmp_path))
    for case in running.dispatch_cases(name, 3):
        sides = zip((case.ours, case.theirs), case.later, strict=True)
        ours, theirs = [asyncio.run(side()) if later else side() for side, later in sides]
        assert ours == theirs
        assert (ours.kind, ours.value) == ("data", running.FOUND)
    case = running.event_case(name)
    assert case.ours() == asyncio.run(case.theirs()) > running.EVENTS
    for module in [key for key in sys.modules if key.split(".")[0] == name]:
        monkeypatch.delitem(sys.modules, module)
