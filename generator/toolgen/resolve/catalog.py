"""The resolved sources, which every later stage reads. Nothing in it refers to a file by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from toolgen.diagnostics import Span
from toolgen.load import Document, Pointer
from toolgen.parse.config import Config, Formats
from toolgen.parse.declarations import Declaration, Strict

Schema = Mapping[str, Any] | bool
"""A JSON Schema. In a catalog its only references are `#` and `#/$defs/<name>`."""


@dataclass(frozen=True, slots=True)
class SharedType:
    """A schema of SCHEMAS/types, or a definition inside one, that tools refer to.

    `name` is the class in `generated/types.py`, and the key under `$defs` of every schema that refers to it.
    `refers` are the names of the shared types that its schema refers to directly. `formats` is from the configuration.
    """

    name: str
    schema: Schema = field(repr=False)
    refers: tuple[str, ...]
    document: Document = field(repr=False)
    pointer: tuple[str | int, ...] = ()
    formats: Formats = "python"


@dataclass(frozen=True, slots=True, eq=False)
class Tool(Declaration):
    """A resolved declaration. `parameters` and `result` are self-contained: shared types are copied under `$defs`.

    `shared` are the keys under `$defs` of either schema that are shared types, sorted. `strict` and `formats` are
    from the configuration if the declaration does not set them.
    """

    shared: tuple[str, ...]
    strict: Strict
    origins: Mapping[str, tuple[Document, Pointer]] = field(repr=False)
    """The locations that the definitions of `parameters` come from, by their keys under `$defs`."""
    formats: Formats = "python"

    def parameter_span(self, schema_pointer: Pointer, keyword: str = "") -> Span:
        """Return the source location of the key at a pointer in `parameters`, or of a keyword of the schema there."""
        document, pointer = self.document, ("parameters", *schema_pointer)
        if len(schema_pointer) > 1 and schema_pointer[0] == "$defs" and schema_pointer[1] in self.origins:
            document, start = self.origins[str(schema_pointer[1])]
            pointer = (*start, *schema_pointer[2:])
        if (*pointer, keyword) in document.keys:
            return document.key_span(*pointer, keyword)
        return document.key_span(*pointer)

    def parameter_key(self, schema_pointer: Pointer) -> ParameterKey:
        """Return the key of the schema at a pointer in `parameters`."""
        type_name = ""
        if len(schema_pointer) > 1 and schema_pointer[0] == "$defs" and schema_pointer[1] in self.origins:
            document, start = self.origins[str(schema_pointer[1])]
            if (document.source, document.index) == (self.document.source, self.document.index):
                schema_pointer = (*start[start[:1] == ("parameters",) :], *schema_pointer[2:])
            else:
                type_name, schema_pointer = str(schema_pointer[1]), schema_pointer[2:]
        return ParameterKey(type_name, _property_path(schema_pointer))


class ParameterKey(NamedTuple):
    """What a schema in `parameters` is called: the shared type that contains it, and its key there.

    The type is an empty string if the tool itself contains the schema. A key is the path of a property, such as
    `items[].price`; keywords that lead to no property are part of it, such as `anyOf[0]`. The key of the whole is empty.
    """

    type_name: str
    key: str


def _property_path(schema_pointer: Pointer) -> str:
    """Return the path of the property at a pointer in a schema."""
    path = ""
    steps = iter(schema_pointer)
    for step in steps:
        if step == "items":
            path += "[]"
            continue
        name = next(steps, step) if step == "properties" else step
        path += f"[{name}]" if isinstance(name, int) else f".{name}"
    return path.removeprefix(".")


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """The facts about a provider, with `extends` already merged; `parent` is the profile that it extends.

    `configured` are the sections that settings of the project change.
    """

    name: str
    facts: Mapping[str, Any] = field(repr=False)
    documents: tuple[Document, ...] = field(repr=False)
    parent: Profile | None = field(default=None, repr=False)
    configured: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class FormatField:
    """A field of a type of the neutral format: JSON name, Python name, and schema."""

    name: str
    python: str
    schema: Mapping[str, Any] = field(repr=False)
    required: bool


@dataclass(frozen=True, slots=True)
class FormatType:
    """A type of the neutral format. `union` lists the members if it is one of several types."""

    name: str
    description: str
    fields: tuple[FormatField, ...]
    union: tuple[str, ...]
    schema: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Format:
    """The neutral format: types by name, in the order of the sources. `is_extended` is whether the project adds to it."""

    types: Mapping[str, FormatType]
    schema: Mapping[str, Any] = field(repr=False)
    is_extended: bool = False


@dataclass(frozen=True, slots=True)
class Catalog:
    """Everything that is compiled: the interface between understanding the sources and planning the output."""

    config: Config
    tools: tuple[Tool, ...]
    types: tuple[SharedType, ...]
    profiles: tuple[Profile, ...]
    format: Format
