"""An enum that does not say the type of its values."""

from __future__ import annotations

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import Verbatim
from toolgen.resolve import Catalog
from toolgen.rules.nodes import json_types, nodes

CODE = "enum-without-type"

_STATING = ("$ref", "allOf", "anyOf", "oneOf")


def check(catalog: Catalog, findings: Findings) -> None:
    """Report enums without a type, and say which one it is."""
    for node in nodes(catalog):
        if "enum" in node.schema and not node.types and not any(word in node.schema for word in _STATING):
            named = json_types(node.schema["enum"])
            stated = named[0] if len(named) == 1 else f"[{', '.join(named)}]"
            findings.add(CODE, node.place(), hint=f"state `type: {stated}`", name=node.name, type=Verbatim(stated))
