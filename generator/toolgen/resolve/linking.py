"""The whole catalogue: tools, shared types, profiles and the format, each linked by its own module."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from toolgen.config import Config
from toolgen.diagnostics import Findings, Span
from toolgen.load import Document, Sources
from toolgen.parse.keys import nearest as closest
from toolgen.resolve.catalog import Catalog, Profile, Tool
from toolgen.resolve.collisions import check_wire_names
from toolgen.resolve.defaults import check_defaults, with_own
from toolgen.resolve.format import link_format
from toolgen.resolve.profiles import link_profiles, merged, nearest, stem
from toolgen.resolve.tools import link

DEFAULT_PROVIDERS = ("openai_responses", "openai_chat", "anthropic", "gemini")
"""The providers of a project that names none: those of them that this release has."""

PROVIDERS = frozenset(
    (
        *DEFAULT_PROVIDERS,
        *("vertex", "bedrock", "mcp", "openai_compatible", "azure", "groq", "deepseek", "openrouter", "xai", "vllm"),
        *("mistral", "cohere", "ollama", "copilot", "prompt"),
    )
)
"""Names that a declaration may speak of whatever a release has."""


def link_catalog(sources: Sources, config: Config, providers: Sequence[str], findings: Findings) -> Catalog | None:
    """Link everything; None where something does not hold together.

    `providers` are those of the command line, and go before the configuration's where there are any.
    """
    known = sorted({stem(document) for document in sources.providers})
    wanted = providers or config.providers or [p for p in DEFAULT_PROVIDERS if p in known]
    for i, name in enumerate(wanted):
        if name not in known:
            findings.add(
                "provider-unknown",
                Span(sources.name) if providers or not sources.config else sources.config.span("providers", i),
                hint=nearest(name, known) or f"known are {', '.join(known)}",
                name=name,
            )
    linked = link_profiles(sources.providers, wanted, findings)
    check_defaults(sources, config, linked, known, findings)
    profiles = tuple(_with_config(p, config) for p in linked)
    format = link_format(sources.formats, findings)
    tools, types = link(sources, findings)
    check_wire_names(tools, profiles, findings)
    _check_provider_keys(tools, sources.config, known, findings)
    if findings.errors:
        return None
    tools = tuple(t if "strict" in t.document.value else replace(t, strict=config.strict) for t in tools)
    return Catalog(config.edition, tools, types, profiles, format, sources.digests, config.recursion_depth)


def _check_provider_keys(
    tools: Iterable[Tool], config: Document | None, known: Collection[str], findings: Findings
) -> None:
    """Warn of providers that a source speaks of and this release does not have, where one is spelled alike."""
    said: list[tuple[str, Span]] = []
    for tool in tools:
        said += [(name, tool.document.key_span("providers", name)) for name in tool.providers]
        said += [(name, tool.document.span("unsupported", i)) for i, name in enumerate(tool.unsupported)]
    if config is not None and isinstance(config.value, dict):
        sections = ("budgets", "limits")
        said += [(name, config.key_span(key, name)) for key in sections for name in config.value.get(key, {})]
    for name, span in said:
        near = closest(name, known) if name not in (*known, *PROVIDERS) else None
        if near is not None:
            findings.add("provider-misspelled", span, name=name, near=near)


_OF_STRICT = {"strict_depth": "depth", "strict_properties": "properties"}
"""Limits of the configuration that strict mode is chosen by, and what a dialect calls them."""


def _with_config(profile: Profile, config: Config) -> Profile:
    """The profile with the project's own values for what a request must have, and its own limits."""
    facts = dict(profile.facts)
    if config.defaults.get(profile.name):
        facts["defaults"] = with_own(facts, config.defaults[profile.name])
    own = {
        name: None if most is None else {"most": most, "evidence": "toolgen.yaml"}
        for name, most in config.limits.get(profile.name, {}).items()
    }
    facts["limits"] = merged(facts.get("limits", {}), own)
    strict = {word: config.limits[profile.name][name] for name, word in _OF_STRICT.items() if name in own}
    if strict and facts.get("dialects", {}).get("strict"):
        facts["dialects"] = merged(facts["dialects"], {"strict": {"limits": strict}})
    return replace(profile, facts=facts)
