"""Content as base64 in `inlineData`, or by address in `fileData`.

The wire takes both alphabets of base64, and its client gives the one of addresses; other wires take the plain one only,
so that is what the format has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import Residue, leftovers, within
from ..conversion.unsayable import UnsayableError
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..paths import Path
from . import data_url

__all__ = ["read", "write"]

_KEYS = {"inlineData": "data", "fileData": "fileUri"}
_KNOWN = {key: frozenset([value, "displayName", "mimeType"]) for key, value in _KEYS.items()}
_PLAIN = str.maketrans("-_", "+/")
_URLSAFE = str.maketrans("+/", "-_")


def read(
    part: dict[str, Any], at: Path, reader: Reader, table: Mapping[str, str]
) -> tuple[str | None, str | None, str | None, str | None, Residue]:
    """Read url, data, media type and name.

    Raises:
        ConversionError: one of them is no text.
    """
    key = "inlineData" if "inlineData" in part else "fileData"
    content = part[key]
    found: list[str | None] = []
    for name in (_KEYS[key], "mimeType", "displayName"):
        value = content.get(name)
        if value is not None and type(value) is not str:
            raise wrong_type(((at, key), name), "a string", value)
        found.append(value)
    rest = leftovers(content, _KNOWN[key])
    if found[1] is None:
        rest["$absent"] = ["mimeType"]
    text = found[0]
    if key == "inlineData" and text is not None and ("-" in text or "_" in text) and not ("+" in text or "/" in text):
        found[0] = text.translate(_PLAIN)
        rest["$urlsafe"] = True
    url, data = (None, found[0]) if key == "inlineData" else (found[0], None)
    return url, data, found[1], found[2], {key: rest} if rest else {}


def write(
    url: str | None,
    data: str | None,
    media_type: str | None,
    name: str | None,
    own: Residue,
    at: Path,
    writer: Writer,
    table: Mapping[str, str],
) -> dict[str, Any]:
    """Write the content. `table` has the media type to name where none is known.

    Raises:
        UnsayableError: there is neither an address nor data.
    """
    if url is not None and url[:5] == "data:":
        url, data, known, _ = data_url.read(url, at, Reader(writer.wire))
        media_type = known or media_type
    if data is None and url is None:
        raise UnsayableError("there is neither an address nor data")
    key = "inlineData" if data is not None else "fileData"
    if data is not None and "$urlsafe" in within(own, key):
        data = data.translate(_URLSAFE)
    content: dict[str, Any] = {_KEYS[key]: url if data is None else data}
    if media_type is None and "$absent" not in within(own, key):
        media_type = table["mediaType"]
        writer.lost((at[0], "mediaType"), "mediaType", "defaulted", "note", f"it must be named: {media_type}")
    if media_type is not None:
        content["mimeType"] = media_type
    if name is not None:
        content["displayName"] = name
    return {key: content}
