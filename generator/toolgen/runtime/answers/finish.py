"""Why an answer ended, by the format's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ...models import AssistantMessage, Completion, InvalidCall, ToolCallPart
from ..json_texts.json_text import loose

__all__ = ["FinishReason", "finish_reason", "hold_call", "hold_calls", "stop_word"]

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
    if type(content) is list:
        for part in content:
            if type(part) is ToolCallPart:
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
                part.call.invalid = InvalidCall(loose(part.call.arguments) if unread is None else unread.text, fault)


def hold_call(
    message: AssistantMessage,
    index: int,
    reason: Literal["truncated", "malformed"] = "truncated",
    text: str | None = None,
) -> None:
    """Mark one call of an answer, by its place among the calls, as cut off, or as one that could not be read."""
    content = message.content
    calls = [part.call for part in content if type(part) is ToolCallPart] if type(content) is list else []
    if index < len(calls):
        calls[index].invalid = InvalidCall(loose(calls[index].arguments) if text is None else text, reason)


def stop_word(completion: Completion, table: Mapping[str, str], own: Mapping[str, Any]) -> str | None:
    """The provider's word for why an answer ended: its own, else the first of the table with that meaning.

    A word that the table lacks is this provider's where it left residue (`own`) in the answer, or where it means
    nothing else; the words of another provider say nothing here. Where there is no word for calls, the answer ended
    as it should.
    """
    word = completion.stop_reason
    if word is not None and (word in table or own or completion.finish_reason == "other"):
        return word
    meaning = completion.finish_reason
    if meaning == "tool_calls" and meaning not in table.values():
        meaning = "stop"
    return next((word for word, reason in table.items() if reason == meaning), None)
