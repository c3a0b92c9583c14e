"""What schemas admit: null, the fields of a class, and whether several schemas exclude one another.

A schema and the schemas that it combines by `$ref` and `allOf` are viewed as one object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

from toolgen.plan.assertion_keywords import list_declared_types, residual_keywords
from toolgen.resolve.schema_locations import find_target, stated_types

MAX_CHAIN = 50
"""The number of references that are followed; a longer chain counts as admitting null."""


def admits_null(schema: Any, root: Any) -> bool:
    """Return whether null satisfies a schema inside a self-contained one."""
    return _NullChecker(root).admits(schema)


class _NullChecker:
    """Decides whether schemas of one root admit null. The result for a reference is stored; a recursive one admits it."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self.results: dict[str, bool] = {}
        self.chain: list[str] = []

    def admits(self, schema: Any) -> bool:
        """Return whether a schema admits null, as far as its keywords show."""
        if not isinstance(schema, Mapping):
            return schema is not False
        if "type" in schema and "null" not in stated_types(schema):
            return False
        if "const" in schema and schema["const"] is not None:
            return False
        if "enum" in schema and None not in schema["enum"]:
            return False
        if "$ref" in schema and not self._target_admits(schema["$ref"]):
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

    def _target_admits(self, ref: str) -> bool:
        """Return whether the target of a reference admits null."""
        if ref not in self.results:
            self.results[ref] = True
            if len(self.chain) == MAX_CHAIN:
                return True
            self.chain.append(ref)
            self.results[ref] = self.admits(find_target(ref, self.root))
            self.chain.pop()
        return self.results[ref]


Lookup = Callable[[str], Any]
"""A function from a reference in a self-contained schema to its target."""


@dataclass(slots=True)
class ObjectView:
    """The properties of an object. `extra` is False if it is closed; otherwise it is the schema of further properties.

    The view admits at least what the schema admits: of several schemas for one property it has the first.
    `expressed` are the keywords of the schema that the view expresses completely.
    """

    properties: dict[str, Any] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    extra: Any = True
    description: str | None = None
    expressed: frozenset[str] = frozenset({"type"})


def description_of(schema: Any) -> str | None:
    """Return the description of a schema, or None if it has none or a blank one, which a docstring cannot print."""
    text = schema.get("description") if isinstance(schema, Mapping) else None
    return text if isinstance(text, str) and text.strip() else None


def object_view(schema: Any, lookup: Lookup, *, assume: bool = False) -> ObjectView | None:
    """Return the view of a schema that admits only objects, or None. With `assume`, a missing type means object."""
    parts = conjuncts(schema, lookup)
    if not any(part.get("type") in ("object", ["object"]) for part in parts) and not assume:
        return None
    view = ObjectView()
    with_properties = [p for p in parts if "properties" in p or "patternProperties" in p or "additionalProperties" in p]
    all_agree = True
    for part in parts:
        for name, sub in part.get("properties", {}).items():
            all_agree &= view.properties.setdefault(name, sub) == sub
        view.required.update(part.get("required", ()))
        view.description = view.description or description_of(part)
    if len(with_properties) == 1 and "patternProperties" not in with_properties[0]:
        view.extra = with_properties[0].get("additionalProperties", True)
    for name in sorted(view.required - view.properties.keys()):
        view.properties[name] = view.extra
    view.expressed = _expressed_keywords(parts, is_alone=len(with_properties) < 2, all_agree=all_agree)
    return view


def as_object(schema: Any) -> Any:
    """Return a schema of the objects that a schema admits: False if it has none. References stay as they are."""
    if not isinstance(schema, Mapping) or "$ref" in schema:
        return schema
    types = list_declared_types(schema)
    return {**schema, "type": "object"} if types is None or "object" in types else False


def _expressed_keywords(parts: list[Mapping[str, Any]], *, is_alone: bool, all_agree: bool) -> frozenset[str]:
    """Return the keywords of the first schema that a class expresses with its fields, given all combined schemas.

    `is_alone` is whether only one of them has properties, and `all_agree` whether they have the same schema for each.
    """
    first, *combined = parts
    expressed = {"type", "properties", "required"}
    if is_alone and "patternProperties" not in first:
        expressed.add("additionalProperties")
    full = {*expressed, "$ref", "allOf"}
    if all_agree and all(_admits_objects(p) and not residual_keywords(p, frozenset(full)) for p in combined):
        expressed |= {"$ref", "allOf"}
    return frozenset(expressed) if _admits_objects(first) else frozenset(expressed - {"type"})


def _admits_objects(schema: Mapping[str, Any]) -> bool:
    """Return whether the type of a schema admits objects."""
    types = list_declared_types(schema)
    return types is None or "object" in types


def conjuncts(schema: Any, lookup: Lookup) -> list[Mapping[str, Any]]:
    """Return the schemas that a value must all satisfy: this one, the target of its reference, and those of `allOf`."""
    parts: list[Mapping[str, Any]] = []
    visited: set[int] = set()
    stack: list[Any] = [schema]
    while stack:
        part: Any = stack.pop()
        if part is False:
            part = {"not": True}
        if not isinstance(part, Mapping) or id(part) in visited:
            continue
        visited.add(id(part))
        parts.append(part)
        stack.extend(reversed(part.get("allOf", ())))
        if "$ref" in part:
            stack.append(lookup(part["$ref"]))
    return parts


MAX_COMPARED = 40
"""The number of schemas that are compared with each other; more count as not mutually exclusive."""


def are_mutually_exclusive(choices: Sequence[Any], lookup: Lookup) -> bool:
    """Return whether no value satisfies two of the schemas. False also if this is uncertain."""
    if len(choices) > MAX_COMPARED:
        return False
    parts = [conjuncts(choice, lookup) for choice in choices]
    return all(_exclude_each_other(first, second) for first, second in combinations(parts, 2))


def _exclude_each_other(first: list[Mapping[str, Any]], second: list[Mapping[str, Any]]) -> bool:
    """Return whether no value satisfies all of the first and all of the second schemas, by types, constants or tags."""
    if _types(first).isdisjoint(_types(second)):
        return True
    first_texts, second_texts = _texts(first), _texts(second)
    if first_texts is not None and second_texts is not None and first_texts.isdisjoint(second_texts):
        return True
    if _types(first) != {"object"} or _types(second) != {"object"}:
        return False
    first_tags, second_tags = _tags(first), _tags(second)
    return any(first_tags[name].isdisjoint(second_tags[name]) for name in first_tags.keys() & second_tags.keys())


_ALL_TYPES = frozenset(["array", "boolean", "null", "number", "object", "string"])


def _types(parts: list[Mapping[str, Any]]) -> frozenset[str]:
    """Return the types that the schemas admit together; a constant has the type of its value."""
    types = _ALL_TYPES
    for part in parts:
        declared = list_declared_types(part)
        if declared is not None:
            types &= frozenset(declared)
        if _constants(part) is not None:
            types &= {"string"}
    return types


def _texts(parts: list[Mapping[str, Any]]) -> frozenset[str] | None:
    """Return the strings that the first schema with only string constants lists; None if there is no such schema."""
    return next((texts for part in parts if (texts := _constants(part)) is not None), None)


def _constants(schema: Any) -> frozenset[str] | None:
    """Return the strings of `const` or `enum`; None if there are none, or other values among them."""
    if not isinstance(schema, Mapping):
        return None
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if not values or not all(isinstance(value, str) for value in values):
        return None
    return frozenset(values)


class Tag(NamedTuple):
    """A property whose constants distinguish object schemas, and its strings in each of them."""

    name: str
    texts: list[frozenset[str]]


def find_tag(choices: Sequence[Any], lookup: Lookup) -> Tag | None:
    """Return the property whose constants distinguish object schemas; None if none does."""
    if not 1 < len(choices) <= MAX_COMPARED:
        return None
    parts = [conjuncts(choice, lookup) for choice in choices]
    tags = [_tags(part) if _types(part) == {"object"} else {} for part in parts]
    for name in tags[0]:
        texts = [tag.get(name, frozenset()) for tag in tags]
        if all(texts) and len(frozenset().union(*texts)) == sum(map(len, texts)):
            return Tag(name, texts)
    return None


def branch_labels(choices: Sequence[Any]) -> list[str]:
    """Return a label for each choice of a union without a tag: its only required property if no other has it, or a number.

    Serde in Rust tells variants apart like this: `{"properties": {"Click": …}, "required": ["Click"]}`.
    """
    names = [_only_required_property(choice) if isinstance(choice, Mapping) else None for choice in choices]
    return [f"option{i}" if name is None or names.count(name) > 1 else name for i, name in enumerate(names, 1)]


def _only_required_property(choice: Mapping[str, Any]) -> str | None:
    names: Sequence[str] = choice.get("required", ())
    return names[0] if len(names) == 1 and names[0] in choice.get("properties", ()) else None


def _tags(parts: list[Mapping[str, Any]]) -> dict[str, frozenset[str]]:
    """Return the required properties of an object that have constants, with the possible strings of each."""
    required = {name for part in parts for name in part.get("required", ())}
    tags: dict[str, frozenset[str]] = {}
    for part in parts:
        for name, schema in part.get("properties", {}).items():
            texts = _constants(schema)
            if name in required and texts is not None:
                tags.setdefault(name, texts)
    return tags
