"""A union with a single branch."""

from __future__ import annotations

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import Verbatim
from toolgen.resolve import Catalog
from toolgen.rules.nodes import nodes

CODE = "union-of-one"


def check(catalog: Catalog, findings: Findings) -> None:
    """Report `anyOf` and `oneOf` with one branch."""
    for node in nodes(catalog):
        for word in ("anyOf", "oneOf"):
            if len(node.schema.get(word, ())) == 1:
                findings.add(CODE, node.place(word), keyword=Verbatim(word), name=node.name)
