"""Messages whose content is a list of parts, each with one member that says what it is."""

from __future__ import annotations

from typing import Any

from ...models import TextPart
from ..conversion.lists import Read, Write, write_list
from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..paths import Path

__all__ = ["part_kind", "part_list", "read_parts", "write_parts_of"]

_MEDIA = ("image", "audio", "video")


def part_kind(part: dict[str, Any]) -> str | None:
    """What a part is: `text`, `reasoning`, `tool_call`, `image`, `audio`, `video` or `document`; None for any other."""
    if "functionCall" in part:
        return "tool_call" if type(part["functionCall"]) is dict else None
    if part.get("text") is not None:
        return "reasoning" if part.get("thought") is True else "text"
    content = part.get("inlineData", part.get("fileData"))
    if type(content) is not dict or part.get("thought") is True:
        return None
    kind = str(content.get("mimeType") or "").split("/", 1)[0].lower()
    return kind if kind in _MEDIA else "document"


def part_list(value: Any, at: Path) -> list[Any]:
    """The parts of a content: a single one may stand without its list, none may be absent.

    Raises:
        ConversionError: the value is something else.
    """
    if value is None or value is ABSENT:
        return []
    if type(value) is dict:
        return [value]
    if type(value) is not list:
        raise wrong_type(at, "an array", value)
    return value


def read_parts(value: Any, at: Path, reader: Reader, read: Read[Any]) -> tuple[str | list[Any], Any]:
    """Read the parts: a text alone as text. No part at all is kept as it was spelled.

    Raises:
        ConversionError: the value is no list of parts.
    """
    parts = [read(part, (at, i), reader) for i, part in enumerate(part_list(value, at))]
    if not parts:
        return [], {"$absent": True} if value is ABSENT else value
    only = parts[0]
    if len(parts) == 1 and type(only) is TextPart and only.text and only.metadata is None:
        return only.text, ABSENT
    return parts, ABSENT


def write_parts_of(content: Any, kept: Any, at: Path, writer: Writer, write: Write) -> Any:
    """Write the parts; ABSENT where there are none, for the API refuses an empty list that did not come so."""
    if type(content) is str:
        content = [TextPart(content)] if content else []
    parts = write_list(content or [], at, writer, write)
    return parts or (kept if kept == [] else ABSENT)
