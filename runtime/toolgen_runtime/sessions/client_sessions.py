"""The shared code of sessions on official clients: sending requests, closing clients, and recognizing API errors."""

from __future__ import annotations

import inspect
import re
import time
import warnings
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import count
from math import inf
from typing import Any, ClassVar, Literal, Protocol, Self

from ..conversion.cache import to_bytes
from ..conversion.extras import inner_extras
from ..conversion.wire import ProviderWire
from ..conversion.writer import OnLoss
from ..errors import BareApiError, ConversionError, ConversionLoss
from ..models import ApiError, Completion, Loss, Request, StreamEvent
from ..paths import ROOT, Path, format_path
from ..serialization import dump, load
from .api_errors import SessionError, request_id, resolve_attribute, retry_after, status_and_body

__all__ = [
    "ClientCalls",
    "ClientSession",
    "ProviderModule",
    "aclose_client",
    "await_send_return_value",
    "check_send_return_value",
    "close_client",
]


_SURROGATE = re.compile(rb"\xed[\xa0-\xbf]")
"""Half of a surrogate pair in bytes of `to_bytes`."""


def close_client(client: Any, send_path: str) -> None:
    """Close a client from synchronous code. `send_path` leads to the method that sends requests."""
    if (leave := _found(client, send_path, "__exit__")) is not None:
        leave(None, None, None)
    elif callable(close := getattr(client, "close", None)):
        close()


async def aclose_client(client: Any, send_path: str) -> None:
    """Close a client from async code. A client without `__aexit__` is closed like in `close_client`."""
    if (leave := _found(client, send_path, "__aexit__")) is not None:
        await leave(None, None, None)
    else:
        close_client(client, send_path)


def _found(client: Any, attribute_path: str, name: str) -> Any:
    """Return the method with this name, from the client or the first object on the path that has it."""
    steps = attribute_path.split(".")
    for end in range(len(steps)):
        one = resolve_attribute(client, ".".join(steps[:end])) if end else client
        if callable(method := getattr(one, name, None)):
            return method
    return None


def check_send_return_value(session: object, returned: Any) -> Completion | str:
    """Check the return value of a session's `send`.

    Raises:
        TypeError: The value is neither a string nor a completion.
    """
    if isinstance(returned, str | Completion):
        return returned
    message = f"{type(session).__name__}.send must return a string or a Completion, not {type(returned).__name__}"
    if inspect.iscoroutine(returned):
        returned.close()
        message += "; use AsyncSession if send is async"
    raise TypeError(message)


async def await_send_return_value(session: object, returned: Any) -> Completion | str:
    """Await and check the return value of a session's `send`.

    Raises:
        TypeError: The value is neither a string nor a completion, or is not awaitable.
    """
    if not inspect.isawaitable(returned):
        raise TypeError(f"{type(session).__name__}.send must be async, but returned {type(returned).__name__}")
    return check_send_return_value(session, await returned)


_NEXT_KEY = ("authentication", "rate_limit")
"""The kinds of errors for which another API key may work."""


@dataclass(frozen=True, slots=True)
class ClientCalls:
    """The calls of an official client, as attribute paths that start at the client.

    `events` is the key of the events in the response of a stream. `streamed` are additional arguments for streams.
    `blocking` means that there is no async client, so the synchronous one is called in a thread. `status`, `body` and
    `headers` are attribute paths in the client's exceptions. `no_retries` has the options (`with_options`) of a client,
    or the arguments (`keywords`) of each call, that disable its own retries.
    """

    send: str
    stream: str
    send_async: str
    stream_async: str
    status: str
    body: str
    events: str | None = None
    headers: str | None = None
    blocking: bool = False
    no_retries: Mapping[str, Any] = field(default_factory=dict)
    streamed: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Self:
        """Return the calls that the section `session` of a profile states. Calls are also the async ones by default."""
        known = {each.name: facts[each.name] for each in fields(cls) if each.name in facts}
        return cls(**{"send_async": facts["send"], "stream_async": facts["stream"], **known})


class ProviderModule(Protocol):
    """What a session needs of a provider's module."""

    WIRE: ProviderWire
    to_sdk: Callable[..., dict[str, Any]]
    from_response: Callable[..., Completion]
    iter_events: Callable[..., Iterator[StreamEvent]]
    aiter_events: Callable[..., AsyncIterator[StreamEvent]]
    from_error: Callable[..., ApiError]


class ClientSession:
    """The base of synchronous and async sessions on official clients. A class of a package sets `provider` alone."""

    provider: ProviderModule
    """The module that writes requests and reads responses."""
    name: ClassVar[str]
    """The name of the provider."""
    calls: ClassVar[ClientCalls]
    """How to call the client."""

    offered: Sequence[str] | None
    output_schemas: bool
    paused: Collection[str]
    model: str | None
    on_loss: OnLoss | None

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Take over the facts of the provider's wire."""
        super().__init_subclass__(**keywords)
        if "provider" in vars(cls):
            wire = cls.provider.WIRE
            cls.name = wire.name
            cls.calls = ClientCalls.from_facts(wire.session)
            cls.offered = wire.declared.names
            cls.output_schemas = wire.session.get("output_schemas", True)
            cls.paused = tuple(wire.session.get("paused", ()))

    def __init__(
        self,
        client: Any,
        model: str | None = None,
        *,
        further: Sequence[Any] = (),
        on_loss: OnLoss | None = None,
        on_unsupported: Literal["error", "weaken"] = "error",
    ) -> None:
        """Set the client and the model.

        Args:
            client: The provider's official client. The app creates it, with its key, address, retries and timeouts.
            model: The model of requests that name none.
            further: Clients with other keys. They are used in rotation with the first one.
            on_loss: Called with each `Loss` of a request. Without it, all losses except notes are issued as Python
                warnings.
            on_unsupported: What to do if the API cannot express what a request asks for: "error" raises, "weaken"
                reports a loss and sends the rest.
        """
        self.clients = [client, *further]
        self._each: Mapping[str, Any] = {}
        if further:  # another key is tried before the same one is retried
            self._each = self.calls.no_retries.get("keywords", {})
            options = self.calls.no_retries.get("with_options", {})
            self.clients = [
                one.with_options(**options) if options and hasattr(one, "with_options") else one for one in self.clients
            ]
        self._turns = count()
        self._resting: dict[int, float] = {}
        self._on_unsupported: Literal["error", "weaken"] = on_unsupported
        self.model = model
        self.on_loss = on_loss

    def call_kwargs(self, request: Request, *, streaming: bool) -> dict[str, Any]:
        """Convert a request to keyword arguments for the client's call.

        Half of a surrogate pair, which no client can encode, is replaced by U+FFFD, and reported.

        Raises:
            TypeError: Neither the session nor the request names a model.
        """
        if request.model is None and not request.metadata:  # a request that was read may name a stored prompt instead
            raise TypeError("no model is set; pass one to the session, as in Session(client, model), or to the request")
        whole = replace(request, stream=True if streaming else None)
        found = self.provider.to_sdk(whole, on_loss=self.on_loss, on_unsupported=self._on_unsupported)
        if _SURROGATE.search(to_bytes(found) or b""):
            whole = load(Request, self._encodable(dump(whole), ROOT))
            found = self.provider.to_sdk(whole, on_loss=lambda loss: None, on_unsupported=self._on_unsupported)
        return {**self._each, **(self.calls.streamed if streaming else {}), **found}

    def _encodable(self, value: Any, at: Path) -> Any:
        if type(value) is dict:
            return {self._encodable(key, at): self._encodable(item, (at, key)) for key, item in value.items()}
        if type(value) is list:
            return [self._encodable(item, (at, i)) for i, item in enumerate(value)]
        if type(value) is not str or value.isascii():
            return value
        text = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if text != value:
            reason = "half of a surrogate pair cannot be sent, so U+FFFD replaces it"
            loss = Loss(format_path(at).encode("utf-8", "replace").decode(), "text", "rewritten", "warning", reason)
            if self.on_loss is not None:
                self.on_loss(loss)
            else:
                warnings.warn(ConversionLoss(f"{loss.path}: {loss.action} {loss.what}: {reason}"), stacklevel=2)
        return text

    def rotate_clients(self) -> list[Any]:
        """Return the clients, starting with the next one in rotation. Clients whose API key is resting come last.

        Threads may share a session, because only a counter is changed.
        """
        first = next(self._turns) % len(self.clients)
        ordered = self.clients[first:] + self.clients[:first]
        if not self._resting:
            return ordered
        now = time.monotonic()
        return sorted(ordered, key=lambda client: max(0.0, self._resting.get(id(client), now) - now))

    def call_of(self, client: Any, attribute_path: str) -> Any:
        """Return a call of a client.

        Raises:
            TypeError: The client does not have it, so it is not the official client of this provider.
        """
        call = resolve_attribute(client, attribute_path)
        if not callable(call):
            needed = f"a session of {self.name} needs its official client, which has `{attribute_path}`"
            raise TypeError(f"{needed}; found {type(client).__name__}")
        return call

    def is_api_error(self, raised: Exception) -> bool:
        """Return whether an exception of the client is an error response of the API."""
        return status_and_body(raised, self.calls.status, self.calls.body) is not None

    def error_to_raise(self, raised: Exception, client: Any, is_last: bool) -> SessionError | None:
        """Return the error to raise for a client's exception. None if another client should be tried.

        A rate-limited key rests for as long as the response states. A rejected key is only used if no other is left.

        Raises:
            Exception: The original exception, if it is not an error of the API.
        """
        found = status_and_body(raised, self.calls.status, self.calls.body)
        if found is None:
            raise raised
        error = self.provider.from_error(*found)
        headers = resolve_attribute(raised, self.calls.headers) if self.calls.headers else None
        wait = retry_after(headers, found[1])
        if error.kind in _NEXT_KEY and len(self.clients) > 1:
            rest = inf if error.kind == "authentication" else wait
            if rest is not None:
                self._resting[id(client)] = time.monotonic() + rest
            if not is_last:
                return None
        status: int = inner_extras(error.metadata or {}, self.name).get("status", found[0])
        return SessionError(self.name, status, error, request_id=request_id(headers), retry_after=wait)

    def stream_error(self, raised: Exception, client: Any) -> Exception:
        """Return the error that ends a stream after its first event. An API error becomes a complete SessionError."""
        if not self.is_api_error(raised):
            return raised
        refused = self.error_to_raise(raised, client, True)
        assert refused is not None
        details = {"status": refused.status, "requestId": refused.request_id, "retryAfter": refused.retry_after}
        known = {
            **inner_extras(refused.error.metadata or {}, self.name),
            **{k: v for k, v in details.items() if v is not None},
        }
        refused.error.metadata = {**(refused.error.metadata or {}), self.name: known}
        return refused

    def check_first_event(self, first: Any) -> None:
        """Check that the first event of a stream is not an API error.

        Raises:
            BareApiError: The response is an API error.
        """
        try:
            self.provider.from_response(first)
        except BareApiError:
            raise
        except ConversionError:  # an event does not have to be a complete response
            return
