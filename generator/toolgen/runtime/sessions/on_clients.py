"""What sessions on official clients share: the clients, which take turns, and what becomes of what they raise.

Several clients, one for each key, take turns; one whose key is refused or has used up its rate gives way to the next.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, ClassVar, Literal, Protocol

from ...models import (
    ApiError,
    Completion,
    OpaquePart,
    Request,
    StreamEvent,
    ToolDefinition,
)
from ..conversion.residue import within
from ..conversion.writer import OnLoss
from ..errors import BareApiError, ConversionError
from .client_facts import ClientCalls
from .failures import SessionError, refusal_of

__all__ = ["ClientSession", "ProviderModule"]

_NEXT_KEY = ("authentication", "rate_limit")
"""Errors that another key may not have."""


class ProviderModule(Protocol):
    """What a session needs of a provider's module."""

    def to_sdk(
        self,
        request: Request,
        *,
        on_loss: OnLoss | None = None,
        on_unsupported: Literal["error", "weaken"] = "error",
    ) -> dict[str, Any]:
        """Write a request as keywords of the client's call."""
        ...

    def from_response(
        self, response: Any, turn: int = 0, *, tools: Iterable[ToolDefinition | OpaquePart] = ()
    ) -> Completion:
        """Read an answer."""
        ...

    def iter_events(
        self, source: Iterable[Any], *, turn: int = 0, tools: Iterable[ToolDefinition | OpaquePart] = ()
    ) -> Iterator[StreamEvent]:
        """Read a stream."""
        ...

    def aiter_events(
        self, source: AsyncIterable[Any], *, turn: int = 0, tools: Iterable[ToolDefinition | OpaquePart] = ()
    ) -> AsyncIterator[StreamEvent]:
        """Read a stream, later."""
        ...

    def from_error(self, status: int, body: Any) -> ApiError:
        """Read an error."""
        ...


class ClientSession:
    """What both kinds of session on a client share."""

    provider: ClassVar[ProviderModule]
    """The module that writes requests and reads answers."""
    name: ClassVar[str]
    """The provider's name."""
    calls: ClassVar[ClientCalls]
    """How the client is called."""

    model: str | None
    on_loss: OnLoss | None

    def __init__(
        self,
        client: Any,
        model: str | None = None,
        *,
        further: Sequence[Any] = (),
        on_loss: OnLoss | None = None,
        on_unsupported: Literal["error", "weaken"] = "error",
    ) -> None:
        """Take the client and the model of requests that name none. `further` clients take turns with the first."""
        self.clients = [client, *further]
        self._turns = count()
        self._on_unsupported: Literal["error", "weaken"] = on_unsupported
        self.model = model
        self.on_loss = on_loss

    def keywords(self, request: Request, *, streaming: bool) -> dict[str, Any]:
        """Write a request as keywords of the client's call."""
        whole = replace(request, stream=True if streaming else None)
        found = self.provider.to_sdk(whole, on_loss=self.on_loss, on_unsupported=self._on_unsupported)
        return {**self.calls.streamed, **found} if streaming else found

    def turns(self) -> list[Any]:
        """The clients, the one whose turn it is first. Threads may share a session: one step of a counter is all that is changed."""
        first = next(self._turns) % len(self.clients)
        return self.clients[first:] + self.clients[:first]

    def is_refusal(self, raised: Exception) -> bool:
        """Whether a client's exception is what the API answered."""
        return refusal_of(raised, self.calls.status, self.calls.body) is not None

    def refused(self, raised: Exception, is_last: bool) -> SessionError | None:
        """The error to raise for a client's exception; None where another client shall be tried.

        Raises:
            Exception: the one that was raised, where it is no answer of the API.
        """
        found = refusal_of(raised, self.calls.status, self.calls.body)
        if found is None:
            raise raised
        error = self.provider.from_error(*found)
        status: int = within(error.metadata or {}, self.name).get("status", found[0])
        return None if error.kind in _NEXT_KEY and not is_last else SessionError(self.name, status, error)

    def begun(self, first: Any) -> None:
        """Look at what came first of a stream.

        Raises:
            BareApiError: it is an error in place of an answer.
        """
        try:
            self.provider.from_response(first)
        except BareApiError:
            raise
        except ConversionError:  # an event need not be a whole answer
            return
