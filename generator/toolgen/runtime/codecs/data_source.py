"""A document's content: base64 data and its media type, on a wire that takes no address."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..conversion.plain import optional_text
from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..conversion.unsayable import UnsayableError
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..paths import Path
from . import data_url

__all__ = ["read", "write"]

Fields = tuple[str | None, str | None, str | None, Any]


def read(value: Any, at: Path, reader: Reader, taken: Sequence[str]) -> Fields:
    """Read url (there is none), data and media type; a source with more in it, or of another type, is kept.

    Raises:
        ConversionError: it is no object, or one of its members no text.
    """
    if type(value) is not dict:
        raise wrong_type(at, "an object", value)
    data, media_type = optional_text(value, "data", at), optional_text(value, "media_type", at)
    plain = data is not None and media_type in taken and len(value) == 2
    return None, data, media_type, ABSENT if plain else value


def write(
    url: str | None,
    data: str | None,
    media_type: str | None,
    kept: Any,
    at: Path,
    writer: Writer,
    taken: Sequence[str],
) -> Any:
    """Write the source, as it came while it says the same.

    Raises:
        UnsayableError: there are no data, or they are of a type that the wire does not take.
    """
    if type(kept) is dict and url is None and (kept.get("data"), kept.get("media_type")) == (data, media_type):
        return kept
    if data is None and url is not None and url[:5] == "data:":
        _, data, found, _ = data_url.read(url, at, Reader(writer.wire))
        media_type = found or media_type
    if data is None:
        raise UnsayableError("it takes content as data only")
    if media_type not in taken:
        raise UnsayableError(f"it does not take {media_type or 'data without a media type'}")
    return {"data": data, "media_type": media_type}
