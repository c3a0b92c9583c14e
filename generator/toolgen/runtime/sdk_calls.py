"""A request's body as keyword arguments of an official client's own call."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

__all__ = ["keywords"]


def keywords(body: dict[str, Any], accepted: Collection[str]) -> dict[str, Any]:
    """The body's keys as keywords; what the client's call has no keyword for goes into its `extra_body`."""
    found = {key: value for key, value in body.items() if key in accepted}
    extra = {key: value for key, value in body.items() if key not in accepted}
    if extra:
        found["extra_body"] = extra
    return found
