"""Contents of which one text is all that a wire has a place for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...models import TextPart
from ..paths import Path
from .writer import Writer

__all__ = ["as_one_text", "texts_among"]


def as_one_text(content: str | Sequence[Any], at: Path, writer: Writer) -> str:
    """The texts of a content as lines of one text; a part that is no text is reported and left out."""
    if type(content) is str:
        return content
    texts = texts_among(content, at, writer)
    if len(texts) > 1:
        writer.lost(at, "content", "rewritten", "note", "its texts are one text here")
    return "\n".join(texts)


def texts_among(parts: Sequence[Any], at: Path, writer: Writer) -> list[str]:
    """The texts among parts; a part that is no text is reported and left out."""
    texts: list[str] = []
    for i, part in enumerate(parts):
        if type(part) is TextPart:
            writer.own(part.metadata, (at, i))
            texts.append(part.text)
        else:
            writer.no_place((at, i), writer.kind_of(part), "warning")
    return texts
