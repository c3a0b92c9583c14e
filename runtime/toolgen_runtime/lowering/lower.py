"""Lowering of a complete schema: the root as an object, the definitions, the limits, and the encoding table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..conversion.encoding import Table
from ..json_values import same_json
from .dialects import Dialect, violated_limits, write_types_in_upper_case
from .engine import NEVER, LoweringContext, RefStack, TooLargeError
from .lowered_schema import LoweredSchema
from .references import required_circles
from .schemas import (
    ANNOTATIONS,
    IDENTITY,
    Pointer,
    declared_types,
    either_of,
    merge_schemas,
    property_names,
    required_names,
)
from .sentences import add_sentences, describe_needs, describe_rule
from .tables import changes_values, pruned_table, shape_of

__all__ = ["lower"]

_WRAPPER = "value"
"""The property that contains a wrapped union."""

_UNIONS = ("anyOf", "oneOf")
_EVALUATING = frozenset(
    ["additionalProperties", "patternProperties", "unevaluatedProperties", "if", "dependentSchemas"]
)
"""Keywords of a branch that admit properties which the branch does not declare."""


def lower(
    schema: Mapping[str, Any] | bool, dialect: Dialect, recursion_depth: int = 3, *, is_arguments: bool = True
) -> LoweredSchema:
    """Lower a complete schema. Unsupported recursion is expanded `recursion_depth` levels, or fewer if the result is too large.

    True and false are lowered as the equivalent objects. Arguments are an object; any other schema (`is_arguments`) keeps
    the kind of its values.
    """
    if isinstance(schema, bool):
        schema = {} if schema else {"not": {}}
    levels, empty = recursion_depth, frozenset[Pointer]()
    while levels >= 0:
        context = LoweringContext(schema, dialect, levels, empty)
        try:
            found = _lowered(context, dict(schema), is_arguments)
        except (TooLargeError, RecursionError):
            levels -= 1
            continue
        if context.empty == empty:
            return found
        empty = context.empty
    context = LoweringContext({}, dialect, 0)
    record = context.record_unsupported if dialect.closed else context.record_dropped
    record((), "the schema", "it is too large after references are inlined")
    return _lowered(context, {"type": "object"} if is_arguments else {}, is_arguments)


def _lowered(context: LoweringContext, schema: dict[str, Any], is_arguments: bool) -> LoweredSchema:
    dialect = context.dialect
    root = _one_object(context, schema) if is_arguments else _without_reference(context, schema)
    if dialect.plain and not context.wrapped and context.are_names_legal():
        out, encoding = root, None
    else:
        out, encoding = context.lower_node(root, ())
        if out is NEVER:
            context.record_change(
                (), "the schema", "dropped", "no value fits it", checked="parse_arguments", blocks_strict=True
            )
            out, encoding = context.lower_node({"type": "object", "additionalProperties": False}, ())
        for name, target in context.retained.pending_definitions():
            lowered = context.lower_node(context.references.value_at(target), target)
            inner, context.retained.encoding_tables[name] = lowered
            context.retained.schemas[name] = inner
            context.empty |= {target} if inner is NEVER else set()
        context.empty |= context.retained.targets_without_end()
        if context.wrapped:
            entry = (encoding or {"object": {}})["object"].get(_WRAPPER, {})
            encoding = {"wrap": _WRAPPER, **entry}
    out = {**out}
    if "properties" in dialect.root.get("needs", ()) and "properties" not in out:
        out["properties"] = {}
    if dialect.complete and not out.get("description"):
        out.pop("description", None)
    for keyword in dialect.root.get("without", ()):
        if keyword in out:
            del out[keyword]
            context.record_change((), keyword, "dropped", f"{keyword} is not supported at the root")
    if context.retained.schemas:
        out["$defs"] = context.retained.schemas
    if dialect.recursion == "optional" and not _loosen_circles(context, out):
        unrolling = Dialect({**dialect.facts, "recursion": "unroll"})
        return lower(context.references.root, unrolling, context.depth, is_arguments=is_arguments)
    if dialect.values == "upper":
        out = write_types_in_upper_case(out)
    least = dialect.root.get("least_required", 0)
    required = out.get("required")
    if out.get("properties") and (len(required) if type(required) is list else 0) < least:
        context.record_unsupported((), "required", f"at least {least} of all properties must be required")
    for reason in violated_limits(out, dialect):
        context.record_unsupported((), "the schema", f"it is too large: {reason}")
    table = _table(context, encoding, schema, out)
    out = context.retained.with_encoded_values(out, encoding)
    return LoweredSchema(out, tuple(context.changes.values()), table)


def _loosen_circles(context: LoweringContext, out: dict[str, Any]) -> bool:
    """Make required properties optional, and describe them, where a recursion has no optional one. False if it has none."""
    circles = required_circles(out)
    if circles is None:
        return False
    for pointer, holder, name in circles:
        required = [other for other in holder.pop("required") if other != name]
        holder.update({"required": required} if required else {})
        holder["description"] = add_sentences(holder.get("description"), [describe_needs([[name]])])
        context.record_described((*pointer, "required"), name, True, "a recursion must have an optional property")
    return True


def _without_reference(context: LoweringContext, schema: dict[str, Any]) -> dict[str, Any]:
    """Return the root schema with the target of its reference in place of the reference."""
    if "$ref" in schema:
        definitions: dict[str, Any] = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
        found, _ = context.resolve(schema, ())
        schema = {**(found if type(found) is dict else {}), **definitions}
    return context.record_source_pointer(schema, ())


def _one_object(context: LoweringContext, schema: dict[str, Any]) -> dict[str, Any]:
    """Return the root schema as one object, without keywords that the dialect rejects at the root."""
    source = schema
    refused = set(context.dialect.root.get("without", ()))
    if not context.dialect.plain:
        refused |= {"$ref", "allOf", "anyOf", "oneOf"}
    if context.dialect.enum != "any":  # the root would be a string
        refused |= {"enum", "const"}
    if "$ref" in schema and ("$ref" in refused or "type" not in schema):
        schema = _without_reference(context, schema)
    sentences: list[str] = []
    if "allOf" in refused and "allOf" in schema:
        schema, _ = context.merge_all_of(schema, (), ())
        context.record_change((), "allOf", "rewritten", "its schemas were merged into the root")
    for keyword in _UNIONS:
        if keyword in refused and type(schema.get(keyword)) is list:
            branches = _objects(context, schema[keyword])
            if context.dialect.unions == "wrapped" and len(branches) > 1 and context.dialect.supports("anyOf"):
                return _wrapped(context, schema, keyword, branches)
            schema = _merged(context, schema, keyword, branches, sentences)
    for keyword in ("enum", "const", "not", "if", "then", "else"):
        if keyword in refused and keyword in schema:
            text = describe_rule(keyword, schema[keyword])
            sentences.append(text)
            context.record_described((), keyword, text, f"{keyword} is not supported at the root")
            schema = {key: value for key, value in schema.items() if key != keyword}
    if schema.get("type") == ["object"]:
        schema = {**schema, "type": "object"}
    composed = not context.dialect.plain and any(keyword in source for keyword in ("$ref", "allOf", *_UNIONS))
    if (composed or context.dialect.root.get("type") == "object") and declared_types(schema) != ("object",):
        if "type" in schema and "object" not in declared_types(schema):
            context.record_unsupported((), "type", "the root must be an object")
        schema = {"type": "object", **{key: value for key, value in schema.items() if key != "type"}}
    texts = [text for text in sentences if text]
    if texts and context.allows_description(()):
        description = schema.get("description")
        schema = {
            **schema,
            "description": " ".join([description, *texts] if type(description) is str and description else texts),
        }
    return context.record_source_pointer(schema, ())


def _objects(context: LoweringContext, branches: list[Any], ref_stack: RefStack = ()) -> list[dict[str, Any]]:
    """Return the branches that may be objects, resolved and merged, with the branches of a union in place of the union.

    A branch that leads back to a union around it adds nothing.
    """
    found: list[dict[str, Any]] = []
    for branch in branches:
        context.count_schema()
        inner, along = context.resolve(branch, ref_stack)
        if inner is False or len(set(along)) < len(along):
            continue
        inner, _ = context.merge_all_of(inner if type(inner) is dict else {}, (), ())
        if inner is NEVER:
            continue
        if inner.get("type", "object") != "object" and "object" not in declared_types(inner):
            continue
        keyword = next((union for union in _UNIONS if type(inner.get(union)) is list), None)
        if keyword is None:
            found.append(inner)
            continue
        rest = {key: value for key, value in inner.items() if key != keyword}
        for each in _objects(context, inner[keyword], along):
            conflicts: list[str] = []
            joined = context.record_source_pointer(
                merge_schemas(rest, each, conflicts), context.source_pointer_of(each, ())
            )
            context.record_conflicts((), conflicts)
            found += _objects(context, [joined], along)
    return found


def _wrapped(
    context: LoweringContext, schema: dict[str, Any], keyword: str, branches: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return an object with one property for the union. Each branch is merged with the rules next to the union."""
    reason = f"{keyword} is not supported at the root, so its branches are wrapped in the property {_WRAPPER}"
    context.record_change((), keyword, "rewritten", reason)
    context.wrapped = True
    root_keywords = ANNOTATIONS | IDENTITY
    outer = {key: value for key, value in schema.items() if key != keyword and key not in root_keywords}
    conflicts: list[str] = []
    inner = []
    for i, branch in enumerate(branches):
        joined = {**merge_schemas(branch, outer, conflicts), "type": "object"}
        inner.append(context.record_source_pointer(joined, context.source_pointer_of(branch, (keyword, i))))
    context.record_conflicts((), conflicts)
    root = {key: value for key, value in schema.items() if key in root_keywords}
    union = context.record_source_pointer({keyword: inner}, ())
    root |= {"type": "object", "properties": {_WRAPPER: union}, "required": [_WRAPPER], "additionalProperties": False}
    return context.record_source_pointer(root, ())


def _merged(
    context: LoweringContext, schema: dict[str, Any], keyword: str, branches: list[dict[str, Any]], sentences: list[str]
) -> dict[str, Any]:
    """Merge a union of objects into one. It requires what all branches require; a sentence describes the rest."""
    outer = {key: value for key, value in schema.items() if key != keyword}
    needs = [required_names(branch) for branch in branches]
    sentences.append(describe_needs(needs))
    context.record_described(
        (), keyword, any(needs), f"{keyword} is not supported at the root, so its branches were merged into one object"
    )
    found = dict(outer)
    properties: dict[str, list[Any]] = {}
    beside = _properties(outer)
    free = {
        name: context.alternatives[id(value)] for name, value in beside.items() if id(value) in context.alternatives
    }
    everywhere = set.intersection(*map(property_names, branches)) if branches else set()
    for branch in branches:
        for name, value in _properties(branch).items():
            if name in beside and name not in free and not _is_restricted(context, name, beside[name], everywhere):
                continue
            known = properties.setdefault(name, [*free.get(name, ())] if name not in everywhere else [])
            known += [] if any(same_json(value, other) for other in known) else [value]
    _report_narrower_union(context, needs, outer, properties, branches)
    if properties:
        merged = {name: either_of(values) for name, values in properties.items()}
        conflicts: list[str] = []
        open_to_more = {**beside, **{name: True for name in properties if name in free}}
        found = merge_schemas(
            {"properties": {}, **found} | {"properties": open_to_more}, {"properties": merged}, conflicts
        )
        for name, value in merged.items():
            if name not in everywhere and type(value) is dict:
                context.alternatives[id(value)] = properties[name]
            elif name in free:  # all branches of this union declare it, so nothing else is excluded any more
                context.changes.pop((("properties", name), "a property", "narrowed"), None)
    common = [name for name in (needs[0] if needs else []) if all(name in names for names in needs)]
    if common:
        found["required"] = list(dict.fromkeys([*required_names(found), *common]))
    closes, more = context.dialect.closed, False
    for rule, harmless in (
        ("patternProperties", [{}]),
        ("unevaluatedProperties", [False]),
        ("additionalProperties", [False] if closes else [False, True, {}]),
    ):
        if any(branch.get(rule) not in (None, *harmless) for branch in branches):
            reason, more = "only branches that were merged have it", True
            if closes:
                context.record_change((keyword,), rule, "narrowed", reason, blocks_strict=True)
            else:
                context.record_dropped((keyword,), rule, reason)
    if not more and branches and all(branch.get("additionalProperties") is False for branch in branches):
        found.setdefault("additionalProperties", False)
    if "unevaluatedProperties" in found and any(not branch.keys().isdisjoint(_EVALUATING) for branch in branches):
        reason = "branches that were merged allow more properties"
        context.record_dropped((), "unevaluatedProperties", reason)
        del found["unevaluatedProperties"]
    if "description" not in found:
        descriptions = [branch["description"] for branch in branches if type(branch.get("description")) is str]
        if len(descriptions) == 1 and not set(found) & (ANNOTATIONS - {"$comment"}):
            found["description"] = descriptions[0]
    return context.record_source_pointer(found, ())


def _report_narrower_union(
    context: LoweringContext,
    needs: list[list[str]],
    outer: dict[str, Any],
    merged: dict[str, Any],
    branches: list[dict[str, Any]],
) -> None:
    """Report what the merged object of a union excludes, although a branch allows it.

    `needs` has the names that each branch requires, `outer` the schema next to the union, and `merged` the properties of
    the branches that the object gets. A closed object can have a name only where it is declared, or has to have it.
    """
    closed, beside = context.dialect.closed, {*property_names(outer), *merged}
    for name in dict.fromkeys(name for names in needs for name in names if closed and name not in beside):
        reason = "a branch requires it, but it is declared nowhere, so it cannot be sent"
        context.record_change(("required",), name, "narrowed", reason, blocks_strict=True)
    for name in merged:
        free = [
            name in [*names, *required_names(outer)]
            for one, names in zip(branches, needs, strict=True)
            if name not in _properties(one) and one.get("additionalProperties") is not False
        ]
        if any(free) or (free and not closed):
            reason = "only some branches declare it, but the merged object always restricts it"
            context.record_change(("properties", name), "a property", "narrowed", reason, blocks_strict=closed)


def _is_restricted(context: LoweringContext, name: str, declared: Any, everywhere: set[str]) -> bool:
    """Return whether branches restrict a property further. Only if all do, the merged object may do so too.

    A property that is declared without a schema is restricted nevertheless, because its only schema tells the model what
    to send.
    """
    if name in everywhere:
        return True
    reason = "only some branches restrict it, but the merged object always does"
    if declared is True or declared == {}:
        context.record_change(("properties", name), "a property", "narrowed", reason, blocks_strict=True)
        return True
    return False


def _properties(branch: dict[str, Any]) -> dict[str, Any]:
    value = branch.get("properties")
    return value if type(value) is dict else {}


def _table(
    context: LoweringContext, encoding: Table | None, source: dict[str, Any], out: dict[str, Any]
) -> Table | None:
    """Return the encoding table without entries that have no effect."""
    _replace_schemas_by_shapes(context, out)
    tables = {**context.retained.encoding_tables, "": encoding}
    effective: set[str] = set()
    while more := {
        name
        for name, table in tables.items()
        if name not in effective and changes_values(table, effective.__contains__)
    }:
        effective |= more
    root = pruned_table(encoding, effective.__contains__)
    if root is None:
        return None
    definitions = {
        name: pruned_table(table, effective.__contains__)
        for name, table in context.retained.encoding_tables.items()
        if name in effective
    }
    return {**root, "defs": definitions} if definitions else root


def _replace_schemas_by_shapes(context: LoweringContext, out: dict[str, Any]) -> None:
    """Complete the entries of unions, now that all definitions are lowered."""
    wire_targets = {"#": out, **{f"#/$defs/{name}": schema for name, schema in context.retained.schemas.items()}}
    for entry in context.union_entries:
        source_schema, wire_schema, _ = entry
        entry[0] = shape_of(source_schema, context.references.target_of)
        entry[1] = shape_of(wire_schema, wire_targets.get)
