"""Schemas of shared types, which are written once in a module although several tools have them under `$defs`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolgen.load.sources import compact_json
from toolgen.render.literals import PythonLiteral, python_string

DEFINITIONS = "$defs"


@dataclass(slots=True)
class SharedSchemas:
    """The schemas of shared types that tools have in one module.

    `declared` are the schemas of the module `schemas` of the package, which are referred to as `SCHEMAS[name]`. Others,
    such as those of a wire with other keywords, are collected in `schemas`, and referred to as `_TYPES[key]`. The first
    one of a type has the name of the type as its key; further ones, such as that of strict tools, have a number too.
    """

    declared: Mapping[str, Any]
    uses_declared: bool = False
    schemas: dict[str, Any] = field(default_factory=dict)
    _keys: dict[tuple[str, str], str] = field(default_factory=dict)

    def refer(self, value: Any, names: Collection[str]) -> Any:
        """Return a value with references in place of the definitions with these names, wherever it has some."""
        if isinstance(value, list):
            return [self.refer(item, names) for item in value]
        if not isinstance(value, Mapping):
            return value
        referring: dict[str, Any] = {}
        for key, item in value.items():
            if key == DEFINITIONS and isinstance(item, Mapping):
                referring[key] = {
                    name: self._reference(name, schema) if name in names else schema for name, schema in item.items()
                }
            else:
                referring[key] = self.refer(item, names)
        return referring

    def _reference(self, name: str, schema: Any) -> PythonLiteral:
        """Return the expression of the schema of a shared type, and collect the schema if it is not the declared one."""
        if compact_json(schema) == compact_json(self.declared[name]):
            self.uses_declared = True
            return PythonLiteral(f"SCHEMAS[{python_string(name)}]")
        identity = name, compact_json(schema)
        if identity not in self._keys:
            number = sum(type_name == name for type_name, _ in self._keys) + 1
            self._keys[identity] = name if number == 1 else f"{name} {number}"
            self.schemas[self._keys[identity]] = schema
        return PythonLiteral(f"_TYPES[{python_string(self._keys[identity])}]")
