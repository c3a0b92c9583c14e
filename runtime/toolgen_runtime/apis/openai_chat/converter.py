"""Converter for Chat Completions and similar APIs: assistant messages are spread over keys, results are messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeGuard

from ...conversion.converter import ObjectWriter, OutputFormat, ValueReader, ValueWriter
from ...conversion.extras import (
    ABSENT,
    NO_EXTRAS,
    Extras,
    choice_extras,
    inner_extras,
    merge_extras_into,
    restore_extras,
    unmapped_members,
)
from ...conversion.message_order import results_of
from ...conversion.reader import Reader
from ...conversion.responses import (
    UsageTable,
    derive_finish_reason,
    mark_calls_invalid,
    provider_stop_reason,
    value_at_path,
)
from ...conversion.rule_of_extras import Pair, read_field, write_field
from ...conversion.tool_results import (
    ResultKind,
    read_result_text_or_error,
    say_failure_in_value,
    write_result_text,
)
from ...conversion.values import (
    optional_text,
    read_list_or_null,
    write_or_describe,
    write_system_unless_empty,
    write_user_or_opaque,
)
from ...conversion.writer import Writer
from ...errors import BareApiError, wrong_type
from ...models import (
    AssistantMessage,
    AssistantPart,
    Completion,
    ContentPart,
    Message,
    OpaquePart,
    ReasoningPart,
    RefusalPart,
    SystemMessage,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolMessage,
    UserMessage,
)
from ...paths import ROOT, Path, format_path
from ..chat_bases import (
    ChatMessageConverter,
    OutputFormatConverter,
    keep_role,
    read_participant_name,
    read_result_parts,
    restore_function_result,
    restore_role,
    write_participant_name,
    write_parts_moving_media,
)
from .fields import (
    extras_of_choice,
    has_content,
    join_response_texts,
    read_audio_format,
    read_file_name,
    read_inline_audio,
    read_inline_data,
    read_number_without_reasoning,
    read_stop_sequences,
    restore_missing_message,
    write_audio_format,
    write_file_name,
    write_inline_audio,
    write_inline_data,
    write_number_without_reasoning,
    write_stop_sequences,
)

__all__ = ["ChatConverter"]

_RESPONSE = frozenset(["choices", "id", "model", "usage"])
_PARTICIPANT_NAME = Pair(read_participant_name, write_participant_name)


class ChatConverter(ChatMessageConverter, OutputFormatConverter):
    """Converts Chat Completions and similar APIs: assistant messages are spread over keys, results are messages."""

    read_participant_name = staticmethod(read_participant_name)
    write_participant_name = staticmethod(write_participant_name)
    read_audio_format = staticmethod(read_audio_format)
    write_audio_format = staticmethod(write_audio_format)
    read_file_name = staticmethod(read_file_name)
    write_file_name = staticmethod(write_file_name)
    read_inline_audio = staticmethod(read_inline_audio)
    write_inline_audio = staticmethod(write_inline_audio)
    read_inline_data = staticmethod(read_inline_data)
    write_inline_data = staticmethod(write_inline_data)
    read_number_without_reasoning = staticmethod(read_number_without_reasoning)
    write_number_without_reasoning = staticmethod(write_number_without_reasoning)
    read_stop_sequences = staticmethod(read_stop_sequences)
    write_stop_sequences = staticmethod(write_stop_sequences)

    RESPONSE_KEYS = frozenset(["choices"])
    HAS_FUNCTION_MESSAGES = True
    IS_HOST: ClassVar[bool] = False
    """Whether this is a server with additions of its own (`CompatibleConverter`), such as reasoning in messages."""
    assistant_keys = frozenset(["content", "name", "refusal", "role", "tool_calls"])
    """The keys of an assistant message that are not kept as extras."""
    USAGE: ClassVar[UsageTable]
    """Where the API has counts of tokens."""

    read_assistant_content: ValueReader[AssistantPart]
    read_result_part: ValueReader[ContentPart]
    write_assistant_content: ValueWriter[Any]
    write_result_part: ValueWriter[Any]
    write_tool_call: ObjectWriter[ToolCall]
    write_user_content: ValueWriter[Any]

    def read_output_format(self, value: Any, at: Path, reader: Reader) -> OutputFormat:
        """Read the output format. Some servers have the schema, its name and `strict` directly beside the type."""
        has_schema = type(value) is dict and value.get("json_schema") is None and type(value.get("schema")) is dict
        if has_schema and value.get("type") in ("json_schema", "json_object"):
            inner = {key: member for key, member in value.items() if key not in ("type", "json_schema")}
            value = {"type": "json_schema", "json_schema": inner}
        return super().read_output_format(value, at, reader)

    def write_messages(self, messages: Sequence[Message], at: Path, writer: Writer) -> list[Any]:
        """Write the messages. Each result becomes one message; media of results follow as a user message."""
        wires: list[Any] = []
        for message, here, paths in self.order_for_api(messages, at, writer):
            if type(message) is ToolMessage:
                if message.metadata:
                    writer.own_extras(message.metadata, here)
                for result, path in results_of(message, here, paths):
                    wire = self.write_tool_result(result, path, writer)
                    wires.append(restore_function_result(wire, result, writer) if result.metadata else wire)
                continue
            if writer.media:
                wires.append(self.write_deferred_media_message(writer))
            if type(message) is AssistantMessage:
                wire = self.write_assistant_message(message, here, writer)
                if has_content(wire, self.ACCEPTS_BLANK_MESSAGES) or writer.was_sent(message):
                    wires.append(wire)
                else:
                    reason = "the API rejects a message without content"
                    writer.report_loss(here, "an empty message", "dropped", reason)
            elif type(message) is SystemMessage:
                wires += write_system_unless_empty(message, here, writer, self.write_system_message)
            elif type(message) is UserMessage:
                wires.append(write_user_or_opaque(message, here, writer, self.write_user_message))
            else:
                raise wrong_type(here, "a message", message)
        if writer.media:
            wires.append(self.write_deferred_media_message(writer))
        return wires

    def write_deferred_media_message(self, writer: Writer) -> dict[str, Any]:
        """Write a user message with the media that were taken out of results."""
        media, writer.media = writer.media, []
        parts = [write_or_describe(part, at, writer, self.write_user_content) for part, at in media]
        return {"role": "user", "content": parts}

    def read_assistant_message(self, wire: dict[str, Any], at: Path, reader: Reader) -> AssistantMessage:
        """Read an assistant message: plain text stays text; otherwise parts: reasoning, content, refusal, calls."""
        content = wire.get("content")
        refusal, calls = optional_text(wire, "refusal", at), wire.get("tool_calls")
        extras = unmapped_members(wire, self.assistant_keys)
        name = read_field(wire, "name", _PARTICIPANT_NAME, at=at, extras=extras, reader=reader)
        if refusal == "":
            refusal, extras["refusal"] = None, ""
        if calls is not None and not calls:
            extras["tool_calls"] = calls
        if content is None and extras.pop("content", ABSENT) is ABSENT:
            extras["$absent"] = [*extras.get("$absent", ()), "content"]
        thought = self.read_message_reasoning(wire, extras, at, reader)
        if type(content) is str and refusal is None and not calls and thought is None:
            return AssistantMessage(content, name, reader.as_metadata(extras))
        parts: list[AssistantPart] = [] if thought is None else [thought]
        parts += self.read_assistant_parts(content, extras, (at, "content"), reader)
        if refusal is not None:
            parts.append(RefusalPart(refusal))
        if calls:
            parts += read_list_or_null(calls, (at, "tool_calls"), reader, self.read_tool_call_entry) or []
        if content == [] and parts:
            extras["content"] = content
        return AssistantMessage(None if content is None and not parts else parts, name, reader.as_metadata(extras))

    def read_assistant_parts(self, content: Any, extras: Extras, at: Path, reader: Reader) -> list[AssistantPart]:
        """Read the content of a message with parts. The extras of the message record the form that the content had."""
        if type(content) is str:
            if content:
                return [TextPart(content)]
            extras["content"] = content
            return []
        parts = read_list_or_null(content, at, reader, self.read_assistant_content) or []
        if len(parts) == 1 and type(parts[0]) is TextPart and parts[0].metadata is None:
            extras["content"] = {"$around": []}
        for part in parts:
            if type(part) is RefusalPart:
                merge_extras_into(part, reader.wire.name, {"$as": "content"})
        return parts

    def write_assistant_message(self, message: AssistantMessage, at: Path, writer: Writer) -> dict[str, Any]:
        """Write an assistant message, with its parts under the keys of the wire."""
        extras = writer.own_extras(message.metadata, at) if message.metadata else NO_EXTRAS
        wire: dict[str, Any] = {"role": "assistant"}
        write_field(wire, "name", message.name, _PARTICIPANT_NAME, at=(at, "name"), extras=extras, writer=writer)
        if type(message.content) is list:
            self.write_assistant_parts(message.content, (at, "content"), writer, wire, extras)
        else:
            wire["content"] = message.content
        if wire["content"] is None and "content" in extras.get("$absent", ()):
            del wire["content"]
        self.add_required_keys(wire, extras)
        if extras:
            restore_extras(wire, extras)
        return wire

    def write_assistant_parts(
        self, parts: list[AssistantPart], at: Path, writer: Writer, wire: dict[str, Any], extras: Extras
    ) -> None:
        """Write the parts of an assistant message under the keys of the wire."""
        written = _WrittenParts()
        for i, part in enumerate(parts):
            here = (at, i)
            if type(part) is ToolCallPart:
                if part.metadata:
                    writer.own_extras(part.metadata, here)
                written.calls.append(self.write_tool_call(part.call, (here, "call"), writer))
            elif type(part) is OpaquePart and writer.own_extras(part.metadata, here).get("$as") == "tool_calls":
                written.calls.append(part.value)
            elif type(part) is RefusalPart:
                self.write_refusal(part, here, writer, written)
            elif type(part) is ReasoningPart:
                if self.IS_HOST or writer.peek_extras(part.metadata).get("$as"):
                    if written.texts or written.calls:
                        writer.report_loss(here, "reasoning", "moved", "reasoning must come first")
                    written.thoughts.append((part, here))
                else:
                    writer.report_unsupported(here, "reasoning")
            else:
                self.write_content_part(part, here, writer, written)
        wire["content"] = self.write_assistant_texts(written.texts, extras, at, writer) if parts else []
        if written.refusals:
            wire["refusal"] = "".join(written.refusals)
        if written.calls:
            wire["tool_calls"] = written.calls
        if written.thoughts:
            self.write_message_reasoning(wire, written.thoughts, extras, writer)

    def write_refusal(self, part: RefusalPart, at: Path, writer: Writer, written: _WrittenParts) -> None:
        """Add a refusal: to the refusals, to the content if it was read from there, or as text if the API has none."""
        if not writer.is_accepted({"refusal": part.text}):
            writer.own_extras(part.metadata, at)
            writer.report_loss((at, "type"), "a refusal", "rewritten", "it is sent as text")
            written.texts.append(part.text)
        elif writer.peek_extras(part.metadata).get("$as") == "content":
            self.write_content_part(part, at, writer, written)
        else:
            writer.own_extras(part.metadata, at)
            if written.refusals:
                writer.report_loss(at[0], "refusals", "rewritten", "they were joined")
            written.refusals.append(part.text)

    def write_content_part(self, part: AssistantPart, at: Path, writer: Writer, written: _WrittenParts) -> None:
        """Add a part to the content, which comes before refusals and calls."""
        if written.calls:
            writer.report_loss(at, writer.part_class_name(part, at), "moved", "content must come before calls")
        elif written.refusals:
            writer.report_loss(at[0], "content", "rewritten", "a refusal comes after other content")
        elif _is_plain_text(part):
            written.texts.append(part.text)
            return
        text = write_or_describe(part, at, writer, self.write_assistant_content)
        if text is not ABSENT:
            written.texts.append(text)

    def write_assistant_texts(self, texts: list[Any], extras: Extras, at: Path, writer: Writer) -> Any:
        """Write the content of an assistant message: a single text as a string, unless it was read from a list.

        A text is a string, or the object of a part. Without texts, empty content is written as it was read, else as null.
        """
        is_list = "$around" in inner_extras(extras, "content")
        if writer.is_response and not is_list:
            texts = join_response_texts(texts, at, writer)
        if len(texts) == 1 and not is_list:
            text = texts[0]
            if type(text) is dict and text.keys() == {"type", "text"}:
                return text["text"]
            if type(text) is str:
                return text
        if not texts:
            return extras["content"] if extras.get("content") in ("", []) else None
        return [self.write_assistant_content(TextPart(t), at, writer) if type(t) is str else t for t in texts]

    def read_result_content(self, value: Any, at: Path, reader: Reader) -> tuple[ResultKind, Any, bool | None]:
        """Read the result of a call: text, the text of an error, or parts."""
        if type(value) is str:
            return read_result_text_or_error(value)
        return "multimodal", read_result_parts(value, at, reader, self.read_result_part), None

    def write_result_content(
        self, kind: str, value: Any, is_error: bool | None, at: Path, writer: Writer
    ) -> str | list[Any]:
        """Write the result of a call. Media follow at the end of the turn, because results only hold text."""
        kind, value = say_failure_in_value(kind, value, is_error, at, writer)
        if kind != "multimodal":
            return write_result_text(kind, value, at, writer)
        return write_parts_moving_media(value, (at[0], "value"), writer, self.write_result_part)

    def read_response(self, wire: dict[str, Any], at: Path, reader: Reader) -> Completion:
        """Read a response. Its first choice becomes the message; further choices are kept as extras."""
        error, choices = self.body_error(wire), wire.get("choices")
        if error and choices is None:
            raise BareApiError(format_path(at), wire)
        choices_path = (at, "choices")
        if choices is not None and type(choices) is not list:
            raise wrong_type(choices_path, "an array", choices)
        usage = self.body_usage(wire)
        if usage is not None and type(usage) is not dict:
            raise wrong_type((at, "usage"), "an object", usage)
        choice = choices[0] if choices else {}
        if type(choice) is not dict:
            raise wrong_type((choices_path, 0), "an object", choice)
        message, extras_of_first = self.read_choice(choice, (choices_path, 0), reader)
        stop_reason = optional_text(choice, "finish_reason", (choices_path, 0))
        body = inner_extras(choice, "message")
        has_calls = bool(body.get("tool_calls") or body.get("function_call"))
        reason = derive_finish_reason(self.deciding_reason(stop_reason, wire), message, self.FINISH_REASONS, has_calls)
        if error or not choices:
            reason = "error"
        mark_calls_invalid(message, reason)
        return Completion(
            message,
            reason,
            optional_text(wire, "id", at),
            optional_text(wire, "model", at),
            stop_reason or None,
            None if usage is None else self.USAGE.read(usage, (at, "usage"), reader),
            reader.as_metadata(self.response_extras(wire, extras_of_first)),
        )

    def response_extras(self, wire: dict[str, Any], extras_of_first: Extras) -> Extras:
        """Return the extras of a response: its unmapped keys, those of its first choice, and its further choices."""
        extras = unmapped_members(wire, _RESPONSE)
        absent = [key for key in ("object", "choices") if key not in wire]
        if wire.get("usage") is None and self.body_usage(wire) is not None:
            absent.append("usage")
        if absent:
            extras["$absent"] = absent
        if wire.get("choices"):
            extras["choices"] = [extras_of_first, *wire["choices"][1:]]
        elif "choices" in wire:
            extras["choices"] = wire["choices"]
        return extras

    def read_choice(self, choice: dict[str, Any], at: Path, reader: Reader) -> tuple[AssistantMessage, Extras]:
        """Read the message of a choice, and return the extras of the choice."""
        body, path = choice.get("message"), (at, "message")
        if body is None:
            return AssistantMessage(), extras_of_choice(choice, NO_EXTRAS)
        if type(body) is not dict:
            raise wrong_type(path, "an object", body)
        regular, message_extras = self.normalize_message(body)
        message = self.read_assistant_message(regular, path, reader)
        keep_role(message, body, reader)
        if type(body.get("content")) is list and body["content"]:
            merge_extras_into(message, reader.wire.name, {"content": {"$around": []}})
        return message, extras_of_choice(choice, message_extras)

    def write_response(
        self, completion: Completion, identifier: str | None, created: int | None, writer: Writer
    ) -> dict[str, Any]:
        """Write a response with one choice, and the choices in the extras."""
        extras = writer.own_extras(completion.metadata, ROOT)
        response_id = completion.id if completion.id is not None else identifier
        first, further = choice_extras(extras, "choices")
        choice = self.write_choice(completion, first, extras, writer)
        wire: dict[str, Any] = {} if response_id is None else {"id": response_id}
        if "object" not in extras.get("$absent", ()):
            wire["object"] = extras.get("object", "chat.completion")
        if created is not None or "created" in extras:
            wire["created"] = extras.get("created", created)
        if completion.model is not None:
            wire["model"] = completion.model
        if extras.get("choices") or "choices" not in extras or completion.message.content:
            wire["choices"] = [choice, *further]
        usage = None if completion.usage is None else self.USAGE.write(completion.usage, (ROOT, "usage"), writer)
        restore_extras(wire, extras)
        stands_elsewhere = "usage" in extras.get("$absent", ()) and self.body_usage(wire) == usage
        if usage is not None and not stands_elsewhere:
            wire["usage"] = usage
        return wire

    def write_choice(
        self, completion: Completion, extras: Extras, response_extras: Extras, writer: Writer
    ) -> dict[str, Any]:
        """Write the first choice of a response. `extras` are those of the choice."""
        message = self.write_assistant_message(completion.message, (ROOT, "message"), writer)
        restore_role(message, completion.message, writer)
        if message.get("content") == [] and not response_extras:
            message["content"] = None  # clients expect a string or null
        choice: dict[str, Any] = {
            "index": extras.get("index", 0),
            "message": message,
            "finish_reason": extras.get("finish_reason"),
        }
        absent = extras.get("$absent", ())
        if "index" in absent:
            del choice["index"]
        if completion.stop_reason is not None or not response_extras.get("choices"):
            choice["finish_reason"] = provider_stop_reason(
                completion, self.FINISH_REASONS, response_extras, writer, has_foreign=self.IS_HOST
            )
        elif "finish_reason" in absent:
            del choice["finish_reason"]
        restore_extras(choice, extras)
        choice["message"] = self.restore_message(choice["message"], inner_extras(extras, "message"))
        return restore_missing_message(choice, extras)

    def body_error(self, wire: dict[str, Any]) -> Any:
        """Return the error in a body of status 200, or None. It is beside the choices, in the first one, or the body."""
        if "choices" not in wire and "error" in (wire.get("type"), wire.get("object")):
            return wire.get("error") or wire
        return wire.get("error") or value_at_path(wire, ("choices", 0, "error")) or None

    def body_usage(self, wire: dict[str, Any]) -> Any:
        """Return the usage in a body, or None."""
        return wire.get("usage")

    def deciding_reason(self, stop_reason: str | None, wire: dict[str, Any]) -> str | None:
        """Return the stop reason that counts."""
        return stop_reason

    def normalize_message(self, message: dict[str, Any]) -> tuple[dict[str, Any], Extras]:
        """Return a message of a response as a request may have it, and what it had instead."""
        return message, NO_EXTRAS

    def restore_message(self, message: dict[str, Any], extras: Extras) -> dict[str, Any]:
        """Return a message of a response as it was read, where it still means the same."""
        return message

    def read_message_reasoning(
        self, wire: dict[str, Any], extras: Extras, at: Path, reader: Reader
    ) -> ReasoningPart | None:
        """Take the reasoning of a message out of its extras. Azure has it, for models that are not OpenAI's."""
        text = extras.get("reasoning_content")
        if type(text) is not str or not text:
            return None
        del extras["reasoning_content"]
        return ReasoningPart(text, reader.as_metadata({"$as": "reasoning_content"}))

    def write_message_reasoning(
        self, wire: dict[str, Any], parts: list[tuple[ReasoningPart, Path]], extras: Extras, writer: Writer
    ) -> None:
        """Write the reasoning of a message, which was read from a message of this API."""
        for part, at in parts:
            writer.own_extras(part.metadata, at)
            wire["reasoning_content"] = wire.get("reasoning_content", "") + part.text

    def add_required_keys(self, wire: dict[str, Any], extras: Extras) -> None:
        """Add the keys that a host requires in an assistant message."""


@dataclass(slots=True)
class _WrittenParts:
    """The parts of an assistant message, by the key that they belong to."""

    texts: list[Any] = field(default_factory=list)
    """The content: strings, and objects of parts."""
    calls: list[Any] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    thoughts: list[tuple[ReasoningPart, Path]] = field(default_factory=list)
    """Reasoning with its paths, which is written when the rest is."""


def _is_plain_text(part: AssistantPart) -> TypeGuard[TextPart]:
    """Return whether a part has only its text."""
    return type(part) is TextPart and part.metadata is None and part.cache is None
