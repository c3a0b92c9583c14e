"""Resolution of the whole catalog: tools and shared types here, profiles and the format in their own modules."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import fields, replace
from functools import partial

from toolgen.diagnostics import Findings, Span
from toolgen.diagnostics.finding import RawText, closest_names, did_you_mean_or_known
from toolgen.load import Document
from toolgen.parse import Config, Declaration, ParsedProject
from toolgen.parse.config import Formats
from toolgen.resolve.catalog import Catalog, Profile, SharedType, Tool
from toolgen.resolve.identifiers import check_shared_type_name_collisions, check_tool_name_collisions, check_wire_names
from toolgen.resolve.profiles import (
    check_configured_defaults,
    collect_effective_defaults,
    merge_neutral_format_documents,
    profile_name_of_file,
    resolve_profiles,
)
from toolgen.resolve.references import ReferenceGraph, resolve_references
from toolgen.resolve.schema_bundler import BundledSchema, SchemaBundler, shared_class_name
from toolgen.resolve.schema_checks import TYPES, check_schemas
from toolgen.resolve.schema_locations import SchemaLocation, SchemaRegistry, stated_types
from toolgen.resolve.value_checks import TooManyStepsError, ValueValidator, check_values, drop_formats_if_unchecked
from toolgen_runtime.json_values import apply_merge_patch


def resolve_tools(parsed: ParsedProject, findings: Findings) -> tuple[tuple[Tool, ...], tuple[SharedType, ...]]:
    """Resolve the declared tools and the types, each sorted by name.

    If a schema has a fault, its findings are reported and both results are empty: nothing can be built on it.
    """
    before = len(findings)
    declared, all_declared = parsed.declarations, parsed.sources.tools
    check_tool_name_collisions(declared, findings)
    registry = SchemaRegistry.from_sources(parsed.sources)
    _check_types_are_schemas(registry, findings)
    graph = resolve_references(registry, findings)
    check_schemas(graph, findings)
    for tool in declared:
        _check_root(tool, findings)
    names = _shared_type_names(graph)
    check_shared_type_name_collisions(((name, registry.span(location)) for location, name in names.items()), findings)
    if findings.has_errors and (len(findings) > before or len(declared) < len(all_declared)):
        return (), ()
    bundles = SchemaBundler(graph, names)
    formats = parsed.config.formats
    types = bundles.make_shared_types(formats)
    _check_type_values(bundles, formats, findings)
    tools = [_resolve_tool(declaration, parsed.config, bundles, findings) for declaration in declared]
    if findings.has_errors:
        return (), ()
    return (
        tuple(sorted(tools, key=lambda tool: tool.name)),
        tuple(types[name] for name in sorted(types)),
    )


def _check_types_are_schemas(registry: SchemaRegistry, findings: Findings) -> None:
    """Report files of types that are neither an object nor a boolean."""
    for key, document in registry.documents.items():
        if key not in registry.tools and not isinstance(document.value, dict | bool):
            reason = RawText("a schema must be an object, true or false")
            findings.add("schema-invalid", document.span(), keyword=document.source, reason=reason)


def _check_root(tool: Declaration, findings: Findings) -> None:
    """Report parameters of another type than object. A type that does not exist has its own finding."""
    parameters = tool.parameters or {}
    types = stated_types(parameters)
    if "type" in parameters and types != ["object"] and all(isinstance(name, str) and name in TYPES for name in types):
        findings.add("parameters-not-object", tool.document.span("parameters", "type"), type=parameters["type"])


def _shared_type_names(graph: ReferenceGraph) -> dict[SchemaLocation, str]:
    """Return the schemas that become shared types: files of types, and targets of references across or inside these."""
    registry = graph.registry
    locations = dict.fromkeys(registry.roots(registry.tools))
    for reference, target in graph.targets.items():
        if reference.document != target.document or target.document not in registry.tools:
            locations[target] = None
    ordered = sorted(locations, key=lambda location: (location.document, tuple(map(str, location.pointer))))
    return {location: shared_class_name(*location.document, location.pointer) for location in ordered}


def _check_type_values(bundles: SchemaBundler, formats: Formats, findings: Findings) -> None:
    """Check the values in the schemas of shared types."""
    schema = drop_formats_if_unchecked({"$defs": {name: t.schema for name, t in bundles.types.items()}}, formats)
    nowhere = SchemaLocation(("", 0), ())
    check_values(schema, bundles.origins, nowhere, bundles.graph.registry, findings)


def _resolve_tool(declaration: Declaration, config: Config, bundles: SchemaBundler, findings: Findings) -> Tool:
    """Return a declared tool with self-contained schemas, and check the values in these, and the examples."""
    document, registry = declaration.document, bundles.graph.registry
    bundled: dict[str, BundledSchema] = {}
    for name in ("parameters", "result"):
        if getattr(declaration, name) is None:
            continue
        root = SchemaLocation((document.source, document.index), (name,))
        bundled[name] = bundles.bundle(root)
        schema, shared, origins = bundled[name]
        own = {key: location for key, location in origins.items() if key not in shared}
        check_values(drop_formats_if_unchecked(schema, config.formats), own, root, registry, findings)
    schemas = {name: bundled[name].schema if name in bundled else None for name in ("parameters", "result")}
    parameters = drop_formats_if_unchecked(schemas["parameters"] or {}, config.formats)
    _check_examples(declaration, ValueValidator({"type": "object", **parameters}), findings)
    stated = {field.name: getattr(declaration, field.name) for field in fields(declaration)}
    resolved = {**schemas, "strict": declaration.strict or config.strict}
    locations = bundled["parameters"].origins if "parameters" in bundled else {}
    return Tool(
        **(stated | resolved),
        shared=tuple(sorted({name for schema in bundled.values() for name in schema.shared})),
        formats=config.formats,
        origins={
            name: (registry.documents[location.document], location.pointer) for name, location in locations.items()
        },
    )


def _check_examples(declaration: Declaration, validator: ValueValidator, findings: Findings) -> None:
    """Report examples of arguments that the parameters refuse."""
    document = declaration.document
    for i, example in enumerate(declaration.examples):
        try:
            reason = validator.reason(example)
        except TooManyStepsError:
            findings.add("values-too-many", document.span("examples", i), keyword=RawText("examples"))
            return
        if reason:
            findings.add("example-invalid", document.span("examples", i), reason=RawText(reason))


DEFAULT_PROVIDERS = ("openai_responses", "openai_chat", "anthropic", "gemini")
"""The providers of a project that names none, as far as this release has them."""


def resolve_catalog(parsed: ParsedProject, requested_providers: Sequence[str], findings: Findings) -> Catalog | None:
    """Resolve everything. Return None if there are errors.

    `requested_providers` are those of the command line. If there are any, they override the configuration.
    """
    sources, config = parsed.sources, parsed.config
    providers = sorted({profile_name_of_file(document) for document in sources.providers})
    chosen = requested_providers or config.providers or [name for name in DEFAULT_PROVIDERS if name in providers]
    _check_providers(chosen, providers, sources.name, None if requested_providers else sources.config, findings)
    resolved = resolve_profiles(sources.providers, chosen, findings)
    check_configured_defaults(parsed, resolved, providers, findings)
    if not requested_providers and not findings.has_errors:
        _check_unused_profiles(sources.providers, resolved, findings)
    profiles = tuple(_with_config(profile, config) for profile in resolved)
    format = merge_neutral_format_documents(sources.formats, findings)
    tools, types = resolve_tools(parsed, findings)
    check_wire_names(tools, profiles, findings)
    _check_frameworks(config, {profile.name for profile in profiles}, sources.config, findings)
    _check_provider_keys(tools, sources.config, providers, findings)
    if findings.has_errors:
        return None
    return Catalog(config, tools, types, profiles, format)


def _check_providers(
    chosen: Sequence[str], providers: Sequence[str], project: str, config: Document | None, findings: Findings
) -> None:
    """Report chosen providers that do not exist: in the configuration that lists them, or without one at the project."""
    for i, name in enumerate(chosen):
        if name not in providers:
            span = Span(project) if config is None else config.span("providers", i)
            hint = did_you_mean_or_known(name, providers, "providers")
            findings.add("provider-unknown", span, hint=hint, name=name)


def _check_unused_profiles(documents: Iterable[Document], resolved: Iterable[Profile], findings: Findings) -> None:
    """Warn about profiles of the project that no provider of the package uses."""
    used = {document.source for profile in resolved for document in profile.documents}
    for document in documents:
        if not document.is_shipped and document.source not in used:
            findings.add("profile-unused", document.span(), name=profile_name_of_file(document))


def _check_frameworks(config: Config, chosen: Collection[str], document: Document | None, findings: Findings) -> None:
    """Report an MCP server without the converters that it needs."""
    if document is None or "mcp" not in config.frameworks:
        return
    span = document.span("frameworks", document.value["frameworks"].index("mcp"))
    if "mcp" not in chosen:
        findings.add("framework-needs", span, framework="mcp", what=RawText("provider"), needed="mcp")
    elif "converters" not in config.parts:
        findings.add("framework-needs", span, framework="mcp", what=RawText("part"), needed="converters")


def _check_provider_keys(
    tools: Iterable[Tool], config: Document | None, providers: Collection[str], findings: Findings
) -> None:
    """Warn about providers in the sources that neither this release nor the project has."""
    named: list[tuple[str, Callable[[], Span]]] = []
    for tool in tools:
        named += [(name, partial(tool.document.key_span, "providers", name)) for name in tool.providers]
        named += [(name, partial(tool.document.span, "unsupported", i)) for i, name in enumerate(tool.unsupported)]
    by_tools = {name for name, _ in named}
    if config is not None and isinstance(config.value, dict):
        keys = ("budgets", "limits")
        named += [(name, partial(config.key_span, key, name)) for key in keys for name in config.value.get(key, {})]
    for name, span in named:
        if name in providers:
            continue
        near = closest_names(name, providers)
        if near:
            findings.add("provider-misspelled", span(), name=name, near=near[0])
        elif name in by_tools:  # a configuration may be shared with projects that have more providers
            findings.add("provider-name-unknown", span(), name=name)


_OF_STRICT = {"strict_depth": "depth", "strict_properties": "properties"}
"""Limits of the configuration that decide on strict mode, and their names in a dialect."""


def _with_config(profile: Profile, config: Config) -> Profile:
    """Return the profile with the project's own default values and limits."""
    facts = dict(profile.facts)
    if config.defaults.get(profile.name):
        facts["defaults"] = collect_effective_defaults(facts, config.defaults[profile.name])
    own = {
        name: None if most is None else {"most": most, "evidence": "toolgen.yaml"}
        for name, most in config.limits.get(profile.name, {}).items()
    }
    facts["limits"] = apply_merge_patch(facts.get("limits", {}), own)
    strict = {limit: config.limits[profile.name][name] for name, limit in _OF_STRICT.items() if name in own}
    if strict and facts.get("dialects", {}).get("strict"):
        facts["dialects"] = apply_merge_patch(facts["dialects"], {"strict": {"limits": strict}})
    configured = frozenset(section for section, value in facts.items() if value != profile.facts.get(section))
    return replace(profile, facts=facts, configured=configured)
