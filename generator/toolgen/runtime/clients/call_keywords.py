"""The params of a call as keyword arguments of an official client that sends them itself."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from ..conversion.writer import Writer
from ..paths import ROOT

__all__ = ["call_tool_keywords"]

_CAPITAL = re.compile(r"(?<=[a-z])([A-Z])")


def call_tool_keywords(params: dict[str, Any], accepted: Collection[str], writer: Writer) -> dict[str, Any]:
    """The params by the client's keywords, which are in snake case; one that it does not have is reported."""
    found: dict[str, Any] = {}
    for key, value in params.items():
        keyword = _CAPITAL.sub(lambda hit: f"_{hit[1].lower()}", key.removeprefix("_"))
        if keyword in accepted:
            found[keyword] = value
        else:
            writer.lost((ROOT, key), key, "dropped", "warning", "the client has no keyword for it")
    return found
