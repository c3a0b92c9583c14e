"""Converter for Bedrock's Converse, with blocks without a type tag and system text beside the messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...conversion.extras import (
    ABSENT,
    Extras,
    has_value_at,
    inner_extras,
    merge_extras_into,
    restore_extras,
    unmapped_members,
)
from ...conversion.reader import Reader
from ...conversion.values import optional_text
from ...conversion.writer import Writer
from ...errors import BareApiError, wrong_type
from ...history import has_tool_calls, is_tool_result
from ...models import (
    AssistantMessage,
    Completion,
    Message,
    OpaquePart,
    OutputSchema,
    Request,
    ToolChoice,
    ToolDefinition,
)
from ...native_tool_converter import OutputFormat
from ...paths import ROOT, Path, format_path
from ...request_tools import none_if_empty
from ...responses import FinishReason, derive_finish_reason, mark_calls_invalid, provider_stop_reason
from .client_values import find_exception, is_api_error
from .content import read_blocks, write_blocks
from .fields import (
    read_block_source,
    read_document_name,
    read_schema_text,
    read_text_unless_empty,
    write_block_source,
    write_document_name,
    write_schema_text,
    write_text_unless_empty,
)
from .messages import MESSAGE_KEYS, BedrockMessageConverter
from .tools import complete_tool_config, has_tool_blocks

__all__ = ["BedrockConverter"]

_RESPONSE = frozenset(["ResponseMetadata", "output", "stopReason", "usage"])
_OUTPUT = frozenset(["message"])


def _extras_of_response(wire: dict[str, Any], output: dict[str, Any], message: dict[str, Any]) -> Extras:
    """Return the extras of a response: its other keys at their paths, and which of the known keys are absent.

    An object that is null counts as absent, because its keys are.
    """
    extras = unmapped_members(wire, _RESPONSE)
    outer = unmapped_members(output, _OUTPUT)
    inner = unmapped_members(message, MESSAGE_KEYS)
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


class BedrockConverter(BedrockMessageConverter):
    """Converts requests and responses of Converse. Results are in user messages, system text is beside the messages."""

    read_block_source = staticmethod(read_block_source)
    write_block_source = staticmethod(write_block_source)
    read_document_name = staticmethod(read_document_name)
    write_document_name = staticmethod(write_document_name)
    read_schema_text = staticmethod(read_schema_text)
    write_schema_text = staticmethod(write_schema_text)
    read_text_unless_empty = staticmethod(read_text_unless_empty)
    write_text_unless_empty = staticmethod(write_text_unless_empty)

    RESPONSE_KEYS = frozenset(["output", "stopReason"])

    def write_sdk_kwargs(self, request: Request, writer: Writer) -> dict[str, Any]:
        """Write the keyword arguments for the official client."""
        body = self.write_checked_request(request, writer)
        return self.sdk_call(request.model, body, self.SDK_KEYWORDS, self.SDK_BYTES, writer)

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
        writer.report_loss(at, "toolChoice", "rewritten", "the tools are left out instead")
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

    def read_request(self, wire: dict[str, Any], at: Path, reader: Reader) -> Request:
        """Read a request body. The extras record that a history with calls has no tools."""
        request = self.read_request_body(wire, at, reader)
        if "toolConfig" not in wire and has_tool_blocks(wire.get("messages")):
            merge_extras_into(request, reader.wire.name, {"$absent": ["toolConfig"]})
        return request

    def write_request(self, request: Request, at: Path, writer: Writer) -> dict[str, Any]:
        """Write a request body, with the tools that the API requires and without those that must not be called."""
        writer.model = request.model
        wire = self.write_request_body(request, at, writer)
        complete_tool_config(wire, request.tool_choice, writer.peek_extras(request.metadata), writer)
        return wire

    def read_response(self, wire: dict[str, Any], at: Path, reader: Reader) -> Completion:
        """Read a response, which is one assistant message. The client's own metadata of the exchange is ignored."""
        output = wire.get("output")
        if output is None and is_api_error(wire):
            raise BareApiError(format_path(at), wire)
        if output is not None and type(output) is not dict:
            raise wrong_type((at, "output"), "an object", output)
        found = (output or {}).get("message")
        if found is not None and type(found) is not dict:
            raise wrong_type(((at, "output"), "message"), "an object", found)
        body = found or {}
        path = (((at, "output"), "message"), "content")
        message = AssistantMessage(read_blocks(body.get("content"), path, reader, self.read_assistant_block) or None)
        usage = wire.get("usage")
        if usage is not None and type(usage) is not dict:
            raise wrong_type((at, "usage"), "an object", usage)
        stop_reason = optional_text(wire, "stopReason", at)
        reason: FinishReason = "error"
        if find_exception(wire) is None:
            reason = derive_finish_reason(stop_reason, message, self.FINISH_REASONS)
        mark_calls_invalid(message, reason)
        extras = _extras_of_response(wire, output or {}, body)
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
        stop_reason = (
            provider_stop_reason(completion, self.FINISH_REASONS, extras, writer)
            if completion.stop_reason is not None or not extras
            else None
        )
        if stop_reason is not None:
            wire["stopReason"] = stop_reason
        if completion.usage is not None:
            wire["usage"] = self.USAGE.write(completion.usage, (ROOT, "usage"), writer)
        restore_extras(wire, extras)
        return wire
