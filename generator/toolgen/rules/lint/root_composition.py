"""Parameters that are composed at the outermost place."""

from __future__ import annotations

from collections.abc import Mapping

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import Verbatim
from toolgen.resolve import Catalog

CODE = "root-composition"

_WORDS = ("allOf", "anyOf", "oneOf", "not", "if", "enum", "const")


def check(catalog: Catalog, findings: Findings) -> None:
    """Report composition at the root of parameters, of their own or of the schema that they refer to."""
    for tool in catalog.tools:
        schema = tool.parameters or {}
        target = schema.get("$defs", {}).get(str(schema.get("$ref", "")).removeprefix("#/$defs/"), {})
        for word in _WORDS:
            if word in schema:
                place = tool.document.key_span("parameters", word)
                findings.add(CODE, place, keyword=Verbatim(word), tool=tool.name)
            elif isinstance(target, Mapping) and word in target:
                place = tool.document.key_span("parameters", "$ref")
                findings.add(CODE, place, keyword=Verbatim(word), tool=tool.name)
