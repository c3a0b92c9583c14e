"""Lists of values that are read and written one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from ..errors import wrong_type
from ..paths import Path
from .reader import Reader
from .residue import ABSENT
from .unsayable import UnsayableError
from .writer import Writer

__all__ = [
    "defaulted",
    "demanded",
    "read_list",
    "read_text_or_list",
    "write_list",
    "write_text_or_list",
]

T = TypeVar("T")
Read = Callable[[Any, Path, Reader], T]
Write = Callable[[Any, Path, Writer], Any]


def read_list(value: Any, at: Path, reader: Reader, read: Read[T]) -> list[T] | None:
    """Read an array, or null.

    Raises:
        ConversionError: the value is something else.
    """
    if value is None:
        return None
    if type(value) is not list:
        raise wrong_type(at, "an array", value)
    return [read(item, (at, i), reader) for i, item in enumerate(value)]


def read_text_or_list(value: Any, at: Path, reader: Reader, read: Read[T]) -> str | list[T]:
    """Read a text or an array.

    Raises:
        ConversionError: the value is something else.
    """
    if type(value) is str:
        return value
    if type(value) is not list:
        raise wrong_type(at, "a string or an array", value)
    return [read(item, (at, i), reader) for i, item in enumerate(value)]


def write_list(values: Iterable[Any], at: Path, writer: Writer, write: Write) -> list[Any]:
    """Write values; one that the wire cannot say is reported and left out."""
    written = []
    for i, value in enumerate(values):
        try:
            item = write(value, (at, i), writer)
        except UnsayableError as reason:
            writer.lost(
                (at, i),
                writer.kind_of(value),
                "dropped",
                "warning",
                f"{writer.wire.title}: {reason}",
            )
            continue
        if item is not ABSENT:
            written.append(item)
    return written


def write_text_or_list(value: Any, at: Path, writer: Writer, write: Write) -> str | list[Any]:
    """Write a text or the parts of one; the empty text where no part could be said."""
    if type(value) is str:
        return value
    written = write_list(value, at, writer, write)
    return written if written or not value else ""


def defaulted(value: Any, default: Any, at: Path, writer: Writer) -> Any:
    """A value that the wire demands, or the profile's default for it, which is reported."""
    if value is not None:
        return value
    writer.lost(at, "a value that the API demands", "defaulted", "note", f"it is written as {default}")
    return default


def demanded(value: Any, what: str) -> Any:
    """A value that the wire cannot do without.

    Raises:
        UnsayableError: it is not there.
    """
    if value is None:
        raise UnsayableError(f"it needs {what}")
    return value
