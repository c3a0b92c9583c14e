"""The result of loading: the text and value of every source, with the location of every key and value."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from toolgen.diagnostics import Span
from toolgen.load.text_decoding import Location

Pointer = tuple[str | int, ...]
"""The keys and indexes that lead from a document's root to a value."""


SHIPPED = "<toolgen>"
"""The start of the paths of files that toolgen ships."""


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """One document of a source file. `value` is plain JSON data, which no stage changes.

    `path` opens the file from the folder in which the command was run, with forward slashes. `source` is relative to
    SCHEMAS. `index` counts the documents of a multi-document YAML file from 0. `values` and `keys` map a pointer
    to the location of the value, or of its key.
    """

    path: str
    source: str
    index: int
    value: Any
    values: Mapping[Pointer, Location] = field(repr=False)
    keys: Mapping[Pointer, Location] = field(repr=False)

    @property
    def is_shipped(self) -> bool:
        """Whether toolgen ships the document; otherwise it is from SCHEMAS."""
        return self.path.startswith(f"{SHIPPED}/")

    def span(self, *pointer: str | int) -> Span:
        """Return the location of the value at `pointer`, or of the nearest value around it."""
        for end in range(len(pointer), -1, -1):
            location = self.values.get(pointer[:end])
            if location is not None:
                return Span(self.path, *location)
        return Span(self.path)

    def key_span(self, *pointer: str | int) -> Span:
        """Return the location of the key of the value at `pointer`, or of the value if it has no key."""
        location = self.keys.get(pointer)
        return Span(self.path, *location) if location else self.span(*pointer)


@dataclass(frozen=True, slots=True)
class Sources:
    """Everything that was read from SCHEMAS, sorted by path.

    `name` is the SCHEMAS folder as it was given. `texts` maps a document's `path` to its text, for
    excerpts. `digests` maps a source's path relative to SCHEMAS to the SHA-256 of its bytes, in hex.
    """

    name: str
    tools: tuple[Document, ...] = ()
    types: tuple[Document, ...] = ()
    providers: tuple[Document, ...] = ()
    formats: tuple[Document, ...] = ()
    config: Document | None = None
    texts: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    digests: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)


def pointer_text(pointer: Pointer) -> str:
    """Return a pointer as a JSON Pointer (RFC 6901)."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in pointer)


def pointer_steps(text: str) -> list[str]:
    """Return the steps of a JSON Pointer (RFC 6901)."""
    return [step.replace("~1", "/").replace("~0", "~") for step in text.split("/")[1:]]


def value_at(value: Any, pointer: Pointer) -> Any:
    """Return the value at a pointer.

    Raises:
        LookupError: there is none.
        TypeError: there is none, because a value on the way has no members.
    """
    for step in pointer:
        value = value[step]
    return value


def follow_pointer(value: Any, text: str) -> tuple[Pointer, Any]:
    """Return the steps of a JSON Pointer, with the indexes of lists as numbers, and the value that they lead to.

    Raises:
        LookupError: there is none.
    """
    steps: list[str | int] = []
    for step in pointer_steps(text):
        if isinstance(value, list) and _INDEX.fullmatch(step):
            steps.append(int(step))
            value = value[int(step)]
        elif isinstance(value, dict):
            steps.append(step)
            value = value[step]
        else:
            raise LookupError(step)
    return tuple(steps), value


_INDEX = re.compile("0|[1-9][0-9]{0,8}")


def path_prefix(folder: str) -> str:
    """Return the start of the paths of the files below a folder."""
    return "" if folder == "." else f"{folder.rstrip('/')}/"


def join_path(folder: str, path: str) -> str:
    """Return a path below a folder as a path that starts with the folder's name."""
    return f"{path_prefix(folder)}{path}" if path else folder


Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
"""Plain JSON data as Python values."""


@dataclass(slots=True)
class DocumentContent:
    """The content of one document. `values` and `keys` are as in `Document`. `blank`: the document is empty."""

    value: Json = None
    values: dict[Pointer, Location] = field(default_factory=dict)
    keys: dict[Pointer, Location] = field(default_factory=dict)
    blank: bool = False


def compact_json(value: object) -> str:
    """Return a value as JSON without blanks, as clients send it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def json_type(value: object) -> str:
    """Return the JSON type of a value as it is written: 1.0 is a `number`, although JSON Schema takes it for an integer."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


_DESCRIBED = {
    "boolean": "a boolean",
    "integer": "a number",
    "number": "a number",
    "string": "text",
    "array": "a list",
    "object": "a mapping",
}


def describe_json_type(value: Json) -> str:
    """Return the type of a value in a document's own words, with its article, for messages."""
    return _DESCRIBED.get(json_type(value), "null")
