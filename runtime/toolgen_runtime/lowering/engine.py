"""Lowering of one schema and its subschemas: references, unions, the keywords of each type, and what is recorded of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, NamedTuple

from ..conversion.encoding import Encoding, Table
from ..json_text import dump_allowing_nan
from ..json_values import same_json
from .dialects import Dialect
from .disjoint_branches import exclude_each_other
from .lowered_schema import SchemaChange
from .references import References, RetainedDefinitions, always_declared_names
from .schemas import (
    ANNOTATIONS,
    IDENTITY,
    SCHEMA_LISTS,
    SCHEMA_MAPS,
    SCHEMA_VALUES,
    STRUCTURE,
    TYPES_OF_KEYWORD,
    VALIDATED,
    Pointer,
    conditional_schemas,
    conditionally_required_names,
    declared_types,
    declares_null,
    either_of,
    has_json_type,
    is_any_name,
    json_type,
    list_at,
    listed_values,
    merge_schemas,
    names_in_all,
    object_at,
    property_names,
    required_names,
    select_annotations,
    split_off_nullability,
    without_keywords,
)
from .sentences import add_sentences, describe_needs, describe_rule
from .tables import (
    admits_plain_text,
    changes_values,
    encode_as_unique_texts,
    inner_tables,
    sends_as_text,
    tell_listed_values_apart,
)

__all__ = [
    "DEPENDENT",
    "NEVER",
    "UNIONS",
    "LoweredNode",
    "LoweringContext",
    "NodeLowering",
    "RefStack",
    "TooLargeError",
    "with_plain_numbers",
    "write_needed_items",
]

NEVER: Final[dict[str, Any]] = {"not": {}}
"""The schema that admits no value. It is compared by identity."""

UNIONS: Final = ("anyOf", "oneOf")

RefStack = tuple[Pointer, ...]
"""The targets of the references that led to a schema."""

_MOST_SCHEMAS = 4000
"""Maximum number of schemas that one lowering creates beyond two for each schema of the source."""
_MOST_MERGES = 50
"""Maximum number of nested `allOf` that are merged into one schema."""
_DEEPEST_UNION = 8
"""Maximum depth of unions that are searched for null."""
_CONDITIONS = frozenset(["allOf", "if", "dependentSchemas", "dependentRequired", "dependencies"])
_DECLARING = (*UNIONS, "if", "dependentSchemas", "dependencies")
"""Keywords with schemas that can declare properties, of which a merge keeps only one."""
_ASSERTIONS = frozenset(["required", "not", "minProperties", "maxProperties", "dependentRequired"]) | ANNOTATIONS
"""Keywords of a branch that has no value of its own."""
_OF_OBJECTS = frozenset(["properties", "required", "additionalProperties", "patternProperties", "minProperties"])
_WITH_SCHEMAS = frozenset([*SCHEMA_MAPS, *SCHEMA_LISTS, *SCHEMA_VALUES])
_ANY_KEYWORD = Dialect({"keywords": "any", "refs": "inline", "recursion": "unroll"})
_NULL = {"type": "null"}


class TooLargeError(Exception):
    """The result would be too large."""


class LoweredNode(NamedTuple):
    """A lowered schema, and the encoding of its values. The schema is NEVER if it admits no value."""

    schema: dict[str, Any]
    encoding: Table | None = None


class LoweringContext:
    """The state of one lowering: its changes, and the definitions that are kept.

    `wrapped` means that the root is wrapped in a property. `union_entries` has entries of encoding tables with schemas in
    place of shapes, which are not known before everything is lowered. `empty` has the targets of references that admit no
    value. `alternatives` has, by the id of a property which an object has only in some cases, the schemas that it is made
    of.
    """

    def __init__(
        self, source: Mapping[str, Any], dialect: Dialect, depth: int, empty: frozenset[Pointer] = frozenset()
    ) -> None:
        """Set the whole schema, its dialect, the depth to which recursion is expanded, and the known empty targets."""
        self.dialect = dialect
        self.depth = depth
        self.empty = empty
        self.references = References(source)
        self.changes: dict[tuple[Pointer, str, str], SchemaChange] = {}
        self.retained = RetainedDefinitions()
        self.wrapped = False
        self.union_entries: list[list[Any]] = []
        self.alternatives: dict[int, list[Any]] = {}
        self._new_schemas: list[dict[str, Any]] = []  # kept, so that no other schema gets the same id
        self._pointers: dict[int, Pointer] = {}
        self._schemas_left = _MOST_SCHEMAS
        for pointer, schema in self.references.walk_schemas():
            self._pointers.setdefault(id(schema), pointer)
            self._schemas_left += 2

    def are_names_legal(self) -> bool:
        """Return whether the dialect supports the names of all properties."""
        legal = self.dialect.properties
        if legal is None:
            return True
        schemas = (schema for _, schema in self.references.walk_schemas())
        return all(legal.fullmatch(name) for schema in schemas for name in object_at(schema, "properties"))

    def allows_description(self, pointer: Pointer) -> bool:
        """Return whether a schema at this location can have a description."""
        return self.dialect.supports("description") and (
            pointer != () or "description" not in self.dialect.root.get("without", ())
        )

    def count_schema(self) -> None:
        """Count a schema that is created.

        Raises:
            TooLargeError: There are too many.
        """
        self._schemas_left -= 1
        if self._schemas_left < 0:
            raise TooLargeError

    def record_change(self, pointer: Pointer, what: str, action: Any, reason: str, **details: Any) -> None:
        """Record a change. The same change at the same location is recorded once, with all its consequences."""
        change = SchemaChange(pointer, what, action, reason, **details)
        recorded = self.changes.setdefault((pointer, what, action), change)
        if (change.blocks_strict, change.is_unsupported) > (recorded.blocks_strict, recorded.is_unsupported):
            self.changes[pointer, what, action] = recorded._replace(
                blocks_strict=True, is_unsupported=change.is_unsupported or recorded.is_unsupported
            )

    def record_dropped(self, pointer: Pointer, what: str, reason: str, *, blocks_strict: bool = False) -> None:
        """Record a rule that is not sent, and that only `parse_arguments` enforces."""
        self.record_change(pointer, what, "dropped", reason, checked="parse_arguments", blocks_strict=blocks_strict)

    def record_unsupported(self, pointer: Pointer, what: str, reason: str) -> None:
        """Record that values are admitted which the dialect has no way to express."""
        self.record_change(pointer, what, "narrowed", reason, blocks_strict=True, is_unsupported=True)

    def record_described(self, pointer: Pointer, what: str, sentence: object, reason: str) -> None:
        """Record a rule that becomes a sentence. Without a sentence or a description to put it in, it is dropped."""
        action = "described" if sentence and self.allows_description(pointer) else "dropped"
        self.record_change(pointer, what, action, reason, checked="parse_arguments")

    def record_conflicts(self, pointer: Pointer, keywords: Iterable[str]) -> None:
        """Record keywords with two conflicting values, of which only one could be kept."""
        for keyword in keywords:
            self.record_dropped(pointer, keyword, "two values of the same keyword apply at once")

    def record_source_pointer(self, schema: dict[str, Any], pointer: Pointer) -> dict[str, Any]:
        """Record the location in the source that a new schema corresponds to, and return the schema."""
        self._new_schemas.append(schema)
        self._pointers[id(schema)] = pointer
        return schema

    def pointer_of(self, schema: Any) -> Pointer | None:
        """Return the location in the source that a schema corresponds to. None if it has none."""
        return self._pointers.get(id(schema))

    def source_pointer_of(self, schema: Any, default: Pointer) -> Pointer:
        """Return the location in the source that a schema corresponds to."""
        return self._pointers.get(id(schema), default)

    def lower_node(self, schema: Any, pointer: Pointer, ref_stack: RefStack = ()) -> LoweredNode:
        """Lower a schema. `pointer` is its location, unless another one was recorded for it."""
        if schema is False:
            return LoweredNode(NEVER)
        if type(schema) is not dict:
            schema = {}
        self.count_schema()
        pointer = self.source_pointer_of(schema, pointer)
        if "$ref" in schema:
            return _lower_reference(self, schema, pointer, ref_stack)
        source = schema
        schema, ref_stack = self.merge_all_of(schema, pointer, ref_stack)
        is_object = "object" in declared_types(schema) or "properties" in schema
        if is_object and not source.keys().isdisjoint(_CONDITIONS):
            unsent = _conditions_not_sent(self, source, schema)
            schema, ref_stack = self.declare_conditional_properties(unsent, schema, pointer, ref_stack)
        if schema is NEVER or schema.get("type") == []:  # merged types that exclude each other
            return LoweredNode(NEVER)
        schema, ref_stack = _with_one_union(self, schema, pointer, ref_stack)
        return _lower_nullable(self, schema, pointer, ref_stack)

    def resolve(self, schema: Any, ref_stack: RefStack) -> tuple[Any, RefStack]:
        """Resolve the references of a schema, and merge the keywords next to them. A cycle ends in an empty schema.

        The second value has the references that led to the result. Recursion that is not expanded any deeper is recorded.
        """
        resolved: set[Pointer] = set()
        while type(schema) is dict and "$ref" in schema:
            target = self.references.target_pointer(schema["$ref"])
            siblings = without_keywords(schema, ("$ref",))
            if target is None or target in resolved:
                return siblings, ref_stack
            if ref_stack.count(target) > self.depth:
                self.record_dropped(target, "$ref", f"recursion is only expanded {self.depth + 1} levels deep here")
                return siblings, ref_stack
            resolved.add(target)
            ref_stack = (*ref_stack, target)
            value = self.references.value_at(target)
            if type(value) is not dict:
                return siblings or value, ref_stack
            schema = self.merge_target(siblings, target, [])
        return schema, ref_stack

    def merged(self, schema: Any) -> Any:
        """Return a schema without references and `allOf` at its root. False if they exclude each other."""
        resolved, stack = self.resolve(schema, ())
        merged = self.merge_all_of(resolved, (), stack)[0] if type(resolved) is dict else resolved
        return False if merged is NEVER else merged

    def merge_target(self, siblings: dict[str, Any], target: Pointer, conflicts: list[str]) -> dict[str, Any]:
        """Merge the target of a reference with the keywords next to it. Two unions become parts of `allOf`."""
        value = self.references.value_at(target)
        has_two_unions = any(key in siblings and key in value for key in UNIONS)
        merged = {"allOf": [siblings, value]} if has_two_unions else merge_schemas(siblings, value, conflicts)
        return self.record_source_pointer(merged, target)

    def merge_all_of(
        self, schema: dict[str, Any], pointer: Pointer, ref_stack: RefStack
    ) -> tuple[dict[str, Any], RefStack]:
        """Merge the parts of `allOf` into the schema that contains them. Of several unions, the first one is kept."""
        merges = 0
        dropped: list[Any] = []
        while type(schema.get("allOf")) is list and merges < _MOST_MERGES:
            merges += 1
            conflicts: list[str] = []
            merged = without_keywords(schema, ("allOf",))
            for part in schema["allOf"]:
                resolved, ref_stack = self.resolve(part, ref_stack)
                if resolved is False:
                    return NEVER, ref_stack
                if type(resolved) is dict:
                    conflicts_of_part: list[str] = []
                    merged = merge_schemas(merged, resolved, conflicts_of_part)
                    conflicts += conflicts_of_part
                    for key in conflicts_of_part:
                        if key in _DECLARING:
                            dropped.append({k: resolved[k] for k in (key, "then", "else") if k in resolved})
            self.record_conflicts(pointer, conflicts)
            schema = self.record_source_pointer(merged, pointer)
        if dropped:
            condition = {"if": True, "then": {"allOf": dropped}}
            return self.declare_conditional_properties(condition, schema, pointer, ref_stack)
        return schema, ref_stack

    def names_in_branches(self, schema: dict[str, Any], union: str, ref_stack: RefStack) -> list[set[str]]:
        """Return the properties that each branch of a union declares."""
        resolved = [self.resolve(branch, ref_stack)[0] for branch in list_at(schema, union)]
        return [property_names(branch) if type(branch) is dict else set() for branch in resolved]

    def resolve_nullability(self, schema: Any, pointer: Pointer, depth: int = 0) -> bool:
        """Resolve a schema, and return whether it, or a branch of it, states that it admits null."""
        resolved, _ = self.resolve(schema, ())
        if type(resolved) is not dict or declares_null(resolved):
            return declares_null(resolved)
        merged, _ = self.merge_all_of(resolved, pointer, ())
        if declares_null(merged):
            return True
        branches = merged.get("anyOf", merged.get("oneOf"))
        if declared_types(merged) or type(branches) is not list or depth >= _DEEPEST_UNION:
            return False
        return any(self.resolve_nullability(branch, pointer, depth + 1) for branch in branches)

    def declare_conditional_properties(
        self, source: dict[str, Any], schema: dict[str, Any], pointer: Pointer, ref_stack: RefStack
    ) -> tuple[dict[str, Any], RefStack]:
        """Declare the properties of an object that it has only under a condition which is not sent.

        Without them, a model does not know of these properties, and cannot send them if the object is closed.
        `source` is the schema before its `allOf` was merged, or a condition in place of the unions that were dropped;
        `schema` is the schema after that. Return it with the properties, and with the references that led to them.
        """
        if schema.get("additionalProperties") is False:
            return schema, ref_stack
        inner_references: dict[Pointer, None] = {}

        def resolve(inner: Any) -> Any:
            resolved, stack = self.resolve(inner, ref_stack)
            inner_references.update(dict.fromkeys(stack[len(ref_stack) :]))
            return resolved

        declared = object_at(schema, "properties")
        unions = {key: schema[key] for key in UNIONS if type(schema.get(key)) is list}
        certain = always_declared_names(unions, resolve)
        certain |= {name for name, value in declared.items() if id(value) not in self.alternatives}
        sendable = set(declared).union(
            *(names for key in unions for names in self.names_in_branches(schema, key, ref_stack))
        )
        conditional = list(conditional_schemas(source, resolve))
        alternatives: dict[str, list[Any]] = {}
        for inner in conditional:
            uncertain = {name: value for name, value in object_at(inner, "properties").items() if name not in certain}
            self._add_alternatives(alternatives, uncertain, declared)
        for inner in conditional_schemas(unions, resolve, applies=True):
            properties = object_at(inner, "properties")
            also_in_union = {name: value for name, value in properties.items() if name in alternatives}
            self._add_alternatives(alternatives, also_in_union, declared)
        if self.dialect.closed or self.dialect.says_open:
            self._record_undeclared(source, conditional, sendable.union(alternatives), pointer)
        certain = always_declared_names(source, resolve)
        uncertain_names = [name for name in alternatives if name not in certain]
        self._record_sent_without_condition(uncertain_names, pointer)
        if not alternatives:
            return schema, ref_stack
        with_added = self._with_alternatives(schema, alternatives, uncertain_names, pointer)
        return with_added, (*ref_stack, *inner_references)

    def _record_undeclared(
        self, source: dict[str, Any], conditional: list[Mapping[str, Any]], sendable: set[str], pointer: Pointer
    ) -> None:
        """Record the properties that a condition requires, but that cannot be sent, because nothing declares them."""
        required = conditionally_required_names(source)
        for inner in conditional:
            required += [*required_names(inner), *conditionally_required_names(inner)]
        for name in dict.fromkeys(required):
            if name not in sendable:
                reason = "a condition requires it, but it is declared nowhere, so it cannot be sent"
                self.record_change((*pointer, "required"), name, "narrowed", reason, blocks_strict=True)

    def _record_sent_without_condition(self, names: list[str], pointer: Pointer) -> None:
        """Record the properties that are declared only under a condition, and are sent without it."""
        restricts_names = self.dialect.closed or self.dialect.says_open
        action, checked = ("rewritten", "parse_arguments") if restricts_names else ("narrowed", "")
        for name in names:
            reason = "it is only declared under a condition, and is sent without it"
            self.record_change((*pointer, "properties", name), "a property", action, reason, checked=checked)

    def _with_alternatives(
        self, schema: dict[str, Any], alternatives: dict[str, list[Any]], uncertain: list[str], pointer: Pointer
    ) -> dict[str, Any]:
        """Return a schema with a property for each name, which has one of its schemas. Those of `uncertain` are recorded."""
        added = {name: either_of(schemas) for name, schemas in alternatives.items()}
        further = schema.get("additionalProperties")
        if type(further) is dict and "patternProperties" not in schema:
            added = {name: {"allOf": [further, value]} for name, value in added.items()}
        for name in uncertain:
            if type(added[name]) is dict:
                self.alternatives[id(added[name])] = alternatives[name]
        properties = {**object_at(schema, "properties"), **added}
        return self.record_source_pointer({**schema, "properties": properties}, pointer)

    def _add_alternatives(
        self, alternatives: dict[str, list[Any]], properties: dict[str, Any], declared: dict[str, Any]
    ) -> None:
        """Add properties to the different schemas that each name has so far. `declared` has those of the object itself."""
        for name, schema in properties.items():
            if schema is not False:
                schemas = alternatives.setdefault(name, [*self.alternatives.get(id(declared.get(name)), ())])
                if not any(same_json(schema, earlier) for earlier in schemas):
                    schemas.append(schema)


@dataclass(slots=True)
class NodeLowering:
    """The lowering of one schema: the context, the schema, where it is, and the references that led to it.

    `kinds` are its types. `out` has what is written of it so far, and `sentences` what its description will say.
    `values_encoded` means that its values are encoded, so that rules with schemas for them cannot be kept.
    """

    context: LoweringContext
    source: dict[str, Any]
    pointer: Pointer
    ref_stack: RefStack = ()
    kinds: tuple[str, ...] = ()
    out: dict[str, Any] = field(default_factory=dict)
    sentences: list[str] = field(default_factory=list)
    values_encoded: bool = False

    @property
    def dialect(self) -> Dialect:
        """The dialect of the context."""
        return self.context.dialect

    @property
    def wire_type(self) -> str | None:
        """The type on the wire. None if it is not known, or if there are several."""
        kind = self.out.get("type")
        return kind if type(kind) is str else None

    def lower_inner(self, schema: Any, *keys: str | int) -> LoweredNode:
        """Lower a schema inside this one, at these keys."""
        return self.context.lower_node(schema, (*self.pointer, *keys), self.ref_stack)

    def describe(self, what: str, sentence: str, reason: str) -> None:
        """Describe a rule that is not sent in a sentence, and record it. Without a sentence, it is dropped."""
        self.sentences.append(sentence)
        self.context.record_described(self.pointer, what, sentence, reason)

    def leave_out(self, keyword: str, value: Any, reason: str) -> None:
        """Leave out a keyword, and describe it if possible. One that says nothing is not recorded."""
        if keyword == "propertyNames":
            value = self.context.merged(value)
            if is_any_name(value):
                return
        text = describe_rule(keyword, value) if self.context.allows_description(self.pointer) else ""
        if text:
            self.sentences.append(text)
        elif keyword in ANNOTATIONS and (value is None or value == "" or value == []):
            return
        checked = "parse_arguments" if keyword in VALIDATED else ""
        self.context.record_change(self.pointer, keyword, "described" if text else "dropped", reason, checked=checked)


def _unsupported_reason(what: str) -> str:
    """Return the reason why a keyword is not sent."""
    return f"{what} is not supported by this provider"


def _lower_nullable(
    context: LoweringContext, schema: dict[str, Any], pointer: Pointer, ref_stack: RefStack
) -> LoweredNode:
    """Lower a schema without references, `allOf` and `oneOf`. Null is split off, and added in the form of the dialect."""
    rules, nullable = split_off_nullability(schema)
    if nullable and context.dialect.nullable == "none" and type(rules.get("enum")) is list:
        rules, nullable = schema, False  # a listed null is sent as text, like the other values
    if type(rules.get("anyOf")) is list:
        out, encoding = _lower_union(context, rules, pointer, ref_stack)
    else:
        out, encoding = _lower_typed(context, rules, pointer, ref_stack)
    if nullable and out is NEVER:  # the rest excludes everything else
        only_null = context.record_source_pointer({"type": "null", **select_annotations(rules)}, pointer)
        return _lower_typed(context, only_null, pointer, ref_stack)
    if not nullable or encoding == {"json": True}:
        return LoweredNode(out, encoding)
    if context.dialect.nullable == "none":
        context.record_change(pointer, "null", "narrowed", "null is not supported by this provider")
    return LoweredNode(_add_null(out, context.dialect), encoding)


def _add_null(out: dict[str, Any], dialect: Dialect) -> dict[str, Any]:
    """Return a lowered schema that also admits null, in the form that the dialect uses."""
    if dialect.nullable == "flag":
        return {**out, "nullable": True}
    if dialect.nullable == "none" or out == {} or "null" in declared_types(out):
        return out
    if type(out.get("anyOf")) is list:
        branches = out["anyOf"] if _NULL in out["anyOf"] else [*out["anyOf"], dict(_NULL)]
        return {**out, "anyOf": branches}
    if dialect.nullable == "type_list" and _can_list_null(out, dialect):
        return _with_listed_null(out)
    if out.keys() <= ANNOTATIONS:
        return out
    return {"anyOf": [without_keywords(out, ANNOTATIONS), dict(_NULL)], **select_annotations(out)}


def _can_list_null(out: dict[str, Any], dialect: Dialect) -> bool:
    """Return whether null can be one of the types and values that a lowered schema lists."""
    has_values = "enum" in out or "const" in out
    if has_values and dialect.enum not in ("any", "scalars"):
        return False
    return ("type" in out or has_values) and out.keys().isdisjoint(("if", "not", "$ref"))


def _with_listed_null(out: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that also permits null, in its types and in the values that it lists."""
    wider = dict(out)
    if "type" in out:
        wider["type"] = [*declared_types(out), "null"]
    if "const" in wider:
        wider["enum"] = [wider.pop("const"), None]
    elif "enum" in wider and None not in wider["enum"]:
        wider["enum"] = [*wider["enum"], None]
    return wider


def _lower_reference(
    context: LoweringContext, schema: dict[str, Any], pointer: Pointer, ref_stack: RefStack
) -> LoweredNode:
    """Lower a reference: keep it if the dialect supports that, otherwise inline its target."""
    target = context.references.target_pointer(schema["$ref"])
    siblings = without_keywords(schema, {"$ref", *IDENTITY})
    if target is None:
        context.record_change(pointer, "$ref", "dropped", "it cannot be resolved", blocks_strict=True)
        return context.lower_node(context.record_source_pointer(siblings, pointer), pointer, ref_stack)
    value = False if target in context.empty else context.references.value_at(target)
    if type(value) is not dict:
        return context.lower_node(value, target, ref_stack)
    dialect, is_circular = context.dialect, context.references.is_circular(target)
    if is_circular and dialect.recursion == "refuse":
        context.record_unsupported(pointer, "$ref", "a recursive schema is not supported")
    if dialect.refs == "keep" and not (is_circular and dialect.recursion == "unroll"):
        if siblings.keys() <= ANNOTATIONS or (is_circular and target in ref_stack):
            return _keep_reference(context, siblings, target, pointer)
    elif is_circular and ref_stack.count(target) >= context.depth:
        return _end_recursion(context, value, pointer)
    conflicts: list[str] = []
    merged = context.merge_target(siblings, target, conflicts)
    context.record_conflicts(pointer, conflicts)
    return context.lower_node(merged, target, (*ref_stack, target))


def _keep_reference(
    context: LoweringContext, siblings: dict[str, Any], target: Pointer, pointer: Pointer
) -> LoweredNode:
    """Keep a reference. If it must have no keywords next to it, wrap it to keep the annotations."""
    for keyword in sorted(siblings.keys() - ANNOTATIONS):
        context.record_dropped(pointer, keyword, "it is next to a circular reference")
    name = context.retained.retain_definition(target)
    encoding = {"ref": name}
    reference = {"$ref": f"#/$defs/{name}" if name else "#"}
    annotations = _lower_annotations(context, _with_encoded_values(context, siblings, encoding), pointer, [])
    if annotations and not context.dialect.ref_siblings:
        return LoweredNode({"anyOf": [reference], **annotations}, encoding)
    return LoweredNode({**reference, **annotations}, encoding)


def _end_recursion(context: LoweringContext, target: dict[str, Any], pointer: Pointer) -> LoweredNode:
    """End the expansion of a recursion with an unrestricted schema of the same type."""
    reason = f"recursion is expanded {context.depth} levels deep; deeper values are not restricted"
    context.record_change(pointer, "$ref", "described", reason, checked="parse_arguments")
    sentence = "Of the same form as the value around it."
    if context.dialect.complete:
        return _lower_untyped(context, {}, pointer, [sentence])
    kinds = declared_types(target) or (("object",) if "properties" in target else ())
    out: dict[str, Any] = {"type": kinds[0]} if len(kinds) == 1 else {}
    if context.dialect.says_open and kinds == ("object",):
        out["additionalProperties"] = True
    if context.allows_description(pointer):
        out["description"] = sentence
    if kinds and kinds != ("array",):
        return LoweredNode(out)
    return context.lower_node(context.record_source_pointer(out, pointer), pointer)


def _with_one_union(
    context: LoweringContext, schema: dict[str, Any], pointer: Pointer, ref_stack: RefStack
) -> tuple[dict[str, Any], RefStack]:
    """Replace `oneOf` with `anyOf`. If both exist, keep the one with more properties, and declare those of the other."""
    if "oneOf" not in schema:
        return schema, ref_stack
    if "anyOf" in schema:
        own = property_names(schema)
        counts = {key: len(set().union(*context.names_in_branches(schema, key, ref_stack)) - own) for key in UNIONS}
        retained, dropped = UNIONS if counts["anyOf"] >= counts["oneOf"] else UNIONS[::-1]
        context.record_dropped(pointer, dropped, f"it is next to {retained}")
        condition = {"if": True, "then": {dropped: schema[dropped]}}
        schema = context.record_source_pointer(without_keywords(schema, (dropped,)), pointer)
        schema, ref_stack = context.declare_conditional_properties(condition, schema, pointer, ref_stack)
        return _with_one_union(context, schema, pointer, ref_stack)
    reason = "anyOf replaces it, without the rule that only one branch may match"
    if _exclude_each_other(context, schema):
        context.record_change(pointer, "oneOf", "rewritten", reason, checked="parse_arguments")
    else:
        context.record_dropped(pointer, "oneOf", f"{reason}, and a value may match several")
    renamed = {("anyOf" if key == "oneOf" else key): value for key, value in schema.items()}
    return context.record_source_pointer(renamed, pointer), ref_stack


def _exclude_each_other(context: LoweringContext, schema: dict[str, Any]) -> bool:
    """Return whether it is certain that no value matches two branches of `oneOf`, with the rules next to it."""
    changes = dict(context.changes)
    rules = without_keywords(schema, {"oneOf", *ANNOTATIONS, *IDENTITY})
    branches = [{"allOf": [branch, rules]} for branch in list_at(schema, "oneOf")]
    are_apart = exclude_each_other(branches, context.merged)
    context.changes = changes  # nothing of this is sent
    return are_apart


class _LoweredBranch(NamedTuple):
    """A branch of a union: with the rules next to the union, as lowered, and the encoding of its values."""

    source: Any
    schema: dict[str, Any]
    encoding: Table | None


def _lower_union(
    context: LoweringContext, schema: dict[str, Any], pointer: Pointer, ref_stack: RefStack
) -> LoweredNode:
    """Lower the branches of `anyOf`, each merged with the rules next to it. Identical branches are merged."""
    branches: list[Any] = schema["anyOf"]
    outer = NodeLowering(context, without_keywords(schema, ("anyOf",)), pointer, ref_stack)
    if all(type(branch) is dict and branch.keys() <= _ASSERTIONS for branch in branches):
        return _lower_without_assertions(outer, branches)
    is_supported = context.dialect.supports("anyOf")
    if not is_supported and (as_object := _lower_as_one_object(outer, branches)) is not None:
        return as_object
    lowered = _lower_branches(outer, branches)
    if not lowered:
        return LoweredNode(NEVER)
    schemas, tables = [branch.schema for branch in lowered], [branch.encoding for branch in lowered]
    tell_listed_values_apart(schemas, tables)
    entries = [list(branch) for branch in lowered]
    encoding: Table | None = {"any": entries} if any(tables) and is_supported else None
    encoded = _with_encoded_values(context, outer.source, encoding if len(schemas) > 1 else tables[0])
    annotations = _lower_annotations(context, encoded, pointer, [], has_described_subschemas=True)
    if len(schemas) == 1:
        alone = {"anyOf": schemas} if "$ref" in schemas[0] and annotations else schemas[0]
        return LoweredNode({**alone, **annotations}, tables[0])
    if not is_supported:
        if context.dialect.untyped == "text":
            return _lower_union_as_text(context, lowered, encoded, pointer)
        context.record_dropped(pointer, "anyOf", _unsupported_reason("anyOf"))
        return LoweredNode(annotations)
    if encoding is not None:
        _record_ambiguous_texts(context, lowered, pointer)
        context.union_entries += entries
    return LoweredNode({"anyOf": schemas, **annotations}, encoding)


def _record_ambiguous_texts(context: LoweringContext, branches: list[_LoweredBranch], pointer: Pointer) -> None:
    """Record branches whose values are sent as text although another branch admits any text."""
    plain = [admits_plain_text(branch.schema, branch.encoding) for branch in branches]
    for i, branch in enumerate(branches):
        if sends_as_text(branch.encoding) and any(plain[:i] + plain[i + 1 :]):
            reason = "its values are sent as strings, which another branch reads as text"
            context.record_change((*pointer, "anyOf", i), "listed values", "narrowed", reason)


def _lower_without_assertions(outer: NodeLowering, branches: list[dict[str, Any]]) -> LoweredNode:
    """Lower a schema without its `anyOf`, whose branches only state which properties are required together."""
    context, source, pointer = outer.context, outer.source, outer.pointer
    for name in dict.fromkeys(name for branch in branches for name in required_names(branch)):
        if context.dialect.closed and name not in property_names(source):
            reason = "a branch requires it, but it is declared nowhere, so it cannot be sent"
            context.record_change((*pointer, "required"), name, "narrowed", reason, blocks_strict=True)
    needs = [" and ".join(map(str, branch["required"])) for branch in branches if type(branch.get("required")) is list]
    sentence = f"Needs {', or '.join(needs)}." if needs and len(needs) == len(branches) else ""
    context.record_described(pointer, "anyOf", sentence, _unsupported_reason("anyOf with no value of its own"))
    return _lower_typed(context, context.record_source_pointer(source, pointer), pointer, outer.ref_stack, [sentence])


def _lower_as_one_object(outer: NodeLowering, branches: list[Any]) -> LoweredNode | None:
    """Lower a union of objects as one object that declares the properties of all. None for another union, or one branch."""
    context, source, pointer, ref_stack = outer.context, outer.source, outer.pointer, outer.ref_stack
    needs: list[list[str]] = []
    for branch in branches:
        resolved, stack = context.resolve(branch, ref_stack)
        merged, _ = context.merge_all_of(resolved if type(resolved) is dict else {}, pointer, stack)
        if len(branches) == 1 or set(declared_types(merged) or declared_types(source)) != {"object"}:
            return None
        needs.append(required_names(merged))
    reason = f"{_unsupported_reason('anyOf')}, so its branches were merged into one object"
    context.record_described(pointer, "anyOf", any(needs), reason)
    required = dict.fromkeys([*required_names(source), *names_in_all(needs)])
    schema = context.record_source_pointer({**source, "type": "object", "required": list(required)}, pointer)
    condition = {"if": True, "then": {"anyOf": branches}}
    schema, ref_stack = context.declare_conditional_properties(condition, schema, pointer, ref_stack)
    return _lower_typed(context, schema, pointer, ref_stack, [describe_needs(needs)])


def _lower_branches(outer: NodeLowering, branches: list[Any]) -> list[_LoweredBranch]:
    """Return the branches that admit a value, each once, merged with the rules next to the union and lowered."""
    rules = without_keywords(outer.source, ANNOTATIONS | IDENTITY)
    lowered: list[_LoweredBranch] = []
    texts: set[str] = set()
    for i, branch in enumerate(branches):
        pointer, ref_stack = (*outer.pointer, "anyOf", i), outer.ref_stack
        if rules:
            branch, ref_stack = _merge_branch(outer, branch, rules, pointer)
        out, encoding = outer.context.lower_node(branch, pointer, ref_stack)
        if out is NEVER:
            continue
        if encoding is None:
            text = dump_allowing_nan(out)
            if text in texts:
                continue
            texts.add(text)
        lowered.append(_LoweredBranch(branch, out, encoding))
    return lowered


def _merge_branch(outer: NodeLowering, branch: Any, rules: dict[str, Any], pointer: Pointer) -> tuple[Any, RefStack]:
    """Return a branch merged with the rules next to the union, and the references that led to it."""
    context = outer.context
    resolved, stack = context.resolve(branch, outer.ref_stack)
    if resolved is False:
        return False, outer.ref_stack
    if type(resolved) is not dict:
        return context.record_source_pointer(dict(rules), outer.pointer), outer.ref_stack
    conflicts: list[str] = []
    merged = merge_schemas(resolved, rules, conflicts)
    context.record_conflicts(outer.pointer, conflicts)
    return context.record_source_pointer(merged, context.source_pointer_of(resolved, pointer)), stack


def _lower_union_as_text(
    context: LoweringContext, branches: list[_LoweredBranch], source: dict[str, Any], pointer: Pointer
) -> LoweredNode:
    """Lower a union whose values are sent as JSON text. A sentence lists the types, unless a branch admits any type."""
    keywords = dict.fromkeys(key for branch in branches for key in branch.schema if key not in ("type", "description"))
    for keyword in keywords:
        context.record_dropped(pointer, keyword, "a value of several types is sent as JSON text")
    types = list(dict.fromkeys(_types_with_properties(context, branch) for branch in branches))
    sentence = f"One of these types: {', '.join(types)}." if len(types) > 1 and all(types) else ""
    return _lower_untyped(context, select_annotations(source), pointer, [sentence])


def _types_with_properties(context: LoweringContext, branch: _LoweredBranch) -> str:
    """Return the types of a branch in words, as its source states them. Empty if it admits any type."""
    source, _ = context.resolve(branch.source, ())
    if type(source) is not dict:
        return ""
    types = declared_types(source) or dict.fromkeys(map(json_type, listed_values(source) or ()))
    names = f" with {', '.join(branch.schema['properties'])}" if branch.schema.get("properties") else ""
    return f"{' or '.join(types)}{names}" if types else ""


def _split_types(lowering: NodeLowering) -> LoweredNode:
    """Lower a schema with several types as a union, with a branch for each type and the keywords for it."""
    context, source, pointer = lowering.context, lowering.source, lowering.pointer
    rules = without_keywords(source, ANNOTATIONS)
    branches = []
    for kind in lowering.kinds:
        branch = {k: v for k, v in rules.items() if k not in TYPES_OF_KEYWORD or kind in TYPES_OF_KEYWORD[k]}
        if type(branch.get("enum")) is list:
            branch["enum"] = [value for value in branch["enum"] if has_json_type(value, (kind,))]
            if not branch["enum"]:
                continue
        branches.append(context.record_source_pointer({**branch, "type": kind}, pointer))
    if not branches:
        return LoweredNode(NEVER)
    annotations = select_annotations(source)
    if lowering.sentences:
        annotations["description"] = add_sentences(annotations.get("description"), lowering.sentences)
    union = context.record_source_pointer({"anyOf": branches, **annotations}, pointer)
    return _lower_union(context, union, pointer, lowering.ref_stack)


def _lower_typed(
    context: LoweringContext, source: dict[str, Any], pointer: Pointer, ref_stack: RefStack, opening: Sequence[str] = ()
) -> LoweredNode:
    """Lower a schema that is neither a union nor a reference. Its description starts with the sentences `opening`."""
    dialect = context.dialect
    source = _with_additional_properties(context, source, pointer)
    sentences = list(opening)
    kinds = declared_types(source)
    if not kinds and (dialect.requires_type(pointer) or dialect.closed):
        kinds = _infer_types(context, source, pointer)
        if not kinds:
            return _lower_untyped(context, source, pointer, sentences)
        source = context.record_source_pointer({"type": list(kinds), **source}, pointer)
    if kinds == ("null",) and dialect.nullable == "none":
        return _lower_untyped(context, source, pointer, sentences)
    lowering = NodeLowering(context, source, pointer, ref_stack, kinds, sentences=sentences)
    if len(kinds) > 1 and dialect.types == "one" and not _sends_values_as_texts(source, dialect):
        return _split_types(lowering)
    values = _admitted_values(source, kinds)
    if values == []:
        return LoweredNode(NEVER)
    out = lowering.out
    if kinds and dialect.supports("type"):
        out["type"] = kinds[0] if len(kinds) == 1 else list(kinds)
    encoding = None if values is None else _lower_values(lowering, values)
    if encoding is None:
        encoding = _lower_containers(lowering)
    lowering.values_encoded = _may_change_values(context, encoding)
    _keep_rules(replace(lowering, source=_rules_for_types(source, kinds, out)))
    if lowering.values_encoded:
        _leave_out_listed_containers(lowering)
    out |= _lower_annotations(context, _with_encoded_values(context, source, encoding), pointer, sentences)
    return LoweredNode(out, encoding)


def _sends_values_as_texts(source: dict[str, Any], dialect: Dialect) -> bool:
    """Return whether the values that a schema lists are sent as strings whatever their types are."""
    if "enum" not in source and "const" not in source:
        return False
    return dialect.enum == "texts" or (dialect.enum != "any" and not dialect.supports("anyOf"))


def _lower_containers(lowering: NodeLowering) -> Table | None:
    """Lower the keywords for objects and arrays, and return the encoding of their values."""
    encoding: Table = {}
    if "object" in lowering.kinds or not lowering.kinds:
        encoding |= _lower_object(lowering) or {}
    if "array" in lowering.kinds or not lowering.kinds:
        encoding |= _lower_array(lowering) or {}
    return encoding or None


def _with_additional_properties(context: LoweringContext, source: dict[str, Any], pointer: Pointer) -> dict[str, Any]:
    """Replace `unevaluatedProperties`, if it is not supported, by `additionalProperties` where it means the same."""
    old, new = "unevaluatedProperties", "additionalProperties"
    means_the_same = old in source and source.keys().isdisjoint((new, "if", "dependentSchemas", "dependencies"))
    if not means_the_same or context.dialect.supports(old) or not context.dialect.supports(new):
        return source
    context.record_change(pointer, old, "rewritten", f"{new} means the same here")
    return context.record_source_pointer({(new if key == old else key): v for key, v in source.items()}, pointer)


def _infer_types(context: LoweringContext, source: dict[str, Any], pointer: Pointer) -> tuple[str, ...]:
    """Infer the types of a schema without a type, from its values or its keywords. Empty if nothing suggests one."""
    values = list_at(source, "enum")
    if type(source.get("enum")) is not list and "const" in source:
        values = [source["const"]]
    if values:
        return tuple(dict.fromkeys(json_type(value) for value in values))
    suggested = [TYPES_OF_KEYWORD[key][0] for key in source if key in TYPES_OF_KEYWORD]
    if "format" in source:
        suggested.append("string")
    if not suggested:
        return ()
    kind = suggested[0]
    reason = f"it has no type; its keywords suggest {kind}"
    context.record_change(pointer, "type", "narrowed", reason, blocks_strict=True)
    return (kind,)


def _rules_for_types(source: dict[str, Any], kinds: tuple[str, ...], out: dict[str, Any]) -> dict[str, Any]:
    """Return the keywords of a schema, without annotations, that apply to one of its types which is also sent."""
    sent = declared_types(out) or kinds
    effective = {kind for kind in kinds if kind in sent}
    return {
        keyword: value
        for keyword, value in source.items()
        if keyword not in ANNOTATIONS
        and (not kinds or keyword not in TYPES_OF_KEYWORD or not effective.isdisjoint(TYPES_OF_KEYWORD[keyword]))
    }


def _may_change_values(context: LoweringContext, encoding: Table | None) -> bool:
    """Return whether values may be encoded differently from the source.

    For a reference, this is decided by the dialect, because its definition may not be lowered yet.
    """
    dialect = context.dialect
    keeps_values = (dialect.enum, dialect.maps, dialect.untyped) == ("any", "keep", "keep")
    return changes_values(encoding, lambda name: not (keeps_values and context.are_names_legal()))


def _leave_out_listed_containers(lowering: NodeLowering) -> None:
    """Leave out an enum of objects or lists, because its values are encoded."""
    source, out = lowering.source, lowering.out
    for keyword in ("enum", "const"):
        if keyword not in out or keyword not in source:
            continue
        values = [out["const"]] if keyword == "const" else out["enum"] or ()
        if any(type(value) in (dict, list) for value in values):
            del out[keyword]
            lowering.describe(keyword, describe_rule(keyword, source[keyword]), "its values are encoded")


def _lower_untyped(
    context: LoweringContext, source: dict[str, Any], pointer: Pointer, sentences: list[str]
) -> LoweredNode:
    """Lower a schema for values of any type. Rules that hold for some of them cannot be sent."""
    rules = NodeLowering(context, source, pointer, sentences=sentences)
    for keyword, value in source.items():
        if keyword not in STRUCTURE and keyword not in ANNOTATIONS and keyword not in IDENTITY:
            rules.leave_out(keyword, value, "a value of any type cannot have rules here")
    if context.dialect.untyped != "refuse" and context.dialect.requires_type(pointer):
        context.record_change(pointer, "a value of any type", "rewritten", "it is sent as JSON text")
        if source.get("default") is not None and context.dialect.supports("default"):
            source = {**source, "default": dump_allowing_nan(source["default"])}
        annotations = _lower_annotations(context, source, pointer, [*sentences, "Any JSON value, as JSON text."])
        return LoweredNode({"type": "string", **annotations}, {"json": True})
    if context.dialect.untyped == "refuse":
        context.record_unsupported(pointer, "a value of any type", "every value needs a type")
    return LoweredNode(_lower_annotations(context, source, pointer, sentences))


def _admitted_values(source: dict[str, Any], kinds: tuple[str, ...]) -> list[Any] | None:
    """Return the values to which `enum` and `const` limit a schema of some types. None if it has neither of the two."""
    values = listed_values(source)
    if values is None:
        return None
    if "const" in source and type(source.get("enum")) is list:
        values = [value for value in values if any(same_json(item, value) for item in source["enum"])]
    return [value for value in values if not kinds or has_json_type(value, kinds)]


def _lower_values(lowering: NodeLowering, values: list[Any]) -> Table | None:
    """Lower an enum or const with these values, and return their encoding. Their type becomes string if they are encoded."""
    context, source, out, dialect = lowering.context, lowering.source, lowering.out, lowering.dialect
    keyword = "const" if "const" in source else "enum"
    if len(lowering.kinds) > 1 and dialect.types == "one" and len({json_type(value) for value in values}) == 1:
        out["type"] = json_type(values[0])
    is_mixed = len(lowering.kinds) > 1 and not dialect.supports("anyOf")
    if dialect.enum != "any" and (is_mixed or not all(_is_sendable(value, dialect.enum) for value in values)):
        context.record_change(lowering.pointer, keyword, "rewritten", "its values are sent as strings")
        texts = encode_as_unique_texts(values)
        out["type"] = "string"
        _write_enum(lowering, texts)
        return {"values": values, "texts": texts}
    if keyword == "const" and dialect.supports("const"):
        out["const"] = source["const"]
        return None
    if keyword == "const":
        context.record_change(lowering.pointer, "const", "rewritten", "an enum with one value means the same")
    _write_enum(lowering, values)
    return None


def _write_enum(lowering: NodeLowering, values: list[Any]) -> None:
    """Write an enum, or a sentence about it if it is not supported."""
    dialect = lowering.dialect
    if not dialect.supports("enum"):
        lowering.describe("enum", describe_rule("enum", values), _unsupported_reason("enum"))
        return
    lowering.out["enum"] = values
    if dialect.enum == "texts" and dialect.formats and dialect.supports_format("string", "enum"):
        lowering.out["format"] = "enum"


def _is_sendable(value: Any, rule: str) -> bool:
    """Return whether an enum may have a value. The dialect admits only `scalars`, only strings and `numbers`, or strings."""
    if rule == "scalars":
        return type(value) not in (dict, list)
    return type(value) is str or (rule == "numbers" and type(value) in (int, float))


class _LoweredProperties(NamedTuple):
    """The lowered schemas of properties by their names on the wire, and their entries in the encoding table by name."""

    schemas: dict[str, Any]
    entries: dict[str, dict[str, Any]]


def _lower_object(lowering: NodeLowering) -> Table | None:
    """Lower the keywords for objects, and return the encoding of their values."""
    context, source, pointer, dialect = lowering.context, lowering.source, lowering.pointer, lowering.dialect
    if not lowering.kinds and source.keys().isdisjoint(_OF_OBJECTS):
        return None
    if dialect.maps != "keep" and _is_map(source, pointer):
        return _lower_map(lowering)
    properties = object_at(source, "properties")
    admits_others = not dialect.closed and source.get("additionalProperties") is not False
    if (dialect.root.get("lists_required") or dialect.says_open) and admits_others:
        properties = _with_required(lowering, properties)
    names = dialect.names_on_wire(properties)
    schemas, entries = _lower_properties(lowering, properties, names)
    needs_properties = dialect.closed or dialect.complete or ("properties" in dialect.needs and "required" in source)
    if dialect.supports("properties") and ("properties" in source or properties or needs_properties):
        lowering.out["properties"] = schemas
    if dialect.ordering and len(schemas) > 1:
        lowering.out["propertyOrdering"] = list(schemas)
    _write_required(lowering, schemas, names)
    _record_undeclared_required(context, [n for n in required_names(source) if n not in properties], pointer)
    fewest = source.get("minProperties", 0)
    if dialect.closed and type(fewest) in (int, float) and fewest > len(schemas):
        reason = f"objects are closed, and it has only {len(schemas)} properties"
        context.record_unsupported(pointer, "minProperties", reason)
    if type(source.get("dependentRequired")) is dict and dialect.supports("dependentRequired"):
        lowering.out["dependentRequired"] = {
            names.get(name, name): [names.get(other, other) for other in others] if type(others) is list else others
            for name, others in source["dependentRequired"].items()
        }
    _lower_pattern_properties(lowering, properties_encoded=bool(entries))
    further = _lower_additional_properties(lowering, properties_encoded=bool(entries))
    if further is not None:  # every declared property has an entry, because the others are encoded like additional ones
        return {"object": {name: entries.get(name, {}) for name in properties}, "more": further}
    return {"object": entries} if entries else None


def _is_map(source: dict[str, Any], pointer: Pointer) -> bool:
    """Return whether a schema admits properties, but declares none. A root without keywords for them has no parameters."""
    if object_at(source, "properties"):
        return False
    if source.get("additionalProperties") is False and not source.get("patternProperties"):
        return False
    return pointer != () or "additionalProperties" in source or "patternProperties" in source


def _lower_properties(lowering: NodeLowering, properties: dict[str, Any], names: dict[str, str]) -> _LoweredProperties:
    """Lower properties. One that admits no value is left out."""
    context, source = lowering.context, lowering.source
    required = required_names(source)
    admits_others = not lowering.dialect.closed and source.get("additionalProperties") is not False
    lowered = _LoweredProperties({}, {})
    for name, schema in properties.items():
        pointer, ref_stack = (*lowering.pointer, "properties", name), lowering.ref_stack
        if lowering.dialect.untyped == "text_properties":
            schema, ref_stack = _without_untyped_reference(context, schema, pointer, ref_stack)
        out, encoding = context.lower_node(schema, pointer, ref_stack)
        if out == NEVER:
            if name in required or admits_others:
                context.record_dropped(pointer, "a property", "no value fits it", blocks_strict=name in required)
            continue
        entry: dict[str, Any] = {}
        if names[name] != name:
            entry["name"] = names[name]
            context.record_change(pointer, "a property's name", "rewritten", "this provider does not support the name")
        if lowering.dialect.all_required and name not in required:
            entry["null"] = _record_optional(context, schema, pointer)
            if entry["null"] == "absent":
                out = _add_null(out, lowering.dialect)
        if encoding is not None:
            entry["as"] = encoding
        lowered.schemas[names[name]] = out
        if entry:
            lowered.entries[name] = entry
    return lowered


def _without_untyped_reference(
    context: LoweringContext, schema: Any, pointer: Pointer, ref_stack: RefStack
) -> tuple[Any, RefStack]:
    """Inline a reference to a schema without a type, because a property that needs a type cannot refer to it."""
    resolved, stack = context.resolve(schema, ref_stack)
    if not _resolves_to_untyped(context, resolved, stack):
        return schema, ref_stack
    return context.record_source_pointer({**resolved} if type(resolved) is dict else {}, pointer), stack


def _resolves_to_untyped(context: LoweringContext, resolved: Any, ref_stack: RefStack) -> bool:
    """Resolve the parts of a schema, and return whether nothing states a type. A union has the types of its branches."""
    if type(resolved) is not dict:
        return resolved is not False
    if declared_types(resolved) or resolved.keys() & set(UNIONS):
        return False
    return all(_resolves_to_untyped(context, *context.resolve(part, ref_stack)) for part in list_at(resolved, "allOf"))


def _record_optional(context: LoweringContext, schema: Any, pointer: Pointer) -> str:
    """Record an optional property that becomes required, and return what null means for it: `absent`, or `kept` as null."""
    if not context.resolve_nullability(schema, pointer):
        reason = "every property is required, so an absent value is sent as null"
        context.record_change(pointer, "an optional property", "rewritten", reason)
        return "absent"
    resolved, _ = context.resolve(schema, ())
    means_absent = type(resolved) is dict and "default" in resolved and resolved["default"] is None
    reason = "every property is required, so an absent value is sent as null and read back as null"
    what = "an optional property that may be null"
    context.record_change(pointer, what, "narrowed", reason, blocks_strict=not means_absent)
    return "kept"


def _with_required(lowering: NodeLowering, properties: dict[str, Any]) -> dict[str, Any]:
    """Return the properties, with those added that are required but not declared."""
    context, pointer = lowering.context, lowering.pointer
    further = lowering.source.get("additionalProperties")
    declared = dict(properties)
    for name in required_names(lowering.source):
        if name not in declared:
            reason = "a required property must be declared under properties"
            context.record_change((*pointer, "required"), name, "rewritten", reason)
            declared[name] = {}
            if type(further) is dict:
                declared[name] = context.record_source_pointer(dict(further), (*pointer, "additionalProperties"))
    return declared


def _write_required(lowering: NodeLowering, schemas: dict[str, Any], names: dict[str, str]) -> None:
    """Write the required properties of an object, by their names on the wire. A property that was left out is none."""
    dialect = lowering.dialect
    required = [
        names.get(name, name) for name in required_names(lowering.source) if name not in names or names[name] in schemas
    ]
    if dialect.all_required:
        required = list(schemas)
    elif dialect.root.get("lists_required") or dialect.says_open:
        required = [name for name in required if name in schemas]
    if required and dialect.supports("required"):
        lowering.out["required"] = required
    elif dialect.all_required or (dialect.closed and "required" in lowering.source):
        lowering.out["required"] = []


def _record_undeclared_required(context: LoweringContext, names: list[str], pointer: Pointer) -> None:
    """Record required properties that are not declared, and therefore cannot be listed."""
    reason = "a required property must be declared under properties"
    for name in names:
        if context.dialect.closed:
            context.record_unsupported((*pointer, "required"), name, reason)
        elif context.dialect.root.get("lists_required") or context.dialect.says_open:
            context.record_dropped((*pointer, "required"), name, reason, blocks_strict=True)


def _lower_pattern_properties(lowering: NodeLowering, *, properties_encoded: bool) -> None:
    """Lower the schemas of `patternProperties` if they cannot be sent unchanged, and no value is encoded."""
    context, patterns = lowering.context, lowering.source.get("patternProperties")
    if type(patterns) is not dict or properties_encoded or not _can_keep_schemas(context, "patternProperties"):
        return
    if not lowering.dialect.says_open and _copy_unlowered_rule(context, "patternProperties", patterns) is not None:
        return
    lowered: dict[str, Any] = {}
    for pattern, schema in patterns.items():
        out, encoding = lowering.lower_inner(schema, "patternProperties", pattern)
        if encoding is not None:
            return
        lowered[pattern] = False if out is NEVER else out
    lowering.out["patternProperties"] = lowered


def _lower_additional_properties(lowering: NodeLowering, *, properties_encoded: bool) -> Table | None:
    """Lower the schema of additional properties, or close the object. Return their encoding."""
    context, source, pointer, out = lowering.context, lowering.source, lowering.pointer, lowering.out
    dialect, patterns = lowering.dialect, source.get("patternProperties")
    if dialect.closed:
        _close_object(lowering)
        return None
    if "additionalProperties" not in source:
        if dialect.says_open and source.get("properties"):
            reason = "objects are closed unless they say otherwise, so undeclared properties cannot be sent"
            context.record_change(pointer, "additional properties", "narrowed", reason)
        elif dialect.says_open and (pointer or patterns):
            out["additionalProperties"] = True
        return None
    if not dialect.supports("additionalProperties"):
        context.record_dropped(pointer, "additionalProperties", _unsupported_reason("it"))
        return None
    further: Any = source["additionalProperties"]
    encoding: Table | None = None
    if type(further) is dict:
        further, encoding = lowering.lower_inner(further, "additionalProperties")
    if patterns and further is not True:
        patterns_sent = "patternProperties" in out or (
            _can_keep_schemas(context, "patternProperties")
            and not properties_encoded
            and _copy_unlowered_rule(context, "patternProperties", patterns)
        )
        if encoding is not None:
            out.pop("patternProperties", None)
        if not patterns_sent or encoding is not None:
            reason = "it would apply to the properties that patternProperties matches"
            context.record_dropped(pointer, "additionalProperties", reason)
            if dialect.says_open:
                out["additionalProperties"] = True
            return None
    out["additionalProperties"] = False if further is NEVER else further
    return encoding


def _close_object(lowering: NodeLowering) -> None:
    """Close an object, and record which properties cannot be sent therefore."""
    context, source, pointer = lowering.context, lowering.source, lowering.pointer
    lowering.out["additionalProperties"] = False
    patterns = source.get("patternProperties")
    if source.get("additionalProperties") is False and not patterns:
        return
    explicit = "additionalProperties" in source or bool(patterns)
    reason = "objects are closed, so undeclared properties cannot be sent"
    context.record_change(pointer, "additional properties", "narrowed", reason, blocks_strict=explicit)
    if patterns or type(source.get("additionalProperties")) is dict or set(UNIONS) & {*source, *pointer}:
        return
    for name in dict.fromkeys(_names_in_conditions(source)):
        if name not in source.get("properties", {}):
            reason = "a condition depends on it, but it is declared nowhere, so it cannot be sent"
            context.record_change(pointer, name, "narrowed", reason, blocks_strict=True)


def _names_in_conditions(schema: Any, *, in_condition: bool = False) -> list[str]:
    """Return the properties on which the conditions of an object, or of its parts, depend."""
    if type(schema) is not dict:
        return []
    names = [*schema.get("properties", ()), *required_names(schema)] if in_condition else []
    for keyword in ("dependentRequired", "dependentSchemas", "dependencies"):
        names += object_at(schema, keyword)
    for keyword in ("if", "not"):
        names += _names_in_conditions(schema.get(keyword), in_condition=True)
    for keyword in ("allOf", *UNIONS) if in_condition else ("allOf",):
        for part in list_at(schema, keyword):
            names += _names_in_conditions(part, in_condition=in_condition)
    return names


def _lower_map(lowering: NodeLowering) -> Table | None:
    """Lower a map to a list of pairs if the dialect requires it. Otherwise record that it cannot be sent."""
    context, source, pointer, out = lowering.context, lowering.source, lowering.pointer, lowering.out
    value = LoweredNode(NEVER)
    if lowering.dialect.maps == "pairs" and pointer and not source.get("patternProperties"):
        value = lowering.lower_inner(source.get("additionalProperties", True), "additionalProperties")
    if value.schema is NEVER:
        context.record_unsupported(pointer, "a map", "objects are closed, and a map has no properties to declare")
        out["properties"], out["required"], out["additionalProperties"] = {}, [], False
        return None
    out["type"] = "array"
    out["items"] = {
        "type": "object",
        "properties": {"key": {"type": "string"}, "value": value.schema},
        "required": ["key", "value"],
        "additionalProperties": False,
    }
    lowering.sentences.append("Each key once.")
    reason = "it is sent as a list of key-value pairs"
    context.record_change(pointer, "a map", "rewritten", reason, checked="parse_arguments")
    return {"pairs": True} if value.encoding is None else {"pairs": True, "more": value.encoding}


def _lower_array(lowering: NodeLowering) -> Table | None:
    """Lower the keywords for arrays, and return the encoding of their values."""
    source = lowering.source
    if type(source.get("items")) is list:  # draft 7
        source = {**source, "prefixItems": source["items"], "items": source.get("additionalItems", True)}
    if not lowering.kinds and "items" not in source and "prefixItems" not in source:
        return None
    nodes: list[LoweredNode] = []
    for i, schema in enumerate(list_at(source, "prefixItems")):
        nodes.append(lowering.lower_inner(schema, "prefixItems", i))
    end = next((i for i, node in enumerate(nodes) if node.schema is NEVER), len(nodes))
    if end < len(nodes):  # no list has an item there
        nodes = nodes[:end]
        source = {**source, "prefixItems": source["prefixItems"][:end], "items": False}
    lowering = replace(lowering, source=source)
    if nodes and not lowering.dialect.supports("prefixItems"):
        return _lower_tuple_as_list(lowering, nodes)
    encoding: Table = {}
    if nodes:
        lowering.out["prefixItems"] = [node.schema for node in nodes]
        if any(node.encoding is not None for node in nodes):
            encoding["first"] = [node.encoding for node in nodes]
    items = _lower_further_items(lowering, len(nodes))
    if items is not None:
        encoding["items"] = items
    return encoding or None


def _lower_further_items(lowering: NodeLowering, first_items: int) -> Table | None:
    """Lower the schema of the items after the first ones, and return the encoding of their values."""
    context, source, dialect = lowering.context, lowering.source, lowering.dialect
    pointer = (*lowering.pointer, "items")
    if source.get("items") is False:
        _end_list(lowering, first_items)
        return None
    if not dialect.supports("items"):
        return None
    if "items" not in source and not dialect.requires_type(pointer):
        if "items" in dialect.needs:
            write_needed_items(context, lowering.pointer, lowering.out)
        return None
    schema, encoding = _lower_items(context, source.get("items", True), pointer, lowering.ref_stack)
    if schema is NEVER and not dialect.complete:
        _end_list(lowering, first_items)
        return None
    if dialect.complete and "type" not in schema:
        schema = {"type": "string", "description": "There is no such value."}
    lowering.out["items"] = schema
    return encoding


def write_needed_items(context: LoweringContext, pointer: Pointer, out: dict[str, Any]) -> None:
    """Write that the items of an array may be any value, for a dialect in which every array says what its items are."""
    out["items"] = {}
    context.record_change(
        pointer, "items", "rewritten", "every array needs items, so it says that any value may be one"
    )


def _end_list(lowering: NodeLowering, length: int) -> None:
    """Write that a list has no items after the first ones. Without `items: false`, its length is limited."""
    dialect, out = lowering.dialect, lowering.out
    is_typed = dialect.requires_type((*lowering.pointer, "items"))
    if "prefixItems" in out and (dialect.keywords is None or not is_typed):
        out["items"] = False
        return
    _limit_length(lowering, length)
    if is_typed:
        out["items"] = {"type": "string", "description": ""} if dialect.complete else {"type": "string"}
    elif "items" in dialect.needs:
        out["items"] = {}


def _lower_items(context: LoweringContext, schema: Any, pointer: Pointer, ref_stack: RefStack) -> LoweredNode:
    """Lower the items of an array. Some dialects support all keywords there."""
    if context.dialect.facts.get("items") != "any":
        return context.lower_node(schema, pointer, ref_stack)
    outside, context.dialect = context.dialect, _ANY_KEYWORD
    try:
        return context.lower_node(schema, pointer, ref_stack)
    finally:
        context.dialect = outside


def _lower_tuple_as_list(lowering: NodeLowering, first: list[LoweredNode]) -> Table | None:
    """Lower a tuple to a list whose items may match any of its schemas. Its length is kept if possible."""
    context, source, pointer, out = lowering.context, lowering.source, lowering.pointer, lowering.out
    further = lowering.lower_inner(source.get("items", True), "items")
    has_end = further.schema is NEVER
    nodes = first if has_end else [*first, further]
    schemas: list[Any] = []
    for schema, _ in nodes:
        if schema.get("not") != {} and not any(same_json(schema, other) for other in schemas):
            schemas.append(schema)
    admits_any = {} in schemas
    common_encoding: Table | None = None
    if len(schemas) != 1 and not lowering.dialect.supports("anyOf"):
        common, common_encoding = lowering.lower_inner({}, "items")
        schemas = [common]
    if admits_any or not schemas:
        out["items"] = {}
    else:
        out["items"] = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    if has_end:
        _limit_length(lowering, len(first))
    kinds = [str(s.get("type", "value")) if type(s) is dict else "value" for s in source["prefixItems"]]
    lowering.sentences.append(f"In this order: {', '.join(kinds)}.")
    reason = "items of a list cannot have different schemas"
    context.record_change(pointer, "prefixItems", "described", reason, checked="parse_arguments")
    if common_encoding is not None:
        return {"items": common_encoding}
    if all(node.encoding is None for node in nodes):
        return None
    encoding: Table = {"first": [node.encoding for node in first]}
    if not has_end and further.encoding is not None:
        encoding["items"] = further.encoding
    return encoding


def _limit_length(lowering: NodeLowering, most: int) -> None:
    """Limit the number of items, for which the source has no keyword."""
    limit = lowering.source.get("maxItems")
    if type(limit) is int and limit <= most:
        return
    if lowering.dialect.supports("maxItems"):
        lowering.out["maxItems"] = most
    else:
        lowering.describe("items", describe_rule("maxItems", most), _unsupported_reason("maxItems"))


_INCLUSIVE = {"exclusiveMinimum": ("minimum", 1), "exclusiveMaximum": ("maximum", -1)}
"""The inclusive bound for each exclusive one, and the direction in which the bound of integers moves."""
_COUNTS = tuple(f"{end}{unit}" for end in ("min", "max") for unit in ("Length", "Items", "Properties", "Contains"))
DEPENDENT: Final = {
    "then": ("if",),
    "else": ("if",),
    "minContains": ("contains",),
    "maxContains": ("contains",),
    "unevaluatedProperties": ("patternProperties", "if", "then", "else", "dependentSchemas", "oneOf", "anyOf", "$ref"),
    "unevaluatedItems": ("contains", "if", "then", "else", "oneOf", "anyOf", "$ref"),
}
"""Keywords that change or lose their meaning if one of these keywords next to them is not sent."""


def _keep_rules(lowering: NodeLowering) -> None:
    """Write every rule that no other function lowers, or a sentence about it."""
    lowering = replace(lowering, source=with_plain_numbers(lowering.source))
    for keyword, value in lowering.source.items():
        if keyword in STRUCTURE or keyword in lowering.out or keyword == "additionalItems":
            continue
        if keyword in IDENTITY:
            if keyword not in ("$defs", "definitions", "$schema") and lowering.dialect.supports(keyword):
                lowering.out[keyword] = value
        elif keyword not in _INCLUSIVE or not _write_inclusive_bound(lowering, keyword):
            _keep_rule(lowering, keyword, value)
    _leave_out_dependent(lowering)


def _keep_rule(lowering: NodeLowering, keyword: str, value: Any) -> None:
    """Write what the dialect supports of a rule. If that is less than the rule, leave out the rest."""
    supported, reason = _supported_rule(lowering, keyword, value)
    if reason:
        lowering.leave_out(keyword, value, reason)
        if supported is None:
            return
    elif supported is None and keyword == "default" and lowering.dialect.closed:
        return
    lowering.out[keyword] = supported


def with_plain_numbers(source: dict[str, Any]) -> dict[str, Any]:
    """Return a schema whose exclusive bounds are numbers, and whose counts are integers.

    In draft 4, exclusive bounds are flags beside the bounds. A count may be written as 2.0, which some engines refuse.
    """
    flags = [key for key in _INCLUSIVE if type(source.get(key)) is bool]
    counts = [key for key in _COUNTS if type(source.get(key)) is float and source[key].is_integer()]
    if not flags and not counts:
        return source
    plain = dict(source)
    for key in flags:
        is_exclusive, (inclusive, _) = plain.pop(key), _INCLUSIVE[key]
        if is_exclusive and inclusive in plain:
            plain[key] = plain.pop(inclusive)
    for key in counts:
        plain[key] = int(plain[key])
    return plain


def _supported_rule(lowering: NodeLowering, keyword: str, value: Any) -> tuple[Any, str]:
    """Return what the dialect supports of a rule, and the reason if that is less than the rule: None for nothing."""
    context, dialect, kind = lowering.context, lowering.dialect, lowering.wire_type
    if keyword in dialect.largest and type(value) in (int, float) and abs(value) > dialect.largest[keyword]:
        return None, "the grammar of this provider has no numbers of this size"
    if keyword in dialect.most and type(value) is int and value > dialect.most[keyword]:
        most = dialect.most[keyword]
        return most, f"more than {most} is not supported by this provider"
    if keyword in _WITH_SCHEMAS:
        if not _can_keep_schemas(context, keyword):
            return None, _unsupported_reason(keyword)
        copied = None if lowering.values_encoded else _copy_unlowered_rule(context, keyword, value)
        if copied is None:
            return None, "its values are encoded, or it contains a circular reference or an unsupported keyword"
        return copied, ""
    if not dialect.supports(keyword):
        return None, _unsupported_reason(keyword)
    if keyword == "format" and not dialect.supports_format(kind, value):
        return None, f"this provider does not support this format for {kind or 'a value'}"
    if keyword == "pattern" and not dialect.supports_pattern(value):
        return None, "this provider does not support this pattern"
    return value, ""


def _can_keep_schemas(context: LoweringContext, keyword: str) -> bool:
    """Return whether a keyword that contains schemas can be kept unchanged."""
    return context.dialect.supports(keyword) and context.dialect.refs == "keep" and not context.dialect.closed


def _conditions_not_sent(context: LoweringContext, source: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with the conditions that are not sent; `source` is the schema before its `allOf` was merged."""
    if not _can_keep_schemas(context, "if") or context.dialect.says_open:
        return source
    keys = [key for key in ("if", "then", "else", "dependentSchemas", "dependencies") if key in schema]
    unchanged = NodeLowering(context, schema, ())
    dropped = {key for key in keys if _supported_rule(unchanged, key, schema[key])[0] is None}
    return {key: schema[key] for key in keys if key == "if" or key in dropped or "if" in dropped}


def _leave_out_dependent(lowering: NodeLowering) -> None:
    """Leave out keywords that would reject more than the source does, because a keyword next to them was left out."""
    source, out = lowering.source, lowering.out
    for keyword, others in DEPENDENT.items():
        if keyword in out and any(other in source and other not in out for other in others):
            lowering.leave_out(keyword, out.pop(keyword), "it depends on a keyword that was left out")
    if "contains" in out and source.get("minContains") == 0 and "minContains" not in out:
        lowering.leave_out("contains", out.pop("contains"), _unsupported_reason("minContains"))


def _write_inclusive_bound(lowering: NodeLowering, keyword: str) -> bool:
    """Replace an unsupported exclusive bound on integers by an inclusive one, and return whether this was possible."""
    inclusive, direction = _INCLUSIVE[keyword]
    value, dialect = lowering.source[keyword], lowering.dialect
    if dialect.supports(keyword) or not dialect.supports(inclusive):
        return False
    if lowering.wire_type != "integer" or type(value) not in (int, float):
        return False
    bound = math.floor(value) + 1 if direction > 0 else math.ceil(value) - 1
    stated = lowering.source.get(inclusive)
    if type(stated) is int or type(stated) is float:
        bound = max(bound, stated) if direction > 0 else min(bound, stated)
    lowering.out[inclusive] = bound
    reason = f"{inclusive} means the same for integers"
    lowering.context.record_change(lowering.pointer, keyword, "rewritten", reason)
    return True


def _lower_annotations(
    context: LoweringContext,
    source: dict[str, Any],
    pointer: Pointer,
    sentences: list[str],
    *,
    has_described_subschemas: bool = False,
) -> dict[str, Any]:
    """Return the description and other annotations that the dialect supports. Sentences are added to the description.

    If the schema surrounds others with descriptions of their own (`has_described_subschemas`), it does not need a description.
    """
    lowering = NodeLowering(context, select_annotations(source), pointer, sentences=sentences)
    _keep_rules(lowering)
    annotations = lowering.out
    text = add_sentences(source.get("description"), sentences)
    is_needed = context.dialect.complete and not has_described_subschemas
    if (text or is_needed) and context.allows_description(pointer):
        annotations["description"] = text
    elif source.get("description"):
        context.record_dropped(pointer, "description", _unsupported_reason("description"))
    if is_needed and not text and pointer and "description" not in source:
        reason = "every property needs a description, so it has an empty one"
        context.record_change(pointer, "description", "defaulted", reason)
    return annotations


def _with_encoded_values(context: LoweringContext, source: dict[str, Any], encoding: Table | None) -> dict[str, Any]:
    """Encode the default and examples of a schema as its values are. If tables are not complete yet, do it later."""
    if encoding is None:
        return source
    encode = Encoding(encoding).encode if _is_complete(encoding) else partial(context.retained.encode_later, encoding)
    encoded = dict(source)
    if source.get("default") is not None and context.dialect.supports("default"):
        encoded["default"] = encode(source["default"])
    if type(source.get("examples")) is list and context.dialect.supports("examples"):
        encoded["examples"] = [encode(value) for value in source["examples"]]
    return encoded


def _is_complete(encoding: Table) -> bool:
    """Return whether a table contains no references, and no unions, whose shapes are not known yet."""
    if "ref" in encoding or "any" in encoding:
        return False
    return all(_is_complete(inner) for inner in inner_tables(encoding) if inner)


_RESTRICTING = (STRUCTURE | VALIDATED | {"format", "additionalItems"}) - {"description"}
_DEPENDING_ON_LOCATION = frozenset(["$id", "$dynamicRef", "$recursiveRef"])
"""Keywords whose meaning depends on their location."""


class _CannotCopyError(Exception):
    """A rule cannot be kept as the source has it."""


def _copy_unlowered_rule(context: LoweringContext, keyword: str, value: Any) -> Any:
    """Return a rule of the source unchanged, with its references inlined and without unsupported annotations.

    None if that is not possible: a reference is circular or cannot be resolved, a property is renamed, or a keyword that
    restricts values is not supported. The rule must apply to values that are sent unchanged. It is not lowered, because
    widening a schema inside a `not` or an `if` could narrow the schema around it.
    """
    copier = _RuleCopier(context)
    try:
        copied = copier.copy_value(keyword, value)
    except _CannotCopyError:
        return None
    for pointer, unsupported in copier.unsupported:
        context.record_change(pointer, unsupported, "dropped", _unsupported_reason(unsupported))
    return copied


class _RuleCopier:
    """Copies rules that are not lowered. `unsupported` has the annotations that were left out, with their locations."""

    def __init__(self, context: LoweringContext) -> None:
        self._context = context
        self._dialect = context.dialect
        self.unsupported: list[tuple[Pointer, str]] = []

    def copy_value(self, keyword: str, value: Any) -> Any:
        """Copy the value of a keyword. Only schemas in it change.

        Raises:
            _CannotCopyError: The copy of a schema would permit other values.
        """
        if keyword in SCHEMA_MAPS and type(value) is dict:
            schemas = self._sendable_properties(value) if keyword == "properties" else value
            return {name: self._copy_schema(schema) for name, schema in schemas.items()}
        if keyword not in SCHEMA_LISTS and keyword not in SCHEMA_VALUES:
            return value
        return [self._copy_schema(schema) for schema in value] if type(value) is list else self._copy_schema(value)

    def _sendable_properties(self, properties: dict[str, Any]) -> dict[str, Any]:
        """Return properties with schemas that are objects, where the dialect knows only objects.

        Raises:
            _CannotCopyError: The dialect does not admit a name, or a schema that nothing satisfies.
        """
        legal = self._dialect.properties
        if legal is not None and not all(map(legal.fullmatch, properties)):
            raise _CannotCopyError
        if self._dialect.keywords is None:
            return properties
        sendable = {name: _as_object(schema) for name, schema in properties.items()}
        if NEVER in sendable.values() and not self._dialect.supports("not"):
            raise _CannotCopyError
        return sendable

    def _copy_schema(self, schema: Any) -> Any:
        """Return a copy of a schema with its references inlined, and record the annotations that were left out.

        Raises:
            _CannotCopyError: The copy would permit other values.
        """
        if type(schema) is not dict:
            return schema
        self._context.count_schema()
        if not schema.keys().isdisjoint(_DEPENDING_ON_LOCATION):
            raise _CannotCopyError
        copied: dict[str, Any] = {}
        for keyword, value in schema.items():
            if keyword in ("$ref", "$defs", "definitions", "$anchor"):
                continue
            if self._dialect.supports(keyword):
                copied[keyword] = self.copy_value(keyword, value)
            elif keyword in _RESTRICTING:
                raise _CannotCopyError
            elif (pointer := self._context.pointer_of(schema)) is not None:
                self.unsupported.append((pointer, keyword))
        if "$ref" not in schema:
            return copied
        target = self._context.references.target_pointer(schema["$ref"])
        if target is None or self._context.references.is_circular(target):
            raise _CannotCopyError
        value = self._copy_schema(self._context.references.value_at(target))
        return {"allOf": [value, copied]} if copied else value


def _as_object(schema: Any) -> Any:
    """Return a schema as an object that means the same."""
    if type(schema) is not bool:
        return schema
    return {} if schema else NEVER
