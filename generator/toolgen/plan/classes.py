"""Plans of generated classes, and their order in a module.

Dependencies come first, and cycles are cut before they are too long for pydantic to import.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from toolgen.plan.assertion_keywords import TypeSchema, asserted_keywords
from toolgen.plan.names import ClassName, FieldName
from toolgen.resolve.references import reachable
from toolgen.resolve.schema_locations import PREFIX

Presence = Literal["required", "omittable", "optional"]
"""`omittable` may be absent, which reads as None, but not null; `optional` may be both, or has a default."""


@dataclass(frozen=True, slots=True)
class Check:
    """The keywords of a schema that its type does not express. References in the schema resolve inside `root`."""

    schema: Any
    keywords: tuple[str, ...]
    root: Any


@dataclass(frozen=True, slots=True)
class FieldPlan:
    """A field. `default` is the value of an absent property; it is None if the field has no default.

    `is_parsed` is whether the default, or a part of it, differs between JSON and Python, such as a date.
    """

    name: FieldName
    wire: str
    type_schema: TypeSchema
    presence: Presence
    default: Any = None
    description: str | None = None
    is_parsed: bool = False


@dataclass(frozen=True, slots=True)
class ClassPlan:
    """The class of an object. `closed` refuses further properties; otherwise `extras` is their type schema.

    `check` has the keywords that the fields do not express, if any.
    """

    name: ClassName
    description: str | None
    fields: tuple[FieldPlan, ...]
    closed: bool
    extras: TypeSchema
    check: Check


@dataclass(frozen=True, slots=True)
class AliasPlan:
    """A named type that is not an object, with a check of what the type does not express.

    `tag` is the field that distinguishes the classes of a union.
    """

    name: ClassName
    description: str | None
    type_schema: TypeSchema
    check: Check
    tag: FieldName | None = None


@dataclass(frozen=True, slots=True)
class ModelsPlan:
    """The classes and aliases of one module, dependencies first, and the shared types that they refer to."""

    items: tuple[ClassPlan | AliasPlan, ...]
    shared: tuple[str, ...] = ()
    rebuilt: tuple[ClassName, ...] = field(default=())
    """Classes that refer to a later class: pydantic completes them at the end of the module."""


MAX_CIRCLE = 40
"""The largest number of classes in a reference cycle. pydantic 2.14 imports 60 and fails at 100."""

Item = ClassPlan | AliasPlan


def sort_by_dependency(items: list[Item], shared: Mapping[str, str], roots: Set[str]) -> ModelsPlan:
    """Sort the items of a module that the roots need, so that dependencies come first.

    `shared` maps the names of shared types in this module to their names in `types`.
    """
    by_name = _reached({item.name: item for item in items}, roots)
    edges = {name: [n for n in _references(item) if n in by_name] for name, item in by_name.items()}
    ordered: dict[str, Item] = {}
    rebuilt = []
    for group in _strongly_connected_groups(edges):
        cut = set(group) if len(group) > MAX_CIRCLE else set[str]()
        classes = [n for n in reversed(group) if isinstance(by_name[n], ClassPlan)]
        aliases = [n for n in reversed(group) if n not in classes]
        for name in classes:
            item = _cut(by_name[name], cut)
            ordered[name] = item
            if not ordered.keys() >= {n for n in _references(item) if n in by_name}:
                rebuilt.append(item.name)
        for name in aliases:
            later = {n for n in edges[name] if n not in ordered}
            ordered[name] = _cut(by_name[name], later)
    used = {n for item in ordered.values() for n in _references(item)}
    return ModelsPlan(tuple(ordered.values()), tuple(sorted(n for n in shared if n in used)), tuple(rebuilt))


def _reached(by_name: Mapping[str, Item], roots: Set[str]) -> dict[str, Item]:
    """Return the roots and the items that they refer to, directly or not; discarded type schemas leave unused items."""
    reached = reachable(roots, lambda name: [target for target in _references(by_name[name]) if target in by_name])
    return {name: item for name, item in by_name.items() if name in reached}


def iter_type_schemas(item: Item) -> Iterator[TypeSchema]:
    """Yield every type schema of a class or an alias, in the order in which they are printed."""
    if isinstance(item, AliasPlan):
        yield item.type_schema
        return
    yield item.extras
    yield from (field.type_schema for field in item.fields)


def _references(item: Item) -> list[str]:
    """Return the names of the classes and aliases that an item refers to, each once."""
    names = (name for type_schema in iter_type_schemas(item) for name in referenced_names(type_schema))
    return [*dict.fromkeys(names)]


def referenced_names(type_schema: Any) -> Iterator[str]:
    """Yield the names of the classes and aliases that a type schema refers to."""
    if isinstance(type_schema, dict):
        ref = type_schema.get("$ref")
        if isinstance(ref, str):
            yield ref.removeprefix(PREFIX)
        for key, value in type_schema.items():
            if key != "enum":
                yield from referenced_names(value)
    elif isinstance(type_schema, list):
        for value in type_schema:
            yield from referenced_names(value)


def has_instances(default: Any, type_schema: TypeSchema) -> bool:
    """Return whether a default of a type is, or may contain, an instance of a class in Python."""
    if default == {}:
        return _may_be_instance(type_schema)
    return isinstance(default, dict | list) and default != [] and _has_references(type_schema)


def _has_references(type_schema: TypeSchema) -> bool:
    """Return whether a type schema refers to a class or an alias."""
    return any(True for _ in referenced_names(type_schema))


def _may_be_instance(type_schema: TypeSchema) -> bool:
    """Return whether a value of a type is, or may be, an instance of a class or an alias."""
    return "$ref" in type_schema or any(map(_may_be_instance, type_schema.get("anyOf", ())))


def default_needs_parsing(default: Any, type_schema: TypeSchema) -> bool:
    """Return whether a default is an array for a tuple, or a float for a named type, which may be one of integers."""
    if isinstance(default, float):
        return default.is_integer() and _has_references(type_schema)
    kinds: list[TypeSchema] = type_schema.get("anyOf", [type_schema])
    if isinstance(default, list) and any("prefixItems" in kind for kind in kinds):
        return True
    inner_types = [
        kind[key] for kind in kinds for key in ("items", "additionalProperties") if isinstance(kind.get(key), dict)
    ]
    return any(default_needs_parsing(value, inner) for value in _members(default) for inner in inner_types)


def _members(value: Any) -> Iterable[Any]:
    """Return the members of a JSON value: those of an array, or the values of an object. A scalar has none."""
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def convert_whole_floats_in_default(default: Any, type_schema: TypeSchema) -> Any:
    """Return a default with floats as integers where its type, without references, has integers and no floats."""
    kinds: list[TypeSchema] = type_schema.get("anyOf", [type_schema])
    if isinstance(default, float):
        types = [kind.get("type") for kind in kinds]
        is_for_integer = default.is_integer() and "integer" in types and "number" not in types
        return int(default) if is_for_integer else default
    keyword = "items" if isinstance(default, list) else "additionalProperties"
    inner_types = [kind[keyword] for kind in kinds if isinstance(kind.get(keyword), dict)]
    if len(inner_types) != 1:
        return default
    if isinstance(default, list):
        return [convert_whole_floats_in_default(value, inner_types[0]) for value in default]
    if isinstance(default, dict):
        return {key: convert_whole_floats_in_default(value, inner_types[0]) for key, value in default.items()}
    return default


def _cut(item: Item, names: set[str]) -> Item:
    """Replace references to these names by any object (in a class) or any value (in an alias).

    If the item has such a reference, its check contains all keywords of its schema.
    """
    if names.isdisjoint(_references(item)):
        return item
    check = replace(item.check, keywords=asserted_keywords(item.check.schema))
    if isinstance(item, AliasPlan):
        return replace(item, type_schema=_without(item.type_schema, names, {}), check=check)
    fields = tuple(replace(f, type_schema=_without(f.type_schema, names, {"type": "object"})) for f in item.fields)
    return replace(item, fields=fields, extras=_without(item.extras, names, {"type": "object"}), check=check)


def _without(type_schema: Any, names: set[str], instead: TypeSchema) -> Any:
    """Return a type schema in which `instead` replaces references to these names."""
    if isinstance(type_schema, list):
        return [_without(member, names, instead) for member in type_schema]
    if not isinstance(type_schema, dict):
        return type_schema
    if str(type_schema.get("$ref")).removeprefix(PREFIX) in names:
        return instead
    return {key: value if key == "enum" else _without(value, names, instead) for key, value in type_schema.items()}


def _strongly_connected_groups(edges: Mapping[str, list[str]]) -> Iterator[list[str]]:
    """Yield the strongly connected groups of a graph, dependencies first (Tarjan's algorithm, without recursion)."""
    index: dict[str, int] = {}  # in the order in which the nodes were entered
    low: dict[str, int] = {}  # the lowest index of an open node that a node is known to reach
    stack: list[str] = []  # the nodes whose group is not complete yet
    open_names: set[str] = set()  # those on the stack
    work: list[tuple[str, Iterator[str]]] = []

    def enter(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        open_names.add(name)
        work.append((name, iter(edges[name])))

    for start in edges:
        if start in index:
            continue
        enter(start)
        while work:
            name, targets = work[-1]
            for target in targets:
                if target not in index:
                    enter(target)
                    break
                if target in open_names:
                    low[name] = min(low[name], index[target])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[name])
                if low[name] == index[name]:
                    start_of_group = stack.index(name)
                    group = stack[start_of_group:]
                    del stack[start_of_group:]
                    open_names.difference_update(group)
                    yield group
