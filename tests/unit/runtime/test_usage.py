"""Token counts: read and written by a table, exactly as they came while they mean the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from toolgen_runtime.conversion.reader import Reader
from toolgen_runtime.conversion.responses import UsageTable
from toolgen_runtime.conversion.wire import DeclaredToolFacts, ProviderWire, WireFacts
from toolgen_runtime.conversion.writer import Writer
from toolgen_runtime.errors import ConversionError
from toolgen_runtime.models import Loss, Usage
from toolgen_runtime.paths import ROOT

WIRE = ProviderWire(WireFacts("some", "Some", "[a-z]+", 20), DeclaredToolFacts())

LEAST: dict[str, Any] = {"inputTokens": {"path": "in"}, "outputTokens": {"path": "out"}}
TOTAL = {**LEAST, "totalTokens": {"path": "total"}}
CACHED = {**LEAST, "inputCachedTokens": {"path": "details.cached", "or": ["cached", "more.cached"]}}
THOUGHTS = {"reasoningTokens": {"path": "thoughts"}}
SEPARATE = {**TOTAL, **THOUGHTS, "outputTokens": {"path": "out", "plus": ["thoughts"]}}
BY_TOTAL = {**TOTAL, **THOUGHTS, "outputTokens": {"path": "out", "plus": ["thoughts"], "by_total": True}}
TOOLS = {**LEAST, "inputTokens": {"path": "in", "plus": ["tools"]}}


def read(table: dict[str, Any], wire: dict[str, Any]) -> Usage:
    return UsageTable(table).read(wire, ROOT, Reader(WIRE))


def write(table: dict[str, Any], usage: Usage) -> tuple[dict[str, Any], list[Loss]]:
    losses: list[Loss] = []
    with Writer(WIRE, losses.append, "weaken") as writer:
        wire = UsageTable(table).write(usage, ROOT, writer)
    return wire, losses


@pytest.mark.parametrize(
    ("table", "wire", "counts"),
    [
        (LEAST, {"in": 5, "out": 2}, (5, 2, 7)),
        (LEAST, {"in": 5.0, "out": 2}, (5, 2, 7)),
        (LEAST, {"out": 2, "unknown": {"a": 1}}, (0, 2, 2)),
        (LEAST, {"in": None, "out": 0}, (0, 0, 0)),
        (TOTAL, {"in": 5, "out": 2}, (5, 2, 7)),
        (TOTAL, {"in": 5, "out": 2, "total": 9}, (5, 2, 9)),
        (CACHED, {"in": 5, "out": 2, "details": {"cached": 3, "audio": 0}}, (5, 2, 7, 3)),
        (CACHED, {"in": 5, "out": 2, "details": {"cached": None}, "cached": 3}, (5, 2, 7, 3)),
        (CACHED, {"in": 5, "out": 2, "details": None, "more": {"cached": 3}}, (5, 2, 7, 3)),
        (CACHED, {"in": 5, "out": 2, "details": {}}, (5, 2, 7, None)),
        (CACHED, {"in": 5, "out": 2, "details": {"cached": 0}, "cached": 3}, (5, 2, 7, 0)),
        (SEPARATE, {"in": 5, "out": 2, "total": 10, "thoughts": 3}, (5, 5, 10, None, None, None, 3)),
        (BY_TOTAL, {"in": 5, "out": 2, "total": 10, "thoughts": 3}, (5, 5, 10, None, None, None, 3)),
        (BY_TOTAL, {"in": 5, "out": 4, "total": 9, "thoughts": 3}, (5, 4, 9, None, None, None, 3)),
        (BY_TOTAL, {"in": 5, "out": 4, "thoughts": 3}, (5, 4, 9, None, None, None, 3)),
        (TOOLS, {"in": 5, "out": 2, "tools": 4}, (9, 2, 11)),
    ],
)
def test_counts_are_read_and_written_as_they_came(
    table: dict[str, Any], wire: dict[str, Any], counts: tuple[int | None, ...]
) -> None:
    usage = read(table, wire)
    assert replace(usage, metadata=None) == Usage(*counts)
    assert write(table, usage) == (wire, [])


@pytest.mark.parametrize(
    ("table", "counts", "wire"),
    [
        (LEAST, Usage(5, 2, 7), {"in": 5, "out": 2}),
        (TOTAL, Usage(5, 2, 7), {"in": 5, "out": 2, "total": 7}),
        (CACHED, Usage(5, 2, 7, 3), {"in": 5, "out": 2, "details": {"cached": 3}}),
        (SEPARATE, Usage(5, 5, 10, reasoning_tokens=3), {"in": 5, "out": 2, "total": 10, "thoughts": 3}),
        (BY_TOTAL, Usage(5, 5, 10, reasoning_tokens=3), {"in": 5, "out": 5, "total": 10, "thoughts": 3}),
        (TOOLS, Usage(9, 2, 11), {"in": 9, "out": 2}),
    ],
)
def test_counts_from_elsewhere_are_written_where_the_api_has_them(
    table: dict[str, Any], counts: Usage, wire: dict[str, Any]
) -> None:
    assert write(table, counts) == (wire, [])


def test_a_changed_count_is_written_beside_what_the_format_does_not_say() -> None:
    usage = read(CACHED, {"in": 5, "out": 2, "details": {"cached": 3, "audio": 1}, "tier": "fast"})
    usage.input_cached_tokens = 4
    wire, _ = write(CACHED, usage)
    assert wire == {"in": 5, "out": 2, "details": {"cached": 4, "audio": 1}, "tier": "fast"}
    usage.input_cached_tokens = None
    wire, _ = write(CACHED, usage)
    assert wire == {"in": 5, "out": 2, "details": {"audio": 1}, "tier": "fast"}


def test_a_count_that_the_api_lacks_is_reported() -> None:
    assert [loss.path for loss in write(LEAST, Usage(5, 2, 8, input_image_tokens=1))[1]] == [
        "totalTokens",
        "inputImageTokens",
    ]


def test_a_field_without_a_path_is_left_to_the_class_of_the_api() -> None:
    table = {**LEAST, "inputImageTokens": {}}
    usage = read(table, {"out": 2})
    usage.input_image_tokens = 1
    assert write(table, usage) == ({"out": 2}, [])


@pytest.mark.parametrize(
    "wire", [{"in": "5"}, {"in": 5.5}, {"in": True}, {"details": [3]}, {"details": {"cached": "3"}}]
)
def test_anything_but_an_integer_is_refused(wire: dict[str, Any]) -> None:
    with pytest.raises(ConversionError):
        read(CACHED, wire)
