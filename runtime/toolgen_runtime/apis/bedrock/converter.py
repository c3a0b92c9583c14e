"""Converter for Bedrock's Converse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from ...conversion.converter import (
    NativeToolSdkConverter,
    ObjectReader,
    ObjectWriter,
    OutputFormat,
    ValueReader,
    ValueWriter,
)
from ...conversion.extras import (
    ABSENT,
    NO_EXTRAS,
    Extras,
    has_value_at,
    inner_extras,
    merge_extras_into,
    objects_in,
    restore_extras,
    unmapped_members,
)
from ...conversion.fit_to_model import report_for_model
from ...conversion.message_order import (
    mark_texts_behind_calls,
    order_restoring_separate_results,
    results_of,
    texts_before_calls,
)
from ...conversion.reader import Reader
from ...conversion.request_tools import none_if_empty, write_tools
from ...conversion.responses import (
    FinishReason,
    UsageTable,
    derive_finish_reason,
    mark_calls_invalid,
    provider_stop_reason,
)
from ...conversion.tool_results import (
    ResultKind,
    report_error_text_sent_with_flag,
    say_failure_in_value,
    write_result_text,
)
from ...conversion.values import (
    drop_inline_block,
    is_inline_system_message,
    opaque_message,
    optional_object,
    optional_text,
    wire_message_of,
    write_or_describe,
)
from ...conversion.writer import Writer
from ...errors import BareApiError, wrong_type
from ...history import has_tool_calls, is_tool_result
from ...models import (
    AssistantMessage,
    AssistantPart,
    AudioPart,
    Completion,
    ContentPart,
    Message,
    OpaquePart,
    OutputSchema,
    ReasoningPart,
    RefusalPart,
    Request,
    SystemMessage,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolChoice,
    ToolDefinition,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from ...paths import ROOT, Path, format_path
from ..claude_thinking import fit_thinking, fit_thinking_to_limit, fit_thinking_to_turn, write_thinking
from .cache_points import (
    attach_cache_point,
    cache_points_after,
    has_surplus_cache_points,
    limit_cache_points,
    mark_last_block,
    shared_cache_point,
)
from .client_values import Base64Keys, encode_bytes_as_base64, find_exception, is_api_error
from .content import (
    block_kind,
    drop_response_type,
    has_documents_without_text,
    mark_part_as_from_request,
    original_block,
    read_blocks,
    read_cited_block,
    read_json_block,
    read_result_blocks,
    unwrap_single_text,
    write_blocks,
    write_cited_block,
    write_json_block,
    write_part_unless_rejected,
    write_placed_blocks,
    write_result_blocks,
)
from .fields import (
    DistinctDocumentNames,
    mark_repeated_document_names,
    read_block_source,
    read_described_schema_text,
    read_document_name,
    read_text_unless_empty,
    write_block_source,
    write_described_schema_text,
    write_document_name,
    write_text_unless_empty,
)

__all__ = ["BedrockConverter"]

_RESPONSE = frozenset(["ResponseMetadata", "output", "stopReason", "usage"])
_OUTPUT = frozenset(["message"])
_MESSAGE = frozenset(["content", "role"])


class BedrockConverter(NativeToolSdkConverter):
    """Converts requests and responses of Converse.

    Results are blocks of user messages. System text is beside the messages.
    """

    RESPONSE_KEYS = frozenset(["output", "stopReason"])
    DEFAULT_KEYS = ("user", "document", "result")
    SDK_BYTES: ClassVar[Base64Keys]
    """The values that are base64 in a body and bytes in the client."""
    USAGE: ClassVar[UsageTable]
    """Where the API has counts of tokens."""

    read_block_source = staticmethod(read_block_source)
    write_block_source = staticmethod(write_block_source)
    read_document_name = staticmethod(read_document_name)
    write_document_name = staticmethod(write_document_name)
    read_described_schema_text = staticmethod(read_described_schema_text)
    write_described_schema_text = staticmethod(write_described_schema_text)
    read_text_unless_empty = staticmethod(read_text_unless_empty)
    write_text_unless_empty = staticmethod(write_text_unless_empty)

    read_assistant_content: ValueReader[AssistantPart]
    read_output_schema: ObjectReader[OutputSchema]
    read_reasoning_part: ObjectReader[ReasoningPart]
    read_request_body: ObjectReader[Request]
    read_result_part: ValueReader[ContentPart]
    read_system_content: ValueReader[ContentPart]
    read_text_part: ObjectReader[TextPart]
    read_tool: ObjectReader[ToolDefinition]
    read_tool_result: ObjectReader[ToolResult]
    read_tool_use: ObjectReader[ToolCall]
    read_user_content: ValueReader[ContentPart]
    sdk_call: Callable[..., dict[str, Any]]
    write_assistant_content: ValueWriter[Any]
    write_output_schema: ObjectWriter[OutputSchema]
    write_reasoning_part: ObjectWriter[ReasoningPart]
    write_request_body: ObjectWriter[Request]
    write_result_part: ValueWriter[Any]
    write_system_content: ValueWriter[Any]
    write_tool: ObjectWriter[ToolDefinition]
    write_tool_result: ObjectWriter[ToolResult]
    write_tool_use: ObjectWriter[ToolCall]
    write_user_content: ValueWriter[Any]

    def normalize_body(self, wire: Any) -> Any:
        """Encode the client's bytes as base64."""
        return encode_bytes_as_base64(wire, self.SDK_BYTES.free)

    def write_sdk_kwargs(self, request: Request, writer: Writer) -> dict[str, Any]:
        """Write the keyword arguments for the official client."""
        body = self.write_checked_request(request, writer)
        return self.sdk_call(request.model, body, self.SDK_KEYWORDS, self.SDK_BYTES, writer)

    def read_request(self, wire: dict[str, Any], at: Path, reader: Reader) -> Request:
        """Read a request body. The extras record that a history with calls has no tools, or that it has many points."""
        request = self.read_request_body(wire, at, reader)
        if "toolConfig" not in wire and _has_tool_blocks(wire.get("messages")):
            merge_extras_into(request, reader.wire.name, {"$absent": ["toolConfig"]})
        if has_surplus_cache_points(wire):
            merge_extras_into(request, reader.wire.name, {"$sent": True})
        return request

    def write_request(self, request: Request, at: Path, writer: Writer) -> dict[str, Any]:
        """Write a request body, with the tools that the API requires and without those that must not be called."""
        thinking, request = _write_thinking(request, (at, "reasoning"), writer)
        wire = self.write_request_body(request, at, writer)
        if writer.model_facts.reasoning.thinking is not None:
            path = (at, "reasoning")
            thinking = fit_thinking_to_turn(thinking, wire.get("messages"), _kind_of_block, path, writer)
            most = inner_extras(wire, "inferenceConfig").get("maxTokens")
            thinking = fit_thinking_to_limit(thinking, most, path, writer)
        further = {k: v for k, v in inner_extras(wire, "additionalModelRequestFields").items() if k != "thinking"}
        if thinking is not ABSENT:
            further["thinking"] = thinking
        if further:
            wire["additionalModelRequestFields"] = further
        elif "thinking" in inner_extras(wire, "additionalModelRequestFields"):
            del wire["additionalModelRequestFields"]
        extras = writer.peek_extras(request.metadata)
        _complete_tool_config(wire, request.tool_choice, extras, writer)
        shared = writer.shared_extra(request.metadata)
        if type(shared) is dict and type(wire.get("messages")) is list and wire["messages"]:
            mark_last_block(wire["messages"][-1], shared_cache_point(shared, at, writer))
        if "$sent" not in extras:
            limit_cache_points(wire, at, writer)
        return wire

    def read_conversation(self, wire: dict[str, Any], at: Path, reader: Reader) -> tuple[list[Message], Extras]:
        """Read the messages, with the system text before all others. A request of a stored prompt may have none."""
        extras: Extras = {}
        messages: list[Message] = []
        if "messages" in wire:
            messages = self.read_messages(wire["messages"], (at, "messages"), reader)
        else:
            extras["messages"] = {"$whole": None}
        system = wire.get("system")
        if not system and type(system) is list:
            return messages, {**extras, "system": system}
        parts = read_blocks(system, (at, "system"), reader, self.read_system_block)
        return [SystemMessage(unwrap_single_text(parts)), *messages] if parts else messages, extras

    def write_conversation(
        self, messages: Sequence[Message], extras: Extras, at: Path, writer: Writer
    ) -> dict[str, Any]:
        """Write the messages, with the system text under its own key."""
        wires = self.write_messages(messages, at, writer)
        had_messages = "$whole" not in inner_extras(extras, "messages")
        conversation: dict[str, Any] = {"messages": wires} if wires or had_messages else {}
        system = self.write_system(messages, at, writer)
        if system:
            conversation["system"] = system
        return conversation

    def read_messages(self, wire: Any, at: Path, reader: Reader) -> list[Message]:
        """Read the messages. Results become messages of their own. Messages whose roles do not alternate are marked."""
        if type(wire) is not list:
            raise wrong_type(at, "an array", wire)
        messages: list[Message] = []
        role_before: Any = "assistant"  # the first message must be from the user
        for i, item in enumerate(wire):
            here = (at, i)
            if type(item) is not dict:
                raise wrong_type(here, "an object", item)
            role = item.get("role")
            if role == "system":
                messages.append(self.read_system_message(item, here, reader))
                continue
            if role not in ("assistant", "user"):
                messages.append(opaque_message(item, reader))
                continue
            extras = _extras_of_message(item)
            if role == role_before:
                extras["$apart"] = True
            role_before = role
            if role == "user":
                messages += self.read_user_turn(item.get("content"), (here, "content"), reader, extras)
            else:
                parts = read_blocks(item.get("content"), (here, "content"), reader, self.read_request_block)
                mark_texts_behind_calls(parts, reader)
                messages.append(AssistantMessage(unwrap_single_text(parts), metadata=reader.as_metadata(extras)))
                reader.next_turn()
        mark_repeated_document_names(messages, reader)
        return messages

    def read_system_message(self, wire: dict[str, Any], at: Path, reader: Reader) -> SystemMessage:
        """Read a system message that is among the messages."""
        parts = read_blocks(wire.get("content"), (at, "content"), reader, self.read_system_block)
        extras = {**_extras_of_message(wire), "$inline": True}
        return SystemMessage(unwrap_single_text(parts), metadata=reader.as_metadata(extras))

    def read_user_turn(self, content: Any, at: Path, reader: Reader, extras: Extras) -> list[Message]:
        """Read a user message. Consecutive results in it become a message of their own, marked if others precede it."""
        runs: list[list[Any]] = []
        for part in read_blocks(content, at, reader, self.read_user_block):
            if runs and (type(runs[-1][0]) is ToolResult) == (type(part) is ToolResult):
                runs[-1].append(part)
            else:
                runs.append([part])
        messages: list[Message] = []
        for run in runs:
            if type(run[0]) is ToolResult:
                messages.append(ToolMessage(run, reader.as_metadata({"$within": True} if messages else None)))
            else:
                messages.append(UserMessage(unwrap_single_text(run)))
        if type(content) is list and has_documents_without_text(content):
            extras = {**extras, "$absent": ["text"]}
        if not messages:
            messages.append(UserMessage([]))
        messages[0].metadata = reader.as_metadata(extras)
        return messages

    def write_messages(self, messages: Sequence[Message], at: Path, writer: Writer) -> list[Any]:
        """Write the messages. The results of a turn come first in the next user message, before what the user wrote."""
        names = DistinctDocumentNames(messages, writer)
        turns = _TurnBuilder(writer, self.DEFAULTS["document"], self.DEFAULTS["user"])
        is_leading = True
        for placed, here, paths in order_restoring_separate_results(messages, at, writer):
            message = names.rename_in(placed, here, paths)
            if type(message) is SystemMessage:
                if not is_leading and is_inline_system_message(message, writer):
                    turns.add_opaque(self.write_inline_system_message(message, here, writer))
                elif at == ROOT:  # only the messages are converted, so there is no `system` key
                    writer.report_loss(here, "a system message", "dropped", "it was moved to system")
                continue
            is_leading = False
            original = wire_message_of(message, writer) if type(message) is UserMessage else ABSENT
            if original is not ABSENT:
                turns.add_opaque(original)
                continue
            role = "assistant" if type(message) is AssistantMessage else "user"
            turns.add(role, self.write_message_blocks(message, here, paths, writer), message, here)
        return turns.wires

    def write_message_blocks(
        self, message: Message, at: Path, paths: tuple[Path, ...] | None, writer: Writer
    ) -> list[Any]:
        """Write the content of a message that is not a system message. `paths` are those of its results.

        Raises:
            ConversionError: It is not a message.
        """
        if type(message) is ToolMessage:
            return self.write_results_and_media(message, at, paths, writer)
        if type(message) is not UserMessage and type(message) is not AssistantMessage:
            raise wrong_type(at, "a message", message)
        if message.name is not None:
            writer.report_unsupported((at, "name"), "name")
        path = (at, "content")
        if type(message) is UserMessage:
            return write_blocks(message.content, path, writer, self.write_user_block)
        if type(message.content) is not list:
            return write_blocks(message.content, path, writer, self.write_request_block)
        return write_placed_blocks(texts_before_calls(message.content, path, writer), writer, self.write_request_block)

    def write_results_and_media(
        self, message: ToolMessage, at: Path, paths: tuple[Path, ...] | None, writer: Writer
    ) -> list[Any]:
        """Write the results of a message as blocks with their cache points, and then the media that results cannot have.

        `write_result` puts such media into `writer.media`.
        """
        blocks = write_placed_blocks(results_of(message, at, paths), writer, self.write_result)
        media, writer.media = writer.media, []
        return blocks + [write_or_describe(part, path, writer, self.write_user_block) for part, path in media]

    def write_inline_system_message(self, message: SystemMessage, at: Path, writer: Writer) -> dict[str, Any]:
        """Write a system message among the other messages."""
        wire: dict[str, Any] = {"role": "system", "content": self.write_system_blocks(message, at, writer)}
        restore_extras(wire, writer.own_extras(message.metadata, at))
        return wire

    def write_system(self, messages: Sequence[Message], at: Path, writer: Writer) -> list[Any]:
        """Write the `system` value: the blocks of all system messages."""
        blocks: list[Any] = []
        count = 0
        is_leading = True
        for i, message in enumerate(messages):
            if type(message) is not SystemMessage:
                is_leading = False
            elif is_leading or not is_inline_system_message(message, writer):
                writer.own_extras(message.metadata, (at, i))
                if not is_leading:
                    writer.report_loss((at, i), "a system message", "moved", "it must come before the conversation")
                count += 1
                if not message.content:
                    writer.report_loss((at, i), "a system message", "dropped", "it has no text")
                was_inline = "$inline" in writer.peek_extras(message.metadata)
                blocks += self.write_system_blocks(message, (at, i), writer, is_moved=was_inline)
        if count > 1:
            writer.report_loss(at, "system messages", "rewritten", "they were joined")
        return blocks

    def write_system_blocks(
        self, message: SystemMessage, at: Path, writer: Writer, *, is_moved: bool = False
    ) -> list[Any]:
        """Write the content of one system message as blocks. `is_moved` means that it was among the messages."""
        write = self.write_moved_system_block if is_moved else self.write_system_block
        if message.name is not None:
            writer.report_unsupported((at, "name"), "name")
        blocks = write_blocks(message.content, (at, "content"), writer, write)
        if blocks and not (type(blocks[-1]) is dict and block_kind(blocks[-1]) == "cache"):
            blocks += cache_points_after(message, at, writer)
        return blocks

    def read_user_block(self, wire: Any, at: Path, reader: Reader) -> ContentPart | ToolResult:
        """Read a block of a user message."""
        if type(wire) is dict and block_kind(wire) == "result":
            return self.read_tool_result(wire, at, reader)
        part: ContentPart = mark_part_as_from_request(self.read_user_content(wire, at, reader), reader)
        return part

    def write_user_block(self, part: ContentPart, at: Path, writer: Writer) -> Any:
        """Write a part of a user message."""
        return write_part_unless_rejected(part, at, writer, self.write_user_content)

    def read_system_block(self, wire: Any, at: Path, reader: Reader) -> ContentPart:
        """Read a block of system text."""
        part: ContentPart = mark_part_as_from_request(self.read_system_content(wire, at, reader), reader)
        return part

    def write_system_block(self, part: ContentPart, at: Path, writer: Writer) -> Any:
        """Write a part of a system message."""
        return write_part_unless_rejected(part, at, writer, self.write_system_content)

    def write_moved_system_block(self, part: ContentPart, at: Path, writer: Writer) -> Any:
        """Write a part of a system message that was among the messages."""
        return ABSENT if drop_inline_block(part, at, writer) else self.write_system_block(part, at, writer)

    def read_request_block(self, wire: Any, at: Path, reader: Reader) -> AssistantPart:
        """Read a block of an assistant message in a request."""
        part: AssistantPart = mark_part_as_from_request(self.read_assistant_block(wire, at, reader), reader)
        return part

    def write_request_block(self, part: AssistantPart, at: Path, writer: Writer) -> Any:
        """Write a part of an assistant message for a request."""
        if type(part) is ToolCallPart:
            writer.own_extras(part.metadata, at)
            return self.write_tool_call(part.call, (at, "call"), writer)
        return write_part_unless_rejected(part, at, writer, self.write_assistant_block)

    def read_assistant_block(self, wire: Any, at: Path, reader: Reader) -> AssistantPart:
        """Read a block of an assistant message."""
        if type(wire) is dict:
            kind = block_kind(wire)
            if kind == "call":
                call = self.read_tool_use(wire, at, reader)
                reader.note_call(wire["toolUse"].get("toolUseId"), call)
                return ToolCallPart(call)
            if kind == "text":
                return self.read_text_part(wire, at, reader)
            if kind == "citations":
                return read_cited_block(wire, reader)
            if kind == "reasoning":
                return self.read_reasoning_part(wire, at, reader)
            if kind == "redacted":
                return ReasoningPart("", reader.as_metadata(wire))
        return self.read_assistant_content(wire, at, reader)

    def write_assistant_block(self, part: AssistantPart, at: Path, writer: Writer) -> Any:
        """Write a part of an assistant message as a block."""
        if type(part) is ToolCallPart:
            writer.own_extras(part.metadata, at)
            return self.write_tool_use(part.call, (at, "call"), writer)
        if type(part) is ReasoningPart:
            redacted = writer.peek_extras(part.metadata)
            if not part.text and block_kind(redacted) == "redacted":
                return original_block(redacted)
            return self.write_reasoning_part(part, at, writer)
        if type(part) is RefusalPart:
            writer.own_extras(part.metadata, at)
            writer.report_loss(at, "a refusal", "rewritten", "it is sent as text")
            return {"text": part.text} if part.text.strip() else ABSENT
        if type(part) is TextPart and part.metadata:
            cited = write_cited_block(part, writer.peek_extras(part.metadata))
            if cited is not None:
                return cited
        return self.write_assistant_content(part, at, writer)

    def write_tool_call(self, call: ToolCall, at: Path, writer: Writer) -> dict[str, Any]:
        """Write a call of the history."""
        return drop_response_type(self.write_tool_use(call, at, writer), call, writer)

    def write_result(self, result: ToolResult, at: Path, writer: Writer) -> dict[str, Any]:
        """Write a result, and report an error that was text."""
        if result.kind == "error" and result.metadata:
            report_error_text_sent_with_flag(result, at, writer)
        return self.write_tool_result(result, at, writer)

    def read_result_content(
        self, wire: dict[str, Any], at: Path, reader: Reader
    ) -> tuple[ResultKind, Any, bool | None]:
        """Read the result of a call."""
        return read_result_blocks(wire, at, reader, self.read_result_block)

    def write_result_content(
        self, kind: str, value: Any, is_error: bool | None, at: Path, writer: Writer
    ) -> dict[str, Any]:
        """Write the result of a call. Some models have no error flag: an error is text there, as its key says."""
        if (is_error or kind == "error") and writer.model_facts.error_flag is False:
            kind, value = say_failure_in_value(kind, value, is_error, at, writer)
            if kind == "error":
                writer.report_loss(at[0], "an error", "rewritten", "it is sent as text, as the model has no error flag")
                kind, value = "text", write_result_text(kind, value, (at[0], "value"), writer)
            is_error = None
        return write_result_blocks(kind, value, is_error, at, writer, self.write_result_block, self.DEFAULTS["result"])

    def read_result_block(self, wire: Any, at: Path, reader: Reader) -> ContentPart:
        """Read a block of a result. JSON beside other blocks becomes its JSON text."""
        if type(wire) is dict and "json" in wire and block_kind(wire) is None:
            value = read_json_block(wire, reader)
            if value is not None:
                return value
        part: ContentPart = mark_part_as_from_request(self.read_result_part(wire, at, reader), reader)
        return part

    def write_result_block(self, part: ContentPart, at: Path, writer: Writer) -> Any:
        """Write a part of a result. Audio is moved after the results of the turn, a cache point after the result."""
        if part.cache:
            writer.report_loss((at, "cache"), "cache", "moved", "a result has its cache point after it")
        if type(part) is AudioPart:
            writer.media.append((part, at))
            writer.report_loss(at, "AudioPart", "moved", "it was moved after the results of the turn")
            return ABSENT
        if type(part) is TextPart and part.metadata:
            value = write_json_block(part, writer.peek_extras(part.metadata))
            if value is not None:
                return value
        return write_part_unless_rejected(part, at, writer, self.write_result_part)

    def read_tools(self, value: Any, at: Path, reader: Reader) -> tuple[list[ToolDefinition | OpaquePart] | None, Any]:
        """Read the offered tools. A cache point goes to the tool before it, if that has none."""
        entries, extra = super().read_tools(value, at, reader)
        if entries is None:
            return None, extra
        tools: list[ToolDefinition | OpaquePart] = []
        for entry in entries:
            before = tools[-1] if tools else None
            block = entry.value if type(entry) is OpaquePart and type(before) is ToolDefinition else None
            if not attach_cache_point(block, before, reader):
                tools.append(entry)
        return tools, extra

    def write_tools(self, definitions: Sequence[Any] | None, extra: Any, at: Path, writer: Writer) -> Any:
        """Write the offered tools, each with its cache point after it."""
        if definitions is None:
            return ABSENT
        groups = write_tools(definitions, extra, at, writer, self.write_tool_and_cache_point)
        return groups if groups is ABSENT else [entry for group in groups for entry in group]

    def write_tool_and_cache_point(self, definition: Any, at: Path, writer: Writer) -> Any:
        """Write a tool as a list of it and its cache point. ABSENT if the tool is left out."""
        entry = self.write_tool_definition(definition, at, writer)
        return entry if entry is ABSENT else [entry, *cache_points_after(definition, at, writer)]

    def read_tool_entry(self, wire: Any, at: Path, reader: Reader) -> ToolDefinition | OpaquePart:
        """Read a tool. A hosted tool or a cache point becomes an opaque part."""
        if type(wire) is dict and wire.get("toolSpec") is not None:
            return self.read_tool(wire, at, reader)
        return OpaquePart(reader.wire.name, wire)

    def write_tool_entry(self, value: Any, at: Path, writer: Writer) -> Any:
        """Write a tool. A hosted tool of another provider is reported."""
        if type(value) is ToolDefinition:
            return self.write_tool(value, at, writer)
        if type(value) is OpaquePart and value.provider == writer.wire.name:
            return value.value
        writer.report_unsupported(at, "a tool of another provider", "warning")
        return ABSENT

    def read_request_tool_choice(
        self, value: Any, at: Path, reader: Reader, messages: Sequence[Message], tools: Sequence[Any] | None
    ) -> ToolChoice | None:
        """Read the tool choice."""
        return self.read_tool_choice_with_tools(value, at, reader, tools)

    def write_request_tool_choice(
        self,
        choice: ToolChoice | None,
        at: Path,
        writer: Writer,
        messages: Sequence[Message],
        tools: Sequence[Any] | None,
    ) -> Any:
        """Write the tool choice, which needs tools. If no tool may be called, they are left out unless there were calls."""
        if none_if_empty(choice) != "none":
            return self.write_tool_choice_with_tools(choice, at, writer, tools)
        if any(has_tool_calls(message) or is_tool_result(message) for message in messages):
            return self.write_tool_choice(choice, at, writer)
        if tools:
            writer.report_loss(at, "toolChoice", "rewritten", "the tools are left out instead")
        else:
            writer.report_default(at, "toolChoice", "the request has no tools")
        return ABSENT

    def read_output_format(self, value: Any, at: Path, reader: Reader) -> OutputFormat:
        """Read the output format. None for a format that is not a schema."""
        if (
            type(value) is dict
            and value.get("type") == "json_schema"
            and has_value_at(value, "structure", "jsonSchema", "schema")
        ):
            return self.read_output_schema(value, at, reader)
        return None

    def write_output_format(self, output_format: OutputFormat, at: Path, writer: Writer) -> Any:
        """Write the output format. JSON without a schema is unsupported, and text is the default."""
        if type(output_format) is OutputSchema:
            return self.write_output_schema(output_format, at, writer)
        if output_format == "json":
            writer.report_unsupported(at, "JSON without a schema", "warning")
        return ABSENT

    def read_response(self, wire: dict[str, Any], at: Path, reader: Reader) -> Completion:
        """Read a response, which is one assistant message. The client's own metadata of the exchange is ignored."""
        output = wire.get("output")
        if output is None and is_api_error(wire):
            raise BareApiError(format_path(at), wire)
        if output is not None and type(output) is not dict:
            raise wrong_type((at, "output"), "an object", output)
        wire_message = optional_object(output or {}, "message", (at, "output"))
        path = (((at, "output"), "message"), "content")
        parts = read_blocks(wire_message.get("content"), path, reader, self.read_assistant_block)
        mark_texts_behind_calls(parts, reader)
        message = AssistantMessage(parts or None)
        usage = wire.get("usage")
        if usage is not None and type(usage) is not dict:
            raise wrong_type((at, "usage"), "an object", usage)
        stop_reason = optional_text(wire, "stopReason", at)
        reason: FinishReason = "error"
        if find_exception(wire) is None:
            reason = derive_finish_reason(stop_reason, message, self.FINISH_REASONS)
        mark_calls_invalid(message, reason)
        extras = _extras_of_response(wire, output or {}, wire_message)
        if stop_reason is not None and stop_reason not in self.FINISH_REASONS:
            extras["stopReason"] = stop_reason
        return Completion(
            message,
            reason,
            None,
            None,
            stop_reason,
            None if usage is None else self.USAGE.read(usage, (at, "usage"), reader),
            reader.as_metadata(extras),
        )

    def write_response(
        self, completion: Completion, identifier: str | None, created: int | None, writer: Writer
    ) -> dict[str, Any]:
        """Write a response. It has neither an id nor the model's name."""
        extras = writer.own_extras(completion.metadata, ROOT)
        absent = extras.get("$absent", ())
        path = ((ROOT, "message"), "content")
        blocks = write_blocks(completion.message.content, path, writer, self.write_assistant_block)
        if completion.id is not None:
            writer.report_unsupported((ROOT, "id"), "id")
        if completion.model is not None:
            writer.report_unsupported((ROOT, "model"), "model")
        inner = inner_extras(inner_extras(extras, "output"), "message")
        message = {"role": inner.get("role", "assistant"), "content": blocks or inner.get("content", [])}
        if "role" in absent:
            del message["role"]
        if "content" in absent and not blocks:
            del message["content"]
        output: dict[str, Any] = {"message": message} if blocks or "message" not in absent else {}
        wire: dict[str, Any] = {"output": output} if output or "output" not in absent else {}
        if completion.stop_reason is not None or not extras:
            stop_reason = provider_stop_reason(completion, self.FINISH_REASONS, extras, writer)
            if stop_reason is not None:
                wire["stopReason"] = stop_reason
        if completion.usage is not None:
            wire["usage"] = self.USAGE.write(completion.usage, (ROOT, "usage"), writer)
        restore_extras(wire, extras)
        return wire


def _extras_of_response(wire: dict[str, Any], output: dict[str, Any], message: dict[str, Any]) -> Extras:
    """Return the extras of a response: its other keys at their paths, and which of the known keys are absent.

    An object that is null counts as absent, because its keys are.
    """
    extras = unmapped_members(wire, _RESPONSE)
    outer = unmapped_members(output, _OUTPUT)
    inner = unmapped_members(message, _MESSAGE)
    if message.get("role") not in (None, "assistant"):
        inner["role"] = message["role"]
    if inner:
        outer["message"] = inner
    if outer:
        extras["output"] = outer
    holders = (("output", wire), ("message", output), ("role", message), ("content", message), ("stopReason", wire))
    objects = ("output", "message")
    absent = [key for key, holder in holders if key not in holder or (holder[key] is None and key in objects)]
    if absent:
        extras["$absent"] = absent
    return extras


def _extras_of_message(wire: dict[str, Any]) -> Extras:
    """Return the extras of a message: other keys, and whether its content is absent, or empty, which the API accepted."""
    extras = unmapped_members(wire, _MESSAGE)
    if "content" not in wire:
        extras["$absent"] = ["content"]
    elif wire["content"] == []:
        extras["$sent"] = True
    return extras


class _TurnBuilder:
    """Collects the messages of a request, which alternate between user and assistant.

    `document_text` is put beside documents without text, and `first_user_text` before a leading assistant message.
    """

    __slots__ = ("_before", "_document_text", "_first_user_text", "_open", "_writer", "wires")

    def __init__(self, writer: Writer, document_text: str, first_user_text: str) -> None:
        self.wires: list[Any] = []
        self._writer = writer
        self._document_text = document_text
        self._first_user_text = first_user_text
        self._open: dict[str, Any] | None = None
        """The last message, if blocks of the same role belong to it."""
        self._before: tuple[type[Message], Path] | None = None
        """The class and the path of the message that was added last."""

    def add(self, role: str, blocks: list[Any], message: Message, at: Path) -> None:
        """Add the blocks of a message, to the previous message if it has the same role and was not read separately."""
        extras = self._writer.own_extras(message.metadata, at) if message.metadata else NO_EXTRAS
        if not blocks and not extras:
            self._writer.report_loss(at, "a message", "dropped", "the API supports none of its parts")
            return
        last = self._open
        if last is not None and (last["role"] != role or "$apart" in extras):
            last = None
        earlier_blocks = (last or {}).get("content") or []
        if role == "user" and "text" not in extras.get("$absent", ()) and self._needs_text(earlier_blocks, blocks):
            self._writer.report_loss((at, "content"), "a text part", "defaulted", "a document needs text next to it")
            blocks = [*blocks, {"text": self._document_text}]
        if role == "assistant" and self._before is None and "$apart" not in extras:
            self._writer.report_loss(at[0], "a message", "defaulted", "the first message must be from the user")
            self.wires.append({"role": "user", "content": [{"text": self._first_user_text}]})
        if last is None:
            self._start(role, blocks, extras)
        else:
            self._report_joined(message, at)
            last["content"] = [*earlier_blocks, *blocks]
            restore_extras(last, extras)
        self._before = type(message), at

    @staticmethod
    def _needs_text(earlier_blocks: list[Any], blocks: list[Any]) -> bool:
        """Return whether these blocks add a document to a message without text."""
        return has_documents_without_text(blocks) and has_documents_without_text([*earlier_blocks, *blocks])

    def _start(self, role: str, blocks: list[Any], extras: Extras) -> None:
        """Start a message. It has no content if it was read without."""
        self._open = {"role": role}
        if blocks or ("content" not in extras and "content" not in extras.get("$absent", ())):
            self._open["content"] = blocks
        restore_extras(self._open, extras)
        self.wires.append(self._open)

    def add_opaque(self, wire: Any) -> None:
        """Add a message of the wire as it is. Blocks after it begin a message of their own."""
        self.wires.append(wire)
        self._open = None

    def _report_joined(self, message: Message, at: Path) -> None:
        """Report that a message and the one before it will be read back as one, if they have the same class."""
        if self._before is not None and self._before[0] is type(message):
            self._writer.report_loss(
                (self._before[1], "content"), "a message", "rewritten", "the next one was joined to it"
            )
            self._writer.report_loss(at, "a message", "moved", "adjacent messages of the same role were joined")


def _write_thinking(request: Request, at: Path, writer: Writer) -> tuple[Any, Request]:
    """Return Claude's setting for thinking, which is among the fields of the model, and the request without it.

    The setting is ABSENT if the model is none that is known to think, and none was kept.
    """
    fields = inner_extras(writer.peek_extras(request.metadata), "additionalModelRequestFields")
    thinking, reasoning = fields.get("thinking", ABSENT), request.reasoning
    if writer.model_facts.reasoning.thinking is None:
        return thinking, request
    effort = reasoning.effort if reasoning is not None else None
    if thinking is ABSENT:
        thinking = write_thinking(reasoning, ABSENT if writer.was_read else None, at, writer)
    thinking = fit_thinking(thinking, effort, at, writer)
    if reasoning is not None and (reasoning.budget_tokens is not None or effort == "none"):
        what = "effort" if reasoning.budget_tokens is None else "budgetTokens"
        report_for_model(writer, (at, what), what, "moved", "has thinking among its own fields", "reasoning.thinking")
        effort_alone = None if effort in (None, "none") else replace(reasoning, budget_tokens=None)
        request = replace(request, reasoning=effort_alone)
    return thinking, request


def _complete_tool_config(wire: dict[str, Any], choice: ToolChoice | None, extras: Extras, writer: Writer) -> None:
    """Make `toolConfig` valid for the API: tools if there are calls, and no empty list of them.

    If no tool may be called, the tools are left out, which the API accepts only if there were no calls.
    """
    config = wire.get("toolConfig")
    if type(config) is not dict:
        config = {}
    has_history = _has_tool_blocks(wire.get("messages"))
    if none_if_empty(choice) == "none" and not has_history:
        if config.get("tools"):
            writer.report_loss((ROOT, "tools"), "tools", "dropped", "the model must not call any tool")
        wire.pop("toolConfig", None)
        return
    if config.get("tools"):
        return
    stand_ins = _stand_ins(wire) if has_history and "toolConfig" not in extras.get("$absent", ()) else []
    if stand_ins:
        reason = "the API requires the tools of earlier calls, but only their names are known"
        writer.report_loss((ROOT, "tools"), "tools", "defaulted", reason, "warning")
        wire["toolConfig"] = {**config, "tools": stand_ins}
        return
    if config.get("tools") == []:
        config = {key: value for key, value in config.items() if key != "tools"}
    if config:
        wire["toolConfig"] = config
    elif wire.get("toolConfig"):
        del wire["toolConfig"]


def _kind_of_block(block: Any) -> str | None:
    return block_kind(block) if type(block) is dict else None


def _has_tool_blocks(messages: Any) -> bool:
    """Return whether the messages contain calls of the app's tools, or their results."""
    return any(block_kind(block) in ("call", "result") for block in _blocks_in(messages))


def _blocks_in(messages: Any) -> list[dict[str, Any]]:
    """Return the blocks of all messages of a body, whatever its values are."""
    return [block for message in objects_in(messages) for block in objects_in(message.get("content"))]


def _stand_ins(wire: dict[str, Any]) -> list[dict[str, Any]]:
    """Return tools without parameters for the names of the calls in the history."""
    blocks = _blocks_in(wire.get("messages"))
    calls = [inner_extras(block, "toolUse") for block in blocks if block_kind(block) == "call"]
    names = dict.fromkeys(call["name"] for call in calls if type(call.get("name")) is str)
    schema = {"json": {"type": "object", "properties": {}}}
    return [{"toolSpec": {"name": name, "inputSchema": schema}} for name in names]
