"""Media in a block of their own, in a resource that the result embeds, or after a link.

Blocks of images and recordings hold data and its media type, and no name. A resource has an address, in which its name
stands; a link has both. What a resource or a link holds is told by its media type.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...conversion.extras import Extras, UnsupportedValueError, extra_members, inner_extras
from ...conversion.reader import Reader
from ...conversion.writer import Writer
from ...errors import wrong_type
from ...fields.values import read_data_url
from ...paths import Path
from ...tool_results import address_of, media_kind, name_in

__all__ = ["read_media_block", "write_media_block"]

Fields = tuple[str | None, str | None, str | None, str | None, Extras]

_KEYS = frozenset(["type", "data", "mimeType", "uri", "name", "resource"])
_USED = {
    "resource": frozenset(["type", "resource"]),
    "resource_link": frozenset(["type", "uri", "mimeType", "name"]),
}
_DIRECT = frozenset(["type", "data", "mimeType"])
_EMBEDDED = frozenset(["blob", "mimeType", "uri"])


def read_media_block(block: dict[str, Any], at: Path, reader: Reader, table: Mapping[str, str]) -> Fields:
    """Read url, data, media type and name.

    Raises:
        ConversionError: One of them is not a string.
    """
    form = block["type"]
    used = _USED.get(form, _DIRECT)
    rest: Extras = {key: value for key, value in block.items() if key in _KEYS and key not in used}
    if form == "resource_link":
        name = _text(block, "name", at)
        if name is None:
            rest["$absent"] = ["name"]
        return _text(block, "uri", at), None, _media_type(block, at, table), name, rest
    if form != table["type"]:
        rest["type"] = form
    if form == "resource":
        return _embedded(block["resource"], (at, "resource"), rest, table)
    return None, _text(block, "data", at), _text(block, "mimeType", at), None, rest


def _media_type(holder: dict[str, Any], at: Path, table: Mapping[str, str]) -> str | None:
    """The media type; none where it says no more than the kind of part does."""
    media_type = _text(holder, "mimeType", at)
    return None if media_type == table.get("any") else media_type


def _embedded(resource: dict[str, Any], at: Path, rest: Extras, table: Mapping[str, str]) -> Fields:
    data, uri, media_type = _text(resource, "blob", at), _text(resource, "uri", at), _media_type(resource, at, table)
    name = None if uri is None else name_in(uri)
    inner = extra_members(resource, _EMBEDDED)
    if uri is not None and (name is None or address_of(name) != uri):
        inner["uri"] = uri
    if uri is None:
        inner["$absent"] = ["uri"]
    if inner:
        rest["resource"] = inner
    return None, data, media_type, name, rest


def _text(holder: dict[str, Any], key: str, at: Path) -> str | None:
    value = holder.get(key)
    if value is not None and type(value) is not str:
        raise wrong_type((at, key), "a string", value)
    return value


def write_media_block(
    url: str | None,
    data: str | None,
    media_type: str | None,
    name: str | None,
    own: Extras,
    at: Path,
    writer: Writer,
    table: Mapping[str, str],
) -> dict[str, Any]:
    """Write the block.

    `table` has the `kind` of part, the `type` of its block, and what stands in where it is not known: the `mediaType` of
    data, `any` for that of a resource or a link, the `name`.

    Raises:
        UnsupportedValueError: The part has neither a URL nor data.
    """
    if url is not None and url[:5] == "data:" and data is None:
        url, data, known, _ = read_data_url(url, at, Reader(writer.wire))
        media_type = known or media_type
    if data is None and url is None:
        raise UnsupportedValueError("it has neither a URL nor data")
    if data is None:
        return _link(str(url), media_type, name, own, at, writer, table)
    if url is not None:
        writer.report_unsupported(at, "url")
    form = own.get("type", table["type"])
    if media_type is None and "mediaType" in table and form != "resource":
        media_type = table["mediaType"]
        writer.report_loss(
            (at[0], "mediaType"),
            "mediaType",
            "defaulted",
            "note",
            f"the API requires a media type, so it is set to {media_type}",
        )
    if form != "resource":
        if name is not None:
            writer.report_unsupported((at[0], "name"), "name")
        return {"type": form, "data": data, "mimeType": media_type}
    return {
        "type": form,
        "resource": _resource(data, media_type, name, inner_extras(own, "resource"), at, writer, table),
    }


def _resource(
    data: str,
    media_type: str | None,
    name: str | None,
    kept: Extras,
    at: Path,
    writer: Writer,
    table: Mapping[str, str],
) -> dict[str, Any]:
    resource: dict[str, Any] = {"blob": data}
    _tell_kind(media_type or table.get("any"), resource, at, writer, table)
    uri = kept.get("uri")
    if type(uri) is str and name_in(uri) == name:
        resource["uri"] = uri
    elif name is not None or "uri" not in kept.get("$absent", ()):
        resource["uri"] = address_of(_named(name, table["name"], at, writer))
    return resource


def _link(
    url: str,
    media_type: str | None,
    name: str | None,
    own: Extras,
    at: Path,
    writer: Writer,
    table: Mapping[str, str],
) -> dict[str, Any]:
    link: dict[str, Any] = {"type": "resource_link", "uri": url}
    if name is not None or "name" not in own.get("$absent", ()):
        link["name"] = _named(name, name_in(url) or table["name"], at, writer)
    _tell_kind(media_type or table.get("any"), link, at, writer, table)
    return link


def _named(name: str | None, default: str, at: Path, writer: Writer) -> str:
    if name is not None:
        return name
    writer.report_loss(
        (at[0], "name"), "name", "defaulted", "note", f"the API requires a name, so it is set to {default}"
    )
    return default


def _tell_kind(
    media_type: str | None, holder: dict[str, Any], at: Path, writer: Writer, table: Mapping[str, str]
) -> None:
    """Name the media type, by which the kind of part is known."""
    if media_type is not None:
        holder["mimeType"] = media_type
    if media_kind(media_type) != table["kind"]:
        writer.report_loss(at[0], table["kind"], "rewritten", "note", "its media type belongs to another kind")
