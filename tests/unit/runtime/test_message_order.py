"""Completions in the order of their stream: which stay as they are, and where parts go that no event sent."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.generated import Package


@pytest.fixture(scope="module")
def wrote(sample: Package) -> Any:
    """A function that returns the parts of a completion as a writer of Anthropic arranges them, and the losses."""
    models = sample.module("models")
    writer_type = sample.provider("anthropic").StreamWriter

    def arranged(events: list[Any], parts: list[Any], metadata: Any = None) -> tuple[list[Any], list[Any]]:
        losses: list[Any] = []
        writer = writer_type(on_loss=losses.append)
        for event in events:
            writer.order.add(event)
        completion = models.Completion(models.AssistantMessage(list(parts)), "stop", metadata=metadata)
        arranged_completion = writer.order.arrange(completion, writer.writer)
        assert completion.message.content == parts, "the given completion is never changed"
        assert (arranged_completion is completion) == (arranged_completion == completion)
        return arranged_completion.message.content, losses

    return arranged


def call(models: Any, identifier: str) -> Any:
    return models.ToolCallPart(models.ToolCall(identifier, "now", {}))


def events(models: Any, *steps: str) -> list[Any]:
    """`t` begins a text, `r` reasoning, and `c` the id of a call."""
    kinds = {
        "t": models.TextDelta,
        "r": models.ReasoningDelta,
        "c": lambda text: models.ToolCallDelta(0, text, "now"),
    }
    return [kinds[step[0]](step) for step in steps]


def test_joined_texts_are_taken_apart(models: Any, wrote: Any) -> None:
    parts = [models.ReasoningPart("r1r2"), models.TextPart("t1t2t3"), call(models, "c1")]
    arranged, losses = wrote(events(models, "t1", "r1", "c1", "t2", "t3", "r2"), parts)
    assert arranged == [
        models.TextPart("t1"),
        models.ReasoningPart("r1"),
        call(models, "c1"),
        models.TextPart("t2t3"),
        models.ReasoningPart("r2"),
    ]
    assert losses == []


def test_one_that_was_read_from_the_wire_stays(models: Any, wrote: Any) -> None:
    from_wire = events(models, "t1", "c1", "t2")
    signed = models.ReasoningPart("", {"anthropic": {"signature": "sig"}})
    text = models.TextPart("t1t2")
    assert wrote(from_wire, [text, call(models, "c1")], {"anthropic": {"x": 1}})[0] == [text, call(models, "c1")]
    assert wrote(from_wire, [text, call(models, "c1"), signed])[0] == [text, call(models, "c1"), signed]


def test_one_with_the_order_of_the_stream_stays(models: Any, wrote: Any) -> None:
    noted = models.TextPart("t2", metadata={"gemini": {"x": 1}})
    parts = [models.TextPart("t1"), noted, models.ReasoningPart(""), call(models, "c1"), models.RefusalPart("no")]
    assert wrote(events(models, "t1", "t2", "c1", "c1"), parts) == (parts, [])


def test_one_with_other_text_stays(models: Any, wrote: Any) -> None:
    parts = [models.TextPart("other"), call(models, "c1")]
    assert wrote(events(models, "t1", "c1", "t2"), parts) == (parts, [])


def test_what_was_not_sent_comes_last_and_is_told(models: Any, wrote: Any) -> None:
    noted = models.TextPart("t1t2 and more", metadata={"gemini": {"x": 1}})
    parts = [models.RefusalPart("no"), noted, call(models, "c1"), call(models, "c2")]
    arranged, losses = wrote(events(models, "t1", "c1", "t2"), parts)
    expected = [models.TextPart("t1"), call(models, "c1"), models.TextPart("t2")]
    assert arranged == [*expected, models.RefusalPart("no"), models.TextPart(" and more"), call(models, "c2")]
    assert [(loss.path, loss.action) for loss in losses] == [
        ("message.content[1].metadata.gemini.x", "dropped"),
        ("message.content[0]", "moved"),
        ("message.content[1]", "moved"),
    ]
