"""Responses: stop reasons, usage, creation times, and API errors."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from .conversion.writer import Writer
from .errors import wrong_type
from .json_text import dump_allowing_nan
from .models import ApiError, AssistantMessage, Completion, InvalidCall, ToolCall, ToolCallPart, Usage
from .paths import ROOT, Path

__all__ = [
    "FinishReason",
    "calls_in",
    "classify_api_error",
    "derive_finish_reason",
    "format_rfc3339",
    "is_completion_read_from_wire",
    "mark_call_invalid",
    "mark_calls_invalid",
    "provider_stop_reason",
    "read_count",
    "substitute_normal_stop_reason",
    "value_at_path",
    "with_usage",
]

FinishReason = Literal["stop", "length", "tool_calls", "content_filter", "error", "other"]


def derive_finish_reason(
    stop_reason: Any, message: AssistantMessage, table: Mapping[str, Any], opaque_calls: bool = False
) -> FinishReason:
    """Return the stop reason: a cut, a filter or a failure first, then calls, then the provider's reason.

    Providers report `stop` for responses with calls and `tool_calls` for those without, so the message decides.
    """
    reason: FinishReason = table.get(stop_reason, "other") if type(stop_reason) is str else "other"
    if reason in ("length", "content_filter", "error"):
        return reason
    content = message.content
    if type(content) is list:
        for part in content:
            if type(part) is ToolCallPart:
                return "tool_calls"
    if reason == "tool_calls" and not opaque_calls:
        return "stop"
    return reason


def calls_in(message: AssistantMessage) -> list[ToolCall]:
    """Return the calls of a message, in order."""
    content = message.content
    return [part.call for part in content if type(part) is ToolCallPart] if type(content) is list else []


def is_completion_read_from_wire(completion: Completion, parts: list[Any], writer: Writer) -> bool:
    """Return whether a completion, or a part of it, was read from the writer's wire."""
    return any(writer.can_read(value.metadata) for value in (completion, completion.message, *parts))


def mark_calls_invalid(message: AssistantMessage, finish_reason: FinishReason) -> None:
    """Invalidate the calls of a response that ended early. Valid JSON does not prove that a call is complete.

    A call whose arguments could not be read also counts as incomplete.
    """
    if finish_reason == "length" or finish_reason == "error":
        fault: Literal["truncated", "filtered"] = "truncated"
    elif finish_reason == "content_filter":
        fault = "filtered"
    else:
        return
    if type(message.content) is list:
        for part in message.content:
            if type(part) is ToolCallPart:
                unread = part.call.invalid
                part.call.invalid = InvalidCall(
                    dump_allowing_nan(part.call.arguments) if unread is None else unread.text, fault
                )


def mark_call_invalid(
    message: AssistantMessage,
    index: int,
    reason: Literal["truncated", "malformed"] = "truncated",
    text: str | None = None,
) -> None:
    """Mark one call of a response as truncated or malformed. `index` is its index among the calls."""
    calls = calls_in(message)
    if index < len(calls):
        calls[index].invalid = InvalidCall(dump_allowing_nan(calls[index].arguments) if text is None else text, reason)


_SIMILAR: Mapping[FinishReason, Sequence[FinishReason]] = {
    "tool_calls": ["stop"],
    "error": ["length", "content_filter"],
    "content_filter": ["error", "length"],
    "length": ["error", "content_filter"],
    "other": ["stop"],
}
"""The reasons to use if a wire lacks one. A response that ended early must not look complete: its calls are not run."""


def provider_stop_reason(
    completion: Completion,
    table: Mapping[str, FinishReason],
    extras: Mapping[str, Any],
    writer: Writer,
    *,
    has_foreign: bool = False,
) -> str | None:
    """Return the provider's stop reason: the original one, otherwise the first one in the table with the same meaning.

    An unknown reason belongs to this provider if the response has its extras (`extras`), or if it has no other meaning.
    Reasons of other providers are ignored, and so is a normal one of a response that ended early. `has_foreign` means
    that the table contains such reasons, because gateways pass them on. If the table lacks the meaning, a similar one is
    used, and reported; a response with calls ended normally. Most reasons for `other` say what happened, so only one that
    says nothing more stands for all of them; with calls that were cut, it is a failure. A stream needs no reason for a
    failure: without one, it has failed.
    """
    stop_reason = completion.stop_reason
    meaning = completion.finish_reason
    found = None if has_foreign else table.get(stop_reason or "")
    known = found is not None and (found == meaning or meaning in ("stop", "tool_calls"))
    is_cut = meaning == "other" and any(
        call.invalid is not None and call.invalid.reason == "truncated" for call in calls_in(completion.message)
    )
    if stop_reason is not None and (known or extras or (meaning == "other" and not is_cut)):
        return stop_reason
    if is_cut:
        meaning = "error"
    others = () if writer.is_stream and meaning == "error" else _SIMILAR.get(meaning, ())
    for similar in (meaning, *others):
        for stop_reason, reason in table.items():
            if reason == similar and (reason != "other" or stop_reason.lower() == "other"):
                if similar != meaning != "tool_calls":
                    severity: Literal["warning", "note"] = "warning" if meaning == "other" else "note"
                    text = f"the nearest reason is {stop_reason}"
                    writer.report_loss((ROOT, "finishReason"), "finishReason", "rewritten", text, severity)
                return stop_reason
    return None


def with_usage(completion: Completion, writer: Writer) -> Completion:
    """Return a completion with usage, for a wire whose clients need it. It is zero unless the response was read so."""
    if completion.usage is not None or writer.peek_extras(completion.metadata):
        return completion
    writer.report_loss((ROOT, "usage"), "usage", "defaulted", "the clients of the API need it")
    return replace(completion, usage=Usage(0, 0, 0))


def substitute_normal_stop_reason(table: Mapping[str, FinishReason], writer: Writer) -> str | None:
    """Return the provider's reason for a normal end, and report it. A stream without a reason would have failed."""
    stop_reason = next((stop_reason for stop_reason, reason in table.items() if reason == "stop"), None)
    reason = f"a stream must end with a reason, and the nearest one is {stop_reason}"
    writer.report_loss((ROOT, "finishReason"), "finishReason", "rewritten", reason, "warning")
    return stop_reason


def read_count(wire: dict[str, Any], key: str, at: Path) -> int | None:
    """Read a number of tokens. None if the key is null or absent.

    Raises:
        ConversionError: The value is not an integer. A float without a fraction counts as one.
    """
    value = wire.get(key)
    if value is None or type(value) is int:
        return value
    if type(value) is float and value.is_integer():
        return int(value)
    raise wrong_type((at, key), "an integer", value)


def format_rfc3339(seconds: int) -> str:
    """Format seconds since 1970 as an RFC 3339 timestamp in UTC."""
    from datetime import UTC, datetime  # imported here, because few conversions write a date

    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


Kind = Literal[
    "invalid_request",
    "authentication",
    "rate_limit",
    "context_length",
    "content_policy",
    "overloaded",
    "server",
    "unknown",
]

_STATUSES: dict[int, Kind] = {
    400: "invalid_request",
    401: "authentication",
    403: "authentication",
    404: "invalid_request",
    405: "invalid_request",
    408: "server",
    409: "server",
    413: "invalid_request",
    415: "invalid_request",
    422: "invalid_request",
    424: "server",
    429: "rate_limit",
    503: "overloaded",
    529: "overloaded",
}
_RETRYABLE = ("rate_limit", "overloaded", "server")


def classify_api_error(provider: str, status: int, body: Any, table: Mapping[str, Any]) -> ApiError:
    """Classify an API error by the codes in its body, otherwise by its status.

    `table` has `codes` (paths of the codes), `words` (the kind for each code), `phrases` (the kind for texts in the
    message), `message` (paths of the message) and `final` (codes for which a retry does not help). If the status means
    success, a code that is an HTTP status replaces it.
    """
    codes = [found for path in table.get("codes", ()) if type(found := value_at_path(body, path)) in (str, int)]
    if status < 400:
        status = next((int(code) for code in codes if re.fullmatch("[45][0-9][0-9]", str(code))), status)
    texts = [value_at_path(body, path) for path in table.get("message", ())] + [body]
    message = next((text for text in texts if type(text) is str and text.strip()), f"HTTP status {status}")
    kinds: Mapping[str, Kind] = table.get("words", {})
    phrases: Mapping[str, Kind] = table.get("phrases", {})
    lowered = message.lower()
    kind = _first(kinds, [str(code) for code in codes])
    if kind in (None, "invalid_request", "server"):
        kind = _first(phrases, [phrase for phrase in phrases if phrase in lowered]) or kind
    if kind is None:
        kind = _STATUSES.get(status) or ("server" if status >= 500 else "unknown")
    final = any(str(code) in table.get("final", ()) for code in codes)
    state = {"status": status, "body": body}
    return ApiError(kind, message, kind in _RETRYABLE and not final, {provider: state})


def _first(table: Mapping[str, Kind], keys: list[str]) -> Kind | None:
    for key in keys:
        if key in table:
            return table[key]
    return None


def value_at_path(body: Any, key_path: Sequence[str | int]) -> Any:
    """Return the value at a key path, or None."""
    for step in key_path:
        if type(step) is int:
            body = body[step] if type(body) is list and len(body) > step else None
        else:
            body = body.get(step) if type(body) is dict else None
    return body
