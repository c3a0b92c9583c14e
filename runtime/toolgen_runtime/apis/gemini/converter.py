"""Converter for Gemini's generateContent: contents are lists of parts, with the system instruction beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ...conversion.extras import ABSENT, Extras, choice_extras, inner_extras, restore_extras, unmapped_members
from ...conversion.reader import Reader
from ...conversion.values import optional_text, read_list_or_null
from ...conversion.writer import Writer
from ...converter import ObjectReader, ObjectWriter
from ...errors import BareApiError, wrong_type
from ...models import (
    AssistantMessage,
    Completion,
    OpaquePart,
    OutputSchema,
    Reasoning,
    Request,
    TextPart,
    ToolChoice,
    ToolDefinition,
    Usage,
    UserMessage,
)
from ...native_tool_converter import OutputFormat
from ...paths import ROOT, Path, format_path
from ...request_tools import check_tool_names, write_tool_with_provider_settings
from ...responses import FinishReason, derive_finish_reason, mark_calls_invalid, provider_stop_reason
from ...unpaired_results import Placed
from .fields import (
    PARAMETERS_KEYS,
    choose_thinking_setting,
    mark_tool_group,
    modality_tokens,
    read_enum_value_any_case,
    read_media_content,
    read_result_id_by_name,
    read_schema,
    replace_modality_tokens,
    write_enum_value_any_case,
    write_media_content,
    write_result_id_by_name,
    write_schema,
    write_tool_groups,
)
from .messages import GeminiMessageConverter, Turn
from .parts import ENUM_NUMBER_PATHS, convert_enum_names_to_numbers, part_list

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


class GeminiConverter(GeminiMessageConverter):
    """Converts Gemini's requests and responses: contents are lists of parts, the system instruction is beside them."""

    read_enum_value_any_case = staticmethod(read_enum_value_any_case)
    write_enum_value_any_case = staticmethod(write_enum_value_any_case)
    read_media_content = staticmethod(read_media_content)
    write_media_content = staticmethod(write_media_content)
    read_result_id_by_name = staticmethod(read_result_id_by_name)
    write_result_id_by_name = staticmethod(write_result_id_by_name)

    RESPONSE_KEYS = frozenset(["candidates", "modelVersion", "promptFeedback", "responseId", "usageMetadata"])
    read_assistant_message: ObjectReader[AssistantMessage]
    read_thinking: ObjectReader[Reasoning]
    write_assistant_message: ObjectWriter[AssistantMessage]
    write_thinking: ObjectWriter[Reasoning]

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

    def read_tool_choice(self, value: Any, at: Path, reader: Reader) -> ToolChoice | None:
        """Read the tool choice. The setting for streamed arguments is not part of it."""
        if type(value) is dict and _PIECES in value:
            value = {key: member for key, member in value.items() if key != _PIECES}
        return super().read_tool_choice(value, at, reader)

    def read_request(self, wire: dict[str, Any], at: Path, reader: Reader) -> Request:
        """Read a request body."""
        return self.read_request_body(wire, at, reader)

    def write_request(self, request: Request, at: Path, writer: Writer) -> dict[str, Any]:
        """Write a request body. Enum values that were read as numbers are written as numbers."""
        writer.model = request.model
        return convert_enum_names_to_numbers(self.write_request_body(request, at, writer), self.KEY_NORMALIZATION)

    def read_tools(self, value: Any, at: Path, reader: Reader) -> tuple[list[ToolDefinition | OpaquePart] | None, Any]:
        """Read the offered tools: declarations one by one, other tools as opaque parts. A single tool needs no list."""
        if value is None or value is ABSENT:
            return None, ABSENT
        found: list[ToolDefinition | OpaquePart] = []
        for i, tool in enumerate(part_list(value, at)):
            declared = tool.get("functionDeclarations") if type(tool) is dict else None
            if not declared:
                found.append(OpaquePart(reader.wire.name, tool))
                continue
            here = ((at, i), "functionDeclarations")
            entries = read_list_or_null(declared, here, reader, self.read_function_declaration) or []
            mark_tool_group(entries, found, unmapped_members(tool, _DECLARATIONS), reader)
            found += entries
        return found, {"$around": None} if type(value) is dict else ABSENT

    def has_choosable_tools(self, tools: Sequence[Any] | None) -> bool:
        """Return whether a request offers functions, which the tool choice is about."""
        return any(type(tool) is ToolDefinition and tool.name not in self.wire.refused for tool in tools or ())

    def read_function_declaration(self, wire: Any, at: Path, reader: Reader) -> ToolDefinition:
        """Read a function declaration."""
        if type(wire) is not dict:
            raise wrong_type(at, "an object", wire)
        return self.read_tool(wire, at, reader)

    def write_tools(self, definitions: Sequence[Any] | None, extra: Any, at: Path, writer: Writer) -> Any:
        """Write the offered tools: all declarations in one tool, unless they were read from several."""
        if definitions is None:
            return ABSENT
        written = write_tool_groups(definitions, at, writer, "functionDeclarations", self.write_tool_definition)
        return written[0] if type(extra) is dict and len(written) == 1 else written

    def write_tool_definition(self, definition: Any, at: Path, writer: Writer) -> Any:
        """Write a tool as its declaration defines it for this provider."""
        return write_tool_with_provider_settings(definition, at, writer, self.write_tool)

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
        """Write the output format. Text is the default."""
        if output_format is None or output_format == "text":
            return {}
        if output_format == "json":
            return dict(_JSON)
        writer.own_extras(output_format.metadata, at)
        if output_format.name is not None:
            writer.report_unsupported((at, "name"), "name")
        if output_format.strict is not None:
            writer.report_unsupported((at, "strict"), "strict")
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
            message, stop_reason, extras["candidates"] = self.read_candidates(candidates, (at, "candidates"), reader)
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

    def read_candidates(
        self, candidates: list[Any], at: Path, reader: Reader
    ) -> tuple[AssistantMessage, str | None, list[Any]]:
        """Read the first candidate: its message and stop reason, with the extras of all candidates."""
        first = candidates[0]
        if type(first) is not dict:
            raise wrong_type((at, 0), "an object", first)
        content = first.get("content")
        if content is not None and type(content) is not dict:
            raise wrong_type(((at, 0), "content"), "an object", content)
        message = self.read_assistant_message(content or {}, ((at, 0), "content"), reader)
        extras = unmapped_members(first, _CANDIDATE)
        stop_reason = optional_text(first, "finishReason", (at, 0)) or None
        if stop_reason is None and first.get("finishReason") == "":
            extras["finishReason"] = ""
        if stop_reason is None or not content or content.get("role") is None:
            there = (("finishReason", first), ("content", first), ("role", content or {}))
            absent = [key for key, holder in there if holder.get(key) is None]
            if absent:
                extras["$absent"] = absent
        if content and content.get("role") not in (None, "model"):
            extras["content"] = {"role": content["role"]}
        return message, stop_reason, [extras, *candidates[1:]]

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
            wire["responseId"] = completion.id if completion.id is not None else identifier
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


def _is_blank(part: Any) -> bool:
    return type(part) is dict and part.get("text") == "" and part.keys() <= {"text", "thought"}


def _empty_text_paths(placed: Iterable[Placed], writer: Writer) -> Iterator[Path]:
    """Yield the paths of empty texts in messages, in the order in which they are written."""
    for message, here, _ in placed:
        content = message.content if isinstance(message, AssistantMessage | UserMessage) else None
        for i, part in enumerate(content if type(content) is list else ()):
            if type(part) is TextPart and not part.text and not writer.peek_extras(part.metadata):
                yield ((here, "content"), i)


_PIECES = "streamFunctionCallArguments"


class VertexConverter(GeminiConverter):
    """Converts requests and responses of Vertex AI: Gemini with streamed arguments, but without empty texts."""

    def can_choose(self, choice: ToolChoice | None, tools: Sequence[Any] | None) -> bool:
        """Return true: unlike the Gemini API, this one accepts a tool choice without declarations."""
        return True

    def sendable_turns(self, turns: Iterable[Turn], placed: list[Placed], writer: Writer) -> Iterable[Turn]:
        """Yield the contents without empty texts, which this API rejects."""
        paths = _empty_text_paths(placed, writer)
        for content, origin in turns:
            parts = content.get("parts") if type(content) is dict else None
            if type(parts) is not list or not any(map(_is_blank, parts)):
                yield content, origin
                continue
            left = [part for part in parts if not _is_blank(part)]
            for _ in range(len(parts) - len(left)):
                writer.report_loss(next(paths, ROOT), "an empty text", "dropped", "the API rejects empty text")
            if left:
                yield {**content, "parts": left}, origin

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
