"""Converter for Cohere's chat: a plan beside the content, and one `strict_tools` for all tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...conversion.converter import ObjectReader, ObjectWriter, OutputFormat
from ...conversion.extras import (
    ABSENT,
    Extras,
    find_value_and_key,
    inner_extras,
    merge_extras_into,
    restore_extras,
    unmapped_members,
)
from ...conversion.message_order import order_for_api, results_of
from ...conversion.reader import Reader
from ...conversion.responses import derive_finish_reason, mark_calls_invalid, provider_stop_reason
from ...conversion.tool_results import (
    ResultKind,
    read_result_text_or_error,
    say_failure_in_value,
    write_result_text,
)
from ...conversion.values import optional_text, read_list_or_null, read_text_or_list, write_user_or_opaque
from ...conversion.writer import Writer
from ...errors import BareApiError, wrong_type
from ...json_values import same_json
from ...models import (
    AssistantMessage,
    AssistantPart,
    Completion,
    Message,
    OpaquePart,
    ReasoningPart,
    Request,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolDefinition,
    ToolMessage,
    UserMessage,
)
from ...paths import ROOT, Path, format_path
from ..chat_bases import keep_role, restore_role, write_parts_moving_media
from ..openai_chat.converter import ChatConverter
from .fields import (
    append_content,
    is_blank,
    move_system_messages_first,
    read_collectively_strict_schema,
    read_output_schema_with_required,
    read_result_documents,
    read_thinking_settings,
    restore_result_documents,
    says_nothing,
    select_tools_by_choice,
    to_supported_part,
    tool_plan_part_index,
    write_collectively_strict_schema,
    write_output_schema_with_required,
    write_thinking_settings,
)

__all__ = ["CohereConverter"]

_SILENT = frozenset(["content", "role"])
_ASSISTANT_MESSAGE = frozenset(["content", "role", "tool_calls", "tool_plan"])

_RESPONSE = frozenset(["finish_reason", "id", "message", "usage"])


class CohereConverter(ChatConverter):
    """Converts Cohere's requests and responses: a plan beside the content, and one `strict_tools` for all tools."""

    read_collectively_strict_schema = staticmethod(read_collectively_strict_schema)
    write_collectively_strict_schema = staticmethod(write_collectively_strict_schema)
    read_output_schema_with_required = staticmethod(read_output_schema_with_required)
    write_output_schema_with_required = staticmethod(write_output_schema_with_required)
    read_thinking_settings = staticmethod(read_thinking_settings)
    write_thinking_settings = staticmethod(write_thinking_settings)

    RESPONSE_KEYS = frozenset(["message", "finish_reason"])
    HAS_FUNCTION_MESSAGES = False

    read_request_body: ObjectReader[Request]
    write_request_body: ObjectWriter[Request]

    def write_tools(self, definitions: Sequence[Any] | None, extra: Any, at: Path, writer: Writer) -> Any:
        """Write the offered tools. In a request, `strict_tools` is written beside them."""
        are_alone = at == ROOT  # without a request, which would have `strict_tools`
        for i, definition in enumerate(definitions or ()):
            if are_alone and type(definition) is ToolDefinition and definition.strict:
                writer.report_loss(((at, i), "strict"), "strict", "dropped", "it is sent as strict_tools")
        return super().write_tools(definitions, extra, at, writer)

    def read_output_format(self, value: Any, at: Path, reader: Reader) -> OutputFormat:
        """Read the output format: JSON with or without a schema, or text. None for any other value."""
        if type(value) is dict and value.get("type") == "json_object":
            schema, key = find_value_and_key(value, "schema", "json_schema")
            if schema is None:
                return "json"
            members = {name: member for name, member in value.items() if name != key}
            return self.read_output_schema({**members, "schema": schema}, at, reader)
        return "text" if value == self.OUTPUT_FORMATS["text"] else None

    def write_output_format(self, output_format: OutputFormat, at: Path, writer: Writer) -> Any:
        """Write the output format. Text is the default."""
        if output_format is None or output_format == "text":
            return ABSENT
        if output_format == "json":
            return self.OUTPUT_FORMATS["json"]
        return self.write_output_schema(output_format, at, writer)

    def read_request(self, wire: dict[str, Any], at: Path, reader: Reader) -> Request:
        """Read a request body. `strict_tools` becomes `strict` of each tool."""
        request = self.read_request_body(wire, at, reader)
        strict = wire.get("strict_tools")
        if strict is not None and type(strict) is not bool:
            raise wrong_type((at, "strict_tools"), "a boolean", strict)
        definitions = [tool for tool in request.tools or () if type(tool) is ToolDefinition]
        for definition in definitions:
            definition.strict = strict or None
        if strict is not None and not (strict and definitions):
            merge_extras_into(request, reader.wire.name, {"strict_tools": strict})
        return request

    def write_request(self, request: Request, at: Path, writer: Writer) -> dict[str, Any]:
        """Write a request body. If a choice that names tools is weakened, only these tools are offered."""
        wire = self.write_request_body(request, at, writer)
        self.write_strict_tools(wire, request.tools or [], at, writer)
        if wire.get("tools"):
            offered, forced = select_tools_by_choice(request.tool_choice, wire["tools"], writer)
            if len(offered) < len(wire["tools"]):
                writer.report_loss((at, "tools"), "tools", "narrowed", "only the tools of the choice are offered")
            wire["tools"] = offered
            if forced:
                wire["tool_choice"] = self.TOOL_CHOICES["required"]
        return wire

    def write_strict_tools(self, wire: dict[str, Any], tools: Sequence[Any], at: Path, writer: Writer) -> None:
        """Set `strict_tools` if all tools are strict. If only some are, it is removed, and each of them is reported.

        Without tools, `strict_tools` stays as it was read.
        """
        is_strict = {
            i: tool.strict is True and tool.name not in writer.downgraded
            for i, tool in enumerate(tools)
            if type(tool) is ToolDefinition
        }
        if is_strict and all(is_strict.values()):
            wire["strict_tools"] = True
            return
        if is_strict and wire.get("strict_tools"):
            del wire["strict_tools"]
        for i in is_strict:
            if is_strict[i]:
                path = (((at, "tools"), i), "strict")
                writer.report_loss(path, "strict", "dropped", "either all tools are strict or none", "warning")

    def read_messages(self, wire: Any, at: Path, reader: Reader) -> list[Message]:
        """Read the messages. Blank ones are marked, because the API accepted them."""
        messages = super().read_messages(wire, at, reader)
        for message in messages:
            if isinstance(message, ToolMessage) or not says_nothing(message.content):
                continue
            reader.mark_sent(message)
            for part in message.content if type(message.content) is list else ():
                reader.mark_sent(part)
        return messages

    def read_system_entry(self, wire: dict[str, Any], position: int, at: Path, reader: Reader) -> Message:
        """Read a system message. Inside the conversation it is marked, so that it stays there."""
        message = self.read_system_message(wire, at, reader)
        if position > 0:
            merge_extras_into(message, reader.wire.name, {"$inline": True})
        return message

    def write_messages(self, messages: Sequence[Message], at: Path, writer: Writer) -> list[Any]:
        """Write the messages: one for the system text, one for each result, and then one with the media of results."""
        wires: list[Any] = []
        system: dict[str, Any] | None = None
        for message, here, paths in move_system_messages_first(order_for_api(messages, at, writer), writer):
            if type(message) is ToolMessage:
                writer.own_extras(message.metadata, here)
                for result, path in results_of(message, here, paths):
                    wires.append(self.write_tool_result(result, path, writer))
                continue
            if writer.media:
                wires.append(self.write_deferred_media_message(writer))
            wire = self.write_message_unless_empty(message, here, writer)
            if wire is None:
                continue
            if type(message) is not SystemMessage:
                wires.append(wire)
            elif system is None or wires[-1] is not system or writer.peek_extras(message.metadata).get("$inline"):
                wires.append(wire)
                system = wire
            else:
                append_content(system, wire)
        if writer.media:
            wires.append(self.write_deferred_media_message(writer))
        return wires

    def write_message_unless_empty(self, message: Message, at: Path, writer: Writer) -> dict[str, Any] | None:
        """Write a message that is not of a tool. None if it is empty and was not read so, which is reported."""
        reason = "the API rejects it"
        if type(message) is AssistantMessage:
            wire = self.write_assistant_message(message, at, writer)
            has_other_values = any(wire[key] for key in wire.keys() - _SILENT)
            is_sent = not is_blank(wire.get("content")) or has_other_values or writer.was_sent(message)
            reason = "the API rejects a message without content"
        elif type(message) is SystemMessage:
            wire = self.write_system_message(message, at, writer)
            is_sent = not is_blank(wire.get("content")) or bool(writer.peek_extras(message.metadata))
        elif type(message) is UserMessage:
            wire = write_user_or_opaque(message, at, writer, self.write_user_message)
            is_sent = not is_blank(wire.get("content")) or bool(writer.peek_extras(message.metadata))
        else:
            raise wrong_type(at, "a message", message)
        if is_sent:
            return wire
        writer.report_loss(at, "an empty message", "dropped", reason)
        return None

    def read_assistant_message(self, wire: dict[str, Any], at: Path, reader: Reader) -> AssistantMessage:
        """Read an assistant message: plain text stays text; otherwise parts: thinking, plan, text, calls."""
        content = wire.get("content")
        plan = wire.get("tool_plan")
        calls = wire.get("tool_calls")
        if plan is not None and type(plan) is not str:
            raise wrong_type((at, "tool_plan"), "a string", plan)
        extras = unmapped_members(wire, _ASSISTANT_MESSAGE)
        if plan == "":
            extras["tool_plan"] = plan
        if calls is not None and not calls:
            extras["tool_calls"] = calls
        if content in ("", [], {}):
            extras["content"] = content
        if type(content) is str and not plan and not calls:
            return AssistantMessage(content, metadata=reader.as_metadata(extras))
        parts: list[AssistantPart] = []
        if type(content) is str and content:
            parts.append(TextPart(content))
            extras["content"] = {"$around": None}
        elif content:
            parts += read_list_or_null(content, (at, "content"), reader, self.read_assistant_content) or []
        thought_indexes = [i for i, part in enumerate(parts) if type(part) is ReasoningPart and part.text]
        if plan:
            plan_part = ReasoningPart(plan, reader.as_metadata({"$as": "tool_plan"}))
            parts.insert(thought_indexes[-1] + 1 if thought_indexes else 0, plan_part)
        elif calls and thought_indexes:
            merge_extras_into(parts[thought_indexes[-1]], reader.wire.name, {"$as": "content"})
        if calls:
            parts += read_list_or_null(calls, (at, "tool_calls"), reader, self.read_tool_call_entry) or []
        if not parts and "content" not in wire:
            extras["$absent"] = ["content"]
        return AssistantMessage(None if content is None and not parts else parts, metadata=reader.as_metadata(extras))

    def write_assistant_message(self, message: AssistantMessage, at: Path, writer: Writer) -> dict[str, Any]:
        """Write an assistant message, with its parts under the keys of the wire."""
        extras = writer.own_extras(message.metadata, at)
        wire: dict[str, Any] = {"role": "assistant"}
        if message.name is not None:
            writer.report_unsupported((at, "name"), "name")
        if type(message.content) is list:
            self.write_parts_with_reasoning_as_plan(message.content, (at, "content"), writer, wire)
            was_text = "$around" in inner_extras(extras, "content")
            content = wire.get("content", ())
            if was_text and len(content) == 1 and content[0].keys() == {"type", "text"}:
                wire["content"] = content[0]["text"]
        elif message.content:
            wire["content"] = message.content
        if extras:
            restore_extras(wire, extras)
        return wire

    def write_parts_with_reasoning_as_plan(
        self, parts: list[AssistantPart], at: Path, writer: Writer, wire: dict[str, Any]
    ) -> None:
        """Write the parts of an assistant message: the last reasoning before calls as the plan, the rest as content."""
        plan_index = tool_plan_part_index(parts, writer.wire.name)
        has_calls = any(type(part) is ToolCallPart for part in parts)
        content: list[Any] = []
        calls: list[Any] = []
        for i, part in enumerate(parts):
            here = (at, i)
            if type(part) is ToolCallPart:
                writer.own_extras(part.metadata, here)
                calls.append(self.write_tool_call(part.call, (here, "call"), writer))
            elif type(part) is ReasoningPart and i == plan_index:
                wire["tool_plan"] = _write_plan(part, here, writer, content)
            elif type(part) is OpaquePart and writer.own_extras(part.metadata, here).get("$as") == "tool_calls":
                calls.append(part.value)
            else:
                if calls:
                    part_name = writer.part_class_name(part, here)
                    writer.report_loss(here, part_name, "moved", "content must come before calls")
                supported = to_supported_part(part, here, writer, has_calls)
                written = ABSENT if supported is None else self.write_assistant_content(supported, here, writer)
                if written is not ABSENT:
                    content.append(written)
        if content:
            wire["content"] = content
        if calls:
            wire["tool_calls"] = calls

    def read_text_or_documents(self, value: Any, at: Path, reader: Reader) -> tuple[ResultKind, Any, bool | None, Any]:
        """Read the result of a call: text, the text of an error, documents as data, or parts.

        The extra has what documents have beside their data, or a value that would be written differently.
        """
        if type(value) is str:
            kind, content, is_error = read_result_text_or_error(value)
            return kind, content, is_error, ABSENT if kind == "text" else {"$whole": value}
        documents = read_result_documents(value) if type(value) is list else None
        if documents is not None:
            return "data", documents[0], None, documents[1]
        parts = read_text_or_list(value, at, reader, self.read_result_part)
        return "multimodal", parts, None, ABSENT if parts else {"$whole": value}

    def write_text_or_documents(
        self, kind: str, value: Any, is_error: bool | None, extra: Any, at: Path, writer: Writer
    ) -> str | list[Any]:
        """Write the result of a call. Media follow at the end of the turn: results only hold text and documents."""
        original = inner_extras({"extra": extra}, "extra").get("$whole")
        if type(original) is str and same_json([*read_result_text_or_error(original)], [kind, value, is_error]):
            return original
        kind, value = say_failure_in_value(kind, value, is_error, at, writer)
        if kind == "multimodal":
            if original == [] and value == []:
                return []
            return write_parts_moving_media(value, (at[0], "value"), writer, self.write_result_part)
        if kind == "data":
            documents = restore_result_documents(value, extra)
            if documents is not None:
                return documents
            for field in ("kind", "value"):
                writer.report_loss((at[0], field), field, "rewritten", "it is sent as JSON text")
        return write_result_text(kind, value, at, writer)

    def read_response(self, wire: dict[str, Any], at: Path, reader: Reader) -> Completion:
        """Read a response: its message and finish reason."""
        body = wire.get("message")
        error = wire.get("error")
        if type(body) is str or (error and "message" not in wire):
            raise BareApiError(format_path(at), wire)
        stop_reason = optional_text(wire, "finish_reason", at)
        message = self.read_response_message(body, (at, "message"), reader)
        usage = wire.get("usage")
        if usage is not None and type(usage) is not dict:
            raise wrong_type((at, "usage"), "an object", usage)
        opaque = type(body) is dict and bool(body.get("tool_calls"))
        reason = derive_finish_reason(stop_reason, message, self.FINISH_REASONS, opaque)
        if error or body is None:
            reason = "error"
        mark_calls_invalid(message, reason)
        return Completion(
            message,
            reason,
            optional_text(wire, "id", at),
            stop_reason=stop_reason,
            usage=None if usage is None else self.USAGE.read(usage, (at, "usage"), reader),
            metadata=reader.as_metadata(_extras_of_response(wire, self.FINISH_REASONS)),
        )

    def read_response_message(self, body: Any, at: Path, reader: Reader) -> AssistantMessage:
        """Read the message of a response. Content that is a string, as in no other response, is marked.

        Raises:
            ConversionError: The message is neither an object nor null.
        """
        if body is None:
            return AssistantMessage()
        if type(body) is not dict:
            raise wrong_type(at, "an object", body)
        message = self.read_assistant_message(body, at, reader)
        keep_role(message, body, reader)
        if type(body.get("content")) is str and body["content"]:
            merge_extras_into(message, reader.wire.name, {"content": {"$around": None}})
        return message

    def write_response(
        self, completion: Completion, identifier: str | None, created: int | None, writer: Writer
    ) -> dict[str, Any]:
        """Write a response. Its content is always a list, unless it was read as a string."""
        extras = writer.own_extras(completion.metadata, ROOT)
        if completion.model is not None:
            writer.report_unsupported((ROOT, "model"), "model")
        wire: dict[str, Any] = {}
        if completion.id is not None or identifier is not None:
            wire["id"] = completion.id if completion.id is not None else identifier
        if "message" not in extras and "message" not in extras.get("$absent", ()):
            wire["message"] = self.write_response_message(completion.message, writer)
        if completion.stop_reason is not None or not extras:
            stop_reason = provider_stop_reason(completion, self.FINISH_REASONS, extras, writer)
            if stop_reason is not None:
                wire["finish_reason"] = stop_reason
        if completion.usage is not None:
            wire["usage"] = self.USAGE.write(completion.usage, (ROOT, "usage"), writer)
        restore_extras(wire, extras)
        return wire

    def write_response_message(self, message: AssistantMessage, writer: Writer) -> dict[str, Any]:
        """Write the message of a response. Its content is a list, unless it was read as a string."""
        wire = self.write_assistant_message(message, (ROOT, "message"), writer)
        restore_role(wire, message, writer)
        content = wire.get("content")
        was_text = "$around" in inner_extras(writer.peek_extras(message.metadata), "content")
        if type(content) is str and content and not was_text:
            wire["content"] = [{"type": "text", "text": content}]
        return wire


def _write_plan(part: ReasoningPart, at: Path, writer: Writer, content_before: list[Any]) -> str:
    """Return the text of the reasoning that is the plan. It is reported if other content comes before it."""
    writer.own_extras(part.metadata, at)
    writer.report_adopted_reasoning(part.metadata, at)
    if any(entry.get("type") != "thinking" for entry in content_before):
        writer.report_loss(at, "reasoning", "moved", "the plan must come first")
    return part.text


def _extras_of_response(wire: dict[str, Any], finish_reasons: Mapping[str, Any]) -> Extras:
    """Return what a response has that is written differently, or not at all, from a completion."""
    extras = unmapped_members(wire, _RESPONSE)
    stop_reason = wire.get("finish_reason")
    if stop_reason is not None and stop_reason not in finish_reasons:
        extras["finish_reason"] = stop_reason
    absent = [key for key in ("message", "finish_reason") if key not in wire]
    if absent:
        extras["$absent"] = absent
    return extras
