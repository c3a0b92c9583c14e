"""The facts of a wire that conversions need at run time."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from .cache import Cache
from .extras import contains_schema, inner_extras

if TYPE_CHECKING:
    from ..lowering.context import SchemaChange
    from ..lowering.tools import Lowerings
    from ..models import ToolCall, ToolDefinition
    from .encoding import Encoding

__all__ = ["DeclaredTools", "ProviderWire", "WireFacts", "hashed_name", "synthetic_id"]


_NOTHING: Mapping[str, Any] = MappingProxyType({})


class WireFacts:
    """What is known of a provider's wire, whatever tools are declared.

    `names` and `ids` are the patterns of legal tool names and ids, `name_length` and `id_length` the length of those
    that are made here, and `id_prefix` how made ids begin; `shares` are the providers whose opaque state it may read as
    well; `rejects` are the ways, in an object of the wire, to members that the API refuses in requests; `declared` names
    the keys of its tools for what a declaration says beyond the definition; `dialects` are its rules for schemas.
    """

    def __init__(
        self,
        name: str,
        title: str,
        names: str,
        name_length: int,
        ids: str = ".*",
        id_length: int = 64,
        id_prefix: str = "call_",
        shares: Sequence[str] = (),
        rejects: Sequence[Sequence[str]] = (),
        declared: Mapping[str, str] = _NOTHING,
        dialects: Mapping[str, Any] = MappingProxyType({"open": {}}),
    ) -> None:
        self.name = name
        self.title = title
        self.names = names
        self.name_length = name_length
        self.ids = ids
        self.id_length = id_length
        self.id_prefix = id_prefix
        self.shares = shares
        self.rejects = rejects
        self.declared = declared
        self.dialects = dialects


class DeclaredTools:
    """What a build found out about the tools of a project on one wire.

    `names` are the tools that this provider may get, in the order of `payload`, the value of the wire's `tools`;
    `renames` maps the names that are spelled otherwise on this wire, `refused` are tools that it may not get, `spellings`
    the tables of tools whose values are spelled otherwise here, `strict` those that the build made strict. `crowded_out`
    are those that would be strict in a request with fewer tools than all. `depth` bounds recursive schemas. `package` is the package of the providers, beside that of the tools.
    """

    def __init__(
        self,
        names: tuple[str, ...] = (),
        payload: Any = (),
        renames: Mapping[str, str] = _NOTHING,
        refused: Collection[str] = (),
        spellings: Mapping[str, dict[str, Any]] = _NOTHING,
        strict: Collection[str] = (),
        crowded_out: Collection[str] = (),
        depth: int = 3,
        package: str | None = None,
    ) -> None:
        self.names = names
        self.payload = payload
        self.renames = renames
        self.refused = refused
        self.spellings = spellings
        self.strict = strict
        self.crowded_out = frozenset(crowded_out)
        self.depth = depth
        self.package = package

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """The tools by their other names."""
        found: Mapping[str, str] = {} if self.package is None else _imported("..tools", self.package).ALIASES
        return found

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the compact JSON of the payload: in a file it would be a line that two branches always change both."""
        import hashlib
        import json

        encoded = json.dumps(self.payload, ensure_ascii=False, separators=(",", ":")).encode()
        return hashlib.sha256(encoded).hexdigest()

    @cached_property
    def definitions(self) -> Mapping[str, ToolDefinition]:
        """What is declared, by name; a tool's own module alone is imported, when it is read."""
        found: Mapping[str, ToolDefinition] = (
            {} if self.package is None else _imported("..tools", self.package).DEFINITIONS
        )
        return found

    @cached_property
    def leniency(self) -> Mapping[str, Any]:
        """The tables of what models may mean where they say otherwise, by name."""
        found: Mapping[str, Any] = {} if self.package is None else _imported("..tools._lenient", self.package).LENIENT
        return found


def _imported(module: str, package: str) -> Any:
    from importlib import import_module  # late, as what it imports

    return import_module(module, package)


class ProviderWire:
    """A provider's wire as one project uses it: what it is called, and how it spells ids and names.

    `entries` are tools that were written before: each as bytes, with what it took of the room that strict tools have in
    a request.
    """

    def __init__(self, facts: WireFacts, declared: DeclaredTools) -> None:
        self._facts = facts
        self.name = facts.name
        self.title = facts.title
        self.id_prefix = facts.id_prefix
        self.id_length = facts.id_length
        self.name_length = facts.name_length
        self.shares = facts.shares
        self.rejects = facts.rejects
        self.declared_keys = facts.declared
        self.declared = declared
        self.names = declared.renames
        self.tool_names = {wire: name for name, wire in self.names.items()}
        self.refused = frozenset(declared.refused)
        self.has_strict = bool(facts.dialects.get("strict"))
        self.strict = frozenset(declared.strict)
        self.entries: Cache[tuple[bytes, Mapping[str, int]]] = Cache()

    @cached_property
    def legal_id(self) -> Callable[[str], Any]:
        """Whether the wire takes an id."""
        return re.compile(self._facts.ids, re.DOTALL).fullmatch

    @cached_property
    def legal_name(self) -> Callable[[str], Any]:
        """Whether the wire takes the name of a tool."""
        return re.compile(self._facts.names, re.DOTALL).fullmatch

    @cached_property
    def lowerings(self) -> Lowerings:
        """How schemas of tools are lowered. It is imported when a tool is given at run time: the build lowered the declared ones."""
        from ..lowering.tools import Lowerings

        return Lowerings(self._facts.dialects, self.declared.depth)

    @cached_property
    def encodings(self) -> Mapping[str, Encoding]:
        """How the arguments of declared tools differ on this wire, by name; of those alone that do."""
        from .encoding import Encoding

        return {name: Encoding(table) for name, table in self.declared.spellings.items()}

    @cached_property
    def lenient(self) -> Mapping[str, Encoding]:
        """What models may mean where they say otherwise than a declared tool's parameters, by name."""
        from .encoding import Encoding

        return {name: Encoding(table) for name, table in self.declared.leniency.items()}

    @cached_property
    def encoded(self) -> frozenset[str]:
        """The declared tools whose arguments may differ on this wire from what their schemas say."""
        return frozenset(self.declared.spellings) | frozenset(self.declared.leniency)

    def is_plain(self, call: ToolCall) -> bool:
        """Whether the arguments of a call are the same on both sides, by what the build knows of its tool."""
        name, spelled = call.name, call.arguments
        lenient = self.lenient.get(name)
        if lenient is not None and lenient.decode(spelled) is not spelled:
            return False
        encoding = self.encodings.get(name)
        return encoding is None or (
            encoding.decode(spelled) is spelled and encoding.encode(spelled, fill=False) is spelled
        )

    def strictness(self, tool: ToolDefinition, budget_used: dict[str, int]) -> bool | None:
        """Whether a tool goes out strict; where its declaration leaves that open, by the room that the tools before it left.

        `budget_used` is what those took of what the API counts over all tools of a request.
        """
        metadata = tool.metadata or {}
        if tool.strict is None and inner_extras(metadata, "declaration").get("$strict") == "auto":
            return self.lowerings.choose_strictness(tool.parameters, budget_used)[0]
        if tool.strict and self.unsupported_changes(tool):
            return False
        return tool.strict

    def unsupported_changes(self, tool: ToolDefinition) -> tuple[SchemaChange, ...]:
        """Why a tool that should be strict cannot be; nothing for a schema that goes out as it came."""
        if not tool.strict or not self.has_strict or tool.parameters is None:
            return ()
        kept = (tool.metadata or {}).get(self.name)
        if contains_schema(kept, tool.parameters):
            return ()
        return self.lowerings.lower(tool.parameters, True).unsupported_changes

    def wire_name(self, name: str) -> str:
        """A spelling of a tool's name that this wire takes: itself, or a legal one made of it, always the same."""
        if name in self.names:
            return self.names[name]
        if self.legal_name(name):
            return name
        readable = re.sub(r"[^a-zA-Z0-9_]+", "_", name)[: self.name_length - 24]
        prefix = f"{readable}_" if readable[:1].isalpha() else f"t_{readable}_"
        return hashed_name(name, prefix, self.name_length)


def synthetic_id(turn: int, position: int) -> str:
    """The id of a call that came without one: its turn (assistant messages before) and place in the message."""
    return f"call_{turn}_{position}"


_ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def hashed_name(text: str, prefix: str, length: int) -> str:
    """Another spelling of an id or name: `prefix` and letters and digits of its SHA-256, `length` in all.

    The same each time, so that a call and its result stay paired without a table; with twenty characters and more
    two texts do not fall together.
    """
    import hashlib  # late: it takes a while, and few ids and names are spelled otherwise

    number = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), "big")
    letters = []
    for _ in range(length - len(prefix)):
        number, rest = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[rest])
    return prefix + "".join(letters)
