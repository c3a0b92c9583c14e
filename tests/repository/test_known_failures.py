"""The list of known failures cannot go out of date unseen."""

from __future__ import annotations

import pytest

CONFTEST = """
from pathlib import Path
from tests.support import known_failures

def pytest_collection_modifyitems(items):
    known_failures.mark(items, whole=True, folder=Path(__file__).parent / "listed")
"""


def outcome(pytester: pytest.Pytester, listed: str) -> pytest.RunResult:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_two="def test_fails():\n    assert False\n\n\ndef test_passes():\n    pass\n")
    (pytester.path / "listed").mkdir()
    (pytester.path / "listed" / "one.yaml").write_text(listed, "utf-8")
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:xdist")


def test_a_listed_test_may_fail(pytester: pytest.Pytester) -> None:
    result = outcome(pytester, "- {test: 'test_two.py::test_fails', reason: not fixed}\n")
    assert result.ret == 0
    result.assert_outcomes(passed=1, xfailed=1)


def test_a_listed_test_that_passes_fails_the_run(pytester: pytest.Pytester) -> None:
    result = outcome(pytester, "- {test: 'test_two.py::test_*', reason: not fixed}\n")
    assert result.ret == 1
    result.assert_outcomes(failed=1, xfailed=1)


def test_an_entry_that_matches_no_test_fails_the_run(pytester: pytest.Pytester) -> None:
    assert outcome(pytester, "- {test: 'test_two.py::test_gone', reason: not fixed}\n").ret == 4


def test_an_entry_needs_a_reason(pytester: pytest.Pytester) -> None:
    assert outcome(pytester, "- {test: 'test_two.py::test_fails'}\n").ret == 4
