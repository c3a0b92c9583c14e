"""A schema under one of two keys: one takes JSON Schema, the other the OpenAPI subset. Ours goes out as JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .errors import wrong_type
from .json_text import same
from .lowering import lower
from .openapi_schema import from_openapi
from .paths import Path
from .residue import Residue
from .writer import Writer

__all__ = ["read_schema", "write_schema"]


def read_schema(
    holder: dict[str, Any], keys: tuple[str, str], at: Path, dialect: Mapping[str, Any]
) -> tuple[Any, Residue]:
    """Read a schema as JSON Schema; what came is kept where our own writing would differ.

    Raises:
        ConversionError: it is no object.
    """
    for key in keys:
        value = holder.get(key)
        if value is None:
            continue
        if type(value) is not dict:
            raise wrong_type((at, key), "an object", value)
        if key == keys[1]:
            return from_openapi(value), {f"${key}": value}
        return value, {} if lower(value, dialect, lambda way, keyword: None) == value else {f"${key}": value}
    return None, {}


def write_schema(
    schema: Any, own: Residue, keys: tuple[str, str], at: Path, writer: Writer, dialect: Mapping[str, Any]
) -> dict[str, Any]:
    """Write a schema under the key that it came with, else as JSON Schema; what is not taken is reported by keyword."""
    if schema is None:
        return {}
    for key in keys:
        kept = own.get(f"${key}")
        if type(kept) is dict and same(from_openapi(kept) if key == keys[1] else kept, schema):
            return {key: kept}

    def report(way: tuple[str | int, ...], keyword: str) -> None:
        where = at
        for step in way:
            where = (where, step)
        writer.lost((where, keyword), keyword, "dropped", "note", f"{writer.wire.title} does not take it here")

    return {keys[0]: lower(schema, dialect, report)}
