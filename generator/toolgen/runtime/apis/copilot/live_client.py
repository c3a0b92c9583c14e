"""A client that is itself a live session with an agent: its calls, what they are refused with, and its events."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from ...conversion.values import to_plain_object
from ...models import ApiError
from ...paths import ROOT
from ...sessions.api_errors import SessionError, resolve_attribute
from ...sessions.connection import HostedCalls

__all__ = ["Inbox", "LiveClient"]

_logger = logging.getLogger(__name__)

_NO_METHOD = -32601
"""What JSON-RPC answers to a method that it does not know: whoever says so is alive."""

_STOPPING = 5.0
"""Seconds that ending a turn may take."""


class LiveClient:
    """The client, and the turn of its agent: between `open_turn` and its end events are kept."""

    def __init__(self, client: Any, name: str, calls: HostedCalls, from_error: Callable[[int, Any], ApiError]) -> None:
        """Take the client, the provider's name, how it is called, and how its errors are read."""
        self._client = client
        self._name = name
        self._calls = calls
        self._from_error = from_error
        self._inbox = Inbox(self._alive)
        self._unsubscribe: Callable[[], object] | None = None

    def subscribe(self) -> None:
        """Listen to the events, from the first time on."""
        if self._unsubscribe is None:
            self._unsubscribe = resolve_attribute(self._client, self._calls.subscribe)(self._inbox.put)

    def unsubscribe(self) -> None:
        """Listen no more."""
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None

    def open_turn(self) -> None:
        """A turn begins: what came before is of no turn of ours."""
        self._inbox.open()

    def close_turn(self) -> None:
        """The turn has ended."""
        self._inbox.close()

    async def abort_turn(self) -> None:
        """End the turn, if there is one; that it cannot be ended is no reason to hide what happened before."""
        if not self._inbox.is_open:
            return
        self._inbox.close()
        try:
            async with asyncio.timeout(_STOPPING):
                await resolve_attribute(self._client, self._calls.abort)()
        except Exception as raised:  # noqa: BLE001 - the reason of the end is what counts, and is raised
            _logger.warning("%s: cannot abort the turn: %s", self._name, type(raised).__name__)

    async def call_method(self, attribute_path: str, *values: Any, **keywords: Any) -> Any:
        """Call the client.

        Raises:
            SessionError: The client rejected the call.
        """
        try:
            return await resolve_attribute(self._client, attribute_path)(*values, **keywords)
        except Exception as raised:
            found = {name: getattr(raised, name, None) for name in self._calls.error}
            status = found[self._calls.error[0]]
            if type(status) is not int:
                raise
        raise SessionError(self._name, status, self._from_error(status, found))

    async def call_with_params(self, attribute_path: str, params: dict[str, Any]) -> Any:
        """Call the client with params that it sends as they stand.

        Raises:
            SessionError: The client rejected the call.
        """
        return await self.call_method(attribute_path, _Params(params))

    async def event(self, sent: str | None) -> dict[str, Any] | None:
        """The next event; where a message was sent, the first that is of its turn, for an earlier one may end late.

        None where none came for long.

        Raises:
            Exception: The client's own exception, if the connection or the session is lost.
        """
        calls = self._calls
        while True:
            found = await self._inbox.get()
            if found is None and sent is None:
                return None
            if found is None:
                continue
            event = to_plain_object(found, ROOT)
            origin = resolve_attribute(event, calls.origin)
            begins = event.get("type") == calls.begun and resolve_attribute(event, calls.identifier) in (None, sent)
            if sent is None or origin == sent or begins or (origin is None and self._has_failed(event)):
                return event

    def failure(self, event: dict[str, Any]) -> SessionError | None:
        """The error that an event tells of: the session failed. Its turn is over."""
        if not self._has_failed(event):
            return None
        self._inbox.close()
        found = resolve_attribute(event, self._calls.status)
        status = found if type(found) is int else 0
        return SessionError(self._name, status, self._from_error(status, event))

    def _has_failed(self, event: dict[str, Any]) -> bool:
        """Whether an event says that the session failed, and not a sub-agent of it."""
        return event.get("type") == self._calls.failed and resolve_attribute(event, self._calls.agent) is None

    async def _alive(self) -> None:
        """Try the connection.

        Raises:
            Exception: The client's own exception, if the connection or the session is lost.
        """
        try:
            await self.call_method(self._calls.alive)
        except SessionError as refused:
            if refused.status != _NO_METHOD:
                raise


class _Params:
    """Params of a call, as the client takes them."""

    def __init__(self, params: dict[str, Any]) -> None:
        self._params = params

    def to_dict(self) -> dict[str, Any]:
        """Give them to the client."""
        return self._params


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
            Exception: The client's own exception, if the connection is lost.
        """
        if not self._events:
            self._arrived.clear()
            try:
                async with asyncio.timeout(self.patience):
                    await self._arrived.wait()
            except TimeoutError:
                await self._alive()
        return self._events.popleft() if self._events else None
