"""Other forms in which values of the format are written: those that are read, and those that get a hint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import ConversionError
from ..paths import Path, spelled

__all__ = ["FORMS"]

Data = dict[str, Any]


def _assistant(data: Data, at: Path) -> Data:
    """`toolCalls` beside the content become parts behind it."""
    if "toolCalls" in data and "tool_calls" in data:
        raise ConversionError(spelled((at, "toolCalls")), "is given twice, as toolCalls and as tool_calls")
    key = "toolCalls" if "toolCalls" in data else "tool_calls"
    if key not in data:
        return data
    calls = data[key]
    if calls is None:
        calls = []
    if type(calls) is not list:
        raise ConversionError(spelled((at, key)), "must be an array")
    content = data.get("content")
    parts = [{"type": "text", "text": content}] if type(content) is str and content else content or []
    if type(parts) is not list:
        raise ConversionError(spelled((at, "content")), "must be a string or an array")
    rest = {name: value for name, value in data.items() if name not in (key, "content")}
    if not calls:
        return {**rest, "content": content}
    return {**rest, "content": parts + [{"type": "tool_call", "call": call} for call in calls]}


def _tool_message(data: Data, at: Path) -> Data:
    """A message with one result of its own, as text (`content`) or as data (`response`), becomes a list of results."""
    if "results" in data or not ("toolCallId" in data or "tool_call_id" in data):
        return data
    rest = {k: v for k, v in data.items() if k not in ("toolCallId", "tool_call_id", "name", "content", "response")}
    identifier = data["toolCallId"] if "toolCallId" in data else data["tool_call_id"]
    result: Data = {"toolCallId": identifier}
    if "name" in data:
        result["name"] = data["name"]
    if "response" in data:
        result |= {"kind": "data", "value": data["response"]}
    elif type(data.get("content")) is list:
        result |= {"kind": "multimodal", "value": data["content"]}
    else:
        result |= {"kind": "text", "value": data.get("content")}
    return {**rest, "results": [result]}


def _result(data: Data, at: Path) -> Data:
    """The kind says of which type the value is."""
    kind, value = data.get("kind"), data.get("value")
    if kind in ("text", "error") and type(value) is not str:
        raise ConversionError(spelled((at, "value")), f"must be a string where kind is {kind}")
    if kind == "multimodal" and type(value) is not list:
        raise ConversionError(spelled((at, "value")), "must be an array of parts where kind is multimodal")
    if kind is not None and "value" not in data:
        raise ConversionError(spelled((at, "value")), "is missing")
    return data


def _text_part(data: Data, at: Path) -> Data:
    if "value" in data and "text" not in data:
        raise ConversionError(spelled((at, "value")), "a text part holds its text in `text`")
    return data


def _image_part(data: Data, at: Path) -> Data:
    for key in ("image_url", "imageUrl"):
        if key in data:
            raise ConversionError(spelled((at, key)), "an image part is flat: `url`, or `data` and `mediaType`")
    return data


def _definition(data: Data, at: Path) -> Data:
    if type(data.get("function")) is dict and "name" not in data:
        raise ConversionError(spelled((at, "function")), "a definition is flat: `name`, `description`, `parameters`")
    return data


FORMS: dict[str, Callable[[Data, Path], Data]] = {
    "AssistantMessage": _assistant,
    "ImagePart": _image_part,
    "TextPart": _text_part,
    "ToolDefinition": _definition,
    "ToolMessage": _tool_message,
    "ToolResult": _result,
}
"""By type: what is done with an object before its fields are read."""
