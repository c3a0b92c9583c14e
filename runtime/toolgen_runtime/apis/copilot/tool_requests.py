"""Copilot's requests for the app's tools, the results that are sent back, and messages that arrive as events."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...conversion.extras import ABSENT, Extras, inner_extras, restore_extras, unmapped_members
from ...conversion.reader import Reader
from ...conversion.streams import OpenCall
from ...conversion.tool_results import ResultKind, media_kind, write_result_text
from ...conversion.values import Read, Write, optional_text, read_list_or_null, to_plain_object, write_list
from ...conversion.writer import Writer
from ...errors import wrong_type
from ...json_text import loads
from ...json_values import same_json
from ...models import TextPart, ToolCall, ToolResult
from ...paths import ROOT, Path

__all__ = [
    "SessionMessage",
    "binary_kind",
    "has_call_id",
    "is_app_tool_request",
    "read_result_params",
    "result_request_id",
    "to_plain_tool_request",
    "unstreamed_text",
    "without_pending_state",
    "write_result_params",
]


_INVOCATION = {
    "tool_call_id": "toolCallId",
    "tool_name": "toolName",
    "arguments": "arguments",
    "request_id": "requestId",
    "session_id": "sessionId",
    "agent_id": "agentId",
}
"""The keys of the wire for the attributes of the client's invocation, an object that cannot convert itself to JSON."""

_WAITING = frozenset(
    [
        "$around",
        "$as",
        "agentId",
        "providerId",
        "requestId",
        "sessionId",
        "traceparent",
        "tracestate",
        "workingDirectory",
    ]
)
"""Keys that only a pending request has beside its call. A request in a message has none of them."""


def to_plain_tool_request(value: Any, at: Path) -> dict[str, Any]:
    """Return a dict itself, or the data of a client's object. An invocation gets the keys of a request.

    Raises:
        ConversionError: The value is neither a dict nor an object of the client.
    """
    if type(value) is dict or hasattr(value, "to_dict") or not hasattr(value, "tool_call_id"):
        return to_plain_object(value, at)
    request = {key: getattr(value, name, None) for name, key in _INVOCATION.items()}
    return {key: item for key, item in request.items() if item is not None}


def binary_kind(block: dict[str, Any]) -> str | None:
    """Return `image`, `audio`, `video` or `document`, or None for a binary result of unknown type."""
    kind = block.get("type")
    if kind == "image":
        return "image"
    return media_kind(block.get("mimeType")) if kind == "resource" else None


def is_app_tool_request(request: dict[str, Any]) -> bool:
    """Return whether a request is for a tool of the app, not for a custom tool or a tool of an MCP server."""
    return request.get("type") != "custom" and request.get("mcpServerName") is None


def without_pending_state(call: ToolCall, provider: str) -> ToolCall:
    """Return a call as a message has it: without the keys of a pending request."""
    extras = inner_extras(call.metadata or {}, provider)
    if _WAITING.isdisjoint(extras):
        return call
    remaining = {key: value for key, value in extras.items() if key not in _WAITING}
    return replace(call, metadata={**(call.metadata or {}), provider: remaining})


_PARAMS = frozenset(["error", "result"])
_OBJECT = frozenset(["binaryResultsForLlm", "resultType", "textResultForLlm"])
_FAILED = frozenset(["denied", "failure", "rejected", "timeout"])
_REPEATS = ("contents", "error")
"""Keys that repeat the text, and are dropped when the text changes."""


def result_request_id(result: ToolResult, extras: Extras, calls: Iterable[ToolCall], writer: Writer) -> str:
    """Return the request id of a result: its own, else that of its call, else the call's id, which is reported."""
    for state in (extras, *(writer.peek_extras(call.metadata) for call in calls if call.id == result.tool_call_id)):
        if type(state.get("requestId")) is str:
            return str(state["requestId"])
    reason = "cannot tell which request this result belongs to; pass its call"
    writer.report_loss((ROOT, "metadata"), "requestId", "defaulted", reason, "warning")
    return result.tool_call_id


def read_result_params(
    wire: dict[str, Any], at: Path, reader: Reader, read: Read[Any]
) -> tuple[ResultKind, Any, bool | None, Extras]:
    """Read kind, value, error flag and extras of the params of a result, or of a result object alone.

    Raises:
        ConversionError: The value is neither of these, or a value has the wrong JSON type.
    """
    if "textResultForLlm" in wire and "result" not in wire:
        kind, value, is_error, inner = _read_object(wire, at, reader, read)
        return kind, value, is_error, {"$around": None, "result": inner or {}}
    if type(wire.get("requestId", "")) is not str:
        raise wrong_type((at, "requestId"), "a string", wire["requestId"])
    error, result = optional_text(wire, "error", at), wire.get("result")
    extras = unmapped_members(wire, _PARAMS)
    if result is None and error is not None:
        return "error", error, None, extras | {"$as": {"result": "error"}}
    if error is not None:
        extras["error"] = error
    if type(result) is str:
        return "text", result, None, extras
    if type(result) is not dict:
        raise wrong_type((at, "result"), "a string or an object", result if "result" in wire else ABSENT)
    kind, value, is_error, object_extras = _read_object(result, (at, "result"), reader, read)
    return kind, value, is_error, extras if object_extras is None else extras | {"result": object_extras}


def _read_object(
    wire: dict[str, Any], at: Path, reader: Reader, read: Read[Any]
) -> tuple[ResultKind, Any, bool | None, Extras | None]:
    """Read a result object. The extras are None if the object would be written the same way."""
    text = wire.get("textResultForLlm", ABSENT)
    if type(text) is not str:
        raise wrong_type((at, "textResultForLlm"), "a string", text)
    result_type = optional_text(wire, "resultType", at)
    failed = _is_failed(result_type, wire.get("error"))
    media = read_list_or_null(wire.get("binaryResultsForLlm"), (at, "binaryResultsForLlm"), reader, read)
    extras = unmapped_members(wire, _OBJECT)
    if any(key in extras for key in _REPEATS):
        extras["$text"] = text
    if media == []:
        extras["binaryResultsForLlm"] = media
    if "resultType" not in wire:
        extras["$absent"] = ["resultType"]
    elif result_type is not None and (result_type != _result_type(failed) or not (failed or media)):
        extras["resultType"] = result_type
    if media:
        return "multimodal", [*([TextPart(text)] if text else ()), *media], failed or None, extras or None
    return "error" if failed else "text", text, None, extras or None


def write_result_params(result: ToolResult, extras: Extras, writer: Writer, write: Write) -> Any:
    """Write the keys of the params that contain the result. The original values win if they mean the same.

    Raises:
        ConversionError: The value does not have the type of its kind, or cannot be written as JSON.
    """
    kind, value, at = result.kind, result.value, (ROOT, "value")
    failed = kind == "error" or bool(result.is_error)
    media: list[Any] = []
    if kind == "multimodal":
        if type(value) is not list:
            raise wrong_type(at, "an array", value)
        text, media = _write_parts(value, at, writer, write)
    else:
        text = write_result_text("text" if kind == "error" else kind, value, at, writer)
    if "$around" not in extras:
        if kind == "error" and inner_extras(extras, "$as").get("result") == "error":
            return {"error": text}
        if not (failed or media or type(extras.get("result")) is dict):
            return {"result": text}
    written = _write_object(text, media, failed, inner_extras(extras, "result"))
    return written if "$around" in extras else {"result": written}


def _write_object(text: str, media: list[Any], failed: bool, extras: Extras) -> dict[str, Any]:
    """Return the object of a result: its text, its media, and its status unless a missing one means the same."""
    wire: dict[str, Any] = {"textResultForLlm": text}
    if not same_json(extras.get("$text", text), text):
        extras = {key: value for key, value in extras.items() if key not in _REPEATS}
    usual = None if "resultType" in extras.get("$absent", ()) else _result_type(failed)
    status = extras.get("resultType", usual)
    if (status is not None and type(status) is not str) or _is_failed(status, extras.get("error")) != failed:
        wire["resultType"] = _result_type(failed)
    elif status is not None:
        wire["resultType"] = status
    if media:
        wire["binaryResultsForLlm"] = media
    restore_extras(wire, extras)
    return wire


def _write_parts(parts: list[Any], at: Path, writer: Writer, write: Write) -> tuple[str, list[Any]]:
    """Return the joined texts, and the media, which follow them."""
    texts: list[str] = []

    def write_medium(part: Any, here: Path, writer: Writer) -> Any:
        """Write a part that is not text. Text is collected in `texts`."""
        if type(part) is not TextPart:
            return write(part, here, writer)
        writer.own_extras(part.metadata, here)
        texts.append(part.text)
        return ABSENT

    media = write_list(parts, at, writer, write_medium)
    kinds = [type(part) is TextPart for part in parts]
    if media and kinds != sorted(kinds, reverse=True):
        writer.report_loss(at, "a text", "moved", "the text must come before the media")
    if not media and len(texts) == len(parts) or len(texts) > 1 or (media and texts == [""]):
        for field in ("kind", "value"):
            writer.report_loss((ROOT, field), field, "rewritten", "the API accepts one text, so the texts were joined")
    return "\n".join(texts), media


def _result_type(failed: bool) -> str:
    return "failure" if failed else "success"


def _is_failed(result_type: str | None, error: Any) -> bool:
    """Return whether a result is a failure. An unknown result type counts as a missing one."""
    return result_type in _FAILED or (result_type != "success" and error is not None)


def has_call_id(data: dict[str, Any]) -> bool:
    """Return whether an event has the id of a call."""
    identifier = data.get("toolCallId")
    return type(identifier) is str and bool(identifier.strip())


def unstreamed_text(text: str, streamed: str) -> str:
    """Return the part of a text that was not streamed yet, or nothing if the streamed text differs."""
    return text[len(streamed) :] if text.startswith(streamed) else ""


class SessionMessage:
    """A message of the stream. `done` is the event with the complete message, once it has arrived."""

    __slots__ = ("calls", "done", "identifier", "pieces", "thoughts")

    def __init__(self, identifier: str | None) -> None:
        self.identifier = identifier
        self.pieces: list[str] = []
        self.thoughts: dict[Any, list[str]] = {}
        self.calls: list[OpenCall] = []
        self.done: dict[str, Any] | None = None

    def is_last(self) -> bool:
        """Return whether the message is complete and requests nothing, so no other one has to follow."""
        return self.done is not None and not self.done["data"].get("toolRequests")

    def reasoning_text(self) -> str:
        """Return the reasoning so far, with one paragraph for each thought."""
        return "\n\n".join("".join(pieces) for pieces in self.thoughts.values())

    def assemble(self) -> dict[str, Any]:
        """Return the event of the message, built from its deltas if the complete event did not arrive."""
        listed: list[Any] = []
        if self.done is not None:
            listed = self.done["data"].get("toolRequests") or []
            listed_ids = {request.get("toolCallId") for request in listed if type(request) is dict}
            if all(call.wire_id in listed_ids for call in self.calls):
                return self.done
        else:
            listed_ids = set()
        requests = [*listed, *(_request(call) for call in self.calls if call.wire_id not in listed_ids)]
        if self.done is not None:
            return {**self.done, "data": {**self.done["data"], "toolRequests": requests}}
        data: dict[str, Any] = {"content": "".join(self.pieces)}
        if self.identifier is not None:
            data["messageId"] = self.identifier
        if self.thoughts:
            data["reasoningText"] = self.reasoning_text()
        if requests:
            data["toolRequests"] = requests
        return {"type": "assistant.message", "data": data}


def _request(call: OpenCall) -> dict[str, Any]:
    """Return the request for a call of an incomplete message. Arguments that are not valid JSON stay text."""
    text = "".join(call.pieces)
    request: dict[str, Any] = {"toolCallId": call.wire_id, "name": call.name or ""}
    if text:
        try:
            request["arguments"] = loads(text)
        except ValueError:
            request["arguments"] = text
    return request
