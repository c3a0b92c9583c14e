"""Streams on every wire: iterators, faults of the source, views of what is still coming, and the cost of a chunk."""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from tests.providers import laws
from tests.support.every_row import grouped, over
from tests.support.exchanges import Exchanges
from tests.support.generated import Package
from tests.support.recorded import STREAMS
from tests.support.repository import having, table
from tests.support.responses import response_of
from tests.support.wires import WIRES

each_provider = pytest.mark.parametrize("provider", having("stream"))
each_stream = grouped("provider, events", STREAMS)


class Broken(Exception):
    """What a source raises here."""


def breaking(events: list[Any], at: int) -> Iterator[Any]:
    yield from events[:at]
    raise Broken("reset by peer")


async def slowly(source: Iterator[Any]) -> AsyncIterator[Any]:
    for event in source:
        await asyncio.sleep(0)
        yield event


def has_failed(sample: Package, provider: str, events: list[Any]) -> bool:
    """Whether a stream tells an error of its own."""
    return any(type(e).__name__ == "ErrorEvent" for e in laws.played(sample, provider, events)[1])


def collected(module: Any, source: Iterator[Any], **options: Any) -> list[Any]:
    async def run() -> list[Any]:
        return [event async for event in module.aiter_events(slowly(source), **options)]

    return asyncio.run(run())


@each_stream
def test_both_iterators_tell_what_feed_tells(sample: Package, provider: str, events: list[Any]) -> None:
    module = sample.provider(provider)
    completion, emitted = laws.played(sample, provider, events)
    assert list(module.iter_events(iter(events))) == emitted
    assert collected(module, iter(events)) == emitted
    only = list(module.iter_events(iter(events), text_only=True))
    assert {type(e).__name__ for e in only} <= {"TextDelta"}
    assert "".join(e.text for e in only) == laws.joined(completion, "TextPart")
    assert collected(module, iter(events), text_only=True) == only


@each_stream
def test_a_source_that_raises_ends_with_an_error(sample: Package, provider: str, events: list[Any]) -> None:
    module = sample.provider(provider)
    for at in {0, 1, len(events) // 2, len(events)}:
        for emitted in (
            list(module.iter_events(breaking(events, at))),
            collected(module, breaking(events, at)),
        ):
            assert [type(e).__name__ for e in emitted[-2:]] == ["ErrorEvent", "CompletedEvent"]
            assert "Broken" in emitted[-2].message or (at == len(events) and has_failed(sample, provider, events))
            assert emitted[-1].completion.finish_reason in ("error", "content_filter")
            assert [c for c in laws.calls_of(sample, emitted[-1].completion) if c.invalid is None] == []
        only = list(module.iter_events(breaking(events, at), text_only=True))
        assert {type(e).__name__ for e in only} <= {"TextDelta"}


@each_provider
def test_leaving_an_iterator_early_is_no_fault_of_the_source(sample: Package, provider: str) -> None:
    closed = []

    def source() -> Iterator[Any]:
        try:
            yield from WIRES[provider].split(response_of(provider, calls=True))
        finally:
            closed.append(True)

    iterator = sample.provider(provider).iter_events(source())
    next(iterator)
    iterator.close()
    del iterator
    assert closed == [True]


@each_provider
def test_cancelling_is_not_swallowed(sample: Package, provider: str) -> None:
    async def run() -> None:
        async def source() -> AsyncIterator[Any]:
            raise asyncio.CancelledError
            yield {}

        async for _ in sample.provider(provider).aiter_events(source()):
            pass

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run())


@each_provider
def test_a_stream_without_events_broke_off(sample: Package, provider: str) -> None:
    completion, emitted = laws.played(sample, provider, [])
    assert [type(e).__name__ for e in emitted] == ["ErrorEvent", "CompletedEvent"]
    assert completion.finish_reason == "error"
    assert not completion.message.content


@each_provider
def test_what_is_no_event_is_refused(sample: Package, models: Any, provider: str) -> None:
    stream = sample.provider(provider).Stream()
    texts = table(provider).get("text_events", False)
    for event in (None, 7, [1], *([] if texts else ["data: x"])):
        with pytest.raises(models.ConversionError):
            stream.feed(event)
    assert [type(e).__name__ for e in stream.finish()] == ["ErrorEvent", "CompletedEvent"]


ARGUMENTS = {"city": 'Tōkyō "quoted" \\ 🌍', "days": [1, 2.5, None, {"deep": [True]}], "note": ""}


@each_provider
def test_arguments_can_be_read_while_they_come(sample: Package, models: Any, provider: str) -> None:
    module = sample.provider(provider)
    call = models.ToolCall("call_1", "now", ARGUMENTS)
    message = models.AssistantMessage([models.ToolCallPart(call)])
    events = WIRES[provider].split(module.to_response(models.Completion(message, "tool_calls"), id="i"))
    stream, views = module.Stream(), []
    assert stream.partial_arguments(0) == {}
    for event in events:
        stream.feed(event)
        views.append(stream.partial_arguments(0))
        assert stream.partial_arguments(1) == stream.partial_arguments(-1) == {}
        assert set(views[-1]) <= set(ARGUMENTS)
        assert ARGUMENTS["city"].startswith(views[-1].get("city", ""))
    stream.finish()
    assert laws.calls_of(sample, stream.result())[0].arguments == ARGUMENTS
    assert views[-1].get("city") == ARGUMENTS["city"]


def index_of_call(event: Any) -> int | None:
    """The index by which an event names the call that it belongs to: that of the innermost list of calls, or its own."""
    if isinstance(event, list):
        return next((index for index in map(index_of_call, event) if index is not None), None)
    if not isinstance(event, dict):
        return None
    for key in ("choices", "delta", "tool_calls", "contentBlockStart", "contentBlockDelta", "contentBlockStop"):
        index = index_of_call(event.get(key))
        if index is not None:
            return index
    index = event.get("contentBlockIndex", event.get("output_index", event.get("index")))
    return index if isinstance(index, int) and "choices" not in event and "finish_reason" not in event else None


WHOLE_CALLS = {"gemini", "vertex", "ollama", "mistral", "modular_prompt"}
"""The providers whose writers send each call whole."""


@over("seed", list(range(6)))
@pytest.mark.parametrize("provider", [p for p in having("stream") if p not in WHOLE_CALLS])
def test_fragments_of_parallel_calls_stay_in_their_calls(
    sample: Package, models: Any, provider: str, seed: int
) -> None:
    """The events of three calls, each with many fragments, come mixed."""
    module, random_ = sample.provider(provider), random.Random(seed)
    calls = [models.ToolCall(f"call0000{i}", "get_weather", {"city": f"c{i}" * 9}) for i in range(3)]
    writer = module.StreamWriter(id="a", created=1)
    events: list[Any] = []
    for i, call in enumerate(calls):
        text = json.dumps(call.arguments, separators=(",", ":"))
        events += writer.write(models.ToolCallDelta(i, call.id, call.name, text[:2]))
        for character in text[2:]:
            events += writer.write(models.ToolCallDelta(i, arguments_delta=character))
    message = models.AssistantMessage([models.ToolCallPart(call) for call in calls])
    events += writer.write(models.CompletedEvent(models.Completion(message, "tool_calls")))
    by_index = [[event for event in events if index_of_call(event) == index] for index in range(5)]
    lanes = [lane for lane in by_index if lane]
    assert [len(lane) > 20 for lane in lanes] == [True] * 3
    before = events[: events.index(lanes[0][0])]
    after = events[events.index(lanes[-1][-1]) + 1 :]
    mixed = []
    while any(lanes):
        mixed.append(random_.choice([lane for lane in lanes if lane]).pop(0))
    completion, _ = laws.played(sample, provider, [*before, *mixed, *after])
    read = [(call.id, call.arguments, call.invalid) for call in laws.calls_of(sample, completion)]
    assert sorted(read) == [(call.id, call.arguments, None) for call in calls]


@each_provider
def test_a_result_may_be_asked_for_at_any_time(sample: Package, provider: str) -> None:
    """It changes nothing, and its calls cannot be run before the end."""
    events = WIRES[provider].split(response_of(provider, calls=True, stop=table(provider)["finish_reasons"][0][0]))
    stream, emitted = sample.provider(provider).Stream(), []
    for event in events:
        emitted += stream.feed(event)
        before = stream.result()
        assert stream.result() == before
        ended = WIRES[provider].read_stream(events[: events.index(event) + 1]).stop is not None
        assert ended or [c for c in laws.calls_of(sample, before) if c.invalid is None] == []
    emitted += stream.finish()
    assert [type(e).__name__ for e in emitted].count("ToolCallEvent") == 2
    assert emitted == laws.played(sample, provider, events)[1]


def steps(action: Any) -> int:
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


@pytest.mark.safety("7.5")
@each_provider
def test_a_chunk_costs_the_same_however_much_came_before(sample: Package, models: Any, provider: str) -> None:
    """By lines that run, not by the clock: text, and arguments of a call."""
    module = sample.provider(provider)

    def stream_events(count: int) -> list[list[Any]]:
        text = models.AssistantMessage([models.TextPart("seven c" * count)])
        call = models.ToolCall("call_1", "now", {"text": "seven c" * count})
        calling = models.AssistantMessage([models.ToolCallPart(call)])
        return [
            WIRES[provider].split(module.to_response(models.Completion(message, "stop"), id="i"))
            for message in (text, calling)
        ]

    def cost(events: list[Any]) -> int:
        stream = module.Stream()

        def feed() -> None:
            for event in events:
                stream.feed(event)

        return steps(feed)

    for few, many in zip(stream_events(500), stream_events(2000), strict=True):
        assert cost(many) <= 4.5 * cost(few)


@each_provider
def test_a_writer_that_is_ended_early_says_so(sample: Package, models: Any, provider: str) -> None:
    module = sample.provider(provider)
    writer = module.StreamWriter(id="an-id", created=7)
    wires = writer.write(models.TextDelta("Hal"))
    wires += writer.finish()
    completion, emitted = laws.played(sample, provider, wires)
    assert laws.joined(completion, "TextPart") == "Hal"
    assert [type(e).__name__ for e in emitted[-2:]] == ["ErrorEvent", "CompletedEvent"]
    assert completion.finish_reason == "error"
    with pytest.raises(TypeError):
        module.StreamWriter().write("text")


@over("word", [None, "some_other_word"])
@each_provider
def test_an_end_of_another_kind_is_no_failure(sample: Package, models: Any, provider: str, word: str | None) -> None:
    """It comes back as `other`, or is reported."""
    losses: list[Any] = []
    writer = sample.provider(provider).StreamWriter(id="an-id", created=7, on_loss=losses.append)
    message = models.AssistantMessage([models.TextPart("Hi")])
    wires = writer.write(models.TextDelta("Hi"))
    wires += writer.write(models.CompletedEvent(models.Completion(message, "other", stop_reason=word)))
    completion, emitted = laws.played(sample, provider, wires + writer.finish())
    assert "ErrorEvent" not in [type(event).__name__ for event in emitted]
    if completion.finish_reason != "other":
        assert completion.finish_reason == "stop"
        assert [loss.path for loss in losses if loss.severity != "note"] == ["finishReason"]


@pytest.mark.parametrize("provider", [p for p in having("sdk") if p in having("stream")])
def test_what_a_writer_sends_is_what_the_client_reads(
    exchanges: Exchanges, sample: Package, models: Any, provider: str
) -> None:
    """Text and calls through the official client: its objects are read as the response that was written."""
    module, wire = sample.provider(provider), WIRES[provider]
    body = response_of(provider, calls=True, stop=table(provider)["finish_reasons"][0][0])
    _, emitted = laws.played(sample, provider, wire.split(body))
    sent = laws.written(sample, provider, emitted, id="an-id", created=7)
    completion_seen = list(module.iter_events(exchanges.streamed(provider, sent)))[-1].completion
    expected = laws.completion_of(sample, provider, body)
    assert laws.outline(sample, completion_seen) == laws.outline(sample, expected)
    assert json.dumps(sent) == json.dumps(laws.written(sample, provider, emitted, id="an-id", created=7))
