"""Rules of Anthropic's requests that a neutral request knows nothing of. What is changed for them is reported."""

from __future__ import annotations

from typing import Any

import pytest

from tests.providers import laws
from tests.support.generated import Package

PROVIDER = "anthropic"


def written(sample: Package, models: Any, **request: Any) -> tuple[dict[str, Any], list[str]]:
    """The body of a request, and what was done to which field."""
    losses: list[Any] = []
    request = {"messages": [{"role": "user", "content": "Hi."}], "model": "m", **request}
    body = laws.write(sample, PROVIDER, models.load(models.Request, request), losses)
    return body, [f"{loss.path} {loss.action}" for loss in losses]


@pytest.mark.parametrize(
    ("reasoning", "limit", "thinking", "most", "reported"),
    [
        ({"budgetTokens": 5000}, None, ("enabled", 5000), 9096, ["maxOutputTokens defaulted"]),
        ({"budgetTokens": 500}, 9000, ("enabled", 1024), 9000, ["reasoning.budgetTokens rewritten"]),
        ({"budgetTokens": 5000}, 3000, ("enabled", 2999), 3000, ["reasoning.budgetTokens rewritten"]),
        ({"budgetTokens": 5000}, 1024, (None, None), 1024, ["reasoning dropped"]),
        ({"budgetTokens": 0}, 9, ("disabled", None), 9, []),
        ({"effort": "none"}, 9, ("disabled", None), 9, []),
    ],
)
def test_a_budget_fits_the_limit_of_all_tokens(
    sample: Package, models: Any, reasoning: Any, limit: int | None, thinking: Any, most: int, reported: list[str]
) -> None:
    more = {"maxOutputTokens": limit} if limit is not None else {}
    body, losses = written(sample, models, reasoning=reasoning, **more)
    sent = body.get("thinking", {})
    assert ((sent.get("type"), sent.get("budget_tokens")), body["max_tokens"], losses) == (thinking, most, reported)


@pytest.mark.parametrize("signed", [False, True])
def test_thinking_is_left_out_if_the_last_calls_came_without_it(sample: Package, models: Any, signed: bool) -> None:
    thought = {"type": "reasoning", "text": "Hm.", "metadata": {"anthropic": {"signature": "c2ln"}}}
    call = {"type": "tool_call", "call": {"id": "c1", "name": "now", "arguments": {}}}
    messages = [
        {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": [*([thought] if signed else []), call]},
        {"role": "tool", "results": [{"toolCallId": "c1", "name": "now", "kind": "text", "value": "12"}]},
    ]
    limits = {"reasoning": {"budgetTokens": 2000}, "maxOutputTokens": 4000}
    body, losses = written(sample, models, messages=messages, **limits)
    assert ("thinking" in body, losses) == (signed, [] if signed else ["reasoning dropped"])
    body, losses = written(sample, models, messages=messages[:1], **limits)
    assert ("thinking" in body, losses) == (True, [])


def test_at_most_four_parts_are_marked_for_caching(sample: Package, models: Any) -> None:
    system = {"role": "system", "content": [{"type": "text", "text": "s", "cache": True}]}
    user = {"role": "user", "content": [{"type": "text", "text": f"f{n}", "cache": True} for n in range(5)]}
    body, losses = written(sample, models, messages=[system, user], maxOutputTokens=9)
    blocks = [*body["system"], *body["messages"][0]["content"]]
    assert ["cache_control" in block for block in blocks] == [False, False, True, True, True, True]
    assert losses == [" dropped"]
    body, losses = written(
        sample, models, messages=[system, {**user, "content": user["content"][:3]}], maxOutputTokens=9
    )
    assert (sum("cache_control" in b for b in [*body["system"], *body["messages"][0]["content"]]), losses) == (4, [])


def test_the_last_text_of_the_assistant_ends_without_white_space(sample: Package, models: Any) -> None:
    for content in ("Once upon \n", [{"type": "text", "text": "Once upon \n"}]):
        messages = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": content}]
        body, losses = written(sample, models, messages=messages, maxOutputTokens=9)
        sent = body["messages"][1]["content"]
        assert (sent if isinstance(sent, str) else sent[0]["text"]) == "Once upon"
        assert losses == ["messages dropped"]


def test_pictures_of_the_assistant_are_dropped_and_common_names_of_media_types_understood(
    sample: Package, models: Any
) -> None:
    picture = {"type": "image", "data": "iVBO", "mediaType": "image/JPG"}
    messages = [
        {"role": "user", "content": [picture]},
        {"role": "assistant", "content": [{"type": "text", "text": "Here."}, picture]},
        {"role": "user", "content": "Bigger."},
    ]
    body, losses = written(sample, models, messages=messages, maxOutputTokens=9)
    assert body["messages"][0]["content"][0]["source"]["media_type"] == "image/jpeg"
    assert body["messages"][1]["content"] == [{"type": "text", "text": "Here."}]
    assert losses == ["messages[0].content[0].mediaType rewritten", "messages[1].content[1] dropped"]


def test_an_output_schema_is_closed_and_one_that_was_read_stays(sample: Package, models: Any) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer", "default": 0}}, "title": "A"}
    body, losses = written(sample, models, outputFormat={"schema": schema}, maxOutputTokens=9)
    sent = body["output_config"]["format"]["schema"]
    assert sent["additionalProperties"] is False
    assert sent["properties"]["a"] == {"type": "integer", "description": "Default: 0."}
    assert set(losses) == {
        "outputFormat.schema rewritten",
        "outputFormat.schema narrowed",
        "outputFormat.schema.properties.a.default described",
    }
    body["output_config"]["format"]["schema"] = schema
    assert laws.write(sample, PROVIDER, laws.read(sample, PROVIDER, body)) == body


@pytest.mark.parametrize("blank", [" ", [{"type": "text", "text": " "}]])
def test_blank_text_that_the_api_accepted_is_sent_again(sample: Package, blank: Any) -> None:
    call = {"type": "tool_use", "id": "toolu_1", "name": "now", "input": {}}
    content = blank if isinstance(blank, str) else [*blank, call]
    messages = [{"role": "user", "content": blank}, {"role": "assistant", "content": content}]
    body = {"model": "m", "max_tokens": 9, "messages": [*messages, {"role": "user", "content": "x"}]}
    assert laws.write(sample, PROVIDER, laws.read(sample, PROVIDER, body)) == body
