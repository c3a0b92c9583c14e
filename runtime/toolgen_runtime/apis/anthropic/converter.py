"""Converter for Anthropic Messages, with system text and thinking settings beside the messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ...conversion.extras import (
    ABSENT,
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
from ...conversion.values import optional_object, optional_text, read_list_or_null, read_text_or_list, write_list
from ...conversion.writer import Writer
from ...errors import BareApiError, wrong_type
from ...models import (
    AssistantMessage,
    Completion,
    OpaquePart,
    OutputSchema,
    Reasoning,
    Request,
    SystemMessage,
    TextPart,
    ToolChoice,
    ToolDefinition,
)
from ...paths import ROOT, Path, format_path
from ...request_tools import report_choice_without_tools
from ...responses import derive_finish_reason, mark_calls_invalid, provider_stop_reason, with_usage
from ...tool_call_fields import write_flag_about_tools
from .fields import limit_cache_marks, read_refused_number, read_source, write_refused_number, write_source
from .messages import AnthropicMessageConverter, note_blank

__all__ = ["AnthropicConverter"]


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


def _type(block: Any) -> Any:
    return block.get("type") if type(block) is dict else None


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


_SMALLEST_BUDGET = 1024

_RESPONSE = frozenset(["content", "id", "model", "stop_reason", "usage"])

_SINGLE = "disable_parallel_tool_use"


class AnthropicConverter(AnthropicMessageConverter):
    """Converts requests and responses of Anthropic Messages, with system text and thinking settings beside messages."""

    read_refused_number = staticmethod(read_refused_number)
    write_refused_number = staticmethod(write_refused_number)
    read_source = staticmethod(read_source)
    write_source = staticmethod(write_source)

    RESPONSE_KEYS = frozenset(["content", "stop_reason"])
    DEFAULT_KEYS = ("max_tokens",)
    EFFORTS: ClassVar[dict[str, str]]
    """The API's value for each effort."""

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
