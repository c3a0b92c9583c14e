"""Values of a model that are nested deep: held to the depth of JSON texts wherever they come in, and no wire recurses."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.generated import Package

DEEPEST = 200
"""Objects and lists inside each other, as texts of JSON are read."""

DEPTHS = [DEEPEST + 1, 450, 5000]


def filters(depth: int) -> dict[str, Any]:
    """Arguments of a tool whose schema is recursive, with so many objects and lists inside each other."""
    value: Any = {"all": []} if depth % 2 else {"field": "a"}
    for _ in range((depth - 2 - depth % 2) // 2):
        value = {"all": [value]}
    arguments: dict[str, Any] = {"query": value}
    assert depth > 900 or depth_of(arguments) == depth
    return arguments


def depth_of(value: Any) -> int:
    if type(value) is dict:
        return 1 + max(map(depth_of, value.values()), default=0)
    return 1 + max(map(depth_of, value), default=0) if type(value) is list else 0


def anthropic(arguments: Any) -> Any:
    block = {"type": "tool_use", "id": "t1", "name": "search_documents", "input": arguments}
    return {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [block],
            "stop_reason": "tool_use", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}  # fmt: skip


def gemini(arguments: Any) -> Any:
    content = {"role": "model", "parts": [{"functionCall": {"name": "search_documents", "args": arguments}}]}
    return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}]}


def ollama(arguments: Any) -> Any:
    calls = [{"function": {"name": "search_documents", "arguments": arguments}}]
    message = {"role": "assistant", "content": "", "tool_calls": calls}
    return {"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": True, "done_reason": "stop"}


def bedrock(arguments: Any) -> Any:
    content = [{"toolUse": {"toolUseId": "t1", "name": "search_documents", "input": arguments}}]
    usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
    return {"output": {"message": {"role": "assistant", "content": content}}, "stopReason": "tool_use", "usage": usage}


def openai_chat(arguments: Any) -> Any:
    function = {"name": "search_documents", "arguments": arguments}
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "t1", "type": "function", "function": function}],
    }
    return {"id": "m", "model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}


WIRES: dict[str, Callable[[Any], Any]] = {
    "anthropic": anthropic,
    "bedrock": bedrock,
    "gemini": gemini,
    "ollama": ollama,
    "openai_chat": openai_chat,
    "vertex": gemini,
}
"""Responses with one call whose arguments are an object; that of `openai_chat` is what some of its hosts send."""


class Nobody:
    """Handlers that must not be asked."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda args: pytest.fail(f"{name} ran")


@pytest.mark.safety("7.1")
@pytest.mark.parametrize("name", WIRES)
@pytest.mark.parametrize("depth", DEPTHS)
def test_a_call_that_is_nested_too_deep_is_malformed_and_kept_as_text(package: Package, name: str, depth: int) -> None:
    models, arguments = package.module("models"), filters(depth)
    completion = package.provider(name).from_response(WIRES[name](arguments))
    (call,) = package.module("messages").tool_calls_of(completion.message)
    assert (call.arguments, call.invalid.reason) == ({}, "malformed")
    assert call.invalid.text.count("[") + call.invalid.text.count("{") == depth
    if depth < 900:
        assert call.invalid.text == json.dumps(arguments, separators=(",", ":"))
    assert "nested" in package.module("tools").dispatch_sync(call, Nobody()).value
    result = models.ToolResult(call.id, call.name, "error", "no")
    request = models.Request([models.UserMessage("a"), completion.message, models.ToolMessage([result])], model="m")
    for name_of_wire in WIRES:
        provider = package.provider(name_of_wire)
        body = provider.to_request(request, on_loss=lambda loss: None, on_unsupported="weaken")
        assert depth_of(body) < 30
        again = package.module("messages").tool_calls_of(provider.from_request(body).messages[1])[0]
        assert (again.arguments, again.name) == ({}, "search_documents") or list(again.arguments) == ["INVALID_JSON"]


@pytest.mark.safety("7.1")
@pytest.mark.parametrize("name", WIRES)
def test_a_call_as_deep_as_text_is_read_is_taken(package: Package, name: str) -> None:
    arguments = filters(DEEPEST)
    completion = package.provider(name).from_response(WIRES[name](arguments))
    (call,) = package.module("messages").tool_calls_of(completion.message)
    assert (call.arguments, call.invalid) == (arguments, None)


@pytest.mark.safety("7.1")
@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("tool", ["search_documents", "get_weather"])
def test_a_call_from_elsewhere_that_is_nested_too_deep_does_not_run_and_does_not_go_out(
    package: Package, tool: str, depth: int
) -> None:
    models, tools = package.module("models"), package.module("tools")
    arguments = filters(depth) if tool == "search_documents" else {"city": "a", "unit": filters(depth)}
    call = models.ToolCall("c1", tool, arguments)
    assert "bounded depth" in tools.dispatch_sync(call, Nobody()).value
    with pytest.raises(tools.ArgumentsError):
        tools.parse_arguments(tool, arguments)
    request = models.Request([models.UserMessage("a"), models.AssistantMessage([models.ToolCallPart(call)])], model="m")
    for name in WIRES:
        with pytest.raises(
            package.module("runtime.errors").ConversionError, match=f"more than {DEEPEST} deep"
        ) as raised:
            package.provider(name).to_request(request, on_unsupported="weaken")
        assert raised.value.path == "messages[1].content[0].call.arguments"


@pytest.mark.safety("7.1")
@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("referring", [False, True])
def test_a_deep_result_of_a_history_is_read(package: Package, depth: int, referring: bool) -> None:
    value = {"$ref": "a", **filters(depth)} if referring else filters(depth)
    response = {"functionResponse": {"name": "search_documents", "response": value}}
    call = {"functionCall": {"name": "search_documents", "args": {"query": {"field": "a"}}}}
    body = {"contents": [{"role": "user", "parts": [{"text": "a"}]}, {"role": "model", "parts": [call]},
                         {"role": "user", "parts": [response]}]}  # fmt: skip
    request = package.provider("gemini").from_request(body, "m")
    assert request.messages[2].results[0].value is value


@pytest.mark.safety("7.1")
def test_bytes_beside_deep_arguments_are_read(package: Package) -> None:
    body = bedrock(filters(5000))
    body["output"]["message"]["content"].append({"image": {"format": "png", "source": {"bytes": b"abc"}}})
    message = package.provider("bedrock").from_response(body).message
    assert [part.type for part in message.content] == ["tool_call", "image"]
    assert message.content[1].data == "YWJj"


@pytest.mark.safety("7.1")
def test_a_clients_object_that_it_cannot_dump_is_a_conversion_error(package: Package) -> None:
    from anthropic.types import Message

    with pytest.raises(package.module("runtime.errors").ConversionError, match="cannot dump it"):
        package.provider("anthropic").from_response(Message.model_validate(anthropic(filters(450))))


def test_a_value_that_holds_itself_is_an_error_of_its_type(package: Package) -> None:
    inner: list[Any] = []
    inner += [inner, inner]
    with pytest.raises(package.module("runtime.errors").ConversionError, match="contains itself"):
        package.provider("anthropic").from_response(anthropic({"query": inner}))
    call = package.module("models").ToolCall("c1", "search_documents", {"query": inner})
    assert package.module("tools").dispatch_sync(call, Nobody()).kind == "error"
