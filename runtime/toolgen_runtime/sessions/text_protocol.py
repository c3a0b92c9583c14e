"""The text protocol: write tools, calls and results as text for a model without native tools, and read its response.

The tools that the model may call are at the start of the first system message. Texts from users and tools are
untrusted: if the model repeats a block from them, the call is not run.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..conversion.request_tools import check_request
from ..conversion.responses import mark_calls_invalid
from ..conversion.writer import OnLoss
from ..errors import ConversionLoss
from ..history import text_of, tool_calls_of
from ..json_text import dump_allowing_nan
from ..models import (
    AllowedToolChoice,
    AssistantMessage,
    CompletedEvent,
    Completion,
    ContentPart,
    ErrorEvent,
    Loss,
    Message,
    OpaquePart,
    ReasoningDelta,
    ReasoningPart,
    RefusalPart,
    Request,
    StreamEvent,
    SystemMessage,
    TextDelta,
    TextPart,
    ToolCallDelta,
    ToolCallEvent,
    ToolCallPart,
    ToolMessage,
    UserMessage,
)
from ..prompting.stream_parser import ResponseReader
from ..prompting.text_calls import accepted_names, results_text
from ..prompting.text_parser import CallMaker, parse_response_text
from ..prompting.tool_definitions_as_text import call_text, join_response_text, tools_text
from ..running.handlers import callable_tools

__all__ = [
    "TextStreamReader",
    "next_turn_index",
    "normalize_request",
    "parse_completion",
    "stream_events",
    "to_text_request",
    "untrusted_texts",
]


def normalize_request(request_or_text: Request | str) -> Request:
    """Return the request. A string becomes a request with one user message.

    Raises:
        TypeError: It is neither a request nor a string.
        ConversionError: A message or a tool in it is not an object of the format.
    """
    if isinstance(request_or_text, str):
        return Request([UserMessage(request_or_text)])
    if not isinstance(request_or_text, Request):
        hint = "; Request(messages) makes one of messages" if isinstance(request_or_text, list) else ""
        raise TypeError(f"a request must be a Request or a string, not {type(request_or_text).__name__}{hint}")
    check_request(request_or_text)
    return request_or_text


def to_text_request(request: Request, on_loss: OnLoss | None = None) -> Request:
    """Return the request with its tools, calls and results as text. Report parts that cannot be text.

    Raises:
        ConversionError: A schema, argument or result cannot be written as JSON.
    """
    for loss in _losses(request):
        if on_loss is not None:
            on_loss(loss)
        elif loss.severity != "note":
            warnings.warn(f"{loss.path}: {loss.action} {loss.what}: {loss.reason}", ConversionLoss, stacklevel=3)
    offered = tools_text(callable_tools(request))
    messages = [_message_as_text(message) for message in request.messages]
    if offered and messages and isinstance(messages[0], SystemMessage):
        first = messages[0]
        content: list[ContentPart] = [TextPart(first.content)] if isinstance(first.content, str) else first.content
        messages[0] = replace(first, content=[TextPart(offered), *content])
    elif offered:
        messages.insert(0, SystemMessage(offered))
    return replace(request, messages=messages, tools=None, tool_choice=None, parallel_tool_calls=None)


def _losses(request: Request) -> Iterator[Loss]:
    if request.tool_choice == "none" or (
        isinstance(request.tool_choice, AllowedToolChoice) and request.tool_choice.mode != "required"
    ):
        yield Loss("toolChoice", "the choice", "rewritten", "note", "tools that must not be called were left out")
    elif request.tool_choice not in (None, "auto"):
        yield Loss(
            "toolChoice",
            "the choice",
            "dropped",
            "behaviour",
            "a model without native tools cannot be forced to call one",
        )
    for i, tool in enumerate(request.tools or []):
        if isinstance(tool, OpaquePart):
            yield Loss(f"tools[{i}]", "a tool", "dropped", "warning", "it belongs to another provider")
    for i, message in enumerate(request.messages):
        if isinstance(message, AssistantMessage) and isinstance(message.content, list):
            for j, part in enumerate(message.content):
                if not isinstance(part, TextPart | RefusalPart | ReasoningPart | ToolCallPart):
                    yield Loss(
                        f"messages[{i}].content[{j}]", part.type, "dropped", "warning", "it cannot be written as text"
                    )


def _message_as_text(message: Message) -> Message:
    if isinstance(message, ToolMessage):
        text = results_text(message.results)
        media = [
            part
            for result in message.results
            if result.kind == "multimodal"
            for part in result.value
            if not isinstance(part, TextPart)
        ]
        return UserMessage([TextPart(text), *media] if media else text)
    if isinstance(message, AssistantMessage) and isinstance(message.content, list):
        return AssistantMessage(join_response_text(_pieces(message.content))[0], name=message.name)
    return message


def _pieces(parts: Sequence[Any]) -> list[tuple[str, bool]]:
    """Return the texts and calls of a message. Reasoning directly before a call becomes part of the call."""
    pieces: list[tuple[str, bool]] = []
    reasoning: str | None = None
    for part in parts:
        if isinstance(part, ToolCallPart):
            pieces.append((call_text(part.call, reasoning), True))
        elif isinstance(part, TextPart | RefusalPart):
            pieces.append((part.text, False))
        reasoning = part.text if isinstance(part, ReasoningPart) and part.text else None
    return pieces


def untrusted_texts(request: Request) -> list[str]:
    """Return the texts of a request that neither the model nor the app's author wrote."""
    found: list[str] = []
    for message in request.messages:
        if isinstance(message, UserMessage):
            found.append(text_of(message))
        elif isinstance(message, ToolMessage):
            for result in message.results:
                found += _texts(result.value)
    return found


def _texts(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, TextPart):
            yield one.text
        elif isinstance(one, dict):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, list):
            waiting += one


def next_turn_index(request: Request) -> int:
    """Return the index of the response's turn: the number of earlier assistant messages."""
    return sum(isinstance(message, AssistantMessage) for message in request.messages)


def _used(request: Request) -> set[str]:
    """Return the ids of earlier calls."""
    return {call.id for message in request.messages for call in tool_calls_of(message)}


def parse_completion(request: Request, returned: Completion | str) -> Completion:
    """Read the response of a model without native tools, and the calls in its text."""
    completion = Completion(AssistantMessage(returned), "stop") if isinstance(returned, str) else returned
    if not isinstance(completion.message.content, str | None) and not _is_text(completion.message.content):
        return completion
    text = text_of(completion.message)
    maker = CallMaker(next_turn_index(request), _used(request))
    message = parse_response_text(text, accepted_names(callable_tools(request)), untrusted_texts(request), maker)
    return _ended(replace(completion, message=_whole(message, completion.message)))


def _is_text(parts: Sequence[Any]) -> bool:
    return all(isinstance(part, TextPart | ReasoningPart | OpaquePart) for part in parts)


def _whole(message: AssistantMessage, original: AssistantMessage) -> AssistantMessage:
    """Add the reasoning and metadata of the response to the parsed message."""
    thought = [part for part in original.content or () if isinstance(part, ReasoningPart)]
    if thought:
        content = [TextPart(message.content)] if isinstance(message.content, str) else message.content or []
        message = replace(message, content=[*thought, *content])
    return replace(message, metadata={**(original.metadata or {}), **(message.metadata or {})} or None)


def _ended(completion: Completion) -> Completion:
    """Set the stop reason of a completion from its calls. Invalidate the calls of a response that was cut off."""
    content = completion.message.content
    called = isinstance(content, list) and any(isinstance(part, ToolCallPart) for part in content)
    reason = completion.finish_reason
    if reason in ("length", "error", "content_filter"):
        mark_calls_invalid(completion.message, reason)
        return completion
    return replace(completion, finish_reason="tool_calls" if called else "stop" if reason == "tool_calls" else reason)


class TextStreamReader:
    """Reads a response as it arrives. Call `feed` for each text, and `finish` when the response ends or fails."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._reader = ResponseReader(
            callable_tools(request), untrusted_texts(request), next_turn_index(request), used=_used(request)
        )
        self._text: list[str] = []

    def feed(self, text: str) -> list[StreamEvent]:
        """Read more text."""
        self._text.append(text)
        return self._reader.feed(text)

    def finish(self, error: BaseException | None = None) -> list[StreamEvent]:
        """Return the remaining events. If the response failed, all its calls are invalid."""
        events = self._reader.finish()
        raw = Completion(AssistantMessage("".join(self._text)), "stop" if error is None else "error")
        completion = parse_completion(self._request, raw)
        if error is not None:
            events.append(ErrorEvent(type(error).__name__))
        calls = [ToolCallEvent(call) for call in tool_calls_of(completion.message)]
        return [*events, *calls, CompletedEvent(completion)]


def stream_events(completion: Completion) -> Iterator[StreamEvent]:
    """Yield the events of a complete response."""
    content = completion.message.content
    index = 0
    for part in [TextPart(content)] if isinstance(content, str) else content or []:
        if isinstance(part, TextPart):
            yield TextDelta(part.text)
        elif isinstance(part, ReasoningPart):
            yield ReasoningDelta(part.text)
        elif isinstance(part, ToolCallPart):
            call = part.call
            text = dump_allowing_nan(call.arguments) if call.invalid is None else call.invalid.text
            yield ToolCallDelta(index, call.id, call.name, text)
            yield ToolCallEvent(call)
            index += 1
    yield CompletedEvent(completion)
