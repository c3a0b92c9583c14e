"""The official clients of all wires, opened once, and the server that responds to them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from contextlib import AsyncExitStack, ExitStack
from typing import Any

from tests.providers import laws
from tests.support.generated import Package
from tests.support.loopback import Loopback, Reply, Sent, torn
from tests.support.repository import table
from tests.support.wires import WIRES, Client


def whole(body: Any, status: int = 200) -> Reply:
    """The reply of a body, which is JSON, a text, or nothing at all."""
    if body is None or isinstance(body, str):
        return Reply(torn((body or "").encode()), "text/html", status)
    return Reply(torn(json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()), status=status)


def stream(provider: str, pieces: Iterable[bytes], *, cut: bool = False) -> Reply:
    """The reply of a stream that comes in these pieces."""
    return Reply(pieces, WIRES[provider].client.media_type, cut=cut)


def every_condition(provider: str, events: list[Any]) -> Reply:
    """The reply of a stream with these events, which comes to its end."""
    client = WIRES[provider].client
    return stream(provider, client.torn(client.framed(events) + client.end))


class Exchanges:
    """Calls of the clients; the response to each is a reply of ours.

    A call with an asynchronous client is to be run by `run`, for a client stays with one loop.
    """

    def __init__(self) -> None:
        self._closing = ExitStack()
        self.server = Loopback()
        self._closing.callback(self.server.close)
        self._runner = self._closing.enter_context(asyncio.Runner())
        self._later = AsyncExitStack()
        self._closing.callback(lambda: self.run(self._later.aclose()))
        self._opened: dict[tuple[str, bool], Any] = {}

    def close(self) -> None:
        """Close the clients and the server."""
        self._closing.close()

    def run(self, work: Any) -> Any:
        """Run a coroutine."""
        return self._runner.run(work)

    def call(
        self, provider: str, reply: Reply, keywords: dict[str, Any] | None = None, *, streaming: bool = False
    ) -> Any:
        """What the client returns, or raises; `keywords` of a least request where none are given."""
        wire = self._expecting(provider, reply)
        client = self._opened.get((provider, False))
        if client is None:
            client = self._closing.enter_context(wire.opened(self.server.address))
            self._opened[provider, False] = client
        return wire.call(client, keywords or wire.least, streaming)

    async def acall(
        self, provider: str, reply: Reply, keywords: dict[str, Any] | None = None, *, streaming: bool = False
    ) -> Any:
        """The same by the asynchronous client."""
        wire = self._expecting(provider, reply)
        client = self._opened.get((provider, True))
        if client is None:
            assert wire.opened_async is not None
            client = await self._later.enter_async_context(wire.opened_async(self.server.address))
            self._opened[provider, True] = client
        return await wire.call(client, keywords or wire.least, streaming)

    def received(self, provider: str, body: Any, keywords: dict[str, Any] | None = None) -> Any:
        """What the client makes of a response."""
        return self.call(provider, whole(body), keywords)

    def streamed(self, provider: str, events: list[Any], keywords: dict[str, Any] | None = None) -> Any:
        """The client's stream of events."""
        return self.call(provider, every_condition(provider, events), keywords, streaming=True)

    def sent(self) -> Sent:
        """The request of the call before, which is the only one."""
        (request,) = self.server.heard
        assert not self.server.replies
        return request

    def _expecting(self, provider: str, reply: Reply) -> Client:
        self.server.heard.clear()
        self.server.replies.clear()
        self.server.replies.append(reply)
        return WIRES[provider].client


def plain(provider: str, body: Any) -> str:
    """A body in one spelling, for a client may choose another one that the API treats alike."""
    wire = WIRES[provider]
    return laws.exact(wire.client.spelled(wire.alike(body)))


def keywords(package: Package, provider: str, request: Any) -> dict[str, Any]:
    arguments = package.provider(provider).to_sdk(request, on_loss=lambda loss: None, on_unsupported="weaken")
    assert isinstance(arguments, dict)
    return dict(arguments)


def sent(exchanges: Exchanges, package: Package, provider: str, request: Any) -> Any:
    """The body that the client sends for a request."""
    if request.stream:
        assert list(exchanges.streamed(provider, [], keywords(package, provider, request))) == []
    else:
        exchanges.received(provider, table(provider)["response"], keywords(package, provider, request))
    return exchanges.sent().body
