"""Fields that only Gemini has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...conversion.extras import ABSENT, Extras, UnsupportedValueError, extra_members, inner_extras
from ...conversion.reader import Reader
from ...conversion.writer import Writer
from ...errors import ConversionError, wrong_type
from ...fields.values import read_data_url, read_words
from ...paths import Path, format_path

__all__ = [
    "read_answered_id",
    "read_known_word",
    "read_media_content",
    "tokens_of",
    "with_tokens",
    "write_answered_id",
    "write_known_word",
    "write_media_content",
]


def read_answered_id(value: Any, at: Path, reader: Reader, name: str) -> tuple[str, Any]:
    """Read the id; without one, or with one that no call has, the result is that of the next call of this tool.

    Raises:
        ConversionError: The value is neither a string nor null.
    """
    if value is not None and value is not ABSENT and type(value) is not str:
        raise wrong_type(at, "a string", value)
    if value:
        identifier, called = reader.call_of(value)
        if called:
            reader.note_answered(identifier)
            return identifier, ABSENT if identifier == value else {"$synthetic": identifier, "$wire": value}
    identifier = reader.next_open_id(name) or value or name
    if identifier == value:
        return identifier, ABSENT
    return identifier, {"$synthetic": identifier, "$wire": value} if type(value) is str else {"$synthetic": identifier}


def write_answered_id(identifier: str, kept: Any, at: Path, writer: Writer, name: str) -> Any:
    """Write the id as it stands with the call; none where the call has none.

    Raises:
        ConversionError: The name of the tool is missing, but the wire requires it.
    """
    if not name:
        raise ConversionError(format_path((at[0], "name")), f"{writer.wire.title} requires the name of the tool")
    if type(kept) is dict and kept.get("$synthetic") == identifier:
        return kept["$wire"] if type(kept.get("$wire")) is str else ABSENT
    return ABSENT if writer.is_left_out(identifier) else writer.call_id(identifier)


def read_known_word(value: Any, at: Path, reader: Reader, table: Mapping[str, str]) -> tuple[str | None, Any]:
    """Read a word; one that the table lacks is kept as it is.

    Raises:
        ConversionError: The value is neither a string nor null.
    """
    if type(value) is str and value.upper() in table:
        return table[value.upper()], ABSENT if value.isupper() else value
    return read_words(value, at, reader, table)


def write_known_word(word: str | None, kept: Any, at: Path, writer: Writer, table: Mapping[str, str]) -> Any:
    """Write a word, in the case in which it came."""
    if word is None:
        return kept
    if type(kept) is str and table.get(kept.upper()) == word:
        return kept
    for spelling, meaning in table.items():
        if meaning == word:
            return spelling
    writer.report_unsupported(at, at[1], "warning")
    return ABSENT


_KEYS = {"inlineData": "data", "fileData": "fileUri"}
_KNOWN = {key: frozenset([value, "displayName", "mimeType"]) for key, value in _KEYS.items()}
_PLAIN = str.maketrans("-_", "+/")
_URLSAFE = str.maketrans("+/", "-_")


def read_media_content(
    part: dict[str, Any], at: Path, reader: Reader, table: Mapping[str, str]
) -> tuple[str | None, str | None, str | None, str | None, Extras]:
    """Read url, data, media type and name.

    Raises:
        ConversionError: One of them is not a string.
    """
    key = "inlineData" if "inlineData" in part else "fileData"
    content = part[key]
    found: list[str | None] = []
    for name in (_KEYS[key], "mimeType", "displayName"):
        value = content.get(name)
        if value is not None and type(value) is not str:
            raise wrong_type(((at, key), name), "a string", value)
        found.append(value)
    rest = extra_members(content, _KNOWN[key])
    if found[1] is None:
        rest["$absent"] = ["mimeType"]
    text = found[0]
    if key == "inlineData" and text is not None and ("-" in text or "_" in text) and not ("+" in text or "/" in text):
        found[0] = text.translate(_PLAIN)
        rest["$urlsafe"] = True
    url, data = (None, found[0]) if key == "inlineData" else (found[0], None)
    return url, data, found[1], found[2], {key: rest} if rest else {}


def write_media_content(
    url: str | None,
    data: str | None,
    media_type: str | None,
    name: str | None,
    own: Extras,
    at: Path,
    writer: Writer,
    table: Mapping[str, str],
) -> dict[str, Any]:
    """Write the content. `table` has the media type to name where none is known.

    Raises:
        UnsupportedValueError: The part has neither a URL nor data.
    """
    if url is not None and url[:5] == "data:":
        url, data, known, _ = read_data_url(url, at, Reader(writer.wire))
        media_type = known or media_type
    if data is None and url is None:
        raise UnsupportedValueError("it has neither a URL nor data")
    key = "inlineData" if data is not None else "fileData"
    if data is not None and "$urlsafe" in inner_extras(own, key):
        data = data.translate(_URLSAFE)
    content: dict[str, Any] = {_KEYS[key]: url if data is None else data}
    if media_type is None and "$absent" not in inner_extras(own, key):
        media_type = table["mediaType"]
        writer.report_loss(
            (at[0], "mediaType"),
            "mediaType",
            "defaulted",
            "note",
            f"the API requires a media type, so it is set to {media_type}",
        )
    if media_type is not None:
        content["mimeType"] = media_type
    if name is not None:
        content["displayName"] = name
    return {key: content}


def tokens_of(details: Any, modality: str) -> int | None:
    """The tokens of one modality in a list of `{modality, tokenCount}`; None where it is not there."""
    if type(details) is not list:
        return None
    counts = [d.get("tokenCount") for d in details if type(d) is dict and d.get("modality") == modality]
    return sum(c for c in counts if type(c) is int) if counts else None


def with_tokens(details: Any, modality: str, tokens: int | None) -> Any:
    """The list with another count for a modality; the list as it is where the count is the same."""
    if tokens == tokens_of(details, modality):
        return details
    others = (
        [d for d in details if not (type(d) is dict and d.get("modality") == modality)] if type(details) is list else []
    )
    return others + ([] if tokens is None else [{"modality": modality, "tokenCount": tokens}])
