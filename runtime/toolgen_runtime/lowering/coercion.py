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
from .schemas import (
    declared_types,
    json_type,
    list_at,
    listed_values,
    object_at,
    required_names,
    simplified,
    split_off_nullability,
)
from .tables import encode_as_unique_texts

__all__ = ["coercions"]

_RULES = frozenset(["type", "properties", "required", "anyOf", "oneOf", "enum", "const", "items", "prefixItems"])
"""Keywords that are rules of their own, next to an `allOf` with one part."""
_MOST_SCHEMAS = 2000
"""Maximum number of schemas that are examined."""
_MOST_PROPERTIES = 20
"""Maximum number of properties that are tried to distinguish the branches of a union."""
_MOST_REFERENCES = 20
"""Maximum number of references in a row that are followed."""


def coercions(schema: Mapping[str, Any]) -> Table | None:
    """Return the coercion table for a tool's parameters. None if it is empty, or if the schema is too deep."""
    nodes = _CoercionNodes(simplified(schema))
    try:
        root = nodes.of_root()
    except RecursionError:
        return None
    if root is None:
        return None
    definitions = {name: node for name, node in nodes.definitions.items() if node is not None}
    return {**root, "defs": definitions} if definitions else root


class _CoercionNodes:
    """Makes the nodes of a coercion table. None stands for a schema whose values are not coerced.

    `definitions` has the nodes of the targets of references, by name; None while a target is examined.
    """

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.references = References(root)
        self.definitions: dict[str, Table | None] = {}
        self._schemas_left = _MOST_SCHEMAS

    def of_root(self) -> Table | None:
        """Return the node of the root, which is an object."""
        root = self.references.root
        if root.get("properties"):
            return self._of_properties(root)
        node = self.of(dict(root))
        return self.definitions.get(node["ref"]) if node is not None and "ref" in node else node

    def of(self, schema: Any) -> Table | None:
        """Return the node of a schema other than the root."""
        self._schemas_left -= 1
        if type(schema) is not dict or self._schemas_left < 0:
            return None
        if "$ref" in schema:
            return self._of_reference(schema)
        parts = list_at(schema, "allOf")
        if len(parts) == 1 and schema.keys().isdisjoint(_RULES):
            return self.of(parts[0])
        non_null, _ = split_off_nullability(schema)
        unions = [non_null[keyword] for keyword in ("anyOf", "oneOf") if type(non_null.get(keyword)) is list]
        if unions or "allOf" in non_null:
            return self._of_composed(non_null, unions)
        values = listed_values(non_null)
        if values is not None:
            return _of_values(values)
        kinds = declared_types(non_null)
        if kinds == ("object",):
            return self._of_object(non_null)
        if kinds == ("array",):
            items = None if "prefixItems" in non_null else self.of(non_null.get("items"))
            return None if items is None else {"items": items}
        return self._of_properties(non_null) if non_null.get("properties") else None

    def _of_composed(self, schema: dict[str, Any], unions: list[list[Any]]) -> Table | None:
        """Return the node of a composed schema: that of its own properties, otherwise that of identifiable branches."""
        branches = self._without_null(unions[0]) if len(unions) == 1 else []
        if schema.get("properties"):
            node = self._of_properties(schema)
            return {**(node or {}), "text": True} if declared_types(schema) == ("object",) else node
        if not branches or not schema.keys().isdisjoint(("allOf", "enum", "const")):
            return None
        if len(branches) == 1:
            return self.of(branches[0])
        kinds = [self._kinds(branch) for branch in branches]
        if not all(kinds):
            return None
        objects = [branch for branch, admitted in zip(branches, kinds, strict=True) if "object" in admitted]
        arrays = [branch for branch, admitted in zip(branches, kinds, strict=True) if "array" in admitted]
        shapes = [{"type": ["object"]}] if len(objects) == 1 else self._distinguishing_shapes(objects)
        entries = self._entries(objects, shapes)
        if len(arrays) == 1:
            entries += self._entries(arrays, [{"type": ["array"]}])
        return {"any": entries} if entries else None

    def _without_null(self, branches: list[Any]) -> list[Any]:
        return [branch for branch in branches if self._kinds(branch) != {"null"}]

    def _entries(self, branches: list[Any], shapes: list[dict[str, Any]]) -> list[Any]:
        """Return the entries of a union's node, for the branches that have a node. Empty without shapes."""
        entries = []
        for branch, shape in zip(branches, shapes, strict=False):
            node = self.of(branch)
            if node is not None:
                entries.append([shape, shape, node])
        return entries

    def _distinguishing_shapes(self, objects: list[Any]) -> list[dict[str, Any]]:
        """Return a shape for each of several objects, by a property whose texts differ. Empty if there is none."""
        resolved = [self._resolved(branch) for branch in objects]
        properties: list[Any] = [schema.get("properties") if type(schema) is dict else None for schema in resolved]
        if not properties or not all(type(declared) is dict for declared in properties):
            return []
        for name in islice(properties[0], _MOST_PROPERTIES):
            texts_of_each = [_texts(declared.get(name)) for declared in properties]
            all_texts = [text for texts in texts_of_each for text in texts]
            if all(texts_of_each) and len(set(all_texts)) == len(all_texts):
                return [
                    {"type": ["object"], "required": [name], "properties": {name: {"enum": texts}}}
                    for texts in texts_of_each
                ]
        return []

    def _resolved(self, schema: Any) -> Any:
        """Resolve references. None if there are too many in a row."""
        for _ in range(_MOST_REFERENCES):
            if type(schema) is not dict or "$ref" not in schema:
                return schema
            schema = self.references.target_of(schema["$ref"])
        return None

    def _kinds(self, branch: Any) -> set[str]:
        """Return the JSON types that a branch certainly admits. Empty if unknown."""
        self._schemas_left -= 1
        schema = self._resolved(branch) if self._schemas_left > 0 else None
        if type(schema) is not dict:
            return set()
        return set(declared_types(schema)) or {json_type(value) for value in listed_values(schema) or ()}

    def _of_object(self, schema: dict[str, Any]) -> Table:
        """Return the node of a schema with the type object. Without declared properties, a list of pairs may be a map."""
        node = {**(self._of_properties(schema) or {}), "text": True}
        if not schema.get("properties") and schema.get("additionalProperties") is not False:
            node["map"] = True
        return node

    def _of_properties(self, schema: Mapping[str, Any]) -> Table | None:
        """Return the node of an object's properties."""
        properties, required = object_at(schema, "properties"), required_names(schema)
        entries: dict[str, Any] = {}
        for name, value in properties.items():
            entry: dict[str, Any] = {}
            if name not in required and self._cannot_be_null(value):
                entry["null"] = "absent"
            node = self.of(value)
            if node is not None:
                entry["as"] = node
            if entry:
                entries[name] = entry
        further = None if schema.get("patternProperties") else self.of(schema.get("additionalProperties"))
        if further is not None:  # every declared property has an entry: the others are read as additional ones
            return {"object": {name: entries.get(name, {}) for name in properties}, "more": further}
        return {"object": entries} if entries else None

    def _of_reference(self, schema: dict[str, Any]) -> Table | None:
        """Return the node of a reference, whose target becomes a definition. None if its values need no change."""
        pointer = self.references.target_pointer(schema["$ref"])
        if pointer is None or not schema.keys().isdisjoint(("anyOf", "oneOf", "allOf", "enum", "const")):
            return None
        if not pointer:
            return {"ref": ""}
        name = "/".join(map(str, pointer))
        if name not in self.definitions:
            self.definitions[name] = None
            self.definitions[name] = self.of(self.references.value_at(pointer))
        has_node = self.definitions[name] is not None
        return {"ref": name} if has_node or self.references.is_circular(pointer) else None

    def _cannot_be_null(self, schema: Any) -> bool:
        """Return whether a schema certainly does not admit null. False after too many schemas."""
        self._schemas_left -= 1
        if self._schemas_left < 0:
            return False
        schema = self._resolved(schema)
        if type(schema) is not dict:
            return schema is False
        if kinds := declared_types(schema):
            return "null" not in kinds
        if type(schema.get("enum")) is list:
            return None not in schema["enum"]
        if "const" in schema:
            return schema["const"] is not None
        for keyword in ("anyOf", "oneOf"):
            if type(schema.get(keyword)) is list:
                return all(self._cannot_be_null(branch) for branch in schema[keyword])
        return any(self._cannot_be_null(part) for part in list_at(schema, "allOf"))


def _of_values(values: list[Any]) -> Table | None:
    """Return the node of listed values. Strings stay as they are, and objects and lists have no text."""
    if all(type(value) is str for value in values) or any(type(value) in (dict, list) for value in values):
        return None
    return {"values": values, "texts": encode_as_unique_texts(values)}


def _texts(schema: Any) -> list[str]:
    """Return the texts to which a property is limited. Empty if it is not limited to texts."""
    values = listed_values(schema) if type(schema) is dict else None
    return values if values is not None and all(type(value) is str for value in values) else []
