"""Content by address, or in base64 as a `data:` address."""

from __future__ import annotations

import re
from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT, UnsayableError
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..paths import Path

__all__ = ["read_data_url", "write_data_url"]

_DATA = re.compile(r"data:([\w.+-]+/[\w.+-]+);base64,(.*)", re.DOTALL)


def read_data_url(value: Any, at: Path, reader: Reader) -> tuple[str | None, str | None, str | None, Any]:
    """Read url, data and media type; another kind of `data:` address stays an address.

    Raises:
        ConversionError: the value is no text.
    """
    if type(value) is not str:
        raise wrong_type(at, "a string", value)
    found = _DATA.fullmatch(value) if value[:5] == "data:" else None
    if found is None:
        return value, None, None, ABSENT
    return None, found[2], found[1], ABSENT


def write_data_url(
    url: str | None, data: str | None, media_type: str | None, kept: Any, at: Path, writer: Writer
) -> str:
    """Write the address.

    Raises:
        UnsayableError: there is neither an address, nor data with its media type.
    """
    if data is not None:
        if media_type is None:
            raise UnsayableError("data needs its media type")
        return f"data:{media_type};base64,{data}"
    if url is None:
        raise UnsayableError("there is neither an address nor data")
    if media_type is not None and url[:5] != "data:":
        writer.no_place((at[0], "mediaType"), "mediaType")
    return url
