"""The schema of a tool's result, on a wire where results are objects."""

from __future__ import annotations

from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..conversion.writer import Writer
from ..errors import ConversionError, wrong_type
from ..json_texts.json_text import same
from ..offering.wrapped_values import object_schema_of, value_schema_of
from ..paths import Path, spelled

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader) -> tuple[Any, Any]:
    """Read the schema, that of the value itself where it stands inside an object.

    Raises:
        ConversionError: it is neither an object nor null, or nested too deeply.
    """
    if value is None or value is ABSENT:
        return None, ABSENT
    if type(value) is not dict:
        raise wrong_type(at, "an object", value)
    try:
        schema = value_schema_of(value)
        return schema, ABSENT if same(object_schema_of(schema), value) else value
    except RecursionError as error:
        raise ConversionError(spelled(at), "is nested too deeply") from error


def write(schema: Any, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the schema; one that admits more than objects is that of an object around the value.

    Raises:
        ConversionError: it is neither an object nor a boolean, or nested too deeply.
    """
    if schema is None:
        return ABSENT
    if type(schema) is not dict and type(schema) is not bool:
        raise wrong_type(at, "an object or a boolean", schema)
    try:
        return object_schema_of(schema, kept)
    except RecursionError as error:
        raise ConversionError(spelled(at), "is nested too deeply") from error
