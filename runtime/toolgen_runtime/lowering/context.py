"""The state and the result of one lowering: the schema, its changes, and the encoding of values.

`engine.py` lowers the schemas.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from ..conversion.encoding import Table
from ..json_values import same_json
from .dialects import Dialect
from .references import References, RetainedDefinitions, always_declared_names
from .schemas import (
    SCHEMA_LISTS,
    SCHEMA_MAPS,
    SCHEMA_VALUES,
    STRUCTURE,
    VALIDATED,
    Pointer,
    conditional_schemas,
    conditionally_required_names,
    declared_types,
    declares_null,
    either_of,
    merge_schemas,
    property_names,
    required_names,
)

__all__ = [
    "NEVER",
    "LoweredSchema",
    "LoweringContext",
    "Node",
    "RefStack",
    "SchemaChange",
    "TooLargeError",
    "inner_tables",
]

NEVER: Final[dict[str, Any]] = {"not": {}}
"""The schema that admits no value. It is compared by identity."""


class SchemaChange(NamedTuple):
    """One change by lowering: its location in the source, what was changed, and why.

    `checked` names the validation that still enforces the rule. `blocks_strict` means that a tool with `strict: auto`
    should not be strict. `is_unsupported` means that the schema cannot be expressed at all.
    """

    pointer: Pointer
    what: str
    action: Literal["rewritten", "described", "dropped", "moved", "narrowed", "defaulted"]
    reason: str
    checked: str = ""
    blocks_strict: bool = False
    is_unsupported: bool = False


@dataclass(frozen=True, slots=True)
class LoweredSchema:
    """A lowered schema. It is shared, so do not change it."""

    schema: dict[str, Any]
    changes: tuple[SchemaChange, ...]
    encoding_table: Table | None

    @property
    def unsupported_changes(self) -> tuple[SchemaChange, ...]:
        """The changes to schemas that this dialect cannot express."""
        return tuple(record for record in self.changes if record.is_unsupported)

    def only_drops_keywords(self, source: Mapping[str, Any] | bool) -> bool:
        """Return whether the schema is the source without the dropped keywords, apart from what every root has."""
        if isinstance(source, bool) or not source:
            return source == self.schema
        root = {key: self.schema[key] for key in _OF_EVERY_ROOT if key in self.schema}
        same = same_json({**root, **source}, self.schema)
        if same or any(record.action != "dropped" for record in self.changes):
            return same
        rest: Any = copy.deepcopy(dict(source))
        for record in self.changes:
            holder: Any = rest
            for step in record.pointer:
                members: Any = dict(enumerate(holder)) if type(holder) is list else holder
                holder = members.get(step) if type(members) is dict else None
            if type(holder) is dict:
                holder.pop(record.what, None)
        return same_json({**root, **rest}, self.schema)


_OF_EVERY_ROOT = ("type", "properties")
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


class LoweringContext(ABC):
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

    @abstractmethod
    def lower_node(self, schema: Any, pointer: Pointer, ref_stack: RefStack = ()) -> Node:
        """Lower a schema. Return NEVER if it admits no value."""

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


def inner_tables(encoding: Table) -> list[Table | None]:
    """Return the tables of the values in a container, or of the branches of a union."""
    inner = [entry.get("as") for entry in encoding.get("object", {}).values()]
    inner += [encoding.get("more"), encoding.get("items"), *encoding.get("first", ())]
    return [*inner, *(branch[2] for branch in encoding.get("any", ()))]
