"""Readers and writers of single values, and of schemas, that several wires express in the same way."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, TypeAlias

from .conversion.extras import ABSENT, UnsupportedValueError, is_internal_mark
from .conversion.reader import Reader
from .conversion.writer import Writer
from .errors import wrong_type
from .json_values import same_json
from .models import Reasoning
from .paths import Path

__all__ = [
    "default_media_type",
    "media_type_of",
    "read_cache_control",
    "read_data_url",
    "read_effort",
    "read_enum_value",
    "read_non_strict_schema",
    "read_nullable_schema",
    "read_number_within",
    "read_output_schema",
    "read_schema_keeping_original",
    "read_schema_or_empty",
    "read_string_or_list",
    "read_strings_at_most",
    "read_text_empty_as_none",
    "write_cache_control",
    "write_data_url",
    "write_effort",
    "write_enum_value",
    "write_non_strict_schema",
    "write_nullable_schema",
    "write_number_within",
    "write_output_schema",
    "write_schema_keeping_original",
    "write_schema_or_empty",
    "write_string_or_list",
    "write_strings_at_most",
    "write_text_empty_as_none",
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


def read_string_or_list(value: Any, at: Path, reader: Reader) -> tuple[list[str] | None, Any]:
    """Read a list of texts. A single text becomes a list, and is also kept as an extra.

    Raises:
        ConversionError: The value is neither a string, nor a list of strings, nor null.
    """
    if value is None or value is ABSENT:
        return None, ABSENT
    if type(value) is str:
        return [value], {"$single": value}
    if type(value) is not list:
        raise wrong_type(at, "a string or an array", value)
    for i, text in enumerate(value):
        if type(text) is not str:
            raise wrong_type((at, i), "a string", text)
    return value, ABSENT if value and all(value) else {"$whole": value}


def write_string_or_list(texts: list[str] | None, extra: Any, at: Path, writer: Writer) -> Any:
    """Write a list of texts. A single text that was read as a string is written as one, empty texts only if read."""
    if texts is None:
        return ABSENT
    kept = extra if type(extra) is dict else {"$single": extra}
    if texts == [kept.get("$single")] or texts == kept.get("$whole"):
        return kept.get("$single", texts)
    sent = [text for text in texts if text]
    if not sent or len(sent) < len(texts):
        writer.report_loss(at, at[1], "narrowed" if sent else "dropped", "some APIs reject empty lists and texts")
    return sent or ABSENT


def read_number_within(value: Any, at: Path, reader: Reader, limits: Limits) -> tuple[Any, Any]:
    """Read a number, or an integer if the limits say so. One outside the limits is also kept as an extra.

    Raises:
        ConversionError: The value is neither such a number nor null.
    """
    if value is None or value is ABSENT:
        return None, ABSENT
    if type(value) is not int and (type(value) is not float or "integer" in limits):
        raise wrong_type(at, "an integer" if "integer" in limits else "a number", value)
    return value, ABSENT if _nearest(value, limits) is value else {"$whole": value}


def write_number_within(value: float | None, extra: Any, at: Path, writer: Writer, limits: Limits) -> Any:
    """Write a number. One outside the limits becomes the nearest inside, unless it was read like that."""
    nearest = None if value is None else _nearest(value, limits)
    if value is None or nearest is value or (type(extra) is dict and extra.get("$whole") == value):
        return ABSENT if value is None else value
    side = "most" if nearest == limits.get("most") else "least"
    writer.report_loss(at, at[1], "narrowed", f"{writer.wire.title} accepts at {side} {nearest}", "warning")
    return nearest


def _nearest(value: float, limits: Limits) -> float:
    return max(min(value, limits.get("most", value)), limits.get("least", value))


def read_strings_at_most(value: Any, at: Path, reader: Reader, limits: Limits) -> tuple[list[str] | None, Any]:
    """Read a list of texts like `read_string_or_list`. One above the limit is also kept as an extra.

    Raises:
        ConversionError: The value is neither a string, nor a list of strings, nor null.
    """
    texts, extra = read_string_or_list(value, at, reader)
    return texts, {"$whole": texts} if texts is not None and len(texts) > limits["most"] else extra


def write_strings_at_most(texts: list[str] | None, extra: Any, at: Path, writer: Writer, limits: Limits) -> Any:
    """Write a list of texts. Those above the limit are left out, unless they were read like that."""
    most = limits["most"]
    if texts is not None and len(texts) > most and not (type(extra) is dict and extra.get("$whole") == texts):
        writer.report_loss(at, at[1], "narrowed", f"{writer.wire.title} accepts at most {most}", "warning")
        texts = texts[:most]
    return write_string_or_list(texts, extra, at, writer)


def read_enum_value(value: Any, at: Path, reader: Reader, mapping: Mapping[str, str]) -> tuple[str | None, Any]:
    """Read a value with a table of its meanings. A value that is not in the table becomes the extra.

    Raises:
        ConversionError: The value is neither a string nor null.
    """
    if value is None or value is ABSENT:
        return None, ABSENT
    if type(value) is not str:
        raise wrong_type(at, "a string", value)
    meaning = mapping.get(value)
    return meaning, value if meaning is None else ABSENT


def write_enum_value(value: str | None, extra: Any, at: Path, writer: Writer, mapping: Mapping[str, str]) -> Any:
    """Write the wire's word for a value.

    Raises:
        UnsupportedValueError: The wire has no such value.
    """
    if value is None:
        return extra
    for wire_value, meaning in mapping.items():
        if meaning == value:
            return wire_value
    raise UnsupportedValueError("the API has no such value")


def read_text_empty_as_none(value: Any, at: Path, reader: Reader) -> tuple[str | None, Any]:
    """Read a text. An empty one becomes None. The extra records whether the key was absent.

    Raises:
        ConversionError: The value is neither a string nor null.
    """
    if value is ABSENT:
        return None, {"$absent": True}
    if value is None:
        return None, None
    if type(value) is not str:
        raise wrong_type(at, "a string", value)
    return value or None, ABSENT


def write_text_empty_as_none(text: str | None, extra: Any, at: Path, writer: Writer) -> Any:
    """Write a text. None becomes an empty text, unless it was read as null or as an absent key."""
    if text is not None:
        return text
    return ABSENT if extra is None or is_internal_mark(extra) else ""


_PLAIN = {"type": "ephemeral"}


def read_cache_control(value: Any, at: Path, reader: Reader) -> tuple[bool | None, Any]:
    """Read whether an object asks for caching. If it has other keys, it becomes the extra."""
    if type(value) is not dict:
        return None, value if value is not None else ABSENT
    return True, ABSENT if value == _PLAIN else value


def write_cache_control(cache: bool | None, extra: Any, at: Path, writer: Writer) -> Any:
    """Write the object that asks for caching, as it was read."""
    if not cache:
        return ABSENT
    writer.cache_marks += 1
    return extra if type(extra) is dict else dict(_PLAIN)


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


def read_schema_keeping_original(
    value: Any, at: Path, reader: Reader, strict: bool | None = None
) -> tuple[dict[str, Any] | None, Any]:
    """Read the schema of a tool. It is also the extra if lowering would change or refuse it: the API accepted it.

    Raises:
        ConversionError: The value is neither an object nor null.
    """
    if value is None or value is ABSENT:
        return None, ABSENT
    if type(value) is not dict:
        raise wrong_type(at, "an object", value)
    lowered = reader.wire.schema_lowering.lower(value, strict)
    plain = same_json(lowered.schema, value) and lowered.encoding_table is None and not lowered.unsupported_changes
    return value, ABSENT if plain else value


def write_schema_keeping_original(
    parameters: dict[str, Any] | None, extra: Any, at: Path, writer: Writer, strict: bool | None = None
) -> Any:
    """Write the schema of a tool in the wire's dialect, and report what the dialect expresses differently."""
    if parameters is None:
        return ABSENT
    if type(extra) is dict and same_json(extra, parameters):
        return parameters
    return writer.lower_schema(parameters, strict, at)


def write_schema_or_empty(
    parameters: dict[str, Any] | None, extra: Any, at: Path, writer: Writer, strict: bool | None
) -> Any:
    """Write the schema of a tool. A tool without parameters gets an object without properties."""
    written = write_schema_keeping_original(parameters, extra, at, writer, strict)
    return _schema_without_properties(at, writer) if written is ABSENT else written


def _schema_without_properties(at: Path, writer: Writer) -> dict[str, Any]:
    """Return the schema of a tool without parameters, and report it, unless the tool is a declared one."""
    if not writer.is_declared_tool:
        writer.report_loss(at, "parameters", "defaulted", "the API requires a schema")
    return {"type": "object", "properties": {}}


def read_output_schema(value: Any, at: Path, reader: Reader, strict: bool | None = True) -> tuple[dict[str, Any], Any]:
    """Read an output schema. It is also the extra if it would be lowered and that would change it: the API accepted it.

    Raises:
        ConversionError: The value is not an object.
    """
    if type(value) is not dict:
        raise wrong_type(at, "an object", None if value is ABSENT else value)
    return value, read_schema_keeping_original(value, at, reader, True)[1] if strict is True else ABSENT


def write_output_schema(
    schema: dict[str, Any], extra: Any, at: Path, writer: Writer, strict: bool | None = True
) -> Any:
    """Write an output schema. If the API enforces it (`strict`), it is lowered like that of a strict tool."""
    return write_schema_keeping_original(schema, extra, at, writer, True) if strict is True else schema


def read_non_strict_schema(value: Any, at: Path, reader: Reader) -> tuple[dict[str, Any] | None, Any]:
    """Read the schema of a tool. The extra records its absence.

    Raises:
        ConversionError: The value is neither an object nor null.
    """
    if value is ABSENT:
        return None, {"$absent": True}
    return read_schema_keeping_original(value, at, reader, None)


def write_non_strict_schema(parameters: dict[str, Any] | None, extra: Any, at: Path, writer: Writer) -> Any:
    """Write the schema of a tool. If it has none, write an object without properties, or nothing if none was read."""
    if parameters is not None:
        return write_schema_keeping_original(parameters, extra, at, writer, None)
    return ABSENT if extra is None or is_internal_mark(extra) else _schema_without_properties(at, writer)


def read_nullable_schema(
    value: Any, at: Path, reader: Reader, strict: bool | None = None
) -> tuple[dict[str, Any] | None, Any]:
    """Read the schema of a tool. The extra records that it was absent or null.

    Raises:
        ConversionError: The value is neither an object nor null.
    """
    if value is None or value is ABSENT:
        return None, {"$absent": True} if value is ABSENT else None
    return read_schema_keeping_original(value, at, reader, strict)


def write_nullable_schema(
    parameters: dict[str, Any] | None,
    extra: Any,
    at: Path,
    writer: Writer,
    strict: bool | None = None,
) -> Any:
    """Write the schema of a tool. If it has none, write an object without properties, or what was read instead."""
    if parameters is not None:
        return write_schema_keeping_original(parameters, extra, at, writer, strict)
    if extra is None:
        return None
    return ABSENT if is_internal_mark(extra) else _schema_without_properties(at, writer)


read_schema_or_empty = read_schema_keeping_original
