"""Readers and writers of single values, and of schemas, that several wires express in the same way."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, TypeAlias

from .conversion.extras import ABSENT, UnsupportedValueError
from .conversion.reader import Reader
from .conversion.writer import Writer
from .errors import wrong_type
from .models import Reasoning
from .paths import Path

__all__ = [
    "default_media_type",
    "media_type_of",
    "read_cache_control",
    "read_data_url",
    "read_effort",
    "read_enum_value",
    "read_number_within",
    "read_output_schema",
    "read_schema_or_empty",
    "read_string_or_list",
    "read_strings_at_most",
    "read_text_empty_as_none",
    "read_tool_schema",
    "write_cache_control",
    "write_data_url",
    "write_effort",
    "write_enum_value",
    "write_number_within",
    "write_output_schema",
    "write_schema_or_empty",
    "write_string_or_list",
    "write_strings_at_most",
    "write_text_empty_as_none",
    "write_tool_schema",
]

Limits: TypeAlias = Mapping[str, int]

_DATA = r"data:([\w.+-]+/[\w.+-]+);base64,(.*)"


def read_data_url(value: Any, at: Path, reader: Reader) -> tuple[str | None, str | None, str | None]:
    """Read the URL, data and media type of a URL. A `data:` URL of another form stays a URL.

    Raises:
        ConversionError: The value is not a string.
    """
    if type(value) is not str:
        raise wrong_type(at, "a string", value)
    found = re.fullmatch(_DATA, value, re.DOTALL) if value[:5] == "data:" else None
    if found is None:
        return value, None, None
    return None, found[2], found[1]


def write_data_url(url: str | None, data: str | None, media_type: str | None, at: Path, writer: Writer) -> str:
    """Write a URL, or data and its media type as a `data:` URL.

    Raises:
        UnsupportedValueError: The part has neither a URL nor data with a media type.
    """
    if data is not None:
        media_type = media_type or default_media_type(data, at, writer)
        if media_type is None:
            raise UnsupportedValueError("data needs a media type")
        return f"data:{media_type};base64,{data}"
    if url is None:
        raise UnsupportedValueError("it has neither a URL nor data")
    if media_type is not None and url[:5] != "data:":
        writer.report_unsupported((at[0], "mediaType"), "mediaType")
    return url


_HEADS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"ID3", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
)
_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}
_ENOUGH = 16  # the base64 characters that contain all the bytes that are inspected


def media_type_of(data: str) -> str | None:
    """Return the media type of an image or a recording in base64, or None if its first bytes are not known."""
    import base64  # late: few conversions need it

    try:
        head = base64.b64decode(data[:_ENOUGH], validate=True)
    except ValueError:
        return None
    if head[:4] == b"RIFF":
        return _RIFF.get(head[8:12])
    return next((kind for start, kind in _HEADS if head.startswith(start)), None)


_PDF = "JVBERi"  # how a PDF file begins in base64


def default_media_type(data: str, at: Path, writer: Writer, supported: Collection[str] | None = None) -> str | None:
    """Return the media type that the first bytes of data show, and report it. None if it is not one of `supported`."""
    found = "application/pdf" if data.startswith(_PDF) else media_type_of(data)
    if found is None or (supported is not None and found not in supported):
        return None
    reason = f"the API requires a media type, so it is set to {found}"
    writer.report_loss((at[0], "mediaType"), "mediaType", "defaulted", reason)
    return found


def read_string_or_list(value: Any, at: Path, reader: Reader) -> list[str] | None:
    """Read a list of texts. A single text becomes a list.

    Raises:
        ConversionError: The value is neither a string, nor a list of strings, nor null.
    """
    if value is None or value is ABSENT:
        return None
    if type(value) is str:
        return [value]
    if type(value) is not list:
        raise wrong_type(at, "a string or an array", value)
    for i, text in enumerate(value):
        if type(text) is not str:
            raise wrong_type((at, i), "a string", text)
    return value


def write_string_or_list(texts: list[str] | None, at: Path, writer: Writer) -> Any:
    """Write a list of texts, without empty ones."""
    if texts is None:
        return ABSENT
    sent = [text for text in texts if text]
    if not sent or len(sent) < len(texts):
        writer.report_loss(at, at[1], "narrowed" if sent else "dropped", "some APIs reject empty lists and texts")
    return sent or ABSENT


def read_number_within(value: Any, at: Path, reader: Reader, limits: Limits) -> Any:
    """Read a number, or an integer if the limits say so.

    Raises:
        ConversionError: The value is neither such a number nor null.
    """
    if value is None or value is ABSENT:
        return None
    if type(value) is not int and (type(value) is not float or "integer" in limits):
        raise wrong_type(at, "an integer" if "integer" in limits else "a number", value)
    return value


def write_number_within(value: float | None, at: Path, writer: Writer, limits: Limits) -> Any:
    """Write a number. One outside the limits becomes the nearest inside."""
    if value is None:
        return ABSENT
    nearest = max(min(value, limits.get("most", value)), limits.get("least", value))
    if nearest is not value:
        side = "most" if nearest == limits.get("most") else "least"
        writer.report_loss(at, at[1], "narrowed", f"{writer.wire.title} accepts at {side} {nearest}", "warning")
    return nearest


def read_strings_at_most(value: Any, at: Path, reader: Reader, limits: Limits) -> list[str] | None:
    """Read a list of texts like `read_string_or_list`. The limit applies to what is written.

    Raises:
        ConversionError: The value is neither a string, nor a list of strings, nor null.
    """
    return read_string_or_list(value, at, reader)


def write_strings_at_most(texts: list[str] | None, at: Path, writer: Writer, limits: Limits) -> Any:
    """Write a list of texts. Those above the limit `most`, if there is one, are left out."""
    most = limits.get("most")
    if texts is not None and most is not None and len(texts) > most:
        writer.report_loss(at, at[1], "narrowed", f"{writer.wire.title} accepts at most {most}", "warning")
        texts = texts[:most]
    return write_string_or_list(texts, at, writer)


def read_enum_value(value: Any, at: Path, reader: Reader, mapping: Mapping[str, str]) -> str | None:
    """Read a value with a table of its meanings. None if it is not in the table.

    Raises:
        ConversionError: The value is neither a string nor null.
    """
    if value is None or value is ABSENT:
        return None
    if type(value) is not str:
        raise wrong_type(at, "a string", value)
    return mapping.get(value)


def write_enum_value(value: str | None, at: Path, writer: Writer, mapping: Mapping[str, str]) -> Any:
    """Write the wire's word for a value.

    Raises:
        UnsupportedValueError: The wire has no such value.
    """
    if value is None:
        return ABSENT
    for wire_value, meaning in mapping.items():
        if meaning == value:
            return wire_value
    raise UnsupportedValueError("the API has no such value")


def read_text_empty_as_none(value: Any, at: Path, reader: Reader) -> str | None:
    """Read a text. An empty one becomes None.

    Raises:
        ConversionError: The value is neither a string nor null.
    """
    if value is None or value is ABSENT:
        return None
    if type(value) is not str:
        raise wrong_type(at, "a string", value)
    return value or None


def write_text_empty_as_none(text: str | None, at: Path, writer: Writer) -> str:
    """Write a text. None becomes an empty text."""
    return text or ""


_PLAIN = {"type": "ephemeral"}


def read_cache_control(value: Any, at: Path, reader: Reader) -> bool | None:
    """Read whether an object asks for caching."""
    return True if type(value) is dict else None


def write_cache_control(cache: bool | None, at: Path, writer: Writer) -> Any:
    """Write the object that asks for caching."""
    return dict(_PLAIN) if cache else ABSENT


def read_effort(value: Any, at: Path, reader: Reader) -> Reasoning | None:
    """Read the reasoning effort.

    Raises:
        ConversionError: The value is neither a string nor null.
    """
    if value is None or value is ABSENT:
        return None
    if type(value) is not str:
        raise wrong_type(at, "a string", value)
    return Reasoning(effort=value)


def write_effort(reasoning: Reasoning | None, at: Path, writer: Writer) -> Any:
    """Write the reasoning effort. A number of tokens is unsupported."""
    if reasoning is None:
        return ABSENT
    if reasoning.budget_tokens is not None:
        writer.report_unsupported((at, "budgetTokens"), "budgetTokens", "warning")
    return ABSENT if reasoning.effort is None else reasoning.effort


def read_tool_schema(value: Any, at: Path, reader: Reader, strict: bool | None = None) -> dict[str, Any] | None:
    """Read the schema of a tool.

    Raises:
        ConversionError: The value is neither an object nor null.
    """
    if value is None or value is ABSENT:
        return None
    if type(value) is not dict:
        raise wrong_type(at, "an object", value)
    return value


def write_tool_schema(parameters: dict[str, Any] | None, at: Path, writer: Writer, strict: bool | None = None) -> Any:
    """Write the schema of a tool in the wire's dialect, and report what the dialect expresses differently."""
    return ABSENT if parameters is None else writer.lower_schema(parameters, strict, at)


def write_schema_or_empty(
    parameters: dict[str, Any] | None, at: Path, writer: Writer, strict: bool | None = None
) -> dict[str, Any]:
    """Write the schema of a tool. A tool without parameters gets an object without properties."""
    if parameters is not None:
        return writer.lower_schema(parameters, strict, at)
    if not writer.is_declared_tool:
        writer.report_loss(at, "parameters", "defaulted", "the API requires a schema")
    return {"type": "object", "properties": {}}


def read_output_schema(value: Any, at: Path, reader: Reader, strict: bool | None = True) -> dict[str, Any]:
    """Read an output schema.

    Raises:
        ConversionError: The value is not an object.
    """
    if type(value) is not dict:
        raise wrong_type(at, "an object", None if value is ABSENT else value)
    return value


def write_output_schema(schema: dict[str, Any], at: Path, writer: Writer, strict: bool | None = True) -> Any:
    """Write an output schema. If the API enforces it (`strict`), it is lowered like that of a strict tool."""
    return writer.lower_schema(schema, True, at) if strict is True else schema


read_schema_or_empty = read_tool_schema
