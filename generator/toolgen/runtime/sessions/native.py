"""Sessions on a provider's official client, which the app hands in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from ...models import Completion, Request, StreamEvent
from ..errors import BareApiError
from .base import Session, ToolMode
from .closing import close_client
from .failures import reached
from .folding import turn_of
from .on_clients import ClientSession

__all__ = ["NativeSession"]

_END: Any = object()


class NativeSession(ClientSession, Session):
    """A session on the official client of a provider whose models have tools."""

    tool_mode = ToolMode.NATIVE

    def close(self) -> None:
        """Close the clients, those too that the app handed in."""
        for client in self.clients:
            close_client(client, self.calls.send)

    def send(self, request: Request | str) -> Completion:
        """Send a request, and return the answer.

        Raises:
            SessionError: the API refused it.
            ConversionError: it cannot be sent as it is meant.
        """
        whole = self.prepared(request)
        keywords = self.keywords(whole, streaming=False)
        turn, tools = turn_of(whole), whole.tools or ()
        answer: Completion = self._called(
            self.calls.send, lambda call: self.provider.from_response(call(**keywords), turn, tools=tools)
        )
        return answer

    def stream(self, request: Request | str) -> Iterator[StreamEvent]:
        """Send a request, and yield the answer's events as they come; `completed` is the last one.

        Raises:
            SessionError: the API refused it.
            ConversionError: it cannot be sent as it is meant.
        """
        whole = self.prepared(request)
        keywords = self.keywords(whole, streaming=True)
        source, first, rest = self._called(self.calls.stream, lambda call: self._begun(call(**keywords)))
        try:
            yield from self.provider.iter_events(chain(first, rest), turn=turn_of(whole), tools=whole.tools or ())
        finally:
            _close(source)

    def _begun(self, value: Any) -> tuple[Any, list[Any], Iterator[Any]]:
        """A stream, what came first of it, and the rest: some clients send no request before they are asked for that."""
        source = value[self.calls.events] if self.calls.events else value
        rest = iter(source)
        try:
            first = next(rest, _END)
        except Exception as raised:  # what is no refusal has broken the stream, which is told as an event
            if self.is_refusal(raised):
                _close(source)
                raise
            return source, [], _broken(raised)
        if first is _END:
            return source, [], rest
        try:
            self.begun(first)
        except BareApiError:
            _close(source)
            raise
        return source, [first], rest

    def _called(self, way: str, ask: Callable[[Any], Any]) -> Any:
        clients = self.turns()
        for client in clients:
            try:
                return ask(reached(client, way))
            except Exception as raised:  # noqa: BLE001 - what is no refusal is raised again
                refused = self.refused(raised, client is clients[-1])
            if refused is not None:
                raise refused
        raise AssertionError("the last client has answered, or its error was raised")


def _close(source: Any) -> None:
    if callable(close := getattr(source, "close", None)):
        close()


def _broken(error: Exception) -> Iterator[Any]:
    raise error
    yield
