"""The facts of a wire that conversions need at run time."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..lowering.tools import Lowerings, holds
from .cache import Cache
from .residue import within

if TYPE_CHECKING:
    from ..lowering.records import Record
    from ..models import ToolDefinition

__all__ = ["DeclaredTools", "Wire", "WireFacts", "renamed", "synthetic_id"]


@dataclass(frozen=True, slots=True)
class WireFacts:
    """What is known of a provider's wire, whatever tools are declared.

    `names` and `ids` are the patterns of legal tool names and ids, `name_length` and `id_length` the length of those
    that are made here, and `id_prefix` how made ids begin; `shares` are the providers whose opaque state it may read as
    well; `rejects` are the ways, in an object of the wire, to members that the API refuses in requests; `declared` names
    the keys of its tools for what a declaration says beyond the definition; `dialects` are its rules for schemas.
    """

    name: str
    title: str
    names: str
    name_length: int
    ids: str = ".*"
    id_length: int = 64
    id_prefix: str = "call_"
    shares: Sequence[str] = ()
    rejects: Sequence[Sequence[str]] = ()
    declared: Mapping[str, str] = field(default_factory=dict)
    dialects: Mapping[str, Any] = field(default_factory=lambda: {"open": {}})


@dataclass(frozen=True)
class DeclaredTools:
    """What a build found out about the tools of a project on one wire.

    `names` are the tools that this provider may get, in the order of `payload`, the value of the wire's `tools`;
    `renames` maps the names that are spelled otherwise on this wire, `refused` are tools that it may not get, `spellings`
    the tables of tools whose values are spelled otherwise here, `strict` those that the build made strict. `depth` bounds
    recursive schemas. `package` is the package of the providers, beside that of the tools.
    """

    names: tuple[str, ...] = ()
    payload: Any = ()
    renames: Mapping[str, str] = field(default_factory=dict)
    refused: Collection[str] = ()
    spellings: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    strict: Collection[str] = ()
    depth: int = 3
    package: str | None = None

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """The tools by their other names."""
        found: Mapping[str, str] = {} if self.package is None else import_module("..tools", self.package).ALIASES
        return found

    @cached_property
    def definitions(self) -> Mapping[str, ToolDefinition]:
        """What is declared, by name; a tool's own module alone is imported, when it is read."""
        found: Mapping[str, ToolDefinition] = (
            {} if self.package is None else import_module("..tools", self.package).DEFINITIONS
        )
        return found

    @cached_property
    def leniency(self) -> Mapping[str, Any]:
        """The tables of what models may mean where they say otherwise, by name."""
        found: Mapping[str, Any] = (
            {} if self.package is None else import_module("..tools._lenient", self.package).LENIENT
        )
        return found


class Wire:
    """A provider's wire as one project uses it: what it is called, and how it spells ids and names.

    `entries` are tools that were written before: each as bytes, with what it took of the room that strict tools have in
    a request.
    """

    def __init__(self, facts: WireFacts, declared: DeclaredTools) -> None:
        self.name = facts.name
        self.title = facts.title
        self.legal_id: Callable[[str], Any] = re.compile(facts.ids, re.DOTALL).fullmatch
        self.legal_name: Callable[[str], Any] = re.compile(facts.names, re.DOTALL).fullmatch
        self.id_prefix = facts.id_prefix
        self.id_length = facts.id_length
        self.name_length = facts.name_length
        self.shares = facts.shares
        self.rejects = facts.rejects
        self.declared_keys = facts.declared
        self.declared = declared
        self.names = declared.renames
        self.spoken = {wire: name for name, wire in self.names.items()}
        self.refused = frozenset(declared.refused)
        self.lowerings = Lowerings(facts.dialects, declared.depth)
        self.spellings = declared.spellings
        self.strict = frozenset(declared.strict)
        self.entries: Cache[tuple[bytes, Mapping[str, int]]] = Cache()

    @cached_property
    def read_by_tables(self) -> frozenset[str]:
        """The names of the declared tools whose arguments may be spelled otherwise here, or by a model."""
        return frozenset([*self.spellings, *self.declared.leniency])

    def strictness(self, tool: ToolDefinition, spent: dict[str, int]) -> bool | None:
        """Whether a tool goes out strict; where its declaration leaves that open, by the room that the tools before it left.

        `spent` is what those took of what the API counts over all tools of a request.
        """
        metadata = tool.metadata or {}
        lowerings = self.lowerings
        if tool.strict is None and within(metadata, "declaration").get("$strict") == "auto":
            return lowerings.settled(tool.parameters, spent)[0]
        if tool.strict and self.refusals(tool):
            return False
        return tool.strict

    def refusals(self, tool: ToolDefinition) -> tuple[Record, ...]:
        """Why a tool that should be strict cannot be; nothing for a schema that goes out as it came."""
        lowerings = self.lowerings
        kept = (tool.metadata or {}).get(self.name)
        if not tool.strict or not lowerings.has_strict or tool.parameters is None or holds(kept, tool.parameters):
            return ()
        return lowerings.lowered(tool.parameters, True).refusals

    def spelling(self, name: str) -> str:
        """A spelling of a tool's name that this wire takes: itself, or a legal one made of it, always the same."""
        if name in self.names:
            return self.names[name]
        if self.legal_name(name):
            return name
        readable = re.sub(r"[^a-zA-Z0-9_]+", "_", name)[: self.name_length - 24]
        prefix = f"{readable}_" if readable[:1].isalpha() else f"t_{readable}_"
        return renamed(name, prefix, self.name_length)


def synthetic_id(turn: int, position: int) -> str:
    """The id of a call that came without one: its turn (assistant messages before) and place in the message."""
    return f"call_{turn}_{position}"


_ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def renamed(text: str, prefix: str, length: int) -> str:
    """Another spelling of an id or name: `prefix` and letters and digits of its SHA-256, `length` in all.

    The same each time, so that a call and its result stay paired without a table; with twenty characters and more
    two texts do not fall together.
    """
    number = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), "big")
    letters = []
    for _ in range(length - len(prefix)):
        number, rest = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[rest])
    return prefix + "".join(letters)
