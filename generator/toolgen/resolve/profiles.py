"""Profiles: `extends` merged in, the project's overrides on top."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import Verbatim
from toolgen.load import Document
from toolgen.parse import keys
from toolgen.parse.meta import meta
from toolgen.parse.validation import conforms
from toolgen.resolve.catalog import Profile
from toolgen.resolve.identifiers import DEVICES
from toolgen.resources import provider_templates


def stem(document: Document) -> str:
    """The name of the provider that a document speaks of."""
    return document.source.rsplit("/", 1)[-1].split(".", 1)[0]


def merged(base: Any, patch: Any) -> Any:
    """A JSON merge patch applied (RFC 7396): null takes a key away, objects merge, all else replaces."""
    if not isinstance(patch, Mapping):
        return patch
    result = dict(base) if isinstance(base, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def link_profiles(
    documents: Iterable[Document], wanted: Iterable[str] | None, findings: Findings
) -> tuple[Profile, ...]:
    """Return the profiles that are wanted (all where None), each with what it extends merged in, by name.

    Documents of one stem follow one another as patches: the shipped profile, then the project's.
    """
    layers: dict[str, list[Document]] = {}
    for document in documents:
        layers.setdefault(stem(document), []).append(document)
    for name, found in layers.items():
        if not re.fullmatch("[a-z][a-z0-9_]{0,63}", name) or keyword.iskeyword(name) or name in DEVICES:
            findings.add("profile-name", found[0].span(), name=name)
            return ()
    linked = {name: _link(name, layers, (), findings) for name in sorted(layers)}
    names = sorted(linked) if wanted is None else [name for name in dict.fromkeys(wanted) if name in linked]
    profiles = tuple(profile for name in names if (profile := linked[name]) is not None)
    for profile in profiles:
        conforms(replace(profile.documents[-1], value=profile.facts), meta("provider"), findings)
    if findings.errors:
        return profiles
    return tuple(profile for profile in profiles if _speaks(profile, findings) and _compiles(profile, findings))


def _speaks(profile: Profile, findings: Findings) -> bool:
    """Report a dialect that is chosen and not stated; whether there is none."""
    dialects = profile.facts["dialects"]
    chosen = dialects.get("uses", "open")
    if chosen in dialects:
        return True
    document = _stating(profile, ("dialects", "uses"))
    findings.add("profile-dialect", document.span("dialects", "uses"), name=chosen)
    return False


def _stating(profile: Profile, place: tuple[str, ...]) -> Document:
    """The document that has the last word on a fact."""
    return next((d for d in reversed(profile.documents) if place in d.values), profile.documents[-1])


def _compiles(profile: Profile, findings: Findings) -> bool:
    """Report regular expressions that do not compile; whether there is none."""
    before = len(findings)
    places: list[tuple[str, ...]] = [("ids", "pattern"), ("names", "pattern"), ("parameter_names", "pattern")]
    places += [
        ("dialects", mode, key) for mode in profile.facts.get("dialects", {}) for key in ("patterns", "properties")
    ]
    for place in places:
        value: Any = profile.facts
        for key in place:
            value = value.get(key) if isinstance(value, Mapping) else None
        if not isinstance(value, str):
            continue
        try:
            re.compile(value)
        except (re.error, RecursionError, OverflowError) as error:
            span = _stating(profile, place).span(*place)
            findings.add("profile-pattern", span, pattern=value, reason=Verbatim(str(error)))
    return len(findings) == before


def nearest(name: str, known: Iterable[str]) -> str | None:
    """A hint that names the known word nearest to one that is not."""
    close = keys.nearest(name, known)
    return f"did you mean '{close}'?" if close else None


def _link(
    name: str, layers: Mapping[str, list[Document]], below: tuple[str, ...], findings: Findings
) -> Profile | None:
    facts: Any = {}
    documents: list[Document] = []
    template = name if name in provider_templates() else None
    for document in layers[name]:
        parent = document.value.get("extends")
        if isinstance(parent, str) and parent != name:
            place = document.span("extends")
            if parent in below or parent not in layers:
                code = "profile-cycle" if parent in below else "profile-unknown"
                findings.add(code, place, hint=nearest(parent, layers), name=parent)
                return None
            base = _link(parent, layers, (*below, name), findings)
            if base is None:
                return None
            facts = merged(base.facts, facts)
            documents = [*base.documents, *documents]
            template = template or base.template
        facts = merged(facts, {k: v for k, v in document.value.items() if k != "extends"})
        documents.append(document)
    if template is None:
        findings.add("profile-template", layers[name][-1].span(), name=name)
        return None
    return Profile(name, template, facts, tuple(documents))
