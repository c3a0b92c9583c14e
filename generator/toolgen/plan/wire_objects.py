"""Objects on a wire as they are planned: shapes with their keys, and unions of shapes, as data for both directions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from toolgen.plan.plain_forms import PlainObject

Kind = Literal["plain", "also", "call", "list", "text_or", "beside"]


@dataclass(frozen=True, slots=True)
class ObjectPlan:
    """An object of the shape, the outer one first; `way` are the keys that lead to it.

    `parent` is the variable of the object around it, `known` the constant of the keys that are known in it.
    """

    variable: str
    parent: str
    key: str
    way: tuple[str, ...]
    required: bool
    known: str


@dataclass(frozen=True, slots=True)
class KeyPlan:
    """A key and the fields that it carries.

    `way` are the keys that lead to it on the wire, with its own, `field` is its first field's name in the format.
    `variables` hold what was read, by field, and `attributes` are the fields in Python. `reads` and `writes` are the
    functions of a codec, block or union, where `kind` is not plain. A key of kind `beside` shares its fields with other
    keys of the object: its functions are given the object, and give what goes into it.
    """

    kind: Kind
    key: str
    holder: str
    way: tuple[str, ...]
    field: str
    variables: tuple[str, ...]
    attributes: tuple[str, ...]
    required: bool
    demanded: bool
    test: str
    expected: str
    reads: str
    writes: str
    given: tuple[str, ...]
    given_attributes: tuple[str, ...]
    table: str
    aliases: tuple[str, ...]
    default: Any = None


@dataclass(frozen=True, slots=True)
class LostField:
    """A field that the wire has no place for, and how much is lost with it; `harmless_if_true` where that is a note."""

    python: str
    json: str
    severity: str
    harmless_if_true: bool


@dataclass(frozen=True, slots=True)
class ShapePlan:
    """A shape, ready to print. `outside` are the variables of texts that whoever reads the object has to give."""

    name: str
    type: str
    description: str
    variable: str
    objects: tuple[ObjectPlan, ...]
    keys: tuple[KeyPlan, ...]
    tag: tuple[tuple[str, str | bool], ...]
    tag_also: Mapping[str, tuple[str, ...]]
    untagged: str
    lost: tuple[LostField, ...]
    known: Mapping[str, tuple[str, ...]]
    arguments: tuple[str, ...]
    least: Mapping[str, tuple[str, ...]]
    plain: PlainObject | None
    outside: tuple[str, ...]

    def keys_of(self, holder: str) -> tuple[KeyPlan, ...]:
        """The keys of one of the objects."""
        return tuple(k for k in self.keys if k.holder == holder)

    @property
    def reading(self) -> tuple[KeyPlan, ...]:
        """The keys in the order in which they are read: what a request offers says how its history is spelled."""
        return tuple(sorted(self.keys, key=lambda k: self.type != "Request" or k.variables[0] != "tools"))

    def inner(self, holder: str) -> tuple[ObjectPlan, ...]:
        """The objects inside one of the objects."""
        return tuple(o for o in self.objects if o.parent == holder)


@dataclass(frozen=True, slots=True)
class MemberPlan:
    """A member of a union: the shape, and the word of the tag that objects of it have, if the union has a tag.

    Where it `may_lack_tag`, objects without the tag are of this shape too. `needs` are keys that must be there besides.
    """

    word: str | None
    may_lack_tag: bool
    shape: str
    type: str
    needs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnionPlan:
    """Objects of several shapes, told apart by a tag, or by the function `by`. What has none of the shapes stays opaque.

    Objects of one shape alone need neither.
    """

    name: str
    types: tuple[str, ...]
    tag: str
    by: str
    members: tuple[MemberPlan, ...]
