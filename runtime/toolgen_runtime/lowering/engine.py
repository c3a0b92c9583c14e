"""Lowering of one schema and its subschemas: references, unions, the keywords of each type, and what is recorded of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from ..conversion.encoding import Encoding, Table
from ..json_text import dump_allowing_nan
from ..json_values import same_json
from .dialects import Dialect
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
    json_type,
    merge_schemas,
    property_names,
    required_names,
    select_annotations,
    split_off_nullability,
)
from .sentences import add_sentences, describe_needs, describe_rule
from .tables import admits_plain_text, encode_as_unique_texts, inner_tables, sends_as_text, tell_listed_values_apart

__all__ = ["NEVER", "LoweringContext", "RefStack", "TooLargeError"]

NEVER: Final[dict[str, Any]] = {"not": {}}
"""The schema that admits no value. It is compared by identity."""


_MOST = 4000
"""Maximum number of schemas that one lowering creates beyond two for each schema of the source."""

Node = tuple[dict[str, Any], Table | None]
RefStack = tuple[Pointer, ...]
"""The targets of the references that led to a schema."""

_RESTRICTING = (STRUCTURE | VALIDATED | {"format", "additionalItems"}) - {"description"}
_DEPENDING_ON_LOCATION = frozenset(["$id", "$dynamicRef", "$recursiveRef"])
"""Keywords whose meaning depends on their location."""

_UNIONS = ("anyOf", "oneOf")
_DECLARING = (*_UNIONS, "if", "dependentSchemas", "dependencies")
_DEEPEST_UNION = 8


class TooLargeError(Exception):
    """The result would be too large."""


class _NotVerbatimError(Exception):
    """A rule cannot be kept as the source has it."""


class LoweringContext:
    """The state of one lowering: its changes, and the definitions that are kept.

    `wrapped` means that the root is wrapped in a property. `unions` has table entries whose shapes are not known yet.
    `empty` has the targets of references that admit no value. `added` has, by the id of a property which an object has
    only in some cases, the schemas that it is made of.
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
        self.unions: list[tuple[list[Any], Any, Any]] = []
        self._pointers: dict[int, Pointer] = {}
        self._made: list[dict[str, Any]] = []
        self.added: dict[int, list[Any]] = {}
        self._left = _MOST
        self._unsupported: list[tuple[dict[str, Any], str]] = []
        for pointer, schema in self.references.walk_schemas():
            self._pointers.setdefault(id(schema), pointer)
            self._left += 2

    def are_names_legal(self) -> bool:
        """Return whether the dialect supports the names of all properties."""
        legal = self.dialect.properties
        if legal is None:
            return True
        named = (schema.get("properties") for _, schema in self.references.walk_schemas())
        return all(legal.fullmatch(name) for names in named if type(names) is dict for name in names)

    def count_schema(self) -> None:
        """Count a schema that is created. Raise an error if there are too many."""
        self._left -= 1
        if self._left < 0:
            raise TooLargeError

    def record_change(self, pointer: Pointer, what: str, action: Any, reason: str, **details: Any) -> None:
        """Record a change. The same change at the same location is recorded once, with all its consequences."""
        change = SchemaChange(pointer, what, action, reason, **details)
        known = self.changes.setdefault((pointer, what, action), change)
        if (change.blocks_strict, change.is_unsupported) > (known.blocks_strict, known.is_unsupported):
            self.changes[pointer, what, action] = known._replace(
                blocks_strict=True, is_unsupported=change.is_unsupported or known.is_unsupported
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
        self._made.append(schema)
        self._pointers[id(schema)] = pointer
        return schema

    def source_pointer_of(self, schema: Any, default: Pointer) -> Pointer:
        """Return the location in the source that a schema corresponds to."""
        return self._pointers.get(id(schema), default)

    def lower_node(self, schema: Any, pointer: Pointer, ref_stack: RefStack = ()) -> Node:
        """Lower a schema. Return NEVER if it admits no value."""
        if schema is False:
            return NEVER, None
        if type(schema) is not dict:
            schema = {}
        self.count_schema()
        pointer = self.source_pointer_of(schema, pointer)
        if "$ref" in schema:
            return _lower_reference(self, schema, pointer, ref_stack)
        source = schema
        schema, ref_stack = self.merge_all_of(schema, pointer, ref_stack)
        of_object = "object" in declared_types(schema) or "properties" in schema
        if of_object and not source.keys().isdisjoint(_CONDITIONS):
            unsent = conditions_not_sent(self, source, schema)
            schema, ref_stack = self.declare_conditional_properties(unsent, schema, pointer, ref_stack)
        if schema is NEVER or schema.get("type") == []:  # merged types that exclude each other
            return NEVER, None
        one, ref_stack = _one_union(self, schema, pointer, ref_stack)
        to_lower, nullable = split_off_nullability(one)
        if nullable and self.dialect.nullable == "none" and type(to_lower.get("enum")) is list:
            to_lower, nullable = one, False  # a listed null is sent as text, like the other values
        if type(to_lower.get("anyOf")) is list:
            out, encoding = _lower_union(self, to_lower, pointer, ref_stack)
        else:
            out, encoding = _lower_typed(self, to_lower, pointer, ref_stack)
        if nullable and out is NEVER:  # the rest excludes everything else
            to_lower = self.record_source_pointer({"type": "null", **select_annotations(to_lower)}, pointer)
            return _lower_typed(self, to_lower, pointer, ref_stack)
        if not nullable or out is NEVER or encoding == {"json": True}:
            return out, encoding
        if self.dialect.nullable == "none":
            self.record_change(pointer, "null", "narrowed", "null is not supported by this provider")
        return add_null(out, self.dialect), encoding

    def resolve(self, schema: Any, ref_stack: RefStack) -> tuple[Any, RefStack]:
        """Resolve the references of a schema, and merge the keywords next to them. A cycle ends in an empty schema."""
        seen: set[Pointer] = set()
        while type(schema) is dict and "$ref" in schema:
            target = self.references.target_pointer(schema["$ref"])
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            if target is None or target in seen or ref_stack.count(target) > self.depth:
                if target is not None and target not in seen:
                    self.record_dropped(target, "$ref", f"recursion is only expanded {self.depth + 1} levels deep here")
                return rest, ref_stack
            seen.add(target)
            ref_stack = (*ref_stack, target)
            found = self.references.value_at(target)
            if type(found) is not dict:
                return (found if not rest else {**rest}), ref_stack
            schema = self.merge_target(rest, target, [])
        return schema, ref_stack

    def merge_target(self, rest: dict[str, Any], target: Pointer, conflicts: list[str]) -> dict[str, Any]:
        """Merge the target of a reference with the keywords next to it. Two unions become parts of `allOf`."""
        found = self.references.value_at(target)
        twice = any(key in rest and key in found for key in _UNIONS)
        merged = {"allOf": [rest, found]} if twice else merge_schemas(rest, found, conflicts)
        return self.record_source_pointer(merged, target)

    def names_in_branches(self, schema: dict[str, Any], key: str, ref_stack: RefStack) -> list[set[str]]:
        """Return the properties that each branch of a union declares."""
        resolved = [self.resolve(each, ref_stack)[0] for each in (schema[key] if type(schema.get(key)) is list else ())]
        return [property_names(each) if type(each) is dict else set() for each in resolved]

    def merge_all_of(
        self, schema: dict[str, Any], pointer: Pointer, ref_stack: RefStack
    ) -> tuple[dict[str, Any], RefStack]:
        """Merge the parts of `allOf` into the schema that contains them. Of several unions, the first one is kept."""
        parts, dropped = 0, list[Any]()
        while type(schema.get("allOf")) is list and parts < 50:
            parts += 1
            conflicts: list[str] = []
            joined = {key: value for key, value in schema.items() if key != "allOf"}
            for part in schema["allOf"]:
                inner, ref_stack = self.resolve(part, ref_stack)
                if inner is False:
                    return NEVER, ref_stack
                if type(inner) is dict:
                    met = len(conflicts)
                    joined = merge_schemas(joined, inner, conflicts)
                    keys = [key for key in conflicts[met:] if key in _DECLARING]
                    dropped += [{k: inner[k] for k in (key, "then", "else") if k in inner} for key in keys]
            self.record_conflicts(pointer, conflicts)
            schema = self.record_source_pointer(joined, pointer)
        if dropped:
            condition = {"if": True, "then": {"allOf": dropped}}
            return self.declare_conditional_properties(condition, schema, pointer, ref_stack)
        return schema, ref_stack

    def admits_null(self, schema: Any, pointer: Pointer, depth: int = 0) -> bool:
        """Return whether a schema, what it refers to, or a branch of it states that it admits null."""
        found, _ = self.resolve(schema, ())
        if type(found) is not dict or declares_null(found):
            return declares_null(found)
        found, _ = self.merge_all_of(found, pointer, ())
        branches = found.get("anyOf", found.get("oneOf")) if not declared_types(found) else None
        return declares_null(found) or (
            type(branches) is list
            and depth < _DEEPEST_UNION
            and any(self.admits_null(branch, pointer, depth + 1) for branch in branches)
        )

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
        led: dict[Pointer, None] = {}

        def resolve(one: Any) -> Any:
            found, along = self.resolve(one, ref_stack)
            led.update(dict.fromkeys(along[len(ref_stack) :]))
            return found

        closed = self.dialect.closed or self.dialect.says_open
        declared: dict[str, Any] = schema["properties"] if type(schema.get("properties")) is dict else {}
        found: dict[str, Any] = {}
        unions = {key: schema[key] for key in _UNIONS if type(schema.get(key)) is list}
        certain = always_declared_names(unions, resolve) | {n for n, v in declared.items() if id(v) not in self.added}
        sendable = set(declared).union(*(n for key in unions for n in self.names_in_branches(schema, key, ref_stack)))
        required = conditionally_required_names(source)
        for hidden, condition in ((True, source), (False, unions)):
            for inner in conditional_schemas(condition, resolve, applies=not hidden):
                required += [*required_names(inner), *conditionally_required_names(inner)] if hidden else ()
                for name, value in inner["properties"].items() if type(inner.get("properties")) is dict else ():
                    if name not in certain and value is not False and (hidden or name in found):
                        known = found.setdefault(name, [*self.added.get(id(declared.get(name)), ())])
                        known += [] if any(same_json(value, other) for other in known) else [value]
        for name in dict.fromkeys(required) if closed else ():
            if name not in sendable and not found.get(name):
                reason = "a condition requires it, but it is declared nowhere, so it cannot be sent"
                self.record_change((*pointer, "required"), name, "narrowed", reason, blocks_strict=True)
        added = {name: either_of(values) for name, values in found.items()}
        certain = always_declared_names(source, resolve)
        uncertain = [name for name in added if name not in certain]
        for name in uncertain:
            reason = "it is only declared under a condition, and is sent without it"
            action, checked = ("rewritten", "parse_arguments") if closed else ("narrowed", "")
            self.record_change((*pointer, "properties", name), "a property", action, reason, checked=checked)
        if not added:
            return schema, ref_stack
        more = schema.get("additionalProperties")
        if type(more) is dict and "patternProperties" not in schema:
            added = {name: {"allOf": [more, value]} for name, value in added.items()}
        self.added.update((id(added[name]), found[name]) for name in uncertain if type(added[name]) is dict)
        schema = self.record_source_pointer({**schema, "properties": {**declared, **added}}, pointer)
        return schema, (*ref_stack, *led)

    def copy_unlowered_rule(self, keyword: str, value: Any) -> Any:
        """Return a rule of the source unchanged, with its references inlined and without unsupported annotations.

        None if that is not possible: a reference is circular or cannot be resolved, a property is renamed, or a keyword
        that restricts values is not supported. The rule must apply to values that are sent unchanged. It is not lowered,
        because widening a schema inside a `not` or an `if` could narrow the schema around it.
        """
        self._unsupported = []
        try:
            found = self._verbatim_value(keyword, value)
        except _NotVerbatimError:
            return None
        for schema, name in self._unsupported:
            if id(schema) in self._pointers:
                self.record_change(self._pointers[id(schema)], name, "dropped", self.unsupported_reason(name))
        return found

    def _verbatim_value(self, keyword: str, value: Any) -> Any:
        if keyword in SCHEMA_MAPS and type(value) is dict:
            legal = self.dialect.properties if keyword == "properties" else None
            if legal is not None and not all(map(legal.fullmatch, value)):
                raise _NotVerbatimError
            if keyword == "properties" and self.dialect.keywords is not None:  # where only objects are schemas
                value = {
                    name: {True: {}, False: NEVER}.get(inner, inner) if type(inner) is bool else inner
                    for name, inner in value.items()
                }
                if NEVER in value.values() and not self.dialect.supports("not"):
                    raise _NotVerbatimError
            return {name: self._verbatim(inner) for name, inner in value.items()}
        if keyword in SCHEMA_LISTS or keyword in SCHEMA_VALUES:
            return [self._verbatim(inner) for inner in value] if type(value) is list else self._verbatim(value)
        return value

    def _verbatim(self, schema: Any) -> Any:
        if type(schema) is not dict:
            return schema
        self.count_schema()
        if not schema.keys().isdisjoint(_DEPENDING_ON_LOCATION):
            raise _NotVerbatimError
        found: dict[str, Any] = {}
        for keyword, value in schema.items():
            if keyword in ("$ref", "$defs", "definitions", "$anchor"):
                continue
            if self.dialect.supports(keyword):
                found[keyword] = self._verbatim_value(keyword, value)
            elif keyword in _RESTRICTING:
                raise _NotVerbatimError
            else:
                self._unsupported.append((schema, keyword))
        if "$ref" not in schema:
            return found
        target = self.references.target_pointer(schema["$ref"])
        if target is None or self.references.is_circular(target):
            raise _NotVerbatimError
        inner = self._verbatim(self.references.value_at(target))
        return inner if not found else {"allOf": [inner, found]}

    def unsupported_reason(self, what: str) -> str:
        """Return the reason why a keyword is not sent."""
        return f"{what} is not supported by this provider"

    def allows_description(self, pointer: Pointer) -> bool:
        """Return whether a schema at this location can have a description."""
        return self.dialect.supports("description") and (
            pointer != () or "description" not in self.dialect.root.get("without", ())
        )


_CONDITIONS = frozenset(["allOf", "if", "dependentSchemas", "dependentRequired", "dependencies"])
_ASSERTIONS = frozenset(["required", "not", "minProperties", "maxProperties", "dependentRequired"]) | ANNOTATIONS


def _lower_reference(context: LoweringContext, schema: dict[str, Any], pointer: Pointer, ref_stack: RefStack) -> Node:
    """Lower a reference: keep it if the dialect supports that, otherwise inline its target."""
    target = context.references.target_pointer(schema["$ref"])
    rest = {key: value for key, value in schema.items() if key != "$ref" and key not in IDENTITY}
    if target is None:
        context.record_change(pointer, "$ref", "dropped", "it cannot be resolved", blocks_strict=True)
        return context.lower_node(context.record_source_pointer(rest, pointer), pointer, ref_stack)
    found = False if target in context.empty else context.references.value_at(target)
    if type(found) is not dict:
        return context.lower_node(found, target, ref_stack)
    circular = context.references.is_circular(target)
    if circular and context.dialect.recursion == "refuse":
        context.record_unsupported(pointer, "$ref", "a recursive schema is not supported")
    if context.dialect.refs == "keep" and not (circular and context.dialect.recursion == "unroll"):
        if rest.keys() <= ANNOTATIONS or (circular and target in ref_stack):
            return _keep_reference(context, rest, target, pointer)
    elif circular and ref_stack.count(target) >= context.depth:
        return _end(context, found, pointer)
    conflicts: list[str] = []
    merged = context.merge_target(rest, target, conflicts)
    context.record_conflicts(pointer, conflicts)
    return context.lower_node(merged, target, (*ref_stack, target))


def _keep_reference(context: LoweringContext, rest: dict[str, Any], target: Pointer, pointer: Pointer) -> Node:
    """Keep a reference. If it must have no keywords next to it, wrap it to keep the annotations."""
    for keyword in sorted(rest.keys() - ANNOTATIONS):
        context.record_dropped(pointer, keyword, "it is next to a circular reference")
    name = context.retained.retain_definition(target)
    out: dict[str, Any] = {"$ref": f"#/$defs/{name}" if name else "#"}
    annotations = lower_annotations(context, with_encoded_values(context, rest, {"ref": name}), pointer, [])
    if annotations:
        out = {**out, **annotations} if context.dialect.ref_siblings else {"anyOf": [out], **annotations}
    return out, {"ref": name}


def _end(context: LoweringContext, found: dict[str, Any], pointer: Pointer) -> Node:
    """End the expansion of a recursion with an unrestricted schema of the same type."""
    reason = f"recursion is expanded {context.depth} levels deep; deeper values are not restricted"
    context.record_change(pointer, "$ref", "described", reason, checked="parse_arguments")
    kinds = declared_types(found) or (("object",) if "properties" in found else ())
    if context.dialect.complete:
        return lower_untyped(context, {}, pointer, ["Of the same form as the value around it."])
    out: dict[str, Any] = {"type": kinds[0]} if len(kinds) == 1 else {}
    if context.dialect.says_open and kinds == ("object",):
        out["additionalProperties"] = True
    if context.allows_description(pointer):
        out["description"] = "Of the same form as the value around it."
    if kinds and kinds != ("array",):
        return out, None
    return context.lower_node(context.record_source_pointer(out, pointer), pointer)


def _one_union(
    context: LoweringContext, schema: dict[str, Any], pointer: Pointer, ref_stack: RefStack
) -> tuple[dict[str, Any], RefStack]:
    """Replace `oneOf` with `anyOf`. If both exist, keep the one with more properties, and declare those of the other."""
    if "oneOf" not in schema:
        return schema, ref_stack
    if "anyOf" in schema:
        named = {key: context.names_in_branches(schema, key, ref_stack) for key in ("anyOf", "oneOf")}
        chosen, dropped = sorted(named, key=lambda key: -len(set().union(*named[key]) - property_names(schema)))
        context.record_dropped(pointer, dropped, f"it is next to {chosen}")
        condition = {"if": True, "then": {dropped: schema[dropped]}}
        rest = context.record_source_pointer({key: value for key, value in schema.items() if key != dropped}, pointer)
        rest, ref_stack = context.declare_conditional_properties(condition, rest, pointer, ref_stack)
        return _one_union(context, rest, pointer, ref_stack)
    reason = "anyOf replaces it, without the rule that only one branch may match"
    context.record_change(pointer, "oneOf", "rewritten", reason, checked="parse_arguments")
    renamed = {("anyOf" if key == "oneOf" else key): value for key, value in schema.items()}
    return context.record_source_pointer(renamed, pointer), ref_stack


def _lower_union(context: LoweringContext, schema: dict[str, Any], pointer: Pointer, ref_stack: RefStack) -> Node:
    """Lower the branches of `anyOf`, each merged with the rules next to it. Identical branches are merged."""
    branches: list[Any] = schema["anyOf"]
    outer = {key: value for key, value in schema.items() if key != "anyOf"}
    if all(type(branch) is dict and branch.keys() <= _ASSERTIONS for branch in branches):
        return _without_assertions(context, branches, outer, pointer, ref_stack)
    one = None if context.dialect.supports("anyOf") else _one_object(context, branches, outer, pointer, ref_stack)
    if one is not None:
        return one
    found = _lower_branches(context, branches, outer, pointer, ref_stack)
    lowered, tables = [out for _, out, _ in found], [inner for _, _, inner in found]
    if not lowered:
        return NEVER, None
    tell_listed_values_apart(lowered, tables)
    entries = [list(entry) for entry in found]
    encoding: Table | None = {"any": entries} if any(tables) and context.dialect.supports("anyOf") else None
    outer = with_encoded_values(context, outer, encoding if len(lowered) > 1 else tables[0])
    annotations = lower_annotations(context, outer, pointer, [], has_described_subschemas=True)
    if len(lowered) == 1:
        alone = lowered[0] if "$ref" not in lowered[0] or not annotations else {"anyOf": lowered}
        return {**alone, **annotations}, tables[0]
    if not context.dialect.supports("anyOf"):
        if context.dialect.untyped == "text":
            return _union_as_text(context, lowered, outer, pointer)
        context.record_dropped(pointer, "anyOf", context.unsupported_reason("anyOf"))
        return annotations, None
    if encoding is None:
        return {"anyOf": lowered, **annotations}, None
    plain = [admits_plain_text(out, table) for out, table in zip(lowered, tables, strict=True)]
    for i, table in enumerate(tables):
        if sends_as_text(table) and any(plain[:i] + plain[i + 1 :]):
            reason = "its values are sent as strings, which another branch reads as text"
            context.record_change((*pointer, "anyOf", i), "listed values", "narrowed", reason)
    context.unions += [(entry, entry[0], entry[1]) for entry in entries]
    return {"anyOf": lowered, **annotations}, encoding


def _without_assertions(
    context: LoweringContext, branches: list[Any], outer: dict[str, Any], pointer: Pointer, ref_stack: RefStack
) -> Node:
    """Lower a schema without its `anyOf`, whose branches only state which properties are required together."""
    reason = context.unsupported_reason("anyOf with no value of its own")
    needs = [" and ".join(map(str, b["required"])) for b in branches if type(b.get("required")) is list]
    for name in dict.fromkeys(name for branch in branches for name in required_names(branch)):
        if context.dialect.closed and name not in property_names(outer):
            cause = "a branch requires it, but it is declared nowhere, so it cannot be sent"
            context.record_change((*pointer, "required"), name, "narrowed", cause, blocks_strict=True)
    sentence = f"Needs {', or '.join(needs)}." if needs and len(needs) == len(branches) else ""
    context.record_described(pointer, "anyOf", sentence, reason)
    return _lower_typed(context, context.record_source_pointer(outer, pointer), pointer, ref_stack, [sentence])


def _one_object(
    context: LoweringContext, branches: list[Any], outer: dict[str, Any], pointer: Pointer, ref_stack: RefStack
) -> Node | None:
    """Lower a union of objects as one object that declares the properties of all. None for another union, or one branch."""
    needs: list[list[str]] = []
    for branch in branches:
        inner, along = context.resolve(branch, ref_stack)
        inner, _ = context.merge_all_of(inner if type(inner) is dict else {}, pointer, along)
        if len(branches) == 1 or set(declared_types(inner) or declared_types(outer)) != {"object"}:
            return None
        needs.append(required_names(inner))
    reason = f"{context.unsupported_reason('anyOf')}, so its branches were merged into one object"
    context.record_described(pointer, "anyOf", any(needs), reason)
    common = [name for name in needs[0] if all(name in names for names in needs)]
    whole = {**outer, "type": "object", "required": list(dict.fromkeys([*required_names(outer), *common]))}
    context.record_source_pointer(whole, pointer)
    condition = {"if": True, "then": {"anyOf": branches}}
    whole, ref_stack = context.declare_conditional_properties(condition, whole, pointer, ref_stack)
    return _lower_typed(context, whole, pointer, ref_stack, [describe_needs(needs)])


def _lower_branches(
    context: LoweringContext, branches: list[Any], outer: dict[str, Any], pointer: Pointer, ref_stack: RefStack
) -> list[tuple[Any, dict[str, Any], Table | None]]:
    """Return the branches that admit a value, each merged with the rules next to it; lowered; and its encoding."""
    rules = {key: value for key, value in outer.items() if key not in ANNOTATIONS and key not in IDENTITY}
    found: list[tuple[Any, dict[str, Any], Table | None]] = []
    met: set[str] = set()
    for i, branch in enumerate(branches):
        here, inner_stack = (*pointer, "anyOf", i), ref_stack
        if rules:
            inner, along = context.resolve(branch, ref_stack)
            if type(inner) is dict:
                conflicts: list[str] = []
                joined = merge_schemas(inner, rules, conflicts)
                context.record_conflicts(pointer, conflicts)
                source_pointer, inner_stack = context.source_pointer_of(inner, here), along
                branch = context.record_source_pointer(joined, source_pointer)
            else:
                branch = context.record_source_pointer(dict(rules), pointer) if inner is not False else False
        out, encoding = context.lower_node(branch, here, inner_stack)
        text = dump_allowing_nan(out)
        if out is not NEVER and not (encoding is None and text in met):
            met |= {text} if encoding is None else set()
            found.append((branch, out, encoding))
    return found


def _union_as_text(
    context: LoweringContext, lowered: list[dict[str, Any]], outer: dict[str, Any], pointer: Pointer
) -> Node:
    """Lower a union whose values are sent as JSON text."""
    for keyword in dict.fromkeys(key for out in lowered for key in out if key not in ("type", "description")):
        context.record_dropped(pointer, keyword, "a value of several types is sent as JSON text")
    names = [f" with {', '.join(out['properties'])}" if out.get("properties") else "" for out in lowered]
    kinds = list(dict.fromkeys(f"{out.get('type')}{suffix}" for out, suffix in zip(lowered, names, strict=True)))
    return lower_untyped(
        context, outer, pointer, [f"One of these types: {', '.join(kinds)}." if len(kinds) > 1 else ""]
    )


def _split_types(lowering: NodeLowering) -> Node:
    """Lower a schema with several types as a union, with a branch for each type and the keywords for it."""
    context, source, pointer = lowering.context, lowering.source, lowering.pointer
    rules = {key: value for key, value in source.items() if key not in ANNOTATIONS}
    branches = []
    for kind in lowering.kinds:
        branch = {k: v for k, v in rules.items() if k not in TYPES_OF_KEYWORD or kind in TYPES_OF_KEYWORD[k]}
        if type(branch.get("enum")) is list:
            branch["enum"] = [value for value in branch["enum"] if has_json_type(value, (kind,))]
            if not branch["enum"]:
                continue
        branches.append(context.record_source_pointer({**branch, "type": kind}, pointer))
    annotations = select_annotations(source)
    if lowering.sentences:
        annotations["description"] = add_sentences(annotations.get("description"), lowering.sentences)
    if not branches:
        return NEVER, None
    union = context.record_source_pointer({"anyOf": branches, **annotations}, pointer)
    return _lower_union(context, union, pointer, lowering.ref_stack)


def _lower_typed(
    context: LoweringContext, source: dict[str, Any], pointer: Pointer, ref_stack: RefStack, opening: Sequence[str] = ()
) -> Node:
    """Lower a schema that is neither a union nor a reference. Its description starts with the sentences `opening`."""
    source = _with_additional_properties(context, source, pointer)
    kinds = declared_types(source)
    sentences = list(opening)
    if not kinds and (context.dialect.requires_type(pointer) or context.dialect.closed):
        kinds = _infer_types(context, source, pointer)
        if not kinds:
            return lower_untyped(context, source, pointer, sentences)
        source = context.record_source_pointer({"type": list(kinds), **source}, pointer)
    as_texts = ("enum" in source or "const" in source) and (
        context.dialect.enum == "texts" or (context.dialect.enum != "any" and not context.dialect.supports("anyOf"))
    )
    if kinds == ("null",) and context.dialect.nullable == "none":
        return lower_untyped(context, source, pointer, sentences)
    lowering = NodeLowering(context, source, pointer, ref_stack, kinds, sentences=sentences)
    if len(kinds) > 1 and context.dialect.types == "one" and not as_texts:
        return _split_types(lowering)
    out = lowering.out
    if kinds and context.dialect.supports("type"):
        out["type"] = kinds[0] if len(kinds) == 1 else list(kinds)
    encoding, possible = lower_enum(lowering)
    if not possible:
        return NEVER, None
    if encoding is None:
        inner: dict[str, Any] = {}
        if "object" in kinds or not kinds:
            inner |= lower_object(lowering) or {}
        if "array" in kinds or not kinds:
            inner |= lower_array(lowering) or {}
        encoding = inner or None
    kind = str(out.get("type")) if type(out.get("type")) is str else None
    bound = {key: value for key, value in source.items() if not kinds or _speaks_of(key, kinds, out)}
    respelled = _is_respelled(context, encoding)
    rules = {k: v for k, v in bound.items() if k not in ANNOTATIONS}
    keep_rules(replace(lowering, source=rules), kind, values_encoded=respelled)
    if respelled:
        _leave_listed(lowering)
    out |= lower_annotations(context, with_encoded_values(context, source, encoding), pointer, sentences)
    return out, encoding


def _with_additional_properties(context: LoweringContext, source: dict[str, Any], pointer: Pointer) -> dict[str, Any]:
    """Replace `unevaluatedProperties`, if it is not supported, by `additionalProperties` where it means the same."""
    old, new = "unevaluatedProperties", "additionalProperties"
    alike = old in source and source.keys().isdisjoint((new, "if", "dependentSchemas", "dependencies"))
    if not alike or context.dialect.supports(old) or not context.dialect.supports(new):
        return source
    context.record_change(pointer, old, "rewritten", f"{new} means the same here")
    return context.record_source_pointer({(new if key == old else key): v for key, v in source.items()}, pointer)


def _is_respelled(context: LoweringContext, encoding: Table | None) -> bool:
    """Return whether values may be encoded differently from the source.

    For a reference, this is decided by the dialect, because its definition may not be lowered yet.
    """
    if encoding is None:
        return False
    if "ref" in encoding:
        faithful = (context.dialect.enum, context.dialect.maps, context.dialect.untyped) == ("any", "keep", "keep")
        return not (faithful and context.are_names_legal())
    own = not {"json", "texts", "pairs", "wrap"}.isdisjoint(encoding)
    named = any("name" in entry or "null" in entry for entry in encoding.get("object", {}).values())
    return own or named or any(_is_respelled(context, node) for node in inner_tables(encoding))


def _leave_listed(lowering: NodeLowering) -> None:
    """Remove an enum of objects or lists if its values would be encoded."""
    source, out = lowering.source, lowering.out
    for keyword in ("enum", "const"):
        values = out.get("enum") if keyword == "enum" else [out.get("const")]
        if keyword in out and keyword in source and any(type(value) in (dict, list) for value in values or ()):
            del out[keyword]
            text = describe_rule(keyword, source[keyword])
            lowering.sentences.append(text)
            lowering.context.record_described(lowering.pointer, keyword, text, "its values are encoded")


def _speaks_of(keyword: str, kinds: tuple[str, ...], out: dict[str, Any]) -> bool:
    """Return whether a keyword applies to a type of the source that is also a type on the wire."""
    if keyword not in TYPES_OF_KEYWORD:
        return True
    sent = declared_types(out) or kinds
    return any(kind in TYPES_OF_KEYWORD[keyword] and kind in sent for kind in kinds)


def _infer_types(context: LoweringContext, source: dict[str, Any], pointer: Pointer) -> tuple[str, ...]:
    """Infer the types of a schema without a type, from its values or its keywords."""
    values = source["enum"] if type(source.get("enum")) is list else [source["const"]] if "const" in source else []
    if values:
        return tuple(dict.fromkeys(json_type(value) for value in values))
    hinted = [TYPES_OF_KEYWORD[key] for key in source if key in TYPES_OF_KEYWORD] + [("string",)] * ("format" in source)
    if not hinted:
        return ()
    kind = hinted[0][0]
    context.record_change(
        pointer, "type", "narrowed", f"it has no type; its keywords suggest {kind}", blocks_strict=True
    )
    return (kind,)


_OF_OBJECTS = ("properties", "required", "additionalProperties", "patternProperties", "minProperties")
_ANY_KEYWORD = Dialect({"keywords": "any", "refs": "inline", "recursion": "unroll"})


def lower_object(lowering: NodeLowering) -> Table | None:
    """Lower the keywords for objects, and return the encoding of their values."""
    context, source, pointer, out = lowering.context, lowering.source, lowering.pointer, lowering.out
    dialect = context.dialect
    given = source.get("properties")
    properties: dict[str, Any] = given if type(given) is dict else {}
    if not lowering.kinds and not any(keyword in source for keyword in _OF_OBJECTS):
        return None
    further = source.get("additionalProperties", True)
    free = further is not False or bool(source.get("patternProperties"))
    no_parameters = not pointer and "additionalProperties" not in source and "patternProperties" not in source
    if not properties and free and not no_parameters and dialect.maps != "keep":
        return _map(lowering, further)
    required = required_names(source)
    admits_others = not dialect.closed and further is not False
    if (dialect.root.get("lists_required") or dialect.says_open) and admits_others:
        properties = _with_required(context, properties, required, further, pointer)
    names = dialect.names_on_wire(properties)
    lowered, entries = _lower_properties(lowering, properties, names, required, admits_others)
    if dialect.supports("properties") and ("properties" in source or properties or dialect.closed or dialect.complete):
        out["properties"] = lowered
    wire_required = [names.get(name, name) for name in required if name not in properties or names[name] in lowered]
    if dialect.all_required:
        wire_required = list(lowered)
    elif dialect.root.get("lists_required"):
        wire_required = [name for name in wire_required if name in lowered]
    if dialect.ordering and len(lowered) > 1:
        out["propertyOrdering"] = list(lowered)
    if wire_required and dialect.supports("required"):
        out["required"] = wire_required
    elif dialect.all_required or (dialect.closed and "required" in source):
        out["required"] = []
    _missing(context, required, properties, pointer)
    fewest = source.get("minProperties", 0)
    if dialect.closed and type(fewest) in (int, float) and fewest > len(lowered):
        reason = f"objects are closed, and it has only {len(lowered)} properties"
        context.record_unsupported(pointer, "minProperties", reason)
    if type(source.get("dependentRequired")) is dict and dialect.supports("dependentRequired"):
        out["dependentRequired"] = {
            names.get(name, name): [names.get(other, other) for other in others] if type(others) is list else others
            for name, others in source["dependentRequired"].items()
        }
    _lower_pattern_properties(lowering, renamed=bool(entries))
    more = _lower_additional_properties(lowering, further, renamed=bool(entries))
    if more is not None:  # every declared property has an entry, because the others are encoded like additional ones
        return {"object": {name: entries.get(name, {}) for name in properties}, "more": more}
    return {"object": entries} if entries else None


def _lower_properties(
    lowering: NodeLowering, properties: dict[str, Any], names: dict[str, str], required: list[str], admits_others: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the lowered schemas of properties by their `names` on the wire, and the entries of the encoding table."""
    context = lowering.context
    lowered: dict[str, Any] = {}
    entries: dict[str, Any] = {}
    for name, schema in properties.items():
        here = (*lowering.pointer, "properties", name)
        ref_stack = lowering.ref_stack
        if context.dialect.untyped == "text_properties":  # a property that needs a type cannot refer to what has none
            resolved, along = context.resolve(schema, ref_stack)
            if _is_untyped(context, resolved, along):
                ref_stack = along
                schema = context.record_source_pointer({**resolved} if type(resolved) is dict else {}, here)
        inner, encoding = context.lower_node(schema, here, ref_stack)
        if inner.get("not") == {} and len(inner) == 1:
            if name in required or admits_others:
                context.record_dropped(here, "a property", "no value fits it", blocks_strict=name in required)
            continue
        entry: dict[str, Any] = {} if names[name] == name else {"name": names[name]}
        if entry:
            reason = "this provider does not support the name"
            context.record_change(here, "a property's name", "rewritten", reason)
        if context.dialect.all_required and name not in required:
            inner = _optional(context, schema, inner, here, entry)
        if encoding is not None:
            entry["as"] = encoding
        lowered[names[name]] = inner
        if entry:
            entries[name] = entry
    return lowered, entries


def _is_untyped(context: LoweringContext, resolved: Any, ref_stack: RefStack) -> bool:
    """Return whether neither a resolved schema nor its parts state a type. A union has the types of its branches."""
    if type(resolved) is not dict:
        return resolved is not False
    parts = resolved["allOf"] if type(resolved.get("allOf")) is list else []
    return not (declared_types(resolved) or resolved.keys() & {"anyOf", "oneOf"}) and all(
        _is_untyped(context, *context.resolve(part, ref_stack)) for part in parts
    )


def _with_required(
    context: LoweringContext, properties: dict[str, Any], required: list[str], further: Any, pointer: Pointer
) -> dict[str, Any]:
    """Return the properties, with those added that are required but not declared."""
    found = dict(properties)
    for name in required:
        if name not in found:
            context.record_change(
                (*pointer, "required"), name, "rewritten", "a required property must be declared under properties"
            )
            found[name] = (
                context.record_source_pointer(dict(further), (*pointer, "additionalProperties"))
                if type(further) is dict
                else {}
            )
    return found


def _optional(
    context: LoweringContext, schema: Any, inner: dict[str, Any], pointer: Pointer, entry: dict[str, Any]
) -> dict[str, Any]:
    """Make an optional property required and nullable."""
    resolved, _ = context.resolve(schema, ())
    if context.admits_null(schema, pointer):
        plain = type(resolved) is dict and "default" in resolved and resolved["default"] is None
        reason = "every property is required, so an absent value is sent as null and read back as null"
        context.record_change(
            pointer, "an optional property that may be null", "narrowed", reason, blocks_strict=not plain
        )
        entry["null"] = "kept"
        return inner
    context.record_change(
        pointer, "an optional property", "rewritten", "every property is required, so an absent value is sent as null"
    )
    entry["null"] = "absent"
    return add_null(inner, context.dialect)


def _missing(context: LoweringContext, required: list[str], properties: dict[str, Any], pointer: Pointer) -> None:
    """Report required properties that are not declared and therefore cannot be listed."""
    for name in required:
        if name not in properties and (context.dialect.closed or context.dialect.root.get("lists_required")):
            reason = "a required property must be declared under properties"
            if context.dialect.closed:
                context.record_unsupported((*pointer, "required"), name, reason)
            else:
                context.record_dropped((*pointer, "required"), name, reason, blocks_strict=True)


def _lower_pattern_properties(lowering: NodeLowering, *, renamed: bool) -> None:
    """Lower the schemas of `patternProperties` if they cannot be sent unchanged, and no value is encoded."""
    context, patterns = lowering.context, lowering.source.get("patternProperties")
    if type(patterns) is not dict or renamed or not can_keep_schemas(context, "patternProperties"):
        return
    if not context.dialect.says_open and context.copy_unlowered_rule("patternProperties", patterns) is not None:
        return
    found: dict[str, Any] = {}
    for pattern, schema in patterns.items():
        lowered, encoding = context.lower_node(
            schema, (*lowering.pointer, "patternProperties", pattern), lowering.ref_stack
        )
        if encoding is not None:
            return
        found[pattern] = False if lowered is NEVER else lowered
    lowering.out["patternProperties"] = found


def _names_in_conditions(schema: Any, *, in_condition: bool = False) -> list[str]:
    """Return the properties on which the conditions of an object, or of its parts, depend."""
    if type(schema) is not dict:
        return []
    found = [*schema.get("properties", ()), *required_names(schema)] if in_condition else []
    for keyword in ("dependentRequired", "dependentSchemas", "dependencies"):
        found += schema[keyword] if type(schema.get(keyword)) is dict else ()
    for keyword in ("if", "not"):
        found += _names_in_conditions(schema.get(keyword), in_condition=True)
    for keyword in ("allOf", "anyOf", "oneOf") if in_condition else ("allOf",):
        for part in schema[keyword] if type(schema.get(keyword)) is list else ():
            found += _names_in_conditions(part, in_condition=in_condition)
    return found


def _lower_additional_properties(lowering: NodeLowering, further: Any, *, renamed: bool) -> Table | None:
    """Lower the schema of additional properties, or close the object. Return their encoding."""
    context, source, pointer, out = lowering.context, lowering.source, lowering.pointer, lowering.out
    dialect = context.dialect
    patterns = source.get("patternProperties")
    if dialect.closed:
        if further is not False or patterns:
            explicit = "additionalProperties" in source or bool(patterns)
            reason = "objects are closed, so undeclared properties cannot be sent"
            context.record_change(pointer, "additional properties", "narrowed", reason, blocks_strict=explicit)
            alone = not (patterns or type(further) is dict or {"anyOf", "oneOf"} & {*source, *pointer})
            named = dict.fromkeys(_names_in_conditions(source)) if alone else {}
            for name in (name for name in named if name not in source.get("properties", {})):
                reason = "a condition depends on it, but it is declared nowhere, so it cannot be sent"
                context.record_change(pointer, name, "narrowed", reason, blocks_strict=True)
        out["additionalProperties"] = False
        return None
    if "additionalProperties" not in source:
        if dialect.says_open and not source.get("properties") and (pointer or patterns):
            out["additionalProperties"] = True
        elif dialect.says_open and source.get("properties"):
            reason = "objects are closed unless they say otherwise, so undeclared properties cannot be sent"
            context.record_change(pointer, "additional properties", "narrowed", reason)
        return None
    if not dialect.supports("additionalProperties"):
        context.record_dropped(pointer, "additionalProperties", context.unsupported_reason("it"))
        return None
    lowered: Any = further
    encoding: Table | None = None
    if type(further) is dict:
        lowered, encoding = context.lower_node(further, (*pointer, "additionalProperties"), lowering.ref_stack)
        lowered = False if lowered is NEVER else lowered
    if patterns and further is not True:
        patterns_sent = "patternProperties" in out or (
            can_keep_schemas(context, "patternProperties")
            and not renamed
            and context.copy_unlowered_rule("patternProperties", patterns)
        )
        if encoding is not None:
            out.pop("patternProperties", None)
        if not patterns_sent or encoding is not None:
            reason = "it would apply to the properties that patternProperties matches"
            context.record_dropped(pointer, "additionalProperties", reason)
            if dialect.says_open:
                out["additionalProperties"] = True
            return None
    out["additionalProperties"] = lowered
    return encoding


def _map(lowering: NodeLowering, further: Any) -> Table | None:
    """Lower a map to a list of pairs if the dialect requires it. Otherwise report that it cannot be sent."""
    context, pointer, out = lowering.context, lowering.pointer, lowering.out
    value, encoding = NEVER, None
    if context.dialect.maps == "pairs" and pointer and not lowering.source.get("patternProperties"):
        value, encoding = context.lower_node(further, (*pointer, "additionalProperties"), lowering.ref_stack)
    if value is not NEVER:
        pair = {"key": {"type": "string"}, "value": value}
        out["type"] = "array"
        out["items"] = {
            "type": "object",
            "properties": pair,
            "required": ["key", "value"],
            "additionalProperties": False,
        }
        lowering.sentences.append("Each key once.")
        context.record_change(
            pointer, "a map", "rewritten", "it is sent as a list of key-value pairs", checked="parse_arguments"
        )
        return {"pairs": True} if encoding is None else {"pairs": True, "more": encoding}
    reason = "objects are closed, and a map has no properties to declare"
    context.record_unsupported(pointer, "a map", reason)
    out["properties"], out["required"], out["additionalProperties"] = {}, [], False
    return None


def lower_array(lowering: NodeLowering) -> Table | None:
    """Lower the keywords for arrays, and return the encoding of their values."""
    context, source, pointer, ref_stack, out = (
        lowering.context,
        lowering.source,
        lowering.pointer,
        lowering.ref_stack,
        lowering.out,
    )
    if type(source.get("items")) is list:  # draft 7
        source = {**source, "prefixItems": source["items"], "items": source.get("additionalItems", True)}
    first = source.get("prefixItems")
    if not lowering.kinds and "items" not in source and "prefixItems" not in source:
        return None
    first = first if type(first) is list else []
    nodes = [context.lower_node(schema, (*pointer, "prefixItems", i), ref_stack) for i, schema in enumerate(first)]
    end = next((i for i, (schema, _) in enumerate(nodes) if schema is NEVER), len(nodes))
    if end < len(nodes):  # no list has an item there
        first, nodes, source = first[:end], nodes[:end], {**source, "items": False}
    if first and not context.dialect.supports("prefixItems"):
        return _tuple(replace(lowering, source=source), first, nodes)
    found: Table = {}
    if first:
        out["prefixItems"] = [schema for schema, _ in nodes]
        if any(encoding is not None for _, encoding in nodes):
            found["first"] = [encoding for _, encoding in nodes]
    items, typed = source.get("items", True), context.dialect.requires_type((*pointer, "items"))
    node: Node | None = None
    if "items" in source and items is not False and context.dialect.supports("items"):
        node = _lower_items(context, items, (*pointer, "items"), ref_stack)
        items = False if node[0] is NEVER and not context.dialect.complete else items
    if items is False:
        if "prefixItems" in out and (context.dialect.keywords is None or not typed):
            out["items"] = False
        else:
            _at_most(lowering, len(first))
            if typed:
                out["items"] = {"type": "string", **({"description": ""} if context.dialect.complete else {})}
        return found or None
    if "items" not in source and not typed:
        return found or None
    if context.dialect.supports("items"):
        out["items"], encoding = node or _lower_items(context, items, (*pointer, "items"), ref_stack)
        if context.dialect.complete and "type" not in out["items"]:
            out["items"] = {"type": "string", "description": "There is no such value."}
        if encoding is not None:
            found["items"] = encoding
    return found or None


def _lower_items(context: LoweringContext, schema: Any, pointer: Pointer, ref_stack: RefStack) -> Node:
    """Lower the items of an array. Some dialects support all keywords there."""
    if context.dialect.facts.get("items") != "any":
        return context.lower_node(schema, pointer, ref_stack)
    outside, context.dialect = context.dialect, _ANY_KEYWORD
    try:
        return context.lower_node(schema, pointer, ref_stack)
    finally:
        context.dialect = outside


def _tuple(lowering: NodeLowering, first: list[Any], nodes: list[Node]) -> Table | None:
    """Lower a tuple to a list whose items may match any of its schemas. Its length is kept if possible."""
    context, pointer, ref_stack, out = lowering.context, lowering.pointer, lowering.ref_stack, lowering.out
    rest = context.lower_node(lowering.source.get("items", True), (*pointer, "items"), ref_stack)
    closed = rest[0] is NEVER
    lowered: list[Any] = []
    tables = []
    for inner, encoding in nodes if closed else [*nodes, rest]:
        tables.append(encoding)
        if inner.get("not") != {} and not any(same_json(inner, other) for other in lowered):
            lowered.append(inner)
    open_end = any(schema == {} for schema in lowered)
    one_form: Table | None = None
    if len(lowered) != 1 and not context.dialect.supports("anyOf"):
        inner, one_form = context.lower_node({}, (*pointer, "items"), ref_stack)
        lowered = [inner]
    out["items"] = {} if open_end or not lowered else lowered[0] if len(lowered) == 1 else {"anyOf": lowered}
    if closed:
        _at_most(lowering, len(first))
    kinds = [str(s.get("type", "value")) if type(s) is dict else "value" for s in first]
    lowering.sentences.append(f"In this order: {', '.join(kinds)}.")
    context.record_change(
        pointer, "prefixItems", "described", "items of a list cannot have different schemas", checked="parse_arguments"
    )
    if one_form is not None:
        return {"items": one_form}
    if all(encoding is None for encoding in tables):
        return None
    found: Table = {"first": tables[: len(first)]}
    if len(tables) > len(first) and tables[-1] is not None:
        found["items"] = tables[-1]
    return found


def _at_most(lowering: NodeLowering, most: int) -> None:
    """Limit the number of items, for which the source has no keyword."""
    context, high = lowering.context, lowering.source.get("maxItems")
    if type(high) is int and high <= most:
        return
    if context.dialect.supports("maxItems"):
        lowering.out["maxItems"] = most
    else:
        text = describe_rule("maxItems", most)
        lowering.sentences.append(text)
        context.record_described(lowering.pointer, "items", text, context.unsupported_reason("maxItems"))


_INCLUSIVE = {"exclusiveMinimum": ("minimum", 1), "exclusiveMaximum": ("maximum", -1)}
_WITH_SCHEMAS = frozenset([*SCHEMA_MAPS, *SCHEMA_LISTS, *SCHEMA_VALUES])
_DEPENDENT = {
    "then": ("if",),
    "else": ("if",),
    "minContains": ("contains",),
    "maxContains": ("contains",),
    "unevaluatedProperties": ("patternProperties", "if", "then", "else", "dependentSchemas", "oneOf", "anyOf", "$ref"),
    "unevaluatedItems": ("contains", "if", "then", "else", "oneOf", "anyOf", "$ref"),
}
"""Keywords that change or lose their meaning if one of these keywords next to them is not sent."""
_NULL = {"type": "null"}


@dataclass(slots=True)
class NodeLowering:
    """The lowering of one schema: the context, the schema, where it is, and the references that led to it.

    `kinds` are its types. `out` has what is written of it so far, and `sentences` what its description will say.
    """

    context: LoweringContext
    source: Mapping[str, Any]
    pointer: Pointer
    ref_stack: RefStack = ()
    kinds: tuple[str, ...] = ()
    out: dict[str, Any] = field(default_factory=dict)
    sentences: list[str] = field(default_factory=list)

    def leave_out(self, keyword: str, value: Any, reason: str) -> None:
        """Leave out a rule, and add a sentence about it if there is one."""
        text = describe_rule(keyword, value) if self.context.allows_description(self.pointer) else ""
        if text:
            self.sentences.append(text)
        elif keyword in ANNOTATIONS and (value is None or value == "" or value == []):
            return
        checked = "parse_arguments" if keyword in VALIDATED else ""
        self.context.record_change(self.pointer, keyword, "described" if text else "dropped", reason, checked=checked)


def _with_numeric_bounds(source: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema whose exclusive bounds are numbers. In draft 4, they are flags beside the bounds."""
    flags = [key for key in _INCLUSIVE if type(source.get(key)) is bool]
    found = dict(source) if flags else {}
    for key in flags:
        if found.pop(key) and _INCLUSIVE[key][0] in found:
            found[key] = found.pop(_INCLUSIVE[key][0])
    return found if flags else source


def keep_rules(lowering: NodeLowering, kind: str | None, *, values_encoded: bool = False) -> None:
    """Write every rule that no other function lowers, or a sentence about it. `kind` is the type on the wire.

    If values are encoded (`values_encoded`), rules with schemas for them are omitted.
    """
    context, out = lowering.context, lowering.out
    lowering.source = _with_numeric_bounds(lowering.source)
    for keyword, value in lowering.source.items():
        if keyword in STRUCTURE or keyword in out or keyword == "additionalItems":
            continue
        if keyword in IDENTITY:
            if keyword not in ("$defs", "definitions", "$schema") and context.dialect.supports(keyword):
                out[keyword] = value
        elif keyword not in _INCLUSIVE or not _makes_inclusive(lowering, keyword, kind):
            supported, reason = _supported_rule(context, keyword, value, kind, values_encoded)
            if reason:
                lowering.leave_out(keyword, value, reason)
            if supported is not None or not (reason or (keyword == "default" and context.dialect.closed)):
                out[keyword] = supported
    _leave_out_dependent(lowering)


def _supported_rule(
    context: LoweringContext, keyword: str, value: Any, kind: str | None, values_encoded: bool
) -> tuple[Any, str]:
    """Return what the dialect supports of a rule, and the reason if that is less than the rule: None for nothing."""
    dialect = context.dialect
    if keyword in dialect.most and type(value) is int and value > dialect.most[keyword]:
        most = dialect.most[keyword]
        return most, f"more than {most} is not supported by this provider"
    if not (can_keep_schemas(context, keyword) if keyword in _WITH_SCHEMAS else dialect.supports(keyword)):
        return None, context.unsupported_reason(keyword)
    if keyword in _WITH_SCHEMAS:
        found = None if values_encoded else context.copy_unlowered_rule(keyword, value)
        if found is None:
            return None, "its values are encoded, or it contains a circular reference or an unsupported keyword"
        return found, ""
    if keyword == "format" and not dialect.supports_format(kind, value):
        return None, f"this provider does not support this format for {kind or 'a value'}"
    if keyword == "pattern" and dialect.patterns is not None and not dialect.patterns.fullmatch(str(value)):
        return None, "this provider does not support this pattern"
    return value, ""


def can_keep_schemas(context: LoweringContext, keyword: str) -> bool:
    """Return whether a keyword that contains schemas can be kept unchanged."""
    return context.dialect.supports(keyword) and context.dialect.refs == "keep" and not context.dialect.closed


def conditions_not_sent(context: LoweringContext, source: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with the conditions that are not sent; `source` is the schema before its `allOf` was merged."""
    if not can_keep_schemas(context, "if") or context.dialect.says_open:
        return source
    keys = [key for key in ("if", "then", "else", "dependentSchemas", "dependencies") if key in schema]
    dropped = {key for key in keys if _supported_rule(context, key, schema[key], None, False)[0] is None}
    return {key: schema[key] for key in keys if key == "if" or key in dropped or "if" in dropped}


def _leave_out_dependent(lowering: NodeLowering) -> None:
    """Remove keywords that would reject more than the source does, because a keyword next to them was omitted."""
    source, out = lowering.source, lowering.out
    for keyword, others in _DEPENDENT.items():
        if keyword in out and any(other in source and other not in out for other in others):
            lowering.leave_out(keyword, out.pop(keyword), "it depends on a keyword that was left out")
    if "contains" in out and source.get("minContains") == 0 and "minContains" not in out:
        lowering.leave_out("contains", out.pop("contains"), lowering.context.unsupported_reason("minContains"))


def _makes_inclusive(lowering: NodeLowering, keyword: str, kind: str | None) -> bool:
    """Replace an unsupported exclusive bound on integers by an inclusive one, and return whether this was possible."""
    other, step = _INCLUSIVE[keyword]
    value, dialect = lowering.source[keyword], lowering.context.dialect
    if kind != "integer" or type(value) not in (int, float) or dialect.supports(keyword) or not dialect.supports(other):
        return False
    bound = math.floor(value) + 1 if step > 0 else math.ceil(value) - 1
    beside = lowering.source.get(other)
    if type(beside) is int or type(beside) is float:
        bound = max(bound, beside) if step > 0 else min(bound, beside)
    lowering.out[other] = bound
    lowering.context.record_change(lowering.pointer, keyword, "rewritten", f"{other} means the same for integers")
    return True


def lower_annotations(
    context: LoweringContext,
    source: Mapping[str, Any],
    pointer: Pointer,
    sentences: list[str],
    *,
    has_described_subschemas: bool = False,
) -> dict[str, Any]:
    """Return the description and other annotations that the dialect supports. Sentences are added to the description.

    If the schema surrounds others with descriptions of their own (`has_described_subschemas`), it does not need a description.
    """
    found: dict[str, Any] = {}
    keep_rules(NodeLowering(context, select_annotations(source), pointer, out=found, sentences=sentences), None)
    text = add_sentences(source.get("description"), sentences)
    demanded = context.dialect.complete and not has_described_subschemas
    if (text or demanded) and context.allows_description(pointer):
        found["description"] = text
    elif source.get("description"):
        context.record_dropped(pointer, "description", context.unsupported_reason("description"))
    if demanded and not text and pointer and "description" not in source:
        context.record_change(
            pointer, "description", "defaulted", "every property needs a description, so it has an empty one"
        )
    return found


def lower_untyped(context: LoweringContext, source: dict[str, Any], pointer: Pointer, sentences: list[str]) -> Node:
    """Lower a schema for values of any type."""
    if context.dialect.untyped != "refuse" and context.dialect.requires_type(pointer):
        context.record_change(pointer, "a value of any type", "rewritten", "it is sent as JSON text")
        if source.get("default") is not None and context.dialect.supports("default"):
            source = {**source, "default": dump_allowing_nan(source["default"])}
        all_sentences = [*sentences, "Any JSON value, as JSON text."]
        return {"type": "string", **lower_annotations(context, source, pointer, all_sentences)}, {"json": True}
    if context.dialect.untyped == "refuse":
        context.record_unsupported(pointer, "a value of any type", "every value needs a type")
    return lower_annotations(context, source, pointer, sentences), None


def lower_enum(lowering: NodeLowering) -> tuple[Table | None, bool]:
    """Lower the values of an enum or const. Return their encoding, and whether any value is possible.

    If the values are sent as strings, the lowered schema has the type string.
    """
    context, source, pointer, kinds, out = (
        lowering.context,
        lowering.source,
        lowering.pointer,
        lowering.kinds,
        lowering.out,
    )
    listed = source.get("enum")
    if "const" in source:
        values = [source["const"]]
        if type(listed) is list and not any(same_json(item, source["const"]) for item in listed):
            return None, False
    elif type(listed) is list:
        values = listed
    else:
        return None, True
    values = [value for value in values if not kinds or has_json_type(value, kinds)]
    if not values:
        return None, False
    if len(kinds) > 1 and context.dialect.types == "one" and len({json_type(value) for value in values}) == 1:
        out["type"] = json_type(values[0])
    mixed = len(kinds) > 1 and not context.dialect.supports("anyOf")
    if context.dialect.enum != "any" and (
        mixed or not all(_goes_as_it_is(value, context.dialect.enum) for value in values)
    ):
        context.record_change(
            pointer, "const" if "const" in source else "enum", "rewritten", "its values are sent as strings"
        )
        texts = encode_as_unique_texts(values)
        out["type"] = "string"
        _put(lowering, texts)
        return {"values": values, "texts": texts}, True
    if "const" in source and context.dialect.supports("const"):
        out["const"] = source["const"]
        return None, True
    if "const" in source:
        context.record_change(pointer, "const", "rewritten", "an enum with one value means the same")
    _put(lowering, values)
    return None, True


def _put(lowering: NodeLowering, values: list[Any]) -> None:
    context = lowering.context
    if context.dialect.supports("enum"):
        lowering.out["enum"] = values
        if (
            context.dialect.enum == "texts"
            and context.dialect.supports_format("string", "enum")
            and context.dialect.formats
        ):
            lowering.out["format"] = "enum"
        return
    text = describe_rule("enum", values)
    if text and context.allows_description(lowering.pointer):
        lowering.sentences.append(text)
    context.record_described(lowering.pointer, "enum", text, context.unsupported_reason("enum"))


def _goes_as_it_is(value: Any, rule: str) -> bool:
    if rule == "scalars":
        return type(value) not in (dict, list)
    return type(value) is str or (rule == "numbers" and type(value) in (int, float))


def add_null(out: dict[str, Any], dialect: Dialect) -> dict[str, Any]:
    """Return a lowered schema that also admits null, in the form that the dialect uses."""
    if dialect.nullable == "flag":
        return {**out, "nullable": True}
    if dialect.nullable == "none":
        return out
    if out == {} or "null" in declared_types(out):
        return out
    if type(out.get("anyOf")) is list:
        branches = out["anyOf"] if _NULL in out["anyOf"] else [*out["anyOf"], dict(_NULL)]
        return {**out, "anyOf": branches}
    listed = "enum" in out or "const" in out
    takes_null = (dialect.enum in ("any", "scalars") or not listed) and out.keys().isdisjoint(("if", "not"))
    if dialect.nullable == "type_list" and takes_null and "$ref" not in out and ("type" in out or listed):
        wider = dict(out)
        if "type" in out:
            wider["type"] = [*declared_types(out), "null"]
        if "const" in wider:
            wider["enum"] = [wider.pop("const"), None]
        elif "enum" in wider and None not in wider["enum"]:
            wider["enum"] = [*wider["enum"], None]
        return wider
    if out.keys() <= ANNOTATIONS:
        return out
    core = {key: value for key, value in out.items() if key not in ANNOTATIONS}
    return {"anyOf": [core, dict(_NULL)], **select_annotations(out)}


def with_encoded_values(context: LoweringContext, source: dict[str, Any], encoding: Table | None) -> dict[str, Any]:
    """Encode the default and examples of a schema as its values are. If tables are not complete yet, do it later."""
    if encoding is None:
        return source
    encode = Encoding(encoding).encode if _is_complete(encoding) else partial(context.retained.encode_later, encoding)
    found = dict(source)
    if source.get("default") is not None and context.dialect.supports("default"):
        found["default"] = encode(source["default"])
    if type(source.get("examples")) is list and context.dialect.supports("examples"):
        found["examples"] = [encode(value) for value in source["examples"]]
    return found


def _is_complete(encoding: Table) -> bool:
    """Return whether a table contains no references, and no unions, whose shapes are not known yet."""
    return (
        "ref" not in encoding and "any" not in encoding and all(map(_is_complete, filter(None, inner_tables(encoding))))
    )
