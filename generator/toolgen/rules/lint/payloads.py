"""Rules for payloads: what tools lose on their way to a provider, their cost, and the limits that they exceed.

Limits concern the number of tools and parameters, the length of descriptions, and the size of schemas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import RawText, escape_text, join_names
from toolgen.load.sources import compact_json
from toolgen.resolve import Catalog, Profile, Tool
from toolgen.resolve.profiles import facts_of_model
from toolgen.resolve.schema_locations import subschemas
from toolgen.rules.rule import PayloadLoss, Payloads, catalog_rule, payload_rule, payload_size
from toolgen.token_counts import Tokenizer


@dataclass(frozen=True, slots=True)
class _Limit:
    """The maximum that a provider accepts, its unit, and the evidence for it."""

    most: int
    unit: str
    evidence: str


def _limit(profile: Profile, name: str) -> _Limit | None:
    """Return a limit of a profile, or the project's own number for it; None if it has none."""
    limit = profile.facts.get("limits", {}).get(name)
    return None if limit is None else _Limit(limit["most"], limit.get("unit", "characters"), limit["evidence"])


def _length(text: str, unit: str) -> int:
    """Return the length of a text in `characters` (code points) or `bytes` (of UTF-8)."""
    return len(text.encode("utf-8")) if unit == "bytes" else len(text)


def _offered(catalog: Catalog) -> Iterator[tuple[Profile, list[Tool]]]:
    """Yield each chosen provider with the tools that it may receive."""
    for profile in catalog.profiles:
        yield profile, [tool for tool in catalog.tools if profile.name not in tool.unsupported]


@catalog_rule("too-many-tools")
def check_too_many_tools(catalog: Catalog, findings: Findings) -> None:
    """Report providers that may receive more tools than they accept, at the first one beyond the limit."""
    for profile, tools in _offered(catalog):
        limit = _limit(profile, "tools")
        if limit is not None and len(tools) > limit.most:
            findings.add(
                "too-many-tools",
                tools[limit.most].document.span("name"),
                count=len(tools),
                most=limit.most,
                provider=RawText(profile.name),
                evidence=RawText(limit.evidence),
            )


def _facts_of_models(catalog: Catalog) -> Iterator[tuple[Profile, str, Mapping[str, Any], list[Tool]]]:
    """Yield each provider with each model of the configuration that its profile has facts about, and the tools."""
    for profile, tools in _offered(catalog):
        for model in catalog.config.models:
            facts = facts_of_model(profile, model)
            if facts:
                yield profile, model, facts, tools


@catalog_rule("model-not-strict")
def check_model_not_strict(catalog: Catalog, findings: Findings) -> None:
    """Report tools that must be strict, for models that have no strict mode."""
    for profile, model, facts, tools in _facts_of_models(catalog):
        for tool in tools if facts.get("strict") is False else ():
            if tool.strict == "always":
                names: dict[str, Any] = {"tool": tool.name, "model": RawText(model), "provider": RawText(profile.name)}
                findings.add("model-not-strict", tool.document.key_span("strict"), **names)


_BYTES_OF_TOKEN = 4
"""About how many bytes of English text or JSON one token has."""
_PART_OF_CONTEXT = 4
"""Tools that take more than one part in so many of the context window are reported."""


@catalog_rule("model-context")
def check_model_context(catalog: Catalog, findings: Findings) -> None:
    """Report tools that take up too much of the context window of a model, at the first tool."""
    for profile, model, facts, tools in _facts_of_models(catalog):
        context = facts.get("limits", {}).get("context")
        size = sum(payload_size([tool.description, tool.parameters]) for tool in tools) // _BYTES_OF_TOKEN
        if context is not None and size > context // _PART_OF_CONTEXT:
            names: dict[str, Any] = {"model": RawText(model), "provider": RawText(profile.name)}
            findings.add("model-context", tools[0].document.span("name"), count=size, most=context, **names)


_MAX_CHOSEN_WELL = 30
"""The number of tools among which models choose well. OpenAI's guide to function calling advises fewer than 20 at a time; Anthropic's, on the
tool search tool, sees choices get worse beyond 30 to 50."""


@catalog_rule("many-tools")
def check_many_tools(catalog: Catalog, findings: Findings) -> None:
    """Report a project with more tools than a model chooses among reliably, at the first one beyond the limit."""
    if len(catalog.tools) > _MAX_CHOSEN_WELL:
        span = catalog.tools[_MAX_CHOSEN_WELL].document.span("name")
        findings.add("many-tools", span, count=len(catalog.tools), most=_MAX_CHOSEN_WELL)


_MAX_OPTIONAL = 8
"""The maximum number of parameters of a tool that requires none."""


@catalog_rule("all-parameters-optional")
def check_all_parameters_optional(catalog: Catalog, findings: Findings) -> None:
    """Report tools with many parameters of which none is required."""
    for tool in catalog.tools:
        schema = tool.parameters or {}
        count = len(schema.get("properties", ()))
        keywords = schema.keys() & {"required", "allOf", "anyOf", "oneOf", "dependentRequired", "if", "minProperties"}
        if count > _MAX_OPTIONAL and not any(schema[keyword] for keyword in keywords):
            span = tool.document.key_span("parameters", "properties")
            findings.add("all-parameters-optional", span, tool=tool.name, count=count)


@catalog_rule("description-too-long")
def check_description_too_long(catalog: Catalog, findings: Findings) -> None:
    """Report descriptions of tools that exceed a chosen provider's limit. The description for that provider counts."""
    for profile, tools in _offered(catalog):
        limit = _limit(profile, "description")
        if limit is None:
            continue
        for tool in tools:
            text, span = tool.description, tool.document.key_span("description")
            if "description" in tool.providers.get(profile.name, {}):
                text = tool.providers[profile.name]["description"]
                span = tool.document.key_span("providers", profile.name, "description")
            if isinstance(text, str) and _length(text, limit.unit) > limit.most:
                findings.add(
                    "description-too-long",
                    span,
                    hint=f"shorten it, or set another one for this provider: `providers: {{{profile.name}: "
                    "{description: …}}`",
                    tool=tool.name,
                    count=_length(text, limit.unit),
                    most=limit.most,
                    unit=RawText(limit.unit),
                    provider=RawText(profile.name),
                    evidence=RawText(limit.evidence),
                )


_UNITS = {"strict_depth": "levels", "strict_properties": "properties"}
"""The limits of a strict schema, and what they count."""


@catalog_rule("schema-too-large")
def check_strict_schema_too_large(catalog: Catalog, findings: Findings) -> None:
    """Report tools with `strict: always` whose parameters are too large for a chosen provider."""
    strict = {t.name: _measured(t.parameters) for t in catalog.tools if t.strict == "always" and t.parameters}
    for profile, tools in _offered(catalog):
        for name, unit in _UNITS.items():
            limit = _limit(profile, name)
            if limit is None:
                continue
            for tool in tools:
                count = strict.get(tool.name, {}).get(name, 0)
                if count > limit.most:
                    findings.add(
                        "schema-too-large",
                        tool.document.key_span("parameters"),
                        tool=tool.name,
                        count=count,
                        what=RawText(unit),
                        provider=RawText(profile.name),
                        most=limit.most,
                        evidence=RawText(limit.evidence),
                    )


def _measured(parameters: Mapping[str, Any]) -> Mapping[str, int]:
    """Return the depth of the schemas, as the lowering counts it, and the number of properties."""
    deepest = properties = 0
    stack: list[tuple[Any, int]] = [(parameters, 0)]
    while stack:
        schema, depth = stack.pop()
        if isinstance(schema, Mapping):
            deepest = max(deepest, depth)
            properties += len(schema.get("properties", ()))
            for pointer, inner in subschemas(schema):
                if pointer[0] == "$defs":
                    stack.append((inner, 1))
                else:
                    stack.append((inner, depth if pointer[0] == "allOf" else depth + 1))  # parts of allOf become one
    return {"strict_depth": deepest, "strict_properties": properties}


@payload_rule("portability")
def check_portability(payloads: Payloads, findings: Findings) -> None:
    """Report the losses of each tool, once for all providers with the same ones."""
    tools: dict[str, Tool] = {}
    providers_by_summary: dict[str, dict[str, list[str]]] = {}
    for payload in payloads.single:
        name = payload.tool.name
        tools[name] = payload.tool
        if payload.losses:
            by_summary = providers_by_summary.setdefault(name, {})
            by_summary.setdefault(_summary(payload.losses), []).append(payload.provider)
    for name, by_summary in providers_by_summary.items():
        tool = tools[name]
        for summary, providers in by_summary.items():
            findings.add(
                "portability",
                tool.document.span("name"),
                hint=f"`toolgen show {tool.name}` explains each change; to exclude a provider, use `unsupported`",
                tool=tool.name,
                providers=RawText(join_names(providers)),
                changes=RawText(escape_text(summary, 600)),
            )


def _summary(losses: Iterable[PayloadLoss]) -> str:
    """Return a summary of what is dropped, rewritten and so on, with the number of locations if it is above one."""
    counts: dict[str, dict[str, int]] = {}
    for loss in losses:
        subjects = counts.setdefault(loss.action, {})
        subjects[loss.what] = subjects.get(loss.what, 0) + 1
    return "; ".join(
        f"{action} {', '.join(subject if n == 1 else f'{subject} ({n} places)' for subject, n in sorted(subjects.items()))}"
        for action, subjects in sorted(counts.items())
    )


@payload_rule("budget-exceeded")
def check_budget_exceeded(payloads: Payloads, findings: Findings) -> None:
    """Report payloads of providers and entries of tools that exceed the budget in bytes or tokens."""
    for unit in _units(payloads.tokenizer):
        for provider, value in payloads.sets.items():
            most = payloads.budgets.get(provider, {}).get(unit.key)
            if most is not None and unit.count(value) > most:
                findings.add(
                    "budget-exceeded",
                    payloads.config_location("budgets", provider, unit.key),
                    what=RawText("the tools take up"),
                    count=unit.count(value),
                    unit=RawText(unit.name),
                    provider=RawText(provider),
                    most=most,
                )
        for payload in payloads.single:
            most = payloads.budgets.get(payload.provider, {}).get(f"tool_{unit.key}")
            if most is not None and unit.count(payload.value) > most:
                findings.add(
                    "budget-exceeded",
                    payload.tool.document.span("name"),
                    what=RawText(f"the tool {payload.tool.name} takes up"),
                    count=unit.count(payload.value),
                    unit=RawText(unit.name),
                    provider=RawText(payload.provider),
                    most=most,
                )


@dataclass(frozen=True, slots=True)
class _Unit:
    """A unit of budgets: its key, its name in messages, and the function that counts it in a payload."""

    key: str
    name: str
    count: Callable[[Any], int]


def _units(tokenizer: Tokenizer | str) -> Iterator[_Unit]:
    """Yield the units that can be counted."""
    yield _Unit("bytes", "bytes", payload_size)
    if isinstance(tokenizer, Tokenizer):
        count = tokenizer.count
        yield _Unit("tokens", f"tokens ({tokenizer.name})", lambda value: count(compact_json(value)))


@payload_rule("tokens-not-counted")
def check_tokens_not_counted(payloads: Payloads, findings: Findings) -> None:
    """Report budgets in tokens that cannot be checked."""
    if not isinstance(payloads.tokenizer, str):
        return
    for provider, budget in payloads.budgets.items():
        for unit in budget:
            if "tokens" in unit and provider in payloads.sets:
                span = payloads.config_location("budgets", provider, unit)
                findings.add("tokens-not-counted", span, reason=RawText(payloads.tokenizer))
