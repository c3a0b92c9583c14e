"""How many tools and parameters are too many, how long a description is too long, and how large a schema too large."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import RawText
from toolgen.resolve import Catalog, Profile, Tool
from toolgen.resolve.schema_locations import subschemas
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


_CHOSEN_WELL = 30
"""Tools among which models choose well. OpenAI's guide to function calling advises fewer than 20 at a time; Anthropic's, on the
tool search tool, sees choices get worse beyond 30 to 50."""


@catalog_rule("many-tools")
def check_many_tools(catalog: Catalog, findings: Findings) -> None:
    """Report a project with more tools than a model chooses among reliably, at the first of them that is too many."""
    if len(catalog.tools) > _CHOSEN_WELL:
        place = catalog.tools[_CHOSEN_WELL].document.span("name")
        findings.add("many-tools", place, count=len(catalog.tools), most=_CHOSEN_WELL)


_FREE = 8
"""Parameters that a tool may have without one that is required."""


@catalog_rule("all-parameters-optional")
def check_all_parameters_optional(catalog: Catalog, findings: Findings) -> None:
    """Report tools with many parameters of which none is required."""
    for tool in catalog.tools:
        schema = tool.parameters or {}
        count = len(schema.get("properties", ()))
        said = schema.keys() & {"required", "allOf", "anyOf", "oneOf", "dependentRequired", "if", "minProperties"}
        if count > _FREE and not any(schema[word] for word in said):
            place = tool.document.key_span("parameters", "properties")
            findings.add("all-parameters-optional", place, tool=tool.name, count=count)


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
                    hint=f"shorten it, or set another one for this provider: `providers: {{{profile.name}: "
                    "{description: …}}`",
                    tool=tool.name,
                    count=_length(text, known.unit),
                    most=known.most,
                    unit=RawText(known.unit),
                    provider=RawText(profile.name),
                    evidence=RawText(known.evidence),
                )


_WORDS = {"strict_depth": "levels", "strict_properties": "properties"}


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


def _measured(parameters: Mapping[str, Any]) -> Mapping[str, int]:
    """How deep schemas stand in one another, as the lowering counts them, and how many properties there are."""
    deepest = properties = 0
    stack: list[tuple[Any, int]] = [(parameters, 0)]
    while stack:
        here, depth = stack.pop()
        if isinstance(here, Mapping):
            deepest = max(deepest, depth)
            properties += len(here.get("properties", ()))
            for pointer, inner in subschemas(here):
                within = 1 if pointer[0] == "$defs" else depth + (pointer[0] != "allOf")  # whose parts become one
                stack.append((inner, within))
    return {"strict_depth": deepest, "strict_properties": properties}
