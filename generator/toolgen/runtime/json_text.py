"""JSON text that we write, and what is the same in it."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["compact", "same"]

compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
"""Write a JSON value without blanks; text stays as it is, a number that is not finite raises ValueError."""


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values are one: keys in any order, 1 and 1.0 and true are three values."""
    kind = type(left)
    if kind is not type(right):
        return False
    if kind is dict:
        return left.keys() == right.keys() and all(
            same(value, right[key]) for key, value in left.items()
        )
    if kind is list:
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)
