"""Results of calls, in the forms that several wires share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal
from urllib.parse import quote, unquote

from ..conversion.residue import ABSENT, within
from ..conversion.values import Write, write_list
from ..conversion.writer import Writer
from ..errors import ConversionError, wrong_type
from ..json_texts.strict import loads
from ..json_texts.text import compact, is_compact
from ..models import TextPart
from ..paths import Path, spelled

__all__ = [
    "MEDIA_BEHIND",
    "address_of",
    "media_kind",
    "name_in",
    "read_text",
    "result_block_kind",
    "write_parts",
    "write_text",
]

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
