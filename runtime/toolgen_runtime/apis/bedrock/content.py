"""Content blocks without a type tag, and those of results."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...conversion.extras import ABSENT, Extras, extra_at, inner_extras, is_internal_mark
from ...conversion.reader import Reader
from ...conversion.tool_results import ResultKind, write_result_text
from ...conversion.values import Read, Write, read_list_or_null, write_list, write_or_describe
from ...conversion.writer import Writer
from ...errors import wrong_type
from ...json_text import compact
from ...json_values import is_json
from ...models import ReasoningPart, TextPart, ToolCall, ToolCallPart
from ...paths import Path
from .cache_points import attach_cache_point, cache_points_after

__all__ = [
    "block_kind",
    "drop_response_type",
    "has_documents_without_text",
    "mark_part_as_from_request",
    "original_block",
    "read_blocks",
    "read_cited_block",
    "read_json_block",
    "read_result_blocks",
    "unwrap_single_text",
    "write_blocks",
    "write_cited_block",
    "write_json_block",
    "write_part_unless_rejected",
    "write_placed_blocks",
    "write_result_blocks",
]

_MEDIA = ("image", "document", "video", "audio")

UNKNOWN = "SDK_UNKNOWN_MEMBER"
"""The key under which the client returns a block that it does not know: only its name, without its content."""


def block_kind(block: dict[str, Any]) -> str | None:
    """Return the kind of a block, or None for an unknown kind.

    The kinds are `text`, `citations` (text with its sources), `reasoning`, `redacted` (reasoning), `call`, `result`,
    `cache`, `image`, `document`, `video` and `audio`.
    """
    if block.get("text") is not None:
        return "text"
    call = block.get("toolUse")
    if call is not None:
        return "call" if type(call) is not dict or call.get("type") in (None, "tool_use") else None
    if block.get("toolResult") is not None:
        return "result"
    thought = block.get("reasoningContent")
    if thought is not None:
        if type(thought) is dict and "redactedContent" in thought:
            return "redacted"
        return "reasoning" if type(thought) is not dict or "reasoningText" in thought else None
    if type(block.get("cachePoint")) is dict:
        return "cache"
    if _cited_text(block.get("citationsContent")) is not None:
        return "citations"
    for kind in _MEDIA:
        media = block.get(kind)
        if media is not None:
            return kind if type(media) is not dict or "source" in media else None
    return None


def read_blocks(value: Any, at: Path, reader: Reader, read: Read[Any]) -> list[Any]:
    """Read blocks. A cache point goes to the part or result before it, if that part has none and can have one.

    Raises:
        ConversionError: The value is not an array.
    """
    if value is None or value is ABSENT:
        return []
    if type(value) is not list:
        raise wrong_type(at, "an array", value)
    parts: list[Any] = []
    for i, block in enumerate(value):
        is_point = type(block) is dict and "cachePoint" in block and block_kind(block) == "cache"
        if not (is_point and parts and attach_cache_point(block, parts[-1], reader)):
            parts.append(read(block, (at, i), reader))
    return parts


def write_blocks(content: Any, at: Path, writer: Writer, write: Write) -> list[Any]:
    """Write text or parts as blocks, with each cache point after its part."""
    if type(content) is str:
        content = [TextPart(content)] if content else []
    return write_placed_blocks(((part, (at, i)) for i, part in enumerate(content or ())), writer, write)


def write_placed_blocks(placed: Iterable[tuple[Any, Path]], writer: Writer, write: Write) -> list[Any]:
    """Write parts like `write_blocks`, each with its path."""
    blocks: list[Any] = []
    for part, here in placed:
        block = write_or_describe(part, here, writer, write)
        if block is ABSENT:
            continue
        blocks += [block, *cache_points_after(part, here, writer)]
    return blocks


def unwrap_single_text(parts: list[Any]) -> Any:
    """Return the text if the parts are a single plain text, else the parts."""
    only = parts[0] if len(parts) == 1 else None
    if type(only) is TextPart and only.text and not only.cache and only.metadata is None:
        return only.text
    return parts


def _cited_text(cited: Any) -> str | None:
    """Return the text of an object with citations, or None if it has another form."""
    content = cited.get("content") if type(cited) is dict else None
    if type(content) is not list or not content:
        return None
    texts: list[str] = []
    for item in content:
        if type(item) is not dict or type(item.get("text")) is not str:
            return None
        texts.append(item["text"])
    return "".join(texts)


def original_block(extras: Extras) -> dict[str, Any]:
    """Return the block that is kept as the extras of a part, without the marks beside it."""
    marks = ["cachePoint"] if is_internal_mark(extras.get("cachePoint")) else []
    return {key: value for key, value in extras.items() if key[:1] != "$" and key not in marks}


def read_cited_block(block: dict[str, Any], reader: Reader) -> TextPart:
    """Read text with its sources. The block itself is kept as extras."""
    return TextPart(_cited_text(block["citationsContent"]) or "", metadata=reader.as_metadata(block))


def write_cited_block(part: TextPart, extras: Extras) -> dict[str, Any] | None:
    """Return the original block of a text with sources, or None if there is none or the text was changed."""
    if _cited_text(extras.get("citationsContent")) != part.text:
        return None
    return original_block(extras)


def mark_part_as_from_request(part: Any, reader: Reader) -> Any:
    """Mark a part that was read from a request, if the API usually rejects such a part.

    No model accepts reasoning with an empty signature, so it is not marked.
    """
    name = reader.wire.name
    if type(part) is TextPart:
        is_unusual = not part.text.strip()
    elif type(part) is ReasoningPart:
        is_unusual = _signature(inner_extras(part.metadata or {}, name)) is ABSENT
    else:
        is_unusual = False
        if type(part) is ToolCallPart and extra_at(part.call.metadata or {}, name, "toolUse", "type") is not ABSENT:
            reader.mark_sent(part.call)
    if is_unusual:
        reader.mark_sent(part)
    return part


def _signature(extras: Extras) -> Any:
    """Return the signature of reasoning, or its redacted content. ABSENT without either."""
    redacted = extra_at(extras, "reasoningContent", "redactedContent")
    if redacted is not ABSENT:
        return redacted
    return extra_at(extras, "reasoningContent", "reasoningText", "signature")


def write_part_unless_rejected(part: Any, at: Path, writer: Writer, write: Write) -> Any:
    """Write a part for a request. A part that the API rejects is dropped, unless it was read from a request."""
    if type(part) is TextPart and not part.text.strip() and "$sent" not in writer.peek_extras(part.metadata):
        writer.report_loss(at, "blank text", "dropped", "the API rejects it")
        return ABSENT
    if type(part) is ReasoningPart:
        extras = writer.peek_extras(part.metadata)
        if not _signature(extras) and "$sent" not in extras:
            writer.own_extras(part.metadata, at)
            writer.report_loss(at, "reasoning", "dropped", "the API only accepts signed reasoning")
            return ABSENT
    block = write(part, at, writer)
    if type(block) is dict and UNKNOWN in block:
        writer.report_loss(at, "a block", "dropped", "the client kept only its name", "warning")
        return ABSENT
    return block


def drop_response_type(block: dict[str, Any], call: ToolCall, writer: Writer) -> dict[str, Any]:
    """Return a call without its type, which only responses have, unless it was read from a request."""
    if block["toolUse"].get("type") == "tool_use" and "$sent" not in writer.peek_extras(call.metadata):
        inner = {key: value for key, value in block["toolUse"].items() if key != "type"}
        return {**block, "toolUse": inner}
    return block


def has_documents_without_text(blocks: list[Any]) -> bool:
    """Return whether there are documents without text beside them, which the API rejects."""
    kinds = {block_kind(block) for block in blocks if type(block) is dict}
    return "document" in kinds and "text" not in kinds


_FAILED = "error"


def read_result_blocks(
    holder: dict[str, Any], at: Path, reader: Reader, read: Read[Any]
) -> tuple[ResultKind, Any, bool | None]:
    """Read the kind, value and error flag of a result.

    Raises:
        ConversionError: The content is not an array, or the status is not a string.
    """
    content, status = holder.get("content"), holder.get("status")
    if type(content) is not list:
        raise wrong_type((at, "content"), "an array", content)
    if status is not None and type(status) is not str:
        raise wrong_type((at, "status"), "a string", status)
    failed = status == _FAILED
    single = _single(content, failed)
    if single is not None:
        return single
    return "multimodal", read_list_or_null(content, (at, "content"), reader, read), failed or None


def _single(content: list[Any], failed: bool) -> tuple[ResultKind, Any, bool | None] | None:
    """Return kind, value and error flag of content with a single text or value, or None for other content."""
    only = content[0] if len(content) == 1 and type(content[0]) is dict else {}
    if type(only.get("text")) is str:
        return ("error" if failed else "text"), only["text"], None
    if "json" in only:
        return "data", only["json"], failed or None
    return None


def read_json_block(block: dict[str, Any], reader: Reader) -> TextPart | None:
    """Read JSON beside other blocks as its JSON text. The block itself is kept as extras."""
    text = _text_of_json(block)
    return None if text is None else TextPart(text, metadata=reader.as_metadata(block))


def write_json_block(part: TextPart, extras: Extras) -> dict[str, Any] | None:
    """Return the original block of JSON that was read as text, or None if the text was changed."""
    if "json" not in extras or _text_of_json(extras) != part.text:
        return None
    return original_block(extras)


def _text_of_json(block: dict[str, Any]) -> str | None:
    """Return the JSON text of the value of a JSON block. None if it has none, such as a cyclic value."""
    try:
        return compact(block["json"])
    except (TypeError, ValueError, RecursionError):
        return None


def _is_plain(value: Any) -> bool:
    """Return whether a value can be written as `json`: an object without the key that the API reserves."""
    return type(value) is dict and is_json(value, "__type")


def write_result_blocks(
    kind: str, value: Any, is_error: bool | None, at: Path, writer: Writer, write: Write, blank: str
) -> dict[str, Any]:
    """Write content and status. `blank` replaces blank text.

    Raises:
        ConversionError: The value does not have the type of its kind, or cannot be written as JSON.
    """
    value_path = (at[0], "value")
    status = {"status": _FAILED} if is_error or kind == "error" else {}
    if kind == "multimodal":
        content = write_list(value, value_path, writer, write)
        if not content:
            writer.report_loss(at[0], "a result without content", "rewritten", "the API rejects it")
            content = [{"text": blank}]
        return {"content": content, **status}
    if kind == "data" and _is_plain(value):
        return {"content": [{"json": value}], **status}
    text = value if kind == "error" and type(value) is str else write_result_text(kind, value, value_path, writer)
    if kind == "data" and (is_error or type(value) is dict):
        writer.report_loss(at[0], "data", "rewritten", "sent as text, because the API does not accept it as JSON")
    if not text.strip():
        writer.report_loss(value_path, "blank text", "rewritten", "the API rejects it")
        text = blank
    return {"content": [{"text": text}], **status}
