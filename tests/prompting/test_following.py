"""A text that comes in pieces gives what it gives as a whole, and nothing that was told is taken back."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.prompting import definitions, followed, read
from tests.support.generated import Package

CALL = '{"name": "get_weather", "arguments": {"city": "Oslo"}}'
OTHER = '{"tool": "bash", "args": {}, "reasoning": "why"}'

PIECES = st.sampled_from(
    [
        *(f"```{kind}\n{CALL}\n```\n" for kind in ("tool", "json", "python", " tool \r", "tools")),
        *(f"```{kind}\n[{OTHER}, {CALL}]\n```\n" for kind in ("tool", "json")),
        f"<tool_call>\n{CALL}\n</tool_call>\n",
        f"<tool_call>{OTHER}</tool_call>",
        *(
            "```",
            "````",
            "~~~",
            "`",
            "   ```",
            "> ```tool\n",
            "- ```",
            "```tool\n",
            "```json\n",
            "<tool_call>",
            "</tool_call>",
        ),
        *(CALL, OTHER, "{", "[", '{"', "}", "]", '{"name": "x", "arguments": {},}', "null"),
        *("\n", "\n\n", " ", "\r\n", "\t", "text", "Some words.\n", "\u2028", "\ud800", "é"),
    ]
)
TEXTS = st.lists(PIECES, max_size=14).map("".join)


@given(text=TEXTS | st.text(), cuts=st.lists(st.integers(min_value=0, max_value=400)))
def test_any_split_gives_the_whole(sample: Package, text: str, cuts: list[int]) -> None:
    places = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]
    events, message = followed(sample, [text[a:b] for a, b in itertools.pairwise(places)])
    assert message == read(sample, text)
    _adds_up(sample, events, message)


@given(text=TEXTS)
def test_signs_one_by_one_give_the_whole(sample: Package, text: str) -> None:
    events, message = followed(sample, list(text))
    assert message == read(sample, text)
    _adds_up(sample, events, message)


def _adds_up(package: Package, events: list[Any], message: Any) -> None:
    """The events say the message: its texts joined, and its calls, each once."""
    calls = package.module("messages").tool_calls_of(message)
    deltas = [event for event in events if event.type == "tool_call_delta"]
    assert [(d.index, d.id, d.name) for d in deltas] == [(i, c.id, c.name) for i, c in enumerate(calls)]
    parts = message.content if isinstance(message.content, list) else []
    thoughts = [part.text for part in parts if part.type == "reasoning"]
    assert [e.text for e in events if e.type == "reasoning_delta"] == thoughts
    assert "".join(e.text for e in events if e.type == "text_delta") == package.module("messages").text_of(message)


def told_early(package: Package, text: str) -> list[str]:
    """What is told of a text sign by sign before its end is known."""
    reader = package.module("runtime.prompting.stream_parser").ResponseReader(definitions(package))
    events = [event for sign in text for event in reader.feed(sign)]
    return [
        event.text if event.type == "text_delta" else f"<{getattr(event, 'name', '')}>"
        for event in events
        if event.type != "reasoning_delta"
    ]


@pytest.mark.parametrize(
    ("text", "before_the_end"),
    [
        ("Some words, ", "Some words,"),
        ("A line.\nAnother `one`.", "A line.\nAnother `one`."),
        ("See:\n```python\nprint(1)\n", "See:\n```python\nprint(1)"),
        ("See:\n```", "See:"),
        ("See:\n```too", "See:"),
        ("See:\n```toolbox", "See:\n```toolbox"),
        ("See:\n  ```tool\n{", "See:\n  ```tool\n{"),
        ("See:\n<tool", "See:"),
        ("See:\n<tools>", "See:\n<tools>"),
        (f"See:\n```tool\n{CALL}\n```", "See:"),
        (f"See:\n```tool\n{CALL}\n```\n", "See:<get_weather>"),
        (f"See:\n```tool\n{CALL}\n```\nDone", "See:<get_weather>Done"),
        ("See:\n```tool\nnothing\n```\n", "See:\n```tool\nnothing\n```"),
        ("See:\n```json\n[1]\n```\n", "See:\n```json\n[1]\n```"),
        (f"See:\n```json\n{CALL}\n```\nMore.\n", "See:"),
        (f"```json\n{CALL}\n```\nMore.\n```tool\n{OTHER}\n```\n", f"```json\n{CALL}\n```\nMore.<run_command>"),
        (f"```tool\n{OTHER}\n```\n```json\n{CALL}\n```\n", f"<run_command>```json\n{CALL}\n```"),
        ('{"name": ', ""),
        ("[link](x)", "[link](x)"),
        ("{x}", "{x}"),
        (' {"name', ' {"name'),
    ],
)
def test_only_what_may_be_a_call_is_held_back(sample: Package, text: str, before_the_end: str) -> None:
    assert "".join(told_early(sample, text)) == before_the_end


def test_without_tools_nothing_is_held_back_but_tool_fences(sample: Package) -> None:
    reader = sample.module("runtime.prompting.stream_parser").ResponseReader()
    for text in (CALL, f"\n```json\n{CALL}\n```\n.", f"\n<tool_call>{CALL}</tool_call>\n."):
        assert [event.text.strip() for event in reader.feed(text)] != []
    assert reader.feed("\n```tool\n") == []


def test_ids_of_earlier_calls_are_not_given_again(sample: Package) -> None:
    reader = sample.module("runtime.prompting.stream_parser").ResponseReader(definitions(sample), turn=1, used=["mine"])
    events = reader.feed('```tool\n{"id": "mine", "name": "now"}\n```\n')
    assert [event.id for event in events] == ["call_1_0"]
    assert [part.call.id for part in reader.message().content] == ["call_1_0"]
