"""What only Chat Completions has: refusals beside the text, tools as a union of the client's types."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.providers import laws
from tests.support.generated import Package
from tests.support.places import put
from tests.support.repository import table
from tests.support.wires import drained

PROVIDER = "openai_chat"


def test_a_refusal_is_a_part_and_comes_back(sample: Package, models: Any) -> None:
    message = {"role": "assistant", "content": None, "refusal": "no"}
    body = put(table(PROVIDER)["response"], ["choices", 0], {"index": 0, "message": message, "finish_reason": "stop"})
    completion = laws.completion_of(sample, PROVIDER, body)
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


def test_declared_tools_are_of_the_clients_type(package: Package) -> None:
    from openai.types.chat import ChatCompletionToolUnionParam
    from pydantic import TypeAdapter, ValidationError

    adapter: TypeAdapter[Any] = TypeAdapter(ChatCompletionToolUnionParam)
    tools = copy.deepcopy(package.provider(PROVIDER).TOOLS)
    for tool in tools:
        drained(adapter.validate_python(tool, strict=True, extra="forbid"))
    with pytest.raises(ValidationError):
        adapter.validate_python({**tools[0], "x_unknown": 1}, strict=True, extra="forbid")


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


FUNCTION_RESULTS = [
    [{"content": "noon"}],
    [{"content": "noon"}, {"content": '{"error": "late"}', "x_key": 1}],
    [{"content": "noon", "role": "tool", "tool_call_id": "call0000a"}, {"content": ""}],
]


@pytest.mark.parametrize("provider", ["openai_chat", "openai_compatible", "azure", "mistral"])
@pytest.mark.parametrize("results", FUNCTION_RESULTS)
def test_a_function_message_is_the_result_of_the_open_call_of_its_name(
    sample: Package, models: Any, provider: str, results: list[Any]
) -> None:
    """Apps from before tools send their results so. Another API gets them with the id of the call."""
    calls = [
        {"id": f"call0000{letter}", "type": "function", "function": {"name": name, "arguments": "{}"}}
        for letter, name in (("x", "get_weather"), ("a", "now"), ("b", "now"))
    ]
    user = {"role": "user", "content": "Hi"}
    outputs = [{"role": "function", "name": "now", **result} for result in results]
    weather = {"role": "tool", "tool_call_id": "call0000x", "content": "rain"}
    for output in outputs:
        if output["role"] == "tool":
            del output["name"]
    assistant = {"role": "assistant", "content": "Hm", "tool_calls": calls}
    body = {"model": "m", "messages": [user, assistant, weather, *outputs, user]}
    request = laws.read(sample, provider, body)
    assert sample.provider(provider).to_request(request)["messages"] == body["messages"]
    results_read = [result for message in request.messages for result in getattr(message, "results", ())]
    assert [(result.tool_call_id, result.name) for result in results_read] == [
        ("call0000x", "get_weather"),
        *[("call0000a", "now"), ("call0000b", "now")][: len(results)],
    ]
    assert [result.kind for result in results_read[1:]] == [
        "error" if "x_key" in result else "text" for result in results
    ]
    losses: list[Any] = []
    sent = sample.provider("openai_responses").to_request(request, on_loss=losses.append)["input"]
    assert {loss.what for loss in losses} <= {"x_key"}
    assert [item["call_id"] for item in sent if item.get("type") == "function_call_output"] == [
        result.tool_call_id for result in results_read
    ]


def test_a_function_message_without_a_call_of_its_name_stays_as_it_is(sample: Package) -> None:
    user = {"role": "user", "content": "Hi"}
    call = {"id": "c1", "type": "function", "function": {"name": "now", "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    done = {"role": "tool", "tool_call_id": "c1", "content": "noon"}
    for before in ([user], [user, message], [user, message, done]):
        for result in ({"name": "other", "content": "x"}, {"name": "now", "content": None}, {"content": "x"}):
            body = {"model": "m", "messages": [*before, {"role": "function", **result}, user]}
            assert laws.write(sample, PROVIDER, laws.read(sample, PROVIDER, body)) == body
    body = {"model": "m", "messages": [user, message, {"role": "function", "name": "now", "content": "x"}, user]}
    assert sample.provider("cohere").to_request(sample.provider("cohere").from_request(body)) == body
