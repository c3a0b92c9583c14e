"""Content in one text: an address, or base64 without a word of its kind."""

from __future__ import annotations

import re
from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..conversion.unsayable import UnsayableError
from ..conversion.writer import Writer
from ..paths import Path
from . import data_url

__all__ = ["read", "write"]

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def read(value: Any, at: Path, reader: Reader) -> tuple[str | None, str | None, str | None, Any]:
    """Read url, data and media type; of a `data:` address it is kept that it was one.

    Raises:
        ConversionError: the value is no text.
    """
    url, data, media_type, _ = data_url.read(value, at, reader)
    if url is None:
        return None, data, media_type, {"$whole": media_type}
    return (url, None, None, ABSENT) if _ADDRESS.match(url) else (None, url, None, ABSENT)


def write(url: str | None, data: str | None, media_type: str | None, kept: Any, at: Path, writer: Writer) -> str:
    """Write the text.

    Raises:
        UnsayableError: there is neither an address nor data.
    """
    if url is not None and url[:5] == "data:":
        return url
    if data is None and url is None:
        raise UnsayableError("there is neither an address nor data")
    if media_type is None or data is None:
        if media_type is not None:
            writer.no_place((at[0], "mediaType"), "mediaType")
        return str(url if data is None else data)
    if type(kept) is dict and kept.get("$whole") == media_type:
        return f"data:{media_type};base64,{data}"
    writer.no_place((at[0], "mediaType"), "mediaType")
    return data
