"""Where a file's content comes from: an address in `file_url`, or base64 in `file_data`.

`file_data` is a `data:` address, or base64 alone, of which the media type is not known.
"""

from __future__ import annotations

from typing import Any

from ..errors import wrong_type
from ..paths import Path
from ..reader import Reader
from ..residue import Residue
from ..unsayable import UnsayableError
from ..writer import Writer
from . import data_url

__all__ = ["read", "write"]


def read(part: dict[str, Any], at: Path, reader: Reader) -> tuple[str | None, str | None, str | None, Residue]:
    """Read url, data and media type.

    Raises:
        ConversionError: one of them is no text.
    """
    for key in ("file_data", "file_url"):
        if part.get(key) is not None and type(part[key]) is not str:
            raise wrong_type((at, key), "a string", part[key])
    text, url = part.get("file_data"), part.get("file_url")
    if text is None:
        return url, None, None, {}
    if text[:5] != "data:":
        return url, text, None, {}
    found, data, media_type, _ = data_url.read(text, (at, "file_data"), reader)
    if found is not None:  # a `data:` address without base64
        return None, None, None, {"file_data": text} | ({} if url is None else {"file_url": url})
    return url, data, media_type, {}


def write(
    url: str | None, data: str | None, media_type: str | None, own: Residue, at: Path, writer: Writer
) -> dict[str, Any]:
    """Write the content.

    Raises:
        UnsayableError: there is neither an address nor data.
    """
    if url is not None and url[:5] == "data:":
        if data is not None:
            raise UnsayableError("there are two contents")
        return {"file_data": url}
    written: dict[str, Any] = {}
    if data is not None:
        written["file_data"] = data if media_type is None else f"data:{media_type};base64,{data}"
    if url is not None:
        written["file_url"] = url
        if data is None and media_type is not None:
            writer.no_place((at[0], "mediaType"), "mediaType")
    if not written and "file_data" not in own:
        raise UnsayableError("there is neither an address nor data")
    return written
