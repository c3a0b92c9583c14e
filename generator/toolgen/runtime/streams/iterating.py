"""A stream's events over an official client's stream, as they come."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any

from ...models import StreamEvent, TextDelta
from .base import BaseStream

__all__ = ["aiterate", "iterate"]


def iterate(stream: BaseStream, source: Iterable[Any], text_only: bool) -> Iterator[StreamEvent]:
    """Feed what a source gives, and finish once it ends or breaks; a failure of it is told as an `error` event."""
    failure: Exception | None = None
    try:
        for item in source:
            yield from _wanted(stream.feed(item), text_only)
    except Exception as error:  # noqa: BLE001 - whatever breaks a source is told as an event
        failure = error
    yield from _wanted(stream.finish(failure), text_only)


async def aiterate(stream: BaseStream, source: AsyncIterable[Any], text_only: bool) -> AsyncIterator[StreamEvent]:
    """The same over an asynchronous source."""
    failure: Exception | None = None
    try:
        async for item in source:
            for event in _wanted(stream.feed(item), text_only):
                yield event
    except Exception as error:  # noqa: BLE001 - as above
        failure = error
    for event in _wanted(stream.finish(failure), text_only):
        yield event


def _wanted(events: list[StreamEvent], text_only: bool) -> list[StreamEvent]:
    return [event for event in events if type(event) is TextDelta] if text_only else events
