"""Converter for the app's sessions in copilot-quorum: tools, results, and responses made of tagged variants."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...conversion.converter import NativeToolConverter, ObjectReader, ObjectWriter
from ...conversion.extras import ABSENT, Extras, is_internal_mark, merge_extras_into, restore_extras, unmapped_members
from ...conversion.fields import INVALID_ARGUMENTS_KEY, read_object_arguments, read_tool_name, write_object_arguments
from ...conversion.reader import Reader
from ...conversion.responses import calls_in, derive_finish_reason, mark_calls_invalid, provider_stop_reason
from ...conversion.tool_results import ResultKind, write_result_text
from ...conversion.values import items_or_single, optional_text, read_list_or_null, to_plain_object
from ...conversion.writer import Writer
from ...errors import wrong_type
from ...json_text import loads
from ...models import (
    AssistantMessage,
    AssistantPart,
    Completion,
    InvalidCall,
    OpaquePart,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolDefinition,
    ToolResult,
)
from ...paths import ROOT, Path

__all__ = [
    "CopilotQuorumConverter",
    "read_map_arguments",
    "read_result_tool_name",
    "write_map_arguments",
    "write_result_tool_name",
]

_RESPONSE = frozenset(["content", "model", "stop_reason"])
_VARIANTS = frozenset(["EndTurn", "MaxTokens", "ToolUse"])


def _read_stop_reason(value: Any, at: Path) -> str | None:
    """Read the stop reason: the name of a variant, or the string in `Other`. Anything else becomes None."""
    if value is None or type(value) is str:
        return value
    if type(value) is not dict:
        raise wrong_type(at, "a string or an object", value)
    reason = value.get("Other")
    return reason if len(value) == 1 and type(reason) is str else None


def _write_stop_reason(stop_reason: str | None) -> Any:
    """Write the stop reason."""
    return stop_reason if stop_reason is None or stop_reason in _VARIANTS else {"Other": stop_reason}


def write_result_tool_name(name: str, extra: Any, at: Path, writer: Writer) -> str:
    """Write the name. The original name wins if the result still has the name that replaced it."""
    if type(extra) is dict and extra.get("$synthetic") == name and type(extra.get("$whole")) is str:
        return str(extra["$whole"])
    return writer.tool_name(name, at)


def read_map_arguments(value: Any, at: Path, reader: Reader) -> tuple[dict[str, Any], InvalidCall | None, Any]:
    """Read the arguments. A value that is not a map is kept as an extra.

    Raises:
        ConversionError: The value is neither a map, nor the JSON text of one, nor null.
    """
    arguments, invalid = read_object_arguments(value, at, reader)
    if value is ABSENT:
        return arguments, invalid, {"$absent": True}
    if type(value) is not dict:
        return arguments, invalid, {"$whole": value}
    text = value.get(INVALID_ARGUMENTS_KEY) if len(value) == 1 else None
    if type(text) is str:
        try:
            parsed = loads(text)
        except ValueError:
            return {}, InvalidCall(text, "malformed"), ABSENT
        if type(parsed) is not dict:
            return {}, InvalidCall(text, "not_an_object"), ABSENT
    return arguments, invalid, ABSENT


def write_map_arguments(
    arguments: dict[str, Any], invalid: InvalidCall | None, extra: Any, at: Path, writer: Writer
) -> Any:
    """Write the arguments. The original value wins if it means the same.

    Raises:
        ConversionError: The arguments cannot be written as JSON.
    """
    if is_internal_mark(extra) and not arguments:
        if "$absent" in extra:
            return ABSENT
        if extra["$whole"] is None or (type(extra["$whole"]) is str and not extra["$whole"].strip()):
            return extra["$whole"]
        if invalid is not None and extra["$whole"] == invalid.text:
            return extra["$whole"]
    return write_object_arguments(arguments, invalid, at, writer)


def read_result_tool_name(value: Any, at: Path, reader: Reader) -> tuple[str, Any]:
    """Read the name of a result's tool.

    Raises:
        ConversionError: The value is not a string.
    """
    return read_tool_name(value, at, reader), ABSENT


class CopilotQuorumConverter(NativeToolConverter):
    """Converts tools, results and responses of the app's sessions. Blocks and events are tagged variants."""

    read_map_arguments = staticmethod(read_map_arguments)
    write_map_arguments = staticmethod(write_map_arguments)
    read_result_tool_name = staticmethod(read_result_tool_name)
    write_result_tool_name = staticmethod(write_result_tool_name)

    read_application_call: ObjectReader[ToolCall]
    read_tool_result: ObjectReader[ToolResult]
    read_tool_use: ObjectReader[ToolCall]
    write_application_call: ObjectWriter[ToolCall]
    write_tool_use: ObjectWriter[ToolCall]

    def from_tool_result(
        self,
        result: Any,
        tool_call_id: str | None = None,
        name: str | None = None,
        *,
        tools: Iterable[ToolDefinition | OpaquePart] = (),
    ) -> ToolResult:
        """Convert a result, a ToolResultMessage. The id and the name, if given, replace those of the message.

        Args:
            result: The result.
            tool_call_id: The id of the call.
            name: The name of the tool.
            tools: Definitions of tools that the package does not declare, to decode their arguments.

        Returns:
            The result.

        Raises:
            ConversionError: A value has the wrong JSON type.
        """
        wire = to_plain_object(result, ROOT)
        converted = self.read_tool_result(wire, ROOT, Reader(self.wire, tools=tools))
        extras: Extras = {}
        if tool_call_id is not None and tool_call_id != converted.tool_call_id:
            extras["tool_use_id"] = {"$synthetic": tool_call_id, "$whole": wire["tool_use_id"]}
            converted.tool_call_id = tool_call_id
        if name is not None and name != converted.name:
            extras["tool_name"] = {"$synthetic": name, "$whole": wire["tool_name"]}
            converted.name = name
        merge_extras_into(converted, self.wire.name, extras)
        return converted

    def from_tool_calls(
        self, response: Any, turn: int = 0, *, tools: Iterable[ToolDefinition | OpaquePart] = ()
    ) -> list[ToolCall]:
        """Extract the calls of a response, of a list of the application's calls, or of a single call.

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
        objects = [(to_plain_object(wire, at), at) for wire, at in items_or_single(response, ROOT)]
        if len(objects) == 1 and "content" in objects[0][0]:
            return calls_in(self.read_response(objects[0][0], ROOT, reader).message)
        return [self.read_tool_call(wire, at, reader) for wire, at in objects]

    def from_tool_call(
        self, wire: Any, *, turn: int = 0, tools: Iterable[ToolDefinition | OpaquePart] = ()
    ) -> ToolCall:
        """Convert a call: a ToolCall of the application, or a block of a response.

        Args:
            wire: The JSON value of the wire.
            turn: Index of the assistant message in the conversation, from 0. Synthetic ids contain it.
            tools: Definitions of tools that the package does not declare, to decode their arguments.

        Returns:
            The call. If its `invalid` is set, it must not be run.

        Raises:
            ConversionError: A value has the wrong JSON type.
        """
        return self.read_tool_call(to_plain_object(wire, ROOT), ROOT, Reader(self.wire, turn, tools))

    def read_tool_call(self, wire: dict[str, Any], at: Path, reader: Reader) -> ToolCall:
        """Read a call. The extras record that it was a block."""
        if "ToolUse" not in wire or "tool_name" in wire:
            return self.read_application_call(wire, at, reader)
        block = wire["ToolUse"]
        if type(block) is not dict:
            raise wrong_type((at, "ToolUse"), "an object", block)
        call = self.read_tool_use(block, (at, "ToolUse"), reader)
        merge_extras_into(
            call, self.wire.name, {"$around": {key: value for key, value in wire.items() if key != "ToolUse"}}
        )
        return call

    def write_tool_call(self, call: ToolCall, at: Path, writer: Writer) -> dict[str, Any]:
        """Write a call as the application defines it, or as the block that it was read from."""
        beside = writer.peek_extras(call.metadata).get("$around")
        if type(beside) is dict:
            return {**beside, "ToolUse": self.write_tool_use(call, at, writer)}
        return self.write_application_call(call, at, writer)

    def read_response(self, wire: dict[str, Any], at: Path, reader: Reader) -> Completion:
        """Read a response, with its blocks in order."""
        extras = unmapped_members(wire, _RESPONSE)
        absent = [key for key in ("model", "stop_reason") if key not in wire]
        if absent:
            extras["$absent"] = absent
        value = wire.get("stop_reason")
        stop_reason = _read_stop_reason(value, (at, "stop_reason"))
        if (
            value is not None
            and _write_stop_reason(stop_reason) != value
            or (stop_reason is not None and stop_reason not in self.FINISH_REASONS)
        ):
            extras["stop_reason"] = {"$whole": value}
        message = self.read_message(wire.get("content"), (at, "content"), reader)
        effective = next(iter(self.FINISH_REASONS)) if value is None else stop_reason
        reason = derive_finish_reason(effective, message, self.FINISH_REASONS)
        mark_calls_invalid(message, reason)
        return Completion(
            message,
            reason,
            model=optional_text(wire, "model", at),
            stop_reason=stop_reason,
            metadata=reader.as_metadata(extras),
        )

    def read_message(self, value: Any, at: Path, reader: Reader) -> AssistantMessage:
        """Read the blocks of a response. A single text block becomes plain text."""
        parts = read_list_or_null(value, at, reader, self.read_block)
        if parts is None:
            raise wrong_type(at, "an array", value)
        only = parts[0] if len(parts) == 1 else None
        return AssistantMessage(only.text) if isinstance(only, TextPart) else AssistantMessage(parts)

    def read_block(self, wire: Any, at: Path, reader: Reader) -> AssistantPart:
        """Read a block. Anything except the two variants becomes an opaque part."""
        if type(wire) is dict and len(wire) == 1:
            if "Text" in wire:
                if type(wire["Text"]) is not str:
                    raise wrong_type((at, "Text"), "a string", wire["Text"])
                return TextPart(wire["Text"])
            block = wire.get("ToolUse")
            if type(block) is dict:
                call = self.read_tool_use(block, (at, "ToolUse"), reader)
                reader.note_call(block.get("id"), call)
                return ToolCallPart(call)
        return OpaquePart(reader.wire.name, wire)

    def write_response(
        self, completion: Completion, identifier: str | None, created: int | None, writer: Writer
    ) -> dict[str, Any]:
        """Write a response. The wire has no id, time or usage."""
        extras = writer.own_extras(completion.metadata, ROOT)
        for field, value in (("id", completion.id), ("usage", completion.usage)):
            if value is not None:
                writer.report_unsupported((ROOT, field), field)
        original = extras.get("stop_reason", ABSENT)
        stop_reason = completion.stop_reason
        stop: Any = None
        if is_internal_mark(original) and _read_stop_reason(original.get("$whole"), ROOT) == stop_reason:
            stop = original["$whole"]
        elif stop_reason is not None or not ("stop_reason" in extras or "stop_reason" in extras.get("$absent", ())):
            stop = _write_stop_reason(provider_stop_reason(completion, self.FINISH_REASONS, extras, writer))
        wire: dict[str, Any] = {
            "content": self.write_message(completion.message, (ROOT, "message"), writer),
            "stop_reason": stop,
            "model": completion.model,
        }
        for key in extras.get("$absent", ()):
            if wire.get(key) is None:
                wire.pop(key, None)
        restore_extras(wire, extras)
        return wire

    def write_message(self, message: AssistantMessage, at: Path, writer: Writer) -> list[Any]:
        """Write an assistant message as blocks."""
        writer.own_extras(message.metadata, at)
        if message.name is not None:
            writer.report_unsupported((at, "name"), "name")
        if type(message.content) is not list:
            return [] if message.content is None else [{"Text": message.content}]
        blocks: list[Any] = []
        for i, part in enumerate(message.content):
            here = (at, "content"), i
            if type(part) is ToolCallPart:
                writer.own_extras(part.metadata, here)
                blocks.append({"ToolUse": self.write_tool_use(part.call, (here, "call"), writer)})
            elif type(part) is TextPart or type(part) is RefusalPart:
                writer.own_extras(part.metadata, here)
                if type(part) is RefusalPart:
                    writer.report_loss(here, "refusal", "rewritten", "the API accepts only text")
                blocks.append({"Text": part.text})
            elif type(part) is OpaquePart and part.provider == writer.wire.name:
                blocks.append(part.value)
            else:
                writer.report_unsupported(
                    here, writer.part_class_name(part, here), "note" if type(part) is ReasoningPart else "warning"
                )
        return blocks

    def read_result_content(
        self, wire: dict[str, Any], at: Path, reader: Reader
    ) -> tuple[ResultKind, Any, bool | None]:
        """Read the result of a call: a text, or the text of an error."""
        text, failed = wire.get("output"), wire.get("is_error", ABSENT)
        if type(text) is not str:
            raise wrong_type((at, "output"), "a string", text if "output" in wire else ABSENT)
        if failed is not None and failed is not ABSENT and type(failed) is not bool:
            raise wrong_type((at, "is_error"), "a boolean", failed)
        return "error" if failed else "text", text, None

    def write_result_content(
        self, kind: str, value: Any, is_error: bool | None, at: Path, writer: Writer
    ) -> dict[str, Any]:
        """Write the result of a call as text, and whether it is an error."""
        value_path = (at[0], "value")
        if kind == "multimodal":
            lines: list[str] = []
            for i, part in enumerate(value):
                if type(part) is TextPart:
                    lines.append(writer.write_text_part_as_string(part, (value_path, i)))
                else:
                    lines.append(writer.describe_part(part, (value_path, i)).text)
            text = "\n".join(lines)
        elif kind == "error" and type(value) is str:
            return {"output": value, "is_error": True}
        else:
            text = write_result_text(kind, value, value_path, writer)
        if is_error or kind == "multimodal":
            for field in ("kind", "value", "isError"):
                writer.report_loss(
                    (at[0], field), field, "rewritten", "the API accepts one text, so the texts were joined"
                )
        return {"output": text, "is_error": bool(is_error)}
