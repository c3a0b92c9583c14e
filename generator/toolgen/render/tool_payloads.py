"""The declared tools as each provider receives them, made by the modules that are being rendered, and their losses."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields, replace
from functools import cache
from importlib import import_module
from typing import Any, Literal

from toolgen.diagnostics import Span
from toolgen.incremental import IN_MEMORY, ON_DISK, Key, key_digest
from toolgen.load.sources import compact_json, pointer_text
from toolgen.plan.provider import wire_class_name
from toolgen.plan.tools import definition_fields
from toolgen.render.imports import RUNTIME
from toolgen.render.in_memory import InMemoryPackage
from toolgen.resolve import Catalog, Profile, Tool
from toolgen_runtime.conversion.cache import Cache, from_bytes, to_bytes
from toolgen_runtime.conversion.wire import DeclaredToolFacts

CLOSING = "additional properties"
"""What a closed object cannot have."""

Status = Literal["ok", "lossy", "refused", "not offered"]


@dataclass(frozen=True, slots=True)
class ToolLoss:
    """One loss of a tool: where in the source, what happened to it, why, and what still checks the rule.

    `pointer` leads from the parameters to the schema. `type_name` is the shared type that contains it, or an empty string,
    and `key` names it within the tool or the type; it is empty for the whole.
    """

    span: Span
    pointer: str
    type_name: str
    key: str
    what: str
    action: str
    reason: str
    checked: str
    severe: bool = False
    refused: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class ToolPayload:
    """A tool on one provider's wire. `strict` is None if the wire or the tool does not specify it.

    `entry` is its part of the payload of all tools, as compact JSON. `digest` is the first 16 digits of the SHA-256 of
    the payload with this tool alone. `key` represents the entry in the keys of results; it is None if the entry depends
    on other tools.
    """

    tool: Tool
    provider: str
    strict: bool | None
    losses: tuple[ToolLoss, ...]
    encoding_table: Mapping[str, Any] | None
    name: str
    offered: bool = True
    strict_if_fewer_tools: bool = False
    entry: str = field(default="", repr=False)
    digest: str = ""
    key: Key | None = None

    @property
    def status(self) -> Status:
        """Return how well the wire expresses the tool."""
        if not self.offered:
            return "not offered"
        if any(loss.refused for loss in self.losses):
            return "refused"
        return "lossy" if any(loss.severe for loss in self.losses) else "ok"


@dataclass(frozen=True, slots=True)
class EntryPlaceholder:
    """Stands for the entry of a tool in the form of a payload; `number` is the index of the tool."""

    number: int


@dataclass(frozen=True, slots=True)
class ProviderPayload:
    """The declared tools on one provider's wire.

    `form` is the payload with a slot for each entry, or the whole payload if it is text.
    """

    form: Any = field(repr=False)
    tools: tuple[ToolPayload, ...]
    payload_of: Callable[..., Any] = field(repr=False)
    """The payload of some tools alone, by name."""

    @property
    def offered(self) -> list[ToolPayload]:
        """Return the tools that the provider receives, in the order of its payload."""
        return [one for one in self.tools if one.offered]

    @property
    def payload(self) -> list[Any] | str:
        """Return what the provider receives: the value of the wire's `tools`."""
        payload: list[Any] | str = json.loads(_filled(self.form, [one.entry for one in self.offered]))
        return payload

    def tool_digests(self) -> dict[str, str]:
        """Return the first 16 digits of the SHA-256 of each tool's payload if it were offered alone, by name."""
        return {one.tool.name: one.digest for one in self.offered}

    @property
    def strict_tool_names(self) -> tuple[str, ...]:
        """Return the names of the strict tools."""
        return tuple(one.tool.name for one in self.tools if one.strict)

    @property
    def strict_if_fewer_tools(self) -> tuple[str, ...]:
        """Return the names of the tools that would be strict in a request with fewer tools."""
        return tuple(one.tool.name for one in self.tools if one.strict_if_fewer_tools)

    @property
    def renames(self) -> dict[str, str]:
        """Map the name of each tool with another name on the wire to that name."""
        return {one.tool.name: one.name for one in self.tools if one.name != one.tool.name}


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _filled(form: Any, entries: Sequence[str]) -> str:
    """Return a payload as compact JSON: its form with the entries in their slots."""
    if isinstance(form, EntryPlaceholder):
        return entries[form.number]
    if isinstance(form, list):
        return f"[{','.join(_filled(each, entries) for each in form)}]"
    if isinstance(form, dict):
        return f"{{{','.join(f'{compact_json(key)}:{_filled(value, entries)}' for key, value in form.items())}}}"
    return compact_json(form)


def _form(payload: Any, numbers: Mapping[int, int]) -> Any:
    """Replace the entries of a payload by slots. `numbers` has the number of each entry, by identity.

    Entries are known by identity, because an entry may contain lists and look like a group of entries.
    """
    if id(payload) in numbers:
        return EntryPlaceholder(numbers[id(payload)])
    if isinstance(payload, list):
        return [_form(each, numbers) for each in payload]
    if isinstance(payload, dict):
        return {key: _form(value, numbers) for key, value in payload.items()}
    return payload


def build_payloads(
    files: Mapping[str, str], catalog: Catalog, modules: Mapping[str, str]
) -> dict[str, ProviderPayload]:
    """Lower the declared tools for every provider.

    `modules` are the modules of the providers' classes. Those made for this project are imported from `files`.
    """
    found: dict[str, ProviderPayload] = {}
    with InMemoryPackage(files) as package:
        models = package.module("runtime.models") if catalog.format.is_extended else import_module(f"{RUNTIME}.models")
        for profile in catalog.profiles:
            name = modules[profile.name]
            module = package.module(name.removeprefix(".")) if name.startswith(".") else import_module(name)
            kind = getattr(module, wire_class_name(profile.name))
            found[profile.name] = _on_wire(kind, models.ToolDefinition, profile, catalog)
    return found


def _on_wire(kind: Any, definition: Any, profile: Profile, catalog: Catalog) -> ProviderPayload:
    tools = catalog.tools
    offered = [tool for tool in tools if profile.name not in tool.unsupported]
    patches = {tool.name: tool.providers.get(profile.name, {}) for tool in offered}
    declared: dict[str, Any] = {
        "renames": {name: str(patch["name"]) for name, patch in patches.items() if "name" in patch},
        "refused": [tool.name for tool in tools if profile.name in tool.unsupported],
        "depth": catalog.config.recursion_depth,
    }
    inputs = tuple(declared["renames"].items()), tuple(declared["refused"]), catalog.config.recursion_depth
    converter = IN_MEMORY.reuse_or_make(
        lambda: kind(DeclaredToolFacts(**declared)), "converter", kind, profile, *inputs
    )
    wire = converter.wire
    digest = key_digest(profile.name, profile.facts, catalog.format.schema, catalog.config.recursion_depth)
    spent: dict[str, int] = {}
    decisions = [_decide_strictness(wire.schema_lowering, tool, digest, spent) for tool in offered]
    definitions = [
        definition(**definition_fields(tool)) if decision.known is None else definition(name=tool.name)
        for tool, decision in zip(offered, decisions, strict=True)
    ]
    losses: list[Any] = []
    with _Entries(wire) as entries:
        for i, decision in enumerate(decisions):
            if decision.known is not None:
                entries.add(i, offered[i].name, decision)
        payload = converter.to_tools(definitions, on_loss=losses.append, on_unsupported="weaken")
    names = tuple(tool.name for tool in offered)
    built = kind(DeclaredToolFacts(names=names, payload=payload, **declared))
    by_tool: dict[str, list[Any]] = {}
    for loss in losses:
        by_tool.setdefault(loss.path.partition("]")[0], []).append(loss)
    found: list[ToolPayload] = []
    for i, (tool, decision) in enumerate(zip(offered, decisions, strict=True)):
        if decision.known is not None:
            found.append(_stored_payload(tool, profile.name, decision, decision.known))
            continue
        reported = by_tool.get(f"[{i}", [])
        strict: bool | None = None
        if tool.strict == "auto":
            strict = decision.strict
        elif wire.schema_lowering.has_strict:
            strict = definitions[i].strict
        one = _tool_payload(wire, tool, strict, decision, reported)
        alone = _sha256(compact_json(built.tools([tool.name])))[:16]
        one = replace(one, entry=compact_json(built.entries[tool.name]), digest=alone)
        found.append(one if isinstance(payload, str) else _store_payload(one, decision))
    form = _form(payload, {id(built.entries[name]): i for i, name in enumerate(names)})
    left_out = [
        ToolPayload(tool, profile.name, None, (), None, wire.wire_name(tool.name), False)
        for tool in tools
        if profile.name in tool.unsupported
    ]

    @cache
    def whole() -> Any:
        return kind(
            DeclaredToolFacts(names=names, payload=json.loads(_filled(form, [e.entry for e in found])), **declared)
        )

    every = tuple(sorted((*found, *left_out), key=lambda one: one.tool.name))
    return ProviderPayload(form, every, lambda *some: whole().tools(some))


@dataclass(frozen=True, slots=True)
class _StrictDecision:
    """Whether a tool with `strict: auto` is strict, given the tools before it.

    `alone` is whether it is strict if it is the first tool, `wanted` what it then uses of the limits of a request, and
    `over` the limits that this would exceed. `known` is the stored payload of the tool, if it is still valid.
    """

    key: Key
    alone: bool | None = None
    wanted: Mapping[str, int] = field(default_factory=dict)
    over: tuple[str, ...] = ()
    why: tuple[Any, ...] = ()
    known: tuple[Any, ...] | None = None

    @property
    def strict(self) -> bool | None:
        """Return whether the tool is strict."""
        return False if self.over else self.alone


def _decide_strictness(lowerings: Any, tool: Tool, digest: str, spent: dict[str, int]) -> _StrictDecision:
    """Decide whether a tool is strict. `spent` is what the tools before it use of the limits; what it uses is added."""
    key = digest, tool.digest
    stored = ON_DISK.find("payload", *key)
    if tool.strict != "auto":
        return _StrictDecision(key, known=stored)
    if stored is None:
        wanted: dict[str, int] = {}
        alone, _ = lowerings.choose_strictness(tool.parameters, wanted)
        before = None
    else:
        alone, wanted, before, *_ = stored
    over = tuple(lowerings.exceeded_limits(wanted, spent)) if alone else ()
    if stored is not None and before == over:
        why, known = (), stored
    else:
        why, known = lowerings.choose_strictness(tool.parameters, dict(spent))[1], None
    if alone and not over:
        for what, count in wanted.items():
            spent[what] = spent.get(what, 0) + count
    return _StrictDecision(key, alone, wanted, over, why, known)


class _Entries(Cache[Any]):
    """Replaces the entries of a wire during a `with` block, so that it writes each known tool as its number.

    Thus the converter decides where the entries of known tools go. The definition of a known tool has only its name.
    """

    __slots__ = ("_others", "_placeholders", "_wire")

    def __init__(self, wire: Any) -> None:
        """Store the wire and its entries."""
        super().__init__()
        self._wire = wire
        self._others = wire.entries
        self._placeholders: dict[str, Any] = {}

    def __enter__(self) -> _Entries:
        self._wire.entries = self
        return self

    def __exit__(self, *_: object) -> None:
        self._wire.entries = self._others

    def add(self, number: int, name: str, decision: _StrictDecision) -> None:
        """Make the wire write a tool as a number."""
        self._placeholders[name] = to_bytes([number]), decision.wanted if decision.strict else {}, ()

    def get(self, key: bytes | None) -> Any:
        """Return the number of a known tool, or the entry that the wire has cached."""
        if self._placeholders and key is not None:
            name, *rest = from_bytes(key)
            if name in self._placeholders and not any(rest):
                return self._placeholders[name]
        return self._others.get(key)

    def put(self, key: bytes | None, value: Any, size: int) -> None:
        """Cache an entry that was written."""
        self._others.put(key, value, size)


def _stored_payload(tool: Tool, provider: str, decision: _StrictDecision, known: tuple[Any, ...]) -> ToolPayload:
    """Return the stored payload of a tool."""
    _, _, over, strict, stored_losses, encoding_table, name, entry, digest = known
    key = *decision.key, over
    last = IN_MEMORY.find("tool payload", tool, provider)
    if last is not None and last[0] is known and last[1].key == key:
        same: ToolPayload = last[1]
        return same
    losses = tuple(ToolLoss(Span(*span), *rest) for span, *rest in stored_losses)
    one = ToolPayload(tool, provider, strict, losses, encoding_table, name, True, bool(over), entry, digest, key)
    IN_MEMORY.keep((known, one), "tool payload", tool, provider)
    return one


def _store_payload(one: ToolPayload, decision: _StrictDecision) -> ToolPayload:
    """Store the payload of a tool for the next build, and return it with its key."""
    losses = tuple((astuple(t.span), *(getattr(t, each.name) for each in fields(t)[1:])) for t in one.losses)
    facts = one.strict, losses, one.encoding_table, one.name, one.entry, one.digest
    ON_DISK.keep((decision.alone, decision.wanted, decision.over, *facts), "payload", *decision.key)
    return replace(one, key=(*decision.key, decision.over))


def _tool_payload(
    wire: Any, tool: Tool, strict: bool | None, decision: _StrictDecision, losses: Iterable[Any]
) -> ToolPayload:
    """Return a tool on a wire, with the losses of writing it."""
    reported = [_loss_of_strictness(record, tool) for record in decision.why]
    encoding_table = None
    if tool.parameters is not None:
        found = wire.schema_lowering.lower(tool.parameters, strict)
        reported += [_loss_of_change(record, tool) for record in found.changes]
        encoding_table = found.encoding_table
    for loss in losses:
        if loss.severity == "behaviour" and tool.strict == "always":
            continue  # the schema changes already contain what cannot be strict
        reported.append(
            ToolLoss(tool.document.span(), "", "", "", loss.what, loss.action, loss.reason, "", loss.severity != "note")
        )
    name = wire.wire_name(tool.name)
    return ToolPayload(
        tool, wire.name, strict, tuple(reported), encoding_table, name, strict_if_fewer_tools=bool(decision.over)
    )


def _loss_of_change(record: Any, tool: Tool) -> ToolLoss:
    severe = record.action != "rewritten" and (bool(record.checked) or record.action == "narrowed")
    if record.what == CLOSING and not record.blocks_strict:
        severe = False  # the declaration does not state that there may be more
    refused = record.is_unsupported and tool.strict == "always"
    what, why = (record.what, record.action), (record.reason, record.checked)
    return ToolLoss(*_location(record, tool), *what, *why, severe, refused)


def _loss_of_strictness(record: Any, tool: Tool) -> ToolLoss:
    reason = f"not strict, because of {record.what}: {record.reason}" if record.what != "strict" else record.reason
    return ToolLoss(*_location(record, tool), "strict", "dropped", reason, "parse_arguments")


def _location(record: Any, tool: Tool) -> tuple[Span, str, str, str]:
    """Return where a change is: in the source, and as a pointer, a shared type and a key."""
    type_name, key = tool.parameter_key(record.pointer)
    return tool.parameter_span(record.pointer, record.what), pointer_text(record.pointer), type_name, key
