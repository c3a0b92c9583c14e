"""Each law has teeth: a converter that is broken in the way a law guards against is caught by it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.mutations.breaking import Check, Mutation, assert_caught
from tests.providers import laws, test_losses, test_results, test_tools
from tests.support.generated import Package
from tests.support.repository import recordings

PROVIDER = "openai_chat"
"""What is broken here is in the runtime that all providers share, or in methods made alike for all."""


@cache
def on_recordings(law: Callable[[Package, str, Any], None]) -> Check:
    """The law over all recordings."""

    def check(package: Package) -> None:
        for recording in recordings(PROVIDER):
            law(package, PROVIDER, recording["request"])

    return check


@cache
def with_models(test: Callable[..., None], *arguments: Any) -> Check:
    """A test that takes the package, its models and the provider."""

    def check(package: Package) -> None:
        test(package, package.module("models"), PROVIDER, *arguments)

    return check


def on_read_requests(package: Package) -> None:
    for recording in recordings(PROVIDER):
        laws.request_comes_back(package, PROVIDER, laws.read(package, PROVIDER, recording["request"]))


def on_an_edit(package: Package) -> None:
    """A field of a request that was read, and is another one now, goes out as it is now."""
    module = package.provider(PROVIDER)
    body = {"model": "m", "messages": [{"role": "user", "content": "Hello"}], "stop": "a"}
    request = module.from_request(body)
    assert module.to_request(request) == body
    request.stop = ["b"]
    assert module.to_request(request) == {**body, "stop": ["b"]}


def on_choices(package: Package) -> None:
    for choice, wire in test_tools.table(PROVIDER)["tool_choice"]:
        test_tools.test_a_tool_choice_is_spelled_as_the_provider_has_it(
            package, package.module("models"), PROVIDER, choice, wire
        )


@cache
def on_results(test: Callable[..., None]) -> Check:
    def check(package: Package) -> None:
        for kind in test_results.KINDS:
            test(package, package.module("models"), PROVIDER, kind)

    return check


MODULE = f"runtime/apis/{PROVIDER}/wire.py"
MUTATIONS = (
    Mutation(
        "from_request changes the body",
        on_recordings(laws.pure),
        MODULE,
        "reader.set_offered_tools(tools)\n",
        'reader.set_offered_tools(tools)\n        wire.pop("model", None)\n',
    ),
    Mutation(
        "dump forgets names",
        on_recordings(laws.pure),
        "runtime/models.py",
        '    name: str\n    """The name that calls use."""',
        "    name: str\n    def __eq__(self, other: object) -> bool: return False",
    ),
    Mutation(
        "residue is not written back",
        on_recordings(laws.body_comes_back),
        "runtime/conversion/extras.py",
        "wire[key] = original",
        "pass",
    ),
    Mutation(
        "the spelling of arguments is forgotten",
        on_recordings(laws.body_comes_back),
        "runtime/conversion/fields.py",
        "ABSENT if is_compact(text, arguments) else text",
        "ABSENT",
    ),
    Mutation("a field is written from another one", on_read_requests, MODULE, "request.temperature)", "request.top_p)"),
    Mutation(
        "arguments live on what was kept alone",
        on_recordings(laws.bare_request_comes_back),
        "runtime/conversion/fields.py",
        "return compact(arguments)",
        'return "{}"',
    ),
    Mutation(
        "a value has a type that the SDK refuses",
        on_recordings(laws.body_has_legal_types),
        MODULE,
        '"description", definition.description)',
        '"description", [definition.description])',
    ),
    Mutation(
        "results refer to other ids",
        on_recordings(laws.body_keeps_order),
        "runtime/conversion/fields.py",
        'The name is not on the wire."""\n    return writer.call_id(identifier)',
        'The name is not on the wire."""\n    return writer.call_id(identifier + "x")',
    ),
    Mutation(
        "unknown members are dropped",
        on_recordings(laws.unknown_is_kept),
        "runtime/conversion/extras.py",
        "if value is None or key not in mapped",
        "if value is None",
    ),
    Mutation(
        "what would be spelled otherwise is not kept",
        on_recordings(laws.body_comes_back),
        "runtime/conversion/rule_of_extras.py",
        'not same_json(written, value):\n        extras[key] = {"$whole": _copied(value)}',
        "not same_json(written, value):\n        pass",
    ),
    Mutation(
        "what was kept wins over an edit",
        on_an_edit,
        "runtime/conversion/rule_of_extras.py",
        "return _are_same(pair.read(value, at, Reader(writer.wire), *pair.settings), fields)",
        "return True",
    ),
    Mutation(
        "names are cut before they are renamed",
        with_models(test_tools.test_names_are_renamed_one_to_one),
        "runtime/conversion/wire.py",
        "text.encode(",
        "text[:40].encode(",
    ),
    Mutation(
        "ids are cut before they are renamed",
        with_models(test_tools.test_ids_are_renamed_one_to_one_and_pairs_stay),
        "runtime/conversion/wire.py",
        "text.encode(",
        "text[:40].encode(",
    ),
    Mutation(
        "an id may be used twice",
        with_models(test_tools.test_ids_that_repeat_from_turn_to_turn_are_told_apart),
        "runtime/conversion/reader.py",
        "not identifier or identifier in self.used or",
        "not identifier or",
    ),
    Mutation(
        "names of the wire are not spelled back",
        with_models(test_tools.test_a_declared_tools_name_on_the_wire_is_spelled_back),
        "runtime/conversion/wire.py",
        "self.tool_names = {wire: name for name, wire in self.names.items()}",
        "self.tool_names = {}",
    ),
    Mutation(
        "a choice loses its mode",
        on_choices,
        "runtime/conversion/request_tools.py",
        "AllowedToolChoice(names, mode, ",
        'AllowedToolChoice(names, "auto", ',
    ),
    Mutation(
        "the payload differs from what is lowered at run time",
        lambda package: test_tools.test_the_small_projects_tools_are_lowered_alike(package, PROVIDER),
        f"providers/{PROVIDER}.py",
        "City name.",
        "Town name.",
    ),
    Mutation(
        "errors are sent as text",
        on_results(test_results.test_a_result_is_sent_as_the_table_says),
        "runtime/conversion/tool_results.py",
        'compact({"error": value})',
        "value",
    ),
    Mutation(
        "errors are read as text",
        on_results(test_results.test_kinds_that_the_wire_can_tell_are_read_back),
        "runtime/conversion/tool_results.py",
        'return ("error", failure, None)',
        'return ("text", failure, None)',
    ),
    Mutation(
        "media of results are dropped",
        with_models(test_results.test_media_follow_all_results_of_the_turn),
        "runtime/apis/chat_bases.py",
        "writer.media.append((part, (at, i)))",
        "pass",
    ),
    Mutation(
        "losses are not told",
        with_models(test_losses.test_a_value_inside_a_message_is_sent_or_reported, "VideoPart"),
        "runtime/conversion/writer.py",
        "call_on_loss(self._on_loss, loss)",
        "pass",
    ),
    Mutation(
        "warnings are taken for notes",
        with_models(test_losses.test_a_loss_of_severity_warning_exists),
        "runtime/conversion/writer.py",
        'if loss.severity != "note"',
        'if loss.severity == "none"',
    ),
    Mutation(
        "a loss of behaviour passes",
        with_models(test_losses.test_a_loss_of_behaviour_is_refused_unless_weakened),
        "runtime/conversion/writer.py",
        'severity == "behaviour" and not self._weaken',
        "False",
    ),
    Mutation(
        "a report holds what the user said",
        with_models(test_losses.test_messages_of_losses_hold_no_content),
        "runtime/conversion/writer.py",
        "return type(part).__name__",
        "return repr(part)",
    ),
)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: m.name)
def test_a_broken_converter_is_caught(copied: Package, tmp_path: Path, mutation: Mutation) -> None:
    assert_caught(mutation, copied, tmp_path)
