"""The rule of extras: of a value that would be written differently, the original is kept, and used while it means the same.

A pair of functions reads a value of the wire into fields and writes it again. It knows nothing of extras:

- `read(value, at, reader, *settings)` returns the field, or a tuple of fields. The value may be `ABSENT` or None.
- `write(field, …, at, writer, *settings)` returns the value, or `ABSENT` for no key. It must not change the conversion.

Where one pair has several keys of an object, it reads the object, and writes the keys that it has.

What is kept of a key stands in the extras of its object, under the key:

- `{"$whole": value}`: the fields have the value, but would be written differently; `$unread` beside it lists keys inside
  that no field has
- `{"$absent": true}`: there was no key, but one would be written
- keys of an object that are neither read nor written, under their own names, with `"$read": true`
- a value of which nothing was read, as it is; so are nulls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, is_dataclass
from dataclasses import fields as fields_of
from typing import Any, Generic, TypeVar

from ..errors import ConversionError
from ..json_values import copy_json, is_too_deep, same_json
from ..models import Loss
from ..paths import Path
from .extras import (
    ABSENT,
    Extras,
    UnsupportedValueError,
    escape_marks,
    is_null_or_empty,
    restore_extras,
    unescape_marks,
    unmapped_members,
)
from .reader import Reader
from .writer import Writer

__all__ = ["Pair", "read_field", "read_fields", "write_field", "write_fields"]

T = TypeVar("T")


@dataclass(slots=True)
class Pair(Generic[T]):
    """The functions that read and write the same fields, and the settings that both get as their last arguments."""

    read: Callable[..., T]
    write: Callable[..., Any]
    settings: tuple[Any, ...] = ()


def read_field(holder: dict[str, Any], key: str, pair: Pair[T], *, at: Path, extras: Extras, reader: Reader) -> T:
    """Read the value at a key of an object, and add to its extras what would be written differently.

    `at` and `extras` are those of the object.

    Raises:
        ConversionError: The value has the wrong type.
    """
    value, here = holder.get(key, ABSENT), (at, key)
    fields = pair.read(value, here, reader, *pair.settings)
    written, is_lossless = _write_silently(fields, here, _silent_writer(reader), pair)
    _keep(extras, key, value, fields, written, is_lossless=is_lossless)
    return fields


def read_fields(
    holder: dict[str, Any], keys: tuple[str, ...], pair: Pair[T], *, at: Path, extras: Extras, reader: Reader
) -> T:
    """Read the values at several keys of an object, like `read_field`.

    Raises:
        ConversionError: A value has the wrong type.
    """
    fields = pair.read(holder, at, reader, *pair.settings)
    written, is_lossless = _write_silently(fields, (at, keys[0]), _silent_writer(reader), pair)
    for key in keys:
        member = _FAILED if written is _FAILED else written.get(key, ABSENT)
        _keep(extras, key, holder.get(key, ABSENT), fields, member, is_lossless=is_lossless)
    return fields


def write_field(
    holder: dict[str, Any], key: str, fields: Any, pair: Pair[Any], *, at: Path, extras: Extras, writer: Writer
) -> None:
    """Write fields as a key of an object. What was kept of the key when it was read wins while it means the same.

    `at` is the path of the first field. `extras` are those of the object, without those of other providers. That of the
    key is taken from them.

    Raises:
        ConversionError: A field has the wrong type.
        UnsupportedValueError: The API has no such value.
    """
    extra = _take(extras, key)
    original = _original(extra)
    if original is not _UNKNOWN and _means(original, fields, at, writer, pair):
        written = original
    else:
        written = pair.write(*_as_tuple(fields), at, writer, *pair.settings)
        complete = _with_unread(written, extra)
        if complete is not written and _mean_the_same(complete, written, at, writer, pair):
            written = complete
        if written is ABSENT and original is _UNKNOWN and _is_unread(extra):
            unread = unescape_marks(extra)
            written = unread if _means(unread, fields, at, writer, pair) else ABSENT
    if written is not ABSENT:
        holder[key] = written


def write_fields(
    holder: dict[str, Any],
    keys: tuple[str, ...],
    fields: Any,
    pair: Pair[Any],
    *,
    at: Path,
    extras: Extras,
    writer: Writer,
) -> None:
    """Write fields as several keys of an object, like `write_field`.

    Raises:
        ConversionError: A field has the wrong type.
        UnsupportedValueError: The API has no such value.
    """
    own_extras = {key: _take(extras, key) for key in keys if key in extras}
    if own_extras:
        original = _original_of_keys(holder, fields, pair, own_extras, at=at, writer=writer)
        if _means(original, fields, at, writer, pair):
            holder |= original
            return
    written = pair.write(*_as_tuple(fields), at, writer, *pair.settings)
    if own_extras:
        complete = {key: _with_unread(value, own_extras.get(key, ABSENT)) for key, value in written.items()}
        if _mean_the_same({**holder, **complete}, {**holder, **written}, at, writer, pair):
            written = complete
    holder |= written


def _original_of_keys(
    holder: dict[str, Any], fields: Any, pair: Pair[Any], own_extras: Extras, *, at: Path, writer: Writer
) -> dict[str, Any]:
    """Return the object as it was read: what its fields are written as, with the originals of the keys of the pair."""
    written, _ = _write_silently(fields, at, Writer(writer.wire, _ignore, "weaken"), pair)
    whole = {**holder, **({} if written is _FAILED else written)}
    for key, extra in own_extras.items():
        original = _original(extra)
        if original is _UNKNOWN:
            is_alone = key not in whole and _is_unread(extra)
            original = unescape_marks(extra) if is_alone else _with_unread(whole.get(key, {}), extra)
        whole[key] = original
    return {key: value for key, value in whole.items() if value is not ABSENT}


_FAILED: Any = object()
"""What a pair that raised has written."""

_UNKNOWN: Any = object()
"""No original is known."""


_TAKEN = {"$absent": True}
"""What stands in the place of an extra that was taken. `restore_extras` leaves it out."""


def _take(extras: Extras, key: str) -> Any:
    """Return the extra of a key, and put `_TAKEN` into its place. ABSENT without one."""
    if key not in extras:
        return ABSENT
    extra, extras[key] = extras[key], _TAKEN
    return extra


def _as_tuple(fields: Any) -> tuple[Any, ...]:
    return fields if type(fields) is tuple else (fields,)


def _is_empty(fields: Any) -> bool:
    return all(field is None for field in _as_tuple(fields))


def _silent_writer(reader: Reader) -> Writer:
    """Return the writer that shows how what was read would be written. It reports to nobody."""
    writer: Writer | None = reader.silent_writer
    if writer is None:
        writer = reader.silent_writer = Writer(reader.wire, _ignore, "weaken")
    return writer


def _ignore(loss: Loss) -> None:
    """Report a loss to nobody."""


def _write_silently(fields: Any, at: Path, writer: Writer, pair: Pair[Any]) -> tuple[Any, bool]:
    """Return what would be written, `_FAILED` if the pair raises, and whether nothing would be reported.

    The writer is one that reports to nobody.
    """
    writer.losses.clear()
    writer.media.clear()
    try:
        written = pair.write(*_as_tuple(fields), at, writer, *pair.settings)
    except (ConversionError, UnsupportedValueError):
        written = _FAILED
    return written, not writer.losses


def _means(value: Any, fields: Any, at: Path, writer: Writer, pair: Pair[Any]) -> bool:
    """Return whether a value of the wire has these fields. Extras that are damaged may be unreadable or too deep."""
    try:
        return _are_same(pair.read(value, at, Reader(writer.wire), *pair.settings), fields)
    except (ConversionError, RecursionError):
        return False


def _mean_the_same(value: Any, written: Any, at: Path, writer: Writer, pair: Pair[Any]) -> bool:
    """Return whether a value of the wire has the same fields as what was written."""
    try:
        fields = pair.read(written, at, Reader(writer.wire), *pair.settings)
    except ConversionError:
        return False
    return _means(value, fields, at, writer, pair)


def _are_same(left: Any, right: Any) -> bool:
    """Return whether two fields are identical: JSON, or objects of the format, alone or in tuples and lists."""
    kind = type(left)
    if kind is not type(right):
        return False
    if kind is list or kind is tuple:
        return len(left) == len(right) and all(map(_are_same, left, right))
    if is_dataclass(kind):
        return all(_are_same(getattr(left, field.name), getattr(right, field.name)) for field in fields_of(kind))
    return same_json(left, right)


def _original(extra: Any) -> Any:
    """Return what a key had: ABSENT, None or a value. `_UNKNOWN` if its extra does not say it."""
    if type(extra) is dict and not extra.keys().isdisjoint(_MARKS):
        return extra.get("$whole", ABSENT)
    return None if extra is None else _UNKNOWN


def _is_unread(extra: Any) -> bool:
    """Return whether an extra is a value of which nothing was read."""
    return extra is not ABSENT and not (type(extra) is dict and "$read" in extra)


def _with_unread(written: Any, extra: Any) -> Any:
    """Return an object with the keys of the original that were not read. Anything else is returned as it is."""
    if type(extra) is not dict or type(written) is not dict or not extra.keys().isdisjoint(_MARKS):
        return written
    written = dict(written)
    restore_extras(written, extra)
    return written


_MARKS = frozenset(["$absent", "$whole"])

_DEEPEST = 4
"""How deep the keys are that are reported one by one. What is deeper is usually a schema."""


def _keep(extras: Extras, key: str, value: Any, fields: Any, written: Any, *, is_lossless: bool) -> None:
    """Add to the extras what is different about the value of a key. Nulls are there already.

    `written` is what its fields would be written as, and `is_lossless` whether nothing would be reported.
    """
    if value is None or (written is value and is_lossless):
        return
    if value is ABSENT:
        if written is not _FAILED:
            extras[key] = {"$absent": True}
    elif written is ABSENT and _is_empty(fields):
        extras[key] = escape_marks(value)
    elif is_lossless and _agree(value, written):
        unread = unmapped_members({k: v for k, v in value.items() if k not in written}, frozenset())
        if not all(is_null_or_empty(member) or member == {} for member in unread.values()):
            extras[key] = {**unread, "$read": True}
        elif unread:  # nothing but values that say nothing
            extras[key] = {"$whole": _copied(value)}
    elif not is_lossless or is_too_deep(value) or not same_json(written, value):
        extras[key] = {"$whole": _copied(value)}
        if (
            not is_too_deep(value)
            and not _is_among(value, fields)
            and (unread_keys := list(_unread_keys(value, written)))
        ):
            extras[key]["$unread"] = unread_keys


def _is_among(value: Any, fields: Any) -> bool:
    """Return whether a field has the whole value."""
    return any(same_json(value, field) for field in _as_tuple(fields) if type(field) is type(value))


def _unread_keys(value: Any, written: Any, depth: int = _DEEPEST) -> Iterator[str]:
    """Return the keys of a value, and of what is inside it, that say something and would not be written.

    An object with other keys in their place is only spelled differently.
    """
    if type(value) is dict and type(written) is dict and depth and written.keys() <= value.keys():
        for key, member in value.items():
            if key in written:
                yield from _unread_keys(member, written[key], depth - 1)
            elif not is_null_or_empty(member):
                yield key
    elif type(value) is list and type(written) is list and len(value) == len(written):
        for item, written_item in zip(value, written, strict=True):
            yield from _unread_keys(item, written_item, depth)


def _copied(value: Any) -> Any:
    """Return a copy, because an app may change a field that is part of the value. A value that is too deep is shared."""
    return value if is_too_deep(value) else copy_json(value)


def _agree(value: Any, written: Any) -> bool:
    """Return whether both are objects, and all members that would be written are those of the value."""
    if type(value) is not dict or type(written) is not dict or is_too_deep(value):
        return False
    return all(key in value and same_json(value[key], member) for key, member in written.items())
