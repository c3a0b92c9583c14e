"""What models send where a schema says otherwise, and what they mean by it, where that is beyond doubt.

Null for an optional property that cannot be null is no value; the text of a listed value that is not a string is that value;
JSON text where only an object may stand is that object; a list of pairs is the map. Inside of a union that holds where the
value itself tells its branch: by its JSON type, or by the text of a property that no two branches have alike. The result is
a table of `conversion/encoding.py`, which is only decoded by.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from ..conversion.encoding import Table
from .keywords import texts_of
from .references import References
from .schemas import declared_types, kind_of, required_names, without_null

__all__ = ["coercions"]

_SAYING = frozenset(["type", "properties", "required", "anyOf", "oneOf", "enum", "const", "items", "prefixItems"])
"""Keywords beside an `allOf` of one part that say more than it."""
_MOST = 2000
"""Schemas that are looked at."""
_PROPERTIES = 20
"""Properties that are tried, of which one may tell the branches of a union apart."""


def coercions(schema: Mapping[str, Any]) -> Table | None:
    """The table of a tool's parameters; None where there is nothing to be lenient about, or too much nesting to tell."""
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
        """The node of a schema that is not the root."""
        self.left -= 1
        if type(schema) is not dict or self.left < 0:
            return None
        if "$ref" in schema:
            return self._reference(schema)
        parts = schema.get("allOf")
        if type(parts) is list and len(parts) == 1 and not schema.keys() & _SAYING:
            return self.node(parts[0])
        said, _ = without_null(schema)
        branches = self._branches(said)
        if "allOf" in said or branches is not None:
            return self._composed(said, branches)
        values = [said["const"]] if "const" in said else said.get("enum")
        if type(values) is list:
            return self._values(values)
        kinds = declared_types(said)
        if kinds == ("object",):
            return {**(self.object(said) or {}), "text": True, **_map_of(said)}
        if kinds == ("array",):
            inner = self.node(said.get("items")) if "prefixItems" not in said else None
            return None if inner is None else {"items": inner}
        return self.object(said) if said.get("properties") else None

    def root(self, schema: Mapping[str, Any]) -> Any:
        """The node of the root, which is an object."""
        found = self.object(schema) if schema.get("properties") else self.node(dict(schema))
        return self.definitions.get(found["ref"]) if found is not None and "ref" in found else found

    def _branches(self, schema: Mapping[str, Any]) -> list[Any] | None:
        """The branches of a schema's only union that are not null."""
        found = [schema[keyword] for keyword in ("anyOf", "oneOf") if type(schema.get(keyword)) is list]
        if not found:
            return None
        return [branch for branch in found[0] if self._kinds(branch) != {"null"}] if len(found) == 1 else []

    def _composed(self, said: dict[str, Any], branches: list[Any] | None) -> Any:
        """The node of a schema that is composed: what it says by itself holds of every value; else a branch is told by it."""
        if said.get("properties"):
            own = self.object(said)
            return {**(own or {}), "text": True} if declared_types(said) == ("object",) else own
        if not branches or "allOf" in said or "enum" in said or "const" in said:
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
            shapes: list[Any] = [{"type": [kind]}] if alone else self._told_apart(found) if kind == "object" else []
            for branch, shape in zip(found, shapes, strict=False):  # no shapes where nothing tells them apart
                inner = self.node(branch)
                if inner is not None:
                    entries.append([shape, shape, inner])
        return {"any": entries} if entries else None

    def _told_apart(self, branches: list[Any]) -> list[dict[str, Any]]:
        """A shape for each of several objects, by the first property whose text no two of them have alike; none without one."""
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
        """What references lead to; None where that is too far."""
        for _ in range(20):
            if type(schema) is not dict or "$ref" not in schema:
                return schema
            way = self.references.way(schema["$ref"])
            schema = None if way is None else self.references.at(way)
        return None

    def _kinds(self, branch: Any) -> set[str]:
        """The JSON types that a branch surely stays within; none where it does not say."""
        self.left -= 1
        found = self._resolved(branch) if self.left > 0 else None
        if type(found) is not dict:
            return set()
        values = [found["const"]] if "const" in found else found.get("enum")
        return set(declared_types(found)) or ({kind_of(value) for value in values} if type(values) is list else set())

    def object(self, schema: Mapping[str, Any]) -> Table | None:
        """The node of an object's properties."""
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
        if more is not None:
            return {"object": entries, "more": more}
        return {"object": entries} if entries else None

    def _reference(self, schema: dict[str, Any]) -> Any:
        way = self.references.way(schema["$ref"])
        if way is None or schema.keys() & {"anyOf", "oneOf", "allOf", "enum", "const"}:
            return None
        if not way:
            return {"ref": ""}
        name = "/".join(map(str, way))
        if name not in self.definitions:
            self.definitions[name] = None
            self.definitions[name] = self.node(self.references.at(way))
        found = self.definitions[name]
        return {"ref": name} if found is not None or self.references.is_circular(way) else None

    def _values(self, values: list[Any]) -> Any:
        if all(type(value) is str for value in values) or any(type(value) in (dict, list) for value in values):
            return None
        return {"texts": values, "said": texts_of(values)}

    def _cannot_be_null(self, schema: Any) -> bool:
        """Whether a schema surely refuses null."""
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
            return kind_of(schema["const"]) != "null"
        for keyword in ("anyOf", "oneOf"):
            if type(schema.get(keyword)) is list:
                return all(self._cannot_be_null(branch) for branch in schema[keyword])
        return type(schema.get("allOf")) is list and any(self._cannot_be_null(part) for part in schema["allOf"])


def _texts(schema: Any) -> list[str]:
    """The texts that a property must be one of; none where it may be anything else."""
    if type(schema) is not dict:
        return []
    values: Any = [schema["const"]] if "const" in schema else schema.get("enum")
    return values if type(values) is list and all(type(value) is str for value in values) else []


def _map_of(said: dict[str, Any]) -> dict[str, Any]:
    """That a list of pairs stands for a map, where an object has no properties of its own."""
    return {} if said.get("properties") or said.get("additionalProperties") is False else {"map": True}
