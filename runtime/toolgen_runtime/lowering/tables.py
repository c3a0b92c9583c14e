"""The encoding tables that lowering writes: what tells the branches of a union apart, and which nodes have an effect."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import zip_longest
from typing import Any

from ..conversion.encoding import Table
from ..json_text import dump_allowing_nan
from .schemas import declared_types, json_type, merge_schemas

__all__ = [
    "admits_plain_text",
    "changes_values",
    "encode_as_unique_texts",
    "inner_tables",
    "pruned_table",
    "sends_as_text",
    "shape_of",
    "tell_listed_values_apart",
]

_DEEPEST = 3
"""The depth to which shapes describe the branches of a union."""


def _resolved(schema: Any, resolve: Callable[[Any], Any]) -> Any:
    steps = 0
    while type(schema) is dict and "$ref" in schema and steps < 8:
        schema = resolve(schema["$ref"])
        steps += 1
    return schema


def shape_of(schema: Any, resolve: Callable[[Any], Any], depth: int = 0) -> dict[str, Any]:
    """Return the shape of a schema. `resolve` returns the target of a reference, or None."""
    schema = _resolved(schema, resolve)
    if type(schema) is not dict or depth > _DEEPEST:
        return {}
    for part in schema["allOf"] if type(schema.get("allOf")) is list else ():
        part = _resolved(part, resolve)
        schema = merge_schemas(schema, part, []) if type(part) is dict else schema
    found: dict[str, Any] = {}
    kinds = declared_types(schema)
    if kinds or schema.get("type") == []:  # of two types that exclude each other
        found["type"] = [*kinds, "null"] if schema.get("nullable") is True else list(kinds)
    if "const" in schema:
        found["enum"] = [schema["const"]]
    elif type(schema.get("enum")) is list:
        found["enum"] = [*schema["enum"], None] if schema.get("nullable") is True else schema["enum"]
    if type(schema.get("required")) is list:
        found["required"] = list(schema["required"])
    properties = schema["properties"] if type(schema.get("properties")) is dict else {}
    inner = {name: shape_of(value, resolve, depth + 1) for name, value in properties.items()}
    more = shape_of(schema.get("additionalProperties"), resolve, depth + 1) if "patternProperties" not in schema else {}
    if inner := {name: shape for name, shape in inner.items() if shape or more}:
        found["properties"] = inner
    if more:
        found["more"] = more
    elif "properties" in schema and schema.get("additionalProperties") is False and not schema.get("patternProperties"):
        found["only"] = list(properties)
    items = shape_of(schema.get("items"), resolve, depth + 1) if "prefixItems" not in schema else {}
    if items:
        found["items"] = items
    branches = schema.get("anyOf") or schema.get("oneOf")
    if type(branches) is list:
        shapes = [shape_of(branch, resolve, depth + 1) for branch in branches]
        if all(shapes):
            found["any"] = shapes
    return found


def admits_plain_text(out: dict[str, Any], table: Table | None) -> bool:
    """Return whether a lowered schema, or a branch of it, admits any text, and the text is sent as it is."""
    if type(out.get("anyOf")) is list:
        tables = [entry[2] for entry in (table or {}).get("any", ())]
        return any(admits_plain_text(each, inner) for each, inner in zip_longest(out["anyOf"], tables) if each)
    return table is None and "enum" not in out and "string" in declared_types(out)


def sends_as_text(table: Table | None) -> bool:
    """Return whether values that are not strings are sent as text."""
    if table is None:
        return False
    listed = any(type(value) is not str for value in table.get("values", ()))
    return listed or "json" in table or any(sends_as_text(entry[2]) for entry in table.get("any", ()))


def encode_as_unique_texts(values: list[Any], beside: Collection[str] = ()) -> list[str]:
    """Return a unique text for each value. Those of other types than text are not in `beside` either."""
    found: list[str] = []
    taken = {*beside, *(value for value in values if type(value) is str)}
    for value in values:
        if type(value) is str:
            found.append(value)
            continue
        text = dump_allowing_nan(value)
        if text in taken:
            text = f"{text} ({json_type(value)})"
        while text in taken:
            text += "_"
        taken.add(text)
        found.append(text)
    return found


def tell_listed_values_apart(lowered: list[dict[str, Any]], tables: list[Table | None]) -> None:
    """Change the texts as which a branch of a union sends its values where another branch lists the same texts."""
    listed = [
        {text for text in (table or {}).get("values", out.get("enum", ())) if type(text) is str}
        for out, table in zip(lowered, tables, strict=True)
    ]
    for i, (out, table) in enumerate(zip(lowered, tables, strict=True)):
        if table is not None and "texts" in table and "enum" in out:
            texts = encode_as_unique_texts(table["values"], set().union(*listed[:i], *listed[i + 1 :]))
            renamed: dict[Any, Any] = dict(zip(table["texts"], texts, strict=True))
            table["texts"] = texts
            for keyword in out.keys() & {"enum", "examples", "default"}:
                values = out[keyword] if keyword != "default" else [out["default"]]
                values = [renamed.get(text, text) if type(text) is str else text for text in values]
                out[keyword] = values if keyword != "default" else values[0]


def inner_tables(encoding: Table) -> list[Table | None]:
    """Return the tables of the values in a container, or of the branches of a union."""
    inner = [entry.get("as") for entry in encoding.get("object", {}).values()]
    inner += [encoding.get("more"), encoding.get("items"), *encoding.get("first", ())]
    return [*inner, *(branch[2] for branch in encoding.get("any", ()))]


def changes_values(node: Any, telling: frozenset[str]) -> bool:
    """Return whether a node changes values. A reference does if its definition is in `telling`."""
    if node is None:
        return False
    if "ref" in node:
        return node["ref"] in telling
    if not {"json", "texts", "pairs", "wrap"}.isdisjoint(node):
        return True
    if any("name" in entry or "null" in entry for entry in node.get("object", {}).values()):
        return True
    return any(changes_values(inner, telling) for inner in inner_tables(node))


def pruned_table(node: Any, telling: frozenset[str]) -> Any:
    """Return a node without inner nodes that change nothing. None if nothing is left."""
    if not changes_values(node, telling) or "ref" in node:
        return node if changes_values(node, telling) else None
    found: Table = {key: value for key, value in node.items() if key in ("json", "values", "texts", "pairs", "wrap")}
    if "object" in node:
        entries: dict[str, Any] = {}
        for name, entry in node["object"].items():
            inner = pruned_table(entry.get("as"), telling)
            rest = {key: value for key, value in entry.items() if key != "as"}
            entry = rest if inner is None else {**rest, "as": inner}
            if entry or "more" in node:
                entries[name] = entry
        found["object"] = entries
    for key in ("more", "items", "as"):
        inner = pruned_table(node.get(key), telling)
        if inner is not None:
            found[key] = inner
    if "first" in node:
        found["first"] = [pruned_table(inner, telling) for inner in node["first"]]
    if "any" in node:
        found["any"] = [[here, there, pruned_table(inner, telling)] for here, there, inner in node["any"]]
    return found
