"""Wrapper for a client that is itself a live session with an agent: its calls, their errors, and its events."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...conversion.values import to_plain_object
from ...models import ApiError
from ...paths import ROOT
from ...sessions.api_errors import SessionError, resolve_attribute

__all__ = ["AsyncInbox", "StatefulClient", "StatefulClientCalls"]

_logger = logging.getLogger(__name__)

_NO_METHOD = -32601
"""The JSON-RPC error code for an unknown method. A server that returns it is alive."""

_STOPPING = 5.0
"""Seconds allowed for aborting a turn."""


@dataclass(frozen=True, slots=True)
class StatefulClientCalls:
    """The calls of a stateful client, as attribute paths that start at its session.

    `offer` takes the tools under the key `tools`. `forget` takes an empty list instead of the client's own tools.
    `accepted` is the path in the return value of `answer` to whether the call was still waiting. `error` has the
    attributes of the client's exception that describe an error; the first one is a number. `begun`, `asked` and
    `failed` are types of events: a message was accepted, a call of one of the app's tools is requested, the session
    failed. These are paths in an event: `identifier` to the id that `send` returned, `origin` to the id of the message
    that caused the event, `asked_for` to the name of the tool, `agent` to the sub-agent, `status` to the HTTP status.
    `request` is the key of the id of a request. `steering` has the arguments of a message that is sent while the agent
    works.
    """

    subscribe: str
    send: str
    answer: str
    accepted: str
    offer: str
    tools: str
    forget: str
    set_model: str
    abort: str
    alive: str
    begun: str
    asked: str
    failed: str
    identifier: str
    origin: str
    asked_for: str
    agent: str
    status: str
    request: str
    error: tuple[str, ...]
    steering: Mapping[str, Any] = field(default_factory=dict)


class StatefulClient:
    """The client and its agent's current turn. Events are kept from `open_turn` to the end of the turn."""

    def __init__(
        self, client: Any, name: str, calls: StatefulClientCalls, from_error: Callable[[int, Any], ApiError]
    ) -> None:
        """Store the client, the provider's name, how the client is called, and how its errors are read."""
        self._client = client
        self._name = name
        self._calls = calls
        self._from_error = from_error
        self._inbox = AsyncInbox(self._alive)
        self._unsubscribe: Callable[[], object] | None = None

    def subscribe(self) -> None:
        """Subscribe to the client's events, unless already subscribed."""
        if self._unsubscribe is None:
            self._unsubscribe = resolve_attribute(self._client, self._calls.subscribe)(self._inbox.put)

    def unsubscribe(self) -> None:
        """Unsubscribe from the client's events."""
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None

    def open_turn(self) -> None:
        """Begin a turn. Earlier events are discarded, because they do not belong to it."""
        self._inbox.open()

    def close_turn(self) -> None:
        """End the turn."""
        self._inbox.close()

    async def abort_turn(self) -> None:
        """Abort the turn, if there is one. A failure is only logged, because it must not hide what happened before."""
        if not self._inbox.is_open:
            return
        self._inbox.close()
        try:
            async with asyncio.timeout(_STOPPING):
                await resolve_attribute(self._client, self._calls.abort)()
        except Exception as raised:  # noqa: BLE001 - the cause of the abort matters more, and is raised
            _logger.warning("%s: cannot abort the turn: %s", self._name, type(raised).__name__)

    async def call_method(self, attribute_path: str, *values: Any, **keywords: Any) -> Any:
        """Call a method of the client.

        Raises:
            SessionError: The client rejected the call.
        """
        try:
            return await resolve_attribute(self._client, attribute_path)(*values, **keywords)
        except Exception as raised:
            details = {name: getattr(raised, name, None) for name in self._calls.error}
            status = details[self._calls.error[0]]
            if type(status) is not int:
                raise
        raise SessionError(self._name, status, self._from_error(status, details))

    async def call_with_params(self, attribute_path: str, params: dict[str, Any]) -> Any:
        """Call a method of the client with params that it sends unchanged.

        Raises:
            SessionError: The client rejected the call.
        """
        return await self.call_method(attribute_path, _Params(params))

    async def next_event(self, message_id: str | None) -> dict[str, Any] | None:
        """Return the next event. If a message was sent, skip events of earlier turns, which may end late.

        Without a sent message, return None after a long time without events.

        Raises:
            Exception: The client's own exception, if the connection or the session is lost.
        """
        calls = self._calls
        while True:
            item = await self._inbox.get()
            if item is None and message_id is None:
                return None
            if item is None:
                continue
            event = to_plain_object(item, ROOT)
            origin = resolve_attribute(event, calls.origin)
            begins = event.get("type") == calls.begun and resolve_attribute(event, calls.identifier) in (
                None,
                message_id,
            )
            if message_id is None or origin == message_id or begins or (origin is None and self._has_failed(event)):
                return event

    def close_turn_on_failure(self, event: dict[str, Any]) -> SessionError | None:
        """Return the error if an event reports that the session failed, which also ends the turn."""
        if not self._has_failed(event):
            return None
        self._inbox.close()
        stated = resolve_attribute(event, self._calls.status)
        status = stated if type(stated) is int else 0
        return SessionError(self._name, status, self._from_error(status, event))

    def _has_failed(self, event: dict[str, Any]) -> bool:
        """Return whether an event reports a failure of the session, and not of one of its sub-agents."""
        return event.get("type") == self._calls.failed and resolve_attribute(event, self._calls.agent) is None

    async def _alive(self) -> None:
        """Check the connection.

        Raises:
            Exception: The client's own exception, if the connection or the session is lost.
        """
        try:
            await self.call_method(self._calls.alive)
        except SessionError as refused:
            if refused.status != _NO_METHOD:
                raise


class _Params:
    """Params of a call, in the form that the client expects."""

    def __init__(self, params: dict[str, Any]) -> None:
        self._params = params

    def to_dict(self) -> dict[str, Any]:
        """Return the params for the client."""
        return self._params


class AsyncInbox:
    """A queue of events. Nothing reports a lost connection, so a long wait checks whether it is alive."""

    patience = 5.0
    """Seconds without an event before the connection is checked."""

    def __init__(self, alive: Callable[[], Awaitable[object]]) -> None:
        """Store the function that checks the connection, which raises if it is lost."""
        self._alive = alive
        self._events: deque[Any] = deque()
        self._arrived = asyncio.Event()
        self.is_open = False

    def open(self) -> None:
        """Discard earlier events, and keep those that come from now on."""
        self._events.clear()
        self.is_open = True

    def close(self) -> None:
        """Discard all events, because no response is expected."""
        self._events.clear()
        self.is_open = False

    def put(self, event: Any) -> None:
        """Add an event, in the thread of the event loop."""
        if self.is_open:
            self._events.append(event)
            self._arrived.set()

    async def get(self) -> Any:
        """Return the next event, or None after a long time without events if the connection is alive.

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
