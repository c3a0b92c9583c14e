"""A property whose name a provider does not take."""

from __future__ import annotations

import re

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import Verbatim
from toolgen.resolve import Catalog
from toolgen.rules.facts import listed
from toolgen.rules.nodes import nodes

CODE = "parameter-name-refused"


def check(catalog: Catalog, findings: Findings) -> None:
    """Report properties whose name is none that a chosen provider takes."""
    rules = [(p.name, p.facts["parameter_names"]["pattern"]) for p in catalog.profiles if "parameter_names" in p.facts]
    patterns = {provider: re.compile(pattern) for provider, pattern in rules}
    kept_from = {(tool.document.path, tool.document.index): tool.unsupported for tool in catalog.tools}
    for node in nodes(catalog) if patterns else ():
        spared = kept_from.get((node.document.path, node.document.index), ())
        for name in node.schema.get("properties", {}):
            refusing = [p for p, pattern in patterns.items() if p not in spared and not pattern.fullmatch(name)]
            if refusing:
                said = Verbatim(listed(refusing))
                findings.add(CODE, node.place("properties", name), parameter=name, providers=said)
