"""Sessions on a provider's official client, which the app hands in.

Several clients, one for each key, take turns; one whose key is refused or has used up its rate gives way to the next.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, ClassVar, Literal, Protocol

from ...models import ApiError, AssistantMessage, Completion, OpaquePart, Request, StreamEvent, ToolDefinition
from ..writer import OnLoss
from .base import AsyncSession, Session, ToolMode
from .client_facts import ClientCalls
from .closing import aclose_client, close_client
from .failures import SessionError, reached, refusal_of

__all__ = ["AsyncNativeSession", "NativeSession", "ProviderModule"]

_NEXT_KEY = ("authentication", "rate_limit")
"""Errors that another key may not have."""


class ProviderModule(Protocol):
    """What a session needs of a provider's module."""

    def to_sdk(
        self,
        request: Request,
        *,
        on_loss: OnLoss | None = None,
        on_unsupported: Literal["error", "weaken"] = "error",
    ) -> dict[str, Any]:
        """Write a request as keywords of the client's call."""
        ...

    def from_response(
        self, response: Any, turn: int = 0, *, tools: Iterable[ToolDefinition | OpaquePart] = ()
    ) -> Completion:
        """Read an answer."""
        ...

    def iter_events(
        self, source: Iterable[Any], *, turn: int = 0, tools: Iterable[ToolDefinition | OpaquePart] = ()
    ) -> Iterator[StreamEvent]:
        """Read a stream."""
        ...

    def aiter_events(
        self, source: AsyncIterable[Any], *, turn: int = 0, tools: Iterable[ToolDefinition | OpaquePart] = ()
    ) -> AsyncIterator[StreamEvent]:
        """Read a stream, later."""
        ...

    def from_error(self, status: int, body: Any) -> ApiError:
        """Read an error."""
        ...


class _Clients:
    """What both kinds of session on a client share."""

    provider: ClassVar[ProviderModule]
    """The module that writes requests and reads answers."""
    name: ClassVar[str]
    """The provider's name."""
    calls: ClassVar[ClientCalls]
    """How the client is called."""

    _clients: list[Any]
    _on_unsupported: Literal["error", "weaken"]

    def _keywords(self, request: Request, on_loss: OnLoss | None, streaming: bool) -> dict[str, Any]:
        whole = replace(request, stream=True if streaming else None)
        found = self.provider.to_sdk(whole, on_loss=on_loss, on_unsupported=self._on_unsupported)
        return {**self.calls.streamed, **found} if streaming else found

    def _turns(self) -> list[Any]:
        """The clients, the one whose turn it is first."""
        first = self._clients.pop(0)
        self._clients.append(first)
        return [first, *self._clients[:-1]]

    def _is_refusal(self, raised: Exception) -> bool:
        return refusal_of(raised, self.calls.status, self.calls.body) is not None

    def _refused(self, raised: Exception, is_last: bool) -> SessionError | None:
        """The error to raise for a client's exception; None where another client shall be tried.

        Raises:
            Exception: the one that was raised, where it is no answer of the API.
        """
        found = refusal_of(raised, self.calls.status, self.calls.body)
        if found is None:
            raise raised
        error = self.provider.from_error(*found)
        return None if error.kind in _NEXT_KEY and not is_last else SessionError(self.name, found[0], error)


def _turn(request: Request) -> int:
    return sum(isinstance(message, AssistantMessage) for message in request.messages)


class NativeSession(_Clients, Session):
    """A session on the official client of a provider whose models have tools."""

    tool_mode = ToolMode.NATIVE

    def __init__(
        self,
        client: Any,
        model: str | None = None,
        *,
        further: Sequence[Any] = (),
        on_loss: OnLoss | None = None,
        on_unsupported: Literal["error", "weaken"] = "error",
    ) -> None:
        """Take the client and the model of requests that name none. `further` clients take turns with the first."""
        self._clients = [client, *further]
        self._on_unsupported = on_unsupported
        self.model = model
        self.on_loss = on_loss

    def close(self) -> None:
        """Close the clients, those too that the app handed in."""
        for client in self._clients:
            close_client(client, self.calls.send)

    def send(self, request: Request | str) -> Completion:
        """Send a request, and return the answer.

        Raises:
            SessionError: the API refused it.
            ConversionError: it cannot be sent as it is meant.
        """
        whole = self.prepared(request)
        keywords = self._keywords(whole, self.on_loss, streaming=False)
        answer = self._called(self.calls.send, lambda call: call(**keywords))
        return self.provider.from_response(answer, _turn(whole), tools=whole.tools or ())

    def stream(self, request: Request | str) -> Iterator[StreamEvent]:
        """Send a request, and yield the answer's events as they come; `completed` is the last one.

        Raises:
            SessionError: the API refused it.
            ConversionError: it cannot be sent as it is meant.
        """
        whole = self.prepared(request)
        keywords = self._keywords(whole, self.on_loss, streaming=True)
        source, first, rest = self._called(self.calls.stream, lambda call: self._begun(call(**keywords)))
        try:
            yield from self.provider.iter_events(chain(first, rest), turn=_turn(whole), tools=whole.tools or ())
        finally:
            _close(source)

    def _begun(self, value: Any) -> tuple[Any, list[Any], Iterator[Any]]:
        """A stream, what came first of it, and the rest: some clients send no request before they are asked for that."""
        source = value[self.calls.events] if self.calls.events else value
        rest = iter(source)
        try:
            first = next(rest, _END)
        except Exception as raised:  # what is no refusal has broken the stream, which is told as an event
            if self._is_refusal(raised):
                raise
            return source, [], _broken(raised)
        return source, [] if first is _END else [first], rest

    def _called(self, way: str, ask: Callable[[Any], Any]) -> Any:
        clients = self._turns()
        for client in clients:
            try:
                return ask(reached(client, way))
            except Exception as raised:  # noqa: BLE001 - what is no refusal is raised again
                refused = self._refused(raised, client is clients[-1])
            if refused is not None:
                raise refused
        raise AssertionError("the last client has answered, or its error was raised")


class AsyncNativeSession(_Clients, AsyncSession):
    """The same for async code. A provider without an async client is called in a thread."""

    tool_mode = ToolMode.NATIVE

    def __init__(
        self,
        client: Any,
        model: str | None = None,
        *,
        further: Sequence[Any] = (),
        on_loss: OnLoss | None = None,
        on_unsupported: Literal["error", "weaken"] = "error",
    ) -> None:
        """Take the client and the model of requests that name none. `further` clients take turns with the first."""
        self._clients = [client, *further]
        self._on_unsupported = on_unsupported
        self.model = model
        self.on_loss = on_loss

    async def aclose(self) -> None:
        """Close the clients, those too that the app handed in."""
        for client in self._clients:
            await aclose_client(client, self.calls.send_async)

    async def send(self, request: Request | str) -> Completion:
        """Send a request, and return the answer.

        Raises:
            SessionError: the API refused it.
            ConversionError: it cannot be sent as it is meant.
        """
        whole = self.prepared(request)
        keywords = self._keywords(whole, self.on_loss, streaming=False)
        answer = await self._called(self.calls.send_async, keywords, self._whole)
        return self.provider.from_response(answer, _turn(whole), tools=whole.tools or ())

    async def stream(self, request: Request | str) -> AsyncIterator[StreamEvent]:
        """Send a request, and yield the answer's events as they come; `completed` is the last one.

        Raises:
            SessionError: the API refused it.
            ConversionError: it cannot be sent as it is meant.
        """
        whole = self.prepared(request)
        keywords = self._keywords(whole, self.on_loss, streaming=True)
        source, first, rest = await self._called(self.calls.stream_async, keywords, self._begun)
        try:
            events = self.provider.aiter_events(_chained(first, rest), turn=_turn(whole), tools=whole.tools or ())
            async for event in events:
                yield event
        finally:
            await _aclose(source)

    async def _whole(self, call: Callable[..., Any], keywords: dict[str, Any]) -> Any:
        if self.calls.blocking:
            return await asyncio.to_thread(call, **keywords)
        return await call(**keywords)

    async def _begun(self, call: Callable[..., Any], keywords: dict[str, Any]) -> tuple[Any, list[Any], Any]:
        """A stream, what came first of it, and the rest."""
        if self.calls.blocking:
            value = await asyncio.to_thread(call, **keywords)
        else:
            value = call(**keywords)
            value = await value if inspect.isawaitable(value) else value
        source = value[self.calls.events] if self.calls.events else value
        rest = _in_thread(iter(source)) if self.calls.blocking else aiter(source)
        try:
            first = await anext(rest, _END)
        except Exception as raised:  # as above
            if self._is_refusal(raised):
                raise
            return source, [], _abroken(raised)
        return source, [] if first is _END else [first], rest

    async def _called(self, way: str, keywords: dict[str, Any], ask: Callable[..., Any]) -> Any:
        clients = self._turns()
        for client in clients:
            try:
                return await ask(reached(client, way), keywords)
            except Exception as raised:  # noqa: BLE001 - what is no refusal is raised again
                refused = self._refused(raised, client is clients[-1])
            if refused is not None:
                raise refused
        raise AssertionError("the last client has answered, or its error was raised")


_END: Any = object()


def _close(source: Any) -> None:
    if callable(close := getattr(source, "close", None)):
        close()


async def _aclose(source: Any) -> None:
    close = getattr(source, "aclose", None) or getattr(source, "close", None)
    if callable(close) and inspect.isawaitable(closing := close()):
        await closing


def _broken(error: Exception) -> Iterator[Any]:
    raise error
    yield


async def _abroken(error: Exception) -> AsyncIterator[Any]:
    raise error
    yield


async def _chained(first: Sequence[Any], rest: AsyncIterator[Any]) -> AsyncIterator[Any]:
    for item in first:
        yield item
    async for item in rest:
        yield item


async def _in_thread(items: Iterator[Any]) -> AsyncIterator[Any]:
    while (item := await asyncio.to_thread(next, items, _END)) is not _END:
        yield item
