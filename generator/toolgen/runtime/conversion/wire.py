"""The facts of a wire that conversions need at run time."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..lowering.memory import Memory
from ..lowering.tools import Lowerings, holds
from .ids import renamed
from .residue import within

if TYPE_CHECKING:
    from ...models import ToolDefinition
    from ..lowering.records import Record

__all__ = ["Wire"]


class Wire:
    """A provider's wire: what it is called, and how it spells ids and names.

    `names` maps the names of declared tools that are spelled otherwise on this wire, as their declarations or its rules want it; `refused` are tools that this provider may not get; `shares` are the providers
    whose opaque state it may read as well; `rejects` are the ways, in an object of the wire, to members that the API refuses in requests;
    `declared` names the keys of its tools for what a declaration says beyond the definition; `spellings` are the tables
    of declared tools whose values are spelled otherwise here, and `strict` those that the build made strict. `entries` are tools that were written before: each as
    bytes, with what it took of the room that strict tools have in a request.
    """

    __slots__ = (
        "declared",
        "entries",
        "id_length",
        "id_prefix",
        "legal_id",
        "legal_name",
        "lowerings",
        "name",
        "name_length",
        "names",
        "refused",
        "rejects",
        "shares",
        "spellings",
        "spoken",
        "strict",
        "title",
    )

    def __init__(
        self,
        name: str,
        title: str,
        *,
        names: str,
        name_length: int,
        ids: str = ".*",
        id_length: int = 64,
        id_prefix: str = "call_",
        renames: Mapping[str, str] | None = None,
        refused: tuple[str, ...] = (),
        shares: tuple[str, ...] = (),
        rejects: tuple[tuple[str, ...], ...] = (),
        declared: Mapping[str, str] | None = None,
        dialects: Mapping[str, Any] | None = None,
        depth: int = 3,
        spellings: Mapping[str, dict[str, Any]] | None = None,
        strict: tuple[str, ...] = (),
    ) -> None:
        self.name = name
        self.title = title
        self.legal_id: Callable[[str], Any] = re.compile(ids, re.DOTALL).fullmatch
        self.legal_name: Callable[[str], Any] = re.compile(names, re.DOTALL).fullmatch
        self.id_prefix = id_prefix
        self.id_length = id_length
        self.name_length = name_length
        self.names = dict(renames or {})
        self.spoken = {wire: name for name, wire in self.names.items()}
        self.refused = frozenset(refused)
        self.shares = shares
        self.rejects = rejects
        self.declared = dict(declared or {})
        self.lowerings = Lowerings(dialects or {"open": {}}, depth)
        self.spellings = dict(spellings or {})
        self.strict = frozenset(strict)
        self.entries: Memory[tuple[bytes, Mapping[str, int]]] = Memory()

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
