"""Field readers and writers that only Ollama needs: its text with media beside it, and arguments for its client."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...conversion.extras import ABSENT, Extras, inner_extras
from ...conversion.fields import media_type_of, read_data_url
from ...conversion.message_order import call_ids
from ...conversion.reader import Reader
from ...conversion.values import optional_text, read_list_or_null
from ...conversion.writer import Writer
from ...errors import ConversionError, wrong_type
from ...models import (
    AudioPart,
    ContentPart,
    ImagePart,
    Message,
    OpaquePart,
    Reasoning,
    TextPart,
    ToolResult,
)
from ...paths import ROOT, Path, format_path

__all__ = [
    "order_results_by_tool",
    "read_explicit_flag",
    "read_limit_negative_as_none",
    "read_matched_result_call",
    "read_media_part",
    "read_text_and_images",
    "read_thinking_switch",
    "select_empty",
    "sendable_kwargs",
    "tool_entry_kind",
    "write_explicit_flag",
    "write_limit_negative_as_none",
    "write_matched_result_call",
    "write_media_part",
    "write_text_and_images",
    "write_thinking_switch",
]


_ID, _NAME = "tool_call_id", "tool_name"


def read_matched_result_call(wire: dict[str, Any], at: Path, reader: Reader) -> tuple[str, str, Extras]:
    """Read the call's id and the tool's name: by the id, else from the next open call of the name, else the next call.

    A result without an id and a call gets a synthetic id.

    Keys that would be written differently are kept in the extras, with the id that they were read as.

    Raises:
        ConversionError: One of the two is neither a string nor null.
    """
    wire_id, wire_name = optional_text(wire, _ID, at), optional_text(wire, _NAME, at)
    name = reader.tool_name(wire_name) if wire_name else ""
    identifier, called = reader.match_result(wire_id, name) if wire_id else ("", "")
    if called:
        reader.note_result(identifier)
        if name:
            return identifier, name, {}
    elif not (wire_id and reader.is_opaque_call(wire_id)):
        call = reader.take_open_call(name or None)
        identifier, called = (reader.id_of_result(wire_id), "") if call is None else (call.id, call.name)
    original = {key: wire[key] for key in (_NAME, _ID) if key in wire}
    return identifier, name or called, {"$synthetic": identifier, "$whole": original}


def write_matched_result_call(identifier: str, name: str, extras: Extras, at: Path, writer: Writer) -> dict[str, Any]:
    """Write both keys: the id if it was written for the call, and the name, which templates look for."""
    original = inner_extras(extras, "$whole")
    unchanged = "$whole" in extras and extras.get("$synthetic") == identifier
    if unchanged and original.get(_NAME) in (None, "", writer.wire.wire_name(name)):
        return original
    written: dict[str, Any] = {_NAME: writer.tool_name(name, (at[0], "name"))} if name else {}
    if not writer.is_id_omitted(identifier):
        written[_ID] = writer.call_id(identifier)
    return written


def tool_entry_kind(tool: dict[str, Any]) -> str | None:
    """Return the type of a tool: `function` if it contains a function and no other type; None otherwise."""
    kind = tool.get("type", "function")
    return "function" if kind == "function" and type(tool.get("function")) is dict else None


def read_limit_negative_as_none(value: Any, at: Path, reader: Reader) -> int | None:
    """Read the limit. A negative number means no limit.

    Raises:
        ConversionError: The value is neither an integer nor null.
    """
    if value is None or value is ABSENT:
        return None
    if type(value) is not int:
        raise wrong_type(at, "an integer", value)
    return None if value < 0 else value


def write_limit_negative_as_none(value: int | None, at: Path, writer: Writer) -> Any:
    """Write the limit."""
    return ABSENT if value is None else value


def read_explicit_flag(value: Any, at: Path, reader: Reader) -> bool:
    """Read the flag, which is on if it is absent or null.

    Raises:
        ConversionError: The value is neither a boolean nor null.
    """
    if value is ABSENT or value is None:
        return True
    if type(value) is not bool:
        raise wrong_type(at, "a boolean", value)
    return value


def write_explicit_flag(value: bool | None, at: Path, writer: Writer) -> bool:
    """Write the flag. Without a value it is written as false, because the API would turn it on."""
    if value is None:
        writer.report_loss(at, at[1], "defaulted", f"{writer.wire.title} would otherwise turn it on")
        return False
    return value


def read_thinking_switch(value: Any, at: Path, reader: Reader, levels: Mapping[str, str]) -> Reasoning | None:
    """Read the switch or the level. None for a level that the wire does not define.

    Raises:
        ConversionError: The value is neither a boolean, nor a string, nor null.
    """
    if value is None or value is ABSENT:
        return None
    if type(value) is bool:
        return Reasoning() if value else Reasoning("none")
    if type(value) is not str:
        raise wrong_type(at, "a boolean or a string", value)
    return Reasoning(value) if levels.get(value) == value else None


def write_thinking_switch(reasoning: Reasoning | None, at: Path, writer: Writer, levels: Mapping[str, str]) -> Any:
    """Write the nearest level for the effort, or the switch if there is no effort, or only that of the model (`default`)."""
    if reasoning is None:
        return ABSENT
    if reasoning.metadata:
        writer.own_extras(reasoning.metadata, at)
    effort, budget = reasoning.effort, reasoning.budget_tokens
    if budget == 0 and effort is None:
        writer.report_loss((at, "budgetTokens"), "budgetTokens", "rewritten", "the API has a switch, which is off")
        return False
    if budget is not None:
        writer.report_unsupported((at, "budgetTokens"), "budgetTokens", "warning")
    if effort is None:
        return True
    if effort in ("none", "default"):
        return effort == "default"
    if effort not in levels:
        writer.report_loss((at, "effort"), "effort", "rewritten", f"{writer.wire.title} has no such level", "warning")
        return True
    if levels[effort] != effort:
        writer.report_loss((at, "effort"), "effort", "rewritten", f"the nearest level is {levels[effort]}")
    return levels[effort]


ANY_KEY = "*"
"""Matches every key, in a table of keys."""

Members = Mapping[str, Any]
"""By key: `kept`, `dropped` without harm, or the table for the objects in it. Other keys are dropped."""


def sendable_kwargs(
    body: dict[str, Any], allowed_names: Collection[str], client_keys: Members, writer: Writer
) -> dict[str, Any]:
    """Convert a body to arguments. What the client will not send is reported, once for each key path.

    Media are passed as bytes, because the client takes a string for the name of a file if there is one.

    Raises:
        ConversionError: Media are not valid base64.
    """
    dropped = {key.path: key for key in _dropped_keys(body, allowed_names, client_keys)}
    for key in dropped.values():
        _report_dropped_key(key, writer)
    kwargs = {name: value for name, value in body.items() if name in allowed_names}
    if type(kwargs.get("messages")) is list:
        messages_path = (ROOT, "messages")
        kwargs["messages"] = [
            _decode_images(message, (messages_path, i)) for i, message in enumerate(kwargs["messages"])
        ]
    return kwargs


class _DroppedKey(NamedTuple):
    """A key of a body that the client does not send. Its `path` has the names of the keys, with dots between them."""

    path: str
    is_harmless: bool


def _dropped_keys(body: dict[str, Any], allowed_names: Collection[str], client_keys: Members) -> Iterator[_DroppedKey]:
    """Yield the keys that are not sent: arguments that the client does not have, and keys inside the others."""
    for name, value in body.items():
        if name not in allowed_names:
            yield _DroppedKey(name, is_harmless=False)
        elif name in client_keys:
            yield from _dropped_inner_keys(value, client_keys[name], name)


def _dropped_inner_keys(value: Any, members: Members | str, path: str) -> Iterator[_DroppedKey]:
    """Yield the keys inside a value that are not sent. Those of the items of a list have the path of the list."""
    if type(value) is list:
        for item in value:
            yield from _dropped_inner_keys(item, members, path)
    elif type(value) is dict and isinstance(members, Mapping):
        for key, inner in value.items():
            treatment = members.get(key, members.get(ANY_KEY))
            inner_path = f"{path}.{ANY_KEY if ANY_KEY in members else key}"
            if treatment is None or treatment == "dropped":
                yield _DroppedKey(inner_path, is_harmless=treatment == "dropped")
            else:
                yield from _dropped_inner_keys(inner, treatment, inner_path)


def _report_dropped_key(key: _DroppedKey, writer: Writer) -> None:
    """Report a key that the client does not send, at the argument that contains it."""
    argument_path = (ROOT, key.path.split(".")[0])
    if key.is_harmless:
        writer.report_loss(argument_path, key.path, "dropped", "the client has no field for it")
    else:
        reason = "the client would not send it; send the body instead"
        writer.report_loss(argument_path, key.path, "dropped", reason, "warning")


def _decode_images(message: Any, at: Path) -> Any:
    """Return a message with its images as bytes, or itself if it has no list of images.

    Raises:
        ConversionError: An image is not valid base64.
    """
    if type(message) is not dict or type(message.get("images")) is not list:
        return message
    import base64  # late: few conversions need it

    images: list[Any] = []
    for i, image in enumerate(message["images"]):
        try:
            images.append(base64.b64decode(image, validate=True))
        except (TypeError, ValueError) as error:
            raise ConversionError(format_path(((at, "images"), i)), "must be base64") from error
    return {**message, "images": images}


def read_text_and_images(wire: dict[str, Any], at: Path, reader: Reader) -> str | list[ContentPart]:
    """Read `content` and `images`, in this order. Without images, return only the text.

    Raises:
        ConversionError: One of them has the wrong JSON type.
    """
    text = optional_text(wire, "content", at)
    media = read_list_or_null(wire.get("images"), (at, "images"), reader, read_media_part)
    if not media:
        return text or ""
    parts: list[ContentPart] = [TextPart(text)] if text else []
    return [*parts, *media]


def select_empty(wire: dict[str, Any], *keys: str) -> Extras:
    """Return those of the keys whose values are empty, which means the same as absent."""
    return {key: wire[key] for key in keys if wire.get(key) in ("", [])}


def read_media_part(value: Any, at: Path, reader: Reader) -> ImagePart | AudioPart | OpaquePart:
    """Read an image or a recording, by its bytes. An object, which is not sent yet, becomes an opaque part.

    Raises:
        ConversionError: The value is neither a string nor an object.
    """
    if type(value) is dict:
        return OpaquePart(reader.wire.name, value)
    if type(value) is not str:
        raise wrong_type(at, "a string", value)
    media_type = media_type_of(value)
    if media_type is not None and media_type[:6] == "audio/":
        return AudioPart(data=value, media_type=media_type)
    return ImagePart(data=value, media_type=media_type)


def write_text_and_images(content: str | Sequence[Any], at: Path, writer: Writer) -> dict[str, Any]:
    """Write `content` and `images`: the texts as lines of one text, then the descriptions of other parts, and the media."""
    if type(content) is str:
        return {"content": content}
    _report_joined_texts(content, at, writer)
    texts = [
        writer.write_text_part_as_string(part, (at, i)) for i, part in enumerate(content) if type(part) is TextPart
    ]
    media: list[Any] = []
    for i, part in enumerate(content):
        if type(part) is not TextPart:
            written = write_media_part(part, (at, i), writer)
            if type(written) is TextPart:
                texts.append(written.text)
            elif written is not ABSENT:
                media.append(written)
    wire: dict[str, Any] = {"content": "\n".join(texts)}
    if media:
        wire["images"] = media
    return wire


def _report_joined_texts(content: Sequence[Any], at: Path, writer: Writer) -> None:
    """Report texts that move before other parts, or that become one text."""
    kinds = ["text" if type(part) is TextPart else "other" for part in content]
    if kinds != sorted(kinds, reverse=True):
        writer.report_loss(at, "content", "moved", "the text must come before the media")
    elif kinds.count("text") > 1:
        writer.report_loss(at, "content", "rewritten", "the API accepts one text, so the texts were joined")


def write_media_part(part: Any, at: Path, writer: Writer) -> Any:
    """Write an image or a recording as base64, and an opaque part as it is.

    Any other part, or one that the API would not understand, becomes a `TextPart` that describes it, which is reported.
    """
    if type(part) is OpaquePart and part.provider == writer.wire.name:
        return part.value
    if type(part) is not ImagePart and type(part) is not AudioPart:
        return writer.describe_part(part, at)
    data, media_type = part.data, part.media_type
    if data is None and part.url is not None and part.url[:5] == "data:":
        _, data, type_in_url = read_data_url(part.url, at, Reader(writer.wire))
        media_type = type_in_url or media_type
    if data is None:
        return writer.describe_part(part, at, "only inline data is supported")
    detected_type = media_type_of(data)
    if type(part) is AudioPart and (detected_type or "")[:6] != "audio/":
        return writer.describe_part(part, at, "the API would treat its data as an image")
    if media_type is not None and media_type != detected_type:
        writer.report_unsupported((at, "mediaType"), "mediaType")
    for field in ("name", "detail", "cache"):
        if getattr(part, field, None) not in (None, False):
            writer.report_unsupported((at, field), field)
    if part.metadata:
        writer.own_extras(part.metadata, at)
    return data


def order_results_by_tool(
    results: Iterable[tuple[ToolResult, Path]], before: Message, writer: Writer
) -> list[tuple[ToolResult, Path]]:
    """Return the results, those of calls without ids in the order of the calls of the same tool."""
    placed = list(results)
    call_positions = {identifier: i for i, identifier in enumerate(call_ids(before))}
    places_by_tool: dict[str, list[int]] = {}
    for place, (result, _) in enumerate(placed):
        has_no_id = writer.drops_ids or result.tool_call_id in writer.unsent
        if has_no_id and result.tool_call_id in call_positions:
            places_by_tool.setdefault(result.name, []).append(place)
    ordered = list(placed)
    for places in places_by_tool.values():
        sources = sorted(places, key=lambda place: call_positions[placed[place][0].tool_call_id])
        for place, source in zip(places, sources, strict=True):
            ordered[place] = placed[source]
            if place != source:
                reason = "results of the same tool must have the order of its calls"
                writer.report_loss(placed[place][1], "a result", "moved", reason)
    return ordered
