"""Plain objects: what most objects of a shape look like, read and written in a few comparisons.

A plain object has exactly the keys that are always there, each with a value that means on the wire what it means in
the format; a plain value of the format has no residue and nothing that such an object cannot carry. Every other one
goes the long way, through the codecs. The plain forms of codecs stand here as data; tests hold them against the codecs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlainForm:
    """When a codec passes a value on as it is: tests over its fields (`{0}`, `{1}`, …), of which the first is the value.

    Where both are empty, a plain object does not have the key, and the field is None. `last` tests have an effect,
    so that they come after all others.
    """

    reads: str = ""
    writes: str = ""
    last: bool = False


PLAIN_FORMS: Mapping[str, PlainForm] = {
    "tool_name": PlainForm("type({0}) is str and {0} not in reader.spoken", "writer.names.get({0}) == {0}"),
    "call_id": PlainForm("reader.takes({0})", "writer.keeps({0})", last=True),
    "optional_id": PlainForm("reader.takes({0})", "writer.keeps({0})", last=True),
    "object_arguments": PlainForm("type({0}) is dict", "{1} is None and is_json({0})"),
    "ephemeral": PlainForm(),
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
class PlainKey:
    """A key of a plain object: the object that holds it, its variable, its value in the format, and its tests.

    One that other objects may lack is `usual`, and is written behind the others, as the long way does.
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
class PlainObject:
    """The plain object of a shape: the number of keys of each object in it, its keys, what must be None to be written.

    `arguments` are those of the type's constructor. Where the shape has no further keys on the `open` object, what
    else stands there is residue and nothing more, so that it is still a plain one.
    """

    sizes: Mapping[str, int]
    open: bool
    keys: Sequence[PlainKey]
    unset: Sequence[str]
    arguments: Sequence[str]

    @property
    def read_tests(self) -> list[str]:
        """What holds for a plain object on the wire."""
        sizes = [f"len({h}) == {size}" for h, size in self.sizes.items() if h != "wire" or not self.open]
        return sizes + [key.reads for key in sorted(self.keys, key=lambda k: k.last)]

    @property
    def write_tests(self) -> list[str]:
        """What holds for a plain value of the format."""
        return [f"{field} is None" for field in self.unset] + [
            key.writes for key in sorted(self.keys, key=lambda k: k.last) if key.writes
        ]

    def keys_of(self, holder: str, usual: bool) -> list[PlainKey]:
        """The keys of one of the objects, those that others may lack or those that they may not."""
        return [key for key in self.keys if key.holder == holder and key.usual == usual]

    def has(self, variable: str) -> bool:
        """Whether a plain object has the key of this variable."""
        return any(key.variable == variable for key in self.keys)
