"""Keyword arguments of an official client's own call, as several clients take them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

from .conversion.writer import Writer
from .paths import ROOT

__all__ = ["ByteKeys", "call_tool_keywords", "keywords"]


class ByteKeys:
    """Keys whose text is base64 in a body; the value of a `free` key is the user's or the model's, and stays as it is."""

    __slots__ = ("free", "keys")

    def __init__(self, keys: Iterable[str], free: Iterable[str]) -> None:
        self.keys = frozenset(keys)
        self.free = frozenset(free)


def keywords(body: dict[str, Any], accepted: Collection[str]) -> dict[str, Any]:
    """The body's keys as keywords; what the client's call has no keyword for goes into its `extra_body`."""
    found = {key: value for key, value in body.items() if key in accepted}
    extra = {key: value for key, value in body.items() if key not in accepted}
    if extra:
        found["extra_body"] = extra
    return found


_CAPITAL = r"(?<=[a-z])([A-Z])"


def call_tool_keywords(params: dict[str, Any], accepted: Collection[str], writer: Writer) -> dict[str, Any]:
    """The params by the client's keywords, which are in snake case; one that it does not have is reported."""
    found: dict[str, Any] = {}
    for key, value in params.items():
        keyword = re.sub(_CAPITAL, lambda hit: f"_{hit[1].lower()}", key.removeprefix("_"))
        if keyword in accepted:
            found[keyword] = value
        else:
            writer.report_loss((ROOT, key), key, "dropped", "warning", "the client does not accept it as an argument")
    return found
