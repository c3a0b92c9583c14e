"""References inside of a schema: what they lead to, and which lead in a circle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from .records import Way

__all__ = ["LISTS", "MAPS", "SINGLE", "References", "subschemas"]

MAPS = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
SINGLE = (
    "items",
    "additionalProperties",
    "additionalItems",
    "contains",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
)


def subschemas(schema: Mapping[str, Any]) -> Iterator[tuple[Way, Any]]:
    """The schemas directly inside of a schema, each with the way to it."""
    for keyword in MAPS:
        value = schema.get(keyword)
        if type(value) is dict:
            yield from (((keyword, name), inner) for name, inner in value.items())
    for keyword in (*LISTS, "items"):
        value = schema.get(keyword)
        if type(value) is list:
            yield from (((keyword, i), inner) for i, inner in enumerate(value))
    for keyword in SINGLE:
        value = schema.get(keyword)
        if type(value) is dict or type(value) is bool:
            yield (keyword,), value


class References:
    """The references of one schema. A target is known by the way to it, never by the object that stands there."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        """Take the schema that references are inside of."""
        self.root = root
        self._ways: dict[str, Way | None] = {}
        self._anchors: dict[str, Way] | None = None
        self._circular: set[Way] | None = None

    def way(self, reference: Any) -> Way | None:
        """The way to what a reference leads to; None where it leads nowhere, or out of the schema."""
        if type(reference) is not str:
            return None
        if reference not in self._ways:
            self._ways[reference] = self._found(reference)
        return self._ways[reference]

    def at(self, way: Way) -> Any:
        """The value at the end of a way."""
        value: Any = self.root
        for step in way:
            value = value[step]
        return value

    def is_circular(self, way: Way) -> bool:
        """Whether a way of references leads from a schema back to it."""
        if self._circular is None:
            self._circular = self._circles()
        return way in self._circular

    def _found(self, reference: str) -> Way | None:
        if reference[:1] != "#":
            identifier = self.root.get("$id")
            if type(identifier) is not str or not reference.startswith(identifier.split("#")[0]):
                return None
            reference = reference[len(identifier.split("#")[0]) :] or "#"
        pointer = unquote(reference[1:])
        if pointer and pointer[0] != "/":
            return self._anchor(pointer)
        way: list[str | int] = []
        value: Any = self.root
        for step in pointer.split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            if type(value) is list and key.isdecimal() and int(key) < len(value):
                value = value[int(key)]
                way.append(int(key))
            elif isinstance(value, Mapping) and key in value:
                value = value[key]
                way.append(key)
            else:
                return None
        return tuple(way) if type(value) is dict or type(value) is bool else None

    def _anchor(self, name: str) -> Way | None:
        if self._anchors is None:
            self._anchors = {}
            for way, schema in self.walked():
                for keyword in ("$anchor", "$dynamicAnchor"):
                    if type(schema.get(keyword)) is str:
                        self._anchors.setdefault(schema[keyword], way)
        return self._anchors.get(name)

    def walked(self) -> Iterator[tuple[Way, Mapping[str, Any]]]:
        """Every schema inside of the root, and the root, each with the way to it."""
        waiting: list[tuple[Way, Any]] = [((), self.root)]
        while waiting:
            way, schema = waiting.pop()
            if isinstance(schema, Mapping):
                yield way, schema
                waiting += [((*way, *step), inner) for step, inner in subschemas(schema)]

    def _circles(self) -> set[Way]:
        """The targets that lie on a circle: those that can be reached from themselves."""
        leads: dict[Way, set[Way]] = {}
        for way, schema in self.walked():
            target = self.way(schema.get("$ref"))
            if target is not None:
                leads.setdefault(way, set()).add(target)
        targets = {target for found in leads.values() for target in found}
        inside = {
            target: {t for way, found in leads.items() if way[: len(target)] == target for t in found}
            for target in targets
        }
        return {target for target in targets if target in _reached(target, inside)}


def _reached(start: Way, inside: Mapping[Way, set[Way]]) -> set[Way]:
    reached: set[Way] = set()
    waiting = [start]
    while waiting:
        for target in inside[waiting.pop()]:
            if target not in reached:
                reached.add(target)
                waiting.append(target)
    return reached
