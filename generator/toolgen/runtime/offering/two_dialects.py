"""A schema under one of two keys: one takes JSON Schema, the other the OpenAPI subset. The profile says which is written."""

from __future__ import annotations

from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import Residue
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..json_texts.json_text import same
from ..paths import Path
from .openapi_schema import from_openapi

__all__ = ["read_schema", "write_schema"]


def read_schema(holder: dict[str, Any], keys: tuple[str, str], at: Path, reader: Reader) -> tuple[Any, Residue]:
    """Read a schema as JSON Schema; what came is kept where our own writing would differ.

    Raises:
        ConversionError: it is no object.
    """
    lowerings = reader.wire.lowerings
    for key in keys:
        value = holder.get(key)
        if value is None:
            continue
        if type(value) is not dict:
            raise wrong_type((at, key), "an object", value)
        if key == keys[1]:
            return from_openapi(value), {f"${key}": value}
        lowered = lowerings.lowered(value, None)
        plain = lowerings.key is None and same(lowered.schema, value) and lowered.spelling is None
        return value, {} if plain else {f"${key}": value}
    return None, {}


def write_schema(schema: Any, own: Residue, keys: tuple[str, str], at: Path, writer: Writer) -> dict[str, Any]:
    """Write a schema under the key that it came with, else as the profile says; what is not taken is reported."""
    if schema is None:
        return {}
    for key in keys:
        kept = own.get(f"${key}")
        if type(kept) is dict and same(from_openapi(kept) if key == keys[1] else kept, schema):
            return {key: kept}
    return {keys[0] if writer.wire.lowerings.key is None else keys[1]: writer.lowered(schema, None, at)}
