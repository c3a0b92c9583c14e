"""Incremental builds: results that one process keeps from one build to the next, so that only what changed is done again.

A result is kept by the step that made it and by everything that it was made from: the key. Texts stand in a key
themselves. Documents, declarations, tools and profiles stand in it as objects, which are the same ones from build to
build as long as their sources are; they are never compared by value, in which 1 is 1.0 and true. A result is never changed, and a step that leaves something out of its key is a
defect: the tests hold every build of a long row of edits to a fresh one.

Outside of `incremental_builds` nothing is kept, and every step is done.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from toolgen.diagnostics import Findings

__all__ = ["BuildResults", "find", "incremental_builds", "keep", "reuse", "reuse_reported"]

T = TypeVar("T")
Key = tuple[Hashable, ...]


@dataclass(slots=True)
class BuildResults:
    """What is kept: results of the last whole build, and those that were used since."""

    last: dict[Key, Any] = field(default_factory=dict)
    used: dict[Key, Any] = field(default_factory=dict)

    def forget_unused(self) -> None:
        """Forget what the build that ends now had no use for, so that memory does not grow with the number of edits."""
        self.last, self.used = self.used, {}


_results: BuildResults | None = None


@contextmanager
def incremental_builds() -> Iterator[BuildResults]:
    """Keep results for the length of a `with` block, in which builds follow each other. Not for several threads."""
    global _results
    _results = BuildResults()
    try:
        yield _results
    finally:
        _results = None


def find(*key: Hashable) -> Any:
    """The result that is kept by a key; None where there is none."""
    if _results is None:
        return None
    result = _results.used.get(key)
    if result is None and (result := _results.last.get(key)) is not None:
        _results.used[key] = result
    return result


def keep(result: T, *key: Hashable) -> T:
    """Keep a result, and return it."""
    if _results is not None:
        _results.used[key] = result
    return result


def reuse(make: Callable[[], T], *key: Hashable) -> T:
    """The result that is kept by a key, or a new one. It is not None."""
    if _results is None:
        return make()
    found: T | None = find(*key)
    return keep(make(), *key) if found is None else found


def reuse_reported(make: Callable[[Findings], T], findings: Findings, *key: Hashable) -> T:
    """A result whose step reports findings, which are reported again with it."""
    if _results is None:
        return make(findings)

    def made() -> tuple[T, Findings]:
        own = Findings()
        return make(own), own

    result, own = reuse(made, *key)
    findings.items += own.items
    return result
