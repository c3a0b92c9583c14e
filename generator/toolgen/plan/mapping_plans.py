"""Objects on a wire as they are planned: mappings with their keys, and unions of mappings, as data for both directions.

A plain object is what most objects of a mapping look like: it is read and written in a few comparisons. It has exactly the keys
that are always there, each with a value that means on the wire what it means in the format; a plain value of the format has
no extras and nothing that such an object cannot carry. Every other one goes the long way, through the codecs. The plain
forms of codecs stand here as data; tests hold them against the codecs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class FastPathForm:
    """When a codec passes a value on as it is: tests over its fields (`{0}`, `{1}`, …), of which the first is the value.

    `{table}` is the table that the profile gives to the codec.

    Where both are empty, a plain object does not have the key, and the field is None. `last` tests have an effect,
    so that they come after all others. `written` is the expression of the value on the wire, where that is another one.
    """

    reads: str = ""
    writes: str = ""
    last: bool = False
    written: str = "{0}"


JSON_TEXT = FastPathForm(
    "type({0}) is str", "{1} is None and (text := strict_json_text({0})) is not None", written="text"
)
"""Arguments as JSON text."""

PLAIN_FORMS: Mapping[str, FastPathForm] = {
    "tool_name": FastPathForm("type({0}) is str and {0} not in reader.tool_names", "writer.names.get({0}) == {0}"),
    "call_id": FastPathForm("reader.claim_id({0})", "writer.is_id_unchanged({0})", last=True),
    "optional_id": FastPathForm("reader.claim_id({0})", "writer.is_id_unchanged({0})", last=True),
    "object_arguments": FastPathForm("type({0}) is dict", "{1} is None and is_strict_json({0})"),
    "json_arguments": JSON_TEXT,
    "cache_control": FastPathForm(),
    "server_call_id": FastPathForm(
        "type({0}) is str and reader.wire.is_legal_id({0}) and reader.claim_id({0})",
        "writer.is_id_unchanged({0})",
        last=True,
    ),
    "id_or_placeholder": FastPathForm(
        "type({0}) is str and {0} not in {table} and reader.wire.is_legal_id({0}) and reader.claim_id({0})",
        "writer.is_id_unchanged({0})",
        last=True,
    ),
    "arguments_text": JSON_TEXT,
    "parsable_arguments": replace(JSON_TEXT, writes=f"{JSON_TEXT.writes} and text.isascii()"),
}
"""By codec. An object that demands a key whose codec is not here has no plain form."""

TESTS: Mapping[str, str] = {
    "string": "type({0}) is str",
    "integer": "type({0}) is int",
    "number": "(type({0}) is float or type({0}) is int)",
    "boolean": "type({0}) is bool",
    "object": "type({0}) is dict",
    "array": "type({0}) is list",
}
"""By JSON type of a field: the test that its plain value passes on the wire."""


@dataclass(frozen=True, slots=True)
class FastPathKey:
    """A key of a plain object: the object that holds it, its variable, its value in the format, and its tests.

    One that other objects may lack is `usual`, and is written after the others, as the long way does.
    """

    usual: bool
    holder: str
    key: str
    variable: str
    value: str
    reads: str
    writes: str
    last: bool


@dataclass(frozen=True, slots=True)
class FastPathObject:
    """The plain object of a mapping: the number of keys of each object in it, its keys, what must be None to be written.

    `arguments` are those of the type's constructor. Where the mapping has no further keys on the `open` object, what
    else stands there are extras and nothing more, so that it is still a plain one.
    """

    sizes: Mapping[str, int]
    open: bool
    keys: Sequence[FastPathKey]
    unset: Sequence[str]
    arguments: Sequence[str]

    @property
    def conditions_to_read(self) -> list[str]:
        """What holds for a plain object on the wire."""
        sizes = [f"len({h}) == {size}" for h, size in self.sizes.items() if h != "wire" or not self.open]
        return sizes + [key.reads for key in sorted(self.keys, key=lambda k: k.last)]

    @property
    def conditions_to_write(self) -> list[str]:
        """What holds for a plain value of the format."""
        return [f"{field} is None" for field in self.unset] + [
            key.writes for key in sorted(self.keys, key=lambda k: k.last) if key.writes
        ]

    def keys_below(self, holder: str, usual: bool) -> list[FastPathKey]:
        """The keys of one of the objects, those that others may lack or those that they may not."""
        return [key for key in self.keys if key.holder == holder and key.usual == usual]

    def has_key(self, variable: str) -> bool:
        """Whether a plain object has the key of this variable."""
        return any(key.variable == variable for key in self.keys)


Kind = Literal["plain", "also", "call", "list", "text_or", "beside"]


@dataclass(frozen=True, slots=True)
class WireObjectPlan:
    """An object of the mapping, the outer one first; `key_path` are the keys that lead to it.

    `parent` is the variable of the object around it, `known` the constant of the keys that are known in it.
    """

    variable: str
    parent: str
    key: str
    way: tuple[str, ...]
    required: bool
    known: str


@dataclass(frozen=True, slots=True)
class FieldMapping:
    """A key and the fields that it carries.

    `key_path` are the keys that lead to it on the wire, with its own, `field` is its first field's name in the format.
    `variables` hold what was read, by field, and `attributes` are the fields in Python. `reads` and `writes` are the
    functions of a codec, block or union, where `kind` is not plain. A key of kind `beside` shares its fields with other
    keys of the object: its functions are given the object, and give what goes into it.
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
class UnmappedField:
    """A field that the wire has no place for, and how much is lost with it; `harmless_if_true` where that is a note."""

    python: str
    json: str
    severity: str
    harmless_if_true: bool


@dataclass(frozen=True, slots=True)
class ObjectMapping:
    """A mapping, ready to print. `outside` are the variables of texts that whoever reads the object has to give."""

    name: str
    type: str
    description: str
    variable: str
    objects: tuple[WireObjectPlan, ...]
    keys: tuple[FieldMapping, ...]
    tag: tuple[tuple[str, str | bool], ...]
    tag_also: Mapping[str, tuple[str, ...]]
    untagged: str
    lost: tuple[UnmappedField, ...]
    known: Mapping[str, tuple[str, ...]]
    arguments: tuple[str, ...]
    least: Mapping[str, tuple[str, ...]]
    plain: FastPathObject | None
    outside: tuple[str, ...]

    def keys_below(self, holder: str) -> tuple[FieldMapping, ...]:
        """The keys of one of the objects."""
        return tuple(k for k in self.keys if k.holder == holder)

    @property
    def keys_in_reading_order(self) -> tuple[FieldMapping, ...]:
        """The keys in the order in which they are read: what a request offers says how its history is spelled."""
        return tuple(sorted(self.keys, key=lambda k: self.type != "Request" or k.variables[0] != "tools"))

    def inner_objects(self, holder: str) -> tuple[WireObjectPlan, ...]:
        """The objects inside one of the objects."""
        return tuple(o for o in self.objects if o.parent == holder)


@dataclass(frozen=True, slots=True)
class MemberPlan:
    """A member of a union: the mapping, and the word of the tag that objects of it have, if the union has a tag.

    Where it `may_lack_tag`, objects without the tag are of this mapping too. `needs` are keys that must be there besides.
    """

    word: str | None
    may_lack_tag: bool
    mapping: str
    type: str
    needs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnionPlan:
    """Objects of several mappings, told apart by a tag, or by the function `by`. What has none of the mappings stays opaque.

    Objects of one mapping alone need neither.
    """

    name: str
    types: tuple[str, ...]
    tag: str
    by: str
    members: tuple[MemberPlan, ...]


@dataclass(frozen=True, slots=True)
class ListPlan:
    """An array of objects, of which those of some mappings are read and written without a call for each.

    They are told apart by their tag, or by their first key. Every other object of it is an `item`. The class of the API uses
    it in some `directions`.
    """

    name: str
    item: str
    tag: str
    members: tuple[ObjectMapping, ...]
    directions: frozenset[str]
