"""Sessions on official clients, synchronous and async, with their own threads for clients that block.

Blocked calls wait for the network, not for a processor. The thread pool of asyncio is small (the number of processors
plus four), so blocked calls would delay all other blocking calls of an app.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cached_property, partial
from itertools import chain
from typing import Any

from ..errors import BareApiError
from ..models import Completion, Request, StreamEvent
from ..running.sync_runner import aclosing
from .base import AsyncSession, Session, ToolMode
from .client_sessions import ClientSession, aclose_client, close_client
from .text_protocol import next_turn_index

__all__ = ["AsyncNativeSession", "CallThreads", "NativeSession"]

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
        whole = self.prepare_request(request)
        keywords = self.call_kwargs(whole, streaming=False)
        turn, tools = next_turn_index(whole), whole.tools or ()
        completion: Completion = self._called(
            self.calls.send,
            lambda call, client: self.provider.from_response(
                self._at_once(call(**keywords), client), turn, tools=tools
            ),
        )
        return completion

    def stream(self, request: Request | str) -> Iterator[StreamEvent]:
        """Send one request, and yield the events of the response as they arrive.

        Yields:
            The events; the last one is `completed`.

        Raises:
            SessionError: The API rejected the request.
            ConversionError: The request cannot be sent as it is.
        """
        whole = self.prepare_request(request)
        keywords = self.call_kwargs(whole, streaming=True)
        client, (source, first, rest) = self._called(
            self.calls.stream,
            lambda call, client: (client, self._begun(self._at_once(call(**keywords), client))),
        )
        rest = self._with_session_errors(rest, client)
        try:
            yield from self.provider.iter_events(
                chain(first, rest), turn=next_turn_index(whole), tools=whole.tools or ()
            )
        finally:
            _close(source)

    def _at_once(self, value: Any, client: Any) -> Any:
        """Return the result of a call.

        Raises:
            TypeError: The client is for async code.
        """
        if not inspect.isawaitable(value):
            return value
        if inspect.iscoroutine(value):
            value.close()
        raise TypeError(f"{type(client).__name__} is a client for async code: use `AsyncSession`")

    def _begun(self, value: Any) -> tuple[Any, list[Any], Iterator[Any]]:
        """Return a stream, its first event, and the rest. Some clients only send the request for the first event."""
        source = value[self.calls.events] if self.calls.events else value
        rest = iter(source)
        try:
            first = next(rest, _END)
        except Exception as raised:  # any other exception is a failure of the stream, which is reported as an event
            if self.is_api_error(raised):
                _close(source)
                raise
            return source, [], _broken(raised)
        if first is _END:
            return source, [], rest
        try:
            self.check_first_event(first)
        except BareApiError:
            _close(source)
            raise
        return source, [first], rest

    def _with_session_errors(self, rest: Iterator[Any], client: Any) -> Iterator[Any]:
        """Yield the rest of a stream. An API error in the middle of it becomes a SessionError."""
        try:
            yield from rest
        except Exception as raised:  # noqa: BLE001 - it is raised again
            raise self.stream_error(raised, client) from None

    def _called(self, attribute_path: str, ask: Callable[[Any, Any], Any]) -> Any:
        clients = self.rotate_clients()
        for client in clients:
            try:
                return ask(self.call_of(client, attribute_path), client)
            except Exception as raised:  # noqa: BLE001 - anything but an API error is raised again
                refused = self.error_to_raise(raised, client, client is clients[-1])
            if refused is not None:
                raise refused
        raise AssertionError("the last client has responded, or its error was raised")


def _close(source: Any) -> None:
    if callable(close := getattr(source, "close", None)):
        close()


def _broken(error: Exception) -> Iterator[Any]:
    raise error
    yield


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
        whole = self.prepare_request(request)
        keywords = self.call_kwargs(whole, streaming=False)
        turn, tools = next_turn_index(whole), whole.tools or ()

        async def ask(call: Callable[..., Any], client: Any) -> Completion:
            return self.provider.from_response(await self._whole(call, keywords, client), turn, tools=tools)

        completion: Completion = await self._called(self.calls.send_async, ask)
        return completion

    async def stream(self, request: Request | str) -> AsyncIterator[StreamEvent]:
        """Send one request, and yield the events of the response as they arrive.

        Yields:
            The events; the last one is `completed`.

        Raises:
            SessionError: The API rejected the request.
            ConversionError: The request cannot be sent as it is.
        """
        whole = self.prepare_request(request)
        keywords = self.call_kwargs(whole, streaming=True)

        async def ask(call: Callable[..., Any], client: Any) -> tuple[Any, tuple[Any, list[Any], Any]]:
            return client, await self._begun(call, keywords, client)

        client, (source, first, rest) = await self._called(self.calls.stream_async, ask)
        try:
            async with aclosing(rest), aclosing(self._with_session_errors(first, rest, client)) as items:
                read = self.provider.aiter_events(items, turn=next_turn_index(whole), tools=whole.tools or ())
                async with aclosing(read) as events:
                    async for event in events:
                        yield event
        finally:
            await _aclose(source)

    async def _whole(self, call: Callable[..., Any], keywords: dict[str, Any], client: Any) -> Any:
        if self.calls.blocking:
            return await self._threads.run(call, **keywords)
        value = call(**keywords)
        if not inspect.isawaitable(value):
            raise _not_async(client)
        return await value

    async def _begun(
        self, call: Callable[..., Any], keywords: dict[str, Any], client: Any
    ) -> tuple[Any, list[Any], Any]:
        """Return a stream, its first event, and the rest."""
        if self.calls.blocking:
            value = await self._threads.run(call, **keywords)
        else:
            value = call(**keywords)
            value = await value if inspect.isawaitable(value) else value
        source = value[self.calls.events] if self.calls.events else value
        if not self.calls.blocking and not hasattr(source, "__aiter__"):
            _close(source)
            raise _not_async(client)
        rest = self._threads.items(iter(source)) if self.calls.blocking else aiter(source)
        try:
            first = await anext(rest, _END)
        except Exception as raised:  # as in the synchronous version
            if self.is_api_error(raised):
                await _aclose(source)
                raise
            return source, [], _abroken(raised)
        if first is _END:
            return source, [], rest
        try:
            self.check_first_event(first)
        except BareApiError:
            await _aclose(source)
            raise
        return source, [first], rest

    async def _with_session_errors(
        self, first: Sequence[Any], rest: AsyncIterator[Any], client: Any
    ) -> AsyncIterator[Any]:
        """Yield a stream. An API error in the middle of it becomes a SessionError."""
        try:
            for item in first:
                yield item
            async for item in rest:
                yield item
        except Exception as raised:  # noqa: BLE001 - it is raised again
            raise self.stream_error(raised, client) from None

    async def _called(self, attribute_path: str, ask: Callable[..., Any]) -> Any:
        clients = self.rotate_clients()
        for client in clients:
            try:
                return await ask(self.call_of(client, attribute_path), client)
            except Exception as raised:  # noqa: BLE001 - anything but an API error is raised again
                refused = self.error_to_raise(raised, client, client is clients[-1])
            if refused is not None:
                raise refused
        raise AssertionError("the last client has responded, or its error was raised")


def _not_async(client: Any) -> TypeError:
    return TypeError(f"{type(client).__name__} is not a client for async code: use `Session`")


async def _aclose(source: Any) -> None:
    close = getattr(source, "aclose", None) or getattr(source, "close", None)
    if callable(close) and inspect.isawaitable(closing := close()):
        await closing


async def _abroken(error: Exception) -> AsyncIterator[Any]:
    raise error
    yield


_THREADS = 64
"""Maximum number of concurrent calls. Further calls wait."""

_AHEAD = 256
"""Maximum number of events of a stream that are read in advance."""


class CallThreads:
    """Runs the calls of a blocking client and reads its streams, for async code. Threads are started on demand."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_THREADS, "toolgen-session")

    async def run(self, call: Callable[..., Any], /, **keywords: Any) -> Any:
        """Call a function in a thread, with the caller's context variables."""
        work = partial(copy_context().run, call, **keywords)
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    async def items(self, source: Iterator[Any]) -> AsyncIterator[Any]:
        """Yield the items of an iterator, which one thread reads. Items that arrive together are passed on together.

        Raises:
            Exception: The exception that the iterator raised.
        """
        reading = _Reading(source, asyncio.get_running_loop())
        self._pool.submit(copy_context().run, reading.read)
        try:
            while True:
                await reading.ready.wait()
                reading.ready.clear()
                while reading.arrived:
                    yield reading.arrived.popleft()
                    reading.room.release()
                if reading.ended.is_set() and not reading.arrived:
                    break
        finally:
            reading.stop()
        if reading.failure is not None:
            raise reading.failure

    def close(self) -> None:
        """Start no more threads. Running ones end with their call."""
        self._pool.shutdown(wait=False)


class _Reading:
    """An iterator that a thread reads for an event loop."""

    def __init__(self, source: Iterator[Any], loop: asyncio.AbstractEventLoop) -> None:
        self._source = source
        self._loop = loop
        self._stopped = False
        self.arrived: deque[Any] = deque()
        self.ready = asyncio.Event()
        self.room = threading.Semaphore(_AHEAD)
        self.ended = threading.Event()
        self.failure: BaseException | None = None

    def read(self) -> None:
        """Read all items. This runs in a thread."""
        try:
            for item in self._source:
                self.room.acquire()
                if self._stopped:
                    return
                self.arrived.append(item)
                if len(self.arrived) == 1:  # otherwise the reader is already awake
                    self._wake()
        except BaseException as raised:  # noqa: BLE001 - the loop raises it
            self.failure = raised
        finally:
            self.ended.set()
            self._wake()

    def stop(self) -> None:
        """Let the thread end after the item that it is reading."""
        self._stopped = True
        self.room.release()

    def _wake(self) -> None:
        if not self._loop.is_closed():
            try:
                self._loop.call_soon_threadsafe(self.ready.set)
            except RuntimeError:  # closed in the meantime, so nobody is waiting
                self._stopped = True
