"""Shapes of whole schemas: our own reading of JSON Schema as types, which may admit more but never less.

Objects become classes whose names depend on their own document alone. What types cannot say (exclusive choice,
negation, conditions, counts of properties) is left to the check beside the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolgen.plan.classes import ClassPlan, FieldPlan
from toolgen.plan.names import ClassName, field_names, type_name
from toolgen.plan.nullability import PREFIX, admits_null
from toolgen.plan.objects import ObjectView, object_view
from toolgen.plan.scalars import MAX_UNION, Shape, array_counts, literal_shape, number_shape, text_shape, union

MAX_INLINE = 200
"""Keywords of a definition that is written out at each of its places. A larger one becomes any value there."""

MAX_NESTING = 90
"""Schemas inside schemas that are written out in one type. What is deeper becomes any value."""

_TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")


@dataclass(slots=True)
class Shaper:
    """Shapes of one self-contained schema. `shared` are the definitions that are classes or aliases elsewhere."""

    root: Any
    root_name: ClassName
    shared: Mapping[str, str]
    taken: set[str]
    classes: dict[str, ClassPlan] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    _names: dict[str, ClassName] = field(default_factory=dict)
    _inlined: dict[str, Shape] = field(default_factory=dict)
    _open: list[str] = field(default_factory=list)
    _depth: int = 0
    _waiting: list[tuple[ClassName, ObjectView, str | None]] = field(default_factory=list)

    @property
    def definitions(self) -> Mapping[str, Any]:
        """The definitions of the schema."""
        return self.root.get("$defs", {}) if isinstance(self.root, Mapping) else {}

    def lookup(self, ref: str) -> Any:
        """The target of a reference."""
        return self.definitions[ref.removeprefix(PREFIX)] if ref.startswith(PREFIX) else self.root

    def object_root(self, description: str | None) -> None:
        """Plan the root as a class, whatever its schema says: the arguments of a tool are an object."""
        view = object_view(self.root, self.lookup, assume=True) or ObjectView()
        self._names["#"] = self.root_name
        self._waiting.append((self.root_name, view, view.description or description))
        self.finish()

    def finish(self) -> None:
        """Plan the classes that were met and not yet planned."""
        while self._waiting:
            name, view, description = self._waiting.pop()
            self.classes[name] = self._class(name, view, description)

    def shape(self, schema: Any, *way: str) -> Shape:
        """The shape of a schema; `way` names the classes of objects in it."""
        if not isinstance(schema, Mapping) or self._depth == MAX_NESTING:
            return {}
        self._depth += 1
        shape = self._shape(schema, way)
        self._depth -= 1
        return shape

    def _shape(self, schema: Mapping[str, Any], way: tuple[str, ...]) -> Shape:
        if "$ref" in schema:
            return self._reference(schema["$ref"], way)
        if "const" in schema or "enum" in schema:
            literal = literal_shape(schema)
            if literal is not None:
                return literal
        named = schema.get("type")
        if isinstance(named, list):
            return union([self._typed(t, schema, way) for t in _TYPES if t in named])
        if named is not None:
            return self._typed(named, schema, way)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                return self._union(schema[keyword], way)
        return self._all_of(schema, way)

    def _typed(self, kind: str, schema: Mapping[str, Any], way: tuple[str, ...]) -> Shape:
        if kind == "string":
            return text_shape(schema)
        if kind in ("integer", "number"):
            return number_shape(schema, kind)
        if kind == "array":
            return self._array(schema, way)
        if kind == "object":
            return self._object(schema, way)
        return {"type": kind}

    def _array(self, schema: Mapping[str, Any], way: tuple[str, ...]) -> Shape:
        prefix, rest = schema.get("prefixItems"), schema.get("items", True)
        if not prefix:
            return {
                "type": "array",
                "items": self.shape(rest, *way, "item"),
                **array_counts(schema),
            }
        size = len(prefix)
        closed = rest is False and schema.get("minItems", 0) == size <= schema.get("maxItems", size)
        if not closed:
            return {"type": "array", "items": {}, **array_counts(schema)}
        members = [self.shape(sub, *way, f"item{i}") for i, sub in enumerate(prefix, 1)]
        return {
            "type": "array",
            "prefixItems": members,
            "items": False,
            "minItems": size,
            "maxItems": size,
        }

    def _object(self, schema: Mapping[str, Any], way: tuple[str, ...]) -> Shape:
        only = schema if schema.get("type") == "object" else {**schema, "type": "object"}
        choices = only.get("anyOf") or only.get("oneOf")
        if choices and not {"properties", "additionalProperties", "allOf"} & only.keys():
            typed = [{"type": "object", **c} if isinstance(c, Mapping) and "$ref" not in c else c for c in choices]
            return self._union(typed, way)
        view = object_view(only, self.lookup) or ObjectView()
        if view.properties:
            return self._new_class(type_name(*way, taken=self.taken), view, view.description)
        if isinstance(view.extra, Mapping):
            return {"type": "object", "additionalProperties": self.shape(view.extra, *way, "value")}
        return {"type": "object"}

    def _new_class(self, name: ClassName, view: ObjectView, description: str | None) -> Shape:
        self.taken.add(name)
        self._waiting.append((name, view, description))
        return {"$ref": f"{PREFIX}{name}"}

    def _union(self, choices: list[Any], way: tuple[str, ...]) -> Shape:
        some = [choice for choice in choices if choice is not False]
        if len(some) > MAX_UNION:
            return {}
        plain = [c for c in some if not (isinstance(c, Mapping) and c.get("type") == "null")]
        if len(plain) == 1:
            return union([self.shape(c, *way) for c in some])
        return union([self.shape(choice, *way, f"option{i}") for i, choice in enumerate(some, 1)])

    def _all_of(self, schema: Mapping[str, Any], way: tuple[str, ...]) -> Shape:
        """One of several schemas that hold together is enough: a value of all of them is a value of it."""
        parts = schema.get("allOf", ())
        if not parts:
            return {}
        view = object_view(schema, self.lookup)
        if view is not None and view.properties and len(parts) > 1:
            return self._new_class(type_name(*way, taken=self.taken), view, view.description)
        shapes = (self.shape(part, *way) for part in parts)
        return next((shape for shape in shapes if shape), {})

    def _reference(self, ref: str, way: tuple[str, ...]) -> Shape:
        key, target = self._followed(ref)
        if key in self.shared:
            self.used.add(key)
            return {"$ref": f"{PREFIX}{self.shared[key]}"}
        if key in self._names:
            return {"$ref": f"{PREFIX}{self._names[key]}"}
        view = object_view(target, self.lookup)
        if view is not None and view.properties:
            name = type_name(self.root_name, key, taken=self.taken)
            self._names[key] = name
            return self._new_class(name, view, view.description)
        return self._inline(key, target)

    def _followed(self, ref: str) -> tuple[str, Any]:
        """The key and the schema at the end of a chain of references, or where a shared type or a class is met."""
        while True:
            key = ref.removeprefix(PREFIX) if ref.startswith(PREFIX) else "#"
            target = self.lookup(ref)
            known = key in self.shared or key in self._names
            if known or not isinstance(target, Mapping) or "$ref" not in target:
                return key, target
            ref = target["$ref"]

    def _inline(self, key: str, target: Any) -> Shape:
        """The shape of a definition that is no class; inside itself it is any value."""
        if key in self._open:
            return {}
        if key not in self._inlined:
            self._open.append(key)
            shape = self.shape(target, self.root_name, key)
            self._open.pop()
            self._inlined[key] = shape if _size(shape) <= MAX_INLINE else {}
        return self._inlined[key]

    def _class(self, name: ClassName, view: ObjectView, description: str | None) -> ClassPlan:
        names = field_names(view.properties)
        fields = tuple(self._field(name, wire, names[wire], sub, view) for wire, sub in view.properties.items())
        extras = self.shape(view.extra, name, "extra") if isinstance(view.extra, Mapping) else {}
        return ClassPlan(name, description, fields, view.extra is False, extras)

    def _field(self, owner: ClassName, wire: str, name: Any, schema: Any, view: ObjectView) -> FieldPlan:
        shape = self.shape(schema, owner, wire)
        said = schema if isinstance(schema, Mapping) else {}
        description = said.get("description")
        if wire in view.required:
            return FieldPlan(name, wire, shape, "required", description=description)
        default = said.get("default")
        if default is not None:
            if shape.get("type") == "integer" and isinstance(default, float):
                default = int(default)
            return FieldPlan(name, wire, shape, "optional", default, description)
        null = shape == {} or admits_null(schema, self.definitions, self.root)
        if null and shape:
            shape = union([shape, {"type": "null"}])
        return FieldPlan(name, wire, shape, "optional" if null else "omittable", None, description)


def _size(shape: Any) -> int:
    """The number of keywords and members in a shape."""
    total, stack = 0, [shape]
    while stack:
        here = stack.pop()
        total += 1
        if isinstance(here, dict):
            stack.extend(here.values())
        elif isinstance(here, list):
            stack.extend(here)
    return total
