"""One request and one response for all wires with conversations."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.providers import laws
from tests.support.generated import Package, wire_name
from tests.support.repository import CONVERSING
from tests.support.requests import SCENARIOS
from tests.support.responses import response_of
from tests.support.wires import WIRES


@pytest.mark.parametrize("provider", CONVERSING)
def test_one_request_goes_to_every_wire_and_one_form_of_response_comes_back(
    sample: Package, models: Any, provider: str
) -> None:
    module = sample.provider(provider)
    request = models.load(models.Request, {**SCENARIOS["calls"], "model": "m"})
    before = laws.exact(models.dump(request))
    body = laws.write(sample, provider, request)
    assert [seen_call.name for seen_call in WIRES[provider].calls(body)] == ["get_weather", wire_name(provider)]
    assert laws.exact(models.dump(request)) == before
    completion = module.from_response(copy.deepcopy(response_of(provider, calls=True)))
    assert type(completion) is models.Completion
    assert completion.finish_reason == "tool_calls"
    assert {type(p).__name__ for p in completion.message.content} >= {"ToolCallPart"}


def test_the_native_chat_of_ollama_is_not_the_one_of_compatible_servers(sample: Package, models: Any) -> None:
    """An object here, a text there; and only one of the two lets a caller choose."""
    call = models.ToolCall("call_a", "get_weather", {"city": "Oslo"})
    native = sample.provider("ollama").to_tool_call(call)
    compatible = sample.provider("openai_compatible").to_tool_call(call)
    assert native["function"]["arguments"] == {"city": "Oslo"}
    assert compatible["function"]["arguments"] == '{"city":"Oslo"}'
    assert sample.provider("openai_compatible").to_tool_choice("required") == "required"
    with pytest.raises(models.ConversionError):
        sample.provider("ollama").to_tool_choice("required")
