"""Comparison of everything but the tools: facts of providers, settings, the format, and public names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgen.diagnostics import Span
from toolgen.load import Document
from toolgen.pipeline import Project
from toolgen.resolve import Format, Profile

__all__ = ["FoundChange", "changed_neutral_format", "changed_provider_facts", "find_removed_public_names"]

FoundChange = tuple[str, str, Span, Any, Any]
"""A change: its code, where it is, its location in the sources, and the old and new value, or None."""


def changed_provider_facts(old: Project, new: Project) -> Iterator[FoundChange]:
    """Yield changes of the limits, budgets, defaults and other facts of the providers that both sides have."""
    config = new.sources.config
    for key in ("limits", "budgets"):
        was, now = getattr(old.config, key), getattr(new.config, key)
        for provider, name, before, after in _differing(was, now):
            yield "limit-changed", f"{key} {provider} {name}", _place(config, new, key, provider, name), before, after
    if old.config.recursion_depth != new.config.recursion_depth:
        depths = old.config.recursion_depth, new.config.recursion_depth
        yield "limit-changed", "recursion_depth", _place(config, new, "recursion_depth"), *depths
    for provider, name, before, after in _differing(old.config.defaults, new.config.defaults):
        place = _place(config, new, "defaults", provider, name)
        yield "wire-default-changed", f"{provider} {name}", place, before, after
    known = {profile.name: profile for profile in old.catalog.profiles}
    for profile in new.catalog.profiles:
        if profile.name in known:
            yield from _profile(known[profile.name], profile, new)


_SETTINGS = ("limits", "defaults")
"""Facts that the configuration can state too. Their changes have codes of their own."""


def _profile(old: Profile, new: Profile, project: Project) -> Iterator[FoundChange]:
    own = next((document for document in reversed(new.documents) if not document.is_shipped), None)
    for fact in sorted(old.facts.keys() | new.facts.keys()):
        if fact not in _SETTINGS and old.facts.get(fact) != new.facts.get(fact):
            place = _place(own, project, fact)
            yield "profile-changed", f"{new.name} {fact}", place, old.facts.get(fact), new.facts.get(fact)


def _differing(
    old: Mapping[str, Mapping[str, Any]], new: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[str, str, Any, Any]]:
    for provider in sorted(old.keys() | new.keys()):
        was, now = old.get(provider, {}), new.get(provider, {})
        for name in sorted(was.keys() | now.keys()):
            if was.get(name, ...) != now.get(name, ...):
                yield provider, name, was.get(name), now.get(name)


def _place(document: Document | None, project: Project, *pointer: str) -> Span:
    """Return the location of a key, or of the nearest key around it that exists."""
    if document is None:
        return Span(project.sources.name)
    for end in range(len(pointer), 0, -1):
        if pointer[:end] in document.keys:
            return document.key_span(*pointer[:end])
    return document.span()


def changed_neutral_format(old: Format, new: Format, place: Span) -> Iterator[FoundChange]:
    """Yield the fields of the format that a project has added, removed or changed."""
    for name in sorted(old.types.keys() & new.types.keys()):
        was = {field.name: field.schema for field in old.types[name].fields}
        now = {field.name: field.schema for field in new.types[name].fields}
        for field in sorted(was.keys() | now.keys()):
            if field not in was:
                yield "format-field-added", f"{name}.{field}", place, None, now[field]
            elif field not in now:
                yield "format-field-removed", f"{name}.{field}", place, was[field], None
            elif was[field] != now[field]:
                yield "format-field-changed", f"{name}.{field}", place, was[field], now[field]


def find_removed_public_names(
    old: Mapping[str, tuple[str, ...]], new: Mapping[str, tuple[str, ...]], place: Span
) -> Iterator[FoundChange]:
    """Yield the public classes and types of tools that were removed from a module that still exists.

    A module disappears with its tool, and a member with its parameter; those changes are reported already.
    """
    for path in sorted(old.keys() & new.keys()):
        for name in old[path]:
            if name not in new[path]:
                yield "public-name-removed", f"{path} {name}", place, name, None
