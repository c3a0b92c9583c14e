"""Streams of OpenAI's Responses as hosts really send them: out of date, in one piece, without ids, broken off."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from tests.apis.openai_responses.items import CALL, CUSTOM, OUTPUT, SEARCH, response
from tests.providers import laws
from tests.support.every_row import over
from tests.support.generated import Package
from tests.support.wires import WIRES

PROVIDER = "openai_responses"

CALLS = [
    {"type": "function_call", "id": f"fc_{i}", "call_id": f"call_{i}", "name": name, "arguments": arguments}
    for i, (name, arguments) in enumerate([("now", '{"a":1}'), ("now", '{"a":2}'), ("get_weather", '{"city":"Oslo"}')])
]


def events(*items: Any, **members: Any) -> list[Any]:
    return list(WIRES[PROVIDER].split(response(*items, **members)))


def kind_of(event: Any) -> str:
    return str(event["type"]).removeprefix("response.")


def played(sample: Package, wire_events: list[Any]) -> Any:
    """The result of a stream whose deltas add up to it."""
    completion, emitted = laws.played(sample, PROVIDER, wire_events)
    laws.adds_up(sample, completion, emitted)
    return completion


def same(sample: Package, wire_events: list[Any], *items: Any) -> None:
    """The stream says what the whole response says."""
    models = sample.module("models")
    expected = laws.completion_of(sample, PROVIDER, response(*items))
    assert laws.exact(models.dump(played(sample, wire_events))) == laws.exact(models.dump(expected))


def last_alone(output: list[Any] | None) -> dict[str, Any]:
    """The last event with no more than what items did not say."""
    whole = {k: v for k, v in response().items() if k != "output"}
    return {"type": "response.completed", "response": whole if output is None else {**whole, "output": output}}


@pytest.mark.parametrize("output", [None, []])
def test_items_that_are_done_are_the_response_where_the_end_lacks_them(sample: Package, output: Any) -> None:
    same(sample, [*events(*OUTPUT)[:-1], last_alone(output)], *OUTPUT)


def test_items_that_are_done_stay_where_the_end_has_only_others(sample: Package) -> None:
    new = {"type": "x_new_item", "id": "x_1"}
    same(sample, [*events(*OUTPUT)[:-1], last_alone([new])], *OUTPUT, new)


@pytest.mark.parametrize(
    "sent_kinds",
    [
        ("completed",),
        ("created", "completed"),
        ("output_item.done", "completed"),
        ("output_item.added", "output_item.done", "completed"),
        ("output_text.done", "function_call_arguments.done", "output_item.added", "output_item.done", "completed"),
        ("output_item.added", "output_text.delta", "function_call_arguments.delta", "completed"),
        ("output_text.delta", "function_call_arguments.delta", "completed"),
    ],
)
def test_events_that_are_not_sent_are_made_good(sample: Package, sent_kinds: tuple[str, ...]) -> None:
    same(sample, [event for event in events(*OUTPUT) if kind_of(event) in sent_kinds], *OUTPUT)


def test_ids_of_items_may_change_from_event_to_event(sample: Package) -> None:
    wire_events = events(*OUTPUT)
    for i, event in enumerate(wire_events):
        if "item_id" in event:
            event["item_id"] = f"other_{i}"
    same(sample, wire_events, *OUTPUT)


def test_without_places_the_ids_of_items_decide(sample: Package) -> None:
    wire_events = [{k: v for k, v in event.items() if k != "output_index"} for event in events(*OUTPUT)]
    same(sample, wire_events, *OUTPUT)


@pytest.mark.parametrize("seed", range(10))
@over("numbered", [True, False])
def test_calls_that_come_side_by_side_stay_apart(sample: Package, seed: int, numbered: bool) -> None:
    """All begin in order; then their pieces come in any."""
    wire_events = events(*CALLS)
    begun = [e for e in wire_events if kind_of(e) in ("created", "in_progress", "output_item.added")]
    queues = [[e for e in wire_events if e.get("output_index") == i and e not in begun] for i in range(len(CALLS))]
    rng, mixed = random.Random(seed), []
    while any(queues):
        mixed.append(rng.choice([queue for queue in queues if queue]).pop(0))
    wire_events = [*begun, *mixed, wire_events[-1]]
    if not numbered:
        wire_events = [{k: v for k, v in event.items() if k != "output_index"} for event in wire_events]
    same(sample, wire_events, *CALLS)


def test_an_item_whose_beginning_was_lost_is_no_fault(sample: Package) -> None:
    for lost in range(len(events(*OUTPUT)) - 1):
        wire_events = events(*OUTPUT)
        del wire_events[lost]
        completion, _ = laws.played(sample, PROVIDER, wire_events)
        assert laws.bare(completion) == laws.bare(laws.completion_of(sample, PROVIDER, response(*OUTPUT)))
        laws.played(sample, PROVIDER, wire_events[:-1])


def test_a_call_that_was_cut_is_never_one_to_run(sample: Package) -> None:
    wire_events = events(*CALLS)
    for i in range(len(wire_events)):
        completion, emitted = laws.played(sample, PROVIDER, wire_events[:i])
        calls_read = laws.calls_of(sample, completion)
        assert [call for call in calls_read if call.invalid is None] == []
        assert {call.invalid.reason for call in calls_read} <= {"truncated"}
        assert "ToolCallEvent" not in [type(event).__name__ for event in emitted]
        ids = [event.id for event in emitted if type(event).__name__ == "ToolCallDelta" and event.id]
        assert ids == [call.id for call in calls_read]


def test_two_calls_of_one_id_are_two(sample: Package) -> None:
    completion = played(sample, events(CALLS[0], {**CALLS[1], "call_id": "call_0"}))
    first, second = laws.calls_of(sample, completion)
    assert (first.arguments, second.arguments) == ({"a": 1}, {"a": 2})
    assert first.id != second.id
    assert (first.invalid, second.invalid.reason) == (None, "duplicate_id")


def test_an_index_among_the_calls_counts_calls_alone(sample: Package) -> None:
    wire_events = events(*OUTPUT[:4], *CALLS)
    stream, emitted = sample.provider(PROVIDER).Stream(), []
    for event in wire_events:
        emitted += stream.feed(event)
    assert {e.index for e in emitted if type(e).__name__ == "ToolCallDelta"} == {0, 1, 2}
    assert stream.partial_arguments(2) == {"city": "Oslo"}


@pytest.mark.parametrize(
    "error",
    [
        {"type": "error", "code": "server_error", "message": "oops", "param": None, "sequence_number": 9},
        {"type": "error", "error": {"code": "server_error", "message": "oops"}},
        {"error": {"code": "server_error", "message": "oops"}},
        {"type": "response.failed", "response": {"error": {"code": "server_error", "message": "oops"}}},
    ],
)
def test_an_error_in_a_stream_is_told(sample: Package, error: Any) -> None:
    completion, emitted = laws.played(sample, PROVIDER, [*events(*CALLS)[:-1], error])
    assert [type(event).__name__ for event in emitted[-2:]] == ["ErrorEvent", "CompletedEvent"]
    assert emitted[-2].message == "oops"
    assert completion.finish_reason == "error"
    assert [call for call in laws.calls_of(sample, completion) if call.invalid is None] == []
    assert "oops" in laws.exact(completion.metadata)


def test_what_grows_in_opaque_items_is_there_when_a_stream_breaks(sample: Package) -> None:
    code = {"type": "code_interpreter_call", "id": "ci_1", "status": "in_progress", "code": None}
    at = {"output_index": 1}
    wire_events = [
        *events()[:2],
        {"type": "response.output_item.added", "output_index": 0, "item": {**CUSTOM, "input": ""}},
        {"type": "response.custom_tool_call_input.delta", "output_index": 0, "delta": "ls "},
        {"type": "response.custom_tool_call_input.delta", "output_index": 0, "delta": "-l"},
        {"type": "response.output_item.added", **at, "item": code},
        {"type": "response.code_interpreter_call_code.delta", **at, "delta": "1+1"},
    ]
    completion, _ = laws.played(sample, PROVIDER, wire_events)
    assert [part.value for part in completion.message.content] == [
        {**CUSTOM, "input": "ls -l"},
        {**code, "code": "1+1"},
    ]


@pytest.mark.parametrize(
    "event",
    [
        {"type": 7},
        {"type": "response.output_text.delta"},
        {"type": "response.output_text.delta", "output_index": 0, "delta": 7},
        {"type": "response.output_text.delta", "output_index": "x", "content_index": "y", "delta": "z"},
        {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "{}"},
        {"type": "response.output_item.added", "item": 7},
        {"type": "response.output_item.added", "item": {}},
        {"type": "response.output_item.done", "output_index": 0, "item": {"type": "message", "content": 7}},
        {"type": "response.content_part.added", "output_index": 0, "content_index": 0, "part": {"type": 7}},
        {"type": "response.content_part.done", "output_index": 3, "part": 7},
        {"type": "response.completed"},
        {"type": "response.completed", "response": {"output": [7]}},
        {"type": "response.unheard_of.delta", "delta": "x"},
        {"type": "keepalive", "sequence_number": 3},
    ],
)
def test_odd_events_are_read_or_refused(sample: Package, models: Any, event: Any) -> None:
    for place in range(0, 30, 3):
        stream = sample.provider(PROVIDER).Stream()
        wire_events = events(*OUTPUT)
        try:
            for wire_event in [*wire_events[:place], event, *wire_events[place:]]:
                stream.feed(copy.deepcopy(wire_event))
            emitted = stream.finish()
        except models.ConversionError:
            continue
        assert type(emitted[-1]).__name__ == "CompletedEvent"


def test_what_a_writer_sends_is_of_the_clients_types(sample: Package) -> None:
    """Each event, with numbers in a row; items begin before they grow, and end once."""
    from openai.types.responses import ResponseStreamEvent
    from pydantic import TypeAdapter

    wire_events = events(*OUTPUT)
    _, emitted = laws.played(sample, PROVIDER, wire_events)
    sent = laws.written(sample, PROVIDER, emitted, id="resp_9", created=7)
    adapter = TypeAdapter(ResponseStreamEvent)
    for event in sent:
        adapter.validate_python(event)
    assert [event["sequence_number"] for event in sent] == list(range(len(sent)))
    begun = [event["output_index"] for event in sent if kind_of(event) == "output_item.added"]
    done = [event["output_index"] for event in sent if kind_of(event) == "output_item.done"]
    assert begun == sorted(done) == list(range(len(OUTPUT)))
    assert sent[-1]["response"]["output"] == OUTPUT


@pytest.mark.parametrize("cut", [1, 9, 17, 25])
def test_a_writer_of_a_broken_stream_says_so(sample: Package, cut: int) -> None:
    completion, emitted = laws.played(sample, PROVIDER, events(*OUTPUT, CALL, SEARCH)[:cut])
    again, told_again = laws.played(sample, PROVIDER, laws.written(sample, PROVIDER, emitted))
    assert laws.outline(sample, again)[:2] == laws.outline(sample, completion)[:2]
    assert again.finish_reason == completion.finish_reason == "error"
    assert [type(event).__name__ for event in told_again[-2:]] == ["ErrorEvent", "CompletedEvent"]


@pytest.mark.parametrize("begun", ["whole", "{}"])
@over(
    "sent_kinds",
    [
        ("output_item.added", "function_call_arguments.delta", "function_call_arguments.done", "output_item.done"),
        ("output_item.added", "function_call_arguments.delta", "output_item.done"),
        ("output_item.added", "function_call_arguments.delta"),
        ("output_item.added", "function_call_arguments.done"),
        ("output_item.added", "output_item.done"),
        ("output_item.added",),
    ],
)
@over("output", ["whole", "none"])
def test_arguments_at_the_start_of_an_item_are_told_once(
    sample: Package, begun: str, sent_kinds: tuple[str, ...], output: str
) -> None:
    """Some hosts repeat them in deltas, others do not."""
    if begun == "{}" and len(sent_kinds) == 1 and output == "none":
        return  # then these are the arguments
    wire_events = [e for e in events(*CALLS) if kind_of(e) in (*sent_kinds, "created", "completed")]
    for event in wire_events:
        if kind_of(event) == "output_item.added":
            event["item"]["arguments"] = CALLS[event["output_index"]]["arguments"] if begun == "whole" else begun
    if output == "none":
        wire_events[-1] = last_alone(None)
    same(sample, wire_events, *CALLS)
    _, emitted = laws.played(sample, PROVIDER, wire_events)
    written = laws.written(sample, PROVIDER, emitted)
    assert [item["arguments"] for item in written[-1]["response"]["output"]] == [c["arguments"] for c in CALLS]
    deltas = "".join(e["delta"] for e in written if kind_of(e) == "function_call_arguments.delta")
    assert deltas == "".join(call["arguments"] for call in CALLS)


def test_arguments_may_begin_with_their_item(sample: Package) -> None:
    wire_events = [e for e in events(CALLS[0]) if kind_of(e) != "function_call_arguments.delta"]
    at = next(i for i, e in enumerate(wire_events) if kind_of(e) == "output_item.added")
    wire_events[at]["item"]["arguments"] = '{"a"'
    remainder = {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": ":1}"}
    same(sample, [*wire_events[: at + 1], remainder, *wire_events[at + 1 :]], CALLS[0])


def test_a_written_item_is_done_before_the_next_one_starts(sample: Package, models: Any) -> None:
    """As the API does it. Reasoning, whose rest comes at the end, stays before the others, and so does a call without
    arguments, because they may follow."""

    def steps(*pieces: Any) -> list[tuple[str, int]]:
        parts = [models.ToolCallPart(models.ToolCall(f"c{i}", "now", {})) for i in (0, 1)]
        parts = [*parts[: len({p.index for p in pieces if hasattr(p, "index")})], models.TextPart("Hi.")]
        parts = [models.ReasoningPart("Hm."), *parts] if type(pieces[0]) is models.ReasoningDelta else parts
        done = models.CompletedEvent(models.Completion(models.AssistantMessage(parts), "tool_calls"))
        writer, stream = (
            sample.provider(PROVIDER).StreamWriter(on_loss=lambda loss: None),
            sample.provider(PROVIDER).Stream(),
        )
        wires = [wire for piece in [*pieces, done] for wire in writer.write(piece)]
        for wire in wires:
            stream.feed(wire)
        stream.finish()
        assert [part.type for part in stream.result().message.content] == [part.type for part in parts]
        assert [wire["sequence_number"] for wire in wires] == list(range(len(wires)))
        items = [wire for wire in wires if wire["type"].startswith("response.output_item")]
        assert {
            wire["item"]["status"] for wire in items if wire["type"].endswith("done") and "status" in wire["item"]
        } == {"completed"}
        return [(wire["type"].rpartition(".")[2], wire["output_index"]) for wire in items]

    first, second = (models.ToolCallDelta(i, f"c{i}", "now") for i in (0, 1))
    arguments = [models.ToolCallDelta(i, arguments_delta="{}") for i in (0, 1)]
    hi, hm = models.TextDelta("Hi."), models.ReasoningDelta("Hm.")
    in_turn = [("added", 0), ("done", 0), ("added", 1), ("done", 1), ("added", 2), ("done", 2)]
    assert steps(first, arguments[0], second, arguments[1], hi) == in_turn
    assert steps(first, hi) == steps(hm, hi)
    mixed = [("added", 0), ("added", 1), ("done", 0), ("done", 1), ("added", 2), ("done", 2)]
    assert steps(first, second, *arguments, hi) == mixed
    assert steps(first, second, hi) == [*(("added", i) for i in range(3)), *(("done", i) for i in range(3))]
    assert steps(hm, hi) == [("added", 0), ("added", 1), ("done", 0), ("done", 1)]


@pytest.mark.parametrize("kind", ["TextPart", "ReasoningPart"])
@pytest.mark.parametrize("own", [True, False])
def test_texts_that_were_sent_together_are_not_sent_again(sample: Package, models: Any, kind: str, own: bool) -> None:
    """Two messages of the model, or two thoughts: no event says where the first one ends."""
    module, part, delta = sample.provider(PROVIDER), getattr(models, kind), kind.replace("Part", "Delta")
    parts = [part("First."), part("Second."), models.TextPart("Hi.")]
    completion = models.Completion(models.AssistantMessage(parts[: 2 + (kind == "ReasoningPart")]), "stop")
    if own:
        items = (
            module.to_messages([models.AssistantMessage([part]) for part in parts[:2]])
            if kind == "TextPart"
            else [
                {"id": f"rs_{i}", "type": "reasoning", "summary": [{"type": "summary_text", "text": part.text}]}
                for i, part in enumerate(parts[:2])
            ]
        )
        completion = module.from_response({**response(), "output": [{"type": "message", **item} for item in items]})
    events = [getattr(models, delta)("First."), getattr(models, delta)("Second.")]
    if kind == "ReasoningPart" and not own:
        events.append(models.TextDelta("Hi."))
    writer, stream, emitted = module.StreamWriter(on_loss=lambda loss: None), module.Stream(), []
    for wire in [wire for event in [*events, models.CompletedEvent(completion)] for wire in writer.write(event)]:
        emitted += stream.feed(wire)
    emitted += stream.finish()
    assert [event.text for event in emitted if hasattr(event, "text")] == [event.text for event in events]
    assert laws.bare(stream.result().message) == laws.bare(completion.message)


def test_a_written_item_keeps_its_id(sample: Package, models: Any) -> None:
    """The client refuses a stream whose items change their identity."""
    call = models.ToolCall("c1", "now", {})
    parts = [models.ReasoningPart("Hm."), models.TextPart("Hi."), models.ToolCallPart(call)]
    completion = models.Completion(models.AssistantMessage(parts), "tool_calls", id="one", model="m")
    writer = sample.provider("openai_responses").StreamWriter(id="resp_1", created=1, on_loss=lambda loss: None)
    pieces = [
        models.ReasoningDelta("Hm."),
        models.TextDelta("Hi."),
        models.ToolCallDelta(0, "c1", "now", "{}"),
        models.CompletedEvent(completion),
    ]
    events = [event for piece in pieces for event in writer.write(piece)] + writer.finish()
    started = [event["item"]["id"] for event in events if event["type"] == "response.output_item.added"]
    done = [event["item"]["id"] for event in events if event["type"] == "response.output_item.done"]
    assert started == done == ["rs_0", "msg_1", "fc_2"]
    assert [item["id"] for item in events[-1]["response"]["output"]] == started
    assert {event["response"]["id"] for event in events if "response" in event} == {"resp_1"}


def test_the_end_of_what_grows_has_what_was_not_sent_in_pieces(sample: Package) -> None:
    wire_events = [
        *events()[:2],
        {"type": "response.output_item.added", "output_index": 0, "item": {**CUSTOM, "input": ""}},
        {"type": "response.custom_tool_call_input.delta", "output_index": 0, "delta": "ls "},
        {"type": "response.custom_tool_call_input.done", "output_index": 0, "input": "ls -l"},
        {"type": "response.custom_tool_call_input.done", "output_index": 1, "input": "pwd"},
    ]
    completion, _ = laws.played(sample, PROVIDER, wire_events)
    assert [part.value["input"] for part in completion.message.content] == ["ls -l", "pwd"]
