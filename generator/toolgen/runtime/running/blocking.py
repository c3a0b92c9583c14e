"""Running coroutines from code that is not async: on a loop of this thread, or of another one where this has one already."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self, TypeVar

__all__ = ["Blocking", "run_blocking"]

T = TypeVar("T")


class Blocking:
    """One event loop for several coroutines, used as a context manager.

    In a thread whose loop is running (a notebook's, for one) they run in a thread beside it, which keeps that loop waiting.
    """

    def __enter__(self) -> Self:
        """Make the loop."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            self._beside = None
        else:
            self._beside = ThreadPoolExecutor(1, "tools")
        self._runner = asyncio.Runner()
        return self

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end."""
        if self._beside is None:
            return self._runner.run(coroutine)
        context = contextvars.copy_context()
        return self._beside.submit(lambda: self._runner.run(coroutine, context=context)).result()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close the loop."""
        if self._beside is None:
            self._runner.close()
        else:
            self._beside.submit(self._runner.close).result()
            self._beside.shutdown()


def run_blocking(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run one coroutine to its end."""
    with Blocking() as loop:
        return loop.run(coroutine)
