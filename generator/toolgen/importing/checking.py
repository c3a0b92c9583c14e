"""Whether a build would take the declarations: its own rules, applied before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import Verbatim
from toolgen.load import Document, Sources
from toolgen.load.limits import FILES
from toolgen.parse import parse
from toolgen.resolve.linking import link, link_catalog
from toolgen.rules import RULES, apply_rules, settle


def check(documents: Sequence[Document], types: Sequence[Document], findings: Findings) -> None:
    """Report what a build would refuse in declarations and types that stand alone, as their source has them."""
    path = documents[0].path
    if len(documents) + len(types) > FILES:
        findings.add("too-many-sources", documents[0].span(), path=path, limit=FILES, what=Verbatim("tools"))
        return
    _link(Sources(path, tuple(documents), tuple(types), (), (), None, {}, {}), findings)


def _link(sources: Sources, findings: Findings) -> None:
    """Link declarations and types, whatever else the sources hold."""
    parsed = parse(replace(sources, providers=(), formats=(), config=None), findings)
    if parsed is not None:
        link(parsed, findings)


def check_project(documents: Sequence[Document], types: Sequence[Document], there: Sources, findings: Findings) -> None:
    """Report what a build of a project would refuse once declarations and types stand in it.

    Faults that the project has already are no matter of an import, and are passed over: a build tells them.
    """
    _check_links(documents, types, there, findings)
    if not findings.errors:
        _check_rules(documents, types, there, findings)


def _check_links(documents: Sequence[Document], types: Sequence[Document], there: Sources, findings: Findings) -> None:
    """Report faults that the project has not had: names that fall together, references that lead nowhere any more."""
    before, after = Findings(), Findings()
    _link(there, before)
    _link(_with(documents, types, there), after)
    known = {*before.items, *findings.items}
    findings.items += [f for f in after.items if f not in known]


def _with(documents: Sequence[Document], types: Sequence[Document], there: Sources) -> Sources:
    """The sources of the project with these in the place of the files that they come from."""
    new = {document.source for document in (*documents, *types)}
    return replace(
        there,
        tools=(*(d for d in there.tools if d.source not in new), *documents),
        types=(*(d for d in there.types if d.source not in new), *types),
    )


def _check_rules(documents: Sequence[Document], types: Sequence[Document], there: Sources, findings: Findings) -> None:
    """Report what the project holds to be an error, by the levels of its configuration."""
    passed_over = Findings()
    parsed = parse(_with(documents, types, replace(there, tools=())), passed_over)
    if parsed is None or "error" not in parsed.config.lint.values():
        return
    catalog = link_catalog(parsed, (), passed_over)
    if catalog is not None:
        levels = parsed.config.lint
        apply_rules(catalog, passed_over, levels)
        settle(passed_over, levels, (), RULES)
        paths = {document.path for document in documents}
        findings.items += [f for f in passed_over if f.level == "error" and f.span.path in paths]
