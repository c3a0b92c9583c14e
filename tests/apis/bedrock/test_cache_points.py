"""Marks for the cache between Bedrock, where they are entries, and Anthropic, where they are keys."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.support.generated import Package

SHORT, LONG = {"type": "ephemeral", "ttl": "5m"}, {"type": "ephemeral", "ttl": "1h"}
PLAIN = {"type": "ephemeral"}


def point(**ttl: str) -> dict[str, Any]:
    return {"cachePoint": {"type": "default", **ttl}}


BODY: dict[str, Any] = {
    "model": "c",
    "max_tokens": 9,
    "system": [{"type": "text", "text": "s"}],
    "tools": [
        {"name": "now", "input_schema": {"type": "object"}},
        {"name": "then", "input_schema": {"type": "object"}},
    ],
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "Hi."}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "now", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "12"}]},
    ],
}
PLACES: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = {
    "a tool": (("tools", 0), ("toolConfig", "tools", 1)),
    "the last tool": (("tools", 1), ("toolConfig", "tools", 2)),
    "system text": (("system", 0), ("system", 1)),
    "text": (("messages", 0, "content", 0), ("messages", 0, "content", 1)),
    "a call": (("messages", 1, "content", 0), ("messages", 1, "content", 1)),
    "a result": (("messages", 2, "content", 0), ("messages", 2, "content", 1)),
}


def value_at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


@pytest.mark.parametrize(
    ("mark", "entry"), [(PLAIN, point()), (SHORT, point(ttl="5m")), (LONG, point(ttl="1h"))], ids=["plain", "5m", "1h"]
)
@pytest.mark.parametrize("place", list(PLACES))
def test_a_mark_is_a_cache_point_after_what_it_marks(
    sample: Package, place: str, mark: dict[str, Any], entry: dict[str, Any]
) -> None:
    anthropic, bedrock = sample.provider("anthropic"), sample.provider("bedrock")
    body = copy.deepcopy(BODY)
    mark_path, point_path = PLACES[place]
    value_at(body, mark_path)["cache_control"] = mark
    losses: list[Any] = []
    sent = bedrock.to_request(anthropic.from_request(body), on_loss=losses.append)
    entries = value_at(sent, point_path[:-1])
    assert (entries[point_path[-1]], losses) == (entry, [])
    del entries[point_path[-1]]
    assert sent == bedrock.to_request(anthropic.from_request(BODY))
    entries.insert(point_path[-1], entry)
    returned = anthropic.to_request(bedrock.from_request(sent, "c"), on_loss=losses.append)
    assert (value_at(returned, mark_path)["cache_control"], losses) == (mark, [])


@pytest.mark.parametrize("place", ["a tool", "text", "a call", "a result"])
def test_a_point_that_has_no_place_is_a_note(sample: Package, place: str) -> None:
    bedrock = sample.provider("bedrock")
    body = bedrock.to_request(sample.provider("anthropic").from_request(BODY))
    *holder, index = PLACES[place][1]
    value_at(body, tuple(holder)).insert(index, point(ttl="1h"))
    request = bedrock.from_request(body)
    assert bedrock.to_request(request) == body
    losses: list[Any] = []
    sample.provider("openai_chat").to_request(request, on_loss=losses.append)
    lost = [(loss.action, loss.severity) for loss in losses if "cache" in loss.what]
    assert lost == [("dropped", "note")]


def test_a_mark_inside_a_result_stands_after_the_result(sample: Package) -> None:
    body = copy.deepcopy(BODY)
    body["messages"][2]["content"][0]["content"] = [
        {"type": "text", "text": "a", "cache_control": LONG},
        {"type": "text", "text": "b"},
    ]
    losses: list[Any] = []
    request = sample.provider("anthropic").from_request(body)
    sent = sample.provider("bedrock").to_request(request, on_loss=losses.append)
    assert sent["messages"][2]["content"][1:] == [point(ttl="1h")]
    assert [(loss.path, loss.action) for loss in losses] == [("messages[3].results[0].value[0].cache", "moved")]


def test_a_lifetime_that_the_api_does_not_have_is_reported(sample: Package) -> None:
    body = copy.deepcopy(BODY)
    body["tools"][0]["cache_control"] = {"type": "ephemeral", "ttl": "2h"}
    losses: list[Any] = []
    sent = sample.provider("bedrock").to_request(sample.provider("anthropic").from_request(body), on_loss=losses.append)
    assert sent["toolConfig"]["tools"][1] == point()
    assert [(loss.path, loss.what, loss.action) for loss in losses] == [("tools[0].metadata", "ttl", "dropped")]


def test_a_mark_beside_the_messages_stands_after_the_last_block(sample: Package) -> None:
    losses: list[Any] = []
    request = sample.provider("anthropic").from_request({**BODY, "cache_control": LONG})
    sent = sample.provider("bedrock").to_request(request, on_loss=losses.append)
    assert (sent["messages"][-1]["content"][1:], losses) == ([point(ttl="1h")], [])


def test_a_mark_that_was_taken_away_is_not_sent(sample: Package) -> None:
    body = copy.deepcopy(BODY)
    body["messages"][0]["content"][0]["cache_control"] = LONG
    request = sample.provider("anthropic").from_request(body)
    request.messages[1].content[0].cache = None
    sent = sample.provider("bedrock").to_request(request)
    assert sent["messages"][0]["content"] == [{"text": "Hi."}]


def test_at_most_four_points_are_sent_unless_more_were_read(sample: Package, models: Any) -> None:
    bedrock = sample.provider("bedrock")
    parts = [models.TextPart(text, cache=True) for text in "abcde"]
    losses: list[Any] = []
    sent = bedrock.to_request(models.Request([models.UserMessage(parts)], max_output_tokens=9), on_loss=losses.append)
    content = sent["messages"][0]["content"]
    assert [next(iter(block)) for block in content] == ["text", "text", *["cachePoint", "text"] * 3, "cachePoint"]
    assert [loss.what for loss in losses if loss.action == "dropped"] == ["cache"]
    more = {"messages": [{"role": "user", "content": [*content[:1], point(), *content[1:]]}]}
    assert bedrock.to_request(bedrock.from_request(more)) == more
