"""An array that does not say what its items are."""

from __future__ import annotations

from toolgen.diagnostics import Findings
from toolgen.resolve import Catalog
from toolgen.rules.nodes import named_types, nodes

CODE = "array-without-items"


def check(catalog: Catalog, findings: Findings) -> None:
    """Report arrays whose items are not stated, or are stated to be anything."""
    for node in nodes(catalog):
        if not node.whole or "array" not in named_types(node.schema) or "prefixItems" in node.schema:
            continue
        items = node.schema.get("items", True)
        if items is True or items == {}:
            findings.add(CODE, node.place(), name=node.name)
