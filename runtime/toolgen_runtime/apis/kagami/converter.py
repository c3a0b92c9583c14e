"""Converter for Kagami, whose messages contain a list of content parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ...conversion.converter import OutputFormat, ValueReader, ValueWriter
from ...conversion.extras import ABSENT, Extras, is_internal_mark, restore_extras, unmapped_members
from ...conversion.reader import Reader
from ...conversion.responses import FinishReason
from ...conversion.tool_results import ResultKind
from ...conversion.values import optional_text, read_list_or_null, write_list
from ...conversion.writer import Writer
from ...errors import wrong_type
from ...models import (
    AssistantMessage,
    AssistantPart,
    Completion,
    ContentPart,
    OpaquePart,
    OutputSchema,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolCallPart,
    ToolDefinition,
)
from ...paths import ROOT, Path
from ..result_objects import read_result_object, write_result_object
from ..text_messages import TextChatConverter, join_texts

__all__ = ["KagamiConverter"]

_RESPONSE = frozenset(["content", "toolCalls"])


def _with_default(value: Any, default: Any, at: Path, writer: Writer) -> Any:
    """Return a required value, or the profile's default for it, which is reported."""
    if value is not None:
        return value
    writer.report_loss(at, "a required value", "defaulted", f"the API requires it, so it is set to {default}")
    return default


class KagamiConverter(TextChatConverter):
    """Converts Kagami's requests and responses, whose messages contain a list of content parts."""

    RESPONSE_KEYS = frozenset(["content", "toolCalls"])
    CALL_TYPES = None
    CHOOSES_WITHOUT_TOOLS = True
    read_part: ValueReader[ContentPart]
    write_part: ValueWriter[Any]

    def read_tool_list(
        self, value: Any, at: Path, reader: Reader
    ) -> tuple[list[ToolDefinition | OpaquePart] | None, Any]:
        """Read the offered tools. The extras record that there was no list."""
        tools, _ = self.read_tools(value, at, reader)
        return tools, {"$absent": True} if value is ABSENT else ABSENT

    def write_tool_list(self, definitions: Sequence[Any] | None, extra: Any, at: Path, writer: Writer) -> Any:
        """Write the offered tools. A request gets a list of tools unless it was read without one."""
        if definitions is None and (extra is None or is_internal_mark(extra)):
            return extra if extra is None else ABSENT
        return write_list(_with_default(definitions, [], at, writer), at, writer, self.write_tool_definition)

    def read_parts(self, value: Any, at: Path, reader: Reader) -> tuple[str | list[ContentPart], Any]:
        """Read the parts of a content. A single text becomes a string."""
        if type(value) is not list:
            raise wrong_type(at, "an array", None if value is ABSENT else value)
        parts = read_list_or_null(value, at, reader, self.read_part) or []
        if len(parts) == 1 and type(parts[0]) is TextPart and not parts[0].metadata:
            return parts[0].text, ABSENT
        return parts, ABSENT

    def write_parts(self, content: str | Sequence[Any], extra: Any, at: Path, writer: Writer) -> list[Any]:
        """Write the parts of a content. A string becomes one part."""
        return write_list([TextPart(content)] if type(content) is str else content, at, writer, self.write_part)

    def read_assistant_content(
        self, wire: dict[str, Any], at: Path, reader: Reader
    ) -> tuple[str | list[AssistantPart], Extras]:
        """Read the content and calls of an assistant message, with the extras that a new message would not have."""
        parts: list[AssistantPart] = [
            *(read_list_or_null(wire.get("content"), (at, "content"), reader, self.read_text_or_opaque_part) or ())
        ]
        calls = read_list_or_null(wire.get("toolCalls"), (at, "toolCalls"), reader, self.read_tool_call_entry)
        extras: Extras = {} if "content" in wire else {"$absent": ["content"]}
        if not calls and "toolCalls" in wire:
            extras["toolCalls"] = calls
        if not calls and len(parts) == 1 and type(parts[0]) is TextPart and not parts[0].metadata:
            return parts[0].text, extras
        return [*parts, *(calls or ())], extras

    def read_text_or_opaque_part(self, wire: Any, at: Path, reader: Reader) -> TextPart | OpaquePart:
        """Read a part of an assistant message: text, or an opaque part."""
        part = self.read_part(wire, at, reader)
        return part if type(part) is TextPart else OpaquePart(reader.wire.name, wire)

    def write_non_call_part(self, part: AssistantPart, at: Path, writer: Writer) -> list[Any]:
        """Write a part of an assistant message that is not a call. The API has no refusals, so they become text."""
        if type(part) is RefusalPart:
            writer.own_extras(part.metadata, at)
            writer.report_loss(at, "refusal", "rewritten", "the API accepts only text")
            part = TextPart(part.text)
        elif type(part) is ReasoningPart:
            writer.report_unsupported(at, "reasoning")
            return []
        written = self.write_part(part, at, writer)
        return [] if written is ABSENT else [written]

    def write_assistant_content(
        self, message: AssistantMessage, extras: Extras, at: Path, writer: Writer
    ) -> dict[str, Any]:
        """Write the content and calls of an assistant message. A missing content stays missing."""
        texts, calls = self.write_content_and_calls(message, at, writer)
        wire: dict[str, Any] = {"content": texts}
        if not texts and ("content" in extras or "content" in extras.get("$absent", ())):
            del wire["content"]
        if calls:
            wire["toolCalls"] = calls
        return wire

    def read_response(self, wire: dict[str, Any], at: Path, reader: Reader) -> Completion:
        """Read a response. It has neither a stop reason nor usage, and its content is one string."""
        content = optional_text(wire, "content", at)
        calls = read_list_or_null(wire.get("toolCalls"), (at, "toolCalls"), reader, self.read_tool_call_entry)
        extras = unmapped_members(wire, _RESPONSE)
        if "content" not in wire:
            extras["$absent"] = ["content"]
        if calls == []:
            extras["toolCalls"] = calls
        elif calls and content == "":
            extras["content"] = content
        message = AssistantMessage([*([TextPart(content)] if content else []), *calls] if calls else content)
        reason: FinishReason = "tool_calls" if any(type(call) is ToolCallPart for call in calls or ()) else "stop"
        return Completion(message, reason, metadata=reader.as_metadata(extras))

    def write_response(
        self, completion: Completion, identifier: str | None, created: int | None, writer: Writer
    ) -> dict[str, Any]:
        """Write a response. It cannot show that it was cut off, filtered or failed, so its calls would be run."""
        extras = writer.own_extras(completion.metadata, ROOT)
        if completion.id is not None:
            writer.report_unsupported((ROOT, "id"), "id")
        if completion.model is not None:
            writer.report_unsupported((ROOT, "model"), "model")
        if completion.usage is not None:
            writer.report_unsupported((ROOT, "usage"), "usage")
        at = (ROOT, "message")
        writer.own_extras(completion.message.metadata, at)
        texts, calls = self.write_content_and_calls(completion.message, at, writer)
        if completion.finish_reason not in ("stop", "tool_calls"):
            writer.report_unsupported(
                (ROOT, "finishReason"), completion.finish_reason, "behaviour" if calls else "warning"
            )
        wire: dict[str, Any] = {}
        text = "".join(part["value"] for part in texts if part.get("type") == "text")
        if text or not (calls or "content" in extras or "content" in extras.get("$absent", ())):
            wire["content"] = text
        if calls:
            wire["toolCalls"] = calls
        restore_extras(wire, extras)
        return wire

    def read_text_or_json_format(self, value: Any, at: Path, reader: Reader) -> Literal["text", "json"] | None:
        """Read the output format, text or JSON. None for any other value."""
        if value is ABSENT or value is None:
            return None
        if type(value) is not str:
            raise wrong_type(at, "a string", value)
        if value == "text":
            return "text"
        return "json" if value == "json" else None

    def write_text_or_json_format(self, output_format: OutputFormat, at: Path, writer: Writer) -> str:
        """Write the output format. A schema is written as JSON without a schema."""
        if type(output_format) is OutputSchema:
            writer.own_extras(output_format.metadata, at)
            writer.report_loss(
                at, "an output schema", "rewritten", "the API only supports JSON without a schema", "warning"
            )
            return "json"
        return str(_with_default(output_format, "text", at, writer))

    def read_result_response(
        self, wire: dict[str, Any], at: Path, reader: Reader
    ) -> tuple[ResultKind, Any, bool | None]:
        """Read the result of a call."""
        response = wire.get("response")
        if type(response) is not dict:
            raise wrong_type((at, "response"), "an object", response)
        return read_result_object(response)

    def write_result_response(
        self, kind: str, value: Any, is_error: bool | None, at: Path, writer: Writer
    ) -> dict[str, Any]:
        """Write the result of a call. The texts of several parts are joined."""
        if kind == "multimodal":
            writer.report_loss((at[0], "kind"), "multimodal", "rewritten", "the API does not support parts in results")
            kind, value = "error" if is_error else "text", join_texts(value, (at[0], "value"), writer)
        return {"response": write_result_object(kind, value, is_error, (at[0], "value"), writer)}
