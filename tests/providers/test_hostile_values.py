"""Values that nobody expects, in every place of a recording: a conversion works, or says ConversionError."""

from __future__ import annotations

import contextlib
import copy
import json
import math
import random
from typing import Any

import pytest

from tests.support.budgets import budget
from tests.support.generated import Package
from tests.support.hostile import carried, damaged, streamed
from tests.support.repository import CONVERSING, OWN_CODE, having, recordings


@pytest.mark.parametrize("provider", OWN_CODE)
def test_spoiled_recordings_are_read_or_refused(sample: Package, provider: str) -> None:
    rng, rounds = random.Random(provider), budget(1, 20)
    assert sum(carried(sample, provider, r, rng) for r in recordings(provider) for _ in range(rounds)) >= 15 * rounds


@pytest.mark.parametrize("provider", CONVERSING)
def test_damaged_metadata_of_a_stored_value_is_ignored_or_refused(sample: Package, provider: str) -> None:
    models, module = sample.module("models"), sample.provider(provider)
    rng, written = random.Random(provider), 0
    options: dict[str, Any] = {"on_loss": lambda loss: None, "on_unsupported": "weaken"}
    for recording in recordings(provider) * budget(3, 9):
        for body, read, write, kind in (
            (recording["request"], module.from_request, module.to_request, models.Request),
            (recording["response"], module.from_response, module.to_response, models.Completion),
        ):
            with contextlib.suppress(models.ConversionError):
                value = models.load(kind, damaged(models.dump(read(body)), rng))
                assert json.dumps(write(value, **options))
                written += 1
                if kind is models.Completion and hasattr(module, "StreamWriter"):
                    assert module.StreamWriter(on_loss=lambda loss: None).write(models.CompletedEvent(value))
    assert written > 20


def block(index: Any, **delta: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": delta}


TOOL = {"index": 0, "id": "c", "function": {"name": "now", "arguments": 5}}
EVENTS = [
    ("anthropic", [block({}, type="text_delta", text="a")]),
    ("anthropic", [{"type": "content_block_start", "index": [], "content_block": {"type": "text", "text": ""}}]),
    (
        "anthropic",
        [
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "a", "citations": 1}},
            block(0, type="citations_delta", citation={}),
        ],
    ),
    ("gemini", [{"candidates": [{"index": {"a": 1}, "content": {"parts": [{"text": "a"}]}}]}]),
    ("gemini", [{"candidates": [{"content": {"parts": [{"text": "a"}]}}]}, {"candidates": [1]}]),
    (
        "gemini",
        [{"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "args": {"a": math.nan}}}]}}]}],
    ),
    ("openai_chat", [{"choices": [{"index": [1], "delta": {"content": "a"}}]}]),
    ("openai_chat", [{"choices": [{"index": 0, "delta": {"tool_calls": [TOOL]}}]}]),
]


@pytest.mark.parametrize(("provider", "events"), EVENTS)
def test_events_of_another_form(sample: Package, provider: str, events: list[Any]) -> None:
    stream = sample.provider(provider).Stream()
    *_, failed, completed = streamed(stream, events)
    assert (failed.type, completed.type) == ("error", "completed")
    content = completed.completion.message.content or []
    assert all(part.call.invalid for part in content if getattr(part, "call", None))
    for target in having("stream") if "NaN" not in json.dumps(events) else ():
        writer = sample.provider(target).StreamWriter(on_loss=lambda loss: None)
        assert writer.write(failed) + writer.write(completed)


def test_a_flag_of_a_failure_is_a_boolean(sample: Package) -> None:
    result = {"type": "tool_result", "tool_use_id": "c", "content": "x", "is_error": "yes"}
    with pytest.raises(sample.module("models").ConversionError, match=r"is_error: must be a boolean"):
        sample.provider("anthropic").from_messages([{"role": "user", "content": [result]}])


def test_a_document_that_no_bytes_say_stays_as_it_is(sample: Package) -> None:
    source = {"type": "text", "media_type": "text/plain", "data": "\ud800"}
    body = {
        "model": "m",
        "max_tokens": 1,
        "messages": [{"role": "user", "content": [{"type": "document", "source": source}]}],
    }
    provider = sample.provider("anthropic")
    assert provider.to_request(provider.from_request(copy.deepcopy(body))) == body
