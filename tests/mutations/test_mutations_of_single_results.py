"""The laws of tools, calls and results alone have teeth, too: see `test_mutations.py`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.apis.mcp import test_mcp
from tests.mutations.breaking import Check, Mutation, assert_caught
from tests.providers import single_laws, test_tool_wires
from tests.support.generated import Package
from tests.support.repository import recordings

PROVIDER = "mcp"


@cache
def on_exchanges(law: Callable[[Package, str, Any], None]) -> Check:
    """The law over all exchanges that have come to their end."""

    def check(package: Package) -> None:
        for recording in filter(test_tool_wires.is_done, recordings(PROVIDER)):
            law(package, PROVIDER, recording)

    return check


def on_schemas(package: Package) -> None:
    for schema, wire in test_mcp.SCHEMAS:
        test_mcp.test_a_schema_that_admits_more_than_objects_is_put_into_one(
            package, package.module("models"), schema, wire
        )


def on_invalid_calls(package: Package) -> None:
    test_mcp.test_a_call_that_must_not_be_run_is_not_sent(package, package.module("models"))


def on_changed_values(package: Package) -> None:
    test_mcp.test_a_value_without_its_text_is_unwrapped_where_the_tool_is_known(package, package.module("models"))


def on_ids(package: Package) -> None:
    test_tool_wires.test_a_call_has_the_id_that_it_is_given_or_one_that_is_made(
        package, package.module("models"), PROVIDER
    )


MUTATIONS = (
    Mutation(
        "a list stands outside of an object",
        on_exchanges(single_laws.types_are_legal),
        "runtime/apis/mcp/results.py",
        "value if is_bare else {WRAPPER_KEY: value}",
        "value",
    ),
    Mutation(
        "a spelling that is not ours is forgotten",
        on_exchanges(single_laws.wire_comes_back),
        "runtime/apis/mcp/results.py",
        "if not _is_ours(kind, value, wrapped, pair):",
        "if False:",
    ),
    Mutation(
        "a failure is not said",
        on_exchanges(single_laws.format_comes_back),
        "runtime/apis/mcp/results.py",
        'wire["isError"] = True',
        "pass",
    ),
    Mutation(
        "what is kept is sent although the value is another one",
        on_changed_values,
        "runtime/apis/mcp/results.py",
        "meaning[0] == kind and same_json(meaning[1], value)",
        "True",
    ),
    Mutation(
        "the address of a resource is forgotten",
        on_exchanges(single_laws.wire_comes_back),
        "runtime/conversion/rule_of_extras.py",
        "    return value if is_too_deep(value) else copy_json(value)\n",
        "    copied = copy_json(value)\n"
        '    return {k: v for k, v in copied.items() if k != "uri"} if type(copied) is dict else copied\n',
    ),
    Mutation(
        "references stay where their schema is moved",
        on_schemas,
        "runtime/apis/mcp/fields.py",
        "return _INSIDE + reference[1:]",
        "return reference",
    ),
    Mutation(
        "a schema that looks wrapped is not told from one that is",
        on_schemas,
        "runtime/apis/mcp/fields.py",
        "_admits_objects_alone(schema) and not _looks_wrapped(schema)",
        "_admits_objects_alone(schema)",
    ),
    Mutation(
        "a call that was cut is sent",
        on_invalid_calls,
        "runtime/apis/mcp/fields.py",
        "if invalid is not None:",
        "if False:",
    ),
    Mutation(
        "two calls have one id",
        on_ids,
        "runtime/apis/mcp/converter.py",
        'identifier = reader.assign_call_id(requested_id, (at, "id"))',
        'identifier = requested_id or "call_3_0"',
    ),
)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: m.name)
def test_a_broken_converter_is_caught(copied: Package, tmp_path: Path, mutation: Mutation) -> None:
    assert_caught(mutation, copied, tmp_path)
