"""Values compared as JSON: what changed from one to another, and the three of an import put together, key by key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from toolgen.load import Pointer

Kind = Literal["added", "removed", "changed"]


class _Missing:
    """No value at all."""


MISSING = _Missing()

_SETS = frozenset(["enum", "required"])
"""Keywords whose lists of texts are sets, in which each text stands for itself."""


@dataclass(slots=True)
class Merged:
    """A value put together. `kept` are places where both sides changed and the author's value stays."""

    value: Any = None
    kept: list[Pointer] = field(default_factory=list)


def same(one: Any, other: Any) -> bool:
    """Whether two values are one in JSON: true is not 1, the order of keys does not matter."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    return type(one) is type(other) and bool(one == other)


def differences(before: Any, after: Any, at: Pointer = ()) -> Iterator[tuple[Pointer, Kind]]:
    """What changed between two values: the smallest places, in the order of the keys. A list is one value."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in dict.fromkeys((*before, *after)):
            if key not in after:
                yield (*at, key), "removed"
            elif key not in before:
                yield (*at, key), "added"
            else:
                yield from differences(before[key], after[key], (*at, key))
    elif not same(before, after):
        yield at, "changed"


def merged(base: Any, theirs: Any, ours: Any) -> Merged:
    """Put the source's changes since `base` and the author's together. What the author changed is never lost."""
    result = Merged()
    result.value = _merged(base, theirs, ours, (), result.kept)
    return result


def _merged(base: Any, theirs: Any, ours: Any, at: Pointer, kept: list[Pointer]) -> Any:
    if _equal(ours, base) or _equal(ours, theirs):
        # Where the two say the same, the author's order of keys stays.
        return ours if _equal(ours, theirs) else theirs
    if _equal(theirs, base):
        return ours
    if isinstance(theirs, Mapping) and isinstance(ours, Mapping):
        former = base if isinstance(base, Mapping) else {}
        found = {}
        for key in dict.fromkeys((*ours, *theirs)):
            before, there, here = (side.get(key, MISSING) for side in (former, theirs, ours))
            value = _merged(before, there, here, (*at, key), kept)
            if value is not MISSING:
                found[key] = value
        return found
    if at and at[-1] in _SETS and all(_is_set(side) for side in (base, theirs, ours)):
        return [text for text in ours if text in theirs or text not in base] + [
            text for text in theirs if text not in base and text not in ours
        ]
    kept.append(at)
    return ours


def _equal(one: Any, other: Any) -> bool:
    return one is other if MISSING in (one, other) else same(one, other)


def _is_set(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(t, str) for t in value) and len(set(value)) == len(value)
