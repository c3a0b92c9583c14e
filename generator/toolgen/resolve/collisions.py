"""Names that would fall together in calls or in generated code."""

from __future__ import annotations

from collections.abc import Iterable

from toolgen.diagnostics import Findings, Related, Span
from toolgen.diagnostics.finding import Verbatim
from toolgen.parse.declarations import Declaration
from toolgen.resolve.identifiers import fold


def check_tool_names(declared: Iterable[Declaration], findings: Findings) -> None:
    """Report tools of one name, names that fall together in Python, and aliases that more than one tool has."""
    tools = list(declared)
    by_fold: dict[str, Declaration] = {}
    owners: dict[str, Declaration] = {}
    for tool in tools:
        first = by_fold.setdefault(fold(tool.name), tool)
        owners.setdefault(tool.name, tool)
        if first is tool:
            continue
        span, there = tool.document.span("name"), _declared(first)
        where = Verbatim(first.document.path)
        if first.name == tool.name:
            findings.add("tool-duplicate", span, related=there, name=tool.name, first=where)
        else:
            findings.add(
                "tool-names-collide",
                span,
                related=there,
                name=tool.name,
                other=first.name,
                first=where,
            )
    for tool in tools:
        for i, alias in enumerate(tool.aliases):
            owner = owners.setdefault(alias, tool)
            if owner is not tool or alias == tool.name:
                findings.add(
                    "alias-collides",
                    tool.document.span("aliases", i),
                    related=_declared(owner),
                    alias=alias,
                    other=owner.name,
                    first=Verbatim(owner.document.path),
                )


def check_type_names(named: Iterable[tuple[str, Span]], findings: Findings) -> None:
    """Report shared schemas whose classes fall together."""
    seen: dict[str, Span] = {}
    for name, span in named:
        first = seen.setdefault(fold(name), span)
        if first is not span:
            related = (Related(first, "the first one"),)
            findings.add("type-names-collide", span, related=related, name=name, first=Verbatim(first.path))


def _declared(tool: Declaration) -> tuple[Related, ...]:
    return (Related(tool.document.span("name"), f"{tool.name} is declared here"),)
