"""Incremental builds: results of one build that the next one reuses, so that it repeats only what changed.

There are two stores. `IN_MEMORY` keeps any object, for later builds of the same process (`enable_incremental_builds`).
`ON_DISK` keeps plain data, which later processes find in the user's cache (`stored_results`): texts, payloads, findings,
and the facts about a tool that stages need, so that its source is not parsed again.

The key of a result names the step and contains everything that the result was made from. Strings are part of a key as they
are. In a key of `IN_MEMORY`, documents, declarations, tools and profiles are compared by identity: they stay the same objects
as long as their sources stay the same, and by value 1 would equal 1.0 and true. A key of `ON_DISK` contains their digests. A
result is never changed. A step whose key leaves something out is a defect; tests compare every build of a long series of
edits with a fresh one.

Outside these two `with` blocks nothing is kept, and every step runs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, ClassVar, Self, TypeVar

from toolgen.build_cache import read_results, save_results
from toolgen.diagnostics import Finding, Findings, Related, Span

T = TypeVar("T")
Key = tuple[Hashable, ...]


@dataclass(slots=True)
class BuildResults:
    """The results of the last complete build, those that this build has used, and the new ones among them."""

    last: dict[Key, Any] = field(default_factory=dict)
    used: dict[Key, Any] = field(default_factory=dict)
    new: dict[Key, Any] = field(default_factory=dict)
    stored_count: int = 0
    """The number of results in the file that the last ones came from; 0 if the file must be rewritten."""

    def find(self, key: Key) -> Any:
        """Return the result of a key, or None if there is none."""
        result = self.used.get(key)
        if result is None and (result := self.last.get(key)) is not None:
            self.used[key] = result
        return result

    def keep(self, key: Key, result: Any) -> None:
        """Add a result."""
        self.used[key] = self.new[key] = result

    def forget_unused(self) -> None:
        """Forget the results that the last build did not use, so that memory does not grow with the number of edits."""
        self.last, self.used, self.new = self.used, {}, {}


@dataclass(slots=True)
class Store:
    """Where steps find the results of earlier builds, and keep their own. Without `results`, every step runs."""

    results: BuildResults | None = None

    def find(self, *key: Hashable) -> Any:
        """Return the result of a key, or None if there is none."""
        return None if self.results is None else self.results.find(key)

    def keep(self, result: T, *key: Hashable) -> T:
        """Keep a result, and return it."""
        if self.results is not None:
            self.results.keep(key, result)
        return result

    def reuse_or_make(self, make: Callable[[], T], *key: Hashable) -> T:
        """Return the kept result of a key, or make and keep it. Results are never None."""
        if self.results is None:
            return make()
        found: T | None = self.find(*key)
        return self.keep(make(), *key) if found is None else found

    def reuse_with_findings(self, make: Callable[[Findings], T], findings: Findings, *key: Hashable) -> T:
        """Return the kept result of a step that reports findings, and report these again. The result may be None."""
        if self.results is None:
            return make(findings)
        found = self.find(*key)
        if found is None:
            own = Findings()
            found = self.keep((make(own), plain_findings(own)), *key)
        report_stored_findings(found[1], findings)
        result: T = found[0]
        return result


IN_MEMORY = Store()
"""For later builds of the same process. Keys and results may be any objects."""

ON_DISK = Store()
"""For later processes too. Keys and results are plain data: None, booleans, numbers, strings, bytes, and tuples, lists and
dicts of these."""


@contextmanager
def enable_incremental_builds() -> Iterator[BuildResults]:
    """Keep results in memory during a `with` block, for the builds inside it. Not for several threads."""
    results = BuildResults()
    IN_MEMORY.results, ON_DISK.results = results, BuildResults()
    try:
        yield results
    finally:
        IN_MEMORY.results = ON_DISK.results = None


@contextmanager
def stored_results(schemas: str, out: str | None) -> Iterator[Callable[[], None]]:
    """Use the results that the last build of SCHEMAS stored in the user's cache, during a `with` block.

    It yields a function that stores the results of this build. Call it only after a complete build, because a build
    that stops early would store less than it found. If a process builds repeatedly, only the first build reads the
    cache.
    """
    outer = ON_DISK.results
    results = ON_DISK.results = outer or BuildResults()
    if not results.last:
        results.last, results.stored_count = read_results(schemas, out)

    def save() -> None:
        if results.new:
            results.stored_count = save_results(schemas, out, results.used, results.new, results.stored_count)
        results.forget_unused()

    try:
        yield save
    finally:
        ON_DISK.results = outer


def key_digest(*made_of: object) -> str:
    """Return a digest for the keys of results, of plain data that a result is made from."""
    return sha256(repr(made_of).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def plain_findings(findings: Findings) -> tuple[Any, ...]:
    """Return findings as plain data, so that they can be stored."""
    return tuple(map(_plain, findings.items))


def report_stored_findings(stored: Iterable[tuple[Any, ...]], findings: Findings) -> None:
    """Report stored findings."""
    findings.items += map(_finding, stored)


class LazyAttributes:
    """A mixin for objects that are made from stored facts, and read all other attributes on first use.

    Name it before the class that it completes, which needs a slot `_load`. `LAZY` are the other attributes.
    """

    __slots__ = ()

    LAZY: ClassVar[tuple[str, ...]]
    _load: Callable[[], Iterable[Any]]

    @classmethod
    def from_facts(cls, load: Callable[[], Iterable[Any]], **facts: Any) -> Self:
        """Return an object with the stored facts about it. `load` returns the values of `LAZY`, in order."""
        made = cls.__new__(cls)
        for name, value in {**facts, "_load": load}.items():
            object.__setattr__(made, name, value)
        return made

    def __getattr__(self, name: str) -> Any:
        """Read the other attributes; Python calls this for a slot without a value."""
        if name not in self.LAZY:
            raise AttributeError(name)
        for each, value in zip(self.LAZY, self._load(), strict=True):
            object.__setattr__(self, each, value)
        return getattr(self, name)


def _plain(finding: Finding) -> tuple[Any, ...]:
    related = tuple((_numbers(each.span), each.message) for each in finding.related)
    fields = finding.code, finding.level, str(finding.message), finding.hint, related, finding.details
    return _numbers(finding.span), *fields


def _numbers(span: Span) -> tuple[str, int, int, int, int]:
    return span.path, span.line, span.column, span.end_line, span.end_column


def _finding(plain: tuple[Any, ...]) -> Finding:
    span, code, level, message, hint, related, details = plain
    others = tuple(Related(Span(*there), text) for there, text in related)
    return Finding(Span(*span), code, level, message, hint, others, details)
