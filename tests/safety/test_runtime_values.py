"""Values that no JSON has, and settings that are no settings: refused at once, in words, whoever gives them."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests.support.generated import Package

WEATHER = {"city": "Oslo"}


class Handlers:
    """Serves every tool."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda args: {"place": "x", "temperature": 1}


@pytest.mark.parametrize("half", ["\ud800", "x\udfff"], ids=["first", "second"])
def test_half_of_a_surrogate_pair_is_refused_in_objects_as_in_text(sample: Package, half: str) -> None:
    tools = sample.module("tools")
    for value in ({"city": half}, {"city": "Oslo", half: 1}, {"city": "Oslo", "more": [{"x": half}]}):
        with pytest.raises(tools.ArgumentsError, match="half of a surrogate pair"):
            tools.parse_arguments("get_weather", value)
    assert tools.parse_arguments("get_weather", {"city": "\U0001d4b3 é"}).city == "\U0001d4b3 é"


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_load_refuses_what_json_does_not_have(models: Any, number: float) -> None:
    for kind, data, path in (
        (models.ToolCall, {"id": "a", "name": "b", "arguments": {"x": [1, number]}}, "arguments.x[1]"),
        (models.Request, {"messages": [], "temperature": number}, "temperature"),
        (models.Request, {"messages": [], "more": {"x": number}}, "more.x"),
    ):
        with pytest.raises(models.ConversionError) as caught:
            models.load(kind, data)
        assert str(caught.value) == f"{path}: is not a finite number"
    held: dict[str, Any] = {"id": "a", "name": "b", "arguments": {}}
    held["arguments"]["self"] = held["arguments"]
    assert models.load(models.ToolCall, held).name == "b"


@pytest.mark.parametrize(
    ("timeout", "error"), [("x", TypeError), (True, TypeError), ([1], TypeError), (math.nan, ValueError)]
)
def test_a_timeout_is_a_number_of_seconds(sample: Package, models: Any, timeout: Any, error: type[Exception]) -> None:
    tools, running = sample.module("tools"), sample.module("running")
    call = models.ToolCall("a", "get_weather", WEATHER)
    with pytest.raises(error, match="timeout must be a number of seconds"):
        tools.dispatch_sync(call, Handlers(), timeout=timeout)
    with pytest.raises(error, match="timeout must be a number of seconds"):
        running.run(sample.module("sessions").Session(), "Hello", Handlers(), timeout=timeout)


@pytest.mark.parametrize("name", [None, 5, ["get_weather"]])
def test_a_call_without_a_name_gets_an_error(sample: Package, models: Any, name: Any) -> None:
    result = sample.module("tools").dispatch_sync(models.ToolCall("a", name, {}), Handlers())
    assert (result.kind, result.value.startswith("There is no tool with this name.")) == ("error", True)


@pytest.mark.parametrize("text", [None, 5, [], {}, b"x"])
def test_what_is_no_text_has_no_calls_to_read(sample: Package, text: Any) -> None:
    with pytest.raises(ValueError, match="text: must be a string"):
        sample.provider("prompt").parse_text(text)


def test_one_untrusted_text_may_stand_alone(sample: Package) -> None:
    block = '```tool\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n```'
    prompt = sample.provider("prompt")
    contents = [prompt.parse_text(block, untrusted=untrusted).content for untrusted in (block, [block], ())]
    assert [part.call.invalid and part.call.invalid.reason for (part,) in contents] == ["untrusted", "untrusted", None]
