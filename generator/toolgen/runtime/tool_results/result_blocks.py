"""Blocks of results that hold content, or lead to it: what each is, and names in addresses."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, unquote

__all__ = ["address_of", "media_kind", "name_in", "result_block_kind"]

_KINDS = ("audio", "image", "video")
_ATTACHED = "attachment:///"
"""The scheme of addresses that are made here: an embedded resource must have one, and data of an app has none."""


def result_block_kind(block: dict[str, Any]) -> str | None:
    """What a block is: `text`, `image`, `audio`, `video` or `document`; None for one that does not hold what it must."""
    kind = block.get("type")
    if kind == "text":
        return "text"
    if kind in ("image", "audio"):
        return str(kind) if block.get("data") is not None and block.get("mimeType") is not None else None
    if kind == "resource_link":
        return media_kind(block.get("mimeType")) if block.get("uri") is not None else None
    resource = block.get("resource")
    if kind != "resource" or type(resource) is not dict:
        return None
    if resource.get("text") is not None:
        return "text"
    return media_kind(resource.get("mimeType")) if resource.get("blob") is not None else None


def media_kind(media_type: Any) -> str:
    """The kind of part for a media type: `image`, `audio` or `video`, else `document`."""
    kind = media_type.split("/", 1)[0].lower() if type(media_type) is str else ""
    return kind if kind in _KINDS else "document"


def name_in(address: str) -> str | None:
    """The name of a file in its address; None where there is none."""
    path = address.split("#", 1)[0].split("?", 1)[0]
    return unquote(path.rsplit("/", 1)[1]) or None if "/" in path else None


def address_of(name: str) -> str:
    """An address for a file that has none."""
    return _ATTACHED + quote(name, safe="", errors="surrogatepass")
