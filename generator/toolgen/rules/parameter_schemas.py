"""The schemas that models read: those of arguments, and the shared types in them, each once, as written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

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
    seen: set[tuple[str, int, Pointer]] = set()
    roots = [(tool.document, ("parameters",)) for tool in catalog.tools if tool.parameters is not None]
    used = {name for tool in catalog.tools for name in (tool.parameters or {}).get("$defs", {})}
    for document, pointer in [*roots, *((t.document, t.pointer) for t in catalog.types if t.name in used)]:
        for node in _below(document, pointer):
            key = (document.path, document.index, node.pointer)
            if key not in seen:
                seen.add(key)
                yield node


def _below(document: Document, pointer: Pointer) -> Iterator[SchemaNode]:
    root = value_at(document.value, pointer)
    stack: list[tuple[Pointer, Any, tuple[str, ...], bool]] = [(pointer, root, (), True)]
    while stack:
        at, schema, around, alone = stack.pop()
        if not isinstance(schema, Mapping):
            continue
        types = type_keyword_values(schema) or around
        whole = alone and not _ELSEWHERE & schema.keys()
        yield SchemaNode(document, at, schema, types, whole)
        inner = [(subpointer, sub) for subpointer, sub in subschemas(schema) if subpointer[0] not in _CONDITIONS]
        for subpointer, sub in reversed(inner):
            same = subpointer[0] in IN_PLACE
            stack.append(((*at, *subpointer), sub, types if same else (), not same))


def type_keyword_values(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the types that a schema states itself."""
    named = schema.get("type", ())
    return (named,) if isinstance(named, str) else tuple(str(each) for each in named)


def referenced_definition(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the definition that a schema refers to; an empty schema if there is none, or it is a boolean."""
    target = root.get("$defs", {}).get(str(schema.get("$ref", "")).removeprefix(PREFIX))
    return target if isinstance(target, Mapping) else {}


def json_types(values: Iterable[Any]) -> list[str]:
    """Return the JSON types of values, each once, in order. Integers beside other numbers are numbers."""
    found = list(dict.fromkeys(json_type(value) for value in values))
    return [each for each in found if each != "integer" or "number" not in found]
