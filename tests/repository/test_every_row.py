"""Tests that loop over rows: every row is tried, and every one that fails is named."""

from __future__ import annotations

import pytest

from tests.support.every_row import grouped, over


def test_every_row_is_tried_and_those_that_fail_are_named() -> None:
    tried: list[int] = []

    @over("number", {"one": 1, "two": 2, "three": 3})
    def is_even(number: int) -> None:
        tried.append(number)
        assert number % 2 == 0

    with pytest.raises(AssertionError, match=r"^2 of 3 rows fail: one, three$"):
        is_even()
    assert tried == [1, 2, 3]
    is_even(4)  # a caller that passes a row
    assert tried[-1] == 4


def test_a_test_without_rows_fails() -> None:
    with pytest.raises(AssertionError, match="there are no rows"):
        over("number", [])(lambda number: None)()


def test_rows_are_grouped_by_their_first_argument() -> None:
    tried: list[tuple[str, int, str]] = []

    @grouped("provider, number, text", [("a", 1, "x"), pytest.param("b", 2, "y", id="second"), ("a", 3, "z")])
    def collects(provider: str, number: int, text: str) -> None:
        tried.append((provider, number, text))

    (mark,) = collects.pytestmark  # type: ignore[attr-defined]
    assert mark.args == ("provider", ["a", "b"])
    collects("a")
    assert tried == [("a", 1, "x"), ("a", 3, "z")]
