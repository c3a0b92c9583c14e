"""Field readers and writers that only Anthropic needs, and the limit of cache marks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...conversion.extras import ABSENT, UnsupportedValueError, extra_at
from ...conversion.fields import default_media_type, read_data_url, read_number_within
from ...conversion.reader import Reader
from ...conversion.writer import Writer
from ...errors import wrong_type
from ...paths import Path

__all__ = [
    "add_shared_cache_mark",
    "limit_cache_marks",
    "read_refused_number",
    "read_source",
    "write_refused_number",
    "write_source",
]


_NO_LIMITS: Mapping[str, Any] = {}


def read_refused_number(value: Any, at: Path, reader: Reader, limits: Mapping[str, Any] = _NO_LIMITS) -> Any:
    """Read a number that newer models refuse, or an integer if the limits say so.

    Raises:
        ConversionError: The value is neither such a number nor null.
    """
    return read_number_within(value, at, reader, limits)


def write_refused_number(value: float | None, at: Path, writer: Writer, limits: Mapping[str, Any] = _NO_LIMITS) -> Any:
    """Leave out a number, which is reported: as a note if it is 1, the API's default for `temperature` and `top_p`."""
    if value is not None:
        writer.report_unsupported(at, str(at[1]), "note" if value == 1 and "integer" not in limits else "warning")
    return ABSENT


Fields = tuple[str | None, str | None, str | None]


def read_source(value: Any, at: Path, reader: Reader, media_types: Sequence[str]) -> Fields:
    """Read url, data and media type. All are None for a source of another kind.

    Raises:
        ConversionError: The value is not an object.
    """
    if type(value) is not dict:
        raise wrong_type(at, "an object", value)
    kind, data, media = value.get("type"), value.get("data"), value.get("media_type")
    if kind == "url" and type(value.get("url")) is str:
        return value["url"], None, None
    if kind == "base64" and type(data) is str and type(media) is str:
        return None, data, media
    if kind == "text" and type(data) is str and type(media) is str:
        import base64  # late: few conversions need it

        try:
            return None, base64.b64encode(data.encode()).decode(), media
        except UnicodeEncodeError:  # half of a surrogate pair, which cannot be encoded as bytes
            return None, None, None
    return None, None, None


def write_source(
    url: str | None,
    data: str | None,
    media_type: str | None,
    at: Path,
    writer: Writer,
    media_types: Sequence[str],
) -> Any:
    """Write the source.

    Raises:
        UnsupportedValueError: The API does not support the media type, or the part has neither a URL nor data.
    """
    if data is None and url is not None and url[:5] == "data:":  # the API does not support data URLs
        url, data, media = read_data_url(url, at, Reader(writer.wire))
        media_type = media or media_type
    if media_type is not None and media_type not in media_types:
        common = media_type.lower().replace("image/jpg", "image/jpeg")
        if common in media_types:
            writer.report_loss((at[0], "mediaType"), "mediaType", "rewritten", f"the API calls it {common}")
            media_type = common
    if data is not None and media_type is None:
        media_type = default_media_type(data, at, writer, media_types)
    if data is not None and media_type not in media_types:
        raise UnsupportedValueError(f"{media_type or 'data without a media type'} is not supported")
    if data is None and url is None:
        raise UnsupportedValueError("it has neither a URL nor data")
    if data is None and media_type is not None:
        writer.report_unsupported((at[0], "mediaType"), "mediaType")
    if data is None:
        return {"type": "url", "url": url}
    if media_type != "text/plain":
        return {"type": "base64", "media_type": media_type, "data": data}
    import base64  # late: few conversions need it

    try:
        text = base64.b64decode(data, validate=True).decode()
    except ValueError as error:
        raise UnsupportedValueError("its data is not base64 of text") from error
    return {"type": "text", "media_type": media_type, "data": text}


def add_shared_cache_mark(block: Any, value: Any, writer: Writer) -> Any:
    """Add to a block what Bedrock's cache point after a part, call, result or tool says, unless it has a mark of its own.

    A part has a field for the mark, so only its time is added.
    """
    shared = writer.shared_extra(value.metadata) if value.metadata else ABSENT
    if shared is ABSENT or type(block) is not dict or "cache_control" in writer.peek_extras(value.metadata):
        return block
    if hasattr(value, "cache") and not value.cache:
        return block
    point = shared.get("$whole", shared) if type(shared) is dict else ABSENT
    ttl = extra_at(point, "cachePoint", "ttl")
    return {**block, "cache_control": {"type": "ephemeral"} if ttl is ABSENT else {"type": "ephemeral", "ttl": ttl}}


_MOST_CACHE_MARKS = 4

_ROLES = ("assistant", "system", "user")


def limit_cache_marks(wire: dict[str, Any], at: Path, writer: Writer) -> None:
    """Remove the first cache marks of a body that has more than the API accepts. Later ones cover what they covered.

    One beside the messages counts too, because it marks their last block.
    """
    holders: list[Any] = [wire.get("tools"), wire.get("system")]
    holders += [m.get("content") for m in wire.get("messages") or () if m.get("role") in _ROLES]
    marked = [place for blocks in holders if type(blocks) is list for place in _marked_blocks(blocks)]
    surplus = len(marked) + (wire.get("cache_control") is not None) - _MOST_CACHE_MARKS
    if surplus <= 0:
        return
    reason = f"the API accepts {_MOST_CACHE_MARKS} marks, so the first ones were removed"
    writer.report_loss(at, "cache", "dropped", reason)
    for blocks, i in marked[:surplus]:
        blocks[i] = {key: value for key, value in blocks[i].items() if key != "cache_control"}


def _marked_blocks(blocks: list[Any]) -> Iterator[tuple[list[Any], int]]:
    """Return the lists and indexes of the blocks with a cache mark, also inside results, in order."""
    for i, block in enumerate(blocks):
        if type(block) is dict:
            if block.get("type") == "tool_result" and type(block.get("content")) is list:
                yield from _marked_blocks(block["content"])
            if block.get("cache_control") is not None:
                yield blocks, i
