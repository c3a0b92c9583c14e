"""A user's messages as the one prompt of a live session: its text, and attachments beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...models import (
    AudioPart,
    DocumentPart,
    ImagePart,
    OpaquePart,
    TextPart,
    UserMessage,
    VideoPart,
)
from ..conversion.writer import Writer
from ..paths import Path

__all__ = ["text_and_blobs"]

_USUAL: dict[type, str] = {
    ImagePart: "image/png",
    AudioPart: "audio/wav",
    VideoPart: "video/mp4",
    DocumentPart: "application/octet-stream",
}
"""Media types of what does not say its own."""


def text_and_blobs(messages: Sequence[tuple[Path, UserMessage]], writer: Writer) -> dict[str, Any]:
    """Write messages, each with its place, as keywords `prompt` and `attachments`: data in base64 is a blob.

    A part that is the provider's own is an attachment as it stands; what is only an address has no place.
    """
    texts: list[str] = []
    attachments: list[Any] = []
    for at, message in messages:
        writer.own(message.metadata, at)
        if message.name is not None:
            writer.no_place((at, "name"), "name")
        parts = [TextPart(message.content)] if isinstance(message.content, str) else message.content
        said: list[str] = []
        for i, part in enumerate(parts):
            here = ((at, "content"), i)
            if isinstance(part, TextPart):
                said.append(part.text)
            elif (attachment := _attachment(part, writer)) is not None:
                attachments.append(attachment)
            else:
                writer.no_place(here, part.type, "warning")
        texts.append("".join(said))
    if len(texts) > 1:
        writer.lost(messages[0][0], "messages", "rewritten", "note", "they are one prompt here")
    prompt = "\n\n".join(texts)
    return {"prompt": prompt, "attachments": attachments} if attachments else {"prompt": prompt}


def _attachment(part: Any, writer: Writer) -> dict[str, Any] | None:
    """A part that is no text as an attachment; None where it cannot be one."""
    if isinstance(part, OpaquePart):
        return part.value if part.provider == writer.wire.name and type(part.value) is dict else None
    if part.data is None:
        return None
    blob = {"type": "blob", "data": part.data, "mimeType": part.media_type or _USUAL[type(part)]}
    return blob if part.name is None else {**blob, "displayName": part.name}
