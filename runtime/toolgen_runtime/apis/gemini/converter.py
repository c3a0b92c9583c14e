"""Converters for the generateContent of Gemini and Vertex AI."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any, ClassVar, NamedTuple, TypeAlias

from ...conversion.converter import (
    NativeToolSdkConverter,
    ObjectReader,
    ObjectWriter,
    OutputFormat,
    ValueReader,
    ValueWriter,
)
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
from ...conversion.message_order import Placed, order_restoring_separate_results, results_of
from ...conversion.reader import Reader
from ...conversion.request_tools import check_tool_names, write_tool_with_provider_settings
from ...conversion.responses import (
    FinishReason,
    UsageTable,
    derive_finish_reason,
    mark_calls_invalid,
    provider_stop_reason,
)
from ...conversion.tool_results import ResultKind, describe_result
from ...conversion.values import (
    opaque_message,
    optional_object,
    optional_text,
    read_list_or_null,
    wire_message_of,
    write_list,
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
    OutputSchema,
    Reasoning,
    ReasoningPart,
    RefusalPart,
    Request,
    SystemMessage,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolChoice,
    ToolDefinition,
    ToolMessage,
    ToolResult,
    Usage,
    UserMessage,
)
from ...paths import ROOT, Path, format_path
from ..result_objects import read_result_object, write_result_object
from .content import (
    add_placeholder_signature,
    order_results_by_calls,
    part_list,
    read_parts,
    read_result_text_beside_media,
    write_multimodal_result,
    write_parts_of,
)
from .fields import (
    PARAMETERS_KEYS,
    choose_thinking_setting,
    mark_tool_group,
    modality_tokens,
    read_enum_value_any_case,
    read_media_content,
    read_result_id_by_name,
    read_schema,
    read_whole_number,
    replace_modality_tokens,
    write_enum_value_any_case,
    write_media_content,
    write_result_id_by_name,
    write_schema,
    write_tool_groups,
    write_whole_number,
)
from .keys import ENUM_NUMBER_PATHS, KeyNormalization, convert_enum_names_to_numbers, normalize_keys

__all__ = ["GeminiConverter", "VertexConverter"]

_DECLARATIONS = frozenset(["functionDeclarations"])
_RESULT = ("responseJsonSchema", "response")
_FORMAT = ("responseMimeType", "responseJsonSchema", "responseSchema")
_SCHEMA_KEYS = ("responseJsonSchema", "responseSchema")
_JSON = {"responseMimeType": "application/json"}
_TEXT = {"responseMimeType": "text/plain"}
_CLIENTS = ("automaticFunctionCallingHistory", "parsed", "sdkHttpResponse")
_RESPONSE = frozenset(["candidates", "modelVersion", "responseId", "usageMetadata", *_CLIENTS])
_CANDIDATE = frozenset(["content", "finishReason"])
_PIECES = "streamFunctionCallArguments"
_CONTENT = frozenset(["parts", "role"])

_Turn: TypeAlias = "tuple[Any, tuple[Path, bool] | None]"
"""A content; and of a message of the model, its path and whether it must stay a content of its own."""


class _Candidate(NamedTuple):
    """A candidate of a response. `extras` are those of the candidate; its message has its own."""

    message: AssistantMessage
    stop_reason: str | None
    extras: Extras


class GeminiConverter(NativeToolSdkConverter):
    """Converts Gemini's requests and responses: contents are lists of parts, the system instruction is beside them."""

    RESPONSE_KEYS = frozenset(["candidates", "modelVersion", "promptFeedback", "responseId", "usageMetadata"])
    USER_ROLES: ClassVar[Collection[str]]
    """The roles of contents from the user or the app."""
    KEY_NORMALIZATION: ClassVar[KeyNormalization]
    """The keys and values that have several forms."""
    USAGE: ClassVar[UsageTable]
    """Where the API has counts of tokens."""

    read_enum_value_any_case = staticmethod(read_enum_value_any_case)
    write_enum_value_any_case = staticmethod(write_enum_value_any_case)
    read_whole_number = staticmethod(read_whole_number)
    write_whole_number = staticmethod(write_whole_number)
    read_media_content = staticmethod(read_media_content)
    write_media_content = staticmethod(write_media_content)
    read_result_id_by_name = staticmethod(read_result_id_by_name)
    write_result_id_by_name = staticmethod(write_result_id_by_name)

    read_assistant_content: ValueReader[AssistantPart]
    read_assistant_message: ObjectReader[AssistantMessage]
    read_request_body: ObjectReader[Request]
    read_result_part: ValueReader[ContentPart]
    read_system_message: ObjectReader[SystemMessage]
    read_thinking: ObjectReader[Reasoning]
    read_tool: ObjectReader[ToolDefinition]
    read_tool_call: ObjectReader[ToolCall]
    read_tool_result: ObjectReader[ToolResult]
    read_user_content: ValueReader[ContentPart]
    read_user_message: ObjectReader[UserMessage]
    sdk_call: Callable[..., dict[str, Any]]
    write_assistant_content: ValueWriter[Any]
    write_assistant_message: ObjectWriter[AssistantMessage]
    write_request_body: ObjectWriter[Request]
    write_result_part: ValueWriter[Any]
    write_system_message: ObjectWriter[SystemMessage]
    write_thinking: ObjectWriter[Reasoning]
    write_tool: ObjectWriter[ToolDefinition]
    write_tool_call: ObjectWriter[ToolCall]
    write_tool_result: ObjectWriter[ToolResult]
    write_user_content: ValueWriter[Any]
    write_user_message: ObjectWriter[UserMessage]

    def normalize_body(self, wire: Any) -> Any:
        """Normalize the keys of a body."""
        return normalize_keys(wire, self.KEY_NORMALIZATION)

    def collect_tool_entries(self, payload: Any) -> list[Any]:
        """Return the declarations of single functions, which are all in one tool."""
        return [entry for tool in payload for entry in tool["functionDeclarations"]]

    def tools(self, names: Sequence[str]) -> list[dict[str, Any]]:
        """Select some declared tools, in the given order.

        Args:
            names: The names of the tools, in the desired order.

        Returns:
            The value of `tools` in a request. The entries are shared.

        Raises:
            KeyError: A name is not that of a declared tool.
            TypeError: A name is not a string.
        """
        try:
            return [{"functionDeclarations": list(map(self.fixed_entry_of, names))}] if names else []
        except (KeyError, TypeError):
            check_tool_names(names, self.entries, self.wire.title)
            raise

    def write_sdk_kwargs(self, request: Request, writer: Writer) -> dict[str, Any]:
        """Write the keyword arguments for the official client."""
        body = self.normalize_body(self.write_checked_request(request, writer))
        body.pop(ENUM_NUMBER_PATHS, None)
        return self.sdk_call(request.model, body, self.SDK_KEYWORDS)

    def read_request(self, wire: dict[str, Any], at: Path, reader: Reader) -> Request:
        """Read a request body."""
        return self.read_request_body(wire, at, reader)

    def write_request(self, request: Request, at: Path, writer: Writer) -> dict[str, Any]:
        """Write a request body. Enum values that were read as numbers are written as numbers."""
        return convert_enum_names_to_numbers(self.write_request_body(request, at, writer), self.KEY_NORMALIZATION)

    def read_contents(self, wire: dict[str, Any], at: Path, reader: Reader) -> tuple[list[Message], Extras]:
        """Read the messages, with the system instruction before all others."""
        messages = self.read_messages(wire.get("contents"), (at, "contents"), reader)
        instruction = wire.get("systemInstruction")
        if instruction is None:
            return messages, {}
        if type(instruction) is not dict:
            raise wrong_type((at, "systemInstruction"), "an object", instruction)
        return [self.read_system_message(instruction, (at, "systemInstruction"), reader), *messages], {}

    def write_contents(self, messages: Sequence[Message], extras: Extras, at: Path, writer: Writer) -> dict[str, Any]:
        """Write the messages, with the system instruction under its own key."""
        placed = order_restoring_separate_results(messages, at, writer)
        contents = self.add_first_user_turn(self.write_turns(placed, writer), placed, writer)
        wire: dict[str, Any] = {"contents": contents}
        system = [(message, path) for message, path, _ in placed if type(message) is SystemMessage]
        instruction = self.write_instruction(system, messages, writer)
        if instruction is not None:
            wire["systemInstruction"] = instruction
        return wire

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
            before = messages[-1] if messages else None
            if role == "model":
                message = self.read_assistant_message(content, here, reader)
                if type(before) is AssistantMessage or (before is None and _has_calls(content.get("parts"))):
                    merge_extras_into(message, reader.wire.name, {"$apart": True})
                if not content.get("parts"):
                    reader.mark_sent(message)
                for part in message.content if type(message.content) is list else ():
                    if _has_no_data(part, reader.wire.name):
                        reader.mark_sent(part)
                messages.append(message)
                reader.next_turn()
            elif role in self.USER_ROLES:
                messages += self.read_user_turn({**content, "role": role}, here, reader, before)
            else:
                messages.append(opaque_message(content, reader))
        return messages

    def read_user_turn(self, wire: dict[str, Any], at: Path, reader: Reader, before: Message | None) -> list[Message]:
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
        if type(before) is ToolMessage:
            extras["$apart"] = True
        tool_results = [self.read_tool_result(parts[i], ((at, "parts"), i), reader) for i in results]
        messages: list[Message] = [ToolMessage(tool_results, reader.as_metadata(extras))]
        beside = [i for i in range(len(parts)) if i not in results]
        if beside:
            content = read_list_or_null([parts[i] for i in beside], (at, "parts"), reader, self.read_user_content)
            messages.append(UserMessage(content or [], metadata=reader.as_metadata({"$beside": beside})))
        return messages

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
        turns: list[_Turn] = []
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
                follows_results = bool(turns) and type(before) is ToolMessage and bool(before.results)
                results = turns[-1][0].get("parts") if follows_results else None
                wire = self.write_user_turn(message, here, results, writer)
                if wire is not ABSENT:
                    turns.append((wire, None))
            elif type(message) is SystemMessage:
                continue
            else:
                raise wrong_type(here, "a message", message)
            before = message
        turns = _join_calls(self.sendable_turns(turns, placed, writer), writer)
        if signature := self.signature_placeholder(writer):
            _add_signatures(turns, signature, writer)
        return [content for content, _ in turns]

    def sendable_turns(self, turns: Iterable[_Turn], placed: list[Placed], writer: Writer) -> Iterable[_Turn]:
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

    def signature_placeholder(self, writer: Writer) -> str | None:
        """Return the placeholder signature of a call from another provider, or None if the model needs none."""
        text: str | None = self.DEFAULTS.get("thoughtSignature")
        return text if writer.model_facts.signed_calls else None

    def write_instruction(
        self, placed: list[tuple[SystemMessage, Path]], messages: Sequence[Message], writer: Writer
    ) -> dict[str, Any] | None:
        """Write the system messages as one instruction."""
        wires = [self.write_system_message(message, path, writer) for message, path in placed]
        for i, (_, path) in enumerate(placed):
            if i > 0 or messages[0] is not placed[0][0]:
                reason = "the API accepts one instruction before all messages"
                writer.report_loss(path, "a system message", "moved", reason)
        if len(placed) > 1:
            writer.report_loss(placed[0][1], "a system message", "rewritten", "it was joined with the first one")
        sendable: list[dict[str, Any]] = []
        for (message, path), wire in zip(placed, wires, strict=True):
            if "parts" in wire or writer.can_read(message.metadata):
                sendable.append(wire)
            else:
                writer.report_loss(path, "a system message", "dropped", "it has no text")
        if not sendable:
            return None
        if not any("parts" in wire for wire in sendable):
            return sendable[0]
        return {**sendable[0], "parts": [part for wire in sendable for part in wire.get("parts") or ()]}

    def write_user_turn(self, message: UserMessage, at: Path, results: list[Any] | None, writer: Writer) -> Any:
        """Write a user message. ABSENT if it has no parts, or if they were inserted into `results`, where they were read.

        `results` are the parts of the content before it, if that is one with results.
        """
        original = wire_message_of(message, writer) if message.metadata else ABSENT
        if original is not ABSENT:
            return original
        wire = self.write_user_message(message, at, writer)
        parts = wire.get("parts") or []
        extras = writer.peek_extras(message.metadata)
        if type(results) is list and _insert_beside(extras.get("$beside"), parts, results):
            return ABSENT
        if parts or "parts" in extras:
            return wire
        writer.report_loss(at, "a message", "dropped", "the API supports none of its parts")
        return ABSENT

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

    def write_assistant_parts(
        self, content: str | list[AssistantPart] | None, extra: Any, at: Path, writer: Writer
    ) -> Any:
        """Write the content of an assistant message."""
        return write_parts_of(content, extra, at, writer, self.write_assistant_part)

    def read_assistant_part(self, wire: Any, at: Path, reader: Reader) -> AssistantPart:
        """Read a part of an assistant message."""
        if type(wire) is dict and type(wire.get("functionCall")) is dict:
            call = self.read_tool_call(wire, at, reader)
            reader.note_call(wire["functionCall"].get("id"), call)
            return ToolCallPart(call)
        return self.read_assistant_content(wire, at, reader)

    def write_assistant_part(self, part: AssistantPart, at: Path, writer: Writer) -> Any:
        """Write a part of an assistant message. A refusal becomes text; reasoning without text needs extras in a request."""
        if type(part) is ToolCallPart:
            writer.own_extras(part.metadata, at)
            return self.write_tool_call(part.call, (at, "call"), writer)
        if type(part) is RefusalPart:
            writer.own_extras(part.metadata, at)
            writer.report_loss(at, "refusal", "rewritten", "the API accepts only text")
            return {"text": part.text}
        if _has_no_data(part, writer.wire.name) and not writer.is_response and not writer.was_sent(part):
            writer.report_loss(at, "an empty part", "dropped", "the API rejects it")
            return ABSENT
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
        """Read the result of a call. Without a response, it is an empty object."""
        response = wire.get("response")
        if response is None:
            response = {}
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

    def read_tools(self, value: Any, at: Path, reader: Reader) -> tuple[list[ToolDefinition | OpaquePart] | None, Any]:
        """Read the offered tools: declarations one by one, other tools as opaque parts. A single tool needs no list."""
        if value is None or value is ABSENT:
            return None, ABSENT
        definitions: list[ToolDefinition | OpaquePart] = []
        for i, tool in enumerate(part_list(value, at)):
            declarations = tool.get("functionDeclarations") if type(tool) is dict else None
            if not declarations:
                definitions.append(OpaquePart(reader.wire.name, tool))
                continue
            here = ((at, i), "functionDeclarations")
            entries = read_list_or_null(declarations, here, reader, self.read_function_declaration) or []
            mark_tool_group(entries, definitions, unmapped_members(tool, _DECLARATIONS), reader)
            definitions += entries
        return definitions, {"$around": None} if type(value) is dict else ABSENT

    def write_tools(self, definitions: Sequence[Any] | None, extra: Any, at: Path, writer: Writer) -> Any:
        """Write the offered tools: all declarations in one tool, unless they were read from several."""
        if definitions is None:
            return ABSENT
        written = write_tool_groups(definitions, at, writer, "functionDeclarations", self.write_tool_definition)
        return written[0] if type(extra) is dict and len(written) == 1 else written

    def read_function_declaration(self, wire: Any, at: Path, reader: Reader) -> ToolDefinition:
        """Read a function declaration."""
        if type(wire) is not dict:
            raise wrong_type(at, "an object", wire)
        return self.read_tool(wire, at, reader)

    def write_tool_definition(self, definition: Any, at: Path, writer: Writer) -> Any:
        """Write a tool as its declaration defines it for this provider."""
        return write_tool_with_provider_settings(definition, at, writer, self.write_tool)

    def read_parameters(self, wire: dict[str, Any], at: Path, reader: Reader) -> Any:
        """Read the schema of a tool's arguments."""
        return read_schema(wire, PARAMETERS_KEYS, at, reader)

    def write_parameters(self, schema: Any, at: Path, writer: Writer) -> dict[str, Any]:
        """Write the schema of a tool's arguments."""
        return write_schema(schema, PARAMETERS_KEYS, at, writer)

    def read_result_schema(self, wire: dict[str, Any], at: Path, reader: Reader) -> Any:
        """Read the schema of a tool's result."""
        return read_schema(wire, _RESULT, at, reader)

    def write_result_schema(self, schema: Any, at: Path, writer: Writer) -> dict[str, Any]:
        """Write the schema of a tool's result."""
        return write_schema(schema, _RESULT, at, writer)

    def has_choosable_tools(self, tools: Sequence[Any] | None) -> bool:
        """Return whether a request offers functions, which the tool choice is about."""
        return any(type(tool) is ToolDefinition and tool.name not in self.wire.refused for tool in tools or ())

    def read_tool_choice(self, value: Any, at: Path, reader: Reader) -> ToolChoice | None:
        """Read the tool choice. The setting for streamed arguments is not part of it. Without a mode there is none.

        Without names, the mode that validates calls leaves the choice to the model, as `AUTO` does.
        """
        if type(value) is dict:
            value = {key: member for key, member in value.items() if key != _PIECES}
            if value in ({}, {"mode": "MODE_UNSPECIFIED"}, {"mode": None}):
                return None
            if value.get("mode") == "VALIDATED" and not value.get("allowedFunctionNames"):
                return "auto"
        return super().read_tool_choice(value, at, reader)

    def read_output_format(self, value: dict[str, Any], at: Path, reader: Reader) -> OutputFormat:
        """Read the output format. None for any other values."""
        members = {key: value[key] for key in _FORMAT if value.get(key) is not None}
        if members == _TEXT:
            return "text"
        if members == _JSON:
            return "json"
        if members.get("responseMimeType") != _JSON["responseMimeType"] or len(members) > 2:
            return None
        return OutputSchema(read_schema(members, _SCHEMA_KEYS, at, reader))

    def write_output_format(self, output_format: OutputFormat, at: Path, writer: Writer) -> dict[str, Any]:
        """Write the output format. Text is the default. The name is a label, and the API always enforces the schema."""
        if output_format is None or output_format == "text":
            return {}
        if output_format == "json":
            return dict(_JSON)
        writer.own_extras(output_format.metadata, at)
        return {**_JSON, **write_schema(output_format.schema, _SCHEMA_KEYS, (at, "schema"), writer)}

    def read_thinking_config(self, value: Any, at: Path, reader: Reader) -> Reasoning | None:
        """Read the reasoning settings. None if the number of tokens is left to the model."""
        if value is None or value is ABSENT:
            return None
        if type(value) is not dict:
            raise wrong_type(at, "an object", value)
        budget = value.get("thinkingBudget")
        return None if type(budget) is int and budget < 0 else self.read_thinking(value, at, reader)

    def write_thinking_config(self, reasoning: Reasoning | None, at: Path, writer: Writer) -> Any:
        """Write the reasoning settings."""
        if reasoning is None:
            return ABSENT
        if reasoning.effort == "none":
            return {"thinkingBudget": 0}
        return self.write_thinking(choose_thinking_setting(reasoning, at, writer), at, writer)

    def read_response(self, wire: dict[str, Any], at: Path, reader: Reader) -> Completion:
        """Read a response. Its first candidate becomes the message; others are extras. A blocked prompt has none."""
        candidates = wire.get("candidates")
        if wire.get("error") and candidates is None:
            raise BareApiError(format_path(at), wire)
        if candidates is not None and type(candidates) is not list:
            raise wrong_type((at, "candidates"), "an array", candidates)
        usage = wire.get("usageMetadata")
        if usage is not None and type(usage) is not dict:
            raise wrong_type((at, "usageMetadata"), "an object", usage)
        extras = unmapped_members(wire, _RESPONSE)
        reason: FinishReason
        if candidates:
            candidate = self.read_candidate(candidates[0], ((at, "candidates"), 0), reader)
            message, stop_reason = candidate.message, candidate.stop_reason
            extras["candidates"] = [candidate.extras, *candidates[1:]]
            reason = "error" if wire.get("error") else derive_finish_reason(stop_reason, message, self.FINISH_REASONS)
        else:
            if candidates is not None:
                extras["candidates"] = candidates
            elif "candidates" not in wire:
                extras["$absent"] = ["candidates"]
            message = AssistantMessage()
            stop_reason = optional_text(inner_extras(wire, "promptFeedback"), "blockReason", (at, "promptFeedback"))
            reason = "content_filter" if stop_reason else "error"
        mark_calls_invalid(message, reason)
        return Completion(
            message,
            reason,
            optional_text(wire, "responseId", at),
            optional_text(wire, "modelVersion", at),
            stop_reason,
            None if usage is None else self.read_token_usage(usage, (at, "usageMetadata"), reader),
            reader.as_metadata(extras),
        )

    def read_candidate(self, wire: Any, at: Path, reader: Reader) -> _Candidate:
        """Read the candidate that becomes the message of a response."""
        if type(wire) is not dict:
            raise wrong_type(at, "an object", wire)
        content = optional_object(wire, "content", at)
        message = self.read_assistant_message(content, (at, "content"), reader)
        extras = unmapped_members(wire, _CANDIDATE)
        stop_reason = optional_text(wire, "finishReason", at) or None
        if wire.get("finishReason") == "":
            extras["finishReason"] = ""
        holders = (("finishReason", wire), ("content", wire), ("role", content))
        absent = [key for key, holder in holders if holder.get(key) is None]
        if absent:
            extras["$absent"] = absent
        if content.get("role") not in (None, "model"):
            extras["content"] = {"role": content["role"]}
        return _Candidate(message, stop_reason, extras)

    def write_response(
        self, completion: Completion, identifier: str | None, created: int | None, writer: Writer
    ) -> dict[str, Any]:
        """Write a response with one candidate, and the candidates in the extras."""
        extras = writer.own_extras(completion.metadata, ROOT)
        wire: dict[str, Any] = {}
        content = self.write_assistant_message(completion.message, (ROOT, "message"), writer)
        blocked = "candidates" in extras.get("$absent", ()) or extras.get("candidates", ABSENT) in (None, [])
        if content.get("parts") or not blocked:
            first, further = choice_extras(extras, "candidates")
            wire["candidates"] = [self.write_candidate(completion, content, first, extras, writer), *further]
        if completion.usage is not None:
            wire["usageMetadata"] = self.write_token_usage(completion.usage, (ROOT, "usage"), writer)
        if completion.model is not None:
            wire["modelVersion"] = completion.model
        if completion.id is not None or identifier is not None:
            wire["responseId"] = identifier if completion.id is None else completion.id
        restore_extras(wire, extras)
        return convert_enum_names_to_numbers(wire, self.KEY_NORMALIZATION)

    def write_candidate(
        self, completion: Completion, content: dict[str, Any], extras: Extras, response_extras: Extras, writer: Writer
    ) -> dict[str, Any]:
        """Write the first candidate. `response_extras` has the extras of the response."""
        absent = extras.get("$absent", ())
        if "role" in absent:
            del content["role"]
        else:
            content["role"] = inner_extras(extras, "content").get("role", content["role"])
        wire: dict[str, Any] = {}
        if content or "content" not in absent:
            wire["content"] = content
        if completion.stop_reason is not None or ("finishReason" not in absent and "finishReason" not in extras):
            wire["finishReason"] = provider_stop_reason(completion, self.FINISH_REASONS, response_extras, writer)
        restore_extras(wire, extras)
        return wire

    def read_token_usage(self, wire: dict[str, Any], at: Path, reader: Reader) -> Usage:
        """Read the usage of a response."""
        usage = self.USAGE.read(wire, at, reader)
        usage.input_image_tokens = modality_tokens(wire.get("promptTokensDetails"), "IMAGE")
        return usage

    def write_token_usage(self, usage: Usage, at: Path, writer: Writer) -> dict[str, Any]:
        """Write the usage of a response."""
        wire = self.USAGE.write(usage, at, writer)
        details = replace_modality_tokens(wire.get("promptTokensDetails"), "IMAGE", usage.input_image_tokens)
        if details is not None:
            wire["promptTokensDetails"] = details
        return wire


class VertexConverter(GeminiConverter):
    """Converts requests and responses of Vertex AI: Gemini with streamed arguments, but without empty texts."""

    CHOOSES_WITHOUT_TOOLS = True

    def sendable_turns(self, turns: Iterable[_Turn], placed: list[Placed], writer: Writer) -> Iterable[_Turn]:
        """Yield the contents without empty texts, which this API rejects."""
        paths = _empty_text_paths(placed, writer)
        for content, origin in turns:
            parts = content.get("parts") if type(content) is dict else None
            if type(parts) is not list or not any(map(_is_blank, parts)):
                yield content, origin
                continue
            sendable = [part for part in parts if not _is_blank(part)]
            for _ in range(len(parts) - len(sendable)):
                writer.report_loss(next(paths, ROOT), "an empty text", "dropped", "the API rejects empty text")
            if sendable:
                yield {**content, "parts": sendable}, origin

    def write_request(self, request: Request, at: Path, writer: Writer) -> dict[str, Any]:
        """Write a request body. The setting for streamed arguments stays whatever the tool choice is."""
        wire = super().write_request(request, at, writer)
        config = inner_extras(inner_extras(writer.peek_extras(request.metadata), "toolConfig"), "functionCallingConfig")
        if _PIECES not in config:
            return wire
        is_refused = request.stream is False and config[_PIECES] is True
        if is_refused:
            reason = "only the streaming method supports the request for them"
            writer.report_loss((at, "toolChoice"), "partial arguments", "rewritten", reason)
        tool_config = inner_extras(wire, "toolConfig")
        written = {
            **inner_extras(tool_config, "functionCallingConfig"),
            _PIECES: False if is_refused else config[_PIECES],
        }
        wire["toolConfig"] = {**tool_config, "functionCallingConfig": written}
        return wire


def _has_no_data(part: AssistantPart, provider: str) -> bool:
    """Return whether a part of this provider has no value of any kind, and only says whether it would be a thought."""
    if type(part) is not OpaquePart or part.provider != provider or type(part.value) is not dict:
        return False
    return all(value is None or key == "thought" for key, value in part.value.items())


def _join_calls(turns: Iterable[_Turn], writer: Writer) -> list[_Turn]:
    """Join calls with the model contents directly before them, unless they were read separately."""
    joined: list[_Turn] = []
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


def _add_signatures(turns: list[_Turn], signature: str, writer: Writer) -> None:
    """Add the placeholder signature to the calls after the last content of the user, whose signatures are checked."""
    current: list[tuple[Any, Path]] = []
    for content, origin in turns:
        if origin is not None:
            current.append((content, origin[0]))
        elif type(content) is not dict or not all(map(_is_result, content.get("parts") or ())):
            current = []
    for content, here in current:
        add_placeholder_signature(content, signature, here, writer)


def _insert_beside(positions: Any, parts: Sequence[Any], results: list[Any]) -> bool:
    """Insert parts at their original positions among results. Return false if they do not fit there."""
    if type(positions) is not list or len(positions) != len(parts):
        return False
    size = len(results) + len(parts)
    if not all(type(position) is int and 0 <= position < size for position in positions):
        return False
    for position, part in zip(positions, parts, strict=True):
        results.insert(position, part)
    return True


def _is_result(part: Any) -> bool:
    return type(part) is dict and "functionResponse" in part


def _has_calls(parts: Any) -> bool:
    """Return whether there are calls among the parts of a content."""
    return any(type(part) is dict and "functionCall" in part for part in parts or ())


def _is_blank(part: Any) -> bool:
    return type(part) is dict and part.get("text") == "" and part.keys() <= {"text", "thought"}


def _empty_text_paths(placed: Iterable[Placed], writer: Writer) -> Iterator[Path]:
    """Yield the paths of empty texts in messages, in the order in which they are written."""
    for message, here, _ in placed:
        content = message.content if isinstance(message, AssistantMessage | UserMessage) else None
        for i, part in enumerate(content if type(content) is list else ()):
            if type(part) is TextPart and not part.text and not writer.peek_extras(part.metadata):
                yield ((here, "content"), i)
