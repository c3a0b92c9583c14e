"""Converter for Mistral's chat: content is a string or a list of chunks, thoughts among them; no refusals, no names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...conversion.converter import ValueReader
from ...conversion.extras import (
    ABSENT,
    Extras,
    UnsupportedValueError,
    inner_extras,
    merge_extras_into,
    restore_extras,
    unmapped_members,
)
from ...conversion.message_order import Placed, order_for_api
from ...conversion.reader import Reader
from ...conversion.responses import with_usage
from ...conversion.tool_results import ResultKind
from ...conversion.values import read_list_or_null, read_text_or_list, write_text_or_list
from ...conversion.writer import Writer
from ...models import (
    AssistantMessage,
    AssistantPart,
    Completion,
    ContentPart,
    Message,
    OpaquePart,
    ReasoningPart,
    RefusalPart,
    Request,
    TextPart,
    ToolCallPart,
)
from ...paths import Path
from ..openai_chat.converter import ChatConverter
from .fields import (
    find_body_error,
    order_system_messages,
    read_id_or_placeholder,
    read_result_id_or_placeholder,
    read_text_as_chunks,
    read_url_or_data,
    read_url_or_object,
    write_id_or_placeholder,
    write_result_id_or_placeholder,
    write_text_as_chunks,
    write_url_or_data,
    write_url_or_object,
)

__all__ = ["MistralConverter"]

_ASSISTANT_MESSAGE = frozenset(["content", "role", "tool_calls"])


class MistralConverter(ChatConverter):
    """Converts Mistral's requests and responses, whose content is a string or a list of chunks with thoughts."""

    read_url_or_data = staticmethod(read_url_or_data)
    write_url_or_data = staticmethod(write_url_or_data)
    read_url_or_object = staticmethod(read_url_or_object)
    write_url_or_object = staticmethod(write_url_or_object)
    read_id_or_placeholder = staticmethod(read_id_or_placeholder)
    write_id_or_placeholder = staticmethod(write_id_or_placeholder)
    read_result_id_or_placeholder = staticmethod(read_result_id_or_placeholder)
    write_result_id_or_placeholder = staticmethod(write_result_id_or_placeholder)
    read_text_as_chunks = staticmethod(read_text_as_chunks)
    write_text_as_chunks = staticmethod(write_text_as_chunks)

    ACCEPTS_BLANK_MESSAGES = False

    read_user_content: ValueReader[ContentPart]
    sdk_call: Callable[..., dict[str, Any]]

    def write_sdk_kwargs(self, request: Request, writer: Writer) -> dict[str, Any]:
        """Write the keyword arguments for the official client."""
        return self.sdk_call(self.write_checked_request(request, writer), self.SDK_KEYWORDS, writer)

    def read_conversation(self, wire: Any, at: Path, reader: Reader) -> tuple[list[Message], Any]:
        """Read the messages of a request. A final assistant message is to be continued, which `prefix` states."""
        messages = self.read_messages(wire, at, reader)
        last = wire[-1] if wire else {}
        if last.get("role") == "assistant" and not last.get("tool_calls"):
            if last.get("prefix") is True:
                extras = {
                    key: value
                    for key, value in inner_extras(messages[-1].metadata or {}, reader.wire.name).items()
                    if key != "prefix"
                }
                messages[-1].metadata = reader.as_metadata(extras)
            elif "prefix" not in last:
                absent = inner_extras(messages[-1].metadata or {}, reader.wire.name).get("$absent", [])
                merge_extras_into(messages[-1], reader.wire.name, {"$absent": [*absent, "prefix"]})
        return messages, ABSENT

    def write_conversation(self, messages: Sequence[Message], extra: Any, at: Path, writer: Writer) -> list[Any]:
        """Write the messages of a request. A final assistant message must be a `prefix`, or the API rejects it."""
        wires = self.write_messages(messages, at, writer)
        last = wires[-1] if wires else {}
        if last.get("role") == "assistant" and not last.get("tool_calls"):
            extras = writer.peek_extras(messages[-1].metadata)
            if "prefix" not in last and "prefix" not in extras.get("$absent", ()):
                last["prefix"] = True
        return wires

    def read_user_parts(self, value: Any, at: Path, reader: Reader) -> tuple[str | list[ContentPart], Any]:
        """Read the content of a user message. Null becomes empty text."""
        return ("", None) if value is None else (read_text_or_list(value, at, reader, self.read_user_content), ABSENT)

    def write_user_parts(self, content: str | list[ContentPart], extra: Any, at: Path, writer: Writer) -> Any:
        """Write the content of a user message."""
        if extra is None and content == "":
            return None
        return write_text_or_list(content, at, writer, self.write_user_content)

    def order_for_api(self, messages: Sequence[Message], at: Path, writer: Writer) -> Iterable[Placed]:
        """Put the messages into the order that the API requires."""
        return order_system_messages(order_for_api(messages, at, writer), writer)

    def read_assistant_message(self, wire: dict[str, Any], at: Path, reader: Reader) -> AssistantMessage:
        """Read an assistant message: plain text stays text; otherwise its chunks in order, then its calls."""
        content, calls = wire.get("content"), wire.get("tool_calls")
        extras = unmapped_members(wire, _ASSISTANT_MESSAGE)
        if type(content) is str and not calls:
            if calls is not None:
                extras["tool_calls"] = calls
            return AssistantMessage(content, metadata=reader.as_metadata(extras))
        parts: list[AssistantPart] = []
        if type(content) is str:
            parts += [TextPart(content)] if content else []
        elif content is not None:
            parts += read_list_or_null(content, (at, "content"), reader, self.read_assistant_content) or []
            if calls and not parts:
                extras["content"] = content
            elif len(parts) == 1 and type(parts[0]) is TextPart and parts[0].metadata is None:
                extras["content"] = {"$around": []}
        elif "content" not in wire:
            extras["$absent"] = ["content"]
        elif not calls:
            del extras["content"]
        if calls:
            parts += read_list_or_null(calls, (at, "tool_calls"), reader, self.read_tool_call_entry) or []
        elif calls is not None:
            extras["tool_calls"] = calls
        return AssistantMessage(None if content is None and not parts else parts, metadata=reader.as_metadata(extras))

    def write_assistant_message(self, message: AssistantMessage, at: Path, writer: Writer) -> dict[str, Any]:
        """Write an assistant message: its chunks as `content`, and its calls after them."""
        extras = writer.own_extras(message.metadata, at)
        if message.name is not None:
            writer.report_unsupported((at, "name"), "name")
        wire: dict[str, Any] = {"role": "assistant"}
        if type(message.content) is list:
            self.write_assistant_parts(message.content, (at, "content"), writer, wire, extras)
        else:
            wire["content"] = message.content
        if not wire["content"] and "content" in extras.get("$absent", ()):
            del wire["content"]
        if extras:
            restore_extras(wire, extras)
        return wire

    def write_assistant_parts(
        self, parts: list[AssistantPart], at: Path, writer: Writer, wire: dict[str, Any], extras: Extras
    ) -> None:
        """Write the parts of an assistant message: calls into `tool_calls`, all others into `content`."""
        chunks: list[Any] = []
        calls: list[Any] = []
        for i, part in enumerate(parts):
            here = (at, i)
            if type(part) is ToolCallPart:
                writer.own_extras(part.metadata, here)
                calls.append(self.write_tool_call(part.call, (here, "call"), writer))
            elif type(part) is OpaquePart and writer.own_extras(part.metadata, here).get("$as") == "tool_calls":
                if part.provider == writer.wire.name:
                    calls.append(part.value)
                else:
                    writer.report_unsupported(here, "a call", "warning")
            else:
                if calls:
                    part_name = writer.part_class_name(part, here)
                    writer.report_loss(here, part_name, "moved", "content must come before calls")
                chunks += self.write_chunks(part, here, writer)
        is_list = "$around" in inner_extras(extras, "content")
        bare = len(chunks) == 1 and type(chunks[0]) is dict and chunks[0].keys() == {"text", "type"}
        if chunks and (is_list or not bare):
            wire["content"] = chunks
        elif chunks:
            wire["content"] = chunks[0]["text"]
        elif calls:
            wire["content"] = [] if is_list else extras.get("content", "")
        else:
            wire["content"] = [] if not parts else None
        if calls:
            wire["tool_calls"] = calls

    def write_chunks(self, part: AssistantPart, at: Path, writer: Writer) -> list[Any]:
        """Write a part of an assistant message that is not a call, as one chunk or none. A refusal becomes text."""
        if type(part) is RefusalPart:
            writer.own_extras(part.metadata, at)
            writer.report_loss(at, "a refusal", "rewritten", "it is sent as text")
            return [{"type": "text", "text": part.text}]
        if type(part) is ReasoningPart:
            writer.report_adopted_reasoning(part.metadata, at)
        try:
            chunk = self.write_assistant_content(part, at, writer)
        except UnsupportedValueError as reason:
            part_name = writer.part_class_name(part, at)
            writer.report_loss(at, part_name, "dropped", f"{writer.wire.title}: {reason}", "warning")
            return []
        return [] if chunk is ABSENT else [chunk]

    def read_result_content(self, value: Any, at: Path, reader: Reader) -> tuple[ResultKind, Any, bool | None]:
        """Read the result of a call: text, the text of an error, or parts. Only the newest servers accept media."""
        return ("text", "", None) if value is None else super().read_result_content(value, at, reader)

    def write_response(
        self, completion: Completion, identifier: str | None, created: int | None, writer: Writer
    ) -> dict[str, Any]:
        """Write a response. The client refuses one without usage."""
        return super().write_response(with_usage(completion, writer), identifier, created, writer)

    def body_error(self, wire: dict[str, Any]) -> Any:
        """Return the error in a body of status 200, or None."""
        return find_body_error(wire)
