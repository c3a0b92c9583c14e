"""Converter for sessions that Copilot holds: the app's tools, requests for them, results, and messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from ...conversion.converter import NativeToolConverter, ObjectReader, ObjectWriter, ValueReader, ValueWriter
from ...conversion.extras import ABSENT, merge_extras_into, restore_extras, unmapped_members
from ...conversion.reader import Reader
from ...conversion.responses import UsageTable, calls_in, format_rfc3339
from ...conversion.values import items_or_single, optional_text, read_list_or_null, to_plain_object
from ...conversion.writer import OnLoss, OnUnsupported, Writer
from ...errors import BareApiError, wrong_type
from ...models import (
    AssistantMessage,
    AssistantPart,
    Completion,
    ContentPart,
    ConversionError,
    OpaquePart,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolDefinition,
    ToolResult,
)
from ...paths import ROOT, Path, format_path
from .fields import (
    read_binary_data,
    read_either_name,
    read_schema_empty_as_none,
    read_untyped_arguments,
    write_binary_data,
    write_either_name,
    write_schema_empty_as_none,
    write_untyped_arguments,
)
from .tool_requests import (
    is_app_tool_request,
    read_result_params,
    result_request_id,
    without_pending_state,
    write_result_params,
)

__all__ = ["CopilotConverter"]

_MESSAGE = frozenset(["content", "messageId", "model", "outputTokens", "reasoningText", "toolRequests"])
_SIGNED = frozenset(["encryptedContent", "reasoningBlocks", "reasoningOpaque", "reasoningWireField"])


class CopilotConverter(NativeToolConverter):
    """Converts the app's tools, requests for them, their results, and messages of a session that Copilot holds."""

    read_binary_data = staticmethod(read_binary_data)
    write_binary_data = staticmethod(write_binary_data)
    read_either_name = staticmethod(read_either_name)
    write_either_name = staticmethod(write_either_name)
    read_schema_empty_as_none = staticmethod(read_schema_empty_as_none)
    write_schema_empty_as_none = staticmethod(write_schema_empty_as_none)
    read_untyped_arguments = staticmethod(read_untyped_arguments)
    write_untyped_arguments = staticmethod(write_untyped_arguments)

    USAGE: ClassVar[UsageTable]
    """Where the API has counts of tokens."""

    read_binary_result: ValueReader[ContentPart]
    read_tool_request: ObjectReader[ToolCall]
    sdk_call: Callable[..., dict[str, Any]]
    write_binary_result: ValueWriter[Any]
    write_tool_request: ObjectWriter[ToolCall]

    def to_tool_result(
        self,
        result: ToolResult,
        *,
        calls: Iterable[ToolCall] = (),
        on_loss: OnLoss | None = None,
        on_unsupported: OnUnsupported = "error",
    ) -> dict[str, Any]:
        """Convert a result to the parameters of `session.tools.handlePendingToolCall`, without the session's id.

        The metadata of the result, or of its call, contains the id of the request.

        Args:
            result: The result.
            calls: Calls that the result may belong to, in order.
            on_loss: Called with each `Loss`. Without it, all losses except notes are issued as Python warnings.
            on_unsupported: What to do if the wire cannot express what is asked for: "error" raises, "weaken" reports a
                loss.

        Returns:
            The JSON object of the wire.

        Raises:
            ConversionError: The value of the result cannot be written.
        """
        with Writer(self.wire, on_loss, on_unsupported, result, ToolResult) as writer:
            extras = writer.own_extras(result.metadata, ROOT)
            wire: dict[str, Any] = write_result_params(result, extras, writer, self.write_binary_result)
            if "$around" not in extras:
                wire = {"requestId": result_request_id(result, extras, calls, writer), **wire}
                restore_extras(wire, {key: value for key, value in extras.items() if key != "result"})
            return wire

    def from_tool_result(
        self, result: Any, tool_call_id: str, name: str, *, tools: Iterable[ToolDefinition | OpaquePart] = ()
    ) -> ToolResult:
        """Convert a result: the parameters of `handlePendingToolCall`, or only the result object.

        Args:
            result: The result.
            tool_call_id: The id of the call.
            name: The name of the tool.
            tools: Definitions of tools that the package does not declare, to decode their arguments.

        Returns:
            The result.

        Raises:
            ConversionError: The value is neither of these, or a value has the wrong JSON type.
        """
        reader = Reader(self.wire, tools=tools)
        kind, value, is_error, extras = read_result_params(
            to_plain_object(result, ROOT), ROOT, reader, self.read_binary_result
        )
        return ToolResult(tool_call_id, name, kind, value, is_error, metadata=reader.as_metadata(extras))

    def to_sdk(
        self, definition: ToolDefinition, *, on_loss: OnLoss | None = None, on_unsupported: OnUnsupported = "error"
    ) -> dict[str, Any]:
        """Convert a tool to keyword arguments for the official client's `Tool`. You add its handler.

        Args:
            definition: The tool.
            on_loss: Called with each `Loss`. Without it, all losses except notes are issued as Python warnings.
            on_unsupported: What to do if the wire cannot express what is asked for: "error" raises, "weaken" reports a
                loss.

        Returns:
            The keyword arguments for `Tool`.

        Raises:
            ConversionError: As for `to_tools`.
        """
        with Writer(self.wire, on_loss, on_unsupported, definition, ToolDefinition) as writer:
            entry = self.write_tool_definition(definition, ROOT, writer)
            return self.sdk_call({} if entry is ABSENT else entry, self.SDK_KEYWORDS, writer)

    def from_tool_calls(
        self, response: Any, turn: int = 0, *, tools: Iterable[ToolDefinition | OpaquePart] = ()
    ) -> list[ToolCall]:
        """Extract the calls of an `assistant.message` event, of a list of pending requests, or a single call.

        Args:
            response: The JSON body of a response, or the official client's response object.
            turn: Index of the assistant message in the conversation, from 0. Synthetic ids contain it.
            tools: Definitions of tools that the package does not declare, to decode their arguments.

        Returns:
            The calls, in the order of the model. A call with `invalid` set must not be run.

        Raises:
            ConversionError: As for `from_response` and `from_tool_call`.
        """
        reader = Reader(self.wire, turn, tools)
        objects = [(self.client_data(wire, at), at) for wire, at in items_or_single(response, ROOT)]
        if len(objects) == 1 and "items" in objects[0][0]:
            return read_list_or_null(objects[0][0]["items"], (ROOT, "items"), reader, self.read_pending_call) or []
        calls: list[ToolCall] = []
        for wire, at in objects:
            data = wire["data"] if type(wire.get("data")) is dict else wire
            if "content" in data and "toolCallId" not in data:
                calls += calls_in(self.read_response(wire, at, reader).message)
            else:
                calls.append(self.read_tool_call(wire, at, reader))
        return calls

    def from_tool_call(
        self, wire: Any, *, turn: int = 0, tools: Iterable[ToolDefinition | OpaquePart] = ()
    ) -> ToolCall:
        """Convert a call: an `external_tool.requested` event or its data, a pending request, or a request of a message.

        A handler can also pass the invocation that it gets from the official client.

        Args:
            wire: The JSON value of the wire.
            turn: Index of the assistant message in the conversation, from 0. Synthetic ids contain it.
            tools: Definitions of tools that the package does not declare, to decode their arguments.

        Returns:
            The call. If its `invalid` is set, it must not be run.

        Raises:
            ConversionError: A value has the wrong JSON type.
        """
        return self.read_tool_call(self.client_data(wire, ROOT), ROOT, Reader(self.wire, turn, tools))

    def read_pending_call(self, wire: Any, at: Path, reader: Reader) -> ToolCall:
        """Read an entry of the pending requests."""
        return self.read_tool_call(self.client_data(wire, at), at, reader)

    def read_tool_call(self, wire: dict[str, Any], at: Path, reader: Reader) -> ToolCall:
        """Read a tool request, with or without its event."""
        data = wire.get("data")
        if type(data) is not dict or "toolCallId" in wire:
            return self.read_tool_request(wire, at, reader)
        call = self.read_tool_request(data, (at, "data"), reader)
        event = {key: value for key, value in wire.items() if key != "data"}
        merge_extras_into(call, self.wire.name, {"$around": event})
        return call

    def write_tool_call(self, call: ToolCall, at: Path, writer: Writer) -> dict[str, Any]:
        """Write a tool request, inside its event if it was read from one."""
        wire = self.write_tool_request(call, at, writer)
        event = writer.peek_extras(call.metadata).get("$around")
        return {**event, "data": wire} if type(event) is dict else wire

    def read_response(self, wire: dict[str, Any], at: Path, reader: Reader) -> Completion:
        """Read an `assistant.message` event, or its data alone. It has no stop reason, and only part of the usage."""
        kind = wire.get("type", "assistant.message")
        if wire.get("error") or kind == "session.error" or type(wire.get("code")) is int:
            raise BareApiError(format_path(at), wire)
        is_bare = "data" not in wire
        data = wire if is_bare else wire["data"]
        if type(data) is not dict:
            raise wrong_type((at, "data"), "an object", data)
        if kind != "assistant.message" or "content" not in data:
            raise ConversionError(format_path(at), "is not an assistant.message event")
        data_path = at if is_bare else (at, "data")
        message = self.read_message(data, data_path, reader)
        extras = unmapped_members(data, _MESSAGE | _SIGNED)
        if data.get("toolRequests") == []:
            extras["toolRequests"] = []
        if data.get("reasoningText") == "":
            extras["reasoningText"] = ""
        cost = {"outputTokens": data["outputTokens"]} if data.get("outputTokens") is not None else None
        if is_bare:
            extras["$around"] = None
        else:
            event = {key: value for key, value in wire.items() if key not in ("data", "type")}
            extras = {**event, "data": extras} if extras else event
            if "type" not in wire:
                extras["$absent"] = ["type"]
        parts = message.content if type(message.content) is list else []
        return Completion(
            message,
            "tool_calls" if any(type(part) is ToolCallPart for part in parts) else "stop",
            optional_text(data, "messageId", data_path),
            optional_text(data, "model", data_path),
            None,
            None if cost is None else self.USAGE.read(cost, data_path, reader),
            reader.as_metadata(extras),
        )

    def read_message(self, data: dict[str, Any], at: Path, reader: Reader) -> AssistantMessage:
        """Read an assistant message: plain text stays text; otherwise parts: reasoning, content, requests."""
        content, thought = optional_text(data, "content", at), optional_text(data, "reasoningText", at)
        requests = read_list_or_null(
            data.get("toolRequests"), (at, "toolRequests"), reader, self.read_tool_request_part
        )
        signed = {key: data[key] for key in _SIGNED & data.keys()}
        if not (thought or signed or requests):
            return AssistantMessage(content)
        parts: list[AssistantPart] = []
        if thought or signed:
            if "reasoningText" not in data:
                signed["$absent"] = ["reasoningText"]
            parts.append(ReasoningPart(thought or "", metadata=reader.as_metadata(signed)))
        if content:
            parts.append(TextPart(content))
        return AssistantMessage(
            [*parts, *(requests or ())],
            metadata=reader.as_metadata({"content": None} if content is None else {}),
        )

    def read_tool_request_part(self, wire: Any, at: Path, reader: Reader) -> ToolCallPart | OpaquePart:
        """Read a request of a message. A request for a tool that is not the app's becomes an opaque part."""
        if type(wire) is dict and is_app_tool_request(wire):
            call = self.read_tool_request(wire, at, reader)
            reader.note_call(wire.get("toolCallId"), call)
            return ToolCallPart(call)
        return OpaquePart(reader.wire.name, wire)

    def write_response(
        self, completion: Completion, identifier: str | None, created: int | None, writer: Writer
    ) -> dict[str, Any]:
        """Write an `assistant.message` event. The runtime assigns its id and its position among the events."""
        extras = writer.own_extras(completion.metadata, ROOT)
        if completion.finish_reason not in ("stop", "tool_calls"):
            writer.report_unsupported((ROOT, "finishReason"), "finishReason", "warning")
        if completion.stop_reason is not None:
            writer.report_unsupported((ROOT, "stopReason"), "stopReason")
        data: dict[str, Any] = {}
        message_id = identifier if completion.id is None else completion.id
        if message_id is not None:
            data["messageId"] = message_id
        if completion.model is not None:
            data["model"] = completion.model
        self.write_message(completion.message, (ROOT, "message"), writer, data)
        if completion.usage is not None:
            for key, value in self.USAGE.write(completion.usage, (ROOT, "usage"), writer).items():
                if key == "outputTokens":
                    data[key] = value
                elif key in self.USAGE.keys:
                    writer.report_unsupported((ROOT, "usage"), key)
        if "$around" in extras:
            restore_extras(data, extras)
            return data
        wire: dict[str, Any] = {"type": "assistant.message", "data": data}
        if "type" in extras.get("$absent", ()):
            del wire["type"]
        restore_extras(wire, extras)
        if created is not None and "timestamp" not in wire:
            wire["timestamp"] = format_rfc3339(created)
        return wire

    def write_message(self, message: AssistantMessage, at: Path, writer: Writer, data: dict[str, Any]) -> None:
        """Write an assistant message, with its parts under the keys of an event."""
        extras = writer.own_extras(message.metadata, at)
        if message.name is not None:
            writer.report_unsupported((at, "name"), "name")
        if type(message.content) is not list:
            data["content"] = message.content
            return
        texts: list[str] = []
        thoughts: list[str] = []
        requests: list[Any] = []
        for i, part in enumerate(message.content):
            here = (at, "content"), i
            if type(part) is ToolCallPart:
                requests.append(self.write_tool_request_part(part, here, writer))
            elif type(part) is ReasoningPart:
                signed = writer.own_extras(part.metadata, here)
                if part.text or "reasoningText" not in signed.get("$absent", ()):
                    thoughts.append(part.text)
                restore_extras(data, signed)
            elif type(part) is TextPart or type(part) is RefusalPart:
                writer.own_extras(part.metadata, here)
                texts.append(part.text)
                if type(part) is RefusalPart:
                    writer.report_loss(here, "refusal", "rewritten", "the API accepts only text")
            elif type(part) is OpaquePart and part.provider == writer.wire.name:
                requests.append(part.value)
            else:
                writer.report_unsupported(here, writer.part_class_name(part, here), "warning")
        if len(texts) > 1 or len(thoughts) > 1:
            reason = "the API accepts one text, so the texts were joined"
            writer.report_loss((at, "content"), "content", "rewritten", reason)
        data["content"] = "".join(texts) if texts else extras.get("content", "")
        if thoughts:
            data["reasoningText"] = "".join(thoughts)
        if requests:
            data["toolRequests"] = requests

    def write_tool_request_part(self, part: ToolCallPart, at: Path, writer: Writer) -> dict[str, Any]:
        """Write a request of a message, without the keys of a pending request."""
        wire = self.write_tool_request(without_pending_state(part.call, writer.wire.name), (at, "call"), writer)
        restore_extras(wire, writer.own_extras(part.metadata, at))
        return wire
