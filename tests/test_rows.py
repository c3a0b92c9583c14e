"""Ids of rows and pains on tests are ids that there are."""

from __future__ import annotations

from tests.support.rows import borne, listed


def test_tests_bear_ids_that_are_listed() -> None:
    assert sorted(set(borne()) - set(listed())) == []


def test_ids_are_listed_once() -> None:
    assert len(set(listed())) == len(listed()) > 100
