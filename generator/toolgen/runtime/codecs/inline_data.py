"""Content in base64 as a `data:` address, on a wire that takes no other address."""

from __future__ import annotations

from typing import Any

from ..conversion.unsayable import UnsayableError
from ..conversion.writer import Writer
from ..paths import Path
from . import data_url
from .data_url import read

__all__ = ["read", "write"]


def write(url: str | None, data: str | None, media_type: str | None, kept: Any, at: Path, writer: Writer) -> str:
    """Write the `data:` address.

    Raises:
        UnsayableError: the content is not inline.
    """
    if data is None and (url is None or url[:5] != "data:"):
        raise UnsayableError("it takes content as data only")
    return data_url.write(url, data, media_type, kept, at, writer)
