"""The official clients by themselves, as an app hands them to a session, against a server on this machine."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from tests.support.exchanges import every_condition, whole
from tests.support.generated import Package
from tests.support.loopback import Loopback, Reply
from tests.support.repository import OWN_CODE, PROFILES, extended, profile
from tests.support.wires import WIRES

SESSIONS = [name for name in PROFILES if "session" in profile(name) and "stateful" not in profile(name)["session"]]
"""The providers with a client that sends requests one by one."""

STATEFUL = [name for name in PROFILES if "stateful" in profile(name).get("session", {})]
"""Those whose client is a live session with an agent, which holds the conversation; `hosts` has what stands after it."""

OWN_SESSIONS = [name for name in SESSIONS if name in OWN_CODE]
"""Those of them with code of their own."""


@asynccontextmanager
async def opened(provider: str, address: str, later: bool) -> AsyncIterator[Any]:
    """A client of a provider; that of Mistral and Google is one for both kinds of code."""
    module = importlib.import_module(f"tests.support.wires.{_stem(provider)}")
    wire = WIRES[_stem(provider)].client
    if hasattr(module, "session_client"):
        async with module.session_client(address) as client:
            yield client
    elif later and wire.opened_async is not None:
        async with wire.opened_async(address) as client:
            yield client
    else:
        with wire.opened(address) as client:
            yield client


def _stem(provider: str) -> str:
    """The provider whose code a profile shares."""
    while provider not in OWN_CODE:
        provider = str(extended(provider))
    return provider


@contextmanager
def session(package: Package, provider: str, server: Loopback, later: bool, **settings: Any) -> Iterator[Any]:
    """A session on a client that talks to a server, and what runs code on the client's loop."""
    kind = "AsyncSession" if later else "Session"
    module = getattr(package.module(f"sessions.{provider}"), kind)
    with asyncio.Runner() as runner:
        client = opened(provider, server.address, later)
        opened_session = module(runner.run(client.__aenter__()), "m", on_loss=lambda loss: None, **settings)
        opened_session.runner = runner
        try:
            yield opened_session
        finally:
            runner.run(client.__aexit__(None, None, None))


def replied(package: Package, provider: str, completion: Any, streaming: bool) -> Reply:
    """What the API would return, in one piece or in a stream."""
    module = package.provider(provider)
    if not streaming:
        return whole(module.to_response(completion, id="response_1", created=1))
    writer = module.StreamWriter(id="response_1", created=1)
    events = package.module("runtime.sessions.text_protocol").stream_events(completion)
    wire = [event for emitted in events for event in writer.write(emitted)]
    return every_condition(provider, [*wire, *writer.finish()])


@contextmanager
def stateful(package: Package, provider: str, address: str, later: bool, **settings: Any) -> Iterator[Any]:
    """A session on a live session of the official client, and what runs code on the client's loop."""
    host = importlib.import_module(f"tests.running.hosts.{provider}")
    module = package.module(f"sessions.{provider}")
    options = {"on_loss": lambda loss: None, **settings}
    if not later:
        with module.Session(lambda: host.opened(address), "m", **options) as opened_session:
            yield opened_session
        return
    with asyncio.Runner() as runner:
        client = host.opened(address)
        opened_session = module.AsyncSession(runner.run(client.__aenter__()), "m", **options)
        opened_session.runner = runner
        try:
            yield opened_session
        finally:
            runner.run(client.__aexit__(None, None, None))


def runtime(provider: str, script: Any) -> Any:
    """What stands after a live session, playing a script."""
    return importlib.import_module(f"tests.running.hosts.{provider}").Runtime(script)
