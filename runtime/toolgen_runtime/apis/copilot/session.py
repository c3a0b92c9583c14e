"""Sessions on a stateful client: an async one, and a synchronous one that runs it in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Literal, TypeVar

from ...conversion.extras import inner_extras
from ...conversion.wire import ProviderWire
from ...conversion.writer import OnLoss, Writer
from ...history import tool_calls_of
from ...hooks import areport_losses, call_hook
from ...models import CompletedEvent, Completion, Request, StreamEvent, ToolCall
from ...sessions.api_errors import SessionError, resolve_attribute
from ...sessions.base import AsyncSession, Session, ToolMode
from ...sessions.native import aclose_client
from ...sessions.text_protocol import next_turn_index
from .session_requests import KnownMessages, SessionInput, StatefulProviderModule, write_session_input
from .stateful_client import StatefulClient, StatefulClientCalls
from .stream import CopilotStream

__all__ = ["AsyncStatefulSession", "LoopThread", "StatefulSession"]


class AsyncStatefulSession(AsyncSession):
    """An async session on a stateful client. It reads one response at a time."""

    tool_mode = ToolMode.NATIVE
    output_schemas = False

    provider: StatefulProviderModule
    """The module that writes tools and results, and reads events. A class of a package sets this alone."""
    wire: ClassVar[ProviderWire]
    """The ids and names of the wire."""
    name: ClassVar[str]
    """The name of the provider."""
    calls: ClassVar[StatefulClientCalls]
    """How to call the client."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Take over the facts of the provider's wire."""
        super().__init_subclass__(**keywords)
        if "provider" in vars(cls):
            cls.wire = cls.provider.WIRE
            cls.name = cls.wire.name
            cls.calls = StatefulClientCalls(**cls.wire.session["stateful"])
            cls.offered = cls.wire.declared.names

    def __init__(
        self,
        client: Any,
        model: str | None = None,
        *,
        on_loss: OnLoss | None = None,
        on_unsupported: Literal["error", "weaken"] = "error",
        ignored_tools: Collection[str] = (),
    ) -> None:
        """Store the client's session, and the model of requests that do not name one; None keeps the client's model."""
        self.client = client
        self.model = model
        self.on_loss = on_loss
        self._on_unsupported: Literal["error", "weaken"] = on_unsupported
        self._others = frozenset(ignored_tools)
        self._live = StatefulClient(client, self.name, self.calls, self.provider.from_error)
        self._known = KnownMessages()
        self._waiting: dict[str, ToolCall] = {}
        self._offered: list[dict[str, Any]] | None = None
        self._own: set[str] | None = None
        self._chosen: str | None = None
        self._reading = False

    async def aclose(self) -> None:
        """End the running turn, and close the client that the app passed in."""
        await self._stop()
        self._live.unsubscribe()
        await aclose_client(self.client, self.calls.send)

    async def send(self, request: Request | str) -> Completion:
        """Send the new part of a request.

        Returns:
            The response.

        Raises:
            SessionError: The client rejected the request, or its session failed.
            ConversionError: The request cannot be sent as it is.
        """
        completion: Completion | None = None
        async with aclosing(self._events(self.prepare_request(request), whole=True)) as events:
            async for event in events:
                if isinstance(event, CompletedEvent):
                    completion = event.completion
        if completion is None:
            raise RuntimeError("the stream ended without a completion")
        return completion

    async def stream(self, request: Request | str) -> AsyncGenerator[StreamEvent, None]:
        """Send the new part of a request, and yield the events of the response as they arrive.

        Yields:
            The events; the last one is `completed`.

        Raises:
            SessionError: The client rejected the request, or its session failed before the first event.
            ConversionError: The request cannot be sent as it is.
        """
        async with aclosing(self._events(self.prepare_request(request), whole=False)) as events:
            async for event in events:
                yield event

    async def _events(self, request: Request, *, whole: bool) -> AsyncGenerator[StreamEvent, None]:
        """Send a request and yield the events. With `whole`, every failure is raised."""
        if self._reading:
            raise RuntimeError("a response of this session is still being read")
        self._reading = True
        try:
            update = await areport_losses(self.on_loss, partial(self._new_in, request))
            await self._apply_settings(request, update)
            try:
                sent = await self._send_update(update)
                stream = self.provider.Stream(next_turn_index(request), tools=request.tools or (), own=self._own or ())
                failure: Exception | None = None
                has_yielded = False
                try:
                    async with aclosing(self._read(stream, sent)) as events:
                        async for event in events:
                            has_yielded = True
                            yield event
                except Exception as raised:
                    if whole or not has_yielded:
                        raise
                    failure = raised
                last = stream.finish(failure)
                await self._record_response(request, stream.result(), failure is not None)
            except BaseException:
                await self._stop()
                raise
        finally:
            self._reading = False
        for event in last:
            yield event

    def _new_in(self, request: Request, on_loss: OnLoss | None) -> SessionInput:
        """Return the part of a request that the client does not have yet."""
        return write_session_input(
            request,
            self._known,
            self._waiting,
            Writer(self.wire, on_loss, self._on_unsupported),
            request_id_key=self.calls.request,
            write_tools=self.provider.to_tools,
            write_result=self.provider.to_tool_result,
        )

    async def _apply_settings(self, request: Request, update: SessionInput) -> None:
        """Set the model and offer the tools, if they changed."""
        self._live.subscribe()
        if request.model is not None and request.model != self._chosen:
            await self._live.call_method(self.calls.set_model, request.model)
            self._chosen = request.model
        if update.tools is not None and update.tools != self._offered:
            if self._own is None:
                await self._live.call_method(self.calls.forget, [])
                self._own = set()
            await self._live.call_with_params(self.calls.offer, {self.calls.tools: update.tools})
            self._offered = update.tools
            self._own |= {entry["name"] for entry in update.tools if "name" in entry}

    async def _send_update(self, update: SessionInput) -> str | None:
        """Send the prompt and the results, and return the id of a prompt that begins a turn."""
        if not update.results:
            self._live.open_turn()
        identifier: str | None = None
        if update.prompt is not None:
            steering = self.calls.steering if update.results else {}
            try:
                identifier = await self._live.call_method(self.calls.send, **update.prompt, **steering)
            except SessionError:
                if not update.results:
                    self._live.close_turn()
                raise
        for path, params in update.results.values():
            reply = await self._live.call_with_params(self.calls.answer, params)
            if resolve_attribute(reply, self.calls.accepted) is not True:
                await areport_losses(self.on_loss, partial(self._report_late_result, path))
        return None if update.results else identifier

    def _report_late_result(self, path: str, on_loss: OnLoss | None) -> None:
        """Report a result that the client did not accept."""
        writer = Writer(self.wire, on_loss, self._on_unsupported)
        writer.report_loss(((), path), "a result", "dropped", "its call is no longer waiting", "warning")
        writer.report_remaining_losses()

    async def _read(self, stream: CopilotStream, sent: str | None) -> AsyncGenerator[StreamEvent, None]:
        """Read events up to the end of a response.

        Raises:
            SessionError: The agent's session failed.
        """
        while not stream.ended:
            event = await self._live.next_event(sent)
            if event is None:
                stream.stop_collecting_calls()
                continue
            sent = None
            if event.get("type") == self.calls.asked and not self._is_own(event):
                continue
            for news in stream.feed(event):
                yield news
            if (failure := self._live.close_turn_on_failure(event)) is not None:
                raise failure

    def _is_own(self, event: dict[str, Any]) -> bool:
        """Return whether a tool request is for this session: it has offered tools, and the tool is not in `others`."""
        return self._own is not None and resolve_attribute(event, self.calls.asked_for) not in self._others

    async def _record_response(self, request: Request, completion: Completion, failed: bool) -> None:
        """Record a response, and the calls that now wait for results."""
        self._known.record(request.messages, completion.message)
        if failed:
            await self._stop()
            return
        self._waiting = {
            str(inner_extras(call.metadata or {}, self.name).get(self.calls.request)): replace(call)
            for call in tool_calls_of(completion.message)
        }
        if not self._waiting:
            self._live.close_turn()

    async def _stop(self) -> None:
        """Abort the agent's turn, if there is one. No call waits after that."""
        self._waiting = {}
        await self._live.abort_turn()


T = TypeVar("T")


class LoopThread:
    """An event loop in a thread. It runs from its first use until it is closed."""

    def __init__(self, name: str) -> None:
        """Store the name of the thread."""
        self._name = name
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def is_running(self) -> bool:
        """Return whether the loop is running."""
        return self._loop is not None

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end. An exception in the waiting thread cancels it."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._loop.run_forever, name=self._name, daemon=True)
            self._thread.start()
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """Cancel everything that still runs on the loop, then end the loop and its thread."""
        loop, thread = self._loop, self._thread
        if loop is None or thread is None:
            return
        self.run(_ended())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
        self._loop = self._thread = None


async def _ended() -> None:
    """Cancel all other tasks of the loop, and wait for them and for its generators and executor to close."""
    other_tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in other_tasks:
        task.cancel()
    await asyncio.gather(*other_tasks, return_exceptions=True)
    loop = asyncio.get_running_loop()
    await loop.shutdown_asyncgens()
    await loop.shutdown_default_executor()


class StatefulSession(Session):
    """A synchronous session. It opens its client in its own thread at the first request; `close` closes both.

    `on_loss` is called in that thread.
    """

    tool_mode = ToolMode.NATIVE
    output_schemas = False

    async_session_class: ClassVar[type[AsyncStatefulSession]]
    """The async session that does the work. A class of a package sets this alone."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Take over which tools the async session offers."""
        super().__init_subclass__(**keywords)
        if "async_session_class" in vars(cls):
            cls.offered = cls.async_session_class.offered

    def __init__(
        self,
        open_client: Callable[[], AbstractAsyncContextManager[Any] | Awaitable[AbstractAsyncContextManager[Any]]],
        model: str | None = None,
        *,
        on_loss: OnLoss | None = None,
        on_unsupported: Literal["error", "weaken"] = "error",
        others: Collection[str] = (),
    ) -> None:
        """Store the function that opens the client, and the arguments of the async session."""
        self.model = model
        self.on_loss = on_loss
        self._opened = open_client
        self._on_unsupported: Literal["error", "weaken"] = on_unsupported
        self._others = others
        self._thread = LoopThread(self.async_session_class.name)
        self._stack = AsyncExitStack()
        self._opening = asyncio.Lock()
        self._session: AsyncStatefulSession | None = None

    def close(self) -> None:
        """End the running turn, close the client, and end the thread."""
        self._session = None
        try:
            if self._thread.is_running:
                self._thread.run(self._stack.aclose())
        finally:
            self._thread.close()

    def send(self, request: Request | str) -> Completion:
        """Send the new part of a request.

        Returns:
            The response.

        Raises:
            SessionError: The client rejected the request, or its session failed.
            ConversionError: The request cannot be sent as it is.
        """
        return self._thread.run(self._sent(self.prepare_request(request)))

    def stream(self, request: Request | str) -> Iterator[StreamEvent]:
        """Send the new part of a request, and yield the events of the response as they arrive.

        Yields:
            The events; the last one is `completed`.

        Raises:
            SessionError: The client rejected the request, or its session failed before the first event.
            ConversionError: The request cannot be sent as it is.
        """
        events = self._events(self.prepare_request(request))
        try:
            while (event := self._thread.run(_next(events))) is not None:
                yield event
        finally:
            self._thread.run(events.aclose())

    async def _sent(self, request: Request) -> Completion:
        return await (await self._ready()).send(request)

    async def _events(self, request: Request) -> AsyncGenerator[StreamEvent, None]:
        async with aclosing((await self._ready()).stream(request)) as events:
            async for event in events:
                yield event

    async def _ready(self) -> AsyncStatefulSession:
        """Return the async session, which is opened at its first use."""
        async with self._opening:
            if self._session is None:
                client = await self._stack.enter_async_context(await call_hook(self._opened))
                session = self.async_session_class(
                    client, on_unsupported=self._on_unsupported, ignored_tools=self._others
                )
                self._session = await self._stack.enter_async_context(session)
        self._session.on_loss = self.on_loss
        return self._session


async def _next(events: AsyncGenerator[StreamEvent, None]) -> StreamEvent | None:
    """Return the next event, or None at the end."""
    return await anext(events, None)
