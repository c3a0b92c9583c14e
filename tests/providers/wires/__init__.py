"""What the tests know of each wire that the profile does not say, one module a provider, found by its stem.

A module has `WIRE`: how to look at bodies, answers and streams of the wire without the package under test, what the
SDK's types and the API refuse, and how the official client sends and reads.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MARK = "x-mark-of-the-unknown"
"""Stands in everything unknown that a wire module makes up."""


@dataclass(frozen=True)
class Seen:
    """A call or a result in a body: the id that pairs them, the tool's name (of calls), arguments or content."""

    id: str | None
    name: str
    value: Any


@dataclass
class Said:
    """What an answer says: arguments of a call are None where they are no object; usage is the wire's own."""

    text: str = ""
    reasoning: str = ""
    refusal: str = ""
    calls: list[Seen] = field(default_factory=list)
    stop: str | None = None
    usage: Any = None
    signatures: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Changed:
    """An answer or a stream with something unknown in it.

    `kept`: it stands in what is read and in `to_response`; `echoed`: it stands in the next request, too; `stop`: it is
    the stop reason.
    """

    name: str
    value: Any
    kept: bool = True
    echoed: bool = False
    stop: bool = False


@dataclass(frozen=True)
class Client:
    """The official client over a transport without a network.

    `sent` gives the body that the client sends for keyword arguments; `answered` what it makes of an answer;
    `streamed` what it makes of events; `validated` what its types make of an answer, an error where they refuse it;
    `spelled` brings a body to what the client would have made of it.
    """

    sent: Callable[[dict[str, Any]], Any]
    answered: Callable[[Any], Any]
    streamed: Callable[[list[Any]], list[Any]]
    validated: Callable[[Any], Any]
    spelled: Callable[[Any], Any] = lambda body: body


@dataclass(frozen=True)
class Wire:
    """How to look at what goes over a wire.

    Requests: `calls` and `results` list them in order; `texts` what is said in them; `signatures` the opaque state;
    `type_faults` is what the SDK's types say against a body, `order_faults` what the API says against the order of
    its messages, and against ids and names; `foreign` gives bodies with something unknown in each place with kinds.

    Answers: `said` reads a whole one, `tokens` all input and all output of its usage, `heard` a stream of events, `split` makes the events in which the provider
    would send a whole answer, `unknown_answers` and `unknown_events` add what nobody knows.

    `alike` brings the spellings that the API treats alike to one; most wires have but one.
    """

    calls: Callable[[Any], list[Seen]]
    results: Callable[[Any], list[Seen]]
    texts: Callable[[Any], str]
    signatures: Callable[[Any], list[str]]
    type_faults: Callable[[Any], list[str]]
    order_faults: Callable[[Any], list[str]]
    foreign: Callable[[Any], list[Any]]
    said: Callable[[Any], Said]
    tokens: Callable[[Any], tuple[int, int]]
    heard: Callable[[list[Any]], Said]
    split: Callable[[Any], list[Any]]
    unknown_answers: Callable[[Any], list[Changed]]
    unknown_events: Callable[[list[Any]], list[Changed]]
    client: Client
    unknown_key: str = "x_unknown"
    """A key that nobody knows, spelled as the wire spells keys."""
    alike: Callable[[Any], Any] = lambda body: body
    """A body in the one spelling of several that the API treats alike."""


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


def as_object(text: Any) -> Any:
    """Arguments: blank text is none, text that is no object is None."""
    if text is None or (isinstance(text, str) and not text.strip()):
        return {}
    if isinstance(text, str):
        try:
            text = json.loads(text)
        except ValueError:
            return None
    return text if isinstance(text, dict) else None


def event_stream(events: list[Any], *, named: bool = False, done: bool = False) -> str:
    """The events as the text of an event stream."""
    lines = [(f"event: {e.get('type')}\n" if named else "") + f"data: {json.dumps(e)}\n\n" for e in events]
    return "".join(lines) + ("data: [DONE]\n\n" if done else "")


WIRES: Mapping[str, Wire] = {
    module.stem: importlib.import_module(f"{__name__}.{module.stem}").WIRE
    for module in sorted(Path(__file__).parent.glob("[!_]*.py"))
}
"""The wires that have a module here."""
