"""Media in base64 beside their media type, as images or as resources of any other kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..conversion.plain import optional_text
from ..conversion.reader import Reader
from ..conversion.residue import Residue
from ..conversion.unsayable import UnsayableError
from ..conversion.writer import Writer
from ..paths import Path
from ..tool_results.result_blocks import media_kind
from . import data_url

__all__ = ["read", "write"]

Fields = tuple[str | None, str | None, str | None, Residue]


def read(block: dict[str, Any], at: Path, reader: Reader, table: Mapping[str, str]) -> Fields:
    """Read url (there is none), data and media type; a block of another type than ours is kept as one.

    Raises:
        ConversionError: one of them is no text.
    """
    rest: Residue = {} if block["type"] == table["type"] else {"type": block["type"]}
    absent = [key for key in ("data", "mimeType") if key not in block]
    if absent:
        rest["$absent"] = absent
    return None, optional_text(block, "data", at), optional_text(block, "mimeType", at), rest


def write(
    url: str | None,
    data: str | None,
    media_type: str | None,
    own: Residue,
    at: Path,
    writer: Writer,
    table: Mapping[str, str],
) -> dict[str, Any]:
    """Write the block. `table` has the `kind` of part, the `type` of its block, and the `mediaType` that stands in.

    Raises:
        UnsayableError: there are no data.
    """
    if data is None and url is not None and url[:5] == "data:":
        url, data, known, _ = data_url.read(url, at, Reader(writer.wire))
        media_type = known or media_type
    absent = own.get("$absent", ())
    if data is None and "data" not in absent and "data" not in own:
        raise UnsayableError("results hold data, and no addresses")
    if url is not None:
        writer.no_place(at, "url")
    block = {"type": own.get("type", table["type"])}
    if data is not None:
        block["data"] = data
    if media_type is None and "mimeType" not in absent and "mimeType" not in own:
        media_type = table["mediaType"]
        writer.lost((at[0], "mediaType"), "mediaType", "defaulted", "note", f"it must be named: {media_type}")
    if media_type is not None:
        block["mimeType"] = media_type
    if block["type"] == "resource" and media_kind(media_type) != table["kind"]:
        writer.lost(at[0], table["kind"], "rewritten", "note", "its media type is that of another kind")
    return block
