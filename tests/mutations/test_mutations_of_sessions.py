"""The laws of an agent's session have teeth, too: see `test_mutations.py`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.apis.copilot import test_copilot
from tests.mutations.breaking import Check, Mutation, assert_caught
from tests.providers import single_laws
from tests.support.generated import Package
from tests.support.repository import recordings

PROVIDER = "copilot"


@cache
def on_exchanges(law: Callable[[Package, str, Any], None]) -> Check:
    """The law over all exchanges."""

    def check(package: Package) -> None:
        for recording in recordings(PROVIDER):
            law(package, PROVIDER, recording)

    return check


@cache
def on_streams(test: Callable[[Package, Any], None]) -> Check:
    def check(package: Package) -> None:
        for recording in test_copilot.STREAMS:
            test(package, recording)

    return check


@cache
def with_models(test: Callable[[Package, Any], None]) -> Check:
    return lambda package: test(package, package.module("models"))


def on_ends(package: Package) -> None:
    for name in test_copilot.ENDS:
        test_copilot.test_why_a_response_ended(package, name)


STREAM = "runtime/apis/copilot/stream.py"
TOOL_REQUESTS = "runtime/apis/copilot/tool_requests.py"

MUTATIONS = (
    Mutation(
        "what a sub-agent says is the response's",
        with_models(test_copilot.test_what_the_agent_runs_itself_is_no_call),
        STREAM,
        ' or (event.get("agentId") is not None and not self._is_app_request(kind))',
        "",
    ),
    Mutation(
        "what the agent runs itself is a call",
        with_models(test_copilot.test_what_the_agent_runs_itself_is_no_call),
        STREAM,
        "elif self._own is not None or part.call.id in self._run_there:",
        "elif False:",
    ),
    Mutation(
        "a call that is asked for is told at the end again",
        with_models(test_copilot.test_a_call_is_told_when_the_app_is_asked_for_it),
        STREAM,
        "e.call.id not in self._asked",
        "True",
    ),
    Mutation(
        "a response ends with the first call that waits",
        test_copilot.test_a_response_is_open_until_all_its_calls_wait,
        STREAM,
        "waits <= self._asked.keys()",
        "True",
    ),
    Mutation(
        "a whole message is told once more",
        on_streams(test_copilot.test_events_add_up_to_the_result),
        TOOL_REQUESTS,
        'return text[len(streamed) :] if text.startswith(streamed) else ""',
        "return text",
    ),
    Mutation(
        "what has a result is still to be run",
        test_copilot.test_a_call_with_a_result_is_not_to_be_run_again,
        STREAM,
        "self._answered |= {identifier} if identifier is not None else set()",
        "pass",
    ),
    Mutation(
        "a filtered response is a whole one",
        on_ends,
        STREAM,
        'self._filtered = data.get("contentFilterTriggered") is True',
        "pass",
    ),
    Mutation(
        "the last call of the model is all that is paid for",
        test_copilot.test_a_response_costs_what_its_calls_of_the_model_cost,
        STREAM,
        "total[key] = before + more",
        "pass",
    ),
    Mutation(
        "a word for how it went is forgotten",
        on_exchanges(single_laws.wire_comes_back),
        TOOL_REQUESTS,
        'extras["resultType"] = result_type',
        "pass",
    ),
    Mutation(
        "an old text is said beside the new one",
        test_copilot.test_an_edited_result_does_not_say_the_old_text_again,
        TOOL_REQUESTS,
        'if not same_json(extras.get("$text", text), text):',
        "if False:",
    ),
    Mutation(
        "the result goes to a request of another call",
        with_models(test_copilot.test_the_request_is_that_of_the_result_or_of_its_call),
        TOOL_REQUESTS,
        "if call.id == result.tool_call_id",
        "if True",
    ),
    Mutation(
        "a call that was cut is sent",
        with_models(test_copilot.test_arguments_that_are_no_object_are_kept_and_not_run),
        "runtime/apis/copilot/fields.py",
        "    if invalid is not None:\n",
        "    if False:\n",
    ),
)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: m.name)
def test_a_broken_converter_is_caught(copied: Package, tmp_path: Path, mutation: Mutation) -> None:
    assert_caught(mutation, copied, tmp_path)
