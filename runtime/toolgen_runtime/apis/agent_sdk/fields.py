"""Field readers and writers of the agent SDK, its provider state, and how it splits a response into messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING
from dataclasses import fields as fields_of
from functools import cache
from itertools import accumulate
from typing import Any, NamedTuple, TypeGuard, get_args

from ...conversion.extras import Extras, UnsupportedValueError, inner_extras
from ...conversion.fields import read_data_url, write_data_url
from ...conversion.reader import Reader
from ...conversion.values import optional_text
from ...conversion.writer import Writer
from ...errors import ConversionError, wrong_type
from ...models import (
    AgentEvent,
    AssistantMessage,
    AssistantPart,
    OpaquePart,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolCallPart,
    load,
)
from ...paths import ROOT, Path

__all__ = [
    "SourceMessage",
    "fit_messages",
    "is_opaque_message",
    "join_messages",
    "message_sizes",
    "read_agent_event",
    "read_image_url",
    "read_inline_source",
    "read_states_of_other_providers",
    "source_messages",
    "split_states_of_other_providers",
    "write_agent_event",
    "write_image_url",
    "write_inline_source",
]

Fields = tuple[str | None, str | None, str | None]


def read_inline_source(value: Any, at: Path, reader: Reader, media_types: Sequence[str]) -> Fields:
    """Read data and media type; the url is always None.

    Raises:
        ConversionError: The value is not an object, or the data or media type is not a string.
    """
    if type(value) is not dict:
        raise wrong_type(at, "an object", value)
    return None, optional_text(value, "data", at), optional_text(value, "media_type", at)


def write_inline_source(
    url: str | None,
    data: str | None,
    media_type: str | None,
    at: Path,
    writer: Writer,
    media_types: Sequence[str],
) -> dict[str, Any]:
    """Write the source.

    Raises:
        UnsupportedValueError: The part has no data, or data of an unsupported type.
    """
    if data is None and url is not None and url[:5] == "data:":
        _, data, named_type = read_data_url(url, at, Reader(writer.wire))
        media_type = named_type or media_type
    if data is None:
        raise UnsupportedValueError("only inline data is supported")
    if media_type not in media_types:
        raise UnsupportedValueError(f"{media_type or 'data without a media type'} is not supported")
    return {"data": data, "media_type": media_type}


ImageAddressFields = tuple[str | None, str | None, str | None, str | None]


def read_image_url(
    wire: dict[str, Any], at: Path, reader: Reader, table: Mapping[str, Sequence[str]]
) -> ImageAddressFields:
    """Read url, data, media type and detail. Values that `table` lacks are not read.

    Raises:
        ConversionError: One of the values is not a string.
    """
    url, data, media_type = read_data_url(wire.get("url"), (at, "url"), reader)
    named_type, detail = optional_text(wire, "media_type", at), optional_text(wire, "detail", at)
    if named_type in table["media_type"]:
        media_type = named_type
    return url, data, media_type, detail if detail in table["detail"] else None


def write_image_url(
    url: str | None,
    data: str | None,
    media_type: str | None,
    detail: str | None,
    at: Path,
    writer: Writer,
    table: Mapping[str, Sequence[str]],
) -> dict[str, Any]:
    """Write the URL, the media type and the detail. A value that `table` lacks is reported and left out.

    Raises:
        UnsupportedValueError: The part has neither a supported URL nor data with a media type.
    """
    if data is None and url is not None and not url.startswith(tuple(table["url"])):
        raise UnsupportedValueError("URLs of this kind are not supported")
    wire: dict[str, Any] = {"url": write_data_url(url, data, None if data is None else media_type, at, writer)}
    stated_type = media_type if data is None else None
    for key, field, value in (("media_type", "mediaType", stated_type), ("detail", "detail", detail)):
        if value in table[key]:
            wire[key] = value
        elif value is not None:
            writer.report_unsupported((at[0], field), field)
    return wire


@cache
def _fields_by_tag() -> dict[str, tuple[type[Any], dict[str, bool]]]:
    """Return the class of each event type, with its fields and whether each field is required."""
    return {
        str(field.default): (kind, {field.name: field.default is MISSING for field in fields_of(kind)})
        for kind in get_args(AgentEvent)
        for field in fields_of(kind)
        if field.name == "type"
    }


_TAGS = {"agent_tool_call": "tool_call"}
"""Event types that this wire spells differently, because stream events of the neutral format have the same names."""

_OUR_TAGS = {theirs: ours for ours, theirs in _TAGS.items()}


def write_agent_event(event: AgentEvent) -> dict[str, Any]:
    """Write an agent event: its type first, then the fields that have a value."""
    wire: dict[str, Any] = {"type": _TAGS.get(event.type, event.type)}
    for name in event.__match_args__:
        value = getattr(event, name)
        if value is not None and name != "type":
            wire[name] = value
    return wire


def read_agent_event(wire: Any, writer: Writer) -> AgentEvent:
    """Read an agent event. A key that its type does not have is reported and left out.

    Raises:
        ConversionError: The value is not an agent event, or a value has the wrong JSON type.
    """
    if type(wire) is not dict:
        raise wrong_type(ROOT, "an object", wire)
    tag = wire.get("type")
    event_types = _fields_by_tag()
    name = _OUR_TAGS.get(tag, tag) if type(tag) is str else ""
    if name not in event_types or tag in _TAGS:
        raise ConversionError("type", "is not a known type of agent event")
    kind, is_required = event_types[name]
    for key, required in is_required.items():
        if required and key not in wire:
            raise ConversionError(key, "is missing")
    fields = {key: value for key, value in wire.items() if key in is_required}
    event: AgentEvent = load(kind, {**fields, "type": name})
    for key in wire:
        if key not in is_required:
            writer.report_unsupported((ROOT, key), "a field of an event")
    writer.report_remaining_losses()
    return event


_OURS = frozenset(["declaration", "unknown"])


def read_states_of_other_providers(value: Any, provider: str) -> dict[str, Any]:
    """Return the states of other providers in a wire value, by provider; empty if the value is something else."""
    if type(value) is not dict or provider in value or not _OURS.isdisjoint(value):
        return {}
    return value if all(type(state) is dict and state for state in value.values()) else {}


def split_states_of_other_providers(
    metadata: dict[str, Any] | None, writer: Writer, extras: Extras
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Split the metadata into the states of other providers, which are written, and everything else.

    There is none to write if the extras of the object already have a `provider_meta` of the app.
    """
    if not metadata or "provider_meta" in extras:
        return {}, metadata
    states = {
        name: state
        for name, state in metadata.items()
        if name != writer.wire.name and name not in _OURS and type(state) is dict and state
    }
    return states, {name: state for name, state in metadata.items() if name not in states} or None


_OPENED, _CALLS, _CLOSED = -1, 3, 4
"""Ranks of parts: below all others, that of calls, and above all others."""
_RANKS: dict[type, int] = {ReasoningPart: 0, TextPart: 1, RefusalPart: 2, ToolCallPart: _CALLS}


def is_opaque_message(part: Any, provider: str) -> TypeGuard[OpaquePart]:
    """Return whether a part is a complete message of the wire that the format has no type for."""
    return type(part) is OpaquePart and inner_extras(part.metadata or {}, provider).get("$as") == "messages"


class SourceMessage(NamedTuple):
    """A message that a response was read from, or will be written as: how many parts are from it, and its extras."""

    size: int
    extras: Extras


def source_messages(extras: Extras) -> list[SourceMessage] | None:
    """Return the messages that a response was read from. None if it was not read from several."""
    stored = extras.get("$messages")
    if type(stored) is not list or any(type(m) is not dict or type(m.get("parts")) is not int for m in stored):
        return None
    return [SourceMessage(message["parts"], inner_extras(message, "extras")) for message in stored]


def fit_messages(parts: Sequence[AssistantPart], messages: Sequence[SourceMessage], provider: str) -> bool:
    """Return whether these messages can have the parts of a response, each as many as it had."""
    sizes = [message.size for message in messages]
    if min(sizes, default=0) < 0 or sum(sizes) != len(parts):
        return False
    ends = list(accumulate(sizes))
    runs = (parts[end - size : end] for size, end in zip(sizes, ends, strict=True))
    return all(len(message_sizes(run, provider)) <= 1 for run in runs)


def message_sizes(parts: Sequence[AssistantPart], provider: str) -> list[int]:
    """Return how many parts each message has if the order of the parts is that of the messages."""
    sizes: list[int] = []
    last_rank = _CLOSED
    for part in parts:
        if is_opaque_message(part, provider):
            sizes.append(1)
            last_rank = _CLOSED
            continue
        rank = _RANKS.get(type(part))
        if type(inner_extras(part.metadata or {}, provider).get("$as")) is str:
            rank = _CALLS
        is_further = rank is None or rank > last_rank or rank == last_rank == _CALLS
        if last_rank != _CLOSED and is_further:
            sizes[-1] += 1
        else:
            sizes.append(1)
        if rank is not None:
            last_rank = rank
        elif last_rank == _CLOSED:
            last_rank = _OPENED
    return sizes


def join_messages(messages: Sequence[AssistantMessage | OpaquePart], reader: Reader) -> AssistantMessage:
    """Join the messages of a response. Extras keep the number of parts, and the extras, of each message."""
    parts: list[AssistantPart] = []
    stored: list[dict[str, Any]] = []
    for i, message in enumerate(messages):
        if isinstance(message, OpaquePart):
            parts.append(message)
            stored.append({"parts": 1})
            continue
        content: Any = message.content
        if type(content) is str:
            content = [TextPart(content)] if content else []
        parts += content or []
        extras = dict(inner_extras(message.metadata or {}, reader.wire.name))
        if message.content == "":
            extras["content"] = ""
        if i and message.name is not None:
            extras["name"] = message.name
        stored.append({"parts": len(content or []), "extras": extras})
    name = messages[0].name if messages and isinstance(messages[0], AssistantMessage) else None
    return AssistantMessage(parts, name, reader.as_metadata({"$messages": stored}))
