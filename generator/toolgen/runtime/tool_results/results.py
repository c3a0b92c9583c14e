"""Results as text: the contract's table for wires that take text only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ...models import TextPart
from ..conversion.lists import Write, write_list
from ..conversion.residue import ABSENT, within
from ..conversion.writer import Writer
from ..errors import ConversionError, wrong_type
from ..json_texts.json_text import compact, is_compact
from ..json_texts.strict_json import loads
from ..paths import Path, spelled

__all__ = ["MEDIA_BEHIND", "read_text", "write_parts", "write_text"]

MEDIA_BEHIND = "The result follows in the next message."
"""What stands for a result that is media alone, for the text of a result may not be empty."""


def read_text(text: str) -> tuple[Literal["text", "error"], str, Any]:
    """Read a text; `{"error": text}` with no other key is an error."""
    if text[:1] == "{" and '"error"' in text:
        try:
            value = loads(text)
        except ValueError:
            return "text", text, ABSENT
        if type(value) is dict and value.keys() == {"error"} and type(value["error"]) is str:
            return "error", value["error"], ABSENT if is_compact(text, value) else text
    return "text", text, ABSENT


def write_text(kind: str, value: Any, kept: Any, at: Path, writer: Writer) -> str:
    """Write a result of kind text, data or error.

    Raises:
        ConversionError: the value is of another type than its kind says, or JSON cannot hold it.
    """
    if kind == "text" or kind == "error":
        if type(value) is not str:
            raise wrong_type(at, "a string", value)
        if kind == "text":
            return value
        if type(kept) is str and read_text(kept)[:2] == ("error", value):
            return kept
        return compact({"error": value})
    try:
        return compact(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConversionError(spelled(at), f"cannot be written as JSON: {type(error).__name__}") from error


def write_parts(parts: Sequence[Any], at: Path, writer: Writer, write: Write) -> str | list[Any]:
    """Write the text parts of a result, and those that came inside of one; the others wait in `writer.media`."""
    behind = len(writer.media)
    texts = []
    for i, part in enumerate(parts):
        inside = "$inline" in within(part.metadata or {}, writer.wire.name)
        if type(part) is TextPart or inside or getattr(part, "provider", None) == writer.wire.name:
            texts += write_list([part], at, writer, write)
        else:
            writer.media.append((part, (at, i)))
            writer.lost(
                (at, i),
                writer.kind_of(part),
                "moved",
                "note",
                "it follows the results in a user message",
            )
    if len(writer.media) == behind:
        return texts
    if len(texts) == 1 and texts[0].keys() == {"type", "text"}:
        return str(texts[0]["text"])
    return texts or MEDIA_BEHIND
