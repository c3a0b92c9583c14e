"""Messages and tool results of Anthropic Messages. Results are blocks of user messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...conversion.extras import ABSENT, NO_EXTRAS, Extras, merge_extras_into, restore_extras, unmapped_members
from ...conversion.reader import Reader
from ...conversion.values import (
    drop_inline_block,
    opaque_message,
    read_list_or_null,
    read_text_or_list,
    wire_message_of,
    write_list,
    write_text_or_list,
)
from ...conversion.writer import Writer
from ...converter import ObjectReader, ObjectWriter, ValueReader, ValueWriter
from ...errors import wrong_type
from ...message_order import order_restoring_separate_results
from ...models import (
    AssistantMessage,
    AssistantPart,
    ContentPart,
    Message,
    OpaquePart,
    ReasoningPart,
    RefusalPart,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from ...native_tool_converter import NativeToolSdkConverter
from ...paths import ROOT, Path
from ...tool_call_fields import read_result_call
from ...tool_results import report_error_text_sent_with_flag, write_result_text
from ...unpaired_results import results_of
from .fields import toolsets_of

__all__ = ["AnthropicMessageConverter", "note_blank"]

_MESSAGE = frozenset(["content", "role"])


def _with_extras(wire: dict[str, Any], extras: Extras) -> dict[str, Any]:
    """Restore the extras of a message."""
    if extras:
        restore_extras(wire, extras)
    return wire


def _is_inline_system_message(message: SystemMessage, writer: Writer) -> bool:
    """Return whether a system message was among the messages, or has blocks that cannot be anywhere else."""
    if writer.peek_extras(message.metadata).get("$inline"):
        return True
    return type(message.content) is list and any(
        type(part) is OpaquePart and part.provider == writer.wire.name for part in message.content
    )


def _is_blank(content: str | list[Any] | None) -> bool:
    """Return whether the content of a message has nothing but white space."""
    return not (content.strip() if type(content) is str else content)


def note_blank(content: Any, reader: Reader, extras: Extras) -> Extras:
    """Mark blank text of a body, which the API accepted there: a text in the extras, a part in its metadata."""
    if type(content) is str:
        return extras if content.strip() else {**extras, "$sent": True}
    if not content:
        return {**extras, "$sent": True}
    for part in content or ():
        if type(part) is TextPart and not part.text.strip():
            reader.mark_sent(part)
    return extras


def _report_if_blank(part: Any, at: Path, writer: Writer) -> bool:
    """Report blank text as dropped, because the API rejects it. Return whether the part is such a text."""
    if type(part) is not TextPart or part.text.strip() or writer.was_sent(part):
        return False
    writer.report_loss(at, "blank text", "dropped", "the API rejects it")
    return True


_RESULT = frozenset(["content", "is_error", "tool_use_id", "type"])


class AnthropicMessageConverter(NativeToolSdkConverter):
    """Converts messages and tool results of Anthropic Messages. Results are blocks of user messages."""

    read_assistant_content: ValueReader[AssistantPart]
    read_thinking_part: ObjectReader[ReasoningPart]
    write_assistant_content: ValueWriter[Any]
    write_thinking_part: ObjectWriter[ReasoningPart]

    def read_messages(self, wire: Any, at: Path, reader: Reader) -> list[Message]:
        """Read the messages. Results become messages of their own."""
        if type(wire) is not list:
            raise wrong_type(at, "an array", wire)
        messages: list[Message] = []
        for i, item in enumerate(wire):
            here = (at, i)
            if type(item) is not dict:
                raise wrong_type(here, "an object", item)
            role = item.get("role")
            extras = unmapped_members(item, _MESSAGE)
            if role == "assistant":
                content = item.get("content")
                if type(content) is list:
                    content = read_list_or_null(content, (here, "content"), reader, self.read_assistant_block)
                elif type(content) is not str:
                    raise wrong_type((here, "content"), "a string or an array", content)
                extras = note_blank(content, reader, extras)
                messages.append(AssistantMessage(content, metadata=reader.as_metadata(extras)))
                reader.next_turn()
            elif role == "user":
                messages += self.read_user_messages(item.get("content"), (here, "content"), reader, messages, extras)
            elif role == "system":
                system = read_text_or_list(item.get("content"), (here, "content"), reader, self.read_system_content)
                extras = note_blank(system, reader, {**extras, "$inline": True})
                messages.append(SystemMessage(system, metadata=reader.as_metadata(extras)))
            else:
                messages.append(opaque_message(item, reader))
        return messages

    def read_user_messages(
        self, content: Any, at: Path, reader: Reader, before: list[Message], extras: Extras
    ) -> list[Message]:
        """Read a user message. Consecutive results in it become a message of their own."""
        if type(content) is not list:
            text = read_text_or_list(content, at, reader, self.read_user_content)
            apart = {"$apart": True} if before and type(before[-1]) is ToolMessage else {}
            extras = note_blank(text, reader, {**extras, **apart})
            return [UserMessage(text, metadata=reader.as_metadata(extras))]
        found: list[Message] = []
        toolsets = toolsets_of(before[-1] if before else None, reader.wire.name)
        for i, block in enumerate(content):
            last = found[-1] if found else None
            if type(block) is dict and block.get("type") == "tool_result":
                result = self.read_tool_result(block, (at, i), reader)
                if toolsets.get(result.tool_call_id) and "toolset_name" not in block:
                    merge_extras_into(result, reader.wire.name, {"$toolset": None})
                if type(last) is ToolMessage:
                    last.results.append(result)
                else:
                    found.append(ToolMessage([result]))
            else:
                part = self.read_user_content(block, (at, i), reader)
                note_blank([part], reader, {})
                if type(last) is UserMessage and type(last.content) is list:
                    last.content.append(part)
                else:
                    found.append(UserMessage([part]))
        if not found:
            found.append(UserMessage([]))
        first = found[0]
        if before and type(before[-1]) is ToolMessage:
            extras = {**extras, "$apart": True}
        first.metadata = reader.as_metadata(extras)
        return found

    def read_assistant_block(self, wire: Any, at: Path, reader: Reader) -> AssistantPart:
        """Read a block of an assistant message."""
        if type(wire) is dict:
            kind = wire.get("type")
            if kind == "tool_use":
                call = self.read_tool_call(wire, at, reader)
                reader.note_call(wire.get("id"), call)
                return ToolCallPart(call)
            if kind == "thinking" and type(wire.get("thinking")) is str:
                thought = self.read_thinking_part(wire, at, reader)
                if "signature" not in wire:
                    merge_extras_into(thought, reader.wire.name, {"$absent": ["signature"]})
                return thought
            if kind == "redacted_thinking":
                return ReasoningPart("", reader.as_metadata(wire))
        return self.read_assistant_content(wire, at, reader)

    def write_assistant_block(self, part: AssistantPart, at: Path, writer: Writer) -> Any:
        """Write a part of an assistant message as a block."""
        if type(part) is ToolCallPart:
            if part.metadata:
                writer.own_extras(part.metadata, at)
            return self.write_tool_call(part.call, (at, "call"), writer)
        if type(part) is ReasoningPart:
            return self.write_reasoning(part, at, writer)
        if type(part) is RefusalPart:
            writer.report_loss(at, "a refusal", "rewritten", "it is sent as text")
            return {"type": "text", "text": part.text} if part.text.strip() else ABSENT
        if not writer.is_response and _report_if_blank(part, at, writer):
            return ABSENT
        return self.write_assistant_content(part, at, writer)

    def write_reasoning(self, part: ReasoningPart, at: Path, writer: Writer) -> Any:
        """Write thinking with its signature. Unsigned reasoning is dropped from a request, because the API rejects it.

        A response has it with an empty signature, because the types of the SDK require one.
        """
        extras = writer.own_extras(part.metadata, at)
        if extras.get("type") == "redacted_thinking":
            return extras
        is_kept = "signature" in extras if writer.is_response else extras.get("signature")
        if not is_kept and "signature" not in extras.get("$absent", ()):
            if writer.is_response:
                return {"type": "thinking", "thinking": part.text, "signature": ""}
            writer.report_loss(at, "reasoning", "dropped", "the API only accepts signed thinking")
            return ABSENT
        return self.write_thinking_part(part, at, writer)

    def write_messages(self, messages: Sequence[Message], at: Path, writer: Writer) -> list[Any]:
        """Write the messages. The results of a turn come first in the next user message, before what the user wrote."""
        wires: list[Any] = []
        results: list[Any] | None = None
        leading = True
        called: Message | None = None
        for message, here, paths in order_restoring_separate_results(messages, at, writer):
            extras = writer.own_extras(message.metadata, here) if message.metadata else NO_EXTRAS
            if type(message) is SystemMessage:
                if leading or not _is_inline_system_message(message, writer):
                    if at == ROOT:  # only the messages are converted, so there is no `system` key
                        writer.report_loss(here, "a system message", "dropped", "it was moved to system")
                    continue
                content = write_text_or_list(message.content, (here, "content"), writer, self.write_system_content)
                wires.append(_with_extras({"role": "system", "content": content}, extras))
                results = None
                continue
            leading = False
            if type(message) is ToolMessage:
                blocks = [self.write_tool_result(one, path, writer) for one, path in results_of(message, here, paths)]
                toolsets = toolsets_of(called, writer.wire.name)
                for result, block in zip(message.results, blocks, strict=True) if toolsets else ():
                    toolset = toolsets.get(result.tool_call_id)
                    if toolset is not None and "$toolset" not in writer.peek_extras(result.metadata):
                        block.setdefault("toolset_name", toolset)
                if results is None or extras.get("$apart"):
                    results = blocks
                    wires.append(_with_extras({"role": "user", "content": results}, extras))
                else:
                    results += blocks
            elif type(message) is UserMessage:
                self.add_user_message(message, here, writer, extras, results, wires)
                results = None  # a further message of the user stays a message of its own
            elif type(message) is AssistantMessage:
                self.add_assistant_message(message, here, writer, extras, wires)
                results = None
                called = message
            else:
                raise wrong_type(here, "a message", message)
        return wires

    def add_user_message(
        self,
        message: UserMessage,
        at: Path,
        writer: Writer,
        extras: Extras,
        results: list[Any] | None,
        wires: list[Any],
    ) -> None:
        """Add a user message. After results it is appended to their message, as the API requires."""
        if message.name is not None:
            writer.report_unsupported((at, "name"), "name")
        whole = wire_message_of(message, writer) if extras else ABSENT
        if whole is not ABSENT:
            wires.append(whole)
            return
        content = write_text_or_list(message.content, (at, "content"), writer, self.write_user_block)
        if _is_blank(content) and not extras:
            writer.report_loss(at, "an empty message", "dropped", "the API rejects a message without content")
        elif results is None or extras.get("$apart"):
            wires.append(_with_extras({"role": "user", "content": content}, extras))
        elif type(content) is list:
            results += content
        elif not _is_blank(content):
            results.append({"type": "text", "text": content})

    def write_user_block(self, part: ContentPart, at: Path, writer: Writer) -> Any:
        """Write a part of a user message. Blank text is dropped, because the API rejects it."""
        return ABSENT if _report_if_blank(part, at, writer) else self.write_user_content(part, at, writer)

    def add_assistant_message(
        self, message: AssistantMessage, at: Path, writer: Writer, extras: Extras, wires: list[Any]
    ) -> None:
        """Add an assistant message. A message without content is dropped, because the API rejects it."""
        if message.name is not None:
            writer.report_unsupported((at, "name"), "name")
        content: Any = message.content
        if type(content) is list:
            content = write_list(content, (at, "content"), writer, self.write_assistant_block)
        if _is_blank(content) and "$sent" not in extras:
            writer.report_loss(at, "an empty message", "dropped", "the API rejects a message without content")
            return
        wires.append(_with_extras({"role": "assistant", "content": content if content is not None else []}, extras))

    def write_system(self, messages: Sequence[Message], at: Path, writer: Writer) -> Any:
        """Write the system messages as the `system` value: a string, or the blocks of all of them."""
        found: list[tuple[SystemMessage, Path]] = []
        leading = True
        for i, message in enumerate(messages):
            if type(message) is not SystemMessage:
                leading = False
            elif leading or not _is_inline_system_message(message, writer):
                if not leading:
                    writer.report_loss((at, i), "a system message", "moved", "it must come before the conversation")
                if type(message.content) is str and _is_blank(message.content) and not message.metadata:
                    writer.report_loss((at, i), "blank text", "dropped", "the API rejects it")
                else:
                    found.append((message, (at, i)))
        if not found:
            return None
        if len(found) == 1 and type(found[0][0].content) is str and not found[0][0].cache:
            if found[0][0].name is not None:
                writer.report_unsupported((found[0][1], "name"), "name")
            return found[0][0].content
        blocks: list[Any] = []
        for message, here in found:
            if message.name is not None:
                writer.report_unsupported((here, "name"), "name")
            if len(found) > 1 and not message.content:
                writer.report_loss(here, "a system message", "dropped", "it has no text")
            blocks += self.write_system_blocks(message, here, writer)
        if len(found) > 1:
            writer.report_loss(at, "system messages", "rewritten", "they were joined")
        return None if not blocks and all(message.content for message, _ in found) else blocks

    def write_system_block(self, part: ContentPart, at: Path, writer: Writer) -> Any:
        """Write a part of a system message. Blank text is dropped, because the API rejects it."""
        return ABSENT if _report_if_blank(part, at, writer) else self.write_system_content(part, at, writer)

    def write_moved_system_block(self, part: ContentPart, at: Path, writer: Writer) -> Any:
        """Write a part of a system message that was among the messages."""
        return ABSENT if drop_inline_block(part, at, writer) else self.write_system_block(part, at, writer)

    def write_system_blocks(self, message: SystemMessage, at: Path, writer: Writer) -> list[Any]:
        """Write the content of one system message as blocks."""
        if type(message.content) is list:
            moved = writer.peek_extras(message.metadata).get("$inline")
            write = self.write_moved_system_block if moved else self.write_system_block
            blocks = write_list(message.content, (at, "content"), writer, write)
        else:
            blocks = [] if _is_blank(message.content) else [{"type": "text", "text": message.content}]
        if message.cache and blocks and "cache_control" not in blocks[-1]:
            blocks[-1] = {**blocks[-1], "cache_control": {"type": "ephemeral"}}
        return blocks

    def read_tool_result(self, wire: dict[str, Any], at: Path, reader: Reader) -> ToolResult:
        """Read the result of a call."""
        identifier, name = read_result_call(wire.get("tool_use_id", ABSENT), (at, "tool_use_id"), reader)
        extras = unmapped_members(wire, _RESULT)
        failed = wire.get("is_error")
        if failed is not None and type(failed) is not bool:
            raise wrong_type((at, "is_error"), "a boolean", failed)
        if failed is False:
            extras["is_error"] = False
        content = wire.get("content")
        if content is None:
            if "content" not in wire:
                extras["$absent"] = ["content"]
            content = ""
        value = read_text_or_list(content, (at, "content"), reader, self.read_user_content)
        if type(value) is list:
            return ToolResult(
                identifier, name, "multimodal", value, failed or None, metadata=reader.as_metadata(extras)
            )
        return ToolResult(identifier, name, "error" if failed else "text", value, metadata=reader.as_metadata(extras))

    def write_tool_result(self, result: ToolResult, at: Path, writer: Writer) -> dict[str, Any]:
        """Write the result of a call: data as JSON text, an error with the error flag."""
        extras = writer.own_extras(result.metadata, at) if result.metadata else NO_EXTRAS
        kind, content = result.kind, result.value
        if kind == "multimodal":
            content = write_list(content, (at, "value"), writer, self.write_user_block)
        elif kind == "error":
            report_error_text_sent_with_flag(result, at, writer)
        elif kind != "text" or type(content) is not str:
            content = write_result_text(kind, content, (at, "value"), writer)
        wire = {"type": "tool_result", "tool_use_id": writer.call_id(result.tool_call_id), "content": content}
        if content == "" and "content" in extras.get("$absent", ()):
            del wire["content"]
        if kind == "error" or result.is_error:
            wire["is_error"] = True
            if _is_blank(content):
                writer.report_loss((at, "value"), "value", "defaulted", "the API rejects an error without content")
                wire["content"] = self.DEFAULTS["result"]
        if extras:
            restore_extras(wire, extras)
        return wire
