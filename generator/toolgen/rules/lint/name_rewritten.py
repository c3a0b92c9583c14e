"""A name that a provider does not take, so that the tool has another one on its wire."""

from __future__ import annotations

import re

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import Verbatim
from toolgen.resolve import Catalog
from toolgen.rules.facts import listed

CODE = "name-rewritten"


def check(catalog: Catalog, findings: Findings) -> None:
    """Report tools whose name a chosen provider refuses, where the declaration gives no other for it."""
    legal = {p.name: re.compile(str(p.facts["names"]["pattern"]), re.DOTALL) for p in catalog.profiles}
    for tool in catalog.tools:
        refusing = [
            provider
            for provider, pattern in legal.items()
            if provider not in tool.unsupported
            and "name" not in tool.providers.get(provider, {})
            and not pattern.fullmatch(tool.name)
        ]
        if refusing:
            findings.add(CODE, tool.document.span("name"), tool=tool.name, providers=Verbatim(listed(refusing)))
