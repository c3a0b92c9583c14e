"""Where a file's content comes from: an address in `file_url`, or base64 in `file_data`, which wants a `filename`.

`file_data` is a `data:` address, or base64 alone, of which the media type is not known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import Residue
from ..conversion.unsayable import UnsayableError
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..paths import Path
from . import data_url

__all__ = ["read", "write"]


Fields = tuple[str | None, str | None, str | None, str | None, Residue]


def read(part: dict[str, Any], at: Path, reader: Reader, names: Mapping[str, str]) -> Fields:
    """Read url, data, media type and name.

    Raises:
        ConversionError: one of them is no text.
    """
    for key in ("file_data", "file_url", "filename"):
        if part.get(key) is not None and type(part[key]) is not str:
            raise wrong_type((at, key), "a string", part[key])
    text, url, name = part.get("file_data"), part.get("file_url"), part.get("filename")
    if text is None:
        return url, None, None, name, {}
    rest: Residue = {} if "filename" in part else {"$absent": ["filename"]}
    if text[:5] != "data:":
        return url, text, None, name, rest
    found, data, media_type, _ = data_url.read(text, (at, "file_data"), reader)
    if found is None:
        return url, data, media_type, name, rest
    rest["file_data"] = text  # a `data:` address of another kind
    return None, None, None, name, rest if url is None else {**rest, "file_url": url}


def write(
    url: str | None,
    data: str | None,
    media_type: str | None,
    name: str | None,
    own: Residue,
    at: Path,
    writer: Writer,
    names: Mapping[str, str],
) -> dict[str, Any]:
    """Write the content. `names` has a file's name by media type, and under `*`, for data without one.

    Raises:
        UnsayableError: there is neither an address nor data.
    """
    written: dict[str, Any] = {} if name is None else {"filename": name}
    if url is not None and url[:5] == "data:" and data is None:
        written["file_data"] = url
        media_type = data_url.read(url, at, Reader(writer.wire))[2]
    elif data is not None:
        written["file_data"] = data if media_type is None else f"data:{media_type};base64,{data}"
    if url is not None and url[:5] != "data:":
        written["file_url"] = url
        if data is None and media_type is not None:
            writer.no_place((at[0], "mediaType"), "mediaType")
    if "file_data" in written and name is None and "filename" not in own.get("$absent", ()) and "filename" not in own:
        written["filename"] = names.get(media_type or "", names["*"])
        writer.lost((at[0], "name"), "name", "defaulted", "note", f"a file must be named: {written['filename']}")
    if not written.keys() & {"file_data", "file_url"} and "file_data" not in own:
        raise UnsayableError("there is neither an address nor data")
    return written
