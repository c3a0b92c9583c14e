"""Coercions of values that models send instead of what a schema requires, if their meaning is unambiguous.

Null for an optional property that cannot be null means that the value is absent. The text of a listed value that is
not a string means that value. JSON text instead of an object means that object. A list of pairs means a map. In a
union, this applies if the branch can be identified, by the JSON type of the value or by the text of a property that
differs in all branches. The result is a table of `conversion/encoding.py` that is used only to decode.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from ..conversion.encoding import Table
from .references import References
from .schemas import declared_types, json_type, required_names, split_off_nullability
from .tables import encode_as_unique_texts

__all__ = ["coercions"]

_SAYING = frozenset(["type", "properties", "required", "anyOf", "oneOf", "enum", "const", "items", "prefixItems"])
"""Keywords that are rules of their own, next to an `allOf` with one part."""
_MOST = 2000
"""Maximum number of schemas that are examined."""
_PROPERTIES = 20
"""Maximum number of properties that are tried to distinguish the branches of a union."""


def coercions(schema: Mapping[str, Any]) -> Table | None:
    """Return the coercion table for a tool's parameters. None if it is empty, or if the schema is too deep."""
    made = _Made(schema)
    try:
        root = made.root(schema)
    except RecursionError:
        return None
    if root is None:
        return None
    definitions = {name: node for name, node in made.definitions.items() if node is not None}
    return {**root, "defs": definitions} if definitions else root


class _Made:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self.references = References(root)
        self.definitions: dict[str, Any] = {}
        self.left = _MOST

    def node(self, schema: Any) -> Any:
        """Return the node of a schema other than the root."""
        self.left -= 1
        if type(schema) is not dict or self.left < 0:
            return None
        if "$ref" in schema:
            return self._reference(schema)
        parts = schema.get("allOf")
        if type(parts) is list and len(parts) == 1 and not schema.keys() & _SAYING:
            return self.node(parts[0])
        non_null, _ = split_off_nullability(schema)
        branches = self._branches(non_null)
        if "allOf" in non_null or branches is not None:
            return self._composed(non_null, branches)
        values = [non_null["const"]] if "const" in non_null else non_null.get("enum")
        if type(values) is list:
            return self._values(values)
        kinds = declared_types(non_null)
        if kinds == ("object",):
            return {**(self.object(non_null) or {}), "text": True, **_map_of(non_null)}
        if kinds == ("array",):
            inner = self.node(non_null.get("items")) if "prefixItems" not in non_null else None
            return None if inner is None else {"items": inner}
        return self.object(non_null) if non_null.get("properties") else None

    def root(self, schema: Mapping[str, Any]) -> Any:
        """Return the node of the root, which is an object."""
        found = self.object(schema) if schema.get("properties") else self.node(dict(schema))
        return self.definitions.get(found["ref"]) if found is not None and "ref" in found else found

    def _branches(self, schema: Mapping[str, Any]) -> list[Any] | None:
        """Return the branches of a schema's only union, without null."""
        found = [schema[keyword] for keyword in ("anyOf", "oneOf") if type(schema.get(keyword)) is list]
        if not found:
            return None
        return [branch for branch in found[0] if self._kinds(branch) != {"null"}] if len(found) == 1 else []

    def _composed(self, source: dict[str, Any], branches: list[Any] | None) -> Any:
        """Return the node of a composed schema: that of its own properties, otherwise that of identifiable branches."""
        if source.get("properties"):
            own = self.object(source)
            return {**(own or {}), "text": True} if declared_types(source) == ("object",) else own
        if not branches or "allOf" in source or "enum" in source or "const" in source:
            return None
        if len(branches) == 1:
            return self.node(branches[0])
        kinds = [self._kinds(branch) for branch in branches]
        if not all(kinds):
            return None
        entries: list[Any] = []
        for kind in ("object", "array"):
            found = [branch for branch, admitted in zip(branches, kinds, strict=True) if kind in admitted]
            alone = len(found) == 1
            shapes: list[Any] = [{"type": [kind]}] if alone else self._distinguished(found) if kind == "object" else []
            for branch, shape in zip(found, shapes, strict=False):  # no shapes if nothing distinguishes them
                inner = self.node(branch)
                if inner is not None:
                    entries.append([shape, shape, inner])
        return {"any": entries} if entries else None

    def _distinguished(self, branches: list[Any]) -> list[dict[str, Any]]:
        """Return a shape for each of several objects, by a property whose texts differ. Empty if there is none."""
        resolved = [self._resolved(branch) for branch in branches]
        properties: list[Any] = [one.get("properties") if type(one) is dict else None for one in resolved]
        for name in islice(properties[0], _PROPERTIES) if properties and type(properties[0]) is dict else ():
            listed = [_texts(found.get(name)) if type(found) is dict else [] for found in properties]
            every = [text for texts in listed for text in texts]
            if all(listed) and len(set(every)) == len(every):
                return [
                    {"type": ["object"], "required": [name], "properties": {name: {"enum": texts}}} for texts in listed
                ]
        return []

    def _resolved(self, schema: Any) -> Any:
        """Resolve references. None if there are too many in a row."""
        for _ in range(20):
            if type(schema) is not dict or "$ref" not in schema:
                return schema
            pointer = self.references.target_pointer(schema["$ref"])
            schema = None if pointer is None else self.references.value_at(pointer)
        return None

    def _kinds(self, branch: Any) -> set[str]:
        """Return the JSON types that a branch certainly admits. Empty if unknown."""
        self.left -= 1
        found = self._resolved(branch) if self.left > 0 else None
        if type(found) is not dict:
            return set()
        values = [found["const"]] if "const" in found else found.get("enum")
        return set(declared_types(found)) or ({json_type(value) for value in values} if type(values) is list else set())

    def object(self, schema: Mapping[str, Any]) -> Table | None:
        """Return the node of an object's properties."""
        properties = schema.get("properties")
        required = required_names(schema)
        entries: dict[str, Any] = {}
        for name, value in properties.items() if type(properties) is dict else ():
            entry: dict[str, Any] = {}
            if name not in required and self._cannot_be_null(value):
                entry["null"] = "absent"
            inner = self.node(value)
            if inner is not None:
                entry["as"] = inner
            if entry:
                entries[name] = entry
        more = None if schema.get("patternProperties") else self.node(schema.get("additionalProperties"))
        if more is not None:  # every declared property has an entry, because the others are read as additional ones
            declared = properties if type(properties) is dict else {}
            return {"object": {name: entries.get(name, {}) for name in declared}, "more": more}
        return {"object": entries} if entries else None

    def _reference(self, schema: dict[str, Any]) -> Any:
        pointer = self.references.target_pointer(schema["$ref"])
        if pointer is None or schema.keys() & {"anyOf", "oneOf", "allOf", "enum", "const"}:
            return None
        if not pointer:
            return {"ref": ""}
        name = "/".join(map(str, pointer))
        if name not in self.definitions:
            self.definitions[name] = None
            self.definitions[name] = self.node(self.references.value_at(pointer))
        found = self.definitions[name]
        return {"ref": name} if found is not None or self.references.is_circular(pointer) else None

    def _values(self, values: list[Any]) -> Any:
        if all(type(value) is str for value in values) or any(type(value) in (dict, list) for value in values):
            return None
        return {"values": values, "texts": encode_as_unique_texts(values)}

    def _cannot_be_null(self, schema: Any) -> bool:
        """Return whether a schema certainly does not admit null."""
        self.left -= 1
        if self.left < 0:
            return False
        schema = self._resolved(schema)
        if schema is False:
            return True
        if type(schema) is not dict:
            return False
        if kinds := declared_types(schema):
            return "null" not in kinds
        if type(schema.get("enum")) is list:
            return None not in schema["enum"]
        if "const" in schema:
            return json_type(schema["const"]) != "null"
        for keyword in ("anyOf", "oneOf"):
            if type(schema.get(keyword)) is list:
                return all(self._cannot_be_null(branch) for branch in schema[keyword])
        return type(schema.get("allOf")) is list and any(self._cannot_be_null(part) for part in schema["allOf"])


def _texts(schema: Any) -> list[str]:
    """Return the texts to which a property is limited. Empty if it is not limited to texts."""
    if type(schema) is not dict:
        return []
    values: Any = [schema["const"]] if "const" in schema else schema.get("enum")
    return values if type(values) is list and all(type(value) is str for value in values) else []


def _map_of(source: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a node that decodes a list of pairs to a map, for an object without declared properties."""
    return {} if source.get("properties") or source.get("additionalProperties") is False else {"map": True}
