"""Sessions on official clients, synchronous and async: calling a client, closing it, and recognizing API errors."""

from __future__ import annotations

import inspect
import re
import time
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from itertools import chain, count
from math import inf
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, Self, TypeVar

from ..conversion.cache import to_bytes
from ..conversion.extras import inner_extras
from ..conversion.fit_to_model import accepts_output_schema
from ..conversion.request_tools import rejects_output_format
from ..conversion.responses import status_text
from ..conversion.wire import ProviderWire
from ..conversion.writer import OnLoss
from ..errors import BareApiError, ConversionError, ConversionLoss
from ..hooks import areport_losses, await_in_own_task, report_losses
from ..models import ApiError, Completion, Loss, Request, StreamEvent
from ..paths import ROOT, Path, format_path
from ..running.sync_runner import aclosing, run_blocking
from ..serialization import dump, load
from .api_errors import SessionError, read_error_response, request_id, resolve_attribute, retry_after
from .base import AsyncSession, Session, SessionBase, ToolMode
from .call_threads import CallThreads
from .text_protocol import next_turn_index

__all__ = [
    "AsyncNativeSession",
    "ClientCalls",
    "ClientSession",
    "NativeSession",
    "ProviderModule",
    "aclose_client",
    "close_client",
]

T = TypeVar("T")

_SURROGATE = re.compile(rb"\xed[\xa0-\xbf]")
"""Half of a surrogate pair in bytes of `to_bytes`."""

_KEY_ERRORS = ("authentication", "rate_limit")
"""The kinds of errors for which another API key may work."""

_END: Any = object()
"""The end of a stream that has no event."""


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
        stated = {each.name: facts[each.name] for each in fields(cls) if each.name in facts}
        return cls(**{"send_async": facts["send"], "stream_async": facts["stream"], **stated})


class ProviderModule(Protocol):
    """What a session needs of a provider's module."""

    WIRE: ProviderWire
    to_sdk: Callable[..., dict[str, Any]]
    from_response: Callable[..., Completion]
    to_response: Callable[..., dict[str, Any]]
    iter_events: Callable[..., Iterator[StreamEvent]]
    aiter_events: Callable[..., AsyncIterator[StreamEvent]]
    from_error: Callable[..., ApiError]


class ClientSession(SessionBase):
    """The base of synchronous and async sessions on official clients. A class of a package sets `provider` alone."""

    provider: ProviderModule
    """The module that writes requests and reads responses."""
    name: ClassVar[str]
    """The name of the provider."""
    calls: ClassVar[ClientCalls]
    """How to call the client."""

    tool_mode = ToolMode.NATIVE

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Take over the facts of the provider's wire."""
        super().__init_subclass__(**keywords)
        if "provider" in vars(cls):
            wire = cls.provider.WIRE
            cls.name = wire.name
            cls.calls = ClientCalls.from_facts(wire.session)
            cls.offered = wire.declared.names
            cls.output_schemas = wire.session.get("output_schemas", True)
            cls.forbids_calls = wire.session.get("forbids_calls", True)
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
            on_loss: Called with each `Loss` of a request before it is sent, and of the arguments of calls that a run
                with this session runs. It may be async. Without it, and without that of a run, all losses except notes
                are issued as Python warnings.
            on_unsupported: What to do if the API cannot express what a request asks for: "error" raises, "weaken"
                reports a loss and sends the rest.
        """
        self.clients = [client, *further]
        self._call_options: Mapping[str, Any] = {}
        if further:  # another key is tried before the same one is retried
            self._call_options = self.calls.no_retries.get("keywords", {})
            self.clients = [self._without_retries(each) for each in self.clients]
        self._turns = count()
        self._resting: dict[int, float] = {}
        self._on_unsupported: Literal["error", "weaken"] = on_unsupported
        self.model = model
        self.on_loss = on_loss

    def accepts_output_schema(self, request: Request) -> bool:
        """Return whether the API accepts an output schema in a request, which may depend on its tools and its model."""
        wire = self.provider.WIRE
        if not accepts_output_schema(request, wire):
            return False
        return rejects_output_format(request, wire) is None if wire.typed_output else self.output_schemas

    def _without_retries(self, client: Any) -> Any:
        """Return a client that does not retry, if its options can say so."""
        options = self.calls.no_retries.get("with_options", {})
        return client.with_options(**options) if options and hasattr(client, "with_options") else client

    def call_kwargs(self, request: Request, *, streaming: bool) -> dict[str, Any]:
        """Convert a request to keyword arguments for the client's call, and report its losses.

        Half of a surrogate pair, which no client can encode, is replaced by U+FFFD, and reported.

        Raises:
            TypeError: Neither the session nor the request names a model.
        """
        return report_losses(self.on_loss, partial(self._convert, request, streaming))

    def _convert(self, request: Request, streaming: bool, on_loss: OnLoss | None) -> dict[str, Any]:
        """Convert a request for `call_kwargs`."""
        if request.model is None and not request.metadata:  # a request that was read may name a stored prompt instead
            raise TypeError("no model is set; pass one to the session, as in Session(client, model), or to the request")
        sent = replace(request, stream=True if streaming else None)
        keywords = self.provider.to_sdk(sent, on_loss=on_loss, on_unsupported=self._on_unsupported)
        if _SURROGATE.search(to_bytes(keywords) or b""):
            sent = load(Request, _replace_surrogates(dump(sent), ROOT, on_loss))
            # the losses of the request were reported above
            keywords = self.provider.to_sdk(sent, on_loss=lambda loss: None, on_unsupported=self._on_unsupported)
        options = {**self._call_options, **(self.calls.streamed if streaming else {})}
        for name, value in keywords.items():
            is_joined = (
                type(value) is dict and type(options.get(name)) is dict
            )  # options of the client, and of the body
            options[name] = {**options[name], **value} if is_joined else value
        return options

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

    def session_error(self, raised: Exception) -> SessionError | None:
        """Return the error for an error response of the API. None for any other exception of the client."""
        response = read_error_response(raised, self.calls.status, self.calls.body)
        if response is None:
            return None
        error = self.provider.from_error(response.status, response.body)
        headers = resolve_attribute(raised, self.calls.headers) if self.calls.headers else None
        return SessionError(
            self.name,
            inner_extras(error.metadata or {}, self.name).get("status", response.status),
            error,
            request_id=request_id(headers),
            retry_after=retry_after(headers, response.body),
        )

    def error_of(self, completion: Completion) -> ApiError | None:
        """Return the error that the API stated in a response of status 200. None if it stated none."""
        if completion.finish_reason != "error":
            return None
        body = self.provider.to_response(
            completion, id=completion.id or "", created=0, on_loss=lambda loss: None, on_unsupported="weaken"
        )
        error = self.provider.from_error(200, body)
        return error if error.message != status_text(200) else None

    def rest_key(self, client: Any, error: SessionError) -> None:
        """After an error of an API key, use the others first: for good if it was rejected, or for as long as stated."""
        if error.error.kind == "authentication":
            self._resting[id(client)] = inf
        elif error.error.kind == "rate_limit" and error.retry_after is not None:
            self._resting[id(client)] = time.monotonic() + error.retry_after

    def error_of_stream(self, raised: Exception, client: Any) -> Exception:
        """Return the error that ends a stream after its first event. That of an API has all details in its metadata."""
        failure = self.session_error(raised)
        if failure is None:
            return raised
        self.rest_key(client, failure)
        details = {"status": failure.status, "requestId": failure.request_id, "retryAfter": failure.retry_after}
        stated = {name: value for name, value in details.items() if value is not None}
        metadata = failure.error.metadata or {}
        failure.error.metadata = {**metadata, self.name: {**inner_extras(metadata, self.name), **stated}}
        return failure

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


class _OpenStream(NamedTuple):
    """A stream whose first event was read, because some clients send the request only then.

    `source` is what has to be closed. `first` has the first event; it is empty if there was none. `further` iterates
    over the others, asynchronously for async code.
    """

    client: Any
    source: Any
    first: list[Any]
    further: Any


class NativeSession(ClientSession, Session):
    """A session on the official client of a provider whose models have native tools."""

    def close(self) -> None:
        """Close the clients, including those that the app passed in."""
        for client in self.clients:
            close_client(client, self.calls.send)

    def send(self, request: Request | str) -> Completion:
        """Send one request.

        Returns:
            The response.

        Raises:
            SessionError: The API rejected the request.
            ConversionError: The request cannot be sent as it is.
        """
        prepared = self.prepare_request(request)
        keywords = self.call_kwargs(prepared, streaming=False)

        def send(call: Callable[..., Any], client: Any) -> Completion:
            response = _require_sync(call(**keywords), client)
            return self.provider.from_response(response, next_turn_index(prepared), tools=prepared.tools or ())

        return self._try_clients(self.calls.send, send)

    def stream(self, request: Request | str) -> Iterator[StreamEvent]:
        """Send one request, and yield the events of the response as they arrive.

        Yields:
            The events; the last one is `completed`.

        Raises:
            SessionError: The API rejected the request.
            ConversionError: The request cannot be sent as it is.
        """
        prepared = self.prepare_request(request)
        keywords = self.call_kwargs(prepared, streaming=True)

        def open_stream(call: Callable[..., Any], client: Any) -> _OpenStream:
            return self._read_first_event(_require_sync(call(**keywords), client), client)

        opened = self._try_clients(self.calls.stream, open_stream)
        try:
            yield from self.provider.iter_events(
                self._events(opened), turn=next_turn_index(prepared), tools=prepared.tools or ()
            )
        finally:
            _close(opened.source)

    def _read_first_event(self, response: Any, client: Any) -> _OpenStream:
        """Read the first event of a stream.

        Raises:
            Exception: An error response of the API. Any other exception fails the stream later, when it is read.
        """
        source = response[self.calls.events] if self.calls.events else response
        events = iter(source)
        try:
            first = next(events, _END)
        except Exception as raised:
            if self.session_error(raised) is not None:
                _close(source)
                raise
            return _OpenStream(client, source, [], _raise_when_read(raised))
        if first is _END:
            return _OpenStream(client, source, [], events)
        try:
            self.check_first_event(first)
        except BareApiError:
            _close(source)
            raise
        return _OpenStream(client, source, [first], events)

    def _events(self, opened: _OpenStream) -> Iterator[Any]:
        """Yield the events of a stream. An API error in the middle of it becomes a SessionError."""
        try:
            yield from chain(opened.first, opened.further)
        except Exception as raised:  # noqa: BLE001 - it is raised again
            raise self.error_of_stream(raised, opened.client) from None

    def _try_clients(self, attribute_path: str, send: Callable[[Callable[..., Any], Any], T]) -> T:
        """Call `send` with the call of a client, and the client. After an error of its API key, try the next client.

        Raises:
            SessionError: The API rejected the request.
        """
        failure: SessionError | None = None
        for client in self.rotate_clients():
            try:
                return send(self.call_of(client, attribute_path), client)
            except Exception as raised:
                failure = self.session_error(raised)
                if failure is None:
                    raise
            self.rest_key(client, failure)
            if failure.error.kind not in _KEY_ERRORS:
                break
        assert failure is not None  # a session has at least one client
        raise failure


class AsyncNativeSession(ClientSession, AsyncSession):
    """An async session on the official client of a provider whose models have native tools.

    A client without an async version is called in a thread.
    """

    @cached_property
    def _threads(self) -> CallThreads:
        return CallThreads()

    async def aclose(self) -> None:
        """Close the clients, including those that the app passed in."""
        if "_threads" in self.__dict__:
            self._threads.close()
            del self._threads
        for client in self.clients:
            await aclose_client(client, self.calls.send_async)

    async def send(self, request: Request | str) -> Completion:
        """Send one request.

        Returns:
            The response.

        Raises:
            SessionError: The API rejected the request.
            ConversionError: The request cannot be sent as it is.
        """
        prepared = self.prepare_request(request)
        keywords = await self._acall_kwargs(prepared, streaming=False)

        async def send(call: Callable[..., Any], client: Any) -> Completion:
            response = await self._call(call, keywords, client)
            return self.provider.from_response(response, next_turn_index(prepared), tools=prepared.tools or ())

        return await self._try_clients(self.calls.send_async, send)

    async def stream(self, request: Request | str) -> AsyncIterator[StreamEvent]:
        """Send one request, and yield the events of the response as they arrive.

        Yields:
            The events; the last one is `completed`.

        Raises:
            SessionError: The API rejected the request.
            ConversionError: The request cannot be sent as it is.
        """
        prepared = self.prepare_request(request)
        keywords = await self._acall_kwargs(prepared, streaming=True)

        async def open_stream(call: Callable[..., Any], client: Any) -> _OpenStream:
            return await self._read_first_event(await self._call_for_stream(call, keywords), client)

        opened = await self._try_clients(self.calls.stream_async, open_stream)
        try:
            async with aclosing(opened.further), aclosing(self._events(opened)) as items:
                read = self.provider.aiter_events(items, turn=next_turn_index(prepared), tools=prepared.tools or ())
                async with aclosing(read) as events:
                    async for event in events:
                        yield event
        finally:
            await _aclose(opened.source)

    async def _acall_kwargs(self, request: Request, *, streaming: bool) -> dict[str, Any]:
        """Convert a request like `call_kwargs`, for async code."""
        return await areport_losses(self.on_loss, partial(self._convert, request, streaming))

    async def _call(self, call: Callable[..., Any], keywords: dict[str, Any], client: Any) -> Any:
        """Return the response to a request.

        Raises:
            TypeError: The client is not for async code.
        """
        if self.calls.blocking:
            return await self._threads.run(call, **keywords)
        response = call(**keywords)
        if not inspect.isawaitable(response):
            raise _not_async(client)
        return await response

    async def _call_for_stream(self, call: Callable[..., Any], keywords: dict[str, Any]) -> Any:
        """Return the response to a request for a stream. Some clients return it at once, and send the request later."""
        if self.calls.blocking:
            return await self._threads.run(call, **keywords)
        response = call(**keywords)
        return await response if inspect.isawaitable(response) else response

    async def _read_first_event(self, response: Any, client: Any) -> _OpenStream:
        """Read the first event of a stream.

        Raises:
            TypeError: The client is not for async code.
            Exception: An error response of the API. Any other exception fails the stream later, when it is read.
        """
        source = response[self.calls.events] if self.calls.events else response
        if not self.calls.blocking and not hasattr(source, "__aiter__"):
            _close(source)
            raise _not_async(client)
        events = self._threads.items(iter(source)) if self.calls.blocking else aiter(source)
        try:
            first = await anext(events, _END)
        except Exception as raised:
            if self.session_error(raised) is not None:
                await _aclose(source)
                raise
            return _OpenStream(client, source, [], _araise_when_read(raised))
        if first is _END:
            return _OpenStream(client, source, [], events)
        try:
            self.check_first_event(first)
        except BareApiError:
            await _aclose(source)
            raise
        return _OpenStream(client, source, [first], events)

    async def _events(self, opened: _OpenStream) -> AsyncIterator[Any]:
        """Yield the events of a stream. An API error in the middle of it becomes a SessionError."""
        try:
            for event in opened.first:
                yield event
            async for event in opened.further:
                yield event
        except Exception as raised:  # noqa: BLE001 - it is raised again
            raise self.error_of_stream(raised, opened.client) from None

    async def _try_clients(self, attribute_path: str, send: Callable[[Callable[..., Any], Any], Awaitable[T]]) -> T:
        """Await `send` with the call of a client, and the client. After an error of its API key, try the next client.

        Raises:
            SessionError: The API rejected the request.
        """
        failure: SessionError | None = None
        for client in self.rotate_clients():
            try:
                return await send(self.call_of(client, attribute_path), client)
            except Exception as raised:
                failure = self.session_error(raised)
                if failure is None:
                    raise
            self.rest_key(client, failure)
            if failure.error.kind not in _KEY_ERRORS:
                break
        assert failure is not None  # a session has at least one client
        raise failure


def _replace_surrogates(value: Any, at: Path, on_loss: OnLoss | None) -> Any:
    """Return a JSON value whose texts can be encoded, and report each text that changes."""
    if isinstance(value, dict):
        return {
            _replace_surrogates(key, at, on_loss): _replace_surrogates(item, (at, key), on_loss)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_replace_surrogates(item, (at, i), on_loss) for i, item in enumerate(value)]
    if not isinstance(value, str) or value.isascii():
        return value
    text = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if text != value:
        _report_replaced_surrogate(at, on_loss)
    return text


def _report_replaced_surrogate(at: Path, on_loss: OnLoss | None) -> None:
    """Report the loss, or issue a warning if nobody listens."""
    path = format_path(at).encode("utf-8", "replace").decode()  # a key may have one too
    reason = "half of a surrogate pair cannot be sent, so U+FFFD replaces it"
    loss = Loss(path, "text", "rewritten", "warning", reason)
    if on_loss is not None:
        on_loss(loss)
    else:
        warnings.warn(ConversionLoss(f"{path}: {loss.action} {loss.what}: {reason}"), stacklevel=3)


def _require_sync(value: Any, client: Any) -> Any:
    """Return the value of a client's call.

    Raises:
        TypeError: The client is for async code.
    """
    if not inspect.isawaitable(value):
        return value
    if inspect.iscoroutine(value):
        value.close()
    raise TypeError(f"{type(client).__name__} is a client for async code: use `AsyncSession`")


def _not_async(client: Any) -> TypeError:
    return TypeError(f"{type(client).__name__} is not a client for async code: use `Session`")


async def _aclose(source: Any) -> None:
    """Close a stream of an async or a blocking client, if it can be closed."""
    close = getattr(source, "aclose", None) or getattr(source, "close", None)
    if callable(close) and inspect.isawaitable(closing := close()):
        await closing


async def _araise_when_read(error: Exception) -> AsyncIterator[Any]:
    """Return an asynchronous iterator that raises an exception at its first step."""
    raise error
    yield


def _close(source: Any) -> None:
    """Close a stream, if it can be closed."""
    if callable(close := getattr(source, "close", None)):
        close()


def _raise_when_read(error: Exception) -> Iterator[Any]:
    """Return an iterator that raises an exception at its first step."""
    raise error
    yield


def close_client(client: Any, send_path: str) -> None:
    """Close a client from synchronous code. `send_path` leads to the method that sends requests."""
    if inspect.isawaitable(closing := _start_closing(client, send_path)):
        run_blocking(await_in_own_task(closing))


async def aclose_client(client: Any, send_path: str) -> None:
    """Close a client from async code. A client without `__aexit__` is closed like in `close_client`."""
    if (leave := _method_on_path(client, send_path, "__aexit__")) is not None:
        await leave(None, None, None)
    elif inspect.isawaitable(closing := _start_closing(client, send_path)):
        await closing


def _start_closing(client: Any, send_path: str) -> Any:
    """Close a client, and return what its method returned: a coroutine if it is for async code."""
    if (leave := _method_on_path(client, send_path, "__exit__")) is not None:
        return leave(None, None, None)
    return close() if callable(close := getattr(client, "close", None)) else None


def _method_on_path(client: Any, attribute_path: str, name: str) -> Any:
    """Return the method with this name, of the client or the first object on the path that has it. None without one."""
    steps = attribute_path.split(".")
    for end in range(len(steps)):
        holder = resolve_attribute(client, ".".join(steps[:end])) if end else client
        if callable(method := getattr(holder, name, None)):
            return method
    return None
