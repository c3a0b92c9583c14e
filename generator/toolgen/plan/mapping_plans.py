"""Plans of the objects on a wire: mappings with their keys, unions of mappings, and arrays, for both directions.

Most objects of a mapping are regular, and are read and written with a few comparisons. A regular object has exactly
the keys that are always present, each with a value that means the same on the wire and in the format. A regular
value of the format has no extras, and no fields that such an object cannot carry. All others take the general path,
through the field readers and writers. Here their regular forms are data; tests compare the two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import get_annotations, signature
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class FieldFastPath:
    """When a field reader or writer passes a value on unchanged: tests of fields (`{0}`, `{1}`, …), the value first.

    `{table}` is the table that the profile gives to the field reader.

    If both are empty, a regular object does not have the key, and the field is None. `last` tests have an effect, so
    they come after all others. `written` is the expression of the value on the wire, if it differs. A call that lacks
    its key `may_lack_id`: it then has a synthetic one.
    """

    reads: str = ""
    writes: str = ""
    last: bool = False
    written: str = "{0}"
    may_lack_id: bool = False


JSON_TEXT = FieldFastPath(
    "type({0}) is str", "{1} is None and (text := dump_strict_or_none({0})) is not None", written="text"
)
"""The form of arguments that are JSON text."""

_CALL_ID = FieldFastPath("reader.try_claim_id({0})", "writer.is_id_unchanged({0})", last=True)
_LEGAL_CALL_ID = f"reader.wire.is_legal_id({{0}}) and {_CALL_ID.reads}"

PLAIN_FORMS: Mapping[str, FieldFastPath] = {
    "tool_name": FieldFastPath("type({0}) is str and {0} not in reader.tool_names", "writer.names.get({0}) == {0}"),
    "call_id": _CALL_ID,
    "optional_call_id": replace(_CALL_ID, may_lack_id=True),
    "call_id_verbatim": replace(_CALL_ID, reads=f"type({{0}}) is str and {_LEGAL_CALL_ID}"),
    "id_or_placeholder": replace(_CALL_ID, reads=f"type({{0}}) is str and {{0}} not in {{table}} and {_LEGAL_CALL_ID}"),
    "object_arguments": FieldFastPath("type({0}) is dict", "{1} is None and is_strict_json({0})"),
    "json_arguments": JSON_TEXT,
    "cache_control": FieldFastPath(),
    "participant_name": FieldFastPath(),
    "arguments_text": JSON_TEXT,
    "parsable_arguments": replace(JSON_TEXT, writes=f"{JSON_TEXT.writes} and text.isascii()"),
}
"""By name of the field reader. An object that requires a key whose reader is not listed has no regular form."""

WITHOUT_EXTRAS: Mapping[str, str] = {
    "data_url": "",
    "effort": "",
    "messages": "",
    "object_arguments": "",
    "result_call": "writer.call_id({0})",
    "tool_name": "writer.tool_name({0}, {at})",
}
"""By name, the functions of fields that never have extras: readers return the fields alone, writers get no extras.

Instead of a writer there may be an expression of the first field (`{0}`) and its path (`{at}`).
"""

RESULT_FORMS: Mapping[str, str] = {
    "result_call": "writer.is_id_unchanged({0})",
    "result_call_or_next": "writer.is_id_unchanged({0})",
    "result_id_or_placeholder": "writer.is_id_unchanged({0})",
    "result_id_by_name": "writer.is_id_unchanged({0})",
    "tool_name": PLAIN_FORMS["tool_name"].writes,
}
"""By name, the field writers of a result that write a regular value as it is: the test of this value."""

TESTS: Mapping[str, str] = {
    "string": "type({0}) is str",
    "integer": "type({0}) is int",
    "number": "(type({0}) is float or type({0}) is int)",
    "boolean": "type({0}) is bool",
    "object": "type({0}) is dict",
    "array": "type({0}) is list",
}
"""By JSON type of a field: the test that its regular value passes on the wire."""


@dataclass(frozen=True, slots=True)
class FastPathKey:
    """A key of a regular object: the object that has it, its variable, its value in the format, and its tests.

    A key that other objects may lack is `optional`, and is written after the others, as on the general path.
    """

    optional: bool
    holder: str
    key: str
    variable: str
    value: str
    reads: str
    writes: str
    last: bool


@dataclass(frozen=True, slots=True)
class FastPathObject:
    """The regular object of a mapping: how many keys each object in it has, its keys, and the fields that must be None.

    `arguments` are those of the type's constructor. `open` is whether the regular object has all keys of the mapping, and each has one form.
    Any further keys are then only extras, and the object can still be read at once.
    """

    sizes: Mapping[str, int]
    open: bool
    keys: Sequence[FastPathKey]
    unset: Sequence[str]
    arguments: Sequence[str]

    @property
    def conditions_to_read(self) -> list[str]:
        """Return the tests that a regular object on the wire passes."""
        sizes = [f"len({h}) == {size}" for h, size in self.sizes.items() if h != "wire" or not self.open]
        return sizes + [key.reads for key in sorted(self.keys, key=lambda k: k.last)]

    @property
    def conditions_to_write(self) -> list[str]:
        """Return the tests that a regular value of the format passes."""
        return [f"{field} is None" for field in self.unset] + [
            key.writes for key in sorted(self.keys, key=lambda k: k.last) if key.writes
        ]

    def keys_below(self, holder: str, optional: bool) -> list[FastPathKey]:
        """Return the keys of one of the objects: those that other objects may lack, or those that they may not."""
        return [key for key in self.keys if key.holder == holder and key.optional == optional]

    def has_key(self, variable: str) -> bool:
        """Return whether a regular object has the key with this variable."""
        return any(key.variable == variable for key in self.keys)


Kind = Literal["plain", "also", "call", "text_or", "beside"]


@dataclass(frozen=True, slots=True)
class WireObjectPlan:
    """An object of the mapping, the outer one first; `key_path` are the keys that lead to it.

    `parent` is the variable of the object around it, `known` the constant that lists its known keys.
    """

    variable: str
    parent: str
    key: str
    key_path: tuple[str, ...]
    required: bool
    known: str


@dataclass(frozen=True, slots=True)
class KeyMapping:
    """A key and the fields that it carries.

    `key_path` leads to the key on the wire and ends with it; `field` is the name of its first field in the format.
    `variables` hold the values read, by field, and `attributes` are the fields in Python. `reads` and `writes` are the
    functions of a field, mapping or union, if `kind` is not plain. `table` is the constant of the table for them, and
    `table_spec` the table itself, or the section of the profile that has it. A key of kind `beside` shares its fields
    with other keys of the object: its functions read the whole object, and return what is added to it. `regular` is the
    function that writes regular content (text, or the kind and the value of a result), and returns None for others.
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
    table_spec: Any
    aliases: tuple[str, ...]
    regular: str

    @property
    def may_have_extras(self) -> bool:
        """Return whether the reader also returns extras, and the writer takes them."""
        return self.kind in ("call", "beside") and self.function_name not in WITHOUT_EXTRAS

    @property
    def function_name(self) -> str:
        """Return the name that the reader and the writer share."""
        return self.reads.removeprefix("self.").removeprefix("read_")

    @property
    def pointer(self) -> tuple[str, ...]:
        """Return where the key is in its mapping."""
        return tuple(step for key in self.key_path for step in ("keys", key))

    def signature_fault(
        self,
        reader: Callable[..., Any] | None,
        writer: Callable[..., Any] | None,
        regular: Callable[..., Any] | None = None,
    ) -> str:
        """Return why the functions of a key, if there are any, cannot take what the key gives them; "" if they can."""
        if reader is None:
            return "" if self.reads else "`fields` and `beside` need `as` or `block`"
        table = [self.table] if self.table else []
        written = [*self.attributes, *(["extras"] if self.may_have_extras else []), "at", "writer"]
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
        try:
            if regular is not None:
                signature(regular).bind(*self.attributes[:2])
        except TypeError:
            return f"{self.regular} takes no text, and no kind and value of a result"
        return ""


@dataclass(frozen=True, slots=True)
class UnmappedField:
    """A field without a key on the wire, and the severity of its loss: a note if it is true and `harmless_if_true`."""

    python: str
    json: str
    severity: str
    harmless_if_true: bool


@dataclass(frozen=True, slots=True)
class ObjectMapping:
    """A mapping, ready to print. `outside` are the variables of strings that the caller of its reader has to pass."""

    name: str
    type: str
    description: str
    variable: str
    objects: tuple[WireObjectPlan, ...]
    keys: tuple[KeyMapping, ...]
    tag: tuple[tuple[str, str | bool], ...]
    tag_also: Mapping[str, tuple[str, ...]]
    untagged: str
    unmapped_fields: tuple[UnmappedField, ...]
    known: Mapping[str, tuple[str, ...]]
    arguments: tuple[str, ...]
    least: Mapping[str, tuple[str, ...]]
    plain: FastPathObject | None
    outside: tuple[str, ...]

    def keys_below(self, holder: str) -> tuple[KeyMapping, ...]:
        """Return the keys of one of the objects."""
        return tuple(k for k in self.keys if k.holder == holder)

    @property
    def plain_to_write(self) -> FastPathObject | None:
        """Return the regular object to write, without extras; that of a result with the id and the name of its call."""
        if self.plain is not None or not any(key.regular for key in self.keys):
            return self.plain
        keys: list[FastPathKey] = []
        unset = [f"{self.variable}.{name}" for name in ("metadata", *(field.python for field in self.unmapped_fields))]
        for key in self.keys:
            values = [f"{self.variable}.{name}" for name in key.attributes]
            test, written = RESULT_FORMS.get(key.function_name, "").format(values[0]), values[0]
            if key.regular:
                unset += [*values[2:], *(f"{self.variable}.{name}" for name in key.given_attributes)]
                test, written = f"(content := {key.regular}({', '.join(values[:2])})) is not None", "content"
            if not test:
                return None
            late = key.kind == "beside" or not key.required
            keys.append(FastPathKey(late, key.holder, key.key, key.variables[0], written, "", test, bool(key.regular)))
        return FastPathObject({}, False, keys, unset, ())

    @property
    def keys_in_reading_order(self) -> tuple[KeyMapping, ...]:
        """Return the keys in reading order; tools first: they determine how calls of the history are decoded."""
        return tuple(sorted(self.keys, key=lambda k: self.type != "Request" or k.variables[0] != "tools"))

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


@dataclass(frozen=True, slots=True)
class ListPlan:
    """An array of objects; those of some mappings are read and written without a call for each.

    They are distinguished by their tag, or by their first key. Every other object is an `item`, and so are objects with
    further keys if the array is `exact`. `directions` are those that the class of the API uses.
    """

    name: str
    item: str
    tag: str
    exact: bool
    members: tuple[ObjectMapping, ...]
    directions: frozenset[str]
