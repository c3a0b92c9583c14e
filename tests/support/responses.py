"""Responses that the tables of the providers are about."""

from __future__ import annotations

from typing import Any

from tests.support.places import put
from tests.support.repository import table


def response_of(provider: str, *, calls: bool = False, **members: Any) -> Any:
    """The table's response with a text or with calls, and with `stop` or `usage`."""
    facts = table(provider)
    body = facts["response"]
    if calls:
        body = put(body, facts["at"]["content"], facts["calls"])
    elif "text" in facts:
        body = put(body, facts["at"]["content"], [facts["text"]])
    for name, value in members.items():
        body = put(body, facts["at"][name], value)
    return body
