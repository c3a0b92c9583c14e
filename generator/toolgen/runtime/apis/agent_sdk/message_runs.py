"""Answers that are several messages, and state that goes along with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...conversion.extras import Extras, inner_extras
from ...models import AssistantPart, OpaquePart, ReasoningPart, RefusalPart, TextPart, ToolCallPart

__all__ = ["alone", "carried_state", "messages_of", "runs_of", "state_within"]

_OURS = frozenset(["declaration", "unknown"])


def state_within(found: Any, provider: str) -> dict[str, Any]:
    """The state that a value of the wire holds, by provider; empty where it is something else."""
    if type(found) is not dict or provider in found or not _OURS.isdisjoint(found):
        return {}
    return found if all(type(state) is dict and state for state in found.values()) else {}


def carried_state(
    metadata: dict[str, Any] | None, provider: str, kept: Extras
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """What of a value's metadata goes out with it, and the metadata without that.

    Nothing does where the app's own value came in its place.
    """
    if not metadata or "provider_meta" in kept:
        return {}, metadata
    found = {
        name: state
        for name, state in metadata.items()
        if name != provider and name not in _OURS and type(state) is dict and state
    }
    return found, {name: state for name, state in metadata.items() if name not in found} or None


_CALLS, _CLOSED = 3, 4
_PLACES: dict[type, int] = {ReasoningPart: 0, TextPart: 1, RefusalPart: 2, ToolCallPart: _CALLS}


def alone(part: AssistantPart, provider: str) -> bool:
    """Whether a part is a whole message of the wire that none of the format's types stands for."""
    return type(part) is OpaquePart and inner_extras(part.metadata or {}, provider).get("$key") == "messages"


def messages_of(own: Extras) -> list[Extras] | None:
    """What is kept of each of the messages that an answer came in; None where it came in no such sequence."""
    kept = own.get("$messages")
    if type(kept) is not list or any(type(rest) is not dict or type(rest.get("$parts")) is not int for rest in kept):
        return None
    return kept


def runs_of(parts: Sequence[AssistantPart], kept: list[Extras] | None, provider: str) -> list[int]:
    """How many parts each message has: as many as it had when they came (`kept`), if they can still stand so."""
    sizes = [rest["$parts"] for rest in kept or ()]
    if kept is None or min(sizes, default=0) < 0 or sum(sizes) != len(parts):
        return _runs(parts, provider)
    start = 0
    for size in sizes:
        if len(_runs(parts[start : start + size], provider)) > 1:
            return _runs(parts, provider)
        start += size
    return sizes


def _runs(parts: Sequence[AssistantPart], provider: str) -> list[int]:
    found: list[int] = []
    last = _CLOSED
    for part in parts:
        if alone(part, provider):
            found.append(1)
            last = _CLOSED
            continue
        place = _PLACES.get(type(part), last if last != _CLOSED else -1)
        if "$key" in inner_extras(part.metadata or {}, provider):
            place = _CALLS
        joins = last != _CLOSED and (place > last or place == last == _CALLS or type(part) not in _PLACES)
        if joins:
            found[-1] += 1
        else:
            found.append(1)
        last = place
    return found
