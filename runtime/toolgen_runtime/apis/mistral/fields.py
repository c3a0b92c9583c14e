"""Field readers and writers that only Mistral needs, errors in response bodies, and positions of system messages."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from ...conversion.extras import ABSENT, Extras, UnsupportedValueError
from ...conversion.fields import read_data_url, read_optional_call_id, write_data_url, write_optional_call_id
from ...conversion.message_order import Placed
from ...conversion.reader import Reader
from ...conversion.values import to_plain_object
from ...conversion.writer import Writer
from ...errors import wrong_type
from ...models import SystemMessage, UserMessage
from ...paths import ROOT, Path

__all__ = [
    "find_body_error",
    "known_kwargs",
    "order_system_messages",
    "read_id_or_placeholder",
    "read_result_id_or_placeholder",
    "read_text_as_chunks",
    "read_url_or_data",
    "read_url_or_object",
    "unwrap_sdk_object",
    "write_id_or_placeholder",
    "write_result_id_or_placeholder",
    "write_text_as_chunks",
    "write_url_or_data",
    "write_url_or_object",
]


_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def read_url_or_data(value: Any, at: Path, reader: Reader) -> tuple[str | None, str | None, str | None]:
    """Read url, data and media type.

    Raises:
        ConversionError: The value is neither a string nor an object with a string as its `data`.
    """
    if type(value) is dict:
        data, form = value.get("data"), value.get("format")
        if type(data) is not str:
            raise wrong_type((at, "data"), "a string", data)
        return None, data, f"audio/{form}" if type(form) is str else None
    url, data, media_type = read_data_url(value, at, reader)
    if url is None:
        return None, data, media_type
    return (url, None, None) if _ADDRESS.match(url) else (None, url, None)


def write_url_or_data(url: str | None, data: str | None, media_type: str | None, at: Path, writer: Writer) -> str:
    """Write the URL or the data as a string.

    Raises:
        UnsupportedValueError: The part has neither a URL nor data.
    """
    if url is not None and url[:5] == "data:":
        return url
    if data is None and url is None:
        raise UnsupportedValueError("it has neither a URL nor data")
    if media_type is not None:
        writer.report_unsupported((at[0], "mediaType"), "mediaType")
    return str(url if data is None else data)


def read_url_or_object(value: Any, at: Path, reader: Reader) -> tuple[str | None, str | None, str | None, str | None]:
    """Read url, data, media type and detail.

    Raises:
        ConversionError: The value is neither a string nor an object with a `url`, or its detail is not a string.
    """
    if type(value) is not dict:
        return *read_data_url(value, at, reader), None
    detail = value.get("detail")
    if detail is not None and type(detail) is not str:
        raise wrong_type((at, "detail"), "a string", detail)
    return *read_data_url(value.get("url"), (at, "url"), reader), detail


def write_url_or_object(
    url: str | None, data: str | None, media_type: str | None, detail: str | None, at: Path, writer: Writer
) -> Any:
    """Write the URL, in an object if there is a detail.

    Raises:
        UnsupportedValueError: The part has neither a URL nor data with a media type.
    """
    address = write_data_url(url, data, media_type, at, writer)
    return address if detail is None else {"url": address, "detail": detail}


def read_id_or_placeholder(value: Any, at: Path, reader: Reader, placeholders: Collection[str]) -> tuple[str, Any]:
    """Read the id. A missing or repeated id becomes a synthetic one. An id that would be renamed is kept as an extra.

    Raises:
        ConversionError: The value is neither a string nor null.
    """
    if value is None or (type(value) is str and value in placeholders):
        identifier = reader.assign_call_id(None, at)
        return identifier, {"$synthetic": identifier, "$whole": value}
    identifier, extra = read_optional_call_id(value, at, reader)
    if extra is ABSENT and not reader.wire.is_legal_id(identifier):
        return identifier, identifier
    return identifier, extra


def write_id_or_placeholder(
    identifier: str, extra: Any, at: Path, writer: Writer, placeholders: Collection[str]
) -> Any:
    """Write the id. The original id wins if it is unchanged; an id that the API would reject is renamed."""
    if type(extra) is str and extra == identifier:
        writer.restore_id(identifier, extra)
        return extra
    written = write_optional_call_id(identifier, extra, at, writer)
    return None if written is ABSENT and "$whole" in extra else written


def read_result_id_or_placeholder(
    wire: dict[str, Any], at: Path, reader: Reader, placeholders: Collection[str]
) -> tuple[str, str, Extras]:
    """Read the call's id and the tool's name. The name is empty if neither the result nor a call has it.

    Raises:
        ConversionError: One of them is neither a string nor null.
    """
    for key in ("tool_call_id", "name"):
        if wire.get(key) is not None and type(wire[key]) is not str:
            raise wrong_type((at, key), "a string", wire[key])
    wire_id, wire_name = wire.get("tool_call_id"), wire.get("name")
    extras: Extras = {} if wire_name is None else {"name": wire_name}
    name = reader.tool_name(wire_name) if wire_name else ""
    if wire_id and wire_id not in placeholders:
        identifier, called = reader.match_result(wire_id, name)
        reader.note_result(identifier)
        if not called and not reader.wire.is_legal_id(identifier):
            extras["tool_call_id"] = {"$synthetic": identifier, "$whole": wire_id}
        return identifier, name or called, extras
    call = reader.take_open_call(name or None)
    if call is None:  # then the name also stands for the id
        identifier, called = name, name
    else:
        identifier, called = call.id, call.name
    extras["tool_call_id"] = {"$synthetic": identifier, **({"$whole": wire_id} if "tool_call_id" in wire else {})}
    return identifier, called, extras


def write_result_id_or_placeholder(
    identifier: str, name: str, extras: Extras, at: Path, writer: Writer, placeholders: Collection[str]
) -> dict[str, Any]:
    """Write the id as it was written for the call, and the name if the result was read with one."""
    written: dict[str, Any] = {}
    id_extra, name_extra = extras.get("tool_call_id"), extras.get("name")
    if type(id_extra) is dict and id_extra.get("$synthetic") == identifier:
        if "$whole" in id_extra:
            written["tool_call_id"] = id_extra["$whole"]
    elif not writer.is_id_omitted(identifier):
        written["tool_call_id"] = writer.call_id(identifier)
    if type(name_extra) is str:
        written["name"] = writer.tool_name(name, (at[0], "name")) if name else name_extra
    return written


def read_text_as_chunks(value: Any, at: Path, reader: Reader) -> str:
    """Read the text of all chunks.

    Raises:
        ConversionError: The value is neither a string nor an array of objects, or a chunk's text is not a string.
    """
    if type(value) is str:
        return value
    if type(value) is not list:
        raise wrong_type(at, "an array", value)
    texts: list[str] = []
    for i, chunk in enumerate(value):
        if type(chunk) is not dict:
            raise wrong_type((at, i), "an object", chunk)
        if chunk.get("type") == "text":
            if type(chunk.get("text")) is not str:
                raise wrong_type(((at, i), "text"), "a string", chunk.get("text"))
            texts.append(chunk["text"])
    return "".join(texts)


def write_text_as_chunks(text: str, at: Path, writer: Writer) -> list[dict[str, str]]:
    """Write the text as one chunk."""
    return [{"type": "text", "text": text}]


def find_body_error(wire: dict[str, Any]) -> Any:
    """Return the error that a body contains or is, or None."""
    if wire.get("error"):
        return wire["error"]
    if wire.get("object") == "error":
        return wire
    if "choices" in wire:
        return None
    return wire if "detail" in wire or "message" in wire else None


def unwrap_sdk_object(value: Any, at: Path) -> dict[str, Any]:
    """Return a dict itself, or the data of a client's object as the API sent it.

    Raises:
        ConversionError: The value is neither a dict nor an object of the client.
    """
    if type(value) is dict:
        return value
    body = to_plain_object(value, at)
    if body.keys() == {"data"} and type(body["data"]) is dict:
        body = body["data"]
    choices = body.get("choices")
    for choice in choices if type(choices) is list else ():
        for key in ("delta", "message"):
            message = choice.get(key)
            content = message.get("content") if type(message) is dict else None
            if type(content) is list:
                message["content"] = [_unwrap_unknown(chunk) for chunk in content]
    return body


def _unwrap_unknown(chunk: Any) -> Any:
    """Return a chunk as the API sent it: the client wraps one whose type it does not know."""
    is_wrapped = type(chunk) is dict and "type" not in chunk and "raw" in chunk
    return chunk["raw"] if is_wrapped else chunk


def order_system_messages(placed: list[Placed], writer: Writer) -> list[Placed]:
    """Return the messages with each system message first, or after a system or user message.

    A system message elsewhere is moved up to the nearest such position, and reported.
    """
    ordered: list[Placed] = []
    conversation_indexes = [i for i, entry in enumerate(placed) if type(entry.message) is not SystemMessage]
    last_index = conversation_indexes[-1] if conversation_indexes else len(placed)
    for i, entry in enumerate(placed):
        if type(entry.message) is not SystemMessage:
            ordered.append(entry)
            continue
        position = _system_position(ordered, is_at_end=i > last_index)
        if position < len(ordered):
            reason = f"{writer.wire.title} accepts it only before a message of the model, not at the end"
            writer.report_loss(entry.path, "a message", "moved", reason)
        ordered.insert(position, entry)
    return ordered


def _system_position(before: list[Placed], *, is_at_end: bool) -> int:
    """Return the index at which the API accepts a system message that follows these messages.

    One at the end of the conversation must come before the last user messages.
    """
    position = len(before)
    if is_at_end:
        while position and type(before[position - 1].message) is UserMessage:
            position -= 1
    while position and type(before[position - 1].message) not in (SystemMessage, UserMessage):
        position -= 1
    return position


def known_kwargs(body: dict[str, Any], allowed_names: Collection[str], writer: Writer) -> dict[str, Any]:
    """Convert the keys of a body to arguments for a client that accepts no other keys. Other keys are reported."""
    kwargs = {key: value for key, value in body.items() if key in allowed_names}
    for key in [key for key in body if key not in kwargs]:
        writer.report_loss((ROOT, key), key, "dropped", "the client does not accept it as an argument", "warning")
    return kwargs
