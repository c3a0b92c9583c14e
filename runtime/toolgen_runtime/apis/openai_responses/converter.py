"""Converter for OpenAI's Responses, in which a conversation is a list of items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ...conversion.converter import ObjectReader, ObjectWriter, ValueReader, ValueWriter
from ...conversion.extras import (
    ABSENT,
    Extras,
    inner_extras,
    is_internal_mark,
    merge_extras_into,
    restore_extras,
    unmapped_members,
)
from ...conversion.message_order import is_detached_result, order_restoring_separate_results, results_of
from ...conversion.reader import Reader
from ...conversion.responses import (
    FinishReason,
    UsageTable,
    derive_finish_reason,
    mark_calls_invalid,
    provider_stop_reason,
)
from ...conversion.tool_results import (
    ResultKind,
    read_result_parts_or_error,
    read_result_text_or_error,
    say_failure_in_value,
    write_result_text,
)
from ...conversion.values import (
    mark_empty_list,
    opaque_message,
    optional_object,
    optional_text,
    read_text_or_list,
    write_system_unless_empty,
)
from ...conversion.writer import Writer
from ...errors import BareApiError, wrong_type
from ...models import (
    AssistantMessage,
    AssistantPart,
    Completion,
    ContentPart,
    Message,
    OpaquePart,
    ReasoningPart,
    Request,
    SystemMessage,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from ...paths import ROOT, Path, format_path
from ..chat_bases import OutputFormatConverter, write_result_parts
from .fields import (
    add_required_item_keys,
    add_required_keys,
    classify_item,
    drop_reasoning_at_end,
    has_approval_request,
    has_opaque_client_call,
    link_calls_to_reasoning,
    make_assistant_message,
    program_callers,
    read_always_written_flag,
    read_file_source,
    read_value_with_default,
    reasoning_text,
    without_unusable_id,
    write_always_written_flag,
    write_file_source,
    write_message_item,
    write_reasoning_item,
    write_short_message,
    write_user_or_opaque_item,
    write_value_with_default,
)

__all__ = ["ResponsesConverter"]


def _is_plain_system_text(message: Message, provider: str) -> bool:
    """Return whether a message is only a system text, without extras."""
    return (
        type(message) is SystemMessage
        and type(message.content) is str
        and not inner_extras(message.metadata or {}, provider)
    )


_MESSAGE_KEYS = frozenset(["content", "role"])
_RESPONSE = frozenset(["id", "model", "output", "status", "usage"])
_UNFINISHED = frozenset(["in_progress", "incomplete", "queued"])
_STATUSES = frozenset(["cancelled", "completed", "failed", *_UNFINISHED])


class ResponsesConverter(OutputFormatConverter):
    """Converts requests and responses of OpenAI's Responses, in which a conversation is a list of items."""

    read_always_written_flag = staticmethod(read_always_written_flag)
    write_always_written_flag = staticmethod(write_always_written_flag)
    read_file_source = staticmethod(read_file_source)
    write_file_source = staticmethod(write_file_source)
    read_value_with_default = staticmethod(read_value_with_default)
    write_value_with_default = staticmethod(write_value_with_default)

    RESPONSE_KEYS = frozenset(["output", "status"])
    USAGE: ClassVar[UsageTable]
    """Where the API has counts of tokens."""

    read_input_content: ValueReader[ContentPart]
    read_message_content: ValueReader[AssistantPart]
    read_request_body: ObjectReader[Request]
    read_system_message: ObjectReader[SystemMessage]
    read_tool_call: ObjectReader[ToolCall]
    read_tool_result: ObjectReader[ToolResult]
    read_user_message: ObjectReader[UserMessage]
    write_input_content: ValueWriter[Any]
    write_message_content: ValueWriter[Any]
    write_request_body: ObjectWriter[Request]
    write_system_message: ObjectWriter[SystemMessage]
    write_tool_call: ObjectWriter[ToolCall]
    write_tool_result: ObjectWriter[ToolResult]
    write_user_message: ObjectWriter[UserMessage]

    def read_request(self, wire: dict[str, Any], at: Path, reader: Reader) -> Request:
        """Read a request body. The instructions become system text before the conversation."""
        request = self.read_request_body(wire, at, reader)
        instructions = optional_text(wire, "instructions", at)
        if instructions is not None:
            if request.messages and request.messages[0].metadata == {reader.wire.name: {"$inline": True}}:
                request.messages[0].metadata = None
            request.messages.insert(0, SystemMessage(instructions))
        return request

    def write_request(self, request: Request, at: Path, writer: Writer) -> dict[str, Any]:
        """Write a request body. System text in the first message becomes the instructions, unless it is the only item."""
        wire = self.write_request_body(request, at, writer)
        first = request.messages[0] if request.messages else None
        if type(first) is SystemMessage and wire.get("input") == [] and not writer.peek_extras(request.metadata):
            wire["input"] = [self.write_system_message(first, ((at, "messages"), 0), writer)]
        elif type(first) is SystemMessage and type(first.content) is str and not writer.peek_extras(first.metadata):
            path = ((at, "messages"), 0)
            writer.own_extras(first.metadata, path)
            for key in ("name", "cache"):
                if getattr(first, key):
                    writer.report_unsupported((path, key), key)
            wire["instructions"] = first.content
        return wire

    def read_input_string_or_items(self, wire: Any, at: Path, reader: Reader) -> tuple[list[Message], Any]:
        """Read the items of a request. There may be none, or a string that is the only user message."""
        if wire is ABSENT or wire is None:
            return [], {"$absent": True} if wire is ABSENT else None
        return self.read_messages(wire, at, reader), {"$around": None} if type(wire) is str else ABSENT

    def write_input_string_or_items(self, messages: Sequence[Message], extra: Any, at: Path, writer: Writer) -> Any:
        """Write the items of a request, as a string if they were read from one."""
        wires = self.write_messages(messages, at, writer)
        if not wires and (extra is None or (is_internal_mark(extra) and "$absent" in extra)):
            return ABSENT
        if len(wires) != 1 or not is_internal_mark(extra) or "$around" not in extra:
            return wires
        text = wires[0].get("content")
        return text if wires[0] == {"role": "user", "content": text} and type(text) is str else wires

    def read_messages(self, wire: Any, at: Path, reader: Reader) -> list[Message]:
        """Read the items. Adjacent items of the model become one message, and so do adjacent results."""
        if type(wire) is str:
            return [UserMessage(wire)]
        if type(wire) is not list:
            raise wrong_type(at, "a string or an array", wire)
        messages: list[Message] = []
        parts: list[AssistantPart] = []
        for i, item in enumerate(wire):
            here = (at, i)
            if type(item) is not dict:
                raise wrong_type(here, "an object", item)
            kind = classify_item(item)
            if kind in ("message", "call", "reasoning", "model_item"):
                read = self.read_item(item, here, reader)
                if _is_empty_message(item):
                    reader.mark_sent(read[0])
                parts += read
                continue
            if parts:
                messages.append(make_assistant_message(parts, reader))
                parts = []
            if kind == "result":
                self.read_result(item, here, reader, messages)
            elif kind == "user":
                messages.append(mark_empty_list(self.read_user_message(item, here, reader), reader))
            elif kind == "system":
                message = self.read_system_message(item, here, reader)
                if not messages and _is_plain_system_text(message, reader.wire.name):
                    message.metadata = reader.as_metadata({"$inline": True})
                messages.append(message)
            else:
                messages.append(opaque_message(item, reader))
        if parts:
            messages.append(make_assistant_message(parts, reader))
        return messages

    def read_result(self, item: dict[str, Any], at: Path, reader: Reader, messages: list[Message]) -> None:
        """Read a result. One that does not directly follow its call keeps its position."""
        result = self.read_tool_result(item, at, reader)
        last = messages[-1] if messages else None
        if type(last) is ToolMessage:
            last.results.append(result)
            return
        apart = result.name and is_detached_result(result.tool_call_id, last)
        messages.append(ToolMessage([result], reader.as_metadata({"$apart": True} if apart else {})))

    def read_item(self, item: dict[str, Any], at: Path, reader: Reader) -> list[AssistantPart]:
        """Read an item of the model as parts. An item that the format has no type for becomes an opaque part."""
        kind = classify_item(item)
        if kind == "message":
            return self.read_message_item(item, at, reader)
        if kind == "call":
            call = self.read_tool_call(item, at, reader)
            reader.note_call(item.get("call_id"), call)
            return [ToolCallPart(call)]
        if kind == "reasoning":
            extras = {key: value for key, value in item.items() if key != "type"}
            return [ReasoningPart(reasoning_text(item), reader.as_metadata(extras))]
        return [OpaquePart(reader.wire.name, item)]

    def read_message_item(self, item: dict[str, Any], at: Path, reader: Reader) -> list[AssistantPart]:
        """Read a message of the model. Extras of its parts record that they were one message, and its other keys."""
        content = item["content"]
        extras = unmapped_members(item, _MESSAGE_KEYS)
        if type(content) is str:
            return [
                TextPart(
                    content,
                    metadata=reader.as_metadata(
                        {"$around": {**extras, "content": {"$around": None}}} if extras else {}
                    ),
                )
            ]
        parts: list[AssistantPart] = []
        for i, wire in enumerate(content):
            part = self.read_message_content(wire, ((at, "content"), i), reader)
            merge_extras_into(part, reader.wire.name, {"$inline": True} if parts else {"$around": extras})
            parts.append(part)
        return parts

    def write_messages(self, messages: Sequence[Message], at: Path, writer: Writer) -> list[Any]:
        """Write the messages as items. System text in the first message is beside them in a request."""
        wires: list[Any] = []
        callers: dict[str, Any] = {}
        assistant: tuple[Path, Extras | None] | None = None
        for message, here, paths in order_restoring_separate_results(messages, at, writer, server_has_calls=True):
            if type(message) is AssistantMessage:
                items = self.write_assistant_message(message, here, writer)
                callers |= program_callers(items)
                if items:
                    if assistant is not None:
                        writer.report_loss(here, "a message", "rewritten", "its items join those of the message before")
                    assistant = here, message.metadata
                    wires += items
                continue
            drop_reasoning_at_end(wires, assistant, writer)
            if type(message) is ToolMessage:
                if message.metadata:
                    writer.own_extras(message.metadata, here)
                for result, path in results_of(message, here, paths):
                    wire = self.write_tool_result(result, path, writer)
                    caller = callers and callers.get(wire["call_id"])
                    wires.append({"caller": caller, **wire} if caller else wire)
            elif type(message) is SystemMessage:
                if here[1] != 0 or not _is_plain_system_text(message, writer.wire.name):
                    wires += write_system_unless_empty(message, here, writer, self.write_system_message)
                elif at == ROOT:  # only the messages are converted, so there is no `instructions` key
                    writer.report_loss(here, "a system message", "dropped", "it was moved to instructions")
            elif type(message) is UserMessage:
                wires.append(write_user_or_opaque_item(message, here, writer, self.write_user_message))
            else:
                raise wrong_type(here, "a message", message)
            assistant = None
        drop_reasoning_at_end(wires, None if at == ROOT else assistant, writer)
        return wires

    def write_assistant_message(self, message: AssistantMessage, at: Path, writer: Writer) -> list[Any]:
        """Write an assistant message for a request."""
        writer.own_extras(message.metadata, at)
        if message.name is not None:
            writer.report_unsupported((at, "name"), "name")
        if type(message.content) is str:
            return [{"role": "assistant", "content": message.content}]
        parts = message.content if type(message.content) is list else []
        items = self.write_items(parts, (at, "content"), writer, short=True)
        if not items:
            writer.report_loss(at, "an empty message", "dropped", "the API has no item for it")
        return items

    def write_items(self, parts: Sequence[AssistantPart], at: Path, writer: Writer, *, short: bool) -> list[Any]:
        """Write the parts of an assistant message as items.

        Text from another provider is a message in its `short` form in a request, because the long form needs the id of
        a stored message. In a response, consecutive text is one message.
        """
        items: list[Any] = []
        content: list[Any] | None = None
        for i, part in enumerate(parts):
            here = (at, i)
            if type(part) is ToolCallPart:
                if part.metadata:
                    writer.own_extras(part.metadata, here)
                call = self.write_tool_call(part.call, (here, "call"), writer)
                items.append(without_unusable_id(call, part.call, items, here, writer) if part.call.metadata else call)
                content = None
            elif type(part) is ReasoningPart:
                items += write_reasoning_item(part, here, writer, short=short)
                content = None
            else:
                extras = writer.peek_extras(part.metadata)
                if type(part) is OpaquePart and "$around" not in extras and "$inline" not in extras:
                    if short and _is_empty_message(part.value) and "$sent" not in extras:
                        writer.report_loss(here, "an empty message", "dropped", "the API rejects it without content")
                        continue
                    opaque = self.write_message_content(part, here, writer)
                    if opaque is not ABSENT:
                        items.append(opaque)
                        content = None
                    continue
                if short and "$around" not in extras and ("$inline" not in extras or content is None):
                    items += write_short_message(part, here, writer)
                    content = None
                    continue
                written = self.write_message_content(part, here, writer)
                if written is ABSENT:
                    continue
                if "$around" in extras or content is None:
                    content = [written]
                    items.append(write_message_item(content, extras, part))
                else:
                    content.append(written)
        return items

    def read_result_content(self, value: Any, at: Path, reader: Reader) -> tuple[ResultKind, Any, bool | None]:
        """Read the result of a call: text, the text of an error, or parts, perhaps of an error."""
        if type(value) is str:
            return read_result_text_or_error(value)
        parts: Any = read_text_or_list(value, at, reader, self.read_input_content)
        return read_result_parts_or_error(parts)

    def write_result_content(
        self, kind: str, value: Any, is_error: bool | None, at: Path, writer: Writer
    ) -> str | list[Any]:
        """Write the result of a call."""
        kind, value = say_failure_in_value(kind, value, is_error, at, writer)
        if kind != "multimodal":
            return write_result_text(kind, value, at, writer)
        return write_result_parts(value, (at[0], "value"), writer, self.write_input_content)

    def read_response(self, wire: dict[str, Any], at: Path, reader: Reader) -> Completion:
        """Read a response. Its items become the parts of one message."""
        error = wire.get("error")
        if "output" not in wire and (error or wire.get("type") == "error"):  # the event `error` of a stream is flat
            raise BareApiError(format_path(at), wire)
        extras = unmapped_members(wire, _RESPONSE)
        parts = self.read_output(wire.get("output"), (at, "output"), reader)
        message = AssistantMessage(parts)
        if "output" not in wire or "object" not in wire:
            extras["$absent"] = [key for key in ("object", "output") if key not in wire]
        usage = wire.get("usage")
        if usage is not None and type(usage) is not dict:
            raise wrong_type((at, "usage"), "an object", usage)
        status = optional_text(wire, "status", at)
        details = optional_object(wire, "incomplete_details", at)
        incomplete_reason = optional_text(details, "reason", (at, "incomplete_details"))
        if status == "" or (incomplete_reason and status is not None):
            extras["status"] = status
        stop_reason = incomplete_reason or status
        reason: FinishReason = "error" if error else self.finish_reason(stop_reason, message, parts or [], reader)
        mark_calls_invalid(message, reason)
        if status in _UNFINISHED and reason in ("other", "tool_calls"):
            reason = "other"
            mark_calls_invalid(message, "error")
        return Completion(
            message,
            reason,
            optional_text(wire, "id", at),
            optional_text(wire, "model", at),
            stop_reason or None,
            None if usage is None else self.USAGE.read(usage, (at, "usage"), reader),
            reader.as_metadata(extras),
        )

    def read_output(self, output: Any, at: Path, reader: Reader) -> list[AssistantPart] | None:
        """Read the items of a response as parts of one message. None for null.

        Raises:
            ConversionError: The output is not an array of objects, or an item has a value of the wrong type.
        """
        if output is None:
            return None
        if type(output) is not list:
            raise wrong_type(at, "an array", output)
        parts: list[AssistantPart] = []
        for i, item in enumerate(output):
            if type(item) is not dict:
                raise wrong_type((at, i), "an object", item)
            parts += self.read_item(item, (at, i), reader)
        link_calls_to_reasoning(parts, reader)
        return parts

    def finish_reason(
        self, stop_reason: str | None, message: AssistantMessage, parts: list[AssistantPart], reader: Reader
    ) -> FinishReason:
        """Return why the model stopped. Calls that are opaque parts also wait for the app, and so do approvals."""
        reason = derive_finish_reason(stop_reason, message, self.FINISH_REASONS)
        if reason == "stop" and has_opaque_client_call(parts, reader.wire.name):
            return "tool_calls"
        if reason == "stop" and has_approval_request(parts, reader.wire.name):
            return "other"
        return reason

    def write_response(
        self, completion: Completion, identifier: str | None, created: int | None, writer: Writer
    ) -> dict[str, Any]:
        """Write a response. One that was not read from this wire gets the keys that the API requires."""
        extras = writer.own_extras(completion.metadata, ROOT)
        content = completion.message.content
        parts: list[AssistantPart] = content if type(content) is list else []
        if type(content) is str and content:
            parts = [TextPart(content)]
        wire: dict[str, Any] = {}
        if completion.id is not None or identifier is not None:
            wire["id"] = completion.id if completion.id is not None else identifier
        if "object" not in extras.get("$absent", ()):
            wire["object"] = extras.get("object", "response")
        if created is not None:
            wire["created_at"] = extras.get("created_at", created)
        self.write_status(completion, extras, wire, writer)
        if completion.model is not None:
            wire["model"] = completion.model
        if content is not None or not extras:
            path = ((ROOT, "message"), "content")
            wire["output"] = self.write_items(parts, path, writer, short=False)
            if not extras:
                add_required_item_keys(wire["output"], str(wire.get("id", "0")))
        if completion.usage is not None:
            wire["usage"] = self.USAGE.write(completion.usage, (ROOT, "usage"), writer)
        restore_extras(wire, extras)
        return wire if extras else add_required_keys(wire, completion)

    def write_status(self, completion: Completion, extras: Extras, wire: dict[str, Any], writer: Writer) -> None:
        """Write why the response ended: as its status, or as the reason of an incomplete one."""
        stop_reason = None
        if completion.stop_reason is not None or not extras:
            stop_reason = provider_stop_reason(completion, self.FINISH_REASONS, extras, writer)
        original = inner_extras(extras, "incomplete_details").get("reason")
        if stop_reason is None or (original and stop_reason == original):
            return
        if stop_reason in _STATUSES or (extras and not original and stop_reason not in self.FINISH_REASONS):
            wire["status"] = stop_reason
        else:
            wire["status"] = "incomplete"
            wire["incomplete_details"] = {"reason": stop_reason}


def _is_empty_message(item: Any) -> bool:
    """Return whether an item is a message of the model without content."""
    return type(item) is dict and item.get("type") == "message" and item.get("content") == []
