"""Responses: counts of tokens, stop reasons, creation times, and API errors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from ..errors import wrong_type
from ..json_text import dump_allowing_nan
from ..models import ApiError, AssistantMessage, Completion, InvalidCall, ToolCall, ToolCallPart, Usage
from ..paths import ROOT, Path
from ..serialization import to_camel_case
from .extras import restore_extras, unmapped_members
from .reader import Reader
from .rule_of_extras import Pair, read_fields, write_fields
from .values import optional_object
from .writer import Writer

__all__ = [
    "FinishReason",
    "UsageTable",
    "calls_in",
    "classify_api_error",
    "derive_finish_reason",
    "format_rfc3339",
    "is_completion_read_from_wire",
    "mark_call_invalid",
    "mark_calls_invalid",
    "provider_stop_reason",
    "read_count",
    "status_text",
    "substitute_normal_stop_reason",
    "value_at_path",
    "with_usage",
]

_FIELDS: Mapping[str, str] = {to_camel_case(name): name for name in Usage.__match_args__ if name != "metadata"}
"""The names of the counts in Python, by those in JSON."""

_KeyPath = tuple[str, ...]


class _Count(NamedTuple):
    """Where an API has a count, see `UsageTable`. `parts` are the fields, in Python, for those of `plus` that have one.

    Each member of `plus` has the paths at which the count may be.
    """

    paths: tuple[_KeyPath, ...]
    plus: tuple[tuple[_KeyPath, ...], ...]
    by_total: bool
    parts: tuple[str, ...]


class UsageTable:
    """Where an API has the counts of `Usage`: the section `usage` of a profile.

    For each field, by its name in JSON, it has

    - `path`: the keys that lead to the count, with dots between them
    - `or`: paths to the count if there is none at `path`
    - `plus`: paths to counts that the field includes, and that the API counts separately; the path of a field stands for
      all of its paths
    - `by_total`: whether the field only includes them if the total shows that they are separate.

    The class of the API reads and writes a field without a path. A field that is not in the table is lost, but the total
    is then the sum of input and output.

    `keys` are the keys of a usage that lead to counts.
    """

    def __init__(self, fields: Mapping[str, Mapping[str, Any]]) -> None:
        fields_at = {row["path"]: _FIELDS[name] for name, row in fields.items() if "path" in row}
        paths_at = {row["path"]: _paths_of(row) for row in fields.values() if "path" in row}
        self.counts: dict[str, _Count] = {}
        for name, row in fields.items():
            plus, by_total = row.get("plus", ()), bool(row.get("by_total"))
            parts = () if by_total else tuple(fields_at[path] for path in plus if path in fields_at)
            separate = tuple(_key_paths(paths_at.get(path, [path])) for path in plus)
            self.counts[_FIELDS[name]] = _Count(_key_paths(_paths_of(row)), separate, by_total, parts)
        groups = [paths for count in self.counts.values() for paths in (count.paths, *count.plus)]
        self.keys = tuple(dict.fromkeys(path[0] for paths in groups for path in paths))
        self._known = frozenset(self.keys)
        self._pair = Pair(_read_counts, _write_counts, (self,))
        self._without_path: dict[str, Any] = {name: None for name, count in self.counts.items() if not count.paths}

    def read(self, wire: dict[str, Any], at: Path, reader: Reader) -> Usage:
        """Read a usage, by the rule of extras.

        Raises:
            ConversionError: A count is not an integer.
        """
        extras = unmapped_members(wire, self._known)
        usage = read_fields(wire, self.keys, self._pair, at=at, extras=extras, reader=reader)
        usage.metadata = reader.as_metadata(extras)
        return usage

    def write(self, usage: Usage, at: Path, writer: Writer) -> dict[str, Any]:
        """Write a usage, by the rule of extras. Counts that the API lacks are reported."""
        extras = writer.own_extras(usage.metadata, at)
        counts = replace(usage, metadata=None, **self._without_path)
        wire: dict[str, Any] = {}
        write_fields(wire, self.keys, counts, self._pair, at=at, extras=extras, writer=writer)
        restore_extras(wire, extras)
        return wire


def _paths_of(row: Mapping[str, Any]) -> list[str]:
    """Return all paths of a row of the table. The class of the API reads a field without any."""
    return [row["path"], *row.get("or", ())] if "path" in row else []


def _key_paths(paths: Iterable[str]) -> tuple[_KeyPath, ...]:
    """Return paths such as `details.cached` as tuples of keys."""
    return tuple(tuple(path.split(".")) for path in paths)


def _read_counts(wire: dict[str, Any], at: Path, reader: Reader, table: UsageTable) -> Usage:
    """Read the counts of a usage. Input and output are 0 if they are absent; an absent total is their sum."""
    counts: dict[str, Any] = dict.fromkeys(_FIELDS.values())
    separate: dict[str, int] = {}
    for name, count in table.counts.items():
        counts[name] = _first_count(wire, count.paths, at)
        separate[name] = sum(_first_count(wire, paths, at) or 0 for paths in count.plus)
        if separate[name] and not count.by_total:
            counts[name] = (counts[name] or 0) + separate[name]
    for name in ("input_tokens", "output_tokens"):
        counts[name] = counts[name] or 0
    for name, count in table.counts.items():
        total = counts["input_tokens"] + counts["output_tokens"] + separate[name]
        if count.by_total and counts["total_tokens"] == total:
            counts[name] += separate[name]
    if counts["total_tokens"] is None:
        counts["total_tokens"] = counts["input_tokens"] + counts["output_tokens"]
    return Usage(**counts)


def _first_count(wire: dict[str, Any], paths: Iterable[_KeyPath], at: Path) -> int | None:
    """Return the first count at these key paths. None without any."""
    return next((number for path in paths if (number := _count_at(wire, path, at)) is not None), None)


def _count_at(wire: dict[str, Any], path: _KeyPath, at: Path) -> int | None:
    """Return the count at a key path. None if it is null or absent, or an object on the way is."""
    *outer, key = path
    for step in outer:
        wire, at = optional_object(wire, step, at), (at, step)
    return read_count(wire, key, at)


def _write_counts(usage: Usage, at: Path, writer: Writer, table: UsageTable) -> dict[str, Any]:
    """Write the counts of a usage into an object. A count without a key is reported, except a total that is the sum."""
    wire: dict[str, Any] = {}
    for json_name, name in _FIELDS.items():
        number, count = getattr(usage, name), table.counts.get(name)
        if number is None:
            continue
        if count is None:
            if name != "total_tokens" or number != usage.input_tokens + usage.output_tokens:
                writer.report_unsupported((at, json_name), json_name)
            continue
        *outer, key = count.paths[0]
        holder = wire
        for step in outer:
            holder = holder.setdefault(step, {})
        holder[key] = number - sum(getattr(usage, part) or 0 for part in count.parts)
    return wire


FinishReason = Literal["stop", "length", "tool_calls", "content_filter", "error", "other"]


def derive_finish_reason(
    stop_reason: Any, message: AssistantMessage, table: Mapping[str, Any], opaque_calls: bool = False
) -> FinishReason:
    """Return the stop reason: a cut, a filter or a failure first, then calls, then the provider's reason.

    Providers report `stop` for responses with calls, so the message decides. If they report calls and there are none, the
    response is incomplete: `other`.
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
        return "other"
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
    stop_reason, meaning = completion.stop_reason, completion.finish_reason
    usual_meaning = None if has_foreign else table.get(stop_reason or "")
    is_known = usual_meaning is not None and (usual_meaning == meaning or meaning in ("stop", "tool_calls"))
    is_cut = meaning == "other" and any(
        call.invalid is not None and call.invalid.reason == "truncated" for call in calls_in(completion.message)
    )
    if stop_reason is not None and (is_known or extras or (meaning == "other" and not is_cut)):
        return stop_reason
    return _nearest_stop_reason("error" if is_cut else meaning, table, writer)


def _nearest_stop_reason(meaning: FinishReason, table: Mapping[str, FinishReason], writer: Writer) -> str | None:
    """Return the first reason with a meaning, otherwise one with a similar meaning, which is reported. None without one."""
    similar = () if writer.is_stream and meaning == "error" else _SIMILAR.get(meaning, ())
    for candidate in (meaning, *similar):
        for stop_reason, reason in table.items():
            if reason == candidate and (reason != "other" or stop_reason.lower() == "other"):
                if candidate != meaning != "tool_calls":
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

_PHRASES: dict[str, Kind] = {
    "context length": "context_length",  # OpenAI, vLLM, SGLang, LM Studio, Ollama, Fireworks, DeepSeek, OpenRouter
    "context window": "context_length",  # OpenAI, LiteLLM
    "contextwindowexceeded": "context_length",  # LiteLLM
    "context limit": "context_length",  # Anthropic, Bedrock
    "available context size": "context_length",  # llama.cpp
    "maximum model length": "context_length",  # vLLM
    "maximum prompt length": "context_length",  # xAI
    "exceeded model token limit": "context_length",  # Moonshot
    "exceeds the maximum number of tokens": "context_length",  # Gemini
    "prompt is too long": "context_length",  # Anthropic, Fireworks
    "input is too long": "context_length",  # Bedrock, Databricks
    "`inputs` must have less than": "context_length",  # TGI
    "`inputs` tokens + `max_new_tokens` must be": "context_length",  # TGI, Together
    "content filtering policy": "content_policy",  # Anthropic, Bedrock
    "content management policy": "content_policy",  # Azure
    "contentpolicyviolation": "content_policy",  # LiteLLM
    "content exists risk": "content_policy",  # DeepSeek
    "violates usage guidelines": "content_policy",  # xAI
    "rejected as a result of our safety system": "content_policy",  # OpenAI
    "incorrect api key": "authentication",  # OpenAI, xAI
    "credit balance is too low": "authentication",  # Anthropic
    "overloaded": "overloaded",
}
"""What texts in messages mean, in lower case. They hold for all APIs: servers speak several, and gateways pass on texts."""

_FINAL_PHRASES = (
    "request too large for",  # OpenAI, Groq: more than the tokens of a minute
    "used all available credits",  # xAI
)
"""Texts, in lower case, of errors for which a retry does not help."""

_TOO_LARGE = 413
"""The status of a request that is too large by itself, for example larger than a limit of tokens a minute."""


def status_text(status: int) -> str:
    """Return the message of an API error whose body has no text."""
    return f"HTTP status {status}"


def classify_api_error(provider: str, status: int, body: Any, table: Mapping[str, Any]) -> ApiError:
    """Classify an API error by the codes in its body, otherwise by its status.

    `table` has `codes` (paths of the codes), `words` (the kind for each code), `phrases` (the kind for texts in the
    message), `message` (paths of the message) and `final` (codes for which a retry does not help). If the status means
    success, a code that is an HTTP status replaces it.
    """
    values = [value_at_path(body, path) for path in table.get("codes", ())]
    codes = [str(value) for value in values if type(value) in (str, int)]
    if status < 400:
        status = next((int(code) for code in codes if re.fullmatch("[45][0-9][0-9]", code)), status)
    texts = [value_at_path(body, path) for path in table.get("message", ())] + [body]
    messages = [text for text in texts if type(text) is str and text.strip()] or [status_text(status)]
    lowered = "\n".join(messages).lower()
    kind = _kind_of_error(codes, lowered, status, table)
    is_final = (
        status == _TOO_LARGE
        or any(code in table.get("final", ()) for code in codes)
        or any(phrase in lowered for phrase in _FINAL_PHRASES)
    )
    return ApiError(
        kind, messages[0], kind in _RETRYABLE and not is_final, {provider: {"status": status, "body": body}}
    )


def _kind_of_error(codes: list[str], lowered: str, status: int, table: Mapping[str, Any]) -> Kind:
    """Return the kind of an error by its codes; if they say little, by phrases of its message; else by its status.

    `lowered` has the texts of the message in lower case.
    """
    phrases: Mapping[str, Kind] = {**table.get("phrases", {}), **_PHRASES}
    kind = _first(table.get("words", {}), codes)
    if kind in (None, "invalid_request", "server"):
        kind = _first(phrases, [phrase for phrase in phrases if phrase in lowered]) or kind
    if kind is None:
        kind = _STATUSES.get(status) or ("server" if status >= 500 else "unknown")
    return kind


def _first(table: Mapping[str, Kind], keys: list[str]) -> Kind | None:
    """Return the value of the first of the keys that the table has. None if it has none of them."""
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
