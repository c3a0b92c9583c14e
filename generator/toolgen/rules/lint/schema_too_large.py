"""Parameters of a strict tool that are deeper or larger than a provider takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import Verbatim
from toolgen.resolve import Catalog
from toolgen.resolve.places import IN_PLACE, subschemas
from toolgen.rules.facts import limit, offered

CODE = "schema-too-large"

_ROOT = "#"

_WORDS = {"strict_depth": "levels of objects", "strict_properties": "properties"}


def check(catalog: Catalog, findings: Findings) -> None:
    """Report tools that demand strictness, and whose parameters a chosen provider then refuses for their size."""
    strict = {t.name: _measured(t.parameters) for t in catalog.tools if t.strict == "always" and t.parameters}
    for profile, tools in offered(catalog):
        for name, words in _WORDS.items():
            known = limit(profile, name)
            for tool in tools if known is not None else ():
                count = strict.get(tool.name, {}).get(name, 0)
                if known is not None and count > known.most:
                    findings.add(
                        CODE,
                        tool.document.key_span("parameters"),
                        tool=tool.name,
                        count=count,
                        what=Verbatim(words),
                        provider=Verbatim(profile.name),
                        most=known.most,
                        evidence=Verbatim(known.evidence),
                    )


@dataclass(slots=True)
class _Part:
    """The parameters or one definition: its own depth and properties, and what it refers to at which depth."""

    depth: int = 0
    properties: int = 0
    references: dict[str, int] = field(default_factory=dict)


def _measured(parameters: Mapping[str, Any]) -> Mapping[str, int]:
    """How deep objects stand in one another, and how many properties there are; a circle is gone through once."""
    definitions = parameters.get("$defs", {})
    parts = {_ROOT: _part(parameters), **{f"#/$defs/{name}": _part(schema) for name, schema in definitions.items()}}
    depths: dict[str, int] = {}
    begun: set[str] = set()
    stack = [_ROOT]
    while stack:
        name = stack[-1]
        if name not in begun:
            begun.add(name)
            stack += [further for further in parts[name].references if further in parts and further not in begun]
            continue
        stack.pop()
        if name not in depths:
            inner = (around + depths.get(further, 0) for further, around in parts[name].references.items())
            depths[name] = max((parts[name].depth, *inner))
    return {"strict_depth": depths[_ROOT], "strict_properties": sum(part.properties for part in parts.values())}


def _part(schema: Any) -> _Part:
    part = _Part()
    stack: list[tuple[Any, int]] = [(schema, 0)]
    while stack:
        here, around = stack.pop()
        if not isinstance(here, Mapping):
            continue
        inside = around + ("properties" in here)
        part.depth = max(part.depth, inside)
        part.properties += len(here.get("properties", ()))
        if "$ref" in here:
            part.references[here["$ref"]] = max(around, part.references.get(here["$ref"], 0))
        for pointer, sub in subschemas(here):
            if pointer[0] != "$defs":
                stack.append((sub, around if pointer[0] in IN_PLACE else inside))
    return part
