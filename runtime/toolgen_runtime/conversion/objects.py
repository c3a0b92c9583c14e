"""Objects of the wire whose keys are fields of the format: one that is read, and one that is written.

Both keep what the fields do not say: extras. What a pair of functions reads and writes follows the rule of extras
(`conversion/rule_of_extras.py`). Ids, names, arguments and containers do not, and their functions take or return extras of their
own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields as fields_of
from functools import cache
from typing import Any, TypeVar, overload

from ..errors import wrong_type
from ..models import Request
from ..paths import Path
from ..serialization import to_camel_case
from .extras import (
    ABSENT,
    Extras,
    UnsupportedValueError,
    find_value_and_key,
    inner_extras,
    keep_inner_extras,
    note_alias,
    original_key,
    restore_extras,
    unmapped_members,
)
from .reader import Reader
from .rule_of_extras import Pair, read_field, read_fields, write_field, write_fields
from .values import Read, Write, read_text_or_list, write_text_or_list
from .writer import Severity, Writer

__all__ = ["DEFAULTS_OF_FIELDS", "SourceObject", "TargetObject"]

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")

_EXPECTED: dict[type[Any], str] = {
    str: "a string",
    float: "a number",
    int: "an integer",
    bool: "a boolean",
    dict: "an object",
    list: "an array",
}
"""By the Python type of a JSON value, how an error names it. A number may be an integer."""


def _has_type(value: Any, kind: type[Any]) -> bool:
    return type(value) is kind or (kind is float and type(value) is int)


_NOTHING: Mapping[str, Severity] = {}


@cache
def _other_fields(kind: Any, mapped: tuple[str, ...]) -> tuple[str, ...]:
    """Return the fields of a type of the format that are not mapped, without its tag and metadata."""
    data = (field.name for field in fields_of(kind) if not re.fullmatch(r"Literal\[[^,]*\]", str(field.type)))
    return tuple(name for name in data if name != "metadata" and name not in mapped)


DEFAULTS_OF_FIELDS = {
    "detail": "auto",
    "frequencyPenalty": 0,
    "outputFormat": "text",
    "parallelToolCalls": True,
    "presencePenalty": 0,
    "stream": False,
}
"""The values that APIs assume where there are none, by the names of the format."""


def _happens_anyway(value: Any, name: str, spelled: str) -> bool:
    """Return whether a field of a value has the default of all APIs, or is about the tools of a request without tools.

    `name` is that of the attribute, and `spelled` that of the format.
    """
    if (name == "parallel_tool_calls" and not value.tools) or getattr(value, name) == []:
        return True
    return spelled in DEFAULTS_OF_FIELDS and bool(getattr(value, name) == DEFAULTS_OF_FIELDS[spelled])


class SourceObject:
    """An object of the wire that is read. Keys that nothing reads are extras, and so are nulls.

    `elsewhere` are keys that are not read through this object: tags, and those that the class of the API reads.
    """

    __slots__ = ("_extras", "_inner", "_read", "at", "reader", "wire")

    def __init__(self, wire: dict[str, Any], at: Path, reader: Reader, *elsewhere: str) -> None:
        self.wire = wire
        self.at = at
        self.reader = reader
        self._extras: Extras = {}
        self._inner: list[tuple[str, SourceObject]] = []
        self._read = set(elsewhere)

    def inner(self, key: str) -> SourceObject:
        """Return the object at a key. It is empty if the key is null or absent.

        Raises:
            ConversionError: The value is not an object.
        """
        return self._add_inner(key, self.optional(key, dict) or {})

    def required_inner(self, key: str) -> SourceObject:
        """Return the object at a key.

        Raises:
            ConversionError: The value is not an object.
        """
        return self._add_inner(key, self.required(key, dict))

    def _add_inner(self, key: str, wire: dict[str, Any]) -> SourceObject:
        """Return the object at a key, whose extras become part of those of this object."""
        inner = SourceObject(wire, (self.at, key), self.reader)
        self._inner.append((key, inner))
        return inner

    def get(self, key: str) -> Any:
        """Return the value of a key. None if the key is null or absent."""
        self._read.add(key)
        return self.wire.get(key)

    def optional(self, key: str, kind: type[T]) -> T | None:
        """Return the value of a key. None if the key is null or absent.

        Raises:
            ConversionError: The value has another type.
        """
        value = self.get(key)
        if value is not None and not _has_type(value, kind):
            raise wrong_type((self.at, key), _EXPECTED[kind], value)
        return value  # type: ignore[no-any-return]  # the lines before have checked it

    def required(self, key: str, kind: type[T]) -> T:
        """Return the value of a key.

        Raises:
            ConversionError: The key is absent, or its value has another type.
        """
        value: Any = self.get(key)
        if not _has_type(value, kind):
            raise wrong_type((self.at, key), _EXPECTED[kind], value)
        return value  # type: ignore[no-any-return]  # the line before has checked it

    def required_value(self, key: str) -> Any:
        """Return the value of a key.

        Raises:
            ConversionError: The key is absent.
        """
        if key not in self.wire:
            raise wrong_type((self.at, key), "a value", None)
        return self.get(key)

    def named(self, names: Sequence[str], kind: type[T]) -> T | None:
        """Return the first value that is not null of a key with several names. None if there is none.

        Raises:
            ConversionError: The value has another type.
        """
        value, name = find_value_and_key(self.wire, *names)
        if value is not None and not _has_type(value, kind):
            raise wrong_type((self.at, name), _EXPECTED[kind], value)
        self._read |= {names[0], name}
        note_alias(self._extras, names[0], name)
        return value  # type: ignore[no-any-return]  # the lines before have checked it

    def text_or_list(self, key: str, read: Read[T]) -> str | list[T]:
        """Return the text at a key, or the items of the array there.

        Raises:
            ConversionError: The value is neither a string nor an array.
        """
        return read_text_or_list(self.get(key), (self.at, key), self.reader, read)

    def field(self, key: str, read: Callable[..., T], write: Callable[..., Any], *settings: Any) -> T:
        """Return the field or the tuple of fields of a key, by the rule of extras.

        Raises:
            ConversionError: The value has the wrong type.
        """
        self._read.add(key)
        pair = Pair(read, write, settings)
        return read_field(self.wire, key, pair, at=self.at, extras=self._extras, reader=self.reader)

    def fields(self, keys: tuple[str, ...], read: Callable[..., T], write: Callable[..., Any], *settings: Any) -> T:
        """Return the field or the tuple of fields of several keys, by the rule of extras.

        Raises:
            ConversionError: A value has the wrong type.
        """
        self._read.update(keys)
        pair = Pair(read, write, settings)
        return read_fields(self.wire, keys, pair, at=self.at, extras=self._extras, reader=self.reader)

    def value(self, key: str, read: Callable[..., T], *settings: Any) -> T:
        """Return what a function reads that has no extras.

        Raises:
            ConversionError: The value has the wrong type.
        """
        self._read.add(key)
        return read(self.wire.get(key, ABSENT), (self.at, key), self.reader, *settings)

    @overload
    def value_with_extra(self, key: str, read: Callable[..., tuple[T, Any]], *settings: Any) -> T: ...

    @overload
    def value_with_extra(self, key: str, read: Callable[..., tuple[T, A, Any]], *settings: Any) -> tuple[T, A]: ...

    @overload
    def value_with_extra(
        self, key: str, read: Callable[..., tuple[T, A, B, Any]], *settings: Any
    ) -> tuple[T, A, B]: ...

    def value_with_extra(self, key: str, read: Callable[..., tuple[Any, ...]], *settings: Any) -> Any:
        """Return the fields that a function reads, which also returns the extra of the key, or `ABSENT`.

        Raises:
            ConversionError: The value has the wrong type.
        """
        self._read.add(key)
        *fields, extra = read(self.wire.get(key, ABSENT), (self.at, key), self.reader, *settings)
        if extra is not ABSENT:
            self._extras[key] = extra
        return fields[0] if len(fields) == 1 else tuple(fields)

    @overload
    def values_with_extras(self, keys: tuple[str, ...], read: Callable[..., tuple[T, Extras]], *settings: Any) -> T: ...

    @overload
    def values_with_extras(
        self, keys: tuple[str, ...], read: Callable[..., tuple[T, A, Extras]], *settings: Any
    ) -> tuple[T, A]: ...

    @overload
    def values_with_extras(
        self, keys: tuple[str, ...], read: Callable[..., tuple[T, A, B, Extras]], *settings: Any
    ) -> tuple[T, A, B]: ...

    def values_with_extras(self, keys: tuple[str, ...], read: Callable[..., tuple[Any, ...]], *settings: Any) -> Any:
        """Return the fields that a function reads from these keys of the object. It also returns extras of the object.

        Raises:
            ConversionError: A value has the wrong type.
        """
        self._read.update(keys)
        *fields, extras = read(self.wire, self.at, self.reader, *settings)
        self._extras |= extras
        return fields[0] if len(fields) == 1 else tuple(fields)

    def tag(self, key: str, value: str | bool) -> None:
        """Keep the value of a tag if it is another one of those that the mapping admits."""
        if self.wire[key] != value:
            self._extras[key] = self.wire[key]

    def untagged(self, key: str) -> None:
        """Keep that a tag is missing which the mapping permits to be missing."""
        if self.wire.get(key) is None:
            self._extras["$absent"] = [key]

    def metadata(self) -> dict[str, Any] | None:
        """Return metadata with the extras of the object and of those inside it. None if there are none."""
        return self.reader.as_metadata(self._all_extras())

    def _all_extras(self) -> Extras:
        """Return the extras of the object, with those of inner objects under their keys."""
        extras = unmapped_members(self.wire, self._read) | self._extras
        for key, inner in reversed(self._inner):
            keep_inner_extras(extras, self.wire, key, inner._all_extras())
        return extras


class TargetObject:
    """An object of the wire that is written from a value of the format. `extras` are those of this provider.

    Paths are those of the value in the format: `at`, and the names of its fields.
    """

    __slots__ = ("at", "extras", "wire", "writer")

    def __init__(self, metadata: dict[str, Any] | None, at: Path, writer: Writer) -> None:
        self.at = at
        self.writer = writer
        self.extras = writer.own_extras(metadata, at) if metadata else {}
        self.wire: dict[str, Any] = {}

    def inner(self, key: str) -> TargetObject:
        """Return an object inside this one, with its extras. It has to be put in place when it is complete."""
        inner = TargetObject(None, self.at, self.writer)
        inner.extras = inner_extras(self.extras, key)
        return inner

    def unmapped(self, value: Any, mapped: tuple[str, ...], lost: Mapping[str, Severity] = _NOTHING) -> None:
        """Report the fields of a value that have no key on the wire, unless they are None. `mapped` are all others.

        `lost` has the severities that are not the usual ones, by the name of the field. A field that says what happens
        anyway is a note. The result of a declared tool is for the app, so it is no loss.
        """
        kind: Any = type(value)
        usual: Severity = "warning" if kind is Request else "note"
        for name in _other_fields(kind, mapped):
            field = getattr(value, name)
            spelled = to_camel_case(name)
            if field is None or (name == "result" and self.writer.is_declared_tool):
                continue
            if _happens_anyway(value, name, spelled):
                self.writer.report_default((self.at, spelled), spelled, "it has no effect")
            else:
                self.writer.report_unsupported((self.at, spelled), spelled, lost.get(name, usual))

    def required(self, key: str, value: Any) -> None:
        """Write a field as it is."""
        self.wire[key] = value

    def optional(self, key: str, value: Any) -> None:
        """Write a field as it is, unless it is None."""
        if value is not None:
            self.wire[key] = value

    def demanded(self, key: str, value: Any) -> None:
        """Write a field that the wire requires.

        Raises:
            UnsupportedValueError: It is None.
        """
        if value is None:
            raise UnsupportedValueError(f"it needs {key}")
        self.wire[key] = value

    def named(self, names: Sequence[str], value: Any) -> None:
        """Write a field, unless it is None, as a key with several names: the one that was read, else the first."""
        if value is not None:
            self.wire[original_key(self.extras, names[0])] = value

    def text_or_list(self, key: str, value: Any, name: str, write: Write) -> None:
        """Write a text or a list of parts, unless it is None."""
        if value is not None:
            self.wire[key] = write_text_or_list(value, (self.at, name), self.writer, write)

    def field(
        self,
        key: str,
        fields: Any,
        name: str,
        read: Callable[..., Any],
        write: Callable[..., Any],
        *settings: Any,
    ) -> None:
        """Write fields as a key by the rule of extras. `name` is that of the first one in the format."""
        pair, path = Pair(read, write, settings), (self.at, name)
        write_field(self.wire, key, fields, pair, at=path, extras=self.extras, writer=self.writer)

    def fields(
        self,
        keys: tuple[str, ...],
        fields: Any,
        name: str,
        read: Callable[..., Any],
        write: Callable[..., Any],
        *settings: Any,
    ) -> None:
        """Write fields as several keys by the rule of extras. `name` is that of the first one in the format."""
        pair, path = Pair(read, write, settings), (self.at, name)
        write_fields(self.wire, keys, fields, pair, at=path, extras=self.extras, writer=self.writer)

    def value(self, key: str, fields: tuple[Any, ...], name: str, write: Callable[..., Any], *settings: Any) -> None:
        """Write fields by a function that has no extras."""
        self._put(key, write(*fields, (self.at, name), self.writer, *settings))

    def value_with_extra(
        self, key: str, fields: tuple[Any, ...], name: str, write: Callable[..., Any], *settings: Any
    ) -> None:
        """Write fields by a function that takes the extra of the key, or `ABSENT`."""
        extra = self.extras.get(key, ABSENT)
        self._put(key, write(*fields, extra, (self.at, name), self.writer, *settings))

    def values_with_extras(
        self, fields: tuple[Any, ...], name: str, write: Callable[..., dict[str, Any]], *settings: Any
    ) -> None:
        """Write fields by a function that takes the extras of the object, and returns what is added to it."""
        self.wire |= write(*fields, self.extras, (self.at, name), self.writer, *settings)

    def _put(self, key: str, written: Any) -> None:
        if written is not ABSENT:
            self.wire[key] = written

    def tag(self, key: str, value: str | bool) -> None:
        """Write a tag that may have several values: the one that was read, else this one."""
        self.wire[key] = self.extras.get(key, value)

    def untagged(self, key: str) -> None:
        """Remove the tag of an object that was read without it."""
        if key in self.extras.get("$absent", ()):
            del self.wire[key]

    def finish(self) -> dict[str, Any]:
        """Return the object, with the extras."""
        if self.extras:
            restore_extras(self.wire, self.extras)
        return self.wire
