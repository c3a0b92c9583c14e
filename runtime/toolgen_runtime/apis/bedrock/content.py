"""Content blocks without a type tag, and the turns that contain them."""

from __future__ import annotations

from typing import Any

from ...conversion.extras import ABSENT, NO_EXTRAS, Extras, extra_at, inner_extras, merge_extras_into, restore_extras
from ...conversion.reader import Reader
from ...conversion.values import Read, Write, write_or_describe
from ...conversion.writer import Writer
from ...errors import wrong_type
from ...models import Message, ReasoningPart, TextPart, ToolCall, ToolCallPart
from ...paths import Path

__all__ = [
    "TurnBuilder",
    "block_kind",
    "drop_response_type",
    "has_documents_without_text",
    "mark_part_as_from_request",
    "read_blocks",
    "read_cited_block",
    "unwrap_single_text",
    "write_blocks",
    "write_cited_block",
    "write_part_unless_rejected",
]

_MEDIA = ("image", "document", "video", "audio")
_POINT = {"cachePoint": {"type": "default"}}
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
    """Read blocks. A cache point goes to the part before it, if that part has none and can have one.

    Raises:
        ConversionError: The value is not an array.
    """
    if value is None or value is ABSENT:
        return []
    if type(value) is not list:
        raise wrong_type(at, "an array", value)
    parts: list[Any] = []
    for i, block in enumerate(value):
        before: Any = parts[-1] if parts else None
        if (
            type(block) is dict
            and "cachePoint" in block
            and block_kind(block) == "cache"
            and getattr(before, "cache", True) is None
        ):
            before.cache = True
            if block != _POINT:
                merge_extras_into(before, reader.wire.name, {"$cache": block})
        else:
            parts.append(read(block, (at, i), reader))
    return parts


def write_blocks(content: Any, at: Path, writer: Writer, write: Write) -> list[Any]:
    """Write text or parts as blocks, with each cache point after its part."""
    if type(content) is str:
        content = [TextPart(content)] if content else []
    blocks: list[Any] = []
    for i, part in enumerate(content or ()):
        block = write_or_describe(part, (at, i), writer, write)
        if block is ABSENT:
            continue
        blocks.append(block)
        if getattr(part, "cache", None):
            point = writer.peek_extras(part.metadata).get("$cache")
            blocks.append(point if type(point) is dict else _POINT)
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


def read_cited_block(block: dict[str, Any], reader: Reader) -> TextPart:
    """Read text with its sources. The block itself is kept as extras."""
    return TextPart(_cited_text(block["citationsContent"]) or "", metadata=reader.as_metadata(block))


def write_cited_block(part: TextPart, extras: Extras) -> dict[str, Any] | None:
    """Return the original block of a text with sources, or None if there is none or the text was changed."""
    if _cited_text(extras.get("citationsContent")) != part.text:
        return None
    return {key: value for key, value in extras.items() if key[:1] != "$"}


def mark_part_as_from_request(part: Any, reader: Reader) -> Any:
    """Mark a part that was read from a request, if the API usually rejects such a part.

    No model accepts reasoning with an empty signature, so it is not marked.
    """
    name = reader.wire.name
    kind = type(part)
    blank = kind is TextPart and not part.text.strip()
    unsigned = kind is ReasoningPart and _signature(inner_extras(part.metadata or {}, name)) is ABSENT
    if blank or unsigned:
        reader.mark_sent(part)
    elif kind is ToolCallPart and extra_at(part.call.metadata or {}, name, "toolUse", "type") is not ABSENT:
        reader.mark_sent(part.call)
    return part


def _signature(extras: Extras) -> Any:
    """Return the signature of reasoning, or its redacted content."""
    redacted = extra_at(extras, "reasoningContent", "redactedContent")
    return extra_at(extras, "reasoningContent", "reasoningText", "signature") if redacted is ABSENT else redacted


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
    for block in blocks:
        if type(block) is dict and "document" in block:
            kinds = {block_kind(block) for block in blocks if type(block) is dict}
            return "document" in kinds and "text" not in kinds
    return False


class TurnBuilder:
    """Collects the messages of a request, which alternate between user and assistant.

    `text` is added to documents that have no text. `first` is a user message put before a leading assistant message.
    """

    __slots__ = ("_before", "_first", "_open", "_text", "_writer", "wires")

    def __init__(self, writer: Writer, document_text: str, first_user_text: str) -> None:
        self.wires: list[Any] = []
        self._writer = writer
        self._text = document_text
        self._first = first_user_text
        self._open: dict[str, Any] | None = None
        self._before: tuple[type[Message], Path] | None = None

    def add(self, role: str, blocks: list[Any], message: Message, at: Path) -> None:
        """Add the blocks of a message, to the previous message if it has the same role and was not read separately."""
        last = self._open
        if (  # the common case: a turn of its own, without anything to restore or report
            last is not None
            and blocks
            and message.metadata is None
            and last["role"] != role
            and (role == "assistant" or not has_documents_without_text(blocks))
        ):
            self._open = turn = {"role": role, "content": blocks}
            self.wires.append(turn)
            self._before = type(message), at
            return
        extras = self._writer.own_extras(message.metadata, at) if message.metadata else NO_EXTRAS
        if not blocks and not extras:
            self._writer.report_loss(at, "a message", "dropped", "the API supports none of its parts")
            return
        if last is not None and (last["role"] != role or "$apart" in extras):
            last = None
        if (
            role == "user"
            and has_documents_without_text(blocks)
            and has_documents_without_text([*((last or {}).get("content") or ()), *blocks])
            and "text" not in extras.get("$absent", ())
        ):
            holder = (at, "content")
            self._writer.report_loss(holder, "a text part", "defaulted", "a document needs text next to it")
            blocks = [*blocks, {"text": self._text}]
        if role == "assistant" and self._before is None and "$apart" not in extras:
            self._writer.report_loss(at[0], "a message", "defaulted", "the first message must be from the user")
            self.wires.append({"role": "user", "content": [{"text": self._first}]})
        if last is not None:
            self._report(message, at)
            last["content"] = [*(last.get("content") or ()), *blocks]
            restore_extras(last, extras)
        else:
            self._open = {"role": role}
            if blocks or ("content" not in extras and "content" not in extras.get("$absent", ())):
                self._open["content"] = blocks
            if extras:
                restore_extras(self._open, extras)
            self.wires.append(self._open)
        self._before = type(message), at

    def add_opaque(self, wire: Any) -> None:
        """Add a message that is not part of the turns."""
        self.wires.append(wire)
        self._open = None

    def _report(self, message: Message, at: Path) -> None:
        """Report two messages that will be read back as one."""
        if self._before is not None and self._before[0] is type(message):
            self._writer.report_loss(
                (self._before[1], "content"), "a message", "rewritten", "the next one was joined to it"
            )
            self._writer.report_loss(at, "a message", "moved", "adjacent messages of the same role were joined")
