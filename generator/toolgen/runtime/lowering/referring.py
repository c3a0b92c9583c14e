"""References: those that stay, with the definitions that they lead to, and those that are resolved, in circles too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .combining import both, kinds_of
from .records import Table, Way
from .words import ANNOTATIONS, IDENTITY

if TYPE_CHECKING:
    from .engine import Node, Run, Trail

__all__ = ["Kept", "lower_definitions", "lower_reference"]


class Kept:
    """The definitions that stay, by name: each lowered, and how its values are spelled. The root has the empty name."""

    def __init__(self) -> None:
        """Begin with none."""
        self.schemas: dict[str, dict[str, Any]] = {}
        self.spellings: dict[str, Table | None] = {}
        self._names: dict[Way, str] = {}
        self._waiting: list[tuple[str, Way]] = []

    def name_of(self, target: Way) -> str:
        """The name of a definition, which waits to be lowered from now on."""
        if target in self._names:
            return self._names[target]
        if not target:
            self._names[target] = ""
            return ""
        wanted = name = re.sub("[/~%#]", "_", str(target[-1]))  # what means something in a pointer
        n = 1
        while name in self.schemas or not name:
            n += 1
            name = f"{wanted}_{n}"
        self._names[target] = name
        self.schemas[name] = {}
        self._waiting.append((name, target))
        return name

    def waiting(self) -> Iterator[tuple[str, Way]]:
        """The definitions that were named and not lowered yet, those among them that are named meanwhile too."""
        while self._waiting:
            yield self._waiting.pop(0)


def lower_definitions(run: Run) -> None:
    """Lower the definitions that were named, and those that they name."""
    for name, target in run.kept.waiting():
        run.kept.schemas[name], run.kept.spellings[name] = run.node(run.references.at(target), target)


def lower_reference(run: Run, schema: dict[str, Any], way: Way, trail: Trail) -> Node:
    """Lower a reference: it stays where the dialect has them, else what it leads to stands in its place."""
    target = run.references.way(schema["$ref"])
    rest = {key: value for key, value in schema.items() if key != "$ref" and key not in IDENTITY}
    if target is None:
        run.note(way, "$ref", "dropped", "it leads nowhere", stops=True)
        return run.node(run.made(rest, way), way, trail)
    found = run.references.at(target)
    if type(found) is not dict:
        return run.node(found, target, trail)
    circular = run.references.is_circular(target)
    if circular and run.dialect.recursion == "refuse":
        run.note(way, "$ref", "narrowed", "a schema inside of itself is not taken", stops=True, refused=True)
    if run.dialect.refs == "keep" and not (circular and run.dialect.recursion == "unroll"):
        if circular or rest.keys() <= ANNOTATIONS:
            return _kept(run, rest, target, way)
    elif circular and trail.count(target) >= run.depth:
        return _end(run, found, way)
    return run.node(run.made(both(rest, found, []), target), target, (*trail, target))


def _kept(run: Run, rest: dict[str, Any], target: Way, way: Way) -> Node:
    """A reference that stays one; words beside it stand around it where it must be alone."""
    for keyword in sorted(rest.keys() - ANNOTATIONS):
        run.note(
            way, keyword, "dropped", "it stands beside a reference that leads in a circle", checked="parse_arguments"
        )
    name = run.kept.name_of(target)
    out: dict[str, Any] = {"$ref": f"#/$defs/{name}" if name else "#"}
    words = run.words(rest, way, [])
    if words:
        out = {**out, **words} if run.dialect.siblings else {"anyOf": [out], **words}
    return out, {"ref": name}


def _end(run: Run, found: dict[str, Any], way: Way) -> Node:
    """Where recursion is unrolled no further: a free value of the type."""
    reason = f"recursion is unrolled {run.depth} deep, and the value is free below"
    run.note(way, "$ref", "described", reason, checked="parse_arguments")
    kinds = kinds_of(found) or (("object",) if "properties" in found else ())
    if run.dialect.complete:
        return run.untyped({}, way, ["Of the same form as the value around it."])
    out: dict[str, Any] = {"type": kinds[0]} if len(kinds) == 1 else {}
    if run.says(way):
        out["description"] = "Of the same form as the value around it."
    return run.node(run.made(out, way), way) if not kinds else (out, None)
