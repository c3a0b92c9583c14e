"""A synchronous session: runs an async one on a loop in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Collection, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing
from typing import Any, ClassVar, Literal, TypeVar

from ...conversion.writer import OnLoss
from ...models import Completion, Request, StreamEvent
from ...sessions.base import Session, ToolMode
from .async_session import AsyncHostedSession

__all__ = ["HostedSession", "LoopThread"]

T = TypeVar("T")


class LoopThread:
    """An event loop in a thread. It runs from its first use until it is closed."""

    def __init__(self, name: str) -> None:
        """Set the name of the thread."""
        self._name = name
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def is_running(self) -> bool:
        """Whether the loop is running."""
        return self._loop is not None

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end; who stops waiting for it cancels it."""
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
        """End the loop and its thread, once what still runs on it has been cancelled."""
        loop, thread = self._loop, self._thread
        if loop is None or thread is None:
            return
        self.run(_ended())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
        self._loop = self._thread = None


async def _ended() -> None:
    """Cancel all other tasks of the loop, and wait for them and for what the loop still has to close."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    loop = asyncio.get_running_loop()
    await loop.shutdown_asyncgens()
    await loop.shutdown_default_executor()


class HostedSession(Session):
    """A session that opens its client at the first request, in a thread of its own, and closes it at its end.

    `on_loss` is called in that thread.
    """

    tool_mode = ToolMode.NATIVE

    later: ClassVar[type[AsyncHostedSession]]
    """The async session that does the work."""

    def __init__(
        self,
        opened: Callable[[], AbstractAsyncContextManager[Any]],
        model: str | None = None,
        *,
        on_loss: OnLoss | None = None,
        on_unsupported: Literal["error", "weaken"] = "error",
        others: Collection[str] = (),
    ) -> None:
        """Set the function that opens the client, and the arguments of the async session."""
        self.model = model
        self.on_loss = on_loss
        self._opened = opened
        self._on_unsupported: Literal["error", "weaken"] = on_unsupported
        self._others = others
        self._thread = LoopThread(self.later.name)
        self._stack = AsyncExitStack()
        self._opening = asyncio.Lock()
        self._session: AsyncHostedSession | None = None

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
        return self._thread.run(self._sent(self.prepared(request)))

    def stream(self, request: Request | str) -> Iterator[StreamEvent]:
        """Send the new part of a request, and yield the events of the response as they arrive.

        Yields:
            The events; the last one is `completed`.

        Raises:
            SessionError: The client rejected the request, or its session failed before the first event.
            ConversionError: The request cannot be sent as it is.
        """
        events = self._events(self.prepared(request))
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

    async def _ready(self) -> AsyncHostedSession:
        """The session, opened at the first use."""
        async with self._opening:
            if self._session is None:
                client = await self._stack.enter_async_context(self._opened())
                made = self.later(client, on_unsupported=self._on_unsupported, others=self._others)
                self._session = await self._stack.enter_async_context(made)
        self._session.on_loss = self.on_loss
        return self._session


async def _next(events: AsyncGenerator[StreamEvent, None]) -> StreamEvent | None:
    """The next event; None at the end."""
    return await anext(events, None)
