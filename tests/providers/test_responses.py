"""Responses on every wire: by tables, and as objects of the official clients."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.providers import laws
from tests.support.every_row import grouped, over
from tests.support.exchanges import Exchanges
from tests.support.generated import Package
from tests.support.places import at, put
from tests.support.recorded import streamed, unstreamed
from tests.support.repository import CONVERSING, OWN_CODE, PROFILES, having, profile, table
from tests.support.responses import response_of
from tests.support.wires import WIRES

each_provider = pytest.mark.parametrize("provider", OWN_CODE)


def rows(key: str) -> list[Any]:
    """The rows under a key of the tables that have it; a wire with conversations must, if its profile says so much."""
    tables = [(p, table(p)[key]) for p in PROFILES if key in table(p) or p in having(key, CONVERSING)]
    return [pytest.param(p, *row, id=f"{p}-{i}") for p, listed in tables for i, row in enumerate(listed)]


@grouped("provider, wire, usage", rows("usage"))
def test_usage_counts_all_input_and_all_output(
    sample: Package, models: Any, provider: str, wire: Any, usage: Any
) -> None:
    body = response_of(provider, usage=wire)
    completion = sample.provider(provider).from_response(copy.deepcopy(body))
    counts = models.dump(completion.usage)
    counts.pop("metadata", None)
    assert {k: v for k, v in counts.items() if v is not None} == usage
    assert laws.exact(sample.provider(provider).to_response(completion)) == laws.exact(body)


@grouped("provider, wire, usage", rows("usage"))
def test_usage_without_metadata_is_written(sample: Package, models: Any, provider: str, wire: Any, usage: Any) -> None:
    module = sample.provider(provider)
    bare = models.load(
        models.Completion,
        {"message": {"role": "assistant", "content": "Hi"}, "finishReason": "stop", "usage": usage},
    )
    counts = models.dump(module.from_response(module.to_response(bare, id="i", created=1)).usage)
    counts.pop("metadata", None)
    assert {k: v for k, v in counts.items() if v is not None} == usage


@grouped("provider, word, plain, with_calls", rows("finish_reasons"))
def test_a_reason_is_derived_from_the_word_and_the_calls(
    sample: Package, provider: str, word: str | None, plain: str, with_calls: str
) -> None:
    module = sample.provider(provider)
    for calls, reason in ((False, plain), (True, with_calls)):
        body = response_of(provider, calls=calls, stop=word)
        completion = module.from_response(copy.deepcopy(body))
        assert (completion.finish_reason, completion.stop_reason) == (reason, word)
        calls_read = laws.calls_of(sample, completion)
        assert [c.name for c in calls_read] == (["now", "get_weather"] if calls else [])
        if calls and reason != "tool_calls":
            assert [c.invalid.reason for c in calls_read] == [
                "filtered" if reason == "content_filter" else "truncated"
            ] * 2
        elif calls:
            assert [c.invalid for c in calls_read] == [None, None]
        assert laws.exact(module.to_response(completion)) == laws.exact(body)


@pytest.mark.parametrize("provider", having("finish_reasons", CONVERSING))
def test_a_reason_that_says_something_does_not_stand_for_others(sample: Package, models: Any, provider: str) -> None:
    """Such as `load` and `pause_turn`, which say that something else happened."""
    losses: list[Any] = []
    module = sample.provider(provider)
    body = module.to_response(models.Completion(models.AssistantMessage("Hi"), "other"), on_loss=losses.append)
    read_back = module.from_response(body)
    if read_back.stop_reason is not None and read_back.stop_reason.lower() == "other":
        assert (read_back.finish_reason, losses) == ("other", [])
    else:
        assert read_back.finish_reason == "stop"
        assert "finishReason" in [loss.path for loss in losses if loss.severity == "warning"]


@pytest.mark.parametrize("provider", having("finish_reasons"))
def test_a_missing_reason_stays_missing(sample: Package, provider: str) -> None:
    module = sample.provider(provider)
    *path, key = table(provider)["at"]["stop"]
    body = copy.deepcopy(response_of(provider))
    holder = at(body, path)
    for missing in ({key: None}, {}):
        holder.pop(key, None)
        holder.update(missing)
        losses: list[Any] = []
        assert laws.exact(module.to_response(module.from_response(body), on_loss=losses.append)) == laws.exact(body)
        assert losses == []


@grouped("provider, status, body, kind, retryable", rows("errors"))
def test_an_error_is_told_by_its_kind(
    sample: Package, models: Any, provider: str, status: int, body: Any, kind: str, retryable: bool
) -> None:
    body_given = copy.deepcopy(body)
    error = sample.provider(provider).from_error(status, body_given)
    assert (error.kind, error.retryable) == (kind, retryable)
    assert body_given == body
    assert error.message
    assert provider in error.metadata
    assert models.load(models.ApiError, models.dump(error)) == error


@pytest.mark.parametrize("provider", having("errors"))
def test_a_bare_error_is_no_response(sample: Package, models: Any, provider: str) -> None:
    module = sample.provider(provider)
    body = table(provider)["bare_error"]
    for read in (module.from_response, module.from_tool_calls):
        with pytest.raises(models.ConversionError, match="from_error"):
            read(body)


@each_provider
def test_a_completion_without_metadata_is_a_response(sample: Package, models: Any, provider: str) -> None:
    body = sample.provider(provider).to_response(
        models.load(models.Completion, COMPLETION), id="an-id", created=7, on_loss=lambda loss: None
    )
    back = laws.completion_of(sample, provider, body)
    assert laws.bare(back.message) == models.load(models.Message, COMPLETION["message"])
    assert back.finish_reason == "tool_calls"
    expected = {"model": "m", "id": "an-id"} | dict.fromkeys(table(provider).get("no_fields", ()))
    assert {"model": back.model, "id": back.id} == expected


@pytest.mark.parametrize("provider", having("sdk"))
def test_a_completion_without_metadata_is_a_response_that_the_client_takes(
    exchanges: Exchanges, sample: Package, models: Any, provider: str
) -> None:
    module = sample.provider(provider)
    body = module.to_response(models.load(models.Completion, COMPLETION), id="an-id", created=7)
    WIRES[provider].client.validated(body)
    back = module.from_response(exchanges.received(provider, body))
    expected_completion = laws.completion_of(sample, provider, WIRES[provider].client.kept_part(body))
    assert laws.bare(back.message) == laws.bare(expected_completion.message)
    assert back.finish_reason == "tool_calls"
    expected = {"model": "m", "id": "an-id"} | dict.fromkeys(table(provider).get("no_fields", ()))
    assert {"model": back.model, "id": back.id} == expected


COMPLETION: dict[str, Any] = {
    "message": {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "Let me see."},
            {"type": "tool_call", "call": {"id": "abcdefgh1", "name": "now", "arguments": {"a": [1, None]}}},
        ],
    },
    "finishReason": "tool_calls",
    "model": "m",
    "usage": {"inputTokens": 3, "outputTokens": 4, "totalTokens": 7},
}


def says(package: Package, completion: Any) -> Any:
    """What a response says; ids that we made are not compared, for there is nothing to compare them to."""
    calls = [(c.id, c.name, laws.exact(c.arguments)) for c in laws.calls_of(package, completion)]
    texts = [laws.joined(completion, kind) for kind in ("TextPart", "ReasoningPart", "RefusalPart")]
    usage = completion.usage
    counted = None if usage is None else (usage.input_tokens, usage.output_tokens, usage.total_tokens)
    return texts, calls, completion.finish_reason, completion.stop_reason, counted, completion.id, completion.model


@pytest.mark.parametrize("provider", having("sdk"))
def test_an_object_of_the_clients_types_is_read_as_its_body(sample: Package, provider: str) -> None:
    """Where the types take the recording: they are stricter than the client, and older than some responses."""
    readable = 0
    for recording in unstreamed(provider):
        try:
            sdk_object = WIRES[provider].client.validated(recording["response"])
        except ValueError:
            continue
        readable += 1
        completion = sample.provider(provider).from_response(sdk_object)
        body_kept = WIRES[provider].client.kept_part(recording["response"])
        assert says(sample, completion) == says(sample, laws.completion_of(sample, provider, body_kept))
    assert readable >= len(unstreamed(provider)) // 2


@each_provider
def test_a_wrong_type_is_a_fault_at_its_place(sample: Package, models: Any, provider: str) -> None:
    module, facts = sample.provider(provider), table(provider)
    places = [(facts["at"]["content"], 7)]
    if "usage" in profile(provider):
        places.append((facts["at"]["usage"], 7) if facts["at"]["usage"] else (facts["at"]["count"], "7"))
    for way, wrong in places:
        with pytest.raises(models.ConversionError) as caught:
            module.from_response(put(facts["response"], way, wrong))
        assert str(way[-1]) in str(caught.value)
    for value in (None, 7, "text", []):
        with pytest.raises(models.ConversionError):
            module.from_response(value)


@each_provider
def test_turns_tell_made_ids_apart(sample: Package, provider: str) -> None:
    """A call without an id gets one from its turn and its place, and it is marked."""
    facts = table(provider)
    key = facts.get("call_inside")
    calls = copy.deepcopy(facts["calls"])
    for call in calls:
        (call[key] if key else call).pop(facts.get("call_id", "id"))
    body = put(facts["response"], facts["at"]["content"], calls)
    module = sample.provider(provider)
    calls_read = module.from_tool_calls(body, turn=3)
    assert [c.id for c in calls_read] == ["call_3_0", "call_3_1"]
    assert all("$synthetic" in laws.exact(c.metadata[provider]) for c in calls_read)
    assert [c.id for c in module.from_tool_calls(body)] == ["call_0_0", "call_0_1"]
    assert module.from_response(body, 3).message.content[-1].call == calls_read[-1]


@pytest.mark.parametrize("provider", having("stream"))
def test_streams_are_recorded_with_calls_and_without(sample: Package, provider: str) -> None:
    with_calls = [r for r in streamed(provider) if WIRES[provider].read_stream(r["events"]).calls]
    assert 0 < len(with_calls) < len(streamed(provider))


EARLY = [
    (provider, meaning)
    for provider in OWN_CODE
    for meaning in ("length", "content_filter", "error", "other")
    if (provider, meaning) != ("modular_prompt", "other")  # it has words for the normal ends alone
]


@grouped("provider, meaning", EARLY)
@over("word", ["stop", "end_turn", "STOP", "COMPLETE", "completed", "in_progress", None])
def test_a_response_that_ended_early_elsewhere_does_not_end_normally_here(
    sample: Package, models: Any, provider: str, meaning: str, word: str | None
) -> None:
    """Its calls may be incomplete. Both APIs may use the same word."""
    module = sample.provider(provider)
    call = models.ToolCall("call_1", "now", {}, models.InvalidCall("{", "truncated"))
    message = models.AssistantMessage([models.ToolCallPart(call)])
    completion = models.Completion(message, meaning, stop_reason=word)
    read = module.from_response(module.to_response(completion, on_loss=lambda loss: None))
    assert read.finish_reason in ("length", "content_filter", "error", meaning)
    assert [call.invalid is None for call in module.from_tool_calls(module.to_response(read))] == [False]


ABSENT = "(absent)"
GATEWAYS: list[tuple[str, list[Any], Any]] = [
    ("anthropic", ["type"], ABSENT),
    ("anthropic", ["role"], ABSENT),
    ("openai_responses", ["object"], ABSENT),
    ("openai_responses", ["status"], ""),
    ("gemini", ["candidates", 0, "finishReason"], ""),
    ("gemini", ["candidates", 0, "content", "parts"], {}),
    ("gemini", ["candidates", 0, "content", "parts"], []),
    ("bedrock", ["output"], None),
    ("bedrock", ["output", "message"], None),
    ("cohere", ["message", "content"], {}),
    ("cohere", ["message", "content"], []),
]


@pytest.mark.parametrize(("provider", "path", "value"), GATEWAYS, ids=str)
def test_law_7_what_a_gateway_leaves_out_stays_out(
    sample: Package, models: Any, provider: str, path: list[Any], value: Any
) -> None:
    body = copy.deepcopy(table(provider)["response"])
    holder = at(body, path[:-1])
    if value is ABSENT:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    module = sample.provider(provider)
    completion = module.from_response(copy.deepcopy(body))
    stored = models.load(models.Completion, models.dump(completion))
    for form in (completion, stored):
        assert module.to_response(form, on_loss=lambda loss: None) == body
