"""Token counts by the format's one habit: all input counts as input, reasoning counts as output."""

from __future__ import annotations

from typing import Any

from ..errors import wrong_type
from ..paths import Path

__all__ = ["count", "counts"]


def count(wire: dict[str, Any], key: str, at: Path) -> int | None:
    """A number of tokens; None where it is null or not there.

    Raises:
        ConversionError: it is something else. A whole number with a fraction of zero is one.
    """
    value = wire.get(key)
    if value is None or type(value) is int:
        return value
    if type(value) is float and value.is_integer():
        return int(value)
    raise wrong_type((at, key), "an integer", value)


def counts(wire: dict[str, Any], key: str, at: Path) -> dict[str, Any]:
    """An object of counts; empty where it is null or not there.

    Raises:
        ConversionError: it is something else.
    """
    value = wire.get(key)
    if value is None:
        return {}
    if type(value) is not dict:
        raise wrong_type((at, key), "an object", value)
    return value
