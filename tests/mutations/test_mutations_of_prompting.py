"""The tests of calls in text have teeth, too: see `test_mutations.py`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.apis.prompt import test_prompt
from tests.mutations.breaking import Check, Mutation, assert_caught
from tests.prompting import followed, read, test_following, test_hazards, test_stages, test_texts
from tests.providers import laws
from tests.support.generated import Package
from tests.support.repository import recordings

PROVIDER = "prompt"


@cache
def on(test: Callable[..., None], *arguments: Any) -> Check:
    return lambda package: test(package, *arguments)


@cache
def over(law: Callable[[Package, str, Any], None], key: str) -> Check:
    """The law over all exchanges."""

    def check(package: Package) -> None:
        for recording in recordings(PROVIDER):
            law(package, PROVIDER, recording[key])

    return check


def on_quotes(package: Package) -> None:
    for text in test_hazards.QUOTED.values():
        test_hazards.test_what_is_quoted_or_not_whole_is_text(package, text)


def on_splits(package: Package) -> None:
    """Without the search for examples, which has no place in a broken package."""
    fence, other = test_hazards.FENCE, f"```json\n{test_hazards.CALL}\n```"
    for text in (
        f"A\n\n{fence}\n\nB",
        f"{other}\nA\n{fence}\n",
        f"A\n{other}\nB",
        test_hazards.CALL,
        f"{fence}\n{fence}",
    ):
        events, message = followed(package, list(text))
        assert message == read(package, text)
        test_following._adds_up(package, events, message)


@cache
def with_models(test: Callable[..., None], *arguments: Any) -> Check:
    return lambda package: test(package, package.module("models"), *arguments)


BLOCKS = "runtime/prompting/tool_blocks.py"
SPOKEN = "runtime/prompting/text_calls.py"
READING = "runtime/prompting/text_parser.py"
FOLLOWING = "runtime/prompting/stream_parser.py"
SPEECHES = "runtime/apis/prompt/assistant_text.py"
TALK = "runtime/apis/prompt/messages.py"

MUTATIONS = (
    Mutation(
        "a longer fence is not a quote", on_quotes, BLOCKS, 'self._marks == "```" and', 'self._marks[:3] == "```" and'
    ),
    Mutation("a fence may stand anywhere", on_quotes, BLOCKS, 'margin == "" and self._marks', "self._marks"),
    Mutation(
        "any fence ends any other", on_quotes, BLOCKS, "len(marks) >= len(self._marks) and", "len(marks) >= 3 and"
    ),
    Mutation("an end may stand anywhere", on_quotes, BLOCKS, "len(bare) - len(marks) <= 3", "True"),
    Mutation(
        "a near name is as good",
        on(test_stages.test_what_is_no_call_is_text, "json", '{"name": "Get_Weather", "arguments": {}}'),
        SPOKEN,
        "wire_name in names\n",
        "wire_name.lower() in names\n",
    ),
    Mutation(
        "an alias of two tools is the last one's",
        on(test_stages.test_an_alias_of_two_tools_is_neither),
        SPOKEN,
        "tool_by_alias.get(alias, tool.name) == tool.name",
        "True",
    ),
    Mutation(
        "a broken call is text",
        on(test_stages.test_a_call_that_cannot_be_run_is_not_lost, '{"name": "now", }', "now", "malformed"),
        SPOKEN,
        "return _malformed_calls(body, names) if explicit else []",
        "return []",
    ),
    Mutation(
        "what is given twice is taken once",
        on(
            test_stages.test_a_call_that_cannot_be_run_is_not_lost,
            '{"name": "now", "tool": "other", "arguments": {}}',
            "now",
            "malformed",
        ),
        SPOKEN,
        "if len(wire_names) > 1 or len(arguments_values) > 1:",
        "if len(arguments_values) > 1:",
    ),
    Mutation(
        "the stages have another order",
        on(test_stages.test_the_first_stage_that_yields_a_call_wins, "tool", "json"),
        READING,
        '("tool", "json", "tool_call")',
        '("json", "tool", "tool_call")',
    ),
    Mutation(
        "what is repeated is run",
        on(test_hazards.test_a_block_that_stands_in_an_untrusted_text_is_not_run, test_hazards.FENCE),
        READING,
        "if is_distrusted:",
        "if False:",
    ),
    Mutation(
        "one that is repeated spoils the others",
        on(test_hazards.test_of_a_list_only_what_is_repeated_is_not_run),
        READING,
        "distrusted.append([next(flags) or is_block_quoted for _ in block.calls])",
        "distrusted.append([any([next(flags) for _ in block.calls]) or is_block_quoted] * len(block.calls))",
    ),
    Mutation(
        "an id twice is not a fault",
        on(test_stages.test_an_id_twice_is_one_that_cannot_be_run),
        READING,
        "if identifier in self._written and call.invalid is None:",
        "if False:",
    ),
    Mutation(
        "an id that is made is not marked",
        on(test_stages.test_an_id_is_made_and_marked_where_the_text_has_none),
        READING,
        'call.metadata = {PROVIDER: {"$synthetic": call.id}}',
        "pass",
    ),
    Mutation(
        "how a text was spelled is forgotten",
        over(laws.body_comes_back, "request"),
        SPEECHES,
        "            text = original\n",
        "            text = original.strip()\n",
    ),
    Mutation(
        "an edited call goes out as it came",
        with_models(test_prompt.test_an_edited_message_goes_out_edited),
        SPEECHES,
        "return same_json(parsed.arguments, expected.arguments)",
        "return True",
    ),
    Mutation(
        "ids are never written",
        with_models(test_prompt.test_a_call_keeps_its_result_when_the_history_is_cut),
        SPEECHES,
        "call.id != synthetic_id(turn, position)",
        "False",
    ),
    Mutation(
        "words are calls",
        with_models(test_prompt.test_words_that_look_like_a_call_do_not_become_one, test_hazards.FENCE),
        SPOKEN,
        "    if _reads_as(text, positions):\n",
        "    if True:\n",
    ),
    Mutation(
        "the user's words are results",
        with_models(test_prompt.test_texts_that_look_like_ours_do_not_come_back_as_more, "user"),
        TALK,
        "    if read_result_entries(text) is not None:\n",
        "    if False:\n",
    ),
    Mutation(
        "the system's words are tools",
        with_models(test_prompt.test_texts_that_look_like_ours_do_not_come_back_as_more, "system"),
        TALK,
        '    if _offered({"role": "system", "content": text}) is not None:\n',
        "    if False:\n",
    ),
    Mutation(
        "a call is told before its stage is sure",
        on_splits,
        FOLLOWING,
        "        elif calls:\n            self._waits_for_end = True\n",
        "",
    ),
    Mutation(
        "a line that may begin a block is told", on_splits, FOLLOWING, "not may_begin_block(self._line_head)", "True"
    ),
    Mutation("blanks before a call are told", on_splits, FOLLOWING, "stripped = text.rstrip()", "stripped = text"),
    Mutation("a whole value is told", on_splits, FOLLOWING, "second[0] == _AFTER_FIRST[bare[0]]", "False"),
    Mutation(
        "a result leaves its line",
        on(test_texts.test_a_failure_is_told),
        "runtime/prompting/text_calls.py",
        'entry["failed"] = True',
        "pass",
    ),
    Mutation(
        "another frame is ours",
        on(test_texts.test_a_text_that_is_not_ours_offers_no_tools, ('","description"', '", "description"')),
        "runtime/prompting/tool_definitions_as_text.py",
        "    if tool_entries_text(entries) != text[:end]:\n",
        "    if False:\n",
    ),
)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: m.name)
def test_a_broken_reader_is_caught(copied: Package, tmp_path: Path, mutation: Mutation) -> None:
    # A test that stumbles over what it finds has failed as well.
    assert_caught(mutation, copied, tmp_path, AttributeError, IndexError, ValueError)
