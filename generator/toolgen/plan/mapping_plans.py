"""Plans of the objects on a wire: mappings with their keys, and unions of mappings, for both directions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import get_annotations, signature
from typing import Any, Literal

OUTSIDE_THE_RULE = frozenset(["messages", "object_arguments", "result_call", "tool_name"])
"""Pairs of functions of names, ids, arguments and containers that never have extras."""

Kind = Literal["plain", "named", "call", "text_or", "beside"]

Keeping = Literal["rule", "own", "nothing"]
"""Who keeps the extras of a key: the rule of extras, the functions of the key, or nobody."""


@dataclass(frozen=True, slots=True)
class WireObjectPlan:
    """An object of the mapping, the outer one first; `key_path` are the keys that lead to it.

    `parent` is the variable of the object around it.
    """

    variable: str
    parent: str
    key: str
    key_path: tuple[str, ...]
    required: bool


@dataclass(frozen=True, slots=True)
class KeyMapping:
    """A key and the fields that it carries.

    `key_path` leads to the key on the wire and ends with it; `field` is the name of its first field in the format.
    `variables` hold the values read, by field, and `attributes` are the fields in Python. `reads` and `writes` are the
    functions of a field, mapping or union, if `kind` is not plain. `table` is the attribute with the table for them, and
    `table_spec` the table itself, or the section of the profile that has it; that of a key of kind `named` has its names. A
    key of kind `beside` shares its fields
    with the keys `beside` it: its functions read the whole object, and return what is added to it.
    """

    kind: Kind
    key: str
    holder: str
    key_path: tuple[str, ...]
    field: str
    variables: tuple[str, ...]
    attributes: tuple[str, ...]
    required: bool
    demanded: bool
    python_type: str
    reads: str
    writes: str
    given: tuple[str, ...]
    given_attributes: tuple[str, ...]
    table: str
    table_spec: Any
    keeping: Keeping
    beside: tuple[str, ...]

    @property
    def all_keys(self) -> list[str]:
        """Return the key, and those beside it."""
        return [self.key, *self.beside]

    @property
    def function_name(self) -> str:
        """Return the name that the reader and the writer share."""
        return self.reads.removeprefix("self.").removeprefix("read_")

    @property
    def pointer(self) -> tuple[str, ...]:
        """Return where the key is in its mapping."""
        return tuple(step for key in self.key_path for step in ("keys", key))

    def signature_fault(self, reader: Callable[..., Any] | None, writer: Callable[..., Any] | None) -> str:
        """Return why the functions of a key, if there are any, cannot take what the key gives them; "" if they can."""
        if reader is None:
            return "" if self.reads else "`fields` and `beside` need `as`"
        table = [self.table] if self.table else []
        written = [*self.attributes, *(["extras"] if self.keeping == "own" else []), "at", "writer"]
        # A reader of several keys is given their object, and states so; the value of one key may be anything.
        takes_object = next(iter(get_annotations(reader).values())) == "dict[str, Any]"
        if takes_object and self.kind != "beside":
            return f"{self.function_name} reads the whole object, and needs `beside`"
        if self.kind == "beside" and not takes_object:
            return f"{self.function_name} reads one key, without `beside`"
        try:
            signature(reader).bind("value", "at", "reader", *self.given, *table)
            if writer is not None:
                signature(writer).bind(*written, *self.given_attributes, *table)
        except TypeError:
            return f"{self.function_name} needs other fields, or others in `given` and `with`"
        return ""


@dataclass(frozen=True, slots=True)
class ObjectMapping:
    """A mapping, ready to print.

    `mapped` are the fields, in Python, that have a key or are not lost without one, and `lost` is the severity of losing
    others, if it is not the usual one. `elsewhere` are the keys that its reader does not read: tags, and those that the
    class of the API reads. `outside` are the variables of strings that the caller of its reader has to pass.
    """

    name: str
    type: str
    description: str
    variable: str
    objects: tuple[WireObjectPlan, ...]
    keys: tuple[KeyMapping, ...]
    tag: tuple[tuple[str, str | bool], ...]
    tag_also: Mapping[str, tuple[str, ...]]
    untagged: str
    mapped: tuple[str, ...]
    lost: Mapping[str, str]
    elsewhere: tuple[str, ...]
    arguments: tuple[str, ...]
    outside: tuple[str, ...]

    def keys_below(self, holder: str) -> tuple[KeyMapping, ...]:
        """Return the keys of one of the objects."""
        return tuple(k for k in self.keys if k.holder == holder)

    @property
    def keys_in_reading_order(self) -> tuple[KeyMapping, ...]:
        """Return the keys in reading order; tools first: they determine how calls of the history are decoded.

        A key whose functions need the fields of other keys comes after those.
        """
        waiting = sorted(self.keys, key=lambda k: self.type != "Request" or k.variables[0] != "tools")
        ordered: list[KeyMapping] = []
        while waiting:
            unread = {name for key in waiting for name in key.variables}
            ready = next((key for key in waiting if unread.isdisjoint(key.given)), waiting[0])
            waiting.remove(ready)
            ordered.append(ready)
        return tuple(ordered)

    def inner_objects(self, holder: str) -> tuple[WireObjectPlan, ...]:
        """Return the objects directly inside one of the objects."""
        return tuple(o for o in self.objects if o.parent == holder)


@dataclass(frozen=True, slots=True)
class MemberPlan:
    """A member of a union: the mapping, and the value of the tag on its objects, if the union has a tag.

    If it `may_lack_tag`, objects without the tag have this mapping too. `needs` are keys that must also be present.
    """

    value: str | None
    may_lack_tag: bool
    mapping: str
    type: str
    needs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnionPlan:
    """Objects of several mappings, distinguished by a tag or by the function `by`. Others stay opaque.

    A union of a single mapping needs neither.
    """

    name: str
    types: tuple[str, ...]
    tag: str
    by: str
    members: tuple[MemberPlan, ...]
