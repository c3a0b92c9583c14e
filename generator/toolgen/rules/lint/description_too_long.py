"""A description beyond what a provider takes."""

from __future__ import annotations

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import Verbatim
from toolgen.resolve import Catalog
from toolgen.rules.facts import length, limit, offered

CODE = "description-too-long"


def check(catalog: Catalog, findings: Findings) -> None:
    """Report descriptions of tools that are longer than a chosen provider's limit; its own description counts there."""
    for profile, tools in offered(catalog):
        known = limit(profile, "description")
        for tool in tools if known is not None else ():
            patched = "description" in tool.providers.get(profile.name, {})
            text = tool.providers[profile.name]["description"] if patched else tool.description
            if known is not None and isinstance(text, str) and length(text, known.unit) > known.most:
                place = ("providers", profile.name, "description") if patched else ("description",)
                findings.add(
                    CODE,
                    tool.document.key_span(*place),
                    hint=f"shorten it, or give this provider another: `providers: {{{profile.name}: {{description: …}}}}`",
                    tool=tool.name,
                    count=length(text, known.unit),
                    most=known.most,
                    unit=Verbatim(known.unit),
                    provider=Verbatim(profile.name),
                    evidence=Verbatim(known.evidence),
                )
