"""Converter for Anthropic Messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    inner_extras,
    keep_inner_extras,
    merge_extras_into,
    note_alias,
    original_key,
    restore_extras,
    unmapped_members,
)
from ...conversion.fields import read_result_call
from ...conversion.message_order import (
    mark_texts_behind_calls,
    order_restoring_separate_results,
    results_of,
    texts_before_calls,
)
from ...conversion.reader import Reader
from ...conversion.request_tools import report_choice_without_tools
from ...conversion.responses import (
    UsageTable,
    calls_in,
    derive_finish_reason,
    mark_calls_invalid,
    provider_stop_reason,
    with_usage,
)
from ...conversion.tool_results import report_error_text_sent_with_flag, write_result_text
from ...conversion.values import (
    drop_inline_block,
    is_inline_system_message,
    opaque_message,
    optional_object,
    optional_text,
    read_list_or_null,
    read_text_or_list,
    wire_message_of,
    write_list,
    write_placed,
    write_text_or_list,
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
    OutputSchema,
    Reasoning,
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
from ..claude_thinking import (
    budget_of,
    fit_thinking,
    fit_thinking_to_limit,
    fit_thinking_to_turn,
    read_reasoning_settings,
    write_thinking,
)
from .fields import (
    add_shared_cache_mark,
    limit_cache_marks,
    read_refused_number,
    read_source,
    write_refused_number,
    write_source,
)

__all__ = ["AnthropicConverter"]

_RESPONSE = frozenset(["content", "id", "model", "stop_reason", "usage"])
_MESSAGE = frozenset(["content", "role"])
_RESULT = frozenset(["content", "is_error", "tool_use_id", "type"])

_SINGLE = "disable_parallel_tool_use"


def _with_parallel_setting(wire_choice: Any, parallel: bool | None, at: Path, writer: Writer) -> Any:
    """Return a written tool choice (`ABSENT` for none) with the setting for parallel calls. `at` is that of the setting."""
    if parallel is None:
        return wire_choice
    if wire_choice is ABSENT and parallel:
        writer.report_loss(at, "parallelToolCalls", "defaulted", "it is the default")
        return ABSENT
    if wire_choice is ABSENT:
        return {"type": "auto", _SINGLE: True}
    if wire_choice.get("type") == "none":
        writer.report_loss(at, "parallelToolCalls", "dropped", "the model must not call any tool")
        return wire_choice
    return {**wire_choice, _SINGLE: not parallel}


class AnthropicConverter(NativeToolSdkConverter):
    """Converts requests and responses of Anthropic Messages.

    Results are blocks of user messages. System text and the settings for thinking are beside the messages.
    """

    RESPONSE_KEYS = frozenset(["content", "stop_reason"])
    DEFAULT_KEYS = ("max_tokens",)
    MISSING_USER_TEXT = "Continue."
    EFFORTS: ClassVar[dict[str, str]]
    """The API's value for each effort."""
    USAGE: ClassVar[UsageTable]
    """Where the API has counts of tokens."""

    read_refused_number = staticmethod(read_refused_number)
    write_refused_number = staticmethod(write_refused_number)
    read_source = staticmethod(read_source)
    write_source = staticmethod(write_source)

    read_assistant_content: ValueReader[AssistantPart]
    read_output_schema: ObjectReader[OutputSchema]
    read_request_body: ObjectReader[Request]
    read_system_content: ValueReader[ContentPart]
    read_thinking_part: ObjectReader[ReasoningPart]
    read_tool: ObjectReader[ToolDefinition]
    read_tool_call: ObjectReader[ToolCall]
    read_user_content: ValueReader[ContentPart]
    write_assistant_content: ValueWriter[Any]
    write_output_schema: ObjectWriter[OutputSchema]
    write_request_body: ObjectWriter[Request]
    write_system_content: ValueWriter[Any]
    write_thinking_part: ObjectWriter[ReasoningPart]
    write_tool: ObjectWriter[ToolDefinition]
    write_tool_call: ObjectWriter[ToolCall]
    write_user_content: ValueWriter[Any]

    def read_request(self, wire: dict[str, Any], at: Path, reader: Reader) -> Request:
        """Read a request body: its plain values, then system text, output format and reasoning settings."""
        request = self.read_request_body(wire, at, reader)
        if wire.get("system") is not None:
            content = read_text_or_list(wire["system"], (at, "system"), reader, self.read_system_content)
            system = SystemMessage(content)
            _mark_blank(system, reader)
            request.messages.insert(0, system)
        extras: Extras = {}
        settings = optional_object(wire, "output_config", at)
        is_beside = wire.get("output_format") is not None
        format_key = "output_format" if is_beside else "format"
        output = wire["output_format"] if is_beside else settings.get("format")
        if type(output) is dict and output.get("type") == "json_schema" and type(output.get("schema")) is dict:
            request.output_format = self.read_output_schema(output, (at, format_key), reader)
            note_alias(extras, "format", format_key)
        elif output is not None:
            extras[format_key] = output
        thinking = wire.get("thinking")
        request.reasoning = read_reasoning_settings(thinking, settings.get("effort"))
        if thinking is not None:
            extras["thinking"] = _extra_of_thinking(thinking)
        elif "effort" in settings and reader.wire.model_facts(request.model).reasoning.thinking == "adaptive":
            extras["$absent"] = ["thinking"]  # it would be added to an effort
        unread_settings = {key: value for key, value in settings.items() if key not in ("format", "effort")}
        keep_inner_extras(extras, wire, "output_config", unread_settings)
        merge_extras_into(request, reader.wire.name, extras)
        return request

    def write_request(self, request: Request, at: Path, writer: Writer) -> dict[str, Any]:
        """Write a request body. What the API rejects in combination is changed when everything else is written."""
        extras = writer.peek_extras(request.metadata)
        wire = self.write_request_body(request, at, writer)
        system = self.write_system(request.messages, (at, "messages"), writer)
        if system is not None:
            wire["system"] = system
        limit_cache_marks(wire, at, writer)
        _strip_last_text(wire.get("messages"), (at, "messages"), writer)
        settings = dict(inner_extras(extras, "output_config"))
        output_format = self.write_output_format(request.output_format, (at, "outputFormat"), writer)
        if output_format is not ABSENT:
            is_beside = original_key(extras, "format") == "output_format"
            holder, key = (wire, "output_format") if is_beside else (settings, "format")
            holder[key] = output_format
        original = ABSENT if "thinking" in extras.get("$absent", ()) else _original_thinking(extras.get("thinking"))
        thinking = write_thinking(request.reasoning, original, (at, "reasoning"), writer)
        effort = self.write_effort(request.reasoning, (at, "reasoning"), writer)
        thinking = fit_thinking(thinking, effort, (at, "reasoning"), writer)
        if thinking is not ABSENT:
            wire["thinking"] = thinking
        else:
            wire.pop("thinking", None)  # what the extras have means something else
        if effort is not None:
            settings["effort"] = effort
        if settings:
            wire["output_config"] = settings
        self._fit_thinking(wire, at, writer)
        _release_choice_while_thinking(wire, at, writer)
        return wire

    def write_output_format(self, output_format: OutputFormat, at: Path, writer: Writer) -> Any:
        """Write the output format. JSON without a schema is unsupported, and text is the default."""
        if type(output_format) is OutputSchema:
            return self.write_output_schema(output_format, at, writer)
        if output_format == "json":
            writer.report_unsupported(at, "JSON without a schema", "warning")
        return ABSENT

    def write_effort(self, reasoning: Reasoning | None, at: Path, writer: Writer) -> str | None:
        """Return the API's value for the effort, or None without one."""
        effort = reasoning.effort if reasoning is not None else None
        if effort is None or effort == "none":
            return None
        level = self.EFFORTS.get(effort, effort)
        if level != effort:
            writer.report_loss((at, "effort"), "effort", "rewritten", f"the nearest level is {level}")
        return level

    def _fit_thinking(self, wire: dict[str, Any], at: Path, writer: Writer) -> None:
        """Make thinking and `max_tokens` what the API requires: thinking is in each turn, and its budget is smaller."""
        path = (at, "reasoning")
        thinking = fit_thinking_to_turn(wire.get("thinking", ABSENT), wire.get("messages"), _block_type, path, writer)
        if "max_tokens" not in wire:
            default = writer.model_facts.limits.get("default_output", self.DEFAULTS["max_tokens"])
            wire["max_tokens"] = default + (budget_of(thinking) or 0)
            reason = f"the API requires it, so it is set to {wire['max_tokens']}"
            writer.report_loss((at, "maxOutputTokens"), "maxOutputTokens", "defaulted", reason)
        thinking = fit_thinking_to_limit(thinking, wire["max_tokens"], path, writer)
        if thinking is not ABSENT:
            wire["thinking"] = thinking
        else:
            wire.pop("thinking", None)

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
            if role == "user":
                messages += self.read_user_messages(item, here, reader, messages[-1] if messages else None)
            elif role == "assistant":
                messages.append(self.read_assistant_message(item, here, reader))
                reader.next_turn()
            elif role == "system":
                messages.append(self.read_inline_system_message(item, here, reader))
            else:
                messages.append(opaque_message(item, reader))
        return messages

    def read_assistant_message(self, wire: dict[str, Any], at: Path, reader: Reader) -> AssistantMessage:
        """Read an assistant message of a request."""
        content = read_text_or_list(wire.get("content"), (at, "content"), reader, self.read_assistant_block)
        mark_texts_behind_calls(content if type(content) is list else (), reader)
        message = AssistantMessage(content, metadata=reader.as_metadata(unmapped_members(wire, _MESSAGE)))
        _mark_blank(message, reader)
        return message

    def read_inline_system_message(self, wire: dict[str, Any], at: Path, reader: Reader) -> SystemMessage:
        """Read a system message that is among the messages. One that only has settings needs no content."""
        content: str | list[Any] = []
        if wire.get("content") is not None:
            content = read_text_or_list(wire["content"], (at, "content"), reader, self.read_system_content)
        extras = {**unmapped_members(wire, _MESSAGE), "$inline": True}
        if "content" not in wire:
            extras["$absent"] = ["content"]
        message = SystemMessage(content, metadata=reader.as_metadata(extras))
        _mark_blank(message, reader)
        return message

    def read_user_messages(
        self, wire: dict[str, Any], at: Path, reader: Reader, before: Message | None
    ) -> list[Message]:
        """Read a user message. Results in it become messages of their own, apart from the results `before` it."""
        content, path = wire.get("content"), (at, "content")
        messages: list[Message]
        if type(content) is list:
            toolsets = _toolsets_of(before, reader.wire.name)
            messages = self.read_user_blocks(content, path, reader, toolsets) or [UserMessage([])]
        else:
            message = UserMessage(read_text_or_list(content, path, reader, self.read_user_content))
            _mark_blank(message, reader)
            messages = [message]
        extras = unmapped_members(wire, _MESSAGE)
        if type(before) is ToolMessage:
            extras["$apart"] = True
        merge_extras_into(messages[0], reader.wire.name, extras)
        return messages

    def read_user_blocks(
        self, blocks: list[Any], at: Path, reader: Reader, toolsets: Mapping[str, str]
    ) -> list[Message]:
        """Read the blocks of a user message: consecutive results, and what is between them, are messages.

        `toolsets` are those of the calls before it, by id.
        """
        messages: list[Message] = []
        for i, block in enumerate(blocks):
            last = messages[-1] if messages else None
            if type(block) is dict and block.get("type") == "tool_result":
                result = self.read_tool_result(block, (at, i), reader)
                if result.tool_call_id in toolsets and "toolset_name" not in block:
                    absent = inner_extras(result.metadata or {}, reader.wire.name).get("$absent", ())
                    merge_extras_into(result, reader.wire.name, {"$absent": [*absent, "toolset_name"]})
                if type(last) is ToolMessage:
                    last.results.append(result)
                else:
                    messages.append(ToolMessage([result]))
            else:
                part = self.read_user_content(block, (at, i), reader)
                if _is_blank_text(part):
                    reader.mark_sent(part)
                if type(last) is UserMessage and type(last.content) is list:
                    last.content.append(part)
                else:
                    messages.append(UserMessage([part]))
        return messages

    def write_messages(self, messages: Sequence[Message], at: Path, writer: Writer) -> list[Any]:
        """Write the messages. The results of a turn come first in the next user message, before what the user wrote."""
        turns = _TurnBuilder()
        is_leading = True
        toolsets: Mapping[str, str] = {}
        for message, here, paths in order_restoring_separate_results(messages, at, writer):
            extras = writer.own_extras(message.metadata, here) if message.metadata else NO_EXTRAS
            if type(message) is SystemMessage:
                if not is_leading and is_inline_system_message(message, writer):
                    content = write_text_or_list(message.content, (here, "content"), writer, self.write_system_content)
                    turns.add(_complete_message("system", content, extras))
                elif at == ROOT:  # only the messages are converted, so there is no `system` key
                    writer.report_loss(here, "a system message", "dropped", "it was moved to system")
                continue
            is_leading = False
            if type(message) is ToolMessage:
                turns.add_results(self.write_results(message, here, paths, writer, toolsets), extras)
            elif type(message) is AssistantMessage:
                turns.add(self.write_assistant_message(message, here, writer, extras))
                toolsets = _toolsets_of(message, writer.wire.name)
            elif type(message) is UserMessage:
                original = wire_message_of(message, writer) if extras else ABSENT
                if original is not ABSENT:
                    turns.add(original)
                else:
                    turns.add_user_message(self.write_user_message(message, here, writer, extras), extras)
            else:
                raise wrong_type(here, "a message", message)
        return turns.wires

    def write_results(
        self,
        message: ToolMessage,
        at: Path,
        paths: tuple[Path, ...] | None,
        writer: Writer,
        toolsets: Mapping[str, str],
    ) -> list[dict[str, Any]]:
        """Write the results of a message. Each repeats the toolset of its call, as `toolsets` has it by id."""
        blocks: list[dict[str, Any]] = []
        for result, path in results_of(message, at, paths):
            block = self.write_tool_result(result, path, writer)
            toolset = toolsets.get(result.tool_call_id)
            if toolset is not None and "toolset_name" not in writer.peek_extras(result.metadata).get("$absent", ()):
                block.setdefault("toolset_name", toolset)
            blocks.append(block)
        return blocks

    def write_user_message(self, message: UserMessage, at: Path, writer: Writer, extras: Extras) -> Any:
        """Write a user message. ABSENT without content, because the API rejects it."""
        _report_name(message, at, writer)
        content = write_text_or_list(message.content, (at, "content"), writer, self.write_user_block)
        if _is_blank(content) and not extras:
            writer.report_loss(at, "an empty message", "dropped", "the API rejects a message without content")
            return ABSENT
        return _complete_message("user", content, extras)

    def write_assistant_message(self, message: AssistantMessage, at: Path, writer: Writer, extras: Extras) -> Any:
        """Write an assistant message. ABSENT without content, because the API rejects it."""
        _report_name(message, at, writer)
        content: Any = message.content
        if type(content) is list:
            placed = texts_before_calls(content, (at, "content"), writer)
            content = write_placed(placed, writer, self.write_assistant_block)
        if _is_blank(content) and "$sent" not in extras:
            writer.report_loss(at, "an empty message", "dropped", "the API rejects a message without content")
            return ABSENT
        return _complete_message("assistant", [] if content is None else content, extras)

    def write_system(self, messages: Sequence[Message], at: Path, writer: Writer) -> str | list[Any] | None:
        """Write the system messages as the `system` value: a text, or the blocks of all of them. None without any."""
        system: list[tuple[SystemMessage, Path]] = []
        is_leading = True
        for i, message in enumerate(messages):
            if type(message) is not SystemMessage:
                is_leading = False
            elif is_leading or not is_inline_system_message(message, writer):
                if not is_leading:
                    writer.report_loss((at, i), "a system message", "moved", "it must come before the conversation")
                if type(message.content) is str and _is_blank(message.content) and not message.metadata:
                    writer.report_loss((at, i), "blank text", "dropped", "the API rejects it")
                else:
                    system.append((message, (at, i)))
        if not system:
            return None
        if len(system) > 1:
            return self.join_system_messages(system, at, writer)
        ((message, here),) = system
        _report_name(message, here, writer)
        if type(message.content) is str and not message.cache:
            return message.content
        return self.write_system_blocks(message, here, writer) or (None if message.content else [])

    def join_system_messages(
        self, system: Sequence[tuple[SystemMessage, Path]], at: Path, writer: Writer
    ) -> list[Any] | None:
        """Write several system messages, each with its path, as one list of blocks."""
        blocks: list[Any] = []
        for message, here in system:
            _report_name(message, here, writer)
            if not message.content:
                writer.report_loss(here, "a system message", "dropped", "it has no text")
            blocks += self.write_system_blocks(message, here, writer)
        writer.report_loss(at, "system messages", "rewritten", "they were joined")
        return None if not blocks and all(message.content for message, _ in system) else blocks

    def write_system_blocks(self, message: SystemMessage, at: Path, writer: Writer) -> list[Any]:
        """Write the content of one system message as blocks."""
        if type(message.content) is list:
            was_inline = "$inline" in writer.peek_extras(message.metadata)
            write = self.write_moved_system_block if was_inline else self.write_system_block
            blocks = write_list(message.content, (at, "content"), writer, write)
        else:
            blocks = _as_blocks(message.content)
        if message.cache and blocks and "cache_control" not in blocks[-1]:
            blocks[-1] = {**blocks[-1], "cache_control": {"type": "ephemeral"}}
        return blocks

    def write_moved_system_block(self, part: ContentPart, at: Path, writer: Writer) -> Any:
        """Write a part of a system message that was among the messages."""
        return ABSENT if drop_inline_block(part, at, writer) else self.write_system_block(part, at, writer)

    def write_system_block(self, part: ContentPart, at: Path, writer: Writer) -> Any:
        """Write a part of a system message. Blank text is dropped, because the API rejects it."""
        if _drop_blank_text(part, at, writer):
            return ABSENT
        return add_shared_cache_mark(self.write_system_content(part, at, writer), part, writer)

    def write_user_block(self, part: ContentPart, at: Path, writer: Writer) -> Any:
        """Write a part of a user message. Blank text is dropped, because the API rejects it."""
        if _drop_blank_text(part, at, writer):
            return ABSENT
        return add_shared_cache_mark(self.write_user_content(part, at, writer), part, writer)

    def read_assistant_block(self, wire: Any, at: Path, reader: Reader) -> AssistantPart:
        """Read a block of an assistant message."""
        kind = _block_type(wire)
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
            return add_shared_cache_mark(self.write_tool_call(part.call, (at, "call"), writer), part.call, writer)
        if type(part) is ReasoningPart:
            return self.write_reasoning(part, at, writer)
        if type(part) is RefusalPart:
            writer.report_loss(at, "a refusal", "rewritten", "it is sent as text")
            return {"type": "text", "text": part.text} if part.text.strip() else ABSENT
        if writer.is_response:
            return self.write_assistant_content(part, at, writer)
        if _drop_blank_text(part, at, writer):
            return ABSENT
        block = add_shared_cache_mark(self.write_assistant_content(part, at, writer), part, writer)
        return _without_empty_summary(block, at, writer)

    def write_reasoning(self, part: ReasoningPart, at: Path, writer: Writer) -> Any:
        """Write thinking with its signature. Unsigned reasoning is dropped from a request, because the API rejects it.

        A response has it with an empty signature, because the types of the SDK require one.
        """
        extras = writer.own_extras(part.metadata, at)
        if extras.get("type") == "redacted_thinking":
            return extras
        is_signed = "signature" in extras if writer.is_response else bool(extras.get("signature"))
        if is_signed or "signature" in extras.get("$absent", ()):
            return self.write_thinking_part(part, at, writer)
        if writer.is_response:
            return {"type": "thinking", "thinking": part.text, "signature": ""}
        writer.report_loss(at, "reasoning", "dropped", "the API only accepts signed thinking")
        return ABSENT

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
        metadata = reader.as_metadata(extras)
        if type(value) is list:
            return ToolResult(identifier, name, "multimodal", value, failed or None, metadata=metadata)
        return ToolResult(identifier, name, "error" if failed else "text", value, metadata=metadata)

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
        restore_extras(wire, extras)
        marked: dict[str, Any] = add_shared_cache_mark(wire, result, writer)
        return marked

    def read_tool_entry(self, wire: Any, at: Path, reader: Reader) -> ToolDefinition | OpaquePart:
        """Read a tool. A hosted tool becomes an opaque part."""
        if type(wire) is dict and type(wire.get("input_schema")) is dict and wire.get("type") in (None, "custom"):
            return self.read_tool(wire, at, reader)
        return OpaquePart(reader.wire.name, wire)

    def write_tool_entry(self, value: Any, at: Path, writer: Writer) -> Any:
        """Write a tool. A hosted tool of another provider is reported."""
        if type(value) is ToolDefinition:
            return add_shared_cache_mark(self.write_tool(value, at, writer), value, writer)
        if type(value) is OpaquePart and value.provider == writer.wire.name:
            return value.value
        writer.report_unsupported(at, "a tool of another provider", "warning")
        return ABSENT

    def read_request_tool_choice(
        self, value: Any, at: Path, reader: Reader, tools: Sequence[Any] | None
    ) -> tuple[ToolChoice | None, bool | None]:
        """Read the tool choice, and whether calls may run in parallel."""
        is_single = value.get(_SINGLE) if type(value) is dict else None
        if type(is_single) is not bool:
            return self.read_tool_choice(value, at, reader), None
        choice = {key: member for key, member in value.items() if key != _SINGLE}
        return self.read_tool_choice(choice, at, reader), not is_single

    def write_request_tool_choice(
        self,
        choice: ToolChoice | None,
        parallel: bool | None,
        at: Path,
        writer: Writer,
        tools: Sequence[Any] | None,
    ) -> Any:
        """Write the tool choice, which contains the setting for parallel calls.

        The API rejects both in a request without tools, and a choice that none of its tools meets: they are left out.
        """
        parallel_path = (at[0], "parallelToolCalls")
        is_choosable = choice is None and parallel is None or self.can_choose(choice, tools)
        if is_choosable:
            return _with_parallel_setting(self.write_tool_choice(choice, at, writer), parallel, parallel_path, writer)
        has_others = self.has_choosable_tools(tools)
        if choice is not None:
            report_choice_without_tools(choice, at, writer, has_others=has_others)
        if has_others:
            return _with_parallel_setting(self.write_tool_choice(None, at, writer), parallel, parallel_path, writer)
        if parallel is not None:
            writer.report_default(parallel_path, "parallelToolCalls", "the request has no tools")
        return ABSENT

    def read_response(self, wire: dict[str, Any], at: Path, reader: Reader) -> Completion:
        """Read a response, which is an assistant message."""
        error = wire.get("error")
        if "content" not in wire and (error or type(wire.get("message")) is str):
            raise BareApiError(format_path(at), wire)
        blocks = read_list_or_null(wire.get("content"), (at, "content"), reader, self.read_assistant_block)
        mark_texts_behind_calls(blocks or (), reader)
        message = AssistantMessage(blocks)
        usage = wire.get("usage")
        if usage is not None and type(usage) is not dict:
            raise wrong_type((at, "usage"), "an object", usage)
        stop_reason = optional_text(wire, "stop_reason", at)
        reason = "error" if error else derive_finish_reason(stop_reason, message, self.FINISH_REASONS)
        mark_calls_invalid(message, reason)
        extras = unmapped_members(wire, _RESPONSE)
        absent = [key for key in ("role", "type") if key not in wire]
        if blocks is None:
            absent.insert(0, "content")
        if absent:
            extras["$absent"] = absent
        return Completion(
            message,
            reason,
            optional_text(wire, "id", at),
            optional_text(wire, "model", at),
            stop_reason,
            None if usage is None else self.USAGE.read(usage, (at, "usage"), reader),
            reader.as_metadata(extras),
        )

    def write_response(
        self, completion: Completion, identifier: str | None, created: int | None, writer: Writer
    ) -> dict[str, Any]:
        """Write a response."""
        completion = with_usage(completion, writer)
        extras = writer.own_extras(completion.metadata, ROOT)
        absent = extras.get("$absent", ())
        content = completion.message.content
        if type(content) is str:
            content = [TextPart(content)] if content else []
        wire: dict[str, Any] = {}
        if completion.id is not None or identifier is not None:
            wire["id"] = identifier if completion.id is None else completion.id
        for key, value in (("type", "message"), ("role", "assistant")):
            if key not in absent:
                wire[key] = extras.get(key, value)
        if completion.model is not None:
            wire["model"] = completion.model
        if content is not None or "content" not in absent:
            path = ((ROOT, "message"), "content")
            wire["content"] = write_list(content or [], path, writer, self.write_assistant_block)
        if completion.stop_reason is not None or not extras:
            stop_reason = provider_stop_reason(completion, self.FINISH_REASONS, extras, writer)
            if stop_reason is not None:
                wire["stop_reason"] = stop_reason
        if completion.usage is not None:
            wire["usage"] = self.USAGE.write(completion.usage, (ROOT, "usage"), writer)
        restore_extras(wire, extras)
        wire.setdefault("stop_sequence", None)
        return wire


def _extra_of_thinking(thinking: Any) -> Any:
    """Return what is kept of the setting for thinking. The field has its number of tokens, but no other setting."""
    budget = thinking.get("budget_tokens") if type(thinking) is dict and thinking.get("type") == "enabled" else None
    if type(budget) is not int:
        return thinking
    unread = [key for key in thinking if key not in ("type", "budget_tokens")]
    return {"$whole": thinking, **({"$unread": unread} if unread else {})}


def _original_thinking(extra: Any) -> Any:
    """Return the setting for thinking of which `extra` was kept."""
    return extra["$whole"] if type(extra) is dict and "$whole" in extra else extra


def _release_choice_while_thinking(wire: dict[str, Any], at: Path, writer: Writer) -> None:
    """Leave the choice to the model if it is thinking, because the API cannot force a call then."""
    choice, thinking = inner_extras(wire, "tool_choice"), inner_extras(wire, "thinking").get("type")
    # Of the models with adaptive thinking, those that have the other form as well cannot be forced either.
    is_thinking = thinking == "enabled" or (thinking == "adaptive" and writer.model_facts.reasoning.thinking == "any")
    if choice.get("type") not in ("any", "tool") or not is_thinking:
        return
    reason = "the API cannot force a call while the model is thinking"
    writer.report_loss((at, "toolChoice"), "toolChoice", "dropped", reason, "behaviour")
    single = {_SINGLE: choice[_SINGLE]} if _SINGLE in choice else {}
    wire["tool_choice"] = {"type": "auto", **single}


def _strip_last_text(messages: list[Any] | None, at: Path, writer: Writer) -> None:
    """Remove white space at the end of the messages if they end with an assistant text, which the model continues."""
    last = messages[-1] if messages else None
    if last is None or last.get("role") != "assistant":
        return
    content = last.get("content")
    final_block = content[-1] if type(content) is list and content else None
    text = final_block.get("text") if type(final_block) is dict else content
    if type(text) is not str or text == text.rstrip():
        return
    writer.report_loss(at, "white space", "dropped", "the API rejects it at the end")
    stripped = text.rstrip()
    last["content"] = stripped if final_block is None else [*content[:-1], {**final_block, "text": stripped}]


def _block_type(block: Any) -> Any:
    return block.get("type") if type(block) is dict else None


def _toolsets_of(message: Message | None, provider: str) -> dict[str, str]:
    """Return the toolset of each call of an assistant message that calls a member of one, by the id of the call."""
    if type(message) is not AssistantMessage:
        return {}
    calls = [call for call in calls_in(message) if call.metadata]
    names = {call.id: inner_extras(call.metadata or {}, provider).get("toolset_name") for call in calls}
    return {identifier: name for identifier, name in names.items() if name is not None}


def _report_name(message: AssistantMessage | SystemMessage | UserMessage, at: Path, writer: Writer) -> None:
    """Report the name of a message, which the wire does not have."""
    if message.name is not None:
        writer.report_unsupported((at, "name"), "name")


def _mark_blank(message: AssistantMessage | SystemMessage | UserMessage, reader: Reader) -> None:
    """Mark blank text that was read from a request, because the API accepted it: a whole message, or parts of it."""
    content = message.content
    if _is_blank(content):
        reader.mark_sent(message)
    elif type(content) is list:
        for part in filter(_is_blank_text, content):
            reader.mark_sent(part)


def _is_blank(content: str | list[Any] | None) -> bool:
    """Return whether the content of a message has nothing but white space."""
    return not (content.strip() if type(content) is str else content)


def _is_blank_text(part: Any) -> bool:
    return type(part) is TextPart and not part.text.strip()


def _drop_blank_text(part: Any, at: Path, writer: Writer) -> bool:
    """Report blank text as dropped, because the API rejects it. Return whether the part is such a text."""
    if not _is_blank_text(part) or writer.was_sent(part):
        return False
    writer.report_loss(at, "blank text", "dropped", "the API rejects it")
    return True


def _without_empty_summary(block: Any, at: Path, writer: Writer) -> Any:
    """Return a block of a request. An empty summary becomes null, with which the API skips the compaction."""
    if _block_type(block) != "compaction" or block.get("content") != "":
        return block
    writer.report_loss(at, "an empty summary", "rewritten", "the API accepts only null for it")
    return {**block, "content": None}


def _as_blocks(content: str | list[Any]) -> list[Any]:
    """Return content as blocks. Blank text becomes none."""
    if type(content) is list:
        return content
    return [] if _is_blank(content) else [{"type": "text", "text": content}]


class _TurnBuilder:
    """Collects the messages of a request. Results and what the user writes after them are one message."""

    __slots__ = ("_results", "wires")

    def __init__(self) -> None:
        self.wires: list[Any] = []
        self._results: list[Any] | None = None
        """The blocks of the last message, if it has results and can have more."""

    def add(self, wire: Any) -> None:
        """Add a message, or none for ABSENT. The next results begin a message of their own."""
        if wire is not ABSENT:
            self.wires.append(wire)
        self._results = None

    def add_results(self, blocks: list[Any], extras: Extras) -> None:
        """Add results to those before them, or to a message of their own if they were read from one."""
        if self._results is None or extras.get("$apart"):
            self._results = blocks
            self.wires.append(_complete_message("user", blocks, extras))
        else:
            self._results += blocks

    def add_user_message(self, wire: Any, extras: Extras) -> None:
        """Add a user message, or none for ABSENT: its content to the results before it, unless it was read apart."""
        if self._results is None or wire is ABSENT or extras.get("$apart"):
            self.add(wire)
            return
        self._results += _as_blocks(wire["content"])
        self._results = None  # a further message of the user stays a message of its own


def _complete_message(role: str, content: str | list[Any], extras: Extras) -> dict[str, Any]:
    """Return a message of the wire with its extras."""
    wire: dict[str, Any] = {"role": role}
    if content or not ("content" in extras or "content" in extras.get("$absent", ())):
        wire["content"] = content
    restore_extras(wire, extras)
    return wire
