"""An image by address, or in base64 as a `data:` address: a text alone, or an object in which it has a detail."""

from __future__ import annotations

from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT, leftovers, restore
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..paths import Path
from . import data_url

__all__ = ["read", "write"]

_KNOWN = frozenset(["detail", "url"])


def read(value: Any, at: Path, reader: Reader) -> tuple[str | None, str | None, str | None, str | None, Any]:
    """Read url, data, media type and detail.

    Raises:
        ConversionError: the value is neither text nor an object with a `url`, or its detail is no text.
    """
    if type(value) is not dict:
        url, data, media_type, _ = data_url.read(value, at, reader)
        return url, data, media_type, None, ABSENT
    detail = value.get("detail")
    if detail is not None and type(detail) is not str:
        raise wrong_type((at, "detail"), "a string", detail)
    url, data, media_type, _ = data_url.read(value.get("url"), (at, "url"), reader)
    return url, data, media_type, detail, {"$whole": leftovers(value, _KNOWN)}


def write(
    url: str | None,
    data: str | None,
    media_type: str | None,
    detail: str | None,
    kept: Any,
    at: Path,
    writer: Writer,
) -> Any:
    """Write the address, in an object where there is a detail or where it came in one.

    Raises:
        UnsayableError: there is neither an address, nor data with its media type.
    """
    address = data_url.write(url, data, media_type, ABSENT, at, writer)
    whole = kept.get("$whole") if type(kept) is dict else None
    if detail is None and type(whole) is not dict:
        return address
    written: dict[str, Any] = {"url": address} if detail is None else {"url": address, "detail": detail}
    if type(whole) is dict:
        restore(written, whole)
    return written
