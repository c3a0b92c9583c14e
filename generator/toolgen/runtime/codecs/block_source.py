"""Where a block's content comes from: `format`, and one of several members of `source`.

Base64 in `bytes`, an address in S3 in `s3Location`, plain `text`; a source of another kind is kept as it is.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import Residue
from ..conversion.unsayable import UnsayableError
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..paths import Path
from . import data_url

__all__ = ["read", "write"]

Formats = Mapping[str, Sequence[str]]


def read(
    block: dict[str, Any], at: Path, reader: Reader, formats: Formats
) -> tuple[str | None, str | None, str | None, Residue]:
    """Read url, data and media type. The source is kept where our own writing would differ.

    Raises:
        ConversionError: the format is no text, or the source no object.
    """
    kind, source = block.get("format"), block.get("source")
    if kind is not None and type(kind) is not str:
        raise wrong_type((at, "format"), "a string", kind)
    if type(source) is not dict:
        raise wrong_type((at, "source"), "an object", source)
    rest: Residue = {}
    url, data = _content(source, (at, "source"))
    media_type = formats[kind][0] if kind is not None and kind in formats else None
    if kind is None and "text" in source:
        media_type = "text/plain"
    if "format" not in block:
        rest["$absent"] = ["format"]
    elif media_type is None:
        rest["format"] = kind
    if source != _source(url, data):
        rest["source"] = source
    return url, data, media_type, rest


def write(
    url: str | None,
    data: str | None,
    media_type: str | None,
    own: Residue,
    at: Path,
    writer: Writer,
    formats: Formats,
) -> dict[str, Any]:
    """Write format and source; the source that came is kept while it says the same.

    Raises:
        UnsayableError: the API does not take this media type or this address, or there is neither address nor data.
    """
    if url is not None and url[:5] == "data:":
        url, data, known, _ = data_url.read(url, at, Reader(writer.wire))
        media_type = known or media_type
    kept = own.get("source")
    as_it_came = type(kept) is dict and _content(kept, at) == (url, data)
    if not as_it_came and data is None and url is None:
        raise UnsayableError("there is neither an address nor data")
    if not as_it_came and data is None and url is not None and url[:5] != "s3://":
        raise UnsayableError("it takes no address but one in S3")
    source = kept if as_it_came else _source(url, data)
    if "$absent" in own and media_type in (None, "text/plain"):
        return {"source": source}
    if media_type is None and type(own.get("format")) is str:
        return {"format": own["format"], "source": source}
    if media_type is None:
        kind = _ending(url, formats)
        writer.lost((at[0], "mediaType"), "mediaType", "defaulted", "note", f"it must be named: {formats[kind][0]}")
        return {"format": kind, "source": source}
    for kind, types in formats.items():
        if media_type in types:
            if media_type != types[0]:
                writer.lost((at[0], "mediaType"), "mediaType", "rewritten", "note", f"it is {types[0]} here")
            return {"format": kind, "source": source}
    raise UnsayableError(f"it does not take {media_type}")


def _content(source: dict[str, Any], at: Path) -> tuple[str | None, str | None]:
    """Url and data; neither for a source of another kind."""
    location = source.get("s3Location")
    for key, value in (("bytes", source.get("bytes")), ("text", source.get("text"))):
        if value is not None and type(value) is not str:
            raise wrong_type((at, key), "a string", value)
    if source.get("bytes") is not None:
        return None, source["bytes"]
    if type(location) is dict and type(location.get("uri")) is str:
        return location["uri"], None
    if source.get("text") is not None:
        try:
            return None, base64.b64encode(source["text"].encode()).decode()
        except UnicodeEncodeError:  # half of a surrogate pair: no bytes say it
            return None, None
    return None, None


def _source(url: str | None, data: str | None) -> dict[str, Any]:
    return {"s3Location": {"uri": url}} if data is None else {"bytes": data}


def _ending(url: str | None, formats: Formats) -> str:
    """The format that an address ends with, else the first of all."""
    ending = (url or "").rpartition(".")[2].lower()
    return ending if ending in formats else next(iter(formats))
