"""Findings about the list of a running server, which nobody has as a file: they name the tool and the place in it."""

from __future__ import annotations

from dataclasses import replace

from toolgen.diagnostics import Finding, Findings
from toolgen.diagnostics.finding import escape_unprintable, quote_name
from toolgen.importing.selection import PointerFinder
from toolgen.load import Document
from toolgen.load.sources import pointer_text


def name_tools(document: Document, findings: Findings) -> None:
    """Add to each finding about a served tool the name of the tool, unless it has it, and the JSON Pointer in it."""
    finder = PointerFinder(document)
    findings.items[:] = [_named(finding, document, finder) for finding in findings.items]


def _named(finding: Finding, document: Document, finder: PointerFinder) -> Finding:
    pointer = finder.find(finding.span)
    if pointer is None or pointer[:1] != ("tools",) or len(pointer) < 2:
        return finding
    tool = document.value["tools"][pointer[1]]
    name = tool.get("name") if isinstance(tool, dict) else None
    is_named = isinstance(name, str) and quote_name(name) not in finding.message
    parts = [f"tool {quote_name(name)}"] if is_named else []
    parts += [escape_unprintable(pointer_text(pointer[2:]))] if pointer[2:] else []
    return replace(finding, message=f"{finding.message} ({', '.join(parts)})") if parts else finding
