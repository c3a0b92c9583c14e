"""Sessions: what the loop and an app talk to.

The base class needs `send` alone. It is for models without tools of their own: tools are put in front as text, calls are read
out of what the model says, results go back as text. A session for a model that has tools says `ToolMode.NATIVE`; its
`send` gets requests as they are.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from types import TracebackType
from typing import Self

from ..conversion.writer import OnLoss
from ..history import text_of
from ..models import (
    Completion,
    ContentPart,
    Message,
    OpaquePart,
    Request,
    StreamEvent,
    ToolDefinition,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from ..running.sync_runner import aclosing, closing
from .client_sessions import awaited_answer, checked_answer
from .text_protocol import TextStreamReader, as_request, events_of, parse_completion, to_text_request

__all__ = ["AsyncSession", "Session", "ToolMode"]


class ToolMode(Enum):
    """How a model is told of tools, and calls them."""

    NATIVE = "native"
    """By the API's own parameters and blocks."""
    PROMPT_BASED = "prompt_based"
    """In text alone."""


class _Conversation:
    """What both kinds of session share: the mode, the model, and a conversation for those who keep none themselves."""

    tool_mode: ToolMode = ToolMode.PROMPT_BASED
    """Fixed when the session is made."""
    model: str | None = None
    """The model of requests that name none."""
    offered: Sequence[str] | None = None
    """The names of the declared tools that may go to this model; None where all may."""
    paused: Collection[str] = ()
    """The stop reasons with which the provider interrupts its own turn, which goes on with the next request."""
    on_loss: OnLoss | None = None
    """Hears what a request loses on its way; warnings go to `warnings` where it is None."""

    @property
    def messages(self) -> list[Message]:
        """The conversation that `send_with_tools` and `send_tool_results` carry on; clear it to begin anew."""
        found: list[Message] = self.__dict__.setdefault("_messages", [])
        return found

    def prepared(self, request: Request | str) -> Request:
        """A request with the session's model where it names none."""
        made = as_request(request)
        return replace(made, model=self.model) if made.model is None and self.model is not None else made

    def _next(self, message: Message, tools: Sequence[ToolDefinition | OpaquePart] | None) -> Request:
        if tools is not None:
            self.__dict__["_tools"] = list(tools)
        return Request([*self.messages, message], tools=self.__dict__.get("_tools") or None)

    def _carried_on(self, message: Message, completion: Completion) -> Completion:
        self.messages.extend([message, completion.message])
        return completion


class Session(_Conversation):
    """A conversation with a model. Override `send`; that is a working session.

    `with connect(config) as session:` closes it at the end.
    """

    def close(self) -> None:
        """Close what the session talks through; this one has nothing to close."""

    def __enter__(self) -> Self:
        """Give the session itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the session."""
        self.close()

    def send(self, request: Request | str) -> Completion | str:
        """Send one request, and return the answer; text stands for a request with one user message.

        Where the mode is PROMPT_BASED, `complete` gives it requests whose messages are all text, and a text will do as
        the answer.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement send")

    def pieces(self, request: Request) -> Iterator[str]:
        """Send a request of texts, and yield the answer's text as it comes. Override it where there is a stream."""
        answer = checked_answer(self, self.send(request))
        yield answer if isinstance(answer, str) else text_of(answer.message)

    def complete(self, request: Request | str) -> Completion:
        """Send one request with its tools, and return the answer with its calls, whatever the mode is."""
        whole = self.prepared(request)
        if self.tool_mode is ToolMode.NATIVE:
            answer = checked_answer(self, self.send(whole))
            return parse_completion(whole, answer) if isinstance(answer, str) else answer
        return parse_completion(whole, checked_answer(self, self.send(to_text_request(whole, self.on_loss))))

    def stream(self, request: Request | str) -> Iterator[StreamEvent]:
        """Send one request with its tools, and yield the answer's events as they come; `completed` is the last one.

        What breaks an answer that has begun is told as an event; what comes before it is raised.
        """
        whole = self.prepared(request)
        if self.tool_mode is ToolMode.NATIVE:
            yield from events_of(self.complete(whole))
            return
        reader = TextStreamReader(whole)
        failure: Exception | None = None
        begun = False
        try:
            with closing(self.pieces(to_text_request(whole, self.on_loss))) as texts:
                for text in texts:
                    begun = True
                    yield from reader.feed(text)
        except Exception as raised:
            if not begun:
                raise
            failure = raised
        yield from reader.finish(failure)

    def send_with_tools(
        self, content: str | list[ContentPart], tools: Sequence[ToolDefinition | OpaquePart]
    ) -> Completion:
        """Say something to the model, with tools on offer, and carry on the session's conversation."""
        message = UserMessage(content)
        return self._carried_on(message, self.complete(self._next(message, tools)))

    def send_tool_results(self, results: Sequence[ToolResult]) -> Completion:
        """Send the results of the calls of the answer before, and carry on the session's conversation."""
        message = ToolMessage(list(results))
        return self._carried_on(message, self.complete(self._next(message, None)))


class AsyncSession(_Conversation):
    """The same for async code: override `send`, as a coroutine."""

    async def aclose(self) -> None:
        """Close what the session talks through; this one has nothing to close."""

    async def __aenter__(self) -> Self:
        """Give the session itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the session."""
        await self.aclose()

    async def send(self, request: Request | str) -> Completion | str:
        """Send one request, and return the answer, as `Session.send` does."""
        raise NotImplementedError(f"{type(self).__name__} must implement send")

    async def pieces(self, request: Request) -> AsyncIterator[str]:
        """Send a request of texts, and yield the answer's text as it comes. Override it where there is a stream."""
        answer = await awaited_answer(self, self.send(request))
        yield answer if isinstance(answer, str) else text_of(answer.message)

    async def complete(self, request: Request | str) -> Completion:
        """Send one request with its tools, and return the answer with its calls, whatever the mode is."""
        whole = self.prepared(request)
        if self.tool_mode is ToolMode.NATIVE:
            answer = await awaited_answer(self, self.send(whole))
            return parse_completion(whole, answer) if isinstance(answer, str) else answer
        return parse_completion(whole, await awaited_answer(self, self.send(to_text_request(whole, self.on_loss))))

    async def stream(self, request: Request | str) -> AsyncIterator[StreamEvent]:
        """Send one request with its tools, and yield the answer's events as they come; `completed` is the last one.

        What breaks an answer that has begun is told as an event; what comes before it is raised.
        """
        whole = self.prepared(request)
        if self.tool_mode is ToolMode.NATIVE:
            for event in events_of(await self.complete(whole)):
                yield event
            return
        reader = TextStreamReader(whole)
        failure: Exception | None = None
        begun = False
        try:
            async with aclosing(self.pieces(to_text_request(whole, self.on_loss))) as texts:
                async for text in texts:
                    begun = True
                    for event in reader.feed(text):
                        yield event
        except Exception as raised:
            if not begun:
                raise
            failure = raised
        for event in reader.finish(failure):
            yield event

    async def send_with_tools(
        self, content: str | list[ContentPart], tools: Sequence[ToolDefinition | OpaquePart]
    ) -> Completion:
        """Say something to the model, with tools on offer, and carry on the session's conversation."""
        message = UserMessage(content)
        return self._carried_on(message, await self.complete(self._next(message, tools)))

    async def send_tool_results(self, results: Sequence[ToolResult]) -> Completion:
        """Send the results of the calls of the answer before, and carry on the session's conversation."""
        message = ToolMessage(list(results))
        return self._carried_on(message, await self.complete(self._next(message, None)))
