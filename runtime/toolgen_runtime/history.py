"""Functions for messages and conversations: read parts, validate a history, and repair it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias, TypeGuard

from .errors import ConversionError, is_collection
from .json_text import loads
from .models import (
    AssistantMessage,
    Finding,
    Message,
    SystemMessage,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolMessage,
    ToolResult,
    UserMessage,
)

__all__ = [
    "calls_without_result",
    "expand",
    "has_tool_calls",
    "is_tool_result",
    "repair",
    "text_of",
    "tool_calls_of",
    "validate",
]


NO_RESULT = "no result recorded"

FindingCode: TypeAlias = Literal[
    "orphan_call", "orphan_result", "duplicate_id", "duplicate_result", "wrong_order", "missing_name"
]

_OTHERS = frozenset([SystemMessage, UserMessage, AssistantMessage])


def _check_message(message: Message) -> None:
    """Check that a value is a message. A completion, for example, only has one.

    Raises:
        TypeError: It is not.
    """
    if not isinstance(message, Message):
        raise TypeError(f"expected a message, found {type(message).__name__}")


def has_tool_calls(message: Message) -> TypeGuard[AssistantMessage]:
    """Return whether a message is from the assistant and contains calls.

    Args:
        message: The message.

    Returns:
        True for an assistant message with at least one call.

    Raises:
        TypeError: The value is not a message.
    """
    _check_message(message)
    return type(message) is AssistantMessage and bool(tool_calls_of(message))


def is_tool_result(message: Message) -> TypeGuard[ToolMessage]:
    """Return whether a message contains results of calls.

    Args:
        message: The message.

    Returns:
        True for a tool message.

    Raises:
        TypeError: The value is not a message.
    """
    _check_message(message)
    return type(message) is ToolMessage


def text_of(message: Message) -> str:
    """Join the text of a message. For results, this is the text of kind `text`.

    Args:
        message: The message.

    Returns:
        The text; empty if there is none.

    Raises:
        TypeError: The value is not a message.
    """
    _check_message(message)
    if type(message) is ToolMessage:
        return "".join(r.value for r in message.results if r.kind == "text")
    content: Any = getattr(message, "content", None)
    if type(content) is str:
        return content
    return "".join(part.text for part in content or () if type(part) is TextPart)


def tool_calls_of(message: Message) -> list[ToolCall]:
    """Return the calls of a message.

    Args:
        message: The message.

    Returns:
        The calls, in order.

    Raises:
        TypeError: The value is not a message.
    """
    _check_message(message)
    if type(message) is not AssistantMessage or type(message.content) is not list:
        return []
    return [part.call for part in message.content if type(part) is ToolCallPart]


def expand(result: ToolResult, fetch: Callable[[str], str]) -> ToolResult:
    """Replace a truncated result by the complete one.

    A result that is complete is returned as it is. For `data`, the fetched text is read as JSON. For `multimodal`, it
    replaces the text parts.

    Args:
        result: The result.
        fetch: Function that returns the stored text for the id of a reference.

    Returns:
        The complete result.

    Raises:
        ConversionError: The fetched text of `data` is not valid JSON.
    """
    if not result.trimmed or result.output_ref is None:
        return result
    text = fetch(result.output_ref.id)
    value: Any = text
    if result.kind == "data":
        try:
            value = loads(text)
        except ValueError as error:
            raise ConversionError("value", "the fetched result is not valid JSON") from error
    elif result.kind == "multimodal":
        positions = [i for i, part in enumerate(result.value) if type(part) is TextPart]
        value = [part for part in result.value if type(part) is not TextPart]
        value.insert(positions[0] if positions else 0, TextPart(text))
    return replace(result, value=value, trimmed=False)


def validate(messages: Sequence[Message]) -> list[Finding]:
    """Find what providers would reject: missing results, missing calls, duplicate ids, and results out of order.

    A result belongs to the last call before it that has its id and no result yet, so ids may repeat in later turns.

    Args:
        messages: The messages of a conversation, in order.

    Returns:
        The findings; empty if the history is valid.

    Raises:
        TypeError: The value is not a list of messages.
    """
    return _CallResultPairs(messages).findings()


def repair(messages: Sequence[Message]) -> tuple[list[Message], list[Finding]]:
    """Fix everything that `validate` finds. The given messages are not changed.

    A call without a result gets an error result. A result without a call, or a second result, is dropped. Results move
    directly after their calls. A call with a duplicate id gets a new one, and so does its result. Results that belong
    to a call are never dropped, and valid turns are not changed.

    Args:
        messages: The messages of a conversation, in order.

    Returns:
        The repaired messages, and the findings of `validate`.

    Raises:
        TypeError: The value is not a list of messages.
    """
    pairs = _CallResultPairs(messages)
    findings = pairs.findings()
    return (pairs.repaired() if findings else list(messages)), findings


class _Call:
    """A call of a history: its message, and its result once that is known."""

    __slots__ = ("at", "call", "id", "result")

    def __init__(self, call: ToolCall, at: int, identifier: str) -> None:
        self.call = call
        self.at = at
        self.id = identifier
        self.result: ToolResult | None = None


class _CallResultPairs:
    """The calls of a history with their results, and the findings about them."""

    def __init__(self, messages: Sequence[Message]) -> None:
        if not is_collection(messages):
            raise TypeError(f"expected a list of messages, found {type(messages).__name__}")
        for i, message in enumerate(messages):
            if type(message) is not ToolMessage and type(message) not in _OTHERS:
                raise TypeError(f"messages[{i}]: expected a message, found {type(message).__name__}")
        self._messages = messages
        self._calls: list[list[_Call]] = []
        """The calls of each message."""
        self._findings: list[Finding] = []
        self._used = {call.id for message in messages for call in tool_calls_of(message)}
        self._called: set[str] = set()
        """The ids of the calls so far."""
        self._open: dict[str, list[deque[_Call]]] = {}
        """By id: the calls that have no result so far, message by message."""
        early: list[tuple[int, int, ToolResult]] = []
        turn = last_other = -1
        for i, message in enumerate(messages):
            self._calls.append([])
            if type(message) is not ToolMessage:
                last_other = i
                turn += type(message) is AssistantMessage
                self._add_calls(message, i, turn)
                continue
            for j, result in enumerate(message.results):
                if result.tool_call_id in self._called:
                    self._pair(result, i, j, last_other, from_last=True)
                else:
                    early.append((i, j, result))
        for i, j, result in _grouped_by_id(early):
            if result.tool_call_id in self._called:
                self._pair(result, i, j, len(messages), from_last=False)
            else:
                self._add(f"messages[{i}].results[{j}]", "orphan_result", "no call has this id")

    def _add_calls(self, message: Message, at: int, turn: int) -> None:
        """Add the calls of a message. One with the id of an earlier call gets a new id."""
        for position, call in enumerate(tool_calls_of(message)):
            identifier = call.id
            if identifier in self._called:
                self._add(f"messages[{at}]", "duplicate_id", "an earlier call has the same id")
                identifier = self._new_id(turn, position)
            self._called.add(call.id)
            added = _Call(call, at, identifier)
            self._calls[at].append(added)
            waiting = self._open.setdefault(call.id, [])
            if not waiting or waiting[-1][0].at != at:
                waiting.append(deque())
            waiting[-1].append(added)

    def _pair(self, result: ToolResult, i: int, j: int, last_other: int, *, from_last: bool) -> None:
        """Give a result to the next call with its id, of the last message that has such a call, or of the first one."""
        path = f"messages[{i}].results[{j}]"
        waiting = self._open.get(result.tool_call_id)
        if not waiting:
            self._add(path, "duplicate_result", "the call already has a result")
            return
        call = _take_call(waiting, -1 if from_last else 0)
        call.result = result
        if last_other > call.at:
            self._add(path, "wrong_order", "the result does not directly follow its call")
        if not result.name:
            self._add(path, "missing_name", "the name of the tool is empty")

    def findings(self) -> list[Finding]:
        """Return the findings. Those about calls without a result come last."""
        orphans = [i for i, calls in enumerate(self.without_result()) for _ in calls]
        return self._findings + [Finding(f"messages[{i}]", "orphan_call", "the call has no result") for i in orphans]

    def without_result(self) -> list[list[ToolCall]]:
        """Return the calls without a result, by message."""
        return [[call.call for call in calls if call.result is None] for calls in self._calls]

    def repaired(self) -> list[Message]:
        """Return the repaired messages: each call has one result, directly after it."""
        fixed: list[Message] = []
        i = 0
        while i < len(self._messages):
            message, calls = self._messages[i], self._calls[i]
            i += 1
            if type(message) is ToolMessage:
                continue
            fixed.append(_with_ids(message, calls))
            if not calls:
                continue
            start = i
            while i < len(self._messages) and type(self._messages[i]) is ToolMessage:
                i += 1
            fixed += _results(calls, [m for m in self._messages[start:i] if type(m) is ToolMessage])
        return fixed

    def _add(self, path: str, code: FindingCode, message: str) -> None:
        self._findings.append(Finding(path, code, message))

    def _new_id(self, turn: int, position: int) -> str:
        """Return an id for the call at a position of a turn that no other call has."""
        identifier = f"call_{turn}_{position}"
        number = 1
        while identifier in self._used:
            number += 1
            identifier = f"call_{turn}_{position}_{number}"
        self._used.add(identifier)
        return identifier


def _grouped_by_id(early: list[tuple[int, int, ToolResult]]) -> list[tuple[int, int, ToolResult]]:
    """Return results with their indexes so that those with one id follow each other, in the order of the ids."""
    by_id: dict[str, list[tuple[int, int, ToolResult]]] = {}
    for entry in early:
        by_id.setdefault(entry[2].tool_call_id, []).append(entry)
    return [entry for entries in by_id.values() for entry in entries]


def _take_call(waiting: list[deque[_Call]], index: int) -> _Call:
    """Remove and return the next call without a result, from the first or last message (`index`) that has such calls."""
    call = waiting[index].popleft()
    if not waiting[index]:
        del waiting[index]
    return call


def _with_ids(message: Message, calls: list[_Call]) -> Message:
    """Return an assistant message whose calls have the intended ids; the same object if nothing changes."""
    if type(message) is not AssistantMessage or type(message.content) is not list:
        return message
    if all(call.id == call.call.id for call in calls):
        return message
    ids = iter(calls)
    content = [
        replace(part, call=replace(part.call, id=next(ids).id)) if type(part) is ToolCallPart else part
        for part in message.content
    ]
    return replace(message, content=content)


def _results(calls: list[_Call], after: list[ToolMessage]) -> list[ToolMessage]:
    """Return the results of one message's calls, or the tool messages after it if they are already correct."""
    results = [result for message in after for result in message.results]
    expected = [_result(call) for call in calls]
    if len(results) == len(expected) and {id(result) for result in results} == {id(result) for result in expected}:
        return after
    return [ToolMessage(expected, after[0].metadata if after else None)]


def _result(call: _Call) -> ToolResult:
    """Return the result of a call, with its new id and its name; an error if it has none."""
    result, name = call.result, call.call.name
    if result is None:
        return ToolResult(call.id, name, "error", NO_RESULT)
    if result.name and call.id == call.call.id:
        return result
    return replace(result, tool_call_id=call.id, name=result.name or name)


def calls_without_result(messages: Sequence[Message]) -> list[tuple[int, list[ToolCall]]]:
    """Return the turns with calls that have no result, as `validate` finds them: the index of each message, and those calls."""
    turns = enumerate(_CallResultPairs(messages).without_result())
    return [(turn, calls) for turn, calls in turns if calls]
