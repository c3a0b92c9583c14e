"""Values that may be null or absent: what each reader takes, and what it says of anything else."""

from __future__ import annotations

from typing import Any

import pytest

from toolgen_runtime.conversion import values
from toolgen_runtime.errors import ConversionError

READERS: dict[str, tuple[tuple[Any, ...], list[Any], str]] = {
    "optional_text": ((), ["", "a"], "a string"),
    "optional_object": ((), [{}, {"b": 1}], "an object"),
}
VALUES: list[Any] = ["", "a", 0, 1, 1.5, True, False, [], [1], {}, {"b": 1}]


@pytest.mark.parametrize("name", READERS)
def test_only_values_of_its_type_are_read(name: str) -> None:
    more, fitting, expected = READERS[name]
    reader = getattr(values, name.split()[0])
    for value in VALUES:
        if any(value is fit or (value == fit and type(value) is type(fit)) for fit in fitting):
            assert reader({"a": value}, "a", ((), "x"), *more) is value
        else:
            with pytest.raises(ConversionError, match=rf"x\.a: must be {expected}, found"):
                reader({"a": value}, "a", ((), "x"), *more)


@pytest.mark.parametrize("name", READERS)
def test_null_and_absence_are_the_same(name: str) -> None:
    more, _, _ = READERS[name]
    reader = getattr(values, name.split()[0])
    values_read = [reader({}, "a", (), *more), reader({"a": None}, "a", (), *more)]
    assert values_read == ([{}, {}] if name == "optional_object" else [None, None])
