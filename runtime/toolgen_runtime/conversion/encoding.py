"""Encode values as a wire requires, and decode them. One table describes both directions.

A table is JSON. Its root is a node, and `defs` has the nodes of definitions. A node has one of these keys:

- `ref`: the name of a definition; the empty text is the root, unless it is in `defs`;
- `object`: for each property, `name` (its name on the wire, if it differs), `null` (an absent value is encoded as null;
  `absent` decodes null as absent, `kept` as null) and `as` (a node). `more` is the node of all other properties;
- `items` and `first`: the nodes of a list's items, and of its first items;
- `texts`: the texts as which the `values` are encoded, in the same order;
- `wrap`: the key under which an object is wrapped in another one on the wire, and `as`, the node of the inner one;
- `json`: true if a value is encoded as its JSON text;
- `text`: true if JSON text is decoded to an object; `map`: true if pairs are decoded to one;
- `any`: `[shape here, shape on the wire, node]` for each branch of a union.

Nothing here raises for a value that does not fit: the value is returned unchanged.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ..json_text import compact, loads
from ..json_values import equal_json, same_json

__all__ = ["Encoding", "Table"]

Table = dict[str, Any]
"""An encoding table."""

_DEEPEST = 150
"""Maximum depth of values that are encoded."""
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
    "number": (int, float),
    "integer": (int,),
}

_Function: TypeAlias = Callable[[Any, int], Any]
"""Converts a value at a depth. Returns the value itself if nothing changes."""


class Encoding:
    """An encoding table, compiled to functions. Each direction is compiled on first use.

    Values are never changed in place, and only changed parts are copied. A value without changes is returned itself.
    """

    __slots__ = ("_decode", "_encode", "table")

    def __init__(self, table: Table) -> None:
        """Set the table. It must not be changed afterwards."""
        self.table = table
        self._decode: _Function | None = None
        self._encode: dict[bool, _Function] = {}

    def decode(self, value: Any) -> Any:
        """Decode a value from the wire."""
        function = self._decode
        if function is None:
            function = self._decode = _Decoders(self.table).root()
        return function(value, 0)

    def encode(self, value: Any, fill: bool = True) -> Any:
        """Encode a value for the wire. If `fill` is set, absent values become null where the table requires it."""
        function = self._encode.get(fill)
        if function is None:
            function = self._encode[fill] = _Encoders(self.table, fill).root()
        return function(value, 0)


class _Functions(ABC):
    """Compiles the nodes of a table to functions of one direction. None means that nothing changes."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._made: dict[str, _Function | None] = {}

    def root(self) -> _Function:
        """Return the function of the whole table."""
        return self.of(self._table) or _unchanged

    def of(self, node: Any) -> _Function | None:
        """Return the function of a node, which may be a reference. Definitions may be recursive."""
        name, target = _followed(node, self._table)
        if name is None:
            return None if target is None else self.function(target)
        if name not in self._made:
            self._made[name] = lambda value, depth: (self._made[name] or _unchanged)(value, depth)
            self._made[name] = None if target is None else self.function(target)
        return self._made[name]

    def function(self, node: Table) -> _Function | None:
        """Return the function of a node that is not a reference."""
        if "json" in node:
            return self.json_text
        if "texts" in node:
            return self.of_listed(node["values"], node["texts"])
        if "any" in node:
            return self.of_union(node["any"])
        objects, lists = self.of_object(node), self.of_list(node)
        if objects is None and lists is None:
            return None

        def change_container(value: Any, depth: int) -> Any:
            change = objects if type(value) is dict else lists if type(value) is list else None
            return value if change is None or depth > _DEEPEST else change(value, depth + 1)

        return change_container

    def of_list(self, node: Table) -> _Function | None:
        """Return the function for the lists of a node."""
        first, rest = [self.of(inner) for inner in node.get("first", ())], self.of(node.get("items"))
        if rest is None and not any(first):
            return None

        def change_list(value: Any, depth: int) -> Any:
            found: list[Any] | None = None
            for i, item in enumerate(value):
                function = first[i] if i < len(first) else rest
                changed = item if function is None else function(item, depth)
                if changed is not item:
                    found = list(value) if found is None else found
                    found[i] = changed
            return value if found is None else found

        return change_list

    @staticmethod
    @abstractmethod
    def json_text(value: Any, depth: int) -> Any:
        """Convert a value that is JSON text on the wire."""

    @abstractmethod
    def of_listed(self, values: list[Any], texts: list[str]) -> _Function:
        """Return the function for values that are texts on the wire."""

    @abstractmethod
    def of_union(self, branches: list[Any]) -> _Function:
        """Return the function of a union. It chooses a branch by the shape of the value."""

    @abstractmethod
    def of_object(self, node: Table) -> _Function | None:
        """Return the function for the objects of a node."""


class _Decoders(_Functions):
    def function(self, node: Table) -> _Function | None:
        inner = super().function(node)
        if "text" not in node:
            return inner

        def decode_text(value: Any, depth: int) -> Any:
            if type(value) is str and depth <= _DEEPEST and value.lstrip()[:1] == "{":
                found = _read_json(value)
                value = found if type(found) is dict else value
            return value if inner is None else inner(value, depth)

        return decode_text

    @staticmethod
    def json_text(value: Any, depth: int) -> Any:
        return value if depth > _DEEPEST else _read_json(value)

    def of_listed(self, values: list[Any], texts: list[str]) -> _Function:
        by_text = dict(zip(reversed(texts), reversed(values), strict=True))

        def decode_listed(value: Any, depth: int) -> Any:
            return by_text.get(value, value) if type(value) is str and depth <= _DEEPEST else value

        return decode_listed

    def of_union(self, branches: list[Any]) -> _Function:
        made = [(there, self.of(inner)) for _, there, inner in branches]

        def decode_union(value: Any, depth: int) -> Any:
            if depth > _DEEPEST:
                return value
            function = next((function for there, function in made if _fits(value, there)), None)
            return value if function is None else function(value, depth + 1)

        return decode_union

    def of_object(self, node: Table) -> _Function | None:
        if "wrap" in node:
            return self._wrapped(node["wrap"], self.of(node.get("as")) or _unchanged)
        if "object" not in node:
            return None
        more = self.of(node.get("more"))
        named = {
            entry.get("name", name): (name, entry.get("null") == "absent", self.of(entry.get("as")))
            for name, entry in node["object"].items()
        }

        def decode_object(value: Any, depth: int) -> Any:
            found: dict[str, Any] | None = None
            for wire_key, item in value.items():
                name, absent, function = named.get(wire_key, (wire_key, False, more))
                decoded = item if function is None else function(item, depth)
                if found is None:
                    if decoded is item and name == wire_key and not (absent and item is None):
                        continue
                    found = _before(value, wire_key)
                if item is not None or not absent:
                    found[name] = decoded
            return value if found is None else found

        if more is not None or any(name != wire_key for wire_key, (name, _, _) in named.items()):
            return decode_object
        # only the properties that may need a change, because most values have few of them
        absents = [wire_key for wire_key, (_, absent, _) in named.items() if absent]
        inside = [(wire_key, function) for wire_key, (_, _, function) in named.items() if function is not None]

        def decode_known(value: Any, depth: int) -> Any:
            found: dict[str, Any] | None = None
            for wire_key in absents:
                if wire_key in value and value[wire_key] is None:
                    found = dict(value) if found is None else found
                    del found[wire_key]
            for wire_key, function in inside:
                if wire_key in value and (found is None or wire_key in found):
                    item = value[wire_key]
                    decoded = function(item, depth)
                    if decoded is not item:
                        found = dict(value) if found is None else found
                        found[wire_key] = decoded
            return value if found is None else found

        return decode_known

    def of_list(self, node: Table) -> _Function | None:
        if "pairs" not in node and "map" not in node:
            return super().of_list(node)
        function = self.of(node.get("more")) or _unchanged

        def decode_pairs(value: Any, depth: int) -> Any:
            found: dict[str, Any] = {}
            for pair in value:
                if type(pair) is not dict or pair.keys() != {"key", "value"} or type(pair["key"]) is not str:
                    return value
                if pair["key"] in found:
                    return value
                found[pair["key"]] = function(pair["value"], depth)
            return found

        return decode_pairs

    def _wrapped(self, key: str, function: _Function) -> _Function:
        def decode_wrapped(value: Any, depth: int) -> Any:
            inner = value.get(key)
            return function(inner, depth) if len(value) == 1 and type(inner) is dict else value

        return decode_wrapped


class _Encoders(_Functions):
    def __init__(self, table: Table, fill: bool) -> None:
        super().__init__(table)
        self._fill = fill

    @staticmethod
    def json_text(value: Any, depth: int) -> Any:
        return value if depth > _DEEPEST else _write_json(value)

    def of_listed(self, values: list[Any], texts: list[str]) -> _Function:
        def encode_listed(value: Any, depth: int) -> Any:
            if depth > _DEEPEST:
                return value
            for same in (same_json, equal_json):
                for text, item in zip(texts, values, strict=True):
                    if same(item, value):
                        return text
            return value

        return encode_listed

    def of_union(self, branches: list[Any]) -> _Function:
        """Choose the first fitting branch that has all names of the value, otherwise the first fitting branch."""
        made = [(here, there.get("only"), self._names(inner), self.of(inner)) for here, there, inner in branches]

        def encode_union(value: Any, depth: int) -> Any:
            if depth > _DEEPEST:
                return value
            fitting = [branch for branch in made if _fits(value, branch[0])]
            for _, only, names, function in fitting:
                if only is None or type(value) is not dict or {names.get(name, name) for name in value} <= set(only):
                    return value if function is None else function(value, depth + 1)
            function = fitting[0][3] if fitting else None
            return value if function is None else function(value, depth + 1)

        return encode_union

    def _names(self, node: Any) -> dict[str, str]:
        """Return the properties of an object that have other names on the wire, with those names."""
        _, target = _followed(node, self._table)
        entries = (target or {}).get("object", {})
        return {name: entry["name"] for name, entry in entries.items() if "name" in entry}

    def of_object(self, node: Table) -> _Function | None:
        if "wrap" in node:
            key, inner = node["wrap"], self.of(node.get("as")) or _unchanged
            return lambda value, depth: {key: inner(value, depth)}
        if "pairs" in node:
            each = self.of(node.get("more")) or _unchanged
            return lambda value, depth: [{"key": key, "value": each(item, depth)} for key, item in value.items()]
        if "object" not in node:
            return None
        more, entries = self.of(node.get("more")), node["object"]
        named = {name: (entry.get("name", name), self.of(entry.get("as"))) for name, entry in entries.items()}
        nulls = [(name, named[name][0]) for name, entry in entries.items() if self._fill and "null" in entry]

        def encode_object(value: Any, depth: int) -> Any:
            found: dict[str, Any] | None = None
            for name, item in value.items():
                wire_key, function = named.get(name, (name, more))
                encoded = item if function is None else function(item, depth)
                if found is None:
                    if encoded is item and wire_key == name:
                        continue
                    found = _before(value, name)
                found[wire_key] = encoded
            for name, wire_key in nulls:
                if name not in value:
                    found = dict(value) if found is None else found
                    found[wire_key] = None
            return value if found is None else found

        return encode_object


def _unchanged(value: Any, depth: int) -> Any:
    """Return the value itself."""
    return value


def _followed(node: Any, table: Table) -> tuple[str | None, Any]:
    """Resolve a node that may be a reference. Return name and node: no name for other nodes, neither for a cycle."""
    name: str | None = None
    seen: set[str] = set()
    while node is not None and "ref" in node and (name is None or node is not table):
        name = str(node["ref"])
        if name in seen:
            return None, None
        seen.add(name)
        node = table.get("defs", {}).get(name, None if name else table)
    return name, node


def _before(value: dict[str, Any], key: str) -> dict[str, Any]:
    """Return the members of an object that precede a key."""
    found: dict[str, Any] = {}
    for name, item in value.items():
        if name == key:
            break
        found[name] = item
    return found


def _write_json(value: Any) -> Any:
    try:
        return compact(value)
    except (TypeError, ValueError, RecursionError):
        return value


def _read_json(value: Any) -> Any:
    try:
        return loads(value) if type(value) is str else value
    except ValueError:
        return value


def _fits(value: Any, shape: Mapping[str, Any]) -> bool:
    """Return whether a value has a shape."""
    if "type" in shape and not any(_is_of_type(value, kind) for kind in shape["type"]):
        return False
    if "enum" in shape and not any(same_json(item, value) for item in shape["enum"]):
        return False
    if "any" in shape and not any(_fits(value, branch) for branch in shape["any"]):
        return False
    if type(value) is dict:
        if any(name not in value for name in shape.get("required", ())):
            return False
        if "only" in shape and not value.keys() <= set(shape["only"]):
            return False
        inner, more = shape.get("properties", {}), shape.get("more", {})
        return all(_fits(item, rule) for name, item in value.items() if (rule := inner.get(name, more)))
    return type(value) is not list or "items" not in shape or all(_fits(item, shape["items"]) for item in value)


def _is_of_type(value: Any, kind: str) -> bool:
    if kind == "integer" and type(value) is float:
        return value.is_integer()
    return type(value) in _TYPES.get(kind, ())
