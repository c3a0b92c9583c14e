"""Field readers and writers that only Cohere needs, and the plan beside the content of a message."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ...conversion.extras import ABSENT, Extras, inner_extras, is_internal_mark
from ...conversion.fields import read_output_schema, read_tool_schema, write_output_schema, write_schema_or_empty
from ...conversion.message_order import Placed
from ...conversion.reader import Reader
from ...conversion.writer import Writer
from ...errors import wrong_type
from ...json_text import dump_strict_or_none, loads
from ...json_values import same_json
from ...models import (
    AllowedToolChoice,
    AssistantPart,
    NamedToolChoice,
    OpaquePart,
    Reasoning,
    ReasoningPart,
    RefusalPart,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolChoice,
)
from ...paths import Path

__all__ = [
    "append_content",
    "chat_kwargs",
    "is_blank",
    "move_system_messages_first",
    "read_collectively_strict_schema",
    "read_output_schema_with_required",
    "read_result_documents",
    "read_thinking_settings",
    "restore_result_documents",
    "says_nothing",
    "select_tools_by_choice",
    "to_supported_part",
    "tool_plan_part_index",
    "write_collectively_strict_schema",
    "write_output_schema_with_required",
    "write_thinking_settings",
]


def read_collectively_strict_schema(
    value: Any, at: Path, reader: Reader, strict: bool | None = None
) -> tuple[dict[str, Any] | None, Any]:
    """Read the schema. It is also the extra if the strict dialect would change it: a later key makes all tools strict.

    Raises:
        ConversionError: The value is neither an object nor null.
    """
    schema = read_tool_schema(value, at, reader)
    if schema is None:
        return None, ABSENT
    lowered = reader.wire.schema_lowering.lower(schema, True)
    is_unchanged = same_json(lowered.schema, schema) and not lowered.unsupported_changes
    return schema, ABSENT if is_unchanged else {"$whole": schema}


def write_collectively_strict_schema(
    parameters: dict[str, Any] | None, extra: Any, at: Path, writer: Writer, strict: bool | None
) -> Any:
    """Write the schema of a tool, as it was read, or in the wire's dialect."""
    if parameters is not None and is_internal_mark(extra) and same_json(extra.get("$whole"), parameters):
        return parameters
    return write_schema_or_empty(parameters, at, writer, strict)


def write_output_schema_with_required(schema: dict[str, Any], at: Path, writer: Writer) -> Any:
    """Write an output schema in which each object requires a property, which the API demands. The first one is added."""
    written = write_output_schema(schema, at, writer)
    accepted = _require_a_property(written)
    if accepted is not written:
        reason = "each object must require a property, so the first one of those that require none is required"
        writer.report_loss(at, "required", "narrowed", reason)
    return accepted


def _require_a_property(value: Any) -> Any:
    """Return a schema in which each object with properties requires one of them: itself, if that is so already."""
    if type(value) is not dict:
        return value
    copy = dict(value)
    for key in ("properties", "$defs"):
        if type(value.get(key)) is dict:
            copy[key] = {name: _require_a_property(inner) for name, inner in value[key].items()}
    for key in ("items", "additionalProperties"):
        if key in value:
            copy[key] = _require_a_property(value[key])
    if type(value.get("anyOf")) is list:
        copy["anyOf"] = [_require_a_property(branch) for branch in value["anyOf"]]
    if copy.get("properties") and not copy.get("required"):
        copy["required"] = [next(iter(copy["properties"]))]
    return value if copy == value else copy


def read_thinking_settings(value: Any, at: Path, reader: Reader) -> Reasoning | None:
    """Read the reasoning settings. None for those without effort and budget.

    Raises:
        ConversionError: The value is neither an object nor null, or the budget is not an integer.
    """
    if value is None or value is ABSENT:
        return None
    if type(value) is not dict:
        raise wrong_type(at, "an object", value)
    budget = value.get("token_budget")
    if budget is not None and type(budget) is not int:
        raise wrong_type((at, "token_budget"), "an integer", budget)
    effort = "none" if value.get("type") == "disabled" else None
    return None if effort is None and budget is None else Reasoning(effort, budget)


def write_thinking_settings(reasoning: Reasoning | None, at: Path, writer: Writer) -> Any:
    """Write the reasoning settings. Efforts are unsupported."""
    if reasoning is None:
        return ABSENT
    if reasoning.effort not in (None, "none"):
        writer.report_unsupported((at, "effort"), "effort", "warning")
    elif reasoning.effort == "none" and reasoning.budget_tokens is not None:
        writer.report_loss((at, "budgetTokens"), "budgetTokens", "dropped", "thinking is off")
    if reasoning.effort == "none" or reasoning.budget_tokens == 0:
        return {"type": "disabled"}
    if reasoning.budget_tokens is None:
        return ABSENT
    return {"type": "enabled", "token_budget": reasoning.budget_tokens}


def select_tools_by_choice(choice: ToolChoice | None, entries: list[Any], writer: Writer) -> tuple[list[Any], bool]:
    """Return the entries that a choice names, and whether one must be called. If it names none, return all."""
    if type(choice) is NamedToolChoice:
        names, forced = [choice.name], True
    elif type(choice) is AllowedToolChoice:
        names, forced = choice.names, choice.mode == "required"
    else:
        return entries, False
    wire_names = {writer.wire.wire_name(name) for name in names}
    named = [entry for entry in entries if _function_name(entry) in wire_names]
    return (named, forced) if named else (entries, False)


def _function_name(entry: Any) -> Any:
    """Return the name of a tool on the wire, or None if it is not a function."""
    function = entry.get("function") if type(entry) is dict else None
    return function.get("name") if type(function) is dict else None


def read_result_documents(content: list[Any]) -> tuple[Any, Extras] | None:
    """Return the data of a list with a document, and the rest of the list as extras, or None for any other list.

    The data of a document is an object, or text. Text that is JSON is parsed, and kept as an extra.
    """
    values: list[Any] = []
    frames: list[Any] = []
    for block in content:
        kind = block.get("type") if type(block) is dict else None
        document = block.get("document") if kind == "document" else None
        if type(document) is dict and type(document.get("data")) is dict:
            values.append(document["data"])
            frames.append({**block, "document": {key: value for key, value in document.items() if key != "data"}})
        elif type(document) is dict and type(document.get("data")) is str:
            values.append(_parse_or_text(document["data"]))
            frames.append(block)
        elif kind == "text" and type(block.get("text")) is str:
            values.append(block["text"])
            frames.append({key: value for key, value in block.items() if key != "text"})
        else:
            return None
    if not any(frame["type"] == "document" for frame in frames):
        return None
    return values[0] if len(values) == 1 else values, {"$whole": frames}


def _parse_or_text(text: str) -> Any:
    """Return the JSON value of a text, or the text itself if it is not JSON."""
    try:
        return loads(text)
    except ValueError:
        return text


def restore_result_documents(value: Any, extra: Any) -> list[Any] | None:
    """Return the original list with the current data, or None if the data was not read from one or does not fit."""
    frames = inner_extras({"kept": extra}, "kept").get("$whole")
    if type(frames) is not list or any(type(frame) is not dict for frame in frames):
        return None
    values = value if type(value) is list and len(frames) > 1 else [value]
    if len(values) != len(frames):
        return None
    content: list[Any] = []
    for frame, frame_value in zip(frames, values, strict=True):
        block = _restore_result_block(frame, frame_value)
        if block is None:
            return None
        content.append(block)
    return content


def _restore_result_block(frame: dict[str, Any], value: Any) -> dict[str, Any] | None:
    """Return the block of a result with its current value, or None if the value does not fit.

    `frame` is the block as it was read, without its value: only a document of text still has it.
    """
    if frame.get("type") != "document":
        return {**frame, "text": value} if type(value) is str else None
    document = inner_extras(frame, "document")
    original_text = document.get("data")
    data = value
    if original_text is None:
        if type(value) is not dict:
            return None
    elif type(original_text) is str and same_json(_parse_or_text(original_text), value):
        data = original_text
    else:
        data = dump_strict_or_none(value)
        if data is None:
            return None
    return {**frame, "document": {**document, "data": data}}


read_output_schema_with_required = read_output_schema


def is_blank(content: Any) -> bool:
    """Return whether content is only whitespace."""
    if type(content) is list:
        return all(
            type(part) is dict and part.keys() <= {"type", "text"} and is_blank(part.get("text")) for part in content
        )
    return content is None or (type(content) is str and not content.strip())


def says_nothing(content: Any) -> bool:
    """Return whether the content of a message is blank text, or parts that all are."""
    if type(content) is list:
        return bool(content) and all(type(part) is TextPart and not part.text.strip() for part in content)
    return type(content) is str and not content.strip()


def move_system_messages_first(placed: list[Placed], writer: Writer) -> list[Placed]:
    """Return the messages with system messages first. A system message that was read later stays there."""
    first: list[Placed] = []
    conversation: list[Placed] = []
    for i, entry in enumerate(placed):
        message = entry[0]
        if type(message) is not SystemMessage or writer.peek_extras(message.metadata).get("$inline"):
            conversation.append(entry)
            continue
        if i > 0:
            writer.report_loss(
                entry[1], "a system message", "moved", "the API accepts one system message, which must come first"
            )
        if len(first) == 1:
            writer.report_loss((first[0][1], "content"), "content", "rewritten", "the API accepts one system message")
        first.append(entry)
    return [*first, *conversation]


def append_content(turn: dict[str, Any], more: dict[str, Any]) -> None:
    """Append the content of a message to that of the message before it."""
    content: list[Any] = []
    for wire in (turn, more):
        value = wire["content"]
        if type(value) is list:
            content += value
        elif value:
            content.append({"type": "text", "text": value})
    turn["content"] = content


def tool_plan_part_index(parts: Sequence[AssistantPart], provider: str) -> int | None:
    """Return the index of the plan: reasoning read as the plan, else the last before calls unless read as content.

    If more reasoning follows the calls, there is no plan, because a plan is read after all other reasoning.
    """
    candidate: int | None = None
    has_calls = False
    for i, part in enumerate(parts):
        if type(part) is ReasoningPart and part.text:
            key = inner_extras(part.metadata or {}, provider).get("$as")
            if key == "tool_plan":
                return i
            candidate = i if key is None and not has_calls else None
        has_calls = has_calls or _is_call(part, provider)
    return candidate if has_calls else None


def _is_call(part: AssistantPart, provider: str) -> bool:
    """Return whether a part is a call, or opaque and was read as one."""
    if type(part) is OpaquePart and part.provider == provider:
        return inner_extras(part.metadata or {}, provider).get("$as") == "tool_calls"
    return type(part) is ToolCallPart


def chat_kwargs(body: dict[str, Any], allowed_names: Collection[str]) -> dict[str, Any]:
    """Convert the keys of a body to arguments for a client whose method decides whether to stream.

    Keys that the call does not accept go into the body through the request options.
    """
    kwargs = {key: value for key, value in body.items() if key in allowed_names}
    extra = {key: value for key, value in body.items() if key not in allowed_names and key != "stream"}
    if extra:
        kwargs["request_options"] = {"additional_body_parameters": extra}
    return kwargs


def to_supported_part(part: AssistantPart, at: Path, writer: Writer, has_calls: bool) -> AssistantPart | None:
    """Return the part of a content that is written for a part of the format.

    None if it is empty in a request, which is reported. The API accepts empty text in a message that has calls.
    """
    if type(part) is RefusalPart:
        writer.own_extras(part.metadata, at)
        writer.report_loss((at, "type"), "a refusal", "rewritten", "it is sent as text")
        part = TextPart(part.text)
    if (
        ((type(part) is TextPart and not has_calls) or type(part) is ReasoningPart)
        and not part.text
        and not writer.is_response
        and not writer.peek_extras(part.metadata)
    ):
        writer.own_extras(part.metadata, at)
        writer.report_loss(at, writer.part_class_name(part, at), "dropped", "it is empty")
        return None
    if type(part) is ReasoningPart:
        writer.report_adopted_reasoning(part.metadata, at)
    return part
