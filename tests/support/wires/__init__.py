"""What the tests know of each wire that the profile does not say, one module a provider, found by its stem.

A profile that shares the code of the one that it extends shares its module, too; `wire_of` of that module, where it has
one, says what is otherwise by the table.

A module has `WIRE`: how to look at bodies, responses and streams of the wire without the package under test, what the
SDK's types and the API refuse, and how the official client sends and reads. That of a wire without conversations has
`TOOL_WIRE` instead, that of one with messages and no requests `MESSAGE_WIRE`.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from tests.support.loopback import torn
from tests.support.repository import CONVERSING, MESSAGING, OWN_CODE, SINGLE, TEXTS, extended, table

W = TypeVar("W")

MARK = "x-mark-of-the-unknown"
"""Stands in everything unknown that a wire module makes up."""


@dataclass(frozen=True)
class Seen:
    """A call or a result in a body: the id that pairs them, the tool's name (of calls), arguments or content."""

    id: str | None
    name: str
    value: Any


@dataclass
class ResponseContent:
    """What a response says: arguments of a call are None where they is not an object; usage is the wire's own.

    `closed`: the stream came to its end, though it gave no reason.
    """

    text: str = ""
    reasoning: str = ""
    refusal: str = ""
    calls: list[Seen] = field(default_factory=list)
    stop: str | None = None
    usage: Any = None
    signatures: list[str] = field(default_factory=list)
    closed: bool = False


@dataclass(frozen=True)
class Changed:
    """A response or a stream with something unknown in it.

    `comes_back`: it stands in what is read and in `to_response`; `echoed`: it stands in the next request, too; `stop`: it is
    the stop reason.
    """

    name: str
    value: Any
    comes_back: bool = True
    echoed: bool = False
    stop: bool = False


@dataclass(frozen=True)
class Client:
    """The official client, over real connections.

    `opened` and `opened_async` make one that talks to an address, without retries and without the proxies that the
    environment names; `opened_async` is None where there is no asynchronous one. `call` calls it for a response or for a stream (what is to be awaited, of an asynchronous one);
    `least` are keywords that it takes, and `paths` where it sends requests for the model `m`, without and with streaming.
    `framed` is what goes over the connection for events of a stream, `end` what stands after the last one, and
    `media_type` what the response's head calls both; `torn` cuts it where its readers stumble.

    `gives_dicts`: it has no types of its own for responses and events, but plain dicts.

    `error` is what it raises for an error of the API, `broken` for a connection that was cut; `refusal` gives the
    status and the bodies that a caller finds in an error. `validated` is what its types make of a response, an error where they refuse it; `spelled` brings a body to what the
    client would have made of it, and `kept_part` a response, or an event, to what is left of it in the client's object.
    `raises`: it raises for an error inside of a stream, where the wire has a form for one.
    """

    opened: Callable[[str], Any]
    opened_async: Callable[[str], Any] | None
    call: Callable[[Any, dict[str, Any], bool], Any]
    least: dict[str, Any]
    paths: tuple[str, str]
    framed: Callable[[list[Any]], bytes]
    error: Callable[[], type[Exception]]
    broken: Callable[[], type[Exception]]
    refusal: Callable[[Any], tuple[int, list[Any]]]
    validated: Callable[[Any], Any]
    spelled: Callable[[Any], Any] = lambda body: body
    kept_part: Callable[[Any], Any] = lambda body: body
    end: bytes = b""
    raises: bool = True
    media_type: str = "text/event-stream; charset=utf-8"
    torn: Callable[[bytes], list[bytes]] = torn
    gives_dicts: bool = False


def nobody(*arguments: Any) -> Any:
    """Stand for a function that a wire has nothing to do with: a client's, or a stream's."""
    raise AssertionError("this wire has no such thing")


NO_CLIENT = Client(nobody, None, nobody, {}, ("", ""), nobody, nobody, nobody, nobody, nobody)
"""Stands in the wire of a format that an app has for itself."""


@dataclass(frozen=True)
class Wire:
    """How to look at what goes over a wire.

    Requests: `calls` and `results` list them in order; `texts` what is said in them; `signatures` the opaque state;
    `type_faults` is what the SDK's types say against a body, `order_faults` what the API says against the order of
    its messages, and against ids and names; `foreign` gives bodies with something unknown in each place with kinds.

    Responses: `read_response` reads a whole one, `tokens` all input and all output of its usage, `read_stream` a stream of events, `split` makes the events in which the provider
    would send a whole response, `unknown_responses` and `unknown_events` add what nobody knows.

    `alike` brings the spellings that the API treats alike to one; most wires have but one.
    """

    calls: Callable[[Any], list[Seen]]
    results: Callable[[Any], list[Seen]]
    texts: Callable[[Any], str]
    signatures: Callable[[Any], list[str]]
    type_faults: Callable[[Any], list[str]]
    order_faults: Callable[[Any], list[str]]
    foreign: Callable[[Any], list[Any]]
    read_response: Callable[[Any], ResponseContent]
    tokens: Callable[[Any], tuple[int, int]]
    read_stream: Callable[[list[Any]], ResponseContent]
    split: Callable[[Any], list[Any]]
    unknown_responses: Callable[[Any], list[Changed]]
    unknown_events: Callable[[list[Any]], list[Changed]]
    client: Client = NO_CLIENT
    streamed: Callable[[Any], Any] = lambda body: body
    """A response without what a stream of this wire does not say; the profile lists it under `lacks`."""
    respelled: Callable[[Any], Any] = lambda completion: completion
    """A dumped completion without the choices of spelling that a writer of streams must make before it knows the response."""
    unknown_key: str = "x_unknown"
    """A key that nobody knows, spelled as the wire spells keys."""
    alike: Callable[[Any], Any] = lambda body: body
    """A body in the one spelling of several that the API treats alike."""


@dataclass(frozen=True)
class ToolWire:
    """How to look at a wire that has tools, calls and results alone.

    Each function is what the SDK's types say against an entry of the tools, a call, or a result. `free` are the keys
    whose value is the user's or the model's, where nothing unknown is added.
    """

    tool_faults: Callable[[Any], list[str]]
    call_faults: Callable[[Any], list[str]]
    result_faults: Callable[[Any], list[str]]
    free: frozenset[str]
    unknown_key: str = "x_unknown"


@dataclass(frozen=True)
class MessageWire:
    """How to look at a wire that has messages, and no requests that hold them.

    The first four are what the wire's own types say against an entry of the tools, a choice, a message, or a response;
    `foreign` gives a message, and `unknown_responses` responses, with something unknown in each place with kinds.
    """

    tool_faults: Callable[[Any], list[str]]
    choice_faults: Callable[[Any], list[str]]
    message_faults: Callable[[Any], list[str]]
    response_faults: Callable[[Any], list[str]]
    foreign: Callable[[], list[Any]]
    unknown_responses: Callable[[Any], list[Any]]
    free: frozenset[str]
    unknown_key: str = "x_unknown"


def drained(value: Any) -> Any:
    """Read what the SDK's types read lazily: what is not read is not checked."""
    if isinstance(value, Mapping):
        return {k: drained(v) for k, v in value.items()}
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        return value
    return [drained(v) for v in value]


def strings(value: Any, *keys: str) -> list[str]:
    """The texts, not empty, under keys of these names, wherever they stand."""
    if isinstance(value, list):
        return [text for inner in value for text in strings(inner, *keys)]
    if not isinstance(value, dict):
        return []
    here = [v for k, v in value.items() if k in keys and isinstance(v, str) and v]
    return here + [text for inner in value.values() for text in strings(inner, *keys)]


def pieces(text: str, size: int = 7) -> list[str]:
    """The text cut into short pieces."""
    return [text[i : i + size] for i in range(0, len(text), size)]


def restore_object_content(text: Any) -> Any:
    """Arguments: blank text is none, text that is not an object is None."""
    if text is None or (isinstance(text, str) and not text.strip()):
        return {}
    if isinstance(text, str):
        try:
            text = json.loads(text)
        except ValueError:
            return None
    return text if isinstance(text, dict) else None


def event_stream(events: list[Any], *, named: bool = False, end: str = "\n") -> bytes:
    """The events as the lines of an event stream."""
    texts = [json.dumps(event, ensure_ascii=False, separators=(",", ":")) for event in events]
    names = [f"event: {event.get('type')}{end}" if named else "" for event in events]
    lines = [f"{name}data: {text}{end}{end}" for name, text in zip(names, texts, strict=True)]
    return "".join(lines).encode()


def _wire(name: str) -> Wire:
    """The wire of a profile: its module's, or that of the profile it extends, with what its table says."""
    if name in OWN_CODE or name in TEXTS:
        wire: Wire = importlib.import_module(f"{__name__}.{name}").WIRE
        return wire
    parent = extended(name)
    assert parent is not None, f"there is no tests/support/wires/{name}.py"
    module = importlib.import_module(f"{__name__}.{parent}")
    shared: Wire = module.wire_of(table(name)) if hasattr(module, "wire_of") else _wire(parent)
    return shared


class OnDemand(Mapping[str, W]):
    """Wires by name. A module is imported when its wire is needed, because it may import an SDK."""

    def __init__(self, names: Iterable[str], load: Callable[[str], W]) -> None:
        self._names, self._load = list(names), cache(load)

    def __getitem__(self, name: str) -> W:
        if name not in self._names:
            raise KeyError(name)
        return self._load(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names


def _has_module(name: str) -> bool:
    return (Path(__file__).parent / f"{name}.py").is_file()


def _attribute(attribute: str) -> Callable[[str], Any]:
    return lambda name: getattr(importlib.import_module(f"{__name__}.{name}"), attribute)


WIRES: Mapping[str, Wire] = OnDemand(
    (name for name in CONVERSING + TEXTS if name in OWN_CODE + TEXTS or extended(name)), _wire
)
"""The wires with conversations: of all profiles that have a module here, or extend one that has."""

TOOL_WIRES: Mapping[str, ToolWire] = OnDemand(filter(_has_module, SINGLE), _attribute("TOOL_WIRE"))
"""The wires without conversations that have a module here."""

MESSAGE_WIRES: Mapping[str, MessageWire] = OnDemand(filter(_has_module, MESSAGING), _attribute("MESSAGE_WIRE"))
"""The wires with messages and no requests that have a module here."""
