"""The encoding tables that lowering writes: the shapes and texts of values, and which nodes have an effect."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import zip_longest
from typing import Any

from ..conversion.encoding import Table
from ..json_text import dump_allowing_nan
from .schemas import declared_types, json_type, list_at, merge_schemas, object_at

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
_MOST_REFERENCES = 8
"""Maximum number of references in a row that a shape follows."""


def inner_tables(table: Table) -> list[Table | None]:
    """Return the tables of the values in a container, or of the branches of a union."""
    properties = [entry.get("as") for entry in table.get("object", {}).values()]
    branches = [branch[2] for branch in table.get("any", ())]
    return [*properties, table.get("more"), table.get("items"), *table.get("first", ()), *branches]


def changes_values(node: Table | None, is_effective: Callable[[str], bool]) -> bool:
    """Return whether a node changes values. A reference does if the definition with its name does (`is_effective`)."""
    if node is None:
        return False
    if "ref" in node:
        return is_effective(node["ref"])
    if not {"json", "texts", "pairs", "wrap"}.isdisjoint(node):
        return True
    if any("name" in entry or "null" in entry for entry in node.get("object", {}).values()):
        return True
    return any(changes_values(inner, is_effective) for inner in inner_tables(node))


def pruned_table(node: Table | None, is_effective: Callable[[str], bool]) -> Table | None:
    """Return a node without inner nodes that change nothing. None if the node itself changes nothing."""
    if node is None or not changes_values(node, is_effective):
        return None
    if "ref" in node:
        return node
    pruned: Table = {key: value for key, value in node.items() if key in ("json", "values", "texts", "pairs", "wrap")}
    if "object" in node:
        entries = {name: _pruned_entry(entry, is_effective) for name, entry in node["object"].items()}
        pruned["object"] = {name: entry for name, entry in entries.items() if entry or "more" in node}
    for key in ("more", "items", "as"):
        inner = pruned_table(node.get(key), is_effective)
        if inner is not None:
            pruned[key] = inner
    if "first" in node:
        pruned["first"] = [pruned_table(inner, is_effective) for inner in node["first"]]
    if "any" in node:
        pruned["any"] = [
            [source_shape, wire_shape, pruned_table(inner, is_effective)]
            for source_shape, wire_shape, inner in node["any"]
        ]
    return pruned


def _pruned_entry(entry: dict[str, Any], is_effective: Callable[[str], bool]) -> dict[str, Any]:
    """Return the entry of a property with a pruned inner table, or without one if nothing is left of it."""
    pruned = {key: value for key, value in entry.items() if key != "as"}
    inner = pruned_table(entry.get("as"), is_effective)
    if inner is not None:
        pruned["as"] = inner
    return pruned


def _resolved(schema: Any, resolve: Callable[[Any], Any]) -> Any:
    """Return what a schema's references lead to. None, or a reference, if that cannot be found."""
    followed = 0
    while type(schema) is dict and "$ref" in schema and followed < _MOST_REFERENCES:
        schema = resolve(schema["$ref"])
        followed += 1
    return schema


def shape_of(schema: Any, resolve: Callable[[Any], Any], depth: int = 0) -> dict[str, Any]:
    """Return the shape of a schema, which describes its values for a union: types, listed values, and what is inside.

    `resolve` returns the target of a reference, or None.
    """
    schema = _resolved(schema, resolve)
    if type(schema) is not dict or depth > _DEEPEST:
        return {}
    for part in list_at(schema, "allOf"):
        resolved = _resolved(part, resolve)
        if type(resolved) is dict:
            schema = merge_schemas(schema, resolved, [])
    shape: dict[str, Any] = {}
    is_nullable = schema.get("nullable") is True
    kinds = declared_types(schema)
    if kinds or schema.get("type") == []:  # of two types that exclude each other
        shape["type"] = [*kinds, "null"] if is_nullable else list(kinds)
    if "const" in schema:
        shape["enum"] = [schema["const"]]
    elif type(schema.get("enum")) is list:
        shape["enum"] = [*schema["enum"], None] if is_nullable else schema["enum"]
    shape |= _shape_of_object(schema, resolve, depth)
    if "prefixItems" not in schema and (items := shape_of(schema.get("items"), resolve, depth + 1)):
        shape["items"] = items
    branches = schema.get("anyOf") or schema.get("oneOf")
    if type(branches) is list:
        shapes = [shape_of(branch, resolve, depth + 1) for branch in branches]
        if all(shapes):
            shape["any"] = shapes
    return shape


def _shape_of_object(schema: dict[str, Any], resolve: Callable[[Any], Any], depth: int) -> dict[str, Any]:
    """Return what the shape of a schema says of an object's properties."""
    shape: dict[str, Any] = {}
    if type(schema.get("required")) is list:
        shape["required"] = list(schema["required"])
    properties = object_at(schema, "properties")
    further: dict[str, Any] = {}
    if "patternProperties" not in schema:
        further = shape_of(schema.get("additionalProperties"), resolve, depth + 1)
    inner = {name: shape_of(value, resolve, depth + 1) for name, value in properties.items()}
    inner = {name: inner_shape for name, inner_shape in inner.items() if inner_shape or further}
    if inner:
        shape["properties"] = inner
    if further:
        shape["more"] = further
    elif "properties" in schema and schema.get("additionalProperties") is False and not schema.get("patternProperties"):
        shape["only"] = list(properties)
    return shape


def admits_plain_text(schema: dict[str, Any], table: Table | None) -> bool:
    """Return whether a lowered schema, or a branch of it, admits any text, and the text is sent as it is."""
    if type(schema.get("anyOf")) is list:
        tables = [entry[2] for entry in (table or {}).get("any", ())]
        return any(admits_plain_text(branch, inner) for branch, inner in zip_longest(schema["anyOf"], tables) if branch)
    return table is None and "enum" not in schema and "string" in declared_types(schema)


def sends_as_text(table: Table | None) -> bool:
    """Return whether values that are not strings are sent as text."""
    if table is None:
        return False
    if "json" in table or any(type(value) is not str for value in table.get("values", ())):
        return True
    return any(sends_as_text(entry[2]) for entry in table.get("any", ()))


def encode_as_unique_texts(values: list[Any], reserved: Collection[str] = ()) -> list[str]:
    """Return a unique text for each value: a string itself, and JSON text that is not in `reserved` for any other value."""
    texts: list[str] = []
    used = {*reserved, *(value for value in values if type(value) is str)}
    for value in values:
        if type(value) is str:
            texts.append(value)
            continue
        text = dump_allowing_nan(value)
        if text in used:
            text = f"{text} ({json_type(value)})"
        while text in used:
            text += "_"
        used.add(text)
        texts.append(text)
    return texts


def tell_listed_values_apart(branches: list[dict[str, Any]], tables: list[Table | None]) -> None:
    """Change the texts as which a branch of a union sends its values where another branch lists the same texts."""
    listed = [
        {text for text in (table or {}).get("values", branch.get("enum", ())) if type(text) is str}
        for branch, table in zip(branches, tables, strict=True)
    ]
    for i, (branch, table) in enumerate(zip(branches, tables, strict=True)):
        if table is not None and "texts" in table and "enum" in branch:
            texts = encode_as_unique_texts(table["values"], set().union(*listed[:i], *listed[i + 1 :]))
            _replace_texts(branch, dict(zip(table["texts"], texts, strict=True)))
            table["texts"] = texts


def _replace_texts(schema: dict[str, Any], replacements: dict[str, str]) -> None:
    """Replace the texts of listed values in a lowered schema."""

    def replaced(value: Any) -> Any:
        return replacements.get(value, value) if type(value) is str else value

    for keyword in schema.keys() & {"enum", "examples"}:
        schema[keyword] = [replaced(value) for value in schema[keyword]]
    if "default" in schema:
        schema["default"] = replaced(schema["default"])
