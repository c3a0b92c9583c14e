"""Legal names for tools, each unlike every other by the comparison that a build judges names by."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from toolgen.diagnostics import Findings, Related
from toolgen.diagnostics.finding import Verbatim
from toolgen.importing.tool import ImportedTool
from toolgen.load import Document
from toolgen.resolve.identifiers import ascii_words, fold

_LEGAL = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_LONGEST = 64
_LOOKED_AT = 1_000
"""Characters of an illegal name that a legal one is made of."""


def named(
    tools: Iterable[ImportedTool], document: Document, findings: Findings, known: Mapping[str, str] | None = None
) -> list[tuple[str, ImportedTool]]:
    """Return each tool with a legal name, in the order of the file; report each name that is another one.

    A tool that a former import named keeps the name that is `known`, and nothing is said of it. Legal names go first
    and then each group goes by the alphabet, so that a server that lists its tools in another order next time gives
    the same names. One name twice is an error: calls could not tell the two apart.
    """
    known = known or {}
    names: dict[str, str] = {}
    owners: dict[str, ImportedTool] = {}
    first: dict[str, ImportedTool] = {}
    for tool in tools:
        if first.setdefault(tool.name, tool) is not tool:
            here = document.span(*first[tool.name].place("name"))
            findings.add(
                "import-duplicate",
                document.span(*tool.place("name")),
                related=(Related(here, "the first one"),),
                name=tool.name,
            )
    for tool in first.values():
        if tool.name in known:
            names[tool.name] = known[tool.name]
            owners[fold(known[tool.name])] = tool
    new = (tool for tool in first.values() if tool.name not in known)
    for tool in sorted(new, key=lambda t: (not _legal(t.name), t.name)):
        wanted = legal_name(tool.name)
        name = _distinct(wanted, owners)
        names[tool.name] = name
        if name != tool.name:
            _report(tool, name, owners.get(fold(wanted)), document, findings)
        owners[fold(name)] = tool
    return [(names[tool.name], tool) for tool in first.values()]


def legal_name(name: str) -> str:
    """The name itself, or its letters, digits and underscores in ASCII, 64 at most; `tool` where nothing is left."""
    if _legal(name):
        return name
    if re.fullmatch(r"[a-zA-Z0-9_-]+", name):
        return name[:_LONGEST]
    return "_".join(ascii_words(name[:_LOOKED_AT]))[:_LONGEST].strip("_") or "tool"


def _legal(name: str) -> bool:
    return _LEGAL.fullmatch(name) is not None


def _distinct(name: str, owners: dict[str, ImportedTool]) -> str:
    found, n = name, 1
    while fold(found) in owners:
        n += 1
        end = f"_{n}"
        found = name[: _LONGEST - len(end)] + end
    return found


def _report(tool: ImportedTool, name: str, other: ImportedTool | None, document: Document, findings: Findings) -> None:
    code = "import-renamed" if other is None else "import-collision"
    wires = f"kept for {' and '.join(tool.sources)}" if tool.sources else "kept in tools/import.lock"
    kept = Verbatim(wires if tool.name else "not kept, for it is empty")
    holes: dict[str, object] = {"name": tool.name, "legal": name, "kept": kept}
    if other is not None:
        holes["other"] = other.name
    findings.add(code, document.span(*tool.place("name")), hint=None, related=(), **holes)
