"""An image's address, a `data:` one for data, beside its media type and how closely the model shall look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..conversion.plain import optional_text
from ..conversion.reader import Reader
from ..conversion.residue import Residue
from ..conversion.unsayable import UnsayableError
from ..conversion.writer import Writer
from ..paths import Path
from . import data_url

__all__ = ["read", "write"]

Fields = tuple[str | None, str | None, str | None, str | None, Residue]


def read(wire: dict[str, Any], at: Path, reader: Reader, table: Mapping[str, Sequence[str]]) -> Fields:
    """Read url, data, media type and detail; a word that `table` lacks is kept, and a type that the address says too.

    Raises:
        ConversionError: one of them is no text.
    """
    url, data, media_type, _ = data_url.read(wire.get("url"), (at, "url"), reader)
    said, detail = optional_text(wire, "media_type", at), optional_text(wire, "detail", at)
    rest: Residue = {key: None for key in ("detail", "media_type") if key in wire and wire[key] is None}
    if url is not None and not url.startswith(tuple(table["url"])):
        rest["$sent"] = url
    if detail is not None and detail not in table["detail"]:
        rest["detail"], detail = detail, None
    if said is not None and data is not None:
        rest["$beside"] = {"media_type": said, "$wire": media_type}
    elif said is not None and said not in table["media_type"]:
        rest["media_type"] = said
    elif said is not None:
        media_type = said
    return url, data, media_type, detail, rest


def write(
    url: str | None,
    data: str | None,
    media_type: str | None,
    detail: str | None,
    own: Residue,
    at: Path,
    writer: Writer,
    table: Mapping[str, Sequence[str]],
) -> dict[str, Any]:
    """Write the address and what stands beside it; a word that the wire lacks is reported and left out.

    Raises:
        UnsayableError: there is neither an address that the wire takes, nor data with its media type.
    """
    if data is None and url is not None and not url.startswith(tuple(table["url"])) and own.get("$sent") != url:
        raise UnsayableError("it takes no such address")
    beside = own.get("$beside")
    wire: dict[str, Any] = {
        "url": data_url.write(url, data, None if data is None else media_type, None, at, writer)
    }
    if data is not None:
        if type(beside) is dict and beside.get("$wire") == media_type and "media_type" in beside:
            wire["media_type"] = beside["media_type"]
    elif media_type is not None:
        _word(wire, "media_type", "mediaType", media_type, at, writer, table)
    if detail is not None:
        _word(wire, "detail", "detail", detail, at, writer, table)
    return wire


def _word(
    wire: dict[str, Any],
    key: str,
    field: str,
    word: str,
    at: Path,
    writer: Writer,
    table: Mapping[str, Sequence[str]],
) -> None:
    if word in table[key]:
        wire[key] = word
    else:
        writer.no_place((at[0], field), field)
