"""A tool as a foreign format defines it: what all formats have in common, and where in the file it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolgen.load import Pointer


@dataclass(frozen=True, slots=True)
class ImportedTool:
    """A definition, read but not yet named for toolgen. What it leaves out is None.

    `sources` are the providers whose wires know the tool by `name`, which it keeps there. `patch` holds the members
    that a declaration has no key for, as a merge patch on the entry of `sources[0]`. `moved` maps keys of the
    declaration to the places in the file that their values came from; `at` is the place of the whole definition.
    """

    at: Pointer
    name: str
    sources: tuple[str, ...]
    description: str | None = None
    parameters: Mapping[str, Any] | None = field(default=None, repr=False)
    result: Mapping[str, Any] | bool | None = field(default=None, repr=False)
    strict: bool | None = None
    display_name: str | None = None
    annotations: Mapping[str, Any] | None = field(default=None, repr=False)
    patch: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    moved: Mapping[str, Pointer] = field(default_factory=dict[str, Pointer], repr=False)
