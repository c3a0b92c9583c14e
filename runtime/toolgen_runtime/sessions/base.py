"""Sessions, through which the tool loop and apps talk to a model.

A subclass only has to implement `send`. By default, it is for a model without native tools: tools and results are sent
as text, and calls are read from text. With `ToolMode.NATIVE`, for models with native tools, `send` gets whole requests.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from types import TracebackType
from typing import Any, Self, TypeAlias

from ..conversion.writer import OnLoss
from ..history import text_of
from ..hooks import areport_losses, report_losses
from ..models import (
    ApiError,
    AssistantMessage,
    Completion,
    ContentPart,
    Message,
    OpaquePart,
    Request,
    StreamEvent,
    ToolCall,
    ToolCallPart,
    ToolDefinition,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from ..running.sync_runner import aclosing, closing
from .text_protocol import TextStreamReader, normalize_request, parse_completion, stream_events, to_text_request

__all__ = [
    "AsyncScriptedSession",
    "AsyncSession",
    "ScriptedResponse",
    "ScriptedSession",
    "Session",
    "SessionBase",
    "ToolMode",
]


class ToolMode(Enum):
    """How a session passes tools to the model, and reads its calls."""

    NATIVE = "native"
    """Through the tool parameters and content blocks of the API."""
    PROMPT_BASED = "prompt_based"
    """As text in messages."""


class SessionBase:
    """The base of both kinds of sessions: mode, model, and a conversation for apps that do not keep one.

    Everything has a default, so that a session of an app does not have to call `__init__`.
    """

    tool_mode: ToolMode = ToolMode.PROMPT_BASED
    """The mode. It does not change during a session."""
    model: str | None = None
    """The model of requests that do not name one."""
    offered: Sequence[str] | None = None
    """The names of the declared tools that this model may get, or None for all of them."""
    output_schemas: bool = True
    """Whether the API has output schemas. If not, the prompt has them."""
    forbids_calls: bool = True
    """Whether a request with tools can forbid calls. If not, a last request allows them, and none of them runs."""
    paused: Collection[str] = ()
    """Stop reasons that mean that the provider interrupted a turn. The next request continues it."""
    on_loss: OnLoss | None = None
    """Called with each loss of a request before it is sent, and of the arguments of calls that a run with this session
    runs. It may be async. If None, and a run has none either, all losses except notes are issued as Python warnings."""

    _conversation: list[Message] | None = None
    _conversation_tools: list[ToolDefinition | OpaquePart] | None = None

    def accepts_output_schema(self, request: Request) -> bool:
        """Return whether the API accepts an output schema in a request. If not, the prompt has it."""
        return self.output_schemas

    def error_of(self, completion: Completion) -> ApiError | None:
        """Return the error that the API stated in a response that it returned nevertheless. None if it stated none."""
        return None

    @property
    def messages(self) -> list[Message]:
        """The conversation of `send_with_tools` and `send_tool_results`. Clear it to start a new one."""
        if self._conversation is None:
            self._conversation = []
        return self._conversation

    def prepare_request(self, request: Request | str) -> Request:
        """Return the request, with the session's model if it does not name one."""
        normalized = normalize_request(request)
        return replace(normalized, model=self.model) if normalized.model is None else normalized

    def _check_returned(self, returned: Any) -> Completion | str:
        """Return what `send` returned.

        Raises:
            TypeError: The value is neither a string nor a completion.
        """
        if isinstance(returned, str | Completion):
            return returned
        message = f"{type(self).__name__}.send must return a string or a Completion, not {type(returned).__name__}"
        if inspect.iscoroutine(returned):
            returned.close()
            message += "; use AsyncSession if send is async"
        raise TypeError(message)

    def _next_request(self, message: Message) -> Request:
        """Return the request that continues the session's conversation with a message."""
        return Request([*self.messages, message], tools=self._conversation_tools or None)

    def _add_turn(self, message: Message, completion: Completion) -> None:
        """Add a message and the response to it to the session's conversation."""
        self.messages.extend([message, completion.message])


class Session(SessionBase):
    """A conversation with a model. Override `send` to get a working session.

    Use it as a context manager to close it: `with connect(config) as session:`.
    """

    def close(self) -> None:
        """Close the session's connections. This class has none."""

    def __enter__(self) -> Self:
        """Return the session."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the session."""
        self.close()

    def send(self, request: Request | str) -> Completion | str:
        """Send one request.

        If the mode is PROMPT_BASED, `complete` passes requests that contain only text, and `send` may return a string.

        Args:
            request: The request, or the text of a user message.

        Returns:
            The response.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement send")

    def pieces(self, request: Request) -> Iterator[str]:
        """Send a request that contains only text, and yield the response as it arrives. Override this to stream.

        Args:
            request: The request.

        Yields:
            Pieces of the text of the response.
        """
        returned = self._check_returned(self.send(request))
        yield returned if isinstance(returned, str) else text_of(returned.message)

    def complete(self, request: Request | str) -> Completion:
        """Send one request with its tools, in any mode.

        Args:
            request: The request, or the text of a user message.

        Returns:
            The response, with its calls.
        """
        prepared = self.prepare_request(request)
        is_native = self.tool_mode is ToolMode.NATIVE
        returned = self._check_returned(self.send(prepared if is_native else self._as_text(prepared)))
        if is_native and isinstance(returned, Completion):
            return returned
        return parse_completion(prepared, returned)

    def stream(self, request: Request | str) -> Iterator[StreamEvent]:
        """Send one request with its tools, and yield the events of the response as they arrive.

        Args:
            request: The request, or the text of a user message.

        Yields:
            The events; the last one is `completed`. If the stream fails after its first event, there is an `error`
            event.

        Raises:
            Exception: An error before the first event.
        """
        prepared = self.prepare_request(request)
        if self.tool_mode is ToolMode.NATIVE:
            yield from stream_events(self.complete(prepared))
            return
        reader = TextStreamReader(prepared)
        failure: Exception | None = None
        has_begun = False
        try:
            with closing(self.pieces(self._as_text(prepared))) as texts:
                for text in texts:
                    has_begun = True
                    yield from reader.feed(text)
        except Exception as raised:
            if not has_begun:
                raise
            failure = raised
        yield from reader.finish(failure)

    def _as_text(self, request: Request) -> Request:
        """Return the request with its tools, calls and results as text, and report its losses."""
        return report_losses(self.on_loss, lambda on_loss: to_text_request(request, on_loss))

    def send_with_tools(
        self, content: str | list[ContentPart], tools: Sequence[ToolDefinition | OpaquePart]
    ) -> Completion:
        """Send a user message with tools, as the next message of the session's conversation.

        Args:
            content: The content of the message.
            tools: The tools to offer, also for the next messages.

        Returns:
            The response.
        """
        self._conversation_tools = list(tools)
        message = UserMessage(content)
        completion = self.complete(self._next_request(message))
        self._add_turn(message, completion)
        return completion

    def send_tool_results(self, results: Sequence[ToolResult]) -> Completion:
        """Send the results of the previous response's calls, as the next message of the session's conversation.

        Args:
            results: One result for each call.

        Returns:
            The response.
        """
        message = ToolMessage(list(results))
        completion = self.complete(self._next_request(message))
        self._add_turn(message, completion)
        return completion


class AsyncSession(SessionBase):
    """A conversation with a model, for async code. Override `send` as a coroutine."""

    async def aclose(self) -> None:
        """Close the session's connections. This class has none."""

    async def __aenter__(self) -> Self:
        """Return the session."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the session."""
        await self.aclose()

    async def send(self, request: Request | str) -> Completion | str:
        """Send one request, as `Session.send` does.

        Args:
            request: The request, or the text of a user message.

        Returns:
            The response.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement send")

    async def _await_returned(self, returned: Any) -> Completion | str:
        """Await what `send` returned.

        Raises:
            TypeError: The value is neither a string nor a completion, or is not awaitable.
        """
        if not inspect.isawaitable(returned):
            raise TypeError(f"{type(self).__name__}.send must be async, but returned {type(returned).__name__}")
        return self._check_returned(await returned)

    async def pieces(self, request: Request) -> AsyncIterator[str]:
        """Send a request that contains only text, and yield the response as it arrives. Override this to stream.

        Args:
            request: The request.

        Yields:
            Pieces of the text of the response.
        """
        returned = await self._await_returned(self.send(request))
        yield returned if isinstance(returned, str) else text_of(returned.message)

    async def complete(self, request: Request | str) -> Completion:
        """Send one request with its tools, in any mode.

        Args:
            request: The request, or the text of a user message.

        Returns:
            The response, with its calls.
        """
        prepared = self.prepare_request(request)
        is_native = self.tool_mode is ToolMode.NATIVE
        returned = await self._await_returned(self.send(prepared if is_native else await self._as_text(prepared)))
        if is_native and isinstance(returned, Completion):
            return returned
        return parse_completion(prepared, returned)

    async def stream(self, request: Request | str) -> AsyncIterator[StreamEvent]:
        """Send one request with its tools, and yield the events of the response as they arrive.

        Args:
            request: The request, or the text of a user message.

        Yields:
            The events; the last one is `completed`. If the stream fails after its first event, there is an `error`
            event.

        Raises:
            Exception: An error before the first event.
        """
        prepared = self.prepare_request(request)
        if self.tool_mode is ToolMode.NATIVE:
            for event in stream_events(await self.complete(prepared)):
                yield event
            return
        reader = TextStreamReader(prepared)
        failure: Exception | None = None
        has_begun = False
        try:
            async with aclosing(self.pieces(await self._as_text(prepared))) as texts:
                async for text in texts:
                    has_begun = True
                    for event in reader.feed(text):
                        yield event
        except Exception as raised:
            if not has_begun:
                raise
            failure = raised
        for event in reader.finish(failure):
            yield event

    async def _as_text(self, request: Request) -> Request:
        """Return the request with its tools, calls and results as text, and report its losses."""
        return await areport_losses(self.on_loss, lambda on_loss: to_text_request(request, on_loss))

    async def send_with_tools(
        self, content: str | list[ContentPart], tools: Sequence[ToolDefinition | OpaquePart]
    ) -> Completion:
        """Send a user message with tools, as the next message of the session's conversation.

        Args:
            content: The content of the message.
            tools: The tools to offer, also for the next messages.

        Returns:
            The response.
        """
        self._conversation_tools = list(tools)
        message = UserMessage(content)
        completion = await self.complete(self._next_request(message))
        self._add_turn(message, completion)
        return completion

    async def send_tool_results(self, results: Sequence[ToolResult]) -> Completion:
        """Send the results of the previous response's calls, as the next message of the session's conversation.

        Args:
            results: One result for each call.

        Returns:
            The response.
        """
        message = ToolMessage(list(results))
        completion = await self.complete(self._next_request(message))
        self._add_turn(message, completion)
        return completion


ScriptedResponse: TypeAlias = str | Sequence[ToolCall] | Completion | Exception
"""A text, a list of calls, a completion, or an exception to raise."""


class _Script:
    """The remaining responses, and the requests so far."""

    def __init__(self, responses: Iterable[ScriptedResponse]) -> None:
        self._remaining = list(responses)
        self.requests: list[Request] = []

    def next(self, request: Request | str) -> Completion:
        """Record a request, and return the next response.

        Raises:
            LookupError: The script has no response left.
            Exception: The script contains an exception here.
        """
        normalized = normalize_request(request)
        self.requests.append(replace(normalized, messages=list(normalized.messages)))
        if not self._remaining:
            raise LookupError(f"the script has no response for request {len(self.requests)}")
        response = self._remaining.pop(0)
        if isinstance(response, Exception):
            raise response
        if isinstance(response, Completion):
            return response
        if isinstance(response, str):
            return Completion(AssistantMessage(response), "stop")
        return Completion(AssistantMessage([ToolCallPart(call) for call in response]), "tool_calls")


class ScriptedSession(Session):
    """A session that returns prepared responses, for tests. It sends nothing.

    `requests` has the requests so far, each with a copy of its messages at that time.
    """

    tool_mode = ToolMode.NATIVE

    def __init__(self, answers: Iterable[ScriptedResponse], model: str | None = None) -> None:
        """Set the responses, and the model of requests that do not name one."""
        self._script = _Script(answers)
        self.model = model

    @property
    def requests(self) -> list[Request]:
        """The requests so far."""
        return self._script.requests

    def send(self, request: Request | str) -> Completion:
        """Return the next response.

        Raises:
            LookupError: The script has no response left.
        """
        return self._script.next(request)


class AsyncScriptedSession(AsyncSession):
    """A session that returns prepared responses, for tests of async code. It sends nothing."""

    tool_mode = ToolMode.NATIVE

    def __init__(self, answers: Iterable[ScriptedResponse], model: str | None = None) -> None:
        """Set the responses, and the model of requests that do not name one."""
        self._script = _Script(answers)
        self.model = model

    @property
    def requests(self) -> list[Request]:
        """The requests so far."""
        return self._script.requests

    async def send(self, request: Request | str) -> Completion:
        """Return the next response.

        Raises:
            LookupError: The script has no response left.
        """
        return self._script.next(request)
