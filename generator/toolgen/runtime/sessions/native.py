"""Sessions on an official client, synchronous and async."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

from ..errors import BareApiError
from ..models import Completion, Request, StreamEvent
from ..running.sync_runner import aclosing
from .base import AsyncSession, Session, ToolMode
from .client_sessions import ClientSession, aclose_client, close_client
from .refusals import resolve_attribute
from .text_protocol import turn_of
from .threads import CallThreads

__all__ = ["AsyncNativeSession", "NativeSession"]

_END: Any = object()


class NativeSession(ClientSession, Session):
    """A session on the official client of a provider whose models have native tools."""

    tool_mode = ToolMode.NATIVE

    def close(self) -> None:
        """Close the clients, including those that the app passed in."""
        for client in self.clients:
            close_client(client, self.calls.send)

    def send(self, request: Request | str) -> Completion:
        """Send one request.

        Returns:
            The response.

        Raises:
            SessionError: The API rejected the request.
            ConversionError: The request cannot be sent as it is.
        """
        whole = self.prepared(request)
        keywords = self.keywords(whole, streaming=False)
        turn, tools = turn_of(whole), whole.tools or ()
        answer: Completion = self._called(
            self.calls.send, lambda call, _: self.provider.from_response(call(**keywords), turn, tools=tools)
        )
        return answer

    def stream(self, request: Request | str) -> Iterator[StreamEvent]:
        """Send one request, and yield the events of the response as they arrive.

        Yields:
            The events; the last one is `completed`.

        Raises:
            SessionError: The API rejected the request.
            ConversionError: The request cannot be sent as it is.
        """
        whole = self.prepared(request)
        keywords = self.keywords(whole, streaming=True)
        client: Any = None

        def ask(call: Any, asked: Any) -> Any:
            nonlocal client
            client = asked
            return self._begun(call(**keywords))

        source, first, rest = self._called(self.calls.stream, ask)
        rest = self._told(rest, client)
        try:
            yield from self.provider.iter_events(chain(first, rest), turn=turn_of(whole), tools=whole.tools or ())
        finally:
            _close(source)

    def _begun(self, value: Any) -> tuple[Any, list[Any], Iterator[Any]]:
        """Return a stream, its first event, and the rest. Some clients only send the request for the first event."""
        source = value[self.calls.events] if self.calls.events else value
        rest = iter(source)
        try:
            first = next(rest, _END)
        except Exception as raised:  # what is not a refusal has broken the stream, which is told as an event
            if self.is_refusal(raised):
                _close(source)
                raise
            return source, [], _broken(raised)
        if first is _END:
            return source, [], rest
        try:
            self.begun(first)
        except BareApiError:
            _close(source)
            raise
        return source, [first], rest

    def _told(self, rest: Iterator[Any], client: Any) -> Iterator[Any]:
        """Yield the rest of a stream. An API error in the middle of it becomes a SessionError."""
        try:
            yield from rest
        except Exception as raised:  # noqa: BLE001 - it is raised again
            raise self.broken(raised, client) from None

    def _called(self, way: str, ask: Callable[[Any, Any], Any]) -> Any:
        clients = self.turns()
        for client in clients:
            try:
                return ask(resolve_attribute(client, way), client)
            except Exception as raised:  # noqa: BLE001 - what is not a refusal is raised again
                refused = self.refused(raised, client, client is clients[-1])
            if refused is not None:
                raise refused
        raise AssertionError("the last client has answered, or its error was raised")


def _close(source: Any) -> None:
    if callable(close := getattr(source, "close", None)):
        close()


def _broken(error: Exception) -> Iterator[Any]:
    raise error
    yield


_NATIVE_ASYNC_END: Any = object()


class AsyncNativeSession(ClientSession, AsyncSession):
    """An async session on the official client of a provider whose models have native tools.

    A client without an async version is called in a thread.
    """

    tool_mode = ToolMode.NATIVE

    @cached_property
    def _threads(self) -> CallThreads:
        return CallThreads()

    async def aclose(self) -> None:
        """Close the clients, including those that the app passed in."""
        if "_threads" in self.__dict__:
            self._threads.close()
            del self._threads
        for client in self.clients:
            await aclose_client(client, self.calls.send_async)

    async def send(self, request: Request | str) -> Completion:
        """Send one request.

        Returns:
            The response.

        Raises:
            SessionError: The API rejected the request.
            ConversionError: The request cannot be sent as it is.
        """
        whole = self.prepared(request)
        keywords = self.keywords(whole, streaming=False)
        turn, tools = turn_of(whole), whole.tools or ()

        async def ask(call: Callable[..., Any], _: Any) -> Completion:
            return self.provider.from_response(await self._whole(call, keywords), turn, tools=tools)

        answer: Completion = await self._called(self.calls.send_async, ask)
        return answer

    async def stream(self, request: Request | str) -> AsyncIterator[StreamEvent]:
        """Send one request, and yield the events of the response as they arrive.

        Yields:
            The events; the last one is `completed`.

        Raises:
            SessionError: The API rejected the request.
            ConversionError: The request cannot be sent as it is.
        """
        whole = self.prepared(request)
        keywords = self.keywords(whole, streaming=True)
        client: Any = None

        async def ask(call: Callable[..., Any], asked: Any) -> tuple[Any, list[Any], Any]:
            nonlocal client
            client = asked
            return await self._begun(call, keywords)

        source, first, rest = await self._called(self.calls.stream_async, ask)
        try:
            async with aclosing(rest), aclosing(self._told(first, rest, client)) as items:
                read = self.provider.aiter_events(items, turn=turn_of(whole), tools=whole.tools or ())
                async with aclosing(read) as events:
                    async for event in events:
                        yield event
        finally:
            await _aclose(source)

    async def _whole(self, call: Callable[..., Any], keywords: dict[str, Any]) -> Any:
        if self.calls.blocking:
            return await self._threads.run(call, **keywords)
        return await call(**keywords)

    async def _begun(self, call: Callable[..., Any], keywords: dict[str, Any]) -> tuple[Any, list[Any], Any]:
        """Return a stream, its first event, and the rest."""
        if self.calls.blocking:
            value = await self._threads.run(call, **keywords)
        else:
            value = call(**keywords)
            value = await value if inspect.isawaitable(value) else value
        source = value[self.calls.events] if self.calls.events else value
        rest = self._threads.items(iter(source)) if self.calls.blocking else aiter(source)
        try:
            first = await anext(rest, _NATIVE_ASYNC_END)
        except Exception as raised:  # as above
            if self.is_refusal(raised):
                await _aclose(source)
                raise
            return source, [], _abroken(raised)
        if first is _NATIVE_ASYNC_END:
            return source, [], rest
        try:
            self.begun(first)
        except BareApiError:
            await _aclose(source)
            raise
        return source, [first], rest

    async def _told(self, first: Sequence[Any], rest: AsyncIterator[Any], client: Any) -> AsyncIterator[Any]:
        """Yield a stream. An API error in the middle of it becomes a SessionError."""
        try:
            for item in first:
                yield item
            async for item in rest:
                yield item
        except Exception as raised:  # noqa: BLE001 - it is raised again
            raise self.broken(raised, client) from None

    async def _called(self, way: str, ask: Callable[..., Any]) -> Any:
        clients = self.turns()
        for client in clients:
            try:
                return await ask(resolve_attribute(client, way), client)
            except Exception as raised:  # noqa: BLE001 - what is not a refusal is raised again
                refused = self.refused(raised, client, client is clients[-1])
            if refused is not None:
                raise refused
        raise AssertionError("the last client has answered, or its error was raised")


async def _aclose(source: Any) -> None:
    close = getattr(source, "aclose", None) or getattr(source, "close", None)
    if callable(close) and inspect.isawaitable(closing := close()):
        await closing


async def _abroken(error: Exception) -> AsyncIterator[Any]:
    raise error
    yield
