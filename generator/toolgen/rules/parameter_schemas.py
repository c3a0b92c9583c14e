"""The schemas that models read: those of arguments, and the shared types in them, each once, as written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from toolgen.diagnostics import Span
from toolgen.load import Document, Pointer
from toolgen.load.sources import json_type, value_at
from toolgen.resolve import Catalog
from toolgen.resolve.schema_locations import IN_PLACE, NAMED, PREFIX, subschemas

_CONDITIONS = frozenset({"contains", "if", "not", "propertyNames"})
"""Keywords whose schema is a condition: it need not describe a whole value."""

_ELSEWHERE = frozenset({"$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "dependencies"})
"""Keywords by which other schemas describe the same value."""


@dataclass(frozen=True, slots=True)
class SchemaNode:
    """A schema in a source. `types` are its own types, or those of the schema around it for the same value.

    `is_whole` is whether nothing else describes the value: no reference, no composition in it or around it.
    """

    document: Document = field(repr=False)
    pointer: Pointer
    schema: Mapping[str, Any] = field(repr=False)
    types: tuple[str, ...]
    is_whole: bool

    @property
    def name(self) -> str:
        """Return the name for messages: the last name in the pointer, or that of the file if there is none."""
        name = PurePosixPath(self.document.source).stem
        keyword: str | int = ""
        steps = iter(self.pointer)
        for keyword in steps:
            if keyword in NAMED:
                name = str(next(steps, name))
        return f"items of {name}" if keyword == "items" else name

    def place(self, *further: str | int) -> Span:
        """Return the location of its key, or of a key further inside."""
        return self.document.key_span(*self.pointer, *further)


def walk_parameter_schemas(catalog: Catalog) -> Iterator[SchemaNode]:
    """Yield every schema below the parameters of a tool, in the order of the sources."""
    yielded: set[tuple[str, int, Pointer]] = set()
    roots = [(tool.document, ("parameters",)) for tool in catalog.tools if tool.parameters is not None]
    used = {name for tool in catalog.tools for name in (tool.parameters or {}).get("$defs", {})}
    for document, pointer in [*roots, *((t.document, t.pointer) for t in catalog.types if t.name in used)]:
        for node in _below(document, pointer):
            key = (document.path, document.index, node.pointer)
            if key not in yielded:
                yielded.add(key)
                yield node


class _WaitingSchema(NamedTuple):
    """A schema to walk through, with the types of the schema around it for the same value; `is_alone` if there is none."""

    pointer: Pointer
    schema: Any
    types_around: tuple[str, ...]
    is_alone: bool


def _below(document: Document, pointer: Pointer) -> Iterator[SchemaNode]:
    """Yield the schema at a pointer and those inside it, without conditions."""
    stack = [_WaitingSchema(pointer, value_at(document.value, pointer), (), True)]
    while stack:
        waiting = stack.pop()
        schema = waiting.schema
        if not isinstance(schema, Mapping):
            continue
        types = type_keyword_values(schema) or waiting.types_around
        is_whole = waiting.is_alone and not _ELSEWHERE & schema.keys()
        yield SchemaNode(document, waiting.pointer, schema, types, is_whole)
        inner = [(subpointer, sub) for subpointer, sub in subschemas(schema) if subpointer[0] not in _CONDITIONS]
        for subpointer, sub in reversed(inner):
            is_same_value = subpointer[0] in IN_PLACE
            types_around = types if is_same_value else ()
            stack.append(_WaitingSchema((*waiting.pointer, *subpointer), sub, types_around, not is_same_value))


def type_keyword_values(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the types that a schema states itself."""
    types = schema.get("type", ())
    return (types,) if isinstance(types, str) else tuple(map(str, types))


def referenced_definition(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the definition that a schema refers to; an empty schema if there is none, or it is a boolean."""
    target = root.get("$defs", {}).get(str(schema.get("$ref", "")).removeprefix(PREFIX))
    return target if isinstance(target, Mapping) else {}


def json_types(values: Iterable[Any]) -> list[str]:
    """Return the JSON types of values, each once, in order. Integers beside other numbers are numbers."""
    types = list(dict.fromkeys(json_type(value) for value in values))
    return [name for name in types if name != "integer" or "number" not in types]
