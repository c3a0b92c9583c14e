"""One test over many rows, such as the recordings of a provider, which names every row that fails.

`@over("order", ORDERS)` stands where `@pytest.mark.parametrize("order", ORDERS)` would make a test of each row.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeAlias

import pytest

Rows: TypeAlias = Mapping[str, Any] | Collection[Any]
"""Rows by their names, or as for `parametrize`. If a test takes several arguments of a row, its value is a tuple."""

Decorator: TypeAlias = Callable[[Callable[..., None]], Callable[..., None]]

PARAMETERS = type(pytest.param())


def over(names: str, rows: Rows | Callable[[Any], Rows], of: str = "provider") -> Decorator:
    """Return a decorator that calls a test with every row, and fails with the failures of all rows.

    `names` are the arguments of the test that a row has, as for `parametrize`. A function as `rows` gets the argument `of`
    of the test. A caller that passes all arguments of a row runs the test with this row alone.
    """
    arguments = [name.strip() for name in names.split(",")]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)
        others = [p for name, p in signature.parameters.items() if name not in arguments]
        assert len(others) == len(signature.parameters) - len(arguments), f"{test.__name__} does not take {names}"

        @functools.wraps(test)
        def looped(*positional: Any, **keywords: Any) -> None:
            bound = signature.bind_partial(*positional, **keywords).arguments
            if bound.keys() >= set(arguments):
                test(**bound)
            else:
                chosen = rows(bound[of]) if callable(rows) else rows
                _run(chosen, lambda row: test(**bound, **_named(arguments, row)))

        looped.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return looped

    return decorate


def grouped(names: str, rows: Collection[Any]) -> Decorator:
    """Return a decorator that makes a test of each value of the first argument, such as the provider, over its rows."""
    first, _, others = names.partition(",")
    groups: dict[Any, dict[str, Any]] = {}
    for i, row in enumerate(rows):
        values = row.values if isinstance(row, PARAMETERS) else row
        name = row.id if isinstance(row, PARAMETERS) else f"{i} {values!r:.60}"
        groups.setdefault(values[0], {})[str(name)] = values[1] if len(values) == 2 else values[1:]
    each_group = pytest.mark.parametrize(first, list(groups))
    return lambda test: each_group(over(others, lambda value: groups[value], first)(test))


def _named(arguments: list[str], row: Any) -> dict[str, Any]:
    return {arguments[0]: row} if len(arguments) == 1 else dict(zip(arguments, row, strict=True))


def _run(rows: Rows, check: Callable[[Any], None]) -> None:
    named = (
        list(rows.items()) if isinstance(rows, Mapping) else [(f"{i} {row!r:.60}", row) for i, row in enumerate(rows)]
    )
    assert named, "there are no rows"
    failures: dict[str, BaseException] = {}
    for name, row in named:
        try:
            check(row)
        except (Exception, pytest.fail.Exception) as failure:  # noqa: BLE001  # raised below, with those of other rows
            failure.add_note(f"in row {name}")
            failures[name] = failure
    if failures:
        message = f"{len(failures)} of {len(named)} rows fail: {', '.join(failures)}"
        raise AssertionError(message) from BaseExceptionGroup(message, list(failures.values()))
