"""The text protocol: write tools, calls and results as text for a model without native tools, and read its response.

The tools that the model may call are at the start of the first system message. Texts from users and tools are
untrusted: if the model repeats a block from them, the call is not run.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..conversion.request_tools import check_request, lost_choice
from ..conversion.responses import mark_calls_invalid
from ..conversion.writer import OnLoss, call_on_loss
from ..errors import ConversionLoss
from ..history import text_of, tool_calls_of
from ..json_text import dump_allowing_nan
from ..models import (
    AllowedToolChoice,
    AssistantMessage,
    AssistantPart,
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
    ToolResult,
    UserMessage,
)
from ..prompting.stream_parser import ResponseReader
from ..prompting.text_calls import ResponsePiece, accepted_names, call_text, join_response_text, results_text
from ..prompting.text_parser import CallMaker, parse_response_text
from ..prompting.tool_definitions_as_text import tools_text
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
    for loss in _losses_as_text(request):
        if on_loss is not None:
            call_on_loss(on_loss, loss)
        elif loss.severity != "note":
            warnings.warn(f"{loss.path}: {loss.action} {loss.what}: {loss.reason}", ConversionLoss, stacklevel=3)
    tools = tools_text(callable_tools(request))
    messages = [_message_as_text(message) for message in request.messages]
    if tools:
        messages = _with_tools(tools, messages)
    return replace(request, messages=messages, tools=None, tool_choice=None, parallel_tool_calls=None)


def _with_tools(tools: str, messages: list[Message]) -> list[Message]:
    """Return the messages with the text about tools at the start of the first system message."""
    first, following = messages[0] if messages else None, messages[1:]
    if isinstance(first, SystemMessage):
        content: list[ContentPart] = [TextPart(first.content)] if isinstance(first.content, str) else first.content
        return [replace(first, content=[TextPart(tools), *content]), *following]
    return [SystemMessage(tools), *messages]


def _losses_as_text(request: Request) -> Iterator[Loss]:
    """Yield what a request loses as text: forced calls, tools of other providers, and parts without a text."""
    choice = request.tool_choice
    excludes_tools = choice == "none" or (isinstance(choice, AllowedToolChoice) and choice.mode != "required")
    if excludes_tools:
        reason = "tools that must not be called were left out"
        yield Loss("toolChoice", "the choice", "rewritten", "note", reason)
    elif choice not in (None, "auto"):
        reason = "a model without native tools cannot be forced to call one"
        yield Loss("toolChoice", "the choice", "dropped", "behaviour", reason)
    elif (lost := lost_choice(request, None)) is not None:
        yield Loss("toolChoice", "the choice", "dropped", "behaviour", lost)
    for i, tool in enumerate(request.tools or []):
        if isinstance(tool, OpaquePart):
            yield Loss(f"tools[{i}]", "a tool", "dropped", "warning", "it belongs to another provider")
    for i, message in enumerate(request.messages):
        if not isinstance(message, AssistantMessage) or not isinstance(message.content, list):
            continue
        for j, part in enumerate(message.content):
            if not isinstance(part, TextPart | RefusalPart | ReasoningPart | ToolCallPart):
                path = f"messages[{i}].content[{j}]"
                yield Loss(path, part.type, "dropped", "warning", "it cannot be written as text")


def _message_as_text(message: Message) -> Message:
    """Return a message with its calls or results as text. Media of results stay parts of the user message."""
    if isinstance(message, ToolMessage):
        text = results_text(message.results)
        media = [part for result in message.results for part in _media(result)]
        return UserMessage([TextPart(text), *media] if media else text)
    if isinstance(message, AssistantMessage) and isinstance(message.content, list):
        return AssistantMessage(join_response_text(_response_pieces(message.content)), name=message.name)
    return message


def _media(result: ToolResult) -> list[ContentPart]:
    """Return the parts of a result that are not text."""
    if result.kind != "multimodal":
        return []
    return [part for part in result.value if not isinstance(part, TextPart)]


def _response_pieces(parts: Sequence[AssistantPart]) -> list[ResponsePiece]:
    """Return the texts and calls of a message. Reasoning directly before a call becomes part of the call."""
    pieces: list[ResponsePiece] = []
    reasoning: str | None = None
    for part in parts:
        if isinstance(part, ToolCallPart):
            pieces.append(ResponsePiece(call_text(part.call, reasoning), True))
        elif isinstance(part, TextPart | RefusalPart):
            pieces.append(ResponsePiece(part.text, False))
        reasoning = part.text if isinstance(part, ReasoningPart) and part.text else None
    return pieces


def untrusted_texts(request: Request) -> list[str]:
    """Return the texts of a request that neither the model nor the app's author wrote."""
    texts: list[str] = []
    for message in request.messages:
        if isinstance(message, UserMessage):
            texts.append(text_of(message))
        elif isinstance(message, ToolMessage):
            for result in message.results:
                texts += _texts_in(result.value)
    return texts


def _texts_in(value: Any) -> Iterator[str]:
    """Yield all texts in the value of a result, including the keys of objects."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, TextPart):
            yield item.text
        elif isinstance(item, dict):
            waiting += [*item.keys(), *item.values()]
        elif isinstance(item, list):
            waiting += item


def next_turn_index(request: Request) -> int:
    """Return the index of the response's turn: the number of earlier assistant messages."""
    return sum(isinstance(message, AssistantMessage) for message in request.messages)


def _call_ids(request: Request) -> set[str]:
    """Return the ids of all calls of a request's history."""
    return {call.id for message in request.messages for call in tool_calls_of(message)}


def parse_completion(request: Request, returned: Completion | str) -> Completion:
    """Read the response of a model without native tools, and the calls in its text."""
    completion = Completion(AssistantMessage(returned), "stop") if isinstance(returned, str) else returned
    original = completion.message
    if isinstance(original.content, list) and not _is_text(original.content):
        return completion
    parsed = parse_response_text(
        text_of(original),
        accepted_names(callable_tools(request)),
        untrusted_texts(request),
        CallMaker(next_turn_index(request), _call_ids(request)),
    )
    message = _with_reasoning_and_metadata(parsed, original)
    if completion.finish_reason in ("length", "error", "content_filter"):
        mark_calls_invalid(message, completion.finish_reason)
        return replace(completion, message=message)
    reason = completion.finish_reason
    if tool_calls_of(message):
        reason = "tool_calls"
    elif reason == "tool_calls":
        reason = "stop"
    return replace(completion, message=message, finish_reason=reason)


def _is_text(parts: Sequence[AssistantPart]) -> bool:
    return all(isinstance(part, TextPart | ReasoningPart | OpaquePart) for part in parts)


def _with_reasoning_and_metadata(parsed: AssistantMessage, original: AssistantMessage) -> AssistantMessage:
    """Return the parsed message with the reasoning and metadata of the response."""
    reasoning = [part for part in original.content or () if isinstance(part, ReasoningPart)]
    metadata = {**(original.metadata or {}), **(parsed.metadata or {})} or None
    if not reasoning:
        return replace(parsed, metadata=metadata)
    content = [TextPart(parsed.content)] if isinstance(parsed.content, str) else parsed.content or []
    return replace(parsed, content=[*reasoning, *content], metadata=metadata)


class TextStreamReader:
    """Reads a response as it arrives. Call `feed` for each text, and `finish` when the response ends or fails."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._reader = ResponseReader(
            callable_tools(request), untrusted_texts(request), next_turn_index(request), used=_call_ids(request)
        )
        self._text: list[str] = []

    def feed(self, text: str) -> list[StreamEvent]:
        """Read more text."""
        self._text.append(text)
        return self._reader.feed(text)

    def finish(self, error: BaseException | None = None) -> list[StreamEvent]:
        """Return the remaining events. If the response failed, all its calls are invalid."""
        events = self._reader.finish()
        as_text = Completion(AssistantMessage("".join(self._text)), "stop" if error is None else "error")
        completion = parse_completion(self._request, as_text)
        if error is not None:
            events.append(ErrorEvent(type(error).__name__))
        calls = [ToolCallEvent(call) for call in tool_calls_of(completion.message)]
        return [*events, *calls, CompletedEvent(completion)]


def stream_events(completion: Completion) -> Iterator[StreamEvent]:
    """Yield the events of a complete response."""
    content = completion.message.content
    call_index = 0
    for part in [TextPart(content)] if isinstance(content, str) else content or []:
        if isinstance(part, TextPart):
            yield TextDelta(part.text)
        elif isinstance(part, ReasoningPart):
            yield ReasoningDelta(part.text)
        elif isinstance(part, ToolCallPart):
            call = part.call
            arguments = dump_allowing_nan(call.arguments) if call.invalid is None else call.invalid.text
            yield ToolCallDelta(call_index, call.id, call.name, arguments)
            yield ToolCallEvent(call)
            call_index += 1
    yield CompletedEvent(completion)
