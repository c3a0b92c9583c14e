"""Results of calls, the messages to the model about failures, and the events of a run."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Collection, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from ..json_text import JSONError, compact, loads
from ..models import (
    AgentEvent,
    AgentReasoning,
    AgentText,
    AgentToolResult,
    AudioPart,
    Completion,
    DocumentPart,
    ImagePart,
    InvalidCall,
    OpaquePart,
    ReasoningPart,
    TextPart,
    ToolCall,
    ToolResult,
    VideoPart,
)
from ..serialization import load
from ..tools.arguments import ArgumentsError
from .json_values import PLAIN, json_value

if TYPE_CHECKING:
    from ..tools.tool_entries import ToolEntry

__all__ = [
    "CANCELLED",
    "NOT_RUN",
    "NO_MORE_TURNS",
    "Returned",
    "ToolError",
    "answer_events",
    "denied_text",
    "error_result",
    "failure_text",
    "invalid_arguments_text",
    "invalid_call_text",
    "invalid_result_text",
    "result_event",
    "result_of_return",
    "timeout_text",
    "unknown_tool_text",
]

T = TypeVar("T")

Returned: TypeAlias = T | ToolResult | Awaitable[T | ToolResult]
"""A value of the declared result, or a `ToolResult`; both may be awaitable."""


_PARTS = (TextPart, ImagePart, DocumentPart, AudioPart, VideoPart, OpaquePart)

CANCELLED = "The call was cancelled."
"""The message to the model about a call that was not run because the run was cancelled."""

NOT_RUN = "The call was not run."
"""The message to the model about a call that nobody ran before the conversation continued."""

NO_MORE_TURNS = "The call was not run: the run has no more turns."
"""The message to the model about calls at the limit of turns."""

MAX_NAMES = 20
"""Maximum number of tools that a message lists."""

_REASONS: dict[str, str] = {
    "duplicate_id": "Another call of this message has the same id, so this one was not run.",
    "filtered": "A content filter blocked the call, so it was not run.",
    "not_an_object": "The arguments must be one JSON object. The call was not run.",
    "truncated": "The call was cut off, so it was not run. Send the complete call again.",
    "untrusted": "The call repeats text that a user or a tool wrote, so it was not run.",
}


class ToolError(Exception):
    """Raise this in a handler to tell the model what went wrong. Its message becomes the result, unchanged."""


def error_result(call: ToolCall, text: str) -> ToolResult:
    """Make the result of a call that failed."""
    return ToolResult(call.id, call.name, "error", text)


def result_of_return(call: ToolCall, entry: ToolEntry | None, value: Any) -> ToolResult:
    """Make the result of what a handler returned. Nothing in it is shared with what the handler holds.

    A tool without an entry declares nothing of its result.

    Raises:
        NoJSONError: The value cannot be written as JSON.
        ArgumentsError: The value does not fit the declared result.
        ConversionError: A result or part of the handler is not valid in the format.
    """
    if type(value) not in PLAIN:
        if isinstance(value, _PARTS):
            value = [value]
        if isinstance(value, ToolResult):
            made = _checked(replace(value, tool_call_id=call.id, name=call.name))
            if (
                entry is not None and made.kind == "data" and not made.trimmed and not made.is_error
            ):  # a part of an output, or what went wrong
                entry.check_result(made.value)
            return made
        if isinstance(value, Sequence) and value and all(isinstance(part, _PARTS) for part in value):
            return _checked(ToolResult(call.id, call.name, "multimodal", list(value)))
    plain = json_value(value)
    if entry is not None:
        entry.check_result(plain)
    kind: Literal["text", "data"] = "text" if isinstance(plain, str) else "data"
    return ToolResult(call.id, call.name, kind, plain)


def _checked(result: ToolResult) -> ToolResult:
    """Check a result of the app: each field has its type, and the value has the type of its kind."""
    return load(ToolResult, json_value(result))


def unknown_tool_text(name: str, known: Collection[str]) -> str:
    """Say that there is no such tool, and suggest similar names, or list all names."""
    near = get_close_matches(name[:64], known, n=3, cutoff=0.5)
    near += [one for one in sorted(known) if one.casefold() == name.casefold() and one not in near]
    if near:
        return f"There is no tool with this name. Did you mean {' or '.join(near)}?"
    if not known:
        return "There is no tool with this name. No tools are available."
    listed = sorted(known)[:MAX_NAMES]
    more = f" and {len(known) - MAX_NAMES} more" if len(known) > MAX_NAMES else ""
    return f"There is no tool with this name. The tools are: {', '.join(listed)}{more}."


def invalid_arguments_text(name: str, error: ArgumentsError) -> str:
    """Say what is wrong with the arguments of a call, with a line for each fault."""
    return f"The arguments do not fit {name}. The call was not run.\n{error}"


def invalid_call_text(invalid: InvalidCall) -> str:
    """Say why an invalid call was not run."""
    if invalid.reason != "malformed":
        return _REASONS[invalid.reason]
    try:
        loads(invalid.text)
    except JSONError as error:
        return f"The arguments are not strict JSON: text with {error}. The call was not run."
    return "The arguments are not strict JSON. The call was not run."


def denied_text(reason: str | None) -> str:
    """Say that a review denied a call."""
    return f"The call was refused: {reason}" if reason else "The call was refused."


def invalid_result_text(name: str) -> str:
    """Say that a tool ran, but returned a value that does not match its declaration."""
    return f"{name} ran, but its result does not match its declaration."


def timeout_text(name: str, seconds: float | None) -> str:
    """Say that a handler took too long."""
    return f"{name} did not finish within {seconds:g} seconds."


def failure_text(name: str, error: BaseException) -> str:
    """Say that a handler raised. The model only gets the name of the class."""
    return f"{name} failed: {type(error).__name__}."


def answer_events(completion: Completion) -> list[AgentEvent]:
    """Yield events for the parts of a response."""
    now = time.time() * 1000
    content = completion.message.content
    parts = [TextPart(content)] if isinstance(content, str) else content or []
    told: list[AgentEvent] = []
    for part in parts:
        if isinstance(part, TextPart) and part.text:
            told.append(AgentText(part.text, now))
        elif isinstance(part, ReasoningPart) and part.text:
            told.append(AgentReasoning(part.text, now))
    return told


def result_event(result: ToolResult) -> AgentToolResult:
    """Return an event for a result, as a user interface shows it: its text and its first image."""
    failure_text = True if result.kind == "error" or result.is_error else None
    if result.kind != "multimodal":
        text = compact(result.value) if result.kind == "data" else result.value
        return AgentToolResult(result.name, text, result.tool_call_id, failure_text)
    text = "".join(part.text for part in result.value if isinstance(part, TextPart))
    pictures: list[Any] = [part.data for part in result.value if isinstance(part, ImagePart) and part.data]
    return AgentToolResult(result.name, text, result.tool_call_id, failure_text, pictures[0] if pictures else None)
