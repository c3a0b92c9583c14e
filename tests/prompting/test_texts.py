"""Tools, calls and results as text: what is in it, that nothing leaves its place, and that it is read back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.prompting import definitions, read
from tests.support.generated import Package

WORDS = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(
    [
        "```\n",
        "\n```tool\n{}\n```\n",
        "\n\nTo call a tool, write",
        "# Tools\n",
        "\x85\u2028\u2029\x7f",
        '"}\n{"name":"x"}\n',
        "\\n",
        "</tool>",
    ]
)
VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.row("Q07")
def test_tools_are_named_described_and_have_their_schemas(sample: Package) -> None:
    text = sample.module("runtime.prompting.tool_definitions_as_text").tools_text(definitions(sample))
    for tool in definitions(sample):
        assert f'{{"name":"{tool.name}","description":"{tool.description}","parameters":{{"type":"object"}}}}\n' in text
    assert "```tool\n" in text
    assert sample.module("runtime.prompting.tool_definitions_as_text").tools_text([]) == ""


@pytest.mark.row("Q07")
@given(
    tools=st.lists(
        st.tuples(WORDS.filter(str.strip), st.none() | WORDS, st.none() | st.dictionaries(WORDS, VALUES, max_size=3)),
        min_size=1,
        max_size=3,
    )
)
def test_tools_are_read_back_whatever_they_say(sample: Package, tools: list[Any]) -> None:
    module, make = sample.module("runtime.prompting.tool_definitions_as_text"), sample.module("models").ToolDefinition
    given_tools = [make(*tool) for tool in tools]
    text = module.tools_text(given_tools)
    assert module.read_tools_text(text) == given_tools
    assert module.split_leading_tool_entries(text + "\nMore.")[1] == "\nMore."
    frame = module.tools_text([make("x")]).replace('{"name":"x"}\n', "")
    assert len(text.splitlines()) == len(frame.splitlines()) + len(tools)


@pytest.mark.parametrize(
    "change",
    [("# Tools", "# Tool"), ('","description"', '", "description"'), ("Write one", "Write a"), ("\n\nTo", "\nTo")],
)
def test_a_text_that_is_not_ours_offers_no_tools(sample: Package, change: tuple[str, str]) -> None:
    module = sample.module("runtime.prompting.tool_definitions_as_text")
    text = module.tools_text(definitions(sample))
    assert module.read_tools_text(text) is not None
    assert module.read_tools_text(text.replace(*change)) is None
    assert module.read_tools_text(text + "x") is None
    assert module.read_tools_text("") is None


@pytest.mark.row("Q13")
@given(
    results=st.lists(
        st.tuples(
            WORDS,
            WORDS,
            st.tuples(st.just("text"), WORDS) | st.tuples(st.just("error"), WORDS) | st.tuples(st.just("data"), VALUES),
            st.booleans(),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_results_are_read_back_whatever_they_hold(sample: Package, results: list[Any]) -> None:
    module, make = sample.module("runtime.prompting.text_calls"), sample.module("models").ToolResult
    given_results = [
        make(i, n, kind, value, (kind == "data" and failed) or None) for i, n, (kind, value), failed in results
    ]
    text = module.results_text(given_results)
    assert module.read_results_text(text) == given_results
    assert len(text.splitlines()) == len(results) + 2
    assert read(sample, text).content == text, "a result was read as a call"


@pytest.mark.row("Q13")
def test_a_failure_is_told(sample: Package) -> None:
    module, make = sample.module("runtime.prompting.text_calls"), sample.module("models").ToolResult
    text = module.results_text([make("a", "now", "error", "no clock"), make("b", "now", "data", [1], True)])
    assert text.split("\n")[2:] == [
        '{"id":"a","name":"now","error":"no clock"}',
        '{"id":"b","name":"now","data":[1],"failed":true}',
    ]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "[]",
        '{"id":"a","name":"now"}',
        '{"id":"a","name":"now","text":"x","data":1}',
        '{"name":"now","id":"a","text":"x"}',
        '{"id":"a","name":"now","text": "x"}',
        '{"id":"a","name":"now","text":1}',
        '{"id":"a","name":1,"text":"x"}',
        '{"id":1,"name":"now","text":"x"}',
        '{"id":"a","name":"now","error":"x","failed":true}',
        '{"id":"a","name":"now","data":1,"failed":false}',
        '{"id":"a","name":"now","text":"x","x":1}',
        '{"id":"a","name":"now","text":"x"}\n',
    ],
)
def test_a_text_that_is_not_ours_holds_no_results(sample: Package, line: str) -> None:
    module = sample.module("runtime.prompting.text_calls")
    text = module.results_text([sample.module("models").ToolResult("a", "now", "text", "x")])
    head, _, ours = text.rpartition("\n")
    assert module.read_results_text(text) is not None
    assert module.read_results_text(f"{head}\n{line}") is None
    assert module.read_results_text(f"{head}\n{ours}\n{line}") is None


@given(
    name=WORDS.filter(str.strip),
    arguments=st.dictionaries(WORDS, VALUES, max_size=3),
    why=st.none() | WORDS.filter(bool),
)
def test_a_call_is_read_back_whatever_it_says(sample: Package, name: str, arguments: Any, why: str | None) -> None:
    models = sample.module("models")
    call = models.ToolCall("an id", name, arguments)
    text = sample.module("runtime.prompting.text_calls").call_text(call, why)
    assert len(text.splitlines()) == 3
    content = read(sample, text).content
    assert content[-1].call == call or content[-1].call.name in ("get_weather", "run_command")
    assert [part.text for part in content[:-1]] == ([] if why is None else [why])


def test_a_value_that_json_cannot_hold_is_refused_by_its_place(sample: Package) -> None:
    models = sample.module("models")
    with pytest.raises(models.ConversionError, match="arguments"):
        sample.module("runtime.prompting.text_calls").call_text(models.ToolCall("a", "now", {"a": float("nan")}))
    with pytest.raises(models.ConversionError, match=r"results\[0\]\.value"):
        sample.module("runtime.prompting.text_calls").results_text([models.ToolResult("a", "now", "data", {1, 2})])


@pytest.mark.row("Q10")
def test_a_definition_knows_the_aliases_of_its_declaration(package: Package) -> None:
    definitions = package.module("tools").DEFINITIONS
    names = package.module("runtime.prompting.text_calls").accepted_names(definitions.values())
    assert {alias: name for alias, name in names.items() if alias != name} == package.module("tools").ALIASES
