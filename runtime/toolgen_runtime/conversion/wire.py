"""The facts about a wire that conversions need at run time."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from ..json_values import apply_merge_patch, same_json
from .cache import Cache
from .extras import contains_schema, declared_settings
from .model_facts import NO_FACTS, ModelFacts, find_model_facts
from .strict_mode import StrictDecision

if TYPE_CHECKING:
    from ..lowering.lowered_schema import SchemaChange
    from ..lowering.tools import Lowerings
    from ..models import Loss, ToolCall, ToolDefinition
    from .encoding import Encoding
    from .lost_extras import ExtrasFacts

__all__ = [
    "CachedEntry",
    "DeclaredToolFacts",
    "ProviderWire",
    "WireFacts",
    "make_hashed_name",
    "synthetic_id",
]

_NOTHING: Mapping[str, Any] = MappingProxyType({})
_MOST_MODELS = 256
"""How many models are remembered. Names come from outside, and must not fill the memory."""


class WireFacts:
    """The facts about a provider's wire that do not depend on declared tools.

    `names` and `ids` are the patterns of legal tool names and ids. `name_length` and `id_length` are the lengths of
    names and ids that toolgen makes, `id_prefix` is the beginning of such ids. `rejects` are the key paths of
    members that the API rejects in requests. `shares` are the keys in the extras of other providers that the class of the
    API writes, by provider. `declared` has the keys of the wire's tools for settings of the declaration.
    `dialects` are its rules for schemas. `unique_names` means that the API rejects two tools of one name. `session` is
    how a session calls the official client, and makes it, and `typed_output` beside what the API rejects an output
    format: the sections of these names in the profile. `api` is the API that the provider speaks. `extras` is the section
    of this name, if it is not that of a shipped profile. `models` are the
    entries of the section of this name.
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
        rejects: Sequence[Sequence[str]] = (),
        declared: Mapping[str, str] = _NOTHING,
        dialects: Mapping[str, Any] = MappingProxyType({"open": {}}),
        unique_names: bool = False,
        session: Mapping[str, Any] = _NOTHING,
        api: str = "",
        extras: Mapping[str, Any] = _NOTHING,
        models: Sequence[Mapping[str, Any]] = (),
        typed_output: Mapping[str, Any] = _NOTHING,
        shares: Mapping[str, Sequence[str]] = _NOTHING,
    ) -> None:
        self.name = name
        self.api = api
        self.extras = extras
        self.title = title
        self.unique_names = unique_names
        self.names = names
        self.name_length = name_length
        self.ids = ids
        self.id_length = id_length
        self.id_prefix = id_prefix
        self.rejects = rejects
        self.declared = declared
        self.dialects = dialects
        self.session = session
        self.models = models
        self.typed_output = typed_output
        self.shares = shares

    def patched(self, *, models: Sequence[Mapping[str, Any]] = (), **patch: Any) -> WireFacts:
        """Return these facts with a merge patch (RFC 7396): those of a host that states how it differs.

        Its `models` come after those here.
        """
        return WireFacts(**{**apply_merge_patch(vars(self), patch), "models": [*self.models, *models]})


class DeclaredToolFacts:
    """The facts that a build found out about the tools of a project on one wire.

    `names` are the tools that this provider may get, in the order of `payload`, the value of the wire's `tools`.
    `renames` has the wire names of tools that are named differently, `refused` the tools that the provider must not
    get, `encoding_tables` the encoding tables by tool, `strict` the tools in strict mode, and `strict_if_fewer_tools`
    those that would be strict in a request with fewer tools. `depth` limits recursive schemas. `package` is the package
    of the providers, next to that of the tools. `models` are the entries about models that the project adds.
    """

    def __init__(
        self,
        names: tuple[str, ...] = (),
        payload: Any = (),
        renames: Mapping[str, str] = _NOTHING,
        refused: Collection[str] = (),
        encoding_tables: Mapping[str, dict[str, Any]] = _NOTHING,
        strict: Collection[str] = (),
        strict_if_fewer_tools: Collection[str] = (),
        depth: int = 3,
        package: str | None = None,
        models: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self.names = names
        self.payload = payload
        self.renames = renames
        self.refused = refused
        self.encoding_tables = encoding_tables
        self.strict = strict
        self.strict_if_fewer_tools = frozenset(strict_if_fewer_tools)
        self.depth = depth
        self.package = package
        self.models = models

    @classmethod
    def by_tool(
        cls,
        tools: Mapping[str, Mapping[str, Any]],
        payload: Any,
        *,
        package: str | None = None,
        depth: int = 3,
        models: Sequence[Mapping[str, Any]] = (),
    ) -> Self:
        """Return the facts, given tool by tool, so that version control merges the tools of two branches.

        The facts about a tool are its `name` on the wire, its encoding table (`encoding`), `refused`, `strict` and
        `strict_if_fewer_tools`, each only if it applies.
        """

        def stated(key: str) -> dict[str, Any]:
            return {name: facts[key] for name, facts in tools.items() if key in facts}

        return cls(
            names=tuple(name for name, facts in tools.items() if "refused" not in facts),
            payload=payload,
            renames=stated("name"),
            refused=tuple(stated("refused")),
            encoding_tables=stated("encoding"),
            strict=tuple(stated("strict")),
            strict_if_fewer_tools=tuple(stated("strict_if_fewer_tools")),
            depth=depth,
            package=package,
            models=models,
        )

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """The names of tools by their aliases."""
        aliases: Mapping[str, str] = {} if self.package is None else _imported("..tools", self.package).ALIASES
        return aliases

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the compact JSON of the payload. In a file, it would conflict in every merge of branches."""
        import hashlib
        import json

        encoded = json.dumps(self.payload, ensure_ascii=False, separators=(",", ":")).encode()
        return hashlib.sha256(encoded).hexdigest()

    @cached_property
    def definitions(self) -> Mapping[str, ToolDefinition]:
        """The definitions of declared tools, by name. A tool's module is imported when its definition is read."""
        if self.package is None:
            return {}
        definitions: Mapping[str, ToolDefinition] = _imported("..tools", self.package).DEFINITIONS
        return definitions

    @cached_property
    def coercion_tables(self) -> Mapping[str, Any]:
        """The coercion tables of declared tools, by name."""
        if self.package is None:
            return {}
        tables: Mapping[str, Any] = _imported("..tools", self.package).TOOL_SET.coercions
        return tables


def _imported(module: str, package: str) -> Any:
    from importlib import import_module  # imported on demand, like the modules that it imports

    return import_module(module, package)


class CachedEntry(NamedTuple):
    """A written tool.

    `entry` has its bytes (`to_bytes`), `losses` what was reported, with paths relative to the tool.
    """

    entry: bytes
    losses: Sequence[Loss]


class ProviderWire:
    """A provider's wire as one project uses it: its facts, and its ids and names.

    `entries` caches written tools. The converter sets `declared_entries`: the entries of declared tools in the payload,
    by name.
    """

    def __init__(self, facts: WireFacts, declared: DeclaredToolFacts) -> None:
        self._facts = facts
        self.name = facts.name
        self.title = facts.title
        self.id_prefix = facts.id_prefix
        self.id_length = facts.id_length
        self.name_length = facts.name_length
        self.rejects = facts.rejects
        self.shares = facts.shares
        self.declared_keys = facts.declared
        self.declared = declared
        self.session = facts.session
        self.typed_output = facts.typed_output
        self.names = declared.renames
        self.tool_names = {wire: name for name, wire in self.names.items()}
        self.refused = frozenset(declared.refused)
        self.dialects = facts.dialects
        strict = facts.dialects.get("strict") or {}
        self.has_strict = bool(strict)
        self.strict_together = bool(strict.get("together"))
        self.unique_names = facts.unique_names
        self.strict = frozenset(declared.strict)
        self.entries: Cache[CachedEntry] = Cache()
        self.declared_entries: Mapping[str, Any] = _NOTHING
        self.api = facts.api or facts.name
        self.models = [*facts.models, *declared.models]
        self._model_facts: dict[str, ModelFacts] = {}

    def model_facts(self, model: str | None) -> ModelFacts:
        """Return what differs for a model, by the name that a request has."""
        if not model or not self.models:
            return NO_FACTS
        facts = self._model_facts.get(model)
        if facts is None:
            if len(self._model_facts) >= _MOST_MODELS:
                self._model_facts.clear()
            facts = self._model_facts[model] = find_model_facts(self.models, model)
        return facts

    @cached_property
    def extras_facts(self) -> ExtrasFacts:
        """What the profile says about keys that no field has."""
        from .lost_extras import ExtrasFacts, facts_about_extras

        if self._facts.extras:
            return ExtrasFacts(self._facts.extras)
        return facts_about_extras(self.name, self.api)

    @cached_property
    def is_legal_id(self) -> Callable[[str], Any]:
        """Returns whether the wire accepts an id."""
        return re.compile(self._facts.ids, re.DOTALL).fullmatch

    @cached_property
    def is_legal_name(self) -> Callable[[str], Any]:
        """Returns whether the wire accepts the name of a tool."""
        return re.compile(self._facts.names, re.DOTALL).fullmatch

    @cached_property
    def schema_lowering(self) -> Lowerings:
        """The lowering of schemas, imported on first use. The build has already lowered those of declared tools."""
        from ..lowering.tools import Lowerings

        return Lowerings(self.dialects, self.declared.depth)

    @cached_property
    def encodings(self) -> Mapping[str, Encoding]:
        """The encodings of declared tools' arguments, by name, for tools that have one."""
        from .encoding import Encoding

        return {name: Encoding(table) for name, table in self.declared.encoding_tables.items()}

    @cached_property
    def coercions(self) -> Mapping[str, Encoding]:
        """The coercions of declared tools' arguments, by name."""
        from .encoding import Encoding

        return {name: Encoding(table) for name, table in self.declared.coercion_tables.items()}

    @cached_property
    def tools_with_encodings(self) -> frozenset[str]:
        """The names of declared tools whose arguments may be different on this wire."""
        return frozenset(self.declared.encoding_tables) | frozenset(self.declared.coercion_tables)

    def has_unchanged_arguments(self, call: ToolCall) -> bool:
        """Return whether a declared tool's arguments are the same on the wire and in the format."""
        name, arguments = call.name, call.arguments
        coercion = self.coercions.get(name)
        if coercion is not None and coercion.decode(arguments) is not arguments:
            return False
        encoding = self.encodings.get(name)
        return encoding is None or (
            encoding.decode(arguments) is arguments and encoding.encode(arguments, fill=False) is arguments
        )

    def redefines_declared(self, tool: ToolDefinition) -> bool:
        """Return whether a body's definition of a tool differs from its declaration in more than titles and descriptions.

        A schema is that of the declaration if it is the declared one, or lowered, strict or not, or as the patch of the
        declaration left it.
        """
        entry = self.declared_entries.get(tool.name)
        if entry is None or tool.parameters is None or contains_schema(entry, tool.parameters):
            return False
        schema = _without_texts(tool.parameters)
        if contains_schema(_without_texts(entry), schema):
            return False
        declared = self.declared.definitions[tool.name].parameters
        if declared is None:
            return True
        lowered = (self.schema_lowering.lower(declared, strict).schema for strict in (False, True))
        return not any(same_json(_without_texts(form), schema) for form in (declared, *lowered))

    def strict_decisions(self, tools: Iterable[ToolDefinition]) -> dict[str, StrictDecision]:
        """Return which tools of a request are strict, by name.

        The limits for all tools of a request are used up in a fixed order, whatever that of the tools is: by those that
        must be strict, then by those whose declarations leave it open, each sorted by name.
        """
        budget_used: dict[str, int] = {}
        offered = (tool for tool in tools if tool.name not in self.refused)
        in_order = sorted(offered, key=lambda tool: (not tool.strict, tool.name))
        return {tool.name: self._strict_decision(tool, budget_used) for tool in in_order}

    def strictness(self, tool: ToolDefinition) -> bool | None:
        """Return whether a tool that shares no limits with others is written as strict."""
        return self._strict_decision(tool, {}).strict

    def _strict_decision(self, tool: ToolDefinition, budget_used: dict[str, int]) -> StrictDecision:
        """Decide whether a tool is strict. If its declaration leaves it open, the limits that remain decide.

        `budget_used` counts what the tools before it used of the limits.
        """
        if tool.strict is None and declared_settings(tool).get("strict") == "auto":
            return self.schema_lowering.choose_strictness(tool.parameters, budget_used)
        if not tool.strict:
            return StrictDecision(tool.strict)
        unsupported = self.unsupported_strict_changes(tool)
        if unsupported:
            return StrictDecision(False, unsupported)
        self.schema_lowering.use_limits(tool.parameters, budget_used)
        return StrictDecision(True)

    def unsupported_strict_changes(self, tool: ToolDefinition) -> tuple[SchemaChange, ...]:
        """Return the schema changes that prevent strict mode. Empty for a schema that is written as it was read."""
        if not tool.strict or not self.has_strict or tool.parameters is None:
            return ()
        extras = (tool.metadata or {}).get(self.name)
        if contains_schema(extras, tool.parameters):
            return ()
        return self.schema_lowering.lower(tool.parameters, True).unsupported_changes

    def wire_name(self, name: str) -> str:
        """Return the name of a tool on this wire: its own, or a legal one derived from it, which is always the same."""
        if name in self.names:
            return self.names[name]
        if self.is_legal_name(name):
            return name
        readable = re.sub(r"[^a-zA-Z0-9_]+", "_", name)[: self.name_length - 24]
        prefix = f"{readable}_" if readable[:1].isalpha() else f"t_{readable}_"
        return make_hashed_name(name, prefix, len(prefix) + 20)


def _without_texts(value: Any) -> Any:
    """Return a schema without titles and descriptions."""
    if type(value) is dict:
        return {
            key: _without_texts(item)
            for key, item in value.items()
            if type(item) is not str or key not in ("title", "description")
        }
    return [_without_texts(item) for item in value] if type(value) is list else value


def synthetic_id(turn: int, position: int) -> str:
    """Return the id for a call without one, from its turn (number of assistant messages before) and position."""
    return f"call_{turn}_{position}"


_ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


_DIGITS = 43
"""Number of digits of a SHA-256 in this alphabet."""


def make_hashed_name(text: str, prefix: str, length: int) -> str:
    """Return a replacement for an id or name: `prefix` and characters from its SHA-256, at most `length` in all.

    It is always the same, so a call and its result need no table to stay paired. With twenty or more characters,
    collisions do not occur in practice.
    """
    import hashlib  # slow to import, and few ids and names are replaced

    number = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), "big")
    letters = []
    for _ in range(min(length - len(prefix), _DIGITS)):
        number, digit = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[digit])
    return prefix + "".join(letters)
