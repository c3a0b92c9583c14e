"""Field readers and writers that only Bedrock needs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...conversion.extras import ABSENT, UnsupportedValueError, is_internal_mark
from ...conversion.fields import default_media_type, read_data_url
from ...conversion.reader import Reader
from ...conversion.writer import Writer
from ...errors import ConversionError, wrong_type
from ...json_text import compact, loads
from ...models import AssistantMessage, DocumentPart, Message, ToolMessage, UserMessage
from ...paths import Path, format_path

__all__ = [
    "read_block_source",
    "read_document_name",
    "read_schema_text",
    "read_text_unless_empty",
    "write_block_source",
    "write_document_name",
    "write_schema_text",
    "write_text_unless_empty",
]

Formats = Mapping[str, Sequence[str]]


def read_block_source(
    block: dict[str, Any], at: Path, reader: Reader, formats: Formats
) -> tuple[str | None, str | None, str | None]:
    """Read url, data and media type.

    Raises:
        ConversionError: The format is not a string, or the source is not an object.
    """
    kind, source = block.get("format"), block.get("source")
    if kind is not None and type(kind) is not str:
        raise wrong_type((at, "format"), "a string", kind)
    if type(source) is not dict:
        raise wrong_type((at, "source"), "an object", source)
    url, data = _content(source, (at, "source"))
    if kind is None:
        return url, data, "text/plain" if "text" in source else None
    return url, data, formats[kind][0] if kind in formats else None


def write_block_source(
    url: str | None,
    data: str | None,
    media_type: str | None,
    at: Path,
    writer: Writer,
    formats: Formats,
) -> dict[str, Any]:
    """Write format and source.

    Raises:
        UnsupportedValueError: The API does not support the media type or the URL, or the part has neither a URL nor
            data.
    """
    if url is not None and url[:5] == "data:":
        url, data, known = read_data_url(url, at, Reader(writer.wire))
        media_type = known or media_type
    if data is None and url is None:
        raise UnsupportedValueError("it has neither a URL nor data")
    if data is None and url is not None and url[:5] != "s3://":
        raise UnsupportedValueError("only URLs in S3 are supported")
    source = {"s3Location": {"uri": url}} if data is None else {"bytes": data}
    if media_type is None and data is not None:
        media_type = default_media_type(data, at, writer, [name for names in formats.values() for name in names])
    if media_type is None:
        kind = _ending(url, formats)
        writer.report_loss(
            (at[0], "mediaType"),
            "mediaType",
            "defaulted",
            f"the API requires a format, so it is set to {formats[kind][0]}",
        )
        return {"format": kind, "source": source}
    for kind, types in formats.items():
        if media_type in types:
            if media_type != types[0]:
                writer.report_loss((at[0], "mediaType"), "mediaType", "rewritten", f"the API calls it {types[0]}")
            return {"format": kind, "source": source}
    raise UnsupportedValueError(f"{media_type} is not supported")


def _content(source: dict[str, Any], at: Path) -> tuple[str | None, str | None]:
    """Return url and data; both are None for a source of another kind."""
    location = source.get("s3Location")
    for key, value in (("bytes", source.get("bytes")), ("text", source.get("text"))):
        if value is not None and type(value) is not str:
            raise wrong_type((at, key), "a string", value)
    if source.get("bytes") is not None:
        return None, source["bytes"]
    if type(location) is dict and type(location.get("uri")) is str:
        return location["uri"], None
    if source.get("text") is not None:
        import base64  # late: few conversions need it

        try:
            return None, base64.b64encode(source["text"].encode()).decode()
        except UnicodeEncodeError:  # half of a surrogate pair, which cannot be encoded as bytes
            return None, None
    return None, None


def _ending(url: str | None, formats: Formats) -> str:
    """Return the format that the URL's extension names, else the first format."""
    ending = (url or "").rpartition(".")[2].lower()
    return ending if ending in formats else next(iter(formats))


_LEGAL = re.compile(r"[a-zA-Z0-9_()\[\]-]+( [a-zA-Z0-9_()\[\]-]+)*")
_LENGTH = 200


def read_document_name(value: Any, at: Path, reader: Reader) -> tuple[str | None, Any]:
    """Read the document name. A name that would be written differently is kept as an extra, as the API accepted it.

    Raises:
        ConversionError: The value is neither a string nor null.
    """
    if value is None or value is ABSENT:
        return None, {"$absent": True} if value is ABSENT else None
    if type(value) is not str:
        raise wrong_type(at, "a string", value)
    if reader.document_names is None:
        reader.document_names = set()
    known = value in reader.document_names
    reader.document_names.add(value)
    return value, ABSENT if _is_legal(value) and not known else value


def write_document_name(name: str | None, extra: Any, at: Path, writer: Writer) -> Any:
    """Write the name without illegal characters, and with a number if another document of the request has it.

    A missing name is made from the path of the document.
    """
    if name is None:
        if extra is None or is_internal_mark(extra):
            return ABSENT
        made = "document " + "-".join(re.findall(r"\d+", format_path(at)))
        writer.report_loss(at, "name", "defaulted", "a document needs a name")
        return _unused_name(made.rstrip(), writer)
    legal = _is_legal(name)
    if name == extra or (legal and _is_first_use(name, writer)):
        return name
    reason = "another document has it" if legal else "the API rejects some of its characters"
    writer.report_loss(at, "name", "rewritten", reason)
    legal_name = name if legal else re.sub(r"[^a-zA-Z0-9_()\[\]-]+", "-", name)[:_LENGTH].strip("-")
    return _unused_name(legal_name, writer) if legal_name else write_document_name(None, ABSENT, at, writer)


def _is_legal(name: str) -> bool:
    return len(name) <= _LENGTH and _LEGAL.fullmatch(name) is not None


def _is_first_use(name: str, writer: Writer) -> bool:
    """Return whether no document before this one has the name, and note that this one has it."""
    counts = _name_counts(writer)
    count = counts.get(name, 0)
    counts[name] = count or 1
    return not count


def _unused_name(name: str, writer: Writer) -> str:
    """Return a name that no document of the request has: this one, or one with a number."""
    counts = _name_counts(writer)
    count = counts.get(name)
    if count is None:
        counts[name] = 1
        return name
    legal_name, number = name, max(count, 1)
    while legal_name in counts:
        number += 1
        legal_name = f"{name[: _LENGTH - len(str(number)) - 1]}-{number}"
    if count:
        counts[name] = number
    counts[legal_name] = 1
    return legal_name


def _name_counts(writer: Writer) -> dict[str, int]:
    """Return how often each name was written. Legal names of later documents are there, with 0, so that they are kept."""
    if writer.name_counts is None:
        documents = [part for message in writer.messages for part in _parts(message) if type(part) is DocumentPart]
        names = [part.name for part in documents if part.name is not None]
        writer.name_counts = dict.fromkeys(filter(_is_legal, names), 0)
    return writer.name_counts


def _parts(message: Message) -> list[Any]:
    """Return the parts of a message, or of its results."""
    if type(message) is ToolMessage:
        return [part for result in message.results if type(result.value) is list for part in result.value]
    content = message.content if type(message) is UserMessage or type(message) is AssistantMessage else None
    return content if type(content) is list else []


def read_schema_text(value: Any, at: Path, reader: Reader) -> dict[str, Any]:
    """Read the schema.

    Raises:
        ConversionError: The value is not a string, or not the JSON text of an object.
    """
    if type(value) is not str:
        raise wrong_type(at, "a string", None if value is ABSENT else value)
    try:
        schema = loads(value)
    except ValueError as error:
        raise ConversionError(format_path(at), "must be JSON") from error
    if type(schema) is not dict:
        raise wrong_type(at, "the JSON text of an object", schema)
    return schema


def write_schema_text(schema: dict[str, Any], at: Path, writer: Writer) -> str:
    """Write the schema, lowered like that of a strict tool, as JSON text.

    Raises:
        ConversionError: The value cannot be written as JSON.
    """
    try:
        return compact(writer.lower_schema(schema, True, at))
    except (TypeError, ValueError, RecursionError) as error:
        raise ConversionError(format_path(at), f"cannot be written as JSON: {type(error).__name__}") from error


def read_text_unless_empty(value: Any, at: Path, reader: Reader) -> str | None:
    """Read the text.

    Raises:
        ConversionError: The value is neither a string nor null.
    """
    if value is None or value is ABSENT:
        return None
    if type(value) is not str:
        raise wrong_type(at, "a string", value)
    return value


def write_text_unless_empty(text: str | None, at: Path, writer: Writer) -> Any:
    """Write the text, unless it is empty."""
    if text:
        return text
    if text is not None:
        writer.report_loss(at, "empty text", "dropped", "the API rejects it")
    return ABSENT
