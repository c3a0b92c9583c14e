"""Images, recordings and text of Ollama's messages, and the order of results by tool name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...conversion.extras import ABSENT, Extras, UnsupportedValueError
from ...conversion.reader import Reader
from ...conversion.values import optional_text, read_list_or_null
from ...conversion.writer import Writer
from ...errors import wrong_type
from ...fields import media_type_of, read_data_url
from ...message_order import call_ids
from ...models import AudioPart, ContentPart, ImagePart, Message, OpaquePart, TextPart, ToolResult
from ...paths import Path

__all__ = [
    "order_results_by_tool",
    "read_media_part",
    "read_text_and_media",
    "select_empty",
    "write_media_part",
    "write_text_and_media",
]


def read_text_and_media(
    wire: dict[str, Any], text: str, media: str, at: Path, reader: Reader
) -> tuple[str | list[ContentPart], Extras]:
    """Read the text and the media under these two keys, in this order. Without media, return only the text.

    Raises:
        ConversionError: One of them has the wrong JSON type.
    """
    said = optional_text(wire, text, at)
    found = read_list_or_null(wire.get(media), (at, media), reader, read_media_part)
    kept = select_empty(wire, media)
    if said is None:
        kept |= {text: None} if text in wire else {"$absent": [text]}
    if not found:
        return said or "", kept
    parts: list[ContentPart] = [TextPart(said)] if said else []
    return [*parts, *found], kept


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


def write_text_and_media(
    content: str | Sequence[Any], extras: Extras, text: str, media: str, at: Path, writer: Writer
) -> dict[str, Any]:
    """Write content under these two keys: its texts as lines of one text, and its media."""
    if type(content) is str:
        return _text(content, extras, text)
    texts = [part.text for part in content if type(part) is TextPart]
    first = next((i for i, part in enumerate(content) if type(part) is not TextPart), len(content))
    if any(type(part) is TextPart for part in content[first:]):
        writer.report_loss(at, "content", "moved", "note", "the text must come before the media")
    elif len(texts) > 1:
        writer.report_loss(at, "content", "rewritten", "note", "the API accepts one text, so the texts were joined")
    for i, part in enumerate(content):
        if type(part) is TextPart:
            writer.write_text_part_as_string(part, (at, i))
    found: list[Any] = []
    for i, part in enumerate(content):
        written = ABSENT if type(part) is TextPart else write_media_part(part, (at, i), writer)
        if type(written) is TextPart:
            texts.append(written.text)
        elif written is not ABSENT:
            found.append(written)
    wire = _text("\n".join(texts), extras, text)
    return {**wire, media: found} if found else wire


def _text(said: str, extras: Extras, key: str) -> dict[str, Any]:
    if not said and (key in extras.get("$absent", ()) or extras.get(key, ABSENT) is None):
        return {key: None} if key in extras else {}
    return {key: said}


def write_media_part(part: Any, at: Path, writer: Writer) -> Any:
    """Write an image or a recording. Any other part, or one without data, becomes text, which is reported."""
    if type(part) is OpaquePart and part.provider == writer.wire.name:
        return part.value
    if type(part) is not ImagePart and type(part) is not AudioPart:
        return writer.describe_part(part, at)
    data, media_type = part.data, part.media_type
    if data is None and part.url is not None and part.url[:5] == "data:":
        _, data, known, _ = read_data_url(part.url, at, Reader(writer.wire))
        media_type = known or media_type
    try:
        if data is None:
            raise UnsupportedValueError("only inline data is supported")
        known = media_type_of(data)
        if type(part) is AudioPart and (known or "")[:6] != "audio/":
            raise UnsupportedValueError("the API would treat its data as an image")
    except UnsupportedValueError as reason:
        return writer.describe_part(part, at, str(reason))
    if media_type is not None and media_type != known:
        writer.report_unsupported((at, "mediaType"), "mediaType")
    for field in ("name", "detail"):
        if getattr(part, field, None) is not None:
            writer.report_unsupported((at, field), field)
    if part.metadata:
        writer.own_extras(part.metadata, at)
    return data


def order_results_by_tool(
    results: Iterable[tuple[ToolResult, Path]], before: Message | None, writer: Writer
) -> list[tuple[ToolResult, Path]]:
    """Return the results. If calls arrive without ids, results of a tool get the order of its calls."""
    found = list(results)
    if before is None or not (writer.unsent or writer.drops_ids):
        return found
    order = {identifier: i for i, identifier in enumerate(call_ids(before))}
    places: dict[str, list[int]] = {}
    for i, (result, _) in enumerate(found):
        if (writer.drops_ids or result.tool_call_id in writer.unsent) and result.tool_call_id in order:
            places.setdefault(result.name, []).append(i)
    ordered = list(found)
    for one_name in places.values():
        by_call = sorted(one_name, key=lambda i: order[found[i][0].tool_call_id])
        for i, taken in zip(one_name, by_call, strict=True):
            ordered[i] = found[taken]
            if i != taken:
                writer.report_loss(
                    found[i][1],
                    "a result",
                    "moved",
                    "note",
                    "results of the same tool must have the order of its calls",
                )
    return ordered
