"""A JSON Schema as its JSON text."""

from __future__ import annotations

from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..conversion.writer import Writer
from ..errors import ConversionError, wrong_type
from ..json_texts.json_text import compact, is_compact, same
from ..json_texts.strict_json import loads
from ..paths import Path, spelled

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader) -> tuple[dict[str, Any], Any]:
    """Read the schema; its text is kept where our own writing would differ.

    Raises:
        ConversionError: it is no text, or not that of an object.
    """
    if type(value) is not str:
        raise wrong_type(at, "a string", None if value is ABSENT else value)
    try:
        found = loads(value)
    except ValueError as error:
        raise ConversionError(spelled(at), "must be JSON") from error
    if type(found) is not dict:
        raise wrong_type(at, "the text of an object", found)
    return found, ABSENT if is_compact(value, found) else value


def write(schema: dict[str, Any], kept: Any, at: Path, writer: Writer) -> str:
    """Write the schema, as it came while it says the same.

    Raises:
        ConversionError: JSON cannot hold it.
    """
    if type(kept) is str and same(read(kept, at, Reader(writer.wire))[0], schema):
        return kept
    try:
        return compact(schema)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConversionError(spelled(at), f"cannot be written as JSON: {type(error).__name__}") from error
