"""A project's own values for what a wire demands: those that the profile knows, each of the type of the profile's own."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from toolgen.config import Config
from toolgen.diagnostics import Findings
from toolgen.load import Sources
from toolgen.parse.validation import conforms, json_type
from toolgen.resolve.catalog import Profile
from toolgen.resolve.profiles import link_profiles, nearest


def check_defaults(
    sources: Sources, config: Config, linked: Iterable[Profile], known: Collection[str], findings: Findings
) -> None:
    """Report values for providers and names that there are not, and those that the wire could not take.

    Providers that this run does not want are held to their profiles too; what is wrong with such a profile itself is
    told where it is wanted.
    """
    if sources.config is None or not config.defaults:
        return
    for name in config.defaults:
        if name not in known:
            hint = nearest(name, known) or f"known are {', '.join(known)}"
            findings.add("provider-unknown", sources.config.key_span("defaults", name), hint=hint, name=name)
    profiles = {profile.name: profile for profile in link_profiles(sources.providers, config.defaults, Findings())}
    profiles |= {profile.name: profile for profile in linked}
    forms = {name: _form(_stated(profile.facts)) for name, profile in profiles.items()}
    conforms(sources.config, {"properties": {"defaults": {"properties": forms}}}, findings)


def with_own(facts: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a profile with those of the project before them; an integer stays one, however it is written."""
    stated = _stated(facts)
    whole = {name: int(value) for name, value in own.items() if type(value) is float and type(stated.get(name)) is int}
    return {**stated, **own, **whole}


def _stated(facts: Mapping[str, Any]) -> Mapping[str, Any]:
    """The values of a profile; none where it states something else, which has its finding."""
    stated = facts.get("defaults")
    return stated if isinstance(stated, Mapping) else {}


def _form(defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of the values that may stand in the place of these."""
    return {"properties": {name: _like(value) for name, value in defaults.items()}, "additionalProperties": False}


def _like(value: object) -> dict[str, Any]:
    """The schema of a value: of the same type, a number of at least one, and some text where there is some."""
    least = {"integer": {"minimum": 1}, "string": {"minLength": 1} if value else {}}
    kind = json_type(value)
    return {"type": kind, **least.get(kind, {})}
