"""What chat APIs share: bases of their converters, results with parts, and names that APIs restrict."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, ClassVar

from ..conversion.converter import NativeToolSdkConverter, ObjectReader, ObjectWriter, OutputFormat
from ..conversion.extras import (
    ABSENT,
    escape_marks,
    inner_extras,
    merge_extras_into,
    original_key,
    restore_extras,
    unmapped_members,
)
from ..conversion.fields import read_nullable_text
from ..conversion.message_order import Placed, order_for_api, results_of
from ..conversion.reader import Reader
from ..conversion.tool_results import read_result_text_or_error
from ..conversion.values import (
    Read,
    Write,
    is_empty_on_wire,
    mark_empty_list,
    opaque_message,
    read_text_or_list,
    write_list,
    write_or_describe,
    write_system_unless_empty,
    write_user_or_opaque,
)
from ..conversion.wire import ProviderWire, make_hashed_name
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..models import (
    AssistantMessage,
    Message,
    OpaquePart,
    OutputSchema,
    SystemMessage,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from ..paths import Path

__all__ = [
    "ChatMessageConverter",
    "OutputFormatConverter",
    "is_accepted_name",
    "keep_role",
    "read_participant_name",
    "read_result_parts",
    "read_schema_name",
    "restore_function_result",
    "restore_role",
    "write_accepted_name",
    "write_participant_name",
    "write_parts_moving_media",
    "write_result_parts",
    "write_schema_name",
]


def is_accepted_name(name: str, wire: ProviderWire) -> bool:
    """Return whether the API accepts the name of a message or a schema: the rule is that of tool names."""
    return len(name) <= wire.name_length and wire.is_legal_name(name) is not None


def write_accepted_name(name: str, at: Path, writer: Writer) -> str:
    """Return a name of a message or a schema, without illegal characters."""
    if writer.is_response or is_accepted_name(name, writer.wire):
        return name
    writer.report_loss(at, "name", "rewritten", f"{writer.wire.title} rejects the name")
    legal_name = re.sub(r"[^a-zA-Z0-9_-]+", "_", name)[: writer.wire.name_length]
    return legal_name if legal_name.strip("_") else make_hashed_name(name, "name_", 24)


read_participant_name = read_schema_name = read_nullable_text


def write_participant_name(name: str | None, at: Path, writer: Writer) -> Any:
    """Write the name in a message, without characters that the API rejects, unless it rejects names altogether."""
    if name is not None and writer.rejects("name"):
        writer.report_loss(at, "name", "dropped", f"{writer.wire.title} rejects it")
        return ABSENT
    return ABSENT if name is None else write_accepted_name(name, at, writer)


def write_schema_name(name: str | None, at: Path, writer: Writer) -> str:
    """Write the name of an output schema. A missing name gets a default, because the API requires one."""
    if name is not None:
        return write_accepted_name(name, at, writer)
    writer.report_loss(at, "name", "defaulted", "a schema needs a name")
    return "output"


class OutputFormatConverter(NativeToolSdkConverter):
    """A converter for an API that has the output format as one object."""

    read_output_schema: ObjectReader[OutputSchema]
    write_output_schema: ObjectWriter[OutputSchema]

    read_schema_name = staticmethod(read_schema_name)
    write_schema_name = staticmethod(write_schema_name)

    OUTPUT_FORMATS: ClassVar[dict[str, Any]]
    """The wire's values for the formats `text` and `json`, and under `schema` the type of formats with one, if any."""

    def read_output_format(self, value: Any, at: Path, reader: Reader) -> OutputFormat:
        """Read the output format. None for one that the format does not have."""
        if value == self.OUTPUT_FORMATS["text"]:
            return "text"
        if value == self.OUTPUT_FORMATS["json"]:
            return "json"
        kind = self.OUTPUT_FORMATS["schema"]
        if kind is not None and type(value) is dict and value.get("type") == kind and _has_schema(value):
            return self.read_output_schema(value, at, reader)
        return None

    def write_output_format(self, output_format: OutputFormat, at: Path, writer: Writer) -> Any:
        """Write the output format. Text is the default. A schema is left out if the API has none."""
        if output_format is None or output_format == "text":
            return ABSENT
        if output_format == "json":
            return self.OUTPUT_FORMATS["json"]
        if self.OUTPUT_FORMATS["schema"] is None:
            writer.report_unsupported(at, "an output schema", "warning")
            return self.OUTPUT_FORMATS["json"]
        return self.write_output_schema(output_format, at, writer)


def _has_schema(value: dict[str, Any]) -> bool:
    """Return whether an output format has a schema. The API also accepts a name alone."""
    holder = value.get("json_schema", value)
    return type(holder) is dict and type(holder.get("schema")) is dict


class ChatMessageConverter(NativeToolSdkConverter):
    """Converts a list of messages by role, in which each result is a message."""

    ACCEPTS_BLANK_MESSAGES: ClassVar[bool] = True
    """Whether the API accepts an assistant message whose content is empty text."""
    SYSTEM_ROLES: ClassVar[Collection[str]] = ("system",)
    """The roles of system messages."""
    HAS_FUNCTION_MESSAGES: ClassVar[bool] = False
    """Whether a message of the role `function` may be the result of a call, as before the API had tools."""
    CALLS_KEY: ClassVar[str] = "tool_calls"
    """The key of the calls in an assistant message."""
    CALL_TYPES: ClassVar[Collection[Any] | None] = ("function", None, ABSENT)
    """The types of entries with a function that are function calls. None for all types."""
    TOOL_CALL_ID: ClassVar[Collection[str]] = ()
    """Placeholders for a missing id."""

    read_assistant_message: ObjectReader[AssistantMessage]
    read_system_message: ObjectReader[SystemMessage]
    read_tool_call: ObjectReader[ToolCall]
    read_tool_result: ObjectReader[ToolResult]
    read_user_message: ObjectReader[UserMessage]
    write_assistant_message: Callable[[AssistantMessage, Path, Writer], Any]
    write_system_message: ObjectWriter[SystemMessage]
    write_tool_result: ObjectWriter[ToolResult]
    write_user_message: ObjectWriter[UserMessage]

    def read_messages(self, wire: Any, at: Path, reader: Reader) -> list[Message]:
        """Read the messages. Adjacent results become one message; a message of another role becomes an opaque part."""
        if type(wire) is not list:
            raise wrong_type(at, "an array", wire)
        messages: list[Message] = []
        for i, item in enumerate(wire):
            here = (at, i)
            if type(item) is not dict:
                raise wrong_type(here, "an object", item)
            role = item.get("role")
            if role == "assistant":
                message = self.read_assistant_message(item, here, reader)
                if not has_text_or_calls(item, self.CALLS_KEY):
                    reader.mark_sent(message)
                messages.append(message)
                reader.next_turn()
            elif role == "tool":
                _add_result(messages, self.read_tool_result(item, here, reader))
            elif role == "user":
                messages.append(mark_empty_list(self.read_user_message(item, here, reader), reader))
            elif role in self.SYSTEM_ROLES:
                messages.append(self.read_system_entry(item, i, here, reader))
            elif self.HAS_FUNCTION_MESSAGES and (result := _read_function_result(item, messages, reader)) is not None:
                _add_result(messages, result)
            else:
                messages.append(opaque_message(item, reader))
        return messages

    def read_system_entry(self, wire: dict[str, Any], position: int, at: Path, reader: Reader) -> Message:
        """Read a system message. `position` is the number of messages before it."""
        return self.read_system_message(wire, at, reader)

    def read_tool_call_entry(self, wire: Any, at: Path, reader: Reader) -> ToolCallPart | OpaquePart:
        """Read an entry of the calls. An entry that is not a function call becomes an opaque part."""
        if (
            type(wire) is dict
            and type(wire.get("function")) is dict
            and (self.CALL_TYPES is None or wire.get("type", ABSENT) in self.CALL_TYPES)
        ):
            call = self.read_tool_call(wire, at, reader)
            reader.note_call(None if wire.get("id") in self.TOOL_CALL_ID else wire.get("id"), call)
            return ToolCallPart(call)
        reader.note_opaque_call_id(wire)
        return OpaquePart(reader.wire.name, wire, metadata=reader.as_metadata({"$as": self.CALLS_KEY}))

    def order_for_api(self, messages: Sequence[Message], at: Path, writer: Writer) -> Iterable[Placed]:
        """Put the messages into the order that the API requires."""
        return order_for_api(messages, at, writer, keeps_unpaired=self.KEEPS_UNPAIRED_RESULTS)

    def write_messages(self, messages: Sequence[Message], at: Path, writer: Writer) -> list[Any]:
        """Write the messages. Each result becomes one message, directly after the calls of its turn."""
        wires: list[Any] = []
        for message, here, paths in self.order_for_api(messages, at, writer):
            if type(message) is ToolMessage:
                writer.own_extras(message.metadata, here)
                for result, path in results_of(message, here, paths):
                    wires.append(self.write_tool_result(result, path, writer))
            elif type(message) is AssistantMessage:
                wire = self.write_assistant_message(message, here, writer)
                if is_empty_on_wire(message.content, wire):
                    writer.report_loss(here, "an empty message", "dropped", "the API supports none of its parts")
                else:
                    wires.append(wire)
            elif type(message) is SystemMessage:
                wires += write_system_unless_empty(message, here, writer, self.write_system_message)
            elif type(message) is UserMessage:
                wires.append(write_user_or_opaque(message, here, writer, self.write_user_message))
            else:
                raise wrong_type(here, "a message", message)
        return wires


def has_text_or_calls(wire: dict[str, Any], calls_key: str) -> bool:
    """Return whether an assistant message has content that is not blank, or calls."""
    content = wire.get("content")
    return bool(content.strip() if type(content) is str else content) or bool(wire.get(calls_key))


def keep_role(message: AssistantMessage, wire: dict[str, Any], reader: Reader) -> None:
    """Keep the role that a server gave in a response, if it is another one, or none."""
    if "role" not in wire:
        extras = inner_extras(message.metadata or {}, reader.wire.name)
        merge_extras_into(message, reader.wire.name, {"$absent": [*extras.get("$absent", ()), "role"]})
    elif wire["role"] != "assistant":
        merge_extras_into(message, reader.wire.name, {"role": escape_marks(wire["role"])})


def restore_role(wire: dict[str, Any], message: AssistantMessage, writer: Writer) -> None:
    """Restore the role that `keep_role` has kept. A request has the one that the API requires."""
    extras = writer.peek_extras(message.metadata)
    if "role" in extras or "role" in extras.get("$absent", ()):
        del wire["role"]
        restore_extras(wire, {key: extras[key] for key in ("role",) if key in extras})


def _add_result(messages: list[Message], result: ToolResult) -> None:
    """Add a result to the last message if it has results, else as a message of its own."""
    last = messages[-1] if messages else None
    if type(last) is ToolMessage:
        last.results.append(result)
    else:
        messages.append(ToolMessage([result]))


_FUNCTION_RESULT = frozenset(["content", "name", "role"])


def _read_function_result(wire: dict[str, Any], messages: list[Message], reader: Reader) -> ToolResult | None:
    """Read a message of the API before it had tools: the result of the next open call of its name. None without one."""
    name, content = wire.get("name"), wire.get("content")
    if wire.get("role") != "function" or type(name) is not str or type(content) is not str:
        return None
    last = messages[-1] if messages else None
    for earlier in last.results if type(last) is ToolMessage else ():
        reader.note_result(earlier.tool_call_id)
    call = reader.take_open_call(reader.tool_name(name))
    if call is None:
        return None
    kind, value, is_error = read_result_text_or_error(content)
    extras = {"$as": {"tool_call_id": "name"}, **unmapped_members(wire, _FUNCTION_RESULT)}
    if kind != "text":
        extras["content"] = {"$whole": content}
    return ToolResult(call.id, call.name, kind, value, is_error, metadata=reader.as_metadata(extras))


def restore_function_result(wire: dict[str, Any], result: ToolResult, writer: Writer) -> dict[str, Any]:
    """Return the message of a result as it was read: with the name of the function, if it was read without an id."""
    if original_key(writer.peek_extras(result.metadata), "tool_call_id") != "name":
        return wire
    name = writer.wire.wire_name(result.name)
    members = {key: value for key, value in wire.items() if key != "tool_call_id"}
    return {**members, "role": "function", "name": name}


MEDIA_FOLLOW_TEXT = "The result follows in the next message."
"""The text for a result that contains only media, because the text of a result must not be empty."""


def read_result_parts(value: Any, at: Path, reader: Reader, read: Read[Any]) -> str | list[Any]:
    """Read the parts of a result. Media in it are marked, because not every server accepts media inside a result."""
    parts = read_text_or_list(value, at, reader, read)
    for part in parts:
        if type(part) is not str and type(part) is not TextPart and type(part) is not OpaquePart:
            merge_extras_into(part, reader.wire.name, {"$inline": True})
    return parts


def write_result_parts(parts: Sequence[Any], at: Path, writer: Writer, write: Write) -> str | list[Any]:
    """Write the parts of a result. Without parts it is an empty text."""
    written = write_list(parts, at, writer, write)
    return written or _without_parts(at, writer)


def _without_parts(at: Path, writer: Writer) -> str:
    """Return the text that is sent for an empty list of parts, and report it."""
    writer.report_loss(at, "a result without parts", "rewritten", "the API rejects an empty list")
    return ""


def write_parts_moving_media(parts: Sequence[Any], at: Path, writer: Writer, write: Write) -> str | list[Any]:
    """Write the parts of a result like `write_result_parts`, but only texts, and media that were read inside one.

    Other media are appended to `writer.media`.
    """
    after = len(writer.media)
    texts = []
    for i, part in enumerate(parts):
        inside = "$inline" in writer.peek_extras(part.metadata)
        if type(part) is TextPart or type(part) is OpaquePart or inside:
            item = write_or_describe(part, (at, i), writer, write)
            texts += [] if item is ABSENT else [item]
        else:
            writer.media.append((part, (at, i)))
            writer.report_loss(
                (at, i),
                writer.part_class_name(part, (at, i)),
                "moved",
                "it was moved into a user message after the results",
            )
    if len(writer.media) == after:
        return texts or _without_parts(at, writer)
    if len(texts) == 1 and texts[0].keys() == {"type", "text"}:
        return str(texts[0]["text"])
    return texts or MEDIA_FOLLOW_TEXT
