"""One test for all rows of a table: a failure names every row that fails."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

Test = Callable[..., None]


def for_each(parameter: str, values: Iterable[Any], name: Callable[[Any], str] = str) -> Callable[[Test], Test]:
    """Run a test with each value of a parameter, as one test for pytest.

    It is for tests that need no fixture of their own for each value. Parameters of pytest may stand above and below.
    """
    rows = [(name(value), value) for value in values]

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def test_all(**arguments: Any) -> None:
            errors: dict[str, Exception] = {}
            for row, value in rows:
                try:
                    test(**arguments, **{parameter: value})
                except Exception as error:  # noqa: BLE001 -- whatever fails, the other rows are tested
                    errors[row] = error
            if errors:
                faults = "\n".join(f"{row}: {type(error).__name__}: {error}" for row, error in errors.items())
                raise AssertionError(f"{len(errors)} of {len(rows)} fail\n{faults}") from next(iter(errors.values()))

        signature = inspect.signature(test)
        others = [entry for entry in signature.parameters.values() if entry.name != parameter]
        assert len(others) < len(signature.parameters), f"{test.__name__} has no parameter {parameter}"
        test_all.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return test_all

    return decorate
