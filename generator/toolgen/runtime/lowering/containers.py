"""Objects and arrays: properties, closed objects and maps; items and tuples."""

from __future__ import annotations

import re
from typing import Any

from ..conversion.encoding import Table
from .context import LoweringContext, Node, Trail
from .dialects import Dialect
from .keywords import add_null, describe_rule, keeps_schemas
from .schemas import Way, admits_null, required_names

__all__ = ["lower_array", "lower_object"]

_OF_OBJECTS = ("properties", "required", "additionalProperties", "patternProperties", "minProperties")
_ANY_KEYWORD = Dialect({"keywords": "any", "refs": "inline", "recursion": "unroll"})


def lower_object(
    run: LoweringContext,
    said: dict[str, Any],
    way: Way,
    trail: Trail,
    kinds: tuple[str, ...],
    out: dict[str, Any],
    sentences: list[str],
) -> Table | None:
    """Lower the keywords for objects."""
    dialect = run.dialect
    given = said.get("properties")
    properties: dict[str, Any] = given if type(given) is dict else {}
    if not kinds and not any(keyword in said for keyword in _OF_OBJECTS):
        return None
    further = said.get("additionalProperties", True)
    free = further is not False or bool(said.get("patternProperties"))
    no_parameters = not way and "additionalProperties" not in said and "patternProperties" not in said
    if not properties and free and not no_parameters and dialect.maps != "keep":
        return _map(run, said, further, way, trail, out, sentences)
    required = required_names(said)
    if dialect.root.get("lists_required") and not dialect.closed and further is not False:
        properties = _with_required(run, properties, required, further, way)
    names = _names(list(properties), dialect.properties)
    lowered: dict[str, Any] = {}
    entries: dict[str, Any] = {}
    for name, schema in properties.items():
        inner, spelling = run.node(schema, (*way, "properties", name), trail)
        if inner.get("not") == {} and len(inner) == 1:
            continue
        entry: dict[str, Any] = {} if names[name] == name else {"name": names[name]}
        if entry:
            run.note(
                (*way, "properties", name),
                "a property's name",
                "rewritten",
                "this provider does not support the name",
            )
        if dialect.all_required and name not in required:
            inner = _optional(run, schema, inner, (*way, "properties", name), entry)
        if spelling is not None:
            entry["as"] = spelling
        lowered[names[name]] = inner
        if entry:
            entries[name] = entry
    if dialect.supports("properties") and ("properties" in said or properties or dialect.closed or dialect.complete):
        out["properties"] = lowered
    kept = [names.get(name, name) for name in required if name not in properties or names[name] in lowered]
    if dialect.all_required:
        kept = list(lowered)
    elif dialect.root.get("lists_required"):
        kept = [name for name in kept if name in lowered]
    if dialect.ordering and len(lowered) > 1:
        out["propertyOrdering"] = list(lowered)
    if kept and dialect.supports("required"):
        out["required"] = kept
    elif dialect.all_required or (dialect.closed and "required" in said):
        out["required"] = []
    _missing(run, required, properties, way)
    if type(said.get("dependentRequired")) is dict and dialect.supports("dependentRequired"):
        out["dependentRequired"] = {
            names.get(name, name): [names.get(other, other) for other in others] if type(others) is list else others
            for name, others in said["dependentRequired"].items()
        }
    more = _further(run, said, further, way, trail, out, respelled=bool(entries))
    if not entries and more is None:
        return None
    return {"object": entries} if more is None else {"object": entries, "more": more}


def _with_required(
    run: LoweringContext, properties: dict[str, Any], required: list[str], further: Any, way: Way
) -> dict[str, Any]:
    """Return the properties, and add required ones that are not declared."""
    found = dict(properties)
    for name in required:
        if name not in found:
            run.note((*way, "required"), name, "rewritten", "a required property must be declared under properties")
            found[name] = run.register(dict(further), (*way, "additionalProperties")) if type(further) is dict else {}
    return found


def _optional(
    run: LoweringContext, schema: Any, inner: dict[str, Any], way: Way, entry: dict[str, Any]
) -> dict[str, Any]:
    """Make an optional property required and nullable."""
    resolved, _ = run.resolve(schema, ())
    if admits_null(resolved) or (type(resolved) is dict and admits_null(run.merge_all_of(resolved, way, ())[0])):
        plain = type(resolved) is dict and "default" in resolved and resolved["default"] is None
        reason = "every property is required, so an absent value is sent as null and read back as null"
        run.note(way, "an optional property that may be null", "narrowed", reason, stops=not plain)
        entry["null"] = "kept"
        return inner
    run.note(way, "an optional property", "rewritten", "every property is required, so an absent value is sent as null")
    entry["null"] = "absent"
    return add_null(inner, run.dialect)


def _missing(run: LoweringContext, required: list[str], properties: dict[str, Any], way: Way) -> None:
    """Report required properties that have no schema and cannot be listed."""
    for name in required:
        if name not in properties and (run.dialect.closed or run.dialect.root.get("lists_required")):
            reason = "a required property must be declared under properties"
            action: Any = "narrowed" if run.dialect.closed else "dropped"
            checked = "" if run.dialect.closed else "parse_arguments"
            run.note((*way, "required"), name, action, reason, checked=checked, stops=True, refused=run.dialect.closed)


def _further(
    run: LoweringContext,
    said: dict[str, Any],
    further: Any,
    way: Way,
    trail: Trail,
    out: dict[str, Any],
    *,
    respelled: bool,
) -> Table | None:
    """Decide which additional properties are allowed."""
    dialect = run.dialect
    patterns = said.get("patternProperties")
    if dialect.closed:
        if further is not False or patterns:
            explicit = "additionalProperties" in said or bool(patterns)
            reason = "objects are closed, so undeclared properties cannot be sent"
            run.note(way, "additional properties", "narrowed", reason, stops=explicit)
        out["additionalProperties"] = False
        return None
    if "additionalProperties" not in said:
        if dialect.says_open and not patterns and (not said.get("properties") and way):
            out["additionalProperties"] = True
        return None
    if not dialect.supports("additionalProperties"):
        run.note(way, "additionalProperties", "dropped", run.reason("it"), checked="parse_arguments")
        return None
    lowered: Any = further
    spelling: Table | None = None
    if type(further) is dict:
        lowered, spelling = run.node(further, (*way, "additionalProperties"), trail)
    if patterns and further is not True:
        kept = keeps_schemas(run, "patternProperties") and not respelled and run.verbatim("patternProperties", patterns)
        if not kept or spelling is not None:
            reason = "it would apply to the properties that patternProperties matches"
            run.note(way, "additionalProperties", "dropped", reason, checked="parse_arguments")
            return None
    out["additionalProperties"] = lowered
    return spelling


def _map(
    run: LoweringContext,
    said: dict[str, Any],
    further: Any,
    way: Way,
    trail: Trail,
    out: dict[str, Any],
    sentences: list[str],
) -> Table | None:
    """Lower a map to a list of pairs if the dialect wants that; otherwise it cannot be sent."""
    if run.dialect.maps == "pairs" and way and not said.get("patternProperties"):
        value, spelling = run.node(further, (*way, "additionalProperties"), trail)
        pair = {"key": {"type": "string"}, "value": value}
        out["type"] = "array"
        out["items"] = {
            "type": "object",
            "properties": pair,
            "required": ["key", "value"],
            "additionalProperties": False,
        }
        sentences.append("Each key once.")
        run.note(way, "a map", "rewritten", "it is sent as a list of key-value pairs", checked="parse_arguments")
        return {"pairs": True} if spelling is None else {"pairs": True, "more": spelling}
    reason = "objects are closed, and a map has no properties to declare"
    run.note(way, "a map", "narrowed", reason, stops=True, refused=True)
    out["properties"], out["required"], out["additionalProperties"] = {}, [], False
    return None


def _names(names: list[str], legal: re.Pattern[str] | None) -> dict[str, str]:
    """Return a unique, valid name for each property. Valid names do not change."""
    if legal is None:
        return {name: name for name in names}
    found = {name: name for name in names if legal.fullmatch(name)}
    taken = set(found)
    for name in names:
        if name in found:
            continue
        made = re.sub(r"[^A-Za-z0-9_]+", "_", name)[:56] or "_"
        if not legal.fullmatch(made):
            made = f"p_{made}"
        spelled, n = made, 1
        while spelled in taken:
            n += 1
            spelled = f"{made}_{n}"
        taken.add(spelled)
        found[name] = spelled
    return found


def lower_array(
    run: LoweringContext,
    said: dict[str, Any],
    way: Way,
    trail: Trail,
    kinds: tuple[str, ...],
    out: dict[str, Any],
    sentences: list[str],
) -> Table | None:
    """Lower the keywords for arrays."""
    if type(said.get("items")) is list:  # draft 7
        said = {**said, "prefixItems": said["items"], "items": said.get("additionalItems", True)}
    first = said.get("prefixItems")
    if not kinds and "items" not in said and "prefixItems" not in said:
        return None
    if type(first) is list and first and not run.dialect.supports("prefixItems"):
        return _tuple(run, said, first, way, trail, out, sentences)
    found: Table = {}
    if type(first) is list and first:
        nodes = [run.node(schema, (*way, "prefixItems", i), trail) for i, schema in enumerate(first)]
        out["prefixItems"] = [schema for schema, _ in nodes]
        if any(spelling is not None for _, spelling in nodes):
            found["first"] = [spelling for _, spelling in nodes]
    items = said.get("items", True)
    if items is False:
        if "prefixItems" in out and (run.dialect.keywords is None or run.dialect.untyped == "keep"):
            out["items"] = False
        else:
            _at_most(run, said, len(first) if type(first) is list else 0, out, sentences)
            if run.dialect.untyped != "keep":
                out["items"] = {"type": "string", **({"description": ""} if run.dialect.complete else {})}
        return found or None
    if "items" not in said and run.dialect.untyped == "keep":
        return found or None
    if run.dialect.supports("items"):
        out["items"], spelling = _lower_items(run, items, (*way, "items"), trail)
        if run.dialect.complete and "type" not in out["items"]:
            out["items"] = {"type": "string", "description": "There is no such value."}
        if spelling is not None:
            found["items"] = spelling
    return found or None


def _lower_items(run: LoweringContext, schema: Any, way: Way, trail: Trail) -> Node:
    """Lower the items of an array. Some dialects accept all keywords there."""
    if run.dialect.facts.get("items") != "any":
        return run.node(schema, way, trail)
    outside, run.dialect = run.dialect, _ANY_KEYWORD
    try:
        return run.node(schema, way, trail)
    finally:
        run.dialect = outside


def _tuple(
    run: LoweringContext,
    said: dict[str, Any],
    first: list[Any],
    way: Way,
    trail: Trail,
    out: dict[str, Any],
    sentences: list[str],
) -> Table | None:
    """Lower a tuple to a list of any of its items. Its length is kept if possible."""
    closed = said.get("items") is False
    branches = list(first)
    if not closed and "items" in said:
        branches.append(said["items"])
    elif not closed:
        branches.append(True)
    lowered, spellings = [], []
    for i, schema in enumerate(branches):
        inner, spelling = run.node(schema, (*way, "prefixItems", i) if i < len(first) else (*way, "items"), trail)
        spellings.append(spelling)
        if inner not in lowered and inner.get("not") != {}:
            lowered.append(inner)
    open_end = any(schema == {} for schema in lowered)
    one_form: Table | None = None
    if len(lowered) != 1 and not run.dialect.supports("anyOf"):
        inner, one_form = run.node({}, (*way, "items"), trail)
        lowered = [inner]
    out["items"] = {} if open_end or not lowered else lowered[0] if len(lowered) == 1 else {"anyOf": lowered}
    if closed:
        _at_most(run, said, len(first), out, sentences)
    kinds = [str(s.get("type", "value")) if type(s) is dict else "value" for s in first]
    sentences.append(f"In this order: {', '.join(kinds)}.")
    run.note(
        way, "prefixItems", "described", "items of a list cannot have different schemas", checked="parse_arguments"
    )
    if one_form is not None:
        return {"items": one_form}
    if all(spelling is None for spelling in spellings):
        return None
    found: Table = {"first": spellings[: len(first)]}
    if len(spellings) > len(first) and spellings[-1] is not None:
        found["items"] = spellings[-1]
    return found


def _at_most(run: LoweringContext, said: dict[str, Any], most: int, out: dict[str, Any], sentences: list[str]) -> None:
    """Add the number of items, for which the source has no keyword."""
    high = said.get("maxItems")
    if type(high) is int and high <= most:
        return
    if run.dialect.supports("maxItems"):
        out["maxItems"] = most
    else:
        sentences.append(describe_rule("maxItems", most))
