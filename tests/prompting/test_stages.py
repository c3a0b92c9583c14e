"""The four stages in which calls are found in a text, each with what is a call and what is none."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from tests.prompting import calls, names, read
from tests.support.every_row import over
from tests.support.generated import Package

CALL = '{"name": "get_weather", "arguments": {"city": "Oslo"}}'

STAGES = {
    "tool": "```tool\n{}\n```",
    "json": "```json\n{}\n```",
    "tool_call": "<tool_call>\n{}\n</tool_call>",
    "whole": "{}",
}
"""How a block of each stage stands in a text, in their order."""


def block(stage: str, inner: str) -> str:
    return STAGES[stage].replace("{}", inner)


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_yields_a_call(sample: Package, stage: str) -> None:
    (call,) = calls(sample, block(stage, CALL))
    assert (call.name, call.arguments, call.invalid) == ("get_weather", {"city": "Oslo"}, None)


@pytest.mark.parametrize("stage", ["json", "tool_call", "whole"])
@over(
    "inner",
    [
        '{"name": "get_wheather", "arguments": {}}',
        '{"name": "Get_Weather", "arguments": {}}',
        '{"name": "get_weather"}',
        '{"name": "get_weather", "arguments": {}, "args": {}}',
        '{"name": "get_weather", "tool": "now", "arguments": {}}',
        '{"name": "get_weather", "arguments": {},}',
        '{"name": "get_weather", "name": "now", "arguments": {}}',
        '{"name": "get_weather", "arguments": {"n": NaN}}',
        '{"name": "get_weather", "arguments": {}} and so on',
        '{"name": ["get_weather"], "arguments": {}}',
        '[{"name": "get_weather", "arguments": {}}, 1]',
        '[{"name": "get_weather", "arguments": {}}, {"name": "other", "arguments": {}}]',
        "[]",
        "{}",
        '"get_weather"',
        "",
    ],
)
def test_what_is_no_call_is_text(sample: Package, stage: str, inner: str) -> None:
    text = block(stage, inner)
    assert read(sample, text).content == text


@pytest.mark.parametrize("inner", ["get_weather(city='Oslo')", "{}", "[1]", '{"arguments": {}}', '{"name": " "}', ""])
def test_a_tool_fence_that_names_no_tool_is_text(sample: Package, inner: str) -> None:
    text = block("tool", inner)
    assert read(sample, text).content == text


@pytest.mark.parametrize(("first", "second"), list(itertools.permutations(["tool", "json", "tool_call"], 2)))
def test_the_first_stage_that_yields_a_call_wins(sample: Package, first: str, second: str) -> None:
    order = list(STAGES)
    second_call = '{"name": "now", "arguments": {}}'
    message = read(sample, f"{block(first, CALL)}\n\n{block(second, second_call)}")
    names = [part.call.name for part in message.content if part.type == "tool_call"]
    assert names == (["get_weather"] if order.index(first) < order.index(second) else ["now"])
    loser = block(second, second_call) if names == ["get_weather"] else block(first, CALL)
    assert [part.text for part in message.content if part.type == "text"] == [loser]


def test_a_stage_that_yields_none_leaves_it_to_the_next(sample: Package) -> None:
    assert names(sample, f"```tool\nnothing\n```\n```json\n{CALL}\n```") == ["get_weather"]
    assert names(sample, f"```json\n[1]\n```\n<tool_call>{CALL}</tool_call>") == ["get_weather"]


@over("name", ["name", "tool"])
@over("arguments", ["arguments", "args"])
@pytest.mark.parametrize("stage", STAGES)
def test_both_spellings_of_the_keys_are_read(sample: Package, stage: str, name: str, arguments: str) -> None:
    inner = json.dumps({name: "now", arguments: {"a": 1}}, indent=2)
    (call,) = calls(sample, block(stage, inner))
    assert (call.name, call.arguments) == ("now", {"a": 1})


@pytest.mark.parametrize("stage", STAGES)
def test_a_list_is_several_calls(sample: Package, stage: str) -> None:
    tool_calls = calls(sample, block(stage, f'[{CALL}, {{"tool": "now", "args": null}}]'))
    assert [(call.id, call.name, call.arguments) for call in tool_calls] == [
        ("call_0_0", "get_weather", {"city": "Oslo"}),
        ("call_0_1", "now", {}),
    ]


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(
    ("alias", "name"), [("bash", "run_command"), ("getWeather", "get_weather"), ("weather", "get_weather")]
)
def test_an_alias_is_its_tool(sample: Package, stage: str, alias: str, name: str) -> None:
    assert names(sample, block(stage, json.dumps({"name": alias, "arguments": {}}))) == [name]


@pytest.mark.parametrize("name", ["Bash", "basch", "get-weather", "getweather", "g\u0435t_weather", " now"])
def test_a_name_that_is_only_near_is_not_guessed(sample: Package, name: str) -> None:
    inner = json.dumps({"name": name, "arguments": {}}, ensure_ascii=False)
    assert names(sample, block("tool", inner)) == [name]
    assert [names(sample, block(stage, inner)) for stage in ("json", "tool_call", "whole")] == [[], [], []]


def test_an_alias_of_two_tools_is_neither(sample: Package) -> None:
    make = sample.module("models").ToolDefinition
    tools = [make(name, metadata={"declaration": {"$declared": {"aliases": ["it", "b"]}}}) for name in ("a", "b")]
    assert sample.module("runtime.prompting.text_calls").accepted_names(tools) == {"a": "a", "b": "b"}


@pytest.mark.parametrize(
    ("inner", "name", "reason"),
    [
        ('{"name": "now", "arguments": {},}', "now", "malformed"),
        ('{"name": "now", "arguments": {"n": NaN}}', "now", "malformed"),
        ('{"name": "now", "arguments": {"a": 1, "\\u0061": 2}}', "now", "malformed"),
        ('{"name": "now", "arguments": {}} {}', "now", "malformed"),
        ('{"name": "now", "tool": "other", "arguments": {}}', "now", "malformed"),
        ('{"name": "now", "args": {}, "arguments": {}}', "now", "malformed"),
        (
            '{"id": "1", "reasoning": "\\"name\\": \\"x\\"", "tool": "bash", "args": {"n": 01}}',
            "run_command",
            "malformed",
        ),
        ('{"args": {"n": 01}, "tool": "bash"}', "run_command", "malformed"),
        ('{"name": "now", "arguments": "{\\"n\\": 01}"}', "now", "malformed"),
        ('{"name": "now", "arguments": [1]}', "now", "not_an_object"),
        ('{"name": "now", "arguments": "[1]"}', "now", "not_an_object"),
        ('{"name": "now", "arguments": 1}', "now", "not_an_object"),
    ],
)
def test_a_call_that_cannot_be_run_is_not_lost(sample: Package, inner: str, name: str, reason: str) -> None:
    (call,) = calls(sample, f"So:\n```tool\n{inner}\n```")
    assert (call.name, call.arguments, call.invalid.reason) == (name, {}, reason)
    assert call.invalid.text in inner or json.loads(inner)


@pytest.mark.parametrize(("arguments", "value"), [("null", {}), ('"{\\"a\\": 1}"', {"a": 1}), ("{}", {})])
def test_arguments_that_mean_an_object_beyond_doubt_are_one(sample: Package, arguments: str, value: Any) -> None:
    for stage in STAGES:
        (call,) = calls(sample, block(stage, f'{{"name": "now", "arguments": {arguments}}}'))
        assert (call.arguments, call.invalid) == (value, None)


@pytest.mark.parametrize("stage", STAGES)
def test_why_a_call_is_made_is_reasoning_before_it(sample: Package, stage: str) -> None:
    content = read(sample, block(stage, '{"reasoning": "It rains.", "name": "now", "arguments": {}}')).content
    assert [(part.type, getattr(part, "text", "")) for part in content] == [
        ("reasoning", "It rains."),
        ("tool_call", ""),
    ]


def test_an_id_is_made_and_marked_where_the_text_has_none(sample: Package) -> None:
    message = read(sample, f'```tool\n{CALL}\n```\n```tool\n{{"id": "mine", "name": "now"}}\n```', turn=3)
    without_id, with_id = (part.call for part in message.content)
    assert (without_id.id, without_id.metadata) == ("call_3_0", {"prompt": {"$synthetic": "call_3_0"}})
    assert (with_id.id, with_id.metadata) == ("mine", None)


def test_an_id_twice_is_one_that_cannot_be_run(sample: Package) -> None:
    call_block = '```tool\n{"id": "call_0_1", "name": "now"}\n```\n'
    first, second = calls(sample, call_block + call_block)
    assert (first.id, first.invalid) == ("call_0_1", None)
    assert (second.id, second.invalid.reason) == ("call_0_1_", "duplicate_id")


def test_a_text_without_calls_is_a_text(sample: Package) -> None:
    message = read(sample, "It is sunny.\n")
    assert (message.role, message.content, message.metadata) == ("assistant", "It is sunny.\n", None)


def test_texts_stand_where_they_were_between_calls(sample: Package) -> None:
    fence = block("tool", CALL)
    content = read(sample, f"First.\n\n{fence}\n\n  then\n \n{fence}\n\n\n\nLast. \n").content
    texts = [part.text if part.type == "text" else "" for part in content]
    assert texts == ["First.", "", "  then\n ", "", "\n\nLast. \n"]
