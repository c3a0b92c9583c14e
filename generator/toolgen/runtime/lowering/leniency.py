"""What models send where a schema says otherwise, and what they mean by it, where that is beyond doubt.

Null for an optional property that cannot be null is no value; the text of a listed value that is no text is that value;
JSON text where only an object may stand is that object; a list of pairs is the map. Inside of unions nothing is
beyond doubt. The result is a table of `spelling.py`, of which only the way back is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .combining import kinds_of
from .nullable import without_null
from .records import Table
from .references import References
from .scalars import texts_of
from .words import kind_of

__all__ = ["leniency"]

_MOST = 2000
"""Schemas that are looked at."""


def leniency(schema: Mapping[str, Any]) -> Table | None:
    """The table of a tool's parameters; None where there is nothing to be lenient about, or too much nesting to tell."""
    made = _Made(schema)
    try:
        root = made.object({**schema, "type": "object"})
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
        if "allOf" in schema or "oneOf" in schema:
            return None
        said, _ = without_null(schema)
        branches = said.get("anyOf")
        if type(branches) is list:
            return self.node(branches[0]) if len(branches) == 1 else None
        values = [said["const"]] if "const" in said else said.get("enum")
        if type(values) is list:
            return self._values(values)
        kinds = kinds_of(said)
        if kinds == ("object",):
            return {**(self.object(said) or {}), "text": True, **_map_of(said)}
        if kinds == ("array",):
            inner = self.node(said.get("items")) if "prefixItems" not in said else None
            return None if inner is None else {"items": inner}
        return None

    def object(self, schema: Mapping[str, Any]) -> Table | None:
        """The node of an object's properties."""
        properties = schema.get("properties")
        required = schema.get("required", ())
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
        more = self.node(schema.get("additionalProperties"))
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
        seen = 0
        while type(schema) is dict and "$ref" in schema and seen < 20:
            way = self.references.way(schema["$ref"])
            schema = None if way is None else self.references.at(way)
            seen += 1
        if schema is False:
            return True
        if type(schema) is not dict:
            return False
        if kinds := kinds_of(schema):
            return "null" not in kinds
        if type(schema.get("enum")) is list:
            return None not in schema["enum"]
        if "const" in schema:
            return kind_of(schema["const"]) != "null"
        for keyword in ("anyOf", "oneOf"):
            if type(schema.get(keyword)) is list:
                return all(self._cannot_be_null(branch) for branch in schema[keyword])
        return type(schema.get("allOf")) is list and any(self._cannot_be_null(part) for part in schema["allOf"])


def _map_of(said: dict[str, Any]) -> dict[str, Any]:
    """That a list of pairs stands for a map, where an object has no properties of its own."""
    return {} if said.get("properties") or said.get("additionalProperties") is False else {"map": True}
