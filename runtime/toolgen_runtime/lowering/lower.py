"""Lowering of a complete schema: the root as an object, the definitions, the limits, and the encoding table."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ..conversion.encoding import Table
from ..json_values import same_json
from .dialects import Dialect, violated_limits, write_types_in_upper_case
from .engine import NEVER, UNIONS, LoweredNode, LoweringContext, RefStack, TooLargeError
from .lowered_schema import LoweredSchema
from .plain_schemas import adapt_plain_schema
from .references import required_circles, with_unmistakable_definitions
from .schemas import (
    ANNOTATIONS,
    IDENTITY,
    Pointer,
    declared_types,
    either_of,
    list_at,
    merge_schemas,
    names_in_all,
    object_at,
    property_names,
    required_names,
    simplified,
    without_keywords,
)
from .sentences import add_sentences, describe_needs, describe_rule
from .tables import changes_values, pruned_table, shape_of

__all__ = ["lower"]

_WRAPPER = "value"
"""The property that contains a wrapped union."""

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
    source: Mapping[str, Any] = schema if dialect.plain else simplified(schema)
    depth, empty = recursion_depth, frozenset[Pointer]()
    while depth >= 0:
        context = LoweringContext(source, dialect, depth, empty)
        try:
            lowered = _lower_all(context, dict(source), is_arguments=is_arguments)
        except (TooLargeError, RecursionError):
            depth -= 1
            continue
        if context.empty == empty:
            return lowered
        empty = context.empty  # now that they are known, references to them are lowered as false
    context = LoweringContext({}, dialect, 0)
    record = context.record_unsupported if dialect.closed else context.record_dropped
    record((), "the schema", "it is too large after references are inlined")
    return _lower_all(context, {"type": "object"} if is_arguments else {}, is_arguments=is_arguments)


def _lower_all(context: LoweringContext, schema: dict[str, Any], *, is_arguments: bool) -> LoweredSchema:
    """Lower the root and its definitions in one context, which knows the targets that admit no value."""
    dialect = context.dialect
    root = _as_one_object(context, schema) if is_arguments else _without_reference(context, schema)
    encoding: Table | None = None
    if dialect.plain and not context.wrapped and context.are_names_legal():
        out = dict(adapt_plain_schema(context, context.references.without_unused_definitions(root)))
    else:
        out, encoding = _lower_with_definitions(context, root)
    _apply_root_rules(context, out)
    if context.retained.schemas:
        out["$defs"] = context.retained.schemas
    if dialect.recursion == "optional" and not _loosen_circles(context, out):
        unrolling = Dialect({**dialect.facts, "recursion": "unroll"})
        return lower(context.references.root, unrolling, context.depth, is_arguments=is_arguments)
    if dialect.values == "upper":
        out = write_types_in_upper_case(out)
    least = dialect.root.get("least_required", 0)
    if out.get("properties") and len(list_at(out, "required")) < least:
        context.record_unsupported((), "required", f"at least {least} of all properties must be required")
    for reason in violated_limits(out, dialect):
        context.record_unsupported((), "the schema", f"it is too large: {reason}")
    table = _table(context, encoding, out)
    out = context.retained.fill_placeholders(out, encoding)
    if dialect.definitions == "collected":
        out = with_unmistakable_definitions(out)
    return LoweredSchema(out, tuple(context.changes.values()), table)


def _lower_with_definitions(context: LoweringContext, root: dict[str, Any]) -> LoweredNode:
    """Lower the root, and then the definitions that it refers to. Return a copy of the lowered root."""
    out, encoding = context.lower_node(root, ())
    if out is NEVER:
        reason = "no value fits it"
        context.record_change((), "the schema", "dropped", reason, checked="parse_arguments", blocks_strict=True)
        out, encoding = context.lower_node({"type": "object", "additionalProperties": False}, ())
    retained = context.retained
    for name, target in retained.pending_definitions():
        definition, table = context.lower_node(context.references.value_at(target), target)
        retained.schemas[name], retained.encoding_tables[name] = definition, table
        if definition is NEVER:
            context.empty |= {target}
    context.empty |= retained.targets_without_end()
    if context.wrapped:
        entry = (encoding or {"object": {}})["object"].get(_WRAPPER, {})
        encoding = {"wrap": _WRAPPER, **entry}
    return LoweredNode(dict(out), encoding)


def _apply_root_rules(context: LoweringContext, out: dict[str, Any]) -> None:
    """Add what the dialect needs at the root of a lowered schema, and remove what it rejects there."""
    rules = context.dialect.root
    if "properties" in rules.get("needs", ()) and "properties" not in out:
        out["properties"] = {}
    if context.dialect.complete and not out.get("description"):
        out.pop("description", None)
    for keyword in rules.get("without", ()):
        if keyword in out:
            del out[keyword]
            context.record_change((), keyword, "dropped", f"{keyword} is not supported at the root")


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
        target, _ = context.resolve(schema, ())
        schema = {**(target if type(target) is dict else {}), **definitions}
    return context.record_source_pointer(schema, ())


def _as_one_object(context: LoweringContext, schema: dict[str, Any]) -> dict[str, Any]:
    """Return the root schema as one object, without keywords that the dialect rejects at the root; NEVER if nothing fits."""
    dialect = context.dialect
    is_composed = not schema.keys().isdisjoint(("$ref", "allOf", *UNIONS))  # what follows replaces these keywords
    rejected = _keywords_rejected_at_root(dialect)
    if "$ref" in schema and ("$ref" in rejected or "type" not in schema):
        schema = _without_reference(context, schema)
    if "allOf" in rejected and "allOf" in schema:
        schema, _ = context.merge_all_of(schema, (), ())
        if schema is NEVER and not dialect.plain:
            return schema
        context.record_change((), "allOf", "rewritten", "its schemas were merged into the root")
    sentences: list[str] = []
    for keyword in UNIONS:
        if keyword in rejected and type(schema.get(keyword)) is list:
            branches = _object_branches(context, schema[keyword])
            if dialect.unions == "wrapped" and len(branches) > 1 and dialect.supports("anyOf"):
                return _wrap_union(context, schema, keyword, branches)
            sentences.append(describe_needs([required_names(branch) for branch in branches]))
            schema = _merge_union(context, schema, keyword, branches)
    schema = _without_rejected_rules(context, schema, rejected, sentences)
    if (is_composed and not dialect.plain) or dialect.root.get("type") == "object":
        schema = _with_object_type(context, schema)
    elif schema.get("type") == ["object"]:
        schema = {**schema, "type": "object"}
    if any(sentences) and context.allows_description(()):
        schema = {**schema, "description": _join_sentences(schema.get("description"), sentences)}
    return context.record_source_pointer(schema, ())


def _keywords_rejected_at_root(dialect: Dialect) -> set[str]:
    """Return the keywords that the root of a schema must not have in a dialect."""
    rejected = set(dialect.root.get("without", ()))
    if not dialect.plain:
        rejected |= {"$ref", "allOf", *UNIONS}
    if dialect.enum != "any":  # where only texts can be listed, a root that lists values would be a text
        rejected |= {"enum", "const"}
    return rejected


def _without_rejected_rules(
    context: LoweringContext, schema: dict[str, Any], rejected: Collection[str], sentences: list[str]
) -> dict[str, Any]:
    """Return the root schema without the rejected rules on values. A sentence for each is appended to `sentences`."""
    for keyword in ("enum", "const", "not", "if", "then", "else"):
        if keyword in rejected and keyword in schema:
            sentence = describe_rule(keyword, schema[keyword])
            sentences.append(sentence)
            context.record_described((), keyword, sentence, f"{keyword} is not supported at the root")
            schema = without_keywords(schema, (keyword,))
    return schema


def _with_object_type(context: LoweringContext, schema: dict[str, Any]) -> dict[str, Any]:
    """Return the root schema with the type object. Record that other types cannot be sent."""
    kinds = declared_types(schema)
    if kinds == ("object",):
        return {**schema, "type": "object"}
    if "type" in schema and "object" not in kinds:
        context.record_unsupported((), "type", "the root must be an object")
    return {"type": "object", **without_keywords(schema, ("type",))}


def _join_sentences(description: Any, sentences: list[str]) -> str:
    texts = [text for text in sentences if text]
    return " ".join([description, *texts] if type(description) is str and description else texts)


def _object_branches(context: LoweringContext, branches: list[Any], ref_stack: RefStack = ()) -> list[dict[str, Any]]:
    """Return the branches that may be objects, resolved and merged, with the branches of a union in place of the union.

    A branch that leads back to a union around it adds nothing.
    """
    objects: list[dict[str, Any]] = []
    for branch in branches:
        context.count_schema()
        resolved, stack = context.resolve(branch, ref_stack)
        if resolved is False or len(set(stack)) < len(stack):
            continue
        merged, _ = context.merge_all_of(resolved if type(resolved) is dict else {}, (), ())
        if merged is NEVER or ("type" in merged and "object" not in declared_types(merged)):
            continue
        union = next((keyword for keyword in UNIONS if type(merged.get(keyword)) is list), None)
        if union is None:
            objects.append(merged)
            continue
        outer = without_keywords(merged, (union,))
        for inner in _object_branches(context, merged[union], stack):
            conflicts: list[str] = []
            joined = merge_schemas(outer, inner, conflicts)
            context.record_source_pointer(joined, context.source_pointer_of(inner, ()))
            context.record_conflicts((), conflicts)
            objects += _object_branches(context, [joined], stack)
    return objects


def _wrap_union(
    context: LoweringContext, schema: dict[str, Any], keyword: str, branches: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return an object with one property for the union. Each branch is merged with the rules next to the union."""
    reason = f"{keyword} is not supported at the root, so its branches are wrapped in the property {_WRAPPER}"
    context.record_change((), keyword, "rewritten", reason)
    context.wrapped = True
    outer = without_keywords(schema, {keyword, *ANNOTATIONS, *IDENTITY})
    conflicts: list[str] = []
    merged_branches = []
    for i, branch in enumerate(branches):
        merged = {**merge_schemas(branch, outer, conflicts), "type": "object"}
        pointer = context.source_pointer_of(branch, (keyword, i))
        merged_branches.append(context.record_source_pointer(merged, pointer))
    context.record_conflicts((), conflicts)
    root = {
        **{key: value for key, value in schema.items() if key in ANNOTATIONS or key in IDENTITY},
        "type": "object",
        "properties": {_WRAPPER: context.record_source_pointer({keyword: merged_branches}, ())},
        "required": [_WRAPPER],
        "additionalProperties": False,
    }
    return context.record_source_pointer(root, ())


def _merge_union(
    context: LoweringContext, schema: dict[str, Any], keyword: str, branches: list[dict[str, Any]]
) -> dict[str, Any]:
    """Merge a union of objects into the object around it. It requires what all branches require."""
    outer = without_keywords(schema, (keyword,))
    needs = [required_names(branch) for branch in branches]
    reason = f"{keyword} is not supported at the root, so its branches were merged into one object"
    context.record_described((), keyword, any(needs), reason)
    merged = _merge_properties(context, outer, branches)
    common = names_in_all(needs)
    if common:
        merged["required"] = list(dict.fromkeys([*required_names(merged), *common]))
    _merge_rules_for_undeclared(context, merged, keyword, branches)
    if "description" not in merged:
        descriptions = [branch["description"] for branch in branches if type(branch.get("description")) is str]
        if len(descriptions) == 1 and merged.keys().isdisjoint(ANNOTATIONS - {"$comment"}):
            merged["description"] = descriptions[0]
    return context.record_source_pointer(merged, ())


def _merge_properties(
    context: LoweringContext, outer: dict[str, Any], branches: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return a new object with its own properties and those of the branches of a union next to it."""
    declared = object_at(outer, "properties")
    in_some_cases = {
        name: context.alternatives[id(value)] for name, value in declared.items() if id(value) in context.alternatives
    }
    everywhere = set.intersection(*map(property_names, branches)) if branches else set()
    alternatives: dict[str, list[Any]] = {}
    for branch in branches:
        for name, value in object_at(branch, "properties").items():
            if name in declared and name not in in_some_cases and name not in everywhere:
                if declared[name] is not True and declared[name] != {}:
                    continue  # it has a schema that all branches keep to
                reason = "only some branches restrict it, but the merged object always does"
                context.record_change(("properties", name), "a property", "narrowed", reason, blocks_strict=True)
            earlier = in_some_cases.get(name, []) if name not in everywhere else []
            schemas = alternatives.setdefault(name, [*earlier])
            if not any(same_json(value, other) for other in schemas):
                schemas.append(value)
    _record_narrower_union(context, outer, alternatives, branches)
    if not alternatives:
        return dict(outer)
    merged = {name: either_of(schemas) for name, schemas in alternatives.items()}
    for name, schema in merged.items():
        if name not in everywhere and type(schema) is dict:
            context.alternatives[id(schema)] = alternatives[name]
        elif name in in_some_cases:  # all branches of this union declare it, so nothing else is excluded any more
            context.changes.pop((("properties", name), "a property", "narrowed"), None)
    replaced = {name: True for name in merged if name in in_some_cases}
    outer = {"properties": {}, **outer} | {"properties": {**declared, **replaced}}
    return merge_schemas(outer, {"properties": merged}, [])


def _merge_rules_for_undeclared(
    context: LoweringContext, merged: dict[str, Any], keyword: str, branches: list[dict[str, Any]]
) -> None:
    """Set what the merged object of a union says of properties that it does not declare, and record what is lost."""
    is_closed = context.dialect.closed
    harmless_values: dict[str, list[Any]] = {
        "patternProperties": [{}],
        "unevaluatedProperties": [False],
        "additionalProperties": [False] if is_closed else [False, True, {}],
    }
    has_lost_rules = False
    for rule, harmless in harmless_values.items():
        if any(branch.get(rule) not in (None, *harmless) for branch in branches):
            has_lost_rules = True
            reason = "only branches that were merged have it"
            if is_closed:
                context.record_change((keyword,), rule, "narrowed", reason, blocks_strict=True)
            else:
                context.record_dropped((keyword,), rule, reason)
    if not has_lost_rules and branches and all(branch.get("additionalProperties") is False for branch in branches):
        merged.setdefault("additionalProperties", False)
    if "unevaluatedProperties" in merged and any(not branch.keys().isdisjoint(_EVALUATING) for branch in branches):
        context.record_dropped((), "unevaluatedProperties", "branches that were merged allow more properties")
        del merged["unevaluatedProperties"]


def _record_narrower_union(
    context: LoweringContext, outer: dict[str, Any], merged: Mapping[str, Any], branches: list[dict[str, Any]]
) -> None:
    """Record what the merged object of a union excludes, although a branch allows it.

    `outer` is the schema next to the union, and `merged` has the properties of the branches that the object gets. A closed
    object can have a name only where it is declared, or has to have it.
    """
    is_closed = context.dialect.closed
    needs = [required_names(branch) for branch in branches]
    sendable = {*property_names(outer), *merged}
    for name in dict.fromkeys(name for names in needs for name in names):
        if is_closed and name not in sendable:
            reason = "a branch requires it, but it is declared nowhere, so it cannot be sent"
            context.record_change(("required",), name, "narrowed", reason, blocks_strict=True)
    for name in merged:
        required_where_open = [
            name in [*names, *required_names(outer)]
            for branch, names in zip(branches, needs, strict=True)
            if name not in object_at(branch, "properties") and branch.get("additionalProperties") is not False
        ]
        if any(required_where_open) or (required_where_open and not is_closed):
            reason = "only some branches declare it, but the merged object always restricts it"
            context.record_change(("properties", name), "a property", "narrowed", reason, blocks_strict=is_closed)


def _table(context: LoweringContext, encoding: Table | None, out: dict[str, Any]) -> Table | None:
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
