"""An enum whose values are of several types."""

from __future__ import annotations

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import Verbatim
from toolgen.resolve import Catalog
from toolgen.rules.facts import listed
from toolgen.rules.nodes import json_types, nodes

CODE = "enum-of-mixed-types"


def check(catalog: Catalog, findings: Findings) -> None:
    """Report enums with values of several types; null beside one other type is none of them."""
    for node in nodes(catalog):
        types = [each for each in json_types(node.schema.get("enum", ())) if each != "null"]
        if len(types) > 1:
            findings.add(CODE, node.place("enum"), name=node.name, types=Verbatim(listed(types)))
