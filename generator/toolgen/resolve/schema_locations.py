"""Locations of schemas in the sources, and of subschemas inside a schema.

Data (`default`, `const`, `enum`, `examples`) contains no schemas. References find documents by their address.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from toolgen.diagnostics import Span
from toolgen.load import Document, Pointer, Sources
from toolgen.load.sources import value_at

DocumentKey = tuple[str, int]
"""A document's source path relative to SCHEMAS, and its index in that file."""


ROOTS: tuple[Pointer, ...] = (("parameters",), ("result",))
"""The locations of the schemas in a declaration."""


class SchemaLocation(NamedTuple):
    """The location of a value in a document."""

    document: DocumentKey
    pointer: Pointer


@dataclass(frozen=True, slots=True)
class SchemaRegistry:
    """The documents that references may lead to: those of tools and types, all in memory."""

    documents: dict[DocumentKey, Document] = field(repr=False)
    tools: frozenset[DocumentKey]

    @classmethod
    def from_sources(cls, sources: Sources) -> SchemaRegistry:
        """Return the registry of everything that was loaded."""
        documents = {(d.source, d.index): d for d in (*sources.tools, *sources.types)}
        return cls(documents, frozenset((d.source, d.index) for d in sources.tools))

    def value(self, location: SchemaLocation) -> Any:
        """Return the value at a location."""
        return value_at(self.documents[location.document].value, location.pointer)

    def span(self, location: SchemaLocation, *more: str | int) -> Span:
        """Return the source location of a value, or of one inside it."""
        return self.documents[location.document].span(*location.pointer, *more)

    def key_span(self, location: SchemaLocation, *more: str | int) -> Span:
        """Return the source location of the key of a value."""
        return self.documents[location.document].key_span(*location.pointer, *more)

    def root(self, location: SchemaLocation) -> SchemaLocation:
        """Return the schema that `#` means at a location: a file of types, or `parameters` or `result` of a tool."""
        inside = location.document in self.tools and location.pointer[:1] in ROOTS
        return SchemaLocation(location.document, location.pointer[:1] if inside else ())

    def roots(self, excluded: Container[DocumentKey] = ()) -> Iterator[SchemaLocation]:
        """Yield the root schemas of all documents except `excluded`: types, and `parameters` and `result` of tools."""
        for key, document in self.documents.items():
            if key in excluded:
                continue
            if key not in self.tools:
                yield SchemaLocation(key, ())
            elif isinstance(document.value, dict):
                yield from (SchemaLocation(key, root) for root in ROOTS if root[0] in document.value)


ONE = frozenset(
    [
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    ]
)
LIST = frozenset(["allOf", "anyOf", "items", "oneOf", "prefixItems"])
NAMED = frozenset(["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"])
IN_PLACE = frozenset(["allOf", "anyOf", "dependencies", "dependentSchemas", "else", "if", "not", "oneOf", "then"])
"""Keywords whose subschemas apply to the same value as the schema around them."""


PREFIX = "#/$defs/"
"""The start of a reference to a definition of a self-contained schema. The only other reference there is `#`."""


def find_target(ref: str, root: Any) -> Any:
    """Return the target of a reference in a self-contained schema."""
    return root["$defs"][ref.removeprefix(PREFIX)] if ref.startswith(PREFIX) else root


def stated_types(schema: Mapping[str, Any]) -> list[Any]:
    """Return the types that a schema states itself; none if it states none."""
    types = schema.get("type", [])
    return types if isinstance(types, list) else [types]


def is_schema(value: object) -> bool:
    """Return whether a value can be a schema: an object or a boolean."""
    return isinstance(value, dict | bool)


def subschemas(schema: Any) -> Iterator[tuple[Pointer, Any]]:
    """Yield the direct subschemas of a schema, each with its pointer. Malformed keywords are skipped."""
    if not isinstance(schema, dict):
        return
    for key, value in schema.items():
        if key in ONE and is_schema(value):
            yield (key,), value
        elif key in LIST and isinstance(value, list):
            yield from (((key, i), sub) for i, sub in enumerate(value) if is_schema(sub))
        elif key in NAMED and isinstance(value, dict):
            yield from (((key, name), sub) for name, sub in value.items() if is_schema(sub))


def map_subschemas(schema: Mapping[str, Any], convert: Callable[[Any, Pointer], Any]) -> dict[str, Any]:
    """Return a schema with its direct subschemas converted. `convert` gets each, and its pointer."""
    return {key: map_keyword(key, value, convert) for key, value in schema.items()}


def map_keyword(key: str, value: Any, convert: Callable[[Any, Pointer], Any]) -> Any:
    """Return the value of a keyword with the subschemas in it converted; the value itself if it has none."""

    def convert_item(step: Any, sub: Any) -> Any:
        return convert(sub, (key, step)) if is_schema(sub) else sub

    if key in ONE and is_schema(value):
        return convert(value, (key,))
    if key in LIST and isinstance(value, list):
        return [convert_item(i, sub) for i, sub in enumerate(value)]
    if key in NAMED and isinstance(value, dict):
        return {name: convert_item(name, sub) for name, sub in value.items()}
    return value


def walk_schemas(schema: Any, at: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    """Yield a schema and every schema inside it, in the order of the source."""
    stack: list[tuple[Pointer, Any]] = [(at, schema)]
    while stack:
        pointer, part = stack.pop()
        yield pointer, part
        stack.extend(reversed([(pointer + subpointer, sub) for subpointer, sub in subschemas(part)]))


def walk_referenced_schemas(schema: Any, root: Any) -> Iterator[Any]:
    """Yield every schema inside those that a self-contained schema refers to, directly or not."""
    waiting, visited = [schema], set[str]()
    while waiting:
        target = waiting.pop()
        for _, sub in walk_schemas(target):
            if target is not schema:
                yield sub
            ref = sub.get("$ref") if isinstance(sub, Mapping) else None
            if isinstance(ref, str) and ref not in visited:
                visited.add(ref)
                waiting.append(find_target(ref, root))


def walk_same_instance_schemas(schema: Any, at: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    """Yield a schema and the schemas inside it that apply to the same value."""
    stack: list[tuple[Pointer, Any]] = [(at, schema)]
    while stack:
        pointer, part = stack.pop()
        yield pointer, part
        stack.extend((pointer + subpointer, sub) for subpointer, sub in subschemas(part) if subpointer[0] in IN_PLACE)
