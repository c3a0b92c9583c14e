"""Messages and tool results of Gemini's generateContent."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import repeat
from typing import Any, ClassVar, TypeAlias

from ...conversion.extras import ABSENT, NO_EXTRAS, Extras, inner_extras, restore_extras, unmapped_members
from ...conversion.reader import Reader
from ...conversion.values import opaque_message, read_list_or_null, wire_message_of, write_list
from ...conversion.writer import Writer
from ...converter import ObjectReader, ObjectWriter, ValueReader, ValueWriter
from ...errors import wrong_type
from ...message_order import order_restoring_separate_results
from ...models import (
    AssistantMessage,
    AssistantPart,
    ContentPart,
    Message,
    ReasoningPart,
    RefusalPart,
    SystemMessage,
    ToolCallPart,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from ...native_tool_converter import NativeToolSdkConverter
from ...paths import Path
from ...tool_results import ResultKind, describe_result
from ...unpaired_results import Placed, results_of
from ..result_objects import read_result_object, write_result_object
from .parts import (
    KeyNormalization,
    add_placeholder_signature,
    normalize_keys,
    order_results_by_calls,
    part_list,
    read_parts,
    read_result_text_beside_media,
    write_multimodal_result,
    write_parts_of,
)

__all__ = ["GeminiMessageConverter", "Turn"]

_CONTENT = frozenset(["parts", "role"])


Turn: TypeAlias = "tuple[Any, tuple[Path, bool] | None]"
"""A content; and of a message of the model, its path and whether it must stay a content of its own."""


def _join_calls(turns: Iterable[Turn], writer: Writer) -> list[Turn]:
    """Join calls with the model contents directly before them, unless they were read separately."""
    joined: list[Turn] = []
    last: tuple[Path, bool] | None = None
    for content, origin in turns:
        if last is not None and origin is not None and not origin[1] and _has_calls(content.get("parts")):
            parts: list[Any] = content["parts"]
            while joined and (before := joined[-1][1]) is not None:
                writer.report_loss(origin[0], "a message", "moved", "its calls are part of the response before it")
                content, origin = joined.pop()[0], before
                parts = [*(content.get("parts") or ()), *parts]
            writer.report_loss((origin[0], "content"), "a message", "rewritten", "the next one was joined to it")
            content = {**content, "parts": parts}
        joined.append((content, origin))
        last = origin
    return joined


def _add_signatures(turns: list[Turn], signature: str, writer: Writer) -> None:
    """Add the placeholder signature to the calls after the last content of the user, whose signatures are checked."""
    current: list[tuple[Any, Path]] = []
    for content, origin in turns:
        if origin is not None:
            current.append((content, origin[0]))
        elif type(content) is not dict or not all(map(_is_result, content.get("parts") or ())):
            current = []
    for content, here in current:
        add_placeholder_signature(content, signature, here, writer)


def _is_result(part: Any) -> bool:
    return type(part) is dict and "functionResponse" in part


def _has_calls(parts: Any) -> bool:
    """Return whether there are calls among the parts of a content."""
    return any(type(part) is dict and "functionCall" in part for part in parts or ())


class GeminiMessageConverter(NativeToolSdkConverter):
    """Converts messages and tool results of Gemini's generateContent."""

    USER_ROLES: ClassVar[Collection[str]]
    """The roles of contents from the user or the app."""
    SIGNED_MODELS: ClassVar[str]
    """A pattern of the models that reject calls without a signature."""
    KEY_NORMALIZATION: ClassVar[KeyNormalization]
    """The keys and values that have several forms."""

    def normalize_body(self, wire: Any) -> Any:
        """Normalize the keys of a body."""
        return normalize_keys(wire, self.KEY_NORMALIZATION)

    read_assistant_content: ValueReader[AssistantPart]
    read_assistant_message: ObjectReader[AssistantMessage]
    write_assistant_content: ValueWriter[Any]
    write_assistant_message: ObjectWriter[AssistantMessage]

    def read_contents(self, wire: dict[str, Any], at: Path, reader: Reader) -> tuple[list[Message], Extras]:
        """Read the messages, with the system instruction before all others."""
        messages = self.read_messages(wire.get("contents"), (at, "contents"), reader)
        instruction = wire.get("systemInstruction")
        if instruction is None:
            return messages, {}
        if type(instruction) is not dict:
            raise wrong_type((at, "systemInstruction"), "an object", instruction)
        return [self.read_system_message(instruction, (at, "systemInstruction"), reader), *messages], {}

    def read_messages(self, wire: Any, at: Path, reader: Reader) -> list[Message]:
        """Read the contents. One with results becomes a tool message, and a user message for the other parts."""
        if type(wire) is not list:
            raise wrong_type(at, "an array", wire)
        messages: list[Message] = []
        for i, content in enumerate(wire):
            here = (at, i)
            if type(content) is not dict:
                raise wrong_type(here, "an object", content)
            role = content.get("role") or "user"
            if role == "model":
                message = self.read_assistant_message(content, here, reader)
                if type(messages[-1]) is AssistantMessage if messages else _has_calls(content.get("parts")):
                    message.metadata = reader.as_metadata(
                        {**inner_extras(message.metadata or {}, reader.wire.name), "$apart": True}
                    )
                if not content.get("parts"):
                    reader.mark_sent(message)
                messages.append(message)
                reader.next_turn()
            elif role in self.USER_ROLES:
                messages += self.read_user_turn({**content, "role": role}, here, reader, messages)
            else:
                messages.append(opaque_message(content, reader))
        return messages

    def read_user_turn(
        self, wire: dict[str, Any], at: Path, reader: Reader, before: Sequence[Message]
    ) -> list[Message]:
        """Read a content that is not the model's. Parts beside results keep their indexes as extras.

        Results that follow others in a content of their own are marked, because adjacent results are written together.
        """
        parts = part_list(wire.get("parts"), (at, "parts"))
        results = [
            i for i, part in enumerate(parts) if type(part) is dict and type(part.get("functionResponse")) is dict
        ]
        if not results:
            return [self.read_user_message(wire, at, reader)]
        extras = unmapped_members(wire, _CONTENT)
        if wire["role"] != "user":
            extras["role"] = wire["role"]
        if before and type(before[-1]) is ToolMessage:
            extras["$apart"] = True
        found = [self.read_tool_result(parts[i], ((at, "parts"), i), reader) for i in results]
        messages: list[Message] = [ToolMessage(found, reader.as_metadata(extras))]
        beside = [i for i in range(len(parts)) if i not in results]
        if beside:
            others = read_list_or_null([parts[i] for i in beside], (at, "parts"), reader, self.read_user_content) or []
            messages.append(UserMessage(others, metadata=reader.as_metadata({"$beside": beside})))
        return messages

    def write_contents(self, messages: Sequence[Message], extras: Extras, at: Path, writer: Writer) -> dict[str, Any]:
        """Write the messages, with the system instruction under its own key."""
        placed = order_restoring_separate_results(messages, at, writer)
        found: dict[str, Any] = {"contents": self.add_first_user_turn(self.write_turns(placed, writer), placed, writer)}
        instruction = self.write_instruction(
            [(m, p) for m, p, _ in placed if type(m) is SystemMessage], messages, writer
        )
        if instruction is not None:
            found["systemInstruction"] = instruction
        return found

    def write_messages(self, messages: Sequence[Message], at: Path, writer: Writer) -> list[Any]:
        """Write only the contents. System messages are dropped, because they are not contents."""
        placed = order_restoring_separate_results(messages, at, writer)
        contents = self.add_first_user_turn(self.write_turns(placed, writer), placed, writer)
        for i, message in enumerate(messages):
            if type(message) is SystemMessage:
                writer.report_loss((at, i), "a system message", "dropped", "it was moved to systemInstruction")
        return contents

    def write_turns(self, placed: list[Placed], writer: Writer) -> list[Any]:
        """Write the messages of the user, the model and the tools."""
        turns: list[Turn] = []
        before: Message | None = None
        for message, here, paths in placed:
            if type(message) is AssistantMessage:
                wire = self.write_assistant_message(message, here, writer)
                if wire.get("parts") or writer.was_sent(message):
                    turns.append((wire, (here, "$apart" in writer.peek_extras(message.metadata))))
                else:
                    writer.report_loss(here, "a message", "dropped", "the API supports none of its parts")
            elif type(message) is ToolMessage:
                turns += zip(self.write_results(message, here, paths, before, writer), repeat(None))
            elif type(message) is UserMessage:
                self.add_user_content(message, turns, before, here, writer)
            elif type(message) is SystemMessage:
                continue
            else:
                raise wrong_type(here, "a message", message)
            before = message
        turns = _join_calls(self.sendable_turns(turns, placed, writer), writer)
        if signature := self.signature_placeholder(writer.model):
            _add_signatures(turns, signature, writer)
        return [content for content, _ in turns]

    def sendable_turns(self, turns: Iterable[Turn], placed: list[Placed], writer: Writer) -> Iterable[Turn]:
        """Return the contents without what the API rejects."""
        return turns

    def add_first_user_turn(self, contents: list[Any], placed: list[Placed], writer: Writer) -> list[Any]:
        """Return the contents, with a user turn before a call that would be first, unless the call was read there."""
        first = contents[0] if contents else None
        if type(first) is not dict or first.get("role") != "model" or not _has_calls(first.get("parts")):
            return contents
        text, message = self.DEFAULTS.get("user"), next(m for m, _, _ in placed if type(m) is not SystemMessage)
        if not text or "$apart" in writer.peek_extras(message.metadata):
            return contents
        reason = "a call must follow a user message"
        writer.report_loss(placed[0][1][0], "a message", "defaulted", reason)
        return [{"role": "user", "parts": [{"text": text}]}, *contents]

    def signature_placeholder(self, model: str | None) -> str | None:
        """Return the placeholder signature of a call from another provider, or None if the model needs none."""
        text: str | None = self.DEFAULTS.get("thoughtSignature")
        return text if text and re.fullmatch(self.SIGNED_MODELS, model or "") else None

    def write_instruction(
        self, placed: list[tuple[SystemMessage, Path]], messages: Sequence[Message], writer: Writer
    ) -> dict[str, Any] | None:
        """Write the system messages as one instruction."""
        wires = [self.write_system_message(message, path, writer) for message, path in placed]
        for i, (_, path) in enumerate(placed):
            if i > 0 or messages[0] is not placed[0][0]:
                writer.report_loss(
                    path, "a system message", "moved", "the API accepts one instruction before all messages"
                )
        if len(placed) > 1:
            writer.report_loss(placed[0][1], "a system message", "rewritten", "it was joined with the first one")
        kept: list[dict[str, Any]] = []
        for (message, path), wire in zip(placed, wires, strict=True):
            if "parts" in wire or writer.can_read(message.metadata):
                kept.append(wire)
            else:
                writer.report_loss(path, "a system message", "dropped", "it has no text")
        if not any("parts" in wire for wire in kept):
            return kept[0] if kept else None
        return {**kept[0], "parts": [part for wire in kept for part in wire.get("parts") or ()]}

    def add_user_content(
        self, message: UserMessage, turns: list[Turn], before: Message | None, at: Path, writer: Writer
    ) -> None:
        """Add a user message: beside the results if it was read there, else as a content of its own."""
        extras = writer.peek_extras(message.metadata) if message.metadata else NO_EXTRAS
        whole = wire_message_of(message, writer) if extras else ABSENT
        if whole is not ABSENT:
            turns.append((whole, None))
            return
        wire = self.write_user_message(message, at, writer)
        parts = wire.get("parts") or []
        beside: Any = extras.get("$beside")
        room = 0
        if type(beside) is list and type(before) is ToolMessage and before.results and len(beside) == len(parts):
            room = len(turns[-1][0]["parts"]) + len(parts)
        if room and all(type(index) is int and 0 <= index < room for index in beside):
            for index, part in zip(beside, parts, strict=True):
                turns[-1][0]["parts"].insert(index, part)
        elif parts or "parts" in extras:
            turns.append((wire, None))
        else:
            writer.report_loss(at, "a message", "dropped", "the API supports none of its parts")

    def write_results(
        self, message: ToolMessage, at: Path, paths: tuple[Path, ...] | None, before: Message | None, writer: Writer
    ) -> list[dict[str, Any]]:
        """Write the results of a turn as one content. Results without a tool name are described in the next one."""
        extras = writer.own_extras(message.metadata, at) if message.metadata else NO_EXTRAS
        results = message.results
        if paths is None and not writer.unsent:
            parts = write_list(results, (at, "results"), writer, self.write_result)
        else:
            ordered = order_results_by_calls(results_of(message, at, paths), before, writer)
            results = [result for result, _ in ordered]
            written = [self.write_result(result, path, writer) for result, path in ordered]
            parts = [part for part in written if part is not ABSENT]
        contents: list[dict[str, Any]] = []
        if parts:
            contents.append({"role": extras.get("role", "user"), "parts": parts})
            if extras:
                restore_extras(contents[0], extras)
        described = [{"text": describe_result(result)} for result in results if not result.name]
        if described:
            contents.append({"role": "user", "parts": described})
        return contents

    def write_result(self, result: ToolResult, at: Path, writer: Writer) -> Any:
        """Write a result, unless it has no tool name."""
        if result.name:
            return self.write_tool_result(result, at, writer)
        writer.report_loss(at, "a result", "described", "it has no call that names its tool", "warning")
        return ABSENT

    def read_user_parts(self, value: Any, at: Path, reader: Reader) -> tuple[str | list[ContentPart], Any]:
        """Read the content of a user or system message."""
        return read_parts(value, at, reader, self.read_user_content)

    def write_user_parts(self, content: str | list[ContentPart], extra: Any, at: Path, writer: Writer) -> Any:
        """Write the content of a user or system message."""
        return write_parts_of(content, extra, at, writer, self.write_user_content)

    def read_assistant_parts(
        self, value: Any, at: Path, reader: Reader
    ) -> tuple[str | list[AssistantPart] | None, Any]:
        """Read the content of an assistant message."""
        content, extra = read_parts(value, at, reader, self.read_assistant_part)
        return content or None, extra

    def read_assistant_part(self, wire: Any, at: Path, reader: Reader) -> AssistantPart:
        """Read a part of an assistant message."""
        if type(wire) is dict and type(wire.get("functionCall")) is dict:
            call = self.read_tool_call(wire, at, reader)
            reader.note_call(wire["functionCall"].get("id"), call)
            return ToolCallPart(call)
        return self.read_assistant_content(wire, at, reader)

    def write_assistant_parts(
        self, content: str | list[AssistantPart] | None, extra: Any, at: Path, writer: Writer
    ) -> Any:
        """Write the content of an assistant message."""
        return write_parts_of(content, extra, at, writer, self.write_assistant_part)

    def write_assistant_part(self, part: AssistantPart, at: Path, writer: Writer) -> Any:
        """Write a part of an assistant message. A refusal becomes text; reasoning without text needs extras in a request."""
        if type(part) is ToolCallPart:
            writer.own_extras(part.metadata, at)
            return self.write_tool_call(part.call, (at, "call"), writer)
        if type(part) is RefusalPart:
            writer.own_extras(part.metadata, at)
            writer.report_loss(at, "refusal", "rewritten", "the API accepts only text")
            return {"text": part.text}
        if (
            type(part) is ReasoningPart
            and not part.text
            and not writer.own_extras(part.metadata, at)
            and not writer.is_response
        ):
            writer.report_unsupported(at, "reasoning without text")
            return ABSENT
        if type(part) is ReasoningPart:
            writer.report_adopted_reasoning(part.metadata, at)
        return self.write_assistant_content(part, at, writer)

    def read_result_object(self, wire: dict[str, Any], at: Path, reader: Reader) -> tuple[ResultKind, Any, bool | None]:
        """Read the result of a call."""
        response = wire.get("response")
        if type(response) is not dict:
            raise wrong_type((at, "response"), "an object", response)
        media = read_list_or_null(wire.get("parts"), (at, "parts"), reader, self.read_result_part)
        if media is None:
            return read_result_object(response)
        texts, is_error = read_result_text_beside_media(response)
        return "multimodal", [*texts, *media], is_error

    def write_result_object(
        self, kind: str, value: Any, is_error: bool | None, at: Path, writer: Writer
    ) -> dict[str, Any]:
        """Write the result of a call."""
        if kind == "multimodal":
            return write_multimodal_result(value, is_error, (at[0], "value"), writer, self.write_result_part)
        return {"response": write_result_object(kind, value, is_error, (at[0], "value"), writer)}
