"""Events of a live session, kept from the moment they come until an answer is read from them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

__all__ = ["Inbox"]


class Inbox:
    """A queue of events. Nobody tells that a connection is gone, so whoever waits long asks whether it is alive."""

    patience = 5.0
    """Seconds without an event after which the connection is tried."""

    def __init__(self, alive: Callable[[], Awaitable[object]]) -> None:
        """Take what tries the connection, and raises where it is gone."""
        self._alive = alive
        self._events: deque[Any] = deque()
        self._arrived = asyncio.Event()
        self._open = False

    def open(self) -> None:
        """Keep what comes from now on, and nothing from before."""
        self._events.clear()
        self._open = True

    def close(self) -> None:
        """Keep nothing: no answer is to come."""
        self._events.clear()
        self._open = False

    @property
    def is_open(self) -> bool:
        """Whether an answer, or more of one, is to come."""
        return self._open

    def put(self, event: Any) -> None:
        """Take an event, in the thread of the event loop."""
        if self._open:
            self._events.append(event)
            self._arrived.set()

    async def get(self) -> Any:
        """The next event, as soon as there is one; None where none came for long, and the connection is alive.

        Raises:
            Exception: the connection is gone, as the client tells it.
        """
        if not self._events:
            self._arrived.clear()
            try:
                async with asyncio.timeout(self.patience):
                    await self._arrived.wait()
            except TimeoutError:
                await self._alive()
        return self._events.popleft() if self._events else None
