"""Converter for the agent SDK, in which one response may consist of several messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ...conversion.converter import ObjectReader, ObjectWriter, ValueReader, ValueWriter
from ...conversion.extras import ABSENT, Extras, extra_at, restore_extras, unmapped_members
from ...conversion.message_order import results_of
from ...conversion.reader import Reader
from ...conversion.responses import UsageTable, derive_finish_reason, mark_calls_invalid, provider_stop_reason
from ...conversion.tool_results import ResultKind, write_result_text
from ...conversion.values import optional_text, read_list_or_null, read_text_or_list, wire_message_of, write_list
from ...conversion.writer import OnLoss, Writer
from ...errors import wrong_type
from ...models import (
    AgentEvent,
    AssistantMessage,
    AssistantPart,
    Completion,
    ContentPart,
    Message,
    OpaquePart,
    OutputRef,
    ReasoningPart,
    RefusalPart,
    SystemMessage,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolMessage,
    Usage,
    UserMessage,
)
from ...paths import ROOT, Path
from ..chat_bases import ChatMessageConverter
from .fields import (
    SourceMessage,
    fit_messages,
    is_opaque_message,
    join_messages,
    message_sizes,
    read_agent_event,
    read_image_url,
    read_inline_source,
    read_states_of_other_providers,
    source_messages,
    split_states_of_other_providers,
    write_agent_event,
    write_image_url,
    write_inline_source,
)

__all__ = ["AgentSdkConverter"]

_ASSISTANT_MESSAGE = frozenset(["content", "name", "reasoning", "refusal", "role", "tool_calls"])
_TEXT_KEYS: dict[type, str] = {ReasoningPart: "reasoning", TextPart: "content", RefusalPart: "refusal"}
_RESPONSE = frozenset(["messages", "stop_reason", "usage"])


class AgentSdkConverter(ChatMessageConverter):
    """Converts the requests and results of an agent's invocations. One response may consist of several messages."""

    read_image_url = staticmethod(read_image_url)
    write_image_url = staticmethod(write_image_url)
    read_inline_source = staticmethod(read_inline_source)
    write_inline_source = staticmethod(write_inline_source)

    CALL_TYPES = ("function",)
    KEEPS_UNPAIRED_RESULTS = True
    USAGE: ClassVar[UsageTable]
    """Where the API has counts of tokens."""

    read_function_call: ObjectReader[ToolCall]
    read_output_ref: ObjectReader[OutputRef]
    read_result_part: ValueReader[ContentPart]
    write_function_call: ObjectWriter[ToolCall]
    write_output_ref: ObjectWriter[OutputRef]
    write_result_part: ValueWriter[Any]

    def write_messages(self, messages: Sequence[Message], at: Path, writer: Writer) -> list[Any]:
        """Write the messages in their order, one for each result. The wire requires no order of a history."""
        wires: list[Any] = []
        for i, message in enumerate(messages):
            here = (at, i)
            if type(message) is ToolMessage:
                writer.own_extras(message.metadata, here)
                if not message.results:
                    writer.report_loss(here, "a message", "dropped", "it has no results")
                wires += [
                    self.write_tool_result(result, path, writer) for result, path in results_of(message, here, None)
                ]
            elif type(message) is AssistantMessage:
                wires += self.write_assistant_message(message, here, writer)
            elif type(message) is SystemMessage:
                wires.append(self.write_system_message(message, here, writer))
            elif type(message) is UserMessage:
                whole = wire_message_of(message, writer)
                wires.append(self.write_user_message(message, here, writer) if whole is ABSENT else whole)
            else:
                raise wrong_type(here, "a message", message)
        return wires

    def read_assistant_message(self, wire: dict[str, Any], at: Path, reader: Reader) -> AssistantMessage:
        """Read an assistant message: plain text stays text; otherwise parts: reasoning, content, refusal, calls."""
        content, name = optional_text(wire, "content", at), optional_text(wire, "name", at)
        refusal, thought, calls = optional_text(wire, "refusal", at), wire.get("reasoning"), wire.get("tool_calls")
        extras = unmapped_members(wire, _ASSISTANT_MESSAGE)
        if content is None and extras.pop("content", ABSENT) is ABSENT:
            extras["$absent"] = ["content"]
        if calls is not None and not calls:
            extras["tool_calls"] = calls
        if refusal == "":
            refusal, extras["refusal"] = None, ""
        if "reasoning" in wire and type(thought) is not str:
            extras["reasoning"] = thought
        if type(thought) is not str and refusal is None and not calls:
            return AssistantMessage(content, name, reader.as_metadata(extras))
        parts: list[AssistantPart] = []
        if type(thought) is str:
            state = read_states_of_other_providers(wire.get("provider_meta"), reader.wire.name)
            if state:
                del extras["provider_meta"]
            parts.append(ReasoningPart(thought, metadata=dict(state) or None))
        if content:
            parts.append(TextPart(content))
        elif content is not None:
            extras["content"] = content
        if refusal is not None:
            parts.append(RefusalPart(refusal))
        if calls:
            parts += read_list_or_null(calls, (at, "tool_calls"), reader, self.read_tool_call_entry) or []
        return AssistantMessage(parts, name, reader.as_metadata(extras))

    def read_tool_call(self, wire: dict[str, Any], at: Path, reader: Reader) -> ToolCall:
        """Read a call, with the state of the provider that made it."""
        state = read_states_of_other_providers(wire.get("provider_meta"), reader.wire.name)
        if not state:
            return self.read_function_call(wire, at, reader)
        other_members = {key: value for key, value in wire.items() if key != "provider_meta"}
        call = self.read_function_call(other_members, at, reader)
        call.metadata = {**(call.metadata or {}), **state}
        return call

    def write_tool_call(self, call: ToolCall, at: Path, writer: Writer) -> dict[str, Any]:
        """Write a call, with the state of the provider that made it."""
        state, metadata = split_states_of_other_providers(call.metadata, writer, writer.peek_extras(call.metadata))
        if not state:
            return self.write_function_call(call, at, writer)
        call_without_state = ToolCall(call.id, call.name, call.arguments, call.invalid, metadata)
        return {**self.write_function_call(call_without_state, at, writer), "provider_meta": state}

    def write_assistant_message(self, message: AssistantMessage, at: Path, writer: Writer) -> list[Any]:
        """Write an assistant message as the messages that it was read from; otherwise as one."""
        return self.write_response_messages(message, at, writer, may_split=False)

    def write_response_messages(
        self, message: AssistantMessage, at: Path, writer: Writer, *, may_split: bool
    ) -> list[Any]:
        """Write a response as the messages that it was read from.

        Otherwise it is one message, or with `may_split` several if one message would change the order of the parts.
        """
        extras = writer.own_extras(message.metadata, at)
        sources = source_messages(extras)
        if type(message.content) is not list or (sources is None and not may_split):
            return [self.write_response_message(message, extras, at, writer)]
        if sources is None or not fit_messages(message.content, sources, writer.wire.name):
            sizes = message_sizes(message.content, writer.wire.name)
            if sources is None and len(sizes) < 2:
                return [self.write_response_message(message, extras, at, writer)]
            first_extras = extras if sources is None else {}
            sources = [SourceMessage(size, {} if i else first_extras) for i, size in enumerate(sizes)]
        wires: list[Any] = []
        start = 0
        for i, source in enumerate(sources):
            parts = message.content[start : start + source.size]
            first = parts[0] if parts else None
            if is_opaque_message(first, writer.wire.name) and first.provider == writer.wire.name:
                wires.append(first.value)
            else:
                part_of_response = AssistantMessage(parts, None if i else message.name)
                wires.append(self.write_response_message(part_of_response, source.extras, at, writer, start))
            start += source.size
        return wires

    def write_response_message(
        self, message: AssistantMessage, extras: Extras, at: Path, writer: Writer, first_index: int = 0
    ) -> dict[str, Any]:
        """Write one message of a response from its parts. `first_index` is the index of its first part in the response."""
        wire: dict[str, Any] = {"role": "assistant"}
        if message.name is not None:
            wire["name"] = message.name
        if type(message.content) is list:
            wire |= self.write_assistant_parts(message.content, (at, "content"), writer, extras, first_index)
        else:
            wire["content"] = message.content
        if wire["content"] is None and "content" in extras.get("$absent", ()):
            del wire["content"]
        if extras:
            restore_extras(wire, extras)
        return wire

    def write_assistant_parts(
        self, parts: Sequence[Any], at: Path, writer: Writer, extras: Extras, first_index: int
    ) -> dict[str, Any]:
        """Write the parts of a message as reasoning, one text, one refusal and calls."""
        texts: dict[str, list[str]] = {"reasoning": [], "content": [], "refusal": []}
        calls: list[Any] = []
        state: dict[str, Any] = {}
        for i, part in enumerate(parts, first_index):
            here = (at, i)
            key = _TEXT_KEYS.get(type(part))
            if key is None:
                call = self.write_call_part(part, here, writer)
                calls += [] if call is ABSENT else [call]
                continue
            metadata = part.metadata
            if key == "reasoning" and not state:
                state, metadata = split_states_of_other_providers(metadata, writer, extras)
            writer.own_extras(metadata, here)
            if calls or (key != "refusal" and texts["refusal"]) or (key == "reasoning" and texts["content"]):
                reason = "the format has a fixed order: reasoning, content, refusal, calls"
                writer.report_loss(here, writer.part_class_name(part, here), "moved", reason)
            texts[key].append(part.text)
        if any(len(texts_of_key) > 1 for texts_of_key in texts.values()) or (
            texts["content"] == [""] and len(parts) > 1
        ):
            reason = "the format has one text each for reasoning, content and refusal"
            writer.report_loss(at, "content", "rewritten", reason)
        wire: dict[str, Any] = {"content": "" if extras.get("content") == "" else None}
        wire |= {key: "".join(texts_of_key) for key, texts_of_key in texts.items() if texts_of_key}
        if calls:
            wire["tool_calls"] = calls
        if state:
            wire["provider_meta"] = state
        return wire

    def write_call_part(self, part: Any, at: Path, writer: Writer) -> Any:
        """Write a part that is not text: a call, or an entry of the calls as it was read. ABSENT for other parts."""
        if type(part) is ToolCallPart:
            writer.own_extras(part.metadata, at)
            return self.write_tool_call(part.call, (at, "call"), writer)
        is_own = type(part) is OpaquePart and part.provider == writer.wire.name
        if is_own and not is_opaque_message(part, writer.wire.name):
            return part.value
        writer.report_unsupported(at, writer.part_class_name(part, at), "warning")
        return ABSENT

    def read_result_content(
        self, wire: dict[str, Any], at: Path, reader: Reader
    ) -> tuple[ResultKind, Any, bool | None]:
        """Read the result of a call: text, the text of an error, or parts, which may be those of an error."""
        failed = wire.get("is_error")
        if failed is not None and type(failed) is not bool:
            raise wrong_type((at, "is_error"), "a boolean", failed)
        value = read_text_or_list(wire.get("content"), (at, "content"), reader, self.read_result_part)
        if type(value) is list:
            return "multimodal", value, failed
        return "error" if failed else "text", value, None

    def write_result_content(
        self, kind: str, value: Any, is_error: bool | None, at: Path, writer: Writer
    ) -> dict[str, Any]:
        """Write the result of a call, and whether it is an error."""
        value_path = (at[0], "value")
        if kind == "multimodal":
            content: str | list[Any] = write_list(value, value_path, writer, self.write_result_part)
            return {"content": content} if is_error is None else {"content": content, "is_error": is_error}
        if kind == "error" and type(value) is str:
            return {"content": value, "is_error": True}
        content = write_result_text(kind, value, value_path, writer)
        if not is_error:
            return {"content": content}
        for field in ("kind", "value", "isError"):
            writer.report_loss((at[0], field), field, "rewritten", "a failure that has text is sent as an error")
        return {"content": content, "is_error": True}

    def read_output_reference(self, value: Any, at: Path, reader: Reader) -> OutputRef | None:
        """Read the reference to the complete output."""
        if value is None or value is ABSENT:
            return None
        if type(value) is not dict:
            raise wrong_type(at, "an object", value)
        return self.read_output_ref(value, at, reader)

    def write_output_reference(self, reference: OutputRef | None, at: Path, writer: Writer) -> Any:
        """Write the reference to the complete output."""
        return ABSENT if reference is None else self.write_output_ref(reference, at, writer)

    def read_response(self, wire: dict[str, Any], at: Path, reader: Reader) -> Completion:
        """Read the result of an invocation. Its messages become one assistant message with all parts in order."""
        extras = unmapped_members(wire, _RESPONSE)
        message = self.read_response_messages(wire.get("messages"), (at, "messages"), reader)
        stop_reason, usage = optional_text(wire, "stop_reason", at), wire.get("usage")
        if "stop_reason" not in wire:
            extras["$absent"] = ["stop_reason"]
        elif stop_reason is not None and stop_reason not in self.FINISH_REASONS:
            extras["stop_reason"] = stop_reason
        if usage is not None and type(usage) is not dict:
            raise wrong_type((at, "usage"), "an object", usage)
        model = None
        if usage is not None:
            model = optional_text(usage, "model", (at, "usage"))
            if model is None:
                extras["usage"] = {"model": {"$whole": None} if "model" in usage else {"$absent": True}}
            usage = {key: value for key, value in usage.items() if key != "model"}
        reason = derive_finish_reason(
            next(iter(self.FINISH_REASONS)) if stop_reason is None else stop_reason, message, self.FINISH_REASONS
        )
        mark_calls_invalid(message, reason)
        state = read_states_of_other_providers(wire.get("provider_meta"), reader.wire.name)
        if state:
            del extras["provider_meta"]
        return Completion(
            message,
            reason,
            model=model,
            stop_reason=stop_reason,
            usage=None if usage is None else self.USAGE.read(usage, (at, "usage"), reader),
            metadata={**(reader.as_metadata(extras) or {}), **state} or None,
        )

    def read_response_messages(self, value: Any, at: Path, reader: Reader) -> AssistantMessage:
        """Read the messages of a response as one."""
        if type(value) is not list:
            raise wrong_type(at, "an array", value)
        messages = [self.read_response_message(item, (at, i), reader) for i, item in enumerate(value)]
        if len(messages) == 1 and isinstance(messages[0], AssistantMessage):
            return messages[0]
        return join_messages(messages, reader)

    def read_response_message(self, wire: Any, at: Path, reader: Reader) -> AssistantMessage | OpaquePart:
        """Read a message of a response. A message of another role becomes an opaque part."""
        if type(wire) is dict and wire.get("role") == "assistant":
            return self.read_assistant_message(wire, at, reader)
        return OpaquePart(reader.wire.name, wire, metadata=reader.as_metadata({"$as": "messages"}))

    def write_response(
        self, completion: Completion, identifier: str | None, created: int | None, writer: Writer
    ) -> dict[str, Any]:
        """Write the result of an invocation. The wire has neither its id nor its time."""
        state, metadata = split_states_of_other_providers(
            completion.metadata, writer, writer.peek_extras(completion.metadata)
        )
        extras = writer.own_extras(metadata, ROOT)
        if completion.id is not None:
            writer.report_unsupported((ROOT, "id"), "id")
        messages = self.write_response_messages(completion.message, (ROOT, "message"), writer, may_split=True)
        wire: dict[str, Any] = {"messages": messages}
        if completion.usage is not None:
            wire["usage"] = self.write_token_counts(completion, extras, writer)
        elif completion.model is not None:
            writer.report_unsupported((ROOT, "model"), "model")
        had_no_known_reason = "stop_reason" in extras or "stop_reason" in extras.get("$absent", ())
        if completion.stop_reason is not None or not had_no_known_reason:
            wire["stop_reason"] = provider_stop_reason(completion, self.FINISH_REASONS, extras, writer)
        if state:
            wire["provider_meta"] = state
        restore_extras(wire, extras)
        return wire

    def write_token_counts(self, completion: Completion, extras: Extras, writer: Writer) -> dict[str, Any]:
        """Write the usage of a response, and its model, which the wire requires."""
        usage, at = completion.usage or Usage(0, 0, 0), (ROOT, "usage")
        counts = self.USAGE.write(usage, at, writer)
        if completion.model is not None:
            return {"model": completion.model, **counts}
        original = extra_at(extras, "usage", "model")
        if original is ABSENT:
            writer.report_loss((ROOT, "model"), "model", "defaulted", "it is required, but was not given")
            return {"model": "", **counts}
        return counts if original == {"$absent": True} else {"model": None, **counts}

    def to_agent_event(self, event: AgentEvent) -> dict[str, Any]:
        """Convert an agent event to the wire. Fields without a value are left out.

        Args:
            event: The event.

        Returns:
            The JSON object of the wire.
        """
        return write_agent_event(event)

    def from_agent_event(self, wire: Any, *, on_loss: OnLoss | None = None) -> AgentEvent:
        """Convert an agent event from the wire. Unknown keys are left out and reported.

        Args:
            wire: The JSON object of the wire.
            on_loss: Called with each `Loss`. Without it, all losses except notes are issued as Python warnings.

        Returns:
            The event.

        Raises:
            ConversionError: The value is not an agent event, or a value has the wrong JSON type.
        """
        return read_agent_event(wire, Writer(self.wire, on_loss, "error"))
