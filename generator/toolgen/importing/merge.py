"""Comparison of JSON values, and the three-way merge of an import, key by key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from toolgen.load import Pointer

Kind = Literal["added", "removed", "changed"]


_MISSING: Any = object()
"""Marks a value that does not exist."""

_SETS = frozenset(["enum", "required"])
"""Keywords whose lists of strings are sets, so that each string is merged separately."""


@dataclass(slots=True)
class MergeResult:
    """A merged value. `conflicts` are locations where both sides changed and the author's value was kept."""

    value: Any = None
    conflicts: list[Pointer] = field(default_factory=list)


def is_unchanged_json(value: Any, other: Any) -> bool:
    """Return whether two values have the same JSON text but for the order of keys: 1, 1.0 and true differ.

    Tuples count as lists.
    """
    if isinstance(value, Mapping) and isinstance(other, Mapping):
        return value.keys() == other.keys() and all(is_unchanged_json(item, other[key]) for key, item in value.items())
    if isinstance(value, list | tuple) and isinstance(other, list | tuple):
        return len(value) == len(other) and all(map(is_unchanged_json, value, other))
    return type(value) is type(other) and bool(value == other)


def find_differences(before: Any, after: Any, at: Pointer = ()) -> Iterator[tuple[Pointer, Kind]]:
    """Yield the smallest changed locations of two values, in the order of the keys. A list is a single value."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in dict.fromkeys((*before, *after)):
            if key not in after:
                yield (*at, key), "removed"
            elif key not in before:
                yield (*at, key), "added"
            else:
                yield from find_differences(before[key], after[key], (*at, key))
    elif not is_unchanged_json(before, after):
        yield at, "changed"


def merge_three_way(base: Any, incoming: Any, local: Any) -> MergeResult:
    """Merge the source's changes since `base` into the author's value. No change of the author is ever lost."""
    result = MergeResult()
    result.value = _merged(base, incoming, local, (), result.conflicts)
    return result


def _merged(base: Any, incoming: Any, local: Any, at: Pointer, conflicts: list[Pointer]) -> Any:
    """Return the merged value; `_MISSING` if it is removed. Paths that both sides changed are added to `conflicts`."""
    if _equal(local, base) or _equal(local, incoming):
        # If both are equal, the author's order of keys is kept.
        return local if _equal(local, incoming) else incoming
    if _equal(incoming, base):
        return local
    if isinstance(incoming, Mapping) and isinstance(local, Mapping):
        previous = base if isinstance(base, Mapping) else {}
        merged = {}
        for key in dict.fromkeys((*local, *incoming)):
            base_value, incoming_value, local_value = (side.get(key, _MISSING) for side in (previous, incoming, local))
            value = _merged(base_value, incoming_value, local_value, (*at, key), conflicts)
            if value is not _MISSING:
                merged[key] = value
        return merged
    if at and at[-1] in _SETS and all(_is_set(side) for side in (base, incoming, local)):
        remaining = [text for text in local if text in incoming or text not in base]
        return remaining + [text for text in incoming if text not in base and text not in local]
    conflicts.append(at)
    return local


def _equal(value: Any, other: Any) -> bool:
    return value is other if _MISSING in (value, other) else is_unchanged_json(value, other)


def _is_set(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(t, str) for t in value) and len(set(value)) == len(value)
