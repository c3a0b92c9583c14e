"""Converter for Ollama's chat: one text for each message, with media and calls beside it, and an object of options."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from ...conversion.converter import ObjectWriter, OutputFormat, ValueReader, ValueWriter
from ...conversion.extras import ABSENT, Extras, merge_extras_into, restore_extras, unmapped_members
from ...conversion.message_order import Placed, order_for_api, results_of
from ...conversion.reader import Reader
from ...conversion.request_tools import write_tool_with_provider_settings
from ...conversion.responses import (
    UsageTable,
    derive_finish_reason,
    format_rfc3339,
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
from ...conversion.values import optional_text, read_list_or_null
from ...conversion.writer import Writer
from ...errors import BareApiError, wrong_type
from ...models import (
    AssistantMessage,
    AssistantPart,
    Completion,
    ContentPart,
    ImagePart,
    Message,
    OpaquePart,
    OutputSchema,
    ReasoningPart,
    RefusalPart,
    Request,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolChoice,
    ToolDefinition,
    ToolMessage,
)
from ...paths import ROOT, Path, format_path
from ..chat_bases import ChatMessageConverter, keep_role, restore_role
from ..selected_tools import write_selected_tools
from .fields import (
    order_results_by_tool,
    read_explicit_flag,
    read_limit_negative_as_none,
    read_matched_result_call,
    read_media_part,
    read_text_and_images,
    read_thinking_switch,
    select_empty,
    sendable_kwargs,
    write_explicit_flag,
    write_limit_negative_as_none,
    write_matched_result_call,
    write_media_part,
    write_text_and_images,
    write_thinking_switch,
)

__all__ = ["OllamaConverter"]

_ASSISTANT_MESSAGE = frozenset(["content", "images", "role", "thinking", "tool_calls"])
_ORDER = (ReasoningPart, TextPart, ImagePart, ToolCallPart)
"""The order in which the parts of an assistant message are read."""
_RESPONSE = frozenset(["done", "done_reason", "message", "model"])


class OllamaConverter(ChatMessageConverter):
    """Converts Ollama's requests and responses: one text for each message, with media and calls beside it."""

    read_explicit_flag = staticmethod(read_explicit_flag)
    write_explicit_flag = staticmethod(write_explicit_flag)
    read_limit_negative_as_none = staticmethod(read_limit_negative_as_none)
    write_limit_negative_as_none = staticmethod(write_limit_negative_as_none)
    read_matched_result_call = staticmethod(read_matched_result_call)
    write_matched_result_call = staticmethod(write_matched_result_call)
    read_thinking_switch = staticmethod(read_thinking_switch)
    write_thinking_switch = staticmethod(write_thinking_switch)

    RESPONSE_KEYS = frozenset(["message", "done"])
    CALL_TYPES = None
    KEEPS_UNPAIRED_RESULTS = True

    SDK_MEMBERS: ClassVar[dict[str, Any]]
    """The keys that the client's own types have."""

    USAGE: ClassVar[UsageTable]
    """Where the API has counts of tokens."""

    read_tool_entry: ValueReader[ToolDefinition | OpaquePart]
    write_tool_call: ObjectWriter[ToolCall]
    write_tool_entry: ValueWriter[Any]

    def write_sdk_kwargs(self, request: Request, writer: Writer) -> dict[str, Any]:
        """Write the keyword arguments for the official client."""
        writer.drops_ids = self.SDK_MEMBERS["messages"].get("tool_call_id") != "kept"
        return sendable_kwargs(self.write_checked_request(request, writer), self.SDK_KEYWORDS, self.SDK_MEMBERS, writer)

    def read_tools(self, value: Any, at: Path, reader: Reader) -> tuple[list[ToolDefinition | OpaquePart] | None, Any]:
        """Read the offered tools."""
        return read_list_or_null(None if value is ABSENT else value, at, reader, self.read_tool_definition), ABSENT

    def read_tool_definition(self, wire: Any, at: Path, reader: Reader) -> ToolDefinition | OpaquePart:
        """Read a tool. Its type may be absent."""
        tool = self.read_tool_entry(wire, at, reader)
        if type(tool) is ToolDefinition and "type" not in wire:
            merge_extras_into(tool, reader.wire.name, {"$absent": ["type"]})
        return tool

    def write_tool_definition(self, definition: Any, at: Path, writer: Writer) -> Any:
        """Write a tool as its declaration defines it for this provider."""
        entry = write_tool_with_provider_settings(definition, at, writer, self.write_tool_entry)
        if type(definition) is ToolDefinition and "type" in writer.peek_extras(definition.metadata).get("$absent", ()):
            del entry["type"]
        return entry

    def read_selected_tools(
        self, value: Any, at: Path, reader: Reader
    ) -> tuple[list[ToolDefinition | OpaquePart] | None, ToolChoice | None, Any]:
        """Read the offered tools. The wire has no tool choice."""
        tools, extra = self.read_tools(value, at, reader)
        return tools, None, extra

    def write_selected_tools(
        self, definitions: Sequence[Any] | None, choice: ToolChoice | None, extra: Any, at: Path, writer: Writer
    ) -> Any:
        """Write the offered tools, except those that must not be called."""
        return write_selected_tools(definitions, choice, at[0], writer, self.TOOL_CHOICES, self.write_tool_definition)

    def order_for_api(self, messages: Sequence[Message], at: Path, writer: Writer) -> Iterable[Placed]:
        """Put the messages into the order that the API requires, and results without ids into the order of the calls."""
        before: Message | None = None
        # Each message is written before the next one is read.
        for message, here, paths in order_for_api(messages, at, writer, keeps_unpaired=True):
            if type(message) is ToolMessage and before is not None and (writer.unsent or writer.drops_ids):
                results = order_results_by_tool(results_of(message, here, paths), before, writer)
                ordered = ToolMessage([result for result, _ in results], message.metadata)
                yield Placed(ordered, here, tuple(path for _, path in results))
            else:
                yield Placed(message, here, paths)
            before = message

    def read_assistant_message(self, wire: dict[str, Any], at: Path, reader: Reader) -> AssistantMessage:
        """Read an assistant message: plain text stays text; otherwise parts: thinking, content, images, calls."""
        content = optional_text(wire, "content", at)
        thinking = optional_text(wire, "thinking", at)
        images = read_list_or_null(wire.get("images"), (at, "images"), reader, read_media_part)
        calls = read_list_or_null(wire.get("tool_calls"), (at, "tool_calls"), reader, self.read_tool_call_entry)
        extras = unmapped_members(wire, _ASSISTANT_MESSAGE) | select_empty(wire, "thinking", "images", "tool_calls")
        if "content" not in wire:
            extras["$absent"] = ["content"]
        if not (thinking or images or calls):
            return AssistantMessage(content, metadata=reader.as_metadata(extras))
        parts: list[AssistantPart] = [ReasoningPart(thinking)] if thinking else []
        if content:
            parts.append(TextPart(content))
        return AssistantMessage([*parts, *(images or ()), *(calls or ())], metadata=reader.as_metadata(extras))

    def write_assistant_message(self, message: AssistantMessage, at: Path, writer: Writer) -> dict[str, Any]:
        """Write an assistant message, with its parts under the keys of the wire."""
        extras = writer.own_extras(message.metadata, at)
        if message.name is not None:
            writer.report_unsupported((at, "name"), "name")
        wire: dict[str, Any] = {"role": "assistant", "content": ""}
        if type(message.content) is list:
            self.write_assistant_parts(message.content, (at, "content"), writer, wire)
        elif message.content is not None:
            wire["content"] = message.content
        if not wire["content"] and extras.get("content", ABSENT) is None:
            wire["content"] = None
        if "content" in extras.get("$absent", ()) and not wire["content"]:
            del wire["content"]
        if extras:
            restore_extras(wire, extras)
        return wire

    def write_assistant_parts(self, parts: list[AssistantPart], at: Path, writer: Writer, wire: dict[str, Any]) -> None:
        """Write the parts of an assistant message, each kind under its key."""
        thoughts: list[str] = []
        texts: list[str] = []
        images: list[Any] = []
        calls: list[Any] = []
        for i, part in enumerate(parts):
            here = (at, i)
            if type(part) is ToolCallPart:
                writer.own_extras(part.metadata, here)
                calls.append(self.write_tool_call(part.call, (here, "call"), writer))
            elif type(part) is ReasoningPart:
                thoughts.append(_write_thought(part, here, writer))
            elif type(part) is TextPart:
                texts.append(writer.write_text_part_as_string(part, here))
            elif type(part) is RefusalPart:
                texts.append(writer.write_text_part_as_string(part, here))
                writer.report_loss(here, "refusal", "rewritten", "the API accepts only text")
            elif type(part) is OpaquePart and writer.peek_extras(part.metadata).get("$as") == "tool_calls":
                calls.append(part.value)
            elif type(part) is OpaquePart and part.provider != writer.wire.name:
                writer.report_unsupported(here, writer.part_class_name(part, here), "warning")
            else:
                image_or_description = write_media_part(part, here, writer)
                if type(image_or_description) is TextPart:
                    texts.append(image_or_description.text)
                else:
                    images.append(image_or_description)
        if not _has_api_order(parts):
            writer.report_loss(at, "content", "moved", "the API has a fixed order: thinking, content, calls")
        elif len(texts) > 1 or len(thoughts) > 1:
            writer.report_loss(at, "content", "rewritten", "the API accepts one text, so the texts were joined")
        wire["content"] = "".join(texts)
        for key, value in (("thinking", "".join(thoughts)), ("images", images), ("tool_calls", calls)):
            if value:
                wire[key] = value

    def read_response(self, wire: dict[str, Any], at: Path, reader: Reader) -> Completion:
        """Read a response. Token counts are beside the message."""
        body = wire.get("message")
        if body is None and wire.get("error"):
            raise BareApiError(format_path(at), wire)
        if body is not None and type(body) is not dict:
            raise wrong_type((at, "message"), "an object", body)
        done = wire.get("done")
        if done is not None and type(done) is not bool:
            raise wrong_type((at, "done"), "a boolean", done)
        message = self.read_assistant_message(body or {}, (at, "message"), reader)
        keep_role(message, body or {}, reader)
        token_counts = {key: wire[key] for key in self.USAGE.keys if wire.get(key) is not None}
        stop_reason = optional_text(wire, "done_reason", at)
        reason = derive_finish_reason(stop_reason, message, self.FINISH_REASONS)
        if body is None or done is False or wire.get("error"):
            reason = "error"
        mark_calls_invalid(message, reason)
        return Completion(
            message,
            reason,
            None,
            optional_text(wire, "model", at),
            stop_reason,
            self.USAGE.read(token_counts, at, reader) if token_counts else None,
            reader.as_metadata(self.response_extras(wire)),
        )

    def response_extras(self, wire: dict[str, Any]) -> Extras:
        """Return what a response has that is written differently, or not at all, from a completion."""
        extras = unmapped_members(wire, _RESPONSE.union(self.USAGE.keys))
        if wire.get("done") is False:
            extras["done"] = False
        absent = [key for key in ("message", "done", "done_reason") if key not in wire]
        if absent:
            extras["$absent"] = absent
        stop_reason = wire.get("done_reason")
        if stop_reason is not None and stop_reason not in self.FINISH_REASONS:
            extras["done_reason"] = stop_reason
        return extras

    def write_response(
        self, completion: Completion, identifier: str | None, created: int | None, writer: Writer
    ) -> dict[str, Any]:
        """Write a response. It has no id."""
        extras = writer.own_extras(completion.metadata, ROOT)
        absent = extras.get("$absent", ())
        if completion.id is not None:
            writer.report_unsupported((ROOT, "id"), "id")
        wire: dict[str, Any] = {}
        if completion.model is not None:
            wire["model"] = completion.model
        if "created_at" in extras:
            wire["created_at"] = extras["created_at"]
        elif created is not None:
            wire["created_at"] = format_rfc3339(created)
        message = self.write_assistant_message(completion.message, (ROOT, "message"), writer)
        restore_role(message, completion.message, writer)
        if message or not ("message" in absent or "message" in extras):
            wire["message"] = message
        self.write_end_of_response(wire, completion, extras, writer)
        if completion.usage is not None:
            wire |= self.USAGE.write(completion.usage, (ROOT, "usage"), writer)
        restore_extras(wire, extras)
        return wire

    def write_end_of_response(
        self, wire: dict[str, Any], completion: Completion, extras: Extras, writer: Writer
    ) -> None:
        """Add `done`, and the reason for the end. A failed response that was not read from this API is not done."""
        absent = extras.get("$absent", ())
        is_failure = not extras and completion.finish_reason == "error"
        if "done" not in absent:
            wire["done"] = extras.get("done", not is_failure)
        had_no_known_reason = "done_reason" in absent or "done_reason" in extras
        if is_failure or (completion.stop_reason is None and had_no_known_reason):
            return
        stop_reason = provider_stop_reason(completion, self.FINISH_REASONS, extras, writer)
        if stop_reason is not None:
            wire["done_reason"] = stop_reason

    def read_content(self, wire: dict[str, Any], at: Path, reader: Reader) -> str | list[ContentPart]:
        """Read the content of a user or system message: a text, with images beside it."""
        return read_text_and_images(wire, at, reader)

    def write_content(self, content: str | list[ContentPart], at: Path, writer: Writer) -> dict[str, Any]:
        """Write the content of a user or system message."""
        return write_text_and_images(content, at, writer)

    def read_output_format(self, value: Any, at: Path, reader: Reader) -> OutputFormat:
        """Read the output format: `json` or a schema. Empty text means text. None for any other value.

        Raises:
            ConversionError: The value is neither a string, nor an object, nor null.
        """
        if value is None or value is ABSENT:
            return None
        if type(value) is dict:
            return OutputSchema(value)
        if type(value) is not str:
            raise wrong_type(at, "a string or an object", value)
        if not value:
            return "text"
        return "json" if value == "json" else None

    def write_output_format(self, output_format: OutputFormat, at: Path, writer: Writer) -> Any:
        """Write the output format. Text is the default. The name is a label, and the API always enforces the schema."""
        if output_format is None or output_format == "text":
            return ABSENT
        if output_format == "json":
            return "json"
        writer.own_extras(output_format.metadata, at)
        return output_format.schema

    def read_result_content(
        self, wire: dict[str, Any], at: Path, reader: Reader
    ) -> tuple[ResultKind, Any, bool | None]:
        """Read the result of a call: text, the text of an error, or a text with images."""
        content: Any = read_text_and_images(wire, at, reader)
        if type(content) is str:
            return read_result_text_or_error(content)
        return read_result_parts_or_error(content)

    def write_result_content(
        self, kind: str, value: Any, is_error: bool | None, at: Path, writer: Writer
    ) -> dict[str, Any]:
        """Write the result of a call. The server accepts images in any message."""
        kind, value = say_failure_in_value(kind, value, is_error, at, writer)
        content = value
        if kind != "multimodal":
            content = write_result_text(kind, value, (at[0], "value"), writer)
        return write_text_and_images(content, (at[0], "value"), writer)


def _write_thought(part: ReasoningPart, at: Path, writer: Writer) -> str:
    """Return the text of reasoning. What the API does not have is reported."""
    writer.own_extras(part.metadata, at)
    writer.report_adopted_reasoning(part.metadata, at)
    if not part.text:
        writer.report_unsupported(at, "reasoning without text")
    return part.text


def _has_api_order(parts: Sequence[AssistantPart]) -> bool:
    """Return whether the parts have the order in which they are read from a message of the API."""
    ranks = [_ORDER.index(type(part)) for part in parts if type(part) in _ORDER]
    return ranks == sorted(ranks)
