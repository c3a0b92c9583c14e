"""What sessions on official clients share: how calls are sent, closed, and told apart where they fail."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import Any, ClassVar, Literal, Protocol

from ..conversion.extras import inner_extras
from ..conversion.writer import OnLoss
from ..errors import BareApiError, ConversionError
from ..json_text import JSONError, loads
from ..models import ApiError, Completion, OpaquePart, Request, StreamEvent, ToolDefinition
from .connection import ClientCalls

__all__ = [
    "ClientSession",
    "ProviderModule",
    "SessionError",
    "aclose_client",
    "awaited_answer",
    "checked_answer",
    "close_client",
    "refusal_of",
    "resolve_attribute",
]


def close_client(client: Any, way: str) -> None:
    """Close a client for code that is not async; `way` leads to its call."""
    if (leave := _found(client, way, "__exit__")) is not None:
        leave(None, None, None)
    elif callable(close := getattr(client, "close", None)):
        close()


async def aclose_client(client: Any, way: str) -> None:
    """Close a client for async code; one that has no such part is closed as `close_client` does."""
    if (leave := _found(client, way, "__aexit__")) is not None:
        await leave(None, None, None)
    else:
        close_client(client, way)


def _found(client: Any, way: str, name: str) -> Any:
    """The method of this name of the client, or of the first thing on the way that has one."""
    steps = way.split(".")
    for end in range(len(steps)):
        one = resolve_attribute(client, ".".join(steps[:end])) if end else client
        if callable(method := getattr(one, name, None)):
            return method
    return None


_ANSWERED = 200
"""The status of an error that came as an answer."""


class SessionError(Exception):
    """An API refused a request. `error` says why, and whether to try again; the text names no more than the kind.

    The client's own exception is left out: servers repeat parts of keys in theirs.
    """

    def __init__(self, provider: str, status: int, error: ApiError) -> None:
        """Take the provider, the HTTP status and what `from_error` made of the body."""
        super().__init__(f"{provider}: {error.kind} (status {status})")
        self.provider = provider
        self.status = status
        self.error = error

    def __reduce__(self) -> tuple[Any, ...]:
        """Say how a copy is made, for the text that exceptions keep is made of the three."""
        return type(self), (self.provider, self.status, self.error), self.__dict__


def refusal_of(raised: BaseException, status: str, body: str) -> tuple[int, Any] | None:
    """The status and the body of what an API refused; None for an exception that is not a refusal.

    A client's exception holds them at these places. With the status of an answer, or none, it needs a body: that is an
    error in place of an answer, or at the head of a stream.
    """
    if isinstance(raised, BareApiError):
        return _ANSWERED, raised.body
    found, said = resolve_attribute(raised, status), resolve_attribute(raised, body)
    if isinstance(said, str):
        with suppress(JSONError):
            said = loads(said)
    if type(found) is int and found >= 400:
        return found, said
    told = isinstance(said, Mapping) or (isinstance(said, str) and type(found) is int)
    return (_ANSWERED, said) if said and told else None


def resolve_attribute(value: Any, way: str) -> Any:
    """What a way of attributes and keys, with dots between them, leads to; None where it ends early."""
    for step in way.split("."):
        value = value.get(step) if isinstance(value, Mapping) else getattr(value, step, None)
    return value


def checked_answer(session: object, answer: Any) -> Completion | str:
    """What a session's `send` returned.

    Raises:
        TypeError: it is neither a text nor a completion.
    """
    if isinstance(answer, str | Completion):
        return answer
    said = f"{type(session).__name__}.send must return a text or a Completion, not {type(answer).__name__}"
    if inspect.iscoroutine(answer):
        answer.close()
        said += ": a session whose send is async is an AsyncSession"
    raise TypeError(said)


async def awaited_answer(session: object, answer: Any) -> Completion | str:
    """What a session's `send` returned, once it is there.

    Raises:
        TypeError: it is neither a text nor a completion, or not to be waited for.
    """
    if not inspect.isawaitable(answer):
        raise TypeError(f"{type(session).__name__}.send must be async: it returned {type(answer).__name__}")
    return checked_answer(session, await answer)


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
            Exception: the one that was raised, where it is not an answer of the API.
        """
        found = refusal_of(raised, self.calls.status, self.calls.body)
        if found is None:
            raise raised
        error = self.provider.from_error(*found)
        status: int = inner_extras(error.metadata or {}, self.name).get("status", found[0])
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
