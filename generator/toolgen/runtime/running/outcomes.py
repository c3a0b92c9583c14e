"""What a call gave, as a result: the value of a handler by one rule, or words that let the model mend its call.

A text becomes `text`, content parts become `multimodal`, everything else `data`; a handler that returns a `ToolResult`
chose for itself. Texts for the model name places, types and declared tools; no values, no traces, no messages of
exceptions, for those may hold what the model must not see.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal

from ...models import (
    AudioPart,
    DocumentPart,
    ImagePart,
    InvalidCall,
    OpaquePart,
    TextPart,
    ToolCall,
    ToolResult,
    VideoPart,
)
from ..format.values import load
from ..json_texts.strict_json import JSONError, loads
from ..tools.arguments import ArgumentsError
from .json_values import json_value

if TYPE_CHECKING:
    from ..tools.tool_entries import ToolEntry

__all__ = ["ToolError", "cannot_run", "error_result", "outcome_of", "unfit", "unknown"]

_PARTS = (TextPart, ImagePart, DocumentPart, AudioPart, VideoPart, OpaquePart)

MAX_NAMES = 20
"""Tools that a message lists."""

_REASONS: dict[str, str] = {
    "duplicate_id": "Another call of this message has the same id, so this one was not run.",
    "filtered": "The call was held back by a content filter and was not run.",
    "not_an_object": "The arguments must be one JSON object. The call was not run.",
    "truncated": "The call was cut off and was not run. Send it again, whole.",
    "untrusted": "The call repeats a text that somebody else wrote, and was not run.",
}


class ToolError(Exception):
    """What a handler raises to tell the model what went wrong: its text becomes the result, as it is."""


def error_result(call: ToolCall, text: str) -> ToolResult:
    """Make the result of a call that failed."""
    return ToolResult(call.id, call.name, "error", text)


def outcome_of(call: ToolCall, entry: ToolEntry, value: Any) -> ToolResult:
    """Make the result of what a handler returned. Nothing in it is shared with what the handler holds.

    Raises:
        NoJSONError: JSON cannot say it.
        ArgumentsError: it is not what the tool declares as its result.
        ConversionError: a result or a part that the handler made is none of the format.
    """
    if isinstance(value, _PARTS):
        value = [value]
    if isinstance(value, ToolResult):
        made = _checked(replace(value, tool_call_id=call.id, name=call.name))
        if made.kind == "data" and not made.trimmed and not made.is_error:  # a part of an output, or what went wrong
            entry.check_result(made.value)
        return made
    if isinstance(value, Sequence) and value and all(isinstance(part, _PARTS) for part in value):
        return _checked(ToolResult(call.id, call.name, "multimodal", list(value)))
    plain = json_value(value)
    entry.check_result(plain)
    kind: Literal["text", "data"] = "text" if isinstance(plain, str) else "data"
    return ToolResult(call.id, call.name, kind, plain)


def _checked(result: ToolResult) -> ToolResult:
    """A result of the app's own making as the format has it: each field of its type, the value as its kind says."""
    return load(ToolResult, json_value(result))


def unknown(name: str, known: Collection[str]) -> str:
    """Say that there is no such tool, and which one may have been meant: the nearest names, else all there are."""
    near = get_close_matches(name[:64], known, n=3, cutoff=0.5)
    near += [one for one in sorted(known) if one.casefold() == name.casefold() and one not in near]
    if near:
        return f"There is no tool of that name. Perhaps {' or '.join(near)} is meant."
    if not known:
        return "There is no tool of that name. There are none."
    listed = sorted(known)[:MAX_NAMES]
    more = f" and {len(known) - MAX_NAMES} more" if len(known) > MAX_NAMES else ""
    return f"There is no tool of that name. There are: {', '.join(listed)}{more}."


def unfit(name: str, error: ArgumentsError) -> str:
    """Say what is wrong with the arguments of a call, a line for each fault."""
    return f"The arguments do not fit {name}. The call was not run.\n{error}"


def cannot_run(invalid: InvalidCall) -> str:
    """Say why a call that is marked as invalid was not run."""
    if invalid.reason != "malformed":
        return _REASONS[invalid.reason]
    try:
        loads(invalid.text)
    except JSONError as error:
        return f"The arguments are no strict JSON: text with {error}. The call was not run."
    return "The arguments are no strict JSON. The call was not run."
