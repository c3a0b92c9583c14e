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
from typing import Any, NamedTuple, TypeAlias

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
        self._definitions: dict[str, _Function | None] = {}

    def root(self) -> _Function:
        """Return the function of the whole table."""
        return self.of(self._table) or _unchanged

    def of(self, node: Any) -> _Function | None:
        """Return the function of a node, which may be a reference. Definitions may be recursive."""
        name, target = _resolve(node, self._table)
        if name is None:
            return None if target is None else self.function(target)
        if name not in self._definitions:
            # used by the definition itself, before its function is complete
            self._definitions[name] = lambda value, depth: (self._definitions[name] or _unchanged)(value, depth)
            self._definitions[name] = None if target is None else self.function(target)
        return self._definitions[name]

    def function(self, node: Table) -> _Function | None:
        """Return the function of a node that is not a reference."""
        if "json" in node:
            return self.json_text
        if "texts" in node:
            return self.of_listed(node["values"], node["texts"])
        if "any" in node:
            return self.of_union(node["any"])
        change_object, change_list = self.of_object(node), self.of_list(node)
        if change_object is None and change_list is None:
            return None

        def change_container(value: Any, depth: int) -> Any:
            """Change an object or a list that is not too deep."""
            if depth > _DEEPEST:
                return value
            if type(value) is dict and change_object is not None:
                return change_object(value, depth + 1)
            if type(value) is list and change_list is not None:
                return change_list(value, depth + 1)
            return value

        return change_container

    def of_list(self, node: Table) -> _Function | None:
        """Return the function for the lists of a node."""
        first, further = [self.of(inner) for inner in node.get("first", ())], self.of(node.get("items"))
        if further is None and not any(first):
            return None

        def change_list(value: Any, depth: int) -> Any:
            """Change the items of a list. The list is copied only if one of them changes."""
            result = value
            for i, item in enumerate(value):
                function = first[i] if i < len(first) else further
                changed = item if function is None else function(item, depth)
                if changed is not item:
                    result = list(value) if result is value else result
                    result[i] = changed
            return result

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


class _DecodedProperty(NamedTuple):
    """What becomes of a property on the wire: its name, whether null means that it is absent, and its function."""

    name: str
    null_is_absent: bool
    function: _Function | None


class _Decoders(_Functions):
    def function(self, node: Table) -> _Function | None:
        """Return the function of a node, which first parses an object that came as JSON text."""
        inner = super().function(node)
        if "text" not in node:
            return inner

        def decode_text(value: Any, depth: int) -> Any:
            if type(value) is str and depth <= _DEEPEST and value.lstrip()[:1] == "{":
                parsed = _read_json(value)
                value = parsed if type(parsed) is dict else value
            return value if inner is None else inner(value, depth)

        return decode_text

    @staticmethod
    def json_text(value: Any, depth: int) -> Any:
        return value if depth > _DEEPEST else _read_json(value)

    def of_listed(self, values: list[Any], texts: list[str]) -> _Function:
        """Return the function that replaces the text of a listed value by the value."""
        by_text = dict(zip(reversed(texts), reversed(values), strict=True))

        def decode_listed(value: Any, depth: int) -> Any:
            return by_text.get(value, value) if type(value) is str and depth <= _DEEPEST else value

        return decode_listed

    def of_union(self, branches: list[Any]) -> _Function:
        """Return the function that decodes a value by the first branch that it fits."""
        functions = [(wire_shape, self.of(inner)) for _, wire_shape, inner in branches]

        def decode_union(value: Any, depth: int) -> Any:
            if depth > _DEEPEST:
                return value
            function = next((function for shape, function in functions if _fits(value, shape)), None)
            return value if function is None else function(value, depth + 1)

        return decode_union

    def of_object(self, node: Table) -> _Function | None:
        """Return the function for the objects of a node. None if they do not change."""
        if "wrap" in node:
            return _decode_wrapped(node["wrap"], self.of(node.get("as")) or _unchanged)
        if "object" not in node:
            return None
        properties = {
            entry.get("name", name): _DecodedProperty(name, entry.get("null") == "absent", self.of(entry.get("as")))
            for name, entry in node["object"].items()
        }
        further = self.of(node.get("more"))
        if further is None and all(wire_key == decoded.name for wire_key, decoded in properties.items()):
            return _decode_in_place(properties)
        return _decode_every_property(properties, further)

    def of_list(self, node: Table) -> _Function | None:
        """Return the function for the lists of a node, which may be lists of pairs. None if they do not change."""
        if "pairs" not in node and "map" not in node:
            return super().of_list(node)
        return _decode_pairs(self.of(node.get("more")) or _unchanged)


def _decode_wrapped(key: str, function: _Function) -> _Function:
    """Return the function that takes the object out of another one, where it is the only member."""

    def decode_wrapped(value: Any, depth: int) -> Any:
        inner = value.get(key)
        return function(inner, depth) if len(value) == 1 and type(inner) is dict else value

    return decode_wrapped


def _decode_every_property(properties: Mapping[str, _DecodedProperty], further: _Function | None) -> _Function:
    """Return the function for objects whose properties may have other names. `further` decodes undeclared ones."""

    def decode_object(value: Any, depth: int) -> Any:
        """Return the object with decoded properties. It is copied from the first change on."""
        result: dict[str, Any] | None = None
        for wire_key, item in value.items():
            name, null_is_absent, function = properties.get(wire_key, (wire_key, False, further))
            decoded = item if function is None else function(item, depth)
            is_absent = item is None and null_is_absent
            if result is None:
                if decoded is item and name == wire_key and not is_absent:
                    continue
                result = _before(value, wire_key)
            if not is_absent:
                result[name] = decoded
        return value if result is None else result

    return decode_object


def _decode_in_place(properties: Mapping[str, _DecodedProperty]) -> _Function:
    """Return the function for objects that keep all names. It looks only at the properties that may need a change."""
    optional = [wire_key for wire_key, decoded in properties.items() if decoded.null_is_absent]
    functions = [(key, decoded.function) for key, decoded in properties.items() if decoded.function is not None]

    def decode_object(value: Any, depth: int) -> Any:
        """Return the object without optional nulls and with decoded values. It is copied if anything changes."""
        result = value
        for wire_key in optional:
            if wire_key in value and value[wire_key] is None:
                result = dict(value) if result is value else result
                del result[wire_key]
        for wire_key, function in functions:
            if wire_key in result:
                item = value[wire_key]
                decoded = function(item, depth)
                if decoded is not item:
                    result = dict(value) if result is value else result
                    result[wire_key] = decoded
        return result

    return decode_object


def _decode_pairs(function: _Function) -> _Function:
    """Return the function for lists of pairs that stand for a map. Any other list stays as it is."""

    def decode_pairs(value: Any, depth: int) -> Any:
        """Return the map, or the list itself if an item is no pair or a key is there twice."""
        result: dict[str, Any] = {}
        for pair in value:
            if type(pair) is not dict or pair.keys() != {"key", "value"} or type(pair["key"]) is not str:
                return value
            if pair["key"] in result:
                return value
            result[pair["key"]] = function(pair["value"], depth)
        return result

    return decode_pairs


class _EncodedBranch(NamedTuple):
    """A branch of a union: the shape of its values, the only names that it has on the wire, and how it encodes them.

    `only` is None if it may have any names. `names` has the properties with other names on the wire.
    """

    shape: Mapping[str, Any]
    only: frozenset[str] | None
    names: Mapping[str, str]
    function: _Function | None

    def has_names_of(self, value: Any) -> bool:
        """Return whether the branch has all names of a value."""
        if self.only is None or type(value) is not dict:
            return True
        return all(self.names.get(name, name) in self.only for name in value)


class _Encoders(_Functions):
    def __init__(self, table: Table, fill: bool) -> None:
        super().__init__(table)
        self._fill = fill

    @staticmethod
    def json_text(value: Any, depth: int) -> Any:
        return value if depth > _DEEPEST else _write_json(value)

    def of_listed(self, values: list[Any], texts: list[str]) -> _Function:
        """Return the function that replaces a listed value by its text. 1 is 1.0 only if there is no 1."""

        def encode_listed(value: Any, depth: int) -> Any:
            if depth > _DEEPEST:
                return value
            for is_same in (same_json, equal_json):
                for text, item in zip(texts, values, strict=True):
                    if is_same(item, value):
                        return text
            return value

        return encode_listed

    def of_union(self, branches: list[Any]) -> _Function:
        """Choose the first fitting branch that has all names of the value, otherwise the first fitting branch."""
        encoded = [self._branch(*branch) for branch in branches]

        def encode_union(value: Any, depth: int) -> Any:
            fitting = [branch for branch in encoded if _fits(value, branch.shape)] if depth <= _DEEPEST else []
            if not fitting:
                return value
            chosen = next((branch for branch in fitting if branch.has_names_of(value)), fitting[0])
            return value if chosen.function is None else chosen.function(value, depth + 1)

        return encode_union

    def _branch(self, shape: Mapping[str, Any], wire_shape: Mapping[str, Any], node: Any) -> _EncodedBranch:
        """Return a branch of a union, with what is known of its names."""
        only = frozenset(wire_shape["only"]) if "only" in wire_shape else None
        _, target = _resolve(node, self._table)
        entries = (target or {}).get("object", {})
        names = {name: entry["name"] for name, entry in entries.items() if "name" in entry}
        return _EncodedBranch(shape, only, names, self.of(node))

    def of_object(self, node: Table) -> _Function | None:
        """Return the function for the objects of a node. None if they do not change."""
        if "wrap" in node:
            key, inner = node["wrap"], self.of(node.get("as")) or _unchanged
            return lambda value, depth: {key: inner(value, depth)}
        if "pairs" in node:
            each = self.of(node.get("more")) or _unchanged
            return lambda value, depth: [{"key": key, "value": each(item, depth)} for key, item in value.items()]
        if "object" not in node:
            return None
        further, entries = self.of(node.get("more")), node["object"]
        properties = {name: (entry.get("name", name), self.of(entry.get("as"))) for name, entry in entries.items()}
        nulls = [(name, properties[name][0]) for name, entry in entries.items() if self._fill and "null" in entry]

        def encode_object(value: Any, depth: int) -> Any:
            result: dict[str, Any] | None = None
            for name, item in value.items():
                wire_key, function = properties.get(name, (name, further))
                encoded = item if function is None else function(item, depth)
                if result is None:
                    if encoded is item and wire_key == name:
                        continue
                    result = _before(value, name)
                result[wire_key] = encoded
            for name, wire_key in nulls:
                if name not in value:
                    result = dict(value) if result is None else result
                    result[wire_key] = None
            return value if result is None else result

        return encode_object


def _unchanged(value: Any, depth: int) -> Any:
    """Return the value itself."""
    return value


def _resolve(node: Any, table: Table) -> tuple[str | None, Any]:
    """Resolve a node that may be a reference. Return name and node: no name for other nodes, neither for a cycle."""
    name: str | None = None
    names: set[str] = set()
    while node is not None and "ref" in node and (name is None or node is not table):
        name = str(node["ref"])
        if name in names:
            return None, None
        names.add(name)
        node = table.get("defs", {}).get(name, None if name else table)
    return name, node


def _before(value: dict[str, Any], key: str) -> dict[str, Any]:
    """Return the members of an object that precede a key."""
    members: dict[str, Any] = {}
    for name, item in value.items():
        if name == key:
            break
        members[name] = item
    return members


def _write_json(value: Any) -> Any:
    """Return the JSON text of a value. The value itself if it has none."""
    try:
        return compact(value)
    except (TypeError, ValueError, RecursionError):
        return value


def _read_json(value: Any) -> Any:
    """Return the value of a JSON text. Anything else is returned itself."""
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
        return _object_fits(value, shape)
    return type(value) is not list or "items" not in shape or all(_fits(item, shape["items"]) for item in value)


def _object_fits(value: dict[str, Any], shape: Mapping[str, Any]) -> bool:
    """Return whether the properties of an object have a shape."""
    if any(name not in value for name in shape.get("required", ())):
        return False
    if "only" in shape and not value.keys() <= set(shape["only"]):
        return False
    inner, further = shape.get("properties", {}), shape.get("more", {})
    return all(_fits(item, rule) for name, item in value.items() if (rule := inner.get(name, further)))


def _is_of_type(value: Any, kind: str) -> bool:
    if kind == "integer" and type(value) is float:
        return value.is_integer()
    return type(value) in _TYPES.get(kind, ())
