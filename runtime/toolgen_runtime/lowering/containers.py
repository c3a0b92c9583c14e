"""Lowering of objects and arrays: properties, closed objects and maps, items and tuples."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..conversion.encoding import Table
from ..json_values import same_json
from .context import NEVER, LoweringContext, Node, RefStack
from .dialects import Dialect
from .keywords import NodeLowering, add_null, can_keep_schemas, describe_rule
from .schemas import Pointer, declared_types, required_names

__all__ = ["lower_array", "lower_object"]

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
    names = dialect.name_on_wire(properties)
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
