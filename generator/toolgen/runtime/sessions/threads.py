"""Threads of a session, for official clients that block: their calls wait for the network, not for a processor.

The threads of asyncio are few (the number of processors plus four), and all other blocking calls of an app wait for
them too.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import Any

__all__ = ["CallThreads"]

_THREADS = 64
"""Maximum number of concurrent calls. Further calls wait."""

_AHEAD = 256
"""Maximum number of events of a stream that are read in advance."""


class CallThreads:
    """Runs the calls of a blocking client and reads its streams, for async code. Threads start on demand."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_THREADS, "toolgen-session")

    async def run(self, call: Callable[..., Any], /, **keywords: Any) -> Any:
        """Call a function in a thread, with the caller's context variables."""
        work = partial(copy_context().run, call, **keywords)
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    async def items(self, source: Iterator[Any]) -> AsyncIterator[Any]:
        """Yield what an iterator gives. One thread reads all of it, and hands on at once what came since it was last asked.

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
        """Read to the end, in a thread."""
        try:
            for item in self._source:
                self.room.acquire()
                if self._stopped:
                    return
                self.arrived.append(item)
                if len(self.arrived) == 1:  # else somebody is at it, or has been woken
                    self._wake()
        except BaseException as raised:  # noqa: BLE001 - the loop raises it
            self.failure = raised
        finally:
            self.ended.set()
            self._wake()

    def stop(self) -> None:
        """Let the thread end after the item that it waits for."""
        self._stopped = True
        self.room.release()

    def _wake(self) -> None:
        if not self._loop.is_closed():
            try:
                self._loop.call_soon_threadsafe(self.ready.set)
            except RuntimeError:  # closed meanwhile: nobody waits any more
                self._stopped = True
