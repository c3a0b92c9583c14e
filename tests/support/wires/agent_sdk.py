"""The core types of the agent SDK: its specification's types, as JSON Schemas that are closed."""

from __future__ import annotations

from typing import Any

from jsonschema import Draft7Validator, Draft202012Validator

from tests.support.wires import MARK, MessageWire

TEXT = {"type": "string"}
COUNT = {"type": "integer"}


def shape(needed: dict[str, Any], free: dict[str, Any] | None = None) -> dict[str, Any]:
    """An object with these members and no others."""
    properties = {**needed, **(free or {})}
    return {"type": "object", "properties": properties, "required": list(needed), "additionalProperties": False}


def one_of(*words: str) -> dict[str, Any]:
    return {"enum": list(words)}


def or_null(schema: Any) -> Any:
    return {"anyOf": [schema, {"type": "null"}]}


TEXT_PART = shape({"type": one_of("text"), "text": TEXT})
IMAGE = shape(
    {"url": {"type": "string", "pattern": "^(data:|https://)"}},
    {
        "detail": one_of("auto", "low", "high"),
        "media_type": one_of("image/png", "image/jpeg", "image/webp", "image/gif"),
    },
)
IMAGE_PART = shape({"type": one_of("image_url"), "image_url": IMAGE})
DOCUMENT = shape({"data": TEXT, "media_type": one_of("application/pdf")})
DOCUMENT_PART = shape({"type": one_of("document"), "source": DOCUMENT})


def content(*parts: Any) -> dict[str, Any]:
    return {"anyOf": [TEXT, {"type": "array", "items": {"anyOf": list(parts)}}]}


CALL = shape(
    {"id": TEXT, "type": one_of("function"), "function": shape({"name": TEXT, "arguments": TEXT})},
    {"provider_meta": {}},
)
MESSAGES = {
    "system": shape(
        {"role": one_of("system"), "content": content(TEXT_PART)}, {"name": TEXT, "cache": {"type": "boolean"}}
    ),
    "user": shape({"role": one_of("user"), "content": content(TEXT_PART, IMAGE_PART, DOCUMENT_PART)}, {"name": TEXT}),
    "assistant": shape(
        {"role": one_of("assistant"), "content": or_null(TEXT)},
        {
            "name": TEXT,
            "tool_calls": {"type": "array", "items": CALL},
            "refusal": or_null(TEXT),
            # Of what was thought the specification says that messages hold it, and not where.
            "reasoning": TEXT,
            "provider_meta": {},
        },
    ),
    "tool": shape(
        {
            "role": one_of("tool"),
            "tool_call_id": TEXT,
            "tool_name": TEXT,
            # It allows documents as an extension.
            "content": content(TEXT_PART, IMAGE_PART, DOCUMENT_PART),
        },
        {
            "is_error": {"type": "boolean"},
            "output_ref": shape({"id": TEXT}, {"byte_size": COUNT, "line_count": COUNT}),
            "trimmed": {"type": "boolean"},
        },
    ),
}
TOOL = shape({"name": TEXT, "description": TEXT, "parameters": {"type": "object"}}, {"strict": {"type": "boolean"}})
USAGE = shape(
    {"model": TEXT, "input_tokens": COUNT, "output_tokens": COUNT, "total_tokens": COUNT},
    {key: or_null(COUNT) for key in ("input_cached_tokens", "input_cache_creation_tokens", "input_image_tokens")},
)
COMPLETION = shape(
    {"messages": {"type": "array", "items": {"anyOf": list(MESSAGES.values())}}},
    {"usage": or_null(USAGE), "stop_reason": or_null(TEXT), "provider_meta": {}},
)


def faults(schema: Any, value: Any) -> list[str]:
    return [f"{error.json_path}: {error.validator}" for error in Draft202012Validator(schema).iter_errors(value)]


def tool_faults(tool: Any) -> list[str]:
    schema_faults = faults(TOOL, tool)
    return schema_faults or [
        f"parameters: {error.message}"
        for error in Draft7Validator(Draft7Validator.META_SCHEMA).iter_errors(tool["parameters"])
    ]


def message_faults(message: Any) -> list[str]:
    return faults(MESSAGES.get(message.get("role"), False), message)


def foreign() -> list[Any]:
    """A role, a part, an image, a document and a call that nobody knows."""
    call = {"id": "call_x", "type": "x_kind", "input": MARK}
    return [
        {"role": "x_role", "content": [1, {"a": MARK}]},
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "x_part", "x": [MARK, None]}]},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"file": MARK}}]},
        {
            "role": "user",
            "content": [{"type": "image_url", "image_url": {"url": "https://example.com/a", "detail": MARK}}],
        },
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": f"http://{MARK}"}}]},
        {"role": "user", "content": [{"type": "document", "source": {"url": MARK}}]},
        {"role": "user", "content": [{"type": "document", "source": {"data": "AA==", "media_type": MARK}}]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "assistant", "content": "a", "reasoning": {"x": MARK}},
        {"role": "tool", "tool_call_id": "call_x", "tool_name": "t", "content": [{"type": "x_part", "x": MARK}]},
        {"role": "system", "content": [{"type": "x_part", "x": MARK}], "cache": True},
    ]


def unknown_responses(body: Any) -> list[Any]:
    """A response with a message of another role, a call of another kind, a reason and members that nobody knows."""
    messages = body["messages"]
    first = {"role": "assistant", "content": "a", "x_unknown": [MARK]}
    call = {"id": "call_x", "type": "x_kind", "input": MARK}
    return [
        {**body, "x_unknown": {"a": [MARK, None]}},
        {**body, "provider_meta": MARK},
        {**body, "stop_reason": MARK},
        {**body, "messages": [first, *messages]},
        {**body, "messages": [*messages, {"role": "x_role", "content": MARK}]},
        {**body, "messages": [*messages, {"role": "user", "content": MARK}, first]},
        {**body, "messages": [{"role": "assistant", "content": None, "tool_calls": [call]}]},
    ]


MESSAGE_WIRE = MessageWire(
    tool_faults=tool_faults,
    choice_faults=lambda choice: faults(TEXT, choice),
    message_faults=message_faults,
    response_faults=lambda body: faults(COMPLETION, body),
    foreign=foreign,
    unknown_responses=unknown_responses,
    free=frozenset(["parameters", "provider_meta"]),
)
