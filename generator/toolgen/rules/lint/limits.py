"""Limits of providers: how many tools, how long descriptions and how large schemas they take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import RawText
from toolgen.resolve import Catalog, Profile, Tool
from toolgen.resolve.schema_locations import IN_PLACE, subschemas
from toolgen.rules.rule import catalog_rule


@dataclass(frozen=True, slots=True)
class _Limit:
    """How much a provider takes at most, in what it is counted, and how that is known."""

    most: int
    unit: str
    evidence: str


def _limit(profile: Profile, name: str) -> _Limit | None:
    """A limit of a profile, the project's own number where it states one; None where none is known."""
    said = profile.facts.get("limits", {}).get(name)
    return None if said is None else _Limit(said["most"], said.get("unit", "characters"), said["evidence"])


def _length(text: str, unit: str) -> int:
    """The length of a text in `characters` (code points) or `bytes` (of UTF-8)."""
    return len(text.encode("utf-8")) if unit == "bytes" else len(text)


def _offered(catalog: Catalog) -> Iterator[tuple[Profile, list[Tool]]]:
    """Each chosen provider, with the tools that it may get."""
    for profile in catalog.profiles:
        yield profile, [tool for tool in catalog.tools if profile.name not in tool.unsupported]


@catalog_rule("too-many-tools")
def check_too_many_tools(catalog: Catalog, findings: Findings) -> None:
    """Report providers that may get more tools than they take, at the first tool that is too many."""
    for profile, tools in _offered(catalog):
        known = _limit(profile, "tools")
        if known is not None and len(tools) > known.most:
            findings.add(
                "too-many-tools",
                tools[known.most].document.span("name"),
                count=len(tools),
                most=known.most,
                provider=RawText(profile.name),
                evidence=RawText(known.evidence),
            )


@catalog_rule("description-too-long")
def check_description_too_long(catalog: Catalog, findings: Findings) -> None:
    """Report descriptions of tools that are longer than a chosen provider's limit; its own description counts there."""
    for profile, tools in _offered(catalog):
        known = _limit(profile, "description")
        for tool in tools if known is not None else ():
            patched = "description" in tool.providers.get(profile.name, {})
            text = tool.providers[profile.name]["description"] if patched else tool.description
            if known is not None and isinstance(text, str) and _length(text, known.unit) > known.most:
                place = ("providers", profile.name, "description") if patched else ("description",)
                findings.add(
                    "description-too-long",
                    tool.document.key_span(*place),
                    hint=f"shorten it, or give this provider another: `providers: {{{profile.name}: {{description: …}}}}`",
                    tool=tool.name,
                    count=_length(text, known.unit),
                    most=known.most,
                    unit=RawText(known.unit),
                    provider=RawText(profile.name),
                    evidence=RawText(known.evidence),
                )


_ROOT = "#"

_WORDS = {"strict_depth": "levels of objects", "strict_properties": "properties"}


@catalog_rule("schema-too-large")
def check_schema_too_large(catalog: Catalog, findings: Findings) -> None:
    """Report tools that demand strictness, and whose parameters a chosen provider then refuses for their size."""
    strict = {t.name: _measured(t.parameters) for t in catalog.tools if t.strict == "always" and t.parameters}
    for profile, tools in _offered(catalog):
        for name, words in _WORDS.items():
            known = _limit(profile, name)
            for tool in tools if known is not None else ():
                count = strict.get(tool.name, {}).get(name, 0)
                if known is not None and count > known.most:
                    findings.add(
                        "schema-too-large",
                        tool.document.key_span("parameters"),
                        tool=tool.name,
                        count=count,
                        what=RawText(words),
                        provider=RawText(profile.name),
                        most=known.most,
                        evidence=RawText(known.evidence),
                    )


@dataclass(slots=True)
class _Part:
    """The parameters or one definition: its own depth and properties, and what it refers to at which depth."""

    depth: int = 0
    properties: int = 0
    references: dict[str, int] = field(default_factory=dict)


def _measured(parameters: Mapping[str, Any]) -> Mapping[str, int]:
    """How deep objects stand in one another, and how many properties there are; a circle is gone through once."""
    definitions = parameters.get("$defs", {})
    parts = {_ROOT: _part(parameters), **{f"#/$defs/{name}": _part(schema) for name, schema in definitions.items()}}
    depths: dict[str, int] = {}
    begun: set[str] = set()
    stack = [_ROOT]
    while stack:
        name = stack[-1]
        if name not in begun:
            begun.add(name)
            stack += [further for further in parts[name].references if further in parts and further not in begun]
            continue
        stack.pop()
        if name not in depths:
            inner = (around + depths.get(further, 0) for further, around in parts[name].references.items())
            depths[name] = max((parts[name].depth, *inner))
    return {"strict_depth": depths[_ROOT], "strict_properties": sum(part.properties for part in parts.values())}


def _part(schema: Any) -> _Part:
    part = _Part()
    stack: list[tuple[Any, int]] = [(schema, 0)]
    while stack:
        here, around = stack.pop()
        if not isinstance(here, Mapping):
            continue
        inside = around + ("properties" in here)
        part.depth = max(part.depth, inside)
        part.properties += len(here.get("properties", ()))
        if "$ref" in here:
            part.references[here["$ref"]] = max(around, part.references.get(here["$ref"], 0))
        for pointer, sub in subschemas(here):
            if pointer[0] != "$defs":
                stack.append((sub, around if pointer[0] in IN_PLACE else inside))
    return part
