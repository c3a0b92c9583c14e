"""Why an answer ended, by the format's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ..models import AssistantMessage, Completion, InvalidCall, ToolCallPart
from .json_text import compact

__all__ = ["FinishReason", "finish_reason", "hold_calls", "stop_word"]

FinishReason = Literal["stop", "length", "tool_calls", "content_filter", "error", "other"]


def finish_reason(
    word: Any, message: AssistantMessage, table: Mapping[str, Any], opaque_calls: bool = False
) -> FinishReason:
    """Derive the reason: a cut, a filter or a failure wins, then calls, then the provider's word.

    Providers say `stop` with calls there, and `tool_calls` with none; what is in the message decides.
    """
    reason: FinishReason = table.get(word, "other") if type(word) is str else "other"
    if reason in ("length", "content_filter", "error"):
        return reason
    content = message.content
    if type(content) is list and any(type(part) is ToolCallPart for part in content):
        return "tool_calls"
    if reason == "tool_calls" and not opaque_calls:
        return "stop"
    return reason


def hold_calls(message: AssistantMessage, reason: FinishReason) -> None:
    """Mark the calls of an answer that did not end as it should: valid JSON is no proof that a call is whole.

    Text that could not be read is that of a call which was cut, too.
    """
    if reason == "length" or reason == "error":
        fault: Literal["truncated", "filtered"] = "truncated"
    elif reason == "content_filter":
        fault = "filtered"
    else:
        return
    if type(message.content) is list:
        for part in message.content:
            if type(part) is ToolCallPart:
                unread = part.call.invalid
                part.call.invalid = InvalidCall(compact(part.call.arguments) if unread is None else unread.text, fault)


def stop_word(completion: Completion, table: Mapping[str, str], own: Mapping[str, Any]) -> str | None:
    """The provider's word for why an answer ended: its own, else the first of the table with that meaning.

    A word that the table lacks is this provider's where it left residue (`own`) in the answer, or where it means
    nothing else; the words of another provider say nothing here.
    """
    word = completion.stop_reason
    if word is not None and (word in table or own or completion.finish_reason == "other"):
        return word
    for word, reason in table.items():
        if reason == completion.finish_reason:
            return word
    return None
