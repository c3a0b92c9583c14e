"""Responses and streams: the laws on recordings, read, written, with unknown things in them, and sent back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.providers import laws
from tests.support.budgets import budget
from tests.support.every_row import grouped, over
from tests.support.generated import Package
from tests.support.recorded import STREAMS, failed, params, refused, streamed, unstreamed
from tests.support.repository import CONVERSING, OWN_CODE, TEXTS, having
from tests.support.wires import WIRES

BODIES = params("response", unstreamed, OWN_CODE)
each_response = grouped("provider, body", BODIES)
each_split_response = grouped("provider, body", params("response", unstreamed, having("stream")))
each_stream = grouped("provider, events", STREAMS)
each_response_of_a_host = grouped("provider, body", params("response", unstreamed))
each_stream_of_a_host = grouped("provider, events", params("events", streamed))
LATE_PARTS = ("gem-462a368727", "gem-ab06081805")
"""Streams with a part of the wire's own before text, which a writer sends behind it. See `known_failures/gemini.yaml`."""

each_provider = pytest.mark.parametrize("provider", OWN_CODE)


@each_provider
def test_there_are_responses_and_streams(provider: str) -> None:
    assert len(unstreamed(provider)) >= 20
    assert len(streamed(provider)) >= 10 or provider not in having("stream")


@each_response_of_a_host
def test_law_3_a_response_is_read(sample: Package, provider: str, body: Any) -> None:
    laws.response_is_read(sample, provider, body)


@each_stream_of_a_host
def test_law_3_a_stream_is_read(sample: Package, provider: str, events: list[Any]) -> None:
    laws.stream_is_read(sample, provider, events)


@grouped("provider, events", params("events", failed))
def test_an_error_in_a_recorded_stream_ends_it(sample: Package, provider: str, events: list[Any]) -> None:
    completion, emitted = laws.played(sample, provider, events)
    expected = WIRES[provider].read_stream(events)
    assert laws.joined(completion, "TextPart") == expected.text
    assert laws.joined(completion, "ReasoningPart") == expected.reasoning
    assert completion.finish_reason in ("error", "length")
    assert [c for c in laws.calls_of(sample, completion) if c.invalid is None] == []
    assert [type(e).__name__ for e in emitted][-2:] == ["ErrorEvent", "CompletedEvent"]


@each_split_response
def test_law_3_a_stream_says_what_the_whole_says(sample: Package, provider: str, body: Any) -> None:
    laws.stream_says_what_the_whole_says(sample, provider, body)


@pytest.mark.safety("7.6")
@each_response
def test_law_5_unknown_things_in_a_response_are_kept(sample: Package, provider: str, body: Any) -> None:
    laws.unknown_in_a_response_is_kept(sample, provider, body)


@pytest.mark.safety("7.6")
@each_stream
def test_law_5_unknown_things_in_a_stream_change_nothing(sample: Package, provider: str, events: list[Any]) -> None:
    laws.unknown_in_a_stream_changes_nothing(sample, provider, events)


@each_response_of_a_host
def test_law_7_a_response_comes_back_exactly(sample: Package, provider: str, body: Any) -> None:
    laws.response_comes_back(sample, provider, body)


@grouped("provider, events", [row for row in params("events", streamed) if not str(row.id).endswith(LATE_PARTS)])
def test_law_7_a_stream_comes_back(sample: Package, provider: str, events: list[Any]) -> None:
    laws.stream_comes_back(sample, provider, events)


@pytest.mark.parametrize("identifier", LATE_PARTS)
def test_law_7_a_part_before_text_comes_back_before_it(sample: Package, identifier: str) -> None:
    (recording,) = (recording for recording in streamed("gemini") if recording["id"] == identifier)
    laws.stream_comes_back(sample, "gemini", recording["events"])


@each_split_response
def test_law_7_a_split_response_comes_back(sample: Package, provider: str, body: Any) -> None:
    laws.stream_comes_back(sample, provider, WIRES[provider].split(body))


@each_response_of_a_host
def test_next_a_response_goes_back(sample: Package, provider: str, body: Any) -> None:
    completion = laws.completion_of(sample, provider, body)
    if completion.finish_reason not in ("stop", "tool_calls") or not completion.message.content:
        assert (
            WIRES[provider].read_response(body).stop is None
            or laws.calls_of(sample, completion) == []
            or any(call.invalid for call in laws.calls_of(sample, completion))
        )
        return
    laws.completion_goes_back(sample, provider, completion, WIRES[provider].read_response(body))


@each_stream_of_a_host
def test_next_a_streamed_response_goes_back(sample: Package, provider: str, events: list[Any]) -> None:
    completion, _ = laws.played(sample, provider, events)
    if completion.finish_reason in ("stop", "tool_calls") and completion.message.content:
        laws.completion_goes_back(sample, provider, completion, WIRES[provider].read_stream(events))


GATEWAYS = [
    pytest.param(p.values[0], target, p.values[1], id=f"{p.id}-{target}")
    for p in STREAMS
    for target in having("stream")
    if target != p.values[0]
]


@grouped("provider, target, events", GATEWAYS)
def test_a_stream_passes_a_gateway(sample: Package, provider: str, target: str, events: list[Any]) -> None:
    laws.stream_passes_a_gateway(sample, provider, target, events)


def short_streams(provider: str) -> list[Any]:
    """The streams of which every part is read in a short time; all of them with a large budget."""
    return [recording for recording in streamed(provider) if len(recording["events"]) <= budget(60, 10**9)]


@grouped("provider, events", params("events", short_streams, OWN_CODE))
def test_a_stream_cut_anywhere_gives_no_call_to_run(sample: Package, provider: str, events: list[Any]) -> None:
    laws.cut_anywhere(sample, provider, events)


@pytest.mark.parametrize("provider", having("errors"))
def test_a_recorded_error_is_no_response(sample: Package, models: Any, provider: str) -> None:
    module = sample.provider(provider)
    assert refused(provider) != []
    for recording in refused(provider):
        error = module.from_error(recording["status"], recording["response"])
        assert (error.kind, error.retryable) == ("invalid_request", False), recording["id"]
        with pytest.raises(models.ConversionError, match="from_error"):
            module.from_response(recording["response"])


@over("reason", ["length", "content_filter", "error"])
@pytest.mark.parametrize("provider", CONVERSING)
def test_a_call_that_must_not_run_stays_so_in_a_wire_without_a_word_for_the_reason(
    sample: Package, models: Any, provider: str, reason: str
) -> None:
    module, losses = sample.provider(provider), []
    call = models.ToolCall("call_abcd", "now", {}, models.InvalidCall("{}", "truncated"))
    message = models.AssistantMessage([models.ToolCallPart(call)])
    completion = models.Completion(message, reason, "r", "m", "A_REASON_OF_ANOTHER_API", models.Usage(1, 1, 2))
    again = module.from_response(module.to_response(completion, on_loss=losses.append))
    assert [part.call.invalid is None for part in again.message.content] == [False]
    reported = [loss.path for loss in losses if loss.path in ("finishReason", "stopReason")]
    assert again.finish_reason == reason or reported != []


@over("identifier", ["functions.f:0", "call|x", "c" * 70])
@pytest.mark.parametrize("provider", CONVERSING)
def test_a_response_keeps_an_id_that_requests_cannot_have(
    sample: Package, models: Any, provider: str, identifier: str
) -> None:
    module = sample.provider(provider)
    message = models.AssistantMessage([models.ToolCallPart(models.ToolCall(identifier, "now", {}))])
    completion = models.Completion(message, "tool_calls", "r", "m", None, models.Usage(1, 1, 2))
    body = module.to_response(completion, on_loss=str)
    calls_read = module.from_tool_calls(body)
    assert [call.name for call in calls_read] == ["now"]
    if identifier in str(body):  # a text protocol has no ids
        assert [call.id for call in calls_read] == [identifier]
    else:
        assert provider in TEXTS


EMPTY_PARTS: dict[str, Any] = {
    "anthropic": [{"type": "text", "text": ""}],
    "anthropic, unsigned": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "x"}],
    "cohere": [{"type": "text", "text": ""}],
    "gemini": [{"text": "", "thought": True}, {"text": "x"}],
}


@pytest.mark.parametrize("case", EMPTY_PARTS)
def test_a_part_that_requests_cannot_have_stays_in_its_response(sample: Package, case: str) -> None:
    provider = case.split(",")[0]
    content = EMPTY_PARTS[case]
    body: dict[str, Any] = {
        "anthropic": {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": content},
        "cohere": {"id": "m", "message": {"role": "assistant", "content": content}},
        "gemini": {"candidates": [{"content": {"role": "model", "parts": content}, "finishReason": "STOP"}]},
    }[provider]
    if provider == "anthropic":
        body |= {"stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
    module, losses = sample.provider(provider), []
    assert module.to_response(module.from_response(body), on_loss=losses.append) == body
    assert losses == []
