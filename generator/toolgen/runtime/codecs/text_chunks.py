"""A text in chunks, among which others may stand."""

from __future__ import annotations

from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..paths import Path

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader) -> tuple[str, Any]:
    """Read the text of all chunks; they are kept where one chunk of text would not say the same.

    Raises:
        ConversionError: the value is neither text nor an array of objects, or the text of a chunk is none.
    """
    if type(value) is str:
        return value, value
    if type(value) is not list:
        raise wrong_type(at, "an array", value)
    for i, chunk in enumerate(value):
        if type(chunk) is not dict:
            raise wrong_type((at, i), "an object", chunk)
        if chunk.get("type") == "text" and type(chunk.get("text")) is not str:
            raise wrong_type(((at, i), "text"), "a string", chunk.get("text"))
    text = _text_of(value)
    return text, ABSENT if value == _chunks_of(text) else value


def write(text: str, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the text, in the chunks in which it came."""
    if type(kept) in (list, str) and _text_of(kept) == text:
        return kept
    return _chunks_of(text)


def _chunks_of(text: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text}]


def _text_of(value: Any) -> str:
    if type(value) is str:
        return value
    return "".join(chunk["text"] for chunk in value if chunk.get("type") == "text")
