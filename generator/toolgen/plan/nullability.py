"""Whether a schema admits null: it decides how an absent property is told from a null one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PREFIX = "#/$defs/"

MAX_CHAIN = 50
"""References followed for one answer; at the end of a longer chain null counts as admitted."""


def admits_null(schema: Any, definitions: Mapping[str, Any], root: Any = None) -> bool:
    """Whether null satisfies a schema of a self-contained document."""
    return _Judge(definitions, root, {}).admits(schema)


class _Judge:
    def __init__(self, definitions: Mapping[str, Any], root: Any, known: dict[str, bool]) -> None:
        self.definitions = definitions
        self.root = root
        self.known = known
        self.open: list[str] = []

    def admits(self, schema: Any) -> bool:
        if not isinstance(schema, Mapping):
            return schema is not False
        if "type" in schema:
            named = schema["type"]
            if "null" not in (named if isinstance(named, list) else [named]):
                return False
        if "const" in schema and schema["const"] is not None:
            return False
        if "enum" in schema and None not in schema["enum"]:
            return False
        if "$ref" in schema and not self._definition(schema["$ref"]):
            return False
        if not all(self.admits(sub) for sub in schema.get("allOf", ())):
            return False
        if "anyOf" in schema and not any(self.admits(sub) for sub in schema["anyOf"]):
            return False
        if "oneOf" in schema and sum(self.admits(sub) for sub in schema["oneOf"]) != 1:
            return False
        if "not" in schema and self.admits(schema["not"]):
            return False
        return "if" not in schema or self.admits(schema.get("then" if self.admits(schema["if"]) else "else", True))

    def _definition(self, ref: str) -> bool:
        if ref not in self.known:
            self.known[ref] = True
            if len(self.open) == MAX_CHAIN:
                return True
            self.open.append(ref)
            target = self.definitions[ref.removeprefix(PREFIX)] if ref.startswith(PREFIX) else self.root
            self.known[ref] = self.admits(target)
            self.open.pop()
        return self.known[ref]
