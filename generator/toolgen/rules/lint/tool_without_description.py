"""A tool that does not say what it is for."""

from __future__ import annotations

from toolgen.diagnostics import Findings
from toolgen.resolve import Catalog

CODE = "tool-without-description"
IN_BUILD = True


def check(catalog: Catalog, findings: Findings) -> None:
    """Report tools whose description is missing or blank."""
    for tool in catalog.tools:
        if not (tool.description or "").strip():
            findings.add(CODE, tool.document.span("name"), tool=tool.name)
