"""Ids of rows and pains on tests are ids that there are."""

from __future__ import annotations

from tests.support.rows import borne, listed, out_of_scope


def test_tests_bear_ids_that_are_listed() -> None:
    assert sorted(set(borne()) - set(listed())) == []


def test_ids_are_listed_once() -> None:
    assert len(set(listed())) == len(listed()) > 100


def test_every_row_has_a_test_or_is_out_of_scope() -> None:
    assert sorted(set(listed()) - set(borne())) == sorted(out_of_scope())
