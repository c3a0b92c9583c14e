"""The declared tools as each provider receives them, made by the modules that are being rendered, and their losses."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal, NamedTuple

from toolgen.diagnostics import Span
from toolgen.load.sources import compact_json, pointer_text
from toolgen.plan.tools import definition_fields
from toolgen.plan.wires import wire_class_name
from toolgen.render.imports import RUNTIME
from toolgen.render.in_memory import InMemoryPackage
from toolgen.resolve import Catalog, Profile, Tool
from toolgen_runtime.conversion.wire import DeclaredToolFacts
from toolgen_runtime.lowering.dialects import Dialect
from toolgen_runtime.lowering.lowered_schema import LoweredSchema
from toolgen_runtime.lowering.tools import Lower, Lowerings

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

    `digest` is the first 16 digits of the SHA-256 of the payload with this tool alone.
    """

    tool: Tool
    provider: str
    strict: bool | None
    losses: tuple[ToolLoss, ...]
    encoding_table: Mapping[str, Any] | None
    name: str
    offered: bool = True
    strict_if_fewer_tools: bool = False
    digest: str = ""

    @property
    def status(self) -> Status:
        """Return how well the wire expresses the tool."""
        if not self.offered:
            return "not offered"
        if any(loss.refused for loss in self.losses):
            return "refused"
        return "lossy" if any(loss.severe for loss in self.losses) else "ok"


@dataclass(frozen=True, slots=True)
class ProviderPayload:
    """The declared tools on one provider's wire. `payload` is what the provider receives: the value of the wire's `tools`."""

    payload: list[Any] | str = field(repr=False)
    tools: tuple[ToolPayload, ...]
    payload_of: Callable[[str], Any] = field(repr=False)
    """The payload of one tool alone, by its name."""

    @property
    def offered(self) -> list[ToolPayload]:
        """Return the tools that the provider receives, in the order of its payload."""
        return [one for one in self.tools if one.offered]

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


def build_payloads(
    files: Mapping[str, str], catalog: Catalog, modules: Mapping[str, str], lower: Lower
) -> dict[str, ProviderPayload]:
    """Lower the declared tools for every provider: `lower` is called at most once for a tool, a provider and a mode.

    `modules` are the modules of the providers' classes. Those made for this project are imported from `files`.
    """
    found: dict[str, ProviderPayload] = {}
    with InMemoryPackage(files) as package:
        models = package.module("runtime.models") if catalog.format.is_extended else import_module(f"{RUNTIME}.models")
        for profile in catalog.profiles:
            name = modules[profile.name]
            module = package.module(name.removeprefix(".")) if name.startswith(".") else import_module(name)
            kind = getattr(module, wire_class_name(profile.name))
            found[profile.name] = _on_wire(kind, models.ToolDefinition, profile, catalog, lower)
    return found


def _remembering(lower: Lower) -> Lower:
    """Return a function that lowers each schema once for each dialect.

    Deciding on strict mode, writing a tool and reporting its losses all need the result.
    """
    results: dict[tuple[int, int, bool], tuple[Any, LoweredSchema]] = {}

    def lower_once(schema: Any, dialect: Dialect, depth: int, *, is_arguments: bool) -> LoweredSchema:
        key = id(schema), id(dialect), is_arguments
        if key not in results:
            results[key] = schema, lower(schema, dialect, depth, is_arguments=is_arguments)
        return results[key][1]

    return lower_once


def _on_wire(kind: Any, definition: Any, profile: Profile, catalog: Catalog, lower: Lower) -> ProviderPayload:
    tools = catalog.tools
    offered = [tool for tool in tools if profile.name not in tool.unsupported]
    patches = {tool.name: tool.providers.get(profile.name, {}) for tool in offered}
    declared: dict[str, Any] = {
        "renames": {name: str(patch["name"]) for name, patch in patches.items() if "name" in patch},
        "refused": [tool.name for tool in tools if profile.name in tool.unsupported],
        "depth": catalog.config.recursion_depth,
    }
    converter = kind(DeclaredToolFacts(**declared))
    wire = converter.wire
    wire.schema_lowering = Lowerings(wire.dialects, catalog.config.recursion_depth, _remembering(lower))
    spent: dict[str, int] = {}
    decisions = [_decide_strictness(wire.schema_lowering, tool, spent) for tool in offered]
    definitions = [definition(**definition_fields(tool)) for tool in offered]
    losses: list[Any] = []
    payload = converter.to_tools(definitions, on_loss=losses.append, on_unsupported="weaken")
    names = tuple(tool.name for tool in offered)
    built = kind(DeclaredToolFacts(names=names, payload=payload, **declared))
    by_tool: dict[str, list[Any]] = {}
    for loss in losses:
        by_tool.setdefault(loss.path.partition("]")[0], []).append(loss)

    def payload_of(name: str) -> Any:
        return built.tools([name])

    found: list[ToolPayload] = []
    for i, (tool, decision) in enumerate(zip(offered, decisions, strict=True)):
        strict = decision.strict
        if tool.strict != "auto" and wire.schema_lowering.has_strict:
            strict = definitions[i].strict
        digest = _sha256(compact_json(payload_of(tool.name)))[:16]
        found.append(_tool_payload(wire, tool, strict, decision, by_tool.get(f"[{i}", []), digest))
    left_out = [
        ToolPayload(tool, profile.name, None, (), None, wire.wire_name(tool.name), False)
        for tool in tools
        if profile.name in tool.unsupported
    ]
    every = tuple(sorted((*found, *left_out), key=lambda one: one.tool.name))
    return ProviderPayload(payload, every, payload_of)


class _StrictDecision(NamedTuple):
    """Whether a tool with `strict: auto` is strict, given the tools before it, and why it is not.

    `strict` is None if it makes no difference on the wire, and for a tool that decides itself. `if_fewer_tools` is whether
    only the limits of a request prevent it.
    """

    strict: bool | None = None
    why: tuple[Any, ...] = ()
    if_fewer_tools: bool = False


def _decide_strictness(lowerings: Any, tool: Tool, spent: dict[str, int]) -> _StrictDecision:
    """Decide whether a tool is strict. `spent` is what the tools before it use of the limits; what it uses is added."""
    if tool.strict != "auto":
        return _StrictDecision()
    strict, why = lowerings.choose_strictness(tool.parameters, spent)
    return _StrictDecision(strict, why, strict is False and bool(lowerings.choose_strictness(tool.parameters, {})[0]))


def _tool_payload(
    wire: Any, tool: Tool, strict: bool | None, decision: _StrictDecision, losses: Iterable[Any], digest: str
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
        tool, wire.name, strict, tuple(reported), encoding_table, name, True, decision.if_fewer_tools, digest
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
