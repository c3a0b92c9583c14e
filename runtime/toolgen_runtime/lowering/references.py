"""References in a schema: their targets, their cycles, and the definitions that are kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias
from urllib.parse import unquote

from ..conversion.encoding import Encoding, Table
from .schemas import Pointer, property_names, required_names, subschemas

__all__ = [
    "References",
    "RetainedDefinitions",
    "always_declared_names",
    "required_circles",
]


class References:
    """The references of one schema. A target is identified by its path, not by the object at that path."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        """Set the schema that contains the references."""
        self.root = root
        self._pointers: dict[str, Pointer | None] = {}
        self._anchors: dict[str, Pointer] | None = None
        self._circular: set[Pointer] | None = None

    def target_pointer(self, reference: Any) -> Pointer | None:
        """Return the path of a reference's target. None if it cannot be resolved or is outside the schema."""
        if type(reference) is not str:
            return None
        if reference not in self._pointers:
            self._pointers[reference] = self._found(reference)
        return self._pointers[reference]

    def value_at(self, pointer: Pointer) -> Any:
        """Return the value at a path."""
        value: Any = self.root
        for step in pointer:
            value = value[step]
        return value

    def is_circular(self, pointer: Pointer) -> bool:
        """Return whether references lead from a target back to it."""
        if self._circular is None:
            self._circular = self._circles()
        return pointer in self._circular

    def _found(self, reference: str) -> Pointer | None:
        if reference[:1] != "#":
            identifier = self.root.get("$id")
            if type(identifier) is not str or not reference.startswith(identifier.split("#")[0]):
                return None
            reference = reference[len(identifier.split("#")[0]) :] or "#"
        pointer = unquote(reference[1:])
        if pointer and pointer[0] != "/":
            return self._anchor(pointer)
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

    def _anchor(self, name: str) -> Pointer | None:
        if self._anchors is None:
            self._anchors = {}
            for pointer, schema in self.walk_schemas():
                for keyword in ("$anchor", "$dynamicAnchor"):
                    if type(schema.get(keyword)) is str:
                        self._anchors.setdefault(schema[keyword], pointer)
        return self._anchors.get(name)

    def walk_schemas(self) -> Iterator[tuple[Pointer, Mapping[str, Any]]]:
        """Yield the root and every schema in it, each with its path."""
        waiting: list[tuple[Pointer, Any]] = [((), self.root)]
        while waiting:
            pointer, schema = waiting.pop()
            if isinstance(schema, Mapping):
                yield pointer, schema
                waiting += [((*pointer, *step), inner) for step, inner in subschemas(schema)]

    def _circles(self) -> set[Pointer]:
        """Return the targets that are part of a cycle, so that references lead back to them."""
        leads: dict[Pointer, set[Pointer]] = {}
        for pointer, schema in self.walk_schemas():
            target = self.target_pointer(schema.get("$ref"))
            if target is not None:
                leads.setdefault(pointer, set()).add(target)
        inside: dict[Pointer, set[Pointer]] = {target: set() for found in leads.values() for target in found}
        for pointer, found in leads.items():
            for end in range(len(pointer) + 1):
                if pointer[:end] in inside:
                    inside[pointer[:end]] |= found
        between = _without_ends(inside)
        return {target for target in between if target in _reached(target, between)}


def _without_ends(inside: Mapping[Pointer, set[Pointer]]) -> dict[Pointer, set[Pointer]]:
    """Remove targets that do not lead to a cycle."""
    sources: dict[Pointer, list[Pointer]] = {}
    for pointer, found in inside.items():
        for target in found:
            sources.setdefault(target, []).append(pointer)
    left = {pointer: len(found) for pointer, found in inside.items()}
    ends = [pointer for pointer, count in left.items() if not count]
    while ends:
        end = ends.pop()
        del left[end]
        for pointer in sources.get(end, ()):
            left[pointer] -= 1
            if not left[pointer]:
                ends.append(pointer)
    return {pointer: inside[pointer] & left.keys() for pointer in left}


def _reached(start: Pointer, inside: Mapping[Pointer, set[Pointer]]) -> set[Pointer]:
    reached: set[Pointer] = set()
    waiting = [start]
    while waiting:
        for target in inside[waiting.pop()]:
            if target not in reached:
                reached.add(target)
                waiting.append(target)
    return reached


_Step: TypeAlias = "tuple[Pointer, dict[str, Any], str]"
_Leads: TypeAlias = "dict[str, list[tuple[_Step | None, str]]]"


def required_circles(schema: Mapping[str, Any]) -> Iterator[_Step | None]:
    """Yield the required properties of a lowered schema through which values would have to lead back to their own schema.

    Each with the path of its object, the object and its name. A circle is broken by the property that is yielded. At the
    end, None is yielded if there is a circle without a property.
    """
    nodes = {"#": schema, **{f"#/$defs/{name}": inner for name, inner in schema.get("$defs", {}).items()}}
    leads: _Leads = {name: [*_required_references(node, (), None)] for name, node in nodes.items()}
    for name, found in leads.items():
        for step in [step for step, _ in found if step is not None]:
            through = [target for other, target in leads[name] if other == step]
            if name in _followed(through, leads):
                leads[name] = [(other, target) for other, target in leads[name] if other != step]
                yield ((*(() if name == "#" else ("$defs", name.removeprefix("#/$defs/"))), *step[0]), *step[1:])
    if any(name in _followed([target for _, target in found], leads) for name, found in leads.items()):
        yield None


def _followed(targets: list[str], leads: _Leads) -> set[str]:
    """Return the targets with all that they lead to."""
    reached: set[str] = set()
    left = [*targets]
    while left:
        target = left.pop()
        if target not in reached:
            reached.add(target)
            left += [further for _, further in leads.get(target, ())]
    return reached


def _required_references(schema: Any, at: Pointer, step: _Step | None) -> Iterator[tuple[_Step | None, str]]:
    """Yield the references of a schema outside optional properties, each with the last required property around it."""
    if type(schema) is not dict:
        return
    if "$ref" in schema:
        yield step, schema["$ref"]
    required = required_names(schema)
    for pointer, inner in subschemas(schema):
        if pointer[0] == "properties" and pointer[1] in required:
            yield from _required_references(inner, (*at, *pointer), (at, schema, str(pointer[1])))
        elif pointer[0] not in ("properties", "$defs"):
            yield from _required_references(inner, (*at, *pointer), step)


class RetainedDefinitions:
    """The kept definitions: lowered schemas and encoding tables, by name. The name of the root is empty."""

    def __init__(self) -> None:
        """Start without definitions."""
        self.schemas: dict[str, dict[str, Any]] = {}
        self.encoding_tables: dict[str, Table | None] = {}
        self.unencoded: list[tuple[list[Any], Table]] = []
        self._names: dict[Pointer, str] = {}
        self._waiting: list[tuple[str, Pointer]] = []

    def retain_definition(self, target: Pointer) -> str:
        """Return the name of a definition, and queue the definition for lowering."""
        if target in self._names:
            return self._names[target]
        if not target:
            self._names[target] = ""
            return ""
        wanted = name = re.sub("[/~%#]", "_", str(target[-1]))  # replace characters with a meaning in pointers
        n = 1
        while name in self.schemas or not name:
            n += 1
            name = f"{wanted}_{n}"
        self._names[target] = name
        self.schemas[name] = {}
        self._waiting.append((name, target))
        return name

    def encode_later(self, encoding: Table, value: Any) -> list[Any]:
        """Return a placeholder for a value of a lowered schema that is encoded when all tables are complete."""
        placeholder = [value]
        self.unencoded.append((placeholder, encoding))
        return placeholder

    def with_encoded_values(self, schema: Any, root: Table | None) -> Any:
        """Return a lowered schema with encoded values for their placeholders. `root` is the table of the root."""
        definitions = {**self.encoding_tables, "": root}
        encoded = {
            id(placeholder): Encoding({**encoding, "defs": definitions}).encode(placeholder[0])
            for placeholder, encoding in self.unencoded
        }
        return _with_values(schema, encoded) if encoded else schema

    def pending_definitions(self) -> Iterator[tuple[str, Pointer]]:
        """Yield the queued definitions, including those that are queued in the meantime."""
        while self._waiting:
            yield self._waiting.pop(0)

    def targets_without_end(self) -> set[Pointer]:
        """Return the targets of lowered definitions that lead only to each other, so that no value fits them."""
        ending: set[str] = set()
        while more := {name for name, schema in self.schemas.items() if name not in ending and _ends(schema, ending)}:
            ending |= more
        return {target for target, name in self._names.items() if name and name not in ending}


def _with_values(schema: Any, values: Mapping[int, Any]) -> Any:
    """Return a schema with the values that replace placeholders, by the ids of these."""
    if id(schema) in values:
        return values[id(schema)]
    if type(schema) is dict:
        return {key: _with_values(inner, values) for key, inner in schema.items()}
    return [_with_values(inner, values) for inner in schema] if type(schema) is list else schema


def _ends(schema: dict[str, Any], ending: set[str]) -> bool:
    """Return whether a lowered schema, or a branch of it, is no reference, or refers to a definition in `ending`."""
    if "$ref" in schema:
        return schema["$ref"] == "#" or schema["$ref"].removeprefix("#/$defs/") in ending
    branches = schema.get("anyOf")
    return type(branches) is not list or any(_ends(branch, ending) for branch in branches)


def always_declared_names(
    schema: Any, resolve: Callable[[Any], Any], met: dict[int, set[str]] | None = None
) -> set[str]:
    """Return the properties that a schema declares for every value: itself, or in all branches of a condition or union.

    `resolve` returns a schema with its references resolved; `met` has what schemas that were visited declare.
    """
    met = {} if met is None else met
    key = id(schema)
    if key in met:
        return met[key]
    met[key] = set()  # of a schema that leads back to itself
    schema = resolve(schema)
    if type(schema) is not dict:
        return met[key]
    groups = [[part] for part in schema["allOf"]] if type(schema.get("allOf")) is list else []
    groups += [schema[keyword] for keyword in ("anyOf", "oneOf") if type(schema.get(keyword)) is list]
    if "if" in schema:
        groups.append([schema.get(keyword) for keyword in ("then", "else")[: 1 if schema["if"] is True else 2]])
    found = property_names(schema)
    for branches in groups:
        names = [always_declared_names(branch, resolve, met) for branch in branches if branch is not False]
        found |= set.intersection(*names) if names else set()
    met[key] = found
    return found
