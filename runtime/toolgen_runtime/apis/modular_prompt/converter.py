"""Converter for modular-prompt: query options, query results, and streams of texts that end with the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ...conversion.extras import ABSENT, Extras, extra_at, restore_extras, unmapped_members
from ...conversion.reader import Reader
from ...conversion.responses import UsageTable, derive_finish_reason, mark_calls_invalid
from ...conversion.stream_writers import BaseStreamWriter
from ...conversion.streams import BaseStream, OpenCall
from ...conversion.tool_results import (
    ResultKind,
    read_result_text_or_error,
    say_failure_in_value,
    write_result_text,
)
from ...conversion.values import optional_text, read_list_or_null
from ...conversion.writer import Writer
from ...errors import wrong_type
from ...json_text import dump_allowing_nan
from ...models import (
    AssistantMessage,
    AssistantPart,
    Completion,
    Message,
    ReasoningPart,
    RefusalPart,
    StreamEvent,
    TextDelta,
    TextPart,
    ToolCallDelta,
)
from ...paths import ROOT, Path
from ..text_messages import TextChatConverter, join_texts

__all__ = [
    "ModularPromptConverter",
    "ModularPromptStream",
    "ModularPromptStreamWriter",
    "read_string_content",
    "write_string_content",
]


def read_string_content(value: Any, at: Path, reader: Reader) -> str:
    """Read a value that must be a string.

    Raises:
        ConversionError: The value is not a string.
    """
    if type(value) is not str:
        raise wrong_type(at, "a string", None if value is ABSENT else value)
    return value


def write_string_content(content: Any, at: Path, writer: Writer) -> str:
    """Write the texts of the content as one string."""
    return join_texts(content, at, writer)


_RESPONSE = frozenset(["content", "finishReason", "toolCalls", "usage"])


class ModularPromptConverter(TextChatConverter):
    """Converts the query options and query results of modular-prompt."""

    read_string_content = staticmethod(read_string_content)
    write_string_content = staticmethod(write_string_content)

    RESPONSE_KEYS = frozenset(["content", "toolCalls", "finishReason"])
    CALL_TYPES = ("function", ABSENT)
    CHOOSES_WITHOUT_TOOLS = True

    USAGE: ClassVar[UsageTable]
    """Where the API has counts of tokens."""

    def read_messages_after_prompt(self, wire: Any, at: Path, reader: Reader) -> tuple[list[Message], Any]:
        """Read the messages that follow those of the prompt. Options need not have any."""
        if wire is None or wire is ABSENT:
            return [], ABSENT
        return self.read_messages(wire, at, reader), ABSENT if wire else wire

    def write_messages_after_prompt(self, messages: Sequence[Message], extra: Any, at: Path, writer: Writer) -> Any:
        """Write the messages that follow those of the prompt."""
        return self.write_messages(messages, at, writer) if messages else extra

    def read_assistant_content(
        self, wire: dict[str, Any], at: Path, reader: Reader
    ) -> tuple[str | list[AssistantPart] | None, Extras]:
        """Read the content and calls of an assistant message, with the extras that a new message would not have."""
        content = optional_text(wire, "content", at)
        calls = read_list_or_null(wire.get("toolCalls"), (at, "toolCalls"), reader, self.read_tool_call_entry)
        extras: Extras = {}
        if "content" not in wire:
            extras["$absent"] = ["content"]
        elif content is None:
            extras["content"] = None
        if not calls:
            if "toolCalls" in wire:
                extras["toolCalls"] = calls
            return content, extras
        parts: list[AssistantPart] = [TextPart(content)] if content else []
        return [*parts, *calls], extras

    def write_assistant_content(
        self, message: AssistantMessage, extras: Extras, at: Path, writer: Writer
    ) -> dict[str, Any]:
        """Write the content and calls of an assistant message. Texts are joined, and missing content stays missing."""
        texts, calls = self.write_content_and_calls(message, at, writer)
        if len(texts) > 1:
            writer.report_loss(
                (at, "content"), "content", "rewritten", "the format has one text, so the texts were joined"
            )
        text = "".join(texts)
        wire: dict[str, Any] = {}
        if text or not ("content" in extras or "content" in extras.get("$absent", ())):
            wire["content"] = text
        if calls:
            wire["toolCalls"] = calls
        return wire

    def read_result_content(self, value: Any, at: Path, reader: Reader) -> tuple[ResultKind, Any, bool | None]:
        """Read the result of a call: a text, or the text of an error."""
        if type(value) is not str:
            raise wrong_type(at, "a string", None if value is ABSENT else value)
        return read_result_text_or_error(value)

    def write_result_content(self, kind: str, value: Any, is_error: bool | None, at: Path, writer: Writer) -> str:
        """Write the result of a call as text."""
        if kind == "multimodal":
            writer.report_loss((at[0], "kind"), "multimodal", "rewritten", "the format has only text results")
            kind, value = "text", join_texts(value, (at[0], "value"), writer)
        kind, value = say_failure_in_value(kind, value, is_error, at, writer)
        return write_result_text(kind, value, at, writer)

    def read_response(self, wire: dict[str, Any], at: Path, reader: Reader) -> Completion:
        """Read the result of a query. Without a finish reason it ended normally, unless it has no content either."""
        usage = wire.get("usage")
        if usage is not None and type(usage) is not dict:
            raise wrong_type((at, "usage"), "an object", usage)
        stop_reason = optional_text(wire, "finishReason", at)
        content, message_extras = self.read_assistant_content(wire, at, reader)
        message = AssistantMessage(content, metadata=reader.as_metadata(message_extras))
        extras = {
            key: value
            for key, value in unmapped_members(wire, _RESPONSE).items()
            if key not in ("content", "toolCalls")
        }
        if "finishReason" not in wire:
            extras["$absent"] = ["finishReason"]
        silent = stop_reason is None and content is None
        opaque = bool(wire.get("toolCalls"))
        reason = derive_finish_reason(
            "error" if silent else stop_reason or "stop", message, self.FINISH_REASONS, opaque
        )
        mark_calls_invalid(message, reason)
        if stop_reason is not None and self.FINISH_REASONS.get(stop_reason) != reason:
            extras["finishReason"] = {"$whole": stop_reason}
        return Completion(
            message,
            reason,
            stop_reason=stop_reason,
            usage=None if usage is None else self.USAGE.read(usage, (at, "usage"), reader),
            metadata=reader.as_metadata(extras),
        )

    def write_response(
        self, completion: Completion, identifier: str | None, created: int | None, writer: Writer
    ) -> dict[str, Any]:
        """Write the result of a query. It has neither id nor model, and a single finish reason for every failure."""
        own = writer.own_extras(completion.metadata, ROOT)
        if completion.id is not None:
            writer.report_unsupported((ROOT, "id"), "id")
        if completion.model is not None:
            writer.report_unsupported((ROOT, "model"), "model")
        at = (ROOT, "message")
        message_extras = writer.own_extras(completion.message.metadata, at)
        wire = self.write_assistant_content(completion.message, message_extras, at, writer)
        restore_extras(wire, message_extras)
        stop_reason = completion.stop_reason
        if completion.finish_reason != "other" and (
            stop_reason is None or stop_reason != extra_at(own, "finishReason", "$whole")
        ):
            stop_reason = next(
                (
                    stop_reason
                    for stop_reason, reason in self.FINISH_REASONS.items()
                    if reason == completion.finish_reason
                ),
                None,
            )
        if completion.finish_reason == "content_filter" and stop_reason is None:
            writer.report_loss(
                (ROOT, "finishReason"), "content_filter", "rewritten", "it is sent as an error", "warning"
            )
            stop_reason = "error"
        elif completion.finish_reason == "other" and stop_reason is None and not own:
            writer.report_loss((ROOT, "finishReason"), "other", "rewritten", "it is sent as a normal end", "warning")
        omitted = own.get("finishReason", ABSENT) is None or "finishReason" in own.get("$absent", ())
        silent = wire.get("content") is None and not wire.get("toolCalls")
        if stop_reason is not None and not (
            omitted and stop_reason in (("error",) if silent else ("stop", "tool_calls"))
        ):
            wire["finishReason"] = stop_reason
        if completion.usage is not None:
            wire["usage"] = self.USAGE.write(completion.usage, (ROOT, "usage"), writer)
        restore_extras(wire, own)
        return wire

    def write_non_call_part(self, part: AssistantPart, at: Path, writer: Writer) -> list[str]:
        """Write a part of a response that is not a call. Refusals are written as text; other parts are unsupported."""
        if type(part) is not TextPart and type(part) is not RefusalPart:
            name = writer.part_class_name(part, at)
            writer.report_unsupported(at, name, "note" if type(part) is ReasoningPart else "warning")
            return []
        if type(part) is RefusalPart:
            writer.report_loss(at, "refusal", "rewritten", "the format has only text")
        return [writer.write_text_part_as_string(part, at)]


_RESULT = frozenset(["content", "finishReason", "toolCalls", "usage"])
"""Keys of a query result. A streamed object with none of them is an unknown event."""


class ModularPromptStream(BaseStream):
    """Joins texts until the result of the query arrives. The result wins; the texts only replace a missing content."""

    def __init__(self, turn: int = 0, *, tools: Any = ()) -> None:
        super().__init__(turn, tools=tools)
        self._texts: list[str] = []
        self._whole: dict[str, Any] | None = None

    def feed(self, event: Any) -> list[StreamEvent]:
        """Read one event, in constant time.

        Args:
            event: An event of the stream: a text, a dict, or the client's object.

        Returns:
            The resulting events of the neutral format; often none.

        Raises:
            ConversionError: The event is neither a string, nor a dict, nor an object of the client.
        """
        if type(event) is not str:
            return super().feed(event)
        if self._whole is not None:
            return []
        self._texts.append(event)
        return [TextDelta(event)] if event else []

    def _read_event(self, event: dict[str, Any]) -> list[StreamEvent]:
        """Take the complete response, and return events for what was not streamed of it. Other objects are ignored."""
        if self._whole is not None or event.keys().isdisjoint(_RESULT):
            return []
        self._whole = event
        if event.get("finishReason") == "error":
            self._failure = "the response ended with an error"
        events: list[StreamEvent] = []
        streamed, content = "".join(self._texts), event.get("content")
        if type(content) is str and len(content) > len(streamed) and content.startswith(streamed):
            events.append(TextDelta(content[len(streamed) :]))
        calls = event.get("toolCalls")
        for call in calls if type(calls) is list else ():
            function = call.get("function") if type(call) is dict else None
            if type(function) is dict:
                events.append(self._called(call, function))
        return events

    def _called(self, call: dict[str, Any], function: dict[str, Any]) -> ToolCallDelta:
        """Return the delta of a call, which arrives complete."""
        announced = OpenCall(len(self._calls), call)
        self._calls.append(announced)
        identifier = self._names.assign_call_id(call.get("id"), ((ROOT, "toolCalls"), announced.index))
        announced.was_announced = type(function.get("name")) is str
        arguments = function.get("arguments")
        announced.add(arguments if type(arguments) is str else dump_allowing_nan(arguments or {}))
        name = self._names.tool_name(function["name"]) if announced.was_announced else None
        return ToolCallDelta(announced.index, identifier, name, "".join(announced.pieces))

    def _body(self) -> dict[str, Any]:
        """Return the complete response, with the streamed text if it has none; without one only the text."""
        text = "".join(self._texts)
        if self._whole is None:
            return {"content": text}
        return {**self._whole, "content": text} if text and self._whole.get("content") is None else self._whole

    def _ended(self) -> bool:
        """Return whether the result of the query has arrived."""
        return self._whole is not None


class ModularPromptStreamWriter(BaseStreamWriter):
    """Writes each text as it arrives. Calls and errors are in the result, which is not written if the stream breaks."""

    def _text(self, text: str) -> list[Any]:
        return [text]

    def _call(self, event: ToolCallDelta) -> list[Any]:
        return []

    def _error(self, message: str) -> list[Any]:
        return []

    def _completed(self, body: dict[str, Any], completion: Completion) -> list[Any]:
        if not str(body.get("content") or "").startswith("".join(self.text)):
            self.writer.report_loss((ROOT, "message"), "content", "dropped", "other text was already sent", "warning")
        return [body]
