"""An object that may hold anything."""

from __future__ import annotations

from toolgen.diagnostics import Findings
from toolgen.resolve import Catalog
from toolgen.rules.nodes import named_types, nodes

CODE = "object-without-properties"

_SAYING = ("patternProperties", "propertyNames", "unevaluatedProperties", "const", "enum")


def check(catalog: Catalog, findings: Findings) -> None:
    """Report objects inside of parameters that state neither properties nor what their values are."""
    for node in nodes(catalog):
        schema = node.schema
        if not node.whole or node.pointer == ("parameters",) or "object" not in named_types(schema):
            continue
        values = schema.get("additionalProperties", True)
        if not schema.get("properties") and (values is True or values == {}) and not any(k in schema for k in _SAYING):
            findings.add(CODE, node.place(), name=node.name)
