"""Field readers and writers of Chat Completions and related APIs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...conversion.extras import ABSENT, Extras, UnsupportedValueError, unmapped_members
from ...conversion.fields import (
    media_type_of,
    read_data_url,
    read_enum_value,
    read_nullable_text,
    read_number_within,
    read_string_or_list,
    write_data_url,
    write_enum_value,
    write_strings_at_most,
)
from ...conversion.reader import Reader
from ...conversion.writer import Writer
from ...errors import wrong_type
from ...models import Reasoning
from ...paths import Path

__all__ = [
    "extras_of_choice",
    "has_content",
    "join_response_texts",
    "read_audio_format",
    "read_file_name",
    "read_inline_audio",
    "read_inline_data",
    "read_number_without_reasoning",
    "read_stop_sequences",
    "restore_missing_message",
    "write_audio_format",
    "write_file_name",
    "write_inline_audio",
    "write_inline_data",
    "write_number_without_reasoning",
    "write_stop_sequences",
]


def write_inline_data(url: str | None, data: str | None, media_type: str | None, at: Path, writer: Writer) -> str:
    """Write the data URL.

    Raises:
        UnsupportedValueError: The content is not inline.
    """
    if data is None and (url is None or url[:5] != "data:"):
        raise UnsupportedValueError("only inline data is supported")
    return write_data_url(url, data, media_type, at, writer)


def read_inline_data(value: Any, at: Path, reader: Reader) -> tuple[str | None, str | None, str | None]:
    """Read the data URL. A text that is no URL is base64 without a media type.

    Raises:
        ConversionError: The value is not a string.
    """
    url, data, media_type = read_data_url(value, at, reader)
    if url is None or ":" in url:
        return url, data, media_type
    return None, url, None


def read_inline_audio(value: Any, at: Path, reader: Reader) -> tuple[None, str]:
    """Read the data of a recording, which has no URL.

    Raises:
        ConversionError: The value is not a string.
    """
    if type(value) is not str:
        raise wrong_type(at, "a string", None if value is ABSENT else value)
    return None, value


def write_inline_audio(url: str | None, data: str | None, at: Path, writer: Writer) -> str:
    """Write the data of a recording, or that of its `data:` URL.

    Raises:
        UnsupportedValueError: The content is not inline.
    """
    if data is not None and url is not None:
        writer.report_unsupported((at[0], "url"), "url")
    recording = data if data is not None or url is None else read_data_url(url, at, Reader(writer.wire))[1]
    if recording is None:
        raise UnsupportedValueError("only inline data is supported")
    return recording


def read_audio_format(
    value: Any, at: Path, reader: Reader, url: str | None, data: str | None, mapping: Mapping[str, str]
) -> str | None:
    """Read the format of a recording as its media type.

    Raises:
        ConversionError: The value is neither a string nor null.
    """
    return read_enum_value(value, at, reader, mapping)


def write_audio_format(
    media_type: str | None,
    at: Path,
    writer: Writer,
    url: str | None,
    data: str | None,
    mapping: Mapping[str, str],
) -> Any:
    """Write the format of a recording.

    If the API has no word for the media type, its last part (`audio/x-wav`) or the first bytes of the data decide.

    Raises:
        UnsupportedValueError: The API does not support the format.
    """
    if data is None and url is not None:
        _, data, media_type = read_data_url(url, at, Reader(writer.wire))
    if media_type is None:
        media_type = media_type_of(data or "") or "audio/mpeg"
        writer.report_loss(at, "mediaType", "defaulted", f"the API requires it, so it is set to {media_type}")
    if media_type is not None and media_type not in mapping.values():
        word = media_type.rpartition("/")[2].removeprefix("x-")
        supported_type = mapping[word] if word in mapping else media_type_of(data or "")
        if supported_type in mapping.values():
            writer.report_loss(at, "mediaType", "rewritten", f"the API has it as {supported_type}")
            media_type = supported_type
    return write_enum_value(media_type, at, writer, mapping)


read_file_name = read_nullable_text


def write_file_name(name: str | None, at: Path, writer: Writer) -> Any:
    """Write the name of a file. A missing name gets a default, because the API rejects data without a name."""
    if name is not None:
        return name
    writer.report_loss(at, "name", "defaulted", "a file needs a name")
    return "document"


def read_stop_sequences(
    value: Any, at: Path, reader: Reader, reasoning: Reasoning | None, table: Mapping[str, Any]
) -> list[str] | None:
    """Read the stop sequences.

    Raises:
        ConversionError: The value is neither a string, nor a list of strings, nor null.
    """
    return read_string_or_list(value, at, reader)


def write_stop_sequences(
    texts: list[str] | None, at: Path, writer: Writer, reasoning: Reasoning | None, table: Mapping[str, Any]
) -> Any:
    """Write the stop sequences, at most as many as the table has under `most`.

    They are left out if the request has an effort and `beside_reasoning` is false in the table.
    """
    if texts and reasoning is not None and not table.get("beside_reasoning", True):
        return _drop_beside_reasoning(at, writer)
    return write_strings_at_most(texts, at, writer, table)


def read_number_without_reasoning(value: Any, at: Path, reader: Reader, reasoning: Reasoning | None) -> Any:
    """Read a number.

    Raises:
        ConversionError: The value is neither a number nor null.
    """
    return read_number_within(value, at, reader, {})


def write_number_without_reasoning(value: float | None, at: Path, writer: Writer, reasoning: Reasoning | None) -> Any:
    """Write a number. It is left out if the request has an effort; 0 is no penalty, and no loss."""
    if value is None:
        return ABSENT
    if reasoning is None:
        return value
    if value:
        return _drop_beside_reasoning(at, writer)
    writer.report_default(at, str(at[1]), "it has no effect")
    return ABSENT


def _drop_beside_reasoning(at: Path, writer: Writer) -> Any:
    writer.report_loss(at, at[1], "dropped", f"{writer.wire.title} rejects it for models that reason", "warning")
    return ABSENT


def restore_missing_message(choice: dict[str, Any], extras: Extras) -> dict[str, Any]:
    """Return a choice without its message, or with null, if it was read so and the message is still empty."""
    if any(choice["message"][key] for key in choice["message"] if key != "role"):
        return choice
    if "message" in extras.get("$absent", ()):
        return {key: value for key, value in choice.items() if key != "message"}
    return {**choice, "message": None} if extras.get("message", ABSENT) is None else choice


def has_content(wire: dict[str, Any], blank_counts: bool) -> bool:
    """Return whether an assistant message has content or other values. Blank text counts only if `blank_counts` is set."""
    content = wire.get("content")
    if type(content) is str:
        content = blank_counts or content.strip()
    return bool(content) or any(wire[key] for key in wire.keys() - _SILENT)


_SILENT = frozenset(["content", "id", "index", "name", "parsed", "provider_specific_fields", "role"])
"""The content, and keys that say nothing: servers add some to messages."""

_CHOICE = frozenset(["finish_reason", "message"])


def extras_of_choice(choice: dict[str, Any], message: Extras) -> Extras:
    """Return the extras of a choice, with those of its message that the message itself does not keep."""
    extras = unmapped_members(choice, _CHOICE)
    absent = [key for key in ("finish_reason", "index", "message") if key not in choice]
    if absent:
        extras["$absent"] = absent
    if choice.get("finish_reason") == "":
        extras["finish_reason"] = ""
    if message:
        extras["message"] = message
    return extras


def join_response_texts(parts: list[Any], at: Path, writer: Writer) -> list[Any]:
    """Return the content of a response as one text if it has only texts, because clients expect a string."""
    contents = [part.get("text") if type(part) is dict and part.keys() == {"type", "text"} else part for part in parts]
    texts = [text for text in contents if type(text) is str]
    if len(texts) < 2 or len(texts) < len(parts):
        return parts
    writer.report_loss(at, "content", "rewritten", "clients expect one text, so the texts were joined")
    return ["".join(texts)]
