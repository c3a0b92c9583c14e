"""Comparison of two snapshots of a project: tools, what providers receive, and the configuration."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from toolgen.breaking.packages import (
    FoundChange,
    changed_neutral_format,
    changed_provider_facts,
    describe_payload_change,
    find_removed_public_names,
    severe_losses_missing_in,
)
from toolgen.breaking.schema_comparison import ABSENT, Difference, combine_effects, compare_schemas
from toolgen.diagnostics import Span
from toolgen.diagnostics.codes import AUDIENCES, CHANGES, Audience
from toolgen.load import Pointer
from toolgen.load.sources import pointer_text
from toolgen.pipeline import Project
from toolgen.render.tool_payloads import ProviderPayload, ToolPayload
from toolgen.resolve import Tool
from toolgen.resolve.dialect import drop_annotations
from toolgen.token_counts import Tokenizer, installed_tokenizer


@dataclass(frozen=True, slots=True)
class ProjectSnapshot:
    """One side of the comparison: the project, and its tools on every wire."""

    project: Project
    payloads: Mapping[str, ProviderPayload]
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    """The public classes and types of the tools' modules, by path."""
    sent_digests: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]], repr=False)
    """The digests of the payloads by provider, from the lock file: what was sent, whatever this release would send."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change, which may affect several tools. `audiences` are those that it breaks.

    `where` is the path inside the tool, or the provider; `before`, `after` and `witness` are JSON, or ABSENT.
    """

    code: str
    tools: tuple[str, ...]
    where: str
    span: Span
    audiences: tuple[Audience, ...]
    before: Any = ABSENT
    after: Any = ABSENT
    witness: Any = ABSENT
    old_span: Span | None = None
    origin: str = field(default="", compare=False)

    @property
    def id(self) -> str:
        """Return a digest of what changed, without lines and messages. It identifies the change in `accepted.yaml`."""
        what = [
            self.code,
            self.origin or list(self.tools),
            self.where,
            *(None if v is ABSENT else [v] for v in (self.before, self.after)),
        ]
        return sha256(json.dumps(what, sort_keys=True, default=str).encode()).hexdigest()[:12]


def changes_between(old: ProjectSnapshot, new: ProjectSnapshot) -> list[Change]:
    """Return the changes from one snapshot to another, each once, sorted by location."""
    found: dict[Any, Change] = {}
    for change in _all(old, new):
        key = (change.code, change.span, change.where if not change.origin else "", change.id)
        known = found.get(key)
        found[key] = change if known is None else replace(known, tools=tuple(sorted({*known.tools, *change.tools})))
    return sorted(found.values(), key=lambda change: (change.span, change.code, change.where))


def _all(old: ProjectSnapshot, new: ProjectSnapshot) -> Iterator[Change]:
    yield from _configuration(old, new)
    before = {tool.name: tool for tool in old.project.catalog.tools}
    after = {tool.name: tool for tool in new.project.catalog.tools}
    renamed = _find_renamed_tools(before, after)
    for name, tool in before.items():
        if name not in after and name not in renamed:
            where = Span(new.project.sources.name)
            yield _change("tool-removed", tool, span=where, old_span=tool.document.span("name"))
    for name, tool in after.items():
        source = next((was for was, now in renamed.items() if now == name), name)
        if source not in before:
            yield _change("tool-added", tool)
            continue
        if source != name:
            yield _change("tool-renamed", tool, before=source, after=name, safe=source in tool.aliases)
        yield from _tool(before[source], tool)
    yield from _aliases(before, after, renamed)
    yield from _wires(old, new, renamed)


def _find_renamed_tools(before: Mapping[str, Tool], after: Mapping[str, Tool]) -> dict[str, str]:
    """Return the new names of renamed tools: an alias, the same location in a file, or equal parameters identify them."""
    gone = [tool for name, tool in before.items() if name not in after]
    come = [tool for name, tool in after.items() if name not in before]
    found: dict[str, str] = {}
    for tool in gone:
        aliased = [one for one in come if tool.name in one.aliases]
        same = [
            one
            for one in come
            if one.document.source == tool.document.source and one.document.index == tool.document.index
        ]
        alike = [
            one for one in come if tool.parameters and one.parameters == tool.parameters and one.result == tool.result
        ]
        for candidates in (aliased, same, alike):
            if len(candidates) == 1 and candidates[0].name not in found.values():
                found[tool.name] = candidates[0].name
                break
    return found


def _tool(old: Tool, new: Tool) -> Iterator[Change]:
    """Yield the changes of a tool, except for its name."""

    def at(key: str) -> Span:
        return new.document.key_span(key) if (key,) in new.document.keys else new.document.span("name")

    if old.document.source != new.document.source:
        yield _change("tool-moved", new, before=old.document.source, after=new.document.source)
    for code, key in (("description-changed", "description"), ("display-name-changed", "display_name")):
        before, after = getattr(old, key), getattr(new, key)
        if before != after:
            yield _change(code, new, span=at(key), before=before, after=after)
    if old.deprecated != new.deprecated:
        yield _change("deprecated-set" if new.deprecated else "deprecated-unset", new, span=at("deprecated"))
    if old.risk != new.risk:
        code = "risk-raised" if new.risk == "high" else "risk-lowered"
        yield _change(code, new, span=at("risk"), before=old.risk, after=new.risk)
    if old.annotations != new.annotations:
        yield from _hints(old, new, at("annotations"))
    if old.examples != new.examples:
        yield _change("examples-changed", new, span=at("examples"))
    for name in sorted(set(new.unsupported) - set(old.unsupported)):
        yield _change("unsupported-added", new, span=at("unsupported"), where=name, after=name)
    for name in sorted(set(old.unsupported) - set(new.unsupported)):
        yield _change("unsupported-removed", new, span=at("unsupported"), where=name, before=name)
    for name in sorted(old.providers.keys() | new.providers.keys()):
        yield from _patch(old, new, name)
    examples = tuple(old.examples)
    before, after = old.parameters or _NOTHING, new.parameters or _NOTHING
    differences = compare_schemas(before, after, examples)
    for difference in differences:
        yield _parameter(difference, old, new)
    if not differences and drop_annotations(before, deep=True) != drop_annotations(after, deep=True):
        yield _change("composition-rewritten", new, span=at("parameters"))
    yield from _result(old, new, at("result"))


_NOTHING: Mapping[str, Any] = {"type": "object"}
"""The parameters of a tool that declares none."""


def _hints(old: Tool, new: Tool, span: Span) -> Iterator[Change]:
    before, after = old.annotations or {}, new.annotations or {}
    relaxed = [
        name
        for name, harmless in (("readOnlyHint", True), ("destructiveHint", False))
        if after.get(name) is harmless and before.get(name) is not harmless
    ]
    for name in relaxed:
        yield _change("hint-relaxed", new, span=span, where=name, before=before.get(name), after=after[name])
    if not relaxed:
        yield _change("annotations-changed", new, span=span, before=dict(before), after=dict(after))


def _patch(old: Tool, new: Tool, name: str) -> Iterator[Change]:
    before, after = old.providers.get(name) or {}, new.providers.get(name) or {}
    span = new.document.key_span("providers", name)
    if before.get("description") != after.get("description"):
        yield _change("wire-description-changed", new, span=span, where=name)
    rest = [
        {key: value for key, value in patch.items() if key not in ("name", "description")} for patch in (before, after)
    ]
    if rest[0] != rest[1]:
        yield _change("provider-patch-changed", new, span=span, where=name, before=rest[0], after=rest[1])


def _parameter(difference: Difference, old: Tool, new: Tool) -> Change:
    """Convert a difference of the parameters to a change at its location; a shared type's change names the type."""
    pointer = difference.pointer
    tool = old if difference.gone else new
    span = (
        tool.parameter_span(pointer[:-1], str(pointer[-1]))
        if pointer and not _is_schema_path(pointer)
        else tool.parameter_span(pointer)
    )
    code = difference.code
    if code in ("pattern-changed", "condition-changed", "branches-overlap") and difference.effect == "unknown":
        code = "cannot-tell"
    shared = pointer[1] if len(pointer) > 1 and pointer[0] == "$defs" and pointer[1] in tool.origins else None
    found = _change(
        code,
        new,
        span=span if not difference.gone else new.parameter_span(pointer[:-2]),
        where=pointer_text(pointer),
        before=difference.before,
        after=difference.after,
        witness=difference.witness,
        relation=difference.effect,
        old_span=span if difference.gone else None,
        proved=None
        if difference.effect in ("wider", "note")
        else difference.witness is not ABSENT or difference.effect == "narrower",
    )
    return replace(found, origin=tool.origins[str(shared)][0].source if shared is not None else "")


def _is_schema_path(pointer: Pointer) -> bool:
    """Return whether a path ends at a schema, and not at a keyword of one."""
    return len(pointer) > 1 and pointer[-2] in ("properties", "$defs", "anyOf", "oneOf", "allOf", "prefixItems")


def _result(old: Tool, new: Tool, span: Span) -> Iterator[Change]:
    if old.result is None or new.result is None:
        if (old.result is None) != (new.result is None):
            yield _change("result-set" if old.result is None else "result-unset", new, span=span)
        return
    differences = compare_schemas(old.result, new.result)
    relation = combine_effects([d for d in differences if d.code != "parameter-added"])
    if not differences:
        return
    shown = max(differences, key=lambda d: (d.witness is not ABSENT, d.effect != "note"))
    where = f"result {pointer_text(shown.pointer)}".strip()
    if relation is None:
        yield _change("result-widened", new, span=span, where=where)
        return
    code = {
        "wider": "result-widened",
        "narrower": "result-narrowed",
        "other": "result-changed",
        "unknown": "cannot-tell",
    }[relation]
    yield _change(code, new, span=span, where=where, witness=shown.witness)


def _aliases(before: Mapping[str, Tool], after: Mapping[str, Tool], renamed: Mapping[str, str]) -> Iterator[Change]:
    was = {alias: renamed.get(tool.name, tool.name) for tool in before.values() for alias in tool.aliases}
    now = {alias: tool for tool in after.values() for alias in tool.aliases}
    for alias, name in was.items():
        if alias not in now and alias not in after and name in after:
            yield _change("alias-removed", after[name], before=alias)
        elif alias in now and now[alias].name != name:
            span = now[alias].document.key_span("aliases")
            yield _change("alias-moved", now[alias], span=span, before=name, after=alias)
    for alias, tool in now.items():
        if alias not in was and alias not in before:
            yield _change("alias-added", tool, span=tool.document.key_span("aliases"), after=alias)


def _configuration(old: ProjectSnapshot, new: ProjectSnapshot) -> Iterator[Change]:
    """Yield the changes that concern no single tool: settings, providers, the format, and names of classes."""
    config = new.project.sources.config
    config_span = config.span() if config is not None else Span(new.project.sources.name)
    after, before = new.project.config, old.project.config
    settings = (
        ("edition-changed", before.edition, after.edition),
        ("out-moved", before.out or "generated", after.out or "generated"),
    )
    found: list[FoundChange] = [(code, "", config_span, was, now) for code, was, now in settings if was != now]
    found += [("provider-removed", name, config_span, name, None) for name in sorted({*old.payloads} - {*new.payloads})]
    found += [("provider-added", name, config_span, None, name) for name in sorted({*new.payloads} - {*old.payloads})]
    formats = (old.project.catalog.format, new.project.catalog.format)
    here = Span(new.project.sources.name)
    for code, where, span, *values in (
        *found,
        *changed_provider_facts(old.project, new.project),
        *changed_neutral_format(*formats, here),
        *find_removed_public_names(old.names, new.names, here),
    ):
        yield Change(
            code, (), where, span, _broken_audiences(code, None, None), *(ABSENT if v is None else v for v in values)
        )


def _wires(old: ProjectSnapshot, new: ProjectSnapshot, renamed: Mapping[str, str]) -> Iterator[Change]:
    """Yield the changes of what each provider receives: names, strict mode, losses and the payload."""
    tokenizer: Tokenizer | str = ""
    for provider in new.payloads:
        if provider not in old.payloads:
            continue
        was = {renamed.get(one.tool.name, one.tool.name): one for one in old.payloads[provider].tools if one.offered}
        now = {one.tool.name: one for one in new.payloads[provider].tools if one.offered}
        for name in sorted(was.keys() & now.keys()):
            yield from _on_wire(provider, was[name], now[name])
        sent = old.sent_digests.get(provider)
        was_sent = old.payloads[provider].tool_digests() if sent is None else sent
        if was_sent != new.payloads[provider].tool_digests():
            tokenizer = tokenizer or installed_tokenizer()
            described = describe_payload_change(old.payloads[provider], new.payloads[provider], sent, tokenizer)
            yield Change("payload-changed", (), provider, Span(new.project.sources.name), (), after=described)


def _on_wire(provider: str, old: ToolPayload, new: ToolPayload) -> Iterator[Change]:
    tool = new.tool
    span = tool.document.key_span("providers", provider) if provider in tool.providers else tool.document.span("name")
    if old.name != new.name and (old.name, new.name) != (old.tool.name, tool.name):
        yield _change("wire-name-changed", tool, span=span, where=provider, before=old.name, after=new.name)
    if old.encoding_table != new.encoding_table and old.tool.parameters == tool.parameters:
        yield _change("spelling-changed", tool, span=span, where=provider)
    if old.strict != new.strict:
        yield _change("strict-lost" if old.strict else "strict-gained", tool, span=span, where=provider)
    for pointer, what in severe_losses_missing_in(old, new):
        yield _change("portability-worse", tool, span=span, where=provider, after=f"{what} at {pointer or '/'}")
    for pointer, what in severe_losses_missing_in(new, old):
        yield _change("portability-better", tool, span=span, where=provider, before=f"{what} at {pointer or '/'}")


def _change(
    code: str,
    tool: Tool,
    *,
    span: Span | None = None,
    where: str = "",
    before: Any = ABSENT,
    after: Any = ABSENT,
    witness: Any = ABSENT,
    relation: str | None = None,
    proved: bool | None = None,
    old_span: Span | None = None,
    safe: bool = False,
) -> Change:
    """Return a change of a tool; without a location, at the name of the tool."""
    audiences = _broken_audiences(code, relation, proved)
    if safe:  # the old name remains an alias
        audiences = ("handlers",) if "handlers" in audiences else ()
    location = span or tool.document.span("name")
    return Change(code, (tool.name,), where, location, audiences, before, after, witness, old_span)


def _broken_audiences(code: str, relation: str | None, proved: bool | None) -> tuple[Audience, ...]:
    """Return the audiences that a change breaks. If it depends on the values, a value must be shown to be refused."""
    verdicts = CHANGES[code]
    return tuple(
        audience
        for audience in AUDIENCES
        if verdicts[audience] == "B" or (verdicts[audience] == "?" and bool(proved) and relation != "note")
    )
