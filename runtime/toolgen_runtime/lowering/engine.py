"""Lowering of single schemas: references, unions, and the keywords for each type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..conversion.encoding import Table
from ..json_text import dump_allowing_nan
from .containers import lower_array, lower_object
from .context import NEVER, LoweringContext, Node, RefStack, inner_tables
from .keywords import (
    NodeLowering,
    add_null,
    add_sentences,
    conditions_not_sent,
    describe_needs,
    describe_rule,
    keep_rules,
    lower_annotations,
    lower_enum,
    lower_untyped,
    with_encoded_values,
)
from .references import admits_plain_text, sends_as_text, tell_listed_values_apart
from .schemas import (
    ANNOTATIONS,
    IDENTITY,
    TYPES_OF_KEYWORD,
    Pointer,
    declared_types,
    has_json_type,
    json_type,
    merge_schemas,
    property_names,
    required_names,
    select_annotations,
    split_off_nullability,
)

__all__ = ["Engine"]

_CONDITIONS = frozenset(["allOf", "if", "dependentSchemas", "dependentRequired", "dependencies"])
_ASSERTIONS = frozenset(["required", "not", "minProperties", "maxProperties", "dependentRequired"]) | ANNOTATIONS


class Engine(LoweringContext):
    """One lowering, which converts a schema and its subschemas."""

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
