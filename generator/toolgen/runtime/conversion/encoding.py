"""How values on a wire differ from those of the source, and how they are encoded and decoded: one table for both.

A table is JSON. Its root is a node, with the nodes of definitions under `defs`; a node has one of

- `ref`: the name of a definition, or the empty text for the root;
- `object`: by property, `name` (its other name on the wire), `null` (absent here goes as null there: `absent` comes back
  so, `kept` stays null) and `as` (a node); with `more`, the node of every other property;
- `items`, and `first`: the nodes of a list's items, and those of the first ones;
- `texts`: values in the order of their texts in `said`;
- `wrap`: the property that an object stands under on the wire, and `as`, its node;
- `pairs`: true where a map goes out as a list of objects with `key` and `value`; `more` is the node of its values;
- `json`: true where a value goes out as its JSON text;
- `text`: true where an object is read back of its JSON text; `map`: true where one is read back of pairs;
- `any`: `[shape here, shape on the wire, node]` for each branch of a union.

Nothing here raises on a value that does not fit: it stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..json_text import compact, loads, same

__all__ = ["Table", "decode_value", "encode_value"]

Table = dict[str, Any]
"""How values on the wire differ from those of the source."""

_DEEPEST = 150
"""Levels of a value that are encoded."""
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
    "number": (int, float),
    "integer": (int,),
}


def encode_value(value: Any, table: Table, fill: bool = True) -> Any:
    """Encode a value of the source as the wire has it, with null for what is absent (`fill`). Nothing is changed in place."""
    return _encode(value, table, table, fill, 0)


def decode_value(value: Any, table: Table) -> Any:
    """Decode a value of the wire as the source has it. Nothing is changed in place."""
    return _decode(value, table, table, 0)


def _resolved(node: Any, table: Table) -> Any:
    seen = 0
    while node is not None and "ref" in node and seen < _DEEPEST:
        name = node["ref"]
        node = table.get("defs", {}).get(name) if name else table
        seen += 1
    return node


def _encode(value: Any, node: Any, table: Table, fill: bool, depth: int) -> Any:
    node = _resolved(node, table) if node is not None and node is not table else node
    if node is None or depth > _DEEPEST:
        return value
    kind = type(value)
    if "json" in node:
        return _write_json(value)
    if "texts" in node:
        return next((text for text, item in zip(node["said"], node["texts"], strict=True) if same(item, value)), value)
    if "any" in node:
        chosen = _branch_of(value, node["any"], table)
        return value if chosen is None else _encode(value, chosen[2], table, fill, depth + 1)
    if "wrap" in node and kind is dict:
        return {node["wrap"]: _encode(value, node.get("as"), table, fill, depth + 1)}
    if "pairs" in node and kind is dict:
        more = node.get("more")
        return [{"key": key, "value": _encode(item, more, table, fill, depth + 1)} for key, item in value.items()]
    if "object" in node and kind is dict:
        return _encode_object(value, node, table, fill, depth)
    if kind is list:
        return [_encode(item, inner, table, fill, depth + 1) for item, inner in _items(value, node)]
    return value


def _branch_of(value: Any, branches: list[Any], table: Table) -> Any:
    """The first branch that a value fits and that has a place for all of it, else the first that it fits."""
    first = None
    for branch in branches:
        if _fits(value, branch[0]):
            if _knows(branch, value, table):
                return branch
            first = branch if first is None else first
    return first


def _knows(branch: Any, value: Any, table: Table) -> bool:
    """Whether every property of an object has a place in a branch that is closed on the wire."""
    _, there, inner = branch
    if type(value) is not dict or "only" not in there:
        return True
    said = (_resolved(inner, table) or {}).get("object", {})
    return {said[name].get("name", name) if name in said else name for name in value} <= set(there["only"])


def _decode(value: Any, node: Any, table: Table, depth: int) -> Any:
    node = _resolved(node, table) if node is not None and node is not table else node
    if node is None or depth > _DEEPEST:
        return value
    if "text" in node and type(value) is str:
        found = _read_json(value)
        value = found if type(found) is dict else value
    kind = type(value)
    if "json" in node:
        return _read_json(value)
    if "texts" in node:
        if kind is str and value in node["said"]:
            return node["texts"][node["said"].index(value)]
        return value
    if "any" in node:
        for _, there, inner in node["any"]:
            if _fits(value, there):
                return _decode(value, inner, table, depth + 1)
        return value
    if "wrap" in node and kind is dict:
        inner = value.get(node["wrap"])
        held = len(value) == 1 and type(inner) is dict
        return _decode(inner, node.get("as"), table, depth + 1) if held else value
    if ("pairs" in node or "map" in node) and kind is list:
        return _decode_pairs(value, node, table, depth)
    if "object" in node and kind is dict:
        return _decode_object(value, node, table, depth)
    if kind is list:
        return [_decode(item, inner, table, depth + 1) for item, inner in _items(value, node)]
    return value


def _items(value: list[Any], node: Any) -> list[tuple[Any, Any]]:
    first, rest = node.get("first", ()), node.get("items")
    return [(item, first[i] if i < len(first) else rest) for i, item in enumerate(value)]


def _encode_object(value: dict[str, Any], node: Any, table: Table, fill: bool, depth: int) -> dict[str, Any]:
    said, more = node["object"], node.get("more")
    found: dict[str, Any] = {}
    for name, item in value.items():
        entry = said.get(name)
        if entry is None:
            found[name] = _encode(item, more, table, fill, depth + 1)
        else:
            found[entry.get("name", name)] = _encode(item, entry.get("as"), table, fill, depth + 1)
    for name, entry in said.items():
        if fill and "null" in entry and name not in value:
            found[entry.get("name", name)] = None
    return found


def _decode_object(value: dict[str, Any], node: Any, table: Table, depth: int) -> dict[str, Any]:
    more = node.get("more")
    named = {entry.get("name", name): (name, entry) for name, entry in node["object"].items()}
    found: dict[str, Any] = {}
    for spelled, item in value.items():
        if spelled not in named:
            found[spelled] = _decode(item, more, table, depth + 1)
            continue
        name, entry = named[spelled]
        if item is None and entry.get("null") == "absent":
            continue
        found[name] = _decode(item, entry.get("as"), table, depth + 1)
    return found


def _decode_pairs(value: list[Any], node: Any, table: Table, depth: int) -> Any:
    found: dict[str, Any] = {}
    for pair in value:
        if type(pair) is not dict or pair.keys() != {"key", "value"} or type(pair["key"]) is not str:
            return value
        if pair["key"] in found:
            return value
        found[pair["key"]] = _decode(pair["value"], node.get("more"), table, depth + 1)
    return found


def _write_json(value: Any) -> Any:
    try:
        return compact(value)
    except (TypeError, ValueError, RecursionError):
        return value


def _read_json(value: Any) -> Any:
    if type(value) is not str:
        return value
    try:
        return loads(value)
    except ValueError:
        return value


def _fits(value: Any, shape: Mapping[str, Any]) -> bool:
    """Whether a value has a shape."""
    kinds = shape.get("type")
    if kinds is not None and not any(_is_of_type(value, kind) for kind in kinds):
        return False
    if "enum" in shape and not any(same(item, value) for item in shape["enum"]):
        return False
    if "any" in shape and not any(_fits(value, branch) for branch in shape["any"]):
        return False
    if type(value) is dict:
        if any(name not in value for name in shape.get("required", ())):
            return False
        if "only" in shape and not value.keys() <= set(shape["only"]):
            return False
        inner = shape.get("properties", {})
        return all(_fits(item, inner[name]) for name, item in value.items() if name in inner)
    return type(value) is not list or "items" not in shape or all(_fits(item, shape["items"]) for item in value)


def _is_of_type(value: Any, kind: str) -> bool:
    if kind == "integer" and type(value) is float:
        return value.is_integer()
    return type(value) in _TYPES.get(kind, ())
