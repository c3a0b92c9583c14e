"""Fields that only Responses has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...conversion.extras import ABSENT, Extras, UnsupportedValueError, is_mark
from ...conversion.reader import Reader
from ...conversion.writer import Writer
from ...errors import wrong_type
from ...fields.values import read_data_url
from ...paths import Path

__all__ = ["read_always", "read_file_source", "read_said_flag", "write_always", "write_file_source", "write_said_flag"]


def read_always(value: Any, at: Path, reader: Reader, table: Mapping[str, Any]) -> tuple[Any, Any]:
    """Read the value; that it was not there, or null, is kept.

    Raises:
        ConversionError: It is of another type than what `table` has to stand for it.
    """
    if value is ABSENT:
        return None, {"$absent": True}
    if value is None:
        return None, None
    if type(value) is not type(table["value"]):
        raise wrong_type(at, "a boolean" if type(table["value"]) is bool else "a string", value)
    return value, ABSENT


def write_always(value: Any, kept: Any, at: Path, writer: Writer, table: Mapping[str, Any]) -> Any:
    """Write the value, or that of the table where there is none and it did not come so."""
    if value is not None:
        return value
    if kept is None:
        return None
    if is_mark(kept):
        return ABSENT
    default = table["value"]
    writer.report_loss(at, "an expected value", "defaulted", "note", f"the API expects it, so it is set to {default}")
    return default


Fields = tuple[str | None, str | None, str | None, str | None, Extras]


def read_file_source(part: dict[str, Any], at: Path, reader: Reader, names: Mapping[str, str]) -> Fields:
    """Read url, data, media type and name.

    Raises:
        ConversionError: One of them is not a string.
    """
    for key in ("file_data", "file_url", "filename"):
        if part.get(key) is not None and type(part[key]) is not str:
            raise wrong_type((at, key), "a string", part[key])
    text, url, name = part.get("file_data"), part.get("file_url"), part.get("filename")
    if text is None:
        return url, None, None, name, {}
    rest: Extras = {} if "filename" in part else {"$absent": ["filename"]}
    if text[:5] != "data:":
        return url, text, None, name, rest
    found, data, media_type, _ = read_data_url(text, (at, "file_data"), reader)
    if found is None:
        return url, data, media_type, name, rest
    rest["file_data"] = text  # a `data:` address of another kind
    return None, None, None, name, rest if url is None else {**rest, "file_url": url}


def write_file_source(
    url: str | None,
    data: str | None,
    media_type: str | None,
    name: str | None,
    own: Extras,
    at: Path,
    writer: Writer,
    names: Mapping[str, str],
) -> dict[str, Any]:
    """Write the content. `names` has a file's name by media type, and under `*`, for data without one.

    Raises:
        UnsupportedValueError: The part has neither a URL nor data.
    """
    written: dict[str, Any] = {} if name is None else {"filename": name}
    if url is not None and url[:5] == "data:" and data is None:
        written["file_data"] = url
        media_type = read_data_url(url, at, Reader(writer.wire))[2]
    elif data is not None:
        written["file_data"] = data if media_type is None else f"data:{media_type};base64,{data}"
    if url is not None and url[:5] != "data:":
        written["file_url"] = url
        if data is None and media_type is not None:
            writer.report_unsupported((at[0], "mediaType"), "mediaType")
    if "file_data" in written and name is None and "filename" not in own.get("$absent", ()) and "filename" not in own:
        written["filename"] = names.get(media_type or "", names["*"])
        writer.report_loss(
            (at[0], "name"),
            "name",
            "defaulted",
            "note",
            f"the API requires a file name, so it is set to {written['filename']}",
        )
    if not written.keys() & {"file_data", "file_url"} and "file_data" not in own:
        raise UnsupportedValueError("it has neither a URL nor data")
    return written


def read_said_flag(value: Any, at: Path, reader: Reader) -> tuple[bool | None, Any]:
    """Read the switch; off is what it is by default. That it was not there, or null, is kept.

    Raises:
        ConversionError: The value is neither a boolean nor null.
    """
    if value is ABSENT:
        return None, {"$absent": True}
    if value is None:
        return None, None
    if type(value) is not bool:
        raise wrong_type(at, "a boolean", value)
    return value or None, ABSENT


def write_said_flag(value: bool | None, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the switch, off where nothing is said of it and it did not come so."""
    if value is None and kept is None:
        return None
    if value is None and is_mark(kept):
        return ABSENT
    if value is False and not writer.known:
        writer.report_loss(at, at[1], "rewritten", "note", "off is the default")
    return bool(value)
