"""Every requirement of the founding documents has a test that exists, or a reason why it is out of scope."""

from __future__ import annotations

from tests.support.rows import names_in, out_of_scope, row_table


def test_the_tests_of_rows_exist() -> None:
    tests = {test for row in row_table().values() for test in row}
    assert len(tests) > 200
    assert sorted(test for test in tests if test.partition("::")[2] not in names_in(test.partition("::")[0])) == []


def test_every_row_has_a_test_or_is_out_of_scope() -> None:
    table = row_table()
    assert len(table) > 250
    assert [identifier for identifier, tests in table.items() if not tests] == sorted(
        out_of_scope(), key=[*table].index
    )
