"""JSON values: their depth, whether JSON can represent them, copies, and comparison by value."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

__all__ = [
    "MAX_DEPTH",
    "SCALARS",
    "apply_merge_patch",
    "copy_json",
    "equal_json",
    "is_json",
    "is_too_deep",
    "same_json",
]

MAX_DEPTH = 200
"""Maximum depth of nested objects and lists."""

_CONTAINERS = frozenset([dict, list])

SCALARS = frozenset([str, int, bool, type(None)])
"""Types whose values contain no keys and are the same in JSON."""


def apply_merge_patch(base: Any, patch: Any) -> Any:
    """Apply a JSON merge patch (RFC 7396): null removes a key, objects are merged, anything else replaces."""
    if not isinstance(patch, Mapping):
        return patch
    result = dict(base) if isinstance(base, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = apply_merge_patch(result.get(key), value)
    return result


def is_too_deep(value: Any) -> bool:
    """Return whether objects and lists are nested more than `MAX_DEPTH` levels deep."""
    return type(value) in _CONTAINERS and _exceeds_depth(value, MAX_DEPTH)


def _exceeds_depth(holder: Any, max_depth: int) -> bool:
    """Return whether an object or list has more than `max_depth` levels, itself included. It recurses no deeper than that."""
    if not max_depth:
        return True
    for item in holder.values() if type(holder) is dict else holder:
        if (type(item) is dict or type(item) is list) and _exceeds_depth(item, max_depth - 1):
            return True
    return False


def is_json(value: Any, forbidden_key: str | None = None) -> bool:
    """Return whether a value can be written as JSON: all keys are strings, and none is `forbidden_key`."""
    try:
        return _is_json(value, forbidden_key)
    except RecursionError:
        return False


def _is_json(value: Any, forbidden_key: str | None) -> bool:
    """Return whether a value consists of JSON values only, and no object in it has the forbidden key."""
    kind = type(value)
    if kind is dict:
        for key, item in value.items():
            if type(key) is not str or key == forbidden_key or not _is_json(item, forbidden_key):
                return False
        return True
    if kind is list:
        return all(_is_json(item, forbidden_key) for item in value)
    return kind in SCALARS or (kind is float and isfinite(value))


def copy_json(value: Any) -> Any:
    """Copy a value that is not too deep, with new objects and lists."""
    if type(value) is dict:
        return {name: copy_json(item) if type(item) in _CONTAINERS else item for name, item in value.items()}
    if type(value) is list:
        return [copy_json(item) if type(item) in _CONTAINERS else item for item in value]
    return value


def same_json(left: Any, right: Any) -> bool:
    """Return whether two JSON values are identical. The order of keys does not matter, but 1, 1.0 and true differ."""
    kind = type(left)
    if kind is not type(right):
        return False
    if kind is dict:
        return left.keys() == right.keys() and all(same_json(value, right[key]) for key, value in left.items())
    if kind is list:
        return len(left) == len(right) and all(map(same_json, left, right))
    return bool(left == right)


def equal_json(left: Any, right: Any) -> bool:
    """Return whether two JSON values are equal in JSON Schema: like `same_json`, but 1 equals 1.0."""
    return same_json(_with_integers(left), _with_integers(right))


def _with_integers(value: Any) -> Any:
    """Copy a value, with integers in place of floats without a fraction."""
    if type(value) is list:
        return [_with_integers(item) for item in value]
    if type(value) is dict:
        return {name: _with_integers(item) for name, item in value.items()}
    return int(value) if type(value) is float and value.is_integer() else value
