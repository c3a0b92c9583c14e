"""More tools than a provider takes in a request."""

from __future__ import annotations

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import Verbatim
from toolgen.resolve import Catalog
from toolgen.rules.facts import limit, offered

CODE = "too-many-tools"


def check(catalog: Catalog, findings: Findings) -> None:
    """Report providers that may get more tools than they take, at the first tool that is too many."""
    for profile, tools in offered(catalog):
        known = limit(profile, "tools")
        if known is not None and len(tools) > known.most:
            findings.add(
                CODE,
                tools[known.most].document.span("name"),
                count=len(tools),
                most=known.most,
                provider=Verbatim(profile.name),
                evidence=Verbatim(known.evidence),
            )
