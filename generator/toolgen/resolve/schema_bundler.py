"""Self-contained schemas: one for each root of a tool, and the shared types by the names of their classes.

In such a schema, a reference leads to a definition in `$defs`, or to the root.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from toolgen.load import Pointer
from toolgen.parse.config import Formats
from toolgen.resolve.catalog import SharedType
from toolgen.resolve.dialect import (
    ANNOTATIONS,
    FLAGS,
    Dialect,
    convert_top_level_keywords,
    find_dialect,
    in_canonical_order,
)
from toolgen.resolve.identifiers import class_name, distinct_name
from toolgen.resolve.references import ReferenceGraph, reachable
from toolgen.resolve.schema_locations import PREFIX, SchemaLocation, find_target, is_schema, map_keyword, walk_schemas
from toolgen_runtime.json_values import same_json

_CONTAINERS = frozenset({"$defs", "definitions", "properties", "items"})
_DEFINITIONS = ("$defs", "definitions")
_IDENTITY = frozenset({"$anchor", "$dynamicAnchor", "$id", "$recursiveAnchor", "$schema"})
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_.-]+")


class BundledSchema(NamedTuple):
    """A self-contained schema, the names of the shared types in it, and the location of each definition by its key."""

    schema: Any
    shared: tuple[str, ...]
    origins: dict[str, SchemaLocation]


@dataclass(slots=True)
class SchemaBundler:
    """Makes self-contained schemas from documents with resolved references."""

    graph: ReferenceGraph
    names: dict[SchemaLocation, str]
    """The names of shared types, by location."""
    types: dict[str, SharedType] = field(default_factory=dict)
    origins: dict[str, SchemaLocation] = field(default_factory=dict)
    _dialects: dict[SchemaLocation, Dialect] = field(default_factory=dict)

    def make_shared_types(self, formats: Formats) -> dict[str, SharedType]:
        """Return all shared types. References inside them are `#/$defs/<name>`."""
        for location, name in self.names.items():
            schema = self._copied(location, lambda target: f"#/$defs/{self.names[target]}", top=False)
            refers = dict.fromkeys(self.names[t] for t in self.graph.targets_below(location))
            document = self.graph.registry.documents[location.document]
            self.types[name] = SharedType(name, schema, tuple(refers), document, location.pointer, formats)
            self.origins[name] = location
        return self.types

    def bundle(self, root: SchemaLocation) -> BundledSchema:
        """Return the self-contained schema of a tool's root."""
        own = self._own_definitions(root)
        shared = self._shared_types(root, own)
        keys = self._keys(root, own, set(shared))

        def address(target: SchemaLocation) -> str:
            if target == root:
                return "#"
            return f"#/$defs/{keys.get(target) or self.names[target]}"

        schema = self._copied(root, address, top=True)
        definitions: dict[str, Any] = {
            key: self._copied(location, address, top=False) for location, key in keys.items()
        }
        definitions |= {name: self.types[name].schema for name in shared}
        definitions = dict(sorted(definitions.items()))
        if definitions and isinstance(schema, dict):
            schema["$defs"] = definitions
        origins = {key: location for location, key in keys.items()}
        origins |= {name: self.origins[name] for name in shared}
        return BundledSchema(schema, tuple(shared), origins)

    def _own_definitions(self, root: SchemaLocation) -> list[SchemaLocation]:
        """Return the definitions in the root's document: those it declares, and targets of references.

        What only contains targets is a group of definitions, and no definition itself.
        """
        value = self.graph.registry.value(root)
        definitions: dict[SchemaLocation, None] = {}
        for container in _DEFINITIONS:
            schemas = value.get(container) if isinstance(value, dict) else None
            for name, sub in schemas.items() if isinstance(schemas, dict) else ():
                if is_schema(sub):
                    definitions[SchemaLocation(root.document, (*root.pointer, container, name))] = None
        queue = [root, *definitions]
        targets: dict[SchemaLocation, None] = {}
        for location in queue:
            for target in self.graph.targets_below(location):
                if target != root and target not in self.names and target not in targets:
                    targets[target] = None
                    if target not in definitions:
                        definitions[target] = None
                        queue.append(target)
        groups = {target.pointer[:end] for target in targets for end in range(len(target.pointer))}
        return [each for each in definitions if each in targets or each.pointer not in groups]

    def _shared_types(self, root: SchemaLocation, own: list[SchemaLocation]) -> list[str]:
        """Return the names of the shared types that a root or its own definitions refer to, directly or not."""
        locations = [root, *own]
        direct = {self.names[t] for p in locations for t in self.graph.targets_below(p) if t in self.names}
        return sorted(reachable(direct, lambda name: self.types[name].refers))

    def _keys(self, root: SchemaLocation, own: list[SchemaLocation], names: set[str]) -> dict[SchemaLocation, str]:
        """Return a key under `$defs` for each definition, which differs from all names."""
        used = set(names)
        keys: dict[SchemaLocation, str] = {}
        for location in own:
            last = str(location.pointer[-1]) if len(location.pointer) > len(root.pointer) else "root"
            wanted = last if _PLAIN_KEY.fullmatch(last) else class_name(last)
            keys[location] = distinct_name(wanted, used, f"{wanted}_{{}}".format)
            used.add(keys[location])
        return keys

    def _copied(self, location: SchemaLocation, address: Callable[[SchemaLocation], str], *, top: bool) -> Any:
        """Return a copy of a schema in 2020-12. `address` returns the new references, and `top` is as in `_Copier`."""
        root = self.graph.registry.root(location)
        if root not in self._dialects:
            self._dialects[root] = find_dialect(self.graph.registry.value(root))
        copier = _Copier(self.graph, address, self._dialects[root])
        return copier.copy(self.graph.registry.value(location), location, top=top)


@dataclass(frozen=True, slots=True)
class _Copier:
    """Copies schemas of one dialect to 2020-12. `address` returns the new reference to a location."""

    graph: ReferenceGraph
    address: Callable[[SchemaLocation], str]
    source: Dialect

    def copy(self, schema: Any, location: SchemaLocation, *, top: bool = False) -> Any:
        """Return a schema with new references and without the definitions that move to the root.

        At the `top`, identifiers stay too, and `$schema` if it names 2020-12.
        """
        if not isinstance(schema, Mapping):
            return schema
        out: dict[str, Any] = {}
        pointers = _origins(schema)
        for key, value in convert_top_level_keywords(schema, self.source).items():
            is_retained = top and (key != "$schema" or self.source == "2020-12")
            if key in _DEFINITIONS or (key in _IDENTITY and not is_retained):
                continue
            if key == "$ref" and location in self.graph.targets:
                out[key] = self.address(self.graph.targets[location])
            else:
                keyword = SchemaLocation(location.document, (*location.pointer, pointers.get(key, key)))
                out[key] = map_keyword(key, value, partial(self._inner, keyword))
        return in_canonical_order(out)

    def _inner(self, keyword: SchemaLocation, schema: Any, pointer: Pointer) -> Any:
        return self.copy(schema, SchemaLocation(keyword.document, keyword.pointer + pointer[1:]))


def _origins(schema: Mapping[str, Any]) -> dict[str, str]:
    """Map each keyword that draft-07 spells differently to the keyword in the source."""
    origins = {"dependentSchemas": "dependencies"} if "dependencies" in schema else {}
    if isinstance(schema.get("items"), list):
        origins |= {"prefixItems": "items", "items": "additionalItems"}
    origins |= {flag: bound for flag, bound in FLAGS if schema.get(flag) is True}
    return origins


def shared_class_name(source: str, index: int, pointer: Pointer) -> str:
    """Return the class name of a shared schema: its file's stem, then its pointer without the containers."""
    stem = posixpath.basename(source).rsplit(".", 1)[0]
    number = (str(index),) if index else ()
    return class_name(stem, *number, *(str(step) for step in pointer if step not in _CONTAINERS))


def follow_references(schema: Any, root: Any, pointer: Pointer) -> tuple[Any, Pointer]:
    """Resolve the references of a schema, also those that are its only part. Return the target and its path."""
    for _ in range(64):
        keys = schema.keys() - ANNOTATIONS if isinstance(schema, Mapping) else set[str]()
        keyword = next(iter(keys)) if len(keys) == 1 else ""
        if keyword in ("allOf", "anyOf", "oneOf") and len(schema[keyword]) == 1:
            schema = schema[keyword][0]
        elif "$ref" in keys:
            ref = schema["$ref"]
            pointer = ("$defs", ref.removeprefix(PREFIX)) if ref.startswith(PREFIX) else ()
            if keyword != "$ref":
                break
            schema = find_target(ref, root)
        else:
            break
    return schema, pointer


def has_same_targets(schema: Any, old: Any, new: Any) -> bool:
    """Return whether the references in a schema lead to identical definitions on both sides.

    `old` and `new` are roots that differ, so a reference to the root leads to another schema.
    """
    waiting, visited = [schema], set[str]()
    while waiting:
        for _, sub in walk_schemas(waiting.pop()):
            ref = sub.get("$ref", "") if isinstance(sub, dict) else ""
            if not ref or ref in visited:
                continue
            visited.add(ref)
            is_in_new = ref.removeprefix(PREFIX) in new.get("$defs", ())
            if not is_in_new or not same_json(find_target(ref, old), find_target(ref, new)):
                return False
            waiting.append(find_target(ref, old))
    return True
