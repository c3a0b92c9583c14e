"""Reading that may be left early: what gives the items is closed then and there, not when it is collected."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Generator, Iterable
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

__all__ = ["close", "closed", "closed_at_end"]

T = TypeVar("T")


def close(items: Any) -> None:
    """Close what can be closed."""
    method: Any = getattr(items, "close", None)
    if method is not None:
        method()


@contextmanager
def closed(items: Iterable[T]) -> Generator[Iterable[T], None, None]:
    """Close items once they are no longer read."""
    try:
        yield items
    finally:
        close(items)


@asynccontextmanager
async def closed_at_end(items: AsyncIterable[T]) -> AsyncGenerator[AsyncIterable[T], None]:
    """The same for items that come asynchronously."""
    try:
        yield items
    finally:
        method: Any = getattr(items, "aclose", None)
        if method is not None:
            await method()
