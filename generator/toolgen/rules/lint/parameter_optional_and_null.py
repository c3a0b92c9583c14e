"""A property that may be left out and may be null."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen.diagnostics import Findings
from toolgen.resolve import Catalog
from toolgen.rules.nodes import named_types, nodes

CODE = "parameter-optional-and-null"


def check(catalog: Catalog, findings: Findings) -> None:
    """Report properties that are neither required nor free of null, unless a default of null says both mean the same."""
    for node in nodes(catalog):
        for name, schema in node.schema.get("properties", {}).items():
            optional = name not in node.schema.get("required", ()) and isinstance(schema, Mapping)
            if optional and _nullable(schema) and schema.get("default", ...) is not None:
                findings.add(CODE, node.place("properties", name), parameter=name)


def _nullable(schema: Mapping[str, Any]) -> bool:
    """Whether a schema names null as one of several values."""
    named = named_types(schema)
    if len(named) > 1 and "null" in named:
        return "enum" not in schema or None in schema["enum"]
    if len(schema.get("enum", ())) > 1 and None in schema["enum"]:
        return not named
    branches = [branch for word in ("anyOf", "oneOf") for branch in schema.get(word, ()) if isinstance(branch, Mapping)]
    return len(branches) > 1 and any(
        named_types(branch) == ("null",) or branch.get("const", ...) is None for branch in branches
    )
