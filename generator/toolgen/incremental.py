"""Incremental builds: results that are kept from one build to the next, so that only what changed is done again.

There are two kinds. `reuse` keeps any result, for the builds of one process (`incremental_builds`). `recall` keeps plain
data, which the next process finds in the user's cache as well (`stored_results`): texts, payloads, findings, and what a
stage wants to know of a tool that it has no need to read again.

A result is kept by the step that made it and by everything that it was made from: the key. Texts stand in a key
themselves. Documents, declarations, tools and profiles stand in a key of `reuse` as objects, which are the same ones from
build to build as long as their sources are; they are never compared by value, in which 1 is 1.0 and true. In a key of
`recall` their digests stand for them. A result is never changed, and a step that leaves something out of its key is a
defect: the tests hold every build of a long row of edits to a fresh one.

Outside of these two `with` blocks nothing is kept, and every step is done.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self, TypeVar

from toolgen.build_cache import read_results, save_results
from toolgen.diagnostics import Finding, Findings, Related, Span

__all__ = [
    "BuildResults",
    "Key",
    "Unread",
    "find",
    "find_stored",
    "incremental_builds",
    "keep",
    "plain_findings",
    "recall",
    "recall_reported",
    "report_again",
    "reuse",
    "reuse_reported",
    "store",
    "stored_results",
]

T = TypeVar("T")
Key = tuple[Hashable, ...]


@dataclass(slots=True)
class BuildResults:
    """What is kept: results of the last whole build, and those that were used since."""

    last: dict[Key, Any] = field(default_factory=dict)
    used: dict[Key, Any] = field(default_factory=dict)
    new: dict[Key, Any] = field(default_factory=dict)

    def find(self, key: Key) -> Any:
        """The result that is kept by a key; None where there is none."""
        result = self.used.get(key)
        if result is None and (result := self.last.get(key)) is not None:
            self.used[key] = result
        return result

    def keep(self, key: Key, result: Any) -> None:
        """Keep a result."""
        self.used[key] = self.new[key] = result

    def forget_unused(self) -> None:
        """Forget what the build that ends now had no use for, so that memory does not grow with the number of edits."""
        self.last, self.used, self.new = self.used, {}, {}


_results: BuildResults | None = None
_stored: BuildResults | None = None
_count = 0
"""How many results the file has that those stored were read from; 0 where it is to be written anew."""


@contextmanager
def incremental_builds() -> Iterator[BuildResults]:
    """Keep results for the length of a `with` block, in which builds follow each other. Not for several threads."""
    global _results, _stored
    _results, _stored = BuildResults(), BuildResults()
    try:
        yield _results
    finally:
        _results = _stored = None


@contextmanager
def stored_results(schemas: str, out: str | None) -> Iterator[Callable[[], None]]:
    """Recall what the last build of SCHEMAS left in the user's cache, for the length of a `with` block.

    It gives what leaves there all that was used, once a build came to its end: a build that breaks off would leave less
    than it found. Where builds follow each other in a process, the cache is read for the first of them.
    """
    global _stored, _count
    outer = _stored
    results = _stored = outer or BuildResults()
    if not results.last:
        results.last, _count = read_results(schemas, out)

    def save() -> None:
        global _count
        if results.new:
            _count = save_results(schemas, out, results.used, results.new, _count)
        results.forget_unused()

    try:
        yield save
    finally:
        _stored = outer


def find(*key: Hashable) -> Any:
    """The result that is kept by a key; None where there is none."""
    return None if _results is None else _results.find(key)


def keep(result: T, *key: Hashable) -> T:
    """Keep a result, and return it."""
    if _results is not None:
        _results.keep(key, result)
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


def find_stored(*key: Hashable) -> Any:
    """The plain result that is stored by a plain key; None where there is none."""
    return None if _stored is None else _stored.find(key)


def store(result: T, *key: Hashable) -> T:
    """Store a plain result by a plain key, and return it: None, truth values, numbers, texts, bytes, and tuples, lists and dicts of them."""
    if _stored is not None:
        _stored.keep(key, result)
    return result


def recall(make: Callable[[], T], *key: Hashable) -> T:
    """The plain result that is stored by a plain key, or a new one. It is not None."""
    if _stored is None:
        return make()
    found: T | None = find_stored(*key)
    return store(make(), *key) if found is None else found


def recall_reported(make: Callable[[Findings], T], findings: Findings, *key: Hashable) -> T:
    """A plain result whose step reports findings, which are reported again with it. It may be None."""
    if _stored is None:
        return make(findings)
    found = find_stored(*key)
    if found is None:
        own = Findings()
        found = store((make(own), plain_findings(own)), *key)
    report_again(found[1], findings)
    result: T = found[0]
    return result


def plain_findings(findings: Findings) -> tuple[Any, ...]:
    """Findings as plain data, for results that are stored."""
    return tuple(map(_plain, findings.items))


def report_again(plain: Iterable[tuple[Any, ...]], findings: Findings) -> None:
    """Report findings that were stored."""
    findings.items += map(_finding, plain)


class Unread:
    """Makes a class whose objects are made of what is stored, and which read the rest when somebody asks for it.

    It stands before the class that it completes. `UNREAD` are the attributes that `read` gives, all at once.
    """

    __slots__ = ()

    UNREAD: ClassVar[tuple[str, ...]]

    @classmethod
    def of(cls, **facts: Any) -> Self:
        """An object with what is known of it."""
        made = cls.__new__(cls)
        for name, value in facts.items():
            object.__setattr__(made, name, value)
        return made

    @abstractmethod
    def read(self) -> Iterable[Any]:
        """The values of `UNREAD`."""

    def __getattr__(self, name: str) -> Any:
        """Read the rest: a slot that is not filled is looked up here."""
        if name not in self.UNREAD:
            raise AttributeError(name)
        for each, value in zip(self.UNREAD, self.read(), strict=True):
            object.__setattr__(self, each, value)
        return getattr(self, name)


def _plain(finding: Finding) -> tuple[Any, ...]:
    related = tuple((_numbers(each.span), each.message) for each in finding.related)
    said = finding.code, finding.level, str(finding.message), finding.hint, related, finding.details
    return _numbers(finding.span), *said


def _numbers(span: Span) -> tuple[str, int, int, int, int]:
    return span.path, span.line, span.column, span.end_line, span.end_column


def _finding(plain: tuple[Any, ...]) -> Finding:
    span, code, level, message, hint, related, details = plain
    others = tuple(Related(Span(*there), said) for there, said in related)
    return Finding(Span(*span), code, level, message, hint, others, details)
