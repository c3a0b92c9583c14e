"""Results of calls: content for the model, and a value for programs beside it.

A value is written twice: as an object in `structuredContent`, and as JSON text for clients that only read content. A
value that is not an object is wrapped in one there, but not in the text, so the text shows which of the two it is.

Media are in a block of their own, in an embedded resource, or behind a link. Blocks of images and recordings have data
and a media type, but no name. A resource has a URI that contains its name; a link has both. The media type states what
a resource or a link contains.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...conversion.extras import ABSENT, Extras, UnsupportedValueError, extra_at, unmapped_members
from ...conversion.fields import read_data_url
from ...conversion.reader import Reader
from ...conversion.tool_results import ResultKind, media_kind
from ...conversion.values import Read, Write, optional_object, optional_text, read_list_or_null, write_list
from ...conversion.writer import Writer
from ...errors import ConversionError, wrong_type
from ...json_text import compact, loads
from ...json_values import same_json
from ...models import ToolResult
from ...paths import ROOT, Path, format_path
from .fields import WRAPPER_KEY

__all__ = [
    "attachment_uri",
    "name_from_url",
    "read_call_result",
    "read_media_block",
    "result_content_kind",
    "write_call_result",
    "write_media_block",
]


_KNOWN = frozenset(["content", "isError", "structuredContent"])
_PAIR = ("content", "structuredContent")


def read_call_result(
    wire: dict[str, Any], wrapped: bool | None, at: Path, reader: Reader, read: Read[Any]
) -> tuple[ResultKind, Any, bool | None, Extras]:
    """Read kind, value, error flag and extras. `wrapped` states whether the tool's values are wrapped in an object.

    Content and value are kept as extras if they would be written differently.

    Raises:
        ConversionError: The value is not a result, or a value has the wrong JSON type.
    """
    if wire.get("resultType") == "input_required":
        raise ConversionError(format_path((at, "resultType")), "asks for input, so there is no result yet")
    content = wire.get("content")
    if type(content) is not list and not (content is None and wire.get("structuredContent") is not None):
        raise wrong_type((at, "content"), "an array", content if "content" in wire else ABSENT)
    failed = wire.get("isError")
    if failed is not None and type(failed) is not bool:
        raise wrong_type((at, "isError"), "a boolean", failed)
    extras = unmapped_members(wire, _KNOWN)
    if failed is False:
        extras["isError"] = False
    pair = {key: wire[key] for key in _PAIR if key in wire}
    originals = {key: {"$whole": value} for key, value in pair.items()}
    try:
        kind_and_value = _value(content or [], wire.get("structuredContent", ABSENT), bool(failed), wrapped)
        if kind_and_value is None:
            if "structuredContent" in wire:
                extras |= _with_unread(originals, "structuredContent")
            return "multimodal", read_list_or_null(content, (at, "content"), reader, read), failed or None, extras
        kind, value = kind_and_value
        if not _is_ours(kind, value, wrapped, pair):
            extras |= _with_unread(originals, _unread_key(kind, value, pair))
    except RecursionError as error:
        raise ConversionError(format_path((at, "structuredContent")), "is nested too deeply") from error
    return kind, value, True if failed and kind == "data" else None, extras


def _unread_key(kind: str, value: Any, pair: Mapping[str, Any]) -> str | None:
    """Return the key of a result that says something else than the value that was read, if there is one."""
    texts = [text for block in pair.get("content") or [] if (text := _text_in(block) or "").strip()]
    if kind == "data":
        return "content" if texts and not _repeats(texts, value) else None
    return "structuredContent" if kind == "error" and pair.get("structuredContent") is not None else None


def _with_unread(originals: Extras, key: str | None) -> Extras:
    """Return the extras of content and value, of which one was not read."""
    return {name: {**extra, "$unread": True} if name == key else extra for name, extra in originals.items()}


def write_call_result(
    result: ToolResult, wrapped: bool | None, extras: Extras, writer: Writer, write: Write
) -> dict[str, Any]:
    """Write content, value and error flag. The original content wins if it means the same.

    `wrapped` says whether the tool's schema promises an object that contains the value. None if it promises nothing.

    Raises:
        ConversionError: The value does not have the type of its kind, or cannot be written as JSON.
    """
    failed = result.kind == "error" or bool(result.is_error)
    try:
        wire = _content(result, failed, wrapped, _original_pair(extras), writer, write)
    except (TypeError, RecursionError) as error:
        raise ConversionError("value", f"cannot be written as JSON: {type(error).__name__}") from error
    if failed:
        wire["isError"] = True
    elif wrapped is not None and "structuredContent" not in wire:
        reason = "the schema of the tool promises a value, and clients may reject a result without one"
        writer.report_loss((ROOT, "kind"), "structuredContent", "dropped", reason, "warning")
    return wire


def _original_pair(extras: Extras) -> dict[str, Any]:
    """Return content and value as they were, by their keys. Empty if they were as we write them."""
    originals = {key: extra_at(extras, key, "$whole") for key in _PAIR}
    return {key: original for key, original in originals.items() if original is not ABSENT}


def _content(
    result: ToolResult, failed: bool, wrapped: bool | None, extras: Extras, writer: Writer, write: Write
) -> dict[str, Any]:
    """Write content and value."""
    kind, value, at = result.kind, result.value, (ROOT, "value")
    if kind == "multimodal":
        if type(value) is not list:
            raise wrong_type(at, "an array", value)
        content = write_list(value, at, writer, write)
        if same_json(content, extras.get("content")):
            return dict(extras)
        if len(value) < 2 and _value(content, ABSENT, failed, wrapped) is not None:
            for field in ("kind", "value"):
                writer.report_loss((ROOT, field), field, "rewritten", "a single text is sent without a list")
        return {"content": content}
    if _means_value(extras, kind, value, failed, wrapped):
        return dict(extras)
    if kind != "data" and type(value) is not str:
        raise wrong_type(at, "a string", value)
    try:
        return _written(kind, value, wrapped)
    except ValueError as error:
        raise ConversionError(format_path(at), f"cannot be written as JSON: {type(error).__name__}") from error


def _written(kind: str, value: Any, wrapped: bool | None) -> dict[str, Any]:
    """Return content and value of a result as we write them. `wrapped` is that of `write_call_result`."""
    if kind == "error":
        return {"content": _text(value)}
    if kind == "text":
        content = {"content": _text(value)}
        return {**content, "structuredContent": {WRAPPER_KEY: value}} if wrapped else content
    is_bare = type(value) is dict and not wrapped
    return {"content": _text(compact(value)), "structuredContent": value if is_bare else {WRAPPER_KEY: value}}


def _is_ours(kind: str, value: Any, wrapped: bool | None, pair: dict[str, Any]) -> bool:
    """Return whether a value would be written in exactly this way. One that JSON cannot represent would not."""
    try:
        return same_json(_written(kind, value, wrapped), pair)
    except ValueError:
        return False


def _text(text: str) -> list[dict[str, Any]]:
    """Return the content that consists of one text."""
    return [{"type": "text", "text": text}]


def _means_value(extras: Extras, kind: str, value: Any, failed: bool, wrapped: bool | None) -> bool:
    """Return whether the original content still means this value."""
    if not extras:
        return False
    meaning = _value(extras.get("content") or [], extras.get("structuredContent", ABSENT), failed, wrapped)
    return meaning is not None and meaning[0] == kind and same_json(meaning[1], value)


def _value(content: list[Any], structured: Any, failed: bool, wrapped: bool | None) -> tuple[ResultKind, Any] | None:
    """Return kind and value of a result without media, or None if content has other blocks, or several texts."""
    texts = [text for block in content if (text := _text_in(block)) is not None]
    if len(texts) != len(content):
        return None
    if (
        structured is ABSENT
        or (structured is None and texts and not _repeats(texts, None))
        or (failed and _is_message(texts, structured))
    ):
        if len(texts) > 1:
            return None
        return "error" if failed else "text", texts[0] if texts else ""
    if wrapped is not False and type(structured) is dict and structured.keys() == {WRAPPER_KEY}:
        value = structured[WRAPPER_KEY]
        if not failed and type(value) is str and texts == [value]:
            return "text", value
        if wrapped or _repeats(texts, value):
            return "data", value
    return "data", structured


def _is_message(texts: list[str], structured: Any) -> bool:
    """Return whether texts of a failed call say what went wrong: they are neither blank nor JSON of its value."""
    is_wrapper = type(structured) is dict and structured.keys() == {WRAPPER_KEY}
    values = [structured, structured[WRAPPER_KEY]] if is_wrapper else [structured]
    return any(map(str.strip, texts)) and not any(_repeats(texts, value) for value in values)


def _text_in(block: Any) -> str | None:
    """Return the text of a block, or of the resource embedded in it."""
    if type(block) is not dict or result_content_kind(block) != "text":
        return None
    text = (block if block["type"] == "text" else block["resource"]).get("text")
    return text if type(text) is str else None


def _repeats(texts: list[str], value: Any) -> bool:
    """Return whether texts repeat a value as JSON, at once or item by item, as servers do."""
    if len(texts) == 1 and _repeats_one(texts[0], value):
        return True
    each = type(value) is list and len(value) == len(texts) > 0
    return each and all(map(_repeats_one, texts, value))


def _repeats_one(text: str, value: Any) -> bool:
    """Return whether a text is a value, or the JSON text of it."""
    if type(value) is str and text == value:
        return True
    try:
        return same_json(loads(text), value)
    except ValueError:
        return False


Fields = tuple[str | None, str | None, str | None, str | None]


def read_media_block(block: dict[str, Any], at: Path, reader: Reader, table: Mapping[str, str]) -> Fields:
    """Read url, data, media type and name.

    Raises:
        ConversionError: It is another block, one of the values is not a string, or the resource is not an object.
    """
    kind = block.get("type")
    if kind == "resource_link":
        return optional_text(block, "uri", at), None, _media_type(block, at, table), optional_text(block, "name", at)
    if kind == "resource":
        resource, here = optional_object(block, "resource", at), (at, "resource")
        data, uri = optional_text(resource, "blob", here), optional_text(resource, "uri", here)
        return None, data, _media_type(resource, here, table), None if uri is None else name_from_url(uri)
    if kind != table["type"]:
        raise wrong_type((at, "type"), f"`{table['type']}`", kind)
    return None, optional_text(block, "data", at), optional_text(block, "mimeType", at), None


def _media_type(holder: dict[str, Any], at: Path, table: Mapping[str, str]) -> str | None:
    """Return the media type, or None if it only repeats the kind of part."""
    media_type = optional_text(holder, "mimeType", at)
    return None if media_type == table.get("any") else media_type


def write_media_block(
    url: str | None,
    data: str | None,
    media_type: str | None,
    name: str | None,
    at: Path,
    writer: Writer,
    table: Mapping[str, str],
) -> dict[str, Any]:
    """Write the block.

    `table` has the `kind` of part, the `type` of its block, and defaults: the `mediaType` of data, `any` for the media
    type of a resource or a link, and the `name`.

    Raises:
        UnsupportedValueError: The part has neither a URL nor data.
    """
    if url is not None and url[:5] == "data:" and data is None:
        url, data, named_type = read_data_url(url, at, Reader(writer.wire))
        media_type = named_type or media_type
    if data is None and url is None:
        raise UnsupportedValueError("it has neither a URL nor data")
    if data is None:
        return _write_link(str(url), media_type, name, at, writer, table)
    if url is not None:
        writer.report_unsupported(at, "url")
    if table["type"] == "resource":
        resource: dict[str, Any] = {"blob": data}
        _write_media_type(media_type or table.get("any"), resource, at, writer, table)
        resource["uri"] = attachment_uri(_named(name, table["name"], at, writer))
        return {"type": "resource", "resource": resource}
    if media_type is None:
        media_type = table["mediaType"]
        reason = f"the API requires a media type, so it is set to {media_type}"
        writer.report_loss((at[0], "mediaType"), "mediaType", "defaulted", reason)
    if name is not None:
        writer.report_unsupported((at[0], "name"), "name")
    return {"type": table["type"], "data": data, "mimeType": media_type}


def _write_link(
    url: str, media_type: str | None, name: str | None, at: Path, writer: Writer, table: Mapping[str, str]
) -> dict[str, Any]:
    """Write a block that refers to a URL. Its name is by default that of the file."""
    link = {"type": "resource_link", "uri": url}
    link["name"] = _named(name, name_from_url(url) or table["name"], at, writer)
    _write_media_type(media_type or table.get("any"), link, at, writer, table)
    return link


def _named(name: str | None, default: str, at: Path, writer: Writer) -> str:
    """Return the name of a block, or a default, which is reported, because the API requires one."""
    if name is not None:
        return name
    writer.report_loss((at[0], "name"), "name", "defaulted", f"the API requires a name, so it is set to {default}")
    return default


def _write_media_type(
    media_type: str | None, holder: dict[str, Any], at: Path, writer: Writer, table: Mapping[str, str]
) -> None:
    """Write the media type, and report one that belongs to another kind of part. None writes nothing."""
    if media_type is not None:
        holder["mimeType"] = media_type
    if media_kind(media_type) != table["kind"]:
        writer.report_loss(at[0], table["kind"], "rewritten", "its media type belongs to another kind")


_ATTACHED = "attachment:///"
"""The scheme of synthetic URIs. An embedded resource requires a URI, but the app's data has none."""


def result_content_kind(block: dict[str, Any]) -> str | None:
    """Return the type of a block: `text`, `image`, `audio`, `video` or `document`; None if it is not valid."""
    kind = block.get("type")
    if kind == "text":
        return "text"
    if kind in ("image", "audio"):
        return str(kind) if block.get("data") is not None and block.get("mimeType") is not None else None
    if kind == "resource_link":
        return media_kind(block.get("mimeType")) if block.get("uri") is not None else None
    resource = block.get("resource")
    if kind != "resource" or type(resource) is not dict:
        return None
    if resource.get("text") is not None:
        return "text"
    return media_kind(resource.get("mimeType")) if resource.get("blob") is not None else None


def name_from_url(address: str) -> str | None:
    """Return the file name in a URL; None if there is none."""
    from urllib.parse import unquote  # late: few results have files

    path = address.split("#", 1)[0].split("?", 1)[0]
    return unquote(path.rsplit("/", 1)[1]) or None if "/" in path else None


def attachment_uri(name: str) -> str:
    """Return a URI for a file that has none."""
    from urllib.parse import quote  # late: few results have files

    return _ATTACHED + quote(name, safe="", errors="surrogatepass")
