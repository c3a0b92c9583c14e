"""Converter for Anthropic Messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

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
from ...conversion.reader import Reader
from ...conversion.values import (
    drop_inline_block,
    opaque_message,
    optional_object,
    optional_text,
    read_list_or_null,
    read_text_or_list,
    wire_message_of,
    write_list,
    write_text_or_list,
)
from ...conversion.writer import Writer
from ...converter import ObjectReader, ObjectWriter, ValueReader, ValueWriter
from ...errors import BareApiError, wrong_type
from ...message_order import order_restoring_separate_results
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
    ToolCallPart,
    ToolChoice,
    ToolDefinition,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from ...native_tool_converter import NativeToolSdkConverter
from ...paths import ROOT, Path, format_path
from ...request_tools import report_choice_without_tools
from ...responses import derive_finish_reason, mark_calls_invalid, provider_stop_reason, with_usage
from ...tool_call_fields import read_result_call, write_flag_about_tools
from ...tool_results import report_error_text_sent_with_flag, write_result_text
from ...unpaired_results import results_of
from .fields import limit_cache_marks, read_refused_number, read_source, write_refused_number, write_source

__all__ = ["AnthropicConverter"]

_RESPONSE = frozenset(["content", "id", "model", "stop_reason", "usage"])
_MESSAGE = frozenset(["content", "role"])
_RESULT = frozenset(["content", "is_error", "tool_use_id", "type"])

_SMALLEST_BUDGET = 1024
_SINGLE = "disable_parallel_tool_use"


class AnthropicConverter(NativeToolSdkConverter):
    """Converts requests and responses of Anthropic Messages.

    Results are blocks of user messages. System text and the settings for thinking are beside the messages.
    """

    RESPONSE_KEYS = frozenset(["content", "stop_reason"])
    DEFAULT_KEYS = ("max_tokens",)
    EFFORTS: ClassVar[dict[str, str]]
    """The API's value for each effort."""

    read_refused_number = staticmethod(read_refused_number)
    write_refused_number = staticmethod(write_refused_number)
    read_source = staticmethod(read_source)
    write_source = staticmethod(write_source)

    read_assistant_content: ValueReader[AssistantPart]
    read_thinking_part: ObjectReader[ReasoningPart]
    write_assistant_content: ValueWriter[Any]
    write_thinking_part: ObjectWriter[ReasoningPart]

    def read_request(self, wire: dict[str, Any], at: Path, reader: Reader) -> Request:
        """Read a request body: its plain values, then system text, output format and reasoning settings."""
        request = self.read_request_body(wire, at, reader)
        extras: Extras = {}
        system = wire.get("system")
        if system is not None:
            content = read_text_or_list(system, (at, "system"), reader, self.read_system_content)
            blank = note_blank(content, reader, {})
            request.messages.insert(0, SystemMessage(content, metadata=reader.as_metadata(blank)))
        format_key = "output_format" if wire.get("output_format") is not None else "format"
        settings = optional_object(wire, "output_config", at)
        output = wire.get("output_format") if format_key == "output_format" else settings.get("format")
        if type(output) is dict and output.get("type") == "json_schema" and type(output.get("schema")) is dict:
            request.output_format = self.read_output_schema(output, (at, format_key), reader)
            note_alias(extras, "format", format_key)
        elif output is not None:
            extras[format_key] = output
        thinking = wire.get("thinking")
        request.reasoning = _read_reasoning_settings(thinking, settings.get("effort"))
        if thinking is not None:
            extras["thinking"] = thinking
        left = {key: value for key, value in settings.items() if key not in ("format", "effort")}
        keep_inner_extras(extras, wire, "output_config", left)
        merge_extras_into(request, reader.wire.name, extras)
        return request

    def write_request(self, request: Request, at: Path, writer: Writer) -> dict[str, Any]:
        """Write a request body."""
        extras = writer.peek_extras(request.metadata)
        wire = self.write_request_body(request, at, writer)
        system = self.write_system(request.messages, (at, "messages"), writer)
        if system is not None:
            wire["system"] = system
        limit_cache_marks(wire, at, writer)
        _strip_last_text(wire.get("messages"), (at, "messages"), writer)
        settings = dict(inner_extras(extras, "output_config"))
        if type(request.output_format) is OutputSchema:
            is_beside = original_key(extras, "format") == "output_format"
            holder, key = (wire, "output_format") if is_beside else (settings, "format")
            holder[key] = self.write_output_schema(request.output_format, (at, "outputFormat"), writer)
        elif request.output_format is not None and request.output_format != "text":
            writer.report_unsupported((at, "outputFormat"), "JSON without a schema", "warning")
        self.write_reasoning_settings(request.reasoning, (at, "reasoning"), writer, wire, settings, extras)
        if settings:
            wire["output_config"] = settings
        self._fit_thinking(wire, at, writer)
        forced = inner_extras(wire, "tool_choice").get("type") in ("any", "tool")
        if forced and inner_extras(wire, "thinking").get("type") == "enabled":
            writer.report_loss(
                (at, "toolChoice"),
                "toolChoice",
                "dropped",
                "the API cannot force a call while the model is thinking",
                "behaviour",
            )
            single = {k: v for k, v in wire["tool_choice"].items() if k == "disable_parallel_tool_use"}
            wire["tool_choice"] = {"type": "auto", **single}
        return wire

    def _fit_thinking(self, wire: dict[str, Any], at: Path, writer: Writer) -> None:
        """Make the number of all tokens, and thinking, as the API requires: `max_tokens` is above the budget."""
        thinking = inner_extras(wire, "thinking")
        budget = thinking.get("budget_tokens") if thinking.get("type") == "enabled" else None
        path = (at, "reasoning")
        if type(budget) is int and _lacks_thinking(wire.get("messages") or []):
            reason = "the API requires thinking in a turn whose calls were answered last"
            writer.report_loss(path, "reasoning", "dropped", reason, "warning")
            budget = None
            del wire["thinking"]
        if "max_tokens" not in wire:
            wire["max_tokens"] = self.DEFAULTS["max_tokens"] + (budget if type(budget) is int else 0)
            reason = f"the API requires it, so it is set to {wire['max_tokens']}"
            writer.report_loss((at, "maxOutputTokens"), "maxOutputTokens", "defaulted", reason)
        most = wire["max_tokens"]
        if type(budget) is not int or type(most) is not int or budget < most:
            return
        if most <= _SMALLEST_BUDGET:
            reason = f"thinking takes at least {_SMALLEST_BUDGET:,} tokens, and maxOutputTokens counts them"
            writer.report_loss(path, "reasoning", "dropped", reason, "warning")
            del wire["thinking"]
        else:
            reason = "it must be below maxOutputTokens, which counts these tokens too"
            writer.report_loss((path, "budgetTokens"), "budgetTokens", "rewritten", reason, "warning")
            wire["thinking"] = {**thinking, "budget_tokens": most - 1}

    def write_reasoning_settings(
        self,
        reasoning: Reasoning | None,
        at: Path,
        writer: Writer,
        wire: dict[str, Any],
        settings: dict[str, Any],
        extras: Extras,
    ) -> None:
        """Write the reasoning settings. The original settings win if they mean the same."""
        original = extras.get("thinking")
        effort = reasoning.effort if reasoning is not None else None
        budget = reasoning.budget_tokens if reasoning is not None else None
        if (
            original is not None
            and _read_reasoning_settings(original, None if effort == "none" else effort) == reasoning
        ):
            wire["thinking"] = original
        elif effort == "none" or budget == 0:
            wire["thinking"] = {"type": "disabled"}
        elif budget is not None:
            if budget < _SMALLEST_BUDGET:
                reason = f"the smallest number is {_SMALLEST_BUDGET:,}"
                writer.report_loss((at, "budgetTokens"), "budgetTokens", "rewritten", reason, "warning")
            wire["thinking"] = {"type": "enabled", "budget_tokens": max(budget, _SMALLEST_BUDGET)}
        else:
            wire.pop("thinking", None)
        if effort is not None and effort != "none":
            level = self.EFFORTS.get(effort, effort)
            if level != effort:
                writer.report_loss((at, "effort"), "effort", "rewritten", f"the nearest level is {level}")
            settings["effort"] = level

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

    def write_moved_system_block(self, part: ContentPart, at: Path, writer: Writer) -> Any:
        """Write a part of a system message that was among the messages."""
        return ABSENT if drop_inline_block(part, at, writer) else self.write_system_block(part, at, writer)

    def write_system_block(self, part: ContentPart, at: Path, writer: Writer) -> Any:
        """Write a part of a system message. Blank text is dropped, because the API rejects it."""
        return ABSENT if _report_if_blank(part, at, writer) else self.write_system_content(part, at, writer)

    def write_user_block(self, part: ContentPart, at: Path, writer: Writer) -> Any:
        """Write a part of a user message. Blank text is dropped, because the API rejects it."""
        return ABSENT if _report_if_blank(part, at, writer) else self.write_user_content(part, at, writer)

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

    def read_tool_entry(self, wire: Any, at: Path, reader: Reader) -> ToolDefinition | OpaquePart:
        """Read a tool. A hosted tool becomes an opaque part."""
        if type(wire) is dict and type(wire.get("input_schema")) is dict and wire.get("type") in (None, "custom"):
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
        self, value: Any, at: Path, reader: Reader, tools: Sequence[Any] | None
    ) -> tuple[ToolChoice | None, bool | None]:
        """Read the tool choice, and whether calls may run in parallel."""
        single = value.get(_SINGLE) if type(value) is dict else None
        if type(single) is not bool:
            return self.read_tool_choice(value, at, reader), None
        return self.read_tool_choice({k: v for k, v in value.items() if k != _SINGLE}, at, reader), not single

    def write_request_tool_choice(
        self,
        choice: ToolChoice | None,
        parallel: bool | None,
        at: Path,
        writer: Writer,
        tools: Sequence[Any] | None,
    ) -> Any:
        """Write the tool choice. It contains the setting for parallel calls. Without its tools the API rejects it."""
        if not self.can_choose(choice, tools) and (choice is not None or parallel is not None):
            has_others = self.has_choosable_tools(tools)
            if choice is not None:
                report_choice_without_tools(choice, at, writer, has_others=has_others)
            if not has_others:
                return write_flag_about_tools(parallel, (at[0], "parallelToolCalls"), writer, None)
            choice = None
        written = self.write_tool_choice(choice, at, writer)
        if parallel is None:
            return written
        if written is ABSENT and parallel:
            writer.report_loss((at[0], "parallelToolCalls"), "parallelToolCalls", "defaulted", "it is the default")
            return ABSENT
        if written is not ABSENT and written.get("type") == "none":
            writer.report_loss(
                (at[0], "parallelToolCalls"), "parallelToolCalls", "dropped", "the model must not call any tool"
            )
            return written
        return {**({"type": "auto"} if written is ABSENT else written), _SINGLE: not parallel}

    def read_response(self, wire: dict[str, Any], at: Path, reader: Reader) -> Completion:
        """Read a response, which is an assistant message."""
        error = wire.get("error")
        if "content" not in wire and (error or type(wire.get("message")) is str):
            raise BareApiError(format_path(at), wire)
        extras = unmapped_members(wire, _RESPONSE)
        blocks = read_list_or_null(wire.get("content"), (at, "content"), reader, self.read_assistant_block)
        message = AssistantMessage(blocks)
        if blocks is None or "type" not in wire or "role" not in wire:
            absent = [key for key in ("role", "type") if key not in wire]
            extras["$absent"] = ["content", *absent] if blocks is None else absent
        usage = wire.get("usage")
        if usage is not None and type(usage) is not dict:
            raise wrong_type((at, "usage"), "an object", usage)
        stop_reason, identifier, model = wire.get("stop_reason"), wire.get("id"), wire.get("model")
        if type(stop_reason) is not str or type(identifier) is not str or type(model) is not str:
            stop_reason, identifier, model = (optional_text(wire, key, at) for key in ("stop_reason", "id", "model"))
        reason = derive_finish_reason(stop_reason, message, self.FINISH_REASONS)
        if error:
            reason = "error"
        mark_calls_invalid(message, reason)
        return Completion(
            message,
            reason,
            identifier,
            model,
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
        content = completion.message.content
        path = ((ROOT, "message"), "content")
        if type(content) is str:
            content = [TextPart(content)] if content else []
        wire: dict[str, Any] = {}
        if completion.id is not None or identifier is not None:
            wire["id"] = completion.id if completion.id is not None else identifier
        for key, value in (("type", "message"), ("role", "assistant")):
            if key not in extras.get("$absent", ()):
                wire[key] = extras.get(key, value)
        if completion.model is not None:
            wire["model"] = completion.model
        if content is not None or "content" not in extras.get("$absent", ()):
            wire["content"] = write_list(content or [], path, writer, self.write_assistant_block)
        stop_reason = (
            provider_stop_reason(completion, self.FINISH_REASONS, extras, writer)
            if completion.stop_reason is not None or not extras
            else None
        )
        if stop_reason is not None:
            wire["stop_reason"] = stop_reason
        if completion.usage is not None:
            wire["usage"] = self.USAGE.write(completion.usage, (ROOT, "usage"), writer)
        restore_extras(wire, extras)
        wire.setdefault("stop_sequence", None)
        return wire


def _read_reasoning_settings(thinking: Any, effort: Any) -> Reasoning | None:
    """Read the reasoning settings: a number of tokens, an effort, or None."""
    budget = thinking.get("budget_tokens") if type(thinking) is dict else None
    level = effort if type(effort) is str else None
    if level is None and type(thinking) is dict and thinking.get("type") == "disabled":
        level = "none"
    if type(budget) is not int and level is None:
        return None
    return Reasoning(level, budget if type(budget) is int else None)


def _strip_last_text(messages: list[Any] | None, at: Path, writer: Writer) -> None:
    """Remove white space at the end of the messages if they end with an assistant text, which the model continues."""
    last = messages[-1] if messages else None
    if last is None or last.get("role") != "assistant":
        return
    content = last.get("content")
    holder, key = (content[-1], "text") if type(content) is list and content else (last, "content")
    text = holder.get(key) if type(holder) is dict else None
    if type(text) is str and text != text.rstrip():
        writer.report_loss(at, "white space", "dropped", "the API rejects it at the end")
        stripped = {**holder, key: text.rstrip()}
        last["content"] = [*content[:-1], stripped] if holder is not last and type(content) is list else stripped[key]


def _lacks_thinking(messages: list[Any]) -> bool:
    """Return whether results end the messages, and no message of the turn that they belong to starts with thinking.

    To the API a turn is all that the assistant has said since the user said something else than results. The model
    often thinks only at its start, so its later messages need no thinking.
    """
    has_results = False
    for message in reversed(messages):
        content = message.get("content")
        kinds = [_type(block) for block in content] if type(content) is list else []
        if message.get("role") == "assistant" and kinds and kinds[0] in ("thinking", "redacted_thinking"):
            return False
        if message.get("role") == "user":
            if "tool_result" not in kinds:
                break
            has_results = True
        elif not has_results and message.get("role") == "assistant":
            break
    return has_results


def _type(block: Any) -> Any:
    return block.get("type") if type(block) is dict else None


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


def _is_blank(content: str | list[Any] | None) -> bool:
    """Return whether the content of a message has nothing but white space."""
    return not (content.strip() if type(content) is str else content)


def _report_if_blank(part: Any, at: Path, writer: Writer) -> bool:
    """Report blank text as dropped, because the API rejects it. Return whether the part is such a text."""
    if type(part) is not TextPart or part.text.strip() or writer.was_sent(part):
        return False
    writer.report_loss(at, "blank text", "dropped", "the API rejects it")
    return True


def _is_inline_system_message(message: SystemMessage, writer: Writer) -> bool:
    """Return whether a system message was among the messages, or has blocks that cannot be anywhere else."""
    if writer.peek_extras(message.metadata).get("$inline"):
        return True
    return type(message.content) is list and any(
        type(part) is OpaquePart and part.provider == writer.wire.name for part in message.content
    )


def _with_extras(wire: dict[str, Any], extras: Extras) -> dict[str, Any]:
    """Restore the extras of a message."""
    if extras:
        restore_extras(wire, extras)
    return wire


def toolsets_of(message: Message | None, provider: str) -> dict[str, Any]:
    """Return the toolset of each call of an assistant message that calls a member of one. Its result repeats it."""
    content = message.content if type(message) is AssistantMessage else None
    parts = content if type(content) is list else ()
    kept = [part.call for part in parts if type(part) is ToolCallPart and part.call.metadata]
    found = [(call.id, inner_extras(call.metadata or {}, provider).get("toolset_name")) for call in kept]
    return {identifier: name for identifier, name in found if name is not None}
