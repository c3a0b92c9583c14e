"""Type schemas of whole schemas: an interpretation of JSON Schema as types, which may admit more but never less.

Objects become classes whose names depend only on their own document. What a type cannot express (exclusive choice,
negation, conditions, counts of properties) becomes a check beside it: each type schema comes with the keywords that it
expresses completely, and a schema with others becomes a class, or a named type, with a check of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from toolgen.plan.assertion_keywords import (
    EVERYTHING,
    MAX_UNION,
    OBJECTS,
    TypeSchema,
    admits_everything,
    array_counts,
    literal_type,
    number_type,
    residual_keywords,
    text_type,
    type_schema_size,
    union_type,
)
from toolgen.plan.classes import (
    AliasPlan,
    Check,
    ClassPlan,
    FieldPlan,
    convert_whole_floats_in_default,
    default_needs_parsing,
    has_instances,
)
from toolgen.plan.names import ClassName, FieldName, field_names, nested_class_name, singularize
from toolgen.plan.object_views import (
    ObjectView,
    admits_null,
    are_mutually_exclusive,
    as_object,
    branch_labels,
    description_of,
    find_tag,
    object_view,
)
from toolgen.resolve.schema_locations import PREFIX, find_target, walk_referenced_schemas, walk_schemas
from toolgen.resolve.value_checks import ValueValidator, fits_type
from toolgen_runtime.tools.formats import FORMATS

MAX_INLINE = 200
"""The size up to which a definition is repeated wherever it is used. A larger one gets a name."""

MAX_NESTING = 90
"""The depth of nested schemas in one type. Deeper schemas become any value, with a check."""

_TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")

ExpressedKeywords = frozenset[str]
"""The keywords of a schema that a type schema expresses completely."""

_NOTHING: ExpressedKeywords = frozenset()

NameSteps = tuple[str, ...]
"""The steps from the root or a definition to a schema: properties, and words for parts without a name."""

Enclosing = tuple[tuple[Check, ClassName], ...]
"""The classes around a schema, with the schemas that they were made of, from the nearest definition inwards."""


@dataclass(slots=True)
class TypePlanner:
    """Plans the types of one self-contained schema. `shared` are the definitions that are classes or aliases elsewhere.

    The names of all classes but the root's begin with `stem`.
    """

    root: Any
    root_name: ClassName
    stem: str
    shared: Mapping[str, str]
    taken: set[str]
    items: dict[str, ClassPlan | AliasPlan] = field(default_factory=dict)
    _names: dict[str, ClassName] = field(default_factory=dict)
    _inlined: dict[str, TypeSchema] = field(default_factory=dict)
    _open: list[str] = field(default_factory=list)
    _nested: list[Any] = field(default_factory=list)
    _recursive: set[int] = field(default_factory=set)
    _waiting: list[tuple[ClassName, NameSteps, ObjectView, Check, Enclosing]] = field(default_factory=list)
    _enclosing: Enclosing = ()
    _repeated: Enclosing = ()

    def lookup(self, ref: str) -> Any:
        """Return the target of a reference."""
        return find_target(ref, self.root)

    def plan_root_class(self, description: str | None) -> None:
        """Plan the root as a class, whatever its schema admits, because the arguments of a tool are an object."""
        view = object_view(self.root, self.lookup, assume=True) or ObjectView()
        if object_view(self.root, self.lookup) is not None:
            self._names["#"] = self.root_name
        view.description = view.description or description
        check = self._check(self.root, residual_keywords(self.root, view.expressed))
        self._waiting.append((self.root_name, (), view, check, ()))
        self.plan_waiting_classes()

    def plan_root_alias(self, description: str | None) -> None:
        """Plan the root as a named type."""
        type_schema, left = self._planned(self.root, ())
        self.items[self.root_name] = AliasPlan(self.root_name, description, type_schema, self._check(self.root, left))
        self.plan_waiting_classes()

    def plan_waiting_classes(self) -> None:
        """Plan the classes that are still waiting."""
        while self._waiting:
            name, pointer, view, check, self._enclosing = self._waiting.pop(0)
            self.items[name] = self._class(name, pointer, view, check)

    def plan_type(self, schema: Any, *pointer: str) -> TypeSchema:
        """Return the type schema of a schema. Classes of objects in it are named after the steps that lead there."""
        type_schema, left = self._planned(schema, pointer)
        if not left:
            return type_schema
        name = self._named(pointer)
        self.items[name] = AliasPlan(name, description_of(schema), type_schema, self._check(schema, left))
        return {"$ref": f"{PREFIX}{name}"}

    def _check(self, schema: Any, keywords: tuple[str, ...]) -> Check:
        return Check(schema, keywords, self.root)

    def _planned(self, schema: Any, pointer: NameSteps) -> tuple[TypeSchema, tuple[str, ...]]:
        """Return the type schema of a schema, and the keywords that it does not express: `not` for a false schema."""
        if schema is False:
            return {}, ("not",)
        if not isinstance(schema, Mapping):
            return {}, ()
        if any(outer is schema for outer in self._nested):
            self._recursive.add(id(schema))
        if len(self._nested) == MAX_NESTING or id(schema) in self._recursive:
            return {}, residual_keywords(schema, _NOTHING)
        self._nested.append(schema)
        type_schema, expressed = self._plan(schema, pointer)
        self._nested.pop()
        if not self._nested:
            self._recursive.clear()
        return type_schema, residual_keywords(schema, expressed)

    def _plan(self, schema: Mapping[str, Any], pointer: NameSteps) -> tuple[TypeSchema, ExpressedKeywords]:
        if "$ref" in schema:
            return self._reference(schema["$ref"])
        if "const" in schema or "enum" in schema:
            literal = literal_type(schema)
            if literal is not None:
                return literal, frozenset({"type", "const", "enum", "format"})
        named = schema.get("type")
        if isinstance(named, list):
            types = [t for t in _TYPES if t in named and not (t == "integer" and "number" in named)]
            return self._one_of_types(types, schema, pointer)
        if named is not None:
            return self._typed(named, schema, pointer, alone=True)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                type_schema = self._union(schema[keyword], pointer)
                return type_schema, self._chosen(keyword, schema[keyword], type_schema)
        return self._all_of(schema, pointer)

    def _one_of_types(
        self, types: list[str], schema: Mapping[str, Any], pointer: NameSteps
    ) -> tuple[TypeSchema, ExpressedKeywords]:
        members = [self._typed(t, schema, pointer, alone=len(types) == 1) for t in types]
        type_schema = union_type([type_schema for type_schema, _ in members])
        expressed = frozenset().union(*(expressed for _, expressed in members)) if type_schema else _NOTHING
        return type_schema, expressed if all("type" in expressed for _, expressed in members) else expressed - {"type"}

    def _typed(
        self, kind: str, schema: Mapping[str, Any], pointer: NameSteps, *, alone: bool
    ) -> tuple[TypeSchema, ExpressedKeywords]:
        if kind == "array":
            return self._array(schema, pointer)
        if kind == "object":
            return self._object(schema, pointer, alone=alone)
        if kind == "string":
            type_schema = text_type(schema)
        elif kind in ("integer", "number"):
            return number_type(schema, kind)
        else:
            type_schema = {"type": kind}
        return type_schema, frozenset(type_schema)

    def _array(self, schema: Mapping[str, Any], pointer: NameSteps) -> tuple[TypeSchema, ExpressedKeywords]:
        prefix, rest = schema.get("prefixItems"), schema.get("items", True)
        counts = array_counts(schema)
        expressed = frozenset({"type", *counts})
        if not prefix:
            return {"type": "array", "items": self.plan_type(rest, *_item(pointer)), **counts}, expressed | {"items"}
        size = len(prefix)
        closed = rest is False and schema.get("minItems", 0) == size <= schema.get("maxItems", size)
        if not closed:
            return {"type": "array", "items": {}, **counts}, expressed
        members = [self.plan_type(sub, *pointer, f"item{i}") for i, sub in enumerate(prefix, 1)]
        type_schema = {"type": "array", "prefixItems": members, "items": False, "minItems": size, "maxItems": size}
        return type_schema, frozenset(type_schema)

    def _object(
        self, schema: Mapping[str, Any], pointer: NameSteps, *, alone: bool
    ) -> tuple[TypeSchema, ExpressedKeywords]:
        """Plan the type of objects; `alone` if the schema admits nothing else, so a class can express all of it."""
        only = schema if schema.get("type") == "object" else {**schema, "type": "object"}
        keyword = "anyOf" if only.get("anyOf") else "oneOf"
        choices = only.get(keyword)
        if choices and not {"properties", "additionalProperties", "allOf"} & only.keys():
            typed = [narrowed for c in choices if (narrowed := as_object(c)) is not False]
            type_schema = self._union(typed, pointer)
            if not alone or not type_schema:
                return type_schema, _NOTHING
            whole = all(object_view(c, self.lookup) for c in typed)
            return type_schema, self._chosen(keyword, typed, type_schema) | ({"type"} if whole else _NOTHING)
        view = object_view(only, self.lookup) or ObjectView()
        if view.properties:
            keywords = residual_keywords(only, view.expressed)
            own = keywords if alone else tuple(k for k in keywords if k in (*OBJECTS, "unevaluatedProperties"))
            expressed = EVERYTHING if alone else frozenset({"type", *OBJECTS, "unevaluatedProperties"})
            return self._new_class(pointer, view, only, own), expressed
        expressed = view.expressed if alone else view.expressed - {"$ref", "allOf"}
        if isinstance(view.extra, Mapping):
            return {"type": "object", "additionalProperties": self.plan_type(view.extra, *pointer, "value")}, expressed
        is_open = admits_everything(view.extra)
        return {"type": "object"}, expressed if is_open else expressed - {"additionalProperties", "$ref", "allOf"}

    def _named(self, pointer: NameSteps) -> ClassName:
        name = nested_class_name(self.stem, pointer, self.taken)
        self.taken.add(name)
        return name

    def _new_class(self, pointer: NameSteps, view: ObjectView, schema: Any, keywords: tuple[str, ...]) -> TypeSchema:
        # A schema that combines a recursive one with others has the same fields again at each depth.
        check = self._check(schema, keywords)
        found = next((known for known in (*self._repeated, *self._enclosing) if known[0] == check), None)
        if found is None:
            found = check, self._named(pointer)
            self._waiting.append((found[1], pointer, view, check, (*self._enclosing, found)))
        elif found not in self._repeated:
            self._repeated = (*self._repeated, found)
        return {"$ref": f"{PREFIX}{found[1]}"}

    def _union(self, choices: list[Any], pointer: NameSteps) -> TypeSchema:
        some = [choice for choice in choices if choice is not False]
        if len(some) > MAX_UNION:
            return {}
        plain = [c for c in some if not (isinstance(c, Mapping) and c.get("type") == "null")]
        if len(plain) == 1:
            return union_type([self.plan_type(c, *pointer) for c in some])
        tag = find_tag(plain, self.lookup)
        if tag is None:
            labels = branch_labels(some)
            return union_type([self.plan_type(c, *pointer, label) for c, label in zip(some, labels, strict=True)])
        name, texts = tag
        type_schemas = [self.plan_type(c, *pointer, "_or_".join(sorted(texts[i]))) for i, c in enumerate(plain)]
        found = union_type(type_schemas)
        field = self._tag_field(type_schemas, plain, name)
        if field is not None:
            alias = self._named(pointer or ("union",))
            self.items[alias] = AliasPlan(alias, None, found, self._check(True, ()), field)
            found = {"$ref": f"{PREFIX}{alias}"}
        return union_type([found, *({"type": "null"} for _ in some[len(plain) :])])

    def _tag_field(self, type_schemas: list[TypeSchema], choices: list[Any], tag: str) -> FieldName | None:
        """Return the field that distinguishes the classes of a union; None if some are no class or differ in it."""
        fields: set[FieldName] = set()
        for type_schema, choice in zip(type_schemas, choices, strict=True):
            view = object_view(choice, self.lookup)
            if type_schema.keys() != {"$ref"} or view is None or not view.properties:
                return None
            name = type_schema["$ref"].removeprefix(PREFIX)
            shared = self._followed(choice["$ref"])[1] if name in self.shared.values() else {}
            if isinstance(self.items.get(name), AliasPlan) or "$ref" in shared:
                return None
            fields.add(field_names(view.properties)[tag])
        return fields.pop() if len(fields) == 1 else None

    def _chosen(self, keyword: str, choices: list[Any], type_schema: TypeSchema) -> ExpressedKeywords:
        """Return the keyword of a choice if its union expresses the choice completely."""
        if not type_schema or (keyword == "oneOf" and not are_mutually_exclusive(choices, self.lookup)):
            return _NOTHING
        return frozenset({keyword})

    def _all_of(self, schema: Mapping[str, Any], pointer: NameSteps) -> tuple[TypeSchema, ExpressedKeywords]:
        """Plan the type of one of several combined schemas: every value of all of them is a value of that one."""
        parts = schema.get("allOf", ())
        if not parts:
            return {}, _NOTHING
        view = object_view(schema, self.lookup)
        if view is not None and view.properties and len(parts) > 1:
            keywords = residual_keywords(schema, view.expressed)
            return self._new_class(pointer, view, schema, keywords), EVERYTHING
        telling = [part for part in parts if not admits_everything(part)]
        type_schemas = (self.plan_type(part, *pointer) for part in telling)
        type_schema: TypeSchema = next((type_schema for type_schema in type_schemas if type_schema), {})
        return type_schema, frozenset({"allOf"}) if type_schema and len(telling) == 1 else _NOTHING

    def _reference(self, ref: str) -> tuple[TypeSchema, ExpressedKeywords]:
        """Plan the type of the target of a reference. A recursive definition that is not a class becomes any value."""
        key, target = self._followed(ref)
        expressed = frozenset({"$ref"})
        if key in self.shared:
            return {"$ref": f"{PREFIX}{self.shared[key]}"}, expressed
        if key in self._names:
            return {"$ref": f"{PREFIX}{self._names[key]}"}, expressed
        view = object_view(target, self.lookup)
        if view is not None and view.properties:
            name = self._names[key] = self._named((key,))
            check = self._check(target, residual_keywords(target, view.expressed))
            self._waiting.append((name, (key,), view, check, ()))
            return {"$ref": f"{PREFIX}{name}"}, expressed
        return ({}, _NOTHING) if key in self._open else (self._inline(key, target), expressed)

    def _followed(self, ref: str) -> tuple[str, Any]:
        """Follow references to the first shared type, class or other schema, and return its key and schema."""
        while True:
            key = ref.removeprefix(PREFIX) if ref.startswith(PREFIX) else "#"
            target = self.lookup(ref)
            known = key in self.shared or key in self._names
            if (
                known
                or not isinstance(target, Mapping)
                or "$ref" not in target
                or residual_keywords(target, frozenset({"$ref"}))
            ):
                return key, target
            ref = target["$ref"]

    def _inline(self, key: str, target: Any) -> TypeSchema:
        """Return the type schema of a definition that is not a class; a large one gets a name."""
        if key not in self._inlined:
            self._open.append(key)
            type_schema = self.plan_type(target, key)
            self._open.pop()
            if type_schema_size(type_schema) > MAX_INLINE:
                name = self._named((key,))
                self.items[name] = AliasPlan(name, None, type_schema, self._check(target, ()))
                type_schema = {"$ref": f"{PREFIX}{name}"}
            self._inlined[key] = type_schema
        return self._inlined[key]

    def _class(self, name: ClassName, pointer: NameSteps, view: ObjectView, check: Check) -> ClassPlan:
        names = field_names(view.properties)
        fields = tuple(self._field(pointer, wire, names[wire], sub, view) for wire, sub in view.properties.items())
        extras = self.plan_type(view.extra, *pointer, "extra") if isinstance(view.extra, Mapping) else {}
        return ClassPlan(name, view.description, fields, view.extra is False, extras, check)

    def _field(self, pointer: NameSteps, wire: str, name: FieldName, schema: Any, view: ObjectView) -> FieldPlan:
        type_schema = self.plan_type(schema, *pointer, wire)
        keywords = schema if isinstance(schema, Mapping) else {}
        description = description_of(keywords)
        if wire in view.required:
            return FieldPlan(name, wire, type_schema, "required", description=description)
        default = keywords.get("default")
        endless = has_instances(default, type_schema) and any(
            sub is schema for sub in walk_referenced_schemas(schema, self.root)
        )
        # A default that its own type refuses is left out. It has a finding.
        if default is not None and not endless and fits_type(default, keywords, ValueValidator(self.root)):
            parsed = isinstance(default, str | list | dict) and self._has_format(schema)
            parsed |= default_needs_parsing(default, type_schema)
            default = convert_whole_floats_in_default(default, type_schema)
            return FieldPlan(name, wire, type_schema, "optional", default, description, parsed)
        null = admits_null(schema, self.root)
        return FieldPlan(name, wire, type_schema, "optional" if null else "omittable", None, description)

    def _has_format(self, schema: Any) -> bool:
        """Return whether a string in a schema, or in one that it refers to, has another type in Python."""
        own, others = (sub for _, sub in walk_schemas(schema)), walk_referenced_schemas(schema, self.root)
        return any(isinstance(sub, Mapping) and sub.get("format") in FORMATS for sub in chain(own, others))


def _item(pointer: NameSteps) -> NameSteps:
    """Return the steps to the items of an array: the singular of its name if there is one, else `item`."""
    one = singularize(pointer[-1]) if pointer else None
    return (*pointer, "item") if one is None else (*pointer[:-1], one)
