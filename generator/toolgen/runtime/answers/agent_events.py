"""The events of an agent's run, with the keys of their fields in snake_case."""

from __future__ import annotations

import dataclasses
import typing
from typing import Any

from ...models import AgentEvent, load
from ..conversion.writer import Writer
from ..errors import ConversionError, wrong_type
from ..paths import ROOT

__all__ = ["read_agent_event", "write_agent_event"]

_KINDS: dict[str, type[Any]] = {
    str(field.default): kind
    for kind in typing.get_args(AgentEvent)
    for field in dataclasses.fields(kind)
    if field.name == "type"
}
"""The classes of events, by their tag."""


def write_agent_event(event: AgentEvent) -> dict[str, Any]:
    """Write an event: its tag first, then the fields that have a value."""
    wire = {"type": event.type}
    for field in dataclasses.fields(event):
        value = getattr(event, field.name)
        if value is not None:
            wire[field.name] = value
    return wire


def read_agent_event(wire: Any, writer: Writer) -> AgentEvent:
    """Read an event; a member that its type lacks is reported and left out.

    Raises:
        ConversionError: it is no event, or a value has the wrong JSON type.
    """
    if type(wire) is not dict:
        raise wrong_type(ROOT, "an object", wire)
    tag = wire.get("type")
    if type(tag) is not str or tag not in _KINDS:
        raise ConversionError("type", "is that of no event of an agent's run")
    kind = _KINDS[tag]
    known = {field.name: field.default is dataclasses.MISSING for field in dataclasses.fields(kind)}
    for key, needed in known.items():
        if needed and key not in wire:
            raise ConversionError(key, "is missing")
    event: AgentEvent = load(kind, {key: value for key, value in wire.items() if key in known})
    for key in wire:
        if key not in known:
            writer.no_place((ROOT, key), "a member of an event")
    writer.finish()
    return event
