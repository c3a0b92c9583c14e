"""The media type of data that comes without one, by its first bytes."""

from __future__ import annotations

import base64
import binascii

__all__ = ["media_type_of"]

_HEADS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"ID3", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
)
_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}
_ENOUGH = 16
"""Characters of base64 that hold all the bytes looked at."""


def media_type_of(data: str) -> str | None:
    """The media type of an image or a recording in base64; None where its head is that of no known kind."""
    try:
        head = base64.b64decode(data[:_ENOUGH], validate=True)
    except (binascii.Error, ValueError):
        return None
    if head[:4] == b"RIFF":
        return _RIFF.get(head[8:12])
    return next((kind for start, kind in _HEADS if head.startswith(start)), None)
