"""Places of schemas in the sources, and the documents by the address that references use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from toolgen.diagnostics import Span
from toolgen.load import Document, Pointer, Sources

DocumentKey = tuple[str, int]
"""A document's source path relative to SCHEMAS, and its index in that file."""


class Place(NamedTuple):
    """A value in a document."""

    document: DocumentKey
    pointer: Pointer


class MissingError(Exception):
    """There is no value at a pointer."""


def child(value: Any, step: str | int) -> Any:
    """The member of an object or the item of a list that a step of a pointer leads to.

    Raises:
        MissingError: there is none.
    """
    if isinstance(value, dict) and isinstance(step, str) and step in value:
        return value[step]
    if isinstance(value, list):
        digits = str(step)
        position = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else -1
        if str(position) == digits and position < len(value):
            return value[position]
    raise MissingError


@dataclass(frozen=True, slots=True)
class Library:
    """The documents that references may lead to: those of tools and types, all in memory already."""

    documents: dict[DocumentKey, Document] = field(repr=False)
    tools: frozenset[DocumentKey]

    @classmethod
    def of(cls, sources: Sources) -> Library:
        """The library of everything that was loaded."""
        both = (*sources.tools, *sources.types)
        return cls(
            {(d.source, d.index): d for d in both},
            frozenset((d.source, d.index) for d in sources.tools),
        )

    def value(self, place: Place) -> Any:
        """The value at a place.

        Raises:
            MissingError: there is none.
        """
        value = self.documents[place.document].value
        for step in place.pointer:
            value = child(value, step)
        return value

    def span(self, place: Place, *more: str | int) -> Span:
        """Where a value, or one inside it, stands in its source."""
        return self.documents[place.document].span(*place.pointer, *more)

    def key_span(self, place: Place, *more: str | int) -> Span:
        """Where the key of a value stands in its source."""
        return self.documents[place.document].key_span(*place.pointer, *more)

    def root(self, place: Place) -> Place:
        """The schema that `#` means at a place: a file of types, or `parameters` or `result` of a tool."""
        inside = place.document in self.tools and place.pointer[:1] in (
            ("parameters",),
            ("result",),
        )
        return Place(place.document, place.pointer[:1] if inside else ())

    def roots(self) -> Iterator[Place]:
        """The schemas of all documents: types, and `parameters` and `result` of tools."""
        for key, document in self.documents.items():
            if key not in self.tools:
                yield Place(key, ())
            elif isinstance(document.value, dict):
                for name in ("parameters", "result"):
                    if name in document.value:
                        yield Place(key, (name,))
