"""Gemini's content parts: their kinds, signatures, and results with several parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...conversion.extras import ABSENT
from ...conversion.message_order import call_ids
from ...conversion.reader import Reader
from ...conversion.values import Read, Write, read_list_or_null, write_list
from ...conversion.writer import Writer
from ...errors import wrong_type
from ...json_text import dump_allowing_nan
from ...models import Message, OpaquePart, TextPart, ToolResult
from ...paths import Path
from ..result_objects import read_result_object

__all__ = [
    "add_placeholder_signature",
    "order_results_by_calls",
    "part_kind",
    "part_list",
    "read_parts",
    "read_result_text_beside_media",
    "write_multimodal_result",
    "write_parts_of",
]

_MEDIA = ("image", "audio", "video")


def part_kind(part: dict[str, Any]) -> str | None:
    """Return `text`, `reasoning`, `tool_call`, `image`, `audio`, `video` or `document`, or None for other parts."""
    if "functionCall" in part:
        return "tool_call" if type(part["functionCall"]) is dict else None
    if part.get("text") is not None:
        return "reasoning" if part.get("thought") is True else "text"
    content = part.get("inlineData", part.get("fileData"))
    if type(content) is not dict or part.get("thought") is True:
        return None
    if content.get("data") is None and content.get("fileUri") is None:
        return None
    kind = str(content.get("mimeType") or "").split("/", 1)[0].lower()
    return kind if kind in _MEDIA else "document"


def part_list(value: Any, at: Path) -> list[Any]:
    """Return the parts of a content as a list. A single part may be without a list, and there may be none.

    Raises:
        ConversionError: The value is something else.
    """
    if value is None or value is ABSENT or value == {}:
        return []
    if type(value) is dict:
        return [value]
    if type(value) is not list:
        raise wrong_type(at, "an array", value)
    return value


def read_parts(value: Any, at: Path, reader: Reader, read: Read[Any]) -> tuple[str | list[Any], Any]:
    """Read the parts. A single text becomes a string. For no parts, the original value is kept as an extra.

    Raises:
        ConversionError: The value is not a list of parts.
    """
    parts = read_list_or_null(part_list(value, at), at, reader, read)
    if not parts:
        return [], {"$absent": True} if value is ABSENT else value
    only = parts[0]
    if len(parts) == 1 and type(only) is TextPart and only.text and only.metadata is None:
        return only.text, ABSENT
    return parts, ABSENT


def write_parts_of(content: Any, extra: Any, at: Path, writer: Writer, write: Write) -> Any:
    """Write the parts, or return ABSENT if there are none. An empty value is only written if it was read."""
    if type(content) is str:
        content = [TextPart(content)] if content else []
    parts = write_list(content or [], at, writer, write)
    return parts or (extra if extra in ([], {}) else ABSENT)


def read_result_text_beside_media(response: dict[str, Any]) -> tuple[list[TextPart], bool | None]:
    """Return the text for a result with media, and whether it is a failure."""
    kind, value, is_error = read_result_object(response)
    if kind == "error":
        is_error = True
    if kind in ("text", "error"):
        text = value
    else:
        text = dump_allowing_nan(value) if value != {} or is_error else ""
    return [TextPart(text)] if text else [], is_error


def write_multimodal_result(
    parts: Sequence[Any], is_error: bool | None, at: Path, writer: Writer, write: Write
) -> dict[str, Any]:
    """Write a result with several parts: the texts into `response`, and the others into `parts`."""
    texts: list[str] = []

    def write_medium(part: Any, here: Path, writer: Writer) -> Any:
        """Write a part that is not text. Text, and the description of a foreign part, are collected in `texts`."""
        if type(part) is OpaquePart and part.provider != writer.wire.name:
            part = writer.describe_part(part, here)
        if type(part) is not TextPart:
            return write(part, here, writer)
        texts.append(part.text)
        return ABSENT

    media = write_list(parts, at, writer, write_medium)
    for i, part in enumerate(parts):
        if type(part) is not TextPart:
            continue
        writer.write_text_part_as_string(part, (at, i))
        if i > 0:
            writer.report_loss((at, i), "TextPart", "moved", "the texts of a result must come before its media")
    if len(texts) > 1:
        writer.report_loss(at, "TextPart", "rewritten", "the API accepts one text per result, so the texts were joined")
    text = "\n".join(texts)
    if is_error:
        return {"response": {"error": text}, "parts": media}
    return {"response": {"output": text} if text else {}, "parts": media}


def order_results_by_calls(
    results: Iterable[tuple[ToolResult, Path]], before: Message | None, writer: Writer
) -> list[tuple[ToolResult, Path]]:
    """Sort the results by their calls if one was sent without its id, and the order alone identifies it.

    It does if the turn has several calls of the same tool. Otherwise the name identifies the result.
    """
    unordered = list(results)
    if before is None or writer.unsent.isdisjoint(result.tool_call_id for result, _ in unordered):
        return unordered
    order = {identifier: i for i, identifier in enumerate(call_ids(before))}
    if _have_order_of_calls(unordered, order):
        return unordered
    ordered = sorted(unordered, key=lambda pair: order.get(pair[0].tool_call_id, len(order)))
    for (old, path), (new, _) in zip(unordered, ordered, strict=True):
        if old is not new:
            writer.report_loss(path, "a result", "moved", "results without ids must have the order of their calls")
    return ordered


def _have_order_of_calls(results: list[tuple[ToolResult, Path]], order: dict[str, int]) -> bool:
    """Return whether the results of each tool have the order of their calls. `order` has the position of each call."""
    last: dict[str, int] = {}
    for result, _ in results:
        position = order.get(result.tool_call_id, len(order))
        if position < last.get(result.name, 0):
            return False
        last[result.name] = position
    return True


def add_placeholder_signature(wire: dict[str, Any], signature: str, at: Path, writer: Writer) -> None:
    """Add the documented placeholder signature to the first call of a message, if none of its calls is signed."""
    calls = [part for part in wire.get("parts") or () if type(part) is dict and "functionCall" in part]
    if calls and not any("thoughtSignature" in call for call in calls):
        calls[0]["thoughtSignature"] = signature
        writer.report_loss(at, "a signature", "defaulted", "the calls come from another provider")
