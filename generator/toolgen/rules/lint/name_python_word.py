"""A tool or a parameter that is called like a word of Python."""

from __future__ import annotations

import keyword

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import Verbatim
from toolgen.resolve import Catalog
from toolgen.rules.nodes import nodes

CODE = "name-python-word"


def check(catalog: Catalog, findings: Findings) -> None:
    """Report tools and properties whose name Python keeps for itself: they have another name in generated code."""
    for tool in catalog.tools:
        if keyword.iskeyword(tool.name):
            findings.add(CODE, tool.document.span("name"), kind=Verbatim("tool"), name=tool.name)
    for node in nodes(catalog):
        for name in node.schema.get("properties", {}):
            if keyword.iskeyword(name):
                findings.add(CODE, node.place("properties", name), kind=Verbatim("parameter"), name=name)
