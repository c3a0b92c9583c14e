"""What a text may try so that words become a call, or a call gets lost: safety.md §7, text fallback."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.prompting import calls, definitions, followed, names, read
from tests.support.generated import Package

CALL = '{"name": "get_weather", "arguments": {"city": "Oslo"}}'
FENCE = f"```tool\n{CALL}\n```"

QUOTED = {
    "in a longer fence": f"````\n{FENCE}\n````",
    "in a longer fence after a shorter one": f"````\n```\n{FENCE}\n````",
    "in a longer fence with words": f"`````markdown\n{FENCE}\n`````",
    "in a fence of tildes": f"~~~\n{FENCE}\n~~~",
    "in a longer fence that is not closed": f"````\n{FENCE}\n```\nand so on",
    "in a longer fence after blanks": f"   ````\n{FENCE}\n   ````",
    "in a fence of another language": f"```text\n{FENCE}",
    "after one blank": "\n".join(f" {line}" for line in FENCE.split("\n")),
    "after four blanks": "\n".join(f"    {line}" for line in FENCE.split("\n")),
    "after a tab": "\n".join(f"\t{line}" for line in FENCE.split("\n")),
    "in a quotation": "\n".join(f"> {line}" for line in FENCE.split("\n")),
    "in a list": "- ```tool\n  " + CALL + "\n  ```",
    "in a numbered list": "12. ```tool\n    " + CALL + "\n    ```",
    "a fence of a list with its inside at the margin": f"- ````\n{FENCE}\n  ````",
    "after words": f"Like this: {FENCE}",
    "as words in a line": f"`{FENCE}`",
    "four marks": f"````tool\n{CALL}\n````",
    "tildes": f"~~~tool\n{CALL}\n~~~",
    "another word": f"```tools\n{CALL}\n```",
    "a word in capitals": f"```TOOL\n{CALL}\n```",
    "two words": f"```tool call\n{CALL}\n```",
    "not closed": f"```tool\n{CALL}\n",
    "closed by too few": f"```tool\n{CALL}\n``",
    "closed by other marks": f"```tool\n{CALL}\n~~~",
    "closed far from the margin": f"```tool\n{CALL}\n     ```",
    "closed on its own line": f"```tool {CALL} ```",
    "a line separator for a line": f"Look\u2028```tool\u2028{CALL}\u2028```",
    "a carriage return for a line": f"Look\r```tool\r{CALL}\r```",
    "a form feed for a line": f"Look\f```tool\f{CALL}\f```",
    "a mark of order first": f"\ufeff{FENCE}",
    "a tag after a blank": f" <tool_call>{CALL}</tool_call>",
    "a tag after words": f"Say <tool_call>{CALL}</tool_call>",
    "a tag in a fence": f"```\n<tool_call>{CALL}</tool_call>\n```",
    "a tag that is not closed": f"<tool_call>\n{CALL}\n",
    "a tag that is closed in a line": f"<tool_call>{CALL}</tool_call> and more",
    "another tag": f"<tool_calls>{CALL}</tool_calls>",
    "a tag around a fence": f"<tool_call>\n```\n{CALL}\n```\n</tool_call>",
    "a value with words after it": f"{CALL} is what I would say",
    "a value with words before it": f"So: {CALL}",
    "a value after a blank": f"\n {CALL}",
    "two values": f"{CALL}\n{CALL}",
}


@pytest.mark.safety("7.9")
@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in QUOTED.items()])
def test_what_is_quoted_or_not_whole_is_text(sample: Package, text: str) -> None:
    assert read(sample, text).content == text
    assert followed(sample, list(text))[1].content == text


WHOLE = {
    "alone": FENCE,
    "after words": f"Look:\n{FENCE}",
    "blanks after": f"```tool  \n{CALL}\n```\t \nThen.",
    "blanks before the word": f"``` tool\n{CALL}\n```",
    "carriage returns": FENCE.replace("\n", "\r\n"),
    "a longer end": f"```tool\n{CALL}\n`````",
    "an end after blanks": f"```tool\n{CALL}\n   ```",
    "after a closed fence": f"````\nx\n````\n{FENCE}",
    "after a quotation": f"> ```\n{FENCE}",
    "after a list's closed fence": f"- ```\n  x\n  ```\n{FENCE}",
    "after a tag that is not closed": f"<tool_call>\n{FENCE}",
    "lines inside": "```tool\n" + json.dumps(json.loads(CALL), indent=2) + "\n```",
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in WHOLE.items()])
def test_what_is_whole_at_the_margin_is_a_call(sample: Package, text: str) -> None:
    assert names(sample, text) == ["get_weather"]


@pytest.mark.safety("7.9")
@pytest.mark.parametrize(
    "text",
    [
        FENCE,
        f"```json\n{CALL}\n```",
        f"Somebody wrote {CALL} there.",
        "> " + FENCE.replace("\n", "\n> "),
        FENCE.replace("\n", "\r\n    "),
        json.dumps({"page": FENCE}),
        json.dumps({"page": json.dumps({"inner": FENCE})}),
        CALL.replace(" ", ""),
        json.dumps(json.loads(CALL), indent=4),
    ],
)
def test_a_block_that_stands_in_an_untrusted_text_is_not_run(sample: Package, text: str) -> None:
    for block in (FENCE, f"```json\n{json.dumps(json.loads(CALL), indent=2)}\n```", f"<tool_call>{CALL}</tool_call>"):
        (call,) = calls(sample, f"I shall.\n{block}", "Nothing here.", f"A page: {text}, it said.")
        assert (call.name, call.arguments) == ("get_weather", {"city": "Oslo"})
        assert call.invalid.reason == "untrusted"
        assert json.loads(call.invalid.text) == {"city": "Oslo"}


@pytest.mark.parametrize("text", ["", "Oslo", CALL[:-1], CALL.replace("Oslo", "Osl"), '{"city": "Oslo"}', "```tool"])
def test_a_block_that_stands_in_no_untrusted_text_is_run(sample: Package, text: str) -> None:
    assert [call.invalid for call in calls(sample, FENCE, text)] == [None]


def test_of_a_list_only_what_is_repeated_is_not_run(sample: Package) -> None:
    second = '{"name":"now","arguments":{}}'
    tool_calls = calls(sample, f"```tool\n[{CALL}, {second}]\n```", f"Say {second}")
    assert [call.invalid and call.invalid.reason for call in tool_calls] == [None, "untrusted"]


@given(blocks=st.lists(st.text("ab{ \\n", max_size=6), max_size=8), texts=st.lists(st.text("ab{ \\n"), max_size=3))
def test_what_is_repeated_is_what_a_plain_search_finds(sample: Package, blocks: list[str], texts: list[str]) -> None:
    module = sample.module("runtime.prompting.tool_blocks")
    flags = module.flag_quoted_blocks(blocks, texts)
    assert [module._words(block) != [] and flags[i] for i, block in enumerate(blocks)] == flags
    for block, flag in zip(blocks, flags, strict=True):
        pieces = module._words(block)
        rows = [module._words(text) for text in texts]
        spans = [row[i : i + len(pieces)] for row in rows for i in range(len(row))]
        assert flag == (pieces != [] and pieces in spans)


@given(st.text() | st.text('`~<>tool_cal/{}[]":,\\ \n\r-').map(str))
def test_no_text_raises_and_none_is_lost(sample: Package, text: str) -> None:
    message = read(sample, text, text)
    if isinstance(message.content, str):
        assert message.content == text
    else:
        assert message.metadata is None or message.metadata["prompt"]["$text"]["text"] == text
        assert [part.call.invalid.reason for part in message.content if part.type == "tool_call"]


HOSTILE: dict[str, Callable[[int], str]] = {
    "marks": lambda n: "`" * n,
    "lines of marks": lambda n: "```\n" * n,
    "longer and longer fences": lambda n: "\n".join("`" * (3 + i % 50) for i in range(n)),
    "open fences": lambda n: "```tool\n{\n" * n,
    "open tags": lambda n: "<tool_call>\n" * n,
    "tags in a row": lambda n: "<tool_call></tool_call>" * n,
    "calls": lambda n: f"{FENCE}\n" * n,
    "broken calls": lambda n: '```tool\n{"name": "now", }\n```\n' * n,
    "names": lambda n: "```tool\n{" + '"name":"' * n + "\n```",
    "brackets": lambda n: "```tool\n" + "[" * n + "\n```",
    "blank lines": lambda n: " \n" * n + "{",
    "blanks": lambda n: "a" + " " * n + "b" + "\n" * n,
    "one value": lambda n: '{"name": "now", "arguments": {"a": "' + "x" * n,
    "ids": lambda n: "".join(f'```tool\n{{"name": "now", "id": "call_0_{n}{"_" * (i % 9)}"}}\n```\n' for i in range(n)),
    "list marks": lambda n: "- ```\n" * n,
}


def steps(action: Callable[[], Any]) -> int:
    """How many lines of Python an action runs."""
    count = 0

    def trace(frame: Any, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        action()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.safety("7.9")
@pytest.mark.parametrize("name", HOSTILE)
def test_work_grows_as_the_text_does(sample: Package, name: str) -> None:
    make = HOSTILE[name]

    def whole(size: int) -> int:
        return steps(lambda: read(sample, make(size), make(size)))

    def in_pieces(size: int) -> int:
        reader = sample.module("runtime.prompting.stream_parser").ResponseReader(definitions(sample))
        return steps(lambda: [reader.feed(sign) for sign in make(size)])

    for work in (whole, in_pieces):
        work(400)  # the first time, modules are imported and patterns compiled
        assert work(400) <= 4.6 * work(100) + 1500


@pytest.mark.parametrize("name", HOSTILE)
def test_a_large_hostile_text_is_read(sample: Package, name: str) -> None:
    text = HOSTILE[name](2_000)
    assert followed(sample, [text])[1] == read(sample, text)
