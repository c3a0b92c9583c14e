"""Schemas of tools, in the dialect of a wire."""

from __future__ import annotations

from typing import Any

from ..conversion.extras import ABSENT, is_mark
from ..conversion.reader import Reader
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..json_text import same_json
from ..paths import Path

__all__ = [
    "read_dialect",
    "read_dialect_as_given",
    "read_dialect_or_empty",
    "read_open_dialect",
    "write_dialect",
    "write_dialect_as_given",
    "write_dialect_or_empty",
    "write_open_dialect",
]


def read_dialect(value: Any, at: Path, reader: Reader, strict: bool | None = None) -> tuple[dict[str, Any] | None, Any]:
    """Read the schema as it is; it is kept where lowering would change or refuse it, for the API took it.

    Raises:
        ConversionError: The value is neither an object nor null.
    """
    if value is None or value is ABSENT:
        return None, ABSENT
    if type(value) is not dict:
        raise wrong_type(at, "an object", value)
    lowered = reader.wire.lowerings.lowered(value, strict)
    plain = same_json(lowered.schema, value) and lowered.spelling is None and not lowered.refusals
    return value, ABSENT if plain else value


def write_dialect(
    parameters: dict[str, Any] | None, kept: Any, at: Path, writer: Writer, strict: bool | None = None
) -> Any:
    """Write the lowered schema, and report what the dialect expresses differently."""
    if parameters is None:
        return ABSENT
    if type(kept) is dict and same_json(kept, parameters):
        return parameters
    return writer.lowered(parameters, strict, at)


def write_dialect_or_empty(
    parameters: dict[str, Any] | None,
    kept: Any,
    at: Path,
    writer: Writer,
    strict: bool | None,
) -> Any:
    """Write the schema. A tool without parameters gets an object without properties."""
    written = write_dialect(parameters, kept, at, writer, strict)
    return {"type": "object", "properties": {}} if written is ABSENT else written


def read_open_dialect(value: Any, at: Path, reader: Reader) -> tuple[dict[str, Any] | None, Any]:
    """Read the schema; that there was none is kept.

    Raises:
        ConversionError: The value is neither an object nor null.
    """
    if value is ABSENT:
        return None, {"$absent": True}
    return read_dialect(value, at, reader, None)


def write_open_dialect(parameters: dict[str, Any] | None, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the schema. A tool without parameters gets an object without properties, unless it was read otherwise."""
    if parameters is not None:
        return write_dialect(parameters, kept, at, writer, None)
    return ABSENT if kept is None or is_mark(kept) else {"type": "object", "properties": {}}


def read_dialect_as_given(
    value: Any, at: Path, reader: Reader, strict: bool | None = None
) -> tuple[dict[str, Any] | None, Any]:
    """Read the schema; that there was none, or null, is kept.

    Raises:
        ConversionError: The value is neither an object nor null.
    """
    if value is None or value is ABSENT:
        return None, {"$absent": True} if value is ABSENT else None
    return read_dialect(value, at, reader, strict)


def write_dialect_as_given(
    parameters: dict[str, Any] | None,
    kept: Any,
    at: Path,
    writer: Writer,
    strict: bool | None = None,
) -> Any:
    """Write the schema. A tool without parameters gets an object without properties, unless it was read otherwise."""
    if parameters is not None:
        return write_dialect(parameters, kept, at, writer, strict)
    if kept is None:
        return None
    return ABSENT if is_mark(kept) else {"type": "object", "properties": {}}


read_dialect_or_empty = read_dialect
