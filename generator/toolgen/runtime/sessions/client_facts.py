"""How an official client is made and called: what a profile says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["ClientCalls", "ClientMaker"]


@dataclass(frozen=True, slots=True)
class ClientCalls:
    """The client's own calls, as ways of attributes from the client, with dots between them.

    `events` is the key of a stream's answer under which its events are. `streamed` are keywords of streams besides those of the
    request. `blocking` says that there is no async client: the other one is called in a thread. `status` and `body` lead from
    an exception to the status and the body of an API's error.
    """

    send: str
    stream: str
    send_async: str
    stream_async: str
    status: str
    body: str
    events: str | None = None
    blocking: bool = False
    streamed: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClientMaker:
    """The classes of a client, and the keywords that they take; None where there is none."""

    module: str
    sync: str
    later: str
    key: str | None
    address: str | None
    needs_address: bool = False
