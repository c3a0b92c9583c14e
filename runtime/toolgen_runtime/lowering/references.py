"""References in a schema: their targets, their cycles, and the definitions that are kept."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import unquote

from ..conversion.encoding import Encoding, Table
from ..json_text import dump_allowing_nan
from .schemas import (
    Pointer,
    list_at,
    object_at,
    property_names,
    required_names,
    subschemas,
    with_subschemas,
    without_keywords,
)

__all__ = [
    "References",
    "RequiredProperty",
    "RetainedDefinitions",
    "always_declared_names",
    "required_circles",
    "with_unmistakable_definitions",
]


_DEFINITIONS = ("$defs", "definitions")


class References:
    """The references of one schema. A target is identified by its path, not by the object at that path."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        """Set the schema that contains the references."""
        self.root = root
        self._targets: dict[str, Pointer | None] = {}
        self._anchors: dict[str, Pointer] | None = None
        self._circular: set[Pointer] | None = None

    def target_pointer(self, reference: Any) -> Pointer | None:
        """Return the path of a reference's target. None if it cannot be resolved or is outside the schema."""
        if type(reference) is not str:
            return None
        if reference not in self._targets:
            self._targets[reference] = self._resolved(reference)
        return self._targets[reference]

    def value_at(self, pointer: Pointer) -> Any:
        """Return the value at a path."""
        value: Any = self.root
        for step in pointer:
            value = value[step]
        return value

    def target_of(self, reference: Any) -> Any:
        """Return the target of a reference. None if it cannot be resolved or is outside the schema."""
        pointer = self.target_pointer(reference)
        return None if pointer is None else self.value_at(pointer)

    def is_circular(self, pointer: Pointer) -> bool:
        """Return whether references lead from a target back to it."""
        if self._circular is None:
            self._circular = self._circular_targets()
        return pointer in self._circular

    def without_unused_definitions(self, root: dict[str, Any]) -> dict[str, Any]:
        """Return the root, perhaps as lowered, without the definitions at it that no reference leads to.

        All of them stay if the target of a reference is not known.
        """
        definitions = [(key, name) for key in _DEFINITIONS for name in object_at(root, key)]
        used: set[Pointer] = set()
        waiting: list[Any] = [without_keywords(root, _DEFINITIONS)] if definitions else []
        while waiting:
            schema = waiting.pop()
            if type(schema) is not dict:
                continue
            target = self.target_pointer(schema.get("$ref", "#"))
            if target is None or not schema.keys().isdisjoint(("$dynamicRef", "$recursiveRef")):
                return root
            if target and target not in used:
                used.add(target)
                waiting.append(self.value_at(target))
            waiting += [inner for pointer, inner in subschemas(schema) if pointer[0] not in _DEFINITIONS]
        unused = set(definitions) - {target[:2] for target in used}
        if not unused:
            return root
        sent = {key: {n: s for n, s in object_at(root, key).items() if (key, n) not in unused} for key in _DEFINITIONS}
        return {key: sent.get(key, value) for key, value in root.items() if sent.get(key, True)}

    def walk_schemas(self) -> Iterator[tuple[Pointer, Mapping[str, Any]]]:
        """Yield the root and every schema in it, each with its path."""
        waiting: list[tuple[Pointer, Any]] = [((), self.root)]
        while waiting:
            pointer, schema = waiting.pop()
            if isinstance(schema, Mapping):
                yield pointer, schema
                waiting += [((*pointer, *step), inner) for step, inner in subschemas(schema)]

    def _resolved(self, reference: str) -> Pointer | None:
        """Return the path of a target. A reference may begin with the root's own `$id`."""
        if reference[:1] != "#":
            identifier = self.root.get("$id")
            if type(identifier) is not str or not reference.startswith(identifier.split("#")[0]):
                return None
            reference = reference[len(identifier.split("#")[0]) :] or "#"
        pointer = unquote(reference[1:])
        if pointer and pointer[0] != "/":
            return self._anchor_pointer(pointer)
        keys: list[str | int] = []
        value: Any = self.root
        for step in pointer.split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            if type(value) is list and key.isdecimal() and int(key) < len(value):
                value = value[int(key)]
                keys.append(int(key))
            elif isinstance(value, Mapping) and key in value:
                value = value[key]
                keys.append(key)
            else:
                return None
        return tuple(keys) if type(value) is dict or type(value) is bool else None

    def _anchor_pointer(self, name: str) -> Pointer | None:
        """Return the path of the schema with an anchor. None if there is none."""
        if self._anchors is None:
            self._anchors = {}
            for pointer, schema in self.walk_schemas():
                for keyword in ("$anchor", "$dynamicAnchor"):
                    if type(schema.get(keyword)) is str:
                        self._anchors.setdefault(schema[keyword], pointer)
        return self._anchors.get(name)

    def _circular_targets(self) -> set[Pointer]:
        """Return the targets that are part of a cycle, so that references lead back to them."""
        targets_at: dict[Pointer, Pointer] = {}
        for pointer, schema in self.walk_schemas():
            target = self.target_pointer(schema.get("$ref"))
            if target is not None:
                targets_at[pointer] = target
        targets_inside: dict[Pointer, set[Pointer]] = {target: set() for target in targets_at.values()}
        for pointer, target in targets_at.items():
            for end in range(len(pointer) + 1):
                if pointer[:end] in targets_inside:
                    targets_inside[pointer[:end]].add(target)
        graph = _without_ends(targets_inside)
        return {target for target in graph if target in _reachable(graph[target], graph)}


_Graph: TypeAlias = Mapping[Any, Iterable[Any]]
"""The targets that lie directly behind each target."""


def _without_ends(graph: Mapping[Pointer, set[Pointer]]) -> dict[Pointer, set[Pointer]]:
    """Remove targets that do not lead to a cycle."""
    sources: dict[Pointer, list[Pointer]] = {}
    for pointer, targets in graph.items():
        for target in targets:
            sources.setdefault(target, []).append(pointer)
    targets_left = {pointer: len(targets) for pointer, targets in graph.items()}
    ends = [pointer for pointer, count in targets_left.items() if not count]
    while ends:
        end = ends.pop()
        del targets_left[end]
        for pointer in sources.get(end, ()):
            targets_left[pointer] -= 1
            if not targets_left[pointer]:
                ends.append(pointer)
    return {pointer: graph[pointer] & targets_left.keys() for pointer in targets_left}


def _reachable(targets: Iterable[Any], graph: _Graph) -> set[Any]:
    """Return the targets, with all that they lead to."""
    reachable: set[Any] = set()
    waiting = [*targets]
    while waiting:
        target = waiting.pop()
        if target not in reachable:
            reachable.add(target)
            waiting += graph.get(target, ())
    return reachable


class RequiredProperty(NamedTuple):
    """A required property in a lowered schema: the path of the object that requires it, the object, and its name."""

    pointer: Pointer
    holder: dict[str, Any]
    name: str


_InnerReference: TypeAlias = tuple[RequiredProperty | None, str]
"""A reference, and the last required property around it. None if there is none in the same definition."""


def required_circles(schema: Mapping[str, Any]) -> list[RequiredProperty] | None:
    """Return required properties of a lowered schema that lead back to their own schema, so that no value can end.

    If they become optional, no circle is left. None if there is a circle without a property.
    """
    references = {"#": [*_required_references(schema, (), None)]}
    for name, definition in schema.get("$defs", {}).items():
        references[f"#/$defs/{name}"] = [*_required_references(definition, ("$defs", name), None)]
    graph = {name: [target for _, target in inner] for name, inner in references.items()}
    circles: list[RequiredProperty] = []
    for name, inner in references.items():
        for required, _ in inner:
            targets = [target for other, target in references[name] if other == required]
            if required is not None and name in _reachable(targets, graph):
                references[name] = [entry for entry in references[name] if entry[0] != required]
                graph[name] = [target for _, target in references[name]]
                circles.append(required)
    if any(name in _reachable(targets, graph) for name, targets in graph.items()):
        return None
    return circles


def _required_references(schema: Any, at: Pointer, around: RequiredProperty | None) -> Iterator[_InnerReference]:
    """Yield the references of a schema outside optional properties, each with the last required property around it."""
    if type(schema) is not dict:
        return
    if "$ref" in schema:
        yield around, schema["$ref"]
    required = required_names(schema)
    for pointer, inner in subschemas(schema):
        inner_at = (*at, *pointer)
        if pointer[0] == "properties" and pointer[1] in required:
            yield from _required_references(inner, inner_at, RequiredProperty(at, schema, str(pointer[1])))
        elif pointer[0] not in ("properties", "$defs"):
            yield from _required_references(inner, inner_at, around)


def with_unmistakable_definitions(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a lowered schema that means the same where its definitions are collected with those of other schemas.

    The names of definitions end in digits of what they contain, so that different ones have different names. A reference to
    the root, which is another one then, becomes a reference to a definition.
    """
    definitions = dict(object_at(schema, "$defs"))
    root = without_keywords(schema, ("$defs",))
    root_name = next(name for name in _numbered("root") if name not in definitions)
    if any(_refers_to_root(inner) for inner in (root, *definitions.values())):
        definitions[root_name] = root
    if not definitions:
        return schema
    digits = hashlib.sha256(dump_allowing_nan(definitions).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    renamed = {name: f"{name}_{digits}" for name in definitions}
    targets = {f"#/$defs/{name}": f"#/$defs/{new}" for name, new in renamed.items()}
    targets["#"] = targets.get(f"#/$defs/{root_name}", "#")
    sent = {renamed[name]: _with_references(definition, targets) for name, definition in definitions.items()}
    return {**_with_references(root, targets), "$defs": sent}


def _numbered(name: str) -> Iterator[str]:
    """Yield a name, and the same with numbers from 2 on."""
    yield name
    yield from (f"{name}_{n}" for n in count(2))


def _refers_to_root(schema: Any) -> bool:
    """Return whether a lowered schema contains a reference to its root."""
    if type(schema) is not dict:
        return False
    return schema.get("$ref") == "#" or any(_refers_to_root(inner) for _, inner in subschemas(schema))


def _with_references(schema: Any, targets: Mapping[str, str]) -> Any:
    """Return a lowered schema with other references. `targets` has them by those that they replace."""
    if type(schema) is not dict:
        return schema
    copied = with_subschemas(schema, lambda inner, _: _with_references(inner, targets))
    if "$ref" in copied:
        copied["$ref"] = targets.get(copied["$ref"], copied["$ref"])
    return copied


class RetainedDefinitions:
    """The kept definitions: lowered schemas and encoding tables, by name. The name of the root is empty."""

    def __init__(self) -> None:
        """Start without definitions."""
        self.schemas: dict[str, dict[str, Any]] = {}
        self.encoding_tables: dict[str, Table | None] = {}
        self._names: dict[Pointer, str] = {}
        self._queue: list[tuple[str, Pointer]] = []
        self._unencoded: list[tuple[list[Any], Table]] = []

    def retain_definition(self, target: Pointer) -> str:
        """Return the name of a definition, and queue the definition for lowering."""
        if target in self._names:
            return self._names[target]
        if not target:
            self._names[target] = ""
            return ""
        last_key = re.sub(r"[^\w.$-]", "_", str(target[-1]), flags=re.ASCII)  # what a reference would have to escape
        name, n = last_key, 1
        while name in self.schemas or not name:
            n += 1
            name = f"{last_key}_{n}"
        self._names[target] = name
        self.schemas[name] = {}
        self._queue.append((name, target))
        return name

    def pending_definitions(self) -> Iterator[tuple[str, Pointer]]:
        """Yield the queued definitions, including those that are queued in the meantime."""
        while self._queue:
            yield self._queue.pop(0)

    def targets_without_end(self) -> set[Pointer]:
        """Return the targets of lowered definitions that lead only to each other, so that no value fits them."""
        ending: set[str] = set()
        while more := {name for name, schema in self.schemas.items() if name not in ending and _ends(schema, ending)}:
            ending |= more
        return {target for target, name in self._names.items() if name and name not in ending}

    def encode_later(self, encoding: Table, value: Any) -> list[Any]:
        """Return a placeholder for a value of a lowered schema that is encoded when all tables are complete."""
        placeholder = [value]
        self._unencoded.append((placeholder, encoding))
        return placeholder

    def fill_placeholders(self, schema: dict[str, Any], root: Table | None) -> dict[str, Any]:
        """Return a lowered schema with encoded values in place of all placeholders. `root` is the table of the root."""
        if not self._unencoded:
            return schema
        definitions = {**self.encoding_tables, "": root}
        encoded = {
            id(placeholder): Encoding({**encoding, "defs": definitions}).encode(placeholder[0])
            for placeholder, encoding in self._unencoded
        }
        return {key: _with_values(value, encoded) for key, value in schema.items()}


def _with_values(schema: Any, values: Mapping[int, Any]) -> Any:
    """Return a schema with the values that replace placeholders, by the ids of these."""
    if id(schema) in values:
        return values[id(schema)]
    if type(schema) is dict:
        return {key: _with_values(inner, values) for key, inner in schema.items()}
    return [_with_values(inner, values) for inner in schema] if type(schema) is list else schema


def _ends(schema: dict[str, Any], ending: set[str]) -> bool:
    """Return whether a lowered schema, or a branch of it, leads to something other than a reference.

    A reference to a definition does if the name of the definition is in `ending`, and one to the root always does,
    because the root is an object.
    """
    if "$ref" in schema:
        return schema["$ref"] == "#" or schema["$ref"].removeprefix("#/$defs/") in ending
    branches = schema.get("anyOf")
    return type(branches) is not list or any(_ends(branch, ending) for branch in branches)


def always_declared_names(
    schema: Any, resolve: Callable[[Any], Any], visited: dict[int, set[str]] | None = None
) -> set[str]:
    """Return the properties that a schema declares for every value: itself, or in all branches of a condition or union.

    `resolve` returns a schema with its references resolved; `visited` has what schemas that were visited declare.
    """
    visited = {} if visited is None else visited
    key = id(schema)
    if key in visited:
        return visited[key]
    visited[key] = set()  # of a schema that leads back to itself
    resolved = resolve(schema)
    if type(resolved) is not dict:
        return visited[key]
    groups = [[part] for part in list_at(resolved, "allOf")]
    groups += [resolved[keyword] for keyword in ("anyOf", "oneOf") if type(resolved.get(keyword)) is list]
    if "if" in resolved:
        groups.append(
            [resolved.get("then")] if resolved["if"] is True else [resolved.get("then"), resolved.get("else")]
        )
    declared = property_names(resolved)
    for branches in groups:
        names = [always_declared_names(branch, resolve, visited) for branch in branches if branch is not False]
        declared |= set.intersection(*names) if names else set()
    visited[key] = declared
    return declared
