"""A tool whose name begins with a digit."""

from __future__ import annotations

from toolgen.diagnostics import Findings
from toolgen.resolve import Catalog

CODE = "name-leading-digit"


def check(catalog: Catalog, findings: Findings) -> None:
    """Report tools whose name begins with a digit."""
    for tool in catalog.tools:
        if tool.name[0].isdigit():
            findings.add(CODE, tool.document.span("name"), tool=tool.name)
