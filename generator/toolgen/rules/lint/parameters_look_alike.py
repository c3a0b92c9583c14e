"""Properties of one object that differ in case, dashes and underscores alone."""

from __future__ import annotations

import re

from toolgen.diagnostics import Findings, Related
from toolgen.resolve import Catalog
from toolgen.rules.nodes import nodes

CODE = "parameters-look-alike"


def check(catalog: Catalog, findings: Findings) -> None:
    """Report properties whose name falls together with that of another one in the same object."""
    for node in nodes(catalog):
        first: dict[str, str] = {}
        for name in node.schema.get("properties", {}):
            plain = re.sub(r"[-_.\s]", "", name).casefold()
            other = first.setdefault(plain, name)
            if plain and other != name:
                there = (Related(node.place("properties", other), "the other one"),)
                findings.add(CODE, node.place("properties", name), related=there, parameter=name, other=other)
