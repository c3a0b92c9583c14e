"""How an official client is made and called: what a profile says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["ClientCalls", "ClientMaker", "HostedCalls"]


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


@dataclass(frozen=True, slots=True)
class HostedCalls:
    """The calls of a client that is itself a live session with an agent, as ways of attributes from it.

    `offer` takes the tools under the key `tools`; `forget` takes an empty list instead of the tools that the client runs
    itself. `accepted` says in what `answer` gives whether the call still waited. `error` are the attributes of the client's exception that say what was refused, the first of them a number.
    `begun`, `asked` and `failed` are types of events: a message was taken up, a tool of the app is asked for, the session
    failed. Ways from an event lead to the id that `send` gave (`identifier`), to that of the message which the event belongs
    to (`origin`), to the name of the tool (`asked_for`), to the sub-agent (`agent`) and to the HTTP status (`status`).
    `request` is the key of a request's id. `steering` are keywords of a message that is sent while the agent works.
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
