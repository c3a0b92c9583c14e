"""Field readers and writers that only Bedrock needs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...conversion.extras import ABSENT, UnsupportedValueError, extra_at
from ...conversion.fields import default_media_type, read_data_url, read_nullable_text, with_description
from ...conversion.message_order import results_of
from ...conversion.reader import Reader
from ...conversion.values import optional_text
from ...conversion.writer import Writer
from ...errors import ConversionError, wrong_type
from ...json_text import compact, loads
from ...models import AssistantMessage, DocumentPart, Message, ToolMessage, UserMessage
from ...paths import Path, format_path

__all__ = [
    "DistinctDocumentNames",
    "mark_repeated_document_names",
    "read_block_source",
    "read_described_schema_text",
    "read_document_name",
    "read_text_unless_empty",
    "write_block_source",
    "write_described_schema_text",
    "write_document_name",
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
    url, data = _url_and_data(source, (at, "source"))
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
        url, data, named_type = read_data_url(url, at, Reader(writer.wire))
        media_type = named_type or media_type
    if data is None and url is None:
        raise UnsupportedValueError("it has neither a URL nor data")
    if data is None and url is not None and url[:5] != "s3://":
        raise UnsupportedValueError("only URLs in S3 are supported")
    source = {"s3Location": {"uri": url}} if data is None else {"bytes": data}
    if media_type is None and data is not None:
        media_type = default_media_type(data, at, writer, [name for names in formats.values() for name in names])
    if media_type is None:
        kind = _format_of_url(url, formats)
        reason = f"the API requires a format, so it is set to {formats[kind][0]}"
        writer.report_loss((at[0], "mediaType"), "mediaType", "defaulted", reason)
        return {"format": kind, "source": source}
    for kind, types in formats.items():
        if media_type in types:
            if media_type != types[0]:
                writer.report_loss((at[0], "mediaType"), "mediaType", "rewritten", f"the API calls it {types[0]}")
            return {"format": kind, "source": source}
    raise UnsupportedValueError(f"{media_type} is not supported")


def _url_and_data(source: dict[str, Any], at: Path) -> tuple[str | None, str | None]:
    """Return url and data; both are None for a source of another kind.

    Raises:
        ConversionError: The bytes or the text of the source are not a string.
    """
    data, text = optional_text(source, "bytes", at), optional_text(source, "text", at)
    location = source.get("s3Location")
    if data is not None:
        return None, data
    if type(location) is dict and type(location.get("uri")) is str:
        return location["uri"], None
    return None, None if text is None else _to_base64(text)


def _to_base64(text: str) -> str | None:
    """Return a text as base64. None if half of a surrogate pair in it cannot be encoded as bytes."""
    import base64  # late: few conversions need it

    try:
        return base64.b64encode(text.encode()).decode()
    except UnicodeEncodeError:
        return None


def _format_of_url(url: str | None, formats: Formats) -> str:
    """Return the format that the URL's extension names, else the first format."""
    extension = (url or "").rpartition(".")[2].lower()
    return extension if extension in formats else next(iter(formats))


_LEGAL = re.compile(r"[a-zA-Z0-9_()\[\]-]+( [a-zA-Z0-9_()\[\]-]+)*")
_LENGTH = 200
"""The greatest length of a document name, in characters."""


read_document_name = read_nullable_text


def write_document_name(name: str | None, at: Path, writer: Writer) -> str:
    """Write the name without illegal characters. A missing name is made from the path of the document."""
    if name is not None and _is_legal(name):
        return name
    if name is not None:
        writer.report_loss(at, "name", "rewritten", _what_is_illegal(name))
    if not _legal_part(name):
        writer.report_loss(at, "name", "defaulted", "a document needs a name")
    return _legal_name(name, at)


def _is_legal(name: str) -> bool:
    return len(name) <= _LENGTH and _LEGAL.fullmatch(name) is not None


def _what_is_illegal(name: str) -> str:
    """Return the reason why a name that is not legal is rewritten."""
    if _LEGAL.fullmatch(name) is None:
        return "the API rejects some of its characters"
    return f"the API accepts at most {_LENGTH} characters"


def _legal_name(name: str | None, at: Path) -> str:
    """Return the name without what the API rejects. Without one it is made from the path of the document."""
    return _legal_part(name) or _default_name(at)


def _legal_part(name: str | None) -> str:
    """Return the name without what the API rejects. It is empty if nothing is left."""
    if name is None or _is_legal(name):
        return name or ""
    return re.sub(r"[^a-zA-Z0-9_()\[\]-]+", "-", name)[:_LENGTH].strip("-")


def _default_name(at: Path) -> str:
    return ("document " + "-".join(re.findall(r"\d+", format_path(at)))).rstrip()


def mark_repeated_document_names(messages: Iterable[Message], reader: Reader) -> None:
    """Mark the messages of a request with a document whose name another one before it has: the API accepted them."""
    names: set[str] = set()
    for message in messages:
        for part in _documents(message):
            if part.name in names:
                reader.mark_sent(message)
            elif part.name is not None:
                names.add(part.name)


class DistinctDocumentNames:
    """Gives a number to each document of a request whose name another one before it has, because the API requires it.

    Names that the API accepted stay, and so do legal names that appear first in a later message.
    """

    __slots__ = ("_uses", "_writer")

    def __init__(self, messages: Iterable[Message], writer: Writer) -> None:
        self._writer = writer
        names = (part.name for message in messages for part in _documents(message))
        self._uses = {name: 0 for name in names if name is not None and _is_legal(name)}
        """How many documents so far had a name, or a number after it."""

    def rename_in(self, message: Message, at: Path, paths: tuple[Path, ...] | None) -> Message:
        """Return a message in which the names differ from those before. `paths` are those of its results."""
        if not _documents(message):
            return message
        may_repeat = self._writer.was_sent(message)
        if not isinstance(message, ToolMessage):
            return replace(message, content=self._in_parts(message.content, (at, "content"), may_repeat=may_repeat))
        results = [
            replace(result, value=self._in_parts(result.value, (path, "value"), may_repeat=may_repeat))
            for result, path in results_of(message, at, paths)
        ]
        return replace(message, results=results)

    def _in_parts(self, parts: Any, at: Path, *, may_repeat: bool) -> Any:
        """Return a list of parts in which the documents have names that differ. Anything else stays as it is."""
        if type(parts) is not list:
            return parts
        return [
            self._distinct(part, ((at, i), "name"), may_repeat=may_repeat) if type(part) is DocumentPart else part
            for i, part in enumerate(parts)
        ]

    def _distinct(self, part: DocumentPart, at: Path, *, may_repeat: bool) -> DocumentPart:
        """Return a document with a name that no document before it has, and count the name as used.

        `at` is the path of the name. A document that `may_repeat` names keeps its own.
        """
        extra = extra_at(self._writer.peek_extras(part.metadata), "document", "name")
        if extra is not ABSENT and part.name == (extra.get("$whole") if type(extra) is dict else None):
            return part  # this is how the name came
        name = _legal_name(part.name, at)
        is_taken = self._uses.get(name, 0) > 0 if name == part.name else name in self._uses
        if not is_taken:
            self._uses[name] = 1
        if not is_taken or may_repeat:
            return part
        if name == part.name:
            self._writer.report_loss(at, "name", "rewritten", "another document has it")
        else:
            write_document_name(part.name, at, self._writer)  # reports what is different about the name
        return replace(part, name=self._with_number(name))

    def _with_number(self, name: str) -> str:
        """Return the name with the next number that makes it different from all others."""
        number, numbered_name = max(self._uses[name], 1), name
        while numbered_name in self._uses:
            number += 1
            numbered_name = f"{name[: _LENGTH - len(str(number)) - 1]}-{number}"
        if self._uses[name]:
            self._uses[name] = number
        self._uses[numbered_name] = 1
        return numbered_name


def _documents(message: Message) -> list[DocumentPart]:
    """Return the documents in a message, or in its results. System text has none."""
    parts: list[Any] = []
    if type(message) is ToolMessage:
        parts = [part for result in message.results if type(result.value) is list for part in result.value]
    elif type(message) is UserMessage or type(message) is AssistantMessage:
        parts = message.content if type(message.content) is list else []
    return [part for part in parts if type(part) is DocumentPart]


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


def read_described_schema_text(wire: dict[str, Any], at: Path, reader: Reader) -> dict[str, Any]:
    """Read the schema, and the text at the key `description` beside it as its description.

    Raises:
        ConversionError: The value is not a string, or not the JSON text of an object.
    """
    schema = read_schema_text(wire.get("schema", ABSENT), (at, "schema"), reader)
    return with_description(schema, wire.get("description"))


def write_described_schema_text(schema: dict[str, Any], at: Path, writer: Writer) -> dict[str, Any]:
    """Write the schema. Its description stays inside it.

    Raises:
        ConversionError: The value cannot be written as JSON.
    """
    return {"schema": write_schema_text(schema, at, writer)}


def write_schema_text(schema: dict[str, Any], at: Path, writer: Writer) -> str:
    """Write the schema, lowered like that of a strict tool, as JSON text.

    Raises:
        ConversionError: The value cannot be written as JSON.
    """
    try:
        return compact(writer.lower_schema(schema, True, at))
    except (TypeError, ValueError, RecursionError) as error:
        raise ConversionError(format_path(at), f"cannot be written as JSON: {type(error).__name__}") from error


read_text_unless_empty = read_nullable_text


def write_text_unless_empty(text: str | None, at: Path, writer: Writer) -> Any:
    """Write the text, unless it is empty."""
    if text:
        return text
    if text is not None:
        writer.report_loss(at, "empty text", "dropped", "the API rejects it")
    return ABSENT
