"""What a schema has looked at: the properties or items that `unevaluated…` passes over, as expressions of sets.

They hold for values that satisfy the schema; JSON Schema 2020-12, sections 11.2 and 11.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from toolgen.render.checks.expressions import FALSE, TRUE, Scope
from toolgen.render.literals import python_string

Of = Callable[[Any, str, Scope], Any]


def texts(names: Iterable[str]) -> str:
    """A set of names."""
    listed = ", ".join(python_string(name) for name in names)
    return f"{{{listed}}}" if listed else "set[str]()"


def evaluated_properties(schema: Any, value: str, scope: Scope, of: Of) -> str:
    """The names that a schema has looked at in an object; nothing where it looks at none."""
    return _joined(_properties(schema, value, scope, of))


def evaluated_items(schema: Any, value: str, scope: Scope, of: Of) -> str:
    """The positions that a schema has looked at in an array; nothing where it looks at none."""
    return _joined(_items(schema, value, scope, of))


def _joined(terms: Iterator[str]) -> str:
    return " | ".join(dict.fromkeys(terms))


def _properties(schema: Any, value: str, scope: Scope, of: Of) -> Iterator[str]:
    if not isinstance(schema, Mapping):
        return
    if "additionalProperties" in schema or "unevaluatedProperties" in schema:
        yield f"set({value})"
        return
    if schema.get("properties"):
        yield texts(schema["properties"])
    for pattern in schema.get("patternProperties", ()):
        key, _ = scope.variable("key")
        yield f"{{{key} for {key} in {value} if {scope.using('matches')}({python_string(pattern)}, {key})}}"
    for name, sub in schema.get("dependentSchemas", {}).items():
        inner = _part(sub, value, scope.inside("with", name), "properties")
        if inner:
            yield f"({inner} if {python_string(name)} in {value} else set())"
    yield from _in_place(schema, value, scope, of, "properties")


def _items(schema: Any, value: str, scope: Scope, of: Of) -> Iterator[str]:
    if not isinstance(schema, Mapping):
        return
    if "items" in schema or "unevaluatedItems" in schema:
        yield f"set(range(len({value})))"
        return
    if schema.get("prefixItems"):
        yield f"set(range({len(schema['prefixItems'])}))"
    if "contains" in schema:
        i, inner = scope.inside("contained").variable("i")
        fits = of(schema["contains"], f"{value}[{i}]", inner)
        yield f"{{{i} for {i} in range(len({value})) if {fits.text}}}"
    yield from _in_place(schema, value, scope, of, "items")


def _in_place(schema: Mapping[str, Any], value: str, scope: Scope, of: Of, kind: str) -> Iterator[str]:
    """What the schemas that judge the same value have looked at; of a choice those that the value satisfies."""
    if "$ref" in schema:
        yield f"{scope.functions.collector_name(schema['$ref'], scope, kind)}({value})"
    for i, sub in enumerate(schema.get("allOf", ()), 1):
        inner = _part(sub, value, scope.inside(f"part{i}"), kind)
        if inner:
            yield inner
    for keyword in ("anyOf", "oneOf"):
        for i, sub in enumerate(schema.get(keyword, ()), 1):
            yield from _if_fits(sub, sub, value, scope.inside(f"option{i}"), of, kind)
    if "if" in schema:
        yield from _if_fits(schema["if"], schema["if"], value, scope.inside("if"), of, kind)
        yield from _if_fits(schema["if"], schema.get("then"), value, scope.inside("then"), of, kind)
        inner = _part(schema.get("else"), value, scope.inside("else"), kind)
        given = of(schema["if"], value, scope.inside("if"))
        if inner and given != TRUE:
            yield f"(set() if {given.text} else {inner})"


def _if_fits(given: Any, sub: Any, value: str, scope: Scope, of: Of, kind: str) -> Iterator[str]:
    inner = _part(sub, value, scope, kind)
    fits = of(given, value, scope)
    if inner and fits != FALSE:
        yield inner if fits == TRUE else f"({inner} if {fits.text} else set())"


def _part(sub: Any, value: str, scope: Scope, kind: str) -> str:
    """What a schema inside has looked at, by a function of its own; nothing where it is sure to look at none."""
    if not isinstance(sub, Mapping) or not _looks(sub, kind):
        return ""
    return f"{scope.functions.collector_name(sub, scope, kind)}({value})"


_LOOKING = {
    "properties": {
        "properties",
        "patternProperties",
        "additionalProperties",
        "unevaluatedProperties",
        "dependentSchemas",
    },
    "items": {"items", "prefixItems", "contains", "unevaluatedItems"},
}
_IN_PLACE = {"$ref", "allOf", "anyOf", "oneOf", "if"}


def _looks(schema: Mapping[str, Any], kind: str) -> bool:
    return not schema.keys().isdisjoint(_LOOKING[kind] | _IN_PLACE)
