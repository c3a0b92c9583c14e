"""What schemas admit: null, the fields of a class, and whether several schemas exclude one another.

A schema and the schemas that it combines by `$ref` and `allOf` are viewed as one object.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

from toolgen.load.sources import json_type
from toolgen.plan.assertion_keywords import admits_everything, list_declared_types, residual_keywords
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

_OBJECT = ("object", ["object"])
"""How `type` says that a value is an object."""


@dataclass(slots=True)
class ObjectView:
    """The properties of an object. `extra` is False if it is closed; otherwise it is the schema of further properties.

    The view admits at least what the schema admits: of several schemas for one property it has the first with constants,
    or the first.
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
    if not any(part.get("type") in _OBJECT for part in parts) and not assume:
        return None
    view = ObjectView()
    with_properties = [p for p in parts if "properties" in p or "patternProperties" in p or "additionalProperties" in p]
    all_agree = True
    for part in parts:
        for name, sub in part.get("properties", {}).items():
            earlier = view.properties.setdefault(name, sub)
            if earlier == sub:
                continue
            all_agree = False
            if constants_of(earlier, lookup) is None and constants_of(sub, lookup) is not None:
                view.properties[name] = sub
        view.required.update(part.get("required", ()))
        view.description = view.description or description_of(part)
    if len(with_properties) == 1 and "patternProperties" not in with_properties[0]:
        view.extra = with_properties[0].get("additionalProperties", True)
    for name in sorted(view.required - view.properties.keys()):
        view.properties[name] = view.extra
    view.expressed = _expressed_keywords(parts, is_alone=len(with_properties) < 2, all_agree=all_agree)
    return view


def as_object(schema: Any, lookup: Lookup) -> Any:
    """Return a schema of the objects that a schema admits: False if it has none. References to objects stay as they are."""
    if not isinstance(schema, Mapping):
        return schema
    types = list_declared_types(schema)
    if types is not None and "object" not in types:
        return False
    if "$ref" not in schema:
        return {**schema, "type": "object"}
    if admits_only_objects(schema, lookup):
        return schema
    target = unwrapped(schema, lookup)
    return schema if target is schema else as_object(target, lookup)


_BESIDE_A_CHOICE = frozenset(
    ["type", "properties", "required", "minProperties", "maxProperties", "propertyNames", "dependentRequired", "not"]
)
"""Keywords that mean the same beside a choice whether properties are declared there or in the choice."""


def distributed(schema: Any, lookup: Lookup) -> Any:
    """Return a choice of objects with shared properties beside it as a choice of objects that each have these properties.

    Both accept the same values. Any other schema, and one whose choices declare no further properties, is returned as
    it is: the class of the shared properties has all fields. `additionalProperties: false` refers to the properties
    beside it, so a schema with it is not changed either. `allOf` of objects and a choice is one way to write this.
    """
    combined = _as_choice_beside_properties(schema, lookup)
    if combined is not None:
        with_choices = distributed(combined, lookup)
        return schema if with_choices is combined else with_choices
    if not isinstance(schema, Mapping) or schema.get("type") not in _OBJECT or not schema.get("properties"):
        return schema
    keywords = residual_keywords(schema, _BESIDE_A_CHOICE)
    if keywords not in (("anyOf",), ("oneOf",)):
        return schema
    keyword = keywords[0]
    choices = [unwrapped(choice, lookup) for choice in schema[keyword]]
    if len(choices) < 2 or not all(map(_is_mergeable, choices)):
        return schema
    if all(choice["properties"].keys() <= schema["properties"].keys() for choice in choices):
        return schema
    labels = branch_labels(choices, lookup)
    merged = [_merged(schema, choice, label, lookup) for choice, label in zip(choices, labels, strict=True)]
    outer = {key: value for key, value in schema.items() if key not in ("properties", "required")}
    return {**outer, keyword: merged}


def _as_choice_beside_properties(schema: Any, lookup: Lookup) -> dict[str, Any] | None:
    """Return `allOf` of objects with properties and of one choice as this choice with the properties beside it.

    Zod writes the intersection of an object and a union like this. None if the parts have other keywords that restrict
    values.
    """
    if not isinstance(schema, Mapping) or "allOf" not in schema:
        return None
    parts = conjuncts(schema, lookup)
    choices = [(keyword, part[keyword]) for part in parts for keyword in ("anyOf", "oneOf") if part.get(keyword)]
    if len(choices) != 1 or not any(part.get("type") in _OBJECT for part in parts):
        return None
    keyword, branches = choices[0]
    combinable = frozenset({"type", "properties", "required", "allOf", "$ref", keyword})
    if not all(_admits_objects(part) and not residual_keywords(part, combinable) for part in parts):
        return None
    properties: dict[str, Any] = {}
    for part in parts:
        for name, sub in part.get("properties", {}).items():
            properties[name] = _both(properties[name], sub, lookup) if name in properties else sub
    required = list(dict.fromkeys(name for part in parts for name in part.get("required", ())))
    return {"type": "object", "properties": properties, "required": required, keyword: branches}


def _is_mergeable(choice: Any) -> bool:
    """Return whether a choice is an object with properties, and no keyword that depends on which these are."""
    if not isinstance(choice, Mapping) or not choice.get("properties") or not _admits_objects(choice):
        return False
    return not residual_keywords(choice, frozenset({"type", "properties", "required"}))


def _merged(shared: Mapping[str, Any], choice: Mapping[str, Any], label: str, lookup: Lookup) -> dict[str, Any]:
    """Return the schema of the objects that fit a choice and the shared properties. The label of the choice is its title."""
    properties = {**shared["properties"], **choice["properties"]}
    for name in shared["properties"].keys() & choice["properties"].keys():
        properties[name] = _both(shared["properties"][name], choice["properties"][name], lookup)
    required = list(dict.fromkeys((*shared.get("required", ()), *choice.get("required", ()))))
    return {"title": label, **choice, "type": "object", "properties": properties, "required": required}


def _both(shared: Any, own: Any, lookup: Lookup) -> Any:
    """Return the schema of the values that fit two schemas of a property: that of a choice if its constants all fit."""
    # 1 and true are equal in Python, but not in JSON.
    if admits_everything(shared) or json.dumps(shared, sort_keys=True) == json.dumps(own, sort_keys=True):
        return own
    constants, all_constants = constants_of(own, lookup), constants_of(shared, lookup)
    if constants is not None and isinstance(shared, Mapping):
        is_listed = all_constants is not None and constants <= all_constants
        types = list_declared_types(shared) or ()
        only_lists = not residual_keywords(shared, frozenset({"type", "const", "enum"}))
        has_type = not types or all(constant.kind in types for constant in constants)
        if only_lists and has_type and (is_listed or all_constants is None):
            return own
    return {"allOf": [own, shared]}


def unwrapped(schema: Any, lookup: Lookup) -> Any:
    """Return the schema that a schema stands for if it is only a reference, or only one part of `allOf` restricts values.

    A type beside them that admits objects is ignored.
    """
    for _ in range(MAX_CHAIN):
        if not isinstance(schema, Mapping) or residual_keywords(schema, frozenset({"$ref", "allOf", "type"})):
            return schema
        parts = [part for part in schema.get("allOf", ()) if not admits_everything(part)]
        parts += [lookup(schema["$ref"])] if "$ref" in schema else []
        if len(parts) != 1 or not _admits_objects(schema):
            return schema
        schema = parts[0]
    return schema


def admits_only_objects(schema: Any, lookup: Lookup) -> bool:
    """Return whether a schema states that a value is an object, itself or in each of its choices."""
    return _fits_in_each_choice(schema, lookup, lambda part: part.get("type") in _OBJECT, {})


def consists_of_classes(schema: Any, lookup: Lookup) -> bool:
    """Return whether a shared type is the class of an object with properties, or a union of such classes."""

    def is_class(part: Mapping[str, Any]) -> bool:
        view = object_view(part, lookup)
        return view is not None and bool(view.properties)

    return _fits_in_each_choice(schema, lookup, is_class, {})


def _fits_in_each_choice(
    schema: Any, lookup: Lookup, fits: Callable[[Mapping[str, Any]], bool], results: dict[int, bool]
) -> bool:
    """Return whether a schema, or one that it combines, fits, or each choice in one does. `results` are those so far."""
    if id(schema) in results:
        return results[id(schema)]
    results[id(schema)] = False
    parts = conjuncts(schema, lookup)
    choices = [part[keyword] for part in parts for keyword in ("anyOf", "oneOf") if part.get(keyword)]
    results[id(schema)] = any(map(fits, parts)) or any(
        all(_fits_in_each_choice(sub, lookup, fits, results) for sub in each if sub is not False) for each in choices
    )
    return results[id(schema)]


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
    facts = [_facts(choice, lookup) for choice in choices]
    return all(_exclude_each_other(first, second) for first, second in combinations(facts, 2))


class Constant(NamedTuple):
    """A scalar that a schema lists: its JSON type, and the value. The type of every number is `number`."""

    kind: str
    value: str | float | None

    def __str__(self) -> str:
        """Return the text of a string, or the JSON text of another value."""
        return self.value if isinstance(self.value, str) else json.dumps(self.value)


class _Facts(NamedTuple):
    """What schemas that all apply say: the types, the constants if they list any, and those of each property."""

    types: frozenset[str]
    constants: frozenset[Constant] | None
    properties: dict[str, frozenset[Constant]]
    required: frozenset[str]


def _facts(schema: Any, lookup: Lookup) -> _Facts:
    """Return what a schema and those that it combines say."""
    parts = conjuncts(schema, lookup)
    properties: dict[str, frozenset[Constant]] = {}
    for part in parts:
        for name, sub in part.get("properties", {}).items():
            constants = constants_of(sub, lookup)
            if constants is not None:
                properties.setdefault(name, constants)
    required = frozenset(name for part in parts for name in part.get("required", ()))
    return _Facts(_types(parts), _constants(parts), properties, required)


def _exclude_each_other(first: _Facts, second: _Facts) -> bool:
    """Return whether no value satisfies two schemas, by their types, constants or tags."""
    if first.types.isdisjoint(second.types):
        return True
    if first.constants is not None and second.constants is not None and first.constants.isdisjoint(second.constants):
        return True
    if first.types != {"object"} or second.types != {"object"}:
        return False
    tags = first.properties.keys() & first.required & second.properties.keys() & second.required
    return any(first.properties[name].isdisjoint(second.properties[name]) for name in tags)


_ALL_TYPES = frozenset(["array", "boolean", "null", "number", "object", "string"])


def _types(parts: list[Mapping[str, Any]]) -> frozenset[str]:
    """Return the types that the schemas admit together; a constant has the type of its value."""
    types = _ALL_TYPES
    for part in parts:
        declared = list_declared_types(part)
        if declared is not None:
            types &= frozenset(declared)
        constants = _constants([part])
        if constants is not None:
            types &= {constant.kind for constant in constants}
    return types


def constants_of(schema: Any, lookup: Lookup) -> frozenset[Constant] | None:
    """Return the scalars that a schema lists, itself or in what it combines; None if there is no list of scalars."""
    return _constants(conjuncts(schema, lookup))


def _constants(parts: Sequence[Mapping[str, Any]]) -> frozenset[Constant] | None:
    """Return the scalars of the first `const` or `enum` that has nothing else; None if there is none."""
    for part in parts:
        values = [part["const"]] if "const" in part else part.get("enum")
        if values and not any(isinstance(value, list | dict) for value in values):
            return frozenset(_constant(value) for value in values)
    return None


def _constant(value: Any) -> Constant:
    """Return a scalar with its JSON type. 1.0 is 1, but true is not."""
    kind = json_type(value)
    return Constant("number" if kind == "integer" else kind, int(value) if kind == "integer" else value)


class Tag(NamedTuple):
    """A property whose constants distinguish object schemas, and its constants in each of them."""

    name: str
    constants: list[frozenset[Constant]]

    def labels(self) -> list[str]:
        """Return the label of each schema: the texts of its constants."""
        return ["_or_".join(sorted(map(str, constants))) for constants in self.constants]


def find_tag(choices: Sequence[Any], lookup: Lookup, *, required: bool = True) -> Tag | None:
    """Return the property whose constants distinguish object schemas; None if none does.

    With `required`, it is present in every object of them.
    """
    if not 1 < len(choices) <= MAX_COMPARED:
        return None
    facts = [_facts(choice, lookup) for choice in choices]
    if any(each.types != {"object"} for each in facts):
        return None
    for name in facts[0].properties:
        constants = [each.properties.get(name, frozenset[Constant]()) for each in facts]
        is_certain = not required or all(name in each.required for each in facts)
        if is_certain and all(constants) and len(frozenset().union(*constants)) == sum(map(len, constants)):
            return Tag(name, constants)
    return None


MAX_TITLE = 40
"""The length up to which a title is a name. A longer one is a sentence."""


def branch_labels(choices: Sequence[Any], lookup: Lookup) -> list[str]:
    """Return a label for each choice of a union: what it is, or a number.

    It is the constant of a property that distinguishes the choices, otherwise the title of the choice. Objects with one
    property each are named after it, because Rust's serde tells variants apart like this: `{"properties": {"Click": …}}`.
    What is required changes no label, and a name that two choices have is that of none.
    """
    tag = find_tag(choices, lookup, required=False)
    if tag is not None:
        return tag.labels()
    properties = [list(choice["properties"]) for choice in choices if _declares_properties(choice)]
    are_variants = len(properties) > 1 and all(len(declared) == 1 for declared in properties)
    names = [_title(choice) or (_only_property(choice) if are_variants else None) for choice in choices]
    return [f"option{i}" if name is None or names.count(name) > 1 else name for i, name in enumerate(names, 1)]


def _declares_properties(choice: Any) -> bool:
    """Return whether a choice declares properties itself."""
    return isinstance(choice, Mapping) and bool(choice.get("properties"))


def _title(choice: Any) -> str | None:
    """Return the title of a choice if it is short enough for a name."""
    title = choice.get("title") if isinstance(choice, Mapping) else None
    return title if isinstance(title, str) and 0 < len(title.strip()) <= MAX_TITLE else None


def _only_property(choice: Any) -> str | None:
    """Return the property that a choice declares; None if it declares none."""
    return next(iter(choice["properties"])) if _declares_properties(choice) else None
