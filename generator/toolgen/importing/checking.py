"""Whether a build would take the declarations: its own rules, applied before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from toolgen.config import configuration
from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import Verbatim
from toolgen.load import Document, Sources, load
from toolgen.load.limits import FILES
from toolgen.parse.declarations import declarations
from toolgen.resolve.collisions import check_tool_names
from toolgen.resolve.linking import link_catalog
from toolgen.resolve.tools import link
from toolgen.resources import builtin
from toolgen.rules import RULES, apply_rules, settle


def check(documents: Sequence[Document], schemas: Path, findings: Findings) -> None:
    """Report what a build of SCHEMAS would refuse in the declarations once they are there.

    Faults that SCHEMAS has already are no matter of an import, and are passed over: a build tells them.
    """
    path = documents[0].path
    if len(documents) > FILES:
        findings.add("too-many-sources", documents[0].span(), path=path, limit=FILES, what=Verbatim("tools"))
        return
    alone = Sources(path, tuple(documents), (), (), (), None, {}, {})
    link(alone, findings)
    if schemas.is_dir():
        there = load(schemas, Findings(), builtin=builtin("schemas"))
        _check_names(documents, there, findings)
        if not findings.errors:
            _check_rules(documents, there, findings)


def _check_names(documents: Sequence[Document], there: Sources, findings: Findings) -> None:
    """Report names that a tool of SCHEMAS has already, in another file than the one that would be written."""
    ours = {document.source for document in documents}
    others = declarations((d for d in there.tools if d.source not in ours), Findings())
    imported = declarations(documents, Findings())
    before, after = Findings(), Findings()
    check_tool_names(others, before)
    check_tool_names((*others, *imported), after)
    known = {*before.items, *findings.items}
    findings.items += [f for f in after.items if f not in known]


def _check_rules(documents: Sequence[Document], there: Sources, findings: Findings) -> None:
    """Report what the project holds to be an error, by the levels of its configuration."""
    passed_over = Findings()
    config = configuration(there, passed_over)
    if "error" not in config.lint.values():
        return
    sources = replace(there, tools=tuple(documents), types=())
    catalog = link_catalog(sources, config, config.providers, passed_over)
    if catalog is not None:
        apply_rules(catalog, passed_over, config.lint)
        settle(passed_over, config.lint, (), RULES)
        findings.items += [f for f in passed_over if f.level == "error" and f.span.path == documents[0].path]
