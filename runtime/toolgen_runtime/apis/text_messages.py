"""Base for text-only APIs: messages have `content`, then `toolCalls`, and each result is a message of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..conversion.converter import ObjectReader, ObjectWriter
from ..conversion.extras import Extras, restore_extras, unmapped_members
from ..conversion.reader import Reader
from ..conversion.values import collect_texts, optional_text
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..models import AssistantMessage, AssistantPart, OpaquePart, TextPart, ToolCall, ToolCallPart
from ..paths import Path
from .chat_bases import ChatMessageConverter

__all__ = ["TextChatConverter", "join_texts", "read_named_result_call", "write_named_result_call"]


def join_texts(content: str | Sequence[Any], at: Path, writer: Writer) -> str:
    """Join the texts of a content with line breaks. Other parts are described and reported."""
    if type(content) is str:
        return content
    texts = collect_texts(content, at, writer)
    if len(texts) > 1:
        writer.report_loss(at, "content", "rewritten", "the API accepts one text, so the texts were joined")
    return "\n".join(texts)


_ID, _NAME = "toolCallId", "name"


def read_named_result_call(wire: dict[str, Any], at: Path, reader: Reader) -> tuple[str, str, Extras]:
    """Read the id of the call and the name of the tool: that of the result, else that of the call.

    The extras keep a name that would be written differently, or that the name was missing.

    Raises:
        ConversionError: The id is not a string, or the name is neither a string nor null.
    """
    wire_id = wire.get(_ID)
    if type(wire_id) is not str:
        raise wrong_type((at, _ID), "a string", wire_id)
    wire_name = optional_text(wire, _NAME, at)
    name = reader.tool_name(wire_name) if wire_name else ""
    identifier, called = reader.match_result(wire_id, name)
    name = name or called
    if wire_name == (reader.wire.wire_name(name) if name else None) and (wire_name or _NAME not in wire):
        return identifier, name, {}
    return identifier, name, {"$name": [name, wire_name] if _NAME in wire else [name]}


def write_named_result_call(identifier: str, name: str, extras: Extras, at: Path, writer: Writer) -> dict[str, Any]:
    """Write the id as it was written for the call, and the name. The original id wins if it means the same."""
    written: dict[str, Any] = {_ID: writer.call_id(identifier)}
    extra = extras.get("$name")
    if type(extra) is list and extra[:1] == [name]:
        return written if len(extra) == 1 else {**written, _NAME: extra[1]}
    return written | ({_NAME: writer.tool_name(name, (at[0], "name"))} if name else {})


_ASSISTANT_MESSAGE = frozenset(["content", "role", "toolCalls"])


class TextChatConverter(ChatMessageConverter):
    """Converts text-only messages with `content`, then `toolCalls`, and a message of its own for each result."""

    read_named_result_call = staticmethod(read_named_result_call)
    write_named_result_call = staticmethod(write_named_result_call)

    CALLS_KEY = "toolCalls"

    read_assistant_content: ObjectReader[tuple[str | list[AssistantPart] | None, Extras]]
    write_assistant_content: Callable[[AssistantMessage, Extras, Path, Writer], dict[str, Any]]
    write_non_call_part: Callable[[AssistantPart, Path, Writer], list[Any]]
    write_tool_call: ObjectWriter[ToolCall]

    def read_assistant_message(self, wire: dict[str, Any], at: Path, reader: Reader) -> AssistantMessage:
        """Read an assistant message: plain text stays text; otherwise parts in the order content, calls."""
        content, extras = self.read_assistant_content(wire, at, reader)
        return AssistantMessage(
            content, metadata=reader.as_metadata({**unmapped_members(wire, _ASSISTANT_MESSAGE), **extras})
        )

    def write_assistant_message(self, message: AssistantMessage, at: Path, writer: Writer) -> dict[str, Any]:
        """Write an assistant message."""
        extras = writer.own_extras(message.metadata, at)
        wire: dict[str, Any] = {"role": "assistant", **self.write_assistant_content(message, extras, at, writer)}
        if extras:
            restore_extras(wire, extras)
        return wire

    def write_content_and_calls(
        self, message: AssistantMessage, at: Path, writer: Writer
    ) -> tuple[list[Any], list[Any]]:
        """Write the parts of an assistant message, and return the content and the calls separately."""
        if message.name is not None:
            writer.report_unsupported((at, "name"), "name")
        content = message.content
        if type(content) is str:
            return self.write_non_call_part(TextPart(content), (at, "content"), writer), []
        texts: list[Any] = []
        calls: list[Any] = []
        for i, part in enumerate(content if type(content) is list else ()):
            here = ((at, "content"), i)
            if type(part) is ToolCallPart:
                writer.own_extras(part.metadata, here)
                calls.append(self.write_tool_call(part.call, (here, "call"), writer))
            elif type(part) is OpaquePart and writer.peek_extras(part.metadata).get("$as") == "toolCalls":
                calls.append(part.value)
            else:
                if calls:
                    writer.report_loss(
                        here, writer.part_class_name(part, here), "moved", "content must come before calls"
                    )
                texts += self.write_non_call_part(part, here, writer)
        return texts, calls
