"""What only Chat Completions has: refusals beside the text, tools as a union of the client's types."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.providers import laws
from tests.providers.wires import drained
from tests.support.generated import Package
from tests.support.places import put
from tests.support.repository import table

PROVIDER = "openai_chat"


@pytest.mark.row("A14")
def test_a_refusal_is_a_part_and_comes_back(sample: Package, models: Any) -> None:
    message = {"role": "assistant", "content": None, "refusal": "no"}
    body = put(table(PROVIDER)["answer"], ["choices", 0], {"index": 0, "message": message, "finish_reason": "stop"})
    completion = laws.answer(sample, PROVIDER, body)
    assert [laws.bare(part) for part in completion.message.content] == [models.RefusalPart("no")]
    assert completion.finish_reason == "stop"
    assert sample.provider(PROVIDER).to_response(completion) == body
    asked = {
        "model": "m",
        "messages": [{"role": "user", "content": "Hi"}, message, {"role": "user", "content": "Why?"}],
    }
    assert laws.write(sample, PROVIDER, laws.read(sample, PROVIDER, asked)) == asked


def test_moved_and_joined_refusals_are_reported(sample: Package, models: Any) -> None:
    parts = [models.RefusalPart("no"), models.TextPart("but"), models.RefusalPart(" never")]
    losses: list[Any] = []
    (message,) = sample.provider(PROVIDER).to_messages([models.AssistantMessage(parts)], on_loss=losses.append)
    assert message == {"role": "assistant", "content": "but", "refusal": "no never"}
    assert [(loss.path, loss.action) for loss in losses] == [
        ("[0].content", "rewritten"),
        ("[0].content", "rewritten"),
    ]


@pytest.mark.row("T28")
def test_declared_tools_are_of_the_clients_type(package: Package) -> None:
    from openai.types.chat import ChatCompletionToolUnionParam
    from pydantic import TypeAdapter, ValidationError

    adapter: TypeAdapter[Any] = TypeAdapter(ChatCompletionToolUnionParam)
    tools = copy.deepcopy(package.provider(PROVIDER).TOOLS)
    for tool in tools:
        drained(adapter.validate_python(tool, strict=True, extra="forbid"))
    with pytest.raises(ValidationError):
        adapter.validate_python({**tools[0], "x_unknown": 1}, strict=True, extra="forbid")


@pytest.mark.pain("P28")
@pytest.mark.row("T48", "T49")
def test_two_calls_whose_pieces_alternate(sample: Package) -> None:
    def chunk(*pieces: Any) -> Any:
        return {"id": "c", "model": "m", "choices": [{"index": 0, "delta": {"tool_calls": list(pieces)}}]}

    def head(index: int, name: str) -> Any:
        return {"index": index, "id": f"call_{index + 1}", "type": "function", "function": {"name": name}}

    def more(index: int, text: str) -> Any:
        return {"index": index, "function": {"arguments": text}}

    events = [
        chunk(head(0, "get_weather")),
        chunk(head(1, "get_time")),
        chunk(more(0, '{"city":'), more(1, '{"timezone":')),
        chunk(more(0, '"tokyo"}')),
        chunk(more(1, '"JST"}')),
        {"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
    ]
    completion, _ = laws.played(sample, PROVIDER, events)
    assert [(c.id, c.name, c.arguments) for c in laws.calls_of(sample, completion)] == [
        ("call_1", "get_weather", {"city": "tokyo"}),
        ("call_2", "get_time", {"timezone": "JST"}),
    ]


def test_an_image_given_as_its_address_alone_goes_back_as_it_was(sample: Package) -> None:
    """Older vision models accept it; the format has no place for the spelling."""
    provider = sample.module("providers.openai_chat")
    content = [{"type": "image_url", "image_url": "https://example.com/a.png"}, {"type": "text", "text": "What is it?"}]
    body = {"model": "m", "messages": [{"role": "user", "content": content}]}
    assert provider.to_request(provider.from_request(body)) == body
