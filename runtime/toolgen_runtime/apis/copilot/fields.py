"""Field readers and writers that only Copilot needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...conversion.extras import ABSENT, Extras, UnsupportedValueError, is_internal_mark, original_key
from ...conversion.fields import (
    read_data_url,
    read_tool_name,
    read_tool_schema,
    write_object_arguments,
    write_tool_schema,
)
from ...conversion.reader import Reader
from ...conversion.tool_results import media_kind
from ...conversion.values import optional_text
from ...conversion.writer import Writer
from ...json_text import dump_allowing_nan
from ...models import InvalidCall
from ...paths import Path

__all__ = [
    "read_binary_data",
    "read_either_name",
    "read_schema_empty_as_none",
    "read_untyped_arguments",
    "write_binary_data",
    "write_either_name",
    "write_schema_empty_as_none",
    "write_untyped_arguments",
]


def read_untyped_arguments(value: Any, at: Path, reader: Reader) -> tuple[dict[str, Any], InvalidCall | None, Any]:
    """Read the arguments; blank text means none. Missing arguments and non-objects are kept as extras."""
    if type(value) is dict:
        return value, None, ABSENT
    if value is None or value is ABSENT:
        return {}, None, None if value is None else {"$absent": True}
    if type(value) is str and not value.strip():
        return {}, None, value
    return {}, InvalidCall(_text(value), "not_an_object"), value


def write_untyped_arguments(
    arguments: dict[str, Any], invalid: InvalidCall | None, extra: Any, at: Path, writer: Writer
) -> Any:
    """Write the arguments, or the original value. An invalid call with arguments is refused: the client would run it.

    Raises:
        ConversionError: The call is invalid, or its arguments cannot be written as JSON.
    """
    if invalid is not None and not arguments:
        text = invalid.text
        return extra if extra is not None and extra is not ABSENT and _text(extra) == text else text
    if invalid is not None:
        writer.report_loss(
            (at[0], "invalid"), "an invalid call", "rewritten", "the client would run it as it is", "behaviour"
        )
    if not arguments and (extra is None or type(extra) is str or is_internal_mark(extra)):
        return ABSENT if is_internal_mark(extra) else extra
    return write_object_arguments(arguments, None, at, writer)


def _text(value: Any) -> str:
    """Return the text of a value that is not an object: a string unchanged, anything else as JSON."""
    return value if type(value) is str else dump_allowing_nan(value)


Fields = tuple[str | None, str | None, str | None]


def read_binary_data(block: dict[str, Any], at: Path, reader: Reader, table: Mapping[str, str]) -> Fields:
    """Read data and media type; the url is always None.

    Raises:
        ConversionError: One of the values is not a string.
    """
    return None, optional_text(block, "data", at), optional_text(block, "mimeType", at)


def write_binary_data(
    url: str | None,
    data: str | None,
    media_type: str | None,
    at: Path,
    writer: Writer,
    table: Mapping[str, str],
) -> dict[str, Any]:
    """Write the block. `table` has the `type` of its block, and the default `mediaType`.

    Raises:
        UnsupportedValueError: The part has no data.
    """
    if data is None and url is not None and url[:5] == "data:":
        url, data, stated_type = read_data_url(url, at, Reader(writer.wire))
        media_type = stated_type or media_type
    if data is None:
        raise UnsupportedValueError("results only support inline data")
    if url is not None:
        writer.report_unsupported(at, "url")
    if media_type is None:
        media_type = table["mediaType"]
        writer.report_loss(
            (at[0], "mediaType"),
            "mediaType",
            "defaulted",
            f"the API requires a media type, so it is set to {media_type}",
        )
    if table["type"] == "resource" and media_kind(media_type) != table["kind"]:
        writer.report_loss(at[0], table["kind"], "rewritten", "its media type belongs to another kind")
    return {"type": table["type"], "data": data, "mimeType": media_type}


def read_schema_empty_as_none(value: Any, at: Path, reader: Reader) -> dict[str, Any] | None:
    """Read the schema. An empty schema becomes None.

    Raises:
        ConversionError: The value is neither an object nor null.
    """
    return read_tool_schema(value, at, reader) or None


def write_schema_empty_as_none(parameters: dict[str, Any] | None, at: Path, writer: Writer) -> Any:
    """Write the schema, or nothing if it is empty."""
    return write_tool_schema(parameters, at, writer) if parameters else ABSENT


def read_either_name(wire: dict[str, Any], at: Path, reader: Reader, keys: Mapping[str, str]) -> tuple[str, Extras]:
    """Read the app's name of the tool. `keys` has the `usual` key, and the `other` key, which is kept as an extra.

    Raises:
        ConversionError: The value is not a string.
    """
    usual, other = keys["usual"], keys["other"]
    if wire.get(usual) is None and other in wire:
        return read_tool_name(wire[other], (at, other), reader), {"$as": {usual: other}}
    name = read_tool_name(wire.get(usual, ABSENT), (at, usual), reader)
    return name, {other: wire[other]} if other in wire else {}


def write_either_name(name: str, extras: Extras, at: Path, writer: Writer, keys: Mapping[str, str]) -> dict[str, Any]:
    """Write the name under the key from which it was read, else under the usual key."""
    return {original_key(extras, keys["usual"]): writer.tool_name(name, at)}
