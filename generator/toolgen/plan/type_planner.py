"""Type schemas of whole schemas: an interpretation of JSON Schema as types, which may admit more but never less.

Objects become classes whose names depend only on their own document. What a type cannot express (exclusive choice,
negation, conditions, counts of properties) becomes a check beside it: each type schema comes with the keywords that it
expresses completely, and a schema with others becomes a class, or a named type, with a check of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

from toolgen.plan.assertion_keywords import (
    EVERYTHING,
    EXPRESSED_BY_LITERALS,
    MAX_UNION,
    OBJECTS,
    TypeOfSchema,
    TypeSchema,
    admits_everything,
    array_counts,
    listed_in_choice,
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
    Presence,
    convert_whole_floats_in_default,
    default_needs_parsing,
    has_instances,
)
from toolgen.plan.names import ClassName, FieldName, field_names, nested_class_name, singularize
from toolgen.plan.object_views import (
    ObjectView,
    Tag,
    admits_null,
    admits_only_objects,
    are_mutually_exclusive,
    as_object,
    branch_labels,
    consists_of_classes,
    description_of,
    distributed,
    find_tag,
    object_view,
    unwrapped,
)
from toolgen.resolve.schema_locations import PREFIX, find_target, walk_referenced_schemas, walk_schemas
from toolgen.resolve.value_checks import ValueValidator, default_fits_type
from toolgen_runtime.tools.formats import FORMATS

MAX_INLINE = 200
"""The size up to which a definition is repeated wherever it is used. A larger one gets a name."""

MAX_NESTING = 90
"""The depth of nested schemas in one type. Deeper schemas become any value, with a check."""

_TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")

_NOTHING: frozenset[str] = frozenset()
"""The keywords that the type of any value expresses."""

NameSteps = tuple[str, ...]
"""The steps from the root or a definition to a schema: properties, and words for parts without a name."""


class PlannedClass(NamedTuple):
    """The name of a class, and the schema that it is made of."""

    check: Check
    name: ClassName


Enclosing = tuple[PlannedClass, ...]
"""The classes around a schema, from the nearest definition inwards."""


class WaitingClass(NamedTuple):
    """A class whose fields are not planned yet. `steps` lead to its schema."""

    name: ClassName
    steps: NameSteps
    view: ObjectView
    check: Check
    enclosing: Enclosing


class Definition(NamedTuple):
    """A definition in the schema: its key, which is `#` for the root, and its schema."""

    key: str
    schema: Any


class CheckedType(NamedTuple):
    """The type schema of a schema, and the keywords that it does not express, which a check has to contain."""

    type_schema: TypeSchema
    unexpressed: tuple[str, ...]


@dataclass(slots=True)
class TypePlanner:
    """Plans the types of one self-contained schema. `shared` are the definitions that are classes or aliases elsewhere.

    The names of all classes but the root's begin with `stem`.
    """

    root: Any
    root_name: ClassName
    stem: str
    shared: Mapping[str, str]
    used_names: set[str]
    items: dict[str, ClassPlan | AliasPlan] = field(default_factory=dict)
    _names: dict[str, ClassName] = field(default_factory=dict)
    """The names of the definitions that are classes, by key."""
    _inlined: dict[str, TypeSchema] = field(default_factory=dict)
    """The type schemas of the other definitions, by key."""
    _open: list[str] = field(default_factory=list)
    """The keys of the definitions that are being planned."""
    _nested: list[Any] = field(default_factory=list)
    """The schemas that are being planned, from the outermost inwards."""
    _recursive: set[int] = field(default_factory=set)
    """The identities of schemas that contain themselves. They become any value until the outermost one is planned."""
    _waiting: list[WaitingClass] = field(default_factory=list)
    _enclosing: Enclosing = ()
    """The classes around the one whose fields are being planned, and that one."""
    _repeated: Enclosing = ()
    """Classes of schemas that contain themselves by combination. All later uses refer to them."""
    _only_classes: bool = False
    """Whether an object without properties becomes a class too, because it is one of a union of classes."""

    def lookup(self, ref: str) -> Any:
        """Return the target of a reference."""
        return find_target(ref, self.root)

    def plan_arguments(self, description: str) -> None:
        """Plan the root as the arguments of a tool, which are an object: a union of classes if it is a choice, or a class."""
        schema = as_object(unwrapped(self.root, self.lookup), self.lookup)
        checked = self._choice_of_classes(schema)
        if checked is None:
            self.plan_root_class(description)
            return
        if admits_only_objects(self.root, self.lookup):
            self._names["#"] = self.root_name
        self._add_root_alias(description_of(self.root) or description, schema, checked)
        self.plan_waiting_classes()

    def plan_root(self) -> None:
        """Plan the root: the class of an object with properties, or a named type."""
        is_reference = isinstance(self.root, Mapping) and "$ref" in self.root
        view = None if is_reference else object_view(self.root, self.lookup)
        if view is not None and view.properties and not self._is_distributed(self.root):
            self.plan_root_class(None)
            return
        self._add_root_alias(description_of(self.root), self.root, self._checked_type(self.root, ()))
        self.plan_waiting_classes()

    def plan_root_class(self, description: str | None) -> None:
        """Plan the root as a class, whatever it admits."""
        view = object_view(self.root, self.lookup, assume=True) or ObjectView()
        if object_view(self.root, self.lookup) is not None:
            self._names["#"] = self.root_name
        view.description = view.description or description
        check = self._check(self.root, residual_keywords(self.root, view.expressed))
        self._waiting.append(WaitingClass(self.root_name, (), view, check, ()))
        self.plan_waiting_classes()

    def _choice_of_classes(self, schema: Any) -> CheckedType | None:
        """Plan a schema of objects as a union of classes; None if it is no choice, or one of too many."""
        if not isinstance(schema, Mapping) or not _is_choice_of_objects(distributed(schema, self.lookup)):
            return None
        self._only_classes = True
        checked = self._checked_type(schema, ())
        self._only_classes = False
        return checked if self._has_only_classes(checked.type_schema) else None

    def _has_only_classes(self, type_schema: TypeSchema) -> bool:
        """Return whether all values of a type are instances of classes."""
        if "anyOf" in type_schema:
            return all(map(self._has_only_classes, type_schema["anyOf"]))
        name = type_schema.get("$ref", "").removeprefix(PREFIX)
        item = self.items.get(name)
        if isinstance(item, AliasPlan):
            return self._has_only_classes(item.type_schema)
        keys = [key for key, local in self.shared.items() if local == name]
        return bool(name) and all(consists_of_classes(self.lookup(f"{PREFIX}{key}"), self.lookup) for key in keys)

    def _add_root_alias(self, description: str | None, schema: Any, checked: CheckedType) -> None:
        """Add the root, or the schema that it stands for, as a named type. A union that it consists of has no other name."""
        type_schema, unexpressed = checked
        union = self.items.get(type_schema.get("$ref", "").removeprefix(PREFIX))
        tag = None
        if isinstance(union, AliasPlan) and union.tag and type_schema not in self._inlined.values():
            del self.items[union.name]
            type_schema, tag = union.type_schema, union.tag
        check = self._check(schema, unexpressed)
        self.items[self.root_name] = AliasPlan(self.root_name, description, type_schema, check, tag)

    def plan_waiting_classes(self) -> None:
        """Plan the classes that are still waiting."""
        while self._waiting:
            waiting = self._waiting.pop(0)
            self._enclosing = waiting.enclosing
            self.items[waiting.name] = self._class(waiting)

    def plan_type(self, schema: Any, *steps: str) -> TypeSchema:
        """Return the type schema of a schema. Classes of objects in it are named after the steps that lead there."""
        type_schema, unexpressed = self._checked_type(schema, steps)
        if not unexpressed:
            return type_schema
        name = self._new_name(steps)
        self.items[name] = AliasPlan(name, description_of(schema), type_schema, self._check(schema, unexpressed))
        return {"$ref": f"{PREFIX}{name}"}

    def _check(self, schema: Any, keywords: tuple[str, ...]) -> Check:
        """Return the check of some keywords of a schema, whose references lead into the root."""
        return Check(schema, keywords, self.root)

    def _checked_type(self, schema: Any, steps: NameSteps) -> CheckedType:
        """Plan the type of a schema, and return the keywords that it does not express.

        A schema that contains itself, or is too deep, has the type of any value: none of its keywords is expressed.
        """
        if schema is False:
            return CheckedType({}, ("not",))
        if not isinstance(schema, Mapping):
            return CheckedType({}, ())
        if any(outer is schema for outer in self._nested):
            self._recursive.add(id(schema))
        if len(self._nested) == MAX_NESTING or id(schema) in self._recursive:
            return CheckedType({}, residual_keywords(schema, _NOTHING))
        self._nested.append(schema)
        type_schema, expressed = self._plan(schema, steps)
        self._nested.pop()
        if not self._nested:
            self._recursive.clear()
        return CheckedType(type_schema, residual_keywords(schema, expressed))

    def _plan(self, schema: Mapping[str, Any], steps: NameSteps) -> TypeOfSchema:
        """Plan the type of a schema by the first of its keywords that says most: a reference, values, types, a choice."""
        if "$ref" in schema:
            return self._reference(schema["$ref"])
        if "const" in schema or "enum" in schema:
            literal = literal_type(schema)
            if literal is not None:
                return TypeOfSchema(literal, EXPRESSED_BY_LITERALS)
        listed = listed_in_choice(schema)
        if listed is not None:
            return listed
        stated_type = schema.get("type")
        if isinstance(stated_type, list):
            return self._one_of_types(stated_type, schema, steps)
        if stated_type is not None:
            return self._typed(stated_type, schema, steps, alone=True)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                type_schema = self._union(schema[keyword], steps)
                return TypeOfSchema(type_schema, self._expressed_choice(keyword, schema[keyword], type_schema))
        return self._all_of(schema, steps)

    def _one_of_types(self, types: list[str], schema: Mapping[str, Any], steps: NameSteps) -> TypeOfSchema:
        """Plan the type of a schema that names several types. An integer is also a number."""
        distinct = [t for t in _TYPES if t in types and not (t == "integer" and "number" in types)]
        members = [self._typed(t, schema, steps, alone=len(distinct) == 1) for t in distinct]
        type_schema = union_type([member.type_schema for member in members])
        if not type_schema:
            return TypeOfSchema({}, _NOTHING)
        expressed = frozenset[str]().union(*(member.expressed for member in members))
        if not all("type" in member.expressed for member in members):
            expressed -= {"type"}
        return TypeOfSchema(type_schema, expressed)

    def _typed(self, kind: str, schema: Mapping[str, Any], steps: NameSteps, *, alone: bool) -> TypeOfSchema:
        """Plan the type of the values of one JSON type; `alone` if the schema admits no other type."""
        if kind == "array":
            return self._array(schema, steps)
        if kind == "object":
            return self._object(schema, steps, alone=alone)
        if kind in ("integer", "number"):
            return number_type(schema, kind)
        type_schema = text_type(schema) if kind == "string" else {"type": kind}
        return TypeOfSchema(type_schema, frozenset(type_schema))

    def _array(self, schema: Mapping[str, Any], steps: NameSteps) -> TypeOfSchema:
        """Plan the type of arrays: a list, or a tuple if the array has exactly the items of `prefixItems`."""
        prefix, items = schema.get("prefixItems"), schema.get("items", True)
        counts = array_counts(schema)
        expressed = frozenset({"type", *counts})
        if not prefix:
            list_type = {"type": "array", "items": self.plan_type(items, *_steps_to_items(steps)), **counts}
            return TypeOfSchema(list_type, expressed | {"items"})
        size = len(prefix)
        is_tuple = items is False and schema.get("minItems", 0) == size <= schema.get("maxItems", size)
        if not is_tuple:
            return TypeOfSchema({"type": "array", "items": {}, **counts}, expressed)
        members = [self.plan_type(sub, *steps, f"item{i}") for i, sub in enumerate(prefix, 1)]
        tuple_type = {"type": "array", "prefixItems": members, "items": False, "minItems": size, "maxItems": size}
        return TypeOfSchema(tuple_type, frozenset(tuple_type))

    def _object(self, schema: Mapping[str, Any], steps: NameSteps, *, alone: bool) -> TypeOfSchema:
        """Plan the type of objects; `alone` if the schema admits nothing else, so a class can express all of it."""
        object_schema = schema if schema.get("type") == "object" else {**schema, "type": "object"}
        choice = distributed(object_schema, self.lookup) if alone else object_schema
        keyword = "anyOf" if choice.get("anyOf") else "oneOf"
        if _is_choice_of_objects(choice):
            type_schema, expressed = self._choice_of_objects(keyword, choice[keyword], steps, alone=alone)
            if choice is object_schema:
                return TypeOfSchema(type_schema, expressed)
            if type_schema:
                combined = {"allOf", "$ref"} if keyword in expressed else _NOTHING
                return TypeOfSchema(type_schema, expressed | {"properties", "required"} | combined)
        view = object_view(object_schema, self.lookup) or ObjectView()
        if not view.properties and not self._only_classes:
            return self._dictionary(view, steps, alone=alone)
        unexpressed = residual_keywords(object_schema, view.expressed)
        if alone:
            return TypeOfSchema(self._new_class(steps, view, object_schema, unexpressed), EVERYTHING)
        # The other keywords also affect values of other types, so they are not for the check of the class.
        of_objects = frozenset({*OBJECTS, "unevaluatedProperties"})
        to_check = tuple(name for name in unexpressed if name in of_objects)
        return TypeOfSchema(self._new_class(steps, view, object_schema, to_check), of_objects | {"type"})

    def _dictionary(self, view: ObjectView, steps: NameSteps, *, alone: bool) -> TypeOfSchema:
        """Plan the type of objects without declared properties, by the schema of their values."""
        expressed = view.expressed if alone else view.expressed - {"$ref", "allOf"}
        if isinstance(view.extra, Mapping):
            values = self.plan_type(view.extra, *steps, "value")
            return TypeOfSchema({"type": "object", "additionalProperties": values}, expressed)
        if not admits_everything(view.extra):
            expressed -= {"additionalProperties", "$ref", "allOf"}
        return TypeOfSchema({"type": "object"}, expressed)

    def _choice_of_objects(self, keyword: str, choices: list[Any], steps: NameSteps, *, alone: bool) -> TypeOfSchema:
        """Plan the type of objects that `anyOf` or `oneOf` describes, with no properties beside it."""
        narrowed = [schema for choice in choices if (schema := as_object(choice, self.lookup)) is not False]
        type_schema = self._union(narrowed, steps)
        if not alone or not type_schema:
            return TypeOfSchema(type_schema, _NOTHING)
        expressed = self._expressed_choice(keyword, narrowed, type_schema)
        if all(admits_only_objects(choice, self.lookup) for choice in narrowed):
            expressed |= {"type"}
        return TypeOfSchema(type_schema, expressed)

    def _new_name(self, steps: NameSteps) -> ClassName:
        """Return a name for the class or the alias of a schema that no other has."""
        name = nested_class_name(self.stem, steps, self.used_names)
        self.used_names.add(name)
        return name

    def _new_class(self, steps: NameSteps, view: ObjectView, schema: Any, keywords: tuple[str, ...]) -> TypeSchema:
        """Return a reference to a class of this schema: a new one, or one around it that is made of the same schema."""
        # A schema that combines a recursive one with others has the same fields again at each depth.
        check = self._check(schema, keywords)
        planned = next((outer for outer in (*self._repeated, *self._enclosing) if outer.check == check), None)
        if planned is None:
            planned = PlannedClass(check, self._new_name(steps))
            self._waiting.append(WaitingClass(planned.name, steps, view, check, (*self._enclosing, planned)))
        elif planned not in self._repeated:
            self._repeated = (*self._repeated, planned)
        return {"$ref": f"{PREFIX}{planned.name}"}

    def _union(self, choices: list[Any], steps: NameSteps) -> TypeSchema:
        """Return the type schema of a choice; that of any value if the choice is too large."""
        possible = [choice for choice in choices if choice is not False]
        if len(possible) > MAX_UNION:
            return {}
        without_null = [c for c in possible if not (isinstance(c, Mapping) and c.get("type") == "null")]
        if len(without_null) == 1:
            return union_type([self.plan_type(c, *steps) for c in possible])
        tag = find_tag(without_null, self.lookup)
        if tag is None:
            labels = branch_labels(possible, self.lookup)
            return union_type([self.plan_type(c, *steps, label) for c, label in zip(possible, labels, strict=True)])
        tagged = self._tagged_union(without_null, tag, steps)
        return union_type([tagged] if len(without_null) == len(possible) else [tagged, {"type": "null"}])

    def _tagged_union(self, choices: list[Any], tag: Tag, steps: NameSteps) -> TypeSchema:
        """Return the type schema of a choice that a tag distinguishes. It has a name if classes have the tag as a field."""
        type_schemas = [self.plan_type(c, *steps, label) for c, label in zip(choices, tag.labels(), strict=True)]
        union = union_type(type_schemas)
        tag_field = self._tag_field(type_schemas, choices, tag.name)
        if tag_field is None:
            return union
        alias = self._new_name(steps or ("union",))
        self.items[alias] = AliasPlan(alias, None, union, self._check(True, ()), tag_field)
        return {"$ref": f"{PREFIX}{alias}"}

    def _tag_field(self, type_schemas: list[TypeSchema], choices: list[Any], tag: str) -> FieldName | None:
        """Return the field that distinguishes the classes of a union; None if some are no class, or it is not always text."""
        fields: set[FieldName] = set()
        for type_schema, choice in zip(type_schemas, choices, strict=True):
            view = object_view(choice, self.lookup)
            is_union = distributed(unwrapped(choice, self.lookup), self.lookup) is not unwrapped(choice, self.lookup)
            if (
                type_schema.keys() != {"$ref"}
                or is_union
                or view is None
                or not self._is_list_of_texts(view.properties[tag])
            ):
                return None
            name = type_schema["$ref"].removeprefix(PREFIX)
            shared_schema = self._followed(choice["$ref"]).schema if name in self.shared.values() else {}
            if isinstance(self.items.get(name), AliasPlan) or "$ref" in shared_schema:
                return None
            fields.add(field_names(view.properties)[tag])
        return fields.pop() if len(fields) == 1 else None

    def _is_list_of_texts(self, schema: Any) -> bool:
        """Return whether the type of a schema is only a `Literal` of strings: pydantic does not tell by others."""
        schema = unwrapped(schema, self.lookup)
        literal = literal_type(schema) if isinstance(schema, Mapping) and {"const", "enum"} & schema.keys() else None
        is_of_strings = literal is not None and literal.keys() == {"type", "enum"} and literal["type"] == "string"
        return is_of_strings and not residual_keywords(schema, EXPRESSED_BY_LITERALS)

    def _expressed_choice(self, keyword: str, choices: list[Any], type_schema: TypeSchema) -> frozenset[str]:
        """Return the keyword of a choice if its union expresses the choice completely; nothing if not."""
        if not type_schema or (keyword == "oneOf" and not are_mutually_exclusive(choices, self.lookup)):
            return _NOTHING
        return frozenset({keyword})

    def _all_of(self, schema: Mapping[str, Any], steps: NameSteps) -> TypeOfSchema:
        """Plan the type of one of several combined schemas: every value of all of them is a value of that one."""
        parts = schema.get("allOf", ())
        if not parts:
            return TypeOfSchema({}, _NOTHING)
        if self._is_distributed(schema):
            return self._object(schema, steps, alone=True)
        view = object_view(schema, self.lookup)
        if view is not None and view.properties and len(parts) > 1:
            keywords = residual_keywords(schema, view.expressed)
            return TypeOfSchema(self._new_class(steps, view, schema, keywords), EVERYTHING)
        restricting = [part for part in parts if not admits_everything(part)]
        type_schemas = (self.plan_type(part, *steps) for part in restricting)
        type_schema: TypeSchema = next(filter(None, type_schemas), {})
        is_expressed = bool(type_schema) and len(restricting) == 1
        return TypeOfSchema(type_schema, frozenset({"allOf"}) if is_expressed else _NOTHING)

    def _reference(self, ref: str) -> TypeOfSchema:
        """Plan the type of the target of a reference. A recursive definition that is not a class becomes any value."""
        key, target = self._followed(ref)
        expressed = frozenset({"$ref"})
        if key in self.shared:
            return TypeOfSchema({"$ref": f"{PREFIX}{self.shared[key]}"}, expressed)
        if key in self._names:
            return TypeOfSchema({"$ref": f"{PREFIX}{self._names[key]}"}, expressed)
        view = object_view(target, self.lookup)
        if view is not None and view.properties and not self._is_distributed(target):
            name = self._names[key] = self._new_name((key,))
            check = self._check(target, residual_keywords(target, view.expressed))
            self._waiting.append(WaitingClass(name, (key,), view, check, ()))
            return TypeOfSchema({"$ref": f"{PREFIX}{name}"}, expressed)
        if key in self._open:
            return TypeOfSchema({}, _NOTHING)
        return TypeOfSchema(self._inline(key, target), expressed)

    def _is_distributed(self, schema: Any) -> bool:
        """Return whether a schema is a choice of objects with shared properties, which is a union of classes."""
        return distributed(schema, self.lookup) is not schema

    def _followed(self, ref: str) -> Definition:
        """Follow references to the first shared type, class or other schema, and return its key and schema."""
        while True:
            key = ref.removeprefix(PREFIX) if ref.startswith(PREFIX) else "#"
            target = self.lookup(ref)
            is_reference = isinstance(target, Mapping) and "$ref" in target
            if (
                key in self.shared
                or key in self._names
                or not is_reference
                or residual_keywords(target, frozenset({"$ref"}))
            ):
                return Definition(key, target)
            ref = target["$ref"]

    def _inline(self, key: str, target: Any) -> TypeSchema:
        """Return the type schema of a definition that is not a class; a large one gets a name."""
        if key not in self._inlined:
            self._open.append(key)
            type_schema = self.plan_type(target, key)
            self._open.pop()
            if type_schema_size(type_schema) > MAX_INLINE:
                name = self._new_name((key,))
                self.items[name] = AliasPlan(name, None, type_schema, self._check(target, ()))
                type_schema = {"$ref": f"{PREFIX}{name}"}
            self._inlined[key] = type_schema
        return self._inlined[key]

    def _class(self, waiting: WaitingClass) -> ClassPlan:
        """Plan the fields of a class, and the type of the properties that it does not declare."""
        steps, view = waiting.steps, waiting.view
        names = field_names(view.properties)
        fields = tuple(self._field(steps, wire, names[wire], sub, view) for wire, sub in view.properties.items())
        extras = self.plan_type(view.extra, *steps, "extra") if isinstance(view.extra, Mapping) else {}
        return ClassPlan(waiting.name, view.description, fields, view.extra is False, extras, waiting.check)

    def _field(self, steps: NameSteps, wire: str, name: FieldName, schema: Any, view: ObjectView) -> FieldPlan:
        """Plan the field of a property. An unusable default is left out."""
        type_schema = self.plan_type(schema, *steps, wire)
        keywords = schema if isinstance(schema, Mapping) else {}
        description = description_of(keywords)
        if wire in view.required:
            return FieldPlan(name, wire, type_schema, "required", description=description)
        default = keywords.get("default")
        if default is None or not self._is_usable_default(default, keywords, type_schema):
            presence: Presence = "optional" if admits_null(schema, self.root) else "omittable"
            return FieldPlan(name, wire, type_schema, presence, None, description)
        may_have_format = isinstance(default, str | list | dict) and self._has_format(schema)
        needs_parsing = may_have_format or default_needs_parsing(default, type_schema)
        value = convert_whole_floats_in_default(default, type_schema)
        return FieldPlan(name, wire, type_schema, "optional", value, description, needs_parsing)

    def _is_usable_default(self, default: Any, schema: Mapping[str, Any], type_schema: TypeSchema) -> bool:
        """Return whether a field can have a default. One that its own type refuses has a finding elsewhere.

        Nor can it have one with instances of a class around the field, because each would contain another one.
        """
        is_endless = has_instances(default, type_schema) and any(
            sub is schema for sub in walk_referenced_schemas(schema, self.root)
        )
        return not is_endless and default_fits_type(default, schema, ValueValidator(self.root))

    def _has_format(self, schema: Any) -> bool:
        """Return whether a string in a schema, or in one that it refers to, has another type in Python."""
        own, referenced = (sub for _, sub in walk_schemas(schema)), walk_referenced_schemas(schema, self.root)
        return any(isinstance(sub, Mapping) and sub.get("format") in FORMATS for sub in chain(own, referenced))


def _is_choice_of_objects(schema: Mapping[str, Any]) -> bool:
    """Return whether a schema of objects only chooses between others, without properties of its own."""
    has_choice = bool(schema.get("anyOf") or schema.get("oneOf"))
    return has_choice and not {"properties", "additionalProperties", "allOf", "$ref"} & schema.keys()


def _steps_to_items(steps: NameSteps) -> NameSteps:
    """Return the steps to the items of an array: the singular of its name if there is one, else `item`."""
    singular = singularize(steps[-1]) if steps else None
    return (*steps, "item") if singular is None else (*steps[:-1], singular)
