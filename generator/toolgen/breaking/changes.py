"""Comparison of two snapshots of a project: tools, what providers receive, and the configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, NamedTuple

from toolgen.breaking.packages import describe_payload_change
from toolgen.breaking.schema_comparison import (
    ABSENT,
    Difference,
    Relation,
    combine_effects,
    compare_schemas,
    narrows_type,
)
from toolgen.breaking.schema_inclusion import Inclusion
from toolgen.breaking.schema_normalization import json_key, normal_form
from toolgen.diagnostics import Span
from toolgen.diagnostics.codes import AUDIENCES, CHANGES, Audience
from toolgen.load import Document, Pointer
from toolgen.load.sources import pointer_text
from toolgen.pipeline import Project
from toolgen.render.tool_payloads import ProviderPayload, ToolPayload
from toolgen.resolve import Format, Profile, Tool
from toolgen.resolve.dialect import drop_annotations
from toolgen.resolve.schema_locations import find_target
from toolgen.token_counts import Tokenizer, installed_tokenizer
from toolgen_runtime.json_values import same_json


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
    """The definition of a shared type that changed, as the path of its file and the pointer in it."""
    identity: tuple[Any, ...] = field(default=(), compare=False)
    """What identifies the change besides its code and its origin or tools, if not `where`, `before` and `after`."""
    level: str = field(default="", compare=False)
    """The level if it is not that of the code."""

    @property
    def id(self) -> str:
        """Return a digest of what changed, without lines and messages. It identifies the change in `accepted.yaml`."""
        values = (None if value is ABSENT else [value] for value in (self.before, self.after))
        identity = [self.code, self.origin or list(self.tools), *(self.identity or (self.where, *values))]
        return sha256(json_key(identity).encode()).hexdigest()[:12]


def changes_between(old: ProjectSnapshot, new: ProjectSnapshot) -> list[Change]:
    """Return the changes from one snapshot to another, each once, sorted by location."""
    changes: dict[Any, Change] = {}
    for change in _all_changes(old, new):
        key = (change.code, change.span, change.where if not change.origin else "", change.id)
        if key in changes:
            change = replace(changes[key], tools=tuple(sorted({*changes[key].tools, *change.tools})))
        changes[key] = change
    return sorted(changes.values(), key=lambda change: (change.span, change.code, change.where))


def _all_changes(old: ProjectSnapshot, new: ProjectSnapshot) -> Iterator[Change]:
    """Yield all changes. A renamed tool is compared with the one that it was; no other change is about its name."""
    yield from _configuration(old, new)
    before = {tool.name: tool for tool in old.project.catalog.tools}
    after = {tool.name: tool for tool in new.project.catalog.tools}
    renamed = _find_renamed_tools(before, after)
    old_names = {new_name: old_name for old_name, new_name in renamed.items()}
    for name, tool in before.items():
        if name not in after and name not in renamed:
            project_span = Span(new.project.sources.name)
            yield _change("tool-removed", tool, span=project_span, old_span=tool.document.span("name"))
    for name, tool in after.items():
        old_name = old_names.get(name, name)
        if old_name not in before:
            yield _change("tool-added", tool)
            continue
        if old_name != name:
            yield _change("tool-renamed", tool, before=old_name, after=name, safe=old_name in tool.aliases)
        yield from _tool(before[old_name], tool)
    yield from _aliases(before, after, renamed)
    yield from _wires(old, new, renamed)


def _find_renamed_tools(before: Mapping[str, Tool], after: Mapping[str, Tool]) -> dict[str, str]:
    """Return the new names of renamed tools: an alias, the same location in a file, or equal parameters identify them."""
    new_names: dict[str, str] = {}
    added = [tool for name, tool in after.items() if name not in before]
    for tool in (tool for name, tool in before.items() if name not in after):
        place = (tool.document.source, tool.document.index)
        aliased = [each for each in added if tool.name in each.aliases]
        same_place = [each for each in added if (each.document.source, each.document.index) == place]
        alike = [
            each
            for each in added
            if tool.parameters and same_json([each.parameters, each.result], [tool.parameters, tool.result])
        ]
        for candidates in (aliased, same_place, alike):
            if len(candidates) == 1 and candidates[0].name not in new_names.values():
                new_names[tool.name] = candidates[0].name
                break
    return new_names


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
    if not same_json(old.annotations, new.annotations):
        yield from _hints(old, new, at("annotations"))
    if not same_json([*old.examples], [*new.examples]):
        yield _change("examples-changed", new, span=at("examples"))
    for name in sorted(set(new.unsupported) - set(old.unsupported)):
        yield _change("unsupported-added", new, span=at("unsupported"), where=name, after=name)
    for name in sorted(set(old.unsupported) - set(new.unsupported)):
        yield _change("unsupported-removed", new, span=at("unsupported"), where=name, before=name)
    for name in sorted(old.providers.keys() | new.providers.keys()):
        yield from _patch(old, new, name)
    yield from _parameters(old, new, at("parameters"))
    yield from _result(old, new, at("result"))


_MAX_DEPTH = 60
"""How deep inside a schema a value is looked for at most."""

_NOTHING: Mapping[str, Any] = {"type": "object"}
"""The parameters of a tool that declares none."""


def _hints(old: Tool, new: Tool, span: Span) -> Iterator[Change]:
    """Yield the change of a tool's hints: one for each that promises less harm now, else one for all of them."""
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
    """Yield the changes of what a tool states for one provider: its description there, and everything else."""
    before, after = old.providers.get(name) or {}, new.providers.get(name) or {}
    span = new.document.key_span("providers", name)
    if before.get("description") != after.get("description"):
        yield _change("wire-description-changed", new, span=span, where=name)
    facts_before, facts_after = (
        {key: value for key, value in patch.items() if key not in ("name", "description")} for patch in (before, after)
    )
    if not same_json(facts_before, facts_after):
        yield _change("provider-patch-changed", new, span=span, where=name, before=facts_before, after=facts_after)


def _parameters(old: Tool, new: Tool, span: Span) -> Iterator[Change]:
    """Yield the changes of a tool's parameters. If none is about values, the schema was only written differently."""
    before, after = old.parameters or _NOTHING, new.parameters or _NOTHING
    differences = compare_schemas(before, after, tuple(old.examples))
    for difference in differences:
        yield _parameter(difference, old, new)
    if not differences and not same_json(*(drop_annotations(schema, deep=True) for schema in (before, after))):
        yield _change("composition-rewritten", new, span=span)


def _parameter(difference: Difference, old: Tool, new: Tool) -> Change:
    """Convert a difference of the parameters to a change at its location; a shared type's change names the type."""
    pointer = difference.pointer
    span = _parameter_span(old if difference.gone else new, pointer)
    code = difference.code
    if difference.effect == "unknown" and code != "parameter-renamed":
        code = "cannot-tell"
    proved = None
    if difference.effect not in ("wider", "note"):
        proved = difference.witness is not ABSENT or difference.effect == "narrower"
    change = _change(
        code,
        new,
        span=new.parameter_span(pointer[:-2]) if difference.gone else span,
        where=pointer_text(pointer),
        before=difference.before,
        after=difference.after,
        witness=difference.witness,
        relation=difference.effect,
        old_span=span if difference.gone else None,
        proved=proved,
    )
    audiences = [
        audience
        for audience in change.audiences
        if audience == "handlers" or difference.effect not in ("note", "wider") or code == "format-changed"
    ]
    if not difference.breaks_types:
        audiences = [audience for audience in audiences if audience != "handlers"]
    change = replace(change, audiences=tuple(audiences))
    change = replace(change, identity=_identity(difference, old, new))
    tool = old if difference.gone else new
    if len(pointer) > 1 and pointer[0] == "$defs" and pointer[1] in tool.origins:
        document, start = tool.origins[str(pointer[1])]
        return replace(change, origin=f"{document.source}#{pointer_text(start)}")
    return change


_SPELLINGS = frozenset(["type", "enum", "const", "anyOf", "oneOf", "allOf", "not"])
"""Keywords that can say the same: the place of a change is that of their schema."""


def _identity(difference: Difference, old: Tool, new: Tool) -> tuple[Any, ...]:
    """Return the place of a difference as it is written, and the normal forms of the old and the new value.

    A definition is named by the origin of the change.
    """
    place = difference.pointer
    if place and place[-1] in _SPELLINGS and not _is_schema_path(place):
        place = place[:-1]
    if len(place) > 1 and place[0] == "$defs":
        place = place[2:]
    forms = (
        None if value is ABSENT else [normal_form(value, tool.parameters or {})]
        for value, tool in ((difference.before, old), (difference.after, new))
    )
    return pointer_text(place), *forms


def _parameter_span(tool: Tool, pointer: Pointer) -> Span:
    """Return the location of a schema, or of a keyword of one."""
    if pointer and not _is_schema_path(pointer):
        return tool.parameter_span(pointer[:-1], str(pointer[-1]))
    return tool.parameter_span(pointer)


def _is_schema_path(pointer: Pointer) -> bool:
    """Return whether a path ends at a schema, and not at a keyword of one."""
    return len(pointer) > 1 and pointer[-2] in ("properties", "$defs", "anyOf", "oneOf", "allOf", "prefixItems")


_RESULT_CODES: Mapping[Relation | None, str] = {
    None: "result-widened",
    "wider": "result-widened",
    "narrower": "result-narrowed",
    "other": "result-changed",
    "unknown": "cannot-tell",
}
"""The code of a changed result, by the joint effect of its differences."""


def _result(old: Tool, new: Tool, span: Span) -> Iterator[Change]:
    """Yield the change of a tool's result: all its differences as one, shown by the most telling of them."""
    if old.result is None or new.result is None:
        if (old.result is None) != (new.result is None):
            yield _change("result-set" if old.result is None else "result-unset", new, span=span)
        return
    differences = compare_schemas(old.result, new.result)
    if not differences:
        if not same_json(old.result, new.result) and narrows_type(old.result, new.result):
            yield replace(_change("result-changed", new, span=span, where="result"), audiences=("handlers",))
        return
    relation = combine_effects([each for each in differences if each.code not in ("parameter-added", "class-changed")])
    first = differences[0]
    if all(each.code == "format-changed" and each.effect == "note" for each in differences):
        where = f"result {pointer_text(first.pointer)}"
        change = _change("format-changed", new, span=span, where=where, before=first.before, after=first.after)
        yield replace(change, audiences=("handlers",) if narrows_type(old.result, new.result) else ())
        return
    shown = max(differences, key=lambda each: (each.witness is not ABSENT, each.effect != "note"))
    where = f"result {pointer_text(shown.pointer)}".strip()
    if relation in (None, "wider") and _breaks_handlers(differences, old.result, new.result):
        yield replace(_change("result-changed", new, span=span, where=where), audiences=("handlers",))
        return
    witness = ABSENT if relation is None else shown.witness
    yield _change(_RESULT_CODES[relation], new, span=span, where=where, witness=witness)


def _breaks_handlers(differences: Sequence[Difference], old: Any, new: Any) -> bool:
    """Return whether what a handler could return before may have the wrong Python type, although no value is refused."""
    return any(each.code == "class-changed" for each in differences) or narrows_type(old, new)


def _aliases(before: Mapping[str, Tool], after: Mapping[str, Tool], renamed: Mapping[str, str]) -> Iterator[Change]:
    """Yield the aliases that were removed, added, or moved to another tool. `renamed` has new names by old names."""
    names_before = {alias: renamed.get(tool.name, tool.name) for tool in before.values() for alias in tool.aliases}
    tools_after = {alias: tool for tool in after.values() for alias in tool.aliases}
    for alias, name in names_before.items():
        if alias not in tools_after and alias not in after and name in after:
            yield _change("alias-removed", after[name], before=alias)
        elif alias in tools_after and tools_after[alias].name != name:
            tool = tools_after[alias]
            yield _change("alias-moved", tool, span=tool.document.key_span("aliases"), before=name, after=alias)
    for alias, tool in tools_after.items():
        if alias not in names_before and alias not in before:
            yield _change("alias-added", tool, span=tool.document.key_span("aliases"), after=alias)


def _configuration(old: ProjectSnapshot, new: ProjectSnapshot) -> Iterator[Change]:
    """Yield the changes that concern no single tool: settings, providers, the format, and names of classes."""
    project = new.project
    config, here = project.sources.config, Span(project.sources.name)
    config_span = config.span() if config is not None else here
    before, after = old.project.config, project.config
    if before.edition != after.edition:
        yield _project_change("edition-changed", "", config_span, before.edition, after.edition)
    out_before, out_after = before.out or "generated", after.out or "generated"
    if out_before != out_after:
        yield _project_change("out-moved", "", config_span, out_before, out_after)
    for name in sorted({*old.payloads} - {*new.payloads}):
        yield _project_change("provider-removed", name, config_span, name, None)
    for name in sorted({*new.payloads} - {*old.payloads}):
        yield _project_change("provider-added", name, config_span, None, name)
    yield from _provider_facts(old.project, project)
    yield from _neutral_format(old.project.catalog.format, project.catalog.format, here)
    yield from _removed_public_names(old.names, new.names, here)


def _provider_facts(old: Project, new: Project) -> Iterator[Change]:
    """Yield changes of the limits, budgets, defaults and other facts of the providers that both sides have."""
    config = new.sources.config
    for key in ("limits", "budgets"):
        for provider, name, before, after in _settings_that_differ(getattr(old.config, key), getattr(new.config, key)):
            span = _key_span(config, new, key, provider, name)
            yield _project_change("limit-changed", f"{key} {provider} {name}", span, before, after)
    if old.config.recursion_depth != new.config.recursion_depth:
        span = _key_span(config, new, "recursion_depth")
        depths = old.config.recursion_depth, new.config.recursion_depth
        yield _project_change("limit-changed", "recursion_depth", span, *depths)
    for provider, name, before, after in _settings_that_differ(old.config.defaults, new.config.defaults):
        span = _key_span(config, new, "defaults", provider, name)
        yield _project_change("wire-default-changed", f"{provider} {name}", span, before, after)
    old_profiles = {profile.name: profile for profile in old.catalog.profiles}
    for profile in new.catalog.profiles:
        if profile.name in old_profiles:
            yield from _profile(old_profiles[profile.name], profile, new)


_SETTINGS = ("limits", "defaults")
"""Facts that the configuration can state too. Their changes have codes of their own."""


def _profile(old: Profile, new: Profile, project: Project) -> Iterator[Change]:
    """Yield the facts of a profile that changed. Each is located in the project's own file if it is stated there."""
    own_document = next((document for document in reversed(new.documents) if not document.is_shipped), None)
    for fact in sorted(old.facts.keys() | new.facts.keys()):
        before, after = old.facts.get(fact), new.facts.get(fact)
        if fact not in _SETTINGS and not same_json(before, after):
            span = _key_span(own_document, project, fact)
            yield _project_change("profile-changed", f"{new.name} {fact}", span, before, after)


class _SettingChange(NamedTuple):
    """A setting of a provider with its values on both sides; None if it is not set."""

    provider: str
    name: str
    before: Any
    after: Any


def _settings_that_differ(
    old: Mapping[str, Mapping[str, Any]], new: Mapping[str, Mapping[str, Any]]
) -> Iterator[_SettingChange]:
    """Yield the settings of providers that were added, removed or changed. An absent one is None."""
    for provider in sorted(old.keys() | new.keys()):
        before, after = old.get(provider, {}), new.get(provider, {})
        for name in sorted(before.keys() | after.keys()):
            if name not in before or name not in after or not same_json(before[name], after[name]):
                yield _SettingChange(provider, name, before.get(name), after.get(name))


def _key_span(document: Document | None, project: Project, *pointer: str) -> Span:
    """Return the location of a key, or of the nearest key around it that exists."""
    if document is None:
        return Span(project.sources.name)
    for end in range(len(pointer), 0, -1):
        if pointer[:end] in document.keys:
            return document.key_span(*pointer[:end])
    return document.span()


def _neutral_format(old: Format, new: Format, span: Span) -> Iterator[Change]:
    """Yield the fields of the format that a project has added, removed or changed."""
    for type_name in sorted(old.types.keys() & new.types.keys()):
        before = {field.name: field.schema for field in old.types[type_name].fields}
        after = {field.name: field.schema for field in new.types[type_name].fields}
        for name in sorted(before.keys() | after.keys()):
            where = f"{type_name}.{name}"
            if name not in before:
                yield _project_change("format-field-added", where, span, None, after[name])
            elif name not in after:
                yield _project_change("format-field-removed", where, span, before[name], None)
            elif not same_json(before[name], after[name]):
                yield _project_change("format-field-changed", where, span, before[name], after[name])


def _removed_public_names(
    old: Mapping[str, tuple[str, ...]], new: Mapping[str, tuple[str, ...]], span: Span
) -> Iterator[Change]:
    """Yield the public classes and types of tools that were removed from a module that still exists.

    A module disappears with its tool, and a member with its parameter; those changes are reported already.
    """
    for path in sorted(old.keys() & new.keys()):
        for name in old[path]:
            if name not in new[path]:
                yield _project_change("public-name-removed", f"{path} {name}", span, name, None)


def _wires(old: ProjectSnapshot, new: ProjectSnapshot, renamed: Mapping[str, str]) -> Iterator[Change]:
    """Yield the changes of what each provider receives: names, strict mode, losses and the payload."""
    tokenizer: Tokenizer | str = ""
    for provider in new.payloads:
        if provider not in old.payloads:
            continue
        old_payload, new_payload = old.payloads[provider], new.payloads[provider]
        before = {renamed.get(each.tool.name, each.tool.name): each for each in old_payload.tools if each.offered}
        after = {each.tool.name: each for each in new_payload.tools if each.offered}
        displaced = _displaced_tools(before, after)
        if displaced:
            yield _displacement(provider, displaced, before, after)
        for name in sorted(before.keys() & after.keys()):
            yield from _on_wire(provider, before[name], after[name], is_displaced=name in displaced)
        sent = old.sent_digests.get(provider)
        if (old_payload.tool_digests() if sent is None else sent) != new_payload.tool_digests():
            tokenizer = tokenizer or installed_tokenizer()
            described = describe_payload_change(old_payload, new_payload, sent, tokenizer)
            yield Change("payload-changed", (), provider, Span(new.project.sources.name), (), after=described)


def _displaced_tools(before: Mapping[str, ToolPayload], after: Mapping[str, ToolPayload]) -> list[str]:
    """Return the tools that are no longer strict because others use up the limits of a request, sorted."""
    return [
        name
        for name in sorted(before.keys() & after.keys())
        if before[name].strict and not after[name].strict and after[name].strict_if_fewer_tools
    ]


def _displacement(
    provider: str, displaced: Sequence[str], before: Mapping[str, ToolPayload], after: Mapping[str, ToolPayload]
) -> Change:
    """Return the one change for all tools that others displaced: at the first strict tool that was added.

    If none was, it is at the first one that became strict or has other parameters.
    """

    def is_same(name: str) -> bool:
        if not before[name].strict or before[name].tool.strict != after[name].tool.strict:
            return False
        return same_json(before[name].tool.parameters, after[name].tool.parameters)

    strict = [name for name in sorted(after) if after[name].strict]
    added = [name for name in strict if name not in before]
    causes = added or [name for name in strict if not is_same(name)] or displaced
    change = _change("strict-lost", after[causes[0]].tool, where=f"{provider}, for {', '.join(displaced)},")
    return replace(change, level="warning")


def _on_wire(provider: str, old: ToolPayload, new: ToolPayload, *, is_displaced: bool) -> Iterator[Change]:
    """Yield the changes of a tool that only show in its payload for a provider."""
    tool = new.tool
    span = tool.document.key_span("providers", provider) if provider in tool.providers else tool.document.span("name")
    if old.name != new.name and (old.name, new.name) != (old.tool.name, tool.name):
        yield _change("wire-name-changed", tool, span=span, where=provider, before=old.name, after=new.name)
    if old.encoding_table != new.encoding_table and old.tool.parameters == tool.parameters:
        yield _change("spelling-changed", tool, span=span, where=provider)
    if old.strict != new.strict and not is_displaced:
        yield _change("strict-lost" if old.strict else "strict-gained", tool, span=span, where=provider)
    for loss in _severe_losses_missing_in(old, new):
        if _existed(loss.pointer, old.tool, tool) and not (
            _excludes_nothing(loss, tool) or _is_respelled(loss, old, new)
        ):
            yield _change("portability-worse", tool, span=span, where=provider, after=str(loss))
    for loss in _severe_losses_missing_in(new, old):
        if _existed(loss.pointer, tool, old.tool) and not _excludes_nothing(loss, old.tool):
            yield _change("portability-better", tool, span=span, where=provider, before=str(loss))


class _SevereLoss(NamedTuple):
    """What a wire does not enforce, and the path of its schema in the parameters."""

    pointer: str
    what: str

    def __str__(self) -> str:
        return f"{self.what} at {self.pointer or '/'}"


def _existed(pointer: str, tool: Tool, other: Tool, passed: frozenset[str] = frozenset()) -> bool:
    """Return whether a tool has the value that a path of another version of it leads to.

    In a definition that only the other version has, it is a value of the schemas that refer to this definition.
    `passed` are such definitions.
    """
    path = _value_path(pointer)
    parameters = tool.parameters or {}
    if not path.shared:
        return _has_value(parameters, parameters, path.steps)
    definition, slash, inside = pointer.rpartition("/$defs/")[2].partition("/")
    if definition in parameters.get("$defs", {}):
        return _has_value(parameters["$defs"][definition], parameters, path.steps)
    if definition in passed:
        return False
    places = _references_to(f"#/$defs/{definition}", other.parameters)
    return any(_existed(f"{place}{slash}{inside}", tool, other, passed | {definition}) for place in places)


def _references_to(target: str, schema: Any, pointer: str = "") -> Iterator[str]:
    """Yield the paths of the schemas inside a schema that refer to a target."""
    if isinstance(schema, Mapping):
        if schema.get("$ref") == target:
            yield pointer
        for key, value in schema.items():
            yield from _references_to(target, value, f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}")
    elif isinstance(schema, list):
        for i, value in enumerate(schema):
            yield from _references_to(target, value, f"{pointer}/{i}")


def _has_value(schema: Any, root: Any, steps: Sequence[str], depth: int = 0) -> bool:
    """Return whether a schema, or one that applies to the same values, describes the value at the end of some steps."""
    if not steps:
        return True
    if not isinstance(schema, Mapping) or depth > _MAX_DEPTH:
        return False
    inner = _step_inside(schema, steps)
    if inner is not None and _has_value(inner.schema, root, inner.steps, depth + 1):
        return True
    parts = [part for keyword in ("allOf", "anyOf", "oneOf") for part in schema.get(keyword, ())]
    parts += [find_target(schema["$ref"], root)] if "$ref" in schema else []
    return any(_has_value(part, root, steps, depth + 1) for part in parts)


class _Inner(NamedTuple):
    """A schema inside another one, and the steps that remain from there."""

    schema: Any
    steps: Sequence[str]


def _step_inside(schema: Mapping[str, Any], steps: Sequence[str]) -> _Inner | None:
    """Return the schema that the first steps of a value's path lead to; None if a keyword is missing."""
    if steps[0] not in ("properties", "patternProperties", "prefixItems"):
        return _Inner(schema[steps[0]], steps[1:]) if steps[0] in schema else None
    named = schema.get(steps[0], {})
    key = steps[1].replace("~1", "/").replace("~0", "~") if len(steps) > 1 else ""
    if isinstance(named, list):
        return _Inner(named[int(key)], steps[2:]) if key.isdigit() and int(key) < len(named) else None
    return _Inner(named[key], steps[2:]) if key in named else None


def _excludes_nothing(loss: _SevereLoss, tool: Tool) -> bool:
    """Return whether it is proved that the keyword which a wire loses excludes no value, such as `minLength: 0`."""
    schema: Any = tool.parameters
    for step in loss.pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        schema = schema[int(key)] if isinstance(schema, list) else schema.get(key)
        if schema is None:
            return False
    if not isinstance(schema, Mapping) or loss.what not in schema:
        return False
    without = {key: value for key, value in schema.items() if key != loss.what}
    if Inclusion(tool.parameters, tool.parameters).proves(without, schema):
        return True
    if not {"anyOf", "oneOf"} & {*loss.pointer.split("/")}:
        return False
    whole = _with_schema_at(tool.parameters, loss.pointer.split("/")[1:], without)  # another branch may admit it
    return Inclusion(whole, tool.parameters).proves(whole, tool.parameters)


def _is_respelled(loss: _SevereLoss, old: ToolPayload, new: ToolPayload) -> bool:
    """Return whether a keyword that a wire loses says what another one said, which it lost at the same value before.

    That is so if it is proved that both versions of the parameters admit the same values.
    """
    path = _value_path(loss.pointer)
    if not any(each.severe and _may_be_same_value(_value_path(each.pointer), path) for each in old.losses):
        return False
    before, after = old.tool.parameters or {}, new.tool.parameters or {}
    inclusion = Inclusion(before, after)
    return inclusion.proves(before, after) and inclusion.proves(after, before, back=True)


def _with_schema_at(root: Any, steps: Sequence[str], schema: Any) -> Any:
    """Return a copy of a root in which the schema at the end of some steps, which exist, is another one."""
    if not steps:
        return schema
    key = steps[0].replace("~1", "/").replace("~0", "~")
    if isinstance(root, list):
        return [_with_schema_at(each, steps[1:], schema) if i == int(key) else each for i, each in enumerate(root)]
    return {**root, key: _with_schema_at(root[key], steps[1:], schema)}


def _severe_losses_missing_in(reference: ToolPayload, payload: ToolPayload) -> list[_SevereLoss]:
    """Return each severe loss of a payload that a reference payload does not have, sorted by pointer.

    Losses are compared by the value that they concern: it does not matter whether its schema stands in a definition or
    in a branch.
    """
    reference_losses = [(loss.what, _value_path(loss.pointer)) for loss in reference.losses if loss.severe]
    losses = sorted({_SevereLoss(loss.pointer, loss.what) for loss in payload.losses if loss.severe})
    return [
        loss
        for loss in losses
        if not any(
            loss.what == what and _may_be_same_value(_value_path(loss.pointer), path) for what, path in reference_losses
        )
    ]


class _ValuePath(NamedTuple):
    """The steps of a pointer into a schema that lead into values. If `shared`, they start in a definition."""

    steps: list[str]
    shared: bool


def _value_path(pointer: str) -> _ValuePath:
    """Return the path of a value that a pointer into a schema describes, from the last definition on the way."""
    path = _ValuePath([], shared=False)
    steps = iter(pointer.split("/")[1:])
    for step in steps:
        if step in ("$defs", "definitions"):
            next(steps, None)
            path = _ValuePath([], shared=True)
        elif step in ("allOf", "anyOf", "oneOf"):
            next(steps, None)
        elif step in ("properties", "patternProperties", "prefixItems"):
            path.steps.extend([step, next(steps, "")])
        else:
            path.steps.append(step)
    return path


def _may_be_same_value(path: _ValuePath, other: _ValuePath) -> bool:
    """Return whether two paths may lead to the same value. A definition may be used anywhere."""
    if not (path.shared or other.shared):
        return path.steps == other.steps
    length = min(len(path.steps), len(other.steps))
    return path.steps[len(path.steps) - length :] == other.steps[len(other.steps) - length :]


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


def _project_change(code: str, where: str, span: Span, before: Any, after: Any) -> Change:
    """Return a change that concerns no single tool. None is a value that is not set."""
    values = (ABSENT if value is None else value for value in (before, after))
    return Change(code, (), where, span, _broken_audiences(code, None, None), *values)


def _broken_audiences(code: str, relation: str | None, proved: bool | None) -> tuple[Audience, ...]:
    """Return the audiences that a change breaks. If it depends on the values, a value must be shown to be refused."""
    verdicts = CHANGES[code]
    return tuple(
        audience
        for audience in AUDIENCES
        if verdicts[audience] == "B" or (verdicts[audience] == "?" and bool(proved) and relation != "note")
    )
