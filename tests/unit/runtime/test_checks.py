"""The functions that generated checks call."""

from __future__ import annotations

import math
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from toolgen_runtime.tools.checks import (
    SchemaCheck,
    all_unique,
    equals_one_of,
    is_integer,
    is_multiple,
    is_number,
    json_equal,
    matches,
    memoized,
)

SAME = [(1, 1.0), (None, None), ({"a": [1, 2.0]}, {"a": [1.0, 2]}), ("a", "a"), ([], [])]
OTHERS = [
    (1, True),
    (0, False),
    (None, "None"),
    ([1], [True]),
    ({"a": 0}, {"a": False}),
    ("1", 1),
    ([], {}),
    ({}, None),
]


@pytest.mark.parametrize(("first", "second"), SAME)
def test_values_that_are_the_same_in_json(first: Any, second: Any) -> None:
    assert json_equal(first, second)
    assert equals_one_of(first, ["x", second])
    assert not all_unique([first, second])


@pytest.mark.parametrize(("first", "second"), OTHERS)
def test_values_that_differ_in_json(first: Any, second: Any) -> None:
    assert not json_equal(first, second)
    assert not equals_one_of(first, ["x", second])
    assert all_unique([first, second])


def test_whole_numbers_and_numbers() -> None:
    assert [is_integer(v) for v in (1, 1.0, -0.0, 1e300, 1.5, True, "1", None)] == [True] * 4 + [False] * 4
    assert [is_number(v) for v in (1, 1.5, True, "1", None)] == [True, True, False, False, False]


@pytest.mark.parametrize(
    ("value", "step", "fits"),
    [(9, 3, True), (10, 3, False), (4.5, 1.5, True), (0.0075, 0.0001, True), (35, 1.5, False), (1e308, 0.5, True), (1e308, 0.123456789, False),
     (19.99, 0.01, True), (-0.3, 0.1, True), (35 * 0.01, 0.01, True), (19.995, 0.01, False), (1e23, 10, True), (1e308, 1e-8, True), (10**400, 0.5, True),
     (10**400 + 1, 2.5, False), (math.inf, 0.5, False), (-math.inf, 2, False)],
)  # fmt: skip
def test_multiples_are_what_decimals_or_doubles_tell(value: float, step: float, fits: bool) -> None:
    assert is_multiple(value, step) is fits


def test_patterns_match_anywhere_and_texts_only() -> None:
    assert matches("b+", "abbc")
    assert not matches("^b", "abbc")
    assert not matches("1", 1)


def test_a_judged_value_is_judged_once_however_schemas_are_nested() -> None:
    calls = []

    @memoized
    def chain(value: Any) -> bool:
        calls.append(value)
        return value == [] or (chain(value[0]) and chain(value[0]) and chain(value[0]))

    deep: Any = []
    for _ in range(40):
        deep = [deep]
    assert chain(deep)
    assert len(calls) == 41


def test_what_is_remembered_ends_with_the_outermost_judgement() -> None:
    @memoized
    def empty(value: Any) -> bool:
        return len(value) == 0

    value: list[int] = []
    assert empty(value)
    value.append(1)
    assert not empty(value)


class Point(BaseModel):
    x: int


def _points(value: Any) -> str | None:
    return None if all(isinstance(p, dict) and p["x"] > 0 for p in value) else "points at the right"


def test_a_check_says_what_it_expected_and_takes_models_for_their_json() -> None:
    adapter: TypeAdapter[list[Point]] = TypeAdapter(Annotated[list[Point], SchemaCheck(_points)])

    assert adapter.validate_python([{"x": 1}, Point(x=2)]) == [Point(x=1), Point(x=2)]
    for wrong in ([{"x": 0}], [Point(x=-1)]):
        with pytest.raises(ValidationError) as refused:
            adapter.validate_python(wrong)
        assert [(e["type"], e["msg"]) for e in refused.value.errors()] == [("unfit", "points at the right")]


def test_a_type_that_refuses_a_value_says_so_itself() -> None:
    adapter: TypeAdapter[list[Point]] = TypeAdapter(Annotated[list[Point], SchemaCheck(_points)])

    with pytest.raises(ValidationError) as refused:
        adapter.validate_python([{"x": "far"}])
    assert [e["type"] for e in refused.value.errors()] == ["int_parsing"]
