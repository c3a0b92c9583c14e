"""Fields that only the agent SDK's messages have, and events of its runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, get_args

from ...conversion.extras import ABSENT, Extras, UnsupportedValueError
from ...conversion.reader import Reader
from ...conversion.values import optional_text
from ...conversion.writer import Writer
from ...errors import ConversionError, wrong_type
from ...fields.values import read_data_url, write_data_url
from ...models import AgentEvent, load
from ...paths import ROOT, Path

__all__ = [
    "read_agent_event",
    "read_data_source",
    "read_image_address",
    "write_agent_event",
    "write_data_source",
    "write_image_address",
]

Fields = tuple[str | None, str | None, str | None, Any]


def read_data_source(value: Any, at: Path, reader: Reader, taken: Sequence[str]) -> Fields:
    """Read url (there is none), data and media type; a source with more in it, or of another type, is kept.

    Raises:
        ConversionError: it is not an object, or one of its members no text.
    """
    if type(value) is not dict:
        raise wrong_type(at, "an object", value)
    data, media_type = optional_text(value, "data", at), optional_text(value, "media_type", at)
    plain = data is not None and media_type in taken and len(value) == 2
    return None, data, media_type, ABSENT if plain else value


def write_data_source(
    url: str | None,
    data: str | None,
    media_type: str | None,
    kept: Any,
    at: Path,
    writer: Writer,
    taken: Sequence[str],
) -> Any:
    """Write the source, as it came while it says the same.

    Raises:
        UnsayableError: there are no data, or they are of a type that the wire does not take.
    """
    if type(kept) is dict and url is None and (kept.get("data"), kept.get("media_type")) == (data, media_type):
        return kept
    if data is None and url is not None and url[:5] == "data:":
        _, data, found, _ = read_data_url(url, at, Reader(writer.wire))
        media_type = found or media_type
    if data is None:
        raise UnsupportedValueError("it takes content as data only")
    if media_type not in taken:
        raise UnsupportedValueError(f"it does not take {media_type or 'data without a media type'}")
    return {"data": data, "media_type": media_type}


ImageAddressFields = tuple[str | None, str | None, str | None, str | None, Extras]


def read_image_address(
    wire: dict[str, Any], at: Path, reader: Reader, table: Mapping[str, Sequence[str]]
) -> ImageAddressFields:
    """Read url, data, media type and detail; a word that `table` lacks is kept, and a type that the address says too.

    Raises:
        ConversionError: one of them is not a string.
    """
    url, data, media_type, _ = read_data_url(wire.get("url"), (at, "url"), reader)
    said, detail = optional_text(wire, "media_type", at), optional_text(wire, "detail", at)
    rest: Extras = {key: None for key in ("detail", "media_type") if key in wire and wire[key] is None}
    if url is not None and not url.startswith(tuple(table["url"])):
        rest["$sent"] = url
    if detail is not None and detail not in table["detail"]:
        rest["detail"], detail = detail, None
    if said is not None and data is not None:
        rest["$beside"] = {"media_type": said, "$wire": media_type}
    elif said is not None and said not in table["media_type"]:
        rest["media_type"] = said
    elif said is not None:
        media_type = said
    return url, data, media_type, detail, rest


def write_image_address(
    url: str | None,
    data: str | None,
    media_type: str | None,
    detail: str | None,
    own: Extras,
    at: Path,
    writer: Writer,
    table: Mapping[str, Sequence[str]],
) -> dict[str, Any]:
    """Write the address and what stands beside it; a word that the wire lacks is reported and left out.

    Raises:
        UnsayableError: there is neither an address that the wire takes, nor data with its media type.
    """
    if data is None and url is not None and not url.startswith(tuple(table["url"])) and own.get("$sent") != url:
        raise UnsupportedValueError("it takes no such address")
    beside = own.get("$beside")
    wire: dict[str, Any] = {"url": write_data_url(url, data, None if data is None else media_type, None, at, writer)}
    if data is not None:
        if type(beside) is dict and beside.get("$wire") == media_type and "media_type" in beside:
            wire["media_type"] = beside["media_type"]
    elif media_type is not None:
        _word(wire, "media_type", "mediaType", media_type, at, writer, table)
    if detail is not None:
        _word(wire, "detail", "detail", detail, at, writer, table)
    return wire


def _word(
    wire: dict[str, Any],
    key: str,
    field: str,
    word: str,
    at: Path,
    writer: Writer,
    table: Mapping[str, Sequence[str]],
) -> None:
    if word in table[key]:
        wire[key] = word
    else:
        writer.report_unsupported((at[0], field), field)


@cache
def _fields_by_tag() -> dict[str, tuple[type[Any], dict[str, bool]]]:
    """The classes of events by their tag, each with its fields and whether they must be given."""
    from dataclasses import MISSING, fields  # late: it takes long, and few apps read events

    return {
        str(field.default): (kind, {field.name: field.default is MISSING for field in fields(kind)})
        for kind in get_args(AgentEvent)
        for field in fields(kind)
        if field.name == "type"
    }


def write_agent_event(event: AgentEvent) -> dict[str, Any]:
    """Write an event: its tag first, then the fields that have a value."""
    wire = {"type": event.type}
    for name in event.__match_args__:
        value = getattr(event, name)
        if value is not None:
            wire[name] = value
    return wire


def read_agent_event(wire: Any, writer: Writer) -> AgentEvent:
    """Read an event; a member that its type lacks is reported and left out.

    Raises:
        ConversionError: it is no event, or a value has the wrong JSON type.
    """
    if type(wire) is not dict:
        raise wrong_type(ROOT, "an object", wire)
    tag = wire.get("type")
    found = _fields_by_tag().get(tag) if type(tag) is str else None
    if found is None:
        raise ConversionError("type", "is that of no event of an agent's run")
    kind, known = found
    for key, needed in known.items():
        if needed and key not in wire:
            raise ConversionError(key, "is missing")
    event: AgentEvent = load(kind, {key: value for key, value in wire.items() if key in known})
    for key in wire:
        if key not in known:
            writer.report_unsupported((ROOT, key), "a member of an event")
    writer.finish()
    return event
