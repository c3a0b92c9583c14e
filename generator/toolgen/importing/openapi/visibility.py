"""Which properties a request or an answer does not have: `readOnly` is for answers, `writeOnly` for requests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from toolgen.importing.openapi.dialect import Version
from toolgen.importing.openapi.resolving import Resolver
from toolgen.load import Pointer
from toolgen.resolve.keywords import walk

_MARKS = {"request": "readOnly", "answer": "writeOnly"}


@dataclass(slots=True)
class Visibility:
    """Looks the marks up in the schemas of a document, through references."""

    resolver: Resolver
    version: Version
    _reached: dict[Pointer, tuple[bool, frozenset[Pointer]]] = field(default_factory=dict)

    def hidden(self, at: Pointer, side: Literal["request", "answer"]) -> frozenset[str]:
        """The names of properties that a side does not have, by the schema at a place and those that compose it."""
        mark = _MARKS[side]
        found: set[str] = set()
        seen: set[Pointer] = set()
        waiting = [at]
        while waiting:
            here = waiting.pop()
            schema = self.resolver.value(here)
            if here in seen or not isinstance(schema, dict):
                continue
            seen.add(here)
            properties = schema.get("properties")
            for name in properties if isinstance(properties, dict) else ():
                if self._marked((*here, "properties", name), mark):
                    found.add(name)
            branches = schema.get("allOf")
            waiting += [(*here, "allOf", i) for i in range(len(branches) if isinstance(branches, list) else 0)]
            waiting += self._target(schema)
        return frozenset(found)

    def differs(self, at: Pointer) -> bool:
        """Whether a schema, or one that it refers to, has other properties in requests than in answers."""
        seen: set[Pointer] = set()
        waiting = [at]
        while waiting:
            here = waiting.pop()
            if here in seen:
                continue
            seen.add(here)
            if here not in self._reached:
                self._reached[here] = self._reach(here)
            marked, targets = self._reached[here]
            if marked:
                return True
            waiting += targets
        return False

    def _reach(self, at: Pointer) -> tuple[bool, frozenset[Pointer]]:
        """Whether a schema has a mark inside of it, and what it refers to."""
        targets: set[Pointer] = set()
        marked = False
        for _, schema in walk(self.resolver.value(at)):
            if isinstance(schema, dict):
                marked |= any(schema.get(mark) is True for mark in _MARKS.values())
                targets.update(self._target(schema))
        return marked, frozenset(targets)

    def _marked(self, at: Pointer, mark: str) -> bool:
        seen: set[Pointer] = set()
        while at not in seen:
            seen.add(at)
            schema = self.resolver.value(at)
            if not isinstance(schema, dict):
                return False
            target = self._target(schema)
            if schema.get(mark) is True and not (self.version == "3.0" and target):
                return True
            if not target:
                return False
            at = target[0]
        return False

    def _target(self, schema: dict[str, Any]) -> list[Pointer]:
        ref = schema.get("$ref")
        target = self.resolver.look(ref) if isinstance(ref, str) else None
        return [] if target is None else [target]
