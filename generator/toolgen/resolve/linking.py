"""The whole catalogue: tools, shared types, profiles and the format, each linked by its own module."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from toolgen.config import Config
from toolgen.diagnostics import Findings, Span
from toolgen.load import Sources
from toolgen.resolve.catalog import Catalog, Profile
from toolgen.resolve.format import link_format
from toolgen.resolve.profiles import link_profiles, nearest, stem
from toolgen.resolve.tools import link

DEFAULT_PROVIDERS = ("openai_responses", "openai_chat", "anthropic", "gemini")
"""The providers of a project that names none: those of them that this release has."""


def link_catalog(
    sources: Sources, config: Config, providers: Sequence[str] | None, findings: Findings
) -> Catalog | None:
    """Link everything; None where something does not hold together."""
    known = sorted({stem(document) for document in sources.providers})
    wanted = [p for p in DEFAULT_PROVIDERS if p in known] if providers is None else providers
    place = sources.config.span("providers") if sources.config is not None else Span(sources.name)
    for name in wanted:
        if name not in known:
            findings.add(
                "provider-unknown",
                place,
                hint=nearest(name, known) or f"known are {', '.join(known)}",
                name=name,
            )
    profiles = tuple(_with_defaults(p, config) for p in link_profiles(sources.providers, wanted, findings))
    format = link_format(sources.formats, findings)
    tools, types = link(sources, findings)
    if findings.errors:
        return None
    tools = tuple(t if "strict" in t.document.value else replace(t, strict=config.strict) for t in tools)
    return Catalog(config.edition, tools, types, profiles, format, sources.digests)


def _with_defaults(profile: Profile, config: Config) -> Profile:
    """The profile with the project's own values for what a request must have."""
    own = config.defaults.get(profile.name)
    if not own:
        return profile
    return replace(profile, facts={**profile.facts, "defaults": {**profile.facts.get("defaults", {}), **own}})
