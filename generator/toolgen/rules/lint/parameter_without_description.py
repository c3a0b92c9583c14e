"""A parameter that does not say what it is for."""

from __future__ import annotations

from collections.abc import Mapping

from toolgen.diagnostics import Findings
from toolgen.resolve import Catalog

CODE = "parameter-without-description"
IN_BUILD = True


def check(catalog: Catalog, findings: Findings) -> None:
    """Report top-level parameters without a description, of their own or of the type that they refer to."""
    for tool in catalog.tools:
        schema = tool.parameters or {}
        definitions = schema.get("$defs", {})
        for name, parameter in schema.get("properties", {}).items():
            if not isinstance(parameter, Mapping):
                continue
            target = definitions.get(str(parameter.get("$ref", "")).removeprefix("#/$defs/"), {})
            if not parameter.get("description") and not (isinstance(target, Mapping) and target.get("description")):
                place = tool.document.key_span("parameters", "properties", name)
                findings.add(CODE, place, parameter=name, tool=tool.name)
