"""Histories: what is in a message, what is wrong with a history, and an explicit repair."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, TypeGuard

from .errors import ConversionError
from .json_text import loads
from .models import AssistantMessage, Finding, Message, TextPart, ToolCall, ToolCallPart, ToolMessage, ToolResult

__all__ = ["expand", "has_tool_calls", "is_tool_result", "repair", "text_of", "tool_calls_of", "validate"]


NO_RESULT = "no result recorded"


def has_tool_calls(message: Message) -> TypeGuard[AssistantMessage]:
    """Whether a message is the assistant's and asks for calls."""
    return type(message) is AssistantMessage and bool(tool_calls_of(message))


def is_tool_result(message: Message) -> TypeGuard[ToolMessage]:
    """Whether a message holds results of calls."""
    return type(message) is ToolMessage


def text_of(message: Message) -> str:
    """The text of a message, its text parts joined; of results those of kind text."""
    if type(message) is ToolMessage:
        return "".join(r.value for r in message.results if r.kind == "text")
    content: Any = getattr(message, "content", None)
    if type(content) is str:
        return content
    return "".join(part.text for part in content or () if type(part) is TextPart)


def tool_calls_of(message: Message) -> list[ToolCall]:
    """The calls of a message, in their order."""
    if type(message) is not AssistantMessage or type(message.content) is not list:
        return []
    return [part.call for part in message.content if type(part) is ToolCallPart]


def expand(result: ToolResult, fetch: Callable[[str], str]) -> ToolResult:
    """A trimmed result made whole: `fetch` gives the text that its reference names. One that is whole stays as it is.

    Of data the text is read as JSON; of parts it stands for their text, where the first of it was.

    Raises:
        ConversionError: the text of data is no JSON.
    """
    if not result.trimmed or result.output_ref is None:
        return result
    text = fetch(result.output_ref.id)
    value: Any = text
    if result.kind == "data":
        try:
            value = loads(text)
        except ValueError as error:
            raise ConversionError("value", "what was fetched is no JSON") from error
    elif result.kind == "multimodal":
        places = [i for i, part in enumerate(result.value) if type(part) is TextPart]
        value = [part for part in result.value if type(part) is not TextPart]
        value.insert(places[0] if places else 0, TextPart(text))
    return dataclasses.replace(result, value=value, trimmed=False)


def validate(messages: Sequence[Message]) -> list[Finding]:
    """What providers would refuse: calls without results, results without calls, ids twice, results out of order."""
    findings: list[Finding] = []
    calls: dict[str, int] = {}
    answered: set[str] = set()
    for i, message in enumerate(messages):
        for call in tool_calls_of(message):
            if call.id in calls:
                findings.append(Finding(f"messages[{i}]", "duplicate_id", "an id that a call before it has"))
            calls[call.id] = i
        if type(message) is ToolMessage:
            findings += _results(message, i, messages, calls, answered)
    for identifier, i in calls.items():
        if identifier not in answered:
            findings.append(Finding(f"messages[{i}]", "orphan_call", "a call has no result"))
    return findings


def _results(
    message: ToolMessage,
    i: int,
    messages: Sequence[Message],
    calls: dict[str, int],
    answered: set[str],
) -> list[Finding]:
    findings: list[Finding] = []
    for j, result in enumerate(message.results):
        place = f"messages[{i}].results[{j}]"
        turn = calls.get(result.tool_call_id)
        if turn is None:
            findings.append(Finding(place, "orphan_result", "no call before it has its id"))
        elif result.tool_call_id in answered:
            findings.append(Finding(place, "duplicate_result", "its call has a result already"))
        elif any(type(m) is not ToolMessage for m in messages[turn + 1 : i]):
            findings.append(Finding(place, "wrong_order", "other messages stand between the call and its result"))
        if turn is not None and not result.name:
            findings.append(Finding(place, "missing_name", "the name of the tool is empty"))
        answered.add(result.tool_call_id)
    return findings


def repair(messages: Sequence[Message]) -> tuple[list[Message], list[Finding]]:
    """Mend a history, and say what was done; the messages given are not changed.

    A call without a result gets an error result; a result without a call, or a second one, is dropped; results move
    directly behind their calls. A result that is paired is never dropped. Calls with an id that was used before are
    left as they are: which of them a result answers cannot be told.
    """
    findings = validate(messages)
    if not findings:
        return list(messages), []
    results: dict[str, ToolResult] = {}
    for message in messages:
        if type(message) is ToolMessage:
            for result in message.results:
                results.setdefault(result.tool_call_id, result)
    mended: list[Message] = []
    done: set[str] = set()
    for message in messages:
        if type(message) is ToolMessage:
            continue
        mended.append(message)
        calls = [call for call in tool_calls_of(message) if call.id not in done]
        if calls:
            mended.append(ToolMessage([_result(call, results.get(call.id)) for call in calls]))
            done.update(call.id for call in calls)
    return mended, findings


def _result(call: ToolCall, result: ToolResult | None) -> ToolResult:
    if result is None:
        return ToolResult(call.id, call.name, "error", NO_RESULT)
    if result.name:
        return result
    return ToolResult(
        result.tool_call_id,
        call.name,
        result.kind,
        result.value,
        result.is_error,
        result.output_ref,
        result.trimmed,
        result.metadata,
    )
