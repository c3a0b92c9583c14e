"""Keyword arguments for an official client that brings a body into types of its own, and drops what they lack."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ...conversion.writer import Writer
from ...errors import ConversionError
from ...paths import ROOT, Path, format_path

__all__ = ["keywords_as_typed"]

ANY = "*"
"""Stands in a table of members for every name."""

Members = Mapping[str, Any]
"""By name of a member: `kept`, `dropped` without harm, or the members of the objects in it. Others are dropped."""


def keywords_as_typed(
    body: dict[str, Any], accepted: Collection[str], members: Members, writer: Writer
) -> dict[str, Any]:
    """The body's keys as keywords; what the client will not send is reported, once for each way to it.

    Media are given as bytes, for such a client takes text for the name of a file where there is one.

    Raises:
        ConversionError: Media are not base64.
    """
    lost: dict[str, str] = {}
    found: dict[str, Any] = {}
    for key, value in body.items():
        if key not in accepted:
            lost[key] = "warning"
            continue
        found[key] = value
        if key in members:
            _missing(value, members[key], key, lost)
    for way, severity in lost.items():
        if severity == "note":
            writer.report_loss((ROOT, way.split(".")[0]), way, "dropped", "note", "the client has no field for it")
        else:
            writer.report_loss(
                (ROOT, way.split(".")[0]),
                way,
                "dropped",
                "warning",
                "the client would not send it; send the body instead",
            )
    if type(found.get("messages")) is list:
        found["messages"] = [_with_bytes(m, ((ROOT, "messages"), i)) for i, m in enumerate(found["messages"])]
    return found


def _missing(value: Any, members: Members | str, way: str, lost: dict[str, str]) -> None:
    """Collect the ways to what is dropped."""
    if type(value) is list:
        for item in value:
            _missing(item, members, way, lost)
    elif type(value) is dict and isinstance(members, Mapping):
        for key, inner in value.items():
            known = members.get(key, members.get(ANY))
            here = f"{way}.{ANY if ANY in members else key}"
            if known is None or known == "dropped":
                lost[here] = "warning" if known is None else "note"
            else:
                _missing(inner, known, here, lost)


def _with_bytes(message: Any, at: Path) -> Any:
    if type(message) is not dict or type(message.get("images")) is not list:
        return message
    import base64  # late: few conversions need it

    found: list[Any] = []
    for i, image in enumerate(message["images"]):
        try:
            found.append(base64.b64decode(image, validate=True))
        except (TypeError, ValueError) as error:
            raise ConversionError(format_path(((at, "images"), i)), "must be base64") from error
    return {**message, "images": found}
