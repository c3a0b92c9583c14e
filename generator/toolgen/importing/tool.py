"""What a format's reader gives: a tool before it is named and checked, and schemas that tools share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from toolgen.load import Pointer

Moved = Mapping[Pointer, Pointer]
"""Places in the file by pointers of what is made of it; the longest pointer that begins another one counts."""


@dataclass(frozen=True, slots=True)
class ImportedTool:
    """A definition, read but not yet named for toolgen. What it leaves out is None.

    `sources` are the providers whose wires know the tool by `name`, which it keeps there. `patch` holds the members
    that a declaration has no key for, as a merge patch on the entry of `sources[0]`. `moved` gives the places of what
    does not stand below `at`, the place of the whole definition, under its own name. `origin` is what the record of
    the import tells of where the tool came from.
    """

    at: Pointer
    name: str
    sources: tuple[str, ...]
    description: str | None = None
    parameters: Mapping[str, Any] | None = field(default=None, repr=False)
    result: Mapping[str, Any] | bool | None = field(default=None, repr=False)
    strict: bool | None = None
    risk: Literal["low", "high"] | None = None
    aliases: tuple[str, ...] | None = None
    display_name: str | None = None
    deprecated: bool | None = None
    annotations: Mapping[str, Any] | None = field(default=None, repr=False)
    patch: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    moved: Moved = field(default_factory=dict[Pointer, Pointer], repr=False)
    origin: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)

    def place(self, key: str) -> Pointer:
        """Where in the file a key of the declaration came from."""
        return self.moved.get((key,), (*self.at, key))


@dataclass(frozen=True, slots=True)
class ImportedType:
    """A schema that tools share: `key` is what its source calls it, `stem` the name of the file that it becomes."""

    key: str
    stem: str
    at: Pointer
    schema: Any = field(repr=False)
