"""Threads for clients that block, used from async code.

Blocked calls wait for the network, not for a processor. The thread pool of asyncio is small (the number of processors
plus four), so blocked calls would delay all other blocking calls of an app.
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

_MAX_THREADS = 64
"""Maximum number of concurrent calls. Further calls wait."""
_MAX_AHEAD = 256
"""Maximum number of events of a stream that are read in advance."""


class CallThreads:
    """Runs the calls of a blocking client and reads its streams, for async code. Threads are started on demand."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_MAX_THREADS, "toolgen-session")

    async def run(self, call: Callable[..., Any], /, **keywords: Any) -> Any:
        """Call a function in a thread, with the caller's context variables."""
        work = partial(copy_context().run, call, **keywords)
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    async def items(self, source: Iterator[Any]) -> AsyncIterator[Any]:
        """Yield the items of an iterator, which one thread reads. Items that arrive together are passed on together.

        Raises:
            Exception: The exception that the iterator raised.
        """
        reader = _ThreadedReader(source, asyncio.get_running_loop())
        self._pool.submit(copy_context().run, reader.read)
        try:
            while True:
                await reader.ready.wait()
                reader.ready.clear()
                while reader.arrived:
                    yield reader.arrived.popleft()
                    reader.room.release()
                if reader.ended.is_set() and not reader.arrived:
                    break
        finally:
            reader.stop()
        if reader.failure is not None:
            raise reader.failure

    def close(self) -> None:
        """Start no more threads. Running ones end with their call."""
        self._pool.shutdown(wait=False)


class _ThreadedReader:
    """An iterator that a thread reads for an event loop.

    `arrived` has the items that were read, but not passed on. `ready` is set when there are any, and at the end. `room`
    limits how many the thread reads in advance. `failure` is the exception that the iterator raised.
    """

    def __init__(self, source: Iterator[Any], loop: asyncio.AbstractEventLoop) -> None:
        self._source = source
        self._loop = loop
        self._stopped = False
        self.arrived: deque[Any] = deque()
        self.ready = asyncio.Event()
        self.room = threading.Semaphore(_MAX_AHEAD)
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
                if len(self.arrived) == 1:  # otherwise the waiting task is already awake
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
        """Tell the event loop, from the thread, that an item is ready. Without a loop, the thread stops."""
        if not self._loop.is_closed():
            try:
                self._loop.call_soon_threadsafe(self.ready.set)
            except RuntimeError:  # closed in the meantime, so nobody is waiting
                self._stopped = True
