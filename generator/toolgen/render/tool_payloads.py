"""The declared tools as each provider receives them, made by the modules that are being rendered, and their losses."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal, NamedTuple

from toolgen.diagnostics import Span
from toolgen.load.sources import compact_json, pointer_text
from toolgen.plan.tools import STRICT, definition_fields
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
        return [payload for payload in self.tools if payload.offered]

    def tool_digests(self) -> dict[str, str]:
        """Return the digest of each offered tool, by name."""
        return {payload.tool.name: payload.digest for payload in self.offered}


def build_payloads(
    files: Mapping[str, str], catalog: Catalog, modules: Mapping[str, str], lower: Lower
) -> dict[str, ProviderPayload]:
    """Lower the declared tools for every provider: `lower` is called at most once for a tool, a provider and a mode.

    `modules` are the modules of the providers' classes. Those made for this project are imported from `files`.
    """
    payloads: dict[str, ProviderPayload] = {}
    with InMemoryPackage(files) as package:
        models = package.module("runtime.models") if catalog.format.is_extended else import_module(f"{RUNTIME}.models")
        for profile in catalog.profiles:
            name = modules[profile.name]
            module = package.module(name.removeprefix(".")) if name.startswith(".") else import_module(name)
            converter_class = getattr(module, wire_class_name(profile.name))
            payloads[profile.name] = _provider_payload(converter_class, models.ToolDefinition, profile, catalog, lower)
    return payloads


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


def _provider_payload(
    converter_class: Any, definition: Any, profile: Profile, catalog: Catalog, lower: Lower
) -> ProviderPayload:
    """Write the declared tools with the class of a provider, as an app would: `definition` is the ToolDefinition."""
    offered = [tool for tool in catalog.tools if profile.name not in tool.unsupported]
    not_offered = [tool for tool in catalog.tools if profile.name in tool.unsupported]
    patches = {tool.name: tool.providers.get(profile.name, {}) for tool in offered}
    declared: dict[str, Any] = {
        "renames": {name: str(patch["name"]) for name, patch in patches.items() if "name" in patch},
        "refused": [tool.name for tool in not_offered],
        "depth": catalog.config.recursion_depth,
    }
    converter = converter_class(DeclaredToolFacts(**declared))
    wire = converter.wire
    wire.schema_lowering = Lowerings(wire.dialects, catalog.config.recursion_depth, _remembering(lower))
    definitions = [definition(**definition_fields(tool)) for tool in offered]
    decisions = wire.strict_decisions(definitions)
    losses: list[Any] = []
    payload = converter.to_tools(definitions, on_loss=losses.append, on_unsupported="weaken")
    names = tuple(tool.name for tool in offered)
    converter_with_payload = converter_class(DeclaredToolFacts(names=names, payload=payload, **declared))

    def payload_of(name: str) -> Any:
        return converter_with_payload.tools([name])

    losses_by_tool = _group_by_tool(losses)
    payloads: list[ToolPayload] = []
    for i, tool in enumerate(offered):
        decision = _strictness_in_build(wire.schema_lowering, tool, decisions[tool.name])
        digest = hashlib.sha256(compact_json(payload_of(tool.name)).encode()).hexdigest()[:16]
        payloads.append(_tool_payload(wire, tool, decision, losses_by_tool.get(f"[{i}", []), digest))
    payloads += [
        ToolPayload(
            tool,
            profile.name,
            strict=None,
            losses=(),
            encoding_table=None,
            name=wire.wire_name(tool.name),
            offered=False,
        )
        for tool in not_offered
    ]
    return ProviderPayload(payload, tuple(sorted(payloads, key=lambda payload: payload.tool.name)), payload_of)


def _group_by_tool(losses: Iterable[Any]) -> dict[str, list[Any]]:
    """Return losses by the beginning of their paths, which has the index of their tool: `[0`, `[1`."""
    groups: dict[str, list[Any]] = {}
    for loss in losses:
        groups.setdefault(loss.path.partition("]")[0], []).append(loss)
    return groups


class _Strictness(NamedTuple):
    """Whether a tool is strict beside all others, and, for one with `strict: auto`, why it is not.

    `strict` is None if it makes no difference on the wire. `if_fewer_tools` is whether only the limits of a request
    prevent it.
    """

    strict: bool | None
    why: tuple[Any, ...] = ()
    if_fewer_tools: bool = False


def _strictness_in_build(lowerings: Any, tool: Tool, decision: Any) -> _Strictness:
    """Return whether a tool is strict. `decision` is that of the wire, which refuses no tool with `strict: always`."""
    if tool.strict != "auto":
        return _Strictness(STRICT[tool.strict] if lowerings.has_strict else None)
    strict = decision.strict
    alone = strict is False and bool(lowerings.choose_strictness(tool.parameters, {}).strict)
    return _Strictness(strict, decision.why, alone)


def _tool_payload(wire: Any, tool: Tool, strictness: _Strictness, losses: Iterable[Any], digest: str) -> ToolPayload:
    """Return a tool on a wire, with the losses of writing it."""
    reported = [_loss_of_strictness(change, tool) for change in strictness.why]
    encoding_table = None
    if tool.parameters is not None:
        lowered = wire.schema_lowering.lower(tool.parameters, strictness.strict)
        reported += [_loss_of_change(change, tool) for change in lowered.changes]
        encoding_table = lowered.encoding_table
    for loss in losses:
        if loss.severity == "behaviour" and tool.strict == "always":
            continue  # the schema changes already contain what cannot be strict
        reported.append(
            ToolLoss(
                *_LossLocation(tool.document.span(), "", "", ""),
                what=loss.what,
                action=loss.action,
                reason=loss.reason,
                checked="",
                severe=loss.severity != "note",
            )
        )
    return ToolPayload(
        tool,
        wire.name,
        strict=strictness.strict,
        losses=tuple(reported),
        encoding_table=encoding_table,
        name=wire.wire_name(tool.name),
        strict_if_fewer_tools=strictness.if_fewer_tools,
        digest=digest,
    )


def _loss_of_change(change: Any, tool: Tool) -> ToolLoss:
    """Return the loss of a schema change. It is severe if the provider no longer enforces a rule of the declaration."""
    severe = change.action != "rewritten" and (bool(change.checked) or change.action == "narrowed")
    if change.what == CLOSING and not change.blocks_strict:
        severe = False  # the declaration does not state that there may be more
    return ToolLoss(
        *_location(change, tool),
        what=change.what,
        action=change.action,
        reason=change.reason,
        checked=change.checked,
        severe=severe,
        refused=change.is_unsupported and tool.strict == "always",
    )


def _loss_of_strictness(change: Any, tool: Tool) -> ToolLoss:
    """Return the loss of strict mode because of a schema change that it would need."""
    reason = f"not strict, because of {change.what}: {change.reason}" if change.what != "strict" else change.reason
    return ToolLoss(*_location(change, tool), what="strict", action="dropped", reason=reason, checked="parse_arguments")


class _LossLocation(NamedTuple):
    """Where a loss is: in the source, and as the first fields of a `ToolLoss`."""

    span: Span
    pointer: str
    type_name: str
    key: str


def _location(change: Any, tool: Tool) -> _LossLocation:
    """Return where a schema change is."""
    type_name, key = tool.parameter_key(change.pointer)
    span = tool.parameter_span(change.pointer, change.what)
    return _LossLocation(span, pointer_text(change.pointer), type_name, key)
